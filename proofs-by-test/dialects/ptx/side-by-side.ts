/** What the pages that hold PTX beside TTGIR say of two verdicts on one kernel. */
import type { Verdict } from '../../../src/semantics/judging/verdict.js'

const provedOf = ({ provenance }: Verdict): string =>
  provenance === null
    ? ''
    : provenance.proved
      ? `proved${provenance.inOrder ? '' : ', in another order'}`
      : 'not'
/** Whether the claim is proved for all inputs, of PTX and of TTGIR; empty where none is made. */
export const forAll = (ptx: Verdict, ttgir: Verdict): string =>
  ptx.provenance === null ? '' : `${provedOf(ptx)}, ${provedOf(ttgir)}`
