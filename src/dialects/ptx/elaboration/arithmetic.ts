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
import { localWindow, rankShift, sharedWindow } from '../../../semantics/warps/launched.js'
import { ofPredicate, type Row } from '../../../semantics/warps/program.js'
import type { Operand } from '../text/module.js'
import { constant, emit, given, newPredicate, newRow, refuse, scalar } from './emitter.js'
import { plainPredicate, predicateSource, predicateTarget, source, target, type Here } from './here.js'
import { bitsOf, wordsOf } from './types.js'

type Operands = ReadonlyArray<Operand>

// ---------------------------------------------------------------- rows of numerics/scalar

/** An opcode as the table names it: with the modifiers that PTX adds where they are left out. */
const named = (opcode: string, words: ReadonlyArray<string>): ScalarOperation | undefined => {
  const direct = scalarOperation(opcode)
  if (direct !== undefined) return direct
  const [base, ...rest] = words
  const type = words[words.length - 1]!
  const tries: string[] = []
  // the sum and the product of floats are rounded to nearest unless it is said otherwise
  if (/^(add|sub|mul|fma)$/u.test(base!) && /^(f|bf)/u.test(type) && !/^r[nzmp]$/u.test(rest[0] ?? ''))
    tries.push([base, 'rn', ...rest].join('.'))
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

/** Operands in the order in which a row reads them: a predicate stays one, a wider type has two words. */
const rowsOf = (h: Here, row: ScalarOperation, operands: Operands): ReadonlyArray<number> =>
  row.operands.flatMap((type, i): ReadonlyArray<number> =>
    type === 'pred'
      ? [ofPredicate(plainPredicate(h, operands[i]))]
      : source(h, operands[i], scalarWords(type) === 2 ? 'b64' : typeOf(type)),
  )

/** A type of the table as PTX has it, for immediates. */
const typeOf = (type: string): string =>
  type === 'tf32' ? 'f32' : type === 'f32' || type === 'f64' ? type : `b${String(widthFor(type))}`
const widthFor = (type: string): number =>
  /16x2$/u.test(type) ? 32 : /^(e4m3|e5m2)x2$/u.test(type) ? 16 : bitsOf(type)

/** The carry, which `.cc` writes and `addc` reads. */
const carry = (h: Here): number => {
  const known = h.scope.names.get('%cc')
  if (known?._tag === 'predicate') return known.predicate
  let outermost = h.scope
  while (outermost.outer !== null) outermost = outermost.outer
  const there = outermost.names.get('%cc')
  if (there?._tag === 'predicate') return there.predicate
  const predicate = newPredicate(h.e)
  outermost.names.set('%cc', { _tag: 'predicate', predicate })
  return predicate
}

const readsCarry = (words: ReadonlyArray<string>): boolean => /^(addc|subc|madc)$/u.test(words[0]!)
const writesCarry = (words: ReadonlyArray<string>): boolean => words.includes('cc')

/** Is there a row for it? Then it is elaborated. */
export const tabled = (h: Here, operands: Operands): boolean => {
  const row = named(h.opcode, h.words)
  if (row === undefined) return false
  const [first, ...rest] = operands
  const from = [...rowsOf(h, row, readsCarry(h.words) ? rest : rest)]
  const wanted = row.operands.length - (readsCarry(h.words) ? 1 : 0)
  if (rest.length !== wanted) {
    refuse(h.e, 'ptx.operand', `${h.opcode}: ${String(wanted + 1)} operands`, `${String(operands.length)}`)
    return true
  }
  if (readsCarry(h.words)) from[from.length - 1] = ofPredicate(carry(h))
  const destinations: ReadonlyArray<Operand | undefined> =
    first?._tag === 'pair' ? [first.first, first.second] : [first]
  const to = row.results.flatMap((type, i): ReadonlyArray<number | null> => {
    if (writesCarry(h.words) && i === row.results.length - 1) return [ofPredicate(carry(h))]
    const d = destinations[i]
    if (d === undefined || d._tag === 'sink') return Array.from({ length: scalarWords(type) }, () => null)
    return type === 'pred'
      ? [ofPredicate(predicateTarget(h, d))]
      : target(h, d, scalarWords(type) === 2 ? 'b64' : 'b32').slice(0, scalarWords(type))
  })
  scalar(h.e, row.name, to, from, h.guard)
  return true
}

// ---------------------------------------------------------------- moves

const moveRows = (h: Here, to: ReadonlyArray<Row>, from: ReadonlyArray<Row>): void => {
  emit(h.e, { _tag: 'move', to: to.slice(0, from.length), from }, h.guard)
}

/** mov: a value, an address, or a vector that is taken apart or put together. */
export const mov = (h: Here, operands: Operands): void => {
  const type = h.words[h.words.length - 1]!
  const [to, from] = operands
  if (type === 'pred') {
    const predicate = predicateTarget(h, to)
    if (from?._tag === 'integer')
      emit(h.e, { _tag: 'setPredicate', to: predicate, value: from.value !== 0n }, h.guard)
    else emit(h.e, { _tag: 'predicate', op: 'mov', to: predicate, from: [predicateSource(h, from)] }, h.guard)
    return
  }
  if (to?._tag === 'vector') {
    const each = bitsOf(type) / to.items.length
    const rows = source(h, from, type)
    to.items.forEach((item, i) => {
      if (item._tag === 'sink') return
      if (each >= 32) {
        const words = each / 32
        moveRows(h, target(h, item, `b${String(each)}`), rows.slice(i * words, (i + 1) * words))
      } else {
        const bits = each === 8 ? 8 : 16
        const bit = i * bits
        emit(
          h.e,
          {
            _tag: 'part',
            to: target(h, item, 'b16')[0]!,
            from: rows[Math.floor(bit / 32)]!,
            at: bit % 32,
            bits,
          },
          h.guard,
        )
      }
    })
    return
  }
  if (from?._tag === 'vector') {
    const each = bitsOf(type) / from.items.length
    const destination = target(h, to, type)
    if (each >= 32) {
      moveRows(
        h,
        destination,
        from.items.flatMap((item) => source(h, item, `b${String(each)}`)),
      )
      return
    }
    const bits = each === 8 ? 8 : 16
    const perWord = 32 / bits
    const parts = from.items.map((item) => source(h, item, bits === 8 ? 'b8' : 'b16')[0]!)
    for (let k = 0; k * perWord < parts.length; k++)
      emit(
        h.e,
        { _tag: 'pack', to: destination[k]!, from: parts.slice(k * perWord, (k + 1) * perWord), bits },
        h.guard,
      )
    return
  }
  moveRows(h, target(h, to, type), source(h, from, type))
}

/** Logic of predicates. */
export const logic = (h: Here, op: 'and' | 'or' | 'xor' | 'not', operands: Operands): void => {
  const [to, ...from] = operands
  emit(
    h.e,
    { _tag: 'predicate', op, to: predicateTarget(h, to), from: from.map((o) => predicateSource(h, o)) },
    h.guard,
  )
}

// ---------------------------------------------------------------- addresses

/** Between the window of a state space and generic addresses. */
export const cvta = (h: Here, operands: Operands): void => {
  const toSpace = h.words[1] === 'to'
  const space = h.words[toSpace ? 2 : 1]!.split('::')[0]!
  const type = h.words[h.words.length - 1]!
  const rows = source(h, operands[1], type)
  const to = target(h, operands[0], type)
  const window = space === 'shared' ? sharedWindow : space === 'local' ? localWindow : null
  if (wordsOf(type) === 1 || (window === null && space !== 'param')) {
    moveRows(h, to, rows)
    return
  }
  const above = toSpace
    ? constant(h.e, 0)
    : window === null
      ? given(h.e, { _tag: 'globalAddress', symbol: '%param', offset: 0, word: 1 })
      : constant(h.e, window)
  moveRows(h, to, [rows[0]!, above])
}

/** Is a generic address in the window of a state space? */
export const isspacep = (h: Here, operands: Operands): void => {
  const space = h.words[1]!.split('::')[0]!
  const to = predicateTarget(h, operands[0])
  const rows = source(h, operands[1], 'u64')
  if (space === 'shared' || space === 'local') {
    scalar(
      h.e,
      'setp.eq.u32',
      [ofPredicate(to), null],
      [rows[1]!, constant(h.e, space === 'shared' ? sharedWindow : localWindow)],
      h.guard,
    )
    return
  }
  scalar(h.e, 'setp.gt.u32', [ofPredicate(to), null], [rows[1]!, constant(h.e, sharedWindow)], h.guard)
}

/** The same byte in the shared memory of another CTA of the cluster. */
export const mapa = (h: Here, operands: Operands): void => {
  const type = h.words[h.words.length - 1]!
  const to = target(h, operands[0], type)
  const rows = source(h, operands[1], type)
  const rank = source(h, operands[2], 'u32')
  const inside = newRow(h.e)
  const above = newRow(h.e)
  scalar(h.e, 'and.b32', [inside], [rows[0]!, constant(h.e, 2 ** rankShift - 1)], h.guard)
  scalar(h.e, 'shl.b32', [above], [rank[0]!, constant(h.e, rankShift)], h.guard)
  scalar(h.e, 'or.b32', [to[0]!], [inside, above], h.guard)
  if (to.length > 1 && rows.length > 1) moveRows(h, [to[1]!], [rows[1]!])
}

export const getctarank = (h: Here, operands: Operands): void => {
  const rows = source(h, operands[1], h.words[h.words.length - 1] === 'u64' ? 'u64' : 'u32')
  scalar(h.e, 'shr.u32', [target(h, operands[0], 'u32')[0]!], [rows[0]!, constant(h.e, rankShift)], h.guard)
}
