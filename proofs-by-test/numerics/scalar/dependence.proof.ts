/** Which bytes of a result are known where bytes of the operands are not: sound on every form of the table, exact where it says so. */
import { describe, expect, it } from 'vitest'
import {
  bitsOfBytes,
  dependenceOf,
  rest,
  scalarOperation,
  scalarOperations,
  wordsOf,
  type ScalarOperation,
} from '../../../src/numerics/scalar/index.js'
import { nightly, sampled } from '../../extent.js'

/** Words that are drawn: xorshift, of a seed. */
const drawing = (seed: number): (() => number) => {
  let x = seed | 1
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return x
  }
}

const countOf = (types: ScalarOperation['operands']): number =>
  types.reduce((n, type) => n + wordsOf(type), 0)

/** All words of the results. */
const resultsOf = (o: ScalarOperation, words: ReadonlyArray<number>): ReadonlyArray<number> => {
  const first = o.compute(...words)
  return Array.from({ length: countOf(o.results) }, (_, k) => (k === 0 ? first : rest[k - 1]!))
}

const corners = [0, 1, 4, 8, 16, 31, 32, 0xff, 0xffff, -1, 0x3f800000, 0x7f800000, 0x00ff00ff, 0x3210, 0x6540]

/** Operands: often small or special, so that counts, selectors and choices mean something. */
const operandsOf = (o: ScalarOperation, draw: () => number): ReadonlyArray<number> =>
  o.operands.flatMap((type) =>
    Array.from({ length: wordsOf(type) }, () => {
      const word = (draw() & 3) < 2 ? corners[(draw() >>> 8) % corners.length]! : draw()
      return type === 'pred' ? word & 1 : word
    }),
  )

/** The same with other contents of the unknown bytes. */
const otherwise = (
  o: ScalarOperation,
  words: ReadonlyArray<number>,
  unknown: ReadonlyArray<number>,
  contents: () => number,
): ReadonlyArray<number> => {
  const types = o.operands.flatMap((type) => Array.from({ length: wordsOf(type) }, () => type))
  return words.map((word, i) => {
    const free = bitsOfBytes(unknown[i]!)
    const filled = (word & ~free) | (contents() & free)
    return types[i] === 'pred' ? filled & 1 : filled
  })
}

const unsound = (o: ScalarOperation, times: number, seed: number): string | null => {
  const draw = drawing(seed)
  const dependence = dependenceOf(o)
  for (let i = 0; i < times; i++) {
    const words = operandsOf(o, draw)
    // half of the words are known, else nothing would ever be
    const unknown = words.map(() => ((draw() & 1) === 0 ? 0 : (draw() >>> 5) & 15))
    const claimed = dependence(words, unknown)
    const expected = resultsOf(o, words)
    for (const contents of [draw, (): number => 0, (): number => -1, draw]) {
      const found = resultsOf(o, otherwise(o, words, unknown, contents))
      const bad = expected.findIndex((word, k) => ((word ^ found[k]!) & ~bitsOfBytes(claimed[k]!)) !== 0)
      if (bad >= 0)
        return `${o.name}(${words.map((w) => (w >>> 0).toString(16)).join(' ')}), unknown ${unknown.join(' ')}: word ${String(bad)}`
    }
  }
  return null
}

describe('law 1: what is called known is the same whatever the unknown bytes hold', () => {
  it('of every form of the table', () => {
    const [times, every] = nightly ? [200, 1] : [3, 9]
    expect(
      sampled(every, scalarOperations).flatMap((o, i) => unsound(o, times, 7919 * (i + 1)) ?? []),
    ).toEqual([])
  })

  it('of what is bit by bit, comes from below, or is made by elements, and is not simply unknown', () => {
    const some =
      /^(?:and|or|xor|not|mov|brev|selp|lop3|prmt|shl|shr|shf|bfe|bfi|szext|add|sub|neg|mul|mad|cvt)\./
    const precise = scalarOperations.filter(({ name }) => some.test(name))
    expect(precise.length).toBeGreaterThan(300)
    expect(
      sampled(5, precise).flatMap((o, i) => unsound(o, nightly ? 2000 : 12, 104729 * (i + 1)) ?? []),
    ).toEqual([])
  })
})

describe('law 2: a byte that is called unknown differs for some contents', () => {
  it('of logic, choices, shifts, fields and permutations with known controls', () => {
    const draw = drawing(5)
    const names = [
      'and.b32',
      'or.b32',
      'xor.b32',
      'not.b32',
      'and.b64',
      'selp.b32',
      'shl.b32',
      'shr.u32',
      'shr.s32',
    ]
    const controlled = [
      'shf.l.wrap.b32',
      'bfe.u32',
      'bfe.s32',
      'bfi.b32',
      'prmt.b32',
      'lop3.b32',
      'cvt.u32.u8',
      'cvt.s32.s16',
    ]
    const controls: Readonly<Record<string, ReadonlyArray<number>>> = {
      shl: [1],
      shr: [1],
      shf: [2],
      bfe: [1, 2],
      bfi: [2, 3],
      prmt: [2],
      lop3: [3],
    }
    for (const name of [...names, ...controlled]) {
      const o = scalarOperation(name)!
      for (let i = 0; i < (nightly ? 300 : 8); i++) {
        const words = operandsOf(o, draw)
        const unknown = words.map((_, k) =>
          controls[name.split('.')[0]!]?.includes(k) === true ? 0 : (draw() >>> 5) & 15,
        )
        const claimed = dependenceOf(o)(words, unknown)
        const differs = claimed.map(() => 0)
        const expected = resultsOf(
          o,
          otherwise(o, words, unknown, () => 0),
        )
        // all zeros and all ones in each operand, and mixtures
        for (let t = 0; t < 64; t++) {
          const bits = t
          let k = 0
          const contents = t < 16 ? (): number => ((bits >>> k++) & 1 ? -1 : 0) : draw
          const found = resultsOf(o, otherwise(o, words, unknown, contents))
          found.forEach((word, at) => {
            differs[at] = differs[at]! | (word ^ expected[at]!)
          })
        }
        claimed.forEach((bytes, at) => {
          for (let b = 0; b < 4; b++)
            if ((bytes >>> b) & 1)
              expect(
                (differs[at]! >>> (8 * b)) & 0xff,
                `${name}(${words.map((w) => (w >>> 0).toString(16)).join(' ')}) unknown ${unknown.join(' ')}: byte ${String(b)}`,
              ).not.toBe(0)
        })
      }
    }
  })
})

describe('by hand', () => {
  const of = (
    name: string,
    words: ReadonlyArray<number>,
    unknown: ReadonlyArray<number>,
  ): ReadonlyArray<number> => dependenceOf(scalarOperation(name)!)(words, unknown)
  it.each<readonly [string, ReadonlyArray<number>, ReadonlyArray<number>, ReadonlyArray<number>]>([
    ['and.b32', [0xff, 0], [0, 15], [1]],
    ['or.b32', [-256, 0], [0, 15], [1]],
    ['prmt.b32', [0x1234, 0, 0x4410], [12, 0, 0], [0]],
    ['prmt.b32', [0x1234, 0, 0x3210], [12, 0, 0], [12]],
    ['prmt.b32', [0x1234, 0, 0x3210], [0, 0, 1], [15]],
    ['add.s32', [0x10, 4], [8, 0], [8]],
    ['add.s32', [0x10, 4], [1, 0], [15]],
    ['add.s64', [0, 0, 4, 0], [0, 1, 0, 0], [0, 15]],
    ['mul.wide.u32', [0, 4], [4, 0], [12, 15]],
    ['selp.b32', [5, 5, 1], [0, 0, 1], [0]],
    ['selp.b32', [5, 6, 1], [0, 0, 1], [1]],
    ['selp.b32', [5, 6, 1], [0, 15, 0], [0]],
    ['setp.eq.s32', [5, 6], [1, 0], [1, 1]],
    ['shl.b32', [1, 16], [1, 0], [4]],
    ['shr.s32', [1, 16], [8, 0], [14]],
    ['bfe.u32', [0, 8, 8], [13, 0, 0], [0]],
    ['cvt.u32.u8', [0], [14], [0]],
    ['cvt.s32.s8', [0], [1], [15]],
    ['cvt.rn.f16x2.f32', [0, 0], [15, 0], [12]],
    ['add.f16x2', [0, 0], [0, 1], [3]],
    ['fma.rn.f32', [0, 0, 0], [0, 1, 0], [15]],
    ['add.cc.u32', [0, 0], [8, 0], [15, 1]],
    ['mov.u16', [0], [12], [0]],
  ])('%s %j with %j unknown gives %j', (name, words, unknown, expected) => {
    expect(of(name, words, unknown)).toEqual(expected)
  })
})
