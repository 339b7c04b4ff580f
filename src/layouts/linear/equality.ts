/**
 * When two linear layouts are the same.
 *
 * `sameLinear` compares everything: names, order, bases and sizes. So it is finer than equality of functions, as it should
 * be: the order decides how dimensions are flattened, the size whether a layout covers its outputs.
 *
 *     identity1D(4, 'lane', 'dim0')  and  the same bases [1], [2] with dim0 of size 8:  equal but for the sizes
 *
 * Names: Triton's `==` and `equalIgnoringOutDimSizes`.
 *
 * Laws
 * 1. Both are equivalences, and `sameLinear` implies `equalIgnoringOutDimSizes`.
 * 2. Layouts that are equal but for the sizes have the same value everywhere.
 */
import { sameShape } from '../../transforms/shape.js'
import type { Dimension, LinearSpec } from './linear-layout.js'

const all = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>, same: (x: A, y: A) => boolean): boolean =>
  a.length === b.length && a.every((x, k) => same(x, b[k]!))

/** The same inputs, bases and outputs in the same order; the sizes of the outputs may differ. */
export const equalIgnoringOutDimSizes = (a: LinearSpec, b: LinearSpec): boolean =>
  all(a.inputs, b.inputs, (x, y) => x.name === y.name && all(x.bases, y.bases, sameShape)) &&
  all(a.outputs, b.outputs, (x, y) => x.name === y.name)

/** The same names in some order. */
export const sameNames = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && b.every((name) => a.includes(name))

/** The same names and sizes in the same order. */
export const sameDimensions = (a: ReadonlyArray<Dimension>, b: ReadonlyArray<Dimension>): boolean =>
  all(a, b, (x, y) => x.name === y.name && x.size === y.size)

/** The same layout. */
export const sameLinear = (a: LinearSpec, b: LinearSpec): boolean =>
  equalIgnoringOutDimSizes(a, b) && sameDimensions(a.outputs, b.outputs)
