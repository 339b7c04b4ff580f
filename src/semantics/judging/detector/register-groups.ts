/**
 * Register counts of a warpgroup: all of its warps must execute the same `setmaxnreg`.
 *
 * A warpgroup is four warps that follow one another, the first at a multiple of four. Where each warp is an agent, each of them says for itself what it
 * executes; when all have ended, their lists must be equal.
 *
 *     warps 0 1 2 3    40   40   40   40              right
 *     warps 0 1 2 3    40   40   -    -               A2: warps 2 and 3 do not execute it
 *     warps 0 1 2 3    40   40   40   48              A2: warp 3 executes another one
 *
 * Nothing is said of a warpgroup of which a warp has not ended: it may be on its way. Agents of several warps execute it for all of them.
 *
 * Law 1. What is found does not depend on which warp is first.
 *
 * Source: PTX ISA, setmaxnreg: the same instruction must be executed by all warps in a warpgroup.
 */
import type { LoggedAgent, RegistersEvent } from '../../log/events.js'
import type { Context } from './context.js'
import { actor, agentName, draft, file, keyOf } from './report.js'

/** By agent, the counts that it has set in this cluster. */
export type RegisterCounts = Map<number, RegistersEvent[]>

export const setsRegisters = (counts: RegisterCounts, e: RegistersEvent): void => {
  const known = counts.get(e.stamp.agent)
  if (known === undefined) counts.set(e.stamp.agent, [e])
  else known.push(e)
}

const warpsOfGroup = 4

/** The warpgroup of an agent in its CTA; null: it is no single warp, or it is not known which. */
const numberOf = ({ warps, firstWarp }: LoggedAgent): number | null =>
  warps === 1 && firstWarp !== undefined ? Math.floor(firstWarp / warpsOfGroup) : null

/** The warps of the warpgroup of this agent, ascending. */
const groupOf = (c: Context, agent: number): ReadonlyArray<number> => {
  const own = c.header.agents[agent]!
  const group = numberOf(own)
  return group === null
    ? []
    : c.header.agents.flatMap((a, x) => (a.cta === own.cta && numberOf(a) === group ? [x] : []))
}

const listed = (c: Context, agents: ReadonlyArray<number>): string =>
  agents.map((x) => agentName(c.header, x)).join(', ')

/** A2: the warps of a warpgroup did not all execute the same. */
export const unequalRegisters = (c: Context, counts: RegisterCounts): void => {
  for (const [agent] of [...counts].sort(([x], [y]) => x - y)) {
    const group = groupOf(c, agent)
    // the first that has set any speaks for its group
    if (group.find((x) => counts.has(x)) !== agent || !group.every((x) => c.agents[x]!.exited)) continue
    const longest = group.reduce((most, x) => Math.max(most, counts.get(x)?.length ?? 0), 0)
    for (let i = 0; i < longest; i++) {
      const at = (x: number): RegistersEvent | undefined => counts.get(x)?.[i]
      const first = group.map(at).find((e) => e !== undefined)
      if (first === undefined) break
      const same = group.filter((x) => at(x)?.count === first.count)
      if (same.length === group.length) continue
      const none = group.filter((x) => at(x) === undefined)
      const other = group.filter((x) => at(x) !== undefined && !same.includes(x))
      const second = other.length === 0 ? undefined : at(other[0]!)
      file(c.report, keyOf('A2|warpgroup', first.stamp, undefined), () =>
        draft(
          'A2',
          'E',
          `setmaxnreg: all warps of a warpgroup must execute the same one: ${listed(c, same)} ${same.length === 1 ? 'sets' : 'set'} ${String(first.count)} registers${none.length === 0 ? '' : `, ${listed(c, none)} ${none.length === 1 ? 'does' : 'do'} not execute it`}${second === undefined ? '' : `, ${listed(c, other)} ${other.length === 1 ? 'sets' : 'set'} ${String(second.count)}`}`,
          [],
          actor(first.stamp, 'sets its registers'),
          second === undefined ? undefined : actor(second.stamp, 'sets its registers'),
        ),
      )
      break
    }
  }
}
