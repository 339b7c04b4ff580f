/**
 * What `wait_k` and `wait_v` give: the word of Mojo's own arithmetic, and, through the tensor core's reading of it, the elements that a copy put there.
 * Where a copy puts them is counted here by hand: rows of 128 bytes, chunk j of row r at j xor (r mod 8), spans of 64 columns behind each other.
 */
import { expect, test } from 'vitest'
import { kvConsumerPipeline, matrixDescriptor, numbers } from '../../../src/dialects/mojo/index.js'
import { elementAddress, encode } from '../../../src/layouts/shared-memory/matrix-descriptor.js'
import { right } from '../../either.js'
import { range } from '../../layouts/captured.js'
import { ring } from './schedule.js'

const smem = 4096
/** of a tile of 128 rows and 128 columns of two bytes */
const copied = (tile: number, row: number, column: number): number =>
  tile +
  Math.floor(column / 64) * 128 * 128 +
  row * 128 +
  ((Math.floor((column % 64) / 8) ^ (row % 8)) * 16 + (column % 8) * 2)

test.each([2, 3, 5])('law 4 and the words: %i slots', (stages) => {
  const pipeline = kvConsumerPipeline(numbers, ring(stages), smem)
  let at = pipeline.start
  const base = {
    k: right(encode(matrixDescriptor(pipeline.kSmemDescriptor))),
    v: right(encode(matrixDescriptor(pipeline.vSmemDescriptor))),
  }
  for (const n of range(7)) {
    const k = pipeline.waitK(at, { preIncrement: n > 0 })
    const slot = (2 * n) % stages
    const offset = slot * 128 * 128 * 2
    expect(pipeline.wait(k.pipeline, { mmaStage: 0 }).offset).toBe(offset)
    expect(right(encode(matrixDescriptor(k.descriptor)))).toBe(base.k + BigInt(offset / 16))
    at = pipeline.releaseK(k.pipeline).pipeline
    const v = pipeline.waitV(at)
    const vOffset = ((2 * n + 1) % stages) * 128 * 128 * 2
    expect(right(encode(matrixDescriptor(v.descriptor)))).toBe(base.v + BigInt(vOffset / 16))
    at = v.pipeline
  }
})

test('law 2: K is read along its columns, V along its rows, each element where the copy left it', () => {
  const pipeline = kvConsumerPipeline(numbers, ring(3), smem)
  const k = matrixDescriptor(pipeline.waitK(pipeline.start, { preIncrement: true }).descriptor)
  const v = matrixDescriptor(pipeline.waitV(pipeline.start).descriptor)
  // the second slot, and the first
  for (const row of range(128))
    for (const column of range(16))
      expect(right(elementAddress(k)({ major: 'k', bits: 16 }))(row, column)).toBe(
        copied(smem + 32768, row, column),
      )
  for (const key of range(16))
    for (const column of range(128))
      expect(right(elementAddress(v)({ major: 'mn', bits: 16 }))(column, key)).toBe(copied(smem, key, column))
})

test('parts of K lie as many bytes on as their columns take', () => {
  const pipeline = kvConsumerPipeline(numbers, ring(2, 2), smem)
  const part = pipeline.waitK(pipeline.start, { mmaStage: 1, preIncrement: false })
  expect(part.descriptor).toEqual({ ...pipeline.kSmemDescriptor, startBytes: smem + 128 * 64 * 2 })
})
