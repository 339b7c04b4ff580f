/** The taxonomy: who gives an id is what the sources say; the page is what the table says. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hazards, type By } from '../../../src/semantics/judging/hazards.js'

const root = new URL('../../../', import.meta.url).pathname

const sources = (path: string): ReadonlyArray<string> =>
  statSync(path).isDirectory()
    ? readdirSync(path).flatMap((f) => sources(`${path}/${f}`))
    : path.endsWith('.ts')
      ? [path]
      : []

/** Modules that list or compare ids without giving them. */
const listing = [
  'detector/missing-edge.ts',
  'detector/candidate-edges.ts',
  'semantics/verdict/settled.ts',
  'semantics/verdict/check.ts',
]

const isMachine = (p: string): boolean => /semantics\/(machine|instructions|execution)\//.test(p)
const isProvenance = (p: string): boolean => p.includes('semantics/judging/provenance/')
const isTerms = (p: string): boolean => p.endsWith('semantics/verdict/same-value.ts')
const isOtherwise = (p: string): boolean => p.endsWith('semantics/verdict/otherwise.ts')
const isEnds = (p: string): boolean => p.endsWith('semantics/verdict/unlike-ends.ts')
const isHardware = (p: string): boolean => p.endsWith('semantics/verdict/hardware.ts')
/** It reads from the row of a unit what an overwrite is called. */
const isDetector = (p: string): boolean => /semantics\/(judging\/detector\/|log\/units)/.test(p)
/** What refuses before the run is all the rest, however it is divided. */
const parts: Readonly<Record<By, (path: string) => boolean>> = {
  detector: isDetector,
  machine: isMachine,
  provenance: isProvenance,
  terms: isTerms,
  otherwise: isOtherwise,
  ends: isEnds,
  hardware: isHardware,
  validation: (p) =>
    !isTerms(p) &&
    !isOtherwise(p) &&
    !isEnds(p) &&
    !isHardware(p) &&
    !isDetector(p) &&
    !isMachine(p) &&
    !isProvenance(p) &&
    !/semantics\/(schedules\/naive|mutation|mending|warps|model|judging\/(?:hazards|silicon|titles|ownership|fix|missing|accept)\.ts)/.test(
      p,
    ),
}

describe('the taxonomy', () => {
  it.each(Object.entries(parts))('law 1: %s gives what the table says that it gives', (by, isPart) => {
    const text = sources(`${root}src/semantics`)
      .filter((p) => isPart(p) && !listing.some((l) => p.endsWith(l)))
      .map((p) => readFileSync(p, 'utf8'))
      .join('\n')
    const given = Object.keys(hazards).filter((id) => text.includes(`'${id}'`))
    const said = Object.entries(hazards).flatMap(([id, h]) => (h.by.some((b) => b === by) ? [id] : []))
    expect(given).toEqual(said)
  })
  it('law 2: what a search looks for, it can see', () => {
    const unseen = Object.entries(hazards).flatMap(([id, h]) =>
      h.witness !== undefined ||
      h.outside === 'always' ||
      h.blocks === true ||
      h.condition === true ||
      h.by.includes('machine')
        ? []
        : [id],
    )
    expect(unseen).toEqual([])
  })
  it('a cause is a cause before it is a consequence', () => {
    const late = Object.entries(hazards).flatMap(([id, h]) =>
      h.cause !== undefined && h.blocks !== true && h.rank === 2 ? [id] : [],
    )
    expect(late).toEqual([])
  })
  it('a sentence for every id, and somebody who gives it', () => {
    for (const [id, h] of Object.entries(hazards))
      expect([id, h.definition.endsWith('.'), h.by.length > 0]).toEqual([id, true, true])
  })
})
