/**
 * A question as a component asks it: what the last answer was, and whether another is under way.
 *
 * A new question takes the place of the one before it, which is stopped. While it is being answered the last document stays, so that nothing flickers.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Asked } from './client.js'
import type { Progress, Refused } from './protocol.js'

export interface Asking<D> {
  /** the last document, also while the next is awaited */
  readonly document: D | null
  /** the params (as JSON) that it answers */
  readonly of: string | null
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
  readonly of: string | null
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

/**
 * Asks `method` with `params`; null asks nothing. `read` says what a document is; it is refused where it is none (a page and a library of one build
 * agree, so that is a fault of ours).
 */
export const useAnswer = <D>(
  method: string,
  params: unknown,
  read: (document: unknown) => D | null,
  /** milliseconds that a question waits for another one, while somebody types */
  delay = 0,
): Asking<D> => {
  const [state, setState] = useState<State>(nothing)
  const [round, setRound] = useState(0)
  const under = useRef<Asked | null>(null)
  const key = params === null ? null : JSON.stringify(params)
  useEffect(() => {
    if (key === null) {
      setState(nothing)
      return undefined
    }
    let mine: Asked | null = null
    let left = false
    setState((s) => ({ ...s, working: true, progress: null, stopped: false }))
    const begin = (): void => {
      mine = ask(method, JSON.parse(key), (progress) => {
        if (!left) setState((s) => ({ ...s, progress }))
      })
      under.current = mine
      void mine.answered.then((a) => {
        if (left) return
        if (a._tag === 'answer') setState({ ...nothing, document: a.document, of: key })
        else if (a._tag === 'refused')
          setState((s) => ({ ...s, refused: a.refused, working: false, progress: null }))
        else setState((s) => ({ ...s, working: false, progress: null, stopped: true }))
      })
    }
    const timer = setTimeout(begin, delay)
    return () => {
      left = true
      clearTimeout(timer)
      mine?.stop()
    }
  }, [method, key, round, delay])
  const document = state.document === null ? null : read(state.document)
  return {
    document,
    of: state.of,
    refused: state.refused,
    working: state.working,
    progress: state.progress,
    stopped: state.stopped,
    stop: () => {
      under.current?.stop()
    },
    again: () => {
      setRound((n) => n + 1)
    },
  }
}
