/**
 * Runs of warps, judged, against what their lanes mean: the same log as a log of threads, and a search of all schedules of the threads.
 *
 *     alike       the log of warps and the log of threads show the same pairs, and the same conditions fail
 *     modelled    the relational model says of the log of threads what the detector says of it
 *     sound       verdict ok                                       =>  no schedule of the threads has anything wrong
 *     complete    every schedule is clean, and C1, C3, C4, C6 hold  =>  verdict ok; nothing that stands is found
 *     real        a run that is stuck                               =>  the search finds a deadlock
 */
import {
  defaults,
  detector,
  settledVerdictOf,
  standard,
  verdictOf,
  type Options,
  type Rules,
} from '../../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Header, LogEvent } from '../../../../src/semantics/log/events.js'
import { threadsOf, type Threads } from '../../../../src/semantics/log/threads.js'
import { model } from '../../../../src/semantics/model/index.js'
import { explore } from '../../../../src/semantics/schedules/naive/explore.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import type { Op } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { differ, recording, type Detected } from '../../model/comparison.js'
import { show, skeletonOf, type Simt } from './program.js'
import { run } from './run.js'

const recorded = (header: Header, log: ReadonlyArray<LogEvent>): Detected => {
  const fold = recording(defaults)
  let state = fold.init(header)
  for (const e of log) state = fold.observe(state, e)
  return fold.finish(state)
}

export const judged = (header: Header, log: ReadonlyArray<LogEvent>, options: Options): Judgement => {
  const fold = detector(options)
  let state = fold.init(header)
  for (const e of log) state = fold.observe(state, e)
  return fold.finish(state)
}

/** `race 3/7`: kinds, and the two statements. */
const pairsOf = ({ pairs }: Detected): ReadonlyArray<string> =>
  [...new Set(pairs.map(({ kind, a, b }) => `${kind} ${String(a.site)}/${String(b.site)}`))].sort()

/**
 * What the threads show and the warps do not. A cell of memory forgets what a later access says as well, and the warps are told of a pair where the threads are of another one with
 * one of its sides.
 */
const missing = (warps: Detected, threads: Detected): boolean => {
  const sides = new Set(warps.pairs.flatMap(({ a, b }) => [a.site, b.site]))
  return (
    (threads.pairs.length === 0 && warps.pairs.length > 0) ||
    threads.pairs.some(({ a, b }) => !sides.has(a.site) && !sides.has(b.site))
  )
}

const conditions = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'] as const
const failing = (j: Judgement): string => conditions.filter((c) => !j.conditions[c].holds).join(' ')

const idsOf = (j: Judgement): string => j.findings.map((f) => `${f.id} ${f.text}`).join('; ')

const isOfWords = ({ _tag }: Op): boolean => _tag === 'tell' || _tag === 'hear' || _tag === 'fenceMemory'

/**
 * Are all races of strong accesses? Those by two lanes of a warp are findings, because a search of the schedules of warps keeps lanes in one order; of two threads such a
 * search decides.
 */
const racesAre = ({ statements }: Simt, { pairs }: Detected): boolean =>
  pairs.every(
    ({ kind, a, b }) =>
      kind === 'anyOrder' ||
      (kind === 'race' && [a, b].every(({ site }) => statements[site]!.ops.every(isOfWords))),
  )

/** C1, C3, C4 and C6 hold. */
const decides = ({ conditions: c }: Judgement): boolean =>
  c.C1.holds && c.C3.holds && c.C4.holds && c.C6.holds

/** What is found is real. */
const stands = (j: Judgement): boolean => j.conditions.C1.holds && settledVerdictOf(j) === 'hazard'

export interface Tally {
  readonly counts: {
    programs: number
    clean: number
    ok: number
    undecided: number
    cleanUndecided: number
    split: number
    tooLarge: number
  }
  readonly unlike: string[]
  readonly unmodelled: string[]
  readonly unsound: string[]
  readonly incomplete: string[]
  readonly unreal: string[]
  readonly weak: Map<keyof Rules, { times: number; first: number }>
}

export interface Sweep {
  readonly from: number
  readonly count: number
  readonly drawn: (seed: number) => Simt
  /** every n-th log of threads is held against the model */
  readonly modelled: number
  readonly weakened: ReadonlyArray<keyof Rules>
}

export const sweep = ({ from, count, drawn, modelled, weakened }: Sweep): Tally => {
  const tally: Tally = {
    counts: { programs: 0, clean: 0, ok: 0, undecided: 0, cleanUndecided: 0, split: 0, tooLarge: 0 },
    unlike: [],
    unmodelled: [],
    unsound: [],
    incomplete: [],
    unreal: [],
    weak: new Map(weakened.map((rule) => [rule, { times: 0, first: 0 }])),
  }
  const { counts } = tally
  for (let seed = from; seed < from + count; seed++) {
    const p = drawn(seed)
    const { header, log, outcome, split } = run(p, dice(seed), seed % 3 === 0)
    if (split) {
      counts.split++
      continue
    }
    counts.programs++
    const text = (): string => `seed ${String(seed)}\n${show(p)}\n`
    const ofWarps = recorded(header, log)
    const j = ofWarps.judgement
    const threads: Threads = threadsOf(header, log)
    const ofThreads = recorded(threads.header, threads.log)
    const [a, b] = [pairsOf(ofWarps).join(', '), pairsOf(ofThreads).join(', ')]
    const [fa, fb] = [failing(j), failing(ofThreads.judgement)]
    const [va, vb] = [verdictOf(j), verdictOf(ofThreads.judgement)]
    const same = va === vb || (vb === 'undecided' && racesAre(p, ofWarps))
    if (missing(ofWarps, ofThreads) || fa !== fb || !same)
      tally.unlike.push(
        `${text()}warps    ${va} [${a}] fails [${fa}] ${idsOf(j)}\nthreads  ${vb} [${b}] fails [${fb}] ${idsOf(ofThreads.judgement)}`,
      )
    // the model has no words of memory
    if (seed % modelled === 0 && !p.statements.some((s) => s.ops.some(isOfWords))) {
      const others = differ(ofThreads, model(threads.header, threads.log, defaults, [], true))
      if (others.length > 0) tally.unmodelled.push(`${text()}${others.join('\n')}`)
    }
    const all = explore(skeletonOf(p), { states: 60_000, stop: true })
    if (all === 'too large') {
      counts.tooLarge++
      continue
    }
    if (all.clean) counts.clean++
    if (va === 'ok') counts.ok++
    if (!decides(j)) counts.undecided++
    if (!decides(j) && all.clean) counts.cleanUndecided++
    if (va === 'ok' && !all.clean) tally.unsound.push(`${text()}${JSON.stringify(all)}`)
    if (all.clean && ((decides(j) && va !== 'ok') || stands(j)))
      tally.incomplete.push(`${text()}${outcome} ${idsOf(j)}`)
    if (outcome === 'stuck' && all.clean) tally.unreal.push(text())
    for (const rule of weakened) {
      const w = judged(header, log, { ...defaults, rules: { ...standard, [rule]: true } })
      const verdict = verdictOf(w)
      if ((verdict === 'ok' && !all.clean) || (all.clean && decides(w) && verdict !== 'ok')) {
        const caught = tally.weak.get(rule)!
        if (caught.times++ === 0) caught.first = seed
      }
    }
  }
  return tally
}
