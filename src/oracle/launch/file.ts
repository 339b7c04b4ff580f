/**
 * Launch files: a launch of a module as JSON, its tensors in files beside it.
 *
 *     { "grid": [4, 4], "args": ["a", "b", "c", 256, 256, 192], "outputs": ["c"] }
 *
 * An argument is a number, the name of a tensor, or a tensor with what a descriptor says of it; arguments stand in the order of the parameters, or
 * by their names. A number that JSON does not have is a text: `"9007199254740993"`, `"inf"`, `"nan"`. The tensor `a` is what `a.npy` beside the launch file holds.
 *
 * | tensor                                | what its file is                                                                  |
 * |---------------------------------------|-----------------------------------------------------------------------------------|
 * | in `outputs`, without another role    | what is expected: its extents are taken from it, its elements only compared. Before the launch it holds zeros |
 * | in `outputs`, `inout`, with a `file`   | `file` is what is there before the launch, `NAME.npy` what is expected             |
 * | any other                             | what is there before the launch                                                   |
 *
 * A tensor with `pointers` holds addresses of other tensors; what no parameter addresses stands in `memory` (`ptx-file.ts`). TTGIR has no addresses, so such a launch is one of
 * its PTX.
 *
 * A file that a capture of a launch wrote has more to say (`num_warps`, `shared`, ...): what the text says too is compared with it, the rest is kept.
 *
 * Law 1. What decodes satisfies `schemas/launch.schema.json`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { isDtype, type Dtype } from '../../numerics/dtype.js'
import {
  anything,
  bool,
  decode,
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
import type { Padding, Role } from '../../dialects/ttgir/index.js'
import { own } from '../../own.js'

export const launchSchema = 'tcspec.launch/1'

// ---------------------------------------------------------------- model

export interface LaunchTensor {
  readonly kind?: 'tensordesc' | 'pointer'
  readonly tensor: string
  readonly shape?: ReadonlyArray<number>
  readonly strides?: ReadonlyArray<number>
  readonly block?: ReadonlyArray<number>
  readonly dtype?: string
  readonly padding?: Padding
  readonly role?: Role
  readonly file?: string | null
  /** tensors whose addresses it holds */
  readonly pointers?: ReadonlyArray<string>
}
export type LaunchArgument = string | number | boolean | LaunchTensor

export interface LaunchFile {
  readonly schema?: typeof launchSchema
  readonly grid: ReadonlyArray<number>
  readonly args: ReadonlyArray<LaunchArgument> | Readonly<Record<string, LaunchArgument>>
  /** tensors that only addresses in other tensors reach */
  readonly memory?: ReadonlyArray<LaunchTensor>
  readonly outputs?: ReadonlyArray<string>
  readonly kept?: ReadonlyArray<string>
  readonly computes?: string
  readonly kernel?: string
  readonly num_warps?: number
  readonly num_ctas?: number
  readonly arch?: string
  readonly name?: string
  readonly shared?: number
  readonly triton?: string
  readonly extra?: Readonly<Record<string, Json>>
}

// ---------------------------------------------------------------- form

const tensor: Wire<LaunchTensor> = define('LaunchTensor', () =>
  record<LaunchTensor>()(
    'a tensor',
    { tensor: described(line, 'its name, also for `--out`') },
    {
      kind: described(oneOf('tensordesc', 'pointer'), 'whether the parameter is a descriptor or a pointer'),
      shape: described(list(nat), 'its extents; without them, those of its file'),
      strides: described(list(nat), 'its strides in elements; without them, it is row-major'),
      block: described(list(nat), 'extents of the blocks of the descriptor: compared with the text'),
      dtype: described(line, 'its element type, such as `f16` or `torch.float16`: compared with the text'),
      padding: described(
        wordOf<Padding>()({ zero: true, nan: true }),
        'the value that its descriptor loads outside the tensor; default: zeros',
      ),
      role: described(
        wordOf<Role>()({ in: true, out: true, inout: true }),
        'what the kernel does with it; without it, `outputs` and the text say it',
      ),
      file: described(
        either('null or a file', nothing, line),
        'the file, next to the launch file; NAME.npy if absent; null: there is no file, and an input gets seeded data',
      ),
      pointers: described(
        list(line),
        'tensors whose addresses it holds, 8 bytes each; it has no file, and is judged in PTX',
      ),
    },
  ),
)

const argument: Wire<LaunchArgument> = define('LaunchArgument', () =>
  either<string | number | boolean, LaunchTensor>(
    'a number, the name of a tensor, or a tensor',
    either<string, number | boolean>(
      'a number or the name of a tensor',
      line,
      either<number, boolean>('a number or a boolean', finite, bool),
    ),
    tensor,
  ),
)

export const launchWire: Wire<LaunchFile> = define('LaunchFile', () =>
  record<LaunchFile>()(
    'a launch',
    {
      grid: described(list(nat), 'programs along x, y and z'),
      args: described(
        either<ReadonlyArray<LaunchArgument>, Readonly<Record<string, LaunchArgument>>>(
          'arguments in order, or by name',
          list(argument),
          dictionary('arguments by the name of the parameter', argument),
        ),
        'the arguments, in the order of the parameters or by their names',
      ),
    },
    {
      schema: described(oneOf(launchSchema), 'name and version of this schema'),
      memory: described(list(tensor), 'tensors that no argument addresses: `pointers` of others name them'),
      outputs: described(
        list(line),
        'tensors that the kernel writes; their files hold expected values and are not inputs',
      ),
      kept: described(
        list(line),
        'outputs with data from the caller: bytes that the kernel does not write keep these data, and O1 is a note',
      ),
      computes: described(
        line,
        'what the outputs are: `matmul:A,B,OUT` (`B.T`: the transpose of tensor B), `gemm:A,B,OUT` (the same, with an epilogue) or `copy:FROM,OUT`',
      ),
      kernel: described(line, 'name of the function: compared with the text'),
      num_warps: described(integer, 'warps of a CTA, those of partitions too: compared with the text'),
      num_ctas: described(integer, 'CTAs of a program: compared with the text'),
      arch: described(line, 'the chip, such as `sm_90a`: compared with the text'),
      name: described(line, 'what the launch is called'),
      shared: described(integer, 'bytes of shared memory that the compiler allocated'),
      triton: described(line, 'version of the compiler'),
      extra: described(dictionary('what else is known', anything), 'what else the compiler said'),
    },
  ),
)

/** The text of a launch file in this form. */
export const decodeLaunchBy =
  <A>(wire: Wire<A>) =>
  (json: string): E.Either<Failure<'json.syntax' | 'json.form'>, A> =>
    pipe(
      E.tryCatch(
        (): unknown => JSON.parse(json),
        (why) => failure('json.syntax', `not JSON: ${String(why)}`),
      ),
      E.chainW(decode(wire, 'json.form')),
    )

/** A launch file's text. */
export const decodeLaunch: (json: string) => E.Either<Failure<'json.syntax' | 'json.form'>, LaunchFile> =
  decodeLaunchBy(launchWire)

// ---------------------------------------------------------------- element types by their names elsewhere

const named: Readonly<Record<string, Dtype>> = {
  float16: 'f16',
  half: 'f16',
  fp16: 'f16',
  bfloat16: 'bf16',
  float32: 'f32',
  float: 'f32',
  fp32: 'f32',
  float8_e4m3fn: 'e4m3',
  fp8e4nv: 'e4m3',
  f8E4M3FN: 'e4m3',
  float8_e5m2: 'e5m2',
  fp8e5: 'e5m2',
  f8E5M2: 'e5m2',
  bool: 'i1',
  int1: 'i1',
  int8: 'i8',
  int16: 'i16',
  int32: 'i32',
  int64: 'i64',
  uint8: 'u8',
  uint16: 'u16',
  uint32: 'u32',
  uint64: 'u64',
}

/** `f16`, `torch.float16`, `fp16`; null where there is no such type here. */
export const dtypeNamed = (name: string): Dtype | null => {
  const bare = name.replace(/^(torch|tl|jnp|np)\./, '')
  return isDtype(bare) ? bare : (own(named, bare) ?? null)
}
