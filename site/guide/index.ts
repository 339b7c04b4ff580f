/** The guide, the API reference and the documents of a search over both, written to the folder of the site. `tools/site.mjs` calls it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { apiReference } from './api.js'
import { guideFiles, guidePages } from './build.js'
import { crossings } from './crossings.js'
import type { Document } from '../src/search/model.js'
import { documentsOf } from './search.js'
import { shellOf } from './shell.js'

export interface Writing {
  /** of the repository */
  readonly root: string
  readonly out: string
  /** where the sources are to be seen, without a slash at its end; null: nowhere */
  readonly tree: string | null
  readonly withApi: boolean
}

/** Writes it; gives what is searched, and how many milliseconds each part took. Null: typedoc has said why not. */
export const writeGuide = async ({
  root,
  out,
  tree,
  withApi,
}: Writing): Promise<{
  readonly documents: ReadonlyArray<Document>
  readonly took: ReadonlyArray<readonly [string, number]>
} | null> => {
  const took: (readonly [string, number])[] = []
  let before = performance.now()
  const lap = (what: string): void => {
    const now = performance.now()
    took.push([what, now - before])
    before = now
  }
  const under = crossings()
  lap('hazards and clauses')
  const pages = guidePages({ root, tree, under })
  for (const { path, content } of guideFiles(root, pages, shellOf(withApi))) {
    const file = join(out, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  lap('guide')
  const api = withApi ? await apiReference(root, join(out, 'api')) : ({ names: [], made: false } as const)
  if (api === null) return null
  lap(api.made ? 'API reference' : 'API reference, as it was')
  const documents = documentsOf(pages, api.names)
  lap('search')
  return { documents, took }
}
