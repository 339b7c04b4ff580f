/** Programs that ask for more than there is: each would hang, or fill the memory, if somebody just did what it says. */
import type { Json } from '../../../src/wire.js'
import { nightly } from '../../extent.js'

const crowd = nightly ? 30_000 : 8_000

type Fields = Readonly<Record<string, Json>>

// ---------------------------------------------------------------- JSON of programs

const site: Json = { label: 's', path: [] }
const i32: Json = { _tag: 'scalar', dtype: 'i32' }
const f32: Json = { _tag: 'scalar', dtype: 'f32' }
const constant = (value: number | string, dtype: string = 'i32'): Json => ({ _tag: 'const', dtype, value })
const named = (name: string): Json => ({ _tag: 'name', name })
const add = (x: Json, y: Json): Json => ({ _tag: 'binary', op: 'add', x, y })
const region = (...body: ReadonlyArray<Json>): Json => ({ params: [], body, yields: [] })

const let_ = (name: string, type: Json, expr: Json): Json => ({
  _tag: 'Let',
  binder: { name, type },
  expr,
  site,
})
const do_ = (instruction: Json, ...results: ReadonlyArray<Json>): Json => ({
  _tag: 'Do',
  results,
  instruction,
  site,
})
const for_ = (name: string, to: Json, ...body: ReadonlyArray<Json>): Json => ({
  _tag: 'For',
  index: { name, type: i32 },
  from: constant(0),
  to,
  step: constant(1),
  carried: [],
  body: region(...body),
  results: [],
  site,
})
const forEver = (...body: ReadonlyArray<Json>): Json => ({
  _tag: 'While',
  carried: [],
  before: { params: [], body: [], yields: [constant(1, 'i1')] },
  after: region(...body),
  results: [],
  site,
})
const if_ = (...then: ReadonlyArray<Json>): Json => ({
  _tag: 'If',
  cond: constant(1, 'i1'),
  then: region(...then),
  else: region(),
  results: [],
  site,
})
const nested = (n: number, around: (inner: Json, k: number) => Json, core: Json): Json =>
  Array.from({ length: n }, (_, k) => k).reduce(around, core)

const fence = do_({ _tag: 'fence.mbarrierInit' })
const warps = (n: number): ReadonlyArray<Json> =>
  Array.from({ length: n }, (_, k) => ({ name: `w${String(k)}`, kind: 'warp', firstWarp: k % 32, warps: 1 }))
const launched = (grid: ReadonlyArray<number>, cluster: number = 1, agents: number = 1): Json => ({
  grid: grid.map((n) => constant(n)),
  cluster: [cluster],
  agents: warps(agents),
})
const program = (body: ReadonlyArray<Json>, more: Fields = {}): Json => ({
  schema: 'tcspec.program/1',
  name: 'hostile',
  arch: 'sm90a',
  params: [],
  launch: launched([1]),
  storage: [],
  entry: region(...body),
  ...more,
})

const iota = (n: number): Json => ({ _tag: 'iota', shape: [n], axis: 0, start: 0, layout: 'any' })
const tile = (shape: ReadonlyArray<number>, element: Json = i32): Json => ({
  _tag: 'tile',
  shape,
  element,
  layout: 'any',
})
const layout = (extent: number, stride: number): Json => ({
  _tag: 'TransformedRef',
  shape: [extent],
  bits: 32,
  tiling: [],
  strides: [stride],
  byteOffset: 0,
  swizzle: 16,
})
const words = (extent: number, stride: number, space: string = 'smem'): Json => ({
  id: 'x',
  space,
  owner: space === 'regs' ? { agent: 'w0' } : 'cta',
  contents: { _tag: 'elements', dtype: 'f32', layout: layout(extent, stride) },
  bits: 32,
  align: 16,
})
const barriers = (n: number): Json => ({
  id: 'b',
  space: 'smem',
  owner: 'cta',
  contents: { _tag: 'barriers', contract: 'ptx', ordersTensorCore: false, shape: [n] },
  bits: 64,
  align: 8,
})
const tensor = (extent: number, stride: number): Json => ({
  _tag: 'tensor',
  name: 't',
  dtype: 'f32',
  shape: [constant(extent)],
  strides: [constant(stride)],
  role: 'in',
})
const load = (n: number, name: string = 'v'): Json =>
  do_({ _tag: 'smem.load', source: { _tag: 'storage', storage: 'x' } }, { name, type: tile([n], f32) })
const reduced: Json = {
  _tag: 'reduce',
  x: named('a'),
  axis: 0,
  combine: { params: ['l', 'r'], body: [], result: add(named('l'), named('r')) },
  layout: 'any',
}

const counter: Json = {
  _tag: 'tensor',
  name: 't',
  dtype: 'i32',
  shape: [constant(1)],
  strides: [constant(1)],
  role: 'inout',
}
const semaphore = do_({
  _tag: 'semaphore.wait',
  at: { _tag: 'paramPtr', param: 't' },
  value: constant(1),
  decrement: false,
  scope: 'gpu',
})

// ---------------------------------------------------------------- the table

/** What is wrong, the program, and what comes of it: a verdict or the code of a refusal. */
export const hostile: ReadonlyArray<readonly [what: string, program: Json, comes: string]> = [
  ['2^31 clusters that do nothing', program([], { launch: launched([2 ** 31 - 1]) }), 'out-of-fuel'],
  [
    '2^93 clusters',
    program([fence], { launch: launched([2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1]) }),
    'out-of-fuel',
  ],
  [
    'clusters with many barriers',
    program([fence], { launch: launched([100_000]), storage: [barriers(1024)] }),
    'ok',
  ],
  ['a loop without effect or end', program([forEver()]), 'invalid'],
  ['the same in 16 CTAs', program([forEver()], { launch: launched([16], 16) }), 'invalid'],
  ['a loop of 2^31 turns without effect', program([for_('i', constant(2 ** 31 - 1))]), 'invalid'],
  ['a million turns between two effects', program([forEver(for_('i', constant(1e6)), fence)]), 'out-of-fuel'],
  ['effects without end', program([forEver(fence)]), 'out-of-fuel'],
  ['groups without end', program([forEver(do_({ _tag: 'bulk.commitGroup' }))]), 'out-of-fuel'],
  ['a tile of 2^30', program([let_('a', tile([2 ** 30]), iota(2 ** 30))]), 'type.shape'],
  [
    'large tiles in a loop',
    program([
      let_('a', tile([2 ** 18]), iota(2 ** 18)),
      forEver(let_('b', tile([2 ** 18]), add(named('a'), named('a')))),
    ]),
    'out-of-fuel',
  ],
  [
    'large tiles in a deep expression',
    program([
      let_('a', tile([2 ** 18]), iota(2 ** 18)),
      let_(
        'b',
        tile([2 ** 18]),
        nested(400, (x) => add(x, named('a')), named('a')),
      ),
    ]),
    'out-of-fuel',
  ],
  [
    'many large tiles',
    program(Array.from({ length: 2000 }, (_, k) => let_(`a${String(k)}`, tile([2 ** 18]), iota(2 ** 18)))),
    'type.shape',
  ],
  [
    'reductions without end',
    program([let_('a', tile([2 ** 17]), iota(2 ** 17)), forEver(let_('b', tile([]), reduced), fence)]),
    'out-of-fuel',
  ],
  ['an access of 2^30 elements', program([load(2 ** 30)], { storage: [words(2 ** 30, 0)] }), 'type.shape'],
  [
    'large accesses without end',
    program([forEver(load(2 ** 15))], { storage: [words(2 ** 15, 1)] }),
    'hazard',
  ],
  ['a gigabyte of registers', program([], { storage: [words(2 ** 28, 1, 'regs')] }), 'storage.size'],
  [
    'many storages',
    program([], { storage: Array.from({ length: crowd }, () => words(2 ** 15, 1)) }),
    'storage.size',
  ],
  [
    'many parameters',
    program([], { params: Array.from({ length: crowd }, () => tensor(1, 1)) }),
    'param.shape',
  ],
  ['a tensor of 8 GB', program([], { params: [tensor(2 ** 31 - 1, 1)] }), 'launch.bytes'],
  ['a tensor of 2^62 bytes', program([], { params: [tensor(2 ** 31 - 1, 2 ** 31 - 1)] }), 'launch.bytes'],
  ['shared memory full of barriers', program([fence], { storage: [barriers(29_056)] }), 'launch.barriers'],
  [
    'many barriers in many CTAs',
    program([fence], { launch: launched([16], 16), storage: [barriers(300)] }),
    'launch.barriers',
  ],
  ['3000 agents', program([fence], { launch: launched([1], 1, 3000) }), 'agent.warps'],
  [
    'an expression of 3000 levels',
    program([
      let_(
        'a',
        i32,
        nested(3000, (x) => add(x, constant(1)), constant(0)),
      ),
    ]),
    'json.form',
  ],
  ['branches of 400 levels', program([nested(400, (s) => if_(s), fence)]), 'json.form'],
  [
    'loops of 60 levels',
    program([nested(60, (s, k) => for_(`i${String(k)}`, constant(2), s), fence)]),
    'out-of-fuel',
  ],
  [
    'a shift by 2^62',
    program([
      let_(
        'a',
        { _tag: 'scalar', dtype: 'i64' },
        { _tag: 'binary', op: 'shl', x: constant('1', 'i64'), y: constant('4611686018427387904', 'i64') },
      ),
    ]),
    'ok',
  ],
  [
    'a number of 100,000 digits',
    program([let_('a', { _tag: 'scalar', dtype: 'i64' }, constant('9'.repeat(100_000), 'i64'))]),
    'type.constant',
  ],
  [
    'a semaphore in 2^31 clusters, all of them resident',
    program([semaphore], { launch: launched([2 ** 31 - 1]), params: [counter] }),
    'launch.resident',
  ],
  ['a semaphore that nobody signals', program([semaphore], { params: [counter] }), 'deadlock'],
  ['20,000 effects', program(Array.from({ length: 20_000 }, () => fence)), 'out-of-fuel'],
]
