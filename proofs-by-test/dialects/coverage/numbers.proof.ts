/**
 * A number where an expression belongs, as JavaScript lets it stand: every kernel of the surfaces' rows once more, with one of the expressions
 * that its calls are given exchanged for a number. It is refused, or was a number all along; nothing throws, and what is taken is a program
 * that its JSON gives back.
 *
 * By day one expression of a call is exchanged, of two calls of each kernel; by night every one of all calls.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/failure.js'
import { decodeProgram, printJson } from '../../../src/semantics/files/codec.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { nightly } from '../../extent.js'
import { pallas, ttng } from './all.js'

/** Of expressions, and of nothing else: there are layouts that are called slice and splat. */
const expressions: ReadonlySet<unknown> = new Set(
  'name const place unary binary compare select convert storage tensor slot iota item'.split(' '),
)
const isPlain = (value: object): boolean => {
  const proto: unknown = Object.getPrototypeOf(value)
  return (proto === Object.prototype || Array.isArray(value)) && !('param' in value || 'run' in value)
}

/** The arguments with the first expression that `exchange` takes replaced. */
const exchanged = (value: unknown, exchange: () => boolean): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if ('_tag' in value) return expressions.has(value._tag) && exchange() ? 3 : value
  if (Array.isArray(value)) return value.map((v) => exchanged(v, exchange))
  return isPlain(value)
    ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, exchanged(v, exchange)]))
    : value
}

/** The surface whose calls count the expressions that they are given, and exchange one. */
const counting = <S extends object>(
  surface: S,
  which: number,
): { readonly surface: S; readonly seen: () => number } => {
  let seen = 0
  const wrapped = Object.entries(surface).map(([name, f]: [string, unknown]) => [
    name,
    // a function with others on it (`ACC.init`) keeps them
    typeof f === 'function'
      ? Object.assign((...args: ReadonlyArray<unknown>): unknown => {
          const given = args.map((arg) => exchanged(arg, () => seen++ === which))
          return (f as (...all: ReadonlyArray<unknown>) => unknown)(...given)
        }, f)
      : f,
  ])
  return { surface: Object.fromEntries(wrapped) as S, seen: () => seen }
}

const outcomeOf = (made: E.Either<Failure, Program>): string => {
  if (E.isLeft(made))
    return made.left.code === '' || made.left.message === '' ? 'says nothing' : made.left.code
  return E.isRight(decodeProgram(JSON.parse(printJson(made.right)))) ? 'a program' : 'no program'
}

const outcomes = new Map<string, number>()
const judge = <S extends object>(
  surface: S,
  rows: ReadonlyArray<{
    readonly example: { readonly name: string; readonly program: (s: S) => E.Either<Failure, Program> }
  }>,
): void => {
  for (const [r, { example }] of rows.entries()) {
    const whole = counting(surface, -1)
    example.program(whole.surface)
    const all = Array.from({ length: whole.seen() }, (_, k) => k)
    const some = nightly ? all : all.filter((k) => r % 2 === 0 && k === r % all.length)
    for (const k of some) {
      const outcome = ((): string => {
        try {
          return outcomeOf(example.program(counting(surface, k).surface))
        } catch (error) {
          return `throws ${String(error)}`
        }
      })()
      expect([example.name, k, outcome]).toEqual([
        example.name,
        k,
        expect.not.stringMatching(/^(throws|no program|says nothing)/),
      ])
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
}

describe('a number where an expression belongs is refused where it is given', () => {
  test.each(pallas.rooms.map(([room, rows]) => [room, rows] as const))('Pallas: %s', (_, rows) => {
    judge(pallas.surface, rows)
  })
  test.each(ttng.rooms.map(([room, rows]) => [room, rows] as const))('ttng: %s', (_, rows) => {
    judge(ttng.surface, rows)
  })
  test('most of them as what they are', () => {
    const refused = outcomes.get('type.expression') ?? 0
    expect(refused).toBeGreaterThan(nightly ? 250 : 50)
    expect([...outcomes.values()].reduce((sum, n) => sum + n, 0)).toBeLessThan(1.1 * refused)
  })
})
