/**
 * Tables and labelled rows of plain text.
 *
 *     fields(8, [['grid', '2 x 2'], ['agents', 'compute, memory']])        grid    2 x 2
 *                                                                          agents  compute, memory
 *
 * Laws
 * 1. The lines of a table are as many as its rows; no line ends in a blank.
 * 2. A column is as wide as its widest cell.
 */
import { greatest } from '../greatest.js'
import type { Palette } from './palette.js'

export { thousands } from '../semantics/judging/counted.js'

/** Columns aligned to the left, two blanks apart. A line that a name of a file would break is not broken: it shows `\\n`. */
export const table = (cells: ReadonlyArray<ReadonlyArray<string>>): string => {
  const rows = cells.map((r) => r.map((cell) => cell.replaceAll('\n', '\\n')))
  const columns = greatest(0)(rows.map((r) => r.length))
  const widths = Array.from({ length: columns }, (_, c) => greatest(0)(rows.map((r) => r[c]?.length ?? 0)))
  return rows
    .map((r) =>
      r
        .map((cell, c) => cell.padEnd(widths[c]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Words broken into lines of at most `width` characters; a longer word has a line of its own. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Labels in a column, their texts wrapped beside it. */
export const fields = (
  palette: Palette,
  width: number,
  rows: ReadonlyArray<readonly [label: string, text: string]>,
): string =>
  rows
    .flatMap(([label, text]) =>
      text
        .split('\n')
        .flatMap((line) => wrap(line, palette.columns - width))
        .map((line, i) => `${i === 0 ? palette.dim(label.padEnd(width)) : ' '.repeat(width)}${line}`),
    )
    .map((line) => line.trimEnd())
    .join('\n')
