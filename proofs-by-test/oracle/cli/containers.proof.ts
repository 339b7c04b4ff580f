/** Files of several tensors on the command line: `run`, `mma`, `compare` and launches take and write them wherever an npy file stands. */
import { beforeEach, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { readTensor, tensorNames, tensorOutputs } from '../../../src/oracle/tensor-files/tensor-file.js'
import { tensor, type Tensor, type TensorDtype } from '../../../src/oracle/tensor-files/tensor.js'
import { moduleText } from '../../dialects/ttgir/modules.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const world = worldOf(inMemory(disk))
const run = (line: string): Promise<Outcome> => tcspec(commands, world)(line.split(' '))()
const put = (said: string, called: string, t: Tensor): void => {
  const { file } = right(tensorOutputs([{ said, called, tensor: t }]))[0]!
  const old = disk.has(file)
    ? right(tensorNames(world.files)(file)()).map((name) => ({
        said: file,
        called: name,
        tensor: right(readTensor(world.files)(`${file}:${name}`, undefined)()),
      }))
    : []
  for (const made of right(tensorOutputs([...old, { said, called, tensor: t }])))
    disk.set(made.file, made.bytes)
}
const read = (said: string, dtype?: TensorDtype): Tensor => right(readTensor(world.files)(said, dtype)())
const matrix = (dtype: TensorDtype, rows: number, columns: number, seed: number): Tensor =>
  right(
    tensor(
      dtype,
      [rows, columns],
      Array.from({ length: rows * columns }, (_, i) => ((i * 7 + seed) % 11) * 512),
    ),
  )
beforeEach(() => {
  disk.clear()
})

it('mma: a whole file by names, and d beside others', async () => {
  const [a, b] = [matrix('bf16', 4, 16, 1), matrix('bf16', 16, 8, 2)]
  put('all.safetensors', 'a', a)
  put('all.safetensors', 'b', b)
  put('a.npy', 'a', a)
  put('b.npy', 'b', b)
  expect(await run('mma --in a:bf16=a.npy b:bf16=b.npy --out d=d.npy')).toMatchObject({
    status: 0,
    stderr: '',
  })
  for (const line of [
    'mma --in all.safetensors --out d=o.safetensors',
    'mma --in a=all.safetensors b=all.safetensors:b --out d=o.npz',
    'mma --in all.safetensors b:bf16=b.npy --out o.npz',
    'mma --in all.safetensors --out d=o.npz:product',
  ]) {
    expect(await run(line)).toMatchObject({ status: 0, stderr: '' })
    const out = line.split(/ (?:d=)?/).at(-1)!
    expect(read(out)).toEqual(read('d.npy'))
    expect(await run(`compare ${out} f32=d.npy`)).toMatchObject({ status: 0 })
  }
  expect(right(tensorNames(world.files)('o.npz')())).toEqual(['product'])
})

it('mma: what does not fit is refused in one line', async () => {
  put('all.npz', 'a', matrix('f16', 4, 16, 1))
  put('all.npz', 'w', matrix('f16', 4, 16, 1))
  for (const [line, said] of [
    ['mma --in all.npz', "--in: expected a, b and perhaps c, found 'w'"],
    [
      'mma --in a=all.npz b=all.npz',
      'all.npz: expected one tensor, or the name of one after the file (FILE:NAME), found a, w',
    ],
    ['mma --in a=all.npz:x b=all.npz:w', "all.npz: expected an array 'x', found none"],
    ['mma --in all.npz none.npz', 'none.npz: no such file'],
    ['mma --in all.npy', 'name=file, name:dtype=file or one .npz or .safetensors file'],
    ['mma --in all.npz:a', 'name=file, name:dtype=file or one .npz or .safetensors file'],
    ['mma --in a=all.npz:a b=all.npz:w --out d=o.npz o.npz', 'an output that is bound to no other file'],
    ['mma --in a=all.npz:a b=all.npz:w --out o.npz p.npz', 'one file for all outputs, o.npz'],
  ] as const) {
    const ran = await run(line)
    expect(ran).toMatchObject({ status: 2, stdout: '' })
    expect(ran.stderr).toContain(said)
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1)
  }
})

it('run: inputs from one file, all outputs to one, and the same bits as by npy', async () => {
  put('all.npz', 'a', matrix('f16', 128, 64, 3))
  put('all.npz', 'b', matrix('f16', 64, 128, 5))
  put('a.npy', 'a', read('all.npz:a'))
  put('b.npy', 'b', read('all.npz:b'))
  const kernel = 'run hopper-matmul --set m=128 n=128 k=64'
  const plain = await run(`${kernel} --in a=a.npy b=b.npy --out out=out.npy`)
  expect(plain).toMatchObject({ status: 0, stderr: '' })
  const one = await run(`${kernel} --in all.npz --out o.safetensors`)
  expect(one).toMatchObject({ status: 0, stderr: '' })
  expect(one.stdout).toMatch(/inputs +a from all.npz:a, b from all.npz:b\n/)
  expect(one.stdout).toMatch(/written +out to o.safetensors/)
  expect(read('o.safetensors:out')).toEqual(read('out.npy'))
  const extra = await run(`${kernel} --in all.npz w=a.npy`)
  expect(extra).toMatchObject({ status: 2 })
  const twice = await run(`${kernel} --in all.npz --out out=all.npz out2=all.npz`)
  expect(twice.stderr).toContain('--out: expected an output of hopper-matmul')
})

it('several outputs go to one file, but not twice to one name', async () => {
  const line = 'run fa3-attention --set q=128 kv=128 heads=1 kvHeads=1 headDim=64 lse=true'
  expect(await run(`${line} --out o.npz`)).toMatchObject({ status: 0, stderr: '' })
  expect(right(tensorNames(world.files)('o.npz')())).toEqual(['out', 'lse'])
  expect(await run(`${line} --out lse=p.npz:l out=p.npz`)).toMatchObject({ status: 0, stderr: '' })
  expect(right(tensorNames(world.files)('p.npz')())).toEqual(['l', 'out'])
  expect(read('p.npz:l')).toEqual(read('o.npz:lse'))
  const same = await run('run hopper-matmul --out out=o.npz:x more=o.npz:x')
  expect(same.stderr).toContain("--out out and --out more: expected two files, found 'o.npz' for both")
  const apart = await run('run hopper-matmul --out out=o.npz:x more=o.npz:y')
  expect(apart.stderr).toContain('expected an output of hopper-matmul')
  const npy = await run('run hopper-matmul --out out=o.npy more=o.npy')
  expect(npy.stderr).toContain('expected two files')
})

it('a launch takes its tensors from one file, by words and by its own file', async () => {
  disk.set('k.ttgir', new TextEncoder().encode(moduleText('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')))
  const ones = right(
    tensor(
      'f16',
      [64, 64],
      Array.from({ length: 4096 }, () => 0x3c00),
    ),
  )
  const sums = right(
    tensor(
      'f16',
      [64, 64],
      Array.from({ length: 4096 }, () => 0x5400),
    ),
  )
  put('all.safetensors', 'a', ones)
  put('all.safetensors', 'in', ones)
  put('out.npz', 'c', sums) // its only array, whatever it is called
  const words = await run(
    'run k.ttgir --grid 1,1 --arg da=all.safetensors:a db=all.safetensors:in:in dc=out.npz K=64 --out dc=o.npz:c',
  )
  expect(words).toMatchObject({ status: 0, stderr: '' })
  expect(words.stdout).toMatch(/result +0 of 4,096 elements differ from out.npz/)
  expect(read('o.npz:c')).toEqual(sums)
  const tensor4 = (name: string, file: string): object => ({ tensor: name, file })
  const launch = {
    grid: [1, 1],
    args: [
      tensor4('a', '../all.safetensors:a'),
      tensor4('b', '../all.safetensors:in'),
      tensor4('c', '../out.npz'),
      64,
    ],
    outputs: ['c'],
  }
  disk.set('d/launch.json', new TextEncoder().encode(JSON.stringify(launch)))
  for (const name of ['all.safetensors', 'out.npz']) disk.set(`d/../${name}`, disk.get(name)!)
  expect(await run('run k.ttgir --launch d/launch.json')).toMatchObject({ status: 0, stderr: '' })
})
