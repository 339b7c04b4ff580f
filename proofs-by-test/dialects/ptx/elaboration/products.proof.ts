/**
 * `mma` and `wmma` as operations. Oracles: for every form of the capture its types, shape and registers, as they are listed; for a fragment in memory the definition of a matrix with rows or columns
 * that are a stride apart, and where an H100 has each element (`semantics/warps/fragments.ts`). The operations run here, lane by lane, on addresses instead of values.
 */
import { describe, expect, it, test } from 'vitest'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { placesOf } from '../../../../src/semantics/warps/fragments.js'
import type { Address, Instruction, Operation, WarpProgram } from '../../../../src/semantics/warps/program.js'
import { left, right } from '../../../either.js'
import { nightly } from '../../../extent.js'
import { capturedForms, type CapturedForm } from '../../../numerics/mma/captured.js'
import { moved } from '../../../numerics/mma/replay.js'

const elaborated = (lines: ReadonlyArray<string>) =>
  elaborate(
    right(
      parseModule(
        [
          '.version 9.0',
          '.target sm_90a',
          '.address_size 64',
          '.visible .entry k(.param .b64 par) {',
          '.reg .b32 %r<80>, %base, %stride, %meta; .reg .b64 %rd<40>, %wide; .reg .pred %p;',
          ...lines,
          'ret; }',
        ].join('\n'),
      ),
    ),
    'k',
    'k.ptx',
  )
const programOf = (lines: ReadonlyArray<string>): WarpProgram => right(elaborated(lines)).program

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)
const isWide = (type: string): boolean => type === 'f64'

/** The bytes 4w to 4w + 3, as a word; so each byte of all registers is another one. */
const wordOf = (w: number): number => 4 * w * 0x01010101 + 0x03020100

/** Registers from the n-th on, and moves that fill them. */
const filled = (type: string, count: number, from: number) => {
  const names = range(count).map((i) => `${isWide(type) ? '%rd' : '%r'}${String(from + i)}`)
  return {
    list: `{${names.join(', ')}}`,
    names,
    moves: names.map((name, i) =>
      isWide(type)
        ? `mov.b64 ${name}, ${String(BigInt(wordOf(2 * (from + i) + 1)) * 4294967296n + BigInt(wordOf(2 * (from + i))))};`
        : `mov.b32 ${name}, ${String(wordOf(from + i))};`,
    ),
    words: range(isWide(type) ? 2 * count : count).map((i) => wordOf((isWide(type) ? 2 * from : from) + i)),
  }
}

// ---------------------------------------------------------------- lanes that run by themselves

interface Moved {
  readonly space: string
  readonly address: number
  readonly bytes: number
}
interface Lane {
  readonly words: Map<number, number>
  /** of the bytes of a row that is loaded, the addresses */
  readonly held: Map<number, ReadonlyArray<number>>
  readonly loads: Moved[]
  readonly stores: (Moved & { readonly values: ReadonlyArray<number> })[]
}

const bytesOf = (word: number): ReadonlyArray<number> => range(4).map((i) => (word >>> (8 * i)) & 255)
const two32 = 4294967296
/** Where the upper bytes of a narrow load are from. */
const zero = -1

/** Exact: no product here comes near 2^53. */
const calculated = (name: string, x: number, y: number, z: number, upper: number): number => {
  switch (name) {
    case 'mul.lo.u32':
      return x * y
    case 'mad.lo.u32':
      return x * y + z
    case 'mad.wide.u32':
      return x * y + z + upper * two32
    case 'shr.u32':
      return x >>> y
    case 'and.b32':
      return x & y
    default:
      throw new Error(`${name} in a fragment`)
  }
}

const ran = ({ code, constants, givens }: WarpProgram, number: number): Lane => {
  const lane: Lane = {
    words: new Map([
      ...constants.map(({ row, word }) => [row, word >>> 0] as const),
      ...givens.flatMap(({ row, given }) => (given._tag === 'lane' ? [[row, number] as const] : [])),
    ]),
    held: new Map(),
    loads: [],
    stores: [],
  }
  const word = (row: number): number => {
    const known = lane.words.get(row)
    if (known === undefined) throw new Error(`row ${String(row)} holds nothing`)
    return known
  }
  const addressOf = ({ space, rows, offset }: Address): number => {
    if (rows.length !== (space === 'shared' ? 1 : 2)) throw new Error(`${String(rows.length)} words`)
    return word(rows[0]!) + (rows.length > 1 ? word(rows[1]!) * two32 : 0) + offset
  }
  const put = (row: number, value: number): void => {
    lane.held.delete(row)
    lane.words.set(row, value % two32)
  }
  const calculate = (o: Extract<Operation, { readonly _tag: 'scalar' }>): void => {
    const [x = 0, y = 0, z = 0, upper = 0] = o.from.map(word)
    const value = calculated(o.name, x, y, z, upper)
    o.to.forEach((row, i) => {
      put(row!, Math.floor(value / two32 ** i))
    })
  }
  for (const { operation: o } of code)
    switch (o._tag) {
      case 'scalar':
        calculate(o)
        break
      case 'move': {
        const words = o.from.map(word)
        o.to.forEach((row, i) => {
          put(row, words[i]!)
        })
        break
      }
      case 'load': {
        const address = addressOf(o.from)
        lane.loads.push({ space: o.from.space, address, bytes: o.width.bytes })
        o.to[0]!.forEach((row, i) => {
          lane.words.delete(row)
          lane.held.set(
            row,
            range(4).map((b) => (b < o.width.bytes ? address + 4 * i + b : zero)),
          )
        })
        break
      }
      case 'pack':
        lane.words.delete(o.to)
        lane.held.set(
          o.to,
          o.from.flatMap((row) => lane.held.get(row)!.slice(0, o.bits / 8)),
        )
        break
      case 'part':
        if (o.at % o.bits !== 0) throw new Error(`a part at ${String(o.at)}`)
        put(o.to, (word(o.from) >>> o.at) & (2 ** o.bits - 1))
        break
      case 'store':
        lane.stores.push({
          space: o.into.space,
          address: addressOf(o.into),
          bytes: o.width.bytes,
          values: o.value[0]!.flatMap((row) => bytesOf(word(row))).slice(0, o.width.bytes),
        })
        break
      case 'wholeWarp':
      case 'return':
      case 'exit':
        break
      default:
        throw new Error(`${o._tag} in a fragment`)
    }
  return lane
}

// ---------------------------------------------------------------- fragments in memory

const operandOf = (f: CapturedForm): number => f.registers.findIndex((count) => count > 0)

interface Variant {
  readonly space: 'global' | 'shared' | 'generic'
  readonly stride: number | null
  /** where its registers begin */
  readonly from: number
}
const variants: ReadonlyArray<Variant> = [
  { space: 'global', stride: null, from: 3 },
  { space: 'generic', stride: 48, from: 5 },
  { space: 'shared', stride: 80, from: 4 },
]
const bases = { global: 0x2_ffff_ff00, generic: 0x5_0000_1000, shared: 0x1200 } as const

const linesOf = (f: CapturedForm, { space, stride, from }: Variant, before = '') => {
  const type = f.types[operandOf(f)]!
  const registers = filled(type, f.registers[operandOf(f)]!, from)
  const opcode = f.opcode.replace('.global', space === 'generic' ? '' : `.${space}`)
  const base = space === 'shared' ? '[%base+64]' : '[%wide+64]'
  const by = stride === null ? '' : ', %stride'
  return {
    registers,
    lines: [
      ...registers.moves,
      `mov.b32 %base, ${String(bases.shared)}; mov.b64 %wide, ${String(bases[space])}; mov.b32 %stride, ${String(stride ?? 7)};`,
      `${before}${opcode} ${f.kind === 'load' ? `${registers.list}, ${base}` : `${base}, ${registers.list}`}${by};`,
    ],
  }
}

/** The first address of each element, in bits. */
const bitOf = (f: CapturedForm, { space, stride }: Variant) => {
  const { rows, columns, bits } = moved(f).fragment
  const isRow = f.layouts[0] === 'row'
  const apart = stride ?? (isRow ? columns : rows)
  return (r: number, c: number): number =>
    8 * (bases[space] + 64) + bits * (isRow ? r * apart + c : c * apart + r)
}

/** Elements in a register lie together in memory, or fill it. */
const isTogether = (f: CapturedForm): boolean => {
  const { bits, positions } = moved(f).fragment
  return bits >= 32 || positions.every(([r, c]) => (f.layouts[0] === 'row' ? r : c) === 0)
}

const checkAccesses = (f: CapturedForm, v: Variant, accesses: ReadonlyArray<Moved>): void => {
  const { bits } = moved(f).fragment
  const count = f.registers[operandOf(f)]!
  const size = isTogether(f) ? Math.max(4, bits / 8) : bits / 8
  const isSo = accesses.every(({ space, bytes }) => space === v.space && bytes === size)
  if (!isSo || accesses.length !== (isTogether(f) ? count : count * (32 / bits)))
    expect.fail(`${f.opcode}: accesses`)
}

describe('fragments in memory', () => {
  /** By day a third of them with each variant. */
  const forms = (kind: 'load' | 'store', v?: Variant) =>
    capturedForms
      .filter((f) => f.kind === kind)
      .filter((_, i) => nightly || v === undefined || variants[i % variants.length] === v)

  it.each(variants)('every load: $space, stride $stride', (v) => {
    for (const f of forms('load', v)) {
      const { fragment } = moved(f)
      const { registers, lines } = linesOf(f, v)
      const program = programOf([
        ...lines,
        // the rows that were written are those of these moves
        ...registers.names.map((name) =>
          isWide(f.types[operandOf(f)]!) ? `st.global.b64 [0], ${name};` : `st.global.b32 [0], ${name};`,
        ),
      ])
      const said = program.code.flatMap(({ operation: o }) =>
        o._tag === 'store' ? o.value[0]!.map((row) => row) : [],
      )
      const code = program.code.filter(({ operation: o }) => o._tag !== 'store')
      const lanes = range(32).map((lane) => ran({ ...program, code }, lane))
      const where = bitOf(f, v)
      const places = placesOf(fragment)
      for (let r = 0; r < fragment.rows; r++)
        for (let c = 0; c < fragment.columns; c++) {
          const i = r * fragment.columns + c
          const words = fragment.bits === 64 ? 2 : 1
          const held = lanes[places.lanes[i]!]!.held.get(said[places.registers[i]! * words]!)!
          const shift = places.shifts[i]!
          if (8 * held[shift >> 3]! + (shift & 7) !== where(r, c))
            expect.fail(`${f.opcode}: row ${String(r)}, column ${String(c)}`)
          if (words === 2) {
            const upper = lanes[places.lanes[i]!]!.held.get(said[places.registers[i]! * 2 + 1]!)!
            if (8 * upper[0]! !== where(r, c) + 32) expect.fail(`${f.opcode}: upper word`)
          }
        }
      // what is held for the second time is an element of the matrix, too
      for (const { held, loads } of lanes) {
        if (!said.every((row) => held.get(row)?.length === 4 && !held.get(row)!.includes(zero)))
          expect.fail(`${f.opcode}: half a register`)
        checkAccesses(f, v, loads)
      }
    }
  })

  it.each(variants)('every store: $space, stride $stride', (v) => {
    for (const f of forms('store', v)) {
      const { fragment } = moved(f)
      const { lines } = linesOf(f, v)
      const program = programOf(lines)
      const lanes = range(32).map((lane) => ran(program, lane))
      const memory = new Map<number, readonly [lane: number, byte: number]>()
      lanes.forEach(({ stores }, lane) => {
        checkAccesses(f, v, stores)
        for (const { address, values } of stores)
          values.forEach((value, i) => {
            if (memory.has(address + i)) expect.fail(`${f.opcode}: ${String(address + i)} is written twice`)
            memory.set(address + i, [lane, value])
          })
      })
      const bytes = fragment.bits / 8
      const where = bitOf(f, v)
      const places = placesOf(fragment)
      for (let r = 0; r < fragment.rows; r++)
        for (let c = 0; c < fragment.columns; c++)
          for (let b = 0; b < bytes; b++) {
            const i = r * fragment.columns + c
            const size = Math.max(4, bytes)
            const own = size * (v.from + places.registers[i]!) + places.shifts[i]! / 8 + b
            const [lane, value] = memory.get(where(r, c) / 8 + b)!
            if (lane !== places.lanes[i] || value !== own)
              expect.fail(`${f.opcode}: row ${String(r)}, column ${String(c)}`)
          }
      expect(memory.size).toBe(fragment.rows * fragment.columns * bytes)
    }
  })

  it('the whole warp must have one address and one stride, and no value is computed twice', () => {
    for (const v of variants)
      for (const f of [...forms('load', v), ...forms('store', v)]) {
        const program = programOf(linesOf(f, v).lines)
        const demand = program.code.findIndex(({ operation: o }) => o._tag === 'wholeWarp')
        const { operation: o } = program.code[demand]!
        if (o._tag !== 'wholeWarp') throw new Error('none')
        expect(o.what).toBe(`wmma.${f.kind}`)
        const { words } = ran({ ...program, code: program.code.slice(0, demand) }, 3)
        const { rows, columns } = moved(f).fragment
        const base = bases[v.space]
        const name = `wmma.${f.kind}`
        expect(o.alike.map(({ row, what }) => [words.get(row), what])).toEqual([
          [base % two32, `${name}: the address`],
          ...(v.space === 'shared' ? [] : [[Math.floor(base / two32), `${name}: the address`]]),
          [v.stride ?? (f.layouts[0] === 'row' ? columns : rows), `${name}: the stride`],
        ])
        const made = program.code.flatMap(({ operation: s }) =>
          s._tag === 'scalar' ? [`${s.name} ${s.from.join()}`] : [],
        )
        expect(new Set(made).size).toBe(made.length)
      }
  })

  it('accesses are weak, of one number without a sign, and all that is done is guarded', () => {
    for (const f of [...forms('load'), ...forms('store')]) {
      const [plain, guarded] = ['', '@!%p '].map(
        (before) => programOf(linesOf(f, variants[0]!, before).lines).code,
      )
      const first = plain!.findIndex(({ operation: o }) => o._tag === 'wholeWarp')
      const done = (code: ReadonlyArray<Instruction>) =>
        code.filter(({ site }) => site === plain![first]!.site)
      expect(done(plain!).every(({ guard }) => guard === null)).toBe(true)
      expect(done(guarded!).every(({ guard }) => guard?.negated === true)).toBe(true)
      for (const { operation: o } of done(plain!))
        if (o._tag === 'load' || o._tag === 'store')
          expect([o.width.count, o.width.signed, o.ordering, o.scope]).toEqual([1, false, 'weak', 'gpu'])
    }
  })

  it('the address and the stride may stand in registers that are written', () => {
    // elements of one byte: the stride is what rows are apart
    for (const layout of ['row', 'col']) {
      const text = (registers: string): ReadonlyArray<string> => [
        'mov.b32 %r1, 4096; mov.b32 %r2, 32; mov.b32 %r3, 4096; mov.b32 %r4, 32;',
        `wmma.load.b.sync.aligned.${layout}.m32n8k16.shared.s8 {${registers}}, [%r1], %r2;`,
        `wmma.load.a.sync.aligned.${layout}.m32n8k16.shared.s8 {%r5, ${registers}, %r6, %r7}, [%r3], %r4;`.replace(
          /\{.*\}/u,
          '{%r3, %r4, %r5, %r6}',
        ),
      ]
      for (const lane of [0, 5, 31]) {
        const own = ran(programOf(text('%r2')), lane).loads
        const other = ran(programOf(text('%r9')), lane).loads
        expect(own).toEqual(other)
      }
    }
  })

  test.each([
    ['wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [par];', 'a parameter'],
    ['wmma.store.d.sync.aligned.row.m16n16k16.f16 [par], {%r0,%r1,%r2,%r3};', 'a parameter'],
  ])('%s is refused', (line, found) => {
    expect(left(elaborated([line]))).toMatchObject({
      code: 'ptx.operand',
      message: expect.stringContaining(`found ${found}`) as string,
    })
  })
})

// ---------------------------------------------------------------- products

describe('products', () => {
  it('every form of the capture has the product that its list says (by day a third of them)', () => {
    const forms = capturedForms.filter(({ kind }) => kind !== 'load' && kind !== 'store')
    expect(forms.length).toBeGreaterThan(500)
    for (const [index, f] of forms.entries()) {
      if (!nightly && index % 3 !== 0) continue
      const isSparse = f.kind === 'sp' || f.kind === 'any'
      let at = 0
      const operands = f.types.map((type, i) => {
        const made = filled(type, f.registers[i]!, at)
        at += f.registers[i]!
        return made
      })
      const [a, b, c, d] = operands.map(({ list }) => list)
      const program = programOf([
        ...operands.flatMap(({ moves }) => moves),
        'mov.b32 %meta, 123456789;',
        `@%p ${f.opcode} ${d!}, ${a!}, ${b!}, ${c!}${isSparse ? `, %meta, ${String(f.selector)}` : ''};`,
      ])
      const one = program.code.findIndex(({ operation: o }) => o._tag === 'multiply')
      const { operation: o, guard } = program.code[one]!
      if (o._tag !== 'multiply') throw new Error(f.opcode)
      const { words } = ran({ ...program, code: program.code.slice(0, one) }, 0)
      expect(guard).toEqual({ predicate: 0, negated: false })
      const modifiers = f.opcode.split('.')
      expect(o.product, f.opcode).toEqual({
        instruction: modifiers[0],
        shape: { m: f.m, n: f.n, k: f.k },
        products: f.times,
        a: f.types[0],
        b: f.types[1],
        c: f.types[2],
        d: f.types[3],
        saturate: modifiers.includes('satfinite'),
        counts: modifiers.find((w) => w === 'xor' || w === 'and') ?? null,
        rounding: modifiers.find((w) => ['rz', 'rm', 'rp'].includes(w)) ?? 'rn',
      })
      expect(o.layouts).toEqual(f.layouts)
      const held = [o.a, o.b, o.c, o.d].map((rows) => rows.map((row) => words.get(row)))
      expect(held).toEqual(operands.map((operand) => operand.words))
      expect(
        o.sparsity === null ? null : [words.get(o.sparsity.row), o.sparsity.selector, o.sparsity.order],
      ).toEqual(
        isSparse
          ? [123456789, f.selector, f.opcode.includes('ordered_metadata') ? 'ascending' : 'any']
          : null,
      )
    }
  })
})
