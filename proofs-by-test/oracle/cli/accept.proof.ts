/**
 * `--accept`, `--accept-write`: a check passes with what it was told to accept, says so, and fails with anything else.
 *
 * Oracle of what is stable: the same kernel with a line more at the top of its source, as nvcc would have compiled it: every `.loc` says one line more.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { silent, type Outcome, type World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { decodeBaseline } from '../../../src/semantics/files/accept-codec.js'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { AcceptedRow, Baseline } from '../../../src/semantics/judging/accept.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'

const kernel = new URL('../../../conformance/hopper/cuda/block_reduce/', import.meta.url)
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, kernel)))
const textOf = (name: string): string => readFileSync(new URL(name, kernel), 'utf8')
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const disk = new Map<string, Uint8Array>([
  ['block_reduce.cu', read('block_reduce.cu')],
  ['x.npy', read('x.npy')],
  ['k.ptx', read('broken1.ptx')],
  ['other.ptx', read('broken2.ptx')],
  ['right.ptx', read('block_reduce.ptx')],
  // one CTA of two warps: the mistake is there, and a check of it is quick
  [
    'launch.json',
    bytes(
      JSON.stringify({
        grid: [1],
        block: [64],
        args: [
          { kind: 'pointer', tensor: 'x', dtype: 'f32', shape: [3000], role: 'in' },
          { kind: 'pointer', tensor: 'y', dtype: 'f32', shape: [1], role: 'out' },
          { kind: 'scalar', name: 'n', type: 's32', value: 3000 },
        ],
        outputs: ['y'],
      }),
    ),
  ],
])
const world: World = {
  files: inMemory(disk),
  version: '0',
  colours: false,
  clock: () => 0,
  progress: () => silent,
  conformance: null,
}
const said = (...argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, world)(argv)()
const check = (file: string, ...more: ReadonlyArray<string>): Promise<Outcome> =>
  said('check', file, '--launch', 'launch.json', ...more)
const verdictOf = async (file: string, ...more: ReadonlyArray<string>): Promise<Verdict> =>
  right(decodeVerdict(JSON.parse((await check(file, ...more, '--json')).stdout)))
const baselineIn = (file: string): Baseline =>
  right(decodeBaseline(JSON.parse(new TextDecoder().decode(disk.get(file)))))
const write = (file: string, accepted: ReadonlyArray<AcceptedRow>): void => {
  disk.set(file, bytes(JSON.stringify({ schema: 'tcspec.accept/1', accepted })))
}

describe('a baseline', () => {
  test('is written, passes, and what passes is said', async () => {
    expect((await check('k.ptx')).status).toBe(1)
    expect((await check('k.ptx', '--accept-write', 'a.json')).status).toBe(1)
    const { accepted } = baselineIn('a.json')
    expect(accepted.length).toBeGreaterThan(0)
    expect(accepted.every(({ a }) => a.file === 'block_reduce.cu' && !a.statement.startsWith('line '))).toBe(
      true,
    )
    const { status, stdout } = await check('k.ptx', '--accept', 'a.json')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^verdict +hazard/mu)
    expect(stdout).toMatch(/^passes +every finding is accepted/mu)
    expect(stdout).toMatch(/^accepted +D1 \(\d+ findings?\) at block_reduce\.cu: /mu)
    const v = await verdictOf('k.ptx', '--accept', 'a.json')
    expect([v.verdict, v.passes, v.open]).toEqual(['hazard', true, undefined])
    expect(v.findings.every((f) => f.accepted !== undefined)).toBe(true)
  })
  test('a line more in the source changes nothing', async () => {
    const more = textOf('broken1.ptx').replace(
      /^(\s*\.loc\s+\d+\s+)(\d+)/gmu,
      (_, loc: string, line: string) => `${loc}${String(Number(line) + 1)}`,
    )
    disk.set('k.ptx', bytes(more))
    disk.set('block_reduce.cu', bytes(`// a comment\n${textOf('block_reduce.cu')}`))
    expect((await check('k.ptx', '--accept', 'a.json')).status).toBe(0)
    disk.set('k.ptx', read('broken1.ptx'))
    disk.set('block_reduce.cu', read('block_reduce.cu'))
  })
  test('a finding that it does not name fails, and stands first', async () => {
    const { accepted } = baselineIn('a.json')
    const told = await verdictOf('k.ptx')
    const named = accepted.filter(({ id }) => id !== accepted[0]!.id || accepted.length === 1)
    write('less.json', accepted.length === 1 ? [] : named)
    const { status, stdout } = await check('k.ptx', '--accept', 'less.json')
    expect(status).toBe(1)
    expect(stdout).toMatch(/^fails +\d+ findings? (is|are) not accepted/mu)
    const v = await verdictOf('k.ptx', '--accept', 'less.json')
    expect([v.passes, v.findings.length]).toEqual([false, told.findings.length])
    expect(v.findings[0]!.accepted).toBeUndefined()
  })
  test.each([
    ['another id', (r: AcceptedRow): AcceptedRow => ({ ...r, id: 'D2' })],
    ['another memory', (r: AcceptedRow): AcceptedRow => ({ ...r, memory: 'smem elsewhere' })],
    ['another access', (r: AcceptedRow): AcceptedRow => ({ ...r, a: { ...r.a, does: 'cpAsync writes' } })],
    [
      'another of the same text',
      (r: AcceptedRow): AcceptedRow => ({ ...r, a: { ...r.a, nth: r.a.nth + 1 } }),
    ],
    ['another statement', (r: AcceptedRow): AcceptedRow => ({ ...r, a: { ...r.a, statement: 'x = 1;' } })],
    ['another kernel', (r: AcceptedRow): AcceptedRow => ({ ...r, kernel: 'elsewhere' })],
    ['another launch', (r: AcceptedRow): AcceptedRow => ({ ...r, launch: 'grid 2, block 256' })],
  ])('%s is another mistake', async (_, change) => {
    write('b.json', baselineIn('a.json').accepted.map(change))
    expect((await check('k.ptx', '--accept', 'b.json')).status).toBe(1)
  })
  test('which side came first does not matter', async () => {
    write(
      'c.json',
      baselineIn('a.json').accepted.map((r) => (r.b === null ? r : { ...r, a: r.b, b: r.a })),
    )
    expect((await check('k.ptx', '--accept', 'c.json')).status).toBe(0)
  })
  test('a row that no longer occurs is said, and a right kernel passes', async () => {
    const { status, stdout } = await check('right.ptx', '--accept', 'a.json')
    expect(status).toBe(0)
    expect(stdout.replace(/\s+/gu, ' ')).toMatch(/stale D1 at block_reduce\.cu: .* no longer occurs/u)
    const v = await verdictOf('right.ptx', '--accept', 'a.json')
    expect(v.accepted?.map(({ findings }) => findings)).toEqual(baselineIn('a.json').accepted.map(() => 0))
  })
  test('written over another it keeps its reasons and the rows of other kernels', async () => {
    const reason = 'seen by the owner'
    const rows = baselineIn('a.json').accepted.map((r) => ({ ...r, reason }))
    const foreign = { ...rows[0]!, kernel: 'elsewhere' }
    write('d.json', [...rows, foreign])
    await check('k.ptx', '--accept', 'd.json', '--accept-write', 'e.json')
    expect(baselineIn('e.json').accepted).toEqual([foreign, ...rows])
  })
  test('a deadlock, a wrong result and what is not decided do not pass', async () => {
    for (const name of ['zoo/B5', 'zoo/L1']) {
      await said('check', name, '--accept-write', 'f.json')
      const { status, stdout } = await said('check', name, '--accept', 'f.json')
      expect([name, status]).toEqual([name, 1])
      expect(stdout).toMatch(/^fails +the verdict is /mu)
    }
  })
  test('a program of the core: its statements by their labels', async () => {
    await said('check', 'zoo/R1', '--accept-write', 'g.json')
    expect(baselineIn('g.json').accepted[0]!.b?.statement).toContain('read s')
    expect((await said('check', 'zoo/R1', '--accept', 'g.json')).status).toBe(0)
    expect((await said('check', 'zoo/W1', '--accept', 'g.json')).status).toBe(1)
  })
  test('another launch has rows of its own, and neither goes for the other', async () => {
    const small = ['k.ptx', '--block', '128'] as const
    expect((await check('k.ptx', '--accept', 'a.json')).status).toBe(0)
    expect((await check(...small, '--accept', 'a.json')).stdout).toMatch(
      /^fails +\d+ findings? (is|are) not accepted/mu,
    )
    await check(...small, '--accept', 'a.json', '--accept-write', 'both.json')
    expect((await check('k.ptx', '--accept', 'both.json')).status).toBe(0)
    expect((await check(...small, '--accept', 'both.json')).status).toBe(0)
    expect((await check('k.ptx', '--block', '256', '--accept', 'both.json')).status).toBe(1)
  })
  test('a run that its fuel stops, or that is refused, does not pass with any rows', async () => {
    const steps = (await verdictOf('k.ptx')).counts.steps
    for (const fuel of [steps - 1, steps - 5, Math.floor(steps / 2), 40]) {
      await check('k.ptx', '--fuel', String(fuel), '--accept-write', 'fuel.json')
      const told = await verdictOf('k.ptx', '--fuel', String(fuel), '--accept', 'fuel.json')
      expect([fuel, told.passes, told.open]).toEqual([fuel, false, expect.any(String)])
    }
    const refused = await check('k.ptx', '--grid', '0', '--accept', 'a.json')
    expect([refused.status, refused.stdout]).toEqual([2, ''])
  })
  test('what a condition fails by has to be accepted, too', async () => {
    for (const name of ['zoo/B4', 'zoo/B1', 'zoo/B3']) {
      const v = right(decodeVerdict(JSON.parse((await said('check', name, '--json')).stdout)))
      if (v.verdict !== 'hazard') continue
      await said('check', name, '--accept-write', 'h.json')
      const { accepted } = baselineIn('h.json')
      for (const [i] of accepted.entries()) {
        write(
          'i.json',
          accepted.filter((_, k) => k !== i),
        )
        expect([name, i, (await said('check', name, '--accept', 'i.json')).status]).toEqual([name, i, 1])
      }
    }
  })
  test('what is no baseline is refused, with its file', async () => {
    expect((await check('k.ptx', '--accept', 'none.json')).stderr).toMatch(/^tcspec: none\.json: /u)
    disk.set('no.json', bytes('['.repeat(100_000)))
    expect((await check('k.ptx', '--accept', 'no.json')).stderr).toContain('no.json: not JSON')
    disk.set('no.json', bytes(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))
    expect(await check('k.ptx', '--accept', 'no.json')).toMatchObject({ status: 2, stdout: '' })
    disk.set('no.json', new Uint8Array([0xff, 0xfe, 0x7b]))
    expect(await check('k.ptx', '--accept', 'no.json')).toMatchObject({ status: 2, stdout: '' })
    disk.set('no.json', bytes('{"schema": "tcspec.accept/1", "accepted": [], "__proto__": {}}'))
    expect((await check('k.ptx', '--accept', 'no.json')).stderr).toContain('$.__proto__')
    disk.set('no.json', bytes('{'))
    expect((await check('k.ptx', '--accept', 'no.json')).stderr).toContain('no.json: not JSON')
    disk.set('no.json', bytes('{"schema": "tcspec.accept/1", "accepted": [{"id": "D9"}]}'))
    expect((await check('k.ptx', '--accept', 'no.json')).stderr).toMatch(/no\.json: \$\.accepted\[0\]/u)
  })
  test('very many rows are read, and the one that counts is found', async () => {
    const [row] = baselineIn('a.json').accepted
    const many = Array.from({ length: nightly ? 100_000 : 10_000 }, (_, i) => ({
      ...row!,
      launch: String(i),
    }))
    write('many.json', many)
    expect((await check('k.ptx', '--accept', 'many.json')).status).toBe(1)
    write('many.json', [...many, ...baselineIn('a.json').accepted])
    expect((await check('k.ptx', '--accept', 'many.json')).status).toBe(0)
  })
})
