/**
 * What a launch is, in the reader's terms: grid, clusters, agents, memory, stages, barriers; and of a run what it did.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../greatest.js'
import type { Ledger, Work } from '../../render/ledger.js'
import { planOf, type Plan } from '../../render/plan.js'
import { thousands } from '../../render/table.js'
import { smemBytes } from '../../semantics/execution/launch.js'
import { extentOf, place, usedOf } from '../../semantics/language/place.js'
import type { NamedBytes } from '../../semantics/judging/finding.js'
import type { Program } from '../../semantics/language/program.js'
import type { World as Launched } from '../../semantics/machine/world.js'
import type { Subject } from './subject.js'

/** What a verdict leaves out, if it leaves out anything. */
export const notChecked = (scope: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  scope.length === 0 ? [] : [['not checked', scope.join('; ')]]

/** Storages of shared memory, in the order in which they lie. */
export const smemOf = (program: Program): ReadonlyArray<NamedBytes> => {
  const placed = place(program)
  return E.isLeft(placed)
    ? []
    : placed.right.storage
        .filter((s) => s.space === 'smem')
        .map((s) => ({ name: s.id, start: extentOf(s).start, end: extentOf(s).end }))
}

const used = (program: Program, space: 'smem' | 'tmem'): number => {
  const placed = place(program)
  return E.isLeft(placed) ? 0 : usedOf(placed.right.storage, space)
}

const plural = (n: number, one: string): string => `${thousands(n)} ${one}${n === 1 ? '' : 's'}`

type Row = readonly [label: string, text: string]

/** Columns of tensor memory, four bytes wide in every lane; nothing for a program without. */
const tmemRow = (program: Program): ReadonlyArray<Row> => {
  const columns = used(program, 'tmem') / 4
  const placed = place(program)
  const each = E.isLeft(placed)
    ? []
    : placed.right.storage
        .filter((s) => s.space === 'tmem')
        .map((s) => `${s.id} ${thousands((extentOf(s).end - extentOf(s).start) / 4)}`)
  return columns === 0 ? [] : [['tensor mem.', `${thousands(columns)} of 512 columns: ${each.join(', ')}`]]
}

/** Rings by their number of slots: a kernel's `max_concurrent_steps`. */
const stageRow = ({ rings }: Plan): ReadonlyArray<Row> => {
  const counts = [...new Set(rings.filter((r) => r.slots > 1).map((r) => r.slots))]
  return counts.length === 0
    ? []
    : [
        [
          'stages',
          counts
            .map(
              (slots) =>
                `${String(slots)}: ${rings
                  .filter((r) => r.slots === slots)
                  .map((r) => `${r.storage} of ${thousands(r.slotBytes)} bytes each`)
                  .join(', ')}`,
            )
            .join('\n'),
        ],
      ]
}

/** Every array of barriers: how many, what completes one, and how often they were completed, if a run says it. */
const barrierRow = ({ barriers }: Plan, ran: Ledger | null): ReadonlyArray<Row> => {
  const widest = greatest(0)(barriers.map((b) => b.storage.length))
  const arrivals = (counts: ReadonlyArray<number>): string =>
    counts.length === 0
      ? 'never initialised'
      : counts.length === 1
        ? `${plural(counts[0]!, 'arrival')} each`
        : `${counts.join(' or ')} arrivals`
  return barriers.length === 0
    ? []
    : [
        [
          'barriers',
          barriers
            .map(
              (b) =>
                `${b.storage}: ${' '.repeat(widest - b.storage.length)}${String(b.barriers)}, ${arrivals(b.arrivals)}${b.ordersTensorCore ? ', tensor-core order' : ''}${ran === null ? '' : `; ${plural(ran.phases.get(b.storage) ?? 0, 'phase')}`}`,
            )
            .join('\n'),
        ],
      ]
}

const workText = (w: Work): string =>
  `${w.what} ${thousands(w.operations)}${w.bytes > 0 ? ` (${thousands(w.bytes)} bytes)` : w.macs > 0 ? ` (${thousands(w.macs)} multiply-adds)` : ''}`

const workRow = (ran: Ledger | null): ReadonlyArray<Row> =>
  ran === null || ran.work.length === 0 ? [] : [['did', ran.work.map(workText).join(', ')]]

export const subjectRow = (s: Subject): Row => [
  'kernel',
  `${s.name}${Object.entries(s.settings)
    .map(([name, value]) => ` ${name}=${String(value)}`)
    .join('')}${s.dropped.map((label) => ` without '${label}'`).join('')}`,
]

/** `ran`: what a run of it did, where there was one. */
export const launchRows = (s: Subject, world: Launched, ran: Ledger | null = null): ReadonlyArray<Row> => {
  const agents = world.header.agents.filter((a) => a.cta === 0)
  const ctas = world.ctas * world.clusterCount
  const plan = planOf(s.program)
  return [
    subjectRow(s),
    [
      'launch',
      `grid ${world.grid.join(' x ')}: ${plural(ctas, 'CTA')}${world.ctas > 1 ? ` in ${plural(world.clusterCount, 'cluster')} of ${String(world.ctas)}` : ''}; in each ${agents.map((a) => `${a.name} (${plural(a.warps, 'warp')})`).join(', ')}`,
    ],
    [
      'memory',
      `${thousands(used(s.program, 'smem'))} of ${thousands(smemBytes)} bytes of shared memory: ${smemOf(
        s.program,
      )
        .map((b) => `${b.name} ${thousands(b.end - b.start)}`)
        .join(', ')}`,
    ],
    ...tmemRow(s.program),
    ...stageRow(plan),
    ...barrierRow(plan, ran),
    ...workRow(ran),
  ]
}

/** Whose run it was: steps, log events, time. */
export const runText = (steps: number, events: number, milliseconds: number): string =>
  `${plural(steps, 'step')}${events === 0 ? '' : `, ${plural(events, 'event')}`}, ${(milliseconds / 1000).toFixed(2)} s`
