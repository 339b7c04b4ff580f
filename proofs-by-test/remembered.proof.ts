/** What is remembered is what would be computed, once for each object and key. */
import { expect, test } from 'vitest'
import { remembered, rememberedBy } from '../src/remembered.js'

test('law 1 and law 2: of an object', () => {
  let asked = 0
  const double = remembered(({ x }: { readonly x: number }) => {
    asked++
    return { x: 2 * x }
  })
  const [one, equal] = [{ x: 1 }, { x: 1 }]
  expect([double(one), double({ x: 5 })]).toEqual([{ x: 2 }, { x: 10 }])
  expect(asked).toBe(2)
  expect(double(one)).toBe(double(one))
  expect(asked).toBe(2)
  // equal objects are computed each for itself
  expect(double(equal)).not.toBe(double(one))
  expect(double(equal)).toEqual(double(one))
})

test('law 1 and law 2: of an object and a key, of each place that remembers by itself', () => {
  const ask = rememberedBy<object, string, { readonly said: string }>()
  const other = rememberedBy<object, string, { readonly said: string }>()
  const [a, b] = [{}, {}]
  const never = (): { readonly said: string } => {
    expect.unreachable()
  }
  const first = ask(a, 'k', () => ({ said: 'a k' }))
  expect(first).toEqual({ said: 'a k' })
  expect(ask(a, 'k', never)).toBe(first)
  expect(ask(a, 'l', () => ({ said: 'a l' }))).toEqual({ said: 'a l' })
  expect(ask(b, 'k', () => ({ said: 'b k' }))).toEqual({ said: 'b k' })
  expect(other(a, 'k', () => ({ said: 'other' }))).toEqual({ said: 'other' })
  expect(ask(a, 'k', never)).toBe(first)
})
