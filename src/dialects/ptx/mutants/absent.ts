/**
 * An instruction left out of a text: what its results stand for stands in its place.
 *
 * | of what is left out              | what stands there                                                     |
 * |----------------------------------|-----------------------------------------------------------------------|
 * | a wait that spins on an mbarrier | its flag is true: the loop is left at once                             |
 * | a wait that spins on a word      | the word is zero, and the loop is left whatever it is                  |
 * | a peek                           | its flag is false: the wait behind it is made                          |
 * | any other test of an mbarrier    | its flag is true                                                      |
 * | whatever else writes registers   | zeros; predicates are false                                            |
 *
 * The guard stays: where it was false nothing was written.
 *
 * Laws
 * 1. What is left out is elaborated to no operation on memory, barriers or groups.
 */
import type { Code, Resolved } from '../opcodes/resolve.js'
import type { Name, Operand, Statement } from '../text/module.js'
import type { Instead } from '../text/replace.js'
import { graphOf } from '../flow/graph.js'
import { peeksOf } from '../flow/peeks.js'
import { spinsOf, type Spin } from '../flow/spins.js'
import { instruction, settled, zeroed } from './write.js'

/** The registers that an instruction names, in vectors and pairs too. */
const namesIn = (o: Operand): ReadonlyArray<Name> => {
  switch (o._tag) {
    case 'name':
      return [o]
    case 'vector':
    case 'list':
      return o.items.flatMap(namesIn)
    case 'pair':
      return [...namesIn(o.first), ...namesIn(o.second)]
    case 'integer':
    case 'float':
    case 'address':
    case 'sink':
    case 'not':
    case 'element':
      return []
  }
}

const fullName = (n: Name): string => (n.selector === null ? n.name : `${n.name}.${n.selector}`)

const isTest = (r: Resolved): boolean =>
  r.form.base === 'mbarrier.try_wait' || r.form.base === 'mbarrier.test_wait'

/** What its results stand for; null: a register that nothing can be written into. */
const results = (r: Resolved, value: boolean): ReadonlyArray<Statement> | null => {
  const { instruction: i } = r
  const named = new Map(i.operands.flatMap(namesIn).map((n) => [fullName(n), n]))
  const out: Statement[] = []
  for (const register of r.writes) {
    const of = named.get(register.name)
    if (of === undefined) return null
    const by =
      register.type === 'pred' ? settled(i, i.guard, of, value) : zeroed(i, i.guard, of, register.type)
    if (by === null) return null
    out.push(by)
  }
  return out
}

/** The branches of a spin on a word, each as if the word were what is waited for. */
const left = (code: Code, spin: Spin): Instead => {
  const graph = graphOf(code)
  const out = new Map<Statement, ReadonlyArray<Statement>>()
  for (const b of spin.blocks) {
    const block = graph.blocks[b]!
    if (block.successors.every((s) => spin.blocks.has(s))) continue
    const last = code.instructions[block.end - 1]!
    const target = last.operands['target']
    // it is a branch with a guard, for a spin is left by no other
    if (target?._tag !== 'label') continue
    const there = graph.blockOf[target.target]
    const isAgain = there !== undefined && spin.blocks.has(there)
    const { instruction: i } = last
    out.set(i, isAgain ? [] : [instruction(i, null, i.opcode, i.operands)])
  }
  return out
}

/** What is never come to where the test of a spin is true: it looks at clocks, perhaps. */
const silenced = (code: Code, spin: Spin): Instead => {
  const { blocks } = graphOf(code)
  const out = new Map<Statement, ReadonlyArray<Statement>>()
  for (const b of spin.idle)
    for (let k = blocks[b]!.first; k < blocks[b]!.end; k++) {
      const { instruction: i, form } = code.instructions[k]!
      if (form.base !== 'bra') out.set(i, [])
    }
  return out
}

/** What stands in the place of an instruction that is left out; null where nothing can. */
export const leftOut = (code: Code, k: number): Instead | null => {
  const r = code.instructions[k]!
  const spin = spinsOf(code).find(({ test }) => test === k)
  const isPeek = peeksOf(code).some(({ test }) => test === k)
  const by = results(r, isTest(r) && !isPeek)
  return by === null
    ? null
    : new Map([
        [r.instruction, by] as const,
        ...(spin === undefined ? [] : spin.kind === 'semaphore' ? left(code, spin) : silenced(code, spin)),
      ])
}
