/** Rows of the operations of ttng: each in a kernel of one tile, with small integers as inputs, so that every sum is exact. */
import * as E from 'fp-ts/lib/Either.js'
import * as Ttng from '../../../../src/dialects/ttng/index.js'
import type { NvmmaShared, TensorMemory } from '../../../../src/layouts/triton/encoding.js'
import { toRef } from '../../../../src/layouts/triton/to-ref.js'
import { onShape } from '../../../../src/layouts/triton/to-linear.js'
import type { LinearLayout } from '../../../../src/layouts/linear/linear-layout.js'
import type { Dtype } from '../../../../src/numerics/dtype.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { checked } from '../../../../src/semantics/language/index-types.js'
import type { Example, Row, Wrap } from '../row.js'
import { numbers, product } from '../pallas/wgmma.js'

export type Surface = typeof Ttng

const page = (operation: string): string => `Triton, TritonNvidiaGPU dialect, ttng.${operation}`

// ---------------------------------------------------------------- what every example uses

export const thread: ReturnType<typeof B.warpgroup> = B.warpgroup('wg', 0)
export const from: Ttng.Issuer = { agents: [thread] }

export const nvmma = (width: number, bits: number = 16): NvmmaShared => ({
  _tag: 'nvmma_shared',
  swizzlingByteWidth: width,
  transposed: false,
  elementBitWidth: bits,
  fp4Padded: false,
})

/** `ttg.local_alloc` of a buffer that copies fill. */
export const buffer = <D extends Dtype, const S extends readonly [number, number]>(
  id: string,
  dtype: D,
  shape: S,
  encoding: NvmmaShared,
): B.Build<X.View<'smem', D, 2>> =>
  B.block(function* () {
    const layout = yield* B.fromEither(toRef(encoding, shape, encoding.elementBitWidth))
    return yield* B.sharedMemory<D, readonly [number, number]>(id, dtype, shape, [], { layout })
  })

export const barrier = (id: string): B.Build<X.Barrier<'ptx', true>> =>
  B.barriers(id, [], { ordersTensorCore: true })

/** The accumulators of `wgmma`. */
export const mma = (columns: number): B.Build<LinearLayout> =>
  B.fromEither(
    onShape({ _tag: 'nvidia_mma', versionMajor: 3, instrShape: [16, columns, 16], warpsPerCTA: [4, 1] })([
      64,
      columns,
    ]),
  )
/** A row of tensor memory in each lane. */
export const rowPerLane = (columns: number): B.Build<LinearLayout> =>
  B.fromEither(
    onShape({
      _tag: 'blocked',
      sizePerThread: [1, columns],
      threadsPerWarp: [32, 1],
      warpsPerCTA: [4, 1],
      order: [0, 1],
    })([128, columns]),
  )
/** D of 128 rows, a word for an element. */
export const accumulatorEncoding = (columns: number): TensorMemory => ({
  _tag: 'tensor_memory',
  blockM: 128,
  blockN: columns,
  colStride: 1,
  twoCTAs: false,
  fp4Padded: false,
})
export const zeros = (
  shape: readonly [number, number],
  layout: LinearLayout | 'any' = 'any',
): X.Tile<'f32', 2> => X.splat<'f32', 2>(X.float('f32', 0), shape, layout)

export const origin: ReadonlyArray<X.Int> = [X.i32(0), X.i32(0)]
const bytes = (rows: number, columns: number): number => 2 * rows * columns

const kernel = (
  name: string,
  arch: 'sm90a' | 'sm100a',
  body: (S: Surface) => B.Steps<void>,
  more: Omit<Example<Surface>, 'name' | 'program'>,
  cluster?: number,
  /** CTAs of the grid: one cluster if not given */
  ctas: number | undefined = cluster,
): Example<Surface> => ({
  name,
  ...more,
  program: (S) =>
    E.map((program: Program): Program => ({ ...program, fences: 'lowered' }))(
      B.kernel(
        {
          name,
          arch,
          agents: [thread],
          ...(cluster === undefined ? {} : { grid: [ctas ?? cluster], cluster: [cluster] }),
        },
        () => body(S),
      ),
    ),
})

// ---------------------------------------------------------------- a product of a warpgroup

const [m, n, k] = [64, 16, 16] as const
const a = numbers(m, k, 0)
const b = numbers(k, n, 1)

/** Two products in flight, the second of a loop's value; the barrier's bytes are used twice. */
const hopper = kernel(
  'a product of a warpgroup',
  'sm90a',
  function* (S) {
    const aGmem = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
    const bGmem = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f32', [m, n], { role: 'out' })
    const aDesc = yield* S.hostTensorDescriptor('a_desc', aGmem, [m, k], nvmma(32))
    const bDesc = yield* S.hostTensorDescriptor('b_desc', bGmem, [k, n], nvmma(32))
    const x = yield* buffer('x', 'f16', [m, k], nvmma(32))
    const y = yield* buffer('y', 'f16', [k, n], nvmma(32))
    const full = yield* barrier('full')
    yield* S.initBarrier('init full', full, 1)
    yield* S.barrierExpect('expect full', full, bytes(m, k) + bytes(k, n))
    yield* S.asyncTmaCopyGlobalToLocal('x', aDesc, origin, x, full)
    yield* S.asyncTmaCopyGlobalToLocal('y', bDesc, origin, y, full)
    yield* S.waitBarrier('wait full', full, X.i32(0))
    yield* S.invalBarrier('inval full', full)
    yield* S.initBarrier('init full again', full, 1)
    const layout = yield* mma(n)
    const start = yield* S.inFlight('acc', zeros([m, n], layout), from)
    const { acc } = yield* B.forRange(
      { label: 'k', from: X.i32(0), to: X.i32(2), carried: { acc: start } },
      function* (_, carried) {
        const d = yield* S.warpGroupDot('dot', x, y, carried.acc, { from, isAsync: true })
        const [waited] = yield* S.warpGroupDotWait('wait dot', [d], { pendings: 1 })
        return { acc: waited! }
      },
    )
    const [value] = yield* S.warpGroupDotWait('wait dots', [acc], { pendings: 0, layout })
    yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value: value! })
  },
  { inputs: { a, b }, outputs: { out: product(a, b, [m, n, k]).map((v) => 2 * v) } },
)

// ---------------------------------------------------------------- stores

/** Registers to shared memory to global memory, and the buffer used again. */
const stored = kernel(
  'a tile to global memory',
  'sm90a',
  function* (S) {
    const aGmem = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f16', [m, k], { role: 'out' })
    const sum = yield* B.tensorParam('sum', 'f16', [m, k], { role: 'inout' })
    const desc = yield* S.hostTensorDescriptor('out_desc', out, [m, k], nvmma(32))
    const sumDesc = yield* S.hostTensorDescriptor('sum_desc', sum, [m, k], nvmma(32))
    const x = yield* buffer('x', 'f16', [m, k], nvmma(32))
    const value = yield* B.gmemLoad('a', aGmem.view)
    yield* B.run('x', { _tag: 'smem.store', destination: x, value })
    yield* S.fenceAsyncShared('fence x')
    yield* S.asyncTmaCopyLocalToGlobal('store', desc, origin, x)
    yield* S.asyncTmaReduce('reduce', 'add', sumDesc, origin, x)
    yield* S.asyncTmaStoreWait('wait stores', 0)
    yield* B.run('x again', { _tag: 'smem.store', destination: x, value: X.add(value, value) })
  },
  {
    inputs: { a, sum: a.map((_, i) => i % 5) },
    outputs: { out: a, sum: a.map((v, i) => v + (i % 5)) },
  },
)

// ---------------------------------------------------------------- rows by number

const picked = [3, 0, 7, 7, 12, 1, 15, 9]
const table = numbers(16, 16, 2)
const rowOf = (r: number): ReadonlyArray<number> => table.slice(16 * r, 16 * r + 16)
/** Rows 3, 0, 7, ... of a table, and back to rows 0, 2, 4, ... of another. */
const gathered = kernel(
  'rows by number',
  'sm100a',
  function* (S) {
    const rows = yield* B.tensorParam('rows', 'i32', [8], { role: 'in' })
    const from16 = yield* B.tensorParam('table', 'f16', [16, 16], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f16', [16, 16], { role: 'inout' })
    const source = yield* B.descriptorParam('table_desc', from16, [1, 16], { swizzle: 32 })
    const target = yield* B.descriptorParam('out_desc', out, [1, 16], { swizzle: 32 })
    const x = yield* buffer('x', 'f16', [8, 16], nvmma(32))
    const full = yield* barrier('full')
    yield* S.initBarrier('init full', full, 1)
    const offsets = yield* B.gmemLoad('rows', rows.view)
    yield* S.barrierExpect('expect full', full, bytes(8, 16))
    yield* S.asyncTmaGather('gather', source, offsets, X.i32(0), x, full)
    yield* S.waitBarrier('wait full', full, X.i32(0))
    const even = X.add(X.iota<1>([8], 0), X.iota<1>([8], 0))
    yield* S.asyncTmaScatter('scatter', target, even, X.i32(0), x)
    yield* S.asyncTmaStoreWait('wait scatter', 0, { readOnly: false })
  },
  {
    inputs: { rows: picked, table, out: table.map(() => 0) },
    outputs: { out: picked.flatMap((r) => [...rowOf(r), ...rowOf(r).map(() => 0)]) },
  },
)

// ---------------------------------------------------------------- arrivals

/** Copies of single elements arrive on a barrier by themselves; the thread arrives on another. */
const arrivals = kernel(
  'arrivals',
  'sm90a',
  function* (S) {
    const aGmem = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f16', [m, k], { role: 'out' })
    const x = yield* B.sharedMemory('x', 'f16', [m, k])
    const [copied, done] = [yield* barrier('copied'), yield* barrier('done')]
    yield* S.initBarrier('init copied', copied, 1)
    yield* S.initBarrier('init done', done, 2)
    const place = (of: X.Ptr<'f16'>): X.Tile<{ readonly ptr: 'f16' }, 2> =>
      X.addptr(
        X.splat<{ readonly ptr: 'f16' }, 2>(of, [m, k]),
        X.add(
          X.mul(X.broadcast(X.expandDims(X.iota<1>([m], 0), 1), [m, k]), X.splat<'i32', 2>(X.i32(k), [m, k])),
          X.broadcast(X.expandDims(X.iota<1>([k], 0), 0), [m, k]),
        ),
      )
    yield* B.copyAsync('copy', place(aGmem.ptr), x)
    yield* S.asyncCopyMbarrierArrive('arrive copied', copied, { noIncrement: true })
    yield* S.waitBarrier('wait copied', copied, X.i32(0))
    yield* S.arriveBarrier('arrive done', done, 2)
    yield* S.waitBarrier('wait done', done, X.i32(0))
    const value = yield* B.smemLoad('x', x)
    yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value })
  },
  { inputs: { a }, outputs: { out: a } },
)

/** Each CTA arrives at the barriers of both, after both have initialised theirs. */
const clustered = kernel(
  'two CTAs meet',
  'sm90a',
  function* (S) {
    const out = yield* B.tensorParam('out', 'i32', [2], { role: 'out' })
    const two: Ttng.Issuer = { agents: [thread], numCtas: 2 }
    const done = yield* barrier('done')
    yield* S.initBarrier('init done', done, 2, { from: two })
    yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
    yield* S.clusterArrive('arrive', { from: two, relaxed: true })
    yield* S.clusterWait('wait', { from: two })
    yield* S.arriveBarrier('arrive done', done, 1, { from: two, ctaMask: 1 })
    yield* S.waitBarrier('wait done', done, X.i32(0), { from: two })
    yield* S.clusterArrive('arrive at the end', { from: two })
    yield* S.clusterWait('wait at the end', { from: two })
    yield* B.run('out', {
      _tag: 'gmem.store',
      destination: X.slice(out.view, [X.place('ctaRank')], [1]),
      value: X.splat<'i32', 1>(X.add(X.place('ctaRank'), X.i32(5)), [1]),
    })
  },
  { outputs: { out: [5, 6] } },
  2,
)

/** Each CTA sends two numbers to the other, and writes what it was sent. */
const sent = kernel(
  'two CTAs send',
  'sm90a',
  function* (S) {
    const out = yield* B.tensorParam('out', 'i32', [2, 4], { role: 'out' })
    const two: Ttng.Issuer = { agents: [thread], numCtas: 2 }
    const [mine, other] = [X.place('ctaRank'), X.sub(X.i32(1), X.place('ctaRank'))]
    const buffer = yield* B.sharedMemory('buffer', 'i32', [4], [], { align: 16 })
    const full = yield* barrier('full')
    yield* S.initBarrier('init full', full, 1, { from: two })
    yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
    yield* S.clusterArrive('arrive', { from: two, relaxed: true })
    yield* S.clusterWait('wait', { from: two })
    yield* S.barrierExpect('expect full', full, 16, { from: two })
    const value = X.splat<'i32', 1>(X.add(mine, X.i32(5)), [4])
    yield* S.asyncSharedStore('send', value, buffer, full, { from: two, rank: other })
    yield* S.waitBarrier('wait full', full, X.i32(0), { from: two })
    const got = yield* B.smemLoad('got', buffer)
    yield* B.run('out', { _tag: 'gmem.store', destination: X.slot(out.view, mine), value: got })
    yield* S.clusterArrive('arrive at the end', { from: two })
    yield* S.clusterWait('wait at the end', { from: two })
  },
  { outputs: { out: [6, 6, 6, 6, 5, 5, 5, 5] } },
  2,
)

/** Programs of two CTAs write 1 + their place each, and go on with programs that were not launched. */
const persistent = kernel(
  'programs that were not launched',
  'sm100a',
  function* (S) {
    const out = yield* B.tensorParam('out', 'i32', [8], { role: 'out' })
    const two: Ttng.Issuer = { agents: [thread], numCtas: 2 }
    const answer = yield* B.sharedMemory('answer', 'i64', [2], [], { align: 16 })
    const full = yield* barrier('full')
    yield* S.initBarrier('init full', full, 1, { from: two })
    yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
    yield* S.clusterArrive('arrive', { from: two, relaxed: true })
    yield* S.clusterWait('wait', { from: two })
    const first = X.quo(X.place('programId'), X.i32(2))
    yield* B.whileLoop<{ readonly more: 'i1'; readonly at: 'i32'; readonly phase: 'i32' }>(
      { label: 'programs', carried: { more: X.i1(true), at: first, phase: X.i32(0) } },
      (carried) => B.of([carried.more, carried] as const),
      function* ({ at, phase }) {
        yield* S.barrierExpect('expect full', full, 16, { from: two })
        yield* S.clcTryCancel('try', answer, full, { from: two })
        const place = yield* B.letIn('place', X.add(X.mul(at, X.i32(2)), X.place('ctaRank')))
        yield* B.run('out', {
          _tag: 'gmem.store',
          destination: X.slice(out.view, [place], [1]),
          value: X.splat<'i32', 1>(X.add(place, X.i32(1)), [1]),
        })
        yield* S.waitBarrier('wait full', full, phase, { from: two })
        const result = yield* S.clcLoadResult('answer', answer, { from: two })
        const more = yield* S.clcIsCanceled('canceled', result)
        const next = yield* S.clcGetProgramId('next', result, 'x')
        // both have read it before the next answer may come
        yield* S.clusterArrive('arrive read', { from: two })
        yield* S.clusterWait('wait read', { from: two })
        return { more, at: next, phase: X.sub(X.i32(1), phase) }
      },
    )
  },
  { outputs: { out: [1, 2, 3, 4, 5, 6, 7, 8] } },
  2,
  8,
)

// ---------------------------------------------------------------- descriptors in memory

/** Every so many rows of a, from the first on, by the map's own steps. */
const throughMap = (name: string, step: number): Example<Surface> => {
  const rows = m / step
  return kernel(
    name,
    'sm90a',
    function* (S) {
      const aGmem = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
      const maps = yield* B.tensorParam('maps', 'u8', [128], { role: 'inout' })
      const out = yield* B.tensorParam('out', 'f16', [rows, k], { role: 'out' })
      const x = yield* buffer('x', 'f16', [rows, k], nvmma(32))
      const full = yield* barrier('full')
      yield* S.initBarrier('init full', full, 1)
      yield* S.tensormapCreate(
        'create',
        maps.ptr,
        aGmem.ptr,
        [k, m],
        [X.i32(k), X.i32(m)],
        [X.i64(BigInt(2 * k))],
        [1, step],
        { elemType: 6, interleaveLayout: 0, swizzleMode: 1, fillMode: 0 },
      )
      const raw = yield* S.tensormapFenceproxyAcquire('acquire', maps.ptr, { dtype: 'f16', rank: 2 })
      const desc = yield* S.reinterpretTensorDescriptor('desc', raw, { dtype: 'f16', rank: 2 })
      yield* S.barrierExpect('expect full', full, bytes(rows, k))
      yield* S.asyncTmaCopyGlobalToLocal('x', desc, origin, x, full)
      yield* S.waitBarrier('wait full', full, X.i32(0))
      const value = yield* B.smemLoad('x', x)
      yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value })
    },
    { inputs: { a }, outputs: { out: a.filter((_, p) => Math.floor(p / k) % step === 0) } },
  )
}
const mapped = throughMap('a descriptor that the kernel writes', 1)
const stepped = throughMap('a descriptor that takes every second row', 2)

// ---------------------------------------------------------------- tensor memory

const tallRows = 128
const tall = numbers(tallRows, k, 0)
const c = numbers(tallRows, n, 3)

/** d = 2 c + 2 a b: c by an allocation with a source, stored to columns of another; two products, one with a barrier, one before a commit. */
const blackwell = kernel(
  'a product in tensor memory',
  'sm100a',
  function* (S) {
    const aGmem = yield* B.tensorParam('a', 'f16', [tallRows, k], { role: 'in' })
    const bGmem = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
    const cGmem = yield* B.tensorParam('c', 'f32', [tallRows, n], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f32', [tallRows, n], { role: 'out' })
    const x = yield* buffer('x', 'f16', [tallRows, k], nvmma(32))
    const y = yield* buffer('y', 'f16', [k, n], nvmma(32))
    const layout = yield* rowPerLane(n)
    const [first, second] = [yield* barrier('first'), yield* barrier('second')]
    yield* S.initBarrier('init first', first, 1)
    yield* S.initBarrier('init second', second, 1)
    yield* S.tcgen5GlobalAlloc('tensor memory', 64)
    yield* B.run('x', { _tag: 'smem.store', destination: x, value: yield* B.gmemLoad('a', aGmem.view) })
    yield* B.run('y', { _tag: 'smem.store', destination: y, value: yield* B.gmemLoad('b', bGmem.view) })
    yield* S.fenceAsyncShared('fence')
    const value = yield* B.gmemLoad('c', cGmem.view, { layout })
    const { result: acc } = yield* S.tmemAlloc('acc', 'f32', [tallRows, n], {
      encoding: accumulatorEncoding(n),
      src: value,
      mutable: false,
    })
    const { result: whole } = yield* S.tmemAlloc('whole', 'f32', [tallRows, 2 * n], {
      encoding: accumulatorEncoding(2 * n),
    })
    const other = yield* S.tmemSubslice('other', whole, n, n)
    yield* S.tmemStore('other', value, other)
    yield* S.tcGen5Mma('mma', x, y, acc, X.i1(true), { isAsync: true, barriers: [{ barrier: first }] })
    yield* S.tcGen5Mma('mma 2', x, y, other, X.i1(true), { isAsync: true })
    yield* S.tcGen5Commit('commit', second)
    yield* S.waitBarrier('wait first', first, X.i32(0))
    yield* S.waitBarrier('wait second', second, X.i32(0))
    const { result: d } = yield* S.tmemLoad('d', acc, layout, { from })
    const { result: e } = yield* S.tmemLoad('e', other, layout, { from })
    yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value: X.add(d, e) })
    yield* S.tcgen5GlobalDealloc('free', 64)
  },
  {
    inputs: { a: tall, b, c },
    outputs: { out: product(tall, b, [tallRows, n, k]).map((v, i) => 2 * (v + c[i]!)) },
  },
)

// ---------------------------------------------------------------- scales

const deep = 128
const [sRows, sColumns] = [128, 128] as const
const exponents = (seed: number): ReadonlyArray<number> =>
  Array.from({ length: 512 }, (_, i) => 2 ** (((i * (3 + seed)) % 5) - 2))
/** The scale of row x and factor j in the chunk that a copy takes: byte 16 (x mod 32) + 4 (x div 32) + j. */
const inChunk = (scales: ReadonlyArray<number>, x: number, j: number): number =>
  scales[16 * (x % 32) + 4 * Math.floor(x / 32) + j]!
const [sa, sb] = [exponents(0), exponents(1)]
/** Exponent and fraction bits, and the bias of the exponent. */
const narrowFormats = {
  e4m3: [4, 3, 7],
  e5m2: [5, 2, 15],
  e2m3: [2, 3, 1],
  e3m2: [3, 2, 3],
  e2m1: [2, 1, 1],
} as const
export type NarrowFloat = keyof typeof narrowFormats
export const narrowFloats: ReadonlyArray<NarrowFloat> = ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1']
const bitsOfNarrow = (t: NarrowFloat): number => 1 + narrowFormats[t][0] + narrowFormats[t][1]

/** A float by its bits: the sign first, then the exponent, then the fraction. */
const valueOf = (t: NarrowFloat, code: number): number => {
  const [e, f, bias] = narrowFormats[t]
  const fraction = code % 2 ** f
  const exponent = Math.floor(code / 2 ** f) % 2 ** e
  const sign = code >= 2 ** (e + f) ? -1 : 1
  return exponent === 0
    ? sign * fraction * 2 ** (1 - bias - f)
    : sign * (2 ** f + fraction) * 2 ** (exponent - bias - f)
}
/** Codes of a matrix: all of a type of 4 and 6 bits, of 8 bits those near one; every row has one exponent, so that sums are exact. */
const codesOf = (t: NarrowFloat, rows: number, seed: number): ReadonlyArray<number> =>
  Array.from({ length: rows * deep }, (_, at) => {
    const [row, x] = [Math.floor(at / deep), at % deep]
    const [e, f, bias] = narrowFormats[t]
    const exponent = bitsOfNarrow(t) < 8 ? (row + seed) % 2 ** e : bias + (row % 2)
    const fraction = (5 * x + row + seed) % 2 ** f
    const sign = (x + Math.floor(x / 8) + row) % 2
    return sign * 2 ** (e + f) + exponent * 2 ** f + fraction
  })
/** Bytes as i8 has them: every 16 elements of a row in the first of 16 bytes, the low bits first; of e2m1 without the gaps, which its memdesc makes. */
const bytesOfNarrow = (t: NarrowFloat, codes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const bits = bitsOfNarrow(t)
  const bytes = new Uint8Array((codes.length * (bits === 4 ? 4 : 8)) / 8)
  codes.forEach((code, x) => {
    for (let b = 0; b < bits; b++) {
      const bit = (x % 16) * bits + b
      const byte = Math.floor(x / 16) * (bits === 4 ? 8 : 16) + Math.floor(bit / 8)
      bytes[byte]! |= ((code >> b) & 1) << (bit % 8)
    }
  })
  return Array.from(bytes, (x) => (x < 128 ? x : x - 256))
}

/** A product with scales of two types, of all codes; what it is comes from the values of the codes. */
export const scaledOf = (name: string, aType: NarrowFloat, bType: NarrowFloat): Example<Surface> => {
  const codes = { a: codesOf(aType, sRows, 0), b: codesOf(bType, sColumns, 1) }
  const inputOf = (side: 'a' | 'b', t: NarrowFloat): ReadonlyArray<number> =>
    bitsOfNarrow(t) === 8 ? codes[side].map((c) => valueOf(t, c)) : bytesOfNarrow(t, codes[side])
  const expected = Array.from({ length: sRows * sColumns }, (_, at) => {
    const [i, j] = [Math.floor(at / sColumns), at % sColumns]
    let sum = 0
    for (let x = 0; x < deep; x++)
      sum +=
        valueOf(aType, codes.a[i * deep + x]!) *
        inChunk(sa, i, Math.floor(x / 32)) *
        valueOf(bType, codes.b[j * deep + x]!) *
        inChunk(sb, j, Math.floor(x / 32))
    return sum + 0
  })
  const mixed = aType !== bType
  return kernel(
    name,
    'sm100a',
    function* (S) {
      const lying = (t: NarrowFloat): readonly ['e4m3' | 'e5m2' | 'i8', number] =>
        t === 'e4m3' || t === 'e5m2' ? [t, deep] : ['i8', t === 'e2m1' ? deep / 2 : deep]
      const [[aDtype, aWidth], [bDtype, bWidth]] = [lying(aType), lying(bType)]
      const aGmem = yield* B.tensorParam('a', aDtype, [sRows, aWidth], { role: 'in' })
      const bGmem = yield* B.tensorParam('b', bDtype, [sColumns, bWidth], { role: 'in' })
      const out = yield* B.tensorParam('out', 'f32', [sRows, sColumns], { role: 'out' })
      const encoding = (t: NarrowFloat) => ({
        ...nvmma(t === 'e2m1' && !mixed ? 64 : 128, 8),
        fp4Padded: t === 'e2m1' && mixed,
      })
      const x = yield* buffer('x', aDtype, [sRows, aWidth], encoding(aType))
      const y = yield* buffer('y', bDtype, [sColumns, bWidth], encoding(bType))
      const layout = yield* rowPerLane(sColumns)
      const done = yield* barrier('done')
      yield* S.initBarrier('init done', done, 1)
      yield* S.tcgen5GlobalAlloc('tensor memory', 256)
      yield* B.run('x', { _tag: 'smem.store', destination: x, value: yield* B.gmemLoad('a', aGmem.view) })
      yield* B.run('y', { _tag: 'smem.store', destination: y, value: yield* B.gmemLoad('b', bGmem.view) })
      const scales: X.View<'tmem', 'e8m0', 2>[] = []
      for (const name of ['sa', 'sb']) {
        const given = yield* B.tensorParam(name, 'e8m0', [1, 1, 32, 4, 4], { role: 'in' })
        const chunk = yield* B.sharedMemory(`${name}_smem`, 'e8m0', [1, 1, 32, 4, 4])
        const { result } = yield* S.tmemAlloc(`${name}_tmem`, 'e8m0', [128, 4], {
          encoding: { _tag: 'tensor_memory_scales' },
        })
        yield* B.run(name, {
          _tag: 'smem.store',
          destination: chunk,
          value: yield* B.gmemLoad(name, given.view),
        })
        yield* S.fenceAsyncShared(`fence ${name}`)
        yield* S.tmemCopy(`copy ${name}`, chunk, result)
        scales.push(result)
      }
      const { result: acc } = yield* S.tmemAlloc('acc', 'f32', [sRows, sColumns], {
        encoding: accumulatorEncoding(sColumns),
      })
      yield* S.tcGen5MmaScaled(
        'mma',
        x,
        X.transposeView(y, [1, 0]),
        acc,
        scales[0]!,
        scales[1]!,
        X.i1(false),
        { aType, bType, isAsync: true, barriers: [{ barrier: done }] },
      )
      yield* S.waitBarrier('wait done', done, X.i32(0))
      const { result: d } = yield* S.tmemLoad('d', acc, layout, { from })
      yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value: d })
      yield* S.tcgen5GlobalDealloc('free', 256)
    },
    { inputs: { a: inputOf('a', aType), b: inputOf('b', bType), sa, sb }, outputs: { out: expected } },
  )
}
const scaled = scaledOf('a product with scales', 'e4m3', 'e4m3')
const mixed = scaledOf('a product of e4m3 and padded e2m1', 'e4m3', 'e2m1')
const six = scaledOf('a product of padded e2m3 and e3m2', 'e2m3', 'e3m2')

// ---------------------------------------------------------------- the rows

type Operation = (...args: ReadonlyArray<unknown>) => B.Build<unknown>
/** The surface with one operation wrapped. */
const changing =
  <K extends keyof Surface & string>(name: K) =>
  (S: Surface, wrap: Wrap): Surface => ({
    ...S,
    [name]: checked<Surface[K], unknown>(wrap(checked<Operation, unknown>(S[name]))),
  })

const row = (operation: string, name: keyof Surface & string, example: Example<Surface>): Row<Surface> => ({
  kind: 'statements',
  operation: `ttng.${operation}`,
  names: [name],
  page: page(operation),
  example,
  change: changing(name),
})

export const rows: ReadonlyArray<Row<Surface>> = [
  row('arrive_barrier', 'arriveBarrier', arrivals),
  row('async_copy_mbarrier_arrive', 'asyncCopyMbarrierArrive', arrivals),
  row('async_tma_copy_global_to_local', 'asyncTmaCopyGlobalToLocal', hopper),
  row('async_tma_copy_local_to_global', 'asyncTmaCopyLocalToGlobal', stored),
  row('async_tma_gather', 'asyncTmaGather', gathered),
  row('async_tma_reduce', 'asyncTmaReduce', stored),
  row('async_tma_scatter', 'asyncTmaScatter', gathered),
  row('barrier_expect', 'barrierExpect', hopper),
  row('async_shared_store', 'asyncSharedStore', sent),
  {
    kind: 'view',
    operation: 'ttng.clc_get_program_id',
    names: ['clcGetProgramId'],
    page: page('clc_get_program_id'),
    example: persistent,
    // always the first
    without: (S) => ({ ...S, clcGetProgramId: () => B.of(X.i32(0)) }),
  },
  {
    kind: 'view',
    operation: 'ttng.clc_is_canceled',
    names: ['clcIsCanceled'],
    page: page('clc_is_canceled'),
    example: persistent,
    // nothing was cancelled
    without: (S) => ({ ...S, clcIsCanceled: () => B.of(X.i1(false)) }),
  },
  {
    kind: 'view',
    operation: 'ttng.clc_load_result',
    names: ['clcLoadResult'],
    page: page('clc_load_result'),
    example: persistent,
    // nothing was cancelled
    without: (S) => ({
      ...S,
      clcLoadResult: () =>
        B.of({ canceled: X.i1(false), first: [X.i32(0), X.i32(0), X.i32(0)] as const, numCtas: 2 }),
    }),
  },
  row('clc_try_cancel', 'clcTryCancel', persistent),
  row('cluster_arrive', 'clusterArrive', clustered),
  row('cluster_wait', 'clusterWait', clustered),
  row('fence_async_shared', 'fenceAsyncShared', stored),
  row('init_barrier', 'initBarrier', hopper),
  row('inval_barrier', 'invalBarrier', hopper),
  {
    kind: 'view',
    operation: 'ttng.reinterpret_tensor_descriptor',
    names: ['reinterpretTensorDescriptor'],
    page: page('reinterpret_tensor_descriptor'),
    example: mapped,
    // a pointer is no descriptor
    without: (S) => ({
      ...S,
      reinterpretTensorDescriptor: checked<Surface['reinterpretTensorDescriptor'], unknown>(
        (_label: string, raw: Ttng.RawDesc) => B.of(raw.pointer),
      ),
    }),
  },
  row('tc_gen5_commit', 'tcGen5Commit', blackwell),
  row('tc_gen5_mma', 'tcGen5Mma', blackwell),
  row('tc_gen5_mma_scaled', 'tcGen5MmaScaled', scaled),
  row('tc_gen5_mma_scaled (e2m1 with e4m3)', 'tcGen5MmaScaled', mixed),
  row('tc_gen5_mma_scaled (e2m3 with e3m2)', 'tcGen5MmaScaled', six),
  row('async_tma_store_wait', 'asyncTmaStoreWait', stored),
  row('tmem_alloc', 'tmemAlloc', blackwell),
  row('tmem_copy', 'tmemCopy', scaled),
  row('tmem_load', 'tmemLoad', blackwell),
  row('tmem_store', 'tmemStore', blackwell),
  {
    kind: 'view',
    operation: 'ttng.tmem_subslice',
    names: ['tmemSubslice'],
    page: page('tmem_subslice'),
    example: blackwell,
    // the whole, of other columns
    without: (S) => ({
      ...S,
      tmemSubslice: checked<Surface['tmemSubslice'], unknown>((_label: string, src: X.View<'tmem'>) =>
        B.of(src),
      ),
    }),
  },
  row('tensormap_create', 'tensormapCreate', mapped),
  row('tensormap_create (element_stride)', 'tensormapCreate', stepped),
  row('tensormap_fenceproxy_acquire', 'tensormapFenceproxyAcquire', mapped),
  row('wait_barrier', 'waitBarrier', hopper),
  row('warp_group_dot', 'warpGroupDot', hopper),
  row('warp_group_dot_wait', 'warpGroupDotWait', hopper),
]
