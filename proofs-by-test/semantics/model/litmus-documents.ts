/** Litmus tests of a proof as the documents that `tcspec litmus` prints. */
import { litmusDocument, type LitmusDocument } from '../../../src/render/litmus-document.js'
import { litmusLog } from '../../../src/semantics/model/litmus.js'
import { right } from '../../either.js'

const plain = { strict: false, strictProxies: false, tensorPipe: 'issueOrder' } as const

export const documentOf = (
  lines: ReadonlyArray<string>,
  options: Partial<LitmusDocument['options']> = {},
  leftOut: ReadonlyArray<string> = [],
): LitmusDocument =>
  litmusDocument(
    'a test',
    lines,
    lines.map((_, k) => k + 1),
    right(litmusLog(lines)),
    { ...plain, ...options },
    leftOut,
  )
