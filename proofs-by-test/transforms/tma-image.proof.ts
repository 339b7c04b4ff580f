/** Shared-memory images that an H100's TMA wrote and read: the addresses are those of a swizzled ref. */
import { describe, expect, test } from 'vitest'
import { ofStrides, ofTransforms, sameRef, swizzledAddresses } from '../../src/transforms/ref.js'
import type { TransformedRef } from '../../src/transforms/ref.js'
import type { Swizzle } from '../../src/transforms/swizzle.js'
import { swizzle } from '../../src/transforms/transform.js'
import type { TmaEntry } from './captured.js'
import { indices, tma } from './captured.js'
import { code, right } from '../either.js'

const { entries, bin } = tma()
const ok = entries.filter((e) => e.status === 'ok')
const spanOf = (e: TmaEntry): Swizzle => ([16, 32, 64, 128] as const)[e.swizzle]!

/** Extents of what is copied, innermost first: element strides thin out all dimensions but the innermost. */
const extents = (e: TmaEntry): readonly number[] =>
  e.box.map((n, k) => (k === 0 ? n : Math.ceil(n / e.element_strides[k]!)))

const boxRef = (e: TmaEntry): TransformedRef => {
  const [inner, ...outer] = extents(e)
  const rows = outer.reduce((product, n) => product * n, 1)
  const bits = 8 * e.element_bytes
  const pitch = spanOf(e) === 16 ? inner! : spanOf(e) / e.element_bytes
  const ref = right(ofStrides([rows, inner!], bits, [pitch, 1], spanOf(e)))
  // A box as wide as the span is the plain transformed ref.
  const transformed = ofTransforms([rows, inner!], bits, [right(swizzle(spanOf(e)))])
  if (spanOf(e) !== 16) expect(code(transformed)).toBe(inner === pitch ? null : 'swizzle.minor-dimension')
  if (inner === pitch && spanOf(e) !== 16) expect(sameRef(ref, right(transformed))).toBe(true)
  return ref
}

/** Linear position in the global tensor of every element of the box, row-major by rows; null when out of bounds. */
const tensorElements = (e: TmaEntry): readonly (number | null)[] =>
  indices([...extents(e)].reverse()).map((outermostFirst) => {
    const at = [...outermostFirst]
      .reverse()
      .map((i, k) => e.coords[k]! + i * (k === 0 ? 1 : e.element_strides[k]!))
    if (at.some((c, k) => c < 0 || c >= e.dims[k]!)) return null
    return at.reduceRight((linear, c, k) => linear * e.dims[k]! + c, 0)
  })

const globalValue = (e: TmaEntry, i: number): number =>
  e.element_bytes === 1
    ? (i * 167 + (i >> 8) * 59 + 13) & 255
    : e.element_bytes === 2
      ? (i + 1) & 0xffff
      : i + 1
const outside = (e: TmaEntry): number => (e.oob_nan === 0 ? 0 : e.element_bytes === 2 ? 0x7ff7 : 0x7ff77ff7)

const write = (image: Buffer, at: number, value: number, bytes: number): void => {
  for (let k = 0; k < bytes; k++) image[at + k] = Math.floor(value / 256 ** k) % 256
}

const expectedImage = (e: TmaEntry): Buffer => {
  const addresses = swizzledAddresses(boxRef(e), 65536 + e.smem_offset)
  const elements = tensorElements(e)
  expect(addresses.length).toBe(elements.length)
  if (e.kind === 1 || e.kind === 4) {
    const count = e.dims.reduce((product, n) => product * n, 1)
    const image = Buffer.alloc(count * e.element_bytes, 0xee)
    if (e.kind === 4) for (let i = 0; i < count; i++) write(image, 4 * i, globalValue(e, i), 4)
    elements.forEach((element, k) => {
      if (element === null) return
      const address = addresses[k]! - 65536
      for (let b = 0; b < e.element_bytes; b++) {
        const a = address + b
        if (e.kind === 1) image[element * e.element_bytes + b] = (a * 73 + (a >> 8) * 31 + 7) & 255
      }
      if (e.kind === 4) write(image, 4 * element, globalValue(e, element) + 1000000 * (address / 4 + 1), 4)
    })
    return image
  }
  const image = Buffer.alloc(e.kind === 3 ? e.bin_bytes / 2 : e.bin_bytes, 0xee)
  elements.forEach((element, k) =>
    write(
      image,
      addresses[k]! - 65536,
      element === null ? outside(e) : globalValue(e, element),
      e.element_bytes,
    ),
  )
  return e.kind === 3 ? Buffer.concat([image, image]) : image
}

const kinds = ['loads', 'stores', 'loads that expect more bytes', 'multicast loads', 'reduce-add stores']

describe.each(kinds.map((name, kind) => [name, ok.filter((e) => e.kind === kind)] as const))(
  '%s',
  (name, captured) => {
    test(`identity 1 and swizzle law 1 on silicon: ${String(captured.length)} images, byte for byte`, () => {
      expect(captured.length, name).toBeGreaterThan(0)
      const different = captured.filter(
        (e) => !expectedImage(e).equals(bin.subarray(e.bin_offset, e.bin_offset + e.bin_bytes)),
      )
      expect(different.map((e) => `${String(e.id)} ${e.name}`)).toEqual([])
    })
  },
)

test('every image of the capture is covered, with every swizzle, both offsets on and off the period', () => {
  expect(ok.length).toBe(entries.filter((e) => e.bin_bytes > 0).length)
  expect(new Set(ok.map((e) => e.swizzle)).size).toBe(4)
  expect(ok.some((e) => e.smem_offset % 1024 !== 0)).toBe(true)
})
