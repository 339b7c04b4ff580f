/** What the text leaves open: layouts spread to what lies alike, and shared memory that products read is tiled and swizzled. */
import { describe, expect, test } from 'vitest'
import { inferredIn } from '../../../src/dialects/jaxpr/inference.js'
import {
  elaborate,
  type Eqn,
  type Jaxpr,
  type Transform,
  type Type,
} from '../../../src/dialects/jaxpr/index.js'
import { WGMMA, WGMMA_ROW } from '../../../src/layouts/tiled.js'
import { right } from '../../either.js'
import { array, document, k, v } from './documents.js'

const out = [{ name: 'z', role: 'out', dtype: 'f32', shape: [64, 64] }] as const
const whole = array('f32', [64, 64])
const row = array('f32', [64])
const cast = (x: number, y: number, type: Type): Eqn => ({
  op: 'layout_cast',
  in: [v(x)],
  params: { layout: { name: 'WGMMA' } },
  out: [{ v: y, type }],
})
const get = (x: number, type: Type): Eqn => ({
  op: 'get',
  uses: { ref: { ref: v(0) } },
  out: [{ v: x, type }],
})

describe('layouts', () => {
  const eqns: ReadonlyArray<Eqn> = [
    get(1, whole),
    cast(1, 2, whole),
    get(3, whole),
    { op: 'mul', in: [v(2), v(3)], out: [{ v: 4, type: whole }] },
    { op: 'reduce_sum', in: [v(4)], params: { axes: [1] }, out: [{ v: 5, type: row }] },
    {
      op: 'scan',
      in: [v(5)],
      params: { length: 2, numConsts: 0, numCarry: 1 },
      jaxprs: { body: 1 },
      out: [{ v: 6, type: row }],
    },
  ]
  const body: Jaxpr = {
    in: [{ v: 10, type: row }],
    eqns: [{ op: 'exp2', in: [v(10)], out: [{ v: 11, type: row }] }],
    out: [v(11)],
  }
  const d = document(out, eqns, [body])
  test('from a cast over products and reductions into a loop, and back to what is loaded', () => {
    const { layouts } = inferredIn(d, 'warpgroup')
    expect([1, 2, 3, 4].map((x) => layouts.get(x))).toEqual([WGMMA, WGMMA, WGMMA, WGMMA])
    expect([5, 6, 10, 11].map((x) => layouts.get(x))).toEqual([WGMMA_ROW, WGMMA_ROW, WGMMA_ROW, WGMMA_ROW])
  })
  test('in lane semantics a cast says how what it casts is loaded, and nothing else does', () => {
    const { layouts } = inferredIn(d, 'lane')
    expect([...layouts.keys()]).toEqual([1])
  })
})

describe('transforms', () => {
  const smem = (shape: ReadonlyArray<number>, transforms: ReadonlyArray<Transform> = []): Type => ({
    ref: 'smem',
    dtype: 'f16',
    shape,
    ...(transforms.length === 0 ? {} : { transforms }),
  })
  const part = (rows: number, columns: number, from = 0): Transform => ({
    index: [
      { from: k(0), size: rows },
      { from: k(from), size: columns },
    ],
  })
  const inferred = (
    a: Type,
    b: Type,
    ofA: ReadonlyArray<Transform>,
    ofB: ReadonlyArray<Transform>,
  ): ReadonlyArray<ReadonlyArray<Transform> | undefined> => {
    const body: Jaxpr = {
      in: [
        { v: 1, type: a },
        { v: 2, type: b },
        { v: 3, type: { ref: 'regs', accumulator: true, dtype: 'f32', shape: [64, 64] } },
      ],
      eqns: [
        {
          op: 'wgmma',
          uses: { acc: { ref: v(3) }, a: { ref: v(1), view: ofA }, b: { ref: v(2), view: ofB } },
        },
      ],
      out: [],
    }
    const scoped: Eqn = {
      op: 'run_scoped',
      in: [],
      params: { allocations: 3, collectiveAxes: [] },
      jaxprs: { body: 1 },
      out: [],
    }
    const d = document(out, [scoped], [body])
    right(elaborate(d))
    const { transforms } = inferredIn(d, 'warpgroup')
    return [transforms.get(1), transforms.get(2)]
  }
  const by = (bytes: number): ReadonlyArray<Transform> => [{ unswizzle: bytes }, { untile: [8, bytes / 2] }]

  test('the widest swizzle that rows have', () => {
    expect(inferred(smem([64, 64]), smem([64, 64]), [], [])).toEqual([by(128), by(128)])
    expect(inferred(smem([64, 32]), smem([32, 64]), [], [])).toEqual([by(64), by(64)])
  })
  test('and that every part that is taken has', () => {
    expect(inferred(smem([64, 128]), smem([32, 64]), [part(64, 32, 32)], [])).toEqual([by(64), by(64)])
  })
  test('of a transposed operand the rows are those that lie there', () => {
    expect(inferred(smem([64, 64]), smem([64, 64]), [], [{ transpose: [1, 0] }])).toEqual([by(128), by(128)])
  })
  test('the same as that of the other operand, which says it', () => {
    const said = smem([8, 2, 8, 32], by(64))
    expect(inferred(said, smem([64, 64]), by(64), [])).toEqual([undefined, by(64)])
  })
})
