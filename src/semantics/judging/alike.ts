/**
 * Findings that are alike: of one id, between one pair of source lines. A barrier that is missing between two lines is one mistake, however many warps and turns of
 * a loop come to them, and however often a compiler has unrolled it.
 *
 *     D1  k.cu:21, k.cu:32   warp 0, warp 1            D1  k.cu:21, k.cu:32   warp 0, warp 1
 *     D1  k.cu:32, k.cu:21   warp 0, warp 2      ->        alike   k.cu:32, k.cu:21   warp 0, warp 2
 *     D1  k.cu:21, k.cu:32   warp 1, warp 2                        k.cu:21, k.cu:32   warp 1, warp 2
 *
 * The first stands for all of them. The others keep what it takes to see each one again: the operations, the bytes, the schedule.
 *
 * Laws
 * 1. No finding is lost: they are those that stand, and those that are alike to one of them.
 * 2. What has no line of a source is alike to nothing.
 */
import type { Finding, Operation, Place } from './finding.js'
import { authorLineOf } from './lines.js'
import type { AlikeFinding, ReplayableFinding, Verdict } from './verdict.js'

const keyOf = ({ id, severity, a, b }: Finding): string | null => {
  const [x, y] = [authorLineOf(a), authorLineOf(b)]
  return x === null || y === null ? null : [id, severity, ...[x, y].sort()].join('\n')
}

const bare = ({ schedule, a, b, place }: ReplayableFinding): AlikeFinding => {
  const one: { schedule: number | null; a: Operation; b?: Operation; place?: Place } = {
    schedule,
    a,
  }
  if (b !== undefined) one.b = b
  if (place !== undefined) one.place = place
  return one
}

const together = (findings: ReadonlyArray<ReplayableFinding>): ReadonlyArray<ReplayableFinding> => {
  const groups = new Map<string, ReplayableFinding[]>()
  const order: ReplayableFinding[][] = []
  for (const f of findings) {
    const key = keyOf(f)
    const known = key === null ? undefined : groups.get(key)
    if (known !== undefined) {
      known.push(f)
      continue
    }
    const group = [f]
    order.push(group)
    if (key !== null) groups.set(key, group)
  }
  return order.map(([first, ...others]) =>
    others.length === 0 ? first! : Object.assign({}, first, { alike: others.map(bare) }),
  )
}

/** Of findings that have lines, the first of each that are alike. */
export const firstAlike = <F extends Finding>(findings: ReadonlyArray<F>): ReadonlyArray<F> => {
  const known = new Set<string>()
  return findings.filter((f) => {
    const key = keyOf(f)
    if (key === null || known.has(key)) return false
    known.add(key)
    return true
  })
}

/** The verdict, what is alike in it told once. */
export const grouped = (v: Verdict): Verdict =>
  Object.assign({}, v, { findings: together(v.findings), notes: together(v.notes) })
