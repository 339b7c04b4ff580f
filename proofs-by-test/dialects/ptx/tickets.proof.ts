/**
 * Tickets: lanes of two warps take numbers from one counter, each for itself, and store where their number says. Oracle: all orders in which the atomics of few lanes can
 * come, by hand, and whether two lanes store to one place in one of them.
 */
import { expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { groundOfText } from './mutants/subjects.js'
import { textOf } from './mutants/warps.js'

// ---------------------------------------------------------------- the oracle

/** All orders of the lanes of these warps, in each of which a warp's lanes come one after the other: whose turn it is. */
const orders = (warps: number, lanes: number): ReadonlyArray<ReadonlyArray<number>> => {
  const out: number[][] = []
  const go = (left: ReadonlyArray<number>, order: ReadonlyArray<number>): void => {
    if (left.every((n) => n === 0)) out.push([...order])
    left.forEach((n, w) => {
      if (n > 0)
        go(
          left.map((m, x) => (x === w ? m - 1 : m)),
          [...order, w],
        )
    })
  }
  go(new Array<number>(warps).fill(lanes), [])
  return out
}

/** By warp, the tickets of its lanes. */
const ticketsOf = (order: ReadonlyArray<number>, warps: number): ReadonlyArray<ReadonlyArray<number>> => {
  const out: number[][] = Array.from({ length: warps }, () => [])
  order.forEach((w, ticket) => out[w]!.push(ticket))
  return out
}

/** In how many pieces each warp's lanes come. */
const piecesOf = (order: ReadonlyArray<number>, warp: number): number =>
  order.filter((w, i) => w === warp && order[i - 1] !== warp).length

test('every two tickets that two lanes of two warps can have, they have where each warp is parted in one place', () => {
  const [warps, lanes] = [2, 4]
  const pairs = (all: ReadonlyArray<ReadonlyArray<number>>): ReadonlySet<string> =>
    new Set(
      all.flatMap((order) => {
        const [a, b] = ticketsOf(order, warps)
        return a!.flatMap((x, i) => b!.map((y, j) => [i, x, j, y].join()))
      }),
    )
  const all = orders(warps, lanes)
  const few = all.filter((order) => [0, 1].every((w) => piecesOf(order, w) <= 2))
  expect(all).toHaveLength(70)
  expect(few.length).toBeLessThan(70)
  expect(pairs(few)).toEqual(pairs(all))
})

// ---------------------------------------------------------------- kernels

/** Where a lane stores: of its ticket, its lane, the ticket of lane 0, and how many lanes of a warp take one. */
type Slot = (ticket: number, lane: number, first: number, lanes: number) => number

const meets = (slot: Slot): boolean =>
  orders(2, 3).some((order) => {
    const slots = ticketsOf(order, 2).flatMap((own) => own.map((t, lane) => slot(t, lane, own[0]!, 3)))
    return new Set(slots).size < slots.length
  })

/** The counter is zero. */
const begun: ReadonlyArray<string> = [
  'setp.ne.u32 %p4, %r1, 0;',
  '@%p4 bra begin;',
  'st.shared.u32 [%r9], 0;',
  'begin:',
  'bar.sync 0;',
]

/** 16 lanes of each of two warps; %r11 is the ticket, %r12 becomes the slot. */
const kernel = (slot: ReadonlyArray<string>): string =>
  textOf([
    ...begun,
    'setp.ge.u32 %p5, %r7, 16;',
    '@%p5 bra over;',
    'atom.relaxed.cta.shared.add.u32 %r11, [%r9], 1;',
    ...slot,
    'mul.wide.u32 %rd4, %r12, 4;',
    'add.u64 %rd4, %rd1, %rd4;',
    'st.global.u32 [%rd4], %r1;',
    'over:',
  ])

const verdictOf = (text: string) => {
  const { program, given } = groundOfText(text, 64)
  const how = Object.assign({}, standardOptions, { algebra: bits('hopper') })
  return right(checkSource(warpSource(program, given), how)).verdict
}

const shared: ReadonlyArray<string> = ['shfl.sync.idx.b32 %r12, %r11, 0, 31, 65535;']

test.each<readonly [string, ReadonlyArray<string>, Slot]>([
  ['its own ticket', ['mov.u32 %r12, %r11;'], (t) => t],
  ['the last place first', ['sub.u32 %r12, 31, %r11;'], (t, _, __, lanes) => 2 * lanes - 1 - t],
  [
    'a block for the warp, as if its tickets were consecutive',
    ['and.b32 %r12, %r11, 16;', 'add.u32 %r12, %r12, %r7;'],
    (t, lane, _, lanes) => Math.floor(t / lanes) * lanes + lane,
  ],
  [
    'the ticket of lane 0 and the lane',
    [...shared, 'add.u32 %r12, %r12, %r7;'],
    (_, lane, first) => first + lane,
  ],
])('%s', (_, text, slot) => {
  const { verdict, findings, scope, schedules } = verdictOf(kernel(text))
  expect(verdict).toBe(meets(slot) ? 'hazard' : 'ok')
  if (meets(slot)) {
    expect(findings.map(({ id }) => id)).toContain('D2')
    // a schedule that has a name replays it
    expect(schedules).toContain('roundrobin')
  } else expect(scope.filter((line) => line.includes('atomics of one instruction'))).toHaveLength(1)
})

test('one lane takes them for all: nothing can come between, and nothing is said of it', () => {
  const { verdict, scope } = verdictOf(
    textOf([
      ...begun,
      '@%p1 bra told;',
      'atom.relaxed.cta.shared.add.u32 %r11, [%r9], 16;',
      'told:',
      'shfl.sync.idx.b32 %r12, %r11, 0, 31, -1;',
      'add.u32 %r12, %r12, %r7;',
      'mul.wide.u32 %rd4, %r12, 4;',
      'add.u64 %rd4, %rd1, %rd4;',
      'setp.ge.u32 %p5, %r7, 16;',
      '@%p5 bra over;',
      'st.global.u32 [%rd4], %r1;',
      'over:',
    ]),
  )
  expect([verdict, scope.filter((line) => line.includes('atomics of one instruction'))]).toEqual(['ok', []])
})
