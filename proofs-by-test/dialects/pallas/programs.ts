/** Small Pallas programs and their verdicts, for the proofs of this folder. */
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { unit, type Algebra } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  check,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../src/semantics/verdict/check.js'
import {
  add,
  i32,
  mod,
  mul,
  place,
  slice,
  type Int,
  type Tile,
} from '../../../src/semantics/language/expression.js'
import type { Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'

export const checked = (
  p: Program,
  o: Partial<CheckOptions> = {},
  algebra: Algebra = unit,
  tensors: ReadonlyMap<string, Float64Array> = new Map(),
): Checked =>
  right(
    check(p, {
      ...standardOptions,
      algebra,
      arguments: { scalars: new Map(), tensors },
      strict: true,
      fuel: 1e6,
      ...o,
    }),
  )

/** Every statement, in the order of the listing. */
export const statementsOf = (r: Region): ReadonlyArray<Stmt> =>
  r.body.flatMap((s): ReadonlyArray<Stmt> => {
    switch (s._tag) {
      case 'Let':
      case 'Do':
        return [s]
      case 'For':
        return [s, ...statementsOf(s.body)]
      case 'While':
        return [s, ...statementsOf(s.before), ...statementsOf(s.after)]
      case 'If':
        return [s, ...statementsOf(s.then), ...statementsOf(s.else)]
      case 'Fork':
        return [s, ...s.branches.flatMap((b) => statementsOf(b.body))]
    }
  })

/** Labels of the instructions, in order. */
export const labels = (p: Program): ReadonlyArray<string> =>
  statementsOf(p.entry).flatMap((s) => (s._tag === 'Do' ? [s.site.label] : []))

const whole = [64, 64] as const
const quarter = [16, 64] as const
const origin: ReadonlyArray<Int> = [i32(0), i32(0)]

/** What the warps of a thread do with a 64 x 64 buffer. */
export type Story =
  /** warp 0 waits for a copy in a warp map; then every warp reads its rows */
  | 'fetch, then read'
  /** every warp stores its rows; then warp 0 copies the whole in a warp map */
  | 'store, then copy'
  /** every warp reads the rows of its neighbour; then it stores its own */
  | 'read, then store'

/** A thread that is its four warps, and the automatic barriers or none. */
export const fourWarps = (story: Story, unsafeNoAutoBarriers: boolean): Program =>
  right(
    B.kernel({ name: story, arch: 'sm90a', agents: Pallas.threadAgents('t', 0, 'its warps') }, function* () {
      const x = yield* B.tensorParam('x', 'f16', whole, { role: 'in' })
      const out = yield* B.tensorParam('out', 'f16', whole, { role: 'out' })
      const buf = yield* B.sharedMemory('buf', 'f16', whole)
      const full = yield* Pallas.Barrier('full', { numBarriers: 1 })
      const body = function* (thread: Pallas.Thread): Generator<B.Step, void, B.State> {
        const rowsOf = (w: Int): ReadonlyArray<Int> => [mul(mod(w, i32(4)), i32(16)), i32(0)]
        const mine = rowsOf(place('agent'))
        const fetch = (): B.Build<unknown> =>
          Pallas.warpMap('fetch', thread, {}, function* (w) {
            if (w !== 0) return
            yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, origin, whole), buf, full, i32(0))
            yield* Pallas.barrierWait('wait full', full, i32(0), Pallas.freshParities)
          })
        const write = (value: Tile<'f16', 2>): B.Build<void> =>
          B.run('write', { _tag: 'gmem.store', destination: slice(out.view, mine, quarter), value })
        switch (story) {
          case 'fetch, then read':
            yield* fetch()
            yield* write(yield* B.smemLoad('v', slice(buf, mine, quarter)))
            return
          case 'read, then store': {
            yield* fetch()
            const v = yield* B.smemLoad('v', slice(buf, rowsOf(add(place('agent'), i32(1))), quarter))
            yield* B.run('swap', { _tag: 'smem.store', destination: slice(buf, mine, quarter), value: v })
            yield* write(yield* B.smemLoad('again', slice(buf, mine, quarter)))
            return
          }
          case 'store, then copy': {
            const v = yield* B.gmemLoad('v', slice(x.view, mine, quarter))
            yield* B.run('store', { _tag: 'smem.store', destination: slice(buf, mine, quarter), value: v })
            // the fence alone: `commit_smem` has a barrier of its own
            yield* B.run('commit_smem', { _tag: 'fence.proxyAsync', scope: 'cta' })
            yield* Pallas.warpMap('copy', thread, {}, function* (w) {
              if (w !== 0) return
              yield* Pallas.copySmemToGmem('copy out', buf, Pallas.at(out, origin, whole))
              yield* Pallas.waitSmemToGmem('wait out', 0)
            })
          }
        }
      }
      yield* Pallas.threads(story === 'store, then copy' ? [] : [full], [{ name: 't', body }], {
        warps: 'agents',
        unsafeNoAutoBarriers,
      })
    }),
  )
