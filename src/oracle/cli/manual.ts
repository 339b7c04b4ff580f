/**
 * The manual: the whole command line as a page, made of what the commands declare and of their examples. `docs/CommandLine.md` and the manual page
 * `man/tcspec.1` are this text.
 */
import type { Command } from 'commander'
import { examples } from './examples.js'
import { own } from '../../own.js'

/** A term and what is said of it, as Markdown has no form for: one line, the term in bold. */
const term = (words: string, says: string): string => `- **\`${words}\`**: ${says}`

const section = (command: Command): string => {
  const help = command.createHelp()
  const operands = command.registeredArguments.map((a) => term(help.argumentTerm(a), a.description))
  const options = help
    .visibleOptions(command)
    .filter((o) => o.long !== '--help')
    .map((o) => term(o.flags, help.optionDescription(o)))
  const lines = own(examples, command.name()) ?? []
  return [
    `## tcspec ${command.name()}`,
    command.description(),
    `    tcspec ${command.name()} ${command.usage()}`.trimEnd(),
    [...operands, ...options].join('\n'),
    ...lines.map(({ line, says }) => `${says}:\n\n    tcspec ${line}`),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const status: ReadonlyArray<readonly [string, string]> = [
  ['0', 'good; notes are allowed'],
  ['1', 'a bad verdict, or a bit that differs'],
  ['2', 'wrong usage or input: one line on standard error says what was expected and what was found'],
  ['3', 'not decided, or a run that did not end'],
  ['70', 'a bug in this library'],
  ['130', 'a sweep was stopped by a signal; its answers are kept'],
]

/** `parser`: the whole of it (`wholeParser`). */
export const manual = (parser: Command): string =>
  `${[
    '# tcspec(1) -- the oracle of asynchronous tensor-core kernels',
    '## Synopsis',
    '    tcspec COMMAND [OPERANDS] [OPTIONS]\n    tcspec help COMMAND',
    ...parser.commands.map(section),
    '## Exit status',
    status.map(([code, says]) => term(code, says)).join('\n'),
    'With `--json` standard output holds one JSON document in every case; its member `schema` names the schema under `schemas/` that it satisfies.',
  ].join('\n\n')}\n`
