/**
 * Finders: who finds one write of a word, and in which ways they are asked what else they find.
 *
 * A strong load of a warp is as many reads as it has lanes, and each may find another write: lane 3 sees a flag raised, and lane 0 does not. So each lane is a *finder*, and
 * so is each word of its own. Of a few finders every way is asked. Of many there are too many ways, and these are asked:
 *
 *     all find the oldest              0 0 0 0 0 0 0 0     (the last write is 1)
 *     the lanes of each word do        and those of other words the last
 *     one alone does, all but one do   0 1 1 1 1 1 1 1     1 1 0 1 1 1 1 1
 *     halves: by a bit of their number 0 1 0 1 0 1 0 1     0 0 1 1 0 0 1 1     and the other way round
 *
 * and where lanes find several words, the last two of lanes with all their words, too. Two finders differ in some bit of their numbers, so each two find every two of the last write and the oldest. What lanes make of what they have found together is nearly
 * always a vote, or what one of them has found, and for these that is enough: who comes behind a vote without having found what another has is one of two.
 *
 * Lanes of an atomic that name one word come one after the other, each an event of its own. They are given the same ways, by what those before them have been given.
 *
 * Laws
 * 1. Of n finders that have w ways besides the last write, with (w + 1)^n no more than `mostReadings`, `readings` has all of them but that which is none.
 * 2. Of more, each two find every two of the oldest and the last, each finder the one where all others of its word find the other, and the finders of each word every way
 *    of theirs; the same of lanes.
 * 3. A way names no word twice for one lane; where all lanes that name a word find the same it names no lanes.
 * 4. `given` lets lanes that come one after the other have just the ways of `readings`.
 *
 * Names: a covering array of strength two.
 */
import { singles } from '../../log/lane-mask.js'
import { byLanes, type Older } from '../../execution/step.js'
import { greatest } from '../../../greatest.js'

// ---------------------------------------------------------------- model

/** Lanes of which each finds the same as the others, and the other writes that they may find, the last one first. */
export interface Finder {
  /** null: any access that names the word */
  readonly lanes: number | null
  /** all lanes that name the word */
  readonly all: number | null
  readonly ways: ReadonlyArray<ReadonlyArray<Older>>
}

/** A way to read: other words than the last ones. `parts`: lanes that could have found the same do not. */
export interface Reading {
  readonly words: ReadonlyArray<Older>
  readonly parts: boolean
}
export interface Readings {
  readonly ways: ReadonlyArray<Reading>
  /** there are more */
  readonly some: boolean
}

/** Of so many ways of a finder the one that it takes; 0: the last write. */
interface Pattern {
  readonly takes: (finder: number, ways: number) => number
  readonly parts: boolean
}

/** Most ways in which one instruction is asked to read. */
export const mostReadings = 16

// ---------------------------------------------------------------- who finds

/** Those who name a word: each lane, if all of them may find the same; else those that may are asked together, each as far as it goes. */
export const findersOf = (
  all: number,
  by: ReadonlyArray<readonly [lanes: number, most: number]>,
  ways: ReadonlyArray<Older>,
): ReadonlyArray<Finder> => {
  if (by.length === 1)
    return singles(all).map((lanes) => ({ lanes, all, ways: ways.map((w) => [byLanes(w, lanes)]) }))
  const together = ways.map((way) =>
    by.flatMap(([lanes, most]): ReadonlyArray<Older> => {
      const last = ways.filter(({ back }) => back <= Math.min(way.back, most)).at(-1)
      return last === undefined ? [] : [byLanes(last, lanes)]
    }),
  )
  return [{ lanes: null, all, ways: together.filter((way) => way.length > 0) }]
}

// ---------------------------------------------------------------- ways

const wordOf = ({ plane, byte }: Older): string => `${String(plane)}+${String(byte)}`

/** What finders find, each word once for all lanes that find it so. */
const merged = (
  finders: ReadonlyArray<Finder>,
  takes: (finder: number, ways: number) => number,
): ReadonlyArray<Older> => {
  const out = new Map<string, { readonly word: Older; lanes: number; readonly all: number | null }>()
  finders.forEach(({ ways, all }, i) => {
    const way = takes(i, ways.length)
    for (const word of way === 0 ? [] : ways[way - 1]!) {
      const key = `${wordOf(word)} ${String(word.back)}`
      const same = out.get(key)
      if (same === undefined) out.set(key, { word, lanes: word.lanes ?? 0, all })
      else same.lanes |= word.lanes ?? 0
    }
  })
  return [...out.values()].map(({ word, lanes, all }) => {
    const { plane, byte, back, held } = word
    return all === null || lanes === all ? { plane, byte, back, held } : byLanes(word, lanes)
  })
}

/** Numbers of finders, together as they have the same name. */
const grouped = (
  finders: ReadonlyArray<Finder>,
  nameOf: (f: Finder) => string,
): ReadonlyArray<ReadonlyArray<number>> => {
  const out = new Map<string, number[]>()
  finders.forEach((f, i) => {
    out.set(nameOf(f), [...(out.get(nameOf(f)) ?? []), i])
  })
  return [...out.values()]
}

/** Word by word, and lane by lane. */
const byWord = (finders: ReadonlyArray<Finder>): ReadonlyArray<ReadonlyArray<number>> =>
  grouped(finders, ({ ways }) => wordOf(ways[0]![0]!))
const byLane = (finders: ReadonlyArray<Finder>): ReadonlyArray<ReadonlyArray<number>> =>
  grouped(finders, ({ lanes, ways }) => (lanes === null ? wordOf(ways[0]![0]!) : String(lanes)))

const asOne = (takes: Pattern['takes']): Pattern => ({ takes, parts: false })
const parting = (isOld: (finder: number) => boolean): Pattern => ({
  takes: (i, ways) => (isOld(i) ? ways : 0),
  parts: true,
})

/** One of these groups alone, all of a range but one, and halves of them: each two groups are parted both ways. */
const apart = (
  groups: ReadonlyArray<ReadonlyArray<number>>,
  range: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>,
): ReadonlyArray<Pattern> => {
  const numbers = new Map(groups.flatMap((some, n) => some.map((i) => [i, n] as const)))
  const bits = Array.from({ length: Math.ceil(Math.log2(groups.length)) }, (_, k) => 1 << k)
  return [
    ...bits.flatMap((bit) => [
      parting((i) => (numbers.get(i)! & bit) !== 0),
      parting((i) => (numbers.get(i)! & bit) === 0),
    ]),
    ...range.flatMap((some) =>
      some.length === 1
        ? []
        : some.flatMap((one) => [
            parting((i) => one.includes(i)),
            parting((i) => !one.includes(i) && some.some((other) => other.includes(i))),
          ]),
    ),
  ]
}

/** The ways of many finders (law 2), of which these find a word, and these are of a lane; of so many ways at most. */
const patternsOf = (
  words: ReadonlyArray<ReadonlyArray<number>>,
  lanes: ReadonlyArray<ReadonlyArray<number>>,
  most: number,
): ReadonlyArray<Pattern> => {
  const depths = Array.from({ length: most }, (_, k) => k + 1)
  const single = (some: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => some.map((i) => [i])
  const all = words.flatMap(single)
  return [
    asOne((_, ways) => ways),
    ...words.flatMap((some) =>
      depths.map((depth) => asOne((i, ways) => (some.includes(i) ? Math.min(depth, ways) : 0))),
    ),
    ...apart(all, words.map(single)),
    ...(lanes.length < all.length ? apart(lanes, [lanes]) : []),
  ]
}

/**
 * Every way in which finders may take older writes, but that each takes the last; of many of them those of law 2. `together`: only those that part none, and of few finders
 * all all the same.
 */
export const readings = (finders: ReadonlyArray<Finder>, together: boolean): Readings => {
  const all = finders.map(({ ways }) => ways.length)
  if (all.length === 0) return { ways: [], some: false }
  if (all.length === 1 || all.reduce((n, ways) => n * (ways + 1), 1) <= mostReadings) {
    const every = all.reduce<ReadonlyArray<ReadonlyArray<number>>>(
      (some, ways) => some.flatMap((taken) => Array.from({ length: ways + 1 }, (_, way) => [...taken, way])),
      [[]],
    )
    return {
      ways: every
        .filter((taken) => taken.some((way) => way > 0))
        .map((taken) => ({ words: merged(finders, (i) => taken[i]!), parts: false })),
      some: false,
    }
  }
  const out = new Map<string, Reading>()
  for (const { takes, parts } of patternsOf(byWord(finders), byLane(finders), greatest(0)(all))) {
    if (parts && together) continue
    const words = merged(finders, takes)
    const key = JSON.stringify(words)
    if (words.length > 0 && !out.has(key)) out.set(key, { words, parts })
  }
  return { ways: [...out.values()], some: true }
}

// ---------------------------------------------------------------- one after the other

/** What lanes of one instruction have been given, one after the other: of so many ways the one that each has taken. */
export type Given = ReadonlyArray<readonly [ways: number, way: number]>

/** The ways that the next of so many lanes may have; `some`: it could have others. */
export const given = (
  lanes: number,
  taken: Given,
  ways: number,
  together: boolean,
): { readonly ways: ReadonlyArray<number>; readonly some: boolean } => {
  const next = taken.length
  const most = Math.max(ways, greatest(0)(taken.map(([of]) => of)))
  if (lanes === 1 || (most + 1) ** lanes <= mostReadings)
    return { ways: Array.from({ length: ways + 1 }, (_, way) => way), some: false }
  const all = Array.from({ length: lanes }, (_, i) => i)
  const fits = [
    asOne(() => 0),
    ...patternsOf(
      [all],
      all.map((i) => [i]),
      most,
    ),
  ].filter(
    ({ takes, parts }) =>
      !(parts && together && !isParted(taken)) && taken.every(([of, way], i) => takes(i, of) === way),
  )
  // those before were few enough for any way, and have taken what is of no pattern
  const some = new Set(fits.length === 0 ? [0, ways] : fits.map(({ takes }) => takes(next, ways)))
  return { ways: [...some].sort((a, b) => a - b), some: true }
}

/** Have some been given older writes, and others not as old ones as they may find? */
export const isParted = (taken: Given): boolean => {
  const most = greatest(0)(taken.map(([of]) => of))
  return !Array.from({ length: most + 1 }, (_, depth) => depth).some((depth) =>
    taken.every(([of, way]) => way === Math.min(depth, of)),
  )
}
