import { describe, it } from 'vitest'
import { expectTheorem, half, sweep } from './naive/theorem.js'

/** In a file of its own, so that both cores have work. */
describe('one schedule decides', () => {
  it('the theorem, on the second half of the programs', { timeout: 3_600_000 }, () => {
    const how = half(1)
    const tally = sweep(how)
    if (how.weakenings.length > 0) console.log(JSON.stringify(tally))
    expectTheorem(how, tally)
  })
})
