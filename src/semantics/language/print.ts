/**
 * Printing: a program as a listing to read.
 *
 * One statement a line, regions indented, the site at the end of the line. Expressions are written as applications; a
 * storage is `@name`, a constant carries its dtype unless it is an i32. Layouts are long and repeat, so each is printed
 * once, at the top, and called by its number after that.
 *
 *     kernel twice on sm90a
 *     layout R0 = (128,) 32 bits strides (1,)
 *     in tensor a: f32 [128] strides [1]
 *     agent wg: warpgroup, warps 0 to 3
 *     entry
 *       x: tile f32 (128,) any = gmem.load source=tensor(a)                      # x
 *       let y: tile f32 (128,) any = add(x, x)                                   # y
 *
 * Laws
 * 1. Injective: programs that differ print differently.
 * 2. Stable: equal programs print equally.
 */
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { nameOf } from '../../layouts/register-layout.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { showShape } from '../../transforms/shape.js'
import { partsOf, type ExprNode } from './expression.js'
import type { Instruction } from './instruction.js'
import type { Binder, Param, Program, Region, Site, Stmt, Storage } from './program.js'
import { attributesOf, operandsOf } from './signature.js'
import type { Type } from './types.js'

// ---------------------------------------------------------------- layouts

/** The layouts of one listing in the order in which they were met: a table that grows while the listing is made. */
interface Layouts {
  readonly refs: Map<string, string>
  readonly registers: Map<string, string>
}

const numbered = (table: Map<string, string>, prefix: string, form: string): string => {
  const known = table.get(form)
  if (known !== undefined) return known
  const name = `${prefix}${String(table.size)}`
  table.set(form, name)
  return name
}

const list = (items: ReadonlyArray<string>): string => `[${items.join(', ')}]`
const numbers = (items: ReadonlyArray<number>): string => `[${items.join(', ')}]`

const refForm = (layout: TransformedRef): string => {
  const { shape, bits, tiling, strides, byteOffset, swizzle } = layout
  const tiles = tiling.length === 0 ? '' : ` tiles ${tiling.map(showShape).join('')}`
  const offset = byteOffset === 0 ? '' : ` offset ${String(byteOffset)}`
  const swizzled = swizzle === 16 ? '' : ` swizzle ${String(swizzle)}`
  return `${showShape(shape)} ${String(bits)} bits${tiles} strides ${showShape(strides)}${offset}${swizzled}`
}
const ref = (layouts: Layouts, layout: TransformedRef): string => numbered(layouts.refs, 'R', refForm(layout))

const registerForm = (layout: RegisterLayout): string => {
  const known = nameOf(layout)
  return known === null ? JSON.stringify(layout) : `${known} ${JSON.stringify(layout)}`
}
const registerLayout = (layouts: Layouts, layout: RegisterLayout | 'any'): string =>
  layout === 'any' ? 'any' : numbered(layouts.registers, 'L', registerForm(layout))

const type = (layouts: Layouts, of: Type): string => {
  switch (of._tag) {
    case 'scalar':
      return of.dtype
    case 'ptr':
      return `ptr ${of.dtype}`
    case 'view':
      return `view ${of.space} ${of.dtype} ${ref(layouts, of.layout)}`
    case 'barrier':
      return `barrier ${of.contract}${of.ordersTensorCore ? ' tensor-core' : ''} ${numbers(of.shape)}`
    case 'descriptor':
      return `descriptor ${of.dtype} rank ${String(of.rank)}`
    case 'tile':
      return `tile ${type(layouts, of.element)} ${showShape(of.shape)} ${registerLayout(layouts, of.layout)}`
    case 'token':
      return 'token'
  }
}

// ---------------------------------------------------------------- expressions

/** A name that could be read as something else is quoted. */
const named = (name: string): string => (/^[A-Za-z_][\w.-]*$/.test(name) ? name : `%${JSON.stringify(name)}`)

const call = (f: string, args: ReadonlyArray<string>): string => `${f}(${args.join(', ')})`

const expression =
  (layouts: Layouts) =>
  (e: ExprNode): string => {
    const of = expression(layouts)
    switch (e._tag) {
      case 'const': {
        const value = typeof e.value === 'string' ? JSON.stringify(e.value) : String(e.value)
        return e.dtype === 'i32' ? value : `${value}:${e.dtype}`
      }
      case 'name':
        return named(e.name)
      case 'local':
        return `$${String(e.slot)}`
      case 'place':
        return call(e.of, [String(e.axis)])
      case 'unary':
        return call(e.mode === 'rn' ? e.op : `${e.op}.approx`, [of(e.x)])
      case 'binary':
        return call(e.op, [of(e.x), of(e.y)])
      case 'compare':
        return call(e.signed ? e.op : `${e.op}U`, [of(e.x), of(e.y)])
      case 'convert':
        return call(
          `${e.op}.${e.to}${e.rounding === 'rn' ? '' : `.${e.rounding}`}${e.saturate ? '.sat' : ''}`,
          [of(e.x)],
        )
      case 'pack':
        return call(`pack.${e.to}`, e.parts.map(of))
      case 'unpack':
        return call(`unpack.${e.to}`, [of(e.x), String(e.part)])
      case 'convertLayout':
        return call('convertLayout', [of(e.x), registerLayout(layouts, e.layout)])
      case 'vote':
        return call(`vote.${e.of}`, [of(e.x)])
      case 'paramPtr':
        return call('ptr', [e.param])
      case 'storage':
        return `@${e.storage}`
      case 'slot':
        return `${of(e.of)}[${of(e.index)}]`
      default:
        return call(e._tag, argumentsOf(layouts, e))
    }
  }

/** The parts of its row, in their order; of a layout nothing is said where it may be any. */
const argumentsOf = (layouts: Layouts, e: ExprNode): ReadonlyArray<string> => {
  const of = expression(layouts)
  return partsOf(e).flatMap((part) => {
    switch (part.word) {
      case 'expr':
        return [of(part.value)]
      case 'expr ...':
        return [list(part.value.map(of))]
      case 'nat ...':
        return [numbers(part.value)]
      case 'ref':
        return [ref(layouts, part.value)]
      case 'layout':
        return part.value === 'any' ? [] : [registerLayout(layouts, part.value)]
      case 'combine': {
        const { params, body, result } = part.value
        const lets = body.map(({ name, value }) => `let ${name} = ${of(value)}; `).join('')
        return [`(${params.join(', ')}) => ${lets}${of(result)}`]
      }
      case 'nat':
      case 'bool':
      case 'dtype':
      case 'scalar':
      case 'literal':
      case 'text':
      case 'unary':
      case 'binary':
      case 'integer':
      case 'choice':
        return [String(part.value)]
    }
  })
}

// ---------------------------------------------------------------- statements

const instruction = (layouts: Layouts, of: Instruction): string => {
  const operands = operandsOf(of).map(({ field, expr }) => `${field}=${expression(layouts)(expr)}`)
  const attributes = attributesOf(of).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [of._tag, ...operands, ...attributes].join(' ')
}

const siteText = ({ label, path, loc }: Site): string => {
  const word = (text: string): string => (/^[^"/#\s]+( [^"/#\s]+)*$/.test(text) ? text : JSON.stringify(text))
  return `${[...path, label].map(word).join(' / ')}${loc === undefined ? '' : ` at ${JSON.stringify(loc)}`}`
}

/** A line of a listing, and the statement that it begins. */
export interface Line {
  readonly depth: number
  readonly text: string
  readonly site: Site | null
}
const line = (depth: number, text: string, site: Site | null = null): Line => ({ depth, text, site })

const siteColumn = 78
const showLine = ({ depth, text, site }: Line): string => {
  const indented = `${'  '.repeat(depth)}${text}`
  return site === null ? indented : `${indented.padEnd(siteColumn)} # ${siteText(site)}`
}

const binders = (layouts: Layouts, of: ReadonlyArray<Binder>): string =>
  of.map(({ name, type: t }) => `${named(name)}: ${type(layouts, t)}`).join(', ')

const carriedText = (
  layouts: Layouts,
  carried: ReadonlyArray<{ readonly binder: Binder; readonly init: ExprNode }>,
): string =>
  carried.map(({ binder, init }) => `${binders(layouts, [binder])} = ${expression(layouts)(init)}`).join(', ')

const region = (layouts: Layouts, depth: number, of: Region): ReadonlyArray<Line> => [
  ...(of.params.length === 0 ? [] : [line(depth, `given ${binders(layouts, of.params)}`)]),
  ...of.body.flatMap((stmt) => statement(layouts, depth, stmt)),
  ...(of.yields.length === 0 ? [] : [line(depth, `yield ${of.yields.map(expression(layouts)).join(', ')}`)]),
]

const statement = (layouts: Layouts, depth: number, stmt: Stmt): ReadonlyArray<Line> => {
  const of = expression(layouts)
  const results =
    stmt._tag === 'Let' || stmt.results.length === 0 ? '' : `${binders(layouts, stmt.results)} = `
  switch (stmt._tag) {
    case 'Let':
      return [line(depth, `let ${binders(layouts, [stmt.binder])} = ${of(stmt.expr)}`, stmt.site)]
    case 'Do': {
      const when = stmt.when === undefined ? '' : ` when ${of(stmt.when)}`
      return [line(depth, `${results}${instruction(layouts, stmt.instruction)}${when}`, stmt.site)]
    }
    case 'For': {
      const carry = stmt.carried.length === 0 ? '' : ` carry ${carriedText(layouts, stmt.carried)}`
      const index = binders(layouts, [stmt.index])
      return [
        line(
          depth,
          `${results}for ${index} from ${of(stmt.from)} to ${of(stmt.to)} step ${of(stmt.step)}${carry}`,
          stmt.site,
        ),
        ...region(layouts, depth + 1, stmt.body),
      ]
    }
    case 'While':
      return [
        line(depth, `${results}while carry ${carriedText(layouts, stmt.carried)}`, stmt.site),
        ...region(layouts, depth + 1, stmt.before),
        line(depth, 'do'),
        ...region(layouts, depth + 1, stmt.after),
      ]
    case 'If':
      return [
        line(depth, `${results}if ${of(stmt.cond)}`, stmt.site),
        ...region(layouts, depth + 1, stmt.then),
        ...(stmt.else.body.length + stmt.else.yields.length + stmt.else.params.length === 0
          ? []
          : [line(depth, 'else'), ...region(layouts, depth + 1, stmt.else)]),
      ]
    case 'Fork':
      return [
        line(depth, `${results}fork`, stmt.site),
        ...stmt.branches.flatMap(({ agent, captures, body }) => [
          line(
            depth + 1,
            `branch ${agent}${
              captures.length === 0
                ? ''
                : ` captures ${carriedText(
                    layouts,
                    captures.map(({ binder, value }) => ({ binder, init: value })),
                  )}`
            }`,
          ),
          ...region(layouts, depth + 2, body),
        ]),
      ]
  }
}

// ---------------------------------------------------------------- declarations

const param = (layouts: Layouts, of: Param): string => {
  const all = (exprs: ReadonlyArray<ExprNode>): string => list(exprs.map(expression(layouts)))
  switch (of._tag) {
    case 'tensor':
      return `${of.role} tensor ${of.name}: ${of.dtype} ${all(of.shape)} strides ${all(of.strides)}`
    case 'scalar':
      return `scalar ${of.name}: ${of.dtype}`
    case 'descriptor':
      return `descriptor ${of.name} of ${of.tensor}: ${all(of.dims)} strides ${all(of.strides)} box ${numbers(of.box)} by ${numbers(of.elementStrides)} swizzle ${String(of.swizzle)} fill ${of.fill}${of.padded === true ? ' padded' : ''}`
  }
}

const storage = (layouts: Layouts, of: Storage): string => {
  const owner = of.owner === 'cta' ? '' : ` of ${of.owner.agent}`
  const what =
    of.contents._tag === 'elements'
      ? `${of.contents.dtype} ${ref(layouts, of.contents.layout)}`
      : type(layouts, {
          _tag: 'barrier',
          contract: of.contents.contract,
          ordersTensorCore: of.contents.ordersTensorCore,
          shape: of.contents.shape,
        })
  const offset = of.offset === undefined ? '' : ` at ${String(of.offset)}`
  const alias =
    of.alias === undefined ? '' : ` member ${String(of.alias.member)} of ${JSON.stringify(of.alias.union)}`
  return `${of.space}${owner} ${of.id}: ${what}, ${String(of.bits)} bits align ${String(of.align)}${offset}${alias}`
}

/** The whole listing, line by line. */
export const listing = (program: Program): ReadonlyArray<Line> => {
  const layouts: Layouts = { refs: new Map(), registers: new Map() }
  const { launch } = program
  const body = [
    ...[
      ...program.params.map((one) => param(layouts, one)),
      `grid ${list(launch.grid.map(expression(layouts)))} cluster ${numbers(launch.cluster)}`,
      ...launch.agents.map(
        ({ name, kind, firstWarp, warps, registers }) =>
          `agent ${name}: ${kind}, warps ${String(firstWarp)} to ${String(firstWarp + warps - 1)}${registers === undefined ? '' : `, ${String(registers)} registers`}`,
      ),
      ...program.storage.map((one) => storage(layouts, one)),
      ...(program.computes === undefined ? [] : [`computes ${JSON.stringify(program.computes)}`]),
      'entry',
    ].map((text) => line(0, text)),
    ...region(layouts, 1, program.entry),
  ]
  const table = [...layouts.refs, ...layouts.registers].map(([form, name]) =>
    line(0, `layout ${name} = ${form}`),
  )
  return [line(0, `kernel ${program.name} on ${program.arch}`), ...table, ...body]
}

/**
 * The whole listing.
 *
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import { print } from 'tensorcore-spec/semantics'
 *
 * const kernel = kernelNamed('zoo/R1')
 * const made = kernel._tag === 'Right' ? instanceOf(kernel.right, {}, []) : kernel
 * console.log(made._tag === 'Right' ? print.print(made.right.program).split('\n')[0] : made.left.message) // kernel zoo/R1 on sm90a
 * ```
 */
export const print = (program: Program): string => [...listing(program).map(showLine), ''].join('\n')

/** One expression, as listings write it. */
export const printExpr = (e: ExprNode): string => expression({ refs: new Map(), registers: new Map() })(e)
