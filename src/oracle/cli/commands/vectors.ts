/**
 * `tcspec vectors [SUITE...] -o DIR`: questions with the specification's answers, as files, for back ends in any language (`docs/Vectors.md`).
 * `tcspec vectors --list`: the suites and their rules.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import { fields, table, thousands } from '../../../render/table.js'
import { manifestSchema, ruleRows, vectorsOf } from '../../vectors/directory.js'
import { suiteNamed, suites } from '../../vectors/index.js'
import type { Suite } from '../../vectors/suite.js'
import type { Mark } from '../../tensor-files/directory.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Report, World } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { wordOf } from '../flags/words.js'

const define = (command: Command): Command =>
  command
    .argument('[suites...]', 'suites; all of them if none is named')
    .option('-o, --output <directory>', 'directory to write; after an error nothing is written')
    .option('--list', 'list the suites and their rules')
    .option('--json', 'print one JSON document')

/** What a directory of vectors is known by. */
const mark: Mark = { file: 'manifest.json', says: `"schema": "${manifestSchema.replace(/\d+$/, '')}` }

const asked = (names: ReadonlyArray<string>): TE.TaskEither<Failure, ReadonlyArray<Suite>> =>
  pipe(
    names.length === 0 ? suites.map(({ name }) => name) : suitesInOrder(names),
    TE.traverseSeqArray(suiteNamed),
  )

/** Each once, in the order of the list; unknown ones last, to be refused. */
const suitesInOrder = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = suites.map(({ name }) => name)
  return [...known.filter((name) => names.includes(name)), ...names.filter((name) => !known.includes(name))]
}

const listed = (found: ReadonlyArray<Suite>): Report => ({
  good: true,
  json: () => ({
    schema: 'tcspec.suites/1',
    suites: found.map((suite) => ({
      name: suite.name,
      arch: suite.arch,
      profile: suite.profile,
      title: suite.title,
      cases: [...suite.cases()].length,
      rules: ruleRows(suite),
    })),
  }),
  text: () =>
    `${table([
      ['rule', 'cases', 'known', 'says'],
      ...found.flatMap((suite) => {
        const cases = [...suite.cases()]
        return suite.rules.map((rule) => [
          rule.id,
          String(cases.filter((one) => one.rule === rule.id).length),
          rule.fidelity,
          rule.says,
        ])
      }),
    ])}\n`,
})

const write = (
  world: World,
  directory: string,
  found: ReadonlyArray<Suite>,
): TE.TaskEither<Failure, Report> =>
  TE.fromIO(() => {
    const bar = world.progress('answering')
    const made = vectorsOf(world.version, bar.update)(found)
    bar.stop()
    const bytes = made.files.reduce((sum, file) => sum + file.bytes.length, 0)
    const cases = made.suites.reduce((sum, suite) => sum + suite.cases, 0)
    const refused = made.suites.reduce((sum, suite) => sum + suite.refused, 0)
    return {
      good: true,
      directory: { directory, mark, files: made.files },
      json: () => ({
        schema: 'tcspec.vectors/1',
        output: directory,
        files: made.files.length,
        bytes,
        cases,
        refused,
        suites: made.suites,
      }),
      text: () =>
        `${fields(paletteOf(world), 11, [
          ['wrote', directory],
          ['suites', made.suites.map(({ name }) => name).join(', ')],
          ['cases', `${thousands(cases)}, ${thousands(refused)} of them refused`],
          ['files', `${thousands(made.files.length)}, ${thousands(bytes)} bytes; manifest.json lists them`],
        ])}\n`,
    }
  })

const run: CliCommand['run'] = (world) => (operands, options) =>
  pipe(
    asked(operands),
    TE.chain((found): TE.TaskEither<Failure, Report> => {
      const directory = wordOf(options, 'output')
      if (options['list'] === true)
        return directory === null
          ? TE.right(listed(found))
          : TE.fromEither(refuseFlag('--output', 'nothing with --list', directory))
      if (directory === null)
        return TE.fromEither(refuseFlag('--output', 'a directory to write, or --list', 'neither'))
      if (world.directories === undefined)
        return TE.fromEither(refuse('directory-unwritable', 'this environment has no disk to write to'))
      const free: E.Either<Failure, null> = world.directories.free(directory, mark)()
      return E.isLeft(free) ? TE.left(free.left) : write(world, directory, found)
    }),
  )

export const vectorsCommand: CliCommand = { define, run }
