/**
 * The place of layouts: what lights up is what the library says, worked out here once more; by mouse and by keyboard; a link restores what was seen.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { parseName } from '../src/layouts/named.js'
import { owners } from '../src/layouts/register-layout.js'
import { accessibilityErrors, at, inBrowser, looks } from './browser.js'

const browser = inBrowser()

const right = <A>(e: E.Either<unknown, A>): A => {
  if (E.isLeft(e)) throw new Error(JSON.stringify(e.left))
  return e.right
}

/** The board with this label, once it is there. */
const boardOf = async (page: Page, label: string) => {
  const board = page.getByRole('grid', { name: new RegExp(`^${label}:`) })
  await board.waitFor()
  return board
}
type Board = Awaited<ReturnType<typeof boardOf>>

const numbers = (text: string | null): ReadonlyArray<number> =>
  (text ?? '') === '' ? [] : text!.split(' ').map(Number)
const lit = async (board: Board): Promise<ReadonlyArray<number>> =>
  numbers(await board.getAttribute('data-lit'))

/** Where the middle of a cell is on the page. */
const middle = async (board: Board, row: number, column: number) => {
  const [gutter, head, width, height, row0, column0] = numbers(await board.getAttribute('data-geometry'))
  const x = gutter! + (column - column0! + 0.5) * width!
  const y = head! + (row - row0! + 0.5) * height!
  await board.scrollIntoViewIfNeeded()
  await board.evaluate(
    (element, [left, top]) => {
      element.scrollLeft = Math.max(0, left! - element.clientWidth / 2)
      element.scrollTop = Math.max(0, top! - element.clientHeight / 2)
    },
    [x, y],
  )
  const canvas = (await board.locator('canvas').first().boundingBox())!
  return { x: canvas.x + x, y: canvas.y + y, inCanvas: { x, y } }
}
const hover = async (page: Page, board: Board, row: number, column: number): Promise<void> => {
  const { x, y } = await middle(board, row, column)
  await page.mouse.move(x, y)
}
/** Whether something is drawn around a cell on the upper canvas. */
const framed = async (board: Board, row: number, column: number): Promise<boolean> => {
  const [gutter, head, width, height, row0, column0] = numbers(await board.getAttribute('data-geometry'))
  return board
    .locator('canvas')
    .nth(1)
    .evaluate(
      (node, [x, y, w, h]) => {
        const canvas = node as HTMLCanvasElement
        const scale = canvas.width / canvas.getBoundingClientRect().width
        const copy = document.createElement('canvas')
        copy.width = canvas.width
        copy.height = canvas.height
        const c = copy.getContext('2d', { willReadFrequently: true })!
        c.drawImage(canvas, 0, 0)
        const data = c.getImageData(x! * scale, y! * scale, w! * scale, h! * scale).data
        return data.some((v) => v > 0)
      },
      [gutter! + (column - column0!) * width!, head! + (row - row0!) * height!, width!, height!],
    )
}

describe('registers', () => {
  const rows = [
    ['WGMMA', [64, 16], [5, 3]],
    ['WGMMA', [64, 16], [63, 14]],
    ['WGMMA_TRANSPOSED', [64, 16], [9, 6]],
    ['TCGEN05', [128, 32], [77, 21]],
    ['MMA_LHS(16, 4)', [64, 16], [33, 9]],
  ] as const
  it.each(rows)('%s on %j: at %j the lanes light up that the library says', async (name, shape, element) => {
    const layout = right(parseName(name))
    const expected = owners(layout, shape, element)
    const { page, complaints } = await browser.open(
      at(`#/layouts?${new URLSearchParams({ layout: name, shape: shape.join('x') }).toString()}`),
    )
    const elements = await boardOf(page, 'elements')
    const registers = await boardOf(page, 'lanes and registers')
    await hover(page, elements, element[0], element[1])
    const columns = Number(await registers.getAttribute('aria-colcount'))
    await expect
      .poll(() => lit(registers))
      .toEqual(expected.map((p) => (p.warp * 32 + p.lane) * columns + p.register))
    for (const p of expected) expect(await framed(registers, p.warp * 32 + p.lane, p.register)).toBe(true)
    expect(await framed(registers, (expected[0]!.warp * 32 + expected[0]!.lane + 64) % 128, 0)).toBe(false)
    const [first] = expected
    expect(await page.locator('.layouts-readout').innerText()).toContain(
      `element (${element.join(', ')}): warp ${String(first!.warp)} lane ${String(first!.lane)} register ${String(first!.register)}`,
    )
    // and the other way
    await hover(page, registers, first!.warp * 32 + first!.lane, first!.register)
    await expect.poll(() => lit(elements)).toEqual([element[0] * shape[1] + element[1]])
    expect(complaints).toEqual([])
  })
  it('a row of WGMMA is held by four lanes, and all of them light up', async () => {
    const expected = owners(right(parseName('WGMMA_ROW')), [64], [21])
    expect(expected.length).toBe(4)
    const { page } = await browser.open(at('#/layouts?layout=WGMMA_ROW&shape=64'))
    const elements = await boardOf(page, 'elements')
    const registers = await boardOf(page, 'lanes and registers')
    await hover(page, elements, 1, 5)
    const columns = Number(await registers.getAttribute('aria-colcount'))
    await expect
      .poll(() => lit(registers))
      .toEqual(expected.map((p) => (p.warp * 32 + p.lane) * columns + p.register))
  })
  it('by keyboard: arrows move, the cell says itself, Enter keeps it in the address, and the link restores it', async () => {
    const { page } = await browser.open(at('#/layouts'))
    const elements = await boardOf(page, 'elements')
    await elements.focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight'])
      await page.keyboard.press(key)
    const [place] = owners(right(parseName('WGMMA')), [64, 16], [3, 2])
    const says = `element (3, 2): warp ${String(place!.warp)} lane ${String(place!.lane)} register ${String(place!.register)}`
    await expect.poll(() => page.locator('.layouts-readout').innerText()).toContain(says)
    expect(await elements.getByRole('gridcell').innerText()).toBe('element (3, 2)')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('at=l50')
    const again = await browser.open(page.url())
    await boardOf(again.page, 'elements')
    await expect.poll(() => again.page.locator('.layouts-readout').innerText()).toContain(says)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).not.toContain('at=')
  })
  it('128 x 256 elements: a frame while hovering takes under 16 ms', async () => {
    const { page } = await browser.open(at('#/layouts?layout=TCGEN05&shape=128x256'))
    const elements = await boardOf(page, 'elements')
    await page.waitForTimeout(300)
    const box = (await elements.boundingBox())!
    const spent = await elements.evaluate(
      async (element, [left, top]) => {
        const times: number[] = []
        for (let k = 0; k < 60; k++) {
          const event = { clientX: left! + 60 + 6 * k, clientY: top! + 60 + 3 * k, bubbles: true }
          await new Promise((done) => requestAnimationFrame(done))
          // the event, what it draws, and the frame in which that is on the screen
          const begin = performance.now()
          element.dispatchEvent(new PointerEvent('pointermove', event))
          await new Promise((done) => setTimeout(done))
          await new Promise((done) => setTimeout(done))
          times.push(performance.now() - begin)
        }
        return times.sort((a, b) => a - b)
      },
      [box.x, box.y],
    )
    const typical = spent[Math.floor(spent.length / 2)]!
    console.log(`hovering 128 x 256: median ${typical.toFixed(1)} ms, worst ${spent.at(-1)!.toFixed(1)} ms`)
    expect(typical).toBeLessThan(16)
    expect(await lit(elements)).not.toEqual([])
  })
  it('what is larger is shown by a window, which says so', async () => {
    const { page } = await browser.open(at('#/layouts?layout=WGMMA&shape=256x1024'))
    await boardOf(page, 'elements')
    await page.getByText('a window: rows 0 to 255 of 256, columns 0 to 511 of 1024').first().waitFor()
    await page.getByRole('button', { name: 'columns after' }).first().click()
    await page.getByText('columns 512 to 1023 of 1024').first().waitFor()
    expect(page.url()).toContain('left=0%2C512')
  })
})

describe('what the place refuses', () => {
  it.each([
    ['no layout', '#/layouts?layout=WGMMMA', 'name.unknown'],
    ['a shape that does not fit', '#/layouts?layout=WGMMA&shape=63x8', ''],
    ['a gigantic shape', '#/layouts?layout=WGMMA&shape=640000x640000', ''],
    [
      'no JSON',
      `#/layouts?${new URLSearchParams({ layout: '{"kind": "<img src=x onerror=alert(1)>"' }).toString()}`,
      'bad-json',
    ],
  ])('%s, in a line at the field, and the page lives', async (_, hash, code) => {
    const { page, complaints } = await browser.open(at(hash))
    const refusal = page.locator('.refusal')
    await refusal.waitFor()
    expect(await refusal.innerText()).toContain(code)
    await page.getByRole('button', { name: 'WGMMA_TRANSPOSED' }).click()
    await boardOf(page, 'elements')
    expect(await page.locator('.refusal').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

const tabs = ['registers'] as const

describe('every tab', () => {
  it.each(looks)('no accessibility error, nothing wider than the page: %s', async (_, view) => {
    for (const tab of tabs) {
      const { page, complaints } = await browser.open(at(`#/layouts?tab=${tab}`), view)
      await page.getByRole('grid').first().waitFor()
      expect([tab, await accessibilityErrors(page)]).toEqual([tab, []])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([tab, overflow <= 0]).toEqual([tab, true])
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })
})
