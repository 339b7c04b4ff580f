/**
 * Random grids of ten kernels that nvcc compiled. Oracle: the run of every CTA.
 *
 * | what                                                             | by day       | by night |
 * |------------------------------------------------------------------|--------------|----------|
 * | verdict, findings, notes and conditions by classes: of every CTA  | 4 grids      | 200      |
 *
 * Kernels are right and wrong ones of `conformance/hopper/warpgroups`: a ring, attention and a persistent product, with grids, tiles and turns by chance.
 */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import { checkSource, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { toldOf } from './alike.js'

const folder = new URL('../../../conformance/hopper/warpgroups/', import.meta.url)
const textOf = (kernel: string, text: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`${kernel}/${text}.ptx`, folder)))

type Argument = Readonly<Record<string, unknown>>
const map = (
  tensor: string,
  rows: number,
  columns: number,
  boxRows: number,
  role: 'in' | 'out' = 'in',
): Argument => ({
  kind: 'tensormap',
  tensor,
  dtype: 'f16',
  dims: [columns, rows],
  strides: [2 * columns],
  box: [64, boxRows],
  swizzle: 128,
  shape: [rows, columns],
  role,
  file: null,
})
const integer = (name: string, value: number): Argument => ({ kind: 'scalar', name, type: 's32', value })
const floats = (tensor: string, rows: number, columns: number): Argument => ({
  kind: 'pointer',
  tensor,
  dtype: 'f32',
  shape: [rows, columns],
  role: 'out',
})

interface Drawn {
  readonly grid: ReadonlyArray<number>
  readonly shared: number
  readonly args: ReadonlyArray<Argument>
}

const ring = (die: Dice): Drawn => {
  const [across, down, steps] = [1 + die.below(4), 1 + die.below(3), 1 + die.below(7)]
  return {
    grid: [across, down],
    shared: 98_352,
    args: [
      map('a', 128 * down, 64 * steps, 128),
      map('b', 128 * across, 64 * steps, 128),
      floats('c', 128 * down, 128 * across),
      integer('columns', 128 * across),
      integer('steps', steps),
    ],
  }
}
const attention = (die: Dice): Drawn => {
  const [tiles, blocks] = [2 + die.below(5), 1 + die.below(4)]
  return {
    grid: [tiles],
    shared: 50_176,
    args: [
      map('q', 128 * tiles, 64, 64),
      map('k', 64 * blocks, 64, 64),
      map('v', 64 * blocks, 64, 64),
      floats('o', 128 * tiles, 64),
      integer('blocks', blocks),
      { kind: 'scalar', name: 'scale', type: 'f32', value: 0.18 },
    ],
  }
}
/** A persistent product: some CTAs have a tile more than others. */
const persistent = (die: Dice): Drawn => {
  const [across, down, steps] = [1 + die.below(3), 1 + die.below(4), 1 + die.below(4)]
  return {
    grid: [1 + die.below(across * down)],
    shared: 107_520,
    args: [
      map('a', 64 * down, 64 * steps, 64),
      map('b', 128 * across, 64 * steps, 128),
      map('c', 64 * down, 128 * across, 64, 'out'),
      integer('across', across),
      integer('tiles', across * down),
      integer('steps', steps),
    ],
  }
}

const kernels: ReadonlyArray<readonly [kernel: string, text: string, drawn: (die: Dice) => Drawn]> = [
  ['ring', 'ring', ring],
  ['ring', 'broken1', ring],
  ['ring', 'broken3', ring],
  ['ring', 'broken6', ring],
  ['attention', 'attention', attention],
  ['attention', 'broken2', attention],
  ['attention', 'broken5', attention],
  ['pingpong_matmul', 'pingpong_matmul', persistent],
  ['pingpong_matmul', 'broken1', persistent],
  ['pingpong_matmul', 'broken5', persistent],
]

const algebra = shadow(bits('hopper'))
const how: CheckOptions = {
  ...standardOptions,
  algebra,
  provenance: false,
  explore: false,
  explain: false,
}
const count = Number(process.env['TCSPEC_GRIDS'] ?? (nightly ? 200 : 4))
const from = Number(process.env['TCSPEC_FROM'] ?? 0)

test(`${String(count)} grids of ten kernels: by classes as by every CTA`, { timeout: 14_400_000 }, () => {
  let byClasses = 0
  const verdicts = new Map<string, number>()
  for (let seed = from; seed < from + count; seed++) {
    const die = dice(seed + 1)
    // by day one of each kind
    const [kernel, text, drawn] = kernels[(nightly || from > 0 ? seed : 3 * seed) % kernels.length]!
    const { grid, shared, args } = drawn(die)
    const launch = {
      schema: 'tcspec.launch/1',
      name: kernel,
      kernel,
      arch: 'sm_90a',
      grid,
      block: [384],
      shared,
      args,
    }
    const files = inMemory(
      new Map([
        ['k.ptx', textOf(kernel, text)],
        ['launch.json', new TextEncoder().encode(JSON.stringify(launch))],
      ]),
    )
    const { elaborated, arguments: given } = right(launchedPtx(files)('k.ptx', { launch: 'launch.json' }))
    const unknown = new Set(given.tensors.flatMap(({ name, role }) => (role === 'in' ? [name] : [])))
    const source = warpSource(elaborated.program, { ...given, unknown })
    const some = checkSource(source, how)
    const all = checkSource(source, { ...how, everyCluster: true })
    if (E.isLeft(some) || E.isLeft(all)) {
      expect(E.isLeft(some)).toBe(E.isLeft(all))
      continue
    }
    const { classes, verdict } = some.right.verdict
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
    if (classes !== undefined) byClasses++
    expect(
      toldOf(some.right.verdict),
      `${String(seed)}: ${kernel}/${text} ${JSON.stringify(launch)}`,
    ).toEqual(toldOf(all.right.verdict))
    expect(classes?.reduce((n, c) => n + c.of, 0) ?? all.right.verdict.counts.clusters).toBe(
      all.right.verdict.counts.clusters,
    )
  }
  if (nightly || process.env['TALLY'] !== undefined) console.log({ byClasses, verdicts })
  expect(byClasses).toBeGreaterThan(count / 5)
  expect([...verdicts.keys()]).toContain('ok')
  expect([...verdicts.keys()]).toContain('hazard')
})
