/**
 * What a text of PTX says of its launch: held against the launch files of our kernels and of Triton's captures, which say what each parameter is; and the
 * launch to begin with lays every parameter, of every module that there is.
 */
import * as fs from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it, test } from 'vitest'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { documentSchemas } from '../../../src/oracle/documents.js'
import { describeEntry, type DescribedEntry } from '../../../src/oracle/launch/ptx-described.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { fileText, kernelNames, launchOf } from '../../dialects/ptx/cuda.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const captures = new URL('../../../conformance/triton/captures/', import.meta.url)
const entryOf = (text: string): DescribedEntry =>
  right(describeEntry(right(parseModule(text)), null, 'k.ptx'))

describe('our kernels', () => {
  it.each(sampled(3, kernelNames))('%s', (kernel) => {
    const described = entryOf(fileText(`${kernel}/${kernel}.ptx`))
    const launch = launchOf(kernel)
    expect(described.name).toBe(launch.kernel)
    const flat = launch.args.flatMap((a, i) =>
      a.kind === 'struct'
        ? a.fields.map((f) => [`${String(i)}+${String(f.offset)}`, f] as const)
        : [[String(i), a] as const],
    )
    const names = [...new Set(described.parameters.map(({ name }) => name.replace(/\+\d+$/u, '')))]
    for (const [key, a] of flat) {
      const [i, at] = key.split('+')
      const name = `${names[Number(i)]!}${at === undefined ? '' : `+${at}`}`
      const found = described.parameters.find((p) => p.name === name)
      // a field that the kernel does not look at
      if (found === undefined && at !== undefined) continue
      expect(found, name).toBeDefined()
      if (a.kind === 'scalar')
        expect([found!.kind, found!.bytes], name).toEqual(['scalar', Number(/\d+$/u.exec(a.type)![0]) / 8])
      else {
        // its address goes into a map that the kernel makes: what is done through that map the guess does not see
        if (name === 'device_tensormap_param_1') continue
        // what is an output is written, what is an input is not
        expect([found!.kind, found!.role === 'in'], `${name}: ${found!.dtype}`).toEqual([
          a.kind === 'tensormap' ? 'map' : 'pointer',
          a.role === 'in',
        ])
      }
    }
  })
})

describe('shared memory', () => {
  const text = (variables: string): string => `.version 8.0
.target sm_90a
.address_size 64
${variables}
.visible .entry k(.param .u64 p) { ret; }
`
  it.each<readonly [string, string, boolean]>([
    ['none', '', false],
    ['of a size', '.shared .align 4 .b8 a[16];', false],
    ['without a size', '.extern .shared .align 16 .b8 a[];', true],
    ['of both kinds', '.shared .align 4 .b8 a[16];\n.extern .shared .align 16 .b8 b[];', true],
  ])('%s: its bytes are guessed where the text does not say them', (_, variables, isGuessed) => {
    const { example } = entryOf(text(variables))
    expect(example.shared).toBe(isGuessed ? 65536 : undefined)
    expect(example.guessed).toEqual(['grid', 'block', ...(isGuessed ? ['shared'] : [])])
  })
})

const named = fs
  .readdirSync(captures)
  .filter((name) => fs.readdirSync(new URL(name, captures)).includes(`${name}.ptx`))

describe('captures of Triton', () => {
  it.each(sampled(4, named))('%s', (name) => {
    const text = fs.readFileSync(new URL(`${name}/${name}.ptx`, captures), 'utf8')
    const launch = JSON.parse(fs.readFileSync(new URL(`${name}/launch.json`, captures), 'utf8')) as {
      args: ({ kind: string; shape: number[] } | string | number)[]
      outputs: string[]
    }
    const { parameters } = entryOf(text)
    let at = 0
    for (const a of launch.args) {
      const p = parameters[at]!
      if (typeof a === 'object' && a.kind === 'tensordesc') {
        expect(p.kind, p.name).toBe('map')
        at += 1 + 2 * a.shape.length
      } else {
        expect(p.kind, p.name).toBe(typeof a === 'number' ? 'scalar' : 'pointer')
        at++
      }
    }
  })
})

describe('the launch to begin with', () => {
  const texts = [
    ...kernelNames.map((kernel) => [kernel, fileText(`${kernel}/${kernel}.ptx`)] as const),
    ...named.map(
      (name) => [name, fs.readFileSync(new URL(`${name}/${name}.ptx`, captures), 'utf8')] as const,
    ),
  ]
  const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(
    documentSchemas['signature.schema.json'] as object,
  )
  // by day every fifth
  it.each(sampled(5, texts))('lays every parameter of %s', async (_, text) => {
    const whole = new Map([['k.ptx', new TextEncoder().encode(text)]])
    const said = await running(worldOf(inMemory(whole)))('kernels', 'k.ptx', '--json')
    expect([said.status, said.stderr]).toEqual([0, ''])
    const document = JSON.parse(said.stdout) as DescribedEntry
    expect([validate(document), validate.errors]).toEqual([true, null])
    const { grid, block, shared, arg } = document.example
    const bare = text.slice(0, text.indexOf('{\n', text.indexOf('.entry')))
    const disk = inMemory(new Map([['k.ptx', new TextEncoder().encode(`${bare}{ ret; }\n`)]]))
    right(
      launchedPtx(disk)('k.ptx', {
        grid,
        block,
        ...(shared === undefined ? {} : { shared }),
        args: Object.entries(arg),
      }),
    )
    // lines of the text that the operations name
    const lines = text.split('\n')
    for (const { name, line } of document.operations) expect(lines[line - 1], String(line)).toContain(name)
  })
})

test('a module of several entries, and one of none', async () => {
  const head = '.version 9.0\n.target sm_90a\n.address_size 64\n'
  const entry = (name: string): string => `.visible .entry ${name}(.param .u32 n) { ret; }\n`
  const disk = new Map<string, Uint8Array>()
  const put = (file: string, text: string): void => void disk.set(file, new TextEncoder().encode(text))
  put('two.ptx', head + entry('a') + entry('b'))
  put('none.ptx', head)
  const run = running(worldOf(inMemory(disk)))
  expect(JSON.parse((await run('kernels', 'two.ptx', '--json')).stdout)).toMatchObject({
    name: 'a',
    example: { entry: 'a', arg: { n: '0' } },
  })
  expect(JSON.parse((await run('kernels', 'two.ptx', '--entry', 'b', '--json')).stdout)).toMatchObject({
    name: 'b',
  })
  for (const words of [['none.ptx'], ['two.ptx', '--entry', 'c']]) {
    const bad = await run('kernels', ...words)
    expect([bad.status, bad.stdout, bad.stderr.trim().split('\n').length]).toEqual([2, '', 1])
  }
})
