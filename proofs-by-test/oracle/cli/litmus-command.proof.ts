/** `tcspec litmus`: what it prints and refuses, and how it ends. */
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import type { LitmusDocument } from '../../../src/render/litmus-document.js'
import type { LitmusAnswerDocument } from '../../../src/render/litmus-answer-document.js'
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
    [
      ['nope'],
      "no litmus test named 'nope': it is no file, and no clause of docs/MemoryModel.md; did you mean ",
    ],
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

describe('a litmus test of PTX', () => {
  const mp = (release: string, question: string): string =>
    file(
      `PTX MP\n{ x = 0; f = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, f ;\n ${release} f, 1 | ld.weak r1, x ;\n${question}\n`,
    )
  const stale = '(P1:r0 == 1 /\\ P1:r1 == 0)'
  it('that is forbidden is told with the axiom and its circle', async () => {
    expect(await run(mp('st.release.gpu', `exists ${stale}`))).toEqual({
      status: 1,
      stderr: '',
      stdout: [
        'question  exists (P1:r0 == 1 /\\ P1:r1 == 0)',
        'answer    never',
        'holds     no',
        '',
        'P1:r0 = 1, P1:r1 = 0 would need',
        '    P1 4 `ld.acquire.gpu r0, f` reads from P0 5 `st.release.gpu f, 1`',
        '    P1 5 `ld.weak r1, x` reads from `x = 0 at the start`',
        'forbidden by causality (PTX ISA 8.10.6): communication order does not contradict causality order',
        '    P0 4 `st.weak x, 1` -> P1 5 `ld.weak r1, x`: causality, by program order P0 4 -> P0 5, synchronizes P0 5',
        '    -> P1 4, program order P1 4 -> P1 5',
        '    P1 5 `ld.weak r1, x` -> P0 4 `st.weak x, 1`: reads before',
        '',
        'final states (3; * satisfies the condition)',
        '   P1:r0 = 0, P1:r1 = 0',
        '   P1:r0 = 0, P1:r1 = 1',
        '   P1:r0 = 1, P1:r1 = 1',
        '',
      ].join('\n'),
    })
  })
  it('that is allowed is told with an execution', async () => {
    const { status, stdout } = await run(mp('st.relaxed.gpu', `exists ${stale}`))
    expect(status).toBe(0)
    expect(stdout).toContain('answer    allowed\nholds     yes\n')
    expect(stdout).toContain('P1 5 `ld.weak r1, x` finds 0, from `x = 0 at the start`')
    expect(stdout).toContain('data races    P0 4 `st.weak x, 1` -> P1 5 `ld.weak r1, x`')
    expect(stdout).toContain('*  P1:r0 = 1, P1:r1 = 0')
  })
  it.each([
    ['st.release.gpu', `~exists ${stale}`, 0],
    ['st.relaxed.gpu', `~exists ${stale}`, 1],
    ['st.release.gpu', 'forall (P1:r0 == 0 \\/ P1:r1 == 1)', 0],
    ['st.relaxed.gpu', 'forall (P1:r0 == 0 \\/ P1:r1 == 1)', 1],
    ['st.release.gpu', `filter (P1:r1 == 0) exists (P1:r0 == 1)`, 1],
  ])('%s, %s: exit status %s', async (release, question, status) => {
    expect((await run(mp(release, question))).status).toBe(status)
  })
  it('is answered without an axiom', async () => {
    const test = mp('st.release.gpu', `exists ${stale}`)
    expect((await run(test, '--without', 'causality')).status).toBe(0)
    expect((await run(test, '--without', 'atomicity')).status).toBe(1)
  })
  it('as a document and as rows', async () => {
    const { stdout } = await run(mp('st.release.gpu', `exists ${stale}`), '--json')
    const d: LitmusAnswerDocument = JSON.parse(stdout)
    expect([d.schema, d.answer, d.holds, d.states.length, d.refusals[0]?.contradictions[0]?.axiom]).toEqual([
      'tcspec.litmus-answer/1',
      'never',
      false,
      3,
      'causality',
    ])
    expect(
      (await run(mp('st.release.gpu', `exists ${stale}`), '--format', 'csv')).stdout.split('\n')[1],
    ).toBe('"P1:r0 = 0, P1:r1 = 0",false')
  })
  it.each([
    [['--without', 'release'], '--without: expected an axiom: coherence|'],
    [['--strict'], '--strict: a litmus test of PTX is answered by the axioms'],
    [['--tensor-pipe', 'documented'], '--tensor-pipe: a litmus test of PTX'],
    [['--format', 'svg'], 'svg'],
  ])('%s is refused in one line', async (argv, message) => {
    const { status, stderr } = await run(mp('st.release.gpu', `exists ${stale}`), ...argv)
    expect(status).toBe(2)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(stderr).toContain(message)
  })
  it.each([
    [
      'PTX t\n{ x = 0; }\n P0@cta 0 ;\n frob x ;\nexists (x == 0)',
      "t.litmus.txt: line 4, column 2: the instruction 'frob' is not supported",
    ],
    ['PTX t\n{ \u0007 }', 't.litmus.txt: line 2, column 3: '],
    [
      `PTX t\n{ x = 0; }\n P0@cta 0 ;\n${' st.weak x, 1 ;\n'.repeat(40)}exists (x == 1)`,
      't.litmus.txt: the program has more than 32 events',
    ],
  ])('%# of a file is refused in one line', async (text, message) => {
    const { status, stderr } = await run(file(text))
    expect(status).toBe(2)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(stderr).toContain(message)
    expect([...stderr].filter((c) => c < ' ')).toEqual(['\n'])
  })
})
