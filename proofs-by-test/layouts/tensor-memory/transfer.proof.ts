import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as T from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import type { TensorMemoryLayout } from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { accessShape, cellOf, columnsOf } from '../../../src/layouts/tensor-memory/access-shape.js'
import { accessOf, checkTransfer, defaultRegisters } from '../../../src/layouts/tensor-memory/transfer.js'
import * as Tiled from '../../../src/layouts/tiled.js'
import type { TiledLayout } from '../../../src/layouts/tiled.js'
import { range } from '../captured.js'
import { code, right } from '../../either.js'

const byDefault = (p: number): TensorMemoryLayout => right(T.defaultLayout(p))
const half = (p: number): TensorMemoryLayout => right(T.halfLane(32, p))
const m64 = (p: number): TensorMemoryLayout => right(T.m64Collective(32, p))
const native = (v: number): TiledLayout => right(Tiled.TMEM_NATIVE(v))
const fragment32 = right(Tiled.TCGEN05_M64_COLLECTIVE(32))
const { TCGEN05, WGMMA } = Tiled

test('the pairs that there are, over nine layouts of tensor memory, twelve of registers and three widths', () => {
  const memory: Readonly<Record<string, TensorMemoryLayout>> = {
    d1: byDefault(1),
    d2: byDefault(2),
    d4: byDefault(4),
    h1: half(1),
    h2: half(2),
    m1: m64(1),
    scales: T.scales,
    bScales: T.bScalesM64Collective,
    metadata: T.sparseMetadata,
  }
  const registers: Readonly<Record<string, TiledLayout>> = {
    TCGEN05,
    WGMMA,
    M64: fragment32,
    N1: native(1),
    N2: native(2),
    N4: native(4),
    h1: half(1).tiled,
    h2: half(2).tiled,
    m1: m64(1).tiled,
    scales: T.scales.tiled,
    bScales: T.bScalesM64Collective.tiled,
    metadata: T.sparseMetadata.tiled,
  }
  const legal: string[] = []
  for (const [a, layout] of Object.entries(memory))
    for (const [b, regs] of Object.entries(registers))
      for (const bits of [8, 16, 32])
        if (E.isRight(checkTransfer(layout, regs, bits))) legal.push(`${a} ${b} ${String(bits)}`)
  const all = (pair: string): readonly string[] => [8, 16, 32].map((bits) => `${pair} ${String(bits)}`)
  expect(legal.sort()).toEqual(
    [
      ...['d1 TCGEN05', 'h1 WGMMA', 'm1 M64'].flatMap(all),
      ...['d2 TCGEN05 16', 'd4 TCGEN05 8', 'h2 WGMMA 16'],
      // Fully packed: the layout itself.
      ...[
        'd1 N1 32',
        'd2 N2 16',
        'd4 N4 8',
        'h1 h1 32',
        'h2 h2 16',
        'm1 m1 32',
        'scales scales 8',
        'bScales bScales 8',
      ],
      // TMEM_NATIVE(2) with the default: 32 bits, or 16 bits not packed.
      ...['d1 N2 32', 'd1 N2 16'],
    ].sort(),
  )
})

test('law 3: the layout by default', () => {
  for (const [layout, bits, registers] of [
    [byDefault(1), 32, TCGEN05],
    [byDefault(2), 16, TCGEN05],
    [half(1), 32, WGMMA],
    [m64(1), 32, fragment32],
    [T.scales, 8, T.scales.tiled],
    [T.bScalesM64Collective, 8, T.bScalesM64Collective.tiled],
  ] as const) {
    expect(right(defaultRegisters(layout, bits))).toEqual(registers)
    expect(code(checkTransfer(layout, registers, bits))).toBeNull()
  }
  expect(code(defaultRegisters(T.scales, 16))).toBe('tmem.packing')
  expect(code(defaultRegisters(byDefault(2), 32))).toBe('tmem.packing')
  expect(code(checkTransfer(byDefault(2), native(2), 32))).toBe('tmem.packing')
  expect(code(defaultRegisters(T.sparseMetadata, 2))).toBe('tmem.metadata')
  expect(code(checkTransfer(T.sparseMetadata, T.sparseMetadata.tiled, 2))).toBe('tmem.metadata')
})

describe('laws 1 and 2: an instruction brings each register from where its element lies', () => {
  const cases: readonly (readonly [string, TensorMemoryLayout, TiledLayout, number, readonly number[]])[] = [
    ['default(1), TCGEN05, f32', byDefault(1), TCGEN05, 32, [128, 32]],
    ['default(1), TCGEN05, f16', byDefault(1), TCGEN05, 16, [128, 32]],
    ['default(2), TCGEN05, f16', byDefault(2), TCGEN05, 16, [128, 32]],
    ['half-lane(1), WGMMA', half(1), WGMMA, 32, [64, 32]],
    ['half-lane(2), WGMMA', half(2), WGMMA, 16, [64, 32]],
    ['m64(1), its fragment', m64(1), fragment32, 32, [64, 32]],
    ['m64(2), its fragment', m64(2), fragment32, 16, [64, 32]],
    ['default(1), NATIVE(1)', byDefault(1), native(1), 32, [128, 8]],
    ['default(1), NATIVE(2)', byDefault(1), native(2), 32, [128, 8]],
    ['default(2), NATIVE(2)', byDefault(2), native(2), 16, [128, 8]],
    ['default(4), NATIVE(4)', byDefault(4), native(4), 8, [128, 16]],
    ['half-lane(1), its own', half(1), half(1).tiled, 32, [64, 32]],
    ['scales, their own', T.scales, T.scales.tiled, 8, [256, 4]],
  ]
  test.each([...cases])('%s', (_, layout, registers, bits, shape) => {
    const name = right(accessOf(layout, registers, bits))
    expect(name).toBe(
      ![TCGEN05, WGMMA, fragment32].includes(registers)
        ? '32x32b'
        : T.vectorLength(layout) === 2
          ? '16x128b'
          : '16x256b',
    )
    const p = T.vectorLength(layout)
    const columns = T.columnsOf(layout, shape)
    // One instruction for each group of 16 lanes, as wide as the array.
    const width = right(accessShape(name, 1))
    const access = right(accessShape(name, columns / columnsOf(width)))
    const lanes = name === '32x32b' ? 32 : 16
    const inTmem = T.positionTable(layout, shape)
    const brought = (warp: number, lane: number): readonly number[] =>
      range(32 / lanes).flatMap((part) =>
        range((columns * lanes) / 32).flatMap((register) => {
          const cell = cellOf(access, { thread: lane, register })
          const at = (32 * warp + lanes * part + cell.lane) * columns + cell.column
          return range(p).map((v) => inTmem[at * p + v]!)
        }),
      )
    const held = Tiled.positionTable(registers, shape)
    const perLane = held.length / 128
    const sorted = (xs: Iterable<number>): readonly number[] => [...xs].sort((a, b) => a - b)
    for (const warp of range(4))
      for (const lane of range(32)) {
        const from = (32 * warp + lane) * perLane
        const wanted = held.slice(from, from + perLane)
        const found = brought(warp, lane)
        expect(sorted(found)).toEqual(sorted(wanted))
        if (name === '32x32b') expect(found).toEqual([...wanted])
      }
  })

  test('where no instruction does it', () => {
    expect(accessOf(byDefault(4), TCGEN05, 8)).toMatchObject({
      left: {
        code: 'tmem.no-access-shape',
        message: expect.stringContaining('brings DEFAULT(4) to TCGEN05'),
      },
    })
    expect(code(accessOf(T.bScalesM64Collective, T.bScalesM64Collective.tiled, 8))).toBe(
      'tmem.no-access-shape',
    )
    expect(code(accessOf(byDefault(1), WGMMA, 32))).toBe('tmem.transfer')
  })
})

test('messages name both and what would go', () => {
  expect(checkTransfer(byDefault(1), WGMMA, 32)).toMatchObject({
    left: {
      message:
        'Registers of layout WGMMA do not go with DEFAULT(1) for elements of 32 bits: expected TCGEN05 or TMEM_NATIVE(1)',
    },
  })
  expect(checkTransfer(half(1), half(2).tiled, 32)).toMatchObject({
    left: {
      message:
        'Registers of layout without a name do not go with HALF_LANE(32, 1) for elements of 32 bits: expected WGMMA or its own tiled layout',
    },
  })
  expect(checkTransfer(T.scales, WGMMA, 8)).toMatchObject({
    left: { message: expect.stringMatching(/expected its own tiled layout$/) },
  })
})
