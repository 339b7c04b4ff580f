/** The place of kernels and its player: what it shows is what the library says, by mouse and by keyboard, of a race as of ten thousand events. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { without } from '../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../src/kernels/catalogue/index.js'
import { unit } from '../src/numerics/unit.js'
import type { Recording } from '../src/render/recording/model.js'
import { record, scriptOf } from '../src/render/recording/record.js'
import { launch, noArguments } from '../src/semantics/execution/launch.js'
import * as Policy from '../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../src/semantics/execution/run.js'
import { offered, sameKey, showKey, take, type EventKey } from '../src/semantics/execution/step.js'
import { printJson } from '../src/semantics/files/codec.js'
import { readSchedule } from '../src/semantics/files/schedule.js'
import type { Program } from '../src/semantics/language/program.js'
import { right } from '../proofs-by-test/either.js'
import { accessibilityErrors, at, inBrowser, looks, root } from './browser.js'

const browser = inBrowser()

// ---------------------------------------------------------------- the library's word

const programOf = (name: string, set: Readonly<Record<string, number>> = {}): Program =>
  right(instanceOf(right(kernelNamed(name)), set, [])).program

const keysOf = (program: Program, schedule: string): ReadonlyArray<EventKey> => {
  const { world, machine } = right(launch(program, unit, noArguments))
  const how = { ...settings(right(readSchedule(schedule))), keepSchedule: true }
  return run(world, machine, how, ignore).schedule
}

const recordingOf = (program: Program): Recording =>
  record(
    scriptOf(program),
    right(launch(program, unit, noArguments)),
    { policy: Policy.eager, fuel: 100_000 },
    { settings: {}, without: [], schedule: 'eager', verdict: null, source: () => null },
  ).recording

/** What can happen, and the generations of the barriers that there are, after the first of these events. */
const stateAfter = (program: Program, keys: ReadonlyArray<EventKey>) => {
  const { world, machine } = right(launch(program, unit, noArguments))
  let m = machine
  for (const key of keys) {
    const done = take(
      world,
      m,
      offered(world, m).find((o) => sameKey(o.key, key))!,
    )
    if ('kind' in done) throw new Error(done.message)
    m = done.machine
  }
  return {
    offers: offered(world, m).map(({ key }) => showKey(key)),
    generations: m.barriers.map((b) => (b === null ? null : b.completed)),
  }
}

// ---------------------------------------------------------------- the page's

const ready = async (page: Page): Promise<void> => {
  await page.locator('.player').waitFor()
  await page.locator('.busy progress').waitFor({ state: 'detached' })
}

const positionOf = async (page: Page): Promise<number> =>
  Number(await page.locator('.player-event').getAttribute('data-position'))

const shown = (page: Page) =>
  page.evaluate(() => ({
    offers: [...document.querySelectorAll('[data-offer]')].map((e) => e.getAttribute('data-offer')),
    generations: [...document.querySelectorAll('[data-barrier]')].map((row) => {
      const generation = row.querySelector('strong')?.textContent
      return generation === undefined ? null : Number(generation)
    }),
  }))

const slider = (page: Page) => page.getByRole('slider', { name: 'event in the schedule' })

const goTo = async (page: Page, position: number): Promise<void> => {
  await slider(page).fill(String(position))
  await expect.poll(() => positionOf(page)).toBe(position)
}

const race = '#/kernels?kernel=matmul1&without=wait+consumed&finding=0'

describe('a newcomer', () => {
  it('sees the race of `wait consumed` with one click: both copies, in red, on one slot', async () => {
    const { page, complaints } = await browser.open()
    await page.getByRole('link', { name: 'See a race' }).click()
    await ready(page)
    const slot = page.locator('.player-slot.clash')
    await slot.first().waitFor()
    expect(await slot.count()).toBe(1)
    expect(await slot.innerText()).toMatch(/W1: copy a \[0\] and copy a \[4\]/)
    await page.getByRole('button', { name: /^W1 / }).and(page.locator('[aria-pressed=true]')).waitFor()
    // the later of the two has just been issued
    expect(await page.locator('.player-event').innerText()).toMatch(/copy a \[4\]: issue/)
    expect(await page.locator('.player-line.found').count()).toBe(1)
    expect(complaints).toEqual([])
  })
})

describe('the player', () => {
  it('shows at a position what the library says of it, and goes there by keyboard', async () => {
    const program = programOf('matmul1')
    const keys = keysOf(program, 'eager')
    const { page, complaints } = await browser.open(at('#/kernels?kernel=matmul1'))
    await ready(page)
    expect(Number(await page.locator('.player').getAttribute('data-steps'))).toBeGreaterThan(100)
    for (const position of [0, 1, 17, 60, 111]) {
      await goTo(page, position)
      expect([position, await shown(page)]).toEqual([position, stateAfter(program, keys.slice(0, position))])
    }
    await slider(page).focus()
    const pressed = async (key: string): Promise<number> => {
      await page.keyboard.press(key)
      return positionOf(page)
    }
    expect(await pressed('ArrowLeft')).toBe(110)
    expect(await pressed('PageUp')).toBe(60)
    expect(await pressed('ArrowRight')).toBe(61)
    // the next event of the same agent, as the keys of the library have it
    const { agent } = keys[60]!
    expect(await pressed('Shift+ArrowRight')).toBe(keys.findIndex((k, i) => i > 60 && k.agent === agent) + 1)
    expect(await pressed('Shift+ArrowLeft')).toBe(61)
    expect(await pressed('Home')).toBe(0)
    expect(await slider(page).getAttribute('aria-valuetext')).toMatch(
      /^step 0 of \d+: before the first step$/,
    )
    await page.keyboard.press('Space')
    await expect.poll(() => positionOf(page)).toBeGreaterThan(2)
    await page.keyboard.press('Space')
    const stopped = await positionOf(page)
    await page.waitForTimeout(400)
    expect(await positionOf(page)).toBe(stopped)
    expect(complaints).toEqual([])
  })

  it('an event that is chosen comes next, and the run is that of the library with the detour', async () => {
    const program = programOf('matmul1')
    const { page, complaints } = await browser.open(at('#/kernels?kernel=matmul1&at=40&schedule=eager'))
    await ready(page)
    const before = (await shown(page)).offers
    const next = showKey(keysOf(program, 'eager')[40]!)
    const other = before.find((key) => key !== next)!
    await page.locator(`[data-offer="${other}"]`).click()
    await page.locator(`[data-offer="${other}"].next`).waitFor()
    await ready(page)
    expect(await positionOf(page)).toBe(40)
    const keys = keysOf(program, `eager 40=${other}`)
    for (const position of [41, 42, 70]) {
      await goTo(page, position)
      expect(await shown(page)).toEqual(stateAfter(program, keys.slice(0, position)))
    }
    expect(await page.locator('.kernels-command').innerText()).toContain(`--schedule 'eager 40=${other}'`)
    // and it is taken back
    await page.getByRole('button', { name: 'Undo them' }).click()
    await page.getByRole('button', { name: 'Undo them' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('by mouse: a line goes to its next event, a bar to its beginning, a statement is left out', async () => {
    const { page, complaints } = await browser.open(at('#/kernels?kernel=matmul1'))
    await ready(page)
    const line = page.locator('.player-line', { hasText: 'copy a' }).locator('button.player-text').first()
    await line.click()
    const first = await positionOf(page)
    expect(await page.locator('.player-event').innerText()).toMatch(/copy a/)
    await line.click()
    expect(await positionOf(page)).toBeGreaterThan(first)
    // every bar says what it is when the mouse is over it: somewhere in the lanes there is one
    const box = (await page.locator('.player-lanes-view').boundingBox())!
    let tip = ''
    for (let y = 25; y < 120 && tip === ''; y += 9) {
      await page.mouse.move(box.x + box.width * 0.6, box.y + y)
      if ((await page.locator('.player-tip').count()) > 0) {
        tip = await page.locator('.player-tip').innerText()
        await page.mouse.click(box.x + box.width * 0.6, box.y + y)
      }
    }
    expect(tip).toMatch(/time \d+ to \d+/)
    expect(tip).toContain((await page.locator('.player-event').innerText()).split(': ')[0]!.split(' · ')[1]!)
    await page.getByRole('button', { name: 'leave out wait consumed', exact: true }).click()
    await page.locator('.player-finding').first().waitFor()
    expect(await page.evaluate(() => location.hash)).toContain('without=wait+consumed')
    expect(await page.getByRole('button', { name: 'leave out wait consumed', exact: true }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('a link restores the run, the position and the finding; reset takes them away', async () => {
    const first = await browser.open(at(race))
    await ready(first.page)
    await goTo(first.page, 33)
    await expect.poll(() => first.page.evaluate(() => location.hash)).toContain('at=33')
    const second = await browser.open(await first.page.evaluate(() => location.href))
    await ready(second.page)
    expect(await positionOf(second.page)).toBe(33)
    expect(await shown(second.page)).toEqual(await shown(first.page))
    const program = right(without('wait consumed')(programOf('matmul1')))
    expect(await shown(second.page)).toEqual(stateAfter(program, keysOf(program, 'eager').slice(0, 33)))
    await second.page.getByRole('button', { name: 'Reset' }).click()
    await second.page.locator('.badge.good').waitFor()
    expect(await second.page.evaluate(() => location.hash)).toBe('#/kernels?kernel=matmul1')
    expect([...first.complaints, ...second.complaints]).toEqual([])
  })

  it('settings: what is set is used or refused in a line', async () => {
    const { page, complaints } = await browser.open(at('#/kernels?kernel=matmul1&set=k%3D128'))
    await ready(page)
    const steps = Number(await page.locator('.player').getAttribute('data-steps'))
    expect(steps).toBe(recordingOf(programOf('matmul1', { k: 128 })).steps.length)
    await page.getByLabel('tileM').fill('100')
    await page.keyboard.press('Enter')
    await page.locator('.refusal').waitFor()
    expect(await page.locator('.refusal').innerText()).toMatch(/tileM/)
    await page.getByLabel('tileM').fill('')
    await page.keyboard.press('Enter')
    await page.locator('.refusal').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('your own program is played; what is none is refused in a line, and the page lives', async () => {
    const { page, complaints } = await browser.open(at('#/kernels?kernel=own'))
    const put = (text: string) =>
      page.evaluate((t) => {
        const data = new DataTransfer()
        data.items.add(new File([t], 'p.json', { type: 'application/json' }))
        const input = document.querySelector<HTMLInputElement>('input[type=file]')!
        input.files = data.files
        input.dispatchEvent(new Event('change', { bubbles: true }))
      }, text)
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
    for (const [text, says] of [
      ['{"schema": ', /program: expected JSON/],
      ['{"schema":"tcspec.program/1","name":"<img src=x onerror=alert(1)>"}', /\$/],
      [deep, /at most 512 levels/],
      [`{"a":${deep}}`, /at most 512 levels, found 60,001/],
      ['"a'.concat('x'.repeat(5_000_000), '"'), /at most 4,000,000/],
    ] as const) {
      await put(text)
      await expect
        .poll(
          () =>
            page
              .locator('.refusal')
              .allInnerTexts()
              .then((t) => t.join('\n')),
          { timeout: 15_000 },
        )
        .toMatch(says)
      await page.locator('.busy progress').waitFor({ state: 'detached' })
    }
    const program = programOf('queue')
    await put(printJson(program))
    await ready(page)
    expect(Number(await page.locator('.player').getAttribute('data-steps'))).toBe(
      recordingOf(program).steps.length,
    )
    expect(complaints).toEqual([])
  })

  it('in one file, alone: no machine, no navigation, nothing fetched', async () => {
    const program = right(without('wait consumed')(programOf('matmul1')))
    const recording = recordingOf(program)
    const read = (file: string): string => fs.readFileSync(`${root}site/dist/${file}`, 'utf8')
    const json = JSON.stringify(recording).replaceAll('<', '\\u003c')
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>a run</title><style>${read('page.css')}</style><script type="application/json" id="tcspec-recording">${json}</script></head><body><div id="page"></div><script>${read('page.js').replaceAll('</script', '<\\/script')}</script></body></html>`
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-view-'))
    const file = path.join(dir, 'run.html')
    fs.writeFileSync(file, html)
    const { page, complaints } = await browser.open(pathToFileURL(file).href)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.locator('.player').waitFor()
    expect(await page.locator('nav').count()).toBe(0)
    await goTo(page, 52)
    expect(await shown(page)).toEqual(stateAfter(program, keysOf(program, 'eager').slice(0, 52)))
    await page.waitForTimeout(500)
    expect(asked).toEqual([])
    expect(await accessibilityErrors(page)).toEqual([])
    expect(complaints).toEqual([])
    fs.rmSync(dir, { recursive: true })
  })

  it('ten thousand events are stepped through, and a step paints the overlay alone', async () => {
    const { page, complaints } = await browser.open(at('#/kernels?kernel=hopper-ws&set=k%3D8192+tileK%3D16'))
    await page.locator('.player').waitFor({ timeout: 60_000 })
    await ready(page)
    expect(Number(await page.locator('.player').getAttribute('data-steps'))).toBeGreaterThan(10_000)
    const { times, painted } = await page.evaluate(async () => {
      const input = document.querySelector<HTMLInputElement>('.player-slider')!
      // what a component has set is known to it: the element's own setter is not the one that it listens to
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!
      const counts = () =>
        [...document.querySelectorAll('.player-canvas')].map((c) => Number(c.getAttribute('data-painted')))
      const frame = () => new Promise<number>((done) => requestAnimationFrame(done))
      const was = counts()
      const times: number[] = []
      let last = await frame()
      for (let i = 0; i < 300; i++) {
        set.call(input, String(6000 + i))
        input.dispatchEvent(new Event('input', { bubbles: true }))
        const now = await frame()
        times.push(now - last)
        last = now
      }
      return { times, painted: counts().map((n, i) => n - was[i]!) }
    })
    const sorted = times.slice().sort((a, b) => a - b)
    const ms = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1)
    console.log(`a step a frame, of 300: median ${ms(0.5)} ms, 95th percentile ${ms(0.95)} ms`)
    expect(painted[0]).toBeLessThan(60)
    expect(painted[1]).toBeGreaterThan(200)
    expect(complaints).toEqual([])
  })
})

describe('every look', () => {
  it.each(looks)('no accessibility error, nothing wider than the page: %s', async (_, view) => {
    for (const hash of [race, '#/kernels', '#/kernels?kernel=own', '#/kernels?kernel=zoo/R1&finding=0']) {
      const { page, complaints } = await browser.open(at(hash), view)
      if (!hash.includes('own')) await ready(page)
      expect([hash, await accessibilityErrors(page)]).toEqual([hash, []])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([hash, overflow <= 0]).toEqual([hash, true])
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })
})
