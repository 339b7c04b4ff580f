/**
 * What control never comes to, by the flow of data: a compiler folds a condition and leaves what stood behind it.
 *
 *     mov.pred %p1, 0;
 *     @!%p1 bra skip;                                                               always taken
 *     again:  mbarrier.try_wait.parity.shared.b64 done, [bar], 1;                   never done, so that nothing depends on what it says
 *             @!done bra again;
 *     skip:
 *
 * Law 1. An instruction that some run does is not among them.
 */
import { remembered } from '../../../remembered.js'
import type { Code } from '../opcodes/resolve.js'
import { graphOf } from './graph.js'
import { plain } from './plain.js'

/** The numbers of instructions that no way through a function comes to. */
export const unreached: (code: Code) => ReadonlySet<number> = remembered((code) => {
  const { blocks } = graphOf(plain(code))
  const seen = new Set<number>()
  const stack = blocks.length === 0 ? [] : [0]
  while (stack.length > 0) {
    const b = stack.pop()!
    if (seen.has(b) || blocks[b] === undefined) continue
    seen.add(b)
    for (const next of blocks[b].successors) stack.push(next)
  }
  return new Set(
    blocks.flatMap(({ first, end }, b) =>
      seen.has(b) ? [] : Array.from({ length: end - first }, (_, k) => first + k),
    ),
  )
})
