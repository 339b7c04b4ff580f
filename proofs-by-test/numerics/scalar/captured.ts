/** What an H100 answered to every scalar opcode form (`conformance/hopper/ptx`), one form after the other. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { wordsOf, type ScalarType } from '../../../src/numerics/scalar/index.js'
import { tuples } from './operands.js'

export interface CapturedForm {
  readonly name: string
  /** lop3: its table. `mixed`: the carry was read by the other kind of operation. */
  readonly extra: number | 'mixed' | null
  readonly operands: readonly ScalarType[]
  /** Words of the operands, one list a tuple. */
  readonly inputs: readonly (readonly number[])[]
  /** Words of the results: one plane a word. */
  readonly results: readonly Int32Array[]
}

interface Kernel {
  readonly operands: readonly ScalarType[]
  readonly forms: readonly (readonly [string, number, (number | 'mixed')?])[]
}

const folder = new URL('../../../conformance/hopper/ptx/', import.meta.url)

const words = (operands: readonly ScalarType[], tuple: readonly bigint[]): readonly number[] =>
  operands.flatMap((type, i) =>
    wordsOf(type) === 2
      ? [Number(BigInt.asIntN(32, tuple[i]!)), Number(BigInt.asIntN(32, tuple[i]! >> 32n))]
      : [Number(BigInt.asIntN(32, tuple[i]!))],
  )

/** All forms of the capture in their order. */
export function* capturedForms(): Generator<CapturedForm> {
  const { count, kernels } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as {
    readonly count: number
    readonly kernels: readonly Kernel[]
  }
  const data = brotliDecompressSync(readFileSync(new URL('results.br', folder)))
  let at = 0
  const plane = (before: Int32Array | undefined): Int32Array => {
    const truth = data.readInt32LE(at)
    const start = at + 4
    const out = new Int32Array(count)
    if (truth !== 0) {
      at = start + Math.ceil(count / 8)
      for (let i = 0; i < count; i++) out[i] = (data[start + (i >> 3)]! >> (i & 7)) & 1 ? truth : 0
      return out
    }
    at = start + 4 * count
    const byte = (b: number, i: number): number => data[start + b * count + i]! << (8 * b)
    for (let i = 0; i < count; i++)
      out[i] = (byte(0, i) | byte(1, i) | byte(2, i) | byte(3, i)) ^ (before === undefined ? 0 : before[i]!)
    return out
  }
  let signature = ''
  let inputs: readonly (readonly number[])[] = []
  for (const { operands, forms } of kernels) {
    if (operands.join() !== signature) {
      signature = operands.join()
      inputs = tuples(operands, count).map((tuple) => words(operands, tuple))
    }
    let before: readonly Int32Array[] = []
    for (const [name, own, extra] of forms) {
      const results: Int32Array[] = []
      for (let w = 0; w < own; w++) results.push(plane(before[w]))
      before = results
      yield { name, extra: extra ?? null, operands, inputs, results }
    }
  }
}
