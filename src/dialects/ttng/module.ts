/**
 * Modules: `module attributes`, `tt.func`, and what a launch hands to it.
 *
 *     module attributes {"ttg.num-ctas" = 1, "ttg.num-warps" = 4, ttg.target = "cuda:100"}
 *
 *     const m = module({ numWarps: 4, target: 'cuda:100', partitions: [{ numWarps: 1, requestedRegisters: 24 }, { numWarps: 2 }] })
 *
 * The function's own warps come first and are the agent `default`; partitions of `warp_specialize` are `partition0`, `partition1`, ...,
 * the larger ones first behind it, so that four warps begin at a multiple of four. A compiler finds `num_warps` and `requestedRegisters` on
 * `warp_specialize` and deals the warps there; a launch must know before, so here the module says them.
 *
 *     4 warps, partitions of 1, 2, 4       default 0..3   partition2 4..7   partition1 8..9   partition0 10
 *
 * | argument of tt.func                     | here                                                                      |
 * |-----------------------------------------|---------------------------------------------------------------------------|
 * | `%K: i32`                               | `scalarArg('K', 'i32')`                                                    |
 * | `%a: !tt.ptr<f16>`                      | `ptrArg('a', 'f16', { shape, strides, role })`: the tensor it points into |
 * | `%da: !tt.tensordesc<tensor<64x32xf16, #shared>>, %da_0, ... : i32, %da_2, ... : i64` | `tensordescArg('da', 'f16', [64, 32], shared, { tensor, role })`: the descriptor, its extents, its strides |
 *
 * A descriptor of the host is of a block; the copies that it describes are of boxes (`layouts/triton/tma-message.ts`).
 *
 * Not here: partitions and functions of more than 8 warps (an agent has at most 8).
 *
 * Laws
 * 1. Agents are disjoint, in the order of their first warps, and each of 4 or 8 warps begins at a multiple of 4.
 *
 * Source: Triton, attributes of its modules; lowering of warp_specialize; host side of its tensor descriptors.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { NvmmaShared } from '../../layouts/triton/encoding.js'
import { isPowerOfTwo } from '../../layouts/linear/linear-layout.js'
import type { Dtype } from '../../numerics/dtype.js'
import {
  block,
  kernel,
  scalarParam,
  tensorParam,
  type Build,
  type Steps,
} from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Descriptor, Expr, Int, Ptr } from '../../semantics/language/expression.js'
import type { Agent, Program, Spec } from '../../semantics/language/program.js'
import type { ScalarName } from '../../semantics/language/types.js'
import type { Shape } from '../../transforms/shape.js'
import { refuse, refused } from './codes.js'
import { hostTensorDescriptor } from './tensor-map.js'
import type { Issuer } from './types.js'

// ---------------------------------------------------------------- model

export interface PartitionAttributes {
  readonly numWarps: number
  /** of `requestedRegisters` */
  readonly requestedRegisters?: number
}
export interface ModuleAttributes {
  /** `ttg.num-warps` */
  readonly numWarps: number
  /** `ttg.num-ctas`; 1 if not given */
  readonly numCtas?: number
  readonly target: 'cuda:90' | 'cuda:100'
  /** of the one `warp_specialize` of the function */
  readonly partitions?: ReadonlyArray<PartitionAttributes>
}

/** The attributes of a module, and the warps of its partitions. */
export interface Module {
  readonly attributes: ModuleAttributes
  readonly arch: Program['arch']
  readonly agents: ReadonlyArray<Agent>
  /** the function's own warps */
  readonly from: Issuer
  readonly partitions: ReadonlyArray<Issuer>
}

// ---------------------------------------------------------------- who runs what

const agentOf = (
  name: string,
  firstWarp: number,
  { numWarps, requestedRegisters }: PartitionAttributes,
): Agent => {
  const kind = numWarps === 4 ? 'warpgroup' : numWarps === 1 ? 'warp' : 'partition'
  return requestedRegisters === undefined
    ? { name, kind, firstWarp, warps: numWarps }
    : { name, kind, firstWarp, warps: numWarps, registers: requestedRegisters }
}

const mostWarps = 32

const warpsRule = (what: string, numWarps: number): E.Either<Failure, null> =>
  !isPowerOfTwo(numWarps)
    ? refuse(
        'ttng.module.num_warps',
        `${what}: the number of warps must be a power of two, found ${String(numWarps)}`,
      )
    : numWarps > mostWarps
      ? refuse(
          'ttng.module.most_warps',
          `${what}: a CTA has at most ${String(mostWarps)} warps, found ${String(numWarps)}`,
        )
      : E.right(null)

/** `module attributes {...}`. */
export const module = (attributes: ModuleAttributes): E.Either<Failure, Module> => {
  const { numWarps, numCtas = 1, target, partitions = [] } = attributes
  const rules = [
    warpsRule('default', numWarps),
    ...partitions.map((p, k) => warpsRule(`partition${String(k)}`, p.numWarps)),
    isPowerOfTwo(numCtas) && numCtas <= 16
      ? E.right(null)
      : refuse(
          'ttng.module.num_ctas',
          `module: num-ctas must be a power of two of at most 16, found ${String(numCtas)}`,
        ),
    ...partitions.map(({ requestedRegisters: n }, k) =>
      n === undefined || (n % 8 === 0 && n >= 24 && n <= 256)
        ? E.right(null)
        : refuse(
            'ttng.warp_specialize.requested_registers',
            `partition${String(k)}: requestedRegisters is a multiple of 8 from 24 to 256, found ${String(n)}`,
          ),
    ),
  ]
  const broken = rules.find(E.isLeft)
  if (broken !== undefined) return broken
  // four warps begin at a multiple of four
  let next = Math.max(4, numWarps)
  const order = partitions.map((p, k) => [p, k] as const).sort(([a], [b]) => b.numWarps - a.numWarps)
  const own = agentOf('default', 0, { numWarps })
  const started = order.map(([p, k]) => {
    const agent = agentOf(`partition${String(k)}`, next, p)
    next += p.numWarps
    return [k, agent] as const
  })
  const issuer = (agent: Agent, specialized: boolean): Issuer => ({ agents: [agent], numCtas, specialized })
  return E.right({
    attributes,
    arch: target === 'cuda:90' ? 'sm90a' : 'sm100a',
    agents: [own, ...started.map(([, agent]) => agent)],
    from: issuer(own, false),
    partitions: partitions.map((_, k) => issuer(started.find(([at]) => at === k)![1], true)),
  })
}

// ---------------------------------------------------------------- the function

export interface FuncOptions {
  /** programs along each axis */
  readonly grid?: ReadonlyArray<number | Int>
  /** what it is to compute */
  readonly computes?: Spec
}

/** `tt.func public @name(...) { body }`: placed and valid. */
export const func = (
  attributes: ModuleAttributes,
  name: string,
  options: FuncOptions,
  body: (module: Module) => Steps<void>,
): E.Either<Failure, Program> =>
  pipe(
    module(attributes),
    E.chain((m) => {
      const numCtas = attributes.numCtas ?? 1
      // a program is a cluster: the grid counts its CTAs along the first axis
      const grid = (options.grid ?? [1]).map((n, axis) =>
        axis > 0 || numCtas === 1 ? n : typeof n === 'number' ? n * numCtas : X.mul(n, X.i32(numCtas)),
      )
      return kernel(
        {
          name,
          arch: m.arch,
          agents: m.agents,
          grid,
          ...(numCtas === 1 ? {} : { cluster: [numCtas] }),
          ...(options.computes === undefined ? {} : { computes: options.computes }),
        },
        () => body(m),
      )
    }),
    E.map((program): Program => ({ ...program, fences: 'lowered' })),
  )

// ---------------------------------------------------------------- arguments

/** `%name: i32`. */
export const scalarArg = <D extends ScalarName>(name: string, dtype: D): Build<Expr<D>> =>
  scalarParam(name, dtype)

export interface Pointee {
  readonly shape: ReadonlyArray<number | Int>
  readonly strides?: ReadonlyArray<number | Int>
  readonly role: 'in' | 'out' | 'inout'
}
/** `%name: !tt.ptr<dtype>`: into a tensor of the launcher's. */
export const ptrArg = <D extends Dtype>(name: string, dtype: D, of: Pointee): Build<Ptr<D>> =>
  block(function* () {
    const { role, shape, strides } = of
    const tensor = yield* tensorParam(
      name,
      dtype,
      shape,
      strides === undefined ? { role } : { role, strides },
    )
    return tensor.ptr
  })

export interface TensordescArg<D extends Dtype, R extends number> {
  readonly desc: Descriptor<D, R>
  /** `%name_0`, ...: i32 */
  readonly shape: ReadonlyArray<Int>
  /** the next ones: i64, in elements */
  readonly strides: ReadonlyArray<Expr<'i64'>>
}
/** `%name: !tt.tensordesc<tensor<block x dtype, #encoding>>` and the extents and strides behind it. `tensor`: the parameter that it describes. */
export const tensordescArg = <D extends Dtype, const S extends Shape>(
  name: string,
  dtype: D,
  blockShape: S,
  encoding: NvmmaShared,
  of: {
    readonly tensor: string
    readonly role: 'in' | 'out' | 'inout'
    readonly fill?: 'zero' | 'nan'
    /** names of the arguments behind the descriptor, in their order: two for each dimension */
    readonly names: ReadonlyArray<string>
  },
): Build<TensordescArg<D, S['length']>> =>
  block(function* () {
    const rank = blockShape.length
    if (of.names.length !== 2 * rank)
      return yield* refused(
        'ttng.tensordesc.names',
        `${name}: a descriptor of rank ${String(rank)} brings ${String(2 * rank)} arguments, its extents and its strides, found ${String(of.names.length)}`,
      )
    const shape: Int[] = []
    const strides: Expr<'i64'>[] = []
    for (const one of of.names.slice(0, rank)) shape.push(yield* scalarParam(one, 'i32'))
    for (const one of of.names.slice(rank)) strides.push(yield* scalarParam(one, 'i64'))
    const tensor = yield* tensorParam(of.tensor, dtype, shape, {
      role: of.role,
      strides: strides.map((s, d) => (d === rank - 1 ? 1 : X.trunc(s, 'i32'))),
    })
    const desc = yield* hostTensorDescriptor(name, tensor, blockShape, encoding, {
      padding: of.fill ?? 'zero',
    })
    return { desc, shape, strides }
  })
