/** Where storages lie: by hand, and the laws on random ones against sets of bytes; how long each is; what does not fit. */
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  checkLimits,
  extentOf,
  lengthOf,
  place,
  smemLimitBytes,
  tmemColumnsOf,
  usedOf,
} from '../../../src/semantics/language/place.js'
import type { Program, Storage } from '../../../src/semantics/language/program.js'
import { ofStrides, ofTransforms } from '../../../src/transforms/ref.js'
import { ring } from '../samples.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

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
      { numRuns: nightly ? 60 : 25 },
    )
    expect(unions).toBeGreaterThan(nightly ? 10 : 2)
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

describe('lengths and extents', () => {
  const barriers = (shape: ReadonlyArray<number>, offset?: number): Storage => ({
    id: 'b',
    space: 'smem',
    owner: 'cta',
    contents: { _tag: 'barriers', contract: 'ptx', ordersTensorCore: false, shape },
    bits: 64,
    align: 8,
    ...(offset === undefined ? {} : { offset }),
  })
  const columns = (n: number, offset?: number): Storage => ({
    ...buffer('t', 4 * n, 4, undefined, 'tmem'),
    ...(offset === undefined ? {} : { offset }),
  })
  test('barriers are eight bytes each', () => {
    expect([[], [1], [3], [2, 5]].map((shape) => lengthOf(barriers(shape)))).toEqual([8, 8, 24, 80])
  })
  test('elements are as long as they reach, from the first byte of their layout', () => {
    expect(lengthOf(buffer('a', 100, 8))).toBe(100)
    const { contents } = buffer('a', 100, 8)
    if (contents._tag !== 'elements') throw new Error('elements')
    const layout = { ...contents.layout, byteOffset: 24 }
    expect(lengthOf({ ...buffer('a', 100, 8), contents: { ...contents, layout } })).toBe(124)
  })
  test('columns: what lies in one lane counts, whole columns, wherever it begins', () => {
    const at = (byteOffset: number, bytes: number): number =>
      tmemColumnsOf({ ...right(ofStrides([128, bytes], 8, [2048, 1])), byteOffset })
    expect([at(0, 4), at(0, 5), at(4, 4), at(3, 1), at(3, 2)]).toEqual([1, 2, 2, 1, 2])
    // the next lane is no further column
    expect([at(2048, 4), at(2048 + 8, 4)]).toEqual([1, 3])
    // rows of lanes beside a row of columns: 16 lanes of two blocks
    expect(tmemColumnsOf(right(ofStrides([2, 16, 8], 32, [16 * 512, 512, 1])))).toBe(8)
    expect(lengthOf(columns(32))).toBe(128)
  })
  test('an extent in tensor memory is one of a lane', () => {
    expect(extentOf(columns(32, 128))).toEqual({ start: 128, end: 256 })
    expect(extentOf(columns(32, 16 * 2048 + 128))).toEqual({ start: 128, end: 256 })
    expect(extentOf({ ...buffer('a', 10, 8), offset: 4096 })).toEqual({ start: 4096, end: 4106 })
    expect(extentOf(barriers([2]))).toEqual({ start: 0, end: 16 })
  })
  test('what is used ends where the last one does, in its own space', () => {
    const all = [
      { ...buffer('a', 10, 8), offset: 100 },
      { ...buffer('b', 30, 8), offset: 0 },
      columns(32, 256),
    ]
    expect([usedOf(all, 'smem'), usedOf(all, 'tmem'), usedOf([], 'smem')]).toEqual([110, 384, 0])
    expect(usedOf([columns(32, 256)], 'smem')).toBe(0)
  })
})

describe('unions', () => {
  const offsets = (
    ...storage: ReadonlyArray<Storage>
  ): ReadonlyArray<readonly [string, number | undefined]> =>
    right(place(holding(storage))).storage.map(({ id, offset }) => [id, offset])
  const u = (member: number, union = 'u'): Storage['alias'] => ({ union, member })
  test('stand at the greatest alignment of their members, where the first of them is declared', () => {
    expect(
      offsets(buffer('a', 10, 8), buffer('p', 8, 8, u(0)), buffer('q', 8, 1024, u(1)), buffer('z', 8, 8)),
    ).toEqual([
      ['a', 0],
      ['p', 1024],
      ['q', 1024],
      ['z', 1032],
    ])
  })
  test('members keep their own alignment behind each other; two unions are apart', () => {
    expect(
      offsets(
        buffer('p', 10, 8, u(0)),
        buffer('x', 5, 8, u(0, 'v')),
        buffer('q', 8, 64, u(0)),
        buffer('r', 100, 8, u(1)),
      ),
    ).toEqual([
      ['p', 0],
      // q of the same member is at 64 and ends at 72, r of another at 100
      ['x', 104],
      ['q', 64],
      ['r', 0],
    ])
  })
  test('a member that has its place keeps it, and the others are laid behind it', () => {
    expect(
      offsets({ ...buffer('p', 16, 8, u(0)), offset: 8 }, buffer('q', 8, 8, u(1)), buffer('r', 4, 8)),
    ).toEqual([
      ['p', 8],
      ['q', 24],
      ['r', 32],
    ])
  })
  test('of shared and of tensor memory are two, and registers and tensors lie at 0', () => {
    const regs: Storage = { ...buffer('acc', 64, 16), space: 'regs', owner: { agent: 'w' } }
    const made = right(
      place(
        holding([
          buffer('a', 24, 8),
          regs,
          buffer('t', 16, 4, u(0), 'tmem'),
          buffer('s', 16, 8, u(0)),
          buffer('w', 32, 4, u(1), 'tmem'),
          { ...regs, id: 'other' },
        ]),
      ),
    )
    expect(made.storage.map(({ id, offset }) => [id, offset])).toEqual([
      ['a', 0],
      ['acc', 0],
      ['t', 0],
      ['s', 24],
      ['w', 0],
      ['other', 0],
    ])
    // and all else of a storage is as it was
    expect(made.storage[2]).toMatchObject({ space: 'tmem', owner: 'cta', align: 4, alias: u(0) })
    expect('alias' in made.storage[0]!).toBe(false)
  })
})

describe('what does not fit', () => {
  const said = (storage: ReadonlyArray<Storage>): string => {
    const result = place({ ...holding(storage), name: 'p' })
    return E.isLeft(result) ? `${result.left.code}: ${result.left.message}` : 'ok'
  }
  const columns = (id: string, n: number): Storage => buffer(id, 4 * n, 4, undefined, 'tmem')
  test('says how much there is, and how much is taken', () => {
    expect(said([buffer('a', 232448, 8)])).toBe('ok')
    expect(said([buffer('a', 232440, 8), buffer('b', 9, 8)])).toBe(
      'A1: p: a CTA has 232448 bytes of shared memory, the storages take 232449',
    )
    expect(said([columns('t', 500), columns('u', 13)])).toBe(
      'T3: p: a CTA has 512 columns of tensor memory, the storages take 513',
    )
    expect(said([columns('t', 500), columns('u', 12)])).toBe('ok')
    // one that is far too many would begin in the next lane
    expect(said([columns('t', 512), columns('u', 512), columns('v', 1)])).toMatch(/^T3: .* take 1025$/)
    // so would one whose place is given
    expect(said([{ ...columns('t', 32), offset: 4 * 500 }])).toBe(
      'T3: p: a CTA has 512 columns of tensor memory, the storages take 532',
    )
    expect(said([{ ...buffer('a', 8, 8), offset: 232441 }])).toMatch(/^A1: .* take 232449$/)
  })
  test('limits are asked of what lies there', () => {
    expect(E.isRight(checkLimits('p', [{ ...columns('t', 32), offset: 4 * 480 }]))).toBe(true)
    expect(E.isRight(checkLimits('p', [{ ...columns('t', 32), offset: 4 * 481 }]))).toBe(false)
  })
  test('what the program computes stays', () => {
    const computes = { _tag: 'copy', from: 'a', out: 'b' } as const
    expect(right(place({ ...holding([]), computes })).computes).toEqual(computes)
    expect('computes' in right(place(holding([])))).toBe(false)
  })
})
