/**
 * `--mend N` of PTX: the statement that finding N lacks is inserted into the text, and the kernel is judged again on the same launch.
 *
 *     tcspec check k.ptx --launch k.json --mend 1        mended  D1 ..., fix (checked): bar.sync 0; before `k.cu:12 ld.shared.u32 (line 47)`
 *
 * What is printed was tried: with it the kernel is ok, or the finding is gone and no other has come (`semantics/mending`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { edgesIn, type Anchor, type WithEdge } from '../../dialects/ptx/mending/edges.js'
import { functionsOf, type Module, type Position, type Statement } from '../../dialects/ptx/index.js'
import { isBetter } from '../../semantics/mending/mend.js'
import { sidesOf } from '../../semantics/judging/fix.js'
import type { Operation } from '../../semantics/judging/finding.js'
import type { MendedFinding, Verdict } from '../../semantics/judging/verdict.js'
import type { Checked } from '../../semantics/verdict/check.js'
import type { WarpProgram } from '../../semantics/warps/program.js'
import { refuseFlag } from './flags/choice.js'

/** PTX that was judged, with the verdict that is told. */
export interface JudgedText {
  readonly module: Module
  readonly program: WarpProgram
  readonly positions: ReadonlyArray<Position>
  readonly checked: Checked
  readonly verdict: Verdict
}

/** The module in the place of the one that was judged. */
export type JudgeText<J extends JudgedText> = (module: Module) => E.Either<Failure, J>

/** Edges that are judged. */
const mostTried = 24

const opcodeAmong = (body: ReadonlyArray<Statement>, at: Position): string | null => {
  for (const s of body) {
    if (s._tag === 'instruction' && s.at.line === at.line && s.at.column === at.column) return s.opcode
    const inside = s._tag === 'scope' ? opcodeAmong(s.body, at) : null
    if (inside !== null) return inside
  }
  return null
}

const opcodeIn = (module: Module, at: Position): string | null =>
  functionsOf(module).reduce<string | null>((found, { body }) => found ?? opcodeAmong(body ?? [], at), null)

const anchorOf = (
  module: Module,
  { program, positions }: Pick<JudgedText, 'program' | 'positions'>,
  { site, loc }: Operation,
): Anchor | null => {
  const k = program.sites.findIndex((s) => s.label === site && s.loc === loc)
  const at = positions[k]
  const opcode = at === undefined ? null : opcodeIn(module, at)
  return at === undefined || opcode === null
    ? null
    : { line: at.line, column: at.column, opcode, label: site }
}

/** The text with the missing edges of these findings, one after the other. */
export const mendPtx = <J extends JudgedText>(
  original: Module,
  before: J,
  numbers: ReadonlyArray<number>,
  judge: JudgeText<J>,
  mended: ReadonlyArray<MendedFinding> = [],
): E.Either<Failure, readonly [J, ReadonlyArray<MendedFinding>]> => {
  const [number, ...rest] = numbers
  if (number === undefined) return E.right([before, mended])
  const { verdict, module } = before
  const finding = verdict.findings[number - 1]
  if (finding === undefined)
    return refuseFlag(
      '--mend',
      verdict.findings.length === 0
        ? `a verdict with findings, and this one is ${verdict.verdict} with none`
        : `a finding from 1 to ${String(verdict.findings.length)}`,
      String(number),
    )
  const { missing, a, b } = finding
  if (missing === undefined)
    return refuse(
      'mend.unknown',
      `${verdict.kernel}: no edge is known to be missing for ${finding.id}: tcspec looks for one only between unordered operations, for the first findings of a short run`,
    )
  const [x, y] = sidesOf(finding) ?? [a, b]
  const first = anchorOf(original, before, x)
  const second = y === undefined ? null : anchorOf(original, before, y)
  if (first === null || (y !== undefined && second === null))
    return refuse('mend.statement', `${verdict.kernel}: ${finding.id} belongs to no instruction of the text`)
  let best: readonly [J, WithEdge] | null = null
  let tried = 0
  for (const edge of edgesIn(module, missing, first, second)) {
    if (tried >= mostTried) break
    tried++
    const made = judge(edge.module)
    if (E.isLeft(made) || !isBetter(before.checked, finding, made.right.checked)) continue
    best ??= [made.right, edge]
    if (made.right.verdict.verdict !== 'ok') continue
    best = [made.right, edge]
    break
  }
  if (best === null)
    return tried === 0
      ? refuse(
          'mend.no-edge',
          `${verdict.kernel}: no statement that could be added fixes ${finding.id}; the fix is: ${finding.fix ?? missing.text}`,
        )
      : refuse(
          'mend.not-found',
          `${verdict.kernel}: none of the ${String(tried)} places and statements tried fixes ${finding.id} without another finding in its place; the fix is: ${finding.fix ?? missing.text}`,
        )
  const [judged, { added }] = best
  const told: MendedFinding = {
    finding: number,
    id: finding.id,
    text: finding.text,
    was: verdict.verdict,
    added,
  }
  return mendPtx(original, judged, rest, judge, [...mended, told])
}
