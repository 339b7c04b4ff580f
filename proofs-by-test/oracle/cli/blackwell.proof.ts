/**
 * Kernels of our own for sm_100 (`conformance/blackwell/cuda`) from the command line: ok, and equal to what they are written to compute; their broken twins are found at the line.
 * Oracle: sums of small whole numbers, and the lines that the sources mark.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { World } from '../../../src/oracle/cli/command.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import type { Fault } from '../../dialects/ptx/cuda.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const folder = new URL('../../../conformance/blackwell/cuda/', import.meta.url)
const faults = JSON.parse(readFileSync(new URL('faults.json', folder), 'utf8')) as ReadonlyArray<Fault>

const worldWith = (kernel: string): World =>
  worldOf(
    inMemory(
      new Map(
        readdirSync(new URL(`${kernel}/`, folder)).map(
          (file) => [file, new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder)))] as const,
        ),
      ),
    ),
  )

const kernels: ReadonlyArray<string> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Kernels that take a second or two for each of their twins. */
const slow = new Set(['tcgen_matmul', 'tcgen_pair'])

describe('right kernels', () => {
  it.each(kernels.filter((k) => nightly || k !== 'tcgen_pair'))('%s', (kernel) => {
    const report = right(runPtx(worldWith(kernel), `${kernel}.ptx`, { launch: 'launch.json' }))
    const verdict = report.json() as Verdict
    expect(verdict.verdict, verdict.reason).toBe('ok')
    expect(report.text()).toMatch(/^compared.* 0 of/mu)
  })
})

/** The lines of the source that a verdict speaks of. */
const linesOf = (v: Verdict, kernel: string): ReadonlyArray<number> => {
  const words = [
    v.reason,
    ...v.findings.flatMap(({ a, b, text }) => [a.loc ?? '', b?.loc ?? '', text]),
    ...v.waitFor,
  ].join(' ')
  return [...words.matchAll(new RegExp(`${kernel}\\.cu:(\\d+)`, 'gu'))].map((m) => Number(m[1]))
}

describe('broken twins', () => {
  it.each(faults.filter((f) => nightly || !slow.has(f.kernel)))(
    '$kernel $twin: $about',
    ({ kernel, ptx, lines }) => {
      const v = right(
        checkPtx(worldWith(kernel), ptx.split('/').pop()!, { launch: 'launch.json' }),
      ).json() as Verdict
      expect(v.verdict).not.toBe('ok')
      expect(
        linesOf(v, kernel).some((line) => lines.includes(line)),
        `${v.verdict}: ${v.reason}`,
      ).toBe(true)
    },
  )
})
