/** Where a suite says silicon: asked what an H100 was asked, it answers what the H100 did. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { banksSuite } from '../../../src/oracle/vectors/banks.js'
import { descriptorsSuite } from '../../../src/oracle/vectors/descriptors.js'
import { fragmentsSuite } from '../../../src/oracle/vectors/fragments.js'
import { tmaBoxSuite } from '../../../src/oracle/vectors/tma-box.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { bankPatterns } from '../../layouts/shared-memory/captured.js'
import { descriptorMaps, fragments, tma, type TmaEntry } from '../../transforms/captured.js'

interface Bits {
  readonly bits: ReadonlyArray<number>
}

test('accumulators: the element in each register of each thread', () => {
  const captured = Object.entries(fragments().d_fragments).filter(([name]) => name.startsWith('f32'))
  expect(captured.length).toBeGreaterThan(0)
  for (const [name, { n, row_col }] of captured) {
    const { positions } = right(
      fragmentsSuite.ask({ layout: { kind: 'named', name: 'WGMMA' }, shape: [64, n] }),
    ) as unknown as { positions: Bits }
    const expected = row_col.flatMap((thread) =>
      Array.from({ length: thread.length / 2 }, (_, i) => thread[2 * i]! * n + thread[2 * i + 1]!),
    )
    expect([name, positions.bits]).toEqual([name, expected])
  }
})

test('descriptors: the element that each operand element was read from', () => {
  const { entries, bin } = descriptorMaps()
  for (const entry of sampled(6, entries)) {
    const { rows, k, element_bytes: bytes } = entry
    const swizzle = [16, 128, 64, 32][entry.swizzle_mode]
    const { addresses } = right(
      descriptorsSuite.ask({
        operation: 'addresses',
        descriptor: {
          unit: 'wgmma',
          startBytes: entry.start,
          leadingBytes: entry.lbo,
          strideBytes: entry.sbo,
          baseOffset: entry.base_offset,
          swizzle,
          atomBytes: 16,
        },
        major: entry.mn_major === 1 ? 'mn' : 'k',
        bits: 8 * bytes,
        rows,
      }),
    ) as unknown as { addresses: Bits }
    const columns = 32 / bytes
    for (let i = 0; i < rows * k; i++) {
      const read = bin.readUInt16LE(entry.bin_offset + 2 * i)
      if (read !== 65535) expect(addresses.bits[Math.floor(i / k) * columns + (i % k)]! / bytes).toBe(read)
    }
  }
})

test('banks: wavefronts and conflicts of each access', () => {
  for (const { op, offsets, wavefronts, conflicts } of sampled(8, bankPatterns()))
    expect(
      right(banksSuite.ask({ access: op, addresses: offsets.map((offset) => (offset < 0 ? null : offset)) })),
    ).toEqual({ wavefronts, conflicts })
})

describe('copies', () => {
  const { entries, bin } = tma()
  const dtypes: Readonly<Record<number, string>> = { 1: 'e4m3', 2: 'f16', 4: 'f32' }
  const asked = (e: TmaEntry): unknown => ({
    mode: e.kind === 1 ? 'store' : e.kind === 4 ? 'reduce' : 'load',
    dtype: dtypes[e.element_bytes],
    tensor: [...e.dims].reverse(),
    box: [...e.box].reverse(),
    elementStrides: [...e.element_strides].reverse(),
    swizzle: [16, 32, 64, 128][e.swizzle],
    at: [...e.coords].reverse(),
    base: 1024 + e.smem_offset,
  })
  test('the image of each load; what the chip or the driver refused is refused', () => {
    const loads = sampled(
      2,
      entries.filter(({ kind }) => kind === 0),
    )
    let images = 0
    for (const e of loads) {
      const answer = tmaBoxSuite.ask(asked(e))
      expect([e.name, E.isRight(answer)]).toEqual([e.name, e.status === 'ok'])
      if (E.isLeft(answer)) continue
      images++
      const { addresses, elements } = answer.right as unknown as { addresses: Bits; elements: Bits }
      const image = bin.subarray(e.bin_offset, e.bin_offset + e.bin_bytes)
      const expected = Buffer.alloc(e.bin_bytes, 0xee)
      addresses.bits.forEach((address, i) => {
        const position = elements.bits[i]! | 0
        for (let b = 0; b < e.element_bytes; b++) {
          const one = e.element_bytes === 1
          const value = one ? (position * 167 + (position >> 8) * 59 + 13) % 256 : position + 1
          const fill = e.oob_nan === 1 ? (b % 2 === 0 ? 0xf7 : 0x7f) : 0
          expected[address - 1024 + b] = position < 0 ? fill : one ? value : (value >> (8 * b)) & 255
        }
      })
      expect([e.name, image.equals(expected)]).toEqual([e.name, true])
    }
    expect(images).toBeGreaterThan(5)
  })
})
