/**
 * FA4's protocol with something left out, or counted wrong: what a search of all interleavings must find, and what one run says already.
 *
 * The kinds are those that an exhaustive model of the protocol names for each. Two differ, and why is proved: a factor published after P is harmless where
 * it lies beside P (the model takes the columns of S for one region), and a last release of V by a commit may come when the block is gone (the model
 * has no end of a block).
 */
import { expect, test } from 'vitest'
import {
  consumerState,
  expressions,
  kvConsumerPipeline,
  kvProducerPipeline,
} from '../../../src/dialects/mojo/index.js'
import type { Counters } from '../../../src/kernels/attention/fa4/index.js'
import { farthest, tolerances } from '../../../src/kernels/attention/index.js'
import { defaultExplore, explore, type Kind } from '../../../src/semantics/schedules/explore/index.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import {
  answer,
  clean,
  computed,
  expected,
  judged,
  leaving,
  patternsOf,
  programOf,
  regions,
  small,
  type Rest,
} from './fa4-runs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

// ---------------------------------------------------------------- omissions

interface Omission {
  readonly name: string
  readonly rest?: Rest
  readonly made?: Partial<Counters>
  readonly change?: (p: Program) => Program
  readonly tiles: number
  readonly slots: number
  /** what a search of all schedules must find */
  readonly kinds: ReadonlyArray<Kind>
  /** one schedule is enough to say this */
  readonly once?: string
}

const consumerThat = (
  change: (made: ReturnType<Counters['consumer']>) => ReturnType<Counters['consumer']>,
): Partial<Counters> => ({ consumer: (of) => change(kvConsumerPipeline(expressions, of)) })

const omissions: ReadonlyArray<Omission> = [
  {
    name: 'no acquire of slots',
    change: leaving('acquire Kn', 'acquire Vn'),
    tiles: 2,
    slots: 2,
    kinds: ['race', 'deadlock'],
  },
  {
    name: "the load warp's phase starts at 0, two slots",
    made: {
      producer: (of) => ({
        ...kvProducerPipeline(expressions, of),
        start: { kvPipeline: consumerState(expressions) },
      }),
    },
    tiles: 2,
    slots: 2,
    kinds: ['race'],
    once: 'deadlock',
  },
  {
    name: "the load warp's phase starts at 0, more slots: it waits for a fresh barrier",
    made: {
      producer: (of) => ({
        ...kvProducerPipeline(expressions, of),
        start: { kvPipeline: consumerState(expressions) },
      }),
    },
    tiles: 2,
    slots: 3,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  {
    name: "O's phase starts at 0",
    made: { outputs: consumerState(expressions) },
    tiles: 1,
    slots: 2,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  { name: 'no wait for Q1', change: leaving('wait Q1'), tiles: 2, slots: 2, kinds: ['race'], once: 'hazard' },
  {
    name: 'no acquire of O',
    change: leaving('acquire O0', 'acquire O1'),
    tiles: 2,
    slots: 2,
    kinds: ['race', 'deadlock'],
  },
  {
    name: 'no acquire of P',
    change: leaving('acquire P0', 'acquire P1'),
    tiles: 2,
    slots: 2,
    kinds: ['race'],
  },
  {
    name: 'no release of V',
    change: leaving('release V'),
    tiles: 2,
    slots: 2,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  {
    name: 'V is released by the current index',
    made: consumerThat((made) => ({
      ...made,
      releaseV: (at, of) => made.releaseV({ ...at, vPipelineReleaseIndex: at.kvPipeline.index }, of),
    })),
    tiles: 2,
    slots: 2,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
  {
    name: 'waitK of K0 steps first',
    made: consumerThat((made) => ({
      ...made,
      waitK: (at, of) => made.waitK(at, { ...of, preIncrement: true }),
    })),
    tiles: 2,
    slots: 2,
    kinds: ['race', 'deadlock'],
    once: 'deadlock',
  },
  { name: 'one slot', tiles: 1, slots: 1, kinds: ['race', 'deadlock'] },
  {
    name: 'one slot, V0 guarded',
    rest: { guardFirst: true },
    tiles: 2,
    slots: 1,
    kinds: ['deadlock'],
    once: 'deadlock',
  },
]

// a search each; by day every fifth
test.each(omissions.filter((_, i) => nightly || i % 10 === 1))(
  'omission: $name',
  ({ rest, made, change, tiles, slots, kinds, once }) => {
    const program = (change ?? ((p: Program) => p))(programOf(small(tiles, slots, rest), made))
    const one = judged(program)
    expect(one.verdict.verdict).not.toBe('ok')
    if (once !== undefined) expect(one.verdict.verdict).toBe(once)
    const all = right(
      explore(program, {
        arguments: noArguments,
        ...defaultExplore,
        stop: false,
        states: nightly ? 10_000 : 2_500,
      }),
    )
    const found = new Set(all.found.map((f) => f.kind))
    expect([...found]).toEqual(expect.arrayContaining([...kinds]))
    // and nothing but what is named, where that is a deadlock alone
    if (kinds.length === 1 && kinds[0] === 'deadlock')
      expect([all.complete, ...found]).toEqual([true, 'deadlock'])
  },
)

/** In each softmax: the factor after P. */
const published = regions((body) => {
  const factor = body.findIndex((s) => s._tag === 'If' && s.site.label === 'factor')
  const release = body.findIndex((s) => s._tag === 'Do' && /^release S\d$/.test(s.site.label))
  return factor < 0 || release < factor
    ? body
    : [
        ...body.slice(0, factor),
        ...body.slice(factor + 1, release + 1),
        body[factor]!,
        ...body.slice(release + 1),
      ]
})

test('a factor that is published after P: harmless beside P, wrong where it lies in P', () => {
  // beside P: O_i waits for the rescaling, and that for the factor
  for (const tiles of nightly ? [2, 3] : [2]) {
    const late = published(programOf(small(tiles, 2)))
    expect(late).not.toEqual(programOf(small(tiles, 2)))
    expect(answer(late)).toEqual(clean)
    const all = right(explore(late, { arguments: noArguments, ...defaultExplore, stop: false }))
    expect([all.complete, all.found]).toEqual([true, []])
  }
  // without that wait nothing keeps the next S from the column of the factor
  const combinedNothing = leaving('acquire O0', 'acquire O1')(published(programOf(small(nightly ? 3 : 2, 2))))
  expect(judged(combinedNothing, { explore: true }).verdict.verdict).not.toBe('ok')
  // as a model that takes S, P and C for one region: C in the first column of P
  const inP = (p: Program): Program => ({
    ...p,
    storage: p.storage.map((s) => {
      const under = p.storage.find((t) => t.id === s.id.replace('C', 'P'))
      return /^C\d$/.test(s.id) && under?.offset !== undefined ? { ...s, offset: under.offset } : s
    }),
  })
  const c = { ...small(3, 2), q: 2 }
  const right_ = expected(c)
  const off = (p: Program): boolean =>
    farthest(tolerances.real64, computed(c, 'real64', patternsOf(c), eager, p).out, right_.out, 4) !== null
  // before P the factor is lost to P; after it P is lost to the factor: ordered, and wrong
  expect(answer(inP(programOf(c)))[0]).toBe('hazard')
  expect(answer(inP(published(programOf(c))))).toEqual(clean)
  expect([off(programOf(c)), off(published(programOf(c))), off(inP(published(programOf(c))))]).toEqual([
    false,
    false,
    true,
  ])
})

test('a last release of V: the commit may come when the block is gone', () => {
  for (const slots of [2, 3])
    expect(answer(programOf(small(3, slots, { lastRelease: true })))).toEqual([
      'hazard',
      'one-schedule',
      'U2',
    ])
  // an arrive is there at once: clean, of a barrier that nobody waits for
  for (const tiles of [1, 2])
    expect(answer(programOf(small(tiles, 4, { lastRelease: true, release: 'arrive' })))).toEqual(clean)
})
