/** `tcspec trace`: what is printed, what is written, and what is refused. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { brokenRule } from '../../render/trace-event-format.js'
import { running, worldOf } from '../world.js'

const world = worldOf(onDisk)
const run = running(world)
const small = ['hopper-matmul', '--set', 'm=64', 'n=32', 'k=48', 'tileK=16', 'stages=2']

let dir = ''
const at = (name: string): string => path.join(dir, name)
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-trace-'))
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

describe('what is marked in a picture', () => {
  const marks = (file: string): ReadonlyArray<string> =>
    [...fs.readFileSync(file, 'utf8').matchAll(/class="finding" data-id="([^"]*)"/g)].map(([, ids]) => ids!)
  it('what this run shows, as the verdict on it has it; nothing where nothing is found', async () => {
    for (const [name, ids] of [
      ['zoo/R1', ['R1']],
      ['zoo/R1-fixed', []],
    ] as const) {
      expect(await run('trace', name, '-o', at('own.svg'))).toMatchObject({ status: 0 })
      expect(marks(at('own.svg'))).toEqual(ids)
      await run('check', name, '--timeline', at('judged.svg'))
      expect(fs.readFileSync(at('own.svg'), 'utf8')).toBe(fs.readFileSync(at('judged.svg'), 'utf8'))
    }
  })
  it('a trace of a file, too', async () => {
    await run('trace', 'zoo/W1', '-o', at('w1.jsonl'))
    expect(await run('trace', at('w1.jsonl'), '-o', at('w1.svg'))).toMatchObject({ status: 0 })
    expect(marks(at('w1.svg'))).toEqual(['W1'])
  })
  it('--verdict: the findings of a document, in place of those of the run', async () => {
    const { stdout } = await run('check', 'zoo/R1', '--json')
    fs.writeFileSync(at('v.json'), stdout)
    fs.writeFileSync(at('none.json'), JSON.stringify({ ...JSON.parse(stdout), findings: [] }))
    await run('trace', 'zoo/R1', '-o', at('own.svg'))
    expect(await run('trace', 'zoo/R1', '--verdict', at('v.json'), '-o', at('v.svg'))).toMatchObject({
      status: 0,
    })
    expect(fs.readFileSync(at('v.svg'), 'utf8')).toBe(fs.readFileSync(at('own.svg'), 'utf8'))
    await run('trace', 'zoo/R1', '--verdict', at('none.json'), '-o', at('v.svg'))
    expect(marks(at('v.svg'))).toEqual([])
    // of another kernel: no statement of it is here, and the legend says so
    await run('trace', ...small, '--verdict', at('v.json'), '-o', at('v.svg'))
    expect(marks(at('v.svg'))).toEqual([])
    expect(fs.readFileSync(at('v.svg'), 'utf8')).toContain('R1  read before arrival (not drawn here)')
  })
  it('refused: no picture, no document', async () => {
    expect(await run('trace', 'zoo/R1', '--verdict', at('v.json'))).toMatchObject({
      status: 2,
      stderr: "tcspec: --verdict: expected a picture (--format svg) to mark its findings in, found 'table'\n",
    })
    fs.writeFileSync(at('bad.json'), '{"schema": "tcspec.verdict/2"}')
    const bad = await run('trace', 'zoo/R1', '--verdict', at('bad.json'), '--format', 'svg')
    expect(bad.status).toBe(2)
    expect(bad.stderr).toMatch(/^tcspec: .*bad\.json: .*\n$/)
  })
})

describe('forms', () => {
  it('a table: a head and a row an event', async () => {
    const ran = await run('trace', ...small, '--first', '20')
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    const lines = ran.stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/i +CTA +agent +site +iteration +what +place +barrier/)
    expect(lines.length).toBe(21)
  })
  it('lanes', async () => {
    const ran = await run('trace', ...small, '--format', 'lanes')
    expect(ran.stdout.split('\n')[0]).toMatch(/compute@0 +memory@0/)
  })
  it('a timeline: the same printed, written and as JSON', async () => {
    const file = at('run.json')
    const printed = await run('trace', ...small, '--format', 'perfetto')
    const wrote = await run('trace', ...small, '-o', file)
    expect(wrote.stdout).toMatch(/^wrote .*run\.json: perfetto, \d+ events, /)
    expect(fs.readFileSync(file, 'utf8')).toBe(printed.stdout)
    const document: unknown = JSON.parse(printed.stdout)
    expect(brokenRule(document)).toBeNull()
    const json = await run('trace', ...small, '--format', 'perfetto', '--json')
    expect(JSON.parse(json.stdout)).toEqual(document)
  })
  it('a trace: that of `run --trace`, read again by trace and by check', async () => {
    const file = at('run.jsonl')
    expect(await run('trace', ...small, '-o', file)).toMatchObject({ status: 0 })
    const other = at('other.jsonl')
    expect(await run('run', ...small, '--over', 'unit', '--trace', other)).toMatchObject({ status: 0 })
    expect(fs.readFileSync(file, 'utf8')).toBe(fs.readFileSync(other, 'utf8'))
    expect(await run('trace', file, '--format', 'jsonl')).toMatchObject({
      status: 0,
      stdout: fs.readFileSync(file, 'utf8'),
    })
    expect((await run('trace', file)).stdout).toBe((await run('trace', ...small)).stdout)
    expect(await run('check', file)).toMatchObject({ status: 0 })
  })
  it('a picture: the same printed and written', async () => {
    const file = at('run.svg')
    const printed = await run('trace', ...small, '--format', 'svg')
    expect(printed.stdout).toMatch(/^<svg /)
    expect((await run('trace', ...small, '-o', file)).stdout).toMatch(/^wrote .*run\.svg: svg, /)
    expect(fs.readFileSync(file, 'utf8')).toBe(printed.stdout)
  })
  it('run --timeline draws the same run', async () => {
    for (const ending of ['svg', 'json']) {
      const [drawn, traced] = [at(`drawn.${ending}`), at(`traced.${ending}`)]
      for (const over of ['bits', 'unit']) {
        const ran = await run('run', ...small, '--over', over, '--timeline', drawn)
        expect(ran).toMatchObject({ status: 0, stderr: '' })
        expect(ran.stdout).toContain(`a timeline to ${drawn}`)
        await run('trace', ...small, '-o', traced)
        expect(fs.readFileSync(drawn, 'utf8')).toBe(fs.readFileSync(traced, 'utf8'))
      }
    }
    const refused = await run('run', ...small, '--timeline', at('drawn.png'))
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      /^tcspec: --timeline: expected a file that ends in \.svg or \.json, found '.*png'\n$/,
    )
    expect(fs.existsSync(at('drawn.png'))).toBe(false)
  })
  it('check --timeline draws the run that it judged, and marks what it found there', async () => {
    const right = await run('check', ...small, '--timeline', at('checked.svg'))
    expect(right.stdout).toContain(`a timeline to ${at('checked.svg')}`)
    await run('trace', ...small, '-o', at('traced.svg'))
    expect(fs.readFileSync(at('checked.svg'), 'utf8')).toBe(fs.readFileSync(at('traced.svg'), 'utf8'))
    // found by exploring, in another schedule than the first: that one is drawn
    for (const words of [['zoo/R1'], ['zoo/D4', '--explore']]) {
      expect(await run('check', ...words, '--timeline', at('wrong.svg'))).toMatchObject({ status: 1 })
      expect(fs.readFileSync(at('wrong.svg'), 'utf8')).toMatch(/class="finding" data-id="(R1|D4)"/)
    }
    fs.writeFileSync(at('t.jsonl'), '')
    const refused = await run('check', at('t.jsonl'), '--timeline', at('no.svg'))
    expect(refused.stderr).toMatch(/^tcspec: --timeline: expected a kernel or a program, found the trace/)
  })
  it('run says what it did: stages, barriers, work; by hand, 1 tile in 3 steps with 2 slots', async () => {
    const { stdout } = await run('run', ...small)
    expect(stdout).toContain('stages      2: a_smem of 2,048 bytes each, b_smem of 1,024 bytes each\n')
    expect(stdout).toContain('barriers    loaded:   2, 2 arrivals each; 3 phases\n')
    expect(stdout).toMatch(/\n {12}consumed: 2, 1 arrival each; \d phases?\n/)
    // 64 x 32 x 48 multiply-adds; 64 x 48 and 48 x 32 elements in, 64 x 32 out
    expect(stdout).toContain(
      'did         TMA load 6 (9,216 bytes), wgmma 3 (98,304 multiply-adds), TMA store 1 (4,096 bytes)\n',
    )
  })
  it('a bad run is shown all the same', async () => {
    expect(await run('trace', 'zoo/B5')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('blocked'),
    })
  })
})

describe('refusals: status 2, one line, nothing written', () => {
  const table: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [['nobody'], /did you mean queue, /],
    [['@broken.jsonl'], /broken\.jsonl: line 2: \$\.i: expected 0, found 7/],
    [['@missing.jsonl'], /missing\.jsonl/],
    [['@broken.jsonl', '--set', 'm=3'], /--set: expected a kernel or a program, found/],
    [
      ['hopper-matmul', '--format', 'png'],
      /--format: expected table\|lanes\|perfetto\|svg\|jsonl, found 'png'/,
    ],
    [['hopper-matmul', '--first', '0'], /--first: expected a positive integer, found '0'/],
    [['hopper-matmul', '--schedule', 'fast'], /--schedule/],
    [['hopper-matmul', '--set', 'm=100'], /m is 100/],
  ]
  it.each(table)('%j', async (argv, message) => {
    const header = {
      schema: 'tcspec.trace/1',
      arch: 'sm90a',
      program: 'x',
      agents: [],
      ctas: 1,
      planes: [],
      tensors: [],
      computes: null,
      barriers: [],
      sites: [],
      nondeterminism: [],
    }
    fs.writeFileSync(at('broken.jsonl'), `${JSON.stringify(header)}\n{"i":7,"_tag":"cluster","id":0}\n`)
    const out = at('out.txt')
    const ran = await run('trace', ...argv.map((word) => word.replace('@', `${dir}/`)), '-o', out)
    expect(ran).toMatchObject({ status: 2, stdout: '' })
    expect(ran.stderr).toMatch(message)
    expect(ran.stderr.trimEnd()).not.toContain('\n')
    expect(fs.existsSync(out)).toBe(false)
  })
})
