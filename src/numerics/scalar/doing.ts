/**
 * What an operation does, as far as an analysis of warps asks: its name is read here and nowhere else.
 *
 * | name                    | does                                                        |
 * |-------------------------|-------------------------------------------------------------|
 * | selp.b64                | chooses: the last operand says which of two is the result   |
 * | setp.lt.s32             | compares by lt as s32, plainly                              |
 * | setp.lt.and.s32         | compares by lt as s32, and the result is joined with another |
 * | cvt.u64.u32             | converts u32 to u64, one at a time, plainly                 |
 * | cvt.rn.satfinite.e4m3x2.f32 | converts f32 to e4m3, two at a time, as `rn` and `satfinite` say |
 * | add.rn.ftz.f32          | computes `add` of f32, as `rn` and `ftz` say                |
 *
 * Laws
 * 1. What chooses has as its result the words of its first value where the last operand holds, and else those of the second.
 * 2. What compares plainly says of two operands whether the comparison holds, and the opposite where it has a second result.
 * 3. What converts whole numbers plainly leaves a value that both types have as it is.
 */
import { remembered } from '../../remembered.js'
import type { ScalarOperation } from './operation.js'
import { scalarOperation } from './table.js'

export type Doing =
  | { readonly _tag: 'chooses' }
  | {
      readonly _tag: 'compares'
      /** `lt`, `hs`, `equ` */
      readonly by: string
      readonly type: string
      /** neither joined with a predicate, nor with subnormal numbers as zeros */
      readonly plain: boolean
    }
  | {
      readonly _tag: 'converts'
      readonly to: string
      readonly from: string
      /** results of one call; operands may be as many registers, or one with both */
      readonly count: 1 | 2
      /** how it rounds and what it does with numbers beyond the range */
      readonly modifiers: ReadonlyArray<string>
    }
  | {
      readonly _tag: 'computes'
      /** the first part of the name: `add`, `and` */
      readonly op: string
      /** the last */
      readonly type: string
      readonly modifiers: ReadonlyArray<string>
    }

/** A type, and whether a register has two of it. */
const single = (type: string): readonly [string, 1 | 2] =>
  type.endsWith('x2') ? [type.slice(0, -2), 2] : [type, 1]

const doingOfRow: (row: ScalarOperation) => Doing = remembered(({ name }) => {
  const [base = '', ...parts] = name.split('.')
  const last = parts.length - 1
  if (base === 'selp') return { _tag: 'chooses' }
  if (base === 'setp')
    return { _tag: 'compares', by: parts[0]!, type: parts[last]!, plain: parts.length === 2 }
  if (base !== 'cvt' || parts[0] === 'pack')
    return { _tag: 'computes', op: base, type: parts[last]!, modifiers: parts.slice(0, last) }
  const [to, count] = single(parts[last - 1]!)
  const [from] = single(parts[last]!)
  return { _tag: 'converts', to, from, count, modifiers: parts.slice(0, last - 1) }
})

const nothingKnown: Doing = { _tag: 'computes', op: '', type: '', modifiers: [] }

/** What the operation of this name does; of what has no row nothing is known. */
export const doingOf = (name: string): Doing => {
  const row = scalarOperation(name)
  return row === undefined ? nothingKnown : doingOfRow(row)
}
