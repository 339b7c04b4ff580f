export type { GivenTensor, Launch, Padding, Role } from './elaboration/arguments.js'
export {
  launchOf,
  onlyInPtx,
  signatureOf,
  copyingOfDescriptor,
  type Argument,
  type Asked,
  type Given,
  type LaunchFailure,
  type Signature,
  type TensorArgument,
} from './elaboration/launch.js'
export { encodingOfText } from './elaboration/attribute.js'
export { elaborate, type Elaborate } from './elaboration/elaborate.js'
export {
  groundOf,
  judgedAt,
  smallerAt,
  textMutants,
  type Ground,
  type TextMutant,
} from './mutants/mutants.js'
export { smallerLaunches } from './mutants/smaller.js'
export { functionOf, numberAttribute } from './elaboration/function.js'
export { labelledIn, meantBy, ownerOf, type Labelled } from './elaboration/labels.js'
export { columnOf, placeOf } from './elaboration/places.js'
export { everyOperation } from './elaboration/regions.js'
export { formats, type Format } from './text/formats.js'
export type { Position, TtgirError } from './text/position.js'
export { showModule, showOperation } from './text/printer.js'
export { operationNames } from './text/operation-reader.js'
export { readModule } from './text/reader.js'
export { showAttribute, showLocation, showType } from './text/show.js'
export {
  attributeOf,
  type Attribute,
  type Block,
  type Definition,
  type Dictionary,
  type Location,
  type Module,
  type Named,
  type Operation,
  type Parameter,
  type Region,
  type Successor,
  type Type,
  type Value,
} from './text/syntax.js'
