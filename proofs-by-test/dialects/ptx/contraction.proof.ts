/**
 * Products that go into sums: every bit of every case, and which sums take which products. Oracles: what an H100 left (`conformance/hopper/ptx/contraction`); the machine code
 * that ptxas 13.0 makes of each case, by hand.
 */
import * as E from 'fp-ts/lib/Either.js'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contractionOf } from '../../../src/dialects/ptx/flow/contraction.js'
import { codeOf, parseModule } from '../../../src/dialects/ptx/index.js'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const folder = new URL('../../../conformance/hopper/ptx/contraction/', import.meta.url)

it('leave what they left on an H100', () => {
  const files = new Map(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))] as const),
  )
  const ran = runPtx(worldOf(inMemory(files)), 'contraction.ptx', { launch: 'launch.json' })
  const said = E.isLeft(ran) ? ran.left.message : ran.right.text()
  expect(said.match(/compared .*/gu)).toEqual([
    'compared    out4: 0 of 12,544 elements differ from what its file expects',
    'compared    out2: 0 of 4,096 elements differ from what its file expects',
    'compared    out8: 0 of 1,792 elements differ from what its file expects',
  ])
})

describe('which sums take which products', () => {
  const said = (lines: string): string => {
    const [code] = right(
      codeOf(
        right(
          parseModule(`.version 8.8
.target sm_90a
.address_size 64
.entry k() { .reg .f32 x, y, z, w, p, q, r, s; .reg .b16 h, i, j, k; .reg .pred t; .reg .b64 a;
${lines} }`),
        ),
      ),
    )
    const { products, sums } = contractionOf(code!)
    const taking = [...sums].map(
      ([sum, { product, operand, negated }]) =>
        `${String(sum)}=${negated ? '-' : ''}${String(product)}${operand}`,
    )
    return `${[...products].join()}: ${taking.join(' ')}`
  }
  it.each([
    ['a product and a sum', 'mul.f32 p,x,y; add.f32 s,p,z; ret;', '0: 1=0a'],
    ['a barrier between them', 'mul.f32 p,x,y; bar.sync 0; sub.f32 s,z,p; ret;', '0: 2=0b'],
    ['a jump to what stands behind', 'mul.f32 p,x,y; bra on; on: add.f32 s,p,z; ret;', '0: 2=0a'],
    ['through a move and a sign', 'mul.f16 h,i,j; mov.b16 k,h; neg.f16 i,k; add.f16 j,k,i; ret;', ': '],
    ['by another name', '{ .reg .b16 l; mul.f16 l,i,j; mov.b16 h,l; } add.f16 k,j,h; ret;', '0: 2=0b'],
    ['with the other sign', 'mul.f32 p,x,y; neg.f32 q,p; sub.f32 s,q,z; ret;', '0: 2=-0a'],
    ['the left one of two', 'mul.f32 p,x,y; mul.f32 q,z,w; add.f32 s,q,p; ret;', '1: 2=1a'],
    [
      'the one with fewer uses',
      'mul.f32 p,x,y; mul.f32 q,z,w; add.f32 s,p,q; add.f32 r,p,x; ret;',
      '1: 2=1b',
    ],
    ['both sums', 'mul.f32 p,x,y; add.f32 s,p,z; add.f32 r,p,w; ret;', '0: 1=0a 2=0a'],
    ['a guarded sum', 'mul.f32 p,x,y; @t add.f32 s,p,z; ret;', '0: 1=0a'],
    ['a guarded product', '@t mul.f32 p,x,y; add.f32 s,p,z; ret;', ': '],
    ['one that is stored, too', 'mul.f32 p,x,y; add.f32 s,p,z; st.f32 [a],p; ret;', ': '],
    ['one that is multiplied, too', 'mul.f32 p,x,y; add.f32 s,p,z; fma.rn.f32 r,p,x,y; ret;', ': '],
    ['behind a branch', 'mul.f32 p,x,y; @t bra over; add.f32 s,p,z; over: ret;', ': '],
    ['rounded by name', 'mul.rn.f32 p,x,y; add.f32 s,p,z; ret;', ': '],
    ['a sum that is rounded by name', 'mul.f32 p,x,y; add.rn.f32 s,p,z; ret;', ': '],
    ['subnormal numbers that are zeros to one', 'mul.ftz.f32 p,x,y; add.f32 s,p,z; ret;', ': '],
    ['with itself', 'mul.f32 p,x,y; add.f32 s,p,p; ret;', ': '],
    ['a register that is written twice', 'mul.f32 p,x,y; add.f32 s,p,z; mul.f32 p,z,w; ret;', ': '],
    ['a quotient', 'div.full.f32 p,x,y; sub.f32 s,z,p; sub.f32 r,w,p; ret;', '0: 1=0b 2=0b'],
    ['a quotient that is rounded to nearest', 'div.rn.f32 p,x,y; sub.f32 s,z,p; ret;', ': '],
  ])('%s', (_, lines, taken) => {
    expect(said(lines)).toBe(taken)
  })
})
