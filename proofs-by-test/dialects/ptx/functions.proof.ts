/** Functions whose address is taken, and calls through it. */
import { expect, it } from 'vitest'
import { differing } from './small-kernels.js'

const binary = (name: string, body: string): string => `
.func (.param .b32 r) ${name}(.param .b32 a, .param .b32 b) {
.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b];
${body}
st.param.b32 [r], %r3; ret; }`

const declared = `${binary('plus', 'add.u32 %r3, %r1, %r2;')}${binary('minus', 'sub.u32 %r3, %r1, %r2;')}
.func (.param .b32 r) alone(.param .b32 a) { .reg .b32 %r<4>; ld.param.u32 %r1, [a]; st.param.b32 [r], %r1; ret; }
.global .align 8 .u64 table[3] = {plus, alone, minus};`

/** Calls the function at the address in %rd7 with the lane and what it loaded. */
const through = `
{ .param .b32 p0; .param .b32 p1; .param .b32 q;
st.param.b32 [p0], %r1; st.param.b32 [p1], %r2;
shape: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
call (q), %rd7, (p0, p1), shape;
ld.param.b32 %r3, [q]; }`

const x = Uint32Array.from({ length: 32 }, (_, k) => 1000 + 37 * k)
const load = 'ld.global.u32 %r2, [%rd4];'
const store = 'st.global.u32 [%rd5], %r3;'

it('lanes call what they have the address of, from a table and by name', () => {
  const y = x.map((v, k) => (k % 4 === 3 ? k : k % 2 === 0 ? k + v : k - v))
  const body = `${load} mov.u32 %r3, %r1;
and.b32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 3; @%p1 bra over;
and.b32 %r4, %r1, 1; mul.wide.u32 %rd6, %r4, 16; mov.u64 %rd8, table; add.s64 %rd6, %rd6, %rd8; ld.global.u64 %rd7, [%rd6];
${through}
over: ${store}`
  expect(differing(body, x, y, undefined, declared)).toContain('0 of 32 elements differ')
  const named = `${load} mov.u64 %rd7, minus; ${through} ${store}`
  expect(
    differing(
      named,
      x,
      x.map((v, k) => k - v),
      undefined,
      declared,
    ),
  ).toContain('0 of 32 elements differ')
})

it.each([
  ['no address', 'mov.u64 %rd7, 64;'],
  ['the address of a function with other parameters', 'mov.u64 %rd7, alone;'],
  ['the address of data', 'mov.u64 %rd7, table;'],
])('%s traps', (_, address) => {
  expect(differing(`${load} ${address} ${through} ${store}`, x, x, undefined, declared)).toContain(
    'the callee is not a function that may',
  )
})

const again = (call: string): string =>
  `.func (.param .b32 r) again(.param .b32 a, .param .b32 b);
${binary(
  'again',
  `mov.u32 %r3, %r1; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; sub.u32 %r1, %r1, 1; mov.u64 %rd1, again;
{ .param .b32 p0; .param .b32 p1; .param .b32 q; st.param.b32 [p0], %r1; st.param.b32 [p1], %r2;
shape: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
${call} ld.param.b32 %r3, [q]; } done:`,
)}`

it('a function that calls itself is refused, and through an address only where it does', () => {
  const address = 'mov.u64 %rd7, again;'
  const byName = again('call (q), again, (p0, p1);')
  expect(differing(`${load} ${address} ${through} ${store}`, x, x, undefined, byName)).toContain(
    'a function that does not call itself',
  )
  const byAddress = again('call (q), %rd1, (p0, p1), shape;')
  expect(differing(`${load} ${address} ${through} ${store}`, x, x, undefined, byAddress)).toContain(
    'again would call itself',
  )
  const never = `${load} mov.u32 %r1, 0; ${address} ${through} ${store}`
  expect(
    differing(
      never,
      x,
      x.map(() => 0),
      undefined,
      byAddress,
    ),
  ).toContain('0 of 32 elements differ')
})
