/** Kernels of warpgroups from the command line: the right one is ok and leaves what an H100 left, its broken twins are found at a line of the fault. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { World } from '../../../src/oracle/cli/command.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import type { Fault } from '../../dialects/ptx/cuda.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/warpgroups/', import.meta.url)
const faults = JSON.parse(readFileSync(new URL('faults.json', folder), 'utf8')) as ReadonlyArray<Fault>
const kernels = [...new Set(faults.map(({ kernel }) => kernel))]

const worldWith = (kernel: string): World =>
  worldOf(
    inMemory(
      new Map(
        readdirSync(new URL(`${kernel}/`, folder)).map((file) => [
          file,
          new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder))),
        ]),
      ),
    ),
  )

const linesOf = (v: Verdict, source: string): ReadonlyArray<number> => {
  const words = [
    v.reason,
    ...v.findings.flatMap(({ a, b, text }) => [a.loc ?? '', b?.loc ?? '', text]),
    ...v.waitFor,
  ].join(' ')
  const name = source.split('/').pop()!.replaceAll('.', '\\.')
  return [...words.matchAll(new RegExp(`${name}:(\\d+)`, 'gu'))].map((m) => Number(m[1]))
}

describe('right kernels', () => {
  it.each(sampled(9, kernels))('%s', (kernel) => {
    const report = right(runPtx(worldWith(kernel), `${kernel}.ptx`, { launch: 'launch.json' }))
    const verdict = report.json() as Verdict
    expect(verdict.verdict, verdict.reason).toBe('ok')
    expect(report.text()).toMatch(/^compared.* 0 of/mu)
  })
})

describe('broken twins', () => {
  // by day the quickest
  const quick = faults.filter(({ kernel, twin }) => kernel === 'stream_k' && twin === 4)
  it.each((nightly ? faults : quick).map((f) => [`${f.kernel} ${String(f.twin)}: ${f.about}`, f] as const))(
    '%s',
    (_, f) => {
      const file = f.ptx.split('/').pop()!
      const v = right(checkPtx(worldWith(f.kernel), file, { launch: 'launch.json' })).json() as Verdict
      expect(v.verdict).not.toBe('ok')
      expect(
        linesOf(v, f.source).filter((line) => f.lines.includes(line)),
        v.reason,
      ).not.toEqual([])
    },
  )
})
