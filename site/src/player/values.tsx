/**
 * Values: what a tensor, a slot or a fragment holds after the steps that have happened, as a heat map and as numbers, and the way of an element through
 * memory. The run is made again with data for that, by `tcspec view --values`.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Place } from '../../../src/render/recording/values.js'
import { Busy, Field, Refusal } from '../look/parts.js'
import { ofSchema } from '../machine/members.js'
import { useQuestion } from '../machine/use-answer.js'
import { indexOf, largest, shortNumber, wayOf, type Values as Document } from './way.js'

const isValues = (u: unknown): u is Document => ofSchema('tcspec.values/1')(u) !== null

const nameOf = ({ name, cta }: Pick<Place, 'name' | 'cta'>): string =>
  cta === null || cta === 0 ? name : `${name}@${String(cta)}`

const spaces = [
  ['gmem', 'global memory'],
  ['smem', 'shared memory'],
  ['tmem', 'tensor memory'],
  ['regs', 'registers'],
] as const

/** Slots of an array of three dimensions or more: the places of its first one. */
const slotsOf = (shape: ReadonlyArray<number>): number => (shape.length > 2 ? (shape[0] ?? 1) : 1)
const rowsOf = (shape: ReadonlyArray<number>): number => shape.slice(0, -1).reduce((n, e) => n * e, 1)

/** Milliseconds that a position waits for the next one. */
const stepping = 200
/** Numbers beside each other. */
const shown = 8

/** Blue above zero, orange below it, stronger where it is larger; grey where there is no number. */
const colourOf = (x: number | string, most: number): string => {
  if (typeof x === 'string') return 'rgba(128,128,128,0.55)'
  const part = most === 0 ? 0 : Math.abs(x) / most
  const strength = (x === 0 ? 0 : 0.08 + 0.87 * part).toFixed(3)
  return x < 0 ? `rgba(214,106,0,${strength})` : `rgba(32,104,220,${strength})`
}

const HeatMap = ({
  values,
  rows,
  chosen,
  choose,
}: {
  readonly values: Document
  readonly rows: number
  readonly chosen: number
  readonly choose: (element: number) => void
}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { columns } = values.window
  const size = Math.max(1, Math.min(14, Math.floor(640 / Math.max(columns, rows))))
  const most = useMemo(() => largest(values.values.slice(0, rows * columns)), [values, rows, columns])
  useEffect(() => {
    const c = canvas.current?.getContext('2d')
    if (c === null || c === undefined) return
    c.clearRect(0, 0, columns * size, rows * size)
    for (let i = 0; i < rows * columns; i++) {
      c.fillStyle = colourOf(values.values[i] ?? 'NaN', most)
      c.fillRect((i % columns) * size, Math.floor(i / columns) * size, size, size)
    }
    c.strokeStyle = getComputedStyle(canvas.current ?? document.body).color
    c.lineWidth = 2
    c.strokeRect((chosen % columns) * size - 1, Math.floor(chosen / columns) * size - 1, size + 2, size + 2)
  }, [values, rows, columns, size, most, chosen])
  return (
    <figure class="player-heat">
      <div class="scroll" tabIndex={0} role="region" aria-label="heat map">
        <canvas
          ref={canvas}
          width={columns * size}
          height={rows * size}
          role="img"
          aria-label={`${nameOf(values)} as a heat map; the largest size is ${shortNumber(most)}`}
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect()
            const column = Math.floor(((event.clientX - box.left) / box.width) * columns)
            const row = Math.floor(((event.clientY - box.top) / box.height) * rows)
            choose(Math.max(0, Math.min(rows * columns - 1, row * columns + column)))
          }}
        />
      </div>
      <figcaption class="small soft">
        <span class="player-heat-scale" aria-hidden="true" /> −{shortNumber(most)} to {shortNumber(most)};
        grey: no number
      </figcaption>
    </figure>
  )
}

const Numbers = ({
  values,
  rows,
  chosen,
  choose,
}: {
  readonly values: Document
  readonly rows: number
  readonly chosen: number
  readonly choose: (element: number) => void
}) => {
  const { columns } = values.window
  const table = useRef<HTMLTableElement>(null)
  const focus = useRef(false)
  const [row, column] = [Math.floor(chosen / columns), chosen % columns]
  const first = (at: number, of: number): number => Math.max(0, Math.min(at - shown / 2, of - shown))
  const [top, left] = [first(row, rows), first(column, columns)]
  const down = Array.from({ length: Math.min(shown, rows) }, (_, k) => top + k)
  const across = Array.from({ length: Math.min(shown, columns) }, (_, k) => left + k)
  const most = useMemo(() => largest(values.values), [values])
  useEffect(() => {
    if (!focus.current) return
    focus.current = false
    table.current?.querySelector<HTMLButtonElement>('[tabindex="0"]')?.focus()
  }, [chosen])
  const move = (by: number, ofRow: boolean): void => {
    const to = ofRow ? row * columns + column + by : (row + by) * columns + column
    const isInside = ofRow ? column + by >= 0 && column + by < columns : row + by >= 0 && row + by < rows
    if (!isInside) return
    focus.current = true
    choose(to)
  }
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="numbers">
      <table
        ref={table}
        class="player-numbers"
        aria-label={`numbers of ${nameOf(values)}`}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key]
          if (by === undefined) return
          event.preventDefault()
          move(by, event.key === 'ArrowLeft' || event.key === 'ArrowRight')
        }}
      >
        <thead>
          <tr>
            <td />
            {across.map((c) => (
              <th key={c} scope="col">
                {values.window.column + c}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {down.map((r) => (
            <tr key={r}>
              <th scope="row">
                {indexOf(values, r * columns)
                  .slice(0, -1)
                  .join(', ')}
              </th>
              {across.map((c) => {
                const element = r * columns + c
                const x = values.values[element] ?? 'NaN'
                return (
                  <td key={c} style={{ background: colourOf(x, most * 3) }}>
                    <button
                      type="button"
                      tabIndex={element === chosen ? 0 : -1}
                      aria-pressed={element === chosen}
                      title={String(x)}
                      onClick={() => {
                        choose(element)
                      }}
                    >
                      {shortNumber(x)}
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export interface ValuesProps {
  /** what `view` is asked for the run: one object as long as it is the same; null: there is none */
  readonly question: Readonly<Record<string, unknown>> | null
  /** steps that have happened */
  readonly at: number
  /** the array that is looked at first */
  readonly first: string | null
}

export const Values = ({ question, at, first }: ValuesProps) => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState<string | null>(null)
  const [slot, setSlot] = useState(0)
  const [chosen, choose] = useState(0)
  const [perSlot, setPerSlot] = useState(0)
  const of = name ?? first
  const corner = `${String(slot * perSlot)},0`
  const asked = useMemo(
    () => (!isOpen || question === null || of === null ? null : { ...question, values: of, at, corner }),
    [isOpen, question, of, at, corner],
  )
  const asking = useQuestion('view', asked, stepping)
  const values = isValues(asking.document) ? asking.document : null
  const slots = values === null ? 1 : slotsOf(values.shape)
  const each = values === null ? 0 : rowsOf(values.shape) / slots
  useEffect(() => {
    if (each > 0) setPerSlot(each)
  }, [each])
  const rows = values === null ? 0 : Math.min(values.window.rows, each)
  const element = values === null ? 0 : Math.min(chosen, rows * values.window.columns - 1)
  if (question === null || first === null) return null
  return (
    <section class="panel player-values" aria-labelledby="player-values">
      <div class="row">
        <h2 id="player-values">Values</h2>
        <button
          type="button"
          class="button small"
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          {isOpen ? 'Hide the values' : 'Show the values'}
        </button>
        {isOpen && (
          <>
            <Field label="array">
              <select
                value={of ?? ''}
                onChange={(event) => {
                  setName(event.currentTarget.value)
                  setSlot(0)
                  choose(0)
                }}
              >
                {values === null && <option value={of ?? ''}>{of}</option>}
                {spaces.map(([space, words]) => {
                  const places = values?.places.filter((p) => p.space === space) ?? []
                  return places.length === 0 ? null : (
                    <optgroup key={space} label={words}>
                      {places.map((p) => (
                        <option key={nameOf(p)} value={nameOf(p)}>
                          {nameOf(p)}: {p.dtype} {p.shape.join('x')}
                        </option>
                      ))}
                    </optgroup>
                  )
                })}
              </select>
            </Field>
            {slots > 1 && (
              <Field label="slot">
                <select
                  value={String(slot)}
                  onChange={(event) => {
                    setSlot(Number(event.currentTarget.value))
                    choose(0)
                  }}
                >
                  {Array.from({ length: slots }, (_, k) => (
                    <option key={k} value={String(k)}>
                      {k}
                    </option>
                  ))}
                </select>
              </Field>
            )}
          </>
        )}
      </div>
      {isOpen && (
        <>
          <p class="small soft">
            After step {at.toLocaleString('en')}, on the inputs that <code>tcspec run</code> takes. An array
            that nothing has written holds zeros, an output NaN.
          </p>
          <Refusal refused={asking.refused} />
          {(asking.working || asking.stopped) && <Busy asking={asking} what="running with data" />}
          {values !== null && (
            <div class="player-values-grid" aria-busy={asking.working} data-values-at={values.at}>
              <HeatMap values={values} rows={rows} chosen={element} choose={choose} />
              <div class="stack">
                <Numbers values={values} rows={rows} chosen={element} choose={choose} />
                <section aria-label="way through memory">
                  <h3>
                    {nameOf(values)}[{indexOf(values, element).join(', ')}] ={' '}
                    {String(values.values[element] ?? '')}
                  </h3>
                  <dl class="player-way">
                    {wayOf(values, element).map(([what, text]) => (
                      <div key={what}>
                        <dt>{what}</dt>
                        <dd>{text}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
              </div>
            </div>
          )}
        </>
      )}
    </section>
  )
}
