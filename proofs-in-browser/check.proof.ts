/** The place Check in a browser: what is pasted and dropped reaches the command line's verdict, and nothing that is pasted ends the page. */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { JSHandle, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { pipe } from 'fp-ts/lib/function.js'
import { instanceOf, kernelNamed } from '../src/kernels/catalogue/index.js'
import { asked } from '../src/oracle/cli/commands/index.js'
import { answering } from '../src/oracle/serve/answer.js'
import { printJson } from '../src/semantics/files/codec.js'
import { right } from '../proofs-by-test/either.js'
import { inMemory } from '../proofs-by-test/oracle/disk.js'
import { running, worldOf } from '../proofs-by-test/oracle/world.js'
import { accessibilityErrors, at, inBrowser, looks, type Opened, type View } from './browser.js'

const browser = inBrowser()
const triton = new URL('../conformance/triton/', import.meta.url)
const textOf = (file: string): string => fs.readFileSync(new URL(file, triton), 'utf8')

const answers = answering({
  commands: asked,
  suites: [],
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 26,
})
const ask = async (method: string, params: unknown): Promise<Record<string, unknown>> => {
  const answer = await answers(method, params, null)
  if (E.isLeft(answer)) throw new Error(answer.left.message)
  return JSON.parse(answer.right) as Record<string, unknown>
}

/** A text in the page's hands: its way from the driver into the page takes the page's own thread, and is no part of what a paste costs. */
const handed = (page: Page, text: string): Promise<JSHandle<DataTransfer>> =>
  page.evaluateHandle((said) => {
    const data = new DataTransfer()
    data.setData('text/plain', said)
    return data
  }, text)

/** A paste as the browser makes it, into whatever takes the text. */
const pasted = (page: Page, data: JSHandle<DataTransfer>): Promise<void> =>
  page.evaluate((clipboardData) => {
    document
      .querySelector('.check .cm-content, .check textarea')
      ?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, data)

const paste = async (page: Page, text: string): Promise<void> => pasted(page, await handed(page, text))

const drop = async (page: Page, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
  const data = await page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer()
      for (const [name, text] of Object.entries(given))
        transfer.items.add(new File([typeof text === 'string' ? text : Uint8Array.from(text)], name))
      return transfer
    },
    Object.fromEntries(
      Object.entries(files).map(([name, held]) => [name, typeof held === 'string' ? held : [...held]]),
    ),
  )
  await page.dispatchEvent('.check', 'drop', { dataTransfer: data })
}

/** The place without the example that it opens with. */
const cleared = async (view?: View): Promise<Opened> => {
  const opened = await browser.open(at('#/check'), view)
  await opened.page.getByRole('button', { name: 'Clear' }).click()
  return opened
}

const verdict = (page: Page) => page.getByRole('region', { name: 'verdict', exact: true })
const finding = (page: Page, id: string) => page.locator('.check-finding', { hasText: id }).first()
const badge = (page: Page, word: string) => verdict(page).locator('.badge', { hasText: word })
const command = (page: Page) => page.getByRole('region', { name: 'command line', exact: true })
const saved = async (page: Page): Promise<Record<string, unknown>> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    verdict(page).getByRole('button', { name: 'Save the verdict' }).click(),
  ])
  return JSON.parse(fs.readFileSync(await download.path(), 'utf8')) as Record<string, unknown>
}
/** The document alone: what is printed has the time that it took. */
const bare = (document: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(document).filter(([name]) => name !== 'printed'))

const captures = [
  'mm_ptr_64x64x32_s4_w4_256x256x192',
  'mm_hosttma_ws_64x64x32_s4_w4_256x256x192',
  'attn_nows_128x64x64_256',
] as const

describe('a module that is pasted', () => {
  it.each(captures)('%s has the verdict of the command line', { timeout: 60_000 }, async (name) => {
    const ttgir = textOf(`captures/${name}/${name}.ttgir`)
    const { page, complaints } = await cleared()
    await paste(page, ttgir)
    await verdict(page).waitFor({ timeout: 40_000 })
    const files = { 'kernel.ttgir': { ttgir } }
    const { example } = await ask('kernels', { kernel: 'kernel.ttgir', files })
    const expected = await ask('check', { kernel: 'kernel.ttgir', files, ...(example as object) })
    expect(bare(await saved(page))).toEqual(expected)
    expect(await command(page).textContent()).toMatch(/^tcspec check kernel\.ttgir --grid \d.* --arg /)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

const cuda = new URL('../conformance/hopper/cuda/', import.meta.url)

describe('PTX', () => {
  it.each([
    ['matmul_f32/matmul_f32.ptx', null],
    ['block_reduce/broken1.ptx', 'hazard'],
    ['cpasync_double/cpasync_double.ptx', null],
  ] as const)(
    '%s that is pasted has the verdict of the command line',
    { timeout: 90_000 },
    async (file, word) => {
      const ptx = fs.readFileSync(new URL(file, cuda), 'utf8')
      const { page, complaints } = await cleared()
      await paste(page, ptx)
      await verdict(page).waitFor({ timeout: 60_000 })
      const files = { 'kernel.ptx': { ptx } }
      const signature = await ask('kernels', { kernel: 'kernel.ptx', files })
      const launch = signature['example'] as Readonly<Record<string, unknown>>
      const guessed = signature['guessed'] as ReadonlyArray<'grid' | 'block' | 'shared'>
      const marked = Object.fromEntries(
        guessed.map((name) => [name, `${[launch[name]].flat().join(',')}:guess`] as const),
      )
      const expected = await ask('check', { kernel: 'kernel.ptx', files, ...launch, ...marked })
      expect(bare(await saved(page))).toEqual(expected)
      if (word !== null) expect(expected['verdict']).toBe(word)
      expect(await command(page).textContent()).toMatch(
        /^tcspec check kernel\.ptx --grid \d.* --block \d.* --arg /,
      )
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )
  it(
    'that is dropped beside its launch, its tensors and its source: both lines are marked, in both texts',
    { timeout: 90_000 },
    async () => {
      const folder = new URL('matmul_f32/', cuda)
      const { page, complaints } = await cleared()
      const npys = ['a.npy', 'b.npy'].map(
        (name) => [name, new Uint8Array(fs.readFileSync(new URL(name, folder)))] as const,
      )
      const texts = {
        'broken1.ptx': fs.readFileSync(new URL('broken1.ptx', folder), 'utf8'),
        'matmul_f32.cu': fs.readFileSync(new URL('matmul_f32.cu', folder), 'utf8'),
        'launch.json': fs.readFileSync(new URL('launch.json', folder), 'utf8'),
      }
      await drop(page, { ...texts, ...Object.fromEntries(npys) })
      await badge(page, 'hazard').waitFor({ timeout: 60_000 })
      const expected = await ask('check', {
        kernel: 'broken1.ptx',
        files: {
          'broken1.ptx': { ptx: texts['broken1.ptx'] },
          'matmul_f32.cu': texts['matmul_f32.cu'],
          'launch.json': texts['launch.json'],
          ...Object.fromEntries(
            npys.map(([name, bytes]) => [name, { npy: Buffer.from(bytes).toString('base64') }]),
          ),
        },
        launch: 'launch.json',
      })
      expect(bare(await saved(page))).toEqual(expected)
      expect(await page.getByRole('textbox', { name: 'block', exact: true }).inputValue()).toBe('16,16')
      for (const which of ['first', 'second'] as const) {
        await page.locator(`.cm-line.check-mark-${which}`, { hasText: /tile_/ }).first().waitFor()
        await page.locator(`.cm-line.check-mark-${which}`, { hasText: 'shared' }).first().waitFor()
      }
      // and the run is shown
      await page.getByRole('button', { name: /run/i }).first().click()
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )
})

describe('a kernel that JAX traced, and a trace', () => {
  const jaxpr = fs.readFileSync(
    new URL('../conformance/jaxpr/0.11.2/matmul_f16_256x256x256_sms3.jaxpr.json', import.meta.url),
    'utf8',
  )
  /** The trace of a run that races. */
  const traced = async (): Promise<string> => {
    const disk = new Map<string, Uint8Array>()
    await running(worldOf(inMemory(disk)))('trace', 'zoo/R1', '-o', 'run.jsonl')
    return new TextDecoder().decode(disk.get('run.jsonl'))
  }
  it('a jaxpr that is pasted has the verdict of the command line', { timeout: 60_000 }, async () => {
    const { page, complaints } = await cleared()
    await paste(page, jaxpr)
    await verdict(page).waitFor({ timeout: 40_000 })
    await badge(page, 'ok').waitFor()
    const kernel = 'kernel.jaxpr.json'
    expect(bare(await saved(page))).toEqual(await ask('check', { kernel, files: { [kernel]: jaxpr } }))
    expect(await command(page).textContent()).toMatch(/^tcspec check kernel\.jaxpr\.json/)
    expect(complaints).toEqual([])
    await page.context().close()
  })
  it.each(['pasted', 'dropped'])('a trace that is %s has the verdict of the command line', async (how) => {
    const jsonl = await traced()
    const kernel = how === 'pasted' ? 'run.jsonl' : 'early.jsonl'
    const { page, complaints } = await cleared()
    await (how === 'pasted' ? paste(page, jsonl) : drop(page, { [kernel]: jsonl }))
    await finding(page, 'R1').waitFor()
    expect(bare(await saved(page))).toEqual(await ask('check', { kernel, files: { [kernel]: { jsonl } } }))
    expect(await command(page).textContent()).toMatch(
      new RegExp(`^tcspec check ${kernel.replace('.', '\\.')}`),
    )
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

const rowScale = textOf('first/row_scale.ttgir')
const author = textOf('first/row_scale.py')

describe('files that are dropped', () => {
  it('a module, its author and its launch: both lines are marked, in both texts', async () => {
    const { page, complaints } = await cleared()
    await drop(page, {
      'row_scale.ttgir': rowScale,
      'row_scale.py': author,
      'launch.json': JSON.stringify({
        grid: [3],
        args: [
          { tensor: 'dx', shape: [192, 64] },
          { tensor: 'dy', shape: [192, 64] },
        ],
      }),
    })
    await finding(page, 'P1').waitFor()
    await command(page).getByText('--grid 3 --arg dx=f16[192,64]:in dy=f16[192,64]:out').waitFor()
    expect(await page.getByRole('textbox', { name: 'grid' }).inputValue()).toBe('3')
    for (const [which, text] of [
      ['first', 'tile.store(x * 2)'],
      ['second', 'tma.async_copy_shared_to_global'],
    ] as const) {
      await page.locator(`.cm-line.check-mark-${which}`, { hasText: text }).waitFor()
      await page.locator(`.cm-line.check-mark-${which}`, { hasText: 'ttg' }).waitFor()
    }
    expect(await verdict(page).getByRole('region', { name: 'P1 in words' }).textContent()).toContain(
      'row_scale.py:19: tile.store(x * 2)',
    )
    expect(await verdict(page).locator('svg').textContent()).toContain('local_store 24')
    expect(complaints).toEqual([])
  })
  it('a verdict is shown and nothing is judged', async () => {
    const document = await ask('check', { kernel: 'zoo/W3' })
    const { page } = await cleared()
    await drop(page, { 'verdict.json': JSON.stringify(document) })
    await finding(page, 'W3').waitFor()
    expect(bare(await saved(page))).toEqual(document)
    expect(await command(page).count()).toBe(0)
    expect(await verdict(page).locator('svg').count()).toBe(1)
  })
  it('what says that it is a verdict and is none is refused in a line', async () => {
    const { page } = await cleared()
    await drop(page, { 'v.json': '{"schema": "tcspec.verdict/2", "findings": [{"id": "<script>"}]}' })
    await page.locator('.refusal', { hasText: 'v.json: ' }).waitFor()
  })
  it('a program is judged as its kernel is', async () => {
    const { program } = right(
      pipe(
        kernelNamed('zoo/R1'),
        E.chainW((k) => instanceOf(k, {}, [])),
      ),
    )
    const text = printJson(program)
    const { page } = await cleared()
    await drop(page, { 'ring.json': text })
    await finding(page, 'R1').waitFor()
    expect(bare(await saved(page))).toEqual(
      await ask('check', { kernel: 'ring.json', files: { 'ring.json': text } }),
    )
  })
  it('PTX that is damaged has a line that says where', async () => {
    const { page } = await cleared()
    await drop(page, { 'k.ptx': '.version 8.0\n.target sm_90a\n.visible .entry k( {' })
    await page.locator('.refusal', { hasText: 'k.ptx:3:' }).first().waitFor()
  })
})

describe('the launch', () => {
  it('is filled from the text; what is wrong is said at the field, and nothing is asked until it is right', async () => {
    const { page } = await cleared()
    await drop(page, { 'k.ttgir': textOf('modules/mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir') })
    const k = page.getByRole('textbox', { name: 'K', exact: true })
    await k.waitFor()
    expect(await k.inputValue()).toBe('192')
    expect(await page.getByRole('textbox', { name: 'da' }).inputValue()).toBe('64,192')
    await verdict(page).waitFor()
    await k.fill('100')
    await page.getByRole('alert').getByText('K: expected a multiple of 16').waitFor()
    expect(await k.getAttribute('aria-invalid')).toBe('true')
    await verdict(page).waitFor({ state: 'detached' })
    // where the verdict was
    await page
      .getByRole('status', { name: 'why there is no verdict' })
      .getByText('K: expected a multiple of 16, for which the module was compiled, found 100')
      .waitFor()
    await k.fill('64')
    await command(page).getByText('K=64').waitFor()
    await badge(page, 'ok').waitFor()
  })
})

describe('what if', () => {
  it('a statement that is left out changes the verdict, and both stand beside each other', async () => {
    const { page } = await cleared()
    await drop(page, { 'mended.ttgir': textOf('first/mended.ttgir') })
    await badge(page, 'ok').waitFor()
    await page.getByRole('combobox', { name: 'leave out a statement' }).fill('fence_async_shared 25')
    await page.getByRole('button', { name: 'Leave out', exact: true }).click()
    const sides = page.locator('.check-side')
    await sides.nth(1).locator('.badge', { hasText: 'hazard' }).waitFor()
    await sides.nth(0).locator('.badge', { hasText: 'ok' }).waitFor()
    await page.getByRole('button', { name: /restore it$/ }).click()
    await badge(page, 'ok').waitFor()
    expect(await sides.count()).toBe(0)
  })
  it('the edge that a finding says is missing is added, and both verdicts stand beside each other; the link has it', async () => {
    const { page, complaints } = await browser.open(at('#/check?kernel=zoo%2FR1'))
    await badge(page, 'hazard').waitFor()
    await page.getByRole('button', { name: 'Add the edge' }).click()
    await badge(page, 'ok').waitFor()
    const sides = page.locator('.check-side')
    await sides.nth(0).locator('.badge', { hasText: 'hazard' }).waitFor()
    await sides.nth(1).locator('.badge', { hasText: 'ok' }).waitFor()
    await sides.nth(1).getByText('before `read s` of consumer').waitFor()
    await command(page).getByText('tcspec check zoo/R1 --mend 1').waitFor()
    expect(bare(await saved(page))).toEqual(await ask('check', { kernel: 'zoo/R1', mend: [1] }))
    await page.waitForURL(/mend=1/)
    expect(await accessibilityErrors(page)).toEqual([])
    const { page: shared } = await browser.open(page.url())
    await badge(shared, 'ok').waitFor()
    await shared.getByRole('button', { name: /remove it$/ }).click()
    await badge(shared, 'hazard').waitFor()
    expect(complaints).toEqual([])
  })
  it('an edge that cannot be added is refused in a sentence, and the finding stays in sight', async () => {
    const { page } = await browser.open(at('#/check?kernel=zoo%2FD3'))
    await badge(page, 'hazard').waitFor()
    await page.getByRole('button', { name: 'Add the edge' }).click()
    await page.getByRole('alert').getByText('no statement that could be added fixes D3').waitFor()
    await badge(page, 'hazard').waitFor()
    await finding(page, 'D3').waitFor()
    expect(await accessibilityErrors(page)).toEqual([])
  })
  it('a guide links to a kernel without a statement', async () => {
    const { page } = await browser.open(at('#/check?kernel=matmul1&without=wait+consumed'))
    await badge(page, 'deadlock').waitFor()
    expect(bare(await saved(page))).toEqual(
      await ask('check', { kernel: 'matmul1', without: ['wait consumed'] }),
    )
  })
})

describe('a link', () => {
  it('restores the text, the launch, what is left out, and the finding', async () => {
    const { page } = await cleared()
    await drop(page, { 'row_scale.ttgir': rowScale, 'row_scale.py': author })
    await verdict(page).waitFor()
    await page.getByRole('textbox', { name: 'dx' }).fill('256,64')
    await page.getByRole('checkbox', { name: 'strict proxies' }).check()
    await page.waitForFunction(() => /proxies=1/.test(location.hash) && /256/.test(location.hash))
    await verdict(page).waitFor()
    const url = page.url()
    const before = bare(await saved(page))
    const other = await browser.open(url)
    await verdict(other.page).waitFor()
    expect(await other.page.getByRole('textbox', { name: 'dx' }).inputValue()).toBe('256,64')
    expect(await other.page.getByRole('checkbox', { name: 'strict proxies' }).isChecked()).toBe(true)
    await other.page.getByText('def row_scale').first().waitFor()
    expect(bare(await saved(other.page))).toEqual(before)
  })
  it(
    'holds a text of any length when it is copied, and a file opens again: the same verdict each time',
    { timeout: 90_000 },
    async () => {
      const { page } = await cleared()
      // noise that no packing makes shorter
      let seed = 1
      const noise = Array.from({ length: 120_000 }, () => {
        seed = (seed * 48271) % 2147483647
        return String.fromCharCode(33 + (seed % 90))
      }).join('')
      await drop(page, { 'k.ttgir': `// ${noise}\n${rowScale}`, 'row_scale.py': author })
      await verdict(page).waitFor()
      await page.getByRole('textbox', { name: 'dx' }).fill('256,64')
      await command(page).getByText('dx=f16[256,64]').waitFor()
      await badge(page, 'hazard').waitFor()
      // the verdict before it rests on dx as well
      await page.getByText('on guessed arguments (dy)').first().waitFor()
      const before = bare(await saved(page))
      expect(page.url().length).toBeLessThan(61_000)
      await page.getByRole('button', { name: 'Copy the link' }).click()
      const link = await page.evaluate(() => navigator.clipboard.readText())
      expect(link.length).toBeGreaterThan(100_000)
      const { page: linked } = await browser.open(link)
      await badge(linked, 'hazard').waitFor()
      expect(bare(await saved(linked))).toEqual(before)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save to open again' }).click(),
      ])
      const { page: dropped } = await cleared()
      await drop(dropped, { 'k.check.json': fs.readFileSync(await download.path(), 'utf8') })
      await badge(dropped, 'hazard').waitFor()
      expect(bare(await saved(dropped))).toEqual(before)
    },
  )
})

// ---------------------------------------------------------------- what nobody means well

/** Milliseconds: 200 of a machine that has nothing else to do, and others work beside a proof. */
const mostFrozen = 600

/** The longest time for which the page did nothing else, from now on. */
const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const w = globalThis as unknown as { longest: number }
    w.longest = 0
    let last = performance.now()
    setInterval(() => {
      const now = performance.now()
      w.longest = Math.max(w.longest, now - last)
      last = now
    }, 5)
  })
const longest = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { longest: number }).longest)

const lives = async (page: Page): Promise<void> => {
  // not the example that the page has the answer of
  await page.getByRole('button', { name: 'zoo/W3' }).click()
  await finding(page, 'W3').waitFor({ timeout: 20_000 })
}

const hostile: ReadonlyArray<readonly [what: string, text: string]> = [
  [
    'binary data',
    Array.from({ length: 3000 }, (_, i) => String.fromCharCode(i % 7 === 0 ? 0 : i % 256)).join(''),
  ],
  ['JSON that nests', '['.repeat(300_000)],
  ['control characters and marks of direction', `module \u202e{ \u0007\u001b[31m ${'\u200f'.repeat(2000)} }`],
  ['markup', '<img src=x onerror="throw new Error(1)"><script>throw new Error(2)</script>'],
  ['one long line', `module { ${'x'.repeat(60_000)} }`],
]

describe('hostile pastes', () => {
  it.each(hostile)('%s: a line, and the page lives', { timeout: 60_000 }, async (_, text) => {
    const { page, complaints } = await cleared()
    await page.locator('.cm-content').waitFor()
    const data = await handed(page, text)
    await watch(page)
    await pasted(page, data)
    await page.locator('.refusal').first().waitFor({ timeout: 30_000 })
    expect(await page.locator('.refusal').first().innerText()).not.toContain('\u001b')
    expect(await longest(page)).toBeLessThan(mostFrozen)
    await lives(page)
    expect(complaints).toEqual([])
  })
  it('50 MB of text is refused without being read', { timeout: 60_000 }, async () => {
    const { page } = await cleared()
    await page.locator('.cm-content').waitFor()
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      transfer.setData('text/plain', 'module { x }\n'.repeat(4_000_000))
      return transfer
    })
    await watch(page)
    await pasted(page, data)
    await page.getByText('expected at most 16,000,000 characters').waitFor()
    expect(await longest(page)).toBeLessThan(mostFrozen)
    await drop(page, { 'k.ttgir': 'x'.repeat(17_000_000) })
    await page.getByText('k.ttgir: expected at most 16,000,000').waitFor()
    await lives(page)
  })
  it('a module of 100,000 operations is answered or stopped', { timeout: 120_000 }, async () => {
    const { page } = await cleared()
    await page.locator('.cm-content').waitFor()
    const lines = Array.from({ length: 100_000 }, (_, i) => `    %x${String(i)} = arith.addi %n, %n : i32`)
    const text = `module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {\n  tt.func public @big(%n: i32) {\n${lines.join('\n')}\n    tt.return\n  }\n}\n`
    const data = await handed(page, text)
    await watch(page)
    await pasted(page, data)
    await page.getByText('Too long to edit here').waitFor()
    const stop = page.getByRole('button', { name: 'Stop' })
    await stop.or(verdict(page)).or(page.locator('.refusal')).first().waitFor()
    const done = page.getByText('stopped', { exact: true }).or(verdict(page)).or(page.locator('.refusal'))
    while (!(await done.first().isVisible())) {
      await stop.click({ timeout: 500 }).catch(() => undefined)
    }
    expect(await longest(page)).toBeLessThan(mostFrozen)
    await lives(page)
  })
})

describe('without a mouse', () => {
  it('an example is judged, a finding chosen, a statement left out', async () => {
    const { page, complaints } = await cleared()
    const tabTo = async (name: string): Promise<void> => {
      for (let k = 0; k < 120; k++) {
        await page.keyboard.press('Tab')
        const said = await page.evaluate(
          () =>
            document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
        )
        if (said.startsWith(name)) return
      }
      throw new Error(`no ${name} by Tab`)
    }
    await tabTo('matmul1 without a wait')
    await page.keyboard.press('Enter')
    await finding(page, 'W1').waitFor()
    await tabTo('W1')
    await page.keyboard.press('ArrowDown')
    const chosen = page.getByRole('radio', { checked: true })
    expect(await chosen.textContent()).toMatch(/^B1/)
    await page.keyboard.press('End')
    await page.waitForFunction(() => /finding=/.test(location.hash))
    await page.keyboard.press('Home')
    expect(await chosen.textContent()).toMatch(/^W1/)
    expect(complaints).toEqual([])
  })
  it('what is in the clipboard is pasted', async () => {
    const { page } = await cleared()
    await page.locator('.cm-content').waitFor()
    await page.evaluate((text) => navigator.clipboard.writeText(text), rowScale)
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+V')
    await finding(page, 'P1').waitFor()
  })
})

describe.each(looks)('%s', (_, view) => {
  it('no accessibility error, and nothing is wider than the page', { timeout: 60_000 }, async () => {
    for (const example of ['row scale', 'matmul1 without a wait'] as const) {
      const { page, complaints } = await cleared(view)
      await page.getByRole('button', { name: example }).click()
      await verdict(page).locator('svg').waitFor()
      if (example === 'row scale') await page.locator('.cm-line.check-mark-first').first().waitFor()
      expect(await accessibilityErrors(page)).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })
})

describe('the run of a verdict', () => {
  it('is shown with the finding that is looked at: both accesses on the lanes, the later one just begun', async () => {
    const { page, complaints } = await browser.open(at('#/check?kernel=matmul1&without=wait+consumed'))
    await badge(page, 'deadlock').waitFor()
    // the button is in the panel of the finding, and the run has one of its own
    await verdict(page).getByRole('button', { name: 'Show it in the run' }).click()
    await page
      .getByRole('region', { name: 'the run' })
      .getByRole('button', { name: 'Hide the run' })
      .waitFor()
    const player = page.locator('[data-player=matmul1]')
    await player.waitFor()
    const recording = await ask('view', { kernel: 'matmul1', without: ['wait consumed'] })
    expect(await player.getAttribute('data-steps')).toBe(String((recording['steps'] as unknown[]).length))
    // `copy a [0]` and `copy a [4]`: the words of the first finding, and the step at which its later access has begun
    const steps = recording['steps'] as ReadonlyArray<{ agent: number; at: number; key: string }>
    const [first] = (
      recording['verdict'] as { findings: ReadonlyArray<{ b: { index: number; at: number } }> }
    ).findings
    const later = steps.findIndex(
      (s) => s.agent === first!.b.index && s.at === first!.b.at && !s.key.includes('/'),
    )
    const slider = page.getByRole('slider', { name: 'event in the schedule' }).first()
    expect(Number(await slider.inputValue())).toBe(later + 1)
    // the link shows it again
    const again = await browser.open(page.url())
    await again.page.locator('[data-player=matmul1]').waitFor()
    expect(complaints).toEqual([])
    expect(await accessibilityErrors(page)).toEqual([])
  })
})
