/** Recordings: states by their changes against states read off the machine and the log by another reader; what is offered; the picture; replays. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zoo } from '../../../src/kernels/broken/zoo/index.js'
import { unit } from '../../../src/numerics/unit.js'
import type { Flight, Recording, SlotState, State } from '../../../src/render/recording/model.js'
import { record, scriptOf, type Facts } from '../../../src/render/recording/record.js'
import { after, offeredIn, stateAfter, statesOf, waitingAt } from '../../../src/render/recording/state.js'
import { write } from '../../../src/render/svg.js'
import { timelineSvg } from '../../../src/render/timeline-svg.js'
import { ofOperation } from '../../../src/semantics/execution/event-effects.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { offered, readKey, sameKey, showKey, take } from '../../../src/semantics/execution/step.js'
import { readSchedule } from '../../../src/semantics/files/schedule.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { spansOf, type Footprint, type LogEvent } from '../../../src/semantics/log/events.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { slot, spans } from '../../../src/transforms/ref.js'
import { sampled } from '../../extent.js'
import { kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { right } from '../../either.js'
import { followed } from '../../kernels/followed.js'
import { catalogue } from '../../semantics/files/trace/written.js'
import { all, readSvg, tipOf } from '../read-svg.js'

const facts: Facts = { settings: {}, without: [], schedule: 'eager', verdict: null, source: () => null }
const fuel = 100_000

const recorded = (program: Program, policy: Policy.AnyPolicy, most?: number): Recording =>
  record(
    scriptOf(program),
    right(launch(program, unit, noArguments)),
    { policy, fuel, ...(most === undefined ? {} : { most }) },
    facts,
  ).recording

const programs: ReadonlyArray<readonly [name: string, program: Program]> = [
  ...catalogue(),
  ...zoo.flatMap(({ path, program }) =>
    [false, true].flatMap((fixed) => {
      const made = program(fixed)
      return made._tag === 'Left' ? [] : [[`${path}${fixed ? '-fixed' : ''}`, made.right] as const]
    }),
  ),
].filter(([, program]) => launch(program, unit, noArguments)._tag === 'Right')
const policies = [Policy.eager, Policy.lazy, Policy.seeded(3), Policy.roundRobin]

// ---------------------------------------------------------------- another reader

interface Walked {
  readonly world: World
  readonly machine: Machine
  readonly log: ReadonlyArray<LogEvent>
  /** of each statement, the number of its step */
  readonly steps: ReadonlyMap<string, number>
}

/** The machine and the log after so many steps, one after the other. */
const walk = (program: Program, keys: ReadonlyArray<string>): Walked => {
  const { world, machine } = right(launch(program, unit, noArguments))
  let m = machine
  const log: LogEvent[] = []
  const steps = new Map<string, number>()
  keys.forEach((text, i) => {
    const key = readKey(text)!
    const o = offered(world, m).find((one) => sameKey(one.key, key))
    const done = take(world, m, o!)
    if ('kind' in done) throw new Error(done.message)
    if (key.stage === 'agent') steps.set(text, i)
    log.push(...done.events)
    m = done.machine
  })
  return { world, machine: m, log, steps }
}

const marked = (size: number, of: ReadonlyArray<readonly [number, number]>): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (const [start, length] of of) bytes.fill(1, start, start + length)
  return bytes
}
const meets = (bytes: Uint8Array, f: Footprint): boolean => {
  const list = spansOf(f)
  for (let i = 0; i < list.length; i += 2)
    for (let b = list[i]!; b < list[i + 1]!; b++) if (bytes[b] === 1) return true
  return false
}

/** Slots by their bytes: of each byte of a plane the last access that wrote it. */
const slotsRead = (
  program: Program,
  { world, machine, log, steps }: Walked,
  counts: ReadonlyArray<number>,
): State['slots'] => {
  const writers = world.planeBytes.map((bytes, p) => {
    const space = world.header.planes[p]!.space
    return space === 'smem' || space === 'tmem' ? new Int32Array(bytes).fill(-1) : null
  })
  log.forEach((e, i) => {
    if (e._tag === 'alloc' || e._tag === 'dealloc' || (e._tag === 'access' && e.rw === 'w')) {
      const plane = writers[e.footprint.plane]
      const list = spansOf(e.footprint)
      for (let k = 0; k < list.length; k += 2) plane?.fill(e._tag === 'access' ? i : -1, list[k], list[k + 1])
    }
  })
  const stepOf = (agent: number, at: number): number => steps.get(`${String(agent)}:${String(at)}`)!
  const sorted = (xs: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(xs)]
  const found: ReadonlyArray<SlotState>[] = []
  for (let cta = 0; cta < world.header.agents.length / world.agentsPerCta; cta++)
    for (const storage of program.storage) {
      if (storage.contents._tag !== 'elements') continue
      if (storage.space !== 'smem' && storage.space !== 'tmem') continue
      const { layout } = storage.contents
      const { plane, offset } = world.storages.get(storage.id)!
      const p = plane + cta * world.planesPerCta
      const count = counts[found.length]!
      found.push(
        Array.from({ length: count }, (_, k): SlotState => {
          const own = count === 1 ? layout : right(slot(k)(layout))
          const bytes = marked(world.planeBytes[p]!, spans(own, offset))
          const last = new Map<number, number>()
          bytes.forEach((is, b) => {
            const i = writers[p]![b]!
            const e = log[i]
            if (is === 0 || e?._tag !== 'access') return
            const by = stepOf(e.stamp.agent, e.stamp.at)
            last.set(by, Math.max(last.get(by) ?? -1, i))
          })
          const here = log.filter(
            (e) => e._tag === 'access' && e.footprint.plane === p && meets(bytes, e.footprint),
          )
          const final = here.at(-1)
          const uses = machine.inFlight.map((f) => {
            const touches = ofOperation(f).flatMap((t) =>
              t._tag === 'memory' && t.footprint.plane === p && meets(bytes, t.footprint) ? [t.rw] : [],
            )
            return {
              by: stepOf(f.agent, f.at),
              rw: touches.includes('w') ? 'w' : touches.includes('r') ? 'r' : null,
            }
          })
          const holds = [...last].sort((a, b) => a[1] - b[1]).map(([by]) => by)
          return {
            writing: sorted(uses.flatMap(({ by, rw }) => (rw === 'w' ? [by] : []))),
            holds,
            reading: sorted(uses.flatMap(({ by, rw }) => (rw === 'r' ? [by] : []))),
            wasRead: holds.length > 0 && final?._tag === 'access' && final.rw === 'r',
          }
        }),
      )
    }
  return found
}

const read = (program: Program, walked: Walked, counts: ReadonlyArray<number>): State => {
  const { world, machine, steps } = walked
  const keys = new Set(offered(world, machine).map(({ key }) => showKey(key)))
  return {
    agents: machine.agents.map((a, agent) => ({
      status:
        a.ready === null
          ? a.status === 'running'
            ? 'waits'
            : a.status
          : keys.has(`${String(agent)}:${String(a.at)}`)
            ? 'ready'
            : 'waits',
      at: a.at,
      site: a.ready === null ? -1 : a.ready.site,
      iteration: a.ready === null ? [] : a.ready.iteration,
      does: expect.any(String) as string,
      barrier: expect.any(Number) as number,
    })),
    barriers: machine.barriers.map((b) =>
      b === null ? null : { generation: b.completed, pending: b.pending, expected: b.expected, bytes: b.tx },
    ),
    slots: slotsRead(program, walked, counts),
    flights: machine.inFlight.map((f) => {
      const own = steps.get(`${String(f.agent)}:${String(f.at)}`)!
      return {
        key: expect.stringMatching(new RegExp(`^${String(f.agent)}:${String(f.at)}/`)) as string,
        unit: f._tag,
        issued: own,
        does: expect.any(String) as string,
        isHeld: expect.any(Boolean) as boolean,
      } satisfies Flight
    }),
  }
}

// ---------------------------------------------------------------- laws

describe('a recording', () => {
  test('of what: the catalogue and the zoo', () => {
    expect(programs.length).toBeGreaterThan(60)
  })
  test.each(sampled(17, programs))('%s: laws 1 and 2, at a few steps', (_, program) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (policy, part) => {
          const recording = recorded(program, policy)
          const at = Math.round(part * recording.steps.length)
          const walked = walk(
            program,
            recording.steps.slice(0, at).map(({ key }) => key),
          )
          const state = stateAfter(recording, at)
          const counts = recording.buffers.map(({ slots }) => slots)
          expect(state).toEqual(read(program, walked, counts))
          expect(offeredIn(recording, state).map(({ key }) => key)).toEqual(
            offered(walked.world, walked.machine).map(({ key }) => showKey(key)),
          )
        },
      ),
      { numRuns: 3 },
    )
  })
  test.each(sampled(21, programs))('%s: a step does what it was offered as', (_, program) => {
    for (const policy of policies) {
      const recording = recorded(program, policy)
      let state = recording.start
      for (const step of recording.steps) {
        const offer = offeredIn(recording, state).find(({ key }) => key === step.key)
        expect(offer).toMatchObject({ agent: step.agent, site: step.site, iteration: step.iteration })
        if (step.does !== 'nothing')
          expect(step.does.replace(/^issue #\d+ /, 'issue ')).toContain(offer!.does)
        state = after(state, step)
      }
    }
  })
  test.each(sampled(19, programs))('%s: law 3, the picture is that of the timeline', (_, program) => {
    const { world, machine } = right(launch(program, unit, noArguments))
    const events = run(world, machine, { ...settings(Policy.eager), fuel }, collect).result
    const { picture, steps } = recorded(program, Policy.eager)
    const root = readSvg(write(timelineSvg(world.header, events)))
    const drawn = all(root, 'rect')
      .map(tipOf)
      .filter((tip) => tip !== '')
    const tips = picture.bars.map(({ tip }) => tip)
    expect(drawn.filter((tip) => !tips.includes(tip))).toEqual([])
    const isWhole = !/Drawn up to time/.test(write(timelineSvg(world.header, events)))
    if (isWhole) expect([...drawn].sort()).toEqual([...tips].sort())
    for (const bar of picture.bars) {
      if (bar.first === null) continue
      const step = steps[bar.first]!
      expect([step.agent, step.at, step.site]).toEqual([bar.agent, bar.at, bar.site])
      expect(bar.last ?? Infinity).toBeGreaterThanOrEqual(bar.first)
    }
    for (const { fromStep, toStep } of picture.arrows)
      if (fromStep !== null && toStep !== null) expect(fromStep).toBeLessThan(toStep)
  })
  test.each(sampled(31, programs))(
    '%s: law 4, replayed by its keys, and by the name of its policy',
    (_, program) => {
      for (const policy of [Policy.lazy, Policy.seeded(5)]) {
        const recording = recorded(program, policy)
        const keys = right(readSchedule(recording.steps.map(({ key }) => key).join(' ')))
        if (recording.count === recording.steps.length) expect(recorded(program, keys)).toEqual(recording)
        expect(recorded(program, policy)).toEqual(recording)
      }
    },
  )
  test('of several clusters the first ones are recorded, and of those so many steps', () => {
    const [, program] = programs.find(([name]) => name === 'hopper-persistent')!
    const whole = recorded(program, Policy.eager)
    const short = recorded(program, Policy.eager, 10)
    expect(short.steps).toHaveLength(10)
    expect(short.count).toBe(whole.count)
    expect(short.outcome).toBe('completed')
    expect(short.steps.map(({ key }) => key)).toEqual(whole.steps.slice(0, 10).map(({ key }) => key))
  })
  test('states that are kept are those that are folded', () => {
    const [, program] = programs.find(([name]) => name === 'hopper-matmul')!
    const recording = recorded(program, Policy.eager)
    const state = statesOf(recording)
    for (const at of [0, 70, 3, 64, 128, recording.steps.length, 65])
      expect(state(at)).toEqual(stateAfter(recording, Math.min(at, recording.steps.length)))
  })
  test('where a run gets stuck it says who waits for what', () => {
    const [, program] = programs.find(([name]) => name === 'zoo/B1')!
    const recording = recorded(program, Policy.eager)
    expect(recording.outcome).toBe('stuck')
    const last = stateAfter(recording, recording.steps.length)
    expect(offeredIn(recording, last)).toEqual([])
    expect(recording.barriers.some((_, b) => waitingAt(last, b).length > 0)).toBe(true)
    expect(recording.reason).toMatch(/^no further step is possible: .* stands at /)
  })
  test('by hand: the first copy of hopper-matmul', () => {
    // as small as it is followed, by day and by night
    const { program } = followed(right(kernelNamed('hopper-matmul')))[1]!
    const recording = recorded(program, Policy.eager)
    const { sites, steps, listing } = recording
    const rows = steps
      .slice(11, 15)
      .map(({ key, site, iteration, does, changed }) => [
        `${key} ${sites[site]!.name}[${iteration.join()}]: ${does}`,
        changed.barriers ?? [],
        changed.slots ?? [],
        (changed.flights ?? []).map(([was, is]) => `${was} -> ${is === null ? 'over' : is.key}`),
      ])
    const full = (pending: number, bytes: number) => [0, { generation: 0, pending, expected: 2, bytes }]
    const slotOf = (writing: ReadonlyArray<number>, holds: ReadonlyArray<number>) => [
      ...[0, 0],
      { writing, holds, reading: [], wasRead: false },
    ]
    expect(rows).toEqual([
      ['1:3 copy a.expect[0]: arrive 1, expects 2048 B loaded[0]@0 g0', [full(1, 2048)], [], []],
      ['1:4 copy a[0]: issue #0 tmaLoad 2048 B', [], [slotOf([12], [])], ['1:4/write.0 -> 1:4/write.0']],
      ['1:4/write.0 copy a[0]: perform #0 write', [], [slotOf([], [12])], ['1:4/write.0 -> 1:4/signal.0']],
      [
        ...['1:4/signal.0 copy a[0]: signal #0 2048 B loaded[0]@0 g0', [full(1, 0)], []],
        ['1:4/signal.0 -> over'],
      ],
    ])
    expect(
      recording.buffers.map((b) => `${b.name} ${String(b.slots)} ${b.holds} at ${String(b.start)}`),
    ).toEqual(['a_smem 2 f16 64x16 at 0', 'b_smem 2 f16 16x16 at 4096', 'out_smem 1 f16 64x16 at 5120'])
    expect(listing[sites.find((s) => s.name === 'copy a')!.line]!.text).toContain('tma.load')
  })
})
