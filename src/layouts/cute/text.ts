/**
 * Text: layouts as CuTe prints them.
 *
 *     tuple      4   (4,(2,3))   ()
 *     stride     1   3@1   1@1@0           a scaled basis has its innermost step first
 *     layout     (4,(2,3)):(1,(4,8))
 *     swizzle    S<3,4,3>
 *     composed   S<3,4,3> o 0 o (5,4):(4,1)
 *     tile       [3:1;_;[2:1;4:1]]
 *     slicer     (_,0)
 *
 * Laws
 * 1. `parseX(showX(x)) = x` for every tuple, layout, composed layout, swizzle and tile.
 * 2. `showX(parseX(t)) = t` for every t without blanks around commas.
 * 3. A text that is none of these is refused, with the place where reading stopped; so is one of more levels than `mostLevels`.
 *
 * Source: the printed forms of CuTe.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { ComposedLayout } from './composed.js'
import { composed } from './composed.js'
import type { IntTuple } from './int-tuple.js'
import type { Layout, LayoutError, Slicer } from './layout.js'
import { layout } from './layout.js'
import type { Stride } from './scaled-basis.js'
import { basis } from './scaled-basis.js'
import type { Swizzle, SwizzleError } from './swizzle.js'
import { swizzle } from './swizzle.js'
import type { Tiler } from './tiler.js'
import { full, tile } from './tiler.js'
import type { Tree } from './tree.js'
import { isTuple } from './tree.js'

export type TextError = 'cute.text' | LayoutError | SwizzleError

// --------------------------------------------------------------------------------------------- showing

const showTree =
  <A>(leaf: (a: A) => string) =>
  (tree: Tree<A>): string =>
    isTuple(tree) ? `(${tree.map(showTree(leaf)).join(',')})` : leaf(tree)

export const showTuple: (tuple: IntTuple) => string = showTree((n: number) => String(n))

export const showStride = (stride: Stride): string =>
  typeof stride === 'number'
    ? String(stride)
    : [stride.value, ...[...stride.path].reverse()].map(String).join('@')

/**
 * @example
 * ```ts
 * import { cute } from 'tensorcore-spec/layouts'
 *
 * console.log(cute.text.showLayout({ shape: [4, [2, 2]], stride: [1, [4, 8]] })) // (4,(2,2)):(1,(4,8))
 * ```
 */
export const showLayout = (l: Layout): string => `${showTuple(l.shape)}:${showTree(showStride)(l.stride)}`

export const showSwizzle = ({ bits, base, shift }: Swizzle): string =>
  `S<${String(bits)},${String(base)},${String(shift)}>`

export const showComposed = ({ outer, offset, inner }: ComposedLayout): string =>
  `${outer._tag === 'swizzle' ? showSwizzle(outer) : showLayout(outer)} o ${showTuple(offset)} o ${showLayout(inner)}`

export const showTiler = (tiler: Tiler): string => {
  switch (tiler._tag) {
    case 'layout':
      return showLayout(tiler)
    case 'full':
      return '_'
    case 'tile':
      return `[${tiler.modes.map(showTiler).join(';')}]`
  }
}

export const showSlicer: (slicer: Slicer) => string = showTree((entry: number | '_') => String(entry))

// --------------------------------------------------------------------------------------------- reading

/** A value and where reading goes on; null when there is none at this place. */
type Read<A> = { readonly value: A; readonly next: number } | null
type Reader<A> = (text: string, at: number) => Read<A>

const matching =
  <A>(pattern: RegExp, make: (groups: ReadonlyArray<string>) => A): Reader<A> =>
  (text, at) => {
    const sticky = new RegExp(pattern, 'y')
    sticky.lastIndex = at
    const found = sticky.exec(text)
    return found === null ? null : { value: make([...found]), next: sticky.lastIndex }
  }

/** open item separator item ... close, blanks allowed around everything. */
const listOf =
  <A>(open: string, separator: string, close: string, item: Reader<A>): Reader<ReadonlyArray<A>> =>
  (text, at) => {
    if (text[at] !== open) return null
    const blanks = (from: number): number => {
      let here = from
      while (text[here] === ' ') here++
      return here
    }
    const out: A[] = []
    let here = blanks(at + 1)
    if (text[here] === close) return { value: out, next: here + 1 }
    for (;;) {
      const read = item(text, here)
      if (read === null) return null
      out.push(read.value)
      here = blanks(read.next)
      if (text[here] === close) return { value: out, next: here + 1 }
      if (text[here] !== separator) return null
      here = blanks(here + 1)
    }
  }

const treeOf =
  <A>(leaf: Reader<A>): Reader<Tree<A>> =>
  (text, at) =>
    listOf('(', ',', ')', treeOf(leaf))(text, at) ?? leaf(text, at)

const tupleReader: Reader<IntTuple> = treeOf(matching(/-?\d+/, ([n]) => Number(n)))

const strideReader: Reader<Tree<Stride>> = treeOf(
  matching(/-?\d+(?:@\d+)*/, ([text]) => {
    const [value, ...steps] = text!.split('@').map(Number)
    return steps.length === 0 ? value! : basis(value!, steps.reverse())
  }),
)

const slicerReader: Reader<Slicer> = treeOf(
  matching(/_|-?\d+/, ([text]): number | '_' => (text === '_' ? '_' : Number(text))),
)

type Checked<A> = E.Either<Failure<TextError>, A>

const layoutReader: Reader<Checked<Layout>> = (text, at) => {
  const shape = tupleReader(text, at)
  if (shape?.next === undefined || text[shape.next] !== ':') return null
  const stride = strideReader(text, shape.next + 1)
  return stride === null ? null : { value: layout(shape.value, stride.value), next: stride.next }
}

const swizzleReader: Reader<Checked<Swizzle>> = matching(/S<(\d+),(\d+),(-?\d+)>/, ([, bits, base, shift]) =>
  swizzle(Number(bits), Number(base), Number(shift)),
)

const tilerReader: Reader<Checked<Tiler>> = (text, at) => {
  const list = listOf('[', ';', ']', tilerReader)(text, at)
  if (list !== null) {
    const parts: Tiler[] = []
    for (const part of list.value) {
      if (E.isLeft(part)) return { value: part, next: list.next }
      parts.push(part.right)
    }
    return { value: E.right(tile(parts)), next: list.next }
  }
  return text[at] === '_' ? { value: E.right(full), next: at + 1 } : layoutReader(text, at)
}

const composedReader: Reader<Checked<ComposedLayout>> = (text, at) => {
  const outer: Read<Checked<Swizzle | Layout>> = swizzleReader(text, at) ?? layoutReader(text, at)
  if (outer === null || !text.startsWith(' o ', outer.next)) return null
  const offset = tupleReader(text, outer.next + 3)
  if (offset === null || !text.startsWith(' o ', offset.next)) return null
  const inner = layoutReader(text, offset.next + 3)
  if (inner === null) return null
  const value = E.isLeft(outer.value)
    ? outer.value
    : E.isLeft(inner.value)
      ? inner.value
      : E.right(composed(outer.value.right, inner.value.right, offset.value))
  return { value, next: inner.next }
}

/** Tuples in tuples: what walks through one, by recursion, has stack for so many. */
const mostLevels = 256

/** How deep parentheses and brackets stand in each other. */
const levelsOf = (text: string): number => {
  let [here, most] = [0, 0]
  for (const c of text)
    if (c === '(' || c === '[') most = Math.max(most, ++here)
    else if (c === ')' || c === ']') here--
  return most
}

const whole =
  <A>(what: string, example: string, reader: Reader<Checked<A>>) =>
  (text: string): Checked<A> => {
    const levels = levelsOf(text)
    if (levels > mostLevels)
      return refuse(
        'cute.text',
        `Expected ${what} of at most ${String(mostLevels)} levels, such as ${example}; found ${String(levels)} levels`,
      )
    const read = reader(text, 0)
    if (read === null) return refuse('cute.text', `Expected ${what}, such as ${example}; found "${text}"`)
    return read.next === text.length
      ? read.value
      : refuse(
          'cute.text',
          `Expected ${what}, such as ${example}, to end at character ${String(read.next)}; found "${text}"`,
        )
  }

const certain =
  <A>(reader: Reader<A>): Reader<Checked<A>> =>
  (text, at) => {
    const read = reader(text, at)
    return read === null ? null : { value: E.right(read.value), next: read.next }
  }

export const parseTuple: (text: string) => Checked<IntTuple> = whole(
  'a tuple of integers',
  '(4,(2,3))',
  certain(tupleReader),
)

export const parseSlicer: (text: string) => Checked<Slicer> = whole(
  'a coordinate with holes',
  '(_,0)',
  certain(slicerReader),
)

/**
 * @example
 * ```ts
 * import { cute } from 'tensorcore-spec/layouts'
 *
 * const layout = cute.text.parseLayout('((2,2),4):((1,4),2)')
 * console.log(layout._tag === 'Right' ? cute.text.showLayout(layout.right) : layout.left.message) // ((2,2),4):((1,4),2)
 * ```
 */
export const parseLayout: (text: string) => Checked<Layout> = whole('a layout', '(4,2):(1,4)', layoutReader)

export const parseSwizzle: (text: string) => Checked<Swizzle> = whole('a swizzle', 'S<3,4,3>', swizzleReader)

export const parseComposed: (text: string) => Checked<ComposedLayout> = whole(
  'a composed layout',
  'S<3,4,3> o 0 o (5,4):(4,1)',
  composedReader,
)

export const parseTiler: (text: string) => Checked<Tiler> = whole('a tile', '[4:1;_]', tilerReader)
