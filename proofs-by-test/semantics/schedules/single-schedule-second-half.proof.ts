import { describe, it } from 'vitest'
import { expectTheorem, half, showTally, sweep } from './naive/theorem.js'
import { nightly } from '../../extent.js'

/** In a file of its own, so that both cores have work. */
describe('one schedule decides', () => {
  it('the theorem, on the second half of the programs', { timeout: 14_400_000 }, () => {
    const how = half(1)
    const tally = sweep(how)
    if (nightly) console.log(showTally(tally))
    expectTheorem(how, tally)
  })
})
