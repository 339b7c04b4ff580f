/**
 * Layouts: where an element lives. Each tab asks one method of the command line, and shows its document as two boards that light each other up.
 *
 * What a tab shows is in the address; what the other tabs showed is remembered while the page is open.
 */
import './style.css'
import { useRef } from 'preact/hooks'
import type { ComponentType } from 'preact'
import type { Params } from '../../address.js'
import type { PlaceProps } from '../use-params.js'
import { Banks } from './banks.js'
import { TmaBox } from './box.js'
import { Compare } from './compare.js'
import { Cute } from './cute.js'
import { Linear } from './linear.js'
import { SharedMemory } from './memory.js'
import { Registers } from './registers.js'
import { TensorMemory } from './tensor-memory.js'
import { Words } from './words.js'

interface Tab {
  readonly name: string
  readonly title: string
  readonly says: string
  readonly View: ComponentType<PlaceProps>
}

const tabs: readonly [Tab, ...Tab[]] = [
  {
    name: 'registers',
    title: 'Registers',
    says: 'Map elements to warps, lanes and registers, and back.',
    View: Registers,
  },
  {
    name: 'memory',
    title: 'Shared memory',
    says: 'Map elements to bytes, lines and banks, and back.',
    View: SharedMemory,
  },
  {
    name: 'banks',
    title: 'Bank conflicts',
    says: 'One warp instruction on shared memory, turn by turn.',
    View: Banks,
  },
  { name: 'box', title: 'TMA box', says: 'See where a tensor copy puts each element.', View: TmaBox },
  {
    name: 'tmem',
    title: 'Tensor memory',
    says: 'Map elements to lanes and columns, and back; or see the columns of several arrays.',
    View: TensorMemory,
  },
  { name: 'linear', title: 'Linear', says: 'A layout as bases over GF(2).', View: Linear },
  { name: 'cute', title: 'CuTe', says: 'Shapes, strides and their algebra.', View: Cute },
  {
    name: 'compare',
    title: 'Compare',
    says: 'Compare two register layouts: equal, or the first difference.',
    View: Compare,
  },
  {
    name: 'words',
    title: 'Translate',
    says: 'One layout in the words of Pallas, Triton, CuTe and over GF(2): paste it in any of them.',
    View: Words,
  },
]

/** What each tab showed last. */
const remembered = new Map<string, Params>()

export const Layouts = ({ params, set }: PlaceProps) => {
  const current = tabs.find(({ name }) => name === params['tab']) ?? tabs[0]
  const list = useRef<HTMLDivElement>(null)
  const go = (tab: Tab): void => {
    if (tab === current) return
    remembered.set(current.name, params)
    const away = Object.fromEntries(Object.keys(params).map((name) => [name, null]))
    set({ ...away, ...remembered.get(tab.name), tab: tab === tabs[0] ? null : tab.name }, true)
  }
  const { View } = current
  return (
    <div class="stack layouts">
      <div>
        <h1>Layouts</h1>
        <div
          ref={list}
          class="layouts-tabs"
          role="tablist"
          aria-label="contents"
          onKeyDown={(event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
            const at = tabs.indexOf(current)
            const next =
              event.key === 'Home'
                ? tabs[0]
                : event.key === 'End'
                  ? tabs[tabs.length - 1]
                  : tabs[(at + step + tabs.length) % tabs.length]
            if (next === undefined || next === current) return
            event.preventDefault()
            go(next)
            list.current?.querySelector<HTMLElement>(`#tab-${next.name}`)?.focus()
          }}
        >
          {tabs.map((tab) => (
            <button
              key={tab.name}
              id={`tab-${tab.name}`}
              type="button"
              role="tab"
              aria-selected={tab === current}
              aria-controls="layouts-panel"
              tabIndex={tab === current ? 0 : -1}
              onClick={() => {
                go(tab)
              }}
            >
              {tab.title}
            </button>
          ))}
        </div>
      </div>
      <div id="layouts-panel" class="stack" role="tabpanel" aria-labelledby={`tab-${current.name}`}>
        <p class="soft layouts-says">{current.says}</p>
        <View key={current.name} params={params} set={set} />
      </div>
    </div>
  )
}
