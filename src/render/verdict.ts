/**
 * A verdict for people: the word, why, how it was decided, and every finding as a block.
 *
 * Its rows are data, made from the verdict document and from nothing else; a terminal paints them, a page shows them as it likes.
 *
 * Laws
 * 1. The first word is the verdict's name, and every finding's id appears.
 * 2. The text of a verdict is the text of its JSON.
 */
import { counted } from '../semantics/judging/counted.js'
import type { ConditionName, Conditions } from '../semantics/judging/finding.js'
import type {
  AcceptedFinding,
  AcceptedPlace,
  MendedFinding,
  Verdict,
  VerdictName,
} from '../semantics/judging/verdict.js'
import { levelTitle } from '../semantics/judging/level-names.js'
import { byCause } from './causes.js'
import { findingBlock } from './finding.js'
import type { Palette } from './palette.js'
import { fields, thousands } from './table.js'

const names: ReadonlyArray<ConditionName> = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6']

/** What a condition says, in a few words. */
export const conditionMeanings: Readonly<Record<ConditionName, string>> = {
  C1: 'every agent is a deterministic function of what it reads',
  C2: 'waits are parity waits',
  C3: 'generations of a barrier cannot mix',
  C4: 'no wait can see a generation too late or too early',
  C5: 'the run ends and leaves nothing open',
  C6: 'expected bytes are announced before they can be missed',
}

const marked = (palette: Palette, name: VerdictName): string =>
  (name === 'ok'
    ? palette.good
    : name === 'undecided' || name === 'out-of-fuel'
      ? palette.doubtful
      : palette.bad)(palette.bold(name))

const conditionText = (c: Conditions): string => {
  const failing = names.filter((n) => !c[n].holds)
  return failing.length === 0
    ? 'C1 to C6 hold'
    : failing
        .map((n) => {
          const { failures } = c[n]
          const more = failures.length > 1 ? ` (and ${String(failures.length - 1)} more)` : ''
          return `${n} (${conditionMeanings[n]}) fails: ${failures[0] ?? ''}${more}`
        })
        .join('\n')
}

export interface VerdictContext {
  readonly palette: Palette
  /** hazards were looked for */
  readonly judged: boolean
  /** findings shown in full; the others are counted */
  readonly most: number
}

/** What decided, or was looked at without deciding: one schedule, or several. */
const decidedBy = (v: Verdict): readonly [string, string] => [
  v.decidedBy === undefined ? 'looked at' : 'decided by',
  `${
    (v.decidedBy ?? v.lookedAt) === 'one-schedule'
      ? 'one schedule'
      : v.search === null
        ? `exploration of ${counted(v.counts.runs, 'schedule')}`
        : `a search of ${v.search.complete ? 'all schedules' : 'schedules'}: ${counted(v.search.states, 'state')}${v.search.exchanged === true ? '; states that differ by an exchange of CTAs are counted once' : ''}`
  }`,
]

/** What provenance found in one run is a proof only if that run stands for all. */
const provenanceLabel = (v: Verdict): string =>
  v.provenance?.proved !== true
    ? 'not proved'
    : v.verdict === 'ok' && v.decidedBy === 'one-schedule'
      ? 'proved'
      : 'in this run'

export type Row = readonly [label: string, text: string]

/** Edges that were added before: what, and where. */
export const mendedText = ({ id, finding, was, added }: MendedFinding): string =>
  `${id} (finding ${String(finding)} of a verdict that was ${was}), fix (checked): ${added.map(({ statement, where }) => `${statement} ${where}`).join('; ')}`

const placeOfAccepted = ({ file, statement }: AcceptedPlace): string =>
  file === undefined ? statement : `${file}: ${statement}`

/** `P1 (2 findings) mm.py: a = tl.load(p), mm.py: acc = tl.dot(a, b): inserted by the compiler` */
export const acceptedText = ({ id, a, b, reason, findings }: AcceptedFinding): string => {
  const places = [a, ...(b === null ? [] : [b])].map(placeOfAccepted).join(', ')
  return findings === 0
    ? `${id} at ${places} no longer occurs: delete its row`
    : `${id} (${thousands(findings)} ${findings === 1 ? 'finding' : 'findings'}) at ${places}: ${reason}`
}

/** What a baseline makes of the verdict. */
const acceptedRows = (v: Verdict): ReadonlyArray<Row> => {
  if (v.accepted === undefined) return []
  const passes: Row =
    v.passes === true
      ? ['passes', v.verdict === 'ok' ? 'nothing had to be accepted' : 'every finding is accepted']
      : ['fails', v.open ?? '']
  return [
    passes,
    ...v.accepted
      .filter(({ findings }) => findings > 0)
      .map((one, i) => [i === 0 ? 'accepted' : '', acceptedText(one)] as const),
    ...v.accepted
      .filter(({ findings }) => findings === 0)
      .map((one, i) => [i === 0 ? 'stale' : '', acceptedText(one)] as const),
  ]
}

/** What each level came to, where that is more than the first line says. */
const levelRows = ({ levels }: Verdict): ReadonlyArray<Row> => {
  if (levels === undefined) return []
  const { at, difference } = levels
  return difference === undefined && !at.some(({ result }) => result === 'refused')
    ? []
    : [
        ...at.map(({ level, result, reason }) => [levelTitle(level), `${result}: ${reason}`] as const),
        ...(difference === undefined ? [] : [['they differ', difference] as const]),
      ]
}

/** Rows that say what the verdict is and how it was reached: of a verdict document, and of nothing else. */
export const verdictRows = (v: Verdict, judged = true): ReadonlyArray<Row> => [
  ['verdict', `${v.verdict}: ${v.reason}`],
  ...acceptedRows(v),
  ...levelRows(v),
  ...(v.mended ?? []).map((m) => ['mended', mendedText(m)] as const),
  ...(judged ? [['conditions', conditionText(v.conditions)] as const, decidedBy(v)] : []),
  ...v.waitFor.map((line, i) => [i === 0 ? 'blocked' : '', line] as const),
  ...(v.provenance === null ? [] : [[provenanceLabel(v), v.provenance.text] as const]),
]

/** The same in colour: the name of the verdict is marked. */
export const paintedRows = ({ palette, judged }: VerdictContext, v: Verdict): ReadonlyArray<Row> =>
  verdictRows(v, judged).map(([label, text], i) =>
    i === 0 ? [label, `${marked(palette, v.verdict)}${text.slice(v.verdict.length)}`] : [label, text],
  )

/** Findings, then notes, those of one cause a block. */
export const findingBlocks = ({ palette, most }: VerdictContext, v: Verdict): ReadonlyArray<string> => {
  const all = [...byCause(v.findings), ...byCause(v.notes)]
  const rest = all.slice(most).reduce((n, { others }) => n + 1 + others.length, 0)
  return [
    ...all.slice(0, most).map(({ shown, others }) => findingBlock(palette, shown, others)),
    ...(rest > 0
      ? [
          palette.dim(
            `and ${String(rest)} more ${rest === 1 ? 'finding' : 'findings'} (all of them with --json)`,
          ),
        ]
      : []),
  ]
}

export const verdictText = (context: VerdictContext, v: Verdict): string =>
  [fields(context.palette, 12, paintedRows(context, v)), ...findingBlocks(context, v)].join('\n\n')
