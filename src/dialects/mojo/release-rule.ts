/**
 * The rule of a release: "must call producer_commit on the tmem resource before calling consumer_release".
 *
 * The warp that multiplies is a consumer of the ring and a producer of tensor memory. Its products are asynchronous, and a commit to the barrier of
 * the accumulator (`producer_commit`) is what tells anybody that they are done. The rule asks that a slot is given back only when every product that was
 * issued before has such a commit:
 *
 *     wait K0   S0 <- Q0 K0'   producer_commit S0   release K0        as it should be
 *     wait K0   S0 <- Q0 K0'   release K0   producer_commit S0        refused: the product of S0 is not committed
 *
 * | the warp                                  | by the rule | what comes of it                                                     |
 * |-------------------------------------------|-------------|----------------------------------------------------------------------|
 * | commits, then releases by a commit        | accepted    | ok                                                                   |
 * | releases by a commit, then commits        | refused     | ok by luck: a commit covers all that its thread issued before        |
 * | never commits                             | refused     | B6: the agent that waits for the accumulator waits for ever          |
 * | releases by an arrive, then commits       | refused     | W2: the slot is overwritten under the product                        |
 * | commits, then releases by an arrive       | accepted    | W2 all the same: a commit orders nothing that its own thread does next |
 *
 * So the rule is the library's and is asked of a program as it is written; whether a slot is really free is the detector's to say, and it does in each
 * of these. A program is read in its order, a loop twice; of a branch both sides.
 *
 * Laws
 * 1. A program is accepted exactly if in each agent's order, loops unrolled, no release of the ring follows a product without a commit to a barrier
 *    outside of the ring between them, and no product has completions of its own that say so.
 *
 * Names: Mojo `release_k`, `release_v`, `producer_commit`, `consumer_release`. Source: Mojo docs, KVConsumerPipeline.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Barrier, Expr, ExprNode } from '../../semantics/language/expression.js'
import type { Do, Program, Region, Stmt } from '../../semantics/language/program.js'
import * as B from '../../semantics/writing/builder.js'

// ---------------------------------------------------------------- the operation

/** `producer_commit` of a resource in tensor memory: the barrier is signalled when the products that were
 * issued before are done. */
export const producerCommit = (label: string, barrier: Barrier<'ptx', true>): B.Build<void> =>
  B.run(label, { _tag: 'tcgen05.commit', barrier, ctaGroup: 1 })

// ---------------------------------------------------------------- the rule

export type ReleaseError = 'mojo.release.before-producer-commit'

/** What an agent has issued that no commit covers: the place of the first such product. */
interface Walk {
  readonly open: string | null
  /** the first release that breaks the rule, in words */
  readonly broken: string | null
}

/** Names that stand for barriers. */
type Names = ReadonlyMap<string, Expr>

/** The storage that a barrier is of. */
const storageOf = (names: Names, e: ExprNode): string | null => {
  if (e._tag === 'storage') return e.storage
  if (e._tag === 'slot') return storageOf(names, e.of)
  if (e._tag !== 'name') return null
  const stands = names.get(e.name)
  return stands === undefined ? null : storageOf(names, stands)
}

const placeOf = ({ path, label }: Stmt['site']): string => [...path, label].join(' / ')

const stepped =
  (rings: ReadonlyArray<string>, names: Names) =>
  (w: Walk, { instruction: i, site }: Do): Walk => {
    if (w.broken !== null) return w
    if (i._tag === 'tcgen05.mma')
      return { open: i.completions.length > 0 ? null : (w.open ?? placeOf(site)), broken: null }
    if (i._tag !== 'tcgen05.commit' && i._tag !== 'mbarrier.arrive') return w
    const of = storageOf(names, i.barrier)
    if (of !== null && rings.includes(of))
      return w.open === null
        ? w
        : {
            open: w.open,
            broken: `${placeOf(site)}: the product ${w.open} has no producer_commit yet: commit it to its resource in tensor memory first`,
          }
    return i._tag === 'tcgen05.commit' ? { open: null, broken: null } : w
  }

/** Statements in their order. A name is looked up as the statement before it has left it. */
const walked =
  (rings: ReadonlyArray<string>) =>
  (start: Walk, given: Names, body: ReadonlyArray<Stmt>): Walk => {
    let [w, names] = [start, given]
    const again = walked(rings)
    const twice = (regions: ReadonlyArray<Region>): Walk =>
      [...regions, ...regions].reduce((at, r) => again(at, names, r.body), w)
    for (const s of body)
      switch (s._tag) {
        case 'Let':
          names = new Map([...names, [s.binder.name, s.expr]])
          break
        case 'Do':
          w = stepped(rings, names)(w, s)
          break
        case 'For':
          w = twice([s.body])
          break
        case 'While':
          w = twice([s.before, s.after])
          break
        case 'If': {
          const [then, otherwise] = [again(w, names, s.then.body), again(w, names, s.else.body)]
          w = { open: then.open ?? otherwise.open, broken: then.broken ?? otherwise.broken }
          break
        }
        case 'Fork': {
          // each branch is an agent of its own: nothing of one is another's to commit
          const ends = s.branches.map((b) =>
            again(
              { open: null, broken: w.broken },
              new Map([...names, ...b.captures.map((c) => [c.binder.name, c.value] as const)]),
              b.body.body,
            ),
          )
          w = { open: w.open, broken: ends.find((e) => e.broken !== null)?.broken ?? w.broken }
          break
        }
      }
    return w
  }

/** The program, if each release of these rings follows the `producer_commit` of all products before it. */
export const releasedAfterCommit =
  (rings: ReadonlyArray<string>) =>
  (program: Program): E.Either<Failure<ReleaseError>, Program> => {
    const { broken } = walked(rings)({ open: null, broken: null }, new Map(), program.entry.body)
    return broken === null ? E.right(program) : refuse('mojo.release.before-producer-commit', broken)
  }
