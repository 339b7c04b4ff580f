/**
 * Shifts: an access at other addresses that is the same access, so many bytes further on.
 *
 * Lanes that load or store do it where their addresses say, and at nothing else do they look. So where all of them are the same number of bytes further on, in the same
 * memory and aligned alike, what they do is what was done before, moved; it need not be made again. Of the tiles of a matrix product each stores its elements so.
 *
 *     st.global.v2.f32 [%rd1], ..      lanes at 0, 8, 16, 24, ..
 *     in another cluster               lanes at 512, 520, 528, 536, ..: the same, 512 bytes further on
 *
 * Law 1. Where `shiftOf` is a number, the effects of the operation with these addresses are its effects with those before, moved by that number.
 */
import { greatest, least } from '../../greatest.js'
import type { Prepared } from '../machine/operation.js'
import type { Part } from '../machine/warp-stand.js'
import { pieceAt, pieceBytes, regionAt } from './launched.js'
import type { Here } from './memory.js'
import type { Address, Operation } from './program.js'
import { lanesOf, wordAt, type Rows } from './rows.js'

/** Bytes that each lane reaches in global memory, at the one address that decides nothing else. */
interface Reach {
  readonly address: Address
  readonly bytes: number
}

/** What an operation reaches by one address, and has done as one weak access; null: not so. */
const reachOf = (o: Operation, done: ReadonlyArray<Part>): Reach | null => {
  const [one, ...more] = done
  if (one === undefined || more.length > 0 || isStrong(one.prepared)) return null
  if (o._tag === 'copyAsync') return { address: o.from, bytes: o.bytes }
  if (o._tag === 'store') return { address: o.into, bytes: o.width.bytes * o.width.count }
  return o._tag === 'load' && o.until === undefined
    ? { address: o.from, bytes: o.width.bytes * o.width.count }
    : null
}

const isStrong = (p: Prepared): boolean => (p._tag === 'load' || p._tag === 'store') && p.strong !== undefined

/** Where the lanes of a mask are, before any of them is moved. */
export interface Shifts {
  readonly address: Address
  readonly lanes: ReadonlyArray<number>
  readonly lows: Float64Array
  /** the one upper word */
  readonly high: number
  /** how far they may be moved down and up, and by multiples of what */
  readonly back: number
  readonly forth: number
  readonly step: number
}

/** Where the lanes are by an operation that has done this; null: it is not known that it can be moved as one. */
export const shifts = (
  { launch, rows }: Here,
  o: Operation,
  mask: number,
  done: ReadonlyArray<Part>,
): Shifts | null => {
  const reach = reachOf(o, done)
  if (reach === null || reach.address.rows.length !== 2) return null
  const { address, bytes } = reach
  const lanes = lanesOf(mask)
  const lows = Float64Array.from(lanes, (lane) => lowAt(rows, address, lane))
  const high = wordAt(rows, address.rows[1]!, lanes[0] ?? 0)
  const region = regionAt(launch.regions, high)
  if (region === undefined || region.constant !== null || region.gone !== undefined) return null
  if (region.plane < 0 || !isOneAt(rows, address, lanes, high)) return null
  const [first, last] = [least(Infinity)(lows), greatest(0)(lows)]
  const base = region.pieced === true ? pieceAt(first) * pieceBytes : 0
  const end = region.pieced === true ? Math.min(region.bytes, base + pieceBytes) : region.bytes
  return first < 0 || last + bytes > end
    ? null
    : {
        address,
        lanes,
        lows,
        high,
        back: base - first,
        forth: end - bytes - last,
        step: Math.min(bytes, 16),
      }
}

const lowAt = (rows: Rows, { rows: [low], offset }: Address, lane: number): number =>
  (wordAt(rows, low!, lane) >>> 0) + offset

const isOneAt = (rows: Rows, { rows: at }: Address, lanes: ReadonlyArray<number>, high: number): boolean =>
  lanes.every((lane) => wordAt(rows, at[1]!, lane) === high)

/** How many bytes further on all lanes are now; null: not all as many, or it is not the same access there. */
export const shiftOf = (
  rows: Rows,
  { address, lanes, lows, high, back, forth, step }: Shifts,
): number | null => {
  const [first = 0] = lanes
  const by = lowAt(rows, address, first) - lows[0]!
  if (by < back || by > forth || by % step !== 0) return null
  for (let i = 0; i < lanes.length; i++) {
    const lane = lanes[i]!
    if (wordAt(rows, address.rows[1]!, lane) !== high || lowAt(rows, address, lane) - lows[i]! !== by)
      return null
  }
  return by
}
