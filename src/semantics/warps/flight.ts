/**
 * Registers in flight: rows of a warp that an asynchronous instruction reads or writes behind its back.
 *
 * Such an instruction names registers and goes on; when its operation reads or writes them is not the warp's to say, until a wait covers it. So these
 * registers are memory as well: a plane of the warp in space `regs`, in which every row that some asynchronous instruction of the program names has a
 * place of 32 words. Operations read and write the plane. The warp computes with its rows, and a word goes from the one to the other when it must:
 *
 * | state of a row | its word is         | the warp reads it    | the warp writes it            | an operation is issued that names it     |
 * |----------------|---------------------|----------------------|-------------------------------|------------------------------------------|
 * | 0              | in both             |                      | becomes 1                     |                                          |
 * | 1              | in the row alone    |                      |                               | first a store into the plane             |
 * | 2              | in the plane alone  | first a load: 0      | first a load: 0, then 1       |                                          |
 * | 3              | in both, held       |                      | first a store: 0, then 1      |                                          |
 *
 * The load and the store are accesses of the agent like any other. Whether a register is touched too early is therefore the ordinary race check: a read or
 * a write of an accumulator before the wait (M1), a write of A before it (W3), a write that no `wgmma.fence` follows before the product (P1). An access of a
 * row that is at rest costs nothing and is in no log.
 *
 *     mov.f32 %f1, 0f00000000     %f1 is 1
 *     wgmma.fence                 a store of %f1, said to be at the mov; %f1 is 0
 *     wgmma.mma_async {%f1, ...}  %f1 is 2
 *     wgmma.commit; wait 0        the wait knows the product to be done
 *     st.global [%rd1], %f1       a load of the whole accumulator; then the store finds %f1 in the row
 *
 * To add an asynchronous instruction that has registers: its line in `usesOf` (`uses.ts`), which says what it takes (its operation reads the plane later), updates
 * (reads and writes it) and brings (only writes it). Before it is done by a warp, what it takes and updates is in the plane. In its effect, its `Prepared`
 * names elements of the plane (`wordsAt`, or elements at `placeOf` of a row), then `bring` says that registers come with the operation, and `hold` that
 * they are read until a group is waited for. A wait calls `release`. Loads need no more: a row that was brought is loaded when it is touched.
 *
 * Laws
 * 1. what a warp computes is what it would compute if every operation read and wrote its rows at the moment at which it performs, given that no register
 *    is touched between an issue and the wait that covers it.
 * 2. an access of a register between the two is in the log before the event of that wait.
 *
 * Source: PTX ISA, wgmma.mma_async, wgmma.fence, tcgen05.ld: registers of asynchronous instructions.
 */
import { remembered } from '../../remembered.js'
import * as Footprint from '../machine/footprint.js'
import type { Elements } from '../machine/elements.js'
import * as V from '../machine/value.js'
import { nothing, part, type Part, type Row, type Rows, type RowsInFlight } from '../machine/warp-stand.js'
import type { World } from '../machine/world.js'
import type { Flight, Touch } from './launched.js'
import type { Here } from './memory.js'
import type { WarpProgram } from './program.js'
import { originOfRows } from './origins.js'
import { wordAt } from './rows.js'
import { carrierAt } from './shadows.js'
import { usesOf } from './uses.js'

export type { Flight }

// ---------------------------------------------------------------- programs

interface Found {
  readonly flight: Flight | null
}

const found = remembered((p: WarpProgram): Found => {
  const rows = [
    ...new Set(
      p.code.flatMap(({ operation }) => {
        const named = usesOf(operation).flight
        return named === null ? [] : [...named.takes, ...named.updates, ...named.brings]
      }),
    ),
  ]
  if (rows.length === 0) return { flight: null }
  const places = new Int32Array(p.rows).fill(-1)
  rows.forEach((row, place) => {
    places[row] = place
  })
  const placesOf = (those: ReadonlyArray<number>): ReadonlyArray<number> => [
    ...new Set(those.flatMap((row) => (row >= 0 && places[row]! >= 0 ? [places[row]!] : []))),
  ]
  const all = rows.map((_, place) => place)
  const touches = p.code.map(({ operation: o }): Touch | null => {
    if (o._tag === 'wgmmaFence') return { uses: [], writes: [], settles: all }
    const { reads, writes, flight } = usesOf(o)
    if (flight !== null)
      return { uses: [], writes: [], settles: placesOf([...flight.takes, ...flight.updates]) }
    const [used, written] = [placesOf(reads), placesOf(writes)]
    return used.length === 0 && written.length === 0
      ? null
      : { uses: [...new Set([...used, ...written])], writes: written, settles: [] }
  })
  return { flight: { rows, places, touches } }
})

/** Null: no instruction of the program is asynchronous and has registers. */
export const flightOf = (p: WarpProgram): Flight | null => found(p).flight

const bytesOfPlace = 128

/** Bytes of the plane of one warp. */
export const planeBytes = (f: Flight): number => bytesOfPlace * f.rows.length

/** Where the words of a row begin in the plane: that of lane l is 4 l bytes on. */
export const placeOf = (f: Flight, row: Row): number => bytesOfPlace * f.places[row]!

/** The plane of the warp. They follow the shared memory of its CTA, in the order of the warps. */
export const planeOf = (h: Here): number => h.shared + 1 + (h.at.agent % h.world.agentsPerCta)

/** Rows that the program is given are as if written before it. */
export const nothingInFlight = (p: WarpProgram, f: Flight): RowsInFlight => {
  const state = new Uint8Array(f.rows.length)
  const since = new Int32Array(f.rows.length).fill(-1)
  for (const { row } of [...p.constants, ...p.givens]) if (f.places[row]! >= 0) state[f.places[row]!] = 1
  return { state, since, columns: new Int32Array(f.rows.length), closed: new Int32Array(1) }
}

// ---------------------------------------------------------------- between rows and plane

/** Words of places of the plane, place by place. */
const wholeWordsAt = (world: World, plane: number, places: ReadonlyArray<number>): Elements =>
  Footprint.ofStarts(
    world.footprints,
    plane,
    'i32',
    places.map((place) => bytesOfPlace * place),
    4,
    32,
  )

/** The same of those lanes that `lanes` says. */
const wordsAt = (
  world: World,
  plane: number,
  places: ReadonlyArray<number>,
  lanes: (place: number) => number,
): Elements => {
  const addresses = new Int32Array(32 * places.length)
  for (let i = 0; i < places.length; i++) {
    const mask = lanes(places[i]!)
    for (let l = 0; l < 32; l++)
      addresses[32 * i + l] = (mask & (1 << l)) === 0 ? -1 : bytesOfPlace * places[i]! + 4 * l
  }
  return Footprint.ofAddresses(world.footprints, plane, 'i32', [places.length, 32], addresses)
}

const storing = (h: Here, f: Flight, places: ReadonlyArray<number>): Part => {
  const data = new Float64Array(32 * places.length)
  let known = true
  places.forEach((place, i) => {
    const row = f.rows[place]!
    if (h.rows.unknown[row] !== 0) known = false
    for (let l = 0; l < 32; l++) data[32 * i + l] = carrierAt(h.rows, row, l, wordAt(h.rows, row, l))
  })
  const destination = known
    ? wholeWordsAt(h.world, planeOf(h), places)
    : wordsAt(h.world, planeOf(h), places, (place) => ~h.rows.unknown[f.rows[place]!]!)
  const origin = originOfRows(
    h.rows,
    places.map((place) => f.rows[place]!),
    'known',
    V.otherOrigin,
  )
  return part({ _tag: 'store', destination, data, origin }, nothing)
}

const loading = (h: Here, f: Flight, places: ReadonlyArray<number>): Part =>
  part(
    {
      _tag: 'load',
      source: wholeWordsAt(h.world, planeOf(h), places),
      mask: null,
      other: null,
      outside: 'zero',
    },
    { _tag: 'rows', to: places.map((place) => f.rows[place]!) },
  )

/** An access that comes before an instruction, and the instruction at which it is said to be. */
export interface Before {
  readonly part: Part
  readonly at: number
}

/** The places that are in this state; null: none. */
const those = (
  places: ReadonlyArray<number>,
  state: Uint8Array,
  is: number,
): ReadonlyArray<number> | null => {
  for (let i = 0; i < places.length; i++)
    if (state[places[i]!] === is) return places.filter((place) => state[place] === is)
  return null
}

/**
 * What must be done before instruction `pc`, one access at a time; null: nothing more. Then what the instruction writes is taken to be written.
 */
export const before = (h: Here, f: Flight, pc: number): Before | null => {
  const touch = f.touches[pc]
  const r = h.rows.flight
  if (touch === null || touch === undefined || r === null) return null
  const { state, since } = r
  const newer = those(touch.settles, state, 1)
  if (newer !== null) {
    const at = newer.reduce((last, place) => Math.max(last, since[place]!), -1)
    for (const place of newer) state[place] = 0
    const there = newer.filter((place) => h.rows.unknown[f.rows[place]!] !== -1)
    if (there.length > 0) return { part: storing(h, f, there), at: at < 0 ? pc : at }
  }
  const { uses, writes } = touch
  for (let i = 0; i < uses.length; i++) {
    const touched = uses[i]!
    if (state[touched] !== 2) continue
    const came = since[touched]!
    const together: number[] = []
    for (let place = 0; place < state.length; place++)
      if (state[place] === 2 && since[place] === came) {
        together.push(place)
        state[place] = 0
      }
    return { part: loading(h, f, together), at: pc }
  }
  const held = those(writes, state, 3)
  if (held !== null) {
    for (const place of held) state[place] = 0
    return { part: storing(h, f, held), at: pc }
  }
  for (let i = 0; i < writes.length; i++) {
    state[writes[i]!] = 1
    since[writes[i]!] = pc
  }
  return null
}

// ---------------------------------------------------------------- what an asynchronous instruction says

const inFlight = (h: Here, f: (flight: Flight, r: RowsInFlight) => void): void => {
  const { flight } = h.launch
  if (flight !== null && h.rows.flight !== null) f(flight, h.rows.flight)
}

/** These come with an operation that is issued now. */
export const bring = (h: Here, rows: ReadonlyArray<Row>): void => {
  inFlight(h, (f, r) => {
    const came = f.places[rows[0]!]!
    for (const row of rows) {
      const place = f.places[row]!
      r.state[place] = 2
      r.since[place] = came
    }
  })
}

/** These are read by an operation that is issued now, and belongs to the open group. */
export const hold = (h: Here, rows: ReadonlyArray<Row>): void => {
  inFlight(h, (f, r) => {
    for (const row of rows) {
      const place = f.places[row]!
      if (r.state[place] === 2) continue
      r.state[place] = 3
      r.since[place] = r.closed[0]! + 1
    }
  })
}

/** The open group is closed. */
export const close = (rows: Rows): void => {
  if (rows.flight !== null) rows.flight.closed[0]! += 1
}

/** All but the `pending` newest groups are done. */
export const release = (rows: Rows, pending: number): void => {
  const r = rows.flight
  if (r === null) return
  const done = r.closed[0]! - pending
  for (let place = 0; place < r.state.length; place++)
    if (r.state[place] === 3 && r.since[place]! <= done) r.state[place] = 0
}

/** A fence: products of another shape may follow. */
export const fence = (rows: Rows): void => {
  rows.flight?.columns.fill(0)
}

/** The columns of a product since the last fence that has one of these registers in another place or shape; 0: none. */
export const shapedBy = (h: Here, rows: ReadonlyArray<Row>, columns: number): number => {
  let other = 0
  inFlight(h, (f, r) => {
    for (const row of rows) {
      const place = f.places[row]!
      const before = r.columns[place]!
      if (before !== 0 && before !== columns) other = before
      r.columns[place] = columns
    }
  })
  return other
}
