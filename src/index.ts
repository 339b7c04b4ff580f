/**
 * The short door: what most callers want of a kernel or a layout, each in one call. The other doors (`tensorcore-spec/semantics`, `/layouts`, `/numerics`, ...) have every part by itself.
 *
 * | call                                  | answers                                                                  |
 * |---------------------------------------|--------------------------------------------------------------------------|
 * | `kernel('hopper-matmul', { k: 1024 })` | the program, with its settings                                           |
 * | `check('hopper-matmul', { k: 1024 })` | the verdict for all inputs: every schedule, and what it computes          |
 * | `run('hopper-matmul', {}, { a, b })`  | the outputs, bit for bit as the chip leaves them, and the verdict          |
 * | `layout('WGMMA', [64, 64])`           | which lane's register holds an element                                   |
 *
 * Names and settings are those of `tcspec kernels`; an answer or a refusal is an `Either`, and nothing is thrown. Inputs that are not given to `run` are those of `tcspec run`.
 *
 * Laws
 * 1. `check` is `tcspec check NAME --set ...`, `run` is `tcspec run NAME --set ...`: the same verdict, the same bits.
 * 2. `owners(i)` of a layout holds every place of element `i`, and no other.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from './failure.js'
import { instanceOf, kernelNamed, type Instance, type Settings } from './kernels/catalogue/index.js'
import { tensorsOf } from './kernels/reference.js'
import { parseName, type NamedLayout } from './layouts/named.js'
import { owners } from './layouts/register-layout.js'
import { algebraOf, chipOf, inputsOf, outputOf } from './oracle/cli/tensors.js'
import type { Tensor } from './oracle/tensor-files/tensor.js'
import { noArguments, readTensor } from './semantics/execution/launch.js'
import type { Verdict } from './semantics/judging/verdict.js'
import { check as judge, standardOptions } from './semantics/verdict/check.js'

export type { Failure, Instance, NamedLayout, Settings, Tensor, Verdict }

/** A completed run: its verdict, and each output by name, as patterns of its dtype. */
export interface Ran {
  readonly verdict: Verdict
  readonly outputs: ReadonlyMap<string, Tensor>
}

/** A place of an element: `register` counts the elements that a lane holds. */
export interface Owner {
  readonly warp: number
  readonly lane: number
  readonly register: number
}

export interface Laid {
  readonly layout: NamedLayout
  readonly owners: (index: ReadonlyArray<number>) => ReadonlyArray<Owner>
}

/** The kernel of this name (`tcspec kernels` lists them), with these settings and the defaults of the others. */
export const kernel = (name: string, settings: Settings = {}): E.Either<Failure, Instance> =>
  pipe(
    kernelNamed(name),
    E.chainW((found) => instanceOf(found, settings, [])),
  )

/**
 * Judges a kernel without data: what is found holds for all inputs of its shape.
 *
 * @example
 * ```ts
 * import { check } from 'tensorcore-spec'
 *
 * const verdict = check('hopper-matmul', { k: 1024 })
 * console.log(verdict._tag === 'Right' ? verdict.right.verdict : verdict.left.message) // ok
 * ```
 */
export const check = (name: string, settings: Settings = {}): E.Either<Failure, Verdict> =>
  pipe(
    kernel(name, settings),
    E.chainW((made) => judge(made.program, Object.assign({}, standardOptions, { settings: made.settings }))),
    E.map(({ verdict }) => verdict),
  )

/**
 * Runs a kernel on data, with the arithmetic of its chip. A run that does not end has no outputs; the verdict
 * says why.
 *
 * @example
 * ```ts
 * import { run } from 'tensorcore-spec'
 *
 * const ran = run('hopper-matmul', { m: 64, n: 64, k: 64 })
 * console.log(ran._tag === 'Right' ? ran.right.outputs.get('out')?.shape.join(' x ') : ran.left.message) // 64 x 64
 * ```
 */
export const run = (
  name: string,
  settings: Settings = {},
  inputs: Readonly<Record<string, Tensor>> = {},
): E.Either<Failure, Ran> =>
  pipe(
    kernelNamed(name),
    E.chainW((found) =>
      instanceOf(
        found,
        settings,
        Object.entries(inputs).map(([called, { dtype, shape }]) => ({
          name: called,
          source: called,
          dtype,
          shape,
        })),
      ),
    ),
    E.bindTo('made'),
    E.bindW('given', ({ made }) => {
      const algebra = algebraOf(asBits, chipOf(made.program), true)
      return pipe(
        inputsOf(made.program, algebra, asBits, new Map(Object.entries(inputs))),
        E.map((tensors) => ({ algebra, tensors })),
      )
    }),
    E.bindW('checked', ({ made, given: { algebra, tensors } }) =>
      judge(
        made.program,
        Object.assign({}, standardOptions, {
          algebra,
          settings: made.settings,
          arguments: Object.assign({}, noArguments, { tensors }),
        }),
      ),
    ),
    E.chainW(({ made: { program }, checked: { verdict, world, machine, outcome } }) =>
      pipe(
        outcome._tag === 'completed' ? tensorsOf(program).filter(({ role }) => role !== 'in') : [],
        E.traverseArray(({ name: called }) =>
          pipe(
            outputOf(program, asBits, called, readTensor(world, machine, called)),
            E.map((tensor) => [called, tensor] as const),
          ),
        ),
        E.map((outputs): Ran => ({ verdict, outputs: new Map(outputs) })),
      ),
    ),
  )

const asBits = { _tag: 'bits' } as const

/**
 * A register layout by name, for an array of this shape.
 *
 * @example
 * ```ts
 * import { layout } from 'tensorcore-spec'
 *
 * const laid = layout('WGMMA', [64, 64])
 * const owner = laid._tag === 'Right' ? laid.right.owners([9, 3])[0] : undefined
 * console.log(`warp ${owner?.warp} lane ${owner?.lane} register ${owner?.register}`) // warp 0 lane 5 register 3
 * ```
 */
export const layout = (name: string, shape: ReadonlyArray<number>): E.Either<Failure, Laid> =>
  pipe(
    parseName(name),
    E.map((found) => ({ layout: found, owners: (index) => owners(found, shape, index) })),
  )
