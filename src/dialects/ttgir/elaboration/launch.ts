/**
 * Launches: what a caller gives for the parameters of a function, checked against its text.
 *
 * A text says of its parameters what the compiler knew: types, blocks and encodings, which numbers are multiples of 16. A launch says the rest, and
 * what both say has to agree.
 *
 * | parameter                                            | what is given                                               | what is checked                        |
 * |------------------------------------------------------|-------------------------------------------------------------|----------------------------------------|
 * | `%M: i32 {tt.divisibility = 16}`                     | a number                                                    | its range, and that 16 divides it      |
 * | `%a: !tt.ptr<f16>`                                   | a tensor: extents, strides, what it is called, its role     | its element type                       |
 * | `%da: !tt.tensordesc<tensor<64x32xf16, #shared>>`    | the same; its extents and strides are the parameters behind | element type, rank, block; whole 16 bytes between rows |
 *
 * A pointer that is 0 has no tensor: host code gives it for a tensor without elements, and it may be given for one that the text does not use.
 *
 * Arguments are given in the order of the parameters or by their names. Strides that are not given are row-major; a role that is not given is what the
 * text does (`roles.ts`); a tensor that is not called anything is called as its parameter.
 *
 * Laws
 * 1. What is missing is asked for in one line that has every parameter with its type, as options of the command line.
 * 2. What a launch gives stands in the program as constants: the program has tensors for parameters, and nothing else.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../../failure.js'
import { greatest } from '../../../greatest.js'
import { didYouMean } from '../../../nearest.js'
import { bitsOf, isFloat, type Dtype } from '../../../numerics/dtype.js'
import { computesOf } from '../../computes.js'
import type { Spec } from '../../../semantics/language/program.js'
import type { ScalarName } from '../../../semantics/language/types.js'
import { rowMajor, type GivenTensor, type Padding, type Role } from './arguments.js'
import type { Elaborate } from './elaborate.js'
import { sharedEncoding } from './encodings.js'
import { functionName, functionOf } from './function.js'
import { behindPointer, dtypeOf, elementOf, isDouble, scalarOf, shapeOf, type Element } from './kinds.js'
import { everyOperation } from './regions.js'
import { rolesOf } from './roles.js'
import { showPosition } from '../text/position.js'
import { showType } from '../text/show.js'
import { attributeOf, type Module, type Operation, type Parameter } from '../text/syntax.js'

// ---------------------------------------------------------------- model

/** The argument that a parameter accepts. */
export type Asked =
  | {
      readonly _tag: 'pointer'
      readonly name: string
      readonly dtype: Element
      /** what the text does with it */
      readonly role: Role
    }
  | {
      readonly _tag: 'descriptor'
      readonly name: string
      readonly dtype: Dtype
      readonly role: Role
      readonly block: ReadonlyArray<number>
    }
  | {
      readonly _tag: 'scalar'
      readonly name: string
      readonly dtype: ScalarName
      /** divides the number: `tt.divisibility` */
      readonly divisor: number
    }

/** A function as it is launched. */
export interface Signature {
  readonly name: string
  readonly parameters: ReadonlyArray<Asked>
  /** along how many axes it asks for its place in the grid */
  readonly axes: number
}

export interface TensorArgument {
  /** what it is called; as its parameter, if it is not said. Several parameters may have one tensor */
  readonly tensor?: string
  /** of its elements, where it is known */
  readonly dtype?: Dtype
  readonly shape: ReadonlyArray<number>
  /** in elements; row-major if not given */
  readonly strides?: ReadonlyArray<number>
  /** of a descriptor, where it is known */
  readonly block?: ReadonlyArray<number>
  readonly role?: Role
  /** of a descriptor: what it loads from outside of the tensor; zeros if not given */
  readonly padding?: Padding
}
export type Argument = number | bigint | boolean | TensorArgument

export interface Given {
  /** programs along x, y, z */
  readonly grid?: ReadonlyArray<number>
  /** in the order of the parameters, or by their names */
  readonly args?: ReadonlyArray<Argument> | Readonly<Record<string, Argument>>
  /** the function, if it is not the public one */
  readonly function?: string
  /** `matmul:a,b,c`: c = a @ b; `copy:a,b`: b = a. Tensors by name */
  readonly computes?: string
  /** how an argument was said, for repeating it; by parameter */
  readonly said?: ReadonlyMap<string, string>
}

export type LaunchFailure = Failure<'ttgir.launch' | 'ttgir.name' | 'ttgir.type'>

// ---------------------------------------------------------------- what a function takes

const divisorOf = (p: Parameter): number => {
  const a = attributeOf(p.attributes, 'tt.divisibility')
  return a?._tag === 'integer' ? Number(a.value) : 1
}

const axes = ['x', 'y', 'z']
/** One more than the last axis that a program asks for. */
const axesOf = (func: Operation): number =>
  greatest(1)(
    everyOperation([func])
      .filter((op) => op.name === 'tt.get_program_id' || op.name === 'tt.get_num_programs')
      .map((op) => {
        const a = attributeOf(op.attributes, 'axis')
        return a?._tag === 'word' ? axes.indexOf(a.word) + 1 : a?._tag === 'integer' ? Number(a.value) + 1 : 1
      }),
  )

/**
 * The parameters of a function, and what a launch must give for each.
 *
 * @example
 * ```ts
 * import { readModule, signatureOf } from 'tensorcore-spec/dialects/ttgir'
 *
 * const text = 'module attributes {"ttg.num-warps" = 4 : i32} { tt.func public @f(%x: !tt.ptr<f16>, %n: i32) { tt.return } }'
 * const read = readModule(text)
 * const signature = read._tag === 'Right' ? signatureOf(read.right) : read
 * console.log(signature._tag === 'Right' ? signature.right.parameters.map((p) => p.name) : signature.left.message) // [ 'x', 'n' ]
 * ```
 */
export const signatureOf = (m: Module, name?: string): E.Either<LaunchFailure, Signature> =>
  pipe(
    functionOf(m, name),
    E.chainW((func) => {
      const parameters = func.regions[0]?.blocks[0]?.parameters ?? []
      const roles = rolesOf(func)
      const asked: Asked[] = []
      for (let k = 0; k < parameters.length; k++) {
        const p = parameters[k]!
        const { name, type } = p
        const role = roles.get(name) ?? 'in'
        const one = type._tag === 'descriptor' ? elementOf(type.block) : elementOf(type)
        const dtype = dtypeOf(one)
        const behind: Element | null = isDouble(one) ? 'f64' : behindPointer(one)
        const scalar = scalarOf(type)
        if (type._tag === 'descriptor' && dtype !== null) {
          const block = shapeOf(type.block)
          asked.push({ _tag: 'descriptor', name, dtype, role, block })
          k += 2 * block.length
        } else if (type._tag === 'pointer' && behind !== null)
          asked.push({ _tag: 'pointer', name, dtype: behind, role })
        else if (scalar !== null) asked.push({ _tag: 'scalar', name, dtype: scalar, divisor: divisorOf(p) })
        else
          return refuse(
            'ttgir.type',
            `${showPosition(func.at)}: %${name}: expected a pointer, a descriptor or a number, of elements that are known here, found ${showType(type)}`,
          )
      }
      return E.right({ name: functionName(func), parameters: asked, axes: axesOf(func) })
    }),
  )

/** How a descriptor copies: bytes of a swizzled row, and whether 16 numbers of 4 bits are spread over 16 bytes. */
export interface Copying {
  readonly swizzle: number
  readonly fp4Padded: boolean
}

/** The block that a descriptor copies; null: the parameter is not a descriptor, or its encoding does not say. */
export const copyingOfDescriptor = (m: Module, parameter: string, name?: string): Copying | null => {
  const func = functionOf(m, name)
  if (E.isLeft(func)) return null
  const p = func.right.regions[0]?.blocks[0]?.parameters.find((q) => q.name === parameter)
  const block = p?.type._tag === 'descriptor' ? p.type.block : null
  const encoding = block?._tag === 'tensor' ? sharedEncoding(m, block.encoding) : null
  return encoding !== null && E.isRight(encoding) && encoding.right._tag === 'nvmma_shared'
    ? { swizzle: encoding.right.swizzlingByteWidth, fp4Padded: encoding.right.fp4Padded }
    : null
}

const suffix = (role: Role): string => `:${role}`

/** A parameter as an argument of which all is open but its type: `a=f16[?]:in`. */
const open = (p: Asked): string =>
  p._tag === 'scalar'
    ? `${p.name}=?:${p.dtype}`
    : `${p.name}=${p.dtype}[${(p._tag === 'pointer' ? [0] : p.block).map(() => '?').join()}]${suffix(p.role)}`

const repeated = (p: Asked, a: Argument): string =>
  typeof a === 'object'
    ? `${p.name}=${p._tag === 'scalar' ? 'f32' : p.dtype}[${a.shape.join()}]${suffix(a.role ?? (p._tag === 'scalar' ? 'in' : p.role))}`
    : `${p.name}=${String(a)}`

/** All that a launch says, as options: what is given as it was given, a question mark for the rest. */
const asOptions = (s: Signature, given: Given, args: ReadonlyMap<string, Argument>): string => {
  const grid = given.grid ?? Array.from({ length: s.axes }, () => '?')
  const words = s.parameters.map((p) => {
    const a = args.get(p.name)
    return given.said?.get(p.name) ?? (a === undefined ? open(p) : repeated(p, a))
  })
  return [`--grid ${grid.join()}`, ...(words.length === 0 ? [] : [`--arg ${words.join(' ')}`])].join(' ')
}

// ---------------------------------------------------------------- checks

const wrong = (what: string, expected: string, found: string): E.Either<LaunchFailure, never> =>
  refuse('ttgir.launch', `${what}: expected ${expected}, found ${found}`)

const shown = (xs: ReadonlyArray<number>): string => `(${xs.join(', ')})`
const isExtent = (n: number): boolean => Number.isSafeInteger(n) && n >= 1 && n < 2 ** 31

const bounds: Readonly<Partial<Record<ScalarName, readonly [least: bigint, most: bigint]>>> = {
  i1: [0n, 1n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
}

const scalarGiven = (
  { name, dtype, divisor }: Extract<Asked, { readonly _tag: 'scalar' }>,
  a: Argument,
): E.Either<LaunchFailure, number | bigint> => {
  const what = `%${name}`
  if (typeof a === 'object') return wrong(what, `a number of type ${dtype}`, 'a tensor')
  const value = typeof a === 'boolean' ? Number(a) : a
  const range = bounds[dtype]
  if (range === undefined) return E.right(Number(value))
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return wrong(what, `an integer of type ${dtype}`, String(value))
  const exact = BigInt(value)
  if (exact < range[0] || exact > range[1])
    return wrong(what, `a number of type ${dtype}, ${String(range[0])} to ${String(range[1])}`, String(exact))
  return exact % BigInt(divisor) === 0n
    ? E.right(value)
    : wrong(
        what,
        `a multiple of ${String(divisor)}, as tt.divisibility of the text has it`,
        `${String(exact)}: the module was compiled for other arguments`,
      )
}

/** A text does not say whether an integer has a sign. */
const signless = (dtype: Element): string => dtype.replace(/^u(?=\d)/, 'i')

/** Why a tensor of f64 is refused. */
export const onlyInPtx =
  'elements of f64 are computed from the PTX of a kernel, not from its TTGIR (level="ptx")'

const tensorGiven = (
  p: Exclude<Asked, { readonly _tag: 'scalar' }>,
  a: Argument,
): E.Either<LaunchFailure, GivenTensor> => {
  const what = `%${p.name}`
  const kind = p._tag === 'pointer' ? `a tensor of ${p.dtype}` : `a tensor of ${p.dtype} for a descriptor`
  if (typeof a !== 'object') return wrong(what, kind, String(a))
  if (p.dtype === 'f64') return refuse('ttgir.type', `${what}: ${onlyInPtx}`)
  const { tensor = p.name, shape, strides = rowMajor(a.shape), role = p.role, padding } = a
  if (!/^[A-Za-z_]\w*$/.test(tensor)) return wrong(what, 'a tensor with a name of letters', `'${tensor}'`)
  if (a.dtype !== undefined && signless(a.dtype) !== signless(p.dtype))
    return wrong(what, `elements of ${p.dtype}`, a.dtype)
  if (role === 'in' ? p.role !== 'in' : role === 'out' && p.role === 'in')
    return wrong(
      what,
      `a tensor that is ${role === 'in' ? 'only read' : 'written'}, as ':${role}' says`,
      `one that the text ${role === 'in' ? 'writes' : 'only reads'}`,
    )
  // there may be more behind a pointer than this level holds (`launch.bytes`)
  const isOne = p._tag === 'pointer' ? (n: number) => Number.isSafeInteger(n) && n >= 1 : isExtent
  if (!shape.every(isOne)) return wrong(what, 'positive extents', shown(shape))
  if (strides.length !== shape.length || !strides.every((n) => Number.isSafeInteger(n) && n >= 0))
    return wrong(what, `${String(shape.length)} strides`, shown(strides))
  if (padding === 'nan' && (p._tag === 'pointer' || !isFloat(p.dtype)))
    return wrong(what, 'padding with zeros, but for descriptors of floats', padding)
  if (p._tag === 'descriptor') {
    const { block, dtype } = p
    if (a.block !== undefined && a.block.join() !== block.join())
      return wrong(what, `blocks of ${shown(block)}, as in the text`, shown(a.block))
    if (shape.length !== block.length)
      return wrong(
        what,
        `a tensor of rank ${String(block.length)}, as its blocks of ${shown(block)}`,
        shown(shape),
      )
    const inner = strides.at(-1) ?? 1
    if (inner !== 1) return wrong(what, 'an innermost stride of 1, as a tensor map has it', shown(strides))
    const unit = 128 / bitsOf(dtype)
    const odd = strides.slice(0, -1).find((n) => n % unit !== 0)
    if (odd !== undefined)
      return wrong(
        what,
        `strides of whole 16 bytes, ${String(unit)} elements of ${dtype}, as a tensor map has them`,
        String(odd),
      )
  }
  return E.right({ tensor, shape, strides, role, ...(padding === undefined ? {} : { padding }) })
}

/** One tensor behind several parameters is one: the same extents and strides, and the roles of all. */
const together = (
  tensors: ReadonlyMap<string, GivenTensor>,
): E.Either<LaunchFailure, ReadonlyMap<string, GivenTensor>> => {
  const out = new Map<string, GivenTensor>()
  for (const [name, t] of tensors) {
    const same = [...tensors].filter(([, other]) => other.tensor === t.tensor)
    const [first, one] = same[0]!
    if (one.shape.join() !== t.shape.join() || one.strides.join() !== t.strides.join())
      return wrong(
        `%${name}`,
        `tensor ${t.tensor} with extents ${shown(one.shape)} and strides ${shown(one.strides)}, as for %${first}`,
        `${shown(t.shape)} and ${shown(t.strides)}`,
      )
    const roles = new Set(same.map(([, other]) => other.role))
    out.set(name, { ...t, role: roles.size === 1 ? t.role : 'inout' })
  }
  return E.right(out)
}

// ---------------------------------------------------------------- what it computes

/** `matmul:a,b,c` of tensors of a launch. */
const specOf = (
  text: string,
  s: Signature,
  tensors: ReadonlyMap<string, GivenTensor>,
): E.Either<LaunchFailure, Spec> => {
  const known = new Map(
    s.parameters.flatMap((p) => {
      const t = tensors.get(p.name)
      return t === undefined || p._tag === 'scalar' || p.dtype === 'f64'
        ? []
        : [[t.tensor, { shape: t.shape, dtype: p.dtype }] as const]
    }),
  )
  const found = computesOf(text, known)
  return E.isLeft(found) ? wrong('computes', found.left.expected, found.left.found) : found
}

// ---------------------------------------------------------------- a launch

const byName = (s: Signature, given: Given): E.Either<LaunchFailure, ReadonlyMap<string, Argument>> => {
  const { args = {} } = given
  const isList = (a: typeof args): a is ReadonlyArray<Argument> => Array.isArray(a)
  const names = s.parameters.map((p) => p.name)
  if (isList(args)) {
    if (args.length <= names.length) return E.right(new Map(args.map((a, k) => [names[k]!, a])))
    return wrong(
      `@${s.name}`,
      `${String(names.length)} arguments, for ${names.join(', ')}`,
      String(args.length),
    )
  }
  const unknown = Object.keys(args).find((n) => !names.includes(n))
  return unknown === undefined
    ? E.right(new Map(Object.entries(args)))
    : wrong(
        `@${s.name}`,
        `a parameter, ${names.join(', ') || 'which it has none of'}`,
        `'${unknown}'; ${didYouMean(names)(unknown)}`,
      )
}

/**
 * A launch of a function of the module, for `elaborate`; Left if something is missing, or differs from the
 * text.
 *
 * @example
 * ```ts
 * import { launchOf, readModule } from 'tensorcore-spec/dialects/ttgir'
 *
 * const text = 'module attributes {"ttg.num-warps" = 4 : i32} { tt.func public @f(%n: i32) { tt.return } }'
 * const read = readModule(text)
 * const launch = read._tag === 'Right' ? launchOf(read.right, { grid: [2], args: {} }) : read
 * console.log(launch._tag === 'Left' ? launch.left.message : launch.right) // @f: expected a grid and one argument, --grid 2 --arg n=?:i32, found nothing for n
 * ```
 */
export const launchOf = (m: Module, given: Given): E.Either<LaunchFailure, Elaborate> =>
  pipe(
    signatureOf(m, given.function),
    E.bindTo('s'),
    E.bindW('args', ({ s }) => byName(s, given)),
    E.chainW(({ s, args }): E.Either<LaunchFailure, Elaborate> => {
      const { grid } = given
      const missing = [
        ...(grid === undefined ? ['the grid'] : []),
        ...s.parameters.filter((p) => !args.has(p.name)).map((p) => p.name),
      ]
      if (missing.length > 0 || grid === undefined)
        return wrong(
          `@${s.name}`,
          `a grid and ${s.parameters.length === 1 ? 'one argument' : `${String(s.parameters.length)} arguments`}, ${asOptions(s, given, args)}`,
          `nothing for ${missing.join(', ')}`,
        )
      if (grid.length < 1 || grid.length > 3 || !grid.every(isExtent))
        return wrong(`@${s.name}`, 'a grid of one, two or three positive extents', shown(grid))
      const scalars = new Map<string, number | bigint>()
      const tensors = new Map<string, GivenTensor>()
      for (const p of s.parameters) {
        const a = args.get(p.name)!
        if (p._tag === 'scalar') {
          const found = scalarGiven(p, a)
          if (E.isLeft(found)) return inFunction(s, found)
          scalars.set(p.name, found.right)
        } else if (!(p._tag === 'pointer' && a === 0)) {
          const found = tensorGiven(p, a)
          if (E.isLeft(found)) return inFunction(s, found)
          tensors.set(p.name, found.right)
        }
      }
      return pipe(
        together(tensors),
        E.bindTo('all'),
        E.bind('computes', ({ all }) =>
          given.computes === undefined ? E.right(undefined) : specOf(given.computes, s, all),
        ),
        E.map(({ all, computes }): Elaborate => ({
          grid,
          scalars,
          tensors: all,
          function: s.name,
          ...(computes === undefined ? {} : { computes }),
        })),
        (made) => inFunction(s, made),
      )
    }),
  )

const inFunction = <A>(s: Signature, made: E.Either<LaunchFailure, A>): E.Either<LaunchFailure, A> =>
  E.mapLeft((f: LaunchFailure) => failure(f.code, `@${s.name}: ${f.message}`))(made)
