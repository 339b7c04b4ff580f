export type { GivenTensor, Launch, Role } from './arguments.js'
export { elaborate, type Elaborate } from './elaborate.js'
export { formats, type Format } from './formats.js'
export type { Position, TtgirError } from './position.js'
export { showModule, showOperation } from './printer.js'
export { operationNames } from './operation-reader.js'
export { readModule } from './reader.js'
export { showAttribute, showLocation, showType } from './show.js'
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
} from './syntax.js'
