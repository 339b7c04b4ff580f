/**
 * Labels: what a mutant should be called.
 *
 * A kill is *accurate* when one of the findings that count for its name has an id that a reader who knows what was changed would expect. The table says
 * which, for each kind of statement and each operator that weakens it; a refusal before the run is accurate by itself, for it says the rule that is broken.
 *
 * | statement                   | called                                                                                       |
 * |-----------------------------|----------------------------------------------------------------------------------------------|
 * | wait on what copies signal  | read before arrival: R, I1, V1; what follows: W1; or stuck                                    |
 * | any other wait              | overwritten or used too early: W, M, D, V1; or stuck                                         |
 * | stuck                       | B1, B4, B5, B6; a generation skipped or left over: B8, U1                                    |
 * | arrive, commit              | stuck; a generation ahead: B2, B3 and what follows of it                                     |
 * | initialisation fence        | not published: B9; in PTX P6                                                                |
 * | init                        | used outside its life: B7; stuck; a generation ahead                                         |
 * | fence                       | P, V1; of wgmma also M1; of the thread-sync kind M8, M2 to M4                                |
 * | group wait, commit          | by family: W4, U2; W3, M1; M3; M4                                                            |
 * | rendezvous                  | B7, K, T, or a race; B2, B3, B5                                                              |
 * | allocation                  | T, I2, D4                                                                                    |
 * | copy                        | I1, R, W, K3, A4, or what its barrier makes of its bytes                                     |
 * | MMA, loads, stores          | I1, O1, I2, or the race; the result                                                          |
 *
 * The ids of one row are those of one mistake: which of R1 and R2 it is depends on what the reader waited for before.
 */
import type { Instruction } from '../language/instruction.js'
import { hazardIds, hazards, type HazardId, type Letter, type Mistake } from '../judging/hazards.js'
import type { Verdict } from '../judging/verdict.js'
import { effectsOf, type Program } from '../language/program.js'
import { barriersOf } from './change.js'
import type { Mutant } from './model.js'
import { roles, type Called } from './roles.js'

/** Ids, and letters for all ids of a part of the taxonomy. */
type Expected = ReadonlyArray<HazardId | Letter>

const shownBy = (mistake: Mistake): Expected =>
  hazardIds.filter((id) => hazards[id].mistakes?.includes(mistake) === true)
const stuck: Expected = shownBy('stuck')
const early: Expected = shownBy('early')
const ahead: Expected = shownBy('ahead')

const isCopy = (i: Instruction): boolean => roles[i._tag].called === 'copy'

/** Do copies signal one of these barriers, so that who waits for it reads what they bring? */
const isFull = (program: Program, barriers: ReadonlyArray<string>): boolean =>
  effectsOf(program.entry.body).some(
    (s) => isCopy(s.instruction) && barriersOf(program, s.instruction).some((b) => barriers.includes(b)),
  )

/** `dropped`: it is not there; `full`: copies signal the barriers that it is about. */
type Calling = (dropped: boolean, full: () => boolean) => Expected
const always =
  (expected: Expected): Calling =>
  () =>
    expected

const calling: Readonly<Record<Called, Calling>> = {
  copy: always(['I1', 'M6', 'K3', 'A4', 'I2', 'R', 'W', 'D', ...stuck, 'B2', 'B3', 'U2']),
  announcement: always([...stuck, 'B2', 'B3', 'R', 'W', 'U2', 'K1', 'B7', 'D']),
  initialisation: (dropped) => (dropped ? ['B7', ...stuck] : ['B7', ...stuck, ...ahead]),
  publication: always(['B9', 'P6']),
  wait: (_, full) =>
    full()
      ? ['R', 'I1', 'V1', 'D1', 'W1', 'B7', 'B3', ...stuck]
      : ['W', 'M', 'D', 'V1', 'U2', 'K1', 'B7', 'B2', 'B3', 'R', ...stuck],
  'wait of a semaphore': always([...early, ...stuck]),
  arrival: (dropped) =>
    dropped ? [...stuck, 'W', 'M', 'D', 'V1', 'U2'] : [...stuck, ...ahead, 'V1', 'K1', 'B7'],
  'fence of proxies': always(['P', 'V1']),
  'fence of products': always(['P', 'M1', 'V1']),
  'fence of threads': always(['M8', 'V1', 'M2', 'M3', 'M4', 'D4']),
  'bulk group': always(['W4', 'U2', 'P', 'D']),
  'copies group': always(['R', 'W', 'P', 'D', 'U2', 'V1']),
  'products group': always(['W3', 'M1', 'W1', 'U2', 'V1']),
  'tensor load': always(['M3', 'U2', 'D4']),
  'tensor store': always(['M4', 'M8', 'U2', 'D4']),
  meeting: always(['B7', 'B9', 'D', 'R', 'W', 'M', 'U2', 'V1', 'B2', 'B3', 'B5', 'K', 'T']),
  allocation: always(['T', 'I2', 'D4', 'U2', 'M']),
  'store of a tensor': always(['O1', 'I1', 'I2', 'A4', 'D', 'W', 'U2', 'P']),
  product: always(['I1', 'I2', 'M', 'W', 'R', 'D4', 'U2', 'P', 'V1', 'T', 'O1', ...stuck, 'B2', 'B3']),
  access: always(['I1', 'I2', 'O1', 'D', 'P', 'M', 'R', 'W', 'L1', 'V1', 'U2']),
}

const ofInstruction = (program: Program, m: Mutant, i: Instruction): Expected =>
  calling[roles[i._tag].called](m.manner === 'absent', () => isFull(program, m.barriers))

/** What a mutant of a program should be called. */
export const expectedOf = (program: Program, m: Mutant): Expected => {
  if (m.instruction === 'declaration') return ['I2', 'B7', 'M5', 'M8', 'A', 'T', 'D', 'R', 'W', 'P']
  if (m.instruction === 'predicate')
    return ['B2', 'B3', 'B7', 'M7', 'T', 'D', 'K', 'I2', 'P', 'R', 'W', 'M', 'V1', 'U2', ...stuck]
  const about: Expected = m.operator === 'RETARGET' || m.operator === 'SLOT' ? ['B7', 'B2', ...stuck] : []
  return [...about, ...m.statements.flatMap((s) => ofInstruction(program, m, s.instruction))]
}

/** Is one of these ids what the mutant should be called? A wrong result is what one of the class data should be. */
export const isExpected = (
  program: Program,
  m: Mutant,
  ids: ReadonlyArray<HazardId>,
  v: Verdict['verdict'],
): boolean =>
  (v === 'wrong-result' && m.class === 'data') ||
  ids.some((id) => expectedOf(program, m).some((it) => it === id || it === id.charAt(0)))
