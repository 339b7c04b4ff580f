/** Every `@example` of the sources is run, through the doors that its imports name, and prints what its comment says. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'node:util'
import { transformSync } from 'rolldown/utils'
import { afterAll, describe, expect, it, vi } from 'vitest'

const src = fileURLToPath(new URL('../src/', import.meta.url))
const scratch = fs.mkdtempSync(fileURLToPath(new URL('./.examples-', import.meta.url)))
afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true })
})

/** What people start with, by the door that it comes through: what README, guides and the walk through the house use. Each has an example. */
const begun: Readonly<Record<string, ReadonlyArray<string>>> = {
  '': ['check', 'run', 'layout'],
  numerics: ['bits', 'bitsOf', 'decode', 'encode', 'field'],
  transforms: ['ofStrides', 'ofTransforms', 'swizzle', 'swizzleAddress', 'tile'],
  layouts: ['composition', 'ownersOf', 'parseLayout', 'parseName', 'showLayout'],
  semantics: [
    'check',
    'explore',
    'kernel',
    'parseProgram',
    'print',
    'printJson',
    'seeded',
    'standardOptions',
  ],
  'dialects/ttgir': ['elaborate', 'launchOf', 'readModule', 'signatureOf'],
  'dialects/jaxpr': ['parseDocument'],
  'dialects/litmus': ['readPtxLitmus'],
  kernels: ['instanceOf', 'kernelNamed', 'naiveMatmul'],
  laws: ['checkLaws', 'showReport', 'swizzleLaws'],
  arbitraries: ['transformedRef'],
  oracle: ['compare', 'encodeNpy', 'tcspec'],
}
interface Example {
  readonly name: string
  readonly code: string
}

const examplesIn = (file: string): ReadonlyArray<Example> =>
  [
    ...fs
      .readFileSync(path.join(src, file), 'utf8')
      .matchAll(/ \* @example\n \* ```ts\n((?: \*.*\n)*?) \* ```\n \*\/\nexport (?:const|function) (\w+)/g),
  ].map((m) => ({
    name: `${file}: ${m[2]!}`,
    code: m[1]!.replace(/^ \* ?/gm, ''),
  }))

const examples = fs
  .readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .flatMap(examplesIn)

describe('examples in the sources', () => {
  it('none is overlooked', () => {
    const written = fs
      .readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .reduce(
        (n, file) => n + fs.readFileSync(path.join(src, file), 'utf8').split('* @example').length - 1,
        0,
      )
    expect(examples.length).toBe(written)
    expect(examples.length).toBeGreaterThan(10)
  })
  it.each(Object.entries(begun))('what people start with has one: %s', (door, names) => {
    const there = examples
      .filter(({ name }) => name.startsWith(door === '' ? 'index.ts: ' : `${door}/`))
      .map(({ name }) => name.replace(/^.*: /, ''))
    expect(names.filter((name) => !there.includes(name))).toEqual([])
  })
  it('every door has such names, but those of surfaces that others are written with, and of pictures', () => {
    const { exports } = JSON.parse(fs.readFileSync(path.join(src, '../package.json'), 'utf8')) as {
      readonly exports: object
    }
    expect(
      Object.keys(exports)
        .map((door) => door.slice(2))
        .filter((door) => begun[door] === undefined),
    ).toEqual([
      'dialects/pallas',
      'dialects/ttng',
      'dialects/cutlass',
      'dialects/mojo',
      'render',
      'package.json',
    ])
  })
  it.each(examples.map((example, i) => [example.name, example, i] as const))('%s', async (_, { code }, i) => {
    const said = [...code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map((m) => m[1]!)
    expect(said.length).toBeGreaterThan(0)
    expect(code.split('console.log').length - 1).toBe(said.length)
    const within = code.replace(/'tensorcore-spec(?:\/([\w/]+))?'/g, (_whole, door = '') =>
      JSON.stringify(path.join(src, door, 'index.ts')),
    )
    const file = path.join(scratch, `${String(i)}.mjs`)
    const { code: script, errors } = transformSync(`${String(i)}.ts`, within, { target: 'es2022' })
    expect(errors).toEqual([])
    fs.writeFileSync(file, script)
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    await import(file)
    const printed = log.mock.calls.map((words: ReadonlyArray<unknown>) => format(...words))
    log.mockRestore()
    expect(printed).toEqual(said)
  })
})
