/**
 * Two CTAs as one: the product of a pair, its allocations, and every way to get them wrong.
 *
 * Oracles: the naive matmul in a prime field and bit for bit, tile provenance, the split worked by hand, and for each mistake the hazard
 * that the taxonomy names.
 */
import { describe, expect, test } from 'vitest'
import { naiveMatmul } from '../../../src/kernels/reference.js'
import {
  accumulator,
  accumulatorRef,
  leftOperandRef,
} from '../../../src/layouts/tensor-memory/accumulator.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { bits, field, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { defaults, detector, judgeLog, verdictOf } from '../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../src/semantics/judging/finding.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { launch, readTensor, type Arguments, type Launched } from '../../../src/semantics/execution/launch.js'
import { place } from '../../../src/semantics/language/place.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { provenance } from '../../../src/semantics/judging/provenance/index.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { decodeTrace, encodeTrace } from '../../../src/semantics/files/trace/index.js'
import { validate } from '../../../src/semantics/language/validate.js'
import * as Transform from '../../../src/transforms/transform.js'
import { right } from '../../either.js'

const [n, k, tileK] = [32, 32, 16] as const
const steps = k / tileK

interface Variant {
  /** rows of each CTA: 128 (layout A) or 64 (layout B) */
  readonly rows?: 64 | 128
  /** A in tensor memory, twice where the layout has it twice */
  readonly left?: 'smem' | 'tmem'
  /** ranks that issue the products; the second issuer is another agent of CTA 0 */
  readonly issuers?: 'leader' | 'both' | 'two agents'
  readonly without?: 'copy' | 'meet' | 'dealloc of 1' | 'alloc of 1' | 'end' | 'multicast' | 'relinquish'
  /** the commit is given the barrier of the other CTA: its mask says who hears, whichever it names */
  readonly commitsTo?: 'own' | 'remote'
  readonly columnsOf1?: number
  readonly cluster?: number
}

/** CTA v of a pair holds rows [v rows, (v + 1) rows) of A and of the output, and columns [v n/2, (v + 1) n/2) of B. */
const matmul = (v: Variant = {}): Program => {
  const rows = v.rows ?? 128
  const m = 2 * rows
  const columns = 64
  const cluster = v.cluster ?? 2
  return right(
    B.draft(
      {
        name: 'pair',
        arch: 'sm100a',
        grid: [cluster],
        cluster: [cluster],
        agents: [B.warpgroup('wg', 0), B.warp('mma', 4), B.warp('other', 5)],
        computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
      },
      function* () {
        const transforms = (span: 32 | 64): ReadonlyArray<Transform.Transform> => [
          right(Transform.tile([8, span / 2])),
          right(Transform.swizzle(span)),
        ]
        const own = X.place('ctaRank')
        yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
        yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
        yield* B.tensorParam('out', 'f16', [m, n], { role: 'out' })
        const aSmem = yield* B.sharedMemory('a_smem', 'f16', [steps, rows, tileK], transforms(32))
        const bSmem = yield* B.sharedMemory('b_smem', 'f16', [steps, tileK, n / 2], transforms(32))
        const acc = yield* B.tensorMemory('acc', 'f32', [rows, n], {
          layout: accumulatorRef(right(accumulator(rows === 128 ? 'A' : 'B', n)), 32),
        })
        const aTmem: X.View<'tmem', 'f16', 2>[] = []
        for (let step = 0; step < steps; step++)
          aTmem.push(
            yield* B.tensorMemory(`a_tmem${String(step)}`, 'f16', [rows, tileK], {
              layout: right(leftOperandRef({ m, pair: true, bits: 16 }, tileK)),
              alias: { union: `a${String(step)}`, member: 0 },
            }),
          )
        const copy: X.View<'tmem', 'f16', 2>[] = []
        for (let step = 0; step < steps; step++)
          copy.push(
            yield* B.tensorMemory(`a_copy${String(step)}`, 'f16', [rows, tileK], {
              layout: { ...right(leftOperandRef({ m, pair: true, bits: 16 }, tileK)), byteOffset: 64 * 2048 },
              alias: { union: `a${String(step)}`, member: 1 },
            }),
          )
        const regs = yield* B.registers('sum', 'wg', 'f32', [rows, n])
        const done = yield* B.barriers('done', [], { ordersTensorCore: true })
        const run = (label: string, instruction: Instruction): B.Build<void> => B.run(label, instruction)
        const meet = (label: string): B.Build<void> =>
          B.block(function* () {
            yield* run(label, { _tag: 'tcgen05.fenceBefore' })
            yield* run(label, { _tag: 'cluster.arrive', relaxed: false })
            yield* run(label, { _tag: 'cluster.wait' })
            yield* run(label, { _tag: 'tcgen05.fenceAfter' })
          })
        const is = (agent: number): X.Condition => X.eq(X.place('agent'), X.i32(agent))
        const rank = (cta: number): X.Condition => X.eq(own, X.i32(cta))

        const setUp = function* (): Generator<B.Step, void, B.State> {
          yield* run('init', { _tag: 'mbarrier.init', barrier: done, count: 1 })
          yield* run('fence init', { _tag: 'fence.mbarrierInit' })
          for (let step = 0; step < steps; step++) {
            const from = X.i32(step * tileK)
            const rowsOfA = yield* B.gmemLoad(
              'a',
              X.slice(X.tensor<'f16', 2>('a'), [X.mul(own, X.i32(rows)), from], [rows, tileK]),
            )
            const columnsOfB = yield* B.gmemLoad(
              'b',
              X.slice(X.tensor<'f16', 2>('b'), [from, X.mul(own, X.i32(n / 2))], [tileK, n / 2]),
            )
            if (v.left === 'tmem') {
              yield* run('st a', { _tag: 'tcgen05.st', destination: aTmem[step]!, value: rowsOfA })
              if (rows === 64 && v.without !== 'copy')
                yield* run('st a again', { _tag: 'tcgen05.st', destination: copy[step]!, value: rowsOfA })
            } else
              yield* run('a', { _tag: 'smem.store', destination: X.slot(aSmem, X.i32(step)), value: rowsOfA })
            yield* run('b', {
              _tag: 'smem.store',
              destination: X.slot(bSmem, X.i32(step)),
              value: columnsOfB,
            })
          }
          yield* run('waitSt', { _tag: 'tcgen05.waitSt' })
          yield* run('fence', { _tag: 'fence.proxyAsync', scope: 'cluster' })
        }
        const alloc = (label: string, count: number): B.Build<void> =>
          run(label, { _tag: 'tcgen05.alloc', columns: count, ctaGroup: 2 })
        const dealloc = (label: string, count: number): B.Build<void> =>
          run(label, { _tag: 'tcgen05.dealloc', columns: count, ctaGroup: 2 })
        const multiply = function* (): Generator<B.Step, void, B.State> {
          for (let step = 0; step < steps; step++)
            yield* run('mma', {
              _tag: 'tcgen05.mma',
              accumulator: acc,
              a: v.left === 'tmem' ? aTmem[step]! : X.slot(aSmem, X.i32(step)),
              b: X.slot(bSmem, X.i32(step)),
              accumulate: X.i1(step > 0),
              ctaGroup: 2,
              completions: [],
            })
          yield* run(
            'commit',
            v.without === 'multicast'
              ? { _tag: 'tcgen05.commit', barrier: done, ctaGroup: 2 }
              : {
                  _tag: 'tcgen05.commit',
                  barrier: v.commitsTo === 'remote' ? X.remote(done, X.i32(1)) : done,
                  multicast: X.i32(3),
                  ctaGroup: 2,
                },
          )
        }
        const store = function* (): Generator<B.Step, void, B.State> {
          yield* run('wait done', {
            _tag: 'mbarrier.wait',
            barrier: done,
            parity: X.i32(0),
            acquire: true,
            scope: 'cluster',
          })
          yield* run('after', { _tag: 'tcgen05.fenceAfter' })
          yield* run('ld', { _tag: 'tcgen05.ld', source: acc, destination: regs })
          yield* run('waitLd', { _tag: 'tcgen05.waitLd' })
          const sum = yield* B.regsRead('sum', regs)
          yield* run('out', {
            _tag: 'gmem.store',
            destination: X.slice(X.tensor<'f16', 2>('out'), [X.mul(own, X.i32(rows)), X.i32(0)], [rows, n]),
            value: X.cast(sum, 'f16'),
          })
        }

        // before that the peer may not be there
        yield* meet('start')
        yield* B.ifThen('allocate', is(0), function* () {
          const mine = v.columnsOf1 ?? columns
          yield* B.ifThen('in 0', rank(0), () => alloc('alloc 0', columns))
          if (v.without !== 'alloc of 1') yield* B.ifThen('in 1', rank(1), () => alloc('alloc 1', mine))
          if (v.without !== 'relinquish')
            yield* run('relinquish', { _tag: 'tcgen05.relinquish', ctaGroup: 2 })
        })
        yield* B.ifThen('set up', is(0), setUp)
        if (v.without === 'meet') yield* run('meet', { _tag: 'bar.sync', id: 0, count: 192 })
        else yield* meet('meet')
        yield* B.ifThen('mma', is(1), function* () {
          if (v.issuers === 'both') yield* B.block(multiply)
          else yield* B.ifThen('leader', rank(0), multiply)
        })
        if (v.issuers === 'two agents')
          yield* B.ifThen('other', is(2), function* () {
            yield* B.ifThen('leader', rank(0), multiply)
          })
        yield* B.ifThen('wg', is(0), store)
        if (v.without !== 'end') yield* meet('end')
        yield* B.ifThen('deallocate', is(0), function* () {
          yield* B.ifThen('in 0', rank(0), () => dealloc('dealloc 0', columns))
          if (v.without !== 'dealloc of 1')
            yield* B.ifThen('in 1', rank(1), () => dealloc('dealloc 1', v.columnsOf1 ?? columns))
        })
      },
    ),
  )
}

const given = (algebra: Algebra, rows: number): Arguments => {
  const fill = (count: number, tensor: number): Float64Array =>
    Float64Array.from({ length: count }, (_, i) =>
      algebra.name === 'field'
        ? field(7).element(tensor, i)
        : algebra.constant('f16', (((i * 7919 + tensor * 104729) % 61) - 30) / 16),
    )
  return {
    scalars: new Map(),
    tensors: new Map([
      ['a', fill(2 * rows * k, 1)],
      ['b', fill(k * n, 2)],
    ]),
  }
}
const launched = (program: Program, algebra: Algebra, rows = 128): Launched =>
  right(launch(program, algebra, given(algebra, rows)))

const policies: ReadonlyArray<Policy.AnyPolicy> = [
  Policy.eager,
  Policy.lazy,
  Policy.roundRobin,
  ...[1, 2, 3].map(Policy.seeded),
]
const judged = (
  v: Variant,
  policy: Policy.AnyPolicy,
): { readonly outcome: Run.Outcome; readonly judgement: Judgement } => {
  const l = launched(matmul(v), unit, v.rows)
  const ran = Run.run(l.world, l.machine, Run.settings(policy), detector(defaults))
  return { outcome: ran.outcome, judgement: ran.result }
}
const ids = (j: Judgement): ReadonlyArray<string> => [...new Set(j.findings.map((f) => f.id))].sort()

const correct: ReadonlyArray<readonly [string, Variant]> = [
  ['M = 256', {}],
  ['M = 128', { rows: 64 }],
  ['M = 256, A in tensor memory', { left: 'tmem' }],
  ['M = 128, A in tensor memory twice', { rows: 64, left: 'tmem' }],
]

describe.each(correct)('%s', (_name, v) => {
  const rows = v.rows ?? 128
  const program = matmul(v)

  test('is valid, and no schedule tried finds anything', () => {
    expect(validate(right(place(program)))).toMatchObject({ _tag: 'Right' })
    const digests = policies.map((policy) => {
      const { outcome, judgement } = judged(v, policy)
      expect(outcome).toEqual({ _tag: 'completed' })
      expect(judgement.findings).toEqual([])
      expect(verdictOf(judgement)).toBe('ok')
      return judgement.digest
    })
    expect(new Set(digests).size).toBe(1)
  })

  test('law 2: is the naive matmul, in a field and bit for bit', () => {
    for (const algebra of [field(3), bits('blackwell')]) {
      const types = { operand: 'f16', accumulator: 'f32', out: 'f16' } as const
      const { tensors } = given(algebra, rows)
      const expected = right(
        naiveMatmul(algebra, types, { m: 2 * rows, n, k }, tensors.get('a')!, tensors.get('b')!),
      )
      const l = launched(program, algebra, rows)
      const { machine } = Run.run(l.world, l.machine, Run.settings(Policy.lazy), Run.ignore)
      expect(readTensor(l.world, machine, 'out')).toEqual(expected)
    }
  })

  test('provenance: for all inputs', () => {
    const l = launched(program, unit, rows)
    const { result } = Run.run(l.world, l.machine, Run.settings(Policy.eager), provenance)
    expect(result).toMatchObject({ proved: true, inOrder: true })
  })

  test('its trace is judged like its log', () => {
    const l = launched(program, unit, rows)
    const { result } = Run.run(l.world, l.machine, Run.settings(Policy.lazy), Run.collect)
    const { header, events } = right(decodeTrace(encodeTrace(l.world.header, result)))
    expect(judgeLog(header, events, defaults)).toEqual(judgeLog(l.world.header, result, defaults))
  })
})

describe('the split', () => {
  test('each CTA reads its rows of A and its columns of B, and writes its rows of D', () => {
    const l = launched(matmul(), unit)
    const { result } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.collect)
    const first = result.findIndex((e) => e._tag === 'issue' && e.unit === 'tcgen05')
    const op = result[first]!
    const touched = result.flatMap((e) => {
      if (e._tag !== 'access' || op._tag !== 'issue' || e.operation !== op.operation) return []
      const plane = l.world.header.planes[e.footprint.plane]!
      return [`${e.role} ${e.rw} ${plane.space}@${String(plane.cta)} ${e.proxy}`]
    })
    expect(touched).toEqual([
      'a r smem@0 async',
      'a r smem@1 async',
      'b r smem@0 async',
      'b r smem@1 async',
      'accumulator w tmem@0 tensor',
      'accumulator w tmem@1 tensor',
    ])
  })

  test('a commit to the barrier of the other CTA reaches the same CTAs: those of its mask', () => {
    for (const policy of policies) {
      const [own, remote] = [judged({}, policy), judged({ commitsTo: 'remote' }, policy)]
      expect(remote.outcome).toEqual({ _tag: 'completed' })
      expect(remote.judgement).toEqual(own.judgement)
    }
  })

  test('what lies twice in tensor memory meets half of the columns each', () => {
    const whole = { rows: 64, left: 'tmem' } as const
    const results = [matmul(whole), matmul({ ...whole, without: 'copy' })].map((program) => {
      const l = launched(program, field(3), 64)
      const { machine } = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.ignore)
      return readTensor(l.world, machine, 'out')!
    })
    // without the second copy the second half of the columns is made of nothing, and the first half is as it was
    expect(results[1]!.map((x, i) => (i % n < n / 2 ? x - results[0]![i]! : Number(x !== x)))).toEqual(
      results[0]!.map((_, i) => (i % n < n / 2 ? 0 : 1)),
    )
    expect(ids(judged({ ...whole, without: 'copy' }, Policy.eager).judgement)).toEqual(['M6'])
  })
})

describe('mistakes', () => {
  const found = (v: Variant): ReadonlyArray<ReadonlyArray<string>> =>
    policies.map((policy) => {
      const { outcome, judgement } = judged(v, policy)
      return outcome._tag === 'fault' ? [outcome.fault.code] : [outcome._tag, ...ids(judgement)]
    })

  test('M7: both CTAs issue the products', () => {
    for (const one of found({ issuers: 'both' })) expect(one).toContain('M7')
    const { judgement } = judged({ issuers: 'both' }, Policy.eager)
    const m7 = judgement.findings.find((f) => f.id === 'M7')!
    expect([m7.a.agent, m7.a.site]).toEqual(['mma@1', 'mma'])
  })
  test('M7: two agents of the leader issue them', () => {
    for (const one of found({ issuers: 'two agents' })) expect(one).toContain('M7')
  })
  test('M7: there is no pair', () => {
    expect(validate(right(place(matmul({ cluster: 1 }))))).toMatchObject({
      _tag: 'Left',
      left: { code: 'M7' },
    })
    const { outcome } = judged({ cluster: 1 }, Policy.eager)
    expect(outcome).toMatchObject({ _tag: 'fault', fault: { code: 'M7' } })
  })
  test('T4: the peer never allocates', () => {
    for (const one of found({ without: 'alloc of 1' })) expect(['M7', 'I2', 'T2']).toContain(one[0])
  })
  test('T4: the CTAs allocate different columns', () => {
    for (const policy of policies) {
      const { judgement } = judged({ columnsOf1: 128 }, policy)
      expect(ids(judgement)).toEqual(['T4'])
      const f = judgement.findings[0]!
      expect([f.a.site, f.b?.site].sort()).toEqual(['alloc 0', 'alloc 1'])
    }
  })
  test('T5: the peer exits without its part of the dealloc', () => {
    for (const policy of policies) {
      const { judgement } = judged({ without: 'dealloc of 1' }, policy)
      expect(ids(judgement)).toEqual(['T5'])
      const f = judgement.findings[0]!
      expect([f.a.site, f.a.agent, f.b?.site]).toEqual(['dealloc 0', 'wg@0', 'alloc 1'])
    }
  })
  test('D4: an allocation of the peer that nothing orders before the products (or it is not there yet: M7)', () => {
    const all = found({ without: 'meet' })
    for (const one of all) expect(one.some((id) => id === 'D4' || id === 'M7')).toBe(true)
    expect(all.some((one) => one.includes('D4'))).toBe(true)
  })
  test('M3: columns are freed while the other CTA still uses its own', () => {
    for (const one of found({ without: 'end' }))
      expect(one.some((id) => id === 'M3' || id === 'U2')).toBe(true)
  })
  test('a commit that reaches its own CTA only leaves the peer waiting', () => {
    for (const one of found({ without: 'multicast' })) expect(one[0]).toBe('stuck')
  })
  test('one cta_group in a kernel', () => {
    const program = right(
      B.draft(
        { name: 'two', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
        function* () {
          yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 32, ctaGroup: 2 })
          yield* B.run('dealloc', { _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 })
        },
      ),
    )
    expect(validate(right(place(program)))).toMatchObject({
      _tag: 'Left',
      left: { code: 'tcgen05.ctaGroup' },
    })
  })
})
