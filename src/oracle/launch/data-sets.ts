/**
 * Data that were not given: several sets of them, for a kernel that lets data decide where it goes or which bytes it touches.
 *
 * One set of random numbers shows one path. A scatter whose indices are all different has no race, and with two equal ones it has; a table is left by random
 * indices of 32 bits, and not by small ones. So each set is one that a kernel may meet, and the finding says which set shows it.
 *
 * | set        | element i                                       | shows                                          |
 * |------------|-------------------------------------------------|------------------------------------------------|
 * | `random`   | as `launch/ptx-tensors.ts` draws it             | what usual data show                           |
 * | `zeros`    | 0                                               | all go to one place; loops that do not run     |
 * | `ones`     | 1                                               | all go to one other place                      |
 * | `equal`    | 3                                               | equal keys that are no boundary                |
 * | `distinct` | i                                               | each its own place; offsets of rows            |
 * | `small`    | random below the number of elements             | indices that lie in a table and meet           |
 *
 * Laws
 * 1. A set is a function of its name, the element type, the number of elements and the number of the tensor.
 * 2. `equal` sets (`zeros`, `ones`, `equal`) have one value in all elements.
 */
import { randomIntegers } from '../../kernels/reference-inputs.js'
import { isFloat } from '../../numerics/dtype.js'
import { encoder } from '../../numerics/float-format.js'
import { dtypeOf } from './ptx-maps.js'
import { elementBytes } from './ptx-parameters.js'

export type DataSet = 'random' | 'zeros' | 'ones' | 'equal' | 'distinct' | 'small'

export const dataSets: ReadonlyArray<DataSet> = ['random', 'small', 'zeros', 'ones', 'equal', 'distinct']

/** Those that are tried after the random ones, in this order. */
export const furtherSets: ReadonlyArray<Exclude<DataSet, 'random'>> = [
  'small',
  'zeros',
  'ones',
  'equal',
  'distinct',
]

/** A set in words: `x, y are zeros`. */
export const dataSetText: Readonly<Record<DataSet, string>> = {
  random: 'random',
  zeros: 'all zeros',
  ones: 'all ones',
  equal: 'all equal (3)',
  distinct: 'distinct (0, 1, 2, ...)',
  small: 'random below the number of elements',
}

/** Element i of a set, before it is written in its type. */
export const valueOf = (
  set: Exclude<DataSet, 'random'>,
  count: number,
  number: number,
): ((i: number) => number) => {
  switch (set) {
    case 'zeros':
      return () => 0
    case 'ones':
      return () => 1
    case 'equal':
      return () => 3
    case 'distinct':
      return (i) => i
    case 'small': {
      const drawn = randomIntegers('u32', 1, number, count)
      return (i) => drawn[i]! % count
    }
  }
}

/** The bytes of `count` elements of a type; bits of one, two, four or eight bytes are integers. */
export const dataOf = (
  set: Exclude<DataSet, 'random'>,
  dtype: string,
  count: number,
  number: number,
): Uint8Array => {
  const each = elementBytes(dtype)
  const out = new Uint8Array(each * count)
  const view = new DataView(out.buffer)
  const value = valueOf(set, count, number)
  const known = dtypeOf(dtype)
  const pattern =
    dtype === 'f64' || known === null || !isFloat(known) ? (x: number): number => x : encoder(known)
  for (let i = 0; i < count; i++) {
    const x = pattern(value(i))
    if (dtype === 'f64') view.setFloat64(8 * i, x, true)
    else if (each === 8) view.setBigInt64(8 * i, BigInt(x), true)
    else if (each === 4) view.setInt32(4 * i, x | 0, true)
    else if (each === 2) view.setInt16(2 * i, x, true)
    else view.setInt8(each * i, x)
  }
  return out
}
