/** Forms of an operation beside the one of `coverage/`: run, and compared with what they compute. */
import { expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { testedByThread } from '../coverage/pallas/frame.js'
import { leftFromPlainTiles } from '../coverage/pallas/tcgen05.js'
import { wrongWith } from '../coverage/row.js'

test('async_copy_smem_to_tmem takes tiles whose lines are 16 bytes and not swizzled, and no others', () => {
  expect(wrongWith(leftFromPlainTiles([8, 8]), Pallas)).toBeNull()
  expect(wrongWith(leftFromPlainTiles([8, 16]), Pallas)).toMatch(/S = 16 and no swizzle/u)
})

test('barrier_test is of a thread, too', () => {
  expect(wrongWith(testedByThread, Pallas)).toBeNull()
})
