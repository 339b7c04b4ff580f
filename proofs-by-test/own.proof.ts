/** A table has the keys that were written into it, and no others. */
import { expect, it } from 'vitest'
import { own } from '../src/own.js'

it('law: what is found is a value of the table', () => {
  const table: Readonly<Record<string, number>> = { add: 1, ...(JSON.parse('{"__proto__": 2}') as object) }
  expect([own(table, 'add'), own(table, '__proto__')]).toEqual([1, 2])
  for (const name of Object.getOwnPropertyNames(Object.prototype))
    if (name !== '__proto__') expect([name, own(table, name)]).toEqual([name, undefined])
  expect(own(undefined, 'add')).toBeUndefined()
})
