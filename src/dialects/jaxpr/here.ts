/**
 * Where an equation is elaborated: what is known of the variables before it, how it is named, and how it is refused.
 *
 * The table of operations (`rows.ts`) has a row for each: `(here, eqn, label) => Steps<results>`, one result for each of `eqn.out`. A row asks for
 * what it takes by the functions of `operands.ts`, and does it by calls of `dialects/pallas`, which check it.
 */
import { failure, type Failure } from '../../failure.js'
import * as E from 'fp-ts/lib/Either.js'
import { build, fail, type Build, type Steps } from '../../semantics/writing/builder.js'
import type { Code } from './codes.js'
import type { Document, Eqn } from './document.js'
import type { Inferred } from './inferred.js'
import type { Names } from './names.js'
import { placeOf } from './places.js'
import type { ArrayValue, Elaborated, Scalar } from './values.js'

// ---------------------------------------------------------------- model

/** What is known where an equation is elaborated. */
export interface Here {
  readonly document: Document
  readonly arch: 'sm90a' | 'sm100a'
  /** `lane`: layouts stand in the text; `warpgroup`: what is not said is inferred (`inference.ts`) */
  readonly lowering: 'lane' | 'warpgroup'
  /** functions of the chip, in place of those of a library */
  readonly approxMath: boolean
  /** variables of the jaxpr that this is in, by number */
  readonly values: Map<number, Elaborated>
  /** how often a variable is read; twice if by what has jaxprs */
  readonly reads: ReadonlyMap<number, number>
  /** refs that are written in the jaxpr that they are variables of, or in what it runs (`cells.ts`) */
  readonly written: ReadonlySet<number>
  /** products of this block, by the number of their variable (`contraction.ts`) */
  readonly products: Map<number, readonly [Scalar | ArrayValue, Scalar | ArrayValue]>
  /** products of matrices that were issued so far, and regions that were left: an accumulator may hold something else behind them */
  readonly issued: { count: number }
  /** of a sum of two products: which it takes into one rounding */
  readonly contracted: ReadonlyMap<Eqn, 'lhs' | 'rhs'>
  /** layouts and transforms that the text leaves open */
  readonly inferred: Inferred
  /** places in the grid, where a pipeline says them; null: as the launch has them */
  readonly programIds: ReadonlyArray<Elaborated> | null
  /** a name for each equation (`labels.ts`) */
  readonly labels: ReadonlyMap<Eqn, string>
  /** names of what is allocated */
  readonly names: Names
  /** labels of the equations that led here */
  readonly chain: string
  /** does it do anything, or is it read? */
  readonly isLive: (eqn: Eqn) => boolean
  /** a jaxpr of the document, with these arguments: its results; null: one that is dropped */
  readonly run: (
    h: Here,
    jaxpr: number,
    args: ReadonlyArray<Elaborated | null>,
  ) => Steps<ReadonlyArray<Elaborated | null>>
}

/** What an equation gives, one for each result. */
export type Row = (h: Here, eqn: Eqn, label: string) => Steps<ReadonlyArray<Elaborated | null>>
export type Rows = Readonly<Record<string, Row>>

/** Inside a region: products that are made there, and before it, are of other blocks. */
export const inside = (h: Here): Here => ({ ...h, products: new Map() })

export const labelOf = (h: Here, eqn: Eqn): string => h.labels.get(eqn) ?? eqn.op

// ---------------------------------------------------------------- refusals

/** A refusal, and the author's line. */
export interface RefusedAt extends Failure {
  readonly place: string | null
}
export const isRefusedAt = (f: Failure): f is RefusedAt => 'place' in f

const failureAt = (h: Pick<Here, 'document'>, eqn: Eqn, code: string, message: string): RefusedAt => {
  const place = placeOf(h.document, eqn)
  return {
    ...failure(code, `${place === null ? '' : `${place}: `}${eqn.op}: ${message}`),
    place,
  }
}

/** Refused at the line of the equation. */
export const refusedAt = (h: Here, eqn: Eqn, code: Code, expected: string, found: string): Build<never> =>
  fail(failureAt(h, eqn, code, `expected ${expected}, found ${found}`))

/** What is built, refused where the equation stands; what stands inside it, at its own line. */
export const placed = <A>(h: Here, eqn: Eqn, made: Build<A>): Build<A> =>
  build((state) =>
    E.mapLeft((f: Failure) => (isRefusedAt(f) ? f : failureAt(h, eqn, f.code, f.message)))(made.run(state)),
  )
