/**
 * Pallas kernels as JAX traced them: from a document `tcspec.jaxpr/1` to a program, by calls of `dialects/pallas`.
 */
export {
  decodeDocument,
  documentWire,
  isDocument,
  jaxprSchema,
  parseDocument,
  type Document,
  type Eqn,
  type Jaxpr,
  type Transform,
  type Type,
  type Value,
} from './document.js'
export { archOf, elaborate, type Elaborate } from './elaborate.js'
export { labelledIn, meantBy, ownerOf, type Labelled } from './labels.js'
export { linesOf, placeOf } from './places.js'
