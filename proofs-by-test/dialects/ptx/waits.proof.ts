/**
 * Loops that ask for words and stay loops: blocks that fetch tiles, steps of 64 bits; and a CTA that goes round together until its first thread has seen its turn, which waits.
 * Right kernels are ok, by a search of what decides, or where they wait, or one run has all pairs of turns, by that run; each broken twin is found at its line.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const here = new URL('./waits/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, here)))

type Launch = readonly [entry: string, grid: number, block: number, args: ReadonlyArray<string>]
const tiles = (grid: number, n: number): Launch => [
  'tiles',
  grid,
  64,
  [`0=f32[${String(64 * n)}]`, `1=f32[${String(64 * n)}]:out`, '2=s32[1]:out', `3=${String(n)}`],
]
const turns = (grid: number): Launch => [
  'turns',
  grid,
  64,
  [`0=f32[${String(64 * grid)}]`, '1=f32[64]:out', '2=s32[1]:out'],
]
const fifo = (n: number): Launch => [
  'fifo',
  2,
  32,
  [
    `0=f32[${String(32 * n)}]`,
    `1=f32[${String(32 * n)}]:out`,
    '2=f32[64]:out',
    '3=u64[2]:out',
    `4=${String(n)}`,
  ],
]

const verdictOf = (module: string, [entry, grid, block, arg]: Launch, schedule = 'eager'): Verdict =>
  right(
    checkPtx(worldOf(inMemory(new Map([[module, bytesOf(module)]]))), module, {
      entry,
      grid: String(grid),
      block: String(block),
      arg,
      schedule,
    }),
  ).json() as Verdict

describe('right', () => {
  for (const launch of nightly
    ? [tiles(2, 3), tiles(3, 5), turns(2), turns(132), fifo(4)]
    : [tiles(2, 2), turns(12), fifo(3)])
    test(`${launch[0]}, ${String(launch[1])} blocks`, () => {
      for (const schedule of nightly ? ['eager', 'lazy', 'seeded:1'] : ['eager']) {
        const v = verdictOf('right.ptx', launch, schedule)
        const isByOne =
          launch[0] === 'turns' || (launch[0] === 'tiles' && (schedule === 'eager' || v.search === null))
        expect([schedule, v.verdict, v.decidedBy, v.search?.complete]).toEqual([
          schedule,
          'ok',
          ...(isByOne ? ['one-schedule', undefined] : ['exploration', true]),
        ])
      }
    })
})

describe('broken', () => {
  test.each<readonly [string, number, Launch, ReadonlyArray<string>]>([
    ['no barrier behind the read of the tile', 1, tiles(2, 2), ['waits.cu:11', 'waits.cu:13']],
    ['the turn is passed on relaxed', 2, turns(2), ['waits.cu:37']],
    ['the turn is heard relaxed', 3, turns(2), ['waits.cu:37']],
    ['no question for room', 4, fifo(3), ['waits.cu:63', 'waits.cu:73']],
    ['room is given back too early', 5, fifo(3), ['waits.cu:63', 'waits.cu:73']],
  ])('%s: twin %i', (...[, n, launch, lines]) => {
    const v = verdictOf(`broken${String(n)}.ptx`, launch)
    expect(v.verdict).toBe('hazard')
    const said = v.findings.flatMap(({ a, b }) => [a.loc ?? '', b?.loc ?? '']).join(' ')
    for (const line of lines) expect(said).toContain(line)
  })
})
