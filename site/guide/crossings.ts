/**
 * What leads from a hazard to its kernels live, to the clauses that decide it and to the evidence, and from a clause back to its hazards: HTML under the headings of two pages.
 *
 * Nothing is read off the pages: ids and titles are those of the taxonomy, kernels those of the zoo, and which clause a hazard needs is found by leaving each clause out.
 *
 * Laws
 * 1. Every id of the taxonomy has a row, with each of its kernels live, and a clause or a source.
 * 2. Every clause has a row, and a hazard names a clause iff the clause names the hazard.
 */
import { programName, zoo } from '../../src/kernels/broken/zoo/index.js'
import { evidence, needs, type Needs } from '../../src/render/hazards/index.js'
import { hazardIds, hazards } from '../../src/semantics/judging/hazards.js'
import type { HazardId } from '../../src/semantics/judging/finding.js'
import { clauses } from '../../src/semantics/model/index.js'
import { writeAddress } from '../src/address.js'
import { empty, paramsOf, type State } from '../src/places/check/subject.js'
import { escaped } from './highlight.js'
import { anchorOf } from './markdown.js'

const link = (href: string, words: string): string => `<a href="${escaped(href)}">${words}</a>`
const code = (words: string): string => `<code>${escaped(words)}</code>`

export const hazardAnchor = (id: HazardId): string => anchorOf(`${id} ${hazards[id].title}`)

/** The address of the place where kernels are checked, in a state of it, from a page of the guide. */
const checked = (state: State): string => {
  const params = Object.entries(paramsOf(state)).filter((pair): pair is [string, string] => pair[1] !== null)
  return `../index.html${writeAddress({ place: 'check', params: Object.fromEntries(params) })}`
}

const rows = (all: ReadonlyArray<readonly [string, ReadonlyArray<string>]>): string =>
  `<dl class="crossings">${all
    .filter(([, items]) => items.length > 0)
    .map(([term, items]) => `<dt>${term}</dt><dd>${items.join('<br>')}</dd>`)
    .join('')}</dl>\n`

const kernels = (id: HazardId): ReadonlyArray<string> =>
  zoo
    .filter((t) => t.id === id)
    .map((t) =>
      [false, true]
        .map((mended) => {
          const name = programName(t, mended)
          return link(
            checked({
              ...empty,
              kernel: name,
              strict: t.shows.strict ?? false,
              strictProxies: t.shows.strictProxies ?? false,
            }),
            code(name),
          )
        })
        .join(', mended '),
    )

const clauseLink = (id: string): string => link(`MemoryModel.html#${anchorOf(id)}`, code(id))

const sources = (id: HazardId, missed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = evidence[id]
  return [
    ...clauses.filter((c) => missed.includes(c.id)).map((c) => `${clauseLink(c.id)}: ${escaped(c.source)}`),
    ...(own === undefined ? [] : [escaped(own.source)]),
    ...(own?.captured === undefined
      ? []
      : [
          `captured on an H100, ${code(`conformance/hopper/${own.captured.file}`)}: ${escaped(own.captured.shows)}`,
        ]),
  ]
}

const underHazards = (all: ReadonlyArray<Needs>): ReadonlyMap<string, string> =>
  new Map(
    hazardIds.map((id) => {
      const found = all.find((n) => n.id === id)
      const missed = found?.missed ?? []
      const refused = (found?.refused ?? []).filter((c) => !missed.includes(c))
      return [
        hazardAnchor(id),
        rows([
          ['Live', kernels(id)],
          ['Found by', missed.length === 0 ? [] : [missed.map(clauseLink).join(', ')]],
          ['Mended by', refused.length === 0 ? [] : [refused.map(clauseLink).join(', ')]],
          ['Evidence', sources(id, missed)],
        ]),
      ]
    }),
  )

const underClauses = (all: ReadonlyArray<Needs>): ReadonlyMap<string, string> =>
  new Map(
    clauses.map((c) => {
      const links = (which: 'missed' | 'refused'): ReadonlyArray<string> => {
        const ids = all
          .filter((n) => n[which].includes(c.id) && (which === 'missed' || !n.missed.includes(c.id)))
          .map((n) => link(`hazards.html#${hazardAnchor(n.id)}`, n.id))
        return ids.length === 0 ? [] : [ids.join(', ')]
      }
      return [
        anchorOf(c.id),
        rows([
          [
            'Live',
            [
              link(
                `../index.html${writeAddress({ place: 'memory', params: { clause: c.id } })}`,
                'its litmus test',
              ),
            ],
          ],
          ['Finds', links('missed')],
          ['Mends', links('refused')],
        ]),
      ]
    }),
  )

/** HTML under headings, by page and anchor. */
export const crossingsOf = (all: ReadonlyArray<Needs>): ReadonlyMap<string, ReadonlyMap<string, string>> =>
  new Map([
    ['docs/hazards.md', underHazards(all)],
    ['docs/MemoryModel.md', underClauses(all)],
  ])

export const crossings = (): ReadonlyMap<string, ReadonlyMap<string, string>> => crossingsOf(needs())
