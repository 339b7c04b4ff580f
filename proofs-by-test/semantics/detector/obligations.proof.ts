/** What is owed at an exit, however much it is: by hand, with more of it than is kept before what is met is forgotten. */
import { describe, expect, test } from 'vitest'
import { load, script, type Script } from './script.js'

const world = { agents: ['w@0'], barriers: [{ name: 'full', count: 1 }] }
/** The sites whose operations the exit does not know to be done. */
const owed = (s: Script): ReadonlyArray<string> =>
  s
    .judge()
    .findings.filter((f) => f.id === 'U2')
    .map((f) => f.a.site)

const counts = [1, 63, 64, 65, 128, 200] as const

describe('at an exit', () => {
  test.each(counts)('each of %d products that nobody has waited for', (count) => {
    const s = script(world)
    const sites = Array.from({ length: count }, (_, i) => `mma ${String(i)}`)
    for (const site of sites) s.perform(s.issue(0, 'wgmma', site), ['s0 0'], ['r0 0'])
    expect(owed(s)).toEqual(sites)
  })
  test.each(counts)('none of %d that are waited for, and those behind the wait', (count) => {
    const s = script(world)
    for (let i = 0; i < count; i++) {
      s.perform(s.issue(0, 'wgmma', `mma ${String(i)}`), ['s0 0'], ['r0 0'])
      s.commit(0, 'wgmma')
      if (i % 7 === 6) s.awaits(0, 'wgmma', 0)
    }
    const last = count - (count % 7)
    expect(owed(s)).toEqual(Array.from({ length: count % 7 }, (_, i) => `mma ${String(last + i)}`))
  })
  test('a copy among many that is not waited for, whenever it was', () => {
    for (const lost of [0, 40, 90]) {
      const s = script({ agents: ['w@0', 'v@0'], barriers: [...world.barriers, { name: 'lost', count: 1 }] })
      for (let i = 0, turn = 0; i < 100; i++) {
        if (i === lost) load(s, 0, 1, 's0 1', 'lost')
        else {
          load(s, 0, 0, 's0 0', `load ${String(i)}`)
          s.wait(0, 0, turn++ % 2 === 0 ? 0 : 1)
        }
      }
      expect(owed(s)).toEqual(['lost'])
    }
  })
})
