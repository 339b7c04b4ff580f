/**
 * A browser with the page in it: Debian's Chromium, driven by playwright-core. The page is what `npm run site` has built, opened from its folder, as a
 * reader opens it who has no server.
 *
 * What the page says on its console, and what it throws, is kept: a proof ends with neither.
 */
import * as fs from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'

export const root: string = fileURLToPath(new URL('../', import.meta.url))
const built = `${root}site/dist/index.html`

const executable = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

export interface Opened {
  readonly page: Page
  /** what it complained about */
  readonly complaints: ReadonlyArray<string>
}

export interface View {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
  /** false: a reader without JavaScript */
  readonly scripts?: boolean
}

/** The address of a place: `at('#/check?kernel=zoo/W1')`, or of another page of the site: `at('', 'guide/index.html')`. */
export const at = (hash = '', file = 'index.html'): string =>
  `${pathToFileURL(`${root}site/dist/${file}`).href}${hash}`

/** A browser for the proofs of a file; each page is one of its own. */
export const inBrowser = (): { readonly open: (url?: string, view?: View) => Promise<Opened> } => {
  let browser: Browser | null = null
  beforeAll(async () => {
    expect(fs.existsSync(built), 'site/dist: `npm run site` builds it').toBe(true)
    expect(fs.existsSync(executable), `${executable}: Debian's package chromium, or CHROMIUM=path`).toBe(true)
    browser = await chromium.launch({
      executablePath: executable,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })
  afterAll(async () => {
    await browser?.close()
  })
  return {
    open: async (url = at(), { width = 1280, height = 800, dark = false, scripts = true } = {}) => {
      const context = await browser!.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: scripts,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(`${error.message}\n${error.stack ?? ''}`))
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      await page.goto(url)
      return { page, complaints }
    },
  }
}

const axe = fs.readFileSync(`${root}node_modules/axe-core/axe.min.js`, 'utf8')

/** What axe finds: each rule that is broken, with the elements that break it. It reads no styles of its own accord, which a page from a folder may not. */
export const accessibilityErrors = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    interface Axe {
      readonly run: (options: { readonly preload: boolean }) => Promise<{
        readonly violations: ReadonlyArray<{
          readonly id: string
          readonly nodes: ReadonlyArray<{ readonly target: unknown; readonly html: string }>
        }>
      }>
    }
    const { axe: there } = globalThis as unknown as { readonly axe: Axe }
    const { violations } = await there.run({ preload: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${JSON.stringify(target)} ${html.slice(0, 200)}`),
    )
  })
}

/** The four ways in which every place is looked at. */
export const looks: ReadonlyArray<readonly [string, View]> = [
  ['light and wide', {}],
  ['dark and wide', { dark: true }],
  ['light and narrow', { width: 390, height: 844 }],
  ['dark and narrow', { width: 390, height: 844, dark: true }],
]
