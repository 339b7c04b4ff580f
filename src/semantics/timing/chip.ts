/**
 * Chips: what a timed run knows of one, as a table of numbers.
 *
 * Each number has a name, a unit and a source. A source says how the number is known: *measured* by a program of `conformance/hopper/timing`, *documented* on a
 * page, *fitted*, so that predictions come near to captures, or *assumed*, like another number or that of another chip. Who doubts a prediction finds here what it rests on, and `changed` gives another chip.
 *
 *     l2.bandwidth     44 bytes a cycle for one multiprocessor, when all ask     measured: copies, timing/h200.jsonl
 *     changed('l2.bandwidth', 'x1.2')      the same chip with 52.8
 *
 * Cycles are those of a multiprocessor. `clock` turns them into time.
 *
 * Laws
 * 1. `changed` changes one number and nothing else.
 * 2. Every number of `names` is in every chip.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import type { InFlight } from '../machine/operation.js'

// ---------------------------------------------------------------- model

export type Unit =
  'count' | 'MHz' | 'bytes' | 'cycles' | 'bytes a cycle' | 'GB/s' | 'operations a cycle' | 'us' | 'share'

export type Name =
  | 'sms'
  | 'clock'
  | 'clock.products'
  | 'clock.reserve'
  | 'clock.tensor'
  | 'clock.loads'
  | 'sm.threads'
  | 'sm.ctas'
  | 'sm.registers'
  | 'sm.shared'
  | 'sm.reserved'
  | 'launch.grid'
  | 'launch.cta'
  | 'alu.latency'
  | 'sfu.latency'
  | 'shuffle.latency'
  | 'fma.interval'
  | 'alu.interval'
  | 'half.interval'
  | 'convert.interval'
  | 'sfu.interval'
  | 'shuffle.interval'
  | 'shared.latency'
  | 'shared.bandwidth'
  | 'barrier.latency'
  | 'barrier.issue'
  | 'mbarrier.issue'
  | 'mbarrier.wait'
  | 'mbarrier.wake'
  | 'fence.proxy'
  | 'fence.memory'
  | 'cluster.latency'
  | 'tensormap.replace'
  | 'tensormap.publish'
  | 'registers.change'
  | 'tma.issue'
  | 'tma.interval'
  | 'tma.row'
  | 'tma.latency'
  | 'tma.store'
  | 'tma.written'
  | 'lsu.issue'
  | 'l2.latency'
  | 'l2.bandwidth'
  | 'l2.near'
  | 'l2.step'
  | 'l2.port'
  | 'l2.write'
  | 'l2.together'
  | 'write.port'
  | 'write.burst'
  | 'l2.bytes'
  | 'l2.copy'
  | 'dram.latency'
  | 'dram.spread'
  | 'dram.bandwidth'
  | 'wgmma.issue'
  | 'wgmma.descriptor'
  | 'wgmma.queue'
  | 'wgmma.latency'
  | 'wgmma.rate'
  | 'wgmma.shared'
  | 'mma.interval'
  | 'tcgen05.issue'
  | 'tcgen05.latency'
  | 'tcgen05.rate'
  | 'tmem.bandwidth'
  | 'tmem.latency'
  | 'tmem.allocate'

/** The numbers of a chip: what each is, and in which unit. */
export const names: Readonly<Record<Name, readonly [Unit, string]>> = {
  sms: ['count', 'multiprocessors'],
  clock: ['MHz', 'frequency of the multiprocessors, when their tensor cores do nothing'],
  'clock.products': ['MHz', 'the same, as soon as they do something'],
  'clock.tensor': [
    'MHz',
    'how much lower the clock is when the tensor cores are always busy, because of the power limit',
  ],
  'clock.loads': ['MHz', 'how much lower for each byte per cycle that each multiprocessor loads'],
  'clock.reserve': ['MHz', 'power that the two may use before the clock falls'],
  'sm.threads': ['count', 'threads that are resident on a multiprocessor'],
  'sm.ctas': ['count', 'CTAs that are resident on a multiprocessor'],
  'sm.registers': ['count', 'registers of a multiprocessor'],
  'sm.shared': ['bytes', 'shared memory of a multiprocessor'],
  'sm.reserved': ['bytes', 'shared memory that the chip keeps of each CTA'],
  'launch.grid': ['us', 'from the launch of a grid to its first CTA, and from the last to its end'],
  'launch.cta': ['cycles', 'from the end of a CTA to the first instruction of its replacement'],
  'alu.latency': ['cycles', 'a result of an arithmetic instruction'],
  'sfu.latency': ['cycles', 'a result of a special function'],
  'shuffle.latency': ['cycles', 'a word from another lane'],
  'fma.interval': ['cycles', 'a scheduler, per warp and instruction: f32 arithmetic'],
  'alu.interval': ['cycles', 'the same: integers, comparisons, choices'],
  'half.interval': ['cycles', 'the same: pairs of f16 or bf16'],
  'convert.interval': ['cycles', 'the same: conversions to and from narrow floats'],
  'sfu.interval': ['cycles', 'the same: special functions'],
  'shuffle.interval': ['cycles', 'the same: words between lanes'],
  'shared.latency': ['cycles', 'a load from shared memory'],
  'shared.bandwidth': ['bytes a cycle', 'the port of shared memory'],
  'barrier.latency': ['cycles', 'from the last arrival at a barrier of the CTA to the instruction after it'],
  'barrier.issue': ['cycles', 'a warp arrives at a barrier of the CTA'],
  'mbarrier.issue': ['cycles', 'an arrival at an mbarrier'],
  'mbarrier.wait': ['cycles', 'a wait whose phase is over'],
  'mbarrier.wake': ['cycles', 'from the end of a phase to the instruction after a wait for it'],
  'fence.proxy': ['cycles', 'a fence between generic and asynchronous accesses'],
  'fence.memory': ['cycles', 'a fence of memory at the scope of the chip'],
  'cluster.latency': [
    'cycles',
    'from the last arrival at the barrier of a cluster to the instruction after it',
  ],
  'tensormap.replace': ['cycles', 'a field of a tensor map in shared memory is written'],
  'tensormap.publish': ['cycles', 'a tensor map goes to global memory, and may be used'],
  'registers.change': ['cycles', 'a warpgroup releases or requests registers'],
  'tma.issue': ['cycles', 'an agent issues a copy'],
  'tma.interval': ['cycles', 'the unit begins a copy'],
  'tma.row': ['cycles', 'the unit takes a row of 128 bytes of a box'],
  'tma.latency': ['cycles', 'from the issue of a copy to its bytes in shared memory, when they are in L2'],
  'tma.store': ['cycles', 'from the issue of a store to the end of its reads of shared memory'],
  'tma.written': ['cycles', 'from the end of its reads to its bytes in global memory'],
  'lsu.issue': ['cycles', 'a warp issues an access of memory'],
  'l2.latency': ['cycles', 'a load by threads, from L2'],
  'l2.bandwidth': [
    'bytes a cycle',
    'lines of L2 that only one multiprocessor requests, while all request some',
  ],
  'l2.near': ['bytes a cycle', 'lines that a neighbour requests, too, by copies of the unit'],
  'l2.step': ['bytes a cycle', 'the same, where neighbours are in step'],
  'l2.port': ['bytes a cycle', 'peak rate between L2 and a multiprocessor'],
  'l2.write': ['bytes a cycle', 'rate of writes of a multiprocessor, when all write'],
  'write.port': ['bytes a cycle', 'peak rate of writes of a multiprocessor'],
  'write.burst': [
    'cycles',
    'how long a multiprocessor may write more than its share, before it has to wait for others',
  ],
  'l2.together': ['count', 'neighbouring multiprocessors that share requests for one line'],
  'l2.bytes': ['bytes', 'fraction of L2 that keeps loaded data'],
  'l2.copy': [
    'share',
    'room of a line in the half of L2 that is not its home, when multiprocessors of that half ask for it',
  ],
  'dram.latency': ['cycles', 'extra latency of a load that misses L2'],
  'dram.spread': ['cycles', 'extra latency of the last of many lines from DRAM, compared with one line'],
  'dram.bandwidth': ['GB/s', 'between DRAM and L2'],
  'wgmma.issue': ['cycles', 'a warp issues a product'],
  'wgmma.descriptor': ['cycles', 'a word of a descriptor goes where all lanes share it'],
  'wgmma.queue': [
    'count',
    'products of 64 rows and 32 bytes of depth that a tensor core has been given and not done, at most',
  ],
  'wgmma.latency': ['cycles', 'from the last product of a group to the instruction after a wait for it'],
  'wgmma.rate': ['operations a cycle', 'multiply-adds of 16 bits, all four tensor cores together'],
  'wgmma.shared': ['bytes a cycle', 'operands of products from shared memory'],
  'mma.interval': ['cycles', 'a scheduler, per warp: m16n8k16 by mma.sync'],
  'tcgen05.issue': ['cycles', 'an agent issues a product of the fifth generation'],
  'tcgen05.latency': ['cycles', 'from the end of a product to its arrival at a barrier'],
  'tcgen05.rate': ['operations a cycle', 'multiply-adds of 16 bits, of one multiprocessor'],
  'tmem.bandwidth': ['bytes a cycle', 'between tensor memory and registers'],
  'tmem.latency': ['cycles', 'a load from tensor memory'],
  'tmem.allocate': ['cycles', 'columns of tensor memory are allocated or freed'],
}

export type Source =
  /** by a program of `conformance/hopper/timing`; the rows of its capture that say so */
  | { readonly _tag: 'measured'; readonly rows: string }
  | { readonly _tag: 'documented'; readonly page: string }
  /** so that these captures come out */
  | { readonly _tag: 'fitted'; readonly to: string }
  /** neither measured nor documented: as something else is */
  | { readonly _tag: 'assumed'; readonly like: string }

export interface Parameter {
  readonly value: number
  readonly source: Source
}

export interface Chip {
  readonly name: string
  readonly says: string
  /** operations that it has no unit for */
  readonly lacks: ReadonlyArray<InFlight['_tag']>
  readonly parameters: Readonly<Record<Name, Parameter>>
}

// ---------------------------------------------------------------- constructors

export const measured = (value: number, rows: string): Parameter => ({
  value,
  source: { _tag: 'measured', rows },
})
export const documented = (value: number, page: string): Parameter => ({
  value,
  source: { _tag: 'documented', page },
})
export const fitted = (value: number, to: string): Parameter => ({ value, source: { _tag: 'fitted', to } })
export const assumed = (value: number, like: string): Parameter => ({
  value,
  source: { _tag: 'assumed', like },
})

// ---------------------------------------------------------------- destructors

/** How a number is known, and by what. */
export const knownBy = ({ source }: Parameter): readonly [how: Source['_tag'], by: string] => {
  switch (source._tag) {
    case 'measured':
      return [source._tag, source.rows]
    case 'documented':
      return [source._tag, source.page]
    case 'fitted':
      return [source._tag, source.to]
    case 'assumed':
      return [source._tag, source.like]
  }
}

export const valueOf = (chip: Chip, name: Name): number => chip.parameters[name].value

const isName = (word: string): word is Name => Object.hasOwn(names, word)
export const allNames: ReadonlyArray<Name> = Object.keys(names).filter(isName)

// ---------------------------------------------------------------- other chips

export type ChipFailure = Failure<'chip.name' | 'chip.value'>

/** One number of a chip is another: a number, or a factor (`x1.2`). */
export const changed =
  (name: string, word: string) =>
  (chip: Chip): E.Either<ChipFailure, Chip> => {
    if (!isName(name))
      return refuse('chip.name', `${chip.name} has no number '${name}'; ${didYouMean(allNames)(name)}`)
    const isFactor = word[0] === 'x'
    const said = Number(isFactor ? word.slice(1) : word)
    if (!Number.isFinite(said) || said <= 0)
      return refuse(
        'chip.value',
        `${name}: expected a positive number or a factor such as x1.2, found '${word}'`,
      )
    const before = chip.parameters[name]
    const value = isFactor ? before.value * said : said
    return E.right({
      name: chip.name,
      says: chip.says,
      lacks: chip.lacks,
      parameters: Object.assign({}, chip.parameters, { [name]: { value, source: before.source } }),
    })
  }
