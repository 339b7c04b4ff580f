/** A program tells what is found in a launch as `check` of that launch tells it: on a terminal, and in a JUnit file. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../disk.js'
import { printed } from '../quoted.js'

const module = new URL('../../../conformance/hopper/cuda/block_reduce/broken1.ptx', import.meta.url)
const pointer = (tensor: string) => ({ kind: 'pointer', tensor })
const program = {
  schema: 'tcspec.host/1',
  name: 'one launch with a race',
  module: 'broken1.ptx',
  operations: [
    { op: 'alloc', memory: 'x', bytes: 12000 },
    { op: 'fill', memory: { memory: 'x', at: 0 }, value: 0, bytes: 12000 },
    { op: 'alloc', memory: 'y', bytes: 16 },
    {
      op: 'launch',
      launch: {
        kernel: 'block_reduce',
        grid: [4],
        block: [256],
        args: [pointer('x'), pointer('y'), 3000],
      },
    },
  ],
}

describe('what is found in a launch of a program', () => {
  it('is told with both lines and a fix', async () => {
    const disk = new Map<string, Uint8Array>([
      ['broken1.ptx', readFileSync(module)],
      ['program.json', new TextEncoder().encode(JSON.stringify(program))],
    ])
    const { stdout, status } = await printed('check program.json --junit junit.xml', inMemory(disk))
    expect(status).toBe(1)
    expect(stdout).toMatch(/^verdict +hazard: operation 3, launch of block_reduce: /mu)
    expect(stdout).toMatch(/^in operation 3, launch of block_reduce$/mu)
    const junit = new TextDecoder().decode(disk.get('junit.xml'))
    for (const told of [stdout, junit]) {
      expect(told).toMatch(/first +warp \d@0 +block_reduce \/ block_reduce\.cu:18 ld\.shared\.f32/u)
      expect(told).toMatch(/second +warp \d@0 +block_reduce \/ block_reduce\.cu:13 st\.shared\.f32/u)
      expect(told).toContain('fix       `__syncthreads()` between')
    }
  })
})
