/**
 * Launch files of PTX: `tcspec.launch/1` with what a driver is given, for a kernel that says no more of its parameters than how many bytes they have.
 *
 *     { "grid": [4], "block": [128], "args": [{ "kind": "pointer", "tensor": "x", "dtype": "f32", "shape": [512], "role": "in" },
 *                                             { "kind": "scalar", "name": "n", "type": "s32", "value": 512 }, 0.5] }
 *
 * | argument                 | bytes of the parameter                                                             |
 * |--------------------------|------------------------------------------------------------------------------------|
 * | a number                 | that number in the type of the parameter                                           |
 * | `scalar`                 | the value in the type that is named                                                |
 * | `pointer`                | the address of a tensor, whose elements are in `NAME.npy` beside the file          |
 * | `struct`                 | scalars and pointers at offsets; what no field covers is zero                      |
 *
 * `globals` are variables of the module that a tensor fills before the launch, or that are compared behind it. A tensor in `outputs` holds zeros before
 * the launch, or what its `file` says, and `NAME.npy` is what is expected in it.
 *
 * Law 1. The bytes of a parameter are those of its argument, and no others.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import {
  anything,
  define,
  described,
  dictionary,
  either,
  finite,
  integer,
  list,
  nat,
  oneOf,
  record,
  text,
  wordOf,
  type Json,
  type Wire,
} from '../../wire.js'
import { decodeLaunchBy, launchSchema } from './file.js'

// ---------------------------------------------------------------- model

export type MemoryRole = 'in' | 'out' | 'inout'

export interface PtxTensor {
  readonly kind: 'pointer'
  readonly tensor: string
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly role?: MemoryRole
  readonly file?: string
  readonly offset?: number
  readonly symbol?: string
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
  readonly fields: ReadonlyArray<PtxTensor | PtxScalar>
}
export type PtxArgument = number | PtxTensor | PtxScalar | PtxStruct

export interface PtxLaunch {
  readonly schema?: typeof launchSchema
  readonly name?: string
  readonly kernel?: string
  readonly arch?: string
  readonly grid: ReadonlyArray<number>
  readonly block: ReadonlyArray<number>
  readonly cluster?: ReadonlyArray<number>
  readonly shared?: number
  readonly args: ReadonlyArray<PtxArgument>
  readonly globals?: ReadonlyArray<PtxTensor>
  readonly outputs?: ReadonlyArray<string>
  readonly extra?: Readonly<Record<string, Json>>
}

// ---------------------------------------------------------------- form

const offset = described(nat, 'bytes behind the beginning of the struct')

const tensor: Wire<PtxTensor> = define('PtxTensor', () =>
  record<PtxTensor>()(
    'a tensor',
    {
      kind: described(oneOf('pointer'), 'the parameter is the address of its first byte'),
      tensor: described(text, 'what it is called; `--out` calls it so'),
      dtype: described(text, 'its element type, such as `f16`, `f32`, `f64`, `s32`, `u64`'),
      shape: described(list(nat), 'its extents; it is row-major'),
    },
    {
      role: described(
        wordOf<MemoryRole>()({ in: true, out: true, inout: true }),
        'what the kernel does with it; without it, what `outputs` says',
      ),
      file: described(
        text,
        'the file beside the launch file with what is there before; NAME.npy of an input',
      ),
      offset,
      symbol: described(text, 'the variable of the module that it is'),
    },
  ),
)

const scalar: Wire<PtxScalar> = define('PtxScalar', () =>
  record<PtxScalar>()(
    'a scalar',
    {
      kind: described(oneOf('scalar'), 'the parameter is the value itself'),
      type: described(text, 'its type in PTX, such as `s32`, `u64`, `f32`'),
      value: described(
        either<number, string>('a number, or one as a text', finite, text),
        'the value; integers of 64 bits may be texts',
      ),
    },
    { name: described(text, 'what it is called'), offset },
  ),
)

const struct: Wire<PtxStruct> = define('PtxStruct', () =>
  record<PtxStruct>()(
    'a struct',
    {
      kind: described(oneOf('struct'), 'the parameter holds several things'),
      bytes: described(nat, 'how many bytes it has'),
      fields: described(
        list(either<PtxTensor, PtxScalar>('a pointer or a scalar', tensor, scalar)),
        'what lies in it, at its `offset`',
      ),
    },
    { name: described(text, 'what it is called') },
  ),
)

const argument: Wire<PtxArgument> = define('PtxArgument', () =>
  either<number, PtxTensor | PtxScalar | PtxStruct>(
    'a number, a pointer, a scalar or a struct',
    finite,
    either<PtxTensor, PtxScalar | PtxStruct>(
      'a pointer, a scalar or a struct',
      tensor,
      either<PtxScalar, PtxStruct>('a scalar or a struct', scalar, struct),
    ),
  ),
)

export const ptxLaunchWire: Wire<PtxLaunch> = define('PtxLaunch', () =>
  record<PtxLaunch>()(
    'a launch of PTX',
    {
      grid: described(list(nat), 'CTAs along x, y and z'),
      block: described(list(nat), 'threads of a CTA along x, y and z'),
      args: described(list(argument), 'the arguments, in the order of the parameters'),
    },
    {
      schema: described(oneOf(launchSchema), 'name and version of this schema'),
      name: described(text, 'what the launch is called'),
      kernel: described(text, 'the entry; without it, the only one of the module'),
      arch: described(text, 'the chip, such as `sm_90a`'),
      cluster: described(list(nat), 'CTAs of a cluster along x, y and z'),
      shared: described(integer, 'bytes of dynamic shared memory'),
      globals: described(list(tensor), 'variables of the module, each with its `symbol`'),
      outputs: described(list(text), 'tensors that the kernel writes'),
      extra: described(dictionary('what else is known', anything), 'what else is known'),
    },
  ),
)

/** A launch file's text. */
export const decodePtxLaunch: (json: string) => E.Either<Failure<'json.syntax' | 'json.form'>, PtxLaunch> =
  decodeLaunchBy(ptxLaunchWire)
