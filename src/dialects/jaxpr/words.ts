/**
 * Numbers of 2 bits as words: sparse metadata.
 *
 * This library has no element of 2 bits; 16 of them are a `u32`, the first lowest, which is how they lie in memory. So a document that has some is read as
 * one that has words, the last dimension a sixteenth as long:
 *
 *     u2 (1, 2, 128, 64), view [0, 0, 0:128, 32:64]      u32 (1, 2, 128, 4), view [0, 0, 0:128, 2:4]
 *
 * Only refs have them: nothing computes with such numbers. In tensor memory they lie as sparse metadata, which is how words do; another layout is of numbers
 * that are alone in their columns.
 *
 * Laws
 * 1. A document without such numbers is itself.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Code } from './codes.js'
import type { Document, Eqn, Indexer, Jaxpr, Transform, Type, Use, Var } from './document.js'
import { placeOf } from './places.js'

const inWord = 16
const metadataLayout = 'SPARSE_METADATA_LAYOUT'
const isTwoBits = (dtype: string): boolean => dtype === 'u2' || dtype === 'i2'
const hasThem = (type: Type): boolean => 'dtype' in type && isTwoBits(type.dtype)

type Words<A> = E.Either<Failure<Code>, A>
const no = (where: string, expected: string, found: string): Words<never> =>
  refuse('jaxpr.dtype', `${where}expected ${expected}, found ${found}`)

const shapeOf = (where: string, shape: ReadonlyArray<number>): Words<ReadonlyArray<number>> => {
  const last = shape[shape.length - 1] ?? 0
  return last > 0 && last % inWord === 0
    ? E.right([...shape.slice(0, -1), last / inWord])
    : no(
        where,
        `a multiple of ${String(inWord)} numbers of 2 bits along the last dimension`,
        `(${shape.map(String).join(', ')})`,
      )
}

const variable = (v: Var): Words<Var> => {
  if (!hasThem(v.type)) return E.right(v)
  if (!('ref' in v.type) || 'union' in v.type)
    return no('', 'numbers of 2 bits in a ref', `variable ${String(v.v)}`)
  const type = v.type
  const layout = type.layout ?? null
  if (type.ref === 'tmem' && (layout === null || !('name' in layout) || layout.name !== metadataLayout))
    return no(
      '',
      `numbers of 2 bits in tensor memory with the layout ${metadataLayout}`,
      JSON.stringify(layout),
    )
  const shape = shapeOf('', type.shape)
  return E.isLeft(shape) ? shape : E.right({ ...v, type: { ...type, dtype: 'u32', shape: shape.right } })
}

/** The entry of the last dimension: whole words. */
const indexer = (where: string, i: Indexer): Words<Indexer> => {
  const whole = (n: number): boolean => n % inWord === 0
  return 'from' in i &&
    'k' in i.from &&
    typeof i.from.k === 'number' &&
    (i.stride ?? 1) === 1 &&
    whole(i.from.k) &&
    whole(i.size)
    ? E.right({ from: { ...i.from, k: i.from.k / inWord }, size: i.size / inWord, stride: 1 })
    : no(where, `whole words of ${String(inWord)} numbers of 2 bits`, JSON.stringify(i))
}

const transform = (where: string, t: Transform): Words<Transform> => {
  if (t.index !== undefined) {
    const last = indexer(where, t.index[t.index.length - 1]!)
    return E.isLeft(last) ? last : E.right({ index: [...t.index.slice(0, -1), last.right] })
  }
  if (t.reshape !== undefined) {
    const shape = shapeOf(where, t.reshape)
    return E.isLeft(shape) ? shape : E.right({ reshape: shape.right })
  }
  return no(where, 'an index or a reshape of numbers of 2 bits', JSON.stringify(t))
}

const use =
  (where: string, refs: ReadonlySet<number>) =>
  (u: Use): Words<Use> =>
    'v' in u.ref && refs.has(u.ref.v) && u.view !== undefined
      ? E.map((view: ReadonlyArray<Transform>): Use => ({ ...u, view }))(
          E.traverseArray((t: Transform) => transform(where, t))(u.view),
        )
      : E.right(u)

const isList = (u: Use | ReadonlyArray<Use>): u is ReadonlyArray<Use> => Array.isArray(u)

const equation = (d: Document, refs: ReadonlySet<number>, eqn: Eqn): Words<Eqn> => {
  const place = placeOf(d, eqn)
  const where = `${place === null ? '' : `${place}: `}${eqn.op}: `
  const uses: (readonly [string, Use | ReadonlyArray<Use>])[] = []
  for (const [name, u] of Object.entries(eqn.uses ?? {})) {
    const found: Words<Use | ReadonlyArray<Use>> = isList(u)
      ? E.traverseArray(use(where, refs))(u)
      : use(where, refs)(u)
    if (E.isLeft(found)) return found
    uses.push([name, found.right])
  }
  const out = E.traverseArray((v: Var | null): Words<Var | null> => (v === null ? E.right(v) : variable(v)))(
    eqn.out ?? [],
  )
  if (E.isLeft(out)) return out
  return E.right({
    ...eqn,
    ...(eqn.uses === undefined ? {} : { uses: Object.fromEntries(uses) }),
    ...(eqn.out === undefined ? {} : { out: out.right }),
  })
}

/** The document in words. */
export const inWords = (d: Document): Words<Document> => {
  const all = d.jaxprs.flatMap((j) => [...(j.in ?? []), ...(j.eqns ?? []).flatMap(({ out = [] }) => out)])
  const refs = new Set(all.flatMap((v) => (v !== null && hasThem(v.type) ? [v.v] : [])))
  if (refs.size === 0 && !d.kernel.operands.some(({ dtype }) => isTwoBits(dtype))) return E.right(d)
  const operands = E.traverseArray(
    (o: Document['kernel']['operands'][number]): Words<Document['kernel']['operands'][number]> =>
      isTwoBits(o.dtype)
        ? E.map((shape: ReadonlyArray<number>) => ({ ...o, dtype: 'u32', shape }))(
            shapeOf(`${o.name}: `, o.shape),
          )
        : E.right(o),
  )(d.kernel.operands)
  if (E.isLeft(operands)) return operands
  const jaxprs: Jaxpr[] = []
  for (const j of d.jaxprs) {
    const given = E.traverseArray(variable)(j.in ?? [])
    if (E.isLeft(given)) return given
    const eqns = E.traverseArray((eqn: Eqn) => equation(d, refs, eqn))(j.eqns ?? [])
    if (E.isLeft(eqns)) return eqns
    jaxprs.push({ ...j, in: given.right, eqns: eqns.right })
  }
  return E.right({ ...d, kernel: { ...d.kernel, operands: operands.right }, jaxprs })
}
