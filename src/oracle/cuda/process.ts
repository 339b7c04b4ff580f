/**
 * A program with the stand-in for the runtime: the library is built once, the program is started with it, and its messages are answered over a socket that is the user's alone.
 *
 * The library is built by `cc` into the user's cache, under a name that its source and the table of calls decide, and is moved there whole.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { EndedProgram } from '../cli/command.js'
import { absent, calls } from './calls.js'

const source = fileURLToPath(new URL('../../../shim/cudart.c', import.meta.url))
const soname = 'libcudart.so.13'
/** Bytes of a message. */
const mostBytes = 2 ** 31

/** The folder that the library is in, built if it is not there. */
export const library = (): E.Either<Failure, string> => {
  const head = `#define CALLS ${calls.join(', ')}\n#define ABSENTS ${absent.map((name) => `ABSENT(${name})`).join(' ')}\n`
  const text = `${head}${readFileSync(source, 'utf8')}`
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tcspec')
  const folder = join(cache, `cudart-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
  if (existsSync(join(folder, soname))) return E.right(folder)
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const made = mkdtempSync(join(cache, 'build-'))
  writeFileSync(join(made, 'cudart.c'), text)
  writeFileSync(join(made, 'versions'), `${soname} { global: *; };\n`)
  const built = spawnSync(
    'cc',
    [
      '-O2',
      '-shared',
      '-fPIC',
      '-pthread',
      `-Wl,-soname,${soname}`,
      '-Wl,--version-script,versions',
      '-o',
      soname,
      'cudart.c',
    ],
    { cwd: made, encoding: 'utf8' },
  )
  if (built.status !== 0) {
    rmSync(made, { recursive: true, force: true })
    const why = (built.error?.message ?? built.stderr).split('\n').find((line) => line !== '') ?? 'it failed'
    return refuse('cuda.compiler', `the stand-in for libcudart cannot be built with 'cc': ${why}`)
  }
  try {
    renameSync(made, folder)
  } catch {
    // another process was first
    rmSync(made, { recursive: true, force: true })
  }
  return E.right(folder)
}

const answering = (socket: Socket, answer: (message: Uint8Array) => Uint8Array): void => {
  let held: Buffer[] = []
  let bytes = 0
  socket.on('error', () => undefined)
  socket.on('data', (data) => {
    held.push(data)
    bytes += data.length
    for (;;) {
      if (bytes < 4) return
      if (held[0]!.length < 4) held = [Buffer.concat(held)]
      const length = held[0]!.readUInt32LE(0)
      if (length > mostBytes) {
        socket.destroy()
        return
      }
      if (bytes < 4 + length) return
      const all = held.length === 1 ? held[0]! : Buffer.concat(held)
      held = all.length > 4 + length ? [all.subarray(4 + length)] : []
      bytes -= 4 + length
      socket.write(answer(all.subarray(4, 4 + length)))
    }
  })
}

/** Starts a program and answers it until it ends. */
export const started = (
  folder: string,
  command: string,
  words: ReadonlyArray<string>,
  answer: (message: Uint8Array) => Uint8Array,
): Promise<E.Either<Failure, EndedProgram>> =>
  new Promise((resolve) => {
    // a folder that only this user may enter
    const room = mkdtempSync(join(tmpdir(), 'tcspec-cuda-'))
    const path = join(room, 'socket')
    let connected = false
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      connected = true
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      answering(socket, answer)
    })
    const end = (result: E.Either<Failure, EndedProgram>): void => {
      for (const socket of sockets) socket.destroy()
      server.close()
      rmSync(room, { recursive: true, force: true })
      resolve(result)
    }
    server.listen(path, () => {
      const child = spawn(command, [...words], {
        stdio: 'inherit',
        env: {
          ...process.env,
          TCSPEC_CUDA_SOCKET: path,
          LD_LIBRARY_PATH: [folder, process.env['LD_LIBRARY_PATH'] ?? ''].filter((x) => x !== '').join(':'),
        },
      })
      child.once('error', (error) => {
        end(refuse('cuda.program', `'${command}' cannot be started: ${error.message}`))
      })
      child.once('exit', (status, signal) => {
        end(E.right({ status, signal, connected }))
      })
    })
  })
