import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { programName, zoo } from '../../../../src/kernels/broken/index.js'
import { instanceOf, kernels } from '../../../../src/kernels/catalogue/index.js'
import { exploreLaunched } from '../../../../src/semantics/schedules/explore/index.js'
import { kindsOf, launchedProgram, options } from './programs.js'
import { nightly } from '../../../extent.js'
import { right } from '../../../either.js'

/** What does not depend on the schedule, or is a contract: a search of schedules has no word on it. */
const outside = ['B8', 'D3', 'K2', 'K4', 'L1', 'N1', 'N2', 'N3', 'O1', 'P3', 'U1']

describe('a search of every schedule of the kernels of a few lines', () => {
  const searched = (t: (typeof zoo)[number], fixed: boolean): string | null => {
    const program = t.program(fixed)
    if (E.isLeft(program)) return null
    const x = right(exploreLaunched(launchedProgram(program.right), options({ stop: false, states: 5000 })))
    return `${x.complete ? '' : 'incomplete '}${kindsOf(x)}`
  }

  it('finds nothing in the mended ones', () => {
    for (const t of zoo) expect(searched(t, true) ?? '', programName(t, true)).toBe('')
  })

  it('finds something in every other one, unless it is no affair of schedules', () => {
    // what is wrong by the manual’s word alone no schedule shows
    const silent = zoo.filter((t) => t.path !== 'zoo/D2-strict' && searched(t, false) === '').map((t) => t.id)
    expect([...new Set(silent)].sort()).toEqual(outside)
  })
})

describe('a search of every schedule of a kernel of the catalogue', () => {
  const small: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    'hopper-matmul': { m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 },
    matmul0: { m: 128, n: 16, k: 112, tileM: 128, tileN: 16, tileK: 16, stages: 3 },
    matmul4: {
      m: 512,
      n: 32,
      k: 48,
      tileM: 128,
      tileN: 16,
      tileK: 16,
      stages: 2,
      epilogueTileN: 16,
      clusters: 1,
    },
    matmul5: {
      m: 512,
      n: 32,
      k: 48,
      tileM: 128,
      tileN: 16,
      tileK: 16,
      stages: 2,
      epilogueTileN: 16,
      clusters: 1,
    },
    matmul6: {
      m: 512,
      n: 32,
      k: 48,
      tileM: 128,
      tileN: 16,
      tileK: 16,
      stages: 2,
      epilogueTileN: 16,
      clusters: 1,
    },
    'wgmma-loop': { m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 },
  }
  // the state spaces of the others are for the nightly run
  const few = ['hopper-matmul', 'matmul0', 'queue', 'wgmma-loop']
  const searched = kernels.filter((k) => nightly || few.includes(k.name))
  it.each(searched.map((k) => [k.name, k] as const))(
    '%s: comes to its end and finds nothing',
    (name, kernel) => {
      const { program } = right(instanceOf(kernel, small[name] ?? {}, []))
      const x = right(exploreLaunched(launchedProgram(program), options({})))
      expect([x.complete, x.clean, x.found]).toEqual([true, true, []])
      // without choosing what is enough there is more to see, and mostly no end to it
      const all = right(
        exploreLaunched(launchedProgram(program), options({ reduced: false, states: x.states + 1 })),
      )
      expect(all.states).toBeGreaterThan(x.states)
    },
  )
})
