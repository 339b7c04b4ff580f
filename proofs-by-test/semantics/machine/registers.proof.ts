/**
 * Registers of a warpgroup, and arrivals of cp.async that ask for themselves: what is offered, what blocks, what faults, what the log's reader says.
 */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import { blocked, execute } from '../../../src/semantics/instructions/set-max-registers.js'
import { atLaunch, fits, inUse, needs, withCount } from '../../../src/semantics/machine/registers.js'
import { registerFile } from '../../../src/semantics/language/limits.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Agent, Program } from '../../../src/semantics/language/program.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { launched, logged } from './machine-samples.js'
import { right } from '../../either.js'

const verdictOf = (program: Program, policy: Policy.AnyPolicy = Policy.eager): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      policy,
      provenance: false,
      explore: false,
      explain: false,
      fuel: 1e5,
    }),
  ).verdict

const three: ReadonlyArray<Agent> = [B.warpgroup('a', 0), B.warpgroup('b', 1), B.warpgroup('c', 2)]

describe('the register file', () => {
  test('law 1: by hand, 384 threads', () => {
    const start = atLaunch(three)
    expect(start.slice(0, 13)).toEqual([...new Array<number>(12).fill(168), 0])
    expect(inUse(start, 0)).toBe(64_512)
    const after = [40, 232, 232].reduce((r, count, i) => withCount(r, 0, three[i]!, count), start)
    expect(inUse(after, 0)).toBe(64_512)
    expect(inUse(atLaunch([B.warpgroup('a', 0, 240), B.warpgroup('b', 1)]), 0)).toBe(63_488)
    expect(registerFile).toBe(65_536)
  })

  test('shares by hand: what is asked for, then what is left in steps of 8, at most 256', () => {
    const of = (...agents: ReadonlyArray<Agent>): ReadonlyArray<number> => {
      const start = atLaunch(agents)
      expect(start).toHaveLength(32)
      return agents.map((a) => start[a.firstWarp]!)
    }
    // one warp could have 2048, one warpgroup 512
    expect(of(B.warp('w', 0))).toEqual([256])
    expect(of(B.warpgroup('a', 0))).toEqual([256])
    // 65,536 / 640 = 102.4
    expect(of(...[0, 1, 2, 3, 4].map((k) => B.warpgroup(`g${String(k)}`, k)))).toEqual([96, 96, 96, 96, 96])
    // (65,536 - 128 * 240) / 256 = 136
    expect(of(B.warpgroup('a', 0, 240), B.warpgroup('b', 1), B.warpgroup('c', 2))).toEqual([240, 136, 136])
    // nothing is left, or less than nothing
    expect(of(B.warpgroup('a', 0, 256), B.warpgroup('b', 1, 256), B.warp('w', 8))).toEqual([256, 256, 0])
    expect(of(B.warpgroup('a', 0, 256), B.warpgroup('b', 1, 264), B.warp('w', 8))).toEqual([256, 264, 0])
    // a warp that two agents name: what the smaller one asks for, else what the larger does; else the share
    const all = B.warpgroup('all', 0, 120)
    expect(of(all, { ...B.warp('one', 1), registers: 40 })).toEqual([120, 40])
    expect(of({ ...B.warp('one', 1), registers: 40 }, all)).toEqual([40, 120])
    expect(of(all, B.warp('one', 1))).toEqual([120, 120])
    expect(of(B.warpgroup('all', 0), { ...B.warp('one', 1), registers: 40 })).toEqual([256, 40])
  })
  test('a change is of the warps of one agent in one CTA, and takes or gives words by the thread', () => {
    const [a, b] = [B.warpgroup('a', 0), B.warpgroup('b', 1)]
    const two = [...atLaunch([a, b]), ...atLaunch([a, b])]
    expect([inUse(two, 0), inUse(two, 1)]).toEqual([65_536, 65_536])
    const less = withCount(two, 1, b, 40)
    expect(less.map((r, w) => (r === two[w] ? null : [w, r])).filter((x) => x !== null)).toEqual([
      [36, 40],
      [37, 40],
      [38, 40],
      [39, 40],
    ])
    expect([inUse(less, 0), inUse(less, 1)]).toEqual([65_536, 65_536 - 128 * 216])
    expect([needs(less, 1, a, 232), needs(less, 1, b, 232), needs(less, 0, b, 232)]).toEqual([
      -24 * 128,
      192 * 128,
      -24 * 128,
    ])
    // 216 registers a thread are free in CTA 1, none in CTA 0
    expect([471, 472, 473].map((count) => fits(less, 1, a, count, 65_536))).toEqual([true, true, false])
    expect([256, 257].map((count) => fits(less, 0, a, count, 65_536))).toEqual([true, false])
  })

  const change = (label: string, count: number, action: 'increase' | 'decrease'): B.Build<void> =>
    B.run(label, { _tag: 'setMaxRegisters', count, action })
  const roles = (producer: B.Build<void>, consumer: B.Build<void>, agents = three): Program =>
    right(
      B.kernel({ name: 'roles', arch: 'sm90a', agents }, function* () {
        yield* B.ifThen(
          'producer',
          X.eq(X.place('warp'), X.i32(0)),
          function* () {
            yield* producer
          },
          function* () {
            yield* consumer
          },
        )
      }),
    )
  test('law 2: to take more waits until another has given back, whatever the schedule', () => {
    const program = roles(change('give', 40, 'decrease'), change('take', 232, 'increase'))
    for (const policy of [Policy.eager, Policy.lazy, ...[1, 2, 3, 4].map((s) => Policy.seeded(s))]) {
      const ran = logged(launched(program, unit), policy)
      expect(ran.outcome._tag).toBe('completed')
      const at = (agent: number): number =>
        ran.result.findIndex((e) => e._tag === 'registers' && e.stamp.agent === agent)
      expect(at(0)).toBeLessThan(Math.max(at(1), at(2)))
      expect(inUse(ran.machine.registers, 0)).toBe(64_512)
      expect(verdictOf(program, policy)).toMatchObject({ verdict: 'ok' })
    }
  })
  test('nobody gives back: a deadlock that says how many words are missing', () => {
    const v = verdictOf(roles(B.of(undefined), change('take', 232, 'increase')))
    expect([v.verdict, v.findings.map((f) => f.id)]).toEqual(['deadlock', ['B5']])
    // 64 more for 128 threads are 8,192 words, and the CTA was given 64,512, all of them in use
    expect(v.waitFor.join()).toContain('the register file of its CTA: has 0 of 8192, 8192 missing')
  })
  test('a decrease to more, or an increase to fewer, is A2', () => {
    for (const bad of [change('give', 200, 'decrease'), change('take', 24, 'increase')]) {
      const { outcome } = logged(launched(roles(bad, B.of(undefined)), unit), Policy.eager)
      expect(outcome).toMatchObject({ _tag: 'fault', fault: { kind: 'invalid', code: 'A2' } })
    }
  })
  test('one change by itself, in CTA 1: who waits, who is refused, what a thread has after it', () => {
    const { world, machine } = launched(
      right(
        B.draft({ name: 'roles', arch: 'sm90a', grid: [2], cluster: [2], agents: three }, () =>
          B.of(undefined),
        ),
      ),
      unit,
    )
    // CTA 1 has agents 3, 4 and 5; each thread has 168 registers, all that the CTA was given
    const once = (agent: number, count: number, action: 'increase' | 'decrease'): ReadonlyArray<unknown> => {
      const p = { _tag: 'setMaxRegisters', count, action } as const
      const x = { world, agent, stamp: { agent, at: 1, site: 0, iteration: [] } }
      const done = execute(x, machine, p)
      const waits = blocked(world, agent, machine, p)
      if (isFault(done)) return [waits, done.code]
      const { registers } = done.machine
      const [first] = done.events
      // by warpgroup of both CTAs
      const threads = [0, 4, 8, 32, 36, 40].map((warp) => registers[warp])
      return [waits, threads, first?._tag === 'registers' ? [first.needs, first.free] : null]
    }
    expect(once(4, 40, 'decrease')).toEqual([false, [168, 168, 168, 168, 40, 168], [-16_384, 0]])
    // the 1,024 words that the file has beyond are not the CTA's: an H100 waits for ever
    expect(once(5, 176, 'increase')[0]).toBe(true)
    expect(once(3, 168, 'increase')).toEqual([false, [168, 168, 168, 168, 168, 168], [0, 0]])
    expect(once(3, 168, 'decrease')).toEqual([false, [168, 168, 168, 168, 168, 168], [0, 0]])
    expect(once(3, 160, 'increase')).toEqual([false, 'A2'])
    expect(once(3, 176, 'decrease')).toEqual([false, 'A2'])
    // to give back never waits, even where more is asked for than there is
    expect(once(3, 232, 'decrease')).toEqual([false, 'A2'])
  })
  test('run by whole warpgroups only', () => {
    const one = B.kernel({ name: 'k', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
      yield* change('give', 40, 'decrease')
    })
    expect(one).toMatchObject({ _tag: 'Left', left: { code: 'mma.agent' } })
  })
})

describe('cp.async that arrives by itself', () => {
  /** A copies x and arrives behind the copies; B waits and reads. `counted`: the barrier counts A's own arrive besides. */
  const copy = (o: {
    readonly noIncrement: boolean
    readonly count: number
    readonly arrives: 'before' | 'after' | 'other' | 'never'
  }): Program =>
    right(
      B.kernel({ name: 'copy', arch: 'sm90a', agents: [B.warp('a', 0), B.warp('b', 1)] }, function* () {
        const x = yield* B.tensorParam('x', 'i32', [4], { role: 'in' })
        const s = yield* B.sharedMemory('s', 'i32', [4])
        const b = yield* B.barriers('b', [])
        const first = X.eq(X.place('warp'), X.i32(0))
        yield* B.run('init', { _tag: 'mbarrier.init', barrier: b, count: o.count }, { when: first })
        yield* B.run('sync', { _tag: 'bar.sync', id: 1, count: 64 })
        const arrive = (): B.Build<void> =>
          B.run('arrive', { _tag: 'mbarrier.arrive', barrier: b, count: 1, release: true, scope: 'cta' })
        yield* B.ifThen(
          'a',
          first,
          function* () {
            if (o.arrives === 'before') yield* arrive()
            const pointers = X.addptr(X.splat(x.ptr, [4]), X.iota<1>([4], 0))
            yield* B.copyAsync('copy', pointers, s)
            yield* B.run('arrive behind', {
              _tag: 'mbarrier.cpAsyncArrive',
              barrier: b,
              noIncrement: o.noIncrement,
            })
            if (o.arrives === 'after') yield* arrive()
            yield* B.waitAsync('all', 0)
          },
          function* () {
            if (o.arrives === 'other') yield* arrive()
            yield* B.run('wait', {
              _tag: 'mbarrier.wait',
              barrier: b,
              parity: X.i32(0),
              acquire: true,
              scope: 'cta',
            })
            yield* B.smemLoad('read', s)
          },
        )
      }),
    )
  const schedules = [Policy.eager, Policy.lazy, ...Array.from({ length: 10 }, (_, s) => Policy.seeded(s))]
  const verdicts = (p: Program): ReadonlySet<string> =>
    new Set(schedules.map((policy) => verdictOf(p, policy).verdict))

  test('the count includes it, or it asks for itself and somebody else is counted behind it', () => {
    expect(verdicts(copy({ noIncrement: true, count: 1, arrives: 'never' }))).toEqual(new Set(['ok']))
    expect(verdicts(copy({ noIncrement: false, count: 1, arrives: 'after' }))).toEqual(new Set(['ok']))
  })
  test('alone it is net zero: the wait never passes', () => {
    expect(verdicts(copy({ noIncrement: false, count: 1, arrives: 'never' }))).toEqual(new Set(['deadlock']))
  })
  test('the counted arrival before the increment, or unordered with it, lets the phase end without the copies: never ok', () => {
    for (const arrives of ['before', 'other'] as const)
      expect(verdicts(copy({ noIncrement: false, count: 1, arrives })).has('ok')).toBe(false)
  })
})
