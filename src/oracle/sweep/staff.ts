/**
 * Staff: workers that do the tasks of a sweep, each one task at a time, and the order in which tasks are handed out.
 *
 * The tasks of a case belong together, for what the first of them takes to find out the others use. So a worker goes on with its case; with a case that
 * no worker has begun when that is done; and when there is none, helps where most is left.
 *
 *     cases 5, 3, 2 tasks, two workers      A: case 0, all 5      B: case 1, all 3, then case 2
 *
 * A worker that dies takes its task with it: that one is *lost*, with the reason, and the others are done all the same.
 *
 * Laws
 * 1. Every task is handed out once, and heard of once, as done or as lost, unless the sweep is stopped.
 */
import type { World } from '../cli/command.js'
import type { Answer, Case, Staff, Task } from './model.js'
import { failedAnswer, workerOf } from './work.js'

// ---------------------------------------------------------------- order

export interface Hands {
  /** the next task for a worker whose last one was of this case */
  readonly next: (last: number | null) => Task | null
  /** a task that was handed out and not begun */
  readonly giveBack: (task: Task) => void
}

/** Hands out tasks; those of a case in their order. */
export const handsOf = (tasks: ReadonlyArray<Task>): Hands => {
  const left = new Map<number, Task[]>()
  for (const task of tasks) {
    const of = left.get(task.case)
    if (of === undefined) left.set(task.case, [task])
    else of.push(task)
  }
  for (const of of left.values()) of.reverse()
  const begun = new Set<number>()
  const take = (k: number): Task | null => {
    const of = left.get(k)
    const task = of?.pop() ?? null
    if (of?.length === 0) left.delete(k)
    if (task !== null) begun.add(k)
    return task
  }
  return {
    next: (last) => {
      if (last !== null && left.has(last)) return take(last)
      const fresh = [...left.keys()].find((k) => !begun.has(k))
      if (fresh !== undefined) return take(fresh)
      const most = [...left].reduce<readonly [number, number] | null>(
        (found, [k, { length }]) => (found === null || length > found[1] ? [k, length] : found),
        null,
      )
      return most === null ? null : take(most[0])
    },
    giveBack: (task) => {
      const of = left.get(task.case)
      if (of === undefined) left.set(task.case, [task])
      else of.push(task)
      begun.delete(task.case)
    },
  }
}

// ---------------------------------------------------------------- who does them

/** A moment in which signals are heard. */
const breath = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0)
  })

/** No other thread: this one, one task after another. `world` has the files beside the document. */
export const alone = (world: World, cases: ReadonlyArray<Case>): Staff => {
  const work = workerOf(world, cases)
  return {
    perform: async (tasks, heard, stop) => {
      const hands = handsOf(tasks)
      for (let task = hands.next(null); task !== null; task = hands.next(task.case)) {
        if (stop.aborted) return
        heard(task, await work(task))
        await breath()
      }
    },
  }
}

/** Of a worker that died: what became of its task. */
export const lost = (why: string): Answer => failedAnswer(`the worker thread ended: ${why}`)
