/**
 * Deeds: what one side of a finding does, as data, and the words that say it.
 *
 * A finding says of each side what it does: `reads`, `tmaStore writes`, `writes atomically`, `waits`. Programs ask it as well: two writes may store the same, a read may
 * come to nothing, a wait lacks what comes before it. A judgement asks the deed. The words are made from it here, and here alone they are read: a document of a verdict
 * has the words only, and a picture is drawn from a document.
 *
 *     tmaStore reads        {_tag: 'reads', unit: 'tmaStore', atomic: false}
 *     writes atomically     {_tag: 'writes', unit: 'agent', atomic: true}
 *     waits                 {_tag: 'waits'}
 *     arrives               {_tag: 'other'}
 *
 * Until this was data, a verdict asked whether the words contained `write`: another word there would have turned a note into a hazard.
 *
 * Laws
 * 1. `deedIn(wordsOf(d))` is `d`, for every access by every unit.
 * 2. No verdict has deeds: it has their words.
 */
import { unitNames, type Unit } from '../log/units.js'

// ---------------------------------------------------------------- model

/** An access of memory: by the agent itself, or by a unit for it. */
export interface AccessDeed {
  readonly _tag: 'reads' | 'writes'
  readonly unit: Unit | 'agent'
  readonly atomic: boolean
}

export type Deed = AccessDeed | { readonly _tag: 'waits' } | { readonly _tag: 'other' }

// ---------------------------------------------------------------- constructors

export const reading: AccessDeed = { _tag: 'reads', unit: 'agent', atomic: false }
export const writing: AccessDeed = { _tag: 'writes', unit: 'agent', atomic: false }
export const readingAtomically: AccessDeed = { _tag: 'reads', unit: 'agent', atomic: true }
export const writingAtomically: AccessDeed = { _tag: 'writes', unit: 'agent', atomic: true }
export const waiting: Deed = { _tag: 'waits' }
export const other: Deed = { _tag: 'other' }

// ---------------------------------------------------------------- destructors

/** It reads for itself, and nothing else is done. */
export const isPlainRead = (d: Deed): boolean => d._tag === 'reads' && d.unit === 'agent' && !d.atomic

export const isSameDeed = (x: Deed, y: Deed): boolean =>
  x._tag === 'reads' || x._tag === 'writes'
    ? y._tag === x._tag && x.unit === y.unit && x.atomic === y.atomic
    : x._tag === y._tag

/** The words of an access. */
export const wordsOf = (d: AccessDeed): string => {
  const how = d.atomic ? `${d._tag} atomically` : d._tag
  return d.unit === 'agent' ? how : `${d.unit} ${how}`
}

const accesses: ReadonlyArray<AccessDeed> = (['reads', 'writes'] as const).flatMap((_tag) =>
  (['agent', ...unitNames] as const).flatMap((unit) =>
    [false, true].map((atomic): AccessDeed => ({ _tag, unit, atomic })),
  ),
)
const known: ReadonlyMap<string, Deed> = new Map([
  ['waits', waiting],
  ...accesses.map((d): readonly [string, Deed] => [wordsOf(d), d]),
])

/** What the words of a document say; `other` where they are those of no access and no wait. */
export const deedIn = (does: string): Deed => known.get(does) ?? other
