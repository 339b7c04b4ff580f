/**
 * One run of a program of warps (`program.ts`), as the log that a machine would give of it.
 *
 * Warps take turns; a warp does the first of its statements that can be done: its lanes have done all before it, and it is not blocked. What several lanes do is one event
 * with these lanes. Operations go on at any time after their issue. The dice choose whose turn it is.
 *
 * Groups are a thread's: a lane waits for what it has committed itself.
 */
import type {
  Access,
  Footprint,
  Header,
  LogEvent,
  Rendezvous,
  Stamp,
} from '../../../../src/semantics/log/events.js'
import { asSpans, scattered, traceSchema } from '../../../../src/semantics/log/events.js'
import { holds } from '../../../../src/semantics/log/comparison.js'
import type { Dice } from '../../../../src/semantics/schedules/naive/random.js'
import type { Atom, Op } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { showAtom } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { threadsIn, type Simt, type Statement } from './program.js'

export interface Ran {
  readonly header: Header
  readonly log: ReadonlyArray<LogEvent>
  readonly outcome: 'completed' | 'stuck'
  /** arrivals of one instruction have fallen into two phases of a barrier, or there were more than it counts: no machine's log says it so */
  readonly split: boolean
}

const bytesOf = 16
const words = 64
const barriersAt = 1024
const smem = 0
const gmem = 1

const maskOf = (lanes: ReadonlyArray<number>): number => lanes.reduce((m, lane) => m | (1 << lane), 0)

/** Atoms and words each have 16 bytes. */
const placesOf = (p: Simt): ReadonlyMap<string, number> => {
  const out = new Map<string, number>()
  const name = (a: Atom): void => {
    const key = showAtom(a)
    if (!out.has(key)) out.set(key, bytesOf * out.size)
  }
  for (const s of p.statements)
    for (const op of s.ops) {
      if (op._tag === 'read' || op._tag === 'write') op.atoms.forEach(name)
      else if (op._tag === 'store' || op._tag === 'copy') [...op.reads, ...op.writes].forEach(name)
      else if (op._tag === 'load') op.destinations.forEach((d) => d.atoms.forEach(name))
      else if (op._tag === 'tell' || op._tag === 'hear') name(op.word)
    }
  return out
}

const headerOf = (p: Simt): Header => ({
  schema: traceSchema,
  arch: 'sm90a',
  program: 'simt',
  agents: p.warps.map((_, x) => ({ name: `w${String(x)}`, cta: 0, warps: 1, starts: true })),
  ctas: 1,
  planes: [
    { space: 'smem', name: 'smem', cta: 0, bytes: barriersAt + 8 * p.counts.length, initialised: true },
    { space: 'gmem', name: 'g', bytes: words * bytesOf, initialised: true },
  ],
  tensors: [],
  computes: null,
  barriers: p.counts.map((_, k) => ({
    name: `b${String(k)}`,
    cta: 0,
    contract: 'ptx',
    ordersTensorCore: false,
    plane: smem,
    address: barriersAt + 8 * k,
  })),
  sites: p.statements.map((_, k) => ({ file: 'simt', line: k + 1, column: 1 })) as never,
  nondeterminism: [],
})

/** An operation in flight. */
interface Flying {
  readonly operation: number
  readonly warp: number
  /** whose: the lanes that have issued it */
  readonly lanes: ReadonlyArray<number>
  readonly op: Op
  readonly stamp: Stamp
  /** for each lane its group */
  readonly groups: ReadonlyArray<number>
  readonly ops: ReadonlyArray<Op>
  stage: 'first' | 'second' | 'done'
}

interface Phase {
  pending: number
  units: number
  number: number
}

export const run = (program: Simt, die: Dice, eager: boolean): Ran => {
  // lanes that do not wait for one another part where only some of them can go on
  const statements = program.statements.map((s): Statement => Object.assign({}, s))
  const sites = statements.map((s, k) =>
    s.again === undefined ? k : statements.findIndex((o) => o.again === s.again),
  )
  const p: Simt = { warps: program.warps, counts: program.counts, statements }
  const header = headerOf(p)
  const places = placesOf(p)
  const log: LogEvent[] = []
  let split = false
  const at = p.warps.map(() => 0)
  const footprints = new Map<string, Footprint>()

  const footprint = (atoms: ReadonlyArray<Atom>): Footprint => {
    const plane = atoms[0]?._tag === 'gmem' ? gmem : smem
    const starts = atoms.map((a) => places.get(showAtom(a))!)
    const key = `${String(plane)} ${starts.join(' ')}`
    const known = footprints.get(key)
    if (known !== undefined) return known
    const spans: number[] = []
    for (const from of [...new Set(starts)].sort((x, y) => x - y)) {
      if (spans.length > 0 && spans[spans.length - 1] === from) spans[spans.length - 1] = from + bytesOf
      else spans.push(from, from + bytesOf)
    }
    const made: Footprint = {
      id: footprints.size,
      plane,
      spans: asSpans(Int32Array.from(spans)),
      dtype: 'i32',
      // four words each
      map: scattered(
        [4 * starts.length],
        Int32Array.from(starts.flatMap((from) => [from, from + 4, from + 8, from + 12])),
      ),
    }
    footprints.set(key, made)
    return made
  }
  const word = (a: Atom, times: number): Footprint => {
    const from = places.get(showAtom(a))!
    const plane = a._tag === 'gmem' ? gmem : smem
    const key = `${String(plane)} word ${String(from)} ${String(times)}`
    const known = footprints.get(key)
    if (known !== undefined) return known
    const made: Footprint = {
      id: footprints.size,
      plane,
      spans: asSpans(Int32Array.of(from, from + 4)),
      dtype: 'i32',
      map: scattered([times], new Int32Array(times).fill(from)),
    }
    footprints.set(key, made)
    return made
  }

  const stamp = (warp: number, lanes: ReadonlyArray<number>, site: number, whole: boolean): Stamp => {
    at[warp]!++
    const plain: Stamp = { agent: warp, at: at[warp]!, site, iteration: [], lanes: maskOf(lanes) }
    return whole ? Object.assign({ whole: true as const }, plain) : plain
  }
  const access = (
    by: Stamp,
    rw: 'r' | 'w',
    proxy: Access['proxy'],
    f: Footprint,
    operation?: number,
  ): Access => {
    const plain: Access = {
      _tag: 'access',
      stamp: by,
      rw,
      proxy,
      footprint: f,
      role: rw === 'r' ? 'source' : 'destination',
      atomic: false,
    }
    return operation === undefined ? plain : Object.assign({ operation }, plain)
  }

  // the prologue: the first lane initialises, and all meet
  const every = p.warps.map((n) => Array.from({ length: n }, (_, lane) => lane))
  const none = program.statements.length
  p.counts.forEach((count, barrier) => {
    log.push({
      _tag: 'barrier',
      stamp: stamp(0, [0], none, false),
      kind: 'init',
      barrier,
      count,
      bytes: 0,
      release: false,
      scope: 'cta',
      tensor: false,
    })
  })
  const all = threadsIn(p)
  const barAt = (
    kind: Rendezvous['kind'],
    warp: number,
    lanes: ReadonlyArray<number>,
    site: number,
    id: number,
  ): Rendezvous => ({
    _tag: 'rendezvous',
    stamp: stamp(warp, lanes, site, false),
    kind,
    id,
    count: all,
    threads: kind === 'arrive' ? lanes.length : 0,
  })
  if (p.counts.length > 0)
    for (const kind of ['arrive', 'leave'] as const)
      every.forEach((lanes, warp) => {
        log.push(barAt(kind, warp, lanes, none, 15))
      })

  const phases: Phase[] = p.counts.map((count) => ({ pending: count, units: 0, number: 0 }))
  const settle = (b: number): void => {
    const phase = phases[b]!
    if (phase.pending > 0 || phase.units !== 0) return
    phase.number++
    phase.pending = p.counts[b]!
  }
  const named = { came: 0, number: 0 }
  /** by statement: the generation that it waits for */
  const waiting = new Map<Statement, number>()
  const values = new Map<string, number>()
  const done = p.statements.map(() => false)
  const flying: Flying[] = []
  let issued = 0
  // by warp and lane
  const bulk = p.warps.map((n) => new Array<number>(n).fill(0))
  const copies = p.warps.map((n) => new Array<number>(n).fill(0))

  const isNext = (k: number): boolean => {
    const s = p.statements[k]!
    for (let i = 0; i < k; i++) {
      const o = p.statements[i]!
      if (!done[i] && o.warp === s.warp && o.lanes.some((lane) => s.lanes.includes(lane))) return false
    }
    return true
  }

  const groupDone = (
    warp: number,
    lane: number,
    tag: 'store' | 'copy',
    upTo: number,
    read: boolean,
  ): boolean =>
    flying.every(
      (f) =>
        f.warp !== warp ||
        f.op._tag !== tag ||
        !f.lanes.includes(lane) ||
        f.groups[f.lanes.indexOf(lane)]! > upTo ||
        f.stage === 'done' ||
        (read && f.stage === 'second'),
    )

  const blocked = (k: number): boolean => {
    const s = p.statements[k]!
    if (s.does === 'meet') return false
    if (s.does === 'bar') {
      const generation = waiting.get(s)
      return generation !== undefined && named.number <= generation
    }
    return s.lanes.some((lane, i) => {
      const op = s.ops[i]!
      switch (op._tag) {
        case 'wait':
          return (phases[op.barrier]!.number & 1) === op.parity
        case 'bulkWait':
          return !groupDone(s.warp, lane, 'store', bulk[s.warp]![lane]! - op.pending, op.side === 'read')
        case 'copyWait':
          return !groupDone(s.warp, lane, 'copy', copies[s.warp]![lane]! - op.pending, false)
        case 'hear':
          return op.until !== 'any' && !holds(op.until, values.get(showAtom(op.word)) ?? 0, op.value)
        default:
          return false
      }
    })
  }

  const issue = (
    s: Statement,
    k: number,
    unit: 'tmaLoad' | 'tmaStore' | 'cpAsync',
    bytes: number,
  ): Flying => {
    const by = stamp(s.warp, s.lanes, k, s.whole)
    const operation = issued++
    const plain: LogEvent = {
      _tag: 'issue',
      stamp: by,
      operation,
      unit,
      bytes,
      macs: 0,
      accumulates: false,
    }
    log.push(unit === 'tmaLoad' ? Object.assign({ signals: 1 }, plain) : plain)
    const groups = unit === 'cpAsync' ? copies : bulk
    const made: Flying = {
      operation,
      warp: s.warp,
      lanes: s.lanes,
      op: s.ops[0]!,
      ops: s.ops,
      stamp: by,
      groups: s.lanes.map((lane) => groups[s.warp]![lane]! + 1),
      stage: 'first',
    }
    flying.push(made)
    return made
  }

  /** Arrivals of all lanes, one after the other. */
  const arrivals = (b: number, count: number, units: number): void => {
    const phase = phases[b]!
    const before = phase.number
    phase.units += units
    for (let i = 0; i < count; i++) {
      if (phase.pending === 0 || phase.number !== before) {
        split = true
        return
      }
      phase.pending--
      settle(b)
    }
  }

  const perform = (index: number): void => {
    const s = p.statements[index]!
    const k = sites[index]!
    const { warp, lanes } = s
    if (s.does === 'bar') {
      if (waiting.has(s)) {
        log.push(barAt('leave', warp, lanes, k, 1))
        done[index] = true
        return
      }
      log.push(barAt('arrive', warp, lanes, k, 1))
      waiting.set(s, named.number)
      named.came += lanes.length
      if (named.came >= all) {
        named.came -= all
        named.number++
      }
      return
    }
    done[index] = true
    if (s.does === 'meet') {
      // it comes before the event of its warp that has this number
      log.push({
        _tag: 'warpSync',
        stamp: { agent: warp, at: at[warp]! + 1, site: k, iteration: [], lanes: maskOf(lanes) },
      })
      return
    }
    const op = s.ops[0]!
    const atoms = (of: (o: Op) => ReadonlyArray<Atom>): ReadonlyArray<Atom> =>
      s.whole ? of(op) : s.ops.flatMap(of)
    switch (op._tag) {
      case 'read':
      case 'write': {
        const f = footprint(atoms((o) => (o._tag === 'read' || o._tag === 'write' ? o.atoms : [])))
        log.push(access(stamp(warp, lanes, k, s.whole), op._tag === 'read' ? 'r' : 'w', 'generic', f))
        return
      }
      case 'arrive':
      case 'arriveExpect':
      case 'expect': {
        const barriers = op._tag === 'arrive' ? op.barriers : [op.barrier]
        const units = op._tag === 'arrive' ? 0 : op.units
        for (const barrier of barriers) {
          log.push({
            _tag: 'barrier',
            stamp: stamp(warp, lanes, k, false),
            kind: op._tag === 'expect' ? 'expect' : 'arrive',
            barrier,
            count: op._tag === 'expect' ? 0 : lanes.length,
            bytes: bytesOf * units * lanes.length,
            release: op._tag !== 'expect' && !op.relaxed,
            scope: 'cta',
            tensor: false,
          })
          arrivals(barrier, op._tag === 'expect' ? 0 : lanes.length, units * lanes.length)
        }
        return
      }
      case 'wait':
        log.push({
          _tag: 'wait',
          stamp: stamp(warp, lanes, k, false),
          barrier: op.barrier,
          parity: op.parity,
          acquire: !op.relaxed,
          scope: 'cta',
          tensor: false,
          outcome: 'passed',
        })
        return
      case 'load':
        issue(s, k, 'tmaLoad', bytesOf * op.destinations[0]!.atoms.length)
        return
      case 'store':
        issue(s, k, 'tmaStore', bytesOf * op.reads.length)
        return
      case 'copy':
        issue(s, k, 'cpAsync', bytesOf * lanes.length)
        return
      case 'copyArrive':
        // one operation of each lane
        for (const lane of lanes)
          issue(
            { warp, lanes: [lane], does: 'ops', ops: [s.ops[lanes.indexOf(lane)]!], whole: false },
            k,
            'cpAsync',
            0,
          )
        return
      case 'bulkCommit':
      case 'copyCommit': {
        const groups = op._tag === 'bulkCommit' ? bulk : copies
        for (const lane of lanes) groups[warp]![lane]!++
        log.push({
          _tag: 'group',
          stamp: stamp(warp, lanes, k, false),
          kind: 'commit',
          family: op._tag === 'bulkCommit' ? 'bulk' : 'cpAsync',
          pending: 0,
          read: false,
          blocked: false,
        })
        return
      }
      case 'bulkWait':
      case 'copyWait':
        log.push({
          _tag: 'group',
          stamp: stamp(warp, lanes, k, false),
          kind: 'wait',
          family: op._tag === 'bulkWait' ? 'bulk' : 'cpAsync',
          pending: op.pending,
          read: op._tag === 'bulkWait' && op.side === 'read',
          blocked: false,
        })
        return
      case 'fence':
        log.push({
          _tag: 'fence',
          stamp: stamp(warp, lanes, k, false),
          kind: 'proxyAsync',
          scope: op.scope,
        })
        return
      case 'fenceMemory':
        log.push({
          _tag: 'fence',
          stamp: stamp(warp, lanes, k, false),
          kind: 'memory',
          scope: op.wide ? 'cluster' : 'cta',
        })
        return
      case 'tell': {
        const key = showAtom(op.word)
        const by = stamp(warp, lanes, k, false)
        const f = word(op.word, lanes.length)
        const found: number[] = []
        const left: number[] = []
        for (const o of s.ops) {
          if (o._tag !== 'tell') continue
          const old = values.get(key) ?? 0
          found.push(old)
          left.push(o.how === 'add' ? old + o.value : o.value)
          values.set(key, left[left.length - 1]!)
        }
        const write: { -readonly [K in keyof Access]: Access[K] } = Object.assign(
          {},
          access(by, 'w', 'generic', f),
          { atomic: true, scope: op.wide ? ('cluster' as const) : ('cta' as const), found, left },
        )
        if (op.releases) write.releases = true
        if (op.how === 'add') {
          write.combine = 'add'
          log.push(
            Object.assign({}, access(by, 'r', 'generic', f), {
              atomic: true,
              scope: write.scope!,
              combine: 'add' as const,
            }),
          )
        }
        log.push(write)
        return
      }
      case 'hear': {
        const f = word(op.word, 1)
        const by = stamp(warp, lanes, k, false)
        const scope = op.wide ? ('cluster' as const) : ('cta' as const)
        if (op.until === 'any') {
          const read: { -readonly [K in keyof Access]: Access[K] } = Object.assign(
            {},
            access(by, 'r', 'generic', f),
            { atomic: true, scope },
          )
          if (op.acquires) read.acquires = true
          log.push(read)
          return
        }
        const plain: LogEvent = {
          _tag: 'semaphore',
          stamp: by,
          kind: 'wait',
          footprint: f,
          value: op.value,
          decrement: false,
          scope,
          before: values.get(showAtom(op.word)) ?? 0,
          outcome: 'passed',
          until: op.until,
        }
        log.push(op.acquires ? plain : Object.assign({ relaxed: true as const }, plain))
        return
      }
      default:
        throw new Error(`no warp does ${op._tag} here`)
    }
  }

  /** Lanes that can go on without the others of their statement do; `any`: whether the others can or not. */
  const parted = (any: boolean): boolean => {
    for (let k = 0; k < statements.length; k++) {
      const s = statements[k]!
      if (done[k] || s.does !== 'ops' || s.lanes.length < 2) continue
      const free = s.lanes.filter((lane) =>
        statements.every((o, i) => i >= k || done[i] || o.warp !== s.warp || !o.lanes.includes(lane)),
      )
      const some = free.length === s.lanes.length && any ? [die.pick(free)] : free
      if (some.length === 0 || some.length === s.lanes.length) continue
      const part = (lanes: ReadonlyArray<number>): Statement => ({
        warp: s.warp,
        lanes,
        does: s.does,
        ops: lanes.map((lane) => s.ops[s.lanes.indexOf(lane)]!),
        whole: s.whole,
      })
      statements.splice(k, 1, part(some), part(s.lanes.filter((lane) => !some.includes(lane))))
      sites.splice(k, 1, sites[k]!, sites[k]!)
      done.splice(k, 1, false, false)
      return true
    }
    return false
  }

  /** An arrival of copies waits for those of its lane. */
  const isHeld = (f: Flying): boolean =>
    f.op._tag === 'copyArrive' &&
    flying.some(
      (g) =>
        g.op._tag === 'copy' &&
        g.stage !== 'done' &&
        g.operation < f.operation &&
        g.warp === f.warp &&
        g.lanes.includes(f.lanes[0]!),
    )

  const goOn = (f: Flying): void => {
    const { operation, op } = f
    if (op._tag === 'load') {
      const [d] = op.destinations
      if (f.stage === 'first') {
        log.push(
          { _tag: 'perform', operation, stage: 'write', part: 0 },
          access(f.stamp, 'w', 'async', footprint(d!.atoms), operation),
        )
        f.stage = 'second'
        return
      }
      log.push({
        _tag: 'signal',
        operation,
        part: 0,
        to: 'barrier',
        barrier: d!.barrier,
        bytes: bytesOf * d!.units,
      })
      f.stage = 'done'
      phases[d!.barrier]!.units -= d!.units
      settle(d!.barrier)
      return
    }
    if (op._tag === 'store') {
      const first = f.stage === 'first'
      log.push({ _tag: 'perform', operation, stage: first ? 'read' : 'write', part: 0 })
      const f2 = first ? op.reads : op.writes
      if (f2.length > 0) log.push(access(f.stamp, first ? 'r' : 'w', 'async', footprint(f2), operation))
      log.push({
        _tag: 'signal',
        operation,
        part: 0,
        to: 'group',
        family: 'bulk',
        side: first ? 'read' : 'full',
      })
      f.stage = first ? 'second' : 'done'
      return
    }
    log.push({ _tag: 'perform', operation, stage: 'all', part: 0 })
    if (op._tag === 'copyArrive') {
      log.push({ _tag: 'signal', operation, part: 0, to: 'arrive', barrier: op.barrier })
      f.stage = 'done'
      arrivals(op.barrier, 1, 0)
      return
    }
    const reads = f.ops.flatMap((o) => (o._tag === 'copy' ? o.reads : []))
    const writes = f.ops.flatMap((o) => (o._tag === 'copy' ? o.writes : []))
    if (reads.length > 0) log.push(access(f.stamp, 'r', 'generic', footprint(reads), operation))
    log.push(access(f.stamp, 'w', 'generic', footprint(writes), operation), {
      _tag: 'signal',
      operation,
      part: 0,
      to: 'group',
      family: 'cpAsync',
      side: 'full',
    })
    f.stage = 'done'
  }

  for (;;) {
    const moves: Array<() => void> = []
    p.warps.forEach((_, warp) => {
      const k = p.statements.findIndex((s, i) => s.warp === warp && !done[i] && isNext(i) && !blocked(i))
      if (k >= 0)
        moves.push(() => {
          perform(k)
        })
    })
    for (const f of flying)
      if (f.stage !== 'done' && !isHeld(f))
        moves.push(() => {
          goOn(f)
        })
    if (split) break
    if (moves.length === 0 || (!eager && die.chance(0.05))) {
      if (parted(moves.length > 0)) continue
      if (moves.length === 0) break
    }
    moves[eager ? 0 : die.below(moves.length)]!()
  }

  // the end
  const stuck = done.some((d) => !d)
  if (!split)
    p.statements.forEach((s, k) => {
      if (done[k] || !isNext(k)) return
      const op = s.ops[0]
      const by = stamp(s.warp, s.lanes, sites[k]!, false)
      if (s.does === 'bar')
        log.push({ _tag: 'rendezvous', stamp: by, kind: 'blocked', id: 1, count: all, threads: 0 })
      else if (op?._tag === 'wait')
        log.push({
          _tag: 'wait',
          stamp: by,
          barrier: op.barrier,
          parity: op.parity,
          acquire: !op.relaxed,
          scope: 'cta',
          tensor: false,
          outcome: 'blocked',
        })
      else if (op?._tag === 'hear' && op.until !== 'any')
        log.push({
          _tag: 'semaphore',
          stamp: by,
          kind: 'wait',
          footprint: word(op.word, 1),
          value: op.value,
          decrement: false,
          scope: op.wide ? 'cluster' : 'cta',
          before: values.get(showAtom(op.word)) ?? 0,
          outcome: 'blocked',
          until: op.until,
        })
    })
  p.warps.forEach((_, warp) => {
    if (p.statements.every((s, k) => s.warp !== warp || done[k])) log.push({ _tag: 'exit', agent: warp })
  })
  return { header, log, outcome: stuck ? 'stuck' : 'completed', split }
}
