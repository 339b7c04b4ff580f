export { mutantsOf, synchronisation, type Mutant, type Operator } from './mutants.js'
export { judgeMutant, type Fate, type Judged } from './kill.js'
