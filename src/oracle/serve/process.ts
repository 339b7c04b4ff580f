/**
 * The process: standard input and output as a conversation.
 *
 * | comes                                    | then                                                                            |
 * |------------------------------------------|---------------------------------------------------------------------------------|
 * | the end of the input                     | what is being performed is answered; status 0                                   |
 * | SIGTERM, SIGINT, SIGHUP                  | what is left is answered as cancelled; the process ends by the signal           |
 * | a closed output                          | the client is gone: everything is stopped; status 0                             |
 * | a client that sends and does not read    | its input is read no further until it does                                      |
 */
import type { Readable, Writable } from 'node:stream'
import { suites } from '../vectors/index.js'
import { conversation, type Limits } from './conversation.js'
import { crewOf, type Setting, type Size } from './crew.js'

export interface Streams {
  readonly input: Readable
  readonly output: Writable
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Bytes that wait for the client to read: with more of them no more is heard. */
const mostUnread = 2 ** 20

/** Serves until it is over; the signal that ended it, or null. */
export const serve = async (
  { input, output }: Streams,
  entry: URL,
  setting: Setting,
  limits: Limits,
  size: Size,
): Promise<NodeJS.Signals | null> => {
  const crew = crewOf(entry, setting, size)
  let isGone = false
  const talk = conversation(crew, suites, limits, (line) => {
    if (isGone) return
    output.write(`${line}\n`)
    if (output.writableLength > mostUnread) input.pause()
  })
  const ended = await new Promise<NodeJS.Signals | null>((resolve) => {
    for (const signal of signals)
      process.on(signal, () => {
        resolve(signal)
      })
    output.on('error', () => {
      isGone = true
      resolve(null)
    })
    output.on('drain', () => {
      input.resume()
    })
    input.on('data', (piece: Uint8Array) => {
      talk.hear(piece)
    })
    const last = (): void => {
      void talk.end().then(() => {
        resolve(null)
      })
    }
    input.on('end', last)
    input.on('error', last)
  })
  talk.cancelAll()
  input.destroy()
  for (const signal of signals) process.removeAllListeners(signal)
  await crew.close()
  // what was said is on its way; a signal does not wait for a client that does not read
  if (!isGone)
    await new Promise<void>((resolve) => {
      if (ended !== null) setTimeout(resolve, 1000).unref()
      output.write('', () => {
        resolve()
      })
    })
  return ended
}
