/**
 * Launches recorded on a GPU: the library that the driver loads into a program (`shim/capture.cpp`), built by the user's compiler against CUPTI, and the folder that comes of it.
 *
 * Where only machine code was launched (Triton, JAX), the PTX that it was made of is looked for by the kernel's name in folders that are named, and takes its place.
 *
 * Law 1. The folder is there whole, or not at all.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants, homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { EndedProgram, Recording } from '../cli/command.js'
import { decodeHost, type HostOperation } from '../host/file.js'

const source = fileURLToPath(new URL('../../../shim/capture.cpp', import.meta.url))

/** Where CUDA is installed, and with it CUPTI. */
const toolkits = (): ReadonlyArray<string> =>
  [process.env['CUDA_HOME'], process.env['CUDA_PATH'], '/usr/local/cuda'].flatMap((x) =>
    x === undefined || x === '' ? [] : [x],
  )

/** The library, built if it is not there. */
export const captureLibrary = (): E.Either<Failure, string> => {
  const root = toolkits().find((x) => existsSync(join(x, 'include', 'cuda.h')))
  if (root === undefined)
    return refuse(
      'capture.cupti',
      'expected CUDA with CUPTI in $CUDA_HOME or /usr/local/cuda, found none; install the toolkit',
    )
  const extras = join(root, 'extras', 'CUPTI')
  const folders = [join(extras, 'lib64'), join(root, 'lib64'), join(root, 'lib')].filter(existsSync)
  const text = readFileSync(source)
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tcspec')
  const name = `capture-${createHash('sha256').update(text).update(root).digest('hex').slice(0, 16)}.so`
  const path = join(cache, name)
  if (existsSync(path)) return E.right(path)
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const made = mkdtempSync(join(cache, 'build-'))
  const built = spawnSync(
    'g++',
    [
      ...['-O1', '-std=c++17', '-shared', '-fPIC', '-o', name],
      ...[`-I${join(root, 'include')}`, `-I${join(extras, 'include')}`, source],
      ...folders.flatMap((f) => [`-L${f}`, `-Wl,-rpath,${f}`]),
      ...['-lcupti', '-Wl,--no-as-needed', '-l:libcuda.so.1'],
    ],
    { cwd: made, encoding: 'utf8' },
  )
  if (built.status === 0) renameSync(join(made, name), path)
  rmSync(made, { recursive: true, force: true })
  const why = built.error?.message ?? built.stderr.split('\n').find((line) => line !== '') ?? 'it failed'
  return built.status === 0
    ? E.right(path)
    : refuse('capture.compiler', `the library for CUPTI cannot be built with 'g++': ${why}`)
}

/** Runs a program that is recorded. */
export const recorded = (
  library: string,
  { folder, only, first, last, most }: Recording,
  command: string,
  words: ReadonlyArray<string>,
): Promise<E.Either<Failure, EndedProgram>> =>
  new Promise((done) => {
    const child = spawn(command, [...words], {
      stdio: 'inherit',
      env: {
        ...process.env,
        CUDA_INJECTION64_PATH: library,
        TCSPEC_CAPTURE: resolve(folder),
        ...(only === null ? {} : { TCSPEC_CAPTURE_ONLY: only }),
        TCSPEC_CAPTURE_FIRST: String(first),
        ...(last === null ? {} : { TCSPEC_CAPTURE_LAST: String(last) }),
        TCSPEC_CAPTURE_MOST: String(most),
      },
    })
    child.once('error', (error) => {
      done(refuse('cuda.program', `'${command}' cannot be started: ${error.message}`))
    })
    child.once('exit', (status, signal) => {
      done(
        E.right({
          status,
          signal,
          number: signal === null ? null : constants.signals[signal],
          connected: existsSync(join(folder, 'program.json')),
        }),
      )
    })
  })

/** All files of a folder whose name ends so. */
const filesIn = (folder: string, end: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name))

/** Puts PTX in the place of machine code; the kernels for which none was found. */
export const withPtx = (
  folder: string,
  from: ReadonlyArray<string>,
): E.Either<Failure, { readonly launches: number; readonly without: ReadonlyArray<string> }> => {
  const file = join(folder, 'program.json')
  const read = E.tryCatch(
    (): unknown => JSON.parse(readFileSync(file, 'utf8')),
    (why): Failure => ({ code: 'capture.form', message: `${file}: ${String(why)}` }),
  )
  const decoded = E.isLeft(read) ? read : decodeHost(read.right)
  if (E.isLeft(decoded)) return decoded
  const texts = from.filter(existsSync).flatMap((f) => filesIn(f, '.ptx'))
  const modules: Record<string, string> = { ...decoded.right.modules }
  const without = new Set<string>()
  let launches = 0
  const operations = decoded.right.operations.map((o): HostOperation => {
    if (o.op !== 'launch') return o
    launches += 1
    const kernel = typeof o.launch === 'string' ? undefined : o.launch.kernel
    const isCode = (modules[o.module ?? ''] ?? '').endsWith('.cubin')
    if (!isCode || kernel === undefined) return o
    const name = `${kernel}.ptx`
    if (modules[name] === undefined) {
      const entry = new RegExp(`\\.entry\\s+${kernel.replace(/\W/gu, '\\$&')}\\s*\\(`, 'u')
      const found = texts.find((t) => entry.test(readFileSync(t, 'utf8')))
      if (found === undefined) {
        without.add(kernel)
        return o
      }
      copyFileSync(found, join(folder, name))
      modules[name] = name
    }
    return { ...o, module: name }
  })
  const next = join(folder, `.${basename(file)}`)
  writeFileSync(next, `${JSON.stringify({ ...decoded.right, modules, operations }, null, 1)}\n`)
  renameSync(next, file)
  return E.right({ launches, without: [...without] })
}
