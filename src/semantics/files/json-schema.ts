/**
 * JSON Schemas of what this library reads and writes, for readers in other languages.
 *
 * They come from the same descriptions as the codecs (`../../wire.ts`), so there is nothing to keep in step by hand; the
 * files under `schemas/` are these values, written out.
 *
 * Laws
 * 1. The files under `schemas/` are these schemas.
 * 2. Every program, every verdict, and every line of a trace, that decodes satisfies its schema.
 *
 * Source: JSON Schema, draft 2020-12.
 */
import { programWire } from './codec.js'
import { traceSchema } from '../log/events.js'
import { programSchema } from '../language/program.js'
import { headerWire, lineWire } from './trace/index.js'
import { verdictSchema } from '../judging/verdict.js'
import { verdictWire } from './verdict-codec.js'
import { either, type Json, schemaOf } from '../../wire.js'

/** By file name under `schemas/`. */
export const jsonSchemas: Readonly<Record<string, Json>> = {
  'program.schema.json': schemaOf(programSchema, programWire),
  'verdict.schema.json': schemaOf(verdictSchema, verdictWire),
  // of one line: the header, or an event
  'trace.schema.json': schemaOf(traceSchema, either('a line of a trace', headerWire, lineWire)),
}

/** The text of a schema file. */
export const schemaText = (schema: Json): string => `${JSON.stringify(schema, null, 2)}\n`
