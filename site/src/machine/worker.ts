/**
 * The worker: the library, asked as `tcspec serve` is asked. The page has no analysis of its own.
 *
 * Nothing is on a disk here: the files of a request are those that it brings.
 */
import * as E from 'fp-ts/lib/Either.js'
import { asked } from '../../../src/oracle/cli/commands/index.js'
import { answering } from '../../../src/oracle/serve/answer.js'
import type { Question, Said } from './protocol.js'
import type { Brought, Shelf } from './shelf.js'

/** Bytes of an answer: what a page can still show. */
const mostBytes = 256 * 2 ** 20
/** Milliseconds between two words on how far a request has come. */
const between = 100

declare const tcspecVersion: string
declare const tcspecShelf: Shelf

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

/** Asks until nothing was missed: what is said without a chapter counts for nothing. */
const answer = async (question: Question): Promise<void> => {
  const { number, method, params } = question
  let last = -Infinity
  const found = await answers(method, params, (progress) => {
    const now = performance.now()
    if (now - last < between) return
    last = now
    say({ _tag: 'progress', number, progress })
  })
  const missed = tcspecShelf.missed()
  if (missed.length > 0) {
    await tcspecShelf.fetch(missed)
    return answer(question)
  }
  say(
    E.isRight(found)
      ? { _tag: 'answer', number, text: found.right }
      : {
          _tag: 'refused',
          number,
          refused: { code: found.left.data.code, message: found.left.message },
        },
  )
}

addEventListener('message', ({ data }: MessageEvent<Question | Brought>) => {
  if ('_tag' in data) return
  answer(data).catch((error: unknown) => {
    say({
      _tag: 'refused',
      number: data.number,
      refused: { code: 'stopped', message: error instanceof Error ? error.message : String(error) },
    })
  })
})

say({ _tag: 'ready' })
