/**
 * Programs of a host: each bug between launches is found at both of its places, and its right twin is ok. The kernels and the programs are in `conformance/programs`; that their
 * results are right is known by arithmetic (files that a program expects), and that a launch alone comes to the same by the command for launch files.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { decodeHost, hostSchema, type HostOperation } from '../../../src/oracle/host/file.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import type { Host } from '../../../src/oracle/host/state.js'
import { bytesOf } from '../../../src/oracle/host/memory.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { right } from '../../either.js'
import { printed } from '../quoted.js'

const folder = new URL('../../../conformance/programs/', import.meta.url).pathname
const performing = {
  files: onDisk,
  where: `${folder}program.json`,
  algebra: () => bits('hopper'),
  judge: null,
  judgeAll: false,
  fuel: usualFuel,
}
const doneOf = (operations: ReadonlyArray<HostOperation>): E.Either<unknown, Host> =>
  performed(performing, { schema: hostSchema, module: 'kernels.ptx', operations })
const done = (operations: ReadonlyArray<HostOperation>): Host => right(doneOf(operations))
const read = (name: string): Host => {
  const program = right(
    decodeHost(JSON.parse(new TextDecoder().decode(right(onDisk.read(`${folder}${name}.json`)())))),
  )
  return right(performed(performing, program))
}

/** Finding, its two operations with what each does, and the lines of kernels.cu. */
const wrong: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['event-missing', ['H1 7 writes kernels.cu:6, 8 reads kernels.cu:10: y']],
  ['event-early', ['H1 8 writes kernels.cu:6, 10 reads kernels.cu:10: y']],
  ['dependent-early', ['H2 5 writes kernels.cu:15, 6 reads kernels.cu:33: y']],
  ['dependent-self', ['H2 5 writes kernels.cu:15, 6 reads kernels.cu:53: y']],
  ['trigger-early', ['H1 5 writes kernels.cu:22, 6 reads kernels.cu:40: y']],
  ['chain-broken', ['H1 6 writes kernels.cu:15, 8 reads kernels.cu:28: y']],
  ['copy-unwaited', ['H3 9 writes, 10 reads: h']],
  ['free-early', ['H1 8 writes kernels.cu:6, 9 writes: w']],
  [
    'workspace-shared',
    [
      'H1 8 writes kernels.cu:6, 10 writes kernels.cu:6: w',
      'H1 9 reads kernels.cu:6, 10 writes kernels.cu:6: w',
      'H1 8 writes kernels.cu:6, 11 reads kernels.cu:6: w',
    ],
  ],
  ['graph-edge-missing', ['H1 5 writes kernels.cu:6, 5 reads kernels.cu:10: y']],
  [
    'graph-event-early',
    [
      'H1 8 writes kernels.cu:10, 9 reads kernels.cu:6: z',
      'H1 8 writes, 9 reads kernels.cu:6: z',
      'H1 8 reads kernels.cu:10, 9 writes kernels.cu:6: y',
    ],
  ],
  [
    'graph-event-unawaited',
    [
      'H1 8 writes kernels.cu:10, 9 reads kernels.cu:6: z',
      'H1 8 writes, 9 reads kernels.cu:6: z',
      'H1 8 reads kernels.cu:10, 9 writes kernels.cu:6: y',
      'H1 8 writes kernels.cu:6, 9 writes kernels.cu:6: y',
    ],
  ],
  ['managed-early', ['H3 7 reads kernels.cu:6, 8 writes: m']],
  ['unwritten', ['H5 5 reads kernels.cu:6: y']],
]
const twins = [
  'event',
  'dependent',
  'dependent-one',
  'trigger',
  'chain',
  'copy',
  'free',
  'workspace',
  'graph',
  'graph-events',
  'managed',
  'counts',
  'list',
  'constant',
  'short',
]
const place = (where: string | null | undefined): string =>
  where === null || where === undefined ? '' : ` ${/^\S+/u.exec(where)![0]}`

describe('bugs between launches', () => {
  it.each(wrong)('%s', (name, expected) => {
    const found = read(name).findings.map(
      ({ id, a, b, memory }) =>
        `${id} ${String(a.operation)} ${a.does}${place(a.where)}${b === undefined ? '' : `, ${String(b.operation)} ${b.does}${place(b.where)}`}: ${memory}`,
    )
    expect(found.sort()).toEqual([...expected].sort())
  })
  it.each(twins)('%s is ok', (name) => {
    const { findings, stopped, compared } = read(name)
    expect([findings, stopped, compared.filter(({ differ }) => differ > 0)]).toEqual([[], null, []])
  })
  it.each(['freed', 'host-pointer'])('%s stops at its launch', (name) => {
    const { findings, stopped } = read(name)
    expect(findings.map(({ id }) => id)).toEqual(['H4'])
    expect(stopped?.operation).toBe(6)
  })
})

const alloc = (memory: string, bytes = 1024): HostOperation => ({ op: 'alloc', memory, bytes })
const scale = (from: string, to: string, at = 0): HostOperation => ({
  op: 'launch',
  launch: {
    kernel: 'scale',
    grid: [2],
    block: [128],
    args: [{ kind: 'pointer', tensor: from, at }, { kind: 'pointer', tensor: to }, 256],
  },
})

describe('lives', () => {
  const idsOf = (...operations: ReadonlyArray<HostOperation>): ReadonlyArray<string> =>
    done(operations).findings.map(({ id, a }) => `${id} ${String(a.operation)}`)
  const write: HostOperation = { op: 'write', to: 'x', file: 'x.npy' }
  it('double free', () => {
    expect(idsOf(alloc('x'), { op: 'free', memory: 'x' }, { op: 'free', memory: 'x' })).toEqual(['H4 2'])
  })
  it('a copy out of bounds, and one of memory that is gone', () => {
    expect(idsOf(alloc('x', 1000), write)).toEqual(['H4 1'])
    expect(idsOf(alloc('x'), { op: 'free', memory: 'x' }, write)).toEqual(['H4 2'])
  })
  it('a launch out of bounds: a pointer into the middle', () => {
    expect(idsOf(alloc('x'), write, alloc('y'), scale('x', 'y'))).toEqual([])
    expect(idsOf(alloc('x'), write, alloc('y'), scale('x', 'y', 4))).toEqual(['H4 3'])
  })
  it('the host in memory of the device', () => {
    expect(idsOf(alloc('x'), write, { op: 'touch', reads: ['x'] })).toEqual(['H3 1', 'H4 2'])
    expect(idsOf(alloc('x'), write, { op: 'synchronize' }, { op: 'touch', reads: ['x'] })).toEqual(['H4 3'])
  })
  it('a read of what nothing has written', () => {
    expect(idsOf(alloc('x'), { op: 'read', from: 'x' })).toEqual(['H5 1'])
    expect(idsOf(alloc('x'), { op: 'fill', memory: 'x', value: 0 }, { op: 'read', from: 'x' })).toEqual([])
  })
})

describe('memory lasts', () => {
  it('what a launch leaves is what the next one finds; a fill has its width', () => {
    const { memories } = done([
      alloc('x'),
      { op: 'write', to: 'x', file: 'x.npy' },
      alloc('y'),
      alloc('z'),
      scale('x', 'y'),
      scale('y', 'z'),
    ])
    const z = memories.get('z')!
    const values = new Float32Array(bytesOf(z, 0, 1024).slice().buffer)
    expect([...values]).toEqual(Array.from({ length: 256 }, (_, i) => 4 * i))
    const filled = done([alloc('x', 8), { op: 'fill', memory: 'x', value: 0x01020304, width: 4 }])
    expect([...bytesOf(filled.memories.get('x')!, 0, 8)]).toEqual([4, 3, 2, 1, 4, 3, 2, 1])
  })
  it('parameters as bytes: an address is what it is in memory', () => {
    const hex = (high: number): string =>
      [0, 0, 0, 0, high & 255, (high >> 8) & 255, (high >> 16) & 255, (high >> 24) & 255]
        .map((b) => b.toString(16).padStart(2, '0'))
        .join('')
    const { memories, findings } = done([
      alloc('x'),
      { op: 'write', to: 'x', file: 'x.npy' },
      alloc('y'),
      {
        op: 'launch',
        launch: { kernel: 'scale', grid: [2], block: [128], args: [] },
        // variables of the module come behind x and y: 7f000000 is x, 7f000001 is y
        parameters: `${hex(0x7f000000)}${hex(0x7f000001)}00010000`,
      },
    ])
    expect(findings).toEqual([])
    expect(new Float32Array(bytesOf(memories.get('y')!, 0, 1024).slice().buffer)[200]).toBe(400)
  })
})

describe('refusals', () => {
  it.each([
    [{ op: 'write', to: 'x' }, 'expected either a file or a value'],
    [{ op: 'wait', event: 'e', streams: 's' }, 'no such key'],
    [{ op: 'launches' }, 'one of alloc'],
  ])('%o', (operation, words) => {
    const decoded = decodeHost({ schema: hostSchema, operations: [operation] })
    expect(E.isLeft(decoded) ? decoded.left.message : '').toContain(words)
  })
  it.each([
    [[{ op: 'free', memory: 'x' }], "no memory 'x'"],
    [[alloc('x'), alloc('x')], 'already'],
    [
      [{ op: 'graph', nodes: [{ name: 'a', after: ['b'], operation: { op: 'callback' } }] }],
      'no node before it',
    ],
    [[{ op: 'launch', module: 'm', launch: { grid: [1], args: [] } }], "no module 'm'"],
  ] as ReadonlyArray<readonly [ReadonlyArray<HostOperation>, string]>)('%o', (operations, words) => {
    const bad = doneOf(operations)
    expect(E.isLeft(bad) ? (bad.left as { message: string }).message : '').toContain(words)
  })
})

describe('the command', () => {
  it('law 1: a program of one launch gives the verdict of the launch', async () => {
    const ran = await printed(`check ${folder}short.json --json`, onDisk)
    expect(ran.status).toBe(0)
    const said = JSON.parse(ran.stdout) as {
      readonly verdict: string
      readonly launches: ReadonlyArray<{ readonly verdict: { readonly verdict: string } }>
    }
    expect([said.verdict, said.launches.map((l) => l.verdict.verdict)]).toEqual(['ok', ['ok']])
  })
  it('exit status, and one line for a flag of one kernel', async () => {
    expect((await printed(`check ${folder}event-missing.json --judge none`, onDisk)).status).toBe(1)
    const refused = await printed(`check ${folder}event.json --grid 2`, onDisk)
    expect([refused.status, refused.stderr.trim().split('\n').length]).toEqual([2, 1])
  })
})
