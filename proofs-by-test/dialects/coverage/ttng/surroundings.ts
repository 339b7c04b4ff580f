/** Rows of what stands around the operations of ttng: each in a kernel of one warp and 32 elements, with outputs by plain loops. */
import * as Ttng from '../../../../src/dialects/ttng/index.js'
import type { Blocked, SwizzledShared } from '../../../../src/layouts/triton/encoding.js'
import type { Algebra } from '../../../../src/numerics/algebra.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import { real64 } from '../../../../src/numerics/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { checked } from '../../../../src/semantics/language/index-types.js'
import type { Example, Row, Wrap } from '../row.js'
import { nvmma, type Surface } from './operations.js'

// ---------------------------------------------------------------- what every example uses

const size = 32
const each = <A>(f: (i: number) => A, count: number = size): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => f(i))

/** An element for each lane. */
export const line: Blocked = {
  _tag: 'blocked',
  sizePerThread: [1],
  threadsPerWarp: [32],
  warpsPerCTA: [1],
  order: [0],
}
const grid = (rows: number, columns: number): Blocked => ({
  _tag: 'blocked',
  sizePerThread: [1, 1],
  threadsPerWarp: [rows, columns],
  warpsPerCTA: [1, 1],
  order: [1, 0],
})
/** Row by row, no swizzle. */
export const plain: SwizzledShared = {
  _tag: 'swizzled_shared',
  vec: 1,
  perPhase: 1,
  maxPhase: 1,
  order: [1, 0],
}
const plainLine: SwizzledShared = { ...plain, order: [0] }

/** One warp. */
export const warp: Ttng.ModuleAttributes = { numWarps: 1, target: 'cuda:90' }

type Line<D extends Dtype> = X.Tile<B.ElementIndex<D>, 1>
type Pointers<D extends Dtype> = X.Expr<{
  readonly tile: { readonly element: { readonly ptr: D }; readonly rank: 1 }
}>

/** Pointers to 32 elements of a parameter. */
const pointers = <D extends Dtype>(
  S: Surface,
  name: string,
  dtype: D,
  role: 'in' | 'out',
  of: { readonly from?: X.Int; readonly count?: number } = {},
): B.Build<Pointers<D>> =>
  B.block(function* () {
    const ptr = yield* S.ptrArg(name, dtype, { shape: [of.count ?? size], role })
    const start = of.from === undefined ? ptr : yield* S.addptr(`${name}.start`, ptr, of.from)
    const range = yield* S.makeRange(`${name}.range`, 0, size, line)
    return yield* S.addptr(`${name}.at`, yield* S.splat(`${name}.all`, start, [size], line), range)
  })

const kernel = (
  name: string,
  body: (S: Surface, m: Ttng.Module) => B.Steps<void>,
  more: Omit<Example<Surface>, 'name' | 'program'>,
  attributes: Ttng.ModuleAttributes = warp,
  options: Ttng.FuncOptions = {},
): Example<Surface> => ({
  name,
  ...more,
  program: (S) => S.func(attributes, name, options, (m) => body(S, m)),
})

const tt = 'Triton, Triton dialect'
const ttg = 'Triton, TritonGPU dialect'
const mlir = 'MLIR, arith and math dialects'

const changed =
  (name: keyof Surface & string, by: (S: Surface) => unknown) =>
  (S: Surface): Surface =>
    checked<Surface, unknown>({ ...S, [name]: by(S) })
/** A row of an operation that is an expression; `stands` is what stands for it. */
const view = (
  operation: string,
  name: keyof Surface & string,
  page: string,
  example: Example<Surface>,
  stands: (S: Surface) => unknown,
  kind: 'view' | 'storage' | 'frame' = 'view',
): Row<Surface> => ({ kind, operation, names: [name], page, example, without: changed(name, stands) })
const statement = (
  operation: string,
  name: keyof Surface & string,
  page: string,
  example: Example<Surface>,
): Row<Surface> => ({
  kind: 'statements',
  operation,
  names: [name],
  page,
  example,
  change: (S, wrap: Wrap) =>
    checked<Surface, unknown>({
      ...S,
      [name]: wrap(checked<(...args: ReadonlyArray<unknown>) => B.Build<unknown>, unknown>(S[name])),
    }),
})
/** Gives its first operand back. */
const identity = () => (_label: string, x: unknown) => B.of(x)

// ---------------------------------------------------------------- element by element

const a = each((i) => ((i * 7) % 11) - 5)
const b = each((i) => ((i * 5) % 7) + 1)

const pointwise = <D extends Dtype, R extends Dtype>(
  operation: string,
  name: keyof Surface & string,
  types: readonly [from: D, to: R],
  inputs: readonly [x: ReadonlyArray<number>, y: ReadonlyArray<number>],
  of: (S: Surface, x: Line<D>, y: Line<D>) => B.Build<Line<R>>,
  wanted: (x: number, y: number) => number,
  stands: (S: Surface) => unknown = identity,
  more: Pick<Example<Surface>, 'algebra'> = {},
): Row<Surface> =>
  view(
    operation,
    name,
    mlir,
    kernel(
      operation,
      function* (S) {
        const x = yield* S.load('x.load', yield* pointers(S, 'x', types[0], 'in'))
        const y = yield* S.load('y.load', yield* pointers(S, 'y', types[0], 'in'))
        yield* S.store('store', yield* pointers(S, 'out', types[1], 'out'), yield* of(S, x, y))
      },
      {
        ...more,
        inputs: { x: inputs[0], y: inputs[1] },
        outputs: { out: inputs[0].map((x, i) => wanted(x, inputs[1][i]!)) },
      },
    ),
    stands,
  )

const integers = (
  name:
    | 'addi'
    | 'subi'
    | 'muli'
    | 'divsi'
    | 'remsi'
    | 'divui'
    | 'remui'
    | 'minsi'
    | 'maxsi'
    | 'andi'
    | 'ori'
    | 'xori'
    | 'shli'
    | 'shrsi'
    | 'shrui',
  wanted: (x: number, y: number) => number,
  inputs: readonly [ReadonlyArray<number>, ReadonlyArray<number>] = [a, b],
): Row<Surface> =>
  pointwise(`arith.${name}`, name, ['i32', 'i32'], inputs, (S, x, y) => S[name]('z', x, y), wanted)
/** Every pair of numbers at the ends of 31 and 32 bits; then as above. */
const ends = [1, 3, 0x7fffffff, -0x80000000, -1]
const unsignedPairs: readonly [ReadonlyArray<number>, ReadonlyArray<number>] = [
  each((i) => (i < ends.length ** 2 ? ends[Math.floor(i / ends.length)]! : a[i]!)),
  each((i) => (i < ends.length ** 2 ? ends[i % ends.length]! : b[i]!)),
]
const floats = (
  name: 'addf' | 'subf' | 'mulf' | 'divf' | 'minnumf' | 'maxnumf',
  wanted: (x: number, y: number) => number,
  inputs: readonly [ReadonlyArray<number>, ReadonlyArray<number>] = [a, b],
): Row<Surface> =>
  pointwise(`arith.${name}`, name, ['f32', 'f32'], inputs, (S, x, y) => S[name]('z', x, y), wanted)
/** The hardware rounds exp2 and log2 its own way, so these are asked over the real numbers. */
const one = (
  operation: string,
  name: 'negf' | 'absf' | 'exp2' | 'log2' | 'sqrt',
  inputs: ReadonlyArray<number>,
  wanted: (x: number) => number,
  algebra?: Algebra,
): Row<Surface> =>
  pointwise(
    operation,
    name,
    ['f32', 'f32'],
    [inputs, inputs],
    (S, x) => S[name]('z', x),
    wanted,
    identity,
    algebra === undefined ? {} : { algebra },
  )

const always = () => () => B.of(X.splat<'i1', 1>(X.i1(true), [size]))

const elementwise: ReadonlyArray<Row<Surface>> = [
  integers('addi', (x, y) => x + y),
  integers('subi', (x, y) => x - y),
  integers('muli', (x, y) => x * y),
  integers('divsi', (x, y) => Math.trunc(x / y) + 0),
  integers('remsi', (x, y) => (x % y) + 0),
  integers('divui', (x, y) => Math.floor((x >>> 0) / (y >>> 0)) | 0, unsignedPairs),
  integers('remui', (x, y) => ((x >>> 0) % (y >>> 0)) | 0, unsignedPairs),
  integers('minsi', (x, y) => Math.min(x, y)),
  integers('maxsi', (x, y) => Math.max(x, y)),
  integers('andi', (x, y) => x & y),
  integers('ori', (x, y) => x | y),
  integers('xori', (x, y) => x ^ y),
  integers('shli', (x, y) => x << y),
  integers('shrsi', (x, y) => x >> y),
  integers('shrui', (x, y) => (x >>> y) | 0),
  floats('addf', (x, y) => x + y),
  floats('subf', (x, y) => x - y),
  floats('mulf', (x, y) => x * y),
  floats('divf', (x, y) => x / y, [a.map((x, i) => (x + 7) * b[i]!), b]),
  floats('minnumf', (x, y) => Math.min(x, y)),
  floats('maxnumf', (x, y) => Math.max(x, y)),
  one('arith.negf', 'negf', b, (x) => -x),
  one(
    'math.absf',
    'absf',
    a.map((x) => x - 0.5),
    (x) => Math.abs(x),
  ),
  one('math.exp2', 'exp2', a, (x) => 2 ** x, real64),
  one(
    'math.log2',
    'log2',
    a.map((x) => 2 ** x),
    (x) => Math.log2(x),
    real64,
  ),
  one(
    'math.sqrt',
    'sqrt',
    b.map((x) => (x + 1) ** 2),
    (x) => Math.sqrt(x),
  ),
  pointwise(
    'math.fma',
    'fma',
    ['f32', 'f32'],
    [a, b],
    (S, x, y) => S.fma('z', x, y, y),
    (x, y) => x * y + y,
  ),
  pointwise(
    'arith.cmpi',
    'cmpi',
    ['i32', 'i32'],
    [a, b],
    (S, x, y) =>
      B.block(function* () {
        // signed and not: a negative number is the larger one
        const less = yield* S.cmpi('less', 'slt', x, y)
        const below = yield* S.cmpi('below', 'ult', x, y)
        return yield* S.select('z', less, yield* S.select('both', below, x, y), x)
      }),
    (x, y) => (x < y ? (x >>> 0 < y ? x : y) : x),
    always,
  ),
  pointwise(
    'arith.cmpf',
    'cmpf',
    ['f32', 'f32'],
    [a, b],
    (S, x, y) =>
      B.block(function* () {
        return yield* S.select('z', yield* S.cmpf('more', 'ogt', x, y), x, y)
      }),
    (x, y) => (x > y ? x : y),
    always,
  ),
  pointwise(
    'arith.select',
    'select',
    ['i32', 'i32'],
    [a, b],
    (S, x, y) =>
      B.block(function* () {
        return yield* S.select('z', yield* S.cmpi('c', 'sgt', x, y), x, y)
      }),
    (x, y) => Math.max(x, y),
    () => (_label: string, _c: unknown, x: unknown) => B.of(x),
  ),
  pointwise(
    'arith.extsi',
    'extsi',
    ['i32', 'i64'],
    [a, a],
    (S, x) => S.extsi('z', x, 'i64'),
    (x) => x,
  ),
  pointwise(
    'arith.extui',
    'extui',
    ['i32', 'i32'],
    [a, b],
    (S, x, y) =>
      B.block(function* () {
        return yield* S.extui('z', yield* S.cmpi('c', 'slt', x, y), 'i32')
      }),
    (x, y) => (x < y ? 1 : 0),
  ),
  pointwise(
    'arith.trunci',
    'trunci',
    ['i64', 'i32'],
    [a.map((x) => 2 ** 33 + x), a],
    (S, x) => S.trunci('z', x, 'i32'),
    (x) => x - 2 ** 33,
  ),
  pointwise(
    'arith.extf',
    'extf',
    ['f16', 'f32'],
    [a, a],
    (S, x) => S.extf('z', x, 'f32'),
    (x) => x,
  ),
  // 2048 + x has two digits too many for f16: to nearest, ties to even
  pointwise(
    'arith.truncf',
    'truncf',
    ['f32', 'f16'],
    [each((i) => 2048 + i), a],
    (S, x) => S.truncf('z', x, 'f16'),
    (x) => (x % 2 === 0 ? x : x % 4 === 1 ? x - 1 : x + 1),
  ),
  pointwise(
    'arith.sitofp',
    'sitofp',
    ['i32', 'f32'],
    [a, a],
    (S, x) => S.sitofp('z', x, 'f32'),
    (x) => x,
  ),
  pointwise(
    'arith.fptosi',
    'fptosi',
    ['f32', 'i32'],
    [a.map((x) => x + 0.75), a],
    (S, x) => S.fptosi('z', x, 'i32'),
    (x) => Math.trunc(x) + 0,
  ),
  pointwise(
    'arith.bitcast',
    'bitcast',
    ['f32', 'i32'],
    [a, a],
    (S, x) => S.bitcast('z', x, 'i32'),
    (x) => new Int32Array(Float32Array.of(x).buffer)[0]!,
  ),
  pointwise(
    'arith.constant',
    'constant',
    ['i32', 'i32'],
    [a, a],
    (S, x) =>
      B.block(function* () {
        return yield* S.addi('z', x, yield* S.constant('five', 'i32', 5, [size], line))
      }),
    (x) => x + 5,
    () => () => B.of(X.splat<'i32', 1>(X.i32(0), [size])),
  ),
]

// ---------------------------------------------------------------- made and rearranged

/** Two programs, each with its half of the output. */
const programs: Example<Surface> = kernel(
  'programs',
  function* (S) {
    const pid = yield* S.getProgramId('pid', 'x')
    const count = yield* S.getNumPrograms('count', 'x')
    const from = yield* S.muli('from', pid, X.i32(size))
    const value = yield* S.addi('value', yield* S.muli('tens', pid, X.i32(10)), count)
    const out = yield* pointers(S, 'out', 'i32', 'out', { from, count: 2 * size })
    yield* S.store('store', out, yield* S.splat('all', value, [size], line))
  },
  { outputs: { out: each((i) => (i < size ? 2 : 12), 2 * size) } },
  warp,
  { grid: [2] },
)

const square = grid(8, 4)
const x84 = each((i) => i * i)

/** x (8, 4) through pointers: rows times 4, and columns. */
const matrix: Example<Surface> = kernel(
  'matrix',
  function* (S) {
    const ptr = yield* S.ptrArg('x', 'i32', { shape: [8, 4], role: 'in' })
    const rows = yield* S.makeRange('rows', 0, 8, { _tag: 'slice', dim: 1, parent: square })
    const columns = yield* S.makeRange('columns', 0, 4, { _tag: 'slice', dim: 0, parent: square })
    const down = yield* S.broadcast('down', yield* S.expandDims('rows.1', rows, 1, square), [8, 4], square)
    const across = yield* S.broadcast(
      'across',
      yield* S.expandDims('columns.0', columns, 0, square),
      [8, 4],
      square,
    )
    const four = yield* S.splat('four', X.i32(4), [8, 4], square)
    const at = yield* S.addi('at', yield* S.muli('row', down, four), across)
    const x = yield* S.load(
      'x.load',
      yield* S.addptr('x.at', yield* S.splat('x.all', ptr, [8, 4], square), at),
    )
    // the sum of each row, in the layout of a slice; then in that of a line
    const sums = yield* S.reduce('sums', x, 1, (p, q) => X.add(p, q))
    const short: Blocked = { ...line, threadsPerWarp: [8] }
    const moved = yield* S.convertLayout('moved', sums, { ...short, threadsPerWarp: [32] })
    const to = yield* S.ptrArg('sum', 'i32', { shape: [8], role: 'out' })
    const place = yield* S.makeRange('place', 0, 8, line)
    yield* S.store(
      'store sums',
      yield* S.addptr('sum.at', yield* S.splat('sum.all', to, [8], line), place),
      moved,
    )
    // transposed, then as a line
    const turned = yield* S.trans('turned', x, [1, 0], grid(4, 8))
    const flat = yield* S.reshape('flat', turned, [size], line)
    yield* S.store('store', yield* pointers(S, 'out', 'i32', 'out'), flat)
  },
  {
    inputs: { x: x84 },
    outputs: {
      sum: each((r) => each((c) => x84[4 * r + c]!, 4).reduce((p, q) => p + q, 0), 8),
      out: each((i) => x84[4 * (i % 8) + Math.floor(i / 8)]!),
    },
  },
)

const made: ReadonlyArray<Row<Surface>> = [
  view('tt.get_program_id', 'getProgramId', tt, programs, () => () => B.of(X.i32(0))),
  view('tt.get_num_programs', 'getNumPrograms', tt, programs, () => () => B.of(X.i32(0))),
  view(
    'tt.make_range',
    'makeRange',
    tt,
    matrix,
    () => (_label: string, from: number, to: number) => B.of(X.splat<'i32', 1>(X.i32(0), [to - from])),
  ),
  view('tt.splat', 'splat', tt, programs, identity),
  view('tt.expand_dims', 'expandDims', tt, matrix, identity),
  view('tt.broadcast', 'broadcast', tt, matrix, identity),
  view('tt.trans', 'trans', tt, matrix, identity),
  view('tt.reshape', 'reshape', tt, matrix, identity),
  view('tt.reduce', 'reduce', tt, matrix, identity),
  view('ttg.convert_layout', 'convertLayout', ttg, matrix, identity),
]

// ---------------------------------------------------------------- pointers and copies

/** Every other element, and 9 for the others. */
const masked: Example<Surface> = kernel(
  'masked',
  function* (S) {
    const n = yield* S.makeRange('n', 0, size, line)
    const odd = yield* S.andi('odd', n, yield* S.splat('ones', X.i32(1), [size], line))
    const mask = yield* S.cmpi('mask', 'eq', odd, yield* S.splat('zeros', X.i32(0), [size], line))
    const other = yield* S.splat('nines', X.i32(9), [size], line)
    const x = yield* S.load('x.load', yield* pointers(S, 'x', 'i32', 'in'), { mask, other })
    yield* S.store('store', yield* pointers(S, 'out', 'i32', 'out'), x)
  },
  { inputs: { x: a }, outputs: { out: a.map((x, i) => (i % 2 === 0 ? x : 9)) } },
)

/** Two programs; each writes to its scratch and reads it. */
const scratch: Example<Surface> = kernel(
  'scratch',
  function* (S) {
    const pid = yield* S.getProgramId('pid', 'x')
    const ptr = yield* S.globalScratchAlloc('scratch', { nbytes: size, alignment: 32, grid: [2] })
    const range = yield* S.makeRange('range', 0, size, line)
    const at = yield* S.addptr('at', yield* S.splat('all', ptr, [size], line), range)
    yield* S.store('keep', at, yield* S.splat('value', yield* S.addi('next', pid, X.i32(1)), [size], line))
    const again = yield* S.load('again', at)
    const from = yield* S.muli('from', pid, X.i32(size))
    yield* S.store('store', yield* pointers(S, 'out', 'i32', 'out', { from, count: 2 * size }), again)
  },
  { outputs: { out: each((i) => (i < size ? 1 : 2), 2 * size) } },
  warp,
  { grid: [2] },
)

/** Through shared memory by copies of the threads. */
const copied: Example<Surface> = kernel(
  'copied',
  function* (S) {
    const buffer = yield* S.localAlloc('buffer', [size], 'f32', plainLine)
    const copy = yield* S.asyncCopyGlobalToLocal('copy', yield* pointers(S, 'x', 'f32', 'in'), buffer, {
      contiguity: 1,
    })
    const group = yield* S.asyncCommitGroup('group', [copy])
    yield* S.asyncWait('wait', [group], 0)
    yield* S.store(
      'store',
      yield* pointers(S, 'out', 'f32', 'out'),
      yield* S.localLoad('value', buffer, line),
    )
  },
  { inputs: { x: a }, outputs: { out: a } },
)

const accesses: ReadonlyArray<Row<Surface>> = [
  view('tt.addptr', 'addptr', tt, masked, identity),
  statement('tt.load', 'load', tt, masked),
  statement('tt.store', 'store', tt, masked),
  view(
    'ttg.global_scratch_alloc',
    'globalScratchAlloc',
    ttg,
    scratch,
    // the same bytes for all programs
    (S) =>
      (label: string, { nbytes, alignment }: Ttng.Scratch) =>
        S.globalScratchAlloc(label, { nbytes, alignment }),
    'storage',
  ),
  statement('ttg.async_copy_global_to_local', 'asyncCopyGlobalToLocal', ttg, copied),
  statement('ttg.async_commit_group', 'asyncCommitGroup', ttg, copied),
  statement('ttg.async_wait', 'asyncWait', ttg, copied),
]

// ---------------------------------------------------------------- memdescs

const x88 = each((i) => i * 3 - 50, 64)
const whole = { ...grid(8, 4), sizePerThread: [1, 2] } as const
const half = grid(4, 8)

/** The right half of x (8, 8), transposed, by way of the second of two buffers. */
const parts: Example<Surface> = kernel(
  'parts',
  function* (S) {
    const ptr = yield* S.ptrArg('x', 'f32', { shape: [64], role: 'in' })
    const rows = yield* S.makeRange('rows', 0, 8, { _tag: 'slice', dim: 1, parent: whole })
    const columns = yield* S.makeRange('columns', 0, 8, { _tag: 'slice', dim: 0, parent: whole })
    const down = yield* S.broadcast('down', yield* S.expandDims('rows.1', rows, 1, whole), [8, 8], whole)
    const across = yield* S.broadcast(
      'across',
      yield* S.expandDims('columns.0', columns, 0, whole),
      [8, 8],
      whole,
    )
    const eight = yield* S.splat('eight', X.i32(8), [8, 8], whole)
    const at = yield* S.addi('at', yield* S.muli('row', down, eight), across)
    const x = yield* S.load(
      'x.load',
      yield* S.addptr('x.at', yield* S.splat('x.all', ptr, [8, 8], whole), at),
    )
    const buffers = yield* S.localAlloc('buffers', [2, 8, 8], 'f32', plain)
    const second = yield* S.memdescIndex('second', buffers, X.i32(1))
    yield* S.localStore('store second', x, second)
    yield* S.localStore(
      'store first',
      yield* S.constant('zeros', 'f32', 0, [8, 8], whole),
      yield* S.memdescIndex('first', buffers, X.i32(0)),
    )
    const right = yield* S.memdescSubslice('right', second, [0, 4], [8, 4])
    const turned = yield* S.memdescTrans('turned', right, [1, 0])
    const value = yield* S.localLoad('value', turned, half)
    const copy = yield* S.localAlloc('copy', [4, 8], 'f32', plain, { src: value })
    const flat = yield* S.reshape('flat', yield* S.localLoad('again', copy, half), [size], line)
    yield* S.store('store', yield* pointers(S, 'out', 'f32', 'out'), flat)
  },
  { inputs: { x: x88 }, outputs: { out: each((i) => x88[8 * (i % 8) + 4 + Math.floor(i / 8)]!) } },
)

/** A buffer is given back while a copy into it is running, and its bytes are used again. */
const tooEarly: Example<Surface> = kernel(
  'too early',
  function* (S) {
    const old = yield* S.localAlloc('old', [size], 'f32', plainLine)
    const copy = yield* S.asyncCopyGlobalToLocal('copy', yield* pointers(S, 'x', 'f32', 'in'), old)
    const group = yield* S.asyncCommitGroup('group', [copy])
    const freed = yield* S.localDealloc('dealloc', old)
    const next = yield* S.localAlloc('next', [size], 'f32', plainLine, { reuses: freed })
    yield* S.localStore('use', yield* S.constant('zeros', 'f32', 0, [size], line), next)
    yield* S.asyncWait('wait', [group], 0)
    yield* S.store('store', yield* pointers(S, 'out', 'f32', 'out'), yield* S.localLoad('value', next, line))
  },
  { inputs: { x: a }, verdict: 'hazard' },
)

const memdescs: ReadonlyArray<Row<Surface>> = [
  view(
    'ttg.local_alloc',
    'localAlloc',
    ttg,
    parts,
    // without its source
    (S) => (label: string, shape: readonly [number, number], dtype: 'f32', encoding: SwizzledShared) =>
      S.localAlloc(label, shape, dtype, encoding),
    'storage',
  ),
  view('ttg.local_dealloc', 'localDealloc', ttg, tooEarly, () => () => B.of({ storage: null }), 'storage'),
  view(
    'ttg.memdesc_index',
    'memdescIndex',
    ttg,
    parts,
    (S) => (label: string, src: X.View<'smem', 'f32', 3>) => S.memdescIndex(label, src, X.i32(0)),
  ),
  view(
    'ttg.memdesc_subslice',
    'memdescSubslice',
    ttg,
    parts,
    (S) => (label: string, src: X.View<'smem', 'f32', 2>, _offsets: unknown, shape: ReadonlyArray<number>) =>
      S.memdescSubslice(label, src, [0, 0], shape),
  ),
  view('ttg.memdesc_trans', 'memdescTrans', ttg, parts, identity),
  statement('ttg.local_load', 'localLoad', ttg, parts),
  statement('ttg.local_store', 'localStore', ttg, parts),
]

// ---------------------------------------------------------------- control

/** Three times x. */
const loop: Example<Surface> = kernel(
  'loop',
  function* (S) {
    const x = yield* S.load('x.load', yield* pointers(S, 'x', 'i32', 'in'))
    const zero = yield* S.constant('zero', 'i32', 0, [size], line)
    const { sum } = yield* S.scfFor(
      'k',
      { from: X.i32(2), to: X.i32(7), step: X.i32(2), iterArgs: { sum: zero } },
      function* (_k, args) {
        return { sum: yield* S.addi('next', args.sum, x) }
      },
    )
    yield* S.store('store', yield* pointers(S, 'out', 'i32', 'out'), sum)
  },
  { inputs: { x: a }, outputs: { out: a.map((x) => 3 * x) } },
)

/** Two programs: the first writes 7, the second what its number says. */
const branches: Example<Surface> = kernel(
  'branches',
  function* (S) {
    const pid = yield* S.getProgramId('pid', 'x')
    const first = yield* S.cmpi('first', 'eq', pid, X.i32(0))
    const { value } = yield* S.scfIf(
      'if',
      first,
      function* () {
        return { value: yield* S.addi('seven', pid, X.i32(7)) }
      },
      function* () {
        return { value: yield* S.muli('more', pid, X.i32(100)) }
      },
    )
    const from = yield* S.muli('from', pid, X.i32(size))
    const out = yield* pointers(S, 'out', 'i32', 'out', { from, count: 2 * size })
    yield* S.store('store', out, yield* S.splat('all', value, [size], line))
  },
  { outputs: { out: each((i) => (i < size ? 7 : 100), 2 * size) } },
  warp,
  { grid: [2] },
)

/** A partition writes one output, the default region says what is written to the other. */
const roles: Example<Surface> = kernel(
  'roles',
  function* (S, m) {
    const side = yield* S.ptrArg('side', 'i32', { shape: [size], role: 'out' })
    const seven = yield* S.constant('seven', 'i32', 7)
    const { said } = yield* S.warpSpecialize('roles', m, {
      operands: { side, seven },
      default: {
        captures: { seven },
        body: function* (c) {
          return { said: yield* S.addi('eight', c.seven, X.i32(1)) }
        },
      },
      partitions: [
        function* (args) {
          const range = yield* S.makeRange('range', 0, size, line)
          const at = yield* S.addptr('at', yield* S.splat('all', args.side, [size], line), range)
          yield* S.store('store side', at, yield* S.splat('value', args.seven, [size], line))
        },
      ],
    })
    yield* S.store(
      'store',
      yield* pointers(S, 'out', 'i32', 'out'),
      yield* S.splat('eights', said, [size], line),
    )
  },
  { outputs: { side: each(() => 7), out: each(() => 8) } },
  { ...warp, partitions: [{ numWarps: 1, requestedRegisters: 24 }] },
)

interface Regions {
  readonly default: { readonly captures: unknown; readonly body: (c: unknown) => B.Steps<unknown> }
}

const control: ReadonlyArray<Row<Surface>> = [
  view(
    'scf.for',
    'scfFor',
    'MLIR, scf dialect',
    loop,
    () => (_label: string, o: { readonly iterArgs: unknown }) => B.of(o.iterArgs),
    'frame',
  ),
  view(
    'scf.if',
    'scfIf',
    'MLIR, scf dialect',
    branches,
    () => (_label: string, _c: unknown, then: () => B.Steps<unknown>) => B.block(then),
    'frame',
  ),
  view(
    'ttg.warp_specialize',
    'warpSpecialize',
    ttg,
    roles,
    () => (_label: string, _m: unknown, regions: Regions) =>
      B.block(() => regions.default.body(regions.default.captures)),
    'frame',
  ),
]

// ---------------------------------------------------------------- modules

const tile = each((i) => (i % 61) - 30, 64 * 64)
/** A tile through a descriptor of the host; the number of its first row is an argument. */
const described: Example<Surface> = kernel(
  'described',
  function* (S) {
    const row = yield* S.scalarArg('row', 'i32')
    const { desc } = yield* S.tensordescArg('dx', 'f16', [64, 64], nvmma(128), {
      tensor: 'x',
      role: 'in',
      names: ['m', 'n', 'sm', 'sn'],
    })
    const buffer = yield* S.localAlloc('buffer', [64, 64], 'f16', nvmma(128))
    const full = yield* S.localAlloc('full', [1], 'i64', plainLine)
    yield* S.initBarrier('init', full, 1)
    yield* S.barrierExpect('expect', full, 8192)
    yield* S.asyncTmaCopyGlobalToLocal('copy', desc, [row, X.i32(0)], buffer, full)
    yield* S.waitBarrier('wait', full, X.i32(0))
    const corner = yield* S.memdescSubslice('corner', buffer, [8, 0], [8, 64])
    const rows: Blocked = { ...grid(8, 4), sizePerThread: [1, 16] }
    const value = yield* S.localLoad('value', corner, rows)
    const sums = yield* S.reduce('sums', yield* S.extf('wide', value, 'f32'), 1, (p, q) => X.add(p, q))
    const moved = yield* S.convertLayout('moved', sums, line)
    const out = yield* S.ptrArg('out', 'f32', { shape: [8], role: 'out' })
    const place = yield* S.makeRange('place', 0, 8, line)
    yield* S.store('store', yield* S.addptr('at', yield* S.splat('all', out, [8], line), place), moved)
  },
  {
    scalars: { row: 0, m: 64, n: 64, sm: 64, sn: 1 },
    inputs: { x: tile },
    outputs: { out: each((r) => each((c) => tile[64 * (8 + r) + c]!, 64).reduce((p, q) => p + q, 0), 8) },
  },
)

const modules: ReadonlyArray<Row<Surface>> = [
  {
    kind: 'frame',
    operation: 'tt.func',
    names: ['module', 'func', 'scalarArg', 'ptrArg'],
    page: tt,
    example: described,
    // a function without a body
    without: changed(
      'func',
      (S) => (m: Ttng.ModuleAttributes, name: string) => S.func(m, name, {}, () => B.of(undefined)),
    ),
  },
  view(
    '!tt.tensordesc',
    'tensordescArg',
    tt,
    described,
    // of half of the block
    (S) =>
      (
        name: string,
        dtype: 'f16',
        [rows, columns]: readonly [number, number],
        encoding: ReturnType<typeof nvmma>,
        of: Parameters<Surface['tensordescArg']>[4],
      ) =>
        S.tensordescArg(name, dtype, [rows / 2, columns], encoding, of),
    'storage',
  ),
]

export const rows: ReadonlyArray<Row<Surface>> = [
  ...elementwise,
  ...made,
  ...accesses,
  ...memdescs,
  ...control,
  ...modules,
]
