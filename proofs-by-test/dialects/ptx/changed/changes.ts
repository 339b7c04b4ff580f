/**
 * Changes of a module of PTX that change nothing of what it means. Each is a function of the tree, drawn by a seed; null where a module has no place for it.
 *
 * They use what PTX says of its own instructions alone, and nothing that the library knows of them: of an instruction that computes, the first operand is
 * what it writes; of any other, every register that it names may be written.
 */
import type {
  Function,
  Guard,
  Instruction,
  Module,
  Operand,
  Statement,
  TypeName,
} from '../../../../src/dialects/ptx/index.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { right } from '../../../either.js'

export type Draw = () => number
export interface Change {
  readonly name: string
  readonly of: (module: Module, draw: Draw) => Module | null
}

type Body = ReadonlyArray<Statement>

/** Numbers from 0 to 1 by a seed: xorshift of 32 bits. */
export const draws = (seed: number): Draw => {
  let x = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1
  return () => {
    x ^= x << 13
    x >>>= 0
    x ^= x >>> 17
    x ^= x << 5
    x >>>= 0
    return x / 4294967296
  }
}

// ---------------------------------------------------------------- trees

const isInstruction = (s: Statement | undefined): s is Instruction => s?._tag === 'instruction'

/** Statements as they are written, without their places. */
const written = (text: string): Body => {
  const m = right(parseModule(`.version 8.8\n.target sm_90a\n.address_size 64\n.func f() {\n${text}\n}`))
  return m.items.flatMap((item) => (item._tag === 'function' ? (item.body ?? []) : []))
}
const one = (text: string): Instruction => written(text)[0] as Instruction

const inFunctions = (m: Module, of: (body: Body, f: Function) => Body | null): Module | null => {
  let some = false
  const items = m.items.map((item) => {
    if (item._tag !== 'function' || item.body === null) return item
    const body = of(item.body, item)
    if (body === null) return item
    some = true
    return { ...item, body }
  })
  return some ? { ...m, items } : null
}

/** Every list of statements, the innermost first. */
const inLists = (body: Body, of: (list: Body) => Body): Body =>
  of(body.map((s) => (s._tag === 'scope' ? { ...s, body: inLists(s.body, of) } : s)))

const eachInstruction = (body: Body, of: (i: Instruction) => Body): Body =>
  inLists(body, (list) => list.flatMap((s) => (isInstruction(s) ? of(s) : [s])))

/** The same of every function; null if nothing was changed. */
const everywhere = (
  m: Module,
  declared: string,
  of: (i: Instruction, f: Function) => Body | null,
): Module | null =>
  inFunctions(m, (body, f) => {
    let some = false
    const made = eachInstruction(body, (i) => {
      const by = of(i, f)
      some ||= by !== null
      return by ?? [i]
    })
    return some ? [...written(declared), ...made] : null
  })

const nameOperand = (o: Operand, to: (name: string) => string): Operand => {
  switch (o._tag) {
    case 'name':
      return { ...o, name: to(o.name) }
    case 'address':
      return {
        ...o,
        base: o.base === null ? null : { ...o.base, name: to(o.base.name) },
        more: o.more.map((x) => nameOperand(x, to)),
      }
    case 'not':
      return { ...o, of: { ...o.of, name: to(o.of.name) } }
    case 'vector':
    case 'list':
      return { ...o, items: o.items.map((x) => nameOperand(x, to)) }
    case 'pair':
      return { ...o, first: nameOperand(o.first, to), second: nameOperand(o.second, to) }
    case 'element':
    case 'integer':
    case 'float':
    case 'sink':
      return o
  }
}
const namesOf = (os: ReadonlyArray<Operand>): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const o of os)
    nameOperand(o, (name) => {
      found.add(name)
      return name
    })
  return found
}
const namesIn = (i: Instruction): ReadonlySet<string> => {
  const names = new Set(namesOf(i.operands))
  if (i.guard !== null) names.add(i.guard.name)
  return names
}

/** Registers of a function that stand in a row, by their prefix; of prefixes with one type. */
const rowsOf = (body: Body): ReadonlyMap<string, { readonly type: TypeName; readonly count: number }> => {
  const found = new Map<string, { type: TypeName; count: number } | null>()
  inLists(body, (list) => {
    for (const s of list)
      if (s._tag === 'registers' && s.vector === 1 && s.count !== null) {
        const before = found.get(s.name)
        found.set(s.name, before === undefined ? { type: s.type, count: s.count } : null)
      }
    return list
  })
  return new Map([...found].flatMap(([name, of]) => (of === null ? [] : [[name, of] as const])))
}
const typeOf = (f: Function, name: string): TypeName | null => {
  const [, prefix = '', digits = ''] = /^(.*?)(\d+)$/u.exec(name) ?? []
  const row = rowsOf(f.body ?? []).get(prefix)
  return row !== undefined && Number(digits) < row.count ? row.type : null
}

// ---------------------------------------------------------------- what computes

const computing =
  /^(?:mov|add|sub|mul|mul24|mad|fma|neg|abs|min|max|and|or|xor|not|shl|shr|shf|lop3|prmt|bfe|bfi|brev|clz|popc|selp|setp|set|cvt|cvta|rcp|div|rem|sqrt|ex2|lg2)(?:\.|$)/u
const carries = /\.cc|^addc|^subc|^madc/u
const moving = /%(?:clock|globaltimer|pm|envreg|lanemask|smid|warpid|nsmid)/u
const computes = (i: Instruction): boolean =>
  computing.test(i.opcode) &&
  !carries.test(i.opcode) &&
  !i.operands.some((o) => o._tag === 'name' && moving.test(o.name))
const writesOf = (i: Instruction): ReadonlySet<string> =>
  computes(i) ? namesOf(i.operands.slice(0, 1)) : namesIn(i)
const goes = (i: Instruction): boolean => /^(?:bra|brx|ret|exit|call|trap|brkpt)(?:\.|$)/u.test(i.opcode)

const disjoint = (x: ReadonlySet<string>, y: ReadonlySet<string>): boolean => ![...x].some((n) => y.has(n))
const independent = (x: Instruction, y: Instruction): boolean =>
  (computes(x) || computes(y)) &&
  !goes(x) &&
  !goes(y) &&
  !carries.test(x.opcode) &&
  !carries.test(y.opcode) &&
  disjoint(writesOf(x), namesIn(y)) &&
  disjoint(writesOf(y), namesIn(x))

// ---------------------------------------------------------------- the changes

/** Registers have other names and other numbers. */
const renamed: Change['of'] = (m, draw) =>
  inFunctions(m, (body) => {
    const rows = rowsOf(body)
    const numbers = new Map(
      [...rows].map(([prefix, { count }]) => {
        const order = Array.from({ length: count }, (_, k) => k)
        for (let k = count - 1; k > 0; k--) {
          const at = Math.floor(draw() * (k + 1))
          ;[order[k], order[at]] = [order[at]!, order[k]!]
        }
        return [prefix, order] as const
      }),
    )
    const to = (name: string): string => {
      const [, prefix = '', digits = ''] = /^(.*?)(\d+)$/u.exec(name) ?? []
      const by = numbers.get(prefix)?.[Number(digits)]
      return by === undefined ? name : `${prefix}z${String(by)}`
    }
    return inLists(body, (list) =>
      list.map((s) =>
        s._tag === 'registers' && rows.has(s.name)
          ? { ...s, name: `${s.name}z` }
          : isInstruction(s)
            ? {
                ...s,
                guard: s.guard === null ? null : { ...s.guard, name: to(s.guard.name) },
                operands: s.operands.map((o) => nameOperand(o, to)),
              }
            : s,
      ),
    )
  })

/** Neighbours that have nothing to do with each other change places. */
const reordered: Change['of'] = (m, draw) =>
  inFunctions(m, (body) =>
    inLists(body, (list) => {
      const out = [...list]
      for (let turn = 0; turn < 3; turn++)
        for (let k = 0; k + 1 < out.length; k++) {
          const [x, y] = [out[k], out[k + 1]]
          if (isInstruction(x) && isInstruction(y) && draw() < 0.5 && independent(x, y))
            [out[k], out[k + 1]] = [y, x]
        }
      return out
    }),
  )

const dead: Change['of'] = (m, draw) =>
  everywhere(m, '.reg .b32 %zd<4>;', (i) =>
    draw() < 0.2
      ? [...written('mov.b32 %zd0, 7; mul.lo.s32 %zd1, %zd0, 3; xor.b32 %zd2, %zd1, %zd0;'), i]
      : null,
  )

const under = (name: string): Guard => ({ at: { line: 0, column: 0 }, name, negated: false })

/** Under a guard that is computed once, and always true. */
const guarded: Change['of'] = (m, draw) => {
  const made = everywhere(m, '', (i) =>
    i.guard === null && !goes(i) && draw() < 0.2 ? [{ ...i, guard: under('%zp0') }] : null,
  )
  return made === null
    ? null
    : inFunctions(made, (body) => [
        ...written(
          '.reg .b32 %zg<1>; .reg .pred %zp<1>; mov.u32 %zg0, %tid.x; setp.eq.s32 %zp0, %zg0, %zg0;',
        ),
        ...body,
      ])
}

/** Under a guard that says that one of its own operands is itself. */
const selfGuarded: Change['of'] = (m, draw) =>
  everywhere(m, '.reg .pred %zs<1>;', (i, f) => {
    if (i.guard !== null || !computes(i) || draw() > 0.4) return null
    const r = [...namesOf(i.operands.slice(1))].find((name) => typeOf(f, name) === 'b32')
    return r === undefined ? null : [one(`setp.eq.s32 %zs0, ${r}, ${r};`), { ...i, guard: under('%zs0') }]
  })

/** Branches that are always taken, under such a guard. */
const guardedBranches: Change['of'] = (m, draw) => {
  const made = everywhere(m, '', (i) =>
    i.guard === null && /^bra(?:\.|$)/u.test(i.opcode) && draw() < 0.7
      ? [{ ...i, opcode: 'bra', guard: under('%zq0') }]
      : null,
  )
  return made === null
    ? null
    : inFunctions(made, (body) => [
        ...written(
          '.reg .b32 %zh<1>; .reg .pred %zq<1>; mov.u32 %zh0, %tid.x; setp.eq.s32 %zq0, %zh0, %zh0;',
        ),
        ...body,
        ...written('ret;'),
      ])
}

const widthOf = (opcode: string): TypeName | null => {
  const [, type = ''] = /^mov\.([bsuf]16|[bsuf]32|[bsuf]64|pred)$/u.exec(opcode) ?? []
  return type === '' ? null : type === 'pred' ? 'pred' : (`b${type.slice(1)}` as TypeName)
}

/** A move in two steps. */
const split: Change['of'] = (m, draw) =>
  everywhere(
    m,
    '.reg .b16 %zb16_<1>; .reg .b32 %zb32_<1>; .reg .b64 %zb64_<1>; .reg .pred %zpred_<1>;',
    (i) => {
      const width = widthOf(i.opcode)
      const [d, a] = i.operands
      if (width === null || d?._tag !== 'name' || a === undefined || a._tag === 'vector' || draw() > 0.7)
        return null
      const by: Operand = { _tag: 'name', at: i.at, name: `%z${width}_0`, selector: null, offset: 0 }
      return [
        { ...i, operands: [by, a] },
        { ...i, opcode: `mov.${width}`, operands: [d, by] },
      ]
    },
  )

const commutes = /^(?:add|mul|mad|fma|and|or|xor|min|max)\.|^setp\.(?:eq|ne)\./u
const swapped: Change['of'] = (m, draw) =>
  everywhere(m, '', (i, f) => {
    const [d, a, b, ...rest] = i.operands
    const isRegister = (o: Operand | undefined): boolean =>
      o?._tag === 'name' && typeOf(f, o.name) !== null && typeOf(f, o.name) !== 'pred'
    return commutes.test(i.opcode) &&
      !carries.test(i.opcode) &&
      isRegister(a) &&
      isRegister(b) &&
      draw() < 0.8
      ? [{ ...i, operands: [d!, b!, a!, ...rest] }]
      : null
  })

/** Constants come from registers. */
const loaded: Change['of'] = (m, draw) =>
  everywhere(m, '.reg .b32 %zc<1>;', (i) => {
    if (
      !/^(?:add|sub|mul\.lo|and|or|xor|shl|shr|setp\.\w+|mad\.lo|selp)\.[bsu]32$/u.test(i.opcode) ||
      draw() > 0.6
    )
      return null
    const at = i.operands.map(({ _tag }) => _tag).lastIndexOf('integer')
    const constant = i.operands[at]
    if (at < 1 || constant?._tag !== 'integer') return null
    const by: Operand = { _tag: 'name', at: i.at, name: '%zc0', selector: null, offset: 0 }
    return [
      one(`mov.b32 %zc0, ${constant.text};`),
      { ...i, operands: i.operands.map((o, k) => (k === at ? by : o)) },
    ]
  })

/** Offsets of addresses are added before. */
const added: Change['of'] = (m, draw) =>
  everywhere(m, '.reg .b32 %za32_<1>; .reg .b64 %za64_<1>;', (i, f) => {
    if (!/^(?:ld|st|atom|red|mbarrier|cp)\.(?!param)/u.test(i.opcode) || draw() > 0.7) return null
    const at = i.operands.findIndex(
      (o) => o._tag === 'address' && o.base !== null && o.offset !== 0 && typeOf(f, o.base.name) !== null,
    )
    const o = i.operands[at]
    if (o?._tag !== 'address' || o.base === null) return null
    const width = typeOf(f, o.base.name)!.slice(1)
    const t = `%za${width}_0`
    return [
      one(`add.s${width} ${t}, ${o.base.name}, ${String(o.offset)};`),
      {
        ...i,
        operands: i.operands.map((x, k) =>
          k === at ? { ...o, offset: 0, base: { ...o.base!, name: t } } : x,
        ),
      },
    ]
  })

/** Operands are copied before they are read. */
const copied: Change['of'] = (m, draw) =>
  everywhere(m, '.reg .b32 %zy32_<1>; .reg .b64 %zy64_<1>;', (i, f) => {
    if (goes(i) || draw() > 0.4) return null
    const written_ = computes(i) ? namesOf(i.operands.slice(0, 1)) : new Set<string>()
    // of what does not compute an address alone is surely read
    const candidates = computes(i)
      ? namesOf(i.operands.slice(1))
      : new Set(i.operands.flatMap((o) => (o._tag === 'address' && o.base !== null ? [o.base.name] : [])))
    const r = [...candidates].find(
      (name) => !written_.has(name) && ['b32', 'b64'].includes(typeOf(f, name) ?? ''),
    )
    if (r === undefined) return null
    const width = typeOf(f, r)!.slice(1)
    const t = `%zy${width}_0`
    return [
      one(`mov.b${width} ${t}, ${r};`),
      {
        ...i,
        operands: i.operands.map((o, k) =>
          (computes(i) ? k > 0 : o._tag === 'address')
            ? nameOperand(o, (name) => (name === r ? t : name))
            : o,
        ),
      },
    ]
  })

const labelled = (name: string): Statement => ({ _tag: 'label', at: { line: 0, column: 0 }, name })

/** Branches by way of others: to a jump at the end of the function. */
const jumped: Change['of'] = (m, draw) =>
  inFunctions(m, (body) => {
    const labels = new Set(body.flatMap((s) => (s._tag === 'label' ? [s.name] : [])))
    const stops: Statement[] = []
    const made = eachInstruction(body, (i) => {
      const [target] = i.operands
      if (
        !/^bra(?:\.|$)/u.test(i.opcode) ||
        target?._tag !== 'name' ||
        !labels.has(target.name) ||
        draw() > 0.6
      )
        return [i]
      const by = `$zj${String(stops.length)}`
      stops.push(labelled(by), one(`bra ${target.name};`))
      return [{ ...i, operands: [{ ...target, name: by }] }]
    })
    return stops.length === 0 ? null : [...made, ...written('ret;'), ...stops]
  })

/** `@p bra a` as `@!p bra over; bra a; over:`. */
const negated: Change['of'] = (m, draw) => {
  let count = 0
  return everywhere(m, '', (i) => {
    if (!/^bra(?:\.|$)/u.test(i.opcode) || i.guard === null || draw() > 0.6) return null
    const over = `$zo${String(count++)}`
    return [
      {
        ...i,
        guard: { ...i.guard, negated: !i.guard.negated },
        operands: [{ _tag: 'name', at: i.at, name: over, selector: null, offset: 0 }],
      },
      { ...i, guard: null },
      labelled(over),
    ]
  })
}

/** The blocks of the function in the opposite order, each with a jump to the one that came after it. */
const reversed: Change['of'] = (m) =>
  inFunctions(m, (body) => {
    const isFixed = (s: Statement): boolean =>
      s._tag === 'registers' || s._tag === 'variable' || s._tag === 'targets'
    const fixed = body.filter(isFixed)
    const rest = body.filter((s) => !isFixed(s) && s._tag !== 'comment')
    const blocks: Statement[][] = [[]]
    for (const s of rest) {
      if (s._tag === 'label' && blocks[blocks.length - 1]!.length > 0) blocks.push([])
      blocks[blocks.length - 1]!.push(s)
      if (isInstruction(s) && goes(s) && !/^call/u.test(s.opcode)) blocks.push([])
    }
    const full = blocks.filter((b) => b.length > 0)
    if (full.length < 2) return null
    const nameOf = (k: number): string => (k < full.length ? `$zb${String(k)}` : '$zend')
    const whole = full.map((b, k): Statement[] => {
      const last = b[b.length - 1]
      const ends =
        isInstruction(last) && last.guard === null && /^(?:bra|brx|ret|exit|trap)(?:\.|$)/u.test(last.opcode)
      return [labelled(nameOf(k)), ...b, ...(ends ? [] : [one(`bra ${nameOf(k + 1)};`)])]
    })
    return [
      ...fixed,
      one(`bra ${nameOf(0)};`),
      ...whole.reverse().flat(),
      labelled('$zend'),
      ...written('ret;'),
    ]
  })

const isAsk = (s: Statement | undefined): boolean =>
  isInstruction(s) && /^mbarrier\.(?:try|test)_wait/u.test(s.opcode)

/** A loop that does nothing but ask a barrier asks twice in a turn. */
const unrolled: Change['of'] = (m) => {
  let some = false
  let count = 0
  const made = inFunctions(m, (body) =>
    inLists(body, (list) => {
      const out: Statement[] = []
      for (let k = 0; k < list.length; k++) {
        const [label, ask, leave, back] = list.slice(k, k + 4)
        out.push(list[k]!)
        if (label?._tag !== 'label' || !isAsk(ask) || !isInstruction(leave) || leave.guard === null) continue
        const to = leave.operands[0]
        if (!/^bra/u.test(leave.opcode) || to?._tag !== 'name') continue
        if (to.name === label.name) {
          const over = `$zu${String(count++)}`
          out.push(
            ask!,
            {
              ...leave,
              guard: { ...leave.guard, negated: !leave.guard.negated },
              operands: [{ ...to, name: over }],
            },
            ask!,
            leave,
            labelled(over),
          )
          k += 2
          some = true
        } else if (
          isInstruction(back) &&
          back.guard === null &&
          /^bra/u.test(back.opcode) &&
          back.operands[0]?._tag === 'name' &&
          back.operands[0].name === label.name
        ) {
          out.push(ask!, leave, ask!, leave, back)
          k += 3
          some = true
        }
      }
      return out
    }),
  )
  return some ? made : null
}

/** Without the lines of the source. */
const unlocated: Change['of'] = (m) => {
  let some = false
  const made = inFunctions(m, (body) =>
    inLists(body, (list) => {
      some ||= list.some((s) => s._tag === 'loc')
      return list.filter((s) => s._tag !== 'loc')
    }),
  )
  return some ? made : null
}

/** Instructions that compute, each in a scope of its own. */
const scoped: Change['of'] = (m, draw) =>
  everywhere(m, '', (i) => (!goes(i) && draw() < 0.3 ? [{ _tag: 'scope', at: i.at, body: [i] }] : null))

export const changes: ReadonlyArray<Change> = [
  { name: 'printed', of: (m) => m },
  { name: 'renamed', of: renamed },
  { name: 'reordered', of: reordered },
  { name: 'dead code', of: dead },
  { name: 'guarded', of: guarded },
  { name: 'guarded by its own operand', of: selfGuarded },
  { name: 'guarded branches', of: guardedBranches },
  { name: 'split moves', of: split },
  { name: 'swapped operands', of: swapped },
  { name: 'loaded constants', of: loaded },
  { name: 'added offsets', of: added },
  { name: 'copied operands', of: copied },
  { name: 'jumped', of: jumped },
  { name: 'negated', of: negated },
  { name: 'reversed blocks', of: reversed },
  { name: 'unrolled waits', of: unrolled },
  { name: 'without lines', of: unlocated },
  { name: 'scoped', of: scoped },
]
