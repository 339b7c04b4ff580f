/** Loops, branches and calls: what is counted is not carried, and every form gives what it gives in Python. */
import { describe, expect, test } from 'vitest'
import { elaborate, type Eqn, type Jaxpr } from '../../../src/dialects/jaxpr/index.js'
import { statementsOf } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'
import { document, k, ran, scalar, swap, v } from './documents.js'

const i32 = scalar('i32')
const out = [{ name: 'z', role: 'out', dtype: 'i32', shape: [1] }] as const
const of = (op: string, x: number, inputs: Eqn['in'], type = i32): Eqn => ({
  op,
  in: inputs!,
  out: [{ v: x, type }],
})

/** i, s -> i + 1, s + 3 i */
const body: Jaxpr = {
  in: [
    { v: 10, type: i32 },
    { v: 11, type: i32 },
  ],
  eqns: [of('add', 12, [v(10), k(1)]), of('mul', 13, [v(10), k(3)]), of('add', 14, [v(11), v(13)])],
  out: [v(12), v(14)],
}
const scan = (length: number, i: number, s: number): Eqn => ({
  op: 'scan',
  in: [k(i), k(s)],
  params: { length, numConsts: 0, numCarry: 2, reverse: false },
  jaxprs: { body: 1 },
  out: [
    { v: 20, type: i32 },
    { v: 21, type: i32 },
  ],
})

describe('scan', () => {
  test.each([
    [5, 0, 7],
    [1, 4, 0],
    [0, 4, 9],
  ])('of length %s from %s', (length, from, s) => {
    let sum = s
    for (let i = from; i < from + length; i++) sum += 3 * i
    const both = of('add', 22, [v(21), v(20)])
    expect(ran(document(out, [scan(length, from, s), both, swap(0, v(22))], [body]))).toEqual({
      z: [sum + from + length],
    })
  })
  test('carries the sum alone: the index is that of the loop', () => {
    const program = right(elaborate(document(out, [scan(5, 2, 0), swap(0, v(21))], [body])))
    const loops = [...statementsOf(program.entry.body)].flatMap((s) => (s._tag === 'For' ? [s] : []))
    expect(loops.map((s) => s.carried.length)).toEqual([1])
  })
})

describe('while', () => {
  const loop = (cond: Jaxpr, inner: Jaxpr, inits: Eqn['in']): ReadonlyArray<number> => {
    const eqn: Eqn = {
      op: 'while',
      in: inits!,
      params: { condConsts: 0, bodyConsts: 0 },
      jaxprs: { cond: 1, body: 2 },
      out: inits!.map((_, n) => ({ v: 50 + n, type: i32 })),
    }
    return ran(document(out, [eqn, swap(0, v(50))], [cond, inner]))['z']!
  }
  test('that counts is a counted loop', () => {
    const cond: Jaxpr = {
      in: [1, 2].map((n) => ({ v: 30 + n, type: i32 })),
      eqns: [of('lt', 33, [v(31), v(32)], scalar('i1'))],
      out: [v(33)],
    }
    const inner: Jaxpr = {
      in: [1, 2].map((n) => ({ v: 40 + n, type: i32 })),
      eqns: [of('add', 43, [v(41), k(1)])],
      out: [v(43), v(42)],
    }
    expect(loop(cond, inner, [k(3), k(8)])).toEqual([8])
    expect(loop(cond, inner, [k(9), k(8)])).toEqual([9])
  })
  test('that doubles has a test', () => {
    const cond: Jaxpr = {
      in: [{ v: 31, type: i32 }],
      eqns: [of('lt', 33, [v(31), k(100)], scalar('i1'))],
      out: [v(33)],
    }
    const inner: Jaxpr = { in: [{ v: 41, type: i32 }], eqns: [of('mul', 43, [v(41), k(2)])], out: [v(43)] }
    expect(loop(cond, inner, [k(3)])).toEqual([192])
  })
})

describe('cond', () => {
  const branch = (n: number, value: number): Jaxpr => ({
    in: [{ v: n, type: i32 }],
    eqns: [of('add', n + 1, [v(n), k(value)])],
    out: [v(n + 1)],
  })
  const branches = [branch(60, 1), branch(62, 10), branch(64, 100)]
  const places = { mesh: { grid: [5], gridNames: ['i'] } }
  const four = [{ name: 'z', role: 'out', dtype: 'i32', shape: [5] }] as const
  const at = (eqns: ReadonlyArray<Eqn>): ReadonlyArray<number> =>
    ran(
      document(
        four,
        [
          { op: 'axis_index', params: { axisName: 'i' }, out: [{ v: 5, type: i32 }] },
          ...eqns,
          {
            op: 'swap',
            in: [v(7)],
            uses: { ref: { ref: v(0), view: [{ index: [{ at: v(5) }] }] } },
            out: [null],
          },
        ],
        branches,
        places,
      ),
    )['z']!
  const cond = (index: Eqn['in']): Eqn => ({
    op: 'cond',
    in: [...index!, k(1000)],
    jaxprs: { branches: [1, 2, 3] },
    out: [{ v: 7, type: i32 }],
  })
  test('an index beyond the last is the last', () => {
    expect(at([cond([v(5)])])).toEqual([1001, 1010, 1100, 1100, 1100])
  })
  test('that is known leaves no branch', () => {
    const d = document(out, [cond([k(1)]), swap(0, v(7))], branches)
    expect(
      [...statementsOf(right(elaborate(d)).entry.body)].some(
        (s) => s._tag === 'If' && s.site.label === 'cond 10',
      ),
    ).toBe(false)
    expect(ran(d)).toEqual({ z: [1010] })
  })
})

describe('jaxpr_call', () => {
  const step: Jaxpr = {
    in: [{ v: 60, type: { ref: 'gmem', dtype: 'i32', shape: [] } }],
    eqns: [
      { op: 'program_id', params: { axis: 0 }, out: [{ v: 61, type: i32 }] },
      { op: 'program_id', params: { axis: 1 }, out: [{ v: 62, type: i32 }] },
      of('mul', 63, [v(61), k(10)]),
      of('add', 64, [v(63), v(62)]),
      { op: 'swap', in: [v(64)], uses: { ref: { ref: v(60) } }, out: [null] },
    ],
  }
  const blocks: Eqn = { op: 'axis_index', params: { axisName: 'i' }, out: [{ v: 5, type: i32 }] }
  test('hands on a part of a ref, and says the places in the grid', () => {
    const call: Eqn = {
      op: 'jaxpr_call',
      in: [v(5), k(7)],
      uses: { refs: [{ ref: v(0), view: [{ index: [{ at: v(5) }] }] }] },
      jaxprs: { body: 1 },
    }
    const three = [{ name: 'z', role: 'out', dtype: 'i32', shape: [3] }] as const
    const mesh = { mesh: { grid: [3], gridNames: ['i'] } }
    expect(ran(document(three, [blocks, call], [step], mesh))).toEqual({ z: [7, 17, 27] })
  })
})
