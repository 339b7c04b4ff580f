import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brokenOf, foreign, laneTwins, programName, zoo } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed, kernels } from '../../../src/kernels/catalogue/index.js'
import type { Outcome, World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { parseOver } from '../../../src/oracle/cli/flags/machine.js'
import { algebraOf, inputsOf, outputOf } from '../../../src/oracle/cli/tensors.js'
import { decode } from '../../../src/numerics/float-format.js'
import { readScheduleFile, scheduleFile } from '../../../src/oracle/cli/schedule.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { printJson } from '../../../src/semantics/files/codec.js'
import { lazy } from '../../../src/semantics/execution/policy.js'
import { readKeys } from '../../../src/semantics/files/schedule.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const conformance = fileURLToPath(new URL('../../../conformance', import.meta.url))
const golden = (name: string): string => path.join(conformance, 'kernels', `matmul_${name}.npy`)
const world: World = { ...worldOf(onDisk), conformance }
const run = running(world)

let dir = ''
const at = (name: string): string => path.join(dir, name)
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-kernels-'))
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

const small = ['--set', 'm=64', 'n=32', 'k=48', 'tileK=16', 'stages=2']
const json = (o: Outcome): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(o.stdout)
  if (typeof value !== 'object' || value === null) throw new Error('no object')
  return Object.fromEntries(Object.entries(value))
}

// ---------------------------------------------------------------- the zoo

describe('the zoo by name', () => {
  it('check zoo/R1: the finding, status 1; its twin is ok', async () => {
    const bad = await run('check', 'zoo/R1')
    expect(bad).toMatchObject({ status: 1, stderr: '' })
    expect(bad.stdout).toMatch(
      /R1 {2}read before arrival[^]*load s[^]*read s[^]*fix +wait for full@0 \(phase 0\)/,
    )
    expect(await run('check', 'zoo/R1-fixed')).toMatchObject({ status: 0, stderr: '' })
  })
  it('a contract needs --strict; a refusal is one line', async () => {
    expect(await run('check', 'zoo/B8')).toMatchObject({ status: 0 })
    expect(await run('check', 'zoo/B8', '--strict')).toMatchObject({ status: 1 })
    const refused = await run('check', 'zoo/A1')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toMatch(/A1.*232448 bytes/)
  })
  it('lanes: the text, its launch and its twin, as PTX in a file would be', async () => {
    for (const { path, id, shows } of laneTwins) {
      const bad = await run('check', path, '--json')
      expect([bad.status, bad.stderr]).toEqual([1, ''])
      expect(json(bad)).toMatchObject({
        verdict: 'hazard',
        findings: [{ id, a: { site: shows.a }, b: { site: shows.b } }],
      })
      const mended = await run('check', `${path}-fixed`, '--json')
      expect([mended.status, mended.stderr]).toEqual([0, ''])
      expect(json(mended)).toMatchObject({ verdict: 'ok', findings: [], notes: [] })
      expect(await run('kernels', path)).toMatchObject({ status: 0, stderr: '' })
    }
    // a file of this name is a file
    expect((await run('check', 'zoo/D5.ptx')).stderr).toContain('zoo/D5.ptx')
    const swept = await run('check', 'zoo/D5', '--mend', '1')
    expect([swept.status, swept.stdout.includes('fix (checked): bar.warp.sync')]).toEqual([0, true])
  })
  it('foreign bugs too; an unknown name says what there is', async () => {
    expect((await run('check', 'foreign/early-release')).stdout).toContain('W2')
    const unknown = await run('check', 'zoo/R9')
    expect(unknown.status).toBe(2)
    expect(unknown.stderr).toMatch(
      /no kernel named 'zoo\/R9'; did you mean zoo\/R1, zoo\/\w+ or zoo\/\w+\? `tcspec kernels` lists all names\.\n$/,
    )
  })
})

// ---------------------------------------------------------------- golden runs

describe('golden runs: files in, file out, 0 bits different from the chip', () => {
  it('f16 256 x 256 x 256', async () => {
    const out = at('out.npy')
    const ran = await run(
      ...['run', 'hopper-matmul', '--in', `a=${golden('f16_256x256x256_a')}`],
      ...[`b=${golden('f16_256x256x256_b')}`, '--out', `out=${out}`],
    )
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    expect(ran.stdout).toContain('0 of 65,536 elements differ from naive matmul')
    expect(ran.stdout).toContain('no hazards in any schedule')
    expect(ran.stdout).not.toContain('\u001b')
    expect(await run('compare', out, golden('f16_256x256x256_out'))).toMatchObject({ status: 0 })
    expect(fs.readFileSync(out).equals(fs.readFileSync(golden('f16_256x256x256_out')))).toBe(true)
  })
  it.runIf(nightly)('bf16 512 x 512 x 1024, as bits in u2', async () => {
    const out = at('bf16.npy')
    const ran = await run(
      ...['run', 'hopper-matmul', '--no-hazards', '--json', '--out', `out:bf16=${out}`],
      ...['--in', `a:bf16=${golden('bf16_512x512x1024_a_bf16bits')}`],
      ...[`b:bf16=${golden('bf16_512x512x1024_b_bf16bits')}`],
    )
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    expect(json(ran)).toMatchObject({
      schema: 'tcspec.verdict/2',
      settings: { m: 512, n: 512, k: 1024, dtype: 'bf16' },
      comparison: { equal: true, different: 0, elements: 262144 },
    })
    expect(
      await run('compare', '--dtype', 'bf16', out, golden('bf16_512x512x1024_out_bf16bits')),
    ).toMatchObject({ status: 0 })
  })
})

// ---------------------------------------------------------------- every way to run

describe('tcspec run', () => {
  it.each(['bits', 'real64', 'field', 'field:7', 'unit', 'tiles'])('over %s', async (over) => {
    const ran = await run('run', 'hopper-matmul', ...small, '--over', over, '--json')
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    const v = json(ran)
    expect(v).toMatchObject({ verdict: 'ok', findings: [], settings: { m: 64, n: 32, k: 48 } })
    if (over === 'tiles') expect(v).toMatchObject({ provenance: { proved: true } })
    else expect(v['provenance']).toBeNull()
    if (over === 'unit' || over === 'tiles') expect(v['comparison']).toBeUndefined()
    else expect(v).toMatchObject({ comparison: { equal: true, elements: 2048 } })
  })
  it.each(['eager', 'lazy', 'roundrobin', 'seeded:3'])(
    'schedule %s: the same order, the same output',
    async (schedule) => {
      const digests = await Promise.all([
        run('run', 'hopper-matmul', ...small, '--json'),
        run('run', 'hopper-matmul', ...small, '--json', '--schedule', schedule),
      ])
      expect(json(digests[0])['digest']).toEqual(json(digests[1])['digest'])
    },
  )
  it('hopper and ieee32 arithmetic each agree with their own naive matmul, and differ from one another', async () => {
    const outs = ['hopper', 'ieee32'].map((chip) => at(`${chip}.npy`))
    for (const [i, chip] of ['hopper', 'ieee32'].entries())
      expect(
        await run(
          'run',
          'hopper-matmul',
          '--arithmetic',
          chip,
          '--set',
          'm=64',
          'n=64',
          'k=256',
          '--out',
          `out=${outs[i]!}`,
        ),
      ).toMatchObject({ status: 0 })
    expect(await run('compare', outs[0]!, outs[1]!)).toMatchObject({ status: 1 })
  })
  it('outputs of the other algebras travel as f8 and u4', async () => {
    for (const [over, dtype] of [
      ['real64', 'f64'],
      ['field', 'u32'],
    ] as const) {
      const file = at(`${over}.npy`)
      expect(
        await run('run', 'hopper-matmul', ...small, '--over', over, '--out', `out=${file}`),
      ).toMatchObject({ status: 0 })
      expect(json(await run('compare', file, file, '--json'))).toMatchObject({ dtype, shape: [64, 32] })
    }
  })
  it('a broken kernel: status 1, its finding, its schedule, which replays', async () => {
    const file = at('schedule.txt')
    const broken = [
      'hopper-matmul',
      '--set',
      'm=64',
      'n=32',
      'k=64',
      'tileK=16',
      'stages=2',
      '--without',
      'wgmma_wait 1',
    ]
    const ran = await run('run', ...broken, '--schedule', 'seeded:5', '--record', file)
    expect(ran).toMatchObject({ status: 1, stderr: '' })
    expect(ran.stdout).toMatch(/^W3 {2}wgmma operand overwritten in flight$/m)
    expect(ran.stdout).toContain('replay    --schedule seeded:5')
    const again = await run('run', ...broken, '--schedule', `recorded:${file}`, '--json')
    const first = await run('run', ...broken, '--schedule', 'seeded:5', '--json')
    // the same but for how it is told to replay: by name, or event by event
    const untold = (document: Record<string, unknown>): unknown => ({
      ...document,
      schedules: [],
      findings: (document['findings'] as ReadonlyArray<object>).map((f) => ({ ...f, replay: '' })),
    })
    expect(untold(json(again))).toEqual(untold(json(first)))
    expect(json(first)['schedules']).toEqual(['seeded:5'])
    expect(json(again)['schedules']).toEqual([expect.stringMatching(/^\d+:\d+( \d+:\d+(\/[a-z]+\.\d+)?)+$/)])
    expect(json(again)).toMatchObject({ verdict: 'hazard' })
  })
  it('a wrong result is one, though nothing is out of order', async () => {
    const ran = await run('run', 'hopper-matmul', ...small, '--without', 'wgmma', '--json')
    expect(ran.status).toBe(1)
    expect(json(ran)).toMatchObject({
      verdict: 'wrong-result',
      reason: expect.stringMatching(/^20\d\d of 2048|^2,0\d\d of 2,048 elements differ from naive matmul$/),
    })
    const text = await run('run', 'hopper-matmul', ...small, '--without', 'wgmma')
    expect(text.stdout).toMatch(/ulp +elements/)
  })
  it('a run that does not end writes no output', async () => {
    const file = at('never.npy')
    const ran = await run('run', 'hopper-matmul', ...small, '--without', 'copy a', '--out', `out=${file}`)
    expect(ran).toMatchObject({ status: 1 })
    expect(ran.stdout).toContain('deadlock')
    expect(fs.existsSync(file)).toBe(false)
  })
  it('colours only for a terminal', async () => {
    const ran = await tcspec(commands, { ...world, colours: true })(['run', 'hopper-matmul', ...small])()
    expect(ran.stdout).toContain('\u001b[32m')
  })
})

describe('tcspec check', () => {
  it('a kernel: the verdict and the proof', async () => {
    const ran = await run('check', 'hopper-matmul', ...small)
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^proved +out = a @ b for all inputs of shape \(64, 48\) x \(48, 32\)/m)
    expect(ran.stdout).toMatch(/^not checked +races between the threads of one agent/m)
  })
  it('what one schedule leaves open a few others show; all of them are searched if that is asked', async () => {
    const broken = [
      'check',
      'hopper-matmul',
      '--set',
      'm=64',
      'n=32',
      'k=64',
      'tileK=16',
      'stages=2',
      '--without',
      'wait consumed',
    ]
    const once = await run(...broken)
    expect(once.status).toBe(1)
    expect(once.stdout).toMatch(/^verdict +(hazard|deadlock)/m)
    expect(once.stdout).toMatch(/^decided by +exploration of \d schedules/m)
    expect(json(await run(...broken, '--explore', '--json'))).toMatchObject({
      verdict: 'deadlock',
      decidedBy: 'exploration',
    })
  })
  it('a program in a file runs as the kernel does, on the same files', async () => {
    const made = right(instanceOf(right(kernelNamed('hopper-matmul')), { m: 64, n: 32, k: 48 }, []))
    fs.writeFileSync(at('r.json'), printJson(made.program))
    const named = await run(
      'run',
      'hopper-matmul',
      '--set',
      'm=64',
      'n=32',
      'k=48',
      '--out',
      `out=${at('o.npy')}`,
    )
    expect(await run('run', at('r.json'), '--out', `out=${at('p.npy')}`)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('0 of 2,048 elements differ from naive matmul'),
    })
    expect(named.status).toBe(0)
    expect(fs.readFileSync(at('p.npy'))).toEqual(fs.readFileSync(at('o.npy')))
    const wrong: ReadonlyArray<readonly [string, string, RegExp]> = [
      ['a', golden('f16_256x256x256_a'), /_a\.npy: expected a of shape \(64, 48\), found shape \(256, 256\)/],
      ['a', golden('bf16_512x512x1024_a_bf16bits'), /expected elements of f16 for a, found u16/],
      ['x', golden('f16_256x256x256_a'), /expected an input of hopper-matmul, a, b, found 'x'/],
    ]
    for (const [name, file, message] of wrong) {
      const refused = await run('run', at('r.json'), '--in', `${name}=${file}`)
      expect(refused).toMatchObject({ status: 2, stdout: '' })
      expect(refused.stderr).toMatch(message)
    }
  })
  it('a program that does not say what it computes runs all the same', async () => {
    expect(await run('run', 'zoo/R1-fixed')).toMatchObject({ status: 0, stderr: '' })
    expect(await run('run', 'zoo/R1')).toMatchObject({ status: 1, stderr: '' })
  })
  it('a program in a file has the verdict of the kernel', async () => {
    const kernel = right(kernelNamed('hopper-matmul'))
    const made = right(instanceOf(kernel, { m: 64, n: 32, k: 48 }, []))
    fs.writeFileSync(at('p.json'), printJson(made.program))
    const [file, name] = [
      json(await run('check', at('p.json'), '--json')),
      json(await run('check', 'hopper-matmul', '--set', 'm=64', 'n=32', 'k=48', '--json')),
    ]
    expect({ ...file, settings: null }).toEqual({ ...name, settings: null })
  })
  it('products of one thread are in the order that is asked for, in a kernel and in its trace', async () => {
    const fa4 = ['fa4-attention', '--set', 'stages=2', 'headDim=64', 'blockKv=64', 'heads=1', 'kv=192']
    const file = at('fa4.jsonl')
    expect(await run('run', ...fa4, '--over', 'tiles', '--trace', file)).toMatchObject({ status: 0 })
    for (const subject of [fa4, [file]]) {
      expect((await run('check', ...subject, '--json')).status).toBe(0)
      const asked = await run('check', ...subject, '--tensor-pipe', 'documented')
      expect(asked.status).toBe(1)
      const ids = [...asked.stdout.matchAll(/^([A-Z]\d) {2}/gm)].map(([, id]) => id)
      expect(new Set(ids)).toEqual(new Set(['D4']))
      expect(await run('check', ...subject, '--tensor-pipe', 'fifo')).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(/--tensor-pipe: expected issue-order\|documented, found 'fifo'/),
      })
    }
  })
  it('the trace of a run has the verdict of the run', async () => {
    for (const [dropped, status] of [
      [[], 0],
      [['--without', 'commit_smem'], 1],
    ] as const) {
      const file = at('run.jsonl')
      const ran = json(
        await run('run', 'hopper-matmul', ...small, ...dropped, '--over', 'tiles', '--trace', file, '--json'),
      )
      const judged = await run('check', file, '--json')
      expect(judged.status).toBe(status)
      const v = json(judged)
      for (const part of ['verdict', 'conditions', 'provenance', 'kernel'] as const)
        expect(v[part]).toEqual(ran[part])
      expect((await run('check', file)).stdout).toContain('of hopper-matmul')
    }
  })
})

describe('tcspec kernels and demo', () => {
  it('lists the kernels, a line each, no wider than the terminal', async () => {
    for (const columns of [60, 200]) {
      const { stdout } = await tcspec(commands, { ...world, columns })(['kernels'])()
      const longest = Math.max(...stdout.split('\n').map((line) => line.length))
      expect(longest).toBeLessThanOrEqual(columns)
      expect(longest).toBeGreaterThan(columns === 200 ? 110 : 40)
      for (const { name } of kernels) expect(stdout).toMatch(new RegExp(`^${name} `, 'm'))
      if (columns === 200) expect(stdout.split('\n').length).toBeLessThan(kernels.length + 8)
    }
  })
  it('of one: every setting; of a name that is none: three that may have been meant', async () => {
    const ofZoo = await run('kernels', 'zoo/R1')
    expect(ofZoo).toMatchObject({ status: 0, stdout: expect.stringContaining('takes no settings') })
    expect((await run('kernels', 'hopper')).stderr).toMatch(
      /^tcspec: no kernel named 'hopper'; did you mean hopper-\S+, hopper-\S+ or hopper-\S+\? `tcspec kernels` lists all names\.\n$/,
    )
    expect(JSON.parse((await run('kernels', 'queue', '--json')).stdout)).toMatchObject({
      kernels: [{ name: 'queue', parameters: expect.any(Array) }],
    })
    const text = await run('kernels', 'hopper-matmul')
    expect(text).toMatchObject({ status: 0, stderr: '' })
    for (const s of ['hopper-matmul', 'm', 'n', 'k', 'tileM', 'tileN', 'tileK', 'stages', 'dtype'])
      expect(text.stdout).toMatch(new RegExp(`^ *${s}( |$)`, 'm'))
    expect(JSON.parse((await run('kernels', '--json')).stdout)).toMatchObject({
      schema: 'tcspec.kernels/1',
      kernels: kernels.map(({ name }) => ({
        name,
        parameters: expect.any(Array),
        tensors: expect.any(Array),
        broken: brokenOf(name).map(({ without }) => expect.objectContaining({ without })),
      })),
      twins: [...zoo, ...laneTwins, ...foreign].map((t) => ({
        name: programName(t, false),
        fixed: programName(t, true),
        id: t.id,
        title: t.title,
        fix: t.fix,
        verdict: t.shows.verdict,
      })),
    })
    expect(JSON.parse((await run('kernels', 'zoo/R1-fixed', '--json')).stdout)).toMatchObject({
      kernels: [{ name: 'zoo/R1-fixed', broken: [] }],
      twins: [{ name: 'zoo/R1', id: 'R1' }],
    })
    expect(JSON.parse((await run('kernels', 'queue', '--json')).stdout).twins).toEqual([])
  })
  it('the demo shows what it says, with the captured data and without', async () => {
    // by day the captured data, whose product is as large
    const full = await run('demo')
    const bare = nightly ? await tcspec(commands, { ...world, conformance: null })(['demo'])() : null
    expect(full).toMatchObject({ status: 0, stderr: '' })
    expect(full.stdout).toContain(
      "0 of 65,536 elements differ from the output of JAX's Hopper kernel on an H100",
    )
    if (bare !== null) {
      expect(bare).toMatchObject({ status: 0, stderr: '' })
      expect(bare.stdout).toContain('0 of 65,536 elements differ from naive matmul')
    }
    for (const { stdout } of bare === null ? [full] : [full, bare]) {
      expect(stdout).toMatch(/^W1 {2}overwritten before it was consumed$/m)
      expect(stdout).toMatch(/fix +wait for consumed\[0\]@0/)
      expect(stdout.split('\n').length).toBeLessThan(80)
    }
  })
})

// ---------------------------------------------------------------- wrong on purpose

describe('wrong on purpose: status 2 and one line', () => {
  const files: Readonly<Record<string, string>> = {
    truncated: 'truncated.npy',
    f32: 'f32.npy',
    vector: 'vector.npy',
    b: 'b.npy',
    text: 'words.txt',
    json: 'broken.json',
    trace: 'broken.jsonl',
    new: 'new.svg',
    same: './new.svg',
    png: 'new.png',
  }
  const npy = (descr: string, shape: string, bytes: number): Buffer => {
    const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + '\n'
    return Buffer.concat([
      Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]),
      Buffer.from(header),
      Buffer.alloc(bytes),
    ])
  }
  beforeAll(() => {
    fs.writeFileSync(at(files['truncated']!), fs.readFileSync(golden('f16_256x256x256_a')).subarray(0, 5000))
    fs.writeFileSync(at(files['f32']!), npy('<f4', '(64, 64)', 64 * 64 * 4))
    fs.writeFileSync(at(files['vector']!), npy('<f2', '(64,)', 128))
    fs.writeFileSync(at(files['b']!), npy('<f2', '(128, 64)', 128 * 64 * 2))
    fs.writeFileSync(at(files['text']!), '0:1 0:2 nonsense')
    fs.writeFileSync(at(files['json']!), '{"schema": 3}')
    fs.writeFileSync(at(files['trace']!), '{"schema":"tcspec.trace/1"}\n')
  })
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
    [
      'a folder of kernels',
      ['check', 'zoo/'],
      /'zoo\/' names several kernels; `tcspec kernels zoo\/` lists them/,
    ],
    [
      'unknown kernel',
      ['run', 'matmul9'],
      /no kernel named 'matmul9'; did you mean matmul0, matmul1 or matmul2\?/,
    ],
    [
      'unknown kernel of check',
      ['check', 'matmul9'],
      /no kernel named 'matmul9'; did you mean matmul0, matmul1 or matmul2\?/,
    ],
    [
      'unknown kernel before a missing file',
      ['run', 'matmul9', '--in', 'a=none.npy'],
      /no kernel named 'matmul9'/,
    ],
    ['missing file', ['run', 'hopper-matmul', '--in', 'a=none.npy'], /none\.npy: no such file/],
    [
      'truncated file',
      ['run', 'hopper-matmul', '--in', 'a=@truncated'],
      /truncated\.npy: expected 131072 bytes/,
    ],
    [
      'wrong dtype',
      ['run', 'hopper-matmul', '--in', 'a=@f32'],
      /f32\.npy: expected elements of f16 or bf16, found f32/,
    ],
    [
      'wrong rank',
      ['run', 'hopper-matmul', '--in', 'a=@vector'],
      /vector\.npy: expected a of shape \(m, k\)/,
    ],
    ['no such input', ['run', 'hopper-matmul', '--in', 'x=@b'], /no input 'x'.*inputs: a, b/],
    [
      'K mismatch',
      ['run', 'hopper-matmul', '--in', `a=${golden('f16_256x256x256_a')}`, 'b=@b'],
      /k is 256 by .*_a\.npy of shape \(256, 256\), but 128 by .*b\.npy of shape \(128, 64\)/,
    ],
    ['no legal tile', ['run', 'hopper-matmul', '--set', 'm=100'], /m is 100: expected a multiple of 64/],
    ['illegal tile', ['run', 'hopper-matmul', '--set', 'm=192', 'tileM=128'], /tileM is 128.*64, 192/],
    [
      'unknown setting',
      ['run', 'hopper-matmul', '--set', 'M=64'],
      /unknown setting 'M'; known settings: m, n/,
    ],
    ['no number', ['run', 'hopper-matmul', '--set', 'm=x'], /m: expected an integer, found 'x'/],
    ['setting twice', ['run', 'hopper-matmul', '--set', 'm=64', 'm=64'], /each setting once/],
    ['unknown flag', ['run', 'hopper-matmul', '--fast'], /unknown option '--fast'/],
    ['no kernel', ['run'], /missing required argument 'kernel'/],
    ['unknown algebra', ['run', 'hopper-matmul', '--over', 'f64'], /--over: expected bits\|real64/],
    ['unknown chip', ['run', 'hopper-matmul', '--arithmetic', 'ampere'], /hopper\|blackwell\|ieee32/],
    ['unknown schedule', ['run', 'hopper-matmul', '--schedule', 'fifo'], /eager\|lazy/],
    ['schedule file missing', ['run', 'hopper-matmul', '--schedule', 'recorded:none'], /none: no such file/],
    [
      'schedule file of words',
      ['run', 'hopper-matmul', '--schedule', 'recorded:@text'],
      /'nonsense' as word 3/,
    ],
    [
      'unknown output',
      ['run', 'hopper-matmul', '--out', 'c=c.npy'],
      /--out: expected an output of hopper-matmul, out, found 'c'/,
    ],
    [
      'output of nothing',
      ['run', 'hopper-matmul', '--over', 'unit', '--out', 'out=c.npy'],
      /computes no elements/,
    ],
    [
      'wrong output dtype',
      ['run', 'hopper-matmul', '--out', 'out:bf16=c.npy'],
      /--out out: expected f16, found 'bf16'/,
    ],
    [
      'output nowhere',
      ['run', 'hopper-matmul', ...small, '--out', 'out=/none/such/c.npy'],
      /expected a directory \/none\/such/,
    ],
    [
      'one file by two options',
      ['run', 'hopper-matmul', ...small, '--trace', '@new', '--record', '@new'],
      /--record and --trace: expected two files, found '.*new.svg' for both/,
    ],
    [
      'one file for two outputs, by two names',
      ['run', 'hopper-matmul', ...small, '--out', 'out=@new', '--timeline', '@same'],
      /--out out and --timeline: expected two files, found '.*new.svg' for both/,
    ],
    ['the program replaced', ['check', '@json', '--record', '@json'], /a file other than the input/],
    ['the trace replaced', ['trace', '@trace', '-o', '@trace'], /a file other than the input/],
    [
      'an output without a name',
      ['check', 'zoo/R1', '--record', ''],
      /--record: expected a file, found nothing/,
    ],
    [
      'an output to standard output',
      ['check', 'zoo/R1', '--record', '-'],
      /--record: expected a file \(standard output has the answer\), found '-'/,
    ],
    ['a picture that is none', ['trace', 'zoo/R1', '-o', '@png'], /ends in \.txt, \.jsonl, \.json, \.svg/],
    [
      'two settings of one option',
      ['check', 'zoo/R1', '--schedule', 'lazy', '--schedule', 'eager'],
      /found twice/,
    ],
    [
      'tensors that no memory holds',
      ['run', 'hopper-matmul', '--set', 'm=1000000000', '--fuel', '100000000000'],
      /expected tensors of at most 536,870,912 elements together, found 832,000,147,456/,
    ],
    ['a size beyond 32 bits', ['run', 'hopper-matmul', '--set', 'm=1e10'], /an integer of 32 bits/],
    ['a trace to run', ['run', '@trace'], /expected a kernel or a program, found the trace/],
    ['a trace to change', ['mutate', '@trace'], /expected a kernel or a program, found the trace/],
    ['a program that is none to run', ['run', '@json'], /broken\.json: /],
    ['a program that is none to change', ['mutate', '@json'], /broken\.json: /],
    ['no such label', ['check', 'hopper-matmul', '--without', 'x'], /no statement 'x'.*'init loaded\[0\]'/],
    ['a program that is none', ['check', '@json'], /broken\.json: /],
    ['a trace that is none', ['check', '@trace'], /broken\.jsonl: line 1/],
    ['a program with settings', ['check', '@json', '--set', 'm=1'], /a program in a file has no settings/],
    ['a trace explored', ['check', '@trace', '--explore'], /--explore: expected a kernel or a program/],
    ['a trace under a schedule', ['check', '@trace', '--schedule', 'lazy'], /--schedule: expected a kernel/],
    ['missing program', ['check', 'none.json'], /none\.json: no such file/],
  ]
  const filled = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
    argv.map((word) => word.replace(/@(\w+)/, (_, name: string) => at(files[name]!)))
  it.each(cases)('%s', async (_, argv, message) => {
    const plain = await run(...filled(argv))
    expect(plain).toMatchObject({ status: 2, stdout: '' })
    expect(plain.stderr).toMatch(/^tcspec: [^\n]*\n$/)
    expect(plain.stderr).toMatch(message)
    const document = await run(...filled(argv), '--json')
    expect(document).toMatchObject({ status: 2, stderr: plain.stderr })
    expect(json(document)).toMatchObject({ error: { message: plain.stderr.slice('tcspec: '.length, -1) } })
  })
})

const empty = new Map([
  [
    'e.ptx',
    new TextEncoder().encode(
      '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n  bar.sync 0;\n  ret;\n}\n',
    ),
  ],
])
empty.set('e.json', new TextEncoder().encode('{"grid": [65536], "block": [32], "args": [], "outputs": []}'))
const words = (line: string): ReadonlyArray<string> => line.split(' ')

describe('what a run costs is known before it starts', () => {
  it.each([
    ['check --every-cta', 'hopper-persistent', 'blocks=1048576'],
    ['check --every-cta', 'matmul6', 'clusters=1048576'],
    ['run', 'hopper-ping-pong', 'blocks=2147483647'],
    ['trace', 'hopper-persistent', 'blocks=1048576'],
    ['mutate', 'matmul4', 'clusters=1048576'],
  ])('%s %s %s is refused at once', async (command, kernel, setting) => {
    const { status, stderr } = await run(...words(command), kernel, '--set', setting)
    expect(stderr).toMatch(
      /^tcspec: [\w-]+: expected a run of at most [\d,]+ events, found one of at least [\d,]+: make it smaller, or say --fuel EVENTS\n$/,
    )
    expect(status).toBe(2)
  })
  it.each([
    ['check', '--grid', '1000000', '--block', '128'],
    ['run', '--grid', '1000,1000', '--block', '1024'],
    ['trace', '--grid', '65536', '--block', '32'],
    ['mutate', '--launch', 'e.json'],
  ])(
    'a launch of PTX that is too large for %s %s %s is refused at once, and with what it costs',
    async (command, ...launch) => {
      const { status, stderr } = await tcspec(
        commands,
        worldOf(inMemory(empty)),
      )([command, 'e.ptx', ...launch])()
      expect(stderr).toMatch(
        /^tcspec: e\.ptx: expected a launch of at most 16,384 CTAs, found [\d,]+ of \d+ warps: at least [\d,]+ events, some [\d,]+ s\. Make the grid smaller, or say --fuel EVENTS\n$/,
      )
      expect(status).toBe(2)
    },
  )
  // of twice as many CTAs no launch is taken that runs them all
  const many = nightly ? 1_048_576 : 8_448
  it('unless one cluster of each class decides', async () => {
    const { status, stdout } = await run('check', 'matmul6', '--set', `clusters=${String(many)}`)
    expect(stdout).toContain(`4 of ${(2 * many).toLocaleString('en-US')} run`)
    expect(status).toBe(0)
  })
  it('a run that its fuel has stopped is told as far as it went, and not gone on with', async () => {
    const begun = performance.now()
    const { status, stdout } = await tcspec(
      commands,
      worldOf(inMemory(empty)),
    )(words('run matmul6 --set clusters=16000 --over unit --fuel 500'))()
    expect(stdout).toMatch(/out-of-fuel|undecided/)
    expect([status, performance.now() - begun < 5000]).toEqual([3, true])
  })
  it('who says how far it is to go is given that: too little is no verdict', async () => {
    const { status, stdout } = await run(
      'check',
      'matmul6',
      '--set',
      `clusters=${String(many)}`,
      '--fuel',
      '100',
    )
    expect(stdout).toMatch(/out-of-fuel|undecided/)
    expect(status).toBe(3)
  })
  it('and what is enough for one cluster of each class is enough for all', async () => {
    const asked = async (clusters: number): Promise<ReadonlyArray<string>> => {
      const words = ['check', 'matmul6', '--set', `clusters=${String(clusters)}`, '--fuel', '500']
      const { status, stdout } = await run(...words)
      expect(status).toBe(0)
      expect(stdout).toContain(`4 of ${(2 * clusters).toLocaleString('en-US')} run`)
      return stdout.split('\n').filter((line) => /^(verdict|conditions|proved)/.test(line))
    }
    const all = await asked(many)
    expect(all[0]).toMatch(/ ok: no hazards in any schedule/)
    expect(all).toEqual(await asked(64))
  })
})

describe('outputs are looked at before anything is computed', () => {
  const unused: World = {
    ...world,
    progress: () => {
      throw new Error('it runs')
    },
  }
  const before = (...argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, unused)(argv)()
  it.each([
    ['run', '--trace'],
    ['run', '--timeline'],
    ['run', '--record'],
    ['check', '--record'],
  ])('%s %s', async (command, flag) => {
    const words = [command, 'zoo/R1-fixed', ...(command === 'run' ? ['--over', 'unit'] : [])]
    expect(await before(...words, flag, '/none/such/x.svg')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'tcspec: /none/such/x.svg: expected a directory /none/such to write to, found none\n',
    })
    expect(await before(...words)).toMatchObject({ status: 70 })
  })
  it('nothing is half written: the output of a run whose trace has no place', async () => {
    const words = ['run', 'hopper-matmul', ...small, '--out', `out=${at('half.npy')}`]
    expect(await run(...words, '--trace', '/none/such/x')).toMatchObject({ status: 2 })
    expect(fs.existsSync(at('half.npy'))).toBe(false)
  })
})

describe('tensors between files and a machine', () => {
  const program = (() => {
    const kernel = right(kernelNamed('hopper-matmul'))
    const made = right(instanceOf(kernel, { m: 64, n: 32, k: 48 }, []))
    return made.program
  })()
  const inputs = (text: string): ReadonlyMap<string, Float64Array> => {
    const over = right(parseOver(text))
    return right(inputsOf(program, algebraOf(over, 'hopper', true), over, new Map()))
  }
  it('seeded elements are one tensor, seen by each algebra', () => {
    const [patterns, values] = [inputs('bits'), inputs('real64')]
    expect([...patterns.keys()]).toEqual(['a', 'b'])
    expect([patterns.get('a')!.length, patterns.get('b')!.length]).toEqual([64 * 48, 48 * 32])
    for (const [name, p] of patterns) expect(values.get(name)).toEqual(p.map((x) => decode('f16', x)))
    expect(inputs('unit').size).toBe(0)
    // even residues, of which few are small
    const residues = inputs('field:1').get('a')!
    expect(residues.filter((r) => r < 2 ** 25).length / residues.length).toBeCloseTo(0.5, 1)
    expect(inputs('field:2').get('a')).not.toEqual(residues)
  })
  it('law 1: in bits, the tensor of a carrier is the tensor that it came from', () => {
    const patterns = Float64Array.from({ length: 64 * 32 }, (_, i) => i * 31)
    const out = right(outputOf(program, { _tag: 'bits' }, 'out', patterns))
    expect(out).toMatchObject({ dtype: 'f16', shape: [64, 32] })
    expect(Float64Array.from(out.bits, Number)).toEqual(patterns)
    expect(outputOf(program, { _tag: 'unit' }, 'out', null)).toMatchObject(E.left({ code: 'output-missing' }))
  })
})

describe('schedule files', () => {
  it('laws 1 and 2', () => {
    const keys = '0:1 1:4/write.0 1:4/signal.1 2:3/read.0 0:9/all.0'
    const read = right(readKeys(`  ${keys.replaceAll(' ', '\n')}  `))
    expect(read).toEqual([
      { agent: 0, at: 1, stage: 'agent', part: 0 },
      { agent: 1, at: 4, stage: 'write', part: 0 },
      { agent: 1, at: 4, stage: 'signal', part: 1 },
      { agent: 2, at: 3, stage: 'read', part: 0 },
      { agent: 0, at: 9, stage: 'all', part: 0 },
    ])
    expect(new TextDecoder().decode(scheduleFile(read))).toBe(`${keys}\n`)
    // more than is encoded at a time
    const many = Array.from({ length: 2 ** 16 + 1 }, (_, at) => ({ ...read[0]!, at }))
    expect(right(readKeys(new TextDecoder().decode(scheduleFile(many))))).toEqual(many)
    expect(right(readScheduleFile('f')(' lazy\n'))).toBe(lazy)
    expect(readScheduleFile('f')('0:1 0-2')).toMatchObject(
      E.left({
        message:
          "f: expected event keys such as 0:12 or 1:4/write.0, or the name of a policy and detours such as 12=1:4/write.0 in their order, found '0-2' as word 2",
      }),
    )
  })
})
