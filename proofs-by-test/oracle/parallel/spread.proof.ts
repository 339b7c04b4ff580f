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
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
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
        compiler: null,
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
  // by day every fifth, from the first
  const asked = kernels.filter((_, i) => nightly || i % 5 === 0)
  test.each(asked.map((k) => [k.name, k] as const))('%s', async (name, kernel) => {
    const program = small(kernel, { n: name === 'matmul-mxfp8' ? 128 : 64, k: 128, stages: 2 })
    const pieces = await inPieces(program, backwards)
    if (pieces === null) return
    parted.push(name)
    same(program, pieces)
  })
  afterAll(() => {
    expect(parted.length).toBeGreaterThan(nightly ? 10 : 2)
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
  const program = right(without('wait loaded')(small(matmul, { ...shape, n: 64, k: 64 })))
  expect(await inPieces(program, single)).toBeNull()
})

test('a cluster that does not come to its end is not known in pieces', async () => {
  expect(await inPieces(small(matmul, shape), single, { fuel: 40 })).toBeNull()
})

describe('a crew that does not hold', () => {
  const program = small(matmul, { ...shape, n: 64, k: 64 })
  /** A thread that does what is written here. */
  const doing = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`)
  const closed: boolean[] = []
  const watched =
    (assemble: Assemble): Assemble =>
    (setting, size) => {
      const crew = assemble(setting, size)
      return {
        ...crew,
        close: () => {
          closed.push(true)
          crew.close()
        },
      }
    }
  const told = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ tasks }) => `
  test.each([
    ['cannot begin', threads(new URL('https://not.a/file.js'))],
    ['throws at its beginning', threads(doing('throw new Error()'))],
    ['ends at once', threads(doing(''))],
    ['ends when it is told to work', threads(doing(`${told} process.exit(1))`))],
    ['throws when it is told to work', threads(doing(`${told} { throw new Error() })`))],
    [
      'ends after its first tasks',
      threads(
        doing(`${told} {
          tasks.forEach((t, task) => t._tag === 'draw'
            ? parentPort.postMessage({ task, done: { _tag: 'done' } })
            : process.exit(0)) })`),
      ),
    ],
  ])('whose thread %s: not known in pieces, and closed', async (_, assemble) => {
    closed.length = 0
    expect(await inPieces(program, watched(assemble))).toBeNull()
    expect(closed).toEqual([true])
  })
  test('threads that are gone do nothing more', async () => {
    const crew = threads(doing(''))(
      {
        _tag: 'core',
        program,
        arithmetic: 'hopper',
        compiler: null,
        fast: false,
        tensorPipe: 'issueOrder',
        fuel: 1,
        inputs: new Map(),
        outputs: new Map(),
        product: null,
      },
      2,
    )
    const task = { _tag: 'cluster', cluster: 0 } as const
    for (let again = 0; again < 2; again++)
      expect(await crew.perform([task], () => undefined)).toEqual([{ _tag: 'stopped' }])
    expect(await crew.perform([], () => undefined)).toEqual([])
    crew.close()
  })
  test('a bug while it works leaves no thread behind', async () => {
    closed.length = 0
    const buggy: Assemble = () => ({
      size: 1,
      perform: () => Promise.reject(new Error('a bug')),
      close: () => closed.push(true),
    })
    await expect(inPieces(program, buggy)).rejects.toThrow('a bug')
    expect(closed).toEqual([true])
  })
})

// each thread reads all sources by itself; by day the built program is run in threads (oracle/cli/program)
test.runIf(nightly)('threads, from the sources', async () => {
  const crew = threads(new URL('./worker-of-sources.mjs', import.meta.url))
  const program = small(matmul, { ...shape, k: 64 })
  const pieces = await inPieces(program, crew)
  expect(pieces).not.toBeNull()
  if (pieces !== null) same(program, pieces)
})
