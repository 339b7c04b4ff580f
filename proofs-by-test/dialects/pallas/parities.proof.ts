/**
 * Parities that go along by themselves. The oracle counts: the n-th wait of a warp at a barrier, its thread's among them, has the parity of n.
 */
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { whileWithMasks } from '../../../src/dialects/pallas/parities.js'
import { unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  add,
  eq,
  i1,
  i32,
  lt,
  place,
  rem,
  select,
  type Int,
} from '../../../src/semantics/language/expression.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { effectsOf, type Program, type Stmt } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { statementsOf } from './programs.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

// ---------------------------------------------------------------- what a thread does

const slots = 3

/** A wait for a slot, (step + at) mod 3 of the innermost loop; each is arrived at right before. */
type Deed =
  | { readonly _tag: 'wait'; readonly at: number }
  /** counted, or while it has not been done so often */
  | {
      readonly _tag: 'loop'
      readonly times: number
      readonly counted: boolean
      readonly body: ReadonlyArray<Deed>
    }
  /** when step mod 2 = `on`; both sides with `otherwise` */
  | {
      readonly _tag: 'when'
      readonly on: number
      readonly body: ReadonlyArray<Deed>
      readonly otherwise: ReadonlyArray<Deed> | null
    }

/** What the thread does, in a loop: for itself (a barrier of its own), then in a warp map, each warp with its own. */
interface Story {
  readonly tiles: number
  /** the thread waits for the warps' barriers too, once, before the loop */
  readonly before: boolean
  readonly own: ReadonlyArray<Deed>
  readonly warps: ReadonlyArray<ReadonlyArray<Deed>>
  /** what each warp does in the same way at a barrier that all share, and what the thread does there afterwards */
  readonly alike: ReadonlyArray<Deed>
  readonly behind: ReadonlyArray<Deed>
}

const { deeds } = fc.letrec<{ readonly deed: Deed; readonly deeds: ReadonlyArray<Deed> }>((tie) => ({
  deeds: fc.array(tie('deed'), { maxLength: 2 }),
  deed: fc.oneof(
    { maxDepth: 3 },
    fc.record({ _tag: fc.constant('wait' as const), at: fc.integer({ min: 0, max: 2 }) }),
    fc.record({
      _tag: fc.constant('loop' as const),
      times: fc.integer({ min: 0, max: 4 }),
      counted: fc.boolean(),
      body: tie('deeds'),
    }),
    fc.record({
      _tag: fc.constant('when' as const),
      on: fc.integer({ min: 0, max: 1 }),
      body: tie('deeds'),
      otherwise: fc.option(tie('deeds')),
    }),
  ),
}))
const stories: fc.Arbitrary<Story> = fc.record({
  tiles: fc.integer({ min: 1, max: 3 }),
  before: fc.boolean(),
  own: deeds,
  warps: fc.array(deeds, { minLength: 4, maxLength: 4 }),
  alike: deeds,
  behind: deeds,
})

// ---------------------------------------------------------------- the surface

const built = (
  barrier: Pallas.Barrier,
  step: Int,
  all: ReadonlyArray<Deed>,
  depth: number = 0,
  arrivals: number = 1,
): B.Build<void> =>
  B.block(function* () {
    for (const d of all) {
      const label = `${barrier.name}.${String(depth)}`
      const inside = (body: ReadonlyArray<Deed>) =>
        function* (): Generator<B.Step, Record<never, never>, unknown> {
          yield* built(barrier, step, body, depth + 1, arrivals)
          return {}
        }
      switch (d._tag) {
        case 'wait': {
          const index = yield* B.letIn('index', rem(add(step, i32(d.at)), i32(slots)))
          for (let n = 0; n < arrivals; n++)
            yield* Pallas.barrierArrive(`arrive ${barrier.name}`, barrier, index)
          yield* Pallas.barrierWait(`wait ${barrier.name}`, barrier, index)
          break
        }
        case 'loop':
          if (d.counted)
            yield* Pallas.foriLoop(label, d.times, (k) => built(barrier, k, d.body, depth + 1, arrivals))
          else
            yield* whileWithMasks<{ readonly k: 'i32' }>(
              label,
              { k: i32(0) },
              function* ({ k }) {
                return yield* B.letIn('more', lt(k, i32(d.times)))
              },
              function* ({ k }) {
                yield* built(barrier, k, d.body, depth + 1, arrivals)
                return { k: add(k, i32(1)) }
              },
            )
          break
        case 'when': {
          const condition = eq(rem(step, i32(2)), i32(d.on))
          if (d.otherwise === null)
            yield* Pallas.when(label, condition, () => built(barrier, step, d.body, depth + 1, arrivals))
          else yield* Pallas.cond(label, condition, inside(d.body), inside(d.otherwise))
        }
      }
    }
  })

const programOf = (story: Story, warps: Pallas.Warps): Program =>
  right(
    Pallas.kernel(
      { name: 'parities', arch: 'sm90a', warps },
      function* () {
        const own = yield* Pallas.Barrier('own', { numBarriers: slots })
        const ofWarps: Pallas.Barrier[] = []
        for (const w of [0, 1, 2, 3])
          ofWarps.push(yield* Pallas.Barrier(`w${String(w)}`, { numBarriers: slots }))
        const shared = yield* Pallas.Barrier('shared', { numBarriers: slots, numArrivals: 4 })
        return { own, ofWarps, shared }
      },
      function* ({ own, ofWarps, shared }) {
        if (story.before) for (const b of ofWarps) yield* built(b, i32(0), [{ _tag: 'wait', at: 0 }])
        yield* Pallas.foriLoop('tile', story.tiles, function* (tile) {
          yield* built(own, tile, story.own)
          yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), { tile }, function* (c) {
            const warp = Pallas.known(yield* Pallas.axisIndex('warp'))!
            yield* built(ofWarps[warp]!, c.tile, story.warps[warp]!)
            yield* built(shared, c.tile, story.alike)
          })
          yield* built(shared, tile, story.behind, 0, 4)
        })
      },
    ),
  )

// ---------------------------------------------------------------- the oracle

/** Slots in the order of the waits. */
const played = (step: number, all: ReadonlyArray<Deed>): ReadonlyArray<number> =>
  all.flatMap((d): ReadonlyArray<number> => {
    switch (d._tag) {
      case 'wait':
        return [(step + d.at) % slots]
      case 'loop':
        return Array.from({ length: d.times }, (_, k) => played(k, d.body)).flat()
      case 'when':
        return step % 2 === d.on ? played(step, d.body) : played(step, d.otherwise ?? [])
    }
  })

interface Waited {
  readonly by: 'thread' | 'warp'
  readonly barrier: string
}

/** What one warp sees: its thread's waits and its own, in order, each with the parity of its number. */
const waitsOf = (story: Story, warp: number): ReadonlyArray<Waited & { readonly parity: number }> => {
  const tile = (k: number): ReadonlyArray<Waited> => [
    ...played(k, story.own).map((s): Waited => ({ by: 'thread', barrier: `own[${String(s)}]` })),
    ...played(k, story.warps[warp]!).map((s): Waited => ({
      by: 'warp',
      barrier: `w${String(warp)}[${String(s)}]`,
    })),
    ...played(k, story.alike).map((s): Waited => ({ by: 'warp', barrier: `shared[${String(s)}]` })),
    ...played(k, story.behind).map((s): Waited => ({ by: 'thread', barrier: `shared[${String(s)}]` })),
  ]
  const before = story.before
    ? [0, 1, 2, 3].map((w): Waited => ({ by: 'thread', barrier: `w${String(w)}[0]` }))
    : []
  const seen = new Map<string, number>()
  return [...before, ...Array.from({ length: story.tiles }, (_, k) => tile(k)).flat()].map((w) => {
    const count = seen.get(w.barrier) ?? 0
    seen.set(w.barrier, count + 1)
    return { ...w, parity: count % 2 }
  })
}

/** The waits of each agent in a run, by its name. */
const observed = (p: Program): ReadonlyMap<string, ReadonlyArray<string>> => {
  const { world, machine } = right(launch(p, unit, noArguments))
  const how = { policy: Policy.eager, fuel: 1e6, keepSchedule: false, transient: true }
  const ran = Run.run(world, machine, how, Run.collect)
  expect(ran.outcome._tag).toBe('completed')
  const of = new Map<string, string[]>(world.header.agents.map((a) => [a.name, []]))
  for (const e of ran.result)
    if (e._tag === 'wait')
      of.get(world.header.agents[e.stamp.agent]!.name)!.push(
        `${world.header.barriers[e.barrier]!.name} ${String(e.parity)}`,
      )
  return of
}
const said = (all: ReturnType<typeof waitsOf>): ReadonlyArray<string> =>
  all.map((w) => `${w.barrier} ${String(w.parity)}`)

// ---------------------------------------------------------------- the laws

const runs = nightly ? 1_000 : 3

describe('laws 1 and 2', () => {
  test('a thread and its four warps, whatever they do: every wait has the parity of its number', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const of = observed(programOf(story, 'together'))
        expect(of.get('thread')).toEqual(said(waitsOf(story, 0).filter((w) => w.by === 'thread')))
        for (const w of [0, 1, 2, 3])
          expect(of.get(`thread.warp${String(w)}`) ?? []).toEqual(
            said(waitsOf(story, w).filter((x) => x.by === 'warp')),
          )
      }),
      { numRuns: runs },
    )
  })
  test('the same of a thread that is its warps', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const of = observed(programOf(story, 'agents'))
        for (const w of [0, 1, 2, 3])
          expect(of.get(`thread.warp${String(w)}`)).toEqual(said(waitsOf(story, w)))
      }),
      { numRuns: runs },
    )
  })
  test('by hand: a ring of three, seven steps, two tiles: the second goes on where the first ended', () => {
    const loop: Deed = { _tag: 'loop', times: 7, counted: true, body: [{ _tag: 'wait', at: 0 }] }
    const story: Story = {
      tiles: 2,
      before: false,
      own: [],
      warps: [[loop], [], [], []],
      alike: [],
      behind: [],
    }
    // slot 0 is waited for 3 times in a tile, slots 1 and 2 twice
    expect(observed(programOf(story, 'together')).get('thread.warp0')).toEqual([
      ...['w0[0] 0', 'w0[1] 0', 'w0[2] 0', 'w0[0] 1', 'w0[1] 1', 'w0[2] 1', 'w0[0] 0'],
      ...['w0[0] 1', 'w0[1] 0', 'w0[2] 0', 'w0[0] 0', 'w0[1] 1', 'w0[2] 1', 'w0[0] 1'],
    ])
  })
  test('what stands beside the warps has no effect, and none stands beside the last map', () => {
    const loop: Deed = { _tag: 'loop', times: 2, counted: false, body: [{ _tag: 'wait', at: 0 }] }
    const once = programOf(
      { tiles: 1, before: true, own: [loop], warps: [[loop], [loop], [], []], alike: [], behind: [] },
      'together',
    )
    const more = programOf(
      { tiles: 2, before: true, own: [loop], warps: [[loop], [loop], [], []], alike: [], behind: [] },
      'together',
    )
    const forks = (p: Program): ReadonlyArray<Stmt> => statementsOf(p.entry).filter((s) => s._tag === 'Fork')
    for (const p of [once, more]) {
      const [fork] = forks(p)
      const parent = fork?._tag === 'Fork' ? fork.branches[0]! : null
      expect(effectsOf(parent!.body.body)).toEqual([])
    }
  })
})

describe('law 3', () => {
  const refusal = (body: (b: Pallas.Barrier) => B.Steps<void>): unknown => {
    const made = Pallas.kernel(
      { name: 'k', arch: 'sm90a' },
      () => Pallas.Barrier('b', { numBarriers: 2 }),
      (b) => body(b),
    )
    return E.isLeft(made) ? made.left.code : 'accepted'
  }
  const wait = (b: Pallas.Barrier): B.Build<unknown> => Pallas.barrierWait('wait', b, i32(0))
  test.each<readonly [string, (b: Pallas.Barrier) => B.Steps<void>]>([
    [
      'a loop of the core',
      (b) =>
        B.forRange({ label: 'k', from: i32(0), to: i32(2) }, function* () {
          yield* wait(b)
        }),
    ],
    [
      'a branch of the core',
      (b) =>
        B.ifThen('if', eq(place('ctaRank'), i32(0)), function* () {
          yield* wait(b)
        }),
    ],
    [
      'a thread behind one of its warps',
      function* (b) {
        yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
          if (Pallas.known(yield* Pallas.axisIndex('warp')) === 0) yield* wait(b)
        })
        yield* wait(b)
      },
    ],
    [
      'a thread behind warps that wait for barriers of their own',
      function* (b) {
        yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
          yield* Pallas.barrierWait('wait', b, rem(yield* Pallas.axisIndex('warp'), i32(2)))
        })
        yield* wait(b)
      },
    ],
    [
      'a thread behind warps one of which waits twice',
      function* (b) {
        yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
          yield* wait(b)
          if (Pallas.known(yield* Pallas.axisIndex('warp')) === 3) yield* wait(b)
        })
        yield* wait(b)
      },
    ],
  ])('%s', (_, body) => {
    expect(refusal(body)).toBe('pallas.barrier.parities')
  })
  test('in all of those with parities that are given', () => {
    expect(
      refusal((b) =>
        B.forRange({ label: 'k', from: i32(0), to: i32(2) }, function* () {
          yield* Pallas.barrierWait('wait', b, i32(0), Pallas.freshParities)
        }),
      ),
    ).toBe('accepted')
  })
})

describe('four warps that wait before their thread does', () => {
  const map = Pallas.WarpMesh({ axisName: 'warp' })
  /** Two threads: one arrives four times, a round each; the other's warps see the first and third, it the second and fourth. */
  const rounds = (parities: 'given' | 'its own', warps: Pallas.Warps, left: 'nothing' | 'last'): Program =>
    right(
      Pallas.kernel(
        { name: 'rounds', arch: 'sm90a', warps, numThreads: 2, threadName: 'wg' },
        function* () {
          return {
            b: yield* Pallas.Barrier('b'),
            seen: yield* Pallas.Barrier('seen'),
          }
        },
        function* ({ b, seen }) {
          const waits = function* (label: string, mask: Int): Generator<B.Step, Int, unknown> {
            return parities === 'given'
              ? yield* Pallas.barrierWait(label, b, null, mask)
              : yield* Pallas.barrierWait(label, b, null)
          }
          const thread = yield* Pallas.axisIndex('wg')
          yield* Pallas.when('arriver', eq(thread, i32(0)), function* () {
            for (let g = 0; g < 4; g++) {
              yield* Pallas.barrierArrive(`arrive ${String(g)}`, b, null)
              if (left === 'nothing' || g < 3) yield* Pallas.barrierWait(`wait seen ${String(g)}`, seen, null)
            }
          })
          yield* Pallas.when('waiter', eq(thread, i32(1)), function* () {
            let mask: Int = Pallas.freshParities
            for (const g of [0, 2]) {
              const now = mask
              yield* Pallas.coreMap(`map ${String(g)}`, map, { now }, function* (c) {
                yield* waits('wait in warp', c.now)
              })
              mask = i32(1)
              yield* Pallas.barrierArrive(`seen ${String(g)}`, seen, null)
              if (left === 'last' && g === 2) continue
              mask = yield* waits('wait', mask)
              yield* Pallas.barrierArrive(`seen ${String(g + 1)}`, seen, null)
            }
          })
        },
      ),
    )
  const strictly = (p: Program): readonly [string, ReadonlyArray<string>] => {
    const { verdict: v } = right(check(p, Object.assign({}, standardOptions, { strict: true })))
    return [v.verdict, v.findings.map((f) => f.id)]
  }
  test.each([
    ['given', 'together'],
    ['its own', 'together'],
    ['given', 'agents'],
    ['its own', 'agents'],
  ] as const)('parities %s, %s: clean under strict', (parities, warps) => {
    expect(strictly(rounds(parities, warps, 'nothing'))).toEqual(['ok', []])
  })
  test('what they leave is seen', () => {
    const [verdict, ids] = strictly(rounds('its own', 'together', 'last'))
    expect([verdict, [...new Set(ids)]]).toEqual(['hazard', ['U1']])
  })
})

describe('a warp that tests a barrier', () => {
  /** It asks until the other warp has arrived, twice; then it waits for the third. */
  const polled = (warps: Pallas.Warps): Program =>
    right(
      Pallas.kernel(
        { name: 'polled', arch: 'sm90a', warps },
        function* () {
          return { b: yield* Pallas.Barrier('b'), seen: yield* Pallas.Barrier('seen') }
        },
        function* ({ b, seen }) {
          yield* Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, function* () {
            const warp = Pallas.known(yield* Pallas.axisIndex('warp'))
            if (warp === 0)
              for (const k of [0, 1, 2]) {
                yield* Pallas.barrierArrive(`arrive ${String(k)}`, b, null)
                yield* Pallas.barrierWait(`wait seen ${String(k)}`, seen, null)
              }
            if (warp !== 1) return
            for (const k of [0, 1]) {
              yield* whileWithMasks<{ readonly more: 'i1' }>(
                `poll ${String(k)}`,
                { more: i1(true) },
                function* ({ more }) {
                  return yield* B.letIn('more', more)
                },
                function* () {
                  const { done } = yield* Pallas.barrierTest('test', b, null)
                  return { more: eq(select(done, i32(1), i32(0)), i32(0)) }
                },
              )
              yield* Pallas.barrierArrive(`seen ${String(k)}`, seen, null)
            }
            yield* Pallas.barrierWait('wait', b, null)
            yield* Pallas.barrierArrive('seen 2', seen, null)
          })
        },
      ),
    )
  test.each(['together', 'agents'] as const)(
    '%s: asks, and then waits with the parity that is next',
    (warps) => {
      const p = polled(warps)
      const of = observed(p)
      expect(of.get('thread.warp1')).toEqual(['b 0', 'b 1', 'b 0'])
      expect(of.get('thread.warp0')).toEqual(['seen 0', 'seen 1', 'seen 0'])
    },
  )
})
