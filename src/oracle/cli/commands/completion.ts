/**
 * `tcspec completion bash`: the script that makes a shell complete commands, options, kernels, settings and layouts.
 *
 *     tcspec completion bash >> ~/.bashrc
 *     tcspec completion zsh > ~/.zfunc/_tcspec
 *     tcspec completion fish > ~/.config/fish/completions/tcspec.fish
 */
import type { Command } from 'commander'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { CliCommand, Report } from '../command.js'
import { oneOf } from '../flags/choice.js'

const define = (command: Command): Command => command.argument('<shell>', 'bash, zsh, fish or pwsh')

const run: CliCommand['run'] = () => (operands) =>
  pipe(
    operands[0] ?? '',
    oneOf('SHELL', ['bash', 'zsh', 'fish', 'pwsh']),
    TE.fromEither,
    TE.chainTaskK((shell) => async (): Promise<Report> => {
      const { default: tabtab } = await import('@pnpm/tabtab')
      const script = await tabtab.getCompletionScript({ name: 'tcspec', completer: 'tcspec', shell })
      return { good: true, text: () => script, json: () => ({ script }) }
    }),
  )

export const completionCommand: CliCommand = { define, run }
