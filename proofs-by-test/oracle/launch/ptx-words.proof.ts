/**
 * A launch of PTX as words of a command line: the launch files of our kernels and of Triton's captures, said again as words by this file, lay the same bytes
 * and bring the same tensors. What is missing or does not fit is one line.
 */
import * as fs from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { contentsOf } from '../../../src/semantics/execution/launch-warps.js'
import { launchedPtx, type AskingPtx, type LaunchedPtx } from '../../../src/oracle/launch/ptx.js'
import { ptxWord } from '../../../src/oracle/launch/ptx-words.js'
import type { EntryParameter } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { filesOf, kernelNames, launchOf, type Argument } from '../../dialects/ptx/cuda.js'
import { code, left, right } from '../../either.js'
import { sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const cuda = new URL('../../../conformance/hopper/cuda/', import.meta.url)
const captures = new URL('../../../conformance/triton/captures/', import.meta.url)

const filesIn = (folder: URL): Map<string, Uint8Array> =>
  new Map(
    fs.readdirSync(folder).map((file) => [file, new Uint8Array(fs.readFileSync(new URL(file, folder)))]),
  )

type Words = ReadonlyArray<readonly [string, string]>

/** The word of an argument at a key, and what the tensor that words call `called` was called. */
const wordOf = (
  a: Exclude<Argument, { kind: 'struct' }>,
  key: string,
  called: string,
  isThere: (file: string) => boolean,
): { words: Words; named: Words } => {
  if (a.kind === 'scalar') return { words: [[key, `${String(a.value)}:${a.type}`]], named: [] }
  const { tensor, dtype, shape, role, file = `${tensor}.npy` } = a
  const word = role === 'out' && !isThere(file) ? `${dtype}[${shape.join()}]:out` : `${file}:${dtype}:${role}`
  return { words: [[key, word]], named: [[called, tensor]] }
}

/** All that a launch says that words can say, with parameters by their numbers and then by their names. */
const described = (given: LaunchedPtx, named: ReadonlyMap<string, string>): unknown => {
  const called = (name: string): string =>
    name.replace(
      /^(the tensor map of )?(.*)$/su,
      (_, of: string | undefined, t: string) => `${of ?? ''}${named.get(t) ?? t}`,
    )
  const { parameters, pointers, maps, tensors, grid, block, cluster, dynamicBytes } = given.arguments
  return {
    parameters: [...parameters],
    pointers: pointers.map(({ offset, tensor }) => [offset, called(tensor)]),
    maps: maps?.map(({ into, offset, tensor, fields }) => [
      into === null ? null : called(into),
      offset,
      called(tensor),
      fields,
    ]),
    tensors: tensors.map((t) => {
      const contents = contentsOf(t)
      return [
        called(t.name),
        t.role,
        t.bytes,
        t.role === 'out' || contents === null ? null : Buffer.from(contents).toString('base64'),
      ]
    }),
    outputs: [...given.outputs].map(([name, { shape, expected }]) => [
      called(name),
      shape,
      expected?.data.length ?? null,
    ]),
    launch: { grid, block, cluster, dynamicBytes },
  }
}

describe('the launch files of our kernels, as words', () => {
  it.each(sampled(4, kernelNames))('%s', (kernel) => {
    const disk = filesIn(new URL(`${kernel}/`, cuda))
    const files = inMemory(disk)
    const launch = launchOf(kernel)
    const byFile = right(launchedPtx(files)(`${kernel}.ptx`, 'launch.json'))
    // variables of the module and maps of tensors are a matter of files alone
    if ((launch.globals ?? []).length > 0 || launch.args.some((a) => a.kind === 'tensormap')) return
    for (const byName of [false, true]) {
      const all = launch.args.flatMap((a, i) => {
        const key = byName ? byFile.elaborated.parameters[i]!.name : String(i)
        const called = byFile.called[i]!
        const isThere = (file: string): boolean => disk.has(file)
        return a.kind === 'struct'
          ? a.fields.map((f) => {
              const at = `+${String(f.offset)}`
              return wordOf(f, `${key}${at}`, `${called}${at}`, isThere)
            })
          : [wordOf(a, key, called, isThere)]
      })
      const asking: AskingPtx = {
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        args: all.flatMap(({ words }) => words),
      }
      const named = new Map(all.flatMap((one) => one.named))
      const byWords = right(launchedPtx(files)(`${kernel}.ptx`, asking))
      const ofFile = described(byFile, new Map()) as { tensors: unknown[][]; outputs: unknown[][] }
      const ofWords = described(byWords, named) as { outputs: unknown[][] }
      // of a tensor that is changed a word has no file of what is expected
      const inout = byFile.arguments.tensors.filter(({ role }) => role === 'inout').map(({ name }) => name)
      const plain = (xs: unknown[][]): unknown[][] =>
        xs.map((x) => (inout.includes(x[0] as string) ? x.slice(0, 2) : x)).sort()
      expect({ ...ofWords, outputs: plain(ofWords.outputs) }).toEqual({
        ...ofFile,
        outputs: plain(ofFile.outputs),
      })
    }
  })
  test('cover every kind of argument', () => {
    const kinds = kernelNames.flatMap((k) =>
      launchOf(k).args.map((a) => (a.kind === 'pointer' ? a.role : a.kind)),
    )
    expect([...new Set(kinds)].sort()).toEqual(['in', 'inout', 'out', 'scalar', 'struct', 'tensormap'])
    expect(kernelNames.every((k) => filesOf(k).includes('launch.json'))).toBe(true)
  })
})

interface Descriptor {
  readonly kind: 'tensordesc'
  readonly tensor: string
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly strides: ReadonlyArray<number>
  readonly block: ReadonlyArray<number>
}
interface TritonLaunch {
  readonly grid: ReadonlyArray<number>
  readonly shared: number
  readonly num_warps: number
  readonly args: ReadonlyArray<
    Descriptor | { kind?: 'pointer'; tensor: string; dtype?: string } | string | number
  >
  readonly outputs: ReadonlyArray<string>
}

describe('launch files of captures, as words', () => {
  const names = fs
    .readdirSync(captures)
    .filter((name) => fs.readdirSync(new URL(name, captures)).includes(`${name}.ptx`))
  it.each(sampled(4, names))('%s', (name) => {
    const disk = filesIn(new URL(`${name}/`, captures))
    const text = new TextDecoder().decode(disk.get(`${name}.ptx`))
    disk.set('k.ptx', new TextEncoder().encode(`${text.slice(0, text.indexOf('{\n'))}{ ret; }\n`))
    const files = inMemory(disk)
    const said = JSON.parse(new TextDecoder().decode(disk.get('launch.json'))) as TritonLaunch
    const byFile = right(launchedPtx(files)('k.ptx', 'launch.json'))
    const words: (readonly [string, string])[] = []
    const named = new Map<string, string>()
    for (const one of said.args) {
      const a = typeof one === 'string' ? { tensor: one } : one
      const key = byFile.elaborated.parameters[words.length]!.name
      if (typeof a === 'number') {
        words.push([key, String(a)])
        continue
      }
      named.set(key, a.tensor)
      const role = said.outputs.includes(a.tensor) ? ':out' : ''
      const dtype = a.dtype === undefined ? '' : `:${a.dtype.replace(/^torch\./u, '')}`
      if (!('block' in a)) {
        words.push([key, `${a.tensor}.npy${dtype}${role}`])
        continue
      }
      words.push([key, `${a.tensor}.npy${dtype}:block=${a.block.join('x')}${role}`])
      for (const n of [...a.shape, ...a.strides])
        words.push([byFile.elaborated.parameters[words.length]!.name, String(n)])
    }
    const left2 = byFile.elaborated.parameters.length - words.length
    expect([0, 2]).toContain(left2)
    for (let i = 0; i < left2; i++) words.push([byFile.elaborated.parameters[words.length]!.name, '0'])
    const byWords = right(
      launchedPtx(files)('k.ptx', {
        grid: said.grid,
        block: [32 * said.num_warps],
        shared: said.shared,
        args: words,
      }),
    )
    const scratch = byFile.arguments.tensors.some(({ name: n }) => n === 'global scratch')
    if (scratch) return
    const blockOf = (d: unknown): unknown => ({ ...(d as object), launch: null })
    expect(blockOf(described(byWords, named))).toEqual(blockOf(described(byFile, new Map())))
  })
})

describe('a word stands in the place of what the file says', () => {
  const disk = filesIn(new URL('matmul_f32/', cuda))
  const files = inMemory(disk)
  test('the grid, the block, a scalar', () => {
    const { arguments: given } = right(
      launchedPtx(files)('matmul_f32.ptx', { launch: 'launch.json', grid: [1, 3], args: [['3', '24']] }),
    )
    expect([given.grid, given.block]).toEqual([
      [1, 3],
      [16, 16],
    ])
    expect(new DataView(given.parameters.buffer).getInt32(24, true)).toBe(24)
    expect(new DataView(given.parameters.buffer).getInt32(28, true)).toBe(30)
  })
  test('a tensor without a file is seeded: of every type its whole range, the same every time', () => {
    const seeded = (word: string): Uint8Array =>
      contentsOf(
        right(
          launchedPtx(files)('matmul_f32.ptx', { launch: 'launch.json', args: [['0', word]] }),
        ).arguments.tensors.find(({ name }) => name === 'matmul_f32_param_0')!,
      )!
    const floats = new Float32Array(seeded('f32[4000]').buffer)
    const mean = floats.reduce((a, x) => a + x, 0) / floats.length
    const variance = floats.reduce((a, x) => a + (x - mean) ** 2, 0) / floats.length
    expect(Math.abs(mean)).toBeLessThan(0.1)
    expect(Math.abs(variance - 1)).toBeLessThan(0.1)
    expect(seeded('f32[4000]')).toEqual(seeded('f32[4000]'))
    const doubles = new Float64Array(seeded('f64[1000]').buffer)
    expect(Math.abs(doubles.reduce((a, x) => a + x * x, 0) / 1000 - 1)).toBeLessThan(0.2)
    for (const type of ['u8', 's8', 'b8'])
      expect(new Set(seeded(`${type}[8192]`)).size, type).toBeGreaterThan(150)
    expect(new BigInt64Array(seeded('s64[100]').buffer).some((x) => x < 0n)).toBe(true)
    expect(new Uint16Array(seeded('bf16[100]').buffer).every((x) => (x & 0x7f80) !== 0x7f80)).toBe(true)
  })
  test('a tensor map', () => {
    const map = (word: string): unknown =>
      right(
        launchedPtx(files)('matmul_f32.ptx', { launch: 'launch.json', args: [['0', word]] }),
      ).arguments.maps?.map(({ fields }) => fields)
    expect(map('a.npy:block=8,16')).toEqual([
      {
        elements: 'f32',
        dims: [40, 25],
        strides: [160],
        box: [16, 8],
        elementStrides: [1, 1],
        window: null,
        swizzle: 64,
        fill: 'zero',
      },
    ])
    expect(map('bf16[16,64,8]:block=1,2,8:swizzle=0:fill=nan')).toEqual([
      {
        elements: 'bf16',
        dims: [8, 64, 16],
        strides: [16, 1024],
        box: [8, 2, 1],
        elementStrides: [1, 1, 1],
        window: null,
        swizzle: 0,
        fill: 'nan',
      },
    ])
  })
})

describe('one line says what is missing, or does not fit', () => {
  const disk = filesIn(new URL('matmul_f32/', cuda))
  const files = inMemory(disk)
  const said = (asking: AskingPtx): string => left(launchedPtx(files)('matmul_f32.ptx', asking)).message
  test('all parameters, with their types and their offsets', () => {
    const text = new TextDecoder().decode(disk.get('matmul_f32.ptx'))
    // offsets by hand: three addresses, three integers
    const listed = [0, 8, 16, 24, 28, 32]
      .map((at, i) => `${String(i)} matmul_f32_param_${String(i)}: ${i < 3 ? 'u64' : 'u32'} at ${String(at)}`)
      .join(', ')
    expect(text).toContain('.param .u32 matmul_f32_param_5')
    expect(said({})).toBe(
      `matmul_f32.ptx: entry matmul_f32: expected a grid, a block and 6 arguments (${listed}), --launch FILE or --grid ? --block ? --arg 0=? 1=? 2=? 3=? 4=? 5=?, found nothing for the grid, the block, arguments 0, 1, 2, 3, 4, 5`,
    )
    expect(
      said({
        grid: [2],
        block: [32],
        args: [
          ['1', 'b.npy'],
          ['matmul_f32_param_3', '5'],
        ],
      }),
    ).toMatch(/, --launch FILE or --arg 0=\? 2=\? 4=\? 5=\?, found nothing for arguments 0, 2, 4, 5$/u)
  })
  const whole: Words = [
    ['0', 'a.npy'],
    ['1', 'b.npy'],
    ['2', 'c.npy:out'],
    ['3', '25'],
    ['4', '30'],
    ['5', '40'],
  ]
  test.each<readonly [string, string, RegExp]>([
    ['9', '1', /^--arg: expected a parameter of the entry, 0 matmul_f32_param_0: u64 at 0, .*, found '9'/u],
    ['matmul_f32_param_6', '1', /did you mean/u],
    ['0', 'x.npy', /^x\.npy: no such file/u],
    ['0', '?', /^--arg matmul_f32_param_0: expected a number, a file, or/u],
    ['0', 'a.npy:bf16', /^a\.npy: expected elements of 2 bytes for bf16, found f4$/u],
    ['0', 'f33[4]', /expected DTYPE\[EXTENTS\]/u],
    ['0', 'f32[4,]', /expected DTYPE\[EXTENTS\]/u],
    ['0', 'a.npy:swizzle=32', /block=EXTENTS/u],
    ['0', 'a.npy:block=8', /as many extents of block/u],
    ['0', '1:u32', /expected 8 bytes, found 4$/u],
    ['3', 'a.npy', /^--arg: matmul_f32_param_3: expected 4 bytes, found 8$/u],
    ['3', '0.5', /expected a number of type b32, found '0.5'$/u],
    ['3', '4294967296', /"4294967296" is not a value of type b32$/u],
    ['3', '1:u64', /expected 4 bytes, found 8$/u],
    ['3', '1:q7', /expected a number of type q7/u],
    ['3+2', '1', /a number with its type/u],
    ['3+2', '1:u32', /offset 2: expected at most 2 bytes, found 4 of type u32$/u],
  ])('%s=%s', (key, text, why) => {
    const args = [
      ...whole.filter(([name]) => name !== key && name !== key.replace(/\+.*/u, '')),
      [key, text] as const,
    ]
    const line = said({ grid: [2, 2], block: [16, 16], args })
    expect(line).toMatch(why)
    expect(line).not.toContain('\n')
  })
  test('from the command line', async () => {
    const run = running(worldOf(files))
    const ok = await run(
      'run',
      'matmul_f32.ptx',
      '--grid',
      '2,2',
      '--block',
      '16,16',
      '--arg',
      ...whole.map(([name, text]) => `${name}=${text}`),
    )
    expect([ok.status, ok.stdout]).toEqual([0, expect.stringMatching(/c: 0 of 750 elements differ/u)])
    for (const [flag, value] of [
      ['--block', '0'],
      ['--cluster', 'x'],
      ['--shared', '-4'],
      ['--entry', 'other'],
    ] as const) {
      const bad = await run('run', 'matmul_f32.ptx', '--launch', 'launch.json', flag, value)
      expect([bad.status, bad.stdout, bad.stderr.trim().split('\n').length], bad.stderr).toEqual([2, '', 1])
    }
    const other = await run('check', 'zoo/R1', '--block', '32')
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringMatching(/--block: expected a module of PTX/u),
    ])
  })
})

describe('a tensor map of columns of pixels', () => {
  const parameter = { name: 'map', type: 'b8', bytes: 128, align: 64, offset: 0 } as unknown as EntryParameter
  const asked = (text: string) => ptxWord(inMemory(new Map()))(parameter, null, text)
  it('has a window, and steps', () => {
    expect(
      right(asked('f16[2,6,8,32]:in:block=64,16:lower=-1,-2:upper=0,-3:steps=1,2,3,1:swizzle=32')).argument,
    ).toMatchObject({
      kind: 'tensormap',
      dims: [32, 8, 6, 2],
      strides: [64, 512, 3072],
      box: [16, 64],
      window: { lower: [-2, -1], upper: [-3, 0] },
      elementStrides: [1, 3, 2, 1],
      swizzle: 32,
    })
  })
  it.each(['f16[2,8,32]:block=64,16:lower=-1', 'f16[2,8,32]:lower=-1:upper=0', 'f16[2,8,32]:steps=1,2,1'])(
    'is refused: %s',
    (text) => {
      expect(code(asked(text))).toBe('bad-flag')
    },
  )
})

describe('a launch of Triton with several CTAs of a program', () => {
  const entry = '.version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x) { ret; }'
  const launched = (more: object) =>
    launchedPtx(
      inMemory(
        new Map(
          Object.entries({
            'k.ptx': entry,
            'l.json': JSON.stringify({ grid: [3, 2], num_warps: 4, num_ctas: 2, args: [0], ...more }),
          }).map(([file, text]) => [file, new TextEncoder().encode(text)]),
        ),
      ),
    )
  it('has a cluster for each program, along x', () => {
    const { grid, cluster, block } = right(launched({})('k.ptx', 'l.json')).arguments
    expect([grid, cluster, block]).toEqual([[6, 2], [2], [128]])
    // a word says programs, too
    expect(right(launched({})('k.ptx', { launch: 'l.json', grid: [5] })).arguments.grid).toEqual([10])
  })
  it('has no descriptors, of which each CTA would copy a part', () => {
    const tensor = {
      kind: 'tensordesc',
      tensor: 'x',
      dtype: 'f16',
      shape: [64, 64],
      role: 'in',
      block: [64, 64],
    }
    const failed = left(launched({ args: [tensor] })('k.ptx', 'l.json'))
    expect(failed.code).toBe('launch.cluster')
    expect(failed.message).toMatch(/^l\.json: num_ctas: expected 1 of a launch with descriptors/u)
  })
})
