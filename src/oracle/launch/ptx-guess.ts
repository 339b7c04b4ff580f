/**
 * A launch to begin with, for an entry of PTX whose launch is not given.
 *
 * The text of an entry says what its parameters are and not how large. Sizes out of the air make a right kernel look wrong: a tensor that is too small is left, one
 * that is too large is not written whole, and rows whose stride is smaller than they are long overlap. So the kernel is run: with room behind every pointer
 * and one number for all sizes and strides. The bytes that the run touches are the sizes of the tensors.
 *
 *     tcspec check scale.ptx --grid 2 --block 128 --arg x=f32[256]:in:guess y=f32[256]:out:guess n=512:guess
 *
 * | what              | is guessed as                                                                                             |
 * |-------------------|-----------------------------------------------------------------------------------------------------------|
 * | block             | what the entry asks for; else 128 threads; more, or else 64, where that shows a finding; 16 x 16 where threads ask for x and y (for x, y and z a library asks, which numbers them); a warp where no thread asks for its number |
 * | grid              | one cluster; without clusters two CTAs along each axis that the text asks for, one where it asks for none    |
 * | integers          | one number: twice the threads along x; less where the run has a fault; where it is long, less for those that are only compared |
 * | a pointer         | as many elements as are touched                                                                            |
 * | written, not read | `out` where its bytes are written without a gap, else `inout`                                              |
 * | integers that are read and written | zeros, as counters and locks begin                                                        |
 *
 * A larger launch shows more than a smaller one. So a finding is taken to come from the guess where a launch that is larger does not have it, or one of two warps;
 * a launch of one warp is no evidence, for it hides the race of two.
 *
 * Laws
 * 1. The guess is a function of the text and the entry.
 * 2. A run of the guessed launch under the first schedule, on the data that the guess was made with, leaves no tensor, if any run of the scout came to its end.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as fast from '../../fast/index.js'
import { isFloat } from '../../numerics/dtype.js'
import { contentsOf, warpSource, type GivenTensor } from '../../semantics/execution/launch-warps.js'
import { eager } from '../../semantics/execution/policy.js'
import * as Run from '../../semantics/execution/run.js'
import { defaults, detector } from '../../semantics/judging/detector/index.js'
import { noArguments } from '../../semantics/machine/source.js'
import type { Fold } from '../../semantics/log/events.js'
import type { Files } from '../tensor-files/files.js'
import { dataOf, type DataSet } from './data-sets.js'
import type { DescribedEntry, DescribedParameterOfPtx } from './ptx-entry.js'
import { dtypeOf } from './ptx-maps.js'
import { elementBytes } from './ptx-parameters.js'
import { launchedPtx, type LaunchedPtx } from './ptx.js'

// ---------------------------------------------------------------- model

type Example = DescribedEntry['example']

/** What the text of the entry says of its launch. */
export interface Asks {
  /** the entry says its block; else the axes along which threads ask for their number */
  readonly block: ReadonlyArray<number> | null
  readonly threadAxes: number
  /** along each axis: CTAs of a cluster, and whether the text asks for the number of a CTA */
  readonly cluster: ReadonlyArray<number>
  readonly ctaAxes: ReadonlyArray<boolean>
  /** parameters, by their numbers, that are only compared (`flow/bounds.ts`) */
  readonly bounds: ReadonlySet<number>
}

/** Bytes of a tensor that a run touched. */
interface Touched {
  readonly name: string
  end: number
  written: Array<readonly [number, number]>
}

interface Scouted {
  readonly block: ReadonlyArray<number>
  readonly size: number
  /** the number for what is no bound */
  readonly wide: number
  readonly ended: 'completed' | 'fault' | 'stuck' | 'long'
  readonly findings: number
  readonly steps: number
  readonly touched: ReadonlyArray<Touched>
}

// ---------------------------------------------------------------- running

/** Behind every pointer, in a scout's run. */
const room = 2 ** 22
/** Elements that hold data; behind them are zeros. */
const filled = 4096
/** Most events of one run, and of all. */
const fuel = 8_000
const fuelInAll = 50_000
/** Of one block: what fails with each size may be mended by another block. */
const fuelOfBlock = 20_000
/** Most runs: much may be computed between events. */
const mostRuns = 32

const touching: Fold<ReadonlyMap<number, Touched>, ReadonlyArray<Touched>> = {
  init: (header) =>
    new Map(
      header.planes.flatMap(({ space, name }, plane) =>
        space === 'gmem' ? [[plane, { name, end: 0, written: [] }] as const] : [],
      ),
    ),
  observe: (s, e) => {
    const t = e._tag === 'access' ? s.get(e.footprint.plane) : undefined
    if (t !== undefined && e._tag === 'access') {
      const { list, by } = e.footprint.spans
      for (let i = 0; i < list.length; i += 2) {
        t.end = Math.max(t.end, list[i + 1]! + by)
        if (e.rw === 'w') t.written.push([list[i]! + by, list[i + 1]! + by])
      }
    }
    return s
  },
  finish: (s) => [...s.values()],
}

/** With room behind its pointers, and every access told. */
const roomy =
  (seeded: ReadonlyMap<string, string>, set: DataSet) =>
  (t: GivenTensor, number: number): GivenTensor => {
    if (t.symbol !== null || t.elements !== null) return t
    const contents = new Uint8Array(Math.max(room, t.bytes))
    const dtype = seeded.get(t.name)
    if (dtype !== undefined && set !== 'random')
      contents.set(dataOf(set, dtype, Math.floor(t.bytes / elementBytes(dtype)), number))
    else contents.set(contentsOf(t) ?? [])
    return { name: t.name, role: 'inout', contents, bytes: contents.length, elements: null, symbol: null }
  }

const scouted = (launched: LaunchedPtx, size: number, wide: number, set: DataSet): Scouted | null => {
  const { program } = launched.elaborated
  const given = launched.arguments
  const mapped = new Set((given.maps ?? []).flatMap(({ tensor, into }) => [tensor, into ?? tensor]))
  const source = warpSource(program, {
    ...given,
    tensors: given.tensors.map((t, i) => (mapped.has(t.name) ? t : roomy(launched.seeded, set)(t, i))),
  })
  const algebra = fast.bits(program.arch === 'sm100a' ? 'blackwell' : 'hopper')
  const launch = source.launch(algebra, noArguments)
  if (E.isLeft(launch)) return null
  const { world, machine } = launch.right
  const how = { policy: eager, fuel, keepSchedule: false, transient: true, ahead: false }
  const judging = detector(Object.assign({}, defaults, { guessed: true as const }))
  const ran = Run.run(world, machine, how, Run.both(judging, touching))
  const [judgement, touched] = ran.result
  const tagged = ran.outcome._tag
  const parameterOf = new Map(
    [...launched.aliases].flatMap(([alias, tensor]) =>
      /^\d/u.test(alias) ? [] : [[tensor, alias] as const],
    ),
  )
  return {
    block: given.block,
    size,
    wide,
    ended: tagged === 'completed' || tagged === 'fault' || tagged === 'stuck' ? tagged : 'long',
    findings: judgement.findings.length,
    steps: ran.steps,
    touched: touched.map((t) => ({ ...t, name: parameterOf.get(t.name) ?? t.name })),
  }
}

// ---------------------------------------------------------------- candidates

/** Blocks in the order in which they are tried: none has fewer threads than the one before. */
const blocksOf = ({ block, threadAxes }: Asks): ReadonlyArray<ReadonlyArray<number>> =>
  block !== null
    ? [block]
    : threadAxes === 0
      ? [[32]]
      : threadAxes === 2
        ? [
            [16, 16],
            [32, 8],
            [32, 32],
          ]
        : [[128], [256], [512]]

/**
 * Where no block so far will do. A run with a fault shows nothing that a smaller launch could hide. A race, or who waits in vain, may come from more threads than
 * there is work for, and needs two warps to be seen: one warp is not tried.
 */
const smallerBlocks = (
  { block, threadAxes }: Asks,
  ended: Scouted['ended'] | undefined,
): ReadonlyArray<ReadonlyArray<number>> =>
  block !== null || threadAxes === 0
    ? []
    : threadAxes === 2
      ? [[8, 8]]
      : ended === 'fault'
        ? [[64], [32]]
        : [[64]]

const gridOf = ({ cluster, ctaAxes }: Asks, axes: number): ReadonlyArray<number> =>
  Array.from({ length: axes }, (_, k) =>
    // a cluster has several CTAs already
    cluster.some((n) => n > 1) ? (cluster[k] ?? 1) : ctaAxes[k] === true ? 2 : 1,
  )

/** After a run that is too long. */
const muchShorter = 64

/** Sizes in the order in which they are tried. */
const sizesOf = (threads: number): ReadonlyArray<number> => [
  2 * threads,
  threads,
  ...[64, 16, 4, 1].filter((n) => n < threads),
]

/** The number for a size, in a word that the text gave. */
const sized = (p: DescribedParameterOfPtx, word: string, size: number): string => {
  const [, type] = /^64(:\w+)?$/u.exec(word) ?? []
  return p.kind !== 'scalar' || (type === undefined && word !== '64')
    ? word
    : `${String(p.bytes === 1 ? 1 : p.bytes === 2 ? Math.min(size, 2 ** 15 - 1) : size)}${type ?? ''}`
}

// ---------------------------------------------------------------- the guess

/** Whether intervals cover all bytes from 0 to their end. */
const isWhole = (written: ReadonlyArray<readonly [number, number]>, end: number): boolean => {
  const ordered = [...written].sort(([a], [b]) => a - b)
  let at = 0
  for (const [from, to] of ordered) {
    if (from > at) return false
    at = Math.max(at, to)
  }
  return at >= end
}

const isNumber = (dtype: string): boolean => {
  const known = dtypeOf(dtype)
  return dtype === 'f64' || (known !== null && isFloat(known))
}

/** A pointer as a word, with what a run has touched of it; null: nothing ran. */
const pointerWord = (p: DescribedParameterOfPtx, touched: Touched | undefined, size: number): string => {
  const each = Math.max(1, elementBytes(p.dtype))
  const elements =
    touched === undefined || touched.end === 0 ? Math.max(1, size) : Math.ceil(touched.end / each)
  const role =
    p.role === 'out' && touched !== undefined && !isWhole(touched.written, elements * each) ? 'inout' : p.role
  return `${p.dtype}[${String(elements)}]:${role ?? 'in'}`
}

/** The first word is what the text alone says. */
const wordsOf = (
  e: DescribedEntry,
  { bounds }: Asks,
  size: number,
  wide: number,
  pointer: (p: DescribedParameterOfPtx) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    e.parameters.map((p) => {
      const word = e.example.arg[p.name] ?? '0'
      const made = p.kind === 'pointer' ? pointer(p) : sized(p, word, bounds.has(p.number) ? size : wide)
      // of what the entry does not look at nothing is guessed
      return [p.name, /^0(:\w+)?$/u.test(word) ? word : `${made}:guess`]
    }),
  )

/** A launch that one run of the scout has. */
interface Scouting {
  readonly runs: number
  readonly steps: number
  readonly found: Scouted | null
}
const untried: Scouting = { runs: 0, steps: 0, found: null }

/** Of one block: the first size, and the first set of data, with which a run comes to its end; else the first run. */
const ofBlock = (
  files: Files,
  file: string,
  e: DescribedEntry,
  asks: Asks,
  block: ReadonlyArray<number>,
  before: Scouting,
): Scouting => {
  const grid = gridOf(asks, e.axes)
  const hasIntegers = e.parameters.some((p) => p.kind === 'pointer' && !isNumber(p.dtype) && p.role === 'in')
  const hasSizes = e.parameters.some((p) => p.kind === 'scalar')
  const sets: ReadonlyArray<DataSet> = hasIntegers ? ['random', 'small', 'zeros'] : ['random']
  const sizes = sizesOf((grid[0] ?? 1) * (block[0] ?? 1))
  let { runs, steps } = before
  let found: Scouted | null = null
  let isLong = false
  let keepsWide = e.parameters.some((p) => p.kind === 'scalar' && asks.bounds.has(p.number))
  for (const size of hasSizes ? sizes : sizes.slice(0, 1)) {
    if (isLong && size > muchShorter) continue
    // fewer turns make a long run shorter; a shorter stride makes rows overlap
    const wide: number = isLong && keepsWide ? sizes[0]! : size
    const launched = launchedPtx(files)(file, {
      grid,
      block,
      entry: e.name,
      args: Object.entries(
        wordsOf(e, asks, size, wide, (p) => `${p.dtype}[${String(filled)}]:${p.role ?? 'in'}`),
      ),
      ...(e.example.shared === undefined ? {} : { shared: e.example.shared }),
    })
    // a fault may be one of data, or one of sizes, or both
    for (const set of E.isLeft(launched) ? [] : sets) {
      if (steps >= fuelInAll || steps - before.steps >= fuelOfBlock || runs >= mostRuns)
        return { runs, steps, found }
      const run: Scouted | null = E.isLeft(launched) ? null : scouted(launched.right, size, wide, set)
      runs += 1
      steps += run?.steps ?? 0
      if (run?.ended === 'completed') return { runs, steps, found: run }
      // a run that is too long says less than what a shorter one comes to
      if (found === null || (found.ended === 'long' && run !== null)) found = run
      // where that is not enough, all numbers are fewer
      keepsWide &&= !(isLong && run?.ended === 'long')
      isLong = run?.ended === 'long'
      // other data do not make a long run shorter
      if (run?.ended !== 'fault') break
    }
  }
  return { runs, steps, found }
}

/** The best run of the scout; null: there was none. */
const best = (files: Files, file: string, e: DescribedEntry, asks: Asks): Scouted | null => {
  const among = (blocks: ReadonlyArray<ReadonlyArray<number>>, before: Scouting): Scouting =>
    blocks.reduce<Scouting>((s, block) => {
      const isDone = s.found?.ended === 'completed' && s.found.findings === 0
      if (isDone) return s
      const next = ofBlock(files, file, e, asks, block, s)
      const isBetter =
        s.found === null ||
        (next.found?.ended === 'completed' && (s.found.ended !== 'completed' || next.found.findings === 0))
      return { runs: next.runs, steps: next.steps, found: isBetter ? next.found : s.found }
    }, before)
  const [first = [], ...larger] = blocksOf(asks)
  const one = among([first], untried)
  const ended = one.found?.ended
  const smaller = smallerBlocks(asks, ended)
  // what has more threads comes first where there is something to hide
  return among(
    ended === 'completed' || ended === 'long' ? [...larger, ...smaller] : [...smaller, ...larger],
    one,
  ).found
}

/** The launch of an entry whose text has been described. */
export const guessedExample = (files: Files, file: string, e: DescribedEntry, asks: Asks): Example => {
  const run = best(files, file, e, asks)
  const size = run?.size ?? 64
  const touched = new Map(run?.touched.map((t) => [t.name, t] as const) ?? [])
  return {
    grid: gridOf(asks, e.axes),
    block: run?.block ?? blocksOf(asks)[0]!,
    guessed: e.example.guessed,
    ...(e.example.shared === undefined ? {} : { shared: e.example.shared }),
    ...(e.example.entry === undefined ? {} : { entry: e.example.entry }),
    arg: wordsOf(e, asks, size, run?.wide ?? size, (p) => pointerWord(p, touched.get(p.name), size)),
  }
}
