/** What an H100 answered (`conformance/hopper/functions`): samples, and checksums of complete octaves and of all operands. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  isSpecialBinary,
  isSpecialUnary,
  type SpecialBinary,
  type SpecialUnary,
  unaryFunction,
} from '../../../src/numerics/special-functions/index.js'

const read = (name: string): string =>
  readFileSync(new URL(`../../../conformance/hopper/functions/${name}.json`, import.meta.url), 'utf8')

interface Quadratics {
  readonly c0: readonly number[]
  readonly c1: readonly number[]
  readonly c2: readonly number[]
}
interface Tables {
  readonly tables: Readonly<Record<'ex2' | 'rcp' | 'lg2' | 'rsq_even' | 'rsq_odd', Quadratics>>
  readonly tanh: readonly (Quadratics & {
    readonly exponent: number
    readonly ignored_bits: number
    readonly unit: number
  })[]
}
interface Samples {
  readonly inputs: string
  readonly outputs: Readonly<Record<string, string>>
  readonly pairs: {
    readonly a: string
    readonly b: string
    readonly outputs: Readonly<Record<string, string>>
  }
  readonly half: { readonly inputs: string; readonly outputs: Readonly<Record<string, string>> }
}
interface Checksums {
  readonly octaves: {
    readonly functions: Readonly<
      Record<string, readonly { readonly first: string; readonly sha256: string }[]>
    >
  }
  readonly half: { readonly functions: Readonly<Record<string, string>> }
  readonly blocks: { readonly functions: Readonly<Record<string, string>> }
}

export const tables = JSON.parse(read('tables')) as Tables
const samples = JSON.parse(read('samples')) as Samples
const checksums = JSON.parse(read('checksums')) as Checksums

const patterns = (text: string, digits: number): Uint32Array =>
  Uint32Array.from({ length: text.length / digits }, (_, i) =>
    parseInt(text.slice(digits * i, digits * (i + 1)), 16),
  )

export const unaryNamed = (name: string): SpecialUnary => {
  if (!isSpecialUnary(name)) throw new Error(name)
  return name
}
const binaryNamed = (name: string): SpecialBinary => {
  if (!isSpecialBinary(name)) throw new Error(name)
  return name
}

export interface UnarySample {
  readonly name: SpecialUnary
  readonly inputs: Uint32Array
  readonly outputs: Uint32Array
}

const rsqrtOfPairs = 'rsqrt.approx.f32(a)'

export const unarySamples: readonly UnarySample[] = [
  ...Object.entries(samples.outputs).map(([name, outputs]) => ({
    name: unaryNamed(name),
    inputs: patterns(samples.inputs, 8),
    outputs: patterns(outputs, 8),
  })),
  ...Object.entries(samples.half.outputs).map(([name, outputs]) => ({
    name: unaryNamed(name),
    inputs: patterns(samples.half.inputs, 4),
    outputs: patterns(outputs, 4),
  })),
  {
    name: 'rsqrt.approx.f32',
    inputs: patterns(samples.pairs.a, 8),
    outputs: patterns(samples.pairs.outputs[rsqrtOfPairs]!, 8),
  },
]

export const binarySamples: readonly {
  readonly name: SpecialBinary
  readonly a: Uint32Array
  readonly b: Uint32Array
  readonly outputs: Uint32Array
}[] = Object.entries(samples.pairs.outputs)
  .filter(([name]) => name !== rsqrtOfPairs)
  .map(([name, outputs]) => ({
    name: binaryNamed(name),
    a: patterns(samples.pairs.a, 8),
    b: patterns(samples.pairs.b, 8),
    outputs: patterns(outputs, 8),
  }))

/** The octaves that were read out whole: 2^23 operands from `first` on. */
export const octaves: readonly {
  readonly name: SpecialUnary
  readonly first: number
  readonly sha256: string
}[] = Object.entries(checksums.octaves.functions).flatMap(([name, all]) =>
  all.map(({ first, sha256 }) => ({ name: unaryNamed(name), first: parseInt(first, 16), sha256 })),
)

/** The complete functions of half precision. */
export const halves: readonly { readonly name: SpecialUnary; readonly sha256: string }[] = Object.entries(
  checksums.half.functions,
).map(([name, sha256]) => ({ name: unaryNamed(name), sha256 }))

/** The sums over the 512 blocks of 2^23 operands. */
export const blockSums: readonly { readonly name: SpecialUnary; readonly sums: readonly bigint[] }[] =
  Object.entries(checksums.blocks.functions).map(([name, text]) => ({
    name: unaryNamed(name),
    sums: Array.from({ length: text.length / 16 }, (_, i) => BigInt(`0x${text.slice(16 * i, 16 * (i + 1))}`)),
  }))

export const octave = 8388608

/** sha256 of the results, little-endian, of the 2^23 operands from `first` on. */
export const octaveHash = (f: (x: number) => number, first: number): string => {
  const out = new Uint32Array(octave)
  for (let i = 0; i < octave; i++) out[i] = f(first + i)
  return createHash('sha256').update(out).digest('hex')
}

/** sha256 of all 65536 results, little-endian. */
export const halfHash = (f: (x: number) => number): string =>
  createHash('sha256')
    .update(Uint16Array.from({ length: 65536 }, (_, x) => f(x)))
    .digest('hex')

// ---------------------------------------------------------------- the sums of the blocks

/** splitmix64 by its definition: the naive form of the loop below. */
export const mix = (input: number, result: number): bigint => {
  const wrap = (z: bigint): bigint => BigInt.asUintN(64, z)
  const a = wrap((BigInt(input) << 32n) + BigInt(result) + 0x9e3779b97f4a7c15n)
  const b = wrap((a ^ (a >> 30n)) * 0xbf58476d1ce4e5b9n)
  const c = wrap((b ^ (b >> 27n)) * 0x94d049bb133111ebn)
  return c ^ (c >> 31n)
}

/**
 * The sum of `mix(x, f(x))` modulo 2^64 over at most 2^20 operands. A 64-bit number is two 32-bit halves; the product of two low halves is
 * cut at 16 bits, so everything stays in integers and doubles.
 */
export const shortSum = (f: (x: number) => number, first: number, count: number): bigint => {
  // At most 2^20 terms below 2^32 each: exact.
  let sumLow = 0
  let sumHigh = 0
  for (let i = 0; i < count; i++) {
    const x = first + i
    let low = (f(x) + 0x7f4a7c15) | 0
    let high = (x + 0x9e3779b9 + (low >>> 0 < 0x7f4a7c15 ? 1 : 0)) | 0
    // z ^ z >> 30, times 0xbf58476d1ce4e5b9
    low ^= (low >>> 30) | (high << 2)
    high ^= high >>> 30
    let a = low & 0xffff
    let b = low >>> 16
    let m = (Math.imul(b, 0xe5b9) + (Math.imul(a, 0xe5b9) >>> 16)) | 0
    let n = ((m & 0xffff) + Math.imul(a, 0x1ce4)) | 0
    high =
      (Math.imul(low, 0xbf58476d) +
        Math.imul(high, 0x1ce4e5b9) +
        Math.imul(b, 0x1ce4) +
        (m >>> 16) +
        (n >>> 16)) |
      0
    low = Math.imul(low, 0x1ce4e5b9)
    // z ^ z >> 27, times 0x94d049bb133111eb
    low ^= (low >>> 27) | (high << 5)
    high ^= high >>> 27
    a = low & 0xffff
    b = low >>> 16
    m = (Math.imul(b, 0x11eb) + (Math.imul(a, 0x11eb) >>> 16)) | 0
    n = ((m & 0xffff) + Math.imul(a, 0x1331)) | 0
    high =
      (Math.imul(low, 0x94d049bb) +
        Math.imul(high, 0x133111eb) +
        Math.imul(b, 0x1331) +
        (m >>> 16) +
        (n >>> 16)) |
      0
    low = Math.imul(low, 0x133111eb)
    // z ^ z >> 31
    sumLow += (low ^ ((low >>> 31) | (high << 1))) >>> 0
    sumHigh += (high ^ (high >>> 31)) >>> 0
  }
  return BigInt(sumLow) + (BigInt(sumHigh) << 32n)
}

/** The sum over the block of 2^23 operands from `first` on. */
export const blockSum = (f: (x: number) => number, first: number): bigint => {
  let sum = 0n
  for (let part = 0; part < octave; part += 1048576) sum += shortSum(f, first + part, 1048576)
  return BigInt.asUintN(64, sum)
}

/** The same of any number of operands, by the definition. */
export const sumByDefinition = (f: (x: number) => number, first: number, count: number): bigint => {
  let sum = 0n
  for (let x = first; x < first + count; x++) sum += mix(x, f(x))
  return BigInt.asUintN(64, sum)
}

/** The blocks, of all 2^32 operands, whose sum is not the captured one. */
export const wrongBlocks = (name: SpecialUnary): readonly number[] => {
  const { sums } = blockSums.find((b) => b.name === name)!
  const f = unaryFunction[name]
  return sums.flatMap((sum, k) => (blockSum(f, k * octave) === sum ? [] : [k]))
}
