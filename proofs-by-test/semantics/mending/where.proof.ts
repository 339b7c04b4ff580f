/**
 * Where an edge can go, by hand: a program of each kind of statement, what stands behind each of its effects and which names are known there; and
 * the step of nested loops, held against loops that are run.
 */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { i32, place, eq, add, type ExprNode } from '../../../src/semantics/language/expression.js'
import type { Stmt } from '../../../src/semantics/language/program.js'
import {
  behind,
  inScope,
  isKnown,
  isLooped,
  isOfAll,
  isOfOneAgent,
  lastOfItsAgent,
  otherParity,
  parityAt,
  placesIn,
  saidAround,
  show,
  slotAt,
  statementsAt,
  stepOf,
  type DoSite,
  type Places,
} from '../../../src/semantics/mending/where.js'
import { act, bind, branch, endless, fork, int, loop, programOf } from '../mutation/by-hand.js'

const at = ({ effects }: Places, label: string): DoSite =>
  effects.find((s) => s.statement.site.label === label)!
const labels = (sites: ReadonlyArray<DoSite>): ReadonlyArray<string> =>
  sites.map((s) => s.statement.site.label)

// ---------------------------------------------------------------- around a statement

const all = placesIn(
  programOf([
    act('first'),
    bind('shared', i32(5)),
    fork({
      left: [
        act('l0'),
        loop('k', [bind('slot', int('k')), act('l1'), act('l2', undefined, ['scope', 'inner']), act('l3')]),
        act('l4'),
      ],
      right: [
        act('r0'),
        endless('spin', [act('r1')], [bind('seen', i32(2)), act('r2')]),
        loop('j', [loop('i', [act('r3')]), act('r4')]),
        branch(eq(int('n'), i32(0)), [act('r5')], [act('r6')]),
      ],
    }),
    loop('m', [act('e0'), branch(eq(place('warp'), i32(0)), [act('w0'), act('w1')], [act('w2')]), act('e1')]),
    act('last'),
  ]),
)

describe('what an agent comes to behind a statement', () => {
  test.each([
    // every agent comes by: what branches do is theirs
    ['first', ['e0', 'e1', 'last']],
    // a round of a loop is followed by the next
    ['e1', ['last', 'e0']],
    ['e0', ['e1', 'last']],
    ['l0', ['l1', 'l2', 'l3', 'l4']],
    ['l1', ['l2', 'l3', 'l4']],
    ['l3', ['l4', 'l1', 'l2']],
    ['l4', []],
    ['r2', ['r3', 'r4', 'r5', 'r6', 'r1']],
    // the outermost loop is the one that comes back
    ['r4', ['r5', 'r6', 'r3']],
    ['r6', []],
    // the loop is around the branch, and what is in it is another agent's
    ['w1', []],
    ['w0', ['w1']],
  ] as const)('%s', (label, expected) => {
    expect(labels(behind(all, at(all, label)))).toEqual(expected)
  })

  test.each([
    ['first', 'last'],
    ['e0', 'last'],
    ['l1', 'l4'],
    ['r3', 'if'],
    ['w0', 'w1'],
    ['w2', 'w2'],
  ] as const)('the last that the agent of %s comes to is %s', (label, expected) => {
    expect(lastOfItsAgent(all, at(all, label))?.site.label).toBe(expected)
  })

  test.each([
    ['first', 'last', true],
    ['e0', 'first', true],
    ['l0', 'l2', true],
    ['l0', 'r0', false],
    ['w0', 'w2', false],
    ['e0', 'w0', false],
    ['r5', 'r6', true],
  ] as const)('%s and %s are of one agent: %s', (x, y, expected) => {
    expect(isOfOneAgent(at(all, x), at(all, y))).toBe(expected)
  })

  it('all agents come by in the entry, and in no branch that asks who comes', () => {
    expect(labels(all.effects.filter(isOfAll))).toEqual(['first', 'e0', 'e1', 'last'])
  })

  it('a statement is looped if its own agent comes by again', () => {
    expect(labels(all.effects.filter(isLooped))).toEqual([
      'l1',
      'l2',
      'l3',
      'r1',
      'r2',
      'r3',
      'r4',
      'e0',
      'e1',
    ])
  })
})

describe('names that are known right before a statement, the nearest last', () => {
  test.each([
    ['first', []],
    ['l0', ['captured by left']],
    ['l1', ['captured by left', 'k', 'k carried', 'slot']],
    ['l4', ['captured by left', 'k result']],
    ['r1', ['captured by right', 'spin carried']],
    ['r2', ['captured by right', 'spin carried', 'spin passed', 'seen']],
    ['r3', ['captured by right', 'spin result', 'j', 'j carried', 'i', 'i carried']],
    ['r4', ['captured by right', 'spin result', 'j', 'j carried', 'i result']],
    ['r5', ['captured by right', 'spin result', 'j result']],
    ['w2', ['shared', 'm', 'm carried']],
    ['last', ['shared', 'm result']],
  ] as const)('%s', (label, expected) => {
    expect(inScope(at(all, label)).map((b) => b.name)).toEqual(expected)
  })

  test.each([
    ['l1', add(int('k'), int('slot')), true],
    ['l0', int('k'), false],
    ['l1', add(int('k'), int('shared')), false],
    ['last', add(int('n'), int('shared')), true],
    ['first', int('shared'), false],
    ['first', i32(3), true],
  ] as const)('at %s', (label, expr, expected) => {
    expect(isKnown(all.program, at(all, label))(expr)).toBe(expected)
  })
})

describe('statements of a finding', () => {
  const twice = placesIn(
    programOf([
      act('a', undefined, ['x']),
      act('a', undefined, ['x', 'y']),
      fork({
        left: [act('a', undefined, ['x'])],
        right: [act('a', undefined, ['x']), act('b', undefined, ['x'])],
      }),
    ]),
  )
  const operation = (label: string, path: ReadonlyArray<string>, agent: string) => ({
    op: 0,
    site: label,
    path,
    agent,
  })
  test.each([
    // in the entry the listing does not say who comes by
    ['a', ['x'], 'left@0', [0, 2]],
    ['a', ['x'], 'right@1', [0, 3]],
    ['a', ['x', 'y'], 'left@0', [1]],
    ['a', ['y', 'x'], 'left@0', []],
    ['a', [], 'left@0', []],
    ['b', ['x'], 'right@0', [4]],
    ['b', ['x'], 'left@0', []],
    ['c', ['x'], 'left@0', []],
  ] as const)('%s in %j of %s', (label, path, agent, expected) => {
    const found = statementsAt(twice, operation(label, path, agent) as never)
    expect(found.map((s) => twice.effects.indexOf(s))).toEqual(expected)
  })

  it('is shown with its agent, else with the scopes that it is in', () => {
    expect(twice.effects.map(show)).toEqual([
      '`a` (x)',
      '`a` (x / y)',
      '`a` of left',
      '`a` of right',
      '`b` of right',
    ])
    expect(show(at(all, 'last'))).toBe('`last`')
    expect(show(at(all, 'w0'))).toBe('`w0`')
  })
})

it('what an agent says: in its own region first, with all that is inside', () => {
  const said = placesIn(
    programOf([
      bind('far', i32(1)),
      fork({
        left: [
          bind('outer', i32(2)),
          loop('k', [act('here'), bind('near', add(int('k'), i32(6)))], [3, 4, 5]),
        ],
        right: [bind('other', i32(8))],
      }),
    ]),
  )
  const text = (e: ExprNode): string =>
    e._tag === 'const' ? String(e.value) : e._tag === 'name' ? e.name : e._tag
  // the sum with its two parts; then what stands around the loop, its bounds, what it carries and yields
  expect(saidAround(said, at(said, 'here')).map(text)).toEqual([
    'binary',
    'k',
    '6',
    '2',
    '3',
    '4',
    '5',
    '7',
    'k carried',
  ])
})

// ---------------------------------------------------------------- the step

const valueOf = (e: ExprNode, names: ReadonlyMap<string, number>): number => {
  if (e._tag === 'const') return Number(e.value)
  if (e._tag === 'name') return names.get(e.name)!
  if (e._tag !== 'binary') throw new Error(e._tag)
  const [x, y] = [valueOf(e.x, names), valueOf(e.y, names)]
  switch (e.op) {
    case 'add':
      return x + y
    case 'sub':
      return x - y
    case 'mul':
      return x * y
    case 'quo':
      return Math.trunc(x / y)
    case 'mod':
      return x - y * Math.floor(x / y)
    case 'and':
      return x & y
    case 'xor':
      return x ^ y
    default:
      throw new Error(e.op)
  }
}

const bounds = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 3 }))
  .map(([from, more, by]) => [from, from + more, by] as const)

describe('the step', () => {
  it('counts the rounds that loops have made, whatever their bounds; with it a ring has its slot and its parity', () => {
    fc.assert(
      fc.property(
        fc.array(bounds, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        (nest, slots) => {
          const body = nest.reduceRight<ReadonlyArray<Stmt>>(
            (inner, b, k) => [loop(`k${String(k)}`, inner, b)],
            [act('here')],
          )
          const step = stepOf(at(placesIn(programOf(body)), 'here'))!
          let round = 0
          const run = (depth: number, names: ReadonlyMap<string, number>): void => {
            const here = nest[depth]
            if (here === undefined) {
              expect(valueOf(step, names)).toBe(round)
              expect(valueOf(slotAt(step, slots), names)).toBe(round % slots)
              const parity = Math.floor(round / slots) % 2
              expect(valueOf(parityAt(step, slots), names)).toBe(parity)
              expect(valueOf(otherParity(parityAt(step, slots)), names)).toBe(1 - parity)
              round++
              return
            }
            for (let k = here[0]; k < here[1]; k += here[2])
              run(depth + 1, new Map([...names, [`k${String(depth)}`, k]]))
          }
          run(0, new Map())
        },
      ),
    )
  })

  it('is as short as it can be said', () => {
    const stepIn = (nest: ReadonlyArray<readonly [number, number, number]>): ExprNode =>
      stepOf(
        at(
          placesIn(
            programOf(
              nest.reduceRight<ReadonlyArray<Stmt>>(
                (inner, b, k) => [loop(`k${String(k)}`, inner, b)],
                [act('here')],
              ),
            ),
          ),
          'here',
        ),
      )!
    expect(stepIn([[0, 8, 1]])).toEqual(int('k0'))
    expect(stepIn([[2, 8, 1]])).toEqual({ _tag: 'binary', op: 'sub', x: int('k0'), y: i32(2) })
    expect(stepIn([[0, 8, 2]])).toEqual({ _tag: 'binary', op: 'quo', x: int('k0'), y: i32(2) })
    expect(slotAt(int('k'), 1)).toEqual(i32(0))
    expect(parityAt(int('k'), 1)).toEqual({ _tag: 'binary', op: 'and', x: int('k'), y: i32(1) })
    expect([otherParity(i32(0)), otherParity(i32(1))]).toEqual([i32(1), i32(0)])
  })

  it('there is none in a loop without an end, and none outside of loops', () => {
    expect(stepOf(at(all, 'r2'))).toBeNull()
    expect(stepOf(at(all, 'l0'))).toBeNull()
    expect(stepOf(at(all, 'l1'))).toEqual(int('k'))
  })

  it('is that of its own agent: a loop around the branch is that of all', () => {
    expect(stepOf(at(all, 'w0'))).toBeNull()
    expect(stepOf(at(all, 'e0'))).toEqual(int('m'))
  })
})
