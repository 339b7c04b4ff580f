/**
 * Predictions against a chip: launches of `conformance/hopper/timing` on an H200.
 *
 * By night: the launches that were kept back when numbers were fitted, their mean error and the order of their pairs. By day the launches are looked at, and none is run.
 */
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

const predicted = async (launch: Launch): Promise<number> => {
  const ptx = gunzipSync(fs.readFileSync(new URL(`ptx/${launch.kernel}.ptx.gz`, folder)))
  const run = running(worldOf(inMemory(new Map([['k.ptx', new Uint8Array(ptx)]]))))
  const { status, stdout, stderr } = await run(
    ...['time', 'k.ptx', '--chip', 'h200', '--json', '--registers', String(launch.registers)],
    ...['--grid', launch.grid.join(','), '--shared', String(launch.shared), '--arg', ...argumentsOf(launch)],
  )
  expect([launch.name, status, stderr]).toEqual([launch.name, 0, ''])
  const { microseconds } = JSON.parse(stdout) as { readonly microseconds: number }
  return microseconds
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
      for (const launch of held) times.push({ us: launch.us, guess: await predicted(launch) })
      const mean = times.reduce((sum, { us, guess }) => sum + Math.abs(guess / us - 1), 0) / times.length
      const pairs = times.flatMap((a, i) =>
        times
          .slice(i + 1)
          .filter((b) => Math.abs(a.us / b.us - 1) > 0.03)
          .map((b) => [a, b] as const),
      )
      const right = pairs.filter(([a, b]) => a.us < b.us === a.guess < b.guess)
      expect(mean).toBeLessThan(0.2)
      expect(right.length / pairs.length).toBeGreaterThan(0.8)
    },
    1_800_000,
  )
})
