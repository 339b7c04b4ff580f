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
 * Laws
 * 1. A loop that becomes a wait leaves every register as its last turn does.
 */
import { opposite } from '../log/comparison.js'
import type { Comparison } from '../log/events.js'
import { ofPredicate, type Instruction, type Operation, type Place, type Row } from './program.js'
import { usesOf } from './uses.js'

const isIdle = (o: Operation): boolean =>
  usesOf(o).computes || o._tag === 'nothing' || o._tag === 'turn' || o._tag === 'setPredicate'

/** `lt` of unsigned words is `lo`. */
const comparisonOf = (name: string): Comparison | null => {
  const [, cmp, type] = /^setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)\.([bsu])32$/u.exec(name) ?? []
  switch (cmp) {
    case 'eq':
    case 'ne':
    case 'lo':
    case 'ls':
    case 'hi':
    case 'hs':
      return cmp
    case 'lt':
      return type === 's' ? 'lt' : 'lo'
    case 'le':
      return type === 's' ? 'le' : 'ls'
    case 'gt':
      return type === 's' ? 'gt' : 'hi'
    case 'ge':
      return type === 's' ? 'ge' : 'hs'
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
    default:
      return c
  }
}

/** What holds of the word where a predicate does. */
interface Known {
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

/** Of predicates of the loop that compare the word, or are made of such a one. */
const comparing = (
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
    if (guard !== null) continue
    if (o._tag === 'move' && o.from.length === 1 && copies.has(o.from[0]!)) copies.add(o.to[0]!)
    if (o._tag === 'scalar') {
      const comparison = comparisonOf(o.name)
      const [a, b] = o.from
      if ((o.name === 'xor.b32' || o.name === 'and.b32') && a !== undefined && b !== undefined) {
        const other = copies.has(a) ? b : copies.has(b) ? a : null
        const [to] = o.to
        if (other !== null && other >= 0 && !written.has(other) && to !== null && to !== undefined)
          (o.name === 'xor.b32' ? differences : commons).set(to, other)
        continue
      }
      const [p, q] = o.to
      if (comparison === null || a === undefined || b === undefined) continue
      const made = differences.get(a) ?? commons.get(a)
      const limit = constants.get(b)
      const says = differences.has(a) ? ofSign(comparison, limit) : ofBits(comparison, limit)
      if (made !== undefined && says !== null) {
        if (p !== null && p !== undefined) known.set(p, { comparison: says, value: made })
        if (q !== null && q !== undefined) known.set(q, { comparison: opposite(says), value: made })
        continue
      }
      const turned = !copies.has(a)
      const value = turned ? a : b
      if ((turned && !copies.has(b)) || written.has(value) || value < 0) continue
      const holds = turned ? swapped(comparison) : comparison
      if (p !== null && p !== undefined) known.set(p, { comparison: holds, value })
      if (q !== null && q !== undefined) known.set(q, { comparison: opposite(holds), value })
    }
    if (o._tag === 'predicate' && o.from.length === 1 && (o.op === 'mov' || o.op === 'not')) {
      const [g] = o.from
      const from = known.get(ofPredicate(g!.predicate))
      if (from === undefined) continue
      const same = (o.op === 'mov') !== g!.negated
      known.set(ofPredicate(o.to), {
        comparison: same ? from.comparison : opposite(from.comparison),
        value: from.value,
      })
    }
  }
  return known
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

/** What the loop around a load waits for; null if it is none, or does more. */
const spinAt = (
  code: ReadonlyArray<Instruction>,
  pc: number,
  constants: ReadonlyMap<Row, number>,
): Known | null => {
  const { operation: o, guard } = code[pc]!
  if (o._tag !== 'load' || o.ordering === 'weak' || guard !== null || o.from.space === 'local') return null
  const word = o.to[0]?.[0]
  if (o.width.bytes !== 4 || o.width.count !== 1 || word === undefined) return null
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
  return { comparison: leavesIfHolds ? known.comparison : opposite(known.comparison), value: known.value }
}

/** The code, in which the loads of such loops wait. */
export const withSpins = (
  code: ReadonlyArray<Instruction>,
  constants: ReadonlyMap<Row, number>,
): ReadonlyArray<Instruction> =>
  code.map((one, pc) => {
    const until = spinAt(code, pc, constants)
    return until === null
      ? one
      : { site: one.site, guard: one.guard, operation: Object.assign({ until }, one.operation) }
  })
