/** Where the system gives no memory for vectors: the same numbers, by their definition. */
import * as O from 'fp-ts/lib/Option.js'
import { afterEach, expect, test, vi } from 'vitest'
import { bits as plain } from '../../src/numerics/bits.js'

const shape = { m: 64, n: 64, k: 64 }
const types = { a: 'f16', b: 'f16', acc: 'f32' } as const
const numbers = (count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => (i * 7919) % 0x7c00)
const product = (mma: ReturnType<ReturnType<typeof plain>['mma']>): ReadonlyArray<number> =>
  O.isNone(mma) ? [] : [...mma.value(numbers(64 * 64), numbers(64 * 64), new Float64Array(64 * 64))]

const refusing = {
  ...Object.fromEntries(
    Object.getOwnPropertyNames(WebAssembly).map((name) => [name, Reflect.get(WebAssembly, name)]),
  ),
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const refuse = (): never => {
  throw new RangeError('could not allocate memory')
}
const Grudging = function (): WebAssembly.Memory {
  const memory = new WebAssembly.Memory({ initial: 1 })
  return Object.defineProperty(memory, 'grow', { value: refuse })
}

test.each([
  ['none at all', { ...refusing, Memory: refuse }],
  ['no more than a page', { ...refusing, Memory: Grudging }],
  ['no code', { ...refusing, Instance: refuse }],
])('%s', async (_, wasm) => {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', wasm)
  const { bits } = await import('../../src/fast/index.js')
  const found = product(bits('hopper').mma(types, shape))
  expect(found).toHaveLength(64 * 64)
  expect(found).toEqual(product(plain('hopper').mma(types, shape)))
})
