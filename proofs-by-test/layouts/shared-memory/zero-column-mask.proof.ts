/** Zero-column masks: the word. */
import { expect, test } from 'vitest'
import {
  decodeMask,
  encodeMask,
  type ZeroColumnMask,
} from '../../../src/layouts/shared-memory/zero-column-mask.js'
import { range } from './captured.js'
import { code, right } from '../../either.js'

const mask: ZeroColumnMask = {
  startCounts: [1, 2, 3, 4],
  firstSpans: [1, 0, 0, 0],
  enabled: true,
  skipSpan: 1,
  useSpan: 256,
  shift: 2,
}

test('worked by hand', () => {
  expect(right(encodeMask(mask))).toBe(0x02ff_0081_0403_0201n)
  expect(right(decodeMask(0x02ff_0081_0403_0201n))).toEqual(mask)
  const other = {
    ...mask,
    firstSpans: [0, 1, 1, 1],
    enabled: false,
    skipSpan: 17,
    useSpan: 1,
    shift: 63,
  } as const
  expect(right(encodeMask(other))).toBe(0x3f00_100e_0403_0201n)
  expect(right(decodeMask(0x3f00_100e_0403_0201n))).toEqual(other)
})

test('law 1: every bit, from either word of all free bits', () => {
  const reserved = [36, 37, 38, 62, 63]
  for (const word of [0n, 0x3fff_ff8f_ffff_ffffn])
    for (const k of range(64)) {
      const other = word ^ (1n << BigInt(k))
      const m = decodeMask(other)
      if (reserved.includes(k)) expect(code(m)).toBe('mask.reserved')
      else expect(right(encodeMask(right(m)))).toBe(other)
    }
})

test('refusals', () => {
  expect([-1n, 1n << 64n].map((word) => code(decodeMask(word)))).toEqual(['mask.word', 'mask.word'])
  const at = (change: Partial<ZeroColumnMask>) => code(encodeMask({ ...mask, ...change }))
  const no = 'mask.field'
  expect([-1, 0, 63, 64, 0.5].map((shift) => at({ shift }))).toEqual([no, null, null, no, no])
  expect([0, 1, 256, 257].map((skipSpan) => at({ skipSpan }))).toEqual([no, null, null, no])
  expect([0, 1, 256, 257].map((useSpan) => at({ useSpan }))).toEqual([no, null, null, no])
  expect([-1, 0, 255, 256].map((x) => at({ startCounts: [0, 0, x, 0] }))).toEqual([no, null, null, no])
  expect([-1, 0, 1, 2].map((x) => at({ firstSpans: [0, 0, 0, x] }))).toEqual([no, null, null, no])
})
