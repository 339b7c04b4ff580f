/**
 * Predictions against a chip: launches of `conformance/hopper/timing` on an H200.
 *
 * By night: the launches that were kept back when numbers were fitted, their mean error and the order of their pairs, which are printed. By day the launches are looked at, and none
 * is run.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { running, worldOf } from '../../oracle/world.js'

const folder = new URL('../../../conformance/hopper/timing/', import.meta.url)

interface Launch {
  readonly name: string
  readonly kernel: string
  readonly grid: ReadonlyArray<number>
  readonly shared: number
  readonly registers: number
  readonly args: ReadonlyArray<readonly [name: string, size: number] | readonly [string, 'i' | 'f', number]>
  readonly us: number
  readonly held: boolean
}
const launches = JSON.parse(
  fs.readFileSync(new URL('launches.json', folder), 'utf8'),
) as ReadonlyArray<Launch>

/** What a launch of Triton brings: tensors, of which those called c and o are written, numbers, and memory for its tensor maps. */
const argumentsOf = ({ args }: Launch): ReadonlyArray<string> => [
  ...args.map((a, i) =>
    a.length === 3
      ? `${String(i)}=${String(a[2])}`
      : `${String(i)}=f16[${String(a[1])}]${a[0] === 'c' || a[0] === 'o' ? ':out' : ''}`,
  ),
  `${String(args.length)}=u8[4194304]:out`,
  `${String(args.length + 1)}=u8[16]:out`,
]

interface Asked {
  readonly name: string
  readonly kernel: string
  readonly grid: string
  readonly shared: number
  readonly registers: number
  readonly more: ReadonlyArray<string>
}

const predictedOn = async (
  chip: string,
  { name, kernel, grid, shared, registers, more }: Asked,
): Promise<{ readonly microseconds: number; readonly cycles: number }> => {
  const ptx = gunzipSync(fs.readFileSync(new URL(`ptx/${kernel}.ptx.gz`, folder)))
  const run = running(worldOf(inMemory(new Map([['k.ptx', new Uint8Array(ptx)]]))))
  const { status, stdout, stderr } = await run(
    ...['time', 'k.ptx', '--chip', chip, '--json', '--registers', String(registers)],
    ...['--grid', grid, '--shared', String(shared), ...more],
  )
  expect([name, status, stderr]).toEqual([name, 0, ''])
  return JSON.parse(stdout) as { readonly microseconds: number; readonly cycles: number }
}
const predicted = async (asked: Asked): Promise<number> => (await predictedOn('h200', asked)).microseconds

const launched = (l: Launch): Asked => ({
  name: l.name,
  kernel: l.kernel,
  grid: l.grid.join(','),
  shared: l.shared,
  registers: l.registers,
  more: ['--arg', ...argumentsOf(l)],
})

/** A launch of a product of `fourth.cu`. */
interface Product {
  readonly name: string
  readonly kernel: string
  readonly grid: number
  readonly threads: number
  readonly shared: number
  readonly registers: number
  readonly M: number
  readonly N: number
  readonly K: number
  readonly bm: number
  readonly n: number
  readonly pair: number
  readonly rows: number
  readonly columns: number
  readonly steps: number
  readonly stages: number
  readonly wide: number
  readonly data: string
  readonly warm: number
  readonly held: boolean
}
const products = JSON.parse(
  fs.readFileSync(new URL('products.json', folder), 'utf8'),
) as ReadonlyArray<Product>

const multiplied = (p: Product): Asked => {
  const box = (rows: number): string => `block=${String(rows)},64:swizzle=128`
  const matrix = (rows: number, columns: number): string => `f16[${String(rows)},${String(columns)}]`
  const numbers = [p.rows, p.columns, p.steps, p.stages, p.wide]
  return {
    name: p.name,
    kernel: p.kernel,
    grid: String(p.grid),
    shared: p.shared,
    registers: p.registers,
    more: [
      ...['--block', String(p.threads), '--arg'],
      `0=${matrix(p.M, p.K)}:${box(Math.min(128, p.bm) / p.pair)}`,
      `1=${matrix(p.N, p.K)}:${box(p.n)}`,
      `2=${matrix(p.M, p.N)}:${box(64)}:out`,
      `3=${matrix(p.M, p.N)}:out`,
      ...numbers.map((x, i) => `${String(4 + i)}=${String(x)}`),
    ],
  }
}

/** Of products as large as these, operands do not stay in L2 from one launch to the next; smaller ones differ from run to run. */
const large = 2 ** 36

interface Judged {
  readonly mean: number
  readonly worst: number
  readonly pairs: number
  readonly right: number
}

/** How far predictions are off, and how many pairs that differ by more than 3 % are in the right order. */
const judged = (times: ReadonlyArray<{ readonly us: number; readonly guess: number }>): Judged => {
  const errors = times.map(({ us, guess }) => Math.abs(guess / us - 1))
  const pairs = times.flatMap((a, i) =>
    times
      .slice(i + 1)
      .filter((b) => Math.abs(a.us / b.us - 1) > 0.03)
      .map((b) => [a, b] as const),
  )
  return {
    mean: errors.reduce((sum, e) => sum + e, 0) / errors.length,
    worst: errors.reduce((most, e) => Math.max(most, e), 0),
    pairs: pairs.length,
    right: pairs.filter(([a, b]) => a.us < b.us === a.guess < b.guess).length,
  }
}

const judgedAndSaid = (
  what: string,
  times: ReadonlyArray<{ readonly us: number; readonly guess: number }>,
): Judged => {
  const j = judged(times)
  const percent = (x: number): string => `${(100 * x).toFixed(1)} %`
  process.stdout.write(
    `${what}: ${String(times.length)} launches, mean error ${percent(j.mean)}, worst ${percent(j.worst)}; ${String(j.right)} of ${String(j.pairs)} pairs in the right order\n`,
  )
  return j
}

describe('launches of an H200', () => {
  it('half of them are kept back, and each has its PTX', () => {
    const held = launches.filter((l) => l.held).length
    expect(held).toBeGreaterThan(0.4 * launches.length)
    expect(held).toBeLessThan(0.6 * launches.length)
    for (const { kernel } of launches)
      expect(fs.existsSync(new URL(`ptx/${kernel}.ptx.gz`, folder)), kernel).toBe(true)
  })

  it('each file that the README names is there, and each capture is named', () => {
    const named = [
      ...fs
        .readFileSync(new URL('README.md', folder), 'utf8')
        .matchAll(/`([a-z]+\.(?:cu|cuh|py|json|jsonl))`/g),
    ].map(([, name]) => name!)
    const there = fs.readdirSync(folder)
    expect(named.filter((name) => !there.includes(name))).toEqual([])
    expect(there.filter((name) => name.endsWith('.jsonl') && !named.includes(name))).toEqual([])
  })

  it.runIf(nightly)(
    'of those that were kept back, every fourth: a mean error of at most a fifth, four pairs of five in the right order',
    async () => {
      const held = launches.filter((l) => l.held).filter((_, i) => i % 4 === 0)
      const times: { readonly us: number; readonly guess: number }[] = []
      for (const launch of held) times.push({ us: launch.us, guess: await predicted(launched(launch)) })
      const { mean, right, pairs } = judgedAndSaid('launches of Triton kernels, kept back', times)
      expect(mean).toBeLessThan(0.2)
      expect(right / pairs).toBeGreaterThan(0.8)
    },
    1_800_000,
  )
})

describe('products in CUDA C++', () => {
  it('what is kept back is by the name, and each has its PTX', () => {
    for (const { name, kernel, held } of products) {
      expect(held, name).toBe(createHash('sha256').update(name).digest()[0]! % 2 === 1)
      expect(fs.existsSync(new URL(`ptx/${kernel}.ptx.gz`, folder)), kernel).toBe(true)
    }
  })

  it('pairs that differ by three per cent and less do not count', () => {
    const at = (us: number, guess: number): { readonly us: number; readonly guess: number } => ({ us, guess })
    expect(judged([at(100, 110), at(102, 100), at(200, 180), at(300, 150)])).toEqual({
      mean: expect.closeTo((0.1 + 2 / 102 + 0.1 + 0.5) / 4, 9) as number,
      worst: 0.5,
      pairs: 5,
      right: 4,
    })
  })

  it('descriptors that a loop computes are brought where all lanes share them: sixteen words for four products', async () => {
    // one tile of 64 x 64, and as many stages as steps, so that nothing is waited for; an assembler writes sixteen R2UR in each turn of the loop
    const steps = 4
    const one: Product = Object.assign(
      {},
      products.find((p) => p.kernel === 'product_64_1_1_2')!,
      {
        ...{
          grid: 1,
          shared: 100_000,
          M: 64,
          N: 64,
          K: 64 * steps,
          rows: 1,
          columns: 1,
          steps,
          stages: steps,
          wide: 1,
        },
      },
    )
    const cycles = async (word: number): Promise<number> =>
      (await predictedOn(`h200:wgmma.descriptor=${String(word)}`, multiplied(one))).cycles
    const moved = ((await cycles(3000)) - (await cycles(1000))) / 2000
    expect(moved).toBeCloseTo(16 * steps, 0)
  })

  it.runIf(nightly)(
    'of the large ones that were kept back: a mean error of at most a fifth, four pairs of five in the right order',
    async () => {
      const held = products.filter(
        ({ M, N, K, data, held }) => held && data === 'normal' && M * N * K >= large,
      )
      const times: { readonly us: number; readonly guess: number }[] = []
      for (const product of held)
        times.push({ us: product.warm, guess: await predicted(multiplied(product)) })
      const { mean, right, pairs } = judgedAndSaid('products in CUDA C++, kept back', times)
      expect(mean).toBeLessThan(0.2)
      expect(right / pairs).toBeGreaterThan(0.8)
    },
    1_800_000,
  )
})
