/**
 * The notation in which `formats.ts` says how an operation is written; a row is read once, into pieces, and the reader and the printer follow them.
 *
 * | in a row        | in the text                                                                      |
 * |-----------------|----------------------------------------------------------------------------------|
 * | `$x`            | one value                                                                        |
 * | `$x...`         | any number of values, with commas between                                        |
 * | `@x:int`        | an attribute that is written inline: a number; `string`, `symbol`; `ints`: numbers with commas between; `any`: whatever it is; `flag`: its own name; `words`, `flags`: any words with commas between, and blanks behind them or none |
 * | `@x:cta\|gpu`   | an attribute that is one of these words                                          |
 * | `{}`            | the dictionary of the attributes that are not written inline, if there are any   |
 * | `T(x)`          | the type of `x`; `T(x y)`: of both, which is one; `T(x...)`: one for each         |
 * | `B(x)`          | the same without the name of a memory descriptor                                 |
 * | `F`             | the types of all values, `->`, and those of the results                          |
 * | `[? ... ?]`     | a group that stands there if its first value or attribute does; one that begins with a type, unless that is i1 |
 * | `[* ... *]`     | a group for each value of its lists                                              |
 * | anything else   | itself                                                                           |
 *
 *     $src [ $index ] {} : T(src) -> T(result)
 *     %x[%c0] {a = 1 : i32} : !ttg.memdesc<...> -> !ttg.memdesc<...>
 *
 * Names in a `T` that are no values are results, in the order in which they come.
 *
 * Law 1. Every row of `formats.ts` is read, and its pieces shown again are the row.
 */
const inlines = ['int', 'string', 'symbol', 'ints', 'any', 'flag', 'words', 'flags'] as const
export type Inline = (typeof inlines)[number] | ReadonlyArray<string>

export type Piece =
  | { readonly _tag: 'text'; readonly text: string }
  | { readonly _tag: 'value'; readonly name: string; readonly many: boolean }
  | { readonly _tag: 'inline'; readonly name: string; readonly kind: Inline }
  | { readonly _tag: 'dictionary' }
  | {
      readonly _tag: 'types'
      readonly names: ReadonlyArray<string>
      readonly many: boolean
      readonly bare: boolean
    }
  | { readonly _tag: 'function' }
  | { readonly _tag: 'optional'; readonly pieces: ReadonlyArray<Piece> }
  | { readonly _tag: 'repeated'; readonly pieces: ReadonlyArray<Piece> }

const pieceOf = (word: string): Piece => {
  const value = /^\$(\w+)(\.\.\.)?$/.exec(word)
  if (value !== null) return { _tag: 'value', name: value[1]!, many: value[2] !== undefined }
  const inline = /^@(\w+):([\w|]+)$/.exec(word)
  if (inline !== null)
    return {
      _tag: 'inline',
      name: inline[1]!,
      kind: inlines.find((kind) => kind === inline[2]) ?? inline[2]!.split('|'),
    }
  const types = /^([TB])\(([\w ]+)(\.\.\.)?\)$/.exec(word)
  if (types !== null)
    return {
      _tag: 'types',
      names: types[2]!.split(' '),
      many: types[3] !== undefined,
      bare: types[1] === 'B',
    }
  if (word === '{}') return { _tag: 'dictionary' }
  if (word === 'F') return { _tag: 'function' }
  return { _tag: 'text', text: word }
}

/** The pieces of a row. */
export const piecesOf = (row: string): ReadonlyArray<Piece> => {
  const words = row.match(/[TB]\([^)]*\)|\S+/g) ?? []
  let at = 0
  const until = (close: string | null): ReadonlyArray<Piece> => {
    const pieces: Piece[] = []
    while (at < words.length && words[at] !== close) {
      const word = words[at]!
      at += 1
      if (word === '[?') pieces.push({ _tag: 'optional', pieces: until('?]') })
      else if (word === '[*') pieces.push({ _tag: 'repeated', pieces: until('*]') })
      else pieces.push(pieceOf(word))
    }
    at += 1
    return pieces
  }
  return until(null)
}

/** A row again. */
export const showPieces = (pieces: ReadonlyArray<Piece>): string =>
  pieces
    .map((piece) => {
      switch (piece._tag) {
        case 'text':
          return piece.text
        case 'value':
          return `$${piece.name}${piece.many ? '...' : ''}`
        case 'inline':
          return `@${piece.name}:${typeof piece.kind === 'string' ? piece.kind : piece.kind.join('|')}`
        case 'dictionary':
          return '{}'
        case 'types':
          return `${piece.bare ? 'B' : 'T'}(${piece.names.join(' ')}${piece.many ? '...' : ''})`
        case 'function':
          return 'F'
        case 'optional':
          return `[? ${showPieces(piece.pieces)} ?]`
        case 'repeated':
          return `[* ${showPieces(piece.pieces)} *]`
      }
    })
    .join(' ')

/** Everything that the pieces name, groups opened. */
export const flat = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  pieces.flatMap((piece) =>
    piece._tag === 'optional' || piece._tag === 'repeated' ? flat(piece.pieces) : [piece],
  )
