/**
 * Quotations of the tool in a page: blocks that begin with `$ tcspec ...` or `$ npx tcspec ...` and hold what it prints, with lines of dots for what is left out.
 *
 * A quotation is right if its pieces stand in the output in that order. `TCSPEC_REGENERATE` puts the whole output where a quotation is a question mark.
 */
import type { World } from '../../src/oracle/cli/command.js'
import { commands } from '../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../src/oracle/cli/program.js'
import { inMemory } from './disk.js'
import { worldOf } from './world.js'

const world = worldOf(inMemory(new Map()))

export interface Quotation {
  readonly argv: string
  readonly quoted: string
}

export const quotations = (page: string): ReadonlyArray<Quotation> =>
  [...page.matchAll(/```\n\$ (?:npx )?tcspec (.*)\n([^]*?)\n```/g)].map((m) => ({
    argv: m[1]!,
    quoted: m[2]!,
  }))

/** As a shell splits them, with single quotes only. */
const words = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!)

/** `files`: what the commands may read and write; nothing is there if it is not said. */
export const printed = (
  argv: string,
  files: World['files'] = world.files,
): ReturnType<ReturnType<ReturnType<typeof tcspec>>> => tcspec(commands, { ...world, files })(words(argv))()

/** Pieces of a quotation between lines of dots, each a run of lines. */
const pieces = (quoted: string): ReadonlyArray<string> =>
  quoted
    .split(/^\.\.\.$/m)
    .map((piece) => piece.replace(/^\n|\n$/g, ''))
    .filter((piece) => piece !== '')

/** The first piece that does not stand in the output behind those before it. */
export const notPrinted = (quoted: string, output: string): string | null => {
  let rest = `\n${output}`
  for (const piece of pieces(quoted)) {
    const at = rest.indexOf(`\n${piece}\n`)
    if (at < 0) return piece
    rest = rest.slice(at + piece.length + 1)
  }
  return null
}
