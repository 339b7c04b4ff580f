/** A question about a text that may be long: asked when another object comes, not when another text would be printed (`use-answer.ts` compares texts). */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Asked } from '../../machine/client.js'
import type { Asking } from '../../machine/use-answer.js'
import type { Progress, Refused } from '../../machine/protocol.js'

interface State {
  readonly document: unknown
  readonly refused: Refused | null
  readonly working: boolean
  readonly progress: Progress | null
  readonly stopped: boolean
  /** the params that are answered */
  readonly answers: unknown
}
const nothing: State = {
  document: null,
  refused: null,
  working: false,
  progress: null,
  stopped: false,
  answers: null,
}

export interface Questioned extends Asking<unknown> {
  /** whether the document answers what is asked now */
  readonly isCurrent: boolean
}

/** Asks `method` with `params`, which are one object as long as the question is the same; null asks nothing. */
export const useQuestion = (method: string, params: unknown, delay = 0): Questioned => {
  const [state, setState] = useState<State>(nothing)
  const [round, setRound] = useState(0)
  const under = useRef<Asked | null>(null)
  useEffect(() => {
    if (params === null) {
      setState(nothing)
      return undefined
    }
    let mine: Asked | null = null
    let left = false
    setState((s) => ({ ...s, working: true, progress: null, stopped: false }))
    const timer = setTimeout(() => {
      mine = ask(method, params, (progress) => {
        if (!left) setState((s) => ({ ...s, progress }))
      })
      under.current = mine
      void mine.answered.then((a) => {
        if (left) return
        if (a._tag === 'answer') setState({ ...nothing, document: a.document, answers: params })
        else if (a._tag === 'refused') setState({ ...nothing, refused: a.refused, answers: params })
        else setState((s) => ({ ...s, working: false, progress: null, stopped: true }))
      })
    }, delay)
    return () => {
      left = true
      clearTimeout(timer)
      mine?.stop()
    }
  }, [method, params, round, delay])
  const { document, refused, working, progress, stopped, answers } = state
  return {
    document,
    of: null,
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
    isCurrent: answers === params && params !== null,
  }
}
