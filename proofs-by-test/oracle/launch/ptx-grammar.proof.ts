/**
 * Words of arguments of PTX: which parameter is meant, what every word says, and which are none.
 *
 * Oracle: arguments are made first, and written as words in every spelling and order; and words with one thing wrong.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EntryParameter } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { ptxWord, spotOf, typeText } from '../../../src/oracle/launch/ptx-words.js'
import { encodeNpy, npyArray } from '../../../src/oracle/tensor-files/npy.js'
import { left, right } from '../../either.js'
import { inMemory } from '../disk.js'

const files = inMemory(
  new Map([['x.npy', right(encodeNpy(right(npyArray('f2', [16, 64], new Uint8Array(2048)))))]]),
)
const parameter = (type: string, bytes = 8, name = 'p'): EntryParameter => ({
  ...{ name, type, bytes, offset: 0 },
  at: { line: 1, column: 1 },
})
const pointer = parameter('u64')
const said = (word: string, p = pointer, offset: number | null = null): unknown => {
  const found = ptxWord(files)(p, offset, word)
  return E.isLeft(found) ? found.left.message : found.right
}

describe('parameters', () => {
  const four = [
    parameter('u64', 8, 'a'),
    parameter('b8', 128, 'b'),
    parameter('u32', 4, '7'),
    parameter('f32', 4),
  ]
  test('by its name, by what it is called, by its number, and a byte of it', () => {
    const called = ['x', 'y', 'a', 'b']
    for (const [key, expected] of [
      ...(['a', 'b', '7', 'p'] as const).map((name, k) => [name, k] as const),
      // a name of the text goes before a name of the source, and both before a number
      ...([
        ['x', 0],
        ['y', 1],
        ['0', 0],
        ['3', 3],
      ] as const),
      ...['4', '-1', '1.0', '', 'z', '1234567890', ' a', 'a '].map((none) => [none, null] as const),
    ])
      for (const offset of [null, 0, 16, 123456789]) {
        const found = spotOf(four, called, offset === null ? key : `${key}+${String(offset)}`)
        expect([key, offset, found]).toEqual([
          key,
          offset,
          expected === null ? null : { parameter: expected, offset },
        ])
      }
    for (const key of ['a+', 'a+x', 'a+1234567890', 'a+-1', '+1'])
      expect(spotOf(four, called, key)).toBeNull()
  })
  test('by a number of two digits', () => {
    const many = Array.from({ length: 12 }, (_, k) => parameter('u32', 4, `q${String(k)}`))
    expect(spotOf(many, [], '11')).toEqual({ parameter: 11, offset: null })
    expect(spotOf(many, [], 'q10+8')).toEqual({ parameter: 10, offset: 8 })
  })
  test('types as an entry writes them', () => {
    for (const [type, bytes, expected] of [
      ['u32', 4, 'u32'],
      ['u32', 16, 'u32[4]'],
      ['b8', 128, 'b8[128]'],
      ['b8', 1, 'b8'],
      ['f64', 8, 'f64'],
      ['texref', 8, 'texref'],
    ] as const)
      expect(typeText(parameter(type, bytes))).toBe(expected)
  })
})

describe('numbers', () => {
  const spelled: ReadonlyArray<readonly [text: string, exact: string | null, real: number | 'nan']> = [
    ['0', '0', 0],
    ['512', '512', 512],
    ['+512', '512', 512],
    ['-1', '-1', -1],
    ['0x1F', '31', 31],
    ['0Xff', '255', 255],
    ['true', '1', 1],
    ['false', '0', 0],
    ['9007199254740993', '9007199254740993', 9007199254740992],
    ['0.5', null, 0.5],
    ['-2.5e-1', null, -0.25],
    ['.5', null, 0.5],
    ['5.', null, 5],
    ['1E3', null, 1000],
    ['inf', null, Infinity],
    ['-inf', null, -Infinity],
    ['+inf', null, Infinity],
    ['nan', null, 'nan'],
  ]
  test('every spelling, in every type, with its type and without', () => {
    for (const [text, exact, real] of spelled)
      for (const type of ['u32', 's64', 'b16', 'f32', 'f64']) {
        const isReal = type.startsWith('f')
        const value = isReal ? real : exact
        const argument = { kind: 'scalar', type, value }
        const expected = { guess: false, argument, before: null, behind: null }
        const refused = (key: string): string =>
          `--arg ${key}: expected a number of type ${type}, found '${text}:${type}'`
        expect([text, type, said(`${text}:${type}`)]).toEqual([
          text,
          type,
          value === null ? refused('p') : expected,
        ])
        expect(said(`${text}:${type}`, pointer, 4)).toEqual(value === null ? refused('p+4') : expected)
        expect(said(`${text}:${type}:guess`)).toEqual(
          value === null ? refused('p') : { ...expected, guess: true },
        )
        // the type of the parameter, of which all but f32 and f64 are bits
        const bytes = Number(type.slice(1)) / 8
        const own = isReal ? type : `b${type.slice(1)}`
        expect(said(text, parameter(type, bytes))).toEqual(
          value === null
            ? `--arg p: expected a number of type ${own}, found '${text}'`
            : { ...expected, argument: { ...argument, type: own } },
        )
        // of a field nothing says the type
        expect(said(text, parameter('b8', 16), 4)).toBe(
          `--arg p+4: expected a number with its type, such as 512:u32, found '${text}'`,
        )
      }
  })
  test('a type that there is not', () => {
    expect(said('1:u33')).toBe(`--arg p: expected a number of type u33, found '1:u33'`)
    expect(said('0.5:u33')).toContain('a number of type u33')
  })
})

// ---------------------------------------------------------------- tensors

const roles = ['in', 'out', 'inout', undefined] as const
const dtypes = [
  ['f16', 'f16', 2],
  ['float32', 'f32', 4],
  ['bf16', 'bf16', 2],
  ['u8', 'u8', 1],
] as const

describe('tensors', () => {
  test('a file or extents, in every role and type', () => {
    for (const role of roles) {
      const tail = role === undefined ? '' : `:${role}`
      const plain = { kind: 'pointer', tensor: 'p', role: role ?? 'in' }
      for (const [written, dtype] of dtypes) {
        for (const extents of ['16,64', '16x64', ' 16 , 64 '])
          expect(said(`${written}[${extents}]${tail}`)).toEqual({
            ...{ guess: false, before: null, behind: null },
            argument: { ...plain, dtype, shape: [16, 64] },
          })
        for (const word of [
          `x.npy:${written}${tail}`,
          ...(role === undefined ? [] : [`x.npy${tail}:${written}`]),
        ])
          expect(said(word)).toEqual({
            guess: false,
            argument: { ...plain, dtype, shape: [16, 64] },
            before: role === 'out' ? null : 'x.npy',
            behind: role === 'out' ? 'x.npy' : null,
          })
      }
      // what the file says
      expect(said(`x.npy${tail}`, pointer, 16)).toMatchObject({
        argument: { ...plain, tensor: 'p+16', dtype: 'f16' },
      })
    }
  })
  test.each([
    ['', 'a number, a file, or DTYPE'],
    ['what?', 'a number, a file, or DTYPE'],
    ['f16[]', 'extents of at most nine digits'],
    ['f16[1,]', 'extents of at most nine digits'],
    ['f16[1 2]', 'extents of at most nine digits'],
    ['f16[1234567890]', 'extents of at most nine digits'],
    ['pear[1]', 'DTYPE[EXTENTS]'],
    ['f16[1]:f32', 'DTYPE[EXTENTS]'],
    ['x.npy:swizzle=0', 'block=EXTENTS together with'],
    ['x.npy:fill=nan', 'block=EXTENTS together with'],
    ['x.npy:lower=1', 'block=EXTENTS together with'],
    ['x.npy:upper=1', 'block=EXTENTS together with'],
    ['x.npy:steps=1', 'block=EXTENTS together with'],
    ['x.npy:block=8,64:lower=1', 'lower and upper together'],
    ['x.npy:block=8,64:upper=1', 'lower and upper together'],
    ['x.npy:block=8', '--arg p: '],
    ['none.npy', 'no such file'],
    // what is no trait is a part of the name
    ['x.npy:block=8x', 'no such file'],
    ['x.npy:block=1234567890', 'no such file'],
    ['x.npy:steps=1,,2', 'no such file'],
    ['x.npy:lower=1.5', 'no such file'],
    ['x.npy:lower=123456', 'no such file'],
    ['x.npy:upper=1x2', 'no such file'],
    ['x.npy:swizzle=16', 'no such file'],
    ['x.npy:fill=one', 'no such file'],
    ['x.npy:toString', 'no such file'],
    ['x.npy:in:pear', 'no such file'],
    ['x.npy:zblock=8', 'no such file'],
    ['x.npy:f-f16', 'no such file'],
    ['x.npy:f16-', 'no such file'],
    [':in', 'no such file'],
    ['1f16[2]', 'no such file'],
    ['f16[2]x', 'no such file'],
  ])('%s is none', (word, why) => {
    const message = left(ptxWord(files)(pointer, null, word)).message
    expect(message).toContain(why)
  })
  test('tensor maps, their traits in every order', () => {
    const trait = <A>(of: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(of, { nil: undefined })
    const corner = fc.array(fc.constantFrom(-12345, -3, 0, 7, 12345), { minLength: 2, maxLength: 2 })
    fc.assert(
      fc.property(
        fc.record({
          role: fc.constantFrom(...roles),
          swizzle: trait(fc.constantFrom(0, 32, 64, 128)),
          fill: trait(fc.constantFrom('zero', 'nan')),
          steps: trait(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 4, maxLength: 4 })),
          window: trait(fc.tuple(corner, corner)),
          rows: fc.constantFrom(1, 8, 256, 300),
          columns: fc.constantFrom(16, 32, 64),
          cross: fc.constantFrom(',', 'x'),
        }),
        fc.array(fc.nat({ max: 100 }), { minLength: 7, maxLength: 7 }),
        ({ role, swizzle, fill, steps, window, rows, columns, cross }, keys) => {
          const shape = [4, 10, 10, 64]
          const block = window === undefined ? [1, 2, rows, columns] : [rows, columns]
          const traits = [
            `block=${block.join(cross)}`,
            ...(role === undefined ? [] : [role]),
            ...(swizzle === undefined ? [] : [`swizzle=${String(swizzle)}`]),
            ...(fill === undefined ? [] : [`fill=${fill}`]),
            ...(steps === undefined ? [] : [`steps=${steps.join(cross)}`]),
            ...(window === undefined ? [] : [`lower=${window[0].join()}`, `upper=${window[1].join()}`]),
          ]
            .map((text, k) => [keys[k]!, text] as const)
            .sort(([a], [b]) => a - b)
            .map(([, text]) => text)
          const widest = columns * 2 >= 128 ? 128 : columns * 2
          const span = swizzle ?? widest
          const narrow = span === 0 ? columns : Math.min(columns, span / 2)
          const turned = <A>(of: ReadonlyArray<A>): ReadonlyArray<A> => [...of].reverse()
          expect(said(`f16[${shape.join()}]:${traits.join(':')}`)).toStrictEqual({
            guess: false,
            argument: {
              ...{ kind: 'tensormap', tensor: 'p', dtype: 'f16', dims: turned(shape), shape },
              strides: [128, 1280, 12800],
              ...{ swizzle: span, role: role ?? 'in' },
              box: window === undefined ? [narrow, Math.min(rows, 256), 2, 1] : turned(block),
              ...(fill === undefined ? {} : { fill }),
              ...(steps === undefined ? {} : { elementStrides: turned(steps) }),
              ...(window === undefined
                ? {}
                : { window: { lower: turned(window[0]), upper: turned(window[1]) } }),
            },
            before: null,
            behind: null,
          })
        },
      ),
      { numRuns: 150 },
    )
  })
})
