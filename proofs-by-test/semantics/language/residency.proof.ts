/**
 * Residency: which programs need clusters that run together; and law 1, that for all others it makes no difference. Race or none, every schedule:
 * verdict, ids with both statements, and outputs are the same whether clusters follow one another or run side by side. Which programs those are is a
 * table by hand, a statement in every place where one can stand.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { labelsOf, without } from '../../../src/kernels/broken/index.js'
import { matmul0 } from '../../../src/kernels/blackwell/matmul0.js'
import { queue } from '../../../src/kernels/hopper/queue.js'
import { bits } from '../../../src/numerics/bits.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { clusterOf } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import * as P from '../../../src/semantics/language/program.js'
import type { Program, Stmt } from '../../../src/semantics/language/program.js'
import type { PtrIndex } from '../../../src/semantics/language/types.js'
import { countedTensors, meets } from '../../../src/semantics/language/residency.js'
import { filling, launched, logged, matmul } from '../machine/machine-samples.js'
import { arrive, fork, lets, loop, n, of, shared, truth, until, when } from './statements.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

/** What a verdict says, whoever the agents are. */
const said = (
  program: Program,
  resident: number,
  policy: Policy.AnyPolicy,
  algebra: Algebra = unit,
): object => {
  const tensors = new Map<string, Float64Array>()
  program.params.forEach((p, k) => {
    if (p._tag !== 'tensor' || p.role === 'out') return
    const count = p.shape.reduce((n, e) => n * (e._tag === 'const' ? Number(e.value) : NaN), 1)
    tensors.set(p.name, filling(algebra, p.dtype, count, k))
  })
  const { verdict } = right(
    check(program, {
      ...standardOptions,
      algebra,
      arguments: { scalars: new Map(), tensors, resident },
      policy,
      provenance: false,
      explore: false,
      explain: false,
      fuel: 1e6,
    }),
  )
  const name = (f: (typeof verdict.findings)[number]): string => {
    const sites = [f.a.site, f.b?.site ?? '']
    // which of two clusters is first is the schedule's affair
    return [f.id, ...(f.id === 'D3' ? sites.sort() : sites)].join(' / ')
  }
  return {
    verdict: verdict.verdict,
    findings: [...new Set(verdict.findings.map(name))].sort(),
    notes: [...new Set(verdict.notes.map(name))].sort(),
    output: verdict.digest.output,
  }
}

const cells = (program: string, body: (out: B.Tensor<'i32', 2>) => B.Steps<void>): Program =>
  right(
    B.kernel({ name: program, arch: 'sm90a', grid: [4], agents: [B.warpgroup('wg', 0)] }, function* () {
      const out = yield* B.tensorParam('out', 'i32', [5, 4], { role: 'out' })
      yield* body(out)
    }),
  )
const id: X.Int = X.place('programId', 0)
const ones = X.iota<1>([4], 0)

const own = cells('own rows', function* (out) {
  yield* B.run('write', { _tag: 'gmem.store', destination: X.slot(out.view, id), value: ones })
  yield* B.ifThen('last', X.eq(id, X.i32(3)), function* () {
    yield* B.run('write last', {
      _tag: 'gmem.store',
      destination: X.slot(out.view, X.i32(4)),
      value: ones,
    })
  })
})
const neighbours = cells('neighbours', function* (out) {
  yield* B.run('write', { _tag: 'gmem.store', destination: X.slot(out.view, id), value: ones })
  yield* B.run('write next', {
    _tag: 'gmem.store',
    destination: X.slot(out.view, X.add(id, X.i32(1))),
    value: ones,
  })
})

/** Clusters of two CTAs: each tells the other through its barrier and reads what the other stored. */
const exchange = (acquires: boolean): Program =>
  right(
    B.kernel(
      { name: 'exchange', arch: 'sm90a', grid: [6], cluster: [2], agents: [B.warpgroup('wg', 0)] },
      function* () {
        const out = yield* B.tensorParam('out', 'i32', [6, 4], { role: 'out' })
        const x = yield* B.sharedMemory('x', 'i32', [4])
        yield* B.run('store', { _tag: 'smem.store', destination: x, value: ones })
        yield* B.run('arrive', { _tag: 'cluster.arrive', relaxed: !acquires })
        yield* B.run('wait', { _tag: 'cluster.wait' })
        const rank = X.place('ctaRank')
        const found = yield* B.smemLoad('read', X.remote(x, X.sub(X.i32(1), rank)))
        yield* B.run('write', { _tag: 'gmem.store', destination: X.slot(out.view, id), value: found })
        yield* B.run('arrive end', { _tag: 'cluster.arrive', relaxed: false })
        yield* B.run('wait end', { _tag: 'cluster.wait' })
      },
    ),
  )

const small = matmul({ n: 128, k: 48 })
const two = right(
  matmul0({ dtype: 'f16', m: 128, n: 32, k: 48, tileM: 128, tileN: 16, tileK: 16, stages: 2 }),
)
const ring = right(queue({ dtype: 'f16', m: 4, n: 8, rows: 1, buffering: 2, produce: 'stores', drain: true }))

const policies = [Policy.eager, Policy.lazy, Policy.seeded(1), Policy.seeded(2)]

describe('law 1', () => {
  const right4: ReadonlyArray<readonly [string, Program, Algebra]> = [
    ['hopper-matmul, 4 tiles', small, unit],
    ['matmul0, 2 tiles', two, unit],
    ['queue', ring, unit],
    ['own rows', own, bits('hopper')],
    ['neighbours that overlap', neighbours, bits('hopper')],
    ['exchange', exchange(true), bits('hopper')],
    ['exchange, relaxed', exchange(false), unit],
  ]
  test.each(sampled(2, right4))('%s: one after another, two by two, all together', (_, program, algebra) => {
    const reference = said(program, 1, Policy.eager, algebra)
    for (const resident of [1, 2, 3, 64])
      for (const policy of policies) expect(said(program, resident, policy, algebra)).toEqual(reference)
  })

  test('the verdicts that were compared', () => {
    const of = (p: Program): object => said(p, 64, Policy.seeded(3))
    expect(of(small)).toMatchObject({ verdict: 'ok', findings: [] })
    expect(of(own)).toMatchObject({ verdict: 'ok', findings: [] })
    expect(of(neighbours)).toMatchObject({
      verdict: 'hazard',
      findings: ['D3 / write / write next'],
    })
    expect(of(exchange(true))).toMatchObject({ verdict: 'ok' })
    expect(of(exchange(false))).toMatchObject({ verdict: 'hazard', findings: ['V1 / store / read'] })
  })

  const labels = labelsOf(small).filter((label) => label !== 'acc[...]')
  test.each(sampled(3, labels).map((label) => [label] as const))('hopper-matmul without %s', (label) => {
    const program = right(without(label)(small))
    expect(said(program, 64, Policy.eager)).toEqual(said(program, 1, Policy.eager))
  })
})

/** Every block goes round until a flag in global memory is set; `by`: what is asked is the flag itself, or something made of it. */
const asking = (by: 'itself' | 'way of a let' | 'nothing'): Program =>
  right(
    B.kernel({ name: 'asking', arch: 'sm90a', grid: [2], agents: [B.warpgroup('wg', 0)] }, function* () {
      const flag = yield* B.tensorParam('flag', 'i32', [1], { role: 'inout' })
      yield* B.whileLoop(
        { label: 'until', carried: { i: X.i32(0) } },
        function* ({ i }) {
          const found = yield* B.gmemLoad('ask', flag.view)
          const one = X.splat<'i32', 1>(X.i32(1), [1])
          const made = by === 'way of a let' ? yield* B.letIn('made', X.add(found, one)) : found
          return [by === 'nothing' ? X.lt(i, X.i32(1)) : X.any(X.lt(made, one)), { i }] as const
        },
        function* ({ i }) {
          return { i: yield* B.letIn('next', X.add(i, X.i32(1))) }
        },
      )
    }),
  )

describe('who meets', () => {
  test('a loop whose end depends on what it reads from global memory, directly or by way of a let', () => {
    expect(meets(asking('itself'))).toMatch(/until/)
    expect(meets(asking('way of a let'))).toMatch(/until/)
    expect(meets(asking('nothing'))).toBeNull()
  })

  test('an atomic whose result is read', () => {
    const counting = (reads: 'the result' | 'another' | 'nothing'): Program =>
      cells('counting', function* (out) {
        const found = yield* B.atomicPtr(
          'count',
          'add',
          X.addptr(X.splat<PtrIndex<'i32'>, 1>(out.ptr, [4]), ones),
          ones,
        )
        const other = yield* B.letIn('other', X.add(ones, ones))
        if (reads !== 'nothing')
          yield* B.run('write', {
            _tag: 'gmem.store',
            destination: X.slot(out.view, id),
            value: reads === 'another' ? other : found,
          })
      })
    expect(meets(counting('the result'))).toBe('count is an atomic whose result is read')
    expect(meets(counting('another'))).toBeNull()
    expect(meets(counting('nothing'))).toBeNull()
  })

  test('how many may be resident', () => {
    const asked = (resident: number, grid: number): unknown => {
      const program = right(
        B.kernel(
          {
            name: 'many',
            arch: 'sm90a',
            grid: [grid],
            agents: [B.warpgroup('wg', 0), B.warpgroup('other', 1)],
          },
          function* () {
            yield* []
          },
        ),
      )
      const launched = launch(program, unit, { scalars: new Map(), tensors: new Map(), resident })
      return E.isLeft(launched) ? launched.left : null
    }
    expect(asked(1, 512)).toBeNull()
    expect(asked(4096, 4096)).toBeNull()
    expect(asked(0, 4)).toEqual({
      code: 'launch.resident',
      message: 'expected at least one resident cluster, found 0',
    })
    expect(asked(4097, 4097)).toEqual({
      code: 'launch.resident',
      message: 'expected at most 8192 agents in the clusters that are resident together, found 8194',
    })
  })

  test('none of the kernels above', () => {
    for (const p of [small, two, ring, own, neighbours, exchange(true)]) expect(meets(p)).toBeNull()
  })

  test('a wave is as many clusters as are resident, and the last may be smaller', () => {
    const l = launched(own, unit, { resident: 3 })
    const ran = logged(l, Policy.roundRobin)
    expect(ran.result.flatMap((e) => (e._tag === 'cluster' ? [e.id] : []))).toEqual([0, 3])
    expect([ran.clusters, ran.outcome._tag]).toEqual([4, 'completed'])
    expect(l.world.header).toMatchObject({ ctas: 3, resident: 3 })
    expect(l.world.header.agents.map((a) => [a.cta, clusterOf(l.world.header, a.cta)])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
  })

  test('agents of clusters of two are numbered through, and know their rank', () => {
    const l = launched(exchange(true), unit, { resident: 3 })
    expect(l.world.header.agents.map((a) => [a.cta, clusterOf(l.world.header, a.cta)])).toEqual([
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 1],
      [4, 2],
      [5, 2],
    ])
  })
})

/** The text of a program: nothing of it is run. */
const text = (body: ReadonlyArray<Stmt>, yields: ReadonlyArray<X.Int> = []): Program => ({
  ...own,
  entry: P.region(body, yields),
})
const loads = (result: string, tag: 'gmem.load' | 'gmem.loadPtr' | 'smem.load' = 'gmem.load'): Stmt =>
  of('ask', { _tag: tag, source: X.storage('flag') }, [result])
const count = (result: string): Stmt =>
  of('count', { _tag: 'gmem.atomicPtr', destination: X.paramPtr('x'), value: X.i32(1), op: 'add' }, [result])
const semaphore = (kind: 'wait' | 'signal'): Stmt =>
  of('semaphore', { _tag: `semaphore.${kind}`, at: X.paramPtr('x'), value: X.i32(1) })
const store = (x: X.Int): Stmt => of('store', { _tag: 'smem.store', destination: X.storage('x'), value: x })

/** A statement in every place where one can stand. */
const places: ReadonlyArray<readonly [where: string, around: (s: Stmt) => Stmt]> = [
  ['at the top', (s) => s],
  ['in a loop', (s) => loop({ body: [lets('a', n('p')), s] })],
  ['in the condition of a while', (s) => until({ before: P.region([s], [X.i1(false)]) })],
  ['in its rounds', (s) => until({ after: P.region([s]) })],
  ['in a branch', (s) => when(n('p'), [s])],
  ['in the other branch', (s) => when(n('p'), [], [s])],
  ['in a fork', (s) => fork([[], [s]], [[], []])],
  ['in its second branch', (s) => fork([[], []], [[], [s]])],
  ['deep', (s) => when(n('p'), [loop({ body: [fork([[], []], [[], [s]])] })])],
]

describe('who meets, wherever it stands', () => {
  test.each(places)('%s', (_, around) => {
    const spin = until({ before: P.region([loads('f')], [truth(n('f'))]) })
    expect(meets(text([around(semaphore('wait'))]))).toBe('semaphore is a semaphore.wait')
    expect(meets(text([around(semaphore('signal'))]))).toBe('semaphore is a semaphore.signal')
    expect(meets(text([around(count('c')), store(n('c'))]))).toBe('count is an atomic whose result is read')
    expect(meets(text([count('c'), around(store(n('c')))]))).toBe('count is an atomic whose result is read')
    expect(meets(text([around(spin)]))).toBe('until spins on global memory')
    for (const s of [count('c'), loads('f'), shared('s'), store(n('p')), lets('a', n('p'))])
      expect(meets(text([around(s)]))).toBeNull()
    expect([...countedTensors(text([around(semaphore('wait'))]))]).toEqual(['out'])
  })

  const reads: ReadonlyArray<readonly [where: string, statement: Stmt]> = [
    ['a let', lets('a', X.add(X.i32(1), n('c')))],
    ['an operand', store(n('c'))],
    ['a predicate', arrive(X.i32(1), { when: truth(n('c')) })],
    ['the start of a loop', loop({ from: n('c') })],
    ['its end', loop({ to: n('c') })],
    ['its step', loop({ step: n('c') })],
    ['what a loop carries', loop({ carried: [['a', n('c')]] })],
    ['what its rounds yield', loop({ yields: [n('c')] })],
    ['what a while carries', until({ carried: [['a', n('c')]] })],
    ['its condition', until({ before: P.region([], [truth(n('c'))]) })],
    ['what its rounds yield', until({ after: P.region([], [n('c')]) })],
    ['the condition of an if', when(n('c'))],
    ['what a branch yields', { ...when(n('p')), then: P.region([], [n('c')]) }],
    ['what the other yields', { ...when(n('p')), else: P.region([], [n('c')]) }],
    ['a capture', fork([[], []], [[['a', n('c')]], []])],
    ['what a branch of a fork yields', fork([[], [], [n('c')]], [[], []])],
  ]
  test.each(reads)('the result of an atomic is read by %s', (_, statement) => {
    expect(meets(text([count('c'), statement]))).toBe('count is an atomic whose result is read')
    expect(meets(text([count('d'), statement]))).toBeNull()
    // its expressions are those in which the name stands
    expect(JSON.stringify(P.expressionsOf(statement))).toContain('"c"')
  })
  test('what the program itself yields is read, too; one result of two is enough', () => {
    expect(meets(text([count('c')], [n('c')]))).toBe('count is an atomic whose result is read')
    expect(meets(text([count('c')], [n('d')]))).toBeNull()
    const two = of('two', { _tag: 'gmem.atomicPtr', destination: X.paramPtr('x'), value: X.i32(1) }, [
      'd',
      'c',
    ])
    expect(meets(text([two, store(n('c'))]))).toBe('two is an atomic whose result is read')
  })

  const wants = [truth(n('f'))]
  const spinning: ReadonlyArray<readonly [what: string, meets: boolean, body: ReadonlyArray<Stmt>]> = [
    ['what is read decides', true, [until({ before: P.region([loads('f')], wants) })]],
    ['read by an address', true, [until({ before: P.region([loads('f', 'gmem.loadPtr')], wants) })]],
    [
      'shared memory is one cluster’s',
      false,
      [until({ before: P.region([loads('f', 'smem.load')], wants) })],
    ],
    ['read once, before', false, [loads('f'), until({ before: P.region([], wants) })]],
    ['another value decides', false, [until({ before: P.region([loads('g')], wants) })]],
    [
      'in what is handed on, beside the condition',
      false,
      [until({ before: P.region([loads('g')], [X.i1(false), n('g')]) })],
    ],
    [
      'carried to the next round',
      true,
      [until({ before: P.region([], [X.i1(false)]), after: P.region([loads('g')], [n('g')]) })],
    ],
    [
      'by way of two lets, in whatever order',
      true,
      [
        until({
          before: P.region([lets('f', X.add(n('h'), X.i32(1))), lets('h', n('g')), loads('g')], wants),
        }),
      ],
    ],
    [
      'by way of lets that come to nothing',
      false,
      [until({ before: P.region([loads('g'), lets('h', n('g')), lets('f', X.i32(1))], wants) })],
    ],
    [
      'read within a branch of the round',
      true,
      [until({ before: P.region([when(n('p'), [loads('f')])], wants) })],
    ],
    [
      'read in the round and asked before it',
      true,
      [until({ before: P.region([], wants), after: P.region([loads('f')]) })],
    ],
  ]
  test.each(spinning)('a loop: %s', (_, meeting, body) => {
    expect(meets(text(body))).toBe(meeting ? 'until spins on global memory' : null)
  })
})

test('tensors that decide who goes on: integers of 32 bits, where there are semaphores or atomics on global memory', () => {
  const program = right(
    B.kernel({ name: 'many', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
      for (const dtype of ['i32', 'u32', 'f32', 'i8', 'f16'] as const)
        yield* B.tensorParam(`of ${dtype}`.replace(' ', '_'), dtype, [16, 16], { role: 'inout' })
      yield* B.scalarParam('n', 'i32')
    }),
  )
  const counted = (body: ReadonlyArray<Stmt>): ReadonlyArray<string> => [
    ...countedTensors({ ...program, entry: P.region(body) }),
  ]
  for (const s of [semaphore('wait'), semaphore('signal'), count('c')])
    expect(counted([lets('a', n('p')), s])).toEqual(['of_i32', 'of_u32'])
  expect(counted([shared('c'), loads('f'), lets('a', n('p'))])).toEqual([])
  expect(counted([])).toEqual([])
})
