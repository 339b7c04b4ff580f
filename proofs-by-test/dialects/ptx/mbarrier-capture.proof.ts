/** The launches of the mbarrier's captures fit the texts of the programs that made them. */
import { describe, expect, it } from 'vitest'
import { functionsOf, parseModule } from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'
import { limitCaptures, mbarrierCaptures } from './mbarrier-capture.js'
import { moduleText } from './modules.js'

describe('captures of the mbarrier as launches', () => {
  it('there are so many, and eleven of them end in a trap', () => {
    expect([mbarrierCaptures.length, limitCaptures.length]).toEqual([8, 15])
    expect(limitCaptures.filter(({ trappedAt }) => trappedAt !== null).length).toBe(11)
  })
  it.each([mbarrierCaptures[0]!, limitCaptures[0]!])(
    '$module has the entry and three parameters',
    ({ module, entry }) => {
      const found = functionsOf(right(parseModule(moduleText(module)))).find(({ name }) => name === entry)
      expect(found?.parameters?.map(({ type }) => type)).toEqual(['u64', 'u32', 'u64'])
    },
  )
  it('every result that is expected lies within the results, and each operation that finished has one', () => {
    for (const { operations, count, resultWords, expected, trappedAt } of [
      ...mbarrierCaptures,
      ...limitCaptures,
    ]) {
      const words = resultWords / count
      expect(operations.length % count).toBe(0)
      expect(expected.every(({ at }) => at >= 0 && at < resultWords)).toBe(true)
      expect(new Set(expected.map(({ at }) => Math.floor(at / words))).size).toBe(trappedAt ?? count)
    }
  })
})
