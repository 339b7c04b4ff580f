/** Notes of kernels for Hopper, which read slots and refill them by TMA without a proxy fence between the two: P3 is noted there, and is not what these kernels are about. */
import type { Finding } from '../src/semantics/judging/finding.js'

export const otherNotes = <F extends Finding>(notes: ReadonlyArray<F>): ReadonlyArray<F> =>
  notes.filter(({ id, severity }) => id !== 'P3' || severity !== 'L')
