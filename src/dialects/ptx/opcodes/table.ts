/**
 * The table: every form of an opcode that is read, and which one an opcode is.
 *
 * Laws
 * 1. Of every row an opcode can be written that it answers to: one word of each slot.
 * 2. An opcode that no row answers to is refused by its name, with what is nearest to it.
 */
import { didYouMean, nearest } from '../../../nearest.js'
import { copies, mbarrier, tensorMaps } from './asynchronous.js'
import { barrier, cluster, control, fence, warp } from './control.js'
import { comparison, floating } from './floating.js'
import { matched, type Form, type Modifiers } from './form.js'
import { extended, integer, logic, video } from './integer.js'
import { matrices, tcgen05, wgmma } from './matrices.js'
import { atomic, conversion, memory } from './moves.js'

export const forms: ReadonlyArray<Form> = [
  ...integer,
  ...extended,
  ...logic,
  ...video,
  ...floating,
  ...comparison,
  ...conversion,
  ...memory,
  ...atomic,
  ...warp,
  ...barrier,
  ...fence,
  ...control,
  ...cluster,
  ...mbarrier,
  ...copies,
  ...tensorMaps,
  ...matrices,
  ...wgmma,
  ...tcgen05,
]

/** By the first word of an opcode. */
const byWord: ReadonlyMap<string, ReadonlyArray<Form>> = forms.reduce((map, form) => {
  const word = form.base.split('.')[0] ?? ''
  return map.set(word, [...(map.get(word) ?? []), form])
}, new Map<string, ReadonlyArray<Form>>())

export interface Match {
  readonly form: Form
  readonly modifiers: Modifiers
}

export type Answer =
  | { readonly _tag: 'forms'; readonly matches: ReadonlyArray<Match> }
  | { readonly _tag: 'none'; readonly expected: string }

/** An opcode of this form, of the first words that its slots take. */
export const exampleOf = (form: Form): string =>
  [form.base, ...form.slots.filter((s) => !s.optional).map((s) => s.words[0]?.join('.') ?? '')].join('.')

const strong = new Set(['ld', 'st'])
const atomics = new Set(['atom', 'red'])
const cacheOperators = new Set(['ca', 'cg', 'cs', 'lu', 'cv', 'wb', 'wt'])
const stateSpaces = new Set(['global', 'shared', 'shared::cta', 'shared::cluster', 'const', 'local'])
/** What reads and writes textures and surfaces. */
const ofTextures = new Set(['tex', 'tld4', 'txq', 'suld', 'sust', 'sured', 'suq', 'istypep'])
const orders: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['relaxed', 'acquire', 'release', 'acq_rel', 'volatile']),
  new Set(['cta', 'cluster', 'gpu', 'sys']),
  new Set(['global', 'shared', 'shared::cta', 'shared::cluster', 'const', 'local', 'param']),
]

/** Of atomics the operation and all behind it, too (`atom.add.release.gpu.u32`, as the atomics of C++ have it). */
const ordersOfAtomics: ReadonlyArray<ReadonlySet<string>> = [
  ...orders,
  new Set(['and', 'or', 'xor', 'add', 'inc', 'dec', 'min', 'max', 'exch', 'cas']),
  new Set(['noftz']),
  new Set(['L2::cache_hint']),
  new Set(['v2', 'v4', 'v8']),
  new Set('b16 b32 b64 b128 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64'.split(' ')),
]

/** The same of matrices, whose modifiers stand in any order (`ldmatrix.sync.aligned.x4.trans.m8n8`). */
const ofMatrices = new Set(['ldmatrix', 'stmatrix', 'movmatrix'])
const ordersOfMatrices: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['sync']),
  new Set(['aligned']),
  new Set(['m8n8', 'm8n16', 'm16n8', 'm16n16']),
  new Set(['x1', 'x2', 'x4']),
  new Set(['trans']),
  new Set(['shared', 'shared::cta']),
]

/** Ordering, scope and space of an mbarrier, and what is asked of it beside (`mbarrier.arrive.shared::cluster.release.cluster.b64`). */
const ordersOfMbarriers: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['expect_tx', 'noComplete', 'parity']),
  new Set(['relaxed', 'acquire', 'release']),
  new Set(['cta', 'cluster']),
  new Set(['shared', 'shared::cta', 'shared::cluster']),
]

/** `wmma.load.a.sync.aligned.m16n16k16.row` as the headers of CUDA have it before its shape. */
const ordersOfFragments: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['sync']),
  new Set(['aligned']),
  new Set(['row', 'col']),
  new Set(['m16n16k16', 'm8n32k16', 'm32n8k16', 'm16n16k8', 'm8n8k4', 'm8n8k32', 'm8n8k128']),
]

/** `tcgen05.cp.cta_group::1.warpx4.32x128b`, as Triton has it. */
const ordersOfCopies: ReadonlyArray<ReadonlySet<string>> = [
  new Set(['cta_group::1', 'cta_group::2']),
  new Set(['128x256b', '4x256b', '128x128b', '64x128b', '32x128b']),
  new Set(['warpx2::02_13', 'warpx2::01_23', 'warpx4']),
  new Set(['b8x16']),
  new Set(['b6x16_p32', 'b4x16_p64']),
]

const modesOfVotes = new Set(['all', 'any', 'uni', 'ballot'])

const tensorCopy = ['cp', 'async', 'bulk', 'tensor']

/** The group of CTAs of a copy of tensors stands anywhere for the assembler, most often behind the dimensions; the table has it last but for a cache policy. */
const groupLast = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const group = parts.filter((word) => word.startsWith('cta_group::'))
  const others = parts.filter((word) => !group.includes(word))
  const behind = others.at(-1) === 'L2::cache_hint' ? 1 : 0
  const at = others.length - behind
  return group.length === 1 ? [...others.slice(0, at), ...group, ...others.slice(at)] : parts
}

const modesOfTensorCopies = new Set([
  'tile',
  'tile::gather4',
  'tile::scatter4',
  'im2col',
  'im2col::w',
  'im2col::w::128',
  'im2col_no_offs',
])

/** The mode of a copy of tensors stands anywhere for the assembler (`cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global`); the table has it behind the spaces. */
const modeBehind = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const mode = parts.filter((word) => modesOfTensorCopies.has(word))
  const others = parts.filter((word) => !mode.includes(word))
  const at = tensorCopy.length + 3
  return mode.length === 1 ? [...others.slice(0, at), ...mode, ...others.slice(at)] : parts
}

/** The assembler takes ordering, scope and space of an access in any order (`ld.global.acquire.gpu`); the table has them in that of the ISA. */
const inOrder = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [word = '', second = '', third = ''] = parts
  if (tensorCopy.every((w, k) => parts[k] === w)) return modeBehind(groupLast(parts))
  if (ofMatrices.has(word)) return sortedFrom(1, ordersOfMatrices, parts)
  if (atomics.has(word)) return sortedFrom(1, ordersOfAtomics, parts)
  if (word === 'mbarrier') return sortedFrom(2, ordersOfMbarriers, parts)
  if (word === 'tcgen05' && second === 'cp') return sortedFrom(2, ordersOfCopies, parts)
  if (word === 'wmma' && second !== 'mma') return sortedFrom(3, ordersOfFragments, parts)
  if (word === 'vote' && third === 'sync' && modesOfVotes.has(second))
    return [word, third, second, ...parts.slice(3)]
  if (word === 'barrier' && parts.includes('aligned')) {
    // `barrier.red.popc.aligned`, as the headers of CUDA have it, and `barrier.cluster.arrive.aligned.release`
    const others = parts.filter((w) => w !== 'aligned')
    const at = second === 'cluster' ? others.length : others.indexOf('red') + 1
    return at === 0 ? parts : [...others.slice(0, at), 'aligned', ...others.slice(at)]
  }
  // the headers of CUDA write `max.s32.relu`
  if ((word === 'min' || word === 'max') && parts.length === 3 && third === 'relu')
    return [word, 'relu', second]
  // a cache operator before the state space
  if (strong.has(word) && cacheOperators.has(second ?? '') && stateSpaces.has(third ?? ''))
    return [word, third ?? '', second ?? '', ...parts.slice(3)]
  if (word === 'ld' && second === 'nc' && third === 'global') return [word, third, second, ...parts.slice(3)]
  return strong.has(word) ? sortedFrom(1, orders, parts) : parts
}

/** The words from a place on that are of these sets come in the order of the sets, as far as they follow one another. */
const sortedFrom = (
  begin: number,
  orders: ReadonlyArray<ReadonlySet<string>>,
  parts: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  let end = begin
  while (end < parts.length && orders.some((words) => words.has(parts[end] ?? ''))) end++
  const first = parts.slice(begin, end)
  const sorted = orders.flatMap((words) => first.filter((word) => words.has(word)))
  return [...parts.slice(0, begin), ...sorted, ...parts.slice(end)]
}

const answer = (opcode: string): Answer => {
  const parts = inOrder(opcode.split('.'))
  const candidates = byWord.get(parts[0] ?? '') ?? []
  const tried = candidates.map((form) => ({ form, ...matched(form, parts) }))
  const matches = tried.flatMap(({ form, modifiers }) => (modifiers === null ? [] : [{ form, modifiers }]))
  if (matches.length > 0) return { _tag: 'forms', matches }
  if (ofTextures.has(parts[0] ?? ''))
    return { _tag: 'none', expected: 'an instruction that is supported: textures and surfaces are not' }
  if (candidates.length === 0)
    return {
      _tag: 'none',
      expected: `an opcode that is supported (${didYouMean([...byWord.keys()])(parts[0] ?? '')})`,
    }
  const far = tried.reduce((most, t) => Math.max(most, t.far), 0)
  const bases = [...new Set(candidates.map((form) => form.base))]
  const near =
    far > 0
      ? exampleOf((tried.find((t) => t.far === far) ?? { form: candidates[0]! }).form)
      : (nearest(1, bases)(opcode)[0] ?? '')
  return { _tag: 'none', expected: `a form of '${parts[0] ?? ''}' that is supported, such as '${near}'` }
}

/** Opcodes that were asked for; their number is bounded, for a text may have any. */
const known = new Map<string, Answer>()
const most = 4096

/** The forms that an opcode with its modifiers may be, in the order of the table. */
export const formsOf = (opcode: string): Answer => {
  const before = known.get(opcode)
  if (before !== undefined) return before
  const found = answer(opcode.length > 400 ? opcode.slice(0, 400) : opcode)
  if (known.size >= most) known.clear()
  known.set(opcode, found)
  return found
}
