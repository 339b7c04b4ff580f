/**
 * What was captured comes out of its containers as it went in, and what is damaged is named.
 *
 * Oracles: a set of files of every kind that a container holds, written here byte by byte; numbers that NumPy drew from a seed; and of the containers of
 * `conformance` their own checksums, which are of the files as they were captured.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import { nightly } from '../extent.js'

interface Containers {
  readonly unpack: (root?: string) => number
  readonly check: (root?: string) => ReadonlyArray<string>
  readonly pack: (name: string, root?: string) => unknown
  readonly ignored: (root?: string) => string
}
interface Generator {
  readonly normals: (count: number) => Float64Array
  readonly integers: (count: number, low: number, high: number) => Float64Array
  readonly uniform: (count: number, low: number, high: number) => Float64Array
  readonly permutation: (count: number) => ReadonlyArray<number>
}
interface Entry {
  readonly file: string
  readonly at?: number
  readonly length?: number
  readonly same?: string
  readonly known?: { readonly shape?: ReadonlyArray<number>; readonly stream?: number }
}

const tool = async (name: string): Promise<unknown> =>
  import(new URL(`../../tools/${name}.mjs`, import.meta.url).href)
const { unpack, check, pack, ignored } = (await tool('captures')) as Containers
const { generators } = (await tool('captures/generators')) as {
  readonly generators: Readonly<Record<string, (seed: number) => Generator>>
}

const conformance = new URL('../../conformance/', import.meta.url)
const names = ['blackwell', 'hopper', 'jaxpr', 'kernels', 'layouts', 'prototype', 'recorded', 'triton']
const indexOf = (root: string | URL, name: string): { readonly files: ReadonlyArray<Entry> } =>
  JSON.parse(readFileSync(new URL(`${name}.index.json`, root), 'utf8')) as {
    readonly files: ReadonlyArray<Entry>
  }

/** The tables of a ziggurat are computed here, and NumPy's are written out: they agree in all but the last digits. */
const near = (found: ArrayLike<number>, expected: ReadonlyArray<number>): void => {
  expect(found).toHaveLength(expected.length)
  expected.forEach((x, i) => expect(Math.abs(found[i]! / x - 1)).toBeLessThan(1e-13))
}

describe('generators', () => {
  // np.random.default_rng(7) and np.random.RandomState(7) of NumPy 2.4.6, asked once
  test('NumPy: normal numbers, those far out among them; integers and what comes behind them; permutations', () => {
    const g = generators['numpy']!(7)
    near(g.normals(3), [0.0012301533574825742, 0.2987455375084699, -0.2741378553622176])
    expect([...g.integers(5, -3, 4)]).toEqual([2, -2, -3, -1, -2])
    expect([...g.uniform(2, -1, 1)]).toEqual([-0.9894693908688506, 0.6424568367655326])
    expect(g.permutation(8)).toEqual([4, 2, 0, 3, 5, 1, 6, 7])
    const far = [...g.normals(50_000)].filter((x) => Math.abs(x) > 3.6541528853610088)
    near(
      far,
      [
        -3.661081810206792, 4.06160631065189, 3.7631766765169505, 3.895566624599476, -4.233863398396944,
        -3.8904927890409873, -4.502222241099144, 3.7090686854390933, -3.6994138242191106, -3.728495994549145,
        -3.919315450051444, 3.7471816303269287,
      ],
    )
  })
  test('NumPy: integers below 3 * 2^30, of which a quarter are drawn again', () => {
    expect([...generators['numpy']!(3).integers(8, 0, 3 * 2 ** 30)]).toEqual([
      275895278, 578019063, 762820035, 584216872, 2581085717, 1875275178, 126913354, 1070096069,
    ])
  })
  test('NumPy before', () => {
    expect([...generators['numpy-legacy']!(7).normals(3)]).toEqual([
      1.690525703800356, -0.4659373705408328, 0.0328201636785844,
    ])
  })
})

// ---------------------------------------------------------------- a container of everything

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true })
})

/** An npy file as NumPy writes it, its head by hand. */
const npy = (descr: string, shape: string, bytes: Uint8Array): Uint8Array => {
  const head = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`
  const text = `\x93NUMPY\x01\x00\x76\x00${head.padEnd(117)}\n`
  return Uint8Array.from([...Array.from(text, (c) => c.charCodeAt(0)), ...bytes])
}
const bytes = (array: { readonly buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(array.buffer)
const normals = Float32Array.from(generators['numpy']!(11).normals(12))
const left = Float32Array.from([1, 2, 3, 4, 5, 6])
const right = Float32Array.from([1, -1, 0.5, 2, 4, 8])
// what is known of them is nearly right: an element of each is another, a zero has a sign, and one is no number
const altered = Float32Array.from(normals, (x, i) => (i === 4 ? -0 : i === 5 ? NaN : x))
const product = Float32Array.from([14, 27, 30.5, 54])
// three queries: the first sees the first value, the second the mean of two, the third looks at the second alone
const queries = Float32Array.from([0, 0, 0, 0, 0, 100])
const keys = Float32Array.from([1, 0, 0, 1, 0, 0])
const values = Float32Array.from([1, 2, 3, 5, 7, 11])
const attended = Float32Array.from([1, 2, 2, 3.5, 3, 5])

const drawnSet = (): { readonly root: string; readonly files: ReadonlyMap<string, Uint8Array> } => {
  const root = `${mkdtempSync(path.join(tmpdir(), 'tcspec-captures-'))}/`
  made.push(root)
  const files = new Map<string, Uint8Array>([
    ['one/words.txt', new TextEncoder().encode('what the chip said\n'.repeat(50))],
    ['one/drawn.npy', npy('<f4', '3, 4', bytes(normals))],
    ['one/altered.npy', npy('<f4', '3, 4', bytes(altered))],
    ['one/again.npy', npy('<f4', '3, 4', bytes(normals))],
    ['one/left.npy', npy('<f4', '2, 3', bytes(left))],
    ['one/right.npy', npy('<f4', '3, 2', bytes(right))],
    ['one/product.npy', npy('<f4', '2, 2', bytes(product))],
    ['one/q.npy', npy('<f4', '3, 2', bytes(queries))],
    ['one/k.npy', npy('<f4', '3, 2', bytes(keys))],
    ['one/v.npy', npy('<f4', '3, 2', bytes(values))],
    ['one/attended.npy', npy('<f4', '3, 2', bytes(attended))],
    ['one/none.bin', new Uint8Array(0)],
  ])
  mkdirSync(`${root}set/one`, { recursive: true })
  for (const [file, content] of files) writeFileSync(`${root}set/${file}`, content)
  const drawn = { descr: '<f4', shape: [3, 4], stream: 0, draw: 0 }
  const known: { readonly file: string; readonly known: object }[] = [
    { file: 'one/again.npy', known: drawn },
    { file: 'one/altered.npy', known: drawn },
    {
      file: 'one/product.npy',
      known: { descr: '<f4', shape: [2, 2], product: ['one/left.npy', 'one/right.npy'], right: 'kn' },
    },
  ]
  known.push({
    file: 'one/attended.npy',
    known: {
      descr: '<f4',
      shape: [3, 2],
      attention: ['one/q.npy', 'one/k.npy', 'one/v.npy'],
      scale: 1,
      causal: true,
    },
  })
  const streams = [{ by: 'numpy', seed: 11, draws: [{ shape: [3, 4], of: [['normal']] }] }]
  writeFileSync(`${root}set/archive.npz`, zipSync({ 'a.npy': files.get('one/left.npy')! }, { level: 9 }))
  writeFileSync(
    `${root}set.index.json`,
    JSON.stringify({ take: ['one/*', '*.npz', '!one/kept.txt'], streams, files: known }),
  )
  writeFileSync(`${root}set/one/kept.txt`, 'this one is not taken')
  pack('set', root)
  return { root, files }
}

describe('a container', () => {
  test('gives its files back, byte for byte; a file that lies twice in it has one frame', () => {
    const { root, files } = drawnSet()
    expect(unpack(root)).toBe(1) // the archive, which is stored now
    for (const file of files.keys()) rmSync(`${root}set/${file}`)
    rmSync(`${root}set/archive.npz`)
    expect(check(root)).toEqual([])
    expect(unpack(root)).toBe(files.size + 1)
    // as git leaves it where all of a folder is ignored
    rmSync(`${root}set`, { recursive: true })
    expect(check(root)).toEqual([])
    expect(unpack(root)).toBe(files.size + 1)
    for (const [file, content] of files)
      expect([file, new Uint8Array(readFileSync(`${root}set/${file}`))]).toEqual([file, content])
    expect(unpack(root)).toBe(0)
    expect(check(root)).toEqual([])
    const entries = indexOf(`file://${root}`, 'set').files
    // what is known is of use: but for what is altered nothing is left to say
    expect(entries.flatMap((e) => (e.known === undefined ? [] : [e.file]))).toEqual([
      'one/again.npy',
      'one/altered.npy',
      'one/attended.npy',
      'one/product.npy',
    ])
    const shared = entries.filter((e) => e.same !== undefined).map((e) => [e.file, e.same])
    expect(shared).toEqual([
      ['one/drawn.npy', 'one/again.npy'],
      ['one/left.npy', 'archive.npz:a'],
    ])
  })
  test('a changed bit of any frame is refused, and its file is named', () => {
    const { root } = drawnSet()
    unpack(root)
    const frames = readFileSync(`${root}set.frames`)
    const entries = indexOf(`file://${root}`, 'set').files.filter((e) => e.same === undefined)
    for (const { file, at = 0, length = 0 } of entries)
      for (const bit of [8 * at, 8 * (at + length) - 1]) {
        const damaged = Uint8Array.from(frames)
        damaged[bit >> 3]! ^= 1 << (bit & 7)
        writeFileSync(`${root}set.frames`, damaged)
        const said = `conformance/set: ${file}: bytes ${String(at)} to ${String(at + length)} of the frames are not those that the index names`
        expect(check(root)).toEqual([said])
        expect(() => unpack(root)).toThrow(said)
      }
    writeFileSync(`${root}set.frames`, frames.subarray(0, -1))
    expect(check(root)).toHaveLength(1)
  })
  test('a changed seed, or another checksum, is refused where the file is made', () => {
    for (const [from, to] of [
      ['"seed":11', '"seed":12'],
      ['"product":["one/left.npy","one/right.npy"]', '"product":["one/right.npy","one/left.npy"]'],
    ] as const) {
      const { root } = drawnSet()
      const index = readFileSync(`${root}set.index.json`, 'utf8')
      expect(index).toContain(from)
      writeFileSync(`${root}set.index.json`, index.replace(from, to))
      expect(check(root)).toEqual([
        expect.stringMatching(/^conformance\/set: one\/\w+\.npy: expected the SHA-256/u),
      ])
    }
  })
  test('a file that lies there and is another is named, and made again; one that no index names is named', () => {
    const { root, files } = drawnSet()
    unpack(root)
    writeFileSync(`${root}set/one/left.npy`, files.get('one/right.npy')!)
    writeFileSync(`${root}set/one/new.npy`, files.get('one/right.npy')!)
    expect(check(root)).toEqual([
      'conformance/set/one/new.npy: not in the index; pack set',
      'conformance/set/one/left.npy: not as the index says; unpack makes it again, pack keeps it',
    ])
    expect(unpack(root)).toBe(1)
    expect(new Uint8Array(readFileSync(`${root}set/one/left.npy`))).toEqual(files.get('one/left.npy'))
  })
})

describe('the containers of conformance', () => {
  test.runIf(nightly)('hold everything as it was captured', () => {
    expect(check()).toEqual([])
  })
  test('what is said to be drawn is drawn: nothing is left to say of it', () => {
    const long = names.flatMap((name) =>
      indexOf(conformance, name).files.filter(
        ({ known, length = 0 }) =>
          known?.stream !== undefined && length > 160 + known.shape!.reduce((x, y) => x * y, 1) / 50,
      ),
    )
    expect(long).toEqual([])
  })
  test('git leaves out what they take', () => {
    expect(readFileSync(new URL('.gitignore', conformance), 'utf8')).toBe(ignored())
  })
})
