/** The machine is a value: nothing in it can run, and forking it is copying a reference. */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { field } from '../../../src/numerics/field.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { offered, take } from '../../../src/semantics/execution/step.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { contents, launched, logged, matmul, solo } from './machine-samples.js'
import { ring } from '../samples.js'
import { right } from '../../either.js'

/** Where a function sits in a value, if one does. */
const functionIn = (root: unknown): string | null => {
  const seen = new Set<object>()
  const stack: (readonly [string, unknown])[] = [['$', root]]
  for (;;) {
    const top = stack.pop()
    if (top === undefined) return null
    const [path, x] = top
    if (typeof x === 'function') return path
    if (typeof x !== 'object' || x === null || ArrayBuffer.isView(x) || seen.has(x)) continue
    seen.add(x)
    const proto: unknown = Object.getPrototypeOf(x)
    if (proto !== Object.prototype && proto !== Array.prototype && proto !== null)
      return `${path} (not plain data)`
    for (const [key, value] of Object.entries(x)) stack.push([`${path}.${key}`, value])
  }
}

const programs = [
  ['hopper-matmul', matmul({ m: 64, n: 64, k: 64 }), new Map()],
  ['ring', ring(), new Map([['n', 2]])],
] as const

describe.each(programs)('%s', (_, program, scalars) => {
  test('no function anywhere in the program', () => {
    expect(functionIn(program)).toBeNull()
    expect(JSON.parse(JSON.stringify(program))).toEqual(program)
  })

  test.each([unit, bits('hopper')])(
    'no function anywhere in a machine, at any step of a run in $name',
    (algebra) => {
      const l = launched(program, algebra, { scalars })
      let m: Machine = l.machine
      let state = 1
      let steps = 0
      for (;;) {
        if (steps++ % 5 === 0) expect(functionIn(m)).toBeNull()
        const options = offered(l.world, m)
        if (options.length === 0) break
        const [r, next] = Policy.random(state)
        state = next
        const done = take(l.world, m, options[r % options.length]!)
        if ('kind' in done) break
        m = done.machine
      }
      expect(functionIn(m)).toBeNull()
      expect(steps).toBeGreaterThan(5)
    },
  )
})

test('the walk would see one', () => {
  expect(functionIn({ a: [1, { b: () => 1 }] })).toBe('$.a.1.b')
  expect(functionIn({ a: new Map() })).toBe('$.a (not plain data)')
})

test('a machine may be kept and gone on from twice: two schedules from one middle do not disturb each other', () => {
  const l = launched(matmul({ m: 64, n: 64, k: 64 }), bits('hopper'))
  const half = run(l.world, l.machine, { ...settings(Policy.seeded(2)), fuel: 40 }, ignore).machine
  const kept = contents(half)
  const ends = [Policy.eager, Policy.lazy, Policy.seeded(9)].map((policy) => {
    const { machine, outcome } = run(l.world, half, settings(policy), ignore)
    expect(outcome).toEqual({ _tag: 'completed' })
    return readTensor(l.world, machine, 'out')
  })
  expect(contents(half)).toEqual(kept)
  expect(ends[1]).toEqual(ends[0])
  expect(ends[2]).toEqual(ends[0])
})

/** A program that stores a tile of constants and reads it back under another dtype. */
describe('memory of an algebra', () => {
  const narrow = solo(function* () {
    const out = yield* B.tensorParam('out', 'i8', [6], { role: 'out' })
    const x = yield* B.letIn(
      'x',
      X.mul(X.sub(X.iota<1>([6], 0), X.splat<'i32', 1>(X.i32(3), [6])), X.splat<'i32', 1>(X.i32(100), [6])),
    )
    yield* B.run('write', { _tag: 'gmem.store', destination: out.view, value: x })
  })
  test.each([bits('hopper'), real64, field(1)])('a narrow store keeps the low bits in $name', (algebra) => {
    const l = launched(narrow, algebra)
    const { machine } = logged(l, Policy.eager)
    expect([...readTensor(l.world, machine, 'out')!]).toEqual(
      [-300, -200, -100, 0, 100, 200].map((x) => (x << 24) >> 24),
    )
  })

  const long = solo(function* () {
    const a = yield* B.tensorParam('a', 'i64', [2], { role: 'in' })
    const out = yield* B.tensorParam('out', 'i64', [2], { role: 'out' })
    const x = yield* B.gmemLoad('x', a.view)
    yield* B.run('write', { _tag: 'gmem.store', destination: out.view, value: X.add(x, x) })
  })
  test('64-bit integers: exact below 2^53, negative ones too, refused beyond', () => {
    const given = (...xs: ReadonlyArray<number>): ReturnType<typeof launched> =>
      launched(long, bits('hopper'), { tensors: new Map([['a', Float64Array.from(xs)]]) })
    const fine = given(-3, 2 ** 51)
    expect([...readTensor(fine.world, logged(fine, Policy.eager).machine, 'out')!]).toEqual([-6, 2 ** 52])
    expect(logged(given(-3, 2 ** 62), Policy.eager).outcome).toMatchObject({ fault: { code: 'i64.range' } })
    expect(logged(given(-3, 2 ** 52 + 2 ** 51), Policy.eager).outcome).toMatchObject({
      fault: { code: 'i64.range' },
    })
  })

  const wgmma = solo(function* () {
    const transforms = [right(tile([8, 16])), right(swizzle(64))]
    const acc = yield* B.registers('acc', 'wg', 'f32', [64, 64])
    const a = yield* B.sharedMemory('a', 'tf32', [64, 16], transforms)
    const b = X.transposeView(yield* B.sharedMemory('b', 'tf32', [64, 16], transforms), [1, 0])
    yield* B.run('wgmma', {
      _tag: 'wgmma.mma',
      accumulator: acc,
      a,
      b,
      scaleD: X.i1(false),
      negateA: true,
      negateB: false,
    })
  })
  test('an algebra that cannot negate an operand refuses, and does not forget the sign', () => {
    expect(logged(launched(wgmma, bits('hopper')), Policy.eager).outcome).toMatchObject({
      fault: { code: 'algebra.lacks' },
    })
  })
})
