/**
 * matmul-mxfp8: bits by the definition of one element; wide tiles; and scales of another row or block are found out. The laws of every matmul are in
 * `matmul-laws`.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { matmulMxfp8, type MatmulMxfp8 } from '../../src/kernels/blackwell/matmul-mxfp8.js'
import { referenceOf } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import { bits, decode, encode, field, type Algebra } from '../../src/numerics/index.js'
import { scaledRules, scaledSum } from '../../src/numerics/scaled-tensor-core.js'
import { i32 } from '../../src/semantics/language/expression.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import type { Program, Region, Stmt } from '../../src/semantics/language/program.js'
import { checked } from '../dialects/pallas/programs.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'

const base: MatmulMxfp8 = {
  aDtype: 'e4m3',
  bDtype: 'e4m3',
  outDtype: 'f16',
  m: 128,
  n: 128,
  k: 384,
  tileM: 128,
  tileN: 128,
  tileK: 128,
  stages: 2,
}
const clean = {
  verdict: 'ok',
  decidedBy: 'one-schedule',
  findings: [],
  notes: [],
  provenance: { proved: true, inOrder: true },
}

/** Where the scale of row x and block j lies: 128 rows by 4 blocks to an atom, of which lane x mod 32 has 16 bytes. */
const place = (blocks: number, x: number, j: number): number => {
  const atom = Math.floor(x / 128) * (blocks / 4) + Math.floor(j / 4)
  const [lane, word] = [x % 32, Math.floor((x % 128) / 32)]
  return atom * 512 + lane * 16 + word * 4 + (j % 4)
}

const inputsOf = (c: MatmulMxfp8): ReadonlyMap<string, Float64Array> =>
  new Map([
    ['a', randomPatterns(c.aDtype, 1, 0, c.m * c.k)],
    ['b', randomPatterns(c.bDtype, 1, 1, c.k * c.n)],
    ['a_scale', randomPatterns('e8m0', 1, 2, (c.m * c.k) / 32)],
    ['b_scale', randomPatterns('e8m0', 1, 3, (c.n * c.k) / 32)],
  ])

const run = (
  c: MatmulMxfp8,
  algebra: Algebra,
  inputs: ReadonlyMap<string, Float64Array>,
  program: Program = right(matmulMxfp8(c)),
): Float64Array => {
  const { verdict, world, machine } = checked(program, {}, algebra, inputs)
  expect(verdict).toMatchObject(clean)
  return readTensor(world, machine, 'out') ?? new Float64Array(0)
}

describe('wide tiles', () => {
  test('two atoms of b in one product, two of k in one step', () => {
    const c: MatmulMxfp8 = { ...base, n: 256, k: nightly ? 512 : 256, tileN: 256, tileK: 256, stages: 1 }
    const f = field(5)
    const inputs = new Map(
      [...inputsOf(c)].map(([name, { length }], t) => [
        name,
        Float64Array.from({ length }, (_, i) => f.element(t, i)),
      ]),
    )
    expect(run(c, f, inputs)).toEqual(right(referenceOf(right(matmulMxfp8(c)), f, inputs)).values)
  })
})

describe('arithmetic', () => {
  test('the chain of instructions, 32 products each under two scales, element by element', () => {
    const c: MatmulMxfp8 = { ...base, bDtype: 'e5m2', outDtype: 'f32' }
    const inputs = inputsOf(c)
    const [a, b, sa, sb] = ['a', 'b', 'a_scale', 'b_scale'].map((name) => inputs.get(name)!)
    const rules = scaledRules({ a: 'e4m3', b: 'e5m2', acc: 'f32', scale: 'e8m0', block: 32 })
    if (O.isNone(rules)) throw new Error('no rules')
    const instruction = scaledSum(rules.value)
    const out = run(c, bits('blackwell'), inputs)
    for (let e = 0; e < out.length; e += nightly ? 61 : 4057) {
      const [x, y] = [Math.floor(e / c.n), e % c.n]
      const expected = Array.from({ length: c.k / 32 }, (_, j) => j).reduce((sum, j) => {
        const ks = Array.from({ length: 32 }, (_x, t) => 32 * j + t)
        return instruction(
          ks.map((k) => a![x * c.k + k]!),
          ks.map((k) => b![k * c.n + y]!),
          [sa![place(c.k / 32, x, j)]!],
          [sb![place(c.k / 32, y, j)]!],
          sum,
        )
      }, 0)
      expect([e, out[e]]).toEqual([e, expected])
    }
  })
  test('small integers under powers of two are exact: the textbook sum', () => {
    const c: MatmulMxfp8 = { ...base, k: 256, outDtype: 'f32' }
    const blocks = c.k / 32
    const small = (size: number, by: number): ReadonlyArray<number> =>
      Array.from({ length: size }, (_, i) => ((i * by) % 7) - 3)
    const [a, b] = [small(c.m * c.k, 5), small(c.k * c.n, 3)]
    const scale = (x: number, j: number, seed: number): number => 2 ** ((x + 2 * j + seed) % 4)
    const packed = (seed: number): Float64Array => {
      const out = new Float64Array(128 * blocks)
      for (let x = 0; x < 128; x++)
        for (let j = 0; j < blocks; j++) out[place(blocks, x, j)] = encode('e8m0', scale(x, j, seed))
      return out
    }
    const inputs = new Map([
      ['a', Float64Array.from(a, (x) => encode('e4m3', x))],
      ['b', Float64Array.from(b, (x) => encode('e4m3', x))],
      ['a_scale', packed(0)],
      ['b_scale', packed(1)],
    ])
    const out = run(c, bits('blackwell'), inputs)
    for (let x = 0; x < c.m; x += 5)
      for (let y = 0; y < c.n; y += 3) {
        let sum = 0
        for (let k = 0; k < c.k; k++) {
          const j = Math.floor(k / 32)
          sum += a[x * c.k + k]! * scale(x, j, 0) * (b[k * c.n + y]! * scale(y, j, 1))
        }
        expect([x, y, decode('f32', out[x * c.n + y]!) + 0]).toEqual([x, y, sum])
      }
  })
})

/** The program with other coordinates in the copies of this label. */
const copying = (p: Program, label: string, dimension: number): Program => {
  const region = (r: Region): Region => ({ ...r, body: r.body.map(changed) })
  const changed = (s: Stmt): Stmt => {
    switch (s._tag) {
      case 'Let':
        return s
      case 'Do':
        return s.site.label === label && s.instruction._tag === 'tma.load'
          ? {
              ...s,
              instruction: {
                ...s.instruction,
                coords: s.instruction.coords.map((x, d) => (d === dimension ? i32(0) : x)),
              },
            }
          : s
      case 'For':
        return { ...s, body: region(s.body) }
      case 'While':
        return { ...s, before: region(s.before), after: region(s.after) }
      case 'If':
        return { ...s, then: region(s.then), else: region(s.else) }
      case 'Fork':
        return { ...s, branches: s.branches.map((b) => ({ ...b, body: region(b.body) })) }
    }
  }
  return { ...p, entry: region(p.entry) }
}

describe('scales of others', () => {
  const c: MatmulMxfp8 = { ...base, m: 256, n: 256, k: 256 }
  const p = right(matmulMxfp8(c))
  const { computes } = p
  const refuted = (wrong: Program): string => {
    const { provenance, verdict } = checked(wrong).verdict
    expect([provenance?.proved, verdict]).toEqual([false, 'wrong-result'])
    return provenance?.text ?? ''
  }
  test.each([
    ['copy a_scale', 0, 'the scales of A: line 128 meets another scale'],
    ['copy a_scale', 1, 'the scales of A: line 0 meets another scale than that of its k-slice 128:160'],
    ['copy b_scale', 0, 'the scales of B: line 128 meets another scale'],
    ['copy b_scale', 1, 'the scales of B: line 0 meets another scale than that of its k-slice 128:160'],
  ] as const)('%s from place 0 of dimension %i: %s', (label, dimension, text) => {
    expect(refuted(copying(p, label, dimension))).toContain(text)
  })
  test('a program that says another block, other tensors, or nothing of scales', () => {
    if (computes?._tag !== 'matmul' || computes.scales === undefined) throw new Error('no scales')
    const { scales, ...plain } = computes
    expect(refuted({ ...p, computes: plain })).toContain('does not say that its product is block-scaled')
    expect(refuted({ ...p, computes: { ...plain, scales: { ...scales, block: 16 } } })).toContain(
      'where a scale is that of 16',
    )
    expect(
      refuted({ ...p, computes: { ...plain, scales: { ...scales, a: scales.b, b: scales.a } } }),
    ).toContain('the scales of A are not a box of b_scale')
  })
  test('a product without scales is none of a program that has them', () => {
    const unscaled = right(instanceOf(right(kernelNamed('matmul0')), { m: 128, n: 64, k: 64 }, [])).program
    if (unscaled.computes?._tag !== 'matmul') throw new Error('no matmul')
    const scales = { a: 'a', b: 'b', block: 32 } as const
    expect(refuted({ ...unscaled, computes: { ...unscaled.computes, scales } })).toContain(
      'is not a sum of scaled elements',
    )
  })
})

describe('what matters', () => {
  const p = right(matmulMxfp8({ ...base, k: 512 }))
  test.each<readonly [string, string, ReadonlyArray<string>]>([['wait consumed last 1', 'hazard', ['U1']]])(
    'without `%s`: %s, %j',
    (label, verdict, ids) => {
      const v = checked(right(without(label)(p))).verdict
      expect([v.verdict, v.findings.map((f) => f.id)]).toEqual([verdict, expect.arrayContaining([...ids])])
    },
  )
})

describe('settings', () => {
  test('the catalogue: nine steps on four slots', () => {
    expect(right(instanceOf(right(kernelNamed('matmul-mxfp8')), {}, [])).settings).toMatchObject({
      m: 256,
      n: 128,
      k: 1152,
      tileK: 128,
      stages: 4,
    })
  })
  test.each<readonly [Partial<MatmulMxfp8>, RegExp]>([
    [{ tileM: 64 }, /^matmul-mxfp8: tileM is 64: expected 128, the lanes of tensor memory/],
    [{ tileN: 64 }, /tileN is 64: expected 128 or 256, whole atoms of scales/],
    [{ tileK: 64 }, /tileK is 64: expected a multiple of 128, the k of an atom/],
    [{ stages: 33 }, /stages is 33: expected 1 to 32/],
    [{ m: 192 }, /m is 192: expected a multiple of tileM, which is 128/],
    [{ k: 0 }, /k is 0: expected a positive integer/],
  ])('refuses %j', (c, message) => {
    expect(matmulMxfp8({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
})
