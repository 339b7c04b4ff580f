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
 * Law 1. As in the PTX that Triton made of each case.
 *
 * Source: LLVM, combination of floating-point additions; read off PTX.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { onShape } from '../../../layouts/triton/to-linear.js'
import { registerEncoding } from './encodings.js'
import { everyOperation, namesRead } from './regions.js'
import type { Block, Module, Operation, Type } from '../text/syntax.js'

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
