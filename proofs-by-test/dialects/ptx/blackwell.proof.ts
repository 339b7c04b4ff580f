/** The modules for sm_100: their PTX leaves, bit for bit, what their TTGIR leaves. Oracle: the other front end, which elaborates another text. */
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { blackwellFiles, leftByPtx, leftByTtgir } from './blackwell.js'

const looked = blackwellFiles.filter((file) => nightly || /64x64x32/u.test(file))

describe.each(looked)('%s', (file) => {
  it('leaves what the TTGIR leaves', () => {
    const extents = nightly ? null : { rows: 1, columns: 2, steps: 5 }
    const left = leftByPtx(file, extents)
    expect(typeof left).toBe('object')
    expect(left).toEqual(leftByTtgir(file, extents))
  }, 120_000)
})
