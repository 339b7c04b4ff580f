/**
 * `tcspec mutate KERNEL|program.json|module.ttgir|--all`: every single change of a kernel's synchronisation and of its data movement, and whether it is found out by name.
 *
 * Without `--set` the kernel is judged where it is small: two slots, five steps; three tiles where one block computes several. What is found ok and
 * covered by no rule is followed through all schedules of smaller instances.
 *
 * A program from a file and a kernel of the zoo are judged as they are.
 *
 * A module of Triton's is changed as a text: each mutant is a text that Triton's compiler takes. It is judged at its launch, and what is found ok and
 * covered by no rule is followed at smaller ones, where there are such. `--write DIR` writes every text, with what is said of it in its first line.
 *
 * Attention does not say what it computes in a form that provenance could refute: its data movement is not mutated.
 *
 * Exit status 0 when every mutant is killed by name or equivalent by certificate, 1 when one survives, is undecided or is killed without a name.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../../failure.js'
import {
  followedAt,
  instanceOf,
  judgedAt,
  kernels,
  type Instance,
  type Kernel,
} from '../../../kernels/catalogue/index.js'
import {
  groundOf,
  judgedAt as textJudge,
  showModule,
  smallerAt,
  smallerLaunches,
  textMutants,
  type Elaborate,
  type Module,
} from '../../../dialects/ttgir/index.js'
import { table } from '../../../render/table.js'
import { standardOptions, type CheckOptions } from '../../../semantics/verdict/check.js'
import {
  byOperator,
  classes,
  cutDown,
  isWhole,
  judging,
  mutantsOf,
  ofClass,
  operators,
  percent,
  tally,
  type Judged,
  type MutantClass,
  type Operator,
  type Tally,
} from '../../../semantics/mutation/index.js'
import type { LaunchedModule } from '../../launch/launched.js'
import type { OutputFile } from '../../tensor-files/files.js'
import type { CliCommand, ProgressBar, Report, World } from '../command.js'
import { launchOptions } from '../flags/launch.js'
import type { Settings } from '../flags/setting.js'
import { again, switchOf, wordOf, wordsOf } from '../flags/words.js'
import { fuelAsked, fuelFor, fuelOption } from '../judging.js'
import { isModule, namedSubject, refuseLaunch, subjectAsked, type Asked } from '../subject.js'

const define = (command: Command): Command =>
  launchOptions(
    fuelOption(command)
      .argument('[kernel]', 'a name that `tcspec kernels` lists, a program (.json) or a module (.ttgir)')
      .option('--all', 'every kernel')
      .option('--set <name=value...>', 'settings of the kernel; without them, small ones'),
  )
    .option('--class <name>', `only this; again for another: ${classes.join(', ')}`, again)
    .option('--operator <name>', `only this; again for another: ${operators.join(', ')}`, again)
    .option('--write <directory>', 'of a module: every changed text, its verdict in the first line')
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

const rowOf = (j: Judged): Row => ({
  class: j.mutant.class,
  site: j.mutant.site,
  operator: j.mutant.operator,
  change: j.mutant.change,
  verdict: j.verdict,
  reason: j.reason,
})

/** An instance, and the smaller ones whose every schedule is followed; of a module the text and its launch. */
interface Chosen {
  readonly instance: Instance
  readonly smaller: ReadonlyArray<Instance>
  readonly module?: LaunchedModule
}

/** What was judged, and the texts where they are what was changed. */
interface Done {
  readonly judged: ReadonlyArray<Judged>
  readonly texts: ReadonlyArray<string>
}

/** Which mutants are asked for. */
interface Wanted {
  readonly classes: ReadonlyArray<MutantClass>
  readonly operators: ReadonlyArray<Operator>
}

const judgeModule = (
  module: Module,
  launch: Elaborate,
  fuel: number,
  { classes: of, operators: by }: Wanted,
  bar: ProgressBar,
): E.Either<Failure, Done> =>
  pipe(
    E.Do,
    E.bind('ground', () => groundOf(module, launch)),
    E.bind('mutants', () => textMutants(module, launch.function)),
    E.map(({ ground, mutants }) => {
      const how: CheckOptions = { ...standardOptions, fuel }
      const smaller = smallerLaunches(module, ground, how).map((g) => smallerAt(mutants, g, how))
      const judge = textJudge(ground, judging(ground.program, how, smaller))
      const wanted = mutants.filter(({ change }) => of.includes(change.class) && by.includes(change.operator))
      return {
        judged: wanted.map((m, i) => {
          const judged = judge(m)
          bar.update(i + 1, wanted.length)
          return judged
        }),
        texts: wanted.map((m) => showModule(m.change.module())),
      }
    }),
  )

/** `0017-DROP.ttgir`, its verdict in the first line. */
const filesOf = (directory: string, { judged, texts }: Done): ReadonlyArray<OutputFile> =>
  judged.map((j, k) => {
    const { mutant, fate, named, certificate, verdict, reason } = j
    const said = fate === 'killed' ? (named ? 'by name' : 'without a name') : (certificate ?? 'survived')
    const head = `// ${mutant.operator} ${mutant.site}: ${mutant.change}. ${verdict}, ${said}: ${reason.replace(/\s+/g, ' ')}`
    return {
      file: `${directory.replace(/\/$/, '')}/${String(k + 1).padStart(4, '0')}-${mutant.operator}.ttgir`,
      bytes: new TextEncoder().encode(`${head}\n${texts[k] ?? ''}`),
    }
  })

const judgeKernel = (
  { instance, smaller: smallerOnes }: Chosen,
  fuel: number,
  { classes: of, operators: by }: Wanted,
  bar: ProgressBar,
): ReadonlyArray<Judged> => {
  const how: CheckOptions = { ...standardOptions, settings: instance.settings, fuel }
  const mutants = mutantsOf(instance.program, by, of)
  const smaller = smallerOnes.map((i) => cutDown(i.program, how))
  const judge = judging(instance.program, how, smaller)
  return mutants.map((m, i) => {
    const judged = judge(m)
    bar.update(i + 1, mutants.length)
    return judged
  })
}

/** Counts in the document's words: how many are equivalent, and why; kills by their first id. */
const countsOf = ({ equivalent: reasons, ids: byId, ...counts }: Tally) => ({
  ...counts,
  equivalent: counts.mutants - counts.real,
  reasons,
  byId,
})

const documentOf = (instance: Instance, all: ReadonlyArray<Judged>) => ({
  kernel: instance.kernel,
  settings: instance.settings,
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

const oneOf = <A extends string>(
  what: string,
  known: ReadonlyArray<A>,
  words: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<A>> => {
  const unknown = words.find((w) => !known.some((k) => k === w))
  return unknown === undefined
    ? E.right(words.length === 0 ? known : known.filter((k) => words.includes(k)))
    : refuse('bad-flag', `mutate: expected ${what} to be one of ${known.join(', ')}, found '${unknown}'`)
}

/** A kernel where it is small, or where the settings say. */
const ofKernel = (kernel: Kernel, given: Settings): E.Either<Failure, Chosen> =>
  pipe(
    Object.keys(given).length > 0 ? instanceOf(kernel, given, []) : judgedAt(kernel),
    E.map((instance) => ({ instance, smaller: followedAt(kernel, instance.settings) })),
  )

const chosen = (
  world: World,
  name: string | undefined,
  all: boolean,
  asked: Asked,
): E.Either<Failure, ReadonlyArray<Chosen>> => {
  const { given } = asked
  if (all !== (name === undefined))
    return refuse(
      'bad-flag',
      `mutate: expected a kernel, a program (.json), a module (.ttgir) or --all, found ${all ? `'${name ?? ''}' and --all` : 'nothing'}`,
    )
  const launching =
    name !== undefined && isModule(name) ? E.right(null) : refuseLaunch(name ?? '--all', asked.launch)
  if (E.isLeft(launching)) return launching
  if (name === undefined)
    return pipe(
      kernels,
      E.traverseArray((kernel) => ofKernel(kernel, given)),
    )
  const kernel = kernels.find((k) => k.name === name)
  return pipe(
    kernel !== undefined
      ? ofKernel(kernel, given)
      : pipe(
          namedSubject(world, name, asked),
          E.map(({ name: called, settings, program, launched }): Chosen => ({
            instance: { kernel: called, settings, program },
            smaller: [],
            ...(launched === undefined ? {} : { module: launched }),
          })),
        ),
    E.map((one) => [one]),
  )
}

const run: CliCommand['run'] = (world) => (words, given) => {
  const asked = subjectAsked(given)
  if (E.isLeft(asked)) return TE.left(asked.left)
  const which = chosen(world, words[0], switchOf(given, 'all'), asked.right)
  if (E.isLeft(which)) return TE.left(which.left)
  const of = oneOf('--class', classes, wordsOf(given, 'class'))
  if (E.isLeft(of)) return TE.left(of.left)
  const by = oneOf('--operator', operators, wordsOf(given, 'operator'))
  if (E.isLeft(by)) return TE.left(by.left)
  const fuel = fuelAsked(given, 0)
  if (E.isLeft(fuel)) return TE.left(fuel.left)
  const directory = wordOf(given, 'write')
  if (directory !== null && which.right.some((one) => one.module === undefined))
    return TE.left(
      failure('bad-flag', `mutate: --write: expected a module (.ttgir), found '${words[0] ?? '--all'}'`),
    )
  const documents: KernelDocument[] = []
  const files: OutputFile[] = []
  for (const one of which.right) {
    const affordable = fuelFor(given, one.instance.program, 0)
    if (E.isLeft(affordable)) return TE.left(affordable.left)
    const bar = world.progress(`${one.instance.kernel}: mutants`)
    const wanted: Wanted = { classes: of.right, operators: by.right }
    const done: E.Either<Failure, Done> =
      one.module === undefined
        ? E.right({ judged: judgeKernel(one, fuel.right, wanted, bar), texts: [] })
        : judgeModule(one.module.module, one.module.launch, fuel.right, wanted, bar)
    bar.stop()
    if (E.isLeft(done)) return TE.left(done.left)
    documents.push(documentOf(one.instance, done.right.judged))
    if (directory !== null) for (const file of filesOf(directory, done.right)) files.push(file)
  }
  const report: Report = {
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
    files,
  }
  return TE.right(report)
}

export const mutateCommand: CliCommand = { define, run }
