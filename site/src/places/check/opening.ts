/** The kernel that Check opens with. Its answers are made when the page is built (`tools/site.mjs`), by the library that the page asks for all others. */
import { empty, type State } from './subject.js'

/** The state of the place for the texts of `row_scale`, with a launch of its own: two programs, a tile each. */
export const openingOf = (ttgir: string, author: string): State => ({
  ...empty,
  name: 'row_scale.ttgir',
  text: ttgir,
  beside: { 'row_scale.py': author },
  grid: '2',
  arg: { dx: 'f16[128,64]:in', dy: 'f16[128,64]:out' },
})
