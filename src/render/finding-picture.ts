/**
 * A finding as a picture, made from the verdict document alone: what two agents did, to which bytes, what the later one knew, and which edge is missing.
 *
 *     W3  wgmma operand overwritten in flight
 *         wgmma reads and writes of smem@0 are not ordered
 *     time ──────────────────────────────────────────▶
 *     consumer@0  ┌ wgmma ─┐░░ not known to be over ░░
 *                 └────────┘   ● event 5
 *                   ┊ missing: a group wait ...  │ known: ...
 *                   ┊        ┌──────────┐◀───────┘
 *     producer@0    └┈┈┈┈┈┈┈▶│ refill s │
 *                            └──────────┘
 *     smem@0  [////////////]  0 to 8,192
 *
 * A lane is an agent; two operations of one agent share theirs. The earlier access of the run stands left of and above the later one. Both are framed in
 * red, with their statement, iteration and what they do. A dashed line is the edge that is missing, a solid one what is known: from the last event of
 * the earlier agent that the later one had heard of. Where there is one operation, what is missing stands before it if it waits or reads, else behind it.
 * The bytes are a strip of their memory, with the storages that they lie in; what both touch is hatched.
 *
 * Colours are CSS variables, `--finding-ink` and the others of `paints`, each with a value for light and one for dark: a page that sets them has the
 * picture in its own. A reader of SVG that knows no CSS shows the light ones.
 *
 * Laws
 * 1. The statement, iteration, event and deed of both operations, every interval of bytes, what was known and what is missing can be read back.
 * 2. No two texts overlap, and all of them are inside of the picture, however long they are and however narrow it is.
 * 3. It is a function of the finding's JSON: a document that was printed and parsed has the same picture.
 */
import { greatest } from '../greatest.js'
import { deedIn } from '../semantics/judging/deed.js'
import type { Finding, MissingEdge, NamedBytes, Operation, Place } from '../semantics/judging/finding.js'
import { hazards } from '../semantics/judging/hazards.js'
import { deedText, findingTitle, placeText, statementText } from './finding.js'
import type { SvgElement } from './svg.js'
import { element, group, line, rect, sans } from './svg.js'
import { thousands } from './table.js'
import { linesOf, widthOf, type Font } from './text-width.js'

// ---------------------------------------------------------------- colours

/** What is painted: fill or stroke, in light and in dark. */
const paints = {
  ground: ['fill', '#ffffff', '#12151d'],
  lane: ['fill', '#f2f4f8', '#1c2230'],
  panel: ['fill', '#ffffff', '#12151d'],
  ink: ['fill', '#1f2430', '#e8ebf2'],
  muted: ['fill', '#555d6e', '#a9b1c2'],
  rule: ['stroke', '#8a93a6', '#6b7690'],
  wrong: ['fill', '#b3141c', '#ff8f87'],
  frame: ['stroke', '#d3222a', '#ff6f66'],
  access: ['fill', '#fdebea', '#3b1b1f'],
  known: ['fill', '#0f5fa8', '#7cbcf7'],
  order: ['stroke', '#1f74c4', '#5aa9ee'],
} as const
type Paint = keyof typeof paints
const paintNames: ReadonlyArray<Paint> = Object.keys(paints).filter((k): k is Paint => k in paints)

/** The class, and the colour for readers that know no CSS. */
const paint = (...names: ReadonlyArray<Paint>): Readonly<Record<string, string>> => ({
  class: names.join(' '),
  ...Object.fromEntries(names.map((name) => [paints[name][0], paints[name][1]])),
})

const variables = (dark: boolean): string =>
  paintNames.map((name) => `--f-${name}:var(--finding-${name},${paints[name][dark ? 2 : 1]})`).join(';')

const style = element('style', {}, [
  [
    `.tcspec-finding{${variables(false)}}`,
    `@media (prefers-color-scheme:dark){.tcspec-finding{${variables(true)}}}`,
    ...paintNames.map((name) => `.tcspec-finding .${name}{${paints[name][0]}:var(--f-${name})}`),
  ].join(''),
])

// ---------------------------------------------------------------- texts

interface Text {
  /** what it says, for readers of the picture: `a site` */
  readonly says: string
  readonly text: string
  readonly font: Font
  readonly paint: Paint
}

const says = (what: string, text: string, size: number, paint: Paint, bold = false): Text => ({
  says: what,
  text,
  font: { size, bold },
  paint,
})

/** A text broken into lines of this width. */
interface Paragraph {
  readonly text: Text
  readonly lines: ReadonlyArray<string>
  readonly width: number
  readonly height: number
}

const leading = 1.4
const paragraph = (text: Text, width: number): Paragraph => {
  const lines = linesOf(text.text, width, text.font)
  return {
    text,
    lines,
    width: greatest(0)(lines.map((l) => widthOf(l.trimEnd(), text.font))),
    height: lines.length * text.font.size * leading,
  }
}

/** Texts under one another. */
const column = (texts: ReadonlyArray<Text>, width: number): ReadonlyArray<Paragraph> =>
  texts.map((t) => paragraph(t, width))
const heightOf = (ps: ReadonlyArray<Paragraph>): number => ps.reduce((sum, p) => sum + p.height, 0)
const widthOfAll = (ps: ReadonlyArray<Paragraph>): number => greatest(0)(ps.map((p) => p.width))

const written = (x: number, y: number, { text, lines }: Paragraph): SvgElement => {
  const { size, bold } = text.font
  return element(
    'text',
    {
      ...paint(text.paint),
      'font-size': size,
      ...(bold ? { 'font-weight': 700 } : {}),
      'data-says': text.says,
    },
    lines.map((words, i) => element('tspan', { x, y: y + size * (leading * i + 1.05) }, [words])),
  )
}

const writtenAll = (x: number, y: number, ps: ReadonlyArray<Paragraph>): ReadonlyArray<SvgElement> => {
  let at = y
  return ps.map((p) => {
    const made = written(x, at, p)
    at += p.height
    return made
  })
}

// ---------------------------------------------------------------- lines

type Point = readonly [x: number, y: number]
const round = (n: number): string => String(Math.round(n * 100) / 100)

const through = (
  points: ReadonlyArray<Point>,
  attributes: Readonly<Record<string, string | number>>,
): SvgElement =>
  element('path', {
    d: points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join(''),
    'stroke-linejoin': 'round',
    ...attributes,
    fill: 'none',
  })

/** The head of an arrow that ends here, going down, up or to the right. */
const head = ([x, y]: Point, to: 'down' | 'up' | 'right', p: Paint): SvgElement => {
  const s = 5
  const d =
    to === 'right'
      ? `M${round(x)} ${round(y)}l${String(-1.6 * s)} ${String(-s)}v${String(2 * s)}Z`
      : `M${round(x)} ${round(y)}l${String(-s)} ${String((to === 'down' ? -1.6 : 1.6) * s)}h${String(2 * s)}Z`
  return element('path', { d, ...paint(p) })
}

const dashed = { 'data-edge': 'missing', ...paint('frame'), 'stroke-width': 2, 'stroke-dasharray': '6 4' }
const solid = { 'data-edge': 'known', ...paint('order'), 'stroke-width': 2 }
/** From words to what they are about. */
const leader = { 'data-edge': 'about', ...paint('order'), 'stroke-width': 1 }
const touch = { 'data-edge': 'bytes', ...paint('frame'), 'stroke-width': 1.2 }

/** Diagonal lines inside of a rectangle. */
const hatching = (x: number, y: number, width: number, height: number): SvgElement => {
  const every = 6
  const n = Math.floor((width + height) / every)
  const d = Array.from({ length: n }, (_, k) => (k + 1) * every)
    .map((k) => {
      const [fromX, fromY] = k <= width ? [x + k, y] : [x + width, y + k - width]
      const [toX, toY] = k <= height ? [x, y + k] : [x + k - height, y + height]
      return `M${round(fromX)} ${round(fromY)}L${round(toX)} ${round(toY)}`
    })
    .join('')
  return element('path', { d, ...paint('frame'), 'stroke-width': 1.2, fill: 'none' })
}

// ---------------------------------------------------------------- words

const siteText = (o: Operation): string =>
  o.iteration.length === 0 ? o.site : `${o.site} [${o.iteration.join(', ')}]`

const eventText = (which: string, o: Operation): string =>
  `${which === '' ? '' : `${which}: `}${o.operation === undefined ? 'event' : 'issued at event'} ${String(o.at)}${o.loc === undefined ? '' : `, ${o.loc}`}`

const operationTexts = (side: 'a' | 'b', which: string, o: Operation): ReadonlyArray<Text> => [
  says(`${side} event`, eventText(which, o), 10.5, 'muted'),
  says(`${side} site`, siteText(o), 13.5, 'ink', true),
  ...(o.path.length === 0 ? [] : [says(`${side} path`, `in ${o.path.join(' / ')}`, 10.5, 'muted')]),
  says(`${side} does`, deedText(o), 12, 'wrong'),
  ...(o.source === undefined ? [] : [says(`${side} source`, o.source, 10.5, 'muted')]),
]

/** What is missing, in two or three words; nothing where no single edge is. */
const kinds: Readonly<Record<MissingEdge['kind'], string>> = {
  fence: ': a fence',
  'warp-sync': ': a __syncwarp()',
  'group-wait': ': a wait for a group',
  wait: ': a wait',
  arrive: ': an arrive',
  'arrive-wait': ': an arrive and a wait for it',
  bytes: ': bytes',
  'none-found': '',
}

const sentence = (o: Operation): string =>
  `${o.agent}, ${statementText(o)}: ${deedText(o)} (event ${String(o.at)}).`

/** The whole picture in words. */
const description = (f: Finding): string =>
  [
    `${f.text}.`,
    `${f.b === undefined ? 'Where' : 'First'}: ${sentence(f.a)}`,
    ...(f.b === undefined ? [] : [`Second: ${sentence(f.b)}`]),
    ...(f.place === undefined ? [] : [`Bytes: ${placeText(f.place)}.`]),
    ...(f.knew === undefined ? [] : [`Known: ${f.knew}.`]),
    ...(f.missing === undefined ? [] : [`Missing: ${f.missing.text}.`]),
  ].join(' ')

// ---------------------------------------------------------------- geometry

/** Of the lanes, from the edge of the picture; the lines to the bytes run outside of it. */
const margin = 28
/** Where the lines to the bytes run, from the edge. */
const channel = 12
/** Of the boxes between the lanes, from their edges; where a line passes a box it runs here. */
const inset = 18
const pad = 10
export const usualWidth = 760
const narrowest = 320

interface Bar {
  readonly side: 'a' | 'b'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly texts: ReadonlyArray<Paragraph>
}

const barSvg = ({ side, x, y, width, height, texts }: Bar): SvgElement =>
  group({ 'data-bar': side }, [
    rect({ x, y, width, height, rx: 5, ...paint('access', 'frame'), 'stroke-width': 2 }),
    ...writtenAll(x + pad, y + 6, texts),
  ])

interface Boxed {
  readonly what: 'missing' | 'known'
  readonly texts: ReadonlyArray<Paragraph>
  readonly height: number
}

const boxSvg = ({ what, texts, height }: Boxed, x: number, y: number, width: number): SvgElement =>
  group({ 'data-box': what }, [
    rect({
      ...{ x, y, width, height, rx: 5 },
      ...(what === 'missing'
        ? { ...paint('panel', 'frame'), 'stroke-width': 1.6, 'stroke-dasharray': '6 4' }
        : { ...paint('panel', 'order'), 'stroke-width': 1.4 }),
    }),
    ...writtenAll(x + pad, y + 6, texts),
  ])

const boxesOf = (f: Finding, width: number): ReadonlyArray<Boxed> => {
  const box = (what: Boxed['what'], name: string, text: string, p: Paint): Boxed => {
    const texts = column([says('', name, 10.5, p, true), says(what, text, 12, 'ink')], width - 2 * pad)
    return { what, texts, height: heightOf(texts) + 14 }
  }
  const { missing, knew, fix } = f
  return [
    ...(missing === undefined
      ? []
      : [box('missing', `missing${kinds[missing.kind]}`, fix ?? missing.text, 'wrong')]),
    ...(knew === undefined ? [] : [box('known', 'known', knew, 'known')]),
  ]
}

/** Clusters are what D3 is about, and agents of both have the same names. */
const isOneAgent = ({ id, a, b }: Finding): boolean =>
  b === undefined || (id !== 'D3' && a.index === b.index && a.agent === b.agent)

interface Side {
  readonly side: 'a' | 'b'
  readonly operation: Operation
}

/** The two operations from left to right: as they came in the run; those of one agent as its program has them. */
const inTime = (f: Finding, b: Operation): readonly [Side, Side] => {
  const sides = [
    { side: 'a', operation: f.a },
    { side: 'b', operation: b },
  ] as const
  return isOneAgent(f) && b.at < f.a.at ? [sides[1], sides[0]] : sides
}

/** Whether nothing says that the first was over when the second came: its end is what is missing. */
const inFlight = ({ missing }: Finding, { operation: { operation } }: Side): boolean =>
  operation !== undefined &&
  missing !== undefined &&
  missing.kind !== 'fence' &&
  missing.kind !== 'none-found' &&
  missing.kind !== 'bytes'

/** Whether what is missing holds the first back until the second is done: a slot is filled again before it was read, or read before it was filled. */
const isBackwards = ({ id }: Finding, first: Side, second: Side): boolean => {
  const [one, next] = [deedIn(first.operation.does)._tag, deedIn(second.operation.does)._tag]
  return one === 'writes'
    ? next === 'reads' && hazards[id].readFirst === true
    : one === 'reads' && next === 'writes' && hazards[id].writeFirst === true
}

/** An operation that waits or reads lacks something before it, any other one something behind it. */
const lacksBefore = ({ does }: Operation): boolean => {
  const { _tag } = deedIn(does)
  return _tag === 'waits' || _tag === 'reads'
}

// ---------------------------------------------------------------- bytes

interface Strip {
  readonly drawn: SvgElement
  /** where the first and the last hatched bytes are */
  readonly from: number
  readonly to: number
  readonly height: number
}

const stripHeight = 24

const stripOf = ({ spans, within = [] }: Place, x: number, y: number, width: number): Strip => {
  const ruled = { ...paint('rule'), 'stroke-width': 1 }
  const start = spans.reduce((least, [from]) => Math.min(least, from), Infinity)
  const end = greatest(start)(spans.map(([, to]) => to))
  const around = within.length > 0 ? 0 : Math.max(1, end - start) * 0.1
  const low = within.reduce((least, s) => Math.min(least, s.start), Math.max(0, start - around))
  const high = greatest(end + around)(within.map((s) => s.end))
  const at = (byte: number): number => x + ((byte - low) / (high - low)) * width
  // intervals that would touch each other are drawn as one
  const runs: { from: number; to: number; says: string[] }[] = []
  for (const [from, to] of [...spans].sort((p, q) => p[0] - q[0])) {
    const run = runs.at(-1)
    const text = `${thousands(from)} to ${thousands(to)}`
    if (run !== undefined && at(from) - run.to < 1.5) {
      run.to = Math.max(run.to, at(to))
      run.says.push(text)
    } else runs.push({ from: at(from), to: Math.max(at(from) + 2, at(to)), says: [text] })
  }
  const bottom = y + stripHeight
  const ends = [thousands(start), thousands(end)].map((text) => paragraph(says('', text, 10, 'muted'), width))
  const [first, last] = ends
  const fits = widthOfAll(ends) * 2 + 12 < at(end) - at(start)
  // of storages that share bytes the first is named
  const apart = [...within]
    .sort((p, q) => p.start - q.start || p.end - q.end)
    .reduce<ReadonlyArray<NamedBytes>>(
      (kept, s) => (s.start < (kept.at(-1)?.end ?? 0) ? kept : [...kept, s]),
      [],
    )
  const names = apart.flatMap((s) => {
    const name = paragraph(says('within', s.name, 10.5, 'ink'), Infinity)
    const [from, to] = [at(s.start), at(s.end)]
    const rule = [
      line(from + 1, bottom + 19, to - 1, bottom + 19, ruled),
      line(from, y, from, bottom + 22, ruled),
      line(to, y, to, bottom + 22, ruled),
    ]
    return name.width + 8 < to - from
      ? [...rule, written((from + to - name.width) / 2, bottom + 21, name)]
      : rule
  })
  return {
    from: at(start),
    to: at(end),
    height: stripHeight + (within.length === 0 ? 18 : 38),
    drawn: group({ class: 'bytes' }, [
      rect({ x, y, width, height: stripHeight, ...paint('lane') }),
      line(x, y, x + width, y, ruled),
      line(x, bottom, x + width, bottom, ruled),
      ...(low === 0 ? [line(x, y, x, bottom, ruled)] : []),
      ...names,
      ...runs.map((run) =>
        group({ 'data-bytes': run.says.join('; ') }, [
          rect(
            {
              ...{ x: run.from, y, width: run.to - run.from, height: stripHeight },
              ...paint('access', 'frame'),
              'stroke-width': run.to - run.from < 4 ? 0.6 : 1.6,
            },
            run.says.join('; '),
          ),
          ...(run.to - run.from < 4 ? [] : [hatching(run.from, y, run.to - run.from, stripHeight)]),
        ]),
      ),
      ...(fits && first !== undefined && last !== undefined
        ? [written(at(start) + 2, bottom + 3, first), written(at(end) - last.width - 2, bottom + 3, last)]
        : []),
    ]),
  }
}

// ---------------------------------------------------------------- what is drawn, from top to bottom

/** Where the lanes and the boxes between them are, from left to right. */
interface Frame {
  readonly wide: number
  readonly left: number
  readonly right: number
  readonly inner: number
  readonly between: { readonly from: number; readonly width: number }
}

const frameOf = (wide: number): Frame => {
  const [left, right] = [margin, wide - margin]
  const inner = right - left
  return { wide, left, right, inner, between: { from: left + inset, width: inner - 2 * inset } }
}

/** Some of the picture: what lies behind, what is drawn on that, and what lies over all of it. */
interface Part {
  readonly background?: ReadonlyArray<SvgElement>
  readonly drawn: ReadonlyArray<SvgElement>
  readonly over?: ReadonlyArray<SvgElement>
  readonly bottom: number
}

/** A bar and the side on which a line goes from it to the bytes. */
interface Touching {
  readonly bar: Bar
  readonly beside: 'left' | 'right'
}

interface Lanes extends Part {
  readonly touching: ReadonlyArray<Touching>
}

/** What it is. */
const headingPart = (f: Finding, { left, inner }: Frame, top: number): Part => {
  const id = paragraph(says('id', f.id, 16, 'wrong', true), inner)
  const named = paragraph(says('title', findingTitle(f), 16, 'ink', true), inner - id.width - 12)
  const text = paragraph(says('text', f.text, 12.5, 'muted'), inner)
  const below = top + (named.height + 4)
  return {
    drawn: [written(left, top, id), written(left + id.width + 12, top, named), written(left, below, text)],
    bottom: below + (text.height + 14),
  }
}

/** That time goes to the right. */
const timePart = ({ left, right, inner }: Frame, y: number): Part => {
  const time = paragraph(says('', 'time', 10.5, 'muted'), inner)
  return {
    drawn: [
      written(left, y, time),
      through(
        [
          [left + time.width + 8, y + 8],
          [right - 2, y + 8],
        ],
        { 'data-edge': 'time', ...paint('rule'), 'stroke-width': 1 },
      ),
      element('path', {
        d: `M${round(right - 7)} ${round(y + 4)}L${round(right)} ${round(y + 8)}L${round(right - 7)} ${round(y + 12)}`,
        ...paint('rule'),
        fill: 'none',
      }),
    ],
    bottom: y + (time.height + 6),
  }
}

const band = ({ left, inner }: Frame, from: number, to: number): SvgElement =>
  rect({ x: left, y: from, width: inner, height: to - from, rx: 6, ...paint('lane') })

const agentOf = (side: string, agent: string, { inner }: Frame): Paragraph =>
  paragraph(says(`${side} agent`, agent, 12, 'ink', true), inner - 2 * pad)

/** A bar with its words, not wider than there is room. */
const barOf = ({ side, operation }: Side, which: string, room: number): Omit<Bar, 'x' | 'y'> => {
  const texts = column(operationTexts(side, which, operation), room - 2 * pad)
  return {
    side,
    texts,
    width: Math.max(Math.min(110, room), widthOfAll(texts) + 2 * pad),
    height: heightOf(texts) + 14,
  }
}

/** One operation in its lane: what is missing stands above it or below. */
const lanePart = (f: Finding, frame: Frame, top: number): Lanes => {
  const { left, inner, between } = frame
  const boxes = boxesOf(f, between.width)
  const before = lacksBefore(f.a)
  const above = before ? boxes : []
  const below = before ? [] : boxes
  const agent = agentOf('a', f.a.agent, frame)
  const over: SvgElement[] = []
  let y = top
  for (const box of above) {
    over.push(boxSvg(box, between.from, y, between.width))
    y += box.height + 26
  }
  const bandFrom = y
  const made = barOf({ side: 'a', operation: f.a }, '', inner - 2 * inset)
  // the name of the lane is where no line comes in
  const bar: Bar = { ...made, x: left + inset, y: y + pad + (before ? 0 : agent.height + 2) }
  const middle = bar.x + bar.width / 2
  const named = written(left + pad, before ? bar.y + bar.height + 6 : y + 5, agent)
  y = bar.y + bar.height + pad + (before ? agent.height : 0)
  const lane = band(frame, bandFrom, y)
  over.push(barSvg(bar))
  if (above.length > 0)
    over.push(
      through(
        [
          [middle, bandFrom - 26],
          [middle, bar.y - 9],
        ],
        dashed,
      ),
      head([middle, bar.y - 1], 'down', 'wrong'),
    )
  below.forEach((box, i) => {
    y += 26
    if (i === 0)
      over.push(
        through(
          [
            [middle, bar.y + bar.height + 1],
            [middle, y - 9],
          ],
          box.what === 'missing' ? dashed : solid,
        ),
        head([middle, y - 1], 'down', box.what === 'missing' ? 'wrong' : 'known'),
      )
    over.push(boxSvg(box, between.from, y, between.width))
    y += box.height
  })
  return {
    background: [lane],
    drawn: [named],
    over,
    bottom: y,
    // what is never written has been touched by no operation
    touching: f.id === 'O1' ? [] : [{ bar, beside: 'left' }],
  }
}

/** The last event of the first agent that the second knew of: it stands before the access or behind it. */
interface Heard {
  readonly isBehind: boolean
  readonly text: Paragraph
}

const heardIn = (f: Finding, first: Side, { inner }: Frame): Heard | null =>
  isOneAgent(f) || f.knows === undefined || f.knows === 0
    ? null
    : {
        isBehind: f.knows >= first.operation.at,
        text: paragraph(says('heard', `event ${String(f.knows)}`, 10.5, 'known'), inner),
      }

/** What was issued and is not known to be over goes on. */
const goingOn = (bar: Bar, { right, inner }: Frame): ReadonlyArray<SvgElement> => {
  const [from, to] = [bar.x + bar.width, right - pad]
  const said = paragraph(says('', 'not known to be over', 10.5, 'wrong'), inner)
  const middle = bar.y + bar.height / 2
  return to - from > 20
    ? [
        rect({ x: from, y: middle - 5, width: to - from, height: 10, ...paint('access') }),
        hatching(from, middle - 5, to - from, 10),
        ...(said.width + 12 < to - from ? [written(from + 8, middle - 8 - said.height, said)] : []),
      ]
    : []
}

/** A box between the lanes, and where it begins. */
interface Placed {
  readonly box: Boxed
  readonly top: number
}

/** What the lines between two lanes go by: from the upper bar, past the boxes, to the lower one. */
interface Passage {
  readonly barA: Bar
  readonly barB: Bar
  /** where the lanes end and begin */
  readonly edgeA: number
  readonly edgeB: number
  readonly heard: { readonly isBehind: boolean; readonly at: number; readonly width: number } | null
  readonly missing: Placed | null
  readonly known: Placed | null
}

// what is known passes the box of what is missing on the side that it comes from, and that one passes the other's box on the other side
const sidesOf = ({ heard }: Passage): readonly [solid: 'left' | 'right', dashed: 'left' | 'right'] =>
  heard?.isBehind === true ? ['right', 'left'] : ['left', 'right']

/** Of the lines beside the boxes, and of the boxes. */
const edgesOf = ({ left, right, between }: Frame) => ({
  outside: { left: left + inset / 2, right: right - inset / 2 },
  box: { left: between.from, right: between.from + between.width },
})

/** From the earlier access through the box of what is missing to the later one, dashed. */
const missingEdge = (p: Passage, { box, top }: Placed, isBackwards: boolean, frame: Frame) => {
  const { barA, barB, edgeB, heard, known } = p
  const isBehind = heard?.isBehind === true
  const { outside, box: edges } = edgesOf(frame)
  const [, side] = sidesOf(p)
  const bottom = top + box.height
  const from =
    heard === null || isBehind
      ? barA.x + barA.width * (known === null ? 0.5 : isBehind ? 0.3 : 0.7)
      : Math.max(barA.x + barA.width * 0.7, heard.at + heard.width + 14)
  const to = barB.x + barB.width * (known === null ? 0.5 : isBehind ? 0.25 : 0.75)
  const end = barB.y - 1
  return [
    through(
      [
        [from, barA.y + barA.height + 1],
        [from, top - 1],
      ],
      dashed,
    ),
    through(
      known === null
        ? [
            [to, bottom],
            [to, end - 7],
          ]
        : [
            [edges[side], bottom - 14],
            [outside[side], bottom - 14],
            [outside[side], edgeB - 20],
            [to, edgeB - 20],
            [to, end - 7],
          ],
      dashed,
    ),
    isBackwards ? head([from, barA.y + barA.height + 1], 'up', 'wrong') : head([to, end], 'down', 'wrong'),
  ]
}

/** From what was heard through the box of what is known to the later access; where nothing was, from the words to what they are about. */
const knownEdge = (p: Passage, { box, top }: Placed, isKnownFrom: boolean, frame: Frame) => {
  const { barA, barB, edgeA, heard, missing } = p
  const { outside, box: edges } = edgesOf(frame)
  const [side] = sidesOf(p)
  const from: Point =
    heard === null
      ? [barA.x + barA.width * (missing === null ? 0.5 : 0.25), barA.y + barA.height + 1]
      : [heard.at, edgeA + 4]
  const to = barB.x + barB.width * (missing === null ? 0.5 : heard?.isBehind === true ? 0.7 : 0.3)
  const end = barB.y - 1
  return [
    ...(isKnownFrom
      ? [
          through(
            missing === null
              ? [from, [from[0], top]]
              : [
                  from,
                  [from[0], edgeA + 12],
                  [outside[side], edgeA + 12],
                  [outside[side], top + 14],
                  [edges[side], top + 14],
                ],
            solid,
          ),
        ]
      : []),
    through(
      [
        [to, top + box.height],
        [to, isKnownFrom ? end - 7 : end],
      ],
      isKnownFrom ? solid : leader,
    ),
    ...(isKnownFrom ? [head([to, end], 'down', 'known')] : []),
  ]
}

/** Two operations, the earlier one above: each in the lane of its agent, or both in one. */
const lanesPart = (f: Finding, b: Operation, frame: Frame, top: number): Lanes => {
  const { left, right, inner, between } = frame
  const oneAgent = isOneAgent(f)
  const boxes = boxesOf(f, between.width)
  const [first, second] = inTime(f, b)
  const agent = agentOf(first.side, first.operation.agent, frame)
  const told = heardIn(f, first, frame)
  const isBehind = told?.isBehind === true
  const barA: Bar = {
    ...barOf(first, 'first', Math.min(inner * 0.6, inner - 2 * pad - (isBehind ? told.text.width + 24 : 24))),
    x: left + pad + (told === null || isBehind ? 0 : 24),
    y: top + 5 + agent.height + 6,
  }
  const later = barOf(second, 'second', right - 2 * pad - (barA.x + 40))
  const edgeA = barA.y + barA.height + pad + (told === null ? 0 : 10)
  const heardAt = isBehind ? barA.x + barA.width + 14 : left + pad + 8
  const heard = told === null ? null : { isBehind, at: heardAt, width: told.text.width }

  const placed: Placed[] = []
  let y = edgeA
  for (const box of boxes) {
    y += placed.length === 0 ? 28 : 12
    placed.push({ box, top: y })
    y += box.height
  }
  const edgeB = y + (boxes.length === 0 ? 12 : 34)
  const barB: Bar = { ...later, x: Math.max(barA.x + 40, right - pad - later.width), y: edgeB + pad }
  const missing = placed.find(({ box }) => box.what === 'missing') ?? null
  const known = placed.find(({ box }) => box.what === 'known') ?? null
  const passage: Passage = { barA, barB, edgeA, edgeB, heard, missing, known }

  const end = barB.y + barB.height + pad
  const other = oneAgent
    ? null
    : agentOf(second.side, f.id === 'D3' ? `${b.agent} of another cluster` : b.agent, frame)
  const bottom = end + (other?.height ?? 0)
  return {
    background:
      other === null ? [band(frame, top, end)] : [band(frame, top, edgeA), band(frame, edgeB, bottom)],
    drawn: [
      written(left + pad, top + 5, agent),
      ...(inFlight(f, first) ? goingOn(barA, frame) : []),
      ...(other === null ? [] : [written(left + pad, end - 4, other)]),
    ],
    over: [
      ...(told === null
        ? []
        : [
            element('circle', { cx: heardAt, cy: edgeA, r: 4, ...paint('known') }),
            written(heardAt + 8, edgeA - told.text.height - 1, told.text),
          ]),
      ...placed.map((at) => boxSvg(at.box, between.from, at.top, between.width)),
      ...(missing === null ? [] : missingEdge(passage, missing, isBackwards(f, first, second), frame)),
      ...(known === null ? [] : knownEdge(passage, known, oneAgent || told !== null, frame)),
      barSvg(barA),
      barSvg(barB),
    ],
    bottom,
    touching: [
      { bar: barA, beside: 'left' },
      { bar: barB, beside: 'right' },
    ],
  }
}

/** The strip of bytes, with a line from each operation that touches them. */
const bytesPart = (
  place: Place,
  touching: ReadonlyArray<Touching>,
  { wide, inner, between }: Frame,
  top: number,
): Part => {
  const caption = paragraph(says('place', placeText(place), 12, 'ink'), inner - 2 * inset)
  const y = top + 16 + (caption.height + 18)
  const strip = stripOf(place, between.from, y, between.width)
  const reach = Math.min(12, (strip.to - strip.from) / 3)
  const lines = touching.flatMap(({ bar, beside }) => {
    const [edge, at, to] =
      beside === 'left'
        ? [bar.x, channel, strip.from + reach]
        : [bar.x + bar.width, wide - channel, strip.to - reach]
    return [
      through(
        [
          [edge, bar.y + 14],
          [at, bar.y + 14],
          [at, y - 12],
          [to, y - 12],
          [to, y - 6],
        ],
        touch,
      ),
      head([to, y], 'down', 'wrong'),
    ]
  })
  return {
    drawn: [written(between.from, top + 16, caption), strip.drawn, ...lines],
    bottom: y + strip.height,
  }
}

// ---------------------------------------------------------------- the picture

/** The picture of a finding of a verdict document, so wide and as high as its words need. */
export const findingPicture = (f: Finding, width: number = usualWidth): SvgElement => {
  const { b, place, missing } = f
  const frame = frameOf(Math.max(narrowest, Math.floor(width)))
  const heading = headingPart(f, frame, 16)
  const time: Part = b === undefined ? { drawn: [], bottom: heading.bottom } : timePart(frame, heading.bottom)
  const lanes = b === undefined ? lanePart(f, frame, time.bottom) : lanesPart(f, b, frame, time.bottom)
  const bytes: Part =
    place === undefined
      ? { drawn: [], bottom: lanes.bottom }
      : bytesPart(place, lanes.touching, frame, lanes.bottom)
  const parts: ReadonlyArray<Part> = [heading, time, lanes, bytes]
  const { wide } = frame
  const high = Math.ceil(bytes.bottom + 14)
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'tcspec-finding',
      role: 'img',
      'data-id': f.id,
      ...(missing === undefined ? {} : { 'data-missing': missing.kind }),
      width: wide,
      height: high,
      viewBox: `0 0 ${String(wide)} ${String(high)}`,
      'font-family': sans,
    },
    [
      element('title', {}, [`${f.id}: ${findingTitle(f)}`]),
      element('desc', {}, [description(f)]),
      style,
      rect({ width: wide, height: high, ...paint('ground') }),
      ...parts.flatMap((part) => part.background ?? []),
      ...parts.flatMap((part) => part.drawn),
      ...parts.flatMap((part) => part.over ?? []),
    ],
  )
}
