/**
 * What is searched: sections of the guide (hazards, commands and schemas are sections), and names of the API. The documents are gathered when the site is built
 * (`site/guide/search.ts`), indexed and asked in the browser (`engine.ts`); both read here what a document is and how it is told apart into words.
 */

/** A document, without what is only looked through. */
export interface Hit {
  readonly title: string
  /** the page that it is on */
  readonly where: string
  /** from the root of the site */
  readonly href: string
}
export interface Document extends Hit {
  readonly id: number
  readonly text: string
}
/** Words -> documents, the best first. */
export type Search = (query: string, most: number) => ReadonlyArray<Hit>

/** `hopperMatmul`, `wait_group`, `tcgen05.mma` are words, and so are their parts. */
export const wordsOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}_.$-]+/u).flatMap((word) => {
    const bare = word.replace(/^[._$-]+|[._$-]+$/g, '')
    if (bare === '') return []
    const parts = bare
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((part) => part !== '')
    return parts.length === 1 ? [bare] : [bare, ...parts]
  })

export interface Options {
  fields: string[]
  storeFields: string[]
  tokenize: (text: string) => string[]
  processTerm: (term: string) => string
}
export const options: Options = {
  fields: ['title', 'text'],
  storeFields: ['title', 'where', 'href'],
  tokenize: wordsOf,
  processTerm: (term) => term.toLowerCase(),
}

/** How it is asked: every word, by its beginning, a long one with a slip; a title counts most. */
export interface Asked {
  prefix: boolean
  fuzzy: (term: string) => number | boolean
  boost: Record<string, number>
  combineWith: 'AND'
}
export const asked: Asked = {
  prefix: true,
  fuzzy: (term) => (term.length > 5 ? 0.15 : false),
  boost: { title: 4 },
  combineWith: 'AND',
}
