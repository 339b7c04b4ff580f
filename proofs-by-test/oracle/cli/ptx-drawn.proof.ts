/** PTX is recorded, drawn and traced, and its findings quote the author's line and that of the text. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Recording } from '../../../src/render/recording/model.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { filesOf } from '../../dialects/ptx/cuda.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url)
/** The same launch of one block and one tile. */
const shortened = (launch: Uint8Array) =>
  new TextEncoder().encode(
    new TextDecoder()
      .decode(launch)
      .replace('"grid": [2]', '"grid": [1]')
      .replace('"value": 6', '"value": 1'),
  )

const said = (kernel: string, short: boolean = false) => {
  const files = new Map(
    filesOf(kernel).map((file) => [file, new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder)))]),
  )
  const source = new URL(`${kernel}/${kernel}.cu`, folder)
  files.set(`${kernel}.cu`, new Uint8Array(readFileSync(source)))
  // one block shows what is called how
  if (short) files.set('launch.json', shortened(files.get('launch.json')!))
  return running(worldOf(inMemory(files)))
}

const launch = ['--launch', 'launch.json']

test('view records every step, with the lines of the text and of the author', async () => {
  const run = said('cpasync_mbarrier')
  const { status, stdout } = await run('view', 'cpasync_mbarrier.ptx', ...launch, '--json')
  expect(status).toBe(0)
  const r = JSON.parse(stdout) as Recording
  expect(r.outcome).toBe('completed')
  expect(r.steps.length).toBeGreaterThan(0)
  expect(r.count).toBeGreaterThanOrEqual(r.steps.length)
  expect(r.barriers.length).toBeGreaterThan(0)
  for (const { name } of r.barriers) expect(name).toMatch(/^\w+(?:\[\d+\])? \(init .*:\d+\)$/u)
  expect(r.listing.some(({ text }) => text.includes('mbarrier.init'))).toBe(true)
  expect(r.sites.some(({ source }) => /\.cu:\d+$/u.test(source?.place ?? ''))).toBe(true)
})

/** The elements of arrays that a source declares in shared memory as this. */
const declared = (source: string, type: RegExp): ReadonlyArray<string> =>
  source
    .split('\n')
    .flatMap((line) => type.exec(line)?.[1]?.split(',') ?? [])
    .flatMap((one) => {
      const [, name, extent] = /(\w+)(?:\[(\d+)\])?/u.exec(one)!
      return extent === undefined
        ? [name!]
        : Array.from({ length: Number(extent) }, (_, k) => `${name!}[${String(k)}]`)
    })

test.each([
  ['carried_peeks', /__shared__ unsigned long long ([^;]*);/u],
  ['cxx_barrier', /__shared__ barrier ([^;]*);/u],
])('an mbarrier of %s is called as its source calls it', async (kernel, type) => {
  const text = readFileSync(new URL(`${kernel}/${kernel}.cu`, folder), 'utf8')
  const { stdout } = await said(kernel)('view', `${kernel}.ptx`, ...launch, '--json')
  const names = (JSON.parse(stdout) as Recording).barriers.map(({ name }) => name.replace(/ \(init .*$/u, ''))
  expect([...new Set(names)].sort()).toEqual([...declared(text, type)].sort())
})

test('an mbarrier inside a struct is so many bytes behind its beginning', async () => {
  const { stdout } = await said('cxx_pipeline', true)('view', 'cxx_pipeline.ptx', ...launch, '--json')
  const names = (JSON.parse(stdout) as Recording).barriers.map(({ name }) => name.replace(/ \(init .*$/u, ''))
  expect([...new Set(names)].sort()).toEqual(['state', 'state+16', 'state+24', 'state+8'])
})

test('trace shows the events of a run, and a picture', async () => {
  const run = said('matmul_f32')
  const table = await run('trace', 'matmul_f32.ptx', ...launch, '--first', '40')
  expect(table.status).toBe(0)
  expect(table.stdout).toContain('matmul_f32.cu:')
  const picture = await run('trace', 'matmul_f32.ptx', ...launch, '--format', 'svg', '--first', '200')
  expect(picture.stdout).toMatch(/^<svg/u)
})

test('a finding quotes the line of the source and names that of the PTX', async () => {
  const run = said('matmul_f32')
  const { status, stdout } = await run('check', 'broken1.ptx', ...launch, '--json')
  expect(status).toBe(1)
  const v = JSON.parse(stdout) as Verdict
  const source = v.findings[0]!.a.source
  expect(source).toMatch(/^matmul_f32\.cu:\d+: .*\(line \d+ of the PTX\)$/u)
})
