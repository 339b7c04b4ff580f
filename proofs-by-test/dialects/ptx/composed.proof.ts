/** Instructions that are made of others: two floats at once, operands that are widened, the least of three, atomics of vectors; against arithmetic of doubles. */
import { expect, it } from 'vitest'
import { generator } from '../../numerics/exact.js'
import { differing } from './small-kernels.js'

const next = generator(5)
const wordOf = (x: number): number => new Uint32Array(new Float32Array([x]).buffer)[0]!
const floatOf = (word: number): number => new Float32Array(new Uint32Array([word]).buffer)[0]!
/** Of few bits, so that a product and a sum are exact in a double. */
const some = (): number => ((next() >>> 8) % 4096) / 64 - 32
const words = (of: (k: number) => number, count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, k) => of(k) >>> 0)

it('two floats at once, in registers that are read and written', () => {
  const x = words(() => wordOf(some() + 2 ** -20 * (next() & 7)), 128)
  const at = (k: number): number => floatOf(x[k]!)
  const y = words((k) => {
    const lane = k % 32
    const [part, half] = [Math.floor(k / 64), Math.floor(k / 32) % 2]
    const [a, b] = half === 0 ? [at(lane), at(lane + 64)] : [at(lane + 32), at(lane + 96)]
    const swapped = half === 0 ? at(lane + 32) : at(lane)
    // of the third the sum is rounded to zero
    const low = Math.fround(a + b)
    const toZero = Math.abs(low) > Math.abs(a + b) ? floatOf(wordOf(low) - 1) : low
    return wordOf(
      [Math.fround(a + b), Math.fround(Math.fround(a * b) - swapped), toZero, Math.fround(a * a + b)][part]!,
    )
  }, 256)
  const body = `
ld.global.b32 %r2, [%rd4]; ld.global.b32 %r3, [%rd4+128]; ld.global.b32 %r4, [%rd4+256]; ld.global.b32 %r5, [%rd4+384];
mov.b64 %rd6, {%r2, %r3}; mov.b64 %rd7, {%r4, %r5}; mov.b64 %rd8, {%r3, %r2};
add.rn.f32x2 %rd9, %rd6, %rd7; mov.b64 {%r6, %r7}, %rd9; st.global.b32 [%rd5], %r6; st.global.b32 [%rd5+128], %r7;
mul.rn.f32x2 %rd9, %rd6, %rd7; sub.f32x2 %rd9, %rd9, %rd8; mov.b64 {%r6, %r7}, %rd9; st.global.b32 [%rd5+256], %r6; st.global.b32 [%rd5+384], %r7;
add.rz.ftz.f32x2 %rd9, %rd6, %rd7; mov.b64 {%r6, %r7}, %rd9; st.global.b32 [%rd5+512], %r6; st.global.b32 [%rd5+640], %r7;
fma.rn.f32x2 %rd6, %rd6, %rd6, %rd7; mov.b64 {%r6, %r7}, %rd6; st.global.b32 [%rd5+768], %r6; st.global.b32 [%rd5+896], %r7;`
  expect(differing(body, x, y)).toContain('0 of 256 elements differ')
})

it('operands of 16 bits are widened', () => {
  const x = words((k) => (k < 32 ? 0x3c00 + 37 * k : k < 64 ? 0x3f80 + 3 * k : wordOf(some())), 96)
  const f16 = (word: number): number => (1 + (word & 0x3ff) / 1024) * 2 ** ((word >> 10) - 15)
  const y = words((k) => {
    const lane = k % 32
    const [h, b, c] = [f16(x[lane]!), floatOf(x[lane + 32]! << 16), floatOf(x[lane + 64]!)]
    return wordOf(
      [Math.fround(h + c), Math.fround(b - c), Math.min(1, Math.max(0, Math.fround(h * h + c)))][
        Math.floor(k / 32)
      ]!,
    )
  }, 96)
  const body = `
ld.global.b16 %h1, [%rd4]; ld.global.b16 %h2, [%rd4+128]; ld.global.f32 %f1, [%rd4+256];
add.f32.f16 %f2, %h1, %f1; st.global.f32 [%rd5], %f2;
sub.rn.f32.bf16 %f3, %h2, %f1; st.global.f32 [%rd5+128], %f3;
fma.rn.sat.f32.f16 %f4, %h1, %h1, %f1; st.global.f32 [%rd5+256], %f4;`
  expect(differing(body, x, y)).toContain('0 of 96 elements differ')
})

it('the smallest and largest of three, of magnitudes, with and without NaN', () => {
  const x = words((k) => (k % 7 === 3 ? 0x7fc00000 : wordOf(some())), 96)
  const y = words((k) => {
    const three = [0, 32, 64].map((at) => floatOf(x[(k % 32) + at]!))
    const numbers = three.filter((v) => !Number.isNaN(v))
    const part = Math.floor(k / 32)
    if (part === 2 && numbers.length < 3) return 0x7fffffff
    if (numbers.length === 0) return 0x7fffffff
    return wordOf([Math.min(...numbers), Math.max(...numbers.map(Math.abs)), Math.max(...numbers)][part]!)
  }, 96)
  const body = `
ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+128]; ld.global.f32 %f3, [%rd4+256];
min.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd5], %f4;
max.abs.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd5+128], %f4;
max.NaN.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd5+256], %f4;`
  expect(differing(body, x, y)).toContain('0 of 96 elements differ')
})

it.each(['%f1, %f2, %f1, %f3', '%f1, 0f3F800000, %f1, 2.0'])(
  'each element of a vector is an atomic by itself: %s',
  (added) => {
    const before = words((k) => wordOf(k), 8)
    const x = words((k) => wordOf(k), 32)
    // 32 lanes add lane, 1, lane, 2; what the last one finds comes back, in registers that are operands, too
    const y = words(
      (k) => wordOf(k < 4 ? k + [496, 32, 496, 64][k]! : [0, 1, 2, 3][k - 4]! + [465, 31, 465, 62][k - 4]!),
      8,
    )
    const body = `
ld.global.f32 %f1, [%rd4]; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f40000000;
atom.relaxed.gpu.global.add.v4.f32 {%f2, %f1, %f3, %f4}, [%rd2], {${added}};
setp.eq.u32 %p1, %r1, 31; @!%p1 bra over;
st.global.v4.f32 [%rd2+16], {%f2, %f1, %f3, %f4};
over:`
    expect(differing(body, x, y, before)).toContain('0 of 8 elements differ')
  },
)

it('a sum by atomics flushes subnormal numbers in global memory, and keeps them in shared memory', () => {
  const [x, before] = [words(() => 0, 32), words(() => 0, 2)]
  const body = `
.shared .align 4 .b8 s[4];
setp.ne.u32 %p1, %r1, 0; @%p1 bra over;
mov.b32 %f1, 5; mov.b32 %r2, 0; st.shared.b32 [s], %r2;
red.shared.add.f32 [s], %f1; red.global.add.f32 [%rd2], %f1;
ld.shared.b32 %r3, [s]; st.global.b32 [%rd2+4], %r3;
over:`
  expect(differing(body, x, Uint32Array.of(0, 5), before)).toContain('0 of 2 elements differ')
})

const lanes = (of: (lane: number) => number): Uint32Array => Uint32Array.from({ length: 32 }, (_, i) => of(i))

it('numbers without digits before their point, fourth parts of registers, a cache operator before its space', () => {
  const left = (body: string, word: number): string =>
    differing(
      `${body}\nst.wt.global.u32 [%rd5], %r3;`,
      lanes((i) => i),
      lanes(() => word),
    )
  expect(left('mov.f32 %f1, .5; mov.b32 %r3, %f1;', wordOf(0.5))).toContain('0 of 32 elements differ')
  expect(left('mov.f32 %f1, -.5e-1; mov.b32 %r3, %f1;', wordOf(-0.05))).toContain('0 of 32 elements differ')
  expect(left('mov.f32 %f1, 1.5; add.f32 %f1, %f1,.25; mov.b32 %r3, %f1;', wordOf(1.75))).toContain(
    '0 of 32 elements differ',
  )
  for (const name of [
    'tid',
    'ntid',
    'ctaid',
    'nctaid',
    'clusterid',
    'nclusterid',
    'cluster_ctaid',
    'cluster_nctaid',
  ])
    expect(left(`mov.u32 %r3, %${name}.w;`, 0), name).toContain('0 of 32 elements differ')
  expect(
    differing(
      'ld.cv.global.u32 %r3, [%rd4];\nst.global.u32 [%rd5], %r3;',
      lanes((i) => 3 * i),
      lanes((i) => 3 * i),
    ),
  ).toContain('0 of 32 elements differ')
  expect(left('mov.u32 %r2, %envreg6; mov.u32 %r3, 7;', 7)).toContain('0 of 32 elements differ')
})

it('comparisons as halves, and products out of bounds', () => {
  const left = (body: string, of: (lane: number) => number): string =>
    differing(
      `ld.global.u32 %r2, [%rd4];\n${body}\ncvt.u32.u16 %r3, %h1;\nst.global.u32 [%rd5], %r3;`,
      lanes((i) => i),
      lanes(of),
    )
  expect(left('set.lt.f16.u32 %h1, %r2, 5;', (i) => (i < 5 ? 0x3c00 : 0))).toContain(
    '0 of 32 elements differ',
  )
  expect(
    left('setp.gt.u32 %p1, %r2, 1;\nset.lt.and.bf16.u32 %h1, %r2, 5, %p1;', (i) =>
      i > 1 && i < 5 ? 0x3f80 : 0,
    ),
  ).toContain('0 of 32 elements differ')
  // a tensor map puts 0x7ff7 where there is no tensor
  const halves =
    'cvt.u16.u32 %h2, %r2; setp.eq.u32 %p1, %r2, 3; selp.b16 %h2, 0x7ff7, 0x3c00, %p1; mov.b16 %h3, 0x4000;'
  expect(left(`${halves}\nfma.rn.oob.f16 %h1, %h2, %h3, %h3;`, (i) => (i === 3 ? 0 : 0x4400))).toContain(
    '0 of 32 elements differ',
  )
  expect(left(`${halves}\nfma.rn.f16 %h1, %h2, %h3, %h3;`, (i) => (i === 3 ? 0x7fff : 0x4400))).toContain(
    '0 of 32 elements differ',
  )
})

it('textures and surfaces are refused in one line', () => {
  for (const line of [
    'tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];',
    'sust.b.1d.b32.trap [%rd1, {%r1}], %r1;',
  ])
    expect(
      differing(
        line,
        lanes(() => 0),
        lanes(() => 0),
      ),
    ).toContain('expected an instruction that is supported: textures and surfaces are not')
})
