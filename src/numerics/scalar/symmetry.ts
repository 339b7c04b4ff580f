/**
 * Symmetry: operations whose first two operands may be exchanged.
 *
 *     lane 0   add.f32 x, y      x its own, y from lane 1 by a shuffle
 *     lane 1   add.f32 y, x      the same sum: where lanes reduce in a butterfly, all of them hold one number
 *
 * Sums and products of f64 are left out: the payload of a NaN says which operand it was.
 *
 * Law 1. With the words of the first two operands exchanged, every word of the results is the same.
 */
import type { ScalarOperation } from './operation.js'

const symmetric: ReadonlySet<string> = new Set([
  'add',
  'mul',
  'mul24',
  'fma',
  'mad',
  'mad24',
  'min',
  'max',
  'and',
  'or',
  'xor',
])

export const isSymmetric = ({ name, operands }: ScalarOperation): boolean =>
  symmetric.has(name.split('.', 1)[0]!) && operands[0] === operands[1] && operands[0] !== 'f64'
