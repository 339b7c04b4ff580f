/**
 * The operands of a matrix product, whichever unit computes it: A (m, k), B (k, n), an accumulator (m, n), and an arithmetic for their types.
 */
import * as O from 'fp-ts/lib/Option.js'
import { mmaTypes, type MmaTypes } from '../../numerics/algebra.js'
import type { ExprNode } from '../language/expression.js'
import { ofProduct } from '../../numerics/shadow.js'
import { elementsOperand } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type { Elements } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'

/** The scales of the rows of A and of the columns of B: `block` stored elements along k share one. */
export interface Scales {
  readonly a: Elements
  readonly b: Elements
  readonly dtype: 'e8m0' | 'ue4m3'
  readonly block: 16 | 32
}

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
  readonly scales: Scales | null
  /** a word of 32 bits for each part of a row of a sparse A */
  readonly sparsity: Elements | null
}

interface Given {
  readonly a: ExprNode
  readonly b: ExprNode
  readonly accumulator: ExprNode
  readonly scaleA?: ExprNode
  readonly scaleB?: ExprNode
  readonly sparsity?: ExprNode
  readonly saturate?: boolean
}

const optional = (o: Environment, field: string, e: ExprNode | undefined): Elements | null | FaultValue =>
  e === undefined ? null : elementsOperand(o, field, e)

/** Scales of both operands, or none. `stored` is what A holds along k. */
const scalesOf = (o: Environment, i: Given, stored: number): Scales | null | FaultValue => {
  const a = optional(o, 'scaleA', i.scaleA)
  if (isFault(a)) return a
  const b = optional(o, 'scaleB', i.scaleB)
  if (isFault(b)) return b
  if (a === null && b === null) return null
  const block = stored / (a?.shape[1] ?? 1)
  return a !== null &&
    b !== null &&
    a.dtype === b.dtype &&
    (a.dtype === 'e8m0' || a.dtype === 'ue4m3') &&
    b.shape[1] === a.shape[1] &&
    (block === 16 || block === 32)
    ? { a, b, dtype: a.dtype, block }
    : V.fault(
        'mma.scales',
        `expected scales of A and B of one dtype, e8m0 or ue4m3, for 16 or 32 elements each, found ${a === null ? 'none' : `${a.dtype} (${a.shape.join(', ')})`} and ${b === null ? 'none' : `${b.dtype} (${b.shape.join(', ')})`} for ${String(stored)}`,
      )
}

/** Evaluates and checks the operands; `unit` is what messages call the instruction. B holds one `split`th of the columns. */
export const matrices = (o: Environment, unit: string, i: Given, split: 1 | 2): Matrices | FaultValue => {
  const a = elementsOperand(o, 'a', i.a)
  if (isFault(a)) return a
  const b = elementsOperand(o, 'b', i.b)
  if (isFault(b)) return b
  const accumulator = elementsOperand(o, 'accumulator', i.accumulator)
  if (isFault(accumulator)) return accumulator
  const sparsity = optional(o, 'sparsity', i.sparsity)
  if (isFault(sparsity)) return sparsity
  const [m, stored] = a.shape
  const k = b.shape[0]
  const n = b.shape[1]! * split
  if (
    a.shape.length !== 2 ||
    b.shape.length !== 2 ||
    stored !== (sparsity === null ? k : k! / 2) ||
    accumulator.shape[0] !== m ||
    accumulator.shape[1] !== n
  )
    return V.fault(
      'mma.shape',
      `${unit}: expected A (m, k${sparsity === null ? '' : ' / 2'}), B (k, n${split === 1 ? '' : ' / 2'}) and an accumulator (m, n), found (${a.shape.join(', ')}), (${b.shape.join(', ')}) and (${accumulator.shape.join(', ')})`,
    )
  const scales = scalesOf(o, i, stored!)
  if (isFault(scales)) return scales
  const saturate = i.saturate === true
  const found = mmaTypes(a.dtype, b.dtype, accumulator.dtype, saturate)
  if (O.isNone(found))
    return V.fault(
      'instruction.unsupported',
      `${unit}: ${a.dtype} x ${b.dtype} -> ${accumulator.dtype}${saturate ? ', saturating,' : ''} has no arithmetic here`,
    )
  const types = found.value
  const shape = { m: m!, n, k: stored! }
  const { algebra } = o.world
  const known =
    scales === null
      ? O.isSome(algebra.mma(types, shape))
      : types.acc !== 'i32' &&
        O.isSome(
          algebra.scaledMma(
            { a: types.a, b: types.b, acc: types.acc, scale: scales.dtype, block: scales.block },
            shape,
          ),
        )
  return known
    ? { _tag: 'matrices', a, b, accumulator, types, m: m!, n, k: k!, scales, sparsity }
    : V.fault(
        'algebra.lacks',
        `the ${algebra.name} algebra has no mma for ${a.dtype} x ${b.dtype} -> ${accumulator.dtype}${scales === null ? '' : ` with scales of ${scales.dtype} every ${String(scales.block)}`}`,
      )
}

/** The rows of a matrix of n columns that are named, in their order. */
export const chosenRows = (b: Float64Array, n: number, rows: Int32Array): Float64Array => {
  const chosen = new Float64Array(rows.length * n)
  rows.forEach((k, s) => {
    chosen.set(b.subarray(k * n, (k + 1) * n), s * n)
  })
  return chosen
}

/** Over shadows no product is made: its accumulator is not known. */
export const forgetting = (m: Machine, { plane, dtype, offsets, origin }: Elements): Machine =>
  withPlane(m, plane, Plane.forget(m.planes[plane]!, { dtype, offsets, origin }, ofProduct, m.edit))
