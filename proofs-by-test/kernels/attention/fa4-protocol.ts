/**
 * The protocol of FA4 without arithmetic: five straight-line roles, generated from a number of tiles and a number of slots.
 *
 * It is written for itself, from the order of operations and the table of barriers, and not with the kernel's modules: slots and parities are
 * numbers that are computed here by division. Tiles are as small as the instructions take them. `softmax` and `correction` touch tensor memory only if asked
 * (`touches`): without, what is left are barriers, copies, products and commits.
 */
import * as B from '../../../src/semantics/writing/builder.js'
import {
  i1,
  i32,
  slot,
  splat,
  float,
  transposeView,
  type Barrier,
  type View,
} from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Ref from '../../../src/transforms/ref.js'
import { right } from '../../either.js'

export interface Protocol {
  readonly tiles: number
  readonly slots: number
  /** softmax waits until the last factor has been read */
  readonly factorAcquire: boolean
  /** correction waits for O before it rescales */
  readonly outputWait: boolean
  /** softmax and correction load and store tensor memory */
  readonly touches: boolean
  /** bytes are expected, and products followed by commits, as operations of their own; else one operation does both */
  readonly apart: boolean
}

const span = 64
const layout = (count: number, rows: number): Ref.TransformedRef =>
  Ref.ofChains(
    [
      [{ size: count, stride: rows * span }],
      [
        { size: rows / 8, stride: 8 * span },
        { size: 8, stride: span },
      ],
      [
        { size: 1, stride: 0 },
        { size: span, stride: 1 },
      ],
    ],
    16,
    0,
    128,
  )

type Bars = Barrier<'ptx', true, 1>

export const protocol = (p: Protocol): Program =>
  right(
    B.kernel(
      {
        name: 'fa4-protocol',
        arch: 'sm100a',
        agents: [
          B.warpgroup('softmax0', 0),
          B.warpgroup('softmax1', 1),
          B.warpgroup('correction', 2),
          B.warp('mma', 12),
          B.warp('load', 13),
        ],
      },
      function* () {
        const { tiles: N, slots: S } = p
        const rows = 16
        const x = yield* B.tensorParam('x', 'f16', [rows, span], { role: 'in' })
        const big = yield* B.tensorParam('y', 'f16', [128, span], { role: 'in' })
        const map = yield* B.descriptorParam('map', x, [rows, span] as const, { swizzle: 128 })
        const qMap = yield* B.descriptorParam('q_map', big, [128, span] as const, { swizzle: 128 })
        const q = yield* B.sharedMemory('q', 'f16', [2, 128, span], [], { layout: layout(2, 128) })
        const kv = yield* B.sharedMemory('kv', 'f16', [S, rows, span], [], { layout: layout(S, rows) })
        const half = (n: string) =>
          B.block(function* () {
            const union = `s${n}`
            const s = yield* B.tensorMemory(`S${n}`, 'f32', [128, rows], { alias: { union, member: 0 } })
            const pi = yield* B.tensorMemory(`P${n}`, 'f16', [128, rows], { alias: { union, member: 1 } })
            const c = yield* B.tensorMemory(`C${n}`, 'f32', [128, 1], { alias: { union, member: 1 } })
            return { s, p: pi, c }
          })
        const halves = [yield* half('0'), yield* half('1')]
        const outs = [
          yield* B.tensorMemory('O0', 'f32', [128, span]),
          yield* B.tensorMemory('O1', 'f32', [128, span]),
        ]
        const bars = (id: string, n: number): B.Build<Bars> => B.barriers(id, [n], { ordersTensorCore: true })
        const full = yield* bars('full', S)
        const empty = yield* bars('empty', S)
        const q1 = yield* bars('q1', 1)
        const sFull = yield* bars('s_full', 2)
        const sEmpty = yield* bars('s_empty', 2)
        const cFull = yield* bars('c_full', 2)
        const cEmpty = yield* bars('c_empty', 2)
        const oFull = yield* bars('o_full', 2)
        const oEmpty = yield* bars('o_empty', 2)

        // completion k, counted from 0, has parity k mod 2
        const waits = (label: string, b: Bars, i: number, completion: number): B.Build<void> =>
          B.run(`${label} ${String(completion)}`, {
            _tag: 'mbarrier.wait',
            barrier: slot(b, i32(i)),
            parity: i32(completion & 1),
            acquire: true,
            scope: 'cta',
          })
        const arrives = (label: string, b: Bars, i: number): B.Build<void> =>
          B.run(label, {
            _tag: 'mbarrier.arrive',
            barrier: slot(b, i32(i)),
            count: 1,
            release: true,
            scope: 'cta',
          })
        const commits = (label: string, b: Bars, i: number): B.Build<void> =>
          B.run(label, { _tag: 'tcgen05.commit', barrier: slot(b, i32(i)), ctaGroup: 1 })
        const expects = (label: string, b: Bars, i: number, bytes: number): B.Build<void> =>
          B.run(label, {
            _tag: 'mbarrier.arriveExpectTx',
            barrier: slot(b, i32(i)),
            bytes: i32(bytes),
            release: true,
            scope: 'cta',
          })

        const load = (): B.Build<void> =>
          B.block(function* () {
            const kvBytes = rows * span * 2
            const qBytes = 128 * span * 2
            const copyKv = (c: number): B.Build<void> =>
              B.run(`copy ${String(c)}`, {
                _tag: 'tma.load',
                descriptor: map,
                coords: [i32(0), i32(0)],
                destination: slot(kv, i32(c % S)),
                barrier: slot(full, i32(c % S)),
                ctaGroup: 1,
              })
            const copyQ = (i: number, b: Bars): B.Build<void> =>
              B.run(`copy q${String(i)}`, {
                _tag: 'tma.load',
                descriptor: qMap,
                coords: [i32(0), i32(0)],
                destination: slot(q, i32(i)),
                barrier: slot(b, i32(0)),
                ctaGroup: 1,
              })
            yield* expects('expect 0', full, 0, kvBytes + qBytes)
            yield* copyQ(0, full)
            yield* copyKv(0)
            yield* expects('expect q1', q1, 0, qBytes)
            yield* copyQ(1, q1)
            for (let c = 1; c < 2 * N; c++) {
              if (c >= 2) yield* waits('acquire', empty, c % S, Math.floor(c / S) - 1)
              yield* expects(`expect ${String(c)}`, full, c % S, kvBytes)
              yield* copyKv(c)
            }
          })

        const mma = (): B.Build<void> =>
          B.block(function* () {
            const tile = (c: number): View<'smem', 'f16', 2> => slot(kv, i32(c % S))
            const completion = (b: Bars, i: number) =>
              p.apart ? [] : [{ barrier: slot(b, i32(i)), when: i1(true) }]
            const scores = (i: 0 | 1, n: number): B.Build<void> =>
              B.block(function* () {
                yield* B.run(`S${String(i)}`, {
                  _tag: 'tcgen05.mma',
                  accumulator: halves[i]!.s,
                  a: slot(q, i32(i)),
                  b: transposeView(tile(2 * n), [1, 0]),
                  accumulate: i1(false),
                  ctaGroup: 1,
                  completions: completion(sFull, i),
                })
                if (p.apart) yield* commits(`commit S${String(i)}`, sFull, i)
              })
            const output = (i: 0 | 1, n: number): B.Build<void> =>
              B.block(function* () {
                if (n > 0 || i === 1) yield* waits(`acquire O${String(i)}`, oEmpty, i, n - 1)
                yield* waits(`acquire P${String(i)}`, sEmpty, i, n)
                yield* B.run(`O${String(i)}`, {
                  _tag: 'tcgen05.mma',
                  accumulator: outs[i]!,
                  a: halves[i]!.p,
                  b: tile(2 * n + 1),
                  accumulate: i1(n > 0),
                  ctaGroup: 1,
                  completions: completion(oFull, i),
                })
                if (p.apart) yield* commits(`commit O${String(i)}`, oFull, i)
              })
            const has = (c: number): B.Build<void> => waits('wait tile', full, c % S, Math.floor(c / S))
            const gives = (c: number): B.Build<void> => commits('release tile', empty, c % S)
            yield* has(0)
            yield* scores(0, 0)
            yield* waits('wait q1', q1, 0, 0)
            yield* scores(1, 0)
            yield* gives(0)
            yield* has(1)
            yield* output(0, 0)
            for (let n = 1; n < N; n++) {
              yield* has(2 * n)
              yield* scores(0, n)
              yield* output(1, n - 1)
              yield* gives(2 * n - 1)
              yield* scores(1, n)
              yield* gives(2 * n)
              yield* has(2 * n + 1)
              yield* output(0, n)
            }
            yield* output(1, N - 1)
          })

        const load_ = (
          label: string,
          agent: string,
          source: View<'tmem', 'f32', 2>,
          columns: number,
        ): B.Build<void> =>
          B.block(function* () {
            if (!p.touches) return
            const into = yield* B.registers(`${agent} ${label}`, agent, 'f32', [128, columns])
            yield* B.run(label, { _tag: 'tcgen05.ld', source, destination: into })
            yield* B.run(`${label}.wait`, { _tag: 'tcgen05.waitLd' })
          })
        const store = (
          label: string,
          destination: View<'tmem', 'f32' | 'f16', 2>,
          dtype: 'f32' | 'f16',
          columns: number,
        ): B.Build<void> =>
          B.block(function* () {
            if (!p.touches) return
            yield* B.run(label, {
              _tag: 'tcgen05.st',
              destination,
              value: splat(float(dtype, 0), [128, columns]),
            })
            yield* B.run(`${label}.wait`, { _tag: 'tcgen05.waitSt' })
          })

        const softmax = (i: 0 | 1): B.Build<void> =>
          B.block(function* () {
            const agent = `softmax${String(i)}`
            const h = halves[i]!
            for (let n = 0; n < N; n++) {
              yield* waits('wait S', sFull, i, n)
              yield* load_(`S ${String(n)}`, agent, h.s, rows)
              if (n > 0) {
                if (p.factorAcquire) yield* waits('acquire C', cEmpty, i, n - 2)
                yield* store(`C ${String(n)}`, h.c, 'f32', 1)
                yield* arrives('publish C', cFull, i)
              }
              yield* store(`P ${String(n)}`, h.p, 'f16', rows)
              yield* arrives('release S', sEmpty, i)
            }
            yield* waits('wait O', oFull, i, N - 1)
            yield* load_('O', agent, outs[i]!, span)
            yield* arrives('release O', oEmpty, i)
          })

        const correction = (): B.Build<void> =>
          B.block(function* () {
            for (let n = 1; n < N; n++)
              for (const i of [0, 1] as const) {
                yield* waits('wait C', cFull, i, n - 1)
                yield* load_(`C${String(i)} ${String(n)}`, 'correction', halves[i]!.c, 1)
                yield* arrives('release C', cEmpty, i)
                if (p.outputWait) yield* waits('wait O', oFull, i, n - 1)
                yield* load_(`O${String(i)} ${String(n)}`, 'correction', outs[i]!, span)
                yield* store(`O${String(i)} ${String(n)} rescaled`, outs[i]!, 'f32', span)
                yield* arrives('release O', oEmpty, i)
              }
          })

        yield* B.run('allocate', { _tag: 'tcgen05.alloc', columns: 256, ctaGroup: 1 })
        for (const [b, n] of [
          [full, S],
          [empty, S],
          [q1, 1],
          [sFull, 2],
          [sEmpty, 2],
          [cFull, 2],
          [cEmpty, 2],
          [oFull, 2],
          [oEmpty, 2],
        ] as const)
          for (let i = 0; i < n; i++)
            yield* B.run('init', { _tag: 'mbarrier.init', barrier: slot(b, i32(i)), count: 1 })
        yield* B.fork('roles', { agent: 'softmax0', captures: {}, body: () => softmax(0) }, [
          B.branch('softmax1', {}, () => softmax(1)),
          B.branch('correction', {}, () => correction()),
          B.branch('mma', {}, () => mma()),
          B.branch('load', {}, () => load()),
        ])
        yield* B.run('deallocate', { _tag: 'tcgen05.dealloc', columns: 256, ctaGroup: 1 })
      },
    ),
  )
