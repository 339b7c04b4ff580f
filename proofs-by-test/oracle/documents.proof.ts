/** What every command prints with `--json` satisfies the schema that it names; every schema is a file, and says of every property what it is. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome, World } from '../../src/oracle/cli/command.js'
import { commands } from '../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../src/oracle/cli/program.js'
import { documentSchemas, givenSchemas, vectorSchemas } from '../../src/oracle/documents.js'
import { processOf } from '../../src/oracle/score/process.js'
import { directoriesOnDisk } from '../../src/oracle/tensor-files/directory.js'
import { methodsOf } from '../../src/oracle/serve/answer.js'
import { serveSchemas } from '../../src/oracle/serve/schemas.js'
import { onDisk } from '../../src/oracle/tensor-files/disk.js'
import { encodeNpy } from '../../src/oracle/tensor-files/npy.js'
import { npyOfTensor, tensor } from '../../src/oracle/tensor-files/tensor.js'
import { jsonSchemas, schemaText } from '../../src/semantics/files/json-schema.js'
import { meanings } from '../../src/semantics/language/rows.js'
import { right } from '../either.js'
import { worldOf } from './world.js'

const directory = new URL('../../schemas/', import.meta.url)
/** Held by serve/requests.proof.ts. */
const ofServe = serveSchemas(await methodsOf(commands))
const world: World = {
  ...worldOf(onDisk),
  directories: directoriesOnDisk,
  processes: processOf,
}
const run = (argv: ReadonlyArray<string>): Promise<Outcome> => tcspec(commands, world)(argv)()

let dir = ''
const at = (name: string): string => path.join(dir, name)
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-documents-'))
  for (const [name, last] of [
    ['a.npy', 1],
    ['b.npy', 2],
  ] as const) {
    const patterns = Float64Array.from({ length: 64 * 64 }, (_, i) => (i === 5 ? last : 0x3c00))
    fs.writeFileSync(at(name), right(encodeNpy(npyOfTensor(right(tensor('f16', [64, 64], patterns))))))
  }
  fs.copyFileSync(new URL('../../conformance/cuda/own_ring.ptx', import.meta.url), at('kernel.ptx'))
  fs.writeFileSync(
    at('mp.litmus'),
    'PTX MP\n{ x = 0; f = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, f ;\n st.release.gpu f, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n',
  )
  fs.writeFileSync(at('grid.json'), JSON.stringify({ schema: 'tcspec.sweep/1', subjects: ['zoo/R1'] }))
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

/** The validators of the published files, by the schema that they describe. */
const published = new Map<string, ValidateFunction>(
  [...Object.keys(documentSchemas), 'verdict.schema.json'].map((file) => {
    const schema = JSON.parse(fs.readFileSync(new URL(file, directory), 'utf8')) as { readonly title: string }
    return [schema.title, new Ajv2020({ strict: true, strictTypes: false }).compile(schema)]
  }),
)

describe('the files', () => {
  test('are the schemas, and there is no other', () => {
    for (const [file, schema] of Object.entries({ ...documentSchemas, ...givenSchemas, ...vectorSchemas })) {
      const url = new URL(file, directory)
      if (process.env['TCSPEC_REGENERATE'] !== undefined) fs.writeFileSync(url, schemaText(schema))
      expect(fs.readFileSync(url, 'utf8')).toBe(schemaText(schema))
    }
    expect(fs.readdirSync(directory).sort()).toEqual(
      [documentSchemas, givenSchemas, vectorSchemas, jsonSchemas, ofServe].flatMap(Object.keys).sort(),
    )
  })
  test.each(
    Object.entries({ ...documentSchemas, ...givenSchemas, ...vectorSchemas, ...jsonSchemas, ...ofServe }),
  )('%s says of every property what it is', (_, schema) => {
    const properties: Array<readonly [where: string, description: unknown]> = []
    const walk = (node: unknown, where: string): void => {
      if (typeof node !== 'object' || node === null) return
      for (const [key, below] of Object.entries(node)) {
        if (key === 'properties')
          for (const [name, of] of Object.entries(below as Record<string, { description?: unknown }>))
            properties.push([`${where}.${name}`, of.description])
        walk(below, `${where}.${key}`)
      }
    }
    walk(schema, '$')
    expect(properties.length).toBeGreaterThan(0)
    const silent = properties.filter(([, said]) => typeof said !== 'string' || said === '')
    expect(silent).toEqual([])
  })
  test('an instruction, and an event of a trace, say what they do', () => {
    const forms = (file: string, name: string): ReadonlyArray<unknown> => {
      const schema = JSON.parse(schemaText(jsonSchemas[file]!)) as {
        readonly $defs: Record<string, { readonly oneOf: ReadonlyArray<{ readonly description?: string }> }>
      }
      return schema.$defs[name]!.oneOf.map(({ description }) => description)
    }
    expect(forms('program.schema.json', 'Instruction')).toEqual(Object.values(meanings))
    const events = forms('trace.schema.json', 'TraceEvent')
    expect(events.length).toBeGreaterThan(15)
    expect(events.filter((said) => typeof said !== 'string')).toEqual([])
  })
})

const small = ['--set', 'm=64', 'n=32', 'k=48', 'tileK=16', 'stages=2']
const asked: ReadonlyArray<readonly [schema: string, argv: ReadonlyArray<string>]> = [
  ['kernels/1', ['kernels']],
  ['signature/1', ['kernels', 'conformance/triton/first/mended.ttgir']],
  ['verdict/2', ['run', 'hopper-matmul', ...small]],
  ['recording/1', ['view', 'hopper-matmul', ...small]],
  ['recording/1', ['view', 'zoo/B1', '--schedule', 'lazy']],
  ['verdict/2', ['run', 'hopper-matmul', ...small, '--without', 'wgmma']],
  ['verdict/2', ['run', 'fa3-attention', '--set', 'q=128', 'kv=128', 'heads=1']],
  ['verdict/2', ['check', 'matmul6']],
  ['verdict/2', ['check', 'zoo/R1']],
  ['verdict/2', ['check', 'zoo/B1', '--explore']],
  ['verdict/2', ['check', '@t.jsonl']],
  ['host-verdict/1', ['check', 'conformance/programs/event-missing.json']],
  ['host-verdict/1', ['run', 'conformance/programs/freed.json', '--judge', 'first']],
  ['events/1', ['trace', 'zoo/R1']],
  ['timeline/1', ['trace', 'zoo/R1', '--format', 'perfetto']],
  ['time/1', ['time', 'hopper-matmul', '--set', 'm=128', 'n=128', 'k=128']],
  ['timeline/1', ['time', 'zoo/R1', '--format', 'perfetto']],
  ['chip/1', ['time', 'zoo/R1', '--numbers']],
  ['written/1', ['trace', 'zoo/R1-fixed', '-o', '@t.jsonl']],
  ['litmus/1', ['litmus', 'visibility', '--without', 'release', '--without', 'program']],
  ['litmus/1', ['litmus', 'foreign']],
  ['litmus-answer/1', ['litmus', '@mp.litmus']],
  ['litmus-answer/1', ['litmus', '@mp.litmus', '--without', 'causality']],
  ['mutation/1', ['mutate', 'zoo/R1-fixed', '--class', 'synchronisation']],
  ['sweep-summary/1', ['sweep', '@grid.json']],
  ['mma/1', ['mma', '--in', 'a=@a.npy', 'b=@b.npy', '--out', 'd:f32=@d.npy']],
  ['comparison/1', ['compare', '@a.npy', '@b.npy']],
  ['layout/1', ['layout', 'WGMMA', '--shape', '64x8']],
  ['layout/1', ['layout', 'WG_SPLAT((64,8))']],
  ['layout-check/1', ['layout', 'check', 'WGMMA', '--against', 'WGMMA_TRANSPOSED', '--shape', '64x8']],
  ['layout-names/1', ['layout', 'names']],
  ['written/1', ['layout', 'WGMMA', '--shape', '64x8', '-o', '@l.json']],
  ['transform/1', ['transform', '--shape', '16x64', 'tile=8x64', 'swizzle=128']],
  ['transform/1', ['transform', '--shape', '8x8', '--dtype', 'e2m1']],
  ['linear/1', ['linear', 'WGMMA', '--shape', '64x16']],
  ['cute/1', ['cute', 'size', '(6,8):(8,1)']],
  ['cute/1', ['cute', '((2,3),8):((1,2),8)']],
  ['tmem/1', ['tmem', 'DEFAULT(1)', '--shape', '128x2']],
  ['values/1', ['view', 'matmul1', '--values', 'a_smem', '--at', '40']],
  ['tmem-map/1', ['tmem', 'acc=DEFAULT(1):128x256:f32']],
  ['layout-words/1', ['layout', 'words', 'WGMMA', '--shape', '64x16']],
  ['layout-words/1', ['layout', 'words', 'WG_SPLAT((64, 8))']],
  ['banks/1', ['banks', 'WGMMA', '--shape', '64x16', 'tile=8x16', 'swizzle=32']],
  ['banks/1', ['banks', '--access', 'ldmatrix.x1', '--addresses', '0,16,32,48,64,80,96,112']],
  ['suites/1', ['vectors', 'swizzle', '--list']],
  ['vectors/1', ['vectors', 'swizzle', '-o', '@vectors']],
  // what comes behind the words of the back end is the back end's: here the shell's, which takes it for nothing
  ['score/1', ['score', '--suite', 'swizzle', '--random', '0', '--json', '--', 'sh', '-c', 'cat']],
  ['image/1', ['image', '--box', '4x8', '--tensor', '20x40', '--at', '18,-8']],
  ['ptx/1', ['ptx', '@kernel.ptx']],
  ['tiling/1', ['tiling', '--m-tiles', '4', '--n-tiles', '4', '--clusters', '4']],
  ['error/1', ['check', 'no-such-kernel']],
  ['error/1', ['check']],
]

describe('law 1: what is printed satisfies its schema', () => {
  test('every command is asked', () => {
    const names = new Set(asked.map(([, [name]]) => name))
    // the tour, a script for a shell and the page are no documents; serve has those of the others, and so has cuda, which needs a program
    expect(commands.filter(({ name }) => !names.has(name)).map(({ name }) => name)).toEqual([
      'demo',
      'cuda',
      'capture',
      'completion',
      'serve',
      'open',
    ])
    expect([...published.keys()].sort()).toEqual(
      [...new Set(asked.map(([schema]) => `tcspec.${schema}`))].sort(),
    )
  })
  test('of every answer', async () => {
    const wrong: unknown[] = []
    // what writes the trace comes before what reads it
    const order = [...asked].sort(([a], [b]) => Number(b === 'written/1') - Number(a === 'written/1'))
    for (const [schema, argv] of order) {
      const said = await run([...argv.map((word) => word.replace('@', `${dir}/`)), '--json'])
      const value = JSON.parse(said.stdout) as { readonly schema?: string }
      const validate = published.get(`tcspec.${schema}`)!
      if (value.schema !== `tcspec.${schema}` || !validate(value))
        wrong.push([argv.join(' '), value.schema, said.stderr, validate.errors?.slice(0, 3)])
    }
    expect(wrong).toEqual([])
  })
  test('a document with a member that the schema does not name is refused', () => {
    for (const [schema, validate] of published)
      expect([schema, validate({ schema, more: 1 })]).toEqual([schema, false])
  })
})
