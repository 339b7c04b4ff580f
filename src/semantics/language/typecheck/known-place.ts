/**
 * Known places: what is certain of a view or a descriptor before the run.
 *
 * The type of a view leaves its base to the run, and the type of a descriptor leaves its box to its parameter. Some rules can be
 * decided early all the same: a bulk copy needs an address that is a multiple of 128, and a destination as large as
 * the box. A `Base` is what is known of an address: an offset in the CTA's plane, plus an unknown multiple of a step.
 *
 *     buffer: 4 slots of 96 bytes, at 1024
 *     buffer                      1024 + 0 n
 *     slot(buffer, 2)             1216 + 0 n
 *     slot(buffer, k)             1024 + 96 n     some slot is not 128-byte aligned: refused
 *     slot(buffer, mul(4, k))     1024 + 384 n
 *
 * Laws
 * 1. Sound: the address that a view has in any run is `offset + n * step` for some n.
 * 2. A name stands for what the expression it is bound to stood for.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Ref from '../../../transforms/ref.js'
import type { ExprNode } from '../expression.js'
import type { DescriptorParam } from '../program.js'
import type { Type } from '../types.js'
import { constantOf } from './constant.js'
import { type Base, type Binding, type Environment, lookup } from './environment.js'
import { typeOf } from './type-of.js'

// ---------------------------------------------------------------- descriptors

/** The descriptor parameter that an expression certainly is, if any. */
export const descriptorOf =
  (env: Environment) =>
  (expr: ExprNode): DescriptorParam | undefined => {
    if (expr._tag === 'name') return lookup(env.names, expr.name)?.descriptor
    if (expr._tag !== 'descriptor') return undefined
    const param = env.declarations.params.get(expr.param)
    return param?._tag === 'descriptor' ? param : undefined
  }

// ---------------------------------------------------------------- addresses

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** Zero is divided by all powers of two; this stands for it. */
const mostEven = 2 ** 20
const powerIn = (n: number): number => (n === 0 ? mostEven : Math.min(mostEven, Math.abs(n & -n)))

/** A power of two that certainly divides an integer, also where it leaves 32 bits. */
const evenOf =
  (env: Environment) =>
  (expr: ExprNode): number => {
    const known = constantOf(expr)
    if (known !== undefined) return Number.isSafeInteger(known) ? powerIn(known | 0) : 1
    if (expr._tag === 'name') return lookup(env.names, expr.name)?.even ?? 1
    if (expr._tag !== 'binary') return 1
    const [x, y] = [evenOf(env)(expr.x), evenOf(env)(expr.y)]
    switch (expr.op) {
      case 'mul':
        return Math.min(mostEven, x * y)
      case 'add':
      case 'sub':
        return Math.min(x, y)
      default:
        return 1
    }
  }

const moved = (env: Environment, base: Base, index: ExprNode, bytes: number, unit: number): Base => {
  const at = constantOf(index)
  if (at !== undefined) return { offset: base.offset + Math.floor(at / unit) * bytes, step: base.step }
  const even = evenOf(env)(index)
  return { offset: base.offset, step: gcd(base.step, even % unit === 0 ? (even / unit) * bytes : bytes) }
}

/** Where a view starts in its CTA's plane, as far as it is known before the run. */
export const baseOf =
  (env: Environment) =>
  (expr: ExprNode): Base | undefined => {
    switch (expr._tag) {
      case 'name':
        return lookup(env.names, expr.name)?.base
      case 'storage': {
        const found = env.declarations.storage.get(expr.storage)
        if (found === undefined) return undefined
        return found.offset === undefined
          ? { offset: 0, step: found.align }
          : { offset: found.offset, step: 0 }
      }
      case 'transposeView':
      case 'reshapeView':
      case 'reinterpret':
      case 'remote':
        return baseOf(env)(expr.of)
      case 'slot': {
        const base = baseOf(env)(expr.of)
        const of = typeOf(env)(expr.of)
        return base !== undefined && E.isRight(of) && of.right._tag === 'view'
          ? moved(env, base, expr.index, Ref.slotStrideBytes(of.right.layout), 1)
          : undefined
      }
      case 'slice': {
        const base = baseOf(env)(expr.of)
        const of = typeOf(env)(expr.of)
        if (base === undefined || E.isLeft(of) || of.right._tag !== 'view') return undefined
        const units = Ref.startUnits(of.right.layout)
        return expr.starts.reduce<Base>(
          (from, start, d) =>
            moved(env, from, start, Math.floor(units[d]?.strideBytes ?? 1), units[d]?.multipleOf ?? 1),
          base,
        )
      }
      default:
        return undefined
    }
  }

// ---------------------------------------------------------------- bindings

/** What a name bound to this expression stands for. */
export const bindingOf =
  (env: Environment) =>
  (expr: ExprNode, type: Type): Binding => {
    const param = descriptorOf(env)(expr)
    if (param !== undefined) return { type, descriptor: param }
    if (type._tag === 'scalar') {
      const even = evenOf(env)(expr)
      return even === 1 ? { type } : { type, even }
    }
    const base = type._tag === 'view' ? baseOf(env)(expr) : undefined
    return base === undefined ? { type } : { type, base }
  }
