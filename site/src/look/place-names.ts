/** The places in the order of the header, with the words they are called by. */
import type { Place } from '../address.js'

export const placeNames: ReadonlyArray<readonly [Exclude<Place, 'front'>, string]> = [
  ['layouts', 'Layouts'],
  ['kernels', 'Kernels'],
  ['check', 'Check'],
  ['memory', 'Memory model'],
]
