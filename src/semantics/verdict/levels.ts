/**
 * Levels: a kernel that was judged in several forms has one verdict.
 *
 * A compiler takes a kernel through forms, and each form shows what another does not. In TTGIR and in a jaxpr an operation is one statement of the author, and all threads of an
 * agent act as one: a proof is about tiles, and a race between warps cannot be said. In PTX every warp and lane is there, but a statement is many instructions, and
 * what the compiler added or left out is not told apart. Two bugs that reached users of Triton are `ok` in every schedule of the one and a race in the other: a
 * buffer that is filled again while the product of another warpgroup reads it, and a store to global memory that other warps read back.
 *
 * So both are judged, and one verdict is made of the two. The levels stand from the coarser to the finer one: TTGIR or the jaxpr, then PTX.
 *
 * | the coarser | PTX         | the verdict                                                                               |
 * |-------------|-------------|-------------------------------------------------------------------------------------------|
 * | ok          | ok          | ok                                                                                        |
 * | ok          | hazard      | hazard: the coarser level has no warps                                                     |
 * | hazard      | ok          | hazard: the next compiler may lower it otherwise                                          |
 * | ok          | undecided   | undecided                                                                                 |
 * | ok          | refused     | undecided: the finer level was there, and what only it can say is not known               |
 * | refused     | ok          | ok: what runs was judged                                                                  |
 * | ok          | not there   | ok in the coarser level alone, and its first line says so                                 |
 *
 * What was tried first was the worse word of the two and both lists of findings. Then every bug that both levels see was told twice, in two vocabularies, and an `ok`
 * of TTGIR covered for a PTX that nothing had judged.
 *
 * A mistake is one finding: findings of one id between one pair of the author's lines are one (as in `judging/alike.ts`). The coarser level tells it, because it speaks of his
 * statements; what else it has between these lines is alike to it. Schedules are a level's own: a finding keeps that of the level that tells it.
 *
 * Laws
 * 1. The order in which levels are given does not matter.
 * 2. The verdict is the worst of those that were given, or worse than all of them.
 * 3. Every finding of every level is there once: itself, or another of the same id between the same lines. No other finding is there.
 * 4. An `ok` whose finer level was refused, undecided or out of fuel is no `ok`.
 * 5. One level alone, judged, has its own verdict.
 */
import type { Finding } from '../judging/finding.js'
import { levels, levelTitle, rankOf, type LevelName } from '../judging/level-names.js'
import { authorLineOf } from '../judging/lines.js'
import {
  worstFirst,
  type AcceptedFinding,
  type AlikeFinding,
  type AtLevel,
  type Level,
  type ReplayableFinding,
  type Verdict,
  type VerdictName,
} from '../judging/verdict.js'

// ---------------------------------------------------------------- model

/** What became of a kernel at a level. */
export type Came =
  | { readonly _tag: 'judged'; readonly level: LevelName; readonly verdict: Verdict }
  /** it was there, and is not taken: why */
  | { readonly _tag: 'refused'; readonly level: LevelName; readonly why: string }
  /** it was not there, or was not asked: why */
  | { readonly _tag: 'absent'; readonly level: LevelName; readonly why: string }

export type JudgedLevel = Extract<Came, { readonly _tag: 'judged' }>

// ---------------------------------------------------------------- which is worse

const badness = (name: VerdictName): number => worstFirst.length - worstFirst.indexOf(name)

const isSettled = (name: VerdictName): boolean => name !== 'undecided' && name !== 'out-of-fuel'

/** The one whose verdict is the worst; of several the coarsest. */
const worstOf = (judged: ReadonlyArray<JudgedLevel>): JudgedLevel =>
  judged.reduce((worst, one) => (badness(one.verdict.verdict) > badness(worst.verdict.verdict) ? one : worst))

// ---------------------------------------------------------------- findings

const keyOf = ({ id, a, b }: ReplayableFinding): string | null => {
  const [x, y] = [authorLineOf(a), authorLineOf(b)]
  return x === null || y === null ? null : [id, ...[x, y].sort()].join('\n')
}

const graveness: Readonly<Record<Finding['severity'], number>> = { E: 2, C: 1, L: 0 }

/** A place in the table of schedules, behind those of the levels before. */
const moved = (schedule: number | null, by: number): number | null =>
  schedule === null ? null : schedule + by

/** `level`: that of its replay, where another would replay something else. */
const movedFinding = (f: ReplayableFinding, by: number, level: LevelName | null): ReplayableFinding =>
  Object.assign(
    {},
    f,
    { schedule: moved(f.schedule, by) },
    f.replay === undefined || level === null ? {} : { replay: `--level ${level} ${f.replay}` },
    f.alike === undefined
      ? {}
      : {
          alike: f.alike.map((one): AlikeFinding =>
            Object.assign({}, one, { schedule: moved(one.schedule, by) }),
          ),
        },
  )

interface Told {
  readonly finding: ReplayableFinding
  readonly levels: ReadonlyArray<LevelName>
  /** its level counts it among the findings, and not among the notes */
  readonly counts: boolean
}

/** Findings before notes, open ones before accepted ones, graver ones before others. */
const weight = ({ finding, counts }: Told): number =>
  6 * Number(counts) + 3 * Number(finding.accepted === undefined) + graveness[finding.severity]

const bare = ({ schedule, a, b, place }: ReplayableFinding): AlikeFinding => {
  const one: { -readonly [K in keyof AlikeFinding]: AlikeFinding[K] } = { schedule, a }
  if (b !== undefined) one.b = b
  if (place !== undefined) one.place = place
  return one
}

/** Of two that are one mistake the weightier one tells it, of equals the first; of one level, the other is alike to it. */
const merged = (one: Told, other: Told): Told => {
  const [kept, left] = weight(other) > weight(one) ? [other, one] : [one, other]
  const isOfOne = kept.levels[0] === left.levels[0]
  return {
    finding: isOfOne
      ? Object.assign({}, kept.finding, {
          alike: [...(kept.finding.alike ?? []), bare(left.finding), ...(left.finding.alike ?? [])],
        })
      : kept.finding,
    levels: [...kept.levels, ...left.levels.filter((level) => !kept.levels.includes(level))],
    counts: one.counts || other.counts,
  }
}

/** Of each level all that it tells, each mistake once, in the order in which they are first told. */
const toldOf = (judged: ReadonlyArray<JudgedLevel>): ReadonlyArray<Told> => {
  const out: Told[] = []
  const places = new Map<string, number>()
  let before = 0
  for (const { level, verdict } of judged) {
    for (const [counts, list] of [
      [true, verdict.findings],
      [false, verdict.notes],
    ] as const)
      for (const f of list) {
        const told: Told = {
          finding: movedFinding(f, before, judged.length === 1 ? null : level),
          levels: [level],
          counts,
        }
        const key = keyOf(f)
        const known = key === null ? undefined : places.get(key)
        if (known !== undefined) {
          out[known] = merged(out[known]!, told)
          continue
        }
        if (key !== null) places.set(key, out.length)
        out.push(told)
      }
    before += verdict.schedules.length
  }
  return out
}

/** Where one level was judged, it is that of every finding. */
const published =
  (isOne: boolean) =>
  ({ finding, levels: names }: Told): ReplayableFinding =>
    isOne ? finding : Object.assign({}, finding, { levels: names })

// ---------------------------------------------------------------- what is said

const wordOf = (c: Came): AtLevel =>
  c._tag === 'judged'
    ? { level: c.level, result: c.verdict.verdict, reason: c.verdict.reason }
    : { level: c.level, result: c._tag === 'refused' ? 'refused' : 'not-judged', reason: c.why }

/** Why two levels say something else, where they do; null: they agree. */
const differenceOf = (coarse: Came, fine: Came): string | null => {
  if (coarse._tag !== 'judged' || fine._tag !== 'judged') return null
  const [c, f] = [coarse.verdict, fine.verdict]
  const [coarser, finer] = [levelTitle(coarse.level), levelTitle(fine.level)]
  if (c.verdict === f.verdict) return null
  if (!isSettled(f.verdict))
    return `${finer} has more schedules than ${coarser}, and not all of them were tried`
  if (!isSettled(c.verdict)) return `${coarser} is not decided, so its statements may have other orders`
  if (c.verdict === 'ok')
    return `in ${coarser} the threads of an agent act as one; ${finer} has their warps, their lanes, and what the compiler made of each statement`
  if (f.verdict === 'ok')
    return `the finding is about the statements of ${coarser}; in this ${finer} the compiler has ordered them, or left them out, and another version may not`
  return `${finer} has the warps and lanes of an agent of ${coarser}, and what the compiler made of each statement`
}

const joinedWord = (worst: VerdictName, cames: ReadonlyArray<Came>): VerdictName =>
  worst === 'ok' && cames.at(-1)?._tag === 'refused' ? 'undecided' : worst

const reasonOf = (
  word: VerdictName,
  worst: JudgedLevel,
  judged: ReadonlyArray<JudgedLevel>,
  cames: ReadonlyArray<Came>,
): string => {
  const open = cames.flatMap((c) => (c._tag === 'judged' ? [] : [c]))
  const reasons = new Set(judged.map(({ verdict }) => verdict.reason))
  const titles = judged.map(({ level }) => levelTitle(level))
  const unjudged = open.map(
    (c) => `${levelTitle(c.level)} ${c._tag === 'refused' ? 'is refused' : 'was not judged'}: ${c.why}`,
  )
  if (word === 'undecided' && worst.verdict.verdict === 'ok')
    return `${titles.join(' and ')} shows no hazards, and ${unjudged.join('; ')}`
  const own =
    word === 'ok' && judged.length > 1
      ? reasons.size === 1
        ? `${worst.verdict.reason}, in ${titles.join(' and in ')}`
        : judged.map(({ level, verdict }) => `in ${levelTitle(level)}, ${verdict.reason}`).join('; ')
      : word === 'ok'
        ? `${worst.verdict.reason}, in ${titles.join('')} alone`
        : judged.length > 1
          ? `in ${levelTitle(worst.level)}, ${worst.verdict.reason}`
          : worst.verdict.reason
  // what is found is found, whatever else there is to judge
  const isWhole = word !== 'ok' && open.every((c) => c._tag === 'absent')
  return [own, ...(isWhole ? [] : unjudged)].join('; ')
}

const sameRow = ({ id, a, b, memory, reason }: AcceptedFinding): string =>
  JSON.stringify([id, a, b, memory, reason])

/** Rows of a baseline, with the findings of all levels. */
const acceptedOf = (judged: ReadonlyArray<JudgedLevel>): ReadonlyArray<AcceptedFinding> => {
  const rows = new Map<string, AcceptedFinding>()
  for (const { verdict } of judged)
    for (const row of verdict.accepted ?? []) {
      const before = rows.get(sameRow(row))
      rows.set(
        sameRow(row),
        before === undefined ? row : Object.assign({}, row, { findings: before.findings + row.findings }),
      )
    }
  return [...rows.values()]
}

const sum = (judged: ReadonlyArray<JudgedLevel>, of: (v: Verdict) => number): number =>
  judged.reduce((n, { verdict }) => n + of(verdict), 0)

// ---------------------------------------------------------------- one verdict

/** The level whose run the verdict tells, among those that were judged; null: none was. */
export const telling = <L extends JudgedLevel>(judged: ReadonlyArray<L>): L | null =>
  judged.length === 0
    ? null
    : (judged.find((one) => one.level === worstOf([...judged].sort(byRank)).level) ?? null)

const byRank = (x: Came, y: Came): number => rankOf(x.level) - rankOf(y.level)

/**
 * One verdict of what became of a kernel at each level; null: no level was judged. `unseen` is what a coarser level leaves out of its verdict and a finer one speaks of.
 */
export const joined = (given: ReadonlyArray<Came>, unseen: ReadonlyArray<string> = []): Verdict | null => {
  const cames = [...given].sort(byRank)
  const judged = cames.flatMap((c) => (c._tag === 'judged' ? [c] : []))
  if (judged.length === 0) return null
  if (cames.length === 1) return judged[0]!.verdict
  const worst = worstOf(judged)
  const finest = judged.at(-1)!
  const told = toldOf(judged)
  const findings = told.filter(({ counts }) => counts).map(published(judged.length === 1))
  const before = judged
    .slice(0, judged.indexOf(worst))
    .reduce((n, { verdict }) => n + verdict.schedules.length, 0)
  const word = joinedWord(worst.verdict.verdict, cames)
  const difference = differenceOf(cames[0]!, cames.at(-1)!)
  const isCovered = finest.level === levels.at(-1)!.name
  const provenances = judged.flatMap(({ verdict }) =>
    verdict.provenance === null ? [] : [verdict.provenance],
  )
  const came: Level = difference === null ? { at: cames.map(wordOf) } : { at: cames.map(wordOf), difference }
  const out: { -readonly [K in keyof Verdict]: Verdict[K] } = {
    schema: worst.verdict.schema,
    kernel: worst.verdict.kernel,
    settings: worst.verdict.settings,
    verdict: word,
    reason: reasonOf(word, worst, judged, cames),
    decidedBy: judged.some(({ verdict }) => verdict.decidedBy === 'exploration')
      ? 'exploration'
      : 'one-schedule',
    search: worst.verdict.search,
    schedule: moved(worst.verdict.schedule, before),
    conditions: worst.verdict.conditions,
    findings: [
      ...findings.filter((f) => f.accepted === undefined),
      ...findings.filter((f) => f.accepted !== undefined),
    ],
    notes: told.filter(({ counts }) => !counts).map(published(judged.length === 1)),
    schedules: judged.flatMap(({ verdict }) => verdict.schedules),
    waitFor: judged.flatMap(({ verdict }) => verdict.waitFor),
    provenance: provenances.find(({ proved }) => !proved) ?? provenances[0] ?? null,
    digest: worst.verdict.digest,
    counts: {
      events: sum(judged, (v) => v.counts.events),
      steps: sum(judged, (v) => v.counts.steps),
      agents: finest.verdict.counts.agents,
      ctas: finest.verdict.counts.ctas,
      clusters: finest.verdict.counts.clusters,
      runs: sum(judged, (v) => v.counts.runs),
    },
    scope: [
      ...new Set(
        judged.flatMap(({ verdict }) => verdict.scope.filter((s) => !isCovered || !unseen.includes(s))),
      ),
    ],
    levels: came,
  }
  const spent = judged.flatMap(({ verdict }) => (verdict.spent === undefined ? [] : [verdict.spent]))
  if (spent.length > 0)
    out.spent = {
      events: spent.reduce((n, { events }) => n + events, 0),
      budget: spent.reduce<number | null>(
        (n, { budget }) => (n === null || budget === null ? null : n + budget),
        0,
      ),
    }
  const guessed = [...new Set(judged.flatMap(({ verdict }) => verdict.guessed ?? []))]
  if (guessed.length > 0) out.guessed = guessed
  const comparison = judged.find(({ verdict }) => verdict.comparison !== undefined)?.verdict.comparison
  if (comparison !== undefined) out.comparison = comparison
  const approximation = judged.find(({ verdict }) => verdict.approximation !== undefined)?.verdict
    .approximation
  if (approximation !== undefined) out.approximation = approximation
  const mended = judged.find(({ verdict }) => verdict.mended !== undefined)?.verdict.mended
  if (mended !== undefined) out.mended = mended
  if (judged.some(({ verdict }) => verdict.accepted !== undefined)) {
    out.accepted = acceptedOf(judged)
    const open = judged.find(({ verdict }) => verdict.passes !== true)
    const why = word === 'undecided' && open === undefined ? out.reason : open?.verdict.open
    out.passes = open === undefined && why === undefined
    if (!out.passes) out.open = why ?? out.reason
  }
  return out
}
