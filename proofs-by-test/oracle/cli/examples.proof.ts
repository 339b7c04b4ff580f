/** Every example of the help is run, in order, on a disk that holds the files it names. */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { examples } from '../../../src/oracle/cli/examples.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { tensorOutputs } from '../../../src/oracle/tensor-files/tensor-file.js'
import {
  npyOfTensor,
  tensor,
  type Tensor,
  type TensorDtype,
} from '../../../src/oracle/tensor-files/tensor.js'
import { captureFiles } from '../../dialects/ttgir/captures.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'
import { small, sweepsIn } from '../sweep/world.js'
import { worldOf } from '../world.js'

/** Words as a shell parts them: quotes hold words together. */
const words = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!)

const filled = (dtype: TensorDtype, ...shape: ReadonlyArray<number>): Tensor =>
  right(tensor(dtype, shape, new Uint16Array(shape.reduce((a, b) => a * b, 1)).fill(0x38)))
const npy = (dtype: TensorDtype, ...shape: ReadonlyArray<number>): Uint8Array =>
  right(encodeNpy(npyOfTensor(filled(dtype, ...shape))))

const capture = captureFiles('mm_persistent_nows_64x64x32_s4_w4_256x256x192')
const beside = (name: string): Uint8Array => fs.readFileSync(capture.launch.replace('launch.json', name))

/** A back end that knows nothing. */
const ignorant: World['processes'] = () => (hearing) => ({
  say: (line) => {
    const { id } = JSON.parse(line) as { readonly id: number }
    hearing.line(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'method not found' } }))
  },
  stop: () => Promise.resolve(),
})

/** Directories that are taken as written. */
const anywhere: World['directories'] = {
  free: () => () => E.right(null),
  write: () => TE.right(undefined),
}

const world: World = {
  ...worldOf(inMemory(new Map())),
  processes: ignorant,
  directories: anywhere,
  serve: () => Promise.resolve(),
  player: () => ({ script: '', style: '' }),
  open: () => TE.right(undefined),
}

/** Commands whose examples take half a second; they have proofs of their own. */
const dear = ['demo', 'mutate', 'vectors', 'sweep', 'tiling']

describe('examples', () => {
  it('law 1: every command has one, and no other has', () => {
    expect(Object.keys(examples).sort()).toEqual(commands.map((c) => c.name).sort())
  })
  it.each(commands.map((c) => c.name))('law 1: tcspec %s', async (name) => {
    const disk = new Map<string, Uint8Array>()
    const program = tcspec(commands, { ...world, files: inMemory(disk), sweeps: sweepsIn(disk) })
    if (name === 'sweep') disk.set('grid.json', new TextEncoder().encode(JSON.stringify(small)))
    if (name === 'litmus') {
      disk.set('mp.litmus.txt', new TextEncoder().encode('T0: write x\nT1: read x\n'))
      disk.set(
        'mp.litmus',
        new TextEncoder().encode('PTX t\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n'),
      )
    }
    if (name === 'mma' || name === 'run') {
      disk.set('a.npy', npy('f16', 128, 256))
      disk.set('b.npy', npy('f16', 256, 128))
      disk.set('a8.npy', npy('u8', 64, 64))
      disk.set('b8.npy', npy('u8', 64, 64))
    }
    const together = (file: string, ...all: ReadonlyArray<readonly [string, Tensor]>): void => {
      for (const { bytes } of right(
        tensorOutputs(all.map(([called, of]) => ({ said: file, called, tensor: of }))),
      ))
        disk.set(file, bytes)
    }
    const [a, b] = [filled('bf16', 128, 256), filled('bf16', 256, 128)]
    if (name === 'mma') together('all.safetensors', ['a', a], ['b', b])
    if (name === 'run') together('all.npz', ['a', filled('f16', 128, 256)], ['b', filled('f16', 256, 128)])
    if (name === 'compare') together('o.npz', ['out', filled('f16', 8, 8)], ['lse', a])
    if (name === 'transform')
      disk.set('array.json', new TextEncoder().encode('{"shape":[8,64],"bits":16,"transforms":[]}'))
    if (name === 'compare') for (const file of ['out.npy', 'expected.npy']) disk.set(file, npy('f16', 8, 8))
    if (name === 'run' || name === 'check') {
      disk.set('k.jaxpr.json', fs.readFileSync('conformance/jaxpr/0.11.2/matmul_f16_256x256x256.jaxpr.json'))
      disk.set('k/k.ttgir', fs.readFileSync(capture.module))
      for (const file of ['launch.json', 'a.npy', 'b.npy', 'c.npy']) disk.set(`k/${file}`, beside(file))
    }
    if (['ptx', 'kernels', 'run', 'check', 'trace', 'view', 'mutate'].includes(name)) {
      disk.set('kernel.ptx', fs.readFileSync('conformance/hopper/cuda/collatz/collatz.ptx'))
      disk.set('launch.json', fs.readFileSync('conformance/hopper/cuda/collatz/launch.json'))
      for (const file of ['x.npy', 'steps.npy', 'longest.npy'])
        if (fs.existsSync(`conformance/hopper/cuda/collatz/${file}`))
          disk.set(file, fs.readFileSync(`conformance/hopper/cuda/collatz/${file}`))
    }
    if (name === 'time') {
      // of a kernel that takes the same way with all data
      const folder = 'conformance/hopper/cuda/transpose'
      disk.set('kernel.ptx', fs.readFileSync(`${folder}/transpose.ptx`))
      for (const file of fs.readdirSync(folder).filter((one) => /launch\.json$|\.npy$/u.test(one)))
        disk.set(file, fs.readFileSync(`${folder}/${file}`))
    }
    if (name === 'check') {
      const traced = await program(['trace', 'queue', '-o', 'run.jsonl'])()
      expect(traced.stderr).toBe('')
    }
    if (name === 'layout') {
      const written = await program('layout WGMMA --shape 64x64 --format json -o mine.json'.split(' '))()
      expect(written.stderr).toBe('')
    }
    // by day the first, but of what takes its time
    // a program is started, which a disk of this memory does not have
    const asked =
      name === 'cuda' || name === 'capture'
        ? []
        : nightly
          ? examples[name]!
          : dear.includes(name)
            ? []
            : examples[name]!.slice(0, 1)
    for (const { line, says } of asked) {
      const { status, stderr } = await program(words(line))()
      expect([line, stderr]).toEqual([line, ''])
      expect([0, 1, 3]).toContain(status)
      expect(says).not.toBe('')
    }
  })
})
