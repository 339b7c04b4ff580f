/**
 * Damaged files of every kind, through the command line: a refusal in one line, or an answer where the damage does not matter. No bug of ours, no file
 * that takes for ever, and no more memory than the limits say. By day a sample; by night 5,000 of each kind. `TCSPEC_SHOW` prints what was seen of each.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { zipSync } from 'fflate'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { damaged } from '../../src/arbitraries/index.js'
import { kernelSubject } from '../../src/oracle/cli/subject.js'
import type { Outcome } from '../../src/oracle/cli/command.js'
import { commands } from '../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../src/oracle/cli/program.js'
import { encodeNpy } from '../../src/oracle/tensor-files/npy.js'
import { tensorOutputs } from '../../src/oracle/tensor-files/tensor-file.js'
import { npyOfTensor, tensor } from '../../src/oracle/tensor-files/tensor.js'
import { printJson } from '../../src/semantics/files/codec.js'
import type { Json } from '../../src/wire.js'
import { moduleText } from '../dialects/ttgir/modules.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'
import { damagedBytes, forged } from './damage.js'
import { inMemory } from './disk.js'
import { launchDisk, launchFiles } from './launch/ptx-launches.js'
import { worldOf } from './world.js'

const disk = new Map<string, Uint8Array>()
// a terminal that takes colours
const world = { ...worldOf(inMemory(disk)), colours: true }
const run = (argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, world)(argv)()
const words = (line: string): ReadonlyArray<string> => line.split(' ')
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const asBytes = (json: Json): Uint8Array => bytesOf(JSON.stringify(json, null, 1))

// ---------------------------------------------------------------- what is damaged

const t = right(
  tensor(
    'f16',
    [4, 6],
    Array.from({ length: 24 }, (_, k) => 0x3c00 + k),
  ),
)
const npy = right(encodeNpy(npyOfTensor(t)))
const written = (said: string): Uint8Array =>
  right(tensorOutputs(['a', 'w/b'].map((called) => ({ said, called, tensor: t }))))[0]!.bytes
const layouts: ReadonlyArray<Json> = [
  {
    kind: 'tiled',
    tiling: [[64, 8], [16, 8], [8, 8], [2]],
    warpDims: [-7],
    laneDims: [-3, -2],
    vectorDim: -1,
  },
  { kind: 'strided', shape: [64, 8], vectorLength: 2 },
  { kind: 'named', name: 'WGMMA.reduce(1)', shape: [64] },
  {
    kind: 'slice',
    dim: 1,
    parent: { kind: 'nvidia_mma', versionMajor: 3, instrShape: [16, 64, 16], warpsPerCTA: [4, 1] },
  },
  { kind: 'blocked', sizePerThread: [1, 2], threadsPerWarp: [8, 4], warpsPerCTA: [4, 1], order: [1, 0] },
  {
    kind: 'linear',
    bases: {
      register: [
        [0, 1],
        [8, 0],
      ],
      lane: [
        [0, 2],
        [0, 4],
        [1, 0],
        [2, 0],
        [4, 0],
      ],
      warp: [
        [16, 0],
        [32, 0],
      ],
    },
    outputs: [
      { name: 'dim0', size: 64 },
      { name: 'dim1', size: 8 },
    ],
  },
  {
    kind: 'cute_tv',
    layout: '((4,8,4),(2,2)):((128,1,16),(64,8))',
    positions: 'column-major',
    shape: [64, 8],
  },
  {
    kind: 'table',
    shape: [2, 2],
    elements: [
      [
        [
          [0, 0],
          [0, 1],
        ],
        [
          [1, 0],
          [1, 1],
        ],
      ],
    ],
  },
]
const arrays: ReadonlyArray<Json> = [
  {
    shape: [16, 128],
    bits: 16,
    transforms: [
      { kind: 'tile', tiling: [[8, 64]] },
      { kind: 'swizzle', bytes: 128 },
    ],
  },
  {
    shape: [4, 8, 32],
    bits: 8,
    transforms: [
      { kind: 'transpose', permutation: [1, 0, 2] },
      {
        kind: 'tile',
        tiling: [
          [4, 32],
          [2, 32],
        ],
      },
    ],
  },
]
const launches: ReadonlyArray<Json> = [
  {
    schema: 'tcspec.launch/1',
    grid: [1, 1],
    args: ['a', 'b', 'c']
      .map((name) => ({ kind: 'tensordesc', tensor: name, shape: [64, 64], strides: [64, 1], file: null }))
      .concat([64] as never),
    outputs: ['c'],
    kernel: 'mm_host_tma',
    num_warps: 4,
    arch: 'sm_90a',
  },
  {
    grid: [1],
    args: {
      da: { tensor: 'a', shape: [64, 64] },
      db: { tensor: 'b', shape: [64, 64] },
      dc: { tensor: 'c', shape: [64, 64], role: 'out', file: null },
      K: 64,
    },
  },
]
const conformance = fileURLToPath(new URL('../../conformance', import.meta.url))
const jaxprs = ['prefetched', 'gathered', 'row_maxima'].map(
  (name) =>
    (
      JSON.parse(readFileSync(`${conformance}/jaxpr/async/${name}.json`, 'utf8')) as {
        readonly document: Json
      }
    ).document,
)
const litmus = `PTX MP
{ x = 0; flag = 0; P1:r1 = 3; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.weak x, 1           | ld.acquire.gpu r0, flag ;
 st.release.gpu flag, 1 | ld.weak r1, x           ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)
`
const settings = 'm=16 n=64 rows=8 buffering=2 produce=copies drain=true'
let program: Json = null
let trace: Uint8Array = new Uint8Array(0)
beforeAll(async () => {
  disk.set('good.npy', npy)
  disk.set('k.ttgir', bytesOf(moduleText('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')))
  disk.set('k.json', asBytes(launches[0]!))
  disk.set('l.json', asBytes(launchFiles.byName))
  for (const [file, bytes] of launchDisk()) disk.set(file, bytes)
  program = JSON.parse(
    printJson(right(kernelSubject('queue', { m: 16, n: 64, buffering: 2 }, [], [])).program),
  )
  expect(
    await run('run queue --set m=16 n=64 buffering=2 produce=copies --over unit --trace t.jsonl'.split(' ')),
  ).toMatchObject({ status: 0 })
  trace = disk.get('t.jsonl')!
  expect(await run(words('layout WGMMA --shape 64x8 -o l.csv'))).toMatchObject({ status: 0 })
})

interface Kind {
  /** the damaged bytes */
  readonly files: () => fc.Arbitrary<Uint8Array>
  readonly file: string
  readonly argv: (file: string) => ReadonlyArray<string>
  /** how many by day */
  readonly day: number
}
const ofJson =
  (documents: () => ReadonlyArray<Json>): (() => fc.Arbitrary<Uint8Array>) =>
  () =>
    fc.oneof(damaged(documents()).map(asBytes), damagedBytes(documents().map(asBytes)))

const kinds: Readonly<Record<string, Kind>> = {
  npy: {
    files: () => damagedBytes([npy]),
    file: 'x.npy',
    argv: (x) => words(`compare ${x} good.npy`),
    day: 60,
  },
  npz: {
    files: () =>
      damagedBytes([
        written('x.npz'),
        zipSync({ 'a.npy': npy, 'notes.txt': bytesOf('notes') }, { level: 9 }),
        zipSync(
          { 'a.npy': right(encodeNpy({ descr: 'u1', shape: [20000], data: new Uint8Array(20000) })) },
          { level: 6 },
        ),
      ]),
    file: 'x.npz',
    argv: (x) => words(`compare ${x}:a good.npy`),
    day: 60,
  },
  safetensors: {
    files: () => damagedBytes([written('x.safetensors')]),
    file: 'x.safetensors',
    argv: (x) => words(`compare ${x}:a good.npy`),
    day: 60,
  },
  layout: {
    files: ofJson(() => layouts),
    file: 'x.json',
    argv: (x) => words(`layout check ${x} --against WGMMA --shape 64x8`),
    day: 30,
  },
  'linear layout': {
    files: ofJson(() => layouts),
    file: 'x.json',
    argv: (x) => words(`linear ${x} --shape 64x8`),
    day: 20,
  },
  transform: {
    files: ofJson(() => arrays),
    file: 'x.json',
    argv: (x) => words(`transform ${x}`),
    day: 20,
  },
  program: {
    files: ofJson(() => [program]),
    file: 'x.json',
    argv: (x) => words(`check ${x} --fuel 2000`),
    day: 20,
  },
  launch: {
    files: ofJson(() => launches),
    file: 'x.json',
    argv: (x) => words(`check k.ttgir --launch ${x} --fuel 2000`),
    day: 8,
  },
  'launch of PTX': {
    files: ofJson(() => Object.values(launchFiles)),
    file: 'x.json',
    argv: (x) => words(`check k.ptx --launch ${x} --fuel 2000`),
    day: 25,
  },
  'launch of PTX, run': {
    files: ofJson(() => Object.values(launchFiles)),
    file: 'x.json',
    argv: (x) => words(`run k.ptx --launch ${x} --fuel 2000`),
    day: 10,
  },
  'module of PTX': {
    files: () => damagedBytes([disk.get('k.ptx')!]),
    file: 'x.ptx',
    argv: (x) => words(`check ${x} --launch l.json --fuel 2000`),
    day: 40,
  },
  'module of Triton': {
    files: () => damagedBytes([disk.get('k.ttgir')!]),
    file: 'x.ttgir',
    argv: (x) => words(`check ${x} --launch k.json --fuel 2000`),
    day: 20,
  },
  jaxpr: {
    files: ofJson(() => jaxprs),
    file: 'x.jaxpr.json',
    argv: (x) => words(`check ${x} --fuel 2000`),
    day: 40,
  },
  'litmus test': {
    files: () => damagedBytes([bytesOf(litmus)]),
    file: 'x.litmus',
    argv: (x) => words(`litmus ${x}`),
    day: 60,
  },
  'litmus test, lines': {
    files: () => damagedBytes([bytesOf('T0: write x\nT0: release b\nT1: acquire b\nT1: read x\n')]),
    file: 'x.txt',
    argv: (x) => words(`litmus ${x}`),
    day: 60,
  },
  trace: { files: () => damagedBytes([trace]), file: 'x.jsonl', argv: (x) => words(`check ${x}`), day: 30 },
  'table of a layout': {
    files: () => damagedBytes([disk.get('l.csv')!]),
    file: 'x.csv',
    argv: (x) => words(`layout check ${x} --against WGMMA`),
    day: 30,
  },
  'linear layout as text': {
    files: () =>
      damagedBytes([
        bytesOf(
          '(lane 4, register 2) -> (dim0 4, dim1 2)\nlane 1 -> (1, 0)\nlane 2 -> (2, 1)\nregister 1 -> (0, 1)\n',
        ),
      ]),
    file: 'x.txt',
    argv: (x) => words(`linear ${x}`),
    day: 30,
  },
  schedule: {
    files: () =>
      damagedBytes([
        bytesOf('0:1 1:1 0:2 0:3 1:2 0:4\n'),
        bytesOf('seeded:7'),
        bytesOf('starving:3:17,seeded:1'),
      ]),
    file: 'x',
    argv: (x) => words(`check queue --set m=16 n=64 --schedule recorded:${x} --fuel 2000`),
    day: 20,
  },
  settings: {
    files: () => damagedBytes([bytesOf(settings)]),
    file: 'x',
    argv: () => [
      'check',
      'queue',
      '--fuel',
      '2000',
      ...words(`--set ${new TextDecoder().decode(disk.get('x')).replaceAll('\n', ' ')}`),
    ],
    day: 30,
  },
}

// ---------------------------------------------------------------- what comes of it

const colour = new RegExp(String.raw`\x1b\[(?:1|2|22|31|32|33|36|39)m`, 'g')
const obeyed = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]`)
const begun = new RegExp(String.raw`^\s*${forged}`, 'm')
/** No terminal obeys it, and no line of it was written by the file. */
const isOurs = (text: string): boolean => {
  const plain = text.replaceAll(colour, '')
  return !obeyed.test(plain) && !begun.test(plain) && !text.includes(`\x1b[32m${forged}`)
}

/** What is right of an outcome, whatever the damage was. */
const wellEnded = ({ status, stdout, stderr }: Outcome): boolean =>
  isOurs(stdout + stderr) &&
  (status === 2
    ? stdout === '' && /^tcspec: [^\n]+\n$/.test(stderr) && stderr.length < 4000
    : (status === 0 || status === 1 || status === 3) && stdout !== '')

const mostMemory = 2 ** 30
const mostSeconds = 10

describe('a damaged file is refused in one line, or harmless', () => {
  it.each(Object.entries(kinds))('%s', { timeout: 14_400_000 }, async (name, { files, file, argv, day }) => {
    const before = process.memoryUsage().rss
    const seen = { refused: 0, answered: 0, slowest: 0, memory: 0 }
    await fc.assert(
      fc.asyncProperty(files(), async (bytes) => {
        disk.set(file, bytes)
        const from = performance.now()
        const outcome = await run(argv(file))
        seen.slowest = Math.max(seen.slowest, performance.now() - from)
        seen.memory = Math.max(seen.memory, process.memoryUsage().rss - before)
        seen[outcome.status === 2 ? 'refused' : 'answered']++
        if (!wellEnded(outcome)) throw new Error(JSON.stringify(outcome))
      }),
      { numRuns: nightly ? 5000 : Math.ceil(day / 2) },
    )
    if (process.env['TCSPEC_SHOW'] !== undefined) console.log(name, JSON.stringify(seen))
    expect(seen.refused).toBeGreaterThan(0)
    expect(seen.slowest).toBeLessThan(1000 * mostSeconds)
    expect(seen.memory).toBeLessThan(mostMemory)
  })
})

test('names that a file gives are quoted where an answer lists them', async () => {
  const linear = layouts.find((json) => JSON.stringify(json).includes('"register":[[0,1]'))
  disk.set('n.json', bytesOf(JSON.stringify(linear).replace('"register"', JSON.stringify(`a\r\n${forged}`))))
  const outcome = await run(words('linear n.json --shape 64x8'))
  expect([outcome.status, wellEnded(outcome)]).toEqual([0, true])
})

describe('a name that every object of JavaScript has is a name like any other', () => {
  const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']
  const refused = async (file: string, text: string, argv: string): Promise<string> => {
    disk.set(file, bytesOf(text))
    const { status, stderr } = await run(words(argv))
    expect([status, stderr.split('\n').length]).toEqual([2, 2])
    return stderr
  }
  it.each(names)('%s: no operation, no opcode, no key of ours', async (name) => {
    const jaxpr = JSON.stringify(jaxprs[0])
    const op = /"op":"(\w+)"/.exec(jaxpr)![1]!
    expect(
      await refused('n.jaxpr.json', jaxpr.replaceAll(`"op":"${op}"`, `"op":"${name}"`), 'check n.jaxpr.json'),
    ).toContain(`an operation that is known here, found '${name}'`)
    const ttgir = moduleText('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')
    for (const known of ['ttng.init_barrier', 'arith.addi', 'tt.return'])
      await refused('n.ttgir', ttgir.replaceAll(known, name), 'check n.ttgir --launch k.json')
    const ptx = new TextDecoder().decode(disk.get('k.ptx'))
    for (const known of ['mul.wide.u32', '.u32', 'bra', '%tid.x', '.reg'])
      await refused('n.ptx', ptx.replaceAll(known, name), 'check n.ptx --launch l.json')
    for (const text of [`{"${name}": 1}`, JSON.stringify(launches[1]).replace('"grid"', `"${name}"`)])
      await refused('n.json', text, 'check k.ttgir --launch n.json')
  })
  it('what counts is an integer: no infinity, no NaN, no half', async () => {
    const found = JSON.parse(readFileSync(`${conformance}/jaxpr/tutorial/matmul1.json`, 'utf8')) as Json
    const text = JSON.stringify(found)
    expect(text).toMatch(/"length":\d+/)
    for (const n of ['1e999', '-1e999', '0.5', '"nan"', 'null', '1e300'])
      expect(
        await refused('n.jaxpr.json', text.replace(/"length":\d+/, `"length":${n}`), 'check n.jaxpr.json'),
      ).toContain('length = an integer')
  })
})
