/** Policies choose, and nothing else. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unit } from '../../../src/numerics/unit.js'
import type { Launched } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { offered, take, type Offered } from '../../../src/semantics/execution/step.js'
import { launched, matmul } from '../machine/machine-samples.js'
import { tensorCore } from '../samples.js'
import { prop } from '../../prop.js'

const l = launched(matmul({ m: 64, n: 64, k: 32 }), unit)

/** What was offered and chosen along a run. */
const choices = (
  any: Policy.AnyPolicy,
  of: Launched = l,
): ReadonlyArray<readonly [ReadonlyArray<Offered>, Offered]> =>
  any((policy) => {
    const seen: (readonly [ReadonlyArray<Offered>, Offered])[] = []
    let m = of.machine
    let state = policy.init
    for (;;) {
      const options = offered(of.world, m)
      if (options.length === 0) return seen
      const [k, next] = policy.choose(state, options)
      state = next
      const chosen = options[Number(k)]!
      seen.push([options, chosen])
      const done = take(of.world, m, chosen)
      if ('kind' in done) throw new Error(done.message)
      m = done.machine
    }
  })

describe('what each one prefers', () => {
  test('eager: an operation whenever there is one', () => {
    for (const [options, chosen] of choices(Policy.eager))
      expect(chosen.operation !== null).toBe(options.some((o) => o.operation !== null))
  })
  test('lazy: an agent whenever there is one', () => {
    for (const [options, chosen] of choices(Policy.lazy))
      expect(chosen.operation === null).toBe(options.some((o) => o.operation === null))
  })
  test('starving: the starved one only when it is alone', () => {
    const agent = choices(Policy.starvingAgent(0, 3))
    for (const [options, chosen] of agent)
      if (chosen.operation === null && chosen.key.agent === 0)
        expect(options.every((o) => o.operation === null && o.key.agent === 0)).toBe(true)
    const first = choices(Policy.eager).find(([, chosen]) => chosen.operation !== null)![1].key
    const operation = choices(Policy.starvingOperation(first.agent, first.at, 3))
    for (const [options, chosen] of operation)
      if (chosen.operation !== null && chosen.key.agent === first.agent && chosen.key.at === first.at)
        expect(
          options.every((o) => o.operation !== null && o.key.agent === first.agent && o.key.at === first.at),
        ).toBe(true)
  })
})

describe('randomness', () => {
  test('the generator is the one that it was: its first numbers', () => {
    let state = 1
    const numbers = Array.from({ length: 4 }, () => {
      const [r, next] = Policy.random(state)
      state = next
      return r
    })
    // the same generator on unbounded integers
    const mask = (x: bigint): bigint => BigInt.asUintN(32, x)
    let s = 1n
    const expected = numbers.map(() => {
      s = mask(s + 0x6d2b79f5n)
      let t = mask((s ^ (s >> 15n)) * (s | 1n))
      t = mask(t ^ (t + mask((t ^ (t >> 7n)) * (t | 61n))))
      return Number(mask(t ^ (t >> 14n)))
    })
    expect(numbers).toEqual(expected)
  })

  prop([fc.integer()])(
    'a seed is a schedule: the same every time, and no two machines are needed',
    (seed) => {
      const keys = (): ReadonlyArray<unknown> => choices(Policy.seeded(seed)).map(([, chosen]) => chosen.key)
      expect(keys()).toEqual(keys())
    },
  )

  test('every one of n events is about as likely', () => {
    for (const n of [2, 3, 5, 7]) {
      const counts = new Array<number>(n).fill(0)
      for (let seed = 0; seed < 4; seed++) {
        let state = seed
        for (let k = 0; k < 5000; k++) {
          const [r, next] = Policy.random(state)
          state = next
          counts[r % n]!++
        }
      }
      for (const c of counts) expect(Math.abs(c / 20000 - 1 / n)).toBeLessThan(0.02)
    }
  })
})

test('units, bytes and macs of what is offered are those of the tiles', () => {
  const all = choices(Policy.lazy).map(([, chosen]) => chosen)
  const of = (unit: Offered['unit']): ReadonlyArray<Offered> => all.filter((o) => o.unit === unit)
  // two k steps of 16: a (64 x 16) and b (16 x 64) of f16, write and signal each; out 64 x 64
  expect(of('tmaLoad').map((o) => o.bytes)).toEqual(new Array(8).fill(64 * 16 * 2))
  expect(of('wgmma').map((o) => [o.bytes, o.macs])).toEqual(new Array(2).fill([0, 64 * 64 * 16]))
  expect(of('tmaStore').map((o) => o.bytes)).toEqual(new Array(2).fill(64 * 64 * 2))
  // one product of 128 x 128 x 64, and the load of its accumulator
  const blackwell = choices(Policy.lazy, launched(tensorCore(), unit)).map(([, chosen]) => chosen)
  const figures = (unit: Offered['unit']): ReadonlyArray<readonly [number, number]> =>
    blackwell.filter((o) => o.unit === unit).map((o) => [o.bytes, o.macs])
  expect(figures('tcgen05')[0]).toEqual([0, 128 * 128 * 64])
  expect(figures('tcgen05Ld')[0]).toEqual([128 * 128 * 4, 0])
})

describe('who is chosen, by hand', () => {
  const event = (agent: number, at: number, operation: boolean): Offered =>
    ({
      key: { agent, at, stage: operation ? 'write' : 'agent', part: 0 },
      operation: operation ? {} : null,
    }) as unknown as Offered
  const [a, b] = [event(0, 1, false), event(1, 1, false)]
  const [x, y, z] = [event(0, 3, true), event(0, 4, true), event(1, 3, true)]
  /** Indices that a policy chooses of these offers, one after another. */
  const chosen = (
    any: Policy.AnyPolicy,
    ...offers: ReadonlyArray<ReadonlyArray<Offered>>
  ): ReadonlyArray<unknown> =>
    any((policy) => {
      let state = policy.init
      return offers.map((options) => {
        const [k, next] = policy.choose(state, options)
        state = next
        return k
      })
    })
  const many = (any: Policy.AnyPolicy, options: ReadonlyArray<Offered>): ReadonlyArray<unknown> =>
    [...new Set(chosen(any, ...Array.from({ length: 60 }, () => options)))].sort()

  test('eager: the first operation, else the first agent; lazy the other way round', () => {
    expect(chosen(Policy.eager, [a, b, x, y], [a, b], [x, y])).toEqual([2, 0, 0])
    expect(chosen(Policy.lazy, [x, y, a, b], [x, y], [a, b])).toEqual([2, 0, 0])
  })
  test('in turn', () => {
    expect(chosen(Policy.roundRobin, [a, b, x], [a, b, x], [a, b, x], [a, b, x], [a, b], [a, b])).toEqual([
      0, 1, 2, 0, 0, 1,
    ])
  })
  test('a record: its events wherever they stand, none in the place of one that is missing, which is named, and eagerly after the last', () => {
    const keys = [b.key, x.key]
    expect(chosen(Policy.recorded(keys), [a, b], [a, y, x], [a, b, y], [a, b])).toEqual([1, 2, 2, 0])
    expect(chosen(Policy.recorded(keys), [b, a], [x])).toEqual([0, 0])
    expect(chosen(Policy.recorded(keys), [a, x])).toEqual([b.key])
    // the same statement is not the same event
    for (const other of [
      { ...x.key, stage: 'signal' as const },
      { ...x.key, part: 1 },
    ])
      expect(chosen(Policy.recorded([other]), [x])).toEqual([other])
  })
  test('whoever is starved comes when nobody else does, and the others at random', () => {
    const agent = Policy.starvingAgent(0, 1)
    expect(many(agent, [a, b, x])).toEqual([1, 2])
    expect(many(agent, [b, a])).toEqual([0])
    expect(many(agent, [a])).toEqual([0])
    const operation = Policy.starvingOperation(0, 3, 1)
    expect(many(operation, [a, x, y, z])).toEqual([0, 2, 3])
    expect(many(operation, [x])).toEqual([0])
    // two parts of one operation are starved alike, and one of them goes in the end
    expect(many(operation, [x, { ...x, key: { ...x.key, part: 1 } }])).toEqual([0, 1])
    // an agent that stands at the statement is not its operation
    expect(many(operation, [event(0, 3, false), x])).toEqual([0])
  })
  test('at random everybody comes, and seeds differ', () => {
    expect(many(Policy.seeded(1), [a, b, x, y])).toEqual([0, 1, 2, 3])
    const row = (seed: number): string =>
      chosen(Policy.seeded(seed), ...Array.from({ length: 20 }, () => [a, b, x, y])).join()
    expect(new Set([0, 1, 2, 3, -1].map(row)).size).toBe(5)
  })
  test('names', () => {
    const named: ReadonlyArray<readonly [Policy.AnyPolicy, string]> = [
      [Policy.eager, 'eager'],
      [Policy.lazy, 'lazy'],
      [Policy.roundRobin, 'roundrobin'],
      [Policy.seeded(7), 'seeded:7'],
      [Policy.recorded([]), 'recorded'],
      [Policy.starvingAgent(2, 5), 'starving:2,seeded:5'],
      [Policy.starvingOperation(2, 9, 5), 'starving:2:9,seeded:5'],
    ]
    for (const [policy, name] of named) expect(policy((p) => p.name)).toBe(name)
  })
})
