/**
 * Recording: a run is heard while it goes on, and what each step changes is kept.
 *
 * The machine is read after every step; what reads as before is not said again. The picture and the words come from the log, when it is over.
 *
 * Laws
 * 1. The state after `i` steps is what is read off the machine and the log after `i` steps.
 * 2. What can happen in it are the events that `offered` gives of the machine, in their order.
 * 3. The bars and arrows are those of `timeline-svg.ts` of the same log.
 * 4. A run under the schedule of a recording has the same recording.
 *
 * Of a run, the clusters that run first are recorded, and of those the first `mostSteps` steps.
 */
import type { Launched } from '../../semantics/execution/launch.js'
import type { AnyPolicy } from '../../semantics/execution/policy.js'
import { ignore, run, type Outcome, type Watch } from '../../semantics/execution/run.js'
import { held, partOf, partThatCan, showKey, stageOf, type EventKey } from '../../semantics/execution/step.js'
import type { Entry } from '../../semantics/files/trace/index.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { listing } from '../../semantics/language/print.js'
import type { Program, Site } from '../../semantics/language/program.js'
import type { Header, LogEvent } from '../../semantics/log/events.js'
import type { Mbarrier } from '../../semantics/machine/mbarrier.js'
import type { InFlight } from '../../semantics/machine/operation.js'
import type { Machine } from '../../semantics/machine/state.js'
import type { World } from '../../semantics/machine/world.js'
import { agentName, barrierName, barrierOf, placeOf, siteName, whatOf } from '../event.js'
import { drawingOf, kindOf, kindsOf, rowsOf, type Drawing } from '../timeline-drawing.js'
import type {
  AgentState,
  BarrierState,
  Change,
  Flight,
  Picture,
  RecordedSite,
  Recording,
  State,
  Step,
} from './model.js'
import { buffersOf, following, type Buffers } from './slots.js'
import { barrierOfReady, wordsOfFlight, wordsOfReady } from './words.js'

export const mostSteps = 20_000

// ---------------------------------------------------------------- reading a machine

/** Where an agent stands. */
export const agentNow = (world: World, m: Machine, agent: number): AgentState => {
  const { status, ready, at } = m.agents[agent]!
  return ready === null
    ? { status: status === 'running' ? 'waits' : status, at, site: -1, iteration: [], does: '', barrier: -1 }
    : {
        status: partThatCan(world, m, agent) < 0 ? 'waits' : 'ready',
        at,
        site: ready.site,
        iteration: ready.iteration,
        does: wordsOfReady(ready),
        barrier: barrierOfReady(ready),
      }
}

const barrierNow = (b: Mbarrier | null): BarrierState | null =>
  b === null ? null : { generation: b.completed, pending: b.pending, expected: b.expected, bytes: b.tx }

const keyOf = (f: InFlight): string =>
  showKey({ agent: f.agent, at: f.at, stage: stageOf(f), part: partOf(f) })

const flightNow = (world: World, m: Machine, f: InFlight, issued: number): Flight => ({
  key: keyOf(f),
  unit: f._tag,
  issued,
  does: wordsOfFlight(f),
  isHeld: held(world, m, f),
})

// ---------------------------------------------------------------- hearing a run

/** A step as it is heard: its events are `from` to `to` of the log. */
interface Heard {
  readonly key: EventKey
  readonly site: number
  readonly iteration: ReadonlyArray<number>
  readonly from: number
  readonly to: number
  readonly changed: Change
}

/** What has been heard of a run. */
interface Tape {
  readonly log: LogEvent[]
  readonly steps: Heard[]
  readonly start: State | null
  readonly shown: number
}

interface Recorder {
  readonly watch: Watch
  readonly tape: () => Tape
}

/** Those entries of a list that are not what they were. */
const differing = <A>(was: ReadonlyArray<A>, is: ReadonlyArray<A>): ReadonlyArray<readonly [number, A]> =>
  is.flatMap((x, i) => (x === was[i] ? [] : [[i, x] as const]))

const recorder = (world: World, buffers: Buffers, most: number): Recorder => {
  const log: LogEvent[] = []
  const steps: Heard[] = []
  let start: State | null = null
  let shown = 0
  /** the clusters that run first are over, or as many steps as are kept */
  let isOver = false
  /** the step of a statement, by agent and number */
  const stepsOf = new Map<string, number>()
  const nameOf = (agent: number, at: number): string => `${String(agent)}:${String(at)}`
  const stepOf = (agent: number, at: number): number => stepsOf.get(nameOf(agent, at)) ?? -1
  const slots = following(buffers, stepOf)
  let agents: ReadonlyArray<AgentState> = []
  let machine: Machine | null = null
  let barriers: ReadonlyArray<BarrierState | null> = []
  let flights: ReadonlyArray<Flight> = []

  /** An agent that reads as before is the same object. */
  const agentsOf = (m: Machine): ReadonlyArray<AgentState> =>
    m.agents.map((a, agent) => {
      const was = agents[agent]
      if (was !== undefined && a === machine?.agents[agent]) {
        const status = a.ready === null ? was.status : partThatCan(world, m, agent) < 0 ? 'waits' : 'ready'
        return status === was.status ? was : { ...was, status }
      }
      const is = agentNow(world, m, agent)
      return was !== undefined &&
        was.at === is.at &&
        was.status === is.status &&
        was.site === is.site &&
        was.does === is.does
        ? was
        : is
    })
  const barriersOf = (m: Machine): ReadonlyArray<BarrierState | null> =>
    m.barriers === machine?.barriers
      ? barriers
      : m.barriers.map((b, i) => (b === machine?.barriers[i] ? (barriers[i] ?? null) : barrierNow(b)))
  const flightsOf = (m: Machine): ReadonlyArray<Flight> => {
    const known = new Map(machine?.inFlight.map((f, i) => [f, flights[i]!] as const))
    return m.inFlight.map((f) => {
      const was = known.get(f)
      return was !== undefined && was.isHeld === held(world, m, f)
        ? was
        : flightNow(world, m, f, stepOf(f.agent, f.at))
    })
  }
  /** A flight goes on under another key: its operation, and which of those of one statement it is. */
  const flown = (m: Machine, now: ReadonlyArray<Flight>): ReadonlyArray<readonly [string, Flight | null]> => {
    const identity = (f: InFlight): string => `${f._tag} ${nameOf(f.agent, f.at)} ${String(partOf(f))}`
    const left = new Map(m.inFlight.map((f, i) => [identity(f), now[i]!] as const))
    const before = machine?.inFlight ?? []
    const known = new Set(before.map(identity))
    return [
      ...before.flatMap((f, i): ReadonlyArray<readonly [string, Flight | null]> => {
        const is = left.get(identity(f))
        return is === flights[i] ? [] : [[flights[i]!.key, is ?? null]]
      }),
      ...m.inFlight.flatMap((f, i) => (known.has(identity(f)) ? [] : [[now[i]!.key, now[i]!] as const])),
    ]
  }

  return {
    watch: {
      begun: (m, events) => {
        if (start !== null) {
          isOver = true
          return
        }
        for (const e of events) log.push(e)
        shown = m.wave.clusters.filter((cluster) => cluster >= 0).length
        agents = agentsOf(m)
        barriers = barriersOf(m)
        flights = flightsOf(m)
        machine = m
        start = { agents, barriers, slots: slots.states(), flights }
      },
      stepped: (m, key, events) => {
        if (isOver || machine === null) return
        if (steps.length >= most) {
          isOver = true
          return
        }
        const { agent, at } = key
        const own = key.stage === 'agent'
        if (own) stepsOf.set(nameOf(agent, at), steps.length)
        const issuer = own ? null : steps[stepOf(agent, at)]
        const stood = agents[agent]
        const [nowAgents, nowBarriers, nowFlights] = [agentsOf(m), barriersOf(m), flightsOf(m)]
        const changed: { -readonly [K in keyof Change]: Change[K] } = {}
        const a = differing(agents, nowAgents)
        const b = differing(barriers, nowBarriers)
        const s = slots.step(events, m.inFlight)
        const f = flown(m, nowFlights)
        if (a.length > 0) changed.agents = a
        if (b.length > 0) changed.barriers = b
        if (s.length > 0) changed.slots = s
        if (f.length > 0) changed.flights = f
        const from = log.length
        for (const e of events) log.push(e)
        steps.push({
          key,
          site: issuer?.site ?? stood?.site ?? -1,
          iteration: issuer?.iteration ?? stood?.iteration ?? [],
          from,
          to: log.length,
          changed,
        })
        agents = nowAgents
        barriers = nowBarriers
        flights = nowFlights
        machine = m
      },
      ended: (events) => {
        if (!isOver) for (const e of events) log.push(e)
      },
    },
    tape: () => ({ log, steps, start, shown }),
  }
}

// ---------------------------------------------------------------- words and picture

const textOf = (header: Header, entry: Entry): string =>
  [whatOf(entry.event), placeOf(header, entry.event), barrierOf(header, entry)]
    .filter((word) => word !== '')
    .join(' ')

/** The event of a statement that says most of it. */
const mainOf = (entries: ReadonlyArray<Entry>): Entry | undefined =>
  entries.find(({ event }) => event._tag === 'issue') ??
  entries.find(({ event }) => kindOf(event) !== 'other') ??
  entries[0]

const doesOf = (header: Header, { key }: Heard, entries: ReadonlyArray<Entry>): string => {
  const main = mainOf(entries)
  if (main === undefined) return 'nothing'
  return key.stage === 'agent'
    ? textOf(header, main)
    : entries
        .filter(({ event }) => event._tag !== 'access')
        .map((entry) => textOf(header, entry))
        .join('; ')
}

const stepsOfTape = (header: Header, steps: ReadonlyArray<Heard>, drawing: Drawing): ReadonlyArray<Step> => {
  const last = new Map<number, number>()
  return steps.map((heard) => {
    const { key, site, iteration, from, to, changed } = heard
    const entries = drawing.entries.slice(from, to)
    const main = mainOf(entries)
    const time = main === undefined ? (last.get(key.agent) ?? 0) : drawing.times[main.i]!
    if (key.stage === 'agent') last.set(key.agent, time)
    return {
      key: showKey(key),
      agent: key.agent,
      at: key.at,
      site,
      iteration,
      does: doesOf(header, heard, entries),
      time,
      changed,
    }
  })
}

/** By place in the log: the step that made it; of what no step made, none. */
const stepsOfLog = (
  log: ReadonlyArray<LogEvent>,
  steps: ReadonlyArray<Heard>,
): ReadonlyArray<number | null> => {
  const of = new Array<number | null>(log.length).fill(null)
  steps.forEach(({ from, to }, step) => of.fill(step, from, to))
  return of
}

export const pictureOf = (drawing: Drawing, stepOf: (place: number) => number | null): Picture => {
  const { lanes, arrows, end } = drawing
  const places = new Map(lanes.map(({ key }, i) => [key, i]))
  return {
    lanes: lanes.map((l) => ({
      name: l.name,
      cta: l.cta,
      kind: l.isUnit ? 'unit' : 'agent',
      rows: rowsOf(l),
    })),
    bars: lanes.flatMap((l, lane) =>
      l.bars.map(({ row, from, to, kind, label, tip, isOpen, stamp, first, last }) => ({
        lane,
        row,
        from,
        to,
        kind,
        label,
        tip,
        isOpen,
        agent: stamp.agent,
        at: stamp.at,
        site: stamp.site,
        iteration: stamp.iteration,
        first: stepOf(first),
        last: stepOf(last),
      })),
    ),
    arrows: arrows.map((a) => ({
      fromLane: places.get(a.fromLane) ?? 0,
      fromRow: a.fromRow,
      from: a.from,
      toLane: places.get(a.toLane) ?? 0,
      to: a.to,
      kind: a.kind,
      fromStep: stepOf(a.cause),
      toStep: stepOf(a.effect),
    })),
    kinds: kindsOf(lanes),
    end,
  }
}

// ---------------------------------------------------------------- the document

/** What is run, as a page shows it beside its world. */
export interface Script {
  readonly name: string
  readonly listing: (header: Header) => Recording['listing']
  /** the arrays that its memory is divided into */
  readonly buffers: (world: World) => Buffers
}

/** What is said of a run beside what happens in it. */
export interface Facts {
  readonly settings: Recording['settings']
  readonly without: ReadonlyArray<string>
  readonly schedule: string | null
  readonly verdict: Verdict | null
  /** where an author wrote a statement */
  readonly source: (site: Site) => RecordedSite['source'] | null
}

const sitesOf = (
  header: Header,
  lines: Recording['listing'],
  source: Facts['source'],
): ReadonlyArray<RecordedSite> => {
  const first = new Map<number, number>()
  lines.forEach(({ site }, i) => {
    if (site !== null && !first.has(site)) first.set(site, i)
  })
  return header.sites.map((site, i) => {
    const from = source(site)
    const known = { name: site.label, path: site.path, line: first.get(i) ?? -1 }
    return from === null || from === undefined ? known : { ...known, source: from }
  })
}

/** A program of the core. */
export const scriptOf = (program: Program): Script => ({
  name: program.name,
  listing: (header) => {
    const places = new Map(header.sites.map((site, i) => [site, i]))
    return listing(program).map(({ text, depth, site }) => ({
      text,
      depth,
      site: site === null ? null : (places.get(site) ?? null),
    }))
  },
  buffers: (world) => buffersOf(world, program),
})

/** Who waits for what where nothing can happen any more. */
const stuckText = (world: World, m: Machine): string =>
  m.agents
    .flatMap((_, agent) => {
      const { status, does, site, barrier } = agentNow(world, m, agent)
      if (status !== 'waits') return []
      const { header } = world
      const stamp = { agent, at: 0, site, iteration: [] }
      const of =
        barrier < 0 ? '' : ` of ${barrierName(header, barrier)}@${String(header.barriers[barrier]!.cta)}`
      return [
        `${agentName(header, agent)}@${String(header.agents[agent]!.cta)} stands at ${siteName(header, stamp)} (${does}${of})`,
      ]
    })
    .join('; ')

const outcomes = {
  completed: 'completed',
  stuck: 'stuck',
  outOfFuel: 'out-of-fuel',
  refused: 'fault',
  fault: 'fault',
} as const

const reasonOf = (world: World, m: Machine, outcome: Outcome): string => {
  switch (outcome._tag) {
    case 'completed':
      return ''
    case 'stuck':
      return `no further step is possible: ${stuckText(world, m)}`
    case 'outOfFuel':
      return 'its fuel was spent'
    case 'refused':
      return outcome.key === null ? 'its schedule does not go on' : `${showKey(outcome.key)} is not offered`
    case 'fault': {
      const { site, agent, message } = outcome.fault
      const at = siteName(world.header, { agent, at: 0, site, iteration: [] })
      return `${agentName(world.header, agent)}${at === '' ? '' : ` at ${at}`}: ${message}`
    }
  }
}

export interface Recorded {
  readonly recording: Recording
  readonly outcome: Outcome
  readonly steps: number
}

/** Run and record. */
export const record = (
  script: Script,
  { world, machine }: Launched,
  how: { readonly policy: AnyPolicy; readonly fuel: number; readonly most?: number },
  facts: Facts,
): Recorded => {
  const { header } = world
  const buffers = script.buffers(world)
  const { watch, tape } = recorder(world, buffers, how.most ?? mostSteps)
  const ran = run(
    world,
    machine,
    { policy: how.policy, fuel: how.fuel, keepSchedule: false, transient: true, watch },
    ignore,
  )
  const { log, steps, start, shown } = tape()
  const drawing = drawingOf(header, log)
  const stepAt = stepsOfLog(log, steps)
  const lines = script.listing(header)
  return {
    outcome: ran.outcome,
    steps: ran.steps,
    recording: {
      schema: 'tcspec.recording/1',
      kernel: script.name,
      arch: header.arch,
      settings: facts.settings,
      without: facts.without,
      schedule: facts.schedule,
      outcome: outcomes[ran.outcome._tag],
      reason: reasonOf(world, ran.machine, ran.outcome),
      count: ran.steps,
      clusters: { shown, of: world.clusterCount },
      agents: header.agents.map(({ name, cta, warps }) => ({ name, cta, warps })),
      barriers: header.barriers.map(({ name, cta }) => ({ name, cta })),
      buffers: buffers.buffers,
      sites: sitesOf(header, lines, facts.source),
      listing: lines,
      picture: pictureOf(drawing, (place) => stepAt[place] ?? null),
      start: start ?? { agents: [], barriers: [], slots: [], flights: [] },
      steps: stepsOfTape(header, steps, drawing),
      verdict: facts.verdict,
    },
  }
}
