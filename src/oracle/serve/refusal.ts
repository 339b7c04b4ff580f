/**
 * What a request is answered where it has no result: a number of the protocol's, a line for people, and a word for programs in `data.code`.
 *
 * | number   | word                | says                                                                                        |
 * |----------|---------------------|---------------------------------------------------------------------------------------------|
 * | 1        | the refusal's own   | what `tcspec` says with exit status 2: `no-such-kernel`, `tensor-shape`, `swizzle.width`, ...  |
 * | 2        | `too-large`         | a line or a result is longer than the limit, or a line has too many values                                                 |
 * | 3        | `busy`              | so many requests wait already                                                               |
 * | 4        | `memory`, `stopped` | the thread that answered came to the limit of its memory, or ended                          |
 * | -32700   | `json`              | the line is no JSON                                                                         |
 * | -32600   | `request`           | the JSON is no request, or its id is that of a request that is being answered               |
 * | -32601   | `method`            | there is no such method                                                                     |
 * | -32602   | `params`            | the params are not those of the method                                                      |
 * | -32603   | `bug`               | a bug in this library                                                                       |
 * | -32800   | `cancelled`         | the request was cancelled                                                                   |
 */
import type { AllowedBy, Failure } from '../../failure.js'

export interface Refusal {
  readonly code: number
  readonly message: string
  /** `allowedBy`: the option that allows what is refused for its cost */
  readonly data: { readonly code: string; readonly allowedBy?: AllowedBy }
}

export const numbers = {
  refused: 1,
  'too-large': 2,
  busy: 3,
  stopped: 4,
  memory: 4,
  json: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  bug: -32603,
  cancelled: -32800,
} as const

/** Characters of a message: what was found may be a whole file. */
const mostShown = 2800
const shortened = (text: string): string =>
  text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown)}... (${String(text.length - mostShown)} characters more)`

/** A refusal of the protocol. */
export const refusal = (word: Exclude<keyof typeof numbers, 'refused'>, message: string): Refusal => ({
  code: numbers[word],
  message: shortened(message),
  data: { code: word },
})

/** What the library refuses. */
export const refusedBy = ({ code, message, allowedBy }: Failure): Refusal => ({
  code: numbers.refused,
  message: shortened(message),
  data: allowedBy === undefined ? { code } : { code, allowedBy },
})
