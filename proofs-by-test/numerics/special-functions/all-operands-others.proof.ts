/** All 2^32 operands, against the sums captured from an H100. Half of the functions: the two files run beside each other. */
import { expect, it } from 'vitest'
import type { SpecialUnary } from '../../../src/numerics/special-functions/index.js'
import { wrongBlocks } from './captured.js'
import { nightly } from '../../extent.js'

const names: readonly SpecialUnary[] = [
  'rcp.approx.ftz.f32',
  'rcp.approx.f32',
  'lg2.approx.ftz.f32',
  'lg2.approx.f32',
  'rsqrt.approx.ftz.f32',
  'tanh.approx.f32',
]

it.skipIf(!nightly).each(names)('%s: all 2^32 operands', (name) => {
  expect(wrongBlocks(name)).toEqual([])
})
