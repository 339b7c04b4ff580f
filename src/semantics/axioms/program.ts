/**
 * The programs of the axioms: a few threads, each a short list of instructions, over named locations of memory.
 *
 *     const program: Program = {
 *       memory: new Map([['x', 0], ['flag', 0]]),
 *       threads: [
 *         thread('writer', place(0), [store('x', 1), store('flag', 1, strong('release', 'gpu'))]),
 *         thread('reader', place(1), [load('r0', 'flag', strong('acquire', 'gpu')), load('r1', 'x')]),
 *       ],
 *     }
 *
 * Why a language of its own: the axioms are to judge the search of kernels, so they may not rest on what the search rests on. The language has only what decides which
 * values a read may find: the strength, scope and proxy of each access, fences, barriers, and the arithmetic and branches that carry a value from a read to a write.
 *
 * | PTX                                  | here                                                                              |
 * |--------------------------------------|-----------------------------------------------------------------------------------|
 * | `ld`, `st` `.weak`, `.relaxed` ...   | `load`, `store` with `How`                                                        |
 * | `.volatile` (8.4.2), `.mmio` (8.4.1) | `volatile`, and a relaxed access of its scope                                     |
 * | `atom`, `red`                        | `atomic`; a reduction has no register                                             |
 * | virtual aliases (8.2.2)              | two `Address`es with one `location`                                               |
 * | texture, surface, constant, async    | `proxy` of an access                                                              |
 *
 * Limits: a location is one scalar, so two accesses overlap completely or not at all (8.2.1), and there are no mixed-size races (8.7.2). Values are 32-bit integers.
 */

/** The threads that an operation may interact with (8.5). */
export type Scope = 'cta' | 'cluster' | 'gpu' | 'sys'

/** A method of memory access (8.6). */
export type Proxy = 'generic' | 'texture' | 'surface' | 'constant' | 'async' | 'tensormap'

/** Where a thread runs: a CTA of a cluster of a GPU. */
export interface Place {
  readonly cta: number
  readonly cluster: number
  readonly gpu: number
}

/** A virtual address, and the memory that it names; two addresses of one location are aliases (8.2.2). */
export interface Address {
  readonly location: string
  readonly address: string
}

/** What an access promises: nothing, or an order for the threads of a scope (8.4). */
export type How =
  | { readonly sem: 'weak' }
  | { readonly sem: 'relaxed' | 'acquire' | 'release' | 'acq_rel'; readonly scope: Scope }

/** A number, or the register that has it. */
export type Operand =
  { readonly _tag: 'number'; readonly value: number } | { readonly _tag: 'register'; readonly name: string }

/** Arithmetic of two operands; `div` by 0 is 0. */
export type Arithmetic = 'add' | 'sub' | 'mul' | 'div' | 'and' | 'or' | 'xor' | 'min' | 'max'

/** How two values compare. */
export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/** One instruction of a thread. */
export type Instruction =
  | {
      readonly _tag: 'load'
      readonly to: string
      readonly at: Address
      readonly how: How
      readonly proxy: Proxy
    }
  | {
      readonly _tag: 'store'
      readonly at: Address
      readonly value: Operand
      readonly how: How
      readonly proxy: Proxy
    }
  | {
      readonly _tag: 'atomic'
      /** the register that takes the old value; none: a reduction (`red`) */
      readonly to: string | undefined
      readonly at: Address
      readonly op: Arithmetic | 'exch' | 'cas'
      readonly value: Operand
      /** `cas` alone: what must be there for the write to happen */
      readonly expected: Operand | undefined
      readonly how: How
      readonly proxy: Proxy
    }
  | {
      readonly _tag: 'fence'
      readonly sem: 'acquire' | 'release' | 'acq_rel' | 'sc'
      readonly scope: Scope
    }
  | { readonly _tag: 'proxyFence'; readonly of: Proxy | 'alias' }
  | {
      readonly _tag: 'barrier'
      readonly act: 'sync' | 'arrive'
      readonly name: string
      readonly id: Operand
      /** the threads that it waits for; none: those that come to it */
      readonly count: Operand | undefined
    }
  | {
      readonly _tag: 'set'
      readonly to: string
      readonly op: Arithmetic | 'mov'
      readonly a: Operand
      readonly b: Operand
    }
  | { readonly _tag: 'label'; readonly name: string }
  | {
      readonly _tag: 'branch'
      readonly when: { readonly is: Comparison; readonly a: Operand; readonly b: Operand } | undefined
      readonly to: string
    }

/** A thread: its name, its place, what its registers hold at first (else 0), and its instructions. */
export interface Thread {
  readonly name: string
  readonly place: Place
  readonly registers: ReadonlyMap<string, number>
  readonly body: ReadonlyArray<Instruction>
}

/** A program: what each location holds at first (8.2.6), and the threads. */
export interface Program {
  readonly memory: ReadonlyMap<string, number>
  readonly threads: ReadonlyArray<Thread>
}

// ---------------------------------------------------------------- constructors

/** A place; a CTA is a cluster of its own unless one is named. */
export const place = (cta: number, gpu: number = 0, cluster: number = cta): Place => ({ cta, cluster, gpu })

/** A thread whose registers hold 0 at first. */
export const thread = (name: string, at: Place, body: ReadonlyArray<Instruction>): Thread => ({
  name,
  place: at,
  registers: new Map(),
  body,
})

/** A weak access: no order for other threads. */
export const weak: How = { sem: 'weak' }

/** A strong access of a scope. */
export const strong = (sem: 'relaxed' | 'acquire' | 'release' | 'acq_rel', scope: Scope): How => ({
  sem,
  scope,
})

/** A volatile access is a relaxed one of system scope (8.4.2). */
export const volatile: How = strong('relaxed', 'sys')

/** A number as an operand. */
export const number = (value: number): Operand => ({ _tag: 'number', value })

/** A register as an operand. */
export const register = (name: string): Operand => ({ _tag: 'register', name })

const operand = (o: number | string): Operand => (typeof o === 'number' ? number(o) : register(o))
const address = (at: string | Address): Address =>
  typeof at === 'string' ? { location: at, address: at } : at

/** `ld`: a read. */
export const load = (
  to: string,
  at: string | Address,
  how: How = weak,
  proxy: Proxy = 'generic',
): Instruction => ({ _tag: 'load', to, at: address(at), how, proxy })

/** `st`: a write of a number, or of what a register holds. */
export const store = (
  at: string | Address,
  value: number | string,
  how: How = weak,
  proxy: Proxy = 'generic',
): Instruction => ({ _tag: 'store', at: address(at), value: operand(value), how, proxy })

/** `atom`, or `red` where no register takes the old value. */
export const atomic = (
  to: string | undefined,
  at: string | Address,
  op: Arithmetic | 'exch',
  value: number | string,
  how: How,
): Instruction => ({
  _tag: 'atomic',
  to,
  at: address(at),
  op,
  value: operand(value),
  expected: undefined,
  how,
  proxy: 'generic',
})

/** `atom.cas`: writes only where it finds what it expects. */
export const cas = (
  to: string | undefined,
  at: string | Address,
  expected: number | string,
  value: number | string,
  how: How,
): Instruction => ({
  _tag: 'atomic',
  to,
  at: address(at),
  op: 'cas',
  value: operand(value),
  expected: operand(expected),
  how,
  proxy: 'generic',
})

/** `fence`, and `membar`, which is `fence.sc`. */
export const fence = (sem: 'acquire' | 'release' | 'acq_rel' | 'sc', scope: Scope): Instruction => ({
  _tag: 'fence',
  sem,
  scope,
})

/** `fence.proxy`. */
export const proxyFence = (of: Proxy | 'alias'): Instruction => ({ _tag: 'proxyFence', of })

/** `bar.sync` or `bar.arrive` of a barrier of the CTA. */
export const barrier = (id: number, count?: number, act: 'sync' | 'arrive' = 'sync'): Instruction => ({
  _tag: 'barrier',
  act,
  name: '',
  id: number(id),
  count: count === undefined ? undefined : number(count),
})

/** `mov`, `add`, `sub` ...: what a register holds from now on. */
export const set = (
  to: string,
  op: Arithmetic | 'mov',
  a: number | string,
  b: number | string = 0,
): Instruction => ({ _tag: 'set', to, op, a: operand(a), b: operand(b) })

/** A place to branch to. */
export const label = (name: string): Instruction => ({ _tag: 'label', name })

/** A branch that is always taken. */
export const jump = (to: string): Instruction => ({ _tag: 'branch', when: undefined, to })

/** A branch that is taken where two operands compare so. */
export const branch = (is: Comparison, a: number | string, b: number | string, to: string): Instruction => ({
  _tag: 'branch',
  when: { is, a: operand(a), b: operand(b) },
  to,
})
