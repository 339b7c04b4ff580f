/**
 * Traces: logs as JSON lines, schema `tcspec.trace/1`.
 *
 * The first line is the header, every other line one event with its place `i` in the log. So a trace can be written while a run
 * goes on, read while it is written, and made by somebody else: a simulator, an instrumented kernel. Whoever folds over a log
 * (the detector, provenance) cannot tell a trace from a run.
 *
 *     {"schema":"tcspec.trace/1","arch":"sm90a", ... }
 *     {"i":0,"_tag":"cluster","id":0}
 *     {"i":7,"_tag":"access", ... ,"footprint":{"_tag":"view","id":0,"plane":3,"dtype":"f16","layout":0,"base":0,"define":{...}}}
 *     {"i":9,"_tag":"access", ... ,"footprint":0}
 *
 * An event stands as it is in the log, but for footprints:
 *
 * | footprint | says                                     | meaning                                                          |
 * |-----------|------------------------------------------|------------------------------------------------------------------|
 * | `view`    | layout number, base                      | a layout at a base; `define` gives the layout at its first use   |
 * | `scatter` | shape, addresses                         | one byte address an element, -1 where there is none              |
 * | `spans`   | [[start, bytes], ...] and perhaps a dtype | bytes in ascending order: all that a foreign producer needs to say |
 * | a number  |                                          | the footprint that had this `id`                                 |
 *
 * A reader believes nothing: a line is decoded strictly, indices must lie in the header's lists, bytes in their plane, and an
 * operation performs and signals only after its issue. Generations are not in a trace; who reads it computes them.
 *
 * Laws
 * 1. `decodeTrace(encodeTrace(h, es))` is h and es, with footprints that are equal in plane, dtype, map and spans, and that
 *    are one object where they were.
 * 2. `encodeTrace` of what was decoded is the text that was decoded, when that text came from `encodeTrace`.
 * 3. An error is one line: number of the line, JSON path, what was expected, what was found.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts/lib/index.js'
import { refuse, type Failure } from '../failure.js'
import { bitsOf, type Dtype } from '../numerics/dtype.js'
import type { TransformedRef } from '../transforms/ref.js'
import * as Ref from '../transforms/ref.js'
import { contractWire, dtypeWire, refWire, siteWire, spaceWire, specWire } from './codec.js'
import type { Scope } from './instruction.js'
import {
  traceSchema,
  type Access,
  type BarrierEvent,
  type ClusterEvent,
  type Combine,
  type Alloc,
  type Dealloc,
  type Exit,
  type Family,
  type Fence,
  type Fold,
  type Footprint,
  type ForkEvent,
  type Group,
  type Header,
  type Issue,
  type LogEvent,
  type LoggedAgent,
  type LoggedBarrier,
  type LoggedTensor,
  type Origin,
  type Perform,
  type Plane,
  type Proxy,
  type RegistersEvent,
  type Rendezvous,
  type Role,
  type SemaphoreEvent,
  type Signal,
  type Stamp,
  type TensorEntry,
  type Unit,
  type Wait,
} from './log.js'
import * as Footprints from './machine/footprint.js'
import {
  bool,
  byTag,
  decode,
  define,
  either,
  integer,
  list,
  nat,
  oneOf,
  pair,
  record,
  tagged,
  text,
  type AnyWire,
  type Wire,
} from '../wire.js'

// ---------------------------------------------------------------- model

interface WrittenView {
  readonly _tag: 'view'
  readonly id: number
  readonly plane: number
  readonly dtype: Dtype
  readonly layout: number
  readonly base: number
  readonly define?: TransformedRef
}
interface WrittenScatter {
  readonly _tag: 'scatter'
  readonly id: number
  readonly plane: number
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly addresses: ReadonlyArray<number>
}
interface WrittenSpans {
  readonly _tag: 'spans'
  readonly id?: number
  readonly plane: number
  readonly dtype?: Dtype
  readonly spans: ReadonlyArray<readonly [start: number, bytes: number]>
}
type WholeFootprint = WrittenView | WrittenScatter | WrittenSpans
type WrittenFootprint = number | WholeFootprint

interface WrittenAccess extends Omit<Access, 'footprint' | 'atomic'> {
  readonly atomic?: boolean
  readonly footprint: WrittenFootprint
}
interface WrittenDealloc extends Omit<Dealloc, 'footprint'> {
  readonly footprint: WrittenFootprint
}
interface WrittenSemaphore extends Omit<SemaphoreEvent, 'footprint'> {
  readonly footprint: WrittenFootprint
}
interface WrittenAlloc extends Omit<Alloc, 'footprint'> {
  readonly footprint: WrittenDealloc['footprint']
}
type WrittenEvent =
  | Exclude<LogEvent, Access | Alloc | Dealloc | SemaphoreEvent>
  | WrittenAccess
  | WrittenAlloc
  | WrittenDealloc
  | WrittenSemaphore

export interface Trace {
  readonly header: Header
  readonly events: ReadonlyArray<LogEvent>
}

export type TraceError = Failure<
  'trace.empty' | 'trace.syntax' | 'trace.form' | 'trace.reference' | 'trace.order'
>

// ---------------------------------------------------------------- forms: header

const tag = <T extends string>(name: T): Wire<T> => oneOf(name)
const nats: Wire<ReadonlyArray<number>> = list(nat)
const scope: Wire<Scope> = oneOf<Scope>('cta', 'cluster', 'gpu', 'sys')

const nothing: Wire<null> = { codec: t.null, schema: { type: 'null' }, definitions: () => new Map() }

export const headerWire: Wire<Header> = define('TraceHeader', () =>
  record<Header>()(
    'a header',
    {
      schema: tag(traceSchema),
      arch: oneOf<Header['arch']>('sm90a', 'sm100a'),
      program: text,
      agents: list(record<LoggedAgent>()('an agent', { name: text, cta: nat, warps: nat, starts: bool }, {})),
      ctas: nat,
      planes: list(
        record<Plane>()(
          'a plane',
          { space: spaceWire, name: text, bytes: nat, initialised: bool },
          { cta: nat, agent: nat, output: bool },
        ),
      ),
      tensors: list(
        record<LoggedTensor>()(
          'a tensor',
          { name: text, plane: nat, dtype: dtypeWire, shape: nats, strides: nats },
          {},
        ),
      ),
      computes: either('null or what is computed', nothing, specWire),
      barriers: list(
        record<LoggedBarrier>()(
          'a barrier',
          {
            name: text,
            cta: nat,
            contract: contractWire,
            ordersTensorCore: bool,
            plane: nat,
            address: nat,
          },
          {},
        ),
      ),
      sites: list(siteWire),
      nondeterminism: list(text),
    },
    { resident: nat },
  ),
)

// ---------------------------------------------------------------- forms: events

const stamp: Wire<Stamp> = define('Stamp', () =>
  record<Stamp>()('a stamp', { agent: nat, at: nat, site: nat, iteration: list(integer) }, {}),
)

const footprint: Wire<WrittenFootprint> = define('Footprint', () =>
  either(
    'the number of a footprint, or a footprint',
    nat,
    tagged<WholeFootprint>()('a footprint', {
      view: record<WrittenView>()(
        'a view',
        { _tag: tag('view'), id: nat, plane: nat, dtype: dtypeWire, layout: nat, base: nat },
        { define: refWire },
      ),
      scatter: record<WrittenScatter>()(
        'a scatter',
        {
          _tag: tag('scatter'),
          id: nat,
          plane: nat,
          dtype: dtypeWire,
          shape: nats,
          addresses: list(integer),
        },
        {},
      ),
      spans: record<WrittenSpans>()(
        'spans',
        { _tag: tag('spans'), plane: nat, spans: list(pair(nat)) },
        { id: nat, dtype: dtypeWire },
      ),
    }),
  ),
)

const origin: Wire<Origin> = tagged<Origin>()('an origin', {
  value: record<Extract<Origin, { readonly _tag: 'value' }>>()(
    'a value',
    { _tag: tag('value'), id: nat },
    {},
  ),
  zero: record<Extract<Origin, { readonly _tag: 'zero' }>>()('zero', { _tag: tag('zero') }, {}),
  other: record<Extract<Origin, { readonly _tag: 'other' }>>()('another', { _tag: tag('other') }, {}),
})

const family: Wire<Family> = oneOf<Family>('bulk', 'wgmma', 'cpAsync', 'tcgen05Ld', 'tcgen05St')
const combine: Wire<Combine> = oneOf<Combine>(
  'add',
  'min',
  'max',
  'inc',
  'dec',
  'and',
  'or',
  'xor',
  'exchange',
  'cas',
)
const parity: Wire<0 | 1> = oneOf<0 | 1>(0, 1)
const ctaGroup: Wire<1 | 2> = oneOf<1 | 2>(1, 2)

type SignalTo<K extends Signal['to']> = Extract<Signal, { readonly to: K }>
const signal: Wire<Signal> = either(
  'a signal',
  record<SignalTo<'barrier'>>()(
    'a signal',
    { _tag: tag('signal'), to: tag('barrier'), operation: nat, part: nat, barrier: nat, bytes: nat },
    {},
  ),
  either(
    'a signal',
    record<SignalTo<'arrive'>>()(
      'a signal',
      { _tag: tag('signal'), to: tag('arrive'), operation: nat, part: nat, barrier: nat },
      {},
    ),
    record<SignalTo<'group'>>()(
      'a signal',
      {
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

const forks: Wire<ForkEvent> = record<ForkEvent>()(
  'a fork or a join',
  { _tag: oneOf<ForkEvent['_tag']>('fork', 'join'), stamp, children: nats },
  {},
)

const eventWire: Wire<WrittenEvent> = define('TraceEvent', () =>
  byTag<WrittenEvent>(
    'an event',
    new Map<WrittenEvent['_tag'], AnyWire>([
      [
        'access',
        record<WrittenAccess>()(
          'an access',
          {
            _tag: tag('access'),
            stamp,
            rw: oneOf<'r' | 'w'>('r', 'w'),
            proxy: oneOf<Proxy>('generic', 'async', 'tensor', 'tensormap'),
            footprint,
            role: oneOf<Role>(
              'source',
              'destination',
              'a',
              'b',
              'accumulator',
              'scaleA',
              'scaleB',
              'sparsity',
              'map',
              'response',
            ),
          },
          { operation: nat, atomic: bool, scope, combine, value: nat, origin },
        ),
      ],
      [
        'issue',
        record<Issue>()(
          'an issue',
          {
            _tag: tag('issue'),
            stamp,
            operation: nat,
            unit: oneOf<Unit>(
              'tmaLoad',
              'tmaStore',
              'cpAsync',
              'wgmma',
              'tcgen05',
              'tcgen05Ld',
              'tcgen05St',
              'stAsync',
              'clc',
            ),
            bytes: nat,
            macs: nat,
            accumulates: bool,
          },
          {
            signals: nat,
            pipe: nat,
            tensor: oneOf<TensorEntry>('mma', 'cp', 'cp.4x256b', 'shift', 'commit'),
            ctaGroup,
          },
        ),
      ],
      [
        'perform',
        record<Perform>()(
          'a perform',
          {
            _tag: tag('perform'),
            operation: nat,
            stage: oneOf<Perform['stage']>('read', 'write', 'all'),
            part: nat,
          },
          {},
        ),
      ],
      ['signal', signal],
      [
        'barrier',
        record<BarrierEvent>()(
          'a barrier event',
          {
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
      ],
      [
        'wait',
        record<Wait>()(
          'a wait',
          {
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
      ],
      [
        'group',
        record<Group>()(
          'a group event',
          {
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
      ],
      [
        'fence',
        record<Fence>()(
          'a fence',
          {
            _tag: tag('fence'),
            stamp,
            kind: oneOf<Fence['kind']>(
              'proxyAsync',
              'tensormap',
              'tensormapAcquire',
              'mbarrierInit',
              'wgmma',
              'tensorBefore',
              'tensorAfter',
            ),
            scope: oneOf<Fence['scope']>('cta', 'cluster', 'global'),
          },
          {},
        ),
      ],
      [
        'rendezvous',
        record<Rendezvous>()(
          'a rendezvous',
          {
            _tag: tag('rendezvous'),
            stamp,
            kind: oneOf<Rendezvous['kind']>('arrive', 'leave', 'blocked'),
            id: nat,
            count: nat,
            threads: nat,
          },
          { relaxed: bool, tensor: bool },
        ),
      ],
      [
        'semaphore',
        record<WrittenSemaphore>()(
          'a semaphore event',
          {
            _tag: tag('semaphore'),
            stamp,
            kind: oneOf<SemaphoreEvent['kind']>('signal', 'wait'),
            footprint,
            value: integer,
            decrement: bool,
            scope,
            before: integer,
            outcome: oneOf<SemaphoreEvent['outcome']>('passed', 'blocked'),
          },
          {},
        ),
      ],
      [
        'registers',
        record<RegistersEvent>()(
          'a change of registers',
          { _tag: tag('registers'), stamp, count: nat, needs: integer, free: integer, blocked: bool },
          {},
        ),
      ],
      ['fork', forks],
      ['join', forks],
      ['alloc', record<WrittenAlloc>()('an alloc', { _tag: tag('alloc'), stamp, footprint }, { ctaGroup })],
      [
        'dealloc',
        record<WrittenDealloc>()('a dealloc', { _tag: tag('dealloc'), stamp, footprint }, { ctaGroup }),
      ],
      ['exit', record<Exit>()('an exit', { _tag: tag('exit'), agent: nat }, {})],
      ['cluster', record<ClusterEvent>()('a cluster', { _tag: tag('cluster'), id: nat }, {})],
    ]),
  ),
)

// ---------------------------------------------------------------- writing

/** What a writer has said so far; it grows in place, so use each state once. */
export interface Writer {
  readonly layouts: Map<string, number>
  readonly known: WeakMap<TransformedRef, number>
  readonly footprints: Map<number, number>
  readonly count: { lines: number }
}

const writer = (): Writer => ({
  layouts: new Map(),
  known: new WeakMap(),
  footprints: new Map(),
  count: { lines: 0 },
})

const writeView = (
  w: Writer,
  id: number,
  f: Footprint,
  layout: TransformedRef,
  base: number,
): WrittenView => {
  const known = w.known.get(layout)
  if (known !== undefined) return { _tag: 'view', id, plane: f.plane, dtype: f.dtype, layout: known, base }
  const key = JSON.stringify(layout)
  const equal = w.layouts.get(key)
  const number = equal ?? w.layouts.size
  w.layouts.set(key, number)
  w.known.set(layout, number)
  return equal === undefined
    ? { _tag: 'view', id, plane: f.plane, dtype: f.dtype, layout: number, base, define: layout }
    : { _tag: 'view', id, plane: f.plane, dtype: f.dtype, layout: number, base }
}

const writeFootprint = (w: Writer, f: Footprint): WrittenFootprint => {
  const known = w.footprints.get(f.id)
  if (known !== undefined) return known
  const id = w.footprints.size
  w.footprints.set(f.id, id)
  return f.map._tag === 'view'
    ? writeView(w, id, f, f.map.layout, f.map.base)
    : {
        _tag: 'scatter',
        id,
        plane: f.plane,
        dtype: f.dtype,
        shape: f.map.shape,
        addresses: [...f.map.addresses],
      }
}

/** Keys in one order, so that a trace that is read and written again is the same text. */
const lineOf = (w: Writer, e: LogEvent): string => {
  const i = w.count.lines
  switch (e._tag) {
    case 'access':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        operation: e.operation,
        rw: e.rw,
        proxy: e.proxy,
        footprint: writeFootprint(w, e.footprint),
        role: e.role,
        atomic: e.atomic ? true : undefined,
        scope: e.scope,
        combine: e.combine,
        value: e.value,
        origin: e.origin,
      })
    case 'alloc':
    case 'dealloc':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        footprint: writeFootprint(w, e.footprint),
        ctaGroup: e.ctaGroup,
      })
    case 'semaphore':
      return JSON.stringify({
        i,
        _tag: e._tag,
        stamp: e.stamp,
        kind: e.kind,
        footprint: writeFootprint(w, e.footprint),
        value: e.value,
        decrement: e.decrement,
        scope: e.scope,
        before: e.before,
        outcome: e.outcome,
      })
    default:
      return JSON.stringify(Object.fromEntries([['i', i], ...Object.entries(e)]))
  }
}

/** Hands every line of the trace to `write` as it comes to be; the result is the number of lines. */
export const tracing = (write: (line: string) => void): Fold<Writer, number> => ({
  init: (header) => {
    write(JSON.stringify(header))
    return writer()
  },
  observe: (w, event) => {
    write(lineOf(w, event))
    w.count.lines++
    return w
  },
  finish: (w) => w.count.lines + 1,
})

/** The lines of a trace, without line ends. */
export const encodeTrace = (header: Header, events: Iterable<LogEvent>): ReadonlyArray<string> => {
  const lines: string[] = []
  const fold = tracing((line) => lines.push(line))
  let state = fold.init(header)
  for (const event of events) state = fold.observe(state, event)
  fold.finish(state)
  return lines
}

// ---------------------------------------------------------------- reading

/** What a reader has heard so far. */
interface Reader {
  readonly header: Header
  readonly layouts: Map<number, TransformedRef>
  readonly footprints: Map<number, Footprint>
  readonly store: Footprints.Footprints
  /** operations of the cluster that is running */
  readonly issued: Set<number>
}

const reader = (header: Header): Reader => ({
  header,
  layouts: new Map(),
  footprints: new Map(),
  store: Footprints.footprints(),
  issued: new Set(),
})

const wrong = (path: string, expected: string, found: string): E.Either<TraceError, never> =>
  refuse('trace.reference', `${path}: expected ${expected}, found ${found}`)

/** `index` must be one of the header's list of `what`. */
const within = (path: string, what: string, count: number, index: number): E.Either<TraceError, null> =>
  index < count ? E.right(null) : wrong(path, `one of ${String(count)} ${what} of the header`, String(index))

const allWithin = (
  checks: ReadonlyArray<readonly [path: string, what: string, list: ReadonlyArray<unknown>, index: number]>,
): E.Either<TraceError, null> => {
  for (const [path, what, among, index] of checks) {
    const found = within(path, what, among.length, index)
    if (E.isLeft(found)) return found
  }
  return E.right(null)
}

const checkHeader = (h: Header): E.Either<TraceError, Header> =>
  pipe(
    h.resident === undefined || (h.resident >= 1 && h.ctas % h.resident === 0)
      ? E.right(null)
      : wrong('$.resident', `a divisor of ${String(h.ctas)} CTAs`, String(h.resident)),
    E.chain(() => headerIndices(h)),
  )

const headerIndices = (h: Header): E.Either<TraceError, Header> =>
  pipe(
    allWithin([
      ...h.tensors.map((t, k) => [`$.tensors[${String(k)}].plane`, 'planes', h.planes, t.plane] as const),
      ...h.barriers.map((b, k) => [`$.barriers[${String(k)}].plane`, 'planes', h.planes, b.plane] as const),
      ...h.planes.flatMap((p, k) =>
        p.agent === undefined ? [] : [[`$.planes[${String(k)}].agent`, 'agents', h.agents, p.agent] as const],
      ),
    ]),
    E.chain(() => {
      const ctas: ReadonlyArray<readonly [path: string, cta: number]> = [
        ...h.agents.map((a, k) => [`$.agents[${String(k)}].cta`, a.cta] as const),
        ...h.barriers.map((b, k) => [`$.barriers[${String(k)}].cta`, b.cta] as const),
        ...h.planes.map((p, k) => [`$.planes[${String(k)}].cta`, p.cta ?? 0] as const),
      ]
      const outside = ctas.find(([, cta]) => cta >= Math.max(1, h.ctas))
      return outside === undefined
        ? E.right(h)
        : wrong(outside[0], `a CTA of ${String(h.ctas)}`, String(outside[1]))
    }),
  )

const layoutOf = (r: Reader, f: WrittenView): E.Either<TraceError, TransformedRef> => {
  const known = r.layouts.get(f.layout)
  if (f.define !== undefined) {
    if (known !== undefined && !Ref.sameRef(known, f.define))
      return wrong('$.footprint.define', `layout ${String(f.layout)} as it was defined before`, 'another')
    r.layouts.set(f.layout, known ?? f.define)
    return E.right(known ?? f.define)
  }
  return known === undefined
    ? wrong('$.footprint.layout', 'a layout that was defined before', String(f.layout))
    : E.right(known)
}

/** Bytes become elements of their dtype (of bytes, when there is none), one address each. */
const ofSpans = (r: Reader, f: WrittenSpans): E.Either<TraceError, Footprint> => {
  const dtype = f.dtype ?? 'u8'
  const width = Math.ceil(bitsOf(dtype) / 8)
  const addresses: number[] = []
  let end = -1
  for (const [k, [start, bytes]] of f.spans.entries()) {
    const path = `$.footprint.spans[${String(k)}]`
    if (start <= end) return wrong(path, `a start after byte ${String(end)}`, String(start))
    if (bytes === 0 || bytes % width !== 0)
      return wrong(path, `a positive multiple of ${String(width)} bytes (${dtype})`, String(bytes))
    if (start + bytes > r.header.planes[f.plane]!.bytes) return outside(r, f.plane, start + bytes)
    for (let at = start; at < start + bytes; at += width) addresses.push(at)
    end = start + bytes
  }
  return E.right(
    Footprints.ofAddresses(r.store, f.plane, dtype, [addresses.length], Int32Array.from(addresses)).footprint,
  )
}

const outside = (r: Reader, plane: number, end: number): E.Either<TraceError, never> => {
  const p = r.header.planes[plane]!
  return wrong(
    '$.footprint',
    `bytes inside of ${p.name}, which has ${String(p.bytes)}`,
    `byte ${String(end)}`,
  )
}

const wholeFootprint = (r: Reader, f: WholeFootprint): E.Either<TraceError, Footprint> => {
  switch (f._tag) {
    case 'spans':
      return ofSpans(r, f)
    case 'scatter':
      return f.addresses.length === f.shape.reduce((n, d) => n * d, 1)
        ? E.right(
            Footprints.ofAddresses(r.store, f.plane, f.dtype, f.shape, Int32Array.from(f.addresses))
              .footprint,
          )
        : wrong(
            '$.footprint.addresses',
            `${String(f.shape.reduce((n, d) => n * d, 1))} of them for shape (${f.shape.join(', ')})`,
            String(f.addresses.length),
          )
    case 'view':
      return pipe(
        layoutOf(r, f),
        E.chain((layout) =>
          layout.bits === bitsOf(f.dtype)
            ? E.right(Footprints.ofLayout(r.store, f.plane, f.dtype, layout, f.base).footprint)
            : wrong('$.footprint.dtype', `${String(layout.bits)} bits as in the layout`, f.dtype),
        ),
      )
  }
}

const readFootprint = (r: Reader, f: WrittenFootprint): E.Either<TraceError, Footprint> => {
  if (typeof f === 'number') {
    const known = r.footprints.get(f)
    return known === undefined ? wrong('$.footprint', 'a footprint seen before', String(f)) : E.right(known)
  }
  return pipe(
    within('$.footprint.plane', 'planes', r.header.planes.length, f.plane),
    E.chain(() => wholeFootprint(r, f)),
    E.chain((made) => {
      const end = made.spans[made.spans.length - 1] ?? 0
      if (end > r.header.planes[f.plane]!.bytes) return outside(r, f.plane, end)
      if (f.id !== undefined) {
        const before = r.footprints.get(f.id)
        if (before !== undefined && before !== made)
          return wrong('$.footprint.id', 'a number that is not taken', String(f.id))
        r.footprints.set(f.id, made)
      }
      return E.right(made)
    }),
  )
}

const checkStamp = (r: Reader, s: Stamp): E.Either<TraceError, null> =>
  allWithin([
    ['$.stamp.agent', 'agents', r.header.agents, s.agent],
    ['$.stamp.site', 'sites', r.header.sites, s.site],
  ])

const checkBarrier = (r: Reader, barrier: number): E.Either<TraceError, null> =>
  within('$.barrier', 'barriers', r.header.barriers.length, barrier)

const checkIssued = (r: Reader, operation: number): E.Either<TraceError, null> =>
  r.issued.has(operation)
    ? E.right(null)
    : refuse(
        'trace.order',
        `$.operation: expected an operation that has been issued, found ${String(operation)}`,
      )

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

/** What the form cannot say: indices, places, and what has been issued. */
const readEvent = (r: Reader, e: WrittenEvent): E.Either<TraceError, LogEvent> => {
  const as = (checks: E.Either<TraceError, null>, event: LogEvent): E.Either<TraceError, LogEvent> =>
    E.isLeft(checks) ? checks : E.right(event)
  switch (e._tag) {
    case 'access':
      return pipe(
        checkStamp(r, e.stamp),
        E.chain(() => (e.operation === undefined ? E.right(null) : checkIssued(r, e.operation))),
        E.chain(() => readFootprint(r, e.footprint)),
        E.map((f) => accessOf(e, f)),
      )
    case 'alloc':
    case 'dealloc':
      return pipe(
        checkStamp(r, e.stamp),
        E.chain(() => readFootprint(r, e.footprint)),
        E.map((f): LogEvent =>
          e.ctaGroup === undefined
            ? { _tag: e._tag, stamp: e.stamp, footprint: f }
            : { _tag: e._tag, stamp: e.stamp, footprint: f, ctaGroup: e.ctaGroup },
        ),
      )
    case 'semaphore':
      return pipe(
        checkStamp(r, e.stamp),
        E.chain(() => readFootprint(r, e.footprint)),
        E.map((f): LogEvent => ({
          _tag: 'semaphore',
          stamp: e.stamp,
          kind: e.kind,
          footprint: f,
          value: e.value,
          decrement: e.decrement,
          scope: e.scope,
          before: e.before,
          outcome: e.outcome,
        })),
      )
    case 'issue': {
      if (r.issued.has(e.operation))
        return refuse(
          'trace.order',
          `$.operation: expected one that has not been issued, found ${String(e.operation)}`,
        )
      r.issued.add(e.operation)
      return as(checkStamp(r, e.stamp), e)
    }
    case 'perform':
      return as(checkIssued(r, e.operation), e)
    case 'signal':
      return pipe(
        checkIssued(r, e.operation),
        E.chain(() => (e.to === 'group' ? E.right(null) : checkBarrier(r, e.barrier))),
        E.map(() => e),
      )
    case 'barrier':
    case 'wait':
      return pipe(
        checkStamp(r, e.stamp),
        E.chain(() => checkBarrier(r, e.barrier)),
        E.map(() => e),
      )
    case 'group':
    case 'fence':
    case 'rendezvous':
    case 'registers':
      return as(checkStamp(r, e.stamp), e)
    case 'fork':
    case 'join':
      return pipe(
        checkStamp(r, e.stamp),
        E.chain(() =>
          allWithin(
            e.children.map((child, k) => [`$.children[${String(k)}]`, 'agents', r.header.agents, child]),
          ),
        ),
        E.map(() => e),
      )
    case 'exit':
      return as(within('$.agent', 'agents', r.header.agents.length, e.agent), e)
    case 'cluster':
      // every cluster counts its operations anew
      r.issued.clear()
      return E.right(e)
  }
}

const onLine =
  (line: number) =>
  (why: TraceError): TraceError => ({ code: why.code, message: `line ${String(line)}: ${why.message}` })

const parse = (line: string): E.Either<TraceError, unknown> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(line),
      (why) => String(why),
    ),
    E.match(
      (why): E.Either<TraceError, unknown> => refuse('trace.syntax', `not JSON: ${why}`),
      (json) => E.right(json),
    ),
  )

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** An event without its place `i`, which must be the one it has. */
const placed =
  (i: number) =>
  (json: unknown): E.Either<TraceError, unknown> => {
    if (!isRecord(json)) return E.right(json)
    const found = json['i']
    return found === i
      ? E.right(Object.fromEntries(Object.entries(json).filter(([key]) => key !== 'i')))
      : refuse(
          'trace.order',
          `$.i: expected ${String(i)}, found ${found === undefined ? 'nothing' : JSON.stringify(found)}`,
        )
  }

/**
 * Runs a fold over the lines of a trace; nothing is kept that the fold does not keep. Empty lines do not count. Refuses the first line
 * that is not JSON, not of its form, out of order, or points to something that is not there.
 */
export const foldTrace =
  <S, R>(fold: Fold<S, R>) =>
  (lines: Iterable<string>): E.Either<TraceError, R> => {
    let line = 0
    let i = 0
    let open: { readonly reader: Reader; readonly state: S } | null = null
    for (const source of lines) {
      line++
      if (source.trim() === '') continue
      const json = pipe(parse(source), E.mapLeft(onLine(line)))
      if (E.isLeft(json)) return json
      if (open === null) {
        const header: E.Either<TraceError, Header> = pipe(
          decode(headerWire, 'trace.form')(json.right),
          E.chainW(checkHeader),
          E.mapLeft(onLine(line)),
        )
        if (E.isLeft(header)) return header
        open = { reader: reader(header.right), state: fold.init(header.right) }
        continue
      }
      const r: Reader = open.reader
      const event = pipe(
        placed(i)(json.right),
        E.chain((u): E.Either<TraceError, WrittenEvent> => decode(eventWire, 'trace.form')(u)),
        E.chain((e) => readEvent(r, e)),
        E.mapLeft(onLine(line)),
      )
      if (E.isLeft(event)) return event
      i++
      open = { reader: r, state: fold.observe(open.state, event.right) }
    }
    return open === null
      ? refuse('trace.empty', 'expected the line of a header, found nothing')
      : E.right(fold.finish(open.state))
  }

const keeping: Fold<{ readonly header: Header; readonly events: LogEvent[] }, Trace> = {
  init: (header) => ({ header, events: [] }),
  observe: (state, event) => {
    state.events.push(event)
    return state
  },
  finish: (state) => state,
}

/** The whole trace. */
export const decodeTrace: (lines: Iterable<string>) => E.Either<TraceError, Trace> = foldTrace(keeping)
