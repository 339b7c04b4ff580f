export * as Atoms from './atoms.js'
export * as Cells from './cell.js'
export * as Classify from './classify.js'
export * as GenerationSets from './generation-set.js'
export * as Knowledge from './knowledge.js'
export { detector, judgeLog } from './detector.js'
export { soFar } from './end.js'
export { knows, type Happened } from './awaited.js'
export type { Detector } from './state.js'
export { defaults, standard } from './rules.js'
export type { LaneRule, Options, Part, PeekRule, Rules, WarpRule } from './rules.js'
export {
  canBeOfLanes,
  explain,
  isAnsweredById,
  isAnsweredBetter,
  isOfOneInstruction,
} from './missing-edge.js'
export { allHold, settledVerdictOf, verdictOf } from './verdict.js'
export type { Verdict } from './verdict.js'
