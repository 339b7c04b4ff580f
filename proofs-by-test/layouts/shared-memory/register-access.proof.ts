/** Register layouts that meet shared memory: every element once, the widest vector, Triton's conflict counts. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  accessOf,
  type AccessOptions,
  type RegisterAccess,
} from '../../../src/layouts/shared-memory/register-access.js'
import { registerLinearLayout, linearLayout } from '../../../src/layouts/linear/linear-layout.js'
import {
  elementOf,
  registersPerLane,
  warpCount,
  type RegisterLayout,
} from '../../../src/layouts/register-layout.js'
import { stridedLayout } from '../../../src/layouts/strided.js'
import { splatLayout } from '../../../src/layouts/splat.js'
import { TMEM_NATIVE, WGMMA, WGMMA_8BIT, WGMMA_UPCAST_4X } from '../../../src/layouts/tiled.js'
import * as Ref from '../../../src/transforms/ref.js'
import type { TransformedRef } from '../../../src/transforms/ref.js'
import { ravel } from '../../../src/transforms/shape.js'
import * as T from '../../../src/transforms/transform.js'
import { range } from './captured.js'
import { code, right } from '../../either.js'

const bitBases = (from: number, to: number, d: 0 | 1): readonly (readonly [number, number])[] =>
  range(Math.log2(to / from)).map((k) => (d === 0 ? [from << k, 0] : [0, from << k]))

/** One row of the array per lane, 4 warps of 32 rows, registers along the row: Triton's blocked [1, n] x [32, 1] x [4, 1]. */
const rowPerLane = (columns: number): RegisterLayout =>
  right(
    registerLinearLayout([128, columns], bitBases(1, columns, 1), bitBases(1, 32, 0), bitBases(32, 128, 0)),
  )

const flat = (shape: readonly number[], bits: number): TransformedRef =>
  right(Ref.ofTransforms(shape, bits, []))
const tiled = (shape: readonly number[], bits: number, span: number): TransformedRef =>
  right(Ref.ofTransforms(shape, bits, [right(T.tile([8, (8 * span) / bits])), right(T.swizzle(span))]))
const transposed = (ref: TransformedRef): TransformedRef => right(Ref.transpose([1, 0])(ref))

const store: AccessOptions = { direction: 'store' }
const of = (layout: RegisterLayout, ref: TransformedRef, options: AccessOptions = store): RegisterAccess =>
  right(accessOf(options)(layout, ref))

/** The bases of an 8 x 2 tile whose registers are numbered down the column, with one bit that only repeats. */
const columnFirst = right(
  registerLinearLayout(
    [128, 8],
    [
      [64, 0],
      [0, 0],
      [0, 1],
      [0, 2],
    ],
    [
      [1, 0],
      [2, 0],
      [4, 0],
      [8, 0],
      [16, 0],
    ],
    [
      [32, 0],
      [0, 4],
    ],
  ),
)

const pairs: readonly (readonly [string, RegisterLayout, TransformedRef, number])[] = [
  ['WGMMA f16, swizzle 128', WGMMA, tiled([64, 64], 16, 128), 4],
  ['WGMMA f32, swizzle 128', WGMMA, tiled([64, 64], 32, 128), 8],
  ['WGMMA f16, transposed', WGMMA, transposed(tiled([64, 64], 16, 64)), 2],
  ['WGMMA_8BIT, swizzle 64', WGMMA_8BIT, tiled([64, 64], 8, 64), 4],
  ['WGMMA_UPCAST_4X, 4 bits', WGMMA_UPCAST_4X, flat([64, 64], 4), 4],
  ['WG_STRIDED(8) f16', right(stridedLayout([64, 64], 8)), flat([64, 64], 16), 16],
  ['WG_STRIDED(8) f64', right(stridedLayout([64, 64], 8)), flat([64, 64], 64), 16],
  ['row per lane, f16', rowPerLane(64), flat([128, 64], 16), 16],
  ['registers down the column, f16', columnFirst, flat([128, 8], 16), 8],
]

describe.each(pairs)('%s', (_, layout, ref, bytes) => {
  const size = ref.shape.reduce((n, extent) => n * extent, 1)

  test('law 1: every element of every lane once, at its address', () => {
    const registersEach = registersPerLane(layout, ref.shape)
    const held = new Set<number>()
    const positions = range(warpCount(layout) * 32 * registersEach).map((k) => {
      const thread = Math.floor(k / registersEach)
      const element = elementOf(layout, ref.shape, thread >> 5, thread & 31, k % registersEach)
      const position = ravel(ref.shape)(element)
      held.add(thread * size + position)
      return position
    })
    const at = Ref.swizzledAddresses(ref, 0)
    const seen: number[] = []
    const elsewhere: number[] = []
    for (const { warp, registers, addresses } of of(layout, ref).instructions)
      addresses.forEach((address, lane) => {
        registers.forEach((register, k) => {
          const position = positions[(warp * 32 + lane) * registersEach + register]!
          seen.push((warp * 32 + lane) * size + position)
          if (Math.floor(address! + (k * ref.bits) / 8) !== at[position]) elsewhere.push(position)
        })
      })
    expect(elsewhere).toEqual([])
    expect(seen.length).toBe(held.size)
    expect(seen.every((place) => held.delete(place))).toBe(true)
  })

  test(`law 2: vectors of ${String(bytes)} bytes, and any narrower one on demand`, () => {
    const made = of(layout, ref)
    expect(made.access).toEqual({ _tag: 'store', bytes })
    for (const narrower of [2, 4, 8] as const)
      if (narrower < bytes && 8 * narrower >= ref.bits) {
        const cut = of(layout, ref, { direction: 'load', maxBytes: narrower })
        expect(cut.access).toEqual({ _tag: 'load', bytes: narrower })
        expect(cut.instructions.length).toBe((made.instructions.length * bytes) / narrower)
      }
  })

  test('the totals are those of the instructions', () => {
    const made = of(layout, ref)
    const sum = (f: (k: number) => number) => range(made.instructions.length).reduce((n, k) => n + f(k), 0)
    expect(made.wavefronts).toBe(sum((k) => made.instructions[k]!.verdict.wavefronts))
    expect(made.conflicts).toBe(sum((k) => made.instructions[k]!.verdict.conflicts))
    expect(made.idealWavefronts).toBe(made.instructions.length * Math.max(1, bytes / 4))
  })
})

test('a run of registers is neither apart, nor cut short', () => {
  // Every other column: both registers of a pair are aligned, but 4 bytes apart.
  const apart = right(
    registerLinearLayout(
      [32, 8],
      [
        [0, 2],
        [0, 4],
      ],
      [
        [0, 1],
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
      ],
      [
        [16, 0],
        [0, 0],
      ],
    ),
  )
  expect(of(apart, flat([32, 8], 16)).access).toEqual({ _tag: 'store', bytes: 2 })
  // Rows of 6 elements, 16 bytes apart: 6 registers are no whole number of 8 or of 4.
  const six: RegisterLayout = right(TMEM_NATIVE(2))
  const padded = right(Ref.ofStrides([128, 6], 16, [8, 1]))
  expect(of(six, padded).access).toEqual({ _tag: 'store', bytes: 4 })
})

test('instructions come by their first registers, not by their addresses', () => {
  const layout = right(
    registerLinearLayout(
      [128, 8],
      [
        [64, 0],
        [32, 0],
        [0, 1],
        [0, 2],
      ],
      [
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
        [16, 0],
      ],
      [
        [0, 4],
        [0, 0],
      ],
    ),
  )
  const first = of(layout, flat([128, 8], 16)).instructions.slice(0, 4)
  expect(first.map(({ registers }) => registers[0])).toEqual([0, 1, 2, 3])
  expect(first.map(({ addresses }) => addresses[0])).toEqual([0, 1024, 512, 1536])
})

test('the header: WGMMA into swizzle 128 and into none', () => {
  const made = of(WGMMA, tiled([64, 64], 16, 128))
  expect(made.instructions.length).toBe(64)
  expect([made.wavefronts, made.conflicts, made.idealWavefronts]).toEqual([64, 0, 64])
  expect(made.instructions[0]).toEqual({
    warp: 0,
    registers: [0, 1],
    addresses: range(32).map((lane) => {
      const row = lane >> 2
      return 128 * row + 16 * row + 4 * (lane & 3)
    }),
    verdict: { phases: [1], wavefronts: 1, conflicts: 0, pairing: null },
  })
  expect(made.instructions.slice(0, 3).map(({ registers }) => registers)).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
  ])
  expect(made.instructions[16]!.warp).toBe(1)
  const plain = right(Ref.ofTransforms([64, 64], 16, [right(T.tile([8, 64]))]))
  const slow = of(WGMMA, plain)
  expect([slow.wavefronts, slow.conflicts]).toEqual([512, 448])
})

test('registers need not be numbered along the vector, and one that repeats is moved once', () => {
  const made = of(columnFirst, flat([128, 8], 16))
  expect(made.instructions.filter(({ warp }) => warp === 0).map(({ registers }) => registers)).toEqual([
    [0, 4, 8, 12],
    [1, 5, 9, 13],
  ])
})

test('the base takes part: 4 bytes off, a run of 16 is no longer aligned', () => {
  const at = (baseAddress: number) =>
    of(rowPerLane(64), flat([128, 64], 16), { direction: 'load', baseAddress })
  expect([0, 16, 4, 8, 2].map((base) => at(base).access)).toEqual(
    [16, 16, 4, 8, 2].map((bytes) => ({ _tag: 'load', bytes })),
  )
  expect(at(16).instructions[0]!.addresses[1]).toBe(16 + 128)
})

describe('law 3: Triton counts as many conflicts', () => {
  const cases: readonly {
    readonly name: string
    readonly group: string
    readonly expected: { readonly extraWavefrontsPerPhase: number; readonly elementsPerVector: number }
  }[] = JSON.parse(
    readFileSync(new URL('../../../conformance/layouts/linear.json', import.meta.url), 'utf8'),
  ).cases
  const drawn: Readonly<Record<string, readonly [RegisterLayout, TransformedRef]>> = {
    'bankConflicts.3': [WGMMA, tiled([128, 128], 16, 128)],
    'bankConflicts.7': [WGMMA, transposed(tiled([64, 64], 16, 64))],
    'bankConflicts.13': [rowPerLane(32), flat([128, 32], 32)],
    'bankConflicts.22': [rowPerLane(64), tiled([128, 64], 8, 64)],
    'bankConflicts.26': [rowPerLane(128), tiled([128, 128], 8, 128)],
  }
  const captured = cases.filter(({ group }) => group === 'bankConflicts')
  test.each(captured.map((c) => [c.name, c.expected] as const))('%s', (name, expected) => {
    const [layout, ref] = drawn[name]!
    const made = of(layout, ref)
    expect(made.access).toEqual({ _tag: 'store', bytes: (expected.elementsPerVector * ref.bits) / 8 })
    for (const { verdict } of made.instructions)
      for (const degree of verdict.phases) expect(degree - 1).toBe(expected.extraWavefrontsPerPhase)
  })

  const known: readonly (readonly [string, RegisterLayout, TransformedRef, number])[] = [
    ['WGMMA f32 into swizzle 128', WGMMA, tiled([64, 64], 32, 128), 1],
    ['WGMMA f16 into 64 unswizzled columns', WGMMA, flat([64, 64], 16), 7],
    ['row per lane into 64 unswizzled columns of f16', rowPerLane(64), flat([128, 64], 16), 7],
    ['row per lane into swizzle 128', rowPerLane(64), tiled([128, 64], 16, 128), 0],
  ]
  test.each(known)('%s', (_, layout, ref, extra) => {
    for (const { verdict } of of(layout, ref).instructions)
      for (const degree of verdict.phases) expect(degree - 1).toBe(extra)
  })
  test('the five cases that are given', () => {
    expect(captured.length).toBe(5)
  })
})

test('refusals', () => {
  const at = (layout: RegisterLayout, ref: TransformedRef) => code(accessOf(store)(layout, ref))
  const f16 = flat([64, 64], 16)
  expect(at(splatLayout([64, 64]), f16)).toBe('banks.layout')
  const bases = [[1], [2], [4], [8]]
  const half = right(
    linearLayout({
      inputs: [
        { name: 'register', bases: [[16]] },
        { name: 'lane', bases },
        { name: 'warp', bases: [] },
      ],
      outputs: [{ name: 'dim0', size: 32 }],
    }),
  )
  expect(at(half, flat([32], 16))).toBe('banks.layout')
  expect(at(WGMMA, flat([64, 63], 16))).toBe('layout.shape')
  expect(at(WGMMA, flat([64, 64], 8))).toBeNull()
  expect(at(WGMMA, transposed(flat([64, 64], 8)))).toBe('banks.vector')
  expect(at(WGMMA_UPCAST_4X, flat([64, 64], 6))).toBe('banks.vector')
  expect(code(accessOf({ direction: 'load', maxBytes: 2 })(WGMMA, flat([64, 64], 32)))).toBe('banks.vector')
  expect(code(accessOf({ direction: 'load', baseAddress: -1024 })(WGMMA, f16))).toBe('banks.address')
})
