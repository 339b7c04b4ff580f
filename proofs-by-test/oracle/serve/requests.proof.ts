/** A request and the command line that it spells have one answer; what a method does not know is refused; the schemas are files and hold. */
import * as fs from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { answering, methodNames, methodsOf } from '../../../src/oracle/serve/answer.js'
import { aboutItself, commonParams, isLong, served } from '../../../src/oracle/serve/methods.js'
import { serveSchemas } from '../../../src/oracle/serve/schemas.js'
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { inlineOfTensor, tensorOfInline } from '../../../src/oracle/tensor-files/inline.js'
import { npyOfTensor, tensor } from '../../../src/oracle/tensor-files/tensor.js'
import { schemaText } from '../../../src/semantics/files/json-schema.js'
import { suites } from '../../../src/oracle/vectors/index.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { printJson } from '../../../src/semantics/files/codec.js'
import { moduleText } from '../../dialects/ttgir/modules.js'
import { inMemory } from '../disk.js'
import { right } from '../../either.js'
import { answers, asked, world } from './here.js'

const methods = await methodsOf(commands)
const schemas = serveSchemas(methods)
const directory = new URL('../../../schemas/', import.meta.url)
const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true })
const request = ajv.compile(JSON.parse(schemaText(schemas['requests.schema.json']!)) as object)

const a = right(tensor('f16', [2, 2], [0x3c00, 0, 0, 0x3c00]))
const b = right(tensor('f16', [2, 2], [0x3c00, 0, 0, 0x3c01]))
const bf = right(tensor('bf16', [2, 2], [0x3f80, 0, 0, 0x3f80]))
const npy = (t: typeof a): Uint8Array => right(encodeNpy(npyOfTensor(t)))
const table = 'warp,lane,register,dim0\n0,0,0,0\n'
const small = ['m=64', 'n=32', 'k=48', 'tileK=16', 'stages=2']
const smallSet = { m: 64, n: 32, k: 48, tileK: 16, stages: 2 }
const module = moduleText('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')
const program = JSON.parse(
  printJson(right(instanceOf(right(kernelNamed('queue')), {}, [])).program),
) as object

const traced = JSON.parse(
  fs.readFileSync(
    new URL('../../../conformance/jaxpr/0.11.2/matmul_f16_256x256x256_sms3.jaxpr.json', import.meta.url),
    'utf8',
  ),
) as object

type Held = Readonly<Record<string, Uint8Array | string>>

/** A request, the command line that it spells, and the files that this one needs. */
const rows: ReadonlyArray<readonly [method: string, params: object, argv: string, files?: Held]> = [
  ['layout', { layout: 'WGMMA', shape: [64, 8] }, 'WGMMA --shape 64x8'],
  ['layout', { layout: 'WGMMA', shape: '64x8' }, 'WGMMA --shape 64x8'],
  ['layout', { layout: { csv: table }, shape: [1] }, 'layout.csv --shape 1', { 'layout.csv': table }],
  [
    'layout',
    { layout: 'check', file: 'WGMMA', against: 'WGMMA_TRANSPOSED', shape: [64, 8] },
    'check WGMMA --against WGMMA_TRANSPOSED --shape 64x8',
  ],
  ['layout', { layout: 'names' }, 'names'],
  [
    'transform',
    { transforms: ['tile=8x64', 'swizzle=128'], shape: [16, 64] },
    '--shape 16x64 tile=8x64 swizzle=128',
  ],
  ['image', { box: [4, 8], tensor: [20, 40], at: [18, -8] }, '--box 4x8 --tensor 20x40 --at 18,-8'],
  ['linear', { words: ['WGMMA'], shape: [64, 16], invert: true }, 'WGMMA --shape 64x16 --invert'],
  ['cute', { words: ['complement', '(2,2):(1,4)', 24] }, 'complement (2,2):(1,4) 24'],
  ['tmem', { layouts: ['DEFAULT(1)'], shape: [128, 2] }, 'DEFAULT(1) --shape 128x2'],
  [
    'banks',
    { access: 'ldmatrix.x1', addresses: [0, 16, 32, 48, 64, 80, 96, null] },
    '--access ldmatrix.x1 --addresses 0,16,32,48,64,80,96,-',
  ],
  [
    'banks',
    { words: ['WGMMA', 'tile=8x16', 'swizzle=32'], shape: [64, 16], maxBytes: 8, store: true },
    'WGMMA tile=8x16 swizzle=32 --shape 64x16 --max-bytes 8 --store',
  ],
  [
    'tiling',
    { mTiles: 4, nTiles: 4, clusters: 4, width: [2, 4], minor: 1 },
    '--m-tiles 4 --n-tiles 4 --clusters 4 --width 2 4 --minor 1',
  ],
  ['litmus', { test: 'release', without: ['release'] }, 'release --without release'],
  [
    'litmus',
    { test: { txt: 'T0: write x\nT1: read x\n' }, strict: true },
    'test.txt --strict',
    { 'test.txt': 'T0: write x\nT1: read x\n' },
  ],
  ['kernels', { kernel: 'queue' }, 'queue'],
  ['check', { kernel: 'zoo/R1', strictProxies: true }, 'zoo/R1 --strict-proxies'],
  [
    'check',
    { kernel: 'hopper-matmul', set: smallSet, without: ['wgmma'] },
    `hopper-matmul --set ${small.join(' ')} --without wgmma`,
  ],
  ['check', { kernel: program }, 'kernel.json', { 'kernel.json': JSON.stringify(program) }],
  [
    'check',
    { kernel: traced, computes: 'matmul:a_gmem,b_gmem,out_gmem' },
    'k.jaxpr.json --computes matmul:a_gmem,b_gmem,out_gmem',
    { 'k.jaxpr.json': JSON.stringify(traced) },
  ],
  ['view', { kernel: 'zoo/R1', schedule: 'lazy' }, 'zoo/R1 --schedule lazy'],
  ['trace', { kernel: 'zoo/R1', first: 5 }, 'zoo/R1 --first 5'],
  ['trace', { kernel: 'zoo/R1', format: 'perfetto' }, 'zoo/R1 --format perfetto'],
  ['time', { kernel: 'zoo/R1', chip: 'h100:clock=1800' }, 'zoo/R1 --chip h100:clock=1800'],
  ['time', { kernel: 'zoo/R1', numbers: true }, 'zoo/R1 --numbers'],
  [
    'compare',
    { got: inlineOfTensor(a), expected: inlineOfTensor(b) },
    'got.npy expected.npy',
    { 'got.npy': npy(a), 'expected.npy': npy(b) },
  ],
  [
    'run',
    {
      kernel: 'hopper-matmul',
      set: smallSet,
      over: 'field:3',
      schedule: 'seeded:4',
      fast: false,
      hazards: false,
    },
    `hopper-matmul --set ${small.join(' ')} --over field:3 --schedule seeded:4 --no-fast --no-hazards`,
  ],
  ['mutate', { kernel: 'zoo/R1-fixed', class: ['synchronisation'] }, 'zoo/R1-fixed --class synchronisation'],
]

const documentOf = async (method: string, params: unknown): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse(right(await answers(method, params, null))) as Readonly<Record<string, unknown>>

describe('law 1: one answer', () => {
  test.each(rows.map(([method, params, argv, files]) => ({ method, params, argv, files })))(
    '$method $argv',
    async ({ method, params, argv, files = {} }) => {
      const disk = new Map(
        Object.entries(files).map(([name, held]) => [
          name,
          typeof held === 'string' ? new TextEncoder().encode(held) : held,
        ]),
      )
      const said = await tcspec(commands, { ...world, files: inMemory(disk) })([
        method,
        ...argv.split(' '),
        '--json',
      ])()
      expect(said.stderr).toBe('')
      const document = await documentOf(method, params)
      expect(document).toEqual(JSON.parse(said.stdout))
      // law 3
      expect(request({ jsonrpc: '2.0', id: 1, method, params })).toBe(true)
      expect(methods.find(({ name }) => name === method)?.documents).toContain(document['schema'])
    },
  )
  test('every method is asked, but for products, which are timed', () => {
    const without = served
      .map(({ command }) => command)
      .filter((name) => !rows.some(([method]) => method === name))
    expect(without).toEqual(['mma'])
  })
})

describe('files', () => {
  test('tensors come and go with their element types', async () => {
    const params = { in: { a: inlineOfTensor(bf), b: inlineOfTensor(bf) }, out: ['d'] }
    const { files, written } = await documentOf('mma', params)
    expect(written).toBe('d.npy')
    const d = right(tensorOfInline((files as Record<string, unknown>)['d.npy']))
    expect(d).toEqual(right(tensor('f32', [2, 2], [0x3f800000, 0, 0, 0x3f800000])))
    expect(request({ jsonrpc: '2.0', id: 1, method: 'mma', params })).toBe(true)
  })
  test('an element type that is not the one that is asked for is refused', async () => {
    const other = await answers('compare', { got: inlineOfTensor(a), expected: inlineOfTensor(bf) }, null)
    expect(other).toMatchObject({ left: { code: 1, data: { code: 'bad-flag' } } })
  })
  test('names stand for what the request brings; what is written comes back', async () => {
    const { files, schema } = await documentOf('trace', { kernel: 'zoo/R1', output: 'x.jsonl' })
    expect(schema).toBe('tcspec.written/1')
    const trace = (files as Record<string, string>)['x.jsonl']!
    const again = await documentOf('check', { kernel: 'x.jsonl', files: { 'x.jsonl': trace } })
    expect(again).toMatchObject({ schema: 'tcspec.verdict/2', verdict: 'hazard' })
    expect(await documentOf('check', { kernel: { jsonl: trace } })).toEqual(again)
  })
  test('a module with its arguments on the spot, and with a launch file whose tensors stand beside it', async () => {
    const ones = inlineOfTensor(right(tensor('f16', [64, 64], new Uint16Array(64 * 64).fill(0x3c00))))
    const output = { dtype: 'f16', shape: [64, 64], role: 'out' }
    const onTheSpot = {
      grid: [1],
      arg: { da: ones, db: ones, dc: output, K: 64 },
      computes: 'matmul:da,db,dc',
    }
    const spot = { kernel: { ttgir: module }, out: ['dc'], ...onTheSpot }
    const run = await documentOf('run', spot)
    expect(run).toMatchObject({ verdict: 'ok', comparison: { equal: true } })
    const launch = { grid: [1], args: ['da', 'db', 'dc', 64], outputs: ['dc'], computes: 'matmul:da,db,dc' }
    const dc = (run['files'] as Record<string, object>)['dc.npy']!
    expect(new Set<unknown>(Array.from<unknown>(right(tensorOfInline(dc)).bits))).toEqual(new Set([0x5400]))
    const files = { 'da.npy': ones, 'db.npy': ones, 'dc.npy': dc }
    const again = await documentOf('run', { kernel: { ttgir: module }, launch, files, out: ['dc'] })
    expect(again).toEqual(run)
    for (const params of [spot, { kernel: { ttgir: module }, launch, files }])
      expect(request({ jsonrpc: '2.0', id: 1, method: 'run', params })).toBe(true)
    const bf = inlineOfTensor(right(tensor('bf16', [64, 64], new Uint16Array(64 * 64))))
    expect(await answers('run', { ...spot, arg: { ...onTheSpot.arg, da: bf } }, null)).toMatchObject({
      left: {
        code: 1,
        message: expect.stringMatching(/arg\.da\.npy: expected elements of f16, found bf16/) as string,
      },
    })
  })
  test('a kernel as JAX traced it, on the spot, with its tensors', async () => {
    const ones = inlineOfTensor(right(tensor('f16', [256, 256], new Uint16Array(256 * 256).fill(0x3c00))))
    const params = { kernel: traced, in: { a_gmem: ones, b_gmem: ones }, out: ['out_gmem'] }
    const { verdict, files } = await documentOf('run', params)
    expect(verdict).toBe('ok')
    const out = right(tensorOfInline((files as Record<string, object>)['out_gmem.npy']))
    expect(new Set<unknown>(Array.from<unknown>(out.bits))).toEqual(new Set([0x5c00]))
    expect(request({ jsonrpc: '2.0', id: 1, method: 'run', params })).toBe(true)
    const wrong = { ...traced, jaxprs: [] }
    expect(await answers('check', { kernel: wrong }, null)).toMatchObject({
      left: { code: 1, message: expect.stringMatching(/kernel.body: expected the number of one/) as string },
    })
  })
  test('a module whose launch has extents, with data beside it; every output comes back, lines of its author are quoted', async () => {
    const ones = inlineOfTensor(right(tensor('f16', [64, 64], new Uint16Array(64 * 64).fill(0x3c00))))
    const args = [...['da', 'db', 'dc'].map((name) => ({ tensor: name, shape: [64, 64], file: null })), 64]
    const kernels = Array.from({ length: 50 }, (_, k) => `line ${String(k + 1)} of its author`).join('\n')
    const asking = {
      kernel: { ttgir: module },
      launch: { grid: [1], args },
      out: ['*'],
      seeded: false,
      files: { 'kernels.py': kernels },
    }
    const params = { ...asking, in: { da: ones, db: ones } }
    const { files } = await documentOf('run', params)
    expect(Object.keys(files as object)).toEqual(['dc.npy'])
    const dc = right(tensorOfInline((files as Record<string, object>)['dc.npy']))
    expect(new Set<unknown>(Array.from<unknown>(dc.bits))).toEqual(new Set([0x5400]))
    expect(request({ jsonrpc: '2.0', id: 1, method: 'run', params })).toBe(true)
    expect(await answers('run', { ...asking, in: { da: ones } }, null)).toMatchObject({
      left: { code: 1, data: { code: 'input-missing' } },
    })
    const { kernel, launch, files: beside } = asking
    const found = await documentOf('check', { kernel, launch, files: beside, without: ['92'], printed: true })
    expect(found['printed']).toMatch(/source +kernels.py:\d+: line \d+ of its author +\(ttg/)
  })
  test('no file of the disk is read', async () => {
    for (const name of ['package.json', '/etc/passwd', '../x.json'])
      expect(await answers('check', { kernel: name }, null)).toMatchObject({
        left: { code: 1, data: { code: 'file-missing' } },
      })
  })
  test('what is printed stands beside the document', async () => {
    const { printed, ...document } = await documentOf('cute', {
      words: ['size', '(6,8):(8,1)'],
      printed: true,
    })
    const said = await tcspec(commands, world)(['cute', 'size', '(6,8):(8,1)'])()
    expect(printed).toBe(said.stdout)
    expect(document).toEqual(await documentOf('cute', { words: ['size', '(6,8):(8,1)'] }))
    const layout = { layout: 'WGMMA', shape: [64, 8] }
    const picture = await documentOf('layout', { ...layout, format: 'svg', printed: true })
    expect(picture['printed']).toMatch(/^<svg/)
    expect(await answers('layout', { ...layout, format: 'json', printed: true }, null)).toMatchObject({
      left: { data: { code: 'params' } },
    })
  })
})

describe('law 2: what is refused', () => {
  const refusals: ReadonlyArray<
    readonly [method: string, params: unknown, code: number, word: string, says: RegExp]
  > = [
    [
      'layout',
      { layout: 'WGMMA', shpe: [64, 8] },
      -32602,
      'params',
      /^layout: \$\.shpe: expected no such key .* which has layout, file, shape.*; did you mean shape/,
    ],
    ['layout', {}, -32602, 'params', /^layout: \$\.layout: expected .*, found nothing$/],
    [
      'layout',
      ['WGMMA'],
      -32602,
      'params',
      /^layout: \$: expected the params of layout, found an array of 1$/,
    ],
    ['layout', 'WGMMA', -32602, 'params', /found "WGMMA"$/],
    ['layout', { layout: 'WGMMA', json: true }, -32602, 'params', /no such key/],
    ['layout', { layout: true }, -32602, 'params', /^layout: \$\.layout/],
    ['cute', { words: [] }, -32602, 'params', /expected one or more, found an empty list/],
    ['version', { a: 1 }, -32602, 'params', /expected no params/],
    ['layout', { layout: 'WGMMAA' }, 1, 'name.unknown', /WGMMAA/],
    ['check', { kernel: 'no-such' }, 1, 'kernel.unknown', /no kernel named 'no-such'/],
    [
      'compare',
      { got: { dtype: 'f16', shape: [2], bits: [1] }, expected: 'x' },
      1,
      'tensor-shape',
      /^got: expected 2 elements/,
    ],
    [
      'compare',
      { got: { dtype: 'f17', shape: [2], bits: [1] }, expected: 'x' },
      1,
      'tensor-form',
      /^got: \$\.dtype: expected one of/,
    ],
    ['nope', {}, -32601, 'method', /^expected a method \(layout, .*\), found 'nope'/],
    ['ask/nope', {}, -32601, 'method', /found 'ask\/nope'/],
    ['constructor', {}, -32601, 'method', /found 'constructor'/],
    ['serve', {}, -32601, 'method', /found 'serve'/],
    ['ask/swizzle', { dtype: 'f16' }, 1, 'question', /./],
  ]
  test.each(refusals)('%s %j', async (method, params, code, word, says) => {
    const found = await answers(method, params, null)
    expect(found).toMatchObject({ left: { code, data: { code: word } } })
    expect(E.isLeft(found) ? found.left.message : '').toMatch(says)
    if (code === -32602 && methods.some(({ name }) => name === method))
      expect(request({ jsonrpc: '2.0', id: 1, method, params })).toBe(
        Object.keys(params ?? {}).includes('words'),
      )
  })
  test('a method that there is not is quoted, 100 characters of it', async () => {
    const found = await answers('lay'.repeat(40), {}, null)
    expect(E.isLeft(found) ? found.left.message : '').toContain(`found '${'lay'.repeat(33)}l';`)
  })
  test('what judges a kernel, multiplies or compares is long', async () => {
    const all = await documentOf('methods', {})
    const listed = all['methods'] as unknown as ReadonlyArray<{
      readonly name: string
      readonly params: { readonly properties?: object }
    }>
    for (const { name, params } of listed)
      expect([name, isLong(name)]).toEqual([
        name,
        (name !== 'kernels' && 'kernel' in (params.properties ?? {})) || ['mma', 'compare'].includes(name),
      ])
    expect(isLong('nope')).toBe(false)
  })
  test('a result longer than the limit', async () => {
    const short = answering({ ...asked, mostBytes: 100 })
    expect(await short('layout', { layout: 'WGMMA', shape: [64, 8] }, null)).toMatchObject({
      left: { code: 2, data: { code: 'too-large' } },
    })
  })
  test('what is thrown is a bug, and answered', async () => {
    const broken = answering({
      ...asked,
      commands: [
        {
          name: 'layout',
          description: '',
          load: () =>
            Promise.resolve({
              define: (c: Command) => c,
              run: () => () => () => Promise.reject(new Error('oh')),
            }),
        },
      ],
    })
    expect(await broken('layout', {}, null)).toMatchObject({ left: { code: -32603, data: { code: 'bug' } } })
  })
})

describe('what a method takes', () => {
  test('no param of a command is one of those that all take, and each is said once', () => {
    for (const { command } of served) {
      const { params } = methods.find(({ name }) => name === command)!
      const { properties } = params.schema as { readonly properties: object }
      const own = Object.keys(properties)
      expect(new Set(own).size).toBe(own.length)
      expect(own.slice(-commonParams.length)).toEqual(commonParams)
    }
  })
  test('progress is told', async () => {
    const heard: unknown[] = []
    await answers('mutate', { kernel: 'zoo/R1-fixed', class: ['synchronisation'] }, (at) => heard.push(at))
    expect(heard.at(-1)).toMatchObject({ what: expect.stringMatching(/mutants/) as string })
  })
})

describe('the list and the schemas', () => {
  test('the files are the schemas', () => {
    for (const [file, schema] of Object.entries(schemas)) {
      const url = new URL(file, directory)
      if (process.env['TCSPEC_REGENERATE'] !== undefined) fs.writeFileSync(url, schemaText(schema))
      expect(fs.readFileSync(url, 'utf8')).toBe(schemaText(schema))
    }
  })
  test('every method is in the list, with the form of its params', async () => {
    const { methods: listed } = (await documentOf('methods', {})) as unknown as {
      readonly methods: ReadonlyArray<{
        readonly name: string
        readonly params: object
        readonly result: unknown
      }>
    }
    expect(listed.map(({ name }) => name)).toEqual(methodNames(suites))
    for (const { name, params, result } of listed) {
      expect(ajv.validateSchema(params)).toBe(true)
      // what a form names stands in the order of the names
      const names = '$defs' in params ? Object.keys(params.$defs ?? {}) : []
      expect(names).toEqual([...names].sort())
      expect(Array.isArray(result)).toBe(true)
      expect(name.length).toBeGreaterThan(0)
    }
  })
  test('the documents that are no command’s satisfy their schemas', async () => {
    for (const [node, version] of [
      [undefined, {}],
      ['22.1.0', { node: '22.1.0' }],
    ] as const) {
      const world = Object.assign({}, asked.world, node === undefined ? {} : { node })
      const own = answering({ ...asked, world })
      const said = await own('version', undefined, null)
      expect(E.isRight(said) ? JSON.parse(said.right) : null).toEqual({
        ...{ schema: 'tcspec.version/1', version: asked.world.version },
        ...version,
      })
    }
    for (const name of aboutItself) {
      const document = await documentOf(name, undefined)
      const schema = JSON.parse(fs.readFileSync(new URL(`${name}.schema.json`, directory), 'utf8')) as object
      expect(new Ajv2020({ strict: true, strictTypes: false }).compile(schema)(document)).toBe(true)
    }
  })
})
