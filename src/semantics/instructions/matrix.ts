/**
 * The operands of a matrix product, whichever unit computes it: A (m, k), B (k, n), an accumulator (m, n), and an arithmetic for their types.
 */
import * as O from 'fp-ts/lib/Option.js'
import type { MmaTypes } from '../../numerics/algebra.js'
import { isFloat } from '../../numerics/dtype.js'
import type { ExprNode } from '../expression.js'
import { elementsOperand, type Operands } from '../machine/effect.js'
import type { Elements } from '../machine/operation.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'

export interface Matrices {
  readonly _tag: 'matrices'
  readonly a: Elements
  readonly b: Elements
  readonly accumulator: Elements
  readonly types: MmaTypes
  readonly m: number
  /** columns of the accumulator */
  readonly n: number
  readonly k: number
}

/** Evaluates and checks the three operands; `unit` is what messages call the instruction. B holds one `split`th of the columns. */
export const matrices = (
  o: Operands,
  unit: string,
  i: { readonly a: ExprNode; readonly b: ExprNode; readonly accumulator: ExprNode },
  split: 1 | 2,
): Matrices | FaultValue => {
  const a = elementsOperand(o, 'a', i.a)
  if (isFault(a)) return a
  const b = elementsOperand(o, 'b', i.b)
  if (isFault(b)) return b
  const accumulator = elementsOperand(o, 'accumulator', i.accumulator)
  if (isFault(accumulator)) return accumulator
  const [m, k] = a.shape
  const kb = b.shape[0]
  const n = b.shape[1]! * split
  if (
    a.shape.length !== 2 ||
    b.shape.length !== 2 ||
    k !== kb ||
    accumulator.shape[0] !== m ||
    accumulator.shape[1] !== n
  )
    return V.fault(
      'mma.shape',
      `${unit}: expected A (m, k), B (k, n${split === 1 ? '' : ' / 2'}) and an accumulator (m, n), found (${a.shape.join(', ')}), (${b.shape.join(', ')}) and (${accumulator.shape.join(', ')})`,
    )
  if (!isFloat(a.dtype) || !isFloat(b.dtype) || !isFloat(accumulator.dtype))
    return V.fault(
      'instruction.unsupported',
      `${unit}: ${a.dtype} x ${b.dtype} -> ${accumulator.dtype} has no arithmetic here`,
    )
  const types = { a: a.dtype, b: b.dtype, acc: accumulator.dtype }
  return O.isNone(o.world.algebra.mma(types, { m: m!, n, k: k! }))
    ? V.fault(
        'algebra.lacks',
        `the ${o.world.algebra.name} algebra has no mma for ${a.dtype} x ${b.dtype} -> ${accumulator.dtype}`,
      )
    : { _tag: 'matrices', a, b, accumulator, types, m: m!, n, k: k! }
}
