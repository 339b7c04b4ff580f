/** `--mend N`: the verdict of the mended program, in the terminal's text, in the document, by `serve`, and in the recording of `view`. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { silent, type Outcome, type World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import type { Recording } from '../../../src/render/recording/model.js'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'

const world: World = {
  files: inMemory(new Map()),
  version: '0',
  colours: false,
  clock: () => 0,
  progress: () => silent,
  conformance: null,
}
const said = (...argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, world)(argv)()
const verdictOf = async (...argv: ReadonlyArray<string>): Promise<Verdict> =>
  right(decodeVerdict(JSON.parse((await said('check', ...argv, '--json')).stdout)))

describe('check --mend', () => {
  test('R1: the wait is added, the program is ok, and one line says what was added and where', async () => {
    const { status, stdout } = await said('check', 'zoo/R1', '--mend', '1')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^verdict +ok/m)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'mended R1 (finding 1 of a verdict that was hazard), fix (checked): mbarrier.wait barrier=@full parity=0 acquire=true scope="cta" before `read s` of consumer conditions',
    )
    const verdict = await verdictOf('zoo/R1', '--mend', '1')
    expect(verdict.verdict).toBe('ok')
    expect(verdict.mended).toEqual([
      {
        finding: 1,
        id: 'R1',
        text: 'tmaLoad writes and reads of smem@0 are not ordered',
        was: 'hazard',
        added: [
          {
            statement: 'mbarrier.wait barrier=@full parity=0 acquire=true scope="cta"',
            where: 'before `read s` of consumer',
          },
        ],
      },
    ])
  })
  test('of a kernel less a statement: what was left out is put back, whatever the step', async () => {
    const small = ['--set', 'm=64', 'n=16', 'k=80', 'tileM=64', 'tileN=16', 'tileK=16', 'stages=2']
    for (const label of ['wait consumed', 'wait loaded', 'commit_smem', 'arrive consumed']) {
      const dropped = ['hopper-matmul', ...small, '--without', label]
      expect((await verdictOf(...dropped)).verdict).not.toBe('ok')
      expect([label, (await verdictOf(...dropped, '--mend', '1')).verdict]).toEqual([label, 'ok'])
    }
  })
  test('again: the next one is a finding of the verdict that the first has led to', async () => {
    const once = await verdictOf('zoo/W5', '--mend', '1')
    expect([once.verdict, once.mended?.length]).toEqual(['hazard', 1])
    const twice = await verdictOf('zoo/W5', '--mend', '1', '--mend', '1')
    expect(twice.mended?.map((m) => [m.finding, m.was])).toEqual([
      [1, 'hazard'],
      [1, 'hazard'],
    ])
    expect(twice.verdict).toBe('ok')
  })
  test('what is no order, no finding or no number is refused in one line', async () => {
    for (const [argv, line] of [
      [
        ['zoo/D3', '--mend', '1'],
        /^tcspec: zoo\/D3: no statement that could be added fixes D3; the fix is: give .* different bytes.*\n$/,
      ],
      [['zoo/R1', '--mend', '2'], /^tcspec: --mend: expected a finding from 1 to 1, found '2'\n$/],
      [
        ['zoo/R1-fixed', '--mend', '1'],
        /^tcspec: --mend: expected a verdict with findings, and this one is ok with none, found '1'\n$/,
      ],
      [
        ['zoo/R1', '--mend', 'x'],
        /^tcspec: --mend: expected the number of a finding, counted from 1, found 'x'\n$/,
      ],
      [
        ['run.jsonl', '--mend', '1'],
        /^tcspec: --mend: expected a kernel or a program, found the trace 'run\.jsonl'\n$/,
      ],
    ] as const) {
      const { status, stdout, stderr } = await said('check', ...argv)
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(line)
    }
  })
  test('nothing is said of mending where it is not asked for', async () => {
    expect(await verdictOf('zoo/R1')).not.toHaveProperty('mended')
  })
})

test('view --mend records the mended run, with what was added in its listing', async () => {
  const { stdout } = await said('view', 'zoo/R1', '--mend', '1', '--json')
  const recording = JSON.parse(stdout) as Recording
  expect(recording.verdict).toEqual(await verdictOf('zoo/R1', '--mend', '1'))
  expect(recording.sites.map((s) => s.name)).toContain('added wait full')
  expect(E.isRight(decodeVerdict(recording.verdict))).toBe(true)
})
