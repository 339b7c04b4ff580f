/** Words of a command line for a module of Triton, by hand. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Asked } from '../../../src/dialects/ttgir/index.js'
import { parseWord } from '../../../src/oracle/launch/words.js'

const scalar = (dtype: 'i1' | 'i32' | 'i64' | 'f32'): Asked => ({
  _tag: 'scalar',
  name: 'n',
  dtype,
  divisor: 1,
})
const pointer: Asked = { _tag: 'pointer', name: 'x', dtype: 'f16', role: 'in' }
const said = (p: Asked, text: string): unknown => {
  const word = parseWord(p, text)
  return E.isLeft(word) ? word.left.code : word.right
}

describe('numbers', () => {
  test.each([
    ['i32', '128', 128],
    ['i32', '+128', 128],
    ['i32', '-1:i32', -1],
    ['i64', '9007199254740991', 9007199254740991],
    ['i64', '9007199254740993', 9007199254740993n],
    ['i1', 'true', 1],
    ['i1', 'false', 0],
    ['f32', '0.125', 0.125],
    ['f32', '.5', 0.5],
    ['f32', '5.', 5],
    ['f32', '-1e-3', -0.001],
    ['f32', '+2.5E2', 250],
    ['f32', 'inf', Infinity],
    ['f32', '-inf', -Infinity],
    ['f32', 'nan', NaN],
    ['f32', '3', 3],
  ] as const)('%s %s', (dtype, text, value) => {
    expect(said(scalar(dtype), text)).toEqual({ _tag: 'number', value })
  })
  test.each([
    ['i32', '1:i64'],
    ['i32', '1:i32:i32'],
    ['i32', '1.5'],
    ['i32', 'inf'],
    ['i32', 'true'],
    ['i32', ''],
    ['i32', '1x'],
    ['i32', 'x1'],
    ['f32', 'x0.5'],
    ['f32', '0.5x'],
    ['f32', '.'],
    ['f32', 'constructor'],
  ] as const)('no number of %s: %s', (dtype, text) => {
    expect(said(scalar(dtype), text)).toBe('bad-flag')
  })
})

describe('tensors', () => {
  test.each([
    ['f16[128,64]', { _tag: 'tensor', tensor: { dtype: 'f16', shape: [128, 64] } }],
    ['f16[ 128 , 64 ]:out', { _tag: 'tensor', tensor: { dtype: 'f16', shape: [128, 64], role: 'out' } }],
    ['f32[7]:inout', { _tag: 'tensor', tensor: { dtype: 'f32', shape: [7], role: 'inout' } }],
    ['a.npy', { _tag: 'file', file: 'a.npy' }],
    ['a.npy:in', { _tag: 'file', file: 'a.npy', role: 'in' }],
    ['all.npz:w', { _tag: 'file', file: 'all.npz:w' }],
    ['all.npz:in:in', { _tag: 'file', file: 'all.npz:in', role: 'in' }],
    ['7a.npy', { _tag: 'file', file: '7a.npy' }],
    ['a7', { _tag: 'file', file: 'a7' }],
    ['1.5x', { _tag: 'file', file: '1.5x' }],
  ] as const)('%s', (text, expected) => {
    expect(said(pointer, text)).toEqual(expected)
  })
  test.each([
    '',
    ':in',
    'what?',
    '?',
    '12',
    '-1.5',
    'f16[]',
    'f16[1,]',
    'f16[x]',
    'f16[1234567890]',
    'pear[1]',
    'f16[1]:pear',
  ])('no tensor: %s', (text) => {
    expect(said(pointer, text)).toBe('bad-flag')
  })
})
