/** Every command of `tcspec`, in the order in which help lists them. */
import type { CliCommand } from '../command.js'
import { compareCommand } from './compare.js'

export const commands: ReadonlyArray<CliCommand> = [compareCommand]
