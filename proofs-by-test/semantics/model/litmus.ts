/** Litmus tests of the proofs, and what the model says of one, in words. */
import * as Document from '../../../src/render/litmus-document.js'
import { litmusLog, type LitmusLog } from '../../../src/semantics/model/litmus.js'
import type { Modelled } from '../../../src/semantics/model/index.js'
import { right } from '../../either.js'

export interface Read extends LitmusLog {
  /** the line of each event */
  readonly lines: ReadonlyArray<string>
  readonly text: ReadonlyArray<string>
}

/** Reads a litmus test. */
export const read = (text: ReadonlyArray<string>): Read => {
  const test = right(litmusLog(text))
  return { ...test, text, lines: test.lineOf.map((at) => text[at] ?? 'before the test') }
}

/** What the model says, a line each; `ok` of nothing. */
export const said = (test: Read, m: Modelled): ReadonlyArray<string> => Document.said(test, m, test.text)
