/**
 * Traces: logs as JSON lines, schema `tcspec.trace/1`.
 *
 * The first line is the header, every other line one event with its place `i` in the log. So a trace can be written while a run
 * goes on, read while it is written, and made elsewhere: by a simulator, an instrumented kernel. A fold over a log
 * (the detector, provenance) cannot tell a trace from a run.
 *
 *     {"schema":"tcspec.trace/1","arch":"sm90a", ... }
 *     {"i":0,"_tag":"cluster","id":0}
 *     {"i":7,"_tag":"access", ... ,"footprint":{"_tag":"view","id":0,"plane":3,"dtype":"f16","layout":0,"base":0,"define":{...}}}
 *     {"i":9,"_tag":"access", ... ,"footprint":0}
 *
 * A trace needs no last line: it is whole when every agent that starts has exited in every cluster, or something stands blocked
 * (`ending.ts`). The header's `clusters` says how many there are; without it, those that have begun are all. What was cut is `undecided`.
 *
 * Nothing bounds the number of its lines. Bounded are what one line asks for (2^18 elements an access) and what all lines together have listed (2^26
 * elements of spans and of layouts, each layout once), agents and barriers (1,024 each), and how often places overlap.
 *
 *     error       what can be wrong, and where
 *     header      the first line
 *     footprint   places in memory, written once and then named
 *     event       all other lines
 *     writer, reader
 *     ending      whether it is the log of a whole run
 *     judge       the verdict on a trace
 *     chronicle   what each event refers to, for tables and timelines
 *
 * Laws
 * 1. `decodeTrace(encodeTrace(h, es))` is h and es, with footprints that are equal in plane, dtype, map and spans, and that
 *    are one object where they were.
 * 2. `encodeTrace` of what was decoded is the text that was decoded, when that text came from `encodeTrace`.
 * 3. An error is one line: number of the line, JSON path, what was expected, what was found.
 * 4. The verdict on the trace of a run is the verdict on the run.
 */
export { chronicle, type Entry } from './chronicle.js'
export type { TraceCode, TraceError } from './error.js'
export { lineWire, type Line } from './event.js'
export { headerWire } from './header.js'
export { judgeTrace, type JudgeOptions } from './judge.js'
export { decodeTrace, foldTrace, type Trace } from './reader.js'
export { encodeTrace, tracing, type Writer } from './writer.js'
