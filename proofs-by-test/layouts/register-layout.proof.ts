import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Linear from '../../src/layouts/linear/linear-layout.js'
import * as R from '../../src/layouts/register-layout.js'
import type { RegisterLayout } from '../../src/layouts/register-layout.js'
import { splatLayout } from '../../src/layouts/splat.js'
import { stridedLayout } from '../../src/layouts/strided.js'
import * as Tiled from '../../src/layouts/tiled.js'
import { fragments, indices, range } from './captured.js'
import { code, right } from '../either.js'

const log2 = (n: number): readonly number[] => range(Math.log2(n))

/** Triton's mma v3 result on one warpgroup. */
const mmaV3 = (n: number): RegisterLayout =>
  right(
    Linear.registerLinearLayout(
      [64, n],
      [[0, 1], [8, 0], ...log2(n / 8).map((k) => [0, 8 << k])],
      [
        [0, 2],
        [0, 4],
        [1, 0],
        [2, 0],
        [4, 0],
      ],
      [
        [16, 0],
        [32, 0],
      ],
    ),
  )

/** CuTe's ((4,8,4),(2,2,N/8)) : ((128,1,16),(64,8,512)) into row + 64 column. */
const cute = (thread: number, value: number): readonly [number, number] => {
  const at =
    (thread % 4) * 128 +
    (Math.floor(thread / 4) % 8) * 1 +
    Math.floor(thread / 32) * 16 +
    (value % 2) * 64 +
    (Math.floor(value / 2) % 2) * 8 +
    Math.floor(value / 4) * 512
  return [at % 64, Math.floor(at / 64)]
}

/** Elements of every thread, in register order. Law 1 ties the table to `elementOf`. */
const table = (
  layout: RegisterLayout,
  shape: readonly number[],
): readonly (readonly (readonly number[])[])[] => {
  const positions = R.elementTable(layout, shape)
  const registers = R.registersPerLane(layout, shape)
  const columns = shape[1]!
  return range(128).map((t) =>
    range(registers).map((r) => {
      const p = positions[t * registers + r]!
      return [Math.floor(p / columns), p % columns]
    }),
  )
}

describe('accumulators', () => {
  const captured = Object.entries(fragments().d_fragments)

  test.each(captured)(
    'identity 8 on silicon: the D fragment of %s is WGMMA in register order',
    (_, { n, row_col }) => {
      const flat = table(Tiled.WGMMA, [64, n]).map((registers) => registers.flat())
      expect(flat).toEqual(row_col)
    },
  )

  test('all sizes of the capture', () => {
    expect([...new Set(captured.map(([, f]) => f.n))].sort((a, b) => a - b)).toEqual([8, 64, 256])
  })

  test.each([8, 16, 64, 128, 256])('identity 8: WGMMA = Triton mma v3 = CuTe, 64 x %i', (n) => {
    expect(R.sameFunction(Tiled.WGMMA, mmaV3(n), [64, n])).toBe(true)
    expect(table(Tiled.WGMMA, [64, n])).toEqual(range(128).map((t) => range(n / 2).map((v) => cute(t, v))))
  })

  test('identity 11: WGMMA = WGMMA_ACC_32BIT as functions', () => {
    for (const shape of [
      [64, 32],
      [64, 8],
      [128, 8],
    ])
      expect(R.sameFunction(Tiled.WGMMA, Tiled.WGMMA_ACC_32BIT, shape)).toBe(true)
    expect(R.sameLayout(Tiled.WGMMA, Tiled.WGMMA_ACC_32BIT)).toBe(false)
    expect(R.sameFunction(Tiled.WGMMA, Tiled.WGMMA_TRANSPOSED, [64, 8])).toBe(false)
  })

  test('identity 10: row and column vectors = slices of mma v3', () => {
    const slice = (d: number): RegisterLayout => {
      const parent = mmaV3(64)
      return parent._tag === 'linear' ? right(Linear.sliceDimension(d)(parent)) : parent
    }
    expect(R.sameFunction(Tiled.WGMMA_ROW, slice(1), [64])).toBe(true)
    expect(R.sameFunction(Tiled.WGMMA_COL, slice(0), [64])).toBe(true)
    expect(R.sameFunction(Tiled.WGMMA_ROW, slice(0), [64])).toBe(false)
    expect(R.owners(Tiled.WGMMA_ROW, [64], [5]).length).toBe(4)
    expect(R.owners(Tiled.WGMMA_COL, [64], [5]).length).toBe(32)
  })
})

describe('A operands from registers', () => {
  /** With 4 warps along M: e elements a register, k = 8e. */
  const mmaLhs = (e: number): Tiled.TiledLayout => right(Tiled.MMA_LHS(32 / e, 4))
  /** Triton's dot operand, kWidth e. */
  const dotOperand = (e: number): RegisterLayout =>
    right(
      Linear.registerLinearLayout(
        [64, 8 * e],
        [...log2(e).map((k) => [0, 1 << k]), [8, 0], [0, 4 * e]],
        [
          [0, e],
          [0, 2 * e],
          [1, 0],
          [2, 0],
          [4, 0],
        ],
        [
          [16, 0],
          [32, 0],
        ],
      ),
    )
  const captured: Readonly<Record<string, readonly [number, Tiled.TiledLayout]>> = {
    f32_f16_f16_n16_ra: [2, Tiled.WGMMA],
    s32_s8_s8_n32_ra: [4, Tiled.WGMMA_8BIT],
    f32_tf32_tf32_n8_ra: [1, mmaLhs(1)],
  }

  test.each(Object.entries(captured))('identity 9 on silicon: %s', (name, [e, layout]) => {
    const { k, thread_plus_128_times_element: held } = fragments().a_fragments[name]!
    expect(k).toBe(8 * e)
    const wrong = indices([64, k]).filter(([row, column]) => {
      const owners = R.owners(layout, [64, k], [row!, column!])
      const { warp, lane, register } = owners[0]!
      return owners.length !== 1 || warp * 32 + lane + 128 * register !== held[row!]![column!]
    })
    expect(wrong).toEqual([])
  })

  test('identity 9: = MMA_LHS = Triton dot operand; a 16-column D tile is an A fragment', () => {
    for (const [e, layout] of Object.values(captured)) {
      expect(R.sameFunction(layout, mmaLhs(e), [64, 8 * e])).toBe(true)
      expect(R.sameFunction(layout, dotOperand(e), [64, 8 * e])).toBe(true)
    }
    expect(R.sameFunction(mmaLhs(2), mmaV3(16), [64, 16])).toBe(true)
    expect(Object.keys(fragments().a_fragments).sort()).toEqual(Object.keys(captured).sort())
  })
})

const samples: readonly (readonly [string, RegisterLayout, readonly number[]])[] = [
  ['tiled', Tiled.WGMMA, [64, 16]],
  ['tiled, replicated', Tiled.WGMMA_ROW, [64]],
  ['strided', right(stridedLayout([4, 128], 2)), [4, 128]],
  ['splat', splatLayout([2, 4]), [2, 4]],
  ['linear', mmaV3(8), [64, 8]],
  [
    'linear, replicated',
    right(
      Linear.registerLinearLayout(
        [8, 4],
        [[0, 0]],
        [
          [0, 1],
          [0, 2],
          [1, 0],
          [2, 0],
          [4, 0],
        ],
        [
          [0, 0],
          [4, 0],
        ],
      ),
    ),
    [8, 4],
  ],
  ['linear, four lanes and no warps', right(Linear.registerLinearLayout([8], [[4]], [[1], [2]], [])), [8]],
]

describe.each([...samples])('%s', (_, layout, shape) => {
  const spots = indices([R.warpCount(layout), R.laneCount(layout), R.registersPerLane(layout, shape)])
  const position = (e: readonly number[]): number => e.reduce((p, i, k) => p * shape[k]! + i, 0)

  test('law 1: the table', () => {
    expect([...R.elementTable(layout, shape)]).toEqual(
      spots.map(([w, l, r]) => position(R.elementOf(layout, shape, w!, l!, r!))),
    )
  })

  test('law 2: owners', () => {
    const held = spots.map(([w, l, r]) => position(R.elementOf(layout, shape, w!, l!, r!)))
    for (const e of indices(shape).filter((_, k) => k % 23 === 0 || k === 1)) {
      const expected = spots.filter((_, k) => layout._tag === 'splat' || held[k] === position(e))
      expect(R.owners(layout, shape, e)).toEqual(
        expected.map(([warp, lane, register]) => ({ warp, lane, register })),
      )
      expect(expected.length).toBeGreaterThan(0)
    }
  })

  test('law 3: equality is that of data for samples of different shape or kind', () => {
    for (const [, other, otherShape] of samples) {
      expect(R.sameLayout(layout, other)).toBe(JSON.stringify(layout) === JSON.stringify(other))
      if (JSON.stringify(shape) === JSON.stringify(otherShape))
        expect(R.sameFunction(layout, other, shape)).toBe(layout === other)
    }
    expect(code(R.checkShape(layout, shape))).toBeNull()
    expect(code(R.checkShape(layout, [...shape, 7]))).toBe('layout.shape')
  })

  test('law 4: every element of a line once, in the plan of its output', () => {
    for (const axes of [...shape.map((_, k) => [k]), shape.map((_, k) => k)]) {
      const order = right(R.reduceOrder(layout, shape, axes))
      const kept = shape.filter((_, k) => !axes.includes(k))
      expect(order.shape).toEqual(kept)
      const lines = new Map<number, number[]>()
      for (const e of indices(shape)) {
        const out = e.filter((_, k) => !axes.includes(k)).reduce((p, i, k) => p * kept[k]! + i, 0)
        lines.set(out, [...(lines.get(out) ?? []), position(e)])
      }
      const seen: number[] = []
      for (const plan of order.plans)
        plan.outputs.forEach((out, at) => {
          seen.push(out)
          // Evaluating over lists shows which elements are used, and that each is used once.
          const used = R.evaluatePlan<readonly number[]>((a, b) => [...a, ...b])(plan, at, (p) => [p])
          expect([...used].sort((a, b) => a - b)).toEqual(lines.get(out))
        })
      expect(seen.sort((a, b) => a - b)).toEqual([...lines.keys()].sort((a, b) => a - b))
    }
  })
})

describe('the order of reductions', () => {
  const textIn = (order: R.ReduceOrder, output: number): string => {
    for (const plan of order.plans) {
      const at = plan.outputs.indexOf(output)
      if (at >= 0) return R.evaluatePlan<string>((a, b) => `(${a}+${b})`)(plan, at, String)
    }
    return 'missing'
  }
  const text = (
    layout: RegisterLayout,
    shape: readonly number[],
    axis: number | readonly number[],
    output: number,
  ): string => textIn(right(R.reduceOrder(layout, shape, axis)), output)
  const left = (terms: readonly string[]): string => terms.slice(1).reduce((a, b) => `(${a}+${b})`, terms[0]!)

  test.each([8, 32, 128])('law 5: a row of WGMMA, columns 8j + 2c + v, 64 x %i, all rows', (n) => {
    const s = (row: number, c: number): string =>
      left([0, 1].map((v) => left(range(n / 8).map((j) => String(row * n + 8 * j + 2 * c + v)))))
    const order = right(R.reduceOrder(Tiled.WGMMA, [64, n], 1))
    for (const row of range(64))
      expect(textIn(order, row)).toBe(`((${s(row, 0)}+${s(row, 1)})+(${s(row, 2)}+${s(row, 3)}))`)
    expect(order.plans.length).toBe(1)
  })

  test('law 5: a column of WGMMA: registers, then lanes 4, 8, 16 apart, then warps upwards', () => {
    const [n, m] = [8, 128]
    for (const column of range(n)) {
      const lane = (warp: number, g: number): string =>
        left([0, 64].flatMap((t) => [0, 8].map((half) => String((t + 16 * warp + half + g) * n + column))))
      const pair = (warp: number, g: number): string => `(${lane(warp, g)}+${lane(warp, g + 1)})`
      const quad = (warp: number, g: number): string => `(${pair(warp, g)}+${pair(warp, g + 2)})`
      expect(text(Tiled.WGMMA, [m, n], 0, column)).toBe(
        left(range(4).map((warp) => `(${quad(warp, 0)}+${quad(warp, 4)})`)),
      )
    }
  })

  test('law 4: replicas are not combined again; one register per row half', () => {
    const lane = (w: number, g: number): string => `(${String(16 * w + g)}+${String(16 * w + g + 8)})`
    const warp = (w: number): string => {
      const pairs = [0, 2, 4, 6].map((g) => `(${lane(w, g)}+${lane(w, g + 1)})`)
      return `((${pairs[0]!}+${pairs[1]!})+(${pairs[2]!}+${pairs[3]!}))`
    }
    expect(text(Tiled.WGMMA_ROW, [64], 0, 0)).toBe(left(range(4).map(warp)))
  })

  test('a splat folds row-major; a strided row of 96 has two patterns or more, still all defined', () => {
    expect(text(splatLayout([2, 3]), [2, 3], [0, 1], 0)).toBe('(((((0+1)+2)+3)+4)+5)')
    expect(text(splatLayout([2, 3]), [2, 3], 0, 1)).toBe('(1+4)')
    const strided = right(stridedLayout([8, 96], 2))
    expect(right(R.reduceOrder(strided, [8, 96], 1)).plans.length).toBeGreaterThan(1)
    expect(text(right(stridedLayout([2, 64], 1)), [2, 64], 0, 5)).toBe('(5+69)')
    expect(text(right(stridedLayout([64, 4], 2)), [64, 4], 1, 0)).toBe('((0+1)+(2+3))')
  })

  test('the order is one of the data: without vectors, registers fold as one list', () => {
    const row = (c: number): string => left([0, 1, 8, 9].map((k) => String(k + 2 * c)))
    const expected = `((${row(0)}+${row(1)})+(${row(2)}+${row(3)}))`
    expect(text(mmaV3(16), [64, 16], 1, 0)).toBe(expected)
  })

  test('refused', () => {
    expect(code(R.reduceOrder(Tiled.WGMMA, [64, 8], 2))).toBe('layout.axis')
    expect(code(R.reduceOrder(Tiled.WGMMA, [64, 8], -1))).toBe('layout.axis')
    expect(code(R.reduceOrder(Tiled.WGMMA, [64, 9], 0))).toBe('layout.shape')
  })
})

describe('conversions', () => {
  const {
    WGMMA,
    WGMMA_TRANSPOSED,
    WGMMA_ACC_32BIT,
    TCGEN05,
    TCGEN05_TRANSPOSED,
    WGMMA_UPCAST_2X,
    WGMMA_UPCAST_4X,
    WGMMA_8BIT,
  } = Tiled
  const native = (v: number): RegisterLayout => right(Tiled.TMEM_NATIVE(v))
  const ok = (
    from: RegisterLayout,
    to: RegisterLayout,
    bits: number,
    shape: readonly number[] = [128, 32],
  ): boolean => E.isRight(R.canConvert(from, to, shape, bits))

  test('the legal ones and no others, over 10 layouts and 5 widths', () => {
    const all: Readonly<Record<string, RegisterLayout>> = {
      WGMMA,
      WGMMA_TRANSPOSED,
      WGMMA_ACC_32BIT,
      TCGEN05,
      TCGEN05_TRANSPOSED,
      WGMMA_UPCAST_2X,
      WGMMA_UPCAST_4X,
      WGMMA_8BIT,
      'NATIVE(2)': native(2),
      'NATIVE(4)': native(4),
    }
    const legal = new Set<string>()
    for (const [a, from] of Object.entries(all))
      for (const [b, to] of Object.entries(all))
        for (const bits of [4, 8, 16, 32, 64])
          if (a !== b && ok(from, to, bits)) legal.add(`${a} ${b} ${String(bits)}`)
    const expected = [
      ...[16, 32].flatMap((bits) => [
        `WGMMA WGMMA_TRANSPOSED ${String(bits)}`,
        `WGMMA_TRANSPOSED WGMMA ${String(bits)}`,
        `TCGEN05 TCGEN05_TRANSPOSED ${String(bits)}`,
        `TCGEN05_TRANSPOSED TCGEN05 ${String(bits)}`,
      ]),
      ...[4, 8, 16, 32, 64].flatMap((bits) => [
        `WGMMA WGMMA_ACC_32BIT ${String(bits)}`,
        `WGMMA_ACC_32BIT WGMMA ${String(bits)}`,
        `NATIVE(2) NATIVE(4) ${String(bits)}`,
        `NATIVE(4) NATIVE(2) ${String(bits)}`,
      ]),
      'WGMMA_UPCAST_4X WGMMA_UPCAST_2X 4',
      'WGMMA_UPCAST_4X WGMMA 4',
      ...[4, 8, 16].map((bits) => `WGMMA_UPCAST_2X WGMMA ${String(bits)}`),
    ]
    expect([...legal].sort()).toEqual(expected.sort())
    for (const layout of Object.values(all)) expect(ok(layout, layout, 8)).toBe(true)
  })

  test('splats go anywhere, nothing goes back; the error names both', () => {
    expect(ok(splatLayout([128, 32]), WGMMA, 32)).toBe(true)
    expect(ok(splatLayout([]), WGMMA, 32)).toBe(true)
    expect(ok(WGMMA, splatLayout([128, 32]), 32)).toBe(false)
    expect(R.canConvert(WGMMA, WGMMA_8BIT, [64, 16], 8)).toMatchObject({
      left: {
        code: 'layout.cannot-convert',
        message:
          'Cannot convert from WGMMA to WGMMA_8BIT for 8-bit elements of shape (64, 16): it converts to WGMMA_ACC_32BIT',
      },
    })
    expect(code(R.canConvert(WGMMA, WGMMA, [64, 9], 8))).toBe('layout.shape')
    expect(code(R.canConvert(splatLayout([]), TCGEN05, [64, 8], 8))).toBe('layout.shape')
    expect(
      [WGMMA, native(2), right(stridedLayout([4, 128], 2)), splatLayout([4]), mmaV3(8)].map(R.showLayout),
    ).toEqual([
      'WGMMA',
      'TMEM_NATIVE(2)',
      'WG_STRIDED((4, 128), 2)',
      'WG_SPLAT((4,))',
      'a linear layout of shape (64, 8)',
    ])
    expect(R.nameOf(right(Tiled.reduce([1])(WGMMA)))).toBe('WGMMA_ROW')
    expect(R.nameOf(native(2))).toBe('TMEM_NATIVE(2)')
    expect(R.nameOf(splatLayout([4]))).toBeNull()
    const message = (result: E.Either<{ readonly message: string }, unknown>): string =>
      E.isLeft(result) ? result.left.message : ''
    expect(message(R.canConvert(WGMMA_8BIT, WGMMA, [64, 16], 8))).toContain('it converts to no other layout')
    expect(message(R.canConvert(native(2), WGMMA, [128, 8], 8))).toContain(
      'it converts to TMEM_NATIVE of any vector length',
    )
    expect(R.conversionTargets(WGMMA, 16)).toEqual(['WGMMA_TRANSPOSED', 'WGMMA_ACC_32BIT'])
    expect(R.conversionTargets(WGMMA_ACC_32BIT, 8)).toEqual(['WGMMA'])
    expect(R.conversionTargets(WGMMA_UPCAST_4X, 4)).toEqual(['WGMMA_UPCAST_2X', 'WGMMA'])
  })
})
