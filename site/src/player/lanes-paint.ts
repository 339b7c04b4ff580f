/**
 * The lanes as paint. What does not change with the position is painted once, in tiles beside the screen; a step paints the overlay alone: how far each row
 * has come, what is under way, and the event just taken.
 */
import type { Kind, PictureBar } from '../../../src/render/recording/model.js'
import { barHeight, edgeAt, rowHeight, top, type Layout } from './lanes-layout.js'
import type { Mark } from './marks.js'
import type { Run } from './run.js'

export interface Look {
  readonly ground: string
  readonly raised: string
  readonly sunken: string
  readonly line: string
  readonly strong: string
  readonly ink: string
  readonly soft: string
  readonly accent: string
  readonly accentGround: string
  readonly bad: string
  readonly badGround: string
  readonly hueInk: string
  readonly hues: ReadonlyArray<string>
  readonly sans: string
}

/** The tokens as they are now. */
export const lookOf = (element: Element): Look => {
  const style = getComputedStyle(element)
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    ground: token('ground'),
    raised: token('raised'),
    sunken: token('sunken'),
    line: token('line'),
    strong: token('line-strong'),
    ink: token('ink'),
    soft: token('ink-soft'),
    accent: token('accent'),
    accentGround: token('accent-ground'),
    bad: token('bad'),
    badGround: token('bad-ground'),
    hueInk: token('hue-ink'),
    hues: [0, 1, 2, 3, 4, 5, 6].map((i) => token(`hue-${String(i)}`)),
    sans: token('sans'),
  }
}

/** The hue of a kind; null: it has none (a wait, any other statement). */
export const hueOf = (kind: Kind): number | null => {
  switch (kind) {
    case 'tmaLoad':
    case 'cpAsync':
      return 0
    case 'wgmma':
    case 'tcgen05':
      return 1
    case 'arrive':
      return 2
    case 'tcgen05Ld':
      return 3
    case 'tcgen05St':
      return 4
    case 'tmaStore':
      return 5
    case 'stAsync':
    case 'clc':
      return 6
    case 'wait':
    case 'other':
      return null
  }
}

export interface Scene {
  readonly run: Run
  readonly layout: Layout
  readonly marks: ReadonlyArray<Mark>
  readonly look: Look
  /** pixels of a unit of time */
  readonly scale: number
  /** one finding is looked at: of the others there is a frame, and no edge */
  readonly isChosen: boolean
}

export const tileWidth = 1024
/** Missing edges that a picture still bears. */
const mostEdges = 12
const character = 5.6

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`

// ---------------------------------------------------------------- what does not change

const paintBar = (
  c: CanvasRenderingContext2D,
  { look, scale }: Scene,
  bar: PictureBar,
  y: number,
  offset: number,
): void => {
  const x = bar.from * scale - offset
  const width = Math.max(1.5, (bar.to - bar.from) * scale - 1)
  const hue = hueOf(bar.kind)
  c.fillStyle =
    hue === null ? (bar.kind === 'wait' ? look.raised : look.sunken) : (look.hues[hue] ?? look.sunken)
  c.fillRect(x, y, width, barHeight)
  if (width > 3) {
    c.strokeStyle = look.strong
    c.lineWidth = 1
    c.setLineDash(bar.kind === 'wait' ? [2, 2] : [])
    c.strokeRect(x + 0.5, y + 0.5, width - 1, barHeight - 1)
    c.setLineDash([])
  }
  if (bar.isOpen) {
    c.fillStyle = look.bad
    c.fillRect(x + width - 3, y, 3, barHeight)
  }
  const room = Math.floor((Math.min(width, 4000) - 6) / character)
  if (room >= 3) {
    c.fillStyle = hue === null ? look.soft : look.hueInk
    // a long bar says what it is wherever it is looked at
    const apart = Math.max(tileWidth / 2, bar.label.length * character + 80)
    for (let at = x + 3; at < x + width - 20 || at === x + 3; at += apart)
      if (at > -apart && at < tileWidth)
        c.fillText(cut(bar.label, Math.min(room, Math.floor((x + width - at) / character))), at, y + 11)
  }
}

const middleOf = (layout: Layout, lane: number, row: number): number =>
  (layout.lanes[lane]?.rows[row]?.y ?? top) + barHeight / 2

const paintArrows = (c: CanvasRenderingContext2D, scene: Scene, offset: number): void => {
  const { run, layout, look, scale } = scene
  if (scale < 2) return
  c.lineWidth = 1
  for (const a of run.recording.picture.arrows) {
    const [x1, x2] = [a.from * scale - offset, a.to * scale - offset]
    if (Math.max(x1, x2) < -8 || Math.min(x1, x2) > tileWidth + 8) continue
    const [y1, y2] = [middleOf(layout, a.fromLane, a.fromRow), middleOf(layout, a.toLane, 0)]
    const bend = Math.max(10, Math.abs(x2 - x1) / 2)
    c.strokeStyle = look.strong
    c.globalAlpha = 0.75
    c.beginPath()
    c.moveTo(x1, y1)
    c.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2)
    c.stroke()
    c.globalAlpha = 1
    c.fillStyle = look.strong
    c.beginPath()
    c.moveTo(x2 + 3, y2)
    c.lineTo(x2 - 3, y2 - 3.5)
    c.lineTo(x2 - 3, y2 + 3.5)
    c.fill()
  }
}

const paintPhases = (c: CanvasRenderingContext2D, scene: Scene, offset: number): void => {
  const { run, layout, look, scale } = scene
  layout.barriers.forEach((box, barrier) => {
    for (const { generation, from, to } of run.phases[barrier] ?? []) {
      const x = from * scale - offset
      const width = (to - from) * scale
      if (width <= 0 || x + width < 0 || x > tileWidth) continue
      // parity 0 is low and light, parity 1 is full and tinted: a square wave
      const odd = generation % 2 === 1
      c.fillStyle = odd ? look.accentGround : look.raised
      c.fillRect(x, box.y + (odd ? 0 : 7), width, odd ? barHeight : barHeight - 7)
      c.strokeStyle = look.strong
      c.lineWidth = 1
      c.strokeRect(
        x + 0.5,
        box.y + (odd ? 0.5 : 7.5),
        Math.max(0, width - 1),
        (odd ? barHeight : barHeight - 7) - 1,
      )
      const words = `${String(generation)} · parity ${odd ? '1' : '0'}`
      const short = String(generation)
      const text =
        width > words.length * character + 6 ? words : width > short.length * character + 4 ? short : ''
      c.fillStyle = odd ? look.ink : look.soft
      // a long phase says which it is wherever it is looked at
      for (let at = x + 4; text !== '' && at < x + width - text.length * character; at += tileWidth / 4)
        if (at > -tileWidth / 4 && at < tileWidth) c.fillText(text, at, box.y + 12)
    }
  })
}

const barBox = (
  { run, layout, scale }: Scene,
  place: number,
): { readonly x: number; readonly y: number; readonly width: number } | null => {
  const bar = run.recording.picture.bars[place]
  if (bar === undefined) return null
  const y = layout.lanes[bar.lane]?.rows[bar.row]?.y ?? top
  return { x: bar.from * scale, y, width: Math.max(2, (bar.to - bar.from) * scale - 1) }
}

/** A finding: a frame around each of its bars, and the missing edge dashed between them. */
export const paintMark = (
  c: CanvasRenderingContext2D,
  scene: Scene,
  { finding, bars }: Mark,
  offset: number,
  how: 'frames' | 'edge' | 'chosen',
): void => {
  const { look } = scene
  const [a, b] = bars.map((p) => barBox(scene, p))
  c.strokeStyle = look.bad
  for (const box of [a, b]) {
    if (box === undefined || box === null) continue
    c.lineWidth = how === 'chosen' ? 3 : how === 'edge' ? 2 : 1
    c.strokeRect(box.x - offset - 1, box.y - 1, box.width + 2, barHeight + 2)
  }
  if (a === undefined || a === null || how === 'frames') return
  c.font = `bold 11px ${look.sans}`
  const label = (x: number, y: number): void => {
    const width = finding.id.length * 7 + 8
    c.fillStyle = look.bad
    c.fillRect(x - width / 2, y - 8, width, 16)
    c.fillStyle = look.ground
    c.textAlign = 'center'
    c.fillText(finding.id, x, y + 4)
    c.textAlign = 'start'
  }
  if (b === undefined || b === null) {
    label(a.x - offset + a.width / 2, a.y - 4)
    return
  }
  const [x1, y1] = [a.x + a.width - offset, a.y + barHeight / 2]
  const [x2, y2] = [b.x - offset, b.y + barHeight / 2]
  // between two bars of one height the edge goes round below
  const low = Math.max(y1, y2) + (Math.abs(y1 - y2) < rowHeight ? rowHeight * 1.6 : 0)
  c.lineWidth = how === 'chosen' ? 3 : 2
  c.setLineDash([5, 4])
  c.beginPath()
  c.moveTo(x1, y1)
  c.bezierCurveTo(x1 + 12, low, x2 - 12, low, x2, y2)
  c.stroke()
  c.setLineDash([])
  label((x1 + x2) / 2, (y1 + y2) / 8 + (low * 3) / 4)
}

/** One tile: `tileWidth` pixels of the timeline, from `offset` on. */
export const paintTile = (c: CanvasRenderingContext2D, scene: Scene, offset: number): void => {
  const { run, layout, look, scale } = scene
  const { picture } = run.recording
  c.fillStyle = look.ground
  c.fillRect(0, 0, tileWidth, layout.height)
  c.font = `10px ${look.sans}`
  // time
  const apart = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((t) => t * scale >= 56) ?? 10_000
  for (let t = Math.floor(offset / scale / apart) * apart; t * scale - offset < tileWidth + 40; t += apart) {
    const x = t * scale - offset
    c.fillStyle = look.line
    c.fillRect(x, 14, 1, layout.height)
    c.fillStyle = look.soft
    c.fillText(String(t), x + 3, 11)
  }
  for (const box of layout.lanes)
    for (const row of box.rows)
      for (const place of row.bars) {
        const bar = picture.bars[place]
        if (bar === undefined || bar.to * scale - offset < -4) continue
        if (bar.from * scale - offset > tileWidth + 4) break
        paintBar(c, scene, bar, row.y, offset)
      }
  paintPhases(c, scene, offset)
  paintArrows(c, scene, offset)
  const drawn = new Set<string>()
  for (const mark of scene.marks) {
    const key = mark.bars.join()
    if (mark.bars.length > 0 && !drawn.has(key))
      paintMark(c, scene, mark, offset, scene.isChosen || drawn.size >= mostEdges ? 'frames' : 'edge')
    drawn.add(key)
  }
}

/** The names of the lanes, on the left of everything. */
export const paintLabels = (
  c: CanvasRenderingContext2D,
  { layout, look, run }: Scene,
  gutter: number,
): void => {
  c.fillStyle = look.ground
  c.fillRect(0, 0, gutter, layout.height)
  c.fillStyle = look.line
  c.fillRect(gutter - 1, 0, 1, layout.height)
  for (const box of layout.boxes) {
    c.font = `${box.kind === 'agent' ? 'bold ' : ''}11px ${look.sans}`
    c.fillStyle = box.kind === 'agent' ? look.ink : look.soft
    const agent = box.kind === 'agent' ? agentOfLane(run, box.index) : null
    let x = 4
    if (agent !== null) {
      c.fillStyle = look.hues[agent % look.hues.length] ?? look.raised
      c.fillRect(2, box.y, 18, barHeight)
      c.fillStyle = look.hueInk
      c.textAlign = 'center'
      c.fillText(String(agent), 11, box.y + 11)
      c.textAlign = 'start'
      c.fillStyle = look.ink
      x = 24
    }
    c.fillText(cut(box.label, Math.floor((gutter - x - 6) / 6)), x, box.y + 11)
  }
}

const agentOfLane = (run: Run, lane: number): number | null => {
  const bar = run.recording.picture.bars.find((b) => b.lane === lane)
  return bar?.agent ?? null
}

// ---------------------------------------------------------------- what a step paints

/** The overlay: what has not begun is veiled, what is under way is framed, the event just taken has a band and a mark. */
export const paintOverlay = (
  c: CanvasRenderingContext2D,
  scene: Scene,
  at: number,
  chosen: Mark | null,
  view: { readonly left: number; readonly width: number; readonly gutter: number },
): void => {
  const { run, layout, look, scale } = scene
  const { picture, steps } = run.recording
  const offset = view.left - view.gutter
  c.clearRect(0, 0, view.width, layout.height)
  c.save()
  c.beginPath()
  c.rect(view.gutter, 0, view.width - view.gutter, layout.height)
  c.clip()
  c.fillStyle = look.ground
  c.globalAlpha = 0.62
  for (const { rows } of layout.lanes)
    for (const row of rows) {
      const x = Math.max(view.gutter, edgeAt(row, at) * scale - offset)
      if (x < view.width) c.fillRect(x, row.y - 1, view.width - x, barHeight + 2)
    }
  c.globalAlpha = 1
  // under way: begun and not over
  c.strokeStyle = look.ink
  c.lineWidth = 1.5
  for (const place of underWay(run, at)) {
    const box = barBox(scene, place)
    if (box !== null) c.strokeRect(box.x - offset + 0.5, box.y + 0.5, box.width - 1, barHeight - 1)
  }
  const step = steps[at - 1]
  if (step !== undefined) {
    const x = (step.time + 1) * scale - offset
    c.fillStyle = look.accent
    c.globalAlpha = 0.13
    c.fillRect(step.time * scale - offset, 0, scale, layout.height)
    c.globalAlpha = 1
    c.fillRect(x - 1, 0, 2, layout.height)
    c.beginPath()
    c.moveTo(x - 5, 0)
    c.lineTo(x + 5, 0)
    c.lineTo(x, 8)
    c.fill()
    const place = run.barOf[at - 1] ?? -1
    const box = place < 0 ? null : barBox(scene, place)
    if (box !== null) {
      c.strokeStyle = look.accent
      c.lineWidth = 3
      c.strokeRect(box.x - offset - 1, box.y - 1, box.width + 2, barHeight + 2)
    }
    c.fillStyle = look.accent
    for (const [barrier] of step.changed.barriers ?? []) {
      const lane = layout.barriers[barrier]
      if (lane === undefined) continue
      c.beginPath()
      c.arc(x, lane.y + barHeight / 2, 4, 0, 2 * Math.PI)
      c.fill()
    }
  }
  if (chosen !== null && chosen.bars.length > 0 && picture.bars.length > 0)
    paintMark(c, scene, chosen, offset, 'chosen')
  c.restore()
}

/** Operations that have begun and are not over, by their bars: at most as many as there are in flight. */
const underWay = (run: Run, at: number): ReadonlyArray<number> =>
  run.stateAt(at).flights.flatMap(({ issued }) => {
    const place = run.issuedBarOf[issued] ?? -1
    return place < 0 ? [] : [place]
  })
