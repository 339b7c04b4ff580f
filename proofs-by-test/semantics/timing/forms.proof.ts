/**
 * One kernel in several forms: a module of Triton (TTGIR) and the PTX that Triton made of it are predicted alike.
 *
 * A module has one statement for several instructions of a tensor core, and PTX has each. What a module leaves unsaid (descriptors, addresses) takes time all the same.
 */
import * as fs from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { h100 } from '../../../src/semantics/timing/h100.js'
import { changed } from '../../../src/semantics/timing/chip.js'
import { sampled } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { running, worldOf } from '../../oracle/world.js'
import { right, timedKernel } from './timed.js'

const modules = new URL('../../../conformance/triton/modules/', import.meta.url)
const [m, n, k] = [256, 512, 512]

interface Form {
  readonly name: string
  readonly bm: number
  readonly bn: number
  readonly shared: number
  /** strides by name, which kernels that compute addresses take */
  readonly strides: boolean
}

const cyclesOf = async ({ name, bm, bn, shared, strides }: Form, form: 'ttgir' | 'ptx'): Promise<number> => {
  const text =
    form === 'ttgir'
      ? fs.readFileSync(new URL(`${name}.ttgir`, modules))
      : gunzipSync(fs.readFileSync(new URL(`${name}.ptx.gz`, modules)))
  const file = `k.${form}`
  const run = running(worldOf(inMemory(new Map([[file, new Uint8Array(text)]]))))
  const sizes = [`f16[${String(m * k)}]`, `f16[${String(n * k)}]`, `f16[${String(m * n)}]:out`]
  const numbers = [m, n, k, ...(strides ? [k, n, n] : [])].map(String)
  const names = ['a', 'b', 'c', 'M', 'N', 'K', 'sam', 'sbk', 'scm']
  const given = [...sizes, ...numbers].map((x, i) => `${form === 'ttgir' ? names[i]! : String(i)}=${x}`)
  const besides =
    form === 'ttgir'
      ? []
      : [`${String(given.length)}=u8[4194304]:out`, `${String(given.length + 1)}=u8[16]:out`]
  const { status, stdout, stderr } = await run(
    ...['time', file, '--chip', 'h100', '--json', '--registers', '128'],
    ...['--grid', `${String(m / bm)},${String(n / bn)}`],
    ...(form === 'ttgir' ? [] : ['--shared', String(shared)]),
    ...['--arg', ...given, ...besides],
  )
  expect([name, form, status, stderr]).toEqual([name, form, 0, ''])
  return (JSON.parse(stdout) as { readonly cycles: number }).cycles
}

describe('a module of Triton and its PTX', () => {
  // by day the first
  const forms: ReadonlyArray<Form & { readonly bound: number }> = [
    {
      name: 'mm_tma_nows_128x128x64_s3_w4_sm90',
      bm: 128,
      bn: 128,
      shared: 98328,
      strides: false,
      bound: 0.08,
    },
    {
      name: 'mm_tma_nows_128x256x64_s3_w8_sm90',
      bm: 128,
      bn: 256,
      shared: 147480,
      strides: false,
      bound: 0.08,
    },
    { name: 'mm_ptr_128x128x64_s3_w4_sm90', bm: 128, bn: 128, shared: 98304, strides: true, bound: 0.12 },
  ]
  it.each(sampled(1, forms))('$name', async (form) => {
    const module = await cyclesOf(form, 'ttgir')
    const ptx = await cyclesOf(form, 'ptx')
    expect(Math.abs(module / ptx - 1)).toBeLessThan(form.bound)
  })
})

describe('descriptors of a program of tiles', () => {
  it('each instruction of 64 rows and 32 bytes of depth has four words of its own', () => {
    const steps = 4
    const cycles = (word: number): number =>
      timedKernel(
        'hopper-matmul',
        { m: 128, n: 128, k: 64 * steps },
        right(changed('wgmma.descriptor', String(word))(h100)),
      ).timed.end
    // a warpgroup makes 128 rows: eight instructions a step
    expect((cycles(3000) - cycles(1000)) / 2000).toBeCloseTo(4 * 8 * steps, 0)
  })
})
