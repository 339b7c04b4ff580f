/**
 * `tcspec mutate KERNEL|--all`: every single change of a kernel's synchronisation, and whether it is found out by name.
 *
 * Exit status 0 when every mutant is killed or equivalent by certificate, 1 when one survives, is undecided or is killed without a name.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { refuse, type Failure } from '../../../failure.js'
import { instanceOf, kernels, type Instance } from '../../../kernels/catalogue/index.js'
import { unit } from '../../../numerics/unit.js'
import { table } from '../../../render/table.js'
import type { CheckOptions } from '../../../semantics/check.js'
import { noArguments } from '../../../semantics/launch.js'
import { judging, mutantsOf, type Judged } from '../../../semantics/mutation/index.js'
import { eager } from '../../../semantics/policy.js'
import type { CliCommand, ProgressBar, Report } from '../command.js'
import { parseSettings, type Settings } from '../flags/setting.js'
import { switchOf, wordsOf } from '../flags/words.js'

const define = (command: Command): Command =>
  command
    .description('every single-operation mutant of a kernel and its verdict; the kill rate')
    .argument('[kernel]', 'a name that `tcspec kernels` lists')
    .option('--all', 'every kernel')
    .option('--set <name=value...>', 'settings of the kernel')
    .option('--json', 'print one JSON document')

export const mutationSchema = 'tcspec.mutation/1'

const options = (settings: Settings): CheckOptions => ({
  settings,
  algebra: unit,
  arguments: noArguments,
  policy: eager,
  strict: false,
  strictProxies: false,
  hazards: true,
  provenance: true,
  explore: true,
  fuel: 10_000_000,
})

interface Row {
  readonly site: string
  readonly operator: string
  readonly change: string
  readonly verdict: string
  readonly reason: string
}

const rowOf = (j: Judged): Row => ({
  site: j.mutant.site,
  operator: j.mutant.operator,
  change: j.mutant.change,
  verdict: j.verdict,
  reason: j.reason,
})

/** Ids of the first finding of each kill, counted. */
const byId = (all: ReadonlyArray<Judged>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const j of all)
    if (j.fate === 'killed') counts.set(j.ids[0] ?? j.verdict, (counts.get(j.ids[0] ?? j.verdict) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const judgeKernel = (instance: Instance, bar: ProgressBar): ReadonlyArray<Judged> => {
  const mutants = mutantsOf(instance.program)
  const judge = judging(instance.program, options(instance.settings))
  return mutants.map((m, i) => {
    const judged = judge(m)
    bar.update(i + 1, mutants.length)
    return judged
  })
}

const documentOf = (instance: Instance, all: ReadonlyArray<Judged>) => {
  const equivalents = all.filter((j) => j.certificate !== null)
  return {
    kernel: instance.kernel,
    settings: instance.settings,
    mutants: all.length,
    equivalent: equivalents.length,
    killed: all.filter((j) => j.fate === 'killed').length,
    named: all.filter((j) => j.named).length,
    undecided: all.filter((j) => j.fate === 'undecided').length,
    survivors: all.filter((j) => j.fate !== 'killed' && j.certificate === null).map(rowOf),
    unnamed: all.filter((j) => j.fate === 'killed' && !j.named).map(rowOf),
    equivalents: equivalents.map((j) => ({
      site: j.mutant.site,
      operator: j.mutant.operator,
      reason: j.certificate,
    })),
    byId: byId(all),
  }
}
type KernelDocument = ReturnType<typeof documentOf>

const textOf = (d: KernelDocument): string => {
  const left = (title: string, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
    rows.length === 0
      ? []
      : [
          '',
          title,
          ...table([
            ['operator', 'statement', 'change', 'verdict'],
            ...rows.map((r) => [r.operator, r.site, r.change, r.verdict]),
          ])
            .split('\n')
            .map((line) => `  ${line}`),
        ]
  const settings = Object.entries(d.settings).map(([k, v]) => `${k}=${String(v)}`)
  return [
    `${d.kernel} ${settings.join(' ')}`,
    `  ${String(d.mutants)} mutants: ${String(d.killed)} killed (${String(d.named)} by name), ${String(d.equivalent)} equivalent by certificate, ${String(d.undecided)} undecided, ${String(d.survivors.length)} survivors without one`,
    `  first findings: ${Object.entries(d.byId)
      .map(([id, n]) => `${id} ${String(n)}`)
      .join(', ')}`,
    ...left('survivors', d.survivors),
    ...left('killed without a name', d.unnamed),
  ].join('\n')
}

const sum = (ds: ReadonlyArray<KernelDocument>, of: (d: KernelDocument) => number): number =>
  ds.reduce((n, d) => n + of(d), 0)

const chosen = (
  name: string | undefined,
  all: boolean,
): E.Either<Failure, ReadonlyArray<(typeof kernels)[number]>> => {
  if (all && name === undefined) return E.right(kernels)
  const kernel = kernels.find((k) => k.name === name)
  return kernel === undefined || all
    ? refuse(
        'bad-flag',
        `mutate: expected one of ${kernels.map((k) => k.name).join(', ')}, or --all; found ${name === undefined ? 'nothing' : `'${name}'`}${all ? ' and --all' : ''}`,
      )
    : E.right([kernel])
}

const run: CliCommand['run'] = (world) => (words, given) => {
  const settings = parseSettings(wordsOf(given, 'set'))
  if (E.isLeft(settings)) return TE.left(settings.left)
  const which = chosen(words[0], switchOf(given, 'all'))
  if (E.isLeft(which)) return TE.left(which.left)
  const documents: KernelDocument[] = []
  for (const kernel of which.right) {
    const instance = instanceOf(kernel, settings.right, [])
    if (E.isLeft(instance)) return TE.left(instance.left)
    const bar = world.progress(`${kernel.name}: mutants`)
    documents.push(documentOf(instance.right, judgeKernel(instance.right, bar)))
    bar.stop()
  }
  const report: Report = {
    good: documents.every((d) => d.survivors.length === 0 && d.unnamed.length === 0),
    text: () => `${documents.map(textOf).join('\n\n')}\n`,
    json: () => ({
      schema: mutationSchema,
      mutants: sum(documents, (d) => d.mutants),
      equivalent: sum(documents, (d) => d.equivalent),
      killed: sum(documents, (d) => d.killed),
      undecided: sum(documents, (d) => d.undecided),
      kernels: documents,
    }),
  }
  return TE.right(report)
}

export const mutateCommand: CliCommand = { name: 'mutate', define, run }
