/** A thread of `crew.ts`: answers one request at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import { commands } from '../cli/commands/index.js'
import { threads } from '../parallel/threads.js'
import { suites } from '../vectors/index.js'
import { answering, type Answer } from './answer.js'
import type { Said, Setting, Task } from './crew.js'
import { reading } from './folder.js'

const isSetting = (x: unknown): x is Setting => typeof x === 'object' && x !== null && 'mostBytes' in x

const given: unknown = workerData
const setting: Setting = isSetting(given)
  ? given
  : { version: 'unknown', conformance: null, folder: null, mostBytes: Infinity }

const answers = answering({
  commands,
  suites,
  world: {
    version: setting.version,
    node: process.versions.node,
    colours: false,
    clock: () => performance.now(),
    conformance: setting.conformance,
    // the requests share the cores already: a run is shared by more threads only where it says so
    threads: { assemble: threads(new URL('../parallel/worker.js', import.meta.url)), count: 1 },
  },
  behind: setting.folder === null ? null : reading(setting.folder),
  mostBytes: setting.mostBytes,
})

/** Milliseconds between two words on how far it has come. */
const between = 100

const say = (said: Said): void => {
  parentPort?.postMessage(said)
}

export const perform = ({ number, method, params, progress }: Task): Promise<Answer> => {
  let last = -Infinity
  return answers(
    method,
    params,
    progress
      ? (at) => {
          const now = performance.now()
          if (now - last < between) return
          last = now
          say({ task: number, progress: at })
        }
      : null,
  )
}
