/**
 * `warp_group_dot` and `warp_group_dot_wait`: products of a warpgroup.
 *
 *     %d = warp_group_dot %a, %b, %c, %useC {isAsync}     d = a b + (useC ? c : 0)
 *
 *     c a tensor     regs.write into registers of its own, then as below
 *     c in flight    wgmma.fence   wgmma.mma into the registers of c   wgmma.commitGroup
 *     not isAsync    and wgmma.waitGroup 0, regs.read
 *
 * The accumulator is one place in registers: the result of an asynchronous product is that place (`InFlight`), and a product that gets it as
 * c goes on in it. So an SSA value that went into a product must not be used again: its registers hold the sum. A loop carries it like any
 * value. `inFlight` makes one of a tensor, for the value that a loop starts with.
 *
 *     acc = inFlight(0)                                    regs.write
 *     for ... carry acc
 *       d = warp_group_dot a, b, acc {isAsync}             fence, mma, commit
 *       [d'] = warp_group_dot_wait [d] {pendings = 1}      wait_group 1
 *       yield d'
 *     [x] = warp_group_dot_wait [acc] {pendings = 0}, with a layout: wait_group 0, regs.read
 *
 * A in registers is written to registers of the statement's own, bytes (`aType`) as bytes. In a loop the next iteration writes them again: a product that has not been
 * waited for by then reads what is overwritten.
 *
 * maxNumImpreciseAcc (fp8 into f32): no more than so many elements of K are summed by the tensor core; each part is waited for and added
 * in f32. So where it is at most K the product is done when the operation returns.
 *
 * | operation           | seed's form                                       | today's                                                   |
 * |---------------------|---------------------------------------------------|-----------------------------------------------------------|
 * | warp_group_dot      | inputPrecision, maxNumImpreciseAcc, isAsync, useC | the same                                                  |
 * | warp_group_dot_wait | inputs, pendings                                  | warpGroupLocal: that is what it does in either form        |
 *
 * The wait is for the warpgroup that executes it: other warpgroups need a barrier behind it before they reuse a buffer.
 *
 * Source: Triton, TritonNvidiaGPU dialect and its lowering; PTX ISA, wgmma.
 */
import * as E from 'fp-ts/lib/Either.js'
import { wgmmaShape } from '../../layouts/shared-memory/wgmma-shape.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { block, regsRead, run, typeHere, type Build } from '../../semantics/writing/builder.js'
import {
  add,
  cast,
  float,
  i1,
  i32,
  select,
  slice,
  splat,
  type Condition,
  type Expr,
  type Tile,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AccumulatorDtype, AnyTile } from '../../semantics/language/instruction.js'
import { mmaOperand } from '../../transforms/mma-operand.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { asOperand } from '../read-as.js'
import { refused } from './codes.js'
import { InputPrecision, nameOf, showTable, type Attribute } from './enums.js'
import {
  freshRegisters,
  memDescHere,
  tensorHere,
  type InFlight,
  type Issuer,
  type MemDesc,
  type Tensor,
} from './types.js'

/** What may be in registers, as A or as c. */
type ATensor = Tensor<'f32' | 'f16' | 'bf16' | 'tf32' | 'e4m3' | 'e5m2' | 'i32', 2>

export interface DotOptions {
  readonly from: Issuer
  /** the layout of the result: the encoding `nvidia_mma` of version 3 on its shape */
  readonly layout?: RegisterLayout
  /** the operand useC; true if not given */
  readonly useC?: Condition
  readonly inputPrecision?: Attribute<typeof InputPrecision>
  readonly maxNumImpreciseAcc?: number
  /** the element type of A in registers, if its elements are bytes, which are packed in i32 */
  readonly aType?: 'i8' | 'u8'
}

// ---------------------------------------------------------------- registers

/** A tensor as the place of an accumulator. */
export const inFlight = <D extends AccumulatorDtype>(
  label: string,
  value: Tensor<D, 2>,
  from: Issuer,
): Build<InFlight<D>> =>
  block(function* () {
    const type = yield* tensorHere(label, 'value', value)
    const [rows = 0, columns = 0] = type.shape
    if (type.shape.length !== 2 || type.element._tag !== 'scalar')
      return yield* refused(
        'ttng.warp_group_dot.rank',
        `${label}: expected a tensor of rank 2, found ${showShape(type.shape)}`,
      )
    const view = yield* freshRegisters(label, from, checked<D, Dtype>(type.element.dtype), [rows, columns])
    yield* run(`${label}.write`, { _tag: 'regs.write', destination: view, value })
    return view
  })

const isView = (
  label: string,
  of: ATensor | Tensor<AccumulatorDtype, 2> | MemDesc | InFlight,
): Build<boolean> =>
  block(function* () {
    const type = yield* typeHere(of)
    if (type._tag === 'view') return true
    if (type._tag === 'tile') return false
    return yield* refused('ttng.tensor', `${label}: expected a tensor or a memdesc, found a ${type._tag}`)
  })

// ---------------------------------------------------------------- the product

interface Plan<D extends AccumulatorDtype> {
  readonly accumulator: InFlight<D>
  readonly a: View<'smem' | 'regs', Dtype, 2>
  readonly b: View<'smem', Dtype, 2>
  readonly shape: readonly [m: number, n: number, k: number]
  /** elements of K that the tensor core sums by itself; null: all */
  readonly part: number | null
}

const rank2 = (
  label: string,
  field: string,
  { space, layout }: { readonly space: string; readonly layout: { readonly shape: ReadonlyArray<number> } },
) =>
  block(function* () {
    if (layout.shape.length !== 2)
      return yield* refused(
        'ttng.warp_group_dot.rank',
        `${label}: ${field} must have rank 2, found ${showShape(layout.shape)} in ${space}`,
      )
  })

const plan = <D extends AccumulatorDtype>(
  label: string,
  a: MemDesc<'smem', Dtype, 2> | ATensor,
  b: MemDesc<'smem', Dtype, 2>,
  c: Tensor<D, 2> | InFlight<D>,
  options: DotOptions,
): Build<Plan<D>> =>
  block(function* () {
    const { from } = options
    const [agent] = from.agents
    if (agent === undefined || agent.warps % 4 !== 0 || from.agents.length > 1)
      return yield* refused(
        'ttng.warp_group_dot.num_warps',
        `${label}: warp_group_dot is run by one agent of a multiple of 4 warps, found ${from.agents.map(({ name, warps }) => `${name} of ${String(warps)}`).join(' and ') || 'none'}`,
      )
    const precision = options.inputPrecision ?? 'tf32'
    if (nameOf(InputPrecision, precision) === null)
      return yield* refused(
        'ttng.warp_group_dot.input_precision',
        `${label}: inputPrecision is one of ${showTable(InputPrecision)}, found ${String(precision)}`,
      )
    const right = yield* memDescHere(label, 'b', b)
    yield* rank2(label, 'b', right)
    if (right.space !== 'smem')
      return yield* refused(
        'ttng.warp_group_dot.operand_space',
        `${label}: b must be in shared memory, found ${right.space}`,
      )
    const inRegisters = !(yield* isView(label, a))
    let left: { readonly dtype: Dtype; readonly shape: ReadonlyArray<number> }
    if (inRegisters) {
      const type = yield* tensorHere(label, 'a', checked<Tensor, Expr>(a))
      if (type.element._tag !== 'scalar' || type.shape.length !== 2)
        return yield* refused(
          'ttng.warp_group_dot.rank',
          `${label}: a must have rank 2, found ${showShape(type.shape)}`,
        )
      const { aType } = options
      if (aType !== undefined && type.element.dtype !== 'i32')
        return yield* refused(
          'ttng.warp_group_dot.element_type',
          `${label}: bytes of a must be stored as i32, found ${type.element.dtype}`,
        )
      left = { dtype: aType ?? type.element.dtype, shape: type.shape }
    } else {
      const type = yield* memDescHere(label, 'a', checked<MemDesc, Expr>(a))
      yield* rank2(label, 'a', type)
      if (type.space !== 'smem')
        return yield* refused(
          'ttng.warp_group_dot.operand_space',
          `${label}: a must be in shared memory or in registers, found ${type.space}`,
        )
      const lies = mmaOperand('a')(type.layout)
      if (E.isLeft(lies))
        return yield* refused(
          'ttng.warp_group_dot.layout',
          `${label}: a must be nvmma_shared with a swizzle: ${lies.left.message}`,
        )
      left = { dtype: type.dtype, shape: type.layout.shape }
    }
    const lies = mmaOperand('b')(right.layout)
    if (E.isLeft(lies))
      return yield* refused(
        'ttng.warp_group_dot.layout',
        `${label}: b must be nvmma_shared with a swizzle: ${lies.left.message}`,
      )
    const [m = 0, k = 0] = left.shape
    const [kOfB = 0, n = 0] = right.layout.shape
    if (k !== kOfB)
      return yield* refused(
        'ttng.warp_group_dot.shape',
        `${label}: a ${showShape(left.shape)} and b ${showShape(right.layout.shape)} must have one K, found ${String(k)} and ${String(kOfB)}`,
      )
    if (m % 64 !== 0)
      return yield* refused(
        'ttng.warp_group_dot.shape',
        `${label}: M of a CTA must be a multiple of 64, found ${String(m)}`,
      )
    if (n % 8 !== 0)
      return yield* refused(
        'ttng.warp_group_dot.shape',
        `${label}: N of a CTA must be a multiple of 8, found ${String(n)}`,
      )
    const cIsView = yield* isView(label, c)
    const sum = cIsView ? yield* memDescHere(label, 'c', checked<InFlight, Expr>(c)) : null
    const cTile = cIsView ? null : yield* tensorHere(label, 'c', checked<Tensor, Expr>(c))
    const cShape = sum?.layout.shape ?? cTile?.shape ?? []
    const cDtype: Dtype | null = sum?.dtype ?? (cTile?.element._tag === 'scalar' ? cTile.element.dtype : null)
    if (!sameShape(cShape, [m, n]))
      return yield* refused(
        'ttng.warp_group_dot.shape',
        `${label}: c must be ${showShape([m, n])}, as a ${showShape(left.shape)} times b ${showShape(right.layout.shape)}, found ${showShape(cShape)}`,
      )
    const f32Operands = left.dtype === 'f32' && right.dtype === 'f32'
    if (f32Operands && nameOf(InputPrecision, precision) !== 'tf32')
      return yield* refused(
        'ttng.warp_group_dot.input_precision',
        `${label}: a tensor core multiplies f32 as tf32 only, found inputPrecision ${String(nameOf(InputPrecision, precision))}`,
      )
    const shape = wgmmaShape(left.dtype, right.dtype, cDtype ?? 'i1', n)
    if (E.isLeft(shape))
      return yield* refused('ttng.warp_group_dot.element_type', `${label}: ${shape.left.message}`)
    if (bitsOf(left.dtype) === 32 && E.isRight(lies) && lies.right.major === 'mn')
      return yield* refused(
        'ttng.warp_group_dot.layout',
        `${label}: b of ${right.dtype} must be contiguous along K, found it contiguous along N`,
      )
    const limit = options.maxNumImpreciseAcc ?? 2 ** 30
    const narrow = bitsOf(left.dtype) === 8 && cDtype === 'f32'
    if (narrow && limit < 32)
      return yield* refused(
        'ttng.warp_group_dot.max_num_imprecise_acc',
        `${label}: maxNumImpreciseAcc of a product of ${left.dtype} into f32 must be 32 or more, found ${String(limit)}`,
      )
    const part = narrow && limit <= k ? Math.ceil(limit / 32) * 32 : null
    if (part !== null && options.layout === undefined)
      return yield* refused(
        'ttng.warp_group_dot.layout',
        `${label}: maxNumImpreciseAcc ${String(limit)} is at most K ${String(k)}, so the parts are added in registers, and the result needs a layout`,
      )
    let from_a: View<'smem' | 'regs', Dtype, 2>
    if (inRegisters) {
      const isF32 = left.dtype === 'f32'
      const view = yield* freshRegisters(`${label}.a`, from, isF32 ? 'tf32' : left.dtype, [m, k])
      const value = checked<AnyTile, Expr>(a)
      yield* run(`${label}.a`, {
        _tag: 'regs.write',
        destination: view,
        value: isF32 ? cast(checked<Tile<'f32', 2>, Expr>(value), 'tf32', 'rz') : value,
      })
      from_a = view
    } else
      from_a = asOperand(
        checked<MemDesc<'smem', Dtype, 2>, Expr>(a),
        yield* memDescHere(label, 'a', checked<MemDesc, Expr>(a)),
      )
    const accumulator = cIsView
      ? checked<InFlight<D>, Expr>(c)
      : yield* inFlight(label, checked<Tensor<D, 2>, Expr>(c), from)
    return { accumulator, a: from_a, b: asOperand(b, right), shape: [m, n, k], part }
  })

const mma = <D extends AccumulatorDtype>(
  label: string,
  accumulator: InFlight<D>,
  a: View<'smem' | 'regs', Dtype, 2>,
  b: MemDesc<'smem', Dtype, 2>,
  scaleD: Condition,
): Build<void> =>
  block(function* () {
    yield* run(`${label}.fence`, { _tag: 'wgmma.fence' })
    yield* run(label, { _tag: 'wgmma.mma', accumulator, a, b, scaleD, negateA: false, negateB: false })
    yield* run(`${label}.group`, { _tag: 'wgmma.commitGroup' })
  })

/** Parts of K by themselves, each added to the sum in f32. */
const inParts = <D extends AccumulatorDtype>(
  label: string,
  { accumulator, a, b, shape: [m, n, k], part }: Plan<D>,
  options: DotOptions,
): Build<void> =>
  block(function* () {
    const step = part ?? k
    const given = options.layout === undefined ? {} : { layout: options.layout }
    const layout = options.layout ?? 'any'
    const partial = yield* freshRegisters(`${label}.part`, options.from, 'f32', [m, n])
    const wide = checked<View<'regs', 'f32', 2>, View>(accumulator)
    let sum: Tile<'f32', 2> = yield* regsRead(`${label}.c`, wide, given)
    if (options.useC !== undefined)
      sum = select(options.useC, sum, splat<'f32', 2>(float('f32', 0), [m, n], layout))
    for (let from = 0; from < k; from += step) {
      const size = Math.min(step, k - from)
      yield* mma(
        `${label}.${String(from)}`,
        partial,
        slice(a, [i32(0), i32(from)], [m, size]),
        slice(b, [i32(from), i32(0)], [size, n]),
        i1(false),
      )
      yield* run(`${label}.${String(from)}.wait`, { _tag: 'wgmma.waitGroup', pending: 0 })
      sum = add(sum, yield* regsRead(`${label}.${String(from)}.part`, partial, given))
    }
    yield* run(`${label}.sum`, { _tag: 'regs.write', destination: wide, value: sum })
  })

type WarpGroupDot = {
  <D extends AccumulatorDtype>(
    label: string,
    a: MemDesc<'smem', Dtype, 2> | ATensor,
    b: MemDesc<'smem', Dtype, 2>,
    c: Tensor<D, 2> | InFlight<D>,
    options: DotOptions & { readonly isAsync: true },
  ): Build<InFlight<D>>
  <D extends AccumulatorDtype>(
    label: string,
    a: MemDesc<'smem', Dtype, 2> | ATensor,
    b: MemDesc<'smem', Dtype, 2>,
    c: Tensor<D, 2> | InFlight<D>,
    options: DotOptions & { readonly isAsync?: false },
  ): Build<Tensor<D, 2>>
}

/** `ttng.warp_group_dot %a, %b, %c (, %useC)`: in flight with isAsync, a tensor without. */
export const warpGroupDot: WarpGroupDot = <D extends AccumulatorDtype>(
  label: string,
  a: MemDesc<'smem', Dtype, 2> | ATensor,
  b: MemDesc<'smem', Dtype, 2>,
  c: Tensor<D, 2> | InFlight<D>,
  options: DotOptions & { readonly isAsync?: boolean },
): Build<never> =>
  block(function* () {
    const planned = yield* plan(label, a, b, c, options)
    if (planned.part === null)
      yield* mma(label, planned.accumulator, planned.a, planned.b, options.useC ?? i1(true))
    else yield* inParts(label, planned, options)
    if (options.isAsync === true) return checked<never, InFlight<D>>(planned.accumulator)
    yield* run(`${label}.wait`, { _tag: 'wgmma.waitGroup', pending: 0 })
    return checked<never, Tile>(
      yield* regsRead(
        `${label}.value`,
        planned.accumulator,
        options.layout === undefined ? {} : { layout: options.layout },
      ),
    )
  })

// ---------------------------------------------------------------- the wait

interface DotWaitOptions {
  readonly pendings: number
  /** today's: only this warpgroup's products are waited for, as always here */
  readonly warpGroupLocal?: boolean
}
type WarpGroupDotWait = {
  <D extends AccumulatorDtype>(
    label: string,
    inputs: ReadonlyArray<InFlight<D>>,
    options: DotWaitOptions & { readonly layout: RegisterLayout },
  ): Build<ReadonlyArray<Tensor<D, 2>>>
  <const I extends ReadonlyArray<InFlight | MemDesc>>(
    label: string,
    inputs: I,
    options: DotWaitOptions & { readonly layout?: undefined },
  ): Build<I>
}

/** The contents of the registers of a product after a wait that covers it. */
export const readWaited = <D extends AccumulatorDtype>(
  label: string,
  input: InFlight<D>,
  layout: RegisterLayout,
): Build<Tensor<D, 2>> =>
  block(function* () {
    return checked<Tensor<D, 2>, Tile>(yield* regsRead(label, input, { layout }))
  })

/**
 * `ttng.warp_group_dot_wait %inputs {pendings}`: at most so many products are still running. Gives the inputs: with a layout read from
 * their registers, without one as they were.
 */
export const warpGroupDotWait: WarpGroupDotWait = (
  label: string,
  inputs: ReadonlyArray<InFlight | MemDesc>,
  options: DotWaitOptions & { readonly layout?: RegisterLayout | undefined },
): Build<never> =>
  block(function* () {
    const { pendings, layout } = options
    if (inputs.length === 0)
      return yield* refused(
        'ttng.warp_group_dot_wait.inputs',
        `${label}: warp_group_dot_wait must have at least one input`,
      )
    if (!Number.isInteger(pendings) || pendings < 0)
      return yield* refused(
        'ttng.warp_group_dot_wait.pendings',
        `${label}: pendings is a number of products of 0 or more, found ${String(pendings)}`,
      )
    yield* run(label, { _tag: 'wgmma.waitGroup', pending: pendings })
    if (layout === undefined) return checked<never, ReadonlyArray<InFlight | MemDesc>>(inputs)
    const values: Tile[] = []
    for (const [k, input] of inputs.entries())
      values.push(
        yield* readWaited(
          inputs.length === 1 ? `${label}.value` : `${label}.value${String(k)}`,
          checked<InFlight, InFlight | MemDesc>(input),
          layout,
        ),
      )
    return checked<never, ReadonlyArray<Tile>>(values)
  })
