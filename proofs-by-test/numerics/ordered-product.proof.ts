/** Products of rounded operations against exact rationals, each operation rounded once, in the orders of the table. */
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it, test } from 'vitest'
import { bits } from '../../src/numerics/bits.js'
import { decode, decoder, encode } from '../../src/numerics/float-format.js'
import { orderedMma, type SumRule } from '../../src/numerics/ordered-product.js'
import { generator, nearest, plus, rational, times, type Rational } from './exact.js'
import { nightly } from '../extent.js'

const rules: readonly SumRule[] = [
  { order: 'ascending', fused: false },
  { order: 'ascending', fused: true },
  { order: 'descending', fused: false },
  { order: 'descending', fused: true },
  { order: 'pairwise', fused: false },
]
const product = (rule: SumRule, acc: 'f32' | 'f16', k: number) =>
  O.getOrElseW(() => {
    throw new Error('none')
  })(orderedMma({ a: 'f16', b: 'f16', acc }, { m: 1, n: 1, k }, rule))

const exactly = (
  acc: 'f32' | 'f16',
  x: readonly number[],
  y: readonly number[],
  c: number,
  rule: SumRule,
): number => {
  const round = (r: Rational): number => (r.numerator === 0n ? 0 : decode(acc, nearest(acc, r)))
  const add = (p: number, q: number): number => round(plus(rational(p), rational(q)))
  const times1 = (k: number): Rational => times(rational(x[k]!), rational(y[k]!))
  const ks = x.map((_, k) => k)
  const step = (s: number, k: number): number =>
    rule.fused ? round(plus(times1(k), rational(s))) : add(s, round(times1(k)))
  const tree = (of: readonly number[]): number =>
    of.length === 1
      ? round(times1(of[0]!))
      : add(tree(of.slice(0, Math.floor(of.length / 2))), tree(of.slice(Math.floor(of.length / 2))))
  if (rule.order === 'pairwise') return add(c, tree(ks))
  return (rule.order === 'ascending' ? ks : ks.reverse()).reduce(step, c)
}

describe('law 1: exact operations, each rounded once', () => {
  it.each(rules)('$order, fused $fused', (rule) => {
    const next = generator(61)
    // far from overflow and from zero; exponents near one another and far
    const value = (): number => (next() % 2 ? -1 : 1) * (1 + (next() % 1024) / 1024) * 2 ** ((next() % 9) - 4)
    for (const acc of ['f32', 'f16'] as const)
      for (const k of [1, 2, 3, 7, 8])
        for (let trial = 0; trial < (nightly ? 60 : 15); trial++) {
          const [x, y] = [Array.from({ length: k }, value), Array.from({ length: k }, value)]
          const c = decode(acc, encode(acc, value() * (1 + 2 ** -9)))
          const d = product(rule, acc, k)(
            Float64Array.from(x, (v) => encode('f16', v)),
            Float64Array.from(y, (v) => encode('f16', v)),
            Float64Array.of(encode(acc, c)),
          )
          expect(decode(acc, d[0]!) + 0).toBe(exactly(acc, x, y, c, rule) + 0)
        }
  })
  test('the header, by hand', () => {
    const of = (rule: SumRule, x: readonly number[], y: readonly number[], c: number): number => {
      const p = (v: number): number => encode('f16', v)
      return decoder('f32')(
        product(rule, 'f32', x.length)(
          Float64Array.from(x, p),
          Float64Array.from(y, p),
          Float64Array.of(encode('f32', c)),
        )[0]!,
      )
    }
    const small = [2 ** -12, 2 ** -12, 2 ** -12, 2 ** -12]
    expect(rules.map((rule) => of(rule, small, small, 1))).toEqual([1, 1, 1, 1, 1 + 2 ** -22])
  })
  test('what is none', () => {
    const shape = { m: 1, n: 1, k: 1 }
    expect(orderedMma({ a: 'f16', b: 'f16', acc: 'f32' }, shape, { order: 'pairwise', fused: true })).toEqual(
      O.none,
    )
    expect(orderedMma({ a: 'f16', b: 'f16', acc: 'e4m3' }, shape)).toEqual(O.none)
  })
})

test('law 2, and the algebras: ascending, separate or fused, k in two pieces is k in one', () => {
  const next = generator(62)
  const pattern = (): number => encode('f16', ((next() % 2001) - 1000) / 997)
  const [m, n, k] = [3, 2, 9]
  const [a, b] = [
    Float64Array.from({ length: m * k }, pattern),
    Float64Array.from({ length: k * n }, pattern),
  ]
  const c = Float64Array.from({ length: m * n }, () => encode('f32', 0.1))
  const types = { a: 'f16', b: 'f16', acc: 'f32' } as const
  const get = (o: ReturnType<typeof orderedMma>) => (O.isSome(o) ? o.value : () => new Float64Array(0))
  const turned = (x: Float64Array, at: (i: number) => number): Float64Array => x.map((_, i) => x[at(i)]!)
  for (const [chip, fused] of [
    ['ieee32', false],
    ['ieee32-fused', true],
  ] as const) {
    const whole = get(bits(chip).mma(types, { m, n, k }))(a, b, c)
    expect(whole).toEqual(get(orderedMma(types, { m, n, k }, { order: 'ascending', fused }))(a, b, c))
    const first = get(bits(chip).mma(types, { m, n, k: 4 }))(
      a.filter((_, i) => i % k < 4),
      b.slice(0, 4 * n),
      c,
    )
    expect(
      get(bits(chip).mma(types, { m, n, k: 5 }))(
        a.filter((_, i) => i % k >= 4),
        b.slice(4 * n),
        first,
      ),
    ).toEqual(whole)
    const back = get(orderedMma(types, { m, n, k }, { order: 'descending', fused }))(
      turned(a, (i) => Math.floor(i / k) * k + (k - 1 - (i % k))),
      turned(b, (i) => (k - 1 - Math.floor(i / n)) * n + (i % n)),
      c,
    )
    expect(back).toEqual(whole)
  }
})
