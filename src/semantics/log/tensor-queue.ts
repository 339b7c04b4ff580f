/**
 * The table of the tensor queue: which entry holds back a later one of the same agent, by the ISA's list.
 *
 * | first \ then | mma                                 | cp  | cp.4x256b | shift | commit |
 * |--------------|-------------------------------------|-----|-----------|-------|--------|
 * | mma          | with one accumulator, shape and kind | no  | no        | yes   | yes    |
 * | cp (both)    | yes                                 | no  | no        | no    | yes    |
 * | shift        | yes                                 | no  | yes       | no    | yes    |
 * | commit       | no                                  | no  | no        | no    | yes    |
 *
 * What is taken for granted beyond it (products in the order of their issue) is said where it is taken.
 *
 * Source: PTX ISA, memory consistency of tcgen05 (pipelined pairs), tcgen05.commit.
 */
import type { TensorEntry } from './events.js'

/** `alike`: both are products with one accumulator, shape and kind. */
export const holdsBack = (first: TensorEntry, then: TensorEntry, alike: boolean): boolean => {
  if (then === 'commit') return true
  switch (first) {
    case 'mma':
      return then === 'mma' ? alike : then === 'shift'
    case 'cp':
    case 'cp.4x256b':
      return then === 'mma'
    case 'shift':
      return then === 'mma' || then === 'cp.4x256b'
    case 'commit':
      return false
  }
}
