/** Bulk copies, reductions and words sent to a peer, from their text, against definitions in integers of unbounded size and in JavaScript's own floats. */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager, lazy, seeded } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { programOf } from './small-text.js'

const bytes = 128

interface Asked {
  readonly body: string
  readonly target?: string
  readonly ctas?: number
  /** how the cluster meets before all else; without it: with every fence */
  readonly meets?: string
}

/**
 * Each CTA has `x` (128 bytes a CTA) in `a`, `y` in `b`, and an mbarrier of one arrival in `bar`, which expects nothing. `%ap %bp %barp` are their addresses in the
 * CTA of rank `%peer`, the next one. At the end `b` comes to `out`, 128 bytes a CTA.
 */
const text = ({
  body,
  target = 'sm_90a',
  ctas = 1,
  meets = `fence.mbarrier_init.release.cluster;
fence.proxy.async;
barrier.cluster.arrive;
barrier.cluster.wait;`,
}: Asked): string => `
.version 8.8
.target ${target}
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 g, .param .u64 out)
.reqnctapercluster ${String(ctas)}, 1, 1
{
.reg .pred %p, %q;
.reg .b16 %m;
.reg .b32 %t, %r, %peer, %a, %b, %bar, %ap, %bp, %barp, %v, %w, %at;
.reg .b64 %x, %y, %g, %o, %d;
.shared .align 16 .b8 a[${String(bytes)}];
.shared .align 16 .b8 b[${String(bytes)}];
.shared .align 8 .b8 bar[16];
mov.u32 %t, %tid.x;
mov.u32 %r, %cluster_ctarank;
add.u32 %peer, %r, 1;
rem.u32 %peer, %peer, ${String(ctas)};
mov.u32 %a, a;
mov.u32 %b, b;
mov.u32 %bar, bar;
mapa.shared::cluster.u32 %ap, %a, %peer;
mapa.shared::cluster.u32 %bp, %b, %peer;
mapa.shared::cluster.u32 %barp, %bar, %peer;
ld.param.u64 %x, [x];
ld.param.u64 %y, [y];
ld.param.u64 %g, [g];
ld.param.u64 %o, [out];
mul.wide.u32 %d, %r, ${String(bytes)};
add.u64 %x, %x, %d;
add.u64 %y, %y, %d;
add.u64 %o, %o, %d;
setp.eq.u32 %p, %t, 0;
mul.wide.u32 %d, %t, 4;
add.u64 %x, %x, %d;
add.u64 %y, %y, %d;
shl.b32 %at, %t, 2;
ld.global.u32 %v, [%x];
ld.global.u32 %w, [%y];
add.u32 %a, %a, %at;
add.u32 %b, %b, %at;
st.shared.u32 [%a], %v;
st.shared.u32 [%b], %w;
mov.u32 %a, a;
mov.u32 %b, b;
@%p mbarrier.init.shared.b64 [%bar], 1;
${meets}
${body}
barrier.cluster.arrive;
barrier.cluster.wait;
add.u32 %b, %b, %at;
ld.shared.u32 %v, [%b];
add.u64 %o, %o, %d;
st.global.u32 [%o], %v;
ret;
}
`

const noise = (seed: number, count: number): Uint8Array => {
  let s = seed >>> 0
  return Uint8Array.from({ length: count }, () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0
    return s >>> 24
  })
}

interface Data {
  readonly x: Uint8Array
  readonly y: Uint8Array
}

const launchOf = (ctas: number, d: Data, g: Uint8Array): Parameters<typeof warpSource>[1] => ({
  grid: [ctas],
  block: [32],
  cluster: [ctas],
  dynamicBytes: 0,
  parameters: new Uint8Array(32),
  pointers: ['x', 'y', 'g', 'out'].map((tensor, i) => ({ offset: 8 * i, tensor })),
  tensors: (
    [
      ['x', 'in', d.x, d.x.length],
      ['y', 'in', d.y, d.y.length],
      ['g', 'inout', g, bytes],
      ['out', 'out', null, bytes * ctas],
    ] as const
  ).map(([name, role, contents, size]) => ({
    name,
    role,
    contents,
    bytes: size,
    elements: null,
    symbol: null,
  })),
  sharedBase: usualSharedBase,
})

const programAsked = (a: Asked) => programOf(text(a))

const dataOf = (ctas: number, seed = 1): Data => ({
  x: noise(seed, bytes * ctas),
  y: noise(seed + 9, bytes * ctas),
})

/** What stands in `out`, and in the global memory `g`, which begins as `y` of CTA 0. */
const ran = (a: Asked, d: Data): { readonly out: Uint8Array; readonly g: Uint8Array } => {
  const ctas = a.ctas ?? 1
  const { world, machine, planeOf } = right(
    launchWarps(programAsked(a), launchOf(ctas, d, d.y.slice(0, bytes)), bits('hopper')),
  )
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  expect(outcome).toEqual({ _tag: 'completed' })
  const left = (name: string, size: number): Uint8Array => {
    const found = new Uint8Array(size)
    Plane.copyOut(after.planes[planeOf.get(name)!]!, 0, size, found)
    return found
  }
  return { out: left('out', bytes * ctas), g: left('g', bytes) }
}

const verdictOf = (a: Asked, policy = eager) => {
  const ctas = a.ctas ?? 1
  const d = dataOf(ctas)
  return right(
    checkSource(warpSource(programAsked(a), launchOf(ctas, d, d.y.slice(0, bytes))), {
      ...standardOptions,
      algebra: bits('hopper'),
      policy,
      provenance: false,
      explore: false,
    }),
  ).verdict
}

// ---------------------------------------------------------------- the definition of a reduction

type Joins = (old: DataView, by: DataView, at: number, into: DataView) => void

const integers =
  (width: 4 | 8, signed: boolean, f: (old: bigint, by: bigint) => bigint): Joins =>
  (old, by, at, into) => {
    const get = (v: DataView): bigint =>
      width === 4
        ? BigInt(signed ? v.getInt32(at, true) : v.getUint32(at, true))
        : signed
          ? v.getBigInt64(at, true)
          : v.getBigUint64(at, true)
    const x = BigInt.asUintN(8 * width, f(get(old), get(by)))
    if (width === 4) into.setUint32(at, Number(x), true)
    else into.setBigUint64(at, x, true)
  }

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const most = (a: bigint, b: bigint): bigint => (a < b ? b : a)
const plus = (a: bigint, b: bigint): bigint => a + b

/** By operation and type; where `cluster`, into shared memory too. */
const reductions: ReadonlyArray<
  readonly [op: string, type: string, joins: Joins, width: number, cluster: boolean]
> = [
  ['add', 'u32', integers(4, false, plus), 4, true],
  ['add', 's32', integers(4, true, plus), 4, true],
  ['add', 'u64', integers(8, false, plus), 8, true],
  ['min', 'u32', integers(4, false, least), 4, true],
  ['min', 's32', integers(4, true, least), 4, true],
  ['max', 'u32', integers(4, false, most), 4, true],
  ['max', 's32', integers(4, true, most), 4, true],
  ['min', 'u64', integers(8, false, least), 8, false],
  ['min', 's64', integers(8, true, least), 8, false],
  ['max', 'u64', integers(8, false, most), 8, false],
  ['max', 's64', integers(8, true, most), 8, false],
  ['inc', 'u32', integers(4, false, (a, b) => (a >= b ? 0n : a + 1n)), 4, true],
  ['dec', 'u32', integers(4, false, (a, b) => (a === 0n || a > b ? b : a - 1n)), 4, true],
  ['and', 'b32', integers(4, false, (a, b) => a & b), 4, true],
  ['or', 'b32', integers(4, false, (a, b) => a | b), 4, true],
  ['xor', 'b32', integers(4, false, (a, b) => a ^ b), 4, true],
  ['and', 'b64', integers(8, false, (a, b) => a & b), 8, false],
  ['or', 'b64', integers(8, false, (a, b) => a | b), 8, false],
  ['xor', 'b64', integers(8, false, (a, b) => a ^ b), 8, false],
  [
    'add',
    'f32',
    (old, by, at, into) => {
      into.setFloat32(at, Math.fround(old.getFloat32(at, true) + by.getFloat32(at, true)), true)
    },
    4,
    false,
  ],
  [
    'add',
    'f64',
    (old, by, at, into) => {
      into.setFloat64(at, old.getFloat64(at, true) + by.getFloat64(at, true), true)
    },
    8,
    false,
  ],
]

const joined = (joins: Joins, width: number, old: Uint8Array, by: Uint8Array): Uint8Array => {
  const view = (b: Uint8Array): DataView => new DataView(b.buffer, b.byteOffset, b.byteLength)
  const into = old.slice()
  for (let at = 0; at < old.length; at += width) joins(view(old), view(by), at, view(into))
  return into
}

/** Floats that are none of NaN and its kin. */
const tame = (type: string, ctas: number): Data => {
  const d = dataOf(ctas, 4)
  if (!type.startsWith('f')) return d
  const numbers = (from: Uint8Array): Uint8Array => {
    const out = new Uint8Array(from.length)
    const view = new DataView(out.buffer)
    const width = type === 'f64' ? 8 : 4
    for (let at = 0; at < out.length; at += width) {
      const x = (from[at]! - 128) * 2 ** ((from[at + 1]! % 40) - 20) + from[at + 2]! / 3
      if (width === 8) view.setFloat64(at, x, true)
      else view.setFloat32(at, x, true)
    }
    return out
  }
  return { x: numbers(d.x), y: numbers(d.y) }
}

const group = 'cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;'
const passed = (parity: number): string =>
  `WAIT${String(parity)}:\nmbarrier.try_wait.parity.shared.b64 %q, [%bar], ${String(parity)};\n@!%q bra WAIT${String(parity)};`
const expects = (n: number): string => `@%p mbarrier.arrive.expect_tx.shared.b64 _, [%bar], ${String(n)};`

describe('cp.reduce.async.bulk', () => {
  test.each(
    reductions.map(
      ([op, type, joins, width]) => [`${op}.${type} to global memory`, op, type, joins, width] as const,
    ),
  )('%s', (_, op, type, joins, width) => {
    const d = tame(type, 1)
    const body = `@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.${op}.${type} [%g], [%a], ${String(bytes)};\n${group}`
    expect(ran({ body }, d).g).toEqual(joined(joins, width, d.y, d.x))
  })
  test.each(
    reductions.flatMap(([op, type, joins, width, cluster]) =>
      cluster ? [[`${op}.${type} to a peer`, op, type, joins, width] as const] : [],
    ),
  )('%s', (_, op, type, joins, width) => {
    const d = tame(type, 2)
    const body = `${expects(bytes)}
@%p cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.${op}.${type} [%bp], [%a], ${String(bytes)}, [%barp];
${passed(0)}`
    const { out } = ran({ body, ctas: 2 }, d)
    for (const cta of [0, 1])
      expect(out.slice(bytes * cta, bytes * (cta + 1))).toEqual(
        joined(
          joins,
          width,
          d.y.subarray(bytes * cta, bytes * (cta + 1)),
          d.x.subarray(bytes * (1 - cta), bytes * (2 - cta)),
        ),
      )
  })
  test('halves, in noftz', () => {
    for (const [op, type] of [
      ['add.noftz', 'f16'],
      ['add.noftz', 'bf16'],
      ['min', 'f16'],
      ['max', 'bf16'],
    ] as const) {
      const halves = (by: number): Uint8Array =>
        new Uint8Array(
          Uint16Array.from(
            { length: bytes / 2 },
            (_, i) => (type === 'f16' ? 0x3c00 : 0x3f80) + ((i * by) % 3),
          ).buffer,
        )
      const d = { x: halves(1), y: halves(2) }
      const body = `@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.${op}.${type} [%g], [%a], ${String(bytes)};\n${group}`
      const found = new Uint16Array(ran({ body }, d).g.buffer)
      const [x, y] = [new Uint16Array(d.x.buffer), new Uint16Array(d.y.buffer)]
      found.forEach((word, i) => {
        // one and some last bits: of the sum half as many, to even; of positive numbers the order is that of their bits
        const [a, b] = [x[i]!, y[i]!]
        const one = type === 'f16' ? 0x3c00 : 0x3f80
        const last = a - one + (b - one)
        const half = Math.floor(last / 2) + (last % 2 === 1 && Math.floor(last / 2) % 2 === 1 ? 1 : 0)
        const sum = one + (type === 'f16' ? 0x400 : 0x80) + half
        expect(word).toBe(op === 'min' ? Math.min(a, b) : op === 'max' ? Math.max(a, b) : sum)
      })
    }
  })
  test('two CTAs that add to one place are no race; a store beside it is', () => {
    const reduces = `@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g], [%a], ${String(bytes)};\n${group}`
    for (const policy of [eager, lazy, seeded(3)]) {
      const v = verdictOf({ body: reduces, ctas: 2 }, policy)
      expect([v.verdict, ...v.findings.map((f) => f.text)]).toEqual(['ok'])
    }
    const other = `setp.eq.u32 %q, %r, 1;\n@%q bra NOT;\n${reduces}\nbra END;\nNOT:\n@%p st.global.u32 [%g], %v;\nEND:`
    expect(verdictOf({ body: other, ctas: 2 }).verdict).toBe('hazard')
  })
  test('types that it is not defined for are refused', () => {
    for (const [op, type] of [
      ['add', 's64'],
      ['add', 'f16'],
      ['add.noftz', 'f32'],
      ['inc', 's32'],
      ['and', 'u32'],
      ['min', 'f32'],
    ] as const) {
      const body = `@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.${op}.${type} [%g], [%a], 16;`
      expect(
        E.isLeft(
          E.chainW((m: Parameters<typeof elaborate>[0]) => elaborate(m, 'k', 'k.ptx'))(
            parseModule(text({ body })),
          ),
        ),
      ).toBe(true)
    }
  })
})

describe('cp.async.bulk', () => {
  test('multicast: the same bytes in every CTA of the mask, each told to its own barrier', () => {
    const d = dataOf(4)
    // CTA 1 sends what it has of x to 0, 2 and 3
    const body = `
setp.ne.u32 %q, %r, 1;
@%q mbarrier.arrive.expect_tx.shared.b64 _, [%bar], ${String(bytes * 32)};
setp.eq.u32 %q, %r, 1;
@%q bra SENDS;
RECEIVES:
${passed(0)}
bra DONE;
SENDS:
mov.u16 %m, 13;
sub.u64 %x, %x, %d;
@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%b], [%x], ${String(bytes)}, [%bar], %m;
DONE:
`.replace(`_, [%bar], ${String(bytes * 32)}`, `_, [%bar], ${String(bytes)}`)
    // one lane arrives
    const single = body.replace(
      'setp.ne.u32 %q, %r, 1;\n@%q',
      'setp.ne.u32 %q, %r, 1;\nand.pred %q, %q, %p;\n@%q',
    )
    const { out } = ran({ body: single, ctas: 4 }, d)
    for (const cta of [0, 1, 2, 3])
      expect(out.slice(bytes * cta, bytes * (cta + 1))).toEqual(
        cta === 1 ? d.y.slice(bytes, 2 * bytes) : d.x.slice(bytes, 2 * bytes),
      )
  })
  test('cp_mask: of every 16 bytes those of the mask', () => {
    const d = dataOf(1)
    for (const mask of [0x0001, 0x8421, 0xfffe, 0xffff, 0]) {
      const body = `mov.u16 %m, ${String(mask)};\n@%p cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%g], [%a], ${String(bytes)}, %m;\n${group}`
      const { g } = ran({ body, target: 'sm_100a' }, d)
      expect([...g]).toEqual([...d.y].map((old, i) => (((mask >> (i % 16)) & 1) === 1 ? d.x[i]! : old)))
    }
  })
  test('a barrier of another CTA than the one that is written', () => {
    const body = `@%p cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%bp], [%a], 16, [%bar];`
    expect(verdictOf({ body, ctas: 2 }).reason).toMatch(/A4/u)
  })
  test('the CTA that is read must not have ended', () => {
    const ends = (waits: string): Asked => ({
      ctas: 2,
      body: `
setp.eq.u32 %q, %r, 0;
@%q bra SENDS;
${expects(bytes)}
${passed(0)}
bra DONE;
SENDS:
@%p cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%bp], [%a], ${String(bytes)}, [%barp];
${waits}
DONE:
`,
    })
    {
      const v = verdictOf(ends(''))
      expect([v.verdict, ...v.findings.map((f) => f.text)]).toEqual(['ok'])
    }
    const gone = (policy: typeof eager) => verdictOf(ends('exit;'), policy).verdict
    expect([gone(eager), gone(lazy)]).not.toEqual(['ok', 'ok'])
  })
})

describe('st.async', () => {
  test.each([
    ['b32', '%v', 4],
    ['v2.b32', '{%v, %w}', 8],
    ['v4.u32', '{%v, %w, %t, %r}', 16],
    ['b64', '%x', 8],
  ] as const)('%s: each lane its own words', (type, value, size) => {
    const d = dataOf(2)
    const lanes = bytes / size
    const body = `
mov.b64 %x, {%v, %w};
${expects(bytes)}
setp.lt.u32 %q, %t, ${String(lanes)};
mul.lo.u32 %at, %t, ${String(size)};
add.u32 %bp, %bp, %at;
@%q st.async.shared::cluster.mbarrier::complete_tx::bytes.${type} [%bp], ${value}, [%barp];
${passed(0)}
shl.b32 %at, %t, 2;`
    const { out } = ran({ body, ctas: 2 }, d)
    const found = new Int32Array(out.buffer)
    const wordAt = (b: Uint8Array, i: number): number => new DataView(b.buffer).getInt32(4 * i, true)
    for (const cta of [0, 1])
      for (let lane = 0; lane < lanes; lane++) {
        const from = 32 * (1 - cta) + lane
        const sent = [wordAt(d.x, from), wordAt(d.y, from), lane, 1 - cta].slice(0, size / 4)
        expect([...found.slice(32 * cta + (lane * size) / 4).slice(0, size / 4)]).toEqual(sent)
      }
  })
  test('a release to global memory is refused', () => {
    const body = 'st.async.release.gpu.global.b32 [%g], %v;'
    expect(
      E.isLeft(
        E.chainW((m: Parameters<typeof elaborate>[0]) => elaborate(m, 'k', 'k.ptx'))(
          parseModule(text({ body, target: 'sm_100a' })),
        ),
      ),
    ).toBe(true)
  })
  test('a barrier of the sender', () => {
    const body = `st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%bp], %v, [%bar];`
    expect(verdictOf({ body, ctas: 2 }).reason).toMatch(/A4/u)
  })
})

describe('st.bulk', () => {
  const target = 'sm_100a'
  const clears = (size: number, at = '%b', space = '.shared::cta'): string =>
    `@%p st.bulk.weak${space} [${at}], ${String(size)}, 0;\nbar.warp.sync -1;`
  const copied = (fence: string): string => `
@%p st.bulk.weak.shared::cta [%b], 64, 0;
${fence}
@%p cp.async.bulk.global.shared::cta.bulk_group [%g], [%b], 128;
@%p cp.async.bulk.commit_group;
@%p cp.async.bulk.wait_group 0;`
  test.each([0, 8, 64, 120, 128])('%s bytes are zero, and no other', (size) => {
    const d = dataOf(1)
    expect(ran({ target, body: clears(size) }, d).out).toEqual(d.y.map((byte, i) => (i < size ? 0 : byte)))
  })
  test('a size of each lane, in a register', () => {
    const d = dataOf(1)
    const body = `
and.b32 %w, %t, 7;
setp.ne.u32 %q, %w, 0;
cvt.u64.u32 %d, %t;
add.u32 %v, %b, %at;
@!%q st.bulk.weak.shared::cta [%v], %d, 0;
mul.wide.u32 %d, %t, 4;`
    // lanes 0, 8, 16 and 24 clear 0, 8, 16 and 24 bytes
    const isClear = (i: number): boolean => i % 32 < Math.floor(i / 32) * 8
    expect(ran({ target, body }, d).out).toEqual(d.y.map((byte, i) => (isClear(i) ? 0 : byte)))
  })
  test.each([
    [12, 'cpAsync.bytes'],
    [-8, 'cpAsync.bytes'],
    [136, 'I2'],
  ] as const)('%s bytes are refused: %s', (size, code) => {
    const body = `mov.b64 %d, ${String(size)};\n@%p st.bulk.weak.shared::cta [%b], %d, 0;`
    const v = verdictOf({ target, body })
    expect([v.verdict, v.reason.includes(code)]).toEqual(['invalid', true])
  })
  test('in global memory it is refused', () => {
    expect(verdictOf({ target, body: clears(8, '%g', '') }).reason).toMatch(/shared memory of the CTA/u)
  })
  test('it is a plain store: a barrier orders it, and the asynchronous proxy needs a fence', () => {
    const ids = (body: string): ReadonlyArray<string> => verdictOf({ target, body }).findings.map((f) => f.id)
    expect(ids(clears(64))).toEqual([])
    expect(
      ids(`@%p st.bulk.weak.shared::cta [%b], 64, 0;\nadd.u32 %w, %b, %at;\nst.shared.u32 [%w], %t;`),
    ).toEqual(['D5'])
    // the fence of the beginning stands before the store
    expect(ids(copied(''))).toEqual(['P2'])
    expect(ids(copied('fence.proxy.async;'))).toEqual([])
    // all lanes leave the same there
    expect(ids('st.bulk.weak.shared::cta [%b], 64, 0;')).toEqual([])
  })
})

describe('red.async', () => {
  const ops = reductions.filter(([op, type, , , cluster]) => cluster && (type !== 'u64' || op === 'add'))
  test.each(ops.map(([op, type, joins, width]) => [`${op}.${type}`, joins, width] as const))(
    '%s',
    (name, joins, width) => {
      const d = dataOf(2)
      const lanes = bytes / width
      const body = `
mov.b64 %x, {%v, %w};
${expects(bytes)}
setp.lt.u32 %q, %t, ${String(lanes)};
mul.lo.u32 %at, %t, ${String(width)};
add.u32 %bp, %bp, %at;
@%q red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.${name} [%bp], ${width === 8 ? '%x' : '%v'}, [%barp];
${passed(0)}
shl.b32 %at, %t, 2;`
      const { out } = ran({ body, ctas: 2 }, d)
      for (const cta of [0, 1]) {
        const by = new Uint8Array(bytes)
        for (let lane = 0; lane < lanes; lane++) {
          const from = bytes * (1 - cta) + 4 * lane
          by.set(d.x.subarray(from, from + 4), width * lane)
          if (width === 8) by.set(d.y.subarray(from, from + 4), width * lane + 4)
        }
        expect(out.slice(bytes * cta, bytes * (cta + 1))).toEqual(
          joined(joins, width, d.y.subarray(bytes * cta, bytes * (cta + 1)), by),
        )
      }
    },
  )
  test('all lanes to one word, from every CTA, are no race', () => {
    const body = `
${expects(128 * 1)}
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%bp], 1, [%barp];
${passed(0)}`
    const d = dataOf(2)
    const { out } = ran({ body, ctas: 2 }, d)
    const first = (b: Uint8Array, at: number): number => new DataView(b.buffer).getUint32(at, true)
    for (const cta of [0, 1]) expect(first(out, bytes * cta)).toBe((first(d.y, bytes * cta) + 32) >>> 0)
    for (const policy of [eager, lazy, seeded(1)])
      expect(verdictOf({ body, ctas: 2 }, policy).verdict).toBe('ok')
    // read before they have come
    const early = `${expects(128)}
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%bp], 1, [%barp];`
    expect(verdictOf({ body: early, ctas: 2 }).verdict).toBe('hazard')
  })
})

describe('st.async: lanes of one instruction that send to one word', () => {
  /** Where a lane sends what: as text, and in numbers. */
  type Sent = readonly [
    name: string,
    text: string,
    place: (lane: number) => number,
    words: (lane: number) => ReadonlyArray<number>,
  ]
  const all: ReadonlyArray<Sent> = [
    ['each to its own', 'shl.b32 %at, %t, 2;', (t) => 4 * t, (t) => [t]],
    ['two to one', 'shl.b32 %at, %t, 2;\nand.b32 %at, %at, -8;', (t) => (4 * t) & -8, (t) => [t]],
    ['all to one', 'mov.u32 %at, 0;', () => 0, (t) => [t]],
    ['all to one, one number', 'mov.u32 %at, 0;\nmov.u32 %t, 7;', () => 0, () => [7]],
    ['two to one pair', 'shl.b32 %at, %t, 2;\nand.b32 %at, %at, -8;', (t) => (4 * t) & -8, (t) => [7, t]],
    [
      'two to one pair, two numbers',
      'shl.b32 %at, %t, 2;\nand.b32 %at, %at, -8;\nmov.u32 %t, 7;',
      (t) => (4 * t) & -8,
      () => [7, 7],
    ],
  ]
  /** Is there a word that is sent two numbers? */
  const differs = (place: Sent[2], words: Sent[3]): boolean => {
    const there = new Map<number, number>()
    return Array.from({ length: 32 }, (_, lane) => lane).some((lane) =>
      words(lane).some((word, k) => {
        const at = place(lane) + 4 * k
        const known = there.get(at)
        there.set(at, word)
        return known !== undefined && known !== word
      }),
    )
  }
  test.each(all)('%s', (_, places, place, words) => {
    const size = 4 * words(0).length
    const sends = words(0).length === 1 ? 'u32 [%bp], %t' : 'v2.u32 [%bp], {%w, %t}'
    const body = `
${places}
${expects(32 * size)}
add.u32 %bp, %bp, %at;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.${sends}, [%barp];
${passed(0)}
mov.u32 %at, %tid.x;
shl.b32 %at, %at, 2;`
    const { verdict, findings } = verdictOf({ body: `mov.u32 %w, 7;${body}`, ctas: 2 })
    expect([verdict, ...new Set(findings.map(({ id }) => id))]).toEqual(
      differs(place, words) ? ['hazard', 'W1'] : ['ok'],
    )
  })
})

describe('a fence of barriers by the lane that has initialised them', () => {
  const arrives = '@%p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%barp];'
  const ids = (a: Asked): ReadonlyArray<string> => {
    const { verdict, findings } = verdictOf(a)
    return [verdict, ...new Set(findings.map(({ id }) => id))]
  }
  test.each([
    ['@%p fence.mbarrier_init.release.cluster;', '.relaxed', ['ok']],
    ['fence.mbarrier_init.release.cluster;', '.relaxed', ['ok']],
    ['@!%p fence.mbarrier_init.release.cluster;', '.relaxed', ['hazard', 'B9']],
    ['', '.relaxed', ['hazard', 'B9']],
    ['', '', ['ok']],
  ])('%s barrier.cluster.arrive%s', (fence, how, expected) => {
    const meets = `${fence}\nbarrier.cluster.arrive${how};\nbarrier.cluster.wait;`
    expect(ids({ body: `${arrives}\n${passed(0)}`, ctas: 2, meets })).toEqual(expected)
  })
  test.each([
    ['@%p fence.mbarrier_init.release.cluster;', ['ok']],
    ['@!%p fence.mbarrier_init.release.cluster;', ['hazard', 'B9']],
    ['', ['hazard', 'B9']],
  ])('%s mbarrier.arrive.relaxed, by all lanes', (fence, expected) => {
    const meets = `
@%p mbarrier.inval.shared.b64 [%bar];
@%p mbarrier.init.shared.b64 [%bar], 32;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive;
barrier.cluster.wait;`
    const body = `
@%p mbarrier.init.shared.b64 [%bar + 8], 1;
${fence}
mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%barp];
bar.warp.sync -1;
AGAIN:
mbarrier.try_wait.parity.acquire.cluster.shared.b64 %q, [%bar], 0;
@!%q bra AGAIN;
@%p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%barp + 8];
ONCE:
mbarrier.try_wait.parity.acquire.cluster.shared.b64 %q, [%bar + 8], 0;
@!%q bra ONCE;`
    expect(ids({ body, ctas: 2, meets })).toEqual(expected)
  })
})

describe('memory of a peer', () => {
  test('.shared::cta has the memory of the CTA itself', () => {
    for (const body of [
      'ld.shared.u32 %v, [%bp];',
      'st.shared::cta.u32 [%bp], %v;',
      'atom.shared.add.u32 %v, [%bp], 1;',
      '@%p mbarrier.arrive.shared.b64 _, [%barp];',
      '@%p mbarrier.init.shared.b64 [%barp], 1;',
      passed(0).replace('[%bar]', '[%barp]'),
    ])
      expect(verdictOf({ body, ctas: 2 }).reason, body).toMatch(/address\.peer/u)
    // a generic address of a peer is none of a barrier that is waited for
    const generic = 'cvt.u64.u32 %y, %barp;\ncvta.shared.u64 %y, %y;\nmbarrier.arrive.b64 _, [%y];'
    expect(verdictOf({ body: generic, ctas: 2 }).reason).toMatch(/address\.peer/u)
  })
  test('.shared::cluster, and a generic address, have that of all', () => {
    for (const body of [
      'ld.shared::cluster.u32 %v, [%bp];',
      'atom.shared::cluster.add.u32 %v, [%ap], 1;',
      'cvt.u64.u32 %y, %bp;\ncvta.shared::cluster.u64 %y, %y;\nld.u32 %v, [%y];',
      'mapa.u64 %y, %y, %peer;'
        .replace('%y, %y', '%y, %d')
        .replace('mapa', 'cvt.u64.u32 %d, %b;\ncvta.shared.u64 %d, %d;\nmapa') +
        '\nld.u32 %v, [%y];\nmul.wide.u32 %d, %t, 4;',
    ])
      expect(verdictOf({ body, ctas: 2 }).verdict, body).toBe('ok')
  })
  test('arrivals at a peer: in every form, with the order that they say', () => {
    // a write to global memory of the peer's, read behind the wait
    const told = (arrive: string, waits = 'mbarrier.try_wait.parity.acquire.cluster.shared.b64'): Asked => ({
      ctas: 2,
      body: `
setp.eq.u32 %q, %r, 0;
@%q bra TELLS;
WAIT0:
${waits} %q, [%bar], 0;
@!%q bra WAIT0;
@%p ld.global.u32 %v, [%g];
bra DONE;
TELLS:
@%p st.global.u32 [%g], %v;
@%p ${arrive}
DONE:
`,
    })
    for (const arrive of [
      'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%barp];',
      'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%barp], 1;',
      'mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%barp], 0;',
      'fence.acq_rel.cluster;\n@%p mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%barp];',
    ])
      expect(verdictOf(told(arrive)).verdict, arrive).toBe('ok')
    expect(verdictOf(told('mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%barp];')).verdict).toBe(
      'hazard',
    )
    expect(
      verdictOf(told('mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%barp];')).verdict,
    ).toBe('ok')
  })
  test('getctarank and isspacep', () => {
    const asks = `
getctarank.shared::cluster.u32 %v, %bp;
setp.eq.u32 %q, %v, %peer;
@!%q trap;
getctarank.shared::cluster.u32 %v, %b;
setp.eq.u32 %q, %v, %r;
@!%q trap;
cvt.u64.u32 %y, %bp;
cvta.shared::cluster.u64 %y, %y;
getctarank.u64 %v, %y;
setp.eq.u32 %q, %v, %peer;
@!%q trap;
isspacep.shared::cluster %q, %y;
@!%q trap;
isspacep.shared::cta %q, %y;
@%q trap;
isspacep.shared %q, %y;
@%q trap;
cvt.u64.u32 %y, %b;
cvta.shared.u64 %y, %y;
isspacep.shared::cta %q, %y;
@!%q trap;
isspacep.shared::cta %q, %g;
@%q trap;`
    expect(verdictOf({ body: asks, ctas: 2 }).verdict).toBe('ok')
  })
})

describe('the barrier of the cluster', () => {
  const lower = 'setp.lt.u32 %q, %t, 16;'
  test('lanes that are apart come to it one part after the other', () => {
    const parts = (second: string): string => `${lower}
@%q bra LOW;
${second}
bra MET;
LOW:
barrier.cluster.arrive.release;
barrier.cluster.wait.acquire;
MET:`
    for (const policy of [eager, lazy, seeded(2)])
      expect(
        verdictOf({ body: parts('barrier.cluster.arrive;\nbarrier.cluster.wait;'), ctas: 2 }, policy).verdict,
      ).toBe('ok')
    // one part's second wait has no arrival, whatever the other part has waited for
    const twice = parts('barrier.cluster.arrive;\nbarrier.cluster.wait;\nbarrier.cluster.wait;')
    expect(verdictOf({ body: twice, ctas: 2 }).verdict).toBe('hazard')
    const again = 'barrier.cluster.arrive;\nbarrier.cluster.wait;\n'
    const rounds = parts(again + again).replace(/LOW:\n([^]*)MET:/u, 'LOW:\n$1$1MET:')
    expect(verdictOf({ body: rounds, ctas: 2 }).verdict).toBe('ok')
    expect(verdictOf({ body: parts('barrier.cluster.arrive.aligned;'), ctas: 2 }).reason).toMatch(
      /warp\.aligned/u,
    )
    expect(verdictOf({ body: parts(''), ctas: 2 }).verdict).not.toBe('ok')
  })
  test('a relaxed arrival orders nothing but what a fence says', () => {
    const across = (arrive: string): Asked => ({
      ctas: 2,
      body: `
st.shared.u32 [%a], %r;
${arrive}
barrier.cluster.wait.acquire.aligned;
ld.shared::cluster.u32 %v, [%ap];`,
    })
    const one = (body: Asked): Asked => ({
      ctas: 2,
      body: body.body.replaceAll('st.shared', '@%p st.shared').replaceAll('ld.shared', '@%p ld.shared'),
    })
    expect(verdictOf(one(across('barrier.cluster.arrive.release.aligned;'))).verdict).toBe('ok')
    expect(verdictOf(one(across('barrier.cluster.arrive.aligned;'))).verdict).toBe('ok')
    expect(verdictOf(one(across('barrier.cluster.arrive.relaxed.aligned;'))).verdict).toBe('hazard')
    expect(
      verdictOf(one(across('fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed.aligned;'))).verdict,
    ).toBe('ok')
  })
})
