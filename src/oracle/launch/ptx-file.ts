/**
 * Launch files of PTX: what a driver is given, for a kernel that says no more of its parameters than how many bytes they have. It is published as
 * `schemas/ptx-launch.schema.json`; a file may call itself `tcspec.ptx-launch/1`, or `tcspec.launch/1` as the launch files of Triton's modules do.
 *
 *     { "grid": [4], "block": [128], "args": [{ "kind": "pointer", "tensor": "x", "dtype": "f32", "shape": [512], "role": "in" },
 *                                             { "kind": "scalar", "name": "n", "type": "s32", "value": 512 }, 0.5] }
 *
 * | argument                 | bytes of the parameter                                                             |
 * |--------------------------|------------------------------------------------------------------------------------|
 * | a number                 | that number in the type of the parameter                                           |
 * | `scalar`                 | the value in the type that is named                                                |
 * | `pointer`                | the address of a tensor, whose elements are in `NAME.npy` beside the file          |
 * | `tensormap`              | 128 bytes that describe a tensor to the copy engine, as its driver is told; of a parameter of 8 bytes, the address of such an object |
 * | `struct`                 | scalars, pointers and tensor maps at offsets; what no field covers is zero         |
 * | a text                   | a number, or the name of a tensor, whose extents are those of `NAME.npy`           |
 *
 * A tensor with `pointers` holds addresses of 8 bytes: those of the tensors that are named, one after another. What no parameter addresses stands in `memory`.
 *
 *     { "args": [{ "tensor": "matrices", "pointers": ["a", "b"] }], "memory": [{ "tensor": "a", "dtype": "f16", "shape": [64, 64] }, ...] }
 *
 * `globals` are variables of the module that a tensor fills before the launch, or that are compared behind it. A tensor in `outputs` holds zeros before
 * the launch, or what its `file` says, and `NAME.npy` is what is expected in it.
 *
 * A launch of Triton (it says `num_warps`) is given as its kernel was called. What lowering made of that is known: a `tensordesc` is a tensor map, its
 * extents and its strides, and behind the arguments stand the addresses of two scratch memories, which are nothing where the kernel needs none.
 *
 *     { "grid": [4, 4], "num_warps": 4, "shared": 32800, "args": [{ "kind": "tensordesc", "tensor": "a", "shape": [256, 192], "block": [64, 32], ... }, 192] }
 *
 * Law 1. What decodes satisfies `schemas/ptx-launch.schema.json`.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import {
  anything,
  bool,
  define,
  described,
  dictionary,
  either,
  finite,
  integer,
  list,
  nat,
  nothing,
  oneOf,
  record,
  line,
  wordOf,
  type Json,
  type Wire,
} from '../../wire.js'
import { decodeLaunchBy, launchSchema } from './file.js'

export const ptxLaunchSchema = 'tcspec.ptx-launch/1'

// ---------------------------------------------------------------- model

export type MemoryRole = 'in' | 'out' | 'inout'

export interface PtxTensor {
  readonly kind?: 'pointer'
  readonly tensor: string
  readonly dtype?: string
  readonly shape?: ReadonlyArray<number>
  readonly role?: MemoryRole
  readonly file?: string | null
  readonly offset?: number
  /** bytes from the beginning of the tensor to where the pointer points */
  readonly at?: number
  readonly symbol?: string
  /** tensors whose addresses it holds */
  readonly pointers?: ReadonlyArray<string>
}
/** The window of a map of columns of pixels, innermost first: of W, H and D how far its first pixel is from that of the tensor, and its last from the last. */
export interface PtxWindow {
  readonly lower: ReadonlyArray<number>
  readonly upper: ReadonlyArray<number>
}
/** Lists as the driver has them: innermost first, strides in bytes from the second dimension on. */
export interface PtxTensorMap {
  readonly kind: 'tensormap'
  readonly tensor: string
  readonly dtype: string
  readonly dims: ReadonlyArray<number>
  readonly strides?: ReadonlyArray<number>
  /** of columns of pixels: channels, pixels */
  readonly box: ReadonlyArray<number>
  /** of columns of pixels (im2col): its corners */
  readonly window?: PtxWindow
  readonly elementStrides?: ReadonlyArray<number>
  /** how f32 is copied and added, where that is not as f32; elements of 4 and 6 bits, where memory holds bytes */
  readonly elements?: 'f32_ftz' | 'tf32' | 'tf32_ftz' | 'b4x16' | 'b4x16_p64' | 'b6x16_p32'
  readonly swizzle?: 0 | 32 | 64 | 128
  readonly interleave?: 0 | 16 | 32
  readonly fill?: 'zero' | 'nan'
  readonly l2?: number
  readonly shape?: ReadonlyArray<number>
  readonly role?: MemoryRole
  readonly file?: string | null
  readonly offset?: number
  readonly symbol?: string
}
/** A descriptor as Triton's host makes it: outermost first, strides in elements. */
export interface PtxDescriptor {
  readonly kind: 'tensordesc'
  readonly tensor: string
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly strides?: ReadonlyArray<number>
  readonly block: ReadonlyArray<number>
  readonly swizzle?: 0 | 32 | 64 | 128
  /** a byte has two numbers of 4 bits, and 16 of them are copied to 16 bytes */
  readonly fp4Padded?: boolean
  readonly padding?: 'zero' | 'nan'
  readonly role?: MemoryRole
  readonly file?: string | null
}
export interface PtxScalar {
  readonly kind: 'scalar'
  readonly name?: string
  readonly type: string
  readonly value: number | string
  readonly offset?: number
}
export interface PtxStruct {
  readonly kind: 'struct'
  readonly name?: string
  readonly bytes: number
  readonly fields: ReadonlyArray<PtxTensor | PtxScalar | PtxTensorMap>
}
export type PtxArgument =
  number | boolean | string | PtxTensor | PtxScalar | PtxStruct | PtxTensorMap | PtxDescriptor

export interface PtxLaunch {
  readonly schema?: typeof ptxLaunchSchema | typeof launchSchema
  readonly name?: string
  readonly kernel?: string
  readonly arch?: string
  readonly grid: ReadonlyArray<number>
  readonly block?: ReadonlyArray<number>
  readonly num_warps?: number
  readonly num_ctas?: number
  readonly cluster?: ReadonlyArray<number>
  readonly shared?: number
  readonly args: ReadonlyArray<PtxArgument> | Readonly<Record<string, PtxArgument>>
  readonly globals?: ReadonlyArray<PtxTensor | PtxTensorMap>
  /** tensors that only addresses in other tensors reach */
  readonly memory?: ReadonlyArray<PtxTensor>
  readonly outputs?: ReadonlyArray<string>
  /** what is to be proved: `matmul:A,B,OUT`, `gemm:A,B,OUT` or `copy:FROM,OUT` */
  readonly computes?: string
  readonly triton?: string
  readonly extra?: Readonly<Record<string, Json>>
}

// ---------------------------------------------------------------- form

const offset = described(nat, 'offset in the struct, in bytes')

const role = described(
  wordOf<MemoryRole>()({ in: true, out: true, inout: true }),
  'what the kernel does with it; without it, what `outputs` says',
)
const file = described(
  either<null, string>('null or a file', nothing, line),
  'the file that holds the tensor before the launch, next to the launch file; NAME.npy for an input; null: there is no file, and an input gets seeded data',
)
const symbol = described(line, 'the variable of the module')
const name = described(line, 'its name, also for `--out`')
const dtype = described(line, 'its element type, such as `f16`, `f32`, `f64`, `s32`, `u64`')
const pointers = described(list(line), 'tensors whose addresses it holds, 8 bytes each; it has no file')
const swizzle = described(oneOf(0, 32, 64, 128), 'bytes of a row in which 16-byte pieces change places')

export const tensor: Wire<PtxTensor> = define('PtxTensor', () =>
  record<PtxTensor>()(
    'a tensor',
    { tensor: name },
    {
      kind: described(oneOf('pointer'), 'the parameter is the address of its first byte'),
      dtype,
      shape: described(list(nat), 'its extents; it is row-major. Default: those of its file'),
      role,
      file,
      offset,
      at: described(nat, 'bytes from the beginning of the tensor to where the pointer points'),
      symbol,
      pointers,
    },
  ),
)

const window: Wire<PtxWindow> = define('PtxWindow', () =>
  record<PtxWindow>()(
    'the window of a map of columns of pixels',
    {
      lower: described(
        list(integer),
        'of W, H and D, the first pixel as a distance from the first of the tensor, innermost first',
      ),
      upper: described(list(integer), 'the last pixel, as a distance from the last of the tensor'),
    },
    {},
  ),
)

export const tensorMap: Wire<PtxTensorMap> = define('PtxTensorMap', () =>
  record<PtxTensorMap>()(
    'a tensor map',
    {
      kind: described(
        oneOf('tensormap'),
        'the parameter is a tensor map of 128 bytes, or the address of one',
      ),
      tensor: name,
      dtype,
      dims: described(list(nat), 'extents of the tensor, innermost first'),
      box: described(
        list(nat),
        'extents of the box, innermost first; with a window, channels of a pixel and pixels of a column',
      ),
    },
    {
      window: described(window, 'the map is one of columns of pixels (im2col)'),
      elements: described(
        oneOf('f32_ftz', 'tf32', 'tf32_ftz', 'b4x16', 'b4x16_p64', 'b6x16_p32'),
        'the element type of the map, where memory holds f32: `tf32` is rounded to in loads, `ftz` has no subnormal sums; where memory holds u8: elements of 4 or 6 bits, which dims and box count, `_p` with gaps in shared memory',
      ),
      strides: described(
        list(nat),
        'strides in bytes, from the second innermost dimension on; without them, it has no gaps',
      ),
      elementStrides: described(list(nat), 'steps in the tensor, innermost first; without them, 1'),
      swizzle,
      interleave: described(oneOf(0, 16, 32), 'bytes of interleaved slices; 0: none'),
      fill: described(
        wordOf<'zero' | 'nan'>()({ zero: true, nan: true }),
        'the value that is loaded outside the tensor; default: zeros',
      ),
      l2: described(nat, 'promotion in the second cache, which changes nothing'),
      shape: described(
        list(nat),
        'extents of the tensor as its file has them; without them, `dims` outermost first',
      ),
      role,
      file,
      offset,
      symbol,
    },
  ),
)

const descriptor: Wire<PtxDescriptor> = define('PtxDescriptor', () =>
  record<PtxDescriptor>()(
    'a descriptor',
    {
      kind: described(
        oneOf('tensordesc'),
        'a descriptor that Triton is given: a tensor map, extents and strides',
      ),
      tensor: name,
      dtype: described(line, 'its element type, such as `torch.float16`'),
      shape: described(list(nat), 'its extents'),
      block: described(list(nat), 'extents of its blocks'),
    },
    {
      strides: described(list(nat), 'its strides in elements; without them, it is row-major'),
      swizzle: described(
        oneOf(0, 32, 64, 128),
        'bytes of a swizzled row; without it, the widest that a row of the block fills, as Triton chooses',
      ),
      fp4Padded: described(
        bool,
        'whether each byte holds two 4-bit elements and a copy gives 16 elements 16 bytes of shared memory: an operand of a product with mixed widths',
      ),
      padding: described(
        wordOf<'zero' | 'nan'>()({ zero: true, nan: true }),
        'the value that is loaded outside the tensor; default: zeros',
      ),
      role,
      file,
    },
  ),
)

const scalar: Wire<PtxScalar> = define('PtxScalar', () =>
  record<PtxScalar>()(
    'a scalar',
    {
      kind: described(oneOf('scalar'), 'the parameter is the value itself'),
      type: described(line, 'its type in PTX, such as `s32`, `u64`, `f32`'),
      value: described(
        either<number, string>('a number, or one as a text', finite, line),
        'the value; an integer of 64 bits may be a string',
      ),
    },
    { name: described(line, 'what it is called'), offset },
  ),
)

export const struct: Wire<PtxStruct> = define('PtxStruct', () =>
  record<PtxStruct>()(
    'a struct',
    {
      kind: described(oneOf('struct'), 'the parameter holds several things'),
      bytes: described(nat, 'how many bytes it has'),
      fields: described(
        list(
          either<PtxTensor | PtxScalar, PtxTensorMap>(
            'a pointer, a scalar or a tensor map',
            either<PtxTensor, PtxScalar>('a pointer or a scalar', tensor, scalar),
            tensorMap,
          ),
        ),
        'its content, at its `offset`',
      ),
    },
    { name: described(line, 'what it is called') },
  ),
)

const plain = either<string, number | boolean>(
  'a number or the name of a tensor',
  line,
  either<number, boolean>('a number or a boolean', finite, bool),
)

const argument: Wire<PtxArgument> = define('PtxArgument', () =>
  either<string | number | boolean, Exclude<PtxArgument, string | number | boolean>>(
    'a number, a tensor, a scalar, a tensor map, a descriptor or a struct',
    plain,
    either<PtxTensor | PtxScalar, PtxStruct | PtxTensorMap | PtxDescriptor>(
      'a tensor, a scalar, a tensor map, a descriptor or a struct',
      either<PtxTensor, PtxScalar>('a pointer or a scalar', tensor, scalar),
      either<PtxStruct, PtxTensorMap | PtxDescriptor>(
        'a tensor map, a descriptor or a struct',
        struct,
        either<PtxTensorMap, PtxDescriptor>('a tensor map or a descriptor', tensorMap, descriptor),
      ),
    ),
  ),
)

export const ptxLaunchWire: Wire<PtxLaunch> = define('PtxLaunch', () =>
  record<PtxLaunch>()(
    'a launch of PTX',
    {
      grid: described(list(nat), 'CTAs along x, y and z'),
      args: described(
        either<ReadonlyArray<PtxArgument>, Readonly<Record<string, PtxArgument>>>(
          'arguments in order, or by name',
          list(argument),
          dictionary('arguments by the name of the parameter', argument),
        ),
        'the arguments, in the order of the parameters or by their names',
      ),
    },
    {
      schema: described(oneOf(ptxLaunchSchema, launchSchema), 'name and version of this schema'),
      name: described(line, 'what the launch is called'),
      kernel: described(line, 'the entry; without it, the only one of the module'),
      arch: described(line, 'the chip, such as `sm_90a`'),
      block: described(
        list(nat),
        'threads of a CTA along x, y and z; without them, those that the entry asks for',
      ),
      num_warps: described(nat, 'warps of a CTA: a launch of Triton'),
      num_ctas: described(nat, 'CTAs of a cluster, of a launch of Triton'),
      cluster: described(list(nat), 'CTAs of a cluster along x, y and z'),
      shared: described(nat, 'bytes of dynamic shared memory'),
      globals: described(
        list(either<PtxTensor, PtxTensorMap>('a tensor or a tensor map', tensor, tensorMap)),
        'variables of the module, each with its `symbol`',
      ),
      memory: described(list(tensor), 'tensors that no argument addresses: `pointers` of others name them'),
      triton: described(line, 'version of the compiler'),
      outputs: described(list(line), 'tensors that the kernel writes'),
      computes: described(
        line,
        'what the outputs are: `matmul:A,B,OUT` (`B.T`: the transpose of tensor B), `gemm:A,B,OUT` (the same, with an epilogue) or `copy:FROM,OUT`',
      ),
      extra: described(dictionary('what else is known', anything), 'what else is known'),
    },
  ),
)

/** A launch file's text. */
export const decodePtxLaunch: (json: string) => E.Either<Failure<'json.syntax' | 'json.form'>, PtxLaunch> =
  decodeLaunchBy(ptxLaunchWire)
