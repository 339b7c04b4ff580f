/**
 * Memory: ld, st, atom, red, cp.async, fences, mbarriers.
 *
 * Source: PTX ISA, data movement; parallel synchronization and communication.
 */
import type { Scope } from '../../../semantics/language/instruction.js'
import type {
  AtomicName,
  AtomicType,
  Operation,
  Ordering,
  Row,
  Space,
  Width,
} from '../../../semantics/warps/program.js'
import type { Operand } from '../text/module.js'
import { emit, refuse, scalar } from './emitter.js'
import { place, predicateSource, predicateTarget, source, target, type Here } from './here.js'
import { bitsOf, bytesOf, isType, wordsOf } from './types.js'

type Operands = ReadonlyArray<Operand>

// ---------------------------------------------------------------- words of an opcode

const spaces: ReadonlyMap<string, Space> = new Map([
  ['global', 'global'],
  ['shared', 'shared'],
  ['local', 'local'],
  ['const', 'const'],
  ['param', 'param'],
])

export const spaceOf = (h: Here): Space => {
  for (const word of h.words) {
    const space = spaces.get(word.split('::')[0]!)
    if (space !== undefined) return space
  }
  return 'generic'
}

export const scopeOf = (h: Here, otherwise: Scope): Scope => {
  if (h.words.includes('sys')) return 'sys'
  if (h.words.includes('gpu')) return 'gpu'
  if (h.words.includes('cluster')) return 'cluster'
  return h.words.includes('cta') ? 'cta' : otherwise
}

const orderings: ReadonlyArray<Ordering> = ['volatile', 'relaxed', 'acquire', 'release', 'acq_rel']
const orderingOf = (h: Here): Ordering => orderings.find((o) => h.words.includes(o)) ?? 'weak'

const typeOf = (h: Here): string => {
  for (let i = h.words.length - 1; i > 0; i--) if (isType(h.words[i]!)) return h.words[i]!
  refuse(h.e, 'ptx.opcode', 'a type', h.opcode)
  return 'b32'
}

const widthOf = (h: Here): Width => {
  const type = typeOf(h)
  const count = h.words.includes('v2') ? 2 : h.words.includes('v4') ? 4 : h.words.includes('v8') ? 8 : 1
  return {
    bytes: bytesOf(type),
    count,
    signed: type === 's8' || type === 's16' || type === 's32' || type === 's64',
  }
}

const itemsOf = (o: Operand | undefined): ReadonlyArray<Operand | undefined> =>
  o?._tag === 'vector' ? o.items : [o]

// ---------------------------------------------------------------- loads and stores

export const ld = (h: Here, operands: Operands): void => {
  const width = widthOf(h)
  const type = typeOf(h)
  const to = itemsOf(operands[0]).map((item): ReadonlyArray<Row> | null =>
    item?._tag === 'sink' ? null : target(h, item, bitsOf(type) < 32 ? 'b8' : type),
  )
  const words = wordsOf(type)
  emit(
    h.e,
    {
      _tag: 'load',
      from: place(h, operands[1], spaceOf(h)),
      width,
      to: to.map((rows) => (rows === null ? null : rows.slice(0, words))),
      ordering: orderingOf(h),
      scope: scopeOf(h, 'gpu'),
    },
    h.guard,
  )
  // a narrow word in a register of 64 bits is extended to all of it
  for (const rows of to)
    if (rows !== null && rows.length > words)
      if (width.signed) scalar(h.e, 'shr.s32', [rows[words]!], [rows[words - 1]!, thirtyOne(h)], h.guard)
      else emit(h.e, { _tag: 'move', to: [rows[words]!], from: [zero(h)] }, h.guard)
}

const thirtyOne = (h: Here): Row =>
  source(h, { _tag: 'integer', value: 31n, unsigned: false, text: '31' }, 'b32')[0]!
const zero = (h: Here): Row =>
  source(h, { _tag: 'integer', value: 0n, unsigned: false, text: '0' }, 'b32')[0]!

export const st = (h: Here, operands: Operands): void => {
  const type = typeOf(h)
  emit(
    h.e,
    {
      _tag: 'store',
      into: place(h, operands[0], spaceOf(h)),
      width: widthOf(h),
      value: itemsOf(operands[1]).map((item) =>
        source(h, item, bitsOf(type) < 32 && item?._tag === 'name' ? 'b8' : type),
      ),
      ordering: orderingOf(h),
      scope: scopeOf(h, 'gpu'),
    },
    h.guard,
  )
}

// ---------------------------------------------------------------- atomics

const atomicNames: ReadonlyArray<AtomicName> = [
  'add',
  'min',
  'max',
  'and',
  'or',
  'xor',
  'exch',
  'cas',
  'inc',
  'dec',
]
const atomicTypes: ReadonlyArray<AtomicType> = [
  'u32',
  's32',
  'u64',
  's64',
  'b16',
  'b32',
  'b64',
  'b128',
  'f32',
  'f64',
  'f16',
  'bf16',
  'f16x2',
  'bf16x2',
]

/** atom gives what was there, red does not. */
export const atom = (h: Here, operands: Operands): void => {
  const op = atomicNames.find((name) => h.words.includes(name))
  const type = atomicTypes.find((name) => h.words[h.words.length - 1] === name)
  if (
    op === undefined ||
    type === undefined ||
    h.words.some((w) => w.startsWith('v') && /^v[248]$/u.test(w))
  ) {
    refuse(h.e, 'ptx.opcode', 'an atomic of one element', h.opcode)
    return
  }
  const gives = h.words[0] === 'atom'
  const rest = gives ? operands.slice(1) : operands
  emit(
    h.e,
    {
      _tag: 'atomic',
      op,
      type,
      at: place(h, rest[0], spaceOf(h)),
      value: source(h, rest[op === 'cas' ? 2 : 1], type),
      compare: op === 'cas' ? source(h, rest[1], type) : [],
      to: gives && operands[0]?._tag !== 'sink' ? target(h, operands[0], type) : null,
      ordering: orderingOf(h),
      scope: scopeOf(h, 'gpu'),
    },
    h.guard,
  )
}

// ---------------------------------------------------------------- cp.async

export const cpAsync = (h: Here, operands: Operands): void => {
  const { words } = h
  if (words.includes('bulk')) bulk(h, operands)
  else if (words.includes('commit_group')) emit(h.e, { _tag: 'commitAsync' }, h.guard)
  else if (words.includes('wait_all')) {
    emit(h.e, { _tag: 'commitAsync' }, h.guard)
    emit(h.e, { _tag: 'waitAsync', pending: 0 }, h.guard)
  } else if (words.includes('wait_group')) {
    const [n] = operands
    if (n?._tag === 'integer') emit(h.e, { _tag: 'waitAsync', pending: Number(n.value) }, h.guard)
    else refuse(h.e, 'ptx.operand', 'a number of groups', 'a register')
  } else if (words.includes('mbarrier'))
    emit(
      h.e,
      { _tag: 'mbarrierCpAsync', at: place(h, operands[0], spaceOf(h)), increment: !words.includes('noinc') },
      h.guard,
    )
  else {
    const [into, from, size, more] = operands
    const bytes = size?._tag === 'integer' ? Number(size.value) : 0
    if (bytes !== 4 && bytes !== 8 && bytes !== 16) {
      refuse(h.e, 'ptx.operand', `${h.opcode}: 4, 8 or 16 bytes`, String(bytes))
      return
    }
    const ignore =
      more !== undefined && (more._tag === 'not' || (more._tag === 'name' && more.name.startsWith('%p')))
    emit(
      h.e,
      {
        _tag: 'copyAsync',
        into: place(h, into, 'shared'),
        from: place(h, from, 'global'),
        bytes,
        sourceBytes: more === undefined || ignore ? null : source(h, more, 'u32')[0]!,
        ignore: ignore ? predicateSource(h, more) : null,
      },
      h.guard,
    )
  }
}

/** Copies of bytes that lie together; those of tensors and reductions are refused. */
const bulk = (h: Here, operands: Operands): void => {
  const { words } = h
  if (words.includes('commit_group')) {
    emit(h.e, { _tag: 'commitBulk' }, h.guard)
    return
  }
  if (words.includes('wait_group')) {
    const [n] = operands
    if (n?._tag === 'integer')
      emit(h.e, { _tag: 'waitBulk', pending: Number(n.value), read: words.includes('read') }, h.guard)
    else refuse(h.e, 'ptx.operand', 'a number of groups', 'a register')
    return
  }
  const spaces = words.slice(3).filter((w) => w.startsWith('shared') || w === 'global')
  const [to, from] = spaces
  if (
    words[2] !== 'bulk' ||
    words.some((w) => w === 'tensor' || w === 'prefetch' || w.startsWith('multicast')) ||
    to === undefined ||
    from === undefined ||
    words[1] !== 'async'
  ) {
    refuse(h.e, 'ptx.opcode', 'an instruction that is supported', h.opcode)
    return
  }
  const spaceNamed = (word: string): Space => (word === 'global' ? 'global' : 'shared')
  const toShared = to !== 'global'
  emit(
    h.e,
    {
      _tag: 'copyBulk',
      into: place(h, operands[0], spaceNamed(to)),
      from: place(h, operands[1], spaceNamed(from)),
      bytes: source(h, operands[2], 'u32')[0]!,
      barrier: toShared ? place(h, operands[3], 'shared') : null,
    },
    h.guard,
  )
}

// ---------------------------------------------------------------- fences

export const fence = (h: Here): void => {
  const { words } = h
  if (words.includes('mbarrier_init')) {
    emit(h.e, { _tag: 'fence', kind: 'mbarrierInit', scope: 'cluster' }, h.guard)
    return
  }
  const proxy = words.find(
    (w) => w === 'async' || w.startsWith('async::') || w === 'alias' || w.startsWith('tensormap'),
  )
  if (words.includes('proxy') && proxy !== undefined) {
    if (proxy.startsWith('tensormap'))
      emit(
        h.e,
        {
          _tag: 'fence',
          kind: words.includes('acquire') ? 'tensormapAcquire' : 'tensormap',
          scope: words.includes('cta') ? 'cta' : words.includes('cluster') ? 'cluster' : 'global',
        },
        h.guard,
      )
    else if (proxy === 'alias') emit(h.e, { _tag: 'nothing' }, h.guard)
    else
      emit(
        h.e,
        {
          _tag: 'fence',
          kind: 'proxyAsync',
          scope: h.opcode.includes('global')
            ? 'global'
            : h.opcode.includes('shared::cluster')
              ? 'cluster'
              : h.opcode.includes('shared::cta')
                ? 'cta'
                : 'global',
        },
        h.guard,
      )
    return
  }
  const scope = words.includes('cta') ? 'cta' : words.includes('cluster') ? 'cluster' : 'global'
  emit(h.e, { _tag: 'fence', kind: 'memory', scope }, h.guard)
}

// ---------------------------------------------------------------- mbarriers

const stateOf = (h: Here, o: Operand | undefined): ReadonlyArray<Row> | null =>
  o === undefined || o._tag === 'sink' ? null : target(h, o, 'b64')

const releases = (h: Here): boolean => !h.words.includes('relaxed')

export const mbarrier = (h: Here, operands: Operands): void => {
  const [, kind] = h.words
  const space: Space = spaceOf(h)
  const scope = scopeOf(h, 'cta')
  const emitted = (o: Operation): void => {
    emit(h.e, o, h.guard)
  }
  switch (kind) {
    case 'init':
      emitted({
        _tag: 'mbarrierInit',
        at: place(h, operands[0], space),
        count: source(h, operands[1], 'u32')[0]!,
      })
      return
    case 'inval':
      emitted({ _tag: 'mbarrierInval', at: place(h, operands[0], space) })
      return
    case 'expect_tx':
    case 'complete_tx':
      emitted({
        _tag: 'mbarrierArrive',
        kind: kind === 'expect_tx' ? 'expect' : 'complete',
        at: place(h, operands[0], space),
        count: null,
        bytes: source(h, operands[1], 'u32')[0]!,
        state: null,
        noComplete: false,
        release: false,
        scope,
      })
      return
    case 'arrive':
    case 'arrive_drop': {
      const gives = operands[0]?._tag !== 'address'
      const rest = gives ? operands.slice(1) : operands
      const expects = h.words.includes('expect_tx')
      const more = rest[1] === undefined ? null : source(h, rest[1], 'u32')[0]!
      emitted({
        _tag: 'mbarrierArrive',
        kind: kind === 'arrive' ? 'arrive' : 'drop',
        at: place(h, rest[0], space),
        count: expects ? null : more,
        bytes: expects ? more : null,
        state: gives ? stateOf(h, operands[0]) : null,
        noComplete: h.words.includes('noComplete'),
        release: releases(h),
        scope,
      })
      return
    }
    case 'test_wait':
    case 'try_wait': {
      const parity = h.words.includes('parity')
      emitted({
        _tag: 'mbarrierWait',
        at: place(h, operands[1], space),
        parity: parity ? source(h, operands[2], 'u32')[0]! : null,
        state: parity ? null : source(h, operands[2], 'b64'),
        passed: predicateTarget(h, operands[0]),
        blocks: false,
        acquire: !h.words.includes('relaxed'),
        scope,
      })
      return
    }
    case 'pending_count':
      emitted({
        _tag: 'mbarrierPending',
        to: target(h, operands[0], 'u32')[0]!,
        state: source(h, operands[1], 'b64'),
      })
      return
    default:
      refuse(h.e, 'ptx.opcode', 'an mbarrier instruction that is supported', h.opcode)
  }
}
