/**
 * `tt`: atomics. An element is read, joined and written at once; the result is the old value.
 *
 * The core's atomics order nothing but themselves. Of one that acquires that is enough unless its result decides something:
 *
 * | the result            | what an acquire could give                                                              | here                |
 * |-----------------------|-----------------------------------------------------------------------------------------|---------------------|
 * | is not read           | nothing: nothing is learned by it                                                       | orders nothing      |
 * | is stored, or summed  | nothing that holds in every schedule: what comes after it is done whatever was there    | orders nothing      |
 * | decides: a branch, a mask, an address | that what another program released is there                             | refused; PTX has it |
 *
 * One that acquires nothing still orders a plain access of its own word that it decides: the last block of a count resets it, and has found what all others did. The core
 * has no such order, and PTX does. So a deciding one is refused as well if the kernel stores plainly to the same tensor (`stores.ts`).
 *
 * To take an order away can only add findings. So where a result decides, and the order may be what makes the kernel right, the operation is refused and not judged.
 * Who is first is open in any case: what a program stores of a result is judged by all orders (C1).
 *
 * Names: `acq_rel` is what `tl.atomic_add` and its like are if nothing is said.
 *
 * Source: Triton 3.6, dialect tt; its lowering to atom and red.
 */
import type { Expr } from '../../../semantics/language/expression.js'
import * as X from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import type { Steps } from '../../../semantics/writing/builder.js'
import * as T from '../../ttng/index.js'
import { deciding } from './deciding.js'
import { refusedAt, type Here, type Row, type Rows } from './here.js'
import { elementOf } from './kinds.js'
import { isReadIn } from './distinct.js'
import { as, operand, resultType, word } from './operands.js'
import { storesBeside } from './stores.js'
import { storing } from './tensors.js'
import type { Operation } from '../text/syntax.js'
import { own } from '../../../own.js'

type Join = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange'
/** The lesser and the greater of numbers without a sign are those of pointers to such. */
const unsigned: ReadonlySet<string> = new Set(['umin', 'umax'])
const joins: Readonly<Record<string, Join>> = {
  umin: 'min',
  umax: 'max',
  add: 'add',
  fadd: 'add',
  min: 'min',
  max: 'max',
  and: 'and',
  or: 'or',
  xor: 'xor',
  exch: 'exchange',
}

const scopeOf = (text: string | undefined): 'cta' | 'gpu' | 'sys' =>
  text === 'cta' ? 'cta' : text === 'sys' ? 'sys' : 'gpu'

/** Is the result read, and may the operation be said without its order? */
const reading = function* (h: Here, op: Operation): Steps<boolean> {
  const sem = word(op, 'sem') ?? 'relaxed'
  const isRead = isReadIn(h.body, op)
  const acquires = sem !== 'relaxed' && sem !== 'release'
  const plain = isRead && !acquires ? storesBeside(h.body, op) : null
  const decides = isRead && (acquires || plain !== null) ? deciding(h.body, op) : null
  if (decides !== null)
    return yield* refusedAt(
      op,
      'an atomic operation whose order is modelled in TTGIR (check the PTX for this one)',
      `sem = ${sem} where the result decides: ${decides.name} in line ${String(decides.at.line)}${plain === null ? '' : `, and ${plain.name} in line ${String(plain.at.line)} stores to the same tensor`}`,
    )
  return isRead
}

const rmw: Row = function* (h, op, label) {
  const kind = word(op, 'atomic_rmw_op') ?? ''
  const join = own(joins, kind)
  if (join === undefined) return yield* refusedAt(op, `one of ${Object.keys(joins).join(', ')}`, kind)
  if ((yield* reading(h, op)) && (h.from.numCtas ?? 1) > 1)
    return yield* refusedAt(op, 'one CTA where its result is read', 'a cluster')
  const mask = yield* storing(h, op, label)
  const ptr = yield* operand(h, op, 'ptr')
  const to = unsigned.has(kind) ? elementOf(resultType(op)) : null
  const pointers =
    to?._tag === 'integer' && (to.bits === 32 || to.bits === 64)
      ? as(X.castPtr(ptr, to.bits === 32 ? 'u32' : 'u64'))
      : ptr
  const old: Expr = yield* T.atomicRmw(label, join, pointers, yield* operand(h, op, 'val'), {
    ...mask,
    scope: scopeOf(word(op, 'scope')),
  })
  return [old]
}

const cas: Row = function* (h, op, label) {
  yield* reading(h, op)
  if ((h.from.numCtas ?? 1) > 1) return yield* refusedAt(op, 'one CTA', 'a cluster')
  return [
    yield* T.atomicCas(
      label,
      yield* operand(h, op, 'ptr'),
      yield* operand(h, op, 'cmp'),
      yield* operand(h, op, 'val'),
      { scope: checked<'gpu', string>(scopeOf(word(op, 'scope'))) },
    ),
  ]
}

export const atomicRows: Rows = { 'tt.atomic_rmw': rmw, 'tt.atomic_cas': cas }
