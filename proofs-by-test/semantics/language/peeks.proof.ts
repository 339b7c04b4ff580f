/** Which tests are peeks: the ways in which one is written, and what else is made of an outcome, a row each, with what is said of it. */
import { describe, expect, test } from 'vitest'
import * as X from '../../../src/semantics/language/expression.js'
import * as P from '../../../src/semantics/language/program.js'
import { peeksOf } from '../../../src/semantics/language/peeks.js'
import type { Do, Program, Stmt } from '../../../src/semantics/language/program.js'
import { timingReasons, unlikePeeks } from '../../../src/semantics/language/timing.js'
import { arrive, atomic, fork, int, lets, loop, n, of, tested, truth, until } from './statements.js'

const launch = { grid: [], cluster: [2], agents: [{}] }
const program = (...body: ReadonlyArray<Stmt>): Program =>
  ({ launch, entry: P.region(body) }) as unknown as Program
const reasons = (...body: ReadonlyArray<Stmt>): ReadonlyArray<string> => timingReasons(program(...body))
const lacks = (...body: ReadonlyArray<Stmt>): ReadonlyArray<string> => unlikePeeks(peeksOf(program(...body)))

const ok = X.name<'i1'>('ok')
const truthOf = (name: string): X.Condition => X.name<'i1'>(name)
const plain: Do = of('wait', { _tag: 'mbarrier.wait', barrier: X.storage('b'), parity: X.i32(0) })
const unless = (name: string): Stmt => ({ ...plain, when: X.not(truthOf(name)) })
const branch = (cond: X.Condition, then: ReadonlyArray<Stmt>, otherwise: ReadonlyArray<Stmt> = []): P.If => ({
  _tag: 'If',
  cond,
  then: P.region(then),
  else: P.region(otherwise),
  results: [],
  site: P.site('if'),
})
const yielded = (then: P.Region, otherwise: P.Region, result: string): P.If => ({
  ...branch(truth(n('p')), []),
  then,
  else: otherwise,
  results: [int(result)],
})
const carried = (name: string): X.Int => n(name)

describe('what a peek is', () => {
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<Stmt>]> = [
    ['a wait with a condition', [tested('ok'), unless('ok')]],
    ['a branch around a wait', [tested('ok'), branch(X.not(ok), [plain])]],
    ['the other branch', [tested('ok'), branch(ok, [], [plain])]],
    ['lets before the wait', [tested('ok'), branch(X.not(ok), [lets('z', X.i32(1)), plain])]],
    ['work between', [tested('ok'), arrive(X.i32(1)), unless('ok')]],
    ['another name', [tested('x'), lets('y', n('x')), lets('ok', n('y')), unless('ok')]],
    [
      'carried around a loop',
      [
        tested('first'),
        loop({ carried: [['ok', n('first')]], body: [unless('ok'), tested('next')], yields: [n('next')] }),
      ],
    ],
    [
      'from a constant',
      [loop({ carried: [['ok', carried('f')]], body: [unless('ok'), tested('next')], yields: [n('next')] })],
    ],
    [
      'made in some rounds',
      [
        tested('first'),
        loop({
          carried: [['ok', n('first')]],
          body: [
            unless('ok'),
            yielded(P.region([tested('more')], [n('more')]), P.region([], [X.i1(true)]), 'next'),
          ],
          yields: [n('next')],
        }),
      ],
    ],
    [
      'out of a loop',
      [
        loop({ carried: [['c', X.i32(1)]], body: [tested('t')], yields: [n('t')], results: ['ok'] }),
        unless('ok'),
      ],
    ],
    [
      'through a while',
      [until({ before: P.region([tested('t')], [X.i1(false), n('t')]), results: ['ok'] }), unless('ok')],
    ],
    ['two waits in two branches', [tested('ok'), branch(truth(n('p')), [unless('ok')], [unless('ok')])]],
    ['within a branch of a fork', [fork([[], [tested('ok'), unless('ok')]], [[], []])]],
  ]
  test.each(rows)('%s', (_, body) => {
    expect(lacks(...body)).toEqual([])
    expect(reasons(...body)).toEqual([])
    expect(peeksOf(program(...body)).tests.size).toBeGreaterThan(0)
  })
  test('law 1: without tests there is none', () => {
    expect(peeksOf(program(plain, unless('ok'))).spared.size).toBe(0)
    expect(lacks(plain, atomic('ok'), unless('ok'))).toEqual([])
  })
  test('an outcome may meet what is timed: that is a reason of its own', () => {
    const body = [
      atomic('a'),
      yielded(P.region([tested('t')], [n('t')]), P.region([], [n('a')]), 'ok'),
      unless('ok'),
    ]
    expect(lacks(...body)).toEqual([])
    expect(reasons(...body)).toEqual(['wait: control depends on an atomic’s return order'])
  })
})

describe('what it is not', () => {
  const control = 'control depends on the outcome of a test'
  const rows: ReadonlyArray<
    readonly [what: string, body: ReadonlyArray<Stmt>, lacks: string, reason: string]
  > = [
    [
      'no wait',
      [tested('ok')],
      'no wait is spared by it',
      'test: what it orders depends on the outcome of a test',
    ],
    [
      'a branch with more than the wait',
      [tested('ok'), branch(X.not(ok), [plain, arrive(X.i32(1))])],
      'control of if depends on its outcome',
      `if: ${control}`,
    ],
    [
      'a branch with something before it',
      [tested('ok'), branch(X.not(ok), [arrive(X.i32(1)), plain])],
      'control of if depends on its outcome',
      `if: ${control}`,
    ],
    [
      'something in the other branch',
      [tested('ok'), branch(X.not(ok), [plain], [arrive(X.i32(1))])],
      'control of if depends on its outcome',
      `if: ${control}`,
    ],
    [
      'a wait that is made if it is true',
      [tested('ok'), branch(ok, [plain])],
      'control of if depends on its outcome',
      `if: ${control}`,
    ],
    [
      'the same as a condition',
      [tested('ok'), { ...plain, when: ok }, unless('ok')],
      'control of wait depends on its outcome',
      `wait: ${control}`,
    ],
    [
      'another statement',
      [tested('ok'), unless('ok'), arrive(X.i32(1), { when: X.not(ok) })],
      'control of arrive depends on its outcome',
      `wait: ${control}`,
    ],
    [
      'an operand',
      [tested('ok'), unless('ok'), arrive(n('ok'))],
      'bytes of arrive depends on its outcome',
      `wait: ${control}`,
    ],
    [
      'arithmetic',
      [tested('ok'), unless('ok'), lets('y', X.add(n('ok'), X.i32(1)))],
      'y computes with its outcome',
      `wait: ${control}`,
    ],
    [
      'a negation by another name',
      [tested('t'), lets('ok', X.not(truthOf('t'))), { ...plain, when: ok }],
      'ok computes with its outcome',
      `wait: ${control}`,
    ],
    [
      'the bound of a loop',
      [tested('ok'), unless('ok'), loop({ to: n('ok') })],
      'control of loop depends on its outcome',
      `wait: ${control}`,
    ],
    [
      'the condition of a while',
      [until({ before: P.region([tested('ok'), unless('ok')], [ok]) })],
      'control of until depends on its outcome',
      `wait: ${control}`,
    ],
    [
      'another agent',
      [tested('x'), fork([[], []], [[['ok', n('x')]], [unless('ok')]])],
      'fork hands its outcome to',
      `wait: ${control}`,
    ],
    [
      'the end of a branch',
      [fork([[], [tested('t')], [n('t')]], [[], []]), unless('joined0')],
      'its outcome leaves the branch in which it is made',
      `wait: ${control}`,
    ],
    [
      'one of two that meet',
      [
        tested('x'),
        tested('y'),
        yielded(P.region([], [n('x')]), P.region([], [n('y')]), 'ok'),
        unless('ok'),
        arrive(n('y')),
      ],
      'bytes of arrive depends on its outcome',
      `wait: ${control}`,
    ],
  ]
  test.each(rows)('%s', (_, body, words, reason) => {
    const said = lacks(...body)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(`test is a test and no peek: ${words}`)
    expect(reasons(...body)[0]).toBe(reason)
    expect(peeksOf(program(...body)).spared.size).toBe(0)
  })
  test('law 2: each test is a peek, or has a reason', () => {
    const all = peeksOf(program(tested('x'), unless('x'), tested('y'), tested('z'), arrive(n('z'))))
    expect([all.tests.size, all.others.size]).toEqual([1, 2])
  })
})
