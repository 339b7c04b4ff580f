/**
 * Planes by definition: a map that is copied whole at every write. What pages and runs (`src/semantics/machine/fast/`) are compared with.
 *
 * Both kinds count quarters of bytes: an element of 4 bits has two, one of 6 bits three, any other four for each of its bytes, the low one first.
 *
 *     bytes    from quarters to what is in them: two's complement, little end first; what was not written is all ones
 *     slots    from the first quarter of an element to the element: a write takes away all that it overlaps
 */
import { bitsOf, isFloat, type Dtype } from '../../../../src/numerics/dtype.js'
import { bytesOf, type Cells, type Read } from '../../../../src/semantics/machine/cells.js'

interface Live {
  readonly dtype: Dtype
  readonly x: number
}
export type PlainPlane =
  | { readonly _tag: 'bytes'; readonly quarters: ReadonlyMap<number, number> }
  | { readonly _tag: 'slots'; readonly live: ReadonlyMap<number, Live> }

export const plainPlane = (memory: 'bytes' | 'slots'): PlainPlane =>
  memory === 'bytes' ? { _tag: 'bytes', quarters: new Map() } : { _tag: 'slots', live: new Map() }

const isPacked = (dtype: Dtype): boolean => bitsOf(dtype) === 4 || bitsOf(dtype) === 6
const quartersOf = (dtype: Dtype): number => (isPacked(dtype) ? bitsOf(dtype) / 2 : 4 * bytesOf(dtype))
const startOf = (dtype: Dtype, address: number): number =>
  address * (bitsOf(dtype) === 6 ? 1 : bitsOf(dtype) === 4 ? 2 : 4)
const isSigned = (dtype: Dtype): boolean => !isFloat(dtype) && /^i\d{1,2}$/.test(dtype) && dtype !== 'i1'
const addressesOf = (c: Cells): ReadonlyArray<number> => [...c.offsets].map((offset) => offset + c.origin)

export const writePlain = (p: PlainPlane, c: Cells, data: Float64Array): PlainPlane => {
  const width = quartersOf(c.dtype)
  if (p._tag === 'bytes') {
    const quarters = new Map(p.quarters)
    addressesOf(c).forEach((address, i) => {
      if (address < 0) return
      const pattern = BigInt.asUintN(2 * width, BigInt(data[i]!))
      for (let h = 0; h < width; h++)
        quarters.set(startOf(c.dtype, address) + h, Number((pattern >> BigInt(2 * h)) & 3n))
    })
    return { _tag: 'bytes', quarters }
  }
  const live = new Map(p.live)
  addressesOf(c).forEach((address, i) => {
    if (address < 0) return
    const start = startOf(c.dtype, address)
    for (const [from, e] of live)
      if (from < start + width && start < from + quartersOf(e.dtype)) live.delete(from)
    live.set(start, { dtype: c.dtype, x: data[i]! })
  })
  return { _tag: 'slots', live }
}

export const readPlain = (p: PlainPlane, c: Cells, fill: number): Read => {
  const width = quartersOf(c.dtype)
  if (p._tag === 'bytes') {
    const one = (address: number): number => {
      if (address < 0) return fill
      let pattern = 0n
      for (let h = width - 1; h >= 0; h--)
        pattern = pattern * 4n + BigInt(p.quarters.get(startOf(c.dtype, address) + h) ?? 3)
      return Number(isSigned(c.dtype) ? BigInt.asIntN(2 * width, pattern) : pattern)
    }
    return { data: Float64Array.from(addressesOf(c), one), retyped: null }
  }
  const found = (address: number): number | null => {
    const e = p.live.get(startOf(c.dtype, address))
    return e?.dtype === c.dtype ? e.x : null
  }
  /** Something else lies in the byte that is read first; another part of it is not something else. */
  const isAnother = (address: number): boolean => {
    const byte = Math.floor(startOf(c.dtype, address) / 4)
    return [...p.live].some(
      ([from, e]) =>
        from < 4 * byte + 4 &&
        4 * byte < from + quartersOf(e.dtype) &&
        (e.dtype !== c.dtype || (!isPacked(c.dtype) && from !== 4 * byte)),
    )
  }
  const wrong = addressesOf(c).find(
    (address) => address >= 0 && found(address) === null && isAnother(address),
  )
  return {
    data: Float64Array.from(addressesOf(c), (address) => (address < 0 ? fill : (found(address) ?? NaN))),
    retyped: wrong === undefined ? null : Math.floor(startOf(c.dtype, wrong) / 4),
  }
}
