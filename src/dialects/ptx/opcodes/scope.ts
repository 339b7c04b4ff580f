/**
 * What names mean: registers, symbols and labels, each in the scope that declares it.
 *
 *     {  .reg .pred done;  again: ...  @!done bra again;  }
 *     {  .reg .pred done;  again: ...  @!done bra again;  }      two registers, two labels
 *
 * Registers get numbers in the order in which they are asked for: of `%r<100000>` those that occur.
 *
 * Laws
 * 1. A name is looked for in its scope and then in the scopes around it; the innermost declaration is meant.
 * 2. Two registers have the same number when they are the same.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import type {
  Function,
  Module,
  Parameter,
  RegisterDeclaration,
  Statement,
  TypeName,
  Variable,
} from '../text/module.js'
import { failureAt, type Position, type PtxError } from '../text/position.js'

export interface Register {
  readonly _tag: 'register'
  readonly index: number
  readonly name: string
  readonly type: TypeName
}

export type Symbol =
  | { readonly _tag: 'variable'; readonly variable: Variable; readonly name: string }
  | {
      readonly _tag: 'parameter'
      readonly parameter: Parameter
      readonly name: string
      readonly result: boolean
    }
  | { readonly _tag: 'function'; readonly function: Function; readonly name: string }

type Statements = ReadonlyArray<Statement>
type Targets = Statement & { readonly _tag: 'targets' }
type PrototypeStatement = Statement & { readonly _tag: 'prototype' }

export interface Scope {
  readonly outer: Scope | null
  readonly declared: Map<string, RegisterDeclaration>
  /** of `%r<12>`, by the name without its number */
  readonly ranges: Map<string, RegisterDeclaration>
  readonly registers: Map<string, ReadonlyArray<Register>>
  readonly symbols: Map<string, Symbol>
  /** which instruction of the function follows a label, counted through all scopes */
  readonly labels: Map<string, number>
  readonly targets: Map<string, Targets>
  readonly prototypes: Map<string, PrototypeStatement>
}

/** All registers of a function that occur, by their numbers. */
export type Registers = Register[]

const emptyScope = (outer: Scope | null): Scope => ({
  outer,
  declared: new Map(),
  ranges: new Map(),
  registers: new Map(),
  symbols: new Map(),
  labels: new Map(),
  targets: new Map(),
  prototypes: new Map(),
})

const taken = (scope: Scope, name: string): boolean =>
  scope.declared.has(name) ||
  scope.ranges.has(name) ||
  scope.symbols.has(name) ||
  scope.labels.has(name) ||
  scope.targets.has(name) ||
  scope.prototypes.has(name)

const twice = (at: Position, name: string): Failure<PtxError> =>
  failureAt('ptx.name', at, 'a name that is new in its scope', `'${name}' again`)

const declareVariable = (scope: Scope, variable: Variable): void => {
  if (variable.count === null)
    scope.symbols.set(variable.name, { _tag: 'variable', variable, name: variable.name })
  // `buf<4>` is four variables: a few of them are declared one by one
  else
    for (let k = 0; k < Math.min(variable.count, 4096); k++) {
      const name = `${variable.name}${String(k)}`
      scope.symbols.set(name, { _tag: 'variable', variable, name })
    }
}

/** The names of a module: variables and functions. */
export const moduleScope = (m: Module): E.Either<Failure<PtxError>, Scope> => {
  const scope = emptyScope(null)
  for (const item of m.items) {
    if (item._tag === 'variable') {
      const before = scope.symbols.get(item.name)
      if (before !== undefined && (before._tag !== 'variable' || before.variable.linkage !== 'extern'))
        return E.left(twice(item.at, item.name))
      declareVariable(scope, item)
    } else if (item._tag === 'function') {
      const before = scope.symbols.get(item.name)
      if (
        before !== undefined &&
        (before._tag !== 'function' || (before.function.body !== null && item.body !== null))
      )
        return E.left(twice(item.at, item.name))
      if (before === undefined || item.body !== null)
        scope.symbols.set(item.name, { _tag: 'function', function: item, name: item.name })
    } else if (item._tag === 'alias') {
      const before = scope.symbols.get(item.of)
      if (before?._tag !== 'function')
        return E.left(failureAt('ptx.name', item.at, 'a function that is there', `'${item.of}'`))
      scope.symbols.set(item.name, { _tag: 'function', function: before.function, name: item.name })
    }
  }
  return E.right(scope)
}

/** The scope of a function: its parameters, in the scope of its module. */
export const functionScope = (outer: Scope, f: Function): E.Either<Failure<PtxError>, Scope> => {
  const scope = emptyScope(outer)
  for (const [parameters, result] of [
    [f.results, true],
    [f.parameters ?? [], false],
  ] as const)
    for (const parameter of parameters) {
      if (parameter.name === '_') continue
      if (taken(scope, parameter.name)) return E.left(twice(parameter.at, parameter.name))
      if (parameter.space === 'param')
        scope.symbols.set(parameter.name, { _tag: 'parameter', parameter, name: parameter.name, result })
      else
        scope.declared.set(parameter.name, {
          _tag: 'registers',
          at: parameter.at,
          type: parameter.type,
          vector: 1,
          name: parameter.name,
          count: null,
        })
    }
  return E.right(scope)
}

/** Declares what stands directly in a body; `first` is the number of its first instruction, and the answer the number behind its last. */
export const declare = (
  scope: Scope,
  body: Statements,
  first: number,
): E.Either<Failure<PtxError>, number> => {
  let next = first
  for (const s of body) {
    switch (s._tag) {
      case 'registers': {
        const names = s.count === null ? scope.declared : scope.ranges
        if (taken(scope, s.name) && (s.count === null || names.has(s.name)))
          return E.left(twice(s.at, s.name))
        names.set(s.name, s)
        break
      }
      case 'variable':
        if (taken(scope, s.name)) return E.left(twice(s.at, s.name))
        declareVariable(scope, s)
        break
      case 'label':
        if (taken(scope, s.name)) return E.left(twice(s.at, s.name))
        scope.labels.set(s.name, next)
        break
      case 'targets':
        if (taken(scope, s.name)) return E.left(twice(s.at, s.name))
        scope.targets.set(s.name, s)
        break
      case 'prototype':
        if (taken(scope, s.name)) return E.left(twice(s.at, s.name))
        scope.prototypes.set(s.name, s)
        break
      case 'instruction':
        next += 1
        break
      case 'scope':
        next += instructionsIn(s.body)
        break
      case 'loc':
      case 'pragma':
      case 'comment':
        break
    }
  }
  return E.right(next)
}

const instructionsIn = (body: Statements): number =>
  body.reduce(
    (n, s) => n + (s._tag === 'instruction' ? 1 : s._tag === 'scope' ? instructionsIn(s.body) : 0),
    0,
  )

export const innerScope = (outer: Scope): Scope => emptyScope(outer)

// ---------------------------------------------------------------- asking

const axes = 'xyzwabcd'

const declarationOf = (scope: Scope, name: string): RegisterDeclaration | null => {
  const own = scope.declared.get(name)
  if (own !== undefined) return own
  if (scope.ranges.size === 0) return null
  // the number at the end of a name may be short: `%r12` may be the third of `%r1<5>`
  for (let end = name.length; end > 1; end--) {
    const c = name.charCodeAt(end - 1)
    if (c < 48 || c > 57) return null
    const range = scope.ranges.get(name.slice(0, end - 1))
    if (range === undefined) continue
    const digits = name.slice(end - 1)
    if (
      digits.length <= 9 &&
      (digits === '0' || !digits.startsWith('0')) &&
      Number(digits) < (range.count ?? 0)
    )
      return range
  }
  return null
}

/** The registers that a name is: one, or those of a vector. */
export const registersOf = (all: Registers, scope: Scope, name: string): ReadonlyArray<Register> | null => {
  for (let s: Scope | null = scope; s !== null; s = s.outer) {
    const before = s.registers.get(name)
    if (before !== undefined) return before
    const declaration = declarationOf(s, name)
    if (declaration !== null) {
      const made = Array.from({ length: declaration.vector }, (_, k): Register => {
        const register: Register = {
          _tag: 'register',
          index: all.length,
          name: declaration.vector === 1 ? name : `${name}.${axes.charAt(k)}`,
          type: declaration.type,
        }
        all.push(register)
        return register
      })
      s.registers.set(name, made)
      return made
    }
  }
  return null
}

/** Which part of a vector a selector is: `.x`, `.r`. */
export const partOf = (selector: string): number => {
  const at = 'xyzw'.indexOf(selector)
  return selector.length !== 1 ? -1 : at >= 0 ? at : 'rgba'.indexOf(selector)
}

const outward = <A>(scope: Scope, of: (s: Scope) => A | undefined): A | null => {
  for (let s: Scope | null = scope; s !== null; s = s.outer) {
    const found = of(s)
    if (found !== undefined) return found
  }
  return null
}
export const symbolOf = (scope: Scope, name: string): Symbol | null =>
  outward(scope, (s) => s.symbols.get(name))
export const labelOf = (scope: Scope, name: string): number | null =>
  outward(scope, (s) => s.labels.get(name))
export const targetsOf = (scope: Scope, name: string): Targets | null =>
  outward(scope, (s) => s.targets.get(name))
export const prototypeOf = (scope: Scope, name: string): PrototypeStatement | null =>
  outward(scope, (s) => s.prototypes.get(name))
