/**
 * Instructions: the only statements with an effect.
 *
 * PTX-shaped. Each is a record that names its operands with their indices, so that a TMEM view given to a TMA copy or a B operand in registers is a
 * type error. The records are not written here: `rows.ts` says each instruction once, and `derive.ts` reads its type off the row; `signature.ts`
 * reads the same row at run time, for decoding, validation, linking and printing. What an instruction *does* stands beside its family under
 * `instructions/`.
 *
 *     tma.load        { _tag: 'tma.load', descriptor, coords: [x, y], destination, barrier, ctaGroup: 1 }
 *     destination     View<'smem'>: the words of the row are `view smem`
 *     multicast       may be left out: its name in the row is `multicast?`
 *
 * An operand is an expression (`expression.ts`) that the agent evaluates when it executes the instruction; a `View` operand is the whole footprint of
 * the access. Every other field is an attribute, a part of the instruction itself.
 *
 * | family                        | what it is about                                                                                     |
 * |-------------------------------|------------------------------------------------------------------------------------------------------|
 * | mbarrier                      | barriers that count arrivals and bytes; `count` of an arrive is logical, one per agent               |
 * | bar, cluster                  | meetings of agents: by number in a CTA, of all agents of a cluster                                   |
 * | tma, bulk, tensormap          | boxes and rows of tensors to and from shared memory, told to a barrier or by groups; their descriptors |
 * | smem, gmem, regs              | loads, stores and atomics by the agent itself                                                        |
 * | cpAsync, stAsync              | copies of elements that the agent starts and forgets                                                 |
 * | fence                         | order between the generic proxy and the async one, descriptors, new barriers                         |
 * | wgmma                         | the warpgroup's matrix product into registers, complete by groups                                    |
 * | tcgen05                       | tensor memory: its allocation, products into it, copies, loads and stores of it                      |
 * | semaphore, clc, elect, setMaxRegisters, trap | counters in memory; cluster launch control; one thread for its agent; the register file; the end |
 *
 * Source: PTX ISA 9, sections on mbarrier, cp.async, cp.async.bulk(.tensor), wgmma, tcgen05, proxies.
 */
import type { ViewIndex } from './types.js'
import type { Derived, Fields, Operand, Rows } from './derive.js'
import type { Expr } from './expression.js'
import type { completion } from './rows.js'

export type InstructionName = keyof Rows
type Instructions = { readonly [K in InstructionName]: Derived<K> }
export type Instruction = Instructions[InstructionName]
export type InstructionOf<K extends InstructionName> = Instructions[K]

/** One arrival when the MMA completes, unless its predicate is false. */
export type Completion = Fields<typeof completion>

/** How far a release or acquire reaches. */
export type Scope = InstructionOf<'mbarrier.arrive'>['scope']
export type ReduceKind = InstructionOf<'tma.reduce'>['kind']
export type AtomicOp = InstructionOf<'smem.atomic'>['op']

/** Any single barrier. */
export type AnyBarrier = Operand<'barrier'>
/** A barrier whose arrives and waits carry tensor-core order: what an MMA or a commit may signal. */
export type TensorBarrier = Operand<'tensor barrier'>
export type AnyTile = Operand<'tile scalar'>
/** Types of accumulators of tensor cores. */
export type AccumulatorDtype =
  InstructionOf<'tcgen05.mma'>['accumulator'] extends Expr<ViewIndex<'tmem', infer D, 2>> ? D : never
