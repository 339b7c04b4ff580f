/**
 * Spread: one run, its clusters computed apart.
 *
 * What a schedule shows does not need elements: the run is judged here over `unit`, all clusters one after another, while a crew computes each
 * cluster over bits (`work.ts`). The two are put together only if that says what one run of everything would have said:
 *
 * | asked                                                                  | otherwise |
 * |------------------------------------------------------------------------|-----------|
 * | by the text, clusters share global memory alone (`together`)           | `null`    |
 * | there are no scalars to pass                                           | `null`    |
 * | the run without elements is `ok`, so every schedule computes the same  | `null`    |
 * | every cluster came to its end, and all in as many steps as were judged | `null`    |
 * | every thread of the crew began, and lived as long as there was work    | `null`    |
 * | no byte that one wrote was read or written by another (`collision`)    | `null`    |
 *
 * `null` means: not known; run it in one piece.
 *
 * Laws
 * 1. Where the answer is not null, verdict, digest and outputs are those of `check` over bits.
 * 2. The crew is closed, whatever comes of it.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { shapeOf, tensorsOf, type Reference } from '../../kernels/reference.js'
import type { Arithmetic } from '../../numerics/bits.js'
import type { Compiler } from '../../numerics/special-functions/index.js'
import { unit } from '../../numerics/unit.js'
import { check, digested, digestOf, type CheckOptions } from '../../semantics/verdict/check.js'
import { launch, readTensor, type Launched } from '../../semantics/execution/launch.js'
import * as Plane from '../../semantics/machine/plane.js'
import { withPlane } from '../../semantics/machine/state.js'
import type { World } from '../../semantics/machine/world.js'
import type { Program } from '../../semantics/language/program.js'
import type { EventKey } from '../../semantics/execution/step.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { collision, together } from '../../semantics/execution/independence.js'
import {
  algebraOf,
  type Assemble,
  type Crew,
  type CoreSetting,
  type NaiveProduct,
  type Task,
} from './work.js'

// ---------------------------------------------------------------- model

/** What is to be run. */
export interface Whole {
  readonly program: Program
  readonly arithmetic: Arithmetic
  readonly compiler: Compiler | null
  readonly fast: boolean
  /** what `check` is told besides; its algebra and its tensors are not looked at */
  readonly options: CheckOptions
  readonly inputs: ReadonlyArray<PlannedInput>
}

/** An input: carriers that were brought, or a seed that they are drawn from. */
export interface PlannedInput {
  readonly name: string
  readonly count: number
  readonly given: Float64Array | number
}

/** What came of it. */
export interface Spread {
  readonly verdict: Verdict
  readonly world: World
  readonly schedule: ReadonlyArray<EventKey>
  readonly recorded: ReadonlyArray<ReadonlyArray<EventKey>>
  /** carriers of the inputs */
  readonly inputs: ReadonlyMap<string, Float64Array>
  /** carriers of an output */
  readonly output: (name: string) => Float64Array | null
  /** what a matmul should have given; null for what says something else */
  readonly reference: Reference | null
  /** milliseconds of judging and computing, without inputs and reference */
  readonly elapsed: number
}

/** Who is told, and how far. */
export type Watch = (what: string) => {
  readonly update: (done: number, of: number) => void
  readonly stop: () => void
}

// ---------------------------------------------------------------- sizes

/** Multiply-adds of what the program says it computes; 0 where it does not say. */
export const multiplyAdds = (program: Program): number => {
  const { computes } = program
  if (computes?._tag !== 'matmul') return 0
  const shape = (name: string): ReadonlyArray<number> | null => {
    const param = tensorsOf(program).find((p) => p.name === name)
    return param === undefined ? null : shapeOf(param)
  }
  const [a, b] = [shape(computes.a), shape(computes.b)]
  const isTurned = computes.transposed === 'b' || computes.transposed === 'both'
  return a === null || b === null ? 0 : a[0]! * a[1]! * b[isTurned ? 0 : 1]!
}

const sharedValues = (count: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * count))

/** The product that a program says it is, with a place for its values. */
const productOf = (program: Program): NaiveProduct | null => {
  const { computes } = program
  if (
    computes?._tag !== 'matmul' ||
    computes.scales !== undefined ||
    computes.transposed !== undefined ||
    computes.transposedOut === true
  )
    return null
  const [a, b, out] = [computes.a, computes.b, computes.out].map((name) =>
    tensorsOf(program).find((p) => p.name === name),
  )
  if (a === undefined || b === undefined || out === undefined) return null
  const [left, right] = [shapeOf(a), shapeOf(b)]
  if (left?.length !== 2 || right?.length !== 2 || left[1] !== right[0]) return null
  const shape = { m: left[0]!, n: right[1]!, k: left[1]! }
  return {
    a: a.name,
    b: b.name,
    types: {
      operand: a.dtype,
      right: b.dtype,
      accumulator: computes.accumulator,
      out: out.dtype,
      saturate: computes.saturate === true,
    },
    shape,
    values: sharedValues(shape.m * shape.n),
  }
}

const chunks = (count: number, most: number): ReadonlyArray<{ readonly from: number; readonly to: number }> =>
  Array.from({ length: Math.ceil(count / most) }, (_, i) => ({
    from: i * most,
    to: Math.min(count, (i + 1) * most),
  }))

// ---------------------------------------------------------------- the run

/** Elements that are drawn, and rows that are multiplied, in one task. */
const drawn = 2 ** 18
const rows = 512

/** The bytes of every tensor that the program may write, as the launch leaves them. */
const outputsOf = (
  { program }: Whole,
  { world, machine }: { readonly world: World; readonly machine: Parameters<typeof withPlane>[0] },
): ReadonlyMap<string, Uint8Array> =>
  new Map(
    tensorsOf(program)
      .filter((p) => p.role !== 'in')
      .map((p) => {
        const { plane } = world.tensors.get(p.name)!
        const size = world.planeBytes[plane]!
        const bytes = new Uint8Array(new SharedArrayBuffer(size))
        Plane.copyOut(machine.planes[plane]!, 0, size, bytes)
        return [p.name, bytes] as const
      }),
  )

const draws = (whole: Whole): ReadonlyArray<Task> => {
  const params = tensorsOf(whole.program)
  return whole.inputs.flatMap(({ name, count, given }): ReadonlyArray<Task> => {
    const number = params.findIndex((p) => p.name === name)
    const dtype = params[number]?.dtype
    return typeof given !== 'number' || dtype === undefined
      ? []
      : chunks(count, drawn).map(({ from, to }) => ({
          _tag: 'draw',
          name,
          dtype,
          seed: given,
          number,
          from,
          to,
        }))
  })
}

/** The run in pieces; null where the pieces may not be the whole. */
export const spread = async (
  whole: Whole,
  assemble: Assemble,
  size: number,
  watch: Watch,
  clock: () => number,
): Promise<E.Either<Failure, Spread | null>> => {
  const { program, options } = whole
  const { scalars, tensorPipe } = options.arguments
  if (scalars.size > 0) return E.right(null)
  const inputs = new Map(
    whole.inputs.map(({ name, count, given }) => {
      const values = sharedValues(count)
      if (typeof given !== 'number') values.set(given)
      return [name, values] as const
    }),
  )
  const launched = launch(program, algebraOf(whole), { ...options.arguments, tensors: new Map() })
  if (E.isLeft(launched)) return launched
  const { world } = launched.right
  if (together(world) !== null) return E.right(null)
  const outputs = outputsOf(whole, launched.right)
  const setting: CoreSetting = {
    _tag: 'core',
    program,
    arithmetic: whole.arithmetic,
    compiler: whole.compiler,
    fast: whole.fast,
    tensorPipe: tensorPipe ?? 'issueOrder',
    fuel: options.fuel,
    inputs,
    outputs,
    product: productOf(program),
  }
  const crew = assemble(setting, Math.max(1, Math.min(size, world.clusterCount)))
  try {
    return await shared(whole, launched.right, setting, crew, watch, clock)
  } finally {
    crew.close()
  }
}

/** The work of `spread`, by a crew that another closes. */
const shared = async (
  whole: Whole,
  launched: Launched,
  setting: CoreSetting,
  crew: Crew,
  watch: Watch,
  clock: () => number,
): Promise<E.Either<Failure, Spread | null>> => {
  const { program, options } = whole
  const { inputs, outputs } = setting
  const { world, machine } = launched
  const share = async (what: string, tasks: ReadonlyArray<Task>) => {
    const bar = watch(what)
    const answers = await crew.perform(tasks, bar.update)
    bar.stop()
    return answers
  }
  const drawing = await share('drawing the inputs', draws(whole))
  if (drawing.some((a) => a._tag !== 'done')) return E.right(null)
  // what is read and written holds its inputs before the first cluster runs
  const isHeld = tensorsOf(program).some(({ name, role }) => role !== 'in' && inputs.has(name))
  const begun = isHeld
    ? launch(program, algebraOf(whole), { ...options.arguments, tensors: inputs })
    : E.right(launched)
  if (E.isLeft(begun)) return begun
  for (const [name, bytes] of isHeld ? outputs : [])
    Plane.copyOut(begun.right.machine.planes[world.tensors.get(name)!.plane]!, 0, bytes.length, bytes)
  const start = clock()
  const bar = watch('computing')
  const working = crew.perform(
    Array.from({ length: world.clusterCount }, (_, cluster): Task => ({ _tag: 'cluster', cluster })),
    bar.update,
  )
  const judged = check(program, {
    ...options,
    algebra: unit,
    arguments: { ...options.arguments, tensors: new Map() },
    explore: false,
    // its steps are compared with those of all clusters
    everyCluster: true,
  })
  const answers = E.isRight(judged) && judged.right.verdict.verdict === 'ok' ? await working : []
  bar.stop()
  const elapsed = clock() - start
  const ran = answers.flatMap((a) => (a._tag === 'ran' ? [a] : []))
  const apart =
    E.isRight(judged) &&
    ran.length === world.clusterCount &&
    ran.reduce((steps, a) => steps + a.steps, 0) === judged.right.verdict.counts.steps &&
    collision(ran.map((a) => a.touched)) === null
  if (!apart) return E.right(null)
  const reference =
    setting.product === null
      ? null
      : await share(
          'multiplying naively',
          chunks(setting.product.shape.m, rows).map((r): Task => ({ _tag: 'rows', from: r.from, to: r.to })),
        )
  const output = (name: string): Float64Array | null => {
    const bytes = outputs.get(name)
    const at = world.tensors.get(name)
    if (bytes === undefined || at === undefined) return null
    return readTensor(world, withPlane(machine, at.plane, Plane.ofBytes(bytes, whole.fast)), name)
  }
  const { verdict, schedule, recorded } = judged.right
  return E.right({
    verdict: { ...verdict, digest: { ...verdict.digest, output: digestOf(digested(world).map(output)) } },
    world,
    schedule,
    recorded,
    inputs,
    output,
    reference:
      setting.product === null ||
      program.computes?._tag !== 'matmul' ||
      reference === null ||
      reference.some((r) => r._tag !== 'done')
        ? null
        : { tensor: program.computes.out, name: 'naive matmul', values: setting.product.values },
    elapsed,
  })
}
