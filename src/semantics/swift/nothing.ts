/**
 * What registers hold where nothing was written: it is followed lane by lane, and byte by byte where it is moved.
 *
 *     ld.global.v2.b32 {%r1, %r2}, [x]      x is a struct of a char and an int: three bytes of %r1 hold nothing
 *     selp.b32 %r3, %r1, %r4, %p1           %r3 has them, in the lanes that choose %r1
 *     st.global.b32 [y], %r3                y has them: nothing has come of it
 *     add.s32 %r5, %r1, 1                   %r5 was computed of them: memory must not get it
 *
 * Laws
 * 1. A lane of a place without its bit in `nothing` holds something in every byte.
 * 2. What decides holds something in the lanes that do it; otherwise it is given up.
 */
import { doingOf } from '../../numerics/scalar/doing.js'
import { sourceLane } from '../warps/lanes.js'
import { ofPredicate, type Operation, type Place, type Row, type WarpProgram } from '../warps/program.js'
import { isOfLanes } from '../warps/uses.js'
import { lanesOf, type Registers } from './lanes.js'
import { ofNothing, type Local } from './memory.js'
import { swiftness, type Follows } from './program.js'

// ---------------------------------------------------------------- model

/** Bytes of a row that come of those of another, `by` places up (less than 0: down), if they are among `bytes`. */
interface Source {
  readonly row: Row
  readonly up: number
  readonly bytes: number
}

/** What a row gets of others, as it is. */
interface Move {
  readonly to: Row
  readonly from: ReadonlyArray<Source>
}

type Moving =
  | { readonly _tag: 'moves'; readonly moves: ReadonlyArray<Move> }
  /** the first of two where a predicate, a place in `nothing`, holds */
  | { readonly _tag: 'chooses'; readonly moves: ReadonlyArray<Move>; readonly by: number }
  | {
      readonly _tag: 'shuffles'
      readonly shuffle: Extract<Operation, { readonly _tag: 'shuffle' }>
      /** the predicate that says if the lane is in range, as a place in `nothing` */
      readonly inRange: number | null
    }

/** Of what an instruction reads and writes, by places in `nothing`. */
export interface Doubts {
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
  readonly decides: ReadonlyArray<number>
  readonly guard: ReadonlyArray<number>
  /** what it does with words that hold nothing, if it does no more than to move them */
  readonly moving: Moving | null
  /** lanes come together: one may give it to any other */
  readonly isTogether: boolean
}

// ---------------------------------------------------------------- instructions

const placeOf = (program: WarpProgram, place: Place): number =>
  place >= 0 ? place : program.rows - 1 - place

const as = (row: Row): Source => ({ row, up: 0, bytes: 15 })

const movingOf = (program: WarpProgram, o: Operation): Moving | null => {
  if (o._tag === 'move')
    return { _tag: 'moves', moves: o.to.map((to, k) => ({ to, from: [as(o.from[k]!)] })) }
  if (o._tag === 'part')
    return {
      _tag: 'moves',
      moves: [{ to: o.to, from: [{ row: o.from, up: -o.at / 8, bytes: o.bits === 8 ? 1 : 3 }] }],
    }
  if (o._tag === 'pack') {
    const bytes = o.bits / 8
    const ones = (1 << bytes) - 1
    const from = o.from.map((row, k): Source => ({ row, up: k * bytes, bytes: ones << (k * bytes) }))
    return { _tag: 'moves', moves: [{ to: o.to, from }] }
  }
  if (o._tag === 'shuffle')
    return {
      _tag: 'shuffles',
      shuffle: o,
      inRange: o.inRange === null ? null : placeOf(program, ofPredicate(o.inRange)),
    }
  if (o._tag !== 'scalar' || doingOf(o.name)._tag !== 'chooses') return null
  const words = o.to.length
  const by = o.from[2 * words]
  const moves = o.to.flatMap((to, k): ReadonlyArray<Move> => {
    const [one = -1, other = -1] = [o.from[k], o.from[words + k]]
    return to === null || to < 0 || one < 0 || other < 0 ? [] : [{ to, from: [as(one), as(other)] }]
  })
  return by === undefined || moves.length < words
    ? null
    : { _tag: 'chooses', moves, by: placeOf(program, by) }
}

/** By instruction; null: all that it reads holds something. */
export const doubtsOf = (program: WarpProgram, follows: Follows): ReadonlyArray<Doubts | null> =>
  swiftness(program, follows).doubts.map((d, pc) => {
    const all = (places: ReadonlyArray<Place>): ReadonlyArray<number> =>
      places.map((place) => placeOf(program, place))
    const { operation: o } = program.code[pc]!
    return d === null
      ? null
      : {
          from: all(d.from),
          to: all(d.to),
          decides: all(d.decides),
          guard: all(d.guard),
          moving: movingOf(program, o),
          isTogether: isOfLanes(o),
        }
  })

// ---------------------------------------------------------------- execution

const lacks = ({ nothing, missing }: Local, row: number, lane: number): number =>
  ((nothing[row]! >>> lane) & 1) === 0 ? 0 : missing[row * 32 + lane]!

const given = (r: Local, { row, up, bytes }: Source, lane: number): number => {
  const from = lacks(r, row, lane)
  return from === ofNothing ? ofNothing : (up < 0 ? from >> -up : from << up) & bytes
}

const give = ({ nothing, missing }: Local, row: number, lane: number, bytes: number): void => {
  nothing[row] = bytes === 0 ? nothing[row]! & ~(1 << lane) : nothing[row]! | (1 << lane)
  missing[row * 32 + lane] = bytes
}

/** All bytes that several sources lack. */
const joined = (a: number, b: number): number => (a === ofNothing || b === ofNothing ? ofNothing : a | b)

const moved = (r: Registers & Local, m: Moving, mask: number): void => {
  const { list } = lanesOf(mask)
  switch (m._tag) {
    case 'moves':
      for (const l of list) {
        const all = m.moves.map(({ from }) => from.reduce((bytes, s) => joined(bytes, given(r, s, l)), 0))
        m.moves.forEach(({ to }, k) => {
          give(r, to, l, all[k]!)
        })
      }
      return
    case 'chooses': {
      const { predicates, nothing } = r
      const rows = nothing.length - predicates.length
      for (const l of list) {
        const which = ((predicates[m.by - rows]! >>> l) & 1) === 1 ? 0 : 1
        const isOpen = ((nothing[m.by]! >>> l) & 1) === 1
        const all = m.moves.map(({ from }) => (isOpen ? ofNothing : given(r, from[which]!, l)))
        m.moves.forEach(({ to }, k) => {
          give(r, to, l, all[k]!)
        })
      }
      return
    }
    case 'shuffles': {
      const { value, to, mode, lane, clamp } = m.shuffle
      if (m.inRange !== null) r.nothing[m.inRange] = r.nothing[m.inRange]! & ~mask
      if (to === null) return
      const all = Array.from(list, (l) =>
        lacks(r, value, sourceLane(mode, l, r.words[lane * 32 + l]!, r.words[clamp * 32 + l]!).lane),
      )
      list.forEach((l, i) => {
        give(r, to, l, all[i]!)
      })
    }
  }
}

/** It is known which lane gives to which. */
const onlyMoves = ({ nothing }: Local, m: Moving, mask: number): boolean => {
  if (m._tag !== 'shuffles') return true
  const { lane, clamp, members } = m.shuffle
  return ([lane, clamp, members ?? lane].reduce((lanes, row) => lanes | nothing[row]!, 0) & mask) === 0
}

/** Whether what decides holds something; and what is written holds something, or not. `whole`: lanes that come to it; `mask`: those that do it. */
export const settled = (r: Registers & Local, d: Doubts, whole: number, mask: number): boolean => {
  const { nothing, missing } = r
  const { from, to, decides, guard, moving } = d
  for (let i = 0; i < guard.length; i++) if ((nothing[guard[i]!]! & whole) !== 0) return false
  for (let i = 0; i < decides.length; i++) if ((nothing[decides[i]!]! & mask) !== 0) return false
  if (to.length === 0) return true
  let without = 0
  for (let i = 0; i < from.length; i++) without |= nothing[from[i]!]! & mask
  if (without !== 0 && moving !== null && onlyMoves(r, moving, mask)) {
    moved(r, moving, mask)
    return true
  }
  if (d.isTogether && without !== 0) without = mask
  const rows = nothing.length - r.predicates.length
  for (let i = 0; i < to.length; i++) {
    const place = to[i]!
    nothing[place] = (nothing[place]! & ~mask) | without
    if (place < rows && without !== 0)
      for (const l of lanesOf(without).list) missing[place * 32 + l] = ofNothing
  }
  return true
}
