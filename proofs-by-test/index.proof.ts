/** The short door says what the long ones say: the same verdict and bits as the command line, every place of an element, and refusals as values. */
import { expect, test } from 'vitest'
import { check, kernel, layout, run, type Tensor } from '../src/index.js'
import { decodeNpy } from '../src/oracle/tensor-files/npy.js'
import { right } from './either.js'
import { inMemory } from './oracle/disk.js'
import { printed } from './oracle/quoted.js'

test('law 1: the verdict and the bits of the command line', async () => {
  const settings = { m: 64, n: 64, k: 128 }
  const words = '--set m=64 n=64 k=128'
  const { stdout } = await printed(`check hopper-matmul ${words} --json`)
  expect(JSON.parse(JSON.stringify(right(check('hopper-matmul', settings))))).toEqual(JSON.parse(stdout))
  const disk = new Map<string, Uint8Array>()
  await printed(`run hopper-matmul ${words} --out out=out.npy`, inMemory(disk))
  const { outputs, verdict } = right(run('hopper-matmul', settings))
  expect(verdict.verdict).toBe('ok')
  expect([...outputs.keys()]).toEqual(['out'])
  const { bits } = outputs.get('out')!
  const bytes = new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength)
  expect([...bytes]).toEqual([...right(decodeNpy(disk.get('out.npy')!)).data])
})

test('inputs that are given are used', () => {
  const zeros: Tensor = { dtype: 'f16', shape: [64, 64], bits: new Uint16Array(64 * 64) }
  const { outputs } = right(run('hopper-matmul', {}, { a: zeros, b: zeros }))
  expect(outputs.get('out')!.bits.every((x) => x === 0)).toBe(true)
})

test('law 2: each element of an array has its places', () => {
  const { owners } = right(layout('WGMMA', [64, 16]))
  const seen = new Set<string>()
  for (let i = 0; i < 64; i++)
    for (let j = 0; j < 16; j++)
      for (const { warp, lane, register } of owners([i, j]))
        seen.add(`${String(warp)} ${String(lane)} ${String(register)}`)
  expect(seen.size).toBe(64 * 16)
})

test('what is not there is refused, with a code', () => {
  expect(kernel('hoper')).toMatchObject({ _tag: 'Left', left: { code: 'kernel.unknown' } })
  expect(check('hopper-matmul', { k: 1 })._tag).toBe('Left')
  expect(layout('WGMA', [64, 64])).toMatchObject({ _tag: 'Left', left: { code: 'name.unknown' } })
})
