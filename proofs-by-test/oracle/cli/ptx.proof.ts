/** PTX from the command line: right kernels of CUDA C++ are ok and equal to the chip, their broken twins are found at the line. */
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { faults, filesOf, kernelNames, type Fault } from '../../dialects/ptx/cuda.js'
import type { World } from '../../../src/oracle/cli/command.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url)
const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(path, folder)))

/** A world that has the files of one kernel. */
const worldWith = (kernel: string): World =>
  worldOf(inMemory(new Map(filesOf(kernel).map((file) => [file, bytesOf(`${kernel}/${file}`)]))))

const verdictOf = (kernel: string, file: string): Verdict => {
  const report = right(checkPtx(worldWith(kernel), file, { launch: 'launch.json' }))
  return report.json() as Verdict
}

/** Kernels whose verdict takes more than a second: by night. What they leave is compared by day, too (`dialects/ptx/cuda-runs.proof.ts`). */
const slow = new Set(['cxx_pipeline', 'last_block'])
/** Those of which a twin takes a third of a second and more. */
const slowTwins = new Set([
  ...slow,
  'cluster_bins',
  'wmma_tile',
  'cpasync_stages',
  'matmul_f32',
  'mma_ldmatrix',
])

describe('right kernels', () => {
  // by day every second
  for (const kernel of sampled(
    1,
    kernelNames.filter((name) => nightly || !slow.has(name)),
  ))
    it(`${kernel} is ok, and leaves what the chip left`, () => {
      const report = right(runPtx(worldWith(kernel), `${kernel}.ptx`, { launch: 'launch.json' }))
      const verdict = report.json() as Verdict
      expect(verdict.verdict, verdict.reason).toBe('ok')
      expect(report.text().match(/^compared.* 0 of/gmu)?.length ?? 0).toBeGreaterThan(0)
    })
})

/** Barriers that only some threads of a warp reach: a chip waits for those that do, PTX demands all of them, and a note says so. */
const divided = (v: Verdict): Verdict['notes'] => v.notes.filter(({ id }) => id === 'N5')

/** The lines of the source that a verdict speaks of. */
const linesOf = (v: Verdict, source: string): ReadonlyArray<number> => {
  const words = [
    v.reason,
    ...[...v.findings, ...divided(v)].flatMap(({ a, b, text }) => [a.loc ?? '', b?.loc ?? '', text]),
    ...v.waitFor,
  ].join(' ')
  const name = (source.split('/').pop() ?? source).replaceAll('.', '\\.')
  return [...words.matchAll(new RegExp(`${name}:(\\d+)`, 'gu'))].map((m) => Number(m[1]))
}

/** Twins that are not found, or not at the line, and why. */
const missed: ReadonlyMap<string, string> = new Map([
  ['calls 2', 'the array that is left holds nothing, which the condition of the next line finds'],
  ['own_cpasync 6', 'a register that nothing has written comes to memory that nothing reads'],
])

const nameOf = (f: Fault): string => `${f.kernel} ${String(f.twin)}`

describe('broken twins', () => {
  // by day the first of every second kernel that is quick, and those that are missed
  const broken = [...new Set(faults.map((f: Fault) => f.kernel))]
  for (const kernel of sampled(
    1,
    broken.filter((name) => nightly || !slowTwins.has(name)),
  ))
    it(kernel, () => {
      const twins = faults.filter((one) => one.kernel === kernel)
      for (const f of twins.filter((one, k) => nightly || k === 0 || missed.has(nameOf(one)))) {
        const file = f.ptx.split('/').pop()!
        const v = verdictOf(kernel, file)
        const told = v.verdict !== 'ok' || (f.kind === 'divergent-barrier' && divided(v).length > 0)
        const found = told && f.lines.some((line) => linesOf(v, f.source).includes(line))
        expect(
          found ? 'found' : 'missed',
          `${kernel} twin ${String(f.twin)} (${f.kind}): ${v.verdict}, ${v.reason}`,
        ).toBe(missed.has(nameOf(f)) ? 'missed' : 'found')
      }
    })
})

test('bad input is one line, and 2', async () => {
  const files = new Map(filesOf('collatz').map((file) => [file, bytesOf(`collatz/${file}`)]))
  const text = (of: string): Uint8Array => new TextEncoder().encode(of)
  const launch = Buffer.from(bytesOf('collatz/launch.json')).toString()
  const changed = (from: string | RegExp, to: string): Uint8Array => {
    expect(launch).toMatch(from)
    return text(launch.replace(from, to))
  }
  files.set('grid.json', changed(/"grid": \[\d+/u, '"grid": [0'))
  files.set('shared.json', changed('"shared": 0', '"shared": 300000'))
  files.set('block.json', changed(/"block": \[\d+/u, '"block": [2048'))
  files.set('entry.json', changed('"kernel": "collatz"', '"kernel": "other"'))
  files.set('few.json', changed(/"args": \[[^\n]*\n[^\n]*\n/u, '"args": [\n'))
  files.set(
    'not.ptx',
    text('.version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry collatz() { frob.b32 %r1; }'),
  )
  const said = running(worldOf(inMemory(files)))
  const asked: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [['collatz.ptx'], /--launch/u],
    [['collatz.ptx', '--launch', 'nowhere.json'], /nowhere\.json/u],
    [['collatz.ptx', '--launch', 'collatz.ptx'], /not JSON/u],
    [['launch.json', '--launch', 'launch.json'], /./u],
    [['collatz.ptx', '--launch', 'grid.json'], /grid/u],
    [['collatz.ptx', '--launch', 'shared.json'], /shared memory/u],
    [['collatz.ptx', '--launch', 'block.json'], /expected 1 to 1024 along x, found 2048/u],
    [['collatz.ptx', '--launch', 'entry.json'], /no entry other/u],
    [['collatz.ptx', '--launch', 'few.json'], /arguments/u],
    [['not.ptx', '--launch', 'launch.json'], /not\.ptx:4:\d+: /u],
    [['collatz.ptx', '--launch', 'launch.json', '--mend', '1'], /--mend/u],
  ]
  for (const [words, why] of asked)
    for (const command of nightly ? ['check', 'run'] : ['check']) {
      if (command === 'run' && words.includes('--mend')) continue
      const { status, stderr, stdout } = await said(command, ...words)
      expect([status, stdout, stderr.trim().split('\n').length, stderr], words.join(' ')).toEqual([
        2,
        '',
        1,
        stderr,
      ])
      expect(stderr).toMatch(why)
    }
})
