/**
 * Statements that a change of a text needs, as the parser would have made them: at the place of the instruction that is changed, in its line of the source.
 *
 *     zeroed      mov.b32 %r1, 0;
 *     settled     setp.eq.u32 %p1, 0, 0;      true
 *     scoped      { .reg .b32 %changed; xor.b32 %changed, %r1, 1; ... }
 *
 * Law 1. What is written here is printed and read again as itself.
 */
import type {
  Constant,
  Guard,
  Instruction,
  IntegerConstant,
  Name,
  Operand,
  Statement,
  TypeName,
} from '../text/module.js'

export const integer = (value: bigint | number): IntegerConstant => ({
  _tag: 'integer',
  value: BigInt(value),
  unsigned: false,
  text: String(value),
})

const zeroFloat = (width: 32 | 64): Constant => ({
  _tag: 'float',
  width,
  bits: 0n,
  text: `0${width === 32 ? 'f' : 'd'}${'0'.repeat(width / 4)}`,
})

export const name = (like: Instruction, text: string): Name => ({
  _tag: 'name',
  at: like.at,
  name: text,
  selector: null,
  offset: 0,
})

/** An instruction that stands where another does. */
export const instruction = (
  like: Instruction,
  guard: Guard | null,
  opcode: string,
  operands: ReadonlyArray<Operand>,
): Instruction => ({
  _tag: 'instruction',
  at: like.at,
  guard,
  opcode,
  operands,
  location: like.location,
})

export const withOpcode = (i: Instruction, opcode: string): Instruction =>
  instruction(i, i.guard, opcode, i.operands)

export const withOperand = (i: Instruction, k: number, by: Operand): Instruction =>
  instruction(
    i,
    i.guard,
    i.opcode,
    i.operands.map((o, j) => (j === k ? by : o)),
  )

/** A predicate of a known value. */
export const settled = (like: Instruction, guard: Guard | null, of: Name, value: boolean): Instruction =>
  instruction(like, guard, value ? 'setp.eq.u32' : 'setp.ne.u32', [of, integer(0), integer(0)])

/** A register that holds zero; null: of a type that nothing is written of. */
export const zeroed = (
  like: Instruction,
  guard: Guard | null,
  of: Name,
  type: TypeName,
): Instruction | null => {
  switch (type) {
    case 'pred':
      return settled(like, guard, of, false)
    case 'f32':
    case 'f64':
      return instruction(like, guard, `mov.${type}`, [of, zeroFloat(type === 'f32' ? 32 : 64)])
    case 'b16':
    case 'u16':
    case 's16':
    case 'b32':
    case 'u32':
    case 's32':
    case 'b64':
    case 'u64':
    case 's64':
      return instruction(like, guard, `mov.${type}`, [of, integer(0)])
    case 'f16':
    case 'bf16':
      return instruction(like, guard, 'mov.b16', [of, integer(0)])
    case 'f16x2':
    case 'bf16x2':
      return instruction(like, guard, 'mov.b32', [of, integer(0)])
    case 'b8':
    case 'u8':
    case 's8':
    case 'b128':
      return null
  }
}

/** Statements with registers of their own. */
export const scopedOf = (
  like: Instruction,
  registers: ReadonlyArray<readonly [type: TypeName, name: string]>,
  body: ReadonlyArray<Statement>,
): Statement => ({
  _tag: 'scope',
  at: like.at,
  body: [
    ...registers.map(([type, text]): Statement => ({
      _tag: 'registers',
      at: like.at,
      type,
      vector: 1,
      name: text,
      count: null,
    })),
    ...body,
  ],
})

/** Statements with a register of their own. */
export const scoped = (
  like: Instruction,
  type: TypeName,
  register: string,
  body: ReadonlyArray<Statement>,
): Statement => scopedOf(like, [[type, register]], body)
