/** The script that is loaded when a search is opened: MiniSearch, and behind it the documents (`tools/site.mjs` puts them there), of which it makes the index. */
import MiniSearch from 'minisearch'
import { asked, options, type Document, type Hit, type Search } from './model.js'

declare global {
  var tcspecSearchOf: ((documents: ReadonlyArray<Document>) => Search) | undefined
}

globalThis.tcspecSearchOf = (documents) => {
  const search = new MiniSearch<Document>(options)
  search.addAll(documents)
  return (query, most) =>
    search
      .search(query, asked)
      .slice(0, most)
      .map((found): Hit => ({
        title: String(found['title']),
        where: String(found['where']),
        href: String(found['href']),
      }))
}
