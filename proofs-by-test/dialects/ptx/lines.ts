/**
 * Instructions made from the table: of each row one that is right, and some in which one thing is wrong. What NVIDIA's assembler says about each is in
 * `conformance/cuda/opcodes.json`, which `conformance/cuda/opcodes.py` captures; of each word of each slot, in `words.json` beside it.
 */
import type { Form, Modifiers, OperandRule } from '../../../src/dialects/ptx/index.js'
import { exampleOf, forms, formsOf } from '../../../src/dialects/ptx/index.js'
import { countOf } from '../../../src/dialects/ptx/opcodes/counts.js'
import type { TypeRule } from '../../../src/dialects/ptx/opcodes/form.js'

export const declarations: string = [
  '.reg .pred %p<16>;',
  '.reg .b8 %c<8>;',
  '.reg .b16 %h<8>;',
  '.reg .b32 %r<140>;',
  '.reg .b64 %rd<16>;',
  '.reg .b128 %q<8>;',
  '.reg .f32 %f<140>;',
  '.reg .f64 %fd<16>;',
  '.shared .align 16 .b8 buffer[64];',
].join('\n')

export const moduleOf = (line: string, target: string): string =>
  [
    '.version 8.8',
    `.target ${target}`,
    '.address_size 64',
    '.func (.param .b32 r) f(.param .b32 x) { ret; }',
    '.entry k(.param .u32 n) {',
    declarations,
    'there:',
    'targets: .branchtargets there, end;',
    line,
    'end: ret;',
    '}',
    '',
  ].join('\n')

const bits = (type: string): number =>
  type === 'pred' ? 1 : /^([us]16|b?f16)x2$/.test(type) ? 32 : Number(/\d+$/.exec(type)?.[0] ?? 32)

const typeOf = (rule: TypeRule, m: Modifiers): string => {
  const type = rule.from === 'type' ? rule.name : (m[rule.name] ?? 'b32')
  return rule.from === 'wide'
    ? `${type.charAt(0)}${String(2 * bits(type))}`
    : rule.from === 'packed' && type === 'f16'
      ? 'b32'
      : type
}

const register = (type: string, k: number): string => {
  const n = String(k)
  switch (type) {
    case 'pred':
      return `%p${n}`
    case 'f32':
      return `%f${n}`
    case 'f64':
      return `%fd${n}`
    default:
      return { 8: `%h${n}`, 16: `%h${n}`, 32: `%r${n}`, 64: `%rd${n}`, 128: `%q${n}` }[bits(type)] ?? `%r${n}`
  }
}

type Written = { readonly text: string; readonly rule: OperandRule; readonly type: string | null }

/** Addresses of tensor memory have 32 bits. */
const narrow = /^tcgen05\.(ld|st|cp|shift|mma)/

const operandOf = (rule: OperandRule, m: Modifiers, k: number, base = ''): Written | null => {
  switch (rule._tag) {
    case 'register': {
      if (rule.name === '_') return { text: '_', rule, type: null }
      const type = typeOf(rule.type, m)
      const halves = rule.count === 'halves'
      const count = halves ? 2 : rule.count === null ? null : countOf(rule.count, m)
      if (count === 0) return null
      const element = halves ? `b${String(bits(type) / 2)}` : type
      const text =
        count === null
          ? register(type, k)
          : `{${Array.from({ length: count }, (_, j) => register(element, (k + j) % (bits(element) === 32 ? 140 : 8))).join(', ')}}`
      return { text, rule, type: count === null ? type : null }
    }
    case 'predicate':
      return { text: '!%p3', rule, type: 'pred' }
    case 'constant':
      return { text: String(rule.among?.[0] ?? rule.range[0]), rule, type: null }
    case 'pair': {
      const first = operandOf(rule.first, m, k)
      const second = operandOf(rule.second, m, k + 1)
      return { text: `${first?.text ?? ''}|${second?.text ?? ''}`, rule, type: null }
    }
    case 'address': {
      if (rule.coordinates === null)
        return { text: `[%r${narrow.test(base) ? '' : 'd'}${String(k)}]`, rule, type: null }
      const n = countOf(rule.coordinates, m) ?? 0
      const at = Array.from({ length: n }, (_, j) => `%r${String(j + 10)}`).join(', ')
      return { text: `[%rd${String(k)}, {${at}}]`, rule, type: null }
    }
    case 'reference':
      return {
        text: { label: 'there', targets: 'targets', function: 'f', list: '(%r1)', any: 'proto' }[rule.to],
        rule,
        type: null,
      }
  }
}

const matchOf = (form: Form, opcode: string): Modifiers => {
  const answer = formsOf(opcode)
  return (answer._tag === 'forms' ? answer.matches.find((x) => x.form === form)?.modifiers : undefined) ?? {}
}

/** The opcode whose optional slots are all said, each by its last word; the others by theirs. */
const fullOf = (form: Form): string =>
  [form.base, ...form.slots.map((s) => s.words.at(-1)?.join('.') ?? '')].join('.')

/** A wrong register for a right one. */
const wrong = (type: string): string =>
  type === 'pred' ? '%r9' : bits(type) === 32 && type !== 'f32' ? '%rd9' : bits(type) === 64 ? '%r9' : '%fd9'

export interface Line {
  readonly line: string
  readonly about: string
  readonly target: string
}

const write = (opcode: string, operands: ReadonlyArray<string>): string =>
  `${opcode}${operands.length === 0 ? '' : ` ${operands.join(', ')}`};`

const skipped = (form: Form): boolean => form.base === 'call' || /^multimem/.test(form.base)

/** Which thing is wrong follows from how the row is written, so that a new row changes no other, and new words for what an instruction does change none. */
const turnOf = (form: Form): number =>
  Array.from(form.row.slice(0, form.row.lastIndexOf('|'))).reduce(
    (n, c) => (31 * n + c.charCodeAt(0)) % 65521,
    7,
  )

/** A chip that has it. */
const targetOf = ({ family, base }: Form): string =>
  family === 'wgmma' || base === 'setmaxnreg' ? 'sm_90a' : base === 'tcgen05.ld.red' ? 'sm_103a' : 'sm_100a'

const linesOf = (form: Form): ReadonlyArray<Line> => {
  const index = turnOf(form)
  if (skipped(form)) return []
  const target = targetOf(form)
  const opcode = exampleOf(form)
  const m = matchOf(form, opcode)
  const required = form.operands
    .filter((r) => !r.optional)
    .flatMap((r, k) => operandOf(r, m, k + 1, form.base) ?? [])
  const texts = required.map((w) => w.text)
  const lines: Line[] = [{ line: write(opcode, texts), about: 'right', target }]
  const full = fullOf(form)
  if (full !== opcode) {
    const mFull = matchOf(form, full)
    const all = form.operands
      .filter((r) => !r.optional)
      .flatMap((r, k) => operandOf(r, mFull, k + 1, form.base) ?? [])
    lines.push({
      line: write(
        full,
        all.map((w) => w.text),
      ),
      about: 'all modifiers',
      target,
    })
  }
  // one thing is wrong, by turns
  const typed = required.findIndex((w) => w.type !== null)
  const kind = index % 4
  if (kind === 0 && texts.length > 0)
    lines.push({ line: write(opcode, texts.slice(0, -1)), about: 'one less', target })
  else if (kind === 1)
    lines.push({ line: write(opcode, [...texts, '%r7', '%r8', '%r9']), about: 'three more', target })
  else if (kind === 2 && typed >= 0)
    lines.push({
      line: write(
        opcode,
        texts.map((t, k) => (k === typed ? wrong(required[k]!.type!) : t)),
      ),
      about: 'a register of another type',
      target,
    })
  else lines.push({ line: write(`${opcode}.wide`, texts), about: 'a modifier more', target })
  const value = required.findIndex(
    (w) => w.rule._tag === 'register' && w.rule.access === 'value' && w.type !== null && w.type !== 'pred',
  )
  if (value >= 0)
    lines.push({
      line: write(
        opcode,
        texts.map((t, k) => (k === value ? (index % 2 === 0 ? '1' : '0f3F800000') : t)),
      ),
      about: 'a constant',
      target,
    })
  return lines
}

/** Each word of each slot of a row once, the others as in its example; and its example with each operand that may be left out. */
export const wordsOf = (form: Form): ReadonlyArray<Line> => {
  if (skipped(form)) return []
  const target = targetOf(form)
  const said = (slots: ReadonlyArray<string>): string =>
    [form.base, ...slots.filter((x) => x !== '')].join('.')
  const first = form.slots.map((s) => (s.optional ? '' : (s.words[0]?.join('.') ?? '')))
  const operands = (m: Modifiers, optional: boolean): ReadonlyArray<string> =>
    form.operands
      .filter((r) => optional || !r.optional)
      .flatMap((r, k) => operandOf(r, m, k + 1, form.base)?.text ?? [])
  const one = (opcode: string, about: string, optional: boolean): Line => ({
    line: write(opcode, operands(matchOf(form, opcode), optional)),
    about,
    target,
  })
  return [
    one(said(first), 'right', false),
    ...(form.operands.some((r) => r.optional) ? [one(said(first), 'all operands', true)] : []),
    ...form.slots.flatMap((slot, k) =>
      slot.words.map((word) =>
        one(
          said(first.map((w, j) => (j === k ? word.join('.') : w))),
          `${slot.name}=${word.join('.')}`,
          false,
        ),
      ),
    ),
  ]
}

/** What the rows say word by word: most are right, and where two words do not go together the assembler says so. */
export const words: ReadonlyArray<Line> = [
  ...new Map(forms.flatMap(wordsOf).map((l) => [`${l.line} ${l.target}`, l])).values(),
]

/** A line with its long vectors as their lengths, as `conformance/cuda/words.json` names it. */
export const shortened = (line: string): string =>
  line.replace(/\{([^{}]*)\}/g, (whole, items: string) => {
    const n = items.split(',').length
    return n > 4 ? `{${String(n)}}` : whole
  })

/** What is written by hand: operands as programs have them. */
const others: ReadonlyArray<string> = [
  'add.s32 %r1, %r2, %tid.x;',
  'mov.u32 %r1, %tid.x;',
  'mov.u64 %rd1, %clock64;',
  'mov.u32 %r1, %clock64;',
  'mov.b32 %r1, %laneid;',
  'cvt.u64.u32 %rd1, %tid.x;',
  'mov.u32 %r1, buffer;',
  'mov.u64 %rd1, buffer;',
  'mov.u64 %rd1, buffer+4;',
  'add.u64 %rd1, buffer, 4;',
  'cvta.shared.u64 %rd1, buffer;',
  'mov.u64 %rd1, f;',
  'mov.u32 %r1, nothing;',
  'mov.b64 %rd1, {%r1, 0};',
  'mov.b64 {%r1, _}, %rd1;',
  'mov.b64 {_, %r1}, %rd1;',
  'mov.b64 {%r1, %r2}, 5;',
  'mov.pred %p1, 1;',
  'mov.pred %p1, %p2;',
  'mov.b32 %f1, %r1;',
  'mov.f32 %f1, %r1;',
  'mov.u32 %r1, %f1;',
  'mov.f32 %f1, 1;',
  'mov.f32 %f1, 0d3FF0000000000000;',
  'mov.f64 %fd1, 0f3F800000;',
  'mov.b32 %r1, 0f3F800000;',
  'mov.b32 %r1, 1.5;',
  'mov.u16 %h1, 70000;',
  'mov.b64 %rd1, 0d3FF0000000000000;',
  'ld.shared.u32 %r1, [buffer];',
  'ld.shared.u32 %r1, [buffer+4];',
  'ld.shared.u32 %r1, [16];',
  'ld.shared.u32 %r1, [%r2];',
  'ld.global.u32 %r1, [%r2];',
  'ld.u32 %r1, [%rd2+-8];',
  'ld.global.u8 %r1, [%rd2];',
  'ld.global.u8 %rd1, [%rd2];',
  'ld.global.u32 %rd1, [%rd2];',
  'ld.global.u64 %r1, [%rd2];',
  'ld.global.f32 %r1, [%rd2];',
  'ld.global.u32 %f1, [%rd2];',
  'ld.global.b32 %f1, [%rd2];',
  'ld.global.f32 %rd1, [%rd2];',
  'ld.global.v2.u32 {%r1, _}, [%rd2];',
  'ld.global.v4.u32 {%r1, %r2}, [%rd2];',
  'ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];',
  'ld.global.u32 {%r1}, [%rd2];',
  'ld.param.u32 %r1, [n];',
  'ld.shared.u32 %r1, [n];',
  'st.global.u32 [%rd1], 5;',
  'st.global.v2.u32 [%rd1], {5, %r1};',
  'st.global.u8 [%rd1], %r1;',
  'st.global.f32 [%rd1], 0f3F800000;',
  'st.global.u32 [%rd1], %tid.x;',
  'shl.b32 %r1, %r2, %rd3;',
  'shl.b64 %rd1, %rd2, %r3;',
  'shl.b64 %rd1, %rd2, %rd3;',
  'setp.eq.s32 %p1|%p2, %r1, %r2;',
  'setp.eq.s32 _|%p2, %r1, %r2;',
  'setp.eq.s32 %p1, 1, %r2;',
  'setp.lt.b32 %p1, %r1, %r2;',
  'setp.ltu.s32 %p1, %r1, %r2;',
  'setp.lo.u32 %p1, %r1, %r2;',
  'setp.lo.s32 %p1, %r1, %r2;',
  'selp.u32 %r1, 1, 0, %p1;',
  'selp.u32 %r1, 1, 0, !%p1;',
  'selp.f32 %f1, %f2, 0f00000000, %p1;',
  'selp.b32 %f1, %f2, %f3, %p1;',
  'and.pred %p1, %p2, 1;',
  'and.pred %p1, %p2, !%p3;',
  'and.b32 %f1, %r2, %r3;',
  'not.pred %p1, %p2;',
  '@%p1 add.s32 %r1, %r2, 1;',
  '@!%p1 add.s32 %r1, %r2, 1;',
  '@%r1 add.s32 %r1, %r2, 1;',
  'bar.sync 0;',
  'bar.sync 0, 128;',
  'bar.sync %r1, %r2;',
  'bar.arrive 1;',
  'bar.warp.sync 0xffffffff;',
  'barrier.sync.aligned 1, 64;',
  'bar.sync.aligned 1, 64;',
  'elect.sync _|%p1, -1;',
  'elect.sync %r1|%p1, -1;',
  'elect.sync %p1, -1;',
  'elect.sync %r1, -1;',
  'shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;',
  'shfl.sync.idx.b32 %r1|%p1, %f2, 0, 31, -1;',
  'shfl.idx.b32 %r1, %r2, 0, 31;',
  'vote.sync.ballot.b32 %r1, %p1, -1;',
  'vote.sync.all.pred %p1, !%p2, -1;',
  'atom.global.add.u32 %r1, [%rd1], 1;',
  'atom.global.add.u32 _, [%rd1], 1;',
  'atom.shared.cas.b32 %r1, [%r2], 0, 1;',
  'atom.add.s64 %rd1, [%rd2], %rd3;',
  'atom.global.gpu.acq_rel.add.u32 %r1, [%rd1], 1;',
  'max.s32.relu %r1, %r2, %r3;',
  'min.s16x2.relu %r1, %r2, %r3;',
  'max.u32.relu %r1, %r2, %r3;',
  'atom.add.relaxed.gpu.s32 %r1, [%rd1], 1;',
  'atom.add.relaxed.gpu.global.u32 %r1, [%rd1], 1;',
  'atom.relaxed.add.gpu.u32 %r1, [%rd1], 1;',
  'atom.add.global.gpu.relaxed.u32 %r1, [%rd1], 1;',
  'red.and.release.cta.b32 [%rd1], %r1;',
  'atom.cas.acq_rel.sys.b64 %rd1, [%rd2], %rd3, %rd4;',
  'atom.exch.acquire.cluster.shared.b32 %r1, [%r2], %r3;',
  'atom.add.relaxed.gpu.noftz.f16x2 %r1, [%rd2], %r3;',
  'atom.add.u32.relaxed.gpu %r1, [%rd1], 1;',
  'atom.add.L2::cache_hint.relaxed.gpu.u32 %r1, [%rd2], %r3, %rd4;',
  'atom.add.relaxed.gpu.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1], {%f1, %f2, %f3, %f4};',
  'atom.add.acquire.u32 %r1, [%rd1], 1;',
  'atom.add.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;',
  'atom.relaxed.gpu.u32 %r1, [%rd1], 1;',
  'red.add.acquire.gpu.u32 [%rd1], 1;',
  'cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];',
  'cp.async.bulk.tensor.cta_group::2.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];',
  'cp.async.bulk.tensor.2d.shared::cluster.cta_group::1.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];',
  'cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1, {%r2, %r3}], [%r4], %h1, %rd2;',
  'cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3, %r4, %r5, %r6}], [%r7];',
  'cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group [%rd1, {%r2, %r3, %r4, %r5, %r6}], [%r1];',
  'cp.async.bulk.tensor.2d.tile.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];',
  'cp.async.bulk.tensor.2d.tile.global.shared::cta.bulk_group [%rd1, {%r2, %r3}], [%r1];',
  'cp.async.bulk.tensor.2d.global.tile.shared::cta.bulk_group [%rd1, {%r2, %r3}], [%r1];',
  'atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;',
  'red.global.add.f32 [%rd1], %f1;',
  'red.global.max.f32 [%rd1], %f1;',
  'cvt.rn.f32.s32 %f1, %r1;',
  'cvt.f32.s32 %f1, %r1;',
  'cvt.rzi.s32.f32 %r1, %f1;',
  'cvt.s32.f32 %r1, %f1;',
  'cvt.u8.u32 %h1, %r1;',
  'cvt.u8.u32 %r1, %r2;',
  'cvt.u32.u8 %r1, %h1;',
  'cvt.u32.u8 %r1, %r2;',
  'cvt.u32.u8 %h1, %r2;',
  'cvt.u64.u32 %rd1, %r1;',
  'cvt.u32.u64 %r1, %r2;',
  'cvt.rn.f16.f32 %h1, %f1;',
  'cvt.f16.f32 %h1, %f1;',
  'cvt.f32.f16 %f1, %h1;',
  'cvt.rn.f32.f16 %f1, %h1;',
  'cvt.rn.bf16.f32 %h1, %f1;',
  'cvt.f32.bf16 %f1, %h1;',
  'cvt.rn.f16x2.f32 %r1, %f1, %f2;',
  'cvt.sat.f32.f32 %f1, %f2;',
  'cvt.rni.f32.f32 %f1, %f2;',
  'cvt.f64.f32 %fd1, %f2;',
  'cvt.rn.f32.f64 %f1, %fd2;',
  'mul.wide.u32 %rd1, %r1, %r2;',
  'mul.wide.u32 %r1, %r2, %r3;',
  'mul.wide.u64 %rd1, %rd2, %rd3;',
  'mul.lo.u32 %r1, %ctaid.x, %ntid.x;',
  'mad.lo.s32 %r1, %r2, %r3, %r4;',
  'mad.f32 %f1, %f2, %f3, %f4;',
  'fma.f32 %f1, %f2, %f3, %f4;',
  'div.f32 %f1, %f2, %f3;',
  'div.rn.f32 %f1, %f2, %f3;',
  'sqrt.f32 %f1, %f2;',
  'rcp.f32 %f1, %f2;',
  'sin.f32 %f1, %f2;',
  'rsqrt.approx.ftz.f64 %fd1, %fd2;',
  'bra there;',
  'bra.uni end;',
  'bra nowhere;',
  'brx.idx %r1, targets;',
  'brx.idx %rd1, targets;',
  'ret;',
  'ret.uni;',
  'exit;',
  'trap;',
  'nanosleep.u32 20;',
  'membar.gl;',
  'membar.gpu;',
  'fence.acq_rel.gpu;',
  'fence.gpu;',
  'fence.proxy.async;',
  'fence.proxy.async.shared::cta;',
  'fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;',
  'fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;',
  'mbarrier.init.shared::cta.b64 [%r1], 1;',
  'mbarrier.init.shared.b64 [buffer], %r1;',
  'mbarrier.arrive.shared::cta.b64 _, [%r1];',
  'mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 2;',
  'mbarrier.arrive.shared::cluster.b64 _, [%r1];',
  'mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];',
  'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];',
  'mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;',
  'mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1];',
  'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;',
  'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2, 100;',
  'mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %rd2;',
  'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %rd2;',
  'mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], 0;',
  'cp.async.cg.shared.global [%r1], [%rd1], 16;',
  'cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;',
  'cp.async.cg.shared.global [%r1], [%rd1], 8;',
  'cp.async.ca.shared.global [%r1], [%rd1], 8, 4;',
  'cp.async.ca.shared.global.L2::128B [%r1], [%rd1], 4;',
  'cp.async.wait_group 0;',
  'cp.async.wait_group %r1;',
  'cp.async.bulk.wait_group.read 0;',
  'setmaxnreg.inc.sync.aligned.u32 240;',
  'setmaxnreg.inc.sync.aligned.u32 241;',
  'setmaxnreg.dec.sync.aligned.u32 16;',
  'lop3.b32 %r1, %r2, %r3, %r4, 0x96;',
  'lop3.b32 %r1, %r2, %r3, %r4, 256;',
  'prmt.b32 %r1, %r2, %r3, 0x5410;',
  'add.f16 %h1, %h2, %h3;',
  'add.f16 %h1, %h2, %r3;',
  'add.f16x2 %r1, %r2, %r3;',
  'add.rn.bf16 %h1, %h2, %h3;',
  'add.sat.bf16 %h1, %h2, %h3;',
  'add.cc.u32 %r1, %r2, %r3;',
  'addc.cc.u32 %r1, %r2, %r3;',
  'wgmma.fence.sync.aligned;',
  'wgmma.wait_group.sync.aligned 8;',
  'wgmma.wait_group.sync.aligned 7;',
]

const distinct = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => [
  ...new Map(lines.map((l) => [l.line, l])).values(),
]

export const lines: ReadonlyArray<Line> = distinct([
  // what is longer says no more
  ...forms.flatMap((form) => linesOf(form)).filter((l) => l.line.length <= 300),
  ...others.map((line): Line => ({
    line,
    about: 'by hand',
    target: /cta_group|gather4|scatter4/u.test(line) ? 'sm_100a' : 'sm_90a',
  })),
])
