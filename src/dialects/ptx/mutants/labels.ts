/**
 * Labels: what a changed text should be called. A kill is *accurate* when one of the findings that count for its name has an id that a reader who knows what
 * was changed would expect, as in `semantics/mutation/labels.ts`.
 *
 * | changed                | called                                                                              |
 * |------------------------|-------------------------------------------------------------------------------------|
 * | a barrier of threads   | a race, what is read too early, or stuck; a generation ahead                        |
 * | an mbarrier            | read or overwritten too early, used outside its life, stuck, a generation ahead; an address that is none |
 * | a fence                | P, V1, a race; B9                                                                    |
 * | a commit, a group wait | read or overwritten too early, left over, P                                          |
 * | an order of an access  | a race on memory                                                                    |
 */
import {
  hazardIds,
  hazards,
  type HazardId,
  type Letter,
  type Mistake,
} from '../../../semantics/judging/hazards.js'
import type { Kind } from './kinds.js'

type Expected = ReadonlyArray<HazardId | Letter>

const shownBy = (mistake: Mistake): Expected =>
  hazardIds.filter((id) => hazards[id].mistakes?.includes(mistake) === true)
const stuck: Expected = shownBy('stuck')
const early: Expected = shownBy('early')
const ahead: Expected = shownBy('ahead')

const barriers: Expected = ['B', 'I2', 'U', 'R', 'W', 'M', 'D', 'V1', 'I1', 'K', ...stuck, ...early, ...ahead]

const expected: Readonly<Record<Kind, Expected>> = {
  bar: ['B', 'D', 'R', 'W', 'M', 'U2', 'V1', 'I1', 'K', 'T', 'P', ...stuck, ...early, ...ahead],
  'cluster barrier': ['B', 'D', 'R', 'W', 'K', 'U2', 'V1', 'I1', ...stuck, ...early],
  'warp barrier': ['D', 'R', 'W', 'I1', ...early],
  fence: ['P', 'V1', 'B9', 'D', 'M1', 'R', 'W', 'I1'],
  'mbarrier init': ['B', 'I2', ...stuck, ...early, ...ahead],
  'mbarrier inval': ['B7', 'I2', 'U1', ...stuck],
  'mbarrier expect': barriers,
  'mbarrier arrive': barriers,
  'mbarrier wait': barriers,
  commit: ['R', 'W', 'U2', 'P', 'D', 'M1', 'V1', 'I1'],
  'group wait': ['R', 'W', 'U2', 'P', 'D', 'M', 'V1', 'I1'],
  'tensor fence': ['M8', 'M2', 'M3', 'M4', 'V1', 'D4'],
  'tensor allocation': ['T', 'I2', 'D4', 'U2', 'M'],
  access: ['D', 'R', 'W', 'V1', 'I1', ...stuck, ...early],
}

/** Is one of these ids what a change of this kind should be called? */
export const isExpected = (kind: Kind, ids: ReadonlyArray<HazardId>): boolean =>
  ids.some((id) => expected[kind].some((it) => it === id || it === id.charAt(0)))
