/** The world that proofs of the command line run in: files of their choice, no colours, a clock that stands, nothing captured. */
import { silent, type Outcome, type World } from '../../src/oracle/cli/command.js'
import { commands } from '../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../src/oracle/cli/program.js'

export const worldOf = (files: World['files']): World => ({
  files,
  version: '0',
  colours: false,
  clock: () => 0,
  progress: () => silent,
  conformance: null,
})

/** `tcspec ARGV` in this world. */
export const running =
  (world: World) =>
  (...argv: ReadonlyArray<string>): Promise<Outcome> =>
    tcspec(commands, world)(argv)()
