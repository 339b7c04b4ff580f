/** Integers: arithmetic, sums with carries, bits. */
import { computes } from './acts.js'
import { rowsOf, type Form } from './form.js'

export const integer: ReadonlyArray<Form> = rowsOf(
  'integer',
  'Integer Arithmetic Instructions',
  computes,
)(`
  add type=$int|u16x2|s16x2 | d=@type a:@type b:@type | d = a + b
  add sat type=s32 | d=@type a:@type b:@type | d = a + b, clamped to the range of s32
  sub type=$int|u16x2|s16x2 | d=@type a:@type b:@type | d = a - b
  sub sat type=s32 | d=@type a:@type b:@type | d = a - b, clamped to the range of s32
  mul mode=hi|lo type=$int | d=@type a:@type b:@type | d = the upper or lower half of a * b
  mul mode=wide type=u16|u32|s16|s32 | d=wide(type) a:@type b:@type | d = a * b in twice the bits
  mad mode=hi|lo type=$int | d=@type a:@type b:@type c:@type | d = the upper or lower half of a * b, plus c
  mad mode=wide type=u16|u32|s16|s32 | d=wide(type) a:@type b:@type c:wide(type) | d = a * b + c in twice the bits
  mad mode=hi sat type=s32 | d=@type a:@type b:@type c:@type | d = the upper half of a * b, plus c, clamped to the range of s32
  mul24 mode=hi|lo type=u32|s32 | d=@type a:@type b:@type | d = the upper or lower 32 bits of the 48 of a * b, of 24 bits each
  mad24 mode=hi|lo type=u32|s32 | d=@type a:@type b:@type c:@type | d = the upper or lower 32 bits of the 48 of a * b, plus c
  mad24 mode=hi sat type=s32 | d=@type a:@type b:@type c:@type | d = the upper 32 bits of a * b, plus c, clamped to the range of s32
  sad type=$int | d=@type a:@type b:@type c:@type | d = c + |a - b|
  div type=$int | d=@type a:@type b:@type | d = a / b, towards zero
  rem type=$int | d=@type a:@type b:@type | d = a - b * (a / b)
  abs type=$signed | d=@type a:@type | d = |a|
  neg type=$signed | d=@type a:@type | d = -a
  min type=$int|u16x2|s16x2 | d=@type a:@type b:@type | d = the smaller one
  max type=$int|u16x2|s16x2 | d=@type a:@type b:@type | d = the larger one
  min relu type=s16x2|s32 | d=@type a:@type b:@type | d = the smaller one, at least 0
  max relu type=s16x2|s32 | d=@type a:@type b:@type | d = the larger one, at least 0
  popc type=b32|b64 | d=u32 a:@type | d = the number of bits that are set
  clz type=b32|b64 | d=u32 a:@type | d = number of leading zeros
  bfind shiftamt? type=u32|u64|s32|s64 | d=u32 a:@type | d = position of the first bit that is not a sign bit, or the shift that moves it to the top; 0xffffffff if there is none
  fns type=b32 | d=b32 mask:b32 base:b32 offset:s32 | d = position of the n-th set bit from a base
  brev type=b32|b64 | d=@type a:@type | d = the bits in reverse
  bfe type=u32|u64|s32|s64 | d=@type a:@type b:u32 c:u32 | d = c bits of a from bit b, with their sign
  bfi type=b32|b64 | d=@type a:@type b:@type c:u32 len:u32 | d = b with the lower len bits of a from bit c
  szext mode=clamp|wrap type=u32|s32 | d=@type a:@type b:u32 | d = the lower b bits of a, extended
  bmsk mode=clamp|wrap type=b32 | d=@type a:u32 b:u32 | d = b ones from bit a
  dp4a atype=u32|s32 btype=u32|s32 | d=b32 a:b32 b:b32 c:b32 | d = c + the sum of four products of bytes
  dp2a mode=lo|hi atype=u32|s32 btype=u32|s32 | d=b32 a:b32 b:b32 c:b32 | d = c + the sum of two products of half-words of a and bytes of b
`)

export const extended: ReadonlyArray<Form> = rowsOf(
  'extended precision',
  'Extended-Precision Integer Arithmetic Instructions',
  computes,
)(`
  add.cc type=u32|s32|u64|s64 | d=@type a:@type b:@type | d = a + b, and the carry out
  addc cc? type=u32|s32|u64|s64 | d=@type a:@type b:@type | d = a + b + carry; with cc also the carry out
  sub.cc type=u32|s32|u64|s64 | d=@type a:@type b:@type | d = a - b, and a carry unless it borrows
  subc cc? type=u32|s32|u64|s64 | d=@type a:@type b:@type | d = a + ~b + carry, and with cc its carry
  mad mode=hi|lo cc type=u32|s32|u64|s64 | d=@type a:@type b:@type c:@type | d = a half of a * b, plus c, and its carry
  madc mode=hi|lo cc? type=u32|s32|u64|s64 | d=@type a:@type b:@type c:@type | d = a half of a * b, plus c and carry, and with cc its carry
`)

export const logic: ReadonlyArray<Form> = rowsOf(
  'logic',
  'Logic and Shift Instructions',
  computes,
)(`
  and type=pred|$bits | d=@type a:@type b:@type | d = a & b
  or type=pred|$bits | d=@type a:@type b:@type | d = a | b
  xor type=pred|$bits | d=@type a:@type b:@type | d = a ^ b
  not type=pred|$bits | d=@type a:@type | d = ~a
  cnot type=$bits | d=@type a:@type | d = 1 where a is 0, else 0
  lop3 type=b32 | d=b32 a:@type b:@type c:@type table#0..255 | d = a function of three bits, by its table
  lop3 bool=and|or type=b32 | d=b32_|p=pred a:@type b:@type c:@type table#0..255 q!pred | d = a function of three bits, p = (d != 0) bool q
  shf dir=l|r mode=clamp|wrap type=b32 | d=b32 a:@type b:@type c:u32 | d = the 64 bits {b, a} shifted by c, their upper (l) or lower (r) half
  shl type=$bits | d=@type a:@type b:u32 | d = a << b, 0 from its width on
  shr type=$bits|$int | d=@type a:@type b:u32 | d = a >> b, with the sign of a signed type
  prmt type=b32 mode=f4e|b4e|rc8|ecl|ecr|rc16? | d=b32 a:b32 b:b32 c:b32 | d = four of the eight bytes {b, a}, picked by c
`)

const lanes = (name: string, about: string): string =>
  [2, 4]
    .map(
      (n) => `
  ${name}${String(n)} dtype=u32|s32 atype=u32|s32 btype=u32|s32 then=sat|add? | d=@dtype a%@atype b%@btype c%@dtype | d = ${about}, lane by lane, or the sum of the lanes and c`,
    )
    .join('')

export const video: ReadonlyArray<Form> = rowsOf(
  'integer',
  'Video Instructions',
  computes,
)(`
  ${lanes('vadd', 'a + b')}
  ${lanes('vsub', 'a - b')}
  ${lanes('vavrg', 'the mean of a and b')}
  ${lanes('vabsdiff', '|a - b|')}
  ${lanes('vmin', 'the smaller one')}
  ${lanes('vmax', 'the larger one')}
  vset2 atype=u32|s32 btype=u32|s32 cmp=$cmpS then=add? | d=u32 a%@atype b%@btype c%u32 | d = 1 where a cmp b, lane by lane, or how many and c
  vset4 atype=u32|s32 btype=u32|s32 cmp=$cmpS then=add? | d=u32 a%@atype b%@btype c%u32 | d = 1 where a cmp b, lane by lane, or how many and c
`)
