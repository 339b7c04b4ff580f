/**
 * The effects of a warp: what an instruction of its lanes is to the machine.
 *
 *     mbarrier.arrive by 32 lanes on one barrier     one arrival of count 32
 *     mbarrier.arrive by lanes on two barriers       two events, in the order of the lanes
 *     cp.async of 32 lanes                           one copy of 32 places
 *     bar.sync 1, 64                                 an arrival of 32 threads, and a wait
 *
 * What PTX demands of an instruction is asked here: operands that are the same in all lanes, an address of an mbarrier. That the lanes of an `.aligned`
 * instruction are together is seen before (`meeting.ts`).
 *
 * Source: PTX ISA, parallel synchronization and communication; data movement.
 */
import type { Prepared } from '../machine/operation.js'
import * as V from '../machine/value.js'
import type { FaultValue, PeekValue } from '../machine/value.js'
import { atomic } from './atomics.js'
import { tcgen05 } from './effects/tcgen05.js'
import { bulk } from './effects/bulk.js'
import { matrices, wholeWarp } from './effects/matrices.js'
import { tensors } from './effects/tensors.js'
import { wgmma } from './effects/wgmma.js'
import { elementsOf, load, reaches, store, type Here } from './memory.js'
import { waysTo } from './origins.js'
import { barriersAt, each, maskOf, operand, ownBarriersAt } from './operands.js'
import { nothing, part, type Part, type Receive } from '../machine/warp-stand.js'
import type { Effect, Operation, Row } from './program.js'
import { countOf, holding, lowest, wordAt } from './rows.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

/** Is it a wait or an arrival at an mbarrier, or a wait for a word that is loaded again and again? */
export const attends = (o: Operation): boolean =>
  o._tag === 'mbarrierWait' || o._tag === 'mbarrierArrive' || (o._tag === 'load' && o.until !== undefined)

// ---------------------------------------------------------------- mbarriers

type Arrival = Extract<Prepared, { readonly _tag: 'mbarrier.arrive' }>

const arrive = (h: Here, o: Of<'mbarrierArrive'>, mask: number): ReadonlyArray<Part> | FaultValue =>
  each((o.at.space === 'sharedCluster' ? barriersAt : ownBarriersAt)(h, o.at, mask), ({ barrier, lanes }) => {
    const wordOf = (row: Row | null, lane: number, otherwise: number): number =>
      row === null ? otherwise : wordAt(h.rows, row, lane) >>> 0
    const one = (count: number, bytes: number): Arrival => ({
      _tag: 'mbarrier.arrive',
      kind: o.kind === 'complete' ? 'expect' : o.kind,
      barrier,
      count: o.kind === 'complete' || o.kind === 'expect' ? 0 : count,
      bytes: o.kind === 'complete' ? 0 - bytes : bytes,
      release: o.release,
      scope: o.scope,
      tensor: false,
    })
    for (const row of [o.count, o.bytes])
      if (row !== null && (h.rows.unknown[row]! & maskOf(lanes)) !== 0)
        return V.fault('I1', 'the count comes from an unwritten register')
    if (o.state === null) {
      let count = 0
      let bytes = 0
      for (const lane of lanes) {
        count += wordOf(o.count, lane, 1)
        bytes += wordOf(o.bytes, lane, 0)
      }
      return [part(one(count, bytes), nothing, maskOf(lanes))]
    }
    const state = o.state
    return lanes.map((lane) =>
      part(
        withToken(one(wordOf(o.count, lane, 1), wordOf(o.bytes, lane, 0))),
        {
          _tag: 'words',
          lanes: [lane],
          to: state,
          bits: 32,
          signed: true,
          plain: true,
        },
        1 << lane,
      ),
    )
  })

const withToken = (a: Arrival): Arrival => ({
  _tag: 'mbarrier.arrive',
  kind: a.kind,
  barrier: a.barrier,
  count: a.count,
  bytes: a.bytes,
  release: a.release,
  scope: a.scope,
  tensor: a.tensor,
  token: true,
})

/** The peek that may spare this lane its wait. */
const sparing = (h: Here, { spared }: Of<'mbarrierWait'>, lane: number): PeekValue | null => {
  if (spared === undefined) return null
  const at = wordAt(h.rows, spared.tag, lane)
  return at === 0 ? null : V.peek(holding(h.rows, spared.ready, false, 1 << lane) !== 0, at)
}

const wait = (h: Here, o: Of<'mbarrierWait'>, mask: number): ReadonlyArray<Part> | FaultValue =>
  each(ownBarriersAt(h, o.at, mask), ({ barrier, lanes }) => {
    const out: Part[] = []
    const row = o.parity ?? o.state![1]!
    if ((h.rows.unknown[row]! & maskOf(lanes)) !== 0)
      return V.fault('I1', 'the phase comes from an unwritten register')
    const parityOf = (lane: number): 0 | 1 => {
      const word = wordAt(h.rows, row, lane)
      return (o.parity === null ? word >>> 31 : word & 1) === 1 ? 1 : 0
    }
    const maskBy = new Map<
      string,
      { readonly parity: 0 | 1; readonly peek: 'makes' | PeekValue | null; mask: number }
    >()
    for (const lane of lanes) {
      const parity = parityOf(lane)
      const peek = o.makes !== undefined ? 'makes' : sparing(h, o, lane)
      const key = `${String(parity)} ${peek === null ? '' : peek === 'makes' ? peek : `${String(peek.at)} ${String(peek.ready)}`}`
      const known = maskBy.get(key)
      if (known === undefined) maskBy.set(key, { parity, peek, mask: 1 << lane })
      else known.mask |= 1 << lane
    }
    const ways = [...maskBy.values()].sort((x, y) => x.parity - y.parity)
    for (const { parity, peek, mask: those } of ways) {
      const plain: Prepared = {
        _tag: 'mbarrier.wait',
        blocks: o.blocks,
        barrier,
        parity,
        acquire: o.acquire,
        scope: o.scope,
        tensor: false,
      }
      const receive: Receive = { _tag: 'truth', to: o.passed, mask: those }
      out.push(
        part(
          peek === null ? plain : Object.assign({ peek }, plain),
          o.makes === undefined ? receive : Object.assign({ tag: o.makes }, receive),
          those,
        ),
      )
    }
    return out
  })

// ---------------------------------------------------------------- named barriers

const bar = (
  h: Here,
  o: Of<'bar'> | Of<'barReduce'>,
  mask: number,
  whole: number,
): ReadonlyArray<Part> | FaultValue => {
  const what = o._tag === 'bar' ? `bar.${o.mode}` : `bar.red.${o.op}`
  const id = operand(h, `${what}: the number of the barrier`, o.id, whole)
  if (typeof id !== 'number') return id
  const count = o.count === null ? allThreads(h) : operand(h, `${what}: the count of threads`, o.count, whole)
  if (typeof count !== 'number') return count
  if (id < 0 || id > 15)
    return V.fault('bar.id', `${what}: expected a barrier from 0 to 15, found ${String(id)}`)
  if (count <= 0 || count % 32 !== 0)
    return V.fault('bar.count', `${what}: expected a positive multiple of 32 threads, found ${String(count)}`)
  const plain: Prepared = {
    _tag: 'bar',
    id,
    count,
    waits: o._tag === 'barReduce' || o.mode === 'sync',
    // all that have not ended are there, and a warp counts as a whole
    threads: 32,
  }
  const met = o.count === null ? Object.assign({ all: true as const }, plain) : plain
  if (o._tag === 'bar') return [part(met, nothing)]
  const unknown = h.rows.unknownPredicates[o.by.predicate]! & mask
  if (unknown !== 0) return V.fault('I1', `${what}: the predicate comes from unwritten registers or memory`)
  return [
    part(
      Object.assign(
        {
          ballot: {
            op: o.op,
            yes: countOf(holding(h.rows, o.by.predicate, o.by.negated, mask)),
            of: countOf(mask),
          },
        },
        met,
      ),
      o.to !== null ? { _tag: 'number', to: o.to, mask } : { _tag: 'truth', to: o.toPredicate, mask },
    ),
  ]
}

/** Threads of the CTA, as barriers count them: by whole warps. */
const allThreads = (h: Here): number => 32 * Math.ceil(h.launch.threads / 32)

// ---------------------------------------------------------------- copies

const copyAsync = (h: Here, o: Of<'copyAsync'>, mask: number): ReadonlyArray<Part> | FaultValue => {
  const into = reaches(h, o.into, o.bytes, mask)
  if ('code' in into) return into
  const unknown =
    (o.sourceBytes === null ? 0 : h.rows.unknown[o.sourceBytes]!) |
    (o.ignore === null ? 0 : h.rows.unknownPredicates[o.ignore.predicate]!)
  if ((unknown & mask) !== 0)
    return V.fault('I1', 'cp.async: how much is copied comes from unwritten registers or memory')
  const touched = (lane: number): number =>
    o.ignore !== null && holding(h.rows, o.ignore.predicate, o.ignore.negated, 1 << lane) !== 0
      ? 0
      : o.sourceBytes === null
        ? o.bytes
        : Math.min(o.bytes, wordAt(h.rows, o.sourceBytes, lane) >>> 0)
  // a lane that reads nothing may name an address that is nowhere
  let reading = 0
  for (let m = mask; m !== 0; m &= m - 1) if (touched(lowest(m)) > 0) reading |= m & -m
  const from = reading === 0 ? [] : reaches(h, o.from, o.bytes, reading, touched)
  if ('code' in from) return from
  const [there] = into
  if (into.length !== 1 || there === undefined || there.target._tag !== 'plane')
    return V.fault('cpAsync.destination', 'cp.async: expected a destination in the shared memory of the CTA')
  const destination = there.target.plane
  const words = o.bytes / 4
  const startOf = new Array<number>(32)
  there.lanes.forEach((lane, i) => {
    startOf[lane] = there.bytes[i]!
  })
  const out: Part[] = []
  const groups: { readonly plane: number; readonly starts: Map<number, number> }[] = []
  for (const { target, lanes, bytes } of from) {
    const plane =
      target._tag === 'plane' ? target.plane : target._tag === 'constant' ? target.region.plane : -1
    if (plane < 0) return V.fault('cpAsync.source', 'cp.async: expected a source in global memory')
    groups.push({ plane, starts: new Map(lanes.map((lane, i) => [lane, bytes[i]!])) })
  }
  if (groups.length === 0) groups.push({ plane: destination, starts: new Map() })
  for (let m = mask & ~reading; m !== 0; m &= m - 1) groups[0]!.starts.set(lowest(m), -1)
  for (const { plane, starts } of groups) {
    const lanes = [...starts.keys()].sort((x, y) => x - y)
    const sources: number[] = []
    const targets: number[] = []
    for (const lane of lanes) {
      const room = touched(lane)
      for (let k = 0; k < words; k++) {
        sources.push(4 * k + 4 <= room ? starts.get(lane)! + 4 * k : -1)
        targets.push(startOf[lane]! + 4 * k)
      }
    }
    const source = elementsOf(h.world, plane, sources, 'i32', 4, 1)
    const places = elementsOf(h.world, destination, targets, 'i32', 4, 1)
    out.push(
      part(
        {
          _tag: 'cpAsync.copy',
          source,
          destination: places,
          bytes: lanes.length * o.bytes,
          ways: waysTo(h.rows, lanes, words),
        },
        nothing,
        maskOf(lanes),
      ),
    )
  }
  return out
}

// ---------------------------------------------------------------- all of them

/** The effects of an instruction by the lanes of `mask`, of a part with the lanes of `whole`; none where nothing is left to do. */
export const effectsOf = (
  h: Here,
  o: Effect,
  mask: number,
  whole: number,
): ReadonlyArray<Part> | FaultValue => {
  switch (o._tag) {
    case 'load':
      return load(h, o, mask)
    case 'store':
      return store(h, o, mask)
    case 'atomic':
      return atomic(h, o, mask)
    case 'bar':
    case 'barReduce':
      return bar(h, o, mask, whole)
    case 'trap':
      return [part({ _tag: 'trap', why: o.why }, nothing)]
    case 'copyAsync':
      return copyAsync(h, o, mask)
    case 'copyBulk':
    case 'sendAsync':
    case 'zeroBulk':
      return bulk(h, o, mask)
    case 'wgmma':
    case 'wgmmaFence':
    case 'wgmmaCommit':
    case 'wgmmaWait':
      return wgmma(h, o, mask)
    case 'loadMatrices':
    case 'storeMatrices':
      return matrices(h, o, mask)
    case 'tensorCopy':
    case 'tensormapReplace':
    case 'tensormapPublish':
    case 'tensormapAcquire':
      return tensors(h, o, mask)
    case 'tcgen05Alloc':
    case 'tcgen05Dealloc':
    case 'tcgen05Relinquish':
    case 'tcgen05Load':
    case 'tcgen05Store':
    case 'tcgen05Wait':
    case 'tcgen05Copy':
    case 'tcgen05Shift':
    case 'tcgen05Mma':
    case 'tcgen05Commit':
      return tcgen05(h, o, mask)
    case 'commitAsync':
      return [part({ _tag: 'group.commit', family: 'cpAsync' }, nothing)]
    case 'commitBulk':
      return [part({ _tag: 'group.commit', family: 'bulk' }, nothing)]
    case 'waitBulk':
      return [part({ _tag: 'group.wait', family: 'bulk', pending: o.pending, read: o.read }, nothing)]
    case 'waitAsync':
      return [part({ _tag: 'group.wait', family: 'cpAsync', pending: o.pending, read: false }, nothing)]
    case 'clusterArrive':
      return [part({ _tag: 'cluster.arrive', relaxed: o.relaxed }, nothing)]
    case 'clusterWait':
      return [part({ _tag: 'cluster.wait' }, nothing)]
    case 'setRegisters':
      return (
        wholeWarp(h, 'setmaxnreg', mask) ??
        (h.launch.program.registers === null
          ? []
          : [part({ _tag: 'setMaxRegisters', count: o.count, action: o.action }, nothing)])
      )
    case 'fence':
      return [
        part(
          o.sequential === true
            ? { _tag: 'fence', kind: o.kind, scope: o.scope, sequential: true }
            : o.half === undefined
              ? { _tag: 'fence', kind: o.kind, scope: o.scope }
              : { _tag: 'fence', kind: o.kind, scope: o.scope, half: o.half },
          nothing,
        ),
      ]
    case 'mbarrierInit':
      return each(ownBarriersAt(h, o.at, mask, o), ({ barrier, lanes }) => {
        const count = operand(h, 'mbarrier.init: the count', o.count, maskOf(lanes))
        if (typeof count !== 'number') return count
        // one that a scout has met is not there yet
        return barrier < 0 ? [] : [part({ _tag: 'mbarrier.init', barrier, count }, nothing, maskOf(lanes))]
      })
    case 'mbarrierInval':
      return each(ownBarriersAt(h, o.at, mask), ({ barrier, lanes }) => [
        part({ _tag: 'mbarrier.inval', barrier }, nothing, maskOf(lanes)),
      ])
    case 'mbarrierArrive':
      return arrive(h, o, mask)
    case 'mbarrierWait':
      return wait(h, o, mask)
    case 'mbarrierCpAsync':
      return each(ownBarriersAt(h, o.at, mask), ({ barrier, lanes }) =>
        lanes.map((lane) =>
          part({ _tag: 'mbarrier.cpAsyncArrive', barrier, increment: o.increment }, nothing, 1 << lane),
        ),
      )
  }
}
