/**
 * Lanes are threads: kernels of one warp, or of its lanes against another agent, with a __syncwarp() and without it. The first lines of each source say its verdict, and its
 * marks the lines that a finding names.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Finding } from '../../../src/semantics/judging/finding.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const here = new URL('./threads/', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, here), 'utf8')

const words = (data: ReadonlyArray<number>): Uint8Array =>
  right(encodeNpy({ descr: 'u4', shape: [data.length], data: new Uint8Array(Uint32Array.from(data).buffer) }))
const zeros = (n: number): Uint8Array => words(new Array<number>(n).fill(0))

interface Launch {
  readonly grid: string
  readonly block: string
  readonly arg: ReadonlyArray<string>
}
const launches: Readonly<Record<string, Launch>> = {
  lanes: {
    grid: '2',
    block: '64',
    arg: ['0=z32.npy:inout', '1=z1.npy:inout', '2=u32[32]:out', '3=u32[512]'],
  },
  warp: { grid: '1', block: '32', arg: ['0=i32.npy', '1=u32[32]:out'] },
  words: { grid: '1', block: '64', arg: ['0=z32.npy:inout', '1=z32.npy:inout', '2=u32[32]:out'] },
}
const tensors = new Map([
  ['z32.npy', zeros(32)],
  ['z1.npy', zeros(1)],
  ['i32.npy', words(Array.from({ length: 32 }, (_, i) => i))],
])

const verdictOf = (kernel: string, variant: number, schedule: string): Verdict => {
  const file = `${kernel}${String(variant)}.ptx`
  const files = new Map([...tensors, [file, new TextEncoder().encode(read(file))]])
  return right(
    checkPtx(worldOf(inMemory(files)), file, { entry: kernel, schedule, ...launches[kernel] }),
  ).json() as Verdict
}

interface Variant {
  readonly kernel: string
  readonly variant: number
  readonly verdict: string
  readonly about: string
  /** lines of the source */
  readonly marked: ReadonlyArray<number>
}

const variants: ReadonlyArray<Variant> = Object.keys(launches).flatMap((kernel) => {
  const lines = read(`${kernel}.cu`).split('\n')
  return lines.flatMap((line): ReadonlyArray<Variant> => {
    const [, n, verdict, about] = /^\/\/ V(\d): (ok|hazard): (.*)$/.exec(line) ?? []
    if (n === undefined) return []
    const marked = lines.flatMap((l, i) =>
      (/\/\/@([\d ]+)$/.exec(l)?.[1]?.split(' ') ?? []).includes(n) ? [i + 1] : [],
    )
    return [{ kernel, variant: Number(n), verdict: verdict!, about: about!, marked }]
  })
})

/** Lines of the source at both sides of a finding. */
const linesOf = (kernel: string, f: Finding): ReadonlyArray<number> =>
  [f.a, f.b].flatMap((o) => {
    const [, line] = new RegExp(`^${kernel}\\.cu:(\\d+):`).exec(o?.loc ?? '') ?? []
    return line === undefined ? [] : [Number(line)]
  })

const schedules = ['eager', 'lazy', 'roundrobin', 'seeded:1', 'seeded:2']

/** It acquires once and stores nothing else where the word is not set: what it stores depends on the order, and a note says so. */
const asksOnce = 4

describe('lanes are threads', () => {
  test('nine variants of each', () => {
    expect(variants.map(({ kernel, variant }) => `${kernel}${String(variant)}`)).toEqual(
      Object.keys(launches).flatMap((kernel) => Array.from({ length: 9 }, (_, n) => `${kernel}${String(n)}`)),
    )
  })
  // the order of votes over a flag that is polled: its search is most of the file's time
  const isLong = ({ kernel, variant }: Variant): boolean => kernel === 'words' && variant === 6
  test.each(
    variants
      .filter((v) => nightly || !isLong(v))
      .map((v) => [`${v.kernel} ${String(v.variant)}: ${v.verdict}: ${v.about}`, v] as const),
  )('%s', (_, { kernel, variant, verdict, marked }) => {
    for (const schedule of nightly ? schedules : [schedules[variant % 2]!]) {
      const found = verdictOf(kernel, variant, schedule)
      expect([schedule, found.verdict]).toEqual([schedule, verdict])
      if (verdict === 'ok')
        expect([found.findings, found.notes.map(({ id }) => id)]).toEqual([
          [],
          kernel === 'words' && variant === asksOnce ? ['N1'] : [],
        ])
      else {
        const named = new Set(found.findings.flatMap((f) => linesOf(kernel, f)))
        expect([schedule, marked.filter((line) => !named.has(line))]).toEqual([schedule, []])
      }
    }
  })
})

describe('two lanes at one place, of data that are not known', () => {
  test('may store what they differ in', () => {
    const file = 'warp7.ptx'
    const files = new Map([[file, new TextEncoder().encode(read(file))]])
    const v = right(
      checkPtx(worldOf(inMemory(files)), file, {
        entry: 'warp',
        grid: '1',
        block: '32',
        arg: ['0=u32[32]', '1=u32[32]:out'],
      }),
    ).json() as Verdict
    expect([v.verdict, v.findings[0]?.id]).toEqual(['hazard', 'D5'])
  })
})
