/**
 * Products that go into sums: the factors are kept where the product stands, and the sum is one fused operation (`flow/contraction.ts` says which).
 *
 * A quotient's last step is a product, too: of a reciprocal and a dividend, both perhaps scaled (`numerics/special-functions/division.ts`).
 *
 * Source: PTX ISA, fma; machine code of ptxas 13.0.
 */
import type { Row } from '../../../semantics/warps/program.js'
import type { Taking } from '../flow/contraction.js'
import { scalarNamed } from './arithmetic.js'
import { emit, newRow, newRows, scalar } from './emitter.js'
import { source, target, type Here } from './here.js'
import { own } from '../../../own.js'

/** The factors of a product, each in rows of its own. */
export interface Factors {
  readonly x: ReadonlyArray<Row>
  readonly y: ReadonlyArray<Row>
}

const typeOf = (h: Here): string => h.modifiers['type'] ?? 'f32'
/** As immediates have it. */
const wordType = (type: string): string =>
  type === 'f32' || type === 'f64' ? type : type.endsWith('x2') ? 'b32' : 'b16'
const operandOf = (h: Here, name: 'a' | 'b'): ReadonlyArray<Row> =>
  source(h, h.operands[name], wordType(typeOf(h)))

const kept = (h: Here, from: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const to = newRows(h.e, from.length)
  emit(h.e, { _tag: 'move', to, from }, null)
  return to
}

/** What a product is made of, before anything is written; its own result stands in its register all the same. */
export const factorsOf = (h: Here): Factors => {
  const [a, b] = [operandOf(h, 'a'), operandOf(h, 'b')]
  if (h.form.base === 'mul') return { x: kept(h, a), y: kept(h, b) }
  const how = `div.${h.modifiers['full'] ?? 'approx'}${h.modifiers['ftz'] === undefined ? '' : '.ftz'}.f32`
  const [x, y] = [newRow(h.e), newRow(h.e)]
  scalar(h.e, `reciprocal.${how}`, [x], b, null)
  scalar(h.e, `dividend.${how}`, [y], [a[0]!, b[0]!], null)
  return { x: [x], y: [y] }
}

const negative = (h: Here, from: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const to = newRows(h.e, from.length)
  scalar(h.e, `neg.${typeOf(h)}`, to, from, null)
  return to
}

/** A sum that takes a product: x * y + z, x * y - z, or z - x * y. */
export const fused = (h: Here, { operand, negated }: Taking, { x, y }: Factors): void => {
  const z = operandOf(h, operand === 'a' ? 'b' : 'a')
  const subtracts = h.form.base === 'sub'
  const turnsProduct = negated !== (subtracts && operand === 'b')
  const turnsOther = subtracts && operand === 'a'
  const flags = ['ftz', 'sat'].filter((m) => own(h.modifiers, m) !== undefined)
  const name = scalarNamed(['fma', 'rn', ...flags, typeOf(h)].join('.'))
  scalar(
    h.e,
    name,
    target(h, h.operands['d'], typeOf(h) === 'f64' ? 'b64' : 'b32'),
    [...(turnsProduct ? negative(h, x) : x), ...y, ...(turnsOther ? negative(h, z) : z)],
    h.guard,
  )
}
