/**
 * The other end of a shell's completion: the line so far is in the environment, the answer goes to standard output, as tabtab's scripts want it.
 */
import tabtab from '@pnpm/tabtab'
import { commands } from './commands/index.js'
import { offers } from './completion.js'
import { wholeParser } from './program.js'

/** `env`: what the script says of the line and the cursor. */
export const answerCompletion = async (env: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const { partial, lastPartial } = tabtab.parseEnv(env)
  const before = partial.trimStart().split(/\s+/).slice(1, -1)
  const found = offers(await wholeParser(commands, ''), before, lastPartial)
  if (found.length === 0) tabtab.logFiles()
  else
    tabtab.log(
      found.map(({ name, says }) => ({ name, description: says })),
      tabtab.getShellFromEnv(env),
    )
}
