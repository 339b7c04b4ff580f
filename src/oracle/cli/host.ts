/**
 * `check` and `run` of a program of a host (`tcspec.host/1`): it is executed operation by operation, every launch is judged, and so is what is between them.
 *
 *     tcspec check program.json
 *     tcspec run program.json --judge first
 *
 * | verdict       | if                                                                                     |
 * |---------------|----------------------------------------------------------------------------------------|
 * | of a launch   | the first launch of its kernel that is not ok, from the worst (`worstFirst`)           |
 * | hazard        | operations race, the host does not wait, a memory is not there or was never written    |
 * | wrong-result  | a file expects something else                                                          |
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { briefName } from '../../dialects/ptx/names/itanium.js'
import { refuse, type Failure } from '../../failure.js'
import { own } from '../../own.js'
import { fields, thousands } from '../../render/table.js'
import { findingBlocks, type Row } from '../../render/verdict.js'
import { worstFirst, type VerdictName } from '../../semantics/judging/verdict.js'
import type { HostFinding, HostSide } from '../host/findings.js'
import { performed, usualFuel } from '../host/perform.js'
import type { Compared, Host, Judge } from '../host/state.js'
import type { OutputFile } from '../tensor-files/files.js'
import { paletteOf } from './colours.js'
import type { Options, Report, World } from './command.js'
import { hostJunit, hostLines } from './host-files.js'
import { fuelAsked, goodOf } from './judging.js'
import { wordOf } from './flags/words.js'
import type { FoundProgram } from './programs.js'
import { algebraAsked, judgedOver, subjectOf } from './ptx.js'

export const hostVerdictSchema = 'tcspec.host-verdict/1'

// ---------------------------------------------------------------- what is asked

/** Which launches of a program are judged by themselves. */
export const judgeFlag = [
  '--judge <which>',
  'launches of a program (tcspec.host/1) to judge: all (the default), first of each kernel and shape, or none',
] as const

/** What is a matter of one kernel alone. */
const ofOneKernel: ReadonlyArray<string> = [
  'set',
  'launch',
  'grid',
  'arg',
  'block',
  'cluster',
  'shared',
  'entry',
  'computes',
  'without',
  'mend',
  'accept',
  'acceptWrite',
  'schedule',
  'record',
  'timeline',
  'known',
  'in',
  'trace',
  'data',
]

// ---------------------------------------------------------------- the verdict

const launchesOf = (h: Host): ReadonlyArray<readonly [number, VerdictName]> =>
  h.launches.flatMap(({ operation, verdict }) =>
    verdict === null ? [] : [[operation, verdict.verdict] as const],
  )

/** Findings that are no notes. */
const hazardsOf = ({ findings }: Host): ReadonlyArray<HostFinding> =>
  findings.filter(({ severity }) => severity === 'E')

/** `refused`: operations that could not be executed. */
export const verdictOfHost = (h: Host, refused: ReadonlyArray<string> = []): VerdictName => {
  const wrong = h.compared.some(({ differ }) => differ > 0)
  const all = new Set<VerdictName>([
    ...h.launches.flatMap(({ verdict }) =>
      verdict === null || goodOf(verdict) === true ? [] : [verdict.verdict],
    ),
    ...(hazardsOf(h).length > 0 ? (['hazard'] as const) : []),
    ...(wrong ? (['wrong-result'] as const) : []),
    ...(h.stopped !== null ? (['invalid'] as const) : []),
    ...(refused.length > 0 || h.launches.some(({ unjudged }) => unjudged !== null)
      ? (['undecided'] as const)
      : []),
  ])
  return worstFirst.find((name) => all.has(name)) ?? 'ok'
}

/** Launches in all. */
const countOf = ({ launches }: Host): number => launches.reduce((n, { again }) => n + 1 + again, 0)

/** What an ok speaks of: launches that were not judged by themselves are said. */
const okText = (h: Host): string => {
  const all = countOf(h)
  const alone = h.launches.filter(({ verdict }) => verdict !== null).length
  const like = h.launches.reduce((n, { verdict, again }) => n + (verdict === null ? 0 : again), 0)
  const rest =
    all === alone
      ? ''
      : like === all - alone
        ? `; ${thousands(like)} of ${thousands(all)} launches repeat a kernel and a shape and were not judged again (--judge all)`
        : `; ${thousands(all - alone)} of ${thousands(all)} launches were not judged by themselves (--judge)`
  return all === 0
    ? 'no hazards between operations; nothing was launched'
    : alone === 0
      ? `no hazards between operations${rest}`
      : `no hazards in any schedule of a launch, and none between operations${rest}`
}

const reasonOf = (h: Host, name: VerdictName, refused: ReadonlyArray<string>): string => {
  if (name === 'ok') return okText(h)
  const bad = launchesOf(h).filter(([, v]) => v === name)[0]
  const launch = bad === undefined ? undefined : h.launches.find(({ operation }) => operation === bad[0])
  if (launch?.verdict != null)
    return `operation ${String(launch.operation)}, launch of ${briefName(launch.kernel)}: ${launch.verdict.reason}`
  const [first] = hazardsOf(h)
  if (name === 'hazard' && first !== undefined) return first.text
  if (name === 'wrong-result') {
    const c = h.compared.find(({ differ }) => differ > 0)!
    return `${c.memory}: ${thousands(c.differ)} of ${thousands(c.elements)} elements differ from what its file expects`
  }
  if (name !== 'undecided') return h.stopped?.why ?? ''
  const open = h.launches.find(({ unjudged }) => unjudged !== null)
  return (
    refused[0] ??
    (open === undefined
      ? ''
      : `operation ${String(open.operation)}, launch of ${briefName(open.kernel)}, is executed and not judged: ${open.unjudged ?? ''}`)
  )
}

// ---------------------------------------------------------------- words

const placeText = (s: HostSide): string =>
  `${s.what}${s.stream === null ? '' : ` on ${s.stream === 'legacy' ? 'the default stream' : `stream ${s.stream}`}`} (operation ${String(s.operation)})${s.where === null ? '' : `\n              ${s.where}`}`

const bytesText = ({ memory, spans }: HostFinding): string => {
  const shown = spans
    .slice(0, 4)
    .map(([start, end]) => `${thousands(start)} to ${thousands(end)}`)
    .join(', ')
  return `${memory} ${shown}${spans.length > 4 ? ` and ${String(spans.length - 4)} more` : ''}`
}

const blockOf = (f: HostFinding): string =>
  [
    `${f.id}  ${f.title}${f.severity === 'L' ? ' (note: drivers wait for the copy, which no manual promises)' : ''}`,
    `    ${f.text}`,
    `    a         ${placeText(f.a)}`,
    ...(f.b === undefined ? [] : [`    b         ${placeText(f.b)}`]),
    ...(f.spans.length === 0 ? [] : [`    bytes     ${bytesText(f)}`]),
    `    why       ${f.why}`,
    `    fix       ${f.fix}`,
  ].join('\n')

const launchRows = (h: Host): ReadonlyArray<Row> =>
  h.launches.map(({ operation, kernel, stream, verdict, unjudged, again }): Row => [
    'launch',
    `${String(operation)} ${briefName(kernel)} on ${stream === 'legacy' ? 'the default stream' : stream}${
      again === 0 ? '' : `, and ${thousands(again)} more like it`
    }: ${verdict === null ? `not judged${unjudged === null ? '' : `: ${unjudged}`}` : `${verdict.verdict}: ${verdict.reason}`}`,
  ])

/** What is found in launches by themselves, each under its launch. */
const findingsOfLaunches = (world: World, h: Host): ReadonlyArray<string> => {
  const context = { palette: paletteOf(world), judged: true, most: mostOfLaunch }
  return h.launches.flatMap(({ operation, kernel, verdict }) =>
    verdict === null || goodOf(verdict) === true
      ? []
      : findingBlocks(context, verdict).map((block, i) =>
          i === 0 ? `in operation ${String(operation)}, launch of ${briefName(kernel)}\n\n${block}` : block,
        ),
  )
}
const mostOfLaunch = 4

const comparedText = ({ memory, operation, differ, elements }: Compared): string =>
  `${memory} at operation ${String(operation)}: ${thousands(differ)} of ${thousands(elements)} elements differ from what its file expects`

/** More than this are told in one line if nothing differs. */
const fewCompared = 4

const comparedRows = ({ compared }: Host): ReadonlyArray<Row> => {
  const apart = compared.filter(({ differ }) => differ > 0)
  const equal = compared.length - apart.length
  if (compared.length <= fewCompared) return compared.map((c) => ['compared', comparedText(c)] as const)
  const elements = compared.reduce((n, c) => n + (c.differ === 0 ? c.elements : 0), 0)
  return [
    ...apart.slice(0, fewCompared).map((c): Row => ['compared', comparedText(c)]),
    ...(apart.length > fewCompared
      ? [['compared', `${thousands(apart.length - fewCompared)} more differ`] as const]
      : []),
    [
      'compared',
      `${thousands(equal)} of ${thousands(compared.length)} contents are as expected, ${thousands(elements)} elements of them`,
    ],
  ]
}

// ---------------------------------------------------------------- all of it

/** `check` (`judges`) or `run` of a program. */
export const hostReport = (
  world: World,
  { file: name, program: decoded }: FoundProgram,
  options: Options,
): E.Either<Failure, Report> => {
  const meaningless = ofOneKernel.find((key) => own(options, key) !== undefined)
  if (meaningless !== undefined)
    return refuse('bad-flag', `--${meaningless}: expected one kernel, found the program '${name}' of a host`)
  return pipe(
    decoded,
    E.bindTo('program'),
    E.bindW('how', () => judgingAsked(options, 'all')),
    E.bindW('fuel', () => fuelAsked(options, 0)),
    E.bindW('host', ({ program, how, fuel }) =>
      performed(
        {
          files: world.files,
          where: name,
          algebra: algebraAsked(options),
          judge: options['hazards'] === false || how === 'none' ? null : judgeBy(world, options),
          judgeAll: how === 'all',
          fuel: Math.max(fuel, usualFuel),
        },
        program,
      ),
    ),
    E.map(({ program, host: h }) =>
      answerOf(world, options, program.name ?? name, program.operations.length, h, [], null, name),
    ),
  )
}

/** Files that the verdict on a program may be written to. */
export const reportFlags = {
  junit: ['--junit <file>', 'also write the verdict on a program (tcspec.host/1) as JUnit XML'],
  report: [
    '--report <file>',
    'also write a line of JSON for each launch and finding of a program (tcspec.host/1)',
  ],
} as const

/** A flag that is about a program, where there is none. */
export const ofProgramsAlone = (options: Options, name: string): E.Either<Failure, null> => {
  const asked = Object.keys(reportFlags).find((flag) => own(options, flag) !== undefined)
  return asked === undefined
    ? E.right(null)
    : refuse('bad-flag', `--${asked}: expected a program (tcspec.host/1), found '${name}'`)
}

/** How the first launch in which something is found is looked at alone. */
const nextRows = (h: Host, kept: string | null): ReadonlyArray<Row> => {
  const bad = h.launches.find(({ verdict }) => verdict !== null && goodOf(verdict) === false)
  if (bad === undefined) return []
  const at = `--operation ${String(bad.operation)}${bad.node === null ? '' : `:${bad.node}`}`
  return [
    [
      'next',
      kept === null
        ? `--save run keeps the program; then tcspec view run ${at} shows this launch step by step`
        : `tcspec view ${kept} ${at} shows this launch step by step`,
    ],
  ]
}

/**
 * What is told of a program that has been executed.
 *
 * `status`: how it ended itself, null: it is data. `kept`: the file or the folder that has it as data.
 */
export const answerOf = (
  world: World,
  options: Options,
  name: string,
  operations: number,
  h: Host,
  more: ReadonlyArray<Row>,
  status: number | null,
  kept: string | null,
  refused: ReadonlyArray<string> = [],
): Report => {
  const verdict = verdictOfHost(h, refused)
  const reason = reasonOf(h, verdict, refused)
  const written = (flag: string, text: () => string): ReadonlyArray<OutputFile> => {
    const file = wordOf(options, flag)
    return file === null ? [] : [{ file, bytes: new TextEncoder().encode(text()) }]
  }
  const isOpen = verdict === 'undecided' || verdict === 'out-of-fuel'
  const isRight = status === null || status === 0
  return {
    good: verdict === 'ok' && isRight ? true : isRight && isOpen ? null : false,
    files: [
      ...written('junit', () => hostJunit(name, h, refused, status)),
      ...written('report', () => hostLines(h, verdict, reason)),
    ],
    ...(isRight || !(isOpen || verdict === 'ok') ? {} : { status }),
    json: () => ({
      schema: hostVerdictSchema,
      program: name,
      verdict,
      reason,
      operations,
      launches: h.launches,
      findings: h.findings,
      compared: h.compared,
      stopped: h.stopped,
    }),
    text: () =>
      `${[
        fields(paletteOf(world), 12, [
          ['program', `${name}, ${thousands(operations)} operations, ${thousands(countOf(h))} launches`],
          ...more,
          ...launchRows(h),
          ...comparedRows(h),
          ...(h.stopped === null ? [] : [['stopped', h.stopped.why] as const]),
          ['verdict', `${verdict}: ${reason}`],
          ...nextRows(h, kept),
        ]),
        ...findingsOfLaunches(world, h),
        ...h.findings.map(blockOf),
      ].join('\n\n')}\n`,
  }
}

/** What judges a launch by itself, as `check` does. */
export const judgeBy =
  (world: World, options: Options): Judge =>
  (launched, path) =>
    pipe(
      judgedOver(world, subjectOf(world, path, options, launched), options, [], []),
      E.map(({ verdict }) => verdict),
    )

/** `--judge`. */
export const judgingAsked = (
  options: Options,
  usual: 'all' | 'first',
): E.Either<Failure, 'all' | 'first' | 'none'> => {
  const how = wordOf(options, 'judge') ?? usual
  return how === 'all' || how === 'first' || how === 'none'
    ? E.right(how)
    : refuse('bad-flag', `--judge: expected all, first or none, found '${how}'`)
}
