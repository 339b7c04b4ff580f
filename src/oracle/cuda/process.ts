/**
 * A program with the stand-ins for the runtime and the driver: the libraries are built once, the program is started with them, and its messages are answered over a socket that
 * is the user's alone.
 *
 * They are built by `cc` into the user's cache, under a name that their sources and tables decide, and the folder is moved there whole.
 *
 * | file                                   | is                                                                  |
 * |----------------------------------------|---------------------------------------------------------------------|
 * | `libcuda.so.1`                         | the driver, and the connection                                      |
 * | `libcudart.so.13`, `libcudart.so.12`   | the runtime with its symbol version; what they ask goes through it  |
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { constants, homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { EndedProgram } from '../cli/command.js'
import { calls } from './calls.js'
import { driverText, runtimeText, type Abi } from './functions.js'

const shim = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../shim/${name}`, import.meta.url)), 'utf8')
/** Bytes of a message. */
const mostBytes = 2 ** 31

interface Library {
  readonly soname: string
  readonly source: string
  readonly flags: ReadonlyArray<string>
}

/** What is built, in this order. */
export const libraries = (): { readonly header: string; readonly all: ReadonlyArray<Library> } => {
  const runtime = (abi: Abi): Library => ({
    soname: `libcudart.so.${String(abi)}`,
    source: `${shim('runtime.c')}${runtimeText(abi)}`,
    flags: [`-DABI=${String(abi)}`, 'libcuda.so.1', '-Wl,-rpath,$ORIGIN'],
  })
  return {
    header: `#define CALLS ${calls.join(', ')}\n${shim('common.h')}`,
    all: [
      { soname: 'libcuda.so.1', source: `${shim('driver.c')}${driverText}`, flags: [] },
      runtime(13),
      runtime(12),
    ],
  }
}

/** Builds a library in a folder that has the header; null, or why it cannot be built. */
export const built = (
  folder: string,
  { soname, source, flags }: Library,
  more: ReadonlyArray<string>,
): string | null => {
  writeFileSync(join(folder, `${soname}.c`), source)
  writeFileSync(join(folder, `${soname}.map`), `${soname} { global: *; };\n`)
  const version = soname === 'libcuda.so.1' ? [] : [`-Wl,--version-script,${soname}.map`]
  const cc = spawnSync(
    'cc',
    [
      ...['-O2', '-shared', '-fPIC', '-pthread', '-I.', ...more],
      ...[`-Wl,-soname,${soname}`, ...version, '-o', soname, `${soname}.c`, ...flags, '-ldl'],
    ],
    { cwd: folder, encoding: 'utf8' },
  )
  return cc.status === 0
    ? null
    : (cc.error?.message ?? cc.stderr.split('\n').find((line) => line !== '') ?? 'it failed')
}

/** The folder that the libraries are in, built if it is not there. */
export const library = (): E.Either<Failure, string> => {
  const { header, all } = libraries()
  const hash = createHash('sha256')
  for (const text of [header, ...all.map(({ source }) => source)]) hash.update(text)
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tcspec')
  const folder = join(cache, `cuda-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(join(folder, 'libcuda.so.1'))) return E.right(folder)
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const made = mkdtempSync(join(cache, 'build-'))
  writeFileSync(join(made, 'common.h'), header)
  for (const each of all) {
    const why = built(made, each, [])
    if (why === null) continue
    rmSync(made, { recursive: true, force: true })
    return refuse('cuda.compiler', `the stand-in for ${each.soname} cannot be built with 'cc': ${why}`)
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

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // another user owns it
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Removes what processes have left that were killed: a folder has the number of its process in its name. */
const sweepRooms = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^tcspec-cuda-(\d+)-/u.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // another user owns it
    }
  }
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
    sweepRooms()
    const room = mkdtempSync(join(tmpdir(), `tcspec-cuda-${String(process.pid)}-`))
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
      chmodSync(path, 0o600)
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
        end(
          E.right({ status, signal, number: signal === null ? null : constants.signals[signal], connected }),
        )
      })
    })
  })
