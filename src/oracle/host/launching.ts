/**
 * A launch of a program: judged by itself as a launch file is, and executed on memory as the operations before it have left it.
 *
 * Law 1. Of launches of one kernel in one shape the first stands for all, unless each is asked for.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, failure } from '../../failure.js'
import { remembered } from '../../remembered.js'
import { briefName, shownName } from '../../dialects/ptx/names/itanium.js'
import { eager } from '../../semantics/execution/policy.js'
import { run } from '../../semantics/execution/run.js'
import { shadow } from '../../numerics/shadow.js'
import * as Plane from '../../semantics/machine/plane.js'
import type { WarpProgram } from '../../semantics/warps/program.js'
import { launchWarps } from '../../semantics/execution/launch-warps.js'
import {
  type Access,
  type Grid,
  following,
  atPlaces,
  sitesOfWaits,
  touched,
  triggers,
  type Touch,
} from '../../semantics/host/index.js'
import type { World } from '../../semantics/machine/world.js'
import { showFault } from '../../semantics/verdict/settled.js'
import { isSwift, type Printed, swiftly } from '../../semantics/swift/index.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import type { Launch } from './file.js'
import { changed, isOfKernels, type Memory } from './memory.js'
import { type HostFinding, neverWritten, ofLife, streamText } from './findings.js'
import { type Done, type Fatal, type Host, host, type Launching, type Performing } from './state.js'
import { added } from './between.js'
import { remember, repeated, settled } from './repeats.js'
import { type Ready, ready } from './given.js'

/** The same launch, as one that stands for others: its kernel, its shape. */
const shapeOf = ({ loaded, elaborated, launch }: Ready): string =>
  [loaded.path, elaborated.program.name, launch.grid, launch.block, launch.cluster, launch.shared].join('|')

/** What is judged. */
export const launchedOf = (r: Ready): LaunchedPtx => ({
  module: r.loaded.module,
  file: r.loaded.file,
  elaborated: r.elaborated,
  launch: r.launch,
  arguments: r.arguments,
  seeded: new Map(),
  guessed: [],
  called: r.elaborated.parameters.map(({ name }) => name),
  aliases: new Map(),
  outputs: new Map(),
})

/** Memory after a launch, and what it has touched. */
interface Executed {
  readonly memories: Host['memories']
  readonly accesses: ReadonlyArray<Access>
  readonly sites: ReadonlyMap<string, string>
}

// ---------------------------------------------------------------- statements

const siteText = (world: World, site: number): string =>
  world.header.sites[site]?.label ?? `site ${String(site)}`

/** Where an author wrote a statement. */
const placeIn =
  (world: World) =>
  (site: number): string | undefined =>
    world.header.sites[site]?.loc

/** What each statement is called. */
const sitesOf = (world: World, touches: ReadonlyArray<Touch>): ReadonlyMap<string, string> =>
  new Map(touches.map(({ site }) => [String(site), siteText(world, site)]))

/** The memories that a kernel may reach, by the plane that holds each. */
const byPlane = ({ memories }: Host, planeOf: ReadonlyMap<string, number>): ReadonlyMap<number, Memory> =>
  new Map(
    [...memories.values()].flatMap((m) => {
      const plane = m.freed === null && isOfKernels(m) ? planeOf.get(m.name) : undefined
      return plane === undefined ? [] : [[plane, m] as const]
    }),
  )

/** Statements that are atomic for the host, too. */
const sitesOfSystem: (p: WarpProgram) => ReadonlySet<number> = remembered(
  ({ code }: WarpProgram) =>
    new Set(
      code.flatMap(({ operation: o, site }) =>
        (o._tag === 'atomic' || ((o._tag === 'load' || o._tag === 'store') && o.ordering !== 'weak')) &&
        o.scope === 'sys'
          ? [site]
          : [],
      ),
    ),
)

/** What a launch touches, by the memories of the program. `isEarly`: all of it comes before a wait, whatever is said of each. */
const accessesOf = (
  program: WarpProgram,
  touches: ReadonlyArray<Touch>,
  ofPlane: ReadonlyMap<number, Memory>,
  isEarly: boolean,
): ReadonlyArray<Access> =>
  touches.flatMap(({ plane, site, rw, atomic, early, spans }) => {
    const m = ofPlane.get(plane)
    return m === undefined
      ? []
      : [
          {
            memory: m.name,
            rw,
            atomic,
            ofSystem: atomic > 0 && sitesOfSystem(program).has(site),
            early: early || isEarly,
            spans,
            site: String(site),
          },
        ]
  })

/** The same without a log, where that is all that there is to say (`semantics/swift`); null: it is executed by definition. `said`: what it prints. */
const executedSwiftly = (p: Performing, r: Ready, isEarly: boolean, said: Printed[]): Executed | null => {
  const { program } = r.elaborated
  if (!isSwift(program)) return null
  // a grid of any size: its CTAs are executed one after the other
  const made = launchWarps(program, r.arguments, p.algebra(program.arch), 1)
  if (E.isLeft(made)) return null
  const { world, planeOf } = made.right
  const ofPlane = byPlane(r.host, planeOf)
  const written = world.header.planes.map((_, plane) => ofPlane.get(plane)?.written ?? null)
  const most = p.fuel * turnsOfEvent
  const plainly = swiftly(made.right, written, most, 'local', said)
  const done =
    plainly === null && said.length === 0 && written.some((one) => one !== null)
      ? swiftly(made.right, written, most, 'all', said)
      : plainly
  if (done === null) return null
  const memories = new Map(r.host.memories)
  for (const [plane, holds] of done.planes) {
    const m = ofPlane.get(plane)
    if (m !== undefined) memories.set(m.name, settled(m, holds, done.written.get(plane) ?? null))
  }
  const { touches } = atPlaces({ touches: done.touches, unwritten: [], waited: false }, placeIn(world))
  return {
    memories,
    accesses: accessesOf(program, touches, ofPlane, isEarly),
    sites: sitesOf(world, touches),
  }
}

/**
 * Does nothing come of the bytes that nothing has written, which a launch reads? It is executed once more, over shadows: they are not known, and nothing that is written may be
 * of them, nor any decision.
 */
const comesToNothing = (p: Performing, r: Ready, program: WarpProgram): boolean => {
  const held = (r.arguments.held ?? []).map((m) =>
    typeof m.holds === 'string'
      ? m
      : Object.assign({}, m, {
          holds: Plane.doubted(m.holds, r.host.memories.get(m.name)?.written ?? null, 1, true),
        }),
  )
  const made = launchWarps(program, Object.assign({}, r.arguments, { held }), shadow(p.algebra(program.arch)))
  if (E.isLeft(made)) return false
  const { world, machine } = made.right
  const ran = run(
    world,
    machine,
    { policy: eager, fuel: p.fuel, keepSchedule: false, transient: true, ahead: false },
    touched({ waits: null, written: [] }),
  )
  return (
    ran.outcome._tag === 'completed' &&
    ran.result.touches.every(
      ({ plane, rw, spans }) => rw === 'r' || !Plane.isDoubtful(ran.machine.planes[plane]!, spans),
    )
  )
}

/** Branches that a launch without a log may take for each event that one with a log may have. */
const turnsOfEvent = 64

export const executed = (
  { p, repeats }: Launching,
  r: Ready,
  now: number,
  o: Launch,
  what: string,
  stream: string,
): E.Either<Failure, Done> => {
  const { program } = r.elaborated
  const key = `${shapeOf(r)}|${String(o.dependent === true)}|${r.arguments.parameters.join()}`
  const known = repeated(repeats, key, r.host.memories)
  if (known !== null)
    return E.right({
      host: host(r.host, {
        memories: new Map([
          ...r.host.memories,
          ...known.after.map(
            ({ name, holds, written }) =>
              [name, changed(r.host.memories.get(name)!, { holds, written })] as const,
          ),
        ]),
        printed: [...r.host.printed, ...known.printed],
      }),
      accesses: known.accesses,
      what,
      sites: known.sites,
      grid: known.grid,
    })
  const waits = sitesOfWaits(program)
  const isDependent = o.dependent === true
  const said: Printed[] = []
  const swift = isDependent && waits.size > 0 ? null : executedSwiftly(p, r, isDependent, said)
  const printed = [...r.host.printed, ...said]
  if (swift !== null) {
    const { accesses, sites, memories } = swift
    const grid: Grid = { dependent: isDependent, waits: false, triggers: triggers(program) }
    remember(repeats, key, r.host.memories, memories, { accesses, sites, grid, printed: said })
    return E.right({ host: host(r.host, { memories, printed }), accesses, what, sites, grid })
  }
  const algebra = p.algebra(program.arch)
  const made = launchWarps(isDependent ? following(program) : program, r.arguments, algebra)
  if (E.isLeft(made)) return made
  const { world, machine, planeOf } = made.right
  const ofPlane = byPlane(r.host, planeOf)
  const written = world.header.planes.map((_, plane) => ofPlane.get(plane)?.written?.slice() ?? null)
  const ran = run(
    world,
    machine,
    { policy: eager, fuel: p.fuel, keepSchedule: false, transient: true, ahead: false },
    touched({ waits: isDependent ? waits : null, written }),
  )
  const { touches, unwritten: never } = atPlaces(ran.result, placeIn(world))
  const sites = sitesOf(world, touches)
  const accesses = accessesOf(program, touches, ofPlane, false)
  const memories = new Map(r.host.memories)
  const touchedPlanes = new Set(touches.flatMap(({ plane, rw }) => (rw === 'w' ? [plane] : [])))
  for (const [plane, m] of ofPlane)
    if (touchedPlanes.has(plane))
      memories.set(m.name, settled(m, ran.machine.planes[plane]!, written[plane]!))
  const isUsed = never.length > 0 && !(ran.outcome._tag === 'completed' && comesToNothing(p, r, program))
  const unwritten = (isUsed ? never : []).map((u) =>
    neverWritten(now, what, stream, ofPlane.get(u.plane)!, u.start, u.end, siteText(world, u.site)),
  )
  const why =
    ran.outcome._tag === 'completed'
      ? null
      : ran.outcome._tag === 'fault'
        ? showFault(world, ran.outcome.fault)
        : ran.outcome._tag === 'stuck'
          ? 'it gets stuck (a deadlock)'
          : 'the step limit was reached; raise it with --fuel'
  const traps = new Map(
    program.code.flatMap(({ operation: t, site }) =>
      t._tag === 'trap' ? [[site, t.asserted] as const] : [],
    ),
  )
  const fatal: Fatal =
    ran.outcome._tag !== 'fault'
      ? 'endless'
      : traps.has(ran.outcome.fault.site)
        ? traps.get(ran.outcome.fault.site) === true
          ? 'assertion'
          : 'trap'
        : 'address'
  const isOfLife = ran.outcome._tag === 'fault' && ran.outcome.fault.code === 'I2'
  const lives: ReadonlyArray<HostFinding> =
    isOfLife && why !== null
      ? [
          ofLife(
            now,
            what,
            stream,
            '',
            `${what} on ${streamText(stream)} (operation ${String(now)}): ${why}`,
            'every address of a kernel must be in memory that the program has allocated and not freed',
            'an address inside memory that is there',
          ),
        ]
      : []
  const grid: Grid = {
    dependent: isDependent,
    waits: isDependent && ran.result.waited,
    triggers: triggers(program),
  }
  if (why === null && unwritten.length === 0)
    remember(repeats, key, r.host.memories, memories, { accesses, sites, grid, printed: said })
  return E.right({
    host: added(
      host(r.host, {
        memories,
        printed,
        stopped: why === null ? r.host.stopped : { operation: now, why: `${what}: ${why}`, fatal },
      }),
      [...unwritten, ...lives],
    ),
    accesses,
    what,
    sites,
    grid,
  })
}

export const launched = (
  l: Launching,
  h: Host,
  now: number,
  o: Launch,
  stream: string,
  node: string | null,
): E.Either<Failure, Done> =>
  pipe(
    ready(l.p, l.modules, h, now, o),
    E.chain((r) => {
      const { program } = r.elaborated
      const what = `launch of ${briefName(shownName(program.name))}`
      const shape = shapeOf(r)
      const before = l.shapes.get(shape)
      const stands = before !== undefined && !(l.p.judge !== null && l.p.judgeAll) ? before : null
      if (before === undefined) l.shapes.set(shape, h.launches.length)
      const judged = stands === null && l.p.judge !== null ? l.p.judge(launchedOf(r), r.loaded.path) : null
      const verdict = judged !== null && E.isRight(judged) ? judged.right : null
      const unjudged = judged !== null && E.isLeft(judged) ? judged.left.message : null
      return pipe(
        executed(l, r, now, o, what, stream),
        E.map((after): Done => ({
          host: host(after.host, {
            launches:
              stands === null
                ? [
                    ...after.host.launches,
                    {
                      operation: now,
                      node,
                      kernel: shownName(program.name),
                      stream,
                      verdict,
                      unjudged,
                      again: 0,
                    },
                  ]
                : after.host.launches.map((x, i) =>
                    i === stands
                      ? {
                          operation: x.operation,
                          node: x.node,
                          kernel: x.kernel,
                          stream: x.stream,
                          verdict: x.verdict,
                          unjudged: x.unjudged,
                          again: x.again + 1,
                        }
                      : x,
                  ),
          }),
          accesses: after.accesses,
          what,
          sites: after.sites,
          grid: after.grid,
        })),
      )
    }),
    E.mapLeft((f) => failure(f.code, `operation ${String(now)}: ${f.message}`)),
  )
