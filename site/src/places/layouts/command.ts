/**
 * The line of the terminal that asks what a question of the page asks.
 *
 * Law 1. A request and the command line that it spells have one answer (`src/oracle/serve/methods.ts`); this is that line.
 */
export type Request = Readonly<Record<string, string | boolean | ReadonlyArray<string>>>

/** Params that stand without a name, in their order. */
const operands = ['layout', 'file', 'words', 'layouts', 'transforms'] as const

const plain = /^[\w./=:,+@%-]+$/

/** As a shell takes it. */
export const quoted = (word: string): string => (plain.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)

const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

const isOperand = (name: string): boolean => operands.some((known) => known === name)

const listOf = (value: Request[string] | undefined): ReadonlyArray<string> =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : []

export const commandLine = (method: string, request: Request): string =>
  [
    'tcspec',
    method,
    ...operands.flatMap((name) => listOf(request[name])).map(quoted),
    ...Object.entries(request).flatMap(([name, value]) =>
      isOperand(name) || value === false
        ? []
        : value === true
          ? [`--${kebab(name)}`]
          : [`--${kebab(name)}`, ...listOf(value).map(quoted)],
    ),
  ].join(' ')
