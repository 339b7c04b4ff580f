#!/usr/bin/env node
/**
 * The edge of `tcspec`: reads argv, prints the outcome, sets the exit status.
 *
 * The process ends by itself once everything is printed: `process.exit` would cut a pipe short.
 */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { SingleBar } from 'cli-progress'
import pc from 'picocolors'
import { threads } from '../parallel/threads.js'
import { onDisk } from '../tensor-files/files.js'
import { crashed, silent, type Outcome, type ProgressBar, type World } from './command.js'
import { commands } from './commands/index.js'
import { tcspec } from './program.js'

const argv = process.argv.slice(2)

const print = (outcome: Outcome): void => {
  process.exitCode = outcome.status
  process.stderr.write(outcome.stderr)
  process.stdout.write(outcome.stdout)
}

// A reader that has seen enough (`tcspec ... | head`) closes the pipe; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') print(crashed(false, error))
})
process.on('uncaughtException', (error) => {
  print(crashed(argv.includes('--json'), error))
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

/** On standard error, and only when that is a terminal; gone when the work is done. */
const progress = (what: string): ProgressBar => {
  if (!process.stderr.isTTY) return silent
  const bar = new SingleBar({
    format: `${what} [{bar}] {value} of {total}`,
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
  })
  return {
    update: (done, of) => {
      if (!bar.isActive) bar.start(of, 0)
      bar.update(done)
    },
    stop: () => {
      bar.stop()
    },
  }
}

const world: World = {
  files: onDisk,
  version: version(),
  colours: process.stdout.isTTY && pc.isColorSupported,
  clock: () => performance.now(),
  conformance: existsSync(conformance) ? conformance : null,
  progress,
  threads: {
    assemble: threads(new URL('../parallel/worker.js', import.meta.url)),
    count: availableParallelism(),
  },
}

print(await tcspec(commands, world)(argv)())
