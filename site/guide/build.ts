/**
 * The guide: files of the repository -> pages of the site.
 *
 *     guide/NAME.html          a page for each row of `nav.ts`
 *     guide/*.svg, sweeps/     what pages show and link to
 *     schemas/*.json           the schemas as they are
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Shell } from './frame.js'
import { framed } from './frame.js'
import { pageOf, type Page } from './markdown.js'
import { addressOf, entries, schemasPage, type Entry } from './nav.js'
import { schemasText } from './schemas.js'

export interface File {
  /** in the folder of the site */
  readonly path: string
  readonly content: string | Uint8Array
}
export interface Built {
  readonly entry: Entry
  readonly page: Page
}

const namesIn = (folder: string, end: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .sort()

/** The Markdown of a page. */
export const textOf = (root: string, entry: Entry): string =>
  entry.source === schemasPage.source
    ? schemasText(
        namesIn(join(root, 'schemas'), '.schema.json').map((name) => [
          name.replace('.schema.json', ''),
          JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8')),
        ]),
      )
    : readFileSync(join(root, entry.source), 'utf8')

export interface Options {
  readonly root: string
  /** where the sources are to be seen; null: nowhere */
  readonly tree: string | null
  /** HTML under headings, by page and anchor */
  readonly under: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The pages, without their frame. */
export const guidePages = ({ root, tree, under }: Options): ReadonlyArray<Built> =>
  entries.map((entry) => ({
    entry,
    page: pageOf(textOf(root, entry), {
      source: entry.source,
      tree,
      under: under.get(entry.source) ?? new Map(),
    }),
  }))

const copied = (root: string): ReadonlyArray<File> =>
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('.md') && statSync(join(root, 'docs', name)).isFile())
    .sort()
    .map((name) => ({ path: `guide/${name}`, content: readFileSync(join(root, 'docs', name)) }))

/** All files of the guide. */
export const guideFiles = (root: string, pages: ReadonlyArray<Built>, shell: Shell): ReadonlyArray<File> => [
  ...pages.map(({ entry, page }) => ({
    path: `guide/${addressOf(entry.source)}`,
    content: framed(entry.source, page, shell),
  })),
  ...copied(root),
  ...namesIn(join(root, 'schemas'), '.schema.json').map((name) => ({
    path: `schemas/${name}`,
    content: readFileSync(join(root, 'schemas', name)),
  })),
]
