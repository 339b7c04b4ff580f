/**
 * Damaged documents: JSON that is a few edits away from something that was right.
 *
 * Random JSON is refused at its first key. What finds mistakes in a reader is a document that was legal and is so no more, or is so
 * still and means something that is never written. An edit picks a place by its number in preorder and does one thing there:
 *
 * | edit      | does                                                                        |
 * |-----------|-----------------------------------------------------------------------------|
 * | `remove`  | takes the field or the element away                                         |
 * | `repeat`  | the element twice; a field under a second name                              |
 * | `replace` | another value: huge, negative, zero, empty, of another type, a word of prototypes |
 * | `scale`   | a number a little beside itself, its negative, a thousandfold               |
 * | `graft`   | the part of the document that stands at another place                       |
 * | `kin`     | the same, taken from a place under the same key: a shape for a shape, an expression for an expression |
 * | `bury`    | the value inside of many arrays, records or copies of its own parent        |
 *
 *     { "from": 0, "to": 8 }   scale at 2, by the third way   { "from": 0, "to": 8192 }
 *
 * It shrinks towards fewer edits, earlier places and smaller values.
 *
 * Laws
 * 1. A damaged document is JSON: its text is read back as itself.
 * 2. Without edits it is the document that was given.
 * 3. Every kind of edit occurs.
 * 4. No edit buries a value in more than 2,000 others.
 */
import * as fc from 'fast-check'
import type { Json } from '../wire.js'

// ---------------------------------------------------------------- model

type Key = string | number
type Fields = Readonly<Record<string, Json>>

const editKinds = ['remove', 'repeat', 'replace', 'scale', 'graft', 'kin', 'bury'] as const
export type EditKind = (typeof editKinds)[number]

/** Numbers are taken modulo the number of choices. */
export interface Edit {
  readonly kind: EditKind
  readonly at: number
  readonly what: number
}

// ---------------------------------------------------------------- values

/** What a reader may stumble over. */
const values: ReadonlyArray<Json> = [
  0,
  1,
  -1,
  2,
  3,
  7,
  16,
  32,
  64,
  128,
  256,
  1024,
  0.5,
  65_536,
  2 ** 20,
  2 ** 27,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e300,
  -1e-300,
  true,
  false,
  null,
  '',
  'NaN',
  '-Infinity',
  '-0',
  '1e999',
  '9223372036854775808',
  '__proto__',
  'constructor',
  'toString',
  'any',
  'f32',
  'i1',
  [],
  [[]],
  [0],
  [1, 1],
  [0, 0],
  [2 ** 31],
  [65_536, 65_536],
  [1, 2, 3, 4, 5, 6],
  {},
  { _tag: '' },
  { _tag: 'const', dtype: 'i32', value: -1 },
  { _tag: 'const', dtype: 'i32', value: 2_147_483_647 },
  { _tag: 'const', dtype: 'i1', value: 1 },
  { _tag: 'name', name: 'absent' },
]

const scaled: ReadonlyArray<(n: number) => number> = [
  (n) => n + 1,
  (n) => n - 1,
  (n) => n * 2,
  (n) => n * 1024,
  (n) => n / 2,
  (n) => -n,
  (n) => n ^ 16,
  (n) => n * 2 ** 31,
]

// ---------------------------------------------------------------- places

const isList = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)
const isFields = (json: Json): json is Fields =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

interface Place {
  readonly value: Json
  /** the name of the field or the number of the element that it is */
  readonly key: Key | null
  readonly parent: Place | null
  /** how many lists and records it stands in */
  readonly level: number
}

/** Every place of a document, in preorder; the document itself is the first. No recursion: a document may be deep. */
const placesOf = (document: Json): ReadonlyArray<Place> => {
  const places: Place[] = []
  const waiting: Place[] = [{ value: document, key: null, parent: null, level: 0 }]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const parent = place
    places.push(parent)
    const { value } = parent
    const level = parent.level + 1
    const inside: ReadonlyArray<Place> = isList(value)
      ? value.map((one, key) => ({ value: one, key, parent, level }))
      : isFields(value)
        ? Object.entries(value).map(([key, one]) => ({ value: one, key, parent, level }))
        : []
    for (let k = inside.length - 1; k >= 0; k--) waiting.push(inside[k]!)
  }
  return places
}

const pick = <A>(from: ReadonlyArray<A>, number: number): A => from[number % from.length]!

/** The document with other things (none, one, two) where the place is. */
const changed = (place: Place, instead: ReadonlyArray<Json>): Json => {
  const { parent, key } = place
  if (parent === null) return instead[0] ?? null
  const { value } = parent
  const outer: Json = isList(value)
    ? value.flatMap((one, k) => (k === key ? instead : [one]))
    : isFields(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, one]): ReadonlyArray<readonly [string, Json]> =>
            name === key
              ? instead.map((x, k) => [k === 0 ? name : `${name}${String(k)}`, x] as const)
              : [[name, one]],
          ),
        )
      : value
  return changed(parent, [outer])
}

// ---------------------------------------------------------------- edits

/** The last is deep enough that a reader by recursion is short of stack. */
const depths: ReadonlyArray<number> = [1, 2, 40, 400, 1_500]
/** No document grows by more than this many places, */
const mostPlaces = 5_000
/** nor do its values stand in more than this many others: the reader of a document may be short of stack, its writer not. */
const mostLevels = 2_000

/** In arrays, in records, or in copies of the record that it stands in: an expression in many of its own kind. */
const buried = ({ value, key, parent }: Place, what: number): Json => {
  const around = typeof key === 'string' && parent !== null && isFields(parent.value) ? parent.value : null
  const way = around === null ? what % 2 : what % 3
  const each = way === 2 && around !== null ? placesOf(around).length : 1
  const depth = Math.min(pick(depths, Math.floor(what / 3)), Math.floor(mostPlaces / each))
  let json = value
  for (let k = 0; k < depth; k++) {
    const inner: Json = json
    json =
      way === 0
        ? [inner]
        : way === 1 || around === null
          ? { x: inner }
          : Object.fromEntries(
              Object.entries(around).map(([name, one]): readonly [string, Json] => [
                name,
                name === key ? inner : one,
              ]),
            )
  }
  return json
}

/** The key of a place, of its list for an element. */
const kindOfPlace = ({ key, parent }: Place): string =>
  typeof key === 'number' ? `[] ${String(parent?.key ?? '')}` : String(key)

const kindOfValue = (json: Json): string => (isList(json) ? 'list' : json === null ? 'null' : typeof json)

const insteadOf = (places: ReadonlyArray<Place>, place: Place, { kind, what }: Edit): ReadonlyArray<Json> => {
  const { value } = place
  switch (kind) {
    case 'remove':
      return []
    case 'repeat':
      return [value, value]
    case 'replace': {
      // mostly by something that the same reader reads
      const alike = values.filter((one) => kindOfValue(one) === kindOfValue(value))
      return [what % 4 === 0 ? pick(values, what >> 2) : pick(alike.length === 0 ? values : alike, what >> 2)]
    }
    case 'scale':
      return [typeof value === 'number' ? pick(scaled, what)(value) : pick(values, what)]
    case 'graft':
      return [pick(places, what).value]
    case 'kin': {
      const like = kindOfPlace(place)
      return [
        pick(
          places.filter((one) => kindOfPlace(one) === like),
          what,
        ).value,
      ]
    }
    case 'bury':
      return [buried(place, what)]
  }
}

/** Whether a value may stand there: it is not much larger than a document, and not too deep. */
const fits = (place: Place, instead: ReadonlyArray<Json>): boolean => {
  const inside = instead.flatMap(placesOf)
  return inside.length <= 3 * mostPlaces && inside.every(({ level }) => place.level + level <= mostLevels)
}

/** The document after one edit. A graft that would make the document too large changes nothing. */
export const edited = (document: Json, edit: Edit): Json => {
  const places = placesOf(document)
  const place = pick(places, edit.at)
  const instead = insteadOf(places, place, edit)
  return fits(place, instead) ? changed(place, instead) : document
}

// ---------------------------------------------------------------- arbitraries

/** One edit, of any kind unless some are named. */
export const edit = (kinds: ReadonlyArray<EditKind> = editKinds): fc.Arbitrary<Edit> =>
  fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(), what: fc.nat() })

export interface DamageConstraints {
  /** 4 if not given */
  readonly maxEdits?: number
  /** all if not given */
  readonly kinds?: ReadonlyArray<EditKind>
}

/** A few edits. */
export const edits = ({ maxEdits = 4, kinds = editKinds }: DamageConstraints = {}): fc.Arbitrary<
  ReadonlyArray<Edit>
> => fc.array(edit(kinds), { maxLength: maxEdits })

/** One of the documents after a few edits. */
export const damaged = (
  documents: ReadonlyArray<Json>,
  constraints: DamageConstraints = {},
): fc.Arbitrary<Json> =>
  fc
    .tuple(fc.constantFrom(...documents), edits(constraints))
    .map(([document, some]) => some.reduce(edited, document))
