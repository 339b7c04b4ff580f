/**
 * The place of layouts: what lights up is what the library says, worked out here once more; by mouse and by keyboard; a link restores what was seen.
 */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { differences, listingOf } from '../src/layouts/listing.js'
import { parseName } from '../src/layouts/named.js'
import { owners } from '../src/layouts/register-layout.js'
import {
  columnsOf,
  parseTensorMemoryName,
  places,
  vectorLength,
} from '../src/layouts/tensor-memory/tensor-memory-layout.js'
import { ofTransforms, swizzledAddresses } from '../src/transforms/ref.js'
import { swizzle, tiled } from '../src/transforms/transform.js'
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

describe('shared memory', () => {
  it.each([
    [[8, 64], 128, [3, 17]],
    [[8, 64], 128, [7, 63]],
    [[8, 32], 64, [6, 20]],
  ] as const)(
    'tile %j, swizzle %i: element %j lies where the transforms of the library put it',
    async (tile, bytes, element) => {
      const shape = [16, tile[1]] as const
      const ref = right(ofTransforms(shape, 16, [right(tiled([[...tile]])), right(swizzle(bytes))]))
      const byte = swizzledAddresses(ref, 0)[element[0] * shape[1] + element[1]]!
      const { page } = await browser.open(
        at(
          `#/layouts?${new URLSearchParams({ tab: 'memory', transforms: `tile=${tile.join('x')} swizzle=${String(bytes)}`, shape: shape.join('x') }).toString()}`,
        ),
      )
      const elements = await boardOf(page, 'elements')
      const memory = await boardOf(page, 'shared memory')
      await hover(page, elements, element[0], element[1])
      await expect.poll(() => lit(memory)).toEqual([byte / 2])
      expect(await framed(memory, Math.floor(byte / 128), (byte % 128) / 2)).toBe(true)
      expect(await page.locator('.layouts-readout').innerText()).toContain(
        `element (${element.join(', ')}): byte ${String(byte)}, line ${String(Math.floor(byte / 128))}, bank ${String(Math.floor(byte / 4) % 32)}`,
      )
      await hover(page, memory, Math.floor(byte / 128), (byte % 128) / 2)
      await expect.poll(() => lit(elements)).toEqual([element[0] * shape[1] + element[1]])
    },
  )
})

describe('tensor memory', () => {
  it.each([
    ['DEFAULT(1)', [128, 32], 'f32', [77, 21]],
    ['DEFAULT(2)', [128, 32], 'f16', [5, 9]],
    ['HALF_LANE(64, 1)', [64, 64], 'f32', [40, 33]],
  ] as const)('%s on %j: %s at %j', async (name, shape, dtype, element) => {
    const layout = right(parseTensorMemoryName(name))
    const columns = columnsOf(layout, shape)
    const parts = vectorLength(layout)
    const expected = places(layout, shape, element)
      .map((p) => (p.lane * columns + p.column) * parts + p.part)
      .sort((a, b) => a - b)
    const { page } = await browser.open(
      at(
        `#/layouts?${new URLSearchParams({ tab: 'tmem', layouts: name, shape: shape.join('x'), dtype }).toString()}`,
      ),
    )
    const elements = await boardOf(page, 'elements')
    const lanes = await boardOf(page, 'lanes and columns')
    await hover(page, elements, element[0], element[1])
    await expect.poll(() => lit(lanes)).toEqual(expected)
  })
  it('arrays that stand together', async () => {
    const { page } = await browser.open(at('#/layouts?tab=tmem'))
    await page.getByRole('button', { name: 'arrays together' }).click()
    await page.getByRole('cell', { name: '256 to 383' }).waitFor()
  })
})

describe('a TMA box', () => {
  it('what is outside of the tensor says so, what is inside names its element and byte', async () => {
    const { page } = await browser.open(at('#/layouts?tab=box'))
    const box = await boardOf(page, 'the box')
    await hover(page, box, 3, 31)
    // row 3, chunk 3 of 8, exchanged by the row: chunk 0
    await expect
      .poll(() => page.locator('.layouts-readout').innerText())
      .toContain('box (3, 31), tensor (99, 255): byte 398, line 3, bank 3')
    await hover(page, box, 3, 32)
    await expect
      .poll(() => page.locator('.layouts-readout').innerText())
      .toContain('box (3, 32), outside of the tensor, filled')
  })
})

describe('bank conflicts', () => {
  it('turn by turn: who is served, who collides, by button and by keyboard, and in the address', async () => {
    const { page } = await browser.open(at('#/layouts?tab=banks'))
    const board = await boardOf(page, 'which lane accesses which bank')
    await page.getByText('turn 1 of 8').waitFor()
    expect(numbers(await board.getAttribute('data-marked'))).toEqual([0, 1, 2, 3].map((lane) => 33 * lane))
    await page
      .getByText('Bank 0 serves lane 0 now; lanes 4, 8, 12, 16, 20, 24, 28 collide and wait.')
      .waitFor()
    await page.getByRole('button', { name: 'next turn' }).click()
    await page.getByText('turn 2 of 8').waitFor()
    expect(numbers(await board.getAttribute('data-marked'))).toEqual(
      [4, 5, 6, 7].map((lane) => 32 * lane + lane - 4),
    )
    await page.getByRole('slider', { name: 'turn' }).focus()
    await page.keyboard.press('End')
    await page.getByText('turn 8 of 8').waitFor()
    expect(page.url()).toContain('turn=7')
    await page.getByRole('button', { name: 'with a swizzle of 128 bytes' }).click()
    await page.getByText('turn 1 of 1').waitFor()
    await page.getByText('no conflicts').waitFor()
  })
})

describe('CuTe', () => {
  it('a coordinate lights up its offset', async () => {
    const { page } = await browser.open(
      at(`#/layouts?${new URLSearchParams({ tab: 'cute', expression: '(4,(2, 2)):(2,(1,8))' }).toString()}`),
    )
    const coordinates = await boardOf(page, 'coordinates')
    const offsets = await boardOf(page, 'offsets')
    await hover(page, coordinates, 3, 2)
    await expect.poll(() => lit(offsets)).toEqual([3 * 2 + 8])
  })
})

describe('two layouts', () => {
  it('the first difference is marked on both, and said', async () => {
    const shape = [64, 16]
    const [one, other] = ['WGMMA', 'WGMMA_TRANSPOSED'].map((name) =>
      right(listingOf(right(parseName(name)), shape)),
    )
    const { first, count } = right(differences(one!, other!))
    const cell = first!.element[0]! * 16 + first!.element[1]!
    const { page } = await browser.open(at('#/layouts?tab=compare'))
    for (const label of ['the one', 'the other']) {
      const board = await boardOf(page, label)
      await expect.poll(() => board.getAttribute('data-marked')).toBe(String(cell))
      expect(await framed(board, first!.element[0]!, first!.element[1]!)).toBe(true)
    }
    expect(await page.locator('.layouts-verdict').innerText()).toContain(
      `${String(count)} elements lie elsewhere. The first is (${first!.element.join(', ')})`,
    )
    await page.getByRole('button', { name: 'Triton nvidia_mma and WGMMA' }).click()
    await page.getByText('every element of 64 x 64 lies in the same registers').waitFor()
    expect(await (await boardOf(page, 'the one')).getAttribute('data-marked')).toBe('')
  })
})

describe('other words', () => {
  it('a text of CuTe pasted: its name, its encodings, and each of them is a layout that can be drawn', async () => {
    const { page } = await browser.open(at('#/layouts?tab=words'))
    await page.getByLabel(/^a name, a CuTe layout/).fill('((4,8,4),(2,2)):((128,1,16),(64,8))')
    await page.getByLabel('shape').fill('64x8')
    await page.getByRole('region', { name: 'Pallas, Mosaic: WGMMA', exact: true }).waitFor()
    const triton = page.getByRole('region', { name: /^Triton: #ttg.nvidia_mma/ }).first()
    expect(await triton.innerText()).toContain('instrShape = [16, 8, 16]')
    await page
      .getByRole('link', { name: /^draw #ttg.nvidia_mma/ })
      .first()
      .click()
    await boardOf(page, 'lanes and registers')
    expect(await page.getByText('nvidia_mma on 64 x 8').count()).toBe(1)
  })
})

describe('what is carried away', () => {
  it('CSV and SVG are the command line’s, and the line is copied', async () => {
    const { page } = await browser.open(at('#/layouts?layout=MMA_LHS(16, 4)'))
    await boardOf(page, 'elements')
    expect(await page.locator('.layouts-line').innerText()).toBe(`tcspec layout 'MMA_LHS(16, 4)'`)
    await page.getByRole('button', { name: 'copy the command line' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`tcspec layout 'MMA_LHS(16, 4)'`)
    for (const [name, begins] of [
      ['CSV', 'warp,lane,register,dim0,dim1'],
      ['SVG', '<svg '],
    ] as const) {
      const waiting = page.waitForEvent('download')
      await page.getByRole('button', { name: `as ${name}` }).click()
      const saved = await waiting
      expect(saved.suggestedFilename()).toBe(`layout.${name.toLowerCase()}`)
      expect(fs.readFileSync((await saved.path())!, 'utf8')).toContain(begins)
    }
  })
})

describe('the tabs', () => {
  it('by keyboard; what a tab showed is there again, and the address has only what is shown', async () => {
    const { page } = await browser.open(at('#/layouts?layout=TCGEN05&shape=128x32'))
    await page.getByRole('tab', { name: 'Registers' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Shared memory', selected: true }).waitFor()
    await boardOf(page, 'shared memory')
    expect(page.url()).not.toContain('TCGEN05')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('tab', { name: 'Registers', selected: true }).waitFor()
    expect(page.url()).toContain('TCGEN05')
  })
  it('every example of every tab is answered', async () => {
    const { page, complaints } = await browser.open(at('#/layouts'))
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      for (const example of await page.getByRole('group', { name: 'examples' }).getByRole('button').all()) {
        await example.click()
        const line = page.locator('.layouts-line')
        await line.waitFor()
        await page.locator('.layouts-old').waitFor({ state: 'detached' })
        expect([await example.innerText(), await page.locator('.refusal').count()]).toEqual([
          await example.innerText(),
          0,
        ])
      }
    }
    expect(complaints).toEqual([])
  })
})

const tabs = ['registers', 'memory', 'banks', 'box', 'tmem', 'linear', 'cute', 'compare', 'words'] as const

describe('every tab', () => {
  it.each(looks)('no accessibility error, nothing wider than the page: %s', async (_, view) => {
    for (const tab of tabs) {
      const { page, complaints } = await browser.open(at(`#/layouts?tab=${tab}`), view)
      await page.locator('.layouts-line').waitFor()
      expect([tab, await accessibilityErrors(page)]).toEqual([tab, []])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([tab, overflow <= 0]).toEqual([tab, true])
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })
})
