/** What `tcspec kernels --json` says, as this place reads it. */
import { isMembers, listAt, ofSchema, textAt, type Members } from '../../machine/members.js'

export interface Setting {
  readonly name: string
  readonly default: string | number
  readonly unit: string
  readonly meaning: string
  readonly choices: ReadonlyArray<string> | null
}

export interface BrokenStatement {
  readonly without: string
  readonly verdict: string
  readonly shows: ReadonlyArray<string>
}

export interface KernelRow {
  readonly name: string
  readonly summary: string
  readonly settings: ReadonlyArray<Setting>
  readonly broken: ReadonlyArray<BrokenStatement>
}

export interface TwinRow {
  readonly name: string
  readonly fixed: string
  readonly id: string
  readonly title: string
  readonly fix: string
}

export interface KernelsDocument {
  readonly kernels: ReadonlyArray<KernelRow>
  readonly twins: ReadonlyArray<TwinRow>
}

const texts = (us: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  us.filter((u): u is string => typeof u === 'string')

const settingOf = (m: Members): Setting => {
  const value = m['default']
  return {
    name: textAt(m, 'name'),
    default: typeof value === 'number' ? value : String(value),
    unit: textAt(m, 'unit'),
    meaning: textAt(m, 'meaning'),
    choices: Array.isArray(m['choices']) ? texts(m['choices']) : null,
  }
}

export const readKernels = (u: unknown): KernelsDocument | null => {
  const document = ofSchema('tcspec.kernels/1')(u)
  if (document === null) return null
  return {
    kernels: listAt(document, 'kernels')
      .filter(isMembers)
      .map((k) => ({
        name: textAt(k, 'name'),
        summary: textAt(k, 'summary'),
        settings: listAt(k, 'parameters').filter(isMembers).map(settingOf),
        broken: listAt(k, 'broken')
          .filter(isMembers)
          .map((b) => ({
            without: textAt(b, 'without'),
            verdict: textAt(b, 'verdict'),
            shows: texts(listAt(b, 'shows')),
          })),
      })),
    twins: listAt(document, 'twins')
      .filter(isMembers)
      .map((t) => ({
        name: textAt(t, 'name'),
        fixed: textAt(t, 'fixed'),
        id: textAt(t, 'id'),
        title: textAt(t, 'title'),
        fix: textAt(t, 'fix'),
      })),
  }
}
