#!/usr/bin/env node
/**
 * The edge of `tcspec`: reads argv, prints the outcome, sets the exit status.
 *
 * The process ends by itself once everything is printed: `process.exit` would cut a pipe short. What cannot be printed is said once, on standard
 * error: a full disk is status 2 and one line. A reader that has seen enough (`tcspec ... | head`) closes the pipe: that is no error, and the
 * status is the outcome's. Where standard error takes nothing either, the status alone speaks.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as E from 'fp-ts/lib/Either.js'
import pc from 'picocolors'
import { lookingForRoom } from '../../semantics/machine/looks.js'
import { threads } from '../parallel/threads.js'
import { journalOnDisk } from '../sweep/journal.js'
import { directoriesOnDisk } from '../tensor-files/directory.js'
import { processOf } from '../score/process.js'
import { onDisk } from '../tensor-files/disk.js'
import { crashed, silent, type Outcome, type World } from './command.js'
import { commands } from './commands/index.js'
import { printablePlain } from './printable.js'
import { tcspec } from './program.js'
import { roomOf } from './room.js'

const argv = process.argv.slice(2)

/** Writes to a standard stream; the code of what went wrong. */
const writeTo = (stream: Writable, text: string): Promise<string | null> =>
  text === ''
    ? Promise.resolve(null)
    : new Promise((resolve) => {
        stream.write(text, (error) => {
          resolve(error == null ? null : 'code' in error ? String(error.code) : error.message)
        })
      })

// What goes wrong is told to the callback of each write; without a listener it would end the process a second time.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const print = async ({ status, stdout, stderr }: Outcome): Promise<void> => {
  process.exitCode = status
  await writeTo(process.stderr, stderr)
  const fault = await writeTo(process.stdout, stdout)
  if (fault === null || fault === 'EPIPE') return
  process.exitCode = 2
  await writeTo(process.stderr, `tcspec: standard output: cannot be written (${fault})\n`)
}

process.once('uncaughtException', (error) => {
  void print(crashed(argv.includes('--json'), error))
})

/** The collector of the engine, which a process has to ask for by name. */
const collector = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('gc')
  return typeof found === 'function' ? () => void found() : () => undefined
}

/** Of the limit that the engine names, what is for young objects alone: three half spaces of 16 MB. */
const young = 3 * 16 * 2 ** 20

/** What is computed holds the process until it is done: nothing can be said later, so this is said at once, and the process ends here. */
const room = roomOf({
  limit: () => getHeapStatistics().heap_size_limit - young,
  used: () => getHeapStatistics().used_heap_size,
  held: () => process.memoryUsage.rss(),
  machine: Math.min(totalmem(), process.constrainedMemory() || Infinity),
  collect: () => {
    collector()()
  },
})
lookingForRoom(() => {
  const why = room()
  if (why === null) return
  writeSync(2, `tcspec: ${why}\n`)
  process.exit(3)
})

/** The package's own manifest, three folders up in the sources as in the build. */
const version = (): string => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

/** Captured data stand beside the sources; the package leaves them out. */
const conformance = fileURLToPath(new URL('../../../conformance', import.meta.url))

/** `COLUMNS`, or what the terminal says. */
const columns = (): number | null => {
  const said = process.env['COLUMNS'] ?? ''
  if (/^[1-9]\d{0,4}$/.test(said)) return Number(said)
  return process.stdout.isTTY ? process.stdout.columns : null
}

/** Signals that ask a process to end; a second one ends it. */
const interrupted = (told: () => void): (() => void) => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const leave = (): void => {
    for (const signal of signals) process.off(signal, hear)
  }
  const hear = (): void => {
    leave()
    told()
  }
  for (const signal of signals) process.on(signal, hear)
  return leave
}

const width = columns()
const bare: World = {
  files: onDisk,
  directories: directoriesOnDisk,
  version: version(),
  node: process.versions.node,
  // in a checkout `tcspec` alone is on no path, and a command that is printed must run as it is
  ...(process.env['npm_command'] === 'exec' ? { called: 'npx tcspec' } : {}),
  // a file or a pipe has no `isTTY` at all, which picocolors would take for "as the environment says"
  colours: Boolean(process.stdout.isTTY) && pc.isColorSupported,
  ...(width === null ? {} : { columns: width }),
  clock: () => performance.now(),
  conformance: existsSync(conformance) ? conformance : null,
  processes: processOf,
  programs: {
    library: async () => (await import('../cuda/process.js')).library(),
    start: async (...asked) => (await import('../cuda/process.js')).started(...asked),
    tell: (line) => process.stderr.write(`tcspec: ${printablePlain(line)}\n`),
  },
  recorder: {
    record: async (how, command, words) => {
      const { captureLibrary, recorded } = await import('../cuda/capture.js')
      const built = captureLibrary()
      return built._tag === 'Left' ? built : recorded(built.right, how, command, words)
    },
    withPtx: async (folder, from) => (await import('../cuda/capture.js')).withPtx(folder, from),
  },
  progress: process.stderr.isTTY ? (await import('./progress.js')).progressOn(process.stderr) : () => silent,
  threads: {
    assemble: threads(new URL('../parallel/worker.js', import.meta.url)),
    count: availableParallelism(),
  },
  serve: async ({ folder, threads: count, memory, line, result, requests }) => {
    const { serve } = await import('../serve/process.js')
    const ended = await serve(
      { input: process.stdin, output: process.stdout },
      new URL('../serve/worker.js', import.meta.url),
      { version: world.version, conformance: world.conformance, folder, mostBytes: result },
      { line, result, requests },
      { threads: count, memory },
    )
    if (ended !== null) process.kill(process.pid, ended)
  },
  player: () => {
    const part = (name: string): string | null => {
      const file = new URL(`../../../site/dist/${name}`, import.meta.url)
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    }
    const [script, style] = [part('page.js'), part('page.css')]
    return script === null || style === null ? null : { script, style }
  },
  open:
    ({ port, hash }) =>
    async () => {
      const { serveSite } = await import('../site/server.js')
      const serving = await serveSite(fileURLToPath(new URL('../../../site/dist', import.meta.url)), port)
      if (serving._tag === 'Left') return serving
      const ended = new Promise<void>((told) => interrupted(told))
      await writeTo(process.stdout, `${serving.right.url}${hash}\n`)
      await ended
      await serving.right.close()
      return E.right(undefined)
    },
}

const world: World = {
  ...bare,
  sweeps: {
    hire: (known, size) => ({
      perform: async (tasks, heard, stop) => {
        const { threadsFor } = await import('../sweep/threads.js')
        await threadsFor(bare, new URL('../sweep/worker.js', import.meta.url))(known, size).perform(
          tasks,
          heard,
          stop,
        )
      },
    }),
    count: availableParallelism(),
    journal: journalOnDisk,
    interrupted,
  },
}

// A shell asks in its environment, not in words.
if (argv[0] === 'completion-server')
  await (await import('./completion-server.js')).answerCompletion(process.env)
else await print(await tcspec(commands, world)(argv)())
