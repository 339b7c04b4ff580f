/**
 * CuTe layouts as linear layouts and back.
 *
 * A layout shape:stride whose extents are powers of two gives every bit of an index the value stride * 2^k, and adds. So it is
 * linear when no two values share a bit; and a linear layout whose values share no bit is such a layout, one mode of extent 2 a bit,
 * coalesced.
 *
 *     (4,(2,2)):(2,(1,8))        index  2 4 1 8             and back   ((2,2,2)... coalesces to (4,2,2):(2,1,8)
 *     WGMMA on (64, 256), thread and value to i + 64 j      ((4,8,4),(2,2,32)):((128,1,16),(64,8,512))
 *
 * What CuTe calls a TV layout is a register layout seen this way: threads are lanes, then warps; values are registers; the offset
 * counts the elements of the array with the *first* dimension fastest.
 *
 * Basis strides (1@0, 2@1) become several outputs, dim0, dim1, ...; plain ones a single output, offset. A stride of 0 is a zero basis.
 *
 * Laws
 * 1. `apply(linearOfCute(l))({ index })` is the value of l at index, for every index below its size.
 * 2. `linearOfModes(names)(l)` is the same function, one input for each top mode.
 * 3. `cuteOfLinear` has the values of the linear layout, one top mode for each input; every mode is coalesced.
 * 4. `linearOfModes(names)(cuteOfLinear(l)) = l` up to the sizes of outputs, where the second is defined.
 * 5. `registersOfTV(shape)(tvOfRegisters(l)) = l` for register layouts of 32 lanes.
 *
 * Source: CUTLASS, CuTe: layout documentation; Triton, LinearLayout (arXiv 2505.23819).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Shape } from '../../transforms/shape.js'
import { sizeOf } from '../../transforms/shape.js'
import { coalesce } from '../cute/coalesce.js'
import type { Layout } from '../cute/layout.js'
import { flatModes, fromModes, leaf, modes } from '../cute/layout.js'
import { coefficient, pathOf, strideAt } from '../cute/scaled-basis.js'
import type { LinearError, LinearInput, LinearLayout } from '../linear/linear-layout.js'
import { basesOf, linearLayout, outputShape, standardOutputs } from '../linear/linear-layout.js'
import { reshapeOuts } from '../linear/reshape.js'
import { lanesPerWarp } from '../tiled.js'
import type { CarryFreeError, ExtentError } from './carry-free.js'
import { carryFree, checkExtents, doublings } from './carry-free.js'

export type FromCuteError = ExtentError | CarryFreeError | 'conversion.stride' | 'conversion.modes'
export type ToCuteError = CarryFreeError | 'conversion.stride'
export type TVError = FromCuteError | LinearError | 'conversion.threads'

/** A value, and the number of the output that it adds to. */
interface Contribution {
  readonly value: number
  readonly output: number
}

// ----------------------------------------------------------------------------------------- from CuTe

/** One input for each top mode, named in order. Errors: other names than modes, extents, negative strides, a carry. */
export const linearOfModes =
  (names: ReadonlyArray<string>) =>
  (layout: Layout): E.Either<Failure<FromCuteError>, LinearLayout> => {
    const top = modes(layout)
    return top.length === names.length
      ? ofInputs(top.map((mode, k) => [names[k]!, mode]))
      : refuse(
          'conversion.modes',
          `Expected a layout with a mode for each of ${names.join(', ')}, found ${String(top.length)} modes`,
        )
  }

/** The one input `index`, colexicographic. Errors: extents that are not powers of two, negative strides, a carry. */
export const linearOfCute = (layout: Layout): E.Either<Failure<FromCuteError>, LinearLayout> =>
  ofInputs([['index', layout]])

const ofInputs = (
  named: ReadonlyArray<readonly [name: string, layout: Layout]>,
): E.Either<Failure<FromCuteError>, LinearLayout> => {
  const leaves = named.flatMap(([name, layout]) => flatModes(layout).map((mode) => ({ name, ...mode })))
  const negative = leaves.find(({ stride }) => coefficient(stride) < 0)
  if (negative !== undefined)
    return refuse(
      'conversion.stride',
      `A layout over GF(2) has no negative strides, found ${String(coefficient(negative.stride))} in ${negative.name}`,
    )
  return pipe(
    leaves.map(({ shape }) => shape),
    checkExtents((k) => `mode ${String(k)} of the flattened layout`),
    E.chainW(() => {
      // Strides of one layout point into one codomain: all integers, or all at paths.
      const paths = [
        ...new Set(
          leaves.flatMap(({ stride }) => (coefficient(stride) === 0 ? [] : [pathOf(stride).join('.')])),
        ),
      ].sort()
      const outputs = paths.length === 0 ? [''] : paths
      const inputs = named.map(([name, layout]) => ({
        name,
        values: flatModes(layout).flatMap(({ shape, stride }): ReadonlyArray<Contribution> => {
          const output = Math.max(0, outputs.indexOf(pathOf(stride).join('.')))
          return doublings(shape, coefficient(stride)).map((value) => ({ value, output }))
        }),
      }))
      const last = outputs.map((_, d) =>
        inputs
          .flatMap(({ values }) => values)
          .reduce((sum, { value, output }) => sum + (output === d ? value : 0), 0),
      )
      return carryFree({
        inputs: inputs.map(({ name, values }) => ({
          name,
          bases: values.map(({ value, output }) => outputs.map((_, d) => (d === output ? value : 0))),
        })),
        outputs: outputs.map((path, d) => ({
          name: path === '' ? 'offset' : `dim${path}`,
          size: 2 ** Math.ceil(Math.log2(last[d]! + 1)),
        })),
      })
    }),
  )
}

// ------------------------------------------------------------------------------------------- to CuTe

/**
 * One top mode for each input; a bare mode when there is one input. With one output the strides are integers, with more they are
 * basis strides. Errors: a basis in two outputs at once (a swizzle between dimensions has no stride), a carry.
 */
export const cuteOfLinear = (linear: LinearLayout): E.Either<Failure<ToCuteError>, Layout> =>
  pipe(
    carryFree(linear),
    E.chainW(({ inputs, outputs }): E.Either<Failure<ToCuteError>, Layout> => {
      const plain = outputs.length === 1
      const parts: Layout[] = []
      for (const { name, bases } of inputs) {
        const bits: Layout[] = []
        for (const [bit, basis] of bases.entries()) {
          const d = basis.findIndex((value) => value !== 0)
          if (basis.some((value, k) => value !== 0 && k !== d))
            return refuse(
              'conversion.stride',
              `Bit ${String(bit)} of ${name} moves along two outputs at once, [${basis.join(', ')}]: no stride does`,
            )
          bits.push(leaf(2, d < 0 ? 0 : strideAt(basis[d]!, plain ? [] : [d])))
        }
        parts.push(bits.length === 0 ? leaf(1, 0) : coalesce(fromModes(bits)))
      }
      return E.right(parts.length === 1 ? parts[0]! : fromModes(parts))
    }),
  )

// ------------------------------------------------------------------------------------------ TV layouts

/** (thread, value) -> position of the element, first dimension fastest. `linear` has inputs register, lane and warp. */
export const tvOfRegisters = (linear: LinearLayout): E.Either<Failure<ToCuteError>, Layout> => {
  const inputs: ReadonlyArray<LinearInput> = [
    { name: 'thread', bases: [...basesOf(linear, 'lane'), ...basesOf(linear, 'warp')] },
    { name: 'value', bases: basesOf(linear, 'register') },
  ]
  return pipe(
    linearLayout({ inputs, outputs: linear.outputs }),
    E.chain((tv) => reshapeOuts([{ name: 'position', size: sizeOf(outputShape(tv)) }])(tv)),
    E.chainW(cuteOfLinear),
  )
}

/** The register layout of a TV layout on an array of this shape. Errors: other than two modes, fewer than 32 threads. */
export const registersOfTV =
  (shape: Shape) =>
  (layout: Layout): E.Either<Failure<TVError>, LinearLayout> =>
    pipe(
      linearOfModes(['thread', 'value'])(layout),
      E.chainW((tv): E.Either<Failure<TVError>, LinearLayout> => {
        const thread = basesOf(tv, 'thread')
        const laneBits = Math.log2(lanesPerWarp)
        if (thread.length < laneBits)
          return refuse(
            'conversion.threads',
            `A TV layout of a warp has at least 32 threads, found ${String(2 ** thread.length)}`,
          )
        return pipe(
          linearLayout({
            inputs: [
              { name: 'register', bases: basesOf(tv, 'value') },
              { name: 'lane', bases: thread.slice(0, laneBits) },
              { name: 'warp', bases: thread.slice(laneBits) },
            ],
            outputs: [{ name: 'position', size: sizeOf(shape) }],
          }),
          E.chain(reshapeOuts(standardOutputs(shape))),
        )
      }),
    )
