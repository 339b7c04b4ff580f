/**
 * queue: out = x for all inputs, in both ways of producing, and what each rule of the page forbids.
 */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { without } from '../../src/kernels/broken/index.js'
import { queue, type Queue } from '../../src/kernels/hopper/queue.js'
import { field, real64 } from '../../src/numerics/index.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import type { Program } from '../../src/semantics/language/program.js'
import { checked as judged } from '../dialects/pallas/programs.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'
import { otherNotes } from '../unfenced-reads.js'

/** Contract notes stay notes. */
const checked: typeof judged = (p, o, ...data) => judged(p, { strict: false, ...o }, ...data)
const base: Queue = { dtype: 'f16', m: 28, n: 16, rows: 4, buffering: 3, produce: 'stores', drain: false }
const built = (c: Partial<Queue>): Program => right(queue({ ...base, ...c }))
const ways = ['stores', 'copies'] as const

describe('a copy for all inputs', () => {
  test('both ways, 1 to 4 slots, 1 to 9 items, drained or not: proved, decided by one schedule, nothing found', () => {
    for (const produce of ways)
      for (const buffering of [1, 2, 3, 4])
        for (let items = 1; items <= 9; items++)
          for (const drain of [false, true]) {
            // by day a sixth of them
            if (!nightly && (items + buffering + 3 * Number(drain) + Number(produce === ways[0])) % 6 !== 2)
              continue
            const { verdict } = checked(built({ produce, buffering, m: 4 * items, drain }))
            expect([
              produce,
              buffering,
              items,
              drain,
              verdict.verdict,
              verdict.decidedBy,
              verdict.findings,
            ]).toEqual([produce, buffering, items, drain, 'ok', 'one-schedule', []])
            expect(verdict.provenance?.proved).toBe(true)
            // one left-over completion a slot that was ever used, if nobody drains
            expect(otherNotes(verdict.notes).map((f) => f.id)).toEqual(
              drain ? [] : Array.from({ length: Math.min(items, buffering) }, () => 'U1'),
            )
          }
  })
  test('the numbers too: real64 and a field', () => {
    for (const produce of ways)
      for (const algebra of [real64, field(5)]) {
        const x = Float64Array.from({ length: 28 * 16 }, (_, i) => (i * 37) % 101)
        const { world, machine } = checked(built({ produce }), {}, algebra, new Map([['x', x]]))
        expect(readTensor(world, machine, 'out')).toEqual(x)
      }
  })
  test('many schedules: one digest', () => {
    for (const produce of ways) {
      const p = built({ produce, buffering: 2, m: 20 })
      const seen = Array.from({ length: nightly ? 100 : 20 }, (_, i) => {
        const { verdict } = checked(p, { policy: Policy.seeded(i + 1) })
        return `${verdict.verdict} ${verdict.decidedBy} ${verdict.digest.order}`
      })
      expect(new Set(seen).size).toBe(1)
    }
  })
})

describe('the rules of the page', () => {
  test('as many completions as waits: the printed queue breaks it, draining mends it', () => {
    for (const produce of ways) {
      const printed = checked(built({ produce }), { strict: true }).verdict
      expect([printed.verdict, printed.findings.map((f) => f.id)]).toEqual(['hazard', ['U1', 'U1', 'U1']])
      const drained = checked(built({ produce, drain: true }), { strict: true }).verdict
      expect([drained.verdict, drained.findings, otherNotes(drained.notes)]).toEqual(['ok', [], []])
    }
  })
  test('a proxy fence between reading a slot and the copy that refills it: noted, and a finding under strict proxies', () => {
    const verdictOf = (produce: Queue['produce']): ReadonlyArray<string> =>
      checked(built({ produce, drain: true }), { strictProxies: true }).verdict.findings.map(
        (f) => `${f.id} ${f.a.site} / ${f.b?.site ?? ''}: ${f.missing?.kind ?? ''}`,
      )
    expect(verdictOf('stores')).toEqual([])
    expect(verdictOf('copies')).toEqual(['P3 value / copy item: fence'])
    const unasked = ways.map((produce) =>
      checked(built({ produce, drain: true })).verdict.notes.map((f) => f.id),
    )
    expect(unasked).toEqual(ways.map((produce) => (produce === 'copies' ? ['P3'] : [])))
  })
  test.each([
    ['stores', 'wait consumed', 'deadlock', 'B3'],
    ['stores', 'wait produced', 'hazard', 'D1'],
    ['stores', 'arrive produced', 'deadlock', 'B5'],
    ['stores', 'arrive consumed', 'deadlock', 'B5'],
    ['stores', 'queue[slot] = value', 'hazard', 'I1'],
    ['copies', 'wait consumed', 'deadlock', 'W1'],
    ['copies', 'wait produced', 'deadlock', 'R1'],
    ['copies', 'copy item', 'deadlock', 'B4'],
    ['copies', 'copy item.expect', 'deadlock', 'B5'],
    ['copies', 'arrive consumed', 'deadlock', 'B5'],
  ] as const)('%s without `%s`: %s, %s', (produce, label, verdict, id) => {
    const v = checked(right(without(label)(built({ produce })))).verdict
    expect([v.verdict, v.findings.map((f) => f.id)]).toEqual([verdict, expect.arrayContaining([id])])
  })
})

describe('settings', () => {
  test.each<readonly [Partial<Queue>, RegExp]>([
    [{ m: 0 }, /^queue: m is 0: expected a positive integer/],
    [{ m: 30 }, /m is 30: expected a multiple of rows, which is 4/],
    [{ buffering: 33 }, /buffering is 33: expected at most 32/],
    [{ produce: 'copies', n: 12 }, /n is 12: expected rows of a multiple of 16 bytes.*found 24/],
    [{ produce: 'copies', n: 512 }, /an item is 4 x 512: expected at most 256/],
  ])('refuses %j', (c, message) => {
    expect(queue({ ...base, ...c })).toMatchObject(
      E.left({ code: 'kernel.settings', message: expect.stringMatching(message) }),
    )
  })
  test('the catalogue: more than twice as many items as slots, and one more', () => {
    const kernel = right(kernelNamed('queue'))
    const { settings } = right(instanceOf(kernel, {}, []))
    expect(settings).toEqual({ ...base, m: 56, n: 64, rows: 8 })
    expect(
      right(instanceOf(kernel, { m: 35, produce: 'copies', drain: true, dtype: 'f32' }, [])).settings,
    ).toEqual({ ...base, m: 35, n: 64, rows: 7, produce: 'copies', drain: true, dtype: 'f32' })
  })
})
