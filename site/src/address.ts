/**
 * The address: the state of a place is in the hash, so that a race is a link.
 *
 *     #/check?kernel=matmul1&without=wait+consumed
 *     #/check?module~=eJyrVkrOS...&launch~=...
 *
 * A parameter whose name ends in `~` is packed: its text is deflated and written in the alphabet of base64url. What is short stays readable.
 *
 * Laws
 *  1. `readAddress(writeAddress(a))` is `a`, whatever its texts contain (but lone surrogates, which no text on a page has)
 *  2. every hash has an address: an unknown place is the front page, what cannot be unpacked is left out
 */
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate'

export const places = ['front', 'layouts', 'kernels', 'check', 'memory'] as const
export type Place = (typeof places)[number]

export type Params = Readonly<Record<string, string>>

export interface Address {
  readonly place: Place
  readonly params: Params
}

/** Texts longer than this are packed, if that makes them shorter. */
const readable = 200
/** Bytes that a packed parameter may come to: a link is no archive. */
const mostUnpacked = 8 * 2 ** 20

const toBase64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

const ofBase64 = (text: string): Uint8Array | null => {
  if (!/^[\w-]*$/.test(text)) return null
  try {
    return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  } catch {
    return null
  }
}

const pack = (text: string): string => toBase64(deflateSync(strToU8(text), { level: 9 }))

const unpack = (packed: string): string | null => {
  const bytes = ofBase64(packed)
  if (bytes === null) return null
  try {
    // what is larger than its room is refused by fflate, and so is what is no stream
    return strFromU8(
      inflateSync(bytes, { out: new Uint8Array(Math.min(mostUnpacked, 64 + 1032 * bytes.length)) }),
    )
  } catch {
    return null
  }
}

export const writeAddress = ({ place, params }: Address): string => {
  const query = new URLSearchParams()
  for (const [name, text] of Object.entries(params)) {
    const packed = text.length > readable ? pack(text) : text
    if (packed.length < text.length) query.set(`${name}~`, packed)
    else query.set(name, text)
  }
  const words = query.toString()
  return `#/${place === 'front' ? '' : place}${words === '' ? '' : `?${words}`}`
}

export const readAddress = (hash: string): Address => {
  const [, name = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? []
  const params: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(query)) {
    if (!key.endsWith('~')) params[key] = value
    else {
      const text = unpack(value)
      if (text !== null) params[key.slice(0, -1)] = text
    }
  }
  return { place: places.find((p) => p === name) ?? 'front', params }
}
