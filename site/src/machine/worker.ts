/**
 * The worker: the library, asked as `tcspec serve` is asked. The page has no analysis of its own.
 *
 * Nothing is on a disk here: the files of a request are those that it brings.
 */
import * as E from 'fp-ts/lib/Either.js'
import { asked } from '../../../src/oracle/cli/commands/index.js'
import { answering } from '../../../src/oracle/serve/answer.js'
import type { Question, Said } from './protocol.js'

/** Bytes of an answer: what a page can still show. */
const mostBytes = 256 * 2 ** 20
/** Milliseconds between two words on how far a request has come. */
const between = 100

declare const tcspecVersion: string

const answers = answering({
  commands: asked,
  suites: [],
  world: {
    version: tcspecVersion,
    colours: false,
    clock: () => performance.now(),
    conformance: null,
  },
  behind: null,
  mostBytes,
})

const say = (said: Said): void => {
  postMessage(said)
}

const answer = async ({ number, method, params }: Question): Promise<void> => {
  let last = -Infinity
  const found = await answers(method, params, (progress) => {
    const now = performance.now()
    if (now - last < between) return
    last = now
    say({ _tag: 'progress', number, progress })
  })
  if (E.isRight(found)) say({ _tag: 'answer', number, text: found.right })
  else say({ _tag: 'refused', number, refused: { code: found.left.data.code, message: found.left.message } })
}

addEventListener('message', (event: MessageEvent<Question>) => {
  void answer(event.data)
})

say({ _tag: 'ready' })
