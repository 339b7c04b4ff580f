import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { clauses } from '../src/semantics/model/index.js'
import { accessibilityErrors, at, inBrowser, looks } from './browser.js'

const browser = inBrowser()
const test = (page: Page, id: string) =>
  page.locator('.memory-clause').filter({ has: page.locator(`#clause-${id}`) })
const lines = (page: Page, id: string) => page.getByLabel(`the test of ${id}`, { exact: true })

describe('the memory model', () => {
  it('a test is changed by keyboard, and its verdict and its picture follow; reset undoes it', async () => {
    const { page, complaints } = await browser.open(at('#/memory?clause=release'))
    const mine = test(page, 'release')
    await mine.getByText('the model').first().waitFor()
    expect(await mine.locator('.litmus-verdict').innerText()).toContain('ok')
    expect(await mine.locator('svg.litmus .missing').count()).toBe(0)
    await lines(page, 'release').focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\nT2: write x')
    await mine.locator('svg.litmus .wrong .missing').first().waitFor()
    const says = await mine.locator('.litmus-verdict').innerText()
    expect(says).toContain('race: T0: write x / T2: write x')
    expect(says).toContain('race: T1: read x / T2: write x')
    expect(await mine.locator('svg.litmus .event').count()).toBe(5)
    // keys that come before what the last one wrote is drawn are not undone
    const typed = await lines(page, 'release').evaluate(async (area) => {
      if (!(area instanceof HTMLTextAreaElement)) return ''
      for (const char of ' // one two three four five six') {
        area.value += char
        area.dispatchEvent(new Event('input', { bubbles: true }))
        await new Promise((done) => requestAnimationFrame(done))
      }
      await new Promise((done) => setTimeout(done, 300))
      return area.value
    })
    expect(typed).toMatch(/\nT2: write x \/\/ one two three four five six$/)
    // other tests are as they were
    expect(await lines(page, 'fork').inputValue()).toBe('T0: write x\nT0: fork T1\nT1: read x')
    await mine.getByRole('button', { name: 'Reset' }).focus()
    await page.keyboard.press('Enter')
    await mine.locator('.litmus-verdict .badge.good').waitFor()
    expect(await lines(page, 'release').inputValue()).toBe(
      'T0: write x\nT0: arrive b\nT1: wait b 0\nT1: read x',
    )
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it('a clause is left out by keyboard, and both verdicts are told', async () => {
    const { page, complaints } = await browser.open(at('#/memory?clause=proxy-fence'))
    const mine = test(page, 'proxy-fence')
    await mine.locator('.litmus-verdict .badge.good').waitFor()
    await mine.getByRole('checkbox', { name: 'proxy-fence' }).focus()
    await page.keyboard.press('Space')
    await mine.locator('.litmus-verdict .badge.bad').waitFor()
    expect(await mine.locator('.litmus-verdict').allInnerTexts()).toEqual([
      expect.stringContaining('ok'),
      expect.stringMatching(/without proxy-fence\s+not visible: T0: write x \/ #1: read x/),
    ])
    expect(await mine.locator('svg.litmus .missing[data-is="not visible"]').count()).toBe(1)
    await mine.getByText('Why, pair by pair').click()
    expect(await mine.locator('.litmus-pairs').innerText()).toContain('not seen in shared')
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it('the link holds the test: opened elsewhere it is the same', async () => {
    const { page } = await browser.open(at('#/memory?clause=release'))
    await lines(page, 'release').fill('T0: write x\nT0: arrive b relaxed\nT1: wait b 0\nT1: read x')
    await test(page, 'release').getByRole('checkbox', { name: 'strict', exact: true }).check()
    await test(page, 'release').locator('.litmus-verdict .badge.bad').waitFor()
    await test(page, 'release').getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('copied', { exact: true }).waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toBe(page.url())
    const other = await browser.open(link)
    await test(other.page, 'release').locator('.litmus-verdict .badge.bad').waitFor()
    expect(await lines(other.page, 'release').inputValue()).toContain('T0: arrive b relaxed')
    expect(
      await test(other.page, 'release').getByRole('checkbox', { name: 'strict', exact: true }).isChecked(),
    ).toBe(true)
    // each page judges what it shows, in its own time
    const verdictOf = (on: typeof page): Promise<string> =>
      test(on, 'release').locator('.litmus-verdict').innerText()
    await expect.poll(async () => (await verdictOf(page)) === (await verdictOf(other.page))).toBe(true)
    expect(await other.page.evaluate(() => document.activeElement?.id)).toBe('clause-release')
    expect(other.complaints).toEqual([])
    await other.page.context().close()
    await page.context().close()
  })
  it('a hostile line is refused in a line, at its line', async () => {
    const { page, complaints } = await browser.open(at('#/memory?clause=race'))
    const mine = test(page, 'race')
    await mine.locator('svg.litmus').waitFor()
    const hostile = '<img src=x onerror=alert(1)>'
    await lines(page, 'race').fill(`T0: write x\n\n${hostile}`)
    await mine.locator('.refusal').waitFor()
    expect(await mine.locator('.refusal').innerText()).toBe(
      `line 3: expected a line of a litmus test, such as 'T0: write x', found '${hostile}'`,
    )
    expect(await mine.locator('.litmus-numbers .wrong').innerText()).toBe('✗ 3')
    expect(await lines(page, 'race').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('main img').count()).toBe(0)
    await lines(page, 'race').fill(Array.from({ length: 129 }, () => 'T0: read x').join('\n'))
    await mine.getByText('expected at most 128 lines').waitFor()
    await lines(page, 'race').fill('')
    await mine.locator('.litmus-verdict').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it('a clause leads to the hazards that need it, and they lead back', async () => {
    const { page, complaints } = await browser.open(at('#/memory?clause=fenced-read'))
    await test(page, 'fenced-read').getByRole('link', { name: 'P3' }).click()
    await page.waitForFunction(() => document.activeElement?.id === 'hazard-P3')
    const row = page.locator('tr').filter({ has: page.locator('#hazard-P3') })
    expect(await row.getByRole('link', { name: 'P3' }).getAttribute('href')).toMatch(
      /^guide\/hazards\.html#p3-/,
    )
    await row.getByRole('link', { name: 'fenced-read' }).click()
    await page.waitForFunction(() => document.activeElement?.id === 'clause-fenced-read')
    await page.getByRole('navigation', { name: 'clauses' }).getByRole('link', { name: 'thread-sync' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'clause-thread-sync')
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it('every test that comes into view says what the model says', async () => {
    const { page, complaints } = await browser.open(at('#/memory'))
    for (const { id, litmus } of clauses) {
      await page.locator(`#clause-${id}`).scrollIntoViewIfNeeded()
      const badge = test(page, id).locator('.litmus-verdict .badge').first()
      await badge.waitFor()
      expect([id, (await badge.getAttribute('class'))?.includes('good')]).toEqual([
        id,
        litmus.expect === 'ok',
      ])
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it.each(looks)('no accessibility error, nothing too wide: %s', async (_, view) => {
    const { page } = await browser.open(at('#/memory?clause=complete&without=complete'), view)
    await test(page, 'complete').locator('svg.litmus').waitFor()
    expect(await accessibilityErrors(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
    await page.context().close()
  })
})
