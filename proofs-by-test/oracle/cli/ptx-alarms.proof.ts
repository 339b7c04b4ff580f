/**
 * No false alarm: no right kernel of CUDA C++ is called bad, wherever it is launched and however its warps run. Oracle: an H100 ran them, and compute-sanitizer says nothing
 * of them; a smaller grid of a right kernel is a right kernel, and so is any schedule of it.
 *
 * Crossed are the kernels, their grid and smaller ones, and schedules. What a grid that is smaller does not write (O1) is no alarm.
 */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { filesOf, kernelNames } from '../../dialects/ptx/cuda.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url)

const schedules = [
  ['eager', Policy.eager],
  ['lazy', Policy.lazy],
  ['roundrobin', Policy.roundRobin],
  ['seeded:1', Policy.seeded(1)],
  ['seeded:2', Policy.seeded(2)],
  ['seeded:3', Policy.seeded(3)],
] as const

/** The grid of the launch, and those with fewer clusters along its axes. */
const gridsOf = (
  grid: ReadonlyArray<number>,
  cluster: ReadonlyArray<number>,
): ReadonlyArray<ReadonlyArray<number>> => {
  const of = (k: number): number => cluster[k] ?? 1
  const all = [grid, grid.map((n, k) => Math.max(of(k), n - of(k))), grid.map((_, k) => of(k))]
  return all.filter((g, k) => all.findIndex((h) => h.join() === g.join()) === k)
}

/** What a launch needs that no smaller grid has: the last of all its blocks does the rest; it asserts that its grid covers what it is given. */
const wholeGrid: ReadonlySet<string> = new Set(['last_block', 'asserts'])

interface Configuration {
  readonly kernel: string
  readonly grid: ReadonlyArray<number> | null
  readonly schedule: number
}

const launchedAt = (kernel: string) =>
  right(
    launchedPtx(
      inMemory(
        new Map(
          filesOf(kernel).map((f) => [f, new Uint8Array(readFileSync(new URL(`${kernel}/${f}`, folder)))]),
        ),
      ),
    )(`${kernel}.ptx`, 'launch.json'),
  )

const alarmsOf = (
  kernel: string,
  which: (k: number) => boolean,
): { readonly asked: number; readonly alarms: ReadonlyArray<string> } => {
  const { elaborated, arguments: given } = launchedAt(kernel)
  const all: ReadonlyArray<Configuration> = gridsOf(
    given.grid,
    given.cluster ?? elaborated.program.cluster ?? [],
  )
    .filter((_, k) => k === 0 || !wholeGrid.has(kernel))
    .flatMap((grid) => schedules.map((_, schedule) => ({ kernel, grid, schedule })))
  const asked = all.filter((_, k) => which(k))
  const alarms = asked.flatMap(({ grid, schedule }) => {
    const [name, policy] = schedules[schedule]!
    const checked = checkSource(warpSource(elaborated.program, { ...given, grid: grid! }), {
      ...standardOptions,
      algebra: bits(elaborated.program.arch === 'sm100a' ? 'blackwell' : 'hopper'),
      provenance: false,
      explore: false,
      policy,
    })
    if (E.isLeft(checked)) return [`${kernel} grid ${grid!.join()} ${name}: ${checked.left.message}`]
    const { verdict, reason, findings } = checked.right.verdict
    const isBad = verdict !== 'ok' && !(verdict === 'hazard' && findings.every(({ id }) => id === 'O1'))
    return isBad ? [`${kernel} grid ${grid!.join()} ${name}: ${verdict}, ${reason}`] : []
  })
  return { asked: asked.length, alarms }
}

describe('no right kernel is called bad', () => {
  let asked = 0
  test.each(kernelNames.filter((_, k) => nightly || k % 6 === 2))(
    '%s',
    (kernel) => {
      const of = alarmsOf(kernel, (k) => nightly || k === 4 || k === 13)
      asked += of.asked
      expect(of.alarms).toEqual([])
    },
    600_000,
  )
  test('configurations', () => {
    expect(asked).toBeGreaterThan(nightly ? 400 : 5)
  })
})
