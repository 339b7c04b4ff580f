/**
 * Partings: branches at which threads of a block can go different ways, and what each way holds.
 *
 * A block barrier waits for all threads of the block, so it can stand only where all of them come by. A fix that names two statements has to say which branches it must
 * stay out of: an author sees an `if`, and a compiler has made a guard or a branch of it.
 *
 *     setp p, %tid.x, 0     the threads differ in p
 *     @p bra over           a parting
 *     st.shared [a], r      on one of its ways
 *     over: ld.shared       all threads come by again
 *
 * Threads differ in what comes from their number, from their lane, from an atomic operation or from an exchange of lanes; in what is loaded from an address in which they differ; in what is
 * computed from any of it; and in what only some of them write. A block, its grid and the parameters are the same for all.
 *
 * Laws
 * 1. A statement is on a way of a branch just where some way out of the branch comes by it and another one does not (Ferrante, Ottenstein and Warren: control dependence).
 * 2. Where no register differs there is no parting.
 */
import * as E from 'fp-ts/lib/Either.js'
import { remembered } from '../../../remembered.js'
import type { Meeting } from '../../../semantics/judging/fix.js'
import { readLines, sourceOf, sources } from '../elaboration/sources.js'
import { codeOf, type Code, type Resolved, type Value } from '../opcodes/resolve.js'
import type { Module } from '../text/module.js'
import type { Position } from '../text/position.js'
import { graphOf } from './graph.js'

// ---------------------------------------------------------------- model

/** A way of a parting that a statement is on: the branch, and the block that the way begins with; -1: the statement's own guard. */
export interface Way {
  readonly branch: number
  readonly to: number
}

// ---------------------------------------------------------------- what threads differ in

/** The same for all threads of a block. */
const shared =
  /^%(n?ctaid|ntid|nwarpid|gridid|n?smid|n?clusterid|cluster_.*|is_explicit_cluster|total_smem_size|dynamic_smem_size|aggr_smem_size|envreg\d+)(\.|$)/u

const specialsIn = (v: Value): ReadonlyArray<string> => {
  switch (v._tag) {
    case 'special':
      return [v.name]
    case 'vector':
    case 'list':
      return v.items.flatMap(specialsIn)
    case 'address':
      return v.coordinates.flatMap(specialsIn)
    case 'register':
    case 'immediate':
    case 'symbol':
    case 'sink':
    case 'predicate':
    case 'label':
    case 'targets':
    case 'prototype':
      return []
  }
}

const familyOf = ({ form: { base } }: Resolved): string => base.split('.')[0] ?? base

/** Families whose result is another one for each thread, or each lane, whatever they read; and those whose result is one for all that take part. */
const eachAnswers = new Set(['atom', 'shfl', 'elect', 'match', 'activemask'])
const allAnswer = new Set(['bar', 'barrier'])

interface Ways {
  readonly differing: ReadonlySet<number>
  /** of each block the ways that it is on, the nearest first */
  readonly ways: ReadonlyArray<ReadonlyArray<Way>>
}

const isParting = (i: Resolved | undefined, differing: ReadonlySet<number>): boolean =>
  i !== undefined &&
  ((i.guard !== null && differing.has(i.guard.register.index)) ||
    (familyOf(i) === 'brx' && i.reads.some(({ index }) => differing.has(index))))

/** The ways that blocks are on: directly, and by the branches that these are on. */
const waysBy = (code: Code, differing: ReadonlySet<number>): ReadonlyArray<ReadonlyArray<Way>> => {
  const { blocks, postDominators } = graphOf(code)
  const own: Way[][] = blocks.map(() => [])
  blocks.forEach(({ end, successors }, b) => {
    if (successors.length < 2 || !isParting(code.instructions[end - 1], differing)) return
    for (const to of successors)
      for (
        let n = to, seen = new Set<number>();
        n !== postDominators[b] && n < blocks.length && !seen.has(n);
        n = postDominators[n]!
      ) {
        seen.add(n)
        own[n]!.push({ branch: end - 1, to })
      }
  })
  const { blockOf } = graphOf(code)
  return own.map((mine) => {
    const all = [...mine]
    const known = new Set(mine.map(({ branch, to }) => `${String(branch)} ${String(to)}`))
    for (const { branch } of all)
      for (const outer of own[blockOf[branch]!] ?? []) {
        const key = `${String(outer.branch)} ${String(outer.to)}`
        if (known.has(key)) continue
        known.add(key)
        all.push(outer)
      }
    return all
  })
}

/** What is computed from what differs differs; so does what is written on a way of a parting. */
const waysIn: (code: Code) => Ways = remembered((code) => {
  const { blockOf } = graphOf(code)
  const differing = new Set<number>()
  let ways: Ways['ways'] = []
  for (let size = -1; size !== differing.size;) {
    size = differing.size
    ways = waysBy(code, differing)
    code.instructions.forEach((i, k) => {
      if (i.writes.every(({ index }) => differing.has(index)) || allAnswer.has(familyOf(i))) return
      const differs =
        eachAnswers.has(familyOf(i)) ||
        i.reads.some(({ index }) => differing.has(index)) ||
        Object.values(i.operands)
          .flatMap(specialsIn)
          .some((name) => !shared.test(name)) ||
        (ways[blockOf[k]!]?.length ?? 0) > 0
      if (differs) for (const { index } of i.writes) differing.add(index)
    })
  }
  return { differing, ways }
})

// ---------------------------------------------------------------- where a barrier can stand

/** The ways that an instruction is on, the nearest first; its own guard is one. */
const waysOf = (code: Code, k: number): ReadonlyArray<Way> => {
  const { differing, ways } = waysIn(code)
  const own = code.instructions[k]
  const around = ways[graphOf(code).blockOf[k]!] ?? []
  return own !== undefined && own.guard !== null && isParting(own, differing)
    ? [{ branch: k, to: -1 }, ...around]
    : around
}

const isOf =
  ({ branch, to }: Way) =>
  (w: Way): boolean =>
    w.branch === branch && w.to === to

/** Does a loop come from the one to the other, so that what ends its body is between them? */
const isInOneLoop = (code: Code, x: number, y: number): boolean => {
  const { blockOf, loops } = graphOf(code)
  return loops.some(({ body }) => body.has(blockOf[x]!) && body.has(blockOf[y]!))
}

/** Where a barrier between two instructions of a function meets all threads of the block; branches by their numbers. */
export const meetingOf = (code: Code, x: number, y: number): Meeting<number> => {
  const [first, second] = [waysOf(code, x), waysOf(code, y)]
  const common = first.filter((w) => second.some(isOf(w)))
  // who is outside the outermost of the ways of one alone is outside all of them
  const outside = [first, second]
    .flatMap((ways) => ways.filter((w) => !common.some(isOf(w))).slice(-1))
    .map(({ branch }) => branch)
    .filter((branch, i, all) => all.indexOf(branch) === i)
  const parted = first.find(
    (w) => !common.some(isOf(w)) && second.some(({ branch, to }) => branch === w.branch && to !== w.to),
  )
  if (parted !== undefined && !isInOneLoop(code, x, y)) return { _tag: 'apart', branch: parted.branch }
  const outer = common.at(-1)
  return outer === undefined
    ? { _tag: 'between', outside }
    : { _tag: 'inside', branch: outer.branch, outside }
}

/** The same of two places of a text, with the lines of the author that say the conditions; null: they are not of one function. */
export const meetingAt = (module: Module, file: string, x: Position, y: Position): Meeting<string> | null => {
  const codes = codeOf(module)
  if (E.isLeft(codes)) return null
  const numberIn = (code: Code, { line, column }: Position): number =>
    code.instructions.findIndex(({ instruction: { at } }) => at.line === line && at.column === column)
  const code = codes.right.find((one) => numberIn(one, x) >= 0 && numberIn(one, y) >= 0)
  if (code === undefined) return null
  const lines = sources(module, file)
  readLines(lines, code.function.body ?? [])
  const lineOf = (branch: number): string => {
    const at = code.instructions[branch]
    return at === undefined ? file : sourceOf(lines, at.instruction).line
  }
  const all = (branches: ReadonlyArray<number>): ReadonlyArray<string> => [...new Set(branches.map(lineOf))]
  const found = meetingOf(code, numberIn(code, x), numberIn(code, y))
  switch (found._tag) {
    case 'between':
      return { _tag: 'between', outside: all(found.outside) }
    case 'inside':
      return { _tag: 'inside', branch: lineOf(found.branch), outside: all(found.outside) }
    case 'apart':
      return { _tag: 'apart', branch: lineOf(found.branch) }
  }
}
