/**
 * Pages of typedoc as axe wants them: what a reader who hears a page, or has only a keyboard, cannot do without.
 *
 * | typedoc                                     | here                                                              |
 * |---------------------------------------------|-------------------------------------------------------------------|
 * | the content is a `div`                      | it is `main`                                                      |
 * | so is the menu of the page                  | it is `aside`                                                     |
 * | two lists of links, neither with a name     | each has one                                                      |
 * | a permalink inside of a `summary`           | none there: what opens and closes holds nothing else to press     |
 * | headings that leave levels out              | none is more than one level below the one before                  |
 *
 * Links in running text are underlined by `api.css`; modules of the tree are leaves (`api.ts`), since a `summary` with a link is two things in one.
 *
 * Laws
 * 1. The text that a reader sees is the same.
 * 2. It is idempotent.
 */

/** Levels of headings, one after another: as deep as before, but no deeper than one below the last. */
const levelled = (html: string): string => {
  let last = 0
  return html.replace(
    /<h([1-6])\b([^>]*)>([^]*?)<\/h\1>/gu,
    (_, said: string, attributes: string, body: string) => {
      last = Math.min(Number(said), last + 1)
      return `<h${String(last)}${attributes}>${body}</h${String(last)}>`
    },
  )
}

export const accessible = (html: string): string =>
  levelled(
    html
      .replace(
        /<div class="col-content">([^]*)<\/div>(\s*)<div class="col-sidebar">/u,
        '<main class="col-content">$1</main>$2<div class="col-sidebar">',
      )
      .replace(
        /<div class="page-menu">([^]*)<\/div>(\s*)<div class="site-menu">/u,
        '<aside class="page-menu" aria-label="This page">$1</aside>$2<div class="site-menu">',
      )
      .replace(
        '<nav id="tsd-sidebar-links" class="tsd-navigation">',
        '<nav id="tsd-sidebar-links" class="tsd-navigation" aria-label="Other pages">',
      )
      .replace('<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Modules">')
      .replace(/<summary\b[^]*?<\/summary>/gu, (summary) =>
        summary.replace(/<a\b[^>]*class="tsd-anchor-icon"[^]*?<\/a>/gu, ''),
      ),
  )
