/**
 * Documents: the form of everything that a command prints with `--json`, one schema each.
 *
 * Every document is an object with a member `schema`, a name and a version. The JSON Schemas under `schemas/` are made of the descriptions in `documents/`
 * (those of programs, traces and verdicts of `semantics/json-schema.ts`), and every property says what it is.
 *
 * | printed by                                      | schema                   | file                        |
 * |-------------------------------------------------|--------------------------|-----------------------------|
 * | `check`, `run`                                  | `tcspec.verdict/2`       | `verdict.schema.json`       |
 * | `check`, `run` of a program of a host           | `tcspec.host-verdict/1`  | `host-verdict.schema.json`  |
 * | `banks`, `compare`, `cute`, `image`, `kernels`, `linear`, `mma`, `mutate`, `score`, `tiling`, `transform` | `tcspec.banks/1` and so on | `banks.schema.json` and so on |
 * | `ptx X.ptx`                                     | `tcspec.ptx/1`           | `ptx.schema.json`           |
 * | `litmus`                                        | `tcspec.litmus/1`        | `litmus.schema.json`        |
 * | `litmus`, of a test of PTX                      | `tcspec.litmus-answer/1` | `litmus-answer.schema.json` |
 * | `kernels X.ttgir`, `kernels X.ptx`              | `tcspec.signature/1`     | `signature.schema.json`     |
 * | `layout X`, `layout check`, `layout names`, `layout words` | `tcspec.layout/1`, `tcspec.layout-check/1`, `tcspec.layout-names/1`, `tcspec.layout-words/1` | `layout.schema.json`, ... |
 * | `tmem X`, `tmem A=... B=...`                    | `tcspec.tmem/1`, `tcspec.tmem-map/1` | `tmem.schema.json`, ... |
 * | `trace`; with `--format perfetto`               | `tcspec.events/1`; `tcspec.timeline/1` | `events.schema.json`, `timeline.schema.json` |
 * | `time`; with `--numbers`; with `--format perfetto` | `tcspec.time/1`; `tcspec.chip/1`; `tcspec.timeline/1` | `time.schema.json`, `chip.schema.json`, `timeline.schema.json` |
 * | `view`                                          | `tcspec.recording/1`     | `recording.schema.json`     |
 * | `view --values A`                               | `tcspec.values/1`        | `values.schema.json`        |
 * | `sweep`, `sweep merge`                          | `tcspec.sweep-summary/1` | `sweep-summary.schema.json` |
 * | `vectors -o DIR`, `vectors --list`              | `tcspec.vectors/1`, `tcspec.suites/1` | `vectors.schema.json`, `suites.schema.json` |
 * | any of them with `-o FILE`                      | `tcspec.written/1`       | `written.schema.json`       |
 * | any of them that refuses                        | `tcspec.error/1`         | `error.schema.json`         |
 *
 * In a directory of vectors: `tcspec.manifest/1`, `tcspec.suite/1`, `tcspec.case/1` in `manifest.schema.json` and so on.
 *
 * What commands are given:
 *
 * | given                                      | schema                          | file                              |
 * |--------------------------------------------|---------------------------------|-----------------------------------|
 * | a kernel that JAX traced                   | `tcspec.jaxpr/1`                | `jaxpr.schema.json`               |
 * | a launch of a module                       | `tcspec.launch/1`               | `launch.schema.json`              |
 * | a launch of PTX                            | `tcspec.ptx-launch/1`           | `ptx-launch.schema.json`          |
 * | a program of a host: its launches, streams, copies | `tcspec.host/1`          | `host.schema.json`                |
 * | a layout of registers                      | `tcspec.layout-description/1`   | `layout-description.schema.json`  |
 * | an encoding of Triton's, for any memory    | `tcspec.encoding/1`             | `encoding.schema.json`            |
 * | an array in shared memory: its transforms  | `tcspec.array/1`                | `array.schema.json`               |
 * | findings that a check may pass with        | `tcspec.accept/1`               | `accept.schema.json`              |
 * | a program, a trace                         | `tcspec.program/1`, `tcspec.trace/1` | `program.schema.json`, `trace.schema.json` |
 * | the grid of a sweep; a line of its results | `tcspec.sweep/1`, `tcspec.sweep-results/1` | `sweep.schema.json`, ...    |
 *
 * Law 1. What a command prints with `--json` satisfies the schema that it names.
 */
import { schemaOf, type Json } from '../wire.js'
import { descriptionWire } from '../layouts/description.js'
import { encodingWire } from '../layouts/encoding-wire.js'
import { arraySchema, arrayWire } from '../transforms/array.js'
import { documentWire, jaxprSchema } from '../dialects/jaxpr/index.js'
import { baselineWire } from '../semantics/files/accept-codec.js'
import { acceptSchema } from '../semantics/judging/accept.js'
import { kernelDocuments } from './documents/kernels.js'
import { layoutDocuments } from './documents/layouts.js'
import type { Document } from './documents/members.js'
import { runDocuments, timeline } from './documents/runs.js'
import { directoryDocuments, vectorsDocuments } from './documents/vectors.js'
import { verdictDocuments } from './documents/verdicts.js'
import { launchSchema, launchWire } from './launch/file.js'
import { hostSchema, hostWire } from './host/file.js'
import { ptxLaunchSchema, ptxLaunchWire } from './launch/ptx-file.js'
import { lineWire, resultsSchema } from './sweep/results.js'
import { sweepSchema, sweepWire } from './sweep/spec.js'

/** Of what a command is given, by file name under `schemas/`; programs and traces are in `semantics/files/json-schema.ts`. */
export const givenSchemas: Readonly<Record<string, Json>> = {
  'jaxpr.schema.json': schemaOf(jaxprSchema, documentWire),
  'accept.schema.json': schemaOf(acceptSchema, baselineWire),
  'launch.schema.json': schemaOf(launchSchema, launchWire),
  'ptx-launch.schema.json': schemaOf(ptxLaunchSchema, ptxLaunchWire),
  'host.schema.json': schemaOf(hostSchema, hostWire),
  'sweep.schema.json': schemaOf(sweepSchema, sweepWire),
  'sweep-results.schema.json': schemaOf(resultsSchema, lineWire),
  'layout-description.schema.json': schemaOf('tcspec.layout-description/1', descriptionWire),
  'encoding.schema.json': schemaOf('tcspec.encoding/1', encodingWire),
  'array.schema.json': schemaOf(arraySchema, arrayWire),
}

const schemasOf = (of: Readonly<Record<string, Document>>): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(of).map(([file, { schema, form }]) => [file, schemaOf(schema, form)]))

/** Of what stands in a directory of vectors, by file name under `schemas/`. */
export const vectorSchemas: Readonly<Record<string, Json>> = schemasOf(directoryDocuments)

/** By file name under `schemas/`. */
export const documentSchemas: Readonly<Record<string, Json>> = Object.assign(
  { 'timeline.schema.json': timeline },
  schemasOf(verdictDocuments),
  schemasOf(kernelDocuments),
  schemasOf(runDocuments),
  schemasOf(layoutDocuments),
  schemasOf(vectorsDocuments),
)
