/**
 * Control: which statements an agent executes, in which iteration, and with which values, before each effect.
 *
 * Programs are written as data, statement by statement; a fence shows that a place was reached, a store of a number shows a value. Every
 * expected walk is read off the listing by hand.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import * as X from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Binder, Carried, Do, Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import { region, site } from '../../../src/semantics/language/program.js'
import { i32 } from '../../../src/semantics/language/types.js'
import { launched, logged } from '../machine/machine-samples.js'
import { right } from '../../either.js'

// ---------------------------------------------------------------- statements

const cells = 8
const expr = <E extends Expr>(e: ExprNode): E => e as unknown as E
const name = (text: string): X.Int => X.name<'i32'>(text)
const binder = (text: string): Binder => ({ name: text, type: i32 })
const carried = (text: string, init: X.Int): Carried => ({ binder: binder(text), init })
/** A place that shows in the log. */
const mark = (label: string, when?: Expr): Do => ({
  _tag: 'Do',
  results: [],
  instruction: { _tag: 'fence.proxyAsync', scope: 'cta' },
  ...(when === undefined ? {} : { when: when as X.Condition }),
  site: site(label),
})
/** A value that shows in memory: cell k of the output. */
const put = (k: number, value: X.Int): Do => ({
  _tag: 'Do',
  results: [],
  instruction: {
    _tag: 'gmem.store',
    destination: X.slice(X.tensor<'i32', 1>('out'), [X.i32(k)], [1]),
    value: X.splat<'i32', 1>(value, [1]),
  },
  site: site(`put ${String(k)}`),
})
const elect = (result: string, when?: Expr): Do => ({
  _tag: 'Do',
  results: [{ name: result, type: { _tag: 'scalar', dtype: 'i1' } }],
  instruction: { _tag: 'elect' },
  ...(when === undefined ? {} : { when: when as X.Condition }),
  site: site(`elect ${result}`),
})
const bound = (text: string, value: Expr): Stmt => ({
  _tag: 'Let',
  binder: binder(text),
  expr: value,
  site: site(`let ${text}`),
})
const loop = (
  index: string,
  [from, to, step]: readonly [Expr, Expr, Expr],
  body: Region,
  more: { readonly carried?: ReadonlyArray<Carried>; readonly results?: ReadonlyArray<string> } = {},
): Stmt => ({
  _tag: 'For',
  index: binder(index),
  from: from as X.Int,
  to: to as X.Int,
  step: step as X.Int,
  carried: more.carried ?? [],
  body,
  results: (more.results ?? []).map(binder),
  site: site(`for ${index}`),
})
const range = (from: number, to: number, step = 1): readonly [X.Int, X.Int, X.Int] => [
  X.i32(from),
  X.i32(to),
  X.i32(step),
]
const repeat = (
  init: ReadonlyArray<Carried>,
  before: Region,
  after: Region,
  results: ReadonlyArray<string>,
): Stmt => ({
  _tag: 'While',
  carried: init,
  before,
  after,
  results: results.map(binder),
  site: site('while'),
})
const branch = (cond: Expr, then: Region, otherwise: Region, results: ReadonlyArray<string> = []): Stmt => ({
  _tag: 'If',
  cond: cond as X.Condition,
  then,
  else: otherwise,
  results: results.map(binder),
  site: site('if'),
})

// ---------------------------------------------------------------- what they do

const program = (body: ReadonlyArray<Stmt>): Program => {
  const empty = right(
    B.draft(
      { name: 'control', arch: 'sm90a', agents: [B.warpgroup('wg', 0), B.warp('helper', 4)] },
      function* () {
        yield* B.tensorParam('out', 'i32', [cells], { role: 'out' })
      },
    ),
  )
  // the second agent is started by a fork of nothing, so that one agent alone runs the statements
  const fork: Stmt = {
    _tag: 'Fork',
    branches: [
      { agent: 'wg', captures: [], body: region(body) },
      { agent: 'helper', captures: [], body: region([]) },
    ],
    results: [],
    site: site('fork'),
  }
  return { ...empty, entry: region([fork]) }
}
interface Walked {
  /** fences by label and iteration */
  readonly marks: ReadonlyArray<string>
  /** what was stored, by cell; -1 where nothing was */
  readonly values: ReadonlyArray<number>
  /** code and site of the fault that ended the run */
  readonly fault: readonly [code: string, site: string] | null
  readonly result: ReadonlyArray<LogEvent>
}
const walked = (body: ReadonlyArray<Stmt>): Walked => {
  const l = launched(program(body), bits('hopper'))
  const { machine, outcome, result } = logged(l, Policy.eager)
  const labelOf = (k: number): string => l.world.header.sites[k]!.label
  return {
    marks: result.flatMap((e) =>
      e._tag === 'fence' ? [`${labelOf(e.stamp.site)} [${e.stamp.iteration.join(', ')}]`] : [],
    ),
    values: [...readTensor(l.world, machine, 'out')!],
    fault: outcome._tag === 'fault' ? [outcome.fault.code, labelOf(outcome.fault.site)] : null,
    result,
  }
}
const marks = (...body: ReadonlyArray<Stmt>): ReadonlyArray<string> => walked(body).marks
const stored = (count: number, body: ReadonlyArray<Stmt>): ReadonlyArray<number> =>
  walked(body).values.slice(0, count)
/** Reads of what is not bound: a skipped statement should have. */
const nowhere: readonly [Stmt, Expr] = [elect('skipped', X.i1(false)), expr(X.name('skipped'))]

describe('for', () => {
  test.each<readonly [string, readonly [X.Int, X.Int, X.Int], ReadonlyArray<number>]>([
    ['by ones', range(0, 3), [0, 1, 2]],
    ['by threes, the end not among them', range(2, 9, 3), [2, 5, 8]],
    ['up to the end and not with it', range(2, 8, 3), [2, 5]],
    ['from below zero', range(-2, 1), [-2, -1, 0]],
    ['not at all', range(4, 4), []],
    ['nor backwards', range(4, 2), []],
  ])('%s', (_, bounds, indices) => {
    expect(marks(loop('i', bounds, region([mark('body')])), mark('after'))).toEqual([
      ...indices.map((i) => `body [${String(i)}]`),
      'after []',
    ])
  })
  test('one in another: iterations outermost first; the inner one begins again, the outer one goes on', () => {
    const inner = loop('j', range(0, 2), region([mark('inner')]))
    expect(marks(loop('i', range(5, 7), region([mark('before'), inner, mark('after')])))).toEqual([
      'before [5]',
      'inner [5, 0]',
      'inner [5, 1]',
      'after [5]',
      'before [6]',
      'inner [6, 0]',
      'inner [6, 1]',
      'after [6]',
    ])
  })
  test('carried values: the first ones, then what the body yields, all at once; the last ones are the results', () => {
    const swap = (to: number): ReadonlyArray<Stmt> => [
      loop('i', range(0, to), region([], [X.add(name('b'), name('i')), name('a')]), {
        carried: [carried('a', X.i32(10)), carried('b', X.i32(20))],
        results: ['x', 'y'],
      }),
      put(0, name('x')),
      put(1, name('y')),
    ]
    // (10, 20) -> (20 + 0, 10) -> (10 + 1, 20) -> (20 + 2, 11)
    expect([0, 1, 2, 3].map((to) => stored(2, swap(to)))).toEqual([
      [10, 20],
      [20, 10],
      [11, 20],
      [22, 11],
    ])
  })
  test('the bounds are those at the beginning', () => {
    const body = [
      bound('n', X.i32(2)),
      loop('i', [X.i32(0), name('n'), X.i32(1)], region([], [X.add(name('s'), name('n'))]), {
        carried: [carried('s', X.i32(0))],
        results: ['sum'],
      }),
      put(0, name('sum')),
    ]
    expect(stored(1, body)).toEqual([4])
  })
  test.each<readonly [string, readonly [Expr, Expr, Expr], string]>([
    ['a step of zero', range(0, 2, 0), 'loop.step'],
    ['a step below zero', range(2, 0, -1), 'loop.step'],
    ['a start that is no i32', [X.i64(0n), X.i32(1), X.i32(1)], 'type.mismatch'],
    ['an end that is no i32', [X.i32(0), X.i1(true), X.i32(1)], 'type.mismatch'],
    ['a step that is no i32', [X.i32(0), X.i32(1), X.float('f32', 1)], 'type.mismatch'],
    ['a start that has no value', [nowhere[1], X.i32(1), X.i32(1)], 'name.unset'],
    ['an end that has no value', [X.i32(0), nowhere[1], X.i32(1)], 'name.unset'],
    ['a step that has no value', [X.i32(0), X.i32(1), nowhere[1]], 'name.unset'],
  ])('%s: a fault of the loop, and nothing of it happens', (_, bounds, code) => {
    const { fault, marks: seen } = walked([
      mark('before'),
      nowhere[0],
      loop('i', bounds, region([mark('body')])),
      mark('after'),
    ])
    expect(fault).toEqual([code, 'for i'])
    expect(seen).toEqual(['before []'])
  })
})

describe('while', () => {
  /** Counts from `from` while below 3; the argument of `after` is the double. */
  const counting = (from: number): Stmt =>
    repeat(
      [carried('c', X.i32(from))],
      region([mark('before')], [X.lt(name('c'), X.i32(3)), name('c'), X.mul(name('c'), X.i32(2))]),
      region([mark('after')], [X.add(name('p'), X.i32(1))], [binder('p'), binder('q')]),
      ['last', 'double'],
    )
  test('tested before each turn; turns are counted from 0, and a last test fails', () => {
    expect(marks(counting(1), mark('behind'))).toEqual([
      'before [0]',
      'after [0]',
      'before [1]',
      'after [1]',
      'before [2]',
      'behind []',
    ])
    expect(marks(counting(3))).toEqual(['before [0]'])
  })
  test('inside a loop the turns begin again', () => {
    expect(marks(loop('i', range(7, 9), region([counting(2)])))).toEqual([
      'before [7, 0]',
      'after [7, 0]',
      'before [7, 1]',
      'before [8, 0]',
      'after [8, 0]',
      'before [8, 1]',
    ])
  })
  test('a loop inside a turn', () => {
    const turn = repeat(
      [carried('c', X.i32(0))],
      region([], [X.lt(name('c'), X.i32(2)), name('c')]),
      region(
        [loop('i', range(0, 1), region([mark('inner')])), mark('turn')],
        [X.add(name('p'), X.i32(1))],
        [binder('p')],
      ),
      ['last'],
    )
    expect(marks(turn)).toEqual(['inner [0, 0]', 'turn [0]', 'inner [1, 0]', 'turn [1]'])
  })
  test('results are what was yielded behind the condition when it failed', () => {
    expect(stored(2, [counting(1), put(0, name('last')), put(1, name('double'))])).toEqual([3, 6])
    expect(stored(2, [counting(5), put(0, name('last')), put(1, name('double'))])).toEqual([5, 10])
  })
  test.each<readonly [string, ReadonlyArray<Expr>, string]>([
    ['a condition that is no i1', [X.i32(1)], 'type.mismatch'],
    ['a condition that has no value', [nowhere[1]], 'name.unset'],
    ['no condition', [], 'type.mismatch'],
  ])('%s: a fault of the loop', (_, yields, code) => {
    const { fault } = walked([nowhere[0], repeat([], region([], yields), region([mark('after')]), [])])
    expect(fault).toEqual([code, 'while'])
  })
})

describe('if', () => {
  const two = (cond: Expr): Stmt =>
    branch(cond, region([mark('then')], [X.i32(1)]), region([mark('else')], [X.i32(2)]), ['r'])
  test('one side, with its results', () => {
    expect(marks(two(X.i1(true)), mark('after'))).toEqual(['then []', 'after []'])
    expect(marks(two(X.i1(false)), mark('after'))).toEqual(['else []', 'after []'])
    expect(stored(1, [two(X.i1(true)), put(0, name('r'))])).toEqual([1])
    expect(stored(1, [two(X.i1(false)), put(0, name('r'))])).toEqual([2])
  })
  test('it adds nothing to the iteration', () => {
    expect(marks(loop('i', range(3, 4), region([two(X.i1(true)), mark('after')])))).toEqual([
      'then [3]',
      'after [3]',
    ])
  })
  test.each<readonly [string, Expr, string]>([
    ['a condition that is no i1', X.i32(1), 'type.mismatch'],
    ['a condition that has no value', nowhere[1], 'name.unset'],
  ])('%s: a fault of the branch', (_, cond, code) => {
    const { fault, marks: seen } = walked([nowhere[0], two(cond)])
    expect(fault).toEqual([code, 'if'])
    expect(seen).toEqual([])
  })
})

describe('when', () => {
  test('a statement is skipped when it is false', () => {
    expect(marks(mark('yes', X.i1(true)), mark('no', X.i1(false)), mark('after'))).toEqual([
      'yes []',
      'after []',
    ])
  })
  test('what a skipped statement gave in the turn before is gone', () => {
    const body = region([elect('it', X.eq(name('i'), X.i32(0))), mark('used', X.name<'i1'>('it'))])
    expect(walked([loop('i', range(0, 2), body)])).toMatchObject({
      marks: ['used [0]'],
      fault: ['name.unset', 'used'],
    })
  })
  test.each<readonly [string, Expr, string]>([
    ['no i1', X.i32(1), 'type.mismatch'],
    ['without a value', nowhere[1], 'name.unset'],
  ])('%s: a fault of the statement', (_, when, code) => {
    expect(walked([nowhere[0], mark('asks', when)])).toMatchObject({ marks: [], fault: [code, 'asks'] })
  })
  test('an operand without a value is a fault of the statement too', () => {
    expect(walked([nowhere[0], put(0, nowhere[1] as X.Int)]).fault).toEqual(['name.unset', 'put 0'])
  })
})

describe('names', () => {
  test('a let sees the names before it, and is evaluated where it stands', () => {
    const body = [
      bound('x', X.i32(3)),
      bound('y', X.add(name('x'), name('x'))),
      loop('i', range(0, 2), region([bound('z', X.add(name('y'), name('i')))], [name('z')]), {
        carried: [carried('c', name('x'))],
        results: ['last'],
      }),
      put(0, name('y')),
      put(1, name('last')),
    ]
    expect(stored(2, body)).toEqual([6, 7])
  })
})

describe('fork and join', () => {
  test('the parent gives the results and sees its own names again', () => {
    const forked: Program = {
      ...program([]),
      entry: region([
        bound('outer', X.i32(5)),
        {
          _tag: 'Fork',
          branches: [
            {
              agent: 'wg',
              captures: [{ binder: binder('mine'), value: name('outer') }],
              body: region([bound('inner', X.add(name('mine'), X.i32(1))), mark('parent')], [name('inner')]),
            },
            {
              agent: 'helper',
              captures: [{ binder: binder('yours'), value: X.mul(name('outer'), X.i32(4)) }],
              body: region([put(2, name('yours')), mark('child')]),
            },
          ],
          results: [binder('result')],
          site: site('fork'),
        },
        put(0, name('result')),
        put(1, name('outer')),
        mark('after'),
      ]),
    }
    const l = launched(forked, bits('hopper'))
    // the child is idle, with nothing to do, until it is started
    expect(l.machine.agents.map((a) => a.status)).toEqual(['running', 'idle'])
    const { machine, outcome, result } = logged(l, Policy.eager)
    expect(outcome).toEqual({ _tag: 'completed' })
    expect([...readTensor(l.world, machine, 'out')!].slice(0, 3)).toEqual([6, 5, 20])
    expect(machine.agents.map((a) => a.status)).toEqual(['done', 'done'])
    // events of each agent are numbered from 1, one by one
    const numbers = (agent: number): ReadonlyArray<number> => [
      ...new Set(result.flatMap((e) => ('stamp' in e && e.stamp.agent === agent ? [e.stamp.at] : []))),
    ]
    // fork, parent, join, two stores, after; and the child's store and mark
    expect(numbers(0).slice(0, 6)).toEqual([1, 2, 3, 4, 5, 6])
    expect(numbers(1).slice(0, 2)).toEqual([1, 2])
  })
})

describe('control without end', () => {
  const stands = (body: ReadonlyArray<Stmt>): unknown => {
    const l = launched({ ...program([]), entry: region(body) }, bits('hopper'))
    expect(l.world.effort.limit).toBe(Infinity)
    const { ready } = l.machine.agents[0]!
    return ready?._tag === 'fault' ? [ready.fault.code, l.world.header.sites[ready.site]!.label] : ready?._tag
  }
  /** A sum of so many numbers costs four ticks for each. */
  const sum = (text: string, count: number): Stmt => bound(text, X.reduce(X.iota<1>([count], 0), 0, X.add))
  test('steps without an end are a fault of their own; what all agents together may compute is another', () => {
    expect(stands([bound('small', X.i32(1)), sum('s', 2 ** 10), mark('after')])).toBe('do')
    expect(stands([loop('i', range(0, 2 ** 22), region([]))])).toEqual(['loop.endless', 'for i'])
    // what computes much comes to its end, and is no loop
    expect(stands([bound('small', X.i32(1)), sum('s', 2 ** 19), mark('after')])).toBe('do')
    expect(stands([bound('small', X.i32(1)), sum('s', 2 ** 20)])).toEqual(['fuel', 'let s'])
  })
  test('what was computed before does not count', () => {
    const l = launched(program([mark('one'), sum('s', 2 ** 10), mark('two')]), bits('hopper'))
    l.world.effort.spent += 2 ** 23
    expect(logged(l, Policy.eager).outcome).toEqual({ _tag: 'completed' })
    expect(l.world.effort.limit).toBe(Infinity)
  })
})
