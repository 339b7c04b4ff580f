/**
 * H5 by use: bytes that nothing has written may be read and moved with a struct, and it is a finding where something comes of them. What comes of them is known by hand, for each body of
 * a kernel that reads eight structs of an int, four bytes of padding and a long; and the bytes that are moved are those that the fields had.
 */
import { describe, expect, it } from 'vitest'
import type { HostOperation } from '../../../src/oracle/host/file.js'
import { bytesOf } from '../../../src/oracle/host/memory.js'
import type { Host } from '../../../src/oracle/host/state.js'
import { doneWith as performed, header } from './texts.js'

/** %rd1 is struct number %r1 of x, %rd2 that of y; %r2 is the padding, and so is the upper word of %rd4. */
const entry = (name: string, body: string): string => `
.visible .entry ${name}(.param .u64 x, .param .u64 y)
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .shared .align 16 .b8 s_${name}[128];
  .local .align 16 .b8 l_${name}[16];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 16;
  ld.param.u64 %rd1, [x];
  add.s64 %rd1, %rd1, %rd3;
  ld.param.u64 %rd2, [y];
  add.s64 %rd2, %rd2, %rd3;
${body}
  ret;
}
`
const load = 'ld.global.v2.b64 {%rd4, %rd5}, [%rd1];'
const pad = 'ld.global.b32 %r2, [%rd1+4];'
const store = 'st.global.v2.b64 [%rd2], {%rd4, %rd5};'
/** Is not executed without a log. */
const slowly = `mov.u32 %r9, s_NAME;\nmbarrier.init.shared.b64 [%r9], 1;`

const nothing: ReadonlyArray<readonly [string, string]> = [
  ['moved', `${load}\n${store}`],
  [
    'moved word by word',
    `${pad}\nst.global.b32 [%rd2+4], %r2;\nst.global.b64 [%rd2+8], %rd3;\nst.global.b32 [%rd2], %r1;`,
  ],
  [
    'chosen by what is known',
    `${load}\nld.global.v2.b64 {%rd6, %rd7}, [%rd1];\nsetp.lt.u32 %p1, %r1, 3;\nselp.b64 %rd4, %rd4, %rd6, %p1;\nselp.b64 %rd5, %rd7, %rd5, %p1;\n${store}`,
  ],
  [
    'given to another lane',
    `${load}\nmov.b64 {%r3, %r4}, %rd4;\nshfl.sync.bfly.b32 %r3, %r3, 1, 31, 0xff;\nshfl.sync.bfly.b32 %r4, %r4, 1, 31, 0xff;\nmov.b64 %rd4, {%r3, %r4};\n${store}`,
  ],
  [
    'through shared memory',
    `${load}\nmov.u32 %r3, s_NAME;\nshl.b32 %r4, %r1, 4;\nadd.u32 %r3, %r3, %r4;\nst.shared.v2.b64 [%r3], {%rd4, %rd5};\nld.shared.v2.b64 {%rd4, %rd5}, [%r3];\n${store}`,
  ],
  [
    'through local memory',
    `${load}\nst.local.v2.b64 [l_NAME], {%rd4, %rd5};\nld.local.v2.b64 {%rd4, %rd5}, [l_NAME];\n${store}`,
  ],
  [
    'computed with, and dropped',
    `${pad}\nadd.u32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 5;\nst.global.b32 [%rd2], %r1;`,
  ],
  ['cut off', `ld.global.b64 %rd4, [%rd1];\nand.b64 %rd4, %rd4, 0xffffffff;\nst.global.b64 [%rd2], %rd4;`],
  [
    'dropped, in a kernel that has a log',
    `${slowly}\n${pad}\nadd.u32 %r3, %r2, 1;\nst.global.b32 [%rd2], %r1;`,
  ],
]
const something: ReadonlyArray<readonly [string, string]> = [
  ['a sum is stored', `${pad}\nadd.u32 %r3, %r2, 1;\nst.global.b32 [%rd2], %r3;`],
  [
    'it decides a branch',
    `${pad}\nsetp.eq.u32 %p1, %r2, 5;\n@%p1 bra L_NAME;\nst.global.b32 [%rd2], %r1;\nL_NAME:`,
  ],
  ['it decides who stores', `${pad}\nsetp.eq.u32 %p1, %r2, 5;\n@%p1 st.global.b32 [%rd2], %r1;`],
  ['it chooses', `${pad}\nsetp.eq.u32 %p1, %r2, 5;\nselp.b32 %r3, 1, 2, %p1;\nst.global.b32 [%rd2], %r3;`],
  [
    'it is an address',
    `${pad}\nmul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd2, %rd6;\nst.global.b32 [%rd6], %r1;`,
  ],
  ['it is added to memory', `${pad}\nst.global.b32 [%rd2], 0;\nred.global.add.u32 [%rd2], %r2;`],
  [
    'lanes vote by it',
    `${pad}\nsetp.eq.u32 %p1, %r2, 5;\nvote.sync.ballot.b32 %r3, %p1, 0xff;\nst.global.b32 [%rd2], %r3;`,
  ],
  ['lanes add it up', `${pad}\nredux.sync.add.u32 %r3, %r2, 0xff;\nst.global.b32 [%rd2], %r3;`],
  [
    'which lane gives is open',
    `${pad}\nshfl.sync.idx.b32 %r3, %r1, %r2, 31, 0xff;\nst.global.b32 [%rd2], %r3;`,
  ],
  ['it is not padding where it comes to', `${pad}\nst.global.b32 [%rd2], %r2;\nst.global.b32 [%rd2+4], %r2;`],
  [
    'a sum is stored, in a kernel that has a log',
    `${slowly}\n${pad}\nadd.u32 %r3, %r2, 1;\nst.global.b32 [%rd2], %r3;`,
  ],
]

const text = (bodies: ReadonlyArray<readonly [string, string]>): string =>
  [
    header,
    entry('fields', 'st.global.b32 [%rd2], %r1;\nst.global.b64 [%rd2+8], %rd3;'),
    ...bodies.map(([name, body]) => entry(name, body.replaceAll('NAME', name))),
  ].join('')

const doneWith = (
  bodies: ReadonlyArray<readonly [string, string]>,
  operations: ReadonlyArray<HostOperation>,
): Host => performed(text(bodies), operations)

const alloc = (memory: string): HostOperation => ({ op: 'alloc', memory, bytes: 128 })
const launch = (kernel: string, from: string, to: string): HostOperation => ({
  op: 'launch',
  launch: {
    kernel,
    grid: [1],
    block: [8],
    args: [from, to].map((tensor) => ({ kind: 'pointer', tensor, at: 0 })),
  },
})
const structs: ReadonlyArray<HostOperation> = [alloc('x'), alloc('y'), launch('fields', 'y', 'x')]
const foundIn = (h: Host): ReadonlyArray<string> =>
  h.findings.map(({ id, a, memory }) => `${id} ${String(a.operation)} ${memory}`)

describe('nothing comes of it', () => {
  it.each(nothing)('%s', (_, body) => {
    const h = doneWith([['k', body]], [...structs, launch('k', 'x', 'y')])
    expect([foundIn(h), h.stopped]).toEqual([[], null])
  })
  it('the fields are there, and the padding is as before', () => {
    const h = doneWith([['k', `${load}\n${store}`]], [...structs, launch('k', 'x', 'y')])
    const y = h.memories.get('y')!
    expect([...bytesOf(y, 0, 128)]).toEqual([...bytesOf(h.memories.get('x')!, 0, 128)])
    expect([...bytesOf(y, 32, 16)]).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0])
    expect([...y.written!.subarray(112)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
  })
  it('memory that was all written has gaps afterwards', () => {
    const h = doneWith(
      [['k', `${load}\n${store}`]],
      [...structs, { op: 'fill', memory: 'y', value: 1 }, launch('k', 'x', 'y')],
    )
    expect([...h.memories.get('y')!.written!.subarray(0, 8)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
  })
})

describe('something comes of it', () => {
  it.each(something)('%s', (_, body) => {
    expect(foundIn(doneWith([['k', body]], [...structs, launch('k', 'x', 'y')]))).toContain('H5 3 x')
  })
  it('one launch moves it, and the next uses it', () => {
    const h = doneWith(
      [
        ['move', `${load}\n${store}`],
        ['sum', something[0]![1]],
      ],
      [...structs, alloc('z'), launch('move', 'x', 'y'), launch('sum', 'y', 'z')],
    )
    expect(foundIn(h)).toEqual(['H5 5 y'])
  })
  it('all of a memory is moved, and nothing has written it', () => {
    const h = doneWith([['k', `${load}\n${store}`]], [alloc('x'), alloc('y'), launch('k', 'x', 'y')])
    expect(foundIn(h)).toEqual(['H5 2 x'])
  })
})
