/**
 * `pallas_call`: a body over the blocks of its operands, one program for each place of a grid.
 *
 * Operands come in shared memory by default, block by block, as their specs say; with `memory_space=GMEM` the body is given the whole tensor. The
 * axes of the grid are *parallel* (a block each) or *sequential* (steps of one block's pipeline); without `dimension_semantics` all are parallel.
 *
 *     grid (2, 3), ("parallel", "sequential"), max_concurrent_steps=2
 *     block 0     steps (0, 0) (0, 1) (0, 2)      block 1     steps (1, 0) (1, 1) (1, 2)      two slots each
 *
 * So it is a kernel of one thread whose body is a pipeline over the sequential axes, and its index maps see the places of the others.
 *
 * Laws
 * 1. The body runs once for each place of the grid, with the blocks of that place, whatever the axes are called.
 *
 * Names: `pl.pallas_call(body, grid=..., in_specs=..., out_specs=..., scratch_shapes=...)`, `plgpu.GPUBlockSpec` (today `plgpu.BlockSpec`),
 * `pl.program_id`.
 *
 * Source: JAX docs, Pallas:MGPU reference.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { block, type Steps } from '../../semantics/writing/builder.js'
import type { Expr, Int } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Program, Spec } from '../../semantics/language/program.js'
import type { BlockSpec, RefsOf } from './blocks.js'
import { refuse, refused } from './codes.js'
import type { CompilerParams } from './compiler-params.js'
import { axisHere, type Warps } from './context.js'
import { kernel } from './kernel.js'
import { emitPipeline } from './pipeline.js'

// ---------------------------------------------------------------- model

/** `plgpu.GPUBlockSpec`: a block spec. The cluster option is not supported here. */
export interface GPUBlockSpec extends BlockSpec {
  readonly collectiveAxes?: ReadonlyArray<string>
}

export interface CallOptions {
  readonly name: string
  readonly arch: 'sm90a' | 'sm100a'
  readonly computes?: Spec
  readonly grid: ReadonlyArray<number>
  readonly compilerParams?: CompilerParams
  readonly warps?: Warps
}

/** The declarations of a call. */
export interface Call<I extends ReadonlyArray<GPUBlockSpec>, O extends ReadonlyArray<GPUBlockSpec>, S> {
  readonly inSpecs: I
  readonly outSpecs: O
  readonly scratch: S
}

/** The arguments of a body: its place, its blocks (inputs before outputs), and its scratch. */
export interface CallStep<I extends ReadonlyArray<GPUBlockSpec>, O extends ReadonlyArray<GPUBlockSpec>, S> {
  /** `pl.program_id` of each axis */
  readonly programIds: ReadonlyArray<Int>
  readonly refs: readonly [...RefsOf<I>, ...RefsOf<O>]
  readonly scratch: S
}

// ---------------------------------------------------------------- the call

const axisName = (d: number): string => `program_id ${String(d)}`

/** `pl.pallas_call`. Refuses everything that a pipeline refuses, and specs of a cluster. */
export const pallasCall = <
  const I extends ReadonlyArray<GPUBlockSpec>,
  const O extends ReadonlyArray<GPUBlockSpec>,
  S,
>(
  options: CallOptions,
  declare: () => Steps<Call<I, O, S>>,
  body: (step: CallStep<I, O, S>) => Steps<void>,
): E.Either<Failure, Program> => {
  const { name, grid, compilerParams = {} } = options
  const semantics = compilerParams.dimensionSemantics ?? grid.map(() => 'parallel' as const)
  if (semantics.length !== grid.length)
    return refuse(
      'pallas.call.dimension-semantics',
      `${name}: dimension_semantics has ${String(semantics.length)} entries and the grid ${String(grid.length)} axes: expected one for each`,
    )
  const along = grid.map((size, d) => ({ size, name: axisName(d), parallel: semantics[d] === 'parallel' }))
  const parallel = along.filter((a) => a.parallel)
  const sequential = along.filter((a) => !a.parallel)

  return pipe(
    kernel(
      {
        name,
        arch: options.arch,
        grid: parallel.map((a) => a.size),
        gridNames: parallel.map((a) => a.name),
        compilerParams,
        ...(options.computes === undefined ? {} : { computes: options.computes }),
        ...(options.warps === undefined ? {} : { warps: options.warps }),
      },
      () =>
        block(function* () {
          const call = yield* declare()
          for (const s of [...call.inSpecs, ...call.outSpecs])
            if (s.collectiveAxes !== undefined)
              return yield* refused(
                'pallas.call.collective-axes',
                `${name}: the spec of ${s.tensor.param.name} has collective_axes (${s.collectiveAxes.join(', ')}): a pallas_call takes none`,
              )
          return call
        }),
      function* ({ inSpecs, outSpecs, scratch }) {
        const own = new Map<string, Int>()
        for (const a of parallel) own.set(a.name, (yield* axisHere(name, a.name)).index)
        /** The places along all axes, from those along the sequential ones. */
        const all = (steps: ReadonlyArray<Int>): ReadonlyArray<Int> =>
          along.map((a) => own.get(a.name) ?? steps[sequential.indexOf(a)]!)
        const placed = (s: GPUBlockSpec): BlockSpec => {
          const { indexMap } = s
          return indexMap === undefined ? s : { ...s, indexMap: (...steps) => indexMap(...all(steps)) }
        }
        yield* emitPipeline(
          name,
          {
            inSpecs: inSpecs.map(placed),
            outSpecs: outSpecs.map(placed),
            grid: sequential.map((a) => a.size),
            maxConcurrentSteps: compilerParams.maxConcurrentSteps ?? 1,
          },
          {},
          function* ({ indices, refs }) {
            yield* body({
              programIds: all(indices),
              refs: checked<CallStep<I, O, S>['refs'], ReadonlyArray<Expr>>(refs),
              scratch,
            })
            return {}
          },
        )
      },
    ),
  )
}
