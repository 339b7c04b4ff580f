/**
 * Listings of small kernels: what is declared, then who does what, one statement a line.
 *
 * Shorter than `print`, which leaves nothing out: here the label stands first, operands that are clear by their place have no name, and what
 * is the same in every kernel of a page is not said.
 *
 *     smem s: f32 (8, 32)
 *     init full             mbarrier.init @full count=1
 *     producer
 *       load s.expect       mbarrier.arriveExpectTx @full bytes=1024
 *       load s              tma.load x_map [0, 0] -> @s, @full
 *
 * `compared` sets two listings side by side as a diff: what only the first has with `-`, what only the second has with `+`.
 *
 * Laws
 * 1. A listing has a line for each declaration of memory, each statement and each branch.
 * 2. The lines of a comparison without `+` are the first listing, those without `-` the second.
 */
import { showShape } from '../../transforms/shape.js'
import type { Instruction } from '../../semantics/language/instruction.js'
import { printExpr } from '../../semantics/language/print.js'
import type { Program, Region, Stmt, Storage } from '../../semantics/language/program.js'
import { attributesOf, operandsOf } from '../../semantics/language/signature.js'

// ---------------------------------------------------------------- declarations

const storageLine = (s: Storage): string => {
  const { contents } = s
  if (contents._tag === 'barriers') {
    const what = [
      ...(contents.contract === 'pallas' ? ['pallas'] : []),
      ...(contents.ordersTensorCore ? ['orders the tensor core'] : []),
    ]
    return `barrier ${s.id}${contents.shape.length === 0 ? '' : ` ${showShape(contents.shape)}`}${what.length === 0 ? '' : `: ${what.join(', ')}`}`
  }
  const { shape, tiling, swizzle } = contents.layout
  const owner = s.owner === 'cta' ? '' : ` of ${s.owner.agent}`
  const tiles = tiling.length === 0 ? '' : `, tiles ${tiling.map(showShape).join('')}`
  const swizzled = swizzle === 16 ? '' : `, swizzle ${String(swizzle)}, at a multiple of ${String(s.align)}`
  return `${s.space}${owner} ${s.id}: ${contents.dtype} ${showShape(shape)}${tiles}${swizzled}`
}

const declarations = (p: Program): ReadonlyArray<string> => [
  ...p.launch.agents.flatMap((a) =>
    a.registers === undefined ? [] : [`agent ${a.name}: ${String(a.registers)} registers a thread`],
  ),
  ...p.storage.map(storageLine),
]

// ---------------------------------------------------------------- statements

/** Operands that need no name. */
const unnamed: ReadonlyArray<string> = ['barrier', 'descriptor', 'source', 'accumulator', 'a', 'b', 'at']
/** What no kernel of these pages says otherwise. */
const usual: ReadonlyArray<string> = [
  'release=true',
  'acquire=true',
  'scope="cta"',
  'ctaGroup=1',
  'relaxed=false',
  'negateA=false',
  'negateB=false',
  'read=false',
]

const bare = (text: string): string => text.replace(/^(descriptor|tensor)\(([^()]*)\)$/, '$2')

const instructionText = (i: Instruction): string => {
  const coords: string[] = []
  const words: string[] = []
  const into: string[] = []
  for (const { field, expr } of operandsOf(i)) {
    const text = bare(printExpr(expr))
    if (field.startsWith('coords')) coords.push(text)
    else if (field === 'destination') into.push(text)
    else words.push(unnamed.includes(field) ? text : `${field}=${text}`)
  }
  const first = i._tag === 'tma.load' ? words.slice(0, 1) : words
  const rest = i._tag === 'tma.load' ? words.slice(1) : []
  const attributes = attributesOf(i)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .filter((text) => !usual.includes(text))
  return [
    i._tag,
    ...first,
    ...(coords.length === 0 ? [] : [`[${coords.join(', ')}]`]),
    ...(into.length === 0 ? [] : ['->', ...into]),
    ...rest,
    ...attributes,
  ].join(' ')
}

const labelled = (depth: number, label: string, text: string): string =>
  `${'  '.repeat(depth)}${label.padEnd(Math.max(1, 22 - 2 * depth))} ${text}`.trimEnd()

const lines = (depth: number, region: Region): ReadonlyArray<string> =>
  region.body.flatMap((s) => statement(depth, s))

const statement = (depth: number, s: Stmt): ReadonlyArray<string> => {
  const { label } = s.site
  switch (s._tag) {
    case 'Let':
      return [labelled(depth, label, `= ${printExpr(s.expr)}`)]
    case 'Do': {
      const when = s.when === undefined ? '' : `  if ${printExpr(s.when)}`
      return [labelled(depth, label, `${instructionText(s.instruction)}${when}`)]
    }
    case 'For':
      return [
        labelled(
          depth,
          label,
          `for ${s.index.name} from ${printExpr(s.from)} to ${printExpr(s.to)} by ${printExpr(s.step)}`,
        ),
        ...lines(depth + 1, s.body),
      ]
    case 'While':
      return [labelled(depth, label, 'while'), ...lines(depth + 1, s.before), ...lines(depth + 1, s.after)]
    case 'If':
      return [
        labelled(depth, label, `if ${printExpr(s.cond)}`),
        ...lines(depth + 1, s.then),
        ...(s.else.body.length === 0 ? [] : [labelled(depth, 'else', ''), ...lines(depth + 1, s.else)]),
      ]
    case 'Fork':
      return s.branches.flatMap((b) => [labelled(depth, b.agent, ''), ...lines(depth + 1, b.body)])
  }
}

export const listing = (p: Program): ReadonlyArray<string> => [...declarations(p), ...lines(0, p.entry)]

// ---------------------------------------------------------------- two of them

/** Lengths of the longest common subsequences of the ends. */
const common = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<number>> => {
  const out = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      out[i]![j] = a[i] === b[j] ? out[i + 1]![j + 1]! + 1 : Math.max(out[i + 1]![j]!, out[i]![j + 1]!)
  return out
}

/** The first, with what the second leaves out marked `-` and what it adds marked `+`. */
export const compared = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lengths = common(a, b)
  const out: string[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push(`  ${a[i]!}`)
      i++
      j++
    } else if (j >= b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      out.push(`- ${a[i]!}`)
      i++
    } else {
      out.push(`+ ${b[j]!}`)
      j++
    }
  }
  return out
}
