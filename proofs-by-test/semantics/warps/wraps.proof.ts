/**
 * What words lack that have wrapped round. Oracle: the same sums over whole numbers without a width, lane by lane.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import type { Silent } from '../../../src/semantics/warps/program.js'
import { rows, setLane, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import * as Silently from '../../../src/semantics/warps/silent.js'
import { follow, lackedBy } from '../../../src/semantics/warps/wraps.js'

const made = (): Rows => rows(64, 2, null, null, null, null, new Map(), null)

const done = (r: Rows, name: string, from: ReadonlyArray<number>, to: ReadonlyArray<number>): void => {
  const o: Silent = { _tag: 'scalar', name, from, to }
  follow(r, o, -1)
  Silently.scalar(r, name, scalarOperation(name)!, from, to, -1, true)
}

/** What a lane holds, and what it lacks, as one number. */
const meantAt = (r: Rows, low: number, high: number | null, lane: number): bigint =>
  (high === null
    ? BigInt(wordAt(r, low, lane))
    : (BigInt(wordAt(r, high, lane)) << 32n) | BigInt(wordAt(r, low, lane) >>> 0)) + lackedBy(r, low, lane)

const set = (r: Rows, row: number, words: ReadonlyArray<number>): void => {
  for (let lane = 0; lane < 32; lane++) setLane(r, row, lane, words[lane % words.length]!)
}

describe('law 1: sums and products', () => {
  const word = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: -9, max: 9 }))
  const step = fc.record({
    op: fc.constantFrom('add.s32', 'sub.s32', 'mul.lo.s32', 'mad.lo.s32', 'shl.b32', 'move', 'selp.b32'),
    a: fc.nat(5),
    b: fc.nat(5),
    c: fc.nat(5),
    to: fc.nat(5),
  })
  test('a chain of them, widened', () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 6, maxLength: 6 }),
        fc.array(step, { maxLength: 6 }),
        fc.boolean(),
        (words, steps, holds) => {
          const r = made()
          words.forEach((w, row) => set(r, row, [w, w, 3, w]))
          set(r, 6, [5])
          r.predicates[0] = holds ? -1 : 0
          r.unknownPredicates[0] = 0
          const whole = [0, 1, 2].map((lane) => [0, 1, 2, 3, 4, 5].map((row) => BigInt(wordAt(r, row, lane))))
          for (const { op, a, b, c, to } of steps) {
            if (op === 'move') {
              const o: Silent = { _tag: 'move', to: [to], from: [a] }
              follow(r, o, -1)
              Silently.move(r, o, -1, true)
            } else {
              const from =
                op === 'mad.lo.s32'
                  ? [a, b, c]
                  : op === 'shl.b32'
                    ? [a, 6]
                    : op === 'selp.b32'
                      ? [a, b, -1]
                      : [a, b]
              done(r, op, from, [to])
            }
            for (const lane of whole) {
              const [x, y, z] = [lane[a]!, lane[b]!, lane[c]!]
              lane[to] =
                op === 'add.s32'
                  ? x + y
                  : op === 'sub.s32'
                    ? x - y
                    : op === 'mul.lo.s32'
                      ? x * y
                      : op === 'mad.lo.s32'
                        ? x * y + z
                        : op === 'shl.b32'
                          ? x << 5n
                          : op === 'selp.b32' && !holds
                            ? y
                            : x
            }
          }
          for (let row = 0; row < 6; row++) {
            done(r, 'cvt.s64.s32', [row], [8, 9])
            done(r, 'mul.wide.s32', [row, 6], [10, 11])
            done(r, 'add.s64', [8, 9, 10, 11], [12, 13])
            done(r, 'shl.b64', [12, 13, 6], [14, 15])
            for (const lane of [0, 1, 2]) {
              expect(meantAt(r, row, null, lane)).toBe(whole[lane]![row])
              expect(meantAt(r, 8, 9, lane)).toBe(whole[lane]![row])
              expect(meantAt(r, 10, 11, lane)).toBe(5n * whole[lane]![row]!)
              expect(meantAt(r, 14, 15, lane)).toBe(192n * whole[lane]![row]!)
            }
          }
        },
      ),
    )
  })
})

describe('laws 2 and 3', () => {
  const wrappedOnce = (): Rows => {
    const r = made()
    set(r, 0, [2 ** 16])
    set(r, 1, [2 ** 16 + 1])
    done(r, 'mul.lo.s32', [0, 1], [2])
    expect(lackedBy(r, 2, 0)).toBe(2n ** 32n)
    return r
  }
  test.each(['and.b32', 'xor.b32', 'shr.u32', 'shr.s32', 'rem.s32', 'rem.u32', 'div.u32', 'mul.hi.u32'])(
    '%s ends it',
    (name) => {
      const r = wrappedOnce()
      set(r, 3, [1023])
      done(r, name, [2, 3], [4])
      expect([lackedBy(r, 4, 0), lackedBy(r, 4, 31)]).toEqual([0n, 0n])
      done(r, name, [2, 3], [2])
      expect(lackedBy(r, 2, 0)).toBe(0n)
    },
  )
  test('so do a narrowing, and a word that is given', () => {
    const r = wrappedOnce()
    done(r, 'cvt.s64.s32', [2], [4, 5])
    expect(lackedBy(r, 4, 0)).toBe(2n ** 32n)
    done(r, 'cvt.u32.u64', [4, 5], [6])
    expect(lackedBy(r, 6, 0)).toBe(0n)
    const given: Silent = { _tag: 'activeLanes', to: 2 }
    follow(r, given, -1)
    expect(lackedBy(r, 2, 0)).toBe(0n)
  })
  test('bits beside others are a sum, and bits over others are not', () => {
    const r = wrappedOnce()
    set(r, 3, [7])
    done(r, 'or.b32', [2, 3], [4])
    expect(lackedBy(r, 4, 0)).toBe(2n ** 32n)
    set(r, 3, [2 ** 16])
    done(r, 'or.b32', [2, 3], [4])
    expect(lackedBy(r, 4, 0)).toBe(0n)
  })
  test('an unsigned offset up to 2^32 lacks nothing when it is widened', () => {
    const r = made()
    set(r, 0, [1.5e9])
    set(r, 3, [4])
    done(r, 'add.s32', [0, 0], [1])
    done(r, 'cvt.u64.u32', [1], [4, 5])
    expect([lackedBy(r, 4, 0), meantAt(r, 4, 5, 0)]).toEqual([0n, 3_000_000_000n])
    done(r, 'mul.wide.u32', [1, 3], [4, 5])
    expect([lackedBy(r, 4, 0), meantAt(r, 4, 5, 0)]).toEqual([0n, 12_000_000_000n])
    // read as signed, it does
    done(r, 'mul.wide.s32', [1, 3], [4, 5])
    expect(meantAt(r, 4, 5, 0)).toBe(12_000_000_000n)
    expect(lackedBy(r, 4, 0)).not.toBe(0n)
  })
  test('a sum that comes back by itself lacks nothing', () => {
    const r = wrappedOnce()
    done(r, 'sub.s32', [2, 2], [4])
    expect(lackedBy(r, 4, 0)).toBe(0n)
  })
  test('lanes apart', () => {
    const r = made()
    set(r, 0, [2 ** 16, 1])
    done(r, 'mul.lo.s32', [0, 0], [1])
    expect([0, 1, 2, 3].map((lane) => lackedBy(r, 1, lane))).toEqual([2n ** 32n, 0n, 2n ** 32n, 0n])
    const o: Silent = { _tag: 'scalar', name: 'mul.lo.s32', from: [0, 0], to: [1] }
    follow(r, { _tag: 'activeLanes', to: 1 }, 1)
    follow(r, o, 0)
    expect([0, 2].map((lane) => lackedBy(r, 1, lane))).toEqual([0n, 2n ** 32n])
  })
})
