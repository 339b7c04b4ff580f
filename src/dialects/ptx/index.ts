export {
  describePtx,
  type DescribedFunction,
  type DescribedParameter,
  type DescribedPtx,
  type DescribedShared,
} from './described.js'
export {
  fileOf,
  functionsOf,
  type Address,
  type Comment,
  type Constant,
  type Directive,
  type FloatConstant,
  type Function,
  type Guard,
  type Initial,
  type Instruction,
  type IntegerConstant,
  type Item,
  type Linkage,
  type Module,
  type Name,
  type Operand,
  type Parameter,
  type Prototype,
  type RegisterDeclaration,
  type SectionLine,
  type SourceLocation,
  type StateSpace,
  type Statement,
  type TypeName,
  type Variable,
} from './text/module.js'
export { parseModule } from './text/parser.js'
export { showPosition, type Position, type PtxError } from './text/position.js'
export { printInstruction, printModule, printOperand, printParameter, printVariable } from './text/printer.js'
export { exampleOf, formsOf, forms } from './opcodes/table.js'
export type { Family, Form, Modifiers, OperandRule, Slot } from './opcodes/form.js'
export {
  codeOf,
  resolve,
  resolveModule,
  widthOf,
  type Code,
  type Immediate,
  type Label,
  type Resolution,
  type Resolved,
  type Value,
} from './opcodes/resolve.js'
export type { Register, Symbol } from './opcodes/scope.js'
export { specialRegisters } from './opcodes/special.js'
export { flightsOf, type Flight } from './flow/flight.js'
export { graphOf, type Graph } from './flow/graph.js'
export type { Loop } from '../../semantics/warps/flow.js'
export { meetingAt, meetingOf, type Way } from './flow/partings.js'
export { peeksOf, type Peek } from './flow/peeks.js'
export { spinsOf, type Spin } from './flow/spins.js'
