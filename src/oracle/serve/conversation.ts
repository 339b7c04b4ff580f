/**
 * A conversation: lines that are heard, lines that are said. JSON-RPC 2.0, one JSON document a line.
 *
 *     heard  {"jsonrpc":"2.0","id":7,"method":"check","params":{"kernel":"zoo/R1","progress":true}}
 *     said   {"jsonrpc":"2.0","method":"$/progress","params":{"token":7,"value":{"what":"...","done":1,"of":9}}}
 *     said   {"jsonrpc":"2.0","id":7,"result":{"schema":"tcspec.verdict/2", ...}}
 *     heard  {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":8}}
 *     said   {"jsonrpc":"2.0","id":8,"error":{"code":-32800,"message":"...","data":{"code":"cancelled"}}}
 *
 * A line may be a batch, a list of requests; its answer is a list. What has no id is a notification: it is not answered, and but for
 * `$/cancelRequest` it asks for nothing.
 *
 * A request is performed by a crew, many at once, and answered when it is done: answers come in any order. A cancelled one is answered at once.
 *
 * The library `json-rpc-2.0` says what a request is, finds its method and words what is answered. It knows no transport; `vscode-jsonrpc` brings one, with
 * headers, and leaves what is no request without an answer.
 *
 * Laws
 *  1. every request is answered once: with a result, or with a refusal of the table in `refusal.ts`
 *  2. a line that is no request is answered with the id `null`
 *  3. what is said does not depend on what was heard before (but for ids that are being answered, and for `busy`)
 *  4. no more requests wait than the limit, and no more bytes than twice the limit of a line
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  createJSONRPCErrorResponse,
  createJSONRPCSuccessResponse,
  isJSONRPCID,
  isJSONRPCRequest,
  JSONRPCServer,
  type JSONRPCID,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from 'json-rpc-2.0'
import { isObject, mostDepth } from '../../wire.js'
import type { ListedSuite } from '../vectors/index.js'
import { methodNames, noMethod, type Answer, type Progress } from './answer.js'
import { excessOf, lines } from './lines.js'
import { refusal, type Refusal } from './refusal.js'

// ---------------------------------------------------------------- model

/** A request that is being performed. */
export interface Work {
  readonly answer: Promise<Answer>
  /** it is not wanted any more */
  readonly stop: () => void
}

/** What performs requests. */
export interface Crew {
  readonly ask: (method: string, params: unknown, progress: ((at: Progress) => void) | null) => Work
  readonly close: () => Promise<void>
}

export interface Limits {
  /** bytes of a line that is heard */
  readonly line: number
  /** bytes of a result */
  readonly result: number
  /** requests that are being performed, or wait for it */
  readonly requests: number
}

export interface Conversation {
  readonly hear: (piece: Uint8Array) => void
  /** No more is heard; it is over when every request is answered. */
  readonly end: () => Promise<void>
  /** Answers all that is left as cancelled. */
  readonly cancelAll: () => void
}

// ---------------------------------------------------------------- what is said

/** A result is text already. */
const resultOf = (response: JSONRPCResponse): string => {
  const { id, result, error } = response
  return error === undefined
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${String(result)}}`
    : JSON.stringify(response)
}

const refusedAs = (id: JSONRPCID, { code, message, data }: Refusal): JSONRPCResponse =>
  createJSONRPCErrorResponse(id, code, message, data)

const progressLine = (token: JSONRPCID, value: Progress): string =>
  JSON.stringify({ jsonrpc: '2.0', method: '$/progress', params: { token, value } })

// ---------------------------------------------------------------- what is heard

const noRequest = (found: string): Refusal =>
  refusal(
    'request',
    `expected {"jsonrpc": "2.0", "id": a number or a text, "method": a text, "params": an object}, found ${found}`,
  )

/** A request in JSON, or the id of what is none. */
const requestIn = (u: unknown): E.Either<JSONRPCResponse, JSONRPCRequest> => {
  if (!isObject(u)) return E.left(refusedAs(null, noRequest(Array.isArray(u) ? 'a list' : typeof u)))
  const { id, method } = u
  const hasId = id === undefined || isJSONRPCID(id)
  return isJSONRPCRequest(u) && hasId && typeof method === 'string'
    ? E.right(u)
    : E.left(refusedAs(hasId && id !== undefined ? id : null, noRequest('an object of another form')))
}

/** Values of a line: more of them take longer to read than a quick question may wait. */
const mostValues = 2 ** 20
/** Bytes in which an id stands in front. */
const inFront = 256

/** The id of a line that is too long to be read, where it stands in front. */
const idInFront = (beginning: Uint8Array): JSONRPCID => {
  const text = new TextDecoder().decode(beginning)
  const id = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]*")\s*,/.exec(
    text,
  )?.[1]
  return id === undefined ? null : id.startsWith('"') ? id.slice(1, -1) : Number(id)
}

/** 7 and "7" are two. */
const keyOf = (id: JSONRPCID): string => JSON.stringify(id)

// ---------------------------------------------------------------- a conversation

export const conversation = (
  crew: Crew,
  suites: ReadonlyArray<ListedSuite>,
  limits: Limits,
  say: (line: string) => void,
): Conversation => {
  const outstanding = new Map<string, () => void>()
  /** requests that the crew has, also those that are not wanted any more */
  let performed = 0
  /** lines that are not answered, and their bytes */
  let open = 0
  let bytes = 0
  let over: (() => void) | null = null

  const perform = ({ id, method, params }: JSONRPCRequest): Promise<JSONRPCResponse | null> => {
    // it asks for nothing
    if (id === undefined) return Promise.resolve(null)
    const key = keyOf(id)
    if (outstanding.has(key))
      return Promise.resolve(
        refusedAs(null, refusal('request', `id: expected another than ${key}, which is being answered`)),
      )
    if (performed >= limits.requests || bytes > 2 * limits.line)
      return Promise.resolve(
        refusedAs(
          id,
          refusal(
            'busy',
            `expected at most ${String(limits.requests)} requests and ${String(2 * limits.line)} bytes of them at once, found more`,
          ),
        ),
      )
    return new Promise((resolve) => {
      const isOpen = (): boolean => outstanding.get(key) === cancel
      const asked: unknown = params
      const work = crew.ask(
        method,
        asked,
        isObject(asked) && asked['progress'] === true
          ? (at) => {
              if (isOpen()) say(progressLine(id, at))
            }
          : null,
      )
      const cancel = (): void => {
        outstanding.delete(key)
        resolve(refusedAs(id, refusal('cancelled', `${method}: the request was cancelled`)))
        work.stop()
      }
      outstanding.set(key, cancel)
      performed++
      void work.answer.then((answer) => {
        performed--
        if (!isOpen()) return
        outstanding.delete(key)
        resolve(
          E.isLeft(answer) ? refusedAs(id, answer.left) : createJSONRPCSuccessResponse(id, answer.right),
        )
      })
    })
  }

  const server = new JSONRPCServer({ errorListener: () => undefined })
  for (const name of methodNames(suites)) server.addMethodAdvanced(name, perform)
  server.addMethodAdvanced('$/cancelRequest', ({ id, params }) => {
    const asked: unknown = params
    if (isObject(asked) && isJSONRPCID(asked['id'])) outstanding.get(keyOf(asked['id']))?.()
    return Promise.resolve(id === undefined ? null : createJSONRPCSuccessResponse(id, 'null'))
  })

  /** One request; of a method that is not known the refusal says which are. */
  const one = async (u: unknown): Promise<JSONRPCResponse | null> => {
    const request = requestIn(u)
    if (E.isLeft(request)) return request.left
    const { id, method } = request.right
    return id !== undefined && !server.hasMethod(method)
      ? refusedAs(id, noMethod(method, suites))
      : server.receive(request.right)
  }

  const answered = async (line: Uint8Array): Promise<void> => {
    const excess = excessOf(line, { levels: mostDepth, values: mostValues })
    if (excess === 'values') {
      const message = `line: expected at most ${String(mostValues)} values (a tensor with base64 has few), found more`
      say(resultOf(refusedAs(idInFront(line.subarray(0, inFront)), refusal('too-large', message))))
      return
    }
    const read =
      excess === 'levels'
        ? E.left(refusal('json', `expected JSON of at most ${String(mostDepth)} levels, found more`))
        : E.tryCatch(
            (): unknown => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line)),
            (error) =>
              refusal(
                'json',
                `expected JSON in UTF-8, found ${error instanceof Error ? error.message : 'none'}`,
              ),
          )
    if (E.isLeft(read)) {
      say(resultOf(refusedAs(null, read.left)))
      return
    }
    const said = read.right
    if (Array.isArray(said) && said.length > limits.requests) {
      const most = `batch: expected at most ${String(limits.requests)} requests, found ${String(said.length)}`
      say(resultOf(refusedAs(null, refusal('busy', most))))
      return
    }
    if (Array.isArray(said) && said.length > 0) {
      const responses = (await Promise.all(said.map(one))).filter((r) => r !== null)
      if (responses.length > 0) say(`[${responses.map(resultOf).join(',')}]`)
      return
    }
    const response = await one(said)
    if (response !== null) say(resultOf(response))
  }

  const settle = (): void => {
    if (open === 0) over?.()
  }
  const isBlank = (line: Uint8Array): boolean => line.every((c) => c === 0x20 || c === 0x09 || c === 0x0d)
  const splitter = lines(limits.line, (line) => {
    if (line._tag === 'long') {
      say(
        resultOf(
          refusedAs(
            idInFront(line.beginning),
            refusal('too-large', `line: expected at most ${String(limits.line)} bytes, found more`),
          ),
        ),
      )
      return
    }
    if (isBlank(line.bytes)) return
    open++
    bytes += line.bytes.length
    void answered(line.bytes).then(() => {
      open--
      bytes -= line.bytes.length
      settle()
    })
  })
  return {
    hear: splitter.hear,
    end: () =>
      new Promise((resolve) => {
        over = resolve
        splitter.end()
        settle()
      }),
    cancelAll: () => {
      for (const cancel of [...outstanding.values()]) cancel()
    },
  }
}
