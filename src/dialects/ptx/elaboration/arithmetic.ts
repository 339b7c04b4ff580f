/**
 * Words to words: arithmetic, comparisons, moves, conversions of addresses.
 *
 * An opcode is the name of a row of `numerics/scalar`; what it reads and gives is written there. Where PTX lets a modifier be left out, its default is
 * put in. What has no row is moves of words.
 *
 * Source: PTX ISA, integer, floating point, comparison, logic, data movement and conversion instructions.
 */
import {
  scalarOperation,
  wordsOf as scalarWords,
  type ScalarOperation,
} from '../../../numerics/scalar/index.js'
import { localWindow, rankShift, sharedWindow, threadBits } from '../../../semantics/warps/launched.js'
import { ofPredicate, type Row } from '../../../semantics/warps/program.js'
import type { OperandRule } from '../opcodes/form.js'
import type { Value } from '../opcodes/resolve.js'
import { constant, emit, given, newPredicate, newRow, refuse, scalar } from './emitter.js'
import {
  itemsOf,
  plainPredicate,
  predicateSource,
  predicateTarget,
  source,
  target,
  type Elaborations,
  type Here,
} from './here.js'
import { bitsOf, wordsOf } from './types.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- rows of numerics/scalar

/** An opcode as the table names it: with the modifiers that PTX adds where they are left out. */
const named = (opcode: string): ScalarOperation | undefined => {
  const words = opcode.split('.')
  const direct = scalarOperation(opcode)
  if (direct !== undefined) return direct
  const [base, ...rest] = words
  const type = words[words.length - 1]!
  const tries: string[] = []
  // the sum and the product of floats are rounded to nearest unless it is said otherwise
  if (/^(add|sub|mul|fma)$/u.test(base!) && /^(f|bf)/u.test(type) && !/^r[nzmp]$/u.test(rest[0] ?? ''))
    tries.push([base, 'rn', ...rest].join('.'))
  if (/^(min|max)$/u.test(base!) && type === 'relu')
    tries.push([base, 'relu', ...rest.slice(0, -1)].join('.'))
  // no integer is subnormal as a number
  if (base === 'cvt' && /^[us]/u.test(type) && words.includes('ftz'))
    tries.push(words.filter((word) => word !== 'ftz').join('.'))
  // what is exact needs no rounding
  if (base === 'cvt' && type === 'bf16' && /^f(32|64)$/u.test(words[words.length - 2] ?? ''))
    tries.push(words.filter((word) => !/^r[nzmp]$/u.test(word)).join('.'))
  // typeless words are the same whatever is in them
  const typeless = `b${String(bitsOf(type))}`
  tries.push([...words.slice(0, -1), typeless].join('.'))
  if (/^f(32|64)$/u.test(type)) tries.push([...words.slice(0, -1), type === 'f32' ? 'b32' : 'b64'].join('.'))
  for (const name of tries) {
    const found = scalarOperation(name)
    if (found !== undefined) return found
  }
  return undefined
}

/** The name of the row that an opcode is, or the opcode itself. */
export const scalarNamed = (opcode: string): string => named(opcode)?.name ?? opcode

/** A type of the table as PTX has it, for immediates. */
const typeOf = (type: string): string =>
  type === 'tf32' ? 'f32' : type === 'f32' || type === 'f64' ? type : `b${String(widthFor(type))}`
const widthFor = (type: string): number =>
  /16x2$/u.test(type)
    ? 32
    : /^(e4m3|e5m2|e2m3|e3m2|ue8m0)x2$/u.test(type)
      ? 16
      : type === 'e2m1x2'
        ? 8
        : bitsOf(type)

/** The carry, which `.cc` writes and `addc` reads. */
const carry = (h: Here): number => {
  h.names.carry ??= newPredicate(h.e)
  return ofPredicate(h.names.carry)
}

const writes = (rule: OperandRule): boolean =>
  (rule._tag === 'pair' ? rule.first : rule)._tag === 'register' &&
  (rule._tag === 'pair' ? rule.first : rule._tag === 'register' ? rule : null)?.access === 'write'

const namesOf = (rule: OperandRule): ReadonlyArray<string> =>
  rule._tag === 'pair' ? [rule.first.name, rule.second.name] : [rule.name]

/** Operands in the order in which a row reads them: a predicate stays one, a wider type has two words. */
const readRows = (
  h: Here,
  row: ScalarOperation,
  operands: ReadonlyArray<Value | undefined>,
): ReadonlyArray<number> =>
  row.operands.flatMap((type, i): ReadonlyArray<number> => {
    const v = operands[i]
    if (v === undefined) return [carry(h)]
    return type === 'pred'
      ? [ofPredicate(plainPredicate(h, v))]
      : source(h, v, scalarWords(type) === 2 ? 'b64' : typeOf(type))
  })

/** An instruction that a row of `numerics/scalar` is; false: there is none. */
export const tabled = (h: Here): boolean => {
  const row = named(h.opcode)
  if (row === undefined) return false
  const rules = h.form.operands
  const valuesOf = (rule: OperandRule): ReadonlyArray<Value | undefined> =>
    namesOf(rule).map((name) => own(h.operands, name))
  const from = rules.filter((rule) => !writes(rule)).flatMap(valuesOf)
  const to = rules.filter(writes).flatMap(valuesOf)
  // the row's last operand and result are the carry, which PTX does not write down
  const given = from.filter((v) => v !== undefined)
  const carried = h.opcode.startsWith('addc') || h.opcode.startsWith('subc') || h.opcode.startsWith('madc')
  if (given.length + (carried ? 1 : 0) !== row.operands.length) return false
  const words = readRows(h, row, given)
  const extended: (() => void)[] = []
  const results = row.results.flatMap((type, i): ReadonlyArray<number | null> => {
    if (type === 'pred' && i === row.results.length - 1 && /\.cc\b/u.test(h.opcode)) return [carry(h)]
    const v = to[i]
    const count = scalarWords(type)
    if (v === undefined || v._tag === 'sink') return Array.from({ length: count }, () => null)
    if (type === 'pred') return [ofPredicate(predicateTarget(h, v))]
    const rows = target(h, v, count === 2 ? 'b64' : 'b32')
    if (rows.length > count)
      extended.push(() => {
        extend(h, rows, count, type.startsWith('s'))
      })
    return rows.slice(0, count)
  })
  scalar(h.e, row.name, results, words, h.guard)
  for (const more of extended) more()
  return true
}

/** The words of a register behind those that are written: its sign, or zeros. */
export const extend = (h: Here, rows: ReadonlyArray<Row>, words: number, signed: boolean): void => {
  for (let k = words; k < rows.length; k++)
    if (signed) scalar(h.e, 'shr.s32', [rows[k]!], [rows[words - 1]!, constant(h.e, 31)], h.guard)
    else emit(h.e, { _tag: 'move', to: [rows[k]!], from: [constant(h.e, 0)] }, h.guard)
}

// ---------------------------------------------------------------- moves

const moveRows = (h: Here, to: ReadonlyArray<Row>, from: ReadonlyArray<Row>): void => {
  emit(h.e, { _tag: 'move', to: to.slice(0, from.length), from }, h.guard)
}

const movePredicate = (h: Here): void => {
  const from = h.operands['a']
  const to = predicateTarget(h, h.operands['d'])
  // a special register that says yes or no is a word here
  if (from?._tag === 'special') {
    const [word] = source(h, from, 'u32')
    scalar(h.e, 'setp.ne.u32', [ofPredicate(to), null], [word!, constant(h.e, 0)], h.guard)
    return
  }
  emit(
    h.e,
    from?._tag === 'immediate'
      ? { _tag: 'setPredicate', to, value: from.bits !== 0n }
      : { _tag: 'predicate', op: 'mov', to, from: [predicateSource(h, from)] },
    h.guard,
  )
}

const takeApart = (h: Here, type: string, to: ReadonlyArray<Value>): void => {
  const each = bitsOf(type) / to.length
  const rows = source(h, h.operands['a'], type)
  to.forEach((item, i) => {
    if (item._tag === 'sink') return
    if (each >= 32) {
      const words = each / 32
      moveRows(h, target(h, item, `b${String(each)}`), rows.slice(i * words, (i + 1) * words))
      return
    }
    const bits = each === 8 ? 8 : 16
    const from = rows[Math.floor((i * bits) / 32)]!
    emit(h.e, { _tag: 'part', to: target(h, item, 'b16')[0]!, from, at: (i * bits) % 32, bits }, h.guard)
  })
}

const putTogether = (h: Here, type: string, from: ReadonlyArray<Value>): void => {
  const each = bitsOf(type) / from.length
  const to = target(h, h.operands['d'], type)
  if (each >= 32) {
    moveRows(
      h,
      to,
      from.flatMap((item) => source(h, item, `b${String(each)}`)),
    )
    return
  }
  const bits = each === 8 ? 8 : 16
  const perWord = 32 / bits
  const parts = from.map((item) => source(h, item, bits === 8 ? 'b8' : 'b16')[0]!)
  for (let k = 0; k * perWord < parts.length; k++)
    emit(h.e, { _tag: 'pack', to: to[k]!, from: parts.slice(k * perWord, (k + 1) * perWord), bits }, h.guard)
}

/** mov: a value, an address, or a vector that is taken apart or put together. */
const mov = (h: Here): void => {
  const type = h.modifiers['type'] ?? 'b32'
  const { d, a } = { d: h.operands['d'], a: h.operands['a'] }
  if (type === 'pred') movePredicate(h)
  else if (d?._tag === 'vector') takeApart(h, type, d.items)
  else if (a?._tag === 'vector') putTogether(h, type, a.items)
  else moveRows(h, target(h, d, type), source(h, a, type))
}

/** Logic of predicates; of words it is a row of the table. */
const logic =
  (op: 'and' | 'or' | 'xor' | 'not') =>
  (h: Here): void => {
    if (h.modifiers['type'] !== 'pred') {
      if (!tabled(h)) refuse(h.e, 'ptx.opcode', 'an instruction that is supported', h.opcode)
      return
    }
    const from = itemsOf(h.operands['a']).concat(op === 'not' ? [] : [h.operands['b']])
    emit(
      h.e,
      {
        _tag: 'predicate',
        op,
        to: predicateTarget(h, h.operands['d']),
        from: from.map((v) => predicateSource(h, v)),
      },
      h.guard,
    )
  }

// ---------------------------------------------------------------- addresses

const spaceOf = (h: Here): string => h.modifiers['space']?.split('::')[0] ?? ''

/** Between the window of a state space and generic addresses. */
const cvta =
  (toSpace: boolean) =>
  (h: Here): void => {
    const space = spaceOf(h)
    const type = h.modifiers['type'] ?? 'u64'
    const rows = source(h, h.operands['a'], type)
    const to = target(h, h.operands['d'], type)
    if (wordsOf(type) === 1 || !['shared', 'local', 'param'].includes(space)) {
      moveRows(h, to, rows)
      return
    }
    const above = toSpace
      ? constant(h.e, 0)
      : space === 'shared'
        ? constant(h.e, sharedWindow)
        : space === 'local'
          ? given(h.e, { _tag: 'localWindow' })
          : given(h.e, { _tag: 'globalAddress', symbol: '%param', offset: 0, word: 1 })
    moveRows(h, to, [rows[0]!, above])
  }

/** Is a generic address in the window of a state space? */
const isspacep = (h: Here): void => {
  const space = spaceOf(h)
  const to = ofPredicate(predicateTarget(h, h.operands['p']))
  const [below, above] = source(h, h.operands['a'], 'u64')
  if (space === 'shared' || space === 'local') {
    const upper = space === 'shared' ? above! : newRow(h.e)
    if (space === 'local') scalar(h.e, 'shr.u32', [upper], [above!, constant(h.e, threadBits)], h.guard)
    const window = constant(h.e, space === 'shared' ? sharedWindow : localWindow >>> threadBits)
    scalar(h.e, 'setp.eq.u32', [to, null], [upper, window], h.guard)
    if (space === 'shared' && h.modifiers['space'] !== 'shared::cluster') {
      // of the CTA itself
      const rank = newRow(h.e)
      const own = newPredicate(h.e)
      const here = -1 - to
      scalar(h.e, 'shr.u32', [rank], [below!, constant(h.e, rankShift)], h.guard)
      scalar(h.e, 'setp.eq.u32', [ofPredicate(own), null], [rank, given(h.e, { _tag: 'ctaRank' })], h.guard)
      emit(
        h.e,
        {
          _tag: 'predicate',
          op: 'and',
          to: here,
          from: [
            { predicate: here, negated: false },
            { predicate: own, negated: false },
          ],
        },
        h.guard,
      )
    }
  } else scalar(h.e, 'setp.gt.u32', [to, null], [above!, constant(h.e, sharedWindow)], h.guard)
}

/** The same byte in the shared memory of another CTA of the cluster. */
const mapa = (h: Here): void => {
  const type = h.modifiers['type'] ?? 'u32'
  const to = target(h, h.operands['d'], type)
  const rows = source(h, h.operands['a'], type)
  const [rank] = source(h, h.operands['b'], 'u32')
  const inside = newRow(h.e)
  const above = newRow(h.e)
  scalar(h.e, 'and.b32', [inside], [rows[0]!, constant(h.e, 2 ** rankShift - 1)], h.guard)
  scalar(h.e, 'shl.b32', [above], [rank!, constant(h.e, rankShift)], h.guard)
  scalar(h.e, 'or.b32', [to[0]!], [inside, above], h.guard)
  if (rows.length > 1) moveRows(h, [to[1]!], [rows[1]!])
}

const getctarank = (h: Here): void => {
  const [low] = source(h, h.operands['a'], h.modifiers['type'] ?? 'u32')
  scalar(h.e, 'shr.u32', [target(h, h.operands['d'], 'u32')[0]!], [low!, constant(h.e, rankShift)], h.guard)
}

// ---------------------------------------------------------------- made of others

/** A scalar operation by its name, on rows. */
const done = (h: Here, name: string, to: Row, from: ReadonlyArray<Row>): void => {
  const row = named(name)
  if (row === undefined) refuse(h.e, 'ptx.opcode', 'an instruction that is supported', h.opcode)
  else scalar(h.e, row.name, [to], from, h.guard)
}

/** Two f32 in 64 bits: each is done by itself. */
const twoFloats = (h: Here): void => {
  const name = h.opcode.replace('f32x2', 'f32')
  const from = ['a', 'b', 'c'].flatMap((o) => {
    const v = own(h.operands, o)
    return v === undefined ? [] : [source(h, v, 'b64')]
  })
  const to = target(h, h.operands['d'], 'b64')
  // what is written may be read by the other half
  const made = to.slice(0, 2).map((_, k) => {
    const row = newRow(h.e)
    done(
      h,
      name,
      row,
      from.map((rows) => rows[k]!),
    )
    return row
  })
  moveRows(h, to, made)
}

/** f32 with operands of 16 bits, which are widened first. */
const widened = (h: Here): void => {
  const type = h.modifiers['atype'] ?? h.modifiers['abtype'] ?? 'f16'
  const wide = (v: Value | undefined): Row => {
    const row = newRow(h.e)
    done(h, `cvt.f32.${type}`, row, source(h, v, 'b16').slice(0, 1))
    return row
  }
  const [a, b, c] = [h.operands['a'], h.operands['b'], h.operands['c']]
  const name = h.opcode.slice(0, h.opcode.lastIndexOf('.'))
  done(h, name, target(h, h.operands['d'], 'f32')[0]!, [
    wide(a),
    ...(b === undefined ? [] : [wide(b)]),
    source(h, c, 'f32')[0]!,
  ])
}

/** The smallest or largest of three. */
const ofThree = (h: Here): void => {
  const words = h.opcode.split('.')
  const name = words.filter((word) => word !== 'abs').join('.')
  const three = ['a', 'b', 'c'].map((o) => {
    const row = source(h, own(h.operands, o), 'f32')[0]!
    if (!words.includes('abs')) return row
    const magnitude = newRow(h.e)
    done(h, 'and.b32', magnitude, [row, constant(h.e, 0x7fffffff)])
    return magnitude
  })
  const first = newRow(h.e)
  done(h, name, first, three.slice(0, 2))
  done(h, name, target(h, h.operands['d'], 'f32')[0]!, [first, three[2]!])
}

/** An instruction that is several rows of `numerics/scalar`; false: it is none. */
export const composed = (h: Here): boolean => {
  const { base } = h.form
  if (h.modifiers['type'] === 'f32x2') twoFloats(h)
  else if (
    (base === 'add' || base === 'sub' || base === 'fma') &&
    /^b?f16$/u.test(h.modifiers['atype'] ?? h.modifiers['abtype'] ?? '')
  )
    widened(h)
  else if ((base === 'min' || base === 'max') && h.operands['c'] !== undefined) ofThree(h)
  else return false
  return true
}

export const moves: Elaborations = {
  mov,
  and: logic('and'),
  or: logic('or'),
  xor: logic('xor'),
  not: logic('not'),
  cvta: cvta(false),
  'cvta.to': cvta(true),
  isspacep,
  mapa,
  getctarank,
}
