/**
 * Views: what is known where.
 *
 * A *fact* is that something has happened: an event of an agent, an access of an operation, the completion of a phase. A *view* of an event is a set of facts.
 * Order is one view (`order`: what has happened before), and each way of seeing memory is another. A clause of the memory model is a set of
 * *arrows*: it lets a fact enter a view of an event, or lets a view of one event flow into a view of another. Then
 *
 *     known(e, v)  =  the facts that enter (e, v)  and  known(e', v') for every arrow (e', v') -> (e, v)
 *
 * and that is the whole of the machinery. Every arrow goes forward in the log, so the recursion ends.
 *
 *     T0: write x #1 ; arrive b #2        T1: wait b #3 ; read x #4           1 enters (1, order), (1, generic)
 *     program: 1 -> 2, 3 -> 4             arrive: 2 -> 3                      1 is in known(4, order) and in known(4, generic)
 *
 * | view                 | a fact is in it                                                                            |
 * |----------------------|--------------------------------------------------------------------------------------------|
 * | `before`             | as in `order`, without what the event itself tells its agent (a wait, before it passes)      |
 * | `order`              | it has happened before                                                                     |
 * | `firm`, `firmBefore` | the same by the manual's word alone: over no relaxed arrive, wait or cluster barrier         |
 * | `generic`            | an ordinary access finds what it wrote                                                     |
 * | `found`              | the same, without what the event itself tells its agent: what a semaphore wait reads         |
 * | `shown`              | fences in one order have shown it: it is over for the reads of this agent                  |
 * | `shared`, `global`   | an asynchronous unit finds it: fenced for shared, for global memory                         |
 * | `registers`          | a wgmma finds it                                                                           |
 * | `released`, `mapped` | the reader of tensor maps: released to it; acquired by it                                   |
 * | `announced`, `inits` | initialisations of barriers: fenced by the agent itself; told to another CTA                 |
 * | `tensor`             | a tensor-memory access finds it                                                            |
 * | `published`, `received` | on its way to another agent's `tensor`: behind before_thread_sync; not yet taken over      |
 *
 * Names: relations and their closures in herd's cat files; "what a thread has seen" in view-based models (Kang et al. 2017).
 *
 * Law 1. `known` is the least solution of its equation.
 */

// ---------------------------------------------------------------- model

/** Within one event views flow only forward in this list. */
export const views = [
  'before',
  'firmBefore',
  'found',
  'order',
  'firm',
  'generic',
  'shown',
  'shared',
  'global',
  'registers',
  'released',
  'mapped',
  'announced',
  'inits',
  'received',
  'tensor',
  'published',
] as const
export type View = (typeof views)[number]

/** Of one event into another: which views flow, each into which. */
export type Flow = ReadonlyArray<readonly [of: View, into: View]>
export type Arrow =
  | {
      readonly _tag: 'enters'
      readonly fact: number
      readonly at: number
      readonly into: ReadonlyArray<View>
    }
  | { readonly _tag: 'flows'; readonly from: number; readonly to: number; readonly by: Flow }

export const enters = (fact: number, at: number, into: ReadonlyArray<View>): Arrow => ({
  _tag: 'enters',
  fact,
  at,
  into,
})
export const flows = (from: number, to: number, by: Flow): Arrow => ({ _tag: 'flows', from, to, by })
/** Each view into the same view. */
export const same = (...kept: ReadonlyArray<View>): Flow => kept.map((view) => [view, view])

/** The views in which ordinary memory is seen: they travel together. */
export const ordinary = ['generic', 'shared', 'global', 'registers', 'released', 'mapped', 'inits'] as const

// ---------------------------------------------------------------- the equation

/** Whether a fact is in a view of an event. */
export type Knows = (at: number, view: View, fact: number) => boolean

/** The facts in a view of an event, a bit each. */
export type Known = (at: number, view: View) => bigint

export const solution = (events: number, arrows: ReadonlyArray<Arrow>): Known => {
  const place = (at: number, view: View): number => at * views.length + views.indexOf(view)
  const known: bigint[] = Array.from({ length: events * views.length }, () => 0n)
  const sources: Array<number[] | undefined> = known.map(() => undefined)
  for (const a of arrows)
    if (a._tag === 'enters') for (const view of a.into) known[place(a.at, view)]! |= 1n << BigInt(a.fact)
    else for (const [of, into] of a.by) (sources[place(a.to, into)] ??= []).push(place(a.from, of))
  for (let p = 0; p < known.length; p++) for (const q of sources[p] ?? []) known[p]! |= known[q]!
  return (at, view) => known[place(at, view)]!
}

export const solve = (events: number, arrows: ReadonlyArray<Arrow>): Knows => {
  const known = solution(events, arrows)
  return (at, view, fact) => ((known(at, view) >> BigInt(fact)) & 1n) === 1n
}
