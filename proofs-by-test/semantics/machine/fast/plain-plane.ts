/**
 * Planes by definition: a map that is copied whole at every write. What pages and runs (`src/semantics/machine/fast/`) are compared with.
 *
 * Both kinds count halves of bytes: an element of 4 bits has one, any other two for each of its bytes, the low one first.
 *
 *     bytes    from halves to what is in them: two's complement, little end first; what was not written is all ones
 *     slots    from the first half of an element to the element: a write takes away all that it overlaps
 */
import { bitsOf, isFloat, type Dtype } from '../../../../src/numerics/dtype.js'
import { bytesOf, type Cells, type Read } from '../../../../src/semantics/machine/cells.js'

interface Live {
  readonly dtype: Dtype
  readonly x: number
}
export type PlainPlane =
  | { readonly _tag: 'bytes'; readonly halves: ReadonlyMap<number, number> }
  | { readonly _tag: 'slots'; readonly live: ReadonlyMap<number, Live> }

export const plainPlane = (memory: 'bytes' | 'slots'): PlainPlane =>
  memory === 'bytes' ? { _tag: 'bytes', halves: new Map() } : { _tag: 'slots', live: new Map() }

const halvesOf = (dtype: Dtype): number => (bitsOf(dtype) === 4 ? 1 : 2 * bytesOf(dtype))
const startOf = (dtype: Dtype, address: number): number => (bitsOf(dtype) === 4 ? address : 2 * address)
const isSigned = (dtype: Dtype): boolean => !isFloat(dtype) && /^i\d{1,2}$/.test(dtype) && dtype !== 'i1'
const addressesOf = (c: Cells): ReadonlyArray<number> => [...c.offsets].map((offset) => offset + c.origin)

export const writePlain = (p: PlainPlane, c: Cells, data: Float64Array): PlainPlane => {
  const width = halvesOf(c.dtype)
  if (p._tag === 'bytes') {
    const halves = new Map(p.halves)
    addressesOf(c).forEach((address, i) => {
      if (address < 0) return
      const pattern = BigInt.asUintN(4 * width, BigInt(data[i]!))
      for (let h = 0; h < width; h++)
        halves.set(startOf(c.dtype, address) + h, Number((pattern >> BigInt(4 * h)) & 15n))
    })
    return { _tag: 'bytes', halves }
  }
  const live = new Map(p.live)
  addressesOf(c).forEach((address, i) => {
    if (address < 0) return
    const start = startOf(c.dtype, address)
    for (const [from, e] of live)
      if (from < start + width && start < from + halvesOf(e.dtype)) live.delete(from)
    live.set(start, { dtype: c.dtype, x: data[i]! })
  })
  return { _tag: 'slots', live }
}

export const readPlain = (p: PlainPlane, c: Cells, fill: number): Read => {
  const width = halvesOf(c.dtype)
  if (p._tag === 'bytes') {
    const one = (address: number): number => {
      if (address < 0) return fill
      let pattern = 0n
      for (let h = width - 1; h >= 0; h--)
        pattern = pattern * 16n + BigInt(p.halves.get(startOf(c.dtype, address) + h) ?? 15)
      return Number(isSigned(c.dtype) ? BigInt.asIntN(4 * width, pattern) : pattern)
    }
    return { data: Float64Array.from(addressesOf(c), one), retyped: null }
  }
  const found = (address: number): number | null => {
    const e = p.live.get(startOf(c.dtype, address))
    return e?.dtype === c.dtype ? e.x : null
  }
  /** Something else lies in the byte that is read first; its other half is not something else. */
  const isAnother = (address: number): boolean => {
    const byte = Math.floor(startOf(c.dtype, address) / 2)
    return [...p.live].some(
      ([from, e]) =>
        from < 2 * byte + 2 &&
        2 * byte < from + halvesOf(e.dtype) &&
        (e.dtype !== c.dtype || (width > 1 && from !== 2 * byte)),
    )
  }
  const wrong = addressesOf(c).find(
    (address) => address >= 0 && found(address) === null && isAnother(address),
  )
  return {
    data: Float64Array.from(addressesOf(c), (address) => (address < 0 ? fill : (found(address) ?? NaN))),
    retyped: wrong === undefined ? null : width === 1 ? wrong >> 1 : wrong,
  }
}
