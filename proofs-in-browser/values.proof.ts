/**
 * What a run holds and where a reader begins: the first step that does something, declarations folded, search in the timeline, values as numbers and as a
 * heat map with the way of an element through memory, and two versions beside each other. The library's own answers are the oracle.
 */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { asked } from '../src/oracle/cli/commands/index.js'
import { answering } from '../src/oracle/serve/answer.js'
import type { Recording } from '../src/render/recording/model.js'
import type { Values } from '../src/render/recording/values.js'
import { accessibilityErrors, at, inBrowser, looks } from './browser.js'

const browser = inBrowser()
const answers = answering({
  commands: asked,
  suites: [],
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 26,
})
const ask = async (method: string, params: unknown): Promise<unknown> => {
  const answer = await answers(method, params, null)
  if (E.isLeft(answer)) throw new Error(answer.left.message)
  return JSON.parse(answer.right)
}

const positionOf = async (page: Page): Promise<number> =>
  Number(await page.locator('.player-event').getAttribute('data-position'))
const values = (page: Page) => page.getByRole('region', { name: 'Values' })
const way = (page: Page, what: string) =>
  page
    .getByRole('region', { name: 'way through memory' })
    .locator('dl > div', { has: page.locator('dt', { hasText: new RegExp(`^${what}$`) }) })
    .locator('dd')

describe('a kernel', () => {
  it('opens at the first step that moves data, with its declarations folded', async () => {
    const recording = (await ask('view', { kernel: 'matmul1' })) as Recording
    const { page } = await browser.open(at('#/kernels?kernel=matmul1'))
    await page.locator('.player').waitFor()
    const position = await positionOf(page)
    const moves = (i: number): boolean => {
      const { changed } = recording.steps[i]!
      return (changed.slots?.length ?? 0) > 0 || (changed.flights?.length ?? 0) > 0
    }
    expect(position).toBeGreaterThan(1)
    expect(moves(position - 1)).toBe(true)
    expect(recording.steps.slice(0, position - 1).some((_, i) => moves(i))).toBe(false)
    const declared = recording.listing.findIndex((line) => line.site !== null)
    const lines = page.locator('.player-listing [data-line]')
    expect(await lines.count()).toBe(recording.listing.length - declared)
    await page.getByRole('button', { name: `${String(declared)} lines of declarations` }).click()
    expect(await lines.count()).toBe(recording.listing.length)
    await page.context().close()
  })

  it('is searched: the steps that have the words, one after another and around', async () => {
    const recording = (await ask('view', { kernel: 'matmul1' })) as Recording
    const wanted = recording.steps.flatMap(({ site }, i) =>
      recording.sites[site]?.name === 'tcgen05_mma' ? [i + 1] : [],
    )
    const { page } = await browser.open(at('#/kernels?kernel=matmul1&at=0'))
    const find = page.getByRole('searchbox', { name: 'find a step' })
    await find.fill('tcgen05_mma')
    const seen = []
    for (let k = 0; k < wanted.length + 1; k++) {
      await find.press('Enter')
      seen.push(await positionOf(page))
    }
    expect(seen).toEqual([...wanted, wanted[0]])
    await find.press('Shift+Enter')
    expect(await positionOf(page)).toBe(wanted.at(-1))
    await page.getByText(`${String(wanted.length)} of ${String(wanted.length)}`).waitFor()
    await find.fill('no such words')
    await page.getByText('no step contains these words').waitFor()
    await page.context().close()
  })
})

describe('values', () => {
  it(
    'are those of the library at the position: numbers, colours, and the way of an element',
    { timeout: 120_000 },
    async () => {
      const { page, complaints } = await browser.open(at('#/kernels?kernel=matmul1&at=120'))
      await page.getByRole('button', { name: 'Show the values' }).click()
      const grid = page.locator('[data-values-at="120"]')
      await grid.waitFor({ timeout: 60_000 })
      const slot = (await ask('view', {
        kernel: 'matmul1',
        values: 'a_smem',
        at: 120,
        corner: '128,0',
      })) as Values
      await values(page).getByRole('combobox', { name: 'slot' }).selectOption('1')
      const { columns } = slot.window
      const cell = (row: number, column: number) =>
        page.locator('.player-numbers tbody tr').nth(row).locator('td').nth(column).getByRole('button')
      await page.waitForFunction(
        (expected) =>
          document.querySelector('.player-numbers tbody button')?.getAttribute('title') === expected,
        String(slot.values[0]),
      )
      for (const [row, column] of [
        [0, 0],
        [3, 5],
        [7, 7],
      ] as const)
        expect(await cell(row, column).getAttribute('title')).toBe(
          String(slot.values[row * columns + column]),
        )
      // row 3, column 5 of slot 1: its byte, and from that the swizzle and the bank
      await cell(3, 5).click()
      const byte = slot.bytes[3 * columns + 5]!
      expect(await way(page, 'index').textContent()).toBe('[1, 3, 5]')
      expect(await way(page, 'swizzle').textContent()).toContain(`byte ${byte.toLocaleString('en')}`)
      expect(await way(page, 'bank').textContent()).toBe(
        `${String((byte >> 2) & 31)}, in row ${String(byte >> 7)} of 128 bytes`,
      )
      // by keyboard
      await page.keyboard.press('ArrowDown')
      expect(await way(page, 'index').textContent()).toBe('[1, 4, 5]')
      // the heat map: blue above zero, orange below it
      const pixels = await page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>('.player-heat canvas')!
        const c = canvas.getContext('2d')!
        const size = canvas.width / 64
        const { data } = c.getImageData(0, Math.floor(40.5 * size), canvas.width, 1)
        return Array.from({ length: 64 }, (_, k) => {
          const from = Math.floor((k + 0.5) * size) * 4
          return [...data.slice(from, from + 4)]
        })
      })
      pixels.forEach(([red, , blue, alpha], k) => {
        const x = Number(slot.values[40 * columns + k])
        if (alpha! > 40) expect(blue! > red!).toBe(x > 0)
      })
      expect(pixels.filter(([, , , alpha]) => alpha! > 40).length).toBeGreaterThan(10)
      // another step, another array: of tensor memory the lane
      await values(page).getByRole('combobox', { name: 'array' }).selectOption('acc_tmem')
      await page.getByText('acc_tmem[0, 0] =').waitFor({ timeout: 60_000 })
      expect(await way(page, 'lane').textContent()).toBe('0')
      expect(await accessibilityErrors(page)).toEqual([])
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  it.each(looks)(
    '%s: nothing is wider than the page, no accessibility error',
    { timeout: 120_000 },
    async (_, view) => {
      const { page } = await browser.open(at('#/kernels?kernel=zoo/W3&at=4'), view)
      await page.getByRole('button', { name: 'Show the values' }).click()
      await page.locator('[data-values-at]').waitFor({ timeout: 60_000 })
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0)
      expect(await accessibilityErrors(page)).toEqual([])
      await page.context().close()
    },
  )
})

describe('two versions', () => {
  it(
    'of a module: the bits are equal, the events and the verdicts are not; the link has both',
    { timeout: 120_000 },
    async () => {
      const { page, complaints } = await browser.open(at('#/check'))
      await page.getByRole('button', { name: 'Compare with another version' }).click()
      await page.locator('[data-same="true"]').first().waitFor({ timeout: 60_000 })
      expect(await page.locator('[data-same="true"]').count()).toBe(2)
      const triton = new URL('../conformance/triton/first/', import.meta.url)
      await page.locator('.cm-content').first().waitFor()
      await page.evaluate(
        (text) => navigator.clipboard.writeText(text),
        fs.readFileSync(new URL('mended.ttgir', triton), 'utf8'),
      )
      await page.locator('.cm-content').first().focus()
      await page.keyboard.press('Control+V')
      await page.getByRole('textbox', { name: 'dx' }).waitFor()
      await page.getByRole('textbox', { name: 'grid' }).fill('2')
      await page.getByRole('textbox', { name: 'dx' }).fill('128,64')
      await page.getByRole('textbox', { name: 'dy' }).fill('128,64')
      const both = page.getByRole('region', { name: 'two versions' })
      await both.locator('[data-same="false"]', { hasText: 'different events' }).waitFor({ timeout: 60_000 })
      await both.locator('[data-same="true"]', { hasText: 'equal bit for bit' }).waitFor()
      expect((await both.locator('.badge').allTextContents()).map((text) => text.replace(/\W/g, ''))).toEqual(
        ['hazard', 'ok'],
      )
      expect(await accessibilityErrors(page)).toEqual([])
      await page.waitForFunction(() => location.hash.includes('grid=2'))
      const { page: linked } = await browser.open(page.url())
      await linked
        .locator('[data-same="true"]', { hasText: 'equal bit for bit' })
        .waitFor({ timeout: 60_000 })
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  it('that compute other things: the bits differ', { timeout: 120_000 }, async () => {
    const first = JSON.stringify({ kernel: 'matmul1', set: 'm=128 n=128 k=64' })
    const { page } = await browser.open(
      at(`#/check?kernel=matmul1&set=m%3D128+n%3D128+k%3D128&against=${encodeURIComponent(first)}`),
    )
    await page.locator('[data-same="false"]', { hasText: 'the outputs differ' }).waitFor({ timeout: 60_000 })
    await page.context().close()
  })
})
