/**
 * Changes of operands: other slots, other slices, other barriers.
 *
 * A ring is a storage with a leading dimension, and `slot(ring, i)` picks from it. Two wrong slots are tried: the next one, and slot 0
 * always (a ring that has collapsed). A slice is moved by its own size along each axis.
 *
 *     slot(@full, s) of 4      slot(@full, mod(add(s, 1), 4))   slot(@full, 0)
 *     slice(x, [i, 0], [8, 64])   starts [add(i, 8), 0]   starts [i, add(0, 64)]
 */
import type { ExprNode } from '../language/expression.js'
import type { Program, Storage } from '../language/program.js'

// ---------------------------------------------------------------- expressions

const number = (value: number): ExprNode => ({ _tag: 'const', dtype: 'i32', value })
export const plus = (x: ExprNode, by: number): ExprNode => ({ _tag: 'binary', op: 'add', x, y: number(by) })
const wrapped = (x: ExprNode, size: number): ExprNode => ({ _tag: 'binary', op: 'mod', x, y: number(size) })
export const isZero = (e: ExprNode): boolean => e._tag === 'const' && Number(e.value) === 0

/** Slots of a storage: its leading extent; 0 where it has none. */
export const slotsOf = (s: Storage): number =>
  (s.contents._tag === 'barriers' ? s.contents.shape[0] : s.contents.layout.shape[0]) ?? 0

const sizeOfRing = (program: Program, of: ExprNode): number => {
  const ring = of._tag === 'remote' ? of.of : of
  const found = ring._tag === 'storage' ? program.storage.find((s) => s.id === ring.storage) : undefined
  return found === undefined ? 0 : slotsOf(found)
}

/** Another operand in place of one, and what that is called; `zero`: it is slot 0, whatever the step. */
export interface Other {
  readonly text: string
  readonly expr: ExprNode
  readonly zero: boolean
}

const other = (text: string, expr: ExprNode, zero: boolean = false): Other => ({ text, expr, zero })

/** The same expression with its first node that `f` changes changed; one result for each change of `f`. */
const inside = (e: ExprNode, f: (e: ExprNode) => ReadonlyArray<Other>): ReadonlyArray<Other> => {
  const here = f(e)
  if (here.length > 0) return here
  switch (e._tag) {
    case 'slot':
    case 'slice':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return inside(e.of, f).map(({ text, expr, zero }) =>
        other(text, Object.assign({}, e, { of: expr }), zero),
      )
    default:
      return []
  }
}

/** Other slots of the same ring. */
export const otherSlots = (program: Program, e: ExprNode): ReadonlyArray<Other> =>
  inside(e, (x) => {
    if (x._tag !== 'slot') return []
    const size = sizeOfRing(program, x.of)
    if (size < 2) return []
    const at = (index: ExprNode): ExprNode => ({ _tag: 'slot', of: x.of, index })
    const next = other('the next slot', at(wrapped(plus(x.index, 1), size)))
    return isZero(x.index) ? [next] : [next, other('always slot 0', at(number(0)), true)]
  })

/** The slice moved by its own size, along each axis. */
export const otherSlices = (e: ExprNode): ReadonlyArray<Other> =>
  inside(e, (x) =>
    x._tag !== 'slice'
      ? []
      : x.starts.map((start, axis) =>
          other(`the next slice along axis ${String(axis)}`, {
            _tag: 'slice',
            of: x.of,
            starts: x.starts.map((s, k) => (k === axis ? plus(start, x.sizes[axis]!) : s)),
            sizes: x.sizes,
          }),
        ),
  )

// ---------------------------------------------------------------- storages

/** Storages that an expression names. */
export const storagesIn = (e: ExprNode): ReadonlyArray<string> => {
  switch (e._tag) {
    case 'storage':
      return [e.storage]
    case 'slot':
    case 'slice':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return storagesIn(e.of)
    default:
      return []
  }
}

export type Barriers = Storage & {
  readonly contents: Extract<Storage['contents'], { readonly _tag: 'barriers' }>
}
export const isBarriers = (s: Storage): s is Barriers => s.contents._tag === 'barriers'

/** The same place in another array of barriers, modulo its size; a barrier of another CTA stays there. */
const inArray = (e: ExprNode, own: Barriers, other: Barriers): ExprNode | null => {
  if (e._tag === 'remote') {
    const of = inArray(e.of, own, other)
    return of === null ? null : { _tag: 'remote', of, rank: e.rank }
  }
  if (e._tag === 'storage')
    return other.contents.shape.length === 0 ? { _tag: 'storage', storage: other.id } : null
  if (e._tag !== 'slot' || other.contents.shape.length !== 1) return null
  const [size, theirs] = [slotsOf(own), slotsOf(other)]
  return {
    _tag: 'slot',
    of: { _tag: 'storage', storage: other.id },
    index: theirs < size ? wrapped(e.index, theirs) : e.index,
  }
}

/**
 * Other barriers for this operand: the next slot, slot 0 always, the same slot of every other array of the same rules, and its own CTA's for
 * another CTA's. `ordering`: only arrays that order the tensor core will do.
 */
export const otherBarriers = (program: Program, e: ExprNode, ordering: boolean): ReadonlyArray<Other> => {
  const arrays = program.storage.filter(isBarriers)
  const own = arrays.find((s) => s.id === storagesIn(e)[0])
  if (own === undefined) return []
  const others = arrays.flatMap((array): ReadonlyArray<Other> => {
    if (array.id === own.id || array.contents.contract !== own.contents.contract) return []
    if (ordering && !array.contents.ordersTensorCore) return []
    const moved = inArray(e, own, array)
    return moved === null ? [] : [other(`${array.id} in place of ${own.id}`, moved)]
  })
  const near = e._tag === 'remote' ? [other('its own CTA in place of the other', e.of)] : []
  return [...otherSlots(program, e), ...others, ...near]
}

/** Two barriers that cannot be one: of different arrays, or different constant slots of one. What a name stands for is not known. */
export const otherThan = (x: ExprNode, y: ExprNode): boolean => {
  const [its, theirs] = [storagesIn(x)[0], storagesIn(y)[0]]
  if (its === undefined || theirs === undefined) return false
  if (its !== theirs) return true
  return (
    x._tag === 'slot' &&
    y._tag === 'slot' &&
    x.index._tag === 'const' &&
    y.index._tag === 'const' &&
    x.index.value !== y.index.value
  )
}
