/**
 * Rows of memory: allocations, views of refs, transforms, unions, scopes.
 *
 * An allocation that does nothing gives what was allocated first, whatever it is asked for. A transform that does nothing is the identity.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import { TCGEN05 } from '../../../../src/layouts/tiled.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { checked } from '../../../../src/semantics/language/index-types.js'
import * as Transform from '../../../../src/transforms/transform.js'
import type { Example, Row } from '../row.js'
import { numbers, product } from './wgmma.js'

type Surface = typeof Pallas
type Shape = ReadonlyArray<number>

const spaces = 'JAX docs, Pallas:MGPU reference, memory spaces'
const transformsPage = 'JAX docs, Pallas:MGPU reference, memory reference transforms'
const accumulators = 'JAX docs, Pallas:MGPU reference, allocating the accumulator'

const counted = (size: number, from: number = 1): ReadonlyArray<number> =>
  Array.from({ length: size }, (_, k) => from + k)
const sizeOf = (shape: Shape): number => shape.reduce((x, y) => x * y, 1)

// ---------------------------------------------------------------- examples: one thread, x in, out out

interface Tensors {
  readonly x: B.Tensor<'f32'>
  readonly out: B.Tensor<'f32'>
}
const example = (
  name: string,
  shapes: { readonly x: Shape; readonly out: Shape },
  expected: ReadonlyArray<number>,
  body: (P: Surface, t: Tensors) => B.Steps<void>,
  arch: 'sm90a' | 'sm100a' = 'sm90a',
): Example<Surface> => ({
  name,
  inputs: { x: counted(sizeOf(shapes.x)) },
  outputs: { out: expected },
  program: (P) =>
    P.kernel(
      { name, arch },
      function* () {
        const x = yield* B.tensorParam('x', 'f32', shapes.x, { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', shapes.out, { role: 'out' })
        return { x, out }
      },
      (t) => body(P, t),
    ),
})
const store = (label: string, destination: X.View<'smem', 'f32'>, value: X.Tile<'f32'>): B.Build<void> =>
  B.run(label, { _tag: 'smem.store', destination, value })
const give = (t: Tensors, value: X.Tile<'f32'>): B.Build<void> =>
  B.run('out[...] = value', { _tag: 'gmem.store', destination: t.out.view, value })

/** Two refs of shared memory, written one after the other; the first is read. */
const twoOf = (
  name: string,
  make: (P: Surface, name: string) => B.Build<X.View<'smem', 'f32', 2>>,
): Example<Surface> =>
  example(name, { x: [8, 16], out: [8, 16] }, counted(128), function* (P, t) {
    const a = yield* make(P, 'a')
    const b = yield* make(P, 'b')
    const x = yield* B.gmemLoad('x', t.x.view)
    yield* store('a[...] = x', a, x)
    yield* store('b[...] = x + x', b, yield* B.letIn('twice', X.add(x, x)))
    yield* give(t, yield* B.smemLoad('a[...]', a))
  })
const smem = twoOf('two refs of shared memory', (P, name) => P.SMEM(name, 'f32', [8, 16]))
const anySpace = twoOf('two refs of a space that is a value', (P, name) =>
  B.map((v: X.View<'smem' | 'tmem' | 'gmem', 'f32', 2>) => checked<X.View<'smem', 'f32', 2>, X.View>(v))(
    P.MemoryRef(P.MemorySpace.SMEM, name, 'f32', [8, 16]),
  ),
)
const gmem = example(
  'two refs of global memory',
  { x: [8, 16], out: [8, 16] },
  counted(128),
  function* (P, t) {
    const a = yield* P.GMEM('a', 'f32', [8, 16])
    const b = yield* P.GMEM('b', 'f32', [8, 16])
    const x = yield* B.gmemLoad('x', t.x.view)
    yield* B.run('a[...] = x', { _tag: 'gmem.store', destination: a, value: x })
    const twice = yield* B.letIn('twice', X.add(x, x))
    yield* B.run('b[...] = x + x', { _tag: 'gmem.store', destination: b, value: twice })
    yield* give(t, yield* B.gmemLoad('a[...]', a))
  },
)
const toTensorMemory = (label: string, destination: X.View<'tmem', 'f32', 2>, value: X.Tile<'f32'>) =>
  B.block(function* () {
    yield* B.run(label, { _tag: 'tcgen05.st', destination, value })
    yield* B.run(`${label}.wait`, { _tag: 'tcgen05.waitSt' })
  })
const fromTensorMemory = (
  label: string,
  source: X.View<'tmem', 'f32', 2>,
  shape: readonly [number, number],
) =>
  B.block(function* () {
    const into = yield* B.registers(`${label}.registers`, 'thread', 'f32', shape)
    yield* B.run(label, { _tag: 'tcgen05.ld', source, destination: into })
    yield* B.run(`${label}.wait`, { _tag: 'tcgen05.waitLd' })
    return yield* B.regsRead(`${label}.value`, into, { layout: TCGEN05 })
  })
const tmem = example(
  'two refs of tensor memory',
  { x: [128, 8], out: [128, 8] },
  counted(1024),
  function* (P, t) {
    const a = yield* P.TMEM('a', 'f32', [128, 8])
    const b = yield* P.TMEM('b', 'f32', [128, 8])
    const x = yield* B.gmemLoad('x', t.x.view, { layout: TCGEN05 })
    yield* toTensorMemory('a[...] = x', a, x)
    yield* toTensorMemory('b[...] = x + x', b, yield* B.letIn('twice', X.add(x, x)))
    yield* give(t, yield* fromTensorMemory('a[...]', a, [128, 8]))
  },
  'sm100a',
)

/** What lies in memory: written through a ref with transforms, read through one without, in one union. */
const physical = (
  name: string,
  shape: readonly [number, number],
  transforms: (
    P: Surface,
  ) => E.Either<{ readonly code: string; readonly message: string }, ReadonlyArray<Transform.Transform>>,
  /** the element of the array at a place of the memory, row-major */
  at: (place: number) => readonly [number, number],
): Example<Surface> =>
  example(
    name,
    { x: shape, out: [sizeOf(shape)] },
    counted(sizeOf(shape)).map((_, place) => at(place)[0] * shape[1] + at(place)[1] + 1),
    function* (P, t) {
      const as = yield* B.fromEither(transforms(P))
      const [[a], [raw]] = yield* P.RefUnion(
        'union',
        [P.SMEM('a', 'f32', shape, { transforms: as })],
        [P.SMEM('raw', 'f32', [sizeOf(shape)])],
      )
      yield* store('a[...] = x', a, yield* B.gmemLoad('x', t.x.view))
      yield* give(t, yield* B.smemLoad('raw[...]', raw))
    },
  )
const one = <L, A>(made: E.Either<L, A>): E.Either<L, ReadonlyArray<A>> => E.map((a: A) => [a])(made)
/** tiles of (8, 8) in rows of two: tile, row, column */
const tileAt = (place: number): readonly [number, number] => {
  const [tile, row, column] = [Math.floor(place / 64), Math.floor(place / 8) % 8, place % 8]
  return [8 * Math.floor(tile / 2) + row, 8 * (tile % 2) + column]
}
const tiled = physical('a tiled ref', [16, 16], (P) => one(P.TilingTransform([8, 8])), tileAt)
const olderTiled = physical(
  'a tiled ref, by the older name',
  [16, 16],
  (P) => one(P.TileTransform([8, 8])),
  tileAt,
)
/** rows of 128 bytes, pieces of 16: piece j of row k is piece j xor k mod 8 of the array */
const swizzled = physical(
  'a swizzled ref',
  [16, 32],
  (P) => one(P.SwizzleTransform(128)),
  (place) => {
    const [row, piece, rest] = [Math.floor(place / 32), Math.floor(place / 4) % 8, place % 4]
    return [row, 4 * (piece ^ (row % 8)) + rest]
  },
)
/** Sixteen bytes are one piece, which stays where it is: the ref lies as its tiles do. */
const swizzledBySixteen = physical(
  'a ref of tiles that a swizzle of 16 bytes leaves as they are',
  [16, 8],
  (P) =>
    pipe(
      P.TilingTransform([8, 4]),
      E.chain((tile) =>
        pipe(
          P.SwizzleTransform(16),
          E.map((swizzle) => [tile, swizzle]),
        ),
      ),
    ),
  (place) => {
    const [tile, inside] = [Math.floor(place / 32), place % 32]
    return [8 * Math.floor(tile / 2) + Math.floor(inside / 4), 4 * (tile % 2) + (inside % 4)]
  },
)
const transposedInMemory = physical(
  'a ref that is stored transposed',
  [8, 16],
  (P) => one(P.TransposeTransform([1, 0])),
  (place) => [place % 8, Math.floor(place / 8)],
)
const union = physical(
  'two groups at the same bytes',
  [8, 16],
  () => E.right([]),
  (place) => [Math.floor(place / 16), place % 16],
)

/** A ref with x in it, and a view of that. */
const viewed = (
  name: string,
  shape: Shape,
  out: Shape,
  transforms: ReadonlyArray<
    E.Either<{ readonly code: string; readonly message: string }, Transform.Transform>
  >,
  /** the element of x at a place of the view, row-major; -1: none */
  at: (place: number) => number,
  view: (P: Surface, ref: X.View<'smem', 'f32'>) => B.Build<X.View<'smem', 'f32'>>,
): Example<Surface> =>
  example(
    name,
    { x: shape, out },
    counted(sizeOf(out)).map((_, place) => at(place) + 1),
    function* (P, t) {
      const as: Transform.Transform[] = []
      for (const made of transforms) as.push(yield* B.fromEither(made))
      const ref = yield* P.SMEM('ref', 'f32', shape, { transforms: as })
      yield* store('ref[...] = x', ref, yield* B.gmemLoad('x', t.x.view))
      yield* give(t, yield* B.smemLoad('view', yield* view(P, ref)))
    },
  )
const parts = viewed(
  'a part of a tiled ref',
  [4, 16, 32],
  [8, 16],
  [Pallas.TilingTransform([8, 16])],
  (place) => 2 * 512 + (8 + Math.floor(place / 16)) * 32 + 16 + (place % 16),
  (P, ref) =>
    B.block(function* () {
      const two = yield* B.letIn('two', X.i32(2))
      return yield* P.refAt('ref.at', ref, [two, P.ds(8, 8), P.ds(16, 16)])
    }),
)
const transposed = viewed(
  'a transposed ref',
  [16, 16],
  [16, 16],
  [],
  (place) => (place % 16) * 16 + Math.floor(place / 16),
  (P, ref) => P.transposeRef('transpose_ref', ref, [1, 0]),
)
const folded = viewed(
  'a ref with two dimensions folded',
  [4, 8, 16],
  [32, 16],
  [],
  (place) => place,
  (P, ref) => P.reshapeRef('reshape', ref, [32, 16]),
)
const cut = viewed(
  'a ref tiled afterwards',
  [16, 16],
  [2, 2, 8, 8],
  [],
  (place) => {
    const [i, j] = tileAt(place)
    return i * 16 + j
  },
  (P, ref) =>
    B.block(function* () {
      const tile = yield* B.fromEither(Pallas.TilingTransform([8, 8]))
      return yield* P.transformRef('transform_ref', ref, tile)
    }),
)

// ---------------------------------------------------------------- examples: products

const size = 64
const square = [size, size] as const
const a = numbers(size, size, 0)
const b = numbers(size, size, 1)
const c = numbers(size, size, 2)
const ab = product(a, b, [size, size, size])

const products = (
  name: string,
  expected: ReadonlyArray<number>,
  body: (
    P: Surface,
    refs: { readonly a: X.View<'smem', 'f16', 2>; readonly b: X.View<'smem', 'f16', 2> },
    c: B.Tensor<'f32', 2>,
  ) => B.Steps<X.Tile<'f32', 2>>,
): Example<Surface> => ({
  name,
  inputs: { a, b, c },
  outputs: { out: expected },
  program: (P) =>
    P.kernel(
      { name, arch: 'sm90a' },
      function* () {
        const aGmem = yield* B.tensorParam('a', 'f16', square, { role: 'in' })
        const bGmem = yield* B.tensorParam('b', 'f16', square, { role: 'in' })
        const cGmem = yield* B.tensorParam('c', 'f32', square, { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', square, { role: 'out' })
        const transforms = yield* B.fromEither(P.mmaTransforms(16, [size]))
        return { aGmem, bGmem, cGmem, out, transforms }
      },
      function* ({ aGmem, bGmem, cGmem, out, transforms }) {
        const value = yield* P.runScoped(
          'operands',
          [
            P.SMEM('a_smem', 'f16', square, { transforms }),
            P.SMEM('b_smem', 'f16', square, { transforms }),
            P.Barrier('loaded', { numArrivals: 2 }),
          ],
          function* (aSmem, bSmem, loaded) {
            const origin = [X.i32(0), X.i32(0)]
            yield* P.copyGmemToSmem('load a', P.at(aGmem, origin, square), aSmem, loaded, null)
            yield* P.copyGmemToSmem('load b', P.at(bGmem, origin, square), bSmem, loaded, null)
            yield* P.barrierWait('wait loaded', loaded, null, P.freshParities)
            return yield* body(P, { a: aSmem, b: bSmem }, cGmem)
          },
        )
        yield* B.run('out[...] = value', { _tag: 'gmem.store', destination: out.view, value })
      },
    ),
})
const zeroed = products('an accumulator that starts at zero', ab, (P, o) =>
  P.runScoped('sum', [P.ACC('acc', 'thread', 'f32', square)], function* (acc) {
    yield* P.wgmma('wgmma', acc, o.a, o.b)
    return yield* P.readAccumulator('acc[...]', acc)
  }),
)
const twoSums = products('two accumulators', ab, (P, o) =>
  P.runScoped(
    'sums',
    [P.ACC('acc', 'thread', 'f32', square), P.ACC('other', 'thread', 'f32', square)],
    function* (acc, other) {
      yield* P.wgmma('wgmma', acc, o.a, o.b)
      yield* P.wgmma('wgmma other', other, o.b, o.b)
      return yield* P.readAccumulator('acc[...]', acc)
    },
  ),
)
const preloaded = products(
  'an accumulator that starts with an array',
  ab.map((sum, k) => sum + c[k]!),
  function* (P, o, cGmem) {
    const x = yield* B.gmemLoad('c', cGmem.view)
    const [sum] = yield* P.runState('sum', [P.ACC.init('acc', 'thread', 'f32', x)], function* (acc) {
      yield* P.wgmma('wgmma', acc, o.a, o.b)
    })
    return sum
  },
)

// ---------------------------------------------------------------- doing nothing

const only = 'only'
/** The first allocation, whatever is asked for. */
const firstOf = <A>(make: (name: string) => B.Build<A>, again: A): B.Build<A> =>
  B.build((state) => (state.storage.has(only) ? E.right([again, state]) : make(only).run(state)))
const first = <V extends X.Expr>(make: (name: string) => B.Build<V>): B.Build<V> =>
  firstOf(make, checked<V, X.ExprNode>({ _tag: 'storage', storage: only }))

const identityTile: typeof Pallas.TilingTransform = () => Pallas.TilingTransform([1])

export const rows: ReadonlyArray<Row<Surface>> = [
  {
    kind: 'storage',
    operation: 'SMEM',
    names: ['SMEM'],
    page: spaces,
    example: smem,
    without: (P) => ({
      ...P,
      SMEM: (_, dtype, shape, options) => first((name) => P.SMEM(name, dtype, shape, options)),
    }),
  },
  {
    kind: 'storage',
    operation: 'TMEM',
    names: ['TMEM'],
    page: spaces,
    example: tmem,
    without: (P) => ({
      ...P,
      TMEM: (_, dtype, shape, options) => first((name) => P.TMEM(name, dtype, shape, options)),
    }),
  },
  {
    kind: 'storage',
    operation: 'GMEM',
    names: ['GMEM'],
    page: spaces,
    example: gmem,
    without: (P) => ({ ...P, GMEM: (_, dtype, shape) => first((name) => P.GMEM(name, dtype, shape)) }),
  },
  {
    kind: 'storage',
    operation: 'MemorySpace',
    names: ['MemoryRef', 'MemorySpace'],
    page: spaces,
    example: anySpace,
    without: (P) => ({
      ...P,
      MemoryRef: (space, _, dtype, shape, options) =>
        first((name) => P.MemoryRef(space, name, dtype, shape, options)),
    }),
  },
  {
    kind: 'storage',
    operation: 'RefUnion',
    names: ['RefUnion'],
    page: 'JAX docs, Pallas:MGPU reference, RefUnion',
    example: union,
    without: (P) => ({
      ...P,
      RefUnion: (_, ...groups) =>
        B.map((all: ReadonlyArray<unknown>) => checked<never, unknown>(all))(
          B.sequence(groups.map((group) => B.sequence(group))),
        ),
    }),
  },
  {
    kind: 'view',
    operation: 'TilingTransform',
    names: ['TilingTransform'],
    page: transformsPage,
    example: tiled,
    without: (P) => ({ ...P, TilingTransform: identityTile }),
  },
  {
    kind: 'view',
    operation: 'TileTransform',
    names: ['TileTransform'],
    page: transformsPage,
    example: olderTiled,
    without: (P) => ({ ...P, TileTransform: identityTile }),
  },
  {
    kind: 'view',
    operation: 'SwizzleTransform',
    names: ['SwizzleTransform'],
    page: transformsPage,
    example: swizzled,
    without: (P) => ({ ...P, SwizzleTransform: () => identityTile([1]) }),
  },
  {
    kind: 'view',
    operation: 'SwizzleTransform(16)',
    names: ['SwizzleTransform'],
    page: transformsPage,
    example: swizzledBySixteen,
    // the next wider span: it does move, and asks for rows of 32 bytes
    without: (P) => ({ ...P, SwizzleTransform: () => P.SwizzleTransform(32) }),
  },
  {
    kind: 'view',
    operation: 'TransposeTransform',
    names: ['TransposeTransform'],
    page: transformsPage,
    example: transposedInMemory,
    without: (P) => ({ ...P, TransposeTransform: () => P.TransposeTransform([0, 1]) }),
  },
  {
    kind: 'view',
    operation: 'ref.at',
    names: ['refAt', 'ds'],
    page: transformsPage,
    example: parts,
    // the part of that size at the beginning
    without: (P) => ({
      ...P,
      refAt: (label, ref, indices) =>
        P.refAt(
          label,
          ref,
          checked<typeof indices, ReadonlyArray<Pallas.RefIndex>>(
            indices.map((i) => (typeof i !== 'number' && i._tag === 'ds' ? P.ds(0, i.size) : X.i32(0))),
          ),
        ),
    }),
  },
  {
    kind: 'view',
    operation: 'transpose_ref',
    names: ['transposeRef'],
    page: transformsPage,
    example: transposed,
    without: (P) => ({ ...P, transposeRef: (_, ref) => B.of(ref) }),
  },
  {
    kind: 'view',
    operation: 'ref.reshape',
    names: ['reshapeRef'],
    page: transformsPage,
    example: folded,
    without: (P) => ({ ...P, reshapeRef: (_, ref) => B.of(checked<never, unknown>(ref)) }),
  },
  {
    kind: 'view',
    operation: 'transform_ref',
    names: ['transformRef'],
    page: transformsPage,
    example: cut,
    without: (P) => ({ ...P, transformRef: (_, ref) => B.of(ref) }),
  },
  {
    kind: 'storage',
    operation: 'ACC',
    names: ['ACC'],
    page: accumulators,
    example: twoSums,
    without: (P) => ({
      ...P,
      ACC: Object.assign(
        <D extends Pallas.AccumulatorDtype>(
          _: string,
          agent: string,
          dtype: D,
          shape: readonly [number, number],
        ): B.Build<Pallas.Accumulator<D>> =>
          B.block(function* () {
            const acc = yield* B.build((state) =>
              E.map((made: readonly [Pallas.Accumulator<D>, B.State]) => [made[0], state] as const)(
                P.ACC(only, agent, dtype, shape).run(state),
              ),
            )
            const view = yield* first((name) => B.registers(name, agent, dtype, shape))
            return { ...acc, view }
          }),
        { init: P.ACC.init },
      ),
    }),
  },
  {
    kind: 'storage',
    operation: 'ACC.init',
    names: ['ACC'],
    page: accumulators,
    example: preloaded,
    without: (P) => ({
      ...P,
      ACC: Object.assign(
        <D extends Pallas.AccumulatorDtype>(
          name: string,
          agent: string,
          dtype: D,
          shape: readonly [number, number],
        ) => P.ACC(name, agent, dtype, shape),
        {
          init: <D extends Pallas.AccumulatorDtype>(name: string, agent: string, dtype: D) =>
            P.ACC.init(name, agent, dtype, X.splat(checked<X.Expr<D>, X.Expr>(X.float('f32', 0)), square)),
        },
      ),
    }),
  },
  {
    kind: 'frame',
    operation: 'run_scoped',
    names: ['runScoped'],
    page: accumulators,
    example: zeroed,
    // allocates, and enters nothing
    without: (P) => ({
      ...P,
      runScoped: (_, allocations, body) =>
        B.block(function* () {
          const refs = yield* B.sequence(allocations)
          return yield* body(...checked<Pallas.Results<typeof allocations>, unknown>(refs))
        }),
    }),
  },
  {
    kind: 'frame',
    operation: 'run_state',
    names: ['runState'],
    page: accumulators,
    example: preloaded,
    // the body alone; what it was given is what it gives
    without: (P) => ({
      ...P,
      runState: (_, allocations, body) =>
        B.block(function* () {
          const refs = yield* B.sequence(allocations)
          yield* body(...checked<Pallas.Results<typeof allocations>, unknown>(refs))
          return checked<never, unknown>([X.splat(X.float('f32', 0), square)])
        }),
    }),
  },
]
