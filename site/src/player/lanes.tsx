/**
 * The pipeline as lanes: a picture that is scrolled and zoomed, painted on two canvases that stay where the reader looks.
 *
 * The lower one shows tiles that were painted once; the upper one is all that a step paints.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { barAt, boxAt, layoutOf, type Layout } from './lanes-layout.js'
import {
  lookOf,
  paintLabels,
  paintOverlay,
  paintTile,
  tileWidth,
  type Look,
  type Scene,
} from './lanes-paint.js'
import type { Mark } from './marks.js'
import { beginOf, type Run } from './run.js'

const least = 0.05
const most = 80
/** Tiles that are kept: some screens full. */
const mostTiles = 24

interface Tiles {
  readonly at: (k: number) => HTMLCanvasElement
  readonly clear: () => void
}

const canvasOf = (
  width: number,
  height: number,
  dots: number,
): readonly [HTMLCanvasElement, CanvasRenderingContext2D] | null => {
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * dots)
  canvas.height = Math.round(height * dots)
  const c = canvas.getContext('2d')
  if (c === null) return null
  c.scale(dots, dots)
  return [canvas, c]
}

const tilesOf = (scene: () => Scene, dots: number): Tiles => {
  const kept = new Map<number, HTMLCanvasElement>()
  return {
    at: (k) => {
      const known = kept.get(k)
      if (known !== undefined) return known
      const made = canvasOf(tileWidth, scene().layout.height, dots)
      if (made === null) return document.createElement('canvas')
      const [canvas, c] = made
      paintTile(c, scene(), k * tileWidth)
      const oldest = kept.keys().next().value
      if (kept.size >= mostTiles && oldest !== undefined) kept.delete(oldest)
      kept.set(k, canvas)
      return canvas
    },
    clear: () => {
      kept.clear()
    },
  }
}

export interface LanesProps {
  readonly run: Run
  readonly marks: ReadonlyArray<Mark>
  readonly at: number
  readonly chosen: Mark | null
  readonly go: (at: number) => void
}

/** Fingers and the mouse on the lanes. */
interface Hand {
  readonly fingers: Map<number, { readonly x: number; readonly y: number }>
  dragFrom: { readonly x: number; readonly left: number } | null
  moved: boolean
}

interface Tip {
  readonly x: number
  readonly y: number
  readonly text: string
}

/** A number that the theme changes: the tokens are read again. */
const useTheme = (): number => {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const changed = (): void => {
      setCount((n) => n + 1)
    }
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', changed)
    const seen = new MutationObserver(changed)
    seen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      dark.removeEventListener('change', changed)
      seen.disconnect()
    }
  }, [])
  return count
}

const tipOf = (run: Run, layout: Layout, time: number, y: number, slack: number): string => {
  const { recording } = run
  const place = barAt(run, layout, time, y, slack)
  if (place !== null) return recording.picture.bars[place]?.tip ?? ''
  const box = boxAt(layout, y)
  if (box?.kind !== 'barrier') return ''
  const phase = run.phases[box.index]?.find((p) => time >= p.from && time < p.to)
  return phase === undefined
    ? ''
    : `${box.label}: generation ${String(phase.generation)} (parity ${String(phase.generation % 2)}) is open; time ${String(phase.from)} to ${String(phase.to)}`
}

/** Pixels of the names of lanes: the longest has room, but for the longest of all. */
const gutterOf = (layout: Layout): number =>
  Math.max(150, Math.min(260, 34 + 6.4 * layout.boxes.reduce((n, { label }) => Math.max(n, label.length), 0)))

/** The scale at which nine bars of ten have room for their labels, within reason. */
const readableScale = (run: Run): number => {
  const wanted = run.recording.picture.bars
    .map(({ from, to, label }) => (label.length * 6.2 + 8) / Math.max(1, to - from))
    .sort((a, b) => a - b)
  return Math.max(30, Math.min(most, wanted[Math.floor(wanted.length * 0.9)] ?? 30))
}

export const Lanes = ({ run, marks, at, chosen, go }: LanesProps) => {
  const layout = useMemo(() => layoutOf(run), [run])
  const theme = useTheme()
  const box = useRef<HTMLDivElement>(null)
  const lower = useRef<HTMLCanvasElement>(null)
  const upper = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const gutter = width < 520 ? 92 : gutterOf(layout)
  const end = run.recording.picture.end
  const fitting = Math.max(least, Math.min(most, (width - gutter - 4) / Math.max(1, end)))
  const readable = useMemo(() => readableScale(run), [run])
  const [zoom, setZoom] = useState<number | null>(null)
  const scale = zoom ?? Math.max(readable, Math.min(most, fitting))
  const [look, setLook] = useState<Look | null>(null)
  const [tip, setTip] = useState<Tip | null>(null)
  /** how far the box is scrolled, known without asking the browser for a layout */
  const left = useRef(0)
  const painted = useRef({ lower: 0, upper: 0, tiles: 0 })

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    setWidth(element.clientWidth)
    const seen = new ResizeObserver(() => {
      setWidth(element.clientWidth)
    })
    seen.observe(element)
    return () => {
      seen.disconnect()
    }
  }, [])
  useLayoutEffect(() => {
    if (box.current !== null) setLook(lookOf(box.current))
  }, [theme])

  const isChosen = chosen !== null
  const scene = useMemo<Scene | null>(
    () => (look === null ? null : { run, layout, marks, look, scale, isChosen }),
    [run, layout, marks, look, scale, isChosen],
  )
  const dots = typeof devicePixelRatio === 'number' ? Math.min(2, devicePixelRatio) : 1
  const tiles = useMemo(() => (scene === null ? null : tilesOf(() => scene, dots)), [scene, dots])

  const now = useRef({ at, chosen, scene, tiles, gutter, width })
  now.current = { at, chosen, scene, tiles, gutter, width }

  const paint = useRef({
    lower: (): void => {
      const { scene: shown, tiles: from, gutter: edge, width: wide } = now.current
      const c = lower.current?.getContext('2d')
      if (c === null || c === undefined || shown === null || from === null || box.current === null) return
      const offset = left.current
      c.setTransform(dots, 0, 0, dots, 0, 0)
      c.fillStyle = shown.look.ground
      c.fillRect(0, 0, wide, shown.layout.height)
      for (let k = Math.floor(offset / tileWidth); k * tileWidth < offset + wide - edge; k++)
        c.drawImage(from.at(k), k * tileWidth - offset + edge, 0, tileWidth, shown.layout.height)
      paintLabels(c, shown, edge)
      lower.current?.setAttribute('data-painted', String(++painted.current.lower))
    },
    upper: (): void => {
      const { scene: shown, gutter: edge, width: wide, at: position, chosen: mark } = now.current
      const c = upper.current?.getContext('2d')
      if (c === null || c === undefined || shown === null || box.current === null) return
      c.setTransform(dots, 0, 0, dots, 0, 0)
      paintOverlay(c, shown, position, mark, { left: left.current, width: wide, gutter: edge })
      upper.current?.setAttribute('data-painted', String(++painted.current.upper))
    },
  })

  // what changes the size of a canvas empties it
  useLayoutEffect(() => {
    for (const canvas of [lower.current, upper.current]) {
      if (canvas === null) continue
      canvas.width = Math.round(width * dots)
      canvas.height = Math.round(layout.height * dots)
    }
    paint.current.lower()
    paint.current.upper()
  }, [width, layout.height, dots, scene])

  // the event just taken stays in sight
  useLayoutEffect(() => {
    const element = box.current
    const step = run.recording.steps[at - 1]
    if (element !== null && width > 0) {
      const x = ((step?.time ?? 0) + 0.5) * scale
      const seen = width - gutter
      if (x < left.current + 8 || x > left.current + seen - 24)
        element.scrollLeft = Math.max(0, x - seen * 0.4)
    }
    paint.current.upper()
  }, [at, chosen, run, scale, width > 0])

  // a finding is shown where it is
  useLayoutEffect(() => {
    const element = box.current
    const bars = (chosen?.bars ?? []).flatMap((p) => run.recording.picture.bars[p] ?? [])
    const [first] = bars
    if (element === null || first === undefined || width === 0) return
    const seen = width - gutter
    const from = bars.reduce((t, b) => Math.min(t, b.from), Infinity)
    const to = bars.reduce((t, b) => Math.max(t, b.to), 0)
    const wanted = Math.max(10, Math.min(scale, (seen * 0.9) / Math.max(1, to - from)))
    if (wanted < scale) setZoom(wanted)
    // the space is as wide as it will be when it is scrolled
    requestAnimationFrame(() => {
      element.scrollLeft = Math.max(0, from * wanted - seen * 0.06)
    })
    const row = layout.lanes[first.lane]?.rows[first.row]
    if (row !== undefined && element.scrollHeight > element.clientHeight)
      element.scrollTop = Math.max(0, row.y - element.clientHeight / 2)
  }, [chosen, width > 0])

  /** zooms about a time that stays where it is */
  const zoomTo = (next: number, about: number): void => {
    const element = box.current
    if (element === null) return
    const to = Math.max(least, Math.min(most, next))
    const left = about * to - (about * scale - element.scrollLeft)
    setZoom(to)
    requestAnimationFrame(() => {
      element.scrollLeft = Math.max(0, left)
      paint.current.lower()
      paint.current.upper()
    })
  }
  const middle = (): number => {
    const element = box.current
    return element === null ? 0 : (element.scrollLeft + (width - gutter) / 2) / scale
  }
  const placeOf = (event: {
    readonly clientX: number
    readonly clientY: number
  }): { readonly time: number; readonly x: number; readonly y: number } => {
    const rect = upper.current?.getBoundingClientRect()
    const x = event.clientX - (rect?.left ?? 0)
    const y = event.clientY - (rect?.top ?? 0)
    return { time: (x - gutter + (box.current?.scrollLeft ?? 0)) / scale, x, y }
  }
  const hand = useRef<Hand>({
    fingers: new Map(),
    dragFrom: null,
    moved: false,
  })
  // a wheel with ctrl zooms the lanes, not the page: that needs a listener which may say no
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      zoomTo(scale * Math.exp(-event.deltaY / 300), placeOf(event).time)
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      element.removeEventListener('wheel', wheel)
    }
  })
  return (
    <div class="player-lanes">
      <div
        class="player-lanes-box"
        ref={box}
        role="group"
        aria-label="lanes: plus and minus zoom, arrows scroll"
        tabIndex={0}
        onScroll={(event) => {
          left.current = event.currentTarget.scrollLeft
          setTip(null)
          paint.current.lower()
          paint.current.upper()
        }}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return
          if (event.key === '+' || event.key === '=') zoomTo(scale * 1.3, middle())
          else if (event.key === '-') zoomTo(scale / 1.3, middle())
          else if (event.key === '0') zoomTo(fitting, 0)
          else return
          event.preventDefault()
        }}
      >
        <div
          class="player-lanes-space"
          style={{
            width: `${String(Math.max(width, gutter + (end + 1) * scale))}px`,
            height: `${String(layout.height)}px`,
          }}
        >
          <div
            class="player-lanes-view"
            style={{ width: `${String(width)}px`, height: `${String(layout.height)}px` }}
            onPointerDown={(event) => {
              const { fingers } = hand.current
              fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
              hand.current.moved = false
              hand.current.dragFrom =
                event.pointerType === 'mouse' && event.button === 0 && box.current !== null
                  ? { x: event.clientX, left: box.current.scrollLeft }
                  : null
            }}
            onPointerMove={(event) => {
              const { fingers, dragFrom } = hand.current
              const before = fingers.get(event.pointerId)
              if (before !== undefined && fingers.size === 2) {
                const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
                if (other !== undefined) {
                  const was = Math.hypot(before.x - other.x, before.y - other.y)
                  const is = Math.hypot(event.clientX - other.x, event.clientY - other.y)
                  if (was > 0 && is > 0)
                    zoomTo(
                      (scale * is) / was,
                      placeOf({ clientX: (event.clientX + other.x) / 2, clientY: event.clientY }).time,
                    )
                }
                hand.current.moved = true
                fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
                return
              }
              if (dragFrom !== null && event.buttons === 1 && box.current !== null) {
                if (Math.abs(event.clientX - dragFrom.x) > 4) hand.current.moved = true
                if (hand.current.moved) {
                  box.current.scrollLeft = dragFrom.left - (event.clientX - dragFrom.x)
                  return
                }
              }
              const { time, x, y } = placeOf(event)
              const text = x < gutter ? '' : tipOf(run, layout, time, y, 3 / scale)
              setTip(text === '' ? null : { x, y, text })
            }}
            onPointerUp={(event) => {
              hand.current.fingers.delete(event.pointerId)
              hand.current.dragFrom = null
            }}
            onPointerCancel={(event) => {
              hand.current.fingers.delete(event.pointerId)
              hand.current.dragFrom = null
            }}
            onPointerLeave={(event) => {
              hand.current.fingers.delete(event.pointerId)
              setTip(null)
            }}
            onClick={(event) => {
              if (hand.current.moved) return
              const { time, x, y } = placeOf(event)
              const place = x < gutter ? null : barAt(run, layout, time, y, 3 / scale)
              const bar = place === null ? undefined : run.recording.picture.bars[place]
              const to = bar === undefined ? null : beginOf(bar)
              if (to !== null) go(to)
            }}
          >
            <canvas
              ref={lower}
              class="player-canvas"
              role="img"
              aria-label="what every agent, unit and barrier does, in causal time"
            />
            <canvas ref={upper} class="player-canvas" aria-hidden="true" />
            {tip !== null && (
              <div
                class="player-tip"
                style={{
                  left: `${String(Math.max(4, Math.min(tip.x + 12, width - 270)))}px`,
                  top: `${String(tip.y + 14)}px`,
                }}
              >
                {tip.text}
              </div>
            )}
          </div>
        </div>
      </div>
      <div class="row player-zoom">
        <Legend run={run} />
        <span class="row">
          <button
            type="button"
            class="button small"
            aria-label="zoom out"
            onClick={() => {
              zoomTo(scale / 1.3, middle())
            }}
          >
            −
          </button>
          <button
            type="button"
            class="button small"
            aria-label="zoom in"
            onClick={() => {
              zoomTo(scale * 1.3, middle())
            }}
          >
            +
          </button>
          <button
            type="button"
            class="button small"
            onClick={() => {
              zoomTo(fitting, 0)
            }}
          >
            Fit
          </button>
        </span>
      </div>
    </div>
  )
}

const legendWords = { wait: 'waits', other: 'other statements', arrive: 'barrier' } as const

const Legend = ({ run }: { readonly run: Run }) => (
  <ul class="player-legend" aria-label="legend">
    {run.recording.picture.kinds.map(({ kind, title }) => (
      <li key={kind}>
        <span class={`player-kind kind-${kind}`} aria-hidden="true" />
        {kind === 'wait' || kind === 'other' || kind === 'arrive' ? legendWords[kind] : title}
      </li>
    ))}
    <li>
      <span class="player-kind kind-phase" aria-hidden="true" />a barrier: high where its parity is 1
    </li>
    <li>
      <span class="player-kind kind-veiled" aria-hidden="true" />
      has not begun
    </li>
  </ul>
)
