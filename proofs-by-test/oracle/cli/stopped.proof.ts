/** Runs that do not come to their end, and runs that need data: what is said of them, and what is not. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { fuelAsked } from '../../../src/oracle/cli/judging.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { standardFuel } from '../../../src/semantics/execution/run.js'
import { right } from '../../either.js'
import { running, worldOf } from '../world.js'

const world = worldOf(onDisk)
const run = running(world)
const small = ['hopper-matmul', '--set', 'm=64', 'n=32', 'k=256', 'tileK=16', 'stages=2']
const vote = [
  'fa4-attention',
  '--set',
  'q=256',
  'kv=256',
  'heads=1',
  'kvHeads=1',
  'headDim=64',
  'rescale=vote',
]
const json = (o: Outcome): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(o.stdout)
  return Object.fromEntries(Object.entries(value ?? {}))
}

let dir = ''
const at = (name: string): string => path.join(dir, name)
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-stopped-'))
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

describe('a run that is stopped by its fuel', () => {
  it('is not judged as if it had ended, by check and by run; with more it is', async () => {
    for (const words of [
      ['check', ...small],
      ['run', ...small, '--over', 'bits'],
    ]) {
      const stopped = await run(...words, '--fuel', '60', '--json')
      expect(stopped).toMatchObject({ status: 3, stderr: '' })
      const { conditions, reason, ...found } = json(stopped)
      expect(found).toMatchObject({ verdict: 'out-of-fuel', findings: [], notes: [], provenance: null })
      expect(reason).toMatch(/^the run was stopped by its fuel after \d+ events, before its end$/)
      expect(conditions).toMatchObject({ C5: { holds: false, failures: ['how the run ends is not known'] } })
      expect(await run(...words, '--fuel', '100000')).toMatchObject({ status: 0 })
    }
  })
  it('writes no output', async () => {
    const out = at('out.npy')
    expect(await run('run', ...small, '--fuel', '60', '--out', `out=${out}`)).toMatchObject({ status: 3 })
    expect(fs.existsSync(out)).toBe(false)
  })
  it('keeps the hazard that it has found', async () => {
    const found = await run('check', ...small, '--without', 'wait loaded', '--fuel', '60', '--json')
    expect(json(found)).toMatchObject({ verdict: 'hazard', provenance: null })
    expect(found.status).toBe(1)
  })
  it('has more fuel for a large product, for every command alike', () => {
    expect([fuelAsked({}, 0), fuelAsked({}, 2 ** 36), fuelAsked({ fuel: '7' }, 2 ** 36)].map(right)).toEqual([
      standardFuel,
      standardFuel + 2 ** 24,
      7,
    ])
  })
  it('refuses what is no number of events', async () => {
    for (const words of [
      ['check', ...small],
      ['run', ...small],
      ['trace', ...small],
      ['mutate', 'queue'],
    ])
      expect(await run(...words, '--fuel', '0')).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/^tcspec: --fuel: expected a positive number of events.*found '0'\n$/),
      })
  })
})

describe('control that depends on data', () => {
  it('over one value: undecided, never invalid, and the search of schedules does not say otherwise', () => {
    const settings = { q: 256, kv: 256, heads: 1, kvHeads: 1, headDim: 64, rescale: 'vote' }
    const { program } = right(instanceOf(right(kernelNamed('fa4-attention')), settings, []))
    const { verdict } = right(check(program, { ...standardOptions, settings }))
    expect(verdict).toMatchObject({ verdict: 'undecided', findings: [], waitFor: [] })
    expect(verdict.reason).toMatch(/^the run was stopped before its end, over unit: algebra\.control: /)
  })
  it('run over one value says what to pass', async () => {
    expect(await run('run', ...vote, '--over', 'unit')).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/\nnext +this algebra does not have what the run needs: run --over bits/),
    })
  })
  it('check takes seeded inputs, and says that it speaks of those', async () => {
    const checked = await run('check', ...vote, '--json')
    expect(json(checked)).toMatchObject({
      verdict: 'ok',
      scope: expect.arrayContaining([
        'inputs other than the seeded ones (control or addresses depend on data)',
      ]),
    })
    expect(checked.status).toBe(0)
  })
  it('its trace is whole', async () => {
    const file = at('vote.jsonl')
    expect(await run('trace', ...vote, '-o', file)).toMatchObject({ status: 0, stderr: '' })
    expect(await run('check', file)).toMatchObject({ status: 0 })
  })
  it('an algebra that lacks something: undecided, status 3, and no output', async () => {
    const out = at('field.npy')
    const lacking = await run('run', ...vote, '--over', 'field', '--out', `out=${out}`, '--json')
    expect(json(lacking)).toMatchObject({ verdict: 'undecided', findings: [] })
    expect(lacking.status).toBe(3)
    expect(fs.existsSync(out)).toBe(false)
  })
})

describe('a trace that is not whole', () => {
  it('of a run that was stopped: a line that says so, status 3; check says undecided', async () => {
    const file = at('stopped.jsonl')
    const stopped = await run('trace', ...small, '--fuel', '60', '-o', file, '--json')
    expect(stopped.status).toBe(3)
    expect(stopped.stderr).toMatch(
      /^tcspec: \d+ events, not a whole run: the run was stopped by its fuel .*--fuel EVENTS[^\n]*\n$/,
    )
    expect(json(stopped)).toMatchObject({ whole: false })
    const checked = await run('check', file, '--json')
    expect(json(checked)).toMatchObject({ verdict: 'undecided', findings: [], provenance: null })
    expect(checked.status).toBe(3)
  })
  it('of a run that ends in a fault: status 1', async () => {
    const faulting = await run('trace', 'zoo/I2')
    expect(faulting.status).toBe(1)
    expect(faulting.stderr).toMatch(
      /^tcspec: \d+ events, not a whole run: the run was stopped by a fault, I2: /,
    )
  })
  it('because no more was asked for: status 0, in every form and from a file', async () => {
    const file = at('first.jsonl')
    for (const format of ['table', 'jsonl', 'lanes', 'perfetto'])
      expect(await run('trace', ...small, '--first', '20', '--format', format)).toMatchObject({
        status: 0,
        stderr: '',
      })
    expect(await run('trace', ...small, '--first', '255', '-o', file)).toMatchObject({ status: 0 })
    expect(fs.readFileSync(file, 'utf8').trimEnd().split('\n').length).toBe(256)
    for (const first of [20, 254, 255, 256]) {
      const shown = await run('trace', file, '--first', String(first), '--format', 'jsonl')
      expect(shown.stdout.trimEnd().split('\n').length).toBe(1 + Math.min(first, 255))
    }
    expect(json(await run('check', file, '--json'))).toMatchObject({ verdict: 'undecided' })
  })
})
