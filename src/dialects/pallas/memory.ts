/**
 * Memory spaces of Pallas, and allocations in them.
 *
 * | allocation                                              | becomes                                    | starts at a multiple of |
 * |---------------------------------------------------------|--------------------------------------------|-------------------------|
 * | `SMEM(name, dtype, shape, { transforms })`              | shared memory, tiled and swizzled as told  | 1024 bytes              |
 * | `TMEM(name, dtype, shape, { packed, collective, layout })` | tensor memory under one of its layouts  | 4 columns               |
 * | `GMEM(name, dtype, shape)`                              | global memory of the block                 | 128 bytes               |
 *
 * Tensor memory is 128 lanes of 512 columns of 32 bits. How an array lies in it follows from its rows and from `packed`, or is said:
 *
 *     f32 (128, 64)                    default(1): lane i, column j                                        64 columns
 *     bf16 (128, 64), packed           default(2): lane i, column j div 2, half j mod 2                    32 columns
 *     f32 (64, 64)                     half_lane(64, 1): lanes 0-15 of a quarter columns 0-31, lanes 16-31 the others   32 columns
 *     f32 (64, 64), collective         m64_collective(64, 1): lanes 0-63 columns 0-31, lanes 64-127 the others          32 columns
 *     f32 (2, 128, 64)                 two of (128, 64), one behind the other                              128 columns
 *
 * Leading dimensions are a batch: (b, m, n) is stored as (m, b n), and the layout is that of one (m, n). Scales lie once in every quarter of
 * lanes; the ref names the first copy. Sparse metadata are declared as words of 32 bits, 16 numbers of 2 bits each: (m, words), a line of words in each lane.
 *
 * A `collective` ref belongs to a pair of blocks. It is so for all tensor memory of a kernel or for none; the storage's union is named for it.
 *
 * Laws
 * 1. `tensorMemoryRef` gives every element the first place that `places` of its layout gives it.
 * 2. `tensorMemoryLayoutOf` gives back the layout of what `tensorMemoryRef` made, slices of columns included; of sparse metadata, whose words lie as other
 *    words do, default(1).
 * 3. A ref takes `columnsOf` its layout columns; refs start at multiples of 1024 bytes or 4 columns.
 *
 * Names: `plgpu.SMEM`, `plgpu.TMEM`, `plgpu.GMEM`, `plgpu.MemorySpace`, `plgpu.TMEMLayout`.
 *
 * Source: JAX docs, Pallas:MGPU reference (memory spaces, tensor memory); PTX ISA, tensor memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../../greatest.js'
import { failure, type Failure } from '../../failure.js'
import { tmemColumnBits, tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import * as Tmem from '../../layouts/tensor-memory/tensor-memory-layout.js'
import * as Tiled from '../../layouts/tiled.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  block,
  build,
  fromEither,
  globalScratch,
  sharedMemory,
  tensorMemory,
  type Build,
  type State,
  type Step,
} from '../../semantics/writing/builder.js'
import { amend } from '../../semantics/writing/builder/state.js'
import type { View } from '../../semantics/language/expression.js'
import { lengthOf, place } from '../../semantics/language/place.js'
import { programSchema, region, type Storage } from '../../semantics/language/program.js'
import * as Ref from '../../transforms/ref.js'
import type { Mode, TransformedRef } from '../../transforms/ref.js'
import { isExtent, showShape, sizeOf, type Shape } from '../../transforms/shape.js'
import * as Transform from '../../transforms/transform.js'
import { refuse, refused, type Code } from './codes.js'

// ---------------------------------------------------------------- spaces

/** `plgpu.MemorySpace`. */
export const MemorySpace = { GMEM: 'gmem', SMEM: 'smem', TMEM: 'tmem', REGS: 'regs' } as const
export type MemorySpace = (typeof MemorySpace)[keyof typeof MemorySpace]

/** Where refs of a space start: bytes of shared memory, bytes of a lane (4 a column) of tensor memory. */
export const alignmentOf = { smem: 1024, tmem: 16 } as const

// ---------------------------------------------------------------- shared memory

const codeOfTransform = (code: Transform.TransformError): Code => {
  switch (code) {
    case 'tile.rank':
    case 'tile.not-divisible':
      return 'pallas.ref.tiling'
    case 'swizzle.element-bits':
    case 'swizzle.minor-dimension':
      return 'pallas.ref.swizzle'
    case 'transform.after-swizzle':
      return 'pallas.ref.after-swizzle'
    case 'transpose.rank':
      return 'pallas.ref.permutation'
  }
}

/** The shape of a ref, or why it is none. */
const legalShape = (name: string, shape: Shape): E.Either<Failure<Code>, Shape> => {
  const bad = shape.findIndex((extent) => !isExtent(extent))
  return bad < 0
    ? E.right(shape)
    : refuse(
        'pallas.memory.shape',
        `${name}: dimension ${String(bad)} of ${showShape(shape)} is ${String(shape[bad])}: expected a positive integer`,
      )
}

export interface SmemOptions {
  /** applied left to right to the logical shape */
  readonly transforms?: ReadonlyArray<Transform.Transform>
}

/** `plgpu.SMEM(shape, dtype, transforms=...)`. */
export const SMEM = <D extends Dtype, const S extends ReadonlyArray<number>>(
  name: string,
  dtype: D,
  shape: S,
  { transforms = [] }: SmemOptions = {},
): Build<View<'smem', D, S['length']>> =>
  block(function* () {
    yield* fromEither(legalShape(name, shape))
    yield* fromEither(
      pipe(
        Transform.physicalShape(bitsOf(dtype), transforms)(shape),
        E.mapLeft((why) => failure(codeOfTransform(why.code), `${name}: ${why.message}`)),
      ),
    )
    return yield* sharedMemory(name, dtype, shape, transforms, { align: alignmentOf.smem })
  })

// ---------------------------------------------------------------- global memory

/** `plgpu.GMEM(shape, dtype)`: global memory that the kernel allocates, for each block. */
export const GMEM = <D extends Dtype, const S extends ReadonlyArray<number>>(
  name: string,
  dtype: D,
  shape: S,
): Build<View<'gmem', D, S['length']>> =>
  block(function* () {
    yield* fromEither(legalShape(name, shape))
    return yield* globalScratch(name, dtype, shape)
  })

// ---------------------------------------------------------------- tensor memory: where elements lie

type Modes = ReadonlyArray<Mode>

/** Rows and columns of a matrix under a layout, major to minor: strides in elements of `bits` bits. */
const modesOf = (
  layout: Tmem.TensorMemoryLayout,
  [rows, columns]: readonly [number, number],
  bits: number,
): readonly [Modes, Modes] => {
  const lane = (tmemLaneBytes * 8) / bits
  const column = tmemColumnBits / bits
  const part = 1
  const p = Tmem.vectorLength(layout)
  const c = Tiled.baseTileShape(layout.tiled)[1]!
  const mode = (size: number, stride: number): Mode => ({ size, stride })
  const packed = p === 1 ? [] : [mode(p, part)]
  switch (layout.kind) {
    case 'default':
      return [
        [mode(rows / 128, (columns / p) * column), mode(128, lane)],
        [mode(columns / p, column), ...packed],
      ]
    case 'half-lane': {
      const half = c / 2 / p
      return [
        [mode(rows / 64, (columns / c) * half * column), mode(4, 32 * lane), mode(16, lane)],
        [mode(columns / c, half * column), mode(2, 16 * lane), mode(half, column), ...packed],
      ]
    }
    case 'm64-collective': {
      const half = c / 2 / p
      return [
        [mode(rows / 64, (columns / c) * half * column), mode(64, lane)],
        [mode(columns / c, half * column), mode(2, 64 * lane), mode(half, column), ...packed],
      ]
    }
    case 'scales':
      return [
        [mode(rows / 128, 4 * column), mode(4, column), mode(32, lane)],
        [mode(columns / 4, (rows / 128) * 4 * column), mode(4, part)],
      ]
    case 'b-scales-m64-collective':
      return [
        [mode(2, 64 * lane), mode(4, column), mode(32, lane)],
        [mode(columns / 4, 4 * column), mode(4, part)],
      ]
    case 'sparse-metadata':
      return [[mode(rows / 128, columns * column), mode(128, lane)], [mode(columns, column)]]
  }
}

/** The last modes of a chain, of `size` together, and those before; null where no cut gives that many. */
export const splitModes = (chain: Modes, size: number): readonly [major: Modes, minor: Modes] | null => {
  const minor: Mode[] = []
  let left = size
  for (let k = chain.length - 1; k >= 0; k--) {
    const one = chain[k]!
    if (left % one.size === 0) {
      minor.unshift(one)
      left /= one.size
    } else if (one.size % left === 0) {
      if (left > 1) minor.unshift({ size: left, stride: one.stride })
      return [
        [...chain.slice(0, k), { size: one.size / left, stride: one.stride * left }],
        minor.length === 0 ? [{ size: 1, stride: 0 }] : minor,
      ]
    } else return null
  }
  return left === 1 ? [[{ size: 1, stride: 0 }], minor] : null
}

/** Modes of one step say nothing. */
const withoutUnits = (chain: Modes): Modes => {
  const kept = chain.filter(({ size }) => size > 1)
  return kept.length === 0 ? [{ size: 1, stride: 0 }] : kept
}

/** What a layout is asked for sparse metadata: 16 numbers of 2 bits in a word of 32 bits. */
const metadataWords = 16

/** The matrix that an array with leading dimensions is. */
const matrixOf = (shape: Shape): readonly [number, number] => [
  shape[shape.length - 2]!,
  sizeOf(shape.slice(0, -2)) * shape[shape.length - 1]!,
]

/** Where the elements of an array of rank 2 or more lie under a layout: the first copy, if there are more. */
export const tensorMemoryRef = (
  name: string,
  layout: Tmem.TensorMemoryLayout,
  shape: Shape,
  bits: number,
): E.Either<Failure<Code>, TransformedRef> => {
  if (shape.length < 2)
    return refuse(
      'pallas.tmem.rank',
      `${name}: an array in tensor memory has two dimensions or more, found ${showShape(shape)}`,
    )
  const [rows, columns] = matrixOf(shape)
  const metadata = layout.kind === 'sparse-metadata'
  if (metadata && bits !== tmemColumnBits)
    return refuse(
      'pallas.tmem.packing',
      `${name}: sparse metadata are declared in words of 32 bits, found elements of ${String(bits)} bits`,
    )
  const legal = metadata
    ? Tmem.checkType(layout, [rows, columns * metadataWords], 2)
    : Tmem.checkType(layout, [rows, columns], bits)
  if (E.isLeft(legal))
    return refuse(
      legal.left.code === 'tmem.packing' ? 'pallas.tmem.packing' : 'pallas.tmem.layout',
      `${name}: ${legal.left.message}`,
    )
  const [down, across] = modesOf(layout, [rows, columns], bits)
  // (b, m, n) is (m, b n): the batch is the major part of the columns
  const chains: Modes[] = [withoutUnits(down)]
  let rest = withoutUnits(across)
  for (const extent of [shape[shape.length - 1]!, ...shape.slice(0, -2).reverse()]) {
    const cut = splitModes(rest, extent)
    if (cut === null)
      return refuse(
        'pallas.tmem.layout',
        `${name}: ${Tmem.showTensorMemoryLayout(layout)} does not cut (${String(rows)}, ${String(columns)}) where ${showShape(shape)} does`,
      )
    chains.push(withoutUnits(cut[1]))
    rest = withoutUnits(cut[0])
  }
  const [m, n, ...batch] = chains
  return E.right(Ref.ofChains([...batch.reverse(), m!, n!], bits, 0, 16))
}

/** Whether this is the layout of sparse metadata. A word in each lane of each column. */
export const holdsMetadata = (ref: TransformedRef): boolean => {
  const layout = ref.bits === tmemColumnBits ? tensorMemoryLayoutOf(ref) : null
  return layout?.kind === 'default'
}

/** Columns of tensor memory of an array. */
export const tensorMemoryColumns = (layout: Tmem.TensorMemoryLayout, shape: Shape): number => {
  const [rows, columns] = matrixOf(shape)
  return Tmem.columnsOf(layout, [rows, layout.kind === 'sparse-metadata' ? columns * metadataWords : columns])
}

/** One after the other, the usual ones first: a layout takes long to make, and most matrices lie under the first. */
const candidates = function* (columns: number): Generator<Tmem.TensorMemoryLayout, void, void> {
  const packings = [1, 2, 4, 8]
  for (const p of packings) {
    const made = Tmem.defaultLayout(p)
    if (E.isRight(made)) yield made.right
  }
  for (const p of packings)
    for (let c = 16; c <= columns; c += 16)
      for (const made of [Tmem.halfLane(c, p), Tmem.m64Collective(c, p)])
        if (E.isRight(made)) yield made.right
  yield* [Tmem.scales, Tmem.bScalesM64Collective]
}

/** The layout under which a matrix of tensor memory lies, if it is one of Pallas's. */
export const tensorMemoryLayoutOf = (ref: TransformedRef): Tmem.TensorMemoryLayout | null => {
  if (ref.shape.length !== 2) return null
  const at0: TransformedRef = { ...ref, byteOffset: 0 }
  for (const layout of candidates(ref.shape[1]!)) {
    const made = tensorMemoryRef('', layout, ref.shape, ref.bits)
    if (E.isRight(made) && Ref.sameRef(made.right, at0)) return layout
  }
  return null
}

// ---------------------------------------------------------------- tensor memory: allocation

export interface TmemOptions {
  /** 32 / bits elements to a column; must be said for elements of fewer bits than 32, unless a layout is */
  readonly packed?: boolean
  /** belongs to a pair of blocks (default false) */
  readonly collective?: boolean
  /** replaces the layout that follows from rows and packing */
  readonly layout?: Tmem.TensorMemoryLayout
}

/** The layout of a ref, or why there is none. */
const layoutOf = (
  name: string,
  bits: number,
  shape: Shape,
  { packed, collective = false, layout }: TmemOptions,
): E.Either<Failure<Code>, Tmem.TensorMemoryLayout> => {
  if (layout !== undefined)
    return packed === undefined
      ? E.right(layout)
      : refuse('pallas.tmem.packed-and-layout', `${name}: packed cannot be specified if layout is specified`)
  return pipe(
    // the batch does not count
    Tmem.inferLayout(shape.slice(-2), bits, packed === undefined ? { collective } : { packed, collective }),
    E.orElse((why): E.Either<Failure<Code>, Tmem.TensorMemoryLayout> => {
      switch (why.code) {
        case 'tmem.packed-unsaid':
          return refuse(
            'pallas.tmem.packed-unsaid',
            `${name}: dtypes narrower than 32 bits, here ${String(bits)}, require either packed or a layout`,
          )
        case 'tmem.rank':
          return refuse('pallas.tmem.rank', `${name}: ${why.message}`)
        case 'tmem.rows':
          return refuse(
            'pallas.tmem.rows',
            `${name}: dimension ${String(shape.length - 2)} is ${String(shape[shape.length - 2])}: expected 64 or 128 rows unless a layout is given`,
          )
        case 'tmem.packing':
          return refuse('pallas.tmem.packing', `${name}: ${why.message}`)
        case 'tmem.columns':
          return refuse('pallas.tmem.layout', `${name}: ${why.message}`)
      }
    }),
  )
}

const pairSuffix = ' of a pair'
/** The name of a union of refs, which says whether they belong to a pair of blocks. */
export const unionName = (name: string, collective: boolean): string =>
  collective ? `${name}${pairSuffix}` : name
/** Whether this tensor memory belongs to a pair of blocks. */
export const isCollective = ({ alias }: Storage): boolean => alias?.union.endsWith(pairSuffix) ?? false

/** The owner of the kernel's tensor memory, so far; the frame refuses `mixed`. */
export const tensorMemoryOwner = (storage: Iterable<Storage>): 'none' | 'block' | 'pair' | 'mixed' => {
  const kinds = new Set([...storage].flatMap((s) => (s.space === 'tmem' ? [isCollective(s)] : [])))
  if (kinds.size === 2) return 'mixed'
  const [pair] = kinds
  return pair === undefined ? 'none' : pair ? 'pair' : 'block'
}

/** `plgpu.TMEM(shape, dtype, packed=..., collective=..., layout=...)`. */
export const TMEM = <D extends Dtype, const S extends ReadonlyArray<number>>(
  name: string,
  dtype: D,
  shape: S,
  options: TmemOptions = {},
): Build<View<'tmem', D, S['length']>> =>
  block(function* () {
    yield* fromEither(legalShape(name, shape))
    const bits = bitsOf(dtype)
    const layout = yield* fromEither(layoutOf(name, bits, shape, options))
    const ref = yield* fromEither(tensorMemoryRef(name, layout, shape, bits))
    const own = { layout: ref, align: alignmentOf.tmem }
    return yield* tensorMemory(
      name,
      dtype,
      shape,
      options.collective === true ? { ...own, alias: { union: unionName(name, true), member: 0 } } : own,
    )
  })

// ---------------------------------------------------------------- how much is used

/** Storages with their offsets, members of unions included. */
export const placed = (storage: ReadonlyArray<Storage>): E.Either<Failure, ReadonlyArray<Storage>> =>
  pipe(
    place({
      schema: programSchema,
      name: 'allocations',
      arch: 'sm100a',
      params: [],
      launch: { grid: [], cluster: [], agents: [] },
      storage,
      entry: region([]),
    }),
    E.map((program) => program.storage),
  )

const upTo = (n: number, multiple: number): number => Math.ceil(n / multiple) * multiple

/**
 * Columns up to the end of the last ref, where `place` will put it: behind what has an offset already, refs of one union and number behind each
 * other. (Unlike `place`, it says how many there would be beyond the limit.)
 */
export const columnsUsed = (storage: ReadonlyArray<Storage>): number => {
  const refs = storage.filter(({ space }) => space === 'tmem')
  const units = new Map<string, Map<number, number>>()
  let end = 0
  for (const s of refs) {
    const columns = lengthOf(s) / 4
    if (s.offset !== undefined) {
      end = Math.max(end, s.offset / 4 + columns)
      continue
    }
    const { union, member } = s.alias ?? { union: `: ${s.id}`, member: 0 }
    const unit = units.get(union) ?? new Map<number, number>()
    unit.set(member, upTo(unit.get(member) ?? 0, s.align / 4) + columns)
    units.set(union, unit)
  }
  for (const unit of units.values()) end = upTo(end, alignmentOf.tmem / 4) + greatest(0)(unit.values())
  return end
}

// ---------------------------------------------------------------- any space

/** `SPACE(shape, dtype, transforms=..., packed=..., collective=..., layout=...)` of a space that is a value. */
export const MemoryRef = <D extends Dtype, const S extends ReadonlyArray<number>>(
  space: MemorySpace,
  name: string,
  dtype: D,
  shape: S,
  options: SmemOptions & TmemOptions = {},
): Build<View<'smem' | 'tmem' | 'gmem', D, S['length']>> =>
  block(function* (): Generator<Step, View<'smem' | 'tmem' | 'gmem', D, S['length']>, unknown> {
    const { transforms, packed, collective, layout } = options
    if (space !== 'smem' && transforms !== undefined && transforms.length > 0)
      return yield* refused(
        'pallas.memory.transforms',
        `${name}: transforms are not supported for ${spaceName(space)}, found ${transforms.map(Transform.showTransform).join(', ')}`,
      )
    const said = Object.entries({ packed, collective, layout }).flatMap(([key, value]) =>
      value === undefined ? [] : [key],
    )
    if (space !== 'tmem' && said.length > 0)
      return yield* refused(
        'pallas.memory.tmem-only',
        `${name}: packed, collective and layout are only supported for TMEM, found ${said.join(' and ')} for ${spaceName(space)}`,
      )
    switch (space) {
      case 'smem':
        return yield* SMEM(name, dtype, shape, transforms === undefined ? {} : { transforms })
      case 'tmem':
        return yield* TMEM(name, dtype, shape, options)
      case 'gmem':
        return yield* GMEM(name, dtype, shape)
      case 'regs':
        return yield* refused(
          'pallas.memory.space',
          `${name}: unsupported memory space REGS: registers are values, or an accumulator`,
        )
    }
  })

const spaceName = (space: MemorySpace): string => space.toUpperCase()

// ---------------------------------------------------------------- what an allocation declares

/** Runs builds without their declarations: returns their results, and the storages that they would declare. */
export const declaring = <A>(
  steps: Build<A>,
): Build<{ readonly result: A; readonly storage: ReadonlyMap<string, Storage> }> =>
  build((state: State) =>
    pipe(
      steps.run(amend(state, { storage: new Map() })),
      E.map(([result, after]) => [
        { result, storage: after.storage },
        amend(after, { storage: state.storage }),
      ]),
    ),
  )

/** Declares storages. Refuses a name that is already in use. */
export const declareStorage = (storage: ReadonlyArray<Storage>): Build<void> =>
  build((state: State) => {
    const twice = storage.find(({ id }) => state.storage.has(id))
    return twice === undefined
      ? E.right([
          undefined,
          amend(state, {
            storage: new Map([...state.storage, ...storage.map((s) => [s.id, s] as const)]),
          }),
        ])
      : E.left(failure('name.bound-twice', `There are two storages ${twice.id}`))
  })

/** The declarations so far. */
export const declaredStorage: Build<ReadonlyMap<string, Storage>> = build((state: State) =>
  E.right([state.storage, state]),
)

/** The results of a list of builds, run in order. */
export type Results<A extends ReadonlyArray<Build<unknown>>> = {
  readonly [K in keyof A]: A[K] extends Build<infer T> ? T : never
}
