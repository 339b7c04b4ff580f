/**
 * Naming: does a verdict on a changed text point at what was changed? The ways are those of `semantics/mutation/naming.ts`.
 *
 * | how   | what points at the change                                                                                             |
 * |-------|-----------------------------------------------------------------------------------------------------------------------|
 * | site  | the changed instruction, or one that it changed places with, is among the two operations of a finding                  |
 * | edge  | the missing edge has the kind of the changed instruction, and its barrier or its group; or the finding is about what the instruction lets begin or ends (`windows.ts`), at the end of the kernel too |
 * | cycle | an agent is blocked at the changed instruction, or on a barrier that it touched                                         |
 * | rule  | the finding, or the fault, is about the instruction or the barrier that was changed, or the columns that it allocates or frees |
 *
 * No word is read but labels of instructions. Copies that unrolling made of one instruction of one line of the source are one statement, and the mbarriers
 * that one statement initialises are one ring. Which barriers an instruction is about is what it touched in a run of the text, or of the changed one
 * (`touched.ts`).
 */
import type { Naming } from '../../../semantics/mutation/index.js'
import type { Diagnosis, MissingEdge } from '../../../semantics/judging/finding.js'
import type { FenceName, Subject } from '../../../semantics/judging/subject.js'
import type { Header } from '../../../semantics/log/events.js'
import { units, type Family } from '../../../semantics/log/units.js'
import type { Checked } from '../../../semantics/verdict/check.js'
import type { Act } from '../opcodes/acts.js'
import type { PtxChange } from './making.js'
import { keyOf } from './touched.js'
import type { Window } from './windows.js'

/** Findings that may stand before the one that names. */
const before = 3

/** What the changed instruction does to others. */
const actOf = (c: PtxChange): Act => c.site.code.instructions[c.site.index]!.form.act

const familyOf = (act: Act): Family | null => (act._tag === 'orders' ? act.family : null)
const fencesOf = (act: Act): ReadonlyArray<FenceName> => (act._tag === 'orders' ? act.fences : [])

const arriving: ReadonlyArray<MissingEdge['kind']> = ['arrive', 'arrive-wait', 'wait']

/** Is it one of the barriers of the changed instruction? */
type Asks = (s: Subject) => boolean

/** Would the missing edge do what the changed instruction does? */
const isEdge = (c: PtxChange, f: Diagnosis, isOwn: Asks): boolean => {
  const { missing } = f
  if (missing === undefined) return false
  const act = actOf(c)
  switch (c.site.kind) {
    case 'bar':
    case 'cluster barrier':
      return missing.kind === 'arrive-wait'
    case 'warp barrier':
      return missing.kind === 'arrive-wait' || missing.kind === 'warp-sync'
    case 'mbarrier init':
    case 'mbarrier inval':
    case 'mbarrier expect':
    case 'mbarrier arrive':
    case 'mbarrier wait':
      return arriving.includes(missing.kind) && missing.about.some(isOwn)
    case 'commit':
    case 'group wait': {
      const family = familyOf(act)
      return missing.about.some((s) => s._tag === 'group' && s.family === family)
    }
    case 'fence':
    case 'tensor fence': {
      const like = fencesOf(act)
      // a fence of memory is one half of an order that releases and acquires
      return like.length === 0
        ? missing.kind === 'arrive-wait'
        : missing.about.some((s) => s._tag === 'fence' && like.includes(s.fence))
    }
    case 'tensor allocation':
      return false
    case 'access':
      return missing.kind === 'arrive-wait'
  }
}

/** Something of the group that was to be closed, or waited for, is left over. */
const leaves = (c: PtxChange, f: Diagnosis): boolean => {
  const family = familyOf(actOf(c))
  return family !== null && f.about.some((s) => s._tag === 'unit' && units[s.unit].family === family)
}

const findingsOf = ({ reasons }: Checked): ReadonlyArray<Diagnosis> => reasons.findings.slice(0, before + 1)

const isAmong = (
  label: string | undefined,
  among: ReadonlySet<string>,
  statement: (label: string) => string,
): boolean => label !== undefined && among.has(statement(label))

const changedIn = (c: PtxChange, statement: (label: string) => string): ReadonlySet<string> =>
  new Set(
    [...(c.manner === 'absent' ? [] : [c.site.label]), ...(c.other === null ? [] : [c.other.label])].map(
      statement,
    ),
  )

/** Is the changed instruction one of the two operations of a finding? */
export const namedBySite = (
  c: PtxChange,
  checked: Checked,
  statement: (label: string) => string,
): Naming | null => {
  const changed = changedIn(c, statement)
  return findingsOf(checked).some(
    ({ a, b }) => isAmong(a.site, changed, statement) || isAmong(b?.site, changed, statement),
  )
    ? 'site'
    : null
}

/**
 * How else the verdict points at the change; null where it does not. `own`: the barriers of the changed instruction; `edges`: whether missing edges of the findings are asked, which is one
 * way more and takes none away.
 */
export const namingOf = (
  c: PtxChange,
  checked: Checked,
  own: ReadonlySet<string>,
  window: Window,
  statement: (label: string) => string,
  touched: (label: string) => ReadonlySet<string> | undefined,
  edges: boolean,
): Naming | null => {
  const { verdict, reasons, world } = checked
  const header: Header = world.header
  const findings = findingsOf(checked)
  const isAt = (label: string | undefined, among: ReadonlySet<string>): boolean =>
    isAmong(label, among, statement)
  const changed = changedIn(c, statement)
  const itself = new Set([statement(c.site.label)])
  const behind = new Set([...window.labels].map(statement))
  const isBetween = (f: Diagnosis, among: ReadonlySet<string>): boolean =>
    isAt(f.a.site, among) || isAt(f.b?.site, among)
  const isOwn: Asks = (s) => {
    const key = keyOf(header, s)
    return key !== null && own.has(key)
  }
  if (findings.some((f) => (edges && isEdge(c, f, isOwn)) || leaves(c, f))) return 'edge'
  // what the wait was to know of is left over
  const isLeft = ({ id, a }: Diagnosis): boolean =>
    id === 'U2' && c.site.kind === 'mbarrier wait' && [...(touched(a.site) ?? [])].some((key) => own.has(key))
  if (findings.some(isLeft)) return 'edge'
  const blocked = verdict.verdict === 'deadlock' ? reasons.blocked : []
  if (blocked.some((b) => b.about.some(isOwn) || isAt(b.operation.site, itself))) return 'cycle'
  if (findings.some((f) => f.about.some(isOwn))) return 'rule'
  const faulty = reasons.fault === null ? undefined : header.sites[reasons.fault.site]?.label
  if (isAt(faulty, changed) || isAt(faulty, itself)) return 'rule'
  // a barrier that is none any more: the instruction that faults is about it in the text
  const isAboutOwn =
    c.site.kind.startsWith('mbarrier') &&
    faulty !== undefined &&
    [...(touched(faulty) ?? [])].some((key) => own.has(key))
  if (isAboutOwn) return 'rule'
  const ofColumns = findings.some((f) => f.id === 'T1' || f.about.some((s) => s._tag === 'columns'))
  if (c.site.kind === 'tensor allocation' && ofColumns) return 'rule'
  if (findings.some((f) => isBetween(f, behind))) return 'edge'
  // where threads met before their end, what runs on is left over
  const isMeeting = c.site.kind === 'bar' || c.site.kind === 'cluster barrier'
  if (isMeeting && window.isLast && findings.some(({ id }) => id === 'U2')) return 'edge'
  return isAt(faulty, behind) ? 'edge' : null
}
