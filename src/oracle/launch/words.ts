/**
 * Arguments of a launch as words of a command line.
 *
 * | text                    | argument                                                                 |
 * |-------------------------|--------------------------------------------------------------------------|
 * | `M=128`, `M=128:i32`    | the number 128; its type may be said                                     |
 * | `scale=0.125`           | a number                                                                 |
 * | `a=a.npy`               | the tensor of the file; `a=a.npy:inout` says its role                    |
 * | `a=all.npz:w`           | the tensor w of the file; one called `in` is `a=all.npz:in:in`           |
 * | `c=f16[128,128]:out`    | a tensor of these extents, without a file; an input is seeded            |
 *
 * | `n=64:guess`            | the same, guessed by `tcspec kernels`: a fault or an O1 is not held against the kernel |
 *
 * What a word may be follows from the type of its parameter. The file of an output holds what is expected.
 *
 * Law 1. The words that are asked for, with their question marks filled in, are arguments of the right type.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Asked, Role, TensorArgument } from '../../dialects/ttgir/index.js'
import { dtypeNamed } from './file.js'
import { own } from '../../own.js'

export type WordFailure = Failure<'bad-flag'>

/** A number, a tensor without a file, or a file and a role. */
export type Word =
  | { readonly _tag: 'number'; readonly value: number | bigint }
  | { readonly _tag: 'tensor'; readonly tensor: TensorArgument }
  | { readonly _tag: 'file'; readonly file: string; readonly role?: Role }

const refuseWord = (p: Asked, expected: string, found: string): E.Either<WordFailure, never> =>
  refuse(
    'bad-flag',
    `--arg ${p.name}: expected ${expected}, found ${found === '' ? 'nothing' : `'${found}'`}`,
  )

const roleOf = (text: string | undefined): { readonly role?: Role } =>
  text === 'in' || text === 'out' || text === 'inout' ? { role: text } : {}

const numberOf = (
  p: Extract<Asked, { readonly _tag: 'scalar' }>,
  text: string,
): E.Either<WordFailure, Word> => {
  const [value = '', type, ...more] = text.split(':')
  if ((type !== undefined && type !== p.dtype) || more.length > 0)
    return refuseWord(p, `a number of type ${p.dtype}`, text)
  if (/^[+-]?\d+$/.test(value)) {
    const exact = BigInt(value)
    return E.right({ _tag: 'number', value: Number.isSafeInteger(Number(exact)) ? Number(exact) : exact })
  }
  if (p.dtype === 'i1' && (value === 'true' || value === 'false'))
    return E.right({ _tag: 'number', value: value === 'true' ? 1 : 0 })
  const isInteger = /^i\d+$/.test(p.dtype)
  const special: Readonly<Record<string, number>> = { inf: Infinity, '-inf': -Infinity, nan: NaN }
  const real =
    own(special, value) ?? (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : null)
  return real === null || isInteger
    ? refuseWord(p, `a number of type ${p.dtype}`, text)
    : E.right({ _tag: 'number', value: real })
}

/** An argument for a parameter. */
export const parseWord = (p: Asked, text: string): E.Either<WordFailure, Word> => {
  if (p._tag === 'scalar') return numberOf(p, text)
  const form = `a file, or ${p.dtype}[EXTENTS] with :in, :out or :inout`
  const spec = /^([A-Za-z_][\w.]*)\[([^\]]*)\](?::(\w+))?$/.exec(text)
  if (spec !== null) {
    const [, type = '', extents = '', role] = spec
    const dtype = dtypeNamed(type)
    if (
      dtype === null ||
      !/^\s*\d{1,9}(\s*,\s*\d{1,9})*\s*$/.test(extents) ||
      (role !== undefined && roleOf(role).role === undefined)
    )
      return refuseWord(p, form, text)
    return E.right({
      _tag: 'tensor',
      tensor: { dtype, shape: extents.split(',').map(Number), ...roleOf(role) },
    })
  }
  const [, file = '', role] = /^(.*?)(?::(in|out|inout))?$/s.exec(text) ?? []
  return file === '' || file.includes('?') || /^[+-]?\d+(\.\d*)?$/.test(file)
    ? refuseWord(p, form, text)
    : E.right({ _tag: 'file', file, ...roleOf(role) })
}
