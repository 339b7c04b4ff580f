/** A program's calls as messages, packed here as the C file packs them: memory, launches, streams, what the host sees, what is found; and fat binaries. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { calls, type Call } from '../../../src/oracle/cuda/calls.js'
import {
  driverFunctions,
  runtimeFunctions,
  runtimeNamesOf,
  type Function,
} from '../../../src/oracle/cuda/functions.js'
import { driverNames } from '../../../src/oracle/cuda/names.js'
import { built, libraries } from '../../../src/oracle/cuda/process.js'
import { fatbinsIn, ptxIn } from '../../../src/oracle/launch/fatbin.js'
import { readPtx } from '../../../src/oracle/launch/ptx-text.js'
import { functionsOf } from '../../../src/dialects/ptx/index.js'
import { session } from '../../../src/oracle/cuda/session.js'
import { verdictOfHost } from '../../../src/oracle/cli/host.js'
import { bytesOf } from '../../../src/oracle/host/memory.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { failure } from '../../../src/failure.js'
import { code, right } from '../../either.js'
import { fatbin } from './fat.js'

const root = new URL('../../../', import.meta.url).pathname
const kernels = readFileSync(`${root}conformance/programs/kernels.ptx`, 'utf8')
const performing = { algebra: () => bits('hopper'), judge: null, judgeAll: false, fuel: usualFuel }

const le = (bytes: number, n: bigint): ReadonlyArray<number> =>
  Array.from({ length: bytes }, (_, i) => Number((n >> BigInt(8 * i)) & 255n))
const w = (n: number): ReadonlyArray<number> => le(4, BigInt(n))
const q = (n: bigint | number): ReadonlyArray<number> => le(8, BigInt(n))
const text = (s: string): ReadonlyArray<number> => [...w(s.length), ...new TextEncoder().encode(s)]
const floats = (n: number, of: (i: number) => number): Uint8Array =>
  new Uint8Array(Float32Array.from({ length: n }, (_, i) => of(i)).buffer)

/** A program of calls. */
const program = () => {
  const told: string[] = []
  const s = session(performing, (line) => told.push(line))
  const call = (name: Call, ...parts: ReadonlyArray<ReadonlyArray<number> | Uint8Array>) => {
    const answer = s.answer(Uint8Array.from([...w(calls.indexOf(name)), ...parts.flatMap((p) => [...p])]))
    const view = new DataView(answer.buffer)
    expect(view.getUint32(0, true)).toBe(answer.length - 4)
    let at = 12
    const writes = Array.from({ length: view.getUint32(8, true) }, () => {
      const [address, n] = [view.getBigUint64(at, true), Number(view.getBigUint64(at + 8, true))]
      at += 16 + n
      return { address, bytes: answer.slice(at - n, at) }
    })
    const due = Array.from({ length: view.getUint32(at, true) }, (_, i) =>
      view.getBigUint64(at + 4 + 8 * i, true),
    )
    at += 4 + 8 * due.length
    const printed = [0, 1].map(() => {
      const n = view.getUint32(at, true)
      at += 4 + n
      return new TextDecoder().decode(answer.slice(at - n, at))
    })
    return { status: view.getInt32(4, true), writes, due, printed, payload: answer.slice(at) }
  }
  const handle = (a: { readonly payload: Uint8Array }): bigint =>
    new DataView(a.payload.slice().buffer).getBigUint64(0, true)
  const alloc = (bytes: number, kind = 0): bigint => handle(call('ALLOC', w(kind), q(bytes), q(0), w(0)))
  const module = handle(
    call(
      'IMAGE',
      fatbin([
        { kind: 2, arch: 90, text: 'machine code' },
        { kind: 1, arch: 90, text: kernels },
      ]),
    ),
  )
  const kernel = (name: string, at: number): number => {
    call('FUNCTION', q(module), q(at), text(name))
    return at
  }
  const launch = (f: number, stream: bigint | number, ...args: ReadonlyArray<bigint | number>) => {
    const layout = call('LAYOUT', q(f))
    const view = new DataView(layout.payload.buffer, 4)
    return call(
      'LAUNCH',
      q(f),
      w(2),
      w(1),
      w(1),
      w(128),
      w(1),
      w(1),
      w(0),
      w(0),
      w(0),
      q(0),
      q(stream),
      w(0),
      ...args.map((a, i) => {
        const [offset, bytes] = [view.getUint32(4 + 8 * i, true), view.getUint32(8 + 8 * i, true)]
        return [...w(offset), ...w(bytes), ...le(bytes, BigInt(a))]
      }),
    )
  }
  /** 0, 1, 2, ... are there, and the host has waited. */
  const counted = (at: bigint): void => {
    call(
      'WRITE',
      q(at),
      q(1024),
      q(0),
      w(0),
      floats(256, (i) => i),
    )
    call('SYNC', w(0), q(0))
  }
  return { s, told, call, handle, alloc, kernel, launch, counted }
}

describe('calls', () => {
  it('a copy, a launch, a copy back; law 1: the program that is kept comes to the same', () => {
    const { s, call, alloc, kernel, launch } = program()
    const [x, y] = [alloc(1024), alloc(1024)]
    expect([x >> 32n, y >> 32n]).toEqual([0x7f000000n, 0x7f000001n])
    expect(
      call(
        'WRITE',
        q(x),
        q(1024),
        q(0),
        w(0),
        floats(256, (i) => i),
      ).status,
    ).toBe(0)
    expect(launch(kernel('scale', 64), 0, x, y, 256).status).toBe(0)
    const read = call('READ', q(y), q(1024), q(0))
    expect([read.status, new Float32Array(read.payload.buffer)[255]]).toEqual([0, 510])
    const files = {
      ...onDisk,
      read: (file: string) => () => {
        const bytes = s.files().get(file)
        return bytes === undefined ? E.left(failure('file-missing' as const, file)) : E.right(bytes)
      },
    }
    const again = right(performed({ ...performing, files, where: 'program.json' }, s.program('p')))
    expect(bytesOf(again.memories.get('memory 1')!, 0, 1024)).toEqual(read.payload)
    expect(again.findings).toEqual(s.host().findings)
  })
  it('streams: without an event a race is told, with one it is not', () => {
    const ran = (event: boolean) => {
      const { s, call, handle, alloc, kernel, launch, counted } = program()
      const [x, y, z] = [alloc(1024), alloc(1024), alloc(1024)]
      counted(x)
      const [a, b, e] = [
        handle(call('STREAM', q(1))),
        handle(call('STREAM', q(1))),
        handle(call('EVENT', q(0))),
      ]
      launch(kernel('scale', 64), a, x, y, 256)
      if (event) {
        call('RECORD', q(e), q(a))
        call('WAIT', q(e), q(b))
      }
      launch(kernel('add', 65), b, x, y, z, 256)
      return s.host().findings.map(({ id }) => id)
    }
    expect([ran(false), ran(true)]).toEqual([['H1'], []])
  })
  it('a graph that is captured: its edges are what streams and events say', () => {
    const ran = (joins: boolean) => {
      const { s, call, handle, alloc, kernel, launch, counted } = program()
      const [x, y, z] = [alloc(1024), alloc(1024), alloc(1024)]
      counted(x)
      const [a, b] = [handle(call('STREAM', q(0))), handle(call('STREAM', q(0)))]
      const [f, e] = [handle(call('EVENT', q(0))), handle(call('EVENT', q(0)))]
      call('CAPTURE', q(a), q(0))
      call('RECORD', q(f), q(a))
      call('WAIT', q(f), q(b))
      expect(launch(kernel('scale', 64), b, x, y, 256).status).toBe(0)
      call('RECORD', q(e), q(b))
      if (joins) call('WAIT', q(e), q(a))
      launch(kernel('add', 65), a, x, y, z, 256)
      // too late for the launch, and there is no graph without it
      if (!joins) call('WAIT', q(e), q(a))
      // nothing has run yet
      expect(s.host().launches.length).toBe(0)
      const graph = handle(call('INSTANTIATE', q(handle(call('CAPTURED', q(a))))))
      call('GRAPH', q(graph), q(a))
      call('GRAPH', q(graph), q(a))
      call('SYNC', w(0), q(0))
      const read = call('READ', q(z), q(1024), q(0))
      expect(new Float32Array(read.payload.buffer)[255]).toBe(765)
      return s
        .host()
        .findings.map(({ id, a: first, b: second }) => `${id} ${first.what} ${second?.what ?? ''}`)
    }
    expect(ran(true)).toEqual([])
    expect(ran(false).length).toBe(1)
    expect(ran(false)[0]).toContain('node n0')
  })
  it('managed memory: the host sees it when it has waited, and not before; what it writes meanwhile is found', () => {
    const { s, call, alloc, kernel, launch } = program()
    const [m, y] = [alloc(1024, 1), alloc(1024, 1)]
    expect(
      call(
        'HOST_WROTE',
        q(m),
        q(1024),
        floats(256, (i) => i),
      ).status,
    ).toBe(0)
    expect(launch(kernel('scale', 64), 0, m, y, 256).writes).toEqual([])
    call(
      'HOST_WROTE',
      q(m),
      q(1024),
      floats(256, (i) => i + 1),
    )
    expect(s.host().findings.map(({ id }) => id)).toEqual(['H3'])
    const { writes } = call('SYNC', w(0), q(0))
    const y2 = new Uint8Array(1024)
    for (const { address, bytes } of writes) y2.set(bytes, Number(address - y))
    expect(y2).toEqual(floats(256, (i) => 2 * i))
  })
  it('law 3: a question is answered "not yet" and orders nothing, then "yes", which orders; who never asks is not ordered', () => {
    const ran = (questions: number) => {
      const { s, call, handle, alloc, kernel, launch } = program()
      const m = alloc(1024, 2)
      const y = alloc(1024)
      const stream = handle(call('STREAM', q(1)))
      launch(kernel('scale', 64), stream, m, y, 256)
      const before = s.count()
      const answers = Array.from({ length: questions }, () => call('QUERY', w(1), q(stream)).status)
      // a question that is answered "not yet" is no operation
      expect(s.count() - before).toBe(answers.filter((a) => a === 0).length)
      call(
        'HOST_WROTE',
        q(m),
        q(1024),
        floats(256, (i) => i + 1),
      )
      return [answers, s.host().findings.map(({ id }) => id)]
    }
    expect(ran(0)).toEqual([[], ['H3']])
    expect(ran(1)).toEqual([[600], ['H3']])
    expect(ran(2)).toEqual([[600, 0], []])
  })
  it('a question behind a wait is answered "yes" at once', () => {
    const { call, handle, alloc, kernel, launch } = program()
    const [x, y] = [alloc(1024, 2), alloc(1024)]
    const stream = handle(call('STREAM', q(1)))
    launch(kernel('scale', 64), stream, x, y, 256)
    call('SYNC', w(0), q(0))
    expect(call('QUERY', w(1), q(stream)).status).toBe(0)
  })
  it('a graph that is made node by node: a missing edge is found, an edge that is added later orders', () => {
    const ran = (how: 'missing' | 'after' | 'edge') => {
      const { s, call, handle, alloc, kernel, launch, counted } = program()
      const [x, y, z] = [alloc(1024), alloc(1024), alloc(1024)]
      counted(x)
      const graph = handle(call('GRAPH_NEW', q(0)))
      const node = (f: number, after: ReadonlyArray<bigint>, args: ReadonlyArray<bigint | number>) => {
        call('INTO', q(graph), q(after.length), ...after.map((n) => q(n)))
        expect(launch(f, 0, ...args).status).toBe(0)
        return handle(call('NODE_MADE'))
      }
      // what comes first in the graph is added last
      const later = how === 'edge'
      const add = later ? node(kernel('add', 65), [], [x, y, z, 256]) : 0n
      const scale = node(kernel('scale', 64), [], [x, y, 256])
      if (later) call('EDGES', q(graph), q(1), q(scale), q(add))
      else node(kernel('add', 65), how === 'after' ? [scale] : [], [x, y, z, 256])
      expect(s.host().launches.length).toBe(0)
      call('GRAPH', q(handle(call('INSTANTIATE', q(graph)))), q(0))
      call('SYNC', w(0), q(0))
      const read = call('READ', q(z), q(1024), q(0))
      return [s.host().findings.map(({ id }) => id), new Float32Array(read.payload.slice().buffer)[255]]
    }
    expect(ran('missing')).toEqual([['H1'], 765])
    expect(ran('after')).toEqual([[], 765])
    expect(ran('edge')).toEqual([[], 765])
  })
  it('what the host writes while a graph is made is no node', () => {
    const { s, told, call, handle, alloc } = program()
    const m = alloc(1024, 2)
    const graph = handle(call('GRAPH_NEW', q(0)))
    call('INTO', q(graph), q(0))
    expect(
      call(
        'HOST_WROTE',
        q(m),
        q(1024),
        floats(256, (i) => i),
      ).status,
    ).toBe(0)
    expect(told).toEqual([])
    expect(new Float32Array(bytesOf(s.host().memories.get('memory 0')!, 0, 1024).slice().buffer)[255]).toBe(
      255,
    )
  })
  it('a circle is no graph', () => {
    const { call, handle } = program()
    const graph = handle(call('GRAPH_NEW', q(0)))
    const node = (after: ReadonlyArray<bigint>): bigint => {
      call('INTO', q(graph), q(after.length), ...after.map((n) => q(n)))
      return handle(call('NODE_MADE'))
    }
    const a = node([])
    const b = node([a])
    call('EDGES', q(graph), q(1), q(b), q(a))
    expect(call('INSTANTIATE', q(graph)).status).toBe(1)
  })
  it('a function of the host runs when the host has waited for its stream, or has let time pass', () => {
    const { call, handle, alloc, kernel, launch } = program()
    const [x, y] = [alloc(1024, 2), alloc(1024)]
    const stream = handle(call('STREAM', q(1)))
    launch(kernel('scale', 64), stream, x, y, 256)
    expect(call('HOST_FUNCTION', q(7), q(stream)).due).toEqual([])
    expect(call('EVENT', q(0)).due).toEqual([])
    expect(call('SYNC', w(1), q(stream)).due).toEqual([7n])
    call('HOST_FUNCTION', q(8), q(stream))
    expect(call('IDLE').due).toEqual([8n])
    expect(call('SYNC', w(0), q(0)).due).toEqual([])
  })
  it('memory of the process that is registered has an address on the device, and is told at its own', () => {
    const { call, handle, kernel, launch } = program()
    const at = 0x5555_0000_1000n
    const [device, y] = [
      handle(call('ENROLL', w(2), q(at), q(1024))),
      handle(call('ALLOC', w(2), q(1024), q(0), w(0))),
    ]
    expect(device >> 32n).toBe(0x2000n)
    call(
      'HOST_WROTE',
      q(at),
      q(1024),
      floats(256, (i) => i),
    )
    launch(kernel('scale', 64), 0, y, device, 256)
    const writes = call('SYNC', w(0), q(0)).writes
    expect(writes.every(({ address }) => address >= at && address < at + 1024n)).toBe(true)
    expect(call('DISMISS', q(at)).status).toBe(0)
    expect(call('DISMISS', q(at)).status).toBe(1)
  })
  it('a graph with copies, events and a stream that is not joined, and what may not be done while a stream is captured', () => {
    const { s, call, handle, alloc, kernel, launch, counted } = program()
    const [x, y, z] = [alloc(1024), alloc(1024), alloc(1024)]
    const [p, t, event, inside] = [
      handle(call('STREAM', q(1))),
      handle(call('STREAM', q(1))),
      handle(call('EVENT', q(0))),
      handle(call('EVENT', q(0))),
    ]
    const [scale, add] = [kernel('scale', 64), kernel('add', 65)]
    counted(x)
    // a record outside of the graph is a node, and orders what waits for it
    call('CAPTURE', q(p), q(0))
    launch(scale, p, x, y, 256)
    call('RECORD_OUTSIDE', q(event), q(p))
    launch(scale, p, x, z, 256)
    const graph = handle(call('CAPTURED', q(p)))
    call('GRAPH', q(handle(call('INSTANTIATE', q(graph)))), q(p))
    call('WAIT', q(event), q(t))
    launch(add, t, x, y, y, 256)
    expect(s.host().findings).toEqual([])
    launch(add, t, x, z, y, 256)
    expect(s.host().findings.map(({ id, memory }) => `${id} ${memory}`)).toEqual(['H1 memory 2'])
    call('SYNC', w(0), q(0))
    // a fork that does not come back
    call('CAPTURE', q(p), q(0))
    call('RECORD', q(inside), q(p))
    call('WAIT', q(inside), q(t))
    launch(scale, t, x, y, 256)
    expect(call('CAPTURED', q(p)).status).toBe(904)
    // it is over with that: the stream is one of its own again
    expect(call('SYNC', w(1), q(t)).status).toBe(0)
    call('CAPTURE', q(p), q(0))
    expect(call('SYNC', w(1), q(p)).status).toBe(900)
    expect(call('CAPTURED', q(p)).status).toBe(901)
    // the default stream waits for a blocking stream
    const blocking = handle(call('STREAM', q(0)))
    call('CAPTURE', q(blocking), q(0))
    expect(launch(scale, 0, x, y, 256).status).toBe(906)
    expect(call('CAPTURED', q(blocking)).status).toBe(901)
    call('CAPTURE', q(p), q(0))
    expect(launch(scale, 0, x, y, 256).status).toBe(0)
    expect(call('CAPTURED', q(p)).status).toBe(0)
  })
  it('a launch that is repeated comes to what it would come to: inputs, outputs and accesses that change are seen', () => {
    const { s, call, handle, alloc, kernel, launch, counted } = program()
    const [x, y, z] = [alloc(1024), alloc(1024), alloc(1024)]
    const [scale, add] = [kernel('scale', 64), kernel('add', 65)]
    counted(x)
    const last = (at: bigint): number =>
      new Float32Array(call('READ', q(at), q(1024), q(0)).payload.slice().buffer)[255]!
    for (let i = 0; i < 4; i++) launch(scale, 0, x, y, 256)
    expect(last(y)).toBe(510)
    // it reads what it writes: never the same memory twice
    for (let i = 0; i < 4; i++) launch(add, 0, y, x, y, 256)
    expect(last(y)).toBe(510 + 4 * 255)
    for (let i = 0; i < 4; i++) launch(scale, 0, x, y, 256)
    expect(last(y)).toBe(510)
    // another input, and another output in between
    call(
      'WRITE',
      q(x),
      q(1024),
      q(0),
      w(0),
      floats(256, (i) => 3 * i),
    )
    launch(scale, 0, x, y, 256)
    expect(last(y)).toBe(1530)
    call('FILL', q(y), w(0), w(1), q(1024), q(0))
    launch(scale, 0, x, y, 256)
    expect(last(y)).toBe(1530)
    // one that is known races like one that is executed
    const stream = handle(call('STREAM', q(1)))
    launch(add, 0, x, x, z, 256)
    launch(add, 0, x, x, z, 256)
    call('SYNC', w(0), q(0))
    const before = s.host().findings.length
    launch(add, 0, x, x, z, 256)
    launch(add, stream, x, x, z, 256)
    expect(s.host().findings.length).toBeGreaterThan(before)
  })
  it('a kernel of which only machine code is there is refused, and what it may have written is not called unwritten', () => {
    const { s, call, handle, alloc } = program()
    const module = handle(call('IMAGE', fatbin([{ kind: 2, arch: 90, text: 'machine code' }])))
    call('FUNCTION', q(module), q(70), text('k'))
    const y = alloc(64)
    expect(call('LAYOUT', q(70)).status).toBe(209)
    expect(s.refused().length).toBe(1)
    // it would have written y
    call('READ', q(y), q(64), q(0))
    expect(s.host().findings).toEqual([])
    call('READ', q(alloc(64)), q(64), q(0))
    expect(s.host().findings.map(({ id }) => id)).toEqual(['H5'])
  })
  it('a program with a kernel that is refused is undecided', () => {
    const { s, call, handle } = program()
    const module = handle(call('IMAGE', fatbin([{ kind: 2, arch: 90, text: 'machine code' }])))
    call('FUNCTION', q(module), q(70), text('k'))
    call('LAYOUT', q(70))
    expect(verdictOfHost(s.host(), s.refused())).toBe('undecided')
    expect(verdictOfHost(s.host())).toBe('ok')
  })
  it('law 4: of a program that is not kept no bytes and no operations stay', () => {
    const s = session(performing, () => undefined, false)
    const send = (name: Call, ...parts: ReadonlyArray<ReadonlyArray<number> | Uint8Array>): Uint8Array =>
      s.answer(Uint8Array.from([...w(calls.indexOf(name)), ...parts.flatMap((p) => [...p])]))
    send('ALLOC', w(0), q(64), q(0), w(0))
    for (let i = 0; i < 1000; i++) send('WRITE', q(0x7f000000n << 32n), q(64), q(0), w(0), new Uint8Array(64))
    expect([s.count(), s.files().size, s.program('p').operations.length]).toEqual([1001, 0, 0])
    expect(s.host().named.size).toBeLessThan(600)
  })
  it('a wild pointer, a kernel that nobody registered, a call that is none, half a message', () => {
    const { s, told, call, alloc, kernel, launch } = program()
    expect(call('READ', q(0x5555_0000_0000), q(4), q(0)).status).toBe(1)
    expect(call('LAYOUT', q(7)).status).toBe(98)
    expect(s.answer(Uint8Array.from(w(99))).length).toBe(24)
    expect(s.answer(Uint8Array.from([0])).length).toBeGreaterThanOrEqual(24)
    const y = alloc(1024)
    // who launches is not told, who waits is, and so is every call behind it
    expect(launch(kernel('scale', 64), 0, 0x5555_0000_0000n, y, 256).status).toBe(0)
    expect(told.some((line) => line.startsWith('H4'))).toBe(true)
    expect(call('SYNC', w(0), q(0)).status).toBe(700)
    expect(call('ALLOC', w(0), q(4), q(0), w(0)).status).toBe(700)
  })
})

describe('fat binaries', () => {
  it('the texts, in their order, without the zeros behind them', () => {
    expect(
      right(
        ptxIn(
          fatbin([
            { kind: 2, arch: 80, text: 'x' },
            { kind: 1, arch: 90, text: 'abc' },
            { kind: 1, arch: 80, text: '' },
          ]),
        ),
      ),
    ).toEqual([
      { arch: 90, text: 'abc' },
      { arch: 80, text: '' },
    ])
  })
  it('what is compressed otherwise, cut short, or none is refused', () => {
    expect(code(ptxIn(fatbin([{ kind: 1, arch: 90, text: 'abcdefgh', packed: [0xff, 1, 2] }])))).toBe(
      'fatbin.compressed',
    )
    const one = fatbin([{ kind: 1, arch: 90, text: 'abc' }])
    expect(code(ptxIn(one.subarray(0, 84)))).toBe('fatbin.form')
    expect(code(ptxIn(Uint8Array.of(1, 2, 3)))).toBe('fatbin.form')
  })
  it('zstd and LZ4 are read; a text that comes out longer or shorter than it says is refused', () => {
    const text = '.version 8.0 // twice'
    const letters = [...new TextEncoder().encode(text)]
    // a frame of zstd with one block as it stands, and a block of LZ4 of literals alone
    const zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x20, letters.length, (letters.length << 3) | 1, 0, 0, ...letters]
    const lz4 = [0xf0, letters.length - 15, ...letters]
    for (const packed of [zstd, lz4]) {
      expect(right(ptxIn(fatbin([{ kind: 1, arch: 90, text, packed }])))).toEqual([{ arch: 90, text }])
      expect(code(ptxIn(fatbin([{ kind: 1, arch: 90, text: `${text}!`, packed }])))).toBe('fatbin.compressed')
    }
  })
  it('PTX is read out of a program that keeps one module of kernels; of two it is asked which', () => {
    const one = fatbin([{ kind: 1, arch: 90, text: kernels }])
    const fileOf = (...all: ReadonlyArray<Uint8Array>): Uint8Array =>
      Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0, ...all.flatMap((f) => [...f])])
    const read = (bytes: Uint8Array) => readPtx({ ...onDisk, read: () => () => E.right(bytes) })('a.out')
    expect(functionsOf(right(read(fileOf(one)))).length).toBeGreaterThan(10)
    expect(functionsOf(right(read(one))).length).toBeGreaterThan(10)
    expect(code(read(fileOf(one, one)))).toBe('ptx.several')
    expect(code(read(fileOf(fatbin([{ kind: 2, arch: 90, text: 'x' }]))))).toBe('ptx.binary')
  })
  it('they are found in a file', () => {
    const one = fatbin([{ kind: 1, arch: 90, text: 'abc' }])
    const file = new Uint8Array(64 + 2 * one.length)
    file.set(one, 16)
    file.set(one, 32 + one.length)
    expect(fatbinsIn(file)).toEqual([one, one])
  })
})

describe('the C files', () => {
  const hasCompiler = spawnSync('cc', ['--version']).status === 0
  it.runIf(hasCompiler)(
    'are built without a warning, and have every function once',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'shim-'))
      const { header, all } = libraries()
      writeFileSync(join(folder, 'common.h'), header)
      for (const each of all)
        expect([each.soname, built(folder, each, ['-O0', '-Wall', '-Wextra', '-Werror'])]).toEqual([
          each.soname,
          null,
        ])
      const namesIn = (file: string): ReadonlySet<string> =>
        new Set(
          execFileSync('nm', ['-D', '--defined-only', join(folder, file)], { encoding: 'utf8' })
            .split('\n')
            .map((line) => (line.split(' ')[2] ?? '').split('@')[0]!),
        )
      const [driver, runtime, old] = ['libcuda.so.1', 'libcudart.so.13', 'libcudart.so.12'].map(namesIn)
      expect(driverNames.filter((name) => !driver!.has(name))).toEqual([])
      expect(runtimeNamesOf(13).filter((name) => !runtime!.has(name))).toEqual([])
      expect(runtimeNamesOf(12).filter((name) => !old!.has(name))).toEqual([])
    },
    60_000,
  )
  it('every function is in the list of its library, once', () => {
    const names = (all: ReadonlyArray<Function>): ReadonlyArray<string> => all.map(({ name }) => name)
    const of12 = new Set(runtimeNamesOf(12))
    for (const [all, known] of [
      [names(runtimeFunctions), of12],
      [names(driverFunctions), new Set(driverNames)],
    ] as const) {
      expect(all.filter((name) => !known.has(name))).toEqual([])
      expect(new Set(all).size).toBe(all.length)
    }
  })
})
