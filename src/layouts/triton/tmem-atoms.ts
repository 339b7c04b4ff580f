/**
 * The loads and stores of tensor memory, as tiles.
 *
 * `tcgen05.ld` and `tcgen05.st` move 32 or 16 rows of a warp's quarter of tensor memory; the shape says which lane's register
 * goes with which cell. Bases (row, 32-bit column); the two low bits of the warp are rows 32 and 64, always:
 *
 *     atom       register      lane
 *     32x32b     -             [1,0] [2,0] [4,0] [8,0] [16,0]
 *     16x64b     -             [8,0] [0,1] [1,0] [2,0] [4,0]
 *     16x128b    [8,0]         [0,1] [0,2] [1,0] [2,0] [4,0]
 *     16x256b    [0,1] [8,0]   [0,2] [0,4] [1,0] [2,0] [4,0]
 *     16x32bx2   -             [1,0] [2,0] [4,0] [8,0] and bit 4: a second half, at a distance that the instruction names
 *
 * A message repeats its atom along the columns, up to 128 registers. What a message does not cover takes more of them
 * (`repetitions`). Narrow elements are moved 32 bits at a time: several that are neighbours in both a lane and a row (*packed*),
 * or, of 16 bits in columns of 32, two at a time from two words (*unpacked*), or one with a gap beside it.
 *
 * Names: Triton `TMemAccessAtom`, `lowerTMemLdSt`; PTX `tcgen05.ld.sync.aligned.<shape>.x<repeats>`; CuTe `SM100_TMEM_LOAD_*`.
 *
 * Laws
 * 1. The atoms are the fragments of PTX: row and column of register r in lane t, for each shape and number of repeats.
 * 2. Atoms are injective.
 * 3. What `transferOf` returns multiplies back: message and repetitions give the map that was asked for.
 *
 * Source: PTX ISA, tcgen05.ld and tcgen05.st; Triton, the lowering of loads from tensor memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../../greatest.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { Index } from '../../transforms/shape.js'
import { sameShape } from '../../transforms/shape.js'
import { divideLeft, product, quotient } from '../linear/algebra.js'
import { freeVariableMasks, invertAndCompose } from '../linear/inverse.js'
import type { LinearError, LinearLayout, LinearSpec, Result } from '../linear/linear-layout.js'
import { basesOf, identity1D, inputSize, linearLayout, zeros1D } from '../linear/linear-layout.js'
import { registersFirst, repetitions } from './repetition.js'

export type AtomName = '32x32b' | '16x64b' | '16x128b' | '16x256b' | '16x32bx2'

const rows = (...steps: ReadonlyArray<number>): ReadonlyArray<Index> => steps.map((step) => [step, 0])
const columns = (...steps: ReadonlyArray<number>): ReadonlyArray<Index> => steps.map((step) => [0, step])

interface Bases {
  readonly register: ReadonlyArray<Index>
  readonly lane: ReadonlyArray<Index>
}

const atoms: Readonly<Record<AtomName, Bases>> = {
  '32x32b': { register: [], lane: rows(1, 2, 4, 8, 16) },
  '16x64b': { register: [], lane: [...rows(8), ...columns(1), ...rows(1, 2, 4)] },
  '16x128b': { register: rows(8), lane: [...columns(1, 2), ...rows(1, 2, 4)] },
  '16x256b': { register: [...columns(1), ...rows(8)], lane: [...columns(2, 4), ...rows(1, 2, 4)] },
  // The lanes' bit 4 is not the atom's: see `secondHalf`.
  '16x32bx2': { register: [], lane: rows(1, 2, 4, 8) },
}

export const atomNames: ReadonlyArray<AtomName> = ['32x32b', '16x256b', '16x64b', '16x128b', '16x32bx2']

/** Registers that one atom moves in a lane. */
export const registersOf = (name: AtomName): number => 2 ** atoms[name].register.length

/**
 * One message of this many repeats: (register, lane, warp) -> (row, col), `unpacked` with 16-bit columns of which every
 * register takes two. Refuses repeats that are no power of two.
 */
export const message = (name: AtomName, repeats: number, unpacked: boolean = false): Result<LinearLayout> => {
  const wide = greatest(0)([...atoms[name].register, ...atoms[name].lane].map((basis) => basis[1]!))
  return pipe(
    linearLayout({
      inputs: [
        { name: 'register', bases: atoms[name].register },
        { name: 'lane', bases: atoms[name].lane },
        { name: 'warp', bases: rows(32, 64) },
      ],
      outputs: [
        { name: 'row', size: 128 },
        { name: 'col', size: 2 * wide || 1 },
      ],
    }),
    E.chain((atom) =>
      pipe(
        identity1D(repeats, 'register', 'col'),
        E.chain((more) => product(atom, more)),
      ),
    ),
    E.chain((atom) =>
      unpacked
        ? pipe(
            zeros1D(1, 'register', 'col', 2),
            E.chain((low) => product(low, atom)),
          )
        : E.right(atom),
    ),
  )
}

export interface Transfer {
  readonly atom: AtomName
  /** How often a message repeats its atom along the columns. */
  readonly repeats: number
  /** 32-bit registers of one message. */
  readonly registersPerMessage: number
  /** Messages that one warp issues. */
  readonly messages: number
  /** Neighbouring elements that share a register. */
  readonly elementsPerRegister: number
  /** Two 16-bit elements of a register come from two columns of 32 bits. */
  readonly unpacked: boolean
  /** An element alone in its register. */
  readonly padded: boolean
  /** Where lanes 16 to 31 find their half, with 16x32bx2. */
  readonly secondHalf: { readonly row: number; readonly column: number } | null
  /** (register, lane, warp) -> (row, col) beside the message, registers in the message's order. */
  readonly repetitions: LinearLayout
}

export type TransferError = LinearError | 'triton.transfer' | 'triton.element-bits'

const withBases = (
  layout: LinearSpec,
  change: (name: string, bases: ReadonlyArray<Index>) => ReadonlyArray<Index>,
): Result<LinearLayout> =>
  linearLayout({
    inputs: layout.inputs.map(({ name, bases }) => ({ name, bases: change(name, bases) })),
    outputs: layout.outputs,
  })

/** One register for every cell that a lane has. */
const distinctRegisters = (map: LinearSpec): Result<LinearLayout> => {
  const mask = freeVariableMasks(map)[0]!.mask
  return withBases(map, (name, bases) =>
    bases.filter((_, bit) => name !== 'register' || ((mask >> bit) & 1) === 0),
  )
}

/** The longest message of one atom of which the map is made; none if it is not made of that atom. */
const longest = (
  map: LinearLayout,
  name: AtomName,
  unpacked: boolean,
  maxRegisters: number,
): O.Option<{ readonly repeats: number; readonly rest: LinearLayout }> => {
  // Half of the registers, and a quarter where the compiler would spill: with all 256, and more than one message.
  const half = maxRegisters / 2
  const most = maxRegisters === 256 && inputSize(map, 'register') > half ? half / 2 : half
  const attempt = (repeats: number): O.Option<{ readonly repeats: number; readonly rest: LinearLayout }> =>
    pipe(
      O.fromEither(message(name, repeats, unpacked)),
      O.chain((tile) =>
        pipe(
          registersFirst(map, tile),
          O.chain((ordered) => repetitions(ordered, tile)),
        ),
      ),
      O.map((rest) => ({ repeats, rest })),
    )
  let found: ReturnType<typeof attempt> = O.none
  for (let repeats = 1; repeats * registersOf(name) <= most; repeats *= 2) {
    const next = attempt(repeats)
    if (O.isNone(next)) break
    found = next
  }
  return found
}

type Words = Pick<Transfer, 'elementsPerRegister' | 'unpacked' | 'padded'> & { readonly map: LinearLayout }

/** The map of 32-bit registers: several elements in one, or gaps beside them. */
const words = (map: LinearLayout, bits: number): O.Option<Words> => {
  const inWord = 32 / bits
  const over = (tile: Result<LinearLayout>): O.Option<LinearLayout> =>
    pipe(
      O.fromEither(tile),
      O.chain((low) => divideLeft(map, low)),
    )
  const gap = zeros1D(1, 'register', 'col', inWord)
  // A column of the map stays what it was where a register takes two.
  const kept = (rest: LinearLayout): O.Option<LinearLayout> =>
    pipe(
      O.fromEither(gap),
      O.chain((low) => O.fromEither(product(low, rest))),
    )
  const packed = Array.from({ length: Math.log2(inWord) }, (_, k) => inWord / 2 ** k).flatMap((count) =>
    pipe(
      over(identity1D(count, 'register', 'col')),
      O.match(
        () => [],
        (rest) => [{ map: rest, count }],
      ),
    ),
  )[0]
  if (packed !== undefined)
    return packed.count === inWord
      ? O.some({ map: packed.map, elementsPerRegister: packed.count, unpacked: false, padded: false })
      : pipe(
          words(packed.map, bits * packed.count),
          O.map((wider) => ({ ...wider, elementsPerRegister: packed.count * wider.elementsPerRegister })),
        )
  const pair = pipe(
    gap,
    E.chain((low) =>
      pipe(
        identity1D(2, 'register', 'col'),
        E.chain((two) => product(low, two)),
      ),
    ),
  )
  return pipe(
    bits === 16 ? pipe(over(pair), O.chain(kept)) : O.none,
    O.map((rest): Words => ({ map: rest, elementsPerRegister: 2, unpacked: true, padded: false })),
    O.alt(() =>
      pipe(
        over(gap),
        O.chain((rest) => (bits === 16 ? kept(rest) : O.some(rest))),
        O.map((rest): Words => ({ map: rest, elementsPerRegister: 1, unpacked: bits === 16, padded: true })),
      ),
    ),
  )
}

/** The map from registers to cells, warps at their quarters of the rows, without the blocks. */
const cellsOf = (
  registers: LinearLayout,
  memory: LinearLayout,
): E.Either<Failure<TransferError>, LinearLayout> => {
  const quarters = [5, 6].map((bit) => basesOf(memory, 'row')[bit] ?? [])
  const warps = basesOf(registers, 'warp')
  const misplaced = quarters.findIndex((quarter, bit) => !sameShape(warps[bit] ?? [], quarter))
  if (misplaced >= 0)
    return refuse(
      'triton.transfer',
      `Warp bit ${String(misplaced)} must hold what row ${String(32 * 2 ** misplaced)} holds, [${quarters[misplaced]!.join(', ')}], found [${(warps[misplaced] ?? []).join(', ')}]`,
    )
  return pipe(
    invertAndCompose(registers, memory),
    E.chainW((map) =>
      pipe(
        quotient(['block'])(map),
        E.fromOption(() => ({
          code: 'triton.transfer' as const,
          message: 'Registers and tensor memory must be distributed over the blocks in the same way',
        })),
      ),
    ),
    // A replicated quarter is solved to row 0, but each warp reaches only its own rows.
    E.chainW((map) =>
      withBases(map, (name, bases) => (name === 'warp' ? [...rows(32, 64), ...bases.slice(2)] : bases)),
    ),
    E.chainW(distinctRegisters),
  )
}

/**
 * How elements of `bits` go between registers and tensor memory: `registers` from (register, lane, warp, block), `memory` from
 * (row, col, block), to the same dimensions. `maxRegisters` is the most that a thread may have. Errors: warps or blocks that do
 * not reach their elements, and layouts that no shape moves.
 */
export const transferOf = (
  registers: LinearLayout,
  memory: LinearLayout,
  bits: number,
  maxRegisters: number = 256,
): E.Either<Failure<TransferError>, Transfer> =>
  [8, 16, 32].includes(bits)
    ? pipe(
        cellsOf(registers, memory),
        E.chainW((map) =>
          pipe(
            bits === 32
              ? O.some<Words>({ map, elementsPerRegister: 1, unpacked: false, padded: false })
              : words(map, bits),
            O.chain(({ map: whole, elementsPerRegister, unpacked, padded }) =>
              atomNames.reduce<O.Option<Transfer>>(
                (done, atom) =>
                  O.isSome(done)
                    ? done
                    : pipe(
                        longest(whole, atom, unpacked, maxRegisters),
                        O.chain(({ repeats, rest }) => {
                          const registersPerMessage = repeats * registersOf(atom)
                          const transfer = {
                            atom,
                            repeats,
                            registersPerMessage,
                            messages: inputSize(whole, 'register') / registersPerMessage,
                            elementsPerRegister,
                            unpacked,
                            padded,
                          }
                          return atom === '16x32bx2'
                            ? secondHalf(rest, transfer)
                            : O.some({ ...transfer, secondHalf: null, repetitions: rest })
                        }),
                      ),
                O.none,
              ),
            ),
            E.fromOption(() => ({
              code: 'triton.transfer' as const,
              message: `No shape of tcgen05.ld or st moves elements of ${String(bits)} bits between these layouts`,
            })),
          ),
        ),
      )
    : refuse('triton.element-bits', `Elements must have 8, 16 or 32 bits, found ${String(bits)}`)

/** Bit 4 of the lane goes into the instruction. */
const secondHalf = (
  rest: LinearLayout,
  transfer: Omit<Transfer, 'secondHalf' | 'repetitions'>,
): O.Option<Transfer> => {
  const [row, column] = basesOf(rest, 'lane')[4]!
  return pipe(
    withBases(rest, (name, bases) => (name === 'lane' ? bases.map((basis) => basis.map(() => 0)) : bases)),
    O.fromEither,
    O.map((repetitions) => ({ ...transfer, secondHalf: { row: row!, column: column! }, repetitions })),
  )
}
