/** Lines of the source that operations stand in, and which is the earlier. */
import type { Operation } from './finding.js'

/** The line of an operation, without its column; null: it has none. */
export const lineOf = (o: Operation | undefined): string | null =>
  o === undefined ? '' : (/^(.*:\d+):\d+$/su.exec(o.loc ?? '')?.[1] ?? null)

/** The same of an operation whose place may have no column. */
export const authorLineOf = (o: Operation | undefined): string | null =>
  lineOf(o) ?? (/:\d+$/su.test(o?.loc ?? '') ? (o?.loc ?? null) : null)

/** Which of two operations of one file stands in the earlier line: less than 0 for the first; 0 where nothing tells. */
export const lineOrder = (x: Operation, y: Operation): number => {
  const [, file, line] = /^(.*):(\d+)$/su.exec(lineOf(x) ?? '') ?? []
  const [, other, behind] = /^(.*):(\d+)$/su.exec(lineOf(y) ?? '') ?? []
  return file === undefined || file !== other ? 0 : Number(line) - Number(behind)
}
