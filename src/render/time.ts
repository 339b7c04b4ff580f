/**
 * A timed run, told: how long, what is busy, and what the critical path waits for; as text, as data, and as a timeline to scale.
 *
 * Laws
 * 1. Text and data tell the same numbers.
 * 2. Slices of one track of the timeline do not overlap, but for operations in flight, which have a track for each agent that issues them.
 */
import {
  allNames,
  criticalOf,
  knownBy,
  names,
  reasonsOf,
  valueOf,
  type Chip,
  type Stretch,
  type Timing,
} from '../semantics/timing/index.js'
import type { Json } from '../wire.js'
import type { Palette } from './palette.js'
import { fields, table, thousands } from './table.js'

// ---------------------------------------------------------------- model

/** The line of an author that a statement is from, and its text; null: it has none. */
export type LineOf = (site: number) => { readonly place: string; readonly text: string } | null

export const timeSchema = 'tcspec.time/1'

/** What no prediction speaks of; where a kernel has it, it is said first. */
export const blind: ReadonlyArray<string> = [
  'machine instructions: a PTX instruction counts as one, and a move as none',
  'the frequency in detail: it depends on data and temperature too',
  'which slice of L2 holds a line, and conflicts between its slices',
  'the first-level cache of loads by threads: they are assumed to come from L2',
  'spills of registers to local memory',
]

const isUsed = (t: Timing, instruction: string): boolean =>
  t.timed.moments.some(({ unit }) => unit === instruction)

/** What is not modelled, as far as it may matter here. */
export const blindIn = (t: Timing): ReadonlyArray<string> => [
  ...(t.footing.registers >= 255 ? ['registers are full: the time of spills is not included'] : []),
  ...(isUsed(t, 'clc') ? ['which cluster takes the next tile: the chip decides during the run'] : []),
  ...blind,
]

const percent = (x: number): string => `${(100 * x).toFixed(1)} %`
const whole = (x: number): string => thousands(Math.round(x))

const siteText = (t: Timing, lineOf: LineOf, site: number): string => {
  const line = lineOf(site)
  if (line !== null) return line.text === '' ? line.place : `${line.place}  ${line.text}`
  const s = t.header.sites[site]
  return s?.loc ?? s?.label ?? ''
}

/** Stretches of one line and one reason, together. */
interface Row {
  readonly where: string
  readonly why: Stretch['why']
  readonly cycles: number
  readonly share: number
}
const rowsOf = (t: Timing, lineOf: LineOf): ReadonlyArray<Row> => {
  const sums = new Map<string, { where: string; why: Stretch['why']; cycles: number; share: number }>()
  for (const { site, why, cycles, share } of criticalOf(t.timed)) {
    const where = siteText(t, lineOf, site)
    const key = `${why} ${where}`
    const row = sums.get(key) ?? { where, why, cycles: 0, share: 0 }
    sums.set(key, row)
    row.cycles += cycles
    row.share += share
  }
  return [...sums.values()].sort((a, b) => b.cycles - a.cycles)
}

const busyOf = (t: Timing): ReadonlyArray<readonly [string, number]> =>
  Object.entries(t.timed.busy)
    .map(([name, cycles]) => [name, t.timed.end === 0 ? 0 : cycles / t.timed.end] as const)
    .filter(([, share]) => share >= 0.001)
    .sort((a, b) => b[1] - a[1])

/** What bounds it: a unit that is busy nearly always, or what the critical path waits for most. */
export const boundOf = (t: Timing): string => {
  const [busiest] = busyOf(t)
  if (busiest !== undefined && busiest[1] >= 0.85) return busiest[0]
  const [reason] = reasonsOf(criticalOf(t.timed))
  return reason === undefined ? 'nothing' : reason.why
}

// ---------------------------------------------------------------- text

export const timeText = (palette: Palette, t: Timing, lineOf: LineOf): string => {
  const { chip, residency, waves, footing } = t
  const rows = rowsOf(t, lineOf).filter(({ share }) => share >= 0.005)
  return [
    `${t.header.program} on ${chip.says}: ${t.microseconds.toFixed(1)} us`,
    '',
    fields(palette, 13, [
      [
        'cycles',
        `${whole(t.cycles)} at ${whole(t.megahertz)} MHz, and ${String(valueOf(chip, 'launch.grid'))} us for the launch`,
      ],
      ['tensor cores', `${percent(t.tensorCores)} of what the chip can do`],
      ['bound', boundOf(t)],
      [
        'CTAs',
        `${String(residency.ctas)} on a multiprocessor (limit: ${residency.by}; ${String(footing.threads)} threads, ${String(footing.registers)} registers a thread, ${whole(footing.shared)} bytes shared)`,
      ],
      [
        'waves',
        `${whole(waves.all)} of ${whole(t.clusters)} ${t.clusters === 1 ? 'cluster' : 'clusters'}, ${String(waves.run)} of them run`,
      ],
      [
        'memory',
        `${whole(t.timed.bytes.loaded)} bytes loaded by one multiprocessor, ${percent(t.timed.bytes.loaded === 0 ? 0 : t.timed.bytes.missed / t.timed.bytes.loaded)} from DRAM; ${whole(t.timed.bytes.stored)} stored`,
      ],
      [
        'busy',
        busyOf(t)
          .map(([name, share]) => `${name} ${percent(share)}`)
          .join(', '),
      ],
    ]),
    '',
    palette.dim('critical path'),
    table([
      ['share', 'cycles', 'waits for', 'line'],
      ...rows.map((r) => [percent(r.share), whole(r.cycles), r.why, r.where]),
    ]),
    '',
    palette.dim('not modelled'),
    ...blindIn(t).map((line) => `  ${line}`),
    '',
  ].join('\n')
}

// ---------------------------------------------------------------- data

export const timeDocument = (t: Timing, lineOf: LineOf): Json => ({
  schema: timeSchema,
  program: t.header.program,
  chip: t.chip.name,
  microseconds: t.microseconds,
  megahertz: t.megahertz,
  cycles: t.cycles,
  tensorCores: t.tensorCores,
  bound: boundOf(t),
  residency: { ctas: t.residency.ctas, limit: t.residency.by },
  footing: { threads: t.footing.threads, registers: t.footing.registers, shared: t.footing.shared },
  clusters: t.clusters,
  waves: t.waves.all,
  wavesRun: t.waves.run,
  bytes: {
    loaded: t.timed.bytes.loaded,
    missed: t.timed.bytes.missed,
    stored: t.timed.bytes.stored,
  },
  busy: Object.fromEntries(busyOf(t)),
  critical: rowsOf(t, lineOf).map(({ where, why, cycles, share }) => ({ line: where, why, cycles, share })),
  notModelled: blindIn(t),
})

/** The numbers of a chip with their sources. */
export const chipText = (chip: Chip): string =>
  table([
    ['number', 'value', 'unit', 'known', 'by', 'is'],
    ...allNames.map((name) => {
      const parameter = chip.parameters[name]
      const [unit, says] = names[name]
      const [how, by] = knownBy(parameter)
      return [name, String(parameter.value), unit, how, by, says]
    }),
  ])

export const chipDocument = (chip: Chip): Json => ({
  schema: 'tcspec.chip/1',
  name: chip.name,
  says: chip.says,
  numbers: Object.fromEntries(
    allNames.map((name) => {
      const [unit, says] = names[name]
      const [known, by] = knownBy(chip.parameters[name])
      return [name, { value: chip.parameters[name].value, unit, says, known, by }]
    }),
  ),
})

// ---------------------------------------------------------------- the timeline

/** A trace-event document for Perfetto: a microsecond of it is one of the chip. Operations in flight overlap, so each is a pair of events of its own. */
export const timeTimeline = (t: Timing, lineOf: LineOf): Json => {
  const scale = 1 / t.megahertz
  const { agents, program, arch } = t.header
  const track = (agent: number, isUnit: boolean): number => 2 * agent + (isUnit ? 1 : 0)
  const names = agents.flatMap(({ name, cta }, agent): ReadonlyArray<Json> =>
    [false, true].map((isUnit) => ({
      ph: 'M',
      name: 'thread_name',
      pid: cta,
      tid: track(agent, isUnit),
      args: { name: isUnit ? `${name}: in flight` : name },
    })),
  )
  const slices = t.timed.moments.flatMap(({ site, agent, unit, from, to, why }, i): ReadonlyArray<Json> => {
    if (to <= from) return []
    const where = { name: siteText(t, lineOf, site), pid: agents[agent]!.cta }
    const args = { waits: why, unit }
    if (unit === 'agent')
      return [
        { ph: 'X', ...where, tid: track(agent, false), ts: from * scale, dur: (to - from) * scale, args },
      ]
    const own = { ...where, tid: track(agent, true), cat: unit, id: i }
    return [
      { ph: 'b', ...own, ts: from * scale, args },
      { ph: 'e', ...own, ts: to * scale },
    ]
  })
  return {
    schema: 'tcspec.timeline/1',
    traceEvents: [...names, ...slices],
    displayTimeUnit: 'ns',
    otherData: { program, arch, chip: t.chip.name, clock: 'microseconds of a predicted run' },
  }
}
