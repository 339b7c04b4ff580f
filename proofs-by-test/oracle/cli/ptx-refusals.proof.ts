/**
 * What is wrong with a file, a flag or a launch of PTX is one line on standard error, and exit status 2: what is expected, and what was found. The lines are written
 * here by hand; limits of a launch are those of the manual's table of compute capabilities.
 */
import * as fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/cuda/matmul_f32/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(fs.readFileSync(new URL(file, folder)))
const text = (s: string): Uint8Array => new TextEncoder().encode(s)

interface Launch {
  args: Record<string, unknown>[]
  [key: string]: unknown
}

/** The kernel, its tensors, files that are none of PTX, and its launch with something changed. */
const disk = (change: (l: Launch) => void): Map<string, Uint8Array> => {
  const launch = JSON.parse(new TextDecoder().decode(bytesOf('launch.json'))) as Launch
  change(launch)
  return new Map([
    ...['a.npy', 'b.npy', 'c.npy'].map((f): [string, Uint8Array] => [f, bytesOf(f)]),
    ['k.ptx', bytesOf('matmul_f32.ptx')],
    ['short.npy', bytesOf('a.npy').slice(0, 1000)],
    ['empty.ptx', text('')],
    ['k.cu', text('__global__ void f() {}')],
    ['k.cubin', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1)],
    ['cubin.ptx', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1)],
    ['fatbin.ptx', Uint8Array.of(0x50, 0xed, 0x55, 0xba, 1, 0)],
    ['wide.ptx', Uint8Array.of(0x2e, 0, 0x76, 0)],
    ['l.json', text(JSON.stringify(launch))],
  ])
}

const given = '--grid 2,2 --block 16,16 --arg 0=a.npy 1=b.npy 2=f32[25,30]:out'
const numbers = '3=25 4=30 5=40'

const ofFlags: ReadonlyArray<readonly [argv: string, says: RegExp]> = [
  [
    'check k.ptx',
    /^k\.ptx: entry matmul_f32: expected a grid, a block and 6 arguments \(0 .*: u64 at 0, .*found nothing for the grid, the block, arguments 0, 1, 2, 3, 4, 5$/,
  ],
  ['check nothing.ptx', /^nothing\.ptx: no such file$/],
  ['check empty.ptx', /^empty\.ptx:1:1: expected '\.version', found the end$/],
  ...['check', 'run', 'ptx', 'kernels', 'view', 'trace', 'mutate'].map(
    (command): readonly [string, RegExp] => [
      `${command} cubin.ptx`,
      /^cubin\.ptx: expected PTX, which is a text, found an ELF file, such as a cubin: machine code; `cuobjdump -ptx`/,
    ],
  ),
  ['ptx fatbin.ptx', /^fatbin\.ptx: expected PTX, which is a text, found a fatbin; `cuobjdump -ptx`/],
  ['ptx wide.ptx', /^wide\.ptx: expected PTX, which is a text, found bytes that are not text$/],
  ['check k.cu', /^k\.cu: expected a program .* found CUDA C\+\+; `nvcc -ptx -lineinfo` compiles it to PTX$/],
  ['check k.cubin', /^k\.cubin: expected a program .* found none of them by its ending '\.cubin'$/],
  [
    'kernels k.cubin',
    /^no kernel named 'k\.cubin', and no module: the name of a module ends in \.ttgir or \.ptx$/,
  ],
  [`run k.ptx ${given} ${numbers} --entry other`, /^k\.ptx: there is no entry other; there is matmul_f32$/],
  [`run k.ptx ${given} 3=25 4=30`, /found nothing for argument 5$/],
  [`run k.ptx ${given} ${numbers} 6=4`, /^--arg: expected a parameter of the entry, .*, found '6'/],
  [`run k.ptx ${given} ${numbers} 3=4`, /^--arg: expected each argument once, found '3 twice'$/],
  [
    `run k.ptx ${given} 3=2.5 4=30 5=40`,
    /^--arg matmul_f32_param_3: expected a number of type b32, found '2\.5'$/,
  ],
  [
    `run k.ptx ${given} 3=99999999999 4=30 5=40`,
    /^--arg: matmul_f32_param_3: "99999999999" is not a value of type b32$/,
  ],
  [`run k.ptx ${given} 3=25:u64 4=30 5=40`, /^--arg: matmul_f32_param_3: expected 4 bytes, found 8$/],
  [`run k.ptx ${given} 3=f32[3] 4=30 5=40`, /^--arg: matmul_f32_param_3: expected 4 bytes, found 8$/],
  [
    `run k.ptx --grid 2,2 --block 16,16 --arg 0=short.npy 1=b.npy 2=f32[25,30]:out ${numbers}`,
    /^short\.npy: expected 4000 bytes of data for shape \(25, 40\) of f4, found 872$/,
  ],
  [
    `run k.ptx --grid 2,2 --block 16,16 --arg 0=f32[40,3000000000] 1=b.npy 2=f32[25,30]:out ${numbers}`,
    /^--arg matmul_f32_param_0: expected DTYPE\[EXTENTS\], extents of at most nine digits,/,
  ],
  [
    `run k.ptx --grid 2,2 --block 16,16 --arg 0=f32[400000,300000] 1=b.npy 2=f32[25,30]:out ${numbers}`,
    /^tensor matmul_f32_param_0: expected at most 2147483647 bytes of a tensor whose data is kept, found 480000000000; check takes it without data$/,
  ],
  ...['0', '-1', 'a', '1,2,3,4', '99999999999', '1.5', '1,0'].map((grid): readonly [string, RegExp] => [
    `run k.ptx --launch l.json --grid ${grid}`,
    /^--grid: expected one to three positive extents of at most nine digits, such as 4,2, found '/,
  ]),
  [`run k.ptx --launch l.json --grid 1,65536`, /^grid: expected 1 to 65535 along y, found 65536$/],
  [`run k.ptx --launch l.json --block 1025`, /^block: expected 1 to 1024 along x, found 1025$/],
  [`run k.ptx --launch l.json --block 1,1,65`, /^block: expected 1 to 64 along z, found 65$/],
  [`run k.ptx --launch l.json --block 32,64`, /^block: expected 1 to 1024 threads, found 2048$/],
  [`run k.ptx ${given} ${numbers} --cluster 32`, /^cluster: expected 1 to 16 along x, found 32$/],
  [`run k.ptx ${given} ${numbers} --cluster 8,4`, /^cluster: expected at most 16 CTAs, found 32$/],
  [
    `run k.ptx ${given} ${numbers} --shared 300000`,
    /^shared: expected at most 232448 bytes of shared memory, found 302112$/,
  ],
  [`run k.ptx ${given} ${numbers} --shared -1`, /^--shared: expected a number, found '-1'$/],
]

const ofFile: ReadonlyArray<readonly [name: string, change: (l: Launch) => void, says: RegExp]> = [
  [
    'no block',
    (l) => delete l['block'],
    /^l\.json: entry matmul_f32: .* --block \?, found nothing for the block$/,
  ],
  [
    'a grid of four axes',
    (l) => (l['grid'] = [1, 1, 1, 2]),
    /^grid: expected one to three extents, found 4$/,
  ],
  ['a grid of none', (l) => (l['grid'] = []), /^grid: expected one to three extents, found 0$/],
  ['an empty axis', (l) => (l['grid'] = [2, 0]), /^grid: expected 1 to 65535 along y, found 0$/],
  [
    'a wide axis',
    (l) => (l['grid'] = [2 ** 31]),
    /^grid: expected 1 to 2147483647 along x, found 2147483648$/,
  ],
  [
    'less than no shared memory',
    (l) => (l['shared'] = -4),
    /^l\.json: \$\.shared: expected an integer of 0 or more, found -4$/,
  ],
  [
    'an unknown key',
    (l) => (l['blok'] = [1]),
    /^l\.json: \$\.blok: expected no such key in a launch of PTX, which has grid, args, /,
  ],
  [
    'an unknown output',
    (l) => (l['outputs'] = ['z']),
    /^l\.json: outputs: expected a tensor of the arguments, found 'z'; did you mean a, b or c\?$/,
  ],
  ['an unknown tensor', (l) => (l.args[0]!['tensor'] = 'z'), /^z\.npy: no such file$/],
  [
    'an unknown element type',
    (l) => (l.args[0]!['dtype'] = 'f99'),
    /^l\.json: a: there is no element type f99$/,
  ],
  [
    'other extents',
    (l) => (l.args[0]!['shape'] = [3, 3]),
    /^a\.npy: expected a of shape \(3, 3\), found \(25, 40\)$/,
  ],
  [
    'one tensor of two sizes',
    (l) => (l.args[1]!['tensor'] = 'a'),
    /^l\.json: a: expected the same bytes everywhere it is an argument, found 4000 and 4800$/,
  ],
  [
    'an unknown type of numbers',
    (l) => (l.args[3]!['type'] = 's99'),
    /^l\.json: matmul_f32_param_3: there is no type s99 of numbers$/,
  ],
  [
    'a wrong swizzle of a map',
    (l) =>
      (l.args[0] = {
        kind: 'tensormap',
        tensor: 'a',
        dtype: 'f32',
        dims: [40, 25],
        box: [8, 8],
        swizzle: 16,
      }),
    /^l\.json: \$\.args\[0\]\.swizzle: expected one of 0, 32, 64, 128, found 16$/,
  ],
  [
    'a box that is too wide',
    (l) => (l.args[0] = { kind: 'tensormap', tensor: 'a', dtype: 'f32', dims: [40, 25], box: [40, 400] }),
    /^the tensor map of a: box: Dimension 0 of a box has 1 to 256 elements, found 400$/,
  ],
  [
    'one argument too many',
    (l) => l.args.push({ kind: 'scalar', type: 's32', value: 1 }),
    /^l\.json: expected 6 arguments \(.*\), found 7$/,
  ],
]

const isRefused = async (argv: string, files: Map<string, Uint8Array>, says: RegExp): Promise<void> => {
  const { status, stdout, stderr } = await running(worldOf(inMemory(files)))(...argv.split(' '))
  expect([status, stdout]).toEqual([2, ''])
  const [line = '', ...rest] = stderr.split('\n')
  expect(rest).toEqual([''])
  expect(line.replace(/^tcspec: /, '')).toMatch(says)
}

describe('files and flags', () => {
  test.each(ofFlags)('%s', (argv, says) =>
    isRefused(
      argv,
      disk(() => null),
      says,
    ),
  )
})
describe('launch files', () => {
  test.each(ofFile)('%s', (_, change, says) => isRefused('run k.ptx --launch l.json', disk(change), says))
  test('more threads than the entry allows', () => {
    const ptx = new TextDecoder().decode(bytesOf('matmul_f32.ptx')).replace(/^\{/mu, '.maxntid 8, 16\n{')
    const files = disk(() => null).set('k.ptx', text(ptx))
    return isRefused(
      'run k.ptx --launch l.json',
      files,
      /^l\.json: block: the entry allows at most 128 threads \(\.maxntid 8, 16\), and the launch has 16 x 16$/,
    )
  })
  test('other clusters than the entry asks for', () => {
    const ptx = new TextDecoder()
      .decode(bytesOf('matmul_f32.ptx'))
      .replace(/^\{/mu, '.explicitcluster\n.reqnctapercluster 2\n{')
    const files = disk((l) => (l['cluster'] = [1, 2])).set('k.ptx', text(ptx))
    return isRefused(
      'run k.ptx --launch l.json',
      files,
      /^cluster: the entry asks for 2 CTAs, and the launch has 1 x 2$/,
    )
  })
})
test('the launch itself is one', async () => {
  const { status } = await running(worldOf(inMemory(disk(() => null))))(
    ...'run k.ptx --launch l.json'.split(' '),
  )
  expect(status).toBe(0)
})
