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
  it.each(examples.map((example, i) => [example.name, example, i] as const))('%s', async (_, { code }, i) => {
    const said = [...code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map((m) => m[1]!)
    expect(said.length).toBeGreaterThan(0)
    expect(code.split('console.log').length - 1).toBe(said.length)
    const within = code.replace(/'tensorcore-spec\/([\w/]+)'/g, (_whole, door: string) =>
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
