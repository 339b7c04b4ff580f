/**
 * The form of a launch: what `tcspec kernels X.ttgir` says of a module, the fields that it makes, and launch files.
 *
 * A field holds a word of `--arg`; of a tensor the reader sees its extents alone, for its type and its role are the text's.
 *
 * Laws
 *  1. `wordOf(p, extentsOf(p, word))` is the word that was guessed, without the mark of a guess: what the reader writes is none
 *  2. what a field does not refuse, `tcspec check` reads (what the whole launch says may be refused all the same)
 */
import { isMembers, listAt, textAt } from '../../machine/members.js'

export interface Parameter {
  readonly name: string
  readonly kind: 'pointer' | 'descriptor' | 'map' | 'scalar'
  readonly dtype: string
  readonly role: string
  readonly block: ReadonlyArray<number>
  readonly divisor: number
  /** of PTX: where it begins, and how many bytes it has; a field holds its whole word */
  readonly bytes: number | null
  readonly at: number
}

export interface Operation {
  readonly without: string
  readonly name: string
  readonly line: number
  readonly place: string | null
}

export interface Signature {
  readonly name: string
  readonly target: string | null
  readonly warps: number
  readonly ctas: number
  readonly axes: number
  readonly parameters: ReadonlyArray<Parameter>
  readonly grid: string
  /** of PTX; empty: the text says it, or there is none */
  readonly block: string
  readonly shared: string
  readonly entry: string
  readonly arg: Readonly<Record<string, string>>
  readonly operations: ReadonlyArray<Operation>
}

const numberAt = (m: Readonly<Record<string, unknown>>, name: string, otherwise: number): number => {
  const value = m[name]
  return typeof value === 'number' ? value : otherwise
}

/** A word that a command line takes for a guess. */
const guessMark = /:guess$/u

/** `tcspec.signature/1` */
export const readSignature = (u: unknown): Signature | null => {
  if (!isMembers(u) || u['schema'] !== 'tcspec.signature/1') return null
  const example = isMembers(u['example']) ? u['example'] : {}
  const arg = isMembers(example['arg']) ? example['arg'] : {}
  const guessed = listAt(u, 'guessed')
  const marked = (name: string, word: string): string =>
    guessed.includes(name) && word !== '' ? `${word}:guess` : word
  return {
    name: textAt(u, 'name'),
    target: typeof u['target'] === 'string' ? u['target'] : null,
    warps: numberAt(u, 'warps', 4),
    ctas: numberAt(u, 'ctas', 1),
    axes: numberAt(u, 'axes', 1),
    parameters: listAt(u, 'parameters')
      .filter(isMembers)
      .map((p) => ({
        name: textAt(p, 'name'),
        kind:
          p['kind'] === 'pointer' || p['kind'] === 'descriptor' || p['kind'] === 'map' ? p['kind'] : 'scalar',
        dtype: textAt(p, 'dtype'),
        role: textAt(p, 'role'),
        block: listAt(p, 'block').map(Number),
        divisor: numberAt(p, 'divisor', 1),
        bytes: typeof p['bytes'] === 'number' ? p['bytes'] : null,
        at: numberAt(p, 'at', 0),
      })),
    grid: marked('grid', listAt(example, 'grid').join(',')),
    block: marked('block', listAt(example, 'block').join(',')),
    shared: marked('shared', typeof example['shared'] === 'number' ? String(example['shared']) : ''),
    entry: textAt(example, 'entry'),
    arg: Object.fromEntries(Object.keys(arg).map((name) => [name, textAt(arg, name)])),
    operations: listAt(u, 'operations')
      .filter(isMembers)
      .map((o) => ({
        without: textAt(o, 'without'),
        name: textAt(o, 'name'),
        line: numberAt(o, 'line', 0),
        place: typeof o['place'] === 'string' ? o['place'] : null,
      })),
  }
}

// ---------------------------------------------------------------- fields

/** What a field shows of a word. */
export const extentsOf = (p: Parameter, word: string): string =>
  p.bytes !== null
    ? word
    : p.kind === 'scalar'
      ? word.replace(guessMark, '')
      : (/\[([^\]]*)\]/.exec(word)?.[1] ?? word)

export const wordOf = (p: Parameter, shown: string): string =>
  p.kind === 'scalar' || p.bytes !== null || shown === ''
    ? shown.trim()
    : `${p.dtype}[${shown
        .trim()
        .split(/[\s,x]+/)
        .join(',')}]:${p.role}`

/** The type, as a field says it. */
export const typeText = (p: Parameter): string =>
  p.bytes !== null
    ? `${String(p.bytes)} bytes at ${String(p.at)}: ${p.kind === 'map' ? 'a tensor map' : p.kind === 'pointer' ? `the address of ${p.dtype}` : p.dtype}${p.role === '' ? '' : `, ${p.role}`}`
    : p.kind === 'scalar'
      ? `${p.dtype}${p.divisor === 1 ? '' : `, a multiple of ${String(p.divisor)}`}`
      : p.kind === 'descriptor'
        ? `${p.dtype} in blocks of ${p.block.join(' x ')}, ${p.role}`
        : `${p.dtype}, ${p.role}`

const most = 2 ** 31 - 1
const extentsWrong = (text: string): string | null => {
  const extents = text.trim().split(/[\s,x]+/)
  const odd = extents.find((e) => !/^\d{1,10}$/.test(e) || Number(e) < 1 || Number(e) > most)
  return odd === undefined ? null : odd
}

/** What is wrong with a field; null: nothing. */
export const fieldRefusal = (p: Parameter, shown: string): string | null => {
  if (shown.trim() === '')
    return `${p.name}: expected ${p.bytes !== null ? 'a number, or a tensor such as f16[64,64]:in' : p.kind === 'scalar' ? 'a number' : 'extents'}, found nothing`
  if (p.bytes !== null) return null
  if (p.kind !== 'scalar') {
    const odd = extentsWrong(shown)
    if (odd !== null) return `${p.name}: expected positive extents such as 128,64, found '${odd}'`
    const rank = shown.trim().split(/[\s,x]+/).length
    return p.kind === 'descriptor' && rank !== p.block.length
      ? `${p.name}: expected ${String(p.block.length)} extents, as its blocks of ${p.block.join(' x ')}, found ${String(rank)}`
      : null
  }
  const text = shown.trim()
  if (!p.dtype.startsWith('i'))
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || /^(-?inf|nan)$/.test(text)
      ? null
      : `${p.name}: expected a number of type ${p.dtype}, found '${text}'`
  if (p.dtype === 'i1' && /^(true|false|0|1)$/.test(text)) return null
  if (!/^[+-]?\d{1,19}$/.test(text)) return `${p.name}: expected a number of type ${p.dtype}, found '${text}'`
  return BigInt(text.replace('+', '')) % BigInt(p.divisor) === 0n
    ? null
    : `${p.name}: expected a multiple of ${String(p.divisor)}, for which the module was compiled, found ${text}`
}

export const gridRefusal = (said: string): string | null => {
  const grid = said.trim().replace(guessMark, '')
  const extents = grid.trim().split(/[\s,x]+/)
  const odd = extentsWrong(grid)
  return grid.trim() === ''
    ? 'grid: expected one to three extents, found nothing'
    : odd !== null
      ? `grid: expected positive extents such as 2,2, found '${odd}'`
      : extents.length > 3
        ? `grid: expected one to three extents, found ${String(extents.length)}`
        : null
}

/** What is wrong with the fields of a launch, a line each. */
export const wrongFieldsOf = (
  grid: string,
  parameters: ReadonlyArray<Parameter>,
  arg: Readonly<Record<string, string>>,
): ReadonlyArray<string> =>
  [gridRefusal(grid), ...parameters.map((p) => fieldRefusal(p, extentsOf(p, arg[p.name] ?? '')))].filter(
    (line) => line !== null,
  )

// ---------------------------------------------------------------- launch files

/** A launch file of the form: every tensor without a file. */
export const launchFileOf = (
  s: Signature,
  grid: string,
  arg: Readonly<Record<string, string>>,
  computes: string,
): unknown => ({
  schema: 'tcspec.launch/1',
  kernel: s.name,
  grid: grid.split(/[\s,x]+/).map(Number),
  args: Object.fromEntries(
    s.parameters.map((p) => {
      const shown = extentsOf(p, arg[p.name] ?? '')
      const number = Number(shown)
      return [
        p.name,
        p.kind === 'scalar'
          ? shown !== '' && Number.isFinite(number) && String(number) === shown
            ? number
            : shown
          : { tensor: p.name, shape: shown.split(',').map(Number), role: p.role, file: null },
      ]
    }),
  ),
  ...(computes === '' ? {} : { computes }),
})

/** A launch file as words of a form, and what of it words cannot say. */
export interface Read {
  readonly grid: string
  /** in the order of the parameters, or by their names; null: the file does not say the extents */
  readonly args: ReadonlyArray<readonly [key: number | string, word: Word | null]>
  readonly computes: string
  readonly rest: Readonly<Record<string, unknown>>
}
export type Word =
  | { readonly _tag: 'number'; readonly text: string }
  | { readonly _tag: 'extents'; readonly extents: ReadonlyArray<number> }
  /** strides, padding, one tensor behind several: as the launch file has it */
  | { readonly _tag: 'tensor'; readonly said: Readonly<Record<string, unknown>> }

const rowMajor = (shape: ReadonlyArray<number>): string =>
  shape.map((_, k) => shape.slice(k + 1).reduce((n, e) => n * e, 1)).join()

const numbers = (u: unknown): ReadonlyArray<number> | null =>
  Array.isArray(u) && u.every((n): n is number => typeof n === 'number') ? u : null

const wordIn = (a: unknown, shapes: ReadonlyMap<string, ReadonlyArray<number>>): Word | null => {
  if (typeof a === 'number' || typeof a === 'boolean') return { _tag: 'number', text: String(Number(a)) }
  if (typeof a === 'string') {
    if (/^[+-]?(\d|inf|nan)/.test(a)) return { _tag: 'number', text: a }
    const shape = shapes.get(a)
    return shape === undefined ? null : { _tag: 'extents', extents: shape }
  }
  if (!isMembers(a)) return null
  const shape = numbers(a['shape']) ?? shapes.get(textAt(a, 'tensor')) ?? null
  const strides = numbers(a['strides'])
  if (shape === null) return null
  return (strides === null || strides.join() === rowMajor(shape)) && (a['padding'] ?? 'zero') === 'zero'
    ? { _tag: 'extents', extents: shape }
    : {
        _tag: 'tensor',
        said: {
          tensor: textAt(a, 'tensor'),
          shape,
          ...(strides === null ? {} : { strides }),
          ...(a['padding'] === undefined ? {} : { padding: a['padding'] }),
          file: null,
        },
      }
}

const compared = ['kernel', 'num_warps', 'num_ctas', 'arch'] as const

/** `shapes`: extents of the tensors that lie beside it. */
export const readLaunch = (u: unknown, shapes: ReadonlyMap<string, ReadonlyArray<number>>): Read | null => {
  if (!isMembers(u)) return null
  const { args } = u
  const grid = numbers(u['grid'])
  if (grid === null || (!Array.isArray(args) && !isMembers(args))) return null
  const entries: ReadonlyArray<readonly [number | string, unknown]> = Array.isArray(args)
    ? args.map((a: unknown, k) => [k, a] as const)
    : Object.entries(args)
  return {
    grid: grid.join(','),
    args: entries.map(([key, a]) => [key, wordIn(a, shapes)] as const),
    computes: textAt(u, 'computes'),
    rest: Object.fromEntries(compared.flatMap((name) => (u[name] === undefined ? [] : [[name, u[name]]]))),
  }
}

/** What the form says after a launch file was read: words, and the file for what they cannot say. */
export const launched = (
  s: Signature,
  read: Read,
): {
  readonly grid: string
  readonly arg: Readonly<Record<string, string>>
  readonly computes: string
  readonly launch: string
  /** parameters of which the file does not say the extents */
  readonly guessed: ReadonlyArray<string>
} => {
  const arg: Record<string, string> = {}
  const kept: Record<string, unknown> = {}
  const guessed: string[] = []
  for (const [key, word] of read.args) {
    const p = typeof key === 'number' ? s.parameters[key] : s.parameters.find((q) => q.name === key)
    if (p === undefined) continue
    if (word === null) {
      guessed.push(p.name)
      arg[p.name] = s.arg[p.name] ?? ''
    } else if (word._tag === 'tensor') {
      kept[p.name] = word.said
      arg[p.name] = ''
    } else arg[p.name] = word._tag === 'number' ? word.text : wordOf(p, word.extents.join(','))
  }
  return {
    grid: read.grid,
    arg,
    computes: read.computes,
    launch: JSON.stringify({
      grid: read.grid.split(',').map(Number),
      args: kept,
      ...read.rest,
    }),
    guessed,
  }
}

/** A launch file of PTX for the form: the whole file, but that tensors whose files are not there have none. */
export const launchedPtx = (
  u: unknown,
  files: ReadonlySet<string>,
): { readonly grid: string; readonly block: string; readonly launch: string } | null => {
  if (!isMembers(u)) return null
  const grid = numbers(u['grid'])
  if (grid === null || (!Array.isArray(u['args']) && !isMembers(u['args']))) return null
  const outputs = listAt(u, 'outputs')
  const known = (a: unknown): unknown => {
    if (Array.isArray(a)) return a.map(known)
    if (!isMembers(a)) return a
    if (Array.isArray(a['fields'])) return { ...a, fields: a['fields'].map(known) }
    if (typeof a['tensor'] !== 'string') return a
    const file = typeof a['file'] === 'string' ? a['file'] : `${a['tensor']}.npy`
    const isExpected =
      outputs.includes(a['tensor']) && a['file'] === undefined && (a['role'] ?? 'out') === 'out'
    return files.has(file) || isExpected ? a : { ...a, file: null }
  }
  const args = isMembers(u['args'])
    ? Object.fromEntries(Object.entries(u['args']).map(([name, a]) => [name, known(a)]))
    : known(u['args'])
  return {
    grid: grid.join(','),
    block: numbers(u['block'])?.join(',') ?? '',
    launch: JSON.stringify({
      ...u,
      args,
      ...(u['globals'] === undefined ? {} : { globals: known(u['globals']) }),
    }),
  }
}

/** Extents in the header of an npy file; null: it is none. */
export const npyShape = (bytes: Uint8Array): ReadonlyArray<number> | null => {
  const head = Array.from(bytes.slice(0, 256), (c) => String.fromCharCode(c)).join('')
  if (!head.startsWith('\u0093NUMPY')) return null
  const shape = /'shape':\s*\(([^)]*)\)/.exec(head)?.[1]
  return shape === undefined
    ? null
    : shape
        .split(',')
        .map((e) => e.trim())
        .filter((e) => e !== '')
        .map(Number)
}
