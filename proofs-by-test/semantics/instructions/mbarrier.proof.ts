/** The four numbers of an mbarrier replay what an H100 did (`conformance/hopper/structure`), tokens included. */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { increment, init, isTrap, limit, passes, update } from '../../../src/semantics/machine/mbarrier.js'
import type { Mbarrier, Trap } from '../../../src/semantics/machine/mbarrier.js'
import type { AnyBarrier, Instruction } from '../../../src/semantics/language/instruction.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as X from '../../../src/semantics/language/expression.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { script, type Script } from '../judging/detector/script.js'
import { idsOf, judged, program, running } from './tma/steps.js'
import { prop } from '../../prop.js'

const structure = new URL('../../../conformance/hopper/structure/', import.meta.url)
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, structure), 'utf8'))

interface Captured {
  readonly op: string
  readonly arg: number
  readonly token: string
  readonly wait_parity0: number
  readonly wait_parity1: number
  readonly test_wait_last_token: number
  readonly pending_count_last_token: number
}
interface Limit {
  readonly op: string
  readonly arg: number
  readonly wait_parity0?: number
  readonly token_high?: string
}
const sequences = (read('mbarrier.json') as { readonly sequences: ReadonlyArray<ReadonlyArray<Captured>> })
  .sequences
const limits = (
  read('mbarrier_limits.json') as {
    readonly sequences: ReadonlyArray<{
      readonly steps: ReadonlyArray<Limit>
      readonly trapped_at_step: number | null
    }>
  }
).sequences

/** One captured operation; `counted` says that `arg` of an arrive is its count. */
const operate = (b: Mbarrier, op: string, arg: number, counted: boolean): Mbarrier | Trap => {
  switch (op) {
    case 'init':
      return init(arg)
    case 'arrive':
      return update(b, counted ? arg : 1, 0)
    case 'arrive_count':
      return update(b, arg, 0)
    case 'arrive_drop':
      return update(b, 1, 0, 1)
    case 'expect_tx':
      return update(b, 0, arg)
    case 'complete_tx':
      return update(b, 0, -arg)
    case 'arrive_expect_tx':
      return update(b, 1, arg)
    default:
      throw new Error(`no such operation: ${op}`)
  }
}

/** The same as events of a log: delivered bytes are an operation's. */
const logOf = (s: Script, op: string, arg: number): void => {
  const event = (kind: 'init' | 'expect' | 'arrive' | 'drop', count: number, bytes: number): void => {
    s.push({
      _tag: 'barrier',
      stamp: s.stamp(0, op),
      kind,
      barrier: 0,
      count,
      bytes,
      release: false,
      scope: 'cta',
      tensor: false,
    })
  }
  switch (op) {
    case 'init':
      event('init', arg, 0)
      return
    case 'arrive':
    case 'arrive_count':
      event('arrive', arg, 0)
      return
    case 'arrive_drop':
      event('drop', 1, 0)
      return
    case 'expect_tx':
      event('expect', 0, arg)
      return
    case 'arrive_expect_tx':
      event('arrive', 1, arg)
      return
    case 'complete_tx':
      s.bytes(s.issue(0, 'tmaLoad'), 0, arg)
      return
    default:
      throw new Error(`no such operation: ${op}`)
  }
}

/** Upper half of the token of an arrive: parity, minus pending (20 bits), the top of minus tx (21 bits), all before it. */
const tokenHigh = (b: Mbarrier): number => {
  const pending = (2 ** 20 - b.pending) % 2 ** 20
  const tx = (2 ** 21 - b.tx) % 2 ** 21
  return (b.completed % 2) * 2 ** 31 + pending * 2 ** 11 + Math.floor(tx / 2 ** 11)
}
const givesToken = (op: string): boolean => op.startsWith('arrive')

describe('law 1 on silicon', () => {
  test.each(sequences.map((s, k) => [k, s] as const))('sequence %i, every column', (_, steps) => {
    let b: Mbarrier = init(1)
    let last: Mbarrier | null = null
    steps.forEach((step, k) => {
      const before = b
      const next = operate(b, step.op, step.arg, false)
      if (isTrap(next)) throw new Error(`step ${String(k)} traps: ${next}`)
      b = next
      if (givesToken(step.op)) last = before
      const token = givesToken(step.op) ? tokenHigh(before) : 0
      expect(
        {
          token: token.toString(16).padStart(8, '0'),
          parity0: passes(b, 0) ? 1 : 0,
          parity1: passes(b, 1) ? 1 : 0,
          lastToken: last === null ? 2 : b.completed > last.completed ? 1 : 0,
          pending: last === null ? -1 : last.pending,
        },
        `step ${String(k)}: ${step.op} ${String(step.arg)}`,
      ).toEqual({
        token: step.token.slice(0, 8),
        parity0: step.wait_parity0,
        parity1: step.wait_parity1,
        lastToken: step.test_wait_last_token,
        pending: step.pending_count_last_token,
      })
    })
  })

  test('no operation of the capture is left out', () => {
    expect(sequences.length).toBe(8)
    expect(limits.length).toBe(15)
  })
})

describe('law 3 on silicon', () => {
  test.each(limits.map((s, k) => [k, s] as const))('limit %i traps where the chip does', (_, sequence) => {
    let b: Mbarrier = init(1)
    let trappedAt: number | null = null
    for (const [k, step] of sequence.steps.entries()) {
      const before = b
      const next = operate(b, step.op, step.arg, step.op !== 'arrive_drop')
      if (isTrap(next)) {
        trappedAt = k
        break
      }
      b = next
      expect(passes(b, 0) ? 1 : 0, `step ${String(k)}: ${step.op}`).toBe(step.wait_parity0)
      if (step.token_high !== undefined)
        expect(tokenHigh(before).toString(16).padStart(8, '0')).toBe(step.token_high)
    }
    expect(trappedAt).toBe(sequence.trapped_at_step)
  })

  test.each(limits.map((s, k) => [k, s] as const))(
    'limit %i, by its log: the detector names a fault of the barrier where the chip stops, and nowhere before',
    (_, sequence) => {
      const steps = sequence.steps.slice(0, (sequence.trapped_at_step ?? sequence.steps.length) + 1)
      const faults = (n: number): boolean => {
        const s = script({ agents: ['t'], barriers: [{ name: 'b', count: 1 }], bare: true })
        steps.slice(0, n).forEach(({ op, arg }) => {
          logOf(s, op, arg)
        })
        return s.judge().findings.some((f) => f.id === 'B2' || f.id === 'B4')
      }
      for (let n = 0; n <= steps.length; n++)
        expect(faults(n), `after ${String(n)} steps`).toBe(
          sequence.trapped_at_step !== null && n > sequence.trapped_at_step,
        )
    },
  )

  test('law 5: an increment and its arrival cancel out, up to the limit of what is pending', () => {
    const two = init(2)
    expect(increment(two, 1)).toEqual({ completed: 0, expected: 2, pending: 3, tx: 0 })
    const more = increment(two, 1)
    if (isTrap(more)) throw new Error(more)
    expect(update(more, 1, 0)).toEqual(two)
    expect(increment(init(limit), 1)).toBe('count-range')
    expect(increment(init(limit - 1), 1)).toMatchObject({ pending: limit })
  })

  test('the bounds of PTX, one by one', () => {
    const open = init(2)
    expect(update(open, 0, limit)).toEqual({ completed: 0, expected: 2, pending: 2, tx: limit })
    expect(update(open, 0, limit + 1)).toBe('tx-range')
    expect(update(open, 0, -limit)).toEqual({ completed: 0, expected: 2, pending: 2, tx: -limit })
    expect(update(open, 0, -limit - 1)).toBe('tx-range')
    expect(update(open, 3, 0)).toBe('over-arrival')
    expect(update(init(limit), limit, 0)).toEqual({ completed: 1, expected: limit, pending: limit, tx: 0 })
    expect(update(init(limit + 1), 1, 0)).toBe('count-range')
  })
})

/** One captured operation as an instruction. */
const instructionOf = (barrier: AnyBarrier, op: string, arg: number, counted: boolean): Instruction => {
  const arrives = { barrier, release: true, scope: 'cta' } as const
  switch (op) {
    case 'init':
      return { _tag: 'mbarrier.init', barrier, count: arg }
    case 'arrive':
      return { _tag: 'mbarrier.arrive', count: counted ? arg : 1, ...arrives }
    case 'arrive_count':
      return { _tag: 'mbarrier.arrive', count: arg, ...arrives }
    case 'arrive_drop':
      return { _tag: 'mbarrier.arriveDrop', count: 1, ...arrives }
    case 'expect_tx':
      return { _tag: 'mbarrier.expectTx', barrier, bytes: X.i32(arg) }
    case 'complete_tx':
      return { _tag: 'mbarrier.completeTx', barrier, bytes: X.i32(arg) }
    case 'arrive_expect_tx':
      return { _tag: 'mbarrier.arriveExpectTx', bytes: X.i32(arg), ...arrives }
    default:
      throw new Error(`no such operation: ${op}`)
  }
}

interface Step {
  readonly op: string
  readonly arg: number
  readonly wait_parity0?: number
  readonly wait_parity1?: number
}

/** The operations by one agent, which asks for both parities after each. */
const asking = (steps: ReadonlyArray<Step>, counted: boolean): Program =>
  program('captured', function* () {
    const b = yield* B.barriers('b', [])
    for (const [k, { op, arg }] of steps.entries()) {
      yield* B.run(`${String(k)} ${op}`, instructionOf(b, op, arg, counted))
      yield* B.testBarrier(`${String(k)} even`, b, X.i32(0))
      yield* B.testBarrier(`${String(k)} odd`, b, X.i32(1))
    }
  })

/** What the tests of a run said: 1 where a wait would have passed. */
const answers = (p: Program): ReadonlyArray<number> =>
  running(p, {}).result.flatMap((e) => (e._tag === 'wait' ? [e.outcome === 'passed' ? 1 : 0] : []))

/** Is a count one that the language takes? The chip takes others, and stops at some of them. */
const isProgram = ({ op, arg }: Step): boolean =>
  (op !== 'init' && op !== 'arrive' && op !== 'arrive_count') || (arg >= 1 && arg <= limit)

describe('on silicon, as programs', () => {
  test.each(sequences.map((s, k) => [k, s] as const))('sequence %i: both parities after each', (_, steps) => {
    expect(answers(asking(steps, false))).toEqual(
      steps.flatMap((step) => [step.wait_parity0, step.wait_parity1]),
    )
  })
  const programs = limits.filter((s) => s.steps.every(isProgram))
  test('counts that the language refuses are those of three captures', () => {
    expect(limits.length - programs.length).toBe(3)
  })
  test.each(programs.map((s, k) => [k, s] as const))(
    'limit %i: as recorded, and a fault where it stops',
    (_, s) => {
      const before = s.steps.slice(0, s.trapped_at_step ?? s.steps.length)
      const said = answers(asking(before, true))
      expect(said.filter((_, k) => k % 2 === 0)).toEqual(before.map((step) => step.wait_parity0))
      const faults = (steps: ReadonlyArray<Step>): boolean =>
        idsOf(judged(asking(steps, true), {})).some((id) => id === 'B2' || id === 'B4')
      expect(faults(before)).toBe(false)
      if (s.trapped_at_step !== null) expect(faults(s.steps.slice(0, s.trapped_at_step + 1))).toBe(true)
    },
  )
  test('bytes are a count', () => {
    for (const op of ['expect_tx', 'complete_tx', 'arrive_expect_tx'])
      expect(
        running(
          asking(
            [
              { op: 'init', arg: 1 },
              { op, arg: -1 },
            ],
            false,
          ),
          {},
        ).outcome,
      ).toMatchObject({
        _tag: 'fault',
        fault: {
          code: 'mbarrier.bytes',
          message: expect.stringContaining('bytes: expected 0 or more, found -1'),
        },
      })
  })
})

/** Any operation on a barrier of a few arrivals. */
type Operation = readonly [arrivals: number, bytes: number]
const operation: fc.Arbitrary<Operation> = fc.tuple(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: -3, max: 3 }),
)

/** The definition: an unbounded history. Phase k is over when its arrivals are in and its bytes are zero. */
const byHistory = (count: number, ops: ReadonlyArray<Operation>): number => {
  let phase: Operation[] = []
  let completed = 0
  for (const op of ops) {
    const arrived = phase.reduce((n, [a]) => n + a, 0)
    if (arrived + op[0] > count) continue
    phase = [...phase, op]
    const bytes = phase.reduce((n, [, x]) => n + x, 0)
    if (arrived + op[0] === count && bytes === 0) {
      completed++
      phase = []
    }
  }
  return completed
}

describe('laws of any sequence', () => {
  prop([fc.integer({ min: 1, max: 3 }), fc.array(operation, { maxLength: 30 })])(
    'law 1: completed phases are those of the whole history',
    (count, ops) => {
      const end = ops.reduce<Mbarrier>((b, [arrivals, bytes]) => {
        const next = update(b, arrivals, bytes)
        return isTrap(next) ? b : next
      }, init(count))
      expect(end.completed).toBe(byHistory(count, ops))
      expect([passes(end, 0), passes(end, 1)]).toEqual([end.completed % 2 === 1, end.completed % 2 === 0])
    },
  )

  test('law 2: complete, expect and arrive in the orders that keep the arrival last or the expect before it', () => {
    const orders = [
      ['expect', 'arrive', 'complete'],
      ['expect', 'complete', 'arrive'],
      ['complete', 'expect', 'arrive'],
      ['complete', 'arrive', 'expect'],
    ]
    const ends = orders.map((order) =>
      order.reduce<Mbarrier>((b, op) => {
        const next = op === 'arrive' ? update(b, 1, 0) : update(b, 0, op === 'expect' ? 16 : -16)
        if (isTrap(next)) throw new Error(next)
        return next
      }, init(1)),
    )
    expect(ends).toEqual(orders.map(() => ({ completed: 1, expected: 1, pending: 1, tx: 0 })))
  })

  test('law 4: a drop counts now and lowers every later phase', () => {
    const steps = [1, 1, 1].map((dropped, k) => [1, k === 0 ? dropped : 0] as const)
    const ends = steps.reduce<ReadonlyArray<Mbarrier>>(
      (all, [arrivals, dropped]) => {
        const next = update(all[all.length - 1]!, arrivals, 0, dropped)
        if (isTrap(next)) throw new Error(next)
        return [...all, next]
      },
      [init(2)],
    )
    expect(ends.map((b) => [b.completed, b.expected, b.pending])).toEqual([
      [0, 2, 2],
      [0, 1, 1],
      [1, 1, 1],
      [2, 1, 1],
    ])
  })
})
