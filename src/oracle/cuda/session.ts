/**
 * A running program as operations: each message of a stand-in becomes an operation of `tcspec.host/1`, which is executed and judged at once.
 *
 *     cudaMemcpyAsync(d, h, n, kind, s)   ->  COPY d h n s   ->  { "op": "copy", "to": ..., "from": ..., "bytes": n, "stream": "s1" }
 *
 * It has no memory of its own and no second way to launch: what is not an operation is a name (of a stream, an event, a kernel), or a file of the program that comes of it.
 *
 * What the host sees is as late as the order allows: memory that it sees, what kernels print and functions in streams come when the host has waited for what they are of, and not
 * before; a question whether work is over is answered "not yet" as long as the host knows nothing, and "yes" when it asks again. What has failed is told by the next call that
 * waits, and by every call behind it.
 *
 * Laws
 * 1. The operations, executed as a program, give the same memory and findings.
 * 2. An answer comes to every message, whatever it holds.
 * 3. A question that is answered "yes" orders as a wait does; one that is answered "not yet" orders nothing, and is no operation.
 * 4. Of a program that is not kept nothing grows with the number of its calls but its memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure } from '../../failure.js'
import { functionsOf } from '../../dialects/ptx/index.js'
import { briefName, shownName } from '../../dialects/ptx/names/itanium.js'
import {
  allClauses,
  awaited,
  endOfStream,
  knowsAll,
  legacy,
  type Awaited,
  type Known,
} from '../../semantics/host/index.js'
import { encoded as encodedMap, elementsNumbered } from '../../semantics/instructions/tma/object.js'
import {
  hostSchema,
  type GraphOperation,
  type HostOperation,
  type HostProgram,
  type MemoryKind,
  type Spot,
} from '../host/file.js'
import {
  addressOf,
  bytesOf,
  changed,
  heldBytes,
  holding,
  isOfHost,
  memoryAt,
  zeros,
  type Memory,
} from '../host/memory.js'
import { stepping } from '../host/perform.js'
import { emptyHost, type Fatal, type Host, host, type Performing } from '../host/state.js'
import { ptxIn } from '../launch/fatbin.js'
import { encodeNpy, npyArray } from '../tensor-files/npy.js'
import type { Files } from '../tensor-files/files.js'
import {
  differing,
  encoded,
  hexOf,
  numbers,
  reader,
  type Answer,
  type Delivery,
  type Reader,
} from './bytes.js'
import { calls, type Call } from './calls.js'
import * as Graphs from './graphs.js'

// ---------------------------------------------------------------- model

export interface Session {
  /** the answer to a message */
  readonly answer: (message: Uint8Array) => Uint8Array
  readonly host: () => Host
  /** operations that could not be executed: why */
  readonly refused: () => ReadonlyArray<string>
  /** operations so far */
  readonly count: () => number
  /** the program, if it is kept */
  readonly program: (name: string) => HostProgram
  /** files of the program: PTX, and bytes as `.npy` if it is kept */
  readonly files: () => ReadonlyMap<string, Uint8Array>
}

/** What the runtime says. */
const codes = {
  ok: 0,
  invalid: 1,
  memory: 2,
  noSymbol: 13,
  noFunction: 98,
  noImage: 209,
  badPtx: 218,
  notReady: 600,
  illegalAddress: 700,
  timeout: 702,
  assertion: 710,
  failed: 719,
  notSupported: 801,
  uncapturable: 900,
  uncaptured: 901,
  unjoined: 904,
  implicit: 906,
  unknown: 999,
  /** of a copy in a stream that is captured: the memory of the host takes part (`shim/common.h`) */
  byAddress: 0x7ffffff1,
} as const

const codeOf: Readonly<Record<Fatal, number>> = {
  address: codes.illegalAddress,
  assertion: codes.assertion,
  trap: codes.failed,
  endless: codes.timeout,
}

/** Where a stream is in a graph that is captured: behind these nodes. */
interface Behind {
  readonly plan: Graphs.Plan
  readonly after: ReadonlyArray<string>
}

/** What comes to the host when it knows that something is over. */
type Late =
  | { readonly _tag: 'function'; readonly number: bigint; readonly known: Known }
  | { readonly _tag: 'printed'; readonly text: string; readonly stream: 0 | 1; readonly known: Known }

/** Memory of the process that takes part: its own address, and that of the device. */
interface Alias {
  readonly start: bigint
  readonly bytes: number
  readonly name: string
}

interface Function {
  readonly module: string
  readonly name: string
}

const kinds: ReadonlyArray<MemoryKind> = ['device', 'managed', 'mapped', 'pageable']

/** Handles of streams, events, graphs and functions begin here: what is less is a default stream. */
const firstHandle = 16n

/** Bytes of an allocation: an address has a window of 2^32, and planes are counted in bits. */
const mostBytes = 2n ** 30n

// ---------------------------------------------------------------- the session

/** `told`: a line of progress, for people; `keeps`: the program is asked for at the end. */
export const session = (
  p: Omit<Performing, 'files' | 'where'>,
  told: (line: string) => void,
  keeps = true,
): Session => {
  const files = new Map<string, Uint8Array>()
  const inMemory: Files = {
    read: (file) => () => {
      const bytes = files.get(file)
      return bytes === undefined ? E.left(failure('file-missing', `${file}: no such file`)) : E.right(bytes)
    },
    destination: () => () => E.right(null),
    write: () => () => Promise.resolve(E.right(undefined)),
  }
  const modules: Record<string, string> = {}
  const { modules: loaded, step } = stepping({ ...p, files: inMemory, where: 'program.json' }, { modules })
  const operations: HostOperation[] = []
  const functions = new Map<bigint, Function>()
  const handleOf = new Map<string, bigint>()
  const variables = new Map<bigint, { readonly module: string; readonly name: string }>()
  /** what the host last saw of memory that it sees */
  const seen = new Map<string, Memory['holds']>()
  let aliases: ReadonlyArray<Alias> = []
  /** why a module has no PTX */
  const without = new Map<string, string>()
  /** what was still to come when the host asked, and was told "not yet" */
  const asked = new Map<string, Known>()
  const hostFunctions = new Map<GraphOperation, bigint>()
  let late: ReadonlyArray<Late> = []
  let h: Host = emptyHost
  let count = 0
  let handles = firstHandle
  const refused: string[] = []
  let filesMade = 0
  /** a launch has failed: what every call says from the next one on that waits */
  let sticky: number | null = null

  const fresh = (): bigint => {
    handles += 1n
    return handles
  }
  const npy = (bytes: Uint8Array): string => {
    filesMade += 1
    const file = `bytes${String(filesMade)}.npy`
    const array = npyArray('u1', [bytes.length], bytes)
    const text = E.isRight(array) ? encodeNpy(array.right) : array
    if (E.isRight(text)) files.set(file, text.right)
    return file
  }
  const moduleOf = (number: bigint): string => `m${String(number)}`

  // -------------------------------------------------------------- answers

  const addressSeen = (m: Memory): bigint =>
    aliases.find(({ name }) => name === m.name)?.start ?? addressOf(m)
  /**
   * Memory that the host sees, where it is not what the host saw and nothing that the host has not waited for writes it but by atomics that the host sees at once; `all`: whatever
   * writes it.
   */
  const delivered = (all: boolean): ReadonlyArray<Delivery> => {
    const out: Delivery[] = []
    for (const [name, before] of seen) {
      const m = h.memories.get(name)!
      if (m.holds === before || m.freed !== null) continue
      if (!all && (h.past.get(name) ?? []).some(({ access }) => access.rw === 'w' && !access.ofSystem))
        continue
      seen.set(name, m.holds)
      const now = bytesOf(m, 0, m.bytes)
      for (const [start, end] of differing(heldBytes(before, 0, m.bytes), now))
        out.push({ address: addressSeen(m) + BigInt(start), bytes: now.subarray(start, end) })
    }
    return out
  }
  /** What has become known; `all`: the host has let time pass. */
  const come = (all: boolean): Pick<Answer, 'due' | 'printed'> => {
    const isDue = ({ known }: Late): boolean => all || knowsAll(h.order.host, known)
    const due = late.filter(isDue)
    if (due.length > 0) late = late.filter((l) => !isDue(l))
    const textOn = (stream: 0 | 1): Uint8Array =>
      // a character of what is printed is a byte
      Uint8Array.from(
        due.flatMap((l) => (l._tag === 'printed' && l.stream === stream ? [l.text] : [])).join(''),
        (c) => c.charCodeAt(0),
      )
    return {
      due: due.flatMap((l) => (l._tag === 'function' ? [l.number] : [])),
      printed: due.length === 0 ? [new Uint8Array(), new Uint8Array()] : [textOn(0), textOn(1)],
    }
  }
  const answered = (status: number, payload: Uint8Array, all: boolean): Answer => {
    // who is told of a failure waits for nothing that was before it
    const { due, printed } = come(all || (sticky !== null && status === sticky))
    return { status, deliveries: delivered(all), due, printed, payload }
  }
  const answer = (status: number, payload: Uint8Array = new Uint8Array()): Answer =>
    answered(status, payload, false)
  const handle = (made: bigint): Answer => answer(codes.ok, numbers([made]))

  // -------------------------------------------------------------- graphs

  const captured = new Map<string, Behind>()
  /** of those that are captured: no graph comes of them any more */
  const broken = new Set<Graphs.Plan>()
  const events = new Map<string, Behind>()
  const plans = new Map<bigint, Graphs.Plan>()
  const launched = new Map<bigint, Graphs.Plan>()
  const pieces = new Map<bigint, Graphs.Piece>()
  const handlesOf = new Map<Graphs.Plan, bigint[]>()
  /** the node that the program adds: what comes goes into it */
  let adding: { readonly piece: Graphs.Piece; after: ReadonlyArray<string> } | null = null
  /** the node that gets other work */
  let replacing: { readonly plan: Graphs.Plan; readonly name: string } | null = null
  const piecesOf = (r: Reader, n: number): ReadonlyArray<Graphs.Piece> =>
    Array.from({ length: n }, () => pieces.get(r.u64())).flatMap((x) => (x === undefined ? [] : [x]))

  const notInGraph = (o: HostOperation): number => {
    if (o.op === 'write' || o.op === 'read') return codes.byAddress
    told(`${o.op} in a graph is not supported`)
    return codes.notSupported
  }
  const graphOperation = (o: HostOperation): GraphOperation | null =>
    o.op === 'launch' ||
    o.op === 'copy' ||
    o.op === 'fill' ||
    o.op === 'callback' ||
    o.op === 'record' ||
    o.op === 'wait'
      ? o
      : null
  /** A call that may not be made now spoils what is captured, as it does on a GPU. */
  const spoilt = (plan: Graphs.Plan, status: number): number => {
    broken.add(plan)
    return status
  }
  /** A record or a wait that is seen outside of the graph is a node where its stream is captured. */
  const outside = (o: Extract<HostOperation, { op: 'record' | 'wait' }>): Answer => {
    const own = captured.get(o.stream ?? legacy)
    if (own === undefined) return say(o)
    captured.set(o.stream ?? legacy, { plan: own.plan, after: [Graphs.added(own.plan, own.after, o)] })
    return answer(codes.ok)
  }
  /** An operation that becomes a node; null: it is none. */
  const intoGraph = (o: HostOperation): number | null => {
    // what the host has written meanwhile is no node
    if (o.op === 'touch') return null
    if (replacing !== null || adding !== null) {
      const operation = graphOperation(o)
      if (operation === null) return notInGraph(o)
      if (replacing !== null) {
        Graphs.replaced(replacing.plan, replacing.name, operation)
        replacing = null
      } else if (adding !== null) {
        const name = Graphs.added(adding.piece.plan, adding.after, operation)
        adding.piece.names.push(name)
        adding.after = [name]
      }
      return codes.ok
    }
    if (o.op === 'synchronize') {
      const waited = [...captured].find(
        ([stream]) => o.event === undefined && (o.stream === undefined || o.stream === stream),
      )
      return waited === undefined ? null : spoilt(waited[1].plan, codes.uncapturable)
    }
    if (!('stream' in o) || o.stream === undefined) return null
    const { stream } = o
    // the default stream waits for blocking streams, and what is captured is never over
    const blocked =
      stream === legacy && o.op !== 'stream'
        ? [...captured].find(([name]) => h.order.streams.get(name)?.blocking !== false)
        : undefined
    if (blocked !== undefined) return spoilt(blocked[1].plan, codes.implicit)
    const joins = o.op === 'wait' ? events.get(o.event) : undefined
    const own = captured.get(stream)
    if (own === undefined && joins === undefined) {
      if (o.op === 'record') events.delete(o.event)
      return null
    }
    const { plan, after } = own ?? { plan: joins!.plan, after: [] }
    if (o.op === 'wait') {
      captured.set(stream, { plan, after: [...new Set([...after, ...(joins?.after ?? [])])] })
      return codes.ok
    }
    if (o.op === 'record') {
      events.set(o.event, { plan, after })
      return codes.ok
    }
    const operation = graphOperation(o)
    if (operation === null) return notInGraph(o)
    captured.set(stream, { plan, after: [Graphs.added(plan, after, operation)] })
    return codes.ok
  }

  // -------------------------------------------------------------- operations

  /** Functions of the host in what was issued, and what it has printed: they come when it is known to be over. */
  const later = (o: HostOperation): void => {
    const stream = 'stream' in o && o.stream !== undefined ? o.stream : legacy
    const known = endOfStream(h.order, stream)
    const all: ReadonlyArray<GraphOperation> =
      o.op === 'graph' ? o.nodes.map((n) => n.operation) : o.op === 'callback' ? [o] : []
    const called = all.flatMap((each): ReadonlyArray<Late> => {
      const number = hostFunctions.get(each)
      return number === undefined ? [] : [{ _tag: 'function', number, known }]
    })
    if (o.op === 'callback') hostFunctions.delete(o)
    const printed = h.printed.map(({ text, stream: on }): Late => ({
      _tag: 'printed',
      text,
      stream: on,
      known,
    }))
    if (called.length + printed.length > 0) late = [...late, ...called, ...printed]
  }
  /** null: done; else what the runtime says */
  const done = (o: HostOperation): number | null => {
    if (sticky !== null) return sticky
    const node = intoGraph(o)
    if (node !== null) return node === codes.ok ? null : node
    const before = h.findings.length
    const after = step(h, count, o)
    count += 1
    if (keeps) operations.push(o)
    else
      for (const file of o.op === 'write' && o.file !== undefined
        ? [o.file]
        : o.op === 'touch'
          ? (o.values ?? []).map((v) => v.file)
          : [])
        files.delete(file)
    if (E.isLeft(after)) {
      told(after.left.message)
      refused.push(after.left.message)
      return codes.unknown
    }
    h = after.right
    for (const f of h.findings.slice(before)) told(`${f.id}${f.severity === 'L' ? ' (note)' : ''}: ${f.text}`)
    later(o)
    if (h.stopped === null) return null
    if (h.findings.length === before) told(h.stopped.why)
    sticky = codeOf[h.stopped.fatal]
    // who launches is not told: who waits is
    return o.op === 'launch' || o.op === 'graph' ? null : sticky
  }
  const say = (o: HostOperation): Answer => answer(done(o) ?? codes.ok)
  const streamOf = (stream: bigint): string =>
    stream < 2n ? legacy : stream === 2n ? 'per-thread' : `s${String(stream)}`
  const placeOf = (address: bigint): { readonly memory: Memory; readonly at: number } | null => {
    const alias = aliases.find(({ start, bytes }) => address >= start && address < start + BigInt(bytes))
    return alias === undefined
      ? memoryAt(h.memories, address)
      : { memory: h.memories.get(alias.name)!, at: Number(address - alias.start) }
  }
  const spotOf = (address: bigint): Spot | null => {
    const found = placeOf(address)
    return found === null
      ? null
      : found.at === 0
        ? found.memory.name
        : { memory: found.memory.name, at: found.at }
  }
  const memoryOf = (address: bigint): Memory | null => placeOf(address)?.memory ?? null
  const elsewhere = (what: string, address: bigint): Answer => {
    told(`${what}: 0x${address.toString(16)} is in no memory that the program has allocated`)
    return answer(codes.invalid)
  }
  /** The memory of a variable: it is there once something has named it. */
  const symbolNamed = (module: string, name: string): Memory | null => {
    const known = (): Memory | undefined =>
      [...h.memories.values()].find(
        ({ symbol }) => symbol?.module === `${module}.ptx` && symbol.name === name,
      )
    // filling no bytes of it names it
    if (known() === undefined) done({ op: 'fill', memory: `${module}.ptx:${name}`, value: 0, bytes: 0 })
    return known() ?? null
  }
  const variableAnswer = (module: string, name: string): Answer => {
    const m = symbolNamed(module, name)
    if (m === null) return answer(codes.noSymbol)
    // what the host sees of it, it sees from now on
    const told = handleAndSize(m)
    if (isOfHost(m) && !seen.has(m.name)) seen.set(m.name, zeros(m.bytes))
    return told
  }
  const handleAndSize = (m: Memory): Answer => answer(codes.ok, numbers([addressOf(m), BigInt(m.bytes)]))

  const reading: Readonly<Record<Call, (r: Reader) => Answer>> = {
    ALLOC: (r) => {
      const [kind, bytes, stream, ordered] = [kinds[r.u32()] ?? 'device', r.u64(), r.u64(), r.u32() === 1]
      if (bytes >= mostBytes) {
        told(`an allocation of ${String(bytes)} bytes: at most 2^30 - 1 are supported`)
        return answer(codes.memory)
      }
      const name = `memory ${String(h.memories.size)}`
      const isSeen = kind !== 'device'
      const status = done({
        op: 'alloc',
        memory: name,
        bytes: Number(bytes),
        kind,
        ...(isSeen ? { zeros: true } : {}),
        ...(ordered ? { stream: streamOf(stream) } : {}),
      })
      const m = h.memories.get(name)
      if (status !== null || m === undefined) return answer(status ?? codes.unknown)
      if (isSeen) seen.set(name, m.holds)
      return handle(addressOf(m))
    },
    FREE: (r) => {
      const [address, stream, ordered] = [r.u64(), r.u64(), r.u32() === 1]
      const m = memoryOf(address)
      if (m === null) return elsewhere('free', address)
      const status = done({ op: 'free', memory: m.name, ...(ordered ? { stream: streamOf(stream) } : {}) })
      seen.delete(m.name)
      return answer(status ?? codes.ok)
    },
    ENROLL: (r) => {
      const [kind, start, bytes] = [kinds[r.u32()] ?? 'mapped', r.u64(), r.u64()]
      if (bytes >= mostBytes) return answer(codes.memory)
      const name = `memory ${String(h.memories.size)}`
      // a copy in a graph that is made has memory of the host that no operation has made
      const [was, had] = [adding, replacing]
      adding = replacing = null
      const status = done({ op: 'alloc', memory: name, bytes: Number(bytes), kind, zeros: true })
      adding = was
      replacing = had
      const m = h.memories.get(name)
      if (status !== null || m === undefined) return answer(status ?? codes.unknown)
      aliases = [...aliases, { start, bytes: Number(bytes), name }]
      seen.set(name, m.holds)
      return handle(addressOf(m))
    },
    DISMISS: (r) => {
      const start = r.u64()
      const alias = aliases.find((a) => a.start === start)
      if (alias === undefined) return answer(codes.invalid)
      const status = done({ op: 'free', memory: alias.name })
      aliases = aliases.filter((a) => a !== alias)
      seen.delete(alias.name)
      return answer(status ?? codes.ok)
    },
    WRITE: (r) => {
      const [address, n, stream, async] = [r.u64(), r.u64(), r.u64(), r.u32() === 1]
      const to = spotOf(address)
      return to === null
        ? elsewhere('copy', address)
        : say({
            op: 'write',
            to,
            file: npy(r.take(Number(n))),
            ...(async ? {} : { returns: true }),
            stream: streamOf(stream),
          })
    },
    READ: (r) => {
      const [address, n, stream] = [r.u64(), Number(r.u64()), r.u64()]
      const [from, found] = [spotOf(address), placeOf(address)]
      if (from === null || found === null) return elsewhere('copy', address)
      const status = done({ op: 'read', from, bytes: n, stream: streamOf(stream) })
      if (status !== null || found.at + n > found.memory.bytes) return answer(status ?? codes.invalid)
      return answer(codes.ok, bytesOf(h.memories.get(found.memory.name)!, found.at, n))
    },
    COPY: (r) => {
      const [d, s, n, stream, async] = [r.u64(), r.u64(), Number(r.u64()), r.u64(), r.u32() === 1]
      const [to, from] = [spotOf(d), spotOf(s)]
      if (to === null || from === null) return elsewhere('copy', to === null ? d : s)
      const returns = !async && [d, s].some((a) => memoryOf(a)?.kind === 'mapped')
      return say({
        op: 'copy',
        to,
        from,
        bytes: n,
        stream: streamOf(stream),
        ...(returns ? { returns } : {}),
      })
    },
    FILL: (r) => {
      const [address, value, width, n, stream] = [r.u64(), r.u32(), r.u32(), Number(r.u64()), r.u64()]
      const memory = spotOf(address)
      const size = width === 4 ? 4 : width === 2 ? 2 : 1
      return memory === null
        ? elsewhere('fill', address)
        : say({
            op: 'fill',
            memory,
            value: size === 1 ? value & 0xff : size === 2 ? value & 0xffff : value,
            width: size,
            bytes: n,
            stream: streamOf(stream),
          })
    },
    HOST_WROTE: (r) => {
      const [address, n] = [r.u64(), Number(r.u64())]
      const m = memoryOf(address)
      const before = m === null ? undefined : seen.get(m.name)
      if (m === null || before === undefined) return elsewhere('the host', address)
      const now = r.take(n)
      const values = differing(heldBytes(before, 0, n), now).map(([start, end]) => ({
        to: { memory: m.name, at: start },
        file: npy(now.subarray(start, end)),
      }))
      if (values.length === 0) return answer(codes.ok)
      const status = done({ op: 'touch', values })
      seen.set(m.name, holding(now))
      return answer(status ?? codes.ok)
    },
    SYMBOL: (r) => {
      const v = variables.get(r.u64())
      return v === undefined ? answer(codes.noSymbol) : variableAnswer(v.module, v.name)
    },
    NAMED_VARIABLE: (r) => {
      const module = moduleOf(r.u64())
      return variableAnswer(module, r.text())
    },
    STREAM: (r) => {
      const isBlocking = (r.u64() & 1n) === 0n
      const stream = fresh()
      done({ op: 'stream', stream: streamOf(stream), blocking: isBlocking })
      return handle(stream)
    },
    EVENT: () => handle(fresh()),
    RECORD: (r) => {
      const [event, stream] = [r.u64(), r.u64()]
      return say({ op: 'record', event: `e${String(event)}`, stream: streamOf(stream) })
    },
    WAIT: (r) => {
      const [event, stream] = [r.u64(), r.u64()]
      return say({ op: 'wait', event: `e${String(event)}`, stream: streamOf(stream) })
    },
    RECORD_OUTSIDE: (r) => {
      const [event, stream] = [r.u64(), r.u64()]
      return outside({ op: 'record', event: `e${String(event)}`, stream: streamOf(stream) })
    },
    WAIT_OUTSIDE: (r) => {
      const [event, stream] = [r.u64(), r.u64()]
      return outside({ op: 'wait', event: `e${String(event)}`, stream: streamOf(stream) })
    },
    SYNC: (r) => say(synchronisation(awaitedOf(r))),
    QUERY: (r) => {
      const on = awaitedOf(r)
      if (sticky !== null) return answer(sticky)
      const known = awaited(allClauses, h.order, on)
      if (knowsAll(h.order.host, known)) return answer(codes.ok)
      const key = on._tag === 'device' ? '' : on._tag === 'stream' ? `s ${on.stream}` : `e ${on.event}`
      const before = asked.get(key)
      asked.set(key, known)
      return before !== undefined && knowsAll(before, known)
        ? say(synchronisation(on))
        : answer(codes.notReady)
    },
    IDLE: () => answered(codes.ok, new Uint8Array(), true),
    HOST_FUNCTION: (r) => {
      const [number, stream] = [r.u64(), r.u64()]
      const operation: GraphOperation = { op: 'callback', stream: streamOf(stream) }
      hostFunctions.set(operation, number)
      return say(operation)
    },
    IMAGE: (r) => {
      const number = BigInt(Object.keys(modules).length + without.size)
      const name = moduleOf(number)
      const image = r.rest()
      const magic = image.length < 4 ? 0 : new DataView(image.buffer, image.byteOffset).getUint32(0, true)
      const isText = magic !== 0xba55ed50 && magic !== 0x464c457f
      const found = isText ? null : ptxIn(magic === 0x464c457f ? new Uint8Array() : image)
      const best =
        found === null
          ? image
          : E.isRight(found)
            ? ([...found.right].sort((a, b) => b.arch - a.arch)[0]?.text ?? null)
            : null
      if (best !== null) {
        files.set(`${name}.ptx`, typeof best === 'string' ? new TextEncoder().encode(best) : best)
        modules[name] = `${name}.ptx`
        const read = isText ? loaded.named(name) : null
        if (read !== null && E.isLeft(read)) {
          told(`a module: ${read.left.message}`)
          return answer(codes.badPtx)
        }
      } else
        without.set(
          name,
          found !== null && E.isLeft(found) && magic === 0xba55ed50
            ? found.left.message
            : 'it contains only machine code: add `-gencode arch=compute_90a,code=compute_90a`',
        )
      return handle(number)
    },
    FUNCTION: (r) => {
      const [module, pointer] = [r.u64(), r.u64()]
      functions.set(pointer, { module: moduleOf(module), name: r.text() })
      return answer(codes.ok)
    },
    NAMED_FUNCTION: (r) => {
      const module = moduleOf(r.u64())
      const name = r.text()
      const why = without.get(module)
      if (why !== undefined) return unable(name, why)
      const read = loaded.named(module)
      if (E.isLeft(read)) return answer(codes.badPtx)
      if (!functionsOf(read.right.module).some((f) => f.kind === 'entry' && f.name === name))
        return answer(codes.noFunction)
      const key = `${module} ${name}`
      const number = handleOf.get(key) ?? fresh()
      handleOf.set(key, number)
      functions.set(number, { module, name })
      return answer(codes.ok, numbers([number, 0n]))
    },
    VARIABLE: (r) => {
      const [module, pointer] = [r.u64(), r.u64()]
      variables.set(pointer, { module: moduleOf(module), name: r.text() })
      return answer(codes.ok)
    },
    LAYOUT: (r) => {
      const f = functions.get(r.u64())
      if (f === undefined) return answer(codes.noFunction)
      const why = without.get(f.module)
      if (why !== undefined) return unable(f.name, why)
      const module = loaded.named(f.module)
      const entry = E.isRight(module) ? loaded.entry(module.right, f.name) : module
      if (E.isLeft(entry)) return unable(f.name, entry.left.message)
      const { parameters, program } = entry.right
      return answer(
        codes.ok,
        numbers([
          program.sharedBytes,
          parameters.length,
          ...parameters.flatMap(({ offset, bytes }) => [offset, bytes]),
        ]),
      )
    },
    LAUNCH: (r) => {
      const f = functions.get(r.u64())
      const three = (): readonly [number, number, number] => [r.u32(), r.u32(), r.u32()]
      const [grid, block, cluster] = [three(), three(), three()]
      const [shared, stream, dependent] = [Number(r.u64()), r.u64(), r.u32() === 1]
      const module = f === undefined ? null : loaded.named(f.module)
      const entry =
        f === undefined || module === null || E.isLeft(module) ? null : loaded.entry(module.right, f.name)
      if (f === undefined || entry === null || E.isLeft(entry)) return answer(codes.noFunction)
      const bytes = new Uint8Array(entry.right.program.parameterBytes)
      for (let left = entry.right.parameters.length; left > 0; left--) {
        const at = r.u32()
        const value = r.take(r.u32())
        if (at + value.length > bytes.length) return answer(codes.invalid)
        bytes.set(value, at)
      }
      const judged = h.launches.length
      const status = done({
        op: 'launch',
        module: f.module,
        stream: streamOf(stream),
        ...(dependent ? { dependent } : {}),
        launch: {
          kernel: f.name,
          grid,
          block,
          ...(cluster[0] === 0 ? {} : { cluster }),
          ...(shared === 0 ? {} : { shared }),
          args: [],
        },
        parameters: hexOf(bytes),
      })
      for (const { operation, kernel, verdict } of h.launches.slice(judged))
        if (verdict !== null)
          told(`launch ${String(operation)} ${briefName(kernel)}: ${verdict.verdict}: ${verdict.reason}`)
      return answer(status ?? codes.ok)
    },
    TENSOR_MAP: (r) => {
      const [type, rank, address] = [r.u32(), r.u32(), r.u64()]
      const [interleave, swizzle, nan] = [r.u32(), r.u32(), r.u32()]
      const sides = Array.from({ length: Math.min(rank, 5) }, () => ({
        size: Number(r.u64()),
        stride: Number(r.u64()),
        box: r.u32(),
        step: r.u32(),
      }))
      const elements = elementsNumbered(type)
      const swizzles = [0, 32, 64, 128] as const
      const bytes = swizzles[swizzle]
      if (elements === null || bytes === undefined || interleave !== 0) {
        told('cuTensorMapEncodeTiled: interleaved tensors and this type or swizzle are not supported')
        return answer(codes.notSupported)
      }
      return answer(
        codes.ok,
        encodedMap(
          {
            elements,
            dims: sides.map(({ size }) => size),
            strides: sides.slice(0, -1).map(({ stride }) => stride),
            box: sides.map(({ box }) => box),
            elementStrides: sides.map(({ step: by }) => by),
            window: null,
            swizzle: bytes,
            fill: nan === 0 ? 'zero' : 'nan',
          },
          Number(address & 0xffffffffn),
          Number(address >> 32n),
        ),
      )
    },
    CAPTURE: (r) => {
      const stream = streamOf(r.u64())
      if (captured.has(stream) || stream === legacy) return answer(codes.invalid)
      captured.set(stream, { plan: Graphs.newPlan(), after: [] })
      return answer(codes.ok)
    },
    CAPTURED: (r) => {
      const own = captured.get(streamOf(r.u64()))
      if (own === undefined) return answer(codes.invalid)
      const apart = [...captured.values()].some(
        ({ plan, after }) => plan === own.plan && !Graphs.areBehind(plan, own.after, after),
      )
      for (const [stream, { plan }] of captured) if (plan === own.plan) captured.delete(stream)
      for (const [event, { plan }] of events) if (plan === own.plan) events.delete(event)
      if (broken.delete(own.plan)) return answer(codes.uncaptured)
      return apart ? answer(codes.unjoined) : handle(planned(own.plan))
    },
    CAPTURING: (r) => answer(codes.ok, numbers([captured.has(streamOf(r.u64())) ? 1 : 0])),
    GRAPH_NEW: () => handle(planned(Graphs.newPlan())),
    INTO: (r) => {
      const plan = plans.get(r.u64())
      const after = piecesOf(r, Number(r.u64()))
      if (plan === undefined) return answer(codes.invalid)
      adding = { piece: { plan, names: [] }, after: Graphs.endsOf(after) }
      return answer(codes.ok)
    },
    NODE_MADE: () => {
      const made = adding
      adding = null
      if (made === null) return answer(codes.invalid)
      // a node that does nothing is one all the same
      if (made.piece.names.length === 0)
        made.piece.names.push(Graphs.added(made.piece.plan, made.after, { op: 'callback' }))
      const number = fresh()
      pieces.set(number, made.piece)
      handlesOf.set(made.piece.plan, [...(handlesOf.get(made.piece.plan) ?? []), number])
      return handle(number)
    },
    EMPTY: () => say({ op: 'callback' }),
    CHILD: (r) => {
      const child = plans.get(r.u64())
      if (child === undefined || adding === null) return answer(codes.invalid)
      adding.piece.names.push(Graphs.withChild(adding.piece.plan, adding.after, Graphs.copyOf(child)))
      return answer(codes.ok)
    },
    EDGES: (r) => edgesOf(r, Graphs.withEdge),
    EDGES_GONE: (r) => edgesOf(r, Graphs.withoutEdge),
    NODES: (r) => listOf(handlesOf.get(plans.get(r.u64()) ?? Graphs.newPlan()) ?? []),
    ROOTS: (r) =>
      listOf(
        (handlesOf.get(plans.get(r.u64()) ?? Graphs.newPlan()) ?? []).filter((n) =>
          Graphs.isRoot(pieces.get(n)!),
        ),
      ),
    CLONE: (r) => {
      const plan = plans.get(r.u64())
      return plan === undefined ? answer(codes.invalid) : handle(planned(Graphs.copyOf(plan)))
    },
    INSTEAD: (r) => {
      const [exec, node] = [r.u64(), pieces.get(r.u64())]
      const plan = exec === 0n ? node?.plan : launched.get(exec)
      const name = node?.names[0]
      if (plan === undefined || name === undefined) return answer(codes.invalid)
      replacing = { plan, name }
      return answer(codes.ok)
    },
    INSTANTIATE: (r) => {
      const plan = plans.get(r.u64())
      if (plan === undefined || Graphs.nodesOf(plan) === null) return answer(codes.invalid)
      const number = fresh()
      launched.set(number, Graphs.copyOf(plan))
      return handle(number)
    },
    UPDATE: (r) => {
      const exec = r.u64()
      const plan = plans.get(r.u64())
      if (plan === undefined || !launched.has(exec)) return answer(codes.invalid)
      launched.set(exec, Graphs.copyOf(plan))
      return answer(codes.ok)
    },
    GRAPH: (r) => {
      const [plan, stream] = [launched.get(r.u64()), r.u64()]
      const nodes = plan === undefined ? null : Graphs.nodesOf(plan)
      return nodes === null
        ? answer(codes.invalid)
        : say({ op: 'graph', stream: streamOf(stream), nodes: nodes.map((n) => n) })
    },
    MISSING: (r) => {
      told(`${r.text()} is not supported: it returns cudaErrorNotSupported`)
      return answer(codes.ok)
    },
  }
  /** A kernel that cannot be launched: what was to be launched is not judged, and what it may have written counts as written. */
  const unable = (kernel: string, why: string): Answer => {
    h = host(h, {
      memories: new Map(
        [...h.memories].map(([name, m]) => [name, m.written === null ? m : changed(m, { written: null })]),
      ),
    })
    told(`${briefName(shownName(kernel))}: ${why}`)
    refused.push(`${briefName(shownName(kernel))}: ${why}`)
    return answer(codes.noImage)
  }
  const awaitedOf = (r: Reader): Awaited => {
    const [kind, which] = [r.u32(), r.u64()]
    return kind === 0
      ? { _tag: 'device' }
      : kind === 1
        ? { _tag: 'stream', stream: streamOf(which) }
        : { _tag: 'event', event: `e${String(which)}` }
  }
  const synchronisation = (on: Awaited): HostOperation =>
    on._tag === 'device'
      ? { op: 'synchronize' }
      : on._tag === 'stream'
        ? { op: 'synchronize', stream: on.stream }
        : { op: 'synchronize', event: on.event }
  const planned = (plan: Graphs.Plan): bigint => {
    const number = fresh()
    plans.set(number, plan)
    return number
  }
  const edgesOf = (r: Reader, does: (from: Graphs.Piece, to: Graphs.Piece) => void): Answer => {
    r.u64()
    for (let n = Number(r.u64()); n > 0; n--) {
      const [from, to] = [pieces.get(r.u64()), pieces.get(r.u64())]
      if (from === undefined || to === undefined || from.plan !== to.plan) return answer(codes.invalid)
      does(from, to)
    }
    return answer(codes.ok)
  }
  const listOf = (all: ReadonlyArray<bigint>): Answer =>
    answer(codes.ok, numbers([BigInt(all.length), ...all]))

  return {
    answer: (message) => {
      const r = reader(message)
      const call = calls[r.u32()]
      return encoded(call === undefined ? answer(codes.unknown) : reading[call](r))
    },
    host: () => h,
    count: () => count,
    refused: () => refused,
    program: (name) => ({ schema: hostSchema, name, modules, operations }),
    files: () => files,
  }
}
