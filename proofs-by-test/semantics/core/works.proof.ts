/**
 * Expressions as work, by hand: each operation with the number of elements that it makes. A tile of 8 by 16 is in slot 0, one of 16 by 4 in slot 1, one of 8 in slot 2, a scalar in slot 3.
 */
import { expect, test } from 'vitest'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import { effectIn, worksIn } from '../../../src/semantics/core/works.js'
import { otherOrigin, tile } from '../../../src/semantics/machine/value.js'

const frame = [
  tile([8, 16], 'f32', 'any', null, otherOrigin),
  tile([16, 4], 'f32', 'any', null, otherOrigin),
  tile([8], 'f32', 'any', null, otherOrigin),
  5,
]
const at = (slot: number): ExprNode => ({ _tag: 'local', slot })
const [p, q, r, s] = [at(0), at(1), at(2), at(3)]
const exp = (x: ExprNode): ExprNode => ({ _tag: 'unary', op: 'exp2', mode: 'approx', x })
const mul = (x: ExprNode, y: ExprNode): ExprNode => ({ _tag: 'binary', op: 'mul', x, y })
const layout = 'any'
const sum: Extract<ExprNode, { readonly _tag: 'reduce' }>['combine'] = {
  params: ['x', 'y'],
  body: [],
  result: { _tag: 'name', name: 'x' },
}
const reduced = (x: ExprNode, axis: number): ExprNode => ({ _tag: 'reduce', x, axis, combine: sum, layout })

const rows: ReadonlyArray<
  readonly [name: string, e: ExprNode, expected: string, reads: ReadonlyArray<number>]
> = [
  ['operands come first', exp(mul(p, s)), 'mul 128, exp2 128', [0, 3]],
  ['a scalar is one element', mul(s, s), 'mul 1', [3]],
  ['the larger of two says how many, whichever it is', mul(s, q), 'mul 64', [3, 1]],
  ['a constant is no work', { _tag: 'const', dtype: 'i32', value: 3 }, '', []],
  ['a name for what is there is no work', p, '', [0]],
  [
    'a broadcast is none, and what is done with it is of its shape',
    exp({ _tag: 'broadcast', x: { _tag: 'expandDims', x: r, axis: 1, layout }, shape: [8, 32], layout }),
    'exp2 256',
    [2],
  ],
  ['a dimension of one more', exp({ _tag: 'expandDims', x: p, axis: 1, layout }), 'exp2 128', [0]],
  ['a splat', exp({ _tag: 'splat', x: s, shape: [4, 4], layout }), 'exp2 16', [3]],
  ['numbers in order', exp({ _tag: 'iota', shape: [2, 8], axis: 0, start: 0, layout }), 'exp2 16', []],
  ['another shape', exp({ _tag: 'reshape', x: p, shape: [128], layout }), 'exp2 128', [0]],
  // a transposition has the elements of what it transposes, in its order: 16 along the axis that a sum leaves
  [
    'a transposition',
    exp(reduced({ _tag: 'transpose', x: p, perm: [1, 0], layout }, 1)),
    'reduce 128, exp2 16',
    [0],
  ],
  ['a sum is work on what it sums', reduced(p, 0), 'reduce 128', [0]],
  ['what is done with it is of what it leaves', exp(reduced(p, 0)), 'reduce 128, exp2 16', [0]],
  ['along the other axis', exp(reduced(p, 1)), 'reduce 128, exp2 8', [0]],
  [
    'where a dimension was put in, the axes are counted with it',
    exp(reduced({ _tag: 'expandDims', x: r, axis: 0, layout }, 0)),
    'reduce 8, exp2 8',
    [2],
  ],
  [
    'a gather has the elements of its index',
    exp({ _tag: 'gather', x: p, index: q, axis: 0, layout }),
    'gather 64, exp2 64',
    [0, 1],
  ],
  [
    'a product: as many as are multiplied; its result is of the shape of what it adds to',
    exp({
      _tag: 'dot',
      x: p,
      y: q,
      z: { _tag: 'splat', x: s, shape: [8, 4], layout },
      as: 'f16',
      saturate: false,
    }),
    'dot 512, exp2 32',
    [0, 1, 3],
  ],
  ['of three the largest, the first', exp({ _tag: 'fma', x: p, y: s, z: s }), 'fma 128, exp2 128', [0, 3]],
  ['the second', exp({ _tag: 'fma', x: s, y: p, z: s }), 'fma 128, exp2 128', [3, 0]],
  ['the third', exp({ _tag: 'fma', x: s, y: s, z: p }), 'fma 128, exp2 128', [3, 0]],
  [
    'a comparison and a choice',
    exp({ _tag: 'select', cond: { _tag: 'compare', op: 'lt', signed: true, x: p, y: s }, x: s, y: s }),
    'compare 128, select 128, exp2 128',
    [0, 3],
  ],
  ['a choice between tiles', exp({ _tag: 'select', cond: s, x: s, y: q }), 'select 64, exp2 64', [3, 1]],
  [
    'a conversion is called by what it makes',
    exp({ _tag: 'convert', op: 'cast', to: 'f16', rounding: 'rn', saturate: false, x: p }),
    'convert.f16 128, exp2 128',
    [0],
  ],
  [
    'the same bits under another type are no work',
    exp({ _tag: 'convert', op: 'bitcast', to: 'i32', rounding: 'rn', saturate: false, x: p }),
    'exp2 128',
    [0],
  ],
  [
    'halves of a word',
    exp({ _tag: 'unpack', to: 'f16', part: 0, x: { _tag: 'pack', to: 'i32', parts: [s, q] } }),
    'pack 64, unpack 64, exp2 64',
    [3, 1],
  ],
  ['another layout', exp({ _tag: 'convertLayout', x: q, layout }), 'convertLayout 64, exp2 64', [1]],
  [
    'pointers',
    { _tag: 'castPtr', ptr: { _tag: 'addptr', ptr: s, offset: r }, dtype: 'f32' },
    'addptr 8',
    [3, 2],
  ],
  [
    'pointers from pointers',
    {
      _tag: 'addptr',
      ptr: { _tag: 'castPtr', ptr: { _tag: 'addptr', ptr: s, offset: r }, dtype: 'f32' },
      offset: s,
    },
    'addptr 8, addptr 8',
    [3, 2],
  ],
  ['a vote is one', { _tag: 'vote', of: 'any', x: p }, 'vote 1', [0]],
  ['an element is one', { _tag: 'item', x: reduced(r, 0) }, 'reduce 8, item 1', [2]],
]

test.each(rows)('%s', (_, e, expected, reads) => {
  const works = worksIn(frame, 7, e, [9])
  expect(works.map((w) => `${w.name} ${String(w.elements)}`).join(', ')).toBe(expected)
  for (const w of works) expect([w.site, w.reads, w.writes]).toEqual([7, reads, [9]])
})

test('an effect reads the slots of all its operands, each once', () => {
  expect(effectIn('tma.load', 3, [mul(p, s), exp(p), q], [4, 5])).toEqual({
    name: 'tma.load',
    elements: 1,
    reads: [0, 3, 1],
    writes: [4, 5],
    site: 3,
  })
})
