/**
 * Reductions: how an element that arrives joins the one that is there.
 *
 * | kind         | of                                  | old, new -> what remains                          |
 * |--------------|-------------------------------------|---------------------------------------------------|
 * | add          | u32 i32 u64 f32 f16 bf16, f64       | old + new, modulo 2^32 or 2^64, or rounded once   |
 * | min, max     | u32 i32 u64 i64 f16 bf16            | the lesser, the greater                           |
 * | inc          | u32                                 | old >= new ? 0 : old + 1                          |
 * | dec          | u32                                 | old = 0 or old > new ? new : old - 1              |
 * | and, or, xor | i32 u32 i64 u64                     | bit by bit                                        |
 *
 * Each element by itself, at once, in no order. Integers are the same in every algebra; a sum of floats is the algebra's, and what it lacks
 * (min in a field) is a fault. 64-bit integers are exact where memory holds bytes, elsewhere below 2^53.
 *
 *     add u32 0xffffffff, 2 -> 1        inc u32 7, 7 -> 0        dec u32 0, 9 -> 9        min i32 -1, 1 -> -1 (u32: 1)
 *
 * Sums of f32 keep subnormal numbers, but for those of a map whose element type says otherwise: it takes and leaves a zero of the same sign for one.
 *
 * Laws
 * 1. The table: each kind against the definition in integers of unbounded size; every other pair is refused.
 * 2. add, min, max, and, or, xor of integers do not depend on the order of the arrivals.
 *
 * @fidelity documented, sums of f32 silicon
 *
 * Source: PTX ISA, cp.reduce.async.bulk.tensor; sums of f32 captured on an H100 (conformance/hopper/tma).
 */
import * as O from 'fp-ts/lib/Option.js'
import { isFloat, type Dtype } from '../../../numerics/dtype.js'
import { datumOf, isKnown, lifted, mark, marked, markOf } from '../../../numerics/shadow.js'
import type { ReduceKind } from '../../language/instruction.js'
import { allBytes, rest, scalarOperation } from '../../../numerics/scalar/index.js'
import type { Elements, Joining } from '../../machine/operation.js'
import * as Plane from '../../machine/plane.js'
import { lacks } from '../../machine/scalar.js'
import { reducible } from '../../language/signature.js'
import * as V from '../../machine/value.js'
import type { FaultValue } from '../../machine/value.js'
import type { World } from '../../machine/world.js'
import { carried, inWords } from './words.js'

// ---------------------------------------------------------------- integers

/** On integers of unbounded size; the caller wraps. */
const joined = (kind: ReduceKind, old: bigint, by: bigint): bigint => {
  switch (kind) {
    case 'add':
      return old + by
    case 'min':
      return old < by ? old : by
    case 'max':
      return old > by ? old : by
    case 'inc':
      return old >= by ? 0n : old + 1n
    case 'dec':
      return old === 0n || old > by ? by : old - 1n
    case 'and':
      return old & by
    case 'or':
      return old | by
    case 'xor':
      return old ^ by
  }
}

const wrapped = (dtype: Dtype, x: bigint): bigint => {
  switch (dtype) {
    case 'i64':
      return BigInt.asIntN(64, x)
    case 'i32':
      return BigInt.asIntN(32, x)
    case 'u32':
      return BigInt.asUintN(32, x)
    default:
      return BigInt.asUintN(64, x)
  }
}

/** 32-bit integers, the common case, without big ones. */
const small = (kind: ReduceKind, dtype: Dtype): ((old: number, by: number) => number) | null => {
  const signed = dtype === 'i32'
  if (!signed && dtype !== 'u32') return null
  switch (kind) {
    case 'add':
      return signed ? (x, y) => (x + y) | 0 : (x, y) => (x + y) >>> 0
    case 'min':
      return Math.min
    case 'max':
      return Math.max
    case 'and':
    case 'or':
    case 'xor':
    case 'inc':
    case 'dec':
      return null
  }
}

/** A slot that holds no element reads as NaN, and stays that. */
const integers = (kind: ReduceKind, dtype: Dtype): ((old: number, by: number) => number) => {
  const quick = small(kind, dtype)
  return (x, y) =>
    Number.isNaN(x) || Number.isNaN(y)
      ? NaN
      : quick === null
        ? Number(wrapped(dtype, joined(kind, BigInt(x), BigInt(y))))
        : quick(x, y)
}

// ---------------------------------------------------------------- elements

/** The operation on carriers, or why there is none. */
export const reduction = (
  world: World,
  kind: ReduceKind,
  dtype: Dtype,
): ((old: number, by: number) => number) | FaultValue => {
  if (!reducible[kind].includes(dtype))
    return V.fault(
      'A4',
      `kind: ${kind} is a reduction of ${reducible[kind].join(', ')}, found a descriptor of ${dtype}`,
    )
  if (!isFloat(dtype)) return integers(kind, dtype)
  const f = kind === 'add' || kind === 'min' || kind === 'max' ? world.algebra.binary(kind, dtype) : O.none
  return O.isNone(f) ? lacks(world, kind, dtype) : f.value
}

/** A zero of the same sign for a subnormal f32, word for word. */
const flushed = (word: number): number => ((word & 0x7f800000) === 0 ? (word & 0x80000000) >>> 0 : word)

const long = (dtype: Dtype, low: number, high: number): bigint =>
  wrapped(dtype, (BigInt(high) << 32n) | BigInt(low))

const reductionOf = (
  world: World,
  kind: ReduceKind,
  dtype: Dtype,
  flushes: boolean,
): ReturnType<typeof reduction> => {
  const f = reduction(world, kind, dtype)
  return flushes && typeof f === 'function' ? (old, by) => flushed(f(flushed(old), flushed(by))) : f
}

/** Where not all is known: what joins an element that is not known is not known. Of elements in words, none is then. */
const joinedPartly = (
  world: World,
  kind: ReduceKind,
  dtype: Dtype,
  flushes: boolean,
  areWords: boolean,
  old: Float64Array,
  data: Float64Array,
): Float64Array | null => {
  const f = reductionOf(world, kind, dtype, flushes)
  if (typeof f !== 'function') return null
  const join = lifted(areWords ? 'u32' : dtype)(f)
  if (!areWords) return data.map((by, i) => join(old[i]!, by))
  const datum = [...old, ...data].reduce((d, x) => Math.max(d, datumOf(markOf(x))), 0)
  return new Float64Array(data.length).fill(marked(0, mark(allBytes, datum)))
}

/** What memory holds after the elements `data` have joined it, as `carried` has them. */
export const combined = (
  world: World,
  plane: Plane.Plane,
  { kind, words, flushes }: Joining,
  e: Elements,
  data: Float64Array | null,
): Float64Array | null => {
  const at = carried(plane, e)
  const old = Plane.read(plane, at).data
  if (old === null || data === null) return null
  const out = new Float64Array(data.length)
  if (plane._tag === 'shadow' && !(old.every(isKnown) && data.every(isKnown)))
    return joinedPartly(world, kind, e.dtype, flushes, inWords(plane, e.dtype), old, data)
  const byWords = words === null ? undefined : scalarOperation(words)
  if (byWords !== undefined && inWords(plane, e.dtype)) {
    for (let i = 0; i < out.length; i += 2) {
      out[i] = byWords.compute(old[i]! | 0, old[i + 1]! | 0, data[i]! | 0, data[i + 1]! | 0) >>> 0
      out[i + 1] = rest[0]! >>> 0
    }
    return out
  }
  const f = reductionOf(world, kind, e.dtype, flushes)
  if (typeof f !== 'function') return null
  if (inWords(plane, e.dtype))
    for (let i = 0; i < out.length; i += 2) {
      const x = wrapped(
        e.dtype,
        joined(kind, long(e.dtype, old[i]!, old[i + 1]!), long(e.dtype, data[i]!, data[i + 1]!)),
      )
      out[i] = Number(BigInt.asUintN(32, x))
      out[i + 1] = Number(BigInt.asUintN(32, x >> 32n))
    }
  else for (let i = 0; i < out.length; i++) out[i] = f(old[i]!, data[i]!)
  return out
}
