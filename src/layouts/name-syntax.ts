/**
 * How people write the name of a layout: a name, arguments, and methods of the result.
 *
 *     WGMMA                          name WGMMA, no arguments
 *     plgpu.Layout.WGMMA.reduce(1)   name WGMMA, then reduce with the argument 1; the qualifiers say nothing
 *     WG_STRIDED((64, 16), 2)        name WG_STRIDED, arguments (64, 16) and 2
 *
 * An argument is an integer or a tuple of integers; a comma may stand behind the last. Which names there are is not decided here.
 *
 * Laws
 * 1. `parseCall(showCall(c)) = c` for every call.
 * 2. Spaces and the qualifiers `plgpu.` and `Layout.` change nothing.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../failure.js'
import { refuse } from '../failure.js'
import { showShape } from '../transforms/shape.js'

// ---------------------------------------------------------------------------------------------- model

export type Argument = number | ReadonlyArray<number>

export interface Applied {
  readonly name: string
  /** Empty also where no parentheses stand. */
  readonly arguments: ReadonlyArray<Argument>
}

export interface Call extends Applied {
  /** Methods of the result, in order. */
  readonly methods: ReadonlyArray<Applied>
}

export type NameSyntaxError = 'name.syntax'

// ---------------------------------------------------------------------------------------- constructors

const qualifiers = ['plgpu', 'Layout', 'TMEMLayout']

interface Read<A> {
  readonly value: A
  /** The token behind. */
  readonly next: number
}

type Reading<A> = E.Either<Failure<NameSyntaxError>, Read<A>>

/** Reads what people write. */
export const parseCall = (text: string): E.Either<Failure<NameSyntaxError>, Call> => {
  const tokens = text.match(/[A-Za-z_]\w*|-?\d+|\S/g) ?? []
  const isName = (at: number): boolean => /[A-Za-z_]/.test(tokens[at] ?? '')
  const isNumber = (at: number): boolean => /^-?\d/.test(tokens[at] ?? '')
  const expected = (what: string, at: number): E.Either<Failure<NameSyntaxError>, never> =>
    refuse(
      'name.syntax',
      `In ${JSON.stringify(text)}: expected ${what}, found ${at < tokens.length ? `'${tokens[at]!}'` : 'the end'}`,
    )

  /** A list behind its opening parenthesis. */
  const listOf = <A>(item: (at: number) => Reading<A>, from: number): Reading<ReadonlyArray<A>> => {
    const items: A[] = []
    let at = from
    while (tokens[at] !== ')') {
      const one = item(at)
      if (E.isLeft(one)) return one
      items.push(one.right.value)
      at = one.right.next
      if (tokens[at] === ',') at += 1
      else if (tokens[at] !== ')') return expected("',' or ')'", at)
    }
    return E.right({ value: items, next: at + 1 })
  }
  const integer = (at: number): Reading<number> =>
    isNumber(at) ? E.right({ value: Number(tokens[at]), next: at + 1 }) : expected('an integer', at)
  const argument = (at: number): Reading<Argument> =>
    tokens[at] === '('
      ? listOf(integer, at + 1)
      : isNumber(at)
        ? integer(at)
        : expected('an integer or a tuple', at)
  const applied = (at: number): Reading<Applied> => {
    if (!isName(at)) return expected('a name', at)
    const name = tokens[at]!
    if (tokens[at + 1] !== '(') return E.right({ value: { name, arguments: [] }, next: at + 1 })
    const args = listOf(argument, at + 2)
    return E.isLeft(args)
      ? args
      : E.right({ value: { name, arguments: args.right.value }, next: args.right.next })
  }

  let start = 0
  while (qualifiers.includes(tokens[start] ?? '') && tokens[start + 1] === '.') start += 2
  const head = applied(start)
  if (E.isLeft(head)) return head
  const methods: Applied[] = []
  let at = head.right.next
  while (tokens[at] === '.') {
    const method = applied(at + 1)
    if (E.isLeft(method)) return method
    methods.push(method.right.value)
    at = method.right.next
  }
  return at === tokens.length ? E.right({ ...head.right.value, methods }) : expected('the end', at)
}

// ----------------------------------------------------------------------------------------- destructors

const showApplied = ({ name, arguments: args }: Applied): string =>
  args.length === 0
    ? name
    : `${name}(${args.map((a) => (typeof a === 'number' ? String(a) : showShape(a))).join(', ')})`

export const showCall = (call: Call): string => [call, ...call.methods].map(showApplied).join('.')
