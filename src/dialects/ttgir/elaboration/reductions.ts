/**
 * `tt.reduce` and `tt.scan`: tensors combined along an axis, in the order of Triton's lowering; and `tt.map_elementwise`.
 *
 * One operation on two numbers is said as it is; any other region is elaborated wherever two are combined, on tensors, element by element.
 *
 * Source: Triton 3.6, dialect tt.
 */
import { block, letIn, typeHere, type Build, type Steps } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { refusedAt, valueOf, type Here, type Row, type Rows } from './here.js'
import { relabelled } from './labels.js'
import { flag, number } from './operands.js'
import { operationsOf, usedFromOutside } from './regions.js'
import type { Operation } from '../text/syntax.js'
import { own } from '../../../own.js'

/** Operations that a reduction may combine two numbers with, as expressions. */
const combining: Readonly<Record<string, (x: never, y: never) => Expr>> = {
  'arith.addf': X.add,
  'arith.addi': X.add,
  'arith.mulf': X.mul,
  'arith.muli': X.mul,
  'arith.maxnumf': X.max,
  'arith.minnumf': X.min,
  'arith.maxsi': X.max,
  'arith.minsi': X.min,
  'arith.andi': X.and,
  'arith.ori': X.or,
  'arith.xori': X.xor,
}

/** The one operation that a region consists of. */
const onlyOne = (op: Operation): Operation | null => {
  const [x, y] = op.regions[0]?.blocks[0]?.parameters ?? []
  const [combine, last, ...more] = operationsOf(op.regions[0])
  const taken = [combine?.operands['lhs']?.[0]?.name, combine?.operands['rhs']?.[0]?.name]
  const isPlain =
    more.length === 0 &&
    last?.operands['values']?.[0]?.name === combine?.names[0]?.name &&
    taken[0] === x?.name &&
    taken[1] === y?.name
  return combine !== undefined && isPlain && Object.hasOwn(combining, combine.name) ? combine : null
}
/** Takes a product into its rounding. */
const contracts = (combine: Operation): boolean => combine.name === 'arith.addf'

/** The tensors, and the factors of those that are products of this basic block. */
const summands = function* (h: Here, op: Operation): Steps<ReadonlyArray<T.Summand>> {
  const found: T.Summand[] = []
  for (const src of op.operands['srcs'] ?? []) {
    const value = checked<T.Tensor, Expr>(yield* valueOf(h, op, src))
    const product = h.products.get(src.name)
    found.push(
      product === undefined
        ? { value }
        : { value, product: [checked<T.Tensor, Expr>(product[0]), checked<T.Tensor, Expr>(product[1])] },
    )
  }
  return found
}

/** The region, with tensors for its numbers. It is elaborated for every pair, so it knows no more than it uses. */
const together = (h: Here, op: Operation): T.CombineTogether => {
  const region = op.regions[0]
  const parameters = region?.blocks[0]?.parameters ?? []
  const inside = operationsOf(region)
  const outside = usedFromOutside(region)
  const handed = inside[inside.length - 1]?.operands['values'] ?? []
  return function* (label, lhs, rhs) {
    if (parameters.length !== lhs.length + rhs.length)
      return yield* refusedAt(
        op,
        `a region of ${String(lhs.length + rhs.length)} parameters`,
        String(parameters.length),
      )
    const lifted = yield* typeHere(lhs[0]!.value)
    if (lifted._tag !== 'tile') return yield* refusedAt(op, 'tensors', lifted._tag)
    const here: Here = {
      ...relabelled(h, inside, label),
      values: new Map(),
      products: new Map(),
      resets: new Map(),
      lifted,
    }
    for (const name of outside) {
      const values: Expr[] = []
      for (const value of h.values.get(name) ?? []) {
        const type = yield* typeHere(value)
        values.push(
          type._tag === 'scalar'
            ? X.splat(checked<Expr<'i32'>, Expr>(value), lifted.shape, lifted.layout)
            : value,
        )
      }
      if (values.length > 0) here.values.set(name, values)
    }
    for (const [k, { value, product }] of [...lhs, ...rhs].entries()) {
      const { name } = parameters[k]!
      here.values.set(name, [value])
      if (product !== undefined) here.products.set(name, product)
    }
    const results = yield* h.run(here, region)
    if (results.length !== op.results.length)
      return yield* refusedAt(op, `a region that gives ${String(op.results.length)}`, String(results.length))
    return results.map((value, k) => {
      const product = here.products.get(handed[k]?.name ?? '')
      const tensor = checked<T.Tensor, Expr>(value)
      return product === undefined
        ? { value: tensor }
        : {
            value: tensor,
            product: [checked<T.Tensor, Expr>(product[0]), checked<T.Tensor, Expr>(product[1])],
          }
    })
  }
}

/** A tensor, or the only element of one without dimensions. */
const result = (op: Operation, label: string, tensor: T.Tensor, k: number): Build<Expr> =>
  block(function* () {
    return op.results[k]?._tag === 'tensor'
      ? tensor
      : yield* letIn(`${label}.item`, X.item(checked<T.Tensor<'i32', 0>, T.Tensor>(tensor)))
  })

const reduction: Row = function* (h, op, label) {
  const axis = yield* number(op, 'axis')
  const operands = yield* summands(h, op)
  const [first] = operands
  if (first === undefined) return yield* refusedAt(op, 'a tensor', 'none')
  const only = operands.length === 1 ? onlyOne(op) : null
  const plain =
    only === null || (first.product !== undefined && contracts(only)) ? null : own(combining, only.name)
  const tensors =
    plain == null
      ? yield* T.reduceTogether(label, operands, axis, together(h, op))
      : [
          yield* T.reduce(label, checked<never, T.Tensor>(first.value), axis, (x, y) =>
            checked<never, Expr>(plain(checked<never, Expr>(x), checked<never, Expr>(y))),
          ),
        ]
  const results: Expr[] = []
  for (const [k, tensor] of tensors.entries()) results.push(yield* result(op, label, tensor, k))
  return results
}

/** Its region on the tensors: what jumps for an element by itself cannot be said of all. */
const elementwise: Row = function* (h, op, label) {
  const pack = yield* number(op, 'pack', 1)
  if (pack !== 1) return yield* refusedAt(op, 'one element at a time', `pack = ${String(pack)}`)
  const operands = yield* summands(h, op)
  if (operands.length === 0) return yield* refusedAt(op, 'a tensor', 'none')
  const found = yield* together(h, op)(`${label}.of`, operands, [])
  return found.map(({ value }) => value)
}

const scan: Row = function* (h, op, label) {
  if ((op.operands['srcs'] ?? []).length === 0) return yield* refusedAt(op, 'a tensor', 'none')
  const how = { axis: yield* number(op, 'axis'), reverse: flag(op, 'reverse') }
  return yield* T.scan(label, yield* summands(h, op), how, together(h, op))
}

export const reductionRows: Rows = {
  'tt.reduce': reduction,
  'tt.scan': scan,
  'tt.map_elementwise': elementwise,
}
