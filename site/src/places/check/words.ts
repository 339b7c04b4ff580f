/** What the terminal says of a verdict and of a finding, which are made from the same document. */
import { findingBlock } from '../../../../src/render/finding.js'
import { plain } from '../../../../src/render/palette.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'

export { conditionMeanings, verdictRows as rowsOf } from '../../../../src/render/verdict.js'

export const findingText = (f: Verdict['findings'][number]): string => findingBlock(plain, f)
