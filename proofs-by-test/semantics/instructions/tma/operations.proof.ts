/**
 * Bulk copies by themselves: what stands in flight, what one event of one of them does, and that it does nothing to the others.
 *
 * Tables by hand: CTA 1 of a pair, an operation beside each that is looked at.
 */
import { describe, expect, test } from 'vitest'
import { real64 } from '../../../../src/numerics/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../../src/semantics/language/instruction.js'
import { executeLoad, performLoad, signalLoad } from '../../../../src/semantics/instructions/tma/load.js'
import { reduction } from '../../../../src/semantics/instructions/tma/reduce.js'
import {
  executeStore,
  performStoreRead,
  performStoreWrite,
} from '../../../../src/semantics/instructions/tma/store.js'
import * as StAsync from '../../../../src/semantics/instructions/st-async.js'
import { init } from '../../../../src/semantics/machine/mbarrier.js'
import type {
  Elements,
  InFlight,
  Prepared,
  TmaLoadInFlight,
  TmaStoreInFlight,
} from '../../../../src/semantics/machine/operation.js'
import * as Plane from '../../../../src/semantics/machine/plane.js'
import { prepare } from '../../../../src/semantics/core/prepare.js'
import { environment } from '../../../../src/semantics/machine/environment.js'
import {
  withAgent,
  withBarrier,
  withGroups,
  withInFlight,
  withPlane,
  type Machine,
} from '../../../../src/semantics/machine/state.js'
import { isFault } from '../../../../src/semantics/machine/value.js'
import { launched } from '../../machine/machine-samples.js'
import { declarations, eights, fours, map, one, view } from '../../language/operands.js'
import { right } from '../../../either.js'

const { world, machine: fresh } = launched(
  right(
    B.draft(
      { name: 'bulk', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
      declarations,
    ),
  ),
  real64,
)
const agent = fresh.agents[1]!
/** Twelve operations have been issued, and two bulk groups closed. */
const machine: Machine = {
  ...withAgent(fresh, 1, withGroups(agent, { ...agent.groups, bulk: 2 })),
  issued: 12,
}
const stamp = { agent: 1, at: 8, site: 0, iteration: [3] }
const x = { world, agent: 1, stamp }
type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>
const prepared = <K extends Prepared['_tag']>(_tag: K, i: Instruction): Of<K> => {
  const p = prepare(environment(world, { agent: 1, cta: 1, place: 0, cluster: 0 }, []), i)
  if (isFault(p)) throw new Error(`${p.code}: ${p.message}`)
  return p as Of<K>
}
const put = (m: Machine, e: Elements, data: ArrayLike<number>): Machine =>
  withPlane(m, e.plane, Plane.write(m.planes[e.plane]!, e, Float64Array.from(data), null))
const read = (m: Machine, e: Elements): ReadonlyArray<number> => [...Plane.read(m.planes[e.plane]!, e).data!]
const counted = (e: Elements, of: number): ReadonlyArray<number> =>
  Array.from(e.offsets, (_, i) => 1000 * of + i)
const issued = { agent: 1, at: 8, stamp }

describe('loads', () => {
  const load = (row: number): Of<'tma.load'> =>
    prepared('tma.load', {
      _tag: 'tma.load',
      descriptor: map('map'),
      coords: [X.i32(row), X.i32(0)],
      destination: view('box'),
      barrier: one,
      multicast: X.i32(3),
      ctaGroup: 1,
    })
  const parts = (p: Of<'tma.load'>): ReadonlyArray<TmaLoadInFlight> =>
    executeLoad(x, machine, p).machine.inFlight.filter((f) => f._tag === 'tmaLoad')
  test('in flight: a part for each destination, under one number', () => {
    const p = load(8)
    const done = executeLoad(x, machine, p)
    expect(done.machine.issued).toBe(13)
    expect(done.machine.inFlight).toEqual(
      p.parts.map(({ source, destination, barrier }, part) => ({
        ...issued,
        _tag: 'tmaLoad',
        id: 12,
        part,
        stage: 'write',
        source,
        destination,
        barrier,
        fill: 0,
        outside: 'zero',
        bytes: 1024,
        combine: null,
        rounds: false,
        map: null,
      })),
    )
    expect(p.parts.map((part) => part.barrier)).toEqual([2, 5])
  })
  test('what is outside of the tensor is filled; the other part is untouched, and waits', () => {
    // four rows inside, four outside
    const [first, second] = parts(load(12))
    const bytes = [...first!.source.offsets].map((a) => a < 0)
    const filled = { ...first!, fill: 5 }
    const before = [first!.source, first!.destination, second!.destination].reduce(
      (m, e, of) => put(m, e, counted(e, of + 1)),
      withInFlight(machine, [filled, second!]),
    )
    const { machine: done } = performLoad(world, before, filled)
    expect(read(done, first!.destination)).toEqual(bytes.map((outside, i) => (outside ? 5 : 1000 + i)))
    expect(bytes.filter(Boolean)).toHaveLength(4 * 64)
    expect(read(done, second!.destination)).toEqual(counted(second!.destination, 3))
    expect(done.inFlight).toEqual([{ ...filled, stage: 'signal' }, second])
    expect(done.barriers).toBe(before.barriers)
  })
  test('a read says so where something other than zero is found outside', () => {
    const [first] = parts(load(12))
    const saysOf = (outside: 'zero' | 'other'): ReadonlyArray<unknown> => {
      const flight = { ...first!, outside }
      return performLoad(world, withInFlight(machine, [flight]), flight).events.flatMap((e) =>
        e._tag === 'access' ? [[e.rw, e.outside]] : [],
      )
    }
    expect(saysOf('zero')).toEqual([
      ['r', undefined],
      ['w', undefined],
    ])
    expect(saysOf('other')).toEqual([
      ['r', 'other'],
      ['w', undefined],
    ])
  })
  test('its bytes are taken off its own barrier, and it is gone', () => {
    const [first, second] = parts(load(0))
    const before = [2, 5].reduce(
      (m, b) => withBarrier(m, b, { ...init(1), tx: 5000 }),
      withInFlight(machine, [first!, second!]),
    )
    const { machine: done } = signalLoad(before, second!)
    expect([done.barriers[2]!.tx, done.barriers[5]!.tx]).toEqual([5000, 5000 - 1024])
    expect(done.inFlight).toEqual([first])
  })
  test('a gather: bytes of each message, and of all', () => {
    const p = prepared('tma.load', {
      _tag: 'tma.gather',
      descriptor: map('line'),
      rows: eights,
      column: X.i32(0),
      destination: view('lines'),
      barrier: one,
      multicast: X.i32(3),
      ctaGroup: 1,
    })
    expect([p.bytes, p.parts.map((part) => [part.bytes, part.barrier])]).toEqual([
      1024,
      [
        [512, 2],
        [512, 5],
        [512, 2],
        [512, 5],
      ],
    ])
  })
})

describe('stores', () => {
  const store = prepared('tma.store', {
    _tag: 'tma.store',
    descriptor: map('map'),
    coords: [X.i32(12), X.i32(0)],
    source: view('box'),
  })
  const flight = (p: Of<'tma.store'>): ReadonlyArray<TmaStoreInFlight> =>
    executeStore(x, machine, p).machine.inFlight.filter((f) => f._tag === 'tmaStore')
  test('in flight: a number for each message, all in the group that is open', () => {
    const p = prepared('tma.store', {
      _tag: 'tma.scatter',
      descriptor: map('line'),
      rows: eights,
      column: X.i32(0),
      source: view('lines'),
    })
    const done = executeStore(x, machine, p)
    expect(done.machine.issued).toBe(14)
    expect(done.machine.inFlight).toEqual(
      p.parts.map(({ source, destination }, part) => ({
        ...issued,
        _tag: 'tmaStore',
        id: 12 + part,
        part,
        stage: 'read',
        source,
        destination,
        data: null,
        group: 3,
        bytes: 512,
        combine: null,
        map: null,
      })),
    )
    expect(p.bytes).toBe(1024)
  })
  test('it carries what it has read; what is outside of the tensor is dropped', () => {
    const [f] = flight(store)
    const other = { ...f!, id: 99 }
    const before = put(withInFlight(machine, [other, f!]), f!.source, counted(f!.source, 1))
    const { machine: m } = performStoreRead(before, f!)
    const next: InFlight = { ...f!, stage: 'write', data: Float64Array.from(counted(f!.source, 1)) }
    expect(m.inFlight).toEqual([other, next])
    // the source may be overwritten now
    const over = put(m, f!.source, counted(f!.source, 7))
    const [, carrying] = over.inFlight
    if (carrying?._tag !== 'tmaStore') throw new Error('no store')
    const { machine: done } = performStoreWrite(world, over, carrying)
    expect(done.inFlight).toEqual([other])
    expect(read(done, f!.destination)).toEqual(
      [...f!.destination.offsets].map((a, i) => (a < 0 ? 0 : 1000 + i)),
    )
    expect([...f!.destination.offsets].filter((a) => a < 0)).toHaveLength(4 * 64)
  })
  test('a reduction joins each element with what is there', () => {
    const p = prepared('tma.store', {
      _tag: 'tma.reduce',
      kind: 'min',
      descriptor: map('words'),
      coords: [X.i32(8)],
      source: view('wide'),
    })
    const [f] = flight(p)
    expect(f).toMatchObject({ combine: { kind: 'min', words: null }, group: 3, id: 12, bytes: 64 })
    const there = [3, -3, 0, 9, 5, 5, 5, 5]
    const data = Float64Array.from({ length: 16 }, (_, i) => i - 4)
    const before = put(withInFlight(machine, [f!]), f!.destination, [...there, ...there])
    const { machine: done } = performStoreWrite(world, before, { ...f!, stage: 'write', data })
    // eight inside, eight outside of the sixteen
    expect(read(done, f!.destination)).toEqual([
      ...there.map((y, i) => Math.min(y, i - 4)),
      ...Array<number>(8).fill(0),
    ])
  })
  test('a slot that holds no element stays what it is', () => {
    for (const [kind, dtype] of [
      ['add', 'i32'],
      ['min', 'u32'],
      ['inc', 'u32'],
      ['xor', 'i32'],
      ['max', 'u64'],
    ] as const) {
      const f = reduction(world, kind, dtype)
      if (typeof f !== 'function') throw new Error(f.message)
      expect([kind, f(NaN, 1), f(1, NaN), Number.isNaN(f(3, 5))]).toEqual([kind, NaN, NaN, false])
    }
  })
})

describe('st.async', () => {
  test('in flight, written, signalled; the one beside it stays', () => {
    const p = prepared('stAsync', {
      _tag: 'stAsync.store',
      destination: view('x'),
      value: fours,
      barrier: one,
    })
    const done = StAsync.execute(x, machine, p)
    const [f] = done.machine.inFlight
    const whole = {
      ...issued,
      _tag: 'stAsync',
      id: 12,
      stage: 'write',
      destination: p.destination,
      data: Float64Array.of(0, 1, 2, 3),
      origin: { _tag: 'other' },
      barrier: 5,
      bytes: 16,
      combine: null,
    }
    expect(done.machine.inFlight).toEqual([whole])
    if (f?._tag !== 'stAsync') throw new Error('no store')
    const other = { ...f, id: 99 }
    const before = withBarrier(withInFlight(machine, [f, other]), 5, { ...init(1), tx: 40 })
    const written = StAsync.perform(world, before, f).machine
    expect(read(written, f.destination)).toEqual([0, 1, 2, 3])
    expect(written.inFlight).toEqual([{ ...whole, stage: 'signal' }, other])
    expect(written.barriers[5]!.tx).toBe(40)
    const [next] = written.inFlight
    if (next?._tag !== 'stAsync') throw new Error('no store')
    const signalled = StAsync.signal(written, next).machine
    expect(signalled.barriers[5]!.tx).toBe(24)
    expect(signalled.inFlight).toEqual([other])
  })
})
