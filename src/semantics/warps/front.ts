/**
 * Warps as a front (`machine/front.ts`): each agent is a warp, and walks one program with rows of registers.
 *
 * The threads of a block are numbered along x, then y, then z, and 32 that follow one another are a warp; lanes that the block does not have are at
 * their end from the start. Where each thread is an agent of its own, all lanes but its own are (`lone-threads.ts`).
 *
 * Source: PTX ISA, thread hierarchy, special registers.
 */
import { unreachable } from '../../failure.js'
import { remembered, rememberedBy } from '../../remembered.js'
import { scalarOperation } from '../../numerics/scalar/index.js'
import type { Agent } from '../language/program.js'
import type { Edit } from '../machine/cells.js'
import { ctaOf } from '../machine/effect.js'
import type { Front, Parts, Standpoint } from '../machine/front.js'
import { idle, type AgentState, type Doing, type Ready } from '../machine/state.js'
import { maskOf } from './operands.js'
import type { Stand } from '../machine/stand.js'
import type { World } from '../machine/world.js'
import { firstRegion, localWindowOf, rankShift, type LinkedInstruction, type WarpLaunch } from './launched.js'
import { agentsIn, lanesIn, placeIn, warpIn } from './lone-threads.js'
import { beginning as fellowsBeginning } from './fellows.js'
import { nothingInFlight } from './flight.js'
import { drawsOf, isOfGrid } from './draws.js'
import { gatesOf } from './gates.js'
import { liveIn } from './live.js'
import { linkedProduct } from './products.js'
import type { Given, Operation, Row, WarpProgram } from './program.js'
import { everyLane, forget, lowest, rows, setAll, setLane, wordAt, type Rows } from './rows.js'
import { split, type Turns, type WarpStand } from '../machine/warp-stand.js'
import { electedData } from './elected.js'
import { asksWhoRuns, controlling, elects, hardwareIn, tellsOrder, timingOf, watches } from './timing.js'
import { origins } from './origins.js'
import { shadow } from './shadows.js'
import { usesOf } from './uses.js'
import { wordTerms } from './word-terms.js'
import { alone, beginning, continued, turned } from './walk.js'

// ---------------------------------------------------------------- linking

/** The instructions with what their names mean; null and the name, if there is no such operation. */
export const linkWarps = (p: WarpProgram): ReadonlyArray<LinkedInstruction> =>
  p.code.map((instruction) => ({
    instruction,
    scalar:
      instruction.operation._tag === 'scalar' ? (scalarOperation(instruction.operation.name) ?? null) : null,
    product: instruction.operation._tag === 'multiply' ? linkedProduct(instruction.operation) : null,
  }))

// ---------------------------------------------------------------- what a warp is given

export interface Numbers {
  readonly cta: readonly number[]
  readonly inCluster: readonly number[]
  readonly clusterAt: readonly number[]
  readonly clusters: readonly number[]
}

/** Coordinates of a number, x first. */
const along = (number: number, extents: ReadonlyArray<number>): readonly number[] => {
  let left = number
  return extents.map((extent) => {
    const here = left % extent
    left = Math.floor(left / extent)
    return here
  })
}

export const numbersOf = (l: WarpLaunch, at: Standpoint): Numbers => {
  const clusters = l.grid.map((extent, d) => extent / l.cluster[d]!)
  const clusterAt = along(at.cluster, clusters)
  const inCluster = along(at.cta, l.cluster)
  return { cta: inCluster.map((i, d) => clusterAt[d]! * l.cluster[d]! + i), inCluster, clusterAt, clusters }
}

/** What a row of a warp begins with: one word, or one a lane; null: nothing that is known. */
export const givenWord = (
  l: WarpLaunch,
  n: Numbers,
  at: Standpoint,
  warp: number,
  g: Given,
  lane: number,
): number | null => {
  const thread = warp * 32 + lane
  switch (g._tag) {
    case 'thread':
      return along(thread, l.block)[g.axis]!
    case 'threads':
      return l.block[g.axis]
    case 'cta':
      return n.cta[g.axis]!
    case 'ctas':
      return l.grid[g.axis]
    case 'cluster':
      return n.clusterAt[g.axis]!
    case 'clusters':
      return n.clusters[g.axis]!
    case 'ctaInCluster':
      return n.inCluster[g.axis]!
    case 'ctasInCluster':
      return l.cluster[g.axis]
    case 'ctaRank':
      return at.cta
    case 'ctaRanks':
      return l.cluster[0] * l.cluster[1] * l.cluster[2]
    case 'explicitCluster':
      return l.explicitCluster ? 1 : 0
    case 'lane':
      return lane
    case 'warps':
      return Math.ceil(l.threads / 32)
    case 'lanes': {
      const own = 1 << lane
      const below = own - 1
      switch (g.which) {
        case 'eq':
          return own
        case 'lt':
          return below
        case 'le':
          return below | own
        case 'gt':
          return ~(below | own)
        case 'ge':
          return ~below
      }
      return null
    }
    case 'unspecified':
      return null
    case 'localWindow':
      return localWindowOf(thread)
    case 'sharedBytes':
      return g.which === 'dynamic' ? l.dynamicBytes : l.sharedBytes
    case 'sharedAddress':
      return (at.cta << rankShift) + l.sharedBase + g.offset
    case 'dynamicAddress':
      return (at.cta << rankShift) + l.sharedBase + l.sharedBytes - l.dynamicBytes + g.offset
    case 'globalAddress': {
      const region = l.symbols.get(g.symbol)
      return region === undefined ? null : g.word === 0 ? g.offset : firstRegion + region
    }
  }
}

/** Threads of a warp are given words of their own. */
export const isOfThreads = ({ _tag }: Given): boolean =>
  _tag === 'thread' || _tag === 'lane' || _tag === 'lanes' || _tag === 'localWindow'

const filled = (l: WarpLaunch, at: Standpoint, warp: number, isShadow: boolean, edit: Edit | null): Rows => {
  const { program } = l
  const fellows = l.fellows?.get(at.cluster)
  const r = rows(
    program.rows,
    program.predicates,
    l.flight === null ? null : nothingInFlight(program, l.flight),
    l.followed === null
      ? null
      : l.followed === 'bytes'
        ? origins(program.rows, program.predicates)
        : wordTerms(program.rows, program.predicates, constantRows(program), l.followed),
    isShadow ? shadow(program.rows, program.predicates) : null,
    fellows === undefined
      ? null
      : fellowsBeginning(
          fellows,
          program.rows,
          program.predicates,
          program.givens,
          (cluster, g) => {
            const there = inCluster(at, cluster)
            return givenWord(l, numbersOf(l, there), there, warp, g, 0)
          },
          (g) => givenWord(l, numbersOf(l, at), at, warp, g, 0),
        ),
    l.pieced ? new Map() : null,
    edit,
  )
  for (const { row, word } of program.constants) setAll(r, row, word)
  const n = numbersOf(l, at)
  for (const { row, given: g } of program.givens) {
    if (isOfThreads(g)) {
      for (let lane = 0; lane < 32; lane++) setLane(r, row, lane, givenWord(l, n, at, warp, g, lane)!)
      continue
    }
    const word = givenWord(l, n, at, warp, g, 0)
    if (word === null) forget(r, row, -1)
    else setAll(r, row, word | 0)
  }
  return r
}

/** The same place in another cluster. */
const inCluster = ({ agent, cta, place }: Standpoint, cluster: number): Standpoint => ({
  agent,
  cta,
  place,
  cluster,
})

/** A warp before its first instruction. */
const fresh = (l: WarpLaunch, at: Standpoint, isShadow: boolean, edit: Edit | null): WarpStand => {
  const place = placeIn(l, at.agent)
  const mask = lanesIn(l, place)
  const { program } = l
  return {
    _tag: 'warp',
    rows: filled(l, at, warpIn(l, place), isShadow, edit),
    splits: [
      split(
        0,
        mask,
        null,
        Array.from({ length: program.loopCount }, () => -1),
        'running',
        0,
      ),
    ],
    ended: ~mask,
    atCluster: 0,
    fromCluster: 0,
    attended: 0,
    local: new Uint8Array(32 * program.localBytes),
    localWritten: new Uint8Array(32 * program.localBytes),
    rest: [],
    synced: [],
    turns: null,
  }
}

// ---------------------------------------------------------------- the front

const standOf = (stand: Stand | null): WarpStand =>
  stand?._tag === 'warp' ? stand : unreachable('a warp that has not started executes')

/** The plane of the shared memory of an agent's CTA: the first one of it. */
const sharedOf = (world: World, at: Standpoint): number =>
  world.header.planes.findIndex((p) => p.space === 'smem') + ctaOf(world, at.agent) * world.planesPerCta

/** Of what is ready all that its effect depends on; places of memory by their numbers. */
const asText = (key: string, value: unknown): unknown =>
  key === 'origin' || key === 'iteration'
    ? undefined
    : value instanceof Int32Array || value instanceof Float64Array || value instanceof Uint8Array
      ? value.join()
      : typeof value === 'object' && value !== null && 'spans' in value && 'id' in value
        ? value.id
        : value

/** The lanes that do what is ready, and those that have met before it. */
const lanesOf = ({ by }: Doing): ReadonlyArray<number> =>
  by === undefined ? [] : [by.mask, ...by.synced.map(({ lanes }) => lanes)]

/** Lanes of rows that what is ready will write before anything reads them. */
const awaited = (ready: Ready | null): ReadonlyMap<Row, number> => {
  const how = ready?._tag === 'do' && ready.resume._tag === 'warp' ? ready.resume.receive : null
  if (how === null) return new Map()
  switch (how._tag) {
    case 'words':
    case 'bytes':
      return new Map(how.to.flatMap((row) => (row === null ? [] : [[row, maskOf(how.lanes)] as const])))
    case 'broadcast':
      return new Map(how.to === null ? [] : [[how.to, maskOf(how.lanes)]])
    case 'number':
    case 'nothing':
    case 'truth':
    case 'rows':
    case 'fields':
      return new Map()
  }
}

/** A stand in words: equal ones go on alike. Rows that are not read any more are left out; of some lanes alone, so is with which others they go on. */
const whereIn = (p: WarpProgram): Front<World>['where'] => {
  const live = liveIn(p)
  return (stand, ready, _, some) => {
    const those = some ?? everyLane
    const {
      rows: r,
      splits,
      ended,
      atCluster,
      fromCluster,
      attended,
      rest,
      local,
      synced,
      turns,
    } = standOf(stand)
    const written = awaited(ready)
    const alive = (): ReadonlyArray<string> =>
      splits.flatMap(({ pc, mask: all }) => {
        const mask = all & those
        if (mask === 0) return []
        const lanes = Array.from({ length: 32 }, (_, lane) => lane).filter(
          (lane) => (mask & (1 << lane)) !== 0,
        )
        const out: string[] = []
        for (let row = 0; row < p.rows; row++)
          if (live.row(pc, row) && (mask & ~(written.get(row) ?? 0)) !== 0) {
            const words =
              r.uniform[row] === 1 ? [wordAt(r, row, 0)] : lanes.map((lane) => wordAt(r, row, lane))
            const marks = (r.shadow?.lanes[row] ?? 0) & mask
            out.push(`${words.join()} ${String(r.unknown[row]! & mask)} ${String(marks)}`)
          }
        for (let q = 0; q < p.predicates; q++)
          if (live.predicate(pc, q))
            out.push(
              [
                r.predicates[q]! & mask,
                r.unknownPredicates[q]! & mask,
                (r.shadow?.predicates[q] ?? 0) & mask,
              ].join(' '),
            )
        return out
      })
    return [
      ...alive(),
      r.flight === null
        ? ''
        : [r.flight.state.join(), r.flight.since.join(), r.flight.closed.join()].join(';'),
      [...r.absent].sort(([a], [b]) => a - b).join(';'),
      r.wraps === null ? '' : [...r.wraps].sort(([a], [b]) => a - b).join(';'),
      local.join(),
      ended & those,
      atCluster & those,
      fromCluster & those,
      attended & those,
      some === undefined ? (turns?.ways.join() ?? '') : '',
      JSON.stringify(
        [ready?._tag === 'do' ? [ready.prepared, ready.resume, lanesOf(ready)] : null, rest],
        asText,
      ),
      synced.flatMap(({ lanes, how }) => ((lanes & those) === 0 ? [] : `${how} ${String(lanes)}`)).join(),
      splits
        .flatMap((s) => {
          if ((s.mask & those) === 0) return []
          if (some !== undefined) return String(s.pc)
          const frames: string[] = []
          for (let f = s.frame; f !== null; f = f.next) frames.push(`${String(f.join)}:${String(f.mask)}`)
          return `${String(s.pc)}:${String(s.mask)}:${s.now}:${String(s.asked)}:${frames.join('<')}`
        })
        .join('/'),
    ].join('|')
  }
}

/** What a verdict of a program does not speak of: what other grids do, and registers that nothing hands out. */
const outsideOf = (p: WarpProgram): ReadonlyArray<string> => {
  const has = (tag: Operation['_tag']): boolean => p.code.some(({ operation }) => operation._tag === tag)
  return [
    ...(has('gridDependency')
      ? [
          'order between grids (griddepcontrol orders nothing here; writes of earlier grids are taken as done)',
        ]
      : []),
    ...(p.code.some(({ operation: o }) => o._tag === 'nothing' && o.drops === true)
      ? ['reads of what discard has dropped (a line keeps its contents)']
      : []),
    ...(tellsOrder(p).size > 0
      ? [
          'orders in which lanes of one warp arrive at an mbarrier that tells them how many were missing (they were assumed to arrive in the order of their numbers)',
        ]
      : []),
    ...(has('setRegisters') && p.registers === null
      ? [
          'setmaxnreg (it is ignored: neither .maxnreg nor .maxntid with .minnctapersm says how many registers a thread has)',
        ]
      : []),
  ]
}

/** Rows that hold one word of the text whenever they hold anything: immediates, and what is moved from one and written nowhere else. */
const constantRows = remembered(({ code, constants }: WarpProgram): ReadonlySet<Row> => {
  const known = new Set(constants.map(({ row }) => row))
  const writers = new Map<Row, number>()
  for (const { operation } of code)
    for (const row of usesOf(operation).writes) writers.set(row, (writers.get(row) ?? 0) + 1)
  for (let before = -1; before < known.size;) {
    before = known.size
    for (const { operation: o, guard } of code)
      if (o._tag === 'move' && guard === null)
        o.to.forEach((row, k) => {
          if (writers.get(row) === 1 && known.has(o.from[k]!)) known.add(row)
        })
  }
  return known
})

/** Sites whose stores store constants of the text alone. */
const constantStores = (p: WarpProgram): ReadonlySet<number> => {
  const known = constantRows(p)
  const of = (constant: boolean): ReadonlyArray<number> =>
    p.code.flatMap(({ site, operation: o }) =>
      o._tag === 'store' && o.value.flat().every((row) => known.has(row)) === constant ? [site] : [],
    )
  const other = new Set(of(false))
  return new Set(of(true).filter((site) => !other.has(site)))
}

const turnsOf = ({ stand }: AgentState): Turns | null => (stand?._tag === 'warp' ? stand.turns : null)
const noOthers: ReadonlyArray<number> = []

/** Lanes of parts that are parked at a join that they need not wait at. */
const parkedIn = (t: Turns | null): ReadonlyArray<number> =>
  t === null ? noOthers : t.before.splits.flatMap((s) => (s.now === 'parked' ? [s.mask] : noOthers))

/** The lanes that do what the warp is ready for, and what is left of that instruction. */
const lanesNow = ({ ready, stand }: AgentState): number => {
  const own = ready?._tag === 'do' ? (ready.by?.mask ?? -1) : -1
  return stand?._tag === 'warp' ? stand.rest.reduce((all, { lanes }) => all | (lanes ?? 0), own) : own
}

/** Of each part the lanes that do not do what the warp is ready for. Most often it is one part that does it. */
const behindIn = (a: AgentState): ReadonlyArray<number> => {
  if (a.stand?._tag !== 'warp') return noOthers
  const { splits } = a.stand.turns?.before ?? a.stand
  const now = lanesNow(a)
  return splits.flatMap(({ mask }) => ((mask & ~now) === 0 ? noOthers : [mask & ~now]))
}

/** The name of a part that has these lanes. */
const nameIn = (t: Turns, lanes: number): number =>
  lowest(lanes) + (t.before.splits.some((s) => s.mask === lanes && s.now === 'yielding') ? 64 : 0)

/**
 * Parts of a warp that wait, each named by its lowest lane. The first of them is the one that the warp is ready for. Parts that are parked have the names from 32 on, and one
 * that has yielded has one from 64 on: 0 is always the first.
 */
const partsOf = (l: WarpLaunch): Parts<World> => {
  const known = rememberedBy<Turns, number, AgentState>()
  const knownAlone = rememberedBy<AgentState, number, AgentState>()
  const knownUntilMet = rememberedBy<AgentState, number, AgentState>()
  return {
    others: (a) => {
      const turns = turnsOf(a)
      return turns === null ? noOthers : turns.ways.slice(1).map((lanes) => nameIn(turns, lanes))
    },
    parked: (a) => parkedIn(turnsOf(a)).map((lanes) => 32 + lowest(lanes)),
    behind: behindIn,
    alone: (world, at, a, lanes, meets) =>
      a.stand?._tag === 'warp'
        ? (meets ? knownUntilMet : knownAlone)(a, lanes, () =>
            alone(l, world, at, sharedOf(world, at), standOf(a.stand), lanes, meets, a),
          )
        : a,
    turn: (world, at, a, part) => {
      const turns = turnsOf(a)
      const way =
        turns === null
          ? undefined
          : part >= 32 && part < 64
            ? parkedIn(turns).find((lanes) => 32 + lowest(lanes) === part)
            : turns.ways.find((lanes) => nameIn(turns, lanes) === part)
      return turns === null || way === undefined
        ? unreachable('a part of a warp that does not wait')
        : known(turns, part, () => turned(l, world, at, sharedOf(world, at), turns, way, a))
    },
  }
}

export const warpFront = (l: WarpLaunch): Front<World> => {
  const reasons = timingOf(l.program)
  const hardware = hardwareIn(l.program)
  const { registers } = l.program
  const agents = Array.from({ length: agentsIn(l) }, (_, place): Agent => {
    const name = `${l.alone ? 'thread' : 'warp'} ${String(place)}`
    const agent: Agent = { name, kind: 'warp', firstWarp: warpIn(l, place), warps: 1 }
    return registers === null ? agent : Object.assign({ registers }, agent)
  })
  return {
    agents,
    starts: agents.map(() => true),
    sites: l.program.sites,
    nondeterminism: reasons,
    fences: l.program.fences,
    instructions: new Set(l.program.code.map(({ operation }) => operation._tag)),
    storesConstants: constantStores(l.program),
    obeysNoWord: controlling(l.program).size === 0 && !watches(l.program),
    timed: reasons.length > 0,
    asksWhoRuns: asksWhoRuns(l.program),
    elects: elects(l.program),
    electedData: electedData(l.program),
    hardware: hardware.kept.size === 0 ? null : hardware,
    // fellows are moved within planes
    hasFellows: !l.pieced,
    draws: drawsOf(l.program),
    gates: gatesOf(l.program),
    tellsCtas: !l.program.givens.every(({ given }) => isOfGrid(given)),
    waitsForLocks: l.program.code.some(({ operation: o }) => o._tag === 'atomic' && o.awaits === true),
    outside: outsideOf(l.program),
    begin: (world, at, edit) =>
      beginning(
        l,
        world,
        at,
        sharedOf(world, at),
        fresh(l, at, world.algebra.memory === 'shadow', edit),
        idle.groups,
        edit,
      ),
    proceed: (world, at, a, done, results, events, edit) =>
      continued(
        l,
        world,
        at,
        sharedOf(world, at),
        standOf(a.stand),
        done.site,
        done.iteration,
        done.prepared,
        done.resume._tag === 'warp' ? done.resume.receive : unreachable('the result of a core statement'),
        results,
        a.at + events,
        a.groups,
        edit,
      ),
    parts: partsOf(l),
    forks: null,
    where: whereIn(l.program),
  }
}
