/** What stands behind waits that are blocked: for every kind of wait, through forks and operations, and what a verdict says of it. */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import * as Z from '../../../src/kernels/broken/zoo/twin.js'
import { aheadOf } from '../../../src/semantics/execution/ahead.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { blockedEvents } from '../../../src/semantics/execution/step.js'
import { decodeTrace, encodeTrace } from '../../../src/semantics/files/trace/index.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { launched, logged } from '../machine/machine-samples.js'

const verdictOf = (p: Program): Verdict => right(check(p, standardOptions)).verdict

const program = (body: () => B.Steps<void>, stage: Z.Stage = {}): Program =>
  right(Z.twin({ id: 'B5', title: '', fix: '', stage, shows: { verdict: 'deadlock' }, body }).program(false))

/** `statement of agent helps agent`, from the log of a run that got stuck. */
const aheadIn = (p: Program): ReadonlyArray<string> => {
  const l = launched(p, unit)
  const { result, outcome } = logged(l, Policy.eager)
  expect(outcome).toEqual({ _tag: 'stuck' })
  const name = (x: number): string => l.world.header.agents[x]!.name
  return result.flatMap((e) =>
    e._tag === 'ahead'
      ? [`${name(e.behind)}: ${l.world.header.sites[e.stamp.site]!.label}, for ${name(e.helps)}`]
      : [],
  )
}

/** Each waits for what the other does behind its own wait. */
const crossed = (
  more: () => B.Steps<{
    readonly left: readonly [wait: B.Build<unknown>, supply: B.Build<unknown>]
    readonly right: readonly [wait: B.Build<unknown>, supply: B.Build<unknown>]
  }>,
  stage?: Z.Stage,
): Program =>
  program(function* () {
    const m = yield* more()
    const branch = (of: readonly [B.Build<unknown>, B.Build<unknown>]) =>
      function* (): B.Steps<void> {
        yield* of[0]
        yield* of[1]
      }
    yield* Z.together({ producer: branch(m.left), consumer: branch(m.right) })
  }, stage)

describe('each kind of wait', () => {
  const both = ['producer: supply left, for consumer', 'consumer: supply right, for producer']
  const rows: ReadonlyArray<readonly [string, Program, ReadonlyArray<string>]> = [
    [
      'mbarriers',
      crossed(function* () {
        const a = yield* Z.barrier('a')
        const b = yield* Z.barrier('b')
        return {
          left: [Z.wait('wait a', a, 0), Z.arrive('supply left', b)],
          right: [Z.wait('wait b', b, 0), Z.arrive('supply right', a)],
        }
      }),
      both,
    ],
    [
      'bytes of a copy',
      crossed(function* () {
        const a = yield* Z.barrier('a')
        const b = yield* Z.barrier('b')
        const x = yield* Z.global('x')
        const s = yield* Z.tile('s')
        yield* Z.expect('expect', a)
        return {
          left: [Z.wait('wait a', a, 0), Z.arrive('supply left', b)],
          // an arrival is not what a lacks
          right: [Z.wait('wait b', b, 0), Z.load('supply right', x, 0, s, a)],
        }
      }),
      both,
    ],
    [
      'a barrier that is initialised too late',
      crossed(function* () {
        const a = yield* B.barriers('a', [])
        const b = yield* Z.barrier('b')
        return {
          left: [Z.wait('wait a', a, 0), Z.arrive('supply left', b)],
          right: [Z.wait('wait b', b, 0), Z.init('supply right', a)],
        }
      }),
      both,
    ],
    [
      'named barriers',
      crossed(function* () {
        yield* B.of(undefined)
        const sync = (label: string, id: number): B.Build<unknown> =>
          B.run(label, { _tag: 'bar.sync', id, count: 256 })
        return {
          left: [sync('sync 1', 1), sync('supply left', 2)],
          right: [sync('sync 2', 2), sync('supply right', 1)],
        }
      }),
      both,
    ],
    [
      'semaphores',
      crossed(function* () {
        const c = yield* B.tensorParam('c', 'i32', [2], { role: 'inout' })
        const at = (k: number) => X.addptr(c.ptr, X.i32(k))
        const waits = (label: string, k: number): B.Build<unknown> =>
          B.run(label, {
            _tag: 'semaphore.wait',
            at: at(k),
            value: X.i32(1),
            decrement: false,
            scope: 'gpu',
          })
        const signals = (label: string, k: number): B.Build<unknown> =>
          B.run(label, { _tag: 'semaphore.signal', at: at(k), value: X.i32(1), scope: 'gpu' })
        return {
          left: [waits('wait 0', 0), signals('supply left', 1)],
          right: [waits('wait 1', 1), signals('supply right', 0)],
        }
      }),
      both,
    ],
    [
      'registers, and a barrier',
      crossed(
        function* () {
          const a = yield* Z.barrier('a')
          const set = (label: string, action: 'increase' | 'decrease', count: number): B.Build<unknown> =>
            B.run(label, { _tag: 'setMaxRegisters', action, count })
          return {
            left: [set('take', 'increase', 256), Z.arrive('supply left', a)],
            right: [Z.wait('wait a', a, 0), set('supply right', 'decrease', 24)],
          }
        },
        { registers: [168, 256, 88], agents: ['producer', 'consumer', 'third'] },
      ),
      both,
    ],
  ]
  test.each(rows)('%s', (_, p, expected) => {
    expect(aheadIn(p)).toEqual(expected)
    const v = verdictOf(p)
    expect(v.verdict).toBe('deadlock')
    expect(v.waitFor).toHaveLength(2)
    for (const line of v.waitFor)
      expect(line).toMatch(/; \S+ supply (left|right) would signal it, after a wait that is blocked$/)
    const text = v.findings.find((f) => /^B/.test(f.id))!.text
    if (!v.findings.some((f) => f.id === 'B7'))
      expect(text).toMatch(/; a cycle: \S+ waits for .*, which comes after .*; \S+ waits for/)
  })
})

describe('how far', () => {
  test('through waits behind the wait, loops, branches that are forked there, and the commit of a product', () => {
    const p = program(
      function* () {
        const a = yield* Z.barrier('a')
        const b = yield* Z.barrier('b')
        const c = yield* Z.barrier('c')
        yield* Z.together({
          *producer() {
            yield* Z.wait('wait a', a, 0)
            yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(3), carried: {} }, function* (k) {
              yield* Z.wait('wait c', c, X.rem(k, X.i32(2)))
              return yield* B.of({})
            })
            yield* B.fork(
              'more',
              {
                agent: 'producer',
                captures: {},
                body: function* () {
                  yield* B.of(undefined)
                },
              },
              [
                B.branch('third', {}, function* () {
                  yield* Z.arrive('supply b', b)
                }),
              ],
            )
          },
          *consumer() {
            yield* Z.wait('wait b', b, 0)
            yield* Z.arrive('supply a', a)
          },
        })
      },
      { agents: ['producer', 'consumer', 'third'] },
    )
    expect(aheadIn(p)).toEqual(['producer: supply b, for consumer', 'consumer: supply a, for producer'])
    expect(verdictOf(p).findings[0]!.text).toContain('a cycle')
  })
  test('an agent that is blocked until its branches end takes them along, and tells what it does itself', () => {
    const p = program(
      function* () {
        const a = yield* Z.barrier('a')
        const b = yield* Z.barrier('b')
        yield* Z.together({
          *producer() {
            yield* B.fork(
              'inner',
              {
                agent: 'producer',
                captures: {},
                body: function* () {
                  yield* B.of(undefined)
                },
              },
              [
                B.branch('third', {}, function* () {
                  yield* Z.wait('wait a', a, 0)
                }),
              ],
            )
            yield* Z.arrive('supply b', b)
          },
          *consumer() {
            yield* Z.wait('wait b', b, 0)
            yield* Z.arrive('supply a', a)
          },
        })
      },
      { agents: ['producer', 'consumer', 'third'] },
    )
    expect(aheadIn(p)).toEqual(['producer: supply b, for consumer', 'consumer: supply a, for third'])
    expect(verdictOf(p).findings[0]!.text).toMatch(/waits for its branch third@0 to end/)
  })
  test("a branch that has been joined and is forked again is its parent's", () => {
    const p = program(
      function* () {
        const a = yield* Z.barrier('a')
        const b = yield* Z.barrier('b')
        yield* Z.together({
          *producer() {
            for (const body of [Z.wait('wait a', a, 0), Z.arrive('supply b', b)])
              yield* B.fork(
                'inner',
                {
                  agent: 'producer',
                  captures: {},
                  body: function* () {
                    yield* B.of(undefined)
                  },
                },
                [
                  B.branch('third', {}, function* () {
                    yield* body
                  }),
                ],
              )
          },
          *consumer() {
            yield* Z.wait('wait b', b, 0)
            yield* Z.arrive('supply a', a)
          },
        })
      },
      { agents: ['producer', 'consumer', 'third'] },
    )
    expect(aheadIn(p)).toEqual(['producer: supply b, for consumer', 'consumer: supply a, for third'])
  })
  test.each([
    ['of its own, announced there', true, []],
    ['that are missing', false, ['consumer: supply a, for producer']],
  ] as const)('bytes %s', (_, own, expected) => {
    const p = program(function* () {
      const a = yield* Z.barrier('a')
      const b = yield* Z.barrier('b')
      const x = yield* Z.global('x')
      const s = yield* Z.tile('s')
      yield* Z.expect('expect', a)
      yield* Z.together({
        *producer() {
          yield* Z.wait('wait a', a, 0)
        },
        *consumer() {
          yield* Z.wait('wait b', b, 0)
          if (own) yield* Z.expectOnly('expect more', a)
          yield* Z.load('supply a', x, 0, s, a)
        },
      })
    })
    expect(aheadIn(p)).toEqual(expected)
  })
  test('what is nowhere ahead is the cause', () => {
    const p = program(function* () {
      const a = yield* Z.barrier('a')
      const b = yield* Z.barrier('b')
      yield* Z.together({
        *producer() {
          yield* Z.wait('wait a', a, 0)
        },
        *consumer() {
          yield* Z.wait('wait b', b, 0)
          yield* Z.arrive('supply a', a)
        },
      })
    })
    expect(aheadIn(p)).toEqual(['consumer: supply a, for producer'])
    const v = verdictOf(p)
    expect(v.reason).toMatch(/^consumer@0 waits for .*; no agent signals it in this run$/)
    expect(v.findings[0]!.text).not.toContain('circle')
  })
  test('where it is not asked, the log is the same without it', () => {
    const p = crossed(function* () {
      const a = yield* Z.barrier('a')
      const b = yield* Z.barrier('b')
      return {
        left: [Z.wait('wait a', a, 0), Z.arrive('supply left', b)],
        right: [Z.wait('wait b', b, 0), Z.arrive('supply right', a)],
      }
    })
    const { world, machine } = launched(p, unit)
    const how = settings(Policy.eager, true)
    const asked = run(world, machine, how, collect)
    const silent = run(world, machine, { ...how, ahead: false }, collect)
    expect(asked.result.filter((e) => e._tag === 'ahead')).toHaveLength(2)
    expect(silent).toEqual({ ...asked, result: asked.result.filter((e) => e._tag !== 'ahead') })
  })
  test('a loop without end behind a wait is left after some events', () => {
    const p = program(function* () {
      const a = yield* Z.barrier('a')
      yield* Z.together({
        *producer() {
          yield* B.forRange({ label: 'k', from: X.i32(0), to: X.i32(2 ** 30), carried: {} }, function* (k) {
            yield* Z.wait('wait a', a, X.rem(k, X.i32(2)))
            return yield* B.of({})
          })
          yield* Z.arrive('too far', a)
        },
        *consumer() {
          yield* B.of(undefined)
        },
      })
    })
    expect(aheadIn(p)).toEqual([])
  })
})

describe('laws', () => {
  const p = crossed(function* () {
    const a = yield* Z.barrier('a')
    const b = yield* Z.barrier('b')
    const s = yield* Z.tile('s')
    yield* Z.write('clear', s)
    return {
      left: [
        Z.wait('wait a', a, 0),
        B.block(function* () {
          yield* Z.write('write s', s, 7)
          yield* Z.arrive('supply left', b)
        }),
      ],
      right: [Z.wait('wait b', b, 0), Z.arrive('supply right', a)],
    }
  })
  test('1: the machine is left as it was', () => {
    const l = launched(p, unit)
    const { machine } = logged(l, Policy.eager)
    const before = JSON.stringify([machine.agents, machine.barriers, machine.planes])
    const waits = blockedEvents(l.world, machine)
    const once = aheadOf(l.world, machine, waits)
    expect(JSON.stringify([machine.agents, machine.barriers, machine.planes])).toBe(before)
    expect(aheadOf(l.world, machine, waits)).toEqual(once)
    expect(once).toHaveLength(2)
  })
  test('a trace says it too, and is judged alike', () => {
    const l = launched(p, unit)
    const { result } = logged(l, Policy.eager)
    const isAhead = (e: LogEvent): boolean => e._tag === 'ahead'
    const read = right(decodeTrace(encodeTrace(l.world.header, result)))
    expect(read.events.filter(isAhead)).toEqual(result.filter(isAhead))
    const [header, ...lines] = encodeTrace(l.world.header, result)
    for (const field of ['behind', 'helps'])
      expect(
        decodeTrace([header!, ...lines.map((x) => x.replace(new RegExp(`"${field}":\\d+`), `"${field}":9`))]),
      ).toMatchObject({ _tag: 'Left', left: { code: 'trace.reference' } })
  })
})
