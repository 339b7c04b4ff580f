/** Chains of products: what is made is the product of link after link, however the chain is cut or continued. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Link, MmaChain, MmaTypes } from '../../../src/numerics/algebra.js'
import { further, mostLinks } from '../../../src/semantics/instructions/chain.js'
import type { Coming } from '../../../src/semantics/machine/plane.js'
import { prop } from '../../prop.js'

/** A product whose order and number of links show: d = 3 c + a b, modulo a prime. */
const p = 1_000_003
const product = (a: number, b: number, c: number): number => (3 * c + a * b) % p

const f16: MmaTypes = { a: 'f16', b: 'f16', acc: 'f32' }
const wrapping: MmaTypes = { a: 'u8', b: 'u8', acc: 'i32', saturate: false }
const kinds: ReadonlyArray<MmaTypes> = [
  f16,
  { a: 'bf16', b: 'bf16', acc: 'f32' },
  { a: 'f16', b: 'bf16', acc: 'f32' },
  { a: 'bf16', b: 'f16', acc: 'f32' },
  { a: 'f16', b: 'f16', acc: 'f16' },
  wrapping,
  { a: 'u8', b: 'u8', acc: 'i32', saturate: true },
]
const link = (a: number, b: number): Link => ({ a: Float64Array.of(a), b: Float64Array.of(b) })
const shape = { m: 1, n: 1, k: 1 }

/** The chain, and how long each was that was made. */
const listening = (): { readonly chain: MmaChain; readonly lengths: number[] } => {
  const lengths: number[] = []
  return {
    lengths,
    chain: (links, c) => {
      lengths.push(links.length)
      return Float64Array.of(links.reduce((d, { a, b }) => product(a[0]!, b[0]!, d), c[0]!))
    },
  }
}

const operands = fc.array(
  fc.tuple(fc.nat({ max: 999 }), fc.nat({ max: 999 }), fc.nat({ max: kinds.length - 1 }), fc.boolean()),
  { minLength: 1, maxLength: 3 * mostLinks },
)

prop([operands, fc.nat({ max: 999 })])('law 1: link after link, whatever is read between', (all, c) => {
  const { chain } = listening()
  let coming: Coming | null = null
  let sum = c
  for (const [a, b, kind, reads] of all) {
    const before = sum
    // most links are of one kind
    const types = kinds[kind < 4 ? 0 : kind]!
    coming = further(chain, { ...shape, types }, link(a, b), coming, () => Float64Array.of(before))
    sum = product(a, b, sum)
    if (reads) expect(coming.made()).toEqual(Float64Array.of(sum))
  }
  expect(coming?.made()).toEqual(Float64Array.of(sum))
})

test('law 2: a chain is made once, and in pieces of at most so many links', () => {
  const { chain, lengths } = listening()
  let coming: Coming | null = null
  for (let i = 0; i < 2 * mostLinks + 3; i++) {
    const before: Coming | null = coming
    coming = further(
      chain,
      { ...shape, types: f16 },
      link(i, i),
      before,
      () => before?.made() ?? Float64Array.of(0),
    )
  }
  coming?.made()
  coming?.made()
  expect(lengths).toEqual([mostLinks, mostLinks, 3])
})

test('two that go on from one sum are each their own', () => {
  const { chain } = listening()
  const none = (): never => {
    throw new Error('asked for what came before')
  }
  const of = { ...shape, types: f16 }
  const first = further(chain, of, link(2, 3), null, () => Float64Array.of(1))
  const [left, right] = [5, 7].map((a) => further(chain, of, link(a, 1), first, none))
  expect([first, left!, right!].map((x) => x.made()[0])).toEqual([9, 32, 34])
  expect(
    further(chain, { m: 3, n: 4, k: 1, types: f16 }, link(1, 1), null, () => Float64Array.of(0)).count,
  ).toBe(12)
})

test('a link of another type or shape begins anew', () => {
  const { chain, lengths } = listening()
  const others = [
    ...kinds.map((types) => ({ ...shape, types })),
    { m: 2, n: 1, k: 1, types: f16 },
    { m: 1, n: 2, k: 1, types: f16 },
    { m: 1, n: 1, k: 2, types: f16 },
  ]
  for (const one of others)
    for (const other of others) {
      const before = further(chain, one, link(1, 1), null, () => Float64Array.of(0))
      lengths.length = 0
      further(chain, other, link(1, 1), before, () => before.made()).made()
      // a copy of the same types goes on as well
      expect(lengths).toEqual(one === other ? [2] : [1, 1])
      lengths.length = 0
      further(chain, { ...other, types: { ...other.types } }, link(1, 1), before, () => before.made()).made()
      expect(lengths.at(-1)).toBe(one === other ? 2 : 1)
    }
})
