/**
 * Other names, orders and cuts of the same bits.
 *
 * A layout flattens to a function from numbers to numbers: its inputs side by side, minor first, and likewise its outputs.
 * Reshaping keeps that function and cuts the numbers elsewhere; transposing reorders the dimensions, and so changes what
 * a later reshape sees.
 *
 *     in1 [1] [4] [8], in2 [2]  flattened: [1] [4] [8] [2];  cut as in3 2, in4 8:  in3 [1], in4 [4] [8] [2]
 *     the value 9 = 1 + 8 of out 16, cut as out2 2, out3 8:  [1, 4]
 *
 * Names: Triton `transposeIns`, `reshapeIns`, `flattenIns`, `unsqueezeIn` (which removes a dimension of size 1; here
 * `squeezeIn`), and the same of outputs.
 *
 * Laws
 * 1. Transposing changes no value; transposing back gives the layout.
 * 2. Reshaping keeps the flattened function; reshaping back gives the layout; only the number of bits must agree.
 * 3. `flattenIns` leaves one input, named as the first; a layout without inputs stays as it is. The same of outputs.
 * 4. Squeezing removes a dimension of size 1 and refuses any other.
 *
 * Source: Triton, LinearLayout.
 */
import { refuse } from '../../failure.js'
import { sameNames } from './equality.js'
import type { Dimension, LinearLayout, LinearSpec, Result } from './linear-layout.js'
import {
  bitsOf,
  columns,
  fromColumns,
  inputDimensions,
  inputNames,
  linearLayout,
  outputNames,
  showDimensions,
} from './linear-layout.js'

// ------------------------------------------------------------------------------------------- transpose

/** The inputs in this order. Refuses names that are not those of the inputs. */
export const transposeIns =
  (names: ReadonlyArray<string>) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    sameNames(names, inputNames(layout))
      ? linearLayout({
          inputs: names.flatMap((name) => layout.inputs.filter((input) => input.name === name)),
          outputs: layout.outputs,
        })
      : refuse(
          'linear.dimension',
          `Expected the inputs ${inputNames(layout).join(', ')} in some order, found ${names.join(', ')}`,
        )

/** The outputs in this order. Refuses names that are not those of the outputs. */
export const transposeOuts =
  (names: ReadonlyArray<string>) =>
  (layout: LinearSpec): Result<LinearLayout> => {
    const known = outputNames(layout)
    const from = names.map((name) => known.indexOf(name))
    return sameNames(names, known)
      ? linearLayout({
          inputs: layout.inputs.map(({ name, bases }) => ({
            name,
            bases: bases.map((basis) => from.map((d) => basis[d]!)),
          })),
          outputs: from.map((d) => layout.outputs[d]!),
        })
      : refuse(
          'linear.dimension',
          `Expected the outputs ${outputNames(layout).join(', ')} in some order, found ${names.join(', ')}`,
        )
  }

// --------------------------------------------------------------------------------------------- reshape

/** The same flattened function of these inputs. Refuses another number of bits. */
export const reshapeIns =
  (inputs: ReadonlyArray<Dimension>) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    fromColumns(inputs, layout.outputs, columns(layout))

/** The same flattened function into these outputs. Refuses another number of bits. */
export const reshapeOuts =
  (outputs: ReadonlyArray<Dimension>) =>
  (layout: LinearSpec): Result<LinearLayout> =>
    bitsOf(outputs) === bitsOf(layout.outputs)
      ? fromColumns(inputDimensions(layout), outputs, columns(layout))
      : refuse(
          'linear.size',
          `Outputs ${showDimensions(outputs)} must have as many values as ${showDimensions(layout.outputs)}`,
        )

/** One dimension of all their bits, named as the first. */
const flat = (dimensions: ReadonlyArray<Dimension>): ReadonlyArray<Dimension> =>
  dimensions.slice(0, 1).map(({ name }) => ({ name, size: 2 ** bitsOf(dimensions) }))

export const flattenIns = (layout: LinearSpec): Result<LinearLayout> =>
  reshapeIns(flat(inputDimensions(layout)))(layout)

export const flattenOuts = (layout: LinearSpec): Result<LinearLayout> =>
  reshapeOuts(flat(layout.outputs))(layout)

// --------------------------------------------------------------------------------------------- squeeze

/** Without this input, which must have size 1. */
export const squeezeIn =
  (name: string) =>
  (layout: LinearSpec): Result<LinearLayout> => {
    const rest = inputDimensions(layout).filter((input) => input.name !== name)
    return rest.length < layout.inputs.length
      ? reshapeIns(rest)(layout)
      : refuse('linear.dimension', `No input ${name} among ${inputNames(layout).join(', ')}`)
  }

/** Without this output, which must have size 1. */
export const squeezeOut =
  (name: string) =>
  (layout: LinearSpec): Result<LinearLayout> => {
    const rest = layout.outputs.filter((out) => out.name !== name)
    return rest.length < layout.outputs.length
      ? reshapeOuts(rest)(layout)
      : refuse('linear.dimension', `No output ${name} among ${outputNames(layout).join(', ')}`)
  }
