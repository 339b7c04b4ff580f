/** A thread of `threads.ts`: does the tasks that it is given. */
import { parentPort, workerData } from 'node:worker_threads'
import { silent } from '../cli/command.js'
import { onDisk } from '../tensor-files/disk.js'
import { besideDocument } from './grid.js'
import type { Task } from './model.js'
import type { Said, Told } from './threads.js'
import { workerOf } from './work.js'

const isTold = (x: unknown): x is Told => typeof x === 'object' && x !== null && 'cases' in x

const told: unknown = workerData
if (isTold(told) && parentPort !== null) {
  const port = parentPort
  const say = (said: Said): void => {
    port.postMessage(said)
  }
  const work = workerOf(
    {
      files: besideDocument(told.directory, onDisk),
      version: told.version,
      colours: false,
      clock: () => 0,
      conformance: null,
      progress: () => silent,
    },
    told.cases,
  )
  port.on('message', (task: Task) => {
    void work(task).then((answer) => {
      say({ _tag: 'answer', answer })
    })
  })
  say({ _tag: 'ready' })
}
