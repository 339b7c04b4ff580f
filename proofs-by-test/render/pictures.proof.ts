import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layout as cuteLayout } from '../../src/layouts/cute/index.js'
import { listingOf } from '../../src/layouts/listing.js'
import { apply, registerLinearLayout } from '../../src/layouts/linear/linear-layout.js'
import { owners, type RegisterLayout } from '../../src/layouts/register-layout.js'
import { wavefronts, type BankAccess } from '../../src/layouts/shared-memory/banks.js'
import { splatLayout } from '../../src/layouts/splat.js'
import { stridedLayout } from '../../src/layouts/strided.js'
import { defaultLayout, halfLane, places } from '../../src/layouts/tensor-memory/tensor-memory-layout.js'
import { TMA_INDICES_4, WGMMA, WGMMA_ROW } from '../../src/layouts/tiled.js'
import { banksSvg, wordCounts } from '../../src/render/banks.js'
import { oklch, step } from '../../src/render/colour.js'
import { cuteSvg, cuteText, drawnLayout } from '../../src/render/cute.js'
import {
  axisTitles,
  gridOf,
  parseWindow,
  positionAt,
  rowLabel,
  showWindow,
  wholeWindow,
} from '../../src/render/grid.js'
import { linearSvg } from '../../src/render/linear.js'
import { chunkLabel, memoryLines, memorySvg, memoryText } from '../../src/render/memory.js'
import { plain } from '../../src/render/palette.js'
import { layoutSvg, layoutText } from '../../src/render/register-layout.js'
import { element, escape, picture, rect, words, write } from '../../src/render/svg.js'
import {
  elementsLabel,
  mapSvg,
  mapText,
  tensorMemorySvg,
  tensorMemoryText,
} from '../../src/render/tensor-memory.js'
import * as Ref from '../../src/transforms/ref.js'
import { sizeOf, unravel } from '../../src/transforms/shape.js'
import * as Transform from '../../src/transforms/transform.js'
import { all, groupOf, readSvg, textOf, tipOf, type Node } from './read-svg.js'
import { nightly, sampled } from '../extent.js'
import { right } from '../either.js'
import { anyText } from '../prop.js'

const number = (node: Node, key: string): number => Number(node.attributes[key])

// ---------------------------------------------------------------- svg

describe('svg', () => {
  it('law 1: well-formed, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.string(), fc.double({ min: -1e6, max: 1e6, noNaN: true }), (a, b, n) => {
        const root = readSvg(write(picture(10, 10, [words(1, n, a, { class: b }), rect({ x: n }, a)])))
        // Carriage returns and what XML lacks do not survive; all else does.
        const kept = escape(a)
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&amp;', '&')
        expect(all(root, 'text').map(textOf)).toEqual(kept.trim() === '' ? [''] : [kept])
        expect(all(root, 'text')[0]!.attributes['y']).toMatch(/^-?\d+(\.\d{1,2})?$/)
        expect(Math.abs(number(all(root, 'text')[0]!, 'y') - n)).toBeLessThan(0.0051)
      }),
      {
        numRuns: nightly ? 100 : 15,
        examples: [['<&>"\u0000\ud800', '"', -0]],
      },
    )
    expect(write(rect({ x: Infinity, y: NaN }))).toBe('<rect x="0" y="0"/>\n')
    expect(escape('a<b>&"\u0001\ufffe')).toBe('a&lt;b&gt;&amp;&quot;\ufffd\ufffd')
  })
  it('law 2: numbers with two decimals at most; the whole text of a small picture', () => {
    expect(write(element('line', { x1: 1 / 3, x2: -0.001, y1: 1e-9, y2: 12.345 }))).toBe(
      '<line x1="0.33" x2="0" y1="0" y2="12.35"/>\n',
    )
    expect(
      write(
        element('g', {}, [
          element('g', { id: 'a' }),
          element('text', {}, ['t', element('tspan', {}, ['u'])]),
        ]),
      ),
    ).toBe('<g>\n <g id="a"/>\n <text>t<tspan>u</tspan></text>\n</g>\n')
    const root = readSvg(write(picture(20, 10, [])))
    expect(root.attributes).toMatchObject({
      width: '20',
      height: '10',
      viewBox: '0 0 20 10',
      xmlns: 'http://www.w3.org/2000/svg',
    })
    expect(all(root, 'rect').map((r) => r.attributes['fill'])).toEqual(['#ffffff'])
  })
})

// ---------------------------------------------------------------- colour and grid

describe('colour', () => {
  it('law 1: without chroma a grey, from black to white', () => {
    for (const hue of [0, 77, 300]) {
      expect([oklch(0, 0, hue), oklch(1, 0, hue)]).toEqual(['#000000', '#ffffff'])
      expect(oklch(0.5, 0, hue)).toMatch(/^#(..)\1\1$/)
    }
    // Known pairs: sRGB red, green and blue.
    expect(oklch(0.62796, 0.25768, 29.234)).toBe('#ff0000')
    expect(oklch(0.86644, 0.29483, 142.495)).toBe('#00ff00')
    expect(oklch(0.45201, 0.31321, 264.052)).toBe('#0000ff')
  })
  it('law 2: what a screen does not have loses chroma, not lightness', () => {
    const channels = (c: string): ReadonlyArray<number> =>
      [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16))
    const [r, g, b] = channels(oklch(0.93, 0.4, 150))
    expect(g! > r! && g! > b!).toBe(true)
    expect(r!).toBeGreaterThan(120)
    expect([0, 1, 2].map((k) => step(1, 0, k, 3))).toEqual([1, 0.5, 0])
    expect(step(7, 9, 0, 1)).toBe(7)
  })
})

describe('grid', () => {
  it('law 1: rows and columns of every rank', () => {
    const shapes = [[], [5], [40], [3, 4], [2, 3, 4]]
    for (const shape of shapes) {
      const grid = gridOf(shape)
      const positions = Array.from({ length: grid.rows }, (_, r) =>
        Array.from({ length: grid.columns }, (__, c) => positionAt(grid, r, c)),
      ).flat()
      expect(positions.filter((p) => p !== null)).toEqual(Array.from({ length: sizeOf(shape) }, (_, p) => p))
    }
    expect(rowLabel(gridOf([40]), 2)).toBe('32')
    expect(rowLabel(gridOf([2, 4, 8]), 5)).toBe('1,1')
    expect(rowLabel(gridOf([3, 4]), 2)).toBe('2')
    expect([[], [4], [3, 4], [2, 3, 4]].map((s) => axisTitles(gridOf(s)).join('/'))).toEqual([
      'from/scalar',
      'from/dim 0',
      'dim 0/dim 1',
      'dim 0, 1/dim 2',
    ])
  })
  it('windows are read as they are written', () => {
    const grid = gridOf([64, 32])
    expect(right(parseWindow(grid, '0:16,8:24'))).toEqual({ rows: [0, 16], columns: [8, 24] })
    expect(right(parseWindow(grid, '60:'))).toEqual({ rows: [60, 64], columns: [0, 32] })
    expect(right(parseWindow(grid, ':,:1'))).toEqual({ rows: [0, 64], columns: [0, 1] })
    for (const text of ['5', '5:5', '0:65', '0:1,0:33', '1:0', '0:1,0:1,0:1', 'a:b', '-1:2'])
      expect(parseWindow(grid, text)).toMatchObject({ left: { code: 'window' } })
    expect(wholeWindow(grid, 8, 99)).toEqual({ rows: [0, 8], columns: [0, 32] })
    expect(showWindow(grid, wholeWindow(grid, 64, 32))).toBe('')
    expect(showWindow(grid, wholeWindow(grid, 8, 99))).toBe('rows 0 to 7 of 64, columns 0 to 31 of 32')
  })
})

// ---------------------------------------------------------------- register layouts

const linear = right(registerLinearLayout([2, 4], [[0, 1]], [[0, 2]], [[0, 0]]))
const layouts: ReadonlyArray<readonly [string, RegisterLayout, ReadonlyArray<number>]> = [
  ['WGMMA', WGMMA, [64, 16]],
  ['WGMMA_ROW, replicated', WGMMA_ROW, [64]],
  ['TMA_INDICES_4, replicated', TMA_INDICES_4, [8]],
  ['strided', right(stridedLayout([2, 4, 32], 2)), [2, 4, 32]],
  ['splat', splatLayout([4, 4]), [4, 4]],
  ['linear, half of it held by nobody', linear, [2, 4]],
]

describe('register layouts', () => {
  it.each(sampled(2, layouts))(
    'law 1: %s: a cell per element, labelled by its owners',
    (title, layout, shape) => {
      const listing = right(listingOf(layout, shape))
      const grid = gridOf(shape)
      const root = readSvg(write(layoutSvg({ title, listing, window: wholeWindow(grid, 512, 512) })))
      const cells = all(groupOf(root, 'cells'), 'rect')
      expect(cells.length).toBe(sizeOf(shape))
      const threads = all(groupOf(root, 'cells'), 'text').filter((t) => t.attributes['class'] === 'thread')
      const labels = all(groupOf(root, 'cells'), 'text').filter((t) => t.attributes['class'] === 'place')
      let labelled = 0
      cells.forEach((cell, p) => {
        const index = unravel(shape)(p)
        const who = owners(layout, shape, index)
        const tip = tipOf(cell)
        expect(tip.startsWith(`[${index.join(', ')}] `)).toBe(true)
        if (who.length === 0) {
          expect(tip).toBe(`[${index.join(', ')}] held by no register`)
          return
        }
        const label = (o: (typeof who)[number]): string =>
          `${String(o.warp)}/${String(o.lane)}/${String(o.register)}`
        const more = who.length > 8 ? ` and ${String(who.length - 8)} more` : ''
        expect(tip).toBe(`[${index.join(', ')}] ${who.slice(0, 8).map(label).join(' ')}${more}`)
        expect(textOf(labels[labelled]!)).toBe(label(who[0]!))
        expect(textOf(threads[labelled]!)).toBe(
          `T${String(32 * who[0]!.warp + who[0]!.lane)}${who.length > 1 ? ` ×${String(who.length)}` : ''}`.replace(
            'T32',
            layout._tag === 'linear' ? 'T2' : 'T32',
          ),
        )
        labelled += 1
      })
      expect(labelled).toBe(labels.length)
      // Cells stand in rows and columns, apart.
      const corners = new Set(cells.map((c) => `${c.attributes['x']!} ${c.attributes['y']!}`))
      expect(corners.size).toBe(cells.length)
    },
  )
  it('law 2: a colour for every lane of every warp, and only those', () => {
    const listing = right(listingOf(WGMMA, [64, 16]))
    const root = readSvg(
      write(layoutSvg({ title: 't', listing, window: wholeWindow(gridOf([64, 16]), 64, 16) })),
    )
    const colours = new Map<string, string>()
    all(groupOf(root, 'cells'), 'rect').forEach((cell, p) => {
      const who = owners(WGMMA, [64, 16], unravel([64, 16])(p))[0]!
      const key = `${String(who.warp)}/${String(who.lane)}`
      expect(colours.get(key) ?? cell.attributes['fill']).toBe(cell.attributes['fill'])
      colours.set(key, cell.attributes['fill']!)
    })
    expect(colours.size).toBe(128)
    expect(new Set(colours.values()).size).toBe(128)
    const key = all(groupOf(root, 'legend'), 'rect').map((r) => r.attributes['fill'])
    expect(key).toEqual(
      Array.from({ length: 128 }, (_, t) => colours.get(`${String(Math.floor(t / 32))}/${String(t % 32)}`)),
    )
  })
  it('a large array is small squares, and a window is said', () => {
    const listing = right(listingOf(WGMMA, [128, 128]))
    const grid = gridOf([128, 128])
    const whole = readSvg(write(layoutSvg({ title: 't', listing, window: wholeWindow(grid, 512, 512) })))
    expect(all(groupOf(whole, 'cells'), 'rect').length).toBe(128 * 128)
    expect(all(groupOf(whole, 'cells'), 'text').length).toBe(0)
    expect(number(whole, 'width')).toBeLessThan(1400)
    const part = readSvg(
      write(layoutSvg({ title: 't', listing, window: { rows: [64, 66], columns: [8, 10] } })),
    )
    expect(all(groupOf(part, 'cells'), 'rect').map(tipOf)).toEqual([
      '[64, 8] 0/0/68',
      '[64, 9] 0/0/69',
      '[65, 8] 0/4/68',
      '[65, 9] 0/4/69',
    ])
    expect(textOf(part)).toContain('rows 64 to 65 of 128, columns 8 to 9 of 128')
    expect(all(groupOf(part, 'ticks'), 'text').map(textOf)).toEqual([
      'dim 1 →',
      'dim 0 ↓',
      '8',
      '9',
      '64',
      '65',
    ])
  })
  it('no label leaves the picture or touches its neighbour', () => {
    for (const [title, layout, shape] of layouts) {
      const listing = right(listingOf(layout, shape))
      const root = readSvg(write(layoutSvg({ title, listing, window: wholeWindow(gridOf(shape), 512, 512) })))
      const [width, height] = [number(root, 'width'), number(root, 'height')]
      for (const t of all(root, 'text')) {
        expect(
          number(t, 'x') >= 0 && number(t, 'x') <= width && number(t, 'y') >= 0 && number(t, 'y') <= height,
        ).toBe(true)
      }
      const cell = all(groupOf(root, 'cells'), 'rect')[0]!
      for (const t of all(groupOf(root, 'cells'), 'text'))
        expect(textOf(t).length * (t.attributes['class'] === 'thread' ? 7 : 5.5)).toBeLessThan(
          number(cell, 'width') + 4,
        )
    }
  })
  it('law 3: the text, by hand', () => {
    const row = right(listingOf(TMA_INDICES_4, [8]))
    expect(
      layoutText(plain, {
        title: 'TMA_INDICES_4 on 8',
        listing: row,
        window: wholeWindow(gridOf([8]), 9, 9),
      }),
    ).toBe(
      [
        'TMA_INDICES_4 on 8',
        '8 elements, 4 warps of 32 lanes, 8 registers a lane, every element in 128 places; a cell is warp/lane/register',
        '',
        'from  0          1          2          3          4          5          6          7',
        '0     0/0/0*128  0/0/1*128  0/0/2*128  0/0/3*128  0/0/4*128  0/0/5*128  0/0/6*128  0/0/7*128',
      ].join('\n'),
    )
    const half = right(listingOf(linear, [2, 4]))
    expect(
      layoutText(plain, { title: 'half', listing: half, window: { rows: [0, 2], columns: [1, 4] } })
        .split('\n')
        .slice(1),
    ).toEqual([
      '2 x 4 elements, 2 warps of 2 lanes, 2 registers a lane, rows 0 to 1 of 2, columns 1 to 3 of 4; a cell is warp/lane/register',
      '',
      'dim 0  1        2        3',
      '0      0/0/1*2  0/1/0*2  0/1/1*2',
      '1      -        -        -',
    ])
    const splat = right(listingOf(splatLayout([1]), [1]))
    expect(
      layoutText(plain, { title: 's', listing: splat, window: wholeWindow(gridOf([1]), 1, 1) }),
    ).toContain('one register a lane, which is every element; a cell')
  })
})

// ---------------------------------------------------------------- memory

const tiled = right(
  Ref.ofTransforms([16, 64], 16, [right(Transform.tile([8, 64])), right(Transform.swizzle(128))]),
)

describe('memory', () => {
  it('laws 1, 2 and 3: every element is in the chunk of its address, under its number before the swizzle', () => {
    const refs = [
      tiled,
      right(Ref.ofTransforms([8, 32], 16, [right(Transform.swizzle(64))])),
      right(Ref.ofTransforms([64, 16], 8, [right(Transform.transpose([1, 0]))])),
      right(Ref.ofTransforms([4, 64], 4, [])),
      right(Ref.ofStrides([2, 8], 32, [64, 1], 16)),
    ]
    for (const [k, ref] of refs.entries())
      for (const base of [0, 1024]) {
        const lines = memoryLines(ref, base)
        expect(lines.map(({ address }) => address)).toEqual(lines.map((_, l) => lines[0]!.address + 128 * l))
        const where = new Map<number, number>()
        for (const { address, chunks } of lines)
          chunks.forEach(({ positions, before }, c) => {
            for (const p of positions) {
              expect(where.has(p)).toBe(false)
              where.set(p, address + 16 * c)
              // Before the swizzle: the plain byte offset.
              expect(Math.floor((base + Ref.byteOffsets(ref)[p]!) / 16) % 8).toBe(before)
            }
          })
        expect(where.size).toBe(sizeOf(ref.shape))
        for (const [p, chunk] of where)
          expect(Math.floor(Ref.addressOf(ref, base, unravel(ref.shape)(p)) / 16) * 16).toBe(chunk)
        // By address, and by bit where several share a byte.
        if (k === 3) expect(lines[0]!.chunks[0]!.positions).toEqual(Array.from({ length: 32 }, (_, i) => i))
      }
  })
  it('labels: one coordinate may run', () => {
    const of = (positions: ReadonlyArray<number>): string =>
      chunkLabel(unravel([4, 8]), { before: 0, positions })
    expect(of([8, 9, 10])).toBe('1, 0..2')
    expect(of([1, 9, 17])).toBe('0..2, 1')
    expect(of([5])).toBe('0, 5')
    expect(of([0, 2])).toBe('0, 0 ...')
    expect(of([0, 9])).toBe('0, 0 ...')
    expect(of([])).toBe('')
    const some = (p: number) => (p < 2 ? [p] : null)
    expect(chunkLabel(some, { before: 0, positions: [0, 1, 2] })).toBe('0..1 + fill')
    expect(chunkLabel(some, { before: 0, positions: [2, 3] })).toBe('fill')
  })
  const view = (count: number) => ({
    title: 't',
    subtitle: 's',
    ref: tiled,
    indexOf: unravel(tiled.shape),
    lines: memoryLines(tiled, 0).slice(0, count),
    of: memoryLines(tiled, 0).length,
  })
  it('the picture of 128 bytes is the published table, and says what it leaves out', () => {
    const root = readSvg(write(memorySvg(view(8))))
    const cells = all(groupOf(root, 'chunks'), 'g').slice(1)
    expect(cells.length).toBe(64)
    const numbers = cells.map((g) => textOf(all(g, 'text')[0]!))
    for (let l = 0; l < 8; l++) for (let c = 0; c < 8; c++) expect(numbers[8 * l + c]).toBe(String(c ^ l))
    expect(textOf(all(cells[9]!, 'text')[1]!)).toBe('1, 0..7')
    expect(tipOf(cells[9]!)).toBe('bytes 144 to 159: 1, 0..7')
    expect(textOf(root)).toContain('The first 8 of 16 lines.')
    expect(all(groupOf(root, 'banks'), 'text').map(textOf).slice(2)).toEqual(
      Array.from({ length: 32 }, (_, b) => String(b)),
    )
    // Eight hues, one a number.
    expect(
      new Set(cells.map((g, k) => `${numbers[k]!} ${all(g, 'rect')[0]!.attributes['fill']!}`)).size,
    ).toBe(8)
    expect(textOf(readSvg(write(memorySvg(view(16)))))).not.toContain('The first')
  })
  it('the text, by hand', () => {
    const lines = memoryText(plain, view(2)).split('\n')
    expect(lines[0]).toMatch(/^byte {2}banks 0-3 +banks 4-7 .*banks 28-31$/)
    expect(lines[2]).toBe(
      '128   1: 1, 8..15  0: 1, 0..7   3: 1, 24..31  2: 1, 16..23  5: 1, 40..47  4: 1, 32..39  7: 1, 56..63  6: 1, 48..55',
    )
  })
})

// ---------------------------------------------------------------- banks, tensor memory, linear, cute

describe('banks', () => {
  const draw = (access: BankAccess, addresses: ReadonlyArray<number | null>) => {
    const verdict = right(wavefronts(access)(addresses))
    return { title: 't', subtitle: 's', access, addresses, verdict }
  }
  const cases = [
    draw(
      { _tag: 'load', bytes: 4 },
      Array.from({ length: 32 }, (_, i) => 8 * i),
    ),
    draw(
      { _tag: 'load', bytes: 16 },
      Array.from({ length: 32 }, (_, i) => 128 * i),
    ),
    draw(
      { _tag: 'store', bytes: 8 },
      Array.from({ length: 32 }, (_, i) => (i % 3 === 0 ? null : 8 * i)),
    ),
    draw(
      { _tag: 'load', bytes: 2 },
      Array.from({ length: 32 }, (_, i) => 2 * i),
    ),
    draw(
      { _tag: 'ldmatrix', matrices: 2 },
      Array.from({ length: 16 }, (_, i) => 144 * i),
    ),
  ]
  it.each(cases)('laws 1 and 2: $access', (p) => {
    const root = readSvg(write(banksSvg(p)))
    const cells = all(groupOf(root, 'cells'), 'rect')
    expect(cells.length).toBe(32 * p.addresses.length)
    const bytes = p.access._tag === 'load' || p.access._tag === 'store' ? p.access.bytes : 16
    cells.forEach((cell, k) => {
      const [lane, bank] = [Math.floor(k / 32), k % 32]
      const a = p.addresses[lane] ?? null
      const touched =
        a !== null && Array.from({ length: bytes }, (_, b) => Math.floor((a + b) / 4) % 32).includes(bank)
      expect(tipOf(cell).endsWith('nothing')).toBe(!touched)
    })
    expect(wordCounts(p).map((phase) => Math.max(...phase))).toEqual(p.verdict.phases)
    const remarks = all(root, 'text')
      .map(textOf)
      .filter((t) => t.startsWith('phase'))
    expect(remarks).toEqual(
      p.verdict.phases.map(
        (n, k) => `phase ${String(k)}: ${String(n)} ${n === 1 ? 'wavefront' : 'wavefronts'}`,
      ),
    )
  })
})

describe('tensor memory', () => {
  it('law 1: each cell lists the elements that lie there', () => {
    const cases = [
      [right(halfLane(16, 1)), [64, 16]],
      [right(defaultLayout(2)), [128, 16]],
    ] as const
    for (const [layout, shape] of cases) {
      const root = readSvg(
        write(
          tensorMemorySvg({ title: 't', subtitle: 's', layout, shape, lanes: [0, 128], columns: [0, 8] }),
        ),
      )
      const cells = all(groupOf(root, 'cells'), 'rect')
      expect(cells.length).toBe(128 * 8)
      for (let p = 0; p < sizeOf(shape); p++) {
        const index = unravel(shape)(p)
        for (const { lane, column } of places(layout, shape, index))
          expect(tipOf(cells[lane * 8 + column]!)).toContain(`[${index.join(', ')}]`)
      }
    }
    expect(elementsLabel([[1, 2]])).toBe('1,2')
    expect(
      elementsLabel([
        [1, 2],
        [1, 3],
      ]),
    ).toBe('1,2..3')
    expect(
      elementsLabel([
        [1, 2],
        [2, 4],
      ]),
    ).toBe('1,2 2,4')
    expect(
      elementsLabel([
        [1, 2],
        [1, 4],
      ]),
    ).toBe('1,2 1,4')
    expect(
      tensorMemoryText(plain, {
        title: 't',
        subtitle: 's',
        layout: cases[0][0],
        shape: [64, 16],
        lanes: [15, 18],
        columns: [0, 2],
      }),
    ).toBe('lane  0     1\n15    15,0  15,1\n16    0,8   0,9\n17    1,8   1,9')
  })
  const map = {
    title: 'Tensor memory',
    subtitle: 's',
    allocated: 256,
    arrays: [
      { name: 'acc', what: 'x', start: 0, columns: 128 },
      { name: 'scales', what: 'y', start: 128, columns: 4 },
    ],
  }
  it('law 2: each array is one rectangle, as wide as its columns', () => {
    const root = readSvg(write(mapSvg(map)))
    const [acc, scales] = all(groupOf(root, 'arrays'), 'rect')
    expect(number(scales!, 'x') - number(acc!, 'x')).toBe(2 * 128)
    expect([number(acc!, 'width'), number(scales!, 'width')]).toEqual([255, 7])
    const tick = all(groupOf(root, 'ticks'), 'text').filter((t) => textOf(t) === '128')[0]!
    expect(number(scales!, 'x')).toBe(number(tick, 'x'))
    expect(tipOf(scales!)).toBe('scales: y, columns 128 to 131')
    // A name that has no room is in the legend only.
    expect(all(groupOf(root, 'names'), 'text').map(textOf)).toEqual(['acc'])
    expect(textOf(root)).toContain('scales: y')
    expect(mapText(plain, map).split('\n')).toEqual([
      `0 ${'A'.repeat(16)}B${'-'.repeat(15)}${'.'.repeat(32)} 512`,
      'A acc: x, columns 0 to 127',
      'B scales: y, columns 128 to 131',
      '8 columns a character; - is allocated and free, . is not allocated',
    ])
  })
})

describe('linear layouts', () => {
  it('law 1: a cell is filled exactly when the input bit flips the output bit', () => {
    const l = right(
      registerLinearLayout(
        [8, 4],
        [
          [1, 1],
          [0, 2],
        ],
        [
          [2, 0],
          [4, 0],
        ],
        [[0, 0]],
      ),
    )
    const root = readSvg(write(linearSvg('t', 's', l)))
    const cells = all(groupOf(root, 'cells'), 'rect')
    const inputs = ['register 1', 'register 2', 'lane 1', 'lane 2', 'warp 1']
    expect(cells.length).toBe(5 * 5)
    const value = (c: number) => {
      const [name, bit] = inputs[c]!.split(' ')
      return apply(l)({ [name!]: Number(bit) })
    }
    cells.forEach((cell, k) => {
      const [row, c] = [Math.floor(k / 5), k % 5]
      const flips = row < 3 ? (value(c)[0]! >> row) & 1 : (value(c)[1]! >> (row - 3)) & 1
      const output = row < 3 ? `dim0 ${String(2 ** row)}` : `dim1 ${String(2 ** (row - 3))}`
      expect(tipOf(cell)).toBe(`${inputs[c]!} ${flips === 1 ? 'flips' : 'leaves'} ${output}`)
    })
    expect(textOf(root)).toContain('r is register, l is lane, w is warp.')
  })
})

describe('cute', () => {
  it('law 1: the value at every coordinate', () => {
    const l = right(cuteLayout([4, [2, 2]], [2, [1, 8]]))
    expect(cuteText(plain, drawnLayout('t', l), { rows: 9, columns: 9 })).toBe(
      '   0  1  2   3\n0  0  1  8   9\n1  2  3  10  11\n2  4  5  12  13\n3  6  7  14  15',
    )
    expect(cuteText(plain, drawnLayout('t', l), { rows: 2, columns: 2 }).split('\n')[3]).toBe(
      '(2 of 4 rows, 2 of 4 columns)',
    )
    expect(
      cuteText(plain, drawnLayout('t', right(cuteLayout(18, 3))), { rows: 9, columns: 16 })
        .split('\n')
        .slice(1),
    ).toEqual(['0   0   3   6  9  12  15  18  21  24  27  30  33  36  39  42  45', '16  48  51'])
    const root = readSvg(write(cuteSvg(drawnLayout('t', l), 's')))
    expect(all(groupOf(root, 'cells'), 'text').map(textOf)).toEqual(
      [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15].map(String),
    )
    expect(tipOf(all(groupOf(root, 'cells'), 'rect')[2]!)).toBe('index 8: 8')
  })
})
