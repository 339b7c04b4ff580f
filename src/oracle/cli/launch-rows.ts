/**
 * What a launch is, in the reader's terms: grid, agents, and the shared memory that a CTA takes.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { NamedBytes } from '../../render/finding.js'
import { thousands } from '../../render/table.js'
import { smemBytes } from '../../semantics/launch.js'
import { extentOf, place, usedOf } from '../../semantics/place.js'
import type { Program } from '../../semantics/program.js'
import type { World as Launched } from '../../semantics/machine/world.js'
import type { Subject } from './subject.js'

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

/** Columns of tensor memory, four bytes wide in every lane; nothing for a program without. */
const tmemRow = (program: Program): ReadonlyArray<readonly [string, string]> => {
  const columns = used(program, 'tmem') / 4
  return columns === 0 ? [] : [['tensor mem.', `${thousands(columns)} of 512 columns`]]
}

export const subjectRow = (s: Subject): readonly [string, string] => [
  'kernel',
  `${s.name}${Object.entries(s.settings)
    .map(([name, value]) => ` ${name}=${String(value)}`)
    .join('')}${s.dropped.map((label) => ` without '${label}'`).join('')}`,
]

const plural = (n: number, one: string): string => `${thousands(n)} ${one}${n === 1 ? '' : 's'}`

export const launchRows = (s: Subject, world: Launched): ReadonlyArray<readonly [string, string]> => {
  const agents = world.header.agents.filter((a) => a.cta === 0)
  const ctas = world.ctas * world.clusterCount
  return [
    subjectRow(s),
    [
      'launch',
      `grid ${world.grid.join(' x ')}: ${plural(ctas, 'CTA')}${world.ctas > 1 ? ` in clusters of ${String(world.ctas)}` : ''}; in each ${agents.map((a) => `${a.name} (${plural(a.warps, 'warp')})`).join(', ')}`,
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
  ]
}

/** Whose run it was: steps, log events, time. */
export const runText = (steps: number, events: number, milliseconds: number): string =>
  `${plural(steps, 'step')}${events === 0 ? '' : `, ${plural(events, 'event')}`}, ${(milliseconds / 1000).toFixed(2)} s`
