/**
 * Where an operation is elaborated: what is known of the values before it, how it is named, and how it is refused.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../../failure.js'
import { build, fail, fromEither, of, type Build, type Steps } from '../../../semantics/writing/builder.js'
import type { Expr } from '../../../semantics/language/expression.js'
import type { TileType } from '../../../semantics/language/types.js'
import * as T from '../../ttng/index.js'
import type { Placement } from './proxy-fences.js'
import { showPosition, type Position } from '../text/position.js'
import type { Module, Operation, Region, Type, Value } from '../text/syntax.js'

/** What is known where an operation is elaborated. */
export interface Here {
  readonly text: Module
  readonly module: T.Module
  /** who runs it */
  readonly from: T.Issuer
  readonly grid: ReadonlyArray<number>
  /** what the values of the text are, by name */
  readonly values: Map<string, ReadonlyArray<Expr>>
  /** numbers that are constants, by the name of their value */
  readonly constants: Map<string, number>
  /** tensor maps in global memory that are acquired, by the name of their pointer */
  readonly acquired: Map<string, T.RawDesc>
  /** what a pointer to a tensor map is taken as, further on */
  readonly maps: ReadonlyMap<string, Type>
  /** values that may still be on their way (`flight.ts`) */
  readonly flying: ReadonlySet<string>
  /** registers of products that this basic block writes where it hands on (`flight.ts`), by the value that it hands on */
  readonly resets: Map<string, () => Steps<void>>
  /** products of this basic block, by the name of their value (`contraction.ts`) */
  readonly products: Map<string, readonly [Expr, Expr]>
  /** of a sum of two products: which it takes into one rounding */
  readonly contracted: ReadonlyMap<Operation, 'lhs' | 'rhs'>
  /** quotients whose last product goes into the sums that use them */
  readonly quotients: ReadonlySet<Operation>
  /** where buffers of shared memory begin (`liveness.ts`), and which copies have a fence for it (`proxy-fences.ts`) */
  readonly placement: Placement
  /** allocations of barriers on which no tensor core arrives (`plain-barriers.ts`) */
  readonly plain: ReadonlySet<Operation>
  /** a name for each operation that no other has (`labels.ts`) */
  readonly labels: ReadonlyMap<Operation, string>
  /** how what differs between the CTAs of a cluster is dealt to them; without an entry, there is one CTA */
  readonly dealt: ReadonlyMap<Operation, T.CgaLayout>
  /** all labels so far */
  readonly taken: Set<string>
  /** the body of this function */
  readonly body: Region | undefined
  /** the functions of the module, by name */
  readonly functions: ReadonlyMap<string, Operation>
  /** the function that this is in, and those that called it */
  readonly calls: ReadonlyArray<string>
  /** in the region of a reduction: a number stands for a tensor of this type, element by element */
  readonly lifted: TileType | null
  /** a region's operations one after the other, and what its last one hands on */
  readonly run: (h: Here, region: Region | undefined) => Steps<ReadonlyArray<Expr>>
}

/** What an operation gives, one for each result. */
export type Row = (h: Here, op: Operation, label: string) => Steps<ReadonlyArray<Expr>>
export type Rows = Readonly<Record<string, Row>>

/** Inside a region: what is named there is not known behind it. */
export const inner = (h: Here): Here => ({
  ...h,
  values: new Map(h.values),
  products: new Map(),
  resets: new Map(),
})

export const labelOf = (h: Here, op: Operation): string => h.labels.get(op) ?? op.name

/** A refusal, and the operation that is refused. */
export interface RefusedAt extends Failure {
  readonly at: Position
}
export const isRefusedAt = (f: Failure): f is RefusedAt => 'at' in f

const failureAt = (op: Operation, code: string, message: string): RefusedAt => ({
  ...failure(code, `${showPosition(op.at)}: ${op.name}: ${message}`),
  at: op.at,
})

/** Refused at the line of the operation. */
export const refusedAt = (op: Operation, expected: string, found: string): Build<never> =>
  fail(failureAt(op, 'ttgir.operation', `expected ${expected}, found ${found}`))

/** A refusal of what is called, at the line of the operation; of what stands inside it, at its own. */
const atLineOf =
  (op: Operation) =>
  (f: Failure): Failure =>
    isRefusedAt(f) ? f : failureAt(op, f.code, f.message)
/** What is built, refused where the operation stands. */
export const placed = <A>(op: Operation, made: Build<A>): Build<A> =>
  build((state) => E.mapLeft(atLineOf(op))(made.run(state)))
/** What is read, refused where the operation stands. */
export const readAt = <A>(op: Operation, read: E.Either<Failure, A>): Build<A> =>
  fromEither(E.mapLeft(atLineOf(op))(read))

/** What a value of the text is; undefined where it is not known. */
export const known = (h: Here, { name, index }: Value): Expr | undefined => h.values.get(name)?.[index ?? 0]

export const valueOf = (h: Here, op: Operation, value: Value): Build<Expr> => {
  const found = known(h, value)
  return found === undefined ? refusedAt(op, `a value that is known at %${value.name}`, 'none') : of(found)
}
