import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { attention, pointerMatmul } from '../../dialects/ttgir/compiled.js'
import {
  decodeProgram,
  encodeProgram,
  parseProgram,
  printJson,
  withProgram,
} from '../../../src/semantics/files/codec.js'
import { jsonSchemas, schemaText } from '../../../src/semantics/files/json-schema.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { print } from '../../../src/semantics/language/print.js'
import type { Program } from '../../../src/semantics/language/program.js'
import {
  instructionNames,
  isInstructionName,
  mapOperands,
  operandsOf,
  signatureOf,
} from '../../../src/semantics/language/signature.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { samples } from '../samples.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const programs: ReadonlyArray<readonly [string, Program]> = [
  ...samples,
  ['mm_ptr', pointerMatmul().program],
  ['attn_fwd', attention(192, 1).program],
]

/** Every place in a JSON value, as a path of keys. */
const paths = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === 'object' && value !== null
    ? [at, ...Object.entries(value).flatMap(([key, inner]) => paths(inner, [...at, key]))]
    : [at]

/** The value with one place replaced (or removed, by `undefined`). */
const replaced = (value: unknown, path: ReadonlyArray<string>, by: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((inner, k) => (String(k) === key ? replaced(inner, rest, by) : inner))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name !== key) return [[name, inner]]
      const next = replaced(inner, rest, by)
      return next === undefined ? [] : [[name, next]]
    }),
  )
}
const asJson = (program: Program): unknown => JSON.parse(printJson(program))

describe('decodeProgram', () => {
  test.each(programs)('law 1: %s survives JSON text', (_name, program) => {
    expect(right(parseProgram(printJson(program)))).toEqual(program)
    expect(encodeProgram(right(decodeProgram(asJson(program))))).toEqual(program)
  })

  test('law 2: an error is one line that names the place, what was expected, what was found', () => {
    const [, program] = programs[0]!
    const json = asJson(program)
    const body = ['entry', 'body', '0', 'instruction']
    const cases: ReadonlyArray<readonly [path: ReadonlyArray<string>, by: unknown, message: string]> = [
      [['name'], 7, '$.name: expected a string, found 7'],
      [['arch'], 'sm70', '$.arch: expected one of "sm90a", "sm100a", found "sm70"'],
      [
        [...body, 'count'],
        -1,
        '$.entry.body[0].instruction.count: expected an integer of 0 or more, found -1',
      ],
      [
        [...body, 'count'],
        undefined,
        '$.entry.body[0].instruction.count: expected an integer of 0 or more, found nothing',
      ],
      [
        ['storage', '0', 'contents', 'layout', 'swizzle'],
        48,
        '$.storage[0].contents.layout.swizzle: expected one of 16, 32, 64, 128, found 48',
      ],
    ]
    for (const [path, by, message] of cases) {
      const result = decodeProgram(replaced(json, path, by))
      expect(E.isLeft(result) && result.left).toEqual({ code: 'json.form', message })
    }
  })

  test('an unknown key, a wrong tag and a wrong instruction are refused by name', () => {
    const json = asJson(programs[0]![1])
    const message = (path: ReadonlyArray<string>, by: unknown): string => {
      const result = decodeProgram(replaced(json, path, by))
      return E.isLeft(result) ? result.left.message : 'accepted'
    }
    expect(message(['launch'], { grid: [], cluster: [], agents: [], wait: 1 })).toBe(
      '$.launch.wait: expected no such key in a launch, which has grid, cluster, agents, found 1',
    )
    expect(message(['entry', 'body', '0', '_tag'], 'Goto')).toBe(
      '$.entry.body[0]._tag: expected a statement: one of Let, Do, For, While, If, Fork, found "Goto"',
    )
    expect(message(['entry', 'body', '0', 'instruction', '_tag'], 'mbarrier.spin')).toMatch(
      /^\$\.entry\.body\[0\]\.instruction\._tag: expected an instruction: one of mbarrier\.init, .* found "mbarrier\.spin"$/,
    )
    expect(E.isLeft(parseProgram('{'))).toBe(true)
  })

  test('law 3: damage at any place is refused in one line or gives a valid program; nothing throws', () => {
    const damage = [null, -1, 1.5, 'x', [], {}, undefined, true, { _tag: 'name', name: 'ghost' }]
    const places = samples.map(([, program]) => {
      const json = asJson(program)
      return { json, all: paths(json) }
    })
    let refused = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.nat(),
        fc.constantFrom(...damage),
        ({ json, all }, place, by) => {
          const result = decodeProgram(replaced(json, all[place % all.length]!, by))
          if (E.isLeft(result)) {
            refused++
            expect(result.left.message).not.toContain('\n')
            expect(result.left.message).not.toBe('')
          } else expect(decodeProgram(asJson(result.right))).toEqual(result)
        },
      ),
      { numRuns: nightly ? 500 : 100 },
    )
    expect(refused).toBeGreaterThan(nightly ? 300 : 60)
  })

  test('a layout that is none, an alignment of zero, a word of neither kind: refused at their place', () => {
    const json = asJson(programs[0]![1])
    const message = (path: ReadonlyArray<string>, by: unknown): string => {
      const result = decodeProgram(replaced(json, path, by))
      return E.isLeft(result) ? `${result.left.code} ${result.left.message}` : 'accepted'
    }
    expect(message(['storage', '0', 'align'], 0)).toBe(
      'json.form $.storage[0].align: expected a positive integer, found 0',
    )
    expect(message(['storage', '0', 'align'], 1024)).toBe('accepted')
    expect(message(['storage', '0', 'owner'], 'agent')).toContain("expected 'cta' or an agent")
    // strides for one dimension too many: the reason of the layout itself is given
    expect(message(['storage', '0', 'contents', 'layout', 'strides'], [1])).toMatch(
      /^json\.form \$\.storage\[0\]\.contents\.layout: expected a legal ref \(Expected one stride of 0 or more/,
    )
    expect(message(['storage', '0', 'contents', 'layout', 'bits'], 0)).toContain(
      'expected a legal ref (Elements have',
    )
  })

  test('what may be left out of an instruction may be, and nothing else', () => {
    const json = asJson(
      right(
        B.draft({ name: 'k', arch: 'sm90a', agents: [B.warp('w', 0)] }, function* () {
          yield* B.of(undefined)
        }),
      ),
    )
    const with1 = (instruction: unknown): string => {
      const stmt = { _tag: 'Do', results: [], instruction, site: { label: 'it', path: [] } }
      const result = decodeProgram(replaced(json, ['entry', 'body'], [stmt]))
      return E.isLeft(result) ? result.left.message : 'accepted'
    }
    const commit = { _tag: 'tcgen05.commit', barrier: { _tag: 'storage', storage: 'b' }, ctaGroup: 1 }
    // the form is right; only then does validation look at what it means
    const meaning = /^(?!\$)/
    expect(with1(commit)).toMatch(meaning)
    expect(with1({ ...commit, multicast: { _tag: 'const', dtype: 'i32', value: 1 } })).toMatch(meaning)
    expect(with1({ ...commit, ctaGroup: undefined })).toContain(
      '$.entry.body[0].instruction.ctaGroup: expected',
    )
    expect(with1({ ...commit, multicast: 7 })).toContain('$.entry.body[0].instruction.multicast')
    const product = {
      _tag: 'wgmma.mma',
      accumulator: 1,
      a: 1,
      b: 1,
      scaleD: 1,
      negateA: false,
      negateB: false,
    }
    expect(with1({ ...product, saturate: 3 })).toContain('$.entry.body[0].instruction')
    expect(with1({ _tag: 'trap' })).toBe('accepted')
    expect(with1({ _tag: 'trap', why: 'n is not a length' })).toBe('accepted')
    expect(with1({ _tag: 'trap', why: 3 })).toContain('why: expected')
    expect(with1({ _tag: 'trap', saturate: false })).toContain('expected no such key')
  })

  test('text that is no JSON is refused as such', () => {
    for (const source of ['{', '', 'nothing']) {
      const result = parseProgram(source)
      expect(E.isLeft(result) && result.left.code).toBe('json.syntax')
    }
    const form = parseProgram('7')
    expect(E.isLeft(form) && form.left.code).toBe('json.form')
  })

  test('withProgram opens a valid program only', () => {
    const [, program] = programs[0]!
    expect(withProgram(asJson(program), ({ name }) => E.right(name))).toEqual(E.right('ring'))
    expect(E.isLeft(withProgram({}, () => E.right('opened')))).toBe(true)
  })
})

describe('signatures', () => {
  const instructions = programs.flatMap(([, program]) =>
    [...printJson(program).matchAll(/"instruction":\{"_tag":"([\w.]+)"/g)].map(([, name]) => name!),
  )

  test('every instruction is in the table', () => {
    expect(instructionNames.length).toBe(67)
    for (const name of instructions) expect(isInstructionName(name)).toBe(true)
  })

  test('law 1: operands are listed and mapped alike', () => {
    const barrier = { _tag: 'name', name: 'b' } as const
    const when = { _tag: 'name', name: 'p' } as const
    const view = { _tag: 'name', name: 'v' } as const
    const mma = {
      _tag: 'tcgen05.mma',
      accumulator: view,
      a: view,
      b: view,
      accumulate: when,
      ctaGroup: 1,
      completions: [
        { barrier, when },
        { barrier, when, multicast: view },
      ],
    } as const
    expect(operandsOf(mma).map(({ field }) => field)).toEqual([
      'accumulator',
      'a',
      'b',
      'accumulate',
      'completions[0].barrier',
      'completions[0].when',
      'completions[1].barrier',
      'completions[1].when',
      'completions[1].multicast',
    ])
    expect(mapOperands((e) => e)(mma)).toEqual(mma)
    const visited: string[] = []
    const marked = mapOperands((_, field) => {
      visited.push(field)
      return { _tag: 'name', name: field }
    })(mma)
    expect(visited).toEqual(operandsOf(mma).map(({ field }) => field))
    expect(operandsOf(marked).every(({ field, expr }) => expr._tag === 'name' && expr.name === field)).toBe(
      true,
    )
  })

  test('an instruction without operands has none', () => {
    for (const name of ['wgmma.fence', 'cluster.wait'] as const)
      expect(Object.keys(signatureOf(name).fields)).toEqual([])
  })
})

describe('JSON Schemas', () => {
  const directory = new URL('../../../schemas/', import.meta.url)

  test('law 1: the files are the schemas', () => {
    const files = Object.keys(jsonSchemas)
    expect(
      readdirSync(directory)
        .filter((file) => files.includes(file))
        .sort(),
    ).toEqual([...files].sort())
    if (process.env['TCSPEC_REGENERATE'] !== undefined)
      for (const file of files) writeFileSync(new URL(file, directory), schemaText(jsonSchemas[file]!))
    for (const file of files)
      expect(readFileSync(new URL(file, directory), 'utf8')).toBe(schemaText(jsonSchemas[file]!))
  })

  const accepts = new Ajv2020({ strict: true, strictTypes: false }).compile(
    JSON.parse(schemaText(jsonSchemas['program.schema.json']!)) as object,
  )

  test.each(programs)('law 2: %s satisfies the schema', (_name, program) => {
    expect(accepts(asJson(program)), JSON.stringify(accepts.errors?.[0])).toBe(true)
  })

  test('wire law 2: what the schema refuses, the codec refuses', () => {
    const json = asJson(programs[0]![1])
    const all = paths(json)
    let refused = 0
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(null, -1, 1.5, 'x', [], {}, undefined), (place, by) => {
        const damaged = replaced(json, all[place % all.length]!, by)
        if (!accepts(damaged)) {
          refused++
          expect(E.isLeft(decodeProgram(damaged))).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
    expect(refused).toBeGreaterThan(30)
  })
})

describe('print', () => {
  test('by hand: what is not there is not said', () => {
    const listing = print(
      right(
        B.kernel({ name: 'listing', arch: 'sm90a', agents: [B.warpgroup('wg', 0)] }, function* () {
          yield* B.sharedMemory('plain', 'f16', [8, 64], [right(tile([8, 64]))])
          yield* B.sharedMemory('woven', 'f16', [8, 64], [right(tile([8, 64])), right(swizzle(128))])
          yield* B.forRange({ label: 'alone', from: X.i32(0), to: X.i32(2), carried: {} }, function* () {
            yield* B.of({})
            return {}
          })
          yield* B.forRange(
            { label: 'taking', from: X.i32(0), to: X.i32(2), carried: { n: X.i32(0) } },
            function* (_, { n }) {
              yield* B.of({})
              return { n }
            },
          )
        }),
      ),
    ).split('\n')
    const said = (what: string): string => listing.find((l) => l.includes(what)) ?? ''
    expect(listing.filter((l) => l.includes('swizzle'))).toHaveLength(1)
    expect([said('alone').includes('carry'), said('taking').includes('carry')]).toEqual([false, true])
  })
  test('law 1: a program with one place changed prints differently', () => {
    const changes: ReadonlyArray<(u: unknown) => unknown> = [
      (u) =>
        typeof u === 'number' ? u + 1 : typeof u === 'string' ? `${u}q` : typeof u === 'boolean' ? !u : u,
    ]
    for (const [, program] of samples) {
      const listing = print(program)
      const json = asJson(program)
      const leaves = paths(json).filter((path) => {
        const at = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], json)
        const key = path[path.length - 1]
        // Tags and discriminating words are not changed to nonsense that no program has.
        return typeof at !== 'object' && key !== '_tag' && key !== 'schema'
      })
      for (const path of leaves)
        for (const change of changes) {
          const at = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], json)
          const other = replaced(json, path, change(at)) as Program
          expect(print(other) === listing, path.join('.')).toBe(false)
        }
    }
  })
})
