/** The relations of a litmus test as data: read from the document alone, their closure is what the model says, and no arrow can go. */
import { describe, expect, it } from 'vitest'
import type { LitmusDocument } from '../../../src/render/litmus-document.js'
import { clauses, model, usual } from '../../../src/semantics/model/index.js'
import { litmusLines, litmusLog } from '../../../src/semantics/model/litmus.js'
import { views } from '../../../src/semantics/model/views.js'
import { swap } from 'fp-ts/lib/Either.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { read, said } from './litmus.js'
import { documentOf } from './litmus-documents.js'
import { logOf } from './random-log.js'

// ---------------------------------------------------------------- read from the document alone

type Facts = ReadonlyMap<string, ReadonlySet<string>>
type Arrows = LitmusDocument['arrows']

const factOf = (a: Arrows[number]): string =>
  a.phase === null ? String(a.from) : `${a.phase.barrier} ${String(a.phase.phase)} ${String(a.from)}`

/** The least solution, in the order of the log and of the list of views. */
const closure = (d: LitmusDocument, arrows: Arrows = d.arrows): Facts => {
  const known = new Map<string, Set<string>>()
  const at = (event: number, view: string): Set<string> => {
    const key = `${String(event)} ${view}`
    const facts = known.get(key) ?? new Set()
    known.set(key, facts)
    return facts
  }
  const by = arrows
    .flatMap((a) => a.views.map(([of, into]) => ({ a, of, into })))
    .sort((x, y) => x.a.to - y.a.to || views.indexOf(x.into) - views.indexOf(y.into))
  for (const { a, of, into } of by) {
    if (of === null) at(a.to, into).add(factOf(a))
    else for (const fact of at(a.from, of)) at(a.to, into).add(fact)
  }
  return known
}
const sizeOf = (known: Facts): number => [...known.values()].reduce((n, facts) => n + facts.size, 0)

const isKnown = (known: Facts, p: LitmusDocument['pairs'][number], view: string): boolean => {
  const facts = known.get(`${String(p.b)} ${view}`) ?? new Set()
  if (p.done === 'never') return false
  if (p.done === 'itself') return facts.has(String(p.a))
  const phase = `${p.done.barrier} ${String(p.done.phase)} `
  return [...facts].some((fact) => fact.startsWith(phase))
}

/** What a chain begins with, and that each of its arrows begins in the view in which the one before it ends. */
const isChain = (d: LitmusDocument, chain: ReadonlyArray<number>, at: number, view: string): boolean => {
  const [first, ...rest] = chain.map((k) => d.arrows[k]!)
  if (first?.kind !== 'fact') return false
  let reached = first.views.map(([, into]) => ({ event: first.to, view: into }))
  for (const a of rest) {
    if (a.kind !== 'flow') return false
    reached = reached
      .filter((here) => here.event === a.from)
      .flatMap((here) =>
        a.views.flatMap(([of, into]) => (of === here.view ? [{ event: a.to, view: into }] : [])),
      )
  }
  return reached.some((here) => here.event === at && here.view === view)
}

const orderOf = (d: LitmusDocument, b: number): string => {
  // a strong access, and a semaphore event, read before they know what they take over
  const isWait = /^(signal|wait\.semaphore|wait\.word|load|store|atomic) /.test(d.events[b]!.what)
  return d.options.strict ? (isWait ? 'firmBefore' : 'firm') : isWait ? 'before' : 'order'
}

/** Pairs of which the document does not say what its arrows say. */
const wrong = (d: LitmusDocument): ReadonlyArray<string> => {
  const known = closure(d)
  return d.pairs
    .filter(
      (p) => p.is !== 'race of clusters' && !(p.done === 'itself' && p.window === null && p.seen !== null),
    )
    .flatMap((p) => {
      const order = orderOf(d, p.b)
      const bad = (what: string): ReadonlyArray<string> => [`${what} ${JSON.stringify(p)}`]
      return [
        ...(p.before === isKnown(known, p, order) ? [] : bad('before')),
        // an acquire of another map may bring it there
        ...(p.seen === null ||
        p.seen === isKnown(known, p, p.window ?? '') ||
        (p.window === 'mapped' && !p.seen)
          ? []
          : bad('seen')),
        ...((p.beforeBy !== null) === p.before ? [] : bad('beforeBy')),
        ...((p.seenBy !== null) === (p.seen === true) ? [] : bad('seenBy')),
        ...(p.beforeBy === null || isChain(d, p.beforeBy, p.b, order) ? [] : bad('chain of before')),
        ...(p.seenBy === null || isChain(d, p.seenBy, p.b, p.window ?? '') ? [] : bad('chain of seen')),
      ]
    })
}

// ---------------------------------------------------------------- proofs

describe('the worked example', () => {
  const d = documentOf(['T0: write x', 'T0: arrive b', 'T1: wait b 0', 'T1: read x'])
  it('has the arrows that its essay says', () => {
    const between = d.arrows
      .filter((a) => a.from !== a.to && d.events[a.from]!.line !== null)
      .map((a) => `${a.clause} ${String(d.events[a.from]!.line)} -> ${String(d.events[a.to]!.line)}`)
    expect(between.sort()).toEqual(['complete 2 -> 3', 'program 1 -> 2', 'program 3 -> 4', 'release 2 -> 3'])
  })
  it('is before and seen by them', () => {
    expect(d.pairs).toHaveLength(1)
    const [p] = d.pairs
    expect([p!.before, p!.seen, p!.window, p!.is, p!.because]).toEqual([true, true, 'generic', 'ok', 'seen'])
    expect([...new Set(p!.beforeBy!.map((k) => d.arrows[k]!.clause))]).toEqual(['program', 'release'])
  })
  it('names the phase that a copy is done with', () => {
    const { litmus } = clauses.find((c) => c.id === 'complete')!
    expect(documentOf(litmus.log).pairs[0]!.done).toEqual({ barrier: 'b', phase: 0 })
    const open = documentOf(['T0: issue #1 load', '#1: write x', 'T0: read x'])
    expect([open.pairs[0]!.done, open.pairs[0]!.is]).toEqual(['never', 'race'])
  })
})

describe('law 1: read from the document alone, before and seen are what the model says', () => {
  it.each(clauses.map((c) => [c.id, c] as const))('%s', (id, { litmus }) => {
    for (const leftOut of [[], [id]])
      expect(wrong(documentOf(litmus.log, litmus.options, leftOut))).toEqual([])
  })
  it('random tests', () => {
    for (let seed = 0; seed < (nightly ? 80 : 30); seed++)
      for (const strict of [false, true]) {
        const lines = logOf(seed)
        expect([lines, wrong(documentOf(lines, { strict, strictProxies: strict }))]).toEqual([lines, []])
      }
  })
})

describe('law 2: no arrow can go', () => {
  it.each(sampled(2, clauses).map((c) => [c.id, c] as const))('%s', (_, { litmus }) => {
    const d = documentOf(litmus.log, litmus.options)
    const whole = sizeOf(closure(d))
    const idle = d.arrows.filter(
      (a) =>
        sizeOf(
          closure(
            d,
            d.arrows.filter((x) => x !== a),
          ),
        ) === whole,
    )
    expect(idle).toEqual([])
  })
})

describe('what is said', () => {
  it.each(clauses.map((c) => [c.id, c] as const))(
    '%s: as the page says it, and so without it',
    (id, { litmus }) => {
      const test = read(litmus.log)
      const options = { ...usual, ...litmus.options }
      const d = documentOf(litmus.log, litmus.options, [id])
      expect(d.model.says).toEqual(said(test, model(test.header, test.log, options)))
      expect(d.without?.says).toEqual(said(test, model(test.header, test.log, options, [id])))
      expect(d.without?.says).not.toEqual(d.model.says)
    },
  )
  it.each(clauses.map((c) => [c.id, c] as const))(
    '%s: a pair is wrong iff it is said to be',
    (_, { litmus }) => {
      const d = documentOf(litmus.log, litmus.options)
      const words = d.pairs.flatMap((p) => (p.is === null || p.is === 'ok' ? [] : [p.is]))
      // what could have been otherwise is no matter of the pair as it is
      const told = d.model.says.flatMap((s) =>
        s.includes(' / ') && !s.startsWith('another ') ? [s.slice(0, s.indexOf(':'))] : [],
      )
      expect([...new Set(words)]).toEqual([...new Set(told)])
    },
  )
  it('the detector has a name for each pair that is wrong', () => {
    const nameless = clauses.flatMap(({ id, litmus }) =>
      documentOf(litmus.log, litmus.options)
        .pairs.filter((p) => p.is !== null && p.is !== 'ok' && p.is !== 'any order' && p.hazards.length === 0)
        .map(() => id),
    )
    expect(nameless).toEqual([])
    const hazardsOf = (lines: ReadonlyArray<string>): unknown => documentOf(lines).pairs.map((p) => p.hazards)
    expect(hazardsOf(['T0: write x', 'T1: read x'])).toEqual([['D1']])
  })
})

describe('text of a test', () => {
  it('lines keep their numbers over empty ones and remarks', () => {
    expect(litmusLines('// two agents\r\nT0: write  x\n\n  T1: read x // races\n')).toEqual({
      lines: ['T0: write x', 'T1: read x'],
      numbers: [2, 4],
    })
  })
  it.each([
    [['T0: bless x'], "line 0: expected a line of a litmus test, such as 'T0: write x', found 'T0: bless x'"],
    [['T0: write x', 'T1: read w'], "line 1: expected 'T0: read PLACE', PLACE one of"],
    [
      ['T0: wait b 2'],
      "line 0: expected 'T0: wait BARRIER 0|1 [relaxed] [cluster] [tensor] [peeked|spared]', BARRIER one of",
    ],
    [['#1: write x'], 'line 0: expected an operation that is issued once, before what it does'],
    [['T0: issue #1 fetch'], "line 0: expected 'T0: issue #1 load|store|"],
  ])('%s is refused with what was expected', (lines, message) => {
    expect(right(swap(litmusLog(lines))).message).toContain(message)
  })
})
