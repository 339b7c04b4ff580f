/**
 * The frame of a page: head, header, the table of pages, what is on this page, the text.
 *
 * No script is needed to read it. On a narrow screen what is on this page stands above the text, and the table of pages below it.
 */
import { escaped } from './highlight.js'
import type { Heading, Page } from './markdown.js'
import { addressOf, groups } from './nav.js'

const nested = (headings: ReadonlyArray<Heading>): string => {
  const item = (h: Heading): string => `<a href="#${h.anchor}">${escaped(h.text)}</a>`
  const parts: { readonly head: Heading; readonly below: Heading[] }[] = []
  for (const h of headings) {
    if (h.depth === 2) parts.push({ head: h, below: [] })
    else if (h.depth === 3) {
      const last = parts[parts.length - 1]
      if (last === undefined) parts.push({ head: h, below: [] })
      else last.below.push(h)
    }
  }
  return `<ul>${parts
    .map(({ head, below }) => {
      const inside = below.length === 0 ? '' : `<ul>${below.map((h) => `<li>${item(h)}</li>`).join('')}</ul>`
      return `<li>${item(head)}${inside}</li>`
    })
    .join('')}</ul>`
}

const pages = (current: string, withApi: boolean): string =>
  groups
    .map(
      (g) =>
        `<h2>${escaped(g.title)}</h2><ul>${g.entries
          .map((e) => {
            const at = addressOf(e.source)
            return `<li><a href="${at}"${e.source === current ? ' aria-current="page"' : ''}>${escaped(e.title)}</a></li>`
          })
          .join('')}</ul>`,
    )
    .join('') +
  (withApi ? '<h2>The library</h2><ul><li><a href="../api/index.html">API reference</a></li></ul>' : '')

/** The head and header come from the shell: the same on every page. */
export interface Shell {
  /** within `<head>`: style sheets, the switch of light and dark */
  readonly head: string
  readonly header: string
  /** is the reference of the API beside the guide? */
  readonly withApi: boolean
  /** at the end of `<body>` */
  readonly scripts: string
}

export const framed = (source: string, page: Page, shell: Shell): string => {
  const inside = page.headings.filter((h) => h.depth === 2 || h.depth === 3)
  const toc =
    inside.length < 2
      ? ''
      : `<nav class="on-this-page" aria-label="On this page"><details open><summary>On this page</summary>${nested(inside)}</details></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · tensorcore-spec</title>
${shell.head}
</head>
<body class="guide">
<a class="skip" href="#text">To the text</a>
${shell.header}
<div class="guide-columns">
<main id="text" tabindex="-1"><article>
${page.html}</article></main>
${toc}
<nav class="pages" id="pages" aria-label="Guide">${pages(source, shell.withApi)}</nav>
</div>
${shell.scripts}
</body>
</html>
`
}
