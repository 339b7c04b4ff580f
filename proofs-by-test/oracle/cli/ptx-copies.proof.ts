/**
 * Asynchronous copies of PTX are called by the tensor that they copy. The oracle reads the text alone: the register of the map or of the address, back to the parameter that it
 * comes from, and the argument of that place in the launch file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Operation } from '../../../src/semantics/judging/finding.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const conformance = new URL('../../../conformance/hopper/', import.meta.url)
const verdictOf = (folder: string, file: string): Verdict => {
  const at = new URL(`${folder}/`, conformance)
  const files = new Map(
    readdirSync(at).map((f) => [f, new Uint8Array(readFileSync(new URL(f, at)))] as const),
  )
  return right(checkPtx(worldOf(inMemory(files)), file, { launch: 'launch.json' })).json() as Verdict
}

const sides = (v: Verdict): ReadonlyArray<Operation> =>
  v.findings.flatMap(({ a, b }) => (b === undefined ? [a] : [a, b]))

/** The tensor of the copy that stands at a line of a text. */
const copiedAt = (folder: string, file: string, line: number): string => {
  const lines = readFileSync(new URL(`${folder}/${file}`, conformance), 'utf8').split('\n')
  const copy = lines[line - 1]!
  const places = [...copy.matchAll(/\[(%rd\d+)/gu)].map((m) => m[1]!)
  // addresses of shared memory have 32 bits: what is left is the map
  let register = places[0]!
  for (let steps = 0; steps < 20; steps++) {
    const writes = new RegExp(`^\\s*(\\S+)\\s+${register},\\s*([^;]*);`, 'u')
    const found = lines.flatMap((l) => writes.exec(l) ?? []).slice(0, 3)
    const from = found[2] ?? ''
    const parameter = /_param_(\d+)/u.exec(from)?.[1]
    if (parameter !== undefined) {
      const { args } = JSON.parse(readFileSync(new URL(`${folder}/launch.json`, conformance), 'utf8')) as {
        readonly args: ReadonlyArray<{ readonly tensor: string }>
      }
      return args[Number(parameter)]!.tensor
    }
    register = /%rd\d+/u.exec(from)?.[0] ?? register
  }
  return ''
}

test.each(
  sampled(3, [
    ['warpgroups/ring', 'broken1.ptx', ['a', 'b']],
    ['warpgroups/attention', 'broken3.ptx', ['k']],
    ['warpgroups/attention', 'broken1.ptx', ['v']],
  ] as const),
)('%s %s', (folder, file, tensors) => {
  const copies = sides(verdictOf(folder, file)).filter(({ site }) => site.includes('cp.async.bulk.tensor'))
  expect([...new Set(copies.map(({ tensor }) => tensor))].sort()).toEqual(tensors)
  for (const { site, tensor } of copies)
    expect([site, tensor]).toEqual([site, copiedAt(folder, file, Number(/line (\d+)/u.exec(site)![1]))])
})

it('also of what is no tensor copy, and of stores', () => {
  const named = (kernel: string, file: string): ReadonlyArray<string> => [
    ...new Set(
      sides(verdictOf(`cuda/${kernel}`, file)).map(({ does, tensor }) => `${does}: ${tensor ?? 'none'}`),
    ),
  ]
  expect([...named('cxx_barrier', 'broken2.ptx')].sort()).toEqual(['reads: none', 'tmaLoad writes: x'])
  expect(named('tma_reduce', 'broken1.ptx')).toEqual(['tmaStore writes: counts'])
})

it('a tensor map that lies in global memory is not what is copied', () => {
  const copies = sides(verdictOf('cuda/device_tensormap', 'broken1.ptx')).filter(({ does }) =>
    does.startsWith('tmaLoad'),
  )
  expect(copies.map(({ tensor }) => tensor)).toEqual(copies.map(() => 'x'))
  expect(copies.length).toBeGreaterThan(0)
})
