/**
 * A back end: what is asked, and what may come of a question.
 *
 * It is asked as `tcspec serve` is: JSON-RPC 2.0, one JSON document a line. The method of a question of the suite S is `ask/S`, its params are the
 * question.
 *
 * | it says                                      | that is        |
 * |-----------------------------------------------|----------------|
 * | a result                                      | an answer      |
 * | error -32601, "method not found"              | a skip         |
 * | any other error                               | a refusal      |
 * | nothing in time, no JSON, or it has ended     | a fault        |
 *
 * Law 1. Every question has one reply, whatever becomes of the back end.
 */
import { createJSONRPCRequest, isJSONRPCResponse, JSONRPCErrorCode, type JSONRPCResponse } from 'json-rpc-2.0'
import type { Json } from '../../wire.js'

// ---------------------------------------------------------------- model

export type Reply =
  | { readonly _tag: 'Answer'; readonly answer: unknown }
  | { readonly _tag: 'Refusal'; readonly code: string; readonly message: string }
  | { readonly _tag: 'Skip' }
  | { readonly _tag: 'Fault'; readonly message: string }

export interface BackEnd {
  readonly ask: (suite: string, question: Json) => Promise<Reply>
  /** why it is not asked any more; null: it is */
  readonly lost: () => string | null
  readonly close: () => Promise<void>
}

/** The two ends of a process, and what is told when it has ended. */
export interface Wires {
  readonly say: (line: string) => void
  /** ends it, if it has not ended */
  readonly stop: () => Promise<void>
}

export interface Hearing {
  readonly line: (text: string) => void
  /** what it died of; `begun`: whether it ever ran */
  readonly ended: (why: string, begun: boolean) => void
}

/** Starts a process. */
export type Start = (hearing: Hearing) => Wires

// ---------------------------------------------------------------- constructors

const skip: Reply = { _tag: 'Skip' }
const fault = (message: string): Reply => ({ _tag: 'Fault', message })

/** Characters of a line that are shown. */
const shown = 200
const shortened = (text: string): string => (text.length <= shown ? text : `${text.slice(0, shown)}...`)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codeIn = (data: unknown): string | null =>
  typeof data === 'object' && data !== null && 'code' in data && typeof data.code === 'string'
    ? data.code
    : null

const replyOf = ({ result, error }: JSONRPCResponse): Reply =>
  error === undefined || error === null
    ? { _tag: 'Answer', answer: result }
    : error.code === JSONRPCErrorCode.MethodNotFound
      ? skip
      : { _tag: 'Refusal', code: codeIn(error.data) ?? String(error.code), message: error.message }

/** Starts in a row without one answer, after which a back end that ends is not started again. */
const mostStarts = 5
/** Questions without an answer after which a back end that has never answered is given up. */
const mostSilence = 16

/** A back end behind a process, which is started when it is first asked, and again when it has ended. `patience`: milliseconds of a question. */
export const spoken = (start: Start, patience: number): BackEnd => {
  let wires: Wires | null = null
  let starts = 0
  let next = 0
  let silence: number | null = 0
  let lost: string | null = null
  const waiting = new Map<number, (reply: Reply) => void>()
  const giveUp = (message: string): void => {
    for (const settle of [...waiting.values()]) settle(fault(message))
  }
  const line = (text: string): void => {
    if (text.trim() === '') return
    const document = parsed(text)
    if (!isJSONRPCResponse(document)) {
      giveUp(`expected a JSON-RPC response on a line, found ${shortened(text)}`)
      return
    }
    // an answer to a question that is not waited for any more is late, and nothing else
    silence = null
    starts = 0
    if (typeof document.id === 'number') waiting.get(document.id)?.(replyOf(document))
  }
  const started = (): Wires | null => {
    if (wires !== null || lost !== null) return wires
    if (starts === mostStarts) {
      lost = `it has ended ${String(starts)} times without an answer`
      return null
    }
    starts++
    const mine = start({
      line,
      ended: (why, begun) => {
        if (wires === mine) wires = null
        if (!begun) lost = why
        giveUp(why)
      },
    })
    wires = mine
    return mine
  }
  const ask: BackEnd['ask'] = (suite, question) =>
    new Promise((resolve) => {
      const id = next++
      const timer = setTimeout(() => {
        if (silence !== null && ++silence >= mostSilence)
          lost = `it has not answered one of ${String(silence)} questions`
        settle(fault(`expected an answer within ${String(patience)} ms, found none`))
      }, patience)
      const settle = (reply: Reply): void => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(reply)
      }
      waiting.set(id, settle)
      const open = lost === null ? started() : null
      if (open === null) settle(fault(`${lost ?? 'it has ended'}, and is not asked again`))
      else open.say(`${JSON.stringify(createJSONRPCRequest(id, `ask/${suite}`, question))}\n`)
    })
  return {
    ask,
    lost: () => lost,
    close: async () => {
      const last = wires
      wires = null
      await last?.stop()
    },
  }
}
