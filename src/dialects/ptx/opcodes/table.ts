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

const tensorCopy = ['cp', 'async', 'bulk', 'tensor']

/** The group of CTAs of a copy of tensors stands anywhere for the assembler, most often behind the dimensions; the table has it last but for a cache policy. */
const groupLast = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const group = parts.filter((word) => word.startsWith('cta_group::'))
  const others = parts.filter((word) => !group.includes(word))
  const behind = others.at(-1) === 'L2::cache_hint' ? 1 : 0
  const at = others.length - behind
  return group.length === 1 ? [...others.slice(0, at), ...group, ...others.slice(at)] : parts
}

/** The assembler takes ordering, scope and space of an access in any order (`ld.global.acquire.gpu`); the table has them in that of the ISA. */
const inOrder = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (tensorCopy.every((word, k) => parts[k] === word)) return groupLast(parts)
  if (ofMatrices.has(parts[0] ?? '')) return sortedUpTo(ordersOfMatrices, parts)
  if (atomics.has(parts[0] ?? '')) return sortedUpTo(ordersOfAtomics, parts)
  // the headers of CUDA write `max.s32.relu`
  if ((parts[0] === 'min' || parts[0] === 'max') && parts.length === 3 && parts[2] === 'relu')
    return [parts[0], 'relu', parts[1] ?? '']
  return strong.has(parts[0] ?? '') ? sortedUpTo(orders, parts) : parts
}

/** The words behind the first that are of these sets come in the order of the sets, as far as they follow one another. */
const sortedUpTo = (
  orders: ReadonlyArray<ReadonlySet<string>>,
  parts: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  let end = 1
  while (end < parts.length && orders.some((words) => words.has(parts[end] ?? ''))) end++
  const first = parts.slice(1, end)
  const sorted = orders.flatMap((words) => first.filter((word) => words.has(word)))
  return [...parts.slice(0, 1), ...sorted, ...parts.slice(end)]
}

const answer = (opcode: string): Answer => {
  const parts = inOrder(opcode.split('.'))
  const candidates = byWord.get(parts[0] ?? '') ?? []
  const tried = candidates.map((form) => ({ form, ...matched(form, parts) }))
  const matches = tried.flatMap(({ form, modifiers }) => (modifiers === null ? [] : [{ form, modifiers }]))
  if (matches.length > 0) return { _tag: 'forms', matches }
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
