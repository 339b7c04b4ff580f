/**
 * Unordered writes of one value. Oracle: what each of two agents stores, as a text by hand; and both orders of the two, run with numbers.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

type Tile = X.Tile<'f32', 2>
type Rows = X.View<'gmem', 'f32', 2>

/** What is made of a tile, in words and in the language. */
const made: Readonly<Record<string, (t: Tile) => Tile>> = {
  x: (t) => t,
  'x + x': (t) => X.add(t, t),
  '2 x': (t) => X.mul(X.splat(X.float('f32', 2), [4, 8]), t),
  '2 (x + x)': (t) => X.mul(X.splat(X.float('f32', 2), [4, 8]), X.add(t, t)),
  one: () => X.splat(X.float('f32', 1), [4, 8]),
}

/** An agent reads four rows of x from one on, makes something of them, and stores it at four rows of out. */
interface Storing {
  readonly from: number
  readonly as: string
  readonly at: number
}

type Body = (x: Rows, out: Rows) => B.Steps<void>

const rows = (t: Rows, from: number): Rows => X.slice(t, [X.i32(from), X.i32(0)], [4, 8])

const storing = (label: string, { from, as, at }: Storing): Body =>
  function* (x, out) {
    const tile = yield* B.gmemLoad(`${label} reads`, rows(x, from))
    yield* B.run(label, { _tag: 'gmem.store', destination: rows(out, at), value: made[as]!(tile) })
  }

const both = (first: Body, second: Body): Program =>
  right(
    B.kernel({ name: 'two', arch: 'sm90a', agents: [B.warp('a', 0), B.warp('b', 1)] }, function* () {
      const x = yield* B.tensorParam('x', 'f32', [16, 8], { role: 'in' })
      const out = yield* B.tensorParam('out', 'f32', [16, 8], { role: 'inout' })
      yield* B.ifThen(
        'role',
        X.eq(X.place('agent'), X.i32(0)),
        () => first(x.view, out.view),
        () => second(x.view, out.view),
      )
    }),
  )

const said = (program: Program, more: Partial<CheckOptions> = {}): string => {
  const { verdict } = right(check(program, { ...standardOptions, ...more }))
  return [verdict.verdict, ...verdict.findings.map((f) => f.id), ...verdict.notes.map((f) => f.id)].join(' ')
}

describe('two agents', () => {
  const one: Storing = { from: 0, as: 'x + x', at: 4 }
  const pair = (other: Partial<Storing>): Program =>
    both(storing('mine', one), storing('yours', { ...one, ...other }))

  it('store the same', () => {
    const program = pair({})
    expect(said(program)).toBe('ok N4')
    const { verdict } = right(check(program, standardOptions))
    expect(verdict.notes[0]).toMatchObject({
      severity: 'L',
      a: { site: 'mine' },
      b: { site: 'yours' },
      place: { plane: 'gmem out' },
    })
    expect(verdict.notes[0]!.text).toBe(
      'writes and writes of gmem out are not ordered, but store the same value in every run',
    )
  })
  it('store something else: other rows, another operation, one row further', () => {
    for (const other of [{ from: 1 }, { as: '2 x' }, { as: 'x' }, { at: 5 }, { from: 3, at: 5 }])
      expect([other, said(pair(other))]).toEqual([other, 'hazard D2'])
    // the same number in the same place, from one row further
    expect(said(pair({ from: 1, at: 5 }))).toBe('ok N4')
  })
  it('by the manual it is a race', () => {
    expect(said(pair({}), { strict: true })).toBe('hazard D2')
    expect(said(pair({}), { equalWrites: 'none' })).toBe('hazard D2')
    expect(said(pair({}), { strict: true, equalWrites: 'of inputs' })).toBe('ok N4')
  })
  it('a constant may stand for data that are left out: it is asked for by itself', () => {
    const constant = both(storing('mine', { ...one, as: 'one' }), storing('yours', { ...one, as: 'one' }))
    expect(said(constant)).toBe('hazard D2')
    expect(said(constant, { equalWrites: 'any' })).toBe('ok N4')
  })

  it('whatever they store: proved exactly where every element that both write is the same text', () => {
    let [equal, apart] = [0, 0]
    for (let seed = 0; seed < (nightly ? 120 : 40); seed++) {
      const die = dice(seed)
      const storingOf = (): Storing => ({
        from: die.below(3),
        as: die.pick(Object.keys(made)),
        at: 4 + die.below(3),
      })
      const [p, q] = [storingOf(), die.chance(0.3) ? { ...storingOf(), as: 'one' } : storingOf()]
      const text = ({ from, as, at }: Storing, row: number): string =>
        as === 'one' ? as : `${as} of row ${String(from + row - at)}`
      const shared = Array.from({ length: 16 }, (_, row) => row).filter((row) =>
        [p, q].every(({ at }) => row >= at && row < at + 4),
      )
      const isEqual = shared.every((row) => text(p, row) === text(q, row))
      const program = both(storing('mine', p), storing('yours', q))
      expect([p, q, said(program, { equalWrites: 'any' })]).toEqual([
        p,
        q,
        shared.length === 0 ? 'ok' : isEqual ? 'ok N4' : 'hazard D2',
      ])
      expect([p, q, said(program)]).toEqual([
        p,
        q,
        shared.length === 0 ? 'ok' : isEqual && p.as !== 'one' ? 'ok N4' : 'hazard D2',
      ])
      if (shared.length === 0) continue
      if (isEqual) equal++
      else apart++
      // law 1: what is proved is so with numbers, whichever comes last
      const x = Float64Array.from({ length: 128 }, () => die.below(1 << 20))
      const left = [0, 1].map((last) => {
        const { world, machine } = right(
          launch(program, bits('hopper'), {
            scalars: new Map(),
            tensors: new Map([['x', x]]),
          }),
        )
        const ran = run(world, machine, settings(Policy.starvingAgent(last, 1)), ignore)
        return [...readTensor(world, ran.machine, 'out')!]
      })
      if (isEqual) expect(left[0]).toEqual(left[1])
    }
    expect(equal).toBeGreaterThan(nightly ? 10 : 3)
    expect(apart).toBeGreaterThan(nightly ? 10 : 3)
  })
})

describe('a pair is not proved if', () => {
  const one: Storing = { from: 0, as: 'x', at: 4 }
  const mine = storing('mine', one)

  it('one of them writes in between what the other would have to find', () => {
    // it stores the same at last, but something else before
    const twice: Body = function* (x, out) {
      yield* B.run('wipe', {
        _tag: 'gmem.store',
        destination: rows(out, 4),
        value: X.splat(X.float('f32', 0), [4, 8]),
      })
      yield* storing('yours', one)(x, out)
    }
    expect(said(both(mine, twice))).toMatch(/^hazard D2/)
  })
  it('another value is written later: it is ordered behind one of the two alone', () => {
    const over: Body = function* (x, out) {
      yield* storing('yours', one)(x, out)
      yield* storing('over it', { ...one, from: 2 })(x, out)
    }
    expect(said(both(mine, over))).toMatch(/^hazard D2/)
    expect(said(both(over, mine))).toMatch(/^hazard D2/)
    // the same once more may come at any time
    const again: Body = function* (x, out) {
      yield* storing('yours', one)(x, out)
      yield* storing('once more', one)(x, out)
    }
    expect(said(both(mine, again))).toMatch(/^ok N4/)
    // what is read behind one of the two is what the other stores, too
    const looking: Body = function* (x, out) {
      yield* storing('yours', one)(x, out)
      yield* B.gmemLoad('look', rows(out, 4))
    }
    expect(said(both(mine, looking))).toBe('ok N4')
  })
  it('one of the two reads: that race stays', () => {
    const reading: Body = function* (_, out) {
      yield* B.gmemLoad('look', rows(out, 4))
    }
    expect(said(both(mine, reading))).toBe('hazard D2')
    expect(said(both(reading, mine))).toBe('hazard D2')
  })
  it('one of the two reads what is there, and then stores: it may find what the other has stored', () => {
    const careful: Body = function* (x, out) {
      const there = yield* B.gmemLoad('look', rows(out, 4))
      yield* storing('yours', one)(x, out)
      yield* B.run('keep', { _tag: 'gmem.store', destination: rows(out, 8), value: there })
    }
    for (const program of [both(careful, mine), both(mine, careful)]) {
      const { verdict } = right(check(program, standardOptions))
      const sides = verdict.findings.map(({ id, a, b }) => [id, ...[a.site, b?.site].sort()])
      expect([verdict.verdict, ...sides]).toEqual(['hazard', ['D2', 'look', 'mine']])
      expect(verdict.notes.map(({ id }) => id)).toEqual(['N4'])
    }
    // whoever stores it once more may be what is found, too
    const again: Body = function* (x, out) {
      yield* mine(x, out)
      yield* storing('again', one)(x, out)
    }
    const { verdict } = right(check(both(careful, again), standardOptions))
    expect(verdict.findings.map(({ a, b }) => [a.site, b?.site])).toEqual([
      ['look', 'mine'],
      ['look', 'again'],
    ])
    // what both have read before they meet is what was there before
    const meeting = (inner: Body): Body =>
      function* (x, out) {
        yield* B.gmemLoad('look', rows(out, 4))
        yield* B.run('meet', { _tag: 'bar.sync', id: 1, count: 64 })
        yield* inner(x, out)
      }
    expect(said(both(meeting(storing('yours', one)), meeting(mine)))).toBe('ok N4')
  })
  it('a comparison of floats chose the value', () => {
    const chosen = (label: string): Body =>
      function* (x, out) {
        const tile = yield* B.gmemLoad(`${label} reads`, rows(x, 0))
        const zero = X.splat(X.float('f32', 0), [4, 8])
        const value = X.select(X.lt(tile, zero), zero, tile)
        yield* B.run(label, { _tag: 'gmem.store', destination: rows(out, 4), value })
      }
    expect(said(both(chosen('mine'), chosen('yours')))).toBe('hazard D2')
  })
})

describe('what nothing has written', () => {
  const of = (what: (x: Tile, y: Tile) => Tile): string =>
    said(
      right(
        B.kernel({ name: 'one', arch: 'sm90a', agents: [B.warp('a', 0)] }, function* () {
          const input = yield* B.tensorParam('x', 'f32', [4, 8], { role: 'in' })
          const out = yield* B.tensorParam('out', 'f32', [4, 8], { role: 'out' })
          const s = yield* B.sharedMemory('s', 'f32', [4, 8])
          const x = yield* B.gmemLoad('x', input.view)
          const y = yield* B.smemLoad('y', s)
          yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value: what(x, y) })
        }),
      ),
    )
  const never = X.lt(X.i32(1), X.i32(0))
  it.each<readonly [string, (x: Tile, y: Tile) => Tile, string]>([
    ['is not asked', (x) => x, 'ok'],
    ['is not chosen', (x, y) => X.select(never, y, x), 'ok'],
    ['is not chosen where it has been computed with', (x, y) => X.select(never, X.add(x, y), x), 'ok'],
    ['is an output', (_, y) => y, 'hazard I1'],
    ['is in a sum', (x, y) => X.add(x, y), 'hazard I1'],
    ['is chosen', (x, y) => X.select(never, x, y), 'hazard I1'],
    // which of two floats is less is not known
    ['is not chosen today', (x, y) => X.select(X.lt(x, x), y, x), 'hazard I1'],
  ])('%s', (_, what, verdict) => {
    expect(of(what)).toBe(verdict)
  })
})
