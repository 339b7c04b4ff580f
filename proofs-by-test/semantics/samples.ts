/** Small valid programs that the proofs of this folder take apart. */
import { WGMMA } from '../../src/layouts/tiled.js'
import * as B from '../../src/semantics/writing/builder.js'
import * as X from '../../src/semantics/language/expression.js'
import type { ExprNode } from '../../src/semantics/language/expression.js'
import type { Program } from '../../src/semantics/language/program.js'
import { ofStrides } from '../../src/transforms/ref.js'
import { swizzle, tile } from '../../src/transforms/transform.js'
import { right } from '../either.js'

/** A producer copies blocks into a ring of two, a consumer doubles them: fork, loops, a branch, a while, every kind of parameter. */
export const ring = (): Program =>
  right(
    B.kernel(
      {
        name: 'ring',
        arch: 'sm90a',
        grid: [4],
        agents: [B.warpgroup('consumer', 0), B.warp('producer', 4)],
        computes: { _tag: 'copy', from: 'a', out: 'out' },
      },
      function* () {
        const a = yield* B.tensorParam('a', 'f16', [128, 64], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f16', [128, 64], { role: 'out' })
        const n = yield* B.scalarParam('n', 'i32')
        const map = yield* B.descriptorParam('map', a, [64, 64], { swizzle: 128 })
        const transforms = [right(tile([8, 64])), right(swizzle(128))]
        const buffer = yield* B.sharedMemory('buffer', 'f16', [2, 64, 64], transforms)
        const full = yield* B.barriers('full', [2], { contract: 'pallas' })
        const empty = yield* B.barriers('empty', [2])
        yield* B.run('init', { _tag: 'mbarrier.init', barrier: X.slot(full, X.i32(0)), count: 1 })
        const { last } = yield* B.fork(
          'roles',
          {
            agent: 'consumer',
            captures: { buffer, full, empty, out: out.view },
            body: function* (c) {
              const { parity } = yield* B.forRange(
                { label: 'k', from: X.i32(0), to: n, carried: { parity: X.i32(0) } },
                function* (k, carried) {
                  const s = yield* B.letIn('s', X.rem(k, X.i32(2)))
                  const barrier = yield* B.letIn('barrier', X.slot(c.full, s))
                  yield* B.run('wait', {
                    _tag: 'mbarrier.wait',
                    barrier,
                    parity: carried.parity,
                    acquire: true,
                    scope: 'cta',
                  })
                  const x = yield* B.smemLoad('x', X.slot(c.buffer, s))
                  const y = yield* B.letIn('y', X.add(x, x))
                  yield* B.ifThen('first', X.eq(k, X.i32(0)), function* () {
                    yield* B.run('write', {
                      _tag: 'gmem.store',
                      destination: X.slice(c.out, [X.i32(64), X.i32(0)], [64, 64]),
                      value: y,
                    })
                  })
                  yield* B.run('release', {
                    _tag: 'mbarrier.arrive',
                    barrier: X.slot(c.empty, s),
                    count: 1,
                    release: true,
                    scope: 'cta',
                  })
                  return { parity: X.xor(carried.parity, X.i32(1)) }
                },
              )
              return { last: parity }
            },
          },
          [
            B.branch('producer', { buffer, full, map }, function* (c) {
              yield* B.forRange({ label: 'k', from: X.i32(0), to: n }, function* (k) {
                const barrier = X.slot(c.full, X.rem(k, X.i32(2)))
                yield* B.run('announce', { _tag: 'mbarrier.expectTx', barrier, bytes: X.i32(16) })
                yield* B.run('complete', { _tag: 'mbarrier.completeTx', barrier, bytes: X.i32(16) })
                yield* B.run('expect', {
                  _tag: 'mbarrier.arriveExpectTx',
                  barrier,
                  bytes: X.i32(8192),
                  release: true,
                  scope: 'cta',
                })
                yield* B.run('copy', {
                  _tag: 'tma.load',
                  descriptor: c.map,
                  coords: [X.mul(k, X.i32(64)), X.i32(0)],
                  destination: X.slot(c.buffer, X.rem(k, X.i32(2))),
                  barrier,
                  ctaGroup: 1,
                })
              })
            }),
          ],
        )
        yield* B.whileLoop(
          { label: 'until', carried: { i: last } },
          function* ({ i }) {
            return yield* B.of([X.lt(i, X.i32(3)), { i }] as const)
          },
          function* ({ i }) {
            return { i: yield* B.letIn('next', X.add(i, X.i32(1))) }
          },
        )
      },
    ),
  )

/** One tcgen05 matmul: tensor memory, a completion, an allocation. */
export const tensorCore = (): Program =>
  right(
    B.kernel({ name: 'mma', arch: 'sm100a', agents: [B.warpgroup('wg', 0)] }, function* () {
      const transforms = [right(tile([8, 64])), right(swizzle(128))]
      const a = yield* B.sharedMemory('a', 'f16', [128, 64], transforms)
      const b = yield* B.sharedMemory('b', 'f16', [64, 128], transforms)
      const d = yield* B.tensorMemory('d', 'f32', [128, 128])
      const regs = yield* B.registers('regs', 'wg', 'f32', [128, 128])
      const done = yield* B.barriers('done', [], { ordersTensorCore: true })
      yield* B.run('alloc', { _tag: 'tcgen05.alloc', columns: 128, ctaGroup: 1 })
      yield* B.run('mma', {
        _tag: 'tcgen05.mma',
        accumulator: d,
        a,
        b,
        accumulate: X.i1(false),
        ctaGroup: 1,
        completions: [{ barrier: done, when: X.i1(true) }],
      })
      yield* B.run('ld', { _tag: 'tcgen05.ld', source: d, destination: regs })
      yield* B.run('wait', { _tag: 'tcgen05.waitLd' })
      yield* B.regsRead('x', regs)
    }),
  )

/** One wgmma. */
export const warpgroupMma = (): Program =>
  right(
    B.kernel({ name: 'wgmma', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
      const transforms = [right(tile([8, 64])), right(swizzle(128))]
      const a = yield* B.sharedMemory('a', 'f16', [64, 64], transforms)
      const b = yield* B.sharedMemory('b', 'f16', [64, 64], transforms)
      const accumulator = yield* B.registers('acc', 'wg', 'f32', [64, 64])
      yield* B.run('mma', {
        _tag: 'wgmma.mma',
        accumulator,
        a,
        b,
        scaleD: X.i1(false),
        negateA: false,
        negateB: false,
      })
    }),
  )

export const samples: ReadonlyArray<readonly [name: string, program: Program]> = [
  ['ring', ring()],
  ['tensorCore', tensorCore()],
  ['warpgroupMma', warpgroupMma()],
]

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text): ExprNode => ({ _tag: 'name', name: text })) as [
  ExprNode,
  ExprNode,
  ExprNode,
  ExprNode,
]
/** An expression of every kind over the names a to d; what stands in it has no meaning together. */
export const everyNode: ReadonlyArray<ExprNode> = [
  { _tag: 'const', dtype: 'i32', value: 7 },
  { _tag: 'name', name: 'a' },
  { _tag: 'local', slot: 3 },
  { _tag: 'place', of: 'programId', axis: 1 },
  { _tag: 'dim', param: 'p', axis: 1 },
  { _tag: 'unary', op: 'exp2', mode: 'approx', x: a },
  { _tag: 'binary', op: 'sub', x: a, y: b },
  { _tag: 'fma', x: a, y: b, z: c },
  { _tag: 'compare', op: 'lt', signed: false, x: a, y: b },
  { _tag: 'select', cond: a, x: b, y: c },
  { _tag: 'convert', op: 'cast', to: 'f16', rounding: 'rz', saturate: true, x: a },
  { _tag: 'pack', to: 'i64', parts: [a, b] },
  { _tag: 'unpack', to: 'i32', part: 1, x: a },
  { _tag: 'iota', shape: [4], axis: 0, start: 2, layout: 'any' },
  { _tag: 'splat', x: a, shape: [4], layout: 'any' },
  { _tag: 'broadcast', x: a, shape: [4, 4], layout: 'any' },
  { _tag: 'expandDims', x: a, axis: 1, layout: 'any' },
  { _tag: 'reshape', x: a, shape: [2, 2], layout: 'any' },
  { _tag: 'transpose', x: a, perm: [1, 0], layout: 'any' },
  {
    _tag: 'reduce',
    x: a,
    axis: 1,
    combine: { params: ['l', 'r'], body: [], result: { _tag: 'binary', op: 'add', x: b, y: c } },
    layout: 'any',
  },
  { _tag: 'gather', x: a, index: b, axis: 1, layout: 'any' },
  { _tag: 'convertLayout', x: a, layout: WGMMA },
  { _tag: 'dot', x: a, y: b, z: c, as: 'i8', saturate: true },
  { _tag: 'vote', of: 'all', x: a },
  { _tag: 'item', x: a },
  { _tag: 'paramPtr', param: 'p' },
  { _tag: 'addptr', ptr: a, offset: b },
  { _tag: 'castPtr', ptr: a, dtype: 'i32' },
  { _tag: 'storage', storage: 's' },
  { _tag: 'tensor', param: 'p' },
  { _tag: 'descriptor', param: 'p' },
  { _tag: 'slot', of: a, index: b },
  { _tag: 'slice', of: a, starts: [b, c, d], sizes: [1, 2, 3] },
  { _tag: 'transposeView', of: a, perm: [1, 0] },
  { _tag: 'reshapeView', of: a, shape: [8] },
  { _tag: 'reinterpret', of: a, dtype: 'bf16', layout: right(ofStrides([4], 16, [1])) },
  { _tag: 'remote', of: a, rank: b },
]
