/**
 * Accumulators of Hopper's tensor core: registers of one thread that the tensor core writes in the background.
 *
 *     allocation                  where            on entering the scope
 *     ACC(name, thread, ...)      `run_scoped`     registers := 0        wgmma.fence
 *     ACC.init(name, thread, v)   `run_state`      registers := v        wgmma.fence
 *
 * One (64, n) instruction is a warpgroup's, so m is a multiple of 64; n is a multiple of 8, as the instruction's. The fence lets the
 * tensor core have registers that were written by ordinary instructions.
 *
 * Law 1. After `initAccumulator` the registers hold zero, or the value that was given, in the layout of the accumulator.
 *
 * Names: `plgpu.ACC((m, n), dtype)`, `plgpu.ACC.init(array)`, `WGMMAAccumulatorRef`.
 *
 * Source: JAX docs, Pallas:MGPU reference, allocating the accumulator.
 */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { WGMMA } from '../../layouts/tiled.js'
import { block, registers, run, typeHere, type Build } from '../../semantics/writing/builder.js'
import { float, i32, splat, type Expr, type Tile, type View } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AccumulatorDtype, AnyTile } from '../../semantics/language/instruction.js'
import { showType } from '../../semantics/language/typecheck.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { refused } from './codes.js'

// ---------------------------------------------------------------- model

export type { AccumulatorDtype } from '../../semantics/language/instruction.js'

/** Registers that hold an (m, n) accumulator of the thread, their layout, and their initial values (null:
 * zero). */
export interface Accumulator<D extends AccumulatorDtype = 'f32'> {
  readonly _tag: 'Accumulator'
  readonly name: string
  readonly view: View<'regs', D, 2>
  readonly dtype: D
  readonly shape: readonly [number, number]
  readonly layout: RegisterLayout
  readonly init: Tile<D, 2> | null
}

// ---------------------------------------------------------------- allocation

const allocate = <D extends AccumulatorDtype>(
  name: string,
  agent: string,
  dtype: D,
  shape: readonly [number, number],
  layout: RegisterLayout,
  init: Tile<D, 2> | null,
): Build<Accumulator<D>> =>
  block(function* () {
    for (const [d, multiple] of [64, 8].entries())
      if (!Number.isInteger(shape[d]) || shape[d]! < 1 || shape[d]! % multiple !== 0)
        return yield* refused(
          'pallas.acc.shape',
          `${name}: dimension ${String(d)} of the accumulator ${showShape(shape)} is ${String(shape[d])}: expected a positive multiple of ${String(multiple)}`,
        )
    const view = yield* registers(name, agent, dtype, shape)
    return { _tag: 'Accumulator', name, view, dtype, shape, layout, init }
  })

interface AccumulatorAllocation {
  /** `plgpu.ACC((m, n), dtype)` of the thread `agent`. */
  <D extends AccumulatorDtype>(
    name: string,
    agent: string,
    dtype: D,
    shape: readonly [number, number],
    layout?: RegisterLayout,
  ): Build<Accumulator<D>>
  /** `plgpu.ACC.init(array)`: the accumulator of a `run_state`, with the shape and dtype of the array. */
  readonly init: <D extends AccumulatorDtype>(
    name: string,
    agent: string,
    dtype: D,
    value: Tile<D, 2>,
  ) => Build<Accumulator<D>>
}

export const ACC: AccumulatorAllocation = Object.assign(
  <D extends AccumulatorDtype>(
    name: string,
    agent: string,
    dtype: D,
    shape: readonly [number, number],
    layout: RegisterLayout = WGMMA,
  ): Build<Accumulator<D>> => allocate(name, agent, dtype, shape, layout, null),
  {
    init: <D extends AccumulatorDtype>(
      name: string,
      agent: string,
      dtype: D,
      value: Tile<D, 2>,
    ): Build<Accumulator<D>> =>
      block(function* () {
        const type = yield* typeHere(value)
        const [m = 0, n = 0] = type._tag === 'tile' ? type.shape : []
        const layout = type._tag === 'tile' && type.layout !== 'any' ? type.layout : WGMMA
        return yield* allocate(name, agent, dtype, [m, n], layout, value)
      }),
  },
)

// ---------------------------------------------------------------- entering

const zero = <D extends AccumulatorDtype>(dtype: D): Expr<D> =>
  checked<Expr<D>, Expr>(dtype === 'i32' ? i32(0) : float(dtype, 0))

/** The statements that enter the scope of an accumulator: its registers get their initial values, and the
 * tensor core may use them. */
export const initAccumulator = <D extends AccumulatorDtype>(
  label: string,
  acc: Accumulator<D>,
): Build<void> =>
  block(function* () {
    const value = acc.init ?? splat<D, 2>(zero(acc.dtype), acc.shape, acc.layout)
    yield* run(label, { _tag: 'regs.write', destination: acc.view, value })
    yield* run(`${label}.fence`, { _tag: 'wgmma.fence' })
  })

/** `acc[...] = value`: the registers hold it, and the tensor core may use them. The value has the layout of
 * the accumulator, or no layout. */
export const storeAccumulator = <D extends AccumulatorDtype>(
  label: string,
  acc: Accumulator<D>,
  value: AnyTile,
): Build<void> =>
  block(function* () {
    const type = yield* typeHere(value)
    const fits =
      type._tag === 'tile' &&
      sameShape(type.shape, acc.shape) &&
      type.element._tag === 'scalar' &&
      type.element.dtype === acc.dtype
    if (!fits)
      return yield* refused(
        'pallas.acc.value',
        `${label}: expected an array of ${acc.dtype} ${showShape(acc.shape)} for ${acc.name}, found ${showType(type)}`,
      )
    yield* run(label, { _tag: 'regs.write', destination: acc.view, value })
    yield* run(`${label}.fence`, { _tag: 'wgmma.fence' })
  })
