/** Types from rows: a node for each word of `nodes.ts`, against its type by hand; every part has a type. */
import type { RegisterLayout } from '../../../src/layouts/register-layout.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import type {
  BinaryName,
  Combine,
  CompareName,
  ConvertName,
  ExprNode,
  NodeKind,
  NodeOf,
  PlaceName,
  UnaryName,
} from '../../../src/semantics/language/expression.js'
import type { ScalarName } from '../../../src/semantics/language/types.js'
import type { Choice } from '../../../src/semantics/language/words.js'
import type { TransformedRef } from '../../../src/transforms/ref.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Plain<A> = { [F in keyof A]: A[F] }

interface ByHand {
  readonly literal: { readonly _tag: 'const'; readonly dtype: ScalarName; readonly value: number | string }
  readonly slot: { readonly _tag: 'local'; readonly slot: number }
  readonly place: { readonly _tag: 'place'; readonly of: PlaceName; readonly axis: number }
  readonly unary: {
    readonly _tag: 'unary'
    readonly op: UnaryName
    readonly mode: 'rn' | 'approx'
    readonly x: ExprNode
  }
  readonly binary: {
    readonly _tag: 'binary'
    readonly op: BinaryName
    readonly x: ExprNode
    readonly y: ExprNode
  }
  readonly compare: {
    readonly _tag: 'compare'
    readonly op: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
    readonly signed: boolean
    readonly x: ExprNode
    readonly y: ExprNode
  }
  readonly pack: {
    readonly _tag: 'pack'
    readonly to: ScalarName
    readonly parts: ReadonlyArray<ExprNode>
  }
  readonly iota: {
    readonly _tag: 'iota'
    readonly shape: ReadonlyArray<number>
    readonly axis: number
    readonly start: number
    readonly layout: RegisterLayout | 'any'
  }
  readonly reduce: {
    readonly _tag: 'reduce'
    readonly x: ExprNode
    readonly axis: number
    readonly combine: Combine
    readonly layout: RegisterLayout | 'any'
  }
  readonly tensor: { readonly _tag: 'tensor'; readonly param: string }
  readonly reinterpret: {
    readonly _tag: 'reinterpret'
    readonly of: ExprNode
    readonly dtype: Dtype
    readonly layout: TransformedRef
  }
}
type Read = {
  readonly [E in keyof ByHand]: Same<
    Plain<Extract<ExprNode, { readonly _tag: ByHand[E]['_tag'] }>>,
    Plain<ByHand[E]>
  >
}
export const read: Read = {
  literal: true,
  slot: true,
  place: true,
  unary: true,
  binary: true,
  compare: true,
  pack: true,
  iota: true,
  reduce: true,
  tensor: true,
  reinterpret: true,
}

/** Every part of every row has a word of some type. */
type Untyped = {
  [N in ExprNode as N['_tag']]: { [F in keyof N]-?: [N[F]] extends [never] ? F : never }[keyof N]
}
export const all: Same<Untyped[ExprNode['_tag']], never> = true

export const kinds: Same<NodeOf<NodeKind>, ExprNode> = true
export const tiles: Same<
  NodeOf<'tiles'>['_tag'],
  | 'iota'
  | 'splat'
  | 'broadcast'
  | 'expandDims'
  | 'reshape'
  | 'transpose'
  | 'reduce'
  | 'gather'
  | 'convertLayout'
  | 'dot'
  | 'vote'
  | 'item'
> = true
export const choices: readonly [
  Same<CompareName, 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'>,
  Same<ConvertName, 'trunc' | 'extS' | 'extU' | 'cast' | 'bitcast'>,
  Same<PlaceName, 'agent' | 'warp' | 'ctaRank' | 'clusterId' | 'programId' | 'gridDim'>,
  Same<Choice<'= 1 | 2'>, 1 | 2>,
  Same<Choice<'1 | 2'>, never>,
] = [true, true, true, true, true]
