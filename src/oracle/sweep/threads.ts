/**
 * A staff of `node:worker_threads`.
 *
 * A thread that is ready is given a task, and with its answer comes the next one. A thread that ends with a task (it ran out of memory, say) has lost it,
 * and another thread takes its place. Where a thread ends before it is ready, the system has none left: the others go on, and if there is none, what is
 * left is done in this thread.
 */
import { setMaxListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { World } from '../cli/command.js'
import { besideDocument } from './grid.js'
import type { Answer, Hire, Known, Task } from './model.js'
import { alone, handsOf, lost } from './staff.js'

/** What a thread is told when it begins. */
export interface Told extends Known {
  readonly version: string
}
/** What it says: that it is ready, or what came of its task. */
export type Said = { readonly _tag: 'ready' } | { readonly _tag: 'answer'; readonly answer: Answer }

/** Much is made at a point and little of it is kept: with this much room for what is young, a tenth less time is taken. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

const start = (entry: URL, told: Told): Worker | null => {
  try {
    return new Worker(entry, { workerData: told, resourceLimits })
  } catch {
    return null
  }
}

/** Workers that run the module `entry`: `worker.js`, beside this one in the build. */
export const threadsFor =
  (world: World, entry: URL): Hire =>
  (known, size) => ({
    perform: async (tasks, heard, stop) => {
      const hands = handsOf(tasks)
      // each thread listens, however many there are
      setMaxListeners(0, stop)
      await Promise.all(
        Array.from({ length: Math.min(size, tasks.length) }, async () => {
          while (await life(entry, { ...known, version: world.version }, hands, heard, stop));
        }),
      )
      // none of them is begun if it is stopped
      const left: Task[] = []
      for (let task = hands.next(null); task !== null; task = hands.next(task.case)) left.push(task)
      const here: World = { ...world, files: besideDocument(known.directory, world.files) }
      await alone(here, known.cases).perform(left, heard, stop)
    },
  })

/** The life of one thread; true if another one should take its place. */
const life = (
  entry: URL,
  told: Told,
  hands: ReturnType<typeof handsOf>,
  heard: (task: Task, answer: Answer) => void,
  stop: AbortSignal,
): Promise<boolean> =>
  new Promise((resolve) => {
    const first = stop.aborted ? null : hands.next(null)
    if (first === null) {
      resolve(false)
      return
    }
    let task: Task | null = first
    let isReady = false
    const worker = start(entry, told)
    const leave = (again: boolean): void => {
      stop.removeEventListener('abort', end)
      void worker?.terminate()
      resolve(again)
    }
    const end = (): void => {
      task = null
      leave(false)
    }
    /** It is gone: with a task, or before it could take one. */
    const gone = (why: string): void => {
      const its = task
      task = null
      if (its === null) leave(false)
      else if (isReady) {
        heard(its, lost(why))
        leave(true)
      } else {
        hands.giveBack(its)
        leave(false)
      }
    }
    if (worker === null) {
      gone('')
      return
    }
    stop.addEventListener('abort', end)
    worker.on('error', (error: unknown) => {
      gone(error instanceof Error ? error.message : String(error))
    })
    worker.on('exit', (code) => {
      gone(`status ${String(code)}`)
    })
    worker.on('message', (said: Said) => {
      if (task === null) return
      if (said._tag === 'answer') {
        const done = task
        task = hands.next(done.case)
        heard(done, said.answer)
      }
      isReady = true
      if (task === null) leave(false)
      else worker.postMessage(task)
    })
  })
