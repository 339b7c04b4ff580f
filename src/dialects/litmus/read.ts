/**
 * Litmus tests in the format that tools share: `PTX name`, what memory holds, a column for each thread, and a question.
 *
 *     PTX MP
 *     { x = 0; flag = 0; P1:r0 = 0; }
 *      P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 *      st.weak x, 1           | ld.acquire.gpu r0, flag ;
 *      st.release.gpu flag, 1 | ld.weak r1, x           ;
 *     exists (P1:r0 == 1 /\ P1:r1 == 0)
 *
 * | part         | may be                                                                                                                             |
 * |--------------|------------------------------------------------------------------------------------------------------------------------------------|
 * | declarations | `x = 1`, `P0:r0 = 1`, `y @ generic aliases x`, `s @ surface aliases x` (texture and constant too)                                   |
 * | threads      | `P0@cta 0,gpu 0`; `cluster 0` may stand between; a CTA is else a cluster of its own                                                 |
 * | accesses     | `ld`, `st` (`sust`, `suld`, `tld`, `cold`: by the surface, texture and constant proxy), `atom`, `red`; `.volatile`, `.mmio`; types such as `.u32` |
 * | fences       | `fence.sc.gpu`, `fence.acq_rel.cta` ..., `membar.gl`, `fence.proxy.alias`, `fence.proxy.surface` ...                                |
 * | barriers     | `bar.cta.sync NAME[, ID[, COUNT]]`, `bar.cta.arrive ...`                                                                            |
 * | registers    | `r0`, `r1` ...; `ld r0, 1`, `mov`, `add`, `sub`, `mul`, `div`, `and`, `or`, `xor`, `min`, `max`                                      |
 * | branches     | `LC00:`, `goto LC00`, `beq a, b, LC00`, and `bne`, `blt`, `ble`, `bgt`, `bge`                                                       |
 * | a question   | `exists`, `~exists`, `forall`, behind `filter` and `locations [...]`                                                                |
 *
 * Refused by name (`litmus.unsupported`): registers and locations that hold addresses, `final`, arrays.
 *
 * Laws
 * 1. Any text is a test, or is refused with a line, a column, and what was expected there.
 * 2. A register that is not declared holds 0, and so does a location.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse } from '../../failure.js'
import {
  volatile,
  weak,
  type Address,
  type Arithmetic,
  type Asked,
  type Comparison,
  type How,
  type Instruction,
  type Operand,
  type Place,
  type Program,
  type Proxy,
  type Question,
  type Scope,
  type StateCondition,
} from '../../semantics/axioms/index.js'
import { tokensOf, type LitmusTextFailure, type Token } from './tokens.js'

// ---------------------------------------------------------------- model

/** A litmus test that was read. */
export interface PtxLitmus {
  readonly name: string
  readonly program: Program
  /** for each thread, its instructions as they are written */
  readonly sources: ReadonlyArray<ReadonlyArray<Source>>
  readonly question: Question
  /** the question as it is written */
  readonly questionText: string
  /** what `locations [...]` names */
  readonly shown: ReadonlyArray<Asked>
}

/** An instruction as it is written. */
export interface Source {
  readonly text: string
  readonly line: number
}

type Read<A> = E.Either<LitmusTextFailure, A>

/** Whether a text is a test of this format: its first word is `PTX`. */
export const isPtxLitmus = (text: string): boolean => /^\s*(?:PTX|ptx)\s/.test(text)

// ---------------------------------------------------------------- words

const arithmetic: ReadonlyArray<Arithmetic> = ['add', 'sub', 'mul', 'div', 'and', 'or', 'xor', 'min', 'max']
const branches: ReadonlyMap<string, Comparison> = new Map([
  ['beq', 'eq'],
  ['bne', 'ne'],
  ['blt', 'lt'],
  ['ble', 'le'],
  ['bgt', 'gt'],
  ['bge', 'ge'],
])
const comparisons: ReadonlyMap<string, Comparison> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['!=', 'ne'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['>', 'gt'],
  ['>=', 'ge'],
])
const scopes: ReadonlyArray<Scope> = ['cta', 'cluster', 'gpu', 'sys']
const proxies: ReadonlyArray<Proxy> = ['generic', 'texture', 'surface', 'constant', 'async', 'tensormap']
/** Mnemonics of accesses, what they do, and by which proxy. */
const accesses: ReadonlyMap<string, readonly ['load' | 'store' | 'atom' | 'red', Proxy]> = new Map([
  ['ld', ['load', 'generic']],
  ['tld', ['load', 'texture']],
  ['suld', ['load', 'surface']],
  ['cold', ['load', 'constant']],
  ['st', ['store', 'generic']],
  ['sust', ['store', 'surface']],
  ['atom', ['atom', 'generic']],
  ['suatom', ['atom', 'surface']],
  ['red', ['red', 'generic']],
  ['sured', ['red', 'surface']],
])
/** Parts of a mnemonic that change nothing here: types, and the state space that everything is in. */
const idle = /^(?:global|[usb](?:8|16|32|64))$/
const isRegister = (word: string): boolean => /^%?r\d+$/.test(word)
const isNumber = (word: string): boolean => /^(?:0x[0-9a-fA-F]+|\d+)$/.test(word)
const isName = (word: string): boolean => /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(word)

const place = ({ line, column }: Token): string => `line ${String(line)}, column ${String(column)}`
const expected = (t: Token, what: string): Read<never> =>
  refuse('litmus.syntax', `${place(t)}: expected ${what}, found ${t.text === '' ? 'the end' : `'${t.text}'`}`)
const unsupported = (t: Token, what: string): Read<never> =>
  refuse('litmus.unsupported', `${place(t)}: ${what}`)

/** A stretch of words, and the place where it ends. */
interface Words {
  readonly tokens: ReadonlyArray<Token>
  readonly end: Token
}
const words = (tokens: ReadonlyArray<Token>, next: Token): Words => ({
  tokens,
  end: { text: '', line: next.line, column: next.column },
})
const at = ({ tokens, end }: Words, k: number): Token => tokens[k] ?? end

/** Words between separators, with the word that each stretch ends before. */
const splitAt = ({ tokens, end }: Words, separator: string): ReadonlyArray<Words> => {
  const out: Words[] = []
  let run: Token[] = []
  for (const t of tokens)
    if (t.text === separator) {
      out.push(words(run, t))
      run = []
    } else run.push(t)
  return [...out, words(run, end)]
}

const textOf = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((t, k) => {
      const before = tokens[k - 1]
      const apart =
        before !== undefined && (before.line !== t.line || before.column + before.text.length < t.column)
      return `${apart ? ' ' : ''}${t.text}`
    })
    .join('')

/** Reads each of a list, the first refusal first. */
const each =
  <A, B>(read: (a: A, k: number) => Read<B>) =>
  (of: ReadonlyArray<A>): Read<ReadonlyArray<B>> => {
    const out: B[] = []
    for (const [k, a] of of.entries()) {
      const b = read(a, k)
      if (E.isLeft(b)) return b
      out.push(b.right)
    }
    return E.right(out)
  }

// ---------------------------------------------------------------- declarations

interface Declared {
  readonly memory: ReadonlyMap<string, number>
  readonly registers: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** names that are aliases, and what they stand for */
  readonly addresses: ReadonlyMap<string, Address>
}

const threadName = (word: string): string | undefined =>
  /^\d+$/.test(word) ? `P${word}` : /^P\d+$/.test(word) ? word : undefined

/** A number, perhaps behind a minus, that is all of the words from `k` on. */
const numberFrom = (w: Words, k: number): Read<number> => {
  const minus = at(w, k).text === '-'
  const t = at(w, minus ? k + 1 : k)
  const rest = w.tokens[minus ? k + 2 : k + 1]
  if (!isNumber(t.text)) return expected(t, 'a number')
  return rest === undefined
    ? E.right((minus ? -Number(t.text) : Number(t.text)) | 0)
    : expected(rest, "';' or '}'")
}

const addressIn = (d: Declared, name: string): Address =>
  d.addresses.get(name) ?? { location: name, address: name }

const declare = (d: Declared, w: Words): Read<Declared> => {
  const [first, second, third] = [at(w, 0), at(w, 1), at(w, 2)]
  const thread = threadName(first.text)
  if (thread !== undefined && second.text === ':') {
    if (!isRegister(third.text)) return expected(third, 'a register such as r0')
    if (at(w, 3).text !== '=') return expected(at(w, 3), "'='")
    const value = at(w, 4)
    if (value.text === '&' || isName(value.text))
      return unsupported(
        value,
        'a register that holds an address is not supported; name the location in the instruction',
      )
    return pipe(
      numberFrom(w, 4),
      E.map((n): Declared => ({
        memory: d.memory,
        addresses: d.addresses,
        registers: new Map([
          ...d.registers,
          [thread, new Map([...(d.registers.get(thread) ?? []), [third.text, n]])],
        ]),
      })),
    )
  }
  if (!isName(first.text)) return expected(first, 'a declaration such as `x = 0` or `P0:r0 = 0`')
  if (second.text === '@') {
    const proxy = proxies.find((p) => p === third.text)
    if (proxy === undefined) return expected(third, `one of ${proxies.join(', ')}`)
    if (at(w, 3).text !== 'aliases') return expected(at(w, 3), "'aliases'")
    const target = at(w, 4)
    if (!isName(target.text)) return expected(target, 'a location')
    const of = addressIn(d, target.text)
    return E.right({
      memory: d.memory.has(of.location) ? d.memory : new Map([...d.memory, [of.location, 0]]),
      registers: d.registers,
      addresses: new Map([
        ...d.addresses,
        // another proxy finds the memory by the same address; another generic name is another address
        [first.text, { location: of.location, address: proxy === 'generic' ? first.text : of.address }],
      ]),
    })
  }
  if (second.text === '[')
    return unsupported(second, 'an array is not supported; declare a location for each element')
  if (second.text !== '=') return expected(second, "'='")
  if (third.text === '&' || isName(third.text))
    return unsupported(third, 'a location that holds an address is not supported')
  return pipe(
    numberFrom(w, 2),
    E.map((n): Declared => ({
      memory: new Map([...d.memory, [addressIn(d, first.text).location, n]]),
      registers: d.registers,
      addresses: d.addresses,
    })),
  )
}

// ---------------------------------------------------------------- threads

interface Column {
  readonly name: string
  readonly place: Place
}

const columnOf = (w: Words): Read<Column> => {
  const name = threadName(at(w, 0).text)
  if (name === undefined) return expected(at(w, 0), 'a thread such as P0')
  if (at(w, 1).text !== '@') return expected(at(w, 1), "'@', then the thread's place, such as `cta 0,gpu 0`")
  const parts = splitAt(words(w.tokens.slice(2), w.end), ',')
  const said = new Map<string, number>()
  for (const part of parts) {
    const [level, id] = [at(part, 0), at(part, 1)]
    if (!['cta', 'cluster', 'gpu'].includes(level.text)) return expected(level, 'cta, cluster or gpu')
    if (!isNumber(id.text)) return expected(id, 'a number')
    said.set(level.text, Number(id.text))
  }
  const cta = said.get('cta')
  if (cta === undefined) return expected(at(w, 2), 'cta')
  return E.right({ name, place: { cta, cluster: said.get('cluster') ?? cta, gpu: said.get('gpu') ?? 0 } })
}

// ---------------------------------------------------------------- instructions

/** An operand that is a number or a register. */
const operandOf = (w: Words): Read<Operand> => {
  const first = at(w, 0)
  if (isRegister(first.text) && w.tokens.length === 1)
    return E.right({ _tag: 'register', name: first.text.replace('%', '') })
  if (isNumber(first.text) || first.text === '-')
    return pipe(
      numberFrom(w, 0),
      E.map((value): Operand => ({ _tag: 'number', value })),
    )
  return isName(first.text)
    ? unsupported(first, `'${first.text}' as a value (an address) is not supported`)
    : expected(first, 'a number or a register')
}
const registerOf = (w: Words): Read<string> =>
  isRegister(at(w, 0).text) && w.tokens.length === 1
    ? E.right(at(w, 0).text.replace('%', ''))
    : expected(at(w, 0), 'a register such as r0')
const locationOf =
  (d: Declared) =>
  (w: Words): Read<Address> => {
    const bare = at(w, 0).text === '[' && at(w, 2).text === ']' ? words(w.tokens.slice(1, 2), w.end) : w
    const t = at(bare, 0)
    if (isRegister(t.text)) return unsupported(t, 'an address in a register is not supported')
    return isName(t.text) && bare.tokens.length === 1
      ? E.right(addressIn(d, t.text))
      : expected(t, 'a location')
  }

/** `relaxed.gpu` and the like: how an access is made, and the parts that are left. */
const howOf = (
  parts: ReadonlyArray<Token>,
  mnemonic: Token,
  plain: How,
): Read<{ readonly how: How; readonly rest: ReadonlyArray<Token> }> => {
  const [first, second] = parts
  if (first === undefined) return E.right({ how: plain, rest: parts })
  const scope = scopes.find((s) => s === second?.text)
  switch (first.text) {
    case 'weak':
      return E.right({ how: weak, rest: parts.slice(1) })
    case 'volatile':
      return E.right({ how: volatile, rest: parts.slice(1) })
    case 'mmio': {
      const rest = second?.text === 'relaxed' ? parts.slice(1) : parts
      const of = scopes.find((s) => s === rest[1]?.text)
      return E.right({
        how: { sem: 'relaxed', scope: of ?? 'sys' },
        rest: rest.slice(of === undefined ? 1 : 2),
      })
    }
    case 'relaxed':
    case 'acquire':
    case 'release':
    case 'acq_rel':
      return scope === undefined
        ? expected(second ?? mnemonic, `a scope (${scopes.join(', ')}) after '.${first.text}'`)
        : E.right({ how: { sem: first.text, scope }, rest: parts.slice(2) })
    default:
      return E.right({ how: plain, rest: parts })
  }
}

const leftOver = (rest: ReadonlyArray<Token>): Read<undefined> =>
  rest[0] === undefined
    ? E.right(undefined)
    : unsupported(rest[0], `'.${rest[0].text}' is not supported here`)

const count = (
  mnemonic: Token,
  operands: ReadonlyArray<Words>,
  ...of: ReadonlyArray<number>
): Read<undefined> =>
  of.includes(operands.length)
    ? E.right(undefined)
    : refuse(
        'litmus.syntax',
        `${place(mnemonic)}: '${mnemonic.text}' takes ${of.join(' or ')} operands, found ${String(operands.length)}`,
      )

const accessOf = (
  d: Declared,
  mnemonic: Token,
  [kind, proxy]: readonly ['load' | 'store' | 'atom' | 'red', Proxy],
  parts: ReadonlyArray<Token>,
  operands: ReadonlyArray<Words>,
): Read<Instruction> => {
  const location = locationOf(d)
  if (kind === 'load')
    return pipe(
      E.Do,
      E.bind('how', () => howOf(parts, mnemonic, weak)),
      E.chainFirst(({ how }) => leftOver(how.rest)),
      E.chainFirst(({ how: { how } }) =>
        how.sem === 'release' || how.sem === 'acq_rel'
          ? expected(parts[0] ?? mnemonic, `weak, relaxed, acquire, volatile or mmio for '${mnemonic.text}'`)
          : E.right(undefined),
      ),
      E.chainFirst(() => count(mnemonic, operands, 2)),
      E.bind('to', () => registerOf(operands[0]!)),
      E.bind('at', () => location(operands[1]!)),
      E.map(({ how: { how }, to, at: of }): Instruction => ({ _tag: 'load', to, at: of, how, proxy })),
    )
  if (kind === 'store')
    return pipe(
      E.Do,
      E.bind('how', () => howOf(parts, mnemonic, weak)),
      E.chainFirst(({ how }) => leftOver(how.rest)),
      E.chainFirst(({ how: { how } }) =>
        how.sem === 'acquire' || how.sem === 'acq_rel'
          ? expected(parts[0] ?? mnemonic, `weak, relaxed, release, volatile or mmio for '${mnemonic.text}'`)
          : E.right(undefined),
      ),
      E.chainFirst(() => count(mnemonic, operands, 2)),
      E.bind('at', () => location(operands[0]!)),
      E.bind('value', () => operandOf(operands[1]!)),
      E.map(({ how: { how }, at: of, value }): Instruction => ({ _tag: 'store', at: of, value, how, proxy })),
    )
  const shift = kind === 'atom' ? 1 : 0
  return pipe(
    E.Do,
    // an atomic without a semantics is relaxed, and of the GPU's scope
    E.bind('how', () => howOf(parts, mnemonic, { sem: 'relaxed', scope: 'gpu' })),
    E.bind('op', ({ how: { rest } }): Read<Arithmetic | 'exch' | 'cas'> => {
      const op = [...arithmetic, 'exch' as const, 'cas' as const].find((o) => o === rest[0]?.text)
      return op === undefined
        ? expected(rest[0] ?? mnemonic, `an operation (${arithmetic.join(', ')}, exch, cas)`)
        : E.right(op)
    }),
    E.chainFirst(({ how: { rest } }) => leftOver(rest.slice(1))),
    E.chainFirst(({ op }) => count(mnemonic, operands, shift + (op === 'cas' ? 3 : 2))),
    E.bind('to', (): Read<string | undefined> =>
      kind === 'atom' ? registerOf(operands[0]!) : E.right(undefined),
    ),
    E.bind('at', () => location(operands[shift]!)),
    E.bind('expected', ({ op }): Read<Operand | undefined> =>
      op === 'cas' ? operandOf(operands[shift + 1]!) : E.right(undefined),
    ),
    E.bind('value', ({ op }) => operandOf(operands[shift + (op === 'cas' ? 2 : 1)]!)),
    E.map(({ how: { how }, op, to, at: of, expected: old, value }): Instruction => ({
      _tag: 'atomic',
      to,
      at: of,
      op,
      value,
      expected: old,
      how,
      proxy,
    })),
  )
}

const fenceOf = (mnemonic: Token, parts: ReadonlyArray<Token>): Read<Instruction> => {
  const [first, second] = parts
  if (first?.text === 'proxy') {
    const of = [...proxies, 'alias' as const].find((p) => p === second?.text)
    return of === undefined
      ? expected(second ?? mnemonic, `a kind of proxy fence (alias, ${proxies.join(', ')})`)
      : parts[2] === undefined
        ? E.right({ _tag: 'proxyFence', of })
        : unsupported(parts[2], `'.${parts[2].text}' is not supported here`)
  }
  const sem = (['acquire', 'release', 'acq_rel', 'sc'] as const).find((s) => s === first?.text)
  const scope = scopes.find((s) => s === (sem === undefined ? first : second)?.text)
  if (scope === undefined) return expected(second ?? first ?? mnemonic, `a scope (${scopes.join(', ')})`)
  return pipe(
    leftOver(parts.slice(sem === undefined ? 1 : 2)),
    // `.acq_rel` is the default
    E.map((): Instruction => ({ _tag: 'fence', sem: sem ?? 'acq_rel', scope })),
  )
}

const membarOf = (mnemonic: Token, parts: ReadonlyArray<Token>): Read<Instruction> => {
  const level = new Map<string, Scope>([
    ['cta', 'cta'],
    ['gl', 'gpu'],
    ['sys', 'sys'],
  ]).get(parts[0]?.text ?? '')
  return level === undefined
    ? expected(parts[0] ?? mnemonic, 'cta, gl or sys')
    : E.right({ _tag: 'fence', sem: 'sc', scope: level })
}

const barrierOf = (
  mnemonic: Token,
  parts: ReadonlyArray<Token>,
  operands: ReadonlyArray<Words>,
): Read<Instruction> => {
  const [first] = parts
  const rest = first?.text === 'cta' ? parts.slice(1) : parts
  const act = (['sync', 'arrive'] as const).find((a) => a === rest[0]?.text)
  if (act === undefined) return expected(rest[0] ?? mnemonic, 'sync or arrive')
  return pipe(
    count(mnemonic, operands, 1, 2, 3),
    E.chain(() => each(operandOf)(operands)),
    E.chain(([name, id, of]): Read<Instruction> =>
      name?._tag === 'number'
        ? E.right({
            _tag: 'barrier',
            act,
            name: String(name.value),
            id: id ?? { _tag: 'number', value: 0 },
            count: of,
          })
        : expected(at(operands[0]!, 0), 'the number of the barrier instruction'),
    ),
  )
}

const labelOf = (w: Words | undefined, mnemonic: Token): Read<string> => {
  const t = w === undefined ? mnemonic : at(w, 0)
  return isName(t.text) && w?.tokens.length === 1 ? E.right(t.text) : expected(t, 'a label')
}

const instructionOf = (d: Declared, w: Words): Read<Instruction> => {
  const mnemonic = at(w, 0)
  if (!isName(mnemonic.text)) return expected(mnemonic, 'an instruction')
  if (at(w, 1).text === ':' && w.tokens.length === 2) return E.right({ _tag: 'label', name: mnemonic.text })
  const parts: Token[] = []
  let k = 1
  for (; at(w, k).text === '.'; k += 2) parts.push(at(w, k + 1))
  const bad = parts.find(({ text }) => !/^\w+$/.test(text))
  if (bad !== undefined) return expected(bad, "a part of the instruction's name")
  const kept = parts.filter(({ text }) => !idle.test(text))
  const rest = words(w.tokens.slice(k), w.end)
  const operands = rest.tokens.length === 0 ? [] : splitAt(rest, ',')
  const is = branches.get(mnemonic.text)
  const access = accesses.get(mnemonic.text)
  const op = [...arithmetic, 'mov' as const].find((o) => o === mnemonic.text)
  // `ld r0, 1` gives a register a value
  const moves =
    op === 'mov' ||
    (mnemonic.text === 'ld' && parts.length === 0 && operands.length === 2 && !isLocation(operands[1]!))
  if (moves || op !== undefined)
    return pipe(
      count(mnemonic, operands, moves ? 2 : 3),
      E.bind('to', () => registerOf(operands[0]!)),
      E.bind('a', () => operandOf(operands[1]!)),
      E.bind('b', ({ a }) => (moves ? E.right(a) : operandOf(operands[2]!))),
      E.map(({ to, a, b }): Instruction => ({ _tag: 'set', to, op: op ?? 'mov', a, b })),
    )
  if (access !== undefined) return accessOf(d, mnemonic, access, kept, operands)
  if (is !== undefined)
    return pipe(
      count(mnemonic, operands, 3),
      E.bind('a', () => operandOf(operands[0]!)),
      E.bind('b', () => operandOf(operands[1]!)),
      E.bind('to', () => labelOf(operands[2], mnemonic)),
      E.map(({ a, b, to }): Instruction => ({ _tag: 'branch', when: { is, a, b }, to })),
    )
  switch (mnemonic.text) {
    case 'fence':
      return fenceOf(mnemonic, kept)
    case 'membar':
      return membarOf(mnemonic, kept)
    case 'bar':
    case 'barrier':
      return barrierOf(mnemonic, kept, operands)
    case 'goto':
    case 'bra':
      return pipe(
        labelOf(operands[0], mnemonic),
        E.map((to): Instruction => ({ _tag: 'branch', when: undefined, to })),
      )
    default:
      return unsupported(mnemonic, `the instruction '${mnemonic.text}' is not supported`)
  }
}
const isLocation = (w: Words): boolean => {
  const t = at(w, 0).text
  return t === '[' || (isName(t) && !isRegister(t))
}

// ---------------------------------------------------------------- questions

/** A part of a condition, and where the words after it begin. */
interface Part<A> {
  readonly value: A
  readonly next: number
}

const askedAt = (d: Declared, threads: ReadonlyArray<string>, w: Words, k: number): Read<Part<Asked>> => {
  const t = at(w, k)
  const thread = threadName(t.text)
  if (thread !== undefined && at(w, k + 1).text === ':') {
    const name = at(w, k + 2)
    if (!threads.includes(thread)) return expected(t, `a thread (${threads.join(', ')})`)
    return isRegister(name.text)
      ? E.right({
          value: { _tag: 'register', thread, name: name.text.replace('%', '') },
          next: k + 3,
        })
      : expected(name, 'a register such as r0')
  }
  if (isNumber(t.text)) return E.right({ value: { _tag: 'number', value: Number(t.text) | 0 }, next: k + 1 })
  if (t.text === '-' && isNumber(at(w, k + 1).text))
    return E.right({ value: { _tag: 'number', value: -Number(at(w, k + 1).text) | 0 }, next: k + 2 })
  const bare = t.text === '[' ? at(w, k + 1) : t
  if (!isName(bare.text)) return expected(bare, 'a register such as P0:r0, a location, or a number')
  const { location } = addressIn(d, bare.text)
  if (!d.memory.has(location)) return expected(bare, `a location (${[...d.memory.keys()].join(', ')})`)
  if (bare === t) return E.right({ value: { _tag: 'memory', location }, next: k + 1 })
  return at(w, k + 2).text === ']'
    ? E.right({ value: { _tag: 'memory', location }, next: k + 3 })
    : expected(at(w, k + 2), "']'")
}

const conditionAt = (
  d: Declared,
  threads: ReadonlyArray<string>,
  w: Words,
  start: number,
): Read<Part<StateCondition>> => {
  const single = (k: number): Read<Part<StateCondition>> => {
    const t = at(w, k)
    if (t.text === '~' || t.text === 'not')
      return pipe(
        single(k + 1),
        E.map(({ value, next }) => ({ value: { _tag: 'not' as const, of: value }, next })),
      )
    if (t.text === '(')
      return pipe(
        either(k + 1),
        E.chain((part) =>
          at(w, part.next).text === ')'
            ? E.right({ value: part.value, next: part.next + 1 })
            : expected(at(w, part.next), "')', '/\\' or '\\/'"),
        ),
      )
    return pipe(
      E.Do,
      E.bind('a', () => askedAt(d, threads, w, k)),
      E.bind('is', ({ a }): Read<Comparison> => {
        const is = comparisons.get(at(w, a.next).text)
        return is === undefined ? expected(at(w, a.next), 'a comparison such as ==') : E.right(is)
      }),
      E.bind('b', ({ a }) => askedAt(d, threads, w, a.next + 1)),
      E.map(({ a, is, b }) => ({
        value: { _tag: 'compare' as const, is, a: a.value, b: b.value },
        next: b.next,
      })),
    )
  }
  /** Parts with one word between them. */
  const joined = (
    word: string,
    tag: 'and' | 'or',
    part: (k: number) => Read<Part<StateCondition>>,
    k: number,
  ): Read<Part<StateCondition>> =>
    pipe(
      part(k),
      E.chain((a) =>
        at(w, a.next).text === word
          ? pipe(
              joined(word, tag, part, a.next + 1),
              E.map((b) => ({ value: { _tag: tag, a: a.value, b: b.value }, next: b.next })),
            )
          : E.right(a),
      ),
    )
  const both = (k: number): Read<Part<StateCondition>> => joined('/\\', 'and', single, k)
  const either = (k: number): Read<Part<StateCondition>> => joined('\\/', 'or', both, k)
  return either(start)
}

/** Words of a question, at most: conditions nest. */
const mostWords = 400

interface Asking {
  readonly question: Question
  readonly questionText: string
  readonly shown: ReadonlyArray<Asked>
}

const questionOf = (d: Declared, threads: ReadonlyArray<string>, w: Words): Read<Asking> => {
  if (w.tokens.length > mostWords)
    return unsupported(
      at(w, mostWords),
      `a question of more than ${String(mostWords)} words is not supported`,
    )
  let k = 0
  let filter: StateCondition | undefined
  const shown: Asked[] = []
  if (at(w, k).text === 'locations') {
    if (at(w, k + 1).text !== '[') return expected(at(w, k + 1), "'['")
    k += 2
    while (at(w, k).text !== ']') {
      const asked = askedAt(d, threads, w, k)
      if (E.isLeft(asked)) return asked
      shown.push(asked.right.value)
      k = asked.right.next
      if (at(w, k).text === ';') k++
    }
    k++
  }
  if (at(w, k).text === 'filter') {
    const read = conditionAt(d, threads, w, k + 1)
    if (E.isLeft(read)) return read
    filter = read.right.value
    k = read.right.next
    if (at(w, k).text === ';') k++
  }
  const first = at(w, k)
  if (first.text === 'final')
    return unsupported(first, "'final' is not supported; ask `exists`, `~exists` or `forall`")
  const negated = first.text === '~' || first.text === 'not'
  const word = at(w, negated ? k + 1 : k)
  if (word.text !== 'exists' && (negated || word.text !== 'forall'))
    return expected(word, 'a question: exists, ~exists or forall')
  const begin = negated ? k + 2 : k + 1
  return pipe(
    conditionAt(d, threads, w, begin),
    E.chain(({ value, next }): Read<Asking> => {
      const rest = w.tokens[at(w, next).text === ';' ? next + 1 : next]
      return rest === undefined
        ? E.right({
            question: {
              quantifier: negated ? 'notExists' : word.text === 'exists' ? 'exists' : 'forall',
              condition: value,
              filter,
            },
            questionText: textOf(w.tokens),
            shown,
          })
        : expected(rest, 'the end')
    }),
  )
}

// ---------------------------------------------------------------- a test

const questionWords: ReadonlyArray<string> = ['exists', 'forall', 'filter', 'locations', 'final', '~', 'not']

const testOf = (name: string, tokens: ReadonlyArray<Token>): Read<PtxLitmus> => {
  const last = tokens.at(-1) ?? { text: '', line: 1, column: 1 }
  const end: Token = { text: '', line: last.line, column: last.column + last.text.length }
  const open = tokens.findIndex(({ text }) => text === '{')
  if (open < 0) return expected(end, "'{', then what memory holds")
  const close = tokens.findIndex(({ text }) => text === '}')
  if (close < open) return expected(end, "'}'")
  const declarations = splitAt(words(tokens.slice(open + 1, close), tokens[close] ?? end), ';').filter(
    (w) => w.tokens.length > 0,
  )
  const after = tokens.slice(tokens[close + 1]?.text === ';' ? close + 2 : close + 1)
  const asks = after.findIndex(({ text }) => questionWords.includes(text))
  if (asks < 0) return expected(end, 'a question: exists, ~exists or forall')
  const rows = splitAt(words(after.slice(0, asks), after[asks] ?? end), ';')
  const [header, ...body] = rows
  const loose = rows.at(-1)?.tokens[0]
  if (header === undefined || header.tokens.length === 0)
    return expected(after[asks] ?? end, 'the threads, such as `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`')
  if (loose !== undefined) return expected(after[asks] ?? end, "';' at the end of a row")
  return pipe(
    E.Do,
    E.bind('declared', () =>
      declarations.reduce<Read<Declared>>(
        (d, w) => E.Monad.chain(d, (so) => declare(so, w)),
        E.right({ memory: new Map(), registers: new Map(), addresses: new Map() }),
      ),
    ),
    E.bind('columns', () => each(columnOf)(splitAt(header, '|'))),
    E.bind('cells', ({ columns }) =>
      each((row: Words): Read<ReadonlyArray<Words>> => {
        const cells = splitAt(row, '|')
        const over = cells[columns.length]
        return over === undefined
          ? E.right(cells)
          : expected(at(over, 0), `at most ${String(columns.length)} columns`)
      })(body),
    ),
    E.bind('bodies', ({ declared, columns, cells }) =>
      each((_: Column, k) =>
        each((cell: Words) =>
          pipe(
            instructionOf(declared, cell),
            E.map((instruction) => ({
              instruction,
              source: { text: textOf(cell.tokens), line: at(cell, 0).line },
            })),
          ),
        )(cells.flatMap((row) => (row[k] === undefined || row[k].tokens.length === 0 ? [] : [row[k]]))),
      )(columns),
    ),
    E.chainFirst(({ columns, bodies }) =>
      each((body: (typeof bodies)[number], k) =>
        each(({ instruction, source }: (typeof body)[number]): Read<undefined> =>
          instruction._tag !== 'branch' ||
          body.some((o) => o.instruction._tag === 'label' && o.instruction.name === instruction.to)
            ? E.right(undefined)
            : refuse(
                'litmus.syntax',
                `line ${String(source.line)}: ${columns[k]!.name} has no label '${instruction.to}'`,
              ),
        )(body),
      )(bodies),
    ),
    E.bind('asking', ({ declared, columns, bodies }) => {
      const all = everyLocation(
        declared,
        bodies.flatMap((b) => b.map(({ instruction }) => instruction)),
      )
      return questionOf(
        { memory: all, registers: declared.registers, addresses: declared.addresses },
        columns.map((c) => c.name),
        words(after.slice(asks), end),
      )
    }),
    E.map(({ declared, columns, bodies, asking }): PtxLitmus => ({
      name,
      program: {
        memory: everyLocation(
          declared,
          bodies.flatMap((b) => b.map(({ instruction }) => instruction)),
        ),
        threads: columns.map(({ name: called, place: where }, k) => ({
          name: called,
          place: where,
          registers: declared.registers.get(called) ?? new Map(),
          body: bodies[k]!.map(({ instruction }) => instruction),
        })),
      },
      sources: bodies.map((b) => b.map(({ source }) => source)),
      question: asking.question,
      questionText: asking.questionText,
      shown: asking.shown,
    })),
  )
}

/** What each location holds at first: 0 where nothing says so. */
const everyLocation = (
  { memory }: Declared,
  instructions: ReadonlyArray<Instruction>,
): ReadonlyMap<string, number> =>
  new Map([...instructions.flatMap((i) => ('at' in i ? [[i.at.location, 0] as const] : [])), ...memory])

/**
 * A litmus test, read: a program and a question, for `axioms.answerTo`. A part of the format that is not
 * supported is refused with its line and column.
 *
 * @example
 * ```ts
 * import { readPtxLitmus } from 'tensorcore-spec/dialects/litmus'
 * import { axioms } from 'tensorcore-spec/semantics'
 *
 * const test = readPtxLitmus(`PTX SB
 * {x=0; y=0;}
 * P0@cta 0,gpu 0           | P1@cta 1,gpu 0           ;
 * st.relaxed.gpu x, 1      | st.relaxed.gpu y, 1      ;
 * ld.relaxed.gpu r0, y     | ld.relaxed.gpu r0, x     ;
 * exists (P0:r0 == 0 /\\ P1:r0 == 0)`)
 * const answer = test._tag === 'Right' ? axioms.answerTo(test.right.program, test.right.question) : test
 * console.log(answer._tag === 'Right' && answer.right.holds) // true
 * ```
 */
export const readPtxLitmus = (text: string): E.Either<LitmusTextFailure, PtxLitmus> => {
  const name = /^\s*(?:PTX|ptx)[ \t]+([^\r\n]*)/.exec(text)?.[1]?.trim() ?? ''
  const lineOfName = text.split(/\r?\n/).findIndex((line) => /^\s*(?:PTX|ptx)\s/.test(line)) + 1
  return isPtxLitmus(text)
    ? pipe(
        // the name is free text, and no part of the test
        tokensOf(text.replace(/^(\s*)(?:PTX|ptx)([^\r\n]*)/, (_, space: string) => space)),
        E.chain((tokens) => testOf(name, tokens)),
      )
    : refuse(
        'litmus.syntax',
        `line ${String(Math.max(1, lineOfName))}, column 1: expected 'PTX' and the name of a test`,
      )
}
