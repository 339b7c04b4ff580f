/** The command line on kernels that JAX traced: told by what is in the file, judged, run, quoted, refused in one line. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import type { Document, Eqn, Jaxpr } from '../../../src/dialects/jaxpr/index.js'
import { document, k, scalar, swap, v } from '../../dialects/jaxpr/documents.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const text = (d: Document): Uint8Array => new TextEncoder().encode(JSON.stringify(d))
const matmul = readFileSync(
  new URL('../../../conformance/jaxpr/0.11.2/matmul_f16_256x256x256_sms3.jaxpr.json', import.meta.url),
)

/** Block 0 signals, block 1 waits; `isGlobal`: for a counter that they share. */
const semaphores = (isGlobal: boolean): Document => {
  const type = { semaphore: { kind: 'regular', shape: [] } } as const
  const signal: Jaxpr = {
    in: [{ v: 20, type }],
    eqns: [{ op: 'semaphore_signal', in: [k(1)], uses: { semaphore: { ref: v(20) } } }],
  }
  const wait: Jaxpr = {
    in: [{ v: 30, type }],
    eqns: [
      { op: 'semaphore_wait', in: [k(1)], uses: { semaphore: { ref: v(30) } }, params: { decrement: true } },
    ],
  }
  const meeting: ReadonlyArray<Eqn> = [
    { op: 'axis_index', params: { axisName: 'i' }, out: [{ v: 5, type: scalar('i32') }] },
    { op: 'cond', in: [v(5), v(4)], jaxprs: { branches: [1, 2] }, out: [] },
  ]
  const mesh = { mesh: { grid: [2], gridNames: ['i'] } }
  if (isGlobal)
    return document([], [{ op: 'get_global', out: [{ v: 4, type }] }, ...meeting], [signal, wait], mesh)
  const body: Jaxpr = { in: [{ v: 4, type }], eqns: meeting }
  const scoped: Eqn = {
    op: 'run_scoped',
    in: [],
    params: { allocations: 1, collectiveAxes: [] },
    jaxprs: { body: 3 },
    out: [],
  }
  return document([], [scoped], [signal, wait, body], mesh)
}

const disk = new Map<string, Uint8Array>([
  ['k.jaxpr.json', new Uint8Array(matmul)],
  ['shared.json', text(semaphores(true))],
  ['own.json', text(semaphores(false))],
  ['bad.json', text({ ...document([], []), jaxprs: [{ eqns: [{ op: 'sort' }] }] })],
  ['broken.json', new TextEncoder().encode('{"schema":"tcspec.jaxpr/1"}')],
  ['const.json', text(document([{ name: 'z', role: 'out', dtype: 'i32', shape: [1] }], [swap(0, k(7))]))],
])
const world = worldOf(inMemory(disk))
const said = (line: string): Promise<Outcome> => tcspec(commands, world)(line.split(' '))()

describe('check', () => {
  it('is judged, and proved', async () => {
    const { status, stdout } = await said('check k.jaxpr.json --computes matmul:a_gmem,b_gmem,out_gmem')
    expect(status).toBe(0)
    expect(stdout).toMatch(/proved +out_gmem = a_gmem @ b_gmem for all inputs of shape/)
  })
  it('without a line: the finding quotes both', async () => {
    const { status, stdout } = await said('check k.jaxpr.json --without hopper_matmul_mgpu.py:220')
    expect(status).toBe(1)
    expect(stdout).toContain('W3  wgmma operand overwritten in flight')
    expect(stdout).toMatch(/source +hopper_matmul_mgpu.py:216: plgpu.wgmma\(acc_ref/)
    expect(stdout).toContain('hopper_matmul_mgpu.py:223: get_pipeline(mma_body, compute_context)(')
  })
  it('counters begin with zero: those that blocks share let them meet, those of each block do not', async () => {
    expect((await said('check shared.json')).stdout).toMatch(/verdict +ok/)
    expect((await said('check own.json')).stdout).toMatch(/verdict +deadlock/)
  })
})

it('run: told by what is in a file, not by its name; outputs as files, by the names of the operands', async () => {
  const { status, stderr } = await said('run const.json --out z=z.npy')
  expect([status, stderr]).toEqual([0, ''])
  const written = disk.get('z.npy')!
  expect(new DataView(written.buffer, written.byteOffset + 128).getInt32(0, true)).toBe(7)
})

it('mutate: its mutants are named by their lines', async () => {
  const { stdout } = await said('mutate shared.json --class data --json')
  expect(JSON.parse(stdout)).toMatchObject({ schema: 'tcspec.mutation/1' })
})

describe('refused in one line', () => {
  it.each([
    [
      'check bad.json',
      'bad.json: sort: expected an operation that is known here, found one that Mosaic GPU does not lower, either',
    ],
    ['check broken.json', 'broken.json: $.kernel: expected JaxprKernel, found nothing'],
    [
      'check k.jaxpr.json --computes matmul:a,b,c',
      "k.jaxpr.json: computes: expected tensors, a_gmem, b_gmem, out_gmem, found 'a'",
    ],
    [
      'check k.jaxpr.json --grid 2',
      "--grid: expected a module that is launched (.ttgir, .ptx), found 'k.jaxpr.json'",
    ],
    ['run k.jaxpr.json --set m=2', "--set: a program in a file has no settings, found 'm'"],
    ['run k.jaxpr.json --in q=z.npy', "z.npy: expected an input of kernel, a_gmem, b_gmem, found 'q'"],
  ])('%s', async (line, message) => {
    const { status, stderr } = await said(line)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
