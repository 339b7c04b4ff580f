/** Steps: a transition function, named events, and the same runs said with `chain`. */
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import type { InFlight } from '../../../src/semantics/machine/operation.js'
import { idle, type Machine, type Ready, type Status } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Agent } from '../../../src/semantics/language/program.js'
import { stepsOf } from '../../../src/semantics/execution/run.js'
import {
  blocked,
  blockedEvents,
  finished,
  offered,
  partOf,
  byLanes,
  readKey,
  taking,
  type Older,
  sameKey,
  showKey,
  stageOf,
  step,
  take,
  type EventKey,
  type Offered,
} from '../../../src/semantics/execution/step.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { contents, launched, logged, matmul, solo } from '../machine/machine-samples.js'
import { right } from '../../either.js'
import { prop } from '../../prop.js'

const operand = [right(tile([8, 16])), right(swizzle(32))]
const small = matmul({ m: 64, n: 64, k: 64, tileK: 32 })
const sorted = (keys: ReadonlyArray<EventKey>): ReadonlyArray<string> => keys.map(showKey).sort()

describe('keys', () => {
  prop([
    fc.record({
      agent: fc.nat(),
      at: fc.nat(),
      stage: fc.constantFrom<EventKey['stage']>('read', 'write', 'all', 'signal'),
      part: fc.nat(15),
    }),
  ])('round trip through text', (key) => {
    expect(readKey(showKey(key))).toEqual(key)
    const agent: EventKey = { agent: key.agent, at: key.at, stage: 'agent', part: 0 }
    expect(readKey(showKey(agent))).toEqual(agent)
    expect(sameKey(key, agent)).toBe(false)
  })

  const word = fc
    .record({
      plane: fc.nat(9),
      byte: fc.nat(99),
      back: fc.nat(3),
      held: fc.constantFrom('00', '01000000', '?05'),
      lanes: fc.option(
        fc.integer().filter((mask) => mask !== 0),
        { nil: undefined },
      ),
    })
    .map(({ plane, byte, back, held, lanes }): Older =>
      lanes === undefined ? { plane, byte, back, held } : byLanes({ plane, byte, back, held }, lanes),
    )
  prop([fc.array(word, { minLength: 1, maxLength: 3 })])(
    'words of other writes are read as shown',
    (older) => {
      const key = taking({ agent: 3, at: 4, stage: 'agent', part: 0 }, older)
      expect(readKey(showKey(key))).toEqual(key)
    },
  )

  test('what is no key is none', () => {
    expect(readKey('3:4<0+4@0=01')).toBeNull()
    expect(readKey('3:4>0+4@1=01')).toBeNull()
    for (const text of ['', '3', '3:', ':4', '3:4/', '3:4/read', '3:4/agent.0', '3:4/read.x', ' 3:4', '3:4 '])
      expect(readKey(text), text).toBeNull()
  })

  test('a stage is named where an operation has several', () => {
    const of = (f: object): readonly [string, number] => [stageOf(f as InFlight), partOf(f as InFlight)]
    expect(of({ _tag: 'tmaLoad', stage: 'signal', part: 2 })).toEqual(['signal', 2])
    expect(of({ _tag: 'tmaStore', stage: 'read', part: 1 })).toEqual(['read', 1])
    expect(of({ _tag: 'stAsync', stage: 'write', part: 1 })).toEqual(['write', 0])
    expect(of({ _tag: 'clc', stage: 'write', part: 3 })).toEqual(['write', 3])
    // a commit that a product names is told apart from the product itself
    expect(of({ _tag: 'tcgen05Commit', alone: true, part: 0 })).toEqual(['all', 0])
    expect(of({ _tag: 'tcgen05Commit', alone: false, part: 1 })).toEqual(['signal', 1])
    for (const _tag of [
      'wgmma',
      'tcgen05',
      'tcgen05Copy',
      'cpAsync',
      'cpAsyncArrive',
      'tcgen05Ld',
      'tcgen05St',
    ])
      expect(of({ _tag, part: 5 })).toEqual(['all', 0])
  })

  test('every event of a run has another key', () => {
    const { schedule } = logged(launched(small, unit), Policy.seeded(1))
    expect(new Set(schedule.map(showKey)).size).toBe(schedule.length)
  })
})

describe.each([unit, bits('hopper')])('law 3 in $name', (algebra) => {
  const l = launched(small, algebra)
  const ran = logged(l, Policy.seeded(3))

  test('the fold of steps with chain is the loop of run: same log, same machine', () => {
    const [events, machine] = right(stepsOf(l.world)(ran.schedule)(l.machine))
    expect([{ _tag: 'cluster', id: 0 }, ...events]).toEqual(ran.result)
    expect(contents(machine)).toEqual(contents(ran.machine))
    expect({ ...machine, planes: [] }).toEqual({ ...ran.machine, planes: [] })
    expect(finished(machine)).toBe(true)
  })

  test('law 1: a step leaves its machine alone and gives the same again', () => {
    let m = l.machine
    for (const key of ran.schedule) {
      const before = contents(m)
      const first = step(l.world)(key)(m)
      const second = step(l.world)(key)(m)
      expect(second).toEqual(first)
      expect(contents(m)).toEqual(before)
      m = right(first)[1]
    }
  })
})

test('law 2: what is offered stays offered until it is taken, or a parity wait has seen its phase go by', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const l = launched(small, unit)
    let m = l.machine
    let state = seed
    for (;;) {
      const options = offered(l.world, m)
      if (options.length === 0) break
      const [r, next] = Policy.random(state)
      state = next
      const chosen = options[r % options.length]!
      const done = take(l.world, m, chosen)
      if ('kind' in done) throw new Error(done.message)
      m = done.machine
      const now = offered(l.world, m, options)
      expect(now).toEqual(offered(l.world, m))
      // what was on offer before is the same object
      for (const o of now) {
        const before = options.find((x) => showKey(x.key) === showKey(o.key))
        if (before?.ready === o.ready && before.operation === o.operation) expect(o).toBe(before)
      }
      const after = new Set(now.map((o) => showKey(o.key)))
      const gone = options.filter((o) => o !== chosen && !after.has(showKey(o.key)))
      const waits = gone.every((o) => {
        const ready = m.agents[o.key.agent]!.ready
        return o.operation === null && ready?._tag === 'do' && ready.prepared._tag === 'mbarrier.wait'
      })
      expect(waits, gone.map((o) => showKey(o.key)).join(' ')).toBe(true)
    }
    expect(finished(m)).toBe(true)
  }
})

test('an event that is not offered is refused, and says so', () => {
  const l = launched(small, unit)
  const result = step(l.world)({ agent: 0, at: 99, stage: 'write', part: 1 })(l.machine)
  expect(result).toMatchObject({
    left: { code: 'schedule.not-offered', message: expect.stringContaining('0:99/write.1') },
  })
})

describe('what an operation offers', () => {
  const stages = (body: () => B.Steps<void>): ReadonlyArray<ReadonlyArray<string>> => {
    const l = launched(solo(body), bits('hopper'))
    let m = l.machine
    const seen: ReadonlyArray<string>[] = []
    for (;;) {
      const options = offered(l.world, m)
      if (options.length === 0) return seen
      seen.push(sorted(options.map((o) => o.key)))
      const lazy = options.find((o) => o.operation === null) ?? options[0]!
      const done = take(l.world, m, lazy)
      if ('kind' in done) throw new Error(done.message)
      m = done.machine
    }
  }

  test('a TMA store is read, then written; a wait for the reads ends in between', () => {
    const seen = stages(function* () {
      const out = yield* B.tensorParam('out', 'f16', [8, 64], { role: 'out' })
      const map = yield* B.descriptorParam('map', out, [8, 64])
      const source = yield* B.sharedMemory('source', 'f16', [8, 64])
      yield* B.run('store', { _tag: 'tma.store', descriptor: map, coords: [X.i32(0), X.i32(0)], source })
      yield* B.run('commit', { _tag: 'bulk.commitGroup' })
      yield* B.run('wait read', { _tag: 'bulk.waitGroup', pending: 0, read: true })
      yield* B.run('wait', { _tag: 'bulk.waitGroup', pending: 0, read: false })
    })
    expect(seen).toEqual([
      ['0:1'],
      ['0:1/read.0', '0:2'],
      ['0:1/read.0'],
      ['0:1/write.0', '0:3'],
      ['0:1/write.0'],
      ['0:4'],
    ])
  })

  test('groups: a wait that leaves one pending waits for the older one only', () => {
    const seen = stages(function* () {
      const out = yield* B.tensorParam('out', 'f16', [16, 64], { role: 'out' })
      const map = yield* B.descriptorParam('map', out, [8, 64])
      const source = yield* B.sharedMemory('source', 'f16', [8, 64])
      for (const row of [0, 8]) {
        yield* B.run('store', { _tag: 'tma.store', descriptor: map, coords: [X.i32(row), X.i32(0)], source })
        yield* B.run('commit', { _tag: 'bulk.commitGroup' })
      }
      yield* B.run('wait 1', { _tag: 'bulk.waitGroup', pending: 1, read: false })
    })
    // 1 store, 2 commit, 3 store, 4 commit, 5 wait: it is offered when the first store is written, whatever the second does
    const withWait = seen.filter((keys) => keys.includes('0:5'))
    expect(withWait.length).toBe(1)
    expect(withWait[0]!.some((key) => key.startsWith('0:1/'))).toBe(false)
    expect(withWait[0]!.some((key) => key.startsWith('0:3/'))).toBe(true)
  })

  test('groups: a wait is for its own family', () => {
    const seen = stages(function* () {
      const a = yield* B.tensorParam('a', 'f32', [4], { role: 'in' })
      const out = yield* B.tensorParam('out', 'f16', [8, 64], { role: 'out' })
      const map = yield* B.descriptorParam('map', out, [8, 64])
      const source = yield* B.sharedMemory('source', 'f16', [8, 64])
      const to = yield* B.sharedMemory('to', 'f32', [4])
      const from = X.addptr(X.splat<{ readonly ptr: 'f32' }, 1>(a.ptr, [4]), X.iota<1>([4], 0))
      yield* B.run('copy', { _tag: 'cpAsync.copy', source: from, destination: to })
      yield* B.run('commit copy', { _tag: 'cpAsync.commitGroup' })
      yield* B.run('bulk', { _tag: 'bulk.waitGroup', pending: 0, read: false })
      yield* B.run('wgmma', { _tag: 'wgmma.waitGroup', pending: 0 })
      yield* B.run('wait copy', { _tag: 'cpAsync.waitGroup', pending: 0 })
      yield* B.run('store', { _tag: 'tma.store', descriptor: map, coords: [X.i32(0), X.i32(0)], source })
      yield* B.run('commit', { _tag: 'bulk.commitGroup' })
      yield* B.run('wait copy again', { _tag: 'cpAsync.waitGroup', pending: 0 })
      yield* B.run('wait', { _tag: 'bulk.waitGroup', pending: 0, read: false })
    })
    // 1 copy, 2 commit, 3 bulk, 4 wgmma, 5 wait; 6 store, 7 commit, 8 wait for copies, 9 wait
    expect(seen).toEqual([
      ['0:1'],
      ['0:1/all.0', '0:2'],
      ['0:1/all.0', '0:3'],
      ['0:1/all.0', '0:4'],
      ['0:1/all.0'],
      ['0:5'],
      ['0:6'],
      ['0:6/read.0', '0:7'],
      ['0:6/read.0', '0:8'],
      ['0:6/read.0'],
      ['0:6/write.0'],
      ['0:9'],
    ])
  })

  test('wgmma of one agent perform in the order of their issue', () => {
    const seen = stages(function* () {
      const acc = yield* B.registers('acc', 'wg', 'f32', [64, 64])
      const a = yield* B.sharedMemory('a', 'f16', [64, 16], operand)
      const b = yield* B.sharedMemory('b', 'f16', [16, 64], operand)
      for (const scaleD of [X.i1(false), X.i1(true)])
        yield* B.run('wgmma', {
          _tag: 'wgmma.mma',
          accumulator: acc,
          a,
          b,
          scaleD,
          negateA: false,
          negateB: false,
        })
    })
    expect(seen).toEqual([['0:1'], ['0:1/all.0', '0:2'], ['0:1/all.0'], ['0:2/all.0']])
  })

  test('an arrive behind cp.async waits for every copy before it, not for those after it', () => {
    const seen = stages(function* () {
      const a = yield* B.tensorParam('a', 'f32', [4], { role: 'in' })
      const to = yield* B.sharedMemory('to', 'f32', [4])
      const bar = yield* B.barriers('bar', [])
      const source = X.addptr(X.splat<{ readonly ptr: 'f32' }, 1>(a.ptr, [4]), X.iota<1>([4], 0))
      yield* B.run('init', { _tag: 'mbarrier.init', barrier: bar, count: 1 })
      yield* B.run('copy', { _tag: 'cpAsync.copy', source, destination: to })
      yield* B.run('arrive', { _tag: 'mbarrier.cpAsyncArrive', barrier: bar, noIncrement: true })
      yield* B.run('copy', { _tag: 'cpAsync.copy', source, destination: to })
      yield* B.run('wait', {
        _tag: 'mbarrier.wait',
        barrier: bar,
        parity: X.i32(0),
        acquire: true,
        scope: 'cta',
      })
    })
    expect(seen.slice(3)).toEqual([
      ['0:2/all.0', '0:4'],
      ['0:2/all.0', '0:4/all.0'],
      ['0:3/all.0', '0:4/all.0'],
      ['0:4/all.0', '0:5'],
      ['0:4/all.0'],
    ])
  })
})

test('an arrive behind cp.async that asks for itself leaves the phase as it was: the increment now, the arrival later', () => {
  const program = solo(function* () {
    const bar = yield* B.barriers('bar', [])
    yield* B.run('init', { _tag: 'mbarrier.init', barrier: bar, count: 1 })
    yield* B.run('arrive', { _tag: 'mbarrier.cpAsyncArrive', barrier: bar, noIncrement: false })
  })
  const l = launched(program, unit)
  const { world } = l
  let m = l.machine
  const pending: number[] = []
  while (offered(world, m).length > 0) {
    const done = step(world)(offered(world, m)[0]!.key)(m)
    if (done._tag === 'Left') throw new Error(done.left.message)
    m = done.right[1]
    pending.push(m.barriers[0]!.pending)
  }
  expect(pending).toEqual([1, 2, 1])
  expect(m.barriers[0]).toEqual({ completed: 0, expected: 1, pending: 1, tx: 0 })
})

test('a join waits for every branch, and orders control only: operations may still be in flight', () => {
  const program = right(
    B.kernel(
      { name: 'forked', arch: 'sm90a', grid: [1], agents: [B.warpgroup('parent', 0), B.warp('child', 4)] },
      function* () {
        const out = yield* B.tensorParam('out', 'f16', [8, 64], { role: 'out' })
        const map = yield* B.descriptorParam('map', out, [8, 64])
        const source = yield* B.sharedMemory('source', 'f16', [8, 64])
        yield* B.fork('fork', { agent: 'parent', captures: {}, body: () => B.of(undefined) }, [
          B.branch('child', { source }, function* (c) {
            yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
            yield* B.run('store', {
              _tag: 'tma.store',
              descriptor: map,
              coords: [X.i32(0), X.i32(0)],
              source: c.source,
            })
          }),
        ])
      },
    ),
  )
  const l = launched(program, unit)
  const { result, schedule } = logged(l, Policy.lazy)
  // 0:1 fork, 1:1 fence, 1:2 store, 0:2 join, then the store
  expect(schedule.map(showKey)).toEqual(['0:1', '1:1', '1:2', '0:2', '1:2/read.0', '1:2/write.0'])
  expect(result.filter((e) => e._tag === 'join' || e._tag === 'fork').length).toBe(2)
  expect(logged(l, Policy.starvingAgent(1, 1)).schedule.map(showKey).slice(0, 2)).toEqual(['0:1', '1:1'])
})

describe('what blocks stands in the log', () => {
  test('waits of every kind, and nothing of agents that are done', () => {
    const program = right(
      B.kernel(
        {
          name: 'blocked',
          arch: 'sm90a',
          cluster: [1],
          grid: [1],
          agents: [B.warp('a', 0), B.warp('b', 1), B.warp('c', 2), B.warp('d', 3)],
        },
        function* () {
          const bar = yield* B.barriers('bar', [])
          const me = (k: number): X.Condition => X.eq(X.place('agent'), X.i32(k))
          yield* B.ifThen('a', me(0), function* () {
            yield* B.run('wait', {
              _tag: 'mbarrier.wait',
              barrier: bar,
              parity: X.i32(1),
              acquire: true,
              scope: 'cta',
            })
          })
          yield* B.ifThen('b', me(1), function* () {
            yield* B.run('sync', { _tag: 'bar.sync', id: 1, count: 64 })
          })
          yield* B.ifThen('c', me(2), function* () {
            yield* B.run('arrive', { _tag: 'cluster.arrive', relaxed: false })
            yield* B.run('wait', { _tag: 'cluster.wait' })
          })
        },
      ),
    )
    const l = launched(program, unit)
    const { machine, outcome } = logged(l, Policy.eager)
    expect(outcome).toEqual({ _tag: 'stuck' })
    expect(blockedEvents(l.world, machine)).toMatchObject([
      { _tag: 'wait', outcome: 'blocked', parity: 1, stamp: { agent: 0, at: 1 } },
      { _tag: 'rendezvous', kind: 'blocked', id: 1, count: 64, threads: 32, stamp: { agent: 1, at: 2 } },
      { _tag: 'rendezvous', kind: 'blocked', id: 16, stamp: { agent: 2, at: 2 } },
    ])
  })
})

describe('what blocks stands in the log, for whatever else one can wait', () => {
  const stuck = (agents: ReadonlyArray<Agent>, body: () => B.Steps<void>): ReadonlyArray<LogEvent> => {
    const program = right(
      B.kernel({ name: 'blocked', arch: 'sm90a', agents }, function* () {
        yield* body()
      }),
    )
    // counters begin at nothing
    const l = launched(program, unit, { tensors: new Map() })
    const { machine, outcome } = logged(l, Policy.eager)
    expect(outcome).toEqual({ _tag: 'stuck' })
    return blockedEvents(l.world, machine)
  }
  test('a semaphore', () => {
    const events = stuck([B.warp('a', 0)], function* () {
      const c = yield* B.tensorParam('c', 'i32', [1], { role: 'inout' })
      yield* B.run('signal', { _tag: 'semaphore.signal', at: c.ptr, value: X.i32(2), scope: 'gpu' })
      yield* B.run('wait', {
        _tag: 'semaphore.wait',
        at: c.ptr,
        value: X.i32(3),
        decrement: false,
        scope: 'gpu',
      })
    })
    expect(events).toMatchObject([
      {
        _tag: 'semaphore',
        kind: 'wait',
        value: 3,
        before: 2,
        outcome: 'blocked',
        stamp: { agent: 0, at: 2 },
      },
    ])
  })
  test('registers', () => {
    const events = stuck([B.warpgroup('a', 0), B.warpgroup('b', 1), B.warpgroup('c', 2)], function* () {
      yield* B.ifThen('first', X.eq(X.place('agent'), X.i32(0)), function* () {
        yield* B.run('more', { _tag: 'setMaxRegisters', count: 240, action: 'increase' })
      })
    })
    expect(events).toMatchObject([{ _tag: 'registers', count: 240, blocked: true, stamp: { agent: 0 } }])
  })
  test('the other branch of a fork is no wait of its own', () => {
    const agents = [B.warp('a', 0), B.warp('b', 1)]
    const events = stuck(agents, function* () {
      yield* B.fork('fork', { agent: 'a', captures: {}, body: () => B.of(undefined) }, [
        B.branch('b', {}, function* () {
          yield* B.run('sync', { _tag: 'bar.sync', id: 2, count: 64 })
        }),
      ])
    })
    // a stands at the join, b at the barrier
    expect(events).toMatchObject([{ _tag: 'rendezvous', kind: 'blocked', id: 2, stamp: { agent: 1, at: 2 } }])
  })
})

describe('who can go on, by hand', () => {
  /** Three agents a CTA, two CTAs; those are running that are named. */
  const world = { agentsPerCta: 3 } as unknown as World
  const machineOf = (running: ReadonlyArray<number>, more: object = {}): Machine =>
    ({
      agents: Array.from({ length: 6 }, (_, k) => ({
        ...idle,
        status: (running.includes(k) ? 'running' : 'done') satisfies Status,
      })),
      inFlight: [],
      ...more,
    }) as unknown as Machine
  /** agent 1 of each CTA has forked 0 and 2 */
  const childrenOf = (agent: number): ReadonlyArray<number> => [agent - 1, agent + 1]
  const rows: ReadonlyArray<
    readonly [what: string, agent: number, running: ReadonlyArray<number>, is: boolean]
  > = [
    ['nobody runs', 1, [], false],
    ['the parent itself does', 1, [1], false],
    ['its first child', 1, [0], true],
    ['its last child', 1, [2], true],
    ['both', 1, [0, 2], true],
    ['children of the other CTA', 1, [3, 5], false],
    ['its own, in the other CTA', 4, [5], true],
    ['those of the first, asked by the other', 4, [0, 2], false],
  ]
  test.each(rows)('a fork and a join wait for the other branches: %s', (_, agent, running, is) => {
    for (const _tag of ['fork', 'join']) {
      const ready = { _tag, children: childrenOf(agent) } as unknown as Ready
      expect(blocked(world, machineOf(running), agent, ready)).toBe(is)
    }
    expect(blocked(world, machineOf(running), agent, { _tag: 'fault' } as unknown as Ready)).toBe(false)
    const fence = { _tag: 'do', prepared: { _tag: 'fence' } } as unknown as Ready
    expect(blocked(world, machineOf(running), agent, fence)).toBe(false)
  })
  test('a machine is finished when nobody runs and nothing is in flight', () => {
    const flying = { inFlight: [{ _tag: 'stAsync' }] }
    expect(finished(machineOf([]))).toBe(true)
    expect(finished(machineOf([5]))).toBe(false)
    expect(finished(machineOf([], flying))).toBe(false)
    expect(finished(machineOf([0, 1, 2, 3, 4, 5], flying))).toBe(false)
  })
  test('products are offered with what they multiply, copies with their bytes', () => {
    const mma = { m: 128, n: 64, k: 16, shares: [{}, {}] }
    const one = (f: object): Offered =>
      offered(world, machineOf([], { inFlight: [{ agent: 4, at: 7, id: 0, ...f }] }))[0]!
    const figures = (f: object): ReadonlyArray<unknown> => {
      const o = one(f)
      return [o.unit, o.bytes, o.macs, showKey(o.key), o.operation?._tag, o.ready]
    }
    expect(figures({ _tag: 'wgmma', mma, group: 1 })).toEqual([
      'wgmma',
      0,
      128 * 64 * 16,
      '4:7/all.0',
      'wgmma',
      null,
    ])
    expect(figures({ _tag: 'stAsync', stage: 'signal', bytes: 48 })).toEqual([
      'stAsync',
      48,
      0,
      '4:7/signal.0',
      'stAsync',
      null,
    ])
    // each CTA of a pair multiplies its own rows with all columns
    expect(figures({ _tag: 'tcgen05', mma }).slice(0, 3)).toEqual(['tcgen05', 0, 2 * 128 * 64 * 16])
  })
})

describe('what goes no further', () => {
  test('a trap: where, and whose', () => {
    const program = right(
      B.kernel({ name: 'trap', arch: 'sm90a', agents: [B.warp('a', 0), B.warp('b', 1)] }, function* () {
        yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
        yield* B.ifThen('second', X.eq(X.place('agent'), X.i32(1)), function* () {
          yield* B.run('stop', { _tag: 'trap' })
        })
      }),
    )
    const l = launched(program, unit)
    const { outcome } = logged(l, Policy.eager)
    expect(outcome).toEqual({
      _tag: 'fault',
      fault: {
        kind: 'invalid',
        code: 'trap',
        message: 'the program traps here',
        site: l.world.header.sites.findIndex((s) => s.label === 'stop'),
        agent: 1,
      },
    })
    expect(logged(l, Policy.eager).result.flatMap((e) => (e._tag === 'exit' ? [e.agent] : []))).toEqual([0])
  })
  test('an event that the agent does not have is the fault of whoever asks for it', () => {
    const l = launched(
      solo(() => B.of(undefined)),
      unit,
    )
    const nothing = {
      key: { agent: 0, at: 1, stage: 'agent', part: 0 },
      operation: null,
    } as unknown as Offered
    expect(take(l.world, l.machine, nothing)).toEqual({
      kind: 'crash',
      code: 'crash',
      message: 'agent 0 has nothing to do',
      site: 0,
      agent: 0,
    })
    expect(step(l.world)({ agent: 3, at: 1, stage: 'agent', part: 0 })(l.machine)).toEqual(
      E.left({
        kind: 'invalid',
        code: 'schedule.not-offered',
        message: 'event 3:1 is not offered here',
        site: 0,
        agent: 3,
      }),
    )
  })
})

test('stamps: agent, place in its program order, round of each loop; the end of those that start', () => {
  const program = right(
    B.kernel({ name: 'rounds', arch: 'sm90a', agents: [B.warp('a', 0), B.warp('b', 1)] }, function* () {
      yield* B.forRange({ label: 'i', from: X.i32(0), to: X.i32(2) }, function* () {
        yield* B.run('in i', { _tag: 'fence.proxyAsync', scope: 'cta' })
        yield* B.forRange({ label: 'j', from: X.i32(0), to: X.i32(2) }, function* () {
          yield* B.run('in j', { _tag: 'fence.proxyAsync', scope: 'cta' })
        })
      })
      yield* B.fork('fork', { agent: 'a', captures: {}, body: () => B.of(undefined) }, [
        B.branch('b', {}, function* () {
          yield* B.run('in b', { _tag: 'fence.proxyAsync', scope: 'cta' })
        }),
      ])
      yield* B.run('after', { _tag: 'fence.proxyAsync', scope: 'cta' })
    }),
  )
  const l = launched(program, unit)
  const { result } = logged(l, Policy.eager)
  const told = result.flatMap((e) =>
    'stamp' in e
      ? [
          [
            e._tag === 'fence' ? l.world.header.sites[e.stamp.site]!.label : e._tag,
            e.stamp.agent,
            e.stamp.at,
            e.stamp.iteration.join(),
          ].join(' '),
        ]
      : e._tag === 'exit'
        ? [`exit ${String(e.agent)}`]
        : [],
  )
  expect(told).toEqual([
    'in i 0 1 0',
    'in j 0 2 0,0',
    'in j 0 3 0,1',
    'in i 0 4 1',
    'in j 0 5 1,0',
    'in j 0 6 1,1',
    'fork 0 7 ',
    'in b 1 1 ',
    'join 0 8 ',
    'after 0 9 ',
    // b was forked: it has no end of its own
    'exit 0',
  ])
})
