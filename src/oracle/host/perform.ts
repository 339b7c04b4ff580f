/**
 * The fold over a program of a host: operation by operation it is executed bit for bit and judged.
 *
 * A launch runs when it is issued, on memory as the operations before it have left it. What runs together and conflicts is a race, so in a program without races the order
 * in which such operations are executed does not matter. Three things are judged:
 *
 * | what                                 | by                                                                                     |
 * |--------------------------------------|----------------------------------------------------------------------------------------|
 * | each launch by itself                | `check`, as of a launch file: a verdict                                                |
 * | operations that nothing orders       | what each has touched (`semantics/host`): H1, H2, H3                                    |
 * | lives of memory                      | bounds, use after free, double free, memory of the host in kernels: H4; reads of what nothing has written: H5 |
 *
 * Laws
 * 1. A program of one launch gives the memory, and the verdict, of the launch alone.
 * 2. Operations behind the first that cannot be executed (a fault, a deadlock) are not executed.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { own } from '../../own.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Elaborated } from '../../dialects/ptx/elaboration/elaborate.js'
import { shownName } from '../../dialects/ptx/names/itanium.js'
import { eager } from '../../semantics/execution/policy.js'
import { run, standardFuel } from '../../semantics/execution/run.js'
import {
  contentsOf,
  launchWarps,
  usualSharedBase,
  type WarpArguments,
} from '../../semantics/execution/launch-warps.js'
import {
  allClauses,
  following,
  forgotten,
  issue,
  issueGraph,
  kept,
  legacy,
  made as streamMade,
  nothingYet,
  racesOf,
  racesOfHost,
  recorded,
  sitesOfWaits,
  start,
  synchronised,
  touched,
  triggers,
  waitsFor,
  type Access,
  type Grid,
  type Issued,
  type Order,
  type Past,
} from '../../semantics/host/index.js'
import { encoded } from '../../semantics/instructions/tma/object.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { showFault } from '../../semantics/verdict/check.js'
import { mostHostRegions } from '../../semantics/warps/launched.js'
import type { Variable } from '../../semantics/warps/program.js'
import { beside, inFile } from '../launch/beside.js'
import { decodePtxLaunch, type PtxArgument, type PtxLaunch, type PtxTensor } from '../launch/ptx-file.js'
import { layArgument, type Laying } from '../launch/ptx-parameters.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import { filesInLaunch, heldTensor, readNpy, together } from '../launch/ptx-tensors.js'
import { fieldsOf, tensorOf } from '../launch/ptx-maps.js'
import { asText, type Files } from '../tensor-files/files.js'
import type { Copy, Fill, GraphOperation, HostOperation, HostProgram, Launch, Spot } from './file.js'
import {
  addressOf,
  bytesOf,
  changed,
  held,
  isOfHost,
  isOfKernels,
  memory,
  withBytes,
  type Memory,
} from './memory.js'
import { findingOfRace, neverWritten, ofLife, streamText, type HostFinding, type Named } from './findings.js'
import { modulesOf, type Loaded, type Modules } from './modules.js'

// ---------------------------------------------------------------- model

export interface LaunchJudged {
  readonly operation: number
  readonly kernel: string
  readonly stream: string
  readonly verdict: Verdict | null
  /** an earlier launch of the same kernel, in the same shape, is judged in its place */
  readonly as: number | null
}

export interface Compared {
  readonly operation: number
  readonly memory: string
  readonly elements: number
  readonly differ: number
}

export interface Host {
  readonly memories: ReadonlyMap<string, Memory>
  readonly order: Order
  readonly past: Past
  /** by the number that it was issued with */
  readonly named: ReadonlyMap<number, Named>
  readonly findings: ReadonlyArray<HostFinding>
  readonly launches: ReadonlyArray<LaunchJudged>
  readonly compared: ReadonlyArray<Compared>
  /** an operation could not be executed to its end */
  readonly stopped: { readonly operation: number; readonly why: string } | null
}

/** What judges a launch by itself; null: it is not asked. */
export type Judge = (launched: LaunchedPtx, path: string) => E.Either<Failure, Verdict>

export interface Performing {
  readonly files: Files
  /** the file of the program, beside which its files are */
  readonly where: string
  readonly algebra: (arch: 'sm90a' | 'sm100a') => Algebra
  readonly judge: Judge | null
  /** same kernel, same shape of launch: judged once */
  readonly judgeAll: boolean
  readonly fuel: number
}

export const emptyHost: Host = {
  memories: new Map(),
  order: start,
  past: nothingYet,
  named: new Map(),
  findings: [],
  launches: [],
  compared: [],
  stopped: null,
}

const host = (h: Host, to: Partial<Host>): Host => Object.assign({}, h, to)

type Step = E.Either<Failure, Host>

// ---------------------------------------------------------------- operations that have been issued

/** One finding of each pair of places. */
const added = (h: Host, found: ReadonlyArray<HostFinding>): Host => {
  const keyOf = (f: HostFinding): string =>
    [f.id, f.a.what, f.a.where, f.b?.what, f.b?.where, f.memory, f.a.does, f.b?.does].join('|')
  const known = new Set(h.findings.map(keyOf))
  const fresh = found.filter((f) => {
    const key = keyOf(f)
    if (known.has(key)) return false
    known.add(key)
    return true
  })
  return fresh.length === 0 ? h : host(h, { findings: [...h.findings, ...fresh] })
}

/** The statement of an allocation in the order of a stream. */
const allocation = 'alloc'

/** An operation has touched these: judged, and remembered. */
const touching = (h: Host, issued: Issued, what: Named, accesses: ReadonlyArray<Access>): Host => {
  const number = h.named.size
  const named = new Map([...h.named, [number, what]])
  const all = racesOf(h.past, number, issued, accesses)
  // who races with an access to memory races with its allocation, too: that is not said
  const races = all.filter(
    ({ first: { access }, second }) =>
      access.site !== allocation ||
      !all.some((r) => r.first.access.site !== allocation && r.second.access.memory === second.access.memory),
  )
  return added(
    host(h, { named, past: kept(h.past, number, issued, accesses) }),
    races.map((r) => findingOfRace(named, what.operation, r)),
  )
}

const whole = (m: Memory, rw: 'r' | 'w', site: string): Access => ({
  memory: m.name,
  rw,
  atomic: 0,
  early: false,
  spans: Int32Array.of(0, m.bytes),
  site,
})
const part = (m: Memory, rw: 'r' | 'w', at: number, bytes: number, site: string): Access => ({
  memory: m.name,
  rw,
  atomic: 0,
  early: false,
  spans: Int32Array.of(at, at + bytes),
  site,
})

const byHost = (h: Host, now: number, accesses: ReadonlyArray<Access>): Host =>
  added(
    h,
    racesOfHost(h.past, h.order.host, accesses).map((r) => findingOfRace(h.named, now, r)),
  )

/** The host has waited: what is over is forgotten. */
const waitedFor = (h: Host, order: Order): Host => host(h, { order, past: forgotten(h.past, order.host) })

// ---------------------------------------------------------------- memory by name

const named = (h: Host, name: string): E.Either<Failure, Memory> => {
  const m = h.memories.get(name)
  return m === undefined
    ? refuse('host.memory', `there is no memory '${name}'; ${didYouMean([...h.memories.keys()])(name)}`)
    : E.right(m)
}

const numberOf = (h: Host): number => h.memories.size

const withMemory = (h: Host, m: Memory): Host => host(h, { memories: new Map([...h.memories, [m.name, m]]) })

const initialOf = (h: Host, v: Variable, path: string): Uint8Array => {
  const bytes = v.initial.slice()
  const view = new DataView(bytes.buffer)
  for (const { at, symbol, offset } of v.addresses) {
    const m = [...h.memories.values()].find((x) => x.symbol?.module === path && x.symbol.name === symbol)
    if (m !== undefined) view.setBigUint64(at, addressOf(m) + BigInt(offset), true)
  }
  return bytes
}

/** With memory for the variables of a module that have none. */
const withVariables = (h: Host, path: string, variables: ReadonlyArray<Variable>, now: number): Host => {
  let next = h
  const isThere = (v: Variable): boolean =>
    [...next.memories.values()].some(({ symbol }) => symbol?.module === path && symbol.name === v.symbol)
  const fresh = variables.filter((v) => !isThere(v))
  for (const v of fresh) {
    const name = next.memories.has(v.symbol) ? `${path}:${v.symbol}` : v.symbol
    next = withMemory(
      next,
      memory(name, numberOf(next), 'symbol', v.bytes, v.initial.slice(), now, {
        module: path,
        name: v.symbol,
      }),
    )
  }
  // addresses of one another, once all are there
  for (const v of fresh) {
    const m = [...next.memories.values()].find(
      ({ symbol }) => symbol?.module === path && symbol.name === v.symbol,
    )!
    if (v.addresses.length > 0) next = withMemory(next, withBytes(m, 0, initialOf(next, v, path)))
  }
  return next
}

// ---------------------------------------------------------------- spots

interface Place {
  readonly memory: Memory
  readonly at: number
}

const spotOf = (
  h: Host,
  modules: Modules,
  spot: Spot,
  now: number,
): E.Either<Failure, readonly [Place, Host]> => {
  const name = typeof spot === 'string' ? spot : spot.memory
  const variable = h.memories.has(name) ? null : modules.variable(name)
  const next = variable === null ? h : withVariables(h, variable.path, [variable.variable], now)
  return pipe(
    named(next, name),
    E.map((m) => [{ memory: m, at: typeof spot === 'string' ? 0 : spot.at }, next] as const),
  )
}

/** A place that is used and cannot be; null: it can. */
const misuse = (
  now: number,
  what: string,
  stream: string | null,
  { memory: m, at }: Place,
  bytes: number,
): HostFinding | null =>
  m.freed !== null
    ? ofLife(
        now,
        what,
        stream,
        m.name,
        `${what} (operation ${String(now)}) uses ${m.name}, which operation ${String(m.freed)} has freed`,
        `operation ${String(m.freed)} was issued before operation ${String(now)}`,
        `free ${m.name} after operation ${String(now)}`,
      )
    : at + bytes > m.bytes
      ? ofLife(
          now,
          what,
          stream,
          m.name,
          `${what} (operation ${String(now)}) uses bytes ${String(at)} to ${String(at + bytes)} of ${m.name}, which has ${String(m.bytes)}`,
          `operation ${String(m.made)} allocated ${String(m.bytes)} bytes`,
          `at most ${String(m.bytes - at)} bytes`,
        )
      : null

const unwrittenIn = (
  now: number,
  what: string,
  stream: string,
  { memory: m, at }: Place,
  bytes: number,
): ReadonlyArray<HostFinding> => {
  const there = m.written?.subarray(at, at + bytes) ?? null
  // of bytes that are copied together some may be padding
  return there === null || bytes === 0 || there.includes(1)
    ? []
    : [neverWritten(now, what, stream, m, at, at + bytes, null)]
}

// ---------------------------------------------------------------- copies and fills

/** What an operation in a stream does when it is executed: memory after it, what it touched, what else is found. */
interface Done {
  readonly host: Host
  readonly accesses: ReadonlyArray<Access>
  readonly what: string
  readonly sites: ReadonlyMap<string, string>
  readonly grid: Grid | null
  /** a copy from pageable memory by cudaMemcpy */
  readonly staged?: boolean
}

const done = (h: Host, what: string, accesses: ReadonlyArray<Access>): Done => ({
  host: h,
  accesses,
  what,
  sites: new Map(),
  grid: null,
})

const copied = (h: Host, modules: Modules, now: number, o: Copy, stream: string): E.Either<Failure, Done> =>
  pipe(
    spotOf(h, modules, o.from, now),
    E.bindTo('source'),
    E.bindW('target', ({ source: [, next] }) => spotOf(next, modules, o.to, now)),
    E.map(({ source: [source], target: [target, next] }) => {
      const bytes = o.bytes ?? Math.min(source.memory.bytes - source.at, target.memory.bytes - target.at)
      const what = `copy of ${source.memory.name} to ${target.memory.name}`
      const bad = misuse(now, what, stream, source, bytes) ?? misuse(now, what, stream, target, bytes)
      if (bad !== null) return done(added(next, [bad]), what, [])
      const missing = unwrittenIn(now, what, stream, source, bytes)
      const data = bytesOf(source.memory, source.at, bytes)
      const after = withMemory(
        next,
        withBytes(
          target.memory,
          target.at,
          data,
          source.memory.written?.slice(source.at, source.at + bytes) ?? null,
        ),
      )
      return done(added(after, missing), what, [
        part(source.memory, 'r', source.at, bytes, 'source'),
        part(target.memory, 'w', target.at, bytes, 'target'),
      ])
    }),
  )

const filled = (h: Host, modules: Modules, now: number, o: Fill, stream: string): E.Either<Failure, Done> =>
  pipe(
    spotOf(h, modules, o.memory, now),
    E.map(([place, next]) => {
      const bytes = o.bytes ?? place.memory.bytes - place.at
      const what = `fill of ${place.memory.name}`
      const bad = misuse(now, what, stream, place, bytes)
      if (bad !== null) return done(added(next, [bad]), what, [])
      const width = o.width ?? 1
      const data = Uint8Array.from({ length: bytes }, (_, i) => (o.value >>> (8 * (i % width))) & 0xff)
      return done(withMemory(next, withBytes(place.memory, place.at, data)), what, [
        part(place.memory, 'w', place.at, bytes, 'target'),
      ])
    }),
  )

const calledBack = (
  h: Host,
  o: { readonly reads?: ReadonlyArray<string>; readonly writes?: ReadonlyArray<string> },
): E.Either<Failure, ReadonlyArray<Access>> =>
  pipe(
    [...(o.reads ?? []).map((n) => ['r', n] as const), ...(o.writes ?? []).map((n) => ['w', n] as const)],
    E.traverseArray(([rw, name]) =>
      pipe(
        named(h, name),
        E.map((m) => whole(m, rw, rw)),
      ),
    ),
  )

// ---------------------------------------------------------------- launches

const hexBytes = (text: string): Uint8Array | null =>
  /^([0-9a-f]{2})*$/iu.test(text)
    ? Uint8Array.from({ length: text.length / 2 }, (_, i) =>
        Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
      )
    : null

interface Ready {
  readonly host: Host
  readonly loaded: Loaded
  readonly elaborated: Elaborated
  readonly launch: PtxLaunch
  readonly arguments: WarpArguments
}

/** Memory for what the arguments call a tensor and nothing has made. */
const withTensors = (
  p: Performing,
  h: Host,
  launch: PtxLaunch,
  tensors: ReadonlyArray<PtxTensor>,
  where: string,
  now: number,
): Step =>
  together(tensors).reduce<Step>(
    (before, t, i) =>
      pipe(
        before,
        E.chain((next) =>
          next.memories.has(t.tensor) || t.symbol !== undefined
            ? E.right(next)
            : pipe(
                heldTensor(p.files, where, launch)(t, filesInLaunch(where, launch, t), i),
                E.map(({ given, whole: { dtype, shape }, expected }) =>
                  withMemory(
                    next,
                    memory(t.tensor, numberOf(next), 'device', given.bytes, contentsOf(given), now, null, {
                      dtype,
                      shape,
                      expected,
                    }),
                  ),
                ),
              ),
        ),
      ),
    E.right(h),
  )

/** The bytes of parameters, or of a struct, with the addresses of memories in them. */
const resolved = (h: Host, laying: Laying, now: number): E.Either<Failure, readonly [Uint8Array, Host]> => {
  let next = h
  const bytes = laying.bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const { into, offset, tensor, fields } of laying.maps) {
    const m = named(next, tensor)
    if (E.isLeft(m)) return m
    const address = addressOf(m.right)
    const map = encoded(fields, Number(address & 0xffffffffn), Number(address >> 32n))
    if (into === null) bytes.set(map, offset)
    else next = withMemory(next, memory(into, numberOf(next), 'device', map.length, map, now))
  }
  for (const { offset, tensor, at = 0 } of laying.pointers) {
    const m = named(next, tensor)
    if (E.isLeft(m)) return m
    view.setBigUint64(offset, addressOf(m.right) + BigInt(at), true)
  }
  return E.right([bytes, next])
}

const launchIn = (p: Performing, o: Launch): E.Either<Failure, readonly [PtxLaunch, string]> =>
  typeof o.launch !== 'string'
    ? E.right([o.launch, p.where])
    : pipe(
        p.files.read(beside(p.where, o.launch))(),
        E.chainW(asText(o.launch)),
        E.chainW(decodePtxLaunch),
        E.bimap(inFile(o.launch), (l) => [l, beside(p.where, String(o.launch))] as const),
      )

const ready = (p: Performing, modules: Modules, h: Host, now: number, o: Launch): E.Either<Failure, Ready> =>
  pipe(
    E.Do,
    E.bindW('loaded', () => modules.named(o.module)),
    E.bindW('said', () => launchIn(p, o)),
    E.bindW('elaborated', ({ loaded, said: [launch] }) => modules.entry(loaded, launch.kernel ?? null)),
    E.chainW(({ loaded, said: [launch, where], elaborated }) => {
      const { program, parameters } = elaborated
      const withSymbols = withVariables(h, loaded.path, program.variables, now)
      const laying: Laying = {
        bytes: new Uint8Array(program.parameterBytes),
        pointers: [],
        maps: [],
        tensors: [],
      }
      const raw = o.parameters === undefined ? null : hexBytes(o.parameters)
      if (o.parameters !== undefined) {
        if (raw === null || raw.length !== program.parameterBytes)
          return refuse(
            'launch.parameters',
            `parameters: expected ${String(program.parameterBytes)} bytes in hexadecimal, found ${String(o.parameters.length / 2)}`,
          )
        laying.bytes.set(raw)
      } else {
        const isList = (a: PtxLaunch['args']): a is ReadonlyArray<PtxArgument> => Array.isArray(a)
        const { args } = launch
        const list: ReadonlyArray<PtxArgument | undefined> = isList(args)
          ? args
          : parameters.map(({ name }) => own(args, name))
        if (list.length !== parameters.length || list.includes(undefined))
          return refuse(
            'launch.arguments',
            `${shownName(program.name)}: expected ${String(parameters.length)} arguments (${parameters.map(({ name }) => name).join(', ')}), found ${String(list.filter((a) => a !== undefined).length)}`,
          )
        for (const [i, parameter] of parameters.entries()) {
          const argument = list[i]
          const bad = argument === undefined ? null : layArgument(laying, parameter, argument)
          if (bad !== null) return E.left(bad)
        }
      }
      const globals = launch.globals ?? []
      const block = launch.block ?? program.threads
      if (block === null)
        return refuse('launch.block', `${shownName(program.name)}: expected a block, found none`)
      return pipe(
        withTensors(
          p,
          withSymbols,
          launch,
          // a pointer to the object of a map is made with the map
          [
            ...laying.tensors.filter((t) => !laying.maps.some(({ into }) => into === t.tensor)),
            ...globals.flatMap((g) => (g.kind === 'tensormap' ? [tensorOf(g)] : [])),
          ],
          where,
          now,
        ),
        E.chain((made) => globalsSet(p, made, loaded.path, launch, where, now)),
        E.chain((made) => resolved(made, laying, now)),
        E.map(([bytes, made]): Ready => ({
          host: made,
          loaded,
          elaborated,
          launch: Object.assign({}, launch, { block }),
          arguments: {
            grid: launch.grid,
            block,
            cluster: launch.cluster ?? null,
            dynamicBytes: launch.shared ?? 0,
            parameters: bytes,
            pointers: [],
            tensors: [],
            held: [...made.memories.values()].map((m) => held(m, loaded.path)),
            sharedBase: usualSharedBase,
          },
        })),
      )
    }),
  )

/** Variables of the module that the launch fills, or compares behind it. */
const globalsSet = (
  p: Performing,
  h: Host,
  path: string,
  launch: PtxLaunch,
  where: string,
  now: number,
): Step =>
  (launch.globals ?? []).reduce<Step>(
    (before, g, i) =>
      pipe(
        before,
        E.chain((next): Step => {
          const m = [...next.memories.values()].find(
            ({ symbol }) => symbol?.module === path && symbol.name === g.symbol,
          )
          if (m === undefined)
            return refuse('launch.symbol', `${g.tensor}: the module has no variable ${g.symbol ?? g.tensor}`)
          if (g.kind === 'tensormap') {
            const fields = fieldsOf(g.tensor, g)
            if (!('elements' in fields)) return E.left(fields)
            const laying: Laying = {
              bytes: new Uint8Array(m.bytes),
              pointers: [],
              maps: [{ into: null, offset: 0, tensor: g.tensor, fields }],
              tensors: [],
            }
            return pipe(
              resolved(next, laying, now),
              E.map(([bytes, then]) => withMemory(then, withBytes(m, 0, bytes))),
            )
          }
          return pipe(
            heldTensor(p.files, where, launch)(g, filesInLaunch(where, launch, g), i),
            E.chain(({ given, whole: { dtype, shape }, expected }): Step => {
              const held = contentsOf(given)
              return given.bytes !== m.bytes
                ? refuse(
                    'launch.symbol',
                    `${m.name}: expected ${String(m.bytes)} bytes, found ${String(given.bytes)} of ${g.tensor}`,
                  )
                : E.right(
                    withMemory(
                      next,
                      Object.assign({}, held === null ? m : withBytes(m, 0, held), {
                        tensor: { dtype, shape, expected },
                      }),
                    ),
                  )
            }),
          )
        }),
      ),
    E.right(h),
  )

/** The same launch, as one that stands for others: its kernel, its shape. */
const shapeOf = ({ loaded, elaborated, launch }: Ready): string =>
  [loaded.path, elaborated.program.name, launch.grid, launch.block, launch.cluster, launch.shared].join('|')

const launchedOf = (r: Ready): LaunchedPtx => ({
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

interface Launching {
  readonly p: Performing
  readonly modules: Modules
  readonly shapes: Map<string, number>
}

const launched = (l: Launching, h: Host, now: number, o: Launch, stream: string): E.Either<Failure, Done> =>
  pipe(
    ready(l.p, l.modules, h, now, o),
    E.chain((r) => {
      const { program } = r.elaborated
      const what = `launch of ${shownName(program.name)}`
      const shape = shapeOf(r)
      const before = l.shapes.get(shape)
      const judges = l.p.judge !== null && (l.p.judgeAll || before === undefined)
      if (before === undefined) l.shapes.set(shape, now)
      return pipe(
        judges && l.p.judge !== null ? l.p.judge(launchedOf(r), r.loaded.path) : E.right(null),
        E.bindTo('verdict'),
        E.bindW('after', () => executed(l.p, r, now, o, what, stream)),
        E.map(({ verdict, after }): Done => ({
          host: host(after.host, {
            launches: [
              ...after.host.launches,
              {
                operation: now,
                kernel: shownName(program.name),
                stream,
                verdict,
                as: judges ? null : (before ?? null),
              },
            ],
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

const executed = (
  p: Performing,
  r: Ready,
  now: number,
  o: Launch,
  what: string,
  stream: string,
): E.Either<Failure, Done> => {
  const { program } = r.elaborated
  const algebra = p.algebra(program.arch)
  const waits = sitesOfWaits(program)
  const isDependent = o.dependent === true
  const made = launchWarps(isDependent ? following(program) : program, r.arguments, algebra)
  if (E.isLeft(made)) return made
  const { world, machine, planeOf } = made.right
  const inPlanes = [...r.host.memories.values()].flatMap((m) => {
    const plane = m.freed === null && isOfKernels(m) ? planeOf.get(m.name) : undefined
    return plane === undefined ? [] : [[plane, m] as const]
  })
  const ofPlane = new Map(inPlanes)
  const written = world.header.planes.map((_, plane) => ofPlane.get(plane)?.written?.slice() ?? null)
  const ran = run(
    world,
    machine,
    { policy: eager, fuel: p.fuel, keepSchedule: false, transient: true, ahead: false },
    touched({ waits: isDependent ? waits : null, written }),
  )
  const siteText = (site: number): string => world.header.sites[site]?.label ?? `site ${String(site)}`
  const result = ran.result
  const sites = new Map(result.touches.map(({ site }) => [String(site), siteText(site)] as const))
  const accesses = result.touches.flatMap((t): ReadonlyArray<Access> => {
    const m = ofPlane.get(t.plane)
    return m === undefined
      ? []
      : [{ memory: m.name, rw: t.rw, atomic: t.atomic, early: t.early, spans: t.spans, site: String(t.site) }]
  })
  const memories = new Map(r.host.memories)
  for (const [plane, m] of inPlanes)
    memories.set(m.name, changed(m, { holds: ran.machine.planes[plane]!, written: written[plane]! }))
  const unwritten = result.unwritten.map((u) =>
    neverWritten(now, what, stream, ofPlane.get(u.plane)!, u.start, u.end, siteText(u.site)),
  )
  const why =
    ran.outcome._tag === 'completed'
      ? null
      : ran.outcome._tag === 'fault'
        ? showFault(world, ran.outcome.fault)
        : ran.outcome._tag === 'stuck'
          ? 'it gets stuck (a deadlock)'
          : 'the step limit was reached; raise it with --fuel'
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
  return E.right({
    host: added(
      host(r.host, {
        memories,
        stopped: why === null ? r.host.stopped : { operation: now, why: `${what}: ${why}` },
      }),
      [...unwritten, ...lives],
    ),
    accesses,
    what,
    sites,
    grid: { dependent: isDependent, waits: isDependent && result.waited, triggers: triggers(program) },
  })
}

// ---------------------------------------------------------------- one operation

const inStream = (
  l: Launching,
  h: Host,
  now: number,
  o: GraphOperation,
  stream: string,
): E.Either<Failure, Done> => {
  switch (o.op) {
    case 'copy':
      return copied(h, l.modules, now, o, stream)
    case 'fill':
      return filled(h, l.modules, now, o, stream)
    case 'launch':
      return launched(l, h, now, o, stream)
    case 'callback':
      return pipe(
        calledBack(h, o),
        E.map((accesses) => done(h, 'callback', accesses)),
      )
  }
}

const issuedNow = (now: number, d: Done, stream: string, returns: boolean): Host => {
  const [issued, order] = issue(allClauses, d.host.order, stream, d.grid, returns)
  const next = touching(
    host(d.host, { order }),
    issued,
    {
      operation: now,
      what: d.what,
      stream,
      staged: d.staged === true,
      node: null,
      grid: d.grid,
      sites: d.sites,
    },
    d.accesses,
  )
  return returns ? waitedFor(next, order) : next
}

const written = (l: Launching, h: Host, now: number, o: Extract<HostOperation, { op: 'write' }>): Step =>
  pipe(
    spotOf(h, l.modules, o.to, now),
    E.bindTo('spot'),
    E.bindW('data', ({ spot: [, next] }): E.Either<Failure, readonly [Uint8Array, Host]> => {
      if (o.value === undefined)
        return pipe(
          readNpy(l.p.files)(beside(l.p.where, o.file ?? '')),
          E.map((a) => [a.data, next] as const),
        )
      const laying: Laying = { bytes: new Uint8Array(o.value.bytes), pointers: [], maps: [], tensors: [] }
      const bad = layArgument(laying, { name: 'value', offset: 0, bytes: o.value.bytes, type: 'b8' }, o.value)
      return bad === null ? resolved(next, laying, now) : E.left(bad)
    }),
    E.map(({ spot: [{ memory: m, at }], data: [data, next] }) => {
      const stream = o.stream ?? legacy
      const what = `copy to ${m.name}`
      const bad = misuse(now, what, stream, { memory: m, at }, data.length)
      const d =
        bad !== null
          ? done(added(next, [bad]), what, [])
          : done(withMemory(next, withBytes(next.memories.get(m.name)!, at, data)), what, [
              part(m, 'w', at, data.length, 'target'),
            ])
      return issuedNow(now, Object.assign({ staged: o.returns === true }, d), stream, false)
    }),
  )

const readBack = (l: Launching, h: Host, now: number, o: Extract<HostOperation, { op: 'read' }>): Step =>
  pipe(
    spotOf(h, l.modules, o.from, now),
    E.bindTo('spot'),
    E.bindW('expected', () =>
      o.file === undefined ? E.right(null) : readNpy(l.p.files)(beside(l.p.where, o.file)),
    ),
    E.map(({ spot: [place, next], expected }) => {
      const stream = o.stream ?? legacy
      const bytes = o.bytes ?? expected?.data.length ?? place.memory.bytes - place.at
      const what = `copy of ${place.memory.name} to the host`
      const bad = misuse(now, what, stream, place, bytes)
      if (bad !== null) return issuedNow(now, done(added(next, [bad]), what, []), stream, true)
      const missing = unwrittenIn(now, what, stream, place, bytes)
      const after =
        expected === null
          ? next
          : host(next, {
              compared: [
                ...next.compared,
                comparedWith(
                  now,
                  place.memory.name,
                  bytesOf(place.memory, place.at, bytes),
                  expected.data,
                  expected.shape,
                ),
              ],
            })
      return issuedNow(
        now,
        done(added(after, missing), what, [part(place.memory, 'r', place.at, bytes, 'source')]),
        stream,
        true,
      )
    }),
  )

const comparedWith = (
  operation: number,
  name: string,
  found: Uint8Array,
  expected: Uint8Array,
  shape: ReadonlyArray<number>,
): Compared => {
  const elements = shape.reduce((n, x) => n * x, 1)
  const size = elements === 0 ? 1 : expected.length / elements
  let differ = 0
  for (let i = 0; i < elements; i++)
    for (let b = 0; b < size; b++)
      if (found[i * size + b] !== expected[i * size + b]) {
        differ++
        break
      }
  return { operation, memory: name, elements, differ }
}

const freed = (h: Host, now: number, o: Extract<HostOperation, { op: 'free' }>): Step =>
  pipe(
    named(h, o.memory),
    E.map((m) => {
      const what = `free of ${m.name}`
      if (m.freed !== null)
        return added(h, [
          ofLife(
            now,
            what,
            o.stream ?? null,
            m.name,
            `${m.name} is freed twice, by operations ${String(m.freed)} and ${String(now)}`,
            `operation ${String(m.freed)} has freed ${m.name} already`,
            `free ${m.name} once`,
          ),
        ])
      const gone = withMemory(h, changed(m, { freed: now }))
      if (o.stream !== undefined)
        return issuedNow(now, done(gone, what, [whole(m, 'w', 'free')]), o.stream, false)
      // memory of the heap is gone at once; what has a driver behind it waits for the device first
      return m.kind === 'pageable'
        ? byHost(gone, now, [whole(m, 'w', 'free')])
        : waitedFor(gone, synchronised(allClauses, gone.order, { _tag: 'device' }))
    }),
  )

const graphLaunched = (
  l: Launching,
  h: Host,
  now: number,
  o: Extract<HostOperation, { op: 'graph' }>,
): Step => {
  const stream = o.stream ?? legacy
  const numbers = new Map(o.nodes.map(({ name }, i) => [name, i]))
  const unknown = o.nodes.flatMap(({ name, after = [] }, i) =>
    after.flatMap((a) => ((numbers.get(a) ?? Infinity) < i ? [] : [`${name} comes after '${a}'`])),
  )[0]
  if (unknown !== undefined)
    return refuse('host.graph', `operation ${String(now)}: ${unknown}, which is no node before it`)
  const all = o.nodes.reduce<E.Either<Failure, { readonly host: Host; readonly done: ReadonlyArray<Done> }>>(
    (before, node) =>
      pipe(
        before,
        E.chain((s) =>
          s.host.stopped !== null
            ? E.right(s)
            : pipe(
                inStream(l, s.host, now, node.operation, stream),
                E.map((d) => ({ host: d.host, done: [...s.done, d] })),
              ),
        ),
      ),
    E.right({ host: h, done: [] }),
  )
  return E.map(({ host: after, done: each }: { readonly host: Host; readonly done: ReadonlyArray<Done> }) => {
    const [issued, order] = issueGraph(
      allClauses,
      after.order,
      stream,
      each.map((d, i) => ({ after: (o.nodes[i]!.after ?? []).map((a) => numbers.get(a)!), grid: d.grid })),
    )
    return each.reduce<Host>(
      (s, d, i) => {
        return touching(
          s,
          issued[i]!,
          {
            operation: now,
            what: d.what,
            stream,
            staged: false,
            node: o.nodes[i]!.name,
            grid: d.grid,
            sites: d.sites,
          },
          d.accesses,
        )
      },
      host(after, { order }),
    )
  })(all)
}

/** The host itself reads and writes. */
const touchedByHost = (
  l: Launching,
  h: Host,
  now: number,
  o: Extract<HostOperation, { op: 'touch' }>,
): Step =>
  pipe(
    calledBack(h, o),
    E.bindTo('named'),
    E.bindW('values', () =>
      pipe(
        o.values ?? [],
        E.traverseArray(({ to, file }) =>
          pipe(
            spotOf(h, l.modules, to, now),
            E.bindTo('spot'),
            E.bindW('data', () => readNpy(l.p.files)(beside(l.p.where, file))),
          ),
        ),
      ),
    ),
    E.map(({ named: accesses, values }) => {
      const written = values.map(({ spot: [{ memory: m, at }], data }) =>
        part(m, 'w', at, data.data.length, 'w'),
      )
      const all = [...accesses, ...written]
      const wrong = all.flatMap((a) => {
        const m = h.memories.get(a.memory)!
        return isOfHost(m)
          ? []
          : [
              ofLife(
                now,
                'the host',
                null,
                m.name,
                `the host (operation ${String(now)}) uses ${m.name}, which is memory of the device`,
                'only managed, mapped and pinned memory is seen by the host',
                `copy ${m.name} to memory of the host`,
              ),
            ]
      })
      const marked = accesses.reduce<Host>(
        (s, a) => (a.rw === 'w' ? withMemory(s, changed(s.memories.get(a.memory)!, { written: null })) : s),
        byHost(h, now, all),
      )
      const after = values.reduce<Host>(
        (s, { spot: [{ memory: m, at }], data }) =>
          withMemory(s, withBytes(s.memories.get(m.name)!, at, data.data)),
        marked,
      )
      return added(after, wrong)
    }),
  )

const perform = (l: Launching, h: Host, now: number, o: HostOperation): Step => {
  switch (o.op) {
    case 'alloc': {
      if (h.memories.has(o.memory))
        return refuse('host.memory', `operation ${String(now)}: there is a memory '${o.memory}' already`)
      if ((o.kind ?? 'device') !== 'device' && numberOf(h) >= mostHostRegions)
        return refuse(
          'host.memory',
          `operation ${String(now)}: memory that the host sees must be one of the first ${String(mostHostRegions)} allocations`,
        )
      const m = memory(
        o.memory,
        numberOf(h),
        o.kind ?? 'device',
        o.bytes,
        o.zeros === true ? new Uint8Array(o.bytes) : null,
        now,
      )
      const next = withMemory(h, m)
      return E.right(
        o.stream === undefined
          ? next
          : issuedNow(
              now,
              done(next, `allocation of ${m.name}`, [whole(m, 'w', allocation)]),
              o.stream,
              false,
            ),
      )
    }
    case 'free':
      return freed(h, now, o)
    case 'write':
      return written(l, h, now, o)
    case 'read':
      return readBack(l, h, now, o)
    case 'copy':
    case 'fill':
    case 'launch':
    case 'callback': {
      const stream = o.stream ?? legacy
      return E.map((d: Done) => issuedNow(now, d, stream, o.op === 'copy' && o.returns === true))(
        inStream(l, h, now, o, stream),
      )
    }
    case 'stream':
      return E.right(host(h, { order: streamMade(h.order, o.stream, o.blocking) }))
    case 'record':
      return E.right(host(h, { order: recorded(allClauses, h.order, o.event, o.stream ?? legacy) }))
    case 'wait':
      return E.right(host(h, { order: waitsFor(allClauses, h.order, o.event, o.stream ?? legacy) }))
    case 'synchronize':
      return E.right(
        waitedFor(
          h,
          synchronised(
            allClauses,
            h.order,
            o.event !== undefined
              ? { _tag: 'event', event: o.event }
              : o.stream !== undefined
                ? { _tag: 'stream', stream: o.stream }
                : { _tag: 'device' },
          ),
        ),
      )
    case 'touch':
      return touchedByHost(l, h, now, o)
    case 'graph':
      return graphLaunched(l, h, now, o)
  }
}

// ---------------------------------------------------------------- all of it

/** What launches expect of their outputs, at the end of the program. */
const comparedAtEnd = (h: Host, now: number): Host =>
  host(h, {
    compared: [
      ...h.compared,
      ...[...h.memories.values()].flatMap(({ name, tensor, freed: gone, holds, bytes }) => {
        if (tensor === null || tensor.expected === null || gone !== null || h.stopped !== null) return []
        const m = h.memories.get(name)!
        return holds.size === bytes
          ? [comparedWith(now, name, bytesOf(m, 0, bytes), tensor.expected.data, tensor.shape)]
          : []
      }),
    ],
  })

/** One operation after another, for a program that is written while it runs; and its modules. */
export const stepping = (
  p: Performing,
  program: Pick<HostProgram, 'module' | 'modules'>,
): { readonly modules: Modules; readonly step: (h: Host, now: number, o: HostOperation) => Step } => {
  const l: Launching = { p, modules: modulesOf(p.files, p.where, program), shapes: new Map() }
  return { modules: l.modules, step: (h, now, o) => perform(l, h, now, o) }
}

export const performed = (p: Performing, program: HostProgram): Step => {
  const { step } = stepping(p, program)
  return pipe(
    program.operations.reduce<Step>(
      (before, o, now) =>
        pipe(
          before,
          E.chain((h) => (h.stopped === null ? step(h, now, o) : E.right(h))),
        ),
      E.right(emptyHost),
    ),
    E.map((h) => comparedAtEnd(h, program.operations.length)),
    E.mapLeft((f) =>
      failure(f.code, f.message.startsWith(`${p.where}: `) ? f.message : `${p.where}: ${f.message}`),
    ),
  )
}

export const usualFuel: number = standardFuel
