/** Which lanes of two accesses touch the same bytes. Oracle: for each byte the lanes that touch it, listed one by one. */
import { countOf, singles } from '../../../../src/semantics/log/lane-mask.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import { bitsOf } from '../../../../src/numerics/dtype.js'
import {
  crossing,
  isWithin,
  knowsEvent,
  meetingIn,
} from '../../../../src/semantics/judging/detector/lanes.js'
import { nothing, programOf, type Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import * as Pace from '../../../../src/semantics/judging/detector/pace.js'
import type { Footprint, Stamp } from '../../../../src/semantics/log/events.js'
import { asSpans, scattered } from '../../../../src/semantics/log/events.js'
import { put } from '../../../../src/semantics/judging/detector/sparse.js'

interface Touching {
  readonly footprint: Footprint
  readonly lanes: number
  readonly whole: boolean
}
const all = Array.from({ length: 32 }, (_, lane) => lane)
const isIn = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1

// ---------------------------------------------------------------- drawn

const spansOf = (bytes: Iterable<number>): Int32Array => {
  const out: number[] = []
  for (const byte of [...new Set(bytes)].sort((a, b) => a - b))
    if (out[out.length - 1] === byte) out[out.length - 1] = byte + 1
    else out.push(byte, byte + 1)
  return Int32Array.from(out)
}

let made = 0
const footprint = (dtype: Dtype, addresses: ReadonlyArray<number>, plane = 0): Footprint => {
  const bytes = bitsOf(dtype) / 8
  return {
    id: made++,
    plane,
    spans: asSpans(
      spansOf(
        addresses.filter((at) => at >= 0).flatMap((at) => Array.from({ length: bytes }, (_, k) => at + k)),
      ),
    ),
    dtype,
    map: scattered([addresses.length], Int32Array.from(addresses)),
  }
}

const masks = fc
  .oneof(
    fc.constantFrom(-1, 0xffff, 0xffff0000 | 0, 1, 1 << 31),
    fc.integer().map((m) => (m === 0 ? 1 : m)),
  )
  .map((m) => m | 0)
/** Few bytes, so that lanes meet; an address below zero is nowhere. */
const touching: fc.Arbitrary<Touching> = fc
  .tuple(
    masks,
    fc.constantFrom<Dtype>('u8', 'f16', 'f32'),
    fc.integer({ min: 1, max: 2 }),
    fc.integer({ min: 1, max: 24 }),
    fc.boolean(),
  )
  .chain(([lanes, dtype, each, span, whole]) =>
    fc
      .oneof(
        fc.array(fc.integer({ min: -1, max: span }), {
          minLength: each * countOf(lanes),
          maxLength: each * countOf(lanes),
        }),
        // each has its own, or all but one
        fc
          .tuple(
            fc.shuffledSubarray(
              Array.from({ length: each * countOf(lanes) + 2 }, (_, k) => k - 1),
              { minLength: each * countOf(lanes), maxLength: each * countOf(lanes) },
            ),
            fc.boolean(),
          )
          .map(([at, one]) => (one ? [at[at.length - 1]!, ...at.slice(1)] : at)),
      )
      .map((at) => {
        const bytes = bitsOf(dtype) / 8
        return {
          footprint: footprint(
            dtype,
            at.map((k) => (k < 0 ? -1 : k * bytes)),
          ),
          lanes,
          whole,
        }
      }),
  )

// ---------------------------------------------------------------- byte by byte

const byByte = ({ footprint: f, lanes, whole }: Touching): ReadonlyMap<number, ReadonlySet<number>> => {
  const out = new Map<number, Set<number>>()
  if (f.map._tag !== 'scatter') throw new Error('scattered')
  const who = all.filter((lane) => isIn(lanes, lane))
  const { offsets } = f.map
  const each = offsets.length / who.length
  offsets.forEach((at, i) => {
    if (at < 0) return
    for (let k = 0; k < bitsOf(f.dtype) / 8; k++) {
      const those = out.get(at + k) ?? new Set()
      out.set(at + k, those)
      for (const lane of whole || !Number.isInteger(each) ? who : [who[Math.floor(i / each)]!])
        those.add(lane)
    }
  })
  return out
}
const maskOf = (lanes: Iterable<number>): number => [...lanes].reduce((m, lane) => m | (1 << lane), 0)
const bruteCrossing = (x: Touching, y: Touching): { readonly crossing: number; readonly shared: number } => {
  const [there, here] = [byByte(y), byByte(x)]
  const apart = new Set<number>()
  const same = new Set<number>()
  for (const [byte, lanes] of here)
    for (const lane of lanes)
      for (const other of there.get(byte) ?? []) (other === lane ? same : apart).add(lane)
  return { crossing: maskOf(apart), shared: maskOf(same) }
}

describe('lanes that touch one byte', () => {
  test('law 2: all of them, and no other', () => {
    fc.assert(
      fc.property(touching, touching, (x, y) => {
        // one lane alone is in the order of its program: nothing is looked up
        if (x.lanes === y.lanes && countOf(x.lanes) === 1)
          expect(crossing(x, y)).toEqual({ crossing: 0, shared: x.lanes })
        else expect(crossing(x, y)).toEqual(bruteCrossing(x, y))
        // asked again, the same is said
        expect(crossing(x, y)).toEqual(crossing(x, y))
      }),
      { numRuns: 200 },
    )
  })
  test('law 1: none with itself exactly if no two lanes touch one byte', () => {
    fc.assert(
      fc.property(touching, (x) => {
        const isMet = [...byByte(x).values()].some((lanes) => lanes.size > 1)
        expect(crossing(x, x).crossing !== 0).toBe(isMet)
        expect(meetingIn(x) !== 0).toBe(isMet && !x.whole)
      }),
      { numRuns: 200 },
    )
  })
  test('whether the lanes of one are among those of the other, byte by byte', () => {
    fc.assert(
      fc.property(touching, touching, (x, y) => {
        const there = byByte(y)
        const expected = [...byByte(x)].every(([byte, lanes]) => {
          const others = there.get(byte)
          return others === undefined || [...lanes].every((lane) => others.has(lane))
        })
        // two single lanes are asked of where they touch one byte
        const areOne = countOf(x.lanes) === 1 && countOf(y.lanes) === 1
        expect(isWithin(x, y)).toBe(areOne ? x.lanes === y.lanes : expected)
      }),
      { numRuns: 200 },
    )
  })
  test('an element that all lanes name is that of each', () => {
    const word: Touching = { footprint: footprint('f32', [8]), lanes: 0xff, whole: false }
    expect(crossing(word, word)).toEqual({ crossing: 0xff, shared: 0xff })
  })
  test('nothing in another memory', () => {
    const x: Touching = { footprint: footprint('f32', [0, 4]), lanes: 3, whole: false }
    const y: Touching = { footprint: footprint('f32', [0, 4], 1), lanes: 3, whole: false }
    expect(crossing(x, y)).toEqual({ crossing: 0, shared: 0 })
  })
  test('worked: s[t], then s[t] and s[31 - t]', () => {
    const at = (f: (lane: number) => number): Touching => ({
      footprint: footprint(
        'f32',
        all.map((lane) => 4 * f(lane)),
      ),
      lanes: -1,
      whole: false,
    })
    const [own, mirrored] = [at((lane) => lane), at((lane) => 31 - lane)]
    expect(crossing(own, own)).toEqual({ crossing: 0, shared: -1 })
    expect(crossing(own, mirrored)).toEqual({ crossing: -1, shared: 0 })
  })
})

describe('whether lanes know an event of a warp', () => {
  const step = Pace.slotNamed('order', 'program')
  const paceAt = (at: number): Pace.Pace =>
    Array.from({ length: Pace.paceLength }, (_, i) => (i === step ? at : 0))
  const knows = (upTo: number): Knowledge => {
    const k = nothing()
    put(k.order, programOf(0), upTo)
    return k
  }
  const event = (lanes: number | undefined, at: number, agent = 0): Stamp =>
    lanes === undefined ? { agent, at, site: 0, iteration: [] } : { agent, at, site: 0, iteration: [], lanes }
  test('an agent without lanes is known as far as its clock', () => {
    expect([4, 5, 6].map((upTo) => knowsEvent(knows(upTo), event(undefined, 5), event(-1, 9, 1)))).toEqual([
      false,
      true,
      true,
    ])
  })
  test('another agent: but for lanes that lag', () => {
    const k = knows(6)
    k.lags = new Map([[0, [{ lanes: 0xff, pace: paceAt(3) }]]])
    const asks = (lanes: number, at: number): boolean => knowsEvent(k, event(lanes, at), event(-1, 9, 1))
    expect([asks(0xff00, 6), asks(0xff00, 7), asks(1, 3), asks(1, 4), asks(0x101, 4)]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ])
  })
  test('another lane of the warp: as far as they have met; the lane itself: always', () => {
    const k = knows(9)
    k.together = { agent: 0, paced: { pace: paceAt(3), lags: Pace.noLags }, exchanges: [] }
    const asks = (lanes: number, at: number, by: number): boolean =>
      knowsEvent(k, event(lanes, at), event(by, 9))
    expect([asks(1, 3, 2), asks(1, 4, 2), asks(2, 8, 2), asks(3, 8, 2), asks(3, 3, 2)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
  })
})

test('a mask has a mask for each of its lanes, the lowest first', () => {
  fc.assert(
    fc.property(fc.integer(), (mask) => {
      expect(singles(mask)).toEqual(all.filter((lane) => isIn(mask, lane)).map((lane) => 1 << lane))
    }),
  )
})
