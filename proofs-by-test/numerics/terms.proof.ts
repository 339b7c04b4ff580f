/** The laws of `terms.ts`, against terms that are written out as strings and counted by hand. */
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, test } from 'vitest'
import type { Algebra, CompareOp } from '../../src/numerics/algebra.js'
import { compareOps } from '../../src/numerics/algebra.js'
import { encode } from '../../src/numerics/float-format.js'
import { applied, appliedWith, inputTerm, terms, uses } from '../../src/numerics/terms.js'
import { written } from '../../src/numerics/written.js'
import { nightly } from '../extent.js'

const get = <A>(option: O.Option<A>): A =>
  O.getOrElseW(() => {
    throw new Error('the algebra lacks it')
  })(option)

// ---------------------------------------------------------------- terms, written out

type Term =
  | { readonly of: 'input'; readonly tensor: number; readonly index: number }
  | { readonly of: 'constant'; readonly x: number }
  | { readonly of: 'neg' | 'exp2' | 'half'; readonly x: Term }
  | { readonly of: 'add' | 'mul' | 'max'; readonly x: Term; readonly y: Term }
  | { readonly of: 'fma'; readonly x: Term; readonly y: Term; readonly z: Term }
  | {
      readonly of: 'dot'
      readonly a: ReadonlyArray<Term>
      readonly b: ReadonlyArray<Term>
      readonly c: Term
    }

const write = (t: Term): string => {
  switch (t.of) {
    case 'input':
      return `i${String(t.tensor)}.${String(t.index)}`
    case 'constant':
      return Object.is(t.x, -0) ? '-0' : String(t.x)
    case 'neg':
    case 'exp2':
    case 'half':
      return `${t.of}(${write(t.x)})`
    case 'add':
    case 'mul':
    case 'max':
      return `${t.of}(${write(t.x)},${write(t.y)})`
    case 'fma':
      return `fma(${write(t.x)},${write(t.y)},${write(t.z)})`
    case 'dot':
      // a chain: a longer product is one after another
      return t.a.reduce((c, a, i) => `step(${c},${write(a)},${write(t.b[i]!)})`, write(t.c))
  }
}

const marked = (t: Term): boolean => t.of === 'input' && t.tensor === 0
const leaves = (t: Term): number => {
  switch (t.of) {
    case 'input':
      return marked(t) ? 1 : 0
    case 'constant':
      return 0
    case 'neg':
    case 'exp2':
    case 'half':
      return leaves(t.x)
    case 'add':
    case 'mul':
    case 'max':
      return leaves(t.x) + leaves(t.y)
    case 'fma':
      return leaves(t.x) + leaves(t.y) + leaves(t.z)
    case 'dot':
      return [...t.a, ...t.b, t.c].reduce((n, x) => n + leaves(x), 0)
  }
}

const evaluate = (algebra: Algebra, t: Term, input: (tensor: number, index: number) => number): number => {
  const at = (x: Term): number => evaluate(algebra, x, input)
  switch (t.of) {
    case 'input':
      return input(t.tensor, t.index)
    case 'constant':
      return algebra.constant('f32', t.x)
    case 'neg':
    case 'exp2':
      return get(algebra.unary(t.of, 'approx', 'f32'))(at(t.x))
    case 'half':
      return get(algebra.cast('f32', 'f16', 'rn', false))(at(t.x))
    case 'add':
    case 'mul':
    case 'max':
      return get(algebra.binary(t.of, 'f32'))(at(t.x), at(t.y))
    case 'fma':
      return get(algebra.fma('f32'))(at(t.x), at(t.y), at(t.z))
    case 'dot':
      return get(algebra.mma({ a: 'f16', b: 'f16', acc: 'f32' }, { m: 1, n: 1, k: t.a.length }))(
        Float64Array.from(t.a, at),
        Float64Array.from(t.b, at),
        Float64Array.of(at(t.c)),
      )[0]!
  }
}

const drawn: fc.Arbitrary<Term> = fc.letrec<{ term: Term }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'term' },
    fc.record({ of: fc.constant('input' as const), tensor: fc.nat(1), index: fc.nat(1) }),
    fc.record({ of: fc.constant('constant' as const), x: fc.constantFrom(0, -0, 1, 0.1) }),
    fc.record({ of: fc.constantFrom('neg' as const, 'exp2' as const, 'half' as const), x: tie('term') }),
    fc.record({
      of: fc.constantFrom('add' as const, 'mul' as const, 'max' as const),
      x: tie('term'),
      y: tie('term'),
    }),
    fc.record({ of: fc.constant('fma' as const), x: tie('term'), y: tie('term'), z: tie('term') }),
    fc
      .record({ ab: fc.array(fc.tuple(tie('term'), tie('term')), { maxLength: 3 }), c: tie('term') })
      .map(({ ab, c }) => ({ of: 'dot' as const, a: ab.map(([a]) => a), b: ab.map(([, b]) => b), c })),
  ),
})).term

// ---------------------------------------------------------------- laws

describe('terms', () => {
  test('law 1: two elements are equal iff their terms, written out, are', () => {
    const carriers = new Map<string, number>()
    const texts = new Map<number, string>()
    const hold = (t: Term): void => {
      const [text, carrier] = [write(t), evaluate(terms, t, inputTerm)]
      expect([text, carriers.get(text) ?? carrier]).toEqual([text, carrier])
      expect([carrier, texts.get(carrier) ?? text]).toEqual([carrier, text])
      expect(Number.isInteger(carrier) && carrier >= 0 && carrier < 2 ** 52).toBe(true)
      carriers.set(text, carrier)
      texts.set(carrier, text)
    }
    fc.assert(fc.property(drawn, hold), { numRuns: nightly ? 3000 : 600, seed: 1 })
    expect(carriers.size).toBeGreaterThan(nightly ? 500 : 200)
  })
  test('law 1 on what is near: orders, sides, dtypes, modes and constants are told apart', () => {
    const [x, y, z] = [inputTerm(0, 0), inputTerm(0, 1), inputTerm(1, 0)]
    const add = get(terms.binary('add', 'f32'))
    const dot = (a: ReadonlyArray<number>, b: ReadonlyArray<number>, c: number): number =>
      get(terms.mma({ a: 'f16', b: 'f16', acc: 'f32' }, { m: 1, n: 1, k: a.length }))(
        Float64Array.from(a),
        Float64Array.from(b),
        Float64Array.of(c),
      )[0]!
    const all = [
      ...[x, y, z, add(x, y), add(y, x), add(add(x, y), z), add(x, add(y, z))],
      ...[get(terms.binary('add', 'f16'))(x, y), get(terms.binary('sub', 'f32'))(x, y)],
      ...[get(terms.unary('exp2', 'rn', 'f32'))(x), get(terms.unary('exp2', 'approx', 'f32'))(x)],
      ...[get(terms.cast('f32', 'f16', 'rn', false))(x), get(terms.cast('f32', 'f16', 'rz', false))(x)],
      ...[terms.constant('f32', 0), terms.constant('f32', -0), terms.constant('f16', 0)],
      ...[
        dot([x], [y], z),
        dot([y], [x], z),
        dot([x, x], [y, y], z),
        dot([x, y], [y, x], z),
        dot([x, y], [x, y], z),
      ],
      get(terms.mma({ a: 'bf16', b: 'bf16', acc: 'f32' }, { m: 1, n: 1, k: 1 }))(
        Float64Array.of(x),
        Float64Array.of(y),
        Float64Array.of(z),
      )[0]!,
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(terms.fromBits('f16', encode('f16', 1.5))).toBe(terms.constant('f16', 1.5))
    expect(get(terms.cast('i32', 'f32', 'rn', false))(7)).toBe(terms.constant('f32', 7))
    expect(terms.cast('f32', 'i32', 'rz', false)).toEqual(O.none)
  })
  const n = nightly ? 2 ** 18 : 2 ** 16
  test(`${String(n)} inputs, sums of neighbours and chains have as many carriers each`, () => {
    const add = get(terms.binary('add', 'f32'))
    const inputs = Float64Array.from({ length: n }, (_, i) => inputTerm(i % 3, Math.floor(i / 3)))
    const sums = inputs.map((x, i) => add(x, inputs[(i + 1) % n]!))
    const columns = Math.sqrt(n)
    const product = get(terms.mma({ a: 'f16', b: 'f16', acc: 'f32' }, { m: columns, n: columns, k: 1 }))(
      inputs.slice(0, columns),
      inputs.slice(columns, 2 * columns),
      new Float64Array(n).fill(inputs[0]!),
    )
    expect(new Set([...inputs, ...sums, ...product]).size).toBe(3 * n)
  })
  test('a comparison is that of one order, in which a term equals itself alone', () => {
    const some = Array.from({ length: 40 }, (_, i) => inputTerm(0, i))
    const is = (op: CompareOp, x: number, y: number): boolean => get(terms.compare(op, 'f32'))(x, y)
    for (const x of some)
      for (const y of some) {
        expect(is('eq', x, y)).toBe(x === y)
        expect(compareOps.map((op) => is(op, x, y))).toEqual(
          [x === y, x !== y, x < y, x <= y, x > y, x >= y].map((b) => b),
        )
      }
  })
  test('law 3: inputs are a function of tensor and index, also behind 2^32', () => {
    expect(inputTerm(3, 4)).toBe(inputTerm(3, 4))
    expect(new Set([inputTerm(0, 5), inputTerm(1, 5), inputTerm(0, 5 + 2 ** 32), inputTerm(5, 0)]).size).toBe(
      4,
    )
  })
})

describe('uses', () => {
  test('law 2: how many leaves are marked', () => {
    fc.assert(
      fc.property(drawn, (t) => {
        expect(evaluate(uses, t, (tensor) => (tensor === 0 ? 1 : 0))).toBe(leaves(t))
      }),
      { numRuns: nightly ? 500 : 100 },
    )
  })
  test('law 6 of the algebras: a scaled product is that of the operands times their scales', () => {
    const shape = { m: 2, n: 2, k: 32 }
    const fill = (n: number, from: number): Float64Array =>
      Float64Array.from({ length: n }, (_, i) => inputTerm(from, i))
    const [a, b, c] = [fill(64, 0), fill(64, 1), fill(4, 2)]
    const [sa, sb] = [fill(2, 3), fill(2, 4)]
    const scaled = { a: 'e4m3', b: 'e4m3', acc: 'f32', scale: 'e8m0', block: 32 } as const
    const got = (algebra: Algebra): Float64Array => get(algebra.scaledMma(scaled, shape))(a, b, sa, sb, c)
    // in `uses` an element of d has 32 of a, as many scales of a, the same of b, and c
    const ones = (n: number): Float64Array => new Float64Array(n).fill(1)
    expect(get(uses.scaledMma(scaled, shape))(ones(64), ones(64), ones(2), ones(2), ones(4))).toEqual(
      new Float64Array(4).fill(129),
    )
    const other = sa.slice()
    other[1] = inputTerm(9, 9)
    const d = get(terms.scaledMma(scaled, shape))(a, b, other, sb, c)
    expect([...got(terms)].map((x, i) => x === d[i])).toEqual([true, true, false, false])
  })
})

describe('what has been written', () => {
  test('an element is nothing if and only if its term has a leaf that nothing has written', () => {
    const algebra = written(() => undefined)
    fc.assert(
      fc.property(drawn, (t) => {
        const found = evaluate(algebra, t, (tensor) => (tensor === 0 ? NaN : 0))
        expect(Number.isNaN(found)).toBe(leaves(t) > 0)
      }),
      { numRuns: nightly ? 2000 : 300 },
    )
  })
  test('a product has nothing in the rows and columns of what is nothing', () => {
    const product = get(
      written(() => undefined).mma({ a: 'f16', b: 'f16', acc: 'f32' }, { m: 2, n: 3, k: 2 }),
    )
    const d = product(Float64Array.of(0, NaN, 0, 0), Float64Array.of(0, 0, 0, 0, 0, NaN), new Float64Array(6))
    expect([...d].map(Number.isNaN)).toEqual([true, true, true, false, false, true])
  })
  test('a comparison is told', () => {
    let times = 0
    const algebra = written(() => {
      times++
    })
    get(algebra.compare('lt', 'f32'))(0, 0)
    expect(times).toBe(1)
  })
})

describe('operations of any number of terms', () => {
  const term = fc.oneof(
    fc.constantFrom(-1, 0),
    fc.tuple(fc.nat(5), fc.nat(999)).map(([tensor, index]) => inputTerm(tensor, index)),
  )
  const list = fc.array(term, { maxLength: 9 })
  test('two lists are one after the other, whatever they are kept in', () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const whole = applied('of')([...a, ...b])
        expect(applied('of')(a, b)).toBe(whole)
        expect(applied('of')(Float64Array.from(a), b)).toBe(whole)
      }),
    )
  })
  test('one term and another is the list of both; another order, name or number of terms is another term', () => {
    fc.assert(
      fc.property(term, term, (a, b) => {
        const both = applied('of')([a, b])
        expect(appliedWith('of')(a)(b)).toBe(both)
        expect(applied('other')([a, b])).not.toBe(both)
        expect(applied('of')([a])).not.toBe(both)
        expect(appliedWith('of')(b)(a) === both).toBe(a === b)
      }),
    )
  })
  test('terms are what they were: a hash of this name and these words', () => {
    expect([applied('bytes')([]), applied('bytes')([1]), applied('bytes')([1, 2 ** 51 + 5])]).toEqual([
      800026309302805, 967329889530936, 4265156909236871,
    ])
  })
})
