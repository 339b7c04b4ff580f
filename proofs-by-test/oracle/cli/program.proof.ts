import { again } from '../../../src/oracle/cli/flags/words.js'
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failure } from '../../../src/failure.js'
import type { CliCommand, Listed, World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { npyOfTensor, tensor, type TensorDtype } from '../../../src/oracle/tensor-files/tensor.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { packageIn, stripped } from '../built.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

// ---------------------------------------------------------------- a disk in memory

const npy = (dtype: TensorDtype, shape: ReadonlyArray<number>, patterns: ReadonlyArray<number>): Uint8Array =>
  right(E.chainW(encodeNpy)(E.map(npyOfTensor)(tensor(dtype, shape, patterns))))
const disk = new Map<string, Uint8Array>([
  ['f16.npy', npy('f16', [2, 2], [0x3c00, 0x4000, 0x7e00, 0x8000])],
  ['f16-off.npy', npy('f16', [2, 2], [0x3c00, 0x4001, 0x7e00, 0x0000])],
  ['flat.npy', npy('f16', [4], [0x3c00, 0x4000, 0x7e00, 0x8000])],
  ['bits.npy', npy('bf16', [2], [0x3f80, 0x8000])],
  ['bits-off.npy', npy('bf16', [2], [0x3f81, 0x0000])],
  ['short.npy', npy('f16', [4], [1, 2, 3, 4]).subarray(0, 131)],
])
const world: World = { ...worldOf(inMemory(disk)), version: '1.2.3' }
const run = running(world)

const lines = (text: string): number => text.split('\n').length - 1
const isErrorDocument = (stdout: string): boolean => {
  const value: unknown = JSON.parse(stdout)
  return typeof value === 'object' && value !== null && 'error' in value
}

// ---------------------------------------------------------------- compare

describe('tcspec compare', () => {
  it('equal: status 0', async () => {
    expect(await run('compare', 'f16.npy', 'f16.npy')).toEqual({
      status: 0,
      stdout: 'equal: 4 elements of f16 (2, 2), bit for bit\n',
      stderr: '',
    })
  })
  it('different: status 1, and the document of the contract', async () => {
    const outcome = await run('compare', 'f16-off.npy', 'f16.npy', '--json')
    expect(outcome).toMatchObject({ status: 1, stderr: '' })
    expect(JSON.parse(outcome.stdout)).toEqual({
      schema: 'tcspec.comparison/1',
      equal: false,
      dtype: 'f16',
      shape: [2, 2],
      elements: 4,
      different: 2,
      maxUlp: 1,
      ulpHistogram: { '0': 3, '1': 1 },
      nanMismatch: 0,
      nanPayload: 0,
      zeroSign: 1,
      first: [
        { index: [0, 1], got: 2 + 2 ** -9, expected: 2, gotBits: '0x4001', expectedBits: '0x4000', ulp: 1 },
        { index: [1, 1], got: 0, expected: '-0', gotBits: '0x0000', expectedBits: '0x8000', ulp: 0 },
      ],
    })
    expect((await run('compare', 'f16-off.npy', 'f16.npy')).stdout).toMatch(
      /^different: 2 of 4 elements of f16/,
    )
  })
  it('bf16 in u2: said by flag, or before a file, for one or both', async () => {
    const asked = await Promise.all([
      run('compare', 'bits-off.npy', 'bits.npy', '--dtype', 'bf16', '--json'),
      run('compare', '--dtype', 'bf16', 'bits-off.npy', 'bits.npy', '--json'),
      run('compare', 'bf16=bits-off.npy', 'bf16=bits.npy', '--json'),
      run('compare', 'bf16=bits-off.npy', 'bits.npy', '--json'),
      run('compare', 'bits-off.npy', 'bf16=bits.npy', '--json'),
      run('compare', 'bits-off.npy', 'bf16=bits.npy', '--json', '--dtype=bf16'),
    ])
    expect(new Set(asked.map((o) => o.stdout)).size).toBe(1)
    expect(JSON.parse(asked[0]!.stdout)).toMatchObject({
      dtype: 'bf16',
      maxUlp: 1,
      zeroSign: 1,
      different: 2,
    })
    expect(JSON.parse((await run('compare', 'bits-off.npy', 'bits.npy', '--json')).stdout)).toMatchObject({
      dtype: 'u16',
      maxUlp: 0x8000,
    })
  })
  const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [['none.npy', 'f16.npy'], 'none.npy: no such file'],
    [['f16.npy', 'none.npy'], 'none.npy: no such file'],
    [['short.npy', 'flat.npy'], 'short.npy: expected 8 bytes of data for shape (4,) of f2, found 3'],
    [['flat.npy', 'f16.npy'], 'flat.npy against f16.npy: expected shape (2, 2), found (4,)'],
    [
      ['f16.npy', 'bits.npy'],
      'f16.npy against bits.npy: expected dtype u16, found f16 (--dtype names one for both)',
    ],
    [['bf16=f16.npy', 'bits.npy'], 'f16.npy: expected elements of u2 for dtype bf16, found f2'],
    [['bf16=bits.npy', 'f16=bits.npy'], "bits.npy: expected one dtype for both files, bf16, found 'f16'"],
    [
      ['bits.npy', 'f16=bits.npy', '--dtype', 'bf16'],
      "bits.npy: expected one dtype for both files, bf16, found 'f16'",
    ],
  ]
  it.each(refusals)('refuses %j', async (argv, message) => {
    const plain = await run('compare', ...argv)
    expect(plain).toEqual({ status: 2, stdout: '', stderr: `tcspec: ${message}\n` })
    const json = await run('compare', ...argv, '--json')
    expect(json).toMatchObject({ status: 2, stderr: plain.stderr })
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { message } })
  })
  it('refuses a dtype that is none, naming those there are', async () => {
    const outcome = await run('compare', 'f16.npy', 'f16.npy', '--dtype', 'half')
    expect(outcome.status).toBe(2)
    expect(outcome.stderr).toMatch(/^tcspec: --dtype: expected a dtype of .*f16 bf16.*, found 'half'\n$/)
  })
})

// ---------------------------------------------------------------- program

describe('program law 3: wrong usage is one line that says what is known', () => {
  const usage = 'usage: tcspec compare <got> <expected> [--dtype <dtype>] [--json]'
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [
      ['comprae', 'a'],
      "unknown command 'comprae'; did you mean compare? usage: tcspec <command> ...; known commands: compare",
    ],
    [
      ['--vrsion'],
      "unknown option '--vrsion'; did you mean --version or --help? usage: tcspec <command> ...; known commands: compare",
    ],
    [
      ['help', 'comprae'],
      "unknown command 'comprae'; did you mean compare? usage: tcspec <command> ...; known commands: compare",
    ],
    [['compare'], `missing required argument 'got'; ${usage}`],
    [['compare', 'a'], `missing required argument 'expected'; ${usage}`],
    [
      ['compare', 'a', 'b', 'c'],
      `too many arguments: expected <got> <expected>, found 'a' 'b' 'c'; ${usage}`,
    ],
    [
      ['compare', 'a', 'b', '--jsn'],
      `unknown option '--jsn'; did you mean --json, --help or --dtype? ${usage}`,
    ],
    [
      ['compare', 'a', 'b', '--dtype', '-h'],
      `option '--dtype <dtype>' expected a value, found the option '-h'; ${usage}`,
    ],
    [
      ['compare', 'a', 'b', '--dtype', 'f16', '--dtype=f32'],
      `option '--dtype <dtype>' expected once, found twice; ${usage}`,
    ],
    [
      ['compare', 'a', 'b', '--dtype', '--jsn'],
      `option '--dtype <dtype>' expected a value, found the option '--jsn'; ${usage}`,
    ],
    [['compare', 'a', 'b', '--dtype'], `option '--dtype <dtype>' argument missing; ${usage}`],
  ]
  it.each(cases)('%j', async (argv, message) => {
    expect(await tcspec([commands.find((c) => c.name === 'compare')!], world)(argv)()).toEqual({
      status: 2,
      stdout: '',
      stderr: `tcspec: ${message}\n`,
    })
  })
  it('whatever is found, a line is short and comes at once', async () => {
    const blanks = ' '.repeat(120_000)
    for (const argv of [
      ['check', `${blanks}x`],
      ['check', `hopper${blanks}\n${blanks}x`],
      ['layout', `WGMMA${blanks}(`],
      ['cute', 'size', '('.repeat(60_000)],
      ['layout', `{"kind":${'['.repeat(60_000)}`],
      ['linear', '(lane 2)'.repeat(20_000)],
      ['compare', `${blanks}x`, 'y'],
    ]) {
      const outcome = await run(...argv)
      expect(outcome.status).toBe(2)
      expect(outcome.stderr).toMatch(/^tcspec: [^\n]*\n$/)
      expect(outcome.stderr.length).toBeLessThanOrEqual(3000)
      const json = await run(...argv, '--json')
      expect(json.stdout.length).toBeLessThanOrEqual(3000)
    }
  })
  it('every command is known by name', async () => {
    const { stderr } = await run('nothing-of-the-kind')
    commands.forEach((c) => {
      expect(stderr).toContain(c.name)
    })
  })
})

describe('program law 2: with --json, standard output is one document', () => {
  it.each([
    [['--json']],
    [['compare', '--json']],
    [['compare', 'a', '--json', '--x']],
    [['what', '--json']],
    [['compare', 'a', 'b', '--dtype', '--json']],
  ])('%j', async (argv) => {
    const outcome = await run(...argv)
    expect(outcome.status).toBe(2)
    expect(lines(outcome.stderr)).toBe(1)
    expect(isErrorDocument(outcome.stdout)).toBe(true)
  })
})

describe('program law 1: every status', () => {
  it('help and version are 0', async () => {
    expect(await run('--version')).toEqual({ status: 0, stdout: '1.2.3\n', stderr: '' })
    const [help, long, sub] = await Promise.all([run('help'), run('--help'), run('compare', '--help')])
    expect(help).toEqual(long)
    expect(help).toMatchObject({ status: 0, stderr: '' })
    commands.forEach((c) => {
      expect(help.stdout).toContain(c.name)
    })
    expect(sub.stdout).toContain('--dtype')
  })
  const listed = (name: string, command: CliCommand): Listed => ({
    name,
    description: name,
    load: () => Promise.resolve(command),
  })
  const boom = (): never => {
    throw new Error('boom\nin two lines')
  }
  const odd: ReadonlyArray<Listed> = [
    listed('throws-later', { define: (c) => c.option('--json'), run: () => () => TE.fromIO(boom) }),
    listed('throws-at-once', { define: (c) => c, run: boom }),
    listed('throws-when-printed', {
      define: (c) => c.option('--json'),
      run: () => () => TE.right({ good: true, text: boom, json: boom }),
    }),
    listed('rejects', {
      define: (c) => c,
      run: () => () => () => Promise.reject(new Error('boom\nin two lines')),
    }),
    {
      name: 'cannot-be-loaded',
      description: '',
      load: () => Promise.reject(new Error('boom\nin two lines')),
    },
  ]
  it.each(odd.map((c) => c.name))('a command that %s is a bug of ours: 70', async (name) => {
    expect(await tcspec(odd, world)([name])()).toEqual({
      status: 70,
      stdout: '',
      stderr: 'tcspec: this is a bug in tensorcore-spec: boom in two lines\n',
    })
  })
  it('also as a document', async () => {
    const outcome = await tcspec(odd, world)(['throws-when-printed', '--json'])()
    expect(outcome.status).toBe(70)
    expect(isErrorDocument(outcome.stdout)).toBe(true)
  })
  it('a definition that is wrong is a bug of ours too', async () => {
    const bad = listed('bad', { define: boom, run: () => () => TE.left(failure('x', 'x')) })
    expect((await tcspec([bad], world)(['bad'])()).status).toBe(70)
  })
  it('a file name of two lines does not make two lines', async () => {
    const outcome = await run('compare', 'a\nb', 'f16.npy')
    expect(outcome.stderr).toBe('tcspec: a b: no such file\n')
  })
})

describe('a flag of pairs takes pairs, one that may be given again a word; both leave the name that follows', () => {
  const heard: unknown[] = []
  const listening: Listed = {
    name: 'hear',
    description: '',
    load: () =>
      Promise.resolve({
        define: (c) =>
          c
            .argument('<kernel>')
            .argument('[more]')
            .option('--set <name=value...>')
            .option('--without <label>', '', again)
            .option('--json'),
        run: () => (operands, options) => {
          heard.push([operands, options])
          return TE.right({ good: true, text: () => '', json: () => null })
        },
      }),
  }
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ['k --set m=1 n=2 --json', [['k'], { set: ['m=1', 'n=2'], json: true }]],
    ['--set m=1 k', [['k'], { set: ['m=1'] }]],
    ['--set m=1 n=2 k --set o=3', [['k'], { set: ['m=1', 'n=2', 'o=3'] }]],
    ['--set m=1 k n=2', [['k', 'n=2'], { set: ['m=1'] }]],
    ['--set=m=1 k', [['k'], { set: ['m=1'] }]],
    ['--set m=1 -- k', [['k'], { set: ['m=1'] }]],
    ['k --set m', [['k'], { set: ['m'] }]],
    ['k --without a --without b --set m=1', [['k'], { without: ['a', 'b'], set: ['m=1'] }]],
    ['--without a k', [['k'], { without: ['a'] }]],
    ['--without=a k --without b', [['k'], { without: ['a', 'b'] }]],
    ['k -- --set m=1', null],
  ]
  it.each(cases)('%s', async (words, expected) => {
    heard.length = 0
    const { status } = await tcspec([listening], world)(['hear', ...words.split(' ')])()
    expect(heard).toEqual(expected === null ? [[['k', '--set'], {}]].slice(1) : [expected])
    expect(status).toBe(expected === null ? 2 : 0)
  })
})

describe('a flag that may be given again takes one word each time', () => {
  it('and what follows is the name', async () => {
    const small = ['--set', 'm=64', 'n=32', 'k=48', 'tileK=16', 'stages=2']
    const before = await run('check', '--without', 'commit_smem', 'hopper-matmul', ...small)
    expect(before.status).toBe(1)
    expect(before).toEqual(await run('check', 'hopper-matmul', ...small, '--without', 'commit_smem'))
    expect(await run('check', '--without', 'a', 'b', 'hopper-matmul')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^tcspec: too many arguments: expected <kernel>, found 'b' 'hopper-matmul'; --without takes one word each time; usage: tcspec check <kernel> .*\[--without <label>\]\.\.\..*\n$/,
      ) as unknown,
    })
    const twice = await run('check', '--without', 'x', '--without', 'y', 'hopper-matmul')
    expect([twice.status, twice.stderr]).toEqual([2, expect.stringMatching(/no statement 'x'/)])
    expect((await run('check', 'hopper-matmul', 'more')).stderr).toMatch(
      /^tcspec: too many arguments: expected <kernel>, found 'hopper-matmul' 'more'; usage: /,
    )
  })
  it('of mutants, too', async () => {
    const { status, stdout } = await run('mutate', '--class', 'synchronisation', 'zoo/R1-fixed', '--json')
    expect([status === 2, stdout.includes('"zoo/R1-fixed"')]).toEqual([false, true])
  })
})

describe('the width of help is the width of the terminal', () => {
  it.each([
    [50, ['--help']],
    [60, ['help', 'check']],
    [60, ['help', 'run']],
  ])('%i columns: %j', async (columns, words) => {
    const { stdout } = await tcspec(commands, { ...world, columns })(words)()
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([])
  })
  it.each([60, 200])('%i', async (columns) => {
    const { stdout } = await tcspec(commands, { ...world, columns })(['--help'])()
    const longest = Math.max(...stdout.split('\n').map((line) => line.length))
    expect(longest).toBeLessThanOrEqual(columns)
    expect(longest).toBeGreaterThan(columns === 200 ? 80 : 40)
  })
})

describe('commands load when they are asked for', () => {
  const src = fileURLToPath(new URL('../../../src/', import.meta.url))
  /** Modules that are loaded with one, by the text of its imports; those of types alone are not. */
  const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    const text = fs.readFileSync(path.join(src, file), 'utf8')
    for (const m of text.matchAll(/^(?:import|export)\s(?!type\b)(?:[^'"]*?from\s)?'(\.[^']*)\.js'/gm))
      reached(path.join(path.dirname(file), `${m[1]!}.ts`), seen)
    return seen
  }
  it('the program rests on little', () => {
    const own = [...reached('oracle/cli/main.ts')].filter((file) => !file.startsWith('oracle/cli/'))
    expect(own.sort()).toEqual([
      'failure.ts',
      'nearest.ts',
      'oracle/parallel/threads.ts',
      'oracle/score/process.ts',
      'oracle/sweep/journal.ts',
      'oracle/tensor-files/directory.ts',
      'oracle/tensor-files/disk.ts',
      'oracle/tensor-files/files.ts',
      'oracle/tensor-files/place.ts',
      'own.ts',
      // numbers in the line of a process that has no memory left, and where it is asked: each rests on nothing
      'semantics/judging/counted.ts',
      'semantics/judging/hazards.ts',
      'semantics/machine/looks.ts',
    ])
    expect(reached('oracle/cli/commands/check.ts').size).toBeGreaterThan(50)
  })
  it('help loads none, a command itself alone', async () => {
    const loaded: string[] = []
    const listed = ['a', 'b'].map((name): Listed => ({
      name,
      description: `what ${name} does`,
      load: () => {
        loaded.push(name)
        return Promise.resolve({
          define: (c) => c.option('--flag'),
          run: () => () => TE.right({ good: true, text: () => name, json: () => name }),
        })
      },
    }))
    const ran = tcspec(listed, world)
    expect((await ran(['--help'])()).stdout).toContain('what b does')
    expect((await ran(['c'])()).status).toBe(2)
    expect(loaded).toEqual([])
    expect((await ran(['b'])()).stdout).toBe('b')
    expect((await ran(['help', 'a'])()).stdout).toContain('--flag')
    expect(loaded).toEqual(['b', 'a'])
  })
})

// ---------------------------------------------------------------- the built program

describe('the built program', () => {
  const repository = fileURLToPath(new URL('../../../', import.meta.url))
  let root = ''
  let main = ''
  const kernels = path.join(repository, 'conformance/kernels')
  const spawn = (
    ...argv: ReadonlyArray<string>
  ): { status: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], {
      encoding: 'utf8',
      cwd: root,
    })
    return { status, stdout, stderr }
  }
  beforeAll(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-built-'))
    main = packageIn(root)
    if (nightly) built()
    else stripped(root)
  }, 120_000)
  /** The program and what it imports as tsc writes them, whatever else is being written; types are another command's question. */
  const built = (): void => {
    const project = {
      extends: path.join(repository, 'tsconfig.build.json'),
      compilerOptions: {
        outDir: 'dist',
        rootDir: path.join(repository, 'src'),
        noCheck: true,
        declaration: false,
        isolatedDeclarations: false,
      },
      include: [],
      files: ['cli/main.ts', 'parallel/worker.ts'].map((file) => path.join(repository, 'src/oracle', file)),
    }
    fs.writeFileSync(path.join(root, 'tsconfig.json'), JSON.stringify(project))
    const tsc = spawnSync(
      process.execPath,
      [path.join(repository, 'node_modules/typescript/bin/tsc'), '-p', root],
      { encoding: 'utf8' },
    )
    expect(tsc).toMatchObject({ status: 0, stdout: '' })
  }
  afterAll(() => {
    if (root !== '') fs.rmSync(root, { recursive: true, force: true })
  })
  it('a launch that fills the heap ends with a line and status 3, and the engine does not abort', () => {
    // 64 CTAs that meet at a counter: every event leaves kilobytes, and spends nothing
    const [ptx, launch] = ['meeting.ptx', 'meeting.json'].map((name) => path.join(root, name))
    fs.writeFileSync(
      ptx!,
      `.version 8.0
.target sm_90a
.address_size 64
.visible .entry meeting(.param .u64 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [count];
  mov.u32 %r1, %nctaid.x;
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  bar.sync 0;
  @%p1 bra MET;
  fence.acq_rel.gpu;
  red.relaxed.gpu.global.add.u32 [%rd1], 1;
ASK:
  ld.relaxed.gpu.global.u32 %r3, [%rd1];
  setp.lt.u32 %p2, %r3, %r1;
  @%p2 bra ASK;
  fence.acq_rel.gpu;
MET:
  bar.sync 0;
  ret;
}
`,
    )
    fs.writeFileSync(
      launch!,
      JSON.stringify({
        schema: 'tcspec.launch/1',
        name: 'meeting',
        kernel: 'meeting',
        arch: 'sm_90a',
        grid: [64],
        block: [256],
        shared: 0,
        args: [{ kind: 'pointer', tensor: 'count', dtype: 's32', shape: [1], role: 'out' }],
      }),
    )
    const asked = [main, 'check', ptx!, '--launch', launch!]
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=50', ...asked], {
      encoding: 'utf8',
      cwd: root,
      timeout: 60_000,
    })
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toMatch(/^tcspec: out of memory: this run needs more than the 50 MB .*\n$/u)
  }, 60_000)
  it('begins with a shebang', () => {
    expect(fs.readFileSync(main, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true)
  })
  it('statuses 0, 1 and 2 on real files, with the version of the package', () => {
    const [a, b] = ['a', 'b'].map((x) => path.join(kernels, `matmul_f16_256x256x256_${x}.npy`))
    expect(spawn('compare', a!, a!)).toEqual({
      status: 0,
      stdout: 'equal: 65536 elements of f16 (256, 256), bit for bit\n',
      stderr: '',
    })
    const different = spawn('compare', a!, b!, '--json')
    expect(different).toMatchObject({ status: 1, stderr: '' })
    expect(JSON.parse(different.stdout)).toMatchObject({ equal: false, elements: 65536 })
    expect(spawn('compare', root, a!)).toEqual({
      status: 2,
      stdout: '',
      stderr: `tcspec: ${root}: it is a directory, not a file\n`,
    })
    if (!nightly) return
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(repository, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ version: spawn('--version').stdout.trim() })
  })
  // by day two threads share a run in parallel/spread.proof.ts: here each would read the program once more
  it.runIf(nightly)('a run shared by two threads is the run in one, but for its time', async () => {
    const shape = 'm=128 n=64 k=64 tileM=64 tileN=64'.split(' ')
    const asked = (threads: string): ReadonlyArray<string> => [
      ...['run', 'hopper-matmul', '--set', ...shape],
      ...['--threads', threads],
    ]
    // in one: here
    const [shared, alone] = [spawn(...asked('2')), await run(...asked('1'))].map((ran) => {
      expect(ran).toMatchObject({ status: 0, stderr: '' })
      return ran.stdout.replace(/[\d.]+ s$/m, '')
    })
    expect(shared).toContain('0 of 8,192 elements differ from naive matmul')
    expect(shared).toBe(alone)
  })
  const shell = (script: string): { status: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 2 ** 20,
      env: { ...process.env, CI: 'true', T: `${process.execPath} ${main}` },
    })
    return { status, stdout, stderr }
  }
  const full = 'tcspec: standard output: cannot be written (ENOSPC)\n'
  it.runIf(fs.existsSync('/dev/full'))('a full disk is said once, and the process ends', () => {
    expect(shell('$T --help > /dev/full')).toEqual({ status: 2, stdout: '', stderr: full })
    expect(shell('$T what --json > /dev/full')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^tcspec: unknown command 'what'[^\n]*\ntcspec: standard output[^\n]*\n$/,
      ),
    })
    if (!nightly) return
    expect(shell('$T --help > /dev/full 2>&1')).toEqual({ status: 2, stdout: '', stderr: '' })
    expect(shell('$T what 2> /dev/full')).toEqual({ status: 2, stdout: '', stderr: '' })
  })
  it('-o /dev/stdout goes on where standard output stands', async () => {
    const log = path.join(root, 'log')
    shell(`echo before > ${log}; $T layout WGMMA -o /dev/stdout >> ${log}; echo after >> ${log}`)
    const { stdout } = await run('layout', 'WGMMA')
    expect(stdout).toMatch(/^WGMMA[^]*\n$/)
    expect(fs.readFileSync(log, 'utf8').replace(/^wrote .*\n/m, '')).toBe(`before\n${stdout}after\n`)
  }, 60_000)
  it('a reader that stops reading is no error', () => {
    expect(shell('{ $T --help; echo $? >&2; } | true')).toEqual({ status: 0, stdout: '', stderr: '0\n' })
  })
})
