/** The suites of matrix products: the captured operands are those of the captures, and the answers are what the H100 gave. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, test } from 'vitest'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { bitsOf } from '../../../src/numerics/dtype.js'
import { capturedProducts, type CapturedProduct } from '../../../src/oracle/vectors/captured-products.js'
import { dotSuite } from '../../../src/oracle/vectors/dot.js'
import type { Question } from '../../../src/oracle/vectors/dot.js'
import type { FloatDtype } from '../../../src/numerics/dtype.js'
import { hopperRules, tensorCoreMma, type ArithmeticRules } from '../../../src/numerics/tensor-core.js'
import { right } from '../../either.js'
import { capturedCases, capturedIntegers } from '../../numerics/captured.js'

const cases = [...dotSuite.cases()]
const rows = 4
const columns = 4
const all = [...capturedCases, ...capturedIntegers]

/** The first rows and columns of a row-major matrix. */
const corner = (from: Float64Array, of: number, m: number, n: number): ReadonlyArray<number> =>
  Array.from({ length: m * n }, (_, i) => from[Math.floor(i / n) * of + (i % n)]!)

const base64 = (parts: ReadonlyArray<readonly [Dtype, ReadonlyArray<number>]>): string => {
  const size = parts.reduce((sum, [dtype, values]) => sum + (values.length * bitsOf(dtype)) / 8, 0)
  const bytes = Buffer.alloc(size)
  let at = 0
  for (const [dtype, values] of parts)
    for (const value of values) {
      const width = bitsOf(dtype) / 8
      bytes.writeUIntLE(value < 0 ? value + 2 ** (8 * width) : value, at, width)
      at += width
    }
  return bytes.toString('base64')
}

/** One tile of each kind, of chains one tile: its first rows and columns. */
const sample: ReadonlyArray<CapturedProduct> = all.map((from) => {
  const kinds = [...new Set(from.tiles.map(({ kind }) => kind))]
  return {
    file: from.file,
    types: { a: from.types.a, b: from.types.b, acc: from.types.acc },
    saturate: from.types.acc === 'i32' && from.types.saturate,
    m: rows,
    n: columns,
    k: from.k,
    tiles: (from.k > from.instructionK ? kinds.slice(0, 1) : kinds).map((kind) => {
      const tile = from.tiles.find((t) => t.kind === kind)!
      return {
        kind,
        operands: base64([
          [from.types.a, corner(tile.a, from.k, rows, from.k)],
          [from.types.b, corner(tile.b, from.n, from.k, columns)],
          [from.types.acc, corner(tile.c, from.n, rows, columns)],
        ]),
      }
    }),
  }
})

describe('captured products', () => {
  test('are a sample of the captures', () => {
    const url = new URL('../../../src/oracle/vectors/captured-products.ts', import.meta.url)
    if (process.env['TCSPEC_REGENERATE'] !== undefined) {
      const text = fs.readFileSync(url, 'utf8')
      const head = text.slice(0, text.indexOf('export const capturedProducts'))
      fs.writeFileSync(
        url,
        `${head}export const capturedProducts: ReadonlyArray<CapturedProduct> = ${JSON.stringify(sample)}\n`,
      )
      execFileSync('npx', ['prettier', '--write', fileURLToPath(url)], { stdio: 'ignore' })
    }
    expect(capturedProducts).toEqual(sample)
  })
  test('are answered as the H100 answered', () => {
    const found = new Map<string, ReadonlyArray<number>>()
    for (const one of cases)
      if (one.name.startsWith('captured')) {
        const { d } = right(dotSuite.ask(one.question)) as unknown as { d: { bits: ReadonlyArray<number> } }
        found.set(one.name, [...d.bits].sort())
      }
    const expected: number[] = []
    for (const [i, { file, tiles }] of sample.entries())
      for (const { kind } of tiles) {
        const from = all[i]!
        expect(from.file).toBe(file)
        const tile = from.tiles.find((t) => t.kind === kind)!
        for (const x of corner(tile.d, from.n, rows, columns)) expected.push(x < 0 ? x + 2 ** 32 : x)
      }
    expect([...found.values()].flat().sort()).toEqual(expected.sort())
    expect(expected.length).toBeGreaterThan(3000)
  })
})

/** What a wrong arithmetic says to the cases of a rule: how many of them it gets wrong. */
const wrongCases = (rule: string, wrong: (rules: ArithmeticRules) => ArithmeticRules): number => {
  let count = 0
  for (const one of cases) {
    const q = one.question as unknown as Question
    if (one.rule !== rule || one.name.startsWith('captured')) continue
    const types = { a: q.a.dtype as FloatDtype, b: q.b.dtype as FloatDtype, acc: q.c.dtype as FloatDtype }
    const [m, k, n] = [q.a.shape[1]!, q.a.shape[2]!, q.b.shape[2]!]
    const product = tensorCoreMma(wrong(O.toNullable(hopperRules(types))!), { m, n, k })
    const d = Array.from({ length: q.a.shape[0]! }, (_, t) => [
      ...product(
        Float64Array.from(q.a.bits.slice(t * m * k, (t + 1) * m * k)),
        Float64Array.from(q.b.bits.slice(t * k * n, (t + 1) * k * n)),
        Float64Array.from(q.c.bits.slice(t * m * n, (t + 1) * m * n)),
      ),
    ]).flat()
    const { d: expected } = right(dotSuite.ask(one.question)) as unknown as { d: { bits: number[] } }
    if (d.some((x, i) => x !== expected.bits[i])) count++
  }
  return count
}

describe('the cases of a rule find out who breaks it', () => {
  test.each<readonly [string, (rules: ArithmeticRules) => ArithmeticRules]>([
    ['alignment', (rules) => ({ ...rules, alignmentBits: rules.alignmentBits - 1 })],
    ['truncation', (rules) => ({ ...rules, alignmentBits: rules.alignmentBits + 1 })],
    ['rounding', (rules) => ({ ...rules, rounding: rules.rounding === 'rn' ? 'rz' : 'rn' })],
    ['floor', (rules) => ({ ...rules, exponentFloor: rules.exponentFloor + 7 })],
    [
      'fp8',
      (rules) => ({ ...rules, alignmentBits: 25, resultFractionBits: rules.types.acc === 'f32' ? 23 : 10 }),
    ],
    ['chain', (rules) => ({ ...rules, blockK: 2 * rules.blockK })],
  ])('%s', (word, wrong) => {
    expect(wrongCases(`dot.${word}`, (rules) => rules)).toBe(0)
    expect(wrongCases(`dot.${word}`, wrong)).toBeGreaterThan(0)
  })
})
