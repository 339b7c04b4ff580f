/** `tcspec mma`: captured products of the chip through files, filled instructions, and what is refused. */
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { decodeNpy, encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import {
  npyOfTensor,
  tensor,
  tensorOfNpy,
  type TensorDtype,
} from '../../../src/oracle/tensor-files/tensor.js'
import { capturedCases, capturedIntegers } from '../../numerics/captured.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const world = worldOf(inMemory(disk))
const run = (...argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, world)(['mma', ...argv])()
const put = (
  file: string,
  dtype: TensorDtype,
  shape: ReadonlyArray<number>,
  patterns: Float64Array,
): void => {
  disk.set(file, right(encodeNpy(npyOfTensor(right(tensor(dtype, shape, patterns))))))
}
const patternsIn = (file: string, dtype: TensorDtype): ReadonlyArray<number> =>
  Array.from(right(tensorOfNpy(dtype)(right(decodeNpy(disk.get(file)!)))).bits, Number)

describe('captured products', () => {
  it.each(capturedCases.filter((_, i) => i % 3 === 0))('$file', async ({ types, m, n, k, tiles }) => {
    const t = tiles[0]!
    put('a', types.a, [m, k], t.a)
    put('b', types.b, [k, n], t.b)
    put('c', types.acc, [m, n], t.c)
    const argv = ['--in', `a:${types.a}=a`, `b:${types.b}=b`, `c:${types.acc}=c`, '--out', `d:${types.acc}=d`]
    for (const how of [[], ['--no-fast']]) {
      disk.delete('d')
      expect(await run(...argv, ...how)).toMatchObject({ status: 0, stderr: '' })
      expect(patternsIn('d', types.acc)).toEqual([...t.d])
    }
  })
})

describe('captured products of integers', () => {
  // values as files hold them
  const unsigned = (x: Float64Array, bits: number): Float64Array => x.map((v) => (v < 0 ? v + 2 ** bits : v))
  it.each(capturedIntegers)('$file', async ({ types, m, n, k, tiles }) => {
    const t = tiles[0]!
    put('a', types.a, [m, k], unsigned(t.a, 8))
    put('b', types.b, [k, n], unsigned(t.b, 8))
    put('c', 'i32', [m, n], unsigned(t.c, 32))
    const mode = types.saturate ? ['--saturate'] : []
    for (const how of [[], ['--no-fast']]) {
      disk.delete('d')
      // npy files say themselves what they hold
      const ran = await run('--in', 'a=a', 'b=b', 'c=c', '--out', 'd=d', ...mode, ...how)
      expect(ran).toMatchObject({ status: 0, stderr: '' })
      expect(patternsIn('d', 'i32')).toEqual([...unsigned(t.d, 32)])
    }
  })
  it('into i32 without being told, a k that is no whole number of instructions, more rows than at once', async () => {
    const [m, n, k] = [300, 2, 5]
    const a = Float64Array.from({ length: m * k }, (_, i) => (i * 7) % 256)
    const b = Float64Array.from({ length: k * n }, (_, i) => (i * 91) % 256)
    put('a', 'u8', [m, k], a)
    put('b', 'i8', [k, n], b)
    const ran = await run('--in', 'a=a', 'b=b', '--out', 'd=d', '--saturate')
    expect(ran.stdout).toContain('u8 x i8 into i32, saturating')
    expect(ran.stdout).toContain('k with zeros up to 32')
    const d = new Int32Array(new Uint32Array(patternsIn('d', 'i32')).buffer)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let p = 0; p < k; p++) sum += a[i * k + p]! * ((b[p * n + j]! << 24) >> 24)
        expect(d[i * n + j]).toBe(sum)
      }
  })
})

describe('extents', () => {
  it('more rows than are multiplied at once, and a k that is no whole number of instructions', async () => {
    const [m, n, k] = [600, 3, 17]
    // 1, 2, 3 in f16: every sum is exact
    const value = (i: number): number => 1 + (i % 3)
    const pattern = [0, 0x3c00, 0x4000, 0x4200]
    put(
      'a',
      'f16',
      [m, k],
      Float64Array.from({ length: m * k }, (_, i) => pattern[value(i)]!),
    )
    put(
      'b',
      'f16',
      [k, n],
      Float64Array.from({ length: k * n }, (_, i) => pattern[value(i)]!),
    )
    const ran = await run('--in', 'a=a', 'b=b', '--out', 'd=d')
    expect(ran.stdout).toContain('k with zeros up to 32')
    const bits = new Uint32Array(patternsIn('d', 'f32'))
    const d = new Float32Array(bits.buffer)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let p = 0; p < k; p++) sum += value(i * k + p) * value(p * n + j)
        expect(d[i * n + j]).toBe(sum)
      }
  })
})

describe('refusals, one line each', () => {
  const one = Float64Array.of(0)
  put('a1', 'f16', [1, 1], one)
  put('b2', 'f16', [2, 1], new Float64Array(2))
  put('flat', 'f16', [1], one)
  put('whole', 'i32', [1, 1], one)
  put('byte', 'u8', [1, 1], one)
  put('wide', 'f64', [1, 1], one)
  put('c2', 'f32', [1, 2], new Float64Array(2))
  it.each([
    [['--in', 'a=a1'], 'expected a file for b, found'],
    [['--in', 'a=a1', 'b=a1', 'x=a1'], 'expected a, b and perhaps c'],
    [['--in', 'a=a1', 'b=b2'], 'b: expected as many rows as a has columns, 1, found 2'],
    [['--in', 'a=a1', 'b=a1', 'c=c2'], 'c: expected shape (1, 1), found (1, 2)'],
    [['--in', 'a=flat', 'b=a1'], 'a: expected a matrix, found shape (1)'],
    [['--in', 'a=whole', 'b=a1'], 'hopper has no product of i32 and f16 into i32'],
    [['--in', 'a:e4m3=byte', 'b:u8=byte'], 'hopper has no product of e4m3 and u8 into f32'],
    [['--in', 'a:u8=byte', 'b:u8=byte', '--acc', 'f32'], 'hopper has no product of u8 and u8 into f32'],
    [['--in', 'a=a1', 'b=a1', '--saturate'], 'hopper has no product of f16 and f16 into f32 that saturates'],
    [['--in', 'a:f64=wide', 'b=a1'], 'a: expected elements of at most 32 bits, found f64'],
    [['--in', 'a=a1', 'b:bf16=a1'], 'expected elements of u2 for dtype bf16'],
    [['--in', 'a=a1', 'b=a1', '--acc', 'bf16'], 'expected f32|f16|i32'],
    [['--in', 'a=a1', 'b=a1', 'c=a1', '--acc', 'f32'], 'the type of c, f16'],
    [['--in', 'a=a1', 'b=a1', '--out', 'e=x'], 'expected d'],
    [['--in', 'a=a1', 'b=a1', '--out', 'd:f16=x'], 'expected f32'],
    [['--in', 'a=a1', 'b=a1', '--out', 'd=/nowhere/x'], 'no write permission'],
    [['--in', 'a=a1', 'b=missing'], 'no such file'],
    [['--in', 'a=a1', 'b=a1', '--arithmetic', 'volta'], 'hopper|blackwell|ieee32'],
  ])('%j', async (argv, says) => {
    const ran = await run(...argv)
    expect(ran).toMatchObject({ status: 2, stdout: '' })
    expect(ran.stderr).toContain(says)
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
