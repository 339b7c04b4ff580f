/**
 * Partitions: `ttg.warp_specialize`, `ttg.warp_yield`, `ttg.warp_return`.
 *
 *     %r:2 = ttg.warp_specialize(%s_40, %N) default {            warpSpecialize('r', m, {
 *       ...                                                        operands: { s_65: s40, N_81: N },
 *       ttg.warp_yield %l, %p                                      default: { captures: { ... }, body: function* (c) { ... return { l, p } } },
 *     }                                                            partitions: [
 *     partition0(%s_65, %N_81) num_warps(1) {                        function* (c, from) { ... },
 *       ...                                                        ],
 *       ttg.warp_return                                          })
 *     }
 *
 * The default region goes on with the function's own warps; the partitions run beside it, each on warps of its own, and are joined. A partition
 * sees the operands, under the names of its arguments, and nothing else. In MLIR the default region sees every value before it; in the core it
 * is a branch as the others, so what it uses is written down as its captures. What its body returns is yielded (`warp_yield`); the end of a
 * partition's body is its `warp_return`.
 *
 * How many warps a partition has, and their registers, says the module (`module.ts`).
 *
 * Laws
 * 1. One branch for the default region and one for each partition, in their order; each captures the operands under the names given.
 *
 * Source: Triton, TritonGPU dialect and its lowering.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  block,
  branch,
  build,
  fork,
  typeHere,
  type Build,
  type Exprs,
  type Steps,
} from '../../semantics/writing/builder.js'
import type { Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { refused } from './codes.js'
import { shown } from './tensor.js'
import type { Module } from './module.js'
import type { Issuer } from './types.js'

type Indices = Readonly<Record<string, TypeIndex>>

interface Regions<O extends Indices, C extends Indices, R> {
  /** what every partition gets, under the names of its arguments */
  readonly operands: Exprs<O>
  readonly default: {
    /** what the region uses of the values before it */
    readonly captures: Exprs<C>
    readonly body: (captured: Exprs<C>, from: Issuer) => Steps<R>
  }
  readonly partitions: ReadonlyArray<(args: Exprs<O>, from: Issuer) => Steps<void>>
}
type WarpSpecialize = {
  <O extends Indices, C extends Indices>(
    label: string,
    module: Module,
    regions: Regions<O, C, void>,
  ): Build<void>
  <O extends Indices, C extends Indices, R extends Indices>(
    label: string,
    module: Module,
    regions: Regions<O, C, Exprs<R>>,
  ): Build<Exprs<R>>
}

/** `ttg.warp_specialize(operands) default {...} partition0(...) {...} ...`. */
export const warpSpecialize: WarpSpecialize = <O extends Indices, C extends Indices>(
  label: string,
  module: Module,
  regions: Regions<O, C, unknown>,
): Build<never> =>
  block(function* () {
    const { operands, partitions } = regions
    const path = yield* build((state) => E.right([state.path, state]))
    const inside = path.find((scope) => module.agents.some(({ name }) => name === scope))
    if (inside !== undefined)
      return yield* refused(
        'ttng.warp_specialize.nested',
        `${label}: warp_specialize cannot be nested, found it in ${inside}`,
      )
    if (partitions.length !== module.partitions.length)
      return yield* refused(
        'ttng.warp_specialize.partitions',
        `${label}: the module has warps for ${String(module.partitions.length)} partitions, found ${String(partitions.length)} regions`,
      )
    for (const [name, value] of Object.entries<Expr>(operands)) {
      const type = yield* typeHere(value)
      if (type._tag === 'tile')
        return yield* refused(
          'ttng.warp_specialize.capture',
          `${label}: a tensor lies in registers, which another partition does not have: pass ${name} through shared memory, found ${shown(type)}`,
        )
    }
    const results = yield* fork<C, Indices>(
      label,
      {
        agent: 'default',
        captures: regions.default.captures,
        body: (captured) =>
          checked<Steps<Exprs<Indices>>, Steps<unknown>>(regions.default.body(captured, module.from)),
      },
      partitions.map((body, k) =>
        branch<O>(`partition${String(k)}`, operands, (args) => body(args, module.partitions[k]!)),
      ),
    )
    return checked<never, Exprs<Indices>>(results)
  })
