/**
 * The document: one launch of one Pallas kernel, as JAX traced it, in JSON.
 *
 *     { "schema": "tcspec.jaxpr/1", "producer": ..., "kernel": { ..., "body": 0 }, "jaxprs": [ { "in", "eqns", "out" } ], "files": [...], "locations": [...] }
 *
 * Whatever JAX flattens into trees (transforms, indexers, barriers, optional operands) stands unflattened, and versions of JAX differ no more: one form.
 *
 * | word       | is                                                                                                             |
 * |------------|----------------------------------------------------------------------------------------------------------------|
 * | `Type`     | an array or a scalar (no dimensions), a ref in a memory space, barriers, semaphores, a union of refs             |
 * | `Value`    | a variable by its number, a constant scalar, a constant array; null: an output that is dropped                 |
 * | `Use`      | a ref or barrier and the transforms, in order                                                            |
 * | `Eqn`      | an operation: operands, uses by name, parameters by name, jaxprs by name, results, and where it was written      |
 * | `Location` | a line of the author's, and the call that led there                                                             |
 *
 * A type of a ref has its shape as it lies (tiled, where it is). `transforms` of an allocation lead from there to the shape that the author sees.
 * Members that are empty may be left out.
 *
 * Laws
 * 1. What decodes satisfies `schemas/jaxpr.schema.json`.
 *
 * Source: JAX, jaxprs of Pallas:MGPU.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import {
  anything,
  isObject,
  bool,
  decode,
  define,
  described,
  dictionary,
  either,
  finite,
  integer,
  line,
  list,
  nat,
  nothing,
  oneOf,
  record,
  text,
  type Json,
  type Wire,
} from '../../wire.js'

export const jaxprSchema = 'tcspec.jaxpr/1'

// ---------------------------------------------------------------- model: values

export interface Variable {
  readonly v: number
}
export interface Constant {
  /** infinities and NaN as text; so is what no number of JSON says exactly */
  readonly k: number | string | boolean
  readonly dtype: string
}
export interface ConstantArray {
  readonly array: { readonly dtype: string; readonly shape: ReadonlyArray<number>; readonly base64: string }
}
export type Value = Variable | Constant | ConstantArray

// ---------------------------------------------------------------- model: layouts

export type LayoutArgument = number | boolean | string | null | ReadonlyArray<number> | Layout
export interface NamedLayout {
  readonly name: string
  readonly args?: ReadonlyArray<LayoutArgument> | Readonly<Record<string, LayoutArgument>>
}
export interface ReducedLayout {
  readonly reduce: number | ReadonlyArray<number>
  readonly of: Layout
}
export type TiledDimension = number | { readonly replicated: number }
export interface TiledLayout {
  readonly tiled: {
    readonly tiling: ReadonlyArray<ReadonlyArray<number>>
    readonly warp: ReadonlyArray<TiledDimension>
    readonly lane: ReadonlyArray<TiledDimension>
    readonly vec: number
  }
}
export type Layout = NamedLayout | ReducedLayout | TiledLayout

// ---------------------------------------------------------------- model: transforms

/** Of one dimension: one element, some in a row, or those that an array names. */
export type Indexer =
  | { readonly at: Value }
  | { readonly from: Value; readonly size: number; readonly stride?: number }
  | { readonly gather: Value }
/** A transform of a ref: a record with one key. */
export interface Transform {
  readonly index?: ReadonlyArray<Indexer>
  readonly unswizzle?: number
  readonly untile?: ReadonlyArray<number>
  readonly tile?: ReadonlyArray<number>
  readonly swizzle?: number
  readonly transpose?: ReadonlyArray<number>
  readonly reshape?: ReadonlyArray<number>
  readonly bitcast?: string
  readonly clusterRef?: ReadonlyArray<ReadonlyArray<string | Value>>
  readonly peer?: Json
  readonly multicast?: Json
  readonly extract?: Member
  readonly expandLeading?: ReadonlyArray<number>
  readonly collapseLeading?: number
}
export interface Member {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  /** bytes of shared memory, columns of tensor memory */
  readonly offset: number
  readonly layout?: Layout | null
  /** number of the group */
  readonly group?: number
}
export interface Use {
  readonly ref: Value
  readonly view?: ReadonlyArray<Transform>
}

// ---------------------------------------------------------------- model: types

export interface ArrayType {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
}
export interface RefType {
  readonly ref: 'gmem' | 'smem' | 'tmem' | 'regs'
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly transforms?: ReadonlyArray<Transform>
  readonly layout?: Layout | null
  readonly packed?: boolean | null
  readonly collective?: boolean | null
  readonly accumulator?: boolean
}
export interface BarrierType {
  readonly barrier: {
    readonly shape: ReadonlyArray<number>
    readonly numArrivals: number
    readonly ordersTensorCore?: boolean
    readonly cluster?: null | {
      readonly axes: ReadonlyArray<string | ReadonlyArray<string>>
      readonly leaderTracked?: boolean
    }
  }
}
export interface SemaphoreType {
  readonly semaphore: { readonly kind: 'regular' | 'barrier'; readonly shape: ReadonlyArray<number> }
}
export interface UnionType {
  readonly union: ReadonlyArray<ReadonlyArray<Type>>
  readonly ref?: 'smem' | 'tmem'
  readonly dtype?: string
  readonly shape?: ReadonlyArray<number>
  readonly layout?: Layout | null
  readonly packed?: boolean | null
  readonly collective?: boolean | null
}
export type Type = ArrayType | RefType | BarrierType | SemaphoreType | UnionType

// ---------------------------------------------------------------- model: code

export interface Var {
  readonly v: number
  readonly type: Type
  /** its name in the source, if it is known */
  readonly name?: string
}
export interface Eqn {
  readonly op: string
  readonly in?: ReadonlyArray<Value>
  readonly uses?: Readonly<Record<string, Use | ReadonlyArray<Use>>>
  readonly params?: Readonly<Record<string, Json>>
  readonly jaxprs?: Readonly<Record<string, number | ReadonlyArray<number>>>
  readonly out?: ReadonlyArray<Var | null>
  readonly at?: number | null
}
export interface Jaxpr {
  readonly in?: ReadonlyArray<Var>
  readonly eqns?: ReadonlyArray<Eqn>
  readonly out?: ReadonlyArray<Value | null>
}
export interface Location {
  readonly file: number
  readonly line: number
  readonly function?: string
  /** the line, without what is before and behind it */
  readonly text?: string
  readonly caller?: number | null
}

export interface MeshOf {
  readonly grid?: ReadonlyArray<number>
  readonly gridNames?: ReadonlyArray<string>
  readonly cluster?: ReadonlyArray<number>
  readonly clusterNames?: ReadonlyArray<string>
  readonly numThreads?: number | null
  readonly threadName?: string | null
}
export interface ParamsOf {
  readonly approxMath?: boolean
  readonly arch?: 'sm90a' | 'sm100a'
  readonly dimensionSemantics?: ReadonlyArray<string> | null
  readonly maxConcurrentSteps?: number
  readonly unsafeNoAutoBarriers?: boolean
  readonly reductionScratchBytes?: number
  readonly lowering?: 'lane' | 'warpgroup'
  /** of the chip that the kernel was traced for */
  readonly multiprocessors?: number
}
export interface OperandOf {
  readonly name: string
  readonly role: 'in' | 'out' | 'inout'
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  /** number of the operand whose memory it shares */
  readonly alias?: number | null
}
export interface BlockOf {
  /** null: a dimension that is indexed, and goes */
  readonly shape: ReadonlyArray<number | null>
  /** number of a jaxpr maps places in the grid to a block; null: the whole array */
  readonly indexMap?: number | null
  readonly transforms?: ReadonlyArray<Transform>
  readonly memory?: 'gmem' | 'smem' | null
  readonly delayRelease?: number
  readonly collectiveAxes?: ReadonlyArray<string>
}
export interface KernelOf {
  readonly name: string
  readonly form: 'kernel' | 'pallas_call' | 'core_map'
  readonly mesh: MeshOf
  readonly params?: ParamsOf
  readonly operands: ReadonlyArray<OperandOf>
  readonly blocks?: ReadonlyArray<BlockOf> | null
  readonly scratch?: ReadonlyArray<Type>
  readonly body: number
}
export interface Document {
  readonly schema: typeof jaxprSchema
  readonly producer?: Readonly<Record<string, Json>>
  readonly kernel: KernelOf
  readonly jaxprs: ReadonlyArray<Jaxpr>
  readonly files?: ReadonlyArray<string>
  readonly locations?: ReadonlyArray<Location>
}

// ---------------------------------------------------------------- form: values

const dtype = described(text, 'element type, by the names of this library')
const shape = described(list(nat), 'extent of every dimension')
const orNull = <A>(what: string, form: Wire<A>): Wire<A | null> => either(`null or ${what}`, nothing, form)

const variableWire: Wire<Variable> = record<Variable>()(
  'a variable',
  { v: described(nat, 'number of the variable') },
  {},
)
const constantWire: Wire<Constant> = record<Constant>()(
  'a constant',
  {
    k: described(
      either('a number, or its text', either<number, boolean>('a number or a boolean', finite, bool), text),
      'its value; infinities and NaN as text',
    ),
    dtype,
  },
  {},
)
const arrayContents: Wire<ConstantArray['array']> = record<ConstantArray['array']>()(
  'the elements of an array',
  { dtype, shape, base64: described(text, 'the elements, row-major and little-endian, in base64') },
  {},
)
const constantArrayWire: Wire<ConstantArray> = record<ConstantArray>()(
  'a constant array',
  { array: described(arrayContents, 'its elements') },
  {},
)
const valueWire: Wire<Value> = define('JaxprValue', () =>
  either<Variable, Constant | ConstantArray>(
    'a variable {v}, a constant {k, dtype} or an array {array}',
    variableWire,
    either<Constant, ConstantArray>(
      'a constant {k, dtype} or an array {array}',
      constantWire,
      constantArrayWire,
    ),
  ),
)

// ---------------------------------------------------------------- form: layouts

const argumentWire: Wire<LayoutArgument> = define('JaxprLayoutArgument', () =>
  either<number | boolean | string | null | ReadonlyArray<number>, Layout>(
    'a number, a word, some numbers or a layout',
    either<number | boolean | string | null, ReadonlyArray<number>>(
      'a number, a word or some numbers',
      either<number | boolean, string | null>(
        'a number or a word',
        either<number, boolean>('a number or a boolean', finite, bool),
        either<string, null>('a word or null', text, nothing),
      ),
      list(integer),
    ),
    layoutWire,
  ),
)
const tiledDimensionWire: Wire<TiledDimension> = either<number, { readonly replicated: number }>(
  'a dimension, or {replicated}',
  integer,
  record<{ readonly replicated: number }>()(
    'a replication',
    { replicated: described(nat, 'number of copies of each element') },
    {},
  ),
)
const layoutWire: Wire<Layout> = define('JaxprLayout', () =>
  either<NamedLayout, ReducedLayout | TiledLayout>(
    'a layout by its name, reduced or tiled',
    record<NamedLayout>()(
      'a layout by its name',
      { name: described(text, 'a member of plgpu.Layout or plgpu.TMEMLayout') },
      {
        args: described(
          either<ReadonlyArray<LayoutArgument>, Readonly<Record<string, LayoutArgument>>>(
            'arguments in order or by name',
            list(argumentWire),
            dictionary('arguments by name', argumentWire),
          ),
          'what it takes',
        ),
      },
    ),
    either<ReducedLayout, TiledLayout>(
      'a reduced or a tiled layout',
      record<ReducedLayout>()(
        'a reduced layout',
        {
          reduce: described(
            either<number, ReadonlyArray<number>>('an axis or axes', integer, list(integer)),
            'axes that are dropped',
          ),
          of: described(layoutWire, 'the layout that it belongs to'),
        },
        {},
      ),
      record<TiledLayout>()(
        'a tiled layout',
        {
          tiled: described(
            record<TiledLayout['tiled']>()(
              'a tiling',
              {
                tiling: described(
                  list(list(nat)),
                  'tiles that cut the trailing dimensions, the outermost first',
                ),
                warp: described(list(tiledDimensionWire), 'tiled dimensions that are spread over warps'),
                lane: described(list(tiledDimensionWire), 'tiled dimensions that are spread over lanes'),
                vec: described(integer, 'the tiled dimension whose elements share a register'),
              },
              {},
            ),
            'the tiling, and how its dimensions are spread',
          ),
        },
        {},
      ),
    ),
  ),
)

// ---------------------------------------------------------------- form: transforms

type At = { readonly at: Value }
type From = { readonly from: Value; readonly size: number; readonly stride?: number }
type Gather = { readonly gather: Value }
const indexerWire: Wire<Indexer> = define('JaxprIndexer', () =>
  either<At, From | Gather>(
    'an index {at}, a slice {from, size, stride} or a gather {gather}',
    record<At>()('an index', { at: described(valueWire, 'which element; the dimension is dropped') }, {}),
    either<From, Gather>(
      'a slice {from, size, stride} or a gather {gather}',
      record<From>()(
        'a slice',
        { from: described(valueWire, 'the first element'), size: described(nat, 'how many') },
        { stride: described(nat, 'every how many (default 1)') },
      ),
      record<Gather>()('a gather', { gather: described(valueWire, 'which elements') }, {}),
    ),
  ),
)
const extractWire: Wire<Member> = record<Member>()(
  'a member of a union',
  {
    dtype,
    shape,
    offset: described(nat, 'its first byte in shared memory, or its first column in tensor memory'),
  },
  {
    layout: described(orNull('a layout', layoutWire), 'of tensor memory'),
    group: described(nat, 'number of its group'),
  },
)
const transformWire: Wire<Transform> = define('JaxprTransform', () =>
  record<Transform>()(
    'a transform, one key',
    {},
    {
      index: described(list(indexerWire), 'a part: one entry for each dimension'),
      unswizzle: described(nat, 'the present swizzle, in bytes'),
      untile: described(list(nat), 'the present tiling'),
      tile: described(list(nat), 'a tiling of the last dimensions'),
      swizzle: described(nat, 'a swizzle in bytes'),
      transpose: described(list(nat), 'dimension k of the result is this one'),
      reshape: described(list(nat), 'the new shape'),
      bitcast: described(text, 'the new element type'),
      clusterRef: described(
        list(list(either<string, Value>('the name of an axis, or an index', text, valueWire))),
        'the same ref in another block of the cluster: pairs of an axis and an index',
      ),
      peer: described(anything, 'the same ref on another device'),
      multicast: described(anything, 'the same ref on all devices of some axes'),
      extract: described(extractWire, 'a member of a union'),
      expandLeading: described(
        list(nat),
        'batches: parts of the columns, as this many dimensions before the rows',
      ),
      collapseLeading: described(nat, 'this many leading dimensions merged into one'),
    },
  ),
)
const useWire: Wire<Use> = define('JaxprUse', () =>
  record<Use>()(
    'a use of a ref',
    { ref: described(valueWire, 'the ref or the barriers') },
    { view: described(list(transformWire), 'the transforms, in order') },
  ),
)

// ---------------------------------------------------------------- form: types

const arrayTypeWire: Wire<ArrayType> = record<ArrayType>()('an array', { dtype, shape }, {})
const refTypeWire: Wire<RefType> = record<RefType>()(
  'a ref',
  { ref: described(oneOf('gmem', 'smem', 'tmem', 'regs'), 'the memory space'), dtype, shape },
  {
    transforms: described(list(transformWire), 'maps the stored layout to the layout that the author sees'),
    layout: described(orNull('a layout', layoutWire), 'of tensor memory'),
    packed: described(orNull('true or false', bool), 'of tensor memory: several elements to a column'),
    collective: described(orNull('true or false', bool), 'of tensor memory: it belongs to a pair of blocks'),
    accumulator: described(bool, 'an accumulator of wgmma'),
  },
)
const clusterWire = record<NonNullable<BarrierType['barrier']['cluster']>>()(
  'axes of a cluster',
  {
    axes: described(
      list(either<string, ReadonlyArray<string>>('an axis, or several axes taken as one', text, list(text))),
      'axes along which arrivals are sent',
    ),
  },
  { leaderTracked: described(bool, 'arrivals are sent only to the first block') },
)
const barrierTypeWire: Wire<BarrierType> = record<BarrierType>()(
  'barriers',
  {
    barrier: described(
      record<BarrierType['barrier']>()(
        'an array of barriers',
        { shape, numArrivals: described(nat, 'arrivals that complete one') },
        {
          ordersTensorCore: described(bool, 'whether it orders operations of tensor cores'),
          cluster: described(orNull('axes of a cluster', clusterWire), 'a barrier of several blocks'),
        },
      ),
      'an array of barriers',
    ),
  },
  {},
)
const semaphoreTypeWire: Wire<SemaphoreType> = record<SemaphoreType>()(
  'semaphores',
  {
    semaphore: described(
      record<SemaphoreType['semaphore']>()(
        'an array of semaphores',
        { kind: described(oneOf('regular', 'barrier'), 'which kind'), shape },
        {},
      ),
      'an array of semaphores',
    ),
  },
  {},
)
const typeWire: Wire<Type> = define('JaxprType', () =>
  either<ArrayType | RefType, BarrierType | SemaphoreType | UnionType>(
    'an array {dtype, shape}, a {ref}, {barrier}, {semaphore} or {union}',
    either<ArrayType, RefType>('an array {dtype, shape} or a {ref}', arrayTypeWire, refTypeWire),
    either<BarrierType | SemaphoreType, UnionType>(
      'a {barrier}, {semaphore} or {union}',
      either<BarrierType, SemaphoreType>('a {barrier} or {semaphore}', barrierTypeWire, semaphoreTypeWire),
      record<UnionType>()(
        'a union of refs',
        { union: described(list(list(typeWire)), 'groups of refs that begin at the same place') },
        {
          ref: described(oneOf('smem', 'tmem'), 'the memory space'),
          dtype,
          shape: described(list(nat), 'bytes, or rows and columns'),
          layout: described(orNull('a layout', layoutWire), 'of tensor memory'),
          packed: described(orNull('true or false', bool), 'of tensor memory: several elements to a column'),
          collective: described(
            orNull('true or false', bool),
            'of tensor memory: it belongs to a pair of blocks',
          ),
        },
      ),
    ),
  ),
)

// ---------------------------------------------------------------- form: code

const varWire: Wire<Var> = define('JaxprVar', () =>
  record<Var>()(
    'a variable',
    { v: described(nat, 'its number'), type: described(typeWire, 'its type') },
    { name: described(line, 'its name in the source, if it is known') },
  ),
)
const numbers = either<number, ReadonlyArray<number>>('a number, or several', nat, list(nat))
const eqnWire: Wire<Eqn> = define('JaxprEqn', () =>
  record<Eqn>()(
    'an operation',
    { op: described(line, 'its name') },
    {
      in: described(list(valueWire), 'its operands'),
      uses: described(
        dictionary(
          'uses of refs, by name',
          either<Use, ReadonlyArray<Use>>('a use, or several', useWire, list(useWire)),
        ),
        'its refs and barriers, by name',
      ),
      params: described(dictionary('parameters', anything), 'its parameters, by name'),
      jaxprs: described(dictionary('numbers of jaxprs', numbers), 'its jaxprs, by name'),
      out: described(list(orNull('a variable', varWire)), 'its results; null: an unused one'),
      at: described(orNull('the number of a location', nat), 'where it was written'),
    },
  ),
)
const jaxprWire: Wire<Jaxpr> = define('Jaxpr', () =>
  record<Jaxpr>()(
    'a jaxpr',
    {},
    {
      in: described(list(varWire), 'its parameters'),
      eqns: described(list(eqnWire), 'its operations, in order'),
      out: described(list(orNull('a value', valueWire)), 'its results'),
    },
  ),
)
const locationWire: Wire<Location> = define('JaxprLocation', () =>
  record<Location>()(
    'a location',
    { file: described(nat, 'number of the file'), line: described(nat, 'line, from 1 on') },
    {
      function: described(line, 'its function'),
      text: described(text, 'the line'),
      caller: described(orNull('the number of a location', nat), 'the call that led there'),
    },
  ),
)

// ---------------------------------------------------------------- form: the launch

const names = described(list(line), 'names of the axes')
const meshWire: Wire<MeshOf> = define('JaxprMesh', () =>
  record<MeshOf>()(
    'a mesh',
    {},
    {
      grid: described(list(nat), 'clusters along each axis'),
      gridNames: names,
      cluster: described(list(nat), 'blocks of a cluster along each axis'),
      clusterNames: names,
      numThreads: described(orNull('a number', nat), 'threads of a block'),
      threadName: described(orNull('a name', line), 'their names'),
    },
  ),
)
const paramsWire: Wire<ParamsOf> = define('JaxprParams', () =>
  record<ParamsOf>()(
    'compiler parameters',
    {},
    {
      approxMath: described(
        bool,
        'whether functions are approximations of the chip, instead of library functions',
      ),
      arch: described(oneOf('sm90a', 'sm100a'), 'the chip; absent: the one that its operations need'),
      dimensionSemantics: described(
        orNull('words', list(text)),
        'for a pallas_call: which axes are blocks, and which are steps of a block',
      ),
      maxConcurrentSteps: described(nat, 'for a pallas_call: slots of its pipeline'),
      unsafeNoAutoBarriers: described(bool, 'whether barriers before stores and copies are left out'),
      reductionScratchBytes: described(nat, 'shared memory for reductions'),
      lowering: described(oneOf('lane', 'warpgroup'), 'whether layouts are inferred (warpgroup)'),
      multiprocessors: described(
        nat,
        'number of blocks that run together on the chip, for a kernel that takes over other blocks',
      ),
    },
  ),
)
const operandWire: Wire<OperandOf> = define('JaxprOperand', () =>
  record<OperandOf>()(
    'an operand',
    {
      name: described(line, 'its name'),
      role: described(oneOf('in', 'out', 'inout'), 'its use: input, output or both'),
      dtype,
      shape,
    },
    { alias: described(orNull('the number of an operand', nat), 'the operand whose memory it shares') },
  ),
)
const blockWire: Wire<BlockOf> = define('JaxprBlock', () =>
  record<BlockOf>()(
    'a block spec',
    {
      shape: described(
        list(orNull('an extent', nat)),
        'extents of a block; null: a dimension that is indexed and dropped',
      ),
    },
    {
      indexMap: described(
        orNull('the number of a jaxpr', nat),
        'maps places in the grid to a block; null: the whole array',
      ),
      transforms: described(list(transformWire), 'its transforms, as for an allocation'),
      memory: described(
        orNull('a memory space', oneOf('gmem', 'smem')),
        'its memory space in the body (default smem)',
      ),
      delayRelease: described(nat, 'number of steps that use the same block'),
      collectiveAxes: described(list(line), 'axes of a cluster that share it'),
    },
  ),
)
const kernelWire: Wire<KernelOf> = define('JaxprKernel', () =>
  record<KernelOf>()(
    'a kernel',
    {
      name: described(line, 'its name'),
      form: described(oneOf('kernel', 'pallas_call', 'core_map'), 'how it is launched'),
      mesh: described(meshWire, 'how many there are'),
      operands: described(list(operandWire), 'tensors of global memory, in the order of the body'),
      body: described(nat, 'number of its jaxpr'),
    },
    {
      params: described(paramsWire, 'compiler parameters'),
      blocks: described(orNull('block specs', list(blockWire)), 'for a pallas_call: one for each operand'),
      scratch: described(list(typeWire), 'for a pallas_call: the types of the arguments after the operands'),
    },
  ),
)

/** A document. */
export const documentWire: Wire<Document> = define('JaxprDocument', () =>
  record<Document>()(
    'a kernel that JAX traced',
    {
      schema: described(oneOf(jaxprSchema), 'name and version of this schema'),
      kernel: described(kernelWire, 'the launch'),
      jaxprs: described(list(jaxprWire), 'code; others refer to it by number'),
    },
    {
      producer: described(dictionary('versions', anything), 'versions of the software that wrote this'),
      files: described(list(line), "the author's files"),
      locations: described(list(locationWire), 'lines of those files'),
    },
  ),
)

/** A document, from JSON that was read. */
export const decodeDocument: (u: unknown) => E.Either<Failure<'json.form'>, Document> = decode(
  documentWire,
  'json.form',
)

/**
 * A document's text.
 *
 * @example
 * ```ts
 * import { parseDocument } from 'tensorcore-spec/dialects/jaxpr'
 *
 * const read = parseDocument('{}')
 * console.log(read._tag === 'Left' ? read.left.message : read.right.schema) // $.schema: expected "tcspec.jaxpr/1", found nothing
 * ```
 */
export const parseDocument = (json: string): E.Either<Failure<'json.syntax' | 'json.form'>, Document> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(json),
      (why) => failure('json.syntax', `not JSON: ${String(why)}`),
    ),
    E.chainW(decodeDocument),
  )

/** Whether this JSON says that it is a document of this schema. */
export const isDocument = (u: unknown): boolean =>
  typeof u === 'object' &&
  u !== null &&
  'schema' in u &&
  typeof u.schema === 'string' &&
  u.schema.startsWith('tcspec.jaxpr/')

/** Is this, a parameter of an equation, a layout? */
export const isLayout = (u: unknown): u is Layout => layoutWire.codec.is(u)

/** Is this value a variable? */
export const isVariable = (v: unknown): v is { readonly v: number } => isObject(v) && 'v' in v
