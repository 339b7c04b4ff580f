/**
 * tcgen05 in the machine: a matmul through tensor memory, and every way to forget something.
 *
 * Oracles: tile provenance, the naive matmul in a prime field and bit for bit, and for each omission the hazard that the taxonomy names.
 */
import { describe, expect, test } from 'vitest'
import { naiveMatmul } from '../../../src/kernels/reference.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { bits, field, real64, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { contested } from '../../../src/semantics/verdict/race-witness.js'
import { defaults, detector, judgeLog, verdictOf } from '../../../src/semantics/judging/detector/index.js'
import type { Condition, Int, View } from '../../../src/semantics/language/expression.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { AnyBarrier, Instruction } from '../../../src/semantics/language/instruction.js'
import type { Judgement } from '../../../src/semantics/judging/finding.js'
import { launch, readTensor, type Arguments } from '../../../src/semantics/execution/launch.js'
import { place } from '../../../src/semantics/language/place.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { provenance } from '../../../src/semantics/judging/provenance/index.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { decodeTrace, encodeTrace } from '../../../src/semantics/files/trace/index.js'
import { validate } from '../../../src/semantics/language/validate.js'
import * as Transform from '../../../src/transforms/transform.js'
import { startOf } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

const [m, n, k, tileN, tileK, stages] = [128, 64, 48, 32, 16, 2] as const
const steps = k / tileK

/** What may be left out. */
type Part =
  | 'wait full'
  | 'wait empty'
  | 'commit empty'
  | 'commit done'
  | 'wait done'
  | 'waitLd'
  | 'waitSt'
  | 'fenceBefore'
  | 'fenceAfter'
  | 'wait free'
  | 'dealloc'

interface Variant {
  readonly without?: Part
  /** the slot is given back by an arrive instead of a commit */
  readonly releaseEarly?: boolean
  /** A comes from registers, through tensor memory */
  readonly left?: 'smem' | 'tmem'
  /** the products name their completions, instead of a commit of its own */
  readonly inline?: boolean
  /** the first product of a tile adds to what is there */
  readonly accumulateAll?: boolean
  /** a product names two more completions; the second's barrier is given up when the first has arrived */
  readonly givenUp?: boolean
  readonly deallocTwice?: boolean
  /** the allocation comes after the agents have met */
  readonly allocLate?: boolean
  readonly columns?: number
}

/**
 * One CTA: `wg` allocates, loads and stores, `mma` multiplies, `copy` loads by TMA. Two output tiles go through one accumulator, three k
 * steps a tile through two slots.
 */
const matmul = (v: Variant = {}): Program => {
  const columns = v.columns ?? 64
  const kept = (part: Part, body: () => B.Steps<void>): B.Steps<void> =>
    v.without === part ? B.of(undefined) : B.block(body)
  return right(
    B.draft(
      {
        name: 'tcgen05',
        arch: 'sm100a',
        grid: [1],
        agents: [B.warpgroup('wg', 0), B.warp('mma', 4), B.warp('copy', 5)],
        computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
      },
      function* () {
        const transforms = (span: 32 | 64): ReadonlyArray<Transform.Transform> => [
          right(Transform.tile([8, span / 2])),
          right(Transform.swizzle(span)),
        ]
        const a = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
        const b = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
        yield* B.tensorParam('out', 'f16', [m, n], { role: 'out' })
        const aMap = yield* B.descriptorParam('a_map', a, [m, tileK], { swizzle: 32 })
        const bMap = yield* B.descriptorParam('b_map', b, [tileK, tileN], { swizzle: 64 })
        const aSmem = yield* B.sharedMemory('a_smem', 'f16', [stages, m, tileK], transforms(32))
        const bSmem = yield* B.sharedMemory('b_smem', 'f16', [stages, tileK, tileN], transforms(64))
        const acc = yield* B.tensorMemory('acc', 'f32', [m, tileN])
        const aTmem = yield* B.tensorMemory('a_tmem', 'f16', [steps, m, tileK])
        const regs = yield* B.registers('sum', 'wg', 'f32', [m, tileN])
        const full = yield* B.barriers('full', [stages])
        const empty = yield* B.barriers('empty', [stages], { ordersTensorCore: true })
        const done = yield* B.barriers('done', [], { ordersTensorCore: true })
        // carries no tensor-core order by itself: that is what the fences are for
        const free = yield* B.barriers('free', [])
        const early = yield* B.barriers('early', [], { ordersTensorCore: true })
        const late = yield* B.barriers('late', [], { ordersTensorCore: true })
        const run = (label: string, instruction: Instruction): B.Build<void> => B.run(label, instruction)
        const wait = (label: string, barrier: AnyBarrier, parity: number): B.Build<void> =>
          run(label, { _tag: 'mbarrier.wait', barrier, parity: X.i32(parity), acquire: true, scope: 'cta' })
        const arrive = (label: string, barrier: AnyBarrier): B.Build<void> =>
          run(label, { _tag: 'mbarrier.arrive', barrier, count: 1, release: true, scope: 'cta' })
        const tiles = [0, 1] as const
        const each = function* (
          body: (tile: number, step: number, turn: number) => B.Steps<void>,
        ): Generator<B.Step, void, B.State> {
          for (const tile of tiles)
            for (let step = 0; step < steps; step++)
              yield* B.block(() => body(tile, step, tile * steps + step))
        }

        const alloc = function* (): Generator<B.Step, void, B.State> {
          yield* run('alloc', { _tag: 'tcgen05.alloc', columns, ctaGroup: 1 })
          yield* run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
        }
        const setUp = function* (): Generator<B.Step, void, B.State> {
          for (let s = 0; s < stages; s++) {
            yield* run('init', { _tag: 'mbarrier.init', barrier: X.slot(full, X.i32(s)), count: 1 })
            yield* run('init', { _tag: 'mbarrier.init', barrier: X.slot(empty, X.i32(s)), count: 1 })
          }
          yield* run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
          for (const barrier of [free, early, late])
            yield* run('init', { _tag: 'mbarrier.init', barrier, count: 1 })
          if (v.allocLate !== true) yield* alloc()
          if (v.left !== 'tmem') return
          for (let step = 0; step < steps; step++) {
            const source = X.slice(X.tensor<'f16', 2>('a'), [X.i32(0), X.i32(step * tileK)], [m, tileK])
            const rows = yield* B.gmemLoad('a', source)
            yield* run('st a', {
              _tag: 'tcgen05.st',
              destination: X.slot(aTmem, X.i32(step)),
              value: rows,
            })
          }
          yield* kept('waitSt', () => run('waitSt', { _tag: 'tcgen05.waitSt' }))
          yield* kept('fenceBefore', () => run('fenceBefore', { _tag: 'tcgen05.fenceBefore' }))
        }
        const multiply = function* (): Generator<B.Step, void, B.State> {
          yield* each(function* (tile, step, turn) {
            const s = X.i32(turn % stages)
            if (step === 0 && tile > 0) {
              yield* kept('wait free', () => wait('wait free', free, 0))
              yield* run('fenceAfter', { _tag: 'tcgen05.fenceAfter' })
            }
            yield* kept('wait full', () => wait('wait full', X.slot(full, s), Math.floor(turn / stages) % 2))
            const last = step === steps - 1
            yield* run('mma', {
              _tag: 'tcgen05.mma',
              accumulator: acc,
              a: v.left === 'tmem' ? X.slot(aTmem, X.i32(step)) : X.slot(aSmem, s),
              b: X.slot(bSmem, s),
              accumulate: X.i1(step > 0 || v.accumulateAll === true),
              ctaGroup: 1,
              completions:
                v.inline === true
                  ? [
                      { barrier: X.slot(empty, s), when: X.i1(true) },
                      { barrier: done, when: X.i1(last) },
                      { barrier: early, when: X.i1(v.givenUp === true && turn === 2 * steps - 1) },
                      { barrier: late, when: X.i1(v.givenUp === true && turn === 2 * steps - 1) },
                    ]
                  : [],
            })
            if (v.releaseEarly === true) yield* arrive('arrive empty', X.slot(empty, s))
            else if (v.inline !== true)
              yield* kept('commit empty', () =>
                run('commit empty', { _tag: 'tcgen05.commit', barrier: X.slot(empty, s), ctaGroup: 1 }),
              )
            if (last && v.inline !== true)
              yield* kept('commit done', () =>
                run('commit done', { _tag: 'tcgen05.commit', barrier: done, ctaGroup: 1 }),
              )
          })
        }
        const load = function* (): Generator<B.Step, void, B.State> {
          yield* each(function* (tile, step, turn) {
            const s = X.i32(turn % stages)
            if (turn >= stages)
              yield* kept('wait empty', () =>
                wait('wait empty', X.slot(empty, s), (Math.floor(turn / stages) + 1) % 2),
              )
            const barrier = X.slot(full, s)
            yield* run('expect', {
              _tag: 'mbarrier.arriveExpectTx',
              barrier,
              bytes: X.i32(2 * tileK * (v.left === 'tmem' ? tileN : m + tileN)),
              release: true,
              scope: 'cta',
            })
            if (v.left !== 'tmem')
              yield* run('load a', {
                _tag: 'tma.load',
                descriptor: aMap,
                coords: [X.i32(0), X.i32(step * tileK)],
                destination: X.slot(aSmem, s),
                barrier,
                ctaGroup: 1,
              })
            yield* run('load b', {
              _tag: 'tma.load',
              descriptor: bMap,
              coords: [X.i32(step * tileK), X.i32(tile * tileN)],
              destination: X.slot(bSmem, s),
              barrier,
              ctaGroup: 1,
            })
          })
          // the last completions of the slots are somebody's too
          for (let turn = 2 * steps; turn < 2 * steps + stages; turn++)
            yield* wait('drain', X.slot(empty, X.i32(turn % stages)), (Math.floor(turn / stages) + 1) % 2)
        }
        const store = function* (): Generator<B.Step, void, B.State> {
          for (const tile of tiles) {
            yield* kept('wait done', () => wait('wait done', done, tile))
            yield* run('ld', { _tag: 'tcgen05.ld', source: acc, destination: regs })
            yield* kept('waitLd', () => run('waitLd', { _tag: 'tcgen05.waitLd' }))
            const sum = yield* B.regsRead('sum', regs)
            if (tile === 1 && v.givenUp === true) {
              yield* wait('wait early', early, 0)
              yield* run('inval', { _tag: 'mbarrier.inval', barrier: late })
            }
            if (tile === 0) {
              yield* run('fenceBefore', { _tag: 'tcgen05.fenceBefore' })
              yield* arrive('arrive free', free)
            }
            const to: Int = X.i32(tile * tileN)
            yield* run('out', {
              _tag: 'gmem.store',
              destination: X.slice(X.tensor<'f16', 2>('out'), [X.i32(0), to], [m, tileN]),
              value: X.cast(sum, 'f16'),
            })
          }
        }

        const is = (agent: number): Condition => X.eq(X.place('agent'), X.i32(agent))
        yield* B.ifThen('set up', is(0), setUp)
        yield* run('meet', { _tag: 'bar.sync', id: 0, count: 192 })
        yield* kept('fenceAfter', () => run('fenceAfter', { _tag: 'tcgen05.fenceAfter' }))
        if (v.allocLate === true)
          yield* B.ifThen('alloc', is(0), function* () {
            yield* alloc()
          })
        yield* B.ifThen('wg', is(0), store)
        yield* B.ifThen('mma', is(1), multiply)
        yield* B.ifThen('copy', is(2), load)
        yield* run('end', { _tag: 'bar.sync', id: 1, count: 192 })
        yield* B.ifThen('end', is(0), function* () {
          yield* kept('dealloc', () => run('dealloc', { _tag: 'tcgen05.dealloc', columns, ctaGroup: 1 }))
          if (v.deallocTwice === true)
            yield* run('dealloc', { _tag: 'tcgen05.dealloc', columns, ctaGroup: 1 })
        })
      },
    ),
  )
}

const inputs = (algebra: Algebra): { readonly a: Float64Array; readonly b: Float64Array } => {
  const fill = (count: number, seed: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) =>
      algebra.constant('f16', (((i * 7919 + seed * 104729) % 61) - 30) / 16),
    )
  return { a: fill(m * k, 1), b: fill(k * n, 2) }
}
const nothing = { scalars: new Map(), tensors: new Map() }
const given = (algebra: Algebra, more: Partial<Arguments> = {}): Arguments => {
  const { a, b } = inputs(algebra)
  return {
    scalars: new Map(),
    tensors: new Map([
      ['a', a],
      ['b', b],
    ]),
    ...more,
  }
}

const policies: ReadonlyArray<Policy.AnyPolicy> = [
  Policy.eager,
  Policy.lazy,
  Policy.roundRobin,
  ...[1, 2, 3, 4, 5, 6].map(Policy.seeded),
]

const judged = (
  program: Program,
  policy: Policy.AnyPolicy,
  more: Partial<Arguments> = {},
): { readonly outcome: Run.Outcome; readonly judgement: Judgement } => {
  const l = right(launch(program, unit, given(unit, more)))
  const options = { ...defaults, tensorPipe: more.tensorPipe ?? defaults.tensorPipe }
  const ran = Run.run(l.world, l.machine, Run.settings(policy), detector(options))
  return { outcome: ran.outcome, judgement: ran.result }
}
const ids = (j: Judgement): ReadonlyArray<string> => [...new Set(j.findings.map((f) => f.id))].sort()

const correct: ReadonlyArray<readonly [string, Variant]> = [
  ['A in shared memory', {}],
  ['A in tensor memory', { left: 'tmem' }],
  ['completions named by the products', { inline: true }],
]

describe.each(correct)('%s', (_name, variant) => {
  const program = matmul(variant)

  test('no schedule tried finds anything, and one decides', () => {
    const digests = policies.map((policy) => {
      const { outcome, judgement } = judged(program, policy)
      expect(outcome).toEqual({ _tag: 'completed' })
      expect(judgement.findings).toEqual([])
      expect(verdictOf(judgement)).toBe('ok')
      return judgement.digest
    })
    expect(new Set(digests).size).toBe(1)
  })

  test('is a valid program', () => {
    expect(validate(right(place(program)))).toMatchObject({ _tag: 'Right' })
  })

  test('its trace is judged like its log', () => {
    const l = right(launch(program, unit, given(unit)))
    const { result } = Run.run(l.world, l.machine, Run.settings(Policy.lazy), Run.collect)
    const { header, events } = right(decodeTrace(encodeTrace(l.world.header, result)))
    expect(judgeLog(header, events, defaults)).toEqual(judged(program, Policy.lazy).judgement)
  })

  test('provenance proves the product for all inputs', () => {
    const l = right(launch(program, unit, given(unit)))
    const said = Run.run(l.world, l.machine, Run.settings(Policy.eager), provenance).result
    expect(said).toMatchObject({ proved: true, inOrder: true })
  })

  test.each(sampled(2, [field(1), bits('ieee32'), bits('blackwell'), real64]))(
    '$description: equal to the naive matmul',
    (algebra) => {
      const { a, b } = inputs(algebra)
      const types = { operand: 'f16', accumulator: 'f32', out: 'f16' } as const
      const expected = right(naiveMatmul(algebra, types, { m, n, k }, a, b))
      for (const policy of [Policy.eager, Policy.lazy, Policy.seeded(7)]) {
        const l = right(launch(program, algebra, given(algebra)))
        const ran = Run.run(l.world, l.machine, Run.settings(policy), Run.ignore)
        expect(readTensor(l.world, ran.machine, 'out')).toEqual(expected)
      }
    },
  )
})

test('one commit behind a product, and one that it names, make the same log but for its stamps', () => {
  const relations = (variant: Variant): ReadonlyArray<string> => {
    const l = right(launch(matmul(variant), unit, given(unit)))
    return Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.collect).result.flatMap((e) =>
      e._tag === 'signal' && e.to === 'arrive'
        ? [`arrive ${String(e.barrier)}`]
        : e._tag === 'access' && e.role === 'accumulator'
          ? [`${e.rw} accumulator`]
          : [],
    )
  }
  expect(relations({ inline: true })).toEqual(relations({}))
})

test.each([
  ['smem', ['r async a', 'r async b', 'r tensor accumulator', 'w tensor accumulator']],
  ['tmem', ['r tensor a', 'r async b', 'r tensor accumulator', 'w tensor accumulator']],
] as const)('A in %s: through which proxy a product reads and writes', (left, expected) => {
  const l = right(launch(matmul({ left }), unit, given(unit)))
  const log = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.collect).result
  const second = log.flatMap((e) => (e._tag === 'issue' && e.accumulates ? [e.operation] : []))[0]
  expect(
    log.flatMap((e) =>
      e._tag === 'access' && e.operation === second ? [`${e.rw} ${e.proxy} ${e.role}`] : [],
    ),
  ).toEqual(expected)
})

// ---------------------------------------------------------------- what is missing is named

const solo = (body: (acc: View<'tmem', 'f32', 2>) => B.Steps<void>): Program =>
  right(
    B.draft({ name: 'solo', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
      const acc = yield* B.tensorMemory('acc', 'f32', [128, 64])
      yield* body(acc)
    }),
  )

const freedEarly = solo(function* (acc) {
  yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 })
  yield* B.run('st', {
    _tag: 'tcgen05.st',
    destination: acc,
    value: X.splat<'f32', 2>(X.float('f32', 0), [128, 64]),
  })
  yield* B.run('dealloc', { _tag: 'tcgen05.dealloc', columns: 64, ctaGroup: 1 })
})

const omissions: ReadonlyArray<readonly [what: string, variant: Variant, id: string]> = [
  ['the wait before the load of the accumulator', { without: 'wait done' }, 'M2'],
  ['the wait for the load before its columns are given back', { without: 'waitLd' }, 'M3'],
  ['the wait for the stores of A', { left: 'tmem', without: 'waitSt' }, 'M4'],
  ['the fence before the threads meet', { left: 'tmem', without: 'fenceBefore' }, 'M8'],
  ['the fence after the threads have met', { left: 'tmem', without: 'fenceAfter' }, 'M8'],
  ['the commit that gives a slot back, replaced by an arrive', { releaseEarly: true }, 'W2'],
  ['the wait for the copies', { without: 'wait full' }, 'R1'],
  ['the wait for a free accumulator', { without: 'wait free' }, 'M3'],
  ['a first product that does not add', { accumulateAll: true }, 'M6'],
  ['the deallocation', { without: 'dealloc' }, 'T1'],
  ['the allocation, before the threads meet', { allocLate: true }, 'D4'],
]

describe('an omission is found', () => {
  test.each(omissions)('%s', (_what, variant, id) => {
    const program = matmul(variant)
    for (const policy of policies) {
      const { outcome, judgement } = judged(program, policy)
      // who comes before the allocation is at fault then and there
      if (outcome._tag === 'fault') expect([outcome.fault.code, id]).toEqual(['I2', 'D4'])
      else {
        expect(ids(judgement)).toContain(id)
        expect(verdictOf(judgement)).not.toBe('ok')
      }
    }
  })

  test.each(['commit done', 'commit empty'] as const)('%s: somebody waits for ever', (without) => {
    const { outcome, judgement } = judged(matmul({ without }), Policy.eager)
    expect(outcome._tag).toBe('stuck')
    expect(verdictOf(judgement)).toBe('deadlock')
  })

  test('a completion that comes after the one somebody waits for may still be under way (B7)', () => {
    for (const policy of policies) {
      const { outcome, judgement } = judged(matmul({ inline: true, givenUp: true }), policy)
      expect(outcome).toEqual({ _tag: 'completed' })
      // nor does anybody know at the exit that it has arrived
      expect(ids(judgement)).toEqual(['B7', 'U2'])
    }
  })

  test('a store that is in flight when its columns are freed is not over, wherever it lands (U2)', () => {
    for (const policy of policies) {
      const { judgement } = judged(freedEarly, policy, nothing)
      expect(ids(judgement)).toEqual(['U2'])
    }
  })

  test('a load that is not waited for gives stale registers in some schedule', () => {
    const wrong = policies.some((policy) => {
      const { a, b } = inputs(real64)
      const types = { operand: 'f16', accumulator: 'f32', out: 'f16' } as const
      const expected = right(naiveMatmul(real64, types, { m, n, k }, a, b))
      const l = right(launch(matmul({ without: 'waitLd' }), real64, given(real64)))
      const { machine } = Run.run(l.world, l.machine, Run.settings(policy), Run.ignore)
      const out = readTensor(l.world, machine, 'out')!
      return !expected.every((x, i) => x === out[i])
    })
    expect(wrong).toBe(true)
  })

  test('a product and a load of its accumulator on offer at once are contested', () => {
    const seen = policies.some((policy) => {
      const watch = contested(right(launch(matmul({ without: 'wait done' }), unit, given(unit))).world)
      judged(matmul({ without: 'wait done' }), watch.policy(policy))
      return watch.seen() !== null
    })
    expect(seen).toBe(true)
    const watch = contested(right(launch(matmul(), unit, given(unit))).world)
    judged(matmul(), watch.policy(Policy.lazy))
    expect(watch.seen()).toBeNull()
  })
})

// ---------------------------------------------------------------- allocation

type Step = readonly ['alloc' | 'dealloc', number] | 'relinquish' | 'use'
const allocating = (stepsTaken: ReadonlyArray<Step>): Program =>
  right(
    B.draft({ name: 'allocation', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
      const acc = yield* B.tensorMemory('acc', 'f32', [128, 64])
      const zeros = X.splat<'f32', 2>(X.float('f32', 0), [128, 64])
      for (const step of stepsTaken)
        if (step === 'relinquish') yield* B.run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
        else if (step === 'use') {
          yield* B.run('st', { _tag: 'tcgen05.st', destination: acc, value: zeros })
          yield* B.run('waitSt', { _tag: 'tcgen05.waitSt' })
        } else yield* B.run(step[0], { _tag: `tcgen05.${step[0]}`, columns: step[1], ctaGroup: 1 })
    }),
  )

/** First columns of what is allocated (+) and freed (-), in order. */
const columnsOf = (taken: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const l = right(launch(allocating(taken), unit, nothing))
  return Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.collect).result.flatMap((e) =>
    e._tag === 'alloc' || e._tag === 'dealloc'
      ? [`${e._tag === 'alloc' ? '+' : '-'}${String(startOf(e.footprint.spans) / 4)}`]
      : [],
  )
}
const allocations = (
  stepsTaken: ReadonlyArray<Step>,
): Run.Outcome & { readonly ids: ReadonlyArray<string> } => {
  const program = allocating(stepsTaken)
  const l = right(launch(program, unit, nothing))
  const ran = Run.run(l.world, l.machine, Run.settings(Policy.eager), detector(defaults))
  return { ...ran.outcome, ids: ids(ran.result) }
}

describe('allocation', () => {
  const fine: ReadonlyArray<ReadonlyArray<Step>> = [
    [['alloc', 64], 'use', ['dealloc', 64]],
    [['alloc', 512], 'relinquish', 'use', ['dealloc', 512]],
    [['alloc', 32], ['alloc', 32], 'use', ['dealloc', 32], ['dealloc', 32]],
    [['alloc', 256], ['dealloc', 256], ['alloc', 256], 'use', ['dealloc', 256]],
    [
      ['alloc', 256],
      ['alloc', 128],
      ['alloc', 128],
      'use',
      ['dealloc', 128],
      ['dealloc', 256],
      ['dealloc', 128],
    ],
  ]
  test.each(fine.map((s) => [JSON.stringify(s), s] as const))('%s', (_text, taken) => {
    expect(allocations(taken)).toEqual({ _tag: 'completed', ids: [] })
  })

  const refused: ReadonlyArray<readonly [string, ReadonlyArray<Step>]> = [
    ['T3', [['alloc', 48]]],
    ['T3', [['alloc', 16]]],
    ['T3', [['alloc', 1024]]],
    [
      'T3',
      [
        ['alloc', 32],
        ['alloc', 64],
      ],
    ],
    [
      'T3',
      [
        ['alloc', 256],
        ['alloc', 256],
        ['alloc', 32],
      ],
    ],
    ['tcgen05.relinquished', [['alloc', 64], 'relinquish', ['alloc', 64]]],
    ['T2', [['dealloc', 64]]],
    [
      'T2',
      [
        ['alloc', 64],
        ['dealloc', 64],
        ['dealloc', 64],
      ],
    ],
    [
      'T2',
      [
        ['alloc', 64],
        ['dealloc', 32],
      ],
    ],
    ['I2', ['use']],
    ['I2', [['alloc', 32], 'use']],
    ['I2', [['alloc', 64], ['dealloc', 64], 'use']],
  ]
  test.each(refused)('%s: %j', (code, taken) => {
    expect(allocations(taken)).toMatchObject({ _tag: 'fault', fault: { code } })
  })

  test('the first free columns are taken, and the newest allocation of a size is freed', () => {
    const taken: ReadonlyArray<Step> = [
      ['alloc', 256],
      ['alloc', 128],
      ['alloc', 128],
      ['dealloc', 128],
      ['dealloc', 256],
      ['alloc', 128],
      ['alloc', 128],
      ['dealloc', 128],
    ]
    expect(columnsOf(taken)).toEqual(['+0', '+256', '+384', '-384', '-0', '+0', '+128', '-128'])
  })

  test('a warp reaches its own quarter of the lanes', () => {
    const reach = (warp: number, lane: number): string | null => {
      const program = right(
        B.draft({ name: 'lanes', arch: 'sm100a', grid: [1], agents: [B.warp('w', warp)] }, function* () {
          const acc = yield* B.tensorMemory('acc', 'f32', [128, 64])
          yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 })
          yield* B.run('st', {
            _tag: 'tcgen05.st',
            destination: X.slice(acc, [X.i32(lane), X.i32(0)], [32, 64]),
            value: X.splat<'f32', 2>(X.float('f32', 0), [32, 64]),
          })
        }),
      )
      const l = right(launch(program, unit, nothing))
      const { outcome } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.ignore)
      return outcome._tag === 'fault' ? outcome.fault.code : null
    }
    for (let warp = 0; warp < 8; warp++)
      for (const lane of [0, 32, 64, 96])
        expect(reach(warp, lane)).toBe(lane === 32 * (warp % 4) ? null : 'tcgen05.lanes')
  })

  test('what two CTAs do together needs two (M7)', () => {
    for (const _tag of ['tcgen05.alloc', 'tcgen05.dealloc'] as const) {
      const program = solo(() => B.run('pair', { _tag, columns: 64, ctaGroup: 2 }))
      const l = right(launch(program, unit, nothing))
      const { outcome } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.ignore)
      expect(outcome).toMatchObject({ _tag: 'fault', fault: { code: 'M7' } })
    }
  })

  test('T1: what nobody frees', () => {
    expect(allocations([['alloc', 64], 'use']).ids).toEqual(['T1'])
    expect(
      allocations([
        ['alloc', 32],
        ['alloc', 32],
        ['dealloc', 32],
      ]).ids,
    ).toEqual(['T1'])
  })

  test('T2: the kernel that frees twice', () => {
    const { outcome } = judged(matmul({ deallocTwice: true }), Policy.eager)
    expect(outcome).toMatchObject({ _tag: 'fault', fault: { code: 'T2' } })
  })
})

// ---------------------------------------------------------------- the order of the pipe

/** Two accumulators: the second product overwrites what the first reads, as attention does with S and P. */
const alias = (): Program =>
  right(
    B.draft({ name: 'alias', arch: 'sm100a', grid: [1], agents: [B.warpgroup('wg', 0)] }, function* () {
      const first = yield* B.tensorMemory('first', 'f32', [128, 16])
      const p = yield* B.tensorMemory('p', 'f16', [128, 32], { alias: { union: 'sp', member: 0 } })
      const second = yield* B.tensorMemory('second', 'f32', [128, 16], { alias: { union: 'sp', member: 1 } })
      const b = yield* B.sharedMemory(
        'b',
        'f16',
        [32, 16],
        [right(Transform.tile([8, 16])), right(Transform.swizzle(32))],
      )
      const done = yield* B.barriers('done', [], { ordersTensorCore: true })
      const zeros = (rows: number, columns: number): B.Build<void> =>
        B.run('b', {
          _tag: 'smem.store',
          destination: b,
          value: X.splat<'f16', 2>(X.float('f16', 0), [rows, columns]),
        })
      const product = (
        label: string,
        accumulator: typeof first,
        a: typeof p,
        accumulate: boolean,
      ): B.Build<void> =>
        B.run(label, {
          _tag: 'tcgen05.mma',
          accumulator,
          a,
          b,
          accumulate: X.i1(accumulate),
          ctaGroup: 1,
          completions: [],
        })
      yield* B.run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
      yield* zeros(32, 16)
      yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 32, ctaGroup: 1 })
      yield* B.run('st', {
        _tag: 'tcgen05.st',
        destination: p,
        value: X.splat<'f16', 2>(X.float('f16', 0), [128, 32]),
      })
      yield* B.run('waitSt', { _tag: 'tcgen05.waitSt' })
      yield* product('pv', first, p, false)
      yield* product('pv again', first, p, true)
      yield* product('qk', second, p, false)
      yield* B.run('commit', { _tag: 'tcgen05.commit', barrier: done, ctaGroup: 1 })
      yield* B.run('wait', {
        _tag: 'mbarrier.wait',
        barrier: done,
        parity: X.i32(0),
        acquire: true,
        scope: 'cta',
      })
      yield* B.run('dealloc', { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 })
    }),
  )

describe('tensorPipe', () => {
  test('issueOrder: products of one agent are in order, whatever their accumulators', () => {
    for (const policy of policies) expect(ids(judged(alias(), policy, nothing).judgement)).toEqual([])
  })
  test('documented: other accumulators are not (D4), the same one is, and a commit covers all', () => {
    for (const policy of policies) {
      const { outcome, judgement } = judged(alias(), policy, { ...nothing, tensorPipe: 'documented' })
      expect(outcome._tag).toBe('completed')
      expect(ids(judgement)).toEqual(['D4'])
      expect(judgement.findings.every((f) => [f.a.site, f.b?.site].includes('qk'))).toBe(true)
    }
    expect(ids(judged(matmul(), Policy.lazy, { tensorPipe: 'documented' }).judgement)).toEqual([])
  })
  test('documented: the machine performs them in the other order, issueOrder never', () => {
    const orders = (tensorPipe: 'issueOrder' | 'documented'): ReadonlySet<string> =>
      new Set(
        Array.from({ length: 24 }, (_, seed) => {
          const l = right(launch(alias(), unit, { ...nothing, tensorPipe }))
          const log = Run.run(l.world, l.machine, Run.settings(Policy.seeded(seed)), Run.collect).result
          return log.flatMap((e) => (e._tag === 'perform' ? [e.operation] : [])).join()
        }),
      )
    expect(orders('issueOrder').size).toBe(1)
    expect(orders('documented').size).toBe(3)
  })
})
