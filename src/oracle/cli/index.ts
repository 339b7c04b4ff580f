/** The command line as functions: `tcspec(commands, world)(argv)` gives an outcome and touches nothing else. */
export { tcspec } from './program.js'
export { commands } from './commands/index.js'
export type { CliCommand, Outcome, Report, World } from './command.js'
export * as choice from './flags/choice.js'
export * as setting from './flags/setting.js'
export * as binding from './flags/binding.js'
export * as machine from './flags/machine.js'
