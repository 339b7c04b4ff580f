/**
 * The modules of `conformance/triton`, each elaborated and judged at a small launch. Oracle: what their kernels are written to compute,
 * `c = a b`, for all inputs of the shape; and docs/triton-modules.md, where each finding is accounted for by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { bits } from '../../../src/numerics/bits.js'
import { decode } from '../../../src/numerics/float-format.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { launched } from './launches.js'
import { moduleFiles } from './modules.js'
import { rowsOf } from './verdicts.js'

const matmuls = moduleFiles.filter((file) => /^mm_(?!scaled)/.test(file))
/** By day those that lie in tensor memory in blocks of 64 rows, and one of each kernel. */
const looked = nightly ? matmuls : matmuls.filter((file) => /64x64x32.*sm100|_ws_64x64x32.*sm90/.test(file))

describe.each(looked)('%s', (file) => {
  it('computes the product, for all inputs', () => {
    const { module, launch, arguments: given, computes } = launched(file)
    const program = right(elaborate(module, { ...launch, computes: computes! }))
    const { verdict } = right(check(program, { ...standardOptions, arguments: given, hazards: false }))
    expect(verdict.provenance).toMatchObject({ proved: true })
  })
})

/**
 * Products with block scales. Oracle: the sum of the scaled products, of numbers so small that no sum is rounded; one factor is no number.
 */
const scaled = moduleFiles.filter((file) => file.startsWith('mm_scaled'))
/** By day the one that scales in registers. */
describe.each(nightly ? scaled : scaled.filter((file) => file.includes('sm90')))('%s', (file) => {
  it('computes the sum of the scaled products', () => {
    const { module, launch: grid, arguments: given } = launched(file)
    const [m, n, k] = [128, 128, 384]
    const die = dice(1)
    /** e4m3 of -2, -1, 0, 1, 2 */
    const patterns = [0xc0, 0xb8, 0x00, 0x38, 0x40]
    const numbers = (count: number): Float64Array =>
      Float64Array.from({ length: count }, () => patterns[die.below(5)]!)
    /** 2 to the power of -1, 0, 1 */
    const factors = (count: number): Float64Array =>
      Float64Array.from({ length: count }, () => 126 + die.below(3))
    const [a, b, sa, sb] = [numbers(m * k), numbers(k * n), factors((m * k) / 32), factors((n * k) / 32)]
    // row 5 has a factor that is no number; and factors of i8 are negative from 2 on
    sa[5 * (k / 32) + 2] = 255
    const signed = (x: Float64Array): Float64Array => x.map((v) => (v > 127 ? v - 256 : v))
    const started = right(
      launch(right(elaborate(module, grid)), bits(/sm100/.test(file) ? 'blackwell' : 'hopper', 'triton'), {
        scalars: given.scalars,
        tensors: new Map([
          ['a', a],
          ['b', b],
          ['sa', signed(sa)],
          ['sb', signed(sb)],
        ]),
      }),
    )
    const ran = run(started.world, started.machine, settings(eager), collect)
    expect(ran.outcome).toEqual({ _tag: 'completed' })
    const c = readTensor(started.world, ran.machine, 'c')!
    const valueOf = (pattern: number): number => patterns.indexOf(pattern) - 2
    const powerOf = (e: number): number => (e === 255 ? Number.NaN : 2 ** (e - 127))
    for (const row of [0, 5, 77, 127])
      for (let column = 0; column < n; column++) {
        let sum = 0
        for (let j = 0; j < k; j++)
          sum +=
            valueOf(a[row * k + j]!) *
            valueOf(b[j * n + column]!) *
            powerOf(sa[row * (k / 32) + Math.floor(j / 32)]!) *
            powerOf(sb[column * (k / 32) + Math.floor(j / 32)]!)
        expect(decode('f32', c[row * n + column]!), `${String(row)}, ${String(column)}`).toBe(sum)
      }
  })
})

// ---------------------------------------------------------------- the page

const page = new URL('../../../docs/triton-modules.md', import.meta.url)
const regenerate = process.env['TCSPEC_REGENERATE'] === '1'

describe.each(regenerate ? [] : sampled(20, moduleFiles))('%s', (file) => {
  it('stands in docs/triton-modules.md as it is judged', () => {
    const rows = rowsOf(file)
    expect(readFileSync(page, 'utf8')).toContain(`\n${rows.join('\n')}\n`)
    expect(rows[0]).toMatch(/\| (ok|hazard)(, proved)? \|/)
  })
})

it('docs/triton-modules.md has the rows of each module, and no other', () => {
  const [open, close] = ['<!-- generated: verdicts -->\n', '\n<!-- end -->']
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split(open)
  const [table = '', after = ''] = rest.split(close)
  const head = [
    '| module | verdict | id | one operation | the other | the PTX |',
    '| --- | --- | --- | --- | --- | --- |',
  ]
  if (regenerate)
    writeFileSync(
      page,
      [before, open, [...head, ...moduleFiles.flatMap(rowsOf)].join('\n'), close, after].join(''),
    )
  else
    expect(table.split('\n').flatMap((row) => /^\| `(\w+)`/.exec(row)?.[1] ?? [])).toEqual(
      moduleFiles.map((file) => file.replace('.ttgir', '')),
    )
})
