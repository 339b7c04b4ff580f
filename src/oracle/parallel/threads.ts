/**
 * Threads: a crew of `node:worker_threads`.
 *
 * All get the list of tasks at once and take the next from a counter in shared memory, so that nobody waits for this thread, which may be
 * busy. Their answers come as messages.
 */
import { Worker } from 'node:worker_threads'
import type { Assemble, Done, Task } from './work.js'

/** What a thread is told: tasks, and the number of those that are taken. */
export interface Order {
  readonly tasks: ReadonlyArray<Task>
  readonly taken: Int32Array
}
/** What it says after each. */
export interface Answer {
  readonly task: number
  readonly done: Done
}

/** A crew of threads that run the module `entry`: `worker.js`, beside this one in the build. */
export const threads =
  (entry: URL): Assemble =>
  (setting, size) => {
    const workers = Array.from({ length: size }, () => {
      const worker = new Worker(entry, { workerData: setting })
      worker.setMaxListeners(0)
      return worker
    })
    return {
      size,
      perform: (tasks, progress) =>
        new Promise((resolve, reject) => {
          if (tasks.length === 0) {
            resolve([])
            return
          }
          const answers = new Array<Done>(tasks.length)
          let answered = 0
          const hear = ({ task, done }: Answer): void => {
            answers[task] = done
            answered++
            progress(answered, tasks.length)
            if (answered < tasks.length) return
            for (const worker of workers) {
              worker.off('message', hear)
              worker.off('error', reject)
            }
            resolve(answers)
          }
          const order: Order = { tasks, taken: new Int32Array(new SharedArrayBuffer(4)) }
          for (const worker of workers) {
            worker.on('message', hear)
            worker.on('error', reject)
            worker.postMessage(order)
          }
        }),
      close: () => {
        for (const worker of workers) void worker.terminate()
      },
    }
  }
