/**
 * A board: cells on a canvas, of which some are lit. The cells are painted once; what is lit lies on a canvas of its own above them, so that to move over a
 * board costs a few strokes.
 *
 * For those who see no canvas it is a grid with one cell, the one that the arrow keys are at, which says what it is.
 */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { every, head, sizesIn, type Shown, type Side, type Sizes } from './side.js'

// ---------------------------------------------------------------- colours

interface Look {
  readonly hues: ReadonlyArray<string>
  readonly onHue: string
  readonly ground: string
  readonly line: string
  readonly soft: string
  readonly ink: string
  readonly bad: string
  readonly accent: string
}

const lookOf = (node: Element): Look => {
  const style = getComputedStyle(node)
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    hues: Array.from({ length: 7 }, (_, k) => token(`hue-${String(k)}`)),
    onHue: token('hue-ink'),
    ground: token('ground'),
    line: token('line'),
    soft: token('ink-soft'),
    ink: token('ink'),
    bad: token('bad'),
    accent: token('accent'),
  }
}

/** Counts up when the colours of the page change. */
const useColours = (): number => {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const changed = (): void => {
      setCount((n) => n + 1)
    }
    const media = matchMedia('(prefers-color-scheme: dark)')
    media.addEventListener('change', changed)
    const observer = new MutationObserver(changed)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      media.removeEventListener('change', changed)
      observer.disconnect()
    }
  }, [])
  return count
}

const useWidth = (node: { readonly current: HTMLElement | null }): number => {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = node.current
    if (element === null) return undefined
    const measure = (): void => {
      setWidth(element.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      observer.disconnect()
    }
  }, [node])
  return width
}

// ---------------------------------------------------------------- painting

const context = (
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null => {
  if (canvas === null) return null
  const scale = Math.min(2, devicePixelRatio)
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)]
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w
    canvas.height = h
  }
  const c = canvas.getContext('2d')
  c?.setTransform(scale, 0, 0, scale, 0, 0)
  c?.clearRect(0, 0, width, height)
  return c
}

const shades = [1, 0.76, 0.56, 0.4]

interface Geometry extends Sizes {
  readonly shown: Shown
  readonly across: number
  readonly down: number
}

const paint = (c: CanvasRenderingContext2D, side: Side, g: Geometry, look: Look): void => {
  const { rows, columns } = g.shown
  const gap = g.width > 7 && g.height > 7 ? 1 : 0
  c.textBaseline = 'middle'
  for (let row = rows.from; row < rows.to; row++)
    for (let column = columns.from; column < columns.to; column++) {
      const cell = row * side.columns + column
      const colour = side.colour(cell)
      const [x, y] = [g.gutter + (column - columns.from) * g.width, head + (row - rows.from) * g.height]
      if (colour === null) {
        c.fillStyle = look.line
        c.globalAlpha = 0.35
        c.fillRect(x, y, g.width - gap, g.height - gap)
        c.globalAlpha = 1
        continue
      }
      c.fillStyle = look.hues[colour % 7] ?? look.ground
      c.globalAlpha = shades[Math.floor(colour / 7) % shades.length] ?? 1
      c.fillRect(x, y, g.width - gap, g.height - gap)
      c.globalAlpha = 1
    }
  if (g.font > 0) {
    c.font = `${g.font.toFixed(1)}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`
    c.textAlign = 'center'
    c.fillStyle = look.onHue
    for (let row = rows.from; row < rows.to; row++)
      for (let column = columns.from; column < columns.to; column++) {
        const label = side.label(row * side.columns + column)
        if (label !== '')
          c.fillText(
            label,
            g.gutter + (column - columns.from + 0.5) * g.width - gap / 2,
            head + (row - rows.from + 0.5) * g.height,
          )
      }
  }
  c.font = '10px system-ui, "DejaVu Sans", sans-serif'
  c.fillStyle = look.soft
  c.textAlign = 'center'
  let longest = 1
  for (let column = columns.from; column < columns.to; column++)
    longest = Math.max(longest, side.columnLabel(column).length)
  const step = every(g.width, longest * 6 + 6)
  for (let column = columns.from; column < columns.to; column++)
    if (column % step === 0) {
      const text = side.columnLabel(column)
      // a label that is wider than its column does not reach over the rows' labels
      const x = Math.max(
        g.gutter + (column - columns.from + 0.5) * g.width,
        g.gutter + c.measureText(text).width / 2,
      )
      c.fillText(text, x, head - 7)
    }
  c.textAlign = 'right'
  const down = every(g.height, 12)
  for (let row = rows.from; row < rows.to; row++)
    if (row % down === 0)
      c.fillText(side.rowLabel(row), g.gutter - 6, head + (row - rows.from + 0.5) * g.height)
  c.font = 'italic 10px system-ui, "DejaVu Sans", sans-serif'
  c.fillText(`${side.rowTitle} ↓`, g.gutter - 6, head - 7)
  c.textAlign = 'left'
  c.fillText(`${side.columnTitle} →`, g.gutter, 8)
}

/** Cells that are outlined one by one; of more, the first. */
const mostLit = 4096

// ---------------------------------------------------------------- the board

export interface BoardProps {
  readonly label: string
  readonly side: Side
  readonly shown: Shown
  readonly labels: boolean
  /** the cell that is pointed at, here */
  readonly cursor: number | null
  /** those that belong to what is pointed at, here or on the other board */
  readonly lit: ReadonlyArray<number>
  /** cells that stand out by themselves: the first difference, a conflict */
  readonly marked?: ReadonlyArray<number>
  /** whether what is lit is brought into view */
  readonly follow: boolean
  readonly point: (cell: number | null) => void
  /** by a click, or by Enter */
  readonly choose: (cell: number) => void
  /** by the arrow keys */
  readonly move: (cell: number) => void
  /** by Escape */
  readonly release: () => void
}

const none: ReadonlyArray<number> = []

export const Board = ({
  label,
  side,
  shown,
  labels,
  cursor,
  lit,
  marked = none,
  follow,
  point,
  choose,
  move,
  release,
}: BoardProps) => {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const base = useRef<HTMLCanvasElement>(null)
  const above = useRef<HTMLCanvasElement>(null)
  const room = useWidth(box)
  const colours = useColours()
  const [rowsFrom, rowsTo] = [shown.rows.from, shown.rows.to]
  const [columnsFrom, columnsTo] = [shown.columns.from, shown.columns.to]
  const geometry = useMemo((): Geometry => {
    const part = { rows: { from: rowsFrom, to: rowsTo }, columns: { from: columnsFrom, to: columnsTo } }
    const sizes = sizesIn(side, part, room, labels)
    return {
      ...sizes,
      shown: part,
      across: sizes.gutter + (columnsTo - columnsFrom) * sizes.width + 2,
      down: head + (rowsTo - rowsFrom) * sizes.height + 2,
    }
  }, [side, rowsFrom, rowsTo, columnsFrom, columnsTo, room, labels])
  useLayoutEffect(() => {
    if (box.current === null || room === 0) return
    const c = context(base.current, geometry.across, geometry.down)
    if (c !== null) paint(c, side, geometry, lookOf(box.current))
  }, [side, geometry, colours, room])
  useLayoutEffect(() => {
    if (box.current === null || room === 0) return
    const c = context(above.current, geometry.across, geometry.down)
    if (c === null) return
    const look = lookOf(box.current)
    const frame = (cell: number, colour: string, width: number, out: number): void => {
      const row = Math.floor(cell / side.columns) - rowsFrom
      const column = (cell % side.columns) - columnsFrom
      if (row < 0 || column < 0 || row >= rowsTo - rowsFrom || column >= columnsTo - columnsFrom) return
      const [x, y] = [geometry.gutter + column * geometry.width, head + row * geometry.height]
      c.strokeStyle = look.ground
      c.lineWidth = width + 2
      c.strokeRect(x - out, y - out, geometry.width + 2 * out - 1, geometry.height + 2 * out - 1)
      c.strokeStyle = colour
      c.lineWidth = width
      c.strokeRect(x - out, y - out, geometry.width + 2 * out - 1, geometry.height + 2 * out - 1)
    }
    for (const cell of marked.slice(0, mostLit)) frame(cell, look.bad, 2, 1)
    for (const cell of lit.slice(0, mostLit)) frame(cell, look.ink, 2, 0)
    if (cursor !== null) frame(cursor, look.accent, 3, 1)
  }, [side, geometry, cursor, lit, marked, colours, room])
  const first = cursor ?? lit[0]
  useEffect(() => {
    const scrolled = box.current
    if (!follow || first === undefined || scrolled === null) return
    const x = geometry.gutter + ((first % side.columns) - columnsFrom) * geometry.width
    const y = head + (Math.floor(first / side.columns) - rowsFrom) * geometry.height
    if (x < scrolled.scrollLeft || x + geometry.width > scrolled.scrollLeft + scrolled.clientWidth)
      scrolled.scrollLeft = x - scrolled.clientWidth / 2
    if (y < scrolled.scrollTop || y + geometry.height > scrolled.scrollTop + scrolled.clientHeight)
      scrolled.scrollTop = y - scrolled.clientHeight / 2
  }, [follow, first, geometry])

  const cellAt = (event: MouseEvent): number | null => {
    const canvas = base.current
    if (canvas === null) return null
    const { left, top } = canvas.getBoundingClientRect()
    const column = Math.floor((event.clientX - left - geometry.gutter) / geometry.width)
    const row = Math.floor((event.clientY - top - head) / geometry.height)
    return row >= 0 && column >= 0 && row < rowsTo - rowsFrom && column < columnsTo - columnsFrom
      ? (row + rowsFrom) * side.columns + column + columnsFrom
      : null
  }
  const at = cursor ?? lit[0] ?? rowsFrom * side.columns + columnsFrom
  const [row, column] = [Math.floor(at / side.columns), at % side.columns]
  const steps: Readonly<Record<string, readonly [row: number, column: number]>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, side.columns - 1],
    PageUp: [row - 16, column],
    PageDown: [row + 16, column],
  }
  const clamp = (n: number, size: number): number => Math.max(0, Math.min(size - 1, n))
  return (
    <div
      ref={box}
      class="scroll layouts-board"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-readonly="true"
      aria-rowcount={side.rows}
      aria-colcount={side.columns}
      aria-activedescendant={id}
      data-geometry={[geometry.gutter, head, geometry.width, geometry.height, rowsFrom, columnsFrom].join(
        ' ',
      )}
      data-lit={lit.slice(0, 64).join(' ')}
      data-marked={marked.slice(0, 64).join(' ')}
      data-cursor={cursor ?? ''}
      onKeyDown={(event) => {
        if (event.altKey || event.metaKey) return
        const step =
          event.ctrlKey && event.key === 'Home'
            ? ([0, 0] as const)
            : event.ctrlKey && event.key === 'End'
              ? ([side.rows - 1, side.columns - 1] as const)
              : event.ctrlKey
                ? undefined
                : steps[event.key]
        if (step !== undefined) {
          event.preventDefault()
          move(clamp(step[0], side.rows) * side.columns + clamp(step[1], side.columns))
        } else if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault()
          choose(at)
        } else if (event.key === 'Escape') release()
      }}
      onPointerMove={(event) => {
        point(cellAt(event))
      }}
      onPointerLeave={() => {
        point(null)
      }}
      onClick={(event) => {
        const cell = cellAt(event)
        if (cell !== null) choose(cell)
      }}
    >
      <div class="layouts-canvases" style={{ width: `${String(geometry.across)}px` }}>
        <canvas
          ref={base}
          aria-hidden="true"
          style={{ width: `${String(geometry.across)}px`, height: `${String(geometry.down)}px` }}
        />
        <canvas
          ref={above}
          class="layouts-above"
          aria-hidden="true"
          style={{ width: `${String(geometry.across)}px`, height: `${String(geometry.down)}px` }}
        />
      </div>
      <div class="visually-hidden" role="row" aria-rowindex={row + 1}>
        <div id={id} role="gridcell" aria-colindex={column + 1}>
          {side.says(at)}
        </div>
      </div>
    </div>
  )
}
