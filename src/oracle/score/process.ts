/**
 * A back end as a process: lines to its standard input, lines from its standard output. What it says on standard error is kept, and its last line is
 * told when it has ended.
 *
 * A process that no answer can come from any more is ended: one that has closed its standard output, one that does not take its standard input, one
 * whose line is longer than any answer. Otherwise each question that is left would wait for its whole patience.
 *
 * A process may have started others, which hold its pipes open when it is gone (a shell in front of the program). Nothing waits for them: our ends of
 * the pipes are closed a moment after it has ended, and how it ended is what is told, whichever of its streams was seen to fail first.
 *
 * Bytes that are no UTF-8 reach the reader as a line that is no JSON. Replaced by U+FFFD, as a lenient reader does, they would be an answer.
 */
import { spawn } from 'node:child_process'
import type { Start } from './back-end.js'

/** Bytes of a line: one that is longer ends the process. */
const mostBytes = 2 ** 26
/** Characters of standard error that are kept. */
const kept = 4000

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const textOf = (bytes: Buffer): string => {
  try {
    return strict.decode(bytes)
  } catch {
    return `(no UTF-8) ${bytes.subarray(0, kept).toString('utf8')}`
  }
}

/** `grace`: milliseconds that a process has to end by itself once a stream of it has. */
export const processWithin =
  (grace: number) =>
  (command: string, words: ReadonlyArray<string>): Start =>
  (hearing) => {
    const child = spawn(command, [...words], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    let over = false
    let errors = ''
    let rest: Buffer[] = []
    let bytes = 0
    const gone = new Promise<void>((resolve) => {
      for (const end of ['exit', 'error'] as const)
        child.once(end, () => {
          resolve()
        })
    })
    const ended = (why: string, begun = true): void => {
      if (over) return
      over = true
      const last = errors.trim().split('\n').at(-1) ?? ''
      hearing.ended(last === '' ? why : `${why}; it said: ${last}`, begun)
    }
    /** Ends it where nothing more can come of it. */
    const broken = (why: string): void => {
      ended(why)
      child.kill('SIGKILL')
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    }
    child.once('error', (error) => {
      ended(`'${command}' cannot be started: ${error.message}`, child.pid !== undefined)
    })
    /** How the process itself has ended, where it has: what its streams do afterwards follows from it. */
    const fate = (): string | undefined =>
      child.signalCode !== null
        ? `it ended with ${child.signalCode}`
        : child.exitCode !== null
          ? `it ended with exit status ${String(child.exitCode)}`
          : undefined
    /** All has been read in a moment and the process is gone, or it is ended: for how it ended by itself, or else for `why`. */
    const soon = (why: string): void => {
      if (over) return
      const timer = setTimeout(() => {
        broken(fate() ?? why)
      }, grace)
      child.once('close', () => {
        clearTimeout(timer)
      })
    }
    child.once('close', () => {
      ended(fate() ?? 'it ended')
    })
    child.once('exit', () => {
      soon('it ended')
    })
    child.stdin.on('error', () => {
      soon('it closed its standard input')
    })
    child.stdout.once('end', () => {
      soon('it closed its standard output')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString('utf8')).slice(-kept)
    })
    child.stdout.on('data', (chunk: Buffer) => {
      let from = 0
      for (let at = chunk.indexOf(10); at >= 0 && !over; at = chunk.indexOf(10, from)) {
        const line = textOf(Buffer.concat([...rest, chunk.subarray(from, at)]))
        rest = []
        bytes = 0
        from = at + 1
        hearing.line(line)
      }
      rest.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes > mostBytes) broken(`a line of more than ${String(mostBytes)} bytes`)
    })
    return {
      say: (line) => {
        child.stdin.write(line)
      },
      stop: async () => {
        over = true
        child.stdin.end()
        const force = setTimeout(() => {
          child.kill('SIGKILL')
        }, grace)
        await gone
        clearTimeout(force)
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      },
    }
  }

export const processOf: (command: string, words: ReadonlyArray<string>) => Start = processWithin(2000)
