/** `view --values`: what arrays hold after some steps of a run, held against what the run writes and against the operands that were copied. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { asked } from '../../../src/oracle/cli/commands/index.js'
import { answering } from '../../../src/oracle/serve/answer.js'
import { right } from '../../either.js'

const answers = answering({
  commands: asked,
  suites: [],
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 26,
})
interface Values {
  readonly at: number
  readonly shape: ReadonlyArray<number>
  readonly window: Readonly<Record<'row' | 'column' | 'rows' | 'columns', number>>
  readonly values: ReadonlyArray<number | string>
  readonly bytes: ReadonlyArray<number>
  readonly unswizzled: ReadonlyArray<number> | null
}
const set = { m: 128, n: 128, k: 128, tileM: 128, tileN: 128, tileK: 64, stages: 2 }
const view = async (values: string, more: object = {}): Promise<Values> =>
  JSON.parse(right(await answers('view', { kernel: 'matmul1', set, values, ...more }, null))) as Values
const ofRow = (v: Values, row: number): ReadonlyArray<number | string> =>
  v.values.slice(row * v.window.columns, (row + 1) * v.window.columns)

/** The step after which a copy has written, by the keys of the recording. */
const recording = async (): Promise<{
  readonly sites: ReadonlyArray<{ readonly name: string }>
  readonly steps: ReadonlyArray<{
    readonly site: number
    readonly key: string
    readonly iteration: ReadonlyArray<number>
  }>
}> =>
  JSON.parse(right(await answers('view', { kernel: 'matmul1', set }, null))) as Awaited<
    ReturnType<typeof recording>
  >

describe('values of a run', () => {
  it('the output at the end is the product of the inputs, and no number at the beginning', async () => {
    const [a, b, out, before] = [
      await view('a'),
      await view('b'),
      await view('out'),
      await view('out', { at: 0 }),
    ]
    expect(before.at).toBe(0)
    expect(before.values.every((x) => x === 'NaN')).toBe(true)
    const bRows = Array.from({ length: 128 }, (_, k) => ofRow(b, k).map(Number))
    for (const row of [0, 17, 127]) {
      const left = ofRow(a, row).map(Number)
      const found = ofRow(out, row).map(Number)
      for (let n = 0; n < 128; n++) {
        const sum = left.reduce((s, x, k) => s + x * bRows[k]![n]!, 0)
        // rounded to f16
        expect(Math.abs(found[n]! - sum)).toBeLessThanOrEqual(Math.max(1e-2, Math.abs(sum) * 2 ** -10))
      }
    }
  })

  it('a slot holds the tile once it was copied, and not a step before', async () => {
    const { steps, sites } = await recording()
    const landed = steps.findIndex(
      ({ key, site, iteration }) =>
        key.includes('/write') && sites[site]?.name === 'copy a' && iteration.join() === '1',
    )
    expect(landed).toBeGreaterThan(0)
    const a = await view('a')
    // slot 1 of rows of 128: rows 128 to 255 of the array, from column 64 of a
    const [was, is] = [
      await view('a_smem', { at: landed, corner: '128,0' }),
      await view('a_smem', { at: landed + 1, corner: '128,0' }),
    ]
    expect(is.shape).toEqual([2, 128, 64])
    for (const row of [0, 5, 127]) {
      expect(ofRow(is, row)).toEqual(ofRow(a, row).slice(64, 128))
      expect(ofRow(was, row)).not.toEqual(ofRow(is, row))
    }
  })

  it('bytes are those of the swizzle of 128 bytes: chunks of 16 in the order of their row', async () => {
    const v = await view('a_smem', { at: 0 })
    expect(v.unswizzled).not.toBeNull()
    v.bytes.forEach((byte, i) => {
      const plain = v.unswizzled![i]!
      expect(byte).toBe(plain ^ (((plain >> 7) & 7) << 4))
    })
    expect(new Set(v.bytes).size).toBe(v.bytes.length)
  })

  it('a name that is none is refused with those that are', async () => {
    const refused = await answers('view', { kernel: 'matmul1', set, values: 'a_smen' }, null)
    expect(E.isLeft(refused) && refused.left.message).toMatch(/expected a_smem, .*did you mean a_smem/)
    const alone = await answers('view', { kernel: 'matmul1', at: 3 }, null)
    expect(E.isLeft(alone) && alone.left.message).toMatch(/--at: expected --values/)
  })
})
