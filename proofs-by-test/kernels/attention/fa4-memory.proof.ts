/** FA4: where things lie, which tiles a block goes through, and what is refused. */
import { expect, test } from 'vitest'
import {
  bandOf,
  blocksOf,
  causal,
  noMask,
  sees,
  slidingWindow,
} from '../../../src/kernels/attention/index.js'
import { configOf, fa4, isWhole, keyBlocks } from '../../../src/kernels/attention/fa4/index.js'
import * as X from '../../../src/semantics/language/expression.js'
import { lengthOf } from '../../../src/semantics/language/place.js'
import { programOf } from './fa4-runs.js'

const upTo = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, k) => k)

// ---------------------------------------------------------------- memory

test.each([64, 128] as const)('heads of %i: tensor memory is the map of FA4Config', (headDim) => {
  const shape = { batch: 1, q: 256, kv: 512, heads: 4, kvHeads: 2, headDim }
  const { tmem, tmemUsed, numKvStages, smemUsed, bn } = configOf(shape)
  const program = programOf(fa4(shape))
  const column = (id: string): number | undefined => {
    const offset = program.storage.find((s) => s.id === id)?.offset
    return offset === undefined ? undefined : offset / 4
  }
  const found = {
    s0: column('S0'),
    s1: column('S1'),
    p0: column('P0'),
    p1: column('P1'),
    c0: column('C0'),
    c1: column('C1'),
    o0: column('O0'),
    o1: column('O1'),
  }
  expect(found).toEqual(tmem)
  const tensor = program.storage.filter((s) => s.space === 'tmem')
  expect(Math.max(...tensor.map((s) => (s.offset ?? 0) / 4 + s.bits / 32 / 128))).toBe(tmemUsed)
  expect(bn).toBe(headDim === 64 ? 192 : 128)

  // H10: nothing reaches over what the source reserves; it has two barriers of order and an address besides
  const shared = program.storage.filter((s) => s.space === 'smem')
  const end = Math.max(...shared.map((s) => (s.offset ?? 0) + lengthOf(s)))
  expect(end).toBe(smemUsed - 2 * 8 - 4)
  expect(shared.find((s) => s.id === 'KV')?.contents).toMatchObject({
    layout: { shape: [numKvStages, bn, headDim] },
  })
  // O is staged where Q was
  const at = (id: string): number | undefined => shared.find((s) => s.id === id)?.offset
  expect(at('O_staged')).toBe(at('Q'))
})

// ---------------------------------------------------------------- tiles of keys

/** Expressions of constants and one name. */
const value = (e: X.ExprNode, first: number): number => {
  const of = (x: X.ExprNode): number => value(x, first)
  switch (e._tag) {
    case 'const':
      return Number(e.value)
    case 'name':
      return first
    case 'compare':
      return Number(e.op === 'lt' ? of(e.x) < of(e.y) : of(e.x) >= of(e.y))
    case 'binary': {
      const [x, y] = [of(e.x), of(e.y)]
      switch (e.op) {
        case 'add':
          return x + y
        case 'sub':
          return x - y
        case 'mul':
          return x * y
        case 'min':
          return Math.min(x, y)
        case 'max':
          return Math.max(x, y)
        case 'quo':
          return Math.trunc(x / y)
        case 'and':
          return x & y
        default:
          return NaN
      }
    }
    default:
      return NaN
  }
}

test('key blocks, laws 1 and 2: those in which a row of the block sees something, one at least; whole ones are seen whole', () => {
  const masks = [
    noMask,
    causal('top-left'),
    causal('bottom-right'),
    slidingWindow(3),
    slidingWindow(5, 2, 'top-left'),
    slidingWindow(0, null, 'top-left'),
    slidingWindow(null, 4),
    slidingWindow(9, -6),
  ]
  const [rows, size] = [8, 4]
  for (const mask of masks)
    for (const q of [1, 7, 8, 20])
      for (const kv of [1, 4, 5, 11, 16, 30]) {
        const band = bandOf(mask, { q, kv })
        for (const first of upTo(Math.ceil(q / rows)).map((b) => rows * b)) {
          const name = X.name<'i32'>('first')
          const found = keyBlocks(band, { q, kv }, size, name, rows)
          const [from, count] = [value(found.from, first), value(found.count, first)]
          const wanted = blocksOf(band, { q, kv }, { first, count: Math.min(rows, q - first) }, size)
          const there = upTo(Math.ceil(kv / size))
          expect(count).toBe(Math.max(1, wanted.to - wanted.from))
          if (wanted.to > wanted.from) expect(from).toBe(wanted.from)
          expect(from >= 0 && from + count <= there.length).toBe(true)
          // row by row, key by key
          for (const block of there) {
            const keys = upTo(size).map((k) => block * size + k)
            const lines = upTo(Math.min(rows, q - first)).map((r) => first + r)
            const all = lines.every((r) => keys.every((k) => k < kv && sees(band, r, k)))
            const some = lines.some((r) => keys.some((k) => k < kv && sees(band, r, k)))
            if (some) expect(block >= from && block < from + count).toBe(true)
            const whole = value(isWhole(band, { q, kv }, size, name, rows, X.i32(block)), first)
            expect(whole === 1).toBe(all)
          }
        }
      }
})
