/**
 * What proofs of classes compare: all that a verdict says but how much was run, and the log of a fellow with that of its cluster.
 */
import { expect } from 'vitest'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { findAlike } from '../../../src/semantics/execution/find-alike.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { spansOf, type LogEvent } from '../../../src/semantics/log/events.js'
import { fellowship } from '../../../src/semantics/machine/fellowship.js'
import { noArguments, type Arguments, type Source } from '../../../src/semantics/machine/source.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { uses, visiting } from '../../../src/semantics/verdict/classes.js'
import { right } from '../../either.js'

/** All that is told but how much was run. */
export const toldOf = (v: Verdict): unknown => {
  const one = ({ id, severity, text, a, b }: Verdict['findings'][number]): string =>
    [id, severity, text, a.agent, a.site, b?.agent ?? '', b?.site ?? ''].join('|')
  return {
    verdict: v.verdict,
    reason: v.reason,
    findings: v.findings.map(one),
    notes: v.notes.map(one),
    conditions: v.conditions,
    schedules: v.schedules,
    scope: v.scope,
  }
}

/** An event in words, without where in global memory it is. */
const shown = (world: World, e: LogEvent): string =>
  JSON.stringify(e, (key, value: unknown) => {
    if (key === 'cluster' || (e._tag === 'cluster' && key === 'id')) return undefined
    if (typeof value !== 'object' || value === null || !('spans' in value) || !('plane' in value))
      return value
    const { plane } = value as { readonly plane: number }
    return world.header.planes[plane]?.space === 'gmem'
      ? `plane ${String(plane)}`
      : [...spansOf(value as never)]
  })

/** The fellows of cluster 0 that are alike. */
export const fellowsAlike = (
  source: Source,
  algebra: Algebra,
  others: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const fellows = fellowship(others)
  const given: Arguments = Object.assign({}, noArguments, { fellows: new Map([[0, fellows]]) })
  const { world, machine } = visiting(right(source.launch(algebra, given)), [0])!
  expect(run(world, machine, settings(eager), collect).outcome._tag).toBe('completed')
  return others.filter((_, fellow) => fellows.alike[fellow] === 1)
}

/** Each fellow of cluster 0 that is alike, beside the run of its own cluster; how many they are: none, where they may find something else than cluster 0. */
export const fellowsCompared = (
  source: Source,
  algebra: Algebra,
  others: ReadonlyArray<number>,
  about: string,
): number => {
  const fellows = fellowship(others)
  const logOf = (cluster: number, arguments_: Arguments) => {
    const launched = right(source.launch(algebra, arguments_))
    const { world, machine } = visiting(launched, [cluster])!
    const ran = run(world, machine, settings(eager), collect)
    return { launched, world, log: ran.result, completed: ran.outcome._tag === 'completed' }
  }
  const own = logOf(0, Object.assign({}, noArguments, { fellows: new Map([[0, fellows]]) }))
  if (!own.completed) return 0
  const touched = uses.finish(own.log.reduce(uses.observe, uses.init(own.world.header)))
  const alike = fellows.clusters.flatMap((_, fellow) => (fellows.alike[fellow] === 1 ? [fellow] : []))
  if (!findAlike(own.launched, touched, fellows, alike)) return 0
  let compared = 0
  fellows.clusters.forEach((cluster, fellow) => {
    if (fellows.alike[fellow] === 0) return
    const theirs = logOf(cluster, noArguments)
    compared++
    expect(
      theirs.log.map((e) => shown(theirs.world, e)),
      `${String(cluster)} ${about}`,
    ).toEqual(own.log.map((e) => shown(own.world, e)))
    own.log.forEach((e, i) => {
      const other = theirs.log[i]!
      if (e._tag !== 'access' || other._tag !== 'access') return
      if (own.world.header.planes[e.footprint.plane]?.space !== 'gmem') return
      const [a, b] = [spansOf(e.footprint), spansOf(other.footprint)]
      const by = (b[0] ?? 0) - (a[0] ?? 0)
      expect([...b]).toEqual([...a].map((byte) => byte + by))
      const ways = fellows.moves.get(e.footprint.id)!
      expect(ways.map((way) => fellows.ways[way]![fellow])).toContain(by)
    })
  })
  return compared
}
