/**
 * The tensor queue: what is pipelined behind what.
 *
 * Oracles: the table of the ISA, written down here, and its transitive closure by search.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assumed,
  follows,
  inOrder,
  listed as entryAt,
  tensorQueue,
  type Place,
} from '../../../../src/semantics/judging/detector/queue.js'
import { pipelined, type Queued } from '../../../../src/semantics/instructions/tcgen05-queue.js'
import type {
  Prepared,
  Tcgen05CopyInFlight,
  Tcgen05InFlight,
} from '../../../../src/semantics/machine/operation.js'
import type { TensorEntry } from '../../../../src/semantics/log/events.js'
import { nightly } from '../../../extent.js'

/** Products of two accumulators, both kinds of copies, a shift: does the row come before the column? */
const kinds = ['m', 'n', 'cp', 'cp4', 'shift', 'commit'] as const
type Kind = (typeof kinds)[number]
const table: Readonly<Record<Exclude<Kind, 'commit'>, string>> = {
  //      m n cp cp4 shift commit
  m: '    1 0 0  0   1     1',
  n: '    0 1 0  0   1     1',
  cp: '   1 1 0  0   0     1',
  cp4: '  1 1 0  0   0     1',
  shift: '1 1 0  1   0     1',
}
const listed = (first: Kind, then: Kind): boolean =>
  first === 'commit' ? then === 'commit' : table[first].trim().split(/\s+/)[kinds.indexOf(then)] === '1'

const entryOf = (k: Kind): TensorEntry => (k === 'm' || k === 'n' ? 'mma' : k === 'cp4' ? 'cp.4x256b' : k)

// ---------------------------------------------------------------- the machine

const issued = { id: 0, agent: 0, at: 1, stamp: { agent: 0, at: 1, site: 0, iteration: [] } }
const product = (pipe: number): Tcgen05InFlight => {
  const mma: Extract<Prepared, { readonly _tag: 'tcgen05.mma' }> = {
    _tag: 'tcgen05.mma',
    shares: [],
    b: [],
    types: { a: 'f16', b: 'f16', acc: 'f32' },
    scaling: null,
    m: 128,
    n: 8,
    k: 16,
    accumulates: false,
    ctaGroup: 1,
    pipe,
    completions: [],
  }
  return { _tag: 'tcgen05', ...issued, mma }
}
const copy = (entry: 'cp' | 'cp.4x256b' | 'shift'): Tcgen05CopyInFlight => ({
  _tag: 'tcgen05Copy',
  ...issued,
  copy: { _tag: 'tcgen05.copy', entry, moves: [], bytes: 0, ctaGroup: 1 },
  bytes: 0,
})
const inFlight: Readonly<Record<Kind, Queued>> = {
  m: product(1),
  n: product(2),
  cp: copy('cp'),
  cp4: copy('cp.4x256b'),
  shift: copy('shift'),
  commit: { _tag: 'tcgen05Commit', ...issued, alone: true, part: 0, barriers: [] },
}

describe('the machine', () => {
  test.each(kinds.flatMap((first) => kinds.map((then) => [first, then] as const)))(
    'tcgen05-queue.ts law 2: %s, then %s',
    (first, then) => {
      expect(pipelined(inFlight[first], inFlight[then])).toBe(listed(first, then))
    },
  )
})

// ---------------------------------------------------------------- the detector

const placesOf = (queue: ReadonlyArray<Kind>): ReadonlyArray<Place> => {
  const q = tensorQueue()
  return queue.map((k, i) => entryAt(q, 1, i + 1, entryOf(k), k === 'n' ? 2 : 1, false))
}
const isProduct = (k: Kind): boolean => k === 'm' || k === 'n'
/** Is there a chain from i to j of listed pairs, or of products in their order? */
const chained = (queue: ReadonlyArray<Kind>, i: number, j: number, products = false): boolean => {
  const reached = new Set([i])
  for (let x = i + 1; x <= j; x++)
    if (
      [...reached].some(
        (y) => listed(queue[y]!, queue[x]!) || (products && isProduct(queue[y]!) && isProduct(queue[x]!)),
      )
    )
      reached.add(x)
  return reached.has(j)
}

describe('the detector', () => {
  const entries = kinds.filter((k) => k !== 'commit')
  test('law 1: `follows` is the transitive closure of the table', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...entries), { minLength: 2, maxLength: 9 }), (queue) => {
        const places = placesOf(queue)
        for (let j = 1; j < queue.length; j++)
          for (let i = 0; i < j; i++)
            expect([
              queue,
              i,
              j,
              follows(places[i]!, places[j]!),
              follows(places[i]!, places[j]!) || assumed(places[i]!, places[j]!),
            ]).toEqual([queue, i, j, chained(queue, i, j), chained(queue, i, j, true)])
      }),
      { numRuns: nightly ? 400 : 80, seed: 11 },
    )
  })
  test('law 2: of two entries of one lane, whoever follows the later follows the earlier', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...entries), { minLength: 3, maxLength: 9 }), (queue) => {
        const places = placesOf(queue)
        for (let l = 2; l < queue.length; l++)
          for (let j = 1; j < l; j++)
            for (let i = 0; i < j; i++)
              if (queue[i] === queue[j] && follows(places[j]!, places[l]!))
                expect(follows(places[i]!, places[l]!)).toBe(true)
      }),
      { numRuns: nightly ? 200 : 40, seed: 12 },
    )
  })
  test('what is assumed is not listed, and nothing goes back or to another queue', () => {
    const [m, n] = placesOf(['m', 'n'])
    const away = inOrder(3, 9, 'mma', false)
    expect([assumed(m!, n!), assumed(n!, m!), assumed(m!, m!), assumed(m!, away)]).toEqual([
      true,
      false,
      false,
      false,
    ])
    const [first, second] = placesOf(['m', 'm'])
    expect(assumed(first!, second!)).toBe(false)
  })
  test('wgmma: every entry follows all before it, and nothing of another unit', () => {
    const places = entries.map((k, i) => inOrder(1, i + 1, entryOf(k), false))
    const elsewhere = inOrder(3, 9, 'mma', false)
    for (let j = 0; j < places.length; j++) {
      for (let i = 0; i < places.length; i++) expect(follows(places[i]!, places[j]!)).toBe(i < j)
      expect(follows(places[j]!, elsewhere)).toBe(false)
    }
  })
})
