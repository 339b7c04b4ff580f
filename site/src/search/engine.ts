/** The script that is loaded when a search is opened: MiniSearch, and behind it the index (`tools/site.mjs` puts it there). */
import MiniSearch from 'minisearch'
import { asked, options, type Hit, type Search } from './model.js'

declare global {
  var tcspecSearchOf: ((index: string) => Search) | undefined
}

globalThis.tcspecSearchOf = (index) => {
  const search = MiniSearch.loadJSON(index, options)
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
