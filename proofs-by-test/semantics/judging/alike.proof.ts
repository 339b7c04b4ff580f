/** Findings that are alike. Oracle: the findings themselves, counted by hand over their ids and lines; and the broken twins of CUDA C++ kernels. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import { grouped } from '../../../src/semantics/judging/alike.js'
import type { Operation } from '../../../src/semantics/judging/finding.js'
import type { ReplayableFinding, Verdict } from '../../../src/semantics/judging/verdict.js'
import { filesOf } from '../../dialects/ptx/cuda.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url)

const reportOf = (kernel: string, file: string) =>
  right(
    checkPtx(
      worldOf(
        inMemory(
          new Map(
            filesOf(kernel).map((f) => [f, new Uint8Array(readFileSync(new URL(`${kernel}/${f}`, folder)))]),
          ),
        ),
      ),
      file,
      { launch: 'launch.json' },
    ),
  )

const operation = (agent: number, loc?: string): Operation => {
  const bare: Operation = {
    index: agent,
    agent: `warp ${String(agent)}@0`,
    site: 's',
    path: [],
    iteration: [],
    at: agent + 1,
    does: 'reads',
  }
  return loc === undefined ? bare : { ...bare, loc }
}
const finding = (id: 'D1' | 'R1', a: Operation, b?: Operation): ReplayableFinding => ({
  id,
  severity: 'E',
  text: id,
  schedule: 0,
  a,
  ...(b === undefined ? {} : { b }),
})
const ofFindings = (verdict: Verdict, findings: ReadonlyArray<ReplayableFinding>): Verdict => ({
  ...verdict,
  findings,
})

describe('by hand', () => {
  const verdict = reportOf('block_reduce', 'block_reduce.ptx').json() as Verdict
  test('one id between one pair of lines, either way round, whatever the columns', () => {
    const all = [
      finding('D1', operation(0, 'k.cu:21:3'), operation(1, 'k.cu:32:5')),
      finding('D1', operation(2, 'k.cu:32:7'), operation(3, 'k.cu:21:3')),
      finding('R1', operation(0, 'k.cu:21:3'), operation(1, 'k.cu:32:5')),
      finding('D1', operation(0, 'k.cu:21:3')),
      finding('D1', operation(4, 'k.cu:21:3'), operation(5, 'k.cu:32:5')),
    ]
    const [first, ...others] = grouped(ofFindings(verdict, all)).findings
    expect(first).toEqual({
      ...all[0],
      alike: [
        { schedule: 0, a: all[1]!.a, b: all[1]!.b },
        { schedule: 0, a: all[4]!.a, b: all[4]!.b },
      ],
    })
    expect(others).toEqual([all[2], all[3]])
  })
  test('law 2: what has no line is alike to nothing', () => {
    const all = [0, 1].map((agent) => finding('D1', operation(agent), operation(agent + 2, 'k.cu:32:5')))
    expect(grouped(ofFindings(verdict, all)).findings).toEqual(all)
  })
})

test('a missing __syncthreads is told once for each pair of lines', () => {
  const report = reportOf('transpose', 'broken1.ptx')
  const { findings } = report.json() as Verdict
  const lines = (o: Operation | undefined): string => o?.loc?.replace(/:\d+$/u, '') ?? ''
  const keys = findings.map(({ id, a, b }) => `${id} ${[lines(a), lines(b)].sort().join(' ')}`)
  expect(new Set(keys).size).toBe(keys.length)
  const alike = findings.flatMap((f) => f.alike ?? [])
  expect(alike.length).toBeGreaterThan(10)
  expect(findings.length).toBeLessThan(4)
  for (const { a, b, place } of alike)
    expect([a.at > 0, (b?.at ?? 1) > 0, place !== undefined]).toEqual([true, true, true])
  expect(report.text()).toMatch(/alike +\d+ more between these lines: warp /u)
  // the array that is not waited for, as its author called it
  expect(findings[0]!.place?.within?.map(({ name }) => name)).toEqual(['tile'])
})
