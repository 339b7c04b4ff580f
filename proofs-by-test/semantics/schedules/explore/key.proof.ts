/**
 * Keys: what of a state is in its key and what is not, a field at a time, as the table of `key.ts` says; the set of keys against a set of texts; and what
 * holds of the views of every state that a walk comes through.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { zoo } from '../../../../src/kernels/broken/index.js'
import { Claims, Keys, Places, Views } from '../../../../src/semantics/schedules/explore/index.js'
import type { Launched } from '../../../../src/semantics/execution/launch.js'
import type { InFlight } from '../../../../src/semantics/machine/operation.js'
import { cells, empty, write, type Cells, type Plane } from '../../../../src/semantics/machine/plane.js'
import { coreStand, type Control, type CoreStand } from '../../../../src/semantics/machine/stand.js'
import { unreachable } from '../../../../src/failure.js'
import { noVotes, type Machine } from '../../../../src/semantics/machine/state.js'
import type { DescriptorValue, Value } from '../../../../src/semantics/machine/value.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { finished, offered, take, type EventKey } from '../../../../src/semantics/execution/step.js'
import { skeleton } from '../naive/skeletons.js'
import { launchedProgram, launchedSkeleton } from './programs.js'
import { gather, gathered, rd, signal, sleep, team, wr } from './team.js'

// ---------------------------------------------------------------- walks

interface State {
  readonly machine: Machine
  readonly views: Views.Views
}

const placesOf = ({ world, machine }: Launched): Places.Places => {
  const seen: Places.Seen = new Map()
  Claims.mapFuture(Claims.future(world, machine), (t) => Claims.noteAll(seen, t))
  return Places.places(world.header, seen)
}

/** The states of a random walk. */
const walk = (launched: Launched, seed: number): ReadonlyArray<State> => {
  const { world, machine } = launched
  const places = placesOf(launched)
  const die = dice(seed)
  const out: State[] = [{ machine, views: Views.start(world, places) }]
  for (let k = 0; k < 150; k++) {
    const here = out[out.length - 1]!
    const choices = offered(world, here.machine)
    const o = choices[die.below(choices.length)]
    if (o === undefined) break
    const done = take(world, here.machine, o)
    if ('kind' in done) break
    const { views } = Views.follow(world, places, here.views, here.machine, done.machine, done.events)
    out.push({ machine: done.machine, views })
  }
  return out
}

const texts = [
  'b@0:1 e@0:1 | t@0: arx #0 1; ld > s0.x:#0:1; wait #1 0; arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.x; arr #1; wait #0 1; rd s0.x',
  'b@0:1 | t@0: st s0.x > g.z; bc; cp > s0.y; cc; st s0.x > g.w; bc; cp > s0.w; cc; ca #0; bw 1 full; cw 0; bw 0 full | u@0: wait #0 0; st s0.y > g.v; bc; bw 0 full',
  ' | t@0: wg s0.x > r0.a; wc; wg s0.x > r0.b; wc; ww 1; ww 0 | u@0: wg s0.x > r1.a; wc; ww 0',
  'b@0:1 b@1:1 | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1 s1.x:#1:1; wait #0 0; rdv c 0,1 ~ | u@1: wait #1 0; rdv c 0,1 ~',
  'b@0:1 b@1:1 | t@0: mma s0.x > t0.y; com #0,#1; wait #0 0 ^; tld t0.y; tst t0.y; wst; wld; dea t0.y; rdv c 0,1 ~ | u@1: wait #1 0 ^; rdv c 0,1 ~',
  ' | t@0: wr s0.x; rdv a 0,2; rdv e 0,1 | u@0: rdv e 0,1 | v@0: rdv a 0,2; rd s0.x',
  ' | t@0: rdv c 0,1; rdv c 0,1 | u@1: rdv c 0,1; rdv c 0,1',
]
const programs: ReadonlyArray<Launched> = [
  ...texts.map((text) => launchedSkeleton(skeleton(text))),
  launchedProgram(
    team({ words: [[[wr, signal(), signal()]], [[signal(), sleep(1)]], [[signal('gpu', 'd'), sleep(3)]]] }),
  ),
  launchedProgram(
    team({
      words: [[[gather(), gathered, gather(), gathered]], [[gather(), gathered, rd, gather(), gathered]]],
      cluster: 2,
    }),
  ),
]

const texted = (v: Views.Views): string =>
  JSON.stringify([
    [...v.words],
    v.flights.map((f) => [f.agent, f.at, f.part, f.landed, [...f.mask], [...f.tensor], [...f.own]]),
    v.meetings.map((m) => [m.place, m.turn, m.joined, m.message.map((mask) => [...mask])]),
  ])

describe('views of the states of a walk', () => {
  it('flights and meetings have their order, none stays longer than it is needed, and nothing is changed in place', () => {
    const most = { flights: 0, meetings: 0 }
    for (const launched of programs)
      for (let seed = 0; seed < 6; seed++) {
        const states = walk(launched, seed)
        const before = states.map((s) => texted(s.views))
        for (const { machine, views } of states) {
          const flights = views.flights.map((f) => (f.agent * 1000 + f.at) * 10 + f.part)
          expect(flights).toEqual([...flights].sort((p, q) => p - q))
          const meetings = views.meetings.map((m) => m.place * 100_000 + m.turn)
          expect(meetings).toEqual([...new Set(meetings)].sort((p, q) => p - q))
          for (const m of views.meetings)
            expect(m.joined).toEqual([...new Set(m.joined)].sort((p, q) => p - q))
          for (const f of views.flights)
            expect(f.landed ? 'landed' : machine.inFlight.filter((g) => g.id === f.id).length).toBe(
              f.landed ? 'landed' : machine.inFlight.filter((g) => g.id === f.id).length || 'in flight',
            )
          most.flights = Math.max(most.flights, flights.length)
          most.meetings = Math.max(most.meetings, meetings.length)
          // all groups of these programs are waited for, and all barriers left
          if (finished(machine)) {
            expect(views.flights).toEqual([])
            expect(views.meetings.filter((m) => m.place >= 0)).toEqual([])
          }
        }
        expect(states.map((s) => texted(s.views))).toEqual(before)
      }
    expect(most.flights).toBeGreaterThan(4)
    expect(most.meetings).toBeGreaterThan(2)
  })
})

// ---------------------------------------------------------------- fields

/** of a core program, whatever it is */
const { where } = programs[0]!.world.front

const keyOf = (
  m: Machine,
  v: Views.Views,
  frozen: EventKey | null = null,
  timed = false,
  names = Keys.names(),
): string => Keys.stateKey(names, timed ? where : null, m, v, frozen).join()

describe('law 1, a field at a time', () => {
  // an agent that waits for a barrier with a load under way
  const { world, machine } = launchedSkeleton(
    skeleton('b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1; rdv a 0,1; wait #0 0 | u@0: rdv a 0,1; wait #0 0'),
  )
  const states = Array.from({ length: 20 }, (_, seed) => walk({ world, machine }, seed)).flat()
  const { machine: m, views } = states.find(
    (s) => s.machine.inFlight.length > 0 && s.machine.named.length > 0 && s.views.meetings.length > 0,
  )!
  const standOf = (x: Machine, k: number): CoreStand => {
    const { stand } = x.agents[k]!
    return stand?._tag === 'core' ? stand : unreachable('no core program')
  }
  /** the first agent stands elsewhere */
  const standing = (by: Partial<Pick<CoreStand, 'frame' | 'control'>>): Machine => {
    const { frame, control } = { ...standOf(m, 0), ...by }
    return agents(0, { stand: coreStand(frame, control) })
  }
  const agents = (k: number, by: Partial<Machine['agents'][number]>): Machine => ({
    ...m,
    agents: m.agents.map((a, i) => (i === k ? { ...a, ...by } : a)),
  })
  const barrier = (by: object): Machine => ({ ...m, barriers: m.barriers.map((s) => s && { ...s, ...by }) })
  const named = (by: object): Machine => ({
    ...m,
    named: m.named.map((n, i) => (i === 0 ? { ...n, ...by } : n)),
  })
  const tmem = (by: object): Machine => ({ ...m, tensorMemory: m.tensorMemory.map((t) => ({ ...t, ...by })) })
  const wave = (by: object): Machine => ({ ...m, wave: { ...m.wave, ...by } })
  const flying = (by: object): Machine => ({
    ...m,
    inFlight: m.inFlight.map((f): InFlight => ({ ...f, ...by })),
  })
  const response = { plane: 1, address: 16, cluster: 2 }
  const other = { plane: 2, address: 0, cluster: 5 }
  const at = m.agents[0]!.at

  const kept: ReadonlyArray<readonly [string, Machine]> = [
    ['the machine itself', m],
    ['status', agents(0, { status: m.agents[0]!.status === 'done' ? 'running' : 'done' })],
    ['status idle', agents(0, { status: 'idle' })],
    ['program-order index', agents(0, { at: at + 1 })],
    ['program-order index of another', agents(1, { at: m.agents[1]!.at + 1 })],
    ['no barrier', { ...m, barriers: m.barriers.map(() => null) }],
    ['parity', barrier({ completed: 1 })],
    ['expected', barrier({ expected: 7 })],
    ['pending', barrier({ pending: 7 })],
    ['bytes', barrier({ tx: 48 })],
    ['no named barrier', { ...m, named: [] }],
    ['CTA of a named barrier', named({ cta: 3 })],
    ['a named barrier', named({ id: 9 })],
    ['threads arrived', named({ arrived: 96 })],
    ['generation', named({ generation: 7 })],
    ['columns', tmem({ allocated: [{ start: 0, columns: 32 }] })],
    ['other columns', tmem({ allocated: [{ start: 32, columns: 32 }] })],
    ['more columns', tmem({ allocated: [{ start: 0, columns: 64 }] })],
    [
      'columns in another order',
      tmem({
        allocated: [
          { start: 0, columns: 32 },
          { start: 32, columns: 32 },
        ],
      }),
    ],
    [
      'columns in that order',
      tmem({
        allocated: [
          { start: 32, columns: 32 },
          { start: 0, columns: 32 },
        ],
      }),
    ],
    ['largest allocation', tmem({ largest: 64 })],
    ['relinquished', tmem({ relinquished: true })],
    ['clusters that run', wave({ clusters: [4] })],
    ['the next cluster', wave({ next: 9 })],
    ['requests', wave({ requests: 3 })],
    ['refusals', wave({ refused: [true] })],
    ['a response', { ...m, responses: [response] }],
    ['a response elsewhere', { ...m, responses: [{ ...response, address: 32 }] }],
    ['a response in another plane', { ...m, responses: [{ ...response, plane: 3 }] }],
    ['another response', { ...m, responses: [{ ...response, cluster: -1 }] }],
    ['two responses', { ...m, responses: [response, other] }],
    ['registers', { ...m, registers: m.registers.map((r, i) => (i === 0 ? r + 8 : r)) }],
    ['stage of an operation', flying({ stage: 'signal' })],
    ['agent of an operation', flying({ agent: 1 })],
    ['index of an operation', flying({ at: 99 })],
    ['part of an operation', flying({ part: 1 })],
    ['no operation', { ...m, inFlight: [] }],
  ]
  it('whatever is in the table makes another key', () => {
    expect(m.barriers.some((s) => s !== null && s.completed === 0)).toBe(true)
    const keys = new Map<string, string>()
    for (const [what, changed] of kept) {
      const key = keyOf(changed, views)
      expect(`${what} is ${keys.get(key) ?? what}`).toBe(`${what} is ${what}`)
      keys.set(key, what)
    }
    const set = Keys.keySet()
    for (const [what, changed] of kept)
      expect(set.add(Keys.stateKey(Keys.names(), null, changed, views, null)), what).toBe(true)
  })
  it('whatever is not makes none', () => {
    const key = keyOf(m, views)
    expect(keyOf({ ...m, issued: 77, values: 99 }, views)).toBe(key)
    expect(keyOf(barrier({ completed: 2 }), views)).toBe(keyOf(barrier({ completed: 0 }), views))
    expect(keyOf(flying({ id: 55 }), views)).toBe(key)
    expect(keyOf(standing({ control: null, frame: [] }), views)).toBe(key)
    expect(keyOf(m, { ...views, flights: views.flights.map((f) => ({ ...f, id: 55 })) })).toBe(key)
    const one = { cta: 0, id: 1, arrived: 32, generation: 0, votes: noVotes, outcome: noVotes }
    const two = { cta: 0, id: 2, arrived: 64, generation: 1, votes: noVotes, outcome: noVotes }
    const three = { cta: 1, id: 0, arrived: 96, generation: 1, votes: noVotes, outcome: noVotes }
    const of = (order: Machine['named']): string => keyOf({ ...m, named: order }, views)
    for (const order of [
      [two, one, three],
      [three, two, one],
      [three, one, two],
      [two, three, one],
    ])
      expect(of(order)).toBe(of([one, two, three]))
    expect(keyOf({ ...m, responses: [other, response] }, views)).toBe(
      keyOf({ ...m, responses: [response, other] }, views),
    )
    const near = { ...response, address: 0 }
    expect(keyOf({ ...m, responses: [response, near] }, views)).toBe(
      keyOf({ ...m, responses: [near, response] }, views),
    )
  })
  it('operations in flight have no order but that of agent, index, part and stage', () => {
    const [f] = m.inFlight
    const like = (agent: number, at: number, part: number, stage: 'write' | 'signal'): InFlight =>
      f?._tag === 'tmaLoad' ? { ...f, agent, at, part, stage } : f!
    const all = [
      like(0, 1, 0, 'write'),
      like(0, 1, 0, 'signal'),
      like(0, 1, 1, 'write'),
      like(0, 2, 0, 'write'),
      like(1, 1, 0, 'write'),
      like(1, 0, 0, 'signal'),
    ]
    const key = keyOf({ ...m, inFlight: all }, views)
    for (let seed = 0; seed < 20; seed++) {
      const die = dice(seed)
      const shuffled = all.map((x) => [die.below(1000), x] as const).sort((p, q) => p[0] - q[0])
      expect(keyOf({ ...m, inFlight: shuffled.map(([, x]) => x) }, views)).toBe(key)
    }
  })
  it('all of the views is in it', () => {
    const keys = new Set([keyOf(m, views)])
    let count = 1
    const add = (v: Views.Views): void => {
      keys.add(keyOf(m, v))
      expect(keys.size).toBe(++count)
    }
    for (let k = 0; k < views.words.length; k++) {
      const words = views.words.slice()
      words[k]! ^= 1 << 6
      add({ ...views, words })
    }
    const one = views.flights[0]!
    const mask = one.mask.map((w) => w ^ 4)
    for (const by of [
      { agent: 3 },
      { at: 77 },
      { part: 2 },
      { landed: true },
      { mask },
      { tensor: mask },
      { own: mask },
    ])
      add({ ...views, flights: [{ ...one, ...by }] })
    add({ ...views, flights: [] })
    add({ ...views, flights: [one, one] })
    const met = views.meetings[0]!
    for (const by of [
      { place: 5 },
      { turn: 3 },
      { joined: [7] },
      { joined: [7, 8] },
      { message: met.message.map(() => mask) },
    ])
      add({ ...views, meetings: [{ ...met, ...by }] })
    add({ ...views, meetings: [] })
  })
  it('an event that is frozen is', () => {
    const key: EventKey = { agent: 1, at: 2, stage: 'read', part: 0 }
    const keys = [
      null,
      key,
      { ...key, agent: 2 },
      { ...key, at: 3 },
      { ...key, stage: 'write' } as const,
      { ...key, stage: 'all' } as const,
      { ...key, stage: 'signal' } as const,
      { ...key, stage: 'agent' } as const,
      { ...key, part: 1 },
    ].map((frozen) => keyOf(m, views, frozen))
    expect(new Set(keys).size).toBe(keys.length)
  })
  it('control and frames are where it depends on timing', () => {
    const names = Keys.names()
    const of = (x: Machine): string => keyOf(x, views, null, true, names)
    const a = standOf(m, 0)
    const key = of(m)
    expect(of({ ...m })).toBe(key)
    expect(of(standing({ frame: [...a.frame, 5] }))).not.toBe(key)
    expect(of(standing({ control: null }))).not.toBe(key)
    expect(of(agents(0, { ready: null }))).not.toBe(key)
    const { control } = a
    if (control !== null) {
      expect(of(standing({ control: { ...control, pc: control.pc + 1 } }))).not.toBe(key)
      expect(of(standing({ control: { ...control, next: control } }))).not.toBe(key)
      expect(of(standing({ control: { ...control, iteration: [...control.iteration, 5] } }))).toBe(key)
    }
    const values: ReadonlyArray<CoreStand['frame'][number]> = [
      undefined,
      5,
      5n,
      6,
      true,
      { _tag: 'float', dtype: 'f32', x: 5 },
      { _tag: 'float', dtype: 'f32', x: 6 },
    ]
    const keys = values.map((value) => of(standing({ frame: [value] })))
    expect(new Set(keys).size).toBe(values.length)
  })
  it('values of every kind, by what somebody can do with them', () => {
    const names = Keys.names()
    const of = (value: object): string =>
      keyOf(standing({ frame: [value as Value] }), views, null, true, names)
    const layout = { tiles: [], strides: [4, 1] }
    const tile = { _tag: 'tile', plane: -1, data: Float64Array.of(1, 2) }
    const ptr = { _tag: 'ptr', dtype: 'i32', plane: 1, address: 16 }
    const view = { _tag: 'view', plane: 1, base: 16, layout }
    const barrier = { _tag: 'barrier', first: 1, shape: [2, 3] }
    const descriptor = { _tag: 'descriptor', name: 'a', base: 0 }
    const different: ReadonlyArray<object> = [
      ptr,
      { ...ptr, plane: 2 },
      { ...ptr, address: 20 },
      view,
      { ...view, plane: 2 },
      { ...view, base: 20 },
      { ...view, layout: { ...layout, strides: [1, 4] } },
      barrier,
      { ...barrier, first: 2 },
      { ...barrier, shape: [3, 2] },
      descriptor,
      { ...descriptor, name: 'b' },
      { ...descriptor, base: 128 },
      tile,
      { ...tile, data: Float64Array.of(2, 1) },
      { ...tile, plane: 3 },
      { ...tile, data: null },
      { _tag: 'token' },
      { _tag: 'fault', code: 'x', message: 'y' },
    ]
    expect(new Set(different.map(of)).size).toBe(different.length)
    // tiles without data are alike, wherever they come from, and so are faults
    expect(of({ ...tile, data: null, plane: 3 })).toBe(of({ ...tile, data: null }))
    expect(of({ _tag: 'fault', code: 'z', message: '' })).toBe(of({ _tag: 'fault', code: 'x', message: 'y' }))
    // what is made anew is the same value
    for (const value of different) expect(of(structuredClone(value))).toBe(of(value))
    // one value after another is not both at once
    const two = (...frame: ReadonlyArray<number>): string =>
      keyOf(standing({ frame }), views, null, true, names)
    expect(two(1, 23)).not.toBe(two(12, 3))
  })
  it('control: the round of a loop, and the frame that a fork has left', () => {
    const names = Keys.names()
    const region = standOf(m, 1).control!.region
    const at = (after: object, next: Control | null = null): string =>
      keyOf(
        standing({ control: { region, pc: 0, after: after as Control['after'], iteration: [], next } }),
        views,
        null,
        true,
        names,
      )
    const round = { _tag: 'for', index: 1, to: 4, step: 1 }
    const different = [
      { _tag: 'end' },
      { _tag: 'if' },
      { _tag: 'before', turn: 1 },
      { _tag: 'after', turn: 1 },
      round,
      { ...round, index: 2 },
      { ...round, to: 5 },
      { ...round, step: 2 },
      { _tag: 'branch', frame: [1] },
      { _tag: 'branch', frame: [2] },
      { _tag: 'branch', frame: [1, 2] },
    ]
    expect(new Set(different.map((after) => at(after))).size).toBe(different.length)
    // how often a while has gone round is in the frame, if anywhere
    expect(at({ _tag: 'before', turn: 2 })).toBe(at({ _tag: 'before', turn: 1 }))
    // regions are told apart by what they are, not by what they look like
    const like = { ...region }
    const within = (r: Control['region']): string =>
      keyOf(
        standing({ control: { region: r, pc: 0, after: { _tag: 'end' }, iteration: [], next: null } }),
        views,
        null,
        true,
        names,
      )
    expect(within(like)).not.toBe(within(region))
    expect(within(region)).toBe(at({ _tag: 'end' }))
  })
  it('planes that keep something, tensor maps, and which cluster is granted', () => {
    const names = Keys.names()
    const of = (x: Partial<Machine>): string => keyOf({ ...m, ...x }, views, null, false, names)
    const row = (n: number): Cells =>
      cells(
        'i32',
        Int32Array.from({ length: n }, (_, k) => 4 * k),
      )
    const plane = (kind: 'bytes' | 'slots', ...data: ReadonlyArray<number>): Plane =>
      write(empty(kind, 8192), row(data.length), Float64Array.from(data), null)
    const contents: ReadonlyArray<ReadonlyArray<Plane>> = [
      [empty('none', 64)],
      [empty('slots', 8192)],
      [plane('slots', 1, 2)],
      [plane('slots', 2, 1)],
      [plane('slots', 1, 2, 3)],
      [plane('bytes', 1, 2)],
      [plane('bytes', 2, 1)],
      [plane('slots', 1, 2), plane('slots', 2, 1)],
      [plane('slots', 2, 1), plane('slots', 1, 2)],
    ]
    expect(new Set(contents.map((planes) => of({ planes }))).size).toBe(contents.length)
    expect(of({ planes: [plane('slots', 1, 2)] })).toBe(of({ planes: [plane('slots', 1, 2)] }))
    expect(of({ planes: [empty('none', 64)] })).toBe(of({ planes: [] }))

    const map = {
      _tag: 'descriptor',
      name: 'a',
      plane: 1,
      base: 0,
      dtype: 'f16',
      dims: [8, 8],
      strides: [8, 1],
      box: [4, 8],
      elementStrides: [1, 1],
      swizzle: 32,
      fill: 'zero',
      map: { footprint: { id: 3 } },
    } as unknown as DescriptorValue
    const maps: ReadonlyArray<ReadonlyArray<DescriptorValue>> = [
      [],
      [map],
      ...[
        { plane: 2 },
        { base: 64 },
        { dtype: 'bf16' },
        { dims: [8, 16] },
        { strides: [16, 1] },
        { box: [8, 8] },
        { swizzle: 64 },
        { fill: 'nan' },
        { map: { footprint: { id: 4 } } },
      ].map((by) => [{ ...map, ...by } as unknown as DescriptorValue]),
      [map, { ...map, base: 64 }],
    ]
    expect(new Set(maps.map((tensormaps) => of({ tensormaps }))).size).toBe(maps.length)
    expect(of({ tensormaps: [{ ...map, base: 64 }, map] })).toBe(
      of({ tensormaps: [map, { ...map, base: 64 }] }),
    )

    const request = { _tag: 'clc', id: 0, agent: 0, at: 1, part: 0, stage: 'write', cluster: 2 }
    const flying = (...all: ReadonlyArray<object>): string =>
      of({ inFlight: all.map((by) => ({ ...request, ...by }) as unknown as InFlight) })
    expect(flying({})).not.toBe(flying({ cluster: 3 }))
    expect(flying({})).not.toBe(flying({ stage: 'signal' }))
    expect(flying({}, { part: 1, cluster: 3 })).not.toBe(flying({ cluster: 3 }, { part: 1 }))
  })
})

describe('keys of the states of kernels of a few lines', () => {
  it('are the same for the same state, and count what is allocated, granted and mapped', () => {
    let states = 0
    for (const twin of zoo) {
      const program = twin.program(true)
      if (E.isLeft(program)) continue
      const launched = launchedProgram(program.right)
      const names = Keys.names()
      const first = walk(launched, 3)
      const again = walk(launched, 3)
      expect(again.map((s) => keyOf(s.machine, s.views, null, true, names))).toEqual(
        first.map((s) => keyOf(s.machine, s.views, null, true, names)),
      )
      expect(new Set(first.map((s) => keyOf(s.machine, s.views))).size).toBe(first.length)
      states += first.length
    }
    expect(states).toBeGreaterThan(400)
  })
})

// ---------------------------------------------------------------- sets

describe('views in a key', () => {
  const start = walk(programs[0]!, 0)[0]!.views
  const keyOf = (words: ReadonlyArray<number>): ReadonlyArray<number> => {
    const out: number[] = []
    Views.writeKey({ ...start, words: Int32Array.from(words) }, out)
    return out
  }
  it('other words, another key: all of six words of three values', () => {
    const all = Array.from({ length: 3 ** 6 }, (_, n) =>
      Array.from({ length: 6 }, (__, k) => Math.floor(n / 3 ** k) % 3),
    )
    expect(new Set(all.map((words) => keyOf(words).join())).size).toBe(all.length)
  })
  it('what is not seen takes no room', () => {
    const words = Array.from({ length: 100_000 }, (_, k) => (k === 777 || k === 778 ? 5 : 0))
    expect(keyOf(words).length).toBe(keyOf([]).length + 6)
  })
})

describe('sets of keys', () => {
  it('have what a set of texts has', () => {
    const set = Keys.keySet()
    const texts = new Set<string>()
    const die = dice(5)
    for (let n = 0; n < 6000; n++) {
      const length = die.below(12)
      const key = Array.from({ length }, () => die.below(3) * (die.chance(0.2) ? -1 : 1))
      const isNew = !texts.has(key.join())
      texts.add(key.join())
      if (set.add(key) !== isNew || set.size() !== texts.size) expect.fail(`key ${String(n)}: ${key.join()}`)
    }
    expect(texts.size).toBeGreaterThan(2000)
  })
  it('two of one hash, of one length and of another', () => {
    const set = Keys.keySet()
    for (const key of [
      [5, 1, 7],
      [5, 2, 50338302],
    ]) {
      expect(set.add(key)).toBe(true)
      expect(set.add(key)).toBe(false)
    }
    expect(set.size()).toBe(2)
  })
  it('long ones, too', () => {
    const set = Keys.keySet()
    const key = (n: number, length: number): ReadonlyArray<number> =>
      Array.from({ length }, (_, k) => (k === length - 1 ? n : k))
    for (let n = 0; n < 40; n++)
      for (const length of [1, 500, 9000]) expect(set.add(key(n, length))).toBe(true)
    for (let n = 0; n < 40; n++)
      for (const length of [1, 500, 9000]) expect(set.add(key(n, length))).toBe(false)
    expect(set.size()).toBe(120)
  })
})
