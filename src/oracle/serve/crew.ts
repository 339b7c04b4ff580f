/**
 * The crew on threads: pools of piscina, one for quick questions and one for those that may take long, so that no quick one waits for a long one.
 *
 * A request that is not wanted any more is taken out of its queue; one that has begun may end by itself for a moment, and then its thread is ended,
 * and another begins in its place. A thread that comes to the limit of its memory ends alone.
 *
 * Law 1. Every request has an answer, whatever becomes of its thread.
 */
import * as E from 'fp-ts/lib/Either.js'
import { Piscina } from 'piscina'
import type { Answer, Progress } from './answer.js'
import type { Crew, Work } from './conversation.js'
import { isLong } from './methods.js'
import { refusal, type Refusal } from './refusal.js'

/** What a thread is told when it begins. */
export interface Setting {
  readonly version: string
  readonly conformance: string | null
  /** the one folder whose files may be read */
  readonly folder: string | null
  /** bytes of a result */
  readonly mostBytes: number
}

/** A request as a thread gets it. */
export interface Task {
  readonly number: number
  readonly method: string
  readonly params: unknown
  readonly progress: boolean
}

/** What a thread says before it is done. */
export interface Said {
  readonly task: number
  readonly progress: Progress
}

export interface Size {
  /** threads for questions that may take long */
  readonly threads: number
  /** MiB that what a thread keeps may take */
  readonly memory: number
}

/** Threads for quick questions. */
const quickThreads = 1
/** Milliseconds in which what is not wanted may end by itself. */
const patience = 100

const isSaid = (u: unknown): u is Said => typeof u === 'object' && u !== null && 'task' in u

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

const cancelled = (method: string): Refusal => refusal('cancelled', `${method}: the request was cancelled`)

const endedBy = (method: string, error: unknown, { memory }: Size): Refusal => {
  if (error instanceof Error && error.name === 'AbortError') return cancelled(method)
  return codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? refusal('memory', `${method}: expected to need at most ${String(memory)} MiB, found more`)
    : refusal(
        'stopped',
        `${method}: the thread that answered ended: ${error instanceof Error ? error.message : String(error)}`,
      )
}

// ---------------------------------------------------------------- turns

/** Turns at so many threads, first come, first served: a pool is never asked for more, since it forgets what waits for a thread that was ended. */
interface Turns {
  /** Begins now, or when it is its turn; gives what takes it out of the queue. */
  readonly take: (begin: () => void) => () => void
  readonly give: () => void
}

const turnsAt = (threads: number): Turns => {
  let free = threads
  const waiting = new Set<() => void>()
  const next = (): void => {
    const [begin] = waiting
    if (begin === undefined || free === 0) return
    waiting.delete(begin)
    free--
    begin()
  }
  return {
    take: (begin) => {
      waiting.add(begin)
      next()
      return () => waiting.delete(begin)
    },
    give: () => {
      free++
      next()
    },
  }
}

// ---------------------------------------------------------------- the crew

export const crewOf = (entry: URL, setting: Setting, size: Size): Crew => {
  const heard = new Map<number, (at: Progress) => void>()
  const poolOf = (threads: number, warm: number): { readonly pool: Piscina; readonly turns: Turns } => {
    const pool = new Piscina({
      filename: entry.href,
      name: 'perform',
      workerData: setting,
      minThreads: warm,
      maxThreads: threads,
      idleTimeout: Infinity,
      atomics: 'async',
      resourceLimits: { maxOldGenerationSizeMb: size.memory },
    })
    pool.on('message', (message: unknown) => {
      if (isSaid(message)) heard.get(message.task)?.(message.progress)
    })
    // it is told to the request as well
    pool.on('error', () => undefined)
    return { pool, turns: turnsAt(threads) }
  }
  const quick = poolOf(quickThreads, quickThreads)
  const long = poolOf(size.threads, 0)
  let number = 0

  const perform = async (pool: Piscina, task: Task, signal: AbortSignal): Promise<Answer> => {
    try {
      const answer: Answer = await pool.run(task, { signal })
      return answer
    } catch (error) {
      return E.left(endedBy(task.method, error, size))
    } finally {
      heard.delete(task.number)
    }
  }

  return {
    ask: (method, params, progress): Work => {
      const { pool, turns } = isLong(method) ? long : quick
      const task: Task = { number: number++, method, params, progress: progress !== null }
      const stopping = new AbortController()
      let state: 'waits' | 'begun' | 'over' = 'waits'
      let leave = (): void => undefined
      const answer = new Promise<Answer>((resolve) => {
        const out = turns.take(() => {
          state = 'begun'
          if (progress !== null) heard.set(task.number, progress)
          void perform(pool, task, stopping.signal).then((found) => {
            state = 'over'
            turns.give()
            resolve(found)
          })
        })
        leave = () => {
          out()
          resolve(E.left(cancelled(method)))
        }
      })
      return {
        answer,
        stop: () => {
          if (state === 'waits') leave()
          else
            setTimeout(() => {
              if (state === 'begun') stopping.abort()
            }, patience)
        },
      }
    },
    close: async () => {
      await Promise.all([quick.pool.destroy(), long.pool.destroy()])
    },
  }
}
