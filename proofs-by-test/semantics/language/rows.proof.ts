/** The rows of the instruction set, as they are read at run time. */
import { expect, test } from 'vitest'
import { copyShapes } from '../../../src/layouts/tensor-memory/copy-shape.js'
import { fieldsOf } from '../../../src/semantics/language/field.js'
import { completion, rows } from '../../../src/semantics/language/rows.js'
import { instructionNames, signatureOf } from '../../../src/semantics/language/signature.js'
import { words } from './words.js'

const said = Object.entries<Readonly<Record<string, string>>>(rows)

test('every row is read, its fields in its order, each as the table of words says', () => {
  const table = new Map<string, object>(Object.entries(words))
  for (const [name, row] of said)
    expect([name, Object.entries(fieldsOf(row))]).toEqual([
      name,
      Object.entries(row).map(([field, text]) =>
        field.endsWith('?')
          ? [field.slice(0, -1), { ...table.get(text), optional: true }]
          : [field, table.get(text)],
      ),
    ])
  expect([...new Set(said.flatMap(([, row]) => Object.values(row)))].sort()).toEqual([...table.keys()].sort())
})

test('a signature has the fields of its row', () => {
  expect(instructionNames).toEqual(Object.keys(rows))
  for (const name of Object.keys(rows) as ReadonlyArray<keyof typeof rows>)
    expect(signatureOf(name).fields).toEqual(fieldsOf(rows[name]))
})

test('a completion is a barrier that orders the tensor core, a predicate, perhaps a mask', () => {
  expect(fieldsOf(completion)).toEqual({
    barrier: words['tensor barrier'],
    when: words.i1,
    multicast: { ...words.i32, optional: true },
  })
})

test('the shapes of a copy into tensor memory are those of the layouts', () => {
  expect(fieldsOf(rows['tcgen05.cp'])['shape']).toEqual({ _tag: 'enum', of: copyShapes })
})

test('other words are refused', () => {
  for (const text of ['views smem', 'view shared', 'view smem of f33', 'tile i33', 'i33', ''])
    expect(() => fieldsOf({ x: text })).toThrow(`${text.split(' ').at(-1)!} in a row of instructions`)
})
