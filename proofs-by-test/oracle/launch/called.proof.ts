/** What arguments are called, by hand: by the source beside the text, by the symbol, or by their own names. */
import { describe, expect, test } from 'vitest'
import { calledIn, namesInSource } from '../../../src/oracle/launch/ptx-called.js'
import { inMemory } from '../disk.js'

const files = (texts: Readonly<Record<string, string>>) =>
  inMemory(
    new Map(Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)] as const)),
  )
const entry = (name: string, count: number, locs: ReadonlyArray<string | undefined> = []) =>
  ({
    program: { name, sites: locs.map((loc) => ({ label: 's', path: [], loc })) },
    parameters: Array.from({ length: count }, (_, i) => ({
      name: `p${String(i)}`,
      type: 'u64',
      offset: 8 * i,
      bytes: 8,
    })),
  }) as unknown as Parameters<typeof namesInSource>[2]

const scale = '__global__ void scale(const float* x, float* y) { }'
const sum = '__global__ void sum(int n) { }'
// gem::scale<float>(float const*, float*)
const symbol = '_ZN3gem5scaleIfEEvPKT_PS1_'

describe('by the source', () => {
  test('that lines name, the first that has the kernel', () => {
    const all = files({ 'd/a.cu': sum, 'd/b.cu': scale, 'd/k.cu': sum })
    expect(namesInSource(all, 'd/k.ptx', entry('scale', 2, ['a.cu:1:2', 'b.cu:3:4', undefined]))).toEqual([
      'x',
      'y',
    ])
  })
  test('beside the text, where no line names any', () => {
    expect(namesInSource(files({ 'd/k.cu': scale }), 'd/k.ptx', entry('scale', 2))).toEqual(['x', 'y'])
    expect(namesInSource(files({ 'd/k.cu': scale }), 'd/other.ptx', entry('scale', 2))).toBeNull()
  })
  test('of a template in a namespace', () => {
    expect(namesInSource(files({ 'k.cu': scale }), 'k.ptx', entry(symbol, 2))).toEqual(['x', 'y'])
  })
  test('with as many parameters', () => {
    expect(namesInSource(files({ 'k.cu': scale }), 'k.ptx', entry('scale', 3))).toBeNull()
  })
  test('what is no place of a line is none', () => {
    expect(
      namesInSource(files({ 'b.cu': scale }), 'k.ptx', entry('scale', 2, ['b.cu', 'b.cu:1', 'b.cu:1:2:x'])),
    ).toBeNull()
  })
})

describe('each parameter', () => {
  test('by the source; by the types of the symbol; by its own name', () => {
    expect(calledIn(files({ 'k.cu': scale }), 'k.ptx', entry(symbol, 2), new Set())).toEqual(['x', 'y'])
    expect(calledIn(files({}), 'k.ptx', entry('_Z5scalePKfPf', 2), new Set())).toEqual([
      'argument 0 (const float*)',
      'argument 1 (float*)',
    ])
    expect(calledIn(files({}), 'k.ptx', entry('_Z5scalePKfPf', 3), new Set())).toEqual(['p0', 'p1', 'p2'])
    expect(calledIn(files({}), 'k.ptx', entry('scale', 2), new Set())).toEqual(['p0', 'p1'])
  })
  test('law 1: not as a tensor that is named elsewhere', () => {
    expect(calledIn(files({ 'k.cu': scale }), 'k.ptx', entry('scale', 2), new Set(['y']))).toEqual([
      'x',
      'p1',
    ])
  })
})
