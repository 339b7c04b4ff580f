/** Tensor maps in memory. Oracle: the static descriptor of the same fields; each step of the protocol left out in turn. */
import { describe, expect, test } from 'vitest'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { decodeTrace, encodeTrace } from '../../../../src/semantics/files/trace/index.js'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import { executeAcquire, executeCreate } from '../../../../src/semantics/instructions/tma/tensormap.js'
import { prepare } from '../../../../src/semantics/core/prepare.js'
import { environment } from '../../../../src/semantics/machine/environment.js'
import type { Machine } from '../../../../src/semantics/machine/state.js'
import { isFault } from '../../../../src/semantics/machine/value.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { launched } from '../../machine/machine-samples.js'
import {
  blackwell,
  expecting,
  idsOf,
  init,
  judged,
  program,
  running,
  shared,
  stored,
  waiting,
} from './steps.js'
import { right } from '../../../either.js'

const tensor = Float64Array.from({ length: 24 * 64 }, (_, i) => i + 1)
const given = { tensor, maps: new Float64Array(512) }

interface Plan {
  readonly create?: boolean
  readonly fence?: boolean
  readonly acquire?: boolean
  readonly swizzle?: 64 | 128
  readonly at?: number
  readonly rank?: number
  /** a plain store to this byte of the object, after its creation */
  readonly scribble?: number
  /** the object is written again after the acquire, before or after the copy is awaited */
  readonly anew?: 'used' | 'awaited' | 'acquired'
}

const loading = (plan: Plan): Program =>
  program('map', function* () {
    const t = yield* B.tensorParam('tensor', 'u16', [24, 64], { role: 'in' })
    const maps = yield* B.tensorParam('maps', 'u8', [512], { role: 'inout' })
    const fixed = yield* B.descriptorParam('fixed', t, [8, 32], { swizzle: plan.swizzle ?? 64 })
    const image = yield* B.sharedMemory('image', 'u16', [8, 32], [], { align: 1024 })
    yield* B.sharedMemory('room', 'u8', [2048], [], {})
    const full = yield* B.barriers('full', [])
    yield* init(full)
    const at = X.addptr(maps.ptr, X.i32(plan.at ?? 128))
    const create = (label: string, columns: number): B.Build<void> =>
      B.run(label, {
        _tag: 'tensormap.create',
        at,
        tensor: t.ptr,
        dims: [X.i32(24), X.i32(columns)],
        strides: [X.i64(64n), X.i64(1n)],
        box: [8, 32],
        dtype: 'u16',
        swizzle: plan.swizzle ?? 64,
        fill: 'zero',
      })
    if (plan.create !== false) yield* create('create', 64)
    if (plan.scribble !== undefined)
      yield* B.run('scribble', {
        _tag: 'gmem.store',
        destination: X.slice(maps.view, [X.i32(plan.scribble)], [1]),
        value: X.splat<'i32', 1>(X.i32(1), [1]),
      })
    if (plan.fence !== false) yield* B.run('fence', { _tag: 'fence.tensormap', at })
    let map = plan.acquire === false ? fixed : yield* B.acquireTensormap('acquire', at, 'u16', plan.rank ?? 2)
    if (plan.anew === 'used' || plan.anew === 'acquired') {
      yield* create('create anew', 40)
      yield* B.run('fence anew', { _tag: 'fence.tensormap', at })
    }
    if (plan.anew === 'acquired') map = yield* B.acquireTensormap('acquire anew', at, 'u16', 2)
    yield* expecting(full, 512)
    yield* B.run('load', {
      _tag: 'tma.load',
      descriptor: map,
      coords: [...(plan.rank === 3 ? [X.i32(0)] : []), X.i32(18), X.i32(24)],
      destination: image,
      barrier: full,
      ctaGroup: 1,
    })
    if (plan.anew === 'awaited') {
      yield* waiting(full)
      yield* create('create anew', 40)
    } else yield* waiting(full)
  })

const image = (plan: Plan): ReadonlyArray<number> => [
  ...shared(
    running(loading(plan), given, Policy.lazy),
    'image',
    'u16',
    Array.from({ length: 8 * (plan.swizzle === 128 ? 64 : 32) }, (_, i) => 2 * i),
  ),
]

describe('law 1', () => {
  test('created, fenced, acquired: the static descriptor', () => {
    for (const swizzle of [64, 128] as const)
      expect(image({ swizzle })).toEqual(image({ swizzle, create: false, fence: false, acquire: false }))
  })
  test('the descriptor is the one that was acquired last', () => {
    const narrow = image({ anew: 'acquired' })
    expect(narrow).not.toEqual(image({}))
    expect(image({ anew: 'used' })).toEqual(image({}))
  })
})

describe('the protocol', () => {
  test('table by hand: what is missing, and what is found', () => {
    const found = (plan: Plan): readonly [string, ReadonlyArray<string>] => {
      const v = judged(loading(plan), given)
      return [v.verdict, idsOf(v)]
    }
    expect(found({})).toEqual(['ok', []])
    expect(found({ fence: false })).toEqual(['hazard', ['P5']])
    expect(found({ create: false })[0]).toBe('invalid')
    expect(found({ rank: 3 })[0]).toBe('invalid')
    expect(found({ scribble: 130 })).toEqual(['hazard', ['B7']])
    expect(found({ scribble: 255 })).toEqual(['hazard', ['B7']])
    expect(found({ scribble: 256 })).toEqual(['ok', []])
    expect(found({ anew: 'used' })).toEqual(['hazard', ['P5']])
    expect(found({ anew: 'acquired' })).toEqual(['ok', []])
    expect(found({ anew: 'awaited' })).toEqual(['ok', []])
    expect(found({ at: 64 })).toEqual(['ok', []])
    expect(found({ at: 32 })[0]).toBe('invalid')
    expect(found({ at: 448 })[0]).toBe('invalid')
  })

  test('an acquire says what it found', () => {
    const message = (plan: Plan): string => {
      const { outcome } = running(loading(plan), given)
      return outcome._tag === 'fault' ? `${outcome.fault.code}: ${outcome.fault.message}` : ''
    }
    expect(message({ rank: 3 })).toBe(
      'type.mismatch: at: expected a tensor map of u16 of rank 3, found u16 of rank 2',
    )
    expect(message({ create: false })).toBe('tensormap.none: at: there is no tensor map at byte 128 of maps')
  })

  test('the missing edge is said', () => {
    const missing = (plan: Plan): string => judged(loading(plan), given).findings[0]!.missing?.text ?? ''
    expect(missing({ fence: false })).toMatch(/^add a tensor-map fence after `create`/)
    expect(missing({ anew: 'used' })).toMatch(/^add an acquire of the tensor map before `load`/)
  })

  test('traces carry it', () => {
    const r = running(loading({ fence: false }), given)
    const { header } = r.launched.world
    const back = right(decodeTrace(encodeTrace(header, r.result)))
    expect(judgeLog(back.header, back.events, defaults).findings.map((f) => f.id)).toEqual(['P5'])
    expect(back.events.length).toBe(r.result.length)
  })
})

test('a map of the middle of a tensor: rows before its first are outside, though memory is there', () => {
  const p = program('middle', function* () {
    const t = yield* B.tensorParam('tensor', 'u16', [24, 64], { role: 'in' })
    const maps = yield* B.tensorParam('maps', 'u8', [128], { role: 'inout' })
    const list = yield* B.tensorParam('rows', 'i32', [4], { role: 'in' })
    const image = yield* B.sharedMemory('image', 'u16', [4, 64], [], { align: 128 })
    const full = yield* B.barriers('full', [])
    yield* init(full)
    yield* B.run('create', {
      _tag: 'tensormap.create',
      at: maps.ptr,
      tensor: X.addptr(t.ptr, X.i32(4 * 64)),
      dims: [X.i32(8), X.i32(64)],
      strides: [X.i64(64n), X.i64(1n)],
      box: [1, 64],
      dtype: 'u16',
      swizzle: 16,
      fill: 'zero',
    })
    yield* B.run('fence', { _tag: 'fence.tensormap', at: maps.ptr })
    const map = yield* B.acquireTensormap('acquire', maps.ptr, 'u16', 2)
    const rows = yield* B.gmemLoad('rows', list.view)
    yield* expecting(full, 512)
    yield* B.run('gather', {
      _tag: 'tma.gather',
      descriptor: map,
      rows,
      column: X.i32(0),
      destination: image,
      barrier: full,
      ctaGroup: 1,
    })
    yield* waiting(full)
  })
  const r = running(p, { tensor, maps: new Float64Array(128), rows: Float64Array.of(0, -1, 7, 8) })
  expect([...shared(r, 'image', 'u16', [0, 128, 256, 384])]).toEqual([4 * 64 + 1, 0, 11 * 64 + 1, 0])
})

describe('from one agent to another', () => {
  /** wg0 writes the map, wg1 loads through it. */
  const handed = (fencer: 'writer' | 'reader' | 'nobody', meets: boolean): Program =>
    program(
      'handed',
      function* () {
        const t = yield* B.tensorParam('tensor', 'u16', [24, 64], { role: 'in' })
        const maps = yield* B.tensorParam('maps', 'u8', [128], { role: 'inout' })
        const image = yield* B.sharedMemory('image', 'u16', [8, 32], [], { align: 1024 })
        const full = yield* B.barriers('full', [])
        const writes = X.eq(X.place('agent'), X.i32(0))
        const reads = X.eq(X.place('agent'), X.i32(1))
        const at = maps.ptr
        const create = B.run(
          'create',
          {
            _tag: 'tensormap.create',
            at,
            tensor: t.ptr,
            dims: [X.i32(24), X.i32(64)],
            strides: [X.i64(64n), X.i64(1n)],
            box: [8, 32],
            dtype: 'u16',
            swizzle: 64,
            fill: 'zero',
          },
          { when: writes },
        )
        yield* B.run('init', { _tag: 'mbarrier.init', barrier: full, count: 1 }, { when: writes })
        yield* create
        if (fencer === 'writer') yield* B.run('fence', { _tag: 'fence.tensormap', at }, { when: writes })
        yield* B.run('sync', { _tag: 'bar.sync', id: 1, count: 256 })
        if (fencer === 'reader') yield* B.run('fence', { _tag: 'fence.tensormap', at }, { when: reads })
        if (!meets) yield* B.run('create', { ...anew(at, t.ptr) }, { when: writes })
        const map = yield* B.acquireTensormap('acquire', at, 'u16', 2)
        yield* expecting(full, 512, reads)
        yield* B.run(
          'load',
          {
            _tag: 'tma.load',
            descriptor: map,
            coords: [X.i32(0), X.i32(0)],
            destination: image,
            barrier: full,
            ctaGroup: 1,
          },
          { when: reads },
        )
        yield* waiting(full, 0, reads)
      },
      { agents: 2 },
    )
  const anew = (at: X.Ptr, of: X.Ptr) =>
    ({
      _tag: 'tensormap.create',
      at,
      tensor: of,
      dims: [X.i32(24), X.i32(40)],
      strides: [X.i64(64n), X.i64(1n)],
      box: [8, 32],
      dtype: 'u16',
      swizzle: 64,
      fill: 'zero',
    }) as const

  test('the fence by whoever sees the write; without it P5; a write that nothing orders with the use: D2', () => {
    const found = (...p: Parameters<typeof handed>): ReadonlyArray<string> =>
      idsOf(judged(handed(...p), { tensor, maps: new Float64Array(128) }))
    expect(found('writer', true)).toEqual([])
    expect(found('reader', true)).toEqual([])
    expect(found('nobody', true)).toEqual(['P5'])
    expect(found('writer', false)).toEqual(['D2'])
  })
})

test('stores and reductions read their map too: it may be written again once the reads are done', () => {
  const storing = (waitsFor: 'read' | 'nothing'): Program =>
    program('store', function* () {
      const t = yield* B.tensorParam('tensor', 'i32', [64], { role: 'inout' })
      const maps = yield* B.tensorParam('maps', 'u8', [128], { role: 'inout' })
      const image = yield* B.sharedMemory('image', 'i32', [32], [], { align: 128 })
      const create = (label: string): B.Build<void> =>
        B.run(label, {
          _tag: 'tensormap.create',
          at: maps.ptr,
          tensor: t.ptr,
          dims: [X.i32(64)],
          strides: [X.i64(1n)],
          box: [32],
          dtype: 'i32',
          swizzle: 16,
          fill: 'zero',
        })
      yield* B.run('fill', { _tag: 'smem.store', destination: image, value: X.iota<1>([32], 0) })
      yield* B.run('proxy fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      yield* create('create')
      yield* B.run('fence', { _tag: 'fence.tensormap', at: maps.ptr })
      const map = yield* B.acquireTensormap('acquire', maps.ptr, 'i32', 1)
      yield* B.run('reduce', {
        _tag: 'tma.reduce',
        kind: 'add',
        descriptor: map,
        coords: [X.i32(8)],
        source: image,
      })
      yield* B.run('commit', { _tag: 'bulk.commitGroup' })
      if (waitsFor === 'read') yield* B.run('wait reads', { _tag: 'bulk.waitGroup', pending: 0, read: true })
      yield* create('create anew')
      yield* stored()
    })
  const data = { tensor: new Float64Array(64), maps: new Float64Array(128) }
  expect(judged(storing('read'), data).verdict).toBe('ok')
  expect(idsOf(judged(storing('nothing'), data))).toEqual(['D2'])
})

describe('which maps are there', () => {
  const { world, machine } = launched(
    right(
      B.draft({ name: 'maps', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
        yield* B.tensorParam('maps', 'u8', [512], { role: 'inout' })
        yield* B.tensorParam('others', 'u8', [512], { role: 'inout' })
        yield* B.tensorParam('t', 'u16', [8, 64], { role: 'in' })
      }),
    ),
    blackwell,
  )
  const at = { agent: 0, cta: 0, place: 0, cluster: 0 }
  const x = { world, agent: 0, stamp: { agent: 0, at: 1, site: 0, iteration: [] } }
  const pointer = (param: string, offset: number): never =>
    X.addptr({ _tag: 'paramPtr', param } as never, X.i32(offset)) as never
  const created = (m: Machine, param: string, offset: number): Machine => {
    const p = prepare(environment(world, at, []), {
      _tag: 'tensormap.create',
      at: pointer(param, offset),
      tensor: pointer('t', 0),
      dims: [X.i32(8), X.i32(64)],
      strides: [X.i64(64n), X.i64(1n)],
      box: [4, 16],
      dtype: 'u16',
      swizzle: 16,
      fill: 'zero',
    })
    if (isFault(p) || p._tag !== 'tensormap.create') throw new Error('refused')
    return executeCreate(x, m, p).machine
  }
  /** Where an acquire finds a map. */
  const found = (m: Machine): ReadonlyArray<string> =>
    ['maps', 'others'].flatMap((param) =>
      [0, 64, 128, 192, 256, 320, 384].flatMap((offset) => {
        const p = prepare(environment(world, at, []), {
          _tag: 'tensormap.acquire',
          at: pointer(param, offset),
          dtype: 'u16',
          rank: 2,
        })
        if (isFault(p) || p._tag !== 'tensormap.acquire') throw new Error('refused')
        const done = executeAcquire(x, m, p)
        return isFault(done) ? [] : [`${param} ${String(offset)}`]
      }),
    )
  const all = (places: ReadonlyArray<readonly [string, number]>): ReadonlyArray<string> =>
    found(places.reduce((m, [param, offset]) => created(m, param, offset), machine))
  test.each<
    readonly [string, places: ReadonlyArray<readonly [string, number]>, found: ReadonlyArray<string>]
  >([
    ['none', [], []],
    ['one', [['maps', 64]], ['maps 64']],
    [
      'beside each other',
      [
        ['maps', 0],
        ['maps', 128],
        ['maps', 256],
      ],
      ['maps 0', 'maps 128', 'maps 256'],
    ],
    [
      'one that cuts into two',
      [
        ['maps', 0],
        ['maps', 128],
        ['maps', 256],
        ['maps', 64],
      ],
      ['maps 64', 'maps 256'],
    ],
    [
      'one that is cut from behind',
      [
        ['maps', 128],
        ['maps', 192],
      ],
      ['maps 192'],
    ],
    [
      'the same place twice',
      [
        ['maps', 128],
        ['maps', 128],
      ],
      ['maps 128'],
    ],
    [
      'the same place of another tensor',
      [
        ['maps', 128],
        ['others', 128],
      ],
      ['maps 128', 'others 128'],
    ],
  ])('%s', (_what, places, expected) => {
    expect(all(places)).toEqual(expected)
  })
  test('one of another dtype, or of another rank, is none of these', () => {
    const m = created(machine, 'maps', 0)
    const acquired = (dtype: 'u16' | 'i16', rank: number): string | null => {
      const p = prepare(environment(world, at, []), {
        _tag: 'tensormap.acquire',
        at: pointer('maps', 0),
        dtype,
        rank,
      })
      if (isFault(p) || p._tag !== 'tensormap.acquire') throw new Error('refused')
      const done = executeAcquire(x, m, p)
      return isFault(done) ? done.code : null
    }
    expect([acquired('u16', 2), acquired('i16', 2), acquired('u16', 1)]).toEqual([
      null,
      'type.mismatch',
      'type.mismatch',
    ])
  })
})
