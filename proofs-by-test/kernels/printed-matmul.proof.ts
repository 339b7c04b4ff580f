/**
 * matmul5 and matmul6 as printed, against the kernels: for 1 to 5 tiles of a cluster, what one run says, what other schedules show, and that it
 * replays. The tables are worked by hand from the page.
 */
import { describe, expect, test } from 'vitest'
import { matmul5 } from '../../src/kernels/blackwell/matmul5.js'
import { matmul6 } from '../../src/kernels/blackwell/matmul6.js'
import type { TiledGrid } from '../../src/kernels/blackwell/setup.js'
import {
  printedMatmul5,
  printedMatmul6,
  starved,
  starvingSchedule,
} from '../../src/kernels/broken/printed-matmul.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import { print } from '../../src/semantics/language/print.js'
import { replaying } from '../../src/semantics/files/schedule.js'
import { checked } from '../dialects/pallas/programs.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

/** One cluster with so many tiles, five steps each on two slots. */
const tiles = (count: number): TiledGrid => ({
  dtype: 'f16',
  m: 256 * count,
  n: 32,
  k: 80,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 2,
  epilogueTileN: 16,
  clusters: 1,
  gridMinorDim: 0,
  gridTileWidth: 2,
})

const forms = [
  ['matmul5', printedMatmul5, matmul5],
  ['matmul6', printedMatmul6, matmul6],
] as const

/** By day no schedule is directed (`blackwell-chapter.proof.ts` has one that is), matmul6, whose waits are matmul5's, is looked at with four tiles alone, and not searched, and five are left to the night: the cycle is that of four. */
const counts = (name: string): ReadonlyArray<number> => (nightly ? [3, 4, 5] : name === 'matmul5' ? [3] : [4])
const fair = nightly
  ? [Policy.roundRobin, Policy.lazy, Policy.seeded(1), Policy.seeded(2)]
  : [Policy.roundRobin]

const late = `${starved.agent}@${String(starved.cta)}`
/** Who waits for whom: as far as the end of the kernel with three tiles, around the compute of the fourth with more. */
const cycleOf = (count: number): ReadonlyArray<string> =>
  count === 3
    ? [
        `${late} is blocked at wg0 / mn_loop / wg0.warp1 / wait_store / wait store_done, waiting for store_done_barrier[0]@1 generation 2`,
        'wg1@0 is blocked at cluster ends',
        'wg0@1 is blocked at wg0 / mn_loop / per_warp [2], waiting for its branches to end',
      ]
    : [
        `${late} is blocked at wg0 / mn_loop / wg0.warp1 / wait_store / wait store_done, waiting for store_done_barrier[0]@1 generation 2`,
        'wg1@0 is blocked at wg1 / mn_loop / wait mma_done [3]',
        'wg0.warp1@0 is blocked at wg0 / mn_loop / wg0.warp1 / compute / k / wait load [0]',
        'wg0@1 is blocked at wg0 / mn_loop / per_warp [2], waiting for its branches to end',
      ]

describe.each(forms)('%s', (name, printed, corrected) => {
  test('it is the kernel with the wait in another warp: nothing else differs', () => {
    const [bad, good] = [printed, corrected].map((f) => print(right(f(tiles(3)))).split('\n'))
    const waits = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
      lines.filter((l) => /mbarrier\.wait barrier=@store_done/.test(l))
    // printed: one wait, of warp 1; corrected: one of warp 1 and one of warp 0
    expect([waits(bad!).length, waits(good!).length]).toEqual([1, 2])
    const effects = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
      lines
        .filter((l) => /^ *(tma|tcgen05\.(mma|commit|ld|waitLd)|mbarrier\.arrive|bulk|smem)/.test(l))
        .map((l) => l.replace(/_\d+/g, '').trim())
    expect(effects(bad!)).toEqual(effects(good!))
  })
  test.each([1, 2])('%i tiles: nobody waits, and one schedule decides', (count) => {
    const p = right(printed(tiles(count)))
    for (const policy of [Policy.eager, Policy.roundRobin, starvingSchedule(p)]) {
      const { verdict } = checked(p, { policy, strict: false })
      expect([verdict.verdict, verdict.decidedBy, verdict.findings]).toEqual(['ok', 'one-schedule', []])
    }
  })
  test.each(counts(name))('%i tiles: one run in which the warp is in time decides nothing', (count) => {
    for (const policy of fair) {
      const { verdict } = checked(right(printed(tiles(count))), { policy, strict: false, explore: false })
      const { conditions } = verdict
      expect(verdict.verdict).toBe('undecided')
      expect((['C1', 'C2', 'C3', 'C4', 'C5', 'C6'] as const).filter((c) => !conditions[c].holds)).toEqual([
        'C3',
        'C4',
      ])
      // C4: what the peer's warp 1 waits for can be over twice; of slot 1 there is a second wait from four tiles on
      expect(conditions.C4.findings.map((f) => [f.id, f.a.agent, f.a.site, f.b?.site.slice(0, 17)])).toEqual(
        Array.from({ length: count === 3 ? 1 : 2 }, () => [
          'B1',
          late,
          'wait store_done',
          'arrive store_done',
        ]),
      )
    }
  })
  test.each(counts(name))('%i tiles: the warp starved, one run is the deadlock', (count) => {
    const p = right(printed(tiles(count)))
    const { verdict } = checked(p, {
      policy: starvingSchedule(p),
      strict: false,
      explore: false,
      explain: false,
    })
    expect([verdict.verdict, verdict.decidedBy]).toEqual(['deadlock', 'one-schedule'])
    expect(verdict.findings[0]).toMatchObject({ id: 'B1', a: { agent: late, site: 'wait store_done' } })
    for (const [i, line] of cycleOf(count).entries()) expect(verdict.waitFor[i]).toContain(line)
  })
  test.each(nightly ? counts(name) : [])(
    '%i tiles: directed schedules find it by themselves, and what they found replays',
    (count) => {
      const p = right(printed(tiles(count)))
      const { verdict } = checked(p, { policy: Policy.roundRobin, strict: false, explore: true })
      expect([verdict.verdict, verdict.decidedBy, verdict.search]).toEqual(['deadlock', 'exploration', null])
      const [found] = verdict.findings
      expect(found).toMatchObject({
        id: 'B1',
        a: { agent: late, site: 'wait store_done' },
        text: expect.stringContaining(
          'it waits for generation 0, but that generation and the next are complete, so the parity is the same again',
        ),
        missing: {
          text: expect.stringContaining(`an arrive of ${late} after \`wait store_done\` of ${late}`),
        },
      })
      for (const [i, line] of cycleOf(count).entries()) expect(verdict.waitFor[i]).toContain(line)
      // by name, however long the run was
      expect(Policy.named(verdict.schedules[found!.schedule!]!)).not.toBeNull()
      const again = checked(p, {
        policy: right(replaying(verdict, found!))!,
        strict: false,
        explore: false,
      }).verdict
      expect([again.verdict, again.findings[0]?.text, again.waitFor]).toEqual([
        'deadlock',
        found!.text,
        verdict.waitFor,
      ])
    },
  )
  test.each(counts(name))('%i tiles, the kernel: ok, and the starving schedule changes nothing', (count) => {
    const p = right(corrected(tiles(count)))
    for (const policy of [Policy.roundRobin, starvingSchedule(p), Policy.starvingAgent(7, 1)]) {
      const { verdict } = checked(p, { policy, strict: false })
      expect([verdict.verdict, verdict.decidedBy, verdict.findings]).toEqual(['ok', 'one-schedule', []])
    }
  })
})
