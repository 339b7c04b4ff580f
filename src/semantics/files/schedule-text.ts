/**
 * Which texts are schedules: the name of a policy with detours, or keys of events. Who only asks that needs no policy (`schedule.ts` has those).
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { readKey, type EventKey } from '../execution/event-key.js'
import { readName } from '../execution/policy-name.js'

export const readKeys = (text: string): E.Either<Failure<'schedule'>, ReadonlyArray<EventKey>> => {
  const keys: EventKey[] = []
  for (const [i, word] of text
    .split(/\s+/)
    .filter((w) => w !== '')
    .entries()) {
    const key = readKey(word)
    if (key === null)
      return refuse(
        'schedule',
        `expected event keys such as 0:12 or 1:4/write.0, or the name of a policy and detours such as 12=1:4/write.0 in their order, found '${word.slice(0, 40)}' as word ${String(i + 1)}`,
      )
    keys.push(key)
  }
  return E.right(keys)
}

export const isSchedule = (text: string): boolean =>
  readName(text.trim()) !== null || E.isRight(readKeys(text))
