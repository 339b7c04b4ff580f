/**
 * The page of the schemas, made of schemas/*.json: for each its name, what it describes, and the fields of its document with their words.
 *
 * Law 1. Every schema has a section under the name of its file.
 */

/** The part of JSON Schema that the files use. */
interface Schema {
  readonly title?: string
  readonly description?: string
  readonly type?: string | ReadonlyArray<string>
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly $ref?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly allOf?: ReadonlyArray<Schema>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly $defs?: Readonly<Record<string, Schema>>
}

const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/\n/g, ' ')

const named = (ref: string): string => ref.replace('#/$defs/', '')

/** What a field is, in a few words. */
const typeOf = (s: Schema): string => {
  if (s.$ref !== undefined) return `\`${named(s.$ref)}\``
  if (s.const !== undefined) return `\`${JSON.stringify(s.const)}\``
  if (s.enum !== undefined) {
    const words = s.enum.map((x) => `\`${JSON.stringify(x)}\``)
    return words.length > 8
      ? `${words.slice(0, 8).join(' ')} and ${String(words.length - 8)} more`
      : words.join(' ')
  }
  const either = s.anyOf ?? s.oneOf
  if (either !== undefined) {
    const all = [...new Set(either.map(typeOf))]
    return all.length > 6
      ? `${all.slice(0, 6).join(' or ')} or ${String(all.length - 6)} more`
      : all.join(' or ')
  }
  if (s.allOf !== undefined) return s.allOf.map(typeOf).join(' and ')
  if (s.type === 'array') return s.items === undefined ? 'array' : `array of ${typeOf(s.items)}`
  return typeof s.type === 'string' ? s.type : s.type === undefined ? 'anything' : s.type.join(' or ')
}

const fieldsOf = (s: Schema): ReadonlyArray<string> =>
  s.properties === undefined
    ? []
    : [
        '| field | is | |',
        '| --- | --- | --- |',
        ...Object.entries(s.properties).map(
          ([name, field]) =>
            `| \`${name}\`${s.required?.includes(name) === true ? '' : ' (may be absent)'} | ${cell(typeOf(field))} | ${cell(field.description ?? '')} |`,
        ),
        '',
      ]

/** The objects that the document itself is: through references and choices, to where fields are. */
const documentsOf = (root: Schema, s: Schema, seen: ReadonlySet<string>): ReadonlyArray<Schema> => {
  if (s.$ref !== undefined) {
    const name = named(s.$ref)
    const def = root.$defs?.[name]
    return def === undefined || seen.has(name) ? [] : documentsOf(root, def, new Set([...seen, name]))
  }
  if (s.properties !== undefined) return [s]
  return [...(s.allOf ?? []), ...(s.anyOf ?? []), ...(s.oneOf ?? [])].flatMap((one) =>
    documentsOf(root, one, seen),
  )
}

const section = (file: string, root: Schema): string =>
  [
    `## ${file}`,
    '',
    `\`${root.title ?? file}\`. [The schema as a file](${file}.schema.json).`,
    '',
    ...(root.description === undefined ? [] : [root.description, '']),
    ...documentsOf(root, root, new Set()).slice(0, 4).flatMap(fieldsOf),
  ].join('\n')

/** Markdown, of the schemas by the names of their files. */
export const schemasText = (schemas: ReadonlyArray<readonly [file: string, schema: Schema]>): string =>
  [
    '# Schemas',
    '',
    'The forms of the documents that `tcspec` reads, and of those that it prints with `--json`: JSON Schema, draft 2020-12. A document says its schema in the field `schema`.',
    '',
    ...schemas.map(([file, schema]) => section(file, schema)),
  ].join('\n')
