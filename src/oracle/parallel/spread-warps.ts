/**
 * Spread of PTX: one launch, its clusters computed apart.
 *
 * As in `spread.ts`, the run is judged here without data, over shadows, while a crew computes each cluster on the data. What the two say together is what one run on the data says:
 *
 * | asked                                                                          | otherwise |
 * |--------------------------------------------------------------------------------|-----------|
 * | by the text, clusters share global memory alone (`together`)                    | `null`    |
 * | nothing has to be proved of what it computes                                    | `null`    |
 * | the run without data is `ok` by itself, so no data decide what it does          | `null`    |
 * | every cluster came to its end, and all in as many steps as were judged          | `null`    |
 * | every thread of the crew began, and lived as long as there was work             | `null`    |
 * | no byte that one wrote was read or written by another (`collision`)             | `null`    |
 *
 * `null` means: not known; run it in one piece. Where data decide control or addresses, the run without them says so at once, and nothing of it is used.
 *
 * Laws
 * 1. Where the answer is not null, verdict, schedule and bytes of global memory are those of `checkSource` on the data.
 * 2. The crew is closed, whatever comes of it.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Arithmetic } from '../../numerics/bits.js'
import { shadow } from '../../numerics/shadow.js'
import { collision, together } from '../../semantics/execution/independence.js'
import { contentsOf, warpSource, type WarpArguments } from '../../semantics/execution/launch-warps.js'
import { readTensor } from '../../semantics/execution/launch.js'
import * as Plane from '../../semantics/machine/plane.js'
import { withPlane, type Machine } from '../../semantics/machine/state.js'
import {
  checkSource,
  digested,
  digestOf,
  type Checked,
  type CheckOptions,
} from '../../semantics/verdict/check.js'
import type { WarpProgram } from '../../semantics/warps/program.js'
import type { Module } from '../../dialects/ptx/text/module.js'
import type { Watch } from './spread.js'
import { algebraOf, type Assemble, type Crew, type Task, type WarpSetting } from './work.js'

/** A launch of PTX that is to be run. */
export interface WholeLaunch {
  readonly module: Module
  /** as its places are called */
  readonly file: string
  readonly program: WarpProgram
  readonly given: WarpArguments
  readonly arithmetic: Arithmetic
  readonly fast: boolean
  /** what `checkSource` is told besides; its algebra is not looked at */
  readonly options: CheckOptions
}

const sharedBytes = (bytes: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** The launch with its contents in shared memory: a function cannot be told to a thread. */
const toldTo = (given: WarpArguments): WarpArguments =>
  Object.assign({}, given, {
    tensors: given.tensors.map((t) => {
      const contents = contentsOf(t)
      return Object.assign({}, t, { contents: contents === null ? null : sharedBytes(contents) })
    }),
  })

/** Tensors that hold data before the launch; a map that lies in one is known. */
const dataOf = ({ tensors, maps = [] }: WarpArguments): ReadonlySet<string> =>
  new Set(
    tensors
      .filter(
        ({ name, role, contents }) =>
          role !== 'out' && contents !== null && !maps.some(({ into }) => into === name),
      )
      .map(({ name }) => name),
  )

/** The launch in pieces; null where the pieces may not be the whole. */
export const spreadLaunch = async (
  whole: WholeLaunch,
  assemble: Assemble,
  size: number,
  watch: Watch,
): Promise<Checked | null> => {
  const { options } = whole
  if (options.provenance || whole.given.held !== undefined) return null
  const given = toldTo(whole.given)
  const algebra = algebraOf({ arithmetic: whole.arithmetic, compiler: null, fast: whole.fast })
  const launched = warpSource(whole.program, given).launch(algebra, options.arguments)
  if (E.isLeft(launched)) return null
  const { world, machine } = launched.right
  if (together(world) !== null) return null
  const { planes } = world.header
  const outputs = new Map(
    given.tensors
      .filter(({ role }) => role !== 'in')
      .map(({ name }) => {
        const plane = planes.findIndex((p) => p.space === 'gmem' && p.name === name)
        const bytes = new Uint8Array(new SharedArrayBuffer(planes[plane]!.bytes))
        Plane.copyOut(machine.planes[plane]!, 0, bytes.length, bytes)
        return [name, bytes] as const
      }),
  )
  const setting: WarpSetting = {
    _tag: 'warps',
    module: whole.module,
    entry: whole.program.name,
    file: whole.file,
    given,
    arithmetic: whole.arithmetic,
    compiler: null,
    fast: whole.fast,
    tensorPipe: options.arguments.tensorPipe ?? 'issueOrder',
    fuel: options.fuel,
    outputs,
  }
  const crew = assemble(setting, Math.max(1, Math.min(size, world.clusterCount)))
  try {
    return await shared(whole, setting, launched.right, crew, watch)
  } finally {
    crew.close()
  }
}

/** The work of `spreadLaunch`, by a crew that another closes. */
const shared = async (
  { program, options }: WholeLaunch,
  { given, outputs, fast, arithmetic }: WarpSetting,
  { world, machine }: Pick<Checked, 'world' | 'machine'>,
  crew: Crew,
  watch: Watch,
): Promise<Checked | null> => {
  const bar = watch('computing')
  const working = crew.perform(
    Array.from({ length: world.clusterCount }, (_, cluster): Task => ({ _tag: 'cluster', cluster })),
    bar.update,
  )
  const algebra = shadow(algebraOf({ arithmetic, compiler: null, fast }))
  const blind = warpSource(program, Object.assign({}, given, { unknown: dataOf(given) }))
  const judged = checkSource(
    blind,
    Object.assign({}, options, {
      algebra,
      explore: false,
      // its steps are compared with those of all clusters
      everyCluster: true,
    }),
  )
  const decides =
    E.isRight(judged) &&
    judged.right.verdict.verdict === 'ok' &&
    judged.right.verdict.decidedBy === 'one-schedule' &&
    judged.right.completed !== null
  const answers = decides ? await working : []
  bar.stop()
  if (!decides) return null
  const { verdict, completed } = judged.right
  const ran = answers.flatMap((a) => (a._tag === 'ran' ? [a] : []))
  const apart =
    completed !== null &&
    ran.length === world.clusterCount &&
    ran.reduce((steps, a) => steps + a.steps, 0) === verdict.counts.steps &&
    collision(ran.map((a) => a.touched)) === null
  if (!apart) return null
  const ended = world.header.planes.reduce((m: Machine, { space, name }, plane) => {
    const bytes = space === 'gmem' ? outputs.get(name) : undefined
    if (bytes !== undefined) return withPlane(m, plane, Plane.ofBytes(bytes, fast))
    return space === 'gmem' ? withPlane(m, plane, machine.planes[plane]!) : m
  }, completed.machine)
  return Object.assign({}, judged.right, {
    world,
    machine: ended,
    completed: Object.assign({}, completed, { machine: ended }),
    verdict: Object.assign({}, verdict, {
      digest: Object.assign({}, verdict.digest, {
        output: digestOf(digested(world).map((name) => readTensor(world, ended, name))),
      }),
    }),
  })
}
