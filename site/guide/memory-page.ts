/**
 * docs/MemoryModel.md as the place of the memory model has it: its sections as HTML, its clauses each with a test that is live there, and its table of hazards.
 *
 * Made when the site is built, like the guide and by the same reader of Markdown. The blocks of the tests and what they say are left out: the page draws and asks them.
 *
 * Laws
 * 1. Every clause of the model is in one section, with the lines and the options of its test.
 * 2. A clause has a hazard iff the row of the hazard has the clause.
 */
import { clauses as known } from '../../src/semantics/model/index.js'
import { hazards } from '../../src/semantics/judging/hazards.js'
import type { MemoryClause, MemoryHazard, MemoryPage, MemorySection } from '../src/places/memory/model.js'
import { anchorOf, pageOf } from './markdown.js'

const source = 'docs/MemoryModel.md'

/** HTML of a part without headings; links lead from the place to the guide, and names of clauses to themselves. */
const html = (markdown: string, self: string | null = null): string => {
  const { html: made } = pageOf(markdown, { source, tree: null })
  return made
    .replace(/href="(?!#|[a-z]+:)/g, 'href="guide/')
    .replace(/<code>([\w-]+)<\/code>/g, (all, id: string) =>
      id !== self && known.some((c) => c.id === id) ? `<a href="#/memory?clause=${id}">${all}</a>` : all,
    )
    .trim()
}

interface Part {
  readonly title: string
  readonly body: string
}
/** A text cut at its headings of one depth: what stands before the first, and the parts. */
const cut = (text: string, depth: number): readonly [before: string, parts: ReadonlyArray<Part>] => {
  const [before = '', ...parts] = text.split(new RegExp(`^${'#'.repeat(depth)} `, 'm'))
  return [
    before,
    parts.map((part) => {
      const end = part.indexOf('\n')
      return { title: part.slice(0, end).trim(), body: part.slice(end + 1) }
    }),
  ]
}

const clauseOf = ({ title, body }: Part): ReadonlyArray<MemoryClause> => {
  const clause = known.find((c) => c.id === title)
  if (clause === undefined) return []
  const { litmus } = clause
  return [
    {
      id: clause.id,
      html: html(body.split('```')[0] ?? '', clause.id),
      lines: litmus.log,
      options: {
        strict: litmus.options?.strict === true,
        strictProxies: litmus.options?.strictProxies === true,
        documented: litmus.options?.tensorPipe === 'documented',
      },
    },
  ]
}

const wordsIn = (cell: string): ReadonlyArray<string> =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, w]) => w ?? '')

const hazardsIn = (body: string): ReadonlyArray<MemoryHazard> =>
  [...body.matchAll(/^\| ([A-Z]\d+) +\| (.*) \| (.*) \|$/gm)].flatMap(
    ([, id = '', missed = '', refused = '']) => {
      const hazard = Object.entries(hazards).find(([key]) => key === id)?.[1]
      return hazard === undefined
        ? []
        : [
            {
              id,
              title: hazard.title,
              href: `guide/hazards.html#${anchorOf(`${id} ${hazard.title}`)}`,
              missed: wordsIn(missed),
              refused: wordsIn(refused),
            },
          ]
    },
  )

const sectionOf = ({ title, body }: Part): MemorySection => {
  const [before, parts] = cut(body, 3)
  const rows = hazardsIn(before)
  const [lead, after] =
    rows.length === 0 ? [before, ''] : [before.split(/^\|/m)[0] ?? '', before.split(/^\|.*\n/m).at(-1) ?? '']
  return {
    title,
    anchor: anchorOf(title),
    html: html(lead),
    clauses: parts.flatMap(clauseOf),
    hazards: rows,
    after: html(after),
  }
}

/** Of the text of docs/MemoryModel.md. */
export const memoryPage = (text: string): MemoryPage => {
  const [lead, parts] = cut(text.replace(/^# .*\n/, ''), 2)
  return { lead: html(lead), sections: parts.map(sectionOf) }
}
