/**
 * The lanes of a warp among themselves, and the barriers of a CTA.
 *
 * Source: PTX ISA, shfl, vote, match, redux, elect, activemask, bar, barrier.
 */
import type { Operation } from '../../../semantics/warps/program.js'
import type { Operand } from '../text/module.js'
import { emit, refuse } from './emitter.js'
import { predicateSource, predicateTarget, source, target, type Here } from './here.js'
import { wordsOf } from './types.js'

type Operands = ReadonlyArray<Operand>

const oneOf = <A extends string>(h: Here, words: ReadonlyArray<A>): A => {
  const found = words.find((w) => h.words.includes(w))
  if (found === undefined) refuse(h.e, 'ptx.opcode', `one of .${words.join(' .')}`, h.opcode)
  return found ?? words[0]!
}

const firstAndSecond = (o: Operand | undefined): readonly [Operand | undefined, Operand | undefined] =>
  o?._tag === 'pair' ? [o.first, o.second] : [o, undefined]

export const shfl = (h: Here, operands: Operands): void => {
  const [to, inRange] = firstAndSecond(operands[0])
  const sync = h.words[1] === 'sync'
  emit(
    h.e,
    {
      _tag: 'shuffle',
      mode: oneOf(h, ['up', 'down', 'bfly', 'idx']),
      to: to?._tag === 'sink' ? null : target(h, to, 'b32')[0]!,
      inRange: inRange === undefined || inRange._tag === 'sink' ? null : predicateTarget(h, inRange),
      value: source(h, operands[1], 'b32')[0]!,
      lane: source(h, operands[2], 'u32')[0]!,
      clamp: source(h, operands[3], 'u32')[0]!,
      members: sync ? source(h, operands[4], 'u32')[0]! : null,
    },
    h.guard,
  )
}

export const vote = (h: Here, operands: Operands): void => {
  const sync = h.words[1] === 'sync'
  const mode = oneOf(h, ['all', 'any', 'uni', 'ballot'])
  const ballot = mode === 'ballot'
  emit(
    h.e,
    {
      _tag: 'vote',
      mode,
      to: ballot ? target(h, operands[0], 'b32')[0]! : null,
      toPredicate: ballot ? null : predicateTarget(h, operands[0]),
      by: predicateSource(h, operands[1]),
      members: sync ? source(h, operands[2], 'u32')[0]! : null,
    },
    h.guard,
  )
}

export const match = (h: Here, operands: Operands): void => {
  const [to, all] = firstAndSecond(operands[0])
  const type = h.words[h.words.length - 1]!
  emit(
    h.e,
    {
      _tag: 'match',
      mode: oneOf(h, ['any', 'all']),
      to: target(h, to, 'b32')[0]!,
      all: all === undefined || all._tag === 'sink' ? null : predicateTarget(h, all),
      value: source(h, operands[1], type).slice(0, wordsOf(type)),
      members: source(h, operands[2], 'u32')[0]!,
    },
    h.guard,
  )
}

export const redux = (h: Here, operands: Operands): void => {
  const type = h.words[h.words.length - 1]!
  emit(
    h.e,
    {
      _tag: 'reduce',
      op: oneOf(h, ['add', 'min', 'max', 'and', 'or', 'xor']),
      signed: type === 's32',
      to: target(h, operands[0], 'b32')[0]!,
      value: source(h, operands[1], 'b32')[0]!,
      members: source(h, operands[2], 'u32')[0]!,
    },
    h.guard,
  )
}

export const elect = (h: Here, operands: Operands): void => {
  const [to, elected] = firstAndSecond(operands[0])
  emit(
    h.e,
    {
      _tag: 'elect',
      to: to === undefined || to._tag === 'sink' ? null : target(h, to, 'b32')[0]!,
      elected: predicateTarget(h, elected),
      members: source(h, operands[1], 'u32')[0]!,
    },
    h.guard,
  )
}

export const activemask = (h: Here, operands: Operands): void => {
  emit(h.e, { _tag: 'activeLanes', to: target(h, operands[0], 'b32')[0]! }, h.guard)
}

/** bar, barrier, with or without `.cta`; `bar` alone is `.aligned`. */
export const bar = (h: Here, operands: Operands): void => {
  if (h.words.includes('warp')) {
    emit(h.e, { _tag: 'meetLanes', members: source(h, operands[0], 'u32')[0]! }, h.guard)
    return
  }
  const aligned = h.words[0] === 'bar' || h.words.includes('aligned')
  const red = h.words.includes('red')
  if (red) {
    const op = oneOf(h, ['popc', 'and', 'or'])
    const counts = operands.length === 4
    emit(
      h.e,
      {
        _tag: 'barReduce',
        op,
        id: source(h, operands[1], 'u32')[0]!,
        count: counts ? source(h, operands[2], 'u32')[0]! : null,
        by: predicateSource(h, operands[operands.length - 1]),
        to: op === 'popc' ? target(h, operands[0], 'u32')[0]! : null,
        toPredicate: op === 'popc' ? null : predicateTarget(h, operands[0]),
        aligned,
      },
      h.guard,
    )
    return
  }
  const one: Operation = {
    _tag: 'bar',
    mode: oneOf(h, ['sync', 'arrive']),
    id: source(h, operands[0], 'u32')[0]!,
    count: operands.length > 1 ? source(h, operands[1], 'u32')[0]! : null,
    aligned,
  }
  emit(h.e, one, h.guard)
}

export const clusterBarrier = (h: Here): void => {
  const aligned = h.words.includes('aligned')
  emit(
    h.e,
    h.words.includes('arrive')
      ? { _tag: 'clusterArrive', relaxed: h.words.includes('relaxed'), aligned }
      : { _tag: 'clusterWait', acquire: true, aligned },
    h.guard,
  )
}
