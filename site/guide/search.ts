/**
 * The index of the search: a document for each section of the guide and each name of the API.
 *
 * What a word finds is a heading; of the text below it each word is kept once, without the words of tables of measured numbers and of what a tool prints, which no reader looks for
 * by words. So the index stays small enough to be loaded when a search is opened.
 *
 * Laws
 * 1. Every heading of the guide is found by its words, and leads to its anchor.
 * 2. Every name of the API that is given is found by it.
 */
import MiniSearch from 'minisearch'
import { options, type Document } from '../src/search/model.js'
import { wordsOf } from '../src/search/model.js'
import type { Built } from './build.js'
import { addressOf } from './nav.js'

/** A name of the API, with the page it is on. */
export interface Named {
  readonly name: string
  /** `semantics.builder` */
  readonly within: string
  /** from the folder of the API */
  readonly url: string
}

/** Each word once; numbers are looked for in no text. */
const different = (text: string): string =>
  [...new Set(wordsOf(text))].filter((word) => /\p{L}/u.test(word) && word.length < 40).join(' ')

const ofPages = (pages: ReadonlyArray<Built>): ReadonlyArray<Omit<Document, 'id'>> =>
  pages.flatMap(({ entry, page }) =>
    page.sections.map(({ heading, text }) => ({
      title: heading === null ? page.title : heading.text,
      where: entry.title,
      href: `guide/${addressOf(entry.source)}${heading === null || heading.depth === 1 ? '' : `#${heading.anchor}`}`,
      text: different(text),
    })),
  )

const ofNames = (names: ReadonlyArray<Named>): ReadonlyArray<Omit<Document, 'id'>> =>
  names.map(({ name, within, url }) => ({
    title: name,
    where: `API: ${within}`,
    href: `api/${url}`,
    text: '',
  }))

export const documentsOf = (
  pages: ReadonlyArray<Built>,
  names: ReadonlyArray<Named>,
): ReadonlyArray<Document> =>
  [...ofPages(pages), ...ofNames(names)].map(({ title, where, href, text }, id) => ({
    id,
    title,
    where,
    href,
    text,
  }))

/** The index, as the text that `engine.ts` reads. */
export const indexOf = (documents: ReadonlyArray<Document>): string => {
  const index = new MiniSearch<Document>(options)
  index.addAll(documents)
  return JSON.stringify(index)
}
