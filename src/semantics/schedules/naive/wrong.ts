/**
 * What is wrong with a state as a whole: races between what it offers, CTAs that are gone, and ends.
 *
 * What is wrong with one move is told where the move is made.
 */
import type { Columns } from './columns.js'
import { morallyStrong, slotWidth, STAGE, type Layout } from './layout.js'
import type { Op } from './skeleton.js'
import { both, named, stageOf, type Expansion, type Offer, type Told } from './turn.js'
import type { Views } from './views.js'

export interface Wrong {
  /** Two conflicting accesses that the state offers. */
  readonly races: (now: Expansion, offers: ReadonlyArray<Offer>, told: ReadonlyArray<Told>) => void
  /** A CTA has ended, and none of its agents knew of what others did to it. */
  readonly gone: (now: Expansion) => void
  /** A CTA has ended while something still acts on it. */
  readonly acting: (now: Expansion) => void
  /** Nothing goes on: columns that are left, and agents that have not finished. */
  readonly ends: (now: Expansion) => void
}

export const wrongOf = (layout: Layout, views: Views, { allocatorOf }: Columns): Wrong => {
  const { agents, barriers, ctas, steps, flying, matrixQueue, ownOf, dynamic, ordering, happenedAt } = layout
  const { orderOf, effectBit, wordBit, wordsIn } = layout
  const { finished, ctaDone } = views
  const n = agents.length

  const races = ({ report }: Expansion, offers: ReadonlyArray<Offer>, told: ReadonlyArray<Told>): void => {
    for (const a of told)
      for (const b of told)
        if (a.agent < b.agent && a.word === b.word && (a.writes || b.writes) && !morallyStrong(a.own, b.own))
          report('race', both(named(a.agent, a.index), named(b.agent, b.index)))
    for (let u = 0; u < offers.length; u++)
      for (let v = 0; v < u; v++) {
        const a = offers[u]!
        const b = offers[v]!
        const gives = (op: Op): boolean => op._tag === 'dealloc' || op._tag === 'free'
        if (gives(a.op) && gives(b.op)) continue
        if (a.writes & (b.reads | b.writes) || a.reads & b.writes)
          report('race', both(named(a.agent, a.index), named(b.agent, b.index)))
      }
  }

  const gone = ({ state, report }: Expansion): void => {
    if (!ordering) return
    for (const cta of ctas) {
      if (!ctaDone(state, cta)) continue
      const known = agents.reduce((all, a, x) => (a.cta === cta ? all | state[orderOf(x)]! : all), 0)
      for (let y = 0; y < n; y++) {
        if (agents[y]!.cta === cta) continue
        const bits = wordsIn(cta).reduce((all, word) => all | wordBit(y, word), effectBit(y, cta))
        if ((bits & state[happenedAt]! & ~known) !== 0) report('gone', `${String(y)}@${String(cta)}`)
      }
    }
  }

  const acting = ({ state, report }: Expansion): void => {
    const stage = stageOf(layout, state)
    for (const cta of ctas) {
      if (!ctaDone(state, cta)) continue
      const own = ownOf(cta)
      const late = (x: number, i: number): void => {
        report('exit', `U2 ${named(x, i)}@${String(cta)}`)
      }
      for (let x = 0; x < n; x++) {
        for (const i of flying[x]!) {
          const step = steps[x]![i]!
          const now = state[step.slot + STAGE]!
          if (step.op._tag === 'load')
            step.parts.forEach((part, j) => {
              const at = state[step.slot + j * slotWidth + STAGE]!
              if ((at === 1 || at === 2) && (part.mask & own || barriers[part.barrier]!.cta === cta))
                late(x, i)
            })
          else if (now !== 1) continue
          else if (step.op._tag === 'store' && step.reads & own) late(x, i)
          else if (step.op._tag === 'copy' && step.writes & own) late(x, i)
          else if (step.op._tag === 'copyArrive' && barriers[step.op.barrier]!.cta === cta) late(x, i)
          else if (
            (step.op._tag === 'mma' || step.op._tag === 'commit') &&
            ((step.reads | step.tensorReads | step.writes) & own ||
              step.barriers.some((b) => barriers[b]!.cta === cta))
          )
            late(x, i)
        }
        const first = matrixQueue[x]!.find((i) => stage(x, i) === 1)
        if (first !== undefined && agents[x]!.cta === cta) late(x, first)
      }
    }
  }

  const ends = ({ state, report }: Expansion): void => {
    if (dynamic && agents.every((_, x) => finished(state, x)))
      for (const cta of ctas) {
        const { held, steps: own } = allocatorOf(state, cta)
        if (held.length > 0) report('exit', `T1 ${String(cta)}`)
        const theirs = ctas.includes(cta ^ 1) ? allocatorOf(state, cta ^ 1).steps : []
        if (own.join(' ') !== theirs.join(' ')) report('exit', `T4 ${String(cta)}`)
      }

    if (agents.some((_, x) => !finished(state, x)))
      report('deadlock', agents.map((_, x) => String(state[x]!)).join(','))
  }

  return { races, gone, acting, ends }
}
