/** Runs: with the edit token or without, recorded and replayed, complete, stuck, out of fuel. */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Fold } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Do, Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import {
  both,
  collect,
  collectUpTo,
  heard,
  ignore,
  run,
  settings,
} from '../../../src/semantics/execution/run.js'
import { defaults, detector } from '../../../src/semantics/judging/detector/index.js'
import { showKeys } from '../../../src/semantics/files/schedule.js'
import { offered, readKey } from '../../../src/semantics/execution/step.js'
import { agentEvents, contents, launched, logged, matmul, solo } from '../machine/machine-samples.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const small = matmul({ n: 128, k: 48 })
const algebras = [unit, bits('hopper'), real64]

describe.each(algebras)('hopper-matmul in $name', (algebra) => {
  const l = launched(small, algebra)

  test('law 1: a run that overwrites its pages equals one that copies, event for event and byte for byte', () => {
    for (const policy of [Policy.lazy, Policy.seeded(7)]) {
      const transient = logged(l, policy, true)
      const persistent = logged(l, policy, false)
      expect(transient.result).toEqual(persistent.result)
      expect(transient.schedule).toEqual(persistent.schedule)
      expect(contents(transient.machine)).toEqual(contents(persistent.machine))
      expect({ ...transient.machine, planes: [] }).toEqual({ ...persistent.machine, planes: [] })
    }
  })

  test('law 1: nothing that a run does is seen in the machine it started from, nor in what an earlier run left', () => {
    const start = contents(l.machine)
    const first = logged(l, Policy.eager)
    const left = contents(first.machine)
    logged({ world: l.world, machine: l.machine }, Policy.lazy)
    expect(contents(l.machine)).toEqual(start)
    expect(contents(first.machine)).toEqual(left)
    expect(first.machine.edit).toBeNull()
  })

  test('a recorded schedule, through text, replays identically', () => {
    const ran = logged(l, Policy.seeded(11))
    const keys = showKeys(ran.schedule)
      .split(' ')
      .map((text) => readKey(text)!)
    const again = logged(l, Policy.recorded(keys))
    expect(again.result).toEqual(ran.result)
    expect(again.schedule).toEqual(ran.schedule)
    expect(contents(again.machine)).toEqual(contents(ran.machine))
  })
})

test('a schedule that asks for what is not on offer is refused where it does', () => {
  const l = launched(small, unit)
  const { schedule } = logged(l, Policy.seeded(2))
  const broken = [...schedule.slice(0, 20), { agent: 1, at: 9999, stage: 'agent' as const, part: 0 }]
  const ran = logged(l, Policy.recorded(broken))
  expect(ran.outcome).toMatchObject({ _tag: 'refused', key: broken[20] })
  expect(ran.steps).toBe(20)
  // and it is said what is on offer there
  if (ran.outcome._tag === 'refused')
    expect(ran.outcome.offered).toEqual(offered(l.world, ran.machine).map(({ key }) => key))
})

const seeds = nightly ? 200 : 12
test(`the same work under every schedule: eager, lazy, in turn, starving and ${String(seeds)} seeds give one output and one set of events`, () => {
  const one = matmul({ m: 64, n: 64, k: 64 })
  const inUnit = launched(one, unit)
  const reference = logged(inUnit, Policy.eager)
  const events = agentEvents(reference.result)
  const others = [
    Policy.lazy,
    Policy.roundRobin,
    Policy.starvingAgent(0, 1),
    Policy.starvingAgent(1, 1),
    Policy.starvingOperation(1, 4, 1),
    ...Array.from({ length: seeds }, (_, seed) => Policy.seeded(seed)),
  ]
  const schedules = new Set<string>()
  for (const policy of others) {
    const ran = logged(inUnit, policy)
    expect(ran.outcome).toEqual({ _tag: 'completed' })
    expect(agentEvents(ran.result)).toEqual(events)
    expect(ran.result.length).toBe(reference.result.length)
    schedules.add(showKeys(ran.schedule))
  }
  expect(schedules.size).toBeGreaterThan(0.95 * seeds)

  const inBits = launched(one, bits('hopper'))
  const output = (policy: Policy.AnyPolicy): Float64Array | null =>
    readTensor(inBits.world, run(inBits.world, inBits.machine, settings(policy), ignore).machine, 'out')
  const expected = output(Policy.eager)
  expect(expected!.some((x) => x !== 0 && x !== 0xffff)).toBe(true)
  for (const policy of others.filter((_, k) => k < 5 || k % 20 === 0))
    expect(output(policy)).toEqual(expected)
})

test('in real64 the matmul is the matmul', () => {
  const l = launched(small, real64)
  const { machine } = run(l.world, l.machine, settings(Policy.seeded(1)), ignore)
  const [a, b, out] = ['a', 'b', 'out'].map((name) => readTensor(l.world, machine, name)!)
  const expected = Float64Array.from({ length: 128 * 128 }, (_, i) => {
    let sum = 0
    for (let k = 0; k < 48; k++) sum += a![Math.floor(i / 128) * 48 + k]! * b![k * 128 + (i % 128)]!
    return sum
  })
  expect(out).toEqual(expected)
})

/** The program with every `Do` that `f` names taken out. */
const without = (program: Program, f: (s: Do) => boolean): Program => {
  const region = (r: Region): Region => ({ ...r, body: r.body.flatMap(statement) })
  const statement = (s: Stmt): ReadonlyArray<Stmt> => {
    switch (s._tag) {
      case 'Let':
        return [s]
      case 'Do':
        return f(s) ? [] : [s]
      case 'For':
        return [{ ...s, body: region(s.body) }]
      case 'While':
        return [{ ...s, before: region(s.before), after: region(s.after) }]
      case 'If':
        return [{ ...s, then: region(s.then), else: region(s.else) }]
      case 'Fork':
        return [{ ...s, branches: s.branches.map((b) => ({ ...b, body: region(b.body) })) }]
    }
  }
  return { ...program, entry: region(program.entry) }
}

describe('runs that do not complete', () => {
  test('a dropped arrive: stuck, the blocked agents at the end of the log', () => {
    const deadlocked = without(small, (s) => s.site.label === 'arrive consumed')
    const l = launched(deadlocked, unit)
    for (const policy of [Policy.eager, Policy.lazy, Policy.seeded(1)]) {
      const ran = logged(l, policy)
      expect(ran.outcome).toEqual({ _tag: 'stuck' })
      // behind them, what stands ahead of the blocked agents
      const blocked = ran.result.filter((e) => e._tag !== 'ahead').slice(-2)
      const site = (k: number): string => l.world.header.sites[k]!.label
      expect(
        blocked.map((e) => [e._tag, 'outcome' in e ? e.outcome : '', 'stamp' in e ? site(e.stamp.site) : '']),
      ).toEqual([
        ['wait', 'blocked', 'wait loaded'],
        ['wait', 'blocked', 'wait consumed'],
      ])
      expect(ran.result.filter((e) => e._tag === 'wait' && e.outcome === 'blocked').length).toBe(2)
      expect(ran.clusters).toBe(1)
    }
  })

  test('fuel bounds the steps', () => {
    const l = launched(small, unit)
    const ran = run(l.world, l.machine, { ...settings(Policy.eager), fuel: 17 }, ignore)
    expect([ran.outcome._tag, ran.steps]).toEqual(['outOfFuel', 17])
  })

  test('a fault ends the run and names its statement', () => {
    const program = solo(function* () {
      const x = yield* B.sharedMemory('x', 'f32', [4])
      const slots = yield* B.sharedMemory('slots', 'f32', [2, 4])
      const n = yield* B.scalarParam('n', 'i32')
      const v = yield* B.smemLoad('v', x)
      yield* B.run('write', { _tag: 'smem.store', destination: X.slot(slots, n), value: v })
    })
    const l = launched(program, unit, { scalars: new Map([['n', 2]]) })
    const ran = logged(l, Policy.eager)
    expect(ran.outcome).toMatchObject({ _tag: 'fault', fault: { kind: 'invalid', code: 'I2', agent: 0 } })
    if (ran.outcome._tag === 'fault')
      expect(l.world.header.sites[ran.outcome.fault.site]!.label).toBe('write')
    expect(ran.result.map((e) => e._tag)).toEqual(['cluster', 'access'])
  })
})

test('clusters run one after another on one global memory, everything else fresh', () => {
  const l = launched(small, bits('hopper'))
  const ran = logged(l, Policy.seeded(4))
  expect(ran.clusters).toBe(4)
  expect(ran.result.filter((e) => e._tag === 'cluster')).toEqual(
    [0, 1, 2, 3].map((id) => ({ _tag: 'cluster', id })),
  )
  // operations are numbered densely, in the order of issue, in every cluster
  let next = 0
  for (const e of ran.result) {
    if (e._tag === 'cluster') next = 0
    if (e._tag === 'issue') expect(e.operation).toBe(next++)
  }
})

test('a cluster finds shared memory as nobody has written it', () => {
  const program = right(
    B.kernel({ name: 'stale', arch: 'sm90a', grid: [2], agents: [B.warpgroup('wg', 0)] }, function* () {
      const out = yield* B.tensorParam('out', 'i32', [2, 4], { role: 'out' })
      const x = yield* B.sharedMemory('x', 'i32', [4])
      const found = yield* B.smemLoad('found', x)
      yield* B.run('write', { _tag: 'smem.store', destination: x, value: X.iota<1>([4], 0) })
      const row = X.slot(out.view, X.place('programId', 0))
      yield* B.run('write out', { _tag: 'gmem.store', destination: row, value: found })
    }),
  )
  const l = launched(program, bits('hopper'))
  const { machine } = logged(l, Policy.eager)
  expect([...readTensor(l.world, machine, 'out')!]).toEqual(new Array(8).fill(-1))
})

describe('fuel', () => {
  const l = launched(small, unit)
  const whole = logged(l, Policy.eager)
  const of = (fuel: number): readonly [string, number, number] => {
    const ran = run(l.world, l.machine, { ...settings(Policy.eager), fuel }, ignore)
    return [ran.outcome._tag, ran.steps, ran.clusters]
  }
  test('is spent by events, and by clusters that are done', () => {
    expect(whole.clusters).toBe(4)
    // the last event is taken while three clusters are done
    expect(of(whole.steps + 3)).toEqual(['completed', whole.steps, 4])
    expect(of(whole.steps + 2)).toEqual(['outOfFuel', whole.steps - 1, 4])
    expect(of(0)).toEqual(['outOfFuel', 0, 1])
  })
  test('a run that has none left does not begin another cluster', () => {
    const first = whole.result.findIndex((e, i) => i > 0 && e._tag === 'cluster')
    const steps = whole.schedule.length
    const perCluster = steps / 4
    expect(first).toBeGreaterThan(0)
    // all clusters do the same
    expect(of(perCluster + 1)).toEqual(['outOfFuel', perCluster, 1])
    expect(of(perCluster + 2)).toEqual(['outOfFuel', perCluster + 1, 2])
  })
  test('what is computed is limited with it, and the limit of before comes back', () => {
    const { effort } = l.world
    const outer = effort.limit
    effort.limit = effort.spent + 1
    expect(of(1_000_000)[0]).toBe('outOfFuel')
    expect(effort.limit).toBeLessThan(outer)
    effort.limit = outer
    expect(of(1_000_000)).toEqual(['completed', whole.steps, 4])
    expect(effort.limit).toBe(outer)
  })
})

describe('settings', () => {
  const l = launched(small, unit)
  test('no schedule is kept unless it is asked for; standard fuel; pages are overwritten', () => {
    expect(settings(Policy.eager)).toMatchObject({ fuel: 10_000_000, keepSchedule: false, transient: true })
    expect(settings(Policy.eager).progress).toBeUndefined()
    expect(run(l.world, l.machine, settings(Policy.eager), ignore).schedule).toEqual([])
    const { schedule, steps } = run(l.world, l.machine, settings(Policy.eager, true), ignore)
    expect(schedule.length).toBe(steps)
  })
  test('progress is told after every wave, of the clusters that have begun', () => {
    const told = (resident: number): ReadonlyArray<readonly [number, number]> => {
      const out: (readonly [number, number])[] = []
      const here = launched(small, unit, { resident })
      const progress = (done: number, of: number): void => {
        out.push([done, of])
      }
      run(here.world, here.machine, { ...settings(Policy.eager), progress }, ignore)
      return out
    }
    expect(told(1)).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ])
    expect(told(3)).toEqual([
      [3, 4],
      [4, 4],
    ])
  })
})

describe('a fold that can hear no more', () => {
  const l = launched(matmul({ n: 128, k: 192 }), unit)
  const full = (after: number): Fold<{ heard: number }, number> => ({
    init: () => ({ heard: 0 }),
    observe: (s) => {
      s.heard++
      return s
    },
    finish: (s) => s.heard,
    exhausted: (s) => s.heard > after,
  })
  test('ends the run at the next event of 256, as if its fuel were spent', () => {
    const ran = run(l.world, l.machine, settings(Policy.eager), full(0))
    expect([ran.outcome._tag, ran.steps]).toEqual(['outOfFuel', 256])
    expect(ran.result).toBeGreaterThan(0)
    const heard = run(l.world, l.machine, settings(Policy.eager), full(ran.result))
    expect(heard.steps).toBeGreaterThan(256)
    const all = run(l.world, l.machine, settings(Policy.eager), full(Infinity))
    expect(all.outcome._tag).toBe('completed')
    // one that does not say so hears everything
    expect(run(l.world, l.machine, settings(Policy.eager), collect).result.length).toBe(all.result)
  })
  test('law 4: a fold that reads the log later is that of the run; one that would have ended the run does not read it', () => {
    const one = run(l.world, l.machine, settings(Policy.eager, true), collect)
    const log = Object.assign({ spent: 0 }, one)
    const { header } = l.world
    const watching = detector(defaults)
    const there = run(l.world, l.machine, settings(Policy.eager, true), both(watching, collect))
    const later = heard(log, header, both(watching, collect))
    expect(later?.result).toEqual(there.result)
    expect(later).toMatchObject({ outcome: there.outcome, steps: there.steps, clusters: there.clusters })
    expect(showKeys(later!.schedule)).toBe(showKeys(there.schedule))
    expect(heard(log, header, full(one.result.length - 1))).toBeNull()
    expect(heard(log, header, full(one.result.length))?.result).toBe(one.result.length)
    const upTo = (most: number) =>
      run(l.world, l.machine, settings(Policy.eager), collectUpTo(most)).result?.length ?? null
    expect([upTo(one.result.length), upTo(one.result.length - 1), upTo(0)]).toEqual([
      one.result.length,
      null,
      null,
    ])
  })
  test('of two folds either one', () => {
    const steps = <S, R>(fold: Fold<S, R>): number =>
      run(l.world, l.machine, settings(Policy.eager), fold).steps
    const whole = steps(ignore)
    expect(whole).toBeGreaterThan(256)
    expect([steps(both(full(0), ignore)), steps(both(ignore, full(0)))]).toEqual([256, 256])
    expect([steps(both(full(0), full(Infinity))), steps(both(full(Infinity), full(0)))]).toEqual([256, 256])
    expect(steps(both(full(Infinity), ignore))).toBe(whole)
    expect(steps(both(ignore, ignore))).toBe(whole)
  })
})

test('both: two folds over one log', () => {
  const l = launched(small, unit)
  const ran = run(l.world, l.machine, settings(Policy.eager), both(collect, collect))
  expect(ran.result[0]).toEqual(ran.result[1])
  expect(ran.result[0]).toEqual(logged(l, Policy.eager).result)
})
