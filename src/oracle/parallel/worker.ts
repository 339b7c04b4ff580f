/** A thread of `threads.ts`: does tasks until none is left. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Answer, Order } from './threads.js'
import { workerOf, type Setting } from './work.js'

const isSetting = (x: unknown): x is Setting => typeof x === 'object' && x !== null && '_tag' in x

const given: unknown = workerData
if (isSetting(given) && parentPort !== null) {
  const port = parentPort
  const work = workerOf(given)
  port.on('message', ({ tasks, taken }: Order) => {
    for (let i = Atomics.add(taken, 0, 1); i < tasks.length; i = Atomics.add(taken, 0, 1)) {
      const answer: Answer = { task: i, done: work(tasks[i]!) }
      port.postMessage(answer)
    }
  })
}
