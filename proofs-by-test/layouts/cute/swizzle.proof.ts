/** Swizzles, composed layouts, tensor maps. */
import { describe, expect, test } from 'vitest'
import {
  at,
  composed,
  evaluate,
  mapInner,
  recastComposed,
  sliceComposed,
} from '../../../src/layouts/cute/composed.js'
import { group } from '../../../src/layouts/cute/layout.js'
import {
  apply,
  downcast,
  maxAlignment,
  ofSpan,
  period,
  spanOf,
  swizzle,
  upcast,
} from '../../../src/layouts/cute/swizzle.js'
import type { Swizzle } from '../../../src/layouts/cute/swizzle.js'
import { baseOffset, chunkTable, tensorMapSwizzles } from '../../../src/layouts/cute/tensor-map.js'
import type { TensorMapSwizzle } from '../../../src/layouts/cute/tensor-map.js'
import { parseComposed, showComposed } from '../../../src/layouts/cute/text.js'
import { swizzleAddress, swizzlePeriodBytes, swizzles } from '../../../src/transforms/swizzle.js'
import { L, range, value } from './readers.js'
import { code, right } from '../../either.js'

const S = (b: number, m: number, s: number): Swizzle => right(swizzle(b, m, s))
const family = [0, 1, 2, 3].flatMap((b) =>
  [0, 1, 3].flatMap((m) =>
    [-4, -3, -2, -1, 0, 1, 2, 3, 4].filter((s) => Math.abs(s) >= b).map((s) => S(b, m, s)),
  ),
)

/** The definition with masks, in 32 bits. */
const masked =
  ({ bits, base, shift }: Swizzle) =>
  (x: number): number => {
    const yyy = (2 ** bits - 1) << (base + Math.max(0, shift))
    return x ^ (shift >= 0 ? (x & yyy) >> shift : (x & yyy) << -shift)
  }

describe('swizzles', () => {
  test('construction', () => {
    for (const [b, m, s] of [
      [-1, 0, 3],
      [1.5, 0, 3],
      [1, -1, 3],
      [1, 0.5, 3],
      [1, 0, 1.5],
      [2, 0, 1],
      [2, 0, -1],
    ] as const)
      expect(code(swizzle(b, m, s))).toBe('cute.swizzle')
    expect(S(2, 0, 2)).toEqual({ _tag: 'swizzle', bits: 2, base: 0, shift: 2 })
    expect(S(0, 0, 0)).toEqual({ _tag: 'swizzle', bits: 0, base: 0, shift: 0 })
  })

  test('laws 1, 2, 3 and 5: by masks; an involution, a period, an alignment, linear', () => {
    const wrong: string[] = []
    for (const s of family) {
      const f = apply(s)
      const g = masked(s)
      const p = period(s)
      for (let x = 0; x < 1024; x++) {
        const y = f(x)
        const ok =
          y === g(x) &&
          f(y) === x &&
          f(x + p) === y + p &&
          Math.floor(y / p) === Math.floor(x / p) &&
          y % maxAlignment(s) === x % maxAlignment(s) &&
          (s.shift < 0 || x >= maxAlignment(s) || y === x) &&
          f(x ^ 0x155) === (y ^ f(0x155))
        if (!ok) wrong.push(`${JSON.stringify(s)} ${String(x)}`)
      }
    }
    expect(wrong).toEqual([])
    expect(range(4).map(apply(S(2, 0, 3)))).toEqual([0, 1, 2, 3])
    expect([8, 9, 10, 11, 16, 24].map(apply(S(2, 0, 3)))).toEqual([9, 8, 11, 10, 18, 27])
    expect(apply(S(2, 0, -3))(610800463)).toBe(610800471)
    // No bits are lost above 2^32.
    expect(apply(S(1, 40, 3))(2 ** 43)).toBe(2 ** 43 + 2 ** 40)
    expect([period(S(1, 4, 3)), period(S(2, 5, -4)), maxAlignment(S(1, 4, 3))]).toEqual([256, 2048, 16])
  })

  test('law 4: the byte swizzles of the hardware (identity 1)', () => {
    for (const span of swizzles) {
      const s = ofSpan(span)
      expect(spanOf(s)).toBe(span)
      const f = apply(s)
      const g = swizzleAddress(span)
      expect(range(65536).every((x) => f(x) === g(x))).toBe(true)
      if (span > 16) expect(period(s)).toBe(swizzlePeriodBytes(span))
    }
    expect([S(4, 4, 4), S(1, 3, 3), S(1, 4, 2), S(1, 5, 3)].map(spanOf)).toEqual([null, null, null, null])
    expect(spanOf({ _tag: 'swizzle', bits: 4, base: 4, shift: 3 })).toBe(null)
  })

  test('law 6: recasting', () => {
    const wrong: string[] = []
    for (const s of family)
      for (const n of [1, 2, 4, 8, 16]) {
        const wide = apply(right(upcast(n)(s)))
        const f = apply(s)
        const narrow = apply(right(downcast(n)(s)))
        for (let x = 0; x < 256; x++) {
          if (wide(x) !== Math.floor(f(n * x) / n))
            wrong.push(`up ${JSON.stringify(s)} ${String(n)} ${String(x)}`)
          if (narrow(n * x + (x % n)) !== n * f(x) + (x % n))
            wrong.push(`down ${JSON.stringify(s)} ${String(x)}`)
        }
      }
    expect(wrong).toEqual([])
    expect(right(upcast(4)(S(3, 5, 4)))).toEqual(S(3, 3, 4))
    expect(right(downcast(4)(S(3, 3, 4)))).toEqual(S(3, 5, 4))
    expect(right(upcast(8)(S(3, 1, 4)))).toEqual(S(1, 0, 4))
    expect(right(upcast(64)(S(3, 1, 4)))).toEqual(S(0, 0, 4))
    for (const n of [3, 0, 0.5, -2]) {
      expect(code(upcast(n)(S(3, 4, 3)))).toBe('cute.swizzle')
      expect(code(downcast(n)(S(3, 4, 3)))).toBe('cute.swizzle')
    }
  })
})

describe('composed layouts', () => {
  const c = right(parseComposed('S<1,4,3> o 2 o (64,(2,4)):(4,(1,256))'))

  test('law 1: outer(offset + inner)', () => {
    for (const i of range(512)) {
      expect(right(at(c, i))).toBe(masked(S(1, 4, 3))(2 + value(c.inner, i)))
      expect(right(evaluate(c, [i % 64, Math.floor(i / 64)]))).toBe(right(at(c, i)))
    }
    expect(right(evaluate(right(parseComposed('(20):(3) o 2 o (20):(3)')), [4]))).toBe(42)
    expect(right(at(composed(S(1, 4, 3), L('1024:1')), 129))).toBe(145)
    const basis = right(parseComposed('(4,5):(1,10) o (1,2) o (2,3):(1@0,1@1)'))
    expect(right(evaluate(basis, [1, 2]))).toBe(42)
    expect(right(at(basis, 5))).toBe(42)
    expect(code(at(composed(S(1, 4, 3), L('(2,3):(1@0,1@1)')), 1))).toBe('cute.coordinate')
    expect(code(evaluate(composed(S(1, 4, 3), L('(2,3):(1@0,1@1)')), 1))).toBe('cute.coordinate')
    expect(code(evaluate(c, [1, 2, 3]))).toBe('cute.coordinate')
    expect(code(at(composed(L('(2,3):(1,2)'), L('2:1@2')), 1))).toBe('cute.coordinate')
  })

  test('law 2: what reshapes the domain', () => {
    const grouped = right(mapInner((l) => group(l, 0, 2))(c))
    expect(showComposed(grouped)).toBe('S<1,4,3> o 2 o ((64,(2,4))):((4,(1,256)))')
    for (const i of range(512)) expect(at(grouped, i)).toEqual(at(c, i))
    expect(code(mapInner((l) => group(l, 0, 3))(c))).toBe('cute.mode')
  })

  test('law 3: slices', () => {
    for (const k of range(8)) {
      const column = right(sliceComposed(c, ['_', k]))
      for (const i of range(64)) expect(at(column, i)).toEqual(evaluate(c, [i, k]))
    }
    expect(code(sliceComposed(c, ['_']))).toBe('cute.coordinate')
  })

  test('law 4: recasting', () => {
    const cast = (from: number, to: number, text: string): string => {
      const r = recastComposed(from, to)(right(parseComposed(text)))
      return r._tag === 'Left' ? r.left.code : showComposed(r.right)
    }
    expect(cast(16, 32, '(4,5):(1,4) o 2 o (8,4):(1,8)')).toBe('(2,5):(1,2) o 1 o (4,4):(1,4)')
    expect(cast(8, 32, 'S<3,5,4> o 0 o (32,4):(1,32)')).toBe('S<3,3,4> o 0 o (8,4):(1,8)')
    expect(cast(32, 8, 'S<3,3,4> o 3 o (8,4):(1,8)')).toBe('S<3,5,4> o 12 o (32,4):(1,32)')
    expect(cast(6, 4, 'S<3,3,4> o 2 o (8,4):(1,8)')).toBe('cute.swizzle')
    expect(cast(4, 6, 'S<3,3,4> o 3 o (9,4):(1,9)')).toBe('cute.swizzle')
    expect(cast(6, 4, '(8,4):(1,8) o 2 o (8,4):(1,8)')).toBe('(12,4):(1,12) o 3 o (12,4):(1,12)')
    expect(cast(8, 32, 'S<3,5,4> o 2 o (32,4):(1,32)')).toBe('cute.recast-divides')
    expect(cast(8, 32, 'S<3,5,4> o 0 o (30,4):(1,32)')).toBe('cute.recast-divides')
    expect(cast(8, 32, '(30,4):(1,32) o 0 o (32,4):(1,32)')).toBe('cute.recast-divides')
    expect(cast(8, 32, '(30,4):(1,32) o (0,0) o (32,4):(1@0,1@1)')).toBe('cute.plain')
  })
})

test('tensor maps, laws 1 and 2', () => {
  const names: readonly TensorMapSwizzle[] = [
    'none',
    '32B',
    '64B',
    '96B',
    '128B',
    '128B_ATOM_32B',
    '128B_ATOM_64B',
  ]
  expect(Object.keys(tensorMapSwizzles)).toEqual(names)
  expect(names.map((name) => chunkTable(name))).toEqual([
    [[0, 1, 2, 3, 4, 5, 6, 7]],
    [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [1, 0, 3, 2, 5, 4, 7, 6],
    ],
    [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [1, 0, 3, 2, 5, 4, 7, 6],
      [2, 3, 0, 1, 6, 7, 4, 5],
      [3, 2, 1, 0, 7, 6, 5, 4],
    ],
    [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [1, 0, 3, 2, 5, 4, 7, 6],
    ],
    range(8).map((row) => range(8).map((chunk) => chunk ^ row)),
    [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [2, 3, 0, 1, 6, 7, 4, 5],
      [4, 5, 6, 7, 0, 1, 2, 3],
      [6, 7, 4, 5, 2, 3, 0, 1],
    ],
    [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [4, 5, 6, 7, 0, 1, 2, 3],
    ],
  ])
  for (const name of names)
    for (const line of range(20)) {
      const rows = chunkTable(name).length
      expect(baseOffset(name)(128 * line + 127)).toBe(line % rows)
      expect(period(tensorMapSwizzles[name])).toBe(name === 'none' ? 128 : 128 * rows)
    }
  expect(tensorMapSwizzles['128B']).toEqual(ofSpan(128))
})
