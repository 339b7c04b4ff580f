/**
 * Schedules and the command line: a flag becomes a policy, a file becomes a recorded schedule and back.
 *
 * A schedule file holds event keys separated by white space, as a finding's `schedule` does:
 *
 *     0:1 1:1 0:2 1:4/write.0 1:4/signal.0
 *
 * Laws
 * 1. Reading what `scheduleFile` wrote gives the same keys.
 * 2. A word that is no key is refused, with its place.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { IOEither } from 'fp-ts/lib/IOEither.js'
import * as IOE from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import * as Policy from '../../semantics/policy.js'
import { readKey, type EventKey } from '../../semantics/step.js'
import type { Files } from '../tensor-files/files.js'
import type { ScheduleFlag } from './flags/machine.js'

export const readSchedule =
  (file: string) =>
  (text: string): E.Either<Failure<'schedule-file'>, ReadonlyArray<EventKey>> => {
    const keys: EventKey[] = []
    for (const [i, word] of text
      .split(/\s+/)
      .filter((w) => w !== '')
      .entries()) {
      const key = readKey(word)
      if (key === null)
        return refuse(
          'schedule-file',
          `${file}: expected event keys such as 0:12 or 1:4/write.0, found '${word.slice(0, 40)}' as word ${String(i + 1)}`,
        )
      keys.push(key)
    }
    return E.right(keys)
  }

export const scheduleFile = (keys: string): Uint8Array => new TextEncoder().encode(`${keys}\n`)

export const policyOf =
  (files: Files) =>
  (flag: ScheduleFlag): IOEither<Failure, Policy.AnyPolicy> => {
    switch (flag._tag) {
      case 'eager':
        return IOE.right(Policy.eager)
      case 'lazy':
        return IOE.right(Policy.lazy)
      case 'roundrobin':
        return IOE.right(Policy.roundRobin)
      case 'seeded':
        return IOE.right(Policy.seeded(flag.seed))
      case 'recorded':
        return pipe(
          files.read(flag.file),
          IOE.map((bytes) => new TextDecoder().decode(bytes)),
          IOE.chainEitherKW(readSchedule(flag.file)),
          IOE.map(Policy.recorded),
        )
    }
  }
