/**
 * Signatures: which fields of an instruction are operands and which attributes, and what it gives back for operands of given types. Tables by
 * hand, from the operand lists of the instructions; that every instruction has the fields of its row is in `rows.proof.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { wgmmaShape } from '../../../src/layouts/shared-memory/wgmma-shape.js'
import { dtypes, isFloat, type Dtype } from '../../../src/numerics/dtype.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import {
  attributesOf,
  elementOf,
  isInstructionName,
  mapOperands,
  operandsOf,
  resultTypes,
} from '../../../src/semantics/language/signature.js'
import * as T from '../../../src/semantics/language/types.js'
import type { Type } from '../../../src/semantics/language/types.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { right } from '../../either.js'
import { words } from './words.js'

const name = (text: string): never => ({ _tag: 'name', name: text }) as never
const instruction = (
  fields: Readonly<Record<string, unknown>> & { readonly _tag: Instruction['_tag'] },
): Instruction => fields as unknown as Instruction
const load = instruction({
  _tag: 'tma.load',
  descriptor: name('map'),
  coords: [name('x'), name('y')],
  destination: name('to'),
  barrier: name('bar'),
  ctaGroup: 2,
})
const product = instruction({
  _tag: 'tcgen05.mma',
  accumulator: name('d'),
  a: name('a'),
  b: name('b'),
  accumulate: name('p'),
  ctaGroup: 1,
  saturate: true,
  completions: [{ barrier: name('done'), when: name('q'), multicast: name('mask') }],
})

test('an accumulator is what some product of wgmma adds up in, and no other', () => {
  const into = (d: Dtype): boolean =>
    dtypes.some((a) => dtypes.some((b) => E.isRight(wgmmaShape(a, b, d, 64))))
  const { kind } = words['view regs of f32|f16|i32 rank 2']
  expect([...kind.dtypes].sort()).toEqual(dtypes.filter(into).sort())
})

describe('operands', () => {
  const fieldsOf = (i: Instruction): ReadonlyArray<string> =>
    operandsOf(i).map(({ field, expr, kind }) => {
      const shown = typeof expr !== 'object' ? String(expr) : 'name' in expr ? expr.name : '?'
      return `${field}: ${shown} ${kind._tag}`
    })
  test('where one stands, as data: its name in the row, and which of several it is', () => {
    const places = (i: Instruction): ReadonlyArray<string> =>
      operandsOf(i).map(({ field, role, index }) => `${field}: ${role} ${String(index)}`)
    expect(places(load)).toEqual([
      'descriptor: descriptor null',
      'coords[0]: coords 0',
      'coords[1]: coords 1',
      'destination: destination null',
      'barrier: barrier null',
    ])
    expect(places(product).slice(-3)).toEqual([
      'completions[0].barrier: barrier 0',
      'completions[0].when: when 0',
      'completions[0].multicast: multicast 0',
    ])
  })
  test('in the order of the signature, each with where it stands and its kind', () => {
    expect(fieldsOf(load)).toEqual([
      'descriptor: map descriptor',
      'coords[0]: x scalar',
      'coords[1]: y scalar',
      'destination: to view',
      'barrier: bar barrier',
    ])
    expect(fieldsOf(product)).toEqual([
      'accumulator: d view',
      'a: a view',
      'b: b view',
      'accumulate: p scalar',
      'completions[0].barrier: done barrier',
      'completions[0].when: q scalar',
      'completions[0].multicast: mask scalar',
    ])
  })
  test('what may be left out is listed where it is there', () => {
    expect(fieldsOf({ ...load, multicast: name('mask') } as Instruction)).toContain('multicast: mask scalar')
  })
  test('what is no expression is an operand too, without a type; what a completion does not have is none', () => {
    const odd = instruction({
      ...product,
      a: 7,
      b: null,
      completions: [null, 3, { barrier: 5, when: name('q'), other: name('z') }],
    })
    expect(fieldsOf(odd)).toEqual([
      'accumulator: d view',
      'a: 7 view',
      'accumulate: p scalar',
      'completions[2].barrier: 5 barrier',
      'completions[2].when: q scalar',
    ])
    expect(fieldsOf(instruction({ ...load, coords: 4 }))).toEqual([
      'descriptor: map descriptor',
      'destination: to view',
      'barrier: bar barrier',
    ])
  })
  test('mapping replaces them, and leaves everything else', () => {
    const renamed = mapOperands((_, field) => ({ _tag: 'name', name: `new ${field}` }))
    expect(renamed(load)).toEqual({
      _tag: 'tma.load',
      descriptor: name('new descriptor'),
      coords: [name('new coords[0]'), name('new coords[1]')],
      destination: name('new destination'),
      barrier: name('new barrier'),
      ctaGroup: 2,
    })
    expect(renamed(product)).toMatchObject({
      a: name('new a'),
      ctaGroup: 1,
      saturate: true,
      completions: [
        {
          barrier: name('new completions[0].barrier'),
          when: name('new completions[0].when'),
          multicast: name('new completions[0].multicast'),
        },
      ],
    })
    const odd = instruction({ ...product, a: 7, completions: [null, 3] })
    expect(renamed(odd)).toMatchObject({ a: 7, completions: [null, 3] })
  })
})

test('attributes: the rest, as far as it is there', () => {
  expect(attributesOf(load)).toEqual([['ctaGroup', 2]])
  expect(attributesOf(product)).toEqual([
    ['ctaGroup', 1],
    ['saturate', true],
  ])
  const wait = instruction({
    _tag: 'mbarrier.wait',
    barrier: name('b'),
    scope: 'cta',
    acquire: false,
    parity: name('p'),
  })
  expect(attributesOf(wait)).toEqual([
    ['acquire', false],
    ['scope', 'cta'],
  ])
  const create = instruction({
    _tag: 'tensormap.create',
    at: name('at'),
    tensor: name('t'),
    dims: [name('n')],
    strides: [],
    box: [64],
    dtype: 'f16',
    swizzle: 128,
    fill: 'zero',
  })
  expect(attributesOf(create).map(([field]) => field)).toEqual(['box', 'dtype', 'swizzle', 'fill'])
})

describe('results', () => {
  const view: Type = T.view('smem', 'u8', right(ofStrides([4, 8], 8, [8, 1])))
  const floats: Type = T.view('regs', 'bf16', right(ofStrides([4], 16, [1])))
  const pointers: Type = T.tile([4, 2], T.ptr('i16'), 'any')
  const numbers: Type = T.tile([4, 2], T.i32, 'any')
  const given =
    (fields: Readonly<Record<string, Type>>) =>
    (field: string): Type | undefined =>
      fields[field]
  const of = (
    tag: Instruction['_tag'],
    fields: Readonly<Record<string, Type>> = {},
    more: object = {},
  ): unknown => resultTypes(instruction({ _tag: tag, ...more }), given(fields))
  test.each<readonly [Instruction['_tag'], Readonly<Record<string, Type>>, unknown]>([
    ['wgmma.fence', {}, []],
    ['elect', {}, [T.i1]],
    ['mbarrier.test', {}, [T.i1]],
    ['clc.query', {}, [T.i1, T.i32, T.i32, T.i32]],
    ['cpAsync.copy', {}, [T.token]],
    ['cpAsync.commitGroup', {}, [T.token]],
    ['cpAsync.waitGroup', {}, [T.token]],
    ['smem.load', { source: view }, [T.tile([4, 8], T.i32, 'any')]],
    ['regs.read', { source: floats }, [T.tile([4], T.scalar('bf16'), 'any')]],
    ['smem.atomic', { destination: view, source: floats }, [T.tile([4, 8], T.i32, 'any')]],
    ['gmem.loadPtr', { source: pointers }, [T.tile([4, 2], T.i32, 'any')]],
    ['gmem.atomicPtr', { destination: pointers }, [T.tile([4, 2], T.i32, 'any')]],
    // operands of another kind, or none
    ['smem.load', { source: numbers }, undefined],
    ['smem.load', {}, undefined],
    ['smem.load', { destination: view }, undefined],
    ['gmem.loadPtr', { source: numbers }, undefined],
    ['gmem.loadPtr', { source: view }, undefined],
    ['gmem.loadPtr', {}, undefined],
  ])('%s', (tag, fields, expected) => {
    expect(of(tag, fields)).toEqual(expected)
  })
  test('a descriptor is as its attributes say', () => {
    expect(of('tensormap.acquire', {}, { dtype: 'f16', rank: 3 })).toEqual([T.descriptor('f16', 3)])
  })
  test('registers hold narrow integers widened, and every float as it is', () => {
    const integers: Partial<Record<Dtype, 'i1' | 'i32' | 'i64'>> = {
      i1: 'i1',
      i4: 'i32',
      u4: 'i32',
      i8: 'i32',
      u8: 'i32',
      i16: 'i32',
      u16: 'i32',
      i32: 'i32',
      u32: 'i32',
      i64: 'i64',
      u64: 'i64',
    }
    for (const d of dtypes) expect(elementOf(d)).toEqual(T.scalar(isFloat(d) ? d : integers[d]!))
  })
})

test('names of instructions, and others', () => {
  expect(['tma.load', 'elect', 'trap', 'tma', '', 'constructor', 'toString'].map(isInstructionName)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
})
