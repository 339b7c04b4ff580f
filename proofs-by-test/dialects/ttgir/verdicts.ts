/** What is found in a module of `conformance/triton/modules` at its small launch, as rows of docs/triton-modules.md. */
import { readFileSync } from 'node:fs'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { functionOf, labelledIn, ownerOf } from '../../../src/dialects/ttgir/index.js'
import type { ReplayableFinding, Verdict } from '../../../src/semantics/judging/verdict.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { launched } from './launches.js'

/** What Triton's lowering makes of a module (`lowering.py`). */
interface Lowered {
  readonly sharedBytes: number
  readonly fencesWritten: number
  readonly ptx: Readonly<Record<string, number>>
}
const lowering = JSON.parse(
  readFileSync(new URL('../../../conformance/triton/lowering.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Lowered>>

/** Provenance, where the module says that it is a product. */
export const judged = (file: string): Verdict => {
  const { module, launch, arguments: given, computes } = launched(file)
  const program = right(elaborate(module, computes === null ? launch : { ...launch, computes }))
  return right(check(program, { ...standardOptions, arguments: given })).verdict
}

/** The operation of a site: what it is called, and its line in the text. */
const operationAt = (owner: ReturnType<typeof ownerOf>, site: string): string => {
  const found = owner(site)?.op
  return found === undefined
    ? `\`${site}\``
    : `\`${found.name.slice(found.name.indexOf('.') + 1)}\` (${String(found.at.line)})`
}

/** The count of an instruction in the PTX, in words. */
const counted = (ptx: Lowered['ptx'], ...names: ReadonlyArray<string>): string =>
  names.map((name) => `\`${name}\`: ${ptx[name] === undefined ? 'none' : String(ptx[name])}`).join(', ')

/** Which instructions would show in the PTX that a hazard is mended there. */
const asked: Readonly<Record<string, ReadonlyArray<string>>> = {
  P1: ['fence.proxy.async'],
  M8: ['tcgen05.fence'],
  B7: ['mbarrier.init', 'mbarrier.inval'],
  U2: ['mbarrier.inval'],
  N4: ['cp.async.bulk.tensor'],
}
const shownAlways: ReadonlyArray<string> = ['fence.proxy.async', 'bar.sync']

/** The rows of a module: one for each finding that differs from others in more than the barrier or the step of a loop. */
export const rowsOf = (file: string): ReadonlyArray<string> => {
  const { verdict, findings, notes, provenance } = judged(file)
  const { ptx } = lowering[file]!
  const { module, launch } = launched(file)
  const operations = ownerOf(labelledIn(module, right(functionOf(module)), launch))
  const name = `\`${file.replace('.ttgir', '')}\``
  const side = (x: ReplayableFinding['a'] | undefined): string =>
    x === undefined ? '' : `${operationAt(operations, x.site)} ${x.loc ?? ''}`
  const kindOf = (f: ReplayableFinding): string =>
    [
      f.id,
      f.a.loc,
      operationAt(operations, f.a.site).split(' ')[0],
      f.b?.loc,
      f.b && operationAt(operations, f.b.site).split(' ')[0],
    ].join(' ')
  const different = [...findings, ...notes].filter(
    (f, k, all) => all.findIndex((other) => kindOf(other) === kindOf(f)) === k,
  )
  const proof = provenance === null ? '' : provenance.proved ? ', proved' : ', NOT PROVED'
  const head = `| ${name} | ${verdict}${proof} |`
  return different.length === 0
    ? [`${head} | | | ${counted(ptx, ...shownAlways)} |`]
    : different.map(
        (f, k) =>
          `${k === 0 ? head : '| | |'} ${f.id} | ${side(f.a)} | ${side(f.b)} | ${counted(ptx, ...(asked[f.id] ?? []))} |`,
      )
}
