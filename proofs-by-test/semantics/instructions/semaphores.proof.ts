/**
 * Semaphores: a reduction of two clusters, turns, pairs of counters; each with a twin that leaves out the wait, weakens it, or narrows its
 * scope. What one run decides is held against many schedules: where it says ok, all of them give the same memory.
 */
import { describe, expect, test } from 'vitest'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { bits } from '../../../src/numerics/bits.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Scope } from '../../../src/semantics/language/instruction.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { blocked, counterOf, execute } from '../../../src/semantics/instructions/semaphore.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { withPlane } from '../../../src/semantics/machine/state.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { meets } from '../../../src/semantics/language/residency.js'
import { decodeTrace, encodeTrace } from '../../../src/semantics/files/trace/index.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { launched, logged } from '../machine/machine-samples.js'
import { right } from '../../either.js'

const verdictOf = (program: Program, o: Partial<CheckOptions> = {}): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      provenance: false,
      explore: false,
      explain: false,
      fuel: 1e5,
      ...o,
    }),
  ).verdict

const seeds = Array.from({ length: 12 }, (_, seed) => Policy.seeded(seed))
const schedules: ReadonlyArray<Policy.AnyPolicy> = [Policy.eager, Policy.lazy, Policy.roundRobin, ...seeds]
/** The verdict and the ids of the findings, one line a kind, over all schedules. */
const verdicts = (program: Program): ReadonlySet<string> =>
  new Set(
    schedules.map((policy) => {
      const v = verdictOf(program, { policy })
      return [v.verdict, ...[...new Set(v.findings.map((f) => f.id))].sort()].join(' ')
    }),
  )

/** What the output holds after each schedule. */
const outputs = (program: Program): ReadonlySet<string> =>
  new Set(
    schedules.map((policy) => {
      const l = launched(program, bits('hopper'), {
        tensors: new Map(
          program.params.flatMap((p) =>
            p._tag === 'tensor' && p.role !== 'out'
              ? [
                  [
                    p.name,
                    new Float64Array(
                      p.shape.reduce((n, e) => n * (e._tag === 'const' ? Number(e.value) : NaN), 1),
                    ),
                  ],
                ]
              : [],
          ),
        ),
      })
      return [...readTensor(l.world, logged(l, policy).machine, 'out')!].join()
    }),
  )

const id: X.Int = X.place('programId', 0)
const signal = (label: string, at: X.Ptr, scope: Scope = 'gpu', value = 1): B.Build<void> =>
  B.run(label, { _tag: 'semaphore.signal', at, value: X.i32(value), scope })
const wait = (
  label: string,
  at: X.Ptr,
  value: number | X.Int,
  o: { readonly scope?: Scope; readonly decrement?: boolean } = {},
): B.Build<void> =>
  B.run(label, {
    _tag: 'semaphore.wait',
    at,
    value: typeof value === 'number' ? X.i32(value) : value,
    decrement: o.decrement ?? false,
    scope: o.scope ?? 'gpu',
  })
const gmem = (grid: number, body: () => B.Steps<void>): Program =>
  right(B.kernel({ name: 'gmem', arch: 'sm90a', grid: [grid], agents: [B.warp('w', 0)] }, body))

/** Stream-K: every cluster writes a partial sum of ones, the last adds them all up. */
const streamK = (
  clusters: number,
  o: { readonly waits?: number; readonly scope?: Scope; readonly order?: 'right' | 'signal first' } = {},
): Program =>
  gmem(clusters, function* () {
    const part = yield* B.tensorParam('part', 'i32', [clusters, 4], { role: 'inout' })
    const out = yield* B.tensorParam('out', 'i32', [4], { role: 'out' })
    const done = yield* B.tensorParam('done', 'i32', [1], { role: 'inout' })
    const write = B.run('write part', {
      _tag: 'gmem.store',
      destination: X.slot(part.view, id),
      value: X.splat(X.i32(1), [4]),
    })
    if (o.order !== 'signal first') yield* write
    yield* signal('signal', done.ptr, o.scope)
    if (o.order === 'signal first') yield* write
    yield* B.ifThen('last', X.eq(id, X.i32(clusters - 1)), function* () {
      if (o.waits !== 0)
        yield* wait('wait', done.ptr, o.waits ?? clusters, o.scope === undefined ? {} : { scope: o.scope })
      let sum: X.Tile<'i32', 1> = X.splat(X.i32(0), [4])
      for (let k = 0; k < clusters; k++) {
        const one = yield* B.gmemLoad(`part ${String(k)}`, X.slot(part.view, X.i32(k)))
        sum = yield* B.letIn(`sum ${String(k)}`, X.add(sum, one))
      }
      yield* B.run('write out', { _tag: 'gmem.store', destination: out.view, value: sum })
    })
  })

describe('stream-K', () => {
  test('with the wait: ok and decided by one schedule, and every schedule adds up to the same', () => {
    for (const clusters of [2, 3]) {
      expect(verdicts(streamK(clusters))).toEqual(new Set(['ok']))
      expect(verdictOf(streamK(clusters))).toMatchObject({ decidedBy: 'one-schedule' })
      expect(outputs(streamK(clusters))).toEqual(new Set([new Array(4).fill(clusters).join()]))
    }
  })
  test('its clusters meet, so they are resident together', () => {
    expect(meets(streamK(2))).toContain('semaphore.signal')
    expect(launched(streamK(3), unit).world.header).toMatchObject({ resident: 3, ctas: 3 })
  })
  test('without the wait, or with the signal before the write: D3', () => {
    expect(verdicts(streamK(2, { waits: 0 }))).toEqual(new Set(['hazard D3']))
    for (const v of verdicts(streamK(2, { order: 'signal first' }))) expect(v).toContain('D3')
  })
  test('a scope that does not reach the other cluster: the counter itself races, and nothing is published', () => {
    for (const v of verdicts(streamK(2, { scope: 'cluster' }))) expect(v).toMatch(/^hazard .*D3/)
  })
  test('a wait for too few is not decided by one schedule, and some schedule shows the race', () => {
    const some = verdicts(streamK(3, { waits: 2 }))
    expect(some.has('ok')).toBe(false)
    expect([...some].some((v) => v.includes('D3'))).toBe(true)
  })
  test('a signal that can take the place of another: the run in which it does not is not ok either', () => {
    // cluster 0 writes and signals, cluster 1 signals, cluster 2 waits for one of them and reads
    const either = gmem(3, function* () {
      const x = yield* B.tensorParam('x', 'i32', [4], { role: 'inout' })
      const done = yield* B.tensorParam('done', 'i32', [1], { role: 'inout' })
      yield* B.ifThen('writer', X.eq(id, X.i32(0)), function* () {
        yield* B.run('write', { _tag: 'gmem.store', destination: x.view, value: X.iota<1>([4], 0) })
      })
      yield* B.ifThen(
        'reader',
        X.eq(id, X.i32(2)),
        function* () {
          yield* wait('wait', done.ptr, 1)
          yield* B.gmemLoad('read', x.view)
        },
        function* () {
          yield* signal('signal', done.ptr)
        },
      )
    })
    const some = verdicts(either)
    expect(some.has('ok')).toBe(false)
    expect(some.has('undecided B3')).toBe(true)
    expect([...some].some((v) => v.includes('D3'))).toBe(true)
  })
  test('a wait for too many never passes: a deadlock that says what is missing', () => {
    const v = verdictOf(streamK(2, { waits: 5 }))
    expect([v.verdict, v.findings.map((f) => f.id)]).toEqual(['deadlock', ['B5']])
    expect(v.waitFor.join()).toContain('semaphore gmem done+0: has 2 of 5, 3 missing; w@0.c0 could signal it')
  })
})

/** Cluster k waits for turn k, appends k to a list and passes the turn on. */
const turns = (
  clusters: number,
  o: { readonly passes?: boolean; readonly decrement?: boolean } = {},
): Program =>
  gmem(clusters, function* () {
    const out = yield* B.tensorParam('out', 'i32', [4], { role: 'inout' })
    const turn = yield* B.tensorParam('turn', 'i32', [1], { role: 'inout' })
    yield* wait('my turn', turn.ptr, id)
    const old = yield* B.gmemLoad('old', out.view)
    const next = yield* B.letIn(
      'next',
      X.add(X.mul(old, X.splat(X.i32(10), [4])), X.splat(X.add(id, X.i32(1)), [4])),
    )
    yield* B.run('write', { _tag: 'gmem.store', destination: out.view, value: next })
    if (o.passes !== false) yield* signal('pass on', turn.ptr)
  })

describe('turns', () => {
  test('one after another, in the order of their numbers, whatever the schedule', () => {
    expect(verdicts(turns(4))).toEqual(new Set(['ok']))
    expect(outputs(turns(4))).toEqual(new Set([new Array(4).fill(1234).join()]))
  })
  test('who does not pass the turn on stops the others', () => {
    expect(verdicts(turns(3, { passes: false }))).toEqual(new Set(['deadlock B5']))
  })
})

/** Two clusters hand one cell to and fro; each counter is taken away by its waiter. */
const pingPong = (rounds: number, o: { readonly oneCounter?: boolean } = {}): Program =>
  gmem(2, function* () {
    const out = yield* B.tensorParam('out', 'i32', [4], { role: 'inout' })
    const go = yield* B.tensorParam('go', 'i32', [2], { role: 'inout' })
    const mine = X.addptr(go.ptr, o.oneCounter === true ? X.i32(0) : id)
    const other = X.addptr(go.ptr, o.oneCounter === true ? X.i32(0) : X.sub(X.i32(1), id))
    yield* B.ifThen('begin', X.eq(id, X.i32(0)), function* () {
      yield* signal('begin', mine)
    })
    yield* B.forRange({ label: 'rounds', from: X.i32(0), to: X.i32(rounds) }, function* () {
      yield* wait('wait', mine, 1, { decrement: true })
      const old = yield* B.gmemLoad('old', out.view)
      yield* B.run('write', {
        _tag: 'gmem.store',
        destination: out.view,
        value: X.add(X.mul(old, X.splat(X.i32(2), [4])), X.splat(id, [4])),
      })
      yield* signal('to the other', other)
    })
  })

describe('waits that take away', () => {
  test('a counter each: ok, and the same memory', () => {
    expect(verdicts(pingPong(3))).toEqual(new Set(['ok']))
    expect(outputs(pingPong(3)).size).toBe(1)
  })
  test('one counter for both is a lock: who is first is a matter of timing, so one run decides nothing', () => {
    for (const v of verdicts(pingPong(2, { oneCounter: true }))) expect(v).toBe('undecided B3')
    expect(outputs(pingPong(2, { oneCounter: true })).size).toBeGreaterThan(1)
  })
})

test('faults: no counter, an odd address, a signal of nothing', () => {
  const codeOf = (dtype: 'i32' | 'u32' | 'f32' | 'i64', offset: number, value: number): string => {
    const program = gmem(1, function* () {
      const s = yield* B.tensorParam('s', dtype, [2], { role: 'inout' })
      yield* signal('signal', X.addptr(s.ptr, X.i32(offset)), 'gpu', value)
    })
    const { outcome } = logged(launched(program, unit), Policy.eager)
    return outcome._tag === 'fault' ? outcome.fault.code : outcome._tag
  }
  expect(codeOf('i32', 1, 1)).toBe('completed')
  expect(codeOf('u32', 1, 1)).toBe('completed')
  expect(codeOf('f32', 0, 1)).toBe('semaphore.counter')
  expect(codeOf('i64', 0, 1)).toBe('semaphore.counter')
  expect(codeOf('i32', 2, 1)).toBe('I2')
  expect(codeOf('i32', -1, 1)).toBe('I2')
  expect(codeOf('i32', 0, 0)).toBe('semaphore.value')
})

test('a trace of it, read again, is judged alike', () => {
  const l = launched(streamK(2), unit)
  const ran = logged(l, Policy.seeded(3))
  const lines = encodeTrace(l.world.header, ran.result)
  const back = right(decodeTrace(lines))
  expect(back.header).toEqual(l.world.header)
  expect(encodeTrace(back.header, back.events)).toEqual(lines)
  expect(back.events.filter((e) => e._tag === 'semaphore').length).toBe(3)
})

describe('one counter by itself', () => {
  const greatest = 2 ** 31 - 1
  /** A counter of global memory, and what is done with it: blocked or not, what was there, what is there. */
  const once = (
    dtype: 'i32' | 'u32',
    old: number | null,
    kind: 'signal' | 'wait',
    value: number,
    decrement = false,
    algebra: Algebra = bits('hopper'),
  ): readonly [blocked: boolean, before: number, after: number | string] => {
    const { world, machine } = launched(
      gmem(1, function* () {
        yield* B.tensorParam('s', dtype, [4], { role: 'out' })
      }),
      algebra,
    )
    const plane = world.header.planes.findIndex((p) => p.name === 's')
    const counter = Footprint.ofAddresses(world.footprints, plane, dtype, [1], Int32Array.of(8))
    const m =
      old === null
        ? machine
        : withPlane(machine, plane, Plane.write(machine.planes[plane]!, counter, Float64Array.of(old), null))
    const p = { _tag: 'semaphore', kind, counter, value, decrement, scope: 'gpu' } as const
    const x = { world, agent: 0, stamp: { agent: 0, at: 1, site: 0, iteration: [] } }
    const before = counterOf(m, counter)
    const done = execute(x, m, p)
    if (isFault(done)) return [blocked(m, p), before, done.code]
    expect(done.events).toMatchObject([{ before, kind, value, decrement, outcome: 'passed' }])
    return [blocked(m, p), before, Plane.read(done.machine.planes[plane]!, counter).data?.[0] ?? 'no data']
  }
  test('a wait passes where the counter is as great; it takes away if it is asked to', () => {
    expect(once('i32', 4, 'wait', 5)).toEqual([true, 4, 4])
    expect(once('i32', 5, 'wait', 5)).toEqual([false, 5, 5])
    expect(once('i32', 6, 'wait', 5, true)).toEqual([false, 6, 1])
    expect(once('i32', -1, 'wait', 0)).toEqual([true, -1, -1])
  })
  test('a signal never waits, and adds; not beyond 2^31 - 1', () => {
    expect(once('i32', 4, 'signal', 5)).toEqual([false, 4, 9])
    expect(once('i32', -3, 'signal', 1)).toEqual([false, -3, -2])
    expect(once('i32', greatest - 2, 'signal', 2)).toEqual([false, greatest - 2, greatest])
    expect(once('i32', greatest - 2, 'signal', 3)).toEqual([false, greatest - 2, 'semaphore.value'])
    // what only a wait that takes away may ask for
    expect(once('i32', 4, 'signal', 5, true)).toEqual([false, 4, 9])
  })
  test('a word is read by its sign, and kept without it', () => {
    expect(once('u32', 2 ** 32 - 2, 'signal', 1)).toEqual([false, -2, 2 ** 32 - 1])
    expect(once('u32', 2 ** 32 - 2, 'signal', 2)).toEqual([false, -2, 0])
    expect(once('u32', 2 ** 32 - 1, 'wait', 0)).toEqual([true, -1, 2 ** 32 - 1])
  })
  test('what nobody has written, or nobody keeps, is nothing', () => {
    expect(once('i32', null, 'wait', 1, false, real64)).toEqual([true, 0, NaN])
    expect(once('i32', null, 'signal', 2, false, real64)).toEqual([false, 0, 2])
    expect(once('i32', null, 'wait', 1, false, unit).slice(0, 2)).toEqual([true, 0])
  })
})
