/**
 * Tensors between files and a machine: what an element is depends on the algebra.
 *
 * | algebra | an input element, from its pattern | an output file             |
 * |---------|------------------------------------|----------------------------|
 * | bits    | the pattern                        | patterns of the dtype      |
 * | real64  | its value                          | f64 values                 |
 * | field   | its residue                        | residues, in u32           |
 * | unit    | nothing                            | there is none              |
 *
 * An integer is its value in all of them, and of its dtype in every file.
 *
 * Law 1. In `bits`, the tensor of a carrier is the tensor that the carrier came from.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import * as fast from '../../fast/index.js'
import { shapeOf, tensorsOf } from '../../kernels/reference.js'
import { randomCarriers } from '../../kernels/reference-inputs.js'
import type { Algebra } from '../../numerics/algebra.js'
import { bits, type Arithmetic } from '../../numerics/bits.js'
import { isFloat } from '../../numerics/dtype.js'
import type { Compiler } from '../../numerics/special-functions/index.js'
import { decoder } from '../../numerics/float-format.js'
import { elementOf, field } from '../../numerics/field.js'
import { real64 } from '../../numerics/real64.js'
import { unit } from '../../numerics/unit.js'
import { thousands } from '../../render/table.js'
import type { Program } from '../../semantics/language/program.js'
import type { PlannedInput } from '../parallel/spread.js'
import { valueOf } from '../tensor-files/element.js'
import { tensor, tensorOfIntegers, tensorOfReals, type Tensor } from '../tensor-files/tensor.js'
import type { Over } from './flags/machine.js'

/** The arithmetic of the program's own chip. */
export const chipOf = (program: Program): Arithmetic => (program.arch === 'sm100a' ? 'blackwell' : 'hopper')

/**
 * The algebra that was asked for; `vectors`: with its products in vectors, which give the same numbers; `compiler`: whose approximate functions a source
 * means.
 */
export const algebraOf = (
  over: Over,
  arithmetic: Arithmetic,
  vectors: boolean,
  compiler: Compiler | null = null,
): Algebra => {
  switch (over._tag) {
    case 'bits':
      return (vectors ? fast.bits : bits)(arithmetic, compiler)
    case 'real64':
      return real64
    case 'field':
      return vectors ? fast.field(over.seed) : field(over.seed)
    case 'unit':
    case 'tiles':
      return unit
  }
}

const carriersOf = (algebra: Algebra, t: Tensor): Float64Array => {
  const { dtype } = t
  const out = new Float64Array(t.bits.length)
  if (isFloat(dtype)) for (let i = 0; i < out.length; i++) out[i] = algebra.fromBits(dtype, Number(t.bits[i]))
  else {
    const value = valueOf(dtype)
    for (let i = 0; i < out.length; i++) out[i] = Number(value(t.bits[i]!))
  }
  return out
}

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** Elements that all tensors of a run have together, at most: each is a number of eight bytes. */
const mostElements = 2 ** 29

/** Left where the tensors of a program take more memory than a run may. */
export const tensorsFit = (program: Program, algebra: Algebra): E.Either<Failure, null> => {
  if (algebra.memory === 'none') return E.right(null)
  const elements = tensorsOf(program).reduce((n, param) => n + product(shapeOf(param) ?? []), 0)
  return elements <= mostElements
    ? E.right(null)
    : refuse(
        'tensors.size',
        `${program.name}: expected tensors of at most ${thousands(mostElements)} elements together, found ${thousands(elements)}; --over unit and tcspec check take none`,
      )
}

/** The seed of inputs that were not brought. */
export const inputSeed = 0

export const inputMissing = (name: string): Failure<'input-missing'> =>
  failure('input-missing', `input ${name}: expected a file (--in ${name}=FILE), found none`)

/** Every input of the program: the carriers of the tensor that was brought, or the seed that it is drawn from. */
export const plannedInputs = (
  program: Program,
  algebra: Algebra,
  over: Over,
  brought: ReadonlyMap<string, Tensor>,
): E.Either<Failure, ReadonlyArray<PlannedInput>> => {
  const planned: PlannedInput[] = []
  if (algebra.memory === 'none') return E.right(planned)
  for (const param of tensorsOf(program)) {
    const tensor = brought.get(param.name)
    if (param.role === 'out' && tensor === undefined) continue
    const shape = shapeOf(param)
    const { name } = param
    if (tensor !== undefined)
      planned.push({ name, count: tensor.bits.length, given: carriersOf(algebra, tensor) })
    else if (shape === null) return E.left(inputMissing(name))
    else planned.push({ name, count: product(shape), given: over._tag === 'field' ? over.seed : inputSeed })
  }
  return E.right(planned)
}

/** Carriers of the planned inputs. In a field, an element that was not brought is an even residue, as equality of polynomials wants it. */
export const carriersOfPlan = (
  program: Program,
  algebra: Algebra,
  over: Over,
  planned: ReadonlyArray<PlannedInput>,
): ReadonlyMap<string, Float64Array> => {
  const params = tensorsOf(program)
  return new Map(
    planned.map(({ name, count, given }): readonly [string, Float64Array] => {
      if (typeof given !== 'number') return [name, given]
      const number = params.findIndex((p) => p.name === name)
      const dtype = params[number]?.dtype
      return [
        name,
        dtype === undefined || (over._tag === 'field' && isFloat(dtype))
          ? Float64Array.from({ length: count }, (_, i) => elementOf(given, number, i))
          : randomCarriers(algebra, dtype, given, number, count),
      ]
    }),
  )
}

/** Carriers for every input of the program: of the tensor that was brought, or seeded. */
export const inputsOf = (
  program: Program,
  algebra: Algebra,
  over: Over,
  brought: ReadonlyMap<string, Tensor>,
): E.Either<Failure, ReadonlyMap<string, Float64Array>> =>
  pipe(
    plannedInputs(program, algebra, over, brought),
    E.map((planned) => carriersOfPlan(program, algebra, over, planned)),
  )

/** Values of an output: what its patterns stand for, or the carriers of `real64` themselves. */
export const realsOf = (
  program: Program,
  algebra: Algebra,
  name: string,
  carriers: Float64Array,
): Float64Array => {
  const dtype = tensorsOf(program).find((p) => p.name === name)?.dtype
  return algebra.name === 'bits' && dtype !== undefined && isFloat(dtype)
    ? carriers.map(decoder(dtype))
    : carriers
}

/** The tensor of an output parameter, as a file holds it. */
export const outputOf = (
  program: Program,
  over: Over,
  name: string,
  carriers: Float64Array | null,
): E.Either<Failure, Tensor> => {
  const param = tensorsOf(program).find((p) => p.name === name)
  const shape = param === undefined ? null : shapeOf(param)
  if (param === undefined || shape === null || carriers === null)
    return E.left(failure('output-missing', `output ${name}: ${over._tag} keeps no data`))
  if (!isFloat(param.dtype)) return tensorOfIntegers(param.dtype, shape, carriers)
  switch (over._tag) {
    case 'real64':
      return tensorOfReals(shape, carriers)
    case 'field':
      return tensor('u32', shape, carriers)
    case 'bits':
    case 'unit':
    case 'tiles':
      return tensor(param.dtype, shape, carriers)
  }
}
