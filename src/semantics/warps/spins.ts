/**
 * Spins on a word of memory: a loop that does nothing but load it, strongly, and compare it with what does not change is a wait.
 *
 *     again: ld.acquire.gpu.global.u32 %r1, [%rd1]         until [%rd1] is at least %r2
 *            setp.lt.u32 %p1, %r1, %r2
 *            @%p1 bra again
 *
 * | in the loop may be                                                     | else                  |
 * |------------------------------------------------------------------------|-----------------------|
 * | one strong load of one word of 32 bits                                 | it stays a loop       |
 * | the comparison that it is left by, of the word with a row that the loop does not write | it stays a loop |
 * | the same of the sign of their exclusive or, as barriers of a grid have it | it stays a loop |
 * | the same of the bits that they have in common, as barriers of parts of a CTA have it | it stays a loop |
 * | jumps to what stands behind them, or back to the beginning              | it stays a loop       |
 * | what computes, sleeps, and hands nothing to the next turn              | it stays a loop       |
 *
 * A poll that a compiler has unrolled, with its back-off behind it, is one wait as well (`pollAt`): libcu++ asks sixteen times, and sleeps by the clock then.
 *
 *            ld.relaxed %r1, [x];   setp.ne %p1, %r1, 0;   @%p1 bra out;
 *            ld.relaxed %r2, [x];   setp.ne %p2, %r2, 0;   @%p2 bra out;
 *            ...                    the clock, sleep, loops that load it again
 *            ld.relaxed %r3, [x];   setp.eq %p3, %r3, 0;   @%p3 bra ...;
 *     out:
 *
 * From where the first load says no all ways lead through what computes, jumps, sleeps and loads the same word in the same way, no way goes round without such a load,
 * and each leads out just where the word has what the first one asks for; and nothing behind reads what was computed there. Then it is left in the states in which
 * the first load may leave it, and in no other: the clock decides how long that takes.
 *
 * Whether anything comes of the word besides is asked as well: of what such a loop has computed a program mostly reads nothing behind it (*unheeded*).
 *
 * Laws
 * 1. A loop that becomes a wait leaves every register as its last turn does.
 * 2. Where it is unheeded, nothing that follows depends on which of the words that let it go on it finds.
 */
import { doingOf } from '../../numerics/scalar/index.js'
import { opposite } from '../log/comparison.js'
import type { Comparison } from '../log/events.js'
import { remembered } from '../../remembered.js'
import { ofPredicate, type Instruction, type Operation, type Place, type Row, type Until } from './program.js'
import { readBeforeWritten, successorsOf } from './live.js'
import { usesOf } from './uses.js'

export const isIdle = (o: Operation): boolean =>
  usesOf(o).computes || o._tag === 'nothing' || o._tag === 'turn' || o._tag === 'setPredicate'

/** `lt` of unsigned words is `lo`. */
export const comparisonOf = (name: string): Comparison | null => {
  const does = doingOf(name)
  if (does._tag !== 'compares' || !does.plain || !['b32', 's32', 'u32'].includes(does.type)) return null
  const isSigned = does.type === 's32'
  switch (does.by) {
    case 'eq':
    case 'ne':
    case 'lo':
    case 'ls':
    case 'hi':
    case 'hs':
      return does.by
    case 'lt':
      return isSigned ? 'lt' : 'lo'
    case 'le':
      return isSigned ? 'le' : 'ls'
    case 'gt':
      return isSigned ? 'gt' : 'hi'
    case 'ge':
      return isSigned ? 'ge' : 'hs'
    default:
      return null
  }
}
const swapped = (c: Comparison): Comparison => {
  switch (c) {
    case 'lt':
      return 'gt'
    case 'gt':
      return 'lt'
    case 'le':
      return 'ge'
    case 'ge':
      return 'le'
    case 'lo':
      return 'hi'
    case 'hi':
      return 'lo'
    case 'ls':
      return 'hs'
    case 'hs':
      return 'ls'
    case 'eq':
    case 'ne':
    case 'os':
    case 'ss':
    case 'sc':
    case 'nc':
      return c
  }
}

/** What holds of the word where a predicate does. */
export interface Known {
  readonly comparison: Comparison
  readonly value: Row
}

/** What such a comparison of an exclusive or with a constant says of the highest bits; null: more than that. */
const ofSign = (c: Comparison, limit: number | undefined): Comparison | null => {
  if (limit === 0) return c === 'lt' ? 'os' : c === 'ge' ? 'ss' : null
  return limit === -1 ? (c === 'le' ? 'os' : c === 'gt' ? 'ss' : null) : null
}

/** What a comparison of an and with zero says of bits in common; null: more than that. */
const ofBits = (c: Comparison, limit: number | undefined): Comparison | null =>
  limit !== 0 ? null : c === 'eq' || c === 'ls' ? 'nc' : c === 'ne' || c === 'hi' ? 'sc' : null

/** Of predicates of the loop that compare the word, or are made of such a one; and of words that are zero just where such a one does not hold. */
export const comparing = (
  body: ReadonlyArray<Instruction>,
  word: Row,
  constants: ReadonlyMap<Row, number>,
): ReadonlyMap<number, Known> => {
  const written = new Set(body.flatMap(({ operation }) => usesOf(operation).writes))
  const copies = new Set<Place>([word])
  const known = new Map<number, Known>()
  /** exclusive ors of the word with what does not change */
  const differences = new Map<Place, Row>()
  /** ands, likewise */
  const commons = new Map<Place, Row>()
  for (const { operation: o, guard } of body) {
    if (o._tag === 'load' || o._tag === 'atomic') continue
    const says =
      guard === null ? saying(o, { copies, known, differences, commons, written, constants }) : null
    // what is written anew says what it says now
    for (const w of usesOf(o).writes) {
      copies.delete(w)
      known.delete(w)
      differences.delete(w)
      commons.delete(w)
    }
    if (says === null) continue
    for (const place of says.copies) copies.add(place)
    for (const [place, one] of says.known) known.set(place, one)
    if (says.made !== null)
      (says.made.by === 'xor' ? differences : commons).set(says.made.to, says.made.other)
  }
  return known
}

/** What is known of places, in the order of the body. */
interface Knowledge {
  readonly copies: ReadonlySet<Place>
  readonly known: ReadonlyMap<number, Known>
  /** exclusive ors of the word with what does not change */
  readonly differences: ReadonlyMap<Place, Row>
  /** ands, likewise */
  readonly commons: ReadonlyMap<Place, Row>
  readonly written: ReadonlySet<Place>
  readonly constants: ReadonlyMap<Row, number>
}
interface Saying {
  readonly copies: ReadonlyArray<Place>
  readonly known: ReadonlyArray<readonly [Place, Known]>
  readonly made: { readonly by: 'xor' | 'and'; readonly to: Place; readonly other: Row } | null
}
const copied = (to: Place): Saying => ({ copies: [to], known: [], made: null })
const combined = (by: 'xor' | 'and', to: Place, other: Row): Saying => ({
  copies: [],
  known: [],
  made: { by, to, other },
})
const compared = (known: Saying['known']): Saying => ({ copies: [], known, made: null })

/** Both predicates that a comparison writes. */
const bothOf = ([p, q]: ReadonlyArray<Place | null>, says: Known): ReadonlyArray<readonly [Place, Known]> => [
  ...(p === null || p === undefined ? [] : [[p, says] as const]),
  ...(q === null || q === undefined ? [] : [[q, opposed(says)] as const]),
]

/** What a word says that is chosen by a predicate, of which one is zero and the other is not. */
const flagOf = (
  o: Extract<Operation, { readonly _tag: 'scalar' }>,
  { known, constants }: Knowledge,
  by: Place | undefined,
): Known | null => {
  const says = doingOf(o.name)._tag !== 'chooses' || by === undefined ? undefined : known.get(by)
  const [yes, no] = o.from.slice(0, 2).map((row) => constants.get(row))
  if (says === undefined || o.from.length !== 3 || yes === undefined || no === undefined) return null
  return (yes === 0) === (no === 0) ? null : yes !== 0 ? says : opposed(says)
}

/** What an operation says of the word; null: nothing. */
const saying = (o: Operation, k: Knowledge): Saying | null => {
  if (o._tag === 'move' && o.from.length === 1 && k.copies.has(o.from[0]!)) return copied(o.to[0]!)
  if (o._tag === 'scalar') {
    const comparison = comparisonOf(o.name)
    const [a, b, c] = o.from
    const flag = flagOf(o, k, c)
    if (flag !== null) return compared([[o.to[0]!, flag]])
    if (a === undefined || b === undefined) return null
    if (o.name === 'xor.b32' || o.name === 'and.b32') {
      const other = k.copies.has(a) ? b : k.copies.has(b) ? a : null
      const [to] = o.to
      return other === null || other < 0 || k.written.has(other) || to === null || to === undefined
        ? null
        : combined(o.name === 'xor.b32' ? 'xor' : 'and', to, other)
    }
    if (comparison === null) return null
    const flagged = k.known.get(a)
    if (flagged !== undefined && k.constants.get(b) === 0 && (comparison === 'ne' || comparison === 'eq'))
      return compared(bothOf(o.to, comparison === 'ne' ? flagged : opposed(flagged)))
    const made = k.differences.get(a) ?? k.commons.get(a)
    const limit = k.constants.get(b)
    const says = k.differences.has(a) ? ofSign(comparison, limit) : ofBits(comparison, limit)
    if (made !== undefined && says !== null) return compared(bothOf(o.to, { comparison: says, value: made }))
    const turned = !k.copies.has(a)
    const value = turned ? a : b
    if ((turned && !k.copies.has(b)) || k.written.has(value) || value < 0) return null
    return compared(bothOf(o.to, { comparison: turned ? swapped(comparison) : comparison, value }))
  }
  if (o._tag === 'predicate' && o.from.length === 1 && (o.op === 'mov' || o.op === 'not')) {
    const [g] = o.from
    const from = k.known.get(ofPredicate(g!.predicate))
    if (from === undefined) return null
    const same = (o.op === 'mov') !== g!.negated
    const comparison = same ? from.comparison : opposite(from.comparison)
    return compared([[ofPredicate(o.to), { comparison, value: from.value }]])
  }
  return null
}

/** Does a turn of the loop read what the one before it has written? */
const handsOn = (body: ReadonlyArray<Instruction>): boolean => {
  const written = new Set(body.flatMap(({ operation }) => usesOf(operation).writes))
  const fresh = new Set<Place>()
  for (const { operation, guard } of body) {
    const { reads, writes } = usesOf(operation)
    const all = guard === null ? reads : [...reads, ofPredicate(guard.predicate)]
    if (all.some((r) => written.has(r) && !fresh.has(r))) return true
    if (guard === null) for (const w of writes) fresh.add(w)
  }
  return false
}

/** Does it nothing but go on? */
const goesOn = (code: ReadonlyArray<Instruction>, pc: number): boolean => {
  const { operation: o, guard } = code[pc]!
  return isIdle(o) || (o._tag === 'branch' && guard === null && o.target === pc + 1)
}

/** Where an instruction leads to by jumps alone. */
const landing = (code: ReadonlyArray<Instruction>, from: number): number => {
  let pc = from
  for (let jumps = 0; jumps < 8; jumps++) {
    const next = code[pc]
    if (next?.operation._tag !== 'branch' || next.guard !== null) break
    pc = next.operation.target
  }
  return pc
}

/** A loop that waits: for what, and the branch that goes round, or leaves. */
interface Spin {
  readonly until: Until
  readonly branch: number
  readonly back: boolean
}

/** A loop around an instruction that gives a word, of which nothing else is done: what holds of the word where it is left. */
interface Round {
  readonly until: Known
  readonly branch: number
  readonly back: boolean
  /** where it is left for */
  readonly out: number
  readonly body: ReadonlyArray<Instruction>
}

/** The loop that asks for a word at an index, and does nothing but go round; null if there is none, or it does more. */
export const roundAt = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  word: Row,
  constants: ReadonlyMap<Row, number>,
): Round | null => {
  let end = pc + 1
  while (end < code.length && goesOn(code, end)) end++
  const last = code[end]
  if (last?.operation._tag !== 'branch' || last.guard === null) return null
  const next = code[end + 1]
  const back = last.operation.target <= pc
  // left by falling through, or by a branch over the one that goes back
  const start = back
    ? last.operation.target
    : next?.operation._tag === 'branch' && next.guard === null
      ? landing(code, end + 1)
      : -1
  if (start < 0 || start > pc) return null
  for (let k = start; k < pc; k++) if (!goesOn(code, k)) return null
  const body = code.slice(start, end + 1)
  if (handsOn(body)) return null
  const known = comparing(body, word, constants).get(ofPredicate(last.guard.predicate))
  if (known === undefined) return null
  // the branch is taken where its predicate holds; it is taken to go round, or to leave
  const leavesIfHolds = back === last.guard.negated
  return {
    until: leavesIfHolds ? known : opposed(known),
    branch: end,
    back,
    out: back ? end + 1 : last.operation.target,
    body,
  }
}

/** What the loop around a load waits for; null if it is none, or does more. */
const spinAt = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  constants: ReadonlyMap<Row, number>,
): Spin | null => {
  const { operation: o, guard } = code[pc]!
  if (o._tag !== 'load' || o.ordering === 'weak' || guard !== null || o.from.space === 'local') return null
  const word = o.to[0]?.[0]
  if (o.width.bytes !== 4 || o.width.count !== 1 || word === undefined) return null
  const round = roundAt(code, pc, word, constants)
  if (round === null) return null
  const { branch, back, out, body } = round
  const isHeeded = body.some(({ operation: b }) =>
    usesOf(b).writes.some((place) => readBeforeWritten(code, out, place)),
  )
  const { comparison, value } = round.until
  const until: Until = isHeeded ? { comparison, value } : { comparison, value, unheeded: true }
  return { until, branch, back }
}

/** From a load on: what it is compared by, at the branch that follows. */
interface Asking {
  readonly branch: number
  /** what holds of the word where the branch is taken */
  readonly taken: Known
}
export const opposed = ({ comparison, value }: Known): Known => ({ comparison: opposite(comparison), value })
const isPlainLoad = (one: Instruction): boolean =>
  one.operation._tag === 'load' &&
  one.operation.ordering !== 'weak' &&
  one.guard === null &&
  one.operation.from.space !== 'local' &&
  one.operation.width.bytes === 4 &&
  one.operation.width.count === 1

const jumpedTo: (code: ReadonlyArray<Instruction>) => ReadonlySet<number> = remembered(
  (code) =>
    new Set(
      code.flatMap(({ operation: o }) =>
        o._tag === 'branch' || o._tag === 'call' ? [o.target] : o._tag === 'branchIndexed' ? o.targets : [],
      ),
    ),
)
export const isJumpedTo = (code: ReadonlyArray<Instruction>, k: number): boolean => jumpedTo(code).has(k)

const askingAt = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  constants: ReadonlyMap<Row, number>,
): Asking | null => {
  const { operation: o } = code[pc]!
  const word = o._tag === 'load' && isPlainLoad(code[pc]!) ? o.to[0]?.[0] : undefined
  if (word === undefined) return null
  let end = pc + 1
  while (end < code.length && isIdle(code[end]!.operation) && !isJumpedTo(code, end)) end++
  const last = code[end]
  if (last?.operation._tag !== 'branch' || last.guard === null || isJumpedTo(code, end)) return null
  const known = comparing(code.slice(pc, end + 1), word, constants).get(ofPredicate(last.guard.predicate))
  return known === undefined ? null : { branch: end, taken: last.guard.negated ? opposed(known) : known }
}

/** A row as a copy of what it is moved from, by what stands right before. */
export const copiedAt = (code: ReadonlyArray<Instruction>, pc: number, row: Row): Row => {
  const between = new Set<Place>()
  for (let k = pc; k > 0 && !isJumpedTo(code, k); k--) {
    const { operation: o, guard } = code[k - 1]!
    if (!isIdle(o)) break
    const { writes } = usesOf(o)
    if (writes.includes(row)) {
      const from = o._tag === 'move' && guard === null ? o.from[o.to.indexOf(row)] : undefined
      return from === undefined || between.has(from) || writes.includes(from) ? row : from
    }
    for (const w of writes) between.add(w)
  }
  return row
}

/** What a poll that is written out is: its first load waits, and the rest is never come to. */
interface Poll {
  readonly until: Known
  readonly branch: number
  readonly leaves: boolean
  readonly rest: ReadonlySet<number>
}

const goesRoundIn = (code: ReadonlyArray<Instruction>, among: ReadonlySet<number>): boolean => {
  const left = new Set([...among].filter((k) => code[k]!.operation._tag !== 'load'))
  for (let fewer = true; fewer;) {
    fewer = false
    for (const k of left)
      if (!successorsOf(code[k]!, k).some((to) => left.has(to))) {
        left.delete(k)
        fewer = true
      }
  }
  return left.size > 0
}

const pollAt = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  constants: ReadonlyMap<Row, number>,
): Poll | null => {
  const first = askingAt(code, pc, constants)
  const o = code[pc]!.operation
  if (first === null || o._tag !== 'load') return null
  const last = code[first.branch]!.operation
  if (last._tag !== 'branch') return null
  for (const leaves of [true, false]) {
    const until = leaves ? first.taken : opposed(first.taken)
    const out = landing(code, leaves ? last.target : first.branch + 1)
    const found = restOf(
      code,
      pc,
      first.branch,
      leaves ? first.branch + 1 : last.target,
      out,
      until,
      constants,
    )
    if (found !== null) return { until, branch: first.branch, leaves, rest: found }
  }
  return null
}

/** Does it nothing but compute, and with no other lane? */
const staysAlone = (o: Operation): boolean =>
  ['scalar', 'move', 'part', 'pack', 'predicate', 'setPredicate', 'nothing'].includes(o._tag)

/** All that stands behind a load that says no, up to where it is left; null: it does more than ask again. */
const restOf = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  branch: number,
  from: number,
  out: number,
  until: Known,
  constants: ReadonlyMap<Row, number>,
): ReadonlySet<number> | null => {
  const rest = new Set<number>()
  const exits = new Set<number>()
  const stack = [from]
  while (stack.length > 0) {
    const k = stack.pop()!
    if (rest.has(k)) continue
    const here = code[k]
    if (here === undefined || k === pc || landing(code, k) === out || rest.size > 512) return null
    const { operation: o } = here
    if (!staysAlone(o) && o._tag !== 'branch' && !isPlainLoad(here)) return null
    rest.add(k)
    for (const to of successorsOf(here, k))
      if (landing(code, to) === out) exits.add(k)
      else stack.push(to)
  }
  const loads = [...rest].filter((k) => code[k]!.operation._tag === 'load')
  if (loads.length === 0 || exits.size === 0 || goesRoundIn(code, rest)) return null
  // what the turn of the first load writes is not what the last one would have left
  const turn = Array.from({ length: branch + 1 - pc }, (_, k) => pc + k)
  const written = new Set([...turn, ...rest].flatMap((k) => usesOf(code[k]!.operation).writes))
  if (written.has(until.value)) return null
  // the same word, asked in the same way
  const wordOf = (k: number): string | null => {
    const { operation: l } = code[k]!
    if (l._tag !== 'load') return null
    const rows = l.from.rows.map((row) => copiedAt(code, k, row))
    if (rows.some((row) => written.has(row))) return null
    return [l.from.space, rows.join('+'), l.from.offset, l.ordering, l.scope].map(String).join(' ')
  }
  const word = wordOf(pc)
  if (word === null || loads.some((k) => wordOf(k) !== word)) return null
  const leaving = new Map(
    loads.flatMap((k) => {
      const asking = askingAt(code, k, constants)
      return asking === null ? [] : [[asking.branch, asking.taken] as const]
    }),
  )
  for (const k of exits) {
    const taken = leaving.get(k)
    const { operation: o } = code[k]!
    if (taken === undefined || o._tag !== 'branch') return null
    const jumps = landing(code, o.target) === out
    if (jumps && landing(code, k + 1) === out) return null
    const known = jumps ? taken : opposed(taken)
    if (known.comparison !== until.comparison || known.value !== until.value) return null
  }
  return [...written].some((place) => readBeforeWritten(code, out, place)) ? null : rest
}

/** Indices that control may come to. */
const comeTo = (code: ReadonlyArray<Instruction>): ReadonlySet<number> => {
  const seen = new Set<number>()
  const stack = [0]
  while (stack.length > 0) {
    const k = stack.pop()!
    const one = code[k]
    if (one === undefined || seen.has(k)) continue
    seen.add(k)
    if (one.operation._tag === 'call') stack.push(one.operation.target)
    for (const to of successorsOf(one, k)) stack.push(to)
  }
  return seen
}

const waiting = ({ site, guard, operation }: Instruction, until: Until): Instruction => ({
  site,
  guard,
  operation: Object.assign({ until }, operation),
})
const idle = ({ site }: Instruction): Instruction => ({ site, guard: null, operation: { _tag: 'nothing' } })

/** The code, in which polls that are written out are one wait. */
const withPolls = (
  code: ReadonlyArray<Instruction>,
  constants: ReadonlyMap<Row, number>,
): ReadonlyArray<Instruction> => {
  const out = code.slice()
  const gone = new Set<number>()
  for (let pc = 0; pc < code.length; pc++) {
    const poll = gone.has(pc) ? null : pollAt(code, pc, constants)
    if (poll === null) continue
    const { comparison, value } = poll.until
    // nothing behind it reads what was computed there
    out[pc] = waiting(code[pc]!, { comparison, value, unheeded: true })
    const { site, operation } = code[poll.branch]!
    out[poll.branch] = poll.leaves ? { site, guard: null, operation } : idle(code[poll.branch]!)
    for (const k of poll.rest) gone.add(k)
  }
  if (gone.size === 0) return code
  const seen = comeTo(out)
  return out.map((one, k) => (gone.has(k) && !seen.has(k) ? idle(one) : one))
}

/** The code, in which the loads of such loops wait. Where a wait is unheeded it is left at once: what its turn computes is read by nothing. */
export const withSpins = (
  given: ReadonlyArray<Instruction>,
  constants: ReadonlyMap<Row, number>,
): ReadonlyArray<Instruction> => {
  const code = withPolls(given, constants)
  const out = code.slice()
  code.forEach((one, pc) => {
    if (one.operation._tag === 'load' && one.operation.until !== undefined) return
    const spin = spinAt(code, pc, constants)
    if (spin === null) return
    const { until, branch, back } = spin
    out[pc] = waiting(one, until)
    if (until.unheeded !== true || isEntered(code, pc + 1, branch)) return
    for (let k = pc + 1; k < branch; k++) out[k] = idle(code[k]!)
    const { site, operation } = code[branch]!
    out[branch] = back ? idle(code[branch]!) : { site, guard: null, operation }
  })
  return out
}

const isEntered = (code: ReadonlyArray<Instruction>, from: number, to: number): boolean =>
  Array.from({ length: to + 1 - from }, (_, k) => from + k).some((k) => isEnteredAt(code, k))
/** By a jump from anywhere but the instruction before it. */
const isEnteredAt = (code: ReadonlyArray<Instruction>, k: number): boolean =>
  code.some(
    ({ operation: o }, at) =>
      at !== k - 1 &&
      ((o._tag === 'branch' && o.target === k) || (o._tag === 'branchIndexed' && o.targets.includes(k))),
  )
