/**
 * The lanes of a warp among themselves, and the barriers of a CTA and of a cluster.
 *
 * Source: PTX ISA, shfl, vote, match, redux, elect, activemask, bar, barrier.
 */
import type { Row } from '../../../semantics/warps/program.js'
import type { Value } from '../opcodes/resolve.js'
import { emit, refuse } from './emitter.js'
import { predicateSource, predicateTarget, source, target, type Elaborations, type Here } from './here.js'
import { wordsOf } from './types.js'
import { own } from '../../../own.js'

/** The word of a slot, among those that are supported. */
const oneOf = <A extends string>(h: Here, slot: string, words: ReadonlyArray<A>): A => {
  const found = words.find((w) => w === own(h.modifiers, slot))
  if (found === undefined) refuse(h.e, 'ptx.opcode', `one of .${words.join(' .')}`, h.opcode)
  return found ?? words[0]!
}

const word = (h: Here, v: Value | undefined): Row => source(h, v, 'b32')[0]!
const members = (h: Here): Row => word(h, h.operands['mask'])
const wordTarget = (h: Here, v: Value | undefined): Row | null =>
  v === undefined || v._tag === 'sink' ? null : target(h, v, 'b32')[0]!
const truthTarget = (h: Here, v: Value | undefined): number | null =>
  v === undefined || v._tag === 'sink' ? null : predicateTarget(h, v)

const shfl = (h: Here): void => {
  emit(
    h.e,
    {
      _tag: 'shuffle',
      mode: oneOf(h, 'mode', ['up', 'down', 'bfly', 'idx']),
      to: wordTarget(h, h.operands['d']),
      inRange: truthTarget(h, h.operands['p']),
      value: word(h, h.operands['a']),
      lane: word(h, h.operands['b']),
      clamp: word(h, h.operands['c']),
      members: members(h),
    },
    h.guard,
  )
}

const vote = (h: Here): void => {
  const mode = oneOf(h, 'mode', ['all', 'any', 'uni', 'ballot'])
  const ballot = mode === 'ballot'
  emit(
    h.e,
    {
      _tag: 'vote',
      mode,
      to: ballot ? target(h, h.operands['d'], 'b32')[0]! : null,
      toPredicate: ballot ? null : predicateTarget(h, h.operands['d']),
      by: predicateSource(h, h.operands['a']),
      members: members(h),
    },
    h.guard,
  )
}

const match = (h: Here): void => {
  const type = h.modifiers['type'] ?? 'b32'
  emit(
    h.e,
    {
      _tag: 'match',
      mode: oneOf(h, 'mode', ['any', 'all']),
      to: target(h, h.operands['d'], 'b32')[0]!,
      all: truthTarget(h, h.operands['p']),
      value: source(h, h.operands['a'], type).slice(0, wordsOf(type)),
      members: members(h),
    },
    h.guard,
  )
}

const redux = (h: Here): void => {
  const type = h.modifiers['type'] ?? 'b32'
  const words = {
    _tag: 'reduce',
    op: oneOf(h, 'op', ['add', 'min', 'max', 'and', 'or', 'xor']),
    signed: type === 's32',
    to: target(h, h.operands['d'], 'b32')[0]!,
    value: word(h, h.operands['a']),
    members: members(h),
  } as const
  const float = { magnitudes: h.modifiers['abs'] !== undefined, propagates: h.modifiers['nan'] !== undefined }
  emit(h.e, type === 'f32' ? { ...words, float } : words, h.guard)
}

const elect = (h: Here): void => {
  emit(
    h.e,
    {
      _tag: 'elect',
      to: wordTarget(h, h.operands['d']),
      elected: predicateTarget(h, h.operands['p']),
      members: members(h),
    },
    h.guard,
  )
}

const activemask = (h: Here): void => {
  emit(h.e, { _tag: 'activeLanes', to: target(h, h.operands['d'], 'b32')[0]! }, h.guard)
}

const meet = (h: Here): void => {
  emit(h.e, { _tag: 'meetLanes', members: members(h) }, h.guard)
}

// ---------------------------------------------------------------- barriers

/** `bar` alone is `.aligned`. */
const isAligned = (h: Here): boolean => h.form.base.startsWith('bar.') || h.modifiers['aligned'] !== undefined

const count = (h: Here): Row | null => {
  const b = h.operands['b']
  return b === undefined ? null : word(h, b)
}

const bar =
  (mode: 'sync' | 'arrive') =>
  (h: Here): void => {
    emit(
      h.e,
      { _tag: 'bar', mode, id: word(h, h.operands['a']), count: count(h), aligned: isAligned(h) },
      h.guard,
    )
  }

const barReduce = (h: Here): void => {
  const op = oneOf(h, 'op', ['popc', 'and', 'or'])
  emit(
    h.e,
    {
      _tag: 'barReduce',
      op,
      id: word(h, h.operands['a']),
      count: count(h),
      by: predicateSource(h, h.operands['c']),
      to: op === 'popc' ? target(h, h.operands['d'], 'u32')[0]! : null,
      toPredicate: op === 'popc' ? null : predicateTarget(h, h.operands['d']),
      aligned: isAligned(h),
    },
    h.guard,
  )
}

const clusterArrive = (h: Here): void => {
  emit(
    h.e,
    { _tag: 'clusterArrive', relaxed: h.modifiers['sem'] === 'relaxed', aligned: isAligned(h) },
    h.guard,
  )
}

const clusterWait = (h: Here): void => {
  emit(h.e, { _tag: 'clusterWait', acquire: true, aligned: isAligned(h) }, h.guard)
}

const named = (base: string): Elaborations => ({
  [`${base}.sync`]: bar('sync'),
  [`${base}.arrive`]: bar('arrive'),
  [`${base}.red`]: barReduce,
})

export const warp: Elaborations = {
  'shfl.sync': shfl,
  'vote.sync': vote,
  match,
  'match.sync': match,
  'redux.sync': redux,
  'elect.sync': elect,
  activemask,
  'bar.warp.sync': meet,
  ...named('bar'),
  ...named('bar.cta'),
  ...named('barrier'),
  ...named('barrier.cta'),
  'barrier.cluster.arrive': clusterArrive,
  'barrier.cluster.wait': clusterWait,
}
