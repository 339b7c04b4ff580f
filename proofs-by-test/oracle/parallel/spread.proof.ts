/** A run in pieces against the run in one piece: every kernel of the catalogue at small sizes, in this thread and in others. */
import { afterAll, describe, expect, test } from 'vitest'
import * as fast from '../../../src/fast/index.js'
import { instanceOf, kernels, type Kernel } from '../../../src/kernels/catalogue/index.js'
import { kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { referenceOf, shapeOf, tensorsOf } from '../../../src/kernels/reference.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import { bits } from '../../../src/numerics/bits.js'
import { isFloat } from '../../../src/numerics/dtype.js'
import { spread, type PlannedInput, type Spread } from '../../../src/oracle/parallel/spread.js'
import { threads } from '../../../src/oracle/parallel/threads.js'
import { single, workerOf, type Assemble } from '../../../src/oracle/parallel/work.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/check.js'
import { readTensor } from '../../../src/semantics/launch.js'
import * as Policy from '../../../src/semantics/policy.js'
import type { Program } from '../../../src/semantics/program.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

const options: CheckOptions = {
  ...standardOptions,
  algebra: bits('hopper'),
  provenance: false,
  explore: false,
}
const inputsOf = (program: Program): ReadonlyArray<PlannedInput> =>
  tensorsOf(program)
    .filter((p) => p.role !== 'out')
    .map((p) => {
      const count = (shapeOf(p) ?? []).reduce((n, x) => n * x, 1)
      return { name: p.name, count, given: isFloat(p.dtype) ? 0 : new Float64Array(count) }
    })
const carriers = (program: Program): ReadonlyMap<string, Float64Array> =>
  new Map(
    inputsOf(program).map(({ name, count, given }) => {
      const number = tensorsOf(program).findIndex((p) => p.name === name)
      const { dtype } = tensorsOf(program)[number]!
      return [
        name,
        typeof given === 'number' && isFloat(dtype)
          ? randomPatterns(dtype, 0, number, count)
          : new Float64Array(count),
      ]
    }),
  )
const chipOf = (program: Program): 'hopper' | 'blackwell' =>
  program.arch === 'sm100a' ? 'blackwell' : 'hopper'

const inPieces = async (
  program: Program,
  assemble: Assemble,
  how: Partial<CheckOptions> = {},
  vectors: boolean = true,
): Promise<Spread | null> =>
  right(
    await spread(
      {
        program,
        arithmetic: chipOf(program),
        fast: vectors,
        options: { ...options, ...how },
        inputs: inputsOf(program),
      },
      assemble,
      2,
      () => ({ update: () => undefined, stop: () => undefined }),
      () => 0,
    ),
  )

type Values = Float64Array | null | undefined
const expectValues = (found: Values, expected: Values): void => {
  expect(found?.length).toBe(expected?.length)
  expect(expected?.findIndex((x, i) => !Object.is(x, found?.[i]))).toBe(-1)
}

/** Law 1: the same verdict and outputs as in one piece, and the reference of the program. */
const same = (program: Program, pieces: Spread, how: Partial<CheckOptions> = {}): void => {
  const algebra = fast.bits(chipOf(program))
  const tensors = carriers(program)
  const one = right(
    check(program, { ...options, ...how, algebra, arguments: { scalars: new Map(), tensors } }),
  )
  expect(pieces.verdict).toEqual(one.verdict)
  expect(pieces.schedule).toEqual(one.schedule)
  for (const p of tensorsOf(program).filter((x) => x.role !== 'in'))
    expectValues(pieces.output(p.name), readTensor(one.world, one.machine, p.name))
  expect([...pieces.inputs.keys()]).toEqual([...tensors.keys()])
  for (const [name, values] of tensors) expectValues(pieces.inputs.get(name), values)
  if (pieces.reference !== null) {
    const { values, ...rest } = right(referenceOf(program, algebra, tensors))
    expect({ ...pieces.reference, values: null }).toEqual({ ...rest, values: null })
    expectValues(pieces.reference.values, values)
  }
}

const small = (kernel: Kernel, given: Readonly<Record<string, number>>): Program => {
  const known = Object.fromEntries(
    Object.entries(given).filter(([name]) => kernel.parameters.some((p) => p.name === name)),
  )
  return right(instanceOf(kernel, known, [])).program
}

/** Tasks the other way round: nothing may depend on who comes first. */
const backwards: Assemble = (setting) => {
  const work = workerOf(setting)
  return {
    size: 1,
    perform: (tasks) => Promise.resolve([...tasks].reverse().map(work).reverse()),
    close: () => undefined,
  }
}

describe('every kernel', () => {
  const parted: string[] = []
  // by day every third, from the first
  const asked = kernels.filter((_, i) => nightly || i % 3 === 0)
  test.each(asked.map((k) => [k.name, k] as const))('%s', async (name, kernel) => {
    const program = small(kernel, { n: name === 'matmul-mxfp8' ? 128 : 64, k: 128, stages: 2 })
    const pieces = await inPieces(program, backwards)
    if (pieces === null) return
    parted.push(name)
    same(program, pieces)
  })
  afterAll(() => {
    expect(parted.length).toBeGreaterThan(nightly ? 10 : 3)
  })
})

const matmul = right(kernelNamed('hopper-matmul'))
const shape = { m: 256, n: 192, k: 128, tileN: 64, stages: 2 }

test('another schedule, products by their definition, and without judging', async () => {
  const program = small(matmul, { ...shape, n: 64, k: 64 })
  for (const how of [{ policy: Policy.seeded(3) }, { hazards: false }, { strict: true }]) {
    const pieces = await inPieces(program, single, how, false)
    expect(pieces).not.toBeNull()
    if (pieces !== null) same(program, pieces, how)
  }
})

test('a run that is not good is not known in pieces', async () => {
  const { without } = await import('../../../src/kernels/broken/without.js')
  const program = right(without('wait loaded')(small(matmul, shape)))
  expect(await inPieces(program, single)).toBeNull()
})

test('a cluster that does not come to its end is not known in pieces', async () => {
  expect(await inPieces(small(matmul, shape), single, { fuel: 40 })).toBeNull()
})

// each thread reads all sources by itself; by day the built program is run in threads (oracle/cli/program)
test.runIf(nightly)('threads, from the sources', async () => {
  const crew = threads(new URL('./worker-of-sources.mjs', import.meta.url))
  const program = small(matmul, { ...shape, k: 64 })
  const pieces = await inPieces(program, crew)
  expect(pieces).not.toBeNull()
  if (pieces !== null) same(program, pieces)
})
