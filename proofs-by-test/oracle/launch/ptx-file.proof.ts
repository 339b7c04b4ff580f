/**
 * Launch files of PTX: arguments by name, tensor maps wherever a kernel may have one, and files of tensors that are wrong or damaged. What a map is, a
 * driver would say; here its fields are read out of the 128 bytes that the kernel finds.
 */
import * as fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { launchedPtx, type LaunchedPtx } from '../../../src/oracle/launch/ptx.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { left, right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'
import { launchDisk, launchFiles } from './ptx-launches.js'

const disk = launchDisk()
const files = inMemory(disk)
const launched = (launch: unknown): ReturnType<ReturnType<typeof launchedPtx>> => {
  disk.set('l.json', new TextEncoder().encode(JSON.stringify(launch)))
  return launchedPtx(files)('k.ptx', 'l.json')
}

describe('arguments', () => {
  const { list, byName } = launchFiles
  test('in order and by name are the same', () => {
    const a = right(launched(list))
    const b = right(launched(byName))
    const said = ({ arguments: given }: LaunchedPtx): unknown => ({
      ...given,
      parameters: [...given.parameters],
    })
    expect(said(b)).toEqual(said(a))
    // by hand: the integer at 8, the struct from 192 on with its number at 8
    const view = new DataView(a.arguments.parameters.buffer)
    expect([view.getInt32(8, true), view.getFloat32(12, true), view.getInt32(192 + 8, true)]).toEqual([
      4, 0.5, 7,
    ])
    expect(a.arguments.pointers).toEqual([
      { offset: 0, tensor: 'x' },
      { offset: 16, tensor: 'the tensor map of x' },
      { offset: 192, tensor: 'y' },
    ])
  })
  test.each<readonly [string, unknown, RegExp]>([
    [
      'a name that is none',
      { ...byName, args: { ...byName.args, m: 4 } },
      /^l\.json: args: expected a parameter of the entry, found 'm'/u,
    ],
    [
      'one that is missing',
      { ...byName, args: Object.fromEntries(Object.entries(byName.args).filter(([name]) => name !== 'n')) },
      /^l\.json: entry k: .*1 n: u32 at 8.*found nothing for argument 1$/u,
    ],
    [
      'more than there are',
      { ...list, args: [...list.args, 1] },
      /^l\.json: expected 6 arguments \(0 x: u64 at 0, /u,
    ],
  ])('%s is one line', (_, launch, why) => {
    expect(left(launched(launch)).message).toMatch(why)
  })
})

describe('tensor maps', () => {
  const { list } = launchFiles
  const world = launched(list)
  const inMemoryOf = (): ReadonlyMap<string, Uint8Array> => {
    const { elaborated, arguments: given } = right(world)
    const { launch } = right(launchWarps(elaborated.program, given, bits('hopper')))
    return new Map(
      launch.regions.flatMap(({ name, constant }) => (constant === null ? [] : [[name, constant] as const])),
    )
  }
  test('of a parameter, behind a pointer, in a struct and in a variable are the same 128 bytes', () => {
    const { arguments: given } = right(world)
    expect(given.maps?.map(({ into, offset }) => [into, offset])).toEqual([
      ['the tensor map of x', 0],
      [null, 64],
      [null, 192 + 64],
      ['the tensor map of w', 0],
    ])
    const memory = inMemoryOf()
    const parameters = memory.get('the parameters')!
    const map = (at: number): ReadonlyArray<number> => [...parameters.subarray(at, at + 128)]
    // both describe x alike
    expect(map(192 + 64)).toEqual(map(64))
    expect(map(64).some((b) => b !== 0)).toBe(true)
    expect([...memory.get('the tensor map of x')!]).toEqual(map(64))
  })
  test('and run', async () => {
    disk.set('good.json', new TextEncoder().encode(JSON.stringify(list)))
    const out = await running(worldOf(files))('run', 'k.ptx', '--launch', 'good.json', '--out', 'y=o.npy')
    expect([out.status, out.stderr]).toEqual([0, ''])
    // thread t: x[t] + n of the struct, of four threads
    expect(new Float32Array(disk.get('o.npy')!.slice(128).buffer)).toEqual(new Float32Array([7, 8, 9, 10]))
  })
  test.each<readonly [string, Record<string, unknown>, RegExp]>([
    ['a box of another rank', { box: [4] }, /box: expected 2 for 2 dims, found 1/u],
    ['six dims', { dims: [1, 1, 1, 1, 1, 1], box: [1, 1, 1, 1, 1, 1] }, /1 to 5 dims/u],
    ['interleaved slices', { interleave: 16 }, /no interleaved slices/u],
    ['no such type', { dtype: 'f31' }, /element type of a tensor map, found 'f31'/u],
    ['dims that are larger than the tensor', { dims: [4, 300] }, /./u],
    ['a box of 300', { box: [300, 1] }, /./u],
    ['strides that are no multiple of 16', { strides: [12] }, /./u],
    ['a box of nothing', { box: [0, 1] }, /./u],
  ])('%s is one line', async (_, change, why) => {
    const args = list.args.map((a, i) => (i === 4 ? { ...(a as object), ...change } : a))
    disk.set('bad.json', new TextEncoder().encode(JSON.stringify({ ...list, args })))
    const { status, stdout, stderr } = await running(worldOf(files))('check', 'k.ptx', '--launch', 'bad.json')
    expect([status, stdout, stderr.trim().split('\n').length], stderr).toEqual([2, '', 1])
    expect(stderr).toMatch(why)
  })
})

describe('what is expected', () => {
  const folder = new URL('../../../conformance/hopper/cuda/matmul_f32/', import.meta.url)
  const kernel = (): Map<string, Uint8Array> =>
    new Map(
      fs.readdirSync(folder).map((file) => [file, new Uint8Array(fs.readFileSync(new URL(file, folder)))]),
    )
  const run = async (
    change: (d: Map<string, Uint8Array>) => void,
  ): Promise<readonly [number, string, string]> => {
    const d = kernel()
    change(d)
    const { status, stdout, stderr } = await running(worldOf(inMemory(d)))(
      'run',
      'matmul_f32.ptx',
      '--launch',
      'launch.json',
    )
    return [status, stdout, stderr]
  }
  const c = kernel().get('c.npy')!
  test('is compared bit by bit', async () => {
    expect(await run(() => null)).toMatchObject([
      0,
      expect.stringContaining('c: 0 of 750 elements differ'),
      '',
    ])
    const other = c.slice()
    other[other.length - 1]! ^= 1
    expect(await run((d) => d.set('c.npy', other))).toMatchObject([
      1,
      expect.stringContaining('c: 1 of 750 elements differ'),
      '',
    ])
  })
  test.each<readonly [string, Uint8Array, RegExp]>([
    ['cut', c.slice(0, c.length - 4), /^tcspec: c\.npy: expected 3000 bytes of data/u],
    ['longer', Uint8Array.of(...c, 0), /^tcspec: c\.npy: expected 3000 bytes of data/u],
    ['no npy', Uint8Array.of(1, 2, 3), /^tcspec: c\.npy: /u],
    ['empty', new Uint8Array(0), /^tcspec: c\.npy: /u],
    [
      'of other extents',
      kernel().get('a.npy')!,
      /^tcspec: c\.npy: expected c of shape \(25, 30\), found \(25, 40\)$/mu,
    ],
    [
      'of other elements',
      Uint8Array.from(
        Buffer.from(
          Buffer.from(c).toString('latin1').replace("'<f4'", "'<f8'").replace('(25, 30)', '(25, 15)'),
          'latin1',
        ),
      ),
      /^tcspec: c\.npy: expected c of shape/u,
    ],
  ])('%s, it is refused', async (_, bytes, why) => {
    const [status, stdout, stderr] = await run((d) => d.set('c.npy', bytes))
    expect([status, stdout, stderr.trim().split('\n').length], stderr).toEqual([2, '', 1])
    expect(stderr).toMatch(why)
  })
})
