/**
 * Launches executed swiftly: the result of a run under the eager policy without its log.
 *
 * A run (`execution/run.ts`) is a fold of events, each of which can be judged. Who only asks what memory holds afterwards, and what each statement has touched, needs none. So a program of plain instructions is
 * executed warp after warp, row after row, in the order of that run: the first warp that can go on does.
 *
 *     run          150 thousand instructions of a warp in a second, and an event for each access
 *     swiftly      some millions
 *
 * Wherever this is not all that there is to say, nothing is said: a program that cannot (`program.ts`), an access that is not plain (`memory.ts`), lanes that do not come together,
 * a barrier that no thread leaves. Then the launch is executed by definition, and it says what is wrong.
 *
 * Laws
 * 1. What is said is what `run` says, of memory and of what is touched, in every program whose result does not depend on the schedule.
 * 2. Nothing is said of a launch that faults, gets stuck, or reads what nothing has written, but where that is followed and nothing comes of it: such bytes are moved as they are.
 */
import * as Plane from '../machine/plane.js'
import { united } from '../host/spans.js'
import type { Touch } from '../host/touched.js'
import type { LaunchedWarps } from '../execution/launch-warps.js'
import { grid } from './grid.js'
import { memories, spansOf, type Flat } from './memory.js'
import { mostPrinted, type Printed } from './printing.js'
import { isSwift, type Follows } from './program.js'

export { isSwift, type Printed }

export interface Swift {
  /** by plane */
  readonly planes: ReadonlyMap<number, Plane.Plane>
  readonly written: ReadonlyMap<number, Uint8Array | null>
  /** none is early */
  readonly touches: ReadonlyArray<Touch>
}

const planeOf = (before: Plane.Plane, { bytes, dirty }: Flat): Plane.Plane =>
  dirty === null ? before : Plane.withPagesOf(before, bytes, dirty)

/**
 * Bytes that nothing has written, behind one that was, and no more than lie between two fields of a struct: they end where the next field begins, at a multiple of more bytes than
 * they are.
 */
const isPadding = (written: Uint8Array, start: number, end: number): boolean =>
  end - start < 16 && start > 0 && written[start - 1] === 1 && end % 2 ** (32 - Math.clz32(end - start)) === 0

/** Has memory got what holds nothing, more of it than the padding of structs? */
const spills = (f: Flat, spans: Int32Array): boolean => {
  const { written } = f
  if (written === null) return false
  for (let i = 0; i < spans.length; i += 2)
    for (let at = written.indexOf(0, spans[i]); at >= 0 && at < spans[i + 1]!;) {
      let [start, end] = [at, at]
      while (start > 0 && written[start - 1] === 0) start--
      // what lies behind is no matter of this launch
      while (end < spans[i + 1]! && written[end] === 0) end++
      if (!isPadding(written, start, end)) return true
      at = written.indexOf(0, end)
    }
  return false
}

/**
 * `written`: by plane, a byte for each, 1 where it was written; null: all were. `follows`: where it is `all`, bytes that nothing has written may be read and moved, and nothing comes of
 * them. `said`: what it prints comes into it, also of a launch that traps. Null: it is not executed here.
 */
export const swiftly = (
  { world, machine, launch }: LaunchedWarps,
  written: ReadonlyArray<Uint8Array | null>,
  most: number,
  follows: Follows = 'local',
  said: Printed[] = [],
): Swift | null => {
  if (!isSwift(launch.program) || launch.explicitCluster || launch.sharedBase % 16 !== 0) return null
  const m = memories(launch, machine.planes, written, follows)
  let room = mostPrinted
  const ending = grid(launch, world.clusterCount, m, most, (one) => {
    room -= one.text.length
    if (room >= 0) said.push(one)
  })
  if (ending === 'fails') said.length = 0
  if (ending !== 'done') return null
  const touches = new Map<string, { readonly key: Omit<Touch, 'spans'>; readonly list: number[] }>()
  for (const marks of m.touched()) {
    const { site, rw, atomic } = marks
    const { plane } = marks.flat
    const key = `${String(plane)} ${String(site)} ${rw} ${String(atomic)}`
    const t = touches.get(key) ?? { key: { plane, site, rw, atomic, early: false }, list: [] }
    touches.set(key, t)
    for (const x of spansOf(marks)) t.list.push(x)
  }
  if (follows === 'all')
    for (const f of m.all()) {
      const all = [...touches.values()].filter(({ key }) => key.plane === f.plane && key.rw === 'w')
      if (f.plane >= 0 && spills(f, united(all.flatMap(({ list }) => list)))) return null
    }
  const changed = m.all().filter(({ plane, dirty }) => plane >= 0 && dirty?.includes(1) === true)
  return {
    planes: new Map(changed.map((f) => [f.plane, planeOf(machine.planes[f.plane]!, f)])),
    written: new Map(
      changed.map((f) => [f.plane, f.written === null ? null : f.written.subarray(0, f.size)]),
    ),
    touches: [...touches.values()].flatMap(({ key, list }) =>
      list.length === 0
        ? []
        : [
            {
              plane: key.plane,
              site: key.site,
              rw: key.rw,
              atomic: key.atomic,
              early: key.early,
              spans: united(list),
            },
          ],
    ),
  }
}
