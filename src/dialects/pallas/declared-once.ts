/**
 * Storage that all threads of a block share, declared in the middle of their bodies.
 *
 * The body of a kernel is written once for each thread. What it allocates for all of them is declared by the first, and the others name the same.
 *
 *     thread 0     SMEM ring, Barrier full     declared
 *     thread 1     SMEM ring, Barrier full     the same views, nothing declared
 *
 * Laws
 * 1. Outside of threads, and in the first, it is the declaration.
 * 2. In every other thread it gives what the first one was given, and adds nothing.
 *
 * Names: the `collective_axes` of `pl.run_scoped` over the axis of the threads.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { block, build, type Build, type State } from '../../semantics/writing/builder.js'
import { amend } from '../../semantics/writing/builder/state.js'
import { initBarrier, type Barrier } from './barrier.js'
import { contextHere } from './context.js'
import { blockSync } from './kernel.js'

/** What the first thread declares, and the others name again. A declaration adds no statements. */
export const declaredOnce = <A>(declare: Build<A>): Build<A> =>
  build((state: State) =>
    pipe(
      contextHere.run(state),
      E.chain(([here]) =>
        (here.thread?.index ?? 0) === 0
          ? declare.run(state)
          : pipe(
              declare.run(amend(state, { storage: new Map() })),
              E.map(([a, { idle }]) => [a, amend(state, { idle })]),
            ),
      ),
    ),
  )

/** Where threads allocate, their barriers are initialised once, and the block meets: no thread may still be in an earlier scope. */
export const enterTogether = (label: string, barriers: ReadonlyArray<Barrier>): Build<void> =>
  block(function* () {
    const here = yield* contextHere
    if (here.thread === null) return
    if (here.thread.index === 0) for (const b of barriers) yield* initBarrier(b)
    if (here.numThreads > 1) yield* blockSync(`${label}.enter`, here.numThreads)
  })
