/** Rows against plain words: 32 of them a register, and of each whether something has been said. Law 2 is `silent.proof.ts`. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Rows from '../../../src/semantics/warps/rows.js'
import * as Shadows from '../../../src/semantics/warps/shadows.js'
import { nightly } from '../../extent.js'

const [registers, predicates] = [3, 2]
const lanes = Array.from({ length: 32 }, (_, lane) => lane)
const words = fc.array(fc.integer(), { minLength: 32, maxLength: 32 })
const runs = { numRuns: nightly ? 2000 : 40 }

type Write =
  | { readonly _tag: 'all'; readonly row: number; readonly word: number }
  | { readonly _tag: 'lane'; readonly row: number; readonly lane: number; readonly word: number }
  | { readonly _tag: 'lanes'; readonly row: number; readonly words: ReadonlyArray<number> }
  | { readonly _tag: 'spread'; readonly row: number }
  | { readonly _tag: 'forget'; readonly row: number; readonly mask: number }
  | {
      readonly _tag: 'predicate'
      readonly row: number
      readonly mask: number
      readonly holds: number
      readonly unknown: number
    }

const row = fc.nat(registers - 1)
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ _tag: fc.constant('all' as const), row, word: fc.integer() }),
  fc.record({ _tag: fc.constant('lane' as const), row, lane: fc.nat(31), word: fc.integer() }),
  fc.record({ _tag: fc.constant('lanes' as const), row, words }),
  fc.record({ _tag: fc.constant('spread' as const), row }),
  fc.record({ _tag: fc.constant('forget' as const), row, mask: fc.integer() }),
  fc.record({
    _tag: fc.constant('predicate' as const),
    row: fc.nat(predicates - 1),
    mask: fc.integer(),
    holds: fc.integer(),
    unknown: fc.integer(),
  }),
)

interface Plain {
  readonly words: number[][]
  readonly said: boolean[][]
  readonly holds: boolean[][]
  readonly open: boolean[][]
}
const plain = (): Plain => ({
  words: Array.from({ length: registers }, () => lanes.map(() => 0)),
  said: Array.from({ length: registers }, () => lanes.map(() => false)),
  holds: Array.from({ length: predicates }, () => lanes.map(() => false)),
  open: Array.from({ length: predicates }, () => lanes.map(() => true)),
})

const has = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1

const toPlain = (p: Plain, w: Write): void => {
  switch (w._tag) {
    case 'all':
      for (const lane of lanes) [p.words[w.row]![lane], p.said[w.row]![lane]] = [w.word, true]
      return
    case 'lane':
      ;[p.words[w.row]![w.lane], p.said[w.row]![w.lane]] = [w.word, true]
      return
    case 'lanes':
      for (const lane of lanes) [p.words[w.row]![lane], p.said[w.row]![lane]] = [w.words[lane]!, true]
      return
    case 'spread':
      return
    case 'forget':
      for (const lane of lanes) if (has(w.mask, lane)) p.said[w.row]![lane] = false
      return
    case 'predicate':
      for (const lane of lanes)
        if (has(w.mask, lane))
          [p.holds[w.row]![lane], p.open[w.row]![lane]] = [has(w.holds, lane), has(w.unknown, lane)]
  }
}

const toRows = (r: Rows.Rows, w: Write): void => {
  switch (w._tag) {
    case 'all':
      Rows.setAll(r, w.row, w.word)
      return
    case 'lane':
      Rows.setLane(r, w.row, w.lane, w.word)
      return
    case 'lanes':
      Rows.setLanes(r, w.row, [0, 0, 0, ...w.words], 3)
      return
    case 'spread':
      Rows.spread(r, w.row)
      return
    case 'forget':
      Rows.forget(r, w.row, w.mask)
      return
    case 'predicate':
      Rows.setPredicate(r, w.row, w.mask, w.holds, w.unknown)
  }
}

/** All that can be read of rows. */
const seen = (r: Rows.Rows): Plain => ({
  words: Array.from({ length: registers }, (_, at) => lanes.map((lane) => Rows.wordAt(r, at, lane))),
  said: Array.from({ length: registers }, (_, at) => lanes.map((lane) => !has(r.unknown[at]!, lane))),
  holds: Array.from({ length: predicates }, (_, p) => lanes.map((lane) => has(r.predicates[p]!, lane))),
  open: Array.from({ length: predicates }, (_, p) => lanes.map((lane) => has(r.unknownPredicates[p]!, lane))),
})

const fresh = (edit: { readonly run: symbol } | null): Rows.Rows =>
  Rows.rows(registers, predicates, null, null, Shadows.shadow(registers, predicates), null, null, edit)

describe('law 1: a lane has the word that was written to it last', () => {
  it('after any writes', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 20 }), (writes) => {
        const [r, p] = [fresh(null), plain()]
        for (const w of writes) {
          toRows(r, w)
          toPlain(p, w)
        }
        expect(seen(r)).toEqual(p)
      }),
      runs,
    )
  })

  it('one word for the lanes of a mask, if they have one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1), { minLength: 32, maxLength: 32 }),
        fc.integer().filter((m) => m !== 0),
        (held, mask) => {
          const r = fresh(null)
          held.forEach((word, lane) => {
            Rows.setLane(r, 0, lane, word)
          })
          const those = new Set(lanes.filter((lane) => has(mask, lane)).map((lane) => held[lane]!))
          expect(Rows.commonWord(r, 0, mask)).toBe(those.size === 1 ? [...those][0] : null)
        },
      ),
      runs,
    )
  })
})

describe('law 3: a copy and its original do not see the writes of each other', () => {
  it('whoever writes; and the run that owns rows writes them in place', () => {
    fc.assert(
      fc.property(
        fc.array(write, { maxLength: 8 }),
        fc.array(write, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (before, writes, toCopy) => {
          const own = { run: Symbol('own') }
          const r = fresh(own)
          for (const w of before) toRows(r, w)
          expect(Rows.owned(r, own)).toBe(r)
          const kept = seen(r)
          for (const edit of [null, { run: Symbol('another') }]) {
            const copy = Rows.owned(r, edit)
            expect(seen(copy)).toEqual(kept)
            const [written, other] = toCopy ? [copy, r] : [r, copy]
            const untouched = seen(other)
            for (const w of writes) toRows(written, w)
            Shadows.came(written, 0, 3, 15 + 16 * 7, 32, false)
            expect(seen(other)).toEqual(untouched)
            expect([...other.shadow!.lanes, Shadows.dependsOn(other, [0], -1)]).toEqual([0, 0, 0, 0])
            if (!toCopy) return
          }
        },
      ),
      runs,
    )
  })
})
