/** Launches checked against the text: what is asked for, what is refused, roles by following pointers, labels and the operations that they mean. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  elaborate,
  functionOf,
  labelledIn,
  launchOf,
  meantBy,
  ownerOf,
  readModule,
  signatureOf,
  type Argument,
  type Given,
  type Module,
} from '../../../src/dialects/ttgir/index.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { statementsOf } from '../../../src/semantics/language/program.js'
import { unit } from '../../../src/numerics/unit.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { captureNames, launchedCapture } from './captures.js'
import { moduleFiles, moduleText } from './modules.js'

const moduleOf = (file: string): Module => right(readModule(moduleText(file)))
const pointer = moduleOf('mm_ptr_64x64x32_s4_w4_sm90.ttgir')
const descriptor = moduleOf('mm_hosttma_nows_64x64x32_s4_w4_sm90.ttgir')

const strides = { M: 128, N: 64, K: 96, sam: 96, sbk: 64, scm: 64 }
const whole: Readonly<Record<string, Argument>> = {
  a: { shape: [128, 96] },
  b: { shape: [96, 64] },
  c: { shape: [128, 64] },
  ...strides,
}
const tiled: Readonly<Record<string, Argument>> = {
  da: { tensor: 'a', shape: [128, 96] },
  db: { tensor: 'b', shape: [96, 64] },
  dc: { tensor: 'c', shape: [128, 64] },
  K: 96,
}
const refusal = (m: Module, given: Given): string => {
  const made = launchOf(m, given)
  return E.isLeft(made) ? made.left.message : 'accepted'
}

describe('what is asked for', () => {
  it('is every parameter with its type, in one line', () => {
    expect(refusal(pointer, {})).toBe(
      '@mm_ptr: expected a grid and 9 arguments, --grid ?,? --arg a=f16[?]:in b=f16[?]:in c=f16[?]:out M=?:i32 N=?:i32 K=?:i32 sam=?:i32 sbk=?:i32 scm=?:i32, found nothing for the grid, a, b, c, M, N, K, sam, sbk, scm',
    )
  })
  it('what is given is repeated', () => {
    expect(refusal(descriptor, { grid: [2, 1], args: { da: { shape: [128, 96] }, K: 96 } })).toBe(
      '@mm_host_tma: expected a grid and 4 arguments, --grid 2,1 --arg da=f16[128,96]:in db=f16[?,?]:in dc=f16[?,?]:out K=96, found nothing for db, dc',
    )
  })
  it('arguments may stand in order', () => {
    const ordered = right(launchOf(pointer, { grid: [2, 1], args: Object.values(whole) }))
    expect(ordered).toEqual(right(launchOf(pointer, { grid: [2, 1], args: whole })))
  })
  it.each(sampled(6, moduleFiles))('%s: what is read and what is written', (file) => {
    const roles = right(signatureOf(moduleOf(file))).parameters.flatMap((p) =>
      p._tag === 'scalar' ? [] : [[p.name, p.role]],
    )
    // the output is the last tensor, `c` or `do`
    expect(roles.slice(0, -1).map(([, role]) => role)).toEqual(roles.slice(0, -1).map(() => 'in'))
    expect(roles.at(-1)![1]).toBe('out')
  })
})

describe('a launch', () => {
  it('gives constants: the program has tensors for parameters, and runs', () => {
    const program = right(
      E.chain((l: Parameters<typeof elaborate>[1]) => elaborate(descriptor, l))(
        launchOf(descriptor, { grid: [2, 1], args: tiled, computes: 'matmul:a,b,c' }),
      ),
    )
    expect(program.params.map((p) => `${p._tag} ${p.name}`)).toEqual([
      'tensor a',
      'descriptor da',
      'tensor b',
      'descriptor db',
      'tensor c',
      'descriptor dc',
    ])
    expect(program.computes).toEqual({
      _tag: 'matmul',
      a: 'a',
      b: 'b',
      out: 'c',
      accumulator: 'f32',
      blockK: 16,
    })
    right(launch(program, unit, { scalars: new Map(), tensors: new Map() }))
  })
  it('one tensor may stand behind several parameters', () => {
    const square = { tensor: 'x', shape: [64, 64] }
    const given = { grid: [1, 1], args: { da: square, db: square, dc: { ...square, tensor: 'c' }, K: 64 } }
    const program = right(elaborate(descriptor, right(launchOf(descriptor, given))))
    expect(program.params.filter((p) => p._tag === 'tensor').map((p) => p.name)).toEqual(['x', 'c'])
  })
  it('a tensor may be called as its descriptor is', () => {
    const args = { ...tiled, da: { shape: [128, 96] } }
    const program = right(elaborate(descriptor, right(launchOf(descriptor, { grid: [2, 1], args }))))
    expect(program.params.slice(0, 2).map((p) => p.name)).toEqual(['da', 'da.map'])
  })
  it.each<readonly [what: string, m: Module, change: Readonly<Record<string, Argument>>, message: string]>([
    [
      'a number that the text divides',
      pointer,
      { M: 100 },
      '%M: expected a multiple of 16, as tt.divisibility of the text has it, found 100: the module was compiled for other arguments',
    ],
    ['a fraction', pointer, { M: 1.5 }, '%M: expected an integer of type i32, found 1.5'],
    [
      'a number out of range',
      pointer,
      { K: 2 ** 31 },
      '%K: expected a number of type i32, -2147483648 to 2147483647, found 2147483648',
    ],
    [
      'a tensor for a number',
      pointer,
      { K: { shape: [1] } },
      '%K: expected a number of type i32, found a tensor',
    ],
    ['a number for a tensor', pointer, { a: 3 }, '%a: expected a tensor of f16, found 3'],
    [
      'other elements',
      pointer,
      { a: { shape: [2], dtype: 'f32' } },
      '%a: expected elements of f16, found f32',
    ],
    ['no extent', pointer, { a: { shape: [0, 2] } }, '%a: expected positive extents, found (0, 2)'],
    ['too few strides', pointer, { a: { shape: [4, 2], strides: [2] } }, '%a: expected 2 strides, found (2)'],
    [
      'a role that the text denies',
      pointer,
      { c: { shape: [128, 64], role: 'in' } },
      "%c: expected a tensor that is only read, as ':in' says, found one that the text writes",
    ],
    [
      'an output that is only read',
      pointer,
      { a: { shape: [128, 96], role: 'out' } },
      "%a: expected a tensor that is written, as ':out' says, found one that the text only reads",
    ],
    [
      'another block',
      descriptor,
      { da: { shape: [128, 96], block: [64, 64] } },
      '%da: expected blocks of (64, 32), as in the text, found (64, 64)',
    ],
    [
      'another rank',
      descriptor,
      { da: { shape: [128] } },
      '%da: expected a tensor of rank 2, as its blocks of (64, 32), found (128)',
    ],
    [
      'an inner stride',
      descriptor,
      { da: { shape: [64, 64], strides: [1, 64] } },
      '%da: expected an innermost stride of 1, as a tensor map has it, found (1, 64)',
    ],
    [
      'rows of no whole 16 bytes',
      descriptor,
      { da: { shape: [64, 60] } },
      '%da: expected strides of whole 16 bytes, 8 elements of f16, as a tensor map has them, found 60',
    ],
    [
      'one tensor with two shapes',
      descriptor,
      { db: { tensor: 'a', shape: [96, 64] } },
      '%db: expected tensor a with extents (128, 96) and strides (96, 1), as for %da, found (96, 64) and (64, 1)',
    ],
    [
      'a tensor without a name',
      descriptor,
      { db: { tensor: '../b', shape: [96, 64] } },
      "%db: expected a tensor with a name of letters, found '../b'",
    ],
  ])('%s is refused', (_, m, change, message) => {
    const args = { ...(m === pointer ? whole : tiled), ...change }
    expect(refusal(m, { grid: [2, 1], args })).toBe(
      `@${m === pointer ? 'mm_ptr' : 'mm_host_tma'}: ${message}`,
    )
  })
  it.each<readonly [string, Partial<Given>, string]>([
    [
      'a parameter that is not there',
      { args: { ...whole, m: 3 } },
      "expected a parameter, a, b, c, M, N, K, sam, sbk, scm, found 'm'; did you mean M, a or b?",
    ],
    [
      'too many arguments',
      { args: [...Object.values(whole), 1] },
      'expected 9 arguments, for a, b, c, M, N, K, sam, sbk, scm, found 10',
    ],
    [
      'a grid of four',
      { grid: [1, 1, 1, 1] },
      'expected a grid of one, two or three positive extents, found (1, 1, 1, 1)',
    ],
    [
      'a product of other shapes',
      { computes: 'matmul:b,a,c' },
      'computes: expected c = b @ a of (m, k) and (k, n), with .T after the name of a transpose, found b (96, 64), a (128, 96), c (128, 64)',
    ],
    [
      'a tensor that is not there',
      { computes: 'matmul:a,b,d' },
      "computes: expected tensors, a, b, c, found 'd'; did you mean a, b or c?",
    ],
    [
      'what is no computation',
      { computes: 'sum:a,b' },
      "computes: expected matmul:A,B,OUT, gemm:A,B,OUT or copy:FROM,OUT, with names of tensors, found 'sum:a,b'",
    ],
  ])('%s is refused', (_, change, message) => {
    expect(refusal(pointer, { grid: [2, 1], args: whole, ...change })).toContain(message)
  })
})

describe('labels', () => {
  it.each(sampled(13, captureNames))('%s: every statement is of an operation', (name) => {
    const { program, operations } = right(launchedCapture(name))
    const owner = ownerOf(operations)
    const orphans = statementsOf(program.entry.body).filter(
      (s) => s.site.label !== '' && owner(s.site.label) === null,
    )
    expect(orphans.map((s) => s.site.label)).toEqual([])
    // and of one that stands where the statement says
    for (const s of statementsOf(program.entry.body))
      if (s.site.loc !== undefined) expect(owner(s.site.label)!.place).toBe(s.site.loc)
  })
  const file = 'mm_persistent_ws_64x64x32_s4_w4_sm90.ttgir'
  const m = moduleOf(file)
  const labelled = labelledIn(m, right(functionOf(m)), { grid: [1], tensors: new Map() })
  const meant = (text: string): ReadonlyArray<string> => meantBy(labelled)(text).map((o) => o.label)
  const waits = [...labelled.values()].filter(({ op }) => op.name === 'ttng.wait_barrier')
  it('are names, lines, names with lines, and lines of the author', () => {
    const [{ label, op, place }] = waits as [(typeof waits)[0]]
    expect(label).toBe(`wait_barrier ${String(op.at.line)}`)
    for (const text of [label, `ttng.${label}`, String(op.at.line)]) expect(meant(text)).toEqual([label])
    expect(meant(place!)).toContain(label)
    expect(meant('nothing')).toEqual([])
  })
  it('a name that several operations have is of none of them alone', () => {
    const dots = [...labelled.values()].filter(({ op }) => op.name === 'ttng.warp_group_dot')
    expect(dots.length).toBe(2)
    const [{ op }] = dots as [(typeof dots)[0]]
    const { name } = op.names[0]!
    expect(meant(`%${name}`)).toEqual(dots.map((d) => d.label))
    expect(meant(`${name} ${String(op.at.line)}`)).toEqual([dots[0]!.label])
  })
  it('no two operations have one', () => {
    for (const f of moduleFiles) {
      const text = moduleOf(f)
      const all = labelledIn(text, right(functionOf(text)), { grid: [1], tensors: new Map() })
      expect(new Set([...all.values()].map((o) => o.op)).size).toBe(all.size)
    }
  })
})
