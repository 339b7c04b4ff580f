/** The rows of the instruction set: every one is read, and is what the signatures are. */
import { expect, test } from 'vitest'
import { fieldsOf } from '../../../src/semantics/language/field.js'
import { rows } from '../../../src/semantics/language/rows.js'
import { signatures } from '../../../src/semantics/language/signature.js'

test('the rows are the signatures: instructions, fields, kinds, in one order', () => {
  const said = Object.entries(rows).map(([name, row]) => [name, Object.entries(fieldsOf(row))])
  expect(said).toEqual(Object.entries(signatures).map(([name, { fields }]) => [name, Object.entries(fields)]))
})
