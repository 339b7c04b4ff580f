/**
 * Roles: what each instruction is to mutants, in one row. Operators, names, labels and certificates ask it, and none of them knows instructions by itself.
 *
 * | column   | what it says                                                                                                    | who asks            |
 * |----------|-----------------------------------------------------------------------------------------------------------------|---------------------|
 * | `class`  | it orders, allocates, or says how far a group reaches; or it moves or multiplies data; null: it asks, hints, or ends the run, and is never changed | operators |
 * | `counts` | fields that are numbers of something: the least, the step, what the step is called                              | COUNT, ALLOC        |
 * | `flags`  | parts that are one of few: what they become is said in `fields.ts`                                              | FLAG, FENCE, PRIME  |
 * | `edge`   | the missing edge that it makes: on its barriers, where agents meet, or by its group and its fences              | `naming.ts`         |
 * | `group`  | the group that it closes or waits for                                                                           | `naming.ts`, COUNT  |
 * | `fences` | the fences that would do what it does                                                                           | `naming.ts`         |
 * | `isFence` | it stands between a wait and what that lets begin                                                              | `naming.ts`, MOVE   |
 * | `twice`  | the rule by which a second one changes nothing                                                                  | `certificate.ts`    |
 * | `called` | what a mutant of it should be called                                                                            | `labels.ts`         |
 *
 * To add an instruction: its row, which tsc asks for.
 */
import type { FenceName } from '../judging/subject.js'
import type { InstructionName } from '../language/instruction.js'
import { instructionNames, isInstructionName } from '../language/signature.js'
import type { Family } from '../log/events.js'
import type { MutantClass } from './model.js'

/** Steps of a number; columns of tensor memory are doubled and halved. */
export type Count =
  | {
      readonly _tag: 'steps'
      readonly field: 'count' | 'pending' | 'bytes' | 'value'
      readonly least: number
      readonly step: number
      readonly called: string
    }
  | { readonly _tag: 'columns' }

export type Flag =
  | 'release'
  | 'acquire'
  | 'scope'
  /** an arrive that expects: one of the two alone */
  | 'halves'
  | 'parity'
  | 'relaxed'
  | 'read'
  | 'decrement'
  /** of a fence between proxies: its scope */
  | 'proxies'
  /** of the fences before and behind a thread-sync: the other one */
  | 'side'
  | 'scaleD'
  | 'accumulate'
  | 'completions'

/** The rows of the table of `labels.ts`. */
export type Called =
  | 'copy'
  | 'announcement'
  | 'initialisation'
  | 'publication'
  | 'wait'
  | 'wait of a semaphore'
  | 'arrival'
  | 'fence of proxies'
  | 'fence of products'
  | 'fence of threads'
  | 'bulk group'
  | 'copies group'
  | 'products group'
  | 'tensor load'
  | 'tensor store'
  | 'meeting'
  | 'allocation'
  | 'store of a tensor'
  | 'product'
  | 'access'

export interface Role {
  readonly class: MutantClass | null
  readonly counts: ReadonlyArray<Count>
  readonly flags: ReadonlyArray<Flag>
  readonly edge: 'barrier' | 'meeting' | 'own'
  readonly group: { readonly family: Family; readonly leaves: boolean } | null
  readonly fences: ReadonlyArray<FenceName>
  readonly isFence: boolean
  readonly twice: string | null
  readonly called: Called
}

const role = (of: MutantClass | null, called: Called, more: Partial<Role> = {}): Role => ({
  class: of,
  counts: more.counts ?? [],
  flags: more.flags ?? [],
  edge: more.edge ?? 'own',
  group: more.group ?? null,
  fences: more.fences ?? [],
  isFence: more.isFence ?? false,
  twice: more.twice ?? null,
  called,
})
const order = (called: Called, more: Partial<Role> = {}): Role => role('synchronisation', called, more)
const data = (called: Called, more: Partial<Role> = {}): Role => role('data', called, more)
const never: Role = role(null, 'access')

const one = (field: 'count' | 'pending' | 'value', least: number): ReadonlyArray<Count> => [
  { _tag: 'steps', field, least, step: 1, called: 'one' },
]
const warps: ReadonlyArray<Count> = [
  { _tag: 'steps', field: 'count', least: 32, step: 32, called: 'one warp' },
]
const bytes: ReadonlyArray<Count> = [
  { _tag: 'steps', field: 'bytes', least: 0, step: 16, called: '16 bytes' },
]
const columns: ReadonlyArray<Count> = [{ _tag: 'columns' }]

const closes = (family: Family, called: Called): Role =>
  order(called, { group: { family, leaves: false }, twice: 'empty group' })
const waits = (family: Family, called: Called): Role =>
  order(called, { group: { family, leaves: false }, twice: 'idempotent wait' })
/** It says how many groups it leaves open. */
const leaves = (family: Family, called: Called, flags: ReadonlyArray<Flag> = []): Role =>
  order(called, {
    group: { family, leaves: true },
    counts: one('pending', 0),
    flags,
    twice: 'idempotent wait',
  })
const fence = (called: Called, like: ReadonlyArray<FenceName>, flags: ReadonlyArray<Flag> = []): Role =>
  order(called, { fences: like, flags, isFence: true, twice: 'idempotent fence' })
const access: Role = data('access', { twice: 'repeated access' })

export const roles: { readonly [K in InstructionName]: Role } = {
  'mbarrier.init': order('initialisation', { counts: one('count', 1), edge: 'barrier' }),
  'mbarrier.inval': order('initialisation'),
  'mbarrier.arrive': order('arrival', {
    counts: one('count', 1),
    flags: ['release', 'scope'],
    edge: 'barrier',
  }),
  'mbarrier.expectTx': order('announcement', { counts: bytes, edge: 'barrier' }),
  'mbarrier.completeTx': order('announcement', { edge: 'barrier' }),
  'mbarrier.arriveExpectTx': order('announcement', {
    counts: bytes,
    flags: ['release', 'scope', 'halves'],
    edge: 'barrier',
  }),
  'mbarrier.arriveDrop': order('arrival', {
    counts: one('count', 1),
    flags: ['release', 'scope'],
    edge: 'barrier',
  }),
  'mbarrier.wait': order('wait', {
    flags: ['parity', 'acquire', 'scope'],
    edge: 'barrier',
    twice: 'repeated wait',
  }),
  'mbarrier.test': never,
  'mbarrier.cpAsyncArrive': order('arrival', { edge: 'barrier' }),

  'bar.sync': order('meeting', { counts: warps, edge: 'meeting', twice: 'idempotent barrier' }),
  'bar.arrive': order('meeting', { counts: warps, edge: 'meeting' }),
  'cluster.arrive': order('meeting', { flags: ['relaxed'], edge: 'meeting' }),
  'cluster.wait': order('meeting', { edge: 'meeting' }),

  'tma.load': data('copy', { edge: 'barrier' }),
  'tma.gather': data('copy', { edge: 'barrier' }),
  'tma.store': data('store of a tensor'),
  'tma.scatter': data('store of a tensor'),
  'tma.reduce': data('store of a tensor'),
  'tma.prefetch': never,
  'bulk.commitGroup': closes('bulk', 'bulk group'),
  'bulk.waitGroup': leaves('bulk', 'bulk group', ['read']),
  'tensormap.create': data('access'),
  'tensormap.acquire': never,

  'smem.load': access,
  'smem.store': access,
  'gmem.load': access,
  'gmem.store': access,
  'gmem.loadPtr': access,
  'gmem.storePtr': access,
  'smem.atomic': data('access'),
  'gmem.atomicPtr': data('access'),
  'regs.read': access,
  'regs.write': access,

  'cpAsync.copy': data('copy'),
  'cpAsync.commitGroup': closes('cpAsync', 'copies group'),
  'cpAsync.waitGroup': leaves('cpAsync', 'copies group'),
  'stAsync.store': data('copy', { edge: 'barrier' }),
  'stAsync.reduce': data('copy', { edge: 'barrier' }),

  'fence.proxyAsync': fence('fence of proxies', ['shared', 'cluster', 'global'], ['proxies']),
  'fence.tensormap': fence('fence of proxies', ['mapRelease', 'mapAcquire']),
  // it is about barriers and no access, so it is moved as arrivals are
  'fence.mbarrierInit': order('publication', { fences: ['mbarrierInit'], twice: 'idempotent fence' }),

  'wgmma.fence': fence('fence of products', ['wgmma']),
  'wgmma.mma': data('product', { flags: ['scaleD'] }),
  'wgmma.commitGroup': closes('wgmma', 'products group'),
  'wgmma.waitGroup': leaves('wgmma', 'products group'),

  'tcgen05.alloc': order('allocation', { counts: columns }),
  'tcgen05.dealloc': order('allocation', { counts: columns }),
  'tcgen05.relinquish': order('allocation', { twice: 'permit' }),
  'tcgen05.mma': data('product', { flags: ['accumulate', 'completions'], edge: 'barrier' }),
  'tcgen05.commit': order('arrival', { edge: 'barrier' }),
  'tcgen05.cp': data('product'),
  'tcgen05.shift': data('product'),
  'tcgen05.ld': data('product'),
  'tcgen05.st': data('product'),
  'tcgen05.waitLd': waits('tcgen05Ld', 'tensor load'),
  'tcgen05.useLd': waits('tcgen05Ld', 'tensor load'),
  'tcgen05.waitSt': waits('tcgen05St', 'tensor store'),
  'tcgen05.fenceBefore': fence('fence of threads', ['tensorBefore', 'tensorAfter'], ['side']),
  'tcgen05.fenceAfter': fence('fence of threads', ['tensorBefore', 'tensorAfter'], ['side']),

  'semaphore.signal': order('arrival', {
    counts: one('value', 0),
    flags: ['scope'],
    edge: 'meeting',
  }),
  'semaphore.wait': order('wait of a semaphore', {
    counts: one('value', 0),
    flags: ['decrement', 'scope'],
    edge: 'meeting',
  }),
  'clc.tryCancel': data('access'),
  'clc.query': never,
  elect: never,
  setMaxRegisters: never,
  trap: never,
}

export const classOf = (name: InstructionName): MutantClass | null => roles[name].class

const namesOf = (of: MutantClass): ReadonlySet<InstructionName> =>
  new Set<InstructionName>(
    instructionNames.filter(isInstructionName).filter((name) => roles[name].class === of),
  )
/** The statements that move or multiply data. */
export const dataMovement: ReadonlySet<InstructionName> = namesOf('data')
/** The statements that order, allocate, or say how far a group reaches, and do nothing else. */
export const synchronisation: ReadonlySet<InstructionName> = namesOf('synchronisation')

/** Does it wait for groups, and say how many it leaves open? */
export const isGroupWait = (name: InstructionName): boolean => roles[name].group?.leaves === true
export const isFence = (name: InstructionName): boolean => roles[name].isFence
