/**
 * The machine as the page knows it: questions go to a worker, one at a time, and each has one answer.
 *
 * The library is a folder of chapters (`chapters.ts`), whose texts become a worker; which works from `file://` as from a server. What every question needs
 * is loaded when the first one is asked, or when the page has nothing else to do; the rest when a worker wants it.
 *
 * There are two workers, one for quick questions and one for those that may take long, so that a layout does not wait for a verdict. A question that is
 * stopped is answered at once; its worker has some patience to end by itself, then another takes its place.
 *
 * Laws
 *  1. every question is answered once: by a document, a refusal, or the word that it was stopped
 *  2. answers come in the order in which questions of one worker were asked
 *  3. a worker that dies takes one question with it
 */
import { ahead, begin, textsOf } from './chapters.js'
import type { Progress, Question, Refused, Said } from './protocol.js'
import type { Brought } from './shelf.js'

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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A worker with its queue; `make` begins another, and `patience` are the milliseconds that it has to end what is not wanted any more. */
const queue = (make: () => Promise<Worker>, patience: number) => {
  const waiting: Waiting[] = []
  let worker: Promise<Worker> | null = null
  let current: Waiting | null = null
  /** when the question that is being answered went to the worker: browsers show how long it took */
  let asked = 0

  const end = (answered: Answered): void => {
    const done = current
    current = null
    if (done !== null) performance.measure(`machine ${done.question.method}`, { start: asked })
    done?.settle(answered)
    next()
  }

  const bring = async (to: Worker, names: ReadonlyArray<string>): Promise<void> => {
    const brought: Brought = { _tag: 'chapters', texts: await textsOf(names) }
    to.postMessage(brought)
  }

  const heard = (from: Worker, said: Said): void => {
    if (said._tag === 'wants') {
      bring(from, said.chapters).catch((error: unknown) => {
        kill()
        end({ _tag: 'refused', refused: { code: 'stopped', message: messageOf(error) } })
      })
      return
    }
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
      heard(made, event.data)
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
        if (current !== first) return
        asked = performance.now()
        w.postMessage(first.question)
      },
      (error: unknown) => {
        worker = null
        end({ _tag: 'refused', refused: { code: 'stopped', message: messageOf(error) } })
      },
    )
  }

  return {
    warm: (): Promise<void> =>
      started().then(
        () => undefined,
        () => undefined,
      ),
    isBusy: (): boolean => current !== null || waiting.length > 0,
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

const short = queue(begin, 1000)
const long = queue(begin, 50)
let count = 0

/** An answer that came with the page. */
export interface Known {
  readonly method: string
  readonly params: unknown
  readonly document: unknown
}
let known: ReadonlyArray<Known> = []

/** Answers that the library gave when the page was built: who asks the same is answered at once. */
export const know = (answers: ReadonlyArray<Known>): void => {
  known = [...known, ...answers]
}

const subjectOf = (params: unknown): unknown =>
  typeof params === 'object' && params !== null && 'kernel' in params ? params.kernel : null
const knownTo = (method: string, params: unknown): Known | undefined =>
  known.find(
    (k) =>
      k.method === method &&
      // a text is printed only if it may be the same
      subjectOf(k.params) === subjectOf(params) &&
      JSON.stringify(k.params) === JSON.stringify(params),
  )

export const ask: Ask = (method, params, progress) => {
  const before = knownTo(method, params)
  if (before !== undefined)
    return {
      answered: Promise.resolve({ _tag: 'answer', document: before.document }),
      stop: () => undefined,
    }
  let settle: (answered: Answered) => void = () => undefined
  const answered = new Promise<Answered>((resolve) => {
    settle = resolve
  })
  ahead(method, params)
  const one: Waiting = { question: { number: ++count, method, params }, progress, settle }
  return { answered, stop: (quick.includes(method) ? short : long).put(one) }
}

/** Begins the workers while the reader reads. */
export const warm = (): void => {
  void short.warm()
  void long.warm()
}

/** Milliseconds between two looks whether anything is asked. */
const look = 200

/** Waits until the library is there and nothing is asked: what is nice to have may take the line then. */
export const quiet = async (): Promise<void> => {
  await short.warm()
  do await new Promise((resolve) => setTimeout(resolve, look))
  while (short.isBusy() || long.isBusy())
}
