/**
 * Which changes are said to change nothing, by which rule, and which are not, by hand: a change beside each that is like it and does change something.
 */
import { expect, test } from 'vitest'
import { eq, i32, type ExprNode } from '../../../src/semantics/language/expression.js'
import type { Program, Stmt, Storage } from '../../../src/semantics/language/program.js'
import { ruleFor } from '../../../src/semantics/mutation/certificate.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { act, branch, int, loop, programOf } from './by-hand.js'

const barriers = (id: string, ordersTensorCore: boolean): Storage => ({
  id,
  space: 'smem',
  owner: 'cta',
  contents: { _tag: 'barriers', contract: 'ptx', ordersTensorCore, shape: [4] },
  bits: 256,
  align: 8,
})
const slot = (id: string, index: ExprNode = i32(0)): ExprNode => ({
  _tag: 'slot',
  of: { _tag: 'storage', storage: id },
  index,
})
const arrive = (barrier: ExprNode): object => ({
  _tag: 'mbarrier.arrive',
  barrier,
  count: 1,
  release: true,
  scope: 'cta',
})
const wait = (barrier: ExprNode): object => ({
  _tag: 'mbarrier.wait',
  barrier,
  parity: i32(0),
  acquire: true,
  scope: 'cta',
})
const init = (barrier: ExprNode): object => ({ _tag: 'mbarrier.init', barrier, count: 1 })
const expects = (barrier: ExprNode): object => ({
  _tag: 'mbarrier.arriveExpectTx',
  barrier,
  bytes: i32(64),
  release: true,
  scope: 'cta',
})
const load = (barrier: ExprNode): object => ({
  _tag: 'tma.load',
  descriptor: { _tag: 'descriptor', param: 'map' },
  coords: [],
  destination: int('d'),
  barrier,
  ctaGroup: 1,
})
const write = { _tag: 'smem.store', destination: int('d'), value: int('v') }
const sync = (count: number): object => ({ _tag: 'bar.sync', id: 1, count })
const group = (pending: number): object => ({ _tag: 'bulk.waitGroup', pending, read: true })
const [before, after] = [{ _tag: 'tcgen05.fenceBefore' }, { _tag: 'tcgen05.fenceAfter' }]
const [a, b] = [slot('tensor', i32(0)), slot('tensor', i32(1))]

const program = (body: ReadonlyArray<Stmt>): Program => ({
  ...programOf(body, {
    arch: 'sm100a',
    storage: [barriers('tensor', true), barriers('plain', false)],
    cluster: 2,
  }),
  launch: {
    grid: [i32(1)],
    cluster: [2],
    agents: [
      { name: 'one', kind: 'warpgroup', firstWarp: 0, warps: 4 },
      { name: 'two', kind: 'warp', firstWarp: 4, warps: 1 },
    ],
  },
})
const rule = (
  body: ReadonlyArray<Stmt>,
  label: string,
  operator: string,
  change: string,
  notes: ReadonlyArray<string> = [],
): string | null => {
  const p = program(body)
  const found = mutantsOf(p).filter(
    (m) => m.label === label && m.operator === operator && m.change === change,
  )
  expect([label, change, found.length]).toEqual([label, change, 1])
  return ruleFor(p, found[0]!, { notes: notes.map((id) => ({ id })) } as unknown as Verdict)
}

const rows: ReadonlyArray<
  readonly [
    body: ReadonlyArray<Stmt>,
    label: string,
    operator: string,
    change: string,
    expected: string | null,
  ]
> = [
  // a group wait that leaves fewer open waits for more; one that leaves more does not, and other counts are none of a group
  [[act('g', group(1))], 'g', 'COUNT', 'one less', 'stronger wait'],
  [[act('g', group(1))], 'g', 'COUNT', 'one more', null],
  [[act('s', sync(96))], 's', 'COUNT', 'one warp less', null],
  [[act('r', { _tag: 'mbarrier.init', barrier: a, count: 2 })], 'r', 'COUNT', 'one less', null],
  [[act('g', group(0))], 'g', 'FLAG', 'in full', 'stronger wait'],
  [[act('g', { _tag: 'bulk.waitGroup', pending: 0, read: false })], 'g', 'FLAG', 'reads only', null],
  [[act('m', { _tag: 'cluster.arrive', relaxed: true })], 'm', 'FLAG', 'not relaxed', 'stronger wait'],
  [[act('m', { _tag: 'cluster.arrive', relaxed: false })], 'm', 'FLAG', 'relaxed', null],
  [[act('f', { _tag: 'fence.proxyAsync', scope: 'cta' })], 'f', 'FENCE', 'of cluster scope', 'wider fence'],
  [[act('f', { _tag: 'fence.proxyAsync', scope: 'cluster' })], 'f', 'FENCE', 'of cta scope', null],
  [[act('f', { _tag: 'fence.proxyAsync', scope: 'cta' })], 'f', 'FENCE', 'of global scope', null],
  // what is done twice
  [[act('w', wait(a))], 'w', 'DUP', 'twice', 'repeated wait'],
  [[act('g', group(0))], 'g', 'DUP', 'twice', 'idempotent wait'],
  [[act('r', arrive(a))], 'r', 'DUP', 'twice', null],
  [[act('x', write)], 'x', 'DUP', 'twice', 'repeated access'],
  // a barrier that each agent meets by itself
  [[act('s', sync(32))], 's', 'EXIT', 'left out', 'rendezvous of one'],
  [[act('s', sync(64))], 's', 'EXIT', 'left out', null],
  [[act('s', sync(32))], 's', 'COUNT', 'one warp more', null],
  [[act('i', { _tag: 'fence.mbarrierInit' })], 'i', 'DROP', 'left out', 'no peer'],
  [[act('p', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })], 'p', 'DROP', 'left out', 'permit'],
  // a fence that the barrier beside it makes
  [[act('f', before), act('r', arrive(a))], 'f', 'DROP', 'left out', 'implied fence'],
  [[act('f', before), act('r', arrive(slot('plain')))], 'f', 'DROP', 'left out', null],
  [[act('f', before), act('w', wait(a))], 'f', 'DROP', 'left out', null],
  [[act('r', arrive(a)), act('f', before)], 'f', 'DROP', 'left out', null],
  [[act('w', wait(a)), act('f', after)], 'f', 'DROP', 'left out', 'implied fence'],
  [[act('w', wait(slot('plain'))), act('f', after)], 'f', 'DROP', 'left out', null],
  [[act('f', after), act('w', wait(a))], 'f', 'DROP', 'left out', null],
  [[act('f', before), act('r', arrive(a))], 'f', 'ORDER', 'behind r', 'implied fence'],
  [[act('f', before), act('r', arrive(slot('plain')))], 'f', 'ORDER', 'behind r', null],
  [[act('w', wait(a)), act('f', after)], 'w', 'ORDER', 'behind f', 'implied fence'],
  [[act('w', wait(slot('plain'))), act('f', after)], 'w', 'ORDER', 'behind f', null],
  // neighbours of two barriers
  ...([init, arrive, wait, expects] as const).flatMap((of): typeof rows => [
    [[act('x', of(a)), act('y', of(b))], 'x', 'ORDER', 'behind y', 'commuting neighbours'],
    [[act('x', of(a)), act('y', of(int('n')))], 'x', 'ORDER', 'behind y', null],
  ]),
  [[act('x', init(a)), act('y', arrive(b))], 'x', 'ORDER', 'behind y', null],
  [[act('x', arrive(a)), act('y', wait(b))], 'x', 'ORDER', 'behind y', null],
  [[act('x', arrive(a)), act('y', expects(b))], 'x', 'ORDER', 'behind y', 'commuting neighbours'],
  // an announcement behind the copy that it announces is in time
  [[act('e', expects(a)), act('l', load(a))], 'e', 'MOVE', 'behind l', 'expected in time'],
  [[act('e', expects(a)), act('l', load(b))], 'e', 'MOVE', 'behind l', null],
  [[act('l', load(a)), act('e', expects(a))], 'e', 'MOVE', 'before l', null],
  [[act('r', arrive(a)), act('l', load(a))], 'r', 'MOVE', 'behind l', null],
  [[act('e', expects(a)), act('x', write)], 'e', 'MOVE', 'behind x', null],
  // declarations and predicates
  [[act('w', wait(slot('tensor', int('n'))))], 'tensor', 'ALLOC', 'a slot more', 'larger buffer'],
  [[act('w', wait(slot('tensor', int('n'))))], 'tensor', 'ALLOC', 'a slot less', null],
  [[act('w', wait(a))], 'tensor', 'FLAG', 'without order of the tensor core', null],
  [[act('c', { _tag: 'tcgen05.alloc', columns: 64, ctaGroup: 1 })], 'c', 'ALLOC', 'twice the columns', null],
  // what is only left out, retargeted or given another slot changes something
  [[act('w', wait(a))], 'w', 'RETARGET', 'the next slot', null],
  [[act('w', wait(b))], 'w', 'SLOT', 'always slot 0', null],
  [[act('r', arrive(a))], 'r', 'PRIME', 'left out', null],
  [[loop('k', [act('w', wait(a))])], 'w', 'DROP', 'left out', null],
  [[branch(eq(int('n'), i32(0)), [act('w', wait(a))])], 'w', 'EXIT', 'left out', null],
]

test.each(
  rows.map(([body, label, operator, change, expected], k) => {
    const name = `${String(k)} ${label}, ${operator} ${change}: ${String(expected)}`
    return [name, body, label, operator, change, expected] as const
  }),
)('%s', (_, body, label, operator, change, expected) => {
  expect(rule(body, label, operator, change)).toBe(expected)
})

test('a load of tensor memory without its wait, where a note says that its registers depend on it', () => {
  const body = [act('w', { _tag: 'tcgen05.waitLd' })]
  expect(rule(body, 'w', 'EXIT', 'left out', ['M3'])).toBe('register dependency')
  expect(rule(body, 'w', 'EXIT', 'left out', ['M4'])).toBeNull()
  expect(rule([act('w', { _tag: 'tcgen05.waitSt' })], 'w', 'EXIT', 'left out', ['M3'])).toBeNull()
})
