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
 * | `firm`               | the same by the manual's word alone: over no relaxed arrive, wait or cluster barrier         |
 * | `generic`            | an ordinary access finds what it wrote                                                     |
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
  'order',
  'firm',
  'generic',
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

export type Arrow =
  | { readonly _tag: 'enters'; readonly fact: number; readonly at: number; readonly view: View }
  | {
      readonly _tag: 'flows'
      readonly from: number
      readonly of: View
      readonly to: number
      readonly into: View
    }

export const enters = (fact: number, at: number, ...into: ReadonlyArray<View>): ReadonlyArray<Arrow> =>
  into.map((view) => ({ _tag: 'enters', fact, at, view }))

export const flows = (from: number, of: View, to: number, into: View): Arrow => ({
  _tag: 'flows',
  from,
  of,
  to,
  into,
})

export const same = (from: number, to: number, ...kept: ReadonlyArray<View>): ReadonlyArray<Arrow> =>
  kept.map((view) => flows(from, view, to, view))

/** The views in which ordinary memory is seen: they travel together. */
export const ordinary = ['generic', 'shared', 'global', 'registers', 'released', 'mapped', 'inits'] as const

// ---------------------------------------------------------------- the equation

/** Whether a fact is in a view of an event. */
export type Knows = (at: number, view: View, fact: number) => boolean

export const solve = (events: number, arrows: ReadonlyArray<Arrow>): Knows => {
  const width = views.length
  const place = (at: number, view: View): number => at * width + views.indexOf(view)
  const facts: bigint[] = Array.from({ length: events * width }, () => 0n)
  const into: Array<number[] | undefined> = facts.map(() => undefined)
  for (const a of arrows)
    if (a._tag === 'enters') facts[place(a.at, a.view)]! |= 1n << BigInt(a.fact)
    else (into[place(a.to, a.into)] ??= []).push(place(a.from, a.of))
  for (let p = 0; p < facts.length; p++) for (const q of into[p] ?? []) facts[p]! |= facts[q]!
  return (at, view, fact) => ((facts[place(at, view)]! >> BigInt(fact)) & 1n) === 1n
}
