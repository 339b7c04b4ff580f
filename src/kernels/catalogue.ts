/**
 * The catalogue: every kernel of the house by name, with the settings it takes.
 *
 * A kernel here is a record: what its settings are called and mean, which axis of which input gives which size, and a function from
 * whatever was given to an *instance* (the program, and the value of every setting). What is not given is chosen:
 *
 * | given             | sizes           | tiles and stages chosen                                          |
 * |-------------------|-----------------|------------------------------------------------------------------|
 * | nothing           | 256 x 256 x 576 | 128 x 128 x 64, 4 stages: nine k steps, so every slot is refilled |
 * | k=192             | 256 x 256 x 192 | 128 x 128 x 64, 4 stages: three k steps, one slot stays empty     |
 * | m=192 n=80        | 192 x 80 x 576  | 64 x 80 x 64: the largest legal divisors below the defaults       |
 * | a.npy of (64, 96) | 64 x 256 x 96   | 64 x 128 x 48                                                    |
 * | m=100             |                 | refused: no legal tile divides 100                               |
 * | m=192 tileM=128   |                 | refused: 64 and 192 would do                                     |
 *
 * A default shrinks to fit; a value that somebody gave is used or refused, never replaced.
 *
 * Laws
 * 1. An instance's settings are complete: each parameter has a value, and building from them gives the same program.
 * 2. What was given appears in the instance unchanged.
 * 3. A default tile is the largest legal tile that divides its size and is no larger than the catalogue's default.
 * 4. Every refusal is one line that names the setting or the file, what was expected, and what was found.
 *
 * To add a kernel: a record, and its place in `kernels`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../failure.js'
import type { Program } from '../semantics/program.js'
import { foreign } from './broken/foreign/index.js'
import { programName, zoo, type Twin } from './broken/zoo/index.js'
import { hopperMatmul } from './hopper-matmul.js'
import { matmul0 } from './matmul0.js'
import { queue, type Queue } from './queue.js'
import { wgmmaLoop, type WgmmaLoop } from './wgmma-loop.js'

// ---------------------------------------------------------------- model

export type SettingValue = number | boolean | string
/** Settings by name. */
export type Settings = Readonly<Record<string, SettingValue>>

export interface Parameter {
  readonly name: string
  /** used when nothing is given; a tile or a number of stages may be chosen smaller to fit */
  readonly default: SettingValue
  /** `elements`, `slots`; a word's legal values stand in `choices` */
  readonly unit: string
  readonly meaning: string
  readonly choices?: ReadonlyArray<string>
}

/** A tensor parameter of the program; axis d has the size of the setting `axes[d]`. */
export interface TensorRole {
  readonly name: string
  readonly role: 'in' | 'out'
  readonly axes: ReadonlyArray<string>
}

/** An input that somebody brings: where it came from (a file's name), and what it is. */
export interface Input {
  readonly name: string
  readonly source: string
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
}

/** A program and the settings that it was made with, all of them. */
export interface Instance {
  readonly kernel: string
  readonly settings: Settings
  readonly program: Program
}

export interface Kernel {
  readonly name: string
  /** one line */
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly tensors: ReadonlyArray<TensorRole>
  /** the setting that says the element type of the inputs */
  readonly dtype: string
  /** chooses what is not given, and builds; what is given has the right kind */
  readonly make: (given: Settings) => E.Either<Failure, Instance>
}

// ---------------------------------------------------------------- parameters

const size = (name: string, value: number, meaning: string): Parameter => ({
  name,
  default: value,
  unit: 'elements',
  meaning,
})
const count = (name: string, value: number, unit: string, meaning: string): Parameter => ({
  name,
  default: value,
  unit,
  meaning,
})
const word = (name: string, choices: readonly [string, ...string[]], meaning: string): Parameter => ({
  name,
  default: choices[0],
  unit: 'word',
  meaning,
  choices,
})

const flag = (name: string, value: boolean, meaning: string): Parameter => ({
  name,
  default: value,
  unit: 'true|false',
  meaning,
})

const integerOr = (given: Settings, name: string, otherwise: number): number => {
  const v = given[name]
  return typeof v === 'number' ? v : otherwise
}

const bad = (kernel: string, text: string): E.Either<Failure<'kernel.settings'>, never> =>
  refuse('kernel.settings', `${kernel}: ${text}`)

// ---------------------------------------------------------------- tiles that fit

/** One cut of an axis: tiles are multiples of `unit`, at most `most`. */
interface Cut {
  readonly size: string
  readonly tile: string
  readonly unit: number
  readonly because: string
  readonly most: number
  readonly default: number
}

/** Legal tiles of an extent, ascending. */
const legalTiles = (cut: Cut, extent: number): ReadonlyArray<number> => {
  const tiles: number[] = []
  for (let t = cut.unit; t <= Math.min(extent, cut.most); t += cut.unit) if (extent % t === 0) tiles.push(t)
  return tiles
}

/** The tile: given and legal, or the largest legal one up to the default. */
const fitTile = (
  kernel: string,
  cut: Cut,
  extent: number,
  given: number | null,
): E.Either<Failure, number> => {
  const legal = legalTiles(cut, extent)
  if (legal.length === 0)
    return bad(
      kernel,
      `${cut.size} is ${String(extent)}: expected a multiple of ${String(cut.unit)} (${cut.because}); no legal ${cut.tile} divides it`,
    )
  if (given === null)
    return E.right(legal.filter((t) => t <= Math.max(cut.default, cut.unit)).pop() ?? legal[0]!)
  return legal.includes(given)
    ? E.right(given)
    : bad(
        kernel,
        `${cut.tile} is ${String(given)}: expected a multiple of ${String(cut.unit)} (${cut.because}) that divides ${cut.size}, which is ${String(extent)}: ${legal.join(', ')}`,
      )
}

// ---------------------------------------------------------------- matmuls: sizes, tiles, slots

/** What every tiled matmul of the catalogue has. */
interface Tiled {
  readonly dtype: 'f16' | 'bf16'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  readonly stages: number
}

/** How the tiles of a matmul may be cut, and what its sizes are when nobody says. */
interface Shape {
  readonly kernel: string
  readonly cuts: readonly [Cut, Cut, Cut]
  readonly sizes: readonly [number, number, number]
  readonly stages: number
}

const positive = (kernel: string, name: string, value: number): E.Either<Failure, number> =>
  value >= 1
    ? E.right(value)
    : bad(kernel, `${name} is ${String(value)}: expected a positive integer, at least 1`)

/** Chooses what is not given, and builds. */
const makeTiled = <C extends Tiled>(
  shape: Shape,
  given: Settings,
  rest: (c: Tiled) => C,
  build: (c: C) => E.Either<Failure, Program>,
  record: (c: C) => Settings,
): E.Either<Failure, Instance> => {
  const { kernel, cuts, sizes } = shape
  const extent = (name: string, otherwise: number): E.Either<Failure, number> =>
    positive(kernel, name, integerOr(given, name, otherwise))
  const tile = (cut: Cut, of: number): E.Either<Failure, number> => {
    const t = given[cut.tile]
    return fitTile(kernel, cut, of, typeof t === 'number' ? t : null)
  }
  return pipe(
    E.Do,
    E.bind('m', () => extent('m', sizes[0])),
    E.bind('n', () => extent('n', sizes[1])),
    E.bind('k', () => extent('k', sizes[2])),
    E.bind('tileM', ({ m }) => tile(cuts[0], m)),
    E.bind('tileN', ({ n }) => tile(cuts[1], n)),
    E.bind('tileK', ({ k }) => tile(cuts[2], k)),
    E.bind('stages', () => extent('stages', shape.stages)),
    E.chain(({ m, n, k, tileM, tileN, tileK, stages }) => {
      const dtype = given['dtype'] === 'bf16' ? 'bf16' : 'f16'
      const built = (depth: number, slots: number): E.Either<Failure, Instance> => {
        const c = rest({ dtype, m, n, k, tileM, tileN, tileK: depth, stages: slots })
        return pipe(
          build(c),
          E.map((program) => ({ kernel, settings: record(c), program })),
        )
      }
      const first = built(tileK, stages)
      // Where large tiles leave too little shared memory: fewer slots, and if that is not enough, shallower ones.
      const depths =
        given['tileK'] === undefined
          ? legalTiles(cuts[2], k)
              .filter((t) => t <= tileK)
              .reverse()
          : [tileK]
      const slots = given['stages'] === undefined ? [4, 3, 2] : [stages]
      let instance = first
      for (const depth of depths) for (const s of slots) if (tooLarge(instance)) instance = built(depth, s)
      return tooLarge(instance) ? first : instance
    }),
  )
}

const tooLarge = (made: E.Either<Failure, Instance>): boolean => E.isLeft(made) && made.left.code === 'A1'

const tiledRecord = (c: Tiled): Settings => ({
  m: c.m,
  n: c.n,
  k: c.k,
  tileM: c.tileM,
  tileN: c.tileN,
  tileK: c.tileK,
  stages: c.stages,
  dtype: c.dtype,
})

const tiledTensors: ReadonlyArray<TensorRole> = [
  { name: 'a', role: 'in', axes: ['m', 'k'] },
  { name: 'b', role: 'in', axes: ['k', 'n'] },
  { name: 'out', role: 'out', axes: ['m', 'n'] },
]

const wgmmaCuts: readonly [Cut, Cut, Cut] = [
  { size: 'm', tile: 'tileM', unit: 64, because: 'the rows of one wgmma', most: Infinity, default: 128 },
  { size: 'n', tile: 'tileN', unit: 16, because: 'a row of the narrowest swizzle', most: 256, default: 128 },
  { size: 'k', tile: 'tileK', unit: 16, because: 'the k of one wgmma', most: Infinity, default: 64 },
]

const wgmmaParameters = (shape: Shape): ReadonlyArray<Parameter> => [
  size('m', shape.sizes[0], 'rows of a and out'),
  size('n', shape.sizes[1], 'columns of b and out'),
  size('k', shape.sizes[2], 'columns of a, rows of b'),
  size('tileM', 128, 'rows of out that a block computes: a multiple of 64 that divides m'),
  size('tileN', 128, 'columns of out that a block computes: a multiple of 16 up to 256 that divides n'),
  size('tileK', 64, 'depth of one slot of the ring: a multiple of 16 that divides k'),
  count('stages', shape.stages, 'slots', 'slots of the ring in shared memory'),
  word('dtype', ['f16', 'bf16'], 'element type of a, b and out; sums are f32'),
]

// ---------------------------------------------------------------- hopper-matmul

const hopperShape: Shape = { kernel: 'hopper-matmul', cuts: wgmmaCuts, sizes: [256, 256, 576], stages: 4 }

const hopper: Kernel = {
  name: hopperShape.kernel,
  summary: 'out = a @ b: TMA ring, wgmma, store through shared memory; one memory and one compute warpgroup',
  parameters: wgmmaParameters(hopperShape),
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) => makeTiled(hopperShape, given, (c) => c, hopperMatmul, tiledRecord),
}

// ---------------------------------------------------------------- wgmma-loop

const loopShape: Shape = { kernel: 'wgmma-loop', cuts: wgmmaCuts, sizes: [256, 256, 576], stages: 4 }

const wgmmaLoopKernel: Kernel = {
  name: loopShape.kernel,
  summary: 'out = a @ b: one warpgroup that loads ahead and multiplies (the reference page, corrected)',
  parameters: [
    ...wgmmaParameters(loopShape),
    word('wgmmaWait', ['implemented', 'documented'], 'does a wgmma wait for the ones before it?'),
    flag('explicitWait', true, 'wgmma_wait(1) after every wgmma; without it, implemented is W3'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) =>
    makeTiled<WgmmaLoop>(
      loopShape,
      given,
      (c) => ({
        ...c,
        wgmmaWait: given['wgmmaWait'] === 'documented' ? 'documented' : 'implemented',
        explicitWait: given['explicitWait'] !== false,
      }),
      wgmmaLoop,
      (c) => ({ ...tiledRecord(c), wgmmaWait: c.wgmmaWait, explicitWait: c.explicitWait }),
    ),
}

// ---------------------------------------------------------------- matmul0

const tutorialShape: Shape = {
  kernel: 'matmul0',
  cuts: [
    { size: 'm', tile: 'tileM', unit: 128, because: 'the lanes of tensor memory', most: 128, default: 128 },
    {
      size: 'n',
      tile: 'tileN',
      unit: 16,
      because: 'a row of the narrowest swizzle',
      most: 256,
      default: 128,
    },
    { size: 'k', tile: 'tileK', unit: 16, because: 'the k of one MMA', most: Infinity, default: 64 },
  ],
  sizes: [256, 256, 576],
  stages: 4,
}

const matmul0Kernel: Kernel = {
  name: tutorialShape.kernel,
  summary:
    'out = a @ b on Blackwell: one warpgroup, emit_pipeline, tcgen05 one step behind (the tutorial, 0)',
  parameters: [
    size('m', 256, 'rows of a and out'),
    size('n', 256, 'columns of b and out'),
    size('k', 576, 'columns of a, rows of b'),
    size('tileM', 128, 'rows of out that a block computes: 128'),
    size('tileN', 128, 'columns of out that a block computes: a multiple of 16 up to 256 that divides n'),
    size('tileK', 64, 'depth of one step of the pipeline: a multiple of 16 that divides k'),
    count('stages', 4, 'slots', 'max_concurrent_steps: steps fetched ahead'),
    word('dtype', ['f16', 'bf16'], 'element type of a, b and out; sums are f32'),
  ],
  tensors: tiledTensors,
  dtype: 'dtype',
  make: (given) => makeTiled(tutorialShape, given, (c) => c, matmul0, tiledRecord),
}

// ---------------------------------------------------------------- queue

const queueName = 'queue'

const makeQueue = (given: Settings): E.Either<Failure, Instance> =>
  pipe(
    E.Do,
    E.bind('m', () => positive(queueName, 'm', integerOr(given, 'm', 56))),
    E.bind('n', () => positive(queueName, 'n', integerOr(given, 'n', 64))),
    E.bind('buffering', () => positive(queueName, 'buffering', integerOr(given, 'buffering', 3))),
    E.bind('rows', ({ m }) => {
      const chosen = [8, 7, 6, 5, 4, 3, 2].find((r) => m % r === 0) ?? 1
      return positive(queueName, 'rows', integerOr(given, 'rows', chosen))
    }),
    E.chain(({ m, n, buffering, rows }) => {
      const c: Queue = {
        dtype: given['dtype'] === 'bf16' || given['dtype'] === 'f32' ? given['dtype'] : 'f16',
        m,
        n,
        rows,
        buffering,
        produce: given['produce'] === 'copies' ? 'copies' : 'stores',
        drain: given['drain'] === true,
      }
      return pipe(
        queue(c),
        E.map((program) => ({ kernel: queueName, settings: { ...c }, program })),
      )
    }),
  )

const queueKernel: Kernel = {
  name: queueName,
  summary: 'out = x through a ring between two warpgroups, with barriers both ways (the reference page)',
  parameters: [
    size('m', 56, 'rows of x and out'),
    size('n', 64, 'columns of x and out'),
    size('rows', 8, 'rows of one item: a divisor of m'),
    count('buffering', 3, 'slots', 'slots of the ring in shared memory'),
    word('produce', ['stores', 'copies'], 'how the producer fills a slot: its own stores, or TMA'),
    flag('drain', false, 'the producer waits for the last completions too; printed without'),
    word('dtype', ['f16', 'bf16', 'f32'], 'element type of x and out'),
  ],
  tensors: [
    { name: 'x', role: 'in', axes: ['m', 'n'] },
    { name: 'out', role: 'out', axes: ['m', 'n'] },
  ],
  dtype: 'dtype',
  make: makeQueue,
}

// ---------------------------------------------------------------- the list

export const kernels: ReadonlyArray<Kernel> = [hopper, matmul0Kernel, queueKernel, wgmmaLoopKernel]

/** Twins of the zoo stand beside the kernels: `zoo/R1` has the hazard, `zoo/R1-fixed` has not. They take no settings. */
const twinKernel = ({ title, fix, program }: Twin, name: string, fixed: boolean): Kernel => ({
  name,
  summary: fixed ? fix : title,
  parameters: [],
  tensors: [],
  dtype: '',
  make: () =>
    pipe(
      program(fixed),
      E.map((made) => ({ kernel: name, settings: {}, program: made })),
    ),
})

const zooKernels: ReadonlyArray<Kernel> = [...zoo, ...foreign].flatMap((twin) =>
  [false, true].map((fixed) => twinKernel(twin, programName(twin, fixed), fixed)),
)

/** Names of the zoo and of the foreign bugs: all that begin with `zoo/` or `foreign/`. */
export const isOfZoo = (name: string): boolean => name.startsWith('zoo/') || name.startsWith('foreign/')

export const kernelNamed = (name: string): E.Either<Failure<'kernel.unknown'>, Kernel> => {
  const kernel = kernels.find((k) => k.name === name) ?? zooKernels.find((k) => k.name === name)
  const expected = isOfZoo(name)
    ? `one of ${[...zoo, ...foreign].map((twin) => programName(twin, false)).join(', ')}, or one of them with -fixed`
    : `one of ${kernels.map((k) => k.name).join(', ')}`
  return kernel === undefined
    ? refuse('kernel.unknown', `kernel: expected ${expected}, found '${name}'`)
    : E.right(kernel)
}

// ---------------------------------------------------------------- what is given

const show = (shape: ReadonlyArray<number>): string =>
  shape.length === 1 ? `(${String(shape[0])},)` : `(${shape.join(', ')})`

const expectedOf = (p: Parameter): string =>
  p.choices !== undefined
    ? p.choices.join('|')
    : typeof p.default === 'number'
      ? 'an integer'
      : typeof p.default === 'boolean'
        ? 'true|false'
        : 'a word'

const right = (p: Parameter, value: SettingValue): boolean =>
  p.choices !== undefined
    ? p.choices.some((c) => c === value)
    : typeof p.default === 'number'
      ? typeof value === 'number' && Number.isSafeInteger(value)
      : typeof p.default === typeof value

const checkKinds = (kernel: Kernel, given: Settings): E.Either<Failure, Settings> => {
  for (const [name, value] of Object.entries(given)) {
    const p = kernel.parameters.find((q) => q.name === name)
    if (p === undefined)
      return bad(
        kernel.name,
        `unknown setting '${name}'; known settings: ${kernel.parameters.map((q) => q.name).join(', ')}`,
      )
    if (!right(p, value))
      return bad(kernel.name, `${name}: expected ${expectedOf(p)}, found '${String(value)}'`)
  }
  return E.right(given)
}

/** A setting, and who says so. */
interface Said {
  readonly value: SettingValue
  readonly by: string
}

/** What was given and what the inputs' shapes and dtypes say, as far as they agree. Everything in it has the right kind. */
export const settingsOf = (
  kernel: Kernel,
  given: Settings,
  inputs: ReadonlyArray<Input>,
): E.Either<Failure, Settings> =>
  pipe(
    checkKinds(kernel, given),
    E.chain(() => {
      const said = new Map<string, Said>(
        Object.entries(given).map(([name, value]) => [name, { value, by: 'the setting' }]),
      )
      const say = (name: string, value: SettingValue, by: string): Failure | null => {
        const before = said.get(name)
        if (before === undefined) said.set(name, { value, by })
        return before === undefined || before.value === value
          ? null
          : failure(
              'kernel.settings',
              `${kernel.name}: ${name} is ${String(before.value)} by ${before.by}, but ${String(value)} by ${by}`,
            )
      }
      const dtypes = kernel.parameters.find((p) => p.name === kernel.dtype)?.choices ?? []
      for (const input of inputs) {
        const role = kernel.tensors.find((t) => t.name === input.name && t.role === 'in')
        if (role === undefined)
          return bad(
            kernel.name,
            `no input '${input.name}' (${input.source}); inputs: ${kernel.tensors
              .filter((t) => t.role === 'in')
              .map((t) => t.name)
              .join(', ')}`,
          )
        const by = `${input.source} of shape ${show(input.shape)}`
        if (input.shape.length !== role.axes.length)
          return bad(
            kernel.name,
            `${input.source}: expected ${input.name} of shape (${role.axes.join(', ')}), found shape ${show(input.shape)}`,
          )
        if (dtypes.length > 0 && !dtypes.includes(input.dtype))
          return bad(
            kernel.name,
            `${input.source}: expected elements of ${dtypes.join(' or ')}, found ${input.dtype}`,
          )
        const conflict = role.axes.reduce<Failure | null>(
          (found, axis, d) => found ?? say(axis, input.shape[d]!, by),
          say(kernel.dtype, input.dtype, `${input.source} of dtype ${input.dtype}`),
        )
        if (conflict !== null) return E.left(conflict)
      }
      return E.right(Object.fromEntries([...said].map(([name, { value }]) => [name, value] as const)))
    }),
  )

/** The program for what is given: settings by name, and the inputs that somebody brings. */
export const instanceOf = (
  kernel: Kernel,
  given: Settings,
  inputs: ReadonlyArray<Input>,
): E.Either<Failure, Instance> => pipe(settingsOf(kernel, given, inputs), E.chain(kernel.make))
