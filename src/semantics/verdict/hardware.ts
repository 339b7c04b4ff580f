/**
 * What hardware alone knows, and memory holds: a clock, a multiprocessor, a place in it. Such a value may be another one in each run.
 *
 * A run takes none of them: where one decides a branch or an address, the run stops there (`warps/walk.ts`). But memory has no room for "anything", so what is stored is a number, and
 * a load finds that number. So the log is asked where such values went: a site keeps one in bytes, a site that reads these bytes hands it on, and so forth, until nothing new is found.
 *
 *     y[i] = clock() - start            y holds it: a note, with the bytes
 *     s[i] = smid; barrier; y[i] = s[j] so does y
 *     s[0] = smid; if (s[0] == 1) ...   a branch depends on it, and one value was followed: undecided
 *
 * | bytes                                         | then                                                             |
 * |-----------------------------------------------|------------------------------------------------------------------|
 * | of a tensor                                   | a note (N1): no run promises them, so no file is compared there  |
 * | that decide more than what memory holds       | undecided, with the line that reads them back                    |
 * | of shared or tensor memory, and nothing more  | nothing                                                          |
 *
 * In which order bytes were written is not asked: a load finds such a value if they ever held one.
 *
 * Laws
 * 1. A verdict that says `ok` has followed no branch, address or barrier that a value of hardware decides.
 * 2. Bytes that no note names hold the same whatever such values are.
 */
import { hazards } from '../judging/hazards.js'
import type { Diagnosis } from '../judging/finding.js'
import { other as otherDeed } from '../judging/deed.js'
import { ofPlane } from '../judging/subject.js'
import { replayable, wayOf, type Verdict } from '../judging/verdict.js'
import { actor, operation, planeName } from '../judging/detector/report.js'
import { counted } from '../judging/counted.js'
import { spansOf, type Access, type Fold } from '../log/events.js'
import type { HardwareValues } from '../machine/front.js'
import type { Launched } from '../machine/launch.js'
import * as Policy from '../execution/policy.js'
import * as Run from '../execution/run.js'
import type { EventKey } from '../execution/step.js'
import type { World } from '../machine/world.js'

/** Bytes of a plane that hold what hardware alone knows: start, end, start, end ..., ascending and apart. */
export interface OpenBytes {
  readonly plane: number
  readonly spans: ReadonlyArray<number>
  /** what it is, and the first write that put it there */
  readonly name: string
  readonly writer: Access
}

/** What the log says of where such values went. */
export interface Followed {
  readonly held: ReadonlyArray<OpenBytes>
  /** a read of such bytes that decides more than what memory holds, and what it reads */
  readonly controls: { readonly by: Access; readonly name: string } | null
}

/** The accesses of a run, each once for its site and its bytes. */
const accesses: Fold<Map<string, Access>, ReadonlyArray<Access>> = {
  init: () => new Map<string, Access>(),
  observe: (seen, event) => {
    if (event._tag !== 'access') return seen
    const key = `${event.rw} ${String(event.stamp.site)} ${String(event.footprint.id)}`
    if (!seen.has(key)) seen.set(key, event)
    return seen
  },
  finish: (seen) => [...seen.values()],
}

/** Spans in order, those that touch as one. */
const joined = (spans: ReadonlyArray<readonly [number, number]>): ReadonlyArray<number> => {
  const out: number[] = []
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = out.length - 1
    if (last >= 0 && from <= out[last]!) out[last] = Math.max(out[last]!, to)
    else out.push(from, to)
  }
  return out
}

const pairsOf = (access: Access): ReadonlyArray<readonly [number, number]> => {
  const spans = spansOf(access.footprint)
  return Array.from({ length: spans.length / 2 }, (_, k) => [spans[2 * k]!, spans[2 * k + 1]!] as const)
}

const meets = (spans: ReadonlyArray<number>, access: Access): boolean => {
  const there = spansOf(access.footprint)
  for (let i = 0, k = 0; i < spans.length && k < there.length;) {
    if (spans[i]! < there[k + 1]! && there[k]! < spans[i + 1]!) return true
    if (spans[i + 1]! <= there[k + 1]!) i += 2
    else k += 2
  }
  return false
}

/** Where values of hardware went in these accesses. */
export const followed = (all: ReadonlyArray<Access>, { kept, handsOn }: HardwareValues): Followed => {
  const sites = new Map(kept)
  let held: ReadonlyMap<number, OpenBytes> = new Map()
  let controls: Followed['controls'] = null
  for (let size = -1; size !== sites.size;) {
    size = sites.size
    const found = new Map<number, { spans: (readonly [number, number])[]; name: string; writer: Access }>()
    for (const event of all) {
      const name = event.rw === 'w' ? sites.get(event.stamp.site) : undefined
      if (name === undefined) continue
      const { plane } = event.footprint
      const there = found.get(plane)
      if (there === undefined) found.set(plane, { spans: [...pairsOf(event)], name, writer: event })
      else for (const pair of pairsOf(event)) there.spans.push(pair)
    }
    held = new Map(
      [...found].map(([plane, { spans, name, writer }]) => [
        plane,
        { plane, spans: joined(spans), name, writer },
      ]),
    )
    for (const event of all) {
      const there = event.rw === 'r' ? held.get(event.footprint.plane) : undefined
      if (there === undefined || !meets(there.spans, event)) continue
      const { site } = event.stamp
      const handed = handsOn(site)
      if (handed.controls) controls ??= { by: event, name: there.name }
      // what reads memory and writes it by itself: an atomic, a copy
      for (const to of [site, ...handed.kept]) if (!sites.has(to)) sites.set(to, there.name)
    }
  }
  return { held: [...held.values()], controls }
}

export interface Settled {
  readonly verdict: Verdict
  readonly world: World
  readonly completed: { readonly row: number; readonly schedule: ReadonlyArray<EventKey> } | null
  readonly open?: ReadonlyArray<OpenBytes>
  readonly beyondSchedules?: true
}

const noteOf = ({ header }: World, { plane, spans, name, writer }: OpenBytes): Diagnosis => {
  const bytes = spans.reduce((sum, at, i) => (i % 2 === 0 ? sum - at : sum + at), 0)
  return {
    id: 'N1',
    severity: hazards.N1.severity,
    text: `${counted(bytes, 'byte')} of ${planeName(header, plane)} ${bytes === 1 ? 'depends' : 'depend'} on ${name}, which may be anything in each run`,
    about: [ofPlane(plane)],
    deeds: { a: otherDeed, b: null },
    a: operation(header, actor(writer.stamp, 'writes')),
    place: {
      plane: planeName(header, plane),
      spans: Array.from({ length: spans.length / 2 }, (_, k) => [spans[2 * k]!, spans[2 * k + 1]!] as const),
    },
  }
}

/** The verdict, with what memory holds that hardware alone knows. */
export const withHardware = <A extends Settled>(judged: A, launch: () => Launched | null): A => {
  const { verdict, world, completed } = judged
  const { hardware } = world.front
  const isJudged = verdict.verdict === 'ok' || verdict.verdict === 'undecided'
  if (hardware === null || completed === null || !isJudged) return judged
  const launched = launch()
  if (launched === null) return judged
  const policy = Policy.recorded(completed.schedule)
  const how = { policy, fuel: Run.standardFuel, keepSchedule: false, transient: true }
  const { held, controls } = followed(
    Run.run(launched.world, launched.machine, how, accesses).result,
    hardware,
  )
  const open = held.filter(({ plane }) => world.header.planes[plane]?.space === 'gmem')
  const notes = [
    ...verdict.notes,
    ...open.map((one) => replayable(world.header, noteOf(world, one), completed.row)),
  ]
  const told: Verdict = Object.assign({}, verdict, { notes })
  if (controls === null || verdict.verdict !== 'ok') return Object.assign({}, judged, { verdict: told, open })
  const site = world.header.sites[controls.by.stamp.site]?.label ?? ''
  const bare: Verdict = Object.assign({}, told, {
    verdict: 'undecided' as const,
    reason: `\`${site}\` reads from memory what comes from ${controls.name}, which may be anything, and a branch, an address or a barrier depends on it; one value was followed`,
  })
  Reflect.deleteProperty(bare, 'decidedBy')
  return Object.assign({}, judged, {
    verdict: Object.assign(bare, wayOf('undecided', verdict.decidedBy ?? 'one-schedule')),
    open,
    beyondSchedules: true as const,
  })
}
