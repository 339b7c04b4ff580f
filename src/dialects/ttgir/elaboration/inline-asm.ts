/**
 * `tt.elementwise_inline_asm`: PTX in the text of a kernel.
 *
 * Only what orders grids is taken: a launch here is the only one, so no grid is waited for and none is told.
 *
 *     griddepcontrol.wait; // dummy $0               nothing (`tl.extra.cuda.gdc_wait`)
 *     griddepcontrol.launch_dependents; // dummy $0  nothing (`gdc_launch_dependents`)
 *
 * Any other text is an instruction of lanes, and a tile of this language has none. The PTX of the kernel has the text as it is.
 *
 * Source: Triton 3.6, dialect tt, and its language extension for CUDA; PTX ISA, griddepcontrol.
 */
import * as X from '../../../semantics/language/expression.js'
import { isReadIn } from './distinct.js'
import { refusedAt, type Row, type Rows } from './here.js'
import { attributeOf } from '../text/syntax.js'

const ofGrids: ReadonlySet<string> = new Set(['griddepcontrol.wait', 'griddepcontrol.launch_dependents'])

/** The statements of a text of PTX, without comments. */
const statementsIn = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/\/\/[^\n]*|\/\*[^]*?\*\//g, '')
    .split(';')
    .map((s) => s.trim())
    .filter((s) => s !== '')

const inlineAsm: Row = function* (h, op) {
  const asked = attributeOf(op.attributes, 'asm_string')
  const text = asked?._tag === 'string' ? asked.value : ''
  const isRead = isReadIn(h.body, op)
  const statements = statementsIn(text)
  if (isRead || statements.length === 0 || !statements.every((s) => ofGrids.has(s)))
    return yield* refusedAt(
      op,
      'griddepcontrol, whose result nothing reads',
      'other PTX, which is read in the PTX of the kernel alone (level="ptx")',
    )
  // a dummy that the constraint asks for
  return op.results.map(() => X.i32(0))
}

export const inlineAsmRows: Rows = { 'tt.elementwise_inline_asm': inlineAsm }
