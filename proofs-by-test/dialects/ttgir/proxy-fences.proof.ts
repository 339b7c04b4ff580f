/**
 * Proxy fences that a placement asks for. Oracle: Triton's own, which it puts into 45 modules (`conformance/triton/lowering.json`), and into a small one
 * (`conformance/triton/reuse.ttgir`) whose verdict is that of a missing fence without them.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { placementIn } from '../../../src/dialects/ttgir/elaboration/buffers.js'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { fencedCopies } from '../../../src/dialects/ttgir/elaboration/proxy-fences.js'
import { livesOf } from '../../../src/dialects/ttgir/elaboration/liveness.js'
import { everyOperation } from '../../../src/dialects/ttgir/elaboration/regions.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import type { Module, Operation } from '../../../src/dialects/ttgir/text/syntax.js'
import type { Value } from '../../../src/semantics/machine/value.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { moduleFiles, moduleText } from './modules.js'

const text = readFileSync(new URL('../../../conformance/triton/reuse.ttgir', import.meta.url), 'utf8')

const fenced = (module: Module): ReadonlyArray<number> =>
  [
    ...placementIn(
      module,
      module.operations.find(({ name }) => name === 'tt.func')!,
    ).fenced,
  ].map(({ at }) => at.line)

describe('a copy into bytes that threads have touched', () => {
  const verdictOf = (source: string): string => {
    const tensor = (name: string, role: 'in' | 'out') =>
      [name, { tensor: `${name}.tensor`, shape: [64, 64], strides: [64, 1], role }] as const
    const program = right(
      elaborate(right(readModule(source)), {
        grid: [1],
        tensors: new Map([tensor('in', 'in'), tensor('out', 'out')]),
      }),
    )
    const scalars = new Map<string, Value>(
      ['in', 'out'].flatMap((name, t) =>
        [64, 64, 64n, 1n].map((value, k) => [`${name}_${String(4 * t + k)}`, value] as const),
      ),
    )
    const { verdict } = right(
      check(program, { ...standardOptions, arguments: { scalars, tensors: new Map() } }),
    )
    return `${verdict.verdict} ${[...new Set(verdict.findings.map(({ id }) => id))].join(' ')}`.trim()
  }
  test('has a fence before it, where Triton has one', () => {
    const line = text.split('\n').findIndex((l) => l.includes('async_tma_copy_global_to_local')) + 1
    expect(fenced(right(readModule(text)))).toEqual([line])
    expect(verdictOf(text)).toBe('ok')
  })
  test('has none, where the buffers lie apart, or the text has said one', () => {
    const dealloc = /\n.*local_dealloc %a .*/.exec(text)![0]
    const apart = text.replace(dealloc, '').replace('\n    %o =', `${dealloc}\n    %o =`)
    expect(fenced(right(readModule(apart)))).toEqual([])
    expect(verdictOf(apart)).toBe('ok')
    const said = text.replace(dealloc, `\n    ttng.fence_async_shared {bCluster = false}${dealloc}`)
    expect(fenced(right(readModule(said)))).toEqual([])
    expect(verdictOf(said)).toBe('ok')
  })
})

test('law 1: along branches and around loops', () => {
  const [main] = right(readModule(text)).operations
  const all = everyOperation([main!])
  const find = (name: string): Operation => all.find((op) => op.name === name)!
  const [touches, copy, fence] = [
    find('ttg.local_load'),
    find('ttng.async_tma_copy_global_to_local'),
    find('ttng.fence_async_shared'),
  ]
  const { names } = livesOf([main!])
  const nest = (name: string, ...regions: ReadonlyArray<ReadonlyArray<Operation>>): Operation => ({
    ...fence,
    name,
    regions: regions.map((operations) => ({
      name: null,
      blocks: [{ label: null, parameters: [], operations }],
    })),
  })
  const has = (...operations: ReadonlyArray<Operation>): boolean =>
    fencedCopies(operations, names, () => true).has(copy)
  expect(has(touches, copy)).toBe(true)
  expect(has(copy, touches)).toBe(false)
  expect(has(touches, fence, copy)).toBe(false)
  expect(has(nest('scf.for', [copy, touches]))).toBe(true)
  expect(has(nest('scf.for', [copy, touches, fence]))).toBe(false)
  // a loop that may not go around at all
  expect(has(touches, nest('scf.for', [fence]), copy)).toBe(true)
  expect(has(nest('scf.if', [touches], []), copy)).toBe(true)
  expect(has(touches, nest('scf.if', [fence], []), copy)).toBe(true)
  expect(has(touches, nest('scf.if', [fence], [fence]), copy)).toBe(false)
  expect(has(touches, nest('scf.if', [fence]), copy)).toBe(true)
  expect(has(touches, nest('ttg.warp_specialize', [copy]))).toBe(false)
})

interface Lowered {
  readonly fencesWritten: number
  readonly fencesPlaced: number
}
const lowering = JSON.parse(
  readFileSync(new URL('../../../conformance/triton/lowering.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Lowered>>

/** Those that make tensor maps keep bytes for it that no text names. */
const looked = moduleFiles.filter((file) => !file.startsWith('mm_tma'))
it.each(sampled(4, looked))('%s: as many as Triton puts there', (file) => {
  const { fencesWritten, fencesPlaced } = lowering[file]!
  expect(fenced(right(readModule(moduleText(file)))).length).toBe(fencesPlaced - fencesWritten)
})
