/** Groups of clusters: what joins make of them. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { grouping } from '../../../../src/semantics/schedules/outcomes/groups.js'
import { prop } from '../../../prop.js'

const cluster = fc.nat({ max: 7 })

/** All that is reached from a cluster over joins; nothing of one that was never joined. */
const reached = (joins: ReadonlyArray<readonly [number, number]>, from: number): ReadonlyArray<number> => {
  const out = new Set(joins.some((j) => j.includes(from)) ? [from] : [])
  for (let k = 0; k < 8; k++)
    for (const [a, b] of joins)
      if (out.has(a) || out.has(b)) {
        out.add(a)
        out.add(b)
      }
  return [...out]
}

prop([fc.array(fc.tuple(cluster, cluster))])(
  'law 1: in one group just where a chain of joins leads',
  (joins) => {
    const groups = grouping()
    for (const [x, y] of joins) groups.join(x, y)
    return Array.from({ length: 8 }, (_, x) => x).every((x) => {
      const all = reached(joins, x)
      return groups.of(x) === (all.length === 0 ? -1 : Math.min(...all))
    })
  },
)

test('a join says whether it joins', () => {
  const groups = grouping()
  const joins = [
    [3, 3],
    [3, 3],
    [1, 3],
    [5, 6],
    [6, 1],
  ] as const
  expect(joins.map(([x, y]) => groups.join(x, y))).toEqual([true, false, true, true, true])
  expect(groups.all()).toEqual([1])
})
