/**
 * Parting: an event of lanes that do not know the same, as events of those that do. Oracle: each lane with the bytes that it touches and the arrivals that it makes, added up.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitsOf, type Dtype } from '../../../../src/numerics/dtype.js'
import { agentState, context, type Context } from '../../../../src/semantics/judging/detector/context.js'
import { defaults } from '../../../../src/semantics/judging/detector/index.js'
import * as Parting from '../../../../src/semantics/judging/detector/parting.js'
import { act, partLanes, strandsOf } from '../../../../src/semantics/judging/detector/strands.js'
import {
  asSpans,
  scattered,
  spansOf,
  type Access,
  type Footprint,
  type LogEvent,
  type Stamp,
  type Wait,
} from '../../../../src/semantics/log/events.js'
import { script } from './script.js'

const lanesOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => ((mask >>> lane) & 1) === 1)

// ---------------------------------------------------------------- a warp in strands

/** A warp whose lanes were parted by these masks, one after another. */
const parted = (masks: ReadonlyArray<number>): Context => {
  const c = context(header, defaults)
  const a = c.agents[0]!
  for (const [i, lanes] of masks.entries()) {
    partLanes(a, lanes)
    act(a, 0, lanes, i + 1)
  }
  return c
}
const { header } = script({ agents: ['w@0', 'v@0'], barriers: [{ name: 'b', count: 32 }] })

const stampOf = (lanes: number, whole = false): Stamp => ({
  agent: 0,
  at: 9,
  site: 0,
  iteration: [],
  lanes,
  ...(whole ? { whole: true as const } : {}),
})

// ---------------------------------------------------------------- drawn

const masks = fc.oneof(
  fc.constantFrom(-1, 1, 0xff, 0xffff, 0xffff0000 | 0, ~1),
  fc.integer().map((m) => (m === 0 ? 1 : m)),
)
const partings = fc.array(masks, { maxLength: 4 })

/** The bytes of each lane, of `each` elements a lane; below zero: nowhere. */
const bytesOfLanes = (
  addresses: ReadonlyArray<number>,
  each: number,
  lanes: number,
  bytes: number,
): ReadonlyMap<number, ReadonlySet<number>> =>
  new Map(
    lanesOf(lanes).map((lane, i) => [
      lane,
      new Set(
        addresses
          .slice(i * each, (i + 1) * each)
          .filter((at) => at >= 0)
          .flatMap((at) => Array.from({ length: bytes }, (_, k) => at + k)),
      ),
    ]),
  )
const spans = (bytes: Iterable<number>): ReadonlyArray<number> => {
  const out: number[] = []
  for (const byte of [...new Set(bytes)].sort((a, b) => a - b))
    if (out[out.length - 1] === byte) out[out.length - 1] = byte + 1
    else out.push(byte, byte + 1)
  return out
}

const access = (footprint: Footprint, stamp: Stamp): Access => ({
  _tag: 'access',
  stamp,
  rw: 'w',
  proxy: 'generic',
  footprint,
  role: 'destination',
  atomic: false,
})

const { executedBy } = Parting
/** Of what lanes execute; of nothing else it is asked. */
const byStrand = (c: Context, e: LogEvent): ReadonlyArray<LogEvent> | null => {
  const stamp = executedBy(e)
  return stamp?.lanes === undefined ? null : Parting.byStrand(c, e, stamp, stamp.lanes)
}

const partsOf = (c: Context, e: LogEvent): ReadonlyArray<LogEvent> => byStrand(c, e) ?? [e]

describe('law 1: the parts are the event', () => {
  test('of an access: its lanes, and the bytes of each', () => {
    fc.assert(
      fc.property(
        partings,
        masks,
        fc.constantFrom<Dtype>('u8', 'f16', 'f32'),
        fc.integer({ min: 1, max: 2 }),
        fc.array(fc.integer({ min: -1, max: 70 }), { minLength: 64, maxLength: 64 }),
        (before, lanes, dtype, each, drawn) => {
          const c = parted(before)
          const bytes = bitsOf(dtype) / 8
          const addresses = drawn.slice(0, each * lanesOf(lanes).length).map((k) => (k < 0 ? -1 : k * bytes))
          const own = bytesOfLanes(addresses, each, lanes, bytes)
          const footprint: Footprint = {
            id: 0,
            plane: 0,
            spans: asSpans(Int32Array.from(spans([...own.values()].flatMap((s) => [...s])))),
            dtype,
            map: scattered([addresses.length], Int32Array.from(addresses)),
          }
          const parts = partsOf(c, access(footprint, stampOf(lanes)))
          // its lanes, each once
          expect(parts.flatMap((p) => lanesOf(executedBy(p)!.lanes!)).sort((a, b) => a - b)).toEqual(
            lanesOf(lanes),
          )
          for (const p of parts) {
            if (p._tag !== 'access') throw new Error(p._tag)
            const those = lanesOf(p.stamp.lanes!)
            expect([...spansOf(p.footprint)]).toEqual(spans(those.flatMap((lane) => [...own.get(lane)!])))
            expect(p.footprint.map).toMatchObject({ shape: [each * those.length] })
            // one strand does it
            expect(strandsOf(c.agents[0]!).filter((s) => (s.lanes & p.stamp.lanes!) !== 0)).toHaveLength(1)
          }
        },
      ),
      { numRuns: 100 },
    )
  })
  test('of an access that lanes make as one: all of its bytes, by all of them', () => {
    const footprint: Footprint = {
      id: 0,
      plane: 0,
      spans: asSpans(Int32Array.of(0, 128)),
      dtype: 'u8',
      map: scattered(
        [32],
        Int32Array.from({ length: 32 }, (_, i) => 4 * i),
      ),
    }
    for (const p of partsOf(parted([1, 0xff]), access(footprint, stampOf(-1, true))))
      expect(p).toMatchObject({ footprint, stamp: { whole: true } })
  })
  test('of arrivals: as many as its lanes make', () => {
    fc.assert(
      fc.property(partings, masks, fc.integer({ min: 1, max: 3 }), (before, lanes, each) => {
        const n = lanesOf(lanes).length
        const parts = partsOf(parted(before), {
          _tag: 'barrier',
          kind: 'arrive',
          stamp: stampOf(lanes),
          barrier: 0,
          count: each * n,
          bytes: 0,
          release: true,
          scope: 'cta',
          tensor: false,
        })
        for (const p of parts)
          expect(p).toMatchObject({ count: each * lanesOf(executedBy(p)!.lanes!).length, bytes: 0 })
        expect(parts.reduce((sum, p) => sum + (p._tag === 'barrier' ? p.count : 0), 0)).toBe(each * n)
      }),
      { numRuns: 60 },
    )
  })
})

describe('who is parted', () => {
  const wait = (lanes: number): Wait => ({
    _tag: 'wait',
    stamp: stampOf(lanes),
    barrier: 0,
    parity: 0,
    outcome: 'passed',
    acquire: true,
    scope: 'cta',
    tensor: false,
  })
  test('a wait by some lanes parts these from the others', () => {
    const c = parted([])
    expect(byStrand(c, wait(1))).toBeNull()
    expect(strandsOf(c.agents[0]!).map((s) => s.lanes)).toEqual([1, ~1])
  })
  test('a wait by all of them does not', () => {
    const c = parted([])
    expect(byStrand(c, wait(-1))).toBeNull()
    expect(strandsOf(c.agents[0]!).map((s) => s.lanes)).toEqual([-1])
  })
  test('an agent that acts as one is never parted', () => {
    const c = parted([])
    const { lanes, ...stamp } = stampOf(1)
    expect(lanes).toBe(1)
    expect(byStrand(c, { ...wait(1), stamp })).toBeNull()
    expect(c.agents[0]!.strands).toBeNull()
  })
  test('an issue stays one event', () => {
    const c = parted([1])
    expect(
      byStrand(c, {
        _tag: 'issue',
        stamp: stampOf(-1),
        operation: 0,
        unit: 'wgmma',
        bytes: 0,
        macs: 0,
        accumulates: false,
      }),
    ).toBeNull()
  })
  test('a fresh agent is one strand', () => {
    expect(strandsOf(agentState(true)).map((s) => s.lanes)).toEqual([-1])
  })
})
