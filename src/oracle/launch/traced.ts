/**
 * Kernels that JAX traced: from a document (`tcspec.jaxpr/1`) to a program, with what is known of its lines.
 *
 *     kernel.py:31: plgpu.barrier_arrive(done)  (barrier_arrive)
 *
 * An equation is left out by what findings call it (`barrier_arrive 31`), or by the line of its author (`kernel.py:31`), if one equation of that line does
 * something. All threads run one text: it is left out of all of them.
 *
 * Laws
 * 1. What is left out has statements; an equation that only computes is no answer to a line.
 * 2. A text that names several equations is refused with their labels, and one that names none with the nearest.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { computesOf } from '../../dialects/computes.js'
import {
  decodeDocument,
  elaborate,
  isDocument,
  labelledIn,
  linesOf,
  meantBy,
  ownerOf,
  type Document,
  type Labelled,
} from '../../dialects/jaxpr/index.js'
import { shapeOf, tensorsOf } from '../../kernels/reference.js'
import { isDtype } from '../../numerics/dtype.js'
import { sizeOf } from '../../transforms/shape.js'
import type { Tensor } from '../tensor-files/tensor.js'
import type { Program, Spec } from '../../semantics/language/program.js'
import { withoutAuthored, type Authored } from './without.js'

// ---------------------------------------------------------------- model

export interface TracedKernel {
  readonly document: Document
  readonly program: Program
  /** its equations, by their labels */
  readonly equations: ReadonlyMap<string, Labelled>
  /** the author's lines, by their places */
  readonly lines: ReadonlyMap<string, string>
  /** what is no operand of the document, counters of semaphores: zeros, before every launch */
  readonly hidden: ReadonlyMap<string, Tensor>
  /** clusters that run together when it is run on a chip, where that decides what it computes: it takes over others. Null: it does not */
  readonly resident: number | null
}

// ---------------------------------------------------------------- reading

/** The JSON of a text that says itself that it is such a document; null of any other. */
export const documentIn = (text: string): unknown => {
  // no other document of JSON that is a kernel has the word
  if (!text.includes('tcspec.jaxpr/')) return null
  const parsed = E.tryCatch(
    (): unknown => JSON.parse(text),
    () => null,
  )
  return E.isRight(parsed) && isDocument(parsed.right) ? parsed.right : null
}

const specOf = ({ kernel }: Document, text: string): E.Either<Failure, Spec> =>
  pipe(
    computesOf(
      text,
      new Map(
        kernel.operands.flatMap(({ name, shape, dtype }) =>
          isDtype(dtype) ? [[name, { shape, dtype }] as const] : [],
        ),
      ),
    ),
    E.mapLeft(({ expected, found }) =>
      failure('jaxpr.launch', `computes: expected ${expected}, found ${found}`),
    ),
  )

/** Tensors of a program that its document does not have. */
const hiddenIn = ({ kernel }: Document, program: Program): ReadonlyMap<string, Tensor> =>
  new Map(
    tensorsOf(program).flatMap((p) => {
      const shape = shapeOf(p)
      if (shape === null || kernel.operands.some(({ name }) => name === p.name)) return []
      return [[p.name, { dtype: p.dtype, shape, bits: new Uint32Array(sizeOf(shape)) }] as const]
    }),
  )

/** A cluster that is taken over is one that was not launched: as many are launched at once as there is room for, one block to a multiprocessor. */
const residentOf = ({ kernel, jaxprs }: Document): number | null => {
  const multiprocessors = kernel.params?.multiprocessors
  const takesOver = jaxprs.some(({ eqns = [] }) => eqns.some(({ op }) => op === 'try_cluster_cancel'))
  return multiprocessors === undefined || !takesOver
    ? null
    : Math.max(1, Math.floor(multiprocessors / sizeOf(kernel.mesh.cluster ?? [])))
}

/** The kernel of a document; `computes`: what it is to compute. */
export const traced = (u: unknown, computes: string | undefined): E.Either<Failure, TracedKernel> =>
  pipe(
    E.Do,
    E.bind('document', () => decodeDocument(u)),
    E.bindW('spec', ({ document }) =>
      computes === undefined ? E.right(undefined) : specOf(document, computes),
    ),
    E.bindW('program', ({ document, spec }) =>
      elaborate(document, spec === undefined ? {} : { computes: spec }),
    ),
    E.map(({ document, program }) => ({
      document,
      program,
      equations: labelledIn(document),
      lines: linesOf(document),
      hidden: hiddenIn(document, program),
      resident: residentOf(document),
    })),
  )

// ---------------------------------------------------------------- quotes

/** Of a statement by its label; null where it is of no equation. */
export const quoteOfTraced = ({
  equations,
  lines,
}: TracedKernel): ((o: { readonly site: string }) => string | null) => {
  const owner = ownerOf(equations)
  return ({ site }) => {
    const found = owner(site)
    if (found === null) return null
    if (found.place === null) return found.eqn.op
    const text = lines.get(found.place)
    return `${text === undefined ? found.place : `${found.place}: ${text}`}  (${found.eqn.op})`
  }
}

/** Where an author wrote a statement, and what stands there. */
export const sourceInTraced = ({
  equations,
  lines,
}: TracedKernel): ((o: {
  readonly site: string
}) => { readonly place: string; readonly text: string } | null) => {
  const owner = ownerOf(equations)
  return ({ site }) => {
    const found = owner(site)
    return found === null || found.place === null
      ? null
      : { place: found.place, text: lines.get(found.place) ?? found.eqn.op }
  }
}

// ---------------------------------------------------------------- without

const authoredIn = ({ equations }: TracedKernel): Authored<Labelled> => ({
  owner: ownerOf(equations),
  meantBy: meantBy(equations),
  kind: ({ eqn }) => eqn.op,
  names: ({ label, place }) => `'${label}'${place === null || label.endsWith(place) ? '' : ` (${place})`}`,
  lines: (text) => {
    const [, file, line] = /^(?:.*[/\\])?(?:([^:\s]+):|\S+\s+)?(\d+)$/.exec(text) ?? []
    if (line === undefined) return null
    return {
      line: Number(line),
      of: ({ place }) =>
        place === null || (file !== undefined && !place.startsWith(`${file}:`))
          ? Infinity
          : Number(place.replace(/^.*:/, '')),
    }
  },
})

/** Without the equations that these texts name, one after the other. */
export const withoutEquations = (
  kernel: TracedKernel,
  texts: ReadonlyArray<string>,
): E.Either<Failure, Program> => withoutAuthored(authoredIn(kernel), texts)(kernel.program)
