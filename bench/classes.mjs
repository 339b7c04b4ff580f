/**
 * Grids of production size, judged by one CTA of each class: `ring.ptx` and `attention.ptx` without data and the kernel `hopper-matmul`, beside a grid of 64 CTAs of which every one
 * is run. Attention has as many queries as a batch of 4 with 16 heads of 4,096 tokens, and one head of keys and values for all.
 *
 *     node bench/classes.mjs [M N K], after a build; 4096 8192 4096 if it is not said
 *
 * The last column is how many times the processor time of the small grid the whole one takes; the line below is the most memory that the process has held.
 */
import console from 'node:console'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { TextEncoder } from 'node:util'
import { URL } from 'node:url'
import { launchedPtx } from '../dist/oracle/launch/ptx.js'
import { instanceOf, kernelNamed } from '../dist/kernels/catalogue/index.js'
import { bits } from '../dist/numerics/bits.js'
import { shadow } from '../dist/numerics/shadow.js'
import { warpSource } from '../dist/semantics/execution/launch-warps.js'
import { check, checkSource, standardOptions } from '../dist/semantics/verdict/check.js'
import { right, table, timed } from './measure.mjs'

const [m = 4096, n = 8192, k = 4096] = process.argv.slice(2).map(Number)
const tile = 128
const ctas = (m / tile) * (n / tile)
const texts = new Map(
  ['ring', 'attention'].map((name) => [
    name,
    readFileSync(new URL(`../conformance/hopper/warpgroups/${name}/${name}.ptx`, import.meta.url)),
  ]),
)

const map = (tensor, rows, depth, boxRows = tile) => ({
  kind: 'tensormap',
  tensor,
  dtype: 'f16',
  dims: [depth, rows],
  strides: [2 * depth],
  box: [64, boxRows],
  swizzle: 128,
  shape: [rows, depth],
  role: 'in',
  file: null,
})
const launchOf = (rows, columns, depth) => ({
  schema: 'tcspec.launch/1',
  name: 'ring',
  kernel: 'ring',
  arch: 'sm_90a',
  grid: [columns / tile, rows / tile],
  block: [384],
  shared: 98352,
  args: [
    map('a', rows, depth),
    map('b', columns, depth),
    { kind: 'pointer', tensor: 'c', dtype: 'f32', shape: [rows, columns], role: 'out' },
    { kind: 'scalar', name: 'columns', type: 's32', value: columns },
    { kind: 'scalar', name: 'steps', type: 's32', value: depth / 64 },
  ],
})
const head = 64
const queriesOfCta = 128
const keysOfBlock = 64
const attentionOf = (queries, keys) => ({
  schema: 'tcspec.launch/1',
  name: 'attention',
  kernel: 'attention',
  arch: 'sm_90a',
  grid: [queries / queriesOfCta],
  block: [384],
  shared: 50176,
  args: [
    map('q', queries, head, 64),
    map('k', keys, head, 64),
    map('v', keys, head, 64),
    { kind: 'pointer', tensor: 'o', dtype: 'f32', shape: [queries, head], role: 'out' },
    { kind: 'scalar', name: 'blocks', type: 's32', value: keys / keysOfBlock },
    { kind: 'scalar', name: 'scale', type: 'f32', value: 0.18 },
  ],
})
const filesOf = (launch) => {
  const held = new Map([
    [`${launch.name}.ptx`, texts.get(launch.name)],
    ['launch.json', new TextEncoder().encode(JSON.stringify(launch))],
  ])
  return {
    read: (path) => () =>
      held.has(path)
        ? { _tag: 'Right', right: held.get(path) }
        : { _tag: 'Left', left: { code: 'file-missing', message: `no ${path}` } },
    exists: (path) => () => held.has(path),
  }
}
const options = { ...standardOptions, explore: false }
const good = (checked) => {
  if (checked.verdict.verdict !== 'ok') throw new Error(checked.verdict.reason)
  return checked.verdict.classes?.length ?? null
}
const ofPtx = (launch, unknown, everyCluster) => {
  const { elaborated, arguments: given } = right(
    launchedPtx(filesOf(launch))(`${launch.name}.ptx`, { launch: 'launch.json' }),
  )
  const source = warpSource(elaborated.program, { ...given, unknown: new Set(unknown) })
  return good(
    right(
      checkSource(source, { ...options, everyCluster, provenance: false, algebra: shadow(bits('hopper')) }),
    ),
  )
}
const ring = (rows, columns, depth, everyCluster) => () =>
  ofPtx(launchOf(rows, columns, depth), ['a', 'b'], everyCluster)
const attention = (queries, keys, everyCluster) => () =>
  ofPtx(attentionOf(queries, keys), ['q', 'k', 'v'], everyCluster)
const core = (rows, columns, depth, everyCluster) => () => {
  const settings = { m: rows, n: columns, k: depth, tileM: tile, tileN: tile, tileK: 64, stages: 3 }
  const { program } = right(instanceOf(right(kernelNamed('hopper-matmul')), settings, []))
  return good(right(check(program, { ...options, everyCluster })))
}

const rows = []
for (const [name, count, small, grid] of [
  ['hopper-matmul', ctas, core(1024, 1024, 1024, true), core(m, n, k, false)],
  ['ring.ptx', ctas, ring(1024, 1024, 1024, true), ring(m, n, k, false)],
  [
    'attention.ptx',
    (4 * 16 * 4096) / queriesOfCta,
    attention(64 * queriesOfCta, 256, true),
    attention(4 * 16 * 4096, 4096, false),
  ],
]) {
  small()
  const whole = await timed(small)
  let classes = null
  const large = await timed(() => {
    classes = grid()
  })
  rows.push(
    [`${name}, 64 CTAs, every one`, '64', (whole.cpu / 1000).toFixed(2), '1.00'],
    [
      `${name}, ${String(count)} CTAs`,
      String(classes ?? count),
      (large.cpu / 1000).toFixed(2),
      (large.cpu / whole.cpu).toFixed(2),
    ],
  )
}
table(`${String(m)} x ${String(n)} x ${String(k)}, and attention, by classes, without data`, [
  ['', 'CTAs run', 'processor s', 'of 64 CTAs'],
  ...rows,
])
console.log(`  at most ${(process.resourceUsage().maxRSS / 2 ** 10).toFixed(0)} MB`)
