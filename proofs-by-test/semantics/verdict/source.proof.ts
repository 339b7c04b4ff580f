/**
 * What is judged need not be a core program: a source of launches is checked and searched, and a core program is one.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { failure } from '../../../src/failure.js'
import { real64 } from '../../../src/numerics/real64.js'
import { noArguments, sourceOf } from '../../../src/semantics/execution/launch.js'
import { elementsAt } from '../../../src/semantics/machine/effect.js'
import { launchWith, type Launch } from '../../../src/semantics/machine/launch.js'
import type { Prepared } from '../../../src/semantics/machine/operation.js'
import type { Source } from '../../../src/semantics/machine/source.js'
import { isFault } from '../../../src/semantics/machine/value.js'
import { barrierAtAddress, type World } from '../../../src/semantics/machine/world.js'
import { exploreSource } from '../../../src/semantics/schedules/explore/explore.js'
import { defaultExplore } from '../../../src/semantics/schedules/explore/model.js'
import { check, checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { ofStrides } from '../../../src/transforms/ref.js'
import { right } from '../../either.js'
import { launchOf, scripted } from '../machine/scripted.js'
import { programOf } from '../schedules/explore/programs.js'

/** An output would have to be written. */
const inputsAlone = (l: Launch): Launch => ({ ...l, memory: l.memory.filter((p) => !p.output) })

/** Two warps of each CTA, by their scripts. */
const warps = (script: (world: World, cta: number, warp: number) => ReadonlyArray<Prepared>): Source => ({
  name: 'warps',
  launch: (algebra, { resident, tensors }) =>
    algebra.memory === 'slots'
      ? E.left(failure('source.algebra', `warps: expected bytes, or no data, found ${algebra.name}`))
      : launchWith({ ...inputsAlone(launchOf(scripted(script), resident)), tensors }, algebra),
})

const stores = (world: World, cta: number): Prepared => {
  const smem = world.header.planes.findIndex((p) => p.space === 'smem' && p.cta === cta)
  const destination = elementsAt(world, 'there', smem, 'i32', right(ofStrides([4], 32, [1])), 0)
  if (isFault(destination)) throw new Error(destination.message)
  return { _tag: 'store', destination, data: null, origin: { _tag: 'other' } } as Prepared
}
const meets: Prepared = { _tag: 'bar', id: 1, count: 64, waits: true, aligned: true } as Prepared

describe('a source that is no core program', () => {
  test('stores of two warps with a barrier between them are in order', () => {
    const { verdict } = right(
      checkSource(
        warps((w, cta, warp) => (warp === 0 ? [stores(w, cta), meets] : [meets, stores(w, cta)])),
        standardOptions,
      ),
    )
    expect([verdict.verdict, verdict.kernel, verdict.counts.clusters]).toEqual(['ok', 'warps', 2])
  })

  test('without it they are a race, in the run and in the search', () => {
    const racing = warps((w, cta) => [stores(w, cta)])
    const { verdict } = right(checkSource(racing, standardOptions))
    expect(verdict.verdict).toBe('hazard')
    expect(verdict.findings[0]!.text).toContain('smem')
    const all = right(exploreSource(racing, { ...defaultExplore, arguments: noArguments }))
    expect([...new Set(all.found.map((f) => f.kind))]).toEqual(['race'])
  })

  test('a wait that nothing ends is a deadlock', () => {
    const stuck = warps((world, cta, warp) => {
      const barrier = barrierAtAddress(world, cta, 64)
      return warp === 0
        ? [
            { _tag: 'mbarrier.init', barrier, count: 1 },
            { _tag: 'mbarrier.wait', barrier, blocks: true, parity: 0, acquire: true } as unknown as Prepared,
          ]
        : []
    })
    const { verdict } = right(checkSource(stuck, standardOptions))
    expect(verdict.verdict).toBe('deadlock')
    expect(verdict.waitFor[0]).toMatch(/warp 0/)
  })

  test('an algebra that it does not run over is refused with its own words', () => {
    expect(
      checkSource(
        warps(() => []),
        { ...standardOptions, algebra: real64 },
      ),
    ).toMatchObject({
      left: { code: 'source.algebra' },
    })
  })
})

test('a core program is one', () => {
  const program = programOf(' | t@0: wr s0.x | u@0: wr s0.x')
  expect(right(checkSource(sourceOf(program), standardOptions)).verdict).toEqual(
    right(check(program, standardOptions)).verdict,
  )
})
