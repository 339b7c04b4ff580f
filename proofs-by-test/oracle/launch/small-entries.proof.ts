/**
 * Launches of entries of a few lines: what is asked for, what is laid, what is guessed, what is refused, each written out by hand. A number of a command line is
 * held against JavaScript's own reading of numerals.
 */
import { describe, expect, it, test } from 'vitest'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import type { EntryParameter } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { readModule, type Asked, type GivenTensor } from '../../../src/dialects/ttgir/index.js'
import { lowered } from '../../../src/oracle/launch/lowered.js'
import { opened, type OpenedModule } from '../../../src/oracle/launch/launched.js'
import { describeEntry } from '../../../src/oracle/launch/ptx-described.js'
import type { PtxLaunch } from '../../../src/oracle/launch/ptx-file.js'
import { launchedPtx, type AskingPtx, type LaunchedPtx } from '../../../src/oracle/launch/ptx.js'
import { describedPtx } from '../../../src/oracle/launch/ptx-described.js'
import { ptxWord } from '../../../src/oracle/launch/ptx-words.js'
import { withoutInstructions } from '../../../src/oracle/launch/without-ptx.js'
import type { Tensor } from '../../../src/oracle/tensor-files/tensor.js'
import { code, left, right } from '../../either.js'
import { inMemory } from '../disk.js'

const head = '.version 8.8\n.target sm_90a\n.address_size 64\n'
const diskOf = (files: Readonly<Record<string, string>>) =>
  inMemory(new Map(Object.entries(files).map(([file, text]) => [file, new TextEncoder().encode(text)])))
const entry = (parameters: string, body: string, directives = ''): string =>
  `${head}.visible .entry k(${parameters}) ${directives} {\n${body}\nret;\n}\n`

// ---------------------------------------------------------------- words

describe('a number as a word', () => {
  const none = inMemory(new Map())
  const parameter = (type: string, bytes: number): EntryParameter =>
    ({ name: 'p', type, bytes, align: bytes, offset: 0 }) as unknown as EntryParameter
  const numerals = [
    ...['0', '5', '-5', '+5', '007', '0x1F', '0xfF', 'true', 'FALSE', 'true'],
    ...['0.5', '.5', '5.', '-0.25', '1e3', '1E-2', '+2.5e+1', 'inf', '-inf', '+INF', 'nan', '-0x1'],
  ]
  /** As JavaScript reads it; null: it is no such number. */
  const expected = (text: string, isReal: boolean): string | number | null => {
    const plain = text === 'true' ? '1' : text === 'false' ? '0' : text.replace(/^\+/u, '')
    if (isReal) return plain === 'nan' ? 'nan' : Number(plain.replace(/inf$/iu, 'Infinity'))
    return /^-?\d+$|^0x/iu.test(plain) ? String(BigInt(plain)) : null
  }
  const types = ['u8', 's16', 'b32', 'u32', 's64', 'f32', 'f64']
  it.each([
    ['u32', 4],
    ['u64', 8],
    ['f32', 4],
    ['f64', 8],
    ['b8', 1],
  ] as const)('for %s', (type, bytes) => {
    for (const said of [null, ...types])
      for (const text of numerals) {
        const isReal = /^f/u.test(said ?? type)
        const is = said ?? (isReal ? type : `b${String(8 * bytes)}`)
        const word = said === null ? text : `${text}:${said}`
        const found = ptxWord(none)(parameter(type, bytes), null, word)
        // what is no number is the name of a file
        if (text === 'FALSE' || text === '-0x1') {
          if (text === '-0x1') expect(code(found)).toBe('file-missing')
          continue
        }
        const value = expected(text, isReal)
        if (value === null) {
          expect([word, left(found).code, left(found).message]).toEqual([
            word,
            'bad-flag',
            `--arg p: expected a number of type ${is}, found '${word}'`,
          ])
          continue
        }
        expect([word, right(found)]).toEqual([
          word,
          { guess: false, argument: { kind: 'scalar', type: is, value }, before: null, behind: null },
        ])
      }
  })
  it('in a struct says its type; a type that there is none of is refused, and no word at all', () => {
    const p = parameter('b8', 16)
    expect(right(ptxWord(none)(p, 4, '5:u32')).argument).toEqual({ kind: 'scalar', type: 'u32', value: '5' })
    expect(left(ptxWord(none)(p, 4, '5')).message).toBe(
      "--arg p+4: expected a number with its type, such as 512:u32, found '5'",
    )
    for (const text of ['5:q7', '0.5:q7'])
      expect(left(ptxWord(none)(p, 4, text)).message).toBe(
        `--arg p+4: expected a number of type q7, found '${text}'`,
      )
    expect(left(ptxWord(none)(p, null, '')).message).toMatch(/^--arg p: expected .*, found nothing$/u)
  })
  it('a file is there before, or expected, by its role; without one neither', () => {
    const npy = new Uint8Array([
      ...[0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0],
      ...new TextEncoder().encode(
        `${"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".padEnd(117)}\n`,
      ),
      ...new Uint8Array(8),
    ])
    const files = inMemory(new Map([['x.npy', npy]]))
    const said = (text: string) => {
      const { argument, before, behind } = right(ptxWord(files)(parameter('u64', 8), null, text))
      return [before, behind, 'role' in argument ? argument.role : null]
    }
    expect(['x.npy', 'x.npy:in', 'x.npy:out', 'x.npy:inout'].map(said)).toEqual([
      ['x.npy', null, 'in'],
      ['x.npy', null, 'in'],
      [null, 'x.npy', 'out'],
      ['x.npy', null, 'inout'],
    ])
    expect(['f32[2]', 'f32[2]:out', 'f32[2]:inout'].map(said)).toEqual([
      [null, null, 'in'],
      [null, null, 'out'],
      [null, null, 'inout'],
    ])
  })
})

// ---------------------------------------------------------------- launches

const launchedOf =
  (text: string, file: Readonly<Record<string, unknown>> | null = null) =>
  (asking: AskingPtx = {}) =>
    launchedPtx(diskOf({ 'k.ptx': text, ...(file === null ? {} : { 'l.json': JSON.stringify(file) }) }))(
      'k.ptx',
      { ...asking, ...(file === null ? {} : { launch: 'l.json' }) },
    )

test('what nothing says is asked for, and nothing else', () => {
  const text = entry('.param .u64 x, .param .u32 n', '')
  const whole = {
    grid: [2],
    block: [32],
    args: [
      ['0', 'f32[4]'],
      ['1', '5'],
    ],
  } as const
  const listed = '(0 x: u64 at 0, 1 n: u32 at 8)'
  const said = (asking: AskingPtx): string => left(launchedOf(text)(asking)).message
  const of = (words: string, missing: string): string =>
    `k.ptx: entry k: expected a grid, a block and 2 arguments ${listed}, --launch FILE or ${words}, found nothing for ${missing}`
  expect(said({ grid: whole.grid, args: whole.args })).toBe(of('--block ?', 'the block'))
  expect(said({ block: whole.block, args: whole.args })).toBe(of('--grid ?', 'the grid'))
  expect(said({ ...whole, args: [whole.args[0]] })).toBe(of('--arg 1=?', 'argument 1'))
  expect(said({ grid: whole.grid })).toBe(of('--block ? --arg 0=? 1=?', 'the block, arguments 0, 1'))
  expect(right(launchedOf(text)(whole)).arguments).toMatchObject({ grid: [2], block: [32], cluster: null })
  // a launch file has a grid
  expect(left(launchedOf(text, { grid: [2], args: [0, 1] })()).message).toBe(
    `l.json: entry k: expected a grid, a block and 2 arguments ${listed}, --block ?, found nothing for the block`,
  )
  expect(left(launchedOf(entry('', ''))({ block: [1] })).message).toBe(
    'k.ptx: entry k: expected a grid, a block and 0 arguments, --launch FILE or --grid ?, found nothing for the grid',
  )
  expect(left(launchedOf(entry('.param .u32 n', ''))({ grid: [1], block: [1] })).message).toMatch(
    /and 1 argument \(0 n: u32 at 0\), --launch FILE or --arg 0=\?, found nothing for argument 0$/u,
  )
})

test('a word goes before the file: grid, block, cluster, shared memory', () => {
  const launch = (file: object, asking: AskingPtx = {}): LaunchedPtx['arguments'] =>
    right(launchedOf(entry('', ''), { grid: [4], block: [64], args: [], ...file })(asking)).arguments
  expect(launch({})).toMatchObject({ grid: [4], block: [64], cluster: null, dynamicBytes: 0 })
  expect(launch({ shared: 128, cluster: [2] })).toMatchObject({ dynamicBytes: 128, cluster: [2] })
  expect(
    launch({ shared: 128, cluster: [2] }, { shared: 64, cluster: [4], grid: [8], block: [32] }),
  ).toMatchObject({ grid: [8], block: [32], cluster: [4], dynamicBytes: 64 })
  expect(launch({}, { shared: 64 }).dynamicBytes).toBe(64)
  // an entry that says its block needs none, and has no more threads than it allows
  const asks = (directive: string, asking: AskingPtx) =>
    launchedOf(entry('', '', directive))({ grid: [1], ...asking })
  expect(right(asks('.reqntid 96', {})).arguments.block).toEqual([96])
  expect(right(asks('.maxntid 8, 4', { block: [32] })).arguments.block).toEqual([32])
  expect(left(asks('.maxntid 8, 4', { block: [33] })).message).toMatch(
    /at most 32 threads \(\.maxntid 8, 4(, 1)?\), and the launch has 33$/u,
  )
})

test('scratch of a launch of Triton: for every CTA of the grid, where there is any', () => {
  const text = entry('.param .u64 x, .param .u64 scratch, .param .u64 profile', '')
  const tensors = (each: number | undefined, ctas = 1) =>
    right(
      launchedOf(text, {
        grid: [3, 2],
        num_warps: 4,
        num_ctas: ctas,
        args: [0],
        ...(each === undefined ? {} : { extra: { global_scratch_size: each } }),
      })(),
    ).arguments.tensors.map(({ name, bytes, scratch }) => [name, bytes, scratch])
  expect([tensors(undefined), tensors(0)]).toEqual([[], []])
  expect(tensors(128)).toEqual([['global scratch', 768, true]])
  expect(tensors(128, 2)).toEqual([['global scratch', 1536, true]])
})

// ---------------------------------------------------------------- what a text says

const guessedOf = (text: string) => right(describedPtx(diskOf({ 'k.ptx': text }))('k.ptx', null))
const tid = `.reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .pred %p<3>;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd1, %r1, 4;
ld.param.u64 %rd2, [x];
add.s64 %rd3, %rd2, %rd1;`

describe('what a text says of its parameters', () => {
  const described = (body: string, directives = '') =>
    right(
      describeEntry(
        right(parseModule(entry('.param .u64 x, .param .f32 f, .param .u32 n', body, directives))),
        null,
        'k.ptx',
      ),
    )
  it('a pointer is read, written, or both, and never taken', () => {
    const load = 'ld.global.u32 %r2, [%rd3];'
    const store = 'st.global.u32 [%rd3], %r1;'
    expect(
      [load, store, `${load}${store}`, `${store}${load}`, 'red.global.add.u32 [%rd3], %r1;'].map((access) => {
        const [x] = described(`${tid}${access}`).parameters
        return [x!.kind, x!.dtype, x!.role]
      }),
    ).toEqual([
      ['pointer', 'u32', 'in'],
      ['pointer', 'u32', 'out'],
      ['pointer', 'u32', 'inout'],
      ['pointer', 'u32', 'inout'],
      ['pointer', 'u32', 'inout'],
    ])
    expect(described('').example.arg).toEqual({ x: '0', f: '1', n: '0' })
    expect(
      described('.reg .u32 %r1; .reg .f32 %f1; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [f];').example.arg,
    ).toEqual({ x: '0', f: '1', n: '64' })
  })
  it('a block by its directives, no larger than any may be', () => {
    const block = (directives: string) => {
      const { warps, ctas, example } = described('', directives)
      return [example.block, warps, ctas, example.guessed]
    }
    expect([
      block(''),
      block('.reqntid 40, 2'),
      block('.maxntid 1024'),
      block('.maxntid 64, 32'),
      block('.reqntid 32 .reqnctapercluster 2, 2'),
    ]).toEqual([
      [[128], 4, 1, ['grid', 'block']],
      [[40, 2], 3, 1, ['grid']],
      [[1024], 32, 1, ['grid']],
      [[1024], 32, 1, ['grid']],
      [[32], 1, 4, ['grid']],
    ])
  })
})

describe('a guess', () => {
  it('of a tensor is what a run touches; without a gap it is an output', () => {
    const args = (body: string): unknown => guessedOf(entry('.param .u64 x', `${tid}${body}`)).example.arg
    const store = 'st.global.u32 [%rd3], %r1;'
    expect(args(store)).toEqual({ x: 'u32[128]:out:guess' })
    // each second element alone; none at the beginning; each twice
    expect(args(`add.s64 %rd3, %rd3, %rd1;${store}`)).toEqual({ x: 'u32[255]:inout:guess' })
    expect(args(`add.s64 %rd3, %rd3, 4;${store}`)).toEqual({ x: 'u32[129]:inout:guess' })
    expect(args(`${store}${store}`)).toEqual({ x: 'u32[128]:out:guess' })
    expect(args('ld.global.u32 %r2, [%rd3];')).toEqual({ x: 'u32[128]:in:guess' })
  })
  it('of a number alone is the first with which a run has no fault', () => {
    const fails = (most: number): string =>
      `.reg .u32 %r<3>; .reg .pred %p; mov.u32 %r2, %tid.x; ld.param.u32 %r1, [n];
setp.gt.u32 %p, %r1, ${String(most)};
@%p trap;`
    const n = (most: number): string | undefined =>
      guessedOf(entry('.param .u32 n', fails(most))).example.arg['n']
    // twice the threads, as many, then 64, 16, 4, 1
    expect([1000, 255, 127, 63, 3, 1].map(n)).toEqual(
      [256, 128, 64, 16, 1, 1].map((size) => `${String(size)}:guess`),
    )
  })
})

test('a text that means several operations names six of them', () => {
  const barriers = Array.from({ length: 7 }, () => 'bar.sync 0;').join('\n')
  const text = entry('', `.loc 1 70 0\n${barriers}\nmembar.gl;`) + '.file 1 "k.cu"\n'
  const module = right(parseModule(text))
  const refusal = (by: string): string => left(withoutInstructions([by])('k', 'k.ptx')(module)).message
  expect(refusal('k.cu:70')).toMatch(
    /^--without: expected one operation, found 8 by 'k\.cu:70': ('bar\.sync \d+' \(k\.cu:70\), ){5}'bar\.sync \d+' \(k\.cu:70\) and 2 more$/u,
  )
  expect(right(withoutInstructions(['bar.sync k.cu:70'])('k', 'k.ptx')(module))).not.toBe(module)
})

// ---------------------------------------------------------------- a module as its PTX

describe('a tensor of a module, in a launch of its PTX', () => {
  const [role, gaps, given, kept] = [
    ['in', 'out', 'inout'],
    [false, true],
    [false, true],
    [false, true],
  ] as const
  const rows = role.flatMap((r) =>
    gaps.flatMap((g) => given.flatMap((t) => kept.map((k) => [r, g, t, k] as const))),
  )
  const filled: Tensor = {
    dtype: 'f32',
    shape: [2, 2],
    bits: new Uint32Array(new Float32Array([1, 2, 3, 4]).buffer),
  }
  it.each(rows)('role %s, gaps between rows: %s, given: %s, kept: %s', (r, hasGaps, isGiven, isKept) => {
    const asked: Asked = { _tag: 'pointer', name: 'p', dtype: 'f32', role: r }
    const t = {
      tensor: 'x',
      shape: [2, 2],
      strides: hasGaps ? [3, 1] : [2, 1],
      role: r,
    } as unknown as GivenTensor
    const module: OpenedModule = {
      module: right(readModule('module {\n}\n')),
      text: '',
      signature: { name: 'k', parameters: [asked], axes: 1 },
      launch: { grid: [1], scalars: new Map(), tensors: new Map([['p', t]]) } as OpenedModule['launch'],
      said: null,
      saidIn: '',
      inputs: new Map(),
      expected: new Map(),
      kept: new Set(isKept ? ['x'] : []),
      guessed: [],
    }
    const contents = new Map(isGiven ? [['x', filled] as const] : [])
    const { files, launch, views } = right(lowered(inMemory(new Map()), 'k.ttgir', module, null, contents))
    const made = JSON.parse(new TextDecoder().decode(right(files.read(launch)()))) as PtxLaunch
    const [argument] = made.args as ReadonlyArray<{ readonly file?: string | null }>
    // an output brings what it holds where that is kept, all else where it is given
    const brings = r === 'out' ? isKept : isGiven
    expect(argument).toMatchObject({
      kind: 'pointer',
      tensor: 'x',
      dtype: 'f32',
      shape: hasGaps ? [5] : [2, 2],
      // bytes between rows are no part of an output
      role: r === 'out' && hasGaps ? 'inout' : r,
    })
    if (brings) {
      expect(argument!.file).toBe('x.npy')
      const bytes = right(files.read('k.ttgir as PTX/x.npy')())
      const data = [...new Float32Array(bytes.slice(bytes.length - (hasGaps ? 20 : 16)).buffer)]
      const held = isGiven ? [1, 2, 3, 4] : [0, 0, 0, 0]
      expect(data).toEqual(hasGaps ? [held[0], held[1], 0, held[2], held[3]] : held)
    } else
      expect([argument!.file ?? null, code(files.read('k.ttgir as PTX/x.npy')())]).toEqual([
        null,
        'file-missing',
      ])
    expect(made.outputs).toEqual(r === 'in' ? [] : ['x'])
    expect([...views]).toEqual(hasGaps ? [['x', { shape: [2, 2], strides: [3, 1] }]] : [])
    expect(made).toMatchObject({ grid: [1], num_warps: 4, num_ctas: 1, shared: 232448 })
  })
})

test('the warps of a launch are those of the text, with or without those of its partitions', () => {
  const text = (
    partitions: string,
  ): string => `module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
${partitions}    tt.return
  }
}
`
  const specialised = text(`    ttg.warp_specialize() attributes {partitionNumWarps = array<i32: 4, 2>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    }
    partition1() num_warps(2) {
      ttg.warp_return
    } : () -> ()
`)
  const refusal = (module: string, launch: object): string | null => {
    const made = opened(
      diskOf({ 'k.ttgir': module, 'l.json': JSON.stringify({ grid: [1], args: [], ...launch }) }),
    )('k.ttgir', { launch: 'l.json' })
    return code(made) === null ? null : left(made).message
  }
  expect([4, 8, 10, 12, 16].map((n) => refusal(specialised, { num_warps: n }))).toEqual([
    null,
    'l.json: num_warps: expected 12, as in the text, found 8',
    null,
    null,
    'l.json: num_warps: expected 12, as in the text, found 16',
  ])
  expect([4, 8].map((n) => refusal(text(''), { num_warps: n }))).toEqual([
    null,
    'l.json: num_warps: expected 4, as in the text, found 8',
  ])
  expect(refusal(text(''), { kernel: 'other' })).toBe(
    'l.json: kernel: expected k, as in the text, found other',
  )
  expect(refusal(text(''), { num_ctas: 2 })).toBe('l.json: num_ctas: expected 1, as in the text, found 2')
  expect(['sm_100', 'sm_100a', 'sm_100f', 'sm_90a'].map((arch) => refusal(text(''), { arch }))).toEqual([
    null,
    null,
    null,
    'l.json: arch: expected sm_100, as in the text, found sm_90',
  ])
})
