import * as fs from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { accessibilityErrors, at, inBrowser, looks, root } from './browser.js'

const browser = inBrowser()
const places = ['', 'layouts', 'kernels', 'check', 'memory'] as const

describe('the page', () => {
  it('the first view is under 250 KB compressed', () => {
    const bytes = ['index.html', 'page.css', 'page.js']
      .map((file) => gzipSync(fs.readFileSync(`${root}site/dist/${file}`), { level: 9 }).length)
      .reduce((a, b) => a + b)
    expect(bytes).toBeLessThan(250_000)
  })
  it('every place is reached from the header by keyboard', async () => {
    const { page, complaints } = await browser.open()
    for (const name of ['Layouts', 'Kernels', 'Check', 'Memory model']) {
      await page.getByRole('navigation', { name: 'places' }).getByRole('link', { name }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name, exact: true }).and(page.locator('[aria-current=page]')).waitFor()
      expect(await page.title()).toContain(name)
    }
    expect(complaints).toEqual([])
  })
  it.each(looks)('no accessibility error: %s', async (_, view) => {
    for (const place of places) {
      const { page, complaints } = await browser.open(at(`#/${place}`), view)
      await page.locator('main h1').first().waitFor()
      expect([place, await accessibilityErrors(page)]).toEqual([place, []])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([place, overflow <= 0]).toEqual([place, true])
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })
})
