/**
 * Launches recorded on a GPU: the library that the driver loads into a program (`shim/capture.cpp`), built by the user's compiler against CUPTI, and the folder that comes of it.
 *
 * Where only machine code was launched (Triton, JAX), the PTX that it was made of is looked for by the kernel's name in folders that are named, and takes its place. A launch of which
 * there is none is left out: what it has written is in the record as copies.
 *
 * Laws
 * 1. The folder is there whole, or not at all.
 * 2. Memory is what it was on the GPU before each launch that is kept, and behind it, whatever was left out.
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
import { ptxIn } from '../launch/fatbin.js'

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

/** Does a text have this kernel? */
const hasEntry = (text: string, kernel: string): boolean =>
  new RegExp(`\\.entry\\s+${kernel.replace(/\W/gu, '\\$&')}\\s*\\(`, 'u').test(text)

/** The PTX that a module was recorded with; null: it is machine code alone. */
const ptxOf = (file: string): string | null => {
  if (!existsSync(file)) return null
  if (file.endsWith('.ptx')) return readFileSync(file, 'utf8')
  const texts = file.endsWith('.fatbin') ? ptxIn(readFileSync(file)) : E.right([])
  return E.isRight(texts) ? texts.right.map(({ text }) => text).join('\n') : null
}

/** What a launch that is left out has written, as copies: of what is read behind it, what it has changed. */
const asCopies = (o: HostOperation, held: ReadonlyMap<string, string>): ReadonlyArray<HostOperation> => {
  if (o.op !== 'read' || typeof o.from !== 'string' || o.file === undefined || held.get(o.from) === o.file)
    return []
  return [
    {
      op: 'write',
      to: o.from,
      file: o.file,
      ...(o.pointers === undefined ? {} : { pointers: o.pointers }),
      ...(o.maps === undefined ? {} : { maps: o.maps }),
    },
  ]
}

/** How many launches are kept, and kernels whose launches are not: there is no PTX of them, or they use memory that is larger than was asked for. */
export interface Kept {
  readonly launches: number
  readonly without: ReadonlyArray<string>
  readonly large: ReadonlyArray<string>
}

/** Puts PTX in the place of machine code, and leaves out what cannot be executed. */
export const withPtx = (folder: string, from: ReadonlyArray<string>): E.Either<Failure, Kept> => {
  const file = join(folder, 'program.json')
  const read = E.tryCatch(
    (): unknown => JSON.parse(readFileSync(file, 'utf8')),
    (why): Failure => ({ code: 'capture.form', message: `${file}: ${String(why)}` }),
  )
  const decoded = E.isLeft(read) ? read : decodeHost(read.right)
  if (E.isLeft(decoded)) return decoded
  const texts = from.filter(existsSync).flatMap((f) => filesIn(f, '.ptx'))
  const modules: Record<string, string> = { ...decoded.right.modules }
  const recordedIn = new Map(
    Object.entries(modules).map(([name, module]) => [name, ptxOf(join(folder, module))] as const),
  )
  /** the module that a kernel is launched from; null: there is no PTX of it */
  const moduleOf = (module: string, kernel: string): string | null => {
    if (hasEntry(recordedIn.get(module) ?? '', kernel)) return module
    const name = `${kernel}.ptx`
    if (modules[name] !== undefined) return name
    const found = texts.find((t) => hasEntry(readFileSync(t, 'utf8'), kernel))
    if (found === undefined) return null
    copyFileSync(found, join(folder, name))
    modules[name] = name
    return name
  }
  const without = new Set<string>()
  const large = new Set<string>()
  // all memory that the record has: what is larger than asked for is not in it
  const allocated = new Set(decoded.right.operations.flatMap((o) => (o.op === 'alloc' ? [o.memory] : [])))
  const isKnown = ({ memory }: { readonly memory: string }): boolean => allocated.has(memory)
  const held = new Map<string, string>()
  let launches = 0
  let isLeftOut = false
  const operations = decoded.right.operations.flatMap((o): ReadonlyArray<HostOperation> => {
    const kernel = o.op === 'launch' && typeof o.launch !== 'string' ? o.launch.kernel : undefined
    const isLarge = o.op === 'launch' && o.pointers?.every(isKnown) === false
    const module =
      o.op === 'launch' && kernel !== undefined && !isLarge ? moduleOf(o.module ?? '', kernel) : null
    if (o.op === 'launch') isLeftOut = module === null
    const kept =
      !isLeftOut || o.op === 'alloc' || o.op === 'free' || o.op === 'write'
        ? [o.op === 'launch' && module !== null ? { ...o, module } : o]
        : asCopies(o, held)
    if (o.op === 'launch' && isLeftOut) (isLarge ? large : without).add(kernel ?? '')
    if (o.op === 'launch' && !isLeftOut) launches += 1
    if ((o.op === 'write' || o.op === 'read') && o.file !== undefined) {
      const place = o.op === 'write' ? o.to : o.from
      if (typeof place === 'string') held.set(place, o.file)
    }
    return kept
  })
  // what only launches that are left out come from is no PTX
  const used = new Set(
    operations.flatMap((o) => (o.op === 'launch' && o.module !== undefined ? [o.module] : [])),
  )
  const kept = Object.fromEntries(Object.entries(modules).filter(([name]) => used.has(name)))
  // a variable is memory of a module, and there is none without it
  const keptTexts = Object.values(kept).map((module) => ptxOf(join(folder, module)) ?? '')
  const isThere = (o: HostOperation): boolean => {
    const place = o.op === 'write' ? o.to : o.op === 'read' ? o.from : null
    return typeof place !== 'string' || allocated.has(place) || keptTexts.some((text) => text.includes(place))
  }
  /** An address of memory that the record has not is a number. */
  const knowing = (o: HostOperation): HostOperation =>
    (o.op === 'write' || o.op === 'read') && o.pointers !== undefined
      ? Object.assign({}, o, { pointers: o.pointers.filter(isKnown) })
      : o
  const next = join(folder, `.${basename(file)}`)
  writeFileSync(
    next,
    `${JSON.stringify({ ...decoded.right, modules: kept, operations: operations.filter(isThere).map(knowing) }, null, 1)}\n`,
  )
  renameSync(next, file)
  return E.right({ launches, without: [...without], large: [...large] })
}
