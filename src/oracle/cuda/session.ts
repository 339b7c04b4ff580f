/**
 * A running program as operations: each message of the stand-in for the runtime becomes an operation of `tcspec.host/1`, which is executed and judged at once.
 *
 *     cudaMemcpyAsync(d, h, n, kind, s)   ->  COPY d h n s   ->  { "op": "copy", "to": ..., "from": ..., "bytes": n, "stream": "s1" }
 *
 * It has no memory of its own and no second way to launch: what is not an operation is a name (of a stream, an event, a kernel), or a file of the program that comes of it.
 * Memory that the host sees is told to the program when the host has waited for all that writes it, and not before.
 *
 * Laws
 * 1. The operations, executed as a program, give the same memory and findings.
 * 2. An answer comes to every message, whatever it holds.
 */
import * as E from 'fp-ts/lib/Either.js'
import { shownName } from '../../dialects/ptx/names/itanium.js'
import { legacy } from '../../semantics/host/index.js'
import {
  hostSchema,
  type HostOperation,
  type HostProgram,
  type MemoryKind,
  type Node,
  type Spot,
} from '../host/file.js'
import { addressOf, bytesOf, isOfHost, memoryAt, type Memory } from '../host/memory.js'
import { stepping } from '../host/perform.js'
import { emptyHost, type Host, type Performing } from '../host/state.js'
import { encodeNpy, npyArray } from '../tensor-files/npy.js'
import type { Files } from '../tensor-files/files.js'
import { failure } from '../../failure.js'
import { calls, type Call } from './calls.js'
import { ptxIn } from '../launch/fatbin.js'

// ---------------------------------------------------------------- model

export interface Session {
  /** the answer to a message */
  readonly answer: (message: Uint8Array) => Uint8Array
  readonly host: () => Host
  readonly program: (name: string) => HostProgram
  /** files of the program: PTX, and bytes as `.npy` */
  readonly files: () => ReadonlyMap<string, Uint8Array>
}

/** What the runtime says. */
const codes = {
  ok: 0,
  invalid: 1,
  noSymbol: 13,
  noFunction: 98,
  noImage: 209,
  illegalAddress: 700,
  failed: 719,
  notSupported: 801,
  unknown: 999,
} as const

/** Where a stream is in a graph that is captured: behind these nodes. */
interface Behind {
  readonly graph: Node[]
  readonly after: ReadonlyArray<string>
}

interface Answer {
  readonly status: number
  readonly writes: ReadonlyArray<{ readonly address: bigint; readonly bytes: Uint8Array }>
  readonly payload: Uint8Array
}

const kinds: ReadonlyArray<MemoryKind> = ['device', 'managed', 'mapped']

/** Runs of bytes that differ, more of which are taken as one. */
const mostRuns = 256

// ---------------------------------------------------------------- bytes

const reader = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const u32 = (): number => {
    at += 4
    return at <= bytes.length ? view.getUint32(at - 4, true) : 0
  }
  const u64 = (): bigint => {
    at += 8
    return at <= bytes.length ? view.getBigUint64(at - 8, true) : 0n
  }
  const take = (n: number): Uint8Array => {
    at += n
    return bytes.slice(Math.min(at - n, bytes.length), Math.min(at, bytes.length))
  }
  return {
    u32,
    u64,
    take,
    rest: () => take(bytes.length - at),
    text: () => new TextDecoder().decode(take(u32())),
  }
}

const numbers = (words: ReadonlyArray<number | bigint>): Uint8Array => {
  const out = new DataView(
    new ArrayBuffer(words.reduce<number>((n, w) => n + (typeof w === 'bigint' ? 8 : 4), 0)),
  )
  let at = 0
  for (const w of words)
    if (typeof w === 'bigint') {
      out.setBigUint64(at, w, true)
      at += 8
    } else {
      out.setUint32(at, w, true)
      at += 4
    }
  return new Uint8Array(out.buffer)
}

const encoded = ({ status, writes, payload }: Answer): Uint8Array => {
  const parts: Uint8Array[] = [numbers([status >>> 0, writes.length])]
  for (const w of writes) parts.push(numbers([w.address, BigInt(w.bytes.length)]), w.bytes)
  parts.push(payload)
  const length = parts.reduce((n, p) => n + p.length, 0)
  const out = new Uint8Array(4 + length)
  out.set(numbers([length]))
  let at = 4
  for (const p of parts) {
    out.set(p, at)
    at += p.length
  }
  return out
}

/** Runs of bytes in which two differ. */
const differing = (a: Uint8Array, b: Uint8Array): ReadonlyArray<readonly [number, number]> => {
  const out: [number, number][] = []
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue
    const last = out[out.length - 1]
    if (last?.[1] === i) last[1] = i + 1
    else out.push([i, i + 1])
  }
  return out.length > mostRuns ? [[out[0]![0], out[out.length - 1]![1]]] : out
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')

// ---------------------------------------------------------------- the session

/** `told`: a line of progress, for people. */
export const session = (p: Omit<Performing, 'files' | 'where'>, told: (line: string) => void): Session => {
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
  const functions = new Map<bigint, { readonly module: string; readonly name: string }>()
  const variables = new Map<bigint, { readonly name: string; readonly bytes: bigint }>()
  /** what the host last saw of memory that it sees */
  const seen = new Map<string, Uint8Array>()
  /** why a module has no PTX */
  const without = new Map<string, string>()
  let h: Host = emptyHost
  let handles = 0n

  const npy = (bytes: Uint8Array): string => {
    const file = `bytes${String(files.size)}.npy`
    const array = npyArray('u1', [bytes.length], bytes)
    const text = E.isRight(array) ? encodeNpy(array.right) : array
    if (E.isRight(text)) files.set(file, text.right)
    return file
  }
  const answer = (status: number, payload: Uint8Array = new Uint8Array()): Answer => ({
    status,
    writes: status === codes.ok ? delivered() : [],
    payload,
  })
  /** Memory that the host sees, where it is not what the host saw and nothing that the host has not waited for writes it. */
  const delivered = (): Answer['writes'] =>
    [...h.memories.values()].flatMap((m) => {
      if (!isOfHost(m) || m.freed !== null) return []
      if ((h.past.get(m.name) ?? []).some(({ access }) => access.rw === 'w')) return []
      const now = bytesOf(m, 0, m.bytes)
      const before = seen.get(m.name)!
      const runs = differing(before, now)
      if (runs.length === 0) return []
      seen.set(m.name, now)
      return runs.map(([start, end]) => ({
        address: addressOf(m) + BigInt(start),
        bytes: now.subarray(start, end),
      }))
    })
  /** streams that are captured, and events that were recorded in one: behind which nodes of which graph they are */
  const captured = new Map<string, Behind>()
  const events = new Map<string, Behind>()
  const graphs = new Map<bigint, ReadonlyArray<Node>>()
  /** An operation of a stream that is captured becomes a node; null: it is none of such a stream. */
  const intoGraph = (o: HostOperation): number | null => {
    if (!('stream' in o) || o.stream === undefined) return null
    const { stream } = o
    const joins = o.op === 'wait' ? events.get(o.event) : undefined
    const own = captured.get(stream)
    if (own === undefined && joins === undefined) {
      if (o.op === 'record') events.delete(o.event)
      return null
    }
    const { graph, after } = own ?? { graph: joins!.graph, after: [] }
    const behind = (nodes: ReadonlyArray<string>): number => {
      captured.set(stream, { graph, after: nodes })
      return codes.ok
    }
    switch (o.op) {
      case 'wait':
        return behind([...new Set([...after, ...(joins?.after ?? [])])])
      case 'record':
        events.set(o.event, { graph, after })
        return codes.ok
      case 'launch':
      case 'copy':
      case 'fill':
      case 'callback': {
        const name = `n${String(graph.length)}`
        graph.push({ name, after, operation: o })
        return behind([name])
      }
      case 'alloc':
      case 'free':
      case 'write':
      case 'read':
      case 'stream':
      case 'synchronize':
      case 'graph':
        told(`${o.op} in a stream that is captured is not supported`)
        return codes.notSupported
    }
  }
  /** null: done; else what the runtime says */
  const done = (o: HostOperation): number | null => {
    if (h.stopped !== null) return codes.failed
    const node = intoGraph(o)
    if (node !== null) return node === codes.ok ? null : node
    const before = h.findings.length
    const after = step(h, operations.length, o)
    operations.push(o)
    if (E.isLeft(after)) {
      told(after.left.message)
      return codes.unknown
    }
    h = after.right
    for (const f of h.findings.slice(before)) told(`${f.id}${f.severity === 'L' ? ' (note)' : ''}: ${f.text}`)
    if (h.stopped === null) return null
    if (h.findings.length === before) told(h.stopped.why)
    return h.findings.length > before ? codes.illegalAddress : codes.failed
  }
  const streamOf = (handle: bigint): string =>
    handle < 2n ? legacy : handle === 2n ? 'per-thread' : `s${String(handle)}`
  const spotOf = (address: bigint): Spot | null => {
    const found = memoryAt(h.memories, address)
    return found === null
      ? null
      : found.at === 0
        ? found.memory.name
        : { memory: found.memory.name, at: found.at }
  }
  const memoryOf = (address: bigint): Memory | null => memoryAt(h.memories, address)?.memory ?? null
  const elsewhere = (what: string, address: bigint): Answer => {
    told(`${what}: 0x${address.toString(16)} is in no memory that the program has allocated`)
    return answer(codes.invalid)
  }

  const reading: Readonly<Record<Call, (r: ReturnType<typeof reader>) => Answer>> = {
    ALLOC: (r) => {
      const [kind, bytes, stream, ordered] = [kinds[r.u32()] ?? 'device', r.u64(), r.u64(), r.u32() === 1]
      if (bytes >= 2n ** 30n) {
        told(`an allocation of ${String(bytes)} bytes: at most 2^30 - 1 are supported`)
        return answer(2)
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
      if (status !== null) return answer(status)
      if (isSeen) seen.set(name, new Uint8Array(Number(bytes)))
      return answer(codes.ok, numbers([addressOf(h.memories.get(name)!)]))
    },
    FREE: (r) => {
      const [address, stream, ordered] = [r.u64(), r.u64(), r.u32() === 1]
      const m = memoryOf(address)
      return m === null
        ? elsewhere('free', address)
        : answer(
            done({ op: 'free', memory: m.name, ...(ordered ? { stream: streamOf(stream) } : {}) }) ??
              codes.ok,
          )
    },
    WRITE: (r) => {
      const [address, n, stream, async] = [r.u64(), r.u64(), r.u64(), r.u32() === 1]
      const to = spotOf(address)
      return to === null
        ? elsewhere('copy', address)
        : answer(
            done({
              op: 'write',
              to,
              file: npy(r.take(Number(n))),
              ...(async ? {} : { returns: true }),
              stream: streamOf(stream),
            }) ?? codes.ok,
          )
    },
    READ: (r) => {
      const [address, n, stream] = [r.u64(), Number(r.u64()), r.u64()]
      const from = spotOf(address)
      const found = memoryAt(h.memories, address)
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
      return answer(
        done({ op: 'copy', to, from, bytes: n, stream: streamOf(stream), ...(returns ? { returns } : {}) }) ??
          codes.ok,
      )
    },
    FILL: (r) => {
      const [address, value, width, n, stream] = [r.u64(), r.u32(), r.u32(), Number(r.u64()), r.u64()]
      const memory = spotOf(address)
      return memory === null
        ? elsewhere('fill', address)
        : answer(
            done({
              op: 'fill',
              memory,
              value: value & 0xff,
              width: width === 4 ? 4 : width === 2 ? 2 : 1,
              bytes: n,
              stream: streamOf(stream),
            }) ?? codes.ok,
          )
    },
    HOST_WROTE: (r) => {
      const [address, n] = [r.u64(), Number(r.u64())]
      const m = memoryOf(address)
      if (m === null) return elsewhere('the host', address)
      const now = r.take(n)
      const values = differing(seen.get(m.name) ?? new Uint8Array(n), now).map(([start, end]) => ({
        to: { memory: m.name, at: start },
        file: npy(now.subarray(start, end)),
      }))
      seen.set(m.name, now)
      return answer(values.length === 0 ? codes.ok : (done({ op: 'touch', values }) ?? codes.ok))
    },
    SYMBOL: (r) => {
      const v = variables.get(r.u64())
      if (v === undefined) return answer(codes.noSymbol)
      const known = symbolNamed(v.name)
      return known === null ? answer(codes.noSymbol) : answer(codes.ok, numbers([addressOf(known), v.bytes]))
    },
    STREAM: (r) => {
      const flags = r.u32()
      handles += 1n
      const stream = handles + 15n
      done({ op: 'stream', stream: streamOf(stream), blocking: (flags & 1) === 0 })
      return answer(codes.ok, numbers([stream]))
    },
    EVENT: () => {
      handles += 1n
      return answer(codes.ok, numbers([handles + 15n]))
    },
    RECORD: (r) => {
      const [event, stream] = [r.u64(), r.u64()]
      return answer(done({ op: 'record', event: `e${String(event)}`, stream: streamOf(stream) }) ?? codes.ok)
    },
    WAIT: (r) => {
      const [event, stream] = [r.u64(), r.u64()]
      return answer(done({ op: 'wait', event: `e${String(event)}`, stream: streamOf(stream) }) ?? codes.ok)
    },
    SYNC: (r) => {
      const [kind, which] = [r.u32(), r.u64()]
      return answer(
        done(
          kind === 0
            ? { op: 'synchronize' }
            : kind === 1
              ? { op: 'synchronize', stream: streamOf(which) }
              : { op: 'synchronize', event: `e${String(which)}` },
        ) ?? codes.ok,
      )
    },
    FATBIN: (r) => {
      const name = `m${String(Object.keys(modules).length + without.size)}`
      const number = BigInt(name.slice(1))
      const found = ptxIn(r.rest())
      if (E.isLeft(found)) without.set(name, found.left.message)
      else {
        const best = [...found.right].sort((a, b) => b.arch - a.arch)[0]
        if (best === undefined)
          without.set(
            name,
            'only machine code is in the program: add `-gencode arch=compute_90a,code=compute_90a`',
          )
        else {
          files.set(`${name}.ptx`, new TextEncoder().encode(best.text))
          modules[name] = `${name}.ptx`
        }
      }
      return answer(codes.ok, numbers([number]))
    },
    FUNCTION: (r) => {
      const [module, pointer] = [r.u64(), r.u64()]
      functions.set(pointer, { module: `m${String(module)}`, name: r.text() })
      return answer(codes.ok)
    },
    VARIABLE: (r) => {
      const [, pointer] = [r.u64(), r.u64()]
      const name = r.text()
      variables.set(pointer, { name, bytes: r.u64() })
      return answer(codes.ok)
    },
    LAYOUT: (r) => {
      const f = functions.get(r.u64())
      if (f === undefined) return answer(codes.noFunction)
      const why = without.get(f.module)
      if (why !== undefined) {
        told(`${shownName(f.name)}: ${why}`)
        return answer(codes.noImage)
      }
      const module = loaded.named(f.module)
      const entry = E.isRight(module) ? loaded.entry(module.right, f.name) : module
      if (E.isLeft(entry)) {
        told(`${shownName(f.name)}: ${entry.left.message}`)
        return answer(codes.noImage)
      }
      const { parameters } = entry.right
      return answer(
        codes.ok,
        numbers([parameters.length, ...parameters.flatMap(({ offset, bytes }) => [offset, bytes])]),
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
        bytes.set(r.take(r.u32()), at)
      }
      const number = operations.length
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
      const judged = h.launches.find(({ operation }) => operation === number)
      if (judged?.verdict != null)
        told(`launch ${String(number)} ${judged.kernel}: ${judged.verdict.verdict}: ${judged.verdict.reason}`)
      return answer(status ?? codes.ok)
    },
    CAPTURE: (r) => {
      const stream = streamOf(r.u64())
      if (captured.has(stream)) return answer(codes.invalid)
      captured.set(stream, { graph: [], after: [] })
      return answer(codes.ok)
    },
    CAPTURED: (r) => {
      const own = captured.get(streamOf(r.u64()))
      if (own === undefined) return answer(codes.invalid)
      for (const [stream, { graph }] of captured) if (graph === own.graph) captured.delete(stream)
      handles += 1n
      graphs.set(handles + 15n, own.graph)
      return answer(codes.ok, numbers([handles + 15n]))
    },
    CAPTURING: (r) => answer(codes.ok, numbers([captured.has(streamOf(r.u64())) ? 1 : 0])),
    GRAPH: (r) => {
      const [graph, stream] = [graphs.get(r.u64()), r.u64()]
      return graph === undefined
        ? answer(codes.invalid)
        : answer(done({ op: 'graph', stream: streamOf(stream), nodes: graph }) ?? codes.ok)
    },
    MISSING: (r) => {
      told(`${r.text()} is not supported: it returns cudaErrorNotSupported`)
      return answer(codes.ok)
    },
  }
  /** The memory of a variable: it is there once something has named it. */
  const symbolNamed = (name: string): Memory | null => {
    const known = h.memories.get(name)
    if (known !== undefined) return known
    // filling no bytes of it names it
    done({ op: 'fill', memory: name, value: 0, bytes: 0 })
    return h.memories.get(name) ?? null
  }

  return {
    answer: (message) => {
      const r = reader(message)
      const call = calls[r.u32()]
      return encoded(call === undefined ? answer(codes.unknown) : reading[call](r))
    },
    host: () => h,
    program: (name) => ({ schema: hostSchema, name, modules, operations }),
    files: () => files,
  }
}
