/**
 * A guessed launch convicts nobody: the suggested command of a right kernel shows no hazard, that of a wrong one still does; and data that nobody gave are several.
 */
import * as fs from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { dataOf, furtherSets } from '../../../src/oracle/launch/data-sets.js'
import { inMemory } from '../disk.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { kernelNames, fileText } from '../../dialects/ptx/cuda.js'
import { sampled } from '../../extent.js'
import { running, worldOf } from '../world.js'

const own = fs.readFileSync(new URL('guesses/guesses.ptx', import.meta.url), 'utf8')

const runOf = (text: string, others: Readonly<Record<string, string>> = {}) =>
  running(
    worldOf(
      inMemory(
        new Map(
          Object.entries({ 'k.ptx': text, ...others }).map(
            ([name, held]) => [name, new TextEncoder().encode(held)] as const,
          ),
        ),
      ),
    ),
  )

/** The command that `tcspec kernels` suggests. */
const suggested = async (text: string, entry: ReadonlyArray<string> = []): Promise<ReadonlyArray<string>> => {
  const said = await runOf(text)('kernels', 'k.ptx', ...entry)
  const line = said.stdout.split('\n').find((l) => l.startsWith('tcspec check ')) ?? ''
  return line.split(' ').slice(1)
}

const verdictOf = async (text: string, words: ReadonlyArray<string>): Promise<Verdict> =>
  JSON.parse((await runOf(text)(...words, '--json')).stdout) as Verdict

const guessedVerdict = async (text: string, entry: ReadonlyArray<string> = []): Promise<Verdict> =>
  verdictOf(text, await suggested(text, entry))

describe('right kernels by the suggested command', () => {
  // by day every ninth
  it.each(sampled(9, kernelNames))('%s', async (kernel) => {
    const v = await guessedVerdict(fileText(`${kernel}/${kernel}.ptx`))
    expect(['ok', 'undecided']).toContain(v.verdict)
    expect(v.guessed?.length).toBeGreaterThan(0)
    expect(v.reason).toMatch(/on guessed arguments/u)
    expect(v.findings).toEqual([])
  })
})

test('a race that does not depend on sizes stays one', async () => {
  for (const file of ['scan_block/broken1.ptx', 'histogram/broken1.ptx']) {
    const v = await guessedVerdict(fileText(file))
    expect([file, v.verdict]).toEqual([file, 'hazard'])
  }
  expect((await guessedVerdict(own, ['--entry', 'rotate'])).verdict).toBe('hazard')
})

test('a read of what nothing has written, and lanes at different barriers, on a guess', async () => {
  // an assertion asks for 128 threads: with fewer, part of what is read is not written
  const asserts = fileText('asserts/asserts.ptx')
  const on = (block: string, mark: string) =>
    verdictOf(
      asserts,
      `check k.ptx --grid 2 --block ${block} --arg 0=u32[256]:in${mark} 1=u32[256]:inout 2=256${mark} --data zeros`.split(
        ' ',
      ),
    )
  const [few, given] = [await on('64', ':guess'), await on('64', '')]
  expect([few.verdict, few.findings, few.notes.map((f) => f.id)]).toEqual(['undecided', [], ['I1']])
  expect(few.reason).toMatch(/which may come from the guess/u)
  expect([given.verdict, given.findings.map((f) => f.id)]).toEqual(['hazard', ['I1']])
  expect((await guessedVerdict(asserts)).verdict).toBe('ok')
  // lanes of one warp that wait at different barriers do so by no size
  const parted = await guessedVerdict(fileText('block_reduce/broken4.ptx'))
  expect([parted.verdict, /warp\.aligned/u.test(parted.reason)]).toEqual(['invalid', true])
})

test('the stride of rows is as long as they are', async () => {
  expect(await suggested(own, ['--entry', 'rows'])).toEqual(
    'check k.ptx --grid 2:guess --block 128:guess --entry _Z4rowsPKfPfi --arg 0=f32[256]:in:guess 1=f32[768]:inout:guess 2=512:guess'.split(
      ' ',
    ),
  )
})

test('what a guess may cause is a note until the size is given', async () => {
  const rows = 'check k.ptx --entry rows --grid 2 --block 128 --arg 0=f32[256]'.split(' ')
  const given = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
    const v = await verdictOf(own, [...rows, ...args])
    return [v.verdict, v.findings.map((f) => f.id), v.notes.map((f) => f.id)]
  }
  expect(await given('1=f32[1024]:out', '2=256')).toEqual(['hazard', ['O1'], []])
  expect(await given('1=f32[1024]:out:guess', '2=256')).toEqual(['ok', [], ['O1']])
  expect(await given('1=f32[300]:out', '2=256')).toEqual(['invalid', ['I2'], []])
  expect(await given('1=f32[300]:out:guess', '2=256')).toEqual(['undecided', [], ['I2']])
})

test('a guessed block is marked, said first, and convicts nobody of a fault', async () => {
  const rows = 'check k.ptx --entry rows --grid 2 --arg 0=f32[256] 1=f32[300]:out 2=256'.split(' ')
  const [guessed, given] = [
    await verdictOf(own, [...rows, '--block', '128:guess']),
    await verdictOf(own, [...rows, '--block', '128']),
  ]
  expect([guessed.verdict, guessed.guessed]).toEqual(['undecided', ['block 128']])
  expect(guessed.reason).toMatch(/^on guessed arguments \(block 128\): /u)
  expect([given.verdict, given.guessed]).toEqual(['invalid', undefined])
  const { stdout } = await runOf(own)('kernels', 'k.ptx', '--entry', 'rows')
  expect(stdout).toMatch(/The PTX does not say how many threads a block has: `--block 128` is a guess/u)
  // a bound of the text is no guess
  const bounded = own.replace(/(\.visible \.entry _Z4rows[^{]*)\{/u, '$1.maxntid 64 {')
  expect(bounded).not.toBe(own)
  const words = await suggested(bounded, ['--entry', 'rows'])
  expect(words.slice(0, 6)).toEqual(['check', 'k.ptx', '--grid', '2:guess', '--block', '64'])
})

test('parameters have the names of the source next to the text, by its lines or by its own name', async () => {
  const text = fileText('block_reduce/block_reduce.ptx')
  const source = fileText('block_reduce/block_reduce.cu')
  const bare = text.replace(/^\s*\.(loc|file)\b.*$/gmu, '')
  for (const [ptx, files, names] of [
    [text, { 'block_reduce.cu': source }, ['x', 'y', 'n']],
    [bare, { 'k.cu': source }, ['x', 'y', 'n']],
    [bare, { 'other.cu': source }, [0, 1, 2].map((i) => `block_reduce_param_${String(i)}`)],
  ] as const) {
    const run = runOf(ptx, files)
    const { stdout } = await run('kernels', 'k.ptx')
    const line = stdout.split('\n').find((l) => l.startsWith('tcspec check '))!
    const words = line.split(' ').slice(1)
    expect(words.slice(words.indexOf('--arg') + 1).map((word) => word.split('=')[0])).toEqual(names)
    expect(/Keep the `\.cu` next to the `\.ptx`/u.test(stdout)).toBe(names[0] !== 'x')
    const checked = JSON.parse((await run(...words, '--json')).stdout) as Verdict
    expect([checked.verdict, checked.guessed?.slice(2)]).toEqual(['ok', names])
  }
})

test('races that only some data show, and which', async () => {
  const run = async (text: string): Promise<Verdict> => verdictOf(own, `check k.ptx ${text}`.split(' '))
  const scatter = '--entry scatter --grid 1 --block 64 --arg 0=u32[64] 1=u32[64]:inout:guess 2=64'
  const shown = await run(scatter)
  expect(shown.verdict).toBe('hazard')
  expect(shown.reason).toMatch(/^with data that are random below the number of elements/u)
  expect(shown.findings[0]?.replay).toMatch(/^--data small --schedule eager/u)
  // the set that shows it, and one that does not, asked for by name
  expect((await run(`${scatter} --data small`)).verdict).toBe('hazard')
  expect((await run(`${scatter} --data distinct`)).verdict).toBe('ok')
  const flagged = await run('--entry flagged --grid 1 --block 128 --arg 0=u32[1] 1=f32[128]:out')
  expect([flagged.verdict, flagged.reason.split(':')[0]]).toEqual([
    'hazard',
    'with data that are all ones (argument 0 (const int*))',
  ])
  // a fault on data that nobody gave is held against nobody while others come to their end
  const gather = await run('--entry gather --grid 1 --block 64 --arg 0=u32[64] 1=f32[64] 2=f32[64]:out 3=64')
  expect([gather.verdict, gather.findings]).toEqual(['ok', []])
  expect(gather.scope.join()).toMatch(/random data .*a fault ends the run/u)
})

test('sets of data', () => {
  const values = (set: (typeof furtherSets)[number], dtype: string): ReadonlyArray<number> => {
    const view = new DataView(dataOf(set, dtype, 8, 0).buffer)
    return Array.from({ length: 8 }, (_, i) =>
      dtype === 'f32'
        ? view.getFloat32(4 * i, true)
        : dtype === 'f64'
          ? view.getFloat64(8 * i, true)
          : view.getInt32(4 * i, true),
    )
  }
  for (const dtype of ['f32', 'f64', 's32', 'u32', 'b32']) {
    expect(new Set(values('zeros', dtype))).toEqual(new Set([0]))
    expect(new Set(values('ones', dtype))).toEqual(new Set([1]))
    expect(new Set(values('equal', dtype))).toEqual(new Set([3]))
    expect(values('distinct', dtype)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (const x of values('small', dtype)) expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(x)
  }
})
