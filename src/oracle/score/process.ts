/**
 * A back end as a process: lines to its standard input, lines from its standard output. What it says on standard error is kept, and its last line is
 * told when it has ended.
 */
import { spawn } from 'node:child_process'
import type { Start } from './back-end.js'

/** Bytes of a line: one that is longer ends the process. */
const mostBytes = 2 ** 28
/** Milliseconds that a process has to end by itself once its input has. */
const grace = 2000
/** Characters of standard error that are kept. */
const kept = 4000

export const processOf =
  (command: string, words: ReadonlyArray<string>): Start =>
  (hearing) => {
    const child = spawn(command, [...words], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    let over = false
    let errors = ''
    let rest: Buffer[] = []
    let bytes = 0
    const gone = new Promise<void>((resolve) => {
      child.once('close', () => {
        resolve()
      })
      child.once('error', () => {
        resolve()
      })
    })
    const ended = (why: string, begun = true): void => {
      if (over) return
      over = true
      const last = errors.trim().split('\n').at(-1) ?? ''
      hearing.ended(last === '' ? why : `${why}; it said: ${last}`, begun)
    }
    child.once('error', (error) => {
      ended(`'${command}' cannot be started: ${error.message}`, child.pid !== undefined)
    })
    child.once('close', (status, signal) => {
      ended(`it ended with ${signal === null ? `exit status ${String(status)}` : signal}`)
    })
    // a process that is gone takes nothing: its end is told above
    child.stdin.on('error', () => undefined)
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString('utf8')).slice(-kept)
    })
    child.stdout.on('data', (chunk: Buffer) => {
      let from = 0
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8')
        rest = []
        bytes = 0
        from = at + 1
        hearing.line(line)
      }
      rest.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes <= mostBytes) return
      ended(`a line of more than ${String(mostBytes)} bytes`)
      child.kill('SIGKILL')
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
      },
    }
  }
