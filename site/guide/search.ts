/**
 * What is searched: a document for each section of the guide and each name of the API.
 *
 * What a word finds is a heading; of the text below it each word is kept once, without the words of tables of measured numbers and of what a tool prints, which no reader looks for
 * by words. The documents are what the page loads when a search is opened, and it makes their index then: a list of words is half as long as the index of them.
 *
 * Laws
 * 1. Every heading of the guide is found by its words, and leads to its anchor.
 * 2. Every name of the API that is given is found by it.
 */
import { wordsOf, type Document } from '../src/search/model.js'
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
