/** `tcspec litmus`: what it prints and refuses, and how it ends. */
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import type { LitmusDocument } from '../../../src/render/litmus-document.js'
import { clauses } from '../../../src/semantics/model/index.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const world = worldOf(inMemory(disk))
const run = (...argv: ReadonlyArray<string>): Promise<Outcome> =>
  tcspec(commands, world)(['litmus', ...argv])()
const file = (text: string): string => {
  disk.set('t.litmus.txt', new TextEncoder().encode(text))
  return 't.litmus.txt'
}
const documentOf = async (...argv: ReadonlyArray<string>): Promise<LitmusDocument> => {
  const { stdout } = await run(...argv, '--json')
  const document: LitmusDocument = JSON.parse(stdout)
  return document
}

describe('the test of a clause', () => {
  it('is printed with what the model says, and why', async () => {
    expect(await run('release')).toEqual({
      status: 0,
      stderr: '',
      stdout: [
        '1  T0: write x',
        '2  T0: arrive b',
        '3  T1: wait b 0',
        '4  T1: read x',
        '',
        'the model  ok',
        '',
        'ok',
        '    1 `T0: write x`, 4 `T1: read x`: before by program 1 -> 2, release 2 -> 3, program 3 -> 4; seen in generic',
        '',
      ].join('\n'),
    })
  })
  it('is refused without its clause: exit status 1, and both verdicts', async () => {
    const { status, stdout } = await run('release', '--without', 'release')
    expect(status).toBe(1)
    expect(stdout).toContain('the model  ok\nwithout    release: race: `T0: write x` / `T1: read x`\n')
    expect(stdout).toContain('race\n    1 `T0: write x`, 4 `T1: read x`: not before\n')
  })
  it('is asked under the options that it is for', async () => {
    expect((await documentOf('fenced-read')).model.says).toEqual(['unfenced: `T0: read x` / `#1: write x`'])
    expect((await run('relaxed')).status).toBe(0)
    expect((await run('relaxed', '--strict')).status).toBe(1)
    expect((await run('pipe', '--tensor-pipe', 'documented')).status).toBe(1)
  })
  it.each(clauses.map((c) => [c.id, c] as const))(
    '%s: status 0 iff nothing is wrong',
    async (id, { litmus }) => {
      expect((await run(id)).status).toBe(litmus.expect === 'ok' ? 0 : 1)
      expect((await run(id, '--without', id)).status).toBe(litmus.without === 'ok' ? 0 : 1)
    },
  )
})

describe('a file', () => {
  it('is told line by line, with the numbers of the file', async () => {
    const d = await documentOf(file('// message passing, no flag\nT0: write x\n\nT1: read x\n'))
    expect(d.lines).toEqual([
      { line: 2, text: 'T0: write x' },
      { line: 4, text: 'T1: read x' },
    ])
    expect(d.pairs.map((p) => [d.events[p.a]!.line, d.events[p.b]!.line, p.is, p.hazards])).toEqual([
      [2, 4, 'race', ['D1']],
    ])
  })
  it('names the phase that a copy waits for', async () => {
    const { stdout } = await run(
      file('T0: arrive b +16\nT0: issue #1 load\n#1: write x\n#1: bytes b 16\nT1: read x\n'),
    )
    expect(stdout).toContain('not before: the first is done with phase 0 of b')
  })
  it('as rows', async () => {
    const { stdout } = await run(file('T0: write x\nT1: read x\n'), '--format', 'csv')
    expect(stdout).toBe(
      'first,line,then,line,is,before,seen,why\nT0: write x,1,T1: read x,2,race,false,false,not before\n',
    )
  })
})

describe('is refused in one line', () => {
  it.each([
    [['nope'], 'litmus: expected a file of lines, or a clause (program, issue, '],
    [['no/such.txt'], 'no/such.txt'],
    [['release', '--without', 'magic'], '--without: expected a clause: program|issue|'],
    [['release', '--tensor-pipe', 'fast'], '--tensor-pipe: expected '],
  ])('%s', async (argv, message) => {
    const { status, stderr, stdout } = await run(...argv)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr.split('\n')).toHaveLength(2)
    expect(stderr).toContain(message)
  })
  it.each([
    [
      'T0: write x\n\nT0: bless x',
      "t.litmus.txt: line 3: expected a line of a litmus test, such as 'T0: write x', found 'T0: bless x'",
    ],
    ['T0: wait b', "t.litmus.txt: line 1: expected 'T0: wait BARRIER 0|1"],
    [
      'T0: issue #1 load\n// so far\n#2: write x',
      't.litmus.txt: line 3: expected an operation that is issued once',
    ],
    [Array.from({ length: 129 }, () => 'T0: read x').join('\n'), 'expected at most 128 lines, found 129'],
    ['<script>\u0007\u001b]0;x', 't.litmus.txt: line 1: expected a line of a litmus test'],
    [`T0: write ${'x'.repeat(100_000)}`, "t.litmus.txt: line 1: expected 'T0: write PLACE'"],
  ])('%# of a file', async (text, message) => {
    const { status, stderr } = await run(file(text))
    expect(status).toBe(2)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(stderr).toContain(message)
    expect([...stderr].filter((c) => c < ' ')).toEqual(['\n'])
  })
  it('the longest test is answered', async () => {
    const lines = Array.from(
      { length: 128 },
      (_, k) => `T${String(k % 8)}: ${k % 3 === 0 ? 'write' : 'atomic'} g`,
    )
    expect((await run(file(lines.join('\n')))).status).toBe(1)
  })
})
