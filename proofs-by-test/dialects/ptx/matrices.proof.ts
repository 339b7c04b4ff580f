/** ldmatrix, stmatrix and movmatrix from their text, against matrices that are written down row by row. */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { programOf } from './small-text.js'

const lanes = Array.from({ length: 32 }, (_, l) => l)
const rows = 64

/** Shared memory is filled from `x`; lane l means row `order[l]`; what stands in `out` and shared memory is kept. */
const text = (
  what: string,
  { target = 'sm_90a', before = '', after = '' }: { target?: string; before?: string; after?: string } = {},
): string => `
.version 8.8
.target ${target}
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 order, .param .u64 v, .param .u64 out, .param .u64 memory)
{
.reg .pred %p<4>;
.reg .b32 %t, %a, %b, %i, %w<8>, %r<8>;
.reg .b64 %x, %o, %y, %m, %c, %g;
.shared .align 16 .b8 m[${String(16 * rows)}];
mov.u32 %t, %tid.x;
ld.param.u64 %x, [x];
ld.param.u64 %y, [v];
ld.param.u64 %o, [out];
ld.param.u64 %m, [memory];
ld.param.u64 %c, [order];
mul.wide.u32 %g, %t, 4;
add.u64 %c, %c, %g;
add.u64 %x, %x, %g;
add.u64 %m, %m, %g;
shl.b32 %b, %t, 2;
mov.u32 %a, m;
add.u32 %b, %a, %b;
${Array.from({ length: rows / 8 }, (_, i) => `ld.global.u32 %i, [%x+${String(128 * i)}];\nst.shared.u32 [%b+${String(128 * i)}], %i;`).join('\n')}
mul.wide.u32 %g, %t, 16;
add.u64 %y, %y, %g;
add.u64 %o, %o, %g;
ld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%y];
mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
ld.global.u32 %i, [%c];
shl.b32 %i, %i, 4;
add.u32 %a, %a, %i;
cvt.u64.u32 %g, %a;
cvta.shared.u64 %g, %g;
bar.warp.sync 0xffffffff;
${before}
${what}
${after}
bar.warp.sync 0xffffffff;
st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
${Array.from({ length: rows / 8 }, (_, i) => `ld.shared.u32 %i, [%b+${String(128 * i)}];\nst.global.u32 [%m+${String(128 * i)}], %i;`).join('\n')}
ret;
}
`

/** Any bytes, the same again for a seed. */
const noise = (seed: number, count: number): Uint8Array => {
  let s = seed >>> 0
  return Uint8Array.from({ length: count }, () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0
    return s >>> 24
  })
}

/** A permutation of the rows, of which lanes take the first 32. */
const orderOf = (seed: number): ReadonlyArray<number> => {
  const keys = noise(seed, rows)
  return Array.from({ length: rows }, (_, i) => i).sort((a, b) => keys[a]! - keys[b]! || a - b)
}

interface Given {
  readonly x: Uint8Array
  readonly order: ReadonlyArray<number>
  readonly v: Uint8Array
}

const given = (seed: number): Given => ({
  x: noise(seed, 16 * rows),
  order: orderOf(seed + 1).slice(0, 32),
  v: noise(seed + 2, 512),
})

const argumentsOf = (g: Given): Parameters<typeof warpSource>[1] => {
  const order = new Uint8Array(new Uint32Array(g.order).buffer)
  const tensor = (name: string, role: 'in' | 'out', contents: Uint8Array | null, size: number) => ({
    name,
    role,
    contents,
    bytes: size,
    elements: null,
    symbol: null,
  })
  return {
    grid: [1],
    block: [32],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(40),
    pointers: ['x', 'order', 'v', 'out', 'memory'].map((name, i) => ({ offset: 8 * i, tensor: name })),
    tensors: [
      tensor('x', 'in', g.x, g.x.length),
      tensor('order', 'in', order, 128),
      tensor('v', 'in', g.v, 512),
      tensor('out', 'out', null, 512),
      tensor('memory', 'out', null, 16 * rows),
    ],
    sharedBase: usualSharedBase,
  }
}

/** What lanes have in their four registers, and what is left in shared memory. */
const ran = (source: string, g: Given): { readonly out: Uint8Array; readonly memory: Uint8Array } => {
  const { world, machine, planeOf } = right(launchWarps(programOf(source), argumentsOf(g), bits('hopper')))
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  expect(outcome).toEqual({ _tag: 'completed' })
  const left = (name: string, size: number): Uint8Array => {
    const bytes = new Uint8Array(size)
    Plane.copyOut(after.planes[planeOf.get(name)!]!, 0, size, bytes)
    return bytes
  }
  return { out: left('out', 512), memory: left('memory', 16 * rows) }
}

const verdictOf = (source: string) =>
  right(
    checkSource(warpSource(programOf(source), argumentsOf(given(1))), {
      ...standardOptions,
      algebra: bits('hopper'),
      policy: eager,
      provenance: false,
      explore: false,
    }),
  ).verdict

// ---------------------------------------------------------------- definitions

/** Of a matrix by rows: register r of a lane as bytes. */
type Fragment = (element: (row: number, column: number) => number, lane: number) => ReadonlyArray<number>

/** 8 x 8 halves: PTX ISA, the figure of ldmatrix: row l/4, columns 2(l%4), 2(l%4)+1. */
const halves: Fragment = (element, lane) =>
  [0, 1].flatMap((k) => {
    const half = element(lane >> 2, 2 * (lane & 3) + k)
    return [half & 255, half >> 8]
  })

/** 8 x 16 bytes: a row is in four lanes that follow one another, four columns each. */
const bytes: Fragment = (element, lane) => [0, 1, 2, 3].map((k) => element(lane >> 2, 4 * (lane & 3) + k))

interface Form {
  readonly opcode: string
  readonly count: 1 | 2 | 4
  readonly target: string
  /** the bytes of lane l, all its registers */
  readonly loaded: (row: (k: number) => Uint8Array, lane: number) => ReadonlyArray<number>
}

const half =
  (row: (k: number) => Uint8Array, j: number, transposed: boolean) =>
  (r: number, c: number): number => {
    const [i, k] = transposed ? [c, r] : [r, c]
    const line = row(8 * j + i)
    return line[2 * k]! | (line[2 * k + 1]! << 8)
  }

/** Field k of a row of packed ones, bit by bit. */
const field = (line: Uint8Array, width: number, k: number): number => {
  let out = 0
  for (let b = 0; b < width; b++) {
    const bit = width * k + b
    out |= ((line[bit >> 3]! >> (bit & 7)) & 1) << b
  }
  return out
}

const counts = [1, 2, 4] as const
const matricesOf = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, j) => j)

const forms: ReadonlyArray<Form> = [
  ...counts.flatMap((count) =>
    [false, true].map((transposed): Form => ({
      opcode: `ldmatrix.sync.aligned.m8n8.x${String(count)}${transposed ? '.trans' : ''}.shared.b16`,
      count,
      target: 'sm_90a',
      loaded: (row, lane) => matricesOf(count).flatMap((j) => halves(half(row, j, transposed), lane)),
    })),
  ),
  ...counts.flatMap((count) =>
    [['b4x16_p64', 4] as const, ['b6x16_p32', 6] as const].map(([format, width]): Form => ({
      opcode: `ldmatrix.sync.aligned.m8n16.x${String(count)}.shared::cta.b8x16.${format}`,
      count,
      target: 'sm_100a',
      loaded: (row, lane) =>
        matricesOf(count).flatMap((j) => bytes((r, c) => field(row(8 * j + r), width, c), lane)),
    })),
  ),
  // 16 x 16: four columns that follow one another of each of two rows of the transposed matrix, two columns of both rows a register
  ...([1, 2] as const).flatMap((count) =>
    [['b8', 8] as const, ['b8x16.b4x16_p64', 4] as const, ['b8x16.b6x16_p32', 6] as const].map(
      ([format, width]): Form => ({
        opcode: `ldmatrix.sync.aligned.m16n16.x${String(count)}.trans.shared.${format}`,
        count: count === 1 ? 2 : 4,
        target: 'sm_100a',
        loaded: (row, lane) =>
          matricesOf(count).flatMap((j) =>
            [0, 2].flatMap((first) =>
              [0, 8].flatMap((down) =>
                [0, 1].map((k) => field(row(16 * j + 4 * (lane & 3) + first + k), width, (lane >> 2) + down)),
              ),
            ),
          ),
      }),
    ),
  ),
]

const registers = (name: string, n: number): string =>
  `{${Array.from({ length: n }, (_, i) => `%${name}${String(i)}`).join(', ')}}`

describe('loads', () => {
  test.each(forms.map((f) => [f.opcode, f] as const))('%s', (_, f) => {
    for (const seed of sampled(3, [11, 12, 13])) {
      const g = given(seed)
      const { out, memory } = ran(
        text(`${f.opcode} ${registers('r', f.count)}, [%a];`, { target: f.target }),
        g,
      )
      const row = (k: number): Uint8Array => g.x.subarray(16 * g.order[k]!, 16 * g.order[k]! + 16)
      for (const lane of lanes) {
        const expected = [...f.loaded(row, lane)]
        while (expected.length < 16) expected.push(0)
        expect([...out.subarray(16 * lane, 16 * lane + 16)], `lane ${String(lane)}`).toEqual(expected)
      }
      expect(memory).toEqual(g.x)
    }
  })
  test('a generic address, and modifiers in the order in which others write them', () => {
    const g = given(5)
    const plain = ran(text('ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0,%r1,%r2,%r3}, [%a];'), g)
    for (const other of [
      'ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%r0,%r1,%r2,%r3}, [%g];',
      'ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%r0,%r1,%r2,%r3}, [%a];',
      'ldmatrix.sync.aligned.m8n8.x4.shared.trans.b16 {%r0,%r1,%r2,%r3}, [%a];',
    ])
      expect(ran(text(other), g).out).toEqual(plain.out)
  })
})

describe('stores', () => {
  const stored: ReadonlyArray<readonly [string, 1 | 2 | 4, string, boolean]> = [
    ...counts.flatMap((n) => [
      [`stmatrix.sync.aligned.m8n8.x${String(n)}.shared.b16`, n, 'sm_90a', false] as const,
      [`stmatrix.sync.aligned.m8n8.x${String(n)}.trans.shared.b16`, n, 'sm_90a', true] as const,
      [`stmatrix.sync.aligned.m16n8.x${String(n)}.trans.shared.b8`, n, 'sm_100a', true] as const,
    ]),
  ]
  test.each(stored)('%s', (opcode, n, target, transposed) => {
    const g = given(n + (transposed ? 20 : 30))
    const { memory } = ran(text(`${opcode} [%a], ${registers('w', n)};`, { target }), g)
    const expected = g.x.slice()
    const byteOf = (lane: number, register: number, byte: number): number =>
      g.v[16 * lane + 4 * register + byte]!
    for (let j = 0; j < n; j++)
      for (let r = 0; r < 8; r++)
        for (let c = 0; c < 16; c++) {
          // row r, byte c of the matrix in memory
          const from = opcode.includes('m16n8')
            ? // an accumulator of 16 x 8: element (c, r), of lane 4(c%8) + r/2, the r%2-th of the upper or lower rows
              byteOf(4 * (c % 8) + (r >> 1), j, 2 * (c >> 3) + (r & 1))
            : transposed
              ? byteOf(4 * (c >> 1) + (r >> 1), j, 2 * (r & 1) + (c & 1))
              : byteOf(4 * r + (c >> 2), j, c & 3)
          expected[16 * g.order[8 * j + r]! + c] = from
        }
    expect(memory).toEqual(expected)
  })
})

test('movmatrix: the transposed matrix, and twice the same again', () => {
  const g = given(3)
  const { out } = ran(
    text(
      'movmatrix.sync.aligned.m8n8.trans.b16 %r0, %w0;\nmovmatrix.sync.trans.aligned.m8n8.b16 %r1, %r0;\nmov.u32 %r2, %w1;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r2;',
    ),
    g,
  )
  const matrix = (from: Uint8Array, register: number): ReadonlyArray<ReadonlyArray<number>> =>
    Array.from({ length: 8 }, (_, r) =>
      Array.from({ length: 8 }, (__, c) => {
        const at = 16 * (4 * r + (c >> 1)) + 4 * register + 2 * (c & 1)
        return from[at]! | (from[at + 1]! << 8)
      }),
    )
  const turned = (m: ReadonlyArray<ReadonlyArray<number>>) => m.map((_, r) => m.map((line) => line[r]!))
  expect(matrix(out, 0)).toEqual(turned(matrix(g.v, 0)))
  expect(matrix(out, 1)).toEqual(matrix(g.v, 0))
  expect(matrix(out, 2)).toEqual(turned(matrix(g.v, 1)))
})

describe('what is refused, or a fault', () => {
  const load = 'ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];'
  test('a whole warp, rows at multiples of 16, in shared memory', () => {
    expect(verdictOf(text(load)).verdict).toBe('ok')
    const faults: ReadonlyArray<readonly [string, string, RegExp]> = [
      ['setp.lt.u32 %p1, %t, 16;', `@%p1 ${load}`, /ldmatrix.*all lanes of the warp must execute/u],
      [
        'setp.lt.u32 %p1, %t, 16;',
        '@%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r0, %w0;',
        /movmatrix.*all lanes of the warp must execute/u,
      ],
      [
        'setp.lt.u32 %p1, %t, 16;',
        '@%p1 stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%w0};',
        /stmatrix.*all lanes of the warp must execute/u,
      ],
      ['add.u32 %a, %a, 8;', load, /not a multiple of 16/u],
      ['setp.gt.u32 %p1, %t, 20;\n@%p1 exit;', load, /some have ended/u],
      ['', 'ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%o];', /shared memory of the CTA/u],
      [
        'setp.eq.u32 %p1, %t, 5;\n@%p1 mov.b64 %g, %o;',
        'ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%g];',
        /shared memory of the CTA/u,
      ],
    ]
    for (const [before, what, why] of faults) expect(verdictOf(text(what, { before })).reason).toMatch(why)
  })
  test('lanes behind the last row give no address', () => {
    const wild = 'setp.ge.u32 %p1, %t, 8;\n@%p1 mov.u32 %a, 3;'
    expect(verdictOf(text(load, { before: wild })).verdict).toBe('ok')
    expect(
      verdictOf(text(load.replace('x1', 'x2').replace('{%r0}', '{%r0, %r1}'), { before: wild })).verdict,
    ).not.toBe('ok')
  })
  test.each(forms.map(({ opcode, count, target }) => [opcode, count, target] as const))(
    '%s: what nothing has written is asked for by a branch',
    (opcode, count, target) => {
      const asks = (row: string): string =>
        `${opcode} ${registers('r', count)}, [${row}];\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 mov.u32 %r0, 2;\n@%p1 bra NEXT;\nNEXT:`
      const here =
        '.shared .align 16 .b8 fresh[512];\nshl.b32 %w7, %t, 4;\nmov.u32 %i, fresh;\nadd.u32 %i, %i, %w7;'
      expect(verdictOf(text(asks('%a'), { target })).verdict).toBe('ok')
      expect(verdictOf(text(asks('%i'), { target, before: here })).reason).toMatch(
        /reads bytes of smem@0 that nothing has written/u,
      )
    },
  )
  test.each([
    ['ldmatrix.sync.aligned.m8n8', '.shared.b16', 'sm_90a'],
    ['ldmatrix.sync.aligned.m8n16', '.shared.b8x16.b4x16_p64', 'sm_100a'],
    ['ldmatrix.sync.aligned.m8n16', '.shared.b8x16.b6x16_p32', 'sm_100a'],
  ])('of what another warp writes only rows that are read are raced for: %s%s', (shape, type, target) => {
    // warp 1 writes 16 bytes at byte 128: row 8, which x1 does not read and x2 does
    const source = (count: 1 | 2): string => `
.version 8.8
.target ${target}
.address_size 64
.visible .entry k()
{
.reg .pred %p;
.reg .b32 %t, %a, %r<4>;
.shared .align 16 .b8 m[512];
mov.u32 %t, %tid.x;
mov.u32 %a, m;
setp.ge.u32 %p, %t, 32;
@%p bra OTHER;
shl.b32 %t, %t, 4;
add.u32 %a, %a, %t;
st.shared.v4.b32 [%a], {%t, %t, %t, %t};
bar.sync 0;
${shape}.x${String(count)}${type} ${registers('r', count)}, [%a];
setp.eq.u32 %p, %r${String(count - 1)}, 1;
@%p st.shared.b32 [%a], %t;
ret;
OTHER:
bar.sync 0;
setp.eq.u32 %p, %t, 32;
@%p st.shared.v4.b32 [%a+128], {%t, %t, %t, %t};
ret;
}
`
    const judged = (text: string): string =>
      right(
        checkSource(
          warpSource(programOf(text), {
            grid: [1],
            block: [64],
            cluster: null,
            dynamicBytes: 0,
            parameters: new Uint8Array(0),
            pointers: [],
            tensors: [],
            sharedBase: usualSharedBase,
          }),
          { ...standardOptions, algebra: bits('hopper'), policy: eager, provenance: false, explore: false },
        ),
      ).verdict.verdict
    expect([judged(source(1)), judged(source(2))]).toEqual(['ok', 'hazard'])
  })
})
