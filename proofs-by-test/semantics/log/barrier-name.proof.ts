/** Barrier names: what the header writes is what its readers read. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBarrierName, ringOf, showBarrierName } from '../../../src/semantics/log/barrier-name.js'

describe('the names of barriers', () => {
  it.each([
    ['done', 'done', ''],
    ['full[2]', 'full', '2'],
    ['pipeline.full[10]', 'pipeline.full', '10'],
    ['full[2][0]', 'full', '2][0'],
    ['odd[', 'odd[', ''],
    ['', '', ''],
  ])('%s is of storage %s, index %s', (name, storage, index) => {
    expect(readBarrierName(name)).toEqual({ storage, index })
  })
  it('laws 1 and 2: what is written is read', () => {
    const storages = fc.string().filter((s) => !s.includes('[') && !s.includes(']'))
    const sizes = fc
      .integer({ min: 1, max: 40 })
      .chain((count) => fc.tuple(fc.constant(count), fc.nat(count - 1)))
    fc.assert(
      fc.property(storages, sizes, (storage, [count, index]) => {
        expect(readBarrierName(showBarrierName(storage, count, index))).toEqual({
          storage,
          index: count === 1 ? '' : String(index),
        })
        for (const more of ['', ' (init k.cu:9)'])
          expect(ringOf(`${showBarrierName(storage, count, index)}${more}`)).toBe(
            count === 1 ? `${storage}${more}` : storage,
          )
      }),
    )
  })
})
