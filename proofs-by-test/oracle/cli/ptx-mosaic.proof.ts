/**
 * PTX that Mosaic GPU makes of Pallas kernels of ours: right kernels are ok and leave what an H100 left, bit for bit; their twins are found at a line that the source marks.
 *
 * The oracle is the chip (`conformance/hopper/mosaic`), and for the lines the mark `#: named` in the source of a pair, which was set for the jaxpr.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import type { World } from '../../../src/oracle/cli/command.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/mosaic/', import.meta.url)
const pairs = new URL('../../../python/kernels/pairs/', import.meta.url)

const kernels: ReadonlyArray<string> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
const filesOf = (kernel: string): ReadonlyArray<string> => readdirSync(new URL(`${kernel}/`, folder))
const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(path, folder)))
const worldWith = (kernel: string): World =>
  worldOf(inMemory(new Map(filesOf(kernel).map((file) => [file, bytesOf(`${kernel}/${file}`)]))))

/** Right kernels of which another thing is said, and why. */
const otherwise: ReadonlyMap<string, string> = new Map([
  // semaphore_signal_parallel becomes `red.relaxed` with its `fence.release` behind it, which orders no write before it
  ['semaphore_count', 'hazard'],
  // what a test of a barrier says decides something, and the search of the schedules ends at its bound
  ['tested_barrier', 'undecided'],
])

/** Of the largest, by night. */
const large = new Set(['attention', 'cluster_matmul', 'matmul'])

describe('what an H100 left', () => {
  for (const kernel of sampled(
    3,
    kernels.filter((name) => nightly || !large.has(name)),
  ))
    it(`${kernel} leaves it, bit for bit, and is ok`, () => {
      const report = right(runPtx(worldWith(kernel), `${kernel}.ptx`, { launch: 'launch.json' }))
      const verdict = report.json() as Verdict
      expect(verdict.verdict, verdict.reason).toBe(otherwise.get(kernel) ?? 'ok')
      const compared = report.text().match(/^compared.*$/gmu) ?? []
      expect(compared.length).toBeGreaterThan(0)
      for (const line of compared) expect(line).toMatch(/ 0 of/u)
    })
})

/** The lines of the source that a verdict speaks of. */
const linesOf = (v: Verdict, source: string): ReadonlyArray<number> => {
  const words = [
    v.reason,
    ...v.findings.flatMap(({ a, b, text }) => [a.loc ?? '', b?.loc ?? '', text]),
    ...v.waitFor,
  ].join(' ')
  return [...words.matchAll(new RegExp(`${source}\\.py:(\\d+)`, 'gu'))].map((m) => Number(m[1]))
}

const named = (kernel: string): ReadonlyArray<number> =>
  readFileSync(new URL(`${kernel}.py`, pairs), 'utf8')
    .split('\n')
    .flatMap((line, k) => (line.trimEnd().endsWith('#: named') ? [k + 1] : []))

describe('broken twins', () => {
  for (const kernel of sampled(
    4,
    kernels.filter((name) => filesOf(name).includes('broken.ptx')),
  ))
    it(kernel, () => {
      const v = right(checkPtx(worldWith(kernel), 'broken.ptx', { launch: 'launch.json' })).json() as Verdict
      const lines = linesOf(v, kernel)
      expect(v.verdict, v.reason).not.toBe('ok')
      expect(
        lines.filter((line) => named(kernel).includes(line)),
        `${lines.join()}: ${v.reason}`,
      ).not.toEqual([])
    })
})
