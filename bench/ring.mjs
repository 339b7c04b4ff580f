/**
 * The matmul of n x n x n f16 through `ring.ptx`, every hazard looked for, over the chip's arithmetic: beside the same product by the kernel
 * `hopper-matmul`, beside its check over shadows, which knows nothing of the inputs, and beside a Pallas kernel of that product under the interpreter that comes with JAX.
 *
 *     node bench/ring.mjs [N...], after a build; 512 if it is not said
 *     JAX_PYTHON=/path/to/python node bench/ring.mjs      with JAX's interpreter (`ring_jax.py`)
 *
 * The output of both is compared bit for bit with the chain of instructions by its definition.
 */
import console from 'node:console'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { TextEncoder } from 'node:util'
import { fileURLToPath, URL } from 'node:url'
import { launchedPtx } from '../dist/oracle/launch/ptx.js'
import * as fast from '../dist/fast/index.js'
import { instanceOf, kernelNamed } from '../dist/kernels/catalogue/index.js'
import { naiveMatmul } from '../dist/kernels/reference.js'
import { bits } from '../dist/numerics/bits.js'
import { shadow } from '../dist/numerics/shadow.js'
import { randomPatterns } from '../dist/kernels/reference-inputs.js'
import { warpSource } from '../dist/semantics/execution/launch-warps.js'
import * as Plane from '../dist/semantics/machine/plane.js'
import { check, checkSource, standardOptions } from '../dist/semantics/verdict/check.js'
import { inTurns, right, table } from './measure.mjs'

const sizes = process.argv.slice(2).map(Number)
const ptx = readFileSync(new URL('../conformance/hopper/warpgroups/ring/ring.ptx', import.meta.url))
/** Rounds of a size: a large one is less a matter of chance. */
const roundsOf = (n) => (n > 512 ? 3 : 7)

const measured = async (n) => {
  const rounds = roundsOf(n)
  const [a, b] = [0, 1].map((i) => randomPatterns('f16', 0, i, n * n))
  const turned = new Float64Array(n * n)
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) turned[j * n + i] = b[i * n + j]

  const npy = (patterns) => {
    const head = `{'descr': '<f2', 'fortran_order': False, 'shape': (${String(n)}, ${String(n)}), }`.padEnd(
      117,
    )
    const magic = [0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, 118, 0]
    return Uint8Array.from([
      ...magic,
      ...new TextEncoder().encode(`${head}\n`),
      ...new Uint8Array(Uint16Array.from(patterns).buffer),
    ])
  }
  const map = (tensor, box) => ({
    kind: 'tensormap',
    tensor,
    dtype: 'f16',
    dims: [n, n],
    strides: [2 * n],
    box,
    swizzle: 128,
    shape: [n, n],
    role: 'in',
  })
  const launch = {
    schema: 'tcspec.launch/1',
    name: 'ring',
    kernel: 'ring',
    arch: 'sm_90a',
    grid: [n / 128, n / 128],
    block: [384],
    shared: 98352,
    args: [
      map('a', [64, 128]),
      map('b', [64, 128]),
      { kind: 'pointer', tensor: 'c', dtype: 'f32', shape: [n, n], role: 'out' },
      { kind: 'scalar', name: 'columns', type: 's32', value: n },
      { kind: 'scalar', name: 'steps', type: 's32', value: n / 64 },
    ],
  }
  const held = new Map([
    ['ring.ptx', ptx],
    ['launch.json', new TextEncoder().encode(JSON.stringify(launch))],
    ['a.npy', npy(a)],
    ['b.npy', npy(turned)],
  ])
  const files = {
    read: (path) => () =>
      held.has(path)
        ? { _tag: 'Right', right: held.get(path) }
        : { _tag: 'Left', left: { code: 'file', message: `no ${path}` } },
    exists: (path) => () => held.has(path),
  }
  const launched = right(launchedPtx(files)('ring.ptx', { launch: 'launch.json' }))
  const { program } = right(
    instanceOf(
      right(kernelNamed('hopper-matmul')),
      { m: n, n, k: n, tileM: 128, tileN: 128, tileK: 64, stages: 3 },
      [],
    ),
  )
  const options = { ...standardOptions, algebra: fast.bits('hopper'), provenance: false, explore: false }
  const good = (checked) => {
    if (checked.verdict.verdict !== 'ok') throw new Error(checked.verdict.reason)
    return checked
  }
  const core = () =>
    good(
      right(
        check(program, {
          ...options,
          arguments: {
            scalars: new Map(),
            tensors: new Map([
              ['a', a],
              ['b', b],
            ]),
          },
        }),
      ),
    )
  // a source of its own each time: the run that looks for mbarriers is part of what a user waits for
  const ring = () =>
    good(right(checkSource(warpSource(launched.elaborated.program, launched.arguments), options)))

  const unknown = new Set(['a', 'b'])
  const shadowed = () =>
    good(
      right(
        checkSource(warpSource(launched.elaborated.program, { ...launched.arguments, unknown }), {
          ...options,
          algebra: shadow(bits('hopper')),
        }),
      ),
    )

  const { world, machine } = ring()
  const bytes = new Uint8Array(4 * n * n)
  Plane.copyOut(
    machine.planes[world.header.planes.findIndex(({ name }) => name === 'c')],
    0,
    bytes.length,
    bytes,
  )
  const expected = right(
    naiveMatmul(
      fast.bits('hopper'),
      { operand: 'f16', accumulator: 'f32', out: 'f32' },
      { m: n, n, k: n },
      a,
      b,
    ),
  )
  const words = new Uint32Array(bytes.buffer)
  const differing = words.reduce((count, w, i) => count + (w === expected[i] >>> 0 ? 0 : 1), 0)
  console.log(
    `ring.ptx: ${String(differing)} of ${String(n * n)} elements differ from the chain of instructions`,
  )
  if (differing > 0) process.exitCode = 1

  const times = await inTurns(
    [
      { name: 'hopper-matmul', act: core },
      { name: 'ring.ptx', act: ring },
      { name: 'ring.ptx over shadow', act: shadowed },
    ],
    rounds,
  )
  const python = process.env.JAX_PYTHON
  const theirs =
    python === undefined
      ? null
      : JSON.parse(
          execFileSync(
            python,
            [fileURLToPath(new URL('ring_jax.py', import.meta.url)), String(n), String(rounds)],
            {
              encoding: 'utf8',
              env: { ...process.env, JAX_PLATFORMS: 'cpu' },
              stdio: ['ignore', 'pipe', 'inherit'],
            },
          )
            .trim()
            .split('\n')
            .pop(),
        )
  const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`
  const beside = Object.values(theirs ?? {}).map(({ cpu }) => 1000 * cpu)
  const line = (what, { wall, cpu }) => [
    what,
    seconds(wall),
    seconds(cpu),
    `${(cpu / times[0].cpu).toFixed(2)} x`,
    ...beside.map((their) => `${(their / cpu).toFixed(1)} x`),
  ]
  table(
    `${String(n)} x ${String(n)} x ${String(n)} f16, tiles of 128 x 128 x 64, three stages, every hazard looked for`,
    [
      [
        '',
        'wall',
        'processor',
        'of hopper-matmul',
        ...(theirs === null ? [] : ['JAX with races / it', 'JAX without / it']),
      ],
      ...['hopper-matmul', 'ring.ptx', 'ring.ptx over shadow'].map((what, i) => line(what, times[i])),
      ...Object.entries(theirs ?? {}).map(([what, { wall, cpu }]) =>
        line(what, { wall: 1000 * wall, cpu: 1000 * cpu }),
      ),
    ],
  )
}

for (const n of sizes.length > 0 ? sizes : [512]) await measured(n)
