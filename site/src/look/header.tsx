/** What stands above every place, and above every page of the guide: the four places, the guide, the search, light and dark. */
import { useEffect, useState } from 'preact/hooks'
import { writeAddress, type Place } from '../address.js'
import { placeNames } from './place-names.js'
import { Search } from './search.js'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const stored = (): Theme => {
  try {
    return themes.find((t) => t === localStorage.getItem('tcspec-theme')) ?? 'system'
  } catch {
    // a page from a file may have no storage
    return 'system'
  }
}

const ThemeSwitch = () => {
  const [theme, setTheme] = useState<Theme>(stored)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    try {
      localStorage.setItem('tcspec-theme', theme)
    } catch {
      // then it holds for this visit
    }
  }, [theme])
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        setTheme(next)
      }}
      aria-label={`colours: ${theme}; switch to ${next}`}
    >
      {theme === 'system' ? '◐ system' : theme === 'light' ? '○ light' : '● dark'}
    </button>
  )
}

/** `home` is the way to the page itself: '' on it, `../index.html` from the guide. */
export const Header = ({ place, home = '' }: { readonly place: Place | null; readonly home?: string }) => (
  <header class="top">
    <a class="name" href={`${home}#/`}>
      tensorcore-spec
    </a>
    <nav aria-label="places">
      {placeNames.map(([name, words]) => (
        <a
          key={name}
          href={`${home}${writeAddress({ place: name, params: {} })}`}
          {...(place === name ? { 'aria-current': 'page' as const } : {})}
        >
          {words}
        </a>
      ))}
      <a
        href={home === '' ? 'guide/index.html' : 'index.html'}
        {...(place === null ? { 'aria-current': 'page' as const } : {})}
      >
        Guide
      </a>
    </nav>
    <Search base={home.replace('index.html', '')} />
    <ThemeSwitch />
  </header>
)
