/** Kernels as JAX traced them, with what they are given and what they must leave (`conformance/jaxpr/async`, written by `python/tests/export_async.py`). */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../src/failure.js'
import { decodeDocument, elaborate, type Document } from '../../../src/dialects/jaxpr/index.js'
import type { Eqn } from '../../../src/dialects/jaxpr/document.js'
import { bitsOf, isDtype, isFloat } from '../../../src/numerics/dtype.js'
import type { Program } from '../../../src/semantics/language/program.js'
import {
  check,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../src/semantics/verdict/check.js'
import { constantOf } from '../../../src/semantics/language/typecheck.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { bits } from '../../arithmetic.js'
import { right } from '../../either.js'

export interface Exported {
  readonly document: unknown
  /** bytes of operands, deflated, in base64 */
  readonly inputs: Readonly<Record<string, string>>
  readonly outputs: Readonly<Record<string, string>>
}

/** Elements as the machine holds them: patterns of floats, values of integers. */
export const elementsOfBytes = (dtype: string, bytes: Buffer): Float64Array => {
  // numbers of 2 bits are words here
  const of = isDtype(dtype) ? dtype : 'u32'
  const width = Math.ceil(bitsOf(of) / 8)
  const unsigned = isFloat(of) || of.startsWith('u')
  return Float64Array.from({ length: bytes.length / width }, (_, k) =>
    unsigned ? bytes.readUIntLE(k * width, width) : bytes.readIntLE(k * width, width),
  )
}

/** Those that are deflated in base64. */
export const elements = (dtype: string, packed: string): Float64Array =>
  elementsOfBytes(dtype, inflateSync(Buffer.from(packed, 'base64')))

interface Folder {
  readonly names: ReadonlyArray<string>
  readonly text: (name: string) => string
}
export const inFolder = (folder: string): Folder => {
  const at = fileURLToPath(new URL(`../../../conformance/jaxpr/${folder}/`, import.meta.url))
  return {
    names: readdirSync(at)
      .filter((f) => f.endsWith('.json'))
      .map((f) => f.slice(0, -5))
      .sort(),
    text: (name: string): string => readFileSync(`${at}${name}.json`, 'utf8'),
  }
}
const held = inFolder('async')
export const asynchronous: {
  readonly names: ReadonlyArray<string>
  readonly read: (name: string) => Exported
} = {
  names: held.names,
  read: (name: string): Exported => JSON.parse(held.text(name)) as Exported,
}

// ---------------------------------------------------------------- documents

/** The operations of a document, each once. */
export const operationsOf = ({ document }: Exported): ReadonlyArray<string> => [
  ...new Set(right(decodeDocument(document)).jaxprs.flatMap(({ eqns = [] }) => eqns.map(({ op }) => op))),
]

/** The document with its equations changed; null: one that is left out. */
export const changed = (of: Exported, change: (eqn: Eqn) => Eqn | null): Exported => {
  const d = right(decodeDocument(of.document))
  const jaxprs = d.jaxprs.map((j) => ({ ...j, eqns: (j.eqns ?? []).flatMap((eqn) => change(eqn) ?? []) }))
  return { ...of, document: { ...d, jaxprs } }
}
export const withoutOperation = (of: Exported, op: string): Exported =>
  changed(of, (eqn) => (eqn.op === op ? null : eqn))

// ---------------------------------------------------------------- programs

/** Its program, on the chip that its operations ask for. */
export const programOf = (of: Exported): E.Either<Failure, Program> =>
  pipe(
    decodeDocument(of.document),
    E.chainW((d: Document) => elaborate(d)),
  )

/** What is given to a tensor or left in it. */
const valuesOf = (
  of: Exported,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, Float64Array> => {
  const d = right(decodeDocument(of.document))
  const dtypes = new Map(d.kernel.operands.map(({ name, dtype }) => [name, dtype]))
  return new Map(
    Object.entries(given).map(([name, packed]) => [name, elements(dtypes.get(name) ?? 'i8', packed)]),
  )
}

/** The counters of semaphores: operands that the document does not know, zero at first. */
const counters = (program: Program, of: Exported): ReadonlyArray<readonly [string, Float64Array]> =>
  program.params.flatMap((p) =>
    p._tag === 'tensor' && p.role === 'inout' && !(p.name in of.inputs)
      ? [[p.name, new Float64Array(p.shape.reduce((n, extent) => n * (constantOf(extent) ?? 1), 1))] as const]
      : [],
  )

/** A run with its inputs, judged. */
export const judged = (of: Exported, options: Partial<CheckOptions> = {}): E.Either<Failure, Checked> =>
  pipe(
    programOf(of),
    E.chain((program) =>
      check(program, {
        ...standardOptions,
        algebra: bits(program.arch === 'sm90a' ? 'hopper' : 'blackwell'),
        arguments: {
          scalars: new Map(),
          tensors: new Map([...valuesOf(of, of.inputs), ...counters(program, of)]),
        },
        ...options,
      }),
    ),
  )

/** The first element of an output that is not as it must be, in words; null: all are. */
export const differs = (of: Exported, { world, machine }: Checked): string | null => {
  for (const [name, expected] of valuesOf(of, of.outputs)) {
    const got = readTensor(world, machine, name)
    const at = expected.findIndex((x, k) => !Object.is(got?.[k], x))
    if (got?.length !== expected.length)
      return `${name} has ${String(got?.length)} elements, expected ${String(expected.length)}`
    if (at >= 0) return `${name}[${String(at)}] is ${String(got[at])}, expected ${String(expected[at])}`
  }
  return null
}
