/**
 * What an assertion says that fails: `__assertfail` is given its text, its file and its line, which are constants of the module in all that a compiler writes.
 *
 *     .global .align 1 .b8 $str[7] = {105, 32, 60, 32, 52, 0};
 *     mov.u64 %rd1, $str;  cvta.global.u64 %rd2, %rd1;
 *     st.param.b64 [param0], %rd2;  ...  st.param.b32 [param2], 20;
 *     call __assertfail, (param0, param1, param2, param3, param4);          i < 4 (asserts.cu:20)
 *
 * What is no such constant is left out: the assertion fails all the same.
 *
 * Law 1. What is said has no control characters, whatever the module holds.
 */
import type { Code, Resolved, Value } from '../opcodes/resolve.js'
import type { Variable } from '../text/module.js'
import { graphOf } from './graph.js'

/** A function that is given what a failed assertion says. */
export const isAssertion = (name: string): boolean => name === '__assertfail' || name === '__assert_fail'

const variableOf = (v: Value | undefined): Variable | null =>
  v?._tag === 'symbol' && v.symbol._tag === 'variable' ? v.symbol.variable : null

/** What the instruction has written last that wrote a register before another: in its block, or the only one. */
const writerOf = (code: Code, register: number, before: number): Resolved | null => {
  const { blocks, blockOf } = graphOf(code)
  const writes = (i: Resolved): boolean => i.writes.some(({ index }) => index === register)
  for (let k = before - 1; k >= blocks[blockOf[before]!]!.first; k--)
    if (writes(code.instructions[k]!)) return code.instructions[k]!
  const [only, ...others] = code.instructions.filter(writes)
  return others.length > 0 ? null : (only ?? null)
}

/** A constant, or the variable whose address it is. */
type Known = bigint | Variable | null

const knownOf = (code: Code, v: Value | undefined, at: number, steps = 8): Known => {
  if (v?._tag === 'immediate') return v.bits
  if (v?._tag !== 'register') return v?._tag === 'symbol' && v.offset === 0 ? variableOf(v) : null
  const writer = steps === 0 ? null : writerOf(code, v.index, at)
  if (writer === null || writer.guard !== null) return null
  return writer.form.base === 'mov' || writer.form.base === 'cvta'
    ? knownOf(code, writer.operands['a'], code.instructions.indexOf(writer), steps - 1)
    : null
}

/** What stands in a parameter of a call. */
const givenTo = (code: Code, call: number, parameter: Variable | null): Known => {
  const { blocks, blockOf } = graphOf(code)
  for (let k = call - 1; parameter !== null && k >= blocks[blockOf[call]!]!.first; k--) {
    const { form, operands } = code.instructions[k]!
    const into = Object.values(operands).find((v) => v._tag === 'address')
    if (form.base !== 'st' || into?.base?._tag !== 'variable' || into.base.variable !== parameter) continue
    const value = Object.values(operands).find((v) => v._tag !== 'address')
    return into.offset === 0 ? knownOf(code, value, k) : null
  }
  return null
}

/** Longer texts are cut. */
const most = 200

/** The text that a variable begins with. */
const textOf = (known: Known): string | null => {
  if (known === null || typeof known === 'bigint' || known.initial?._tag !== 'braced') return null
  const bytes: number[] = []
  for (const item of known.initial.items) {
    if (item._tag !== 'integer' || item.value === 0n) break
    bytes.push(Number(BigInt.asUintN(8, item.value)))
  }
  const text = new TextDecoder().decode(Uint8Array.from(bytes))
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return shown.length > most ? `${shown.slice(0, most)}...` : shown === '' ? null : shown
}

/** Of a call of such a function at this place: what fails. */
export const assertionAt = (code: Code, call: number): string => {
  const given = code.instructions[call]!.operands['arguments']
  const [text, file, line] = (given?._tag === 'list' ? given.items : []).map((v) =>
    givenTo(code, call, variableOf(v)),
  )
  const [says, where] = [textOf(text ?? null), textOf(file ?? null)]
  const at = where === null ? '' : ` (${where}${typeof line === 'bigint' ? `:${String(line)}` : ''})`
  return `an assertion fails${says === null ? '' : `: ${says}`}${at}`
}
