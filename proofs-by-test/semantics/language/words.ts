/**
 * The words of the rows, each with the field that it stands for, by hand. tsc asks for every one of the words and, of an operand, for the whole kind
 * that its derived type has (all of its spaces and dtypes, its rank, its discipline); `rows.proof.ts` holds the fields of every row against this table. So
 * the two readers of a row, `derive.ts` and `field.ts`, say one thing.
 */
import type { Dtype } from '../../../src/numerics/dtype.js'
import type { Given, Rows } from '../../../src/semantics/language/derive.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import type { Completion } from '../../../src/semantics/language/instruction.js'
import type {
  BarrierIndex,
  Contract,
  DescriptorIndex,
  PtrIndex,
  ScalarName,
  TileIndex,
  ViewIndex,
} from '../../../src/semantics/language/types.js'

/** All members of a union, each once, in any order. */
type EachOf<U, V = U> = [U] extends [never]
  ? readonly []
  : V extends U
    ? readonly [V, ...EachOf<Exclude<U, V>>]
    : never
type RankOf<R extends number> = number extends R ? 'any' : R

/** The kind that the index of an operand says. */
type KindOfIndex<I> = [I] extends [ScalarName]
  ? { readonly _tag: 'scalar'; readonly dtype: I }
  : [I] extends [PtrIndex]
    ? { readonly _tag: 'ptr' }
    : [I] extends [ViewIndex<infer S, infer D, infer R>]
      ? {
          readonly _tag: 'view'
          readonly spaces: EachOf<S>
          readonly dtypes: [Dtype] extends [D] ? 'any' : EachOf<D>
          readonly rank: RankOf<R>
        }
      : [I] extends [BarrierIndex<Contract, infer O>]
        ? { readonly _tag: 'barrier'; readonly ordersTensorCore: [O] extends [true] ? true : false }
        : [I] extends [DescriptorIndex]
          ? { readonly _tag: 'descriptor' }
          : [I] extends [TileIndex<infer E, infer R>]
            ? {
                readonly _tag: 'tile'
                readonly element: [E] extends [PtrIndex] ? 'ptr' : [ScalarName] extends [E] ? 'scalar' : E
                readonly rank: RankOf<R>
              }
            : never
/** The kind of an operand of this type. */
export type KindOf<T> = T extends Expr<infer I> ? KindOfIndex<I> : never

/** The field of this type, where it may not be left out. */
type FieldOf<T> = [T] extends [boolean]
  ? { readonly _tag: 'bool'; readonly optional: false }
  : [T] extends [ReadonlyArray<infer U>]
    ? [U] extends [Completion]
      ? { readonly _tag: 'completions' }
      : [U] extends [ExprNode]
        ? { readonly _tag: 'operands'; readonly kind: KindOf<U> }
        : { readonly _tag: 'nats'; readonly optional: false }
    : [T] extends [ExprNode]
      ? { readonly _tag: 'operand'; readonly kind: KindOf<T>; readonly optional: false }
      : [number] extends [T]
        ? { readonly _tag: 'nat' }
        : [string] extends [T]
          ? { readonly _tag: 'text'; readonly optional: false }
          : [Dtype] extends [T]
            ? { readonly _tag: 'dtype' }
            : { readonly _tag: 'enum'; readonly of: ReadonlyArray<T> }

/** All the words that stand in some row. */
type Words = { readonly [K in keyof Rows]: Rows[K][keyof Rows[K]] }[keyof Rows]

const operand = <const K>(
  kind: K,
): { readonly _tag: 'operand'; readonly kind: K; readonly optional: false } => ({
  _tag: 'operand',
  kind,
  optional: false,
})
const sums = ['f32', 'f16', 'i32'] as const
const any = { dtypes: 'any', rank: 'any' } as const

export const words: { readonly [W in Words]: FieldOf<Given<W>> } = {
  nat: { _tag: 'nat' },
  'nat ...': { _tag: 'nats', optional: false },
  bool: { _tag: 'bool', optional: false },
  dtype: { _tag: 'dtype' },
  text: { _tag: 'text', optional: false },
  i1: operand({ _tag: 'scalar', dtype: 'i1' }),
  i32: operand({ _tag: 'scalar', dtype: 'i32' }),
  i64: operand({ _tag: 'scalar', dtype: 'i64' }),
  'i32 ...': { _tag: 'operands', kind: { _tag: 'scalar', dtype: 'i32' } },
  'i64 ...': { _tag: 'operands', kind: { _tag: 'scalar', dtype: 'i64' } },
  ptr: operand({ _tag: 'ptr' }),
  descriptor: operand({ _tag: 'descriptor' }),
  barrier: operand({ _tag: 'barrier', ordersTensorCore: false }),
  'tensor barrier': operand({ _tag: 'barrier', ordersTensorCore: true }),
  'completion ...': { _tag: 'completions' },
  'view smem': operand({ _tag: 'view', spaces: ['smem'], ...any }),
  'view gmem': operand({ _tag: 'view', spaces: ['gmem'], ...any }),
  'view tmem': operand({ _tag: 'view', spaces: ['tmem'], ...any }),
  'view regs': operand({ _tag: 'view', spaces: ['regs'], ...any }),
  'view smem rank 2': operand({ _tag: 'view', spaces: ['smem'], dtypes: 'any', rank: 2 }),
  'view smem|regs rank 2': operand({ _tag: 'view', spaces: ['smem', 'regs'], dtypes: 'any', rank: 2 }),
  'view smem|tmem rank 2': operand({ _tag: 'view', spaces: ['smem', 'tmem'], dtypes: 'any', rank: 2 }),
  'view regs of f32|f16|i32 rank 2': operand({ _tag: 'view', spaces: ['regs'], dtypes: sums, rank: 2 }),
  'view tmem of f32|f16|i32 rank 2': operand({ _tag: 'view', spaces: ['tmem'], dtypes: sums, rank: 2 }),
  'tile scalar': operand({ _tag: 'tile', element: 'scalar', rank: 'any' }),
  'tile ptr': operand({ _tag: 'tile', element: 'ptr', rank: 'any' }),
  'tile i1': operand({ _tag: 'tile', element: 'i1', rank: 'any' }),
  'tile i32 rank 1': operand({ _tag: 'tile', element: 'i32', rank: 1 }),
  '= 1 | 2': { _tag: 'enum', of: [1, 2] },
  '= 16 | 32 | 64 | 128': { _tag: 'enum', of: [16, 32, 64, 128] },
  '= zero | nan': { _tag: 'enum', of: ['zero', 'nan'] },
  '= increase | decrease': { _tag: 'enum', of: ['increase', 'decrease'] },
  '= cta | cluster | global': { _tag: 'enum', of: ['cta', 'cluster', 'global'] },
  '= cta | cluster | gpu | sys': { _tag: 'enum', of: ['cta', 'cluster', 'gpu', 'sys'] },
  '= add | min | max | inc | dec | and | or | xor': {
    _tag: 'enum',
    of: ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'],
  },
  '= add | min | max | and | or | xor | exchange | cas': {
    _tag: 'enum',
    of: ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange', 'cas'],
  },
  '= 128x256b | 128x128b | 64x128b.warpx2::02_13 | 64x128b.warpx2::01_23 | 32x128b.warpx4 | 4x256b': {
    _tag: 'enum',
    of: [
      '128x256b',
      '128x128b',
      '64x128b.warpx2::02_13',
      '64x128b.warpx2::01_23',
      '32x128b.warpx4',
      '4x256b',
    ],
  },
}
