/**
 * A page of Markdown -> its HTML, its headings and its sections.
 *
 * Every heading has an anchor: its words in lower case with hyphens, as forges make it, numbered where two are alike. A table lies in a box of its own, which
 * scrolls where the page is narrow. A path in code that is a page (`docs/Triton.md`) is a link to it, and so is one in the text.
 *
 * Laws
 * 1. Anchors of a page are different, and those of `headings` are those of the HTML.
 * 2. The sections hold every word of the page once: each is a heading with what stands below it and above the next.
 * 3. A link is what `links.ts` says of it.
 */
import {
  Marked,
  type MarkedToken,
  type RendererObject,
  type Token,
  type TokenizerAndRendererExtension,
  type Tokens,
} from 'marked'
import { escaped, highlighted, languageOf } from './highlight.js'
import { targetOf, targetOfPath, type Target } from './links.js'

export interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}
export interface Section {
  /** null: what stands before the first heading */
  readonly heading: Heading | null
  readonly text: string
}
export interface Page {
  readonly html: string
  readonly title: string
  readonly headings: ReadonlyArray<Heading>
  readonly sections: ReadonlyArray<Section>
}
export interface Options {
  /** path in the repository, from which relative links start */
  readonly source: string
  /** where the tree of sources is to be seen, without a slash at its end; null: nowhere */
  readonly tree: string | null
  /** HTML that stands under a heading, by its anchor */
  readonly under?: ReadonlyMap<string, string>
}

// ---------------------------------------------------------------- words

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const plainOf = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (e) => entities[e] ?? e)

const is =
  <T extends MarkedToken['type']>(type: T) =>
  (token: Token): token is Extract<MarkedToken, { readonly type: T }> =>
    token.type === type
const isHeading = is('heading')
const isTable = is('table')
const isList = is('list')

/** The words of a token, without marks. */
const wordsOf = (token: Token): string => {
  if (isTable(token))
    return [token.header, ...token.rows]
      .map((row) => row.map((cell) => wordsOfAll(cell.tokens)).join(' '))
      .join('\n')
  if (isList(token)) return token.items.map((item) => wordsOfAll(item.tokens)).join('\n')
  if (token.type === 'space') return '\n'
  if ('tokens' in token && Array.isArray(token.tokens)) return wordsOfAll(token.tokens)
  return 'text' in token && typeof token.text === 'string' ? token.text : ''
}
const wordsOfAll = (tokens: ReadonlyArray<Token>): string => tokens.map(wordsOf).join('')

/** As forges make it: lower case, no punctuation, hyphens for spaces. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

// ---------------------------------------------------------------- links

const link = (target: Target, tree: string | null, html: string): string => {
  if (target.to !== 'source') return `<a href="${escaped(target.href)}">${html}</a>`
  if (tree !== null) return `<a href="${escaped(`${tree}/${target.path}`)}">${html}</a>`
  // nowhere to lead: the path is said, unless it is the text
  return plainOf(html).endsWith(target.path.replace(/^.*\//, ''))
    ? html
    : `${html} <span class="path">(<code>${escaped(target.path)}</code>)</span>`
}

/** Of a path in code or in the text: a link if it is a page. */
const pathLink = (path: string, html: string): string | null => {
  const target = targetOfPath(path, '')
  return target.to === 'page' ? link(target, null, html) : null
}

// ---------------------------------------------------------------- a page

/** Headings in their order, each with an anchor of its own. */
const headingsIn = (tokens: ReadonlyArray<Token>): ReadonlyMap<Token, Heading> => {
  const used = new Map<string, number>()
  return new Map(
    tokens.flatMap((token): ReadonlyArray<readonly [Token, Heading]> => {
      if (!isHeading(token)) return []
      const { depth } = token
      const text = wordsOf(token)
      const base = anchorOf(text)
      const before = used.get(base) ?? 0
      used.set(base, before + 1)
      return [[token, { depth, text, anchor: before === 0 ? base : `${base}-${String(before)}` }]]
    }),
  )
}

const sectionsIn = (
  tokens: ReadonlyArray<Token>,
  headings: ReadonlyMap<Token, Heading>,
): ReadonlyArray<Section> => {
  const parts: { heading: Heading | null; tokens: Token[] }[] = [{ heading: null, tokens: [] }]
  for (const token of tokens) {
    const heading = headings.get(token)
    if (heading !== undefined) parts.push({ heading, tokens: [] })
    else parts[parts.length - 1]?.tokens.push(token)
  }
  return parts
    .map((part) => ({ heading: part.heading, text: part.tokens.map(wordsOf).join('\n').trim() }))
    .filter((section) => section.heading !== null || section.text !== '')
}

const renderer = (options: Options, headings: ReadonlyMap<Token, Heading>): RendererObject => ({
  heading(token) {
    const h = headings.get(token)
    const inside = this.parser.parseInline(token.tokens)
    if (h === undefined) return `<p><strong>${inside}</strong></p>\n`
    const level = String(h.depth)
    const self =
      h.depth === 1
        ? ''
        : ` <a class="anchor" href="#${h.anchor}" aria-label="link to: ${escaped(h.text)}">#</a>`
    return `<h${level} id="${h.anchor}">${inside}${self}</h${level}>\n${options.under?.get(h.anchor) ?? ''}`
  },
  code({ text, lang }) {
    const [fence = '', file] = (lang ?? '').split(' ')
    const language = languageOf(fence, text)
    const caption = file === undefined ? '' : `<figcaption><code>${escaped(file)}</code></figcaption>`
    const pre = `<pre tabindex="0"><code${language === null ? '' : ` class="language-${language}"`}>${highlighted(language, text)}</code></pre>`
    return caption === '' ? `${pre}\n` : `<figure class="file">${caption}${pre}</figure>\n`
  },
  codespan({ text }) {
    const html = `<code>${escaped(text)}</code>`
    return pathLink(text, html) ?? html
  },
  link({ href, tokens }) {
    // a path in the words of a link is no link of its own
    const words = this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, '')
    return link(targetOf(options.source, href), options.tree, words)
  },
  image({ href, text }) {
    const target = targetOf(options.source, href)
    return target.to === 'source'
      ? escaped(text)
      : `<img src="${escaped(target.href)}" alt="${escaped(text)}" loading="lazy">`
  },
  html({ text }) {
    // pages have no HTML of their own
    return escaped(text)
  },
  table(token) {
    const row = (cells: ReadonlyArray<Tokens.TableCell>, tag: 'td' | 'th'): string =>
      `<tr>${cells
        .map(
          (cell) =>
            `<${tag}${tag === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(cell.tokens)}</${tag}>`,
        )
        .join('')}</tr>`
    // a header of no words would be read out as nothing
    const head = token.header.some((cell) => cell.text !== '')
      ? `<thead>${row(token.header, 'th').replace(/<th scope="col"><\/th>/g, '<td></td>')}</thead>`
      : ''
    return `<div class="wide" tabindex="0" role="group" aria-label="table"><table>${head}<tbody>${token.rows
      .map((cells) => row(cells, 'td'))
      .join('')}</tbody></table></div>\n`
  },
})

/** Paths of pages in the text: `docs/hazards.md has the theorem`. */
const pathsInText: TokenizerAndRendererExtension = {
  name: 'path',
  level: 'inline',
  start: (text: string): number | undefined => {
    const at = text.indexOf('docs/')
    return at < 0 ? undefined : at
  },
  tokenizer: (text: string): Tokens.Generic | undefined => {
    const path = /^docs\/[\w-]+\.md/.exec(text)?.[0]
    return path === undefined ? undefined : { type: 'path', raw: path, text: path }
  },
  renderer: (token: Tokens.Generic): string => {
    const path = String(token['text'])
    return pathLink(path, escaped(path)) ?? escaped(path)
  },
}

/** The page. */
export const pageOf = (text: string, options: Options): Page => {
  const reader = new Marked({ gfm: true })
  reader.use({ extensions: [pathsInText] })
  const tokens = reader.lexer(text)
  const headings = headingsIn(tokens)
  reader.use({ renderer: renderer(options, headings) })
  const all = [...headings.values()]
  return {
    html: reader.parser(tokens),
    title: all.find((h) => h.depth === 1)?.text ?? options.source,
    headings: all,
    sections: sectionsIn(tokens, headings),
  }
}
