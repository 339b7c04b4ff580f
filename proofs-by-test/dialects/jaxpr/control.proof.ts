/** Loops, branches and calls: what is counted is not carried, and every form gives what it gives in Python. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  elaborate,
  type Document,
  type Eqn,
  type Jaxpr,
  type Type,
  type Value,
} from '../../../src/dialects/jaxpr/index.js'
import { statementsOf } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'
import { array, document, get, k, ran, scalar, swap, v } from './documents.js'

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

describe('what run_state keeps', () => {
  const cell: Type = { ref: 'regs', dtype: 'i32', shape: [] }
  const kept = (eqns: ReadonlyArray<Eqn>): Jaxpr => ({ in: [{ v: 80, type: cell }], eqns })
  const state = (init: Value): Eqn => ({
    op: 'run_state',
    in: [init],
    jaxprs: { body: 1 },
    out: [{ v: 7, type: i32 }],
  })
  /** ref[...] = 2 ref[...] + x */
  const twice = (ref: number, n: number, x: Value): ReadonlyArray<Eqn> => [
    get(n, i32, ref),
    of('mul', n + 1, [v(n), k(2)]),
    of('add', n + 2, [v(n + 1), x]),
    swap(ref, v(n + 2)),
  ]
  const after = (
    eqns: ReadonlyArray<Eqn>,
    more: ReadonlyArray<Jaxpr>,
    init: Value = k(3),
  ): ReadonlyArray<number> => ran(document(out, [state(init), swap(0, v(7))], [kept(eqns), ...more]))['z']!
  const turn: Jaxpr = {
    in: [
      { v: 90, type: cell },
      { v: 91, type: i32 },
    ],
    eqns: [...twice(90, 92, v(91)), of('add', 96, [v(91), k(1)])],
    out: [v(96)],
  }
  const loop = (length: number): Eqn => ({
    op: 'scan',
    in: [v(80), k(0)],
    params: { length, numConsts: 1, numCarry: 1, reverse: false },
    jaxprs: { body: 2 },
    out: [null],
  })
  test.each([0, 1, 4])('is carried around a scan of length %s', (length) => {
    let x = 3
    for (let i = 0; i < length; i++) x = 2 * x + i
    expect(after([loop(length)], [turn])).toEqual([x])
  })
  const below: Jaxpr = {
    in: [{ v: 100, type: cell }],
    eqns: [get(101, i32, 100), of('lt', 102, [v(101), k(50)], scalar('i1'))],
    out: [v(102)],
  }
  const doubles: Jaxpr = { in: [{ v: 110, type: cell }], eqns: twice(110, 111, k(1)) }
  const whileOf = (cond: number, body: number): Eqn => ({
    op: 'while',
    in: [v(80), v(80)],
    params: { condConsts: 1, bodyConsts: 1 },
    jaxprs: { cond, body },
    out: [],
  })
  test('is carried around a while, whose test reads it', () => {
    expect(after([whileOf(2, 3)], [below, doubles])).toEqual([63])
  })
  const refusedAs = (d: Document): string => {
    const found = elaborate(d)
    return E.isLeft(found) ? found.left.message : 'elaborated'
  }
  test('a test of a while that writes it is refused at its line', () => {
    const writes: Jaxpr = { ...below, eqns: [...below.eqns!, swap(100, k(1))] }
    const d = document(out, [state(k(3))], [kept([{ ...whileOf(2, 3), at: 0 }]), writes, doubles])
    expect(refusedAs(d)).toMatch(
      /^kernel.py:10: while: expected a test that only reads the state of run_state/,
    )
  })
  describe('of three branches', () => {
    const places = { mesh: { grid: [4], gridNames: ['i'] } }
    const four = [{ name: 'z', role: 'out', dtype: 'i32', shape: [4] }] as const
    const at: Eqn = { op: 'axis_index', params: { axisName: 'i' }, out: [{ v: 5, type: i32 }] }
    const store: Eqn = {
      op: 'swap',
      in: [v(7)],
      uses: { ref: { ref: v(0), view: [{ index: [{ at: v(5) }] }] } },
      out: [null],
    }
    const branch = (n: number, eqns: ReadonlyArray<Eqn>): Jaxpr => ({ in: [{ v: n, type: cell }], eqns })
    const branches = [
      branch(120, twice(120, 121, k(1))),
      branch(130, []),
      branch(140, [...twice(140, 141, k(10)), ...twice(140, 145, k(100))]),
    ]
    const cond = (index: number, ref: number): Eqn => ({
      op: 'cond',
      in: [v(index), v(ref)],
      jaxprs: { branches: [2, 3, 4] },
      out: [],
    })
    const blocks = (body: Jaxpr, more: ReadonlyArray<Jaxpr>): ReadonlyArray<number> =>
      ran(document(four, [at, { ...state(k(3)), in: [k(3), v(5)] }, store], [body, ...more], places))['z']!
    const given: Jaxpr['in'] = [
      { v: 80, type: cell },
      { v: 81, type: cell },
    ]
    const index = get(82, i32, 81)
    test('it is what the one that ran left', () => {
      expect(blocks({ in: given, eqns: [index, cond(82, 80)] }, branches)).toEqual([7, 3, 132, 132])
    })
    test('the same twice in a loop, and of a value that the loop reads', () => {
      const inner: Jaxpr = {
        in: [
          { v: 150, type: cell },
          { v: 151, type: i32 },
        ],
        eqns: [cond(151, 150)],
      }
      const both: Eqn = {
        op: 'scan',
        in: [v(80), v(82)],
        params: { length: 2, numConsts: 2, numCarry: 0, reverse: false },
        jaxprs: { body: 5 },
        out: [],
      }
      expect(blocks({ in: given, eqns: [index, both] }, [...branches, inner])).toEqual([15, 3, 648, 648])
    })
  })
  test('an array is carried in its layout', () => {
    const x = [{ name: 'z', role: 'out', dtype: 'f32', shape: [256] }] as const
    const type = array('f32', [256])
    const ref: Type = { ref: 'regs', dtype: 'f32', shape: [256] }
    const ones: Eqn = {
      op: 'broadcast_in_dim',
      in: [k(1, 'f32')],
      params: { shape: [256], broadcastDimensions: [] },
      out: [{ v: 2, type }],
    }
    const grows: Jaxpr = {
      in: [{ v: 90, type: ref }],
      eqns: [get(91, type, 90), of('add', 92, [v(91), v(91)], type), swap(90, v(92))],
    }
    const d = document(
      x,
      [ones, { op: 'run_state', in: [v(2)], jaxprs: { body: 1 }, out: [{ v: 7, type }] }, swap(0, v(7))],
      [
        {
          in: [{ v: 80, type: ref }],
          eqns: [
            {
              op: 'scan',
              in: [v(80)],
              params: { length: 3, numConsts: 1, numCarry: 0, reverse: false },
              jaxprs: { body: 2 },
              out: [],
            },
          ],
        },
        grows,
      ],
    )
    expect(new Set(ran(d)['z'])).toEqual(new Set([0x41000000]))
  })
})
