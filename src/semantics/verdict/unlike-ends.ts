/**
 * Ends that are not alike: orders of what decides that all come to an end, and leave other bytes in global memory.
 *
 * Each end is judged by itself, so nothing that is found says that two of them differ. It is a note, as it is of atomics that do not commute (N1): a ticket is meant to be another one in each
 * run, and what is done with it as well. A reader is told which tensor it shows in.
 *
 *     if (flag) y = 1; else y = 2            two ends, and y differs
 *     y[block] = atomicAdd(c, 1)             states that are taken for one, as no thread reads y: each goes on to an end of its own
 *     y[k] = f(k), k = atomicAdd(c, 1)       one result, whichever block fetches k: no note
 *
 * | compared with the first end                           | because                                            |
 * |-------------------------------------------------------|----------------------------------------------------|
 * | every other end                                       | they were run all the same                         |
 * | what a state goes on to that was taken for another    | its memory may differ where nothing that follows reads it |
 * | an end, with the clusters in the opposite order       | of equals the first went first (`schedules/outcomes/exchange.ts`) |
 *
 * Laws
 * 1. A note names a schedule; the tensor holds other bytes after it than after the first end.
 * 2. Of each tensor there is one note.
 */
import { ofPlane } from '../judging/subject.js'
import { other as otherDeed } from '../judging/deed.js'
import type { Diagnosis } from '../judging/finding.js'
import { hazards } from '../judging/hazards.js'
import { actor, operation, planeName } from '../judging/detector/report.js'
import { addressesIn, spansOf, type Access, type LogEvent } from '../log/events.js'
import type { Launched } from '../machine/launch.js'
import * as Plane from '../machine/plane.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import * as Policy from '../execution/policy.js'
import * as Run from '../execution/run.js'
import type { EventKey } from '../execution/step.js'

/** As a published finding names it. */
const nameOf = ({ header }: World, plane: number): string => planeName(header, plane)

/** Tensors of which one of these notes says that their contents are open. */
export const openTensors = (
  notes: ReadonlyArray<Pick<Diagnosis, 'id'> & { readonly place?: { readonly plane: string } | null }>,
): Set<string> =>
  new Set(notes.flatMap(({ id, place }) => (id === 'N1' && place != null ? [place.plane] : [])))

/** Tensors that two ends leave otherwise, with their bytes, but for those that `known` has. */
export const tensorsApart = (
  world: World,
  first: Machine,
  second: Machine,
  known: ReadonlySet<string>,
): ReadonlyArray<{ readonly plane: number; readonly bytes: ReadonlyArray<number> }> =>
  world.header.planes.flatMap(({ space }, plane) => {
    if (space !== 'gmem' || known.has(nameOf(world, plane))) return []
    const bytes = Plane.bytesApart(first.planes[plane]!, second.planes[plane]!)
    return bytes.length === 0 ? [] : [{ plane, bytes }]
  })

const touches = ({ footprint: f }: Access, plane: number, byte: number): boolean => {
  if (f.plane !== plane) return false
  const spans = spansOf(f)
  for (let k = 0; k < spans.length; k += 2) if (byte >= spans[k]! && byte < spans[k + 1]!) return true
  return f.map._tag === 'scatter' && [...addressesIn(f.map)].includes(byte)
}

/** The last write of a byte. */
const writerOf = (log: ReadonlyArray<LogEvent>, plane: number, byte: number): Access | undefined =>
  log.filter((e): e is Access => e._tag === 'access' && e.rw === 'w' && touches(e, plane, byte)).pop()

export interface Ended {
  readonly machine: Machine
  readonly schedule: ReadonlyArray<EventKey>
}

/** What two ends leave otherwise, of tensors that `known` does not have; they are known from then on. */
export const unlike = (
  { world, machine }: Launched,
  first: Ended,
  second: Ended,
  known: Set<string>,
): ReadonlyArray<Diagnosis> => {
  const differing = tensorsApart(world, first.machine, second.machine, known)
  if (differing.length === 0) return []
  const logOf = ({ schedule }: Ended): ReadonlyArray<LogEvent> =>
    Run.run(
      world,
      machine,
      { policy: Policy.recorded(schedule), fuel: Run.standardFuel, keepSchedule: false, transient: true },
      Run.collect,
    ).result
  const logs = [logOf(second), logOf(first)]
  return differing.flatMap(({ plane, bytes }): ReadonlyArray<Diagnosis> => {
    // one of them may not write the byte at all
    const writer = logs.flatMap((log) => writerOf(log, plane, bytes[0]!) ?? [])[0]
    if (writer === undefined) return []
    const name = nameOf(world, plane)
    known.add(name)
    return [
      {
        id: 'N1',
        severity: hazards.N1.severity,
        text: `schedules end with different contents of ${name}, because an atomic or strong read finds different values in them`,
        about: [ofPlane(plane)],
        deeds: { a: otherDeed, b: null },
        a: operation(world.header, actor(writer.stamp, 'writes')),
        place: { plane: name, spans: [[bytes[0]!, bytes[0]! + 1]] },
      },
    ]
  })
}

/** The same schedule by clusters in the opposite order; null: there is one. */
export const turnedRound = (
  { header }: World,
  schedule: ReadonlyArray<EventKey>,
): ReadonlyArray<EventKey> | null => {
  const clusters = header.resident ?? 1
  const each = header.agents.length / clusters
  if (clusters < 2) return null
  return schedule.map((key) =>
    Object.assign({}, key, { agent: key.agent + (clusters - 1 - 2 * Math.floor(key.agent / each)) * each }),
  )
}
