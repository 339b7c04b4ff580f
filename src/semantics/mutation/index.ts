export { mutantsOf } from './mutants.js'
export { classes, operators } from './model.js'
export { classOf, dataMovement, synchronisation } from './roles.js'
export type { Described, Manner, Mutant, Named, MutantClass, Operator } from './model.js'
export { rules } from './certificate.js'
export { cutDown, type CutDown } from './cut-down.js'
export {
  allSchedules,
  judging,
  neverObserved,
  refused,
  withoutPrograms,
  type Fate,
  type Judge,
  type Judged,
  type JudgedMutant,
} from './kill.js'
export { describe, type Elsewhere } from './describe.js'
export { inlined } from './inline.js'
export { expectedOf } from './labels.js'
export { refusalNames, type Naming } from './naming.js'
export { byOperator, isWhole, ofClass, percent, tally, type OperatorTally, type Tally } from './table.js'
