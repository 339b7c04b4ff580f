/**
 * Threads: a crew of `node:worker_threads`.
 *
 * All get the list of tasks at once and take the next from a counter in shared memory, so that no thread waits for this one, which may be
 * busy. Their answers come as messages.
 *
 * A thread may never begin (the system has no memory or no thread left) or end too soon. Then it is not known which tasks it had: what has not been
 * answered is `stopped`, and so is everything that is asked later.
 *
 * Law 1. Every performance ends, whatever becomes of the threads.
 */
import { Worker } from 'node:worker_threads'
import type { Assemble, Done, Setting, Task } from './work.js'

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

/** A thread, or null where the system has none left. */
const start = (entry: URL, setting: Setting): Worker | null => {
  try {
    const worker = new Worker(entry, { workerData: setting })
    worker.setMaxListeners(0)
    return worker
  } catch {
    return null
  }
}

/** A crew of threads that run the module `entry`: `worker.js`, beside this one in the build. */
export const threads =
  (entry: URL): Assemble =>
  (setting, size) => {
    const workers = Array.from({ length: size }, () => start(entry, setting)).filter((w) => w !== null)
    // whether a thread is gone, between two performances as well
    let broken = workers.length === 0
    const waiting = new Set<() => void>()
    const leave = (): void => {
      broken = true
      for (const giveUp of [...waiting]) giveUp()
    }
    for (const worker of workers) {
      worker.on('error', leave)
      worker.on('exit', leave)
    }
    return {
      size: workers.length,
      perform: (tasks, progress) =>
        new Promise((resolve) => {
          const answers = tasks.map((): Done => ({ _tag: 'stopped' }))
          if (broken || tasks.length === 0) {
            resolve(answers)
            return
          }
          let answered = 0
          const finish = (): void => {
            waiting.delete(finish)
            for (const worker of workers) worker.off('message', hear)
            resolve(answers)
          }
          const hear = ({ task, done }: Answer): void => {
            answers[task] = done
            answered++
            progress(answered, tasks.length)
            if (answered === tasks.length) finish()
          }
          waiting.add(finish)
          const order: Order = { tasks, taken: new Int32Array(new SharedArrayBuffer(4)) }
          for (const worker of workers) {
            worker.on('message', hear)
            worker.postMessage(order)
          }
        }),
      close: () => {
        for (const worker of workers) void worker.terminate()
      },
    }
  }
