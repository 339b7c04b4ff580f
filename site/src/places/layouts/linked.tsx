/**
 * Two boards side by side: what is pointed at on one lights up its partners on the other, and the line above says both.
 *
 * A click, or Enter, keeps a cell: it stays lit and stands in the address. Escape lets it go.
 */
import { useCallback, useState } from 'preact/hooks'
import type { Params } from '../../address.js'
import type { SetParams } from '../use-params.js'
import { Board } from './board.js'
import type { Relation } from './relation.js'
import { beginAt, isAll, shownFrom, type Shown, type Side } from './side.js'

type Which = 'left' | 'right'

interface Pointed {
  readonly which: Which
  readonly cell: number
}

const cellOf = (text: string | undefined): Pointed | null => {
  const m = /^([lr])(\d{1,9})$/.exec(text ?? '')
  return m === null ? null : { which: m[1] === 'l' ? 'left' : 'right', cell: Number(m[2]) }
}

const beginOf = (text: string | undefined): readonly [number, number] => {
  const m = /^(\d{1,9}),(\d{1,9})$/.exec(text ?? '')
  return m === null ? [0, 0] : [Number(m[1]), Number(m[2])]
}

const nobody: ReadonlyArray<number> = []

/** What part of a large board is drawn, and the way to another. */
const WindowLine = ({
  side,
  shown,
  go,
}: {
  readonly side: Side
  readonly shown: Shown
  readonly go: (begin: readonly [number, number]) => void
}) => {
  if (isAll(side, shown)) return null
  const { rows, columns } = shown
  const [tall, wide] = [rows.to - rows.from, columns.to - columns.from]
  const button = (words: string, row: number, column: number, enabled: boolean) => (
    <button
      type="button"
      class="button small"
      disabled={!enabled}
      onClick={() => {
        go([Math.max(0, row), Math.max(0, column)])
      }}
    >
      {words}
    </button>
  )
  return (
    <div class="row small soft">
      <span>
        a window: rows {rows.from} to {rows.to - 1} of {side.rows}, columns {columns.from} to {columns.to - 1}{' '}
        of {side.columns}
      </span>
      {tall < side.rows && button('rows before', rows.from - tall, columns.from, rows.from > 0)}
      {tall < side.rows && button('rows after', rows.to, columns.from, rows.to < side.rows)}
      {wide < side.columns && button('columns before', rows.from, columns.from - wide, columns.from > 0)}
      {wide < side.columns && button('columns after', rows.from, columns.to, columns.to < side.columns)}
    </div>
  )
}

export interface LinkedProps {
  readonly left: Side
  /** null where there is one board only */
  readonly right: Side | null
  readonly relation: Relation | null
  readonly leftLabel: string
  readonly rightLabel: string
  readonly leftMarked?: ReadonlyArray<number>
  readonly rightMarked?: ReadonlyArray<number>
  /** what the line says of a cell and its partners, where `says` of both is not enough */
  readonly params: Params
  readonly set: SetParams
  /** the boards one above the other */
  readonly stacked?: boolean
}

const manyOf = (side: Side, cells: ReadonlyArray<number>): string => {
  const some = cells.slice(0, 4).map((cell) => side.says(cell))
  return cells.length === 0
    ? `no ${side.name}`
    : cells.length > 4
      ? `${some.join('; ')}; and ${(cells.length - 4).toLocaleString('en')} more`
      : some.join('; ')
}

export const Linked = ({
  left,
  right,
  relation,
  leftLabel,
  rightLabel,
  leftMarked = nobody,
  rightMarked = nobody,
  params,
  set,
  stacked = false,
}: LinkedProps) => {
  const [hovered, setHovered] = useState<Pointed | null>(null)
  const [moved, setMoved] = useState<Pointed | null>(null)
  const sideOf = (which: Which): Side | null => (which === 'left' ? left : right)
  const inside = (p: Pointed | null): Pointed | null => {
    const side = p === null ? null : sideOf(p.which)
    return p !== null && side !== null && p.cell < side.rows * side.columns ? p : null
  }
  const kept = inside(cellOf(params['at']))
  const pointed = inside(hovered) ?? inside(moved) ?? kept
  const partners =
    pointed === null || relation === null
      ? nobody
      : pointed.which === 'left'
        ? relation.toRight(pointed.cell)
        : relation.toLeft(pointed.cell)
  // what belongs to the same partners lights up beside the cell itself: the other lanes that hold this element
  const siblings =
    pointed === null || relation === null || partners.length === 0
      ? nobody
      : pointed.which === 'left'
        ? relation.toLeft(partners[0] ?? 0)
        : relation.toRight(partners[0] ?? 0)
  const shownLeft = shownFrom(left, beginOf(params['left']))
  const shownRight = right === null ? null : shownFrom(right, beginOf(params['right']))
  const windowTo = (which: Which, cell: number): Readonly<Record<string, string>> => {
    const side = sideOf(which)
    const shown = which === 'left' ? shownLeft : shownRight
    if (side === null || shown === null || isAll(side, shown)) return {}
    const begin = beginAt(shown, Math.floor(cell / side.columns), cell % side.columns)
    return { [which]: begin.join(',') }
  }
  const point = useCallback((which: Which, cell: number | null) => {
    setHovered((before) =>
      cell === null
        ? null
        : before !== null && before.which === which && before.cell === cell
          ? before
          : { which, cell },
    )
  }, [])
  const choose = (which: Which, cell: number): void => {
    setMoved(null)
    const other: Which = which === 'left' ? 'right' : 'left'
    const [partner] =
      relation === null ? [] : which === 'left' ? relation.toRight(cell) : relation.toLeft(cell)
    set({
      at: `${which === 'left' ? 'l' : 'r'}${String(cell)}`,
      ...(partner === undefined ? {} : windowTo(other, partner)),
    })
  }
  const move = (which: Which, cell: number): void => {
    setHovered(null)
    setMoved({ which, cell })
    const other: Which = which === 'left' ? 'right' : 'left'
    const [partner] =
      relation === null ? [] : which === 'left' ? relation.toRight(cell) : relation.toLeft(cell)
    const windows = {
      ...windowTo(which, cell),
      ...(partner === undefined ? {} : windowTo(other, partner)),
    }
    if (Object.keys(windows).length > 0) set(windows)
  }
  const release = (): void => {
    setMoved(null)
    set({ at: null })
  }
  const labels = params['labels'] === '1'
  const board = (which: Which, side: Side, shown: Shown) => {
    const here = pointed !== null && pointed.which === which
    return (
      <div class="layouts-side">
        <h2>{which === 'left' ? leftLabel : rightLabel}</h2>
        <WindowLine
          side={side}
          shown={shown}
          go={(begin) => {
            set({ [which]: begin.join(',') })
          }}
        />
        <Board
          label={`${which === 'left' ? leftLabel : rightLabel}: arrow keys move, Enter keeps a cell`}
          side={side}
          shown={shown}
          labels={labels}
          cursor={here ? pointed.cell : null}
          lit={pointed === null ? nobody : here ? siblings : partners}
          marked={which === 'left' ? leftMarked : rightMarked}
          follow={hovered === null || !here}
          point={(cell) => {
            point(which, cell)
          }}
          choose={(cell) => {
            choose(which, cell)
          }}
          move={(cell) => {
            move(which, cell)
          }}
          release={release}
        />
      </div>
    )
  }
  const other = pointed === null ? null : sideOf(pointed.which === 'left' ? 'right' : 'left')
  const here = pointed === null ? null : sideOf(pointed.which)
  return (
    <div class="stack">
      <div class="layouts-readout" role="status">
        {pointed === null || here === null ? (
          <span class="soft">point at a cell, or move with the arrow keys; click to keep it</span>
        ) : (
          <>
            <strong>{here.says(pointed.cell)}</strong>
            {other !== null && relation !== null && <>: {manyOf(other, partners)}</>}
            {siblings.length > 1 && (
              <span class="soft">
                {' '}
                ({siblings.length.toLocaleString('en')} such {here.name}s)
              </span>
            )}
          </>
        )}
      </div>
      <div class={stacked || right === null ? 'stack' : 'layouts-pair'}>
        {board('left', left, shownLeft)}
        {right !== null && shownRight !== null && board('right', right, shownRight)}
      </div>
    </div>
  )
}
