/**
 * The lines of a trace after the first: one event each, with its place `i` in the log.
 *
 * The form of an event is that of the log (`log.ts`), but for footprints, which stand as `footprint.ts` says, and for fields that have
 * a usual value and may then be left out (`atomic`). One description makes the reader's codec and the JSON Schema.
 *
 *     {"i":9,"_tag":"exit","agent":1}
 *
 * What is read is built anew, field by field, so that the events of a trace have the shapes of those of a run.
 *
 * To add a kind of event: its form in `lines`, its constructor in `eventOf`.
 *
 * Law 1. `eventOf(lineOf(e)) = e`, footprints aside.
 */
import {
  bool,
  byTag,
  define,
  either,
  integer,
  list,
  nat,
  oneOf,
  record,
  tagged,
  wordOf,
  type AnyWire,
  type Wire,
} from '../../../wire.js'
import type { Scope } from '../../language/instruction.js'
import type {
  Access,
  Ahead,
  Alloc,
  BarrierEvent,
  ClusterEvent,
  Combine,
  Dealloc,
  Relinquish,
  Exit,
  Family,
  Fence,
  Footprint,
  ForkEvent,
  Group,
  Issue,
  LogEvent,
  Origin,
  Perform,
  Proxy,
  RegistersEvent,
  Rendezvous,
  Role,
  SemaphoreEvent,
  Signal,
  Stamp,
  TensorEntry,
  Unit,
  Wait,
} from '../../log/events.js'
import { families, units } from '../../log/units.js'
import { footprintWire, type WrittenFootprint } from './footprint.js'

// ---------------------------------------------------------------- model

/** An event at its place. */
type Placed<E> = E & { readonly i: number }
type Written<E> = Omit<E, 'footprint'> & { readonly footprint: WrittenFootprint }

type WrittenAccess = Placed<Omit<Written<Access>, 'atomic'> & { readonly atomic?: boolean }>
type WrittenAlloc = Placed<Written<Alloc>>
type WrittenDealloc = Placed<Written<Dealloc>>
type WrittenSemaphore = Placed<Written<SemaphoreEvent>>

export type Line =
  | Placed<Exclude<LogEvent, Access | Alloc | Dealloc | SemaphoreEvent>>
  | WrittenAccess
  | WrittenAlloc
  | WrittenDealloc
  | WrittenSemaphore

// ---------------------------------------------------------------- words

const tag = <T extends string>(name: T): Wire<T> => oneOf(name)
const scope: Wire<Scope> = wordOf<Scope>()({ cta: true, cluster: true, gpu: true, sys: true })
const family: Wire<Family> = wordOf<Family>()(families)
const combine: Wire<Combine> = wordOf<Combine>()({
  add: true,
  min: true,
  max: true,
  inc: true,
  dec: true,
  and: true,
  or: true,
  xor: true,
  exchange: true,
  cas: true,
})
const proxy: Wire<Proxy> = wordOf<Proxy>()({ generic: true, async: true, tensor: true, tensormap: true })
const role: Wire<Role> = wordOf<Role>()({
  source: true,
  destination: true,
  a: true,
  b: true,
  accumulator: true,
  scaleA: true,
  scaleB: true,
  sparsity: true,
  map: true,
  response: true,
})
const unit: Wire<Unit> = wordOf<Unit>()(units)
const fenceKind: Wire<Fence['kind']> = wordOf<Fence['kind']>()({
  proxyAsync: true,
  tensormap: true,
  tensormapAcquire: true,
  mbarrierInit: true,
  wgmma: true,
  tensorBefore: true,
  tensorAfter: true,
})
const tensorEntry: Wire<TensorEntry> = wordOf<TensorEntry>()({
  mma: true,
  cp: true,
  'cp.4x256b': true,
  shift: true,
  commit: true,
})
const parity: Wire<0 | 1> = oneOf<0 | 1>(0, 1)
const ctaGroup: Wire<1 | 2> = oneOf<1 | 2>(1, 2)

// ---------------------------------------------------------------- forms

const stamp: Wire<Stamp> = define('Stamp', () =>
  record<Stamp>()('a stamp', { agent: nat, at: nat, site: nat, iteration: list(integer) }, {}),
)

type OriginOf<K extends Origin['_tag']> = Extract<Origin, { readonly _tag: K }>
const origin: Wire<Origin> = tagged<Origin>()('an origin', {
  value: record<OriginOf<'value'>>()('a value', { _tag: tag('value'), id: nat }, {}),
  zero: record<OriginOf<'zero'>>()('zero', { _tag: tag('zero') }, {}),
  other: record<OriginOf<'other'>>()('another', { _tag: tag('other') }, {}),
})

type SignalTo<K extends Signal['to']> = Placed<Extract<Signal, { readonly to: K }>>
const signal: Wire<Placed<Signal>> = either(
  'a signal',
  record<SignalTo<'barrier'>>()(
    'a signal',
    {
      i: nat,
      _tag: tag('signal'),
      to: tag('barrier'),
      operation: nat,
      part: nat,
      barrier: nat,
      bytes: nat,
    },
    {},
  ),
  either(
    'a signal',
    record<SignalTo<'arrive'>>()(
      'a signal',
      { i: nat, _tag: tag('signal'), to: tag('arrive'), operation: nat, part: nat, barrier: nat },
      {},
    ),
    record<SignalTo<'group'>>()(
      'a signal',
      {
        i: nat,
        _tag: tag('signal'),
        to: tag('group'),
        operation: nat,
        part: nat,
        family,
        side: oneOf<'read' | 'full'>('read', 'full'),
      },
      {},
    ),
  ),
)

const forks: Wire<Placed<ForkEvent>> = record<Placed<ForkEvent>>()(
  'a fork or a join',
  { i: nat, _tag: oneOf<ForkEvent['_tag']>('fork', 'join'), stamp, children: list(nat) },
  {},
)

const lines: { readonly [K in Line['_tag']]: AnyWire } = {
  access: record<WrittenAccess>()(
    'an access',
    {
      i: nat,
      _tag: tag('access'),
      stamp,
      rw: oneOf<'r' | 'w'>('r', 'w'),
      proxy,
      footprint: footprintWire,
      role,
    },
    { operation: nat, atomic: bool, scope, combine, value: nat, origin },
  ),
  issue: record<Placed<Issue>>()(
    'an issue',
    { i: nat, _tag: tag('issue'), stamp, operation: nat, unit, bytes: nat, macs: nat, accumulates: bool },
    { signals: nat, pipe: nat, tensor: tensorEntry, ctaGroup },
  ),
  perform: record<Placed<Perform>>()(
    'a perform',
    {
      i: nat,
      _tag: tag('perform'),
      operation: nat,
      stage: oneOf<Perform['stage']>('read', 'write', 'all'),
      part: nat,
    },
    {},
  ),
  signal,
  barrier: record<Placed<BarrierEvent>>()(
    'a barrier event',
    {
      i: nat,
      _tag: tag('barrier'),
      stamp,
      kind: oneOf<BarrierEvent['kind']>('init', 'inval', 'expect', 'arrive', 'drop', 'increment'),
      barrier: nat,
      count: nat,
      bytes: integer,
      release: bool,
      scope,
      tensor: bool,
    },
    {},
  ),
  wait: record<Placed<Wait>>()(
    'a wait',
    {
      i: nat,
      _tag: tag('wait'),
      stamp,
      barrier: nat,
      parity,
      acquire: bool,
      scope,
      tensor: bool,
      outcome: oneOf<Wait['outcome']>('passed', 'blocked', 'skipped', 'tested'),
    },
    {},
  ),
  group: record<Placed<Group>>()(
    'a group event',
    {
      i: nat,
      _tag: tag('group'),
      stamp,
      kind: oneOf<Group['kind']>('commit', 'wait'),
      family,
      pending: nat,
      read: bool,
      blocked: bool,
    },
    {},
  ),
  fence: record<Placed<Fence>>()(
    'a fence',
    {
      i: nat,
      _tag: tag('fence'),
      stamp,
      kind: fenceKind,
      scope: oneOf<Fence['scope']>('cta', 'cluster', 'global'),
    },
    {},
  ),
  rendezvous: record<Placed<Rendezvous>>()(
    'a rendezvous',
    {
      i: nat,
      _tag: tag('rendezvous'),
      stamp,
      kind: oneOf<Rendezvous['kind']>('arrive', 'leave', 'blocked'),
      id: nat,
      count: nat,
      threads: nat,
    },
    { relaxed: bool, tensor: bool },
  ),
  semaphore: record<WrittenSemaphore>()(
    'a semaphore event',
    {
      i: nat,
      _tag: tag('semaphore'),
      stamp,
      kind: oneOf<SemaphoreEvent['kind']>('signal', 'wait'),
      footprint: footprintWire,
      value: integer,
      decrement: bool,
      scope,
      before: integer,
      outcome: oneOf<SemaphoreEvent['outcome']>('passed', 'blocked'),
    },
    {},
  ),
  registers: record<Placed<RegistersEvent>>()(
    'a change of registers',
    {
      i: nat,
      _tag: tag('registers'),
      stamp,
      count: nat,
      needs: integer,
      free: integer,
      blocked: bool,
    },
    {},
  ),
  fork: forks,
  join: forks,
  alloc: record<WrittenAlloc>()(
    'an alloc',
    { i: nat, _tag: tag('alloc'), stamp, footprint: footprintWire },
    { ctaGroup },
  ),
  dealloc: record<WrittenDealloc>()(
    'a dealloc',
    { i: nat, _tag: tag('dealloc'), stamp, footprint: footprintWire },
    { ctaGroup },
  ),
  relinquish: record<Placed<Relinquish>>()('a relinquish', { i: nat, _tag: tag('relinquish'), stamp }, {}),
  exit: record<Placed<Exit>>()('an exit', { i: nat, _tag: tag('exit'), agent: nat }, {}),
  cluster: record<Placed<ClusterEvent>>()('a cluster', { i: nat, _tag: tag('cluster'), id: nat }, {}),
  ahead: record<Placed<Ahead>>()(
    'what stands behind a blocked wait',
    { i: nat, _tag: tag('ahead'), stamp, behind: nat, helps: nat },
    {},
  ),
}

export const lineWire: Wire<Line> = define('TraceEvent', () =>
  byTag<Line>('an event', new Map(Object.entries(lines))),
)

// ---------------------------------------------------------------- constructors

type Writable<A> = { -readonly [K in keyof A]: A[K] }

const accessOf = (e: WrittenAccess, f: Footprint): Access => {
  const made: Writable<Access> = {
    _tag: 'access',
    stamp: e.stamp,
    rw: e.rw,
    proxy: e.proxy,
    footprint: f,
    role: e.role,
    atomic: e.atomic ?? false,
  }
  if (e.operation !== undefined) made.operation = e.operation
  if (e.scope !== undefined) made.scope = e.scope
  if (e.combine !== undefined) made.combine = e.combine
  if (e.value !== undefined) made.value = e.value
  if (e.origin !== undefined) made.origin = e.origin
  return made
}

const issueOf = (e: Issue): Issue => {
  const made: Writable<Issue> = {
    _tag: 'issue',
    stamp: e.stamp,
    operation: e.operation,
    unit: e.unit,
    bytes: e.bytes,
    macs: e.macs,
    accumulates: e.accumulates,
  }
  if (e.signals !== undefined) made.signals = e.signals
  if (e.pipe !== undefined) made.pipe = e.pipe
  if (e.tensor !== undefined) made.tensor = e.tensor
  if (e.ctaGroup !== undefined) made.ctaGroup = e.ctaGroup
  return made
}

const rendezvousOf = (e: Rendezvous): Rendezvous => {
  const made: Writable<Rendezvous> = {
    _tag: 'rendezvous',
    stamp: e.stamp,
    kind: e.kind,
    id: e.id,
    count: e.count,
    threads: e.threads,
  }
  if (e.relaxed !== undefined) made.relaxed = e.relaxed
  if (e.tensor !== undefined) made.tensor = e.tensor
  return made
}

const signalOf = (e: Signal): Signal => {
  const { operation, part } = e
  switch (e.to) {
    case 'barrier':
      return { _tag: 'signal', operation, part, to: 'barrier', barrier: e.barrier, bytes: e.bytes }
    case 'arrive':
      return { _tag: 'signal', operation, part, to: 'arrive', barrier: e.barrier }
    case 'group':
      return { _tag: 'signal', operation, part, to: 'group', family: e.family, side: e.side }
  }
}

const columnsOf = (e: WrittenAlloc | WrittenDealloc, footprint: Footprint): LogEvent =>
  e.ctaGroup === undefined
    ? { _tag: e._tag, stamp: e.stamp, footprint }
    : { _tag: e._tag, stamp: e.stamp, footprint, ctaGroup: e.ctaGroup }

/** Lines that name a footprint. */
export type Footed = WrittenAccess | WrittenAlloc | WrittenDealloc | WrittenSemaphore
export const isFooted = (e: Line): e is Footed =>
  e._tag === 'access' || e._tag === 'alloc' || e._tag === 'dealloc' || e._tag === 'semaphore'

const semaphoreOf = (e: WrittenSemaphore, footprint: Footprint): SemaphoreEvent => ({
  _tag: 'semaphore',
  stamp: e.stamp,
  kind: e.kind,
  footprint,
  value: e.value,
  decrement: e.decrement,
  scope: e.scope,
  before: e.before,
  outcome: e.outcome,
})

export const footedOf = (e: Footed, footprint: Footprint): LogEvent => {
  switch (e._tag) {
    case 'access':
      return accessOf(e, footprint)
    case 'semaphore':
      return semaphoreOf(e, footprint)
    case 'alloc':
    case 'dealloc':
      return columnsOf(e, footprint)
  }
}

/** The event of a line that names none. */
export const eventOf = (e: Exclude<Line, Footed>): LogEvent => {
  switch (e._tag) {
    case 'issue':
      return issueOf(e)
    case 'perform':
      return { _tag: 'perform', operation: e.operation, stage: e.stage, part: e.part }
    case 'signal':
      return signalOf(e)
    case 'barrier':
      return {
        _tag: 'barrier',
        stamp: e.stamp,
        kind: e.kind,
        barrier: e.barrier,
        count: e.count,
        bytes: e.bytes,
        release: e.release,
        scope: e.scope,
        tensor: e.tensor,
      }
    case 'wait':
      return {
        _tag: 'wait',
        stamp: e.stamp,
        barrier: e.barrier,
        parity: e.parity,
        acquire: e.acquire,
        scope: e.scope,
        tensor: e.tensor,
        outcome: e.outcome,
      }
    case 'group':
      return {
        _tag: 'group',
        stamp: e.stamp,
        kind: e.kind,
        family: e.family,
        pending: e.pending,
        read: e.read,
        blocked: e.blocked,
      }
    case 'fence':
      return { _tag: 'fence', stamp: e.stamp, kind: e.kind, scope: e.scope }
    case 'rendezvous':
      return rendezvousOf(e)
    case 'registers':
      return {
        _tag: 'registers',
        stamp: e.stamp,
        count: e.count,
        needs: e.needs,
        free: e.free,
        blocked: e.blocked,
      }
    case 'fork':
    case 'join':
      return { _tag: e._tag, stamp: e.stamp, children: e.children }
    case 'relinquish':
      return { _tag: 'relinquish', stamp: e.stamp }
    case 'exit':
      return { _tag: 'exit', agent: e.agent }
    case 'cluster':
      return { _tag: 'cluster', id: e.id }
    case 'ahead':
      return { _tag: 'ahead', stamp: e.stamp, behind: e.behind, helps: e.helps }
  }
}
