/**
 * Wire forms: how data looks in JSON.
 *
 * A `Wire<A>` is two readings of one description: an io-ts codec, which turns unknown JSON into an `A` or says where it
 * is not one, and a JSON Schema, for everyone else. The combinators below build both at once, so they cannot disagree,
 * and take the type `A` apart: tsc refuses a record with a field missing, or a union with a case missing.
 *
 *     record<Binder>()('Binder', { name: text, type: typeWire })
 *     tagged<Stmt>()('Stmt', { Let: letWire, Do: doWire, ... })
 *
 * Decoding is strict: a key that a record does not have is refused, so that a misspelt optional field is an error and not
 * a silent default. Encoding is the identity: the data is JSON already. (Infinities, NaN and -0 travel as text.)
 *
 * Laws
 * 1. `decode(encode(a)) = a`.
 * 2. What the codec accepts, the schema accepts; what the schema refuses, the codec refuses. (The codec also runs
 *    refinements that a schema cannot say.)
 * 3. An error is one line: JSON path, what was expected, what was found.
 * 4. No document is too deep to be refused: beyond `mostDepth` levels it is.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import type { Failure } from './failure.js'
import { failure } from './failure.js'
import { own } from './own.js'

// ---------------------------------------------------------------- model

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

export interface Wire<A> {
  readonly codec: t.Type<A, A, unknown>
  readonly schema: Json
  /** schemas of the named forms inside, for `$defs` */
  readonly definitions: Definitions
}

/** The named forms inside, except those already seen. */
export type Definitions = (seen: ReadonlySet<string>) => ReadonlyMap<string, Json>

/** The keys of `A` that may be missing. */
export type OptionalKeys<A> = {
  [K in keyof A]-?: Record<never, never> extends Pick<A, K> ? K : never
}[keyof A]

type Required<A> = { readonly [K in Exclude<keyof A, OptionalKeys<A> | symbol>]: Wire<A[K]> }
type Optional<A> = { readonly [K in Exclude<OptionalKeys<A>, symbol>]: Wire<Exclude<A[K], undefined>> }

const identity = <A>(a: A): A => a
const noDefinitions: Definitions = () => new Map()
const merged =
  (wires: ReadonlyArray<AnyWire>): Definitions =>
  (seen) =>
    new Map(wires.flatMap((wire) => [...wire.definitions(seen)]))

/** A form of something. */
export interface AnyWire {
  readonly codec: t.Mixed
  readonly schema: Json
  readonly definitions: Definitions
}

/** A JSON object: no list, and not null. */
export const isObject = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

const make = <A>(
  name: string,
  validate: (u: unknown, context: t.Context) => t.Validation<A>,
  schema: Json,
  definitions: Definitions = noDefinitions,
): Wire<A> => ({
  codec: new t.Type<A, A, unknown>(name, (u): u is A => E.isRight(validate(u, [])), validate, identity),
  schema,
  definitions,
})

// ---------------------------------------------------------------- constructors

const scalarWire = <A>(name: string, is: (u: unknown) => u is A, schema: Json): Wire<A> =>
  make(name, (u, c) => (is(u) ? t.success(u) : t.failure(u, c, name)), schema)

export const text: Wire<string> = scalarWire('a string', (u): u is string => typeof u === 'string', {
  type: 'string',
})
export const bool: Wire<boolean> = scalarWire('true or false', (u): u is boolean => typeof u === 'boolean', {
  type: 'boolean',
})
export const finite: Wire<number> = scalarWire(
  'a number',
  (u): u is number => typeof u === 'number' && Number.isFinite(u),
  { type: 'number' },
)
export const integer: Wire<number> = scalarWire('an integer', (u): u is number => Number.isSafeInteger(u), {
  type: 'integer',
})
export const nat: Wire<number> = scalarWire(
  'an integer of 0 or more',
  (u): u is number => typeof u === 'number' && Number.isSafeInteger(u) && u >= 0,
  { type: 'integer', minimum: 0 },
)
export const positive: Wire<number> = scalarWire(
  'a positive integer',
  (u): u is number => typeof u === 'number' && Number.isSafeInteger(u) && u > 0,
  { type: 'integer', minimum: 1 },
)

/** One of the given strings or numbers. */
export const oneOf = <T extends string | number | boolean>(...of: ReadonlyArray<T>): Wire<T> =>
  scalarWire(
    of.length === 1 ? JSON.stringify(of[0]) : `one of ${of.map((value) => JSON.stringify(value)).join(', ')}`,
    (u): u is T => of.some((value) => value === u),
    of.length === 1 ? { const: of[0]! } : { enum: of },
  )

/** One of the words of a union, those of a table of them. tsc demands every one of them. */
export const wordOf =
  <T extends string>() =>
  (words: { readonly [K in T]: unknown }): Wire<T> => {
    const all = Object.keys(words)
    return scalarWire(
      `one of ${all.map((word) => JSON.stringify(word)).join(', ')}`,
      (u): u is T => typeof u === 'string' && all.includes(u),
      { enum: all },
    )
  }

export const nothing: Wire<null> = scalarWire('null', (u): u is null => u === null, { type: 'null' })

/** JSON of any form: kept, and not looked at. */
export const anything: Wire<Json> = scalarWire('JSON', (u): u is Json => u !== undefined, {})

export const list = <A>(of: Wire<A>): Wire<ReadonlyArray<A>> =>
  make(
    'an array',
    (u, c) => {
      if (!Array.isArray(u)) return t.failure(u, c, 'an array')
      const values: A[] = []
      for (const [k, element] of u.entries()) {
        const result = of.codec.validate(element, t.appendContext(c, String(k), of.codec, element))
        if (E.isLeft(result)) return result
        values.push(result.right)
      }
      return t.success(values)
    },
    { type: 'array', items: of.schema },
    of.definitions,
  )

export const pair = <A>(of: Wire<A>): Wire<readonly [A, A]> =>
  refined(list(of), 'two elements', (values): values is readonly [A, A] => values.length === 2, {
    type: 'array',
    items: of.schema,
    minItems: 2,
    maxItems: 2,
  })

/** A narrower form, decided by a guard; `why` explains a refusal. */
export const refined = <A, B extends A>(
  of: Wire<A>,
  name: string,
  guard: (a: A) => a is B,
  schema: Json = of.schema,
  why: (a: A) => string = () => name,
): Wire<B> =>
  make(
    name,
    (u, c) => {
      const result = of.codec.validate(u, c)
      if (E.isLeft(result)) return result
      return guard(result.right) ? t.success(result.right) : t.failure(u, c, why(result.right))
    },
    schema,
    of.definitions,
  )

const controls = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** A text that is shown as part of a line: a name, a word. What a terminal obeys, or what ends a line, has no place in it. */
export const line: Wire<string> = refined(
  text,
  'a string',
  (s): s is string => !controls.test(s),
  text.schema,
  () => 'a string without control characters',
)

/** A value of one form or another, told apart by trying. */
export const either = <A, B>(name: string, a: Wire<A>, b: Wire<B>): Wire<A | B> =>
  make<A | B>(
    name,
    (u, c) => {
      const left = a.codec.validate(u, c)
      if (E.isRight(left)) return left
      const right = b.codec.validate(u, c)
      // The deeper error is of the form that was meant; of two as deep, the one that does not say that it is another form.
      return E.isRight(right) ||
        depth(right) > depth(left) ||
        (depth(right) === depth(left) && isOfKind(left) && !isOfKind(right))
        ? right
        : depth(left) > c.length
          ? left
          : t.failure(u, c, name)
    },
    { anyOf: [a.schema, b.schema] },
    merged([a, b]),
  )

/** Whether an error is that of a key that tells forms apart. */
const isOfKind = (result: t.Validation<unknown>): boolean =>
  E.isLeft(result) && result.left[0]?.context.at(-1)?.key === 'kind'

const depth = (result: t.Validation<unknown>): number =>
  E.isLeft(result) ? (result.left[0]?.context.length ?? 0) : 0

/**
 * A record: exactly these keys, the optional ones perhaps missing. Partially applied to its type, so that tsc can demand
 * every field. Field names of `A` that are symbols are phantoms and do not travel.
 */
export const record =
  <A>() =>
  (name: string, required: Required<A>, optional: Optional<A>): Wire<A> =>
    fields<A>(name, new Map(Object.entries(required)), new Map(Object.entries(optional)))

/** The same with fields that tsc does not know: for descriptions that are themselves data. */
export const fields = <A>(
  name: string,
  required: ReadonlyMap<string, AnyWire>,
  optional: ReadonlyMap<string, AnyWire>,
): Wire<A> => {
  const isWhole = (u: unknown): u is A => isObject(u)
  return make<A>(
    name,
    (u, c) => {
      if (!isObject(u)) return t.failure(u, c, name)
      for (const [key, wire] of required) {
        if (!Object.hasOwn(u, key))
          return t.failure(undefined, t.appendContext(c, key, wire.codec), wire.codec.name)
        const result = wire.codec.validate(own(u, key), t.appendContext(c, key, wire.codec, own(u, key)))
        if (E.isLeft(result)) return result
      }
      for (const key of Object.keys(u)) {
        if (required.has(key)) continue
        const wire = optional.get(key)
        if (wire === undefined)
          return t.failure(
            own(u, key),
            t.appendContext(c, key, t.unknown),
            `no such key in ${name}, which has ${[...required.keys(), ...optional.keys()].join(', ')}`,
          )
        const result = wire.codec.validate(own(u, key), t.appendContext(c, key, wire.codec, own(u, key)))
        if (E.isLeft(result)) return result
      }
      return isWhole(u) ? t.success(u) : t.failure(u, c, name)
    },
    {
      type: 'object',
      properties: Object.fromEntries([...required, ...optional].map(([key, wire]) => [key, wire.schema])),
      required: [...required.keys()],
      additionalProperties: false,
    },
    merged([...required.values(), ...optional.values()]),
  )
}

/** Any keys, all with values of one form. */
export const dictionary = <A>(name: string, of: Wire<A>): Wire<Readonly<Record<string, A>>> => {
  const isWhole = (u: unknown): u is Readonly<Record<string, A>> => isObject(u)
  return make(
    name,
    (u, c) => {
      if (!isObject(u)) return t.failure(u, c, name)
      for (const [key, value] of Object.entries(u)) {
        const result = of.codec.validate(value, t.appendContext(c, key, of.codec, value))
        if (E.isLeft(result)) return result
      }
      return isWhole(u) ? t.success(u) : t.failure(u, c, name)
    },
    { type: 'object', additionalProperties: of.schema },
    of.definitions,
  )
}

/** A union of records told apart by `_tag`. tsc demands every case. */
export const tagged =
  <A extends { readonly _tag: string }>() =>
  (name: string, cases: { readonly [K in A['_tag']]: Wire<Extract<A, { readonly _tag: K }>> }): Wire<A> =>
    byTag<A>(name, new Map(Object.entries(cases)))

export const byTag = <A>(name: string, known: ReadonlyMap<string, AnyWire>): Wire<A> =>
  byWord('_tag', name, known)

/** The same told apart by another key, for forms that people write. */
export const kinded =
  <A extends { readonly kind: string }>() =>
  (name: string, cases: { readonly [K in A['kind']]: Wire<Extract<A, { readonly kind: K }>> }): Wire<A> =>
    byWord<A>('kind', name, new Map(Object.entries(cases)))

/** The same told apart by `op`, for operations that follow one another. */
export const operated =
  <A extends { readonly op: string }>() =>
  (name: string, cases: { readonly [K in A['op']]: Wire<Extract<A, { readonly op: K }>> }): Wire<A> =>
    byWord<A>('op', name, new Map(Object.entries(cases)))

const byWord = <A>(key: string, name: string, known: ReadonlyMap<string, AnyWire>): Wire<A> => {
  const isWhole = (u: unknown): u is A => isObject(u)
  return make<A>(
    name,
    (u, c) => {
      if (!isObject(u)) return t.failure(u, c, name)
      const word = own(u, key)
      const wire = typeof word === 'string' ? known.get(word) : undefined
      if (wire === undefined)
        return t.failure(
          word,
          t.appendContext(c, key, t.string, word),
          `${name}: one of ${[...known.keys()].join(', ')}`,
        )
      const result = wire.codec.validate(u, c)
      if (E.isLeft(result)) return result
      return isWhole(u) ? t.success(u) : t.failure(u, c, name)
    },
    // words that share a form are one case of it
    { oneOf: [...new Set(known.values())].map(({ schema }) => schema) },
    merged([...known.values()]),
  )
}

/** The same form with a word on what it means, for readers of the schema. */
export const described = <W extends AnyWire>(of: W, description: string): W =>
  Object.assign({}, of, { schema: Object.assign({ description }, of.schema) })

/** A form with a name of its own in the schema; `of` is lazy, so forms may contain themselves. */
export const define = <A>(name: string, of: () => Wire<A>): Wire<A> => ({
  codec: t.recursion<A, A, unknown>(name, () => of().codec),
  schema: { $ref: `#/$defs/${name}` },
  definitions: (seen) =>
    seen.has(name)
      ? new Map()
      : new Map([...of().definitions(new Set([...seen, name])), [name, of().schema]]),
})

// ---------------------------------------------------------------- destructors

/** `$.entry.body[3].instruction.count`: the place of an error. */
const pathOf = (context: t.Context): string =>
  context.reduce(
    (path, { key }) => (key === '' ? path : /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`),
    '$',
  )

const show = (found: unknown): string => {
  if (found === undefined) return 'nothing'
  if (Array.isArray(found)) return `an array of ${String(found.length)}`
  if (isObject(found)) {
    const key = ['_tag', 'kind', 'op'].find((k) => typeof own(found, k) === 'string')
    return key === undefined ? 'an object' : `an object with ${key} ${JSON.stringify(own(found, key))}`
  }
  const text = JSON.stringify(found)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** Levels of arrays and records in a document: a walk through it, by recursion, has stack for so many. */
export const mostDepth = 512

/** Whether a document has more levels than that. */
export const isDeep = (document: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [document]
  for (let depth = 0; depth <= mostDepth; depth++) {
    const below: unknown[] = []
    for (const u of level)
      if (typeof u === 'object' && u !== null) for (const inner of Object.values(u)) below.push(inner)
    if (below.length === 0) return false
    level = below
  }
  return true
}

/** Decodes, or says in one line where and what was expected and found. */
export const decode =
  <A, Code extends string>(wire: Wire<A>, code: Code) =>
  (u: unknown): E.Either<Failure<Code>, A> =>
    E.mapLeft((m: Mismatch) => failure(code, showMismatch(m)))(read(wire)(u))

/** Where data is not of the form, and how. */
export interface Mismatch {
  /** `$.entry.body[3].instruction.count` */
  readonly field: string
  readonly expected: string
  readonly found: string
}

export const showMismatch = ({ field, expected, found }: Mismatch): string =>
  `${field}: expected ${expected}, found ${found}`

/** `decode` for those who tell the parts of an error apart. */
export const read =
  <A>(wire: Wire<A>) =>
  (u: unknown): E.Either<Mismatch, A> => {
    if (isDeep(u))
      return E.left({ field: '$', expected: `at most ${String(mostDepth)} levels`, found: 'more' })
    const result = wire.codec.decode(u)
    if (E.isRight(result)) return result
    const error = result.left[0]
    return E.left({
      field: error === undefined ? '$' : pathOf(error.context),
      expected: error?.message ?? 'something else',
      found: error === undefined ? 'this' : show(error.value),
    })
  }

/** The whole schema of a form with a name. */
export const schemaOf = (title: string, wire: AnyWire): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  allOf: [wire.schema],
  $defs: Object.fromEntries(
    [...wire.definitions(new Set())].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  ),
})
