/**
 * How wide a text is, before anything draws it: never less than what a desktop's font makes of it.
 *
 * A picture is made where there are no fonts, so each character has the width of the widest of the fonts that its text may be shown in: for ASCII the
 * advance widths of DejaVu Sans and of Liberation Sans (which has the widths of Arial and Helvetica), in hundredths of the size. Others have what a
 * wide letter of their script has.
 *
 *     linesOf('a wait for generation 0', 90, { size: 12, bold: false })       ['a wait for ', 'generation 0']
 *
 * Laws
 * 1. The lines are the text, with each run of blanks as one and none around it: `linesOf(...).join('')`.
 * 2. No line is wider than it may be, but for one of a single character.
 * 3. Where one of the fonts draws a text, it is no wider than said.
 *
 * Source: the tables `hmtx` of DejaVu Sans 2.37 and Liberation Sans 2.1.
 */

export interface Font {
  readonly size: number
  readonly bold: boolean
}

/** From the blank to the tilde. */
const regular: ReadonlyArray<number> = [
  32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34,
  34, 84, 84, 84, 56, 102, 69, 69, 73, 78, 67, 62, 78, 76, 30, 50, 67, 56, 87, 75, 79, 67, 79, 73, 67, 62, 74,
  69, 99, 69, 67, 69, 40, 34, 40, 84, 56, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64,
  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
]
const bold: ReadonlyArray<number> = [
  35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40,
  40, 84, 84, 84, 62, 100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 56, 78, 64, 100, 84, 86, 74, 86, 78, 73, 69,
  82, 78, 111, 78, 73, 73, 46, 37, 46, 84, 56, 50, 68, 72, 60, 72, 68, 44, 72, 72, 35, 35, 67, 35, 105, 72,
  69, 72, 72, 50, 60, 48, 72, 66, 93, 65, 66, 59, 72, 37, 72, 84,
]

const widthOfCharacter = (c: string, font: Font): number => {
  const code = c.codePointAt(0)!
  return (font.bold ? bold : regular)[code - 32] ?? (code < 0x1_0000 ? 120 : 150)
}

export const widthOf = (text: string, font: Font): number =>
  ([...text].reduce((sum, c) => sum + widthOfCharacter(c, font), 0) * font.size) / 100

/** A word in pieces that are no wider than that. */
const piecesOf = (word: string, width: number, font: Font): ReadonlyArray<string> => {
  const pieces: string[] = []
  let piece = ''
  for (const c of word) {
    if (piece !== '' && widthOf(piece + c, font) > width) {
      pieces.push(piece)
      piece = c
    } else piece += c
  }
  return [...pieces, piece]
}

/** Lines of at most this width, broken at blanks, and inside a word only where the word alone is wider. A blank at the end of a line takes no room. */
export const linesOf = (text: string, width: number, font: Font): ReadonlyArray<string> => {
  const lines: string[] = []
  let line = ''
  for (const word of text.trim().split(/\s+/)) {
    if (line !== '' && widthOf(`${line} ${word}`, font) <= width) line = `${line} ${word}`
    else {
      if (line !== '') lines.push(`${line} `)
      const pieces = piecesOf(word, width, font)
      for (const whole of pieces.slice(0, -1)) lines.push(whole)
      line = pieces.at(-1) ?? ''
    }
  }
  return [...lines, line]
}
