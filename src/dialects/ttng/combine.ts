/**
 * Several tensors combined together along an axis: `tt.reduce` and `tt.scan` with a region that may be anything.
 *
 *     argmax (3, 7, 7) with (0, 1, 2)     (7, 1)         the region compares the values and takes both
 *     scan of + over (1, 2, 3, 4)         (1, 3, 6, 10)
 *
 * The region is given as a function of tensors: it combines many pairs at once, element by element. The order is that of the compiler, since where
 * sums are rounded the order is the result. A thread holds `registers` of the axis, the 32 lanes of a warp, the warps.
 *
 * | of a reduction | in which order                                                              |
 * |----------------|-----------------------------------------------------------------------------|
 * | registers      | one after another                                                           |
 * | lanes, warps   | by butterflies, those that are furthest apart first                         |
 *
 * | of a scan                     | in which order                                                               |
 * |-------------------------------|------------------------------------------------------------------------------|
 * | neighbours in a thread        | one after another: t                                                         |
 * | last ones of the lanes        | each with the one 1, 2, 4, ... lanes before it: s                            |
 * | last ones of warps and blocks | one after another: e, what stands before a warp                              |
 * | last of a thread              | e with s: f                                                                  |
 * | the others                    | f of the lane before (e in the first lane) with t                            |
 *
 * What is combined with what stands before it is the right operand. A block is what all warps hold once; where a thread holds more, blocks follow.
 *
 * A value that is a product of its basic block (`Summand`) may be rounded together with the sum that takes it; the region is told its factors.
 *
 * Laws
 * 1. A reduction calls the region once less often than there are elements, a scan at most three times for an element.
 * 2. Of integers the result is that of any order.
 *
 * Source: Triton 3.6, its lowering to PTX, read off the PTX of kernels of every case.
 */
import * as E from 'fp-ts/lib/Either.js'
import { sliceDimension, type LinearLayout } from '../../layouts/linear/linear-layout.js'
import { block, letIn, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { TileType } from '../../semantics/language/types.js'
import { showShape, type Shape } from '../../transforms/shape.js'
import { refused } from './codes.js'
import { axisOf, holdersOf, sameShapes } from './tensor.js'
import { tensorHere, type Tensor } from './types.js'

// ---------------------------------------------------------------- model

/** A tensor, or a product with its factors. */
export interface Summand {
  readonly value: Tensor
  readonly product?: readonly [x: Tensor, y: Tensor]
}
/** The combination of two elements of each tensor. */
export type CombineTogether = (
  label: string,
  lhs: ReadonlyArray<Summand>,
  rhs: ReadonlyArray<Summand>,
) => Steps<ReadonlyArray<Summand>>

type F32 = Tensor<'f32'>
const tensor = (e: Expr): F32 => checked<F32, Expr>(e)

/** The same rearrangement of a tensor and of its factors. */
const rearranged = (of: Summand, f: (x: F32) => Expr): Summand => {
  const value = tensor(f(tensor(of.value)))
  return of.product === undefined
    ? { value }
    : { value, product: [tensor(f(tensor(of.product[0]))), tensor(f(tensor(of.product[1])))] }
}

/** Under a name of its own, so that it is computed once. */
const bound = function* (label: string, of: ReadonlyArray<Summand>): Steps<ReadonlyArray<Summand>> {
  const found: Summand[] = []
  for (const [k, s] of of.entries()) {
    const value = yield* letIn(`${label}.${String(k)}`, s.value)
    found.push(s.product === undefined ? { value } : { value, product: s.product })
  }
  return found
}

const all = (of: ReadonlyArray<Summand>, f: (x: F32) => Expr): ReadonlyArray<Summand> =>
  of.map((s) => rearranged(s, f))

const withExtent = (shape: Shape, axis: number, extent: number): Shape =>
  shape.map((n, d) => (d === axis ? extent : n))
/** Element k along an axis, which stays with extent 1. */
const taken =
  (shape: Shape, axis: number, k: number) =>
  (x: F32): Expr =>
    X.gather(x, X.iota<number>(withExtent(shape, axis, 1), axis, 'any', k), axis)

/** What the tensors have in common: their shape, and one layout of registers. */
const common = function* (
  label: string,
  tensors: ReadonlyArray<Tensor>,
  axis: number,
): Steps<{ readonly type: TileType; readonly linear: LinearLayout | null }> {
  const [first, ...others] = tensors
  const type = yield* tensorHere(label, 'operand', first!)
  yield* axisOf(label, 'reduce', axis, type.shape.length)
  for (const other of others) {
    const { shape } = yield* tensorHere(label, 'operand', other)
    yield* sameShapes(label, 'ttng.reduce.shape', 'operands have one shape', type.shape, shape)
  }
  return { type, linear: type.layout === 'any' || type.layout._tag !== 'linear' ? null : type.layout }
}

// ---------------------------------------------------------------- reductions

/** `"tt.reduce"(%x, %y) <{axis}> ({ combine })`. */
export const reduceTogether = (
  label: string,
  operands: ReadonlyArray<Summand>,
  axis: number,
  combine: CombineTogether,
): Build<ReadonlyArray<Tensor>> =>
  block(function* () {
    const { type, linear } = yield* common(
      label,
      operands.map((o) => o.value),
      axis,
    )
    const holders = linear === null ? null : holdersOf(linear, axis)
    const bits = Math.log2(type.shape[axis]!)
    const [registers, lanes, warps] = holders ?? []
    if (
      registers === undefined ||
      lanes === undefined ||
      warps === undefined ||
      holders?.flat().length !== bits
    )
      return yield* refused(
        'ttng.reduce.layout',
        `${label}: the bits of dimension ${String(axis)} of ${showShape(type.shape)} must each be one of a register, a lane or a warp`,
      )
    const sliced = linear === null ? null : sliceDimension(axis)(linear)
    const layout = sliced !== null && E.isRight(sliced) ? sliced.right : 'any'
    const [before, behind] = [type.shape.slice(0, axis), type.shape.slice(axis + 1)]
    // the axis as warps, lanes and registers, each with those furthest apart first
    const order = [warps, lanes, registers]
      .flatMap((of) => [...of].reverse())
      .map((bit) => axis + bits - 1 - bit)
    const threads = 2 ** (lanes.length + warps.length)
    const grouped: Shape = [...before, threads, 2 ** registers.length, ...behind]
    const arranged = all(operands, (x) =>
      X.reshape<'f32', number>(
        X.transpose(X.reshape<'f32', number>(x, [...before, ...Array<number>(bits).fill(2), ...behind]), [
          ...before.map((_, d) => d),
          ...order,
          ...behind.map((_, d) => axis + bits + d),
        ]),
        grouped,
      ),
    )
    const inOrder = yield* bound(`${label}.by`, arranged)
    let held = all(inOrder, taken(grouped, axis + 1, 0))
    for (let r = 1; r < 2 ** registers.length; r++)
      held = yield* combine(`${label}.r${String(r)}`, held, all(inOrder, taken(grouped, axis + 1, r)))
    // lanes are the lower bits of the threads: their highest first, then the warps
    const steps = [...lanes.map((_, k) => lanes.length - 1 - k), ...warps.map((_, k) => warps.length - 1 - k)]
    let shape: Shape = [...before, threads, 1, ...behind]
    for (const [k, bit] of steps.entries()) {
      const apart = 2 ** bit
      const halves: Shape = [...before, shape[axis]! / (2 * apart), 2, apart, 1, ...behind]
      const rest: Shape = [...before, shape[axis]! / 2, 1, ...behind]
      const half =
        (which: number) =>
        (x: F32): Expr =>
          X.reshape<'f32', number>(
            tensor(taken(halves, axis + 1, which)(X.reshape<'f32', number>(x, halves))),
            rest,
          )
      held = yield* combine(`${label}.x${String(k)}`, all(held, half(0)), all(held, half(1)))
      shape = rest
    }
    const results: Tensor[] = []
    for (const [k, { value }] of held.entries())
      results.push(
        yield* letIn(
          operands.length === 1 ? label : `${label}.${String(k)}`,
          X.reshape<'f32', number>(tensor(value), [...before, ...behind], layout),
        ),
      )
    return results
  })

// ---------------------------------------------------------------- scans

/** How the axis of a scan is dealt: of neighbours in a thread, lanes, and what stands before a warp; null where it is not dealt so. */
const dealt = (
  linear: LinearLayout | null,
  axis: number,
  extent: number,
): { readonly neighbours: number; readonly lanes: number } | null => {
  const holders = linear === null ? null : holdersOf(linear, axis)
  const [registers = [], lanes = [], warps = []] = holders ?? []
  const bits = Math.log2(extent)
  const near = registers.filter((bit, k) => bit === k).length
  const order = [...registers.slice(0, near), ...lanes, ...warps, ...registers.slice(near)]
  const isInOrder = order.length === bits && order.every((bit, k) => bit === k)
  return holders === null || !isInOrder ? null : { neighbours: 2 ** near, lanes: 2 ** lanes.length }
}

/** `"tt.scan"(%x, %y) <{axis, reverse}> ({ combine })`. */
export const scan = (
  label: string,
  operands: ReadonlyArray<Summand>,
  { axis, reverse }: { readonly axis: number; readonly reverse: boolean },
  combine: CombineTogether,
): Build<ReadonlyArray<Tensor>> =>
  block(function* () {
    const { type, linear } = yield* common(
      label,
      operands.map((o) => o.value),
      axis,
    )
    const extent = type.shape[axis]!
    const how = dealt(linear, axis, extent)
    if (how === null)
      return yield* refused(
        'ttng.scan.layout',
        `${label}: dimension ${String(axis)} of ${showShape(type.shape)} must be distributed over neighbours of a thread, then to lanes, warps and blocks`,
      )
    const { neighbours, lanes } = how
    const groups = extent / (neighbours * lanes)
    const [before, behind] = [type.shape.slice(0, axis), type.shape.slice(axis + 1)]
    const [ofGroup, ofLane, ofNeighbour] = [axis, axis + 1, axis + 2]
    const whole: Shape = [...before, groups, lanes, neighbours, ...behind]
    const turned = (x: F32): F32 => (reverse ? tensor(X.gather(x, backwards(type.shape, axis), axis)) : x)
    const inOrder = yield* bound(
      `${label}.by`,
      all(operands, (x) => X.reshape<'f32', number>(turned(x), whole)),
    )
    const one: Shape = [...before, groups, lanes, 1, ...behind]
    const at = (dimension: number): X.Tile<'i32'> => X.iota<number>(one, dimension)
    const constant = (value: number): X.Tile<'i32'> => X.splat<'i32', number>(X.i32(value), one)
    const chosen = function* (
      name: string,
      condition: X.Tile<'i1'>,
      yes: ReadonlyArray<Summand>,
      no: ReadonlyArray<Summand>,
    ): Steps<ReadonlyArray<Summand>> {
      return yield* bound(
        `${label}.${name}`,
        yes.map(({ value }, k) => ({ value: X.select(condition, tensor(value), tensor(no[k]!.value)) })),
      )
    }
    const whether = (e: Expr): X.Tile<'i1'> => checked<X.Tile<'i1'>, Expr>(e)
    /** Of the lane that many before; the first lanes have none. */
    const earlier =
      (distance: number) =>
      (x: F32): Expr =>
        X.gather(x, X.max(X.sub(at(ofLane), constant(distance)), constant(0)), ofLane)

    // neighbours in a thread
    const inThread: ReadonlyArray<Summand>[] = [all(inOrder, taken(whole, ofNeighbour, 0))]
    for (let r = 1; r < neighbours; r++) {
      const held = inThread[r - 1]!
      // a product that is also a result of its own is rounded alone
      const left = r === 1 ? held.map(({ value }) => ({ value })) : held
      inThread.push(
        yield* combine(`${label}.t${String(r)}`, left, all(inOrder, taken(whole, ofNeighbour, r))),
      )
    }
    // lanes
    let last = inThread[neighbours - 1]!
    for (let distance = 1; distance < lanes; distance *= 2) {
      const from = all(
        last.map(({ value }) => ({ value })),
        earlier(distance),
      )
      const sum = yield* combine(`${label}.s${String(distance)}`, from, last)
      last = yield* chosen(
        `s${String(distance)}.kept`,
        whether(X.ge(at(ofLane), constant(distance))),
        sum,
        last,
      )
    }
    // warps and blocks
    const totals = all(last, taken(one, ofLane, lanes - 1))
    const perGroup: Shape = [...before, groups, 1, 1, ...behind]
    const group = (k: number): ReadonlyArray<Summand> => all(totals, taken(perGroup, ofGroup, k))
    let sum = group(0).map(({ value }) => ({ value }))
    let prefix: ReadonlyArray<Summand> | null = null
    for (let k = 1; k < groups; k++) {
      const here: ReadonlyArray<Summand> = all(sum, (x) => X.broadcast(x, one))
      prefix =
        prefix === null
          ? here
          : yield* chosen(`e${String(k)}.here`, whether(X.eq(at(ofGroup), constant(k))), here, prefix)
      if (k < groups - 1)
        sum = [...(yield* combine(`${label}.e${String(k)}`, sum, group(k)))].map(({ value }) => ({ value }))
    }
    const isLater = whether(X.gt(at(ofGroup), constant(0)))
    const ends =
      prefix === null
        ? last
        : yield* chosen('f.kept', isLater, yield* combine(`${label}.f`, prefix, last), last)
    // the others of a thread
    const isInside = whether(X.gt(at(ofLane), constant(0)))
    const previous = all(
      ends.map(({ value }) => ({ value })),
      earlier(1),
    )
    const carry = prefix === null ? previous : yield* chosen('carry', isInside, previous, prefix)
    const isAfter = prefix === null ? isInside : X.or(isInside, isLater)
    const results: ReadonlyArray<Summand>[] = []
    for (let r = 0; r < neighbours - 1; r++) {
      const own = inThread[r]!
      const found = lanes * groups === 1 ? own : yield* combine(`${label}.o${String(r)}`, carry, own)
      results.push(lanes * groups === 1 ? own : yield* chosen(`o${String(r)}.kept`, isAfter, found, own))
    }
    results.push(ends)
    // together again
    const found: Tensor[] = []
    for (const k of operands.keys()) {
      const parts = results.map((of) => tensor(of[k]!.value))
      let together: F32 = tensor(X.broadcast(parts[0]!, whole))
      for (const [r, part] of parts.entries())
        if (r > 0)
          together = tensor(
            yield* letIn(
              `${label}.n${String(r)}.${String(k)}`,
              X.select(
                whether(X.eq(X.iota<number>(whole, ofNeighbour), X.splat<'i32', number>(X.i32(r), whole))),
                X.broadcast(part, whole),
                together,
              ),
            ),
          )
      const flat = X.reshape<'f32', number>(together, type.shape, type.layout)
      found.push(
        yield* letIn(
          operands.length === 1 ? label : `${label}.${String(k)}`,
          reverse ? X.gather(flat, backwards(type.shape, axis), axis, type.layout) : flat,
        ),
      )
    }
    return found
  })

/** The last element first. */
const backwards = (shape: Shape, axis: number): X.Tile<'i32'> =>
  X.sub(X.splat<'i32', number>(X.i32(shape[axis]! - 1), shape), X.iota<number>(shape, axis))
