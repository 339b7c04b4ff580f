/** Litmus tests of the proofs, and what the model says of one, in words. */
import { litmusLog, type LitmusLog } from '../../../src/semantics/model/litmus.js'
import type { Modelled } from '../../../src/semantics/model/index.js'
import type { Touch } from '../../../src/semantics/model/reading.js'
import { right } from '../../either.js'

export interface Read extends LitmusLog {
  /** the line of each event */
  readonly lines: ReadonlyArray<string>
}

/** Reads a litmus test. */
export const read = (text: ReadonlyArray<string>): Read => {
  const test = right(litmusLog(text))
  return { ...test, lines: test.lineOf.map((at) => text[at] ?? 'before the test') }
}

const words = {
  race: 'race',
  visibility: 'not visible',
  unfenced: 'unfenced',
  foreign: 'race of clusters',
  anyOrder: 'any order',
} as const

/** What the model says, a line each; `ok` of nothing. */
export const said = ({ lines, log }: Read, m: Modelled): ReadonlyArray<string> => {
  const starts = log.flatMap((e, i) => (i > 0 && e._tag === 'cluster' ? [i] : []))
  const out = m.clusters.flatMap((c, k) => {
    const offset = k === 0 ? 0 : starts[k - 1]!
    const quote = (t: Touch, at: number): string => `\`${lines[at + t.at] ?? '?'}\``
    const isHere = (t: Touch): boolean => c.reading.touches.includes(t)
    return [
      ...c.found.pairs.map(
        (p) => `${words[p.kind]}: ${quote(p.a, isHere(p.a) ? offset : 0)} / ${quote(p.b, offset)}`,
      ),
      ...c.found.nothing.map((t) => `nothing there: ${quote(t, offset)}`),
      ...c.failing.map((f) => f.condition),
      ...c.left.map((l) => l.id),
      ...c.misused.misuses.map((x) => x.id),
      ...(c.stuck ? ['deadlock'] : []),
    ]
  })
  const all = [...new Set([...out, ...m.unwritten.map(() => 'O1')])]
  return all.length === 0 ? ['ok'] : all
}
