/**
 * Names of a function of PTX, as rows, predicates, addresses and labels.
 *
 * `{ }` is a scope: what is declared in it hides what is around it, and may be declared again elsewhere. A label is a place in the code, and may be
 * named before it stands.
 */
import type { Predicate, Row } from '../../../semantics/warps/program.js'
import type { TypeName } from '../text/module.js'

export type Meaning =
  | { readonly _tag: 'rows'; readonly rows: ReadonlyArray<Row>; readonly type: TypeName }
  | { readonly _tag: 'predicate'; readonly predicate: Predicate }
  | { readonly _tag: 'shared'; readonly offset: number }
  /** the dynamic part of shared memory: behind all variables */
  | { readonly _tag: 'dynamic' }
  | { readonly _tag: 'global'; readonly symbol: string }
  | { readonly _tag: 'const'; readonly symbol: string }
  | { readonly _tag: 'local'; readonly offset: number; readonly bytes: number }
  | { readonly _tag: 'parameter'; readonly offset: number; readonly bytes: number }
  | { readonly _tag: 'function'; readonly name: string }
  | { readonly _tag: 'label'; readonly label: number }
  | { readonly _tag: 'targets'; readonly labels: ReadonlyArray<string> }

export interface Scope {
  readonly names: Map<string, Meaning>
  /** `%r` of `%r<12>` */
  readonly families: Map<string, { readonly count: number; readonly type: TypeName }>
  readonly outer: Scope | null
}

export const scope = (outer: Scope | null): Scope => ({ names: new Map(), families: new Map(), outer })

const numbered = /^(.*?)(0|[1-9][0-9]*)$/u

/** What a name means here; `declare` makes the rows of a member of a family when it is first named. */
export const meaningOf = (
  s: Scope,
  name: string,
  declare: (type: TypeName) => Meaning,
): Meaning | undefined => {
  for (let here: Scope | null = s; here !== null; here = here.outer) {
    const known = here.names.get(name)
    if (known !== undefined) return known
    const m = numbered.exec(name)
    if (m === null) continue
    // %r12 may be member 12 of %r, or 2 of %r1
    for (let cut = m[1]!.length; cut < name.length; cut++) {
      const family = here.families.get(name.slice(0, cut))
      const index = name.slice(cut)
      if (
        family === undefined ||
        Number(index) >= family.count ||
        (index.length > 1 && index.startsWith('0'))
      )
        continue
      const made = declare(family.type)
      here.names.set(name, made)
      return made
    }
  }
  return undefined
}
