/**
 * Gates: barriers of a grid that the last CTA to arrive opens for the others.
 *
 *     if (tid == 0) {
 *       g = sense                                            a *look*, of those that wait until it is another
 *       fence
 *       if (atomicAdd(count, 1) == ctas - 1) {               the *arrival*
 *         count = 0; fence; sense = mine                     the *last arm*: the *reset*, and the *opening*
 *       } else while (sense != mine);                        the *other arm*: the *wait*
 *       fence                                                where both arms meet
 *     }
 *
 * One run takes the last arm for one CTA in each round. What the others would have done in it is read off the text:
 *
 * | asked of the text                                                                                | else       |
 * |--------------------------------------------------------------------------------------------------|------------|
 * | F1 an arrival adds 1 to a word of 32 bits (or counts round, up to the row that F2 compares with)   | it is none |
 * | F2 a branch follows it that asks whether it has found a row, or has found a row with a constant added, and the row is the same for all threads of the grid; nothing else comes of what it has found | it is none |
 * | F3 both arms go on without a branch to where they meet; but for what computes and fences the one has the reset, a constant, and the opening; the other has the wait, of which nothing else comes | it is none |
 * | F4 the reset is of the word that was counted; opening, wait and look are of one other word, and name it by the same rows | it is none |
 * | F5 the wait is until the word is the row that the opening stores; or until it is not what the look has found, to which the opening adds 1 | it is none |
 * | F6 the arrival is a release or follows a fence; a fence (or acquire and release) stands between the arrival and the opening, and one behind the reset; the wait is an acquire, or a fence is the next that happens behind it; a look stands before the fence; all of them reach the whole grid | it is none |
 * | F7 nothing that an arm or the branch has written is read behind where the arms meet, before it is written again | it is none |
 * | F8 none of these lines stands elsewhere as well, and the program has no calls                        | it is none |
 *
 * So a thread behind a gate is as it was before it, in whichever arm it was; it has heard all who have arrived; and it would have opened the gate just as another has.
 *
 * Jumps into the midst of a gate are not asked for. Whether a CTA takes one is the same in every order (F7), so the run shows it: it comes to a reset, an opening or a wait without an arrival (J4), or
 * behind all of these, where nothing is told.
 *
 * Law 1. Where a gate is found, F1 to F8 hold.
 *
 * Names: a sense-reversing barrier; a barrier by generations.
 */
import type { Gate } from '../machine/front.js'
import type { Graph } from './flow.js'
import { readBeforeWritten, successorsOf } from './live.js'
import type { Address } from './operations/address.js'
import type { Given, Guard, Instruction, Operation, Place, Row, WarpProgram } from './program.js'
import { ofPredicate } from './program.js'
import { comparing, copiedAt, isJumpedTo, opposed } from './spins.js'
import { usesOf } from './uses.js'

// ---------------------------------------------------------------- what is the same for all threads of the grid

const isOfGrid = (g: Given): boolean => {
  switch (g._tag) {
    case 'threads':
    case 'ctas':
    case 'clusters':
    case 'ctasInCluster':
    case 'ctaRanks':
    case 'explicitCluster':
    case 'warps':
    case 'sharedBytes':
    case 'globalAddress':
      return true
    case 'thread':
    case 'cta':
    case 'cluster':
    case 'ctaInCluster':
    case 'ctaRank':
    case 'lane':
    case 'lanes':
    case 'unspecified':
    case 'localWindow':
    case 'sharedAddress':
    case 'dynamicAddress':
      return false
  }
}

type Code = ReadonlyArray<Instruction>

interface Text {
  readonly code: Code
  readonly next: Graph
  readonly constants: ReadonlyMap<Row, number>
  /** rows that are given, and the same for all threads of the grid */
  readonly given: ReadonlySet<Row>
}

/** Does every way from the beginning to an index lead through another one? */
const isBehind = ({ next }: Text, at: number, through: number): boolean => {
  const seen = new Set<number>([through])
  const stack = [0]
  while (stack.length > 0) {
    const k = stack.pop()!
    if (k === at) return at === through
    if (seen.has(k) || next[k] === undefined) continue
    seen.add(k)
    for (const to of next[k]) stack.push(to)
  }
  return true
}

/** It is written once, before it is come to, and made of such rows alone. */
const isSameForAll = (t: Text, at: number, row: Place, behind: ReadonlyArray<Place> = []): boolean => {
  if (t.given.has(row) || t.constants.has(row)) return true
  const by = t.code.flatMap(({ operation }, k) => (usesOf(operation).writes.includes(row) ? [k] : []))
  const [one] = by
  if (one === undefined || by.length > 1 || behind.includes(row) || !isBehind(t, at, one)) return false
  const { operation: o, guard } = t.code[one]!
  const isSame = guard === null && (o._tag === 'load' ? o.from.space === 'param' : isComputed(o))
  return isSame && usesOf(o).reads.every((r) => isSameForAll(t, one, r, [...behind, row]))
}

// ---------------------------------------------------------------- what stands in a gate

/** What a thread computes by itself. */
const isComputed = (o: Operation): boolean =>
  ['scalar', 'move', 'part', 'pack', 'predicate', 'setPredicate'].includes(o._tag)
const isIdle = (o: Operation): boolean => isComputed(o) || o._tag === 'nothing' || o._tag === 'turn'

type Touching = Extract<Operation, { readonly _tag: 'load' | 'store' | 'atomic' }>
const isTouching = (o: Operation): o is Touching =>
  o._tag === 'load' || o._tag === 'store' || o._tag === 'atomic'

/** A strong access of one word of 32 bits, that reaches the whole grid. */
const isStrong = ({ operation: o, guard }: Instruction): boolean => {
  if (guard !== null || !isTouching(o) || o.scope === 'cta' || o.scope === 'cluster') return false
  return o._tag === 'atomic'
    ? ['b32', 'u32', 's32'].includes(o.type)
    : o.ordering !== 'weak' && o.width.bytes === 4 && o.width.count === 1
}
const addressOf = (o: Touching): Address => (o._tag === 'load' ? o.from : o._tag === 'store' ? o.into : o.at)

/** A fence of memory that reaches the whole grid, of the half that is asked or of both. */
const isFence = ({ operation: o, guard }: Instruction, half: 'acquire' | 'release'): boolean =>
  guard === null &&
  o._tag === 'fence' &&
  o.kind === 'memory' &&
  o.scope === 'global' &&
  (o.half === undefined || o.half === half)
const releases = (o: Operation): boolean =>
  isTouching(o) && (o.ordering === 'release' || o.ordering === 'acq_rel')
const acquires = (o: Operation): boolean =>
  isTouching(o) && (o.ordering === 'acquire' || o.ordering === 'acq_rel')

/** Indices from one on, as far as there is one way; the last is where that ends. */
const straightFrom = (code: Code, from: number): ReadonlyArray<number> => {
  const out: number[] = []
  for (let k = from; out.length < longest && !out.includes(k);) {
    out.push(k)
    const one = code[k]
    if (one === undefined) break
    const { operation: o, guard } = one
    if (o._tag === 'branch') {
      if (guard !== null) break
      k = o.target
    } else if (isIdle(o) || isTouching(o) || o._tag === 'fence') k++
    else break
  }
  return out
}
const longest = 64

/** Where both ways from a branch meet, and what is on each of them up to there. */
const armsOf = (
  code: Code,
  taken: number,
  fallen: number,
): {
  readonly taken: ReadonlyArray<number>
  readonly fallen: ReadonlyArray<number>
  readonly meet: number
} | null => {
  const [one, other] = [straightFrom(code, taken), straightFrom(code, fallen)]
  const at = one.findIndex((k) => other.includes(k))
  if (at < 0) return null
  const meet = one[at]!
  return { taken: one.slice(0, at), fallen: other.slice(0, other.indexOf(meet)), meet }
}

/** What is done on a way, but for what computes and jumps. */
const doneOn = (code: Code, way: ReadonlyArray<number>): ReadonlyArray<number> =>
  way.filter((k) => !isIdle(code[k]!.operation) && code[k]!.operation._tag !== 'branch')

/** F6, before an arrival: is it a release, and which look stands before that? */
const comingTo = (
  code: Code,
  arrival: number,
): { readonly isReleased: boolean; readonly look: number | null } => {
  let isReleased = releases(code[arrival]!.operation)
  for (let k = arrival; k > 0 && !isJumpedTo(code, k); k--) {
    const one = code[k - 1]!
    if (isFence(one, 'release')) isReleased = true
    else if (isReleased && one.operation._tag === 'load' && isStrong(one)) return { isReleased, look: k - 1 }
    else if (!isIdle(one.operation)) break
  }
  return { isReleased, look: null }
}

/** What a store, or an exchange, leaves. */
const storedBy = (o: Operation): Row | null =>
  o._tag === 'store'
    ? (o.value[0]?.[0] ?? null)
    : o._tag === 'atomic' && o.op === 'exch'
      ? (o.value[0] ?? null)
      : null

/** Where an instruction leaves a row with a constant added, and which; null if it does something else. */
const addedTo = (
  { operation: o, guard }: Instruction,
  row: Row,
  constants: ReadonlyMap<Row, number>,
): { readonly to: Row; readonly by: number } | null => {
  if (guard !== null || o._tag !== 'scalar' || !['add.s32', 'add.u32'].includes(o.name)) return null
  const [x, y] = o.from
  const [to] = o.to
  if (x === undefined || y === undefined || to === undefined || to === null) return null
  const by = x === row ? constants.get(y) : y === row ? constants.get(x) : undefined
  return by === undefined ? null : { to, by }
}

/** A word that some instructions have, and what follows in them of it. */
interface Held {
  readonly row: Row
  readonly then: Code
}
/** What is a constant more than a word that the first of some instructions writes: rows that none of them writes twice. */
const sumsOf = (code: Code, word: Row, constants: ReadonlyMap<Row, number>): ReadonlyArray<Held> => {
  const isWrittenOnce = (place: Place): boolean =>
    code.filter(({ operation }) => usesOf(operation).writes.includes(place)).length === 1
  return code.flatMap((one, k) => {
    const sum = addedTo(one, word, constants)
    return sum !== null && isWrittenOnce(word) && isWrittenOnce(sum.to)
      ? [{ row: sum.to, then: code.slice(k + 1) }]
      : []
  })
}

// ---------------------------------------------------------------- found

const gateAt = (t: Text, arrival: number): Gate | null => {
  const { code, constants } = t
  const { operation: a } = code[arrival]!
  if (a._tag !== 'atomic' || !isStrong(code[arrival]!) || a.awaits === true) return null
  const [word] = a.to ?? []
  const [by] = a.value
  const counts = a.op === 'add' && constants.get(by!) === 1
  if (word === undefined || by === undefined || (!counts && a.op !== 'inc')) return null
  // F2
  let branch = arrival + 1
  while (branch < code.length && isIdle(code[branch]!.operation)) branch++
  const { operation: last, guard } = code[branch] ?? code[arrival]!
  if (last._tag !== 'branch' || guard === null) return null
  const asking = code.slice(arrival, branch + 1)
  const sums = counts ? sumsOf(asking, word, constants) : []
  const said = [{ row: word, then: asking }, ...sums]
    .map(({ row, then }) => comparing(then, row, constants).get(ofPredicate(guard.predicate)))
    .find((known) => known !== undefined)
  if (said === undefined || !isSameForAll(t, arrival, said.value)) return null
  const taken = guard.negated ? opposed(said) : said
  if (taken.comparison !== 'eq' && taken.comparison !== 'ne') return null
  if (!counts && by !== said.value) return null
  // F3
  const arms = armsOf(code, last.target, branch + 1)
  if (arms === null) return null
  const [lasts, others] = taken.comparison === 'eq' ? [arms.taken, arms.fallen] : [arms.fallen, arms.taken]
  const [opens, waits] = [doneOn(code, lasts), doneOn(code, others)]
  const wait = waits.find((k) => code[k]!.operation._tag === 'load')
  const stores = opens.filter((k) => ['store', 'atomic'].includes(code[k]!.operation._tag))
  const [reset, opening] = counts ? [stores[0], stores[1]] : [null, stores[0]]
  if (wait === undefined || reset === undefined || opening === undefined) return null
  const own = opens.find((k) => code[k]!.operation._tag === 'load') ?? null
  const named = [arrival, wait, opening, ...(reset === null ? [] : [reset]), ...(own === null ? [] : [own])]
  const isAnother = (k: number): boolean => !named.includes(k) && code[k]!.operation._tag !== 'fence'
  if ([...opens, ...waits].some(isAnother) || !named.every((k) => isStrong(code[k]!))) return null
  const w = code[wait]!.operation
  const o = code[opening]!.operation
  if (w._tag !== 'load' || w.until?.unheeded !== true || !isTouching(o)) return null
  const { until } = w
  // F7
  const inside = [...asking.map((_, k) => arrival + k), ...lasts, ...others]
  const written = new Set(inside.flatMap((k) => usesOf(code[k]!.operation).writes))
  if ([...written].some((place) => readBeforeWritten(code, arms.meet, place))) return null
  if (inside.includes(arms.meet)) return null
  // F4
  const { isReleased, look } = comingTo(code, arrival)
  const nameOf = (k: number): string | null => {
    const { operation: x } = code[k]!
    if (!isTouching(x)) return null
    const { space, rows, offset } = addressOf(x)
    const named = rows.map((row) => copiedAt(code, k, row))
    return named.some((row) => written.has(row)) ? null : `${space} ${named.join()} ${String(offset)}`
  }
  const [counted, opened] = [nameOf(arrival), nameOf(opening)]
  if (counted === null || opened === null || nameOf(wait) !== opened) return null
  if (own !== null && (nameOf(own) !== opened || lasts.indexOf(own) > lasts.indexOf(opening))) return null
  let start: number | undefined = 0
  if (reset !== null) {
    const stored = storedBy(code[reset]!.operation)
    if (stored === null || nameOf(reset) !== counted) return null
    start = constants.get(copiedAt(code, reset, stored))
  }
  if (start === undefined) return null
  // F5
  const isStored = (): boolean => {
    const stored = storedBy(o)
    const row = stored === null ? null : copiedAt(code, opening, stored)
    const value = copiedAt(code, wait, until.value)
    return until.comparison === 'eq' && own === null && row === value && !written.has(value)
  }
  const isNext = (): boolean => {
    const { operation: l } = code[look ?? arrival]!
    if (until.comparison !== 'ne' || look === null || l._tag !== 'load' || nameOf(look) !== opened)
      return false
    const seen = l.to[0]?.[0]
    if (seen === undefined || copiedAt(code, wait, until.value) !== seen || written.has(seen)) return false
    const kept = [seen, ...l.from.rows]
    if (kept.some((row) => isWrittenIn(code, look + 1, arrival, row))) return false
    if (o._tag === 'atomic' && o.op === 'add') return own === null && constants.get(o.value[0]!) === 1
    const stored = storedBy(o)
    const { operation: again } = code[own ?? look]!
    const from = again._tag === 'load' ? again.to[0]?.[0] : undefined
    if (stored === null || from === undefined) return false
    const way = [...range(look + 1, arrival), ...asking.map((_, k) => arrival + k), ...lasts]
    const before = way.slice(0, way.indexOf(opening))
    return isOneMore(t, before, stored, from, own === null ? -1 : before.indexOf(own))
  }
  const looks = until.comparison === 'ne'
  if (looks ? !isNext() : !isStored()) return null
  // F6
  const between = (from: number, to: number, half: 'acquire' | 'release'): boolean =>
    lasts.some((k, i) => i > lasts.indexOf(from) && i < lasts.indexOf(to) && isFence(code[k]!, half))
  const isHeard = acquires(a) || between(arrival, opening, 'acquire')
  const isTold = releases(o) || between(reset ?? arrival, opening, 'release')
  const behind = [...others.slice(others.indexOf(wait) + 1), ...straightFrom(code, arms.meet)]
  const next = behind.find((k) => code[k] !== undefined && !isIdle(code[k].operation) && !isJump(code[k]))
  const hears = acquires(w) || (next !== undefined && isFence(code[next]!, 'acquire'))
  if (!isReleased || !isHeard || !isTold || !hears) return null
  // F8
  const all = [...named, ...(looks ? [look!] : [])]
  const sites = all.map((k) => code[k]!.site)
  if (
    code.some(({ site, operation }, k) => sites.includes(site) && isTouching(operation) && !all.includes(k))
  )
    return null
  const siteOf = (k: number): number => code[k]!.site
  return {
    arrival: siteOf(arrival),
    reset: reset === null ? null : siteOf(reset),
    start,
    opening: siteOf(opening),
    wait: siteOf(wait),
    looks: all.filter((k) => k === look || k === own).map(siteOf),
    addsOne: looks,
  }
}

const isJump = ({ operation: o, guard }: { operation: Operation; guard: Guard | null }): boolean =>
  o._tag === 'branch' && guard === null
const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k)
const isWrittenIn = (code: Code, from: number, to: number, place: Place): boolean =>
  range(from, to).some((k) => usesOf(code[k]!.operation).writes.includes(place))

/** Is a row one more than another, on a way where that is read from an index on? */
const isOneMore = (t: Text, way: ReadonlyArray<number>, row: Row, from: Row, since: number): boolean => {
  const by = way.filter((k) => usesOf(t.code[k]!.operation).writes.includes(row))
  const [one] = by
  if (one === undefined || by.length > 1 || way.indexOf(one) < since) return false
  const isWritten = way.some((k, i) => i > since && usesOf(t.code[k]!.operation).writes.includes(from))
  return !isWritten && addedTo(t.code[one]!, from, t.constants)?.by === 1
}

export const gatesOf = (p: WarpProgram): ReadonlyArray<Gate> => {
  const { code } = p
  if (!code.some(({ operation: o }) => o._tag === 'atomic' && o.to !== null)) return []
  // what a function is given may differ from call to call
  if (code.some(({ operation: o }) => o._tag === 'call' || o._tag === 'return')) return []
  const next: Graph = code.map((one, k) => successorsOf(one, k).filter((to) => to < code.length))
  const t: Text = {
    code,
    next,
    constants: new Map(p.constants.map(({ row, word }) => [row, word])),
    given: new Set(p.givens.flatMap(({ row, given }) => (isOfGrid(given) ? [row] : []))),
  }
  return code.flatMap((_, k) => gateAt(t, k) ?? [])
}
