/** What stands around the text of a page without any script: the head, and the header with its links. `guide.js` puts the header of the page itself in its place. */
import { writeAddress } from '../src/address.js'
import { placeNames } from '../src/look/place-names.js'
import type { Shell } from './frame.js'
import { escaped } from './highlight.js'

/** As on the page itself: what was chosen holds from the first moment on. */
const theme = `try { const t = localStorage.getItem('tcspec-theme'); if (t === 'light' || t === 'dark') document.documentElement.dataset.theme = t } catch {}`

const links = placeNames
  .map(([place, words]) => {
    const href = `../index.html${writeAddress({ place, params: {} })}`
    return `<a href="${escaped(href)}">${escaped(words)}</a>`
  })
  .join('')

export const shellOf = (withApi: boolean): Shell => ({
  withApi,
  head: `<link rel="icon" href="data:,">
<script>${theme}</script>
<link rel="stylesheet" href="../guide.css">`,
  header: `<div id="top"><header class="top"><a class="name" href="../index.html#/">tensorcore-spec</a><nav aria-label="places">${links}<a href="index.html" aria-current="page">Guide</a></nav></header></div>`,
  scripts: '<script src="../guide.js"></script>',
})
