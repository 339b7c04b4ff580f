/**
 * Products that go into sums: every bit of every case, and which sums take which products. Oracles: what an H100 left (`conformance/hopper/ptx/contraction`); the machine code
 * that ptxas 13.0 makes of each case, by hand.
 */
import * as E from 'fp-ts/lib/Either.js'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contractionOf } from '../../../src/dialects/ptx/flow/contraction.js'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { codesOf, moduleOf } from './small-text.js'

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
    const [code] = codesOf(
      moduleOf(
        [],
        `.reg .f32 x, y, z, w, p, q, r, s; .reg .b16 h, i, j, k; .reg .pred t; .reg .b64 a; .reg .b32 u, v, m, n;
${lines}`,
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
    ['a register that is written again', 'mul.f32 p,x,y; add.f32 s,p,z; mul.f32 p,z,w; ret;', '0: 1=0a'],
    [
      'two products in one register',
      'mul.f32 p,x,y; add.f32 s,p,z; mul.f32 p,z,w; sub.f32 r,x,p; ret;',
      '0,2: 1=0a 3=2b',
    ],
    ['the sum in the register of the product', 'mul.f32 p,x,y; add.f32 p,p,z; st.f32 [a],p; ret;', '0: 1=0a'],
    ['the same, guarded', 'mul.f32 p,x,y; @t add.f32 p,p,z; st.f32 [a],p; ret;', ': '],
    [
      'all in one register',
      'mul.f32 x,x,y; add.f32 x,x,z; mul.f32 x,x,w; add.f32 x,x,y; ret;',
      '0,2: 1=0a 3=2a',
    ],
    ['a guarded write before the sum', 'mul.f32 p,x,y; @t mov.f32 p,w; add.f32 s,p,z; ret;', ': '],
    ['a guarded write behind it', 'mul.f32 p,x,y; add.f32 s,p,z; @t mov.f32 p,w; st.f32 [a],p; ret;', ': '],
    ['a guarded move', 'mul.f32 p,x,y; mov.f32 q,w; @t mov.f32 q,p; add.f32 s,q,z; ret;', ': '],
    [
      'a move, and the product is written again',
      'mul.f32 p,x,y; mov.f32 q,p; mul.f32 p,z,w; add.f32 s,q,p; ret;',
      '0: 3=0a',
    ],
    [
      'two by one name, one behind the other',
      'mul.f32 p,x,y; add.f32 s,p,z; mov.f32 q,p; add.f32 r,q,z; mov.f32 q,w; st.f32 [a],q; ret;',
      '0: 1=0a 3=0a',
    ],
    ['a move that is stored, too', 'mul.f32 p,x,y; add.f32 s,p,z; mov.f32 q,p; st.f32 [a],q; ret;', ': '],
    [
      'written again before another block reads it',
      'mul.f32 p,x,y; add.f32 s,p,z; mov.f32 p,w; @t bra on; add.f32 s,s,p; on: ret;',
      '0: 1=0a',
    ],
    [
      'a block in between that writes it',
      'mul.f32 p,x,y; add.f32 s,p,z; @t bra on; mov.f32 p,w; st.f32 [a],p; on: ret;',
      '0: 1=0a',
    ],
    [
      'a block in between that writes it if',
      'mul.f32 p,x,y; add.f32 s,p,z; @t bra on; @t mov.f32 p,w; st.f32 [a],p; on: ret;',
      ': ',
    ],
    [
      'one of two ways',
      'mov.f32 p,z; @t bra other; mul.f32 p,x,y; bra on; other: mov.f32 w,y; on: add.f32 s,p,w; ret;',
      ': ',
    ],
    [
      'behind two ways',
      'mul.f32 p,x,y; @t bra other; mov.f32 w,x; bra on; other: mov.f32 w,y; on: add.f32 s,p,w; ret;',
      ': ',
    ],
    [
      'from turn to turn',
      'mov.f32 p,z; on: add.f32 s,p,z; mul.f32 p,x,s; setp.gt.f32 t,s,w; @t bra on; ret;',
      ': ',
    ],
    ['in a turn', 'on: mul.f32 p,x,s; add.f32 s,p,z; setp.gt.f32 t,s,w; @t bra on; ret;', '0: 1=0a'],
    ['before a loop', 'mul.f32 p,x,y; on: add.f32 s,p,s; setp.gt.f32 t,s,w; @t bra on; ret;', ': '],
    [
      'two in one register in a loop',
      'on: mul.f32 p,x,y; add.f32 q,q,p; mul.f32 p,q,w; add.f32 y,p,z; setp.gt.f32 t,y,w; @t bra on; ret;',
      '0,2: 1=0b 3=2a',
    ],
    [
      'another block reads it twice',
      'mul.f32 p,x,y; add.f32 s,p,z; @t bra on; st.f32 [a],p; mov.f32 p,w; st.f32 [a],p; on: ret;',
      ': ',
    ],
    [
      'another block adds to it',
      'mul.f32 p,x,y; add.f32 s,p,z; @t bra on; add.f32 p,p,w; st.f32 [a],p; on: ret;',
      ': ',
    ],
    [
      'the block behind another one reads it',
      'mul.f32 p,x,y; add.f32 s,p,z; @t bra on; st.f32 [a],s; @t bra on; st.f32 [a],p; on: ret;',
      ': ',
    ],
    [
      'and the one between writes it',
      'mul.f32 p,x,y; add.f32 s,p,z; @t bra on; mov.f32 p,w; @t bra on; st.f32 [a],p; on: ret;',
      '0: 1=0a',
    ],
    [
      'before a loop without it',
      'mul.f32 p,x,y; add.f32 s,p,z; on: add.f32 r,r,s; setp.gt.f32 t,r,w; @t bra on; ret;',
      '0: 1=0a',
    ],
    [
      'read on another way alone',
      'mov.f32 p,w; @t bra on; mul.f32 p,x,y; add.f32 s,p,z; ret; on: st.f32 [a],p; ret;',
      '2: 3=2a',
    ],
    ['what is no product', 'min.f32 p,x,y; add.f32 s,p,z; ret;', ': '],
    ['a sum of a sum', 'add.f32 p,x,y; add.f32 s,p,z; mul.f32 r,s,s; ret;', ': '],
    [
      'a product of integers',
      'mul.lo.s32 u,v,m; add.s32 n,u,v; mul.f32 p,x,y; add.f32 s,p,z; ret;',
      '2: 3=2a',
    ],
    ['a sum of another type', 'mul.f16 h,i,j; add.bf16 k,h,i; ret;', ': '],
    ['two sums of another type', 'mul.f16x2 u,v,m; add.bf16x2 n,u,v; ret;', ': '],
    ['the sign of another type', 'mul.f16 h,i,j; neg.bf16 k,h; add.f16 j,k,i; ret;', ': '],
    ['the sign of an integer', 'mul.f16x2 u,v,m; neg.s32 n,u; add.f16x2 v,n,m; ret;', ': '],
    ['a sign with ftz', 'mul.f32 p,x,y; neg.ftz.f32 q,p; add.f32 s,q,z; ret;', ': '],
    ['a sign without ftz', 'mul.ftz.f32 p,x,y; neg.f32 q,p; add.ftz.f32 s,q,z; ret;', '0: 2=-0a'],
    ['all with ftz', 'mul.ftz.f32 p,x,y; neg.ftz.f32 q,p; add.ftz.f32 s,q,z; ret;', '0: 2=-0a'],
    ['two signs', 'mul.f32 p,x,y; neg.f32 q,p; neg.f32 r,q; sub.f32 s,z,r; ret;', '0: 3=0b'],
    ['one that is in a pair, too', 'mul.f16 h,i,j; add.f16 k,h,i; mov.b32 u,{h,j}; st.b32 [a],u; ret;', ': '],
    ['with itself by another name', 'mul.f32 p,x,y; mov.f32 q,p; add.f32 s,p,q; ret;', ': '],
    ['with its negative', 'mul.f32 p,x,y; neg.f32 q,p; add.f32 s,p,q; ret;', ': '],
    ['one that nothing uses', 'mul.f32 p,x,y; add.f32 s,z,w; ret;', ': '],
    [
      'one whose magnitude is used, too',
      'mul.f32 p,x,y; add.f32 s,p,z; abs.f32 q,p; st.f32 [a],q; ret;',
      ': ',
    ],
    [
      'the right one, which has fewer uses',
      'mul.f32 p,x,y; mul.f32 q,z,w; add.f32 s,q,p; add.f32 r,q,x; ret;',
      '0: 2=0b',
    ],
    ['a quotient', 'div.full.f32 p,x,y; sub.f32 s,z,p; sub.f32 r,w,p; ret;', '0: 1=0b 2=0b'],
    ['a quotient that is rounded to nearest', 'div.rn.f32 p,x,y; sub.f32 s,z,p; ret;', ': '],
  ])('%s', (_, lines, taken) => {
    expect(said(lines)).toBe(taken)
  })
})
