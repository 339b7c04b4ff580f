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
import { refuse, type Failure } from '../../failure.js'
import * as fast from '../../fast/index.js'
import type { Algebra } from '../../numerics/algebra.js'
import { bits } from '../../numerics/bits.js'
import { own } from '../../own.js'
import { fields, thousands } from '../../render/table.js'
import type { Row } from '../../render/verdict.js'
import { worstFirst, type VerdictName } from '../../semantics/judging/verdict.js'
import { decodeHost, isHostProgram, type HostProgram } from '../host/file.js'
import type { HostFinding, HostSide } from '../host/findings.js'
import { performed, usualFuel } from '../host/perform.js'
import type { Host, Judge } from '../host/state.js'
import { asText } from '../tensor-files/files.js'
import { paletteOf } from './colours.js'
import type { Options, Report, World } from './command.js'
import { fuelAsked, goodOf } from './judging.js'
import { wordOf } from './flags/words.js'
import { judgedOver, subjectOf } from './ptx.js'

export const hostVerdictSchema = 'tcspec.host-verdict/1'

// ---------------------------------------------------------------- reading

/** The program that a file holds; null: it holds something else. */
export const hostProgramIn = (world: World, name: string): E.Either<Failure, HostProgram> | null => {
  if (!name.toLowerCase().endsWith('.json')) return null
  const read = pipe(world.files.read(name)(), E.chainW(asText(name)))
  if (E.isLeft(read)) return null
  const document = E.tryCatch(
    (): unknown => JSON.parse(read.right),
    () => null,
  )
  if (E.isLeft(document) || !isHostProgram(document.right)) return null
  return pipe(
    decodeHost(document.right),
    E.mapLeft((f): Failure => ({ code: f.code, message: `${name}: ${f.message}` })),
  )
}

/** Which launches of a program are judged by themselves. */
export const judgeFlag = [
  '--judge <which>',
  'launches of a program (tcspec.host/1) to judge by themselves: all (the default), first of each kernel and shape, or none',
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

export const verdictOfHost = (h: Host): VerdictName => {
  const wrong = h.compared.some(({ differ }) => differ > 0)
  const all = new Set<VerdictName>([
    ...h.launches.flatMap(({ verdict }) =>
      verdict === null || goodOf(verdict) === true ? [] : [verdict.verdict],
    ),
    ...(hazardsOf(h).length > 0 ? (['hazard'] as const) : []),
    ...(wrong ? (['wrong-result'] as const) : []),
    ...(h.stopped !== null ? (['invalid'] as const) : []),
  ])
  return worstFirst.find((name) => all.has(name)) ?? 'ok'
}

/** What an ok speaks of: launches that were not judged by themselves are said. */
const okText = ({ launches }: Host): string => {
  const alone = launches.filter(({ verdict }) => verdict !== null).length
  const open = launches.length - alone
  const like = launches.filter(({ as }) => as !== null).length
  const rest =
    open === 0
      ? ''
      : like === open
        ? `; ${thousands(like)} of ${thousands(launches.length)} launches repeat a kernel and a shape and were not judged again (--judge all)`
        : `; ${thousands(open)} of ${thousands(launches.length)} launches were not judged by themselves (--judge)`
  return launches.length === 0
    ? 'no hazards between operations; nothing was launched'
    : alone === 0
      ? `no hazards between operations${rest}`
      : `no hazards in any schedule of a launch, and none between operations${rest}`
}

const reasonOf = (h: Host, name: VerdictName): string => {
  if (name === 'ok') return okText(h)
  const bad = launchesOf(h).filter(([, v]) => v === name)[0]
  const launch = bad === undefined ? undefined : h.launches.find(({ operation }) => operation === bad[0])
  if (launch?.verdict != null)
    return `operation ${String(launch.operation)}, launch of ${launch.kernel}: ${launch.verdict.reason}`
  const [first] = hazardsOf(h)
  if (name === 'hazard' && first !== undefined) return first.text
  if (name === 'wrong-result') {
    const c = h.compared.find(({ differ }) => differ > 0)!
    return `${c.memory}: ${thousands(c.differ)} of ${thousands(c.elements)} elements differ from what its file expects`
  }
  return h.stopped?.why ?? ''
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
  h.launches.map(({ operation, kernel, stream, verdict, as }): Row => [
    'launch',
    `${String(operation)} ${kernel} on ${stream === 'legacy' ? 'the default stream' : stream}: ${
      verdict !== null
        ? `${verdict.verdict}: ${verdict.reason}`
        : as !== null
          ? `as operation ${String(as)}`
          : 'not judged'
    }`,
  ])

// ---------------------------------------------------------------- all of it

/** `check` (`judges`) or `run` of a program. */
export const hostReport = (
  world: World,
  name: string,
  options: Options,
  decoded: E.Either<Failure, HostProgram>,
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
      answerOf(world, program.name ?? name, program.operations.length, h, [], null),
    ),
  )
}

/** What is told of a program that has been executed; `status`: how it ended itself, null: it is data. */
export const answerOf = (
  world: World,
  name: string,
  operations: number,
  h: Host,
  more: ReadonlyArray<Row>,
  status: number | null,
): Report => {
  const verdict = verdictOfHost(h)
  const reason = reasonOf(h, verdict)
  const isOpen = verdict === 'undecided' || verdict === 'out-of-fuel'
  const isRight = status === null || status === 0
  return {
    good: verdict === 'ok' && isRight ? true : isRight && isOpen ? null : false,
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
          [
            'program',
            `${name}, ${thousands(operations)} operations, ${thousands(h.launches.length)} launches`,
          ],
          ...more,
          ...launchRows(h),
          ...h.compared.map((c): Row => [
            'compared',
            `${c.memory}: ${thousands(c.differ)} of ${thousands(c.elements)} elements differ from what its file expects`,
          ]),
          ...(h.stopped === null ? [] : [['stopped', h.stopped.why] as const]),
          ['verdict', `${verdict}: ${reason}`],
        ]),
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

/** The algebra of launches. */
export const algebraAsked =
  (options: Options) =>
  (arch: 'sm90a' | 'sm100a'): Algebra =>
    (options['fast'] === false ? bits : fast.bits)(arch === 'sm100a' ? 'blackwell' : 'hopper')
