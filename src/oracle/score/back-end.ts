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
 * | nothing in time, or it has ended              | a fault        |
 * | a line that answers no question               | a fault        |
 *
 * A line that answers no question (no JSON, no response, an id that was not asked, a second answer) fails one question and no more: the one that it names,
 * if that one waits, else the one that has waited longest, else the next one. A banner or a line of a logger costs the author one question and tells
 * him so; the answers behind it still count. Lines that come while nothing is waited for are one fault, however many they are.
 *
 * A back end that says nothing ends the asking: after 16 questions in a row without an answer, or four times the patience of one question. An answer that
 * comes too late fails its question, and is still a sign of life. So a back end that hangs at its first question or at its hundredth costs a minute, and not
 * the patience of every question that is left.
 *
 * Law 1. Every question has one reply, whatever becomes of the back end.
 * Law 2. A line that answers no question is the fault of one question.
 */
import { createJSONRPCRequest, JSONRPCErrorCode } from 'json-rpc-2.0'
import { isDeep, isObject, mostDepth, type Json } from '../../wire.js'
import { own } from '../../own.js'

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
/** On one line: what ends a line in it could begin one of ours. */
const shortened = (text: string): string => {
  const some = text.slice(0, shown).replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/gu, ' ')
  return text.length <= shown ? some : `${some}...`
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Words of a back end, which may be no words. */
const wordsOf = (u: unknown): string =>
  typeof u === 'string' ? u : u === undefined ? 'no message' : JSON.stringify(u)

const codeIn = (data: unknown): string | null => {
  const code = isObject(data) ? own(data, 'code') : undefined
  return typeof code === 'string' ? code : null
}

const refusalOf = (error: unknown): Reply => {
  if (!isObject(error)) return fault(`expected an error with a code, found ${shortened(wordsOf(error))}`)
  const code = own(error, 'code')
  return code === JSONRPCErrorCode.MethodNotFound
    ? skip
    : {
        _tag: 'Refusal',
        code: shortened(codeIn(own(error, 'data')) ?? wordsOf(code)),
        message: shortened(wordsOf(own(error, 'message'))),
      }
}

/** What a line says, and of which question: `id` is null where it names none. */
interface Said {
  readonly id: number | null
  readonly reply: Reply
  /** whether it has the form of an answer */
  readonly answers: boolean
}

/** A reader of JSON that walks into a document has stack for some levels only. */
const saidBy = (text: string): Said => {
  const document = parsed(text)
  const named = isObject(document) ? own(document, 'id') : undefined
  const id = typeof named === 'number' ? named : null
  const none = (why: string): Said => ({ id, reply: fault(why), answers: false })
  if (!isObject(document) || own(document, 'jsonrpc') !== '2.0')
    return none(`expected a JSON-RPC response on a line, found ${shortened(text)}`)
  const result = own(document, 'result')
  const error = own(document, 'error') ?? undefined
  if ((result === undefined && !Object.hasOwn(document, 'error')) || id === null)
    return none(`expected a JSON-RPC response on a line, found ${shortened(text)}`)
  if (error !== undefined && (result ?? undefined) !== undefined)
    return none(`expected a result or an error, found both: ${shortened(text)}`)
  if (isDeep(document))
    return none(`expected an answer of at most ${String(mostDepth)} levels, found ${shortened(text)}`)
  return {
    id,
    reply: error === undefined ? { _tag: 'Answer', answer: result } : refusalOf(error),
    answers: true,
  }
}

/** Starts in a row without one answer, after which a back end that ends is not started again. */
const mostStarts = 5
/** Questions in a row without an answer, after which a back end is given up. */
const mostSilence = 16
/** And the time without one, as a multiple of what a question may take: a window of one question would wait for all 16 in turn. */
const longestSilence = 4

/** Behind a process, which is started when it is first asked, and again when it has ended. `patience`: milliseconds of a question. */
export const spoken = (start: Start, patience: number): BackEnd => {
  let wires: Wires | null = null
  let starts = 0
  let next = 0
  let silence = 0
  let silentSince: number | null = null
  let lost: string | null = null
  // in the order of asking
  const waiting = new Map<number, (reply: Reply) => void>()
  // settled without an answer, which may still come
  const late = new Set<number>()
  // a fault that no question has taken yet
  let owed: Reply | null = null
  const giveUp = (message: string): void => {
    for (const settle of [...waiting.values()]) settle(fault(message))
  }
  const blame = (id: number | null, reply: Reply): void => {
    const named = id !== null && waiting.has(id) ? id : waiting.keys().next().value
    if (named === undefined) {
      owed ??= reply
      return
    }
    late.add(named)
    waiting.get(named)?.(reply)
  }
  const line = (text: string): void => {
    if (text.trim() === '') return
    const { id, reply, answers } = saidBy(text)
    if (!answers || id === null) {
      blame(id, reply)
      return
    }
    const settle = waiting.get(id)
    if (settle === undefined && !late.delete(id)) {
      const why = Number.isInteger(id) && id >= 0 && id < next ? 'was answered already' : 'was not asked'
      blame(null, fault(`expected an answer to a question that waits: ${String(id)} ${why}`))
      return
    }
    silence = 0
    silentSince = null
    starts = 0
    settle?.(reply)
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
        const said = shortened(why)
        if (!begun) lost = said
        giveUp(said)
      },
    })
    wires = mine
    return mine
  }
  /** A question has had its time. */
  const unanswered = (): void => {
    silence++
    const long = silentSince !== null && performance.now() - silentSince >= longestSilence * patience
    if (lost === null && (silence >= mostSilence || long))
      lost = `it has not answered one of ${String(silence)} questions`
  }
  const ask: BackEnd['ask'] = (suite, question) =>
    new Promise((resolve) => {
      const id = next++
      const timer = setTimeout(() => {
        unanswered()
        late.add(id)
        settle(fault(`expected an answer within ${String(patience)} ms, found none`))
        if (lost !== null) giveUp(`${lost}, and is not asked again`)
      }, patience)
      const settle = (reply: Reply): void => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(reply)
      }
      silentSince ??= performance.now()
      waiting.set(id, settle)
      const open = lost === null ? started() : null
      if (open === null) settle(fault(`${lost ?? 'it has ended'}, and is not asked again`))
      else {
        open.say(`${JSON.stringify(createJSONRPCRequest(id, `ask/${suite}`, question))}\n`)
        if (owed === null) return
        const reply = owed
        owed = null
        blame(id, reply)
      }
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
