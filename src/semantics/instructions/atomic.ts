/**
 * Atomics: read, combine and write each element at once; the result is the old value.
 *
 * | op             | of                                    | remains                                  |
 * |----------------|---------------------------------------|------------------------------------------|
 * | add            | i32 u32 i64 u64 f32 f16 bf16          | old + value, wrapped or rounded once     |
 * | min, max       | i32 u32 i64 u64 f16 bf16              | the lesser, the greater                  |
 * | and, or, xor   | i32 u32 i64 u64                       | bit by bit                               |
 * | exchange       | any dtype of 32 or 64 bits            | value                                    |
 * | cas            | any dtype of 16, 32 or 64 bits        | value where old = compare, else old      |
 *
 * The elements of a tile go one after another: two that name the same address both count, and the second finds what the first left. (Which
 * lane is first the chip does not say; here it is row-major.) Where the mask is false nothing is read or written and the result is zero.
 *
 *     histogram of (3, 1, 3), all zero before: add 1 at each    bins 0 1 0 2, results (0, 0, 1)
 *
 * In the log an atomic is two accesses, a read and right away a write, both `atomic` with their scope. Two agents may be in either order, so a
 * result that something reads makes control depend on timing (C1); one that is not read does not.
 *
 * Integers are exact and the same in every algebra; sums of floats are the algebra's, and what it lacks is a typed error. A 64-bit integer
 * beyond 2^53 is refused rather than rounded.
 *
 * Laws
 * 1. The table, against integers of unbounded size; every other dtype is refused.
 * 2. add, min, max, and, or, xor of integers: memory afterwards does not depend on the order of the agents.
 * 3. An atomic of one element is a load, the operation and a store with nothing between.
 *
 * Source: PTX ISA, atom and red.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { bitsOf, isFloat, isInt, type Dtype } from '../../numerics/dtype.js'
import { wrap } from '../../numerics/integer.js'
import type { AtomicOp, InstructionOf, Scope } from '../language/instruction.js'
import type { Access } from '../log/events.js'
import { effect, elementsOperand, tileOperand, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type { Elements, Prepared } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { lacks } from '../machine/scalar.js'
import { countValue, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue, type TileValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import { elementOf } from '../language/signature.js'
import { pointedElements } from './generic.js'
import { changes, weak, type Family } from '../machine/family.js'
import * as Touches from '../machine/touches.js'

type Atomic = Extract<Prepared, { readonly _tag: 'atomic' }>

// ---------------------------------------------------------------- the table

const words: ReadonlyArray<Dtype> = ['i32', 'u32', 'i64', 'u64']

/** Is there this operation on elements of this dtype? */
export const isAtomic = (op: AtomicOp, dtype: Dtype): boolean => {
  switch (op) {
    case 'add':
      return words.includes(dtype) || dtype === 'f32' || dtype === 'f16' || dtype === 'bf16'
    case 'min':
    case 'max':
      return words.includes(dtype) || dtype === 'f16' || dtype === 'bf16'
    case 'and':
    case 'or':
    case 'xor':
      return words.includes(dtype)
    case 'exchange':
      return bitsOf(dtype) === 32 || bitsOf(dtype) === 64
    case 'cas':
      return bitsOf(dtype) === 16 || bitsOf(dtype) === 32 || bitsOf(dtype) === 64
  }
}

/** On integers of unbounded size; the caller wraps. */
const joined = (op: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor', old: bigint, by: bigint): bigint => {
  switch (op) {
    case 'add':
      return old + by
    case 'min':
      return old < by ? old : by
    case 'max':
      return old > by ? old : by
    case 'and':
      return old & by
    case 'or':
      return old | by
    case 'xor':
      return old ^ by
  }
}

const wrapped = (dtype: Dtype, x: bigint): number =>
  Number(
    dtype === 'i64' || dtype === 'i32' ? BigInt.asIntN(bitsOf(dtype), x) : BigInt.asUintN(bitsOf(dtype), x),
  )

/** old, value -> what remains, on carriers; cas is not among them. */
const combination = (
  world: World,
  op: Exclude<AtomicOp, 'cas'>,
  dtype: Dtype,
): ((old: number, by: number) => number) | FaultValue => {
  if (op === 'exchange') return (_, by) => by
  if (isFloat(dtype)) {
    const f = op === 'add' || op === 'min' || op === 'max' ? world.algebra.binary(op, dtype) : O.none
    return O.isNone(f) ? lacks(world, `atomic ${op}`, dtype) : f.value
  }
  if (op === 'add' && dtype === 'i32') return (x, y) => (x + y) | 0
  if (op === 'add' && dtype === 'u32') return (x, y) => (x + y) >>> 0
  return (x, y) => wrapped(dtype, joined(op, BigInt(x), BigInt(y)))
}

// ---------------------------------------------------------------- reads and checks

const prepared = (
  o: Environment,
  op: AtomicOp,
  destination: Elements | FaultValue,
  value: TileValue | FaultValue,
  compare: TileValue | null | FaultValue,
  scope: Scope,
): Prepared | FaultValue => {
  if (isFault(destination)) return destination
  if (isFault(value)) return value
  if (isFault(compare)) return compare
  const { dtype } = destination
  if (!isAtomic(op, dtype)) return V.fault('atomic.dtype', `${op}: there is no such atomic of ${dtype}`)
  if (op !== 'cas') {
    const f = o.world.algebra.memory === 'none' && isFloat(dtype) ? null : combination(o.world, op, dtype)
    if (f !== null && isFault(f)) return f
  } else if (isFloat(dtype) && o.world.algebra.memory === 'slots')
    return lacks(o.world, 'comparison of bits', dtype)
  for (const t of [value, ...(compare === null ? [] : [compare])])
    if (t.shape.reduce((n, d) => n * d, 1) !== destination.offsets.length)
      return V.fault(
        'tile.shape',
        `${op}: a tile of shape (${t.shape.join(', ')}) does not fit a destination of shape (${destination.shape.join(', ')})`,
      )
  return { _tag: 'atomic', op, destination, data: value.data, compare: compare?.data ?? null, scope }
}

export const prepareShared = (o: Environment, i: InstructionOf<'smem.atomic'>): Prepared | FaultValue =>
  prepared(
    o,
    i.op,
    elementsOperand(o, 'destination', i.destination),
    tileOperand(o, 'value', i.value),
    i.compare === undefined ? null : tileOperand(o, 'compare', i.compare),
    i.scope,
  )

export const preparePointers = (
  o: Environment,
  i: InstructionOf<'gmem.atomicPtr'>,
): Prepared | FaultValue => {
  const pointers = tileOperand(o, 'destination', i.destination)
  if (isFault(pointers)) return pointers
  const mask = i.mask === undefined ? null : tileOperand(o, 'mask', i.mask)
  if (isFault(mask)) return mask
  return prepared(
    o,
    i.op,
    pointedElements(o, 'destination', pointers, mask),
    tileOperand(o, 'value', i.value),
    i.compare === undefined ? null : tileOperand(o, 'compare', i.compare),
    i.scope,
  )
}

// ---------------------------------------------------------------- effect

interface Combined {
  readonly before: Float64Array
  readonly after: Float64Array
}

/** Element by element, in order; an address that comes again finds what the one before left. */
const combine = (world: World, m: Machine, p: Atomic): Combined | FaultValue | null => {
  const d = p.destination
  const { data } = Plane.read(m.planes[d.plane]!, d)
  if (data === null || p.data === null) return null
  const f = p.op === 'cas' ? null : combination(world, p.op, d.dtype)
  if (isFault(f)) return f
  // what a register holds, as memory of this dtype has it
  const narrow = isInt(d.dtype) && bitsOf(d.dtype) < 64 ? wrap(d.dtype) : (x: number): number => x
  const after = new Float64Array(data.length)
  const left = new Map<number, number>()
  for (let i = 0; i < data.length; i++) {
    const a = d.offsets[i]!
    if (a < 0) continue
    const old = left.get(a) ?? data[i]!
    if (bitsOf(d.dtype) === 64 && !Number.isSafeInteger(old))
      return V.fault('i64.range', `${p.op}: element ${String(i)} is beyond 2^53`)
    const by = narrow(p.data[i]!)
    // a slot that holds no element of this dtype stays what it is
    const now = Number.isNaN(old)
      ? old
      : f === null
        ? old === narrow(p.compare === null ? NaN : p.compare[i]!)
          ? by
          : old
        : f(old, by)
    if (bitsOf(d.dtype) === 64 && !Number.isSafeInteger(now))
      return V.fault('i64.range', `${p.op}: element ${String(i)} goes beyond 2^53`)
    data[i] = old
    after[i] = now
    left.set(a, now)
  }
  return { before: data, after }
}

const accessOf = (x: Executing, p: Atomic, rw: 'r' | 'w', value: number): Access =>
  rw === 'r'
    ? {
        _tag: 'access',
        stamp: x.stamp,
        rw,
        proxy: 'generic',
        footprint: p.destination.footprint,
        role: 'source',
        atomic: true,
        scope: p.scope,
        value,
      }
    : {
        _tag: 'access',
        stamp: x.stamp,
        rw,
        proxy: 'generic',
        footprint: p.destination.footprint,
        role: 'destination',
        atomic: true,
        scope: p.scope,
        combine: p.op,
        origin: V.otherOrigin,
      }

export const execute = (
  x: Executing,
  m: Machine,
  p: Atomic,
  layout: RegisterLayout | 'any',
): Effect | FaultValue => {
  const d = p.destination
  const done = combine(x.world, m, p)
  if (isFault(done)) return done
  const id = m.values
  const element = elementOf(d.dtype).dtype
  const old = done === null ? null : done.before
  if (old !== null && d.dtype === 'u32') for (let i = 0; i < old.length; i++) old[i] = old[i]! | 0
  const result = V.tile(d.shape, element, layout, old, { _tag: 'value', id })
  const written =
    done === null ? m : withPlane(m, d.plane, Plane.write(m.planes[d.plane]!, d, done.after, m.edit))
  return effect(countValue(written), [accessOf(x, p, 'r', id), accessOf(x, p, 'w', id)], [result])
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'atomic'> = {
  atomic: {
    execute: (x, m, p, { layouts }) => execute(x, m, p, layouts[0] ?? 'any'),
    waits: null,
    touches: (_, p) => Touches.joined(p.destination, p.scope, 1),
    does: changes,
    strong: weak,
  },
}
