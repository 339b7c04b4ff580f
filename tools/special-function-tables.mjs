/**
 * Writes the coefficients of the special function unit as a module: `node tools/special-function-tables.mjs`; with `--check` it only says
 * whether the file is current.
 *
 * The source is the captured `conformance/hopper/functions/tables.json`; numerics reads no files, so the numbers have to be a module.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { URL } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { unpack } from './captures.mjs'

unpack()
const file = new URL('../src/numerics/special-functions/tables.ts', import.meta.url)
const { tables, tanh } = JSON.parse(
  readFileSync(new URL('../conformance/hopper/functions/tables.json', import.meta.url), 'utf8'),
)

const integers = (xs) => `Int32Array.from([${xs.join(', ')}])`
const quadratic = ({ c0, c1, c2 }) => `{ c0: ${integers(c0)}, c1: ${integers(c1)}, c2: ${integers(c2)} }`
const table = (name, says, of) => `/** ${says} */\nexport const ${name}: Quadratic = ${quadratic(of)}\n`

const text = `/**
 * Coefficients of the special function unit: one quadratic in each segment of a mantissa, in integers.
 *
 * \`c0[i]\`, \`c1[i]\`, \`c2[i]\` are the magnitudes for segment i: the signs, the scales and the rounding constant are in the formula of each
 * function. By hand, the first of ex2: 33554435 / 2^25 = 1 + 3 * 2^-25, where 2^0 = 1; the slope 22713 / 2^15 = 0.69315 is ln 2.
 *
 * | table   | segments | c0 below | c1 below | c2 below | the function on the segment                  |
 * |---------|----------|----------|----------|----------|----------------------------------------------|
 * | ex2     | 64       | 2^26     | 2^16     | 2^10     | 2^f, f in [0, 1)                             |
 * | rcp     | 128      | 2^26 + 1 | 2^16     | 2^10     | 1 / m, m in [1, 2)                           |
 * | lg2     | 64       | 2^26     | 2^16     | 2^10     | log2 m                                       |
 * | rsqrt   | 2 x 64   | 2^26     | 2^16     | 2^10     | 1 / sqrt m for even exponents, 1 / sqrt 2 m for odd ones |
 * | sqrt    | 2 x 64   | 2^26     | 2^16     | 2^10     | sqrt m for even exponents, sqrt 2 m for odd ones |
 * | sin     | 64       | 2^26     | 2^15     | 2^11     | the sine over a quarter of a turn           |
 * | tanh    | 1 to 16  | 2^25     | 2^22     | 2^18     | one table an exponent of the argument        |
 *
 * Written by tools/special-function-tables.mjs from the coefficients measured on an H100.
 *
 * Source for the shape of the unit: Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator", 2005.
 */

/** A quadratic a segment; the three have one length. */
export interface Quadratic {
  readonly c0: Int32Array
  readonly c1: Int32Array
  readonly c2: Int32Array
}

/** tanh for arguments of one exponent: its quadratics, how many low mantissa bits they ignore, and the power of two that c0 counts. */
export interface TanhBand extends Quadratic {
  readonly exponent: number
  readonly ignoredBits: number
  readonly unit: number
}

${table('ex2Table', '2^f.', tables.ex2)}
${table('rcpTable', '1 / m.', tables.rcp)}
${table('lg2Table', 'log2 m.', tables.lg2)}
${table('rsqrtEvenTable', '1 / sqrt m, for an even exponent.', tables.rsq_even)}
${table('rsqrtOddTable', '1 / sqrt 2 m, for an odd exponent.', tables.rsq_odd)}
${table('sqrtEvenTable', 'sqrt m, for an even exponent.', tables.sqrt_even)}
${table('sqrtOddTable', 'sqrt 2 m, for an odd exponent.', tables.sqrt_odd)}
${table('sineTable', 'The sine, of a quarter of a turn.', tables.sin)}
/** tanh by the exponent of its argument, upwards. */
export const tanhBands: readonly TanhBand[] = [
${tanh
  .map(
    (b) =>
      `{ exponent: ${b.exponent}, ignoredBits: ${b.ignored_bits}, unit: ${b.unit}, c0: ${integers(b.c0)}, c1: ${integers(b.c1)}, c2: ${integers(b.c2)} },`,
  )
  .join('\n')}
]
`

const wanted = await format(text, { ...(await resolveConfig(file)), filepath: file.pathname })
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== wanted) {
    process.stderr.write(
      'src/numerics/special-functions/tables.ts is not current: node tools/special-function-tables.mjs\n',
    )
    process.exit(1)
  }
} else writeFileSync(file, wanted)
