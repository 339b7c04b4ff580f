/**
 * Groups and copies that complete by them: who waits for what, and which group an operation is in.
 *
 * The table by hand: every kind of operation against every family of waits.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import {
  arriveHeld,
  executeArrive,
  executeCopy,
  performArrive,
  performCopy,
} from '../../../src/semantics/instructions/cp-async.js'
import {
  executeCommit,
  executeWait,
  prepareWait,
  waitBlocked,
} from '../../../src/semantics/instructions/groups.js'
import { executeMma, mmaHeld } from '../../../src/semantics/instructions/wgmma.js'
import { executeStore } from '../../../src/semantics/instructions/tma/store.js'
import type { Family } from '../../../src/semantics/log/events.js'
import { init } from '../../../src/semantics/machine/mbarrier.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import * as Footprint from '../../../src/semantics/machine/footprint.js'
import type {
  CpAsyncInFlight,
  Elements,
  CpAsyncArriveInFlight,
  InFlight,
  WgmmaInFlight,
} from '../../../src/semantics/machine/operation.js'
import { prepare } from '../../../src/semantics/core/prepare.js'
import type { Effect } from '../../../src/semantics/machine/effect.js'
import { environment } from '../../../src/semantics/machine/environment.js'
import {
  withAgent,
  withBarrier,
  withGroups,
  withInFlight,
  withPlane,
  type Groups,
  type Machine,
} from '../../../src/semantics/machine/state.js'
import { isFault, type FaultValue } from '../../../src/semantics/machine/value.js'
import * as X from '../../../src/semantics/language/expression.js'
import { launched } from '../machine/machine-samples.js'
import { declarations, eights, fours, map, pointers, view } from '../language/operands.js'
import { right } from '../../either.js'

const { world, machine } = launched(
  right(
    B.draft(
      { name: 'groups', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
      declarations,
    ),
  ),
  bits('blackwell'),
)
const stamp = { agent: 1, at: 9, site: 0, iteration: [] }
const x = { world, agent: 1, stamp }
const closed = (groups: Partial<Groups>): Machine => {
  const a = machine.agents[1]!
  return withAgent(machine, 1, withGroups(a, { ...a.groups, ...groups }))
}
const families: ReadonlyArray<Family> = ['bulk', 'wgmma', 'cpAsync', 'tcgen05Ld', 'tcgen05St']
const f = (fields: object, agent = 1): InFlight => ({ agent, ...fields }) as unknown as InFlight

describe('what a wait is for', () => {
  // of three closed groups each; the operation is in the second
  const three = closed({ bulk: 3, wgmma: 3, cpAsync: 3 })
  const waits = (operation: InFlight, pending: number, read = false): ReadonlyArray<Family> =>
    families.filter((family) => {
      const p = prepareWait(family, pending, read)
      if (p._tag !== 'group.wait') throw new Error(p._tag)
      return waitBlocked(1, withInFlight(three, [operation]), p)
    })
  test.each<readonly [what: string, operation: object, family: Family | null]>([
    ['a store', { _tag: 'tmaStore', group: 2, stage: 'write' }, 'bulk'],
    ['a copy', { _tag: 'cpAsync', group: 2 }, 'cpAsync'],
    ['a product of a warpgroup', { _tag: 'wgmma', group: 2 }, 'wgmma'],
    ['a bulk load', { _tag: 'tmaLoad', group: 2 }, null],
    ['a remote store', { _tag: 'stAsync', group: 2 }, null],
    ['an answer', { _tag: 'clc', group: 2 }, null],
    ['an arrive behind copies', { _tag: 'cpAsyncArrive', group: 2 }, null],
    ['a product of tensor memory', { _tag: 'tcgen05', group: 2 }, null],
    ['a copy into tensor memory', { _tag: 'tcgen05Copy', group: 2 }, null],
    ['a commit', { _tag: 'tcgen05Commit', group: 2 }, null],
  ])('%s', (_what, operation, family) => {
    const expected = family === null ? [] : [family]
    // group 2 of 3: a wait that leaves none or one is for it, one that leaves two is not
    expect([0, 1, 2, 3].map((pending) => waits(f(operation), pending))).toEqual([expected, expected, [], []])
    // of another agent, or of a group that is still open
    expect(waits(f(operation, 0), 0)).toEqual([])
    expect(waits(f({ ...operation, group: 4 }), 0)).toEqual([])
  })
  test('a load or store of tensor memory: every wait of its kind, whatever the numbers', () => {
    for (const _tag of ['tcgen05Ld', 'tcgen05St'] as const) {
      expect([0, 5].map((pending) => waits(f({ _tag }), pending))).toEqual([[_tag], [_tag]])
      expect(waits(f({ _tag }, 0), 0)).toEqual([])
    }
  })
  test('a wait for the reads alone: a store that is still to be read', () => {
    const store = (stage: string) => f({ _tag: 'tmaStore', group: 2, stage })
    expect(waits(store('read'), 0, true)).toEqual(['bulk'])
    expect(waits(store('write'), 0, true)).toEqual([])
    expect(waits(store('read'), 0, false)).toEqual(['bulk'])
    expect(waits(store('read'), 2, true)).toEqual([])
  })
  test('one of several is enough', () => {
    const p = prepareWait('cpAsync', 0, false)
    if (p._tag !== 'group.wait') throw new Error(p._tag)
    const copy = f({ _tag: 'cpAsync', group: 1 })
    const others = [f({ _tag: 'wgmma', group: 1 }), f({ _tag: 'cpAsync', group: 1 }, 0)]
    expect(waitBlocked(1, withInFlight(three, [...others, copy]), p)).toBe(true)
    expect(waitBlocked(1, withInFlight(three, others), p)).toBe(false)
  })
})

const did = (e: Effect | FaultValue): Effect => {
  if ('code' in e) throw new Error(e.message)
  return e
}

describe('a commit', () => {
  test.each(['bulk', 'wgmma', 'cpAsync'] as const)(
    '%s: closes a group of its family, of its agent',
    (family) => {
      const before = closed({ bulk: 3, wgmma: 4, cpAsync: 5 })
      const done = did(executeCommit(x, before, { _tag: 'group.commit', family }))
      const groups = before.agents[1]!.groups
      expect(done.machine.agents.map((a) => a.groups)).toEqual([
        machine.agents[0]!.groups,
        { ...groups, [family]: groups[family] + 1 },
      ])
      expect(done.events).toEqual([
        { _tag: 'group', stamp, kind: 'commit', family, pending: 0, read: false, blocked: false },
      ])
    },
  )
  test('a wait changes nothing', () => {
    const done = executeWait(x, machine, { _tag: 'group.wait', family: 'bulk', pending: 2, read: true })
    expect(done.machine).toBe(machine)
    expect(done.events).toEqual([
      { _tag: 'group', stamp, kind: 'wait', family: 'bulk', pending: 2, read: true, blocked: false },
    ])
  })

  const issued = (m: Machine, i: Instruction): ReadonlyArray<InFlight> => {
    const p = prepare(environment(world, { agent: 1, cta: 1, place: 0, cluster: 0 }, []), i)
    if (isFault(p)) throw new Error(p.message)
    switch (p._tag) {
      case 'cpAsync.copy':
        return executeCopy(x, m, p).machine.inFlight
      case 'wgmma.mma':
        return did(executeMma(x, m, p)).machine.inFlight
      case 'tma.store':
        return executeStore(x, m, p).machine.inFlight
      default:
        throw new Error(p._tag)
    }
  }
  test('an operation is in the group that is open, and bears the number of its issue and its stamp', () => {
    const m = { ...closed({ bulk: 3, wgmma: 4, cpAsync: 5 }), issued: 20 }
    const common = { agent: 1, at: 9, stamp }
    expect(issued(m, { _tag: 'cpAsync.copy', source: pointers, destination: view('x') })).toMatchObject([
      { ...common, _tag: 'cpAsync', id: 20, group: 6, bytes: 16 },
    ])
    expect(
      issued(m, {
        _tag: 'wgmma.mma',
        accumulator: view('wacc'),
        a: view('wa'),
        b: view('wb'),
        scaleD: X.i1(true),
        negateA: false,
        negateB: false,
      }),
    ).toMatchObject([{ ...common, _tag: 'wgmma', id: 20, group: 5 }])
    expect(
      issued(m, {
        _tag: 'tma.scatter',
        descriptor: map('line'),
        rows: eights,
        column: X.i32(0),
        source: view('lines'),
      }),
    ).toMatchObject([
      { ...common, _tag: 'tmaStore', id: 20, group: 4, part: 0, stage: 'read', bytes: 512, data: null },
      { ...common, _tag: 'tmaStore', id: 21, group: 4, part: 1, stage: 'read', bytes: 512, data: null },
    ])
  })
})

describe('who is held', () => {
  test('an arrive, by earlier copies of its agent', () => {
    const arrive = f({ _tag: 'cpAsyncArrive', at: 5 }) as CpAsyncArriveInFlight
    const held = (operation: InFlight): boolean =>
      arriveHeld(withInFlight(machine, [arrive, operation]), arrive)
    expect(held(f({ _tag: 'cpAsync', at: 4 }))).toBe(true)
    expect(held(f({ _tag: 'cpAsync', at: 6 }))).toBe(false)
    expect(held(f({ _tag: 'cpAsync', at: 4 }, 0))).toBe(false)
    expect(held(f({ _tag: 'tmaLoad', at: 4 }))).toBe(false)
    expect(held(f({ _tag: 'cpAsyncArrive', at: 4 }))).toBe(false)
  })
  test('a product of a warpgroup, by earlier ones of its agent', () => {
    const product = f({ _tag: 'wgmma', at: 5 }) as WgmmaInFlight
    const held = (operation: InFlight): boolean =>
      mmaHeld(withInFlight(machine, [product, operation]), product)
    expect(held(f({ _tag: 'wgmma', at: 4 }))).toBe(true)
    expect(held(f({ _tag: 'wgmma', at: 6 }))).toBe(false)
    expect(held(f({ _tag: 'wgmma', at: 4 }, 0))).toBe(false)
    expect(held(f({ _tag: 'cpAsync', at: 4 }))).toBe(false)
  })
})

describe('an arrive behind copies', () => {
  const arriving = (m: Machine, increment: boolean): Machine => {
    const { machine: issuedIn } = executeArrive(x, m, {
      _tag: 'mbarrier.cpAsyncArrive',
      barrier: 5,
      increment,
    })
    expect(issuedIn.inFlight).toEqual([
      { _tag: 'cpAsyncArrive', id: m.issued, agent: 1, at: 9, stamp, barrier: 5 },
    ])
    return issuedIn
  }
  test('asks the phase for one more, or is one of those that it was made for', () => {
    const m = withBarrier(machine, 5, init(3))
    expect(arriving(m, false).barriers[5]).toEqual(init(3))
    expect(arriving(m, true).barriers[5]).toEqual({ ...init(3), pending: 4 })
  })
  test('a barrier that is not there, or asks for all there can be, stays as it is', () => {
    expect(arriving(machine, true).barriers[5]).toBeNull()
    const full = { ...init(3), pending: 2 ** 20 - 1 }
    expect(arriving(withBarrier(machine, 5, full), true).barriers[5]).toEqual(full)
    const nearly = { ...init(3), pending: 2 ** 20 - 2 }
    expect(arriving(withBarrier(machine, 5, nearly), true).barriers[5]).toEqual(full)
  })
  test('arrives once, and others stay', () => {
    const m = arriving(withBarrier(machine, 5, init(3)), false)
    const [first] = m.inFlight
    const other = { ...first!, id: 77 }
    const done = performArrive(withInFlight(m, [other, first!]), first as CpAsyncArriveInFlight)
    expect(done.machine.barriers[5]).toEqual({ ...init(3), pending: 2 })
    expect(done.machine.inFlight).toEqual([other])
  })
})

describe('cp.async', () => {
  const copying = (source: ReadonlyArray<number>, there: ReadonlyArray<number>) => {
    const planeOf = (name: string, cta?: number): number =>
      world.header.planes.findIndex((p) => p.name === name && p.cta === cta)
    const of = (plane: number, addresses: ReadonlyArray<number>): Elements =>
      Footprint.ofAddresses(world.footprints, plane, 'i32', [addresses.length], Int32Array.from(addresses))
    const from = of(planeOf('n'), source)
    const to = of(
      planeOf('smem', 1),
      source.map((_, i) => 64 + 4 * i),
    )
    const all = of(
      planeOf('n'),
      there.map((_, i) => 4 * i),
    )
    const put = (m: Machine, e: Elements, data: ReadonlyArray<number>): Machine =>
      withPlane(m, e.plane, Plane.write(m.planes[e.plane]!, e, Float64Array.from(data), null))
    const operation: CpAsyncInFlight = {
      _tag: 'cpAsync',
      id: 3,
      agent: 1,
      at: 9,
      stamp,
      source: from,
      destination: to,
      group: 1,
      bytes: 4 * source.length,
      ways: null,
    }
    const other = { ...operation, id: 4 }
    const before = put(put(withInFlight(machine, [other, operation]), all, there), to, there)
    const { machine: done } = performCopy(world, before, operation)
    expect(done.inFlight).toEqual([other])
    return [...Plane.read(done.planes[to.plane]!, to).data!]
  }
  test('each element, and zero where the mask has taken one out', () => {
    expect(copying([4, 0, 12], [10, 11, 12, 13])).toEqual([11, 10, 13])
    expect(copying([4, -1, 12, -1], [10, 11, 12, 13])).toEqual([11, 0, 13, 0])
  })
  test('what it is asked for: bytes of all elements, whatever the mask takes out', () => {
    const mask = X.lt(fours, X.splat(X.i32(2), [4]))
    const p = prepare(environment(world, { agent: 1, cta: 1, place: 0, cluster: 0 }, []), {
      _tag: 'cpAsync.copy',
      source: pointers,
      mask,
      destination: view('x'),
    })
    if (isFault(p) || p._tag !== 'cpAsync.copy') throw new Error('refused')
    expect([p.bytes, [...p.source.offsets]]).toEqual([16, [0, 4, -1, -1]])
  })
})
