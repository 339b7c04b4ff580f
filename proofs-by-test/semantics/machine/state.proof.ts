/**
 * Updates of a machine: each replaces one part and keeps all others, and leaves the machine that it was given as it was. The parts of the sample
 * are all different objects, so that one in the place of another is seen.
 */
import { describe, expect, test } from 'vitest'
import * as Mbarrier from '../../../src/semantics/machine/mbarrier.js'
import { empty } from '../../../src/semantics/machine/plane.js'
import { coreStand } from '../../../src/semantics/machine/stand.js'
import * as S from '../../../src/semantics/machine/state.js'
import type { Machine } from '../../../src/semantics/machine/state.js'

const agent = (at: number): S.AgentState =>
  S.agentState('running', coreStand([at], null), null, at, S.noGroups)
const flight = (id: number): Machine['inFlight'][number] => ({
  _tag: 'cpAsyncArrive',
  id,
  agent: 0,
  at: id,
  stamp: { agent: 0, at: id, site: 0, iteration: [] },
  barrier: 0,
})
const response = (cluster: number): S.Response => ({ plane: 0, address: 16 * cluster, cluster })
const columns = (start: number): S.TensorMemory => ({
  allocated: [{ start, columns: 32, agent: 0 }],
  largest: 32,
  relinquished: false,
  ahead: [],
  outOfStep: false,
})
const wave = (next: number): S.Wave => ({ clusters: [0], next, requests: 0, refused: [false] })
const named = (id: number): S.Named => ({
  cta: 0,
  id,
  arrived: 32,
  generation: 0,
  votes: S.noVotes,
  outcome: S.noVotes,
})
const map = (name: string): Machine['tensormaps'][number] => ({
  _tag: 'descriptor',
  name,
  plane: 0,
  base: 0,
  dtype: 'f16',
  dims: [8],
  strides: [1],
  box: [8],
  elementStrides: [1],
  swizzle: 16,
  fill: 'zero',
  padded: false,
  window: null,
  rounds: false,
  flushes: false,
  map: null,
})

const asked = (first: number): S.Asked => ({ first, from: 0, said: [], counts: [0, 0, 0, 0] })

const sample = S.machine(
  wave(1),
  [agent(1), agent(2)],
  [Mbarrier.init(1), null],
  [named(1)],
  [empty('none', 16), empty('none', 32)],
  [columns(0), columns(32)],
  [response(1)],
  [40, 232],
  [map('before')],
  [flight(0)],
  [asked(0)],
  7,
  11,
  null,
)
const edit = { run: Symbol('run') }

describe('one part each', () => {
  test.each<readonly [keyof Machine, Machine, unknown]>([
    ['wave', S.withWave(sample, wave(5)), wave(5)],
    ['agents', S.withAgent(sample, 1, agent(9)), [agent(1), agent(9)]],
    ['barriers', S.withBarrier(sample, 0, null), [null, null]],
    ['barriers', S.withBarrier(sample, 1, Mbarrier.init(3)), [Mbarrier.init(1), Mbarrier.init(3)]],
    ['named', S.withNamed(sample, [named(2), named(3)]), [named(2), named(3)]],
    ['planes', S.withPlane(sample, 0, empty('slots', 8)), [empty('slots', 8), empty('none', 32)]],
    ['tensorMemory', S.withTensorMemory(sample, 1, columns(64)), [columns(0), columns(64)]],
    ['responses', S.withResponses(sample, [response(2)]), [response(2)]],
    ['registers', S.withRegisters(sample, [24]), [24]],
    ['tensormaps', S.withTensormaps(sample, [map('after')]), [map('after')]],
    ['inFlight', S.withInFlight(sample, [flight(4)]), [flight(4)]],
    ['asked', S.withAsked(sample, [asked(4)]), [asked(4)]],
    ['values', S.countValue(sample), 12],
    ['edit', S.withEdit(sample, edit), edit],
  ])('%s', (field, after, expected) => {
    expect(after).toEqual({ ...sample, [field]: expected })
    for (const [other, value] of Object.entries(sample))
      if (other !== field) expect((after as unknown as Record<string, unknown>)[other]).toBe(value)
  })
  test('operations of one instruction go behind those in flight, and share one number', () => {
    expect(S.issuing(sample, [flight(5), flight(6)])).toEqual({
      ...sample,
      inFlight: [flight(0), flight(5), flight(6)],
      issued: 8,
    })
    expect(S.issuing(sample, [])).toEqual({ ...sample, issued: 8 })
  })
  test('the machine that was given is as it was', () => {
    expect(sample.agents).toEqual([agent(1), agent(2)])
    expect(sample.barriers).toEqual([Mbarrier.init(1), null])
    expect(sample.inFlight).toEqual([flight(0)])
  })
})

describe('agents', () => {
  test('groups are of the agent alone', () => {
    const groups = { bulk: 1, wgmma: 2, cpAsync: 3, cluster: 4 }
    expect(S.withGroups(agent(3), groups)).toEqual({ ...agent(3), groups })
  })
  test.each(['bulk', 'wgmma', 'cpAsync', 'cluster'] as const)(
    'a group of %s closed: one more of them',
    (family) => {
      const before = { bulk: 1, wgmma: 2, cpAsync: 3, cluster: 4 }
      expect(S.closeGroup(before, family)).toEqual({ ...before, [family]: before[family] + 1 })
    },
  )
  test('an idle one has done nothing, and its first event has number 1', () => {
    expect(S.idle).toEqual({
      status: 'idle',
      stand: null,
      ready: null,
      at: 1,
      groups: { bulk: 0, wgmma: 0, cpAsync: 0, cluster: 0 },
    })
    expect(S.noTensorMemory).toEqual({
      allocated: [],
      largest: 512,
      relinquished: false,
      ahead: [],
      outOfStep: false,
    })
  })
})
