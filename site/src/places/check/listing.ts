/** Where a finding's operations stand in the texts that the reader has. */
import type { Finding, Operation as Named } from '../../../../src/semantics/judging/finding.js'
import type { Signature } from './launch.js'

export interface Spot {
  readonly which: 'first' | 'second'
  readonly operation: Named
  /** line of the module or of the program, counted from 1 */
  readonly line: number | null
  /** line of its author's file */
  readonly author: { readonly file: string; readonly line: number } | null
}

/** The line of an operation by its label; what an operation became has a dot and a word behind it. */
const lineIn = (signature: Signature, site: string, loc: string | undefined): number | null => {
  const place = loc?.replace(/^(.*:\d+):\d+$/, '$1')
  const exact = signature.operations.find((o) => o.without === site && o.place === place)
  if (exact !== undefined) return exact.line
  for (let end = site.length; end > 0; end = site.lastIndexOf('.', end - 1)) {
    const label = site.slice(0, end)
    const found = signature.operations.find((o) => o.without === label)
    if (found !== undefined) return found.line
  }
  // the label of an operation without a name ends in its line
  const line = /\s(\d+)(?:\.|$)/.exec(site)?.[1]
  return line === undefined ? null : Number(line)
}

/** The first line that has the label as a string: that of the statement, in a program as it is printed. */
const lineOfLabel = (text: string, label: string): number | null => {
  const at = text.indexOf(`"label": ${JSON.stringify(label)}`)
  const found = at >= 0 ? at : text.indexOf(`"label":${JSON.stringify(label)}`)
  return found < 0 ? null : text.slice(0, found).split('\n').length
}

const authorOf = (loc: string | undefined): Spot['author'] => {
  const [, file = '', line = ''] = /^(.*?):(\d+)(?::\d+)?$/.exec(loc ?? '') ?? []
  return file === '' ? null : { file, line: Number(line) }
}

export const spotsOf = (f: Finding, signature: Signature | null, text: string): ReadonlyArray<Spot> =>
  [f.a, ...(f.b === undefined ? [] : [f.b])].map((operation, k) => ({
    which: k === 0 ? 'first' : 'second',
    operation,
    line:
      signature === null
        ? lineOfLabel(text, operation.site)
        : lineIn(signature, operation.site, operation.loc),
    author: authorOf(operation.loc),
  }))

/** Lines around one. */
export const excerpt = (
  text: string,
  line: number,
  around: number,
): ReadonlyArray<{ readonly line: number; readonly text: string }> =>
  text
    .split('\n')
    .map((t, k) => ({ line: k + 1, text: t.length > 400 ? `${t.slice(0, 400)} …` : t }))
    .slice(Math.max(0, line - 1 - around), line + around)

/** What stands in a line; empty where there is none. */
export const lineAt = (text: string | undefined, line: number): string =>
  text?.split('\n')[line - 1]?.trim() ?? ''
