/** The page: one of its places, by the address. */
import './look/tokens.css'
import './look/base.css'
import { render } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Recording } from '../../src/render/recording/model.js'
import { readAddress, type Address } from './address.js'
import { Header } from './look/header.js'
import { placeNames } from './look/place-names.js'
import { ahead } from './machine/chapters.js'
import { warm } from './machine/client.js'
import { PlayerAlone } from './player/player.js'
import { readRecording } from './player/run.js'
import { Check } from './places/check/index.js'
import { Front } from './places/front/index.js'
import { Kernels } from './places/kernels/index.js'
import { Layouts } from './places/layouts/index.js'
import { Memory } from './places/memory/index.js'
import { useSetParams } from './places/use-params.js'

const views = { layouts: Layouts, kernels: Kernels, check: Check, memory: Memory }

const useAddress = (): readonly [Address, () => void] => {
  const [address, setAddress] = useState(() => readAddress(location.hash))
  const changed = useCallback(() => {
    setAddress(readAddress(location.hash))
  }, [])
  useEffect(() => {
    addEventListener('hashchange', changed)
    addEventListener('popstate', changed)
    return () => {
      removeEventListener('hashchange', changed)
      removeEventListener('popstate', changed)
    }
  }, [changed])
  return [address, changed]
}

const Page = () => {
  const [{ place, params }, changed] = useAddress()
  const set = useSetParams(place, changed)
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    const words = placeNames.find(([name]) => name === place)?.[1]
    document.title = words === undefined ? 'tensorcore-spec' : `${words} · tensorcore-spec`
    // who comes by a link of the header reads on in the place, but not who has just opened the page
    if (first.current) first.current = false
    else main.current?.focus()
  }, [place])
  const View = place === 'front' ? null : views[place]
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to the content
      </a>
      <Header place={place} />
      <main id="main" ref={main} tabIndex={-1}>
        {View === null ? <Front /> : <View key={place} params={params} set={set} />}
      </main>
    </>
  )
}

/** The recording that the document holds, if it is the file of one run: then the page is that run, and asks nothing. */
const held = (): Recording | null => {
  const text = document.getElementById('tcspec-recording')?.textContent
  try {
    return text === undefined || text === null ? null : readRecording(JSON.parse(text))
  } catch {
    return null
  }
}

const root = document.getElementById('page')
const recording = held()
if (root !== null && recording !== null) {
  document.title = `${recording.kernel} · tensorcore-spec`
  render(
    <main>
      <PlayerAlone recording={recording} />
    </main>,
    root,
  )
} else if (root !== null) {
  // the library is on its way while the page is drawn; its workers begin once that is done
  ahead('', null)
  root.textContent = ''
  render(<Page />, root)
  const begin = (): void => {
    setTimeout(warm, 200)
  }
  if (document.readyState === 'complete') begin()
  else addEventListener('load', begin)
}
