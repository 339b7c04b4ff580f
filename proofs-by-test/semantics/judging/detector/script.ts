/**
 * A scripted producer: writes logs by hand, one call an event.
 *
 * Agents are named `name@cta`, barriers `name[i]@cta`, places `space@owner slot`: `s0 3` is slot 3 (16 bytes) of CTA 0's shared memory,
 * `t0 1` of its tensor memory, `g 2` of global memory, `r1 0` of agent 1's registers. Program-order indices count by themselves.
 */
import type {
  Family,
  Footprint,
  Header,
  LogEvent,
  Plane,
  Proxy,
  SemaphoreEvent,
  Stamp,
  TensorEntry,
  Unit,
} from '../../../../src/semantics/log/events.js'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import type { HazardId, Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Contract } from '../../../../src/semantics/language/types.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

export interface BarrierSpec {
  readonly name: string
  readonly count: number
  readonly cta?: number
  readonly contract?: Contract
  readonly tensor?: boolean
}
export interface World {
  readonly agents: ReadonlyArray<string>
  /** per agent, its first warp and how many; else four, and which of the CTA's is not known */
  readonly warps?: ReadonlyArray<readonly [first: number, count: number]>
  readonly barriers: ReadonlyArray<BarrierSpec>
  /** places are written before the launch (default) */
  readonly initialised?: boolean
  readonly output?: boolean
  /** leave the initialisation of the barriers to the script */
  readonly bare?: boolean
}

export const slotBytes = 16

export interface Script {
  readonly header: Header
  readonly events: ReadonlyArray<LogEvent>
  readonly judge: (options?: Partial<Options>) => Judgement
  readonly push: (e: LogEvent) => void
  readonly stamp: (agent: number, site: string) => Stamp
  readonly footprint: (place: string) => Footprint
  readonly r: (agent: number, place: string, site?: string) => void
  readonly w: (agent: number, place: string, site?: string) => void
  readonly init: (agent: number, barrier: number, count: number) => void
  readonly inval: (agent: number, barrier: number) => void
  readonly arrive: (
    agent: number,
    barrier: number,
    o?: { bytes?: number; release?: boolean; tensor?: boolean; site?: string },
  ) => void
  readonly expect: (agent: number, barrier: number, bytes: number) => void
  readonly wait: (
    agent: number,
    barrier: number,
    parity: 0 | 1,
    o?: { acquire?: boolean; tensor?: boolean; blocked?: boolean; site?: string },
  ) => void
  /** issues only */
  readonly issue: (agent: number, unit: Unit, site?: string, signals?: number, tensor?: TensorEntry) => number
  /** performs: reads, then writes */
  readonly perform: (
    op: number,
    reads: ReadonlyArray<string>,
    writes: ReadonlyArray<string>,
    o?: { proxy?: Proxy; part?: number },
  ) => void
  readonly bytes: (op: number, barrier: number, bytes: number, part?: number) => void
  readonly arrives: (op: number, barrier: number) => void
  readonly group: (op: number, family: Family, side: 'read' | 'full') => void
  readonly commit: (agent: number, family: Family) => void
  readonly awaits: (agent: number, family: Family, pending: number, read?: boolean) => void
  readonly fence: (
    agent: number,
    kind?: 'proxyAsync' | 'wgmma' | 'tensorBefore' | 'tensorAfter' | 'mbarrierInit',
    scope?: 'cta' | 'global',
  ) => void
  readonly sync: (agents: ReadonlyArray<number>, id?: number, relaxed?: boolean) => void
  readonly fork: (kind: 'fork' | 'join', agent: number, children: ReadonlyArray<number>) => void
  readonly cluster: (id: number) => void
}

export const script = (world: World): Script => {
  const agents = world.agents.map((a, x) => ({
    name: a.split('@')[0]!,
    cta: Number(a.split('@')[1] ?? 0),
    warps: world.warps?.[x]![1] ?? 4,
    starts: true,
    ...(world.warps === undefined ? {} : { firstWarp: world.warps[x]![0] }),
  }))
  const ctas = 1 + Math.max(0, ...agents.map((a) => a.cta), ...world.barriers.map((b) => b.cta ?? 0))
  const initialised = world.initialised ?? true
  const planes: Array<Plane> = []
  const names = new Map<string, number>()
  const plane = (key: string, p: Plane): void => {
    names.set(key, planes.length)
    planes.push(p)
  }
  for (let c = 0; c < ctas; c++) {
    plane(`s${String(c)}`, { space: 'smem', name: 'smem', cta: c, bytes: 4096, initialised })
    plane(`t${String(c)}`, { space: 'tmem', name: 'tmem', cta: c, bytes: 4096, initialised })
  }
  plane('g', {
    space: 'gmem',
    name: 'g',
    bytes: world.output === true ? 32 : 4096,
    initialised: true,
    output: world.output ?? false,
  })
  agents.forEach((_, x) => {
    plane(`r${String(x)}`, { space: 'regs', name: 'acc', agent: x, bytes: 1024, initialised })
  })
  const sites: Array<{ label: string; path: ReadonlyArray<string> }> = []
  const siteIds = new Map<string, number>()
  const header: Header = {
    schema: 'tcspec.trace/1',
    arch: 'sm90a',
    program: 'script',
    agents,
    ctas,
    planes,
    tensors: [],
    computes: null,
    barriers: world.barriers.map((b, i) => ({
      name: b.name,
      cta: b.cta ?? 0,
      contract: b.contract ?? 'ptx',
      ordersTensorCore: b.tensor ?? true,
      plane: names.get(`s${String(b.cta ?? 0)}`)!,
      address: 3072 + 8 * i,
    })),
    sites,
    nondeterminism: [],
  }
  const events: Array<LogEvent> = []
  const at = agents.map(() => 0)
  let operations = 0
  const stampOf = new Map<number, Stamp>()
  const feet = new Map<string, Footprint>()
  const push = (e: LogEvent): void => {
    events.push(e)
  }
  const site = (name: string): number => {
    const old = siteIds.get(name)
    if (old !== undefined) return old
    siteIds.set(name, sites.length)
    sites.push({ label: name, path: [] })
    return sites.length - 1
  }
  const stamp = (agent: number, name: string): Stamp => ({
    agent,
    at: ++at[agent]!,
    site: site(name),
    iteration: [],
  })
  const footprint = (place: string): Footprint => {
    const old = feet.get(place)
    if (old !== undefined) return old
    const [where, slot] = place.split(' ')
    const [from, to] = slot!.split('-').map(Number)
    const made: Footprint = {
      id: feet.size,
      plane: names.get(where!)!,
      spans: asSpans(Int32Array.of(from! * slotBytes, (to ?? from! + 1) * slotBytes)),
      dtype: 'f16',
      map: { _tag: 'scatter', shape: [], offsets: new Int32Array(0), by: 0 },
    }
    feet.set(place, made)
    return made
  }
  const access = (s: Stamp, rw: 'r' | 'w', place: string, proxy: Proxy, operation?: number): void => {
    const base = {
      _tag: 'access' as const,
      stamp: s,
      rw,
      proxy,
      footprint: footprint(place),
      role: 'source' as const,
      atomic: false,
    }
    push(operation === undefined ? base : { ...base, operation })
  }
  const barrier = (
    s: Stamp,
    kind: 'init' | 'inval' | 'expect' | 'arrive',
    b: number,
    count: number,
    bytes: number,
    release: boolean,
    tensor: boolean,
  ): void =>
    push({ _tag: 'barrier', stamp: s, kind, barrier: b, count, bytes, release, scope: 'cta', tensor })
  const self: Script = {
    header,
    events,
    judge: (o = {}) => judgeLog(header, events, { ...defaults, ...o }),
    push,
    stamp,
    footprint,
    r: (x, p, n = `read ${p}`) => access(stamp(x, n), 'r', p, 'generic'),
    w: (x, p, n = `write ${p}`) => access(stamp(x, n), 'w', p, 'generic'),
    init: (x, b, count) => barrier(stamp(x, 'init'), 'init', b, count, 0, false, false),
    inval: (x, b) => barrier(stamp(x, 'inval'), 'inval', b, 0, 0, false, false),
    arrive: (x, b, o = {}) =>
      barrier(
        stamp(x, o.site ?? `arrive ${world.barriers[b]!.name}`),
        'arrive',
        b,
        1,
        o.bytes ?? 0,
        o.release ?? true,
        o.tensor ?? false,
      ),
    expect: (x, b, bytes) =>
      barrier(stamp(x, `expect ${world.barriers[b]!.name}`), 'expect', b, 0, bytes, false, false),
    wait: (x, b, parity, o = {}) =>
      push({
        _tag: 'wait',
        stamp: stamp(x, o.site ?? `wait ${world.barriers[b]!.name}`),
        barrier: b,
        parity,
        acquire: o.acquire ?? true,
        scope: 'cta',
        tensor: o.tensor ?? false,
        outcome: o.blocked === true ? 'blocked' : 'passed',
      }),
    issue: (x, unit, n = unit, signals = 1, tensor) => {
      const operation = operations++
      const s = stamp(x, n)
      stampOf.set(operation, s)
      push({
        _tag: 'issue',
        stamp: s,
        operation,
        unit,
        bytes: 0,
        macs: 0,
        accumulates: false,
        signals: unit === 'tmaStore' ? 2 : signals,
        ...(tensor === undefined ? {} : { tensor }),
      })
      return operation
    },
    perform: (operation, reads, writes, o = {}) => {
      push({ _tag: 'perform', operation, stage: 'all', part: o.part ?? 0 })
      const s = stampOf.get(operation)!
      const proxy = (p: string): Proxy => o.proxy ?? (p.startsWith('t') ? 'tensor' : 'async')
      reads.forEach((p) => {
        access(s, 'r', p, proxy(p), operation)
      })
      writes.forEach((p) => {
        access(s, 'w', p, proxy(p), operation)
      })
    },
    bytes: (operation, b, n, part = 0) =>
      push({ _tag: 'signal', operation, part, to: 'barrier', barrier: b, bytes: n }),
    arrives: (operation, b) => push({ _tag: 'signal', operation, part: 0, to: 'arrive', barrier: b }),
    group: (operation, family, side) =>
      push({ _tag: 'signal', operation, part: 0, to: 'group', family, side }),
    commit: (x, family) =>
      push({
        _tag: 'group',
        stamp: stamp(x, `commit ${family}`),
        kind: 'commit',
        family,
        pending: 0,
        read: false,
        blocked: false,
      }),
    awaits: (x, family, pending, read = false) =>
      push({
        _tag: 'group',
        stamp: stamp(x, `wait_group ${family}`),
        kind: 'wait',
        family,
        pending,
        read,
        blocked: false,
      }),
    fence: (x, kind = 'proxyAsync', scope = 'cta') =>
      push({ _tag: 'fence', stamp: stamp(x, `fence ${kind}`), kind, scope }),
    sync: (who, id = 1, relaxed = false) => {
      for (const kind of ['arrive', 'leave'] as const)
        for (const x of who)
          push({
            _tag: 'rendezvous',
            stamp: stamp(x, `sync ${String(id)}`),
            kind,
            id,
            count: 128 * who.length,
            threads: 128,
            // it publishes nothing, and acquires
            relaxed: relaxed && kind === 'arrive',
          })
    },
    fork: (kind, x, children) => push({ _tag: kind, stamp: stamp(x, kind), children }),
    cluster: (id) => push({ _tag: 'cluster', id }),
  }
  if (world.bare !== true) {
    world.barriers.forEach((b, i) => {
      self.init(0, i, b.count)
    })
    if (agents.some((a) => a.cta > 0)) self.fence(0, 'mbarrierInit')
    self.sync(
      agents.map((_, x) => x),
      16,
      true,
    )
  }
  return self
}

/** Ids of the findings. */
export const ids = (j: Judgement): ReadonlyArray<HazardId> => j.findings.map((f) => f.id)

/** A TMA load as it usually runs: announced, issued, performed, signalled. */
export const load = (
  s: Script,
  x: number,
  b: number,
  to: string,
  site = `load ${to}`,
  from = 'g 0',
): number => {
  s.arrive(x, b, { bytes: slotBytes, site: `${site} expect` })
  const op = s.issue(x, 'tmaLoad', site)
  s.perform(op, [from], [to])
  s.bytes(op, b, slotBytes)
  return op
}

/** An event of a semaphore in the first slot of global memory, unless `place` is another. */
export const semaphore = (
  s: Script,
  agent: number,
  kind: SemaphoreEvent['kind'],
  o: Partial<SemaphoreEvent> & { readonly place?: string; readonly site?: string } = {},
): void => {
  const { place, site, ...rest } = o
  s.push({
    _tag: 'semaphore',
    stamp: s.stamp(agent, site ?? kind),
    kind,
    footprint: s.footprint(place ?? 'g 0'),
    value: 1,
    decrement: false,
    scope: 'gpu',
    before: 0,
    outcome: 'passed',
    ...rest,
  })
}
