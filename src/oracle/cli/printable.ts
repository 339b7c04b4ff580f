/**
 * What may reach a terminal. A program, a trace or a name on the command line may hold any character, and a terminal obeys some of them:
 * they are shown as they are written in JavaScript, and obeyed by none.
 *
 * | character                                  | shown as             |
 * |--------------------------------------------|----------------------|
 * | newline, tab                               | itself               |
 * | a mark of our own palette                  | its escape sequence  |
 * | other control characters, C0, DEL and C1   | `\\x1b`               |
 * | controls of the direction of writing       | `\\u202e`             |
 *
 * Laws
 *  1. nothing else changes
 *  2. `printableJson` of a JSON text is a text of the same value
 *  3. an escape sequence that a file holds, also one of our colours, is shown and not obeyed
 *
 * A mark has the form of an escape sequence, with a number in it that the process has drawn: a file that colours its lines green would say "ok" in our voice, and it
 * cannot know the number.
 */

const drawn = String(1 + Math.floor(Math.random() * 2 ** 48))

/** What stands for an escape sequence of ours until it is printed. */
export const mark = (code: number): string => `\x1b[${String(code)};${drawn}m`

const ours = String.raw`\x1b\[\d+;${drawn}m`
/** Not newline and tab. */
const controls = String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]`
const ofText = new RegExp(`${ours}|${controls}`, 'g')
const ofPlain = new RegExp(controls, 'g')

const hex = (c: string, digits: number): string => c.charCodeAt(0).toString(16).padStart(digits, '0')
const shown = (c: string): string => (c < '\u0100' ? `\\x${hex(c, 2)}` : `\\u${hex(c, 4)}`)

export const printable = (text: string): string =>
  text.replace(ofText, (c) => (c.length > 1 ? c.replace(`;${drawn}`, '') : shown(c)))

/** The same of what has no colours of ours: an error, a report that goes into a file or a pipe. */
export const printablePlain = (text: string): string => text.replace(ofPlain, shown)

/** JSON itself escapes the controls below 0x20; the others stand in strings alone. */
export const printableJson = (text: string): string =>
  text.replace(/[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (c) => `\\u${hex(c, 4)}`)
