/** Memory of states that are taken for one: which bytes differ, and which of them are read before they are written. */
import { expect, test } from 'vitest'
import * as Plane from '../../../../src/semantics/machine/plane.js'
import { asSpans, scattered, type Access } from '../../../../src/semantics/log/events.js'
import * as Contents from '../../../../src/semantics/schedules/outcomes/contents.js'

const holding = (...bytes: ReadonlyArray<number>): Plane.Plane => Plane.ofBytes(Uint8Array.from(bytes), false)

test('bytes that differ', () => {
  const out: Contents.Bytes = new Map()
  Contents.addDiffering(out, [holding(1, 2, 3, 4), holding(5)], [holding(1, 7, 3, 8), holding(5)])
  expect([...out]).toEqual([[0, new Set([1, 3])]])
  expect(Plane.wordAsText(holding(1, 2, 3, 4), 0)).toBe('1,2,3,4')
})

const access = (rw: 'r' | 'w', byte: number, combines = false): Access =>
  Object.assign(
    {
      _tag: 'access' as const,
      stamp: { agent: 0, at: 1, site: 0, iteration: [] },
      rw,
      proxy: 'generic' as const,
      footprint: {
        id: byte,
        plane: 0,
        spans: asSpans(Int32Array.of(byte, byte + 4)),
        dtype: 'i32' as const,
        map: scattered([1], Int32Array.of(byte)),
      },
      role: 'source' as const,
      atomic: combines,
    },
    combines ? { combine: 'add' as const } : {},
  )
const bytes: Contents.Bytes = new Map([[0, new Set([0, 4])]])
const to = (
  state: number,
  ...events: ReadonlyArray<Access>
): { readonly state: number; readonly events: Access[][] } => ({
  state,
  events: [[...events]],
})

test('law 1: what is read before it is written, on any way', () => {
  const ahead = Contents.readAhead(
    [
      // byte 0 is written on one way to the read, byte 4 on no way, but read on none
      { to: [to(1, access('w', 0)), to(2)] },
      { to: [to(3, access('r', 0))] },
      { to: [to(3, access('w', 0), access('r', 0))] },
      { to: [] },
    ],
    bytes,
  )
  expect([0, 1, 2, 3].map((s) => ahead(s, 0, 0))).toEqual([false, true, false, false])
  expect(ahead(0, 0, 4)).toBe(false)
})

test('a sum reads what it writes, and a way round is a way', () => {
  const ahead = Contents.readAhead(
    [{ to: [to(1)] }, { to: [to(0), to(2, access('w', 0, true))] }, { to: [] }],
    bytes,
  )
  expect([0, 1, 2].map((s) => ahead(s, 0, 0))).toEqual([true, true, false])
})
