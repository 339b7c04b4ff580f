/**
 * Sameness: what a mutant computes, where it is not said what it should.
 *
 * A program that says what it computes is proved or refuted by provenance. For one that does not (attention: a softmax is no sum of products) the
 * unmutated program is the reference. Both are run over the free algebra (`numerics/terms.ts`) with symbols for inputs. If every output is the same
 * term, the mutant computes the same, for all inputs and whatever the operations mean, up to the collision of a hash; if not, it is *not the same*, and
 * that is all that is claimed: what the original computes is shown elsewhere (attention: equal to naive attention).
 *
 * Then the result is named: which output, the smallest box around what differs, the statement that wrote it, and what is different, tile of an input by
 * tile. A tile is what one read of the original reads. In the algebra `uses` a run counts how often the elements of a tile occur in the terms:
 *
 *     out[0, 0:64, 0, 0:64], written by wg0 / copy out, is another term than in fa3-attention: without k[0, 64:128, 0, 0:64], v[0, 64:128, 0, 0:64] more often
 *
 *     uses of            q 0:64    k 0:64    k 64:128    v 64:128
 *     original           8192      4096      4096        64
 *     mutant             8192      4096      0           128
 *
 * Laws
 * 1. A program has the terms of itself, under every schedule that is clean.
 * 2. What differs is inside the box, and every side of the box touches it.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf, isFloat } from '../../numerics/dtype.js'
import { inputTerm, terms, uses } from '../../numerics/terms.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { digestOf, digested, type CheckOptions } from '../verdict/check.js'
import { launch, readTensor } from '../execution/launch.js'
import { inputsOf, sizeOf, type Contents } from '../execution/symbols.js'
import type { Fold, Footprint, Header, LoggedTensor } from '../log/events.js'
import type { Program } from '../language/program.js'
import { forEachAddress } from '../machine/footprint.js'
import * as Run from '../execution/run.js'

// ---------------------------------------------------------------- runs

/** The tensors of a program; none if it cannot be launched. */
const headerOf = (program: Program, options: CheckOptions): Header | null => {
  const launched = launch(program, unit, options.arguments)
  return E.isLeft(launched) ? null : launched.right.world.header
}

interface Computed<R> {
  readonly outputs: Contents
  readonly result: R
}

/** One run; null where it does not come to its end, or the algebra lacks an operation. */
const compute = <S, R>(
  program: Program,
  algebra: Algebra,
  tensors: Contents,
  options: CheckOptions,
  fold: Fold<S, R>,
): Computed<R> | null => {
  const launched = launch(program, algebra, Object.assign({}, options.arguments, { tensors }))
  if (E.isLeft(launched)) return null
  const { world, machine } = launched.right
  const how: Run.Settings = {
    policy: options.policy,
    fuel: options.fuel,
    keepSchedule: false,
    transient: true,
  }
  const ran = Run.run(world, machine, how, fold)
  if (ran.outcome._tag !== 'completed') return null
  const outputs = digested(world).flatMap((name) => {
    const data = readTensor(world, ran.machine, name)
    return data === null ? [] : [[name, data] as const]
  })
  return { outputs: new Map(outputs), result: ran.result }
}

// ---------------------------------------------------------------- who reads and writes tensors

/** Tiles of the inputs that are read, each once; what was written to the outputs, in order, with its statement. */
interface Traffic {
  readonly tiles: Map<number, Footprint>
  readonly writes: Array<{ readonly footprint: Footprint; readonly site: number }>
  readonly header: Header
}

const traffic: Fold<Traffic, Traffic> = {
  init: (header) => ({ tiles: new Map(), writes: [], header }),
  observe: (s, e) => {
    if (e._tag !== 'access') return s
    const plane = s.header.planes[e.footprint.plane]!
    if (plane.space !== 'gmem') return s
    if (e.rw === 'w') s.writes.push({ footprint: e.footprint, site: e.stamp.site })
    else if (plane.initialised) s.tiles.set(e.footprint.id, e.footprint)
    return s
  },
  finish: (s) => s,
}

/** The row-major number of the element in each cell of a tensor's plane; -1 in a hole. */
const elementsByCell = (t: LoggedTensor, cells: number): Int32Array => {
  const out = new Int32Array(cells).fill(-1)
  const index = t.shape.map(() => 0)
  for (let e = 0; e < sizeOf(t); e++) {
    out[index.reduce((at, x, d) => at + x * t.strides[d]!, 0)] = e
    for (let d = index.length - 1; d >= 0; d--) {
      index[d]!++
      if (index[d]! < t.shape[d]!) break
      index[d] = 0
    }
  }
  return out
}

/** Addresses are of bytes, of narrower elements of halves of them. */
const addressesOf = (t: LoggedTensor): number => Math.max(1, Math.floor(bitsOf(t.dtype) / 8))

/** Row-major numbers of a tensor's elements under a footprint; the tensor is gone through once. */
const elementsUnder = (header: Header, t: LoggedTensor): ((of: Footprint) => ReadonlyArray<number>) => {
  const width = addressesOf(t)
  const byCell = elementsByCell(t, Math.ceil((header.planes[t.plane]!.bytes * 8) / bitsOf(t.dtype)))
  return (footprint) => {
    const out: Array<number> = []
    forEachAddress(footprint, (address) => {
      const e = byCell[Math.floor(address / width)] ?? -1
      if (e >= 0) out.push(e)
    })
    return out
  }
}

/** The smallest box around some elements: `out[0, 0:64, 0, 0:64]`. */
export const boxAround = (t: LoggedTensor, elements: ReadonlyArray<number>): string => {
  const low = t.shape.slice()
  const high = t.shape.map(() => 0)
  for (const e of elements) {
    let rest = e
    for (let d = t.shape.length - 1; d >= 0; d--) {
      const x = rest % t.shape[d]!
      rest = Math.floor(rest / t.shape[d]!)
      low[d] = Math.min(low[d]!, x)
      high[d] = Math.max(high[d]!, x + 1)
    }
  }
  const side = (from: number, to: number): string =>
    to === from + 1 ? String(from) : `${String(from)}:${String(to)}`
  return `${t.name}[${low.map((from, d) => side(from, high[d]!)).join(', ')}]`
}

// ---------------------------------------------------------------- uses

interface Tile {
  readonly text: string
  /** of the tensor */
  readonly name: string
  /** the number of the tensor, and which of its elements are marked */
  readonly tensor: number
  readonly marked: Uint8Array
}

/** Most tiles that are asked for; what is read in more pieces is asked for tensor by tensor. */
const mostTiles = 48

const tilesOf = ({ header, tiles }: Traffic): ReadonlyArray<Tile> =>
  header.tensors.flatMap((t, tensor) => {
    const plane = header.planes[t.plane]!
    if (!plane.initialised || !isFloat(t.dtype)) return []
    const read = [...tiles.values()].filter((f) => f.plane === t.plane)
    const tile = (elements: ReadonlyArray<number>, text: string): Tile => {
      const marked = new Uint8Array(sizeOf(t))
      for (const e of elements) marked[e] = 1
      return { text, name: t.name, tensor, marked }
    }
    const all = Array.from({ length: sizeOf(t) }, (_, e) => e)
    if (tiles.size > mostTiles || read.length === 0) return [tile(all, t.name)]
    const under = elementsUnder(header, t)
    const parts = read.map((f) => {
      const elements = under(f)
      return tile(elements, boxAround(t, elements))
    })
    const rest = all.filter((e) => parts.every((p) => p.marked[e] === 0))
    return rest.length === 0 ? parts : [...parts, tile(rest, `the rest of ${t.name}`)]
  })

/** How often the elements of a tile occur in each element of the outputs. */
const usesOf = (program: Program, header: Header, tile: Tile, options: CheckOptions): Contents | null =>
  compute(
    program,
    uses,
    inputsOf(header, (tensor, i) => (tensor === tile.tensor ? tile.marked[i]! : 0)),
    options,
    Run.ignore,
  )?.outputs ?? null

const sumOver = (data: Float64Array | undefined, elements: ReadonlyArray<number>): number =>
  elements.reduce((n, e) => n + (data?.[e] ?? 0), 0)

/** What some elements of an output have otherwise. */
const otherUses = (
  tiles: ReadonlyArray<Tile>,
  before: ReadonlyArray<Contents | null>,
  after: ReadonlyArray<Contents | null>,
  name: string,
  elements: ReadonlyArray<number>,
): string => {
  const told: Record<'missing' | 'added' | 'more' | 'less', Array<number>> = {
    missing: [],
    added: [],
    more: [],
    less: [],
  }
  tiles.forEach((_, i) => {
    const [mine, its] = [before[i], after[i]]
    if (mine === null || its === null || mine === undefined || its === undefined) return
    const [x, y] = [sumOver(mine.get(name), elements), sumOver(its.get(name), elements)]
    if (x === y) return
    told[y === 0 ? 'missing' : x === 0 ? 'added' : y > x ? 'more' : 'less'].push(i)
  })
  // all tiles of a tensor are the tensor
  const list = (words: string, of: ReadonlyArray<number>): ReadonlyArray<string> => {
    const whole = (i: number): boolean =>
      tiles.every((tile, k) => tile.tensor !== tiles[i]!.tensor || of.includes(k))
    const names = [...new Set(of.map((i) => (whole(i) ? tiles[i]!.name : tiles[i]!.text)))]
    return names.length === 0
      ? []
      : [
          `${words} ${names.slice(0, 4).join(', ')}${names.length > 4 ? ` and ${String(names.length - 4)} more` : ''}`,
        ]
  }
  const parts = [
    ...list('without', told.missing),
    ...list('with', told.added),
    ...list('more often', told.more),
    ...list('less often', told.less),
  ]
  return parts.length === 0
    ? 'of the same inputs, each as often, in another order or by other operations'
    : parts.join('; ')
}

// ---------------------------------------------------------------- all

/** What the outputs of a program are over the free algebra, in 64 bits; null where that cannot be said. */
export const termsOf = (program: Program, options: CheckOptions): string | null => {
  const header = headerOf(program, options)
  const ran =
    header === null ? null : compute(program, terms, inputsOf(header, inputTerm), options, Run.ignore)
  return ran === null ? null : digestOf([...ran.outputs.values()])
}

/** Is another program the same? */
export type Sameness =
  | { readonly _tag: 'same' }
  | { readonly _tag: 'other'; readonly text: string }
  /** one of them does not come to its end, or the algebra does not have what it does */
  | { readonly _tag: 'unknown' }

const unknown: Sameness = { _tag: 'unknown' }

/** A program against which others are held. */
export const sameAs = (program: Program, options: CheckOptions): ((of: Program) => Sameness) => {
  const header = headerOf(program, options)
  if (header === null) return () => unknown
  const inputs = inputsOf(header, inputTerm)
  const mine = compute(program, terms, inputs, options, traffic)
  if (mine === null) return () => unknown
  const tiles = tilesOf(mine.result)
  let counted: ReadonlyArray<Contents | null> | null = null
  return (of) => {
    const its = compute(of, terms, inputs, options, traffic)
    if (its === null) return unknown
    const differing = header.tensors.flatMap((t) => {
      const [x, y] = [mine.outputs.get(t.name), its.outputs.get(t.name)]
      if (x === undefined || y === undefined) return []
      const elements: Array<number> = []
      x.forEach((term, i) => {
        if (term !== y[i]) elements.push(i)
      })
      return elements.length === 0 ? [] : [{ t, elements }]
    })
    if (differing.length === 0) return { _tag: 'same' }
    counted ??= tiles.map((tile) => usesOf(program, header, tile, options))
    const before = counted
    const after = tiles.map((tile) => usesOf(of, header, tile, options))
    const text = differing.map(({ t, elements }) => {
      const some = new Set(elements)
      const under = elementsUnder(header, t)
      const writers = new Set(
        its.result.writes.flatMap(({ footprint, site }) =>
          footprint.plane === t.plane && under(footprint).some((e) => some.has(e)) ? [site] : [],
        ),
      )
      const by = [...writers].map((site) => {
        const s = its.result.header.sites[site]
        return s === undefined ? 'somewhere' : [...s.path, s.label].join(' / ')
      })
      const written = by.length === 0 ? 'which nothing writes' : `written by ${by.join(' and ')}`
      return `${boxAround(t, elements)}, ${written}, is another term than in ${program.name}: ${otherUses(tiles, before, after, t.name, elements)}`
    })
    return { _tag: 'other', text: text.join('. ') }
  }
}
