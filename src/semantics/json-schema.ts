/**
 * JSON Schemas of what this library reads and writes, for readers in other languages.
 *
 * They come from the same descriptions as the codecs (`../wire.ts`), so there is nothing to keep in step by hand; the
 * files under `schemas/` are these values, written out.
 *
 * Laws
 * 1. The files under `schemas/` are these schemas.
 * 2. Every program, and every verdict, that decodes satisfies its schema.
 *
 * Source: JSON Schema, draft 2020-12.
 */
import { programWire } from './codec.js'
import { programSchema } from './program.js'
import { verdictSchema } from './verdict.js'
import { verdictWire } from './verdict-codec.js'
import { type Json, schemaOf } from '../wire.js'

/** By file name under `schemas/`. */
export const jsonSchemas: Readonly<Record<string, Json>> = {
  'program.schema.json': schemaOf(programSchema, programWire),
  'verdict.schema.json': schemaOf(verdictSchema, verdictWire),
}

/** The text of a schema file. */
export const schemaText = (schema: Json): string => `${JSON.stringify(schema, null, 2)}\n`
