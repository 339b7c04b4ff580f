/**
 * What may reach a terminal. A program, a trace or a name on the command line may hold any character, and a terminal obeys some of them:
 * they are shown as they are written in JavaScript, and obeyed by none.
 *
 * | character                                  | shown as             |
 * |--------------------------------------------|----------------------|
 * | newline, tab                               | itself               |
 * | the colours of our own palette, where there are colours | themselves |
 * | other control characters, C0, DEL and C1   | `\\x1b`               |
 * | controls of the direction of writing       | `\\u202e`             |
 *
 * Laws
 *  1. nothing else changes; `printable` twice is `printable` once
 *  2. `printableJson` of a JSON text is a text of the same value
 */

/** What picocolors writes for our palette: bold, dim, their end, and four colours with theirs. A file can at most colour its own name. */
const ours = String.raw`\x1b\[(?:1|2|22|31|32|33|36|39)m`
/** Not newline and tab. */
const controls = String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]`
const ofText = new RegExp(`${ours}|${controls}`, 'g')
const ofPlain = new RegExp(controls, 'g')

const hex = (c: string, digits: number): string => c.charCodeAt(0).toString(16).padStart(digits, '0')
const shown = (c: string): string => (c < '\u0100' ? `\\x${hex(c, 2)}` : `\\u${hex(c, 4)}`)

export const printable = (text: string): string => text.replace(ofText, (c) => (c.length > 1 ? c : shown(c)))

/** The same of what has no colours of ours: an error, a report that goes into a file or a pipe. */
export const printablePlain = (text: string): string => text.replace(ofPlain, shown)

/** JSON itself escapes the controls below 0x20; the others stand in strings alone. */
export const printableJson = (text: string): string =>
  text.replace(/[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (c) => `\\u${hex(c, 4)}`)
