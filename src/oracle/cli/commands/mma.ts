/**
 * `tcspec mma --in a=a.npy b=b.npy [c=c.npy] --out d=d.npy`: d = c + a b, by the matrix products of a chip, as fast as they go.
 *
 * The chain of instructions runs over k from c, or from zero; where k is no whole number of instructions, the last one is filled with
 * zeros, which changes no bit (tensor-core law 3). d has the type of the accumulator.
 *
 *     --in a=a.npy b=b.npy                       f16 by their files, into f32, as Hopper does it
 *     --in a:e4m3=a.npy b:e5m2=b.npy --acc f16   8-bit floats, which npy files hold as u1
 *     --in a=a.npy b=b.npy --saturate            integers by their files, i1 and u1, into i32
 *     --in all.safetensors --out d=d.safetensors a, b and perhaps c by their names in one file
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../../failure.js'
import * as fast from '../../../fast/index.js'
import { mmaTypes, type Algebra, type Mma, type MmaTypes } from '../../../numerics/algebra.js'
import { bits } from '../../../numerics/bits.js'
import { isFloat, type Dtype } from '../../../numerics/dtype.js'
import type { Palette } from '../../../render/palette.js'
import { fields, thousands } from '../../../render/table.js'
import { valueOf } from '../../tensor-files/element.js'
import { tensor, tensorOfIntegers, type Tensor } from '../../tensor-files/tensor.js'
import type { OutputFile } from '../../tensor-files/files.js'
import { readTensor, tensorOutputs } from '../../tensor-files/tensor-file.js'
import { paletteOf } from '../colours.js'
import type { CliCommand, Report, World } from '../command.js'
import {
  bindingsAsked,
  inputBindings,
  outputBindings,
  parseBindings,
  type Binding,
} from '../flags/binding.js'
import { oneOf, refuseFlag } from '../flags/choice.js'
import { parseArithmetic } from '../flags/machine.js'
import { wordOf, wordsOf } from '../flags/words.js'

const define = (command: Command): Command =>
  command

    .requiredOption(
      '--in <name=file...>',
      'a, b and perhaps c (name:bf16=file for what npy has no type for), or one .npz or .safetensors of them',
    )
    .option('--out <name=file...>', 'write d to an .npy, .npz or .safetensors file')
    .option('--acc <dtype>', 'f32 or f16, i32 for integers; default: the type of c, else f32 or i32')
    .option('--saturate', 'saturate integer sums at the limits of 32 bits, after every instruction')
    .option('--arithmetic <chip>', 'hopper, blackwell (documented) or ieee32', 'hopper')
    .option('--no-fast', 'by the definition, element by element: the same bits, more slowly')
    .option('--json', 'print one JSON document')

/** Rows of a that are multiplied at once. */
const band = 256

interface Given {
  readonly a: Tensor
  readonly b: Tensor
  readonly c: Tensor | null
}

const matrix = (name: string, t: Tensor): E.Either<Failure, readonly [number, number, Dtype]> => {
  const [rows, columns] = t.shape
  return t.shape.length !== 2 || rows === undefined || columns === undefined || rows * columns === 0
    ? refuse('mma.shape', `${name}: expected a matrix, found shape (${t.shape.join(', ')})`)
    : t.dtype === 'f64'
      ? refuse('mma.types', `${name}: expected elements of at most 32 bits, found ${t.dtype}`)
      : E.right([rows, columns, t.dtype])
}

/** What is multiplied: extents, types, and k in whole instructions. */
interface Product {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly whole: number
  readonly types: MmaTypes
}

const productOf = (
  algebra: Algebra,
  chip: string,
  given: Given,
  acc: string | null,
  saturate: boolean,
): E.Either<Failure, Product> =>
  pipe(
    E.Do,
    E.bind('a', () => matrix('a', given.a)),
    E.bind('b', () => matrix('b', given.b)),
    E.bind('c', () => (given.c === null ? E.right(null) : matrix('c', given.c))),
    E.bind('named', () => (acc === null ? E.right(null) : oneOf('--acc', ['f32', 'f16', 'i32'])(acc))),
    E.chain(({ a: [m, k, a], b: [rows, n, b], c, named }): E.Either<Failure, Product> => {
      if (rows !== k)
        return refuse(
          'mma.shape',
          `b: expected as many rows as a has columns, ${String(k)}, found ${String(rows)}`,
        )
      if (c !== null && (c[0] !== m || c[1] !== n))
        return refuse(
          'mma.shape',
          `c: expected shape (${String(m)}, ${String(n)}), found (${String(c[0])}, ${String(c[1])})`,
        )
      const type = named ?? c?.[2] ?? (isFloat(a) ? 'f32' : 'i32')
      if (c !== null && c[2] !== type) return refuseFlag('--acc', `the type of c, ${c[2]}`, type)
      const types = mmaTypes(a, b, type, saturate)
      const whole = O.isNone(types)
        ? undefined
        : [1, 8, 16, 32]
            .map((block) => Math.ceil(k / block) * block)
            .find((padded) => O.isSome(algebra.mma(types.value, { m: 1, n: 1, k: padded })))
      return O.isNone(types) || whole === undefined
        ? refuse(
            'mma.types',
            `${chip} has no product of ${a} and ${b} into ${type}${saturate ? ' that saturates' : ''}`,
          )
        : E.right({ m, n, k, whole, types: types.value })
    }),
  )

/** Carriers of bits: patterns of floats, values of integers. */
const carriersOf = ({ dtype, bits }: Tensor): Float64Array => {
  if (dtype === 'f64' || isFloat(dtype)) return Float64Array.from(bits, Number)
  const value = valueOf(dtype)
  const out = new Float64Array(bits.length)
  for (let i = 0; i < out.length; i++) out[i] = Number(value(bits[i]!))
  return out
}

/** Columns `k` of a row-major matrix, each row filled with zeros up to `whole`. */
const filled = (from: Float64Array, rows: number, k: number, whole: number, first: number): Float64Array => {
  const out = new Float64Array(rows * whole)
  for (let i = 0; i < rows; i++) for (let p = 0; p < k; p++) out[i * whole + p] = from[(first + i) * k + p]!
  return out
}

const multiplied = (algebra: Algebra, given: Given, p: Product, world: World): Float64Array => {
  const { m, n, k, whole, types } = p
  const out = new Float64Array(m * n)
  const b = new Float64Array(whole * n)
  b.set(carriersOf(given.b))
  const left = carriersOf(given.a)
  const old = given.c === null ? null : carriersOf(given.c)
  const bar = world.progress('multiplying')
  for (let first = 0; first < m; first += band) {
    const rows = Math.min(band, m - first)
    const a = filled(left, rows, k, whole, first)
    const c = old === null ? new Float64Array(rows * n) : old.slice(first * n, (first + rows) * n)
    const mma = algebra.mma(types, { m: rows, n, k: whole })
    const product: Mma = O.isSome(mma) ? mma.value : () => c
    out.set(product(a, b, c), first * n)
    bar.update(first + rows, m)
  }
  bar.stop()
  return out
}

const read = (world: World, ins: ReadonlyArray<Binding>): E.Either<Failure, Given> => {
  const stranger = ins.find((i) => !['a', 'b', 'c'].includes(i.name))
  if (stranger !== undefined) return refuseFlag('--in', 'a, b and perhaps c', stranger.name)
  const of = (name: string): E.Either<Failure, Tensor | null> => {
    const binding = ins.find((i) => i.name === name)
    return binding === undefined
      ? E.right(null)
      : readTensor(world.files)(binding.file, binding.dtype, name)()
  }
  const needed = (name: string): E.Either<Failure, Tensor> =>
    pipe(
      of(name),
      E.chain((t) => (t === null ? refuseFlag('--in', `a file for ${name}`, 'none') : E.right(t))),
    )
  return pipe(
    E.Do,
    E.bind('a', () => needed('a')),
    E.bind('b', () => needed('b')),
    E.bind('c', () => of('c')),
  )
}

const saturates = (types: MmaTypes): boolean => types.acc === 'i32' && types.saturate

const report = (
  palette: Palette,
  chip: string,
  algebra: Algebra,
  p: Product,
  milliseconds: number,
  out: OutputFile | null,
): Report => {
  const multiplyAdds = p.m * p.n * p.k
  const seconds = milliseconds / 1000
  return {
    good: true,
    json: () => ({
      schema: 'tcspec.mma/1',
      m: p.m,
      n: p.n,
      k: p.k,
      types: p.types,
      arithmetic: chip,
      multiplyAdds,
      milliseconds,
      written: out?.file ?? null,
    }),
    files: out === null ? [] : [out],
    text: () =>
      fields(palette, 11, [
        ['product', `d = c + a b: ${String(p.m)} x ${String(p.n)} x ${String(p.k)}`],
        [
          'types',
          `${p.types.a} x ${p.types.b} into ${p.types.acc}${saturates(p.types) ? ', saturating' : ''}`,
        ],
        ['over', algebra.description],
        ...(p.whole === p.k ? [] : [['filled', `k with zeros up to ${String(p.whole)}`] as const]),
        [
          'rate',
          `${thousands(multiplyAdds)} multiply-adds in ${seconds.toFixed(2)} s: ${thousands(Math.round(multiplyAdds / Math.max(seconds, 1e-3) / 1e6))} million a second`,
        ],
        ...(out === null ? [] : [['wrote', `d to ${out.file}`] as const]),
      ]),
  }
}

const run: CliCommand['run'] = (world) => (_operands, options) =>
  TE.fromEither(
    pipe(
      E.Do,
      E.bindW('saidIn', () => parseBindings('--in')(wordsOf(options, 'in'))),
      E.bindW('saidOut', () => parseBindings('--out')(wordsOf(options, 'out'))),
      E.bindW('outs', ({ saidOut }) => outputBindings(saidOut, ['d'])),
      E.bindW('chip', () => parseArithmetic(wordOf(options, 'arithmetic') ?? 'hopper')),
      E.chainFirstW(({ outs }) => {
        const stranger = outs.find((o) => o.name !== 'd')
        return stranger === undefined ? E.right(null) : refuseFlag('--out', 'd', stranger.name)
      }),
      E.bindW('ins', ({ saidIn }) => inputBindings(world.files)(saidIn)),
      E.bindW('given', ({ ins }) => read(world, ins)),
      E.bindW('algebra', ({ chip }) => E.right(options['fast'] === false ? bits(chip) : fast.bits(chip))),
      E.bindW('product', ({ algebra, chip, given }) =>
        productOf(algebra, chip, given, wordOf(options, 'acc'), options['saturate'] === true),
      ),
      E.chainW(({ outs, chip, given, algebra, product }): E.Either<Failure, Report> => {
        const out = outs[0]
        if (out?.dtype !== undefined && out.dtype !== product.types.acc)
          return refuseFlag('--out d', product.types.acc, out.dtype)
        const start = world.clock()
        const d = multiplied(algebra, given, product, world)
        const elapsed = world.clock() - start
        return pipe(
          product.types.acc === 'i32'
            ? tensorOfIntegers('i32', [product.m, product.n], d)
            : tensor(product.types.acc, [product.m, product.n], d),
          E.chainW((t) =>
            tensorOutputs(out === undefined ? [] : [{ said: out.file, called: 'd', tensor: t }]),
          ),
          E.map(([file = null]) => report(paletteOf(world), chip, algebra, product, elapsed, file)),
        )
      }),
    ),
  )

export const mmaCommand: CliCommand = {
  define,
  outputs: (options) => bindingsAsked('--out', wordsOf(options, 'out')),
  run,
}
