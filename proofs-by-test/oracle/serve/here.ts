/** What a thread of `tcspec serve` answers with, in this thread. */
import type { World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { answering, type Answering, type Answers } from '../../../src/oracle/serve/answer.js'
import { suites } from '../../../src/oracle/vectors/index.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

/** A command line in memory: the same version, clock and threads as below. */
export const world: World = worldOf(inMemory(new Map()))

export const asked: Answering = {
  commands,
  suites,
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 24,
}

export const answers: Answers = answering(asked)
