/**
 * The barriers that Pallas puts in by itself: before every store and every copy, and around every warp map.
 *
 * A thread is four warps that need not run in step. So before a thread stores or copies, its warps meet: what any of them did before is done
 * before what follows. It is a `bar.sync` of the warpgroup's own named barrier, 128 threads, under the condition of the statement it stands before.
 *
 *     out_smem[...] = acc                   bar.sync 1, 128    smem.store
 *     copy_gmem_to_smem(a, a_smem, ...)     bar.sync 1, 128    mbarrier.arriveExpectTx    tma.load
 *
 * What such a barrier can change here, and what it cannot:
 *
 * | the thread is one agent       | it meets itself: nothing, program order says it already. Races between the lanes of one agent are outside |
 * | the thread is its four warps  | a warp that runs ahead is held: without it the verdict differs (`warps: 'agents'` in `kernel.ts`)         |
 * | a fork into warps             | nothing: the fork starts them and joins them, and both order                                              |
 *
 * Where only one warp of a thread goes (a branch on the warp), none is put in: the others would not come.
 *
 * Off with `unsafeNoAutoBarriers`, as in Pallas.
 *
 * Laws
 * 1. Taking the `.sync` statements out again gives what was put in, statement for statement.
 * 2. Every store and every copy has its barrier right before it, once.
 *
 * Names: the `auto_barriers` of the lowering, `plgpu.CompilerParams(unsafe_no_auto_barriers)`.
 *
 * Source: JAX docs, Pallas:MGPU reference; Mosaic GPU's lowering.
 */
import { eq, i32, mod, place, type Condition, type ExprNode } from '../../semantics/language/expression.js'
import type { Instruction } from '../../semantics/language/instruction.js'
import { mapRegions, type Stmt } from '../../semantics/language/program.js'

/** The named barrier of thread `index`; 0 belongs to the block. */
export const warpgroupBarrierId = (index: number): number => 1 + index

const stores = (i: Instruction): boolean => {
  switch (i._tag) {
    case 'smem.store':
    case 'gmem.store':
    case 'gmem.storePtr':
    case 'tma.store':
    case 'tma.scatter':
    case 'tma.reduce':
      return true
    default:
      return false
  }
}
const loads = (s: Stmt | undefined): boolean =>
  s?._tag === 'Do' &&
  (s.instruction._tag === 'tma.load' ||
    s.instruction._tag === 'tma.gather' ||
    s.instruction._tag === 'stAsync.store' ||
    s.instruction._tag === 'stAsync.reduce')
const expects = (s: Stmt | undefined): boolean =>
  s?._tag === 'Do' && s.instruction._tag === 'mbarrier.arriveExpectTx'

/** A store or a copy begins with statement `i`. */
const begins = (body: ReadonlyArray<Stmt>, i: number): boolean => {
  const s = body[i]!
  // what a thread does once has its barrier already
  if (s._tag !== 'Do' || (s.when !== undefined && asksForWarp(s.when))) return false
  if (loads(s)) return !expects(body[i - 1])
  return stores(s.instruction) || (expects(s) && loads(body[i + 1]))
}

/** Under the condition of `s`; under none if the copy behind it has another (a predicate, a leader): all warps of the thread come by. */
const barrierBefore = (s: Stmt & { readonly _tag: 'Do' }, next: Stmt | undefined, id: number): Stmt => {
  const made: Stmt = {
    _tag: 'Do',
    results: [],
    instruction: { _tag: 'bar.sync', id, count: 128 },
    site: { ...s.site, label: `${s.site.label.replace(/\.expect$/, '')}.sync` },
  }
  const other = expects(s) && loads(next) && next?._tag === 'Do' && next.when !== s.when
  return s.when === undefined || other ? made : { ...made, when: s.when }
}

/** `warp = w`: only one warp runs the following statements, so the others would not reach a barrier. */
export const isWarp = (w: number): Condition => eq(mod(place('agent'), i32(4)), i32(w))
const asksForWarp = (e: ExprNode): boolean =>
  e._tag === 'binary'
    ? e.op === 'and' && (asksForWarp(e.x) || asksForWarp(e.y))
    : e._tag === 'compare' && e.x._tag === 'binary' && e.x.op === 'mod' && e.x.x._tag === 'place'

const inside = (s: Stmt, id: number): Stmt =>
  // inside a warp map the warps go their own ways
  s._tag === 'Fork' || (s._tag === 'If' && asksForWarp(s.cond))
    ? s
    : mapRegions(s, (r) => ({ ...r, body: autoBarriers(id, r.body) }))

/** The statements of a thread, with barrier `id` before every store and copy. */
export const autoBarriers = (id: number, body: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> =>
  body.flatMap((s, i) =>
    s._tag === 'Do' && begins(body, i) ? [barrierBefore(s, body[i + 1], id), s] : [inside(s, id)],
  )
