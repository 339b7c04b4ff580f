/**
 * Type checking of expressions: the door to `typecheck/`.
 *
 *     environment    what the names in scope stand for
 *     show-type      types as text
 *     typing         a type or a reason; when a type is accepted where another is expected
 *     constant       what is known of an integer before the run
 *     operand        what operations demand of their operands
 *     scalars        arithmetic, one number at a time or tile by tile
 *     tiles          arrays in registers
 *     places         pointers, descriptors, barriers and views
 *     type-of        all of it: names, and the recursion
 *     known-place    which descriptor, and where a view starts
 *
 * Each imports only those above it.
 */
export {
  bind,
  lookup,
  noNames,
  type Base,
  type Binding,
  type Declarations,
  type Environment,
  type Names,
} from './typecheck/environment.js'
export { showType } from './typecheck/show-type.js'
export {
  accepts,
  checkType,
  layoutsAgree,
  mismatch,
  sameElement,
  type TypeErrorCode,
  type Typing,
} from './typecheck/typing.js'
export { constantOf } from './typecheck/constant.js'
export { storageType } from './typecheck/places.js'
export { typeOf } from './typecheck/type-of.js'
export { baseOf, bindingOf, descriptorOf } from './typecheck/known-place.js'
