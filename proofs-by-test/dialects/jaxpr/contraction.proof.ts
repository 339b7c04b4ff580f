/**
 * Which product a sum of a jaxpr takes into one rounding: a table by hand, after the two examples in the header of `ttgir/elaboration/contraction.ts`, whose law is the
 * compiler's text. Sums are looked at from the last to the first; of two products that with fewer uses is taken, of as many the left one.
 */
import { expect, it } from 'vitest'
import { contractedIn } from '../../../src/dialects/jaxpr/contraction.js'
import type { Document, Eqn, Type, Value } from '../../../src/dialects/jaxpr/document.js'

const names = 'xyzwrpqst'
const v = (name: string): number => names.indexOf(name)
/** `s = p add q`; a number is a constant. */
const eqn = (text: string): Eqn => {
  const [out = '', , a = '', op = '', b = ''] = text.split(' ')
  const value = (word: string): Value =>
    (/^\d/u.test(word) ? { k: Number(word), type: 'f32' } : { v: v(word) }) as unknown as Value
  return { op, in: [value(a), value(b)], out: [{ v: v(out), type: {} as unknown as Type }] }
}

it.each<readonly [eqns: string, out: string, taken: string]>([
  ['p = x mul y; s = p add z', 's', 's lhs'],
  ['p = x mul y; s = z add p', 's', 's rhs'],
  ['p = x mul y; s = p sub z', 's', 's lhs'],
  ['p = x mul y; s = z sub p', 's', 's rhs'],
  // neither a product, nor a sum
  ['p = x add y; s = p add z', 's', ''],
  ['p = x mul y; s = p max z', 's', ''],
  ['p = x mul y; s = p div z', 's', ''],
  ['p = x mul y; s = p mul z', 's', ''],
  ['p = x mul y; s = p add 1', 's', 's lhs'],
  ['p = x mul y; s = 1 add p', 's', 's rhs'],
  // of two
  ['p = x mul y; q = z mul w; s = p add q', 's', 's lhs'],
  ['p = x mul y; q = z mul w; s = q add p', 's', 's lhs'],
  ['p = x mul y; q = z mul w; r = p max x; s = p add q', 's', 's rhs'],
  ['p = x mul y; q = z mul w; r = q max x; s = p add q', 's', 's lhs'],
  // what comes out of all of it is a use, too
  ['p = x mul y; q = z mul w; s = p add q', 'sp', 's rhs'],
  ['p = x mul y; q = z mul w; s = p add q', 'sq', 's lhs'],
  ['p = x mul y; q = z mul w; s = p add q', 'spq', 's lhs'],
  // a sum that has taken a product uses it no more: the two examples
  ['p = x mul y; q = z mul w; s = p add q; t = p add r', 'st', 's lhs, t lhs'],
  ['p = x mul y; q = z mul w; t = p add r; s = p add q', 'st', 's rhs, t lhs'],
  ['p = x mul y; q = z mul w; s = q add p; t = r add p', 'st', 's lhs, t rhs'],
  // twice the same
  ['p = x mul y; s = p add p', 's', 's lhs'],
])('%s, out %s: %s', (text, out, taken) => {
  const eqns = text.split('; ').map(eqn)
  const document = {
    jaxprs: [{ eqns, out: [...out].map((name) => ({ v: v(name) })) }, {}],
  } as unknown as Document
  const found = [...contractedIn(document)].map(([of, side]) => `${names[of.out![0]!.v]!} ${side}`)
  expect(found.sort().join(', ')).toBe(taken)
})
