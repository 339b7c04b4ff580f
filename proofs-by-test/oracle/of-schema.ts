/** Documents of a JSON Schema, drawn at random: what the schema says may be there, each form of it. */
import * as fc from 'fast-check'
import type { Json } from '../../src/wire.js'

type Fields = Readonly<Record<string, Json>>
const isFields = (json: Json | undefined): json is Fields =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
const listOf = (json: Json | undefined): ReadonlyArray<Json> => (Array.isArray(json) ? json : [])

const words = fc.oneof(
  fc.constantFrom('a', 'WGMMA', 'dim0', '__proto__', 'constructor', ''),
  fc.string({ maxLength: 6 }),
)
const key = fc.string({ maxLength: 4 }).filter((k) => k !== '__proto__')

/** Deeper than this, lists and optional members stay empty, and unions take their first form that ends. */
const deepest = 5

/** A document of a whole schema: of its `$defs`, the one that `allOf` names. */
export const documentOf = (schema: Json): fc.Arbitrary<Json> => {
  const definitions = isFields(schema) && isFields(schema['$defs']) ? schema['$defs'] : {}
  const of = (node: Json, depth: number): fc.Arbitrary<Json> => {
    if (!isFields(node)) throw new Error(`no schema: ${JSON.stringify(node)}`)
    const { $ref: ref, const: one, type } = node
    if (typeof ref === 'string') return of(definitions[ref.replace('#/$defs/', '')]!, depth + 1)
    if (one !== undefined) return fc.constant(one)
    if (node['enum'] !== undefined) return fc.constantFrom(...listOf(node['enum']))
    for (const union of ['allOf', 'anyOf', 'oneOf']) {
      const forms = listOf(node[union])
      if (forms.length > 0)
        return depth > deepest
          ? of(forms[0]!, depth)
          : fc.oneof(...forms.map((form) => of(form, depth + (forms.length > 1 ? 1 : 0))))
    }
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'string':
        return words
      case 'number':
        return fc.oneof(
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0)),
        )
      case 'integer':
        return fc.oneof(
          fc.integer({ min: typeof node['minimum'] === 'number' ? node['minimum'] : -9, max: 130 }),
          fc.constant(2 ** 53 - 1),
        )
      case 'array': {
        const least = typeof node['minItems'] === 'number' ? node['minItems'] : 0
        const most = typeof node['maxItems'] === 'number' ? node['maxItems'] : depth > deepest ? 0 : 3
        return fc.array(of(node['items']!, depth + 1), { minLength: least, maxLength: most })
      }
      case 'object': {
        const members = isFields(node['properties']) ? node['properties'] : {}
        const required = listOf(node['required']).map(String)
        if (isFields(node['additionalProperties']))
          return fc.dictionary(key, of(node['additionalProperties'], depth + 1), {
            maxKeys: depth > deepest ? 0 : 3,
          })
        const there = Object.entries(members).filter(([name]) => required.includes(name) || depth <= deepest)
        return fc.record(Object.fromEntries(there.map(([name, form]) => [name, of(form, depth + 1)])), {
          requiredKeys: required,
        })
      }
      default:
        return fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)
    }
  }
  return of(schema, 0)
}
