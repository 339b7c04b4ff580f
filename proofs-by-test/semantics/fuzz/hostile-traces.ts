/** Traces that say they are larger than anything is, or that would cost the square of what they say. */
import type { Json } from '../../../src/wire.js'
import { nightly } from '../../extent.js'

type Fields = Readonly<Record<string, Json>>
type Lines = ReadonlyArray<Json>

const most = 2 ** 53 - 1
const agents = (n: number): Lines =>
  Array.from({ length: n }, (_, k) => ({ name: `a${String(k)}`, cta: 0, warps: 1, starts: true }))
const barriers = (n: number): Lines =>
  Array.from({ length: n }, (_, k) => ({
    name: `b${String(k)}`,
    cta: 0,
    contract: 'ptx',
    ordersTensorCore: false,
    plane: 0,
    address: 8 * k,
  }))
const header = (more: Fields = {}): Json => ({
  schema: 'tcspec.trace/1',
  arch: 'sm90a',
  program: 'hostile',
  agents: agents(2),
  ctas: 1,
  planes: [{ space: 'smem', name: 'smem', cta: 0, bytes: 2 ** 30 - 1, initialised: true }],
  tensors: [],
  computes: null,
  barriers: barriers(1),
  sites: [{ label: 's', path: [] }],
  nondeterminism: [],
  ...more,
})
const trace = (first: Json, ...events: ReadonlyArray<Fields>): Lines => [
  first,
  ...[{ _tag: 'cluster', id: 0 }, ...events].map((e, i): Json => ({ i, ...e })),
]
const stamp = (agent: number, at: number): Json => ({ agent, at, site: 0, iteration: [] })
const exits: ReadonlyArray<Fields> = [0, 1].map((agent) => ({ _tag: 'exit', agent }))
const access = (agent: number, at: number, footprint: Json): Fields => ({
  _tag: 'access',
  stamp: stamp(agent, at),
  rw: 'w',
  proxy: 'generic',
  footprint,
  role: 'source',
})
const spans = (...of: ReadonlyArray<readonly [start: number, bytes: number]>): Json => ({
  _tag: 'spans',
  plane: 0,
  spans: of.map(([start, bytes]) => [start, bytes]),
})
const view = (id: number, extent: number, stride: number, base: number = 0): Fields => ({
  _tag: 'view',
  id,
  plane: 0,
  dtype: 'f32',
  layout: id,
  base,
  define: {
    _tag: 'TransformedRef',
    shape: [extent],
    bits: 32,
    tiling: [],
    strides: [stride],
    byteOffset: 0,
    swizzle: 16,
  },
})
const issue = (operation: number, at: number, more: Fields = {}): Fields => ({
  _tag: 'issue',
  stamp: stamp(0, at),
  operation,
  unit: 'tmaLoad',
  bytes: 16,
  macs: 0,
  accumulates: false,
  ...more,
})
const barrier = (kind: string, at: number, count: number, bytes: number = 0): Fields => ({
  _tag: 'barrier',
  stamp: stamp(0, at),
  kind,
  barrier: 0,
  count,
  bytes,
  release: true,
  scope: 'cta',
  tensor: false,
})
const many = (n: number, of: (k: number) => Fields): ReadonlyArray<Fields> =>
  Array.from({ length: n }, (_, k) => of(k))

const teeth = nightly ? 2 ** 16 : 2 ** 14

/** What is wrong, the lines, and what comes of it. */
export const hostileTraces: ReadonlyArray<readonly [what: string, lines: Lines, comes: string]> = [
  ['2^53 CTAs', trace(header({ ctas: most })), 'trace.size'],
  [
    'a plane of 2^53 bytes',
    trace(header({ planes: [{ space: 'gmem', name: 'g', bytes: most, initialised: false }] })),
    'trace.size',
  ],
  [
    'a tensor of 2^106 elements',
    trace(header({ tensors: [{ name: 't', plane: 0, dtype: 'f32', shape: [most, most], strides: [1, 1] }] })),
    'trace.size',
  ],
  ['9000 agents', trace(header({ agents: agents(9000) })), 'trace.size'],
  ['30,000 barriers', trace(header({ barriers: barriers(30_000) })), 'trace.size'],
  [
    'many clusters of many barriers',
    trace(header({ barriers: barriers(500) }), ...many(3000, (k) => ({ _tag: 'cluster', id: k }))),
    'trace.size',
  ],
  ['a view of 2^40 elements at one place', trace(header(), access(0, 1, view(0, 2 ** 40, 0))), 'trace.size'],
  ['a view beyond its plane', trace(header(), access(0, 1, view(0, 2, 2 ** 30))), 'trace.reference'],
  ['a base of 2^53', trace(header(), access(0, 1, view(0, 4, 1, most))), 'trace.reference'],
  ['an access of 64 MB', trace(header(), access(0, 1, spans([0, 2 ** 26]))), 'trace.size'],
  [
    'two combs of many teeth',
    trace(header(), access(0, 1, view(0, teeth, 2)), access(1, 1, view(1, teeth, 4)), ...exits),
    'hazard',
  ],
  [
    'many places that overlap one another',
    trace(header(), ...many(nightly ? 1000 : 300, (k) => access(k % 2, k + 1, spans([k, 2000]))), ...exits),
    'hazard',
  ],
  [
    'an address beyond 32 bits',
    trace(
      header(),
      access(0, 1, { _tag: 'scatter', id: 0, plane: 0, dtype: 'u8', shape: [1], addresses: [2 ** 32] }),
    ),
    'trace.reference',
  ],
  ['an operation of number 2^53', trace(header(), issue(most, 1)), 'undecided'],
  [
    'the 2^31st part of an operation',
    trace(
      header(),
      issue(0, 1),
      { _tag: 'perform', operation: 0, stage: 'write', part: 2 ** 31 - 1 },
      access(0, 2, spans([0, 4])),
      ...exits,
    ),
    'trace.reference',
  ],
  [
    'a signal of the second part, where one CTA is',
    trace(header(), barrier('init', 1, 1), issue(0, 2), {
      _tag: 'signal',
      to: 'barrier',
      operation: 0,
      part: 1,
      barrier: 0,
      bytes: 16,
    }),
    'trace.reference',
  ],
  ['2^53 signals', trace(header(), issue(0, 1, { signals: most })), 'trace.size'],
  [
    '10,000 operations that never end',
    trace(header(), ...many(10_000, (k) => issue(k, k + 1)), ...exits),
    'undecided',
  ],
  ['event 2^33 of a program', trace(header(), access(0, 2 ** 33, spans([0, 4]))), 'trace.size'],
  [
    'arrivals of 2^31 where one is counted',
    trace(
      header(),
      barrier('init', 1, 1),
      barrier('arrive', 2, 2 ** 31 - 1),
      barrier('drop', 3, 7),
      ...exits,
    ),
    'hazard',
  ],
  ['bytes below nothing', trace(header(), barrier('expect', 1, 0, -most)), 'trace.size'],
  [
    'a barrier that counts to nothing',
    trace(header(), barrier('init', 1, 0), barrier('arrive', 2, 0), ...exits),
    'trace.size',
  ],
  [
    'an iteration of 100,000 loops',
    trace(
      header(),
      {
        ...access(0, 1, spans([0, 4])),
        stamp: { agent: 0, at: 1, site: 0, iteration: Array.from({ length: 100_000 }, () => most) },
      },
      ...exits,
    ),
    'ok',
  ],
  [
    'agents that fork themselves',
    trace(
      header(),
      { _tag: 'fork', stamp: stamp(0, 1), children: [0, 0, 1, 1] },
      { _tag: 'join', stamp: stamp(0, 2), children: [0, 1] },
      ...exits,
      ...exits,
    ),
    'ok',
  ],
  [
    '300 views of one layout, 2^26 elements and more: a list that is shared is long once',
    trace(
      header(),
      ...many(300, (k) => access(0, k + 1, { ...view(k, 2 ** 18, 1, 1024 * k), layout: 0 })),
      ...exits,
    ),
    'ok',
  ],
  [
    '300 layouts of as many elements',
    trace(header(), ...many(300, (k) => access(0, k + 1, view(k, 2 ** 18, 1, 1024 * k)))),
    'trace.size',
  ],
  ['nobody', trace(header({ agents: [] })), 'ok'],
  [
    'an agent of no warps',
    trace(header({ agents: [{ name: 'a', cta: 0, warps: 0, starts: true }] })),
    'trace.form',
  ],
]
