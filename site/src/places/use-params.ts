/** The params of a place, from the address and to it. */
import { useCallback } from 'preact/hooks'
import { readAddress, writeAddress, type Params, type Place } from '../address.js'

/** Sets some params and takes away those that are null; `keep` makes a step that the back button undoes. */
export type SetParams = (changes: Readonly<Record<string, string | null>>, keep?: boolean) => void

/** What a place is given. */
export interface PlaceProps {
  readonly params: Params
  readonly set: SetParams
}

export const useSetParams = (place: Place, changed: () => void): SetParams =>
  useCallback(
    (changes, keep = false) => {
      // what stands in the address now, not when this was drawn
      const now = readAddress(location.hash)
      if (now.place !== place) return
      const params = Object.fromEntries(
        Object.entries({ ...now.params, ...changes }).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      )
      const hash = writeAddress({ place, params })
      if (hash === location.hash) return
      if (keep) history.pushState(null, '', hash)
      else history.replaceState(null, '', hash)
      changed()
    },
    [place, changed],
  )
