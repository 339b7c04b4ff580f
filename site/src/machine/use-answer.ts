/**
 * A question as a component asks it: what the last answer was, and whether another is under way.
 *
 * A new question takes the place of the one before it, which is stopped. While it is being answered the last document stays, so that nothing flickers.
 * There are two ways to ask: `useAnswer` compares questions by their text; `useQuestion` is for texts that may be long, and asks when another object
 * comes, not when another text would be printed.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ask, type Asked } from './client.js'
import type { Progress, Refused } from './protocol.js'

export interface Asking<D> {
  /** the last document, also while the next is awaited */
  readonly document: D | null
  /** whether the document answers what is asked now */
  readonly isCurrent: boolean
  readonly refused: Refused | null
  readonly working: boolean
  readonly progress: Progress | null
  /** ends the question: it stays unanswered until something changes, or `again` */
  readonly stop: () => void
  readonly again: () => void
  readonly stopped: boolean
}

interface State {
  readonly document: unknown
  /** the params that it answers */
  readonly of: unknown
  readonly refused: Refused | null
  readonly working: boolean
  readonly progress: Progress | null
  readonly stopped: boolean
}

const nothing: State = {
  document: null,
  of: null,
  refused: null,
  working: false,
  progress: null,
  stopped: false,
}

/** Asks `method` with `params`, which are one object as long as the question is the same; a document stays where the next question is refused. */
const useAsking = (method: string, params: unknown, delay: number): Asking<unknown> => {
  const [state, setState] = useState<State>(nothing)
  const [round, setRound] = useState(0)
  const under = useRef<Asked | null>(null)
  /** whether something was asked before: nobody has typed the first question letter by letter */
  const isLater = useRef(false)
  useEffect(() => {
    if (params === null) {
      setState(nothing)
      return undefined
    }
    let mine: Asked | null = null
    let left = false
    setState((s) => ({ ...s, working: true, progress: null, stopped: false }))
    const timer = setTimeout(
      () => {
        mine = ask(method, params, (progress) => {
          if (!left) setState((s) => ({ ...s, progress }))
        })
        under.current = mine
        void mine.answered.then((a) => {
          if (left) return
          if (a._tag === 'answer') setState({ ...nothing, document: a.document, of: params })
          else if (a._tag === 'refused')
            setState((s) => ({ ...s, refused: a.refused, working: false, progress: null }))
          else setState((s) => ({ ...s, working: false, progress: null, stopped: true }))
        })
      },
      isLater.current ? delay : 0,
    )
    isLater.current = true
    return () => {
      left = true
      clearTimeout(timer)
      mine?.stop()
    }
  }, [method, params, round, delay])
  const { document, of, refused, working, progress, stopped } = state
  return {
    document,
    isCurrent: params !== null && of === params,
    refused,
    working,
    progress,
    stopped,
    stop: () => {
      under.current?.stop()
    },
    again: () => {
      setRound((n) => n + 1)
    },
  }
}

/**
 * Asks `method` with `params`; null asks nothing. `read` says what a document is; it is refused where it is none (a page and a library of one build
 * agree, so that is a fault of ours). Where a question is refused the last document stays.
 */
export const useAnswer = <D>(
  method: string,
  params: unknown,
  read: (document: unknown) => D | null,
  /** milliseconds that a question waits for another one, while somebody types */
  delay = 0,
): Asking<D> => {
  const question = useMemo(() => params, [params === null ? null : JSON.stringify(params)])
  const asking = useAsking(method, question, delay)
  return { ...asking, document: asking.document === null ? null : read(asking.document) }
}

/** Asks `method` with `params`, which are one object as long as the question is the same; null asks nothing. What is refused has no document. */
export const useQuestion = (method: string, params: unknown, delay = 0): Asking<unknown> => {
  const asking = useAsking(method, params, delay)
  return asking.refused === null ? asking : { ...asking, document: null, isCurrent: false }
}
