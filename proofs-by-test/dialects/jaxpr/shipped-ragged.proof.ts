/**
 * The ragged products that ship with JAX 0.11.2, exported unchanged: rows in groups of any size, each multiplied with a matrix of its own. Oracle: plain
 * loops over small integers, whose sums no order rounds.
 *
 * `transposed_ragged_dot` has a race from three steps of a group on. Its pipeline fetches into the slot of the step before last, "relying on the implicit wait
 * of wgmma", which the page documents and no version lowers to: W3. With that wait, `wgmma_wait(1)` behind each product, it is right.
 */
import { expect, test } from 'vitest'
import { decodeDocument, elaborate, type Document } from '../../../src/dialects/jaxpr/index.js'
import type { Eqn } from '../../../src/dialects/jaxpr/document.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { bits } from '../../arithmetic.js'
import { right } from '../../either.js'
import { checked } from '../pallas/programs.js'
import { f16Bits } from '../ttgir/beyond.js'
import { inFolder } from './cases.js'

const shipped = inFolder('shipped')
const [rows, inner, columns] = [256, 128, 128] as const
const sizes = [100, 156] as const

/** Small integers, no two rows or columns alike. */
const numbers = (count: number, seed: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => ((at * (seed + 3) + Math.floor(at / 128) * (seed + 5)) % 7) - 3)
const a = numbers(rows * inner, 1)
const b = numbers(2 * inner * columns, 2)

/** Row i of the group that it is in, times the group's matrix. */
const expected = Float64Array.from({ length: rows * columns }, (_, at) => {
  const [i, j] = [Math.floor(at / columns), at % columns]
  const matrix = i < sizes[0] ? 0 : inner * columns
  let sum = 0
  for (let x = 0; x < inner; x++) sum += a[i * inner + x]! * b[matrix + x * columns + j]!
  return f16Bits(sum + 0)
})
const patterns = (of: ReadonlyArray<number>): Float64Array => Float64Array.from(of, f16Bits)

test.each([
  ['ragged_dot', { lhs_gmem: a, rhs_gmem: b }, 'rows_per_expert_gmem', 'o_gmem', []],
  ['blackwell_ragged_dot', { a_gmem: a, b_gmem: b }, 'group_sizes_gmem', 'out_gmem', ['N2', 'U1']],
] as const)('%s: each group times its matrix, to the bit', (name, operands, groups, out, notes) => {
  const program = right(elaborate(right(decodeDocument(JSON.parse(shipped.text(name))))))
  const tensors = new Map([
    ...Object.entries(operands).map(([key, of]) => [key, patterns(of)] as const),
    [groups, Float64Array.from(sizes)] as const,
  ])
  const algebra = bits(program.arch === 'sm90a' ? 'hopper' : 'blackwell')
  const { verdict, world, machine } = checked(program, { strict: false, explain: false }, algebra, tensors)
  expect([verdict.verdict, verdict.findings, [...new Set(verdict.notes.map((f) => f.id))]]).toEqual([
    'ok',
    [],
    notes,
  ])
  expect(readTensor(world, machine, out)).toEqual(expected)
})

/** The wait that is documented: behind each product, for all but itself. */
const documented = (d: Document): Document => ({
  ...d,
  jaxprs: d.jaxprs.map((j) => ({
    ...j,
    eqns: (j.eqns ?? []).flatMap((eqn): ReadonlyArray<Eqn> =>
      eqn.op === 'wgmma' ? [eqn, { op: 'wgmma_wait', in: [{ k: 1, dtype: 'i32' }] }] : [eqn],
    ),
  })),
})

test.each([
  ['as shipped', (d: Document): Document => d, 'hazard', [['W3', 'transposed_ragged_dot_mgpu.py:137']]],
  ['with the wait that is documented', documented, 'ok', []],
] as const)(
  'transposed_ragged_dot %s: rows of a group, transposed, times the others',
  (_, change, name, found) => {
    const d = right(decodeDocument(JSON.parse(shipped.text('transposed_ragged_dot'))))
    const program = right(elaborate(change(d)))
    const other = numbers(rows * columns, 3)
    const blockK = 64
    const [starts, ends] = [
      [0, sizes[0]],
      [sizes[0], rows],
    ]
    const from = starts.map((x) => Math.floor(x / blockK) * blockK)
    const blocks = ends.map((x, g) => Math.ceil(x / blockK) - from[g]! / blockK)
    const tensors = new Map(
      Object.entries({
        lhs_gmem: patterns(a),
        rhs_gmem: patterns(other),
        group_sizes_gmem: Float64Array.from(sizes),
        group_starts_gmem: Float64Array.from(starts),
        group_ends_gmem: Float64Array.from(ends),
        group_num_blocks_gmem: Float64Array.from(blocks),
        group_block_starts_gmem: Float64Array.from(from),
      }),
    )
    const wanted = Float64Array.from({ length: 2 * inner * columns }, (_, at) => {
      const [g, i, j] = [Math.floor(at / (inner * columns)), Math.floor(at / columns) % inner, at % columns]
      let sum = 0
      for (let x = starts[g]!; x < ends[g]!; x++) sum += a[x * inner + i]! * other[x * columns + j]!
      return f16Bits(sum + 0)
    })
    const { verdict, world, machine } = checked(
      program,
      { strict: false, explain: false },
      bits('hopper'),
      tensors,
    )
    const said = verdict.findings.map((f) => JSON.stringify([f.id, f.a.loc]))
    expect([verdict.verdict, [...new Set(said)]]).toEqual([name, found.map((f) => JSON.stringify(f))])
    expect(readTensor(world, machine, 'o_gmem')).toEqual(wanted)
  },
)
