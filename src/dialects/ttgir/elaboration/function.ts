/** The function of a module that is launched, and the numbers that the module says of all of them. */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../../failure.js'
import { attributeOf, type Module, type Operation } from '../text/syntax.js'

/** `ttg.num-warps` and the like; null where it is not said. */
export const numberAttribute = (m: Module, name: string): number | null => {
  const a = attributeOf(m.attributes, name)
  return a?._tag === 'integer' ? Number(a.value) : null
}

export const functionName = (op: Operation): string => {
  const a = attributeOf(op.attributes, 'sym_name')
  return a?._tag === 'symbol' ? a.name : ''
}

const isPublic = (op: Operation): boolean => {
  const a = attributeOf(op.attributes, 'sym_visibility')
  return a?._tag === 'word' && a.word === 'public'
}

export const functionsOf = (m: Module): ReadonlyArray<Operation> =>
  m.operations.filter((op) => op.name === 'tt.func')

/** By its name, or the public one. */
export const functionOf = (m: Module, name?: string): E.Either<Failure<'ttgir.name'>, Operation> => {
  const functions = functionsOf(m)
  const wanted = functions.find((op) => (name === undefined ? isPublic(op) : functionName(op) === name))
  return wanted === undefined
    ? refuse(
        'ttgir.name',
        `expected ${name === undefined ? 'a public function' : `a function @${name}`}, found ${functions.map((f) => `@${functionName(f)}`).join(', ') || 'none'}`,
      )
    : E.right(wanted)
}
