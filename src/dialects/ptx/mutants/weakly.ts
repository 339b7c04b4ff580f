/**
 * Loads that may be weak: no thread writes strongly what they read.
 *
 *     st.global.u32 [partial + 4 * block], sum      weakly
 *     membar.gl; atom.global.add [counter], 1       the last block goes on
 *     ld.volatile.global.u32 r, [partial + 4 * t]   may as well be ld.global.u32
 *
 * Two accesses are morally strong only if both are strong. So a strong load of what is written weakly is in causality order with every write of it, or races with it, as a weak one
 * is; and it takes part in no synchronisation, which begins with a strong write. Which bytes are read and written so is asked of runs of the text that stand for all.
 *
 * Laws
 * 1. One strong write of one of its bytes, by whomever, in one of the runs, and nothing is said.
 *
 * Source: PTX ISA, memory consistency model: morally strong operations, release and acquire patterns.
 */
import { spansOf, type Access, type Fold, type Header } from '../../../semantics/log/events.js'
import type { WarpProgram } from '../../../semantics/warps/program.js'

type Step = WarpProgram['code'][number]

const said = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${String(v)}n` : v))

/** The same load, strong before and weak after. */
const isWeaker = (before: Step, after: Step): boolean => {
  const [b, a] = [before.operation, after.operation]
  return (
    b._tag === 'load' &&
    a._tag === 'load' &&
    b.ordering !== 'weak' &&
    a.ordering === 'weak' &&
    said([before.guard, b.from, b.width, b.to, b.readOnly, b.until]) ===
      said([after.guard, a.from, a.width, a.to, a.readOnly, a.until])
  )
}

/** Is all that has changed that loads are weak which were strong? */
export const weakensLoads = (before: WarpProgram, after: WarpProgram): boolean => {
  const steps = before.code.map((step, i) => [step, after.code[i]] as const)
  const changed = steps.filter(
    ([b, a]) => a === undefined || said([b.guard, b.operation]) !== said([a.guard, a.operation]),
  )
  return (
    before.code.length === after.code.length &&
    changed.length > 0 &&
    changed.every(([b, a]) => a !== undefined && isWeaker(b, a))
  )
}

interface Gathering {
  readonly header: Header
  readonly read: Set<string>
  readonly strong: Set<string>
}

const addTo = (bytes: Set<string>, { footprint }: Access): void => {
  const spans = spansOf(footprint)
  for (let i = 0; i < spans.length; i += 2)
    for (let byte = spans[i]!; byte < spans[i + 1]!; byte++)
      bytes.add(`${String(footprint.plane)}+${String(byte)}`)
}

/** Does a run read something at this label, and write none of it strongly? */
export const findsWeakWrites = (label: string): Fold<Gathering, boolean> => ({
  init: (header) => ({ header, read: new Set(), strong: new Set() }),
  observe: (g, e) => {
    if (e._tag !== 'access') return g
    if (e.rw === 'r' && g.header.sites[e.stamp.site]?.label === label) addTo(g.read, e)
    if (e.rw === 'w' && e.atomic) addTo(g.strong, e)
    return g
  },
  finish: ({ read, strong }) => read.size > 0 && [...read].every((byte) => !strong.has(byte)),
})
