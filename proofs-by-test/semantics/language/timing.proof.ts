/** What of a program may depend on how fast its agents are: a table by hand, a way for the value to go and a place to act on it at a time. */
import { describe, expect, test } from 'vitest'
import * as X from '../../../src/semantics/language/expression.js'
import * as P from '../../../src/semantics/language/program.js'
import type { Program, Stmt } from '../../../src/semantics/language/program.js'
import { timingReasons } from '../../../src/semantics/language/timing.js'
import {
  arrive,
  atomic,
  fork,
  granted,
  int,
  lets,
  loop,
  n,
  of,
  shared,
  tested,
  truth,
  until,
  when,
} from './statements.js'

const agents = ['a', 'b'].map((name) => ({ name })) as unknown as Program['launch']['agents']
const pair: Program['launch'] = { grid: [X.i32(1)], cluster: [1], agents }
const reasonsIn = (launch: Program['launch'], ...body: ReadonlyArray<Stmt>): ReadonlyArray<string> =>
  timingReasons({ launch, entry: P.region(body) } as Program)
const reasons = (...body: ReadonlyArray<Stmt>): ReadonlyArray<string> => reasonsIn(pair, ...body)

const order = 'an atomic’s return order'
const control = [`if: control depends on ${order}`]

describe('law 1: what is timed', () => {
  test('atomics of an agent that is alone in the launch have no order but its own; a test has', () => {
    const launch = (grid: number, cluster: number, n: number): Program['launch'] => ({
      grid: [X.i32(grid), X.i32(1)],
      cluster: [cluster, 1],
      agents: agents.slice(0, n),
    })
    for (const which of [atomic('x'), shared('x')]) {
      expect(reasonsIn(launch(1, 1, 1), which, when(n('x')))).toEqual([])
      for (const others of [launch(2, 1, 1), launch(1, 2, 1), launch(1, 1, 2)])
        expect(reasonsIn(others, which, when(n('x')))).toEqual(control)
    }
    expect(reasonsIn(launch(1, 1, 1), tested('x'), when(n('x')))).not.toEqual([])
    const grid: Program['launch'] = { ...launch(1, 1, 1), grid: [n('n')] }
    expect(reasonsIn(grid, atomic('x'), when(n('x')))).toEqual(control)
  })
  test('three results, and no other', () => {
    expect(reasons(atomic('x'), when(n('x')))).toEqual(control)
    expect(reasons(shared('x'), when(n('x')))).toEqual(control)
    expect(reasons(tested('x'), when(n('x')))).toEqual(['if: control depends on the outcome of a test'])
    expect(reasons(granted('x'), when(n('x')))).toEqual([])
    expect(reasons(atomic('x'), when(n('y')))).toEqual([])
    expect(reasons(when(n('x')))).toEqual([])
    expect(reasons(atomic('x'))).toEqual([])
    expect(reasons(of('two', { _tag: 'gmem.atomicPtr' }, ['y', 'x']), when(n('x')))).toEqual(control)
  })
  test('a test orders what comes after it if it passes: it needs no use', () => {
    const ordering = ['test: what it orders depends on the outcome of a test']
    expect(reasons(tested('x'))).toEqual(ordering)
    expect(reasons(loop({ body: [tested('x')] }), lets('y', n('x')))).toEqual(ordering)
    expect(reasons(fork([[], [tested('x')]]), tested('y'))).toEqual(ordering)
  })
  test('the first reason is kept', () => {
    expect(reasons(atomic('x'), tested('y'), lets('z', X.add(n('y'), n('x'))), when(n('z')))).toEqual([
      'if: control depends on the outcome of a test',
    ])
    expect(reasons(atomic('x'), tested('x'), when(n('x')))).toEqual(control)
  })
})

describe('where it goes', () => {
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<Stmt>]> = [
    ['a let', [atomic('x'), lets('y', X.mul(n('x'), X.i32(2))), when(n('y'))]],
    [
      'deep in an expression',
      [atomic('x'), lets('y', X.add(X.i32(1), X.sub(X.i32(2), n('x')))), when(n('y'))],
    ],
    [
      'a chain that is written backwards',
      [loop({ body: [lets('z', n('y')), lets('y', n('x')), atomic('x')] }), when(n('z'))],
    ],
    ['the start of a loop’s value', [atomic('x'), loop({ carried: [['y', n('x')]], body: [when(n('y'))] })]],
    [
      'the next round’s value',
      [loop({ carried: [['y', X.i32(0)]], body: [when(n('y')), atomic('x')], yields: [n('x')] })],
    ],
    [
      'the second of two values',
      [
        loop({
          carried: [
            ['u', X.i32(0)],
            ['y', X.i32(0)],
          ],
          body: [when(n('y')), atomic('x')],
          yields: [X.i32(1), n('x')],
        }),
      ],
    ],
    [
      'a parameter of the body',
      [loop({ params: ['y'], body: [when(n('y')), atomic('x')], yields: [n('x')] })],
    ],
    [
      'the result, from the start',
      [atomic('x'), loop({ carried: [['y', n('x')]], yields: [X.i32(1)], results: ['r'] }), when(n('r'))],
    ],
    [
      'the result, from a round',
      [
        loop({ carried: [['y', X.i32(0)]], body: [atomic('x')], yields: [n('x')], results: ['r'] }),
        when(n('r')),
      ],
    ],
    [
      'a while: its start',
      [atomic('x'), until({ carried: [['y', n('x')]], before: P.region([when(n('y'))], [X.i1(false)]) })],
    ],
    [
      'a while: its start, in the condition’s parameter',
      [
        atomic('x'),
        until({ carried: [['c', n('x')]], before: P.region([when(n('y'))], [X.i1(false)], [int('y')]) }),
      ],
    ],
    [
      'a while: what a round yields',
      [
        until({
          carried: [['y', X.i32(0)]],
          before: P.region([when(n('y'))], [X.i1(false)]),
          after: P.region([atomic('x')], [n('x')]),
        }),
      ],
    ],
    [
      'a while: what a round yields, in the condition’s parameter',
      [
        until({
          carried: [['c', X.i32(0)]],
          before: P.region([when(n('y'))], [X.i1(false)], [int('y')]),
          after: P.region([atomic('x')], [n('x')]),
        }),
      ],
    ],
    [
      'a while: from the condition to the round',
      [
        until({
          before: P.region([atomic('x')], [X.i1(false), n('x')]),
          after: P.region([when(n('y'))], [], [int('y')]),
        }),
      ],
    ],
    [
      'a while: its result',
      [until({ before: P.region([atomic('x')], [X.i1(false), n('x')]), results: ['r'] }), when(n('r'))],
    ],
    [
      'a branch’s value',
      [
        {
          ...when(n('p'), [atomic('x')]),
          then: P.region([atomic('x')], [n('x')]),
          else: P.region([], [X.i32(0)]),
          results: [int('r')],
          site: P.site('quiet'),
        },
        when(n('r')),
      ],
    ],
    [
      'the other branch’s value',
      [
        {
          ...when(n('p')),
          then: P.region([], [X.i32(0)]),
          else: P.region([atomic('x')], [n('x')]),
          results: [int('r')],
          site: P.site('quiet'),
        },
        when(n('r')),
      ],
    ],
    ['a capture', [atomic('x'), fork([[], []], [[['y', n('x')]], [when(n('y'))]])]],
    ['within a branch', [fork([[], []], [[], [atomic('x'), when(n('x'))]])]],
    ['the result of a fork', [fork([[], [atomic('x')], [n('x')]], [[], []]), when(n('joined0'))]],
  ]
  test.each(rows)('%s', (_, body) => {
    expect(reasons(...body)).toEqual(control)
  })
  test('and where it does not', () => {
    // the other value of a loop, the other value of an if, the condition of a while
    const carried = [
      ['u', X.i32(0)],
      ['y', X.i32(0)],
    ] as const
    expect(reasons(loop({ carried, body: [when(n('u')), atomic('x')], yields: [X.i32(1), n('x')] }))).toEqual(
      [],
    )
    expect(
      reasons(
        loop({ carried, body: [atomic('x')], yields: [X.i32(1), n('x')], results: ['r', 's'] }),
        when(n('r')),
      ),
    ).toEqual([])
    expect(
      reasons(
        until({
          before: P.region([atomic('x')], [X.i1(false), X.i32(1), n('x')]),
          after: P.region([when(n('y'))], [], [int('y'), int('z')]),
          results: ['r', 's'],
        }),
        when(n('r')),
      ),
    ).toEqual([])
    expect(reasons(fork([[], [], [X.i32(0)]], [[], [atomic('x')], [n('x')]]), when(n('joined0')))).toEqual([])
  })
})

describe('who acts on it', () => {
  const rows: ReadonlyArray<readonly [string, Stmt, ReadonlyArray<string>]> = [
    ['an if', when(n('x')), control],
    ['in a branch', when(n('p'), [when(n('x'))]), control],
    ['in the other branch', when(n('p'), [], [when(n('x'))]), control],
    ['the start of a loop', loop({ from: n('x') }), [`loop: control depends on ${order}`]],
    ['its end', loop({ to: n('x') }), [`loop: control depends on ${order}`]],
    ['its step', loop({ step: n('x') }), [`loop: control depends on ${order}`]],
    ['in its body', loop({ body: [when(n('x'))] }), control],
    [
      'the condition of a while',
      until({ before: P.region([], [truth(n('x')), X.i32(0)]) }),
      [`until: control depends on ${order}`],
    ],
    ['a value beside the condition does not', until({ before: P.region([], [X.i1(false), n('x')]) }), []],
    ['before the condition', until({ before: P.region([when(n('x'))], [X.i1(false)]) }), control],
    ['in a round', until({ after: P.region([when(n('x'))]) }), control],
    ['in a fork', fork([[], [when(n('x'))]], [[], []]), control],
    ['in its other branch', fork([[], []], [[], [when(n('x'))]]), control],
    ['a predicate', arrive(X.i32(1), { when: truth(n('x')) }), [`arrive: control depends on ${order}`]],
    ['an operand', arrive(n('x')), [`arrive: bytes depends on ${order}`]],
    [
      'both',
      arrive(n('x'), { when: truth(n('x')) }),
      [`arrive: control depends on ${order}`, `arrive: bytes depends on ${order}`],
    ],
    ['a let does not', lets('y', n('x')), []],
  ]
  test.each(rows)('%s', (_, act, expected) => {
    expect(reasons(atomic('x'), act)).toEqual(expected)
    expect(reasons(act)).toEqual([])
  })
  test('law 2: each place, each once', () => {
    expect(reasons(atomic('x'), when(n('x')), arrive(n('x')), when(n('x')))).toEqual([
      ...control,
      `arrive: bytes depends on ${order}`,
    ])
  })
})
