/**
 * Which programs of warps can be executed swiftly, and what each of their instructions does.
 *
 * | can                                                                                             | cannot                                             |
 * |--------------------------------------------------------------------------------------------------|----------------------------------------------------|
 * | words, predicates, branches, calls, lanes of a warp, loads, stores, atomics, barriers of the CTA, `cp.async` | what is asynchronous but copies to shared memory, matrices, tensors, mbarriers, clusters |
 *
 * A place that every way from the entry has written holds something. The others are followed, lane by lane, where they may hold nothing (`Doubt`).
 *
 * Law 1. A place without a doubt is written on every way before it is read.
 */
import { remembered } from '../../remembered.js'
import {
  ofPredicate,
  type Address,
  type Instruction,
  type Operation,
  type Place,
  type WarpProgram,
} from '../warps/program.js'
import { usesOf } from '../warps/uses.js'
import { clocksIn } from './clocks.js'

// ---------------------------------------------------------------- operations

const plain = [
  'scalar',
  'move',
  'part',
  'pack',
  'predicate',
  'setPredicate',
  'branch',
  'branchIndexed',
  'call',
  'return',
  'exit',
  'trap',
  'turn',
  'nothing',
  'print',
  'shuffle',
  'vote',
  'match',
  'reduce',
  'elect',
  'activeLanes',
  'meetLanes',
  'load',
  'store',
  'atomic',
  'bar',
  'barReduce',
  'fence',
  'gridDependency',
  'copyAsync',
  'commitAsync',
  'waitAsync',
] as const

/** An operation that can be executed swiftly. */
export type Plain = Extract<Operation, { readonly _tag: (typeof plain)[number] }>

const tags: ReadonlySet<string> = new Set(plain)
export const isPlain = (o: Operation): o is Plain =>
  tags.has(o._tag) && (o._tag !== 'fence' || o.kind === 'memory')

// ---------------------------------------------------------------- what is written before it is read

/** Memory that may hold what nothing has written: a thread's own, or all. Where memory is not followed, such a byte must not be read. */
export type Follows = 'local' | 'all'

const isFollowed = ({ space }: Address, follows: Follows): boolean => follows === 'all' || space === 'local'

/** Instructions that may come next. */
const nextOf = (p: WarpProgram, pc: number): ReadonlyArray<number> => {
  const { operation: o, guard } = p.code[pc]!
  // a function writes registers of its own, and those of who calls it stay as they are
  if (o._tag === 'call') return [pc + 1, o.target]
  const behind = guard === null ? [] : [pc + 1]
  if (o._tag === 'branch') return [...behind, o.target]
  if (o._tag === 'branchIndexed') return [...behind, ...o.targets]
  return o._tag === 'return' || o._tag === 'exit' || o._tag === 'trap' ? behind : [pc + 1]
}

/** Places as bits: rows, and behind them predicates. */
const bitOf = (p: WarpProgram, place: Place): number => (place >= 0 ? place : p.rows - 1 - place)

const has = (s: Uint8Array, p: WarpProgram, place: Place): boolean => s[bitOf(p, place)] === 1

/** What is surely written behind an instruction, of what is before it. What is computed of something that may hold nothing may hold nothing, and so may what memory holds that is followed. */
const after = (
  p: WarpProgram,
  { operation: o, guard }: Instruction,
  before: Uint8Array,
  follows: Follows,
): Uint8Array => {
  const { reads, writes, computes } = usesOf(o)
  if (writes.length === 0) return before
  const isKnown =
    !(o._tag === 'load' && isFollowed(o.from, follows)) &&
    (!computes || reads.every((place) => has(before, p, place)))
  const out = before.slice()
  for (const place of writes) {
    if (isKnown) {
      if (guard === null) out[bitOf(p, place)] = 1
    } else out[bitOf(p, place)] = 0
  }
  return out
}

/** Of every instruction that can be come to, the places that every way has written; the others are null. */
const writtenBefore = (p: WarpProgram, follows: Follows): ReadonlyArray<Uint8Array | null> => {
  const entry = new Uint8Array(p.rows + p.predicates)
  for (const { row } of p.constants) entry[row] = 1
  for (const { row, given } of p.givens) if (given._tag !== 'unspecified') entry[row] = 1
  for (const row of clocksIn(p).keys()) entry[row] = 1
  const at: (Uint8Array | null)[] = p.code.map(() => null)
  const todo: number[] = []
  const come = (pc: number, s: Uint8Array): void => {
    if (pc >= p.code.length) return
    const known = at[pc] ?? null
    if (known === null) {
      at[pc] = s
      todo.push(pc)
      return
    }
    const both = known.map((one, i) => one & s[i]!)
    if (both.every((one, i) => one === known[i])) return
    at[pc] = both
    todo.push(pc)
  }
  come(0, entry)
  for (let pc = todo.pop(); pc !== undefined; pc = todo.pop()) {
    const behind = after(p, p.code[pc]!, at[pc]!, follows)
    for (const next of nextOf(p, pc)) come(next, behind)
  }
  return at
}

/** What an instruction has to do with places that may hold nothing. */
export interface Doubt {
  /** what it writes holds nothing where one of these does */
  readonly from: ReadonlyArray<Place>
  readonly to: ReadonlyArray<Place>
  /** these decide something, or memory is given them, in the lanes that do it: they must hold something */
  readonly decides: ReadonlyArray<Place>
  /** this decides who does it */
  readonly guard: ReadonlyArray<Place>
}

export interface Swiftness {
  /** what it has that is not executed swiftly; null: nothing */
  readonly hindered: string | null
  /** by instruction; null: all that it reads is surely written, and what it writes is certain */
  readonly doubts: ReadonlyArray<Doubt | null>
}

const guardOf = ({ guard }: Instruction): ReadonlyArray<Place> =>
  guard === null ? [] : [ofPredicate(guard.predicate)]

const swiftnessOf = (p: WarpProgram, follows: Follows): Swiftness => {
  const other = p.code.find(({ operation }) => !isPlain(operation))
  const hindered = p.reserved === true || p.cluster !== null ? 'cluster' : (other?.operation._tag ?? null)
  if (hindered !== null) return { hindered, doubts: [] }
  const before = writtenBefore(p, follows)
  const doubtful = new Set(
    p.code.flatMap((one, pc) => {
      const there = before[pc] ?? null
      return there === null
        ? []
        : [...guardOf(one), ...usesOf(one.operation).reads].filter((place) => !has(there, p, place))
    }),
  )
  const isDoubtful = (place: Place): boolean => doubtful.has(place)
  return {
    hindered,
    doubts: p.code.map((one): Doubt | null => {
      const { operation: o } = one
      const { reads, writes, computes, kept } = usesOf(o)
      // what is stored is followed there
      const goesOn = o._tag === 'store' && isFollowed(o.into, follows)
      const decides = computes ? [] : reads.filter((place) => !goesOn || !kept.includes(place))
      const doubt = {
        from: computes ? reads.filter(isDoubtful) : [],
        to: writes.filter(isDoubtful),
        decides: decides.filter(isDoubtful),
        guard: guardOf(one).filter(isDoubtful),
      }
      return doubt.to.length + doubt.decides.length + doubt.guard.length === 0 ? null : doubt
    }),
  }
}

const inRegisters = remembered((p: WarpProgram): Swiftness => swiftnessOf(p, 'local'))
const inMemory = remembered((p: WarpProgram): Swiftness => swiftnessOf(p, 'all'))

/** Can it be executed swiftly, and what is to be watched then? */
export const swiftness = (p: WarpProgram, follows: Follows): Swiftness =>
  follows === 'all' ? inMemory(p) : inRegisters(p)

export const isSwift = (p: WarpProgram): boolean => swiftness(p, 'local').hindered === null
