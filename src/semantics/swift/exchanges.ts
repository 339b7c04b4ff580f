/** What lanes come to together, of words that lie in rows: `redux.sync`, as in `warps/lanes.ts`. */
import { unreachable } from '../../failure.js'
import { scalarOperation } from '../../numerics/scalar/index.js'
import type { Operation } from '../warps/program.js'

type Reduce = Extract<Operation, { readonly _tag: 'reduce' }>

const nameOf = ({ op, signed, float }: Reduce): string =>
  float !== undefined
    ? `${op}${float.propagates ? '.NaN' : ''}.f32`
    : op === 'add' || op === 'min' || op === 'max'
      ? `${op}.${signed ? 's32' : 'u32'}`
      : `${op}.b32`

/** One word for all of these lanes. */
export const reduced = (o: Reduce, words: Int32Array, list: Uint8Array): number => {
  const f = scalarOperation(nameOf(o))?.compute ?? unreachable(nameOf(o))
  const at = (lane: number): number =>
    o.float?.magnitudes === true ? words[o.value * 32 + lane]! & 0x7fffffff : words[o.value * 32 + lane]!
  // of one lane, too, a result of f32 is that of the operation
  let word = o.float === undefined ? at(list[0]!) : f(at(list[0]!), at(list[0]!))
  for (let i = 1; i < list.length; i++) word = f(word, at(list[i]!))
  return word | 0
}
