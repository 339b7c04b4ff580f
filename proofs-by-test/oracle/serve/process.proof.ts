/** The process itself: what it answers from Python, how it ends, and a thousand requests of every kind, many of which it should not have been sent. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { nightly } from '../../extent.js'

const here = fileURLToPath(new URL('./', import.meta.url))
const words = [path.join(here, 'serve-of-sources.mjs'), 'serve']

interface Said {
  readonly id?: unknown
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly data: { readonly code: string } }
}

const begun: ChildProcessWithoutNullStreams[] = []
afterEach(() => {
  for (const child of begun.splice(0)) child.kill('SIGKILL')
})

const begin = (...options: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [...words, ...options], { stdio: ['pipe', 'pipe', 'pipe'] })
  begun.push(child)
  const said: Said[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) said.push(JSON.parse(part) as Said)
    for (const look of [...waiting]) look()
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  child.stdin.on('error', () => undefined)
  const ended = new Promise<{ readonly status: number | null; readonly signal: string | null }>((resolve) => {
    child.on('close', (status, signal) => {
      resolve({ status, signal })
    })
  })
  const until = (there: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!there()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return {
    child,
    said,
    ended,
    until,
    complaints: () => complaints,
    send: (message: unknown) =>
      child.stdin.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
  }
}
const request = (id: unknown, method: string, params: unknown = {}): unknown => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
/** Changes of a kernel that take minutes. */
const long = { kernel: 'hopper-matmul', progress: true }

describe('the process', () => {
  const python = (...more: ReadonlyArray<string>): Readonly<Record<string, unknown>> => {
    const asked = spawnSync('python3', ['-B', path.join(here, 'asks.py'), ...more], {
      encoding: 'utf8',
      env: { ...process.env, TCSPEC: `${process.execPath} ${words[0]!}` },
    })
    expect(asked.stderr).toBe('')
    return JSON.parse(asked.stdout) as Readonly<Record<string, unknown>>
  }
  test('answers Python, and leaves nothing behind', () => {
    expect(python()).toMatchObject({
      layout: { schema: 'tcspec.layout/1', shape: [64, 8] },
      refused: 'kernel.unknown',
      suite: true,
      left: false,
    })
  })
  test.runIf(nightly)('answers what takes long, says how far it has come, and is cancelled', () => {
    const found = python('long')
    expect(found).toMatchObject({
      verdict: 'hazard',
      product: [0x3f800000, 0, 0, 0x3f800000],
      cancelled: 'cancelled',
      left: false,
    })
    expect(found['progress']).toMatchObject({ what: expect.stringMatching(/mutants/) as string })
  })
  test.runIf(nightly)('at the end of its input it answers what is there, and ends with 0', async () => {
    const { child, said, ended, send, complaints } = begin()
    for (const id of [1, 2, 3]) send(request(id, 'check', { kernel: 'zoo/R1' }))
    child.stdin.end(JSON.stringify(request(4, 'version')))
    expect(await ended).toEqual({ status: 0, signal: null })
    expect(said.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4])
    expect(said.every(({ result }) => result !== undefined)).toBe(true)
    expect(complaints()).toBe('')
  })
  test.runIf(nightly)('a signal ends it: what is left is answered as cancelled', async () => {
    const { child, said, ended, send, until, complaints } = begin()
    send(request(1, 'mutate', long))
    await until(() => said.some(({ method }) => method === '$/progress'))
    child.kill('SIGTERM')
    expect(await ended).toEqual({ status: null, signal: 'SIGTERM' })
    expect(said.at(-1)).toMatchObject({ id: 1, error: { code: -32800, data: { code: 'cancelled' } } })
    expect(complaints()).toBe('')
  })
  test.runIf(nightly)('a client that is gone ends it, though a request is being performed', async () => {
    const { child, said, ended, send, until, complaints } = begin()
    send(request(1, 'mutate', long))
    await until(() => said.some(({ method }) => method === '$/progress'))
    child.stdout.destroy()
    expect(await ended).toEqual({ status: 0, signal: null })
    expect(complaints()).toBe('')
  })
  test.runIf(nightly)(
    'a quick question does not wait for long ones; a cancelled one gives its thread back',
    async () => {
      const { said, send, until } = begin()
      for (const id of [1, 2, 3]) send(request(id, 'mutate', long))
      send(request('warm', 'layout', { layout: 'WGMMA' }))
      await until(
        () => said.some(({ id }) => id === 'warm') && said.some(({ method }) => method === '$/progress'),
      )
      send(request('quick', 'layout', { layout: 'WGMMA' }))
      await until(() => said.some(({ id }) => id === 'quick'))
      expect(said.filter(({ method, id }) => method === undefined && typeof id === 'number')).toEqual([])
      for (const id of [1, 2, 3]) send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } })
      send(request('after', 'check', { kernel: 'zoo/R1' }))
      await until(() => said.some(({ id }) => id === 'after'))
      expect(said.find(({ id }) => id === 'after')?.result).toMatchObject({ verdict: 'hazard' })
      for (const id of [1, 2, 3]) expect(said.find((s) => s.id === id)?.error?.data.code).toBe('cancelled')
    },
  )
  test.runIf(nightly)('a folder: its files are read, and nothing else', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-serve-'))
    const folder = path.join(root, 'in')
    fs.mkdirSync(path.join(folder, 'sub'), { recursive: true })
    const table = 'warp,lane,register,dim0\n0,0,0,0\n'
    fs.writeFileSync(path.join(folder, 'sub/l.csv'), table)
    fs.writeFileSync(path.join(root, 'out.csv'), table)
    fs.symlinkSync(path.join(root, 'out.csv'), path.join(folder, 'link.csv'))
    fs.mkdirSync(path.join(folder, 'dir.csv'))
    const { said, send, until } = begin('--files', folder)
    const names = [
      'sub/l.csv',
      './sub/../sub/l.csv',
      '../out.csv',
      path.join(root, 'out.csv'),
      'link.csv',
      'dir.csv',
      'none.csv',
    ]
    names.forEach((layout, id) => send(request(id, 'layout', { layout, shape: [1] })))
    await until(() => said.length === names.length)
    const codes = names.map((_, id) => said.find((s) => s.id === id)?.error?.data.code)
    expect(codes).toEqual([undefined, undefined, ...names.slice(2).map(() => 'file-missing')])
    fs.rmSync(root, { recursive: true, force: true })
  })
})

// ---------------------------------------------------------------- a thousand requests

/** A small generator of numbers: the same requests every time. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const zeros = (n: number): object => ({ dtype: 'f16', shape: [n, n], bits: new Array(n * n).fill(0) })
const small = { m: 64, n: 32, k: 48, tileK: 16, stages: 2 }
const usual: ReadonlyArray<readonly [string, object]> = [
  ['layout', { layout: 'WGMMA', shape: [64, 16] }],
  ['layout', { layout: 'names' }],
  ['transform', { transforms: ['tile=8x64', 'swizzle=128'], shape: [16, 64] }],
  ['image', { box: [4, 8], tensor: [20, 40], at: [18, -8] }],
  ['linear', { words: ['WGMMA'], shape: [64, 16] }],
  ['cute', { words: ['complement', '(2,2):(1,4)', 24] }],
  ['tmem', { layouts: ['DEFAULT(1)'], shape: [128, 2] }],
  ['banks', { words: ['WGMMA', 'tile=8x16', 'swizzle=32'], shape: [64, 16] }],
  ['tiling', { mTiles: 4, nTiles: 4, clusters: 4 }],
  ['litmus', { test: { txt: 'T0: write x\nT1: read x' } }],
  ['kernels', {}],
  ['version', {}],
  ['compare', { got: zeros(8), expected: zeros(8) }],
  ['mma', { in: { a: zeros(16), b: zeros(16) }, out: ['d'] }],
  ['check', { kernel: 'zoo/R1' }],
  ['check', { kernel: 'hopper-matmul', set: small, progress: true }],
  ['run', { kernel: 'hopper-matmul', set: small, out: ['out'] }],
  ['trace', { kernel: 'zoo/R1' }],
  ['mutate', { kernel: 'zoo/R1-fixed', class: ['synchronisation'] }],
  ['ask/swizzle', { dtype: 'f16', shape: [8, 64], tile: null, swizzle: 128, base: 0 }],
]
const slow: ReadonlyArray<readonly [string, object]> = [
  ['mutate', { kernel: 'hopper-matmul' }],
  ['check', { kernel: 'matmul6', explore: true }],
  ['run', { kernel: 'hopper-matmul', set: { m: 512, n: 512, k: 512 }, fast: false }],
  ['layout', { layout: 'WGMMA', shape: [64, 16] }],
]
/** What is sent, and what must come of it: a refusal under the id, or under none. */
const hostile = (id: number): ReadonlyArray<readonly [text: string, id: number | null]> => [
  ['nonsense\n', null],
  ['{"jsonrpc":"2.0","id":\n', null],
  [`${'['.repeat(100_000)}\n`, null],
  ['{"jsonrpc":"2.0","method":5}\n', null],
  [`${JSON.stringify(request({ a: 1 }, 'version'))}\n`, null],
  [`${JSON.stringify(request(id, 'version', 'x'.repeat(3 * 2 ** 20)))}\n`, id],
  ...[
    request(id, 'nope'),
    request(id, 'layout', { layout: 'WGMMA', shpe: 1 }),
    request(id, 'layout', { layout: 'WGMMA', shape: [2 ** 30, 2 ** 30] }),
    request(id, 'layout', { layout: 'WGMMA', shape: '1e9' }),
    request(id, 'layout', { layout: 'x'.repeat(500_000) }),
    request(id, 'cute', { words: [`${'('.repeat(400)}1${')'.repeat(400)}:1`] }),
    request(id, 'layout', { layout: { kind: 'wgmma', bits: -1 } }),
    request(id, 'compare', { got: { dtype: 'f64', shape: [2 ** 40], base64: '' }, expected: 'x' }),
    request(id, 'compare', { got: { dtype: 'f16', shape: [2], bits: [1e9, -1] }, expected: 'x' }),
    request(id, 'run', { kernel: 'hopper-matmul', set: { m: 1e9, n: 1e9, k: 1e9 } }),
    request(id, 'check', { kernel: '/etc/passwd.json' }),
    request(id, 'check', { kernel: { ttgir: 'module {'.repeat(10_000) } }),
    request(id, 'check', { kernel: { jsonl: '{"a":1}\n'.repeat(10_000) } }),
    request(id, 'transform', { shape: [2048, 2048] }),
    request(id, '__proto__', { constructor: 1 }),
  ].map((r): readonly [string, number] => [`${JSON.stringify(r)}\n`, id]),
]

const resident = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024

describe('a thousand requests, a tenth cancelled, a tenth hostile', () => {
  test.runIf(nightly)('are all answered or refused, and the memory is flat', async () => {
    const count = 1000
    const next = numbers(7)
    const { child, said, send, until, ended, complaints } = begin('--max-requests', '64')
    const memory: number[] = []
    let none = 0
    const begin_ = performance.now()
    const answered = (): number => said.filter(({ method }) => method === undefined).length
    for (let id = 0; id < count; id++) {
      const kind = next(10)
      if (kind === 0) {
        const all = hostile(id)
        const [text, under] = all[next(all.length)]!
        if (under === null) none++
        send(text)
      } else if (kind === 1) {
        const [method, params] = slow[next(slow.length)]!
        send(request(id, method, params))
        setTimeout(() => send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } }), next(400))
      } else {
        const [method, params] = usual[next(usual.length)]!
        send(request(id, method, params))
      }
      await until(() => answered() > id - 32)
      if (id % 100 === 99) memory.push(Math.round(resident(child.pid!)))
    }
    await until(() => answered() === count)
    const seconds = (performance.now() - begin_) / 1000
    const byCode = new Map<string, number>()
    for (const { method, error } of said)
      if (method === undefined) {
        const word = error === undefined ? 'answered' : error.code === 1 ? 'refused' : error.data.code
        byCode.set(word, (byCode.get(word) ?? 0) + 1)
      }
    console.log(JSON.stringify({ seconds: Math.round(seconds), memory, answers: Object.fromEntries(byCode) }))
    // each once, under its own id, and the others under none
    const ids = said.filter(({ method, id }) => method === undefined && id !== null).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length + none).toBe(count)
    // what is right is answered, whatever stands beside it
    for (const word of ['busy', 'bug', 'stopped', 'memory'])
      expect([word, byCode.get(word) ?? 0]).toEqual([word, 0])
    expect(Math.max(...memory.slice(5))).toBeLessThan(1.3 * Math.max(...memory.slice(1, 5)))
    child.stdin.end()
    expect(await ended).toEqual({ status: 0, signal: null })
    expect(complaints()).toBe('')
  })
})
