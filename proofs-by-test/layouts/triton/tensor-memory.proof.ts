/** Buffers in tensor memory, against closed forms, the data paths of the instructions, and the tiled layouts of scales. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { apply, inputSize, isInjective, isSurjective } from '../../../src/layouts/linear/linear-layout.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { scaleOffset } from '../../../src/layouts/shared-memory/scale-factors.js'
import type { Accumulator } from '../../../src/layouts/tensor-memory/accumulator.js'
import { accumulator, accumulatorCell } from '../../../src/layouts/tensor-memory/accumulator.js'
import type { TensorMemory } from '../../../src/layouts/triton/encoding.js'
import { allocation, scalesInSharedMemory } from '../../../src/layouts/triton/tensor-memory.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import type { Shape } from '../../../src/transforms/shape.js'
import {
  basesByInput,
  basesIn,
  computed,
  indices,
  linearOf,
  misplaced,
  range,
  specOf,
  tmem,
} from './readers.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

/** Where an instruction puts D. */
const cellIn =
  (acc: Accumulator) =>
  (m: number, n: number): { readonly block: number; readonly row: number; readonly col: number } => {
    const { cta, lane, column } = accumulatorCell(acc, m, n)
    return { block: cta, row: lane, col: column }
  }

/** Element -> cells. */
const cellsOf = (layout: LinearLayout): ReadonlyMap<string, readonly string[]> => {
  const cells = new Map<string, string[]>()
  for (const [block, row, col] of indices([inputSize(layout, 'block'), 128, inputSize(layout, 'col')])) {
    const element = apply(layout)({ block: block!, row: row!, col: col! }).join()
    cells.set(element, [...(cells.get(element) ?? []), [block, row, col].join()])
  }
  return cells
}

test('law 1: onto; injective where no basis is zero', () => {
  for (const { encoding, shape } of computed().conversion) {
    const spec = specOf(encoding)
    if (spec._tag !== 'tensor_memory' && spec._tag !== 'tensor_memory_scales') continue
    const layout = linearOf(spec, shape)
    expect(isSurjective(layout)).toBe(true)
    const telling = layout.inputs.map(({ name, bases }) => ({
      name,
      bases: bases.filter((basis) => basis.some((v) => v !== 0)),
    }))
    expect(isInjective({ inputs: telling, outputs: layout.outputs })).toBe(true)
  }
})

describe('law 2', () => {
  test.each([
    [[128, 64], 64, 1],
    [[256, 64], 16, 1],
    [[512, 32], 8, 2],
    [[128, 32], 128, 4],
  ] as const)('blockM 128, %j by %i, column stride %i', (shape, blockN, colStride) => {
    const layout = linearOf(tmem(128, blockN, { colStride }), shape)
    const [width, down] = [Math.min(blockN, shape[1]), shape[0] / 128]
    const cell = (m: number, n: number): { readonly row: number; readonly col: number } => ({
      row: m % 128,
      col: colStride * ((n % width) + width * (Math.floor(m / 128) + down * Math.floor(n / width))),
    })
    expect(misplaced(layout, shape, cell)).toBe(null)
    expect(inputSize(layout, 'col')).toBe((colStride * shape[0] * shape[1]) / 128)
  })

  test('blockM 128 is data path D, and A for a pair', () => {
    const d = right(accumulator('D', 32))
    const layout = linearOf(tmem(128, 32), [128, 32])
    const a = right(accumulator('A', 16))
    const pair = linearOf(tmem(128, 16, { twoCTAs: true, cgaBases: [[1, 0]] }), [256, 16])
    expect(misplaced(layout, [128, 32], cellIn(d))).toBe(null)
    expect(misplaced(pair, [256, 16], cellIn(a))).toBe(null)
  })
})

describe('law 3', () => {
  const rows = (spec: TensorMemory, shape: Shape): string =>
    basesIn(spec, shape)
      ['row']!.map((b) => b.join())
      .join(' ')
  test('rows 16 apart: the next block of rows, else of columns, else nothing', () => {
    expect(rows(tmem(64, 32), [128, 64])).toBe('1,0 2,0 4,0 8,0 64,0 16,0 32,0')
    expect(rows(tmem(64, 32), [64, 64])).toBe('1,0 2,0 4,0 8,0 0,32 16,0 32,0')
    expect(rows(tmem(64, 32), [64, 32])).toBe('1,0 2,0 4,0 8,0 0,0 16,0 32,0')
    expect(basesIn(tmem(64, 16), [256, 64])['col']!.slice(4)).toEqual([
      [128, 0],
      [0, 16],
      [0, 32],
    ])
    expect(basesIn(tmem(64, 16), [64, 64])['col']!.slice(4)).toEqual([[0, 32]])
  })

  test('blockM 64 is data path F: two products of 64 rows, at lanes +0 and +16', () => {
    for (const columns of [16, 64]) {
      const layout = linearOf(tmem(64, columns), [64, 2 * columns])
      for (const alignment of [0, 16] as const) {
        const f = right(accumulator('F', columns, alignment))
        const across = alignment === 16 ? columns : 0
        expect(misplaced(layout, [64, columns], cellIn(f), (m, n) => [m, n + across])).toBe(null)
      }
    }
  })

  test('blockM 64 of a pair is data path B: the right half of the columns in rows 64 to 127', () => {
    const cgaBases = [[1, 0]]
    expect(basesIn(tmem(64, 128, { twoCTAs: true, cgaBases }), [128, 128])).toEqual({
      row: [
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
        [16, 0],
        [32, 0],
        [0, 64],
      ],
      col: [
        [0, 1],
        [0, 2],
        [0, 4],
        [0, 8],
        [0, 16],
        [0, 32],
      ],
      block: [[64, 0]],
    })
    const b = right(accumulator('B', 32))
    const layout = linearOf(tmem(64, 32, { twoCTAs: true, cgaBases }), [128, 32])
    expect(misplaced(layout, [128, 32], cellIn(b))).toBe(null)
  })
})

test('gaps: column stride 2 and padding leave the odd columns out', () => {
  expect(basesIn(tmem(128, 8, { colStride: 2 }), [128, 8])['col']).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 4],
  ])
  expect(basesIn(tmem(128, 8, { colStride: 4 }), [128, 8])['col']!.slice(0, 3)).toEqual([
    [0, 0],
    [0, 0],
    [0, 1],
  ])
  expect(basesIn(tmem(128, 8, { fp4Padded: true }), [128, 8])['col']).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 4],
  ])
  expect(basesIn(tmem(64, 8, { twoCTAs: true, fp4Padded: true }), [64, 8])['col']).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
  ])
  expect(basesIn(tmem(64, 8, { colStride: 2 }), [64, 8])['col']).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 4],
  ])
})

describe('law 4', () => {
  test('rows x mod 32 in all four quarters, byte 4 (x div 32) + k', () => {
    const layout = linearOf({ _tag: 'tensor_memory_scales' }, [128, 4])
    const cells = cellsOf(layout)
    for (const [x, k] of indices([128, 4]))
      expect(cells.get([x, k].join())).toEqual(
        range(4).map((quarter) => [0, (x! % 32) + 32 * quarter, 4 * (x! >> 5) + k!].join()),
      )
  })

  test('more of them: rows first or factors first', () => {
    const col = (blockRepOrder: 'mnThenK' | 'kThenMn' | null, shape: Shape): string =>
      basesIn({ _tag: 'tensor_memory_scales', ...(blockRepOrder === null ? {} : { blockRepOrder }) }, shape)
        ['col']!.map((basis) => basis.join())
        .join(' ')
    expect(col('mnThenK', [256, 8])).toBe('0,1 0,2 32,0 64,0 128,0 0,4')
    expect(col(null, [256, 8])).toBe('0,1 0,2 32,0 64,0 128,0 0,4')
    expect(col('kThenMn', [256, 8])).toBe('0,1 0,2 32,0 64,0 0,4 128,0')
    expect(col('kThenMn', [64, 8])).toBe('0,1 0,2 32,0 0,4')
    expect(col('kThenMn', [512, 16])).toBe('0,1 0,2 32,0 64,0 0,4 0,8 128,0 256,0')
    expect(col('mnThenK', [64, 4])).toBe('0,1 0,2 32,0')
    expect(col('mnThenK', [32, 2])).toBe('0,1 0,0 0,0')
    expect(basesIn({ _tag: 'tensor_memory_scales' }, [16, 4])['row']).toEqual([
      [1, 0],
      [2, 0],
      [4, 0],
      [8, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ])
  })

  test('a block of 128 x 4 is 16 columns, in either order', () => {
    for (const mn of nightly ? [128, 256, 512] : [256])
      for (const k of nightly ? [4, 8, 16] : [4, 8])
        for (const blockRepOrder of ['mnThenK', 'kThenMn'] as const) {
          const cells = cellsOf(linearOf({ _tag: 'tensor_memory_scales', blockRepOrder }, [mn, k]))
          const blocks = [mn / 128, k / 4] as const
          for (const [x, j] of indices([mn, k])) {
            const [i, f] = [x! >> 7, j! >> 2]
            const number = blockRepOrder === 'mnThenK' ? i + blocks[0] * f : f + blocks[1] * i
            const col = 16 * number + 4 * ((x! >> 5) % 4) + (j! % 4)
            expect(cells.get([x, j].join())![0]).toBe([0, x! % 32, col].join())
          }
        }
  })

  test('blocks have shares of their own', () => {
    const bases = basesIn({ _tag: 'tensor_memory_scales', cgaBases: [[1, 0]] }, [256, 4])
    expect(bases['block']).toEqual([[128, 0]])
    expect(bases['col']).toEqual([
      [0, 1],
      [0, 2],
      [32, 0],
      [64, 0],
    ])
  })

  test('in shared memory: the atoms of tcgen05.cp', () => {
    expect(JSON.stringify(basesByInput(right(scalesInSharedMemory([256, 16]))))).toBe(
      '{"offset":[[0,1],[0,2],[32,0],[64,0],[1,0],[2,0],[4,0],[8,0],[16,0],[0,4],[0,8],[128,0]],"block":[]}',
    )
    for (const [rows, factors] of [
      [128, 4],
      [256, 16],
      [512, 8],
    ] as const) {
      const layout = right(scalesInSharedMemory([rows, factors]))
      const offsetOf = right(scaleOffset(rows, factors))
      expect(layout.outputs.map(({ size }) => size)).toEqual([rows, factors])
      for (const [x, j] of indices([rows, factors]))
        if (apply(layout)({ offset: offsetOf(x!, j!) }).join() !== [x, j].join()) expect.fail([x, j].join())
    }
  })

  test('less than an atom is refused', () => {
    for (const shape of [
      [64, 4],
      [128, 2],
    ] as const)
      expect(scalesInSharedMemory(shape)).toEqual(
        E.left({
          code: 'triton.too-small',
          message: `Scales are copied in atoms of 128 rows x 4 factors, found (${shape.join(', ')})`,
        }),
      )
  })
})

test('law 5: rows and words', () => {
  const words = (spec: Parameters<typeof linearOf>[0], shape: Shape, bits: number): readonly number[] =>
    Object.values(allocation(linearOf(spec, shape), bits))
  expect(words(tmem(128, 64), [128, 64], 32)).toEqual([128, 64])
  expect(words(tmem(128, 64), [128, 64], 16)).toEqual([128, 32])
  expect(words(tmem(128, 64, { colStride: 2 }), [128, 64], 16)).toEqual([128, 64])
  expect(words(tmem(64, 64), [64, 64], 32)).toEqual([64, 64])
  expect(words(tmem(64, 64), [64, 128], 32)).toEqual([128, 64])
  expect(words(tmem(128, 2), [128, 2], 8)).toEqual([128, 1])
  expect(words({ _tag: 'tensor_memory_scales' }, [128, 4], 8)).toEqual([128, 4])
})

test('shares smaller than the block are refused', () => {
  expect(onShape(tmem(128, 64))([64, 64])).toEqual(
    E.left({
      code: 'triton.too-small',
      message: "A block's share must have 128 rows or more, blockM, found (64, 64)",
    }),
  )
  expect(E.isRight(onShape(tmem(64, 64))([64, 64]))).toBe(true)
  const pair = { twoCTAs: true }
  const message = (blockN: number, columns: number): string =>
    `A pair of blocks with blockM 64 splits the columns: 2 or more are needed, found (64, ${String(columns)}) with blockN ${String(blockN)}`
  for (const [blockN, columns] of [
    [1, 64],
    [64, 1],
  ] as const)
    expect(onShape(tmem(64, blockN, pair))([64, columns])).toEqual(
      E.left({ code: 'triton.too-small', message: message(blockN, columns) }),
    )
  expect(E.isRight(onShape(tmem(64, 2, pair))([64, 2]))).toBe(true)
  expect(E.isRight(onShape(tmem(64, 1))([64, 1]))).toBe(true)
  expect(E.isRight(onShape(tmem(128, 1, pair))([128, 1]))).toBe(true)
  expect(E.isLeft(onShape(tmem(128, 64, { cgaBases: [[2, 0]] }))([256, 64]))).toBe(true)
})
