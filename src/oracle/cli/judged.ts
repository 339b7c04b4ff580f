/**
 * What was run once and judged, whatever it is written in: what `check` and `view` tell, and draw, of it.
 *
 * | of                     | source                | listing                 | rows of its launch                     |
 * |------------------------|-----------------------|-------------------------|----------------------------------------|
 * | a program of the core  | itself                | its statements          | `launch-rows.ts`                       |
 * | PTX                    | a program of warps    | the lines of its text   | grid, block, shared memory, mbarriers  |
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Script } from '../../render/recording/record.js'
import { fields, thousands } from '../../render/table.js'
import { agentsActAsOne } from '../../semantics/machine/front.js'
import { joined, telling, type Came } from '../../semantics/verdict/levels.js'
import { findingBlocks, paintedRows, type Row, type VerdictContext } from '../../render/verdict.js'
import { levelTitle, type LevelName } from '../../semantics/judging/level-names.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import type { Site } from '../../semantics/language/program.js'
import type { Arguments, Source } from '../../semantics/machine/source.js'
import type { Checked } from '../../semantics/verdict/check.js'
import { acceptAsked, baselineFiles, withBaseline } from './accepting.js'
import { paletteOf } from './colours.js'
import type { Options, Report, World } from './command.js'
import { draw, type Drawing } from './drawing.js'
import { printSchedule, type ScheduleFlag } from './flags/machine.js'
import type { Settings } from './flags/setting.js'
import { switchOf } from './flags/words.js'
import { goodOf, nextStep, record, writtenText, type Written } from './judging.js'
import { notChecked, runText } from './launch-rows.js'

// ---------------------------------------------------------------- model

export interface Judged {
  readonly source: Source
  readonly script: Script
  /** of its launch */
  readonly rows: () => ReadonlyArray<Row>
  readonly settings: Settings
  /** in words: what else the same kernel may be launched with */
  readonly launch: string
  /** labels of the statements that were left out */
  readonly dropped: ReadonlyArray<string>
  /** where an author wrote a statement, and what stands there */
  readonly authored: (site: Site) => { readonly place: string; readonly text: string } | null
  /** lines of a file of its author; none where it is not there */
  readonly linesOf: (file: string) => ReadonlyArray<string>
  readonly schedule: ScheduleFlag
  readonly fuel: number
  readonly checked: Checked
  /** that of the run, and what it was given */
  readonly algebra: Algebra
  readonly given: Arguments
  /** the same over bits, on the inputs that `run` takes, for a subject of this name */
  readonly onBits: (name: string) => E.Either<Failure, OnBits>
  readonly verdict: Verdict
  /** milliseconds */
  readonly elapsed: number
}

/** An algebra of bits, and arguments with data. */
export type OnBits = Pick<Judged, 'algebra' | 'given'>

/** What became of a level, with what was judged there. */
export type CameAs =
  | {
      readonly _tag: 'judged'
      readonly level: LevelName
      readonly judged: Judged
      readonly verdict: Verdict
    }
  | Exclude<Came, { readonly _tag: 'judged' }>

export const cameAs = (level: LevelName, one: E.Either<Failure, Judged>): CameAs =>
  E.isLeft(one)
    ? { _tag: 'refused', level, why: one.left.message }
    : { _tag: 'judged', level, judged: one.right, verdict: one.right.verdict }

/** A kernel that was judged in one form or in several, and what tells its run. */
export interface AtLevels {
  readonly main: Judged
  /** none: it has one form */
  readonly cames: ReadonlyArray<CameAs>
}

export const atOneLevel = (main: Judged): AtLevels => ({ main, cames: [] })

/** `some`: what is known to be judged. */
export const atLevels = (some: Judged, cames: ReadonlyArray<CameAs>): AtLevels => ({
  main: telling(cames.flatMap((c) => (c._tag === 'judged' ? [c] : [])))?.judged ?? some,
  cames,
})

/** Its one verdict; `verdictOf` may change that of a level first. */
export const verdictOfLevels = (
  { main, cames }: AtLevels,
  verdictOf: (judged: Judged) => Verdict = ({ verdict }) => verdict,
): Verdict =>
  joined(
    cames.map((c): Came =>
      c._tag === 'judged' ? { _tag: 'judged', level: c.level, verdict: verdictOf(c.judged) } : c,
    ),
    agentsActAsOne,
  ) ?? verdictOf(main)

const runRow = ({ schedule, elapsed }: Judged, { counts }: Verdict): string =>
  `schedule ${printSchedule(schedule)}: ${runText(counts.steps, counts.events, elapsed)}`

/** Of a grid of which not every CTA was run, which were. */
const classRows = ({ classes, counts: { ctas } }: Verdict): ReadonlyArray<Row> => {
  if (classes === undefined) return []
  const all = classes.reduce((n, c) => n + c.of, 0)
  const many = classes.length > mostClassesNamed
  const named = classes.slice(0, mostClassesNamed).map((c) => thousands(c.cluster * ctas))
  return [
    [
      'CTAs',
      `${thousands(classes.length * ctas)} of ${thousands(all * ctas)} run${classes.length * ctas > 1 ? ` (${ctas === 1 ? 'CTAs' : 'clusters that begin with CTA'} ${named.join(', ')}${many ? ', ...' : ''})` : ''}; the others do the same at other addresses`,
    ],
  ]
}
const mostClassesNamed = 4

/** Runs of the levels that do not tell it. */
const otherRuns = ({ main, cames }: AtLevels): ReadonlyArray<Row> =>
  cames.flatMap((c) =>
    c._tag === 'judged' && c.judged !== main
      ? [[`${levelTitle(c.level)} run`, runRow(c.judged, c.verdict)] as const]
      : [],
  )

// ---------------------------------------------------------------- what is told

/** Its launch, its run, its verdict, and every finding as a block; `more` stands behind the run, `last` at the end. */
export const judgedText = (
  context: VerdictContext,
  judged: Judged,
  verdict: Verdict,
  more: ReadonlyArray<Row>,
  last: ReadonlyArray<Row>,
): string =>
  `${[
    fields(context.palette, 12, [
      ...judged.rows(),
      ['run', runRow(judged, judged.verdict)],
      ...classRows(judged.verdict),
      ...more,
      ...paintedRows(context, verdict),
      ...notChecked(verdict.scope),
      ...last,
    ]),
    ...findingBlocks(context, verdict),
  ].join('\n\n')}\n`

/** The drawing of the run that shows the first finding, where it is asked for. */
export const drawnOf = (
  drawing: Drawing | null,
  { source, algebra, given, checked, verdict }: Judged,
): E.Either<Failure, ReadonlyArray<Written>> => {
  const row = verdict.findings[0]?.schedule ?? 0
  const findings = verdict.findings.filter((f) => f.schedule === row)
  return draw(drawing, { source, algebra, given, schedule: checked.recorded[row] ?? [], findings })
}

/** What `check` says. */
export const checkReport = (
  world: World,
  options: Options,
  drawing: Drawing | null,
  levels: AtLevels,
): E.Either<Failure, Report> => {
  const { main, cames } = levels
  const drawn = drawnOf(drawing, main)
  if (E.isLeft(drawn)) return drawn
  const rows = acceptAsked(world, options)
  if (E.isLeft(rows)) return rows
  const verdict = verdictOfLevels(levels, (one) => withBaseline(one, rows.right))
  const judged = cames.flatMap((c) => (c._tag === 'judged' ? [c.judged] : []))
  const { checked } = main
  const files = [
    ...record(options, checked),
    ...drawn.right,
    ...baselineFiles(options, judged.length === 0 ? [main] : judged, rows.right),
  ]
  return E.right({
    good: goodOf(verdict),
    files,
    json: () => verdict,
    text: () =>
      judgedText({ palette: paletteOf(world), judged: true, most: 4 }, main, verdict, otherRuns(levels), [
        ...(files.length === 0 ? [] : [['written', writtenText(files)] as const]),
        ...nextStep(checked.outcome, main.algebra),
        ...(verdict.verdict === 'undecided' &&
        main.verdict.verdict === 'undecided' &&
        checked.outcome._tag === 'completed' &&
        checked.beyondSchedules !== true &&
        !switchOf(options, 'explore')
          ? [
              [
                'next',
                '--budget EVENTS tries more schedules; --explore tries all, however long it takes',
              ] as const,
            ]
          : []),
      ]),
  })
}
