/**
 * Rows: one for each operation of a surface, with a small kernel that needs it.
 *
 * A row's kernel is written over the surface as a record. So it can be written once more over a surface in which one operation does
 * nothing: what it elaborates to is dropped, and zeros stand for its results. The row holds if the kernel comes out as it says over the
 * surface, and does not over the other. What an operation elaborates to is read off the same kernel.
 *
 * An operation without statements (a view, a layout, a number) says itself what stands for it if it does nothing.
 * A hint (a prefetch) changes no result and no verdict: its row says so, and holds by its statements alone.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../src/failure.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { isFloat } from '../../../src/numerics/dtype.js'
import { build, scope, type Build } from '../../../src/semantics/writing/builder.js'
import { runSteps } from '../../../src/semantics/writing/builder/monad.js'
import { amend, push, statements, type State } from '../../../src/semantics/writing/builder/state.js'
import { check, standardOptions, type Checked } from '../../../src/semantics/verdict/check.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Expr } from '../../../src/semantics/language/expression.js'
import type { InstructionName } from '../../../src/semantics/language/instruction.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Binder, Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import type { ScalarName } from '../../../src/semantics/language/types.js'
import type { VerdictName } from '../../../src/semantics/judging/verdict.js'
import { checked as indexed } from '../../../src/semantics/language/index-types.js'
import { statementsOf } from '../pallas/programs.js'
import { bits } from '../../arithmetic.js'

// ---------------------------------------------------------------- model

/** A small kernel over a surface, and what must come of it. */
export interface Example<S> {
  readonly name: string
  readonly program: (surface: S) => E.Either<Failure, Program>
  /** of tensor parameters, row-major, as numbers (not bit patterns); zeros if not given */
  readonly inputs?: Readonly<Record<string, ReadonlyArray<number>>>
  readonly scalars?: Readonly<Record<string, number>>
  /** the bits of the architecture if not given */
  readonly algebra?: Algebra
  /** `ok` if not given */
  readonly verdict?: VerdictName
  /** the ids of its findings */
  readonly ids?: ReadonlyArray<string>
  /** numbers too, by another definition: not by this library's machine */
  readonly outputs?: Readonly<Record<string, ReadonlyArray<number>>>
}

/** Something done to whatever an operation builds. */
export type Wrap = <A extends ReadonlyArray<unknown>, R>(
  operation: (...args: A) => Build<R>,
) => (...args: A) => Build<R>

interface RowOf<S> {
  /** as its users write it: `copy_gmem_to_smem`, `ttng.wait_barrier` */
  readonly operation: string
  /** the functions of the surface that it is called by */
  readonly names: ReadonlyArray<keyof S & string>
  /** the public page that defines it */
  readonly page: string
  readonly example: Example<S>
}
export type Row<S> = RowOf<S> &
  (
    | {
        readonly kind: 'statements' | 'hint'
        /** the surface with the operation wrapped */
        readonly change: (surface: S, wrap: Wrap) => S
      }
    | {
        /** `view`: an expression; `storage`: a declaration; `frame`: what surrounds a body */
        readonly kind: 'view' | 'storage' | 'frame'
        /** the surface in which the operation does nothing */
        readonly without: (surface: S) => S
      }
  )

// ---------------------------------------------------------------- wrapping

const mark = '(marked)'
export const marking: Wrap =
  (operation) =>
  (...args) =>
    scope(mark, () => operation(...args))

/** What stands for a result that nothing gave; null: there is nothing of that type. */
const nothingOf = ({ type }: Binder): Expr | null => {
  switch (type._tag) {
    case 'scalar':
      return zeroOf(type.dtype)
    case 'tile':
      return type.element._tag === 'scalar'
        ? X.splat(zeroOf(type.element.dtype), type.shape, type.layout)
        : null
    default:
      return null
  }
}
const zeroOf = (dtype: ScalarName): Expr<ScalarName> =>
  indexed<Expr<ScalarName>, Expr>(
    dtype === 'i1'
      ? X.i1(false)
      : dtype === 'i32'
        ? X.i32(0)
        : dtype === 'i64'
          ? X.i64(0n)
          : X.float(dtype, 0),
  )

const emptied = (r: Region): Region => ({ ...r, body: r.body.flatMap(dropped) })
/** The statement without its effect. */
const dropped = (s: Stmt): ReadonlyArray<Stmt> => {
  switch (s._tag) {
    case 'Let':
      return [s]
    case 'Do':
      return s.results.flatMap((binder): ReadonlyArray<Stmt> => {
        const expr = nothingOf(binder)
        return expr === null ? [] : [{ _tag: 'Let', binder, expr, site: s.site }]
      })
    case 'For':
      return [{ ...s, body: emptied(s.body) }]
    case 'While':
      return [{ ...s, before: emptied(s.before), after: emptied(s.after) }]
    case 'If':
      return [{ ...s, then: emptied(s.then), else: emptied(s.else) }]
    case 'Fork':
      return [{ ...s, branches: s.branches.map((b) => ({ ...b, body: emptied(b.body) })) }]
  }
}

/** The operation is elaborated, and its statements are dropped. */
export const dropping: Wrap =
  (operation) =>
  (...args) =>
    build((state: State) =>
      pipe(
        runSteps(operation(...args), amend(state, { body: null })),
        E.map(([result, after]) => [
          result,
          statements(after.body)
            .flatMap(dropped)
            .reduce(push, amend(after, { body: state.body })),
        ]),
      ),
    )

// ---------------------------------------------------------------- what a row shows

const algebraOf = <S>(example: Example<S>, program: Program): Algebra =>
  example.algebra ?? bits(program.arch === 'sm90a' ? 'hopper' : 'blackwell')

/** Numbers as the algebra holds them in a tensor of the program. */
const carriers = <S>(
  example: Example<S>,
  program: Program,
  name: string,
  values: ReadonlyArray<number>,
): Float64Array => {
  const param = program.params.find((p) => p.name === name)
  const algebra = algebraOf(example, program)
  return Float64Array.from(values, (x) =>
    param?._tag === 'tensor' && isFloat(param.dtype) ? algebra.constant(param.dtype, x) : x,
  )
}

const judged = <S>(example: Example<S>, program: Program): E.Either<Failure, Checked> =>
  check(program, {
    ...standardOptions,
    algebra: algebraOf(example, program),
    arguments: {
      scalars: new Map(Object.entries(example.scalars ?? {})),
      tensors: new Map(
        Object.entries(example.inputs ?? {}).map(([name, values]) => [
          name,
          carriers(example, program, name, values),
        ]),
      ),
    },
    fuel: 200_000,
  })

/** What comes of the example that must not, or null. */
export const wrongWith = <S>(example: Example<S>, surface: S): string | null => {
  const program = example.program(surface)
  if (E.isLeft(program)) return `${program.left.code}: ${program.left.message}`
  const result = judged(example, program.right)
  if (E.isLeft(result)) return `${result.left.code}: ${result.left.message}`
  const { verdict, world, machine } = result.right
  const expected = example.verdict ?? 'ok'
  if (verdict.verdict !== expected)
    return `verdict ${verdict.verdict} (${verdict.reason}), expected ${expected}`
  const ids = [...new Set(verdict.findings.map((f) => f.id))].sort().join(' ')
  if (example.ids !== undefined && ids !== [...example.ids].sort().join(' '))
    return `findings ${ids}, expected ${example.ids.join(' ')}`
  for (const [name, numbers] of Object.entries(example.outputs ?? {})) {
    const values = carriers(example, program.right, name, numbers)
    const got = readTensor(world, machine, name)
    const at = values.findIndex((v, i) => !Object.is(got?.[i], v))
    if (got?.length !== values.length)
      return `${name} has ${String(got?.length)} elements, expected ${String(values.length)}`
    if (at >= 0) return `${name}[${String(at)}] is ${String(got[at])}, expected ${String(values[at])}`
  }
  return null
}

const without = <S>(row: Row<S>, surface: S): S =>
  'change' in row ? row.change(surface, dropping) : row.without(surface)

/** The core instructions that the operation elaborates to in its example, in their order, each once. */
export const elaboratesTo = <S>(row: Row<S>, surface: S): ReadonlyArray<InstructionName> => {
  if (row.kind !== 'statements' && row.kind !== 'hint') return []
  const program = row.example.program(row.change(surface, marking))
  return E.isLeft(program)
    ? []
    : [
        ...new Set(
          statementsOf(program.right.entry).flatMap((s) =>
            s._tag === 'Do' && s.site.path.includes(mark) ? [s.instruction._tag] : [],
          ),
        ),
      ]
}

/** Why the row does not hold, or null; whether its operation is needed, where that is asked. */
export const fails = <S>(row: Row<S>, surface: S, needed: boolean = true): string | null => {
  const wrong = wrongWith(row.example, surface)
  if (wrong !== null) return wrong
  if ((row.kind === 'statements' || row.kind === 'hint') && elaboratesTo(row, surface).length === 0)
    return 'it has no statements'
  return needed && row.kind !== 'hint' && wrongWith(row.example, without(row, surface)) === null
    ? 'its example comes out the same when it does nothing'
    : null
}
