/**
 * The laws of a matmul kernel: what must be true of every one of them, whatever it is made of.
 *
 * A `Plan` says of one kernel at which settings it is looked at and which completions its barriers are predicted to leave unawaited.
 * `matmulLaws` makes the proofs of it, and of the kernel's manifest of broken forms (`broken/statements`).
 *
 * | law        | at                     | says                                                                                      |
 * |------------|------------------------|-------------------------------------------------------------------------------------------|
 * | table      | the table itself       | at least 30 points: k steps below, at and above the slots, one tile and many, odd counts     |
 * | matmul     | every point            | 0 findings, decided by one schedule, tile provenance proves the matmul, in order             |
 * | field      | every point (a sample) | equal to the naive product over the field (of integers: modulo 2^32), with random elements; two seeds, two trials (by day, one) |
 * | bits       | every point (a sample) | the naive chain of its arithmetic, bit for bit                                             |
 * | strict     | every point            | the completions that nobody awaits are those of the prediction, in number and by barrier   |
 * | algebras   | one point              | events, order, counts and proof do not depend on what is computed with                     |
 * | schedules  | one point              | one verdict, one digest of the order, one output, however the schedule goes                |
 * | broken     | one point              | each form of the manifest (by day, one) is bad from every schedule, has its ids, and its findings replay |
 *
 * The oracles: the naive product of `reference.ts`, which knows neither tiles nor slots, and the prediction, which is arithmetic.
 *
 * By day the points are the few that it takes to have one of each kind of the table, and there are 2 schedules for a kernel and one for one of its
 * broken forms. By night it is every point, each with the field's two trials and the bits, and there are
 * 1,000 schedules for a kernel and for each of its broken forms.
 */
import { describe, expect, test } from 'vitest'
import { brokenOf, isBad, without, type Broken } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed, type Settings } from '../../../src/kernels/catalogue/index.js'
import { randomIntegers, randomPatterns } from '../../../src/kernels/reference-inputs.js'
import { referenceOf, shapeOf, tensorsOf } from '../../../src/kernels/reference.js'
import { field, isFloat, real64, unit, type Algebra, type FloatDtype } from '../../../src/numerics/index.js'
import {
  check,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../src/semantics/verdict/check.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { replaying, showKeys } from '../../../src/semantics/files/schedule.js'
import type { ReplayableFinding, Verdict } from '../../../src/semantics/judging/verdict.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'
import { bits } from '../../arithmetic.js'

// ---------------------------------------------------------------- what is looked at

/** One configuration, with what a law must know of it. */
export interface Point {
  readonly settings: Settings
  /** k steps of one tile */
  readonly steps: number
  /** slots of the ring that the k steps go round */
  readonly stages: number
  /** tiles of the output that are computed at once by one cluster, in rows and columns */
  readonly tiles: readonly [rows: number, columns: number]
  /** clusters that share the tiles: as many as tiles, unless the kernel is persistent */
  readonly clusters: number
}

/** Completions left unawaited, by the name of the barrier without its slot, over all CTAs of all clusters. */
export type Unawaited = Readonly<Record<string, number>>

export interface Plan {
  readonly kernel: string
  readonly points: ReadonlyArray<Point>
  /** where schedules are varied and statements left out: more steps than slots, and not many */
  readonly small: Point
  readonly unawaited: (p: Point) => Unawaited
}

const total = ({ tiles }: Point): number => tiles[0] * tiles[1]
/** Most tiles that one cluster computes. */
export const tilesOfOne = (p: Point): number => Math.ceil(total(p) / p.clusters)

const programs = new Map<string, Program>()

/** Made once: to make a program takes as long as to judge it. */
export const programOf = (kernel: string, settings: Settings): Program => {
  const key = JSON.stringify([kernel, settings])
  const made = programs.get(key) ?? right(instanceOf(right(kernelNamed(kernel)), settings, [])).program
  programs.set(key, made)
  return made
}

/** Nothing is left. */
export const balanced = (): Unawaited => ({})

// ---------------------------------------------------------------- judging

type Tensors = ReadonlyMap<string, Float64Array>

const judged = (
  p: Program,
  o: Partial<CheckOptions> = {},
  algebra: Algebra = unit,
  tensors: Tensors = new Map(),
): Checked =>
  right(check(p, { ...standardOptions, algebra, arguments: { scalars: new Map(), tensors }, ...o }))

const arithmeticOf = (p: Program): Algebra => bits(p.arch === 'sm90a' ? 'hopper' : 'blackwell')

/** Values for every input, of this algebra. */
const inputsOf = (
  p: Program,
  make: (dtype: FloatDtype, tensor: number, count: number) => Float64Array,
  seed: number = 1,
): Tensors =>
  new Map(
    tensorsOf(p)
      .filter((t) => t.role === 'in')
      .map((t, i) => {
        const count = (shapeOf(t) ?? []).reduce((n, x) => n * x, 1)
        return [
          t.name,
          isFloat(t.dtype) ? make(t.dtype, i, count) : randomIntegers(t.dtype, seed, i, count),
        ] as const
      }),
  )

const elements = (p: Program, f: ReturnType<typeof field>): Tensors =>
  inputsOf(p, (_, t, count) => Float64Array.from({ length: count }, (_x, i) => f.element(t, i)), f.seed)
const patterns = (p: Program, seed: number): Tensors =>
  inputsOf(p, (dtype, t, count) => randomPatterns(dtype, seed, t, count), seed)

/** The output of the run is that of the naive product, element for element. */
const expectNaive = (c: Checked, p: Program, algebra: Algebra, inputs: Tensors): void => {
  const { tensor, values } = right(referenceOf(p, algebra, inputs))
  const found = readTensor(c.world, c.machine, tensor)
  // said so, because a comparison of typed arrays that fails prints every element
  expect(found?.length).toBe(values.length)
  expect(values.findIndex((x, i) => !Object.is(x, found?.[i]))).toBe(-1)
}

/** What the law `matmul` demands of a verdict. */
const clean = (v: Verdict): void => {
  expect({
    verdict: v.verdict,
    decidedBy: v.decidedBy,
    findings: v.findings.map((f) => f.text),
    proved: v.provenance?.proved,
    inOrder: v.provenance?.inOrder,
  }).toEqual({ verdict: 'ok', decidedBy: 'one-schedule', findings: [], proved: true, inOrder: true })
}

/**
 * Left-over completions by barrier. A finding speaks of one barrier of one CTA: so many complete, so many observed; and, in brackets, of how
 * many clusters.
 */
const leftOver = (findings: ReadonlyArray<ReplayableFinding>): Unawaited => {
  const left = new Map<string, number>()
  for (const f of findings) {
    const said =
      /^(.*?)(?:\[\d+\])?@\S+ ends with completions that no wait has observed: (\d+) generations? complete, (\d+) observed(?: \((\d+) times\))?/.exec(
        f.text,
      )
    if (said === null) throw new Error(`not a left-over completion: ${f.id} ${f.text}`)
    const [, barrier, complete, observed, times] = said
    const count = (Number(complete) - Number(observed)) * Number(times ?? 1)
    left.set(barrier!, (left.get(barrier!) ?? 0) + count)
  }
  return Object.fromEntries(left)
}

// ---------------------------------------------------------------- the laws

const show = ({ settings }: Point): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(' ')

/** Every how many of the points that are looked at by day are computed with numbers; all of them are proved for all inputs. */
const sampled = 8

/**
 * Those points: of each eight the smallest product of several tiles and steps, if a small one is there, else of several tiles, of several steps, or the
 * smallest.
 */
const numberedOf = (points: ReadonlyArray<Point>): ReadonlySet<Point> => {
  const size = ({ settings: { m, n, k } }: Point): number => Number(m) * Number(n) * Number(k)
  const wanted: ReadonlyArray<(p: Point) => boolean> = [
    (p) => total(p) > 1 && p.steps > 1 && size(p) <= 2 ** 22,
    (p) => total(p) > 1 && size(p) <= 2 ** 24,
    (p) => p.steps > 1 && size(p) <= 2 ** 24,
    () => true,
  ]
  return new Set(
    points.flatMap((_, i) => {
      const eight = points.slice(i, i + sampled)
      if (i % sampled !== 0 || (i > 0 && eight.length < sampled)) return []
      const some = wanted.map((is) => eight.filter(is)).find((found) => found.length > 0) ?? []
      return [...some].sort((a, b) => size(a) - size(b)).slice(0, 1)
    }),
  )
}

/** What some point of a table must be, and of the points that are looked at by day. */
const kinds = ({ points }: Plan): ReadonlyArray<readonly [what: string, holds: (p: Point) => boolean]> => [
  ['fewer steps than slots', (p) => p.steps < p.stages],
  ['as many', (p) => p.steps === p.stages],
  ['more', (p) => p.steps > p.stages],
  ['more than twice as many', (p) => p.steps > 2 * p.stages],
  ['one step', (p) => p.steps === 1],
  ['one tile', (p) => total(p) === 1],
  ['many tiles', (p) => total(p) >= 6],
  ['an odd number', (p) => total(p) > 1 && total(p) % 2 === 1],
  ['odd in rows and in columns', ({ tiles: [r, c] }) => r > 1 && c > 1 && r % 2 === 1 && c % 2 === 1],
  ...(points.some((p) => p.clusters !== total(p))
    ? [1, 2, 3, 4, 5].flatMap((tiles) =>
        [-1, 0, 1].map(
          (sign) =>
            [
              `${String(tiles)} tiles of a cluster, steps against slots ${String(sign)}`,
              (p: Point) => tilesOfOne(p) === tiles && Math.sign(p.steps - p.stages) === sign,
            ] as const,
        ),
      )
    : []),
]

/** By night every point; by day those that the kinds need, each the first that is of a kind of which no other is. */
const lookedAt = (plan: Plan): ReadonlyArray<Point> => {
  const taken = new Set<Point>()
  for (const [, holds] of kinds(plan)) {
    const first = plan.points.find(holds)
    if (first !== undefined && ![...taken].some(holds)) taken.add(first)
  }
  return plan.points.filter((p) => nightly || taken.has(p))
}

const table = (plan: Plan): void => {
  const points = lookedAt(plan)
  test(`${String(plan.points.length)} points: steps below, at and above the slots; one tile, many, an odd number`, () => {
    expect(new Set(plan.points.map(show)).size).toBeGreaterThanOrEqual(30)
    expect(kinds(plan).flatMap(([what, holds]) => (points.some(holds) ? [] : [what]))).toEqual([])
    // orders of tiles: both, in several widths
    const told = (name: string): number => new Set(plan.points.map(({ settings }) => settings[name])).size
    if (plan.points.some(({ settings }) => 'gridTileWidth' in settings))
      expect([told('gridMinorDim'), told('gridTileWidth')]).toEqual([2, 3])
    // what is said of a point is what the program does
    for (const p of [...points, plan.small]) {
      const [m, n, k] = ['m', 'n', 'k'].map((size) => Number(p.settings[size]))
      const { computes, params } = programOf(plan.kernel, p.settings)
      const sizes = Object.fromEntries(
        params.flatMap((t) => (t._tag === 'tensor' ? [[t.name, shapeOf(t)]] : [])),
      )
      expect(computes).toMatchObject({ _tag: 'matmul', a: 'a', b: 'b', out: 'out' })
      expect(sizes).toMatchObject({ a: [m, k], out: [m, n] })
      // row by row, or column by column
      expect([[k, n].join(), [n, k].join()]).toContain(sizes['b']?.join())
      expect([k, p.stages]).toEqual([p.steps * Number(p.settings['tileK']), p.settings['stages']])
    }
  })
}

const oneSchedule = (plan: Plan): void => {
  const points = lookedAt(plan)
  const computed = numberedOf(points)
  test.each(points.map((p, i) => [show(p), p, i] as const))('%s', (_, point, i) => {
    const p = programOf(plan.kernel, point.settings)
    const f = field(i + 1)
    const numbered = nightly || computed.has(point)
    const inputs = numbered ? elements(p, f) : new Map<string, never>()
    const run = judged(p, { explain: false }, numbered ? f : unit, inputs)
    clean(run.verdict)
    // strict: what is noted is what nobody awaits, and nothing else but registers that no wait was spent on
    const strictly = run.verdict.notes.filter((x) => x.severity === 'C')
    expect(leftOver(strictly)).toEqual(plan.unawaited(point))
    if (!numbered) return
    expectNaive(run, p, f, inputs)
    // the option says the same
    const strict = judged(p, { strict: true, explain: false }).verdict
    expect([strict.verdict, strict.decidedBy]).toEqual([
      strictly.length === 0 && !run.verdict.notes.some((x) => x.id === 'N2') ? 'ok' : 'hazard',
      'one-schedule',
    ])
    // what is in order over a relaxed cluster barrier alone is not, by the manual’s word: so the note says
    const relaxed = run.verdict.notes.some((x) => x.id === 'N2') ? ['U2', 'M3', 'K1'] : []
    expect(leftOver(strict.findings.filter((x) => !relaxed.includes(x.id)))).toEqual(plan.unawaited(point))
    const bare = { hazards: false, provenance: false } as const
    if (nightly) {
      const again = field(1000 + i)
      const others = elements(p, again)
      expectNaive(judged(p, bare, again, others), p, again, others)
    }
    const arithmetic = arithmeticOf(p)
    const numbers = patterns(p, i + 1)
    expectNaive(judged(p, bare, arithmetic, numbers), p, arithmetic, numbers)
  })
}

const algebras = (plan: Plan): void => {
  test(`${nightly ? 'bits, real64, field' : 'field'} and unit: the same events in the same order, the same counts, the same proof`, () => {
    const p = programOf(plan.kernel, plan.small.settings)
    const arithmetic = arithmeticOf(p)
    const f = field(3)
    const said = (algebra: Algebra, inputs: Tensors): unknown => {
      const { verdict, schedule } = judged(p, { policy: Policy.seeded(7) }, algebra, inputs)
      clean(verdict)
      return [verdict.digest.order, verdict.counts, verdict.provenance, showKeys(schedule)]
    }
    const expected = said(unit, new Map())
    expect(said(f, elements(p, f))).toEqual(expected)
    // by day the bits are those of the points
    if (!nightly) return
    expect(said(arithmetic, patterns(p, 1))).toEqual(expected)
    expect(
      said(
        real64,
        inputsOf(p, (_, t, count) => Float64Array.from({ length: count }, (_x, i) => ((i * 7 + t) % 5) - 2)),
      ),
    ).toEqual(expected)
  })
}

const seedsOf = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i + 1)

const schedules = (plan: Plan): void => {
  const seeds = seedsOf(nightly ? 1000 : 2)
  test(`${String(seeds.length)} schedules: one verdict, one digest, one output`, () => {
    const p = programOf(plan.kernel, plan.small.settings)
    const arithmetic = arithmeticOf(p)
    const inputs = patterns(p, 5)
    const taken = new Set<string>()
    const outputs = new Set<string>()
    const seen = seeds.map((seed) => {
      // by day half of them is computed
      const computed = nightly || seed % 2 === 1
      const { verdict, schedule } = judged(
        p,
        { policy: Policy.seeded(seed), explain: false },
        computed ? arithmetic : unit,
        computed ? inputs : new Map(),
      )
      if (computed) outputs.add(verdict.digest.output)
      if (seed <= 4) taken.add(showKeys(schedule))
      return `${verdict.verdict} by ${verdict.decidedBy} ${verdict.digest.order} ${String(verdict.provenance?.inOrder)}`
    })
    expect(seen[0]).toMatch(/^ok by one-schedule [0-9a-f]{16} true$/)
    expect(new Set(seen)).toEqual(new Set(seen.slice(0, 1)))
    expect([...outputs]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)])
    // and they are different schedules
    expect(taken.size).toBe(Math.min(4, seeds.length))
  })
}

/** A verdict from this schedule, and whether one run was enough for it. */
const verdictFrom = (
  p: Program,
  policy: Policy.AnyPolicy,
  provenance: boolean,
): { readonly v: Verdict; readonly alone: boolean } => {
  const one = judged(p, { policy, provenance, explain: false, explore: false }).verdict
  return one.verdict === 'undecided'
    ? { v: judged(p, { policy, provenance, explain: false }).verdict, alone: false }
    : { v: one, alone: true }
}

const replays = (p: Program, w: Verdict, f: ReplayableFinding): void => {
  const v = judged(p, { policy: right(replaying(w, f))!, explore: false, explain: false }).verdict
  const behind = Object.values(v.conditions).flatMap((c) => c.findings)
  expect([...v.findings, ...behind].map((g) => `${g.id} ${g.a.site}`)).toContain(`${f.id} ${f.a.site}`)
}

/** So many forms, spread over a list of them. */
const spread = (count: number, all: ReadonlyArray<Broken>): ReadonlyArray<Broken> =>
  all.filter((_, at) => Math.floor(((at + 1) * count) / all.length) > Math.floor((at * count) / all.length))

const broken = (plan: Plan): void => {
  const all = brokenOf(plan.kernel)
  // asking others takes up to twenty runs and a search
  const alone = all.filter((b) => !b.asksOthers)
  const thousand = new Set(spread(10, alone))
  const seedsFor = (b: Broken): number => (nightly ? (thousand.has(b) ? 1000 : b.asksOthers ? 20 : 50) : 1)
  test('at least ten forms that one run shows', () => {
    expect(thousand.size).toBe(10)
  })
  test.each((nightly ? all : spread(1, all)).map((b) => ({ ...b, seeds: seedsFor(b) })))(
    `without $without: $verdict, $shows, from $seeds schedules`,
    ({ without: label, verdict, shows, asksOthers, seeds }) => {
      const p = right(without(label)(programOf(plan.kernel, plan.small.settings)))
      const eager = judged(p, { explain: false }).verdict
      expect([eager.verdict, eager.findings.map((f) => f.id)]).toEqual([
        verdict,
        expect.arrayContaining([...shows]),
      ])
      for (const f of eager.findings.slice(0, 2)) replays(p, eager, f)
      const from = seedsOf(seeds).map((seed) => ({
        seed,
        ...verdictFrom(p, Policy.seeded(seed), verdict === 'wrong-result'),
      }))
      expect(from.filter(({ v }) => !isBad(v.verdict)).map(({ seed, v }) => [seed, v.verdict])).toEqual([])
      if (!asksOthers) expect(from.filter(({ alone }) => !alone).map(({ seed }) => seed)).toEqual([])
    },
  )
}

/** All of it. */
export const matmulLaws = (plan: Plan): void => {
  describe(`${plan.kernel}: the table`, () => {
    table(plan)
  })
  describe(`${plan.kernel}: a matmul for all inputs, by one schedule`, () => {
    oneSchedule(plan)
  })
  describe(`${plan.kernel}: whatever it is computed with, whoever goes first`, () => {
    algebras(plan)
    schedules(plan)
  })
  describe(`${plan.kernel}: broken`, () => {
    broken(plan)
  })
}
