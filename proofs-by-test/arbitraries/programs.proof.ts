/** Programs, schedules, scripts and damaged documents: what is drawn is what it says, and every kind occurs. */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as A from '../../src/arbitraries/index.js'
import { check } from '../../src/semantics/verdict/check.js'
import * as Mbarrier from '../../src/semantics/machine/mbarrier.js'
import { validate } from '../../src/semantics/language/validate.js'
import type { Json } from '../../src/wire.js'
import { options } from '../semantics/files/trace/written.js'
import { nightly } from '../extent.js'

const sample = <T>(arbitrary: fc.Arbitrary<T>, count = 1_000): readonly T[] =>
  fc.sample(arbitrary, { numRuns: count, seed: 20 })
const shrunk = <T>(arbitrary: fc.Arbitrary<T>, fails: (value: T) => boolean): T =>
  fc.check(
    fc.property(arbitrary, (value) => !fails(value)),
    { seed: 7, numRuns: 1_000 },
  ).counterexample![0]

describe('barrier scripts', () => {
  const scripts = sample(A.barrierScript())

  test("law 1: no operation traps; the states are the specification's", () => {
    for (const { count, operations } of scripts) {
      let state: Mbarrier.Mbarrier | Mbarrier.Trap = Mbarrier.init(count)
      const states = [state]
      for (const o of operations) {
        state =
          o.op === 'arrive'
            ? Mbarrier.update(state, o.count, 0)
            : o.op === 'drop'
              ? Mbarrier.update(state, o.count, 0, o.count)
              : Mbarrier.update(state, 0, o.op === 'expectTx' ? o.bytes : -o.bytes)
        expect(Mbarrier.isTrap(state)).toBe(false)
        if (Mbarrier.isTrap(state)) return
        states.push(state)
      }
      expect(A.barrierStates({ count, operations })).toEqual(states)
    }
  })

  test('law 2: every kind occurs, and every way of ending a phase', () => {
    const seen = new Set<string>()
    for (const script of scripts) {
      const states = A.barrierStates(script)
      script.operations.forEach((o, k) => {
        seen.add(o.op)
        if (states[k + 1]!.completed > states[k]!.completed) seen.add(`ends by ${o.op}`)
        if (states[k + 1]!.tx < 0) seen.add('early')
      })
    }
    expect([...seen].sort()).toEqual(
      [
        ...['arrive', 'expectTx', 'completeTx', 'drop', 'early'],
        ...['ends by arrive', 'ends by completeTx', 'ends by drop', 'ends by expectTx'],
      ].sort(),
    )
  })

  test('shrinks to few operations', () => {
    const script = shrunk(A.barrierScript(), (s) => A.barrierStates(s).some((b) => b.completed > 0))
    expect(A.showBarrierScript(script)).toBe('init 1; arrive 1')
  })
})

describe('pipeline scripts', () => {
  test('law 3: nothing is committed that was not acquired, nor released that was not waited for', () => {
    for (const steps of sample(A.pipelineScript(3))) {
      let c = A.noSteps
      for (const step of steps) {
        if (step === 'commit' || step === 'release') expect(A.goesThrough(3, c, step)).toBe(true)
        if (A.goesThrough(3, c, step)) c = A.afterStep(c, step)
        expect(c.released <= c.waited && c.waited <= c.committed && c.committed <= c.acquired).toBe(true)
        expect(c.acquired - c.released).toBeLessThanOrEqual(3)
      }
    }
  })
})

describe('programs and schedules', () => {
  test('laws 1 and 2: valid, launched, and right or wrong', () => {
    const verdicts = sample(fc.tuple(A.program(), A.schedule()), nightly ? 120 : 25).map(
      ([program, { policy }]) => {
        expect(E.isRight(validate(program))).toBe(true)
        const checked = check(program, options(policy))
        return E.isRight(checked) ? checked.right.verdict.verdict : checked.left.code
      },
    )
    const share = (name: string): number => verdicts.filter((v) => v === name).length / verdicts.length
    expect(share('ok')).toBeGreaterThan(0.1)
    expect(share('hazard') + share('deadlock')).toBeGreaterThan(0.1)
  })
  test('a clean program is ok under every schedule that is drawn', () => {
    for (const [program, { name, policy }] of sample(
      fc.tuple(A.cleanProgram(), A.schedule()),
      nightly ? 60 : 12,
    )) {
      const checked = check(program, options(policy))
      expect(E.isRight(checked) ? checked.right.verdict.verdict : checked.left.code, name).toBe('ok')
    }
  })
  test('law 3: every policy; a schedule shrinks to eager', () => {
    const names = sample(A.schedule()).map(({ name }) => name.replace(/\d+/g, 'n'))
    expect([...new Set(names)].sort()).toEqual([
      'agent n starved, seed n',
      'eager',
      'lazy',
      'roundrobin',
      'seeded:n',
    ])
    expect(shrunk(A.schedule(), () => true).name).toMatch(/^(eager|seeded:0|agent 0 starved, seed 0)$/)
  })
})

describe('damaged documents', () => {
  const document: Json = { a: [1, 2, { b: 'x', c: [true, null] }], d: { b: 'y' } }
  test('law 1: it is JSON; law 3: every kind of edit changes something', () => {
    for (const kind of ['remove', 'repeat', 'replace', 'scale', 'graft', 'kin', 'bury'] as const) {
      const some = sample(A.damaged([document], { maxEdits: 1, kinds: [kind] }), 100)
      for (const one of some) expect(JSON.parse(JSON.stringify(one))).toEqual(one)
      expect(some.some((one) => JSON.stringify(one) !== JSON.stringify(document))).toBe(true)
    }
  })
  test('law 2: without edits it is the document; an edit does what the table says', () => {
    expect(sample(A.damaged([document], { maxEdits: 0 }), 3)).toEqual([document, document, document])
    // places in preorder: 0 all, 1 a, 2 and 3 its numbers, 4 the record, 5 b, 6 c, 7 true, 8 null, 9 d, 10 b
    expect(A.edited(document, { kind: 'remove', at: 3, what: 0 })).toEqual({
      a: [1, { b: 'x', c: [true, null] }],
      d: { b: 'y' },
    })
    expect(A.edited(document, { kind: 'repeat', at: 9, what: 0 })).toEqual({
      a: [1, 2, { b: 'x', c: [true, null] }],
      d: { b: 'y' },
      d1: { b: 'y' },
    })
    expect(A.edited(document, { kind: 'scale', at: 2, what: 3 })).toMatchObject({ a: [1024, 2, {}] })
    expect(A.edited(document, { kind: 'kin', at: 5, what: 1 })).toMatchObject({ a: [1, 2, { b: 'y' }] })
    expect(A.edited(document, { kind: 'graft', at: 9, what: 6 })).toMatchObject({ d: [true, null] })
    expect(A.edited(document, { kind: 'bury', at: 2, what: 4 })).toMatchObject({ a: [[[1]], 2, {}] })
  })
  test('law 4: what is buried again and again is not buried too deep', () => {
    const levels = (json: Json): number =>
      Array.from(JSON.stringify(json)).reduce(
        ({ now, most }, c) => {
          const next = now + (c === '[' || c === '{' ? 1 : c === ']' || c === '}' ? -1 : 0)
          return { now: next, most: Math.max(most, next) }
        },
        { now: 0, most: 0 },
      ).most
    // place 1 is the list a at first, and then what it was buried in
    const deep = Array.from({ length: 6 }).reduce<Json>(
      (json, _, k) => A.edited(json, { kind: 'bury', at: 1 + 1_500 * k, what: 3 * 4 }),
      document,
    )
    expect(levels(deep)).toBeGreaterThan(1_500)
    expect(levels(deep)).toBeLessThanOrEqual(2_004)
  })
})
