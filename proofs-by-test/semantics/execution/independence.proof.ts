/** Independence of clusters: what collides, byte by byte, and which programs are parted at all. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instanceOf, kernels } from '../../../src/kernels/catalogue/index.js'
import { unit } from '../../../src/numerics/unit.js'
import {
  collision,
  together,
  touching,
  united,
  type Touched,
} from '../../../src/semantics/execution/independence.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import type { Footprint } from '../../../src/semantics/log/events.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { run, settings } from '../../../src/semantics/execution/run.js'
import { asSpans } from '../../../src/semantics/log/events.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'
import { prop } from '../../prop.js'

const spans = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 6 })), { maxLength: 3 })
  .map((xs) => xs.flatMap(([start, n]) => [start, start + n]))
const footprint = (plane: number, flat: ReadonlyArray<number>): Footprint => ({
  id: 0,
  plane,
  spans: asSpans(Int32Array.from(flat)),
  dtype: 'u8',
  map: { _tag: 'scatter', shape: [], offsets: new Int32Array(0), by: 0 },
})
const bytesOf = (flat: ArrayLike<number>): ReadonlySet<number> => {
  const out = new Set<number>()
  for (let i = 0; i < flat.length; i += 2) for (let b = flat[i]!; b < flat[i + 1]!; b++) out.add(b)
  return out
}

prop([fc.array(spans, { maxLength: 4 })])('spans united cover the same bytes, apart and in order', (all) => {
  const flat = united(all.map((x) => footprint(0, x)))
  expect(bytesOf(flat)).toEqual(bytesOf(all.flat()))
  for (let i = 1; i < flat.length; i++) expect(flat[i]!).toBeGreaterThan(flat[i - 1]!)
})

const cluster: fc.Arbitrary<ReadonlyArray<Touched>> = fc
  .tuple(spans, spans, spans, spans)
  .map(([a, b, c, d]) => [
    { plane: 0, reads: united([footprint(0, a)]), writes: united([footprint(0, b)]) },
    { plane: 3, reads: united([footprint(3, c)]), writes: united([footprint(3, d)]) },
  ])

prop([fc.array(cluster, { maxLength: 4 })], { numRuns: nightly ? 2000 : 80 })(
  'law 2: a collision is a byte that one writes and another touches',
  (touched) => {
    const collides = (plane: number, byte: number, [x, y]: readonly [number, number]): boolean => {
      const of = (c: number, rw: 'reads' | 'writes'): boolean =>
        touched[c]!.some((t) => t.plane === plane && bytesOf(t[rw]).has(byte))
      return (
        x !== y &&
        ((of(x, 'writes') && (of(y, 'reads') || of(y, 'writes'))) || (of(y, 'writes') && of(x, 'reads')))
      )
    }
    const found = collision(touched)
    if (found !== null) expect(collides(found.plane, found.byte, found.clusters)).toBe(true)
    else
      for (const plane of [0, 3])
        for (let byte = 0; byte < 37; byte++)
          for (let x = 0; x < touched.length; x++)
            for (let y = 0; y < touched.length; y++) expect(collides(plane, byte, [x, y])).toBe(false)
  },
)

describe('law 1', () => {
  test.each(kernels.map((k) => [k.name, k] as const))('%s', (_, kernel) => {
    const made = right(instanceOf(kernel, {}, []))
    const { world } = right(launch(made.program, unit, noArguments))
    const speaks = ['semaphore', 'clc.', 'gmem.atomic', 'tensormap.'].some((name) =>
      [...world.front.instructions].some((i) => i.startsWith(name)),
    )
    expect(together(world) === null).toBe(!speaks && world.resident === 1 && world.clusterCount > 1)
  })
})

test('a run touches the tiles of its operands, and writes its output', () => {
  const kernel = kernels.find((k) => k.name === 'hopper-matmul')!
  const made = right(
    instanceOf(kernel, { m: 128, n: 128, k: 128, tileM: 128, tileN: 128, tileK: 64, stages: 2 }, []),
  )
  const { world, machine } = right(launch(made.program, unit, noArguments))
  const { result } = run(world, machine, settings(eager), touching)
  const size = 128 * 128 * 2
  const names = result.map((t) => [world.header.planes[t.plane]!.name, [...t.reads], [...t.writes]] as const)
  expect([...names].sort(([x], [y]) => (x < y ? -1 : 1))).toEqual([
    ['a', [0, size], []],
    ['b', [0, size], []],
    ['out', [], [0, size]],
  ])
})
