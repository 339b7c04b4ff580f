/** Footprints by hand, the cache against stack distances, and what an order costs. */
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { footprints, panelsOf } from '../../../src/kernels/traffic/footprint.js'
import { lru, type Request } from '../../../src/kernels/traffic/lru.js'
import {
  operandBytes,
  panelBytes,
  requestsOf,
  visit,
  type Tiling,
} from '../../../src/kernels/traffic/study.js'
import {
  bands,
  columns,
  rows,
  snake,
  visitingOrder,
  wavesOf,
  type Order,
  type TilePlace,
} from '../../../src/kernels/traffic/visiting-order.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const sum = (xs: ReadonlyArray<number>): number => xs.reduce((a, b) => a + b, 0)

// ---------------------------------------------------------------- footprints

describe('footprints', () => {
  it('the tutorial: 16 blocks of a row read 17 panels, 16 in a square of width 4 read 8, less than half', () => {
    const study: Tiling = { grid: [16, 16], clusters: 16, steps: 1, block: { a: 1, b: 1 } }
    const first = (order: Order) => right(visit(study, [], order)).waves[0]!
    expect(first(rows)).toMatchObject({ rows: [0], bytes: 17, asked: 32 })
    expect(first(columns)).toMatchObject({ columns: [0], bytes: 17, asked: 32 })
    for (const order of [snake(0, 4), snake(1, 4), bands(0, 4)])
      expect(first(order)).toMatchObject({
        rows: [0, 1, 2, 3],
        columns: [0, 1, 2, 3],
        bytes: 8,
        asked: 32,
      })
    // and so in every wave, as often as they are read
    const all = (order: Order) => right(visit(study, [], order)).waves.map(panelsOf)
    expect(new Set(all(rows))).toEqual(new Set([17]))
    expect(new Set(all(snake(0, 4)))).toEqual(new Set([8]))
  })
  it('4 x 4 tiles and 4 clusters, by hand: panels of 3 and 5 bytes', () => {
    const study: Tiling = { grid: [4, 4], clusters: 4, steps: 1, block: { a: 3, b: 5 } }
    const table = (order: Order) =>
      right(visit(study, [], order)).waves.map((w) => [w.rows.join(''), w.columns.join(''), w.bytes, w.kept])
    expect(table(rows)).toEqual([
      ['0', '0123', 23, 0],
      ['1', '0123', 23, 20],
      ['2', '0123', 23, 20],
      ['3', '0123', 23, 20],
    ])
    expect(table(columns)).toEqual([
      ['0123', '0', 17, 0],
      ['0123', '1', 17, 12],
      ['0123', '2', 17, 12],
      ['0123', '3', 17, 12],
    ])
    // turning round keeps the columns 2 and 3 between wave 1 and wave 2
    expect(table(snake(0, 2))).toEqual([
      ['01', '01', 16, 0],
      ['01', '23', 16, 6],
      ['23', '23', 16, 10],
      ['23', '01', 16, 6],
    ])
    expect(table(bands(0, 2))).toEqual([
      ['01', '01', 16, 0],
      ['01', '23', 16, 6],
      ['23', '01', 16, 0],
      ['23', '23', 16, 6],
    ])
    expect(table(snake(1, 2))).toEqual([
      ['01', '01', 16, 0],
      ['23', '01', 16, 10],
      ['23', '23', 16, 6],
      ['01', '23', 16, 10],
    ])
  })
  it('laws 1 to 3, for any tiles', () => {
    const place = fc.tuple(fc.nat(5), fc.nat(5))
    const wave = fc.uniqueArray(place, { maxLength: 12, selector: String })
    fc.assert(
      fc.property(fc.array(wave, { maxLength: 4 }), fc.nat(9), fc.nat(9), (waves, a, b) => {
        const found = footprints({ a, b }, waves)
        expect(found.map((f) => f.tiles)).toEqual(waves)
        found.forEach((f, w) => {
          const [R, C, T] = [f.rows.length, f.columns.length, f.tiles.length]
          expect(T <= R * C && R <= T && C <= T).toBe(true)
          expect(panelsOf(f)).toBe(R + C)
          // another definition: every panel of the whole grid, asked whether some tile of the wave needs it
          const needs = (k: 0 | 1, panel: number, tiles: ReadonlyArray<TilePlace> = []) =>
            tiles.some((t) => t[k] === panel)
          const panels = [0, 1, 2, 3, 4, 5]
          const bytes = (wanted: (k: 0 | 1, panel: number) => boolean): number =>
            sum(panels.map((p) => (wanted(0, p) ? a : 0) + (wanted(1, p) ? b : 0)))
          expect(f.bytes).toBe(bytes((k, p) => needs(k, p, waves[w])))
          expect(f.kept).toBe(bytes((k, p) => needs(k, p, waves[w]) && needs(k, p, waves[w - 1])))
          expect(f.asked).toBe(T * (a + b))
        })
      }),
    )
  })
})

// ---------------------------------------------------------------- the cache

/** Law 1 as it stands, and nothing else: by distances, without a cache. */
const byDistance = (capacity: number, requests: ReadonlyArray<Request>): ReadonlyArray<boolean> =>
  requests.map(({ block }, i) => {
    const before = requests.slice(0, i).map((r) => r.block)
    const last = before.lastIndexOf(block)
    if (last < 0) return false
    const since = new Map(requests.slice(last, i).map((r) => [r.block, r.bytes]))
    return sum([...since.values()]) <= capacity
  })

const sizes = [1, 2, 3, 1, 7]
const requests = fc.array(
  fc.nat(4).map((block): Request => ({ block, bytes: sizes[block]! })),
  { maxLength: 40 },
)

describe('lru', () => {
  it('the table of the essay', () => {
    const [x, y, z, w] = [0, 1, 2, 3].map((block): Request => ({ block, bytes: 1 }))
    expect(lru(3, [x!, y!, z!, x!, w!, y!])).toEqual({ hits: 1, misses: 5, hitBytes: 1, missBytes: 5 })
  })
  it('law 1: hits are those whose distance fits', () => {
    fc.assert(
      fc.property(requests, fc.nat(16), (asked, capacity) => {
        const hits = byDistance(capacity, asked)
        const bytes = (hit: boolean): number => sum(asked.map((r, i) => (hits[i] === hit ? r.bytes : 0)))
        expect(lru(capacity, asked)).toEqual({
          hits: hits.filter((h) => h).length,
          misses: hits.filter((h) => !h).length,
          hitBytes: bytes(true),
          missBytes: bytes(false),
        })
      }),
      { numRuns: nightly ? 400 : 80 },
    )
  })
  it('laws 2 and 3: more room, no more misses; room for all, each block once', () => {
    fc.assert(
      fc.property(requests, fc.nat(14), (asked, capacity) => {
        expect(lru(capacity + 1, asked).misses).toBeLessThanOrEqual(lru(capacity, asked).misses)
        expect(lru(14, asked).misses).toBe(new Set(asked.map((r) => r.block)).size)
      }),
    )
  })
})

// ---------------------------------------------------------------- orders and caches

const orders: ReadonlyArray<Order> = [rows, columns, bands(0, 2), snake(0, 2), snake(1, 3)]

describe('the study', () => {
  it('the table of the essay: a cache of 4 blocks', () => {
    const study: Tiling = { grid: [4, 4], clusters: 4, steps: 1, block: { a: 1, b: 1 } }
    const misses = (order: Order) => right(visit(study, [4], order)).traffic[0]!.missBytes
    expect([rows, bands(0, 2), snake(0, 2)].map(misses)).toEqual([20, 12, 11])
  })
  it('requests, by hand: step by step, in it cluster by cluster, the row and then the column', () => {
    const study: Tiling = { grid: [2, 2], clusters: 2, steps: 2, block: { a: 3, b: 5 } }
    const waves = right(wavesOf(2)(right(visitingOrder([2, 2], columns))))
    // a is blocks 0 to 3, b is 4 to 7: two of each panel
    expect([...requestsOf(study, waves)].map((r) => r.block)).toEqual([
      ...[0, 4, 2, 4, 1, 5, 3, 5],
      ...[0, 6, 2, 6, 1, 7, 3, 7],
    ])
    expect([...requestsOf(study, waves)].every((r) => r.bytes === (r.block < 4 ? 3 : 5))).toBe(true)
    expect(panelBytes(study)).toEqual({ a: 6, b: 10 })
    expect(operandBytes(study)).toBe(2 * 6 + 2 * 10)
  })
  it('laws 1 to 4', () => {
    const study = fc.record({
      grid: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
      clusters: fc.integer({ min: 1, max: 7 }),
      steps: fc.integer({ min: 1, max: 3 }),
      block: fc.record({ a: fc.integer({ min: 1, max: 4 }), b: fc.integer({ min: 1, max: 4 }) }),
    })
    fc.assert(
      fc.property(study, fc.constantFrom(...orders), fc.nat(60), (t, order, cache) => {
        const { waves, traffic } = right(visit(t, [cache, 0], order))
        const asked = sum(waves.map((w) => w.asked))
        const [some, none] = traffic
        expect(some!.missBytes).toBeGreaterThanOrEqual(operandBytes(t))
        expect(some!.missBytes + some!.hitBytes).toBe(asked)
        expect(none!.missBytes).toBe(asked)
        const oneStep = Math.max(...waves.map((w) => w.bytes / t.steps))
        if (cache >= oneStep) expect(some!.missBytes).toBeLessThanOrEqual(sum(waves.map((w) => w.bytes)))
        const twoWaves = Math.max(...waves.map((w, k) => w.bytes + (waves[k - 1]?.bytes ?? 0) - w.kept))
        expect(right(visit(t, [twoWaves], order)).traffic[0]!.missBytes).toBeLessThanOrEqual(
          sum(waves.map((w) => w.bytes - w.kept)),
        )
      }),
      { numRuns: nightly ? 200 : 40 },
    )
  })
  it('what is not positive is refused', () => {
    const study: Tiling = { grid: [2, 2], clusters: 2, steps: 2, block: { a: 3, b: 5 } }
    const message = (t: Tiling): unknown => {
      const made = visit(t, [1], rows)
      return E.isLeft(made) ? made.left.message : 'accepted'
    }
    expect(message({ ...study, steps: 0 })).toBe('steps is 0, expected a positive integer')
    expect(message({ ...study, block: { a: 0, b: 5 } })).toBe(
      'a block of a is 0, expected a positive integer',
    )
    expect(message({ ...study, block: { a: 3, b: 1.5 } })).toBe(
      'a block of b is 1.5, expected a positive integer',
    )
    expect(message({ ...study, clusters: 0 })).toContain('clusters is 0')
    expect(message({ ...study, grid: [0, 2] })).toContain('dimension 0 of the shape is 0')
  })
})
