/**
 * Launches of production size from PTX, judged without data: a persistent product of 132 CTAs with a static schedule, attention of a batch of 4 with 16 heads and 4,096 tokens, two grids
 * whose CTAs meet at barriers of the grid, by a counter and by a sense, and a scan with decoupled look-back. Each beside the same kernel on a small grid, in a process of its own, whose most memory is told.
 *
 *     node bench/production.mjs [NAME...], after a build
 *
 * The last columns are how many times the processor time of the small one the large one takes, and the most memory.
 */
import { execFileSync } from 'node:child_process'
import console from 'node:console'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { TextEncoder } from 'node:util'
import { fileURLToPath, URL } from 'node:url'
import { launchedPtx } from '../dist/oracle/launch/ptx.js'
import { bits } from '../dist/numerics/bits.js'
import { shadow } from '../dist/numerics/shadow.js'
import { warpSource } from '../dist/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../dist/semantics/verdict/check.js'
import { right, table, timed } from './measure.mjs'

const map = (tensor, rows, columns, box, role = 'in') => ({
  kind: 'tensormap',
  tensor,
  dtype: 'f16',
  dims: [columns, rows],
  strides: [2 * columns],
  box,
  swizzle: 128,
  shape: [rows, columns],
  role,
  file: null,
})
const scalar = (name, value) => ({ kind: 'scalar', name, type: 's32', value })

/** 64 x 128 a tile. */
const persistent = (m, n, k, ctas) => ({
  schema: 'tcspec.launch/1',
  name: 'pingpong_matmul',
  kernel: 'pingpong_matmul',
  arch: 'sm_90a',
  grid: [ctas],
  block: [384],
  shared: 107520,
  args: [
    map('a', m, k, [64, 64]),
    map('b', n, k, [64, 128]),
    map('c', m, n, [64, 64], 'out'),
    scalar('across', n / 128),
    scalar('tiles', (m / 64) * (n / 128)),
    scalar('steps', k / 64),
  ],
})
const attention = (queries, keys) => ({
  schema: 'tcspec.launch/1',
  name: 'attention',
  kernel: 'attention',
  arch: 'sm_90a',
  grid: [queries / 128],
  block: [384],
  shared: 50176,
  args: [
    map('q', queries, 64, [64, 64]),
    map('k', keys, 64, [64, 64]),
    map('v', keys, 64, [64, 64]),
    { kind: 'pointer', tensor: 'o', dtype: 'f32', shape: [queries, 64], role: 'out' },
    scalar('blocks', keys / 64),
    { kind: 'scalar', name: 'scale', type: 'f32', value: 0.18 },
  ],
})

/** The first thread of each CTA waits for those of all others: by a counter that only grows. */
const byCounter = (at) => `  fence.acq_rel.gpu;
  red.relaxed.gpu.global.add.u32 [%rd1], 1;
  mul.lo.u32 %r8, %r2, ${String(at + 1)};
ASK${String(at)}:
  ld.relaxed.gpu.global.u32 %r9, [%rd1];
  setp.lt.u32 %p2, %r9, %r8;
  @%p2 bra ASK${String(at)};
  fence.acq_rel.gpu;`
/** By a counter that the last one takes back, and a sense that it turns. */
const bySense = (at) => `  fence.acq_rel.gpu;
  atom.relaxed.gpu.global.add.u32 %r8, [%rd1], 1;
  setp.ne.u32 %p2, %r8, %r11;
  @%p2 bra ASK${String(at)};
  st.relaxed.gpu.global.u32 [%rd1], 0;
  fence.acq_rel.gpu;
  st.relaxed.gpu.global.u32 [%rd1+4], ${String((at + 1) % 2)};
  bra OPEN${String(at)};
ASK${String(at)}:
  ld.relaxed.gpu.global.u32 %r9, [%rd1+4];
  setp.ne.u32 %p2, %r9, ${String((at + 1) % 2)};
  @%p2 bra ASK${String(at)};
OPEN${String(at)}:
  fence.acq_rel.gpu;`

/** Every CTA writes its word, meets all others, reads the word of the next one, and meets them again: in each round. */
const meets = (rounds, by) => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry grid_barrier(.param .u64 count, .param .u64 data)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  sub.u32 %r11, %r2, 1;
  mov.u32 %r3, %tid.x;
  mov.u32 %r10, %ntid.x;
  mad.lo.u32 %r4, %r1, %r10, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd2, %rd3;
  add.u32 %r5, %r1, 1;
  rem.u32 %r5, %r5, %r2;
  mad.lo.u32 %r6, %r5, %r10, %r3;
  mul.wide.u32 %rd5, %r6, 4;
  add.u64 %rd6, %rd2, %rd5;
  setp.ne.u32 %p1, %r3, 0;
${Array.from({ length: rounds }, (_, round) => {
  const meet = (at) => `  bar.sync 0;
  @%p1 bra MET${String(at)};
${by(at)}
MET${String(at)}:
  bar.sync 0;`
  return `  add.u32 %r7, %r4, ${String(round)};
  st.global.u32 [%rd4], %r7;
${meet(2 * round)}
  ld.global.u32 %r9, [%rd6];
${meet(2 * round + 1)}`
}).join('\n')}
  ret;
}
`
const meeting = (ctas, threads, words) => ({
  schema: 'tcspec.launch/1',
  name: 'grid_barrier',
  kernel: 'grid_barrier',
  arch: 'sm_90a',
  grid: [ctas],
  block: [threads],
  shared: 0,
  args: [
    { kind: 'pointer', tensor: 'count', dtype: 's32', shape: [words], role: 'out' },
    { kind: 'pointer', tensor: 'data', dtype: 's32', shape: [ctas * threads], role: 'out' },
  ],
})

/** The first thread of each CTA tells what its CTA has, looks back until a CTA has told all before it, and tells that itself. */
const lookback = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry lookback(.param .u64 flag, .param .u64 aggregate, .param .u64 prefix, .param .u64 data)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<20>;
  .shared .align 4 .b8 before[4];
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [aggregate];
  ld.param.u64 %rd3, [prefix];
  ld.param.u64 %rd4, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r1, %r3, %r2;
  mul.wide.u32 %rd5, %r4, 4;
  add.u64 %rd6, %rd4, %rd5;
  mul.wide.u32 %rd5, %r1, 4;
  add.u64 %rd7, %rd1, %rd5;
  add.u64 %rd8, %rd2, %rd5;
  add.u64 %rd9, %rd3, %rd5;
  mov.u64 %rd10, %rd7;
  mov.u64 %rd11, %rd8;
  mov.u64 %rd12, %rd9;
  mov.u32 %r5, 0;
  add.u32 %r6, %r1, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra MEET;
  st.global.u32 [%rd8], %r6;
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra TELL;
  fence.acq_rel.gpu;
  st.relaxed.gpu.global.u32 [%rd7], 1;
BACK:
  sub.u64 %rd10, %rd10, 4;
  sub.u64 %rd11, %rd11, 4;
  sub.u64 %rd12, %rd12, 4;
WAIT:
  ld.relaxed.gpu.global.u32 %r7, [%rd10];
  setp.eq.u32 %p2, %r7, 0;
  @%p2 bra WAIT;
  fence.acq_rel.gpu;
  setp.eq.u32 %p3, %r7, 2;
  @%p3 bra FOUND;
  ld.global.u32 %r8, [%rd11];
  add.u32 %r5, %r5, %r8;
  bra BACK;
FOUND:
  ld.global.u32 %r8, [%rd12];
  add.u32 %r5, %r5, %r8;
TELL:
  add.u32 %r9, %r5, %r6;
  st.global.u32 [%rd9], %r9;
  fence.acq_rel.gpu;
  st.relaxed.gpu.global.u32 [%rd7], 2;
  st.shared.u32 [before], %r5;
MEET:
  bar.sync 0;
  ld.shared.u32 %r10, [before];
  add.u32 %r10, %r10, %r2;
  st.global.u32 [%rd6], %r10;
  ret;
}
`
const scanning = (ctas, threads) => ({
  schema: 'tcspec.launch/1',
  name: 'lookback',
  kernel: 'lookback',
  arch: 'sm_90a',
  grid: [ctas],
  block: [threads],
  shared: 0,
  args: [
    ...['flag', 'aggregate', 'prefix'].map((tensor) => ({
      kind: 'pointer',
      tensor,
      dtype: 's32',
      shape: [ctas],
      role: 'out',
    })),
    { kind: 'pointer', tensor: 'data', dtype: 's32', shape: [ctas * threads], role: 'out' },
  ],
})

const textOf = (name) =>
  readFileSync(new URL(`../conformance/hopper/warpgroups/${name}/${name}.ptx`, import.meta.url))
const cases = {
  'persistent matmul': {
    text: () => textOf('pingpong_matmul'),
    unknown: ['a', 'b'],
    small: persistent(512, 512, 512, 8),
    large: persistent(4096, 4096, 4096, 132),
  },
  attention: {
    text: () => textOf('attention'),
    unknown: ['q', 'k', 'v'],
    small: attention(64 * 128, 256),
    large: attention(4 * 16 * 4096, 4096),
  },
  'barrier of the grid': {
    text: () => new TextEncoder().encode(meets(2, byCounter)),
    unknown: [],
    small: meeting(8, 384, 1),
    large: meeting(132, 384, 1),
  },
  'barrier of the grid by a sense': {
    text: () => new TextEncoder().encode(meets(2, bySense)),
    unknown: [],
    small: meeting(8, 384, 2),
    large: meeting(132, 384, 2),
  },
  'look-back': {
    text: () => new TextEncoder().encode(lookback),
    unknown: [],
    small: scanning(8, 384),
    large: scanning(132, 384),
  },
}

const judged = ({ text, unknown }, launch) => {
  const held = new Map([
    ['k.ptx', text()],
    ['launch.json', new TextEncoder().encode(JSON.stringify(launch))],
  ])
  const files = {
    read: (path) => () =>
      held.has(path)
        ? { _tag: 'Right', right: held.get(path) }
        : { _tag: 'Left', left: { code: 'file-missing', message: `no ${path}` } },
    exists: (path) => () => held.has(path),
  }
  const { elaborated, arguments: given } = right(launchedPtx(files)('k.ptx', { launch: 'launch.json' }))
  const source = warpSource(elaborated.program, { ...given, unknown: new Set(unknown) })
  return right(
    checkSource(source, { ...standardOptions, provenance: false, algebra: shadow(bits('hopper')) }),
  ).verdict
}

const mark = '--one'
const [first, name, size] = process.argv.slice(2)
if (first === mark) {
  let verdict = null
  const time = await timed(() => {
    verdict = judged(cases[name], cases[name][size])
  })
  console.log(
    JSON.stringify({
      ...time,
      verdict: verdict.verdict,
      reason: verdict.reason,
      classes: verdict.classes?.length ?? null,
      ctas: verdict.counts.ctas * verdict.counts.clusters,
      events: verdict.counts.events,
      peak: process.resourceUsage().maxRSS / 2 ** 10,
    }),
  )
} else {
  const asked = process.argv.slice(2)
  const rows = (asked.length > 0 ? asked : Object.keys(cases)).flatMap((which) => {
    const of = (how) =>
      JSON.parse(
        execFileSync(process.execPath, [fileURLToPath(import.meta.url), mark, which, how], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      )
    const small = of('small')
    return [small, of('large')].map((one, k) => {
      if (one.verdict !== 'ok') throw new Error(`${which}: ${one.verdict}: ${one.reason}`)
      return [
        k === 0 ? `${which}, a small grid` : which,
        (one.wall / 1000).toFixed(1),
        (one.cpu / 1000).toFixed(1),
        `${(one.cpu / small.cpu).toFixed(1)} x`,
        String(one.classes ?? ''),
        `${one.peak.toFixed(0)} MB`,
      ]
    })
  })
  table('launches of production size, without data', [
    ['', 'wall s', 'processor s', 'of the small one', 'classes', 'memory at most'],
    ...rows,
  ])
}
