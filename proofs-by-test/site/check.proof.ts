/** The pure parts of the place Check: its state in the address, its question and its command line, the form of a launch, and the files that are taken. */
import * as fs from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAddress, writeAddress } from '../../site/src/address.js'
import { mostCharacters, taken, textRefusal } from '../../site/src/places/check/files.js'
import {
  extentsOf,
  fieldRefusal,
  gridRefusal,
  launched,
  launchedPtx,
  launchFileOf,
  npyShape,
  readLaunch,
  readSignature,
  wordOf,
} from '../../site/src/places/check/launch.js'
import {
  commandOf,
  empty,
  kindOf,
  nameOf,
  paramsOf,
  questionOf,
  runQuestionOf,
  stateOf,
  type State,
} from '../../site/src/places/check/subject.js'
import { asked } from '../../src/oracle/cli/commands/index.js'
import { answering } from '../../src/oracle/serve/answer.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'

const triton = new URL('../../conformance/triton/', import.meta.url)
const cuda = new URL('../../conformance/hopper/cuda/', import.meta.url)
const answers = answering({
  commands: asked,
  suites: [],
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 26,
})
const ask = async (method: string, params: unknown): Promise<Record<string, unknown>> =>
  JSON.parse(right(await answers(method, params, null))) as Record<string, unknown>
const present = (o: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(o).filter((e): e is [string, string] => e[1] !== null))
const signatureOf = async (file: string) => {
  const ttgir = fs.readFileSync(new URL(file, triton), 'utf8')
  const found = readSignature(await ask('kernels', { kernel: 'k.ttgir', files: { 'k.ttgir': { ttgir } } }))
  if (found === null) throw new Error('no signature')
  return { ttgir, signature: found }
}

const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((s) => s.trim() !== '')
const label = word.filter((s) => !s.includes('\n'))
const dictionary = fc.dictionary(fc.stringMatching(/^[A-Za-z_]\w{0,5}$/), word, { maxKeys: 4 })
const someState: fc.Arbitrary<State> = fc.record({
  kernel: fc.constantFrom('', 'matmul1', 'zoo/W1'),
  set: fc.constantFrom('', 'm=64 n=32'),
  name: word,
  text: word,
  beside: dictionary,
  grid: fc.constantFrom('', '2,2'),
  arg: dictionary,
  computes: fc.constantFrom('', 'matmul:a,b,c'),
  launch: fc.constantFrom('', '{"grid":[1]}'),
  block: fc.constantFrom('', '128'),
  cluster: fc.constantFrom('', '2'),
  shared: fc.constantFrom('', '4096'),
  entry: fc.constantFrom('', 'k'),
  // tensors are in no link
  tensors: fc.constant({}),
  without: fc.uniqueArray(label, { maxLength: 3 }),
  mend: fc.array(fc.integer({ min: 1, max: 999_999 }), { maxLength: 3 }),
  strict: fc.boolean(),
  strictProxies: fc.boolean(),
  tensorPipe: fc.constantFrom('', 'documented'),
  level: fc.constantFrom('', 'ttgir', 'ptx'),
  schedule: fc.constantFrom('', 'seeded:7'),
  explore: fc.boolean(),
})

describe('the state', () => {
  it('law 1: is restored from its params, through an address', () => {
    fc.assert(
      fc.property(someState, (s) => {
        const hash = writeAddress({ place: 'check', params: present(paramsOf(s)) })
        expect(stateOf(readAddress(hash).params)).toEqual(s)
      }),
      { numRuns: nightly ? 200 : 40 },
    )
  })
  it('a link of a guide is a kernel without a statement', () => {
    const s = stateOf(readAddress('#/check?kernel=matmul1&without=wait+consumed').params)
    expect([kindOf(s), s.without]).toEqual(['kernel', ['wait consumed']])
    expect(commandOf(s)).toBe(`tcspec check matmul1 --without 'wait consumed'`)
  })
  it('a text without a name is what it begins with', () => {
    expect(['module {}', '{"schema":"tcspec.program/1"}', '{"schema":"tcspec.jaxpr/1"}'].map(nameOf)).toEqual(
      ['kernel.ttgir', 'kernel.json', 'kernel.jaxpr.json'],
    )
    expect(nameOf('//\n// Generated\n//\n\n.version 9.0\n.target sm_90a')).toBe('kernel.ptx')
  })
})

describe('law 2: the question and the command line ask the same', () => {
  it('of a module with all that can be said', async () => {
    const { signature, ttgir } = await signatureOf('first/row_scale.ttgir')
    const s: State = {
      ...empty,
      name: 'row scale.ttgir',
      text: ttgir,
      grid: signature.grid,
      arg: signature.arg,
      without: ['wait_barrier 21'],
      strict: true,
      schedule: 'lazy',
      tensorPipe: 'documented',
    }
    expect(commandOf(s)).toBe(
      "tcspec check 'row scale.ttgir' --grid 2 --arg dx=f16[128,64]:in:guess dy=f16[128,64]:out:guess --without 'wait_barrier 21' --schedule lazy --strict --tensor-pipe documented",
    )
    expect(await ask('check', questionOf(s))).toMatchObject({ kernel: 'row_scale', verdict: 'hazard' })
  })
  it('of a module at a level', () => {
    const s: State = {
      ...empty,
      name: 'k.ttgir',
      text: 'module {}',
      beside: { 'k.ptx': '.version 8.7' },
      level: 'ptx',
    }
    expect(commandOf(s)).toBe('tcspec check k.ttgir --level ptx')
    expect(questionOf(s)).toMatchObject({
      kernel: 'k.ttgir',
      level: 'ptx',
      files: { 'k.ptx': '.version 8.7' },
    })
    expect(questionOf({ ...s, level: '' })).not.toHaveProperty('level')
    expect(runQuestionOf(s)).not.toHaveProperty('level')
  })
  it('with an edge added, of a module', async () => {
    const { signature, ttgir } = await signatureOf('first/row_scale.ttgir')
    const { grid, arg } = signature
    const s: State = { ...empty, name: 'row_scale.ttgir', text: ttgir, grid, arg, mend: [1] }
    expect(commandOf(s)).toMatch(/ --mend 1$/)
    expect(await ask('check', questionOf({ ...s, mend: [] }))).toMatchObject({ verdict: 'hazard' })
    expect(await ask('check', questionOf(s))).toMatchObject({
      verdict: 'ok',
      mended: [{ finding: 1, was: 'hazard', added: [{ statement: 'fence.proxyAsync scope="cta"' }] }],
    })
  })
  it('of PTX, with the launch that its text makes one begin with', async () => {
    const ptx = fs.readFileSync(new URL('block_reduce/broken1.ptx', cuda), 'utf8')
    const signature = readSignature(await ask('kernels', { kernel: 'k.ptx', files: { 'k.ptx': { ptx } } }))!
    const { grid, block, arg } = signature
    const s: State = { ...empty, name: 'k.ptx', text: ptx, grid, block, shared: '64', arg }
    const words = Object.entries(arg).map(([name, word]) => `${name}=${word}`)
    expect(commandOf(s)).toBe(
      `tcspec check k.ptx --grid ${grid} --block ${block} --shared 64 --arg ${words.join(' ')}`,
    )
    expect(await ask('check', questionOf(s))).toMatchObject({ verdict: 'hazard' })
    for (const p of signature.parameters) {
      const guessed = arg[p.name] ?? ''
      expect(wordOf(p, extentsOf(p, guessed))).toBe(guessed)
      expect([fieldRefusal(p, guessed), fieldRefusal(p, ' ') === null]).toEqual([null, false])
    }
  })
  it('of PTX with a launch file: tensors beside it are brought, others are seeded', async () => {
    const folder = new URL('matmul_f32/', cuda)
    const ptx = fs.readFileSync(new URL('matmul_f32.ptx', folder), 'utf8')
    const document: unknown = JSON.parse(fs.readFileSync(new URL('launch.json', folder), 'utf8'))
    const npy = fs.readFileSync(new URL('a.npy', folder)).toString('base64')
    const said = launchedPtx(document, new Set(['a.npy']))!
    expect([said.grid, said.block]).toEqual(['2,2', '16,16'])
    const files = (JSON.parse(said.launch) as { args: { file?: null }[] }).args.map(({ file }) => file)
    expect(files).toEqual([undefined, null, undefined, undefined, undefined, undefined])
    const s: State = { ...empty, name: 'k.ptx', text: ptx, ...said, tensors: { 'a.npy': npy } }
    expect(await ask('check', questionOf(s))).toMatchObject({ verdict: 'ok' })
    expect(launchedPtx([], new Set())).toBeNull()
  })
  it('a verdict and nothing are no questions', () => {
    expect(questionOf(empty)).toBeNull()
    expect(questionOf({ ...empty, name: 'v.json', text: '{"schema": "tcspec.verdict/2"}' })).toBeNull()
  })
})

describe('the form of a launch', () => {
  it('law 1: a field shows what it holds', async () => {
    const { signature } = await signatureOf('modules/mm_ptr_64x64x32_s4_w4_sm90.ttgir')
    for (const p of signature.parameters) {
      const guessed = signature.arg[p.name] ?? ''
      expect(wordOf(p, extentsOf(p, guessed))).toBe(guessed.replace(/:guess$/u, ''))
      expect(fieldRefusal(p, extentsOf(p, guessed))).toBeNull()
    }
    expect(gridRefusal(signature.grid)).toBeNull()
  })
  it('says at the field what is wrong', async () => {
    const { signature } = await signatureOf('modules/mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')
    const [da, , , k] = signature.parameters
    expect(fieldRefusal(da!, '64')).toBe('da: expected 2 extents, as its blocks of 64 x 32, found 1')
    expect(fieldRefusal(da!, '64,-1')).toContain("found '-1'")
    expect(fieldRefusal(k!, '190')).toContain('expected a multiple of 16')
    expect(fieldRefusal(k!, 'many')).toContain('expected a number of type i32')
    expect(gridRefusal('1,2,3,4')).toContain('expected one to three extents')
  })
  it('a launch file that it saves asks what the form asks', async () => {
    const { signature, ttgir } = await signatureOf('modules/mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')
    const files = {
      'k.ttgir': { ttgir },
      'launch.json': JSON.stringify(launchFileOf(signature, signature.grid, signature.arg, '')),
    }
    // what is saved is no guess any more
    const arg = Object.fromEntries(
      Object.entries(signature.arg).map(([name, word]) => [name, word.replace(/:guess$/u, '')]),
    )
    const byWords = await ask('check', { kernel: 'k.ttgir', files, grid: signature.grid, arg })
    expect(await ask('check', { kernel: 'k.ttgir', files, launch: 'launch.json' })).toEqual(byWords)
  })
  it('the launch of a capture is read: extents, numbers, and those of files beside it', async () => {
    const folder = 'captures/mm_hosttma_ws_64x64x32_s4_w4_256x256x192'
    const { signature } = await signatureOf(`${folder}/mm_hosttma_ws_64x64x32_s4_w4_256x256x192.ttgir`)
    const document: unknown = JSON.parse(fs.readFileSync(new URL(`${folder}/launch.json`, triton), 'utf8'))
    const said = launched(signature, readLaunch(document, new Map())!)
    expect(said).toMatchObject({
      grid: '4,4',
      arg: { da: 'f16[256,192]:in', db: 'f16[192,256]:in', dc: 'f16[256,256]:out', K: '192' },
      guessed: [],
    })
    const pointers = 'captures/mm_ptr_64x64x32_s4_w4_256x256x192'
    const { signature: s } = await signatureOf(`${pointers}/mm_ptr_64x64x32_s4_w4_256x256x192.ttgir`)
    const bare: unknown = JSON.parse(fs.readFileSync(new URL(`${pointers}/launch.json`, triton), 'utf8'))
    expect(launched(s, readLaunch(bare, new Map())!).guessed).toEqual(['a', 'b', 'c'])
    const shapes = new Map(
      ['a', 'b', 'c'].map((name) => [
        name,
        npyShape(fs.readFileSync(new URL(`${pointers}/${name}.npy`, triton)))!,
      ]),
    )
    expect(launched(s, readLaunch(bare, shapes)!)).toMatchObject({
      arg: { a: 'f16[256,192]:in', c: 'f16[256,256]:out', sam: '192' },
      guessed: [],
    })
  })
  it('strides and padding stay in the launch file', async () => {
    const { signature } = await signatureOf('first/row_scale.ttgir')
    const read = readLaunch(
      { grid: [2], args: [{ tensor: 'dx', shape: [128, 64], strides: [128, 1] }, 'dy'] },
      new Map([['dy', [128, 64]]]),
    )
    const said = launched(signature, read!)
    expect(said.arg).toEqual({ dx: '', dy: 'f16[128,64]:out' })
    expect(JSON.parse(said.launch)).toMatchObject({ args: { dx: { strides: [128, 1], file: null } } })
  })
})

describe('files', () => {
  const file = (name: string, text: string | null, size = 0) => ({ name, text, bytes: null, size })
  it('several at once: a module, its author, its launch', () => {
    const t = taken([
      file('launch.json', '{"grid": [1], "args": []}'),
      file('k.py', 'x = 1'),
      file('k.ttgir', 'module {}'),
    ])
    expect(t).toMatchObject({
      subject: { name: 'k.ttgir' },
      beside: { 'k.py': 'x = 1' },
      launch: { grid: [1] },
      refused: [],
    })
  })
  it('a folder of Triton: the PTX and the metadata stand beside the module, whatever comes first', () => {
    const all = [
      file('k.ptx', '.version 8.7'),
      file('k.ttgir', 'module {}'),
      file('k.json', '{"shared": 0, "num_warps": 4}'),
    ]
    for (const order of [all, [...all].reverse()])
      expect(taken(order)).toMatchObject({
        subject: { name: 'k.ttgir' },
        beside: { 'k.ptx': '.version 8.7', 'k.json': '{"shared": 0, "num_warps": 4}' },
      })
    expect(taken(all.slice(0, 1)).subject?.name).toBe('k.ptx')
  })
  it('what is not taken has a line: binary data, what is too long, what is unknown', () => {
    const t = taken([
      file('a.ttgir', 'a\u0000b'),
      file('b.ttgir', null, mostCharacters + 1),
      file('p.png', 'x'),
      file('e.ttgir', ' \n'),
    ])
    expect(t.subject).toBeNull()
    expect(t.refused.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'a.ttgir',
      'b.ttgir',
      'p.png',
      'e.ttgir',
    ])
    expect(t.refused.every((line) => !line.includes('\n'))).toBe(true)
  })
  it('control characters and marks of direction are a text, which the library judges', () => {
    expect(textRefusal('k', 'module \u202e { \u0007 }')).toBeNull()
  })
})
