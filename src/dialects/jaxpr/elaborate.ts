/**
 * From a document to a program: the frame of the kernel, and its body once for each thread.
 *
 * | of the document                       | becomes                                                                                     |
 * |---------------------------------------|---------------------------------------------------------------------------------------------|
 * | `mesh`                                | grid, cluster and threads of `kernel`                                                        |
 * | operands                              | tensors of their names and roles                                                             |
 * | `unsafeNoAutoBarriers`                | no barriers before stores and copies                                                         |
 * | `lowering`                            | `lane`: layouts are those of the text; `warpgroup`: they are inferred (`inference.ts`)        |
 * | `approxMath`                          | functions of the chip (`elementwise.ts`)                                                      |
 * | the body                              | its equations, a row of `rows.ts` each                                                        |
 *
 * A `pallas_call` comes with its pipeline traced around its body, so it is a kernel like the others. The chip is Blackwell where an operation or a ref is of
 * its tensor cores, else Hopper, unless it is said.
 *
 * Law 1. A program is a function of the document, and of what is said beside it.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { isDtype } from '../../numerics/dtype.js'
import { block, tensorParam, type Steps, type Tensor } from '../../semantics/writing/builder.js'
import { checked } from '../../semantics/language/index-types.js'
import type { View } from '../../semantics/language/expression.js'
import type { Program, Spec } from '../../semantics/language/program.js'
import * as Pallas from '../pallas/index.js'
import { writtenIn } from './cells.js'
import { contractedIn } from './contraction.js'
import type { Document, Eqn, Type, Use } from './document.js'
import type { Here } from './here.js'
import { inferredIn } from './inference.js'
import { labelsOf } from './labels.js'
import { livenessOf } from './liveness.js'
import { namesFor } from './names.js'
import { isPure, run } from './rows.js'
import type { GmemRef } from './values.js'
import { inWords } from './words.js'

export interface Elaborate {
  readonly arch?: 'sm90a' | 'sm100a'
  /** the claim of what it computes */
  readonly computes?: Spec
}

// ---------------------------------------------------------------- the chip

const isGather = (eqn: Eqn): boolean =>
  Object.values(eqn.uses ?? {})
    .flat()
    .some(({ view = [] }: Use) => view.some((t) => t.index?.some((i) => 'gather' in i) === true))

/** Tensor memory and what works on it, answers of the scheduler; copies of rows, and those that a pair of blocks tracks together. */
const ofBlackwell = (eqn: Eqn): boolean =>
  eqn.op.startsWith('tcgen05') ||
  eqn.op.endsWith('_tmem') ||
  eqn.op.endsWith('_cluster_cancel') ||
  (eqn.op.startsWith('copy_') && (eqn.params?.['leaderTracked'] != null || isGather(eqn)))
/** A ref of tensor memory, or a barrier on which the tensor core arrives by itself. */
const isOfBlackwell = (type: Type): boolean =>
  ('ref' in type && type.ref === 'tmem') || ('barrier' in type && type.barrier.ordersTensorCore === true)

/** The chip of a kernel that does not name one: the chip that has the operations that it uses. */
export const archOf = ({ jaxprs }: Document): 'sm90a' | 'sm100a' =>
  jaxprs.some(
    ({ eqns = [], in: given = [] }) =>
      eqns.some(ofBlackwell) || given.some(({ type }) => isOfBlackwell(type)),
  )
    ? 'sm100a'
    : 'sm90a'

// ---------------------------------------------------------------- what a document must keep to

/** Numbers of jaxprs, files and locations that there are; jaxprs that do not run themselves. */
const whole = (d: Document): E.Either<Failure, null> => {
  const no = (message: string): E.Either<Failure, never> => refuse('jaxpr.form', message)
  const numbers = (eqn: Eqn): ReadonlyArray<number> => Object.values(eqn.jaxprs ?? {}).flat()
  for (const [n, { eqns = [] }] of d.jaxprs.entries())
    for (const eqn of eqns)
      for (const inner of numbers(eqn))
        if (d.jaxprs[inner] === undefined)
          return no(
            `jaxpr ${String(n)}: ${eqn.op}: expected the number of one of ${String(d.jaxprs.length)} jaxprs, found ${String(inner)}`,
          )
  if (d.jaxprs[d.kernel.body] === undefined)
    return no(
      `kernel.body: expected the number of one of ${String(d.jaxprs.length)} jaxprs, found ${String(d.kernel.body)}`,
    )
  const open = new Set<number>()
  const done = new Set<number>()
  const runsItself = (n: number): boolean => {
    if (open.has(n)) return true
    if (done.has(n)) return false
    open.add(n)
    const found = (d.jaxprs[n]?.eqns ?? []).some((eqn) => numbers(eqn).some(runsItself))
    open.delete(n)
    done.add(n)
    return found
  }
  return runsItself(d.kernel.body) ? no('jaxprs: expected none that runs itself, found one') : E.right(null)
}

// ---------------------------------------------------------------- the kernel

/** Operands as tensors; one that is another's memory is that one, which then is written, too. */
const declared = function* (d: Document): Steps<ReadonlyArray<GmemRef>> {
  const refs: GmemRef[] = []
  for (const [k, { name, role: own, dtype, shape, alias }] of d.kernel.operands.entries()) {
    const isShared = d.kernel.operands.some((other) => other.alias === k)
    const role = isShared && own === 'in' ? 'inout' : own
    const same = alias == null ? undefined : refs[alias]
    if (same !== undefined) {
      refs.push(same)
      continue
    }
    const tensor: Tensor = yield* tensorParam(name, isDtype(dtype) ? dtype : 'f32', shape, { role })
    refs.push({
      _tag: 'gmem',
      name,
      dtype: tensor.dtype,
      tensor,
      view: checked<View<'gmem'>, Tensor['view']>(tensor.view),
      shape,
    })
  }
  return refs
}

/** The program of a document. */
export const elaborate = (document: Document, asked: Elaborate = {}): E.Either<Failure, Program> => {
  const words = inWords(document)
  if (E.isLeft(words)) return words
  const d = words.right
  const { kernel } = d
  const { mesh, params = {} } = kernel
  const found = whole(d)
  if (E.isLeft(found)) return found
  const other = kernel.operands.find(({ dtype }) => !isDtype(dtype))
  if (other !== undefined)
    return refuse(
      'jaxpr.dtype',
      `${kernel.name}: expected elements of a type of this library for ${other.name}, found ${other.dtype}`,
    )
  const arch = asked.arch ?? params.arch ?? archOf(d)
  const liveness = livenessOf(d, isPure)
  const written = writtenIn(d)
  const labels = labelsOf(d)
  const lowering = params.lowering ?? 'warpgroup'
  const names = namesFor(kernel.operands.map(({ name }) => name))
  const contracted = contractedIn(d)
  const inferred = inferredIn(d, lowering)
  const { numThreads, threadName } = mesh
  return Pallas.kernel(
    {
      name: kernel.name,
      arch,
      grid: mesh.grid ?? [],
      gridNames: mesh.gridNames ?? [],
      cluster: mesh.cluster ?? [],
      clusterNames: mesh.clusterNames ?? [],
      ...(numThreads == null || threadName == null ? {} : { numThreads, threadName }),
      ...(asked.computes === undefined ? {} : { computes: asked.computes }),
      compilerParams: { unsafeNoAutoBarriers: params.unsafeNoAutoBarriers === true },
    },
    () => declared(d),
    (operands) =>
      block(function* () {
        const h: Here = {
          document: d,
          arch,
          lowering,
          approxMath: params.approxMath === true,
          values: new Map(),
          reads: liveness.reads,
          isLive: liveness.isLive,
          written,
          products: new Map(),
          issued: { count: 0 },
          contracted,
          inferred,
          programIds: null,
          labels,
          names,
          chain: '',
          run,
        }
        yield* run(h, kernel.body, operands)
      }),
  )
}
