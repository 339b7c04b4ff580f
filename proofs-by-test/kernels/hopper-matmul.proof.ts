/**
 * hopper-matmul: for all inputs, for every tile and stage setting, in every algebra, under every schedule.
 *
 * T1  tile provenance proves `out = a @ b`, added in ascending order of k, for every legal setting of a shape (exhaustive)
 * T2  so every setting gives the bits of the naive chain; checked in `bits` on a sample of them
 * T3  bits, real64, field and unit agree on all that they share: events, order, steps; and on small integers, on the values
 * T4  200 schedules: one verdict, one digest of the order, one output
 * T5  leaving out any one of six synchronisation statements is bad under all of 200 schedules, and is named
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { without } from '../../src/kernels/broken/without.js'
import { hopperMatmul, type HopperMatmul } from '../../src/kernels/hopper/hopper-matmul.js'
import { naiveMatmul } from '../../src/kernels/reference.js'
import { bits, decode, encode, field, real64, unit, type Algebra } from '../../src/numerics/index.js'
import { check, type Checked, type CheckOptions } from '../../src/semantics/check.js'
import { defaults, detector, settledVerdictOf } from '../../src/semantics/detector/index.js'
import { launch, readTensor, type Launched } from '../../src/semantics/launch.js'
import * as Policy from '../../src/semantics/policy.js'
import type { Program } from '../../src/semantics/program.js'
import * as Run from '../../src/semantics/run.js'
import { readKey, type EventKey } from '../../src/semantics/step.js'

const nightly = process.env['TCSPEC_NIGHTLY'] !== undefined

const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

const options = (
  algebra: Algebra,
  policy: Policy.AnyPolicy,
  tensors: ReadonlyMap<string, Float64Array> = new Map(),
): CheckOptions => ({
  settings: {},
  algebra,
  arguments: { scalars: new Map(), tensors },
  policy,
  strict: true,
  strictProxies: false,
  hazards: true,
  provenance: true,
  explore: true,
  fuel: 1_000_000,
})

const checked = (p: Program, o: CheckOptions): Checked => right(check(p, o))

/** Every setting of a shape that the kernel accepts. */
const settingsOf = (
  m: number,
  n: number,
  k: number,
  stages: ReadonlyArray<number>,
): ReadonlyArray<HopperMatmul> => {
  const divisors = (size: number, step: number): ReadonlyArray<number> =>
    Array.from({ length: size / step }, (_, i) => (i + 1) * step).filter((t) => size % t === 0)
  return divisors(m, 64).flatMap((tileM) =>
    divisors(n, 16).flatMap((tileN) =>
      divisors(k, 16).flatMap((tileK) =>
        stages.flatMap((s): ReadonlyArray<HopperMatmul> => {
          const c: HopperMatmul = { dtype: 'f16', m, n, k, tileM, tileN, tileK, stages: s }
          return E.isRight(hopperMatmul(c)) ? [c] : []
        }),
      ),
    ),
  )
}

const pseudo =
  (seed: number) =>
  (i: number): number => {
    let x = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b)
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
    return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
  }
const patterns = (seed: number, size: number): Float64Array => {
  const r = pseudo(seed)
  return Float64Array.from({ length: size }, (_, i) => encode('f16', (r(i) - 0.5) * 8))
}

describe('T1 every legal setting', () => {
  const [m, n, k] = nightly ? [256, 256, 256] : [128, 64, 128]
  const all = settingsOf(m, n, k, nightly ? [2, 3, 4, 5, 6, 7, 8] : [2, 3, 5])
  test(`${String(all.length)} settings of ${String(m)} x ${String(n)} x ${String(k)} prove the matmul in ascending order`, () => {
    expect(all.length).toBeGreaterThan(nightly ? 300 : 60)
    for (const c of all) {
      const { verdict } = checked(right(hopperMatmul(c)), options(unit, Policy.lazy))
      expect([
        JSON.stringify(c),
        verdict.verdict,
        verdict.provenance?.proved,
        verdict.provenance?.inOrder,
      ]).toEqual([JSON.stringify(c), 'ok', true, true])
    }
  })
})

describe('T2 the bits of the naive chain', () => {
  const [m, n, k] = [128, 64, 128]
  const a = patterns(1, m * k)
  const b = patterns(2, k * n)
  const naive = right(
    naiveMatmul(bits('hopper'), { operand: 'f16', accumulator: 'f32', out: 'f16' }, { m, n, k }, a, b),
  )
  const all = settingsOf(m, n, k, [2, 4])
  const sample = nightly ? all : all.filter((_, i) => i % 5 === 0)
  test(`${String(sample.length)} settings give the same ${String(m * n)} elements`, () => {
    for (const c of sample) {
      const { world, machine } = checked(
        right(hopperMatmul(c)),
        options(
          bits('hopper'),
          Policy.eager,
          new Map([
            ['a', a],
            ['b', b],
          ]),
        ),
      )
      expect(readTensor(world, machine, 'out')).toEqual(naive)
    }
  })
})

const small: HopperMatmul = {
  dtype: 'f16',
  m: 128,
  n: 32,
  k: 112,
  tileM: 64,
  tileN: 16,
  tileK: 16,
  stages: 3,
}

describe('T3 four algebras', () => {
  const r = pseudo(3)
  const integers = (size: number, from: number): ReadonlyArray<number> =>
    Array.from({ length: size }, (_, i) => Math.floor(r(i + from) * 3) - 1)
  const a = integers(small.m * small.k, 0)
  const b = integers(small.k * small.n, 100_000)
  const run = (algebra: Algebra): Checked =>
    checked(
      right(hopperMatmul(small)),
      options(
        algebra,
        Policy.seeded(7),
        new Map([
          ['a', Float64Array.from(a, (x) => algebra.constant('f16', x))],
          ['b', Float64Array.from(b, (x) => algebra.constant('f16', x))],
        ]),
      ),
    )
  const all = { bits: run(bits('hopper')), real64: run(real64), field: run(field(1)), unit: run(unit) }
  test('the same events in the same order, the same counts, the same proof', () => {
    const shared = Object.values(all).map(({ verdict, schedule }) => ({
      verdict: verdict.verdict,
      order: verdict.digest.order,
      counts: verdict.counts,
      provenance: verdict.provenance,
      schedule: Run.showSchedule(schedule),
    }))
    expect(shared[0]!.verdict).toBe('ok')
    for (const s of shared) expect(s).toEqual(shared[0])
  })
  test('on small integers, the same values: exact in f16, in f64 and modulo p', () => {
    const expected = Array.from({ length: small.m * small.n }, (_, e) => {
      const [i, j] = [Math.floor(e / small.n), e % small.n]
      let sum = 0
      for (let k = 0; k < small.k; k++) sum += a[i * small.k + k]! * b[k * small.n + j]!
      return sum
    })
    const out = ({ world, machine }: Checked): Float64Array => readTensor(world, machine, 'out')!
    expect(Array.from(out(all.bits), (x) => decode('f16', x) + 0)).toEqual(expected)
    expect(Array.from(out(all.real64), (x) => x + 0)).toEqual(expected)
    expect(Array.from(out(all.field))).toEqual(expected.map((x) => field(1).constant('f32', x)))
    expect(readTensor(all.unit.world, all.unit.machine, 'out')).toBeNull()
  })
  test('over the field with random elements the kernel is the naive matmul (two trials)', () => {
    for (const seed of [11, 12]) {
      const f = field(seed)
      const [fa, fb] = [0, 1].map((t) =>
        Float64Array.from({ length: t === 0 ? a.length : b.length }, (_, i) => f.element(t, i)),
      )
      const { world, machine } = checked(
        right(hopperMatmul(small)),
        options(
          f,
          Policy.eager,
          new Map([
            ['a', fa!],
            ['b', fb!],
          ]),
        ),
      )
      const naive = right(naiveMatmul(f, { operand: 'f16', accumulator: 'f32', out: 'f16' }, small, fa!, fb!))
      expect(readTensor(world, machine, 'out')).toEqual(naive)
    }
  })
})

const seeds = Array.from({ length: 200 }, (_, i) => i + 1)
const tiny: HopperMatmul = { dtype: 'f16', m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 }

describe('T4 every schedule', () => {
  test('200 seeded schedules: one verdict, one digest, one output', () => {
    const p = right(hopperMatmul(tiny))
    const inputs = new Map([
      ['a', patterns(5, tiny.m * tiny.k)],
      ['b', patterns(6, tiny.k * tiny.n)],
    ])
    const seen = seeds.map((seed) => {
      const { verdict } = checked(p, options(bits('hopper'), Policy.seeded(seed), inputs))
      return `${verdict.verdict} by ${verdict.decidedBy} ${verdict.digest.order} ${verdict.digest.output}`
    })
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toMatch(/^ok by one-schedule [0-9a-f]{16} [0-9a-f]{16}$/)
    const schedules = new Set(
      seeds.slice(0, 20).map((seed) => {
        const l = right(launch(p, unit, { scalars: new Map(), tensors: new Map() }))
        return Run.showSchedule(
          Run.run(l.world, l.machine, Run.settings(Policy.seeded(seed), true), Run.ignore).schedule,
        )
      }),
    )
    expect(schedules.size).toBe(20)
  })
})

describe('T5 leaving a statement out', () => {
  /** What is left out, the ids that may name it, and a word of the missing edge or of a statement that must be in the finding. */
  const cases: ReadonlyArray<readonly [label: string, ids: ReadonlyArray<string>, names: string]> = [
    ['wait loaded', ['R1', 'I1'], 'loaded'],
    ['wait consumed', ['W1', 'B1', 'B3'], 'consumed'],
    ['commit_smem', ['P1'], 'fence'],
    ['wait out', ['U2'], 'copy out'],
    ['arrive consumed', ['B5'], 'consumed'],
    ['wgmma_wait 1', ['W3', 'W2'], 'wgmma'],
  ]
  for (const [label, ids, names] of cases) {
    const p = right(without(label)(right(hopperMatmul(tiny))))
    test(`without '${label}' it is bad under 200 schedules, and named`, () => {
      const l: Launched = right(launch(p, unit, { scalars: new Map(), tensors: new Map() }))
      for (const seed of seeds) {
        const { result, outcome } = Run.run(
          l.world,
          l.machine,
          Run.settings(Policy.seeded(seed)),
          detector(defaults),
        )
        const settled = settledVerdictOf(result)
        const verdict =
          outcome._tag === 'completed' && (settled === 'ok' || settled === 'undecided')
            ? checked(p, { ...options(unit, Policy.seeded(seed)), explain: false }).verdict.verdict
            : settled
        expect([seed, verdict === 'hazard' || verdict === 'deadlock']).toEqual([seed, true])
      }
      const { verdict } = checked(p, options(unit, Policy.eager))
      const said = verdict.findings.filter((f) => ids.includes(f.id))
      expect([verdict.verdict, verdict.findings.map((f) => f.id)]).toEqual([
        expect.stringMatching(/hazard|deadlock/),
        expect.arrayContaining([expect.stringMatching(new RegExp(ids.join('|')))]),
      ])
      const text = said
        .map((f) => [f.text, f.a.site, f.b?.site ?? '', f.missing?.text ?? ''].join(' '))
        .join('\n')
      expect(text).toContain(names)
    })
    test(`without '${label}' every finding replays from its schedule`, () => {
      const { verdict } = checked(p, options(unit, Policy.eager))
      const l: Launched = right(launch(p, unit, { scalars: new Map(), tensors: new Map() }))
      for (const f of verdict.findings.slice(0, 4)) {
        const keys = f.schedule.split(' ').map((text) => right(keyOf(text)))
        const again = Run.run(
          l.world,
          l.machine,
          Run.settings(Policy.recorded(keys)),
          detector({ ...defaults, strict: true }),
        )
        const conditions = Object.values(again.result.conditions).flatMap((c) => c.findings)
        expect([...again.result.findings, ...conditions].map((g) => `${g.id} ${g.a.site}`)).toContain(
          `${f.id} ${f.a.site}`,
        )
      }
    })
  }
})

const keyOf = (text: string): E.Either<{ readonly message: string }, EventKey> => {
  const key = readKey(text)
  return key === null ? E.left({ message: `not a key: ${text}` }) : E.right(key)
}
