/**
 * What operations do, as far as a change of them is asked: which order, which move data, which only compute; and what their operands are to a mutant.
 *
 * | column   | what it says                                                                                                  |
 * |----------|---------------------------------------------------------------------------------------------------------------|
 * | class    | it orders, allocates and counts; or it moves or multiplies data                                               |
 * | barriers | operands that are barriers                                                                                    |
 * | buffers  | operands that are buffers, perhaps slots of a ring                                                            |
 * | counts   | attributes that are numbers: the least, the step, and what the step is called                                 |
 * | truths   | operands that are predicates: `true` in their place, or left out, is *even if its predicate is false*             |
 * | stands   | what each result stands for when the operation is not there: an operand; zeros; or nothing, and where it is taken it is left out |
 *
 * What is in no row and is not `computes` is left where it is, and nothing is moved past it.
 */
import { attributeOf, type Operation, type Value } from '../text/syntax.js'
import type { MutantClass } from '../../../semantics/mutation/index.js'
import { own } from '../../../own.js'

export interface Count {
  readonly name: string
  readonly least: number
  readonly step: number
  /** `one`, `16 bytes` */
  readonly called: string
}

/** What a result stands for. */
export type Stands = Value | 'zeros' | 'nothing'

export interface Kind {
  readonly class: MutantClass
  readonly isFence?: boolean
  readonly isWait?: boolean
  readonly barriers?: ReadonlyArray<string>
  readonly buffers?: ReadonlyArray<string>
  readonly counts?: ReadonlyArray<Count>
  readonly truths?: ReadonlyArray<string>
  readonly stands?: (op: Operation) => ReadonlyArray<Stands>
  /** a second one takes the first one's results in the place of what they stand for */
  readonly chains?: boolean
}

const one = (name: string, least: number): ReadonlyArray<Count> => [{ name, least, step: 1, called: 'one' }]

const token =
  (operand: string) =>
  (op: Operation): Stands =>
    own(op.operands, operand)?.[0] ?? 'nothing'

const order = (of: Omit<Kind, 'class'> = {}): Kind => ({ class: 'synchronisation', ...of })
const data = (of: Omit<Kind, 'class'> = {}): Kind => ({ class: 'data', ...of })

const kinds: Readonly<Record<string, Kind>> = {
  // ---------------------------------------------------------------- barriers
  'ttng.init_barrier': order({ counts: one('count', 1) }),
  'ttng.inval_barrier': order({ barriers: ['alloc'] }),
  'ttng.barrier_expect': order({
    barriers: ['alloc'],
    counts: [{ name: 'size', least: 0, step: 16, called: '16 bytes' }],
    truths: ['pred'],
  }),
  'ttng.wait_barrier': order({ isWait: true, barriers: ['alloc'], truths: ['pred'] }),
  'ttng.arrive_barrier': order({ barriers: ['alloc'], counts: one('count', 1), truths: ['pred'] }),
  'ttng.async_copy_mbarrier_arrive': order({ barriers: ['barrier'] }),
  'ttng.tc_gen5_commit': order({ barriers: ['barrier'], truths: ['pred'] }),

  // ---------------------------------------------------------------- groups, fences, rendezvous
  'ttng.async_tma_store_wait': order({ isWait: true, counts: one('pendings', 0) }),
  'ttng.warp_group_dot_wait': order({
    isWait: true,
    counts: one('pendings', 0),
    stands: (op) => op.operands['inputs'] ?? [],
    chains: true,
  }),
  'ttg.async_wait': order({
    isWait: true,
    counts: one('num', 0),
    stands: (op) => [token('asyncToken')(op)],
  }),
  'ttg.async_commit_group': order({ stands: (op) => [token('inputTokens')(op)] }),
  'ttng.fence_async_shared': order({ isFence: true }),
  'ttng.tensormap_fenceproxy_acquire': order({ isFence: true }),
  'gpu.barrier': order({ isWait: true }),
  'ttg.local_barrier': order({ isWait: true }),
  'ttng.cluster_arrive': order(),
  'ttng.cluster_wait': order({ isWait: true }),
  'ttg.local_dealloc': order(),

  // ---------------------------------------------------------------- copies
  'ttg.async_copy_global_to_local': data({
    buffers: ['result'],
    truths: ['mask'],
    stands: () => ['nothing'],
  }),
  'ttng.async_tma_copy_global_to_local': data({
    barriers: ['barrier'],
    buffers: ['result'],
    truths: ['pred'],
  }),
  'ttng.async_tma_gather': data({ barriers: ['barrier'], buffers: ['result'], truths: ['pred'] }),
  'ttng.async_tma_copy_local_to_global': data({ buffers: ['src'] }),
  'ttng.async_tma_reduce': data({ buffers: ['src'] }),
  'ttng.async_tma_scatter': data({ buffers: ['src'] }),
  'ttng.tensormap_create': data(),

  // ---------------------------------------------------------------- products
  'ttng.warp_group_dot': data({
    buffers: ['a', 'b'],
    stands: (op) => op.operands['c'] ?? [],
    chains: true,
  }),
  'ttng.tc_gen5_mma': data({
    barriers: ['barriers'],
    buffers: ['a', 'b', 'd'],
    truths: ['pred'],
    stands: (op) => [token('acc_dep')(op)],
  }),
  'ttng.tc_gen5_mma_scaled': data({
    barriers: ['barriers'],
    buffers: ['a', 'b', 'd'],
    truths: ['pred'],
    stands: (op) => [token('acc_dep')(op)],
  }),

  // ---------------------------------------------------------------- loads and stores
  'ttng.tmem_load': data({ buffers: ['src'], stands: (op) => ['zeros', token('dep')(op)] }),
  'ttng.tmem_store': data({
    buffers: ['dst'],
    truths: ['pred'],
    stands: (op) => [token('dep')(op)],
  }),
  'ttng.tmem_copy': data({ barriers: ['barrier'], buffers: ['src', 'dst'] }),
  'ttg.local_load': data({ buffers: ['src'], stands: () => ['zeros'] }),
  'ttg.local_store': data({ buffers: ['dst'] }),
  'tt.load': data({ truths: ['mask'], stands: () => ['zeros'] }),
  'tt.store': data({ truths: ['mask'] }),
}

/** The kind of an operation that orders or moves data; an allocation does where it has a source. */
export const kindOf = (op: Operation): Kind | null => own(kinds, op.name) ?? (initialises(op) ? data() : null)

/** An allocation that writes what it allocates. */
export const initialises = (op: Operation): boolean =>
  (op.name === 'ttg.local_alloc' || op.name === 'ttng.tmem_alloc') && (op.operands['src'] ?? []).length > 0

/** Operands that may be left out of the list they stand in. */
export const mayGo: ReadonlySet<string> = new Set(['inputTokens', 'asyncToken', 'acc_dep', 'dep', 'token'])

const computing: ReadonlySet<string> = new Set([
  'tt.addptr',
  'tt.bitcast',
  'tt.broadcast',
  'tt.cat',
  'tt.clampf',
  'tt.expand_dims',
  'tt.fp_to_fp',
  'tt.get_num_programs',
  'tt.get_program_id',
  'tt.int_to_ptr',
  'tt.join',
  'tt.make_range',
  'tt.map_elementwise',
  'tt.precise_divf',
  'tt.precise_sqrt',
  'tt.ptr_to_int',
  'tt.reduce',
  'tt.reshape',
  'tt.scan',
  'tt.splat',
  'tt.split',
  'tt.trans',
  'tt.unsplat',
  'ttg.convert_layout',
  'ttg.fp4_to_fp',
  'ttg.global_scratch_alloc',
  'ttg.memdesc_index',
  'ttg.memdesc_reinterpret',
  'ttg.memdesc_reshape',
  'ttg.memdesc_subslice',
  'ttg.memdesc_trans',
  'ttng.reinterpret_tensor_descriptor',
  'ttng.tmem_subslice',
])

/** Does an operation compute a value and nothing else? It may stand anywhere between its operands and where it is taken. */
export const computes = (op: Operation): boolean =>
  op.name.startsWith('arith.') ||
  op.name.startsWith('math.') ||
  computing.has(op.name) ||
  ((op.name === 'ttg.local_alloc' || op.name === 'ttng.tmem_alloc') && !initialises(op))

/** Parts of a buffer, as other buffers: what stands between an allocation and its use. */
export const partOf: ReadonlySet<string> = new Set([
  'ttg.memdesc_index',
  'ttg.memdesc_reinterpret',
  'ttg.memdesc_reshape',
  'ttg.memdesc_subslice',
  'ttg.memdesc_trans',
  'ttng.tmem_subslice',
])

export const isFlagged = (op: Operation, name: string): boolean => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'unit' || (a?._tag === 'boolean' && a.value)
}
