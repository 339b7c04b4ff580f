/**
 * Registers of threads: `set_max_registers` and what a block has of them.
 *
 * A block has 65,536 registers. Its threads begin with equal shares of them, in steps of 8 and at most 256 for each CUDA thread; then a thread
 * gives some back, or takes more and waits until there are enough.
 *
 *     three threads begin with 168 each     producer: decrease to 40     consumers: increase to 232
 *     in the end 128 * (40 + 232 + 232) = 64,512: they fit              240 each would be 66,560: never
 *
 * What is said by every thread without conditions can be added up while the kernel is written: a kernel whose last words do not fit together
 * would wait for ever.
 *
 * Laws
 * 1. A kernel that the budget refuses deadlocks or is at fault on the machine.
 *
 * Names: `plgpu.set_max_registers(n, action="increase" | "decrease")`.
 *
 * Source: PTX ISA, setmaxnreg; JAX docs, Pallas:MGPU reference.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { block, run, warpgroup, type Build } from '../../semantics/writing/builder.js'
import { registerFile } from '../../semantics/language/limits.js'
import { atLaunch } from '../../semantics/machine/registers.js'
import type { Stmt } from '../../semantics/language/program.js'
import { refuse, refused, type Code } from './codes.js'
import { contextHere } from './context.js'

const [least, most, step] = [24, 256, 8] as const

/** `set_max_registers(n, action=...)` of a whole thread. */
export const setMaxRegisters = (
  label: string,
  n: number,
  options: { readonly action: 'increase' | 'decrease' },
): Build<void> =>
  block(function* () {
    const { warp } = yield* contextHere
    if (warp !== null)
      return yield* refused(
        'pallas.registers.warp',
        `${label}: warp ${String(warp)} alone cannot ${options.action} its registers: expected a whole thread`,
      )
    if (n % step !== 0)
      return yield* refused(
        'pallas.registers.multiple',
        `${label}: set_max_registers to ${String(n)}: expected a multiple of ${String(step)}`,
      )
    if (n < least || n > most)
      return yield* refused(
        'pallas.registers.range',
        `${label}: set_max_registers to ${String(n)}: expected ${String(least)} to ${String(most)}`,
      )
    yield* run(label, { _tag: 'setMaxRegisters', count: n, action: options.action })
  })

// ---------------------------------------------------------------- the budget

const lanes = 128

/** What a thread says without conditions, in order. */
const said = (
  body: ReadonlyArray<Stmt>,
): ReadonlyArray<{ readonly label: string; readonly count: number; readonly action: string }> =>
  body.flatMap((s) => {
    if (s._tag === 'If' && s.site.path.length === 0) return said(s.then.body)
    return s._tag === 'Do' && s.instruction._tag === 'setMaxRegisters' && s.when === undefined
      ? [{ label: s.site.label, count: s.instruction.count, action: s.instruction.action }]
      : []
  })

/** Checks that the requests of the threads agree. The name and the statements of each thread. */
export const registerBudget = (
  threads: ReadonlyArray<readonly [name: string, body: ReadonlyArray<Stmt>]>,
): E.Either<Failure<Code>, null> => {
  const shares = atLaunch(threads.map(([name], i) => warpgroup(name, i)))
  const last: (readonly [string, number])[] = []
  for (const [i, [name, body]] of threads.entries()) {
    let now = shares[4 * i] ?? 0
    for (const { label, count, action } of said(body)) {
      if (action === 'increase' ? count < now : count > now)
        return refuse(
          'pallas.registers.action',
          `${label}: ${name} has ${String(now)} registers: it cannot ${action} them to ${String(count)}`,
        )
      now = count
    }
    last.push([name, now])
  }
  const sum = last.reduce((total, [, n]) => total + lanes * n, 0)
  return sum <= registerFile
    ? E.right(null)
    : refuse(
        'pallas.registers.budget',
        `in the end the threads have ${last.map(([name, n]) => `${String(n)} (${name})`).join(', ')}: ${String(sum)} registers, and a block has ${String(registerFile)}`,
      )
}
