/**
 * The search in the header: a combobox over the guide, the commands, the schemas and the names of the API.
 *
 * The index is a script of its own, loaded when the box is first entered. `/` enters it from anywhere but a text; the arrows choose, Enter goes there, Escape closes, and
 * once more leaves.
 */
import './search.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Hit, Search as Engine } from '../search/model.js'

declare global {
  var tcspecSearch: Engine | undefined
}

const most = 20

let loading: Promise<Engine | null> | null = null
const engine = (base: string): Promise<Engine | null> => {
  loading ??= new Promise((resolve) => {
    const script = document.createElement('script')
    script.src = `${base}search.js`
    script.onload = () => {
      resolve(globalThis.tcspecSearch ?? null)
    }
    script.onerror = () => {
      loading = null
      resolve(null)
    }
    document.head.append(script)
  })
  return loading
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=textbox]'))

/** `base` is the way to the root of the site: '' or '../'. */
export const Search = ({ base }: { readonly base: string }) => {
  const box = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [search, setSearch] = useState<Engine | null>(null)
  const [failed, setFailed] = useState(false)
  const [open, setOpen] = useState(false)
  const [chosen, setChosen] = useState(0)

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isText(event.target)) return
      event.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('keydown', onKey)
    }
  }, [])

  const enter = (): void => {
    setOpen(true)
    void engine(base).then((found) => {
      setSearch(() => found)
      setFailed(found === null)
    })
  }
  const isAsked = query.trim() !== ''
  const hits: ReadonlyArray<Hit> = search === null || !isAsked ? [] : search(query, most)
  const isShown = open && isAsked
  const at = Math.min(chosen, hits.length - 1)

  useEffect(() => {
    if (isShown) document.getElementById(`search-${String(at)}`)?.scrollIntoView({ block: 'nearest' })
  }, [isShown, at])

  const go = (hit: Hit | undefined): void => {
    if (hit === undefined) return
    setOpen(false)
    box.current?.blur()
    location.href = `${base}${hit.href}`
  }
  const move = (by: number): void => {
    setOpen(true)
    if (hits.length > 0) setChosen((at + by + hits.length) % hits.length)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    switch (event.key) {
      case 'ArrowDown':
        event.preventDefault()
        move(1)
        return
      case 'ArrowUp':
        event.preventDefault()
        move(-1)
        return
      case 'Enter':
        go(hits[at])
        return
      case 'Escape':
        if (isShown) setOpen(false)
        else box.current?.blur()
        return
    }
  }
  const said = failed
    ? 'the index cannot be read'
    : search === null
      ? 'reading the index'
      : hits.length === 0
        ? 'nothing is found'
        : hits.length === most
          ? `the first ${String(most)}`
          : `${String(hits.length)} found`
  return (
    <div
      class="search"
      role="search"
      onFocusOut={() => {
        setOpen(false)
      }}
    >
      <input
        ref={box}
        type="search"
        role="combobox"
        list={undefined}
        aria-label="Search the guide and the API"
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-expanded={isShown && hits.length > 0}
        aria-controls="search-found"
        {...(isShown && hits.length > 0 ? { 'aria-activedescendant': `search-${String(at)}` } : {})}
        placeholder="Search  /"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onFocus={enter}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(0)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      <span class="visually-hidden" role="status">
        {isShown ? said : ''}
      </span>
      {isShown && hits.length === 0 && (
        <div class="search-found" id="search-found">
          <p>{said}</p>
        </div>
      )}
      {isShown && hits.length > 0 && (
        <ul class="search-found" id="search-found" role="listbox" aria-label="found">
          {hits.map((hit, i) => (
            <li
              key={hit.href + hit.title}
              id={`search-${String(i)}`}
              role="option"
              aria-selected={i === at}
              onMouseDown={(event) => {
                // the box keeps the focus until the click is over
                event.preventDefault()
              }}
              onMouseMove={() => {
                setChosen(i)
              }}
              onClick={() => {
                go(hit)
              }}
            >
              <span>{hit.title}</span>
              <span>{hit.where}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
