/**
 * Expressions of a core program as work (`machine/pace.ts`): each operation with the number of elements that it makes.
 *
 *     let p = exp2(s * scale)      `mul` of 8192, then `exp2` of 8192; both read the slot of s, and write that of p
 *
 * What only names elements that are there (a slice, a broadcast, a transposition, a constant) is no work. A reduction is work on what it reduces.
 */
import { children, type ExprNode } from '../language/expression.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import type { Work } from '../machine/pace.js'
import type { Value } from '../machine/value.js'

type Frame = ReadonlyArray<Value | undefined>
type Shape = ReadonlyArray<number>

const scalar: Shape = []
const product = (shape: Shape): number => shape.reduce((n, x) => n * x, 1)
const larger = (a: Shape, b: Shape): Shape => (product(b) > product(a) ? b : a)

/** The shape of what an expression comes to; of what is no tile, none. */
const shapeIn = (frame: Frame, e: ExprNode): Shape => {
  switch (e._tag) {
    case 'local': {
      const v = frame[e.slot]
      return typeof v === 'object' && v._tag === 'tile' ? v.shape : scalar
    }
    case 'iota':
    case 'splat':
    case 'broadcast':
    case 'reshape':
      return e.shape
    case 'expandDims': {
      const of = shapeIn(frame, e.x)
      return [...of.slice(0, e.axis), 1, ...of.slice(e.axis)]
    }
    case 'transpose': {
      const of = shapeIn(frame, e.x)
      return e.perm.map((k) => of[k]!)
    }
    case 'reduce':
      return shapeIn(frame, e.x).filter((_, axis) => axis !== e.axis)
    case 'gather':
      return shapeIn(frame, e.index)
    case 'dot':
      return shapeIn(frame, e.z)
    case 'unary':
    case 'convert':
    case 'unpack':
    case 'convertLayout':
      return shapeIn(frame, e.x)
    case 'binary':
    case 'compare':
      return larger(shapeIn(frame, e.x), shapeIn(frame, e.y))
    case 'fma':
      return larger(shapeIn(frame, e.x), larger(shapeIn(frame, e.y), shapeIn(frame, e.z)))
    case 'select':
      return larger(shapeIn(frame, e.cond), larger(shapeIn(frame, e.x), shapeIn(frame, e.y)))
    case 'pack':
      return e.parts.reduce((shape, part) => larger(shape, shapeIn(frame, part)), scalar)
    case 'addptr':
      return larger(shapeIn(frame, e.ptr), shapeIn(frame, e.offset))
    case 'castPtr':
      return shapeIn(frame, e.ptr)
    case 'const':
    case 'name':
    case 'place':
    case 'dim':
    case 'vote':
    case 'item':
    case 'paramPtr':
    case 'storage':
    case 'tensor':
    case 'descriptor':
    case 'slot':
    case 'slice':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return scalar
  }
}

/** What the pointers of a tile point to; null: it is made of no tile that has been computed before. */
const pointeeIn = (frame: Frame, e: ExprNode): Dtype | null => {
  if (e._tag === 'local') {
    const v = frame[e.slot]
    return typeof v === 'object' && v._tag === 'tile' && v.element === 'ptr' ? v.pointee : null
  }
  return children(e).reduce<Dtype | null>((found, c) => found ?? pointeeIn(frame, c), null)
}

/** Bytes that a lane moves at once: of so many that lie side by side it computes one pointer, and the instruction has the rest. */
const sideBySide = 16

/** A tile of several rows and columns has pointers side by side. */
const pointersIn = (frame: Frame, e: Extract<ExprNode, { readonly _tag: 'addptr' }>): number => {
  const shape = shapeIn(frame, e)
  const to = pointeeIn(frame, e.ptr)
  const isWide = shape.length > 1 && shape.every((extent) => extent > 1)
  return to === null || !isWide
    ? product(shape)
    : (product(shape) * Math.max(8, bitsOf(to))) / (8 * sideBySide)
}

/** What a node is called as work, and on how many elements; null: it only names what is there. */
const workOf = (frame: Frame, e: ExprNode): readonly [name: string, elements: number] | null => {
  switch (e._tag) {
    case 'unary':
    case 'binary':
      return [e.op, product(shapeIn(frame, e))]
    case 'convert':
      return e.op === 'bitcast' ? null : [`convert.${e.to}`, product(shapeIn(frame, e))]
    case 'reduce':
      return ['reduce', product(shapeIn(frame, e.x))]
    case 'dot': {
      const [m = 1, n = 1] = shapeIn(frame, e.z)
      return ['dot', m * n * (shapeIn(frame, e.x).at(-1) ?? 1)]
    }
    case 'fma':
    case 'compare':
    case 'select':
    case 'pack':
    case 'unpack':
    case 'gather':
    case 'convertLayout':
    case 'vote':
    case 'item':
      return [e._tag, product(shapeIn(frame, e))]
    case 'addptr':
      return [e._tag, pointersIn(frame, e)]
    case 'const':
    case 'name':
    case 'local':
    case 'place':
    case 'dim':
    case 'iota':
    case 'splat':
    case 'broadcast':
    case 'expandDims':
    case 'reshape':
    case 'transpose':
    case 'paramPtr':
    case 'castPtr':
    case 'storage':
    case 'tensor':
    case 'descriptor':
    case 'slot':
    case 'slice':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return null
  }
}

const slotsOf = (e: ExprNode, into: Set<number>): Set<number> => {
  if (e._tag === 'local') into.add(e.slot)
  for (const c of children(e)) slotsOf(c, into)
  return into
}

/** The work of an expression whose value comes to these slots, operands first. */
export const worksIn = (
  frame: Frame,
  site: number,
  e: ExprNode,
  writes: ReadonlyArray<number>,
): ReadonlyArray<Work> => {
  const reads = [...slotsOf(e, new Set())]
  const out: Work[] = []
  const visit = (node: ExprNode): void => {
    for (const c of children(node)) visit(c)
    const work = workOf(frame, node)
    if (work !== null) out.push({ name: work[0], elements: work[1], reads, writes, site })
  }
  visit(e)
  return out
}

/** A statement that has an effect, after its operands: what it reads, and the slots of its results. */
export const effectIn = (
  name: string,
  site: number,
  operands: ReadonlyArray<ExprNode>,
  writes: ReadonlyArray<number>,
): Work => ({
  name,
  elements: 1,
  reads: [...operands.reduce((slots, e) => slotsOf(e, slots), new Set<number>())],
  writes,
  site,
})
