/**
 * What can be wrong with a trace, and where.
 *
 * An error names the line (from 1, as an editor counts), the field as a JSON path, what was expected there and what was found; its message
 * is these four in one line.
 *
 *     line 7: $.stamp.agent: expected one of 2 agents of the header, found 2
 *
 * | code              | what is wrong                                                                    |
 * |-------------------|----------------------------------------------------------------------------------|
 * | `trace.empty`     | there is no header                                                               |
 * | `trace.syntax`    | a line is not JSON                                                               |
 * | `trace.form`      | a line has not the form of a header, or of an event                              |
 * | `trace.reference` | an index, a layout, a footprint or a byte that is not there                      |
 * | `trace.order`     | places that do not count up, performs without issue, program order that goes back |
 * | `trace.size`      | more than the limits of `limits.ts`, or than can be judged                       |
 *
 * Law 1. Every refusal of the reader is one of these, and one line.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { showMismatch, type Mismatch } from '../../../wire.js'

export type TraceCode =
  'trace.empty' | 'trace.syntax' | 'trace.form' | 'trace.reference' | 'trace.order' | 'trace.size'

/** Wrong in a line that is not known yet. */
export interface Fault extends Mismatch {
  readonly code: TraceCode
}

export interface TraceError extends Failure<TraceCode>, Mismatch {
  /** from 1 */
  readonly line: number
}

export const wrong = (
  code: TraceCode,
  field: string,
  expected: string,
  found: string | number,
): E.Either<Fault, never> => E.left({ code, field, expected, found: String(found) })

export const onLine =
  (line: number) =>
  (f: Fault): TraceError => ({
    code: f.code,
    message: `line ${String(line)}: ${showMismatch(f)}`,
    line,
    field: f.field,
    expected: f.expected,
    found: f.found,
  })
