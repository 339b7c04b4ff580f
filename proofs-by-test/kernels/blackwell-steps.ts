/** What the proofs of the tutorial's kernels have in common: what is right of one configuration, what a statement left out shows, what is refused. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/failure.js'
import { without } from '../../src/kernels/broken/index.js'
import type { TiledGrid, TuningConfig } from '../../src/kernels/blackwell/setup.js'
import { naiveMatmul } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import type { Program } from '../../src/semantics/language/program.js'
import { checked } from '../dialects/pallas/programs.js'
import { sampled } from '../extent.js'
import { right } from '../either.js'
import { bits } from '../arithmetic.js'

export type Make = (c: TiledGrid) => E.Either<Failure, Program>

/** Two slots and five steps: one cluster, two pieces of the epilogue. */
export const base: TiledGrid = {
  dtype: 'f16',
  m: 256,
  n: 32,
  k: 80,
  tileM: 128,
  tileN: 16,
  tileK: 16,
  stages: 2,
  epilogueTileN: 16,
  clusters: 1,
  gridMinorDim: 0,
  gridTileWidth: 2,
}

/** Right for all inputs, decided by one schedule, and bit for bit the naive chain; the ids of its contract notes. */
export const expectMatmul = (make: Make, c: TiledGrid): ReadonlyArray<string> => {
  const p = right(make(c))
  const b = bits('blackwell')
  const inputs = new Map([
    ['a', randomPatterns(c.dtype, 1, 0, c.m * c.k)],
    ['b', randomPatterns(c.dtype, 1, 1, c.k * c.n)],
  ])
  const { verdict, world, machine } = checked(p, { strict: false }, b, inputs)
  expect(verdict).toMatchObject({
    verdict: 'ok',
    decidedBy: 'one-schedule',
    findings: [],
    provenance: { proved: true, inOrder: true },
  })
  const types = { operand: c.dtype, accumulator: 'f32', out: c.dtype } as const
  expect(readTensor(world, machine, 'out')).toEqual(
    right(naiveMatmul(b, types, c, inputs.get('a')!, inputs.get('b')!)),
  )
  return [...new Set(verdict.notes.map((f) => f.id))]
}

/** A pair leaves over relaxed cluster barriers: its notes. */
export const pairNotes: ReadonlyArray<string> = ['N2', 'U1']

/** Settings besides `base`, each right, and the ids of their notes. */
export const rightFor = (
  make: Make,
  all: ReadonlyArray<Partial<TiledGrid>>,
  notes: ReadonlyArray<string> = ['U1'],
): void => {
  describe('right for all inputs, and bit for bit', () => {
    // the laws of matmuls (`matmul-laws`) have more of them, by day and by night
    test.each(sampled(2, all).map((o) => [JSON.stringify(o), o] as const))('%s', (_, o) => {
      expect(expectMatmul(make, { ...base, ...o })).toEqual(notes)
    })
  })
}

/** The label left out, the verdict, and ids that it shows. */
export type Left = readonly [label: string, verdict: string, ids: ReadonlyArray<string>]

/** What holds the kernel together: each edge left out. */
export const edges = (make: Make, o: Partial<TiledGrid>, all: ReadonlyArray<Left>): void => {
  describe('what holds it together', () => {
    // by day every second
    test.each(sampled(2, all))('without `%s`: %s, %j', (label, verdict, ids) => {
      const p = right(without(label)(right(make({ ...base, ...o }))))
      const v = checked(p, { strict: false, explain: false }).verdict
      expect([v.verdict, v.findings.map((f) => f.id)]).toEqual([verdict, expect.arrayContaining([...ids])])
    })
  })
}

/** Without the wait for tensor memory's loads: as the page has it, a note that names the deallocation, and M3 with strict. */
export const printedLoads = (make: Make, o: Partial<TiledGrid>): void => {
  test('without `wait_load_tmem`, as printed: a note, and an error with strict', () => {
    const printed = right(without('wait_load_tmem')(right(make({ ...base, ...o }))))
    const { verdict } = checked(printed, { strict: false, explain: false })
    expect(verdict.verdict).toBe('ok')
    const loads = verdict.notes.filter((f) => f.id === 'M3')
    expect(loads.length).toBeGreaterThan(0)
    for (const f of loads) expect([f.a.site.slice(0, 8), f.b?.site]).toEqual(['load acc', 'deallocate'])
    const strictly = checked(printed, { strict: true, explain: false }).verdict
    expect([strictly.verdict, [...new Set(strictly.findings.map((f) => f.id))].sort()]).toEqual([
      'hazard',
      ['M3', 'U1'],
    ])
  })
}

/** Refused, by the code of settings, with these words. */
export const refused = (
  name: string,
  make: Make,
  all: ReadonlyArray<readonly [Partial<TiledGrid>, string]>,
): void => {
  describe('refused', () => {
    test.each(all)('%j', (o, message) => {
      expect(make({ ...base, ...o })).toEqual(
        E.left({ code: 'kernel.settings', message: `${name}: ${message}` }),
      )
    })
    test('operands that do not fit shared memory, by the id of the limit', () => {
      const c: TuningConfig = { ...base, tileK: 512, k: 512, stages: 8 }
      expect(make({ ...base, ...c })).toMatchObject(E.left({ code: 'A1' }))
    })
  })
}
