/**
 * Memory: ld, st, atom, red, cp.async, fences, mbarriers.
 *
 * Source: PTX ISA, data movement; parallel synchronization and communication.
 */
import type { Scope } from '../../../semantics/language/instruction.js'
import type {
  Address,
  AtomicName,
  AtomicType,
  Operation,
  Ordering,
  Row,
  Space,
  Width,
} from '../../../semantics/warps/program.js'
import type { Value } from '../opcodes/resolve.js'
import { extend } from './arithmetic.js'
import { emit, newRow, refuse } from './emitter.js'
import {
  constantOf,
  itemsOf,
  place,
  predicateSource,
  predicateTarget,
  source,
  target,
  type Elaborations,
  type Here,
} from './here.js'
import { bytesOf, wordsOf } from './types.js'

// ---------------------------------------------------------------- modifiers

const spaces: ReadonlyMap<string, Space> = new Map([
  ['global', 'global'],
  ['shared', 'shared'],
  ['local', 'local'],
  ['const', 'const'],
  ['param', 'param'],
])

/** The state space that a word names; generic without one. */
export const spaceNamed = (word: string | undefined): Space =>
  word === 'shared::cluster' ? 'sharedCluster' : (spaces.get(word?.split('::')[0] ?? '') ?? 'generic')

const scopes: ReadonlyMap<string, Scope> = new Map([
  ['cta', 'cta'],
  ['cluster', 'cluster'],
  ['gpu', 'gpu'],
  ['sys', 'sys'],
])
export const scopeOf = (h: Here, otherwise: Scope): Scope =>
  scopes.get(h.modifiers['scope'] ?? '') ?? otherwise

const orderings: ReadonlyMap<string, Ordering> = new Map([
  ['volatile', 'volatile'],
  ['relaxed', 'relaxed'],
  ['acquire', 'acquire'],
  ['release', 'release'],
  ['acq_rel', 'acq_rel'],
])
const orderingOf = (h: Here): Ordering => orderings.get(h.modifiers['sem'] ?? '') ?? 'weak'

// ---------------------------------------------------------------- loads and stores

const counts: ReadonlyMap<string, 2 | 4 | 8> = new Map([
  ['v2', 2],
  ['v4', 4],
  ['v8', 8],
])

const typeOf = (h: Here): string => h.modifiers['type'] ?? 'b32'

const widthOf = (h: Here): Width => {
  const type = typeOf(h)
  return {
    bytes: bytesOf(type),
    count: counts.get(h.modifiers['vec'] ?? '') ?? 1,
    signed: type.startsWith('s'),
  }
}

const ld = (h: Here): void => {
  const width = widthOf(h)
  const type = typeOf(h)
  const words = wordsOf(type)
  const to = itemsOf(h.operands['d']).map((v): ReadonlyArray<Row> | null =>
    v?._tag === 'sink' ? null : target(h, v, type),
  )
  const load: Extract<Operation, { readonly _tag: 'load' }> = {
    _tag: 'load',
    from: place(h, h.operands['a'], spaceNamed(h.modifiers['space'])),
    width,
    to: to.map((rows) => (rows === null ? null : rows.slice(0, words))),
    ordering: orderingOf(h),
    scope: scopeOf(h, 'gpu'),
  }
  emit(h.e, h.modifiers['nc'] === undefined ? load : { ...load, readOnly: true }, h.guard)
  for (const rows of to) if (rows !== null) extend(h, rows, words, width.signed)
}

const st = (h: Here): void => {
  const type = typeOf(h)
  emit(
    h.e,
    {
      _tag: 'store',
      into: place(h, h.operands['a'], spaceNamed(h.modifiers['space'])),
      width: widthOf(h),
      value: itemsOf(h.operands['b']).map((v) => source(h, v, type)),
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

/** atom gives what was there, red does not; of a vector each element is an atomic by itself. */
const atom = (h: Here): void => {
  const op = atomicNames.find((name) => name === h.modifiers['op'])
  const type = atomicTypes.find((name) => name === h.modifiers['type'])
  if (op === undefined || type === undefined) {
    refuse(h.e, 'ptx.opcode', 'an atomic that is supported', h.opcode)
    return
  }
  const at = place(h, h.operands['a'], spaceNamed(h.modifiers['space']))
  const d = h.operands['d']
  const values = itemsOf(h.operands[op === 'cas' ? 'c' : 'b']).map((v) => source(h, v, type))
  const results = d === undefined ? [] : itemsOf(d)
  const to = values.map((rows, k): ReadonlyArray<Row> | null => {
    const into = results[k]
    if (into === undefined || into._tag === 'sink') return null
    return values.length === 1 ? target(h, into, type) : rows.map(() => newRow(h.e))
  })
  values.forEach((value, k) => {
    emit(
      h.e,
      {
        _tag: 'atomic',
        op,
        type,
        at: { space: at.space, rows: at.rows, offset: at.offset + k * bytesOf(type) },
        value,
        compare: op === 'cas' ? source(h, h.operands['b'], type) : [],
        to: to[k]!,
        ordering: orderingOf(h),
        scope: scopeOf(h, 'gpu'),
      },
      h.guard,
    )
  })
  // a register may be read by a later element, so all are written at the end
  if (values.length > 1)
    to.forEach((rows, k) => {
      if (rows !== null) emit(h.e, { _tag: 'move', to: target(h, results[k], type), from: rows }, h.guard)
    })
}

// ---------------------------------------------------------------- cp.async

const cpAsync = (h: Here): void => {
  const bytes = constantOf(h, h.operands['size'])
  if (bytes !== 4 && bytes !== 8 && bytes !== 16) {
    refuse(h.e, 'ptx.operand', `${h.opcode}: 4, 8 or 16 bytes`, String(bytes))
    return
  }
  const { src, ignore } = { src: h.operands['src'], ignore: h.operands['ignore'] }
  emit(
    h.e,
    {
      _tag: 'copyAsync',
      into: place(h, h.operands['d'], 'shared'),
      from: place(h, h.operands['s'], 'global'),
      bytes,
      sourceBytes: src === undefined ? null : source(h, src, 'u32')[0]!,
      ignore: ignore === undefined ? null : predicateSource(h, ignore),
    },
    h.guard,
  )
}

const commitAsync = (h: Here): void => {
  emit(h.e, { _tag: 'commitAsync' }, h.guard)
}
const waitAsync = (h: Here): void => {
  emit(h.e, { _tag: 'waitAsync', pending: constantOf(h, h.operands['n']) }, h.guard)
}
const waitAll = (h: Here): void => {
  commitAsync(h)
  emit(h.e, { _tag: 'waitAsync', pending: 0 }, h.guard)
}
const arriveAsync = (h: Here): void => {
  emit(
    h.e,
    {
      _tag: 'mbarrierCpAsync',
      at: place(h, h.operands['a'], spaceNamed(h.modifiers['space'])),
      increment: h.modifiers['noinc'] === undefined,
    },
    h.guard,
  )
}

const commitBulk = (h: Here): void => {
  emit(h.e, { _tag: 'commitBulk' }, h.guard)
}
const waitBulk = (h: Here): void => {
  emit(
    h.e,
    { _tag: 'waitBulk', pending: constantOf(h, h.operands['n']), read: h.modifiers['read'] !== undefined },
    h.guard,
  )
}

// ---------------------------------------------------------------- fences

/** Scopes of fences: beyond a cluster all are one. */
const reachOf = (word: string | undefined): 'cta' | 'cluster' | 'global' =>
  word === 'cta' ? 'cta' : word === 'cluster' ? 'cluster' : 'global'

const fence = (h: Here): void => {
  const scope = reachOf(h.modifiers['scope'] ?? h.modifiers['level'])
  // a membar is a fence.sc of its level
  const isSequential = h.modifiers['level'] !== undefined || h.modifiers['sem'] === 'sc'
  const { sem } = h.modifiers
  emit(
    h.e,
    isSequential
      ? { _tag: 'fence', kind: 'memory', scope, sequential: true }
      : sem === 'acquire' || sem === 'release'
        ? { _tag: 'fence', kind: 'memory', scope, half: sem }
        : { _tag: 'fence', kind: 'memory', scope },
    h.guard,
  )
}

const fenceInit = (h: Here): void => {
  emit(h.e, { _tag: 'fence', kind: 'mbarrierInit', scope: 'cluster' }, h.guard)
}

const fenceProxy = (h: Here): void => {
  const kind = h.modifiers['kind'] ?? ''
  if (kind === 'alias') emit(h.e, { _tag: 'nothing' }, h.guard)
  else if (kind.startsWith('tensormap') && h.modifiers['sem'] === 'acquire')
    emit(
      h.e,
      { _tag: 'tensormapAcquire', map: place(h, h.operands['a'], 'generic'), scope: scopeOf(h, 'gpu') },
      h.guard,
    )
  else if (kind.startsWith('tensormap'))
    emit(h.e, { _tag: 'fence', kind: 'tensormap', scope: reachOf(h.modifiers['scope']) }, h.guard)
  else {
    const reaches: ReadonlyArray<'cta' | 'cluster' | 'global'> =
      kind === 'async.shared::cta'
        ? ['cta']
        : kind === 'async.shared::cluster'
          ? ['cluster']
          : kind === 'async.global'
            ? ['global']
            : // in one direction alone, which is taken for both
              kind === 'async::generic'
              ? [h.modifiers['sem'] === 'release' ? 'cta' : 'cluster']
              : // of every space
                ['cluster', 'global']
    for (const scope of reaches) emit(h.e, { _tag: 'fence', kind: 'proxyAsync', scope }, h.guard)
  }
}

// ---------------------------------------------------------------- mbarriers

const barrierOf = (h: Here): Address => place(h, h.operands['a'], spaceNamed(h.modifiers['space']))

const stateOf = (h: Here, v: Value | undefined): ReadonlyArray<Row> | null =>
  v === undefined || v._tag === 'sink' ? null : target(h, v, 'b64')

const init = (h: Here): void => {
  emit(
    h.e,
    { _tag: 'mbarrierInit', at: barrierOf(h), count: source(h, h.operands['count'], 'u32')[0]! },
    h.guard,
  )
}

const inval = (h: Here): void => {
  emit(h.e, { _tag: 'mbarrierInval', at: barrierOf(h) }, h.guard)
}

/** Bytes that are expected or come, without an arrival. */
const bytesOnly =
  (kind: 'expect' | 'complete') =>
  (h: Here): void => {
    emit(
      h.e,
      {
        _tag: 'mbarrierArrive',
        kind,
        at: barrierOf(h),
        count: null,
        bytes: source(h, h.operands['tx'], 'u32')[0]!,
        state: null,
        noComplete: false,
        release: false,
        scope: scopeOf(h, 'cta'),
      },
      h.guard,
    )
  }

const arrive =
  (kind: 'arrive' | 'drop') =>
  (h: Here): void => {
    const { count, tx } = { count: h.operands['count'], tx: h.operands['tx'] }
    emit(
      h.e,
      {
        _tag: 'mbarrierArrive',
        kind,
        at: barrierOf(h),
        count: count === undefined ? null : source(h, count, 'u32')[0]!,
        bytes: tx === undefined ? null : source(h, tx, 'u32')[0]!,
        state: stateOf(h, h.operands['state']),
        noComplete: h.modifiers['noComplete'] !== undefined,
        release: h.modifiers['sem'] !== 'relaxed',
        scope: scopeOf(h, 'cta'),
      },
      h.guard,
    )
  }

const wait = (h: Here): void => {
  const { parity, state } = { parity: h.operands['parity'], state: h.operands['state'] }
  emit(
    h.e,
    {
      _tag: 'mbarrierWait',
      at: barrierOf(h),
      parity: parity === undefined ? null : source(h, parity, 'u32')[0]!,
      state: parity === undefined ? source(h, state, 'b64') : null,
      passed: predicateTarget(h, h.operands['p']),
      blocks: h.spins,
      acquire: h.modifiers['sem'] !== 'relaxed',
      scope: scopeOf(h, 'cta'),
    },
    h.guard,
  )
}

const pending = (h: Here): void => {
  emit(
    h.e,
    {
      _tag: 'mbarrierPending',
      to: target(h, h.operands['count'], 'u32')[0]!,
      state: source(h, h.operands['state'], 'b64'),
    },
    h.guard,
  )
}

export const memory: Elaborations = {
  ld,
  ldu: ld,
  st,
  atom,
  red: atom,
  'cp.async': cpAsync,
  'cp.async.commit_group': commitAsync,
  'cp.async.wait_group': waitAsync,
  'cp.async.wait_all': waitAll,
  'cp.async.mbarrier.arrive': arriveAsync,
  'cp.async.bulk.commit_group': commitBulk,
  'cp.async.bulk.wait_group': waitBulk,
  membar: fence,
  'membar.proxy': fenceProxy,
  fence,
  'fence.mbarrier_init': fenceInit,
  'fence.proxy': fenceProxy,
  'mbarrier.init': init,
  'mbarrier.inval': inval,
  'mbarrier.expect_tx': bytesOnly('expect'),
  'mbarrier.complete_tx': bytesOnly('complete'),
  'mbarrier.arrive': arrive('arrive'),
  'mbarrier.arrive_drop': arrive('drop'),
  'mbarrier.test_wait': wait,
  'mbarrier.try_wait': wait,
  'mbarrier.pending_count': pending,
}
