import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCall, showCall, type Call } from '../../src/layouts/name-syntax.js'
import { code, right } from '../either.js'

const name = fc.stringMatching(/^[A-Z_][A-Za-z_0-9]{0,6}$/).filter((n) => n !== 'Layout')
const argument = fc.oneof(fc.integer(), fc.array(fc.integer(), { maxLength: 3 }))
const applied = fc.record({ name, arguments: fc.array(argument, { maxLength: 3 }) })
const call: fc.Arbitrary<Call> = fc
  .tuple(applied, fc.array(applied, { maxLength: 2 }))
  .map(([head, methods]) => ({ ...head, methods }))

test('law 1: what is printed reads as itself', () => {
  fc.assert(
    fc.property(call, (c) => {
      expect(right(parseCall(showCall(c)))).toEqual(c)
    }),
    { numRuns: 50 },
  )
})

test('law 2: by hand; spaces, qualifiers, commas behind the last', () => {
  const reduce = { name: 'reduce', arguments: [1] }
  expect(right(parseCall('WGMMA'))).toEqual({ name: 'WGMMA', arguments: [], methods: [] })
  for (const text of [
    'A_1((64, 16), -2).reduce(1)',
    ' A_1 ( ( 64,16 ) , -2 ) . reduce ( 1 ) ',
    'plgpu.Layout.A_1((64, 16,), -2,).reduce(1,)',
    'Layout.A_1((64, 16), -2).reduce(1)',
  ])
    expect(right(parseCall(text))).toEqual({ name: 'A_1', arguments: [[64, 16], -2], methods: [reduce] })
  expect(right(parseCall('A()'))).toEqual({ name: 'A', arguments: [], methods: [] })
  expect(right(parseCall('A(())'))).toEqual({ name: 'A', arguments: [[]], methods: [] })
  expect(right(parseCall('plgpu'))).toEqual({ name: 'plgpu', arguments: [], methods: [] })
  expect(right(parseCall('TMEMLayout.SCALES')).name).toBe('SCALES')
  expect(right(parseCall('A.b.c(2)')).methods).toEqual([
    { name: 'b', arguments: [] },
    { name: 'c', arguments: [2] },
  ])
  expect(showCall({ name: 'A', arguments: [], methods: [] })).toBe('A')
  expect(showCall({ name: 'A', arguments: [[8], [1, 2], 3], methods: [reduce] })).toBe(
    'A((8,), (1, 2), 3).reduce(1)',
  )
})

test('refused, with what was expected', () => {
  const why = (text: string): string => {
    const result = parseCall(text)
    return result._tag === 'Left' ? result.left.message.slice(result.left.message.indexOf('expected')) : ''
  }
  expect(code(parseCall(''))).toBe('name.syntax')
  expect(why('')).toBe('expected a name, found the end')
  expect(why('(1)')).toBe("expected a name, found '('")
  expect(why('3')).toBe("expected a name, found '3'")
  expect(why('A(')).toBe('expected an integer or a tuple, found the end')
  expect(why('A(1')).toBe("expected ',' or ')', found the end")
  expect(why('A(1 2)')).toBe("expected ',' or ')', found '2'")
  expect(why('A(x)')).toBe("expected an integer or a tuple, found 'x'")
  expect(why('A(x1)')).toBe("expected an integer or a tuple, found 'x1'")
  expect(why('A(,)')).toBe("expected an integer or a tuple, found ','")
  expect(why('A((1, (2)))')).toBe("expected an integer, found '('")
  expect(why('A((1 2))')).toBe("expected ',' or ')', found '2'")
  expect(why('A) ')).toBe("expected the end, found ')'")
  expect(why('A B')).toBe("expected the end, found 'B'")
  expect(why('A.')).toBe('expected a name, found the end')
  expect(why('A.b(')).toBe('expected an integer or a tuple, found the end')
  expect(why('A.3')).toBe("expected a name, found '3'")
})
