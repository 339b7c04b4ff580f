/**
 * A name is looked up among a table's own keys.
 *
 * A plain object has more names than were written into it: `constructor`, `toString`, `__proto__` and others come from its prototype, and `table[name]`
 * finds them. Where the name comes from a document, an operation called `constructor` then has a row, which is a function of JavaScript's, and the
 * reader fails in its middle. So no reader writes `table[name]` for a name that it was given: it asks `own(table, name)`.
 *
 *     ({ add: 1 })['toString']         a function
 *     own({ add: 1 }, 'toString')      undefined
 *
 * Writing has the same trap: `made['__proto__'] = x` adds no key. What is keyed by names from outside is made by `Object.fromEntries`, by a literal with a
 * computed key, or is a Map.
 *
 * Law: `own(t, k)` is a value of `Object.entries(t)`, or undefined.
 */
export const own = <A>(table: Readonly<Record<string, A>> | null | undefined, name: string): A | undefined =>
  table != null && Object.hasOwn(table, name) ? table[name] : undefined
