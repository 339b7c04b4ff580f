/**
 * A proxy fence is limited to its space: a table of who writes where, who fences, in which space, and who starts the unit, in a cluster of three CTAs.
 *
 * | fence of                | makes visible what was written to the shared memory of |
 * |-------------------------|--------------------------------------------------------|
 * | `async` (.shared::cta)  | the CTA that executes the fence                        |
 * | `async.cluster`         | any CTA                                                |
 * | `global`                | none                                                   |
 */
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { defaults, judgeLog } from '../../../src/semantics/judging/detector/index.js'
import type { Header, LogEvent } from '../../../src/semantics/log/events.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { differences } from './comparison.js'
import { read } from './litmus.js'

/** The same log, where x is in the shared memory of one CTA and x' in that of another one, in one cluster of three. */
const inOneCluster = (
  lines: ReadonlyArray<string>,
  homes: readonly [x: number, peer: number],
): readonly [Header, ReadonlyArray<LogEvent>] => {
  const { header, log } = read(['V0: read g', ...lines])
  const planes = header.planes.map((p) =>
    p.space !== 'smem' || p.cta === undefined || p.cta > 1 ? p : Object.assign({}, p, { cta: homes[p.cta]! }),
  )
  return [Object.assign({}, header, { planes, ctas: 3, resident: 1 }), log]
}

const agents = ['T0', 'U0', 'V0'] as const
const ctas = [0, 1, 2] as const
const spaces = ['async', 'async.cluster', 'global'] as const
const meet = 'T0, U0, V0: meet'

const isFenced = (space: (typeof spaces)[number], fencer: number, home: number): boolean =>
  space === 'async.cluster' || (space === 'async' && fencer === home)

/** Every row of the table: the writer, the memory, the fence and its agent, the agent that starts the unit. */
const rows = ctas.flatMap((writer) =>
  ctas.flatMap((home) =>
    ctas.flatMap((fencer) =>
      ctas.flatMap((starter) => spaces.map((space) => ({ writer, home, fencer, starter, space }))),
    ),
  ),
)

describe('fence.proxy.async and its space', () => {
  it('243 rows: visible if, and only if, the fence is of the memory that was written', () => {
    expect(rows).toHaveLength(243)
    for (const row of rows) {
      const { writer, home, fencer, starter, space } = row
      const [header, log] = inOneCluster(
        [
          `${agents[writer]!}: write x`,
          meet,
          `${agents[fencer]!}: fence ${space}`,
          meet,
          `${agents[starter]!}: issue #1 store`,
          '#1: read x',
          '#1: write g',
          `${agents[starter]!}: commit bulk`,
          `${agents[starter]!}: wait.group bulk 0`,
          meet,
        ],
        [home, (home + 1) % 3],
      )
      expect([row, differences(header, log)]).toEqual([row, []])
      const ids = judgeLog(header, log, defaults).findings.map((f) => f.id)
      expect([row, ids.some((id) => id === 'P1' || id === 'P2')]).toEqual([
        row,
        !isFenced(space, fencer, home),
      ])
    }
  })
  it('a read before a bulk load of the same bytes: of Blackwell the same table', () => {
    for (const row of rows) {
      const { writer: reader, home, fencer, starter, space } = row
      const [header, log] = inOneCluster(
        [
          `${agents[reader]!}: read x`,
          meet,
          `${agents[fencer]!}: fence ${space}`,
          meet,
          `${agents[starter]!}: arrive b +16`,
          `${agents[starter]!}: issue #1 load`,
          '#1: write x',
          '#1: bytes b 16',
        ],
        [home, (home + 1) % 3],
      )
      expect([row, differences(header, log)]).toEqual([row, []])
      const ids = judgeLog(header, log, defaults).findings.map((f) => f.id)
      expect([row, ids.includes('P3')]).toEqual([row, !isFenced(space, fencer, home)])
    }
  })
  it('model = detector on random logs of writes, fences and units of a cluster', () => {
    const made = (seed: number): readonly [Header, ReadonlyArray<LogEvent>] => {
      const die = dice(seed)
      const line = (k: number): ReadonlyArray<string> => {
        const who = die.pick(agents)
        const place = die.pick(['x', 'x', "x'"])
        return die.pick<() => ReadonlyArray<string>>([
          () => [`${who}: write ${place}`],
          () => [`${who}: write ${place}`],
          () => [`${who}: read ${place}`],
          () => [`${who}: fence ${die.pick(['async', 'async', 'async', 'async.cluster', 'global'])}`],
          () => [`${who}: fence async`],
          () => [meet],
          () => [meet],
          () => [`${who}: arrive b cluster`],
          () => [`${who === 'V0' ? 'T0' : who}: wait b 0 cluster`],
          () => [`${who}: issue #${String(k)} store`, `#${String(k)}: read ${place}`, `${who}: commit bulk`],
          () => [
            `${who}: arrive b +16`,
            `${who}: issue #${String(k)} load`,
            `#${String(k)}: write ${place}`,
            `#${String(k)}: bytes b 16`,
          ],
        ])()
      }
      const count = 6 + die.below(12)
      return inOneCluster(
        Array.from({ length: count }, (_, k) => line(k + 1)).flat(),
        die.pick([
          [0, 1],
          [1, 0],
          [2, 1],
          [1, 1],
        ] as const),
      )
    }
    let found = 0
    for (let seed = 1; seed <= (nightly ? 50_000 : 200); seed++) {
      const [header, log] = made(seed)
      expect([seed, differences(header, log)]).toEqual([seed, []])
      if (judgeLog(header, log, defaults).findings.some((f) => f.id === 'P1' || f.id === 'P2')) found++
    }
    expect(found).toBeGreaterThan(10)
  })
})
