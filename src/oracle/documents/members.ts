/** How documents are written down: members that say what they are, and the forms that several documents have. */
import {
  anything,
  described,
  either,
  fields,
  integer,
  list,
  nat,
  nothing,
  oneOf,
  refined,
  type AnyWire,
  type Json,
  type Wire,
} from '../../wire.js'

/** What stands under a key, and what it means. */
export type Members = Readonly<Record<string, readonly [form: AnyWire, meaning: string]>>

const entries = (members: Members): ReadonlyMap<string, AnyWire> =>
  new Map(Object.entries(members).map(([key, [form, meaning]]) => [key, described(form, meaning)]))

export const object = (name: string, required: Members, optional: Members = {}): Wire<unknown> =>
  fields<unknown>(name, entries(required), entries(optional))

export const ints: Wire<ReadonlyArray<number>> = list(integer)

export const orNull = <A>(what: string, form: Wire<A>): Wire<A | null> =>
  either(`null or ${what}`, nothing, form)

export const shape: Members[string] = [list(nat), 'extent of every dimension']

export const bits: Members[string] = [nat, 'bits of an element']

/** A list of a few parts, each with its own form. */
export const tuple = (name: string, ...parts: ReadonlyArray<AnyWire>): Wire<ReadonlyArray<Json>> =>
  refined(list(anything), name, (found): found is ReadonlyArray<Json> => found.length === parts.length, {
    type: 'array',
    prefixItems: parts.map((part) => part.schema),
    minItems: parts.length,
    items: false,
  })

export interface Document {
  readonly schema: string
  readonly form: AnyWire
}

export const document = (
  schema: string,
  what: string,
  required: Members,
  optional: Members = {},
): Document => ({
  schema,
  form: object(
    what,
    Object.assign({ schema: [oneOf(schema), 'name and version of this schema'] } satisfies Members, required),
    optional,
  ),
})
