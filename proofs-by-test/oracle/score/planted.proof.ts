/**
 * Planted faults: the reference with one thing wrong, each as a back end has had it. The card is below 100 and names the rule that is broken, and the
 * rules that the fault cannot touch pass.
 *
 * A fault is another question in the place of the one that was asked, or another answer in the place of the right one.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { mmaTypes } from '../../../src/numerics/algebra.js'
import { bits } from '../../../src/numerics/bits.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import type { Reply } from '../../../src/oracle/score/back-end.js'
import { examine } from '../../../src/oracle/score/examine.js'
import { suiteNamed, suites } from '../../../src/oracle/vectors/index.js'
import type { Json } from '../../../src/wire.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'

type Fields = Readonly<Record<string, Json>>
interface Bits {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly bits: ReadonlyArray<number>
}

interface Fault {
  readonly says: string
  readonly suite: string
  readonly question?: (q: Fields) => Fields
  readonly answer?: (a: Fields, q: Fields) => Fields
  /** rules that must fail */
  readonly broken: ReadonlyArray<string>
  /** rules that must not */
  readonly whole: ReadonlyArray<string>
}

const tensorIn = (of: Fields, name: string): Bits => of[name] as unknown as Bits
const withBits = (t: Bits, f: (pattern: number, i: number) => number): Json => ({
  dtype: t.dtype,
  shape: t.shape,
  bits: t.bits.map(f),
})

/** Fraction bits, and bits of the exponent. */
const fractions: Readonly<Record<string, readonly [number, number]>> = {
  f16: [10, 5],
  bf16: [7, 8],
  tf32: [23, 8],
  e4m3: [3, 4],
  e5m2: [2, 5],
}
const flushed = (t: Bits): Json =>
  withBits(t, (p) => {
    const [fraction, exponent] = fractions[t.dtype] ?? [0, 0]
    return exponent > 0 && (p >> fraction) % 2 ** exponent === 0 ? 0 : p
  })

/** The product as IEEE has it; null where it is not of floats into f32. */
const inOrder = (a: Bits, b: Bits, c: Bits): Fields | null => {
  const types = mmaTypes(a.dtype as Dtype, b.dtype as Dtype, c.dtype as Dtype)
  if (O.isNone(types) || c.dtype !== 'f32') return null
  const [batch, m, k] = a.shape as readonly [number, number, number]
  const n = b.shape[2]!
  const multiply = bits('ieee32').mma(types.value, { m, n, k })
  if (O.isNone(multiply)) return null
  const product = multiply.value
  const part = (t: Bits, of: number, i: number): Float64Array =>
    Float64Array.from(t.bits.slice(i * of, (i + 1) * of))
  const out = Array.from({ length: batch }, (_, i) => [
    ...product(part(a, m * k, i), part(b, k * n, i), part(c, m * n, i)),
  ]).flat()
  return { d: { dtype: 'f32', shape: c.shape, bits: out } }
}

const faults: ReadonlyArray<Fault> = [
  {
    says: 'the swizzle takes address bits 8 to 10 for the line',
    suite: 'swizzle',
    answer: (a, q) => {
      const line = Number(q['swizzle']) / 16 - 1
      return {
        ...a,
        addresses: withBits(tensorIn(a, 'addresses'), (b) => {
          const before = b ^ (((b >> 7) & line) << 4)
          return before ^ (((before >> 8) & line) << 4)
        }),
      }
    },
    broken: ['swizzle.32', 'swizzle.64', 'swizzle.128', 'swizzle.tile'],
    whole: ['swizzle.16', 'swizzle.refused'],
  },
  {
    says: 'the swizzle begins anew at the base of the array',
    suite: 'swizzle',
    question: (q) => ({ ...q, base: 0 }),
    answer: (a, q) => ({
      ...a,
      addresses: withBits(tensorIn(a, 'addresses'), (b) => b + Number(q['base'])),
    }),
    broken: ['swizzle.base'],
    whole: ['swizzle.16', 'swizzle.refused'],
  },
  {
    says: 'subnormal inputs are zeros',
    suite: 'dot',
    question: (q) => ({ ...q, a: flushed(tensorIn(q, 'a')), b: flushed(tensorIn(q, 'b')) }),
    broken: ['dot.subnormals'],
    whole: ['dot.integers', 'dot.saturation', 'dot.zeros', 'dot.refused'],
  },
  {
    says: 'sums are rounded to nearest, one after another',
    suite: 'dot',
    answer: (a, q) => inOrder(tensorIn(q, 'a'), tensorIn(q, 'b'), tensorIn(q, 'c')) ?? a,
    broken: ['dot.alignment', 'dot.truncation', 'dot.rounding', 'dot.cancellation', 'dot.chain'],
    whole: ['dot.integers', 'dot.saturation', 'dot.refused'],
  },
  {
    says: 'the NaN of the chip is the NaN of IEEE',
    suite: 'dot',
    answer: (a) => ({
      d: withBits(tensorIn(a, 'd'), (p) => (p === 0x7fffffff ? 0x7fc00000 : p === 0x7fff ? 0x7e00 : p)),
    }),
    broken: ['dot.specials'],
    whole: ['dot.alignment', 'dot.truncation', 'dot.integers'],
  },
  {
    says: 'a zero keeps the sign of its terms',
    suite: 'dot',
    answer: (a, q) =>
      tensorIn(q, 'c').dtype === 'f32'
        ? {
            d: withBits(tensorIn(a, 'd'), (p, i) =>
              p === 0 ? (tensorIn(q, 'c').bits[i]! & 0x80000000 ? 0x80000000 : 0) : p,
            ),
          }
        : a,
    broken: ['dot.zeros'],
    whole: ['dot.truncation', 'dot.integers', 'dot.refused'],
  },
  {
    says: 'a saturating product wraps',
    suite: 'dot',
    question: (q) => ({ ...q, saturate: false }),
    broken: ['dot.saturation'],
    whole: ['dot.alignment', 'dot.integers'],
  },
  {
    says: 'the two operands of a composition change places',
    suite: 'linear',
    question: (q) => (q['operation'] === 'compose' ? { ...q, layout: q['other']!, other: q['layout']! } : q),
    broken: ['linear.algebra'],
    whole: ['linear.of'],
  },
  {
    says: 'the stride of a descriptor is taken for its leading dimension',
    suite: 'descriptors',
    question: (q) => {
      const d = q['descriptor'] as Fields
      return q['operation'] === 'addresses'
        ? { ...q, descriptor: { ...d, leadingBytes: d['strideBytes']!, strideBytes: d['leadingBytes']! } }
        : q
    },
    broken: ['descriptors.k-major', 'descriptors.mn-major'],
    whole: ['descriptors.word'],
  },
  {
    says: 'the second register pair of a fragment stays in its row',
    suite: 'fragments',
    answer: (a, q) => {
      const layout = q['layout'] as Fields
      const positions = a['positions'] as unknown as Bits | null
      const columns = (q['shape'] as ReadonlyArray<number>)[1] ?? 1
      // the accumulator's registers 2 and 3 are eight rows down
      return layout['name'] === 'WGMMA' && positions !== null
        ? { ...a, positions: withBits(positions, (p, i) => (i % 4 >= 2 ? p - 8 * columns : p)) }
        : a
    },
    broken: ['fragments.accumulator'],
    whole: ['fragments.strided', 'fragments.indices', 'fragments.tcgen05'],
  },
  {
    says: 'a wait passes when the parity of the phase is equal, not when it is not',
    suite: 'mbarrier',
    answer: (a) => ({
      ...a,
      steps: (a['steps'] as ReadonlyArray<Fields>).map((step) => ({
        ...step,
        parity0: step['parity1']!,
        parity1: step['parity0']!,
      })),
    }),
    broken: ['mbarrier.parity', 'mbarrier.bytes', 'mbarrier.drop'],
    whole: [],
  },
  {
    says: 'bytes that come before they are expected are lost',
    suite: 'mbarrier',
    answer: (a) => ({
      ...a,
      steps: (a['steps'] as ReadonlyArray<Fields>).map((step) => ({
        ...step,
        bytes: Math.max(0, Number(step['bytes'])),
      })),
    }),
    broken: ['mbarrier.bytes'],
    whole: ['mbarrier.parity'],
  },
  {
    says: 'a box at the border of a tensor is moved inside',
    suite: 'tma-box',
    question: (q) => ({ ...q, at: (q['at'] as ReadonlyArray<number>).map((x) => Math.max(0, x)) }),
    broken: ['tma-box.outside'],
    whole: [],
  },
  {
    says: 'a race is never seen',
    suite: 'kernels',
    answer: (a) => ({
      ...a,
      ...((a['findings'] as ReadonlyArray<string>).includes('R1') ? { verdict: 'ok', findings: [] } : {}),
    }),
    broken: ['kernels.R1'],
    whole: ['kernels.B1', 'kernels.P1', 'kernels.W1'],
  },
  {
    says: 'what is ordered is visible',
    suite: 'litmus',
    answer: (a) =>
      a['pairs'] === undefined
        ? a
        : {
            ...a,
            pairs: (a['pairs'] as ReadonlyArray<Fields>).filter((pair) => pair['is'] !== 'not visible'),
          },
    broken: ['litmus.visibility', 'litmus.proxy-fence', 'litmus.thread-sync'],
    whole: ['litmus.C3', 'litmus.exit'],
  },
  {
    says: 'conflicts are counted before equal addresses are one',
    suite: 'banks',
    answer: (a) => ({ ...a, conflicts: Number(a['conflicts']) + (Number(a['wavefronts']) > 1 ? 1 : 0) }),
    broken: ['banks.loads'],
    whole: ['banks.refused'],
  },
  {
    says: 'a divided layout has its modes the other way round',
    suite: 'cute',
    answer: (a, q) =>
      (q['words'] as ReadonlyArray<string>)[0]!.includes('divide')
        ? { ...a, values: [...(a['values'] as ReadonlyArray<Json>)].reverse() }
        : a,
    broken: ['cute.divide'],
    whole: ['cute.layout', 'cute.composition'],
  },
]

const marked = async (fault: Fault) => {
  const suite = right(await suiteNamed(fault.suite)())
  const reply = (question: Json): Reply => {
    const asked = question as Fields
    const answer = suite.ask(fault.question?.(asked) ?? question)
    return E.isLeft(answer)
      ? { _tag: 'Refusal', code: answer.left.code, message: answer.left.message }
      : { _tag: 'Answer', answer: fault.answer?.(answer.right as Fields, asked) ?? answer.right }
  }
  return examine(
    suite,
    {
      ask: (_, question) => Promise.resolve(reply(question)),
      lost: () => null,
      close: () => Promise.resolve(),
    },
    { random: 0, seed: 1, window: 4, leaveOut: () => false, progress: () => undefined },
  )
}

describe('a planted fault is found, and its rule named', () => {
  it('faults of many kinds', () => {
    expect(faults.length).toBeGreaterThanOrEqual(15)
    for (const { suite } of faults) expect(suites.map(({ name }) => name)).toContain(suite)
  })
  // kernels take seconds, and products have more cases than others: by day the first faults of those
  const products = faults.filter(({ suite }) => suite === 'dot').slice(2)
  const asked = faults.filter((fault) => nightly || (fault.suite !== 'kernels' && !products.includes(fault)))
  // by day every second of those
  it.each(sampled(2, asked).map((fault) => [fault.suite, fault.says, fault] as const))(
    '%s: %s',
    async (_s, _t, fault) => {
      const rules = await marked(fault)
      const failing = rules.filter((rule) => rule.fail > 0).map((rule) => rule.rule)
      const known = rules.map((rule) => rule.rule)
      for (const rule of [...fault.broken, ...fault.whole]) expect(known).toContain(rule)
      for (const rule of fault.broken) expect(failing).toContain(rule)
      for (const rule of fault.whole) expect(failing).not.toContain(rule)
      for (const rule of rules) expect(rule.fail > 0).toBe(rule.shown !== null)
    },
  )
})
