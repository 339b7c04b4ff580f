/** Tensors in registers, against closed forms, the tiled layouts, and what an H100's fragments are. */
import { describe, expect, test } from 'vitest'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply, inputSize, isSurjective, rank } from '../../../src/layouts/linear/linear-layout.js'
import { sameFunction } from '../../../src/layouts/register-layout.js'
import * as Tiled from '../../../src/layouts/tiled.js'
import type { DistributedSpec, NvidiaMma } from '../../../src/layouts/triton/encoding.js'
import { fragments } from '../captured.js'
import { basesByInput, basesIn, blocked, computed, linearOf, mmaV2, mmaV3, range, specOf } from './readers.js'
import { right } from '../../either.js'

const operandA = (parent: NvidiaMma, kWidth: number): DistributedSpec => ({
  _tag: 'dot_operand',
  opIdx: 0,
  kWidth,
  parent,
})

test('law 1: every element has an owner, with as many copies as there are zero bases', () => {
  for (const { encoding, shape } of computed().conversion) {
    const spec = specOf(encoding)
    if (!['blocked', 'slice', 'nvidia_mma', 'dot_operand'].includes(spec._tag)) continue
    const layout = linearOf(spec, shape)
    expect(isSurjective(layout), JSON.stringify({ encoding, shape })).toBe(true)
    // Every basis is zero or new.
    expect(rank(layout)).toBe(
      layout.inputs.flatMap(({ bases }) => bases.filter((basis) => basis.some((v) => v !== 0))).length,
    )
  }
})

test('law 1: blocked by hand: thread t of warp w holds row 8w + t div 4, columns 8 (t mod 4) to 8 (t mod 4) + 7', () => {
  const closed = range(128).map((thread) =>
    range(16).flatMap((register) => [
      8 * (thread >> 5) + ((thread % 32) >> 2) + 32 * (register >> 3),
      8 * (thread % 4) + (register % 8),
    ]),
  )
  expect(held(linearOf(blocked([1, 8], [8, 4], [4, 1], [1, 0]), [64, 32]))).toEqual(closed)
})

/** (row, column) of every register of every thread of a warpgroup, flat. */
const held = (layout: LinearLayout): ReadonlyArray<ReadonlyArray<number>> =>
  range(128).map((thread) =>
    range(inputSize(layout, 'register')).flatMap((register) =>
      apply(layout)({ warp: thread >> 5, lane: thread % 32, register }),
    ),
  )

describe('law 2', () => {
  test.each([8, 64, 256])('the closed form of wgmma, %i columns', (columns) => {
    const closed = range(128).map((thread) =>
      range(columns / 2).flatMap((register) => [
        16 * (thread >> 5) + ((thread % 32) >> 2) + 8 * ((register >> 1) & 1),
        2 * (thread % 4) + (register % 2) + 8 * (register >> 2),
      ]),
    )
    expect(held(linearOf(mmaV3(columns), [64, columns]))).toEqual(closed)
  })

  test('what the tensor core of an H100 leaves in the accumulators', () => {
    const captured = Object.entries(fragments().d_fragments)
    expect(captured.length).toBeGreaterThan(3)
    for (const [name, { n, row_col }] of captured)
      expect(held(linearOf(mmaV3(n), [64, n])), name).toEqual(row_col)
  })

  test('what it takes for operand 0', () => {
    const captured = Object.entries(fragments().a_fragments)
    expect(captured.length).toBeGreaterThan(1)
    for (const [name, { k, thread_plus_128_times_element }] of captured) {
      const found = range(64).map(() => new Array<number>(k))
      held(linearOf(operandA(mmaV3(64), k / 8), [64, k])).forEach((pairs, thread) => {
        for (const element of range(pairs.length / 2))
          found[pairs[2 * element]!]![pairs[2 * element + 1]!] = thread + 128 * element
      })
      expect(found, name).toEqual(thread_plus_128_times_element)
    }
  })

  test.each([8, 16, 64, 256])('WGMMA, %i columns: registers repeat along columns, then rows', (columns) => {
    for (const rows of [64, 128])
      expect(
        sameFunction(linearOf(mmaV3(columns), [64, columns]), Tiled.WGMMA, [64, columns]),
        String(rows),
      ).toBe(true)
    expect(basesIn(mmaV3(columns), [128, columns])['register']!.slice(-1)).toEqual([[64, 0]])
  })
})

describe('operands of the tensor cores are those of the tiled layouts', () => {
  test('16 bits: the accumulator of 64 x 16; 8 bits: WGMMA_8BIT on 64 x 32; 32 bits: MMA_LHS(1, 4)', () => {
    expect(sameFunction(linearOf(operandA(mmaV3(64), 2), [64, 16]), Tiled.WGMMA, [64, 16])).toBe(true)
    expect(sameFunction(linearOf(operandA(mmaV3(64), 4), [64, 32]), Tiled.WGMMA_8BIT, [64, 32])).toBe(true)
    for (const [bits, columns] of [
      [32, 8],
      [16, 16],
      [8, 32],
    ] as const) {
      const layout = linearOf(operandA(mmaV3(64), 32 / bits), [64, columns])
      expect(sameFunction(layout, right(Tiled.MMA_LHS(bits, 4)), [64, columns])).toBe(true)
    }
  })

  test('mma v2: MMA_RHS and MMA_ACC', () => {
    const rhs = (kWidth: number): DistributedSpec => ({
      _tag: 'dot_operand',
      opIdx: 1,
      kWidth,
      parent: { ...mmaV2([4, 1]), warpsPerCTA: [4, 1] },
    })
    expect(sameFunction(linearOf(rhs(2), [16, 8]), right(Tiled.MMA_RHS(16, 4)), [16, 8])).toBe(true)
    expect(sameFunction(linearOf(rhs(4), [32, 8]), right(Tiled.MMA_RHS(8, 4)), [32, 8])).toBe(true)
    expect(sameFunction(linearOf(mmaV2([4, 1]), [64, 8]), right(Tiled.MMA_ACC(4)), [64, 8])).toBe(true)
  })

  test('a 16-column tile of accumulators, packed, is operand 0 of 16 bits', () => {
    expect(basesIn(operandA(mmaV3(64), 2), [64, 16])).toEqual(basesIn(mmaV3(16), [64, 16]))
  })
})

describe('law 3', () => {
  const parents: ReadonlyArray<readonly [DistributedSpec, readonly number[]]> = [
    [mmaV3(64), [64, 64]],
    [mmaV3(8, [4, 2]), [64, 32]],
    [blocked([2, 1, 4], [4, 2, 4], [1, 2, 2], [2, 0, 1]), [16, 8, 32]],
    [operandA(mmaV2([2, 2]), 4), [32, 64]],
  ]
  test('a slice is its parent on an extent of 1, projected; its registers tell elements apart', () => {
    for (const [parent, shape] of parents)
      for (const dim of range(shape.length)) {
        const whole = linearOf(
          parent,
          shape.map((extent, d) => (d === dim ? 1 : extent)),
        )
        const slice = linearOf(
          { _tag: 'slice', dim, parent },
          shape.filter((_, d) => d !== dim),
        )
        const elements = (layout: typeof slice, warp: number, lane: number): ReadonlySet<string> =>
          new Set(
            range(inputSize(layout, 'register')).map((register) =>
              apply(layout)({ warp, lane, register })
                .filter((_, d) => layout === slice || d !== dim)
                .join(),
            ),
          )
        for (const warp of range(inputSize(slice, 'warp')))
          for (const lane of [0, 1, 5, 31])
            expect(elements(slice, warp, lane)).toEqual(elements(whole, warp, lane))
        expect(elements(slice, 0, 0).size).toBe(inputSize(slice, 'register'))
      }
  })

  test('slices of wgmma are WGMMA_ROW and WGMMA_COL, 4 and 32 copies', () => {
    const row = linearOf({ _tag: 'slice', dim: 1, parent: mmaV3(64) }, [64])
    const column = linearOf({ _tag: 'slice', dim: 0, parent: mmaV3(64) }, [64])
    expect(sameFunction(row, Tiled.WGMMA_ROW, [64])).toBe(true)
    expect(sameFunction(column, Tiled.WGMMA_COL, [64])).toBe(true)
    expect(sameFunction(row, right(Tiled.reduce([1])(Tiled.WGMMA)), [64])).toBe(true)
    expect(sameFunction(column, right(Tiled.reduce([0])(Tiled.WGMMA)), [64])).toBe(true)
    const copies = (layout: typeof row): number => (128 * inputSize(layout, 'register')) / 2 ** rank(layout)
    expect([copies(row), copies(column)]).toEqual([4, 32])
  })
})

test('law 4: warps and blocks along K hold the same operand', () => {
  for (const [opIdx, kDim] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const warps = opIdx === 0 ? [2, 4] : [4, 2]
    const cgaBases = [
      [1, 0],
      [0, 1],
    ]
    const bases = basesIn(
      { _tag: 'dot_operand', opIdx, kWidth: 2, parent: { ...mmaV2(warps), cgaBases } },
      [128, 128],
    )
    expect(bases['warp']!.map((basis) => basis[kDim])).toEqual([0, 0, 0])
    expect(bases['block']!.map((basis) => basis[kDim])).toEqual([0, 0])
    expect(bases['block']!.map((basis) => basis[1 - kDim])).toEqual(opIdx === 0 ? [64, 0] : [0, 64])
    const one = basesIn({ _tag: 'dot_operand', opIdx, kWidth: 2, parent: mmaV2([1, 1]) }, [128, 128])
    expect(bases['lane']).toEqual(one['lane'])
    expect(bases['register']!.slice(0, 4)).toEqual(one['register']!.slice(0, 4))
  }
})

test('an operand without tensor cores: a thread has all of K', () => {
  const parent = blocked([2, 4], [4, 8], [2, 2], [1, 0])
  const bases = basesIn({ _tag: 'dot_operand', opIdx: 0, parent }, [32, 8])
  expect(basesIn({ _tag: 'dot_operand', opIdx: 0, kWidth: 0, parent }, [32, 8])).toEqual(bases)
  expect(bases).toEqual({
    register: [
      [0, 1],
      [0, 2],
      [0, 4],
      [1, 0],
      [16, 0],
    ],
    lane: [
      [0, 0],
      [0, 0],
      [0, 0],
      [2, 0],
      [4, 0],
    ],
    warp: [
      [0, 0],
      [8, 0],
    ],
    block: [],
  })
  expect(basesIn({ _tag: 'dot_operand', opIdx: 1, kWidth: 0, parent }, [4, 128])).toEqual({
    register: [
      [0, 1],
      [0, 2],
      [1, 0],
      [2, 0],
      [0, 64],
    ],
    lane: [
      [0, 4],
      [0, 8],
      [0, 16],
      [0, 0],
      [0, 0],
    ],
    warp: [
      [0, 32],
      [0, 0],
    ],
    block: [],
  })
})

describe('law 5', () => {
  const layout = linearOf(blocked([1, 4], [32, 1], [4, 1], [0, 1]), [128, 8])
  const spec: DistributedSpec = { _tag: 'linear', layout }

  test('on its own shape it is the layout', () => {
    expect(linearOf(spec, [128, 8])).toEqual(layout)
  })

  test('registers that replicate stay', () => {
    const replicated = linearOf(blocked([1, 4], [32, 1], [4, 1], [0, 1]), [128, 2])
    expect(basesByInput(replicated)['register']).toEqual([
      [0, 1],
      [0, 0],
    ])
    expect(linearOf({ _tag: 'linear', layout: replicated }, [128, 2])).toEqual(replicated)
  })

  test('a smaller shape drops registers and replicates lanes and warps', () => {
    expect(basesIn(spec, [64, 2])).toEqual({
      register: [[0, 1]],
      lane: [
        [1, 0],
        [2, 0],
        [4, 0],
        [8, 0],
        [16, 0],
      ],
      warp: [
        [32, 0],
        [0, 0],
      ],
      block: [],
    })
  })

  test('a larger shape repeats in registers, first along the dimension that its registers run along', () => {
    expect(basesIn(spec, [256, 16])['register']).toEqual([
      [0, 1],
      [0, 2],
      [0, 4],
      [0, 8],
      [128, 0],
    ])
    const rows = linearOf(blocked([4, 1], [1, 32], [1, 4], [1, 0]), [8, 128])
    expect(basesIn({ _tag: 'linear', layout: rows }, [16, 256])['register']).toEqual([
      [1, 0],
      [2, 0],
      [4, 0],
      [8, 0],
      [0, 128],
    ])
    const none = linearOf(blocked([1, 1], [4, 8], [1, 1], [1, 0]), [4, 8])
    expect(basesIn({ _tag: 'linear', layout: none }, [8, 16])['register']).toEqual([
      [0, 8],
      [4, 0],
    ])
  })
})
