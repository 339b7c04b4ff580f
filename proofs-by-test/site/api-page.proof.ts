/** Pages of typedoc, made accessible: nothing that is read changes, headings leave no level out, and what opens holds no link. The pages that are built are asked by axe (proofs-in-browser/guides.proof.ts). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessible } from '../../site/guide/api-page.js'

const textOf = (html: string): string => html.replace(/<[^>]*>/gu, '')
const levelsOf = (html: string): ReadonlyArray<number> =>
  [...html.matchAll(/<h([1-6])\b/gu)].map(([, level]) => Number(level))

const page = (body: string): string =>
  `<header></header><div class="container">
<div class="col-content">${body}</div>
<div class="col-sidebar"><div class="page-menu"><div><h3>Settings</h3></div></div>
<div class="site-menu"><nav id="tsd-sidebar-links" class="tsd-navigation"></nav>
<nav class="tsd-navigation"></nav></div></div></div>`

const heading = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('a', 'b <span>c</span>'))

test('laws 1 and 2: the text stays, and once is enough', () => {
  fc.assert(
    fc.property(fc.array(heading, { maxLength: 8 }), (headings) => {
      const body = headings.map(([n, text]) => `<h${String(n)} class="x">${text}</h${String(n)}><div>d</div>`)
      const before = page(body.join(''))
      const made = accessible(before)
      expect(textOf(made)).toBe(textOf(before))
      expect(accessible(made)).toBe(made)
      const levels = levelsOf(made)
      for (const [i, level] of levels.entries()) {
        expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1)
        expect(level).toBeLessThanOrEqual(levelsOf(before)[i]!)
      }
      expect([made.match(/<main /gu)?.length, made.match(/<\/main>/gu)?.length]).toEqual([1, 1])
      expect([made.match(/<aside /gu)?.length, made.match(/aria-label=/gu)?.length]).toEqual([1, 3])
      expect(made.match(/<div/gu)?.length).toBe(made.match(/<\/div>/gu)?.length)
    }),
  )
})

test('a permalink stays where it is alone, and goes where it would be pressed together with what opens', () => {
  const link = '<a href="#x" aria-label="Permalink" class="tsd-anchor-icon"><svg></svg></a>'
  const made = accessible(
    page(`<h1>t</h1>${link}<details><summary><h2>s${link}</h2></summary>${link}</details>`),
  )
  expect(made.split(link)).toHaveLength(3)
  expect(/<summary>(.*)<\/summary>/u.exec(made)![1]).toBe('<h2>s</h2>')
})
