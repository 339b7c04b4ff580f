/**
 * What a module says of its launch: the function, the chip, the parameters with their types, a launch to begin with, and the operations that can be left
 * out. It is what a form for a launch is made of; nothing is run.
 *
 * Law 1. Every module that has a signature is described.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import {
  attributeOf,
  functionOf,
  labelledIn,
  numberAttribute,
  readModule,
  signatureOf,
  type Asked,
  type Module,
  type Operation,
  type Signature,
} from '../../dialects/ttgir/index.js'
import { asText, type Files } from '../tensor-files/files.js'
import { exampleOf, type Example } from './example.js'

/** An operation that does something, where it stands and where its author wrote it. */
export interface DescribedOperation {
  /** its label: what `--without` and findings call it */
  readonly without: string
  readonly name: string
  readonly line: number
  /** `kernel.py:31` */
  readonly place: string | null
}

export interface DescribedModule {
  readonly name: string
  /** `sm_90` */
  readonly target: string | null
  /** of the module; partitions have warps of their own beside these */
  readonly warps: number
  readonly ctas: number
  /** along how many axes a program asks for its place in the grid */
  readonly axes: number
  readonly parameters: ReadonlyArray<Asked>
  readonly example: Example
  readonly operations: ReadonlyArray<DescribedOperation>
}

/** Operations that only name, place or compute. */
const silent =
  /^(arith|math|ub)\.|^(tt\.(get_|make_|splat|broadcast|expand|addptr|reshape|trans|join|split|cat|bitcast|int_to|ptr_to|func|return|reduce|scan|extern|elementwise|fp_to|clampf|precise|mulhiui|map_|unsplat|histogram|gather|call|advance|assert|print))|^ttg\.(memdesc_|convert_layout|global_scratch_alloc|warp_yield|warp_return|local_dealloc|mask)|^ttng\.(reinterpret_|tmem_subslice)|^scf\.|^cf\.|^builtin\.|^llvm\.|^nvvm\.|^gpu\.(?!barrier)/

const acts = (op: Operation): boolean =>
  !silent.test(op.name) &&
  !(/_alloc$/.test(op.name) && (op.operands['src'] ?? []).length === 0) &&
  op.regions.length === 0

/** As findings call them in a launch whose tensors are called as the parameters are. */
const operationsOf = (
  module: Module,
  func: Operation,
  { parameters }: Signature,
): ReadonlyArray<DescribedOperation> => {
  const tensors = new Map(
    parameters.flatMap((p) =>
      p._tag === 'scalar'
        ? []
        : [[p.name, { tensor: p.name, shape: [], strides: [], role: p.role }] as const],
    ),
  )
  return [...labelledIn(module, func, { grid: [], scalars: new Map(), tensors }).values()]
    .filter(({ op }) => op !== func && acts(op))
    .map(({ op, label, place }) => ({ without: label, name: op.name, line: op.at.line, place }))
}

export const describeModule = (module: Module): E.Either<Failure, DescribedModule> =>
  pipe(
    E.Do,
    E.bindW('signature', () => signatureOf(module)),
    E.bindW('func', ({ signature }) => functionOf(module, signature.name)),
    E.map(({ signature, func }) => {
      const target = attributeOf(module.attributes, 'ttg.target')
      return {
        name: signature.name,
        target: target?._tag === 'string' ? target.value.replace('cuda:', 'sm_') : null,
        warps: numberAttribute(module, 'ttg.num-warps') ?? 4,
        ctas: numberAttribute(module, 'ttg.num-ctas') ?? 1,
        axes: signature.axes,
        parameters: signature.parameters,
        example: exampleOf(func, signature),
        operations: operationsOf(module, func, signature),
      }
    }),
  )

/** The module of a file; Left is one line that names it. */
export const described =
  (files: Files) =>
  (file: string): E.Either<Failure, DescribedModule> =>
    pipe(
      files.read(file)(),
      E.chainW(asText(file)),
      E.chainW(readModule),
      E.chainW(describeModule),
      E.mapLeft((f) =>
        f.message.startsWith(`${file}: `)
          ? f
          : failure(f.code, `${file}:${/^\d+:\d+: /.test(f.message) ? '' : ' '}${f.message}`),
      ),
    )
