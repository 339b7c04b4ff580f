/**
 * Work: what can be done of a run apart from the rest, as tasks.
 *
 * | task    | what it does                                                         | writes              |
 * |---------|----------------------------------------------------------------------|---------------------|
 * | draw    | elements [from, to) of a seeded input                                | that input          |
 * | cluster | runs one cluster of the grid on the memory of the launch, of a program or of PTX | its bytes of the outputs |
 * | rows    | rows [from, to) of the naive product                                 | those of the reference |
 *
 * A setting is plain data over shared memory, so a task can be done in any thread, and in this one: what it writes is its alone, as far as
 * `independence.ts` finds no collision, and the order of tasks does not show. Inputs are drawn before the first cluster runs.
 *
 * Law 1. The tasks of a kind, done in any order by anybody, leave the same memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as fast from '../../fast/index.js'
import { naiveRows, type MatmulTypes } from '../../kernels/reference.js'
import { randomCarriers } from '../../kernels/reference-inputs.js'
import type { Algebra, MmaShape } from '../../numerics/algebra.js'
import { bits, type Arithmetic } from '../../numerics/bits.js'
import type { Compiler } from '../../numerics/special-functions/index.js'
import type { Dtype } from '../../numerics/dtype.js'
import { elaborate } from '../../dialects/ptx/elaboration/elaborate.js'
import type { Module } from '../../dialects/ptx/text/module.js'
import { launch, type Launched } from '../../semantics/execution/launch.js'
import { warpSource, type WarpArguments } from '../../semantics/execution/launch-warps.js'
import { noArguments } from '../../semantics/machine/source.js'
import * as Plane from '../../semantics/machine/plane.js'
import type { TensorPipe } from '../../semantics/machine/world.js'
import { eager } from '../../semantics/execution/policy.js'
import type { Program } from '../../semantics/language/program.js'
import { run } from '../../semantics/execution/run.js'
import { touching, type Touched } from '../../semantics/execution/independence.js'
import { visiting } from '../../semantics/verdict/classes.js'

// ---------------------------------------------------------------- model

/** What every thread knows. Arrays are of shared memory. */
export type Setting = CoreSetting | WarpSetting

/** A program. */
export interface CoreSetting {
  readonly _tag: 'core'
  readonly program: Program
  readonly arithmetic: Arithmetic
  /** whose approximate functions */
  readonly compiler: Compiler | null
  /** products in vectors, bytes in runs */
  readonly fast: boolean
  readonly tensorPipe: TensorPipe
  readonly fuel: number
  /** carriers of the inputs, by name */
  readonly inputs: ReadonlyMap<string, Float64Array>
  /** bytes of the tensors that are written, by name */
  readonly outputs: ReadonlyMap<string, Uint8Array>
  readonly product: NaiveProduct | null
}

/** A launch of PTX: the tree of a module is plain data, and each thread makes the program of it. */
export interface WarpSetting {
  readonly _tag: 'warps'
  readonly module: Module
  readonly entry: string
  /** as its places are called */
  readonly file: string
  readonly given: WarpArguments
  readonly arithmetic: Arithmetic
  readonly compiler: null
  readonly fast: boolean
  readonly tensorPipe: TensorPipe
  readonly fuel: number
  readonly outputs: ReadonlyMap<string, Uint8Array>
}

/** out = cast(a b), and where it goes. */
export interface NaiveProduct {
  readonly a: string
  readonly b: string
  readonly types: MatmulTypes
  readonly shape: MmaShape
  readonly values: Float64Array
}

export type Task =
  | {
      readonly _tag: 'draw'
      readonly name: string
      readonly dtype: Dtype
      readonly seed: number
      readonly number: number
      readonly from: number
      readonly to: number
    }
  | { readonly _tag: 'cluster'; readonly cluster: number }
  | { readonly _tag: 'rows'; readonly from: number; readonly to: number }

export type Done =
  | { readonly _tag: 'done' }
  | {
      readonly _tag: 'ran'
      readonly cluster: number
      readonly steps: number
      readonly touched: ReadonlyArray<Touched>
    }
  /** it did not come to its end, or wrote what is no output */
  | { readonly _tag: 'stopped' }

// ---------------------------------------------------------------- doing it

export const algebraOf = (setting: Pick<Setting, 'arithmetic' | 'compiler' | 'fast'>): Algebra =>
  (setting.fast ? fast.bits : bits)(setting.arithmetic, setting.compiler)

const done: Done = { _tag: 'done' }
const stopped: Done = { _tag: 'stopped' }

/** Runs cluster `cluster` alone, from the memory of the launch. */
const runCluster = ({ outputs, fuel }: Setting, launched: Launched, cluster: number): Done => {
  const start = visiting(launched, [cluster])
  if (start === null) return stopped
  const { world } = start
  const ran = run(
    world,
    start.machine,
    { policy: eager, fuel, keepSchedule: false, transient: true },
    touching,
  )
  if (ran.outcome._tag !== 'completed') return stopped
  for (const { plane, writes } of ran.result) {
    if (writes.length === 0) continue
    const into = outputs.get(world.header.planes[plane]!.name)
    if (into === undefined) return stopped
    for (let i = 0; i < writes.length; i += 2)
      Plane.copyOut(ran.machine.planes[plane]!, writes[i]!, writes[i + 1]!, into)
  }
  return { _tag: 'ran', cluster, steps: ran.steps, touched: ran.result }
}

/** The launch of a setting; null where it is refused. */
const launchedIn = (setting: Setting): Launched | null => {
  const algebra = algebraOf(setting)
  const { tensorPipe } = setting
  if (setting._tag === 'core') {
    const made = launch(setting.program, algebra, {
      scalars: new Map(),
      tensors: setting.inputs,
      tensorPipe,
    })
    return E.isRight(made) ? made.right : null
  }
  const elaborated = elaborate(setting.module, setting.entry, setting.file)
  if (E.isLeft(elaborated)) return null
  const source = warpSource(elaborated.right.program, setting.given)
  const made = source.launch(algebra, Object.assign({}, noArguments, { tensorPipe }))
  return E.isRight(made) ? made.right : null
}

/** One who does tasks; what it needs for them it makes when it is first asked. */
export const workerOf = (setting: Setting): ((task: Task) => Done) => {
  const algebra = algebraOf(setting)
  let launched: Launched | null | undefined
  const ready = (): Launched | null => (launched === undefined ? (launched = launchedIn(setting)) : launched)
  return (task) => {
    if (task._tag === 'cluster') {
      const l = ready()
      return l === null ? stopped : runCluster(setting, l, task.cluster)
    }
    // a launch of PTX has its data, and nothing is expected of it here
    if (setting._tag === 'warps') return stopped
    switch (task._tag) {
      case 'draw': {
        const { name, dtype, seed, number, from, to } = task
        const into = setting.inputs.get(name)
        if (into === undefined) return stopped
        into.set(randomCarriers(algebra, dtype, seed, number, to - from, from), from)
        return done
      }
      case 'rows': {
        const p = setting.product
        const [a, b] = [setting.inputs.get(p?.a ?? ''), setting.inputs.get(p?.b ?? '')]
        if (p === null || a === undefined || b === undefined) return stopped
        const values = naiveRows(algebra, p.types, p.shape, a, b, task.from, task.to)
        if (E.isLeft(values)) return stopped
        p.values.set(values.right, task.from * p.shape.n)
        return done
      }
    }
  }
}

// ---------------------------------------------------------------- who does it

/** Some who share the work. */
export interface Crew {
  readonly size: number
  /** All of the tasks, each by the thread that is free; answers in the order of the tasks. */
  readonly perform: (
    tasks: ReadonlyArray<Task>,
    progress: (done: number, of: number) => void,
  ) => Promise<ReadonlyArray<Done>>
  readonly close: () => void
}

/** Brings a crew together: at most `size`, who all know the setting. */
export type Assemble = (setting: Setting, size: number) => Crew

/** No other thread: this one, one task after another. */
export const single: Assemble = (setting) => {
  const work = workerOf(setting)
  return {
    size: 1,
    perform: (tasks, progress) =>
      Promise.resolve(
        tasks.map((task, i) => {
          const answer = work(task)
          progress(i + 1, tasks.length)
          return answer
        }),
      ),
    close: () => undefined,
  }
}
