/**
 * docs/hazards.md, made of data: for every id of the taxonomy its definition, what an author sees and writes (`remedies.ts`), the kernels of the zoo that
 * have it, what the oracle says of them, and what mends them; then what a chip did, and the essay.
 *
 * The kernels are run when the page is made: what stands on it is what happens.
 *
 * Laws
 * 1. Every id has a section with at least one kernel, and in it a finding (or a refusal) of this id.
 * 2. The committed page is `hazardsPage`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { programName, zoo, type Twin } from '../../kernels/broken/zoo/index.js'
import { laneSource } from '../../kernels/broken/zoo/lane-source.js'
import { laneTwins, type LaneTwin } from '../../kernels/broken/zoo/lanes.js'
import { bits } from '../../numerics/bits.js'
import { unit } from '../../numerics/unit.js'
import { check, checkSource, standardOptions } from '../../semantics/verdict/check.js'
import { hazardIds, hazards, type By } from '../../semantics/judging/hazards.js'
import { wordsOf, type Deed } from '../../semantics/judging/deed.js'
import type { Finding, HazardId, Severity } from '../../semantics/judging/finding.js'
import { silicon, unshown, type Counted, type Faulted } from '../../semantics/judging/silicon.js'
import { noArguments } from '../../semantics/execution/launch.js'
import { eager } from '../../semantics/execution/policy.js'
import type { Program } from '../../semantics/language/program.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { findingBlock } from '../finding.js'
import { plain } from '../palette.js'
import { thousands, wrap } from '../table.js'
import { essay } from './essay.js'
import { compared, listing } from './listing.js'
import { remedies } from './remedies.js'

// ---------------------------------------------------------------- words

const severities: Readonly<Record<Severity, string>> = {
  E: 'error: wrong or undefined in some schedule',
  C: 'contract: a documented rule is broken; a note unless `--strict`',
  L: 'note',
}

const givers: Readonly<Record<By, string>> = {
  detector: 'the detector, from the log of a run',
  validation: 'validation, before the run',
  machine: 'the machine, as a fault of the run',
  provenance: 'provenance, from what the outputs are made of',
  terms: 'a run over terms, which says what is stored for all inputs',
  ends: 'a comparison of how schedules end',
  hardware: 'a reading of what memory holds that hardware alone knows',
  otherwise: 'another run of the same schedule, in which the access finds something else',
}

const letters: Readonly<Record<string, string>> = {
  D: 'D: races that nothing orders',
  P: 'P: proxies, or two doors to one memory',
  R: 'R: read too early',
  W: 'W: overwritten too early',
  B: 'B: barriers that count wrong',
  U: 'U: what is left at the end',
  M: 'M: the tensor cores run by themselves',
  T: 'T: tensor memory belongs to the CTA that allocated it',
  K: 'K: clusters',
  A: 'A: limits and addresses',
  L: 'L: layouts',
  I: 'I: what is there',
  V: 'V: who can see it',
  O: 'O: what is left out',
  N: 'N: in which order',
}

// ---------------------------------------------------------------- a twin, run

/** The flags without which the bad twin is no error. */
export const flagsOf = (t: Twin): string =>
  `${t.shows.strict === true ? ' --strict' : ''}${t.shows.strictProxies === true ? ' --strict-proxies' : ''}`

/** The verdict on one of the two, or why it is refused before it runs. */
export const judged = (t: Twin, fixed: boolean): E.Either<string, Verdict> => {
  const program = t.program(fixed)
  if (E.isLeft(program)) return E.left(`${program.left.code}: ${program.left.message}`)
  const checked = check(program.right, {
    settings: {},
    algebra: unit,
    arguments: noArguments,
    policy: eager,
    strict: t.shows.strict ?? false,
    strictProxies: t.shows.strictProxies ?? false,
    hazards: true,
    provenance: true,
    explore: true,
    fuel: 1_000_000,
  })
  return E.isLeft(checked)
    ? E.left(`${checked.left.code}: ${checked.left.message}`)
    : E.right(checked.right.verdict)
}

/** Is it the finding that the twin is about? Which side comes first is the run's affair. */
export const isAbout =
  (t: Pick<Twin, 'id' | 'shows'>) =>
  (f: Finding): boolean =>
    f.id === t.id &&
    ((f.a.site === t.shows.a && f.b?.site === t.shows.b) ||
      (f.a.site === t.shows.b && f.b?.site === t.shows.a))

/** The same of a twin that is PTX, on the bits of its launch. */
export const laneJudged = (t: LaneTwin, fixed: boolean): E.Either<string, Verdict> => {
  const checked = pipe(
    laneSource(t, fixed),
    E.chain((source) =>
      checkSource(source, {
        ...standardOptions,
        algebra: bits('hopper'),
        provenance: false,
        explore: false,
      }),
    ),
  )
  return E.isLeft(checked)
    ? E.left(`${checked.left.code}: ${checked.left.message}`)
    : E.right(checked.right.verdict)
}

const says = (t: Pick<Twin, 'id' | 'shows'>, verdict: E.Either<string, Verdict>): ReadonlyArray<string> => {
  if (E.isLeft(verdict)) return [`invalid     ${verdict.left}`]
  const v = verdict.right
  const found = [...v.findings, ...v.notes].find(isAbout(t))
  return [
    // the finding says why, but for a deadlock and a wrong result, whose reason is another
    ...(found !== undefined && (v.verdict === 'hazard' || v.verdict === 'ok')
      ? [v.verdict]
      : wrap(`${v.verdict}: ${v.reason}`, 108)),
    ...v.waitFor.flatMap((line) => wrap(line, 106).map((part) => `  ${part}`)),
    ...(found === undefined ? [] : ['', findingBlock(plain, found)]),
  ]
}

// ---------------------------------------------------------------- sections

const setting = (p: Program): string => {
  const agents = p.launch.agents.map((a) => a.name).join(', ')
  const cluster = p.launch.cluster.reduce((n, x) => n * x, 1)
  return `On ${p.arch}; agents: ${agents}${cluster === 1 ? '' : `; a cluster of ${String(cluster)}`}.`
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const kernelOf = (t: Twin): ReadonlyArray<string> => {
  const mended = t.draft(true)
  const bad = t.draft(false)
  if (E.isLeft(mended)) return []
  const lines = E.isLeft(bad)
    ? listing(mended.right).map((line) => `  ${line}`)
    : compared(listing(bad.right), listing(mended.right))
  return [
    `**\`${programName(t, false)}\`**: ${t.title}.`,
    `*Fixed*${E.isLeft(bad) ? ' (as listed)' : ''}: ${t.fix}. ${setting(mended.right)}`,
    '',
    '```diff',
    ...lines,
    '```',
    '',
    `\`tcspec check ${programName(t, false)}${flagsOf(t)}\``,
    '',
    '```',
    ...says(t, judged(t, false)),
    '```',
    '',
  ]
}

/** A twin that is PTX: the whole text. */
const laneKernelOf = (t: LaneTwin): ReadonlyArray<string> => [
  `**\`${programName(t, false)}\`**: ${t.title}.`,
  `*Fixed*: ${t.fix}. PTX of one warp.`,
  '',
  '```diff',
  ...compared(t.text(false).trimEnd().split('\n'), t.text(true).trimEnd().split('\n')),
  '```',
  '',
  `\`tcspec check ${programName(t, false)}\``,
  '',
  '```',
  ...says(t, laneJudged(t, false)),
  '```',
  '',
]

/** How often a chip did it, or why it was not asked. */
const evidenceOf = (id: HazardId): string => {
  const trials = silicon.filter(({ hazard }) => hazard === id)
  return trials.length === 0
    ? `no trials: ${unshown[id] ?? 'no trials were made'}`
    : trials
        .map(({ without, grids }) => {
          const most = grids.at(-1)
          return most !== undefined && 'faultAt' in most
            ? `without ${without}, an H100 ended with ${counted(most)}`
            : `without ${without}, an H100 gave wrong results in ${counted(most)} trials`
        })
        .join('; ')
}

/** What the author of a language writes; nothing of a language that cannot say it. */
const remedyRows = (id: HazardId): ReadonlyArray<string> => {
  const { looks, why, cuda, triton, pallas } = remedies[id]
  const fix = (language: string, text: string | null): ReadonlyArray<string> =>
    text === null ? [] : [`| fix in ${language} | ${text} |`]
  return [
    '|  |  |',
    '| -- | -- |',
    `| looks like | ${looks} |`,
    `| why | ${why} |`,
    ...fix('CUDA', cuda),
    ...fix('Triton', triton),
    ...fix('Pallas', pallas),
    `| evidence | ${evidenceOf(id)} |`,
    '',
  ]
}

const section = (id: HazardId): ReadonlyArray<string> => {
  const h = hazards[id]
  return [
    `### ${id} ${h.title}`,
    '',
    h.definition,
    '',
    ...remedyRows(id),
    `Severity: ${h.severity}, ${severities[h.severity]}. Reported by ${h.by.map((b) => givers[b]).join('; and by ')}.`,
    '',
    ...('ptxAlone' in h ? [`Only PTX has it: ${h.ptxAlone}.`, ''] : []),
    ...zoo.filter((t) => t.id === id).flatMap(kernelOf),
    ...laneTwins.filter((t) => t.id === id).flatMap(laneKernelOf),
  ]
}

const startsLetter = (i: number): boolean => hazardIds[i]!.charAt(0) !== hazardIds[i - 1]?.charAt(0)

const zooIntroduction = `# Hazards

Look up a finding: what it looks like on a chip, why it happens, and what to write. A finding begins with its id:

\`\`\`
$ tcspec check zoo/R1
verdict     hazard: tmaLoad writes and reads of smem@0 are not ordered
...
R1  read before arrival
...
\`\`\`

Its section below has a table with the fix in the words of CUDA, of Triton and Gluon, and of Pallas. Where a language has no row, its compiler writes the
statement, or the mistake cannot be made there.

After the table is the smallest kernel with this mistake. Its listing is a comparison: lines with \`-\` belong to the wrong kernel, lines with \`+\` to the
right one. The verdict of the wrong one follows; the right one is \`ok\` in every schedule. Both can be run: \`tcspec check zoo/R1\`,
\`tcspec check zoo/R1-fixed\`. \`--mend 1\` applies the fix of the first finding to a kernel of your own.

[Trials on an H100](#trials-on-an-h100) and [when one schedule decides](#when-one-schedule-decides) follow after the ids.
`

const contents = (): ReadonlyArray<string> => [
  '| id | name | severity |',
  '| -- | -- | -- |',
  ...hazardIds.map((id) => `| [${id}](#${anchorOf(id)}) | ${hazards[id].title} | ${hazards[id].severity} |`),
  '',
  ...Object.entries(severities).map(([letter, text]) => `${letter}: ${text}.`),
  '',
]

/** What stays of a heading in its anchor. */
const kept = 'abcdefghijklmnopqrstuvwxyz0123456789_-'

/** The anchor that Markdown makes of the heading of a section. */
const anchorOf = (id: HazardId): string =>
  Array.from(`${id} ${hazards[id].title}`.toLowerCase(), (c) =>
    c === ' ' ? '-' : kept.includes(c) ? c : '',
  ).join('')

// ---------------------------------------------------------------- silicon

const siliconIntroduction = `## Trials on an H100

A verdict follows the manual. A chip shows such mistakes only sometimes. For each id that Hopper can show there are two kernels, one with a
statement and one without it. Each ran some four million times, under 25 pairs of delays before either side. With the statement no trial gave a wrong result. The
table counts the trials without it. A trial is one block, or a cluster of two. 132 blocks are one on each multiprocessor; more disturb each other.
`

const counted = (g: Counted | Faulted | undefined): string =>
  g === undefined
    ? ''
    : 'faultAt' in g
      ? `a fault in launch ${String(g.faultAt)}`
      : `${thousands(g.wrong)} of ${thousands(g.trials)}`

/** What the two sides do; a rule of barriers is about no accesses. */
const accessesText = (sides: ReadonlyArray<Deed>): string =>
  sides.flatMap((d) => (d._tag === 'reads' || d._tag === 'writes' ? [wordsOf(d)] : [])).join(', ')

const siliconRemarks = `A finding quotes these counts only if its id, both its accesses and its chip are those of the row, and only if a trial gave a wrong result.

A mistake that was never seen can still appear with the next chip or compiler, or with other work on the multiprocessor. The programs are in
\`conformance/hopper/evidence\`; \`run.sh\` repeats them, and \`counts.json\` has the counts for each pair of delays.

The other ids were not tried, for these reasons:
`

const siliconSection = (): ReadonlyArray<string> => [
  siliconIntroduction,
  '| id | accesses | left out | wrong is | 132 blocks | more blocks |',
  '| -- | -- | -- | -- | -- | -- |',
  ...silicon.map(
    ({ hazard, sides, without, wrongIs, grids: [alone, together] }) =>
      `| ${hazard} | ${accessesText(sides)} | ${without} | ${wrongIs} | ${counted(alone)} | ${counted(together)} |`,
  ),
  '',
  siliconRemarks,
  '| id | why |',
  '| -- | -- |',
  ...hazardIds.flatMap((id) => (unshown[id] === undefined ? [] : [`| ${id} | ${unshown[id]} |`])),
  '',
]

/** The page, in Markdown. */
export const hazardsPage = (): string =>
  [
    zooIntroduction,
    ...contents(),
    ...hazardIds.flatMap((id, i) => [
      ...(startsLetter(i) ? [`## ${upperFirst(letters[id.charAt(0)] ?? id)}`, ''] : []),
      ...section(id),
    ]),
    ...siliconSection(),
    ...essay,
  ]
    .join('\n')
    .trimEnd() + '\n'
