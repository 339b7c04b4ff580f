/**
 * The machine as the page knows it: questions go to a worker, one at a time, and each has one answer.
 *
 * The library is a classic script (`machine.js`) that holds it as a function; its text becomes a worker, which works from `file://` as from a server. It
 * is fetched when the first question is asked, or when the page has nothing else to do.
 *
 * There are two workers, one for quick questions and one for those that may take long, so that a layout does not wait for a verdict. A question that is
 * stopped is answered at once; its worker has some patience to end by itself, then another takes its place.
 *
 * Laws
 *  1. every question is answered once: by a document, a refusal, or the word that it was stopped
 *  2. answers come in the order in which questions of one worker were asked
 *  3. a worker that dies takes one question with it
 */
import type { Progress, Question, Refused, Said } from './protocol.js'

export type Answered =
  | { readonly _tag: 'answer'; readonly document: unknown }
  | { readonly _tag: 'refused'; readonly refused: Refused }
  | { readonly _tag: 'stopped' }

export interface Asked {
  readonly answered: Promise<Answered>
  readonly stop: () => void
}

export type Ask = (method: string, params: unknown, progress?: (at: Progress) => void) => Asked

interface Waiting {
  readonly question: Question
  readonly progress: ((at: Progress) => void) | undefined
  readonly settle: (answered: Answered) => void
}

/** A worker with its queue; `make` begins another, and `patience` are the milliseconds that it has to end what is not wanted any more. */
const queue = (make: () => Promise<Worker>, patience: number) => {
  const waiting: Waiting[] = []
  let worker: Promise<Worker> | null = null
  let current: Waiting | null = null

  const end = (answered: Answered): void => {
    const done = current
    current = null
    done?.settle(answered)
    next()
  }

  const heard = (said: Said): void => {
    if (said._tag === 'ready' || current === null || said.number !== current.question.number) return
    switch (said._tag) {
      case 'progress':
        current.progress?.(said.progress)
        return
      case 'answer':
        end({ _tag: 'answer', document: JSON.parse(said.text) })
        return
      case 'refused':
        end({ _tag: 'refused', refused: said.refused })
    }
  }

  const begun = async (): Promise<Worker> => {
    const made = await make()
    made.onmessage = (event: MessageEvent<Said>) => {
      heard(event.data)
    }
    made.onerror = (event) => {
      event.preventDefault()
      kill()
      end({
        _tag: 'refused',
        refused: { code: 'stopped', message: `the worker that answered ended: ${event.message}` },
      })
    }
    return made
  }

  const started = (): Promise<Worker> => (worker ??= begun())

  const kill = (): void => {
    const old = worker
    worker = null
    void old?.then((w) => {
      w.terminate()
    })
  }

  const next = (): void => {
    if (current !== null) return
    const first = waiting.shift()
    if (first === undefined) return
    current = first
    started().then(
      (w) => {
        if (current === first) w.postMessage(first.question)
      },
      (error: unknown) => {
        worker = null
        end({ _tag: 'refused', refused: { code: 'stopped', message: String(error) } })
      },
    )
  }

  return {
    warm: (): void => {
      started().catch(() => undefined)
    },
    put: (one: Waiting): (() => void) => {
      waiting.push(one)
      next()
      return () => {
        const at = waiting.indexOf(one)
        if (at >= 0) {
          waiting.splice(at, 1)
          one.settle({ _tag: 'stopped' })
        } else if (current === one) {
          one.settle({ _tag: 'stopped' })
          setTimeout(() => {
            if (current !== one) return
            kill()
            end({ _tag: 'stopped' })
          }, patience)
        }
      }
    },
  }
}

// ---------------------------------------------------------------- the script as a worker

/** Loads a classic script beside the page, once. */
const scripts = new Map<string, Promise<void>>()
export const loadScript = (file: string): Promise<void> => {
  const before = scripts.get(file)
  if (before !== undefined) return before
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = file
    script.onload = () => {
      resolve()
    }
    script.onerror = () => {
      scripts.delete(file)
      reject(new Error(`${file}: could not be loaded`))
    }
    document.head.append(script)
  })
  scripts.set(file, loading)
  return loading
}

declare global {
  var tcspecMachine: (() => void) | undefined
}

let address: string | null = null
const makeWorker = async (): Promise<Worker> => {
  if (address === null) {
    await loadScript('machine.js')
    if (globalThis.tcspecMachine === undefined)
      return Promise.reject(new Error('machine.js: holds no machine'))
    const text = `(${globalThis.tcspecMachine.toString()})()`
    address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  }
  return new Worker(address)
}

// ---------------------------------------------------------------- asking

/** Questions whose answer is there at once; any other may take long. */
const quick: ReadonlyArray<string> = [
  'layout',
  'transform',
  'image',
  'linear',
  'cute',
  'tmem',
  'banks',
  'tiling',
  'kernels',
  'litmus',
  'version',
]

const short = queue(makeWorker, 1000)
const long = queue(makeWorker, 50)
let count = 0

export const ask: Ask = (method, params, progress) => {
  let settle: (answered: Answered) => void = () => undefined
  const answered = new Promise<Answered>((resolve) => {
    settle = resolve
  })
  const one: Waiting = { question: { number: ++count, method, params }, progress, settle }
  return { answered, stop: (quick.includes(method) ? short : long).put(one) }
}

/** Begins the workers while the reader reads. */
export const warm = (): void => {
  short.warm()
  long.warm()
}
