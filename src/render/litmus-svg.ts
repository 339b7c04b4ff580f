/**
 * A litmus test as a picture: a column an agent, beside it its operations, a row a line; time goes down.
 *
 *     T0              #1              T1
 *     write x ─┐
 *     arrive b ┴── release ═══════>  wait b 0
 *                                    read x
 *
 * | a line                 | is                                                                                    |
 * |------------------------|----------------------------------------------------------------------------------------|
 * | solid                  | order: an arrow of the clause that is written at it; down a column it is `program`        |
 * | dashed, blue, beside it | the same arrow carries what is seen; alone: it carries nothing else                    |
 * | red, broken            | what is missing between two accesses: order, or visibility                               |
 * | amber, dotted          | a condition that fails between two events                                                |
 *
 * Fences, which let what one view knows into another of the same event, are written in their box. Arrows that bring nothing new are not there; nor is the completion of
 * a phase with which no copy is done.
 *
 * Laws
 * 1. One box for each agent or operation and each of its lines; each event of the test is in one.
 * 2. One line between two boxes for each pair of boxes with an arrow, with the clauses of all of them; it carries order, visibility or both as they do.
 * 3. A red line for each pair that is wrong, and no other.
 * 4. Every colour is a variable, with a value of its own for light and for dark.
 */
import { greatest } from '../greatest.js'
import type { LitmusArrow, LitmusDocument } from './litmus-document.js'
import { isWrongPair } from './litmus.js'
import { element, group, mono, type SvgElement } from './svg.js'
import { wrap } from './table.js'

// ---------------------------------------------------------------- what there is to draw

/** What an agent or an operation does in one line. */
interface Box {
  readonly by: string
  readonly agent: string
  readonly row: number
  readonly line: number
  readonly events: number[]
  readonly text: ReadonlyArray<string>
  readonly rw: 'read' | 'write' | null
  /** views that flow within it */
  readonly notes: string[]
  /** what is wrong with it alone */
  readonly tags: string[]
}

/** All arrows from one box to another. */
interface Edge {
  readonly from: Box
  readonly to: Box
  readonly clauses: ReadonlyArray<string>
  readonly order: boolean
  readonly seen: boolean
}

const orderViews: ReadonlyArray<string> = ['before', 'firmBefore', 'order', 'firm']
const carriesOrder = (a: LitmusArrow): boolean => a.views.some(([, into]) => orderViews.includes(into))
const carriesSight = (a: LitmusArrow): boolean => a.views.some(([, into]) => !orderViews.includes(into))

/** Characters of a line of a box. */
const widest = 24

const boxesOf = (d: LitmusDocument): ReadonlyArray<Box> => {
  const rows = new Map(
    d.lines
      .filter(
        ({ line, text }) => text === 'next cluster' || d.events.some((e) => e.line === line && e.by !== ''),
      )
      .map(({ line }, k) => [line, k]),
  )
  const boxes = new Map<string, Box>()
  d.events.forEach((e, event) => {
    if (e.line === null || e.by === '') return
    const key = `${e.by} ${String(e.line)}`
    const plain = e.what.replace(/: (?:read|write|come|leave)$/, '')
    const box = boxes.get(key) ?? {
      by: e.by,
      agent: e.agent,
      row: rows.get(e.line)!,
      line: e.line,
      events: [],
      text: wrap(e.by.startsWith('#') ? `${e.by} ${plain}` : plain, widest),
      rw: null,
      notes: [],
      tags: [],
    }
    box.events.push(event)
    boxes.set(key, e.access === null ? box : { ...box, rw: e.access.rw })
  })
  return [...boxes.values()]
}

const addOnce = (to: string[], word: string): void => {
  if (!to.includes(word)) to.push(word)
}

interface Drawing {
  readonly boxes: ReadonlyArray<Box>
  readonly edges: ReadonlyArray<Edge>
  readonly wrong: ReadonlyArray<{
    readonly from: Box
    readonly to: Box
    readonly text: string
    readonly is: string
  }>
  readonly failing: ReadonlyArray<{ readonly from: Box; readonly to: Box; readonly text: string }>
  /** rows where the next cluster begins */
  readonly cuts: ReadonlyArray<number>
  readonly rows: number
}

const drawingOf = (d: LitmusDocument): Drawing => {
  const boxes = boxesOf(d)
  const boxOf = new Map(boxes.flatMap((box) => box.events.map((event) => [event, box] as const)))
  const copies = new Set(
    d.events.flatMap((e) => (e.by.startsWith('#') ? [/^bytes (\S+)/.exec(e.what)?.[1] ?? ''] : [])),
  )
  const edges = new Map<string, Edge>()
  for (const a of d.arrows) {
    const [from, to] = [boxOf.get(a.from), boxOf.get(a.to)]
    if (from === undefined || to === undefined) continue
    if (a.phase !== null && !copies.has(a.phase.barrier)) continue
    if (from === to) {
      if (a.clause === 'program' || a.kind === 'fact') continue
      for (const [of, into] of a.views) if (of !== null) addOnce(to.notes, `${of} → ${into}`)
      continue
    }
    const key = `${String(boxes.indexOf(from))} ${String(boxes.indexOf(to))}`
    const known = edges.get(key)
    edges.set(key, {
      from,
      to,
      clauses: [...new Set([...(known?.clauses ?? []), a.clause])],
      order: known?.order === true || carriesOrder(a),
      seen: known?.seen === true || carriesSight(a),
    })
  }
  const wrong = new Map<string, Drawing['wrong'][number]>()
  for (const p of d.pairs.filter(isWrongPair)) {
    const [from, to] = [boxOf.get(p.a), boxOf.get(p.b)]
    if (from === undefined || to === undefined) continue
    const is = p.is ?? ''
    const text = `${is}${p.hazards.length === 0 ? '' : ` (${p.hazards.join()})`}`
    wrong.set(`${String(boxes.indexOf(from))} ${String(boxes.indexOf(to))} ${is}`, { from, to, text, is })
  }
  const failing = new Map<string, Drawing['failing'][number]>()
  for (const { condition, a, b } of d.conditions) {
    const [from, to] = [boxOf.get(a), boxOf.get(b)]
    if (from !== undefined && to !== undefined && from !== to)
      failing.set(`${String(boxes.indexOf(from))} ${String(boxes.indexOf(to))} ${condition}`, {
        from,
        to,
        text: condition,
      })
    else addOnce((to ?? from)?.tags ?? [], condition)
  }
  for (const { id, event } of d.ends) addOnce(boxOf.get(event ?? -1)?.tags ?? [], id)
  for (const event of d.nothing) addOnce(boxOf.get(event)?.tags ?? [], 'nothing there')
  const rowed = d.lines.filter(
    ({ line, text }) => text === 'next cluster' || d.events.some((e) => e.line === line && e.by !== ''),
  )
  return {
    boxes,
    edges: [...edges.values()],
    wrong: [...wrong.values()],
    failing: [...failing.values()],
    cuts: rowed.flatMap(({ text }, k) => (text === 'next cluster' ? [k] : [])),
    rows: rowed.length,
  }
}

// ---------------------------------------------------------------- places

const margin = 20
const gutter = 30
const rowGap = 22
const lineHeight = 15
const noteHeight = 12
const character = 7.25
const small = 5.9
/** Between two columns: room for the name of a clause. */
const between = 76

interface Column {
  readonly name: string
  /** an agent; else operations of one */
  readonly isAgent: boolean
  readonly boxes: ReadonlyArray<Box>
}

/** An agent, and beside it as many columns as it has operations at one time. */
const columnsOf = (d: LitmusDocument, boxes: ReadonlyArray<Box>): ReadonlyArray<Column> =>
  d.agents.flatMap(({ name }) => {
    const own = boxes.filter((b) => b.agent === name)
    const slots: Box[][] = []
    for (const by of new Set(own.filter((b) => b.by !== name).map((b) => b.by))) {
      const of = own.filter((b) => b.by === by)
      const first = of[0]!.row
      const free = slots.find((slot) => slot.at(-1)!.row + 1 < first)
      if (free === undefined) slots.push(of)
      else for (const box of of) free.push(box)
    }
    return [
      { name, isAgent: true, boxes: own.filter((b) => b.by === name) },
      ...slots.map((slot) => ({
        name: [...new Set(slot.map((b) => b.by))].join(' '),
        isAgent: false,
        boxes: slot,
      })),
    ]
  })

const heightOf = (b: Box): number => 10 + lineHeight * b.text.length + noteHeight * b.notes.length
const widthOf = (b: Box): number =>
  Math.max(
    44,
    14 + character * greatest(0)(b.text.map((t) => t.length)),
    14 + small * greatest(0)(b.notes.map((t) => t.length)),
  )

interface Placed {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly column: number
}

interface Places {
  readonly of: ReadonlyMap<Box, Placed>
  readonly columns: ReadonlyArray<Column & { readonly x: number; readonly width: number }>
  readonly rows: ReadonlyArray<{ readonly y: number; readonly height: number }>
  readonly right: number
  readonly bottom: number
}

const placesOf = (d: LitmusDocument, drawing: Drawing, top: number): Places => {
  const { boxes } = drawing
  let y = top
  const rows = Array.from({ length: drawing.rows }, (_, row) => {
    const height = greatest(20)(boxes.filter((b) => b.row === row).map(heightOf))
    const at = y
    y += height + rowGap
    return { y: at, height }
  })
  let x = margin + gutter
  const columns = columnsOf(d, boxes).map((column) => {
    const width = greatest(34)(column.boxes.map(widthOf))
    const at = x
    x += width + between
    return { ...column, x: at, width }
  })
  const of = new Map(
    columns.flatMap((column, k) =>
      column.boxes.map((b) => {
        const width = widthOf(b)
        const row = rows[b.row]!
        const height = heightOf(b)
        return [
          b,
          {
            x: column.x + (column.width - width) / 2,
            y: row.y + (row.height - height) / 2,
            width,
            height,
            column: k,
          },
        ] as const
      }),
    ),
  )
  return { of, columns, rows, right: x - between, bottom: y - rowGap }
}

// ---------------------------------------------------------------- lines

type Point = readonly [x: number, y: number]
/** A cubic: where it begins and ends, and the two points that it leans to. */
interface Curve {
  readonly points: readonly [Point, Point, Point, Point]
}

const at = ({ points: [a, b, c, e] }: Curve, t: number): Point => {
  const u = 1 - t
  const one = (k: 0 | 1): number =>
    u * u * u * a[k] + 3 * u * u * t * b[k] + 3 * u * t * t * c[k] + t * t * t * e[k]
  return [one(0), one(1)]
}

/** Between two boxes: down a column straight, else from side to side. `beside`: how far it goes from the middle of the side. */
const curveOf = (a: Placed, b: Placed, isProgram: boolean, beside: number): Curve => {
  if (isProgram) {
    const x = a.x + a.width / 2
    const [from, to]: readonly [Point, Point] = [
      [x, a.y + a.height],
      [b.x + b.width / 2, b.y],
    ]
    return { points: [from, from, to, to] }
  }
  if (a.column === b.column) {
    // round what stands between
    const out = 30 + Math.min(44, Math.abs(b.y - a.y) / 8) + 2 * beside
    const side = Math.max(a.x + a.width, b.x + b.width) + out
    const from: Point = [a.x + a.width, a.y + a.height / 2 + beside]
    const to: Point = [b.x + b.width, b.y + b.height / 2 + beside]
    return { points: [from, [side, from[1]], [side, to[1]], to] }
  }
  const right = b.column > a.column
  const from: Point = [right ? a.x + a.width : a.x, a.y + a.height / 2 + beside]
  const to: Point = [right ? b.x : b.x + b.width, b.y + b.height / 2 + beside]
  const lean = Math.min(56, Math.abs(to[0] - from[0]) / 2) * (right ? 1 : -1)
  return { points: [from, [from[0] + lean, from[1]], [to[0] - lean, to[1]], to] }
}

const round = (n: number): string => String(Math.round(n * 10) / 10)
const pathOf = ({ points: [a, b, c, e] }: Curve): string =>
  `M${a.map(round).join(' ')}C${[b, c, e].map((p) => p.map(round).join(' ')).join(' ')}`

/** The head of an arrow, drawn: a picture that stands in a page shares no names with others. */
const headOf = (curve: Curve): string => {
  const [, , c, [x, y]] = curve.points
  const [px, py] = c[0] === x && c[1] === y ? curve.points[0] : c
  const length = Math.hypot(x - px, y - py) || 1
  const [dx, dy] = [(x - px) / length, (y - py) / length]
  const point = (along: number, aside: number): string =>
    `${round(x - along * dx - aside * dy)},${round(y - along * dy + aside * dx)}`
  return `${point(0, 0)} ${point(8, 3.4)} ${point(8, -3.4)}`
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
const overlap = (a: Area, b: Area): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y))

/** Where a word stands: on its line, beside one that goes down, where it covers least. */
const wordPlace = (curve: Curve, words: string, taken: ReadonlyArray<Area>): Area => {
  const width = small * words.length + 4
  const { points } = curve
  const down = points[0][0] === points[3][0] && points[1][0] === points[0][0]
  const areas = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78].flatMap((t) => {
    const [x, y] = at(curve, t)
    return [0, -10, 10].map((dy): Area => ({
      x: down ? x + 6 : x - width / 2,
      y: y - 7 + dy,
      width,
      height: 13,
    }))
  })
  const cost = (a: Area): number => taken.reduce((sum, b) => sum + overlap(a, b), 0)
  return areas.reduce((best, a) => (cost(a) < cost(best) ? a : best), areas[0]!)
}

// ---------------------------------------------------------------- the picture

const style = `
.litmus{--lit-ground:#fff;--lit-raised:#f6f7f9;--lit-line:#c3c9d4;--lit-ink:#1a1f2b;--lit-soft:#525b6b;--lit-seen:#1f5fbf;--lit-bad:#b3261e;--lit-bad-ground:#fdeaea;--lit-doubt:#7a5200;--lit-good:#17693a;--lit-read:#e6eefb;--lit-write:#f7e3cb}
@media(prefers-color-scheme:dark){.litmus{--lit-ground:#14171d;--lit-raised:#1b1f27;--lit-line:#454e5e;--lit-ink:#e6e9ef;--lit-soft:#a5aebd;--lit-seen:#82b1ff;--lit-bad:#ff9a93;--lit-bad-ground:#3c1a1a;--lit-doubt:#f0c066;--lit-good:#7fd6a0;--lit-read:#1d2b45;--lit-write:#4a3416}}
.litmus .paper{fill:var(--ground,var(--lit-ground))}
.litmus text{fill:var(--ink,var(--lit-ink));font:12px ${mono}}
.litmus .name{font-weight:700}
.litmus .soft{fill:var(--ink-soft,var(--lit-soft))}
.litmus .word{font-size:10px;paint-order:stroke;stroke:var(--ground,var(--lit-ground));stroke-width:3px;stroke-linejoin:round;fill:var(--ink-soft,var(--lit-soft))}
.litmus .note{font-size:10px;fill:var(--accent,var(--lit-seen))}
.litmus .box{fill:var(--raised,var(--lit-raised));stroke:var(--line-strong,var(--lit-line))}
.litmus .box.read{fill:var(--accent-ground,var(--lit-read))}
.litmus .box.write{fill:var(--doubt-ground,var(--lit-write))}
.litmus .box.wrong{stroke:var(--bad,var(--lit-bad));stroke-width:2.5}
.litmus path{fill:none}
.litmus .rail{stroke:var(--line,var(--lit-line))}
.litmus .order path{stroke:var(--ink-soft,var(--lit-soft));stroke-width:1.4}
.litmus .order polygon{fill:var(--ink-soft,var(--lit-soft))}
.litmus .seen path{stroke:var(--accent,var(--lit-seen));stroke-width:1.6;stroke-dasharray:7 3}
.litmus .seen polygon{fill:var(--accent,var(--lit-seen))}
.litmus .missing path{stroke:var(--bad,var(--lit-bad));stroke-width:2.2;stroke-dasharray:2.5 4.5;stroke-linecap:round}
.litmus .missing polygon,.litmus .word.missing,.litmus .bad{fill:var(--bad,var(--lit-bad))}
.litmus .word.missing,.litmus .tag{font-weight:700}
.litmus .failing path{stroke:var(--doubt,var(--lit-doubt));stroke-width:1.6;stroke-dasharray:1 4;stroke-linecap:round}
.litmus .failing polygon,.litmus .word.failing{fill:var(--doubt,var(--lit-doubt))}
.litmus .good{fill:var(--good,var(--lit-good))}
`

const text = (x: number, y: number, words: string, kind: string, anchor = 'start'): SvgElement =>
  element('text', { x, y, class: kind, 'text-anchor': anchor }, [words])

const lineSvg = (kind: string, curve: Curve): SvgElement =>
  group({ class: kind }, [
    element('path', { d: pathOf(curve) }),
    element('polygon', { points: headOf(curve) }),
  ])

/** Lines that say what planes and barriers are. */
const preamble = (d: LitmusDocument): ReadonlyArray<string> =>
  d.lines
    .filter(({ line, text: t }) => t !== 'next cluster' && !d.events.some((e) => e.line === line))
    .map(({ text: t }) => t)

const headOfPicture = (d: LitmusDocument, columns: number): ReadonlyArray<readonly [string, string]> => {
  const said = (
    what: string,
    { ok, says }: LitmusDocument['model'],
  ): ReadonlyArray<readonly [string, string]> =>
    wrap(`${what}: ${says.join('; ').replaceAll('`', '')}`, columns).map(
      (t) => [t, ok ? 'good' : 'bad'] as const,
    )
  const options = [
    ...(d.options.strict ? ['strict'] : []),
    ...(d.options.strictProxies ? ['strictProxies'] : []),
    ...(d.options.tensorPipe === 'documented' ? ['tensorPipe: documented'] : []),
    ...preamble(d),
  ].join('; ')
  return [
    ...(options === '' ? [] : wrap(options, columns).map((t) => [t, 'soft'] as const)),
    ...said(d.without === null ? 'the model' : 'the whole model', d.model),
    ...(d.without === null ? [] : said(`without ${d.leftOut.join(', ')}`, d.without)),
  ]
}

/** What the lines are, of those that there are; and how high that is. */
const legend = (
  kinds: ReadonlyArray<readonly [kind: string, name: string]>,
  y: number,
  right: number,
): { readonly drawn: ReadonlyArray<SvgElement>; readonly bottom: number } => {
  let x = margin
  let line = y
  const drawn = kinds.flatMap(([kind, name]) => {
    const width = 38 + character * name.length
    if (x + width > right && x > margin) {
      x = margin
      line += 18
    }
    const from: Point = [x, line]
    const to: Point = [x + 28, line]
    const word = text(x + 34, line + 4, name, 'soft')
    x += width + 14
    return [lineSvg(kind, { points: [from, from, to, to] }), word]
  })
  return { drawn, bottom: kinds.length === 0 ? y - 16 : line + 4 }
}

/** The picture. */
export const litmusSvg = (d: LitmusDocument): SvgElement => {
  const drawing = drawingOf(d)
  const isLast = ({ from, to }: { readonly from: Box; readonly to: Box }): boolean => {
    const { of: placed, columns: all } = placesOf(d, drawing, 0)
    const [a, b] = [placed.get(from)!.column, placed.get(to)!.column]
    return a === b && a === all.length - 1
  }
  const beside = [
    ...drawing.wrong,
    ...drawing.failing,
    ...drawing.edges.filter((e) => !e.clauses.includes('program')),
  ]
  const tagged = greatest(0)(drawing.boxes.map((b) => character * b.tags.join(', ').length))
  // room for what goes round the last column, and for what is written beside it
  const room = Math.max(beside.some(isLast) ? 90 : 0, tagged)
  const width = Math.max(360, placesOf(d, drawing, 0).right + margin + room)
  const head = headOfPicture(d, Math.floor((width - 2 * margin) / character))
  const top = 34 + 16 * head.length + 40
  const places = placesOf(d, drawing, top)
  const { of, columns, rows, bottom } = places
  const bad = new Set(drawing.wrong.flatMap(({ from, to }) => [from, to]))
  const taken: Area[] = [...of.values()]
  const said: SvgElement[] = []
  const say = (curve: Curve, words: string, kind: string): void => {
    const area = wordPlace(curve, words, taken)
    taken.push(area)
    said.push(text(area.x + area.width / 2, area.y + 10, words, `word ${kind}`, 'middle'))
  }
  const isProgram = ({ clauses, from, to }: Edge): boolean =>
    clauses.includes('program') && of.get(from)!.column === of.get(to)!.column
  const edge = (e: Edge): SvgElement => {
    const [a, b] = [of.get(e.from)!, of.get(e.to)!]
    const down = isProgram(e)
    const both = e.order && e.seen && !down
    const words = e.clauses.filter((c) => !down || c !== 'program').join(', ')
    const middle = curveOf(a, b, down, 0)
    // two that meet tell one another
    const told = drawing.edges.some(
      (f) => f.from === e.to && f.to === e.from && drawing.edges.indexOf(f) < drawing.edges.indexOf(e),
    )
    if (words !== '' && !told) say(middle, words, '')
    return group(
      {
        class: 'arrow',
        'data-from': e.from.line,
        'data-to': e.to.line,
        'data-by': `${e.from.by} ${e.to.by}`,
        'data-clauses': e.clauses.join(' '),
        'data-carries': [...(e.order ? ['order'] : []), ...(e.seen ? ['seen'] : [])].join(' '),
      },
      [
        ...(e.order ? [lineSvg('order', both ? curveOf(a, b, down, -2) : middle)] : []),
        ...(e.seen && !down ? [lineSvg('seen', both ? curveOf(a, b, down, 2) : middle)] : []),
      ],
    )
  }
  const marked = (kind: string, from: Box, to: Box, words: string, is: string): SvgElement => {
    const curve = curveOf(of.get(from)!, of.get(to)!, false, 6)
    say(curve, words, kind)
    return group({ class: kind, 'data-from': from.line, 'data-to': to.line, 'data-is': is }, [
      element('path', { d: pathOf(curve) }),
      element('polygon', { points: headOf(curve) }),
    ])
  }
  // words of what is wrong choose their places first
  const wrong = drawing.wrong.map((w) => marked('missing', w.from, w.to, w.text, w.is))
  const failing = drawing.failing.map((f) => marked('failing', f.from, f.to, f.text, f.text))
  const arrows = drawing.edges.map(edge)
  const kinds: ReadonlyArray<readonly [string, string, boolean]> = [
    ['order', 'order', drawing.edges.some((e) => e.order)],
    ['seen', 'visibility', drawing.edges.some((e) => e.seen && !isProgram(e))],
    ['missing', 'missing', wrong.length > 0],
    ['failing', 'a condition fails', failing.length > 0],
  ]
  const key = legend(
    kinds.flatMap(([kind, name, there]) => (there ? [[kind, name] as const] : [])),
    bottom + 26,
    width - margin,
  )
  const height = key.bottom + 16
  const title = `${d.name}: ${(d.without ?? d.model).says.join('; ').replaceAll('`', '')}`
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${round(width)} ${round(height)}`,
      class: 'litmus',
      role: 'img',
      'aria-label': title,
    },
    [
      element('title', {}, [title]),
      element('desc', {}, [d.lines.map(({ line, text: t }) => `${String(line)} ${t}`).join('; ')]),
      element('style', {}, [style]),
      element('rect', { width, height, class: 'paper' }),
      text(margin, 26, d.name, 'name'),
      ...head.map(([words, kind], k) => text(margin, 44 + 16 * k, words, kind)),
      group({ class: 'columns' }, [
        ...columns.map((c) =>
          text(c.x + c.width / 2, top - 16, c.name, c.isAgent ? 'name' : 'soft', 'middle'),
        ),
        ...rows.map((r, k) => {
          const line = drawing.boxes.find((b) => b.row === k)?.line
          return text(
            margin + 14,
            r.y + r.height / 2 + 4,
            line === undefined ? '' : String(line),
            'soft',
            'end',
          )
        }),
        ...drawing.cuts.map((row) => {
          const y = rows[row]!.y + rows[row]!.height / 2
          return group({ class: 'cut' }, [
            element('path', {
              d: `M${round(margin + gutter)} ${round(y)}H${round(width - margin)}`,
              class: 'rail',
            }),
            text(width / 2, y - 4, 'next cluster', 'soft', 'middle'),
          ])
        }),
      ]),
      group({ class: 'arrows' }, arrows),
      group({ class: 'failures' }, failing),
      group({ class: 'wrong' }, wrong),
      group(
        { class: 'boxes' },
        drawing.boxes.map((b) => {
          const p = of.get(b)!
          const kind = ['box', ...(b.rw === null ? [] : [b.rw]), ...(bad.has(b) ? ['wrong'] : [])].join(' ')
          return group(
            { class: 'event', 'data-line': b.line, 'data-by': b.by, 'data-events': b.events.join(' ') },
            [
              element('rect', {
                x: p.x,
                y: p.y,
                width: p.width,
                height: p.height,
                rx: b.rw === null ? 3 : 9,
                class: kind,
              }),
              ...b.text.map((t, k) =>
                text(p.x + p.width / 2, p.y + 16 + lineHeight * k, t, 'what', 'middle'),
              ),
              ...b.notes.map((t, k) =>
                text(
                  p.x + p.width / 2,
                  p.y + 14 + lineHeight * b.text.length + noteHeight * k,
                  t,
                  'note',
                  'middle',
                ),
              ),
              ...(b.tags.length === 0
                ? []
                : [text(p.x + p.width + 5, p.y + 4, b.tags.join(', '), 'tag bad')]),
            ],
          )
        }),
      ),
      group({ class: 'words' }, said),
      group({ class: 'legend' }, key.drawn),
    ],
  )
}
