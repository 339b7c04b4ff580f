/** Recorded bytes: parameters one after another lie as the kernel declares them, tensor maps are those of the memories that are there, and what cannot be replayed is copies. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { withPtx } from '../../../src/oracle/cuda/capture.js'
import { decodeHost, hostSchema, type HostOperation, type MapIn } from '../../../src/oracle/host/file.js'
import { addressOf, bytesOf } from '../../../src/oracle/host/memory.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import { encodeNpy, npyArray } from '../../../src/oracle/tensor-files/npy.js'
import { encoded } from '../../../src/semantics/instructions/tma/object.js'
import { code, right } from '../../either.js'
import { inMemory } from '../disk.js'

/** It stores its number behind the pointer: the pointer lies at byte 8, behind a gap. */
const text = `.version 8.0
.target sm_90
.address_size 64
.visible .entry put(.param .u32 n, .param .u64 p)
{
  .reg .b64 %d; .reg .b32 %r;
  ld.param.u64 %d, [p]; ld.param.u32 %r, [n];
  st.global.u32 [%d], %r;
  ret;
}
`
const npy = (...of: ReadonlyArray<number>): Uint8Array =>
  right(encodeNpy(right(npyArray('u1', [of.length], Uint8Array.from(of)))))
const ran = (
  operations: ReadonlyArray<HostOperation>,
  files: ReadonlyArray<readonly [string, Uint8Array]> = [],
) =>
  performed(
    {
      files: inMemory(new Map([['put.ptx', new TextEncoder().encode(text)], ...files])),
      where: 'program.json',
      algebra: () => bits('hopper'),
      judge: null,
      judgeAll: false,
      fuel: usualFuel,
    },
    { schema: hostSchema, module: 'put.ptx', operations },
  )
const put = (
  parameters: string,
  more: Pick<HostOperation & { op: 'launch' }, 'sizes' | 'pointers'>,
): HostOperation => ({
  op: 'launch',
  launch: { kernel: 'put', grid: [1], block: [1], args: [] },
  parameters,
  ...more,
})
const pointer = (at: number) => [{ at, memory: 'y', byte: 4 }]

describe('parameters', () => {
  const y: HostOperation = { op: 'alloc', memory: 'y', bytes: 8 }
  it('one after another with their sizes, or as they are declared: the same launch', () => {
    for (const launch of [
      put(`78563412${'00'.repeat(12)}`, { pointers: pointer(8) }),
      put(`78563412${'00'.repeat(8)}`, { pointers: pointer(4), sizes: [4, 8] }),
    ]) {
      const { memories, findings } = right(ran([y, launch]))
      expect(findings).toEqual([])
      expect([...bytesOf(memories.get('y')!, 4, 4)]).toEqual([0x78, 0x56, 0x34, 0x12])
    }
  })
  it('other sizes are refused', () => {
    expect(code(ran([y, put('00'.repeat(12), { sizes: [8, 4] })]))).toBe('launch.parameters')
    expect(code(ran([y, put('00'.repeat(12), {})]))).toBe('launch.parameters')
    expect(code(ran([y, put('00'.repeat(11), { sizes: [4, 8] })]))).toBe('launch.parameters')
  })
})

describe('tensor maps', () => {
  const maps: ReadonlyArray<MapIn> = [
    {
      at: 64,
      byte: 256,
      map: { kind: 'tensormap', tensor: 'x', dtype: 'f16', dims: [64, 8], box: [64, 8], swizzle: 128 },
    },
  ]
  const all: ReadonlyArray<HostOperation> = [
    { op: 'alloc', memory: 'x', bytes: 2048 },
    { op: 'alloc', memory: 'm', bytes: 192 },
  ]
  it('are the bytes of a map over the memory that is there', () => {
    const file = npy(...Array.from({ length: 192 }, (_, i) => i & 255))
    const h = right(ran([...all, { op: 'write', to: 'm', file: 'm.npy', maps }], [['m.npy', file]]))
    const address = addressOf(h.memories.get('x')!) + 256n
    const expected = encoded(
      {
        elements: 'f16',
        dims: [64, 8],
        strides: [128],
        box: [64, 8],
        elementStrides: [1, 1],
        window: null,
        swizzle: 128,
        fill: 'zero',
      },
      Number(address & 0xffffffffn),
      Number(address >> 32n),
    )
    expect(bytesOf(h.memories.get('m')!, 64, 128)).toEqual(expected)
    expect([...bytesOf(h.memories.get('m')!, 60, 4)]).toEqual([60, 61, 62, 63])
  })
  it('one that does not fit is refused', () => {
    const file = npy(...Array.from({ length: 100 }, () => 0))
    expect(code(ran([...all, { op: 'write', to: 'm', file: 'm.npy', maps }], [['m.npy', file]]))).toBe(
      'host.pointer',
    )
  })
})

describe('a launch without PTX', () => {
  it('is left out, and what it has written is copied; law 2', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tcspec-record-'))
    const launch = (kernel: string): HostOperation => ({
      op: 'launch',
      module: 'a.cubin',
      launch: { kernel, grid: [1], block: [1], args: [] },
      parameters: `78563412${'00'.repeat(8)}`,
      sizes: [4, 8],
      pointers: pointer(4),
    })
    const program = {
      schema: hostSchema,
      modules: { 'a.cubin': 'a.cubin' },
      operations: [
        { op: 'alloc', memory: 'x', bytes: 4 },
        { op: 'write', to: 'x', file: 'x0.npy' },
        { op: 'alloc', memory: 'y', bytes: 8 },
        { op: 'write', to: 'y', file: 'y0.npy' },
        launch('machine_code'),
        { op: 'synchronize' },
        { op: 'read', from: 'x', file: 'x0.npy' },
        { op: 'read', from: 'y', file: 'y1.npy' },
        launch('put'),
        { op: 'synchronize' },
        { op: 'read', from: 'y', file: 'y2.npy' },
        // memory that is not in the record
        {
          op: 'launch',
          module: 'a.cubin',
          launch: { kernel: 'put', grid: [1], block: [1], args: [] },
          parameters: '00'.repeat(12),
          sizes: [4, 8],
          pointers: [{ at: 4, memory: 'large', byte: 0 }],
        },
        // a variable of a module that is left out
        { op: 'write', to: 'constants', file: 'x0.npy' },
      ],
    }
    writeFileSync(join(folder, 'program.json'), JSON.stringify(program))
    writeFileSync(join(folder, 'a.cubin'), 'machine code')
    const cache = mkdtempSync(join(tmpdir(), 'tcspec-record-'))
    writeFileSync(join(cache, 'k.ptx'), text)
    expect(right(withPtx(folder, [cache]))).toEqual({
      launches: 1,
      without: ['machine_code'],
      large: ['put'],
    })
    const made = right(decodeHost(JSON.parse(readFileSync(join(folder, 'program.json'), 'utf8'))))
    expect(made.modules).toEqual({ 'put.ptx': 'put.ptx' })
    expect(made.operations.map((o) => `${o.op} ${'file' in o ? String(o.file) : ''}`)).toEqual([
      'alloc ',
      'write x0.npy',
      'alloc ',
      'write y0.npy',
      'write y1.npy',
      'launch ',
      'synchronize ',
      'read y2.npy',
    ])
    const { compared } = right(
      performed(
        {
          files: inMemory(
            new Map([
              ['x0.npy', npy(1, 2, 3, 4)],
              ['y0.npy', npy(0, 0, 0, 0, 0, 0, 0, 0)],
              ['y1.npy', npy(9, 9, 9, 9, 9, 9, 9, 9)],
              ['y2.npy', npy(9, 9, 9, 9, 0x78, 0x56, 0x34, 0x12)],
              ['put.ptx', readFileSync(join(folder, 'put.ptx'))],
            ]),
          ),
          where: 'program.json',
          algebra: () => bits('hopper'),
          judge: null,
          judgeAll: false,
          fuel: usualFuel,
        },
        made,
      ),
    )
    expect(compared.map(({ differ, elements }) => [differ, elements])).toEqual([[0, 8]])
  })
})
