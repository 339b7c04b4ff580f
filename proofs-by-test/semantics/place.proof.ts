import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { extentOf, lengthOf, place, smemLimitBytes, tmemColumnsOf } from '../../src/semantics/place.js'
import type { Program, Storage } from '../../src/semantics/program.js'
import { ofStrides, ofTransforms } from '../../src/transforms/ref.js'
import { right, ring } from './samples.js'

/** A program that is only its storages. */
const holding = (storage: ReadonlyArray<Storage>): Program => {
  const { schema, name, arch, params, launch } = ring()
  return { schema, name, arch, params, launch, storage, entry: { params: [], body: [], yields: [] } }
}
const buffer = (
  id: string,
  bytes: number,
  align: number,
  alias?: Storage['alias'],
  space: 'smem' | 'tmem' = 'smem',
): Storage => {
  const layout =
    space === 'smem' ? right(ofTransforms([bytes], 8, [])) : right(ofStrides([128, bytes], 8, [2048, 1]))
  const base = {
    id,
    space,
    owner: 'cta' as const,
    contents: { _tag: 'elements' as const, dtype: 'u8' as const, layout },
    bits: bytes * 8,
    align,
  }
  return alias === undefined ? base : { ...base, alias }
}

const storages = fc
  .array(
    fc.record({
      bytes: fc.integer({ min: 1, max: 5000 }),
      align: fc.constantFrom(1, 8, 16, 128, 1024),
      union: fc.constantFrom(null, null, 'u', 'v'),
      member: fc.integer({ min: 0, max: 2 }),
      space: fc.constantFrom('smem' as const, 'smem' as const, 'tmem' as const),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ bytes, align, union, member, space }, k) =>
      buffer(
        `s${String(k)}`,
        space === 'tmem' ? (bytes % 100) + 1 : bytes,
        space === 'tmem' ? 4 : align,
        union === null ? undefined : { union, member },
        space,
      ),
    ),
  )

describe('place', () => {
  test('by hand: declaration order, alignment, a union as long as its longest member', () => {
    const placed = right(
      place(
        holding([
          buffer('a', 4096, 1024),
          buffer('full', 8, 8),
          buffer('q', 3000, 128, { union: 'u', member: 0 }),
          buffer('k', 1000, 128, { union: 'u', member: 1 }),
          buffer('v', 1000, 128, { union: 'u', member: 1 }),
          buffer('last', 8, 8),
        ]),
      ),
    )
    // q at 4224 is 3000 long; k and v together take 1024 + 1000, so the union ends at 7224.
    expect(placed.storage.map(({ id, offset }) => [id, offset])).toEqual([
      ['a', 0],
      ['full', 4096],
      ['q', 4224],
      ['k', 4224],
      ['v', 5248],
      ['last', 7224],
    ])
  })

  test('tensor memory: columns of 4 bytes in 128 lanes', () => {
    expect(tmemColumnsOf(right(ofStrides([128, 64], 32, [512, 1])))).toBe(64)
    expect(tmemColumnsOf(right(ofStrides([128, 64], 16, [1024, 1])))).toBe(32)
    expect(tmemColumnsOf(right(ofStrides([128, 64], 16, [1024, 2])))).toBe(64)
    expect(tmemColumnsOf(right(ofStrides([2, 128, 64], 32, [64, 512, 1])))).toBe(128)
    expect(tmemColumnsOf(right(ofStrides([64, 10], 8, [2048, 1])))).toBe(3)
  })

  test('laws 1, 2, 3: idempotent, aligned, disjoint but for members of one union (random storages)', () => {
    let unions = 0
    fc.assert(
      fc.property(storages, (all) => {
        const placed = right(place(holding(all)))
        expect(right(place(placed))).toEqual(placed)
        for (const one of placed.storage) {
          expect(one.offset! % one.align).toBe(0)
          // The bytes as a set, not as an interval: the oracle of disjointness.
          const mine = extentOf(one)
          expect(mine.end - mine.start).toBe(lengthOf(one))
          for (const other of placed.storage) {
            if (other === one || other.space !== one.space) continue
            const theirs = extentOf(other)
            const together = one.alias !== undefined && one.alias.union === other.alias?.union
            const mayOverlap = together && one.alias?.member !== other.alias?.member
            const bytes = new Set(Array.from({ length: mine.end - mine.start }, (_, k) => mine.start + k))
            const shared = Array.from({ length: theirs.end - theirs.start }, (_, k) => theirs.start + k).some(
              (byte) => bytes.has(byte),
            )
            if (shared) unions++
            expect(shared && !mayOverlap).toBe(false)
          }
        }
      }),
      { numRuns: 60 },
    )
    expect(unions).toBeGreaterThan(10)
  })

  test('law 4: one byte too much is A1, one column too much T3', () => {
    const code = (storage: ReadonlyArray<Storage>): string => {
      const result = place(holding(storage))
      return E.isLeft(result) ? result.left.code : 'ok'
    }
    expect(code([buffer('a', smemLimitBytes, 8)])).toBe('ok')
    expect(code([buffer('a', smemLimitBytes, 8), buffer('b', 1, 8)])).toBe('A1')
    const columns = (n: number): Storage => buffer('t', 4 * n, 4, undefined, 'tmem')
    expect(code([columns(512)])).toBe('ok')
    expect(code([columns(512), { ...columns(1), id: 'u' }])).toBe('T3')
  })

  test('given offsets stay', () => {
    const placed = right(place(holding([{ ...buffer('a', 64, 8), offset: 512 }, buffer('b', 8, 8)])))
    expect(placed.storage.map(({ offset }) => offset)).toEqual([512, 576])
  })
})
