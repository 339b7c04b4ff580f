/**
 * Where the lanes of a recording stand: agents and units as the picture has them, below them a lane a barrier. Numbers only; what paints is `lanes-paint.ts`.
 *
 * What has happened at a position is a cut through causal time, and no line: an agent may be far ahead of another. So each row has an edge of its own,
 * the time at which the first of its bars begins that has not begun.
 *
 * Laws
 *  1. rows do not overlap, and `rowAt` of a height within one is that row
 *  2. left of the edge of a row all bars have begun; the edge does not go back when the position goes on
 */
import type { PictureBar } from '../../../src/render/recording/model.js'
import { below, type Run } from './run.js'

export const rowHeight = 18
export const barHeight = 15
const laneGap = 7
const groupGap = 10
export const top = 20

export interface Row {
  readonly y: number
  /** places in `picture.bars`, by their beginnings */
  readonly bars: ReadonlyArray<number>
  /** their first steps, ascending, and the least time at which a bar of this one or of a later one begins */
  readonly firsts: ReadonlyArray<number>
  readonly edges: ReadonlyArray<number>
}

export interface LaneBox {
  readonly kind: 'agent' | 'unit' | 'barrier'
  /** place in `picture.lanes`, or in `barriers` */
  readonly index: number
  readonly label: string
  readonly y: number
  readonly height: number
  /** none of a barrier */
  readonly rows: ReadonlyArray<Row>
}

export interface Layout {
  readonly boxes: ReadonlyArray<LaneBox>
  /** by lane of the picture */
  readonly lanes: ReadonlyArray<LaneBox>
  readonly barriers: ReadonlyArray<LaneBox>
  readonly height: number
}

const firstOf = ({ first, last }: PictureBar): number => first ?? last ?? Infinity

interface Placed {
  readonly place: number
  readonly bar: PictureBar
}

const rowOf = (bars: ReadonlyArray<Placed>, y: number): Row => {
  const byFirst = [...bars].sort((a, b) => firstOf(a.bar) - firstOf(b.bar))
  let least = Infinity
  const edges = byFirst
    .slice()
    .reverse()
    .map(({ bar }) => (least = Math.min(least, bar.from)))
    .reverse()
  return {
    y,
    bars: [...bars].sort((a, b) => a.bar.from - b.bar.from).map(({ place }) => place),
    firsts: byFirst.map(({ bar }) => firstOf(bar)),
    edges,
  }
}

export const layoutOf = ({ recording: { picture, barriers, agents } }: Run): Layout => {
  const ctas = new Set([...picture.lanes.map((l) => l.cta), ...agents.map((a) => a.cta)])
  const named = (name: string, cta: number): string => (ctas.size > 1 ? `${name}@${String(cta)}` : name)
  const places: Placed[][][] = picture.lanes.map(() => [])
  picture.bars.forEach((bar, place) => {
    const rows = places[bar.lane]
    if (rows !== undefined) (rows[bar.row] ??= []).push({ place, bar })
  })
  let y = top
  let before: string | null = null
  const begin = (group: string): void => {
    if (before !== null && before !== group) y += groupGap
    before = group
  }
  const lanes = picture.lanes.map(({ name, cta, kind, rows: count }, index): LaneBox => {
    begin(String(cta))
    const at = y
    const rows = Array.from({ length: Math.max(1, count) }, (_, r) =>
      rowOf(places[index]?.[r] ?? [], at + r * rowHeight),
    )
    y += rows.length * rowHeight + laneGap
    return { kind, index, label: named(name, cta), y: at, height: rows.length * rowHeight, rows }
  })
  const ofBarriers = barriers.map(({ name, cta }, index): LaneBox => {
    begin('barriers')
    const at = y
    y += rowHeight + 3
    return { kind: 'barrier', index, label: named(name, cta), y: at, height: rowHeight, rows: [] }
  })
  return { boxes: [...lanes, ...ofBarriers], lanes, barriers: ofBarriers, height: y + 4 }
}

/** The time at which what has not begun begins, in a row, after so many steps. */
export const edgeAt = ({ firsts, edges }: Row, at: number): number => edges[below(firsts, at)] ?? Infinity

export const boxAt = ({ boxes }: Layout, y: number): LaneBox | null =>
  boxes.find((b) => y >= b.y && y < b.y + b.height) ?? null

/** The bar that is at a time in a height; a bar is as wide as a pointer at least. */
export const barAt = (
  { recording: { picture } }: Run,
  layout: Layout,
  time: number,
  y: number,
  slack: number,
): number | null => {
  const box = boxAt(layout, y)
  const row = box?.rows.find((r) => y >= r.y && y < r.y + rowHeight)
  if (row === undefined) return null
  const within = (slackOf: number): ReadonlyArray<number> =>
    row.bars.filter((p) => {
      const bar = picture.bars[p]
      return bar !== undefined && time >= bar.from - slackOf && time < bar.to + slackOf
    })
  return within(0).at(-1) ?? within(slack).at(-1) ?? null
}
