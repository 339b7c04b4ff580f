/**
 * What the model is asked to judge by: the options of a verdict, and which of its clauses stand.
 *
 * A clause that is left out is a weakening. None is left out in earnest; a proof leaves them out one at a time and sees that each is needed.
 */
export interface Choices {
  /** by the manual's word: relaxed edges order no access, a load not waited for at a dealloc is not over, contracts count */
  readonly strict: boolean
  /** a generic read before an asynchronous overwrite needs a proxy fence too, of whatever memory and on whatever chip */
  readonly strictProxies: boolean
  readonly wgmmaOrder: 'issue' | 'documented'
  /** products after products of one queue are in order, or the pairs of the ISA alone */
  readonly tensorPipe: 'issueOrder' | 'documented'
}
export const usual: Choices = {
  strict: false,
  strictProxies: false,
  wgmmaOrder: 'issue',
  tensorPipe: 'issueOrder',
}

export interface Judging {
  readonly options: Choices
  /** whether this clause stands */
  readonly has: (clause: string) => boolean
}
