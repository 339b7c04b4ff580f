/** Every command of `tcspec`, in the order in which help lists them. */
import type { CliCommand } from '../command.js'
import { banksCommand } from './banks.js'
import { checkCommand } from './check.js'
import { compareCommand } from './compare.js'
import { cuteCommand } from './cute.js'
import { demoCommand } from './demo.js'
import { imageCommand } from './image.js'
import { kernelsCommand } from './kernels.js'
import { layoutCommand } from './layout.js'
import { linearCommand } from './linear.js'
import { mmaCommand } from './mma.js'
import { mutateCommand } from './mutate.js'
import { runCommand } from './run.js'
import { tilingCommand } from './tiling.js'
import { tmemCommand } from './tmem.js'
import { traceCommand } from './trace.js'
import { transformCommand } from './transform.js'

export const commands: ReadonlyArray<CliCommand> = [
  demoCommand,
  kernelsCommand,
  runCommand,
  checkCommand,
  traceCommand,
  mutateCommand,
  mmaCommand,
  compareCommand,
  layoutCommand,
  transformCommand,
  linearCommand,
  cuteCommand,
  tmemCommand,
  banksCommand,
  imageCommand,
  tilingCommand,
]
