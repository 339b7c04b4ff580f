/**
 * Kernels of strong and weak accesses, checked, against a plain enumeration of the executions that the axioms allow.
 *
 *     sound       verdict ok  =>  no execution has a data race, and executions that agree in what controls leave the same words and registers
 *     complete    no execution has a data race, and those that agree in what controls leave the same  =>  nothing is found
 *     real        D: some execution has a data race;  V2: two that take the same branches leave other words or registers
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { bits } from '../../../../src/fast/index.js'
import { behaviours, type Candidate, type FinalState } from '../../../../src/semantics/axioms/index.js'
import { isWrite } from '../../../../src/semantics/axioms/events.js'
import { dataRaces } from '../../../../src/semantics/axioms/orders.js'
import { has } from '../../../../src/semantics/axioms/relation.js'
import { usualSharedBase, warpSource } from '../../../../src/semantics/execution/launch-warps.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { checkSource, standardOptions } from '../../../../src/semantics/verdict/check.js'
import { drawn, gridOf, registersOfThread, type Drawn } from './drawn.js'

const algebra = bits('hopper')

/** How a kernel of two tensors of words is launched, of so many bytes. */
interface Launch {
  readonly ctas: number
  readonly threads: number
  readonly words: number
  readonly out: number
}

export const verdictOfText = (
  text: string,
  entry: string,
  { ctas, threads, words, out }: Launch,
): Verdict => {
  const tensor = (name: string, bytes: number) => ({
    name,
    role: 'inout' as const,
    contents: new Uint8Array(bytes),
    bytes,
    elements: null,
    symbol: null,
  })
  const checked = pipe(
    parseModule(text),
    E.chainW((module) => elaborate(module, entry, `${entry}.ptx`)),
    E.map(({ program }) =>
      warpSource(program, {
        grid: [ctas],
        block: [threads],
        cluster: null,
        dynamicBytes: 0,
        parameters: new Uint8Array(16),
        pointers: [
          { offset: 0, tensor: 'words' },
          { offset: 8, tensor: 'out' },
        ],
        tensors: [tensor('words', words), tensor('out', out)],
        sharedBase: usualSharedBase,
      }),
    ),
    E.chainW((source) => checkSource(source, { ...standardOptions, algebra })),
  )
  if (E.isLeft(checked)) throw new Error(`${checked.left.message}\n${text}`)
  return checked.right.verdict
}

export const verdictOf = (d: Drawn): Verdict =>
  verdictOfText(d.text, 'weak', {
    ...gridOf(d),
    words: 16,
    out: 4 * registersOfThread * d.program.threads.length,
  })

export interface Meant {
  readonly races: boolean
  /** executions that agree in what controls leave other words or registers */
  readonly differs: boolean
  /** those that agree in what branches are taken on do */
  readonly differsAtAll: boolean
  /**
   * Some execution has a race that is let pass: of a word that is read, then written by the same thread, and overwritten by who has found that. Where the last is in too narrow a
   * scope the axioms have no coherence for it, so that the read may take it all the same, which no chip does; nothing is asked of results then.
   */
  readonly passed: boolean
  /** a wait can never pass */
  readonly stuck: boolean
}

const racesIn = (c: Candidate): { readonly races: boolean; readonly passed: boolean } => {
  const { events, overlap, strong } = c.shape
  const starts = (e: number): boolean => events[e]!.does._tag === 'start'
  // what a thread has written over itself is over for who has found that
  const isOver = (a: number, b: number): boolean =>
    events.some(
      (e, k) => isWrite(e) && has(c.shape.programOrder, a, k) && has(overlap, a, k) && has(c.causality, k, b),
    )
  const all = dataRaces(events, overlap, strong, c.causality).filter(([a, b]) => !starts(a) && !starts(b))
  const races = all.some(([a, b]) => !isOver(a, b) && !isOver(b, a))
  return { races, passed: all.length > 0 && !races }
}

/** What the axioms say; null: not all executions were looked at. */
export const meant = (d: Drawn): Meant | null => {
  let races = false
  let passed = false
  const passes = (state: FinalState): boolean => [...d.waits].every((r) => state.registers.get(r) === 1)
  const all = behaviours(d.program, {
    most: 200_000,
    each: (c, state) => {
      if (!passes(state)) return
      const found = racesIn(c)
      races ||= found.races
      passed ||= found.passed
    },
  })
  if (E.isLeft(all) || !all.right.complete || all.right.cut) return null
  const states = all.right.outcomes.map(({ state }) => state).filter(passes)
  const left = new Map<string, string>()
  let differs = false
  let differsAtAll = false
  const once = new Map<string, string>()
  for (const { registers, memory } of states) {
    const key = [...d.controls].map((r) => String(registers.get(r) ?? 0)).join()
    const rest = JSON.stringify([
      [...registers].map(([r, v]) => [r, v ?? 0]),
      [...memory].filter(([w]) => !d.controlled.has(w)),
    ])
    const known = left.get(key)
    if (known === undefined) left.set(key, rest)
    else differs ||= known !== rest
    const taken = [...d.branches].map((r) => String(registers.get(r) ?? 0)).join()
    const whole = JSON.stringify([[...registers].map(([r, v]) => [r, v ?? 0]), [...memory]])
    const before = once.get(taken)
    if (before === undefined) once.set(taken, whole)
    else differsAtAll ||= before !== whole
  }
  return { races, differs, differsAtAll, passed, stuck: states.length === 0 }
}

export interface Row {
  readonly seed: number
  readonly what: string
  readonly verdict: string
  readonly drawn: Drawn
}

export const asked = (seed: number): { readonly row: Row | null; readonly verdict: string } => {
  const d = drawn(dice(seed))
  const m = meant(d)
  if (m === null) return { row: null, verdict: 'unasked' }
  const v = verdictOf(d)
  const ids = new Set(v.findings.map(({ id }) => id))
  const races = [...ids].some((id) => id.startsWith('D'))
  const text = `${v.verdict} ${[...ids].join()} / ${[...new Set(v.notes.map(({ id }) => id))].join()} ${v.reason.slice(0, 160)}`
  const row = (what: string): { row: Row; verdict: string } => ({
    row: { seed, what, verdict: text, drawn: d },
    verdict: v.verdict,
  })
  // of two accesses: that ends differ is told as well, and excuses nothing here
  const orders = v.notes.some(({ id, b }) => id === 'N1' && b !== undefined)
  if (m.stuck) return v.verdict === 'ok' ? row('stuck and ok') : { row: null, verdict: v.verdict }
  // of orders of lanes one is followed, and that is said
  if (v.verdict === 'ok' && !(d.lanes && v.scope.some((line) => line.includes('lanes of one warp')))) {
    if (m.races && !v.notes.some(({ id }) => id === 'N4')) return row('unsound: a race')
    if (m.differs && !orders && !m.passed) return row('unsound: the result differs')
  }
  if (v.verdict === 'hazard') {
    // what one lane stores and another of its warp loads strongly is no race, and found all the same: what comes into memory is not fixed, whatever the values here
    const isReal = m.races || (d.lanes && ![...ids].some((id) => /^D[^5]/u.test(id)))
    if (races && !isReal) return row('unreal: no race')
    if (!races && ids.has('V2') && !m.differsAtAll && !m.races)
      return row('unreal: the result does not differ')
    if (!races && !ids.has('V2')) return row('something else')
  }
  if (v.verdict === 'deadlock') return row('unreal: a deadlock')
  return {
    row: null,
    verdict: v.verdict === 'undecided' && !m.races && !m.differs ? 'undecided, clean' : v.verdict,
  }
}

export const show = ({ seed, what, verdict, drawn: d }: Row): string =>
  [`seed ${String(seed)}: ${what}; ${verdict}`, d.text].join('\n')
