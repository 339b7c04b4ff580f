/**
 * Blocks: what jumps forward is told as conditions. A return in the middle of a function leaves such blocks behind.
 *
 *     cf.cond_br %early, ^bb1, ^bb2          if early { } else { ...the rest... }
 *   ^bb1: tt.return
 *   ^bb2: ...
 *
 * Both sides of a jump come together in the first block that all ways from there lead through, its end where they all return; what they hand on are the
 * parameters of that block, or the results of the function.
 *
 * Law 1. Blocks that jump backwards are refused.
 */
import { block as steps, of, type Build, type Steps } from '../../../semantics/writing/builder.js'
import type { Expr } from '../../../semantics/language/expression.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { inner, labelOf, refusedAt, valueOf, type Here } from './here.js'
import { named, untyped, type Named } from './regions.js'
import type { Block, Operation, Region, Successor } from '../text/syntax.js'
import { own } from '../../../own.js'

const lastOf = (block: Block): Operation | undefined => block.operations[block.operations.length - 1]

/** The blocks of a region by label; the first is there without one. */
type Blocks = ReadonlyMap<string | null, Block>
const blocksOf = (region: Region): Blocks => new Map(region.blocks.map((block) => [block.label, block]))

/** The labels of the blocks that all ways from a block to the end lead through, nearest first; null where a way leads back. */
const ahead = (
  blocks: Blocks,
  from: Block,
  on: ReadonlySet<Block> = new Set(),
): ReadonlyArray<string | null> | null => {
  if (on.has(from)) return null
  const behind = new Set([...on, from])
  const ways: ReadonlyArray<string | null>[] = []
  for (const { block } of lastOf(from)?.successors ?? []) {
    const next = blocks.get(block)
    const way = next === undefined ? null : ahead(blocks, next, behind)
    if (way === null) return null
    ways.push([block, ...way])
  }
  const [first = [], ...others] = ways
  return first.filter((label) => others.every((way) => way.includes(label)))
}

/** How many values are handed on at the end. */
const returnedBy = (blocks: Blocks): number => {
  const ends = [...blocks.values()].flatMap((block) => {
    const last = lastOf(block)
    return last === undefined || last.successors.length > 0 ? [] : [last]
  })
  return ends[0]?.operands['values']?.length ?? 0
}

/** An operation that is not the last of its block; and the values that a last one hands on. */
interface Running {
  readonly one: (h: Here, op: Operation) => Build<void>
  readonly handsOn: (h: Here, op: Operation) => Steps<ReadonlyArray<Expr>>
}

const valuesOf = (h: Here, op: Operation, of: Successor): Build<ReadonlyArray<Expr>> =>
  steps(function* () {
    const found: Expr[] = []
    for (const value of of.values) found.push(yield* valueOf(h, op, value))
    return found
  })

/** What a block is handed is known in it. */
const given = (h: Here, by: Operation, to: Block, values: ReadonlyArray<Expr>): Build<void> =>
  steps(function* () {
    if (values.length !== to.parameters.length)
      return yield* refusedAt(
        by,
        `${String(to.parameters.length)} values for ^${to.label ?? ''}`,
        String(values.length),
      )
    to.parameters.forEach((p, k) => h.values.set(p.name, [values[k]!]))
    return yield* of(undefined)
  })

/** From a block on, to the block `until` or to the end: what is handed on there. */
export const runBlocks = ({ one, handsOn }: Running) => {
  const from = function* (
    h: Here,
    blocks: Blocks,
    block: Block,
    until: string | null,
  ): Steps<ReadonlyArray<Expr>> {
    const last = lastOf(block)
    if (last === undefined) return []
    for (const op of block.operations.slice(0, -1)) yield* one(h, op)
    const enter = function* (here: Here, of: Successor): Steps<ReadonlyArray<Expr>> {
      const values = yield* valuesOf(here, last, of)
      if (of.block === until) return values
      return yield* arrive(here, of.block, values)
    }
    const arrive = function* (
      here: Here,
      label: string,
      values: ReadonlyArray<Expr>,
    ): Steps<ReadonlyArray<Expr>> {
      const next = blocks.get(label)
      if (next === undefined) return yield* refusedAt(last, `a block ^${label}`, 'none')
      const inside = inner(here)
      yield* given(inside, last, next, values)
      return yield* from(inside, blocks, next, until)
    }
    if (last.name === 'cf.br') return yield* enter(h, last.successors[0]!)
    if (last.name !== 'cf.cond_br') return yield* handsOn(h, last)
    const ways = ahead(blocks, block)
    if (ways === null) return yield* refusedAt(last, 'blocks that jump forward', 'a jump back')
    const [yes, no] = last.successors
    const meeting = ways[0] ?? null
    const goal = meeting ?? until
    const handed = goal === null ? returnedBy(blocks) : (blocks.get(goal)?.parameters.length ?? 0)
    const label = labelOf(h, last)
    const names = Array.from({ length: handed }, (_, k) => `${label}.${String(k)}`)
    const test = checked<never, Expr>(yield* valueOf(h, last, last.operands['condition']![0]!))
    const side = (of: Successor | undefined) =>
      function* (): Steps<never> {
        const here = inner(h)
        const values = yield* valuesOf(here, last, of!)
        if (of!.block === goal) return untyped(named(names, values))
        const next = blocks.get(of!.block)
        if (next === undefined) return yield* refusedAt(last, `a block ^${of!.block}`, 'none')
        yield* given(here, last, next, values)
        return untyped(named(names, yield* from(here, blocks, next, goal)))
      }
    const met = checked<Named, unknown>(yield* T.scfIf(label, test, side(yes), side(no)))
    const values = names.map((name) => own(met, name)!)
    return meeting === null || meeting === until ? values : yield* arrive(h, meeting, values)
  }
  return (h: Here, region: Region): Steps<ReadonlyArray<Expr>> =>
    from(h, blocksOf(region), region.blocks[0]!, null)
}
