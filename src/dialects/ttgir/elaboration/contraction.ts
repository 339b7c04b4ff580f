/**
 * Contraction: where the compiler rounds `x * y + z` once.
 *
 * Wherever a product of the same basic block is an operand of a sum or of a difference, also a product that is used elsewhere. Where both operands are
 * products, that with fewer uses goes into the sum; of as many, the left one. The compiler looks at the sums of a block from the last to the first, and a sum
 * that has taken a product uses it no more:
 *
 *     p = x * y, q = z * w, s = p + q, t = p + r          t = fma(x, y, r), then p has one use as q has: s = fma(x, y, q)
 *     p = x * y, q = z * w, t = p + r, s = p + q          p has two uses, q one: s = fma(z, w, p)
 *
 * A number that stands for several elements of a thread (splat, broadcast) is used by each.
 *
 * That is LLVM's. The assembler does it once more: the product at the end of `div.full.f32` goes into the sum behind it, if the quotient is used by
 * sums of its block alone (`quotientsIn`), each of which then has it:
 *
 *     q = x / y, s = q + z                                s = fma(1 / y, x, z)
 *     q = x / y, store q, s = q + z                       s = q + z: the quotient is needed by itself
 *     q = x / y, r = z / w, s = q + r                     s = fma(1 / y, x, r)
 *     q = x / y, p = z * w, s = p + q                     s = fma(z, w, q), which LLVM has made
 *
 * Laws
 * 1. As in the PTX that Triton made of each case.
 * 2. Of quotients, as on an H100.
 *
 * Source: LLVM, combination of floating-point additions; read off PTX, and off machine code.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { onShape } from '../../../layouts/triton/to-linear.js'
import { registerEncoding } from './encodings.js'
import { everyOperation, namesRead } from './regions.js'
import type { Block, Module, Operation, Type } from '../text/syntax.js'
import { own } from '../../../own.js'

/** Operations that give a thread the registers that it has, under another name. */
export const renaming: ReadonlySet<string> = new Set(['tt.splat', 'tt.broadcast', 'tt.expand_dims'])

/** Elements that a thread holds; a number is one. */
const heldBy = (m: Module, type: Type): number =>
  type._tag !== 'tensor'
    ? 1
    : pipe(
        registerEncoding(m, type.encoding),
        E.chainW((encoding) => onShape(encoding)(type.shape)),
        E.match(
          () => 1,
          (layout) =>
            2 **
            (layout.inputs.find(({ name }) => name === 'register')?.bases ?? []).filter((basis) =>
              basis.some((v) => v !== 0),
            ).length,
        ),
      )

/** Of the sums of a block whose operands are both products: which of them each takes. */
const inBlock = (m: Module, block: Block, into: Map<Operation, 'lhs' | 'rhs'>): void => {
  // what a name is a product of, through its other names, and how often one of its registers is used
  const productOf = new Map<string, string>()
  const uses = new Map<string, number>()
  const times = new Map<string, number>()
  for (const op of block.operations) {
    const [result] = op.names
    if (op.name === 'arith.mulf' && result !== undefined) {
      productOf.set(result.name, result.name)
      times.set(result.name, 1)
    }
    const [source] = op.operands['src'] ?? []
    const origin = source === undefined ? undefined : productOf.get(source.name)
    const isRenaming = renaming.has(op.name) && origin !== undefined && result !== undefined
    if (isRenaming && source !== undefined) {
      productOf.set(result.name, origin)
      const more = heldBy(m, op.results[0]!) / heldBy(m, source.type)
      times.set(result.name, (times.get(source.name) ?? 1) * Math.max(1, more))
    } else
      for (const list of Object.values(op.operands))
        for (const { name } of list) {
          const product = productOf.get(name)
          if (product !== undefined) uses.set(product, (uses.get(product) ?? 0) + (times.get(name) ?? 1))
        }
    // what another block takes is handed to it once
    if (op.regions.length === 0 || productOf.size === 0) continue
    const inside = everyOperation(op.regions.flatMap((r) => r.blocks.flatMap((b) => b.operations)))
    const taken = new Set([...namesRead(inside)].flatMap((name) => productOf.get(name) ?? []))
    for (const product of taken) uses.set(product, (uses.get(product) ?? 0) + 1)
  }
  for (const op of [...block.operations].reverse()) {
    if (op.name !== 'arith.addf' && op.name !== 'arith.subf') continue
    const named = (of: 'lhs' | 'rhs'): string => op.operands[of]?.[0]?.name ?? ''
    const [left, right] = [productOf.get(named('lhs')), productOf.get(named('rhs'))]
    const isRight =
      right !== undefined && (left === undefined || (uses.get(left) ?? 0) > (uses.get(right) ?? 0))
    const taken = isRight ? right : left
    if (left !== undefined && right !== undefined) into.set(op, isRight ? 'rhs' : 'lhs')
    if (taken !== undefined)
      uses.set(taken, (uses.get(taken) ?? 0) - (times.get(named(isRight ? 'rhs' : 'lhs')) ?? 1))
  }
}

/** The value that a name is another name of, in a block. */
const originsIn = ({ operations }: Block): ((name: string) => string) => {
  const origins = new Map<string, string>()
  for (const op of operations) {
    const [result] = op.names
    const [source] = op.operands['src'] ?? []
    if (renaming.has(op.name) && result !== undefined && source !== undefined)
      origins.set(result.name, origins.get(source.name) ?? source.name)
  }
  return (name) => origins.get(name) ?? name
}

const isF32 = (type: Type | undefined): boolean => {
  const element = type?._tag === 'tensor' ? type.element : type
  return element?._tag === 'float' && element.name === 'f32'
}

/** The quotients of a block whose last product goes into every sum that uses them. */
const quotientsOf = (block: Block, into: Set<Operation>): void => {
  const { operations } = block
  const quotients = operations.filter((op) => op.name === 'arith.divf' && isF32(op.results[0]))
  if (quotients.length === 0) return
  const origin = originsIn(block)
  const nameOf = (op: Operation, of: string): string => origin(own(op.operands, of)?.[0]?.name ?? '')
  const made = new Map(operations.flatMap((op) => op.names.map(({ name }) => [name, op.name] as const)))
  const isSum = (op: Operation): boolean => op.name === 'arith.addf' || op.name === 'arith.subf'
  const isTaken = (op: Operation, name: string): boolean => {
    const [left, right] = [nameOf(op, 'lhs'), nameOf(op, 'rhs')]
    return isSum(op) && made.get(left === name ? right : left) !== 'arith.mulf'
  }
  const found = new Map<string, Operation>()
  for (const quotient of quotients) {
    const name = quotient.names[0]?.name ?? ''
    const users = operations.filter(
      (op) => !renaming.has(op.name) && [...namesRead(everyOperation([op]))].some((n) => origin(n) === name),
    )
    if (users.length > 0 && users.every((op) => isTaken(op, name))) found.set(name, quotient)
  }
  // of two quotients a sum takes the left one, and the other is needed by itself
  for (const op of operations) if (isSum(op) && found.has(nameOf(op, 'lhs'))) found.delete(nameOf(op, 'rhs'))
  for (const quotient of found.values()) into.add(quotient)
}

/** The quotients, in the regions of these operations themselves, whose last product goes into the sums that use them. */
export const quotientsIn = (operations: ReadonlyArray<Operation>): ReadonlySet<Operation> => {
  const into = new Set<Operation>()
  for (const { regions } of operations)
    for (const { blocks } of regions) for (const block of blocks) quotientsOf(block, into)
  return into
}

/** Of all sums of two products, in the regions of these operations themselves: which of them each takes. */
export const takenIn = (
  m: Module,
  operations: ReadonlyArray<Operation>,
): ReadonlyMap<Operation, 'lhs' | 'rhs'> => {
  const into = new Map<Operation, 'lhs' | 'rhs'>()
  for (const { regions } of operations)
    for (const { blocks } of regions) for (const block of blocks) inBlock(m, block, into)
  return into
}
