/** Calls of the facade that are wrong, with the reason, and lawful ones. */

export const operands = `
const acc = ref([128, 256], 'f32', 'regs')
const cols = ref([128, 256], 'f32', 'tmem')
const a = swizzle(tile(ref([128, 64], 'f16', 'smem'), [8, 64]), 128)
const b = swizzle(tile(ref([64, 256], 'f16', 'smem'), [8, 64]), 128)
const gmem = ref([128, 64], 'f16', 'gmem')
`

/** One wrong call each, and the reason that the one diagnostic has to name. */
export const wrong: Readonly<Record<string, readonly [source: string, reason: string]>> = {
  illegalTile: [
    `tile(ref([128, 128], 'f16', 'smem'), [48, 64])`,
    'IllegalTile<"dim 0: 48 does not divide 128">',
  ],
  illegalTileInner: [
    `tile(ref([128, 128], 'f16', 'smem'), [8, 96])`,
    'IllegalTile<"dim 1: 96 does not divide 128">',
  ],
  illegalTileBoth: [
    `tile(ref([128, 128], 'f16', 'smem'), [48, 96])`,
    'IllegalTile<"dim 0: 48 does not divide 128">',
  ],
  illegalTileOfRing: [
    `tile(ref([4, 128, 64], 'f16', 'smem'), [8, 48])`,
    'IllegalTile<"dim 2: 48 does not divide 64">',
  ],
  illegalTileOfVector: [
    `tile(ref([100], 'f16', 'smem'), [8])`,
    'IllegalTile<"dim 0: 8 does not divide 100">',
  ],
  tileOfZero: [`tile(ref([128, 64], 'f16', 'smem'), [0, 64])`, 'IllegalTile<"dim 0: 0 does not divide 128">'],
  tileOfHigherRank: [
    `tile(ref([128], 'f16', 'smem'), [8, 64])`,
    'IllegalTile<"a tile of higher rank than the shape">',
  ],
  emptyTile: [`tile(ref([128], 'f16', 'smem'), [])`, 'IllegalTile<"a tile has at least one dimension">'],
  halfKnown: [`tile(ref([n, 128], 'f16', 'smem'), [8, 48])`, 'IllegalTile<"dim 1: 48 does not divide 128">'],
  swizzleOfShortRows: [
    `swizzle(tile(ref([128, 128], 'f16', 'smem'), [8, 32]), 128)`,
    'IllegalSwizzle<"the minor dimension is 32, swizzle 128 of f16 needs 64">',
  ],
  swizzleOfUncut: [
    `swizzle(ref([128, 128], 'f32', 'smem'), 64)`,
    'IllegalSwizzle<"the minor dimension is 128, swizzle 64 of f32 needs 16">',
  ],
  swizzleOf48: [
    `swizzle(ref([128, 24], 'f16', 'smem'), 48)`,
    'IllegalSwizzle<"a swizzle spans 16, 32, 64 or 128 bytes, not 48">',
  ],
  swizzleOfSixBits: [
    `swizzle(ref([128, 24], 'e2m3', 'smem'), 16)`,
    'IllegalSwizzle<"elements of e2m3 do not fill 16 bytes">',
  ],
  swizzleOfGmem: [`swizzle(ref([128, 64], 'f16', 'gmem'), 128)`, 'WrongSpace<"expected smem, found gmem">'],
  sliceInsideTile: [
    `slice(a, [4, 0], [8, 64])`,
    `IllegalSlice<"dim 0: 4 is not a multiple of the tile's 8">`,
  ],
  sliceOfPartOfTile: [
    `slice(a, [0, 0], [8, 32])`,
    `IllegalSlice<"dim 1: 32 is not a multiple of the tile's 64">`,
  ],
  sliceOfOtherRank: [`slice(a, [0], [8, 64])`, 'IllegalSlice<"expected 2 numbers, found 1">'],
  notAPermutation: [
    `transpose(a, [0, 0])`,
    'IllegalTranspose<"(0, 0) is not a permutation of 2 dimensions">',
  ],
  permutationOfOtherRank: [
    `transpose(a, [0, 1, 2])`,
    'IllegalTranspose<"(0, 1, 2) is not a permutation of 2 dimensions">',
  ],
  kMismatch: [
    `wgmma(acc, a, swizzle(tile(ref([32, 256], 'f16', 'smem'), [8, 64]), 128))`,
    'KMismatch<"a has K = 64, b has K = 32">',
  ],
  kMismatchOfView: [`wgmma(acc, a, transpose(b, [1, 0]))`, 'KMismatch<"a has K = 64, b has K = 256">'],
  kMismatchOfTcgen05: [
    `tcgen05(cols, a, slice(b, [0, 0], [32, 256]))`,
    'KMismatch<"a has K = 64, b has K = 32">',
  ],
  mMismatch: [
    `wgmma(ref([64, 256], 'f32', 'regs'), a, b)`,
    'ShapeMismatch<"the accumulator has M = 64, a has M = 128">',
  ],
  nMismatch: [
    `wgmma(ref([128, 128], 'f32', 'regs'), a, b)`,
    'ShapeMismatch<"the accumulator has N = 128, b has N = 256">',
  ],
  dtypeMismatch: [
    `wgmma(acc, a, swizzle(tile(ref([64, 256], 'bf16', 'smem'), [8, 64]), 128))`,
    'DtypeMismatch<"a is f16, b is bf16">',
  ],
  operandFromGmem: [`wgmma(acc, gmem, b)`, 'WrongSpace<"a: expected smem or regs, found gmem">'],
  operandFromRegs: [
    `wgmma(acc, a, ref([64, 256], 'f16', 'regs'))`,
    'WrongSpace<"b: expected smem, found regs">',
  ],
  operandFromTmem: [
    `wgmma(acc, ref([128, 64], 'f16', 'tmem'), b)`,
    'WrongSpace<"a: expected smem or regs, found tmem">',
  ],
  accumulatorInSmem: [
    `tcgen05(ref([128, 256], 'f32', 'smem'), a, b)`,
    'WrongSpace<"accumulator: expected tmem, found smem">',
  ],
  accumulatorInTmem: [`wgmma(cols, a, b)`, 'WrongSpace<"accumulator: expected regs, found tmem">'],
  unswizzledOperand: [
    `wgmma(acc, tile(ref([128, 64], 'f16', 'smem'), [8, 64]), b)`,
    'IllegalOperand<"a: expected a swizzle of 32, 64 or 128 bytes, found none">',
  ],
  operandOfOtherTile: [
    `wgmma(acc, swizzle(tile(ref([128, 64], 'f16', 'smem'), [16, 64]), 128), b)`,
    'IllegalOperand<"a: expected tile (8, 64) or its transpose under swizzle 128, found (16, 64)">',
  ],
  uncutOperand: [
    `wgmma(acc, a, swizzle(ref([64, 64], 'f16', 'smem'), 128))`,
    'IllegalOperand<"b: expected tile (8, 64) or its transpose under swizzle 128, found ()">',
  ],
  copyToTmem: [`tmaLoad(gmem, ref([128, 64], 'f16', 'tmem'))`, 'WrongSpace<"expected smem, found tmem">'],
  copyFromSmem: [`tmaLoad(a, a)`, 'WrongSpace<"expected gmem, found smem">'],
  storeFromTmem: [`tmaStore(cols, gmem)`, 'WrongSpace<"expected smem, found tmem">'],
  copyOfOtherShape: [
    `tmaLoad(gmem, b)`,
    'ShapeMismatch<"the source is (128, 64), the destination is (64, 256)">',
  ],
  copyOfOtherRank: [
    `tmaLoad(ref([1, 128, 64], 'f16', 'gmem'), a)`,
    'ShapeMismatch<"the source is (1, 128, 64), the destination is (128, 64)">',
  ],
  copyOfOtherDtype: [
    `tmaStore(a, ref([128, 64], 'f32', 'gmem'))`,
    'DtypeMismatch<"the source is f16, the destination is f32">',
  ],
}

export const lawful: Readonly<Record<string, string>> = {
  products: `wgmma(acc, a, b); tcgen05(cols, a, b); wgmma(acc, ref([128, 64], 'f16', 'regs'), b); tcgen05(cols, ref([128, 64], 'f16', 'tmem'), b)`,
  copies: `tmaLoad(gmem, a); tmaStore(a, gmem)`,
  computedExtents: `tile(ref([n, 128], 'f16', 'smem'), [48, 64]); tile(ref([100000, 128], 'f16', 'smem'), [48, 64])
    tile(ref([128, 128], 'f16', 'smem'), [n, 64]); swizzle(tile(ref([128, 128], 'f16', 'smem'), [8, n]), 128)
    tmaLoad(ref([n, 64], 'f16', 'gmem'), a); wgmma(acc, a, swizzle(tile(ref([n, 256], 'f16', 'smem'), [8, 64]), 128))
    slice(a, [n, 0], [8, n]); transpose(a, [n, 0]); swizzle(ref([8, 64], 'f16', 'smem'), n)`,
  typeOfTile: `const t = tile(ref([4, 128, 128], 'f16', 'smem'), [8, 64])
    is<typeof t, Ref<readonly [4, 128, 128], 'f16', 'smem', readonly [8, 64]>>(true)
    const p = physicalShape(t)
    if (E.isRight(p)) is<typeof p.right, readonly [4, 16, 2, 8, 64]>(true)`,
  typeOfComputedTile: `is<Tiled<readonly [number, 128], readonly [8, 64]>, readonly [number, 2, 8, 64]>(true)
    is<Tiled<readonly [1000], readonly [10]>, readonly [number, 10]>(true); is<Tiled<readonly [96], readonly [8]>, readonly [12, 8]>(true)
    is<Tiled<readonly number[], readonly [8]>, readonly number[]>(true)`,
  typeOfQuotient: `is<Div<128, 8>, 16>(true); is<Div<128, 48>, never>(true); is<Div<number, 8>, number>(true); is<Div<8, number>, number>(true); is<Div<100003, 7>, number>(true)`,
  typeOfSwizzle: `is<typeof a, Ref<readonly [128, 64], 'f16', 'smem', readonly [8, 64], 128>>(true)`,
  typeOfViews: `const t = transpose(a, [1, 0])
    is<typeof t, Ref<readonly [64, 128], 'f16', 'smem', readonly [64, 8], 128, 'view'>>(true)
    const s = slice(b, [8, 64], [16, 128])
    is<typeof s, Ref<readonly [16, 128], 'f16', 'smem', readonly [8, 64], 128, 'view'>>(true)
    const k = slot(swizzle(tile(ref([4, 128, 64], 'f16', 'smem'), [8, 64]), 128), n)
    is<typeof k, Ref<readonly [128, 64], 'f16', 'smem', readonly [8, 64], 128, 'view'>>(true)
    wgmma(acc, k, b)`,
  transposedOperands: `const at = swizzle(tile(ref([64, 128], 'f16', 'smem'), [8, 64]), 128)
    const bt = swizzle(tile(ref([256, 64], 'f16', 'smem'), [8, 32]), 64)
    wgmma(acc, transpose(at, [1, 0]), transpose(bt, [1, 0]))`,
}
