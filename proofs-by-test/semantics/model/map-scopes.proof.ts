/**
 * Scopes of the fences of tensor maps: a table of who writes the map, who releases, who acquires and who reads, in three CTAs of which two are one cluster, and of both scopes.
 *
 * | scope     | includes of CTAs 0, 1 (one cluster) and 2 |
 * |-----------|-------------------------------------------|
 * | `cta`     | its own                                   |
 * | `cluster` | 0 and 1; 2                                |
 * | `global`  | all                                       |
 *
 * The oracle is the definition: a fence orders nothing for a CTA that its scope does not include.
 */
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { defaults, judgeLog } from '../../../src/semantics/judging/detector/index.js'
import type { Fence, Header, LogEvent } from '../../../src/semantics/log/events.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { differences } from './comparison.js'
import { read } from './litmus.js'

type Scope = Fence['scope']
const scopes: ReadonlyArray<Scope> = ['cta', 'cluster', 'global']
const agents = ['T0', 'U0', 'V0'] as const
const ctas = [0, 1, 2] as const
const includes: Readonly<Record<Scope, ReadonlyArray<ReadonlyArray<number>>>> = {
  cta: [[0], [1], [2]],
  cluster: [[0, 1], [0, 1], [2]],
  global: [ctas, ctas, ctas],
}

/** The log, where each fence of maps has the next of these scopes, in two clusters. */
const inTwoClusters = (
  lines: ReadonlyArray<string>,
  next: () => Scope,
): readonly [Header, ReadonlyArray<LogEvent>] => {
  // so that all three are there
  const { header, log } = read([...lines, ...agents.map((who) => `${who}: read x`)])
  return [
    Object.assign({}, header, { ctas: 4, resident: 2 }),
    log.map((e) =>
      e._tag === 'fence' && (e.kind === 'tensormap' || e.kind === 'tensormapAcquire')
        ? Object.assign({}, e, { scope: next() })
        : e,
    ),
  ]
}

const told = (from: number, to: number, word: string): ReadonlyArray<string> =>
  from === to ? [] : [`${agents[from]!}: store ${word} release`, `${agents[to]!}: wait.word ${word} acquire`]

const copied = (reader: number, k: number): ReadonlyArray<string> => [
  `${agents[reader]!}: issue #${String(k)} store`,
  `#${String(k)}: read g tensormap`,
  `${agents[reader]!}: commit bulk`,
  `${agents[reader]!}: wait.group bulk 0`,
]

describe('fences of tensor maps and their scopes', () => {
  it('who releases, who acquires and who reads are within the scope of both; who wrote need not be', () => {
    for (const writer of ctas)
      for (const releaser of nightly ? ctas : [(writer + 1) % 3, writer])
        for (const taker of ctas)
          for (const reader of ctas)
            for (const released of scopes)
              for (const acquired of scopes) {
                const given = [released, acquired]
                const [header, log] = inTwoClusters(
                  [
                    `${agents[writer]!}: write g`,
                    ...told(writer, releaser, 's'),
                    `${agents[releaser]!}: fence map.release`,
                    ...told(releaser, taker, 'h'),
                    `${agents[taker]!}: fence map.acquire g`,
                    ...told(taker, reader, 's'),
                    ...copied(reader, 1),
                  ],
                  () => given.shift()!,
                )
                const row = { writer, releaser, taker, reader, released, acquired }
                const among = (scope: Scope, fencer: number): boolean =>
                  [releaser, taker, reader].every((cta) => includes[scope][fencer]!.includes(cta))
                const isOrdered = among(released, releaser) && among(acquired, taker)
                expect([row, differences(header, log)]).toEqual([row, []])
                const ids = judgeLog(header, log, defaults).findings.map((f) => f.id)
                expect([row, ids.includes('P5')]).toEqual([row, !isOrdered])
              }
  })
  it('model = detector on random logs of maps in two clusters', () => {
    for (let seed = 0; seed < (nightly ? 5000 : 150); seed++) {
      const die = dice(seed)
      const line = (k: number): ReadonlyArray<string> => {
        const who = die.below(3)
        return die.pick<() => ReadonlyArray<string>>([
          () => [`${agents[who]!}: fence map.release`],
          () => [`${agents[who]!}: fence map.release`],
          () => [`${agents[who]!}: fence map.acquire${die.pick([' g', ''])}`],
          () => [`${agents[who]!}: fence map.acquire g`],
          () => told(who, die.below(3), die.pick(['s', 'h'])),
          () => told(who, die.below(3), die.pick(['s', 'h'])),
          () => copied(who, k),
        ])()
      }
      const lines = Array.from({ length: 5 + die.below(12) }, (_, k) => line(k + 1)).flat()
      const [header, log] = inTwoClusters([`${agents[die.below(3)]!}: write g`, ...lines], () =>
        die.pick(scopes),
      )
      expect([seed, lines, differences(header, log)]).toEqual([seed, lines, []])
    }
  })
})
