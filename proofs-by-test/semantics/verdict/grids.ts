/**
 * Random kernels of PTX at random grids, a text and a launch each: addresses made of the coordinates of the CTA, branches and guards that they decide or do not, data that is
 * loaded, shared memory with and without its barrier, copies with and without their wait, words that are shuffled and stored.
 */
import { right } from '../../either.js'
import { launchedPtx } from '../../../src/oracle/launch/ptx.js'
import { inMemory } from '../../oracle/disk.js'
import type { WarpArguments } from '../../../src/semantics/execution/launch-warps.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'

/** A number below n, and so on, from a seed. */
export type Roll = (below: number) => number

export const rolling = (seed: number): Roll => {
  let state = (seed * 2654435761 + 12345) >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words = 4096

interface Body {
  readonly lines: string[]
  /** threads of the grid, and words of the output */
  readonly threads: number
  label: number
}

/** Registers that hold what coordinates, lanes and constants come to; %r1 is the thread, %r2 and %r3 the CTA. */
const known = ['%r1', '%r2', '%r3', '%r4', '%r5', '%r6', '%r7'] as const
const pick = <A>(roll: Roll, from: ReadonlyArray<A>): A => from[roll(from.length)]!

const computed = (b: Body, roll: Roll): void => {
  const [to, from, other] = [pick(roll, known.slice(3)), pick(roll, known), pick(roll, known)]
  const small = String(roll(7))
  b.lines.push(
    pick(roll, [
      `add.u32 ${to}, ${from}, ${other};`,
      `mul.lo.u32 ${to}, ${from}, ${small};`,
      `shl.b32 ${to}, ${from}, ${String(roll(4))};`,
      `shr.u32 ${to}, ${from}, ${String(roll(3))};`,
      `and.b32 ${to}, ${from}, ${String(1 + roll(63))};`,
      `xor.b32 ${to}, ${from}, ${small};`,
      `min.u32 ${to}, ${from}, ${other};`,
      `mad.lo.u32 ${to}, ${from}, ${small}, ${other};`,
      `rem.u32 ${to}, ${from}, ${String(1 + roll(5))};`,
      `shfl.sync.idx.b32 ${to}, ${from}, ${small}, 31, -1;`,
      `setp.lt.u32 %p3, %r1, 40;\n@%p3 mov.u32 ${to}, ${small};`,
      // data that is nothing where the other is
      `and.b32 %r9, %r9, ${from};`,
    ]),
  )
}

/** The byte in a tensor of an index that is a register, or the usual one of a thread. */
const address = (b: Body, roll: Roll, tensor: '%rd1' | '%rd2'): string => {
  const index = roll(3) === 0 ? pick(roll, known) : '%r8'
  b.lines.push(
    `rem.u32 %r10, ${index}, ${String(tensor === '%rd1' ? words : b.threads)};`,
    'mul.wide.u32 %rd5, %r10, 4;',
    `add.u64 %rd6, ${tensor}, %rd5;`,
  )
  return '%rd6'
}

const stored = (b: Body, roll: Roll): void => {
  const value = pick(roll, ['%r9', '%r9', '%r9', ...known])
  b.lines.push(`st.global.u32 [${address(b, roll, '%rd2')}], ${value};`)
}

/** Of the input; now and then of what the kernel has written, or of nothing. */
const loaded = (b: Body, roll: Roll): void => {
  if (roll(4) === 0) {
    b.lines.push(`ld.global.u32 ${pick(roll, ['%r4', '%r11'])}, [${address(b, roll, '%rd2')}];`)
    return
  }
  b.lines.push(`ld.global.u32 %r11, [${address(b, roll, '%rd1')}];`, `add.u32 %r9, %r9, %r11;`)
}

const exchanged = (b: Body, roll: Roll): void => {
  const value = pick(roll, ['%r9', '%r9', '%r1', '%r1', '%r4', '%r2'])
  b.lines.push(`st.shared.u32 [%r12], ${value};`)
  if (roll(8) > 0) b.lines.push('bar.sync 0;')
  b.lines.push(
    ...pick(roll, [
      ['ld.shared.u32 %r11, [%r13];', 'add.u32 %r9, %r9, %r11;'],
      ['ld.shared.u32 %r4, [%r13];'],
      ['setp.lt.u32 %p3, %r1, 40;', '@%p3 ld.shared.u32 %r4, [%r13];'],
    ]),
  )
  if (roll(8) > 0) b.lines.push('bar.sync 0;')
}

/** What was found decides which way is gone. */
const obeyed = (b: Body, roll: Roll): void => {
  const label = `L${String(b.label++)}`
  b.lines.push('and.b32 %r4, %r4, 3;', `setp.lt.u32 %p1, %r4, ${String(1 + roll(3))};`, `@%p1 bra ${label};`)
  loaded(b, roll)
  b.lines.push(`${label}:`)
}

/** A thread stores a word where no other does, and takes it back. */
const kept = (b: Body, roll: Roll): void => {
  b.lines.push(
    'mul.wide.u32 %rd5, %r14, 4;',
    'add.u64 %rd6, %rd2, %rd5;',
    `st.global.u32 [%rd6], ${pick(roll, known)};`,
    'ld.global.u32 %r4, [%rd6];',
  )
  if (roll(2) === 0) obeyed(b, roll)
}

const copied = (b: Body, roll: Roll): void => {
  b.lines.push(
    `cp.async.ca.shared.global [%r12], [${address(b, roll, '%rd1')}], 4;`,
    'cp.async.commit_group;',
  )
  if (roll(8) > 0) b.lines.push('cp.async.wait_group 0;')
  b.lines.push(
    ...pick(roll, [
      ['ld.shared.u32 %r11, [%r12];', 'add.u32 %r9, %r9, %r11;'],
      ['ld.shared.u32 %r4, [%r12];'],
    ]),
  )
  if (roll(3) === 0) obeyed(b, roll)
}

const decided = (b: Body, roll: Roll, depth: number): void => {
  const of = roll(8) === 0 ? '%r9' : pick(roll, known)
  const p = `setp.${pick(roll, ['lt', 'ge', 'eq', 'ne'])}.u32 %p1, ${of}, ${String(roll(6) === 0 ? roll(4) : 100 + roll(8))};`
  const label = `L${String(b.label++)}`
  b.lines.push(p)
  if (roll(3) === 0) {
    b.lines.push(`@%p1 add.u32 %r4, ${pick(roll, known)}, ${String(roll(9))};`)
    return
  }
  b.lines.push(`@%p1 bra ${label};`)
  for (let n = 1 + roll(2); n > 0; n--) statement(b, roll, depth + 1, false)
  b.lines.push(`${label}:`)
}

const repeated = (b: Body, roll: Roll, depth: number): void => {
  const [label, counter] = [`L${String(b.label++)}`, `%r${String(20 + depth)}`]
  b.lines.push(`mov.u32 ${counter}, 0;`, `${label}:`)
  for (let n = 1 + roll(2); n > 0; n--) statement(b, roll, depth + 1, true)
  b.lines.push(
    `add.u32 %r8, %r8, ${String(roll(3) * 64)};`,
    `add.u32 ${counter}, ${counter}, 1;`,
    `setp.lt.u32 %p2, ${counter}, ${roll(6) === 0 ? '%r2' : String(1 + roll(3))};`,
    `@%p2 bra ${label};`,
  )
}

const statement = (b: Body, roll: Roll, depth: number, meets: boolean): void => {
  const which = roll(12)
  if (which < 4) computed(b, roll)
  else if (which < 6) loaded(b, roll)
  else if (which < 7) (roll(3) === 0 ? kept : stored)(b, roll)
  else if (which < 8 && meets) exchanged(b, roll)
  else if (which < 9) copied(b, roll)
  else if (depth > 1) computed(b, roll)
  else if (which < 11) decided(b, roll, depth)
  else repeated(b, roll, depth)
}

const textOf = (lines: ReadonlyArray<string>): string =>
  [
    '.version 8.3',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 x, .param .u64 out)',
    '{',
    '.reg .pred %p<4>;',
    '.reg .b32 %r<30>;',
    '.reg .b64 %rd<8>;',
    '.shared .align 16 .b8 s[256];',
    'ld.param.u64 %rd1, [x];',
    'ld.param.u64 %rd2, [out];',
    'mov.u32 %r1, %tid.x;',
    'mov.u32 %r2, %ctaid.x;',
    'mov.u32 %r3, %ctaid.y;',
    'mov.u32 %r15, %nctaid.x;',
    'mad.lo.u32 %r14, %r3, %r15, %r2;',
    'shl.b32 %r14, %r14, 6;',
    'add.u32 %r14, %r14, %r1;',
    'mov.u32 %r8, %r14;',
    'mov.u32 %r4, 1;',
    'mov.u32 %r5, 2;',
    'mov.u32 %r6, 3;',
    'mov.u32 %r7, 5;',
    'mov.u32 %r9, 0;',
    'mov.u32 %r16, s;',
    'shl.b32 %r17, %r1, 2;',
    'add.u32 %r12, %r16, %r17;',
    'xor.b32 %r17, %r17, 252;',
    'add.u32 %r13, %r16, %r17;',
    ...lines,
    'ret;',
    '}',
    '',
  ].join('\n')

const kernel = (roll: Roll, threads: number): ReadonlyArray<string> => {
  const b: Body = { lines: [], threads, label: 0 }
  for (let n = 3 + roll(6); n > 0; n--) statement(b, roll, 0, true)
  // most kernels write where no other CTA does
  if (roll(6) > 0)
    b.lines.push('mul.wide.u32 %rd5, %r14, 4;', 'add.u64 %rd6, %rd2, %rd5;', 'st.global.u32 [%rd6], %r9;')
  return b.lines
}

export interface Grid {
  readonly text: string
  readonly program: WarpProgram
  readonly given: WarpArguments
}

/** These lines, at a grid; `table`: the input is known, and holds 0, 1, 2, ... */
export const gridOfLines = (
  lines: ReadonlyArray<string>,
  grid: ReadonlyArray<number>,
  table: boolean,
): Grid => {
  const text = textOf(lines)
  const launch = {
    schema: 'tcspec.launch/1',
    kernel: 'k',
    grid,
    block: [64],
    args: [
      { kind: 'pointer', tensor: 'x', dtype: 'u32', shape: [words], role: 'in', file: null },
      {
        kind: 'pointer',
        tensor: 'out',
        dtype: 'u32',
        shape: [grid.reduce((n, d) => n * d, 64)],
        role: 'out',
      },
    ],
    outputs: ['out'],
  }
  const bytes = (of: string): Uint8Array => new TextEncoder().encode(of)
  const { elaborated, arguments: given } = right(
    launchedPtx(
      inMemory(
        new Map([
          ['k.ptx', bytes(text)],
          ['launch.json', bytes(JSON.stringify(launch))],
        ]),
      ),
    )('k.ptx', 'launch.json'),
  )
  const counting = new Uint8Array(Uint32Array.from({ length: words }, (_, i) => i).buffer)
  return {
    text,
    program: elaborated.program,
    given: table
      ? Object.assign({}, given, {
          unknown: new Set(),
          tensors: given.tensors.map((t) =>
            t.name === 'x' ? Object.assign({}, t, { contents: counting }) : t,
          ),
        })
      : Object.assign({}, given, { unknown: new Set(['x']) }),
  }
}

export const gridOf = (seed: number): Grid => {
  const roll = rolling(seed)
  const grid = [2 + roll(5), 1 + roll(3)]
  const lines = kernel(roll, 64 * grid[0]! * grid[1]!)
  return gridOfLines(lines, grid, roll(4) === 0)
}
