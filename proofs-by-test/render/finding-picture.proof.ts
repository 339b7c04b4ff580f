/** The picture of a finding, read back out of the SVG: what it says, where its texts and lines lie, and what it is made from. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unit } from '../../src/numerics/unit.js'
import { zoo } from '../../src/kernels/broken/zoo/index.js'
import { laneTwins } from '../../src/kernels/broken/zoo/lanes.js'
import { laneJudged } from '../../src/render/hazards/index.js'
import { findingPicture, usualWidth } from '../../src/render/finding-picture.js'
import { linesOf, widthOf } from '../../src/render/text-width.js'
import { thousands } from '../../src/render/table.js'
import { write } from '../../src/render/svg.js'
import { noArguments } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import type { Finding, MissingEdge, Operation } from '../../src/semantics/judging/finding.js'
import { hazardIds, hazards } from '../../src/semantics/judging/hazards.js'
import type { Verdict } from '../../src/semantics/judging/verdict.js'
import { check } from '../../src/semantics/verdict/check.js'
import { all, readSvg, textOf, tipOf, type Node } from './read-svg.js'
import { right } from '../either.js'
import { nightly, sampled } from '../extent.js'

const checking = {
  ...{ settings: {}, algebra: unit, arguments: noArguments, policy: Policy.eager, strict: false },
  ...{ strictProxies: true, hazards: true, provenance: true, explore: false, fuel: 1e6 },
}

/** What the zoo's verdicts say, one of each form. */
const found: ReadonlyArray<readonly [string, Finding]> = (() => {
  const forms = new Map<string, readonly [string, Finding]>()
  const keep = (name: string, { findings, notes, conditions }: Verdict): void => {
    for (const f of [...findings, ...notes, ...Object.values(conditions).flatMap((c) => c.findings)]) {
      const form = `${f.id} ${f.b === undefined ? 'one' : 'two'} ${f.missing?.kind ?? ''} ${f.place?.plane ?? ''}`
      if (!forms.has(form)) forms.set(form, [`${name}: ${form}`, f])
    }
  }
  for (const twin of zoo) {
    const program = twin.draft(false)
    const checked = program._tag === 'Left' ? program : check(program.right, checking)
    if (checked._tag === 'Right') keep(twin.name, checked.right.verdict)
  }
  for (const twin of laneTwins) keep(twin.name, right(laneJudged(twin, false)))
  return [...forms.values()]
})()

// ---------------------------------------------------------------- reading

const said = (root: Node): ReadonlyMap<string, string> =>
  new Map(all(root, 'text').map((t) => [t.attributes['data-says'] ?? '', textOf(t)]))

/** As a picture has it: a run of blanks is one. */
const plain = (text: string): string => text.trim().split(/\s+/).join(' ')

interface Box {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}
const textBoxes = (root: Node): ReadonlyArray<Box> =>
  all(root, 'text').flatMap((t) => {
    const font = { size: Number(t.attributes['font-size']), bold: t.attributes['font-weight'] === '700' }
    return all(t, 'tspan').map((line) => {
      const [x, y] = [Number(line.attributes['x']), Number(line.attributes['y'])]
      const text = textOf(line).trimEnd()
      return {
        ...{ text, left: x, right: x + widthOf(text, font) },
        ...{ top: y - 0.95 * font.size, bottom: y + 0.25 * font.size },
      }
    })
  })

const crosses = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** The pieces of the edges, each a box of no width or no height. */
const edgePieces = (root: Node): ReadonlyArray<Box> =>
  all(root, 'path')
    .filter((p) => p.attributes['data-edge'] !== undefined)
    .flatMap((p) => {
      const at = p.attributes['d']!.slice(1)
        .split('L')
        .map((point) => point.split(' ').map(Number))
      return at.slice(1).map(([x, y], i) => {
        const [x0, y0] = at[i]!
        return {
          ...{
            text: p.attributes['data-edge']!,
            left: Math.min(x!, x0!) - 0.5,
            right: Math.max(x!, x0!) + 0.5,
          },
          ...{ top: Math.min(y!, y0!) - 0.5, bottom: Math.max(y!, y0!) + 0.5 },
        }
      })
    })

/** Texts that overlap, are crossed by a line or leave the picture. */
const wrong = (root: Node): ReadonlyArray<string> => {
  const [, , width, height] = root.attributes['viewBox']!.split(' ').map(Number)
  const boxes = textBoxes(root)
  const pieces = edgePieces(root)
  return boxes.flatMap((a, i) => [
    ...boxes.slice(i + 1).flatMap((b) => (crosses(a, b) ? [`${a.text} | ${b.text}`] : [])),
    ...pieces.flatMap((b) => (crosses(a, b) ? [`${a.text} | line ${b.text}`] : [])),
    ...(a.left < 0 || a.top < 0 || a.right > width! || a.bottom > height! ? [`${a.text} is outside`] : []),
  ])
}

const drawn = (f: Finding, width?: number): Node => readSvg(write(findingPicture(f, width)))

// ---------------------------------------------------------------- the laws

describe('a finding of the zoo', () => {
  test('all ids of the taxonomy that a run shows are here', () => {
    const shown = new Set(found.map(([, f]) => f.id))
    // refused before they run, which is a message and no finding; R3, whose kernel is stuck before it shows it; N5, which only warps of PTX have
    expect(hazardIds.filter((id) => !shown.has(id)).sort()).toEqual([
      'A1',
      'A2',
      'A3',
      'L2',
      'M5',
      'N5',
      'R3',
    ])
  })
  test.each(sampled(4, found))('%s: law 1, read back', (_, f) => {
    const root = drawn(f)
    const read = said(root)
    const operation = (side: 'a' | 'b', o: Operation): void => {
      const iteration = o.iteration.length === 0 ? '' : ` [${o.iteration.join(', ')}]`
      expect(read.get(`${side} site`)).toBe(`${o.site}${iteration}`)
      expect(read.get(`${side} path`) ?? 'in ').toBe(`in ${o.path.join(' / ')}`)
      expect(read.get(`${side} does`)).toBe(o.does)
      expect(read.get(`${side} event`)).toMatch(new RegExp(`event ${String(o.at)}\\b`))
      // two operations of one agent share its lane, which is named once
      const lane = read.get(`${side} agent`) ?? read.get(side === 'a' ? 'b agent' : 'a agent')
      expect(lane).toMatch(new RegExp(`^${o.agent}( of another cluster)?$`))
    }
    operation('a', f.a)
    if (f.b !== undefined) operation('b', f.b)
    expect(read.get('id')).toBe(f.id)
    expect(read.get('title')).toContain(f.title ?? hazards[f.id].title)
    expect(read.get('text')).toBe(f.text)
    expect(read.get('known')).toBe(f.knew)
    expect(read.get('missing')).toBe(f.missing?.text)
    expect(root.attributes['data-missing']).toBe(f.missing?.kind)
    const intervals = all(root, 'g').flatMap((g) => g.attributes['data-bytes']?.split('; ') ?? [])
    expect(intervals).toEqual(
      (f.place?.spans ?? []).map(([from, to]) => `${thousands(from)} to ${thousands(to)}`),
    )
    if (f.place !== undefined) expect(read.get('place')).toContain(f.place.plane)
    // one red bar an operation, a line from each to the bytes, a dashed one where an edge is missing
    const edges = all(root, 'path').map((p) => p.attributes['data-edge'])
    const operations = f.b === undefined ? 1 : 2
    expect(all(root, 'g').filter((g) => g.attributes['data-bar'] !== undefined)).toHaveLength(operations)
    expect(edges.filter((e) => e === 'bytes')).toHaveLength(
      f.place === undefined || f.id === 'O1' ? 0 : operations,
    )
    expect(edges.includes('missing')).toBe(f.missing !== undefined)
  })
  test.each(sampled(5, found))('%s: law 2, nothing overlaps, wide and narrow', (_, f) => {
    for (const width of [usualWidth, 320, 480]) expect(wrong(drawn(f, width))).toEqual([])
  })
  test.each(sampled(6, found))('%s: law 3, the printed document has the same picture', (_, f) => {
    expect(write(findingPicture(JSON.parse(JSON.stringify(f))))).toBe(write(findingPicture(f)))
  })
  test('readers of the screen have a title and all of it in words', () => {
    for (const [, f] of found) {
      const root = drawn(f)
      expect(root.attributes['role']).toBe('img')
      const [title, desc] = root.children.flatMap((child) => (typeof child === 'string' ? [] : [child]))
      expect(textOf(title!)).toContain(f.id)
      for (const part of [f.text, f.a.site, f.a.does, f.b?.site, f.knew, f.missing?.text, f.place?.plane])
        expect(textOf(desc!)).toContain(part ?? '')
    }
  })
})

// ---------------------------------------------------------------- whatever it says

const words = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 60 })
const long = fc.oneof(
  words,
  fc.array(words, { maxLength: 12 }).map((w) => w.join(' ')),
)
const operation: fc.Arbitrary<Operation> = fc.record(
  {
    index: fc.nat(2),
    agent: words,
    site: long,
    path: fc.array(words, { maxLength: 4 }),
    iteration: fc.array(fc.integer(), { maxLength: 3 }),
    at: fc.nat(),
    does: words,
    loc: words,
    operation: fc.nat(),
  },
  { requiredKeys: ['index', 'agent', 'site', 'path', 'iteration', 'at', 'does'] },
)
const kinds: ReadonlyArray<MissingEdge['kind']> = [
  ...(['fence', 'group-wait', 'wait', 'arrive', 'arrive-wait', 'bytes', 'none-found'] as const),
]
const anyFinding: fc.Arbitrary<Finding> = fc.record(
  {
    id: fc.constantFrom(...hazardIds),
    severity: fc.constantFrom('E' as const, 'C' as const, 'L' as const),
    text: long,
    a: operation,
    b: operation,
    place: fc.record({
      plane: words,
      spans: fc.array(
        fc.tuple(fc.nat(), fc.nat()).map(([from, n]) => [from, from + n + 1] as const),
        { minLength: 1, maxLength: 6 },
      ),
    }),
    knew: long,
    missing: fc.record({ kind: fc.constantFrom(...kinds), text: long }),
  },
  { requiredKeys: ['id', 'severity', 'text', 'a'] },
)

describe('any finding', () => {
  test('law 2: nothing overlaps, however long the words and however narrow the picture', () => {
    fc.assert(
      fc.property(anyFinding, fc.integer({ min: 200, max: 1200 }), (f, width) => {
        expect(wrong(drawn(f, width))).toEqual([])
      }),
      { numRuns: nightly ? 3000 : 20 },
    )
  })
  test('laws 1 and 3: what it says can be read back, and so from its JSON', () => {
    fc.assert(
      fc.property(anyFinding, (f) => {
        const read = said(drawn(JSON.parse(JSON.stringify(f))))
        const texts: ReadonlyArray<readonly [string, string | undefined]> = [
          ['text', f.text],
          ['a does', f.a.does],
          ['b does', f.b?.does],
          ['known', f.knew],
          ['missing', f.missing?.text],
        ]
        for (const [key, text] of texts) expect(read.get(key) ?? '').toBe(plain(text ?? ''))
      }),
      { numRuns: nightly ? 3000 : 20 },
    )
  })
})

describe('lines of a text', () => {
  const fonts = fc.record({ size: fc.integer({ min: 8, max: 20 }), bold: fc.boolean() })
  test('laws 1 and 2: they are the text, and no wider than asked', () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 1, max: 300 }), fonts, (text, width, font) => {
        const lines = linesOf(text, width, font)
        expect(lines.join('')).toBe(plain(text))
        for (const line of lines.map((l) => l.trimEnd()))
          expect([...line].length <= 1 || widthOf(line, font) <= width).toBe(true)
      }),
      { numRuns: nightly ? 3000 : 60 },
    )
  })
  test('by hand', () => {
    expect(linesOf('a wait for generation 0', 90, { size: 12, bold: false })).toEqual([
      'a wait for ',
      'generation 0',
    ])
  })
})

// ---------------------------------------------------------------- what it takes

test('it needs no machine, no log and no layouts: a page draws it on its main thread', () => {
  const src = join(import.meta.dirname, '../../src')
  const reached = new Set<string>()
  const follow = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, what, from] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (type )?[^;]*?from '(\..*?)\.js'/gms,
    ))
      if (what === undefined) {
        const next = join(dirname(file), `${from!}.ts`)
        if (existsSync(next)) follow(next)
      }
  }
  follow(join(src, 'render/finding-picture.ts'))
  expect([...reached].map((file) => relative(src, file)).sort()).toEqual([
    'greatest.ts',
    'render/finding-picture.ts',
    'render/finding.ts',
    'render/svg.ts',
    'render/table.ts',
    'render/text-width.ts',
    'semantics/judging/counted.ts',
    'semantics/judging/deed.ts',
    'semantics/judging/hazards.ts',
    'semantics/judging/level-names.ts',
    'semantics/log/units.ts',
  ])
})

test('a finding with a tip: the intervals that one hatched part stands for', () => {
  const [, f] = found.find(([, { place }]) => (place?.spans.length ?? 0) > 20)!
  const parts = all(drawn(f), 'g').filter((g) => g.attributes['data-bytes'] !== undefined)
  for (const part of parts) expect(tipOf(part)).toBe(part.attributes['data-bytes'])
})
