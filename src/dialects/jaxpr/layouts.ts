/**
 * Layouts by the names of Pallas: from a document's to those of the library.
 *
 * | document                                             | layout                                                    |
 * |------------------------------------------------------|-----------------------------------------------------------|
 * | `{"name": "WGMMA"}`                                  | `Layout.WGMMA`                                             |
 * | `{"reduce": 1, "of": {"name": "WGMMA"}}`             | `reduce([1])` of it                                        |
 * | `{"name": "WG_STRIDED", "args": {"shape", "vec"}}`   | `stridedLayout`; without arguments that of the array        |
 * | `{"name": "MMA_LHS", "args": ["f16"]}`               | `MMA_LHS(16, 4)`: of the width of the type, four warps along m |
 * | `{"name": "WG_SPLAT"}`                               | a splat of the array's shape                               |
 * | `{"tiled": {...}}`                                   | the tiled layout                                           |
 */
import * as E from 'fp-ts/lib/Either.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { parseName } from '../../layouts/named.js'
import { splatLayout } from '../../layouts/splat.js'
import { stridedLayout } from '../../layouts/strided.js'
import * as Tmem from '../../layouts/tensor-memory/tensor-memory-layout.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, isDtype, type Dtype } from '../../numerics/dtype.js'
import { sizeOf } from '../../transforms/shape.js'
import type { Failure } from '../../failure.js'
import { of, type Build, type Steps } from '../../semantics/writing/builder.js'
import type { Eqn, Layout, LayoutArgument, NamedLayout } from './document.js'
import { refusedAt, type Here } from './here.js'
import { own } from '../../own.js'

const showArgument = (a: LayoutArgument): string =>
  Array.isArray(a) ? `(${a.map(String).join(', ')}${a.length === 1 ? ',' : ''})` : String(a)

const argumentsOf = ({ args }: NamedLayout): ReadonlyArray<LayoutArgument> =>
  args === undefined ? [] : isList(args) ? args : Object.values(args)
const isList = (args: NonNullable<NamedLayout['args']>): args is ReadonlyArray<LayoutArgument> =>
  Array.isArray(args)

/** Elements in a row that a lane holds where nothing is said: eight bytes, if there are so many. */
export const stridedFor = (shape: ReadonlyArray<number>, dtype: Dtype): RegisterLayout | null => {
  const size = sizeOf(shape)
  const bits = bitsOf(dtype)
  if (bits % 8 !== 0 || size % 128 !== 0) return null
  let vector = Math.min(64 / bits, size / 128)
  while (vector >= 1 && size % (vector * 128) !== 0) vector = Math.floor(vector / 2)
  if (vector < 1) return null
  const made = stridedLayout(shape, Math.floor(vector))
  return E.isRight(made) ? made.right : null
}

const elsewhere: Readonly<Record<string, string>> = {
  TCGEN05_TMEM_NATIVE: 'TMEM_NATIVE',
  _WGMMA_ACC_32BIT: 'WGMMA_ACC_32BIT',
}

/** Layouts of `mma`, which Pallas names by the type of the elements that are multiplied; four warps stand along m if nothing is said. */
const productLayouts: Readonly<
  Record<string, (bits: number, mWarps: number) => E.Either<Failure, RegisterLayout>>
> = {
  MMA_LHS: Tiled.MMA_LHS,
  MMA_RHS: Tiled.MMA_RHS,
  MMA_ACC: (_, mWarps) => Tiled.MMA_ACC(mWarps),
}

/** A layout of an array of this shape, or what was expected and found. */
export const readLayout = (
  layout: Layout,
  shape: ReadonlyArray<number>,
  dtype: Dtype,
): E.Either<readonly [expected: string, found: string], RegisterLayout> => {
  const made = (
    found: E.Either<Failure, RegisterLayout>,
  ): E.Either<readonly [string, string], RegisterLayout> =>
    E.mapLeft((f: Failure) => ['a layout', `${JSON.stringify(layout)}: ${f.message}`] as const)(found)
  if ('name' in layout) {
    const args = argumentsOf(layout)
    if (layout.name === 'WG_SPLAT') return E.right(splatLayout(shape))
    if (layout.name === 'WG_STRIDED' && args.length === 0) {
      const strided = stridedFor(shape, dtype)
      return strided === null
        ? E.left(['a multiple of 128 elements', `(${shape.map(String).join(', ')})`])
        : E.right(strided)
    }
    const product = own(productLayouts, layout.name)
    const [of, mWarps = 4] = args
    if (product !== undefined && typeof of === 'string' && isDtype(of) && typeof mWarps === 'number')
      return made(product(bitsOf(of), mWarps))
    const name = own(elsewhere, layout.name) ?? layout.name
    return made(parseName(args.length === 0 ? name : `${name}(${args.map(showArgument).join(', ')})`))
  }
  if ('reduce' in layout) {
    const axes = typeof layout.reduce === 'number' ? [layout.reduce] : layout.reduce
    const whole = readLayout(layout.of, shape, dtype)
    if (E.isLeft(whole)) return whole
    return whole.right._tag === 'tiled'
      ? made(Tiled.reduce(axes)(whole.right))
      : E.left(['a tiled layout that is reduced', JSON.stringify(layout)])
  }
  const { tiling, warp, lane, vec } = layout.tiled
  const dimension = (d: number | { readonly replicated: number }): Tiled.Partitioned =>
    typeof d === 'number' ? d : { _tag: 'Replicated', times: d.replicated }
  return made(
    Tiled.tiledLayout({
      tiling,
      warpDims: warp.map(dimension),
      laneDims: lane.map(dimension),
      vectorDim: vec,
    }),
  )
}

/** The same, refused where it stands. */
export const registerLayoutOf = (
  h: Here,
  eqn: Eqn,
  layout: Layout,
  shape: ReadonlyArray<number>,
  dtype: Dtype,
): Build<RegisterLayout> => {
  const found = readLayout(layout, shape, dtype)
  return E.isRight(found) ? of(found.right) : refusedAt(h, eqn, 'jaxpr.layout', found.left[0], found.left[1])
}

/** A layout of tensor memory by its name. */
export const tensorMemoryLayoutOf = function* (
  h: Here,
  eqn: Eqn,
  layout: Layout,
): Steps<Tmem.TensorMemoryLayout> {
  const name = 'name' in layout ? layout.name : ''
  const [first, second] = 'name' in layout ? argumentsOf(layout) : []
  const number = (a: LayoutArgument | undefined, instead: number): number =>
    typeof a === 'number' ? a : instead
  const made = (found: E.Either<Failure, Tmem.TensorMemoryLayout>): Build<Tmem.TensorMemoryLayout> =>
    E.isRight(found)
      ? of(found.right)
      : refusedAt(h, eqn, 'jaxpr.layout', 'a layout of tensor memory', found.left.message)
  switch (name) {
    case 'SCALES_LAYOUT':
      return Tmem.scales
    case 'SPARSE_METADATA_LAYOUT':
      return Tmem.sparseMetadata
    case 'SCALES_M64_COLLECTIVE_LAYOUT':
      return Tmem.bScalesM64Collective
    case 'TMEM_M64_COLLECTIVE':
    case 'M64_COLLECTIVE_LAYOUT':
      return yield* made(Tmem.m64Collective(number(first, 0), number(second, 1)))
    case 'TMEM_HALF_LANE':
      return yield* made(Tmem.halfLane(number(first, 0), number(second, 1)))
    case 'TMEM_DEFAULT':
      return yield* made(Tmem.defaultLayout(number(first, 1)))
    default: {
      return yield* refusedAt(h, eqn, 'jaxpr.layout', 'a layout of tensor memory', JSON.stringify(layout))
    }
  }
}
