/**
 * Arms: a branch that chooses between computations decides no more than a `selp` does.
 *
 * A compiler writes rare cases of a function behind a branch: `log2` of an infinity, a quotient with a subnormal divisor. Both arms of such a branch come to no effect, and meet again. So what the
 * warp does does not depend on the condition, and only what the arms have computed does. Where the condition is not known, both arms are computed, and each word that one of
 * them writes is made of the condition and of what the two leave.
 *
 *     setp.lt.u32 %p, %r1, 2139095040;                 %r1 is data
 *     @%p bra L;                                       both ways
 *     fma.rn.f32 %r2, %r1, %r3, %r3;                   one arm writes %r2, the other leaves it
 *     L: st.global.b32 [%rd1], %r2;                    %r2 is data of %p, and of both
 *
 * The same is so of an instruction with a predicate that only computes: it is an arm of one instruction, and the other does nothing.
 *
 * | of a lane is asked                       | the word after the arms                                                         |
 * |------------------------------------------|---------------------------------------------------------------------------------|
 * | is it known (I1)                         | if it is known behind both, and the condition is; or both leave one word        |
 * | does it depend on data (`shadows.ts`)    | if the condition does and the arms leave different words, or one of the words does |
 * | of what is it made (`word-terms.ts`)     | of the condition and of the words of both arms; if these are one, of that word  |
 * | of which value is it (`origins.ts`)      | data of which nothing can be said, if the arms leave different words            |
 *
 * Arms with a loop, a read of memory, or anything that has to do with other lanes are no such arms, and what their branch decides is asked as before.
 *
 * Laws
 * 1. In a lane whose condition has a value, the words after the arms are those of the arm that it chooses.
 * 2. What is known after the arms is the same for either value of the condition.
 * 3. Where the arms cannot be computed so, nothing is changed.
 */
import { remembered } from '../../remembered.js'
import { isFault, type FaultValue } from '../machine/value.js'
import { absentAt, setAbsent } from './absent.js'
import { differs, overwritten } from './fellows.js'
import type { LinkedInstruction } from './launched.js'
import * as Origins from './origins.js'
import {
  ofPredicate,
  type Guard,
  type Instruction,
  type Operation,
  type Place,
  type WarpProgram,
} from './program.js'
import { holding, lanesOf, setAll, setLane, wordAt, type Rows } from './rows.js'
import * as Shadows from './shadows.js'
import { usesOf } from './uses.js'
import { lackedBy, lackingAt } from './wraps.js'

// ---------------------------------------------------------------- which arms only compute

/** Instructions that are looked at behind a branch. */
const most = 512

/** Does it make words of words of its own lane alone? */
export const isOfOneLane = (o: Operation): o is OfOneLane =>
  o._tag === 'scalar' ||
  o._tag === 'move' ||
  o._tag === 'part' ||
  o._tag === 'pack' ||
  o._tag === 'predicate' ||
  o._tag === 'setPredicate'
type OfOneLane = Extract<
  Operation,
  { readonly _tag: 'scalar' | 'move' | 'part' | 'pack' | 'predicate' | 'setPredicate' }
>

/** What the arms of a branch write; null: they do more than compute, have a loop, or do not meet. */
const armsAt = (code: ReadonlyArray<Instruction>, pc: number): ReadonlyArray<Place> | null => {
  const branch = code[pc]!.operation
  if (branch._tag !== 'branch' || branch.join === null) return null
  const { join } = branch
  const writes = new Set<Place>()
  /** of an instruction, the search has come to it and not yet left it: who comes there again is in a loop */
  const within = new Map<number, boolean>()
  const open: { readonly at: number; readonly leaves: boolean }[] = [
    { at: branch.target, leaves: false },
    { at: pc + 1, leaves: false },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, leaves } = next
    if (leaves) {
      within.set(at, false)
      continue
    }
    if (at === join || within.get(at) === false) continue
    const one = code[at]
    if (one === undefined || at === pc || within.has(at) || within.size > most) return null
    within.set(at, true)
    open.push({ at, leaves: true })
    const { operation: o, guard } = one
    if (o._tag === 'branch') {
      if (guard !== null && o.join === null) return null
      open.push({ at: o.target, leaves: false })
      if (guard !== null) open.push({ at: at + 1, leaves: false })
      continue
    }
    if (!isOfOneLane(o) && o._tag !== 'nothing') return null
    for (const place of usesOf(o).writes) writes.add(place)
    open.push({ at: at + 1, leaves: false })
  }
  return [...writes]
}

const arms: (p: WarpProgram) => Map<number, ReadonlyArray<Place> | null> = remembered(() => new Map())

/** Places that the arms of the branch at an index write; null: they do more than compute. */
export const writtenByArms = (p: WarpProgram, pc: number): ReadonlyArray<Place> | null => {
  const known = arms(p)
  const found = known.get(pc)
  if (found !== undefined) return found
  const made = armsAt(p.code, pc)
  known.set(pc, made)
  return made
}

/** Lanes in which a predicate is not known, or is so for some data only. */
export const openIn = (r: Rows, predicate: number, mask: number): number =>
  (r.unknownPredicates[predicate]! |
    (r.shadow === null ? 0 : r.shadow.predicates[predicate]!) |
    Origins.ofDataIn(r, predicate, mask)) &
  mask

// ---------------------------------------------------------------- what places hold

/** What a lane holds in a place, and all that is said of it. */
interface Held {
  readonly word: number
  readonly isUnknown: boolean
  readonly isAbsent: boolean
  readonly mark: number
  readonly made: Origins.Made
  readonly lacking: bigint
}

const heldAt = (r: Rows, place: Place, lane: number): Held => {
  const bit = 1 << lane
  const isRow = place >= 0
  return {
    word: isRow ? wordAt(r, place, lane) : (r.predicates[-1 - place]! >>> lane) & 1,
    isUnknown: ((isRow ? r.unknown[place]! : r.unknownPredicates[-1 - place]!) & bit) !== 0,
    isAbsent: r.absent.size > 0 && (absentAt(r, place) & bit) !== 0,
    mark: r.shadow === null ? 0 : Shadows.markIn(r.shadow, place, lane),
    made: Origins.madeAt(r, place, lane),
    lacking: isRow ? lackedBy(r, place, lane) : 0n,
  }
}

const hold = (r: Rows, place: Place, lane: number, h: Held): void => {
  const bit = 1 << lane
  if (place >= 0) {
    if (r.uniform[place] === 0 || wordAt(r, place, lane) !== h.word) {
      const unknown = r.unknown[place]!
      setLane(r, place, lane, h.word)
      r.unknown[place] = unknown
    }
    r.unknown[place] = h.isUnknown ? r.unknown[place]! | bit : r.unknown[place]! & ~bit
    if (r.wraps !== null) lackingAt(r.wraps, place, lane, h.lacking)
  } else {
    const p = -1 - place
    r.predicates[p] = h.word !== 0 ? r.predicates[p]! | bit : r.predicates[p]! & ~bit
    r.unknownPredicates[p] = h.isUnknown ? r.unknownPredicates[p]! | bit : r.unknownPredicates[p]! & ~bit
  }
  if (h.isAbsent || r.absent.size > 0) setAbsent(r, place, bit, h.isAbsent ? bit : 0)
  if (r.shadow !== null) Shadows.markAs(r.shadow, place, lane, h.mark)
  Origins.makeAs(r, place, lane, h.made)
}

type Kept = ReadonlyArray<ReadonlyArray<Held>>

const kept = (r: Rows, places: ReadonlyArray<Place>, mask: number): Kept => {
  const lanes = lanesOf(mask)
  return places.map((place) => lanes.map((lane) => heldAt(r, place, lane)))
}

const putBack = (r: Rows, places: ReadonlyArray<Place>, mask: number, k: Kept): void => {
  const lanes = lanesOf(mask)
  places.forEach((place, i) => {
    // what all lanes held was one word, and is kept as one
    const all = k[i]!
    if (place >= 0 && mask === -1 && all.every(({ word }) => word === all[0]!.word))
      setAll(r, place, all[0]!.word)
    lanes.forEach((lane, l) => {
      hold(r, place, lane, all[l]!)
    })
  })
}

/** One word of two, by a condition that is not known. */
const either = (
  r: Rows,
  condition: Held,
  by: { readonly holds: boolean; readonly negated: boolean },
  yes: Held,
  no: Held,
): Held => {
  const { holds } = by
  const chosen = holds ? yes : no
  const isOne =
    yes.word === no.word &&
    !yes.isUnknown &&
    !no.isUnknown &&
    yes.mark === 0 &&
    no.mark === 0 &&
    Origins.areOne(yes.made, no.made)
  if (isOne) return chosen
  return {
    word: chosen.word,
    isUnknown: condition.isUnknown || yes.isUnknown || no.isUnknown,
    isAbsent: condition.isAbsent || yes.isAbsent || no.isAbsent,
    mark: Shadows.chosenMark(condition.mark, holds, yes.mark, no.mark),
    made: by.negated
      ? Origins.chosen(r, condition.made, no, yes)
      : Origins.chosen(r, condition.made, yes, no),
    lacking: yes.lacking === no.lacking ? yes.lacking : 0n,
  }
}

// ---------------------------------------------------------------- computing them

/** What does one instruction in some lanes; its fault, if it is one. */
export type Act = (code: LinkedInstruction, mask: number) => FaultValue | null

export interface Computing {
  readonly rows: Rows
  readonly program: WarpProgram
  readonly code: ReadonlyArray<LinkedInstruction>
  readonly act: Act
}

/** Have all fellows the same to compute with? */
const isSame = ({ rows }: Computing, places: ReadonlyArray<Place>): boolean =>
  rows.fellows === null || !differs(rows.fellows, places)

/** One of two things is done, and which is not known. False: what they leave is not known either. */
const both = (
  c: Computing,
  places: ReadonlyArray<Place>,
  by: Guard,
  mask: number,
  yes: () => boolean,
  no: () => boolean,
): boolean => {
  const { rows: r } = c
  const place = ofPredicate(by.predicate)
  if (!isSame(c, [place, ...places])) return false
  const conditions = lanesOf(mask).map((lane) => heldAt(r, place, lane))
  const holds = holding(r, by.predicate, by.negated, mask)
  const before = kept(r, places, mask)
  if (!yes()) return false
  const after = kept(r, places, mask)
  putBack(r, places, mask, before)
  if (!no()) return false
  const otherwise = kept(r, places, mask)
  const lanes = lanesOf(mask)
  putBack(
    r,
    places,
    mask,
    places.map((_, i) =>
      lanes.map((lane, l) =>
        either(
          r,
          conditions[l]!,
          { holds: (holds & (1 << lane)) !== 0, negated: by.negated },
          after[i]![l]!,
          otherwise[i]![l]!,
        ),
      ),
    ),
  )
  if (r.fellows !== null) for (const p of places) overwritten(r, r.fellows, p, mask)
  return true
}

/** These lanes come from one index to another. */
const alongArm = (c: Computing, from: number, join: number, mask: number): boolean => {
  let pc = from
  while (pc !== join) {
    const code = c.code[pc]!
    const { operation: o, guard } = code.instruction
    if (o._tag === 'branch') {
      if (guard === null) {
        pc = o.target
        continue
      }
      if (!branched(c, pc, guard, o.target, o.join!, mask)) return false
      pc = o.join!
      continue
    }
    if (!did(c, code, mask)) return false
    pc++
  }
  return true
}

/** These lanes do one instruction, those of them for which its predicate holds. */
const did = (c: Computing, code: LinkedInstruction, mask: number): boolean => {
  const { guard, operation } = code.instruction
  if (!isSame(c, usesOf(operation).reads)) return false
  const act = (lanes: number): boolean => lanes === 0 || !isFault(c.act(code, lanes))
  if (guard === null) return act(mask)
  const open = openIn(c.rows, guard.predicate, mask)
  if (!act(holding(c.rows, guard.predicate, guard.negated, mask & ~open))) return false
  return (
    open === 0 ||
    both(
      c,
      usesOf(operation).writes,
      guard,
      open,
      () => act(open),
      () => true,
    )
  )
}

const branched = (
  c: Computing,
  pc: number,
  guard: Guard,
  target: number,
  join: number,
  mask: number,
): boolean => {
  const open = openIn(c.rows, guard.predicate, mask)
  const taken = holding(c.rows, guard.predicate, guard.negated, mask & ~open)
  const others = mask & ~open & ~taken
  if (taken !== 0 && !alongArm(c, target, join, taken)) return false
  if (others !== 0 && !alongArm(c, pc + 1, join, others)) return false
  if (open === 0) return true
  const places = writtenByArms(c.program, pc)
  return (
    places !== null &&
    both(
      c,
      places,
      guard,
      open,
      () => alongArm(c, target, join, open),
      () => alongArm(c, pc + 1, join, open),
    )
  )
}

/** What is done is done whole, or not at all. */
const wholly = (
  { rows }: Computing,
  places: ReadonlyArray<Place>,
  mask: number,
  done: () => boolean,
): boolean => {
  const before = kept(rows, places, mask)
  const isDone = done()
  if (!isDone) putBack(rows, places, mask, before)
  return isDone
}

/** The lanes of `mask`, in which the condition of a branch is not known, come to its join. False: its arms do more than compute. */
export const compute = (c: Computing, pc: number, guard: Guard, mask: number): boolean => {
  const places = writtenByArms(c.program, pc)
  const o = c.program.code[pc]!.operation
  if (places === null || o._tag !== 'branch' || o.join === null) return false
  const { target, join } = o
  return wholly(c, places, mask, () =>
    both(
      c,
      places,
      guard,
      mask,
      () => alongArm(c, target, join, mask),
      () => alongArm(c, pc + 1, join, mask),
    ),
  )
}

/** The lanes of `mask`, in which the predicate of an instruction is not known, are behind it. False: it does more than compute. */
export const computeOne = (c: Computing, code: LinkedInstruction, guard: Guard, mask: number): boolean => {
  const { operation } = code.instruction
  const { writes, reads } = usesOf(operation)
  if (!isOfOneLane(operation) || !isSame(c, reads)) return false
  return wholly(c, writes, mask, () =>
    both(
      c,
      writes,
      guard,
      mask,
      () => !isFault(c.act(code, mask)),
      () => true,
    ),
  )
}
