/**
 * Modules that are changed so that they mean the same get the same verdict, by the same hazards. Oracle: the module as its compiler wrote it, and its broken twins. By day a few
 * changes of a few modules; by night every change of every module that is checked in three seconds.
 *
 * Lines of a source are no part of the meaning of a module, but say whose barrier a `cuda::barrier` is (P6): of those kernels they stay.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseModule, printModule } from '../../../../src/dialects/ptx/index.js'
import { checkPtx } from '../../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'
import { inMemory } from '../../../oracle/disk.js'
import { worldOf } from '../../../oracle/world.js'
import { changes, draws } from './changes.js'

const conformance = new URL('../../../../conformance/', import.meta.url)
const slowest = 3000

/** Modules with a launch beside them, by their paths. */
const within = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, conformance), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`
    if (entry.isDirectory()) return within(`${path}/`)
    return path.endsWith('.ptx') && existsSync(new URL(`${folder}launch.json`, conformance)) ? [path] : []
  })

const filesBeside = (path: string): ReadonlyMap<string, Uint8Array> => {
  const folder = new URL(path.replace(/[^/]*$/u, ''), conformance)
  return new Map(
    readdirSync(folder)
      .filter((name) => /\.(?:json|npy)$/u.test(name))
      .map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]),
  )
}
const verdictOf = (files: ReadonlyMap<string, Uint8Array>, module: string): string => {
  const there = new Map([...files, ['k.ptx', new TextEncoder().encode(module)]])
  const said = checkPtx(worldOf(inMemory(there)), 'k.ptx', { launch: 'launch.json' })
  const { verdict, findings } = right(said).json() as Verdict
  return [verdict, ...[...new Set(findings.map(({ id }) => id))].sort()].join(' ')
}

const hopper = 'hopper/cuda/'
const byDay: ReadonlyArray<string> = [
  `${hopper}block_reduce/block_reduce.ptx`,
  `${hopper}carried_peeks/broken5.ptx`,
  `${hopper}named_barriers/named_barriers.ptx`,
  `${hopper}cluster_pingpong/broken1.ptx`,
  `${hopper}cxx_barrier/cxx_barrier.ptx`,
  'hopper/mosaic/queue/queue.ptx',
  'blackwell/cuda/pair_copy/pair_copy.ptx',
  'triton/small/product/product.ptx',
]
/** Constants and copies in registers made waits unknown: these are asked by day. */
const always: ReadonlyArray<string> = ['loaded constants', 'copied operands']

describe.each(nightly ? [...within('hopper/'), ...within('blackwell/'), ...within('triton/')].sort() : byDay)(
  '%s',
  (path) => {
    const number = [...path].reduce((n, c) => (n * 31 + c.charCodeAt(0)) % 9973, 7)
    const asked = changes.filter(
      ({ name }, i) =>
        (nightly || (number + i) % 24 === 0 || always.includes(name)) &&
        !(name === 'without lines' && path.includes('/cxx_barrier/')),
    )
    test('means the same', () => {
      const text = readFileSync(new URL(path, conformance), 'utf8')
      const files = filesBeside(path)
      const began = Date.now()
      const expected = verdictOf(files, text)
      if (nightly && Date.now() - began > slowest) return
      const module = right(parseModule(text))
      for (const { name, of } of asked) {
        const changed = of(module, draws(number + changes.findIndex((c) => c.name === name)))
        if (changed !== null) expect([name, verdictOf(files, printModule(changed))]).toEqual([name, expected])
      }
    })
  },
)
