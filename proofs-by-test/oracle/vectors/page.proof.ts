/** The page of the vectors: its Python runs, its cases are those that are written, its rules are those of the suites; and two programs use the vectors. */
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { directoriesOnDisk } from '../../../src/oracle/tensor-files/directory.js'
import { vectorsOf } from '../../../src/oracle/vectors/directory.js'
import { suites } from '../../../src/oracle/vectors/index.js'
import type { Suite } from '../../../src/oracle/vectors/suite.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const file = here('../../../docs/Vectors.md')
const page = (): string => fs.readFileSync(file, 'utf8')
const all = await Promise.all(suites.map(({ load }) => load()))

/** The suite with the cases that are asked for, so that no more is answered than is looked at. */
const only = (suite: Suite, wanted: (name: string, rule: string) => boolean): Suite => ({
  ...suite,
  cases: () => [...suite.cases()].filter(({ name, rule }) => wanted(name, rule)),
})
const folder = ({ arch, profile, name }: Suite): string => `${arch}/${profile}/${name}`
const quoted = (): ReadonlyArray<string> =>
  [...page().matchAll(/<!-- case: (\S+) -->/g)].map(([, name]) => name!)
/** What the page and its programs look at. */
const wanted = (suite: Suite, name: string): boolean =>
  suite.name === 'swizzle' ||
  (suite.name === 'dot' && /^(?!captured).*f16-f16-f32|^captured-f16-f16-f32-(floor|alignment)/.test(name)) ||
  quoted().includes(`${folder(suite)}/${name}.json`)

let dir = ''
beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-vectors-page-'))
  const chosen = all
    .filter(
      (suite) => suite.name === 'swizzle' || quoted().some((one) => one.startsWith(`${folder(suite)}/`)),
    )
    .map((suite) => only(suite, (name) => wanted(suite, name)))
  const { files } = vectorsOf('0')(chosen)
  const mark = { file: 'manifest.json', says: 'tcspec.manifest' }
  right(await directoriesOnDisk.write({ directory: path.join(dir, 'v'), mark, files })())
})
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

const cell = (text: string): string => text.replaceAll('|', '\\|')
const rules = (): string =>
  all
    .map((suite) =>
      [
        `### ${suite.name}`,
        '',
        `${suite.title}. In \`${folder(suite)}\`.`,
        '',
        '| rule | says | known |',
        '| --- | --- | --- |',
        ...suite.rules.map(({ id, says, fidelity }) => `| \`${id}\` | ${cell(says)} | ${fidelity} |`),
      ].join('\n'),
    )
    .join('\n\n')

/** The page with its cases and its rules as they are. */
const made = (): string => {
  const [text] = page().split('<!-- rules -->')
  const withCases = text!.replace(
    /(<!-- case: (\S+) -->\n\n```json\n)[\s\S]*?```/g,
    (_, head: string, name: string) => `${head}${fs.readFileSync(path.join(dir, 'v', name), 'utf8')}\`\`\``,
  )
  return `${withCases}<!-- rules -->\n\n${rules()}\n`
}

describe('docs/Vectors.md', () => {
  test('has the cases and the rules that there are', () => {
    if (process.env['TCSPEC_REGENERATE'] !== undefined) fs.writeFileSync(file, made())
    expect(page()).toBe(made())
  })
  test('its Python prints what it says', () => {
    const python = /```python\n([\s\S]*?)```/.exec(page())![1]!
    const printed = /It prints\n\n```\n([\s\S]*?)```/.exec(page())![1]!
    const source = `DIR = ${JSON.stringify(path.join(dir, 'v'))}\n${python}`
    expect(execFileSync('python3', ['-c', source], { encoding: 'utf8' })).toBe(printed)
  })
})

describe('the worked example', () => {
  interface Product {
    readonly question: Readonly<
      Record<
        'a' | 'b' | 'c',
        {
          readonly dtype: string
          readonly shape: ReadonlyArray<number>
          readonly bits: ReadonlyArray<number>
        }
      >
    >
    readonly answer: { readonly d: { readonly bits: ReadonlyArray<number> } }
  }
  const dot = all.find(({ name }) => name === 'dot')!
  const quotedProduct = (): Product =>
    JSON.parse(/<!-- worked example[^>]*-->\n\n```json\n([\s\S]*?)```/.exec(page())![1]!) as Product
  const program = (): string => /<!-- run by a proof -->\n\n```python\n([\s\S]*?)```/.exec(page())![1]!
  test('is what the suite answers', () => {
    const { question, answer } = quotedProduct()
    expect(right(dot.ask(question))).toEqual(answer)
  })
  test('its program prints what it says, and answers as the suite does', () => {
    const isFinite = ({ dtype, bits }: Product['question']['a']): boolean =>
      bits.every((p) => (dtype === 'f16' ? ((p >> 10) & 31) < 31 : ((p >>> 23) & 255) < 255))
    const questions = ['alignment', 'truncation', 'cancellation', 'rounding', 'zeros'].flatMap((rule) =>
      fc
        .sample(dot.questions(`dot.${rule}`), { seed: 1, numRuns: 60 })
        .map((q) => q as unknown as Product['question'])
        .filter(
          ({ a, b, c }) =>
            a.dtype === 'f16' && c.dtype === 'f32' && a.shape[2]! <= 16 && [a, b, c].every(isFinite),
        ),
    )
    expect(questions.length).toBeGreaterThan(20)
    const source = `${program()}
import json, sys
for q in json.load(sys.stdin): print(instruction(q["a"]["bits"], q["b"]["bits"], q["c"]["bits"][0]))`
    const [first, ...printed] = execFileSync('python3', ['-c', source], {
      encoding: 'utf8',
      input: JSON.stringify(questions),
    })
      .trim()
      .split('\n')
    expect(page()).toContain(`It prints \`${first!}\`.`)
    expect(Number(first)).toBe(quotedProduct().answer.d.bits[0])
    const answers = questions.map((q) => (right(dot.ask(q)) as unknown as Product['answer']).d.bits[0]!)
    // subnormal results are beyond the program, and say so
    const normal = answers.flatMap((p, i) => (p === 0 || ((p >>> 23) & 255) > 0 ? [i] : []))
    expect(normal.length).toBeGreaterThan(20)
    expect(normal.map((i) => Number(printed[i]))).toEqual(normal.map((i) => answers[i]))
  })
})

describe('vectors are used', () => {
  const lines = (name: string): number =>
    fs
      .readFileSync(here(`readers/${name}`), 'utf8')
      .trimEnd()
      .split('\n').length
  // to compile takes more than a second: at night
  const hasCompiler = nightly && spawnSync('g++', ['--version']).status === 0
  /** One address, in a tensor of its own, is another. */
  const damaged = (): string => {
    const to = path.join(dir, 'damaged')
    fs.cpSync(path.join(dir, 'v/any'), path.join(to, 'any'), { recursive: true })
    const at = path.join(to, 'any/layouts/swizzle/128-f16-16-rows.answer.addresses.npy')
    const bytes = fs.readFileSync(at)
    bytes[bytes.length - 4]! ^= 16
    fs.writeFileSync(at, bytes)
    return to
  }
  const checks = (program: string, before: ReadonlyArray<string>): void => {
    const ran = (directory: string): readonly [number | null, string] => {
      const { status, stdout } = spawnSync(program, [...before, directory], { encoding: 'utf8' })
      return [status, stdout]
    }
    expect(ran(path.join(dir, 'v'))).toEqual([
      0,
      expect.stringMatching(/^68 swizzles, 1\d products, 0 wrong\n$/),
    ])
    expect(ran(damaged())).toEqual([1, expect.stringMatching(/128-f16-16-rows/)])
  }
  test('by a Python program of under 60 lines', () => {
    expect(lines('check.py')).toBeLessThan(60)
    checks('python3', [here('readers/check.py')])
  })
  test.skipIf(!hasCompiler)('by a C++ program of under 60 lines (by night, where there is g++)', () => {
    expect(lines('check.cpp')).toBeLessThan(60)
    const program = path.join(dir, 'check')
    execFileSync('g++', ['-std=c++17', '-o', program, here('readers/check.cpp')])
    checks(program, [])
  })
})
