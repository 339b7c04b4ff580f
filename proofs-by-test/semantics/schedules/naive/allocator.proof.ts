/** The allocator of the naive engine: the history that its essay works, and law 1 on random histories. */
import { describe, expect, it } from 'vitest'
import { after, givenBack, grants, type Taken } from '../../../../src/semantics/schedules/naive/allocator.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { alloc, free, relinquish } from '../../../../src/semantics/schedules/naive/skeleton.js'

describe('the allocator of a CTA', () => {
  it('by hand', () => {
    const history: ReadonlyArray<Taken> = [
      { agent: 0, op: alloc(64) },
      { agent: 1, op: alloc(32) },
      { agent: 0, op: free(64) },
      { agent: 1, op: alloc(32, 2) },
    ]
    const now = after(history)
    expect(now).toEqual({
      held: [
        { start: 64, columns: 32, agent: 1, nth: -1 },
        { start: 0, columns: 32, agent: 1, nth: 0 },
      ],
      largest: 32,
      closed: false,
      pairs: 1,
      steps: [32],
    })
    expect([grants(now, 32), grants(now, 64)]).toEqual([true, false])
    expect([givenBack(now.held, 0, 32)?.start, givenBack(now.held, 0, 64)]).toEqual([0, undefined])
    expect(grants(after([...history, { agent: 0, op: relinquish() }]), 32)).toBe(false)
  })
  it('law 1: columns that are held at one time do not overlap, and are columns', () => {
    for (let seed = 0; seed < 200; seed++) {
      const die = dice(seed)
      const history: Taken[] = []
      for (let k = 0; k < 20; k++) {
        const agent = die.below(3)
        const columns = die.pick([32, 64, 128, 256, 512])
        const now = after(history)
        if (die.chance(0.6)) {
          if (grants(now, columns)) history.push({ agent, op: alloc(columns) })
        } else if (givenBack(now.held, agent, columns) !== undefined)
          history.push({ agent, op: free(columns) })
      }
      const held = [...after(history).held].sort((a, b) => a.start - b.start)
      held.forEach((h, k) => {
        expect(h.start + h.columns).toBeLessThanOrEqual(held[k + 1]?.start ?? 512)
      })
    }
  })
})
