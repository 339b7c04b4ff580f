/**
 * `tcspec mutate KERNEL|program.json|kernel.jaxpr.json|module.ttgir|kernel.ptx|--all`: every single change of a kernel's synchronisation and of its data movement, and whether it is found out by name.
 *
 * Without `--set` the kernel is judged where it is small: two slots, five steps; three tiles where one block computes several. What is found ok and
 * covered by no rule is followed through all schedules of smaller instances.
 *
 * A program from a file and a kernel of the zoo are judged as they are.
 *
 * A module of Triton's is changed as a text: each mutant is a text that Triton's compiler takes. It is judged at its launch, and what is found ok and
 * covered by no rule is followed at smaller ones, where there are such. `--write DIR` writes every text, with what is said of it in its first line.
 *
 * PTX is changed as a text, too, line by line, and judged on the data of its launch; with `--over shadow` first without them. It says nothing of what it computes: its synchronisation alone is changed.
 *
 * Attention does not say what it computes in a form that provenance could refute: its data movement is not mutated.
 *
 * Exit status 0 when every mutant is killed by name or equivalent by certificate, 1 when one survives, is undecided or is killed without a name.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { kernels } from '../../../kernels/catalogue/index.js'
import { table } from '../../../render/table.js'
import {
  byOperator,
  classes,
  isWhole,
  ofClass,
  operators,
  percent,
  tally,
  type JudgedMutant,
  type MutantClass,
  type Operator,
  type Tally,
} from '../../../semantics/mutation/index.js'
import type { Answer, Case, FlagValue, Task } from '../../sweep/model.js'
import { alone } from '../../sweep/staff.js'
import { judgedIn } from '../../sweep/work.js'
import type { OutputFile } from '../../tensor-files/files.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { launchAsked, launchOptions } from '../flags/launch.js'
import { threadsAsked, threadsOption } from '../flags/threads.js'
import { again, switchOf, wordOf, wordsOf } from '../flags/words.js'
import { fuelOption } from '../judging.js'
import { mutantsAsked, type Mutants } from '../mutants.js'
import { operationOption } from '../programs.js'
import { refuseLaunch } from '../subject.js'
import { dataOptions, refuseData } from '../ptx-data.js'

const define = (command: Command): Command =>
  operationOption(
    dataOptions(
      launchOptions(
        fuelOption(threadsOption(command))
          .argument(
            '[kernel]',
            'a name that `tcspec kernels` lists, a program (.json), a kernel that JAX traced (.jaxpr.json), a module (.ttgir) or PTX (.ptx)',
          )
          .option('--all', 'every kernel')
          .option('--set <name=value...>', 'settings of the kernel; without them, small ones'),
      ),
    ),
  )
    .option('--class <name>', `only this; may be repeated: ${classes.join(', ')}`, again)
    .option('--operator <name>', `only this; may be repeated: ${operators.join(', ')}`, again)
    .option('--mutant <key>', 'only the mutant with this key, as a sweep names it')
    .option(
      '--write <directory>',
      'write every changed text of a module or PTX, its verdict in the first line',
    )
    .option('--json', 'print one JSON document')

export const mutationSchema = 'tcspec.mutation/1'

interface Row {
  readonly class: MutantClass
  readonly site: string
  readonly operator: Operator
  readonly change: string
  readonly verdict: string
  readonly reason: string
}

const rowOf = (j: JudgedMutant): Row => ({
  class: j.mutant.class,
  site: j.mutant.site,
  operator: j.mutant.operator,
  change: j.mutant.change,
  verdict: j.verdict,
  reason: j.reason,
})

/** `0017-DROP.ttgir`, its verdict in the first line. */
const filesOf = (
  directory: string,
  text: NonNullable<Mutants['text']>,
  judged: ReadonlyArray<JudgedMutant>,
): ReadonlyArray<OutputFile> =>
  judged.map((j, k) => {
    const { mutant, fate, named, certificate, verdict, reason } = j
    const said = fate === 'killed' ? (named ? 'by name' : 'without a name') : (certificate ?? 'survived')
    const head = `// ${mutant.operator} ${mutant.site}: ${mutant.change}. ${verdict}, ${said}: ${reason.replace(/\s+/g, ' ')}`
    return {
      file: `${directory.replace(/\/$/, '')}/${String(k + 1).padStart(4, '0')}-${mutant.operator}.${text.extension}`,
      bytes: new TextEncoder().encode(`${head}\n${text.of(k)}`),
    }
  })

/** Counts in the document's words: how many are equivalent, and why; kills by their first id. */
const countsOf = ({ equivalent: reasons, ids: byId, ...counts }: Tally) => ({
  ...counts,
  equivalent: counts.mutants - counts.real,
  reasons,
  byId,
})

const documentOf = ({ kernel, settings }: Mutants, all: ReadonlyArray<JudgedMutant>) => ({
  kernel,
  settings,
  ...countsOf(tally(all)),
  undecided: all.filter((j) => j.fate === 'undecided').length,
  survivors: all.filter((j) => j.fate !== 'killed' && j.certificate === null).map(rowOf),
  unnamed: all.filter((j) => j.fate === 'killed' && !j.named).map(rowOf),
  equivalents: all.flatMap((j) =>
    j.certificate === null
      ? []
      : [
          {
            site: j.mutant.site,
            operator: j.mutant.operator,
            change: j.mutant.change,
            reason: j.certificate,
          },
        ],
  ),
  classes: classes.flatMap((c) => {
    const of = ofClass(all, c)
    return of.length === 0
      ? []
      : [
          {
            class: c,
            ...countsOf(tally(of)),
            operators: byOperator(of).map(({ operator, ...t }) => ({ operator, ...countsOf(t) })),
          },
        ]
  }),
})
type KernelDocument = ReturnType<typeof documentOf>

const several = (counts: Readonly<Record<string, number>>, most: number): string =>
  Object.entries(counts)
    .slice(0, most)
    .map(([name, n]) => `${name} ${String(n)}`)
    .join(', ')

const line = (name: string, t: ReturnType<typeof countsOf>): ReadonlyArray<string> => [
  name,
  String(t.sites),
  String(t.mutants),
  String(t.equivalent),
  String(t.real),
  String(t.killed),
  String(t.named),
  percent(t.accurate, t.killed),
  several(t.byId, 4),
]

const textOf = (d: KernelDocument): string => {
  const left = (title: string, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
    rows.length === 0
      ? []
      : [
          '',
          title,
          ...table([
            ['operator', 'site', 'change', 'verdict'],
            ...rows.map((r) => [r.operator, r.site, r.change, r.verdict]),
          ])
            .split('\n')
            .map((text) => `  ${text}`),
        ]
  const settings = Object.entries(d.settings).map(([k, v]) => `${k}=${String(v)}`)
  return [
    `${d.kernel} ${settings.join(' ')}`,
    ...d.classes.flatMap((c) => [
      '',
      `${c.class}: ${String(c.killed)} of ${String(c.real)} killed, ${percent(c.killed, c.real)}; ${String(c.named)} by name; label accuracy ${percent(c.accurate, c.killed)}`,
      ...table([
        ['operator', 'sites', 'mutants', 'equivalent', 'real', 'killed', 'named', 'accurate', 'first ids'],
        ...c.operators.map((o) => line(o.operator, o)),
      ])
        .split('\n')
        .map((text) => `  ${text}`),
      `  equivalent: ${several(c.reasons, 30)}`,
    ]),
    ...left('survivors', d.survivors),
    ...left('killed without a name', d.unnamed),
  ].join('\n')
}

const sum = (ds: ReadonlyArray<KernelDocument>, of: (d: KernelDocument) => number): number =>
  ds.reduce((n, d) => n + of(d), 0)

/** The cases of a command line: a kernel, a file, or all kernels. */
const casesOf = (
  name: string | undefined,
  all: boolean,
  options: Options,
): E.Either<Failure, ReadonlyArray<Case>> => {
  if (all !== (name === undefined))
    return refuse(
      'bad-flag',
      `mutate: expected a kernel, a program (.json), a module (.ttgir, .ptx) or --all, found ${all ? `'${name ?? ''}' and --all` : 'nothing'}`,
    )
  const flags = Object.fromEntries(
    [
      'set',
      'launch',
      'grid',
      'arg',
      'block',
      'cluster',
      'shared',
      'entry',
      'computes',
      'operation',
      'class',
      'operator',
      'mutant',
      'fuel',
      'over',
      'known',
      'data',
    ].flatMap((flag): ReadonlyArray<readonly [string, FlagValue]> => {
      const [word, words] = [wordOf(options, flag), wordsOf(options, flag)]
      return word !== null ? [[flag, word]] : words.length > 0 ? [[flag, words]] : []
    }),
  )
  return pipe(
    name === undefined
      ? pipe(
          launchAsked(options),
          E.chainW((launch) => refuseLaunch('--all', launch)),
          E.chainW(() => refuseData('--all', options)),
        )
      : E.right(null),
    E.map(() =>
      (name === undefined ? kernels.map((k) => k.name) : [name]).map((one): Case => ({
        command: 'mutate',
        name: one,
        options: flags,
      })),
    ),
  )
}

/** How every mutant of every case was judged; or the first of them that could not be. */
const judgeAll = async (
  world: World,
  cases: ReadonlyArray<Case>,
  mutants: ReadonlyArray<Mutants>,
  threads: number | null,
): Promise<E.Either<Failure, ReadonlyArray<ReadonlyArray<JudgedMutant>>>> => {
  const tasks = mutants.flatMap(({ keys }, k): ReadonlyArray<Task> =>
    keys.map((_, mutant) => ({ case: k, mutant })),
  )
  const judged = mutants.map(({ keys }) => new Array<Answer | null>(keys.length).fill(null))
  const bar = world.progress('mutants')
  const staff =
    world.sweeps === undefined
      ? alone(world, cases)
      : world.sweeps.hire({ cases, directory: '' }, threads ?? world.sweeps.count)
  let done = 0
  await staff.perform(
    tasks,
    ({ case: k, mutant }, answer) => {
      judged[k]![mutant ?? 0] = answer
      bar.update(++done, tasks.length)
    },
    new AbortController().signal,
  )
  bar.stop()
  return pipe(
    judged,
    E.traverseArrayWithIndex((k, of) =>
      pipe(
        of,
        E.traverseArrayWithIndex((mutant, answer) => {
          const key = mutants[k]!.keys[mutant]!
          const found = answer === null ? null : judgedIn(key, answer)
          return found === null
            ? refuse(
                'mutate.lost',
                `${mutants[k]!.kernel}: expected a verdict on '${key}', found none: ${answer?.reason ?? ''}`,
              )
            : E.right(found)
        }),
      ),
    ),
  )
}

const mutate = async (
  world: World,
  operands: ReadonlyArray<string>,
  options: Options,
): Promise<E.Either<Failure, Report>> => {
  const asked = pipe(
    E.Do,
    E.bindW('threads', () => threadsAsked(options)),
    E.bindW('cases', () => casesOf(operands[0], switchOf(options, 'all'), options)),
    E.bindW('mutants', ({ cases }) =>
      pipe(
        cases,
        // by the flags that those who judge are given; how many they are is no matter of the kernel
        E.traverseArray((one) => mutantsAsked(world, one.name, one.options)),
      ),
    ),
  )
  if (E.isLeft(asked)) return asked
  const { threads, cases, mutants } = asked.right
  const directory = wordOf(options, 'write')
  if (directory !== null && mutants.some(({ text }) => text === null))
    return refuse(
      'bad-flag',
      `mutate: --write: expected a module (.ttgir, .ptx), found '${operands[0] ?? '--all'}'`,
    )
  const judged = await judgeAll(world, cases, mutants, threads)
  if (E.isLeft(judged)) return judged
  const documents = mutants.map((of, k) => documentOf(of, judged.right[k]!))
  return E.right({
    good: documents.every(isWhole),
    text: () => `${documents.map(textOf).join('\n\n')}\n`,
    json: () => ({
      schema: mutationSchema,
      mutants: sum(documents, (d) => d.mutants),
      equivalent: sum(documents, (d) => d.equivalent),
      killed: sum(documents, (d) => d.killed),
      named: sum(documents, (d) => d.named),
      accurate: sum(documents, (d) => d.accurate),
      undecided: sum(documents, (d) => d.undecided),
      kernels: documents,
    }),
    files:
      directory === null
        ? []
        : mutants.flatMap(({ text }, k) => (text === null ? [] : filesOf(directory, text, judged.right[k]!))),
  })
}

const run: CliCommand['run'] = (world) => (operands, options) => () => mutate(world, operands, options)

export const mutateCommand: CliCommand = { define, run }
