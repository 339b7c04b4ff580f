/** The guide as a reader has it who opened a folder: no link leads nowhere, axe finds nothing, the search is one of the keyboard, and every hazard is a link to its kernel. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { hazardAnchor } from '../site/guide/crossings.js'
import { readAddress } from '../site/src/address.js'
import { programName, zoo } from '../src/kernels/broken/zoo/index.js'
import { hazardIds } from '../src/semantics/judging/hazards.js'
import { accessibilityErrors, at, inBrowser, looks, root } from './browser.js'

const browser = inBrowser()
const built = `${root}site/dist/`
const pages = fs
  .readdirSync(`${built}guide`)
  .filter((name) => name.endsWith('.html'))
  .map((name) => `guide/${name}`)

describe('links', () => {
  it('no link of a page of the guide, and none of a reference’s first pages, leads nowhere', () => {
    const doors = fs.existsSync(`${built}api`)
      ? fs
          .readdirSync(`${built}api`)
          .filter((name) => name.endsWith('.html'))
          .map((name) => `api/${name}`)
      : []
    const text = (file: string): string => fs.readFileSync(file, 'utf8')
    const dead = [...pages, ...doors].flatMap((page) =>
      [...text(`${built}${page}`).matchAll(/<(?:a|link|script|img)\b[^>]*? (?:href|src)="([^"]*)"/g)].flatMap(
        ([, raw]) => {
          const url = new URL(raw!.replaceAll('&amp;', '&'), pathToFileURL(`${built}${page}`))
          if (url.protocol !== 'file:') return []
          const file = fileURLToPath(new URL(url.pathname, 'file:'))
          if (!fs.existsSync(file)) return [`${page}: ${raw!}`]
          const anchor = decodeURIComponent(url.hash.slice(1))
          // a hash of the page itself is a place, which `readAddress` reads
          if (anchor === '' || path.basename(file) === 'index.html' || page.startsWith('api/')) return []
          return text(file).includes(` id="${anchor}"`) ? [] : [`${page}: ${raw!}`]
        },
      ),
    )
    expect(dead).toEqual([])
    expect(pages.length).toBeGreaterThan(25)
  })
  it('the search is loaded when it is opened: under 200 KB, compressed', () => {
    expect(gzipSync(fs.readFileSync(`${built}search.js`), { level: 9 }).length).toBeLessThan(200 * 1024)
  })
  it('what the search knows is there', async () => {
    const { page } = await browser.open(at('', 'guide/index.html'))
    await page.getByRole('combobox').fill('wait')
    await page.getByRole('option').first().waitFor()
    const hrefs = await page.evaluate(() => {
      const { tcspecSearch: search } = globalThis as unknown as {
        readonly tcspecSearch: (query: string, most: number) => ReadonlyArray<{ readonly href: string }>
      }
      return ['wait', 'matmul', 'check', 'layout', 'W1', 'tcspec'].flatMap((query) =>
        search(query, 200).map((hit) => hit.href),
      )
    })
    expect(hrefs.length).toBeGreaterThan(200)
    expect(hrefs.filter((href) => !fs.existsSync(`${built}${href.replace(/#.*$/, '')}`))).toEqual([])
    await page.context().close()
  })
})

describe('pages', () => {
  it.each(looks)('no accessibility error in the reference: %s', async (_, view) => {
    const reference = `${built}api/`
    if (!fs.existsSync(reference)) return
    const all = fs
      .readdirSync(reference, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .sort()
    // the first of each kind of page, and every five hundredth
    const kinds = new Map(
      all
        .map(
          (name) =>
            [/<h1[^>]*>\s*(\w+)/u.exec(fs.readFileSync(`${reference}${name}`, 'utf8'))?.[1], name] as const,
        )
        .reverse(),
    )
    const some = new Set(['index.html', ...kinds.values(), ...all.filter((_name, i) => i % 500 === 250)])
    expect(some.size).toBeGreaterThan(5)
    for (const name of some) {
      const { page } = await browser.open(at('', `api/${name}`), view)
      await page.locator('#tsd-nav-container a').first().waitFor({ state: 'attached' })
      expect([name, await accessibilityErrors(page)]).toEqual([name, []])
      await page.context().close()
    }
  })
  it.each(looks)('no accessibility error, and nothing is wider than the screen: %s', async (_, view) => {
    for (const file of ['index', 'hazards', 'FirstKernel', 'MemoryModel', 'Schemas']) {
      const { page, complaints } = await browser.open(at('', `guide/${file}.html`), view)
      await page.getByRole('combobox').waitFor()
      expect([file, await accessibilityErrors(page)]).toEqual([file, []])
      expect([file, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([
        file,
        0,
      ])
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })
  it('are read without a script', async () => {
    const { page } = await browser.open(at('', 'guide/hazards.html'), { scripts: false })
    await page
      .getByRole('navigation', { name: 'Guide' })
      .getByRole('link', { name: 'The memory model' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'The memory model' }).waitFor()
    await page.getByRole('navigation', { name: 'places' }).getByRole('link', { name: 'Guide' }).waitFor()
    await page.context().close()
  })
})

describe('the search, by keyboard', () => {
  it.each([
    ['the page', 'index.html'],
    ['a page of the guide', 'guide/Serve.html'],
  ])('%s: a slash enters it, arrows choose, Enter goes there, Escape leaves', async (_, file) => {
    const { page, complaints } = await browser.open(at('', file))
    const box = page.getByRole('combobox', { name: 'Search the guide and the API' })
    await box.waitFor()
    await page.keyboard.press('/')
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('proxy fence')
    const options = page.getByRole('option')
    await options.nth(1).waitFor()
    expect(await box.getAttribute('aria-expanded')).toBe('true')
    const chosen = async (): Promise<string | null> =>
      page.locator('[role=option][aria-selected=true]').getAttribute('id')
    expect(await chosen()).toBe('search-0')
    await page.keyboard.press('ArrowDown')
    expect([await chosen(), await box.getAttribute('aria-activedescendant')]).toEqual([
      'search-1',
      'search-1',
    ])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await chosen()).toBe(`search-${String((await options.count()) - 1)}`)
    expect(await accessibilityErrors(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await options.count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(false)
    await page.keyboard.press('/')
    await page.keyboard.type('tcspec sweep')
    await options.first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/guide\/.*\.html/)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('hazards, live', () => {
  it('every link of every hazard opens its kernel, and shows the hazard', { timeout: 240_000 }, async () => {
    const { page, complaints } = await browser.open(at('', 'guide/hazards.html'))
    const hashes = await page
      .locator('.crossings a[href*="index.html#/check"]')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')?.replace(/^[^#]*/, '') ?? ''))
    expect(hashes.length).toBe(2 * zoo.length)
    // one page goes from link to link: each is judged anew
    await page.goto(at(hashes[0]))
    const wrong: string[] = []
    for (const hash of hashes) {
      const kernel = readAddress(hash).params['kernel'] ?? ''
      await page.evaluate((to) => {
        location.hash = to
      }, hash)
      const command = page.getByRole('region', { name: 'command line', exact: true })
      await command.getByText(new RegExp(`^tcspec check ${kernel}( |$)`)).waitFor()
      const isBroken = zoo.find((t) => programName(t, false) === kernel)
      const shown = isBroken === undefined ? /verdict/ : new RegExp(`\\b${isBroken.id}\\b`)
      // a program that is refused before it runs has a line and no verdict
      await page
        .locator('main:not(:has([aria-busy=true]))')
        .filter({ hasText: shown })
        .or(page.locator('.refusal'))
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => wrong.push(kernel))
    }
    expect(wrong).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it('every id leads to each of its kernels, and such a link opens the place', async () => {
    const { page } = await browser.open(at('', 'guide/hazards.html'))
    const links = await page
      .locator('.crossings a[href*="index.html#/check"]')
      .evaluateAll((all) =>
        all.map((a) => [a.textContent, a.getAttribute('href')?.replace(/^[^#]*/, '') ?? ''] as const),
      )
    expect(
      links.map(([words, hash]) => [words, readAddress(hash).place, readAddress(hash).params['kernel']]),
    ).toEqual(
      hazardIds.flatMap((id) =>
        zoo
          .filter((t) => t.id === id)
          .flatMap((t) =>
            [false, true].map((mended) => [programName(t, mended), 'check', programName(t, mended)]),
          ),
      ),
    )
    await page
      .locator(`#${hazardAnchor('W1')} ~ .crossings a`, { hasText: 'zoo/W1' })
      .first()
      .click()
    await page.waitForURL(/index\.html#\/check\?kernel=zoo/)
    await page.getByText('hazard').first().waitFor()
    await page.context().close()
  })
})
