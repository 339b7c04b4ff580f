/** Pictures of litmus tests, read back: the boxes are the events, the lines are the arrows and the pairs that are wrong. */
import { describe, expect, it } from 'vitest'
import type { LitmusDocument } from '../../src/render/litmus-document.js'
import { litmusSvg } from '../../src/render/litmus-svg.js'
import { write } from '../../src/render/svg.js'
import { clauses } from '../../src/semantics/model/index.js'
import { documentOf } from '../semantics/model/litmus-documents.js'
import { logOf } from '../semantics/model/random-log.js'
import { all, groupOf, readSvg, textOf, type Node } from './read-svg.js'
import { sampled } from '../extent.js'

const classed = (root: Node, name: string): ReadonlyArray<Node> =>
  all(root, 'g').filter((g) => g.attributes['class'] === name)
const drawn = (d: LitmusDocument): Node => readSvg(write(litmusSvg(d)))

/** What an event is drawn in: its line and who makes it. */
const boxOf = (d: LitmusDocument, event: number): string =>
  `${String(d.events[event]!.line)} ${d.events[event]!.by}`
const inTest = (d: LitmusDocument, ...events: ReadonlyArray<number>): boolean =>
  events.every((e) => d.events[e]!.line !== null && d.events[e]!.by !== '')
const sorted = (all: Iterable<string>): ReadonlyArray<string> => [...new Set(all)].sort()

const tests: ReadonlyArray<readonly [string, LitmusDocument]> = [
  ...clauses.flatMap(({ id, litmus }) => [
    [id, documentOf(litmus.log, litmus.options)] as const,
    [`${id}, without it`, documentOf(litmus.log, litmus.options, [id])] as const,
  ]),
  ...[3, 14, 15, 92].map((seed) => [`random ${String(seed)}`, documentOf(logOf(seed))] as const),
]

// by day every third, from the first
describe.each(sampled(3, tests))('%s', (_, d) => {
  const root = drawn(d)
  it('law 1: a box for each agent or operation and its line, with the words of the line', () => {
    const boxes = classed(root, 'event')
    const events = [...d.events.keys()].filter((e) => inTest(d, e))
    expect(
      boxes.flatMap((b) => b.attributes['data-events']!.split(' ').map(Number)).sort((a, b) => a - b),
    ).toEqual(events)
    expect(sorted(boxes.map((b) => `${b.attributes['data-line']!} ${b.attributes['data-by']!}`))).toEqual(
      sorted(events.map((e) => boxOf(d, e))),
    )
    for (const box of boxes) {
      const what = all(box, 'text')
        .filter((t) => t.attributes['class'] === 'what')
        .map(textOf)
        .join(' ')
      const line = d.lines.find((l) => String(l.line) === box.attributes['data-line'])!.text
      expect(line).toContain(what.replace(/^#\d+ /, ''))
    }
  })
  it('law 2: a line for each pair of boxes with an arrow, with its clauses and what it carries', () => {
    const copies = d.events.flatMap((e) => (e.by.startsWith('#') ? [/^bytes (\S+)/.exec(e.what)?.[1]] : []))
    const arrows = d.arrows.filter(
      (a) =>
        inTest(d, a.from, a.to) &&
        boxOf(d, a.from) !== boxOf(d, a.to) &&
        (a.phase === null || copies.includes(a.phase.barrier)),
    )
    const isOrder = (view: string): boolean => ['before', 'firmBefore', 'order', 'firm'].includes(view)
    const said = arrows.flatMap((a) => {
      const between = `${boxOf(d, a.from)} > ${boxOf(d, a.to)}`
      return [
        `${between} by ${a.clause}`,
        ...a.views.map(([, into]) => `${between} carries ${isOrder(into) ? 'order' : 'seen'}`),
      ]
    })
    const lines = classed(root, 'arrow').flatMap((g) => {
      const at = g.attributes
      const [from, to] = at['data-by']!.split(' ')
      const between = `${at['data-from']!} ${from!} > ${at['data-to']!} ${to!}`
      return [
        ...at['data-clauses']!.split(' ').map((clause) => `${between} by ${clause}`),
        ...at['data-carries']!.split(' ').map((what) => `${between} carries ${what}`),
      ]
    })
    expect(sorted(lines)).toEqual(sorted(said))
    for (const g of classed(root, 'arrow')) expect(all(g, 'polygon').length).toBeGreaterThan(0)
  })
  it('law 3: a red line for each pair that is wrong, between boxes with a red frame', () => {
    const wrong = d.pairs.filter((p) => p.is !== null && p.is !== 'ok' && inTest(d, p.a, p.b))
    const line = (event: number): string => String(d.events[event]!.line)
    expect(
      sorted(
        classed(groupOf(root, 'wrong'), 'missing').map(({ attributes: at }) =>
          [at['data-from'], at['data-to'], at['data-is']].join(' '),
        ),
      ),
    ).toEqual(sorted(wrong.map((p) => `${line(p.a)} ${line(p.b)} ${p.is!}`)))
    const framed = classed(root, 'event').filter((b) =>
      all(b, 'rect').some((r) => r.attributes['class']!.split(' ').includes('wrong')),
    )
    expect(sorted(framed.map((b) => `${b.attributes['data-line']!} ${b.attributes['data-by']!}`))).toEqual(
      sorted(wrong.flatMap((p) => [boxOf(d, p.a), boxOf(d, p.b)])),
    )
  })
  it('nothing stands outside, and no box on another', () => {
    const [width, height] = [Number(root.attributes['width']), Number(root.attributes['height'])]
    const rects = classed(root, 'event').map((b) => all(b, 'rect')[0]!.attributes)
    const [x, y, w, h] = ['x', 'y', 'width', 'height'].map((name) => rects.map((r) => Number(r[name])))
    rects.forEach((_r, k) => {
      expect(x![k]! >= 0 && y![k]! >= 0 && x![k]! + w![k]! <= width && y![k]! + h![k]! <= height).toBe(true)
      for (let j = 0; j < k; j++)
        expect(
          x![k]! + w![k]! <= x![j]! ||
            x![j]! + w![j]! <= x![k]! ||
            y![k]! + h![k]! <= y![j]! ||
            y![j]! + h![j]! <= y![k]!,
        ).toBe(true)
    })
    for (const path of all(root, 'path')) {
      const numbers = path.attributes['d']!.match(/-?[\d.]+/g)!.map(Number)
      if (!path.attributes['d']!.includes('H'))
        expect(numbers.every((n, k) => n >= -1 && n <= (k % 2 === 0 ? width : height) + 1)).toBe(true)
    }
  })
  it('law 4: colours are variables, and it says what it is to those who do not see it', () => {
    const coloured = all(root, 'text')
      .concat(all(root, 'rect'), all(root, 'path'), all(root, 'polygon'))
      .filter(({ attributes: at }) => at['fill'] !== undefined || at['stroke'] !== undefined)
    expect(coloured).toEqual([])
    const style = textOf(all(root, 'style')[0]!)
    const named = [...style.matchAll(/var\(--[\w-]+,var\((--lit-[\w-]+)\)\)/g)].map(([, name]) => name!)
    const [light, dark] = style.split('@media')
    for (const name of new Set(named)) expect([name, light!.includes(`${name}:`)]).toEqual([name, true])
    for (const name of new Set(named)) expect([name, dark!.includes(`${name}:`)]).toEqual([name, true])
    expect(style.replace(/--[\w-]+:#[0-9a-f]{3,6}/g, '')).not.toMatch(/#[0-9a-f]{3}/)
    expect(root.attributes['role']).toBe('img')
    const says = (d.without ?? d.model).says.join('; ').replaceAll('`', '')
    expect(root.attributes['aria-label']).toBe(`a test: ${says}`)
    for (const { text } of d.lines) expect(textOf(all(root, 'desc')[0]!)).toContain(text)
  })
})
