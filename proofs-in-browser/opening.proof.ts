/**
 * The first verdict: Check opens on an example whose answer is in the page, every other question loads the chapters of the library that it reaches for,
 * and what a reader with a slow connection waits for is bounded in bytes. Times are `tools/page-speed.mjs`'s.
 */
import * as fs from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import sirv from 'sirv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asked } from '../src/oracle/cli/commands/index.js'
import { answering } from '../src/oracle/serve/answer.js'
import { accessibilityErrors, at, inBrowser, root } from './browser.js'

const browser = inBrowser()
const built = `${root}site/dist/`

const answers = answering({
  commands: asked,
  suites: [],
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 26,
})

/** A server that gives the compressed files, what it was asked for, and files that it says it has not. */
const lost = new Set<string>()
let requests: string[] = []
let server: Server
let address = ''
beforeAll(async () => {
  const files = sirv(built, { gzip: true, brotli: true })
  server = createServer((request, response) => {
    const file = path.basename(request.url ?? '') || 'index.html'
    requests.push(file)
    if (lost.has(file)) response.writeHead(404).end()
    else files(request, response)
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/index.html`
})
afterAll(() => {
  server.close()
})

const badge = 'section[aria-label="verdict"] .badge'

/** Bytes of a file as it is served to a browser that reads brotli. */
const served = (file: string): number => {
  const place = ['', 'machine/'].map((folder) => `${built}${folder}${file}`).find((f) => fs.existsSync(f))
  return fs.statSync(fs.existsSync(`${place!}.br`) ? `${place!}.br` : place!).size
}
/** Bytes that 1.6 Mbit/s bring in a second. */
const perSecond = 200_000

describe('Check', () => {
  it('opens on an example with the verdict of the library, which has not come yet', async () => {
    const machine = fs.readdirSync(`${built}machine`).filter((file) => file.endsWith('.js'))
    for (const file of machine) lost.add(file)
    requests = []
    const { page } = await browser.open(`${address}#/check`)
    await page.locator(badge, { hasText: 'hazard' }).waitFor()
    const first = ['index.html', 'page.css', 'page.js']
    expect(first.reduce((n, file) => n + served(file), 0)).toBeLessThan(0.7 * perSecond)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the verdict' }).click(),
    ])
    const { printed, ...said } = JSON.parse(fs.readFileSync(await download.path(), 'utf8')) as Record<
      string,
      unknown
    >
    expect(printed).toContain('P1')
    const triton = new URL('../conformance/triton/first/', import.meta.url)
    const name = 'row_scale.ttgir'
    const expected = await answers(
      'check',
      {
        kernel: name,
        files: {
          [name]: fs.readFileSync(new URL(name, triton), 'utf8'),
          'row_scale.py': fs.readFileSync(new URL('row_scale.py', triton), 'utf8'),
        },
        grid: '2',
        arg: { dx: 'f16[128,64]:in', dy: 'f16[128,64]:out' },
      },
      null,
    )
    expect(said).toEqual(JSON.parse(E.isRight(expected) ? expected.right : 'null'))
    // the address stays short, and the launch that was opened can be changed when the library is there
    expect(new URL(page.url()).hash).toBe('#/check')
    lost.clear()
    await page.getByRole('textbox', { name: 'grid' }).fill('1')
    await page.locator(badge, { hasText: 'hazard' }).waitFor()
    await page.waitForFunction(() => location.hash.includes('grid=1'))
    await page.context().close()
  })

  it.each([
    [
      '#/check?kernel=zoo%2FW3',
      'W3',
      ['ptx.js', 'ttgir.js', 'jaxpr.js', 'litmus.js', 'mutants.js', 'tools.js'],
    ],
    ['#/check?kernel=zoo%2FD5', 'D5', ['ttgir.js', 'jaxpr.js', 'litmus.js', 'tools.js']],
  ] as const)(
    '%s loads what it reaches for and no more, in less than 4 s of 1.6 Mbit/s',
    async (hash, id, not) => {
      requests = []
      const { page, complaints } = await browser.open(`${address}${hash}`)
      await page.locator('.check-finding', { hasText: id }).first().waitFor()
      const came = [...new Set(requests)].filter((file) => file !== 'favicon.ico' && file !== 'editor.js')
      for (const file of not) expect(came).not.toContain(file)
      expect(came.reduce((n, file) => n + served(file), 0)).toBeLessThan(4 * perSecond)
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  it('a chapter that is lost is named, and asked for again', async () => {
    lost.add('kernels.js')
    const { page } = await browser.open(`${address}#/check?kernel=zoo%2FW3`)
    await page.locator('.refusal', { hasText: 'machine/kernels.js: could not be loaded' }).first().waitFor()
    lost.clear()
    await page.getByRole('button', { name: 'matmul1 without a wait' }).click()
    await page.locator(badge, { hasText: 'deadlock' }).waitFor()
    await page.context().close()
  })

  it('what is pasted over the example takes its place', async () => {
    const { page } = await browser.open(at('#/check'))
    await page.locator('.cm-content').first().waitFor()
    const mended = fs.readFileSync(
      new URL('../conformance/triton/first/mended.ttgir', import.meta.url),
      'utf8',
    )
    await page.evaluate((text) => navigator.clipboard.writeText(text), mended)
    await page.locator('.cm-content').first().focus()
    await page.keyboard.press('Control+V')
    await page.locator(badge, { hasText: 'ok' }).waitFor()
    await page.context().close()
  })
})

describe('examples', () => {
  const expected: ReadonlyArray<readonly [title: string, verdict: string]> = [
    ['row scale', 'hazard'],
    ['pipelined matmul', 'ok'],
    ['block sum', 'hazard'],
    ['double buffer', 'hazard'],
    ['tiled matmul', 'ok'],
    ['cluster sum', 'hazard'],
    ['cluster ring', 'hazard'],
    ['last block', 'hazard'],
    ['Blackwell matmul', 'ok'],
    ['matmul1 without a wait', 'deadlock'],
    ['zoo/W3', 'hazard'],
  ]
  it(
    'are the one that is open and ten beside it; each has its verdict, none of a guessed launch',
    { timeout: 240_000 },
    async () => {
      const { page, complaints } = await browser.open(at('#/check'))
      const buttons = page.getByRole('group', { name: 'examples' }).getByRole('button')
      expect((await buttons.allTextContents()).sort()).toEqual(expected.map(([title]) => title).sort())
      for (const [title, word] of expected) {
        await page.getByRole('button', { name: 'Clear' }).click()
        await page.locator(badge).waitFor({ state: 'detached' })
        await page.getByRole('button', { name: title, exact: true }).click()
        await page.locator(badge).waitFor({ timeout: 60_000 })
        expect([title, (await page.locator(badge).textContent())?.replace(/^\W+/, '').trim()]).toEqual([
          title,
          word,
        ])
        expect(await page.locator('.check-guess').count(), title).toBe(0)
      }
      expect(await accessibilityErrors(page)).toEqual([])
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )
})
