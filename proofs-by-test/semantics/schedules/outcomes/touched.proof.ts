/** Paths that may be taken for one, and groups that meet. */
import { describe, expect, test } from 'vitest'
import {
  scattered,
  asSpans,
  type Access,
  type Footprint,
  type Header,
} from '../../../../src/semantics/log/events.js'
import * as Touched from '../../../../src/semantics/schedules/outcomes/touched.js'

const footprint = (byte: number, plane = 0): Footprint => ({
  id: byte + 1000 * plane,
  plane,
  spans: asSpans(Int32Array.of(byte, byte + 4)),
  dtype: 'i32',
  map: scattered([1], Int32Array.of(byte)),
})
const access = (
  agent: number,
  at: number,
  rw: 'r' | 'w',
  byte: number,
  atomic = false,
  plane = 0,
): Access => ({
  _tag: 'access',
  stamp: { agent, at, site: 0, iteration: [] },
  rw,
  proxy: 'generic',
  footprint: footprint(byte, plane),
  role: rw === 'r' ? 'source' : 'destination',
  atomic,
})
const header = { planes: [{ space: 'gmem' }, { space: 'tmem' }] } as unknown as Header
const touchedBy = (...log: ReadonlyArray<Access>): Touched.Touched => {
  const out = Touched.nothing()
  Touched.add(out, [log], () => true)
  return out
}
const nobody = (): boolean => false

describe('paths', () => {
  const one = [access(0, 1, 'w', 0), access(1, 1, 'w', 4)]
  const other = [access(0, 1, 'w', 4), access(1, 1, 'w', 0)]
  const may = (
    ahead: Touched.Touched,
    a = one,
    b = other,
    ended: (agent: number) => boolean = nobody,
  ): boolean => Touched.mayDiffer(header, [a], [b], ahead, ended)
  test('law 1: one path may be itself, whatever is ahead', () => {
    expect(may(touchedBy(access(2, 1, 'w', 0)), one, one)).toBe(true)
  })
  test('tiles that change hands, until something touches one of them', () => {
    expect(may(touchedBy(access(2, 1, 'w', 8)))).toBe(true)
    for (const rw of ['r', 'w'] as const) expect(may(touchedBy(access(2, 1, rw, 4)))).toBe(false)
  })
  test('reads that differ, until something writes there', () => {
    const [a, b] = [[access(0, 1, 'r', 0)], [access(0, 1, 'r', 4)]]
    expect([may(touchedBy(access(2, 1, 'r', 4)), a, b), may(touchedBy(access(2, 1, 'w', 4)), a, b)]).toEqual([
      true,
      false,
    ])
  })
  test('strong accesses do not mind strong ones', () => {
    const [a, b] = [[access(0, 1, 'w', 0, true)], [access(0, 1, 'w', 4, true)]]
    expect([
      may(touchedBy(access(2, 1, 'w', 4, true)), a, b),
      may(touchedBy(access(2, 1, 'w', 4)), a, b),
    ]).toEqual([true, false])
  })
  test('more of what has ended may be missing, of what goes on nothing', () => {
    const [a, b] = [[...one, access(0, 2, 'w', 12)], one]
    expect([may(Touched.nothing(), a, b), may(Touched.nothing(), a, b, (agent) => agent === 0)]).toEqual([
      false,
      true,
    ])
  })
  test('nothing but data in global memory, or in shared memory of one CTA', () => {
    const [a, b] = [[access(0, 1, 'w', 0, false, 1)], [access(0, 1, 'w', 4, false, 1)]]
    expect(may(Touched.nothing(), a, b)).toBe(false)
  })
})

describe('law 2: groups meet', () => {
  const meeting = (a: Touched.Touched, b: Touched.Touched): boolean =>
    Touched.meeting(
      new Map([
        [0, a],
        [3, b],
      ]),
    ) !== null
  test.each([
    ['a write and a read of other bytes', access(0, 1, 'w', 0), access(1, 1, 'r', 4), false],
    ['a write and a read', access(0, 1, 'w', 0), access(1, 1, 'r', 0), true],
    ['two reads', access(0, 1, 'r', 0), access(1, 1, 'r', 0), false],
    ['a strong write and a read', access(0, 1, 'w', 0, true), access(1, 1, 'r', 0), true],
    ['two strong writes', access(0, 1, 'w', 0, true), access(1, 1, 'w', 0, true), false],
    ['bytes of one place in two planes', access(0, 1, 'w', 0), access(1, 1, 'w', 0, false, 1), false],
  ])('%s', (_, a, b, meet) => {
    expect([meeting(touchedBy(a), touchedBy(b)), meeting(touchedBy(b), touchedBy(a))]).toEqual([meet, meet])
  })
})

test('bytes that were written, whoever has', () => {
  const of = (...log: ReadonlyArray<Access>): string => Touched.writtenIn(touchedBy(...log))
  expect(of(access(0, 1, 'w', 0), access(1, 1, 'w', 4))).toBe(of(access(1, 7, 'w', 4), access(1, 1, 'w', 0)))
  expect(of(access(0, 1, 'w', 0))).not.toBe(of(access(0, 1, 'w', 4)))
})
