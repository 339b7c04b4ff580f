/** The page of the surfaces: what each operation elaborates to, where it is defined, what runs it; and everything that is refused. */
import type { NotModelled } from './not-modelled.js'
import type { Refusal } from './refusal.js'
import { elaboratesTo, type Row } from './row.js'

/** A surface: its rows, and its refusals with who says so elsewhere. */
export interface Surface<S, Code extends string> {
  readonly title: string
  readonly folder: string
  readonly says: string
  readonly surface: S
  readonly rooms: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<Row<S>>]>
  readonly codes: Readonly<Record<Code, string>>
  readonly refusals: ReadonlyArray<Refusal<Code>>
  readonly notModelled?: ReadonlyArray<NotModelled>
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const code = (text: string): string => `\`${text}\``

const elaboration = <S>(row: Row<S>, surface: S): string => {
  switch (row.kind) {
    case 'statements':
    case 'hint':
      return elaboratesTo(row, surface).map(code).join(' ')
    case 'view':
      return 'an expression'
    case 'storage':
      return 'a declaration'
    case 'frame':
      return 'what surrounds a body'
  }
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

const room = <S>(surface: S, title: string, rows: ReadonlyArray<Row<S>>): string =>
  [
    `### ${title}`,
    table(
      ['operation', 'called', 'elaborates to', 'its kernel', 'defined in'],
      rows.map((r) => [
        code(r.operation),
        r.names.map(code).join(' '),
        elaboration(r, surface),
        r.example.name,
        r.page,
      ]),
    ),
  ].join('\n\n')

const section = <S, Code extends string>(s: Surface<S, Code>): string =>
  [
    `## ${s.title}`,
    `In \`${s.folder}\`.`,
    ...s.rooms.map(([title, rows]) => room(s.surface, title, rows)),
    ...(s.refusals.length === 0
      ? []
      : [
          `### Refused`,
          table(
            ['code', s.says, 'the whole message, for example'],
            s.refusals.map((r) => [code(r.code), s.codes[r.code], r.message]),
          ),
        ]),
    ...(s.notModelled === undefined
      ? []
      : [
          '### Not modelled',
          table(
            ['what', 'why', 'described in'],
            s.notModelled.map((n) => [n.what, n.why, n.page]),
          ),
        ]),
  ].join('\n\n')

const essay = `# The surfaces

The operations that people write, and the instructions that they become. A surface becomes instructions of the core. It has names and preconditions of its own; the core alone defines what the instructions mean. The tables below are generated from the code. Each row has a small kernel that needs its operation: its result is right, and it is wrong once the operation does nothing. (\`proofs-by-test/dialects/coverage\`: a test under the
operation's name, and one for each refusal.)`

export const page = (sections: ReadonlyArray<string>): string => `${[essay, ...sections].join('\n\n')}\n`
export const sectionOf: <S, Code extends string>(s: Surface<S, Code>) => string = section
