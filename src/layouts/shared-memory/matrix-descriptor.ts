/**
 * Matrix descriptors: how an instruction says where an operand lies in shared memory.
 *
 * A descriptor is 64 bits that stand for a function (mn, k) -> byte address; mn counts rows of A or columns of B. It knows a start, two
 * strides and a swizzle; whether the operand is contiguous along K (K-major) or along M or N (MN-major), and the width of an element,
 * is said by the instruction. W is the span of the swizzle in bytes, V the elements of that many bytes, kb = k in bytes:
 *
 * | major | swizzle          | address before the swizzle, relative to the start                                       |
 * |-------|------------------|-----------------------------------------------------------------------------------------|
 * | K     | none             | (mn div 8) SBO + (kb div 16) LBO + (mn mod 8) 16 + kb mod 16                            |
 * | K     | 32, 64, 128      | (mn div 8) SBO + (mn mod 8) W + kb                              (LBO is not used)       |
 * | MN    | none             | (mn div V) SBO + (k div 8) LBO + (k mod 8) 16 + (mn mod V) bytes                        |
 * | MN    | 32, 64, 128      | (mn div V) LBO + (k div 8) SBO + (k mod 8) W + (mn mod V) bytes                         |
 * | MN    | 128, atoms of 32 | (mn div V) LBO + (k div 4) SBO + (k mod 4) 128 + (mn mod V) bytes                       |
 *
 * LBO and SBO change places between MN-major without and with a swizzle. The swizzle is applied to the whole address, start included:
 * chunk number (of 16 bytes, or 32) xor line number, where the line is (address div 128) - base offset. The table speaks of one instruction:
 * 32 bytes of K. Stepping along K moves the start (`advanceK`); the swizzle needs no change, as it looks at the address itself.
 *
 *     f16, K-major, swizzle 128, start 1024, SBO 1024:  (9, 20) -> 1024 + 1024 + 128 + 40 = 2216, line 17, chunk 2 xor 1 -> 2232
 *
 * The word, bits low to high (start, LBO and SBO are divided by 16, so 18 bits of address):
 *
 * | bits  | wgmma                        | tcgen05                                                        |
 * |-------|------------------------------|----------------------------------------------------------------|
 * | 0-13  | start                        | start                                                          |
 * | 16-29 | LBO                          | LBO                                                            |
 * | 32-45 | SBO                          | SBO                                                            |
 * | 46-48 | 0                            | 1                                                              |
 * | 49-51 | base offset                  | base offset                                                    |
 * | 52    | 0                            | LBO is an absolute address                                     |
 * | 61-63 | 0 none, 2 128, 4 64, 6 32    | 0 none, 1 128 with atoms of 32, 2 128, 4 64, 6 32              |
 *
 * (PTX counts wgmma's swizzle from bit 62: 0, 1, 2, 3.) All other bits are 0.
 *
 * Names: CuTe `GmmaDescriptor` and `UMMA::SmemDescriptor`; Triton `MMASMEMDescriptor`; Mosaic `encode_descriptor`; Mojo `MMASmemDescriptor`.
 *
 * Laws
 * 1. `decode(unit)(encode(d)) = d` for every legal d, and `encode(decode(unit)(w)) = w` for every word that is accepted.
 * 2. `elementAddress` gives every captured descriptor map, element for element.
 * 3. It is CuTe's canonical layout with the strides of the table, then Swizzle<B, M, S>, for every unit, major, width and swizzle.
 * 4. `elementAddress(advanceK(d, s))(mn, k) = elementAddress(d)(mn, k + s * K)`.
 * 5. `descriptorOf(ref, base)`: the instruction of block i and step j reads, at (mn, k), the element (mn + i * rows, k + j * K) of the ref,
 *    at the address that the ref gives it.
 *
 * @fidelity silicon for wgmma; documented for tcgen05.
 *
 * Source: PTX ISA, matrix descriptors of wgmma and tcgen05; CuTe's canonical layouts; maps captured on an H100 (conformance/hopper/structure).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { MmaOperand, MmaOperandError } from '../../transforms/mma-operand.js'
import { mmaOperand } from '../../transforms/mma-operand.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { isExtent } from '../../transforms/shape.js'
import type { Swizzle } from '../../transforms/swizzle.js'
import { isSwizzle } from '../../transforms/swizzle.js'

// ---------------------------------------------------------------------------------------------- model

interface Fields {
  /** Address of the operand's first element, in bytes. */
  readonly startBytes: number
  /** LBO, in bytes. */
  readonly leadingBytes: number
  /** SBO, in bytes. */
  readonly strideBytes: number
  /** 0 to 7: the line, modulo 8, on which the swizzle's pattern starts; 0 when it starts at a multiple of its period. */
  readonly baseOffset: number
  /** Span in bytes; 16 is none. */
  readonly swizzle: Swizzle
}

/** sm_90. */
export interface WgmmaDescriptor extends Fields {
  readonly _tag: 'wgmma'
}

/** sm_100. */
export interface Tcgen05Descriptor extends Fields {
  readonly _tag: 'tcgen05'
  /** What the swizzle moves as one: 16 bytes, or 32 in a span of 128. */
  readonly atomBytes: 16 | 32
  /** Absolute (sm_103a): `leadingBytes` is an address. Only with a swizzle of 128, atoms of 16 and base offset 0. */
  readonly leadingMode: 'relative' | 'absolute'
}

export type MatrixDescriptor = WgmmaDescriptor | Tcgen05Descriptor
export type MatrixUnit = MatrixDescriptor['_tag']

/** What the instruction adds to the descriptor. */
export interface OperandForm {
  readonly major: 'k' | 'mn'
  /** Bits of an element. */
  readonly bits: number
}

export type DescriptorError =
  | 'descriptor.field'
  | 'descriptor.base-offset'
  | 'descriptor.swizzle'
  | 'descriptor.leading-mode'
  | 'descriptor.reserved'
  | 'descriptor.word'
export type FormError = 'descriptor.bits' | 'descriptor.major' | 'descriptor.leading-mode'
export type AdvanceError = FormError | 'descriptor.k-step'
export type OperandError = MmaOperandError | DescriptorError | FormError | 'descriptor.extent'

/** Bytes of K that one instruction takes of every row. */
const kBytesPerInstruction = 32
const fieldLimit = 2 ** 18

const atomOf = (d: MatrixDescriptor): 16 | 32 => (d._tag === 'tcgen05' ? d.atomBytes : 16)

// ---------------------------------------------------------------------------------------- constructors

const codes: Readonly<Record<MatrixUnit, ReadonlyArray<readonly [code: number, Swizzle, 16 | 32]>>> = {
  wgmma: [
    [0, 16, 16],
    [2, 128, 16],
    [4, 64, 16],
    [6, 32, 16],
  ],
  tcgen05: [
    [0, 16, 16],
    [1, 128, 32],
    [2, 128, 16],
    [4, 64, 16],
    [6, 32, 16],
  ],
}

const field = (word: bigint, from: number, bits: number): number =>
  Number(BigInt.asUintN(bits, word >> BigInt(from)))

/** Is this a descriptor that hardware takes? */
export const checkDescriptor = <D extends MatrixDescriptor>(d: D): E.Either<Failure<DescriptorError>, D> => {
  for (const name of ['startBytes', 'leadingBytes', 'strideBytes'] as const)
    if (!Number.isInteger(d[name] / 16) || d[name] < 0 || d[name] >= fieldLimit)
      return refuse(
        'descriptor.field',
        `${name} must be a multiple of 16 from 0 to ${String(fieldLimit - 16)}, found ${String(d[name])}`,
      )
  if (!Number.isInteger(d.baseOffset) || d.baseOffset < 0 || d.baseOffset > 7)
    return refuse('descriptor.base-offset', `baseOffset must be 0 to 7, found ${String(d.baseOffset)}`)
  if (!isSwizzle(d.swizzle) || (atomOf(d) === 32 && d.swizzle !== 128))
    return refuse(
      'descriptor.swizzle',
      `The swizzle must span 16, 32, 64 or 128 bytes, and 128 with atoms of 32, found ${String(d.swizzle)} with atoms of ${String(atomOf(d))}`,
    )
  if (
    d._tag === 'tcgen05' &&
    d.leadingMode === 'absolute' &&
    (d.swizzle !== 128 || d.atomBytes !== 16 || d.baseOffset !== 0)
  )
    return refuse(
      'descriptor.leading-mode',
      `An absolute leadingBytes needs a swizzle of 128 bytes with atoms of 16 and base offset 0, found ${String(d.swizzle)} with atoms of ${String(d.atomBytes)} and base offset ${String(d.baseOffset)}`,
    )
  return E.right(d)
}

/** The descriptor that a word stands for. Errors: not 64 bits, a swizzle code that means nothing, a fixed bit that has the other value. */
export const decode =
  (unit: MatrixUnit) =>
  (word: bigint): E.Either<Failure<DescriptorError>, MatrixDescriptor> => {
    if (BigInt.asUintN(64, word) !== word)
      return refuse(
        'descriptor.word',
        `A matrix descriptor is an unsigned number of 64 bits, found ${String(word)}`,
      )
    const code = field(word, 61, 3)
    const mode = codes[unit].find(([own]) => own === code)
    if (mode === undefined)
      return refuse('descriptor.swizzle', `${unit}: bits 61 to 63 cannot be ${String(code)}`)
    const [, swizzle, atomBytes] = mode
    const fields = {
      startBytes: 16 * field(word, 0, 14),
      leadingBytes: 16 * field(word, 16, 14),
      strideBytes: 16 * field(word, 32, 14),
      baseOffset: field(word, 49, 3),
      swizzle,
    }
    const d: MatrixDescriptor =
      unit === 'wgmma'
        ? { _tag: 'wgmma', ...fields }
        : {
            _tag: 'tcgen05',
            ...fields,
            atomBytes,
            leadingMode: field(word, 52, 1) === 1 ? 'absolute' : 'relative',
          }
    const other = wordOf(d) ^ word
    return other === 0n
      ? checkDescriptor(d)
      : refuse(
          'descriptor.reserved',
          `${unit}: a fixed bit has the wrong value: bit ${String(other.toString(2).length - 1)} of 0x${word.toString(16)}`,
        )
  }

// ----------------------------------------------------------------------------------------- destructors

const wordOf = (d: MatrixDescriptor): bigint => {
  const code = codes[d._tag].find(([, swizzle, atom]) => swizzle === d.swizzle && atom === atomOf(d))![0]
  const parts: ReadonlyArray<readonly [value: number, from: number]> = [
    [d.startBytes / 16, 0],
    [d.leadingBytes / 16, 16],
    [d.strideBytes / 16, 32],
    [d._tag === 'tcgen05' ? 1 : 0, 46],
    [d.baseOffset, 49],
    [d._tag === 'tcgen05' && d.leadingMode === 'absolute' ? 1 : 0, 52],
    [code, 61],
  ]
  return parts.reduce((word, [value, from]) => word | (BigInt(value) << BigInt(from)), 0n)
}

/** The 64 bits. Refuses strides and starts that are misaligned or do not fit, and a swizzle that the unit has not. */
export const encode = (d: MatrixDescriptor): E.Either<Failure<DescriptorError>, bigint> =>
  pipe(checkDescriptor(d), E.map(wordOf))

/** The swizzle as a function of the byte address. */
const exchange = (d: MatrixDescriptor): ((address: number) => number) => {
  const atom = atomOf(d)
  const mask = d.swizzle / atom - 1
  return (address) => address ^ ((((address >> 7) - d.baseOffset) & mask) * atom)
}

const checkForm = (d: MatrixDescriptor, { major, bits }: OperandForm): E.Either<Failure<FormError>, null> => {
  if (![1, 4, 8, 16, 32].includes(bits))
    return refuse(
      'descriptor.bits',
      `Elements of an operand have 1, 4, 8, 16 or 32 bits, found ${String(bits)}`,
    )
  const atom = atomOf(d)
  const legal =
    major === 'k'
      ? atom === 16
      : d._tag === 'wgmma'
        ? bits === 16
        : bits === 32
          ? atom === 32
          : atom === 16 && bits >= 8
  if (!legal)
    return refuse(
      'descriptor.major',
      `${d._tag}: elements of ${String(bits)} bits cannot be ${major === 'k' ? 'K' : 'MN'}-major with swizzle ${String(d.swizzle)} and atoms of ${String(atom)} bytes` +
        ' (wgmma: MN-major for 16 bits only; tcgen05: MN-major for 8, 16 and 32 bits, atoms of 32 for MN-major 32 bits and nothing else)',
    )
  return d._tag === 'tcgen05' && d.leadingMode === 'absolute'
    ? refuse(
        'descriptor.leading-mode',
        'The library does not know what the tensor core reads with an absolute leadingBytes',
      )
    : E.right(null)
}

/** Lines of K in one atom of an MN-major operand. */
const kLines = (d: MatrixDescriptor): number => (atomOf(d) === 32 ? 4 : 8)

/**
 * The byte of shared memory that holds element (mn, k) of the operand of one instruction; of less than a byte, the byte it lies in.
 * Errors: a width or a major that the unit has not, an absolute leading offset.
 */
export const elementAddress =
  (d: MatrixDescriptor) =>
  (form: OperandForm): E.Either<Failure<FormError>, (mn: number, k: number) => number> =>
    pipe(
      checkForm(d, form),
      E.map(() => {
        const { startBytes: start, leadingBytes: lbo, strideBytes: sbo, swizzle: span } = d
        const swizzled = exchange(d)
        const bytes = form.bits / 8
        const tiled = span === 16 || d._tag === 'wgmma'
        if (form.major === 'k')
          return (mn: number, k: number) => {
            const kb = Math.floor(k * bytes)
            // a row of K that is longer than the span goes on in the next tile, as B of a sparse product does
            const along = tiled ? Math.floor(kb / span) * lbo + (kb % span) : kb
            return swizzled(start + Math.floor(mn / 8) * sbo + (mn % 8) * span + along)
          }
        const v = span / bytes
        const lines = kLines(d)
        const [nextMn, nextK] = span === 16 ? [sbo, lbo] : [lbo, sbo]
        return (mn: number, k: number) =>
          swizzled(
            start +
              Math.floor(mn / v) * nextMn +
              Math.floor(k / lines) * nextK +
              (k % lines) * span +
              (mn % v) * bytes,
          )
      }),
    )

// ----------------------------------------------------------------------------------------- combinators

/**
 * The descriptor of the instruction that is `steps` further along K. Refuses to leave the tile of a K-major swizzled operand: where the next
 * one lies, the descriptor does not say.
 */
export const advanceK =
  (form: OperandForm, steps: number) =>
  <D extends MatrixDescriptor>(d: D): E.Either<Failure<AdvanceError>, D> =>
    pipe(
      checkForm(d, form),
      E.chainW((): E.Either<Failure<AdvanceError>, D> => {
        const moved = (bytes: number): D => ({ ...d, startBytes: d.startBytes + steps * bytes })
        const unswizzled = d.swizzle === 16
        if (form.major === 'mn') {
          const atoms = (8 * kBytesPerInstruction) / form.bits / kLines(d)
          return E.right(moved(atoms * (unswizzled ? d.leadingBytes : d.strideBytes)))
        }
        if (unswizzled) return E.right(moved(2 * d.leadingBytes))
        const inRow = (d.startBytes % d.swizzle) + steps * kBytesPerInstruction
        return inRow >= 0 && inRow < d.swizzle
          ? E.right(moved(kBytesPerInstruction))
          : refuse(
              'descriptor.k-step',
              `${String(steps)} steps from byte ${String(d.startBytes % d.swizzle)} of a row leave the tile of ${String(d.swizzle)} bytes`,
            )
      }),
    )

/** The descriptors of a whole operand. */
export interface OperandDescriptors {
  readonly operand: MmaOperand
  readonly form: OperandForm
  /** Rows of A, or columns of B, of one instruction. */
  readonly rows: number
  /** Extent along K of one instruction. */
  readonly k: number
  /** `descriptors[i][j]`: rows i * rows onwards, K from j * k. */
  readonly descriptors: ReadonlyArray<ReadonlyArray<MatrixDescriptor>>
}

/** `rows` that one instruction takes: 64 for A of wgmma, N for B; the whole operand if not given. */
export interface OperandOptions {
  readonly unit: MatrixUnit
  readonly operand: 'a' | 'b'
  readonly rows?: number
}

const descriptor = (unit: MatrixUnit, fields: Fields): MatrixDescriptor =>
  unit === 'wgmma'
    ? { _tag: 'wgmma', ...fields }
    : { _tag: 'tcgen05', ...fields, atomBytes: 16, leadingMode: 'relative' }

/**
 * The descriptors by which a ref at this shared-memory address is an operand. Errors: transforms that are no operand's, extents that are not
 * whole instructions, an address or a stride that a descriptor cannot hold.
 */
export const descriptorOf =
  (options: OperandOptions) =>
  (ref: TransformedRef, baseAddress: number): E.Either<Failure<OperandError>, OperandDescriptors> =>
    pipe(
      mmaOperand(options.operand)(ref),
      E.chainW((operand): E.Either<Failure<OperandError>, OperandDescriptors> => {
        const { swizzle, major, mnTileStrideBytes, kTileStrideBytes } = operand
        const { bits } = ref
        const rows = options.rows ?? operand.mn
        const k = (8 * kBytesPerInstruction) / bits
        // Rows of one instruction start on a tile, or lie in one.
        const tileRows = major === 'k' ? 8 : (8 * swizzle) / bits
        const fits = rows % tileRows === 0 || (major === 'mn' && tileRows % rows === 0)
        if (!isExtent(rows) || operand.k % k !== 0 || operand.mn % rows !== 0 || !fits)
          return refuse(
            'descriptor.extent',
            `Instructions of ${String(rows)} rows and ${String(k)} along K must make up the operand of ${String(operand.mn)} and ${String(operand.k)}, in whole tiles of ${String(tileRows)} rows`,
          )
        const offset = (row: number, kIndex: number): number => {
          const tile = Math.floor(row / tileRows) * mnTileStrideBytes
          if (major === 'mn') return tile + ((row % tileRows) * bits) / 8 + (kIndex / 8) * kTileStrideBytes
          const kb = (kIndex * bits) / 8
          return tile + Math.floor(kb / swizzle) * kTileStrideBytes + (kb % swizzle)
        }
        const form = { major, bits }
        const descriptors: MatrixDescriptor[][] = []
        for (let row = 0; row < operand.mn; row += rows) {
          const steps: MatrixDescriptor[] = []
          for (let kIndex = 0; kIndex < operand.k; kIndex += k) {
            const d = descriptor(options.unit, {
              startBytes: baseAddress + ref.byteOffset + offset(row, kIndex),
              leadingBytes: major === 'k' ? 16 : mnTileStrideBytes,
              strideBytes: major === 'k' ? mnTileStrideBytes : kTileStrideBytes,
              baseOffset: 0,
              swizzle,
            })
            const bad = pipe(
              checkDescriptor(d),
              E.chainW(() => checkForm(d, form)),
            )
            if (E.isLeft(bad)) return bad
            steps.push(d)
          }
          descriptors.push(steps)
        }
        return E.right({ operand, form, rows, k, descriptors })
      }),
    )
