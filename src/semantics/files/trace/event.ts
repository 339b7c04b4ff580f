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
  described,
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
  Comparison,
  Dealloc,
  Relinquish,
  WarpSync,
  Exit,
  Family,
  Fence,
  Footprint,
  ForkEvent,
  Group,
  Issue,
  LogEvent,
  Loose,
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
import type { Computed } from '../../log/computed.js'
import { dtype, footprintWire, type WrittenFootprint } from './footprint.js'

// ---------------------------------------------------------------- model

/** An event at its place. */
type Placed<E> = E & { readonly i: number }
type Written<E> = Omit<E, 'footprint'> & { readonly footprint: WrittenFootprint }

type WrittenAccess = Placed<
  Omit<Written<Access>, 'atomic' | 'origin' | 'idle' | 'shows'> & {
    readonly atomic?: boolean
    readonly origin?: Origin
  }
>
type WrittenFence = Placed<Omit<Fence, 'footprint'> & { readonly footprint?: WrittenFootprint }>
type WrittenAlloc = Placed<Written<Alloc>>
type WrittenDealloc = Placed<Written<Dealloc>>
type WrittenSemaphore = Placed<Written<SemaphoreEvent>>

export type Line =
  | Placed<Exclude<LogEvent, Access | Alloc | Dealloc | Fence | SemaphoreEvent>>
  | WrittenAccess
  | WrittenFence
  | WrittenAlloc
  | WrittenDealloc
  | WrittenSemaphore

// ---------------------------------------------------------------- words

const tag = <T extends string>(name: T): Wire<T> => described(oneOf(name), 'which form this is')
/** Fields that several kinds of events have. */
const i: Wire<number> = described(nat, 'its place in the log')
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
const proxy: Wire<Proxy> = wordOf<Proxy>()({
  generic: true,
  async: true,
  tensor: true,
  tensormap: true,
  readOnly: true,
})
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
  memory: true,
  proxyAsync: true,
  tensormap: true,
  tensormapAcquire: true,
  mbarrierInit: true,
  wgmma: true,
  tensorBefore: true,
  tensorAfter: true,
})
const comparison: Wire<Comparison> = wordOf<Comparison>()({
  eq: true,
  ne: true,
  lt: true,
  le: true,
  gt: true,
  ge: true,
  lo: true,
  ls: true,
  hi: true,
  hs: true,
  os: true,
  ss: true,
  sc: true,
  nc: true,
})
/** What is said only where it is so. */
const yes: Wire<true> = oneOf<true>(true)
const tensorEntry: Wire<TensorEntry> = wordOf<TensorEntry>()({
  mma: true,
  cp: true,
  'cp.4x256b': true,
  shift: true,
  commit: true,
})
const ctaGroup: Wire<1 | 2> = described(
  oneOf<1 | 2>(1, 2),
  'how many CTAs it acts on: 2 for a pair; absent: 1',
)
const operation: Wire<number> = described(nat, 'number of the operation')
const barrier: Wire<number> = described(nat, 'index of the barrier in the header')

// ---------------------------------------------------------------- forms

const stamp: Wire<Stamp> = define('Stamp', () =>
  record<Stamp>()(
    'a stamp',
    {
      agent: described(nat, 'index of the agent in the header'),
      at: described(nat, 'its number among the events of its agent, from 1'),
      site: described(nat, 'index of the statement in the header'),
      iteration: described(list(integer), 'rounds of the loops around it'),
    },
    {
      lanes: described(integer, 'the lanes of a warp that do it, a bit each; absent: the agent acts as one'),
      whole: described(
        oneOf<true>(true),
        'these lanes execute it together: each takes part in the whole access',
      ),
    },
  ),
)
const by: Wire<Stamp> = described(stamp, 'the agent that does it, and at which statement')
const covered: Wire<WrittenFootprint> = described(footprintWire, 'the bytes')
const part: Wire<number> = described(nat, 'which part of the operation: of a multicast, the destination CTA')
const reach: Wire<Scope> = described(scope, 'how far it releases or acquires')
const carriesTensor: Wire<boolean> = described(bool, 'whether it carries tensor-core order')

const stretches: Wire<ReadonlyArray<number>> = described(
  list(integer),
  'ranges of bytes, in the form of an origin',
)
type ComputedOf<K extends Computed['_tag']> = Extract<Computed, { readonly _tag: K }>
const computed: Wire<Computed> = tagged<Computed>()('a computed value', {
  add: record<ComputedOf<'add'>>()('a sum', { _tag: tag('add'), dtype, x: stretches, y: stretches }, {}),
  multiply: record<ComputedOf<'multiply'>>()(
    'a product',
    { _tag: tag('multiply'), dtype, x: stretches, y: stretches },
    {},
  ),
  multiplyAdd: record<ComputedOf<'multiplyAdd'>>()(
    'a product and a sum',
    { _tag: tag('multiplyAdd'), dtype, x: stretches, y: stretches, z: stretches },
    {},
  ),
  matrices: record<ComputedOf<'matrices'>>()(
    'a product of matrices and a sum',
    {
      _tag: tag('matrices'),
      m: described(nat, 'rows of a, c and the value'),
      n: described(nat, 'columns of b, c and the value'),
      k: described(nat, 'columns of a and rows of b'),
      aType: dtype,
      bType: dtype,
      cType: dtype,
      dtype,
      a: stretches,
      b: stretches,
      c: stretches,
    },
    {},
  ),
})

type OriginOf<K extends Origin['_tag']> = Extract<Origin, { readonly _tag: K }>
const origin: Wire<Origin> = tagged<Origin>()('an origin', {
  value: record<OriginOf<'value'>>()(
    'a value',
    { _tag: tag('value'), id: described(nat, 'number that a read gave it') },
    {},
  ),
  zero: record<OriginOf<'zero'>>()('zero', { _tag: tag('zero') }, {}),
  other: record<OriginOf<'other'>>()(
    'another',
    { _tag: tag('other') },
    { decided: described(nat, 'the statement where data first decided what its agent does') },
  ),
  bytes: record<OriginOf<'bytes'>>()(
    'bytes of several values',
    {
      _tag: tag('bytes'),
      stretches: described(
        list(integer),
        'stretches of bytes, three numbers each: 1 + the number of the value (0: zeros, -1: anything else, -2: a constant, -3 - n: value n that the agent has computed), its first byte (plus 2^26 for each cast before this one: f16, bf16, e4m3, e5m2, tf32), and how many',
      ),
    },
    {
      computed: described(
        list(computed),
        'what the agent has computed since its last event with this member',
      ),
    },
  ),
})

type SignalTo<K extends Signal['to']> = Placed<Extract<Signal, { readonly to: K }>>
const signal: Wire<Placed<Signal>> = described(
  either(
    'a signal',
    record<SignalTo<'barrier'>>()(
      'a signal',
      {
        i,
        _tag: tag('signal'),
        to: described(oneOf('barrier'), 'what is signalled'),
        operation,
        part,
        barrier,
        bytes: described(nat, 'bytes that have arrived'),
      },
      {},
    ),
    either(
      'a signal',
      record<SignalTo<'arrive'>>()(
        'a signal',
        {
          i,
          _tag: tag('signal'),
          to: described(oneOf('arrive'), 'what is signalled'),
          operation,
          part,
          barrier,
        },
        {},
      ),
      record<SignalTo<'group'>>()(
        'a signal',
        {
          i,
          _tag: tag('signal'),
          to: described(oneOf('group'), 'what is signalled'),
          operation,
          part,
          family: described(family, 'kind of the groups'),
          side: described(
            oneOf<'read' | 'full'>('read', 'full'),
            'which part is done: its reads, or all of it',
          ),
        },
        {},
      ),
    ),
  ),
  'an operation signals its completion',
)

const forks: Wire<Placed<ForkEvent>> = described(
  record<Placed<ForkEvent>>()(
    'a fork or a join',
    {
      i,
      _tag: described(oneOf<ForkEvent['_tag']>('fork', 'join'), 'branches start, or are seen to have ended'),
      stamp: by,
      children: described(list(nat), 'indices of the agents of the branches'),
    },
    {},
  ),
  'the branches of an agent start, or it has seen them all end',
)

const lines: { readonly [K in Line['_tag']]: AnyWire } = {
  access: described(
    record<WrittenAccess>()(
      'an access',
      {
        i,
        _tag: tag('access'),
        stamp: by,
        rw: described(oneOf<'r' | 'w'>('r', 'w'), 'a read or a write'),
        proxy: described(proxy, 'the proxy of the access'),
        footprint: covered,
        role: described(role, 'its role in its operation'),
      },
      {
        operation: described(nat, "the operation that makes it; absent: the agent's own synchronous access"),
        atomic: described(bool, 'whether the access is atomic for each element, within `scope`; absent: no'),
        scope: described(scope, 'scope of an atomic access; absent: gpu'),
        combine: described(
          combine,
          'how an atomic write combines with the old value; absent: it replaces it',
        ),
        outside: described(
          tag('other'),
          'for a read: the value of elements that are in no memory, if it is not zero; absent: zero',
        ),
        value: described(nat, 'the number of the value that a read returned'),
        origin: described(origin, 'for a write: the origin of its value'),
        acquires: described(
          yes,
          'for an atomic access: it acquires; absent: only the next memory fence does',
        ),
        releases: described(
          yes,
          'for an atomic write: it releases; absent: only the last memory fence before it does',
        ),
        agrees: described(
          yes,
          'a write by lanes of a warp, several of which name the same byte: they all store the same value there',
        ),
        rounds: described(
          yes,
          'for an atomic addition: it rounds, as a floating-point sum does, even if its footprint has another dtype',
        ),
        joins: described(yes, 'for an atomic read: the same instruction writes, right away'),
        decides: described(
          yes,
          'for an atomic read: control, an address or a stored value may depend on its result',
        ),
        controls: described(
          nat,
          'for an atomic read that decides: more than the contents of memory may depend on it, such as an address; the site of the first branch that depends on it, or one after all sites',
        ),
        signs: described(
          yes,
          'for an atomic read: only the sign of its result is used, by waits that compare it with the sign of a word',
        ),
        words: described(
          nat,
          'for an atomic access: number of elements that form one scalar, such as the two words of a 64-bit scalar; absent: 1',
        ),
        older: described(
          list(integer),
          'for a strong access: how many writes of its word come after the one that it takes, or after itself, element by element; -1: it takes a later write; absent: 0',
        ),
        found: described(list(integer), 'for an atomic write: the words that it finds, element by element'),
        left: described(list(integer), 'for an atomic write: the words that it leaves, element by element'),
      },
    ),
    'bytes are read or written',
  ),
  issue: described(
    record<Placed<Issue>>()(
      'an issue',
      {
        i,
        _tag: tag('issue'),
        stamp: by,
        operation: described(nat, 'its number, dense in the order of issue'),
        unit: described(unit, 'the unit that carries it out'),
        bytes: described(nat, 'bytes that it moves'),
        macs: described(nat, 'products that it adds'),
        accumulates: described(bool, 'for an mma: whether the old accumulator is added'),
      },
      {
        altered: described(
          oneOf<NonNullable<Issue['altered']>>('negated', 'divided', 'counted'),
          'for an mma: one factor is negated, the old accumulator is divided, or bits are counted; absent: none of these',
        ),
        signals: described(nat, 'signals that it owes; absent: one, or one a CTA of the cluster for a load'),
        pipe: described(
          nat,
          'for a tcgen05.mma: products of one agent with the same number are always in order',
        ),
        tensor: described(tensorEntry, 'its kind of entry in the tensor queue of its agent; absent: an mma'),
        ctaGroup,
      },
    ),
    'an agent starts an asynchronous operation',
  ),
  perform: described(
    record<Placed<Perform>>()(
      'a perform',
      {
        i,
        _tag: tag('perform'),
        operation,
        stage: described(
          oneOf<Perform['stage']>('read', 'write', 'all'),
          'a load writes, a store reads and then writes, an mma does both at once',
        ),
        part,
      },
      {},
    ),
    'an operation makes the accesses that follow',
  ),
  signal,
  barrier: described(
    record<Placed<BarrierEvent>>()(
      'a barrier event',
      {
        i,
        _tag: tag('barrier'),
        stamp: by,
        kind: described(
          oneOf<BarrierEvent['kind']>('init', 'inval', 'expect', 'arrive', 'drop', 'increment'),
          'the action: `expect` only announces bytes, `increment` asks the phase for more arrivals',
        ),
        barrier,
        count: described(nat, 'arrivals'),
        bytes: described(integer, 'bytes that are announced; below zero, bytes that are completed'),
        release: described(bool, 'whether it publishes what its agent sees'),
        scope: reach,
        tensor: carriesTensor,
      },
      {},
    ),
    'an operation of an agent on an mbarrier',
  ),
  wait: described(
    record<Placed<Wait>>()(
      'a wait',
      {
        i,
        _tag: tag('wait'),
        stamp: by,
        barrier,
        parity: described(oneOf<0 | 1>(0, 1), 'parity of the phase that is waited for'),
        acquire: described(bool, 'whether its agent then sees what was published'),
        scope: reach,
        tensor: carriesTensor,
        outcome: described(
          oneOf<Wait['outcome']>('passed', 'blocked', 'skipped', 'tested'),
          '`blocked`: still waiting at the end of the run; `tested`, `skipped`: it has not waited',
        ),
      },
      {
        peek: described(
          nat,
          'for a peek (a test that can only save a later wait), its own program-order index; for a wait that a peek may save, the index of the peek: `skipped` if it was true',
        ),
      },
    ),
    'an agent has waited for an mbarrier',
  ),
  group: described(
    record<Placed<Group>>()(
      'a group event',
      {
        i,
        _tag: tag('group'),
        stamp: by,
        kind: described(oneOf<Group['kind']>('commit', 'wait'), '`commit` closes a group, empty or not'),
        family: described(family, 'kind of the groups'),
        pending: described(nat, 'for a wait: how many of the newest groups may still be open'),
        read: described(bool, 'for a wait: whether the reads of the source are enough'),
        blocked: described(bool, 'whether it is still waiting at the end of the run'),
      },
      {
        with: described(
          list(nat),
          'for a wait: agents whose groups of the same numbers it is for, besides its own; absent: none',
        ),
      },
    ),
    'an agent closes a group of operations, or has waited for some',
  ),
  fence: described(
    record<WrittenFence>()(
      'a fence',
      {
        i,
        _tag: tag('fence'),
        stamp: by,
        kind: described(
          fenceKind,
          'which fence; `memory` orders all accesses as far as its scope, `tensormap` releases tensor maps to their readers, `tensormapAcquire` acquires what was released',
        ),
        scope: described(oneOf<Fence['scope']>('cta', 'cluster', 'global'), 'the memory that it covers'),
      },
      {
        sequential: described(yes, 'for `memory`: it is sequentially consistent (fence.sc)'),
        half: described(
          oneOf<NonNullable<Fence['half']>>('acquire', 'release'),
          'for `memory`: it only acquires, or only releases; absent: both',
        ),
        footprint: described(
          footprintWire,
          'for `tensormapAcquire`: the bytes of the tensor maps that it takes; absent: all',
        ),
      },
    ),
    'an agent orders its accesses through one proxy before those through another',
  ),
  rendezvous: described(
    record<Placed<Rendezvous>>()(
      'a rendezvous',
      {
        i,
        _tag: tag('rendezvous'),
        stamp: by,
        kind: described(
          oneOf<Rendezvous['kind']>('arrive', 'leave', 'blocked'),
          '`blocked`: still waiting at the end of the run',
        ),
        id: described(nat, "0 to 15: a named barrier of the agent's CTA; more: one of the whole cluster"),
        count: described(nat, 'threads that meet'),
        threads: described(nat, 'threads that the agent brings'),
      },
      {
        relaxed: described(bool, 'whether it orders, but publishes or acquires nothing'),
        tensor: described(bool, 'whether it carries tensor-core order without the thread-sync fences'),
        loose: described(
          oneOf<Loose>('ended', 'places'),
          'an `.aligned` arrive of a warp whose threads have partly ended, or are at different places in the program',
        ),
      },
    ),
    'an agent arrives at a named barrier, or leaves it',
  ),
  semaphore: described(
    record<WrittenSemaphore>()(
      'a semaphore event',
      {
        i,
        _tag: tag('semaphore'),
        stamp: by,
        kind: described(oneOf<SemaphoreEvent['kind']>('signal', 'wait'), 'what is done'),
        footprint: covered,
        value: described(integer, 'what is added, or must be there'),
        decrement: described(bool, 'for a wait: whether it subtracts `value`'),
        scope: reach,
        before: described(integer, 'what the semaphore held'),
        outcome: described(
          oneOf<SemaphoreEvent['outcome']>('passed', 'blocked'),
          '`blocked`: still waiting at the end of the run',
        ),
      },
      {
        until: described(
          comparison,
          'for a wait: the comparison with `value` that ends it, whatever is written to the word; absent: until signals have made the word at least `value`',
        ),
        relaxed: described(
          yes,
          'for a wait with `until`: it acquires nothing by itself, the next fence of memory does',
        ),
        unheeded: described(yes, 'for a wait with `until`: the word is used only to end the wait'),
      },
    ),
    'an agent adds to a semaphore, or has waited for it',
  ),
  registers: described(
    record<Placed<RegistersEvent>>()(
      'a change of the number of registers',
      {
        i,
        _tag: tag('registers'),
        stamp: by,
        count: described(nat, 'registers of a thread from now on'),
        needs: described(
          integer,
          'registers that it takes from the free ones of the CTA; negative: it returns some',
        ),
        free: described(integer, 'free registers of the CTA'),
        blocked: described(bool, 'whether it is still waiting at the end of the run'),
      },
      {},
    ),
    'the threads of an agent have more or fewer registers from now on',
  ),
  fork: forks,
  join: forks,
  alloc: described(
    record<WrittenAlloc>()(
      'an alloc',
      { i, _tag: tag('alloc'), stamp: by, footprint: covered },
      { ctaGroup },
    ),
    'columns of tensor memory are allocated, and hold nothing',
  ),
  dealloc: described(
    record<WrittenDealloc>()(
      'a dealloc',
      { i, _tag: tag('dealloc'), stamp: by, footprint: covered },
      { ctaGroup },
    ),
    'columns of tensor memory are deallocated',
  ),
  warpSync: described(
    record<Placed<WarpSync>>()(
      'lanes that meet',
      { i, _tag: tag('warpSync'), stamp: by },
      {
        how: described(
          oneOf<'arrives' | 'exchanges'>('arrives', 'exchanges'),
          'arrives: they come to the barrier of the cluster, and their warp arrives with its last lane; exchanges: a shuffle, a vote or a match; absent: they meet',
        ),
        loads: described(list(nat), 'for an exchange: the statements whose loads went into it'),
      },
    ),
    'lanes of a warp synchronise: each is then ordered after everything before the others',
  ),
  relinquish: described(
    record<Placed<Relinquish>>()('a relinquish', { i, _tag: tag('relinquish'), stamp: by }, {}),
    'the CTA allocates no more tensor memory',
  ),
  exit: described(
    record<Placed<Exit>>()(
      'an exit',
      { i, _tag: tag('exit'), agent: described(nat, 'index of the agent that has ended') },
      { decided: described(nat, 'the statement where data first decided what the agent did') },
    ),
    'an agent has ended',
  ),
  cluster: described(
    record<Placed<ClusterEvent>>()(
      'a cluster',
      {
        i,
        _tag: tag('cluster'),
        id: described(nat, 'number of the first of the clusters that begin, in the grid'),
      },
      {},
    ),
    'the next clusters begin, as many as run together',
  ),
  ahead: described(
    record<Placed<Ahead>>()(
      'what comes after a blocked wait',
      {
        i,
        _tag: tag('ahead'),
        stamp: by,
        behind: described(nat, 'the agent after whose wait it comes, and so never happens'),
        helps: described(nat, 'the agent that it would unblock'),
      },
      {},
    ),
    'did not happen: it comes after a wait that is blocked forever, and another agent waits for it',
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
  if (e.outside !== undefined) made.outside = e.outside
  if (e.value !== undefined) made.value = e.value
  if (e.origin !== undefined) made.origin = e.origin
  if (e.acquires !== undefined) made.acquires = e.acquires
  if (e.releases !== undefined) made.releases = e.releases
  if (e.agrees !== undefined) made.agrees = e.agrees
  if (e.rounds !== undefined) made.rounds = e.rounds
  if (e.joins !== undefined) made.joins = e.joins
  if (e.decides !== undefined) made.decides = e.decides
  if (e.controls !== undefined) made.controls = e.controls
  if (e.signs !== undefined) made.signs = e.signs
  if (e.words !== undefined) made.words = e.words
  if (e.older !== undefined) made.older = e.older
  if (e.found !== undefined) made.found = e.found
  if (e.left !== undefined) made.left = e.left
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
  if (e.altered !== undefined) made.altered = e.altered
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
  if (e.loose !== undefined) made.loose = e.loose
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
type FootedFence = WrittenFence & { readonly footprint: WrittenFootprint }
export type Footed = WrittenAccess | FootedFence | WrittenAlloc | WrittenDealloc | WrittenSemaphore
export const isFooted = (e: Line): e is Footed =>
  e._tag === 'access' ||
  e._tag === 'alloc' ||
  e._tag === 'dealloc' ||
  e._tag === 'semaphore' ||
  (e._tag === 'fence' && e.footprint !== undefined)

const semaphoreOf = (e: WrittenSemaphore, footprint: Footprint): SemaphoreEvent => {
  const made: Writable<SemaphoreEvent> = {
    _tag: 'semaphore',
    stamp: e.stamp,
    kind: e.kind,
    footprint,
    value: e.value,
    decrement: e.decrement,
    scope: e.scope,
    before: e.before,
    outcome: e.outcome,
  }
  if (e.until !== undefined) made.until = e.until
  if (e.relaxed !== undefined) made.relaxed = e.relaxed
  if (e.unheeded !== undefined) made.unheeded = e.unheeded
  return made
}

export const footedOf = (e: Footed, footprint: Footprint): LogEvent => {
  switch (e._tag) {
    case 'access':
      return accessOf(e, footprint)
    case 'semaphore':
      return semaphoreOf(e, footprint)
    case 'fence':
      return { _tag: 'fence', stamp: e.stamp, kind: e.kind, scope: e.scope, footprint }
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
    case 'group': {
      const own: LogEvent = {
        _tag: 'group',
        stamp: e.stamp,
        kind: e.kind,
        family: e.family,
        pending: e.pending,
        read: e.read,
        blocked: e.blocked,
      }
      return e.with === undefined ? own : Object.assign({ with: e.with }, own)
    }
    case 'fence':
      return e.sequential === true
        ? { _tag: 'fence', stamp: e.stamp, kind: e.kind, scope: e.scope, sequential: true }
        : e.half === undefined
          ? { _tag: 'fence', stamp: e.stamp, kind: e.kind, scope: e.scope }
          : { _tag: 'fence', stamp: e.stamp, kind: e.kind, scope: e.scope, half: e.half }
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
    case 'warpSync':
      return e.how === undefined
        ? { _tag: 'warpSync', stamp: e.stamp }
        : { _tag: 'warpSync', stamp: e.stamp, how: e.how, loads: e.loads ?? [] }
    case 'relinquish':
      return { _tag: 'relinquish', stamp: e.stamp }
    case 'exit':
      return e.decided === undefined
        ? { _tag: 'exit', agent: e.agent }
        : { _tag: 'exit', agent: e.agent, decided: e.decided }
    case 'cluster':
      return { _tag: 'cluster', id: e.id }
    case 'ahead':
      return { _tag: 'ahead', stamp: e.stamp, behind: e.behind, helps: e.helps }
  }
}
