/**
 * A kernel of Triton's at both levels, from the folder that its compiler keeps. Oracle: what is known of the kernels (`conformance/triton/levels/kernels.py`), the verdict that
 * each level has by itself, and the bits that a run of each leaves.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { npyOfTensor, tensor } from '../../../src/oracle/tensor-files/tensor.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const folder = new URL('../../../conformance/triton/levels/', import.meta.url)
const text = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const names = ['shifted', 'shifted_joined', 'summed', 'summed_joined', 'assembled']
const kept = new Map([
  ...names.flatMap((name) =>
    ['ttgir', 'ptx', 'json'].map((ending) => [`d/${name}.${ending}`, text(`${name}.${ending}`)] as const),
  ),
  ['d/kernels.py', text('kernels.py')],
])

const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  shifted: ['--grid', '1', '--arg', 'x=f32[512]', 'scratch=f32[512]', 'out=f32[512]'],
  summed: ['--grid', '1', '--arg', 'a=f16[128,64]', 'b=f16[192,64]', 'c=f32[128,64]'],
  assembled: ['--grid', '1', '--arg', 'x=f32[256]', 'out=f32[256]'],
}
const wordsOf = (name: string): ReadonlyArray<string> => words[name.replace('_joined', '')]!

/** A folder without some files, or with others in their place. */
const asked = async (
  command: string,
  file: string,
  more: ReadonlyArray<string> = [],
  other: Readonly<Record<string, string | null>> = {},
) => {
  const disk = new Map(
    [...kept, ...Object.entries(other)].flatMap(([name, held]) =>
      held === null ? [] : [[name, new TextEncoder().encode(held)] as const],
    ),
  )
  for (const [name, held] of Object.entries(other)) if (held === null) disk.delete(name)
  const stem = file.replace(/\.\w+$/u, '')
  const ran = await running(worldOf(inMemory(disk)))(command, `d/${file}`, ...wordsOf(stem), ...more)
  return { ...ran, disk }
}
const verdictOf = async (...words: Parameters<typeof asked>): Promise<Verdict> => {
  const [command, file, more = [], other] = words
  const { stdout } = await asked(command, file, [...more, '--json'], other)
  return right(decodeVerdict(JSON.parse(stdout)))
}
const results = ({ levels }: Verdict) => levels?.at.map(({ level, result }) => [level, result])

describe('two bugs that TTGIR has no words for', () => {
  test.each([
    ['shifted', ['D2', 'D5']],
    ['summed', ['W3']],
  ] as const)('%s: found, at the lines of the author', async (name, ids) => {
    expect((await verdictOf('check', `${name}.ttgir`, ['--level', 'ttgir'])).verdict).toBe('ok')
    const v = await verdictOf('check', `${name}.ttgir`)
    expect([v.verdict, results(v)]).toEqual([
      'hazard',
      [
        ['ttgir', 'ok'],
        ['ptx', 'hazard'],
      ],
    ])
    expect(v.findings.map(({ id }) => id).sort()).toEqual([...ids])
    for (const f of v.findings) {
      expect([f.levels, f.a.loc, f.b?.loc]).toEqual([
        ['ptx'],
        expect.stringMatching(/^kernels\.py:\d+/u),
        expect.stringMatching(/^kernels\.py:\d+/u),
      ])
      expect(f.replay).toMatch(/^--level ptx --schedule /u)
    }
    expect(v.levels?.difference).toContain('the threads of an agent act as one')
  })
  test.each(['shifted_joined', 'summed_joined'])('%s: ok at both', async (name) => {
    const v = await verdictOf('check', `${name}.ttgir`)
    expect([v.verdict, results(v), v.scope]).toEqual([
      'ok',
      [
        ['ttgir', 'ok'],
        ['ptx', 'ok'],
      ],
      [],
    ])
    expect(v.reason).toMatch(/, in TTGIR and in PTX$/u)
  })
  test('a finding of PTX has the fix in the language of the author', async () => {
    const { stdout } = await asked('check', 'shifted.ttgir')
    expect(stdout).toMatch(/fix +`tl\.debug_barrier\(\)` between `kernels\.py:\d+ st\.global/u)
  })
})

/** As findings call it. */
const firstStore = `store ${String(
  1 +
    text('shifted.ttgir')
      .split('\n')
      .findIndex((line) => line.includes('tt.store')),
)}`

describe('what is judged', () => {
  test('the level that is asked for alone has the verdict that it has by itself', async () => {
    const ptx = await verdictOf('check', 'shifted.ttgir', ['--level', 'ptx'])
    const both = await verdictOf('check', 'shifted.ttgir')
    expect(ptx.levels).toBeUndefined()
    expect(both.levels?.at[1]).toEqual({ level: 'ptx', result: ptx.verdict, reason: ptx.reason })
    expect(both.findings.map(({ id, a }) => [id, a.loc])).toEqual(
      ptx.findings.map(({ id, a }) => [id, a.loc]),
    )
  })
  test('the file of the compiler stands for the kernel', async () => {
    expect(results(await verdictOf('check', 'summed_joined.json'))).toEqual([
      ['ttgir', 'ok'],
      ['ptx', 'ok'],
    ])
  })
  test('without PTX the first line says so', async () => {
    const { stdout, status } = await asked('check', 'shifted.ttgir', [], { 'd/shifted.ptx': null })
    expect([status, stdout.replace(/\s+/gu, ' ')]).toEqual([
      0,
      expect.stringContaining('in TTGIR alone; PTX was not judged: there is no shifted.ptx in its folder'),
    ])
  })
  test('without the file of the compiler the shared memory of a launch is a guess', async () => {
    const v = await verdictOf('check', 'summed_joined.ttgir', [], { 'd/summed_joined.json': null })
    expect([v.verdict, v.scope.length]).toEqual(['ok', 1])
    expect(v.scope[0]).toContain('shared memory')
  })
  test('PTX that is refused makes no ok', async () => {
    const other = { 'd/shifted_joined.ptx': text('shifted_joined.ptx').replace('bar.sync', 'bar.unheard') }
    const v = await verdictOf('check', 'shifted_joined.ttgir', [], other)
    expect([v.verdict, results(v)]).toEqual([
      'undecided',
      [
        ['ttgir', 'ok'],
        ['ptx', 'refused'],
      ],
    ])
    expect(v.reason).toMatch(/PTX is refused: kernels\.py:\d+: .*'bar\.unheard' \(line \d+ of the PTX\)$/u)
    expect((await asked('check', 'shifted_joined.ttgir', [], other)).status).toBe(3)
  })
  test('TTGIR that is refused leaves the verdict to PTX, and the line says why', async () => {
    const v = await verdictOf('check', 'assembled.ttgir')
    expect([v.verdict, results(v)]).toEqual([
      'ok',
      [
        ['ttgir', 'refused'],
        ['ptx', 'ok'],
      ],
    ])
    expect(v.reason).toMatch(/in PTX alone; TTGIR is refused: kernels\.py:\d+: tt\.elementwise_inline_asm/u)
    expect((await asked('check', 'assembled.ttgir', ['--level', 'ttgir'])).status).toBe(2)
  })
  test('a launch that is wrong is refused, and no level makes up for it', async () => {
    expect((await asked('check', 'shifted.ttgir', ['--launch', 'd/none.json'])).status).toBe(2)
    const ran = await running(worldOf(inMemory(new Map())))('check', 'zoo/R1', '--level', 'ptx')
    expect([ran.status, ran.stderr]).toEqual([
      2,
      expect.stringContaining('--level: expected a kernel of Triton'),
    ])
  })
  test.each([
    ['--without', firstStore],
    ['--schedule', 'lazy'],
  ])('%s refers to the module', async (...flag) => {
    const v = await verdictOf('check', 'shifted.ttgir', flag)
    expect(v.levels?.at[1]).toMatchObject({
      result: 'not-judged',
      reason: `${flag[0] ?? ''} refers to the module`,
    })
  })
})

describe('run', () => {
  test('law 1 of lowered launches: the same elements before it, so the same bits behind it', async () => {
    const npy = (rows: number, seed: number): Uint8Array =>
      right(
        encodeNpy(
          npyOfTensor(
            right(
              tensor(
                'f16',
                [rows, 64],
                // between 1 and 2, of either sign
                Uint16Array.from(
                  { length: rows * 64 },
                  (_, i) => 0x3c00 + ((seed + 7919 * i) % 0x400) + (i % 3 === 0 ? 0x8000 : 0),
                ),
              ),
            ),
          ),
        ),
      )
    const left: Array<Uint8Array | undefined> = []
    for (const level of ['ttgir', 'ptx', 'auto']) {
      const disk = new Map<string, Uint8Array>(
        [...kept].map(([name, held]) => [name, new TextEncoder().encode(held)]),
      )
      disk.set('a.npy', npy(128, 1)).set('b.npy', npy(192, 2))
      const ran = await running(worldOf(inMemory(disk)))(
        ...['run', 'd/summed_joined.ttgir', ...wordsOf('summed'), '--in', 'a=a.npy', 'b=b.npy'],
        ...['--level', level, '--out', 'c=o.npy'],
      )
      expect([level, ran.status, ran.stderr]).toEqual([level, 0, ''])
      left.push(disk.get('o.npy'))
    }
    expect(left[0]?.length).toBeGreaterThan(4 * 128 * 64)
    expect(left[1]).toEqual(left[0])
    expect(left[2]).toEqual(left[0])
  })
  test('an output is written as its author sees it: extents and strides, also where PTX has memory alone', async () => {
    const values = Array.from({ length: 512 }, (_, i) => i + 1)
    const f32 = (shape: ReadonlyArray<number>, of: ReadonlyArray<number>): Uint8Array =>
      right(
        encodeNpy(npyOfTensor(right(tensor('f32', shape, new Uint32Array(Float32Array.from(of).buffer))))),
      )
    const tensorIn = (name: string, more: object): object => ({
      tensor: name,
      shape: [512],
      role: 'inout',
      ...more,
    })
    const launch = {
      grid: [1],
      args: {
        x: tensorIn('x', { role: 'in', file: 'x.npy' }),
        scratch: tensorIn('scratch', { role: 'out' }),
        out: tensorIn('out', { role: 'out', shape: [2, 256], strides: [1, 2] }),
      },
    }
    // element i of memory is that of x 96 further on, doubled; row r, column c is element r + 2 c of memory
    const expected = f32(
      [2, 256],
      [0, 1].flatMap((r) => Array.from({ length: 256 }, (_, c) => 2 * values[(r + 2 * c + 96) % 512]!)),
    )
    for (const level of ['ttgir', 'ptx', 'auto']) {
      const disk = new Map<string, Uint8Array>(
        [...kept].map(([name, held]) => [name, new TextEncoder().encode(held)]),
      )
      disk.set('d/x.npy', f32([512], values))
      disk.set('d/l.json', new TextEncoder().encode(JSON.stringify(launch)))
      const ran = await running(worldOf(inMemory(disk)))(
        ...['run', 'd/shifted_joined.ttgir', '--launch', 'd/l.json', '--level', level, '--out', 'out=o.npy'],
      )
      expect([level, ran.status, ran.stderr]).toEqual([level, 0, ''])
      expect([level, disk.get('o.npy')]).toEqual([level, expected])
    }
  })
  test('judges both, too', async () => {
    const v = await verdictOf('run', 'shifted.ttgir')
    expect([v.verdict, results(v)]).toEqual([
      'hazard',
      [
        ['ttgir', 'ok'],
        ['ptx', 'hazard'],
      ],
    ])
  })
})

describe('a baseline', () => {
  test('has the rows of both levels, and passes', async () => {
    const { disk, status } = await asked('check', 'shifted.ttgir', ['--accept-write', 'accept.json'])
    expect(status).toBe(1)
    const accept = new TextDecoder().decode(disk.get('accept.json'))
    const again = await asked('check', 'shifted.ttgir', ['--accept', 'accept.json'], {
      'accept.json': accept,
    })
    expect([again.status, again.stdout]).toEqual([
      0,
      expect.stringMatching(/^passes +every finding is accepted/mu),
    ])
    expect(again.stdout).toMatch(/^accepted +D[25] \(/mu)
  })
})

// ---------------------------------------------------------------- a jaxpr with its PTX

describe('a jaxpr with its PTX', () => {
  const mosaic = new URL('../../../conformance/hopper/mosaic/stage_out/', import.meta.url)
  const held = (name: string): string => readFileSync(new URL(name, mosaic), 'utf8')
  // the launch of the capture names tensors by their places, and has their data in files
  const launch = held('launch.json')
    .replaceAll('"in0"', '"x_gmem"')
    .replaceAll('"out0"', '"out_gmem"')
    .replace('"role": "in"', '"role": "in", "file": null')
  /** The pair of a missing fence, with any of its two jaxprs beside any of its two texts. */
  const disk = (
    jaxpr: 'stage_out' | 'broken',
    ptx: 'stage_out' | 'broken' | null,
    more: Readonly<Record<string, string>> = { 'd/k.launch.json': launch },
  ) => {
    const files: Readonly<Record<string, string>> = Object.assign(
      { 'd/k.jaxpr.json': held(`${jaxpr}.jaxpr.json`) },
      ptx === null ? {} : { 'd/k.ptx': held(`${ptx}.ptx`) },
      more,
    )
    return new Map(
      Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)] as const),
    )
  }
  const ran = async (files: Map<string, Uint8Array>, command: string, ...flags: ReadonlyArray<string>) =>
    running(worldOf(inMemory(files)))(command, 'd/k.jaxpr.json', ...flags)
  const judged = async (...files: Parameters<typeof disk>): Promise<Verdict> =>
    right(decodeVerdict(JSON.parse((await ran(disk(...files), 'check', '--json')).stdout)))

  test.each([
    ['stage_out', 'stage_out', 'ok', 'ok', 'ok'],
    ['stage_out', 'broken', 'hazard', 'ok', 'hazard'],
    ['broken', 'stage_out', 'hazard', 'hazard', 'ok'],
    ['broken', 'broken', 'hazard', 'hazard', 'hazard'],
  ] as const)('%s over %s: %s', async (jaxpr, ptx, word, coarse, fine) => {
    const v = await judged(jaxpr, ptx)
    expect([v.verdict, results(v)]).toEqual([
      word,
      [
        ['jaxpr', coarse],
        ['ptx', fine],
      ],
    ])
    expect(v.levels?.difference === undefined).toBe(coarse === fine)
    // the marked lines of the source, once
    if (word === 'ok') expect(v.findings).toEqual([])
    else {
      expect(v.findings.map(({ id }) => id)).toEqual(['P1'])
      expect(v.findings[0]?.a.loc).toMatch(/^stage_out\.py:12/u)
      expect(v.findings[0]?.b?.loc).toMatch(/^stage_out\.py:15/u)
      expect(v.findings[0]?.levels).toEqual([
        ...(coarse === 'ok' ? [] : ['jaxpr']),
        ...(fine === 'ok' ? [] : ['ptx']),
      ])
    }
  })

  test('what is missing is said, and is no proof of it', async () => {
    const alone = await judged('stage_out', null)
    expect([alone.verdict, results(alone)?.[1]]).toEqual(['ok', ['ptx', 'not-judged']])
    expect(alone.reason).toMatch(/, in jaxpr alone; PTX was not judged: no PTX was given/u)
    const unlaunched = await judged('stage_out', 'stage_out', {})
    expect(unlaunched.reason).toMatch(/PTX was not judged: there is no k\.launch\.json in its folder/u)
    const refused = await judged('stage_out', 'stage_out', {
      'd/k.launch.json': launch.replace('body_mosaic_gpu_kernel', 'another'),
    })
    expect([refused.verdict, results(refused)?.[1]]).toEqual(['undecided', ['ptx', 'refused']])
  })

  test('one level, where one is asked for', async () => {
    const files = disk('stage_out', 'broken')
    const results = await Promise.all(
      ['jaxpr', 'ptx', 'ttgir'].map(async (level) => (await ran(files, 'check', '--level', level)).status),
    )
    expect(results).toEqual([0, 1, 2])
  })

  test('law 1 of given tensors: both levels have the data of the command line', async () => {
    const rows = Float32Array.from({ length: 64 * 64 }, (_, i) => 1 + i / 4096)
    const bits = new Uint32Array(rows.buffer)
    const x = right(encodeNpy(npyOfTensor(right(tensor('f32', [64, 64], bits)))))
    const left: Array<Uint8Array | undefined> = []
    for (const level of ['jaxpr', 'ptx']) {
      const files = new Map([...disk('stage_out', 'stage_out'), ['x.npy', x] as const])
      const { status } = await ran(
        files,
        'run',
        '--level',
        level,
        '--in',
        'x_gmem=x.npy',
        '--out',
        'out_gmem=o.npy',
      )
      expect(status).toBe(0)
      left.push(files.get('o.npy'))
    }
    const doubled = new Uint32Array(rows.map((one) => one * 2).buffer)
    const expected = right(encodeNpy(npyOfTensor(right(tensor('f32', [64, 64], doubled)))))
    expect(left).toEqual([expected, expected])
    const both = await ran(
      new Map([...disk('broken', 'stage_out'), ['x.npy', x] as const]),
      'run',
      '--in',
      'x_gmem=x.npy',
    )
    expect([both.status, both.stdout]).toEqual([1, expect.stringContaining('they differ')])
  })
})
