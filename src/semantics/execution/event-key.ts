/**
 * Keys: what an event is called in a schedule.
 *
 * An event is named by agent and program-order index of the statement, and for an operation its stage and part. A key
 * means the same whatever else has happened in between, so a recorded schedule is a list of keys and survives unrelated changes.
 *
 *     3:17            the 17th event of agent 3
 *     3:17.16         the same, by the part of the warp that begins with lane 16; the part before it is blocked, and stays at its wait
 *     3:17/write.1    the box that event 17 of agent 3 is loading arrives in the second destination
 *     3:17<8+4~1=00000000   the 17th event of agent 3 reads strongly, and takes of the word at byte 4 of plane 8 the write before the last, which left four zeros
 *     3:17<8+4=01000000     the same of a write that comes later
 *                           (of an atomic: and what it leaves lies under the writes that come later)
 *     3:17>8+4~1=01000000   the 17th event of agent 3 stores strongly, and one write that is there already is the later one: what is in the word stays there
 *
 * Law 1. `readKey` is the inverse of `showKey`; of every other text it is null.
 */

// ---------------------------------------------------------------- model

/** A word as another write leaves it than the last: a strong read may find it so, and a strong store may leave it so (`judging/detector/readings.ts` says when). */
export interface Older {
  readonly plane: number
  readonly byte: number
  /** how many writes before the last, or for a store how many there are that come later; 0: of a read, one that comes later; of a store, it is not known */
  readonly back: number
  /** what it held then, as `Plane.wordAt` has it */
  readonly held: string
  /** of a read by several lanes of a warp: those that find it so; absent: all that name the word */
  readonly lanes?: number
}

export interface EventKey {
  readonly agent: number
  readonly at: number
  readonly stage: 'agent' | 'read' | 'write' | 'all' | 'signal'
  /** of an operation; of an agent: which of its parts (`machine/front.ts`), 0 for the one that it is ready for */
  readonly part: number
  /** of a strong read, or an atomic: words of which it takes another write; absent: of each the last */
  readonly older?: ReadonlyArray<Older>
  /** of a strong store: words that keep what they hold; of an atomic among others: what they hold behind all of them */
  readonly below?: ReadonlyArray<Older>
}

// ---------------------------------------------------------------- keys

const showOlder =
  (sign: '<' | '>') =>
  ({ plane, byte, back, held, lanes }: Older): string =>
    `${sign}${String(plane)}+${String(byte)}${back === 0 ? '' : `~${String(back)}`}${lanes === undefined ? '' : `@${(lanes >>> 0).toString(16)}`}=${held}`

export const showKey = (k: EventKey): string =>
  k.stage === 'agent'
    ? `${String(k.agent)}:${String(k.at)}${k.part === 0 ? '' : `.${String(k.part)}`}${(k.older ?? []).map(showOlder('<')).join('')}${(k.below ?? []).map(showOlder('>')).join('')}`
    : `${String(k.agent)}:${String(k.at)}/${k.stage}.${String(k.part)}`

const word = (lanes: string): string => String.raw`\d+\+\d+(?:~[1-9]\d*)?${lanes}=(?:\??[0-9a-f]{2})+`
const keyPattern = new RegExp(
  String.raw`^(\d+):(\d+)(?:\.([1-9]\d*)|\/(read|write|all|signal)\.(\d+))?((?:<${word('(?:@[1-9a-f][0-9a-f]{0,7})?')})*)((?:>${word('')})*)$`,
)
const olderPattern = /[<>](\d+)\+(\d+)(?:~(\d+))?(?:@([0-9a-f]+))?=([0-9a-f?]+)/g
const stages: ReadonlyArray<EventKey['stage']> = ['read', 'write', 'all', 'signal']

const readOlder = (text: string): ReadonlyArray<Older> =>
  [...text.matchAll(olderPattern)].map(([, plane, byte, back, lanes, held]): Older => {
    const one: Older = { plane: Number(plane), byte: Number(byte), back: Number(back ?? 0), held: held! }
    return lanes === undefined ? one : byLanes(one, Number.parseInt(lanes, 16) | 0)
  })

/** The same, found by these lanes alone. */
export const byLanes = ({ plane, byte, back, held }: Older, lanes: number): Older => ({
  plane,
  byte,
  back,
  held,
  lanes,
})

export const readKey = (text: string): EventKey | null => {
  const m = keyPattern.exec(text)
  if (m === null) return null
  const stage = stages.find((s) => s === m[4]) ?? 'agent'
  const key: EventKey = { agent: Number(m[1]), at: Number(m[2]), stage, part: Number(m[3] ?? m[5] ?? 0) }
  const [older, below] = [readOlder(m[6] ?? ''), readOlder(m[7] ?? '')]
  if (older.length === 0 && below.length === 0) return key
  return stage !== 'agent' ? null : among(key, older, below)
}

/** The same read, which takes of these words another write. */
export const taking = ({ agent, at, stage, part }: EventKey, older: ReadonlyArray<Older>): EventKey =>
  older.length === 0 ? { agent, at, stage, part } : { agent, at, stage, part, older }

/** The same store, which leaves of these words what is there. */
export const keeping = ({ agent, at, stage, part }: EventKey, below: ReadonlyArray<Older>): EventKey =>
  below.length === 0 ? { agent, at, stage, part } : { agent, at, stage, part, below }

/** The same atomic, which takes of these words another write, and comes among others: behind all of them they hold that. */
export const among = (key: EventKey, older: ReadonlyArray<Older>, below: ReadonlyArray<Older>): EventKey => {
  const { agent, at, stage, part } = key
  return below.length === 0
    ? taking(key, older)
    : older.length === 0
      ? keeping(key, below)
      : { agent, at, stage, part, older, below }
}

/** Do they name one event, whatever it reads? */
export const sameKey = (a: EventKey, b: EventKey): boolean =>
  a.agent === b.agent && a.at === b.at && a.stage === b.stage && a.part === b.part
