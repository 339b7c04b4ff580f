/** `tcspec vectors`: the directory is whole or not there, the same twice, and what a case's files say is what was asked. */
import * as crypto from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { World } from '../../../src/oracle/cli/command.js'
import { vectorSchemas } from '../../../src/oracle/documents.js'
import { directoriesOnDisk } from '../../../src/oracle/tensor-files/directory.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { readTensor } from '../../../src/oracle/tensor-files/tensor-file.js'
import type { TensorDtype } from '../../../src/oracle/tensor-files/tensor.js'
import { inlined } from '../../../src/oracle/vectors/directory.js'
import { suiteNamed } from '../../../src/oracle/vectors/index.js'
import { sameJson } from '../../../src/oracle/vectors/suite.js'
import type { Json } from '../../../src/wire.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { running, worldOf } from '../world.js'

const world: World = { ...worldOf(onDisk), directories: directoriesOnDisk }
const run = running(world)
/** By day two small suites; by night all. */
const sample = nightly ? [] : ['swizzle']

let dir = ''
const at = (name: string): string => path.join(dir, name)
beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-vectors-'))
  expect(await run('vectors', ...sample, '-o', at('v'))).toMatchObject({ status: 0, stderr: '' })
}, 600_000)
afterAll(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

interface Manifest {
  readonly suites: ReadonlyArray<{
    readonly name: string
    readonly directory: string
    readonly lines: string
    readonly cases: ReadonlyArray<{ readonly file: string; readonly refused: boolean }>
  }>
  readonly files: ReadonlyArray<{ readonly file: string; readonly bytes: number; readonly sha256: string }>
}
const manifestIn = (directory: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as Manifest

const filesUnder = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort()

describe('the directory', () => {
  test('holds what the manifest says, byte for byte, and nothing else', () => {
    const { files } = manifestIn(at('v'))
    expect(filesUnder(at('v'))).toEqual(['manifest.json', ...files.map(({ file }) => file)].sort())
    for (const { file, bytes, sha256 } of files) {
      const found = fs.readFileSync(path.join(at('v'), file))
      expect([file, found.length]).toEqual([file, bytes])
      expect([file, crypto.createHash('sha256').update(found).digest('hex')]).toEqual([file, sha256])
    }
  })
  test('every case is the question and the answer of its suite', async () => {
    for (const { name, directory, cases } of manifestIn(at('v')).suites) {
      const suite = right(await suiteNamed(name)())
      const expected = new Map([...suite.cases()].map((one) => [`${directory}/${one.name}.json`, one]))
      expect(cases.map(({ file }) => file)).toEqual([...expected.keys()])
      for (const { file, refused } of cases) {
        const folder = path.join(at('v'), directory)
        const text = JSON.parse(fs.readFileSync(path.join(at('v'), file), 'utf8')) as Record<string, Json>
        const whole = (json: Json): Json =>
          inlined(json, (npy, dtype) =>
            Array.from(
              right(readTensor(onDisk)(path.join(folder, npy), dtype as TensorDtype)()).bits,
              Number,
            ),
          )
        const one = expected.get(file)!
        expect(sameJson(whole(text['question']!), one.question), file).toBe(true)
        const asked = suite.ask(one.question)
        const answer = E.isLeft(asked) ? { refused: asked.left.code } : { answer: asked.right }
        expect(sameJson(whole(text['expected']!), answer), file).toBe(true)
        expect([file, refused]).toEqual([file, E.isLeft(asked)])
      }
    }
  })
  test('law 3: the lines of a suite are its cases, with their tensors inside', async () => {
    for (const { name, directory, lines } of manifestIn(at('v')).suites) {
      const suite = right(await suiteNamed(name)())
      const found = fs
        .readFileSync(path.join(at('v'), lines), 'utf8')
        .trimEnd()
        .split('\n')
      const cases = [...suite.cases()]
      expect([lines, found.length]).toEqual([`${directory}.jsonl`, cases.length])
      for (const [i, one] of cases.entries()) {
        const line = JSON.parse(found[i]!) as Record<string, Json>
        const { question, expected, ...rest } = JSON.parse(
          fs.readFileSync(path.join(at('v'), directory, `${one.name}.json`), 'utf8'),
        ) as Record<string, Json>
        expect([question, expected]).not.toContain(undefined)
        expect(line).toMatchObject(rest)
        expect(sameJson(line['question'], one.question), one.name).toBe(true)
        const asked = suite.ask(one.question)
        const answer = E.isLeft(asked) ? { refused: asked.left.code } : { answer: asked.right }
        expect(sameJson(line['expected'], answer), one.name).toBe(true)
      }
    }
  })
  test('every document in it satisfies its schema', () => {
    const schemas = new Map(
      ['manifest', 'suite', 'case'].map((name) => [
        `tcspec.${name}/1`,
        new Ajv2020({ strict: true, strictTypes: false }).compile(
          vectorSchemas[`${name}.schema.json`] as object,
        ),
      ]),
    )
    for (const file of filesUnder(at('v')).filter((name) => name.endsWith('.json'))) {
      const found = JSON.parse(fs.readFileSync(path.join(at('v'), file), 'utf8')) as { schema: string }
      const validate = schemas.get(found.schema)!
      expect([file, validate(found), validate.errors]).toEqual([file, true, null])
    }
  })
  test('is the same the second time, and replaces the first', async () => {
    expect(await run('vectors', ...sample, '-o', at('w'))).toMatchObject({ status: 0 })
    const first = fs.statSync(at('w')).ino
    expect(await run('vectors', ...sample, '-o', at('w'))).toMatchObject({ status: 0 })
    expect(fs.statSync(at('w')).ino).not.toBe(first)
    expect(filesUnder(at('w'))).toEqual(filesUnder(at('v')))
    for (const file of filesUnder(at('v')))
      expect(
        fs.readFileSync(path.join(at('v'), file)).equals(fs.readFileSync(path.join(at('w'), file))),
        file,
      ).toBe(true)
    expect(fs.readdirSync(dir).filter((name) => name.startsWith('.tcspec'))).toEqual([])
  }, 600_000)
})

describe('what is not ours is not touched', () => {
  test('a directory with files, a file, a link, a place in no directory', async () => {
    fs.mkdirSync(at('mine'))
    fs.writeFileSync(at('mine/notes.txt'), 'mine')
    fs.writeFileSync(at('file'), 'mine')
    fs.symlinkSync(at('v'), at('link'))
    for (const place of ['mine', 'file', 'link', 'nowhere/v']) {
      const { status, stderr } = await run('vectors', 'swizzle', '-o', at(place))
      expect([place, status, stderr.trim().split('\n').length]).toEqual([place, 2, 1])
    }
    expect(fs.readFileSync(at('mine/notes.txt'), 'utf8')).toBe('mine')
    expect(fs.readFileSync(at('file'), 'utf8')).toBe('mine')
  })
  test('a manifest of something else is no mark', async () => {
    fs.mkdirSync(at('other'))
    fs.writeFileSync(at('other/manifest.json'), '{"schema": "somebody/1"}')
    expect(await run('vectors', 'swizzle', '-o', at('other'))).toMatchObject({ status: 2 })
  })
  test('an empty directory is taken', async () => {
    fs.mkdirSync(at('empty'))
    expect(await run('vectors', 'swizzle', '-o', at('empty'))).toMatchObject({ status: 0 })
    expect(fs.existsSync(at('empty/manifest.json'))).toBe(true)
  })
  test('a write that fails on the way leaves what was there', async () => {
    const before = fs.statSync(at('v')).ino
    const bytes = new Uint8Array(1)
    const written = await directoriesOnDisk.write({
      directory: at('v'),
      mark: { file: 'manifest.json', says: '"schema": "tcspec.manifest/' },
      files: [
        { file: 'a', bytes },
        { file: 'a/b', bytes },
      ],
    })()
    expect(E.isLeft(written) && written.left.code).toBe('directory-unwritable')
    expect(fs.statSync(at('v')).ino).toBe(before)
    expect(fs.readdirSync(dir).filter((name) => name.startsWith('.tcspec'))).toEqual([])
  })
})

describe('the command', () => {
  test('lists suites and rules', async () => {
    const { status, stdout } = await run('vectors', '--list', ...sample)
    expect([status, stdout.split('\n')[0]!.split(/ +/)]).toEqual([0, ['rule', 'cases', 'known', 'says']])
    expect(stdout).toMatch(/swizzle\.128 +\d+ +silicon/)
  })
  test.each([
    [['vectors'], /--output: expected a directory/],
    [['vectors', 'swizle', '-o', 'x'], /did you mean swizzle/],
    [['vectors', '--list', '-o', 'x'], /nothing with --list/],
  ])('%j is refused', async (argv, why) => {
    const { status, stderr } = await run(...argv)
    expect(status).toBe(2)
    expect(stderr).toMatch(why)
  })
})
