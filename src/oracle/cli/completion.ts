/**
 * Completion: what may stand where the cursor is, of the words before it.
 *
 * | the cursor is                       | what may stand there                          |
 * |-------------------------------------|-----------------------------------------------|
 * | at the first word                   | commands                                      |
 * | at a word that begins with `-`      | options of the command                        |
 * | behind `--set`                      | settings of the kernel that was named         |
 * | where a kernel may stand            | kernels, or a file                            |
 * | where a layout may stand            | layouts that have names, or a file            |
 * | anywhere else                       | a file                                        |
 *
 * A file is the shell's own affair: where nothing begins as the word does, the answer is empty, and the shell completes names of files.
 *
 * Law 1. Everything that is offered begins with what was typed.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { zoo } from '../../kernels/broken/zoo/index.js'
import { laneTwins } from '../../kernels/broken/zoo/lanes.js'
import { kernelNamed, kernels } from '../../kernels/catalogue/index.js'
import { families } from '../../layouts/named.js'

// ---------------------------------------------------------------- model

export interface Offer {
  readonly name: string
  readonly says: string
}

// ---------------------------------------------------------------- destructors

const takesKernel = ['run', 'check', 'trace', 'mutate', 'kernels']
const takesLayout = ['layout', 'linear', 'banks']

const kernelOffers: ReadonlyArray<Offer> = [
  ...kernels.map(({ name, summary }) => ({ name, says: summary })),
  ...[...zoo, ...laneTwins].map(({ path }) => ({ name: path, says: 'a hazard in a few lines' })),
]
const settingOffers = (kernel: string): ReadonlyArray<Offer> => {
  const found = kernelNamed(kernel)
  return E.isLeft(found)
    ? []
    : found.right.parameters.map(({ name, meaning }) => ({ name: `${name}=`, says: meaning }))
}
const layoutOffers: ReadonlyArray<Offer> = families.map(({ name, summary }) => ({ name, says: summary }))

const optionsOf = (parser: Command): ReadonlyArray<Offer> =>
  parser
    .createHelp()
    .visibleOptions(parser)
    .map((o) => ({ name: o.long ?? o.flags, says: o.description }))

const offered = (parser: Command, before: ReadonlyArray<string>, word: string): ReadonlyArray<Offer> => {
  const [name, ...rest] = before
  if (name === undefined) return parser.commands.map((c) => ({ name: c.name(), says: c.description() }))
  const command = parser.commands.find((c) => c.name() === name)
  if (command === undefined) return []
  if (word.startsWith('-')) return optionsOf(command)
  const kernel = rest.find((w) => !w.startsWith('-') && !w.includes('='))
  const flag = rest.filter((w) => w.startsWith('-')).at(-1)
  if (flag === '--set' && kernel !== undefined) return settingOffers(kernel)
  if (takesKernel.includes(name) && kernel === undefined) return kernelOffers
  if (takesLayout.includes(name)) return layoutOffers
  return []
}

/** What may stand in the place of `word`, behind `before` (the program's own name left out). */
export const offers = (parser: Command, before: ReadonlyArray<string>, word: string): ReadonlyArray<Offer> =>
  offered(parser, before, word).filter(({ name }) => name.startsWith(word))
