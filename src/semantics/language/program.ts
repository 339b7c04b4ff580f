/**
 * Programs.
 *
 * A program is first-order data. Names are bound once; regions are the only binders; only `Fork` captures;
 * nothing is a closure and nothing is mutated. It can be printed, sent as JSON, mutated by a tester, and
 * compared with another by a diff. Real compiler output fits in it one operation to one.
 *
 *     for k in 0..8 carry parity = 0 {                       For { index: 'k', carried: [parity], body: Region }
 *       let s = rem(k, 2)                                    Let
 *       do mbarrier.wait full[s] parity                      Do
 *       yield xor(parity, 1)                                 Region.yields
 *     }
 *
 * A loop binds its index and its carried values itself, so the body of a `For` and the `before` of a `While` have no
 * `params`; the `after` of a `While` has: what `before` yields behind the condition. A region's `yields` are what the
 * enclosing statement receives. Every statement carries a `site`: the label that findings show, and where the text came
 * from when there is one. Scalar parameters are names that are in scope everywhere, branches of a `Fork` included.
 *
 * Who runs what: every declared agent that no `Fork` starts runs `entry`, in every CTA. A `Fork`'s branch 0 is the
 * parent itself; each other branch starts its (until then idle) agent with the captured values. The join waits for all.
 *
 * Laws
 * 1. `mapRegions` of the identity is the identity, and visits the regions of `regionsOf` in their order.
 * 2. `statementsOf` lists every statement once, each before those inside it; `effectsOf` those of them with an effect.
 */
import type { Dtype, FloatDtype } from '../../numerics/dtype.js'
import type { TransformedRef } from '../../transforms/ref.js'
import type { Condition, Expr, ExprNode, Int } from './expression.js'
import type { Instruction } from './instruction.js'
import { operandsOf } from './signature.js'
import type { Contract, ScalarName, Type } from './types.js'

// ---------------------------------------------------------------- model

export const programSchema = 'tcspec.program/1'

export interface Site {
  /** what findings call this statement */
  readonly label: string
  /** enclosing scopes, outermost first */
  readonly path: ReadonlyArray<string>
  /** `file:line:column` of the text this came from */
  readonly loc?: string
}

export interface Binder {
  readonly name: string
  readonly type: Type
}

export interface Region {
  readonly params: ReadonlyArray<Binder>
  readonly body: ReadonlyArray<Stmt>
  readonly yields: ReadonlyArray<Expr>
}

export interface Carried {
  readonly binder: Binder
  readonly init: Expr
}

export interface Let {
  readonly _tag: 'Let'
  readonly binder: Binder
  readonly expr: Expr
  readonly site: Site
}
export interface Do {
  readonly _tag: 'Do'
  readonly results: ReadonlyArray<Binder>
  readonly instruction: Instruction
  /** the statement is skipped when this is false; its results are then unusable */
  readonly when?: Condition
  readonly site: Site
}
export interface For {
  readonly _tag: 'For'
  readonly index: Binder
  readonly from: Int
  readonly to: Int
  readonly step: Int
  readonly carried: ReadonlyArray<Carried>
  readonly body: Region
  readonly results: ReadonlyArray<Binder>
  readonly site: Site
}
export interface While {
  readonly _tag: 'While'
  readonly carried: ReadonlyArray<Carried>
  /** yields the condition, then the arguments of `after` */
  readonly before: Region
  readonly after: Region
  readonly results: ReadonlyArray<Binder>
  readonly site: Site
}
export interface If {
  readonly _tag: 'If'
  readonly cond: Condition
  readonly then: Region
  readonly else: Region
  readonly results: ReadonlyArray<Binder>
  readonly site: Site
}
export interface Branch {
  readonly agent: string
  readonly captures: ReadonlyArray<{ readonly binder: Binder; readonly value: Expr }>
  readonly body: Region
}
export interface Fork {
  readonly _tag: 'Fork'
  readonly branches: ReadonlyArray<Branch>
  readonly results: ReadonlyArray<Binder>
  readonly site: Site
}

export type Stmt = Let | Do | For | While | If | Fork

/** Strides in elements. Shapes may depend on scalar parameters. */
export interface TensorParam {
  readonly _tag: 'tensor'
  readonly name: string
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<Int>
  readonly strides: ReadonlyArray<Int>
  /** what the kernel does with it: an `out` must be written in every cell */
  readonly role: 'in' | 'out' | 'inout'
}
export interface ScalarParam {
  readonly _tag: 'scalar'
  readonly name: string
  readonly dtype: ScalarName
}
/**
 * A tensor map made by the host: `tensor` seen with `dims` and `strides` (elements, outermost first, innermost
 * stride 1), copied a `box` at a time.
 */
export interface DescriptorParam {
  readonly _tag: 'descriptor'
  readonly name: string
  readonly tensor: string
  readonly dims: ReadonlyArray<Int>
  readonly strides: ReadonlyArray<Int>
  readonly box: ReadonlyArray<number>
  readonly elementStrides: ReadonlyArray<number>
  readonly swizzle: 16 | 32 | 64 | 128
  readonly fill: 'zero' | 'nan'
  /** elements of 4 bits have gaps in shared memory, 16 of them in 16 bytes; those of 6 bits always have */
  readonly padded?: boolean
}
export type Param = TensorParam | ScalarParam | DescriptorParam

export interface Agent {
  readonly name: string
  readonly kind: 'warpgroup' | 'warp' | 'partition'
  readonly firstWarp: number
  /** 1, 2, 4, 8, 16 or 32 */
  readonly warps: number
  readonly registers?: number
}

/** Payload of a storage: elements under a layout, or barriers. */
export type Contents =
  | { readonly _tag: 'elements'; readonly dtype: Dtype; readonly layout: TransformedRef }
  | {
      readonly _tag: 'barriers'
      readonly contract: Contract
      readonly ordersTensorCore: boolean
      readonly shape: ReadonlyArray<number>
    }

export interface Storage {
  readonly id: string
  readonly space: 'smem' | 'tmem' | 'gmem' | 'regs'
  readonly owner: 'cta' | { readonly agent: string }
  readonly contents: Contents
  readonly bits: number
  /** bytes */
  readonly align: number
  /** byte offset in the space; `place` fills it */
  readonly offset?: number
  /** storages of one alias group may overlap: each group starts at one offset */
  readonly alias?: { readonly union: string; readonly member: number }
}

export interface Launch {
  readonly grid: ReadonlyArray<Int>
  readonly cluster: ReadonlyArray<number>
  readonly agents: ReadonlyArray<Agent>
}

/** Tensors of scales, (rows / 128, blocks / 4, 32, 16): of the rows of a, and of the columns of b. */
export interface Scales {
  readonly a: string
  readonly b: string
  readonly block: 16 | 32
}

/** What the outputs must be. Tensor parameters by name; `b` is k x n. */
export type Spec =
  | {
      readonly _tag: 'matmul'
      readonly a: string
      readonly b: string
      readonly out: string
      readonly accumulator: FloatDtype | 'i32'
      readonly blockK: number
      /** factors that lie as their transposes: `a` is m x k all the same, and its tensor k x m */
      readonly transposed?: 'a' | 'b' | 'both'
      /** the product's tensor is n x m */
      readonly transposedOut?: boolean
      /** sums and products of the product's elements with numbers and other tensors' elements may come behind it: what it is then is said */
      readonly epilogue?: boolean
      /** of integers: every instruction of blockK brings its sum to the nearest number of 32 bits, instead of wrapping */
      readonly saturate?: boolean
      /** each element is first multiplied by a scale that it shares with `block` of k; the scales lie in atoms (`layouts/shared-memory/scale-factors.ts`) */
      readonly scales?: Scales
    }
  | { readonly _tag: 'copy'; readonly from: string; readonly out: string }

export interface Program {
  readonly schema: typeof programSchema
  readonly name: string
  readonly arch: 'sm90a' | 'sm100a'
  readonly params: ReadonlyArray<Param>
  readonly launch: Launch
  readonly storage: ReadonlyArray<Storage>
  readonly entry: Region
  readonly computes?: Spec
  /** proxy fences are the business of a compiler that lowers it, where its language leaves some to it */
  readonly fences?: 'lowered'
}

// ---------------------------------------------------------------- constructors

export const site = (label: string, path: ReadonlyArray<string> = [], loc?: string): Site =>
  loc === undefined ? { label, path } : { label, path, loc }

export const region = (
  body: ReadonlyArray<Stmt>,
  yields: ReadonlyArray<Expr> = [],
  params: ReadonlyArray<Binder> = [],
): Region => ({ params, body, yields })

// ---------------------------------------------------------------- destructors

/** The regions inside a statement, in the order of the listing. */
export const regionsOf = (s: Stmt): ReadonlyArray<Region> => {
  switch (s._tag) {
    case 'Let':
    case 'Do':
      return []
    case 'For':
      return [s.body]
    case 'While':
      return [s.before, s.after]
    case 'If':
      return [s.then, s.else]
    case 'Fork':
      return s.branches.map((b) => b.body)
  }
}

/** The same statement with other regions: what `f` makes of each, in the order of `regionsOf`. */
export const mapRegions = (s: Stmt, f: (region: Region, index: number) => Region): Stmt => {
  switch (s._tag) {
    case 'Let':
    case 'Do':
      return s
    case 'For': {
      const { index, from, to, step, carried, results, site } = s
      return { _tag: 'For', index, from, to, step, carried, body: f(s.body, 0), results, site }
    }
    case 'While': {
      const { carried, results, site } = s
      return { _tag: 'While', carried, before: f(s.before, 0), after: f(s.after, 1), results, site }
    }
    case 'If':
      return {
        _tag: 'If',
        cond: s.cond,
        then: f(s.then, 0),
        else: f(s.else, 1),
        results: s.results,
        site: s.site,
      }
    case 'Fork': {
      const branches = s.branches.map(({ agent, captures, body }, k) => ({
        agent,
        captures,
        body: f(body, k),
      }))
      return { _tag: 'Fork', branches, results: s.results, site: s.site }
    }
  }
}

/** Every statement, outer before inner, in the order of the listing. */
export const statementsOf = (body: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> => {
  const all: Stmt[] = []
  const list = (some: ReadonlyArray<Stmt>): void => {
    for (const s of some) {
      all.push(s)
      for (const r of regionsOf(s)) list(r.body)
    }
  }
  list(body)
  return all
}

/** The statements with an effect, wherever they stand, in the order of the listing. */
export const effectsOf = (body: ReadonlyArray<Stmt>): ReadonlyArray<Do> =>
  statementsOf(body).flatMap((s) => (s._tag === 'Do' ? [s] : []))

/** The expressions that a statement evaluates itself, those of its regions' yields included. */
export const expressionsOf = (s: Stmt): ReadonlyArray<ExprNode> => [
  ...operandsHere(s),
  ...regionsOf(s).flatMap((r) => r.yields),
]
const operandsHere = (s: Stmt): ReadonlyArray<ExprNode> => {
  switch (s._tag) {
    case 'Let':
      return [s.expr]
    case 'Do':
      return [...operandsOf(s.instruction).map((o) => o.expr), ...(s.when === undefined ? [] : [s.when])]
    case 'For':
      return [s.from, s.to, s.step, ...s.carried.map((c) => c.init)]
    case 'While':
      return s.carried.map((c) => c.init)
    case 'If':
      return [s.cond]
    case 'Fork':
      return s.branches.flatMap((b) => b.captures.map((c) => c.value))
  }
}
