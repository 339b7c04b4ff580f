/** What the terminal says of a verdict and of a finding, as the page asks for it. */
import { findingBlock } from '../../../../src/render/finding.js'
import { plain } from '../../../../src/render/palette.js'
import { verdictRows } from '../../../../src/render/verdict.js'
import type { Operation } from '../../../../src/semantics/judging/finding.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'

export { conditionMeanings } from '../../../../src/render/verdict.js'

export const findingText = (f: Verdict['findings'][number], quote: (o: Operation) => string | null): string =>
  findingBlock({ palette: plain, smem: [], replay: '', quote }, f)

export const rowsOf = (v: Verdict): ReadonlyArray<readonly [label: string, text: string]> =>
  verdictRows({ palette: plain, smem: [], replay: () => '', judged: true, most: 4 }, v)
