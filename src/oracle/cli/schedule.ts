/**
 * Schedules and the command line: a flag becomes a policy, a file becomes a recorded schedule and back.
 *
 * A schedule file holds what stands in a verdict's `schedules` (`semantics/schedule.ts`): the name of a policy, or event keys separated by
 * white space. `--record` writes keys, all of them: they still say the same when the program has changed elsewhere, and can be edited.
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
import { failure, type Failure } from '../../failure.js'
import * as Policy from '../../semantics/execution/policy.js'
import { readSchedule, showKeys } from '../../semantics/files/schedule.js'
import type { EventKey } from '../../semantics/execution/step.js'
import { asText, type Files } from '../tensor-files/files.js'
import type { ScheduleFlag } from './flags/machine.js'

/** The policy of a schedule file. */
export const readScheduleFile =
  (file: string) =>
  (text: string): E.Either<Failure<'schedule-file'>, Policy.AnyPolicy> =>
    pipe(
      readSchedule(text),
      E.mapLeft(({ message }) => failure('schedule-file', `${file}: ${message}`)),
    )

/** Keys that are encoded at a time: a text has an end that a file has not. */
const piece = 2 ** 16

export const scheduleFile = (keys: ReadonlyArray<EventKey>): Uint8Array => {
  const pieces = Array.from({ length: Math.ceil(keys.length / piece) }, (_, i) =>
    new TextEncoder().encode(`${i === 0 ? '' : ' '}${showKeys(keys.slice(i * piece, (i + 1) * piece))}`),
  )
  const bytes = new Uint8Array(pieces.reduce((n, { length }) => n + length, 1))
  let at = 0
  for (const part of pieces) {
    bytes.set(part, at)
    at += part.length
  }
  bytes[at] = 0x0a
  return bytes
}

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
      case 'starving':
        return IOE.right(
          flag.event === null
            ? Policy.starvingAgent(flag.agent, flag.seed)
            : Policy.starvingOperation(flag.agent, flag.event, flag.seed),
        )
      case 'detouring':
        return IOE.fromEither(readSchedule(flag.name))
      case 'recorded':
        return pipe(
          files.read(flag.file),
          IOE.chainEitherKW(asText(flag.file)),
          IOE.chainEitherKW(readScheduleFile(flag.file)),
        )
    }
  }
