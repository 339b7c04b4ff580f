/** TTGIR in and out. Oracle: what Triton wrote, letter by letter. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { piecesOf, showPieces } from '../../../src/dialects/ttgir/text/format.js'
import { formats } from '../../../src/dialects/ttgir/text/formats.js'
import {
  operationNames,
  readModule,
  showModule,
  type Module,
  type Operation,
} from '../../../src/dialects/ttgir/index.js'
import { quote, tokensOf } from '../../../src/dialects/ttgir/text/lexer.js'
import { deepest } from '../../../src/dialects/ttgir/text/cursor.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { beyondFiles, beyondText } from './beyond.js'
import { everyOperation, moduleFiles, moduleText } from './modules.js'

/** All operations, those in regions too. */
const operationsIn = (operations: ReadonlyArray<Operation>): ReadonlyArray<Operation> =>
  operations.flatMap((op) => [
    op,
    ...operationsIn(op.regions.flatMap((r) => r.blocks.flatMap((b) => b.operations))),
  ])
const namesIn = (m: Module): ReadonlyArray<string> => operationsIn(m.operations).map((op) => op.name)

/** MLIR says in comments where a block is reached from. */
const withoutComments = (text: string): string => text.replace(/ {2}\/\/ .*/g, '')

describe('law 1: what Triton wrote is printed as it was', () => {
  it('there are 45 modules, for two architectures', () => {
    expect(moduleFiles.length).toBe(45)
    expect(moduleFiles.filter((f) => f.endsWith('_sm90.ttgir')).length).toBe(22)
  })
  it.each(moduleFiles)('%s', (file) => {
    const text = moduleText(file)
    expect(showModule(right(readModule(text)))).toBe(text)
  })
  it('a module of every operation', () => {
    expect(showModule(right(readModule(everyOperation)))).toBe(withoutComments(everyOperation))
  })
  it('every operation that can be read stands in one of them', () => {
    const there = new Set(
      [
        everyOperation,
        ...moduleFiles.map(moduleText),
        ...beyondFiles.map((file) => beyondText(file.replace('.ttgir', ''))),
      ].flatMap((t) => namesIn(right(readModule(t)))),
    )
    expect(operationNames.filter((name) => !there.has(name))).toEqual([])
  })
})

describe('where a place ends', () => {
  it.each(['', ' to :12', ' to 4:2'])('%j is read, and only where it begins is kept', (end) => {
    const text = `#a = loc("x.py":3:5${end})\nmodule {\n} loc(#a)\n`
    expect(showModule(right(readModule(text)))).toContain('#a = loc("x.py":3:5)')
  })
  it('an end without a column is none', () => {
    expect(E.isLeft(readModule('#a = loc("x.py":3:5 to 4)\nmodule {\n}'))).toBe(true)
  })
})

describe('rows', () => {
  it.each(Object.entries(formats))('%s: its pieces are the row', (_, { text }) => {
    expect(showPieces(piecesOf(text))).toBe(text)
  })
})

describe('the lexer', () => {
  it('tokens stand where they are, and between them blanks and comments', () => {
    for (const text of [everyOperation, moduleText(moduleFiles[0]!)]) {
      const lines = text.split('\n')
      const elsewhere = right(tokensOf(text)).filter((t) => {
        const said = t.kind === 'string' ? quote(t.text) : t.text
        return (
          !lines[t.line - 1]!.startsWith(said, t.column - 1) ||
          text.slice(t.end - said.length, t.end) !== said
        )
      })
      expect(elsewhere).toEqual([])
    }
  })
  it('strings: quotes, backslashes, bytes', () => {
    for (const text of ['', 'a"b', 'a\\b', 'two\nlines', 'naïve – ✓', '\u0000\u007f'])
      expect(right(tokensOf(quote(text)))[0]).toMatchObject({ kind: 'string', text })
    expect(quote('é"')).toBe('"\\C3\\A9\\22"')
    expect(right(tokensOf('"a\\09\\\\b"'))[0]!.text).toBe('a\t\\b')
  })
})

describe('what is no module is refused where it is wrong', () => {
  const inFunction = (line: string): string =>
    `#b = #ttg.blocked<{order = [0]}>\nmodule {\n  tt.func public @f(%a: i32, %x: tensor<4xf32, #b>, %p: !tt.ptr<f16>) {\n    ${line}\n    tt.return\n  }\n}\n`
  const table: ReadonlyArray<readonly [what: string, text: string, message: string]> = [
    ['nothing', '', "1:1: expected 'module', found the end"],
    ['no token', 'module {\n  ~\n}', '2:3: expected a token, found "~"'],
    [
      'a string without an end',
      'module attributes {a = "b',
      '1:24: expected a string that ends in \'"\' on its line, found "\\"b"',
    ],
    ['an open module', 'module {\n', "2:1: expected an operation or '}', found the end"],
    ['two modules', 'module {\n}\nmodule {\n}', "3:1: expected the end of the text, found 'module'"],
    [
      'an operation that is not known',
      inFunction('%0 = arith.adi %a, %a : i32'),
      "4:10: expected an operation that is known (nearest: arith.addi), found 'arith.adi'",
    ],
    [
      'a general form that is not known',
      inFunction('%0 = "tt.what"(%a) : (i32) -> i32'),
      '4:10: expected an operation that is known (nearest: tt.cat), found the string "tt.what"',
    ],
    [
      'a value that is not there',
      inFunction('%0 = arith.addi %a, %b : i32'),
      "4:25: expected a value that is there, found '%b'",
    ],
    [
      'a value of another type',
      inFunction('%0 = arith.addi %a, %a : i64'),
      '4:30: expected i32, the type of %a, found i64',
    ],
    [
      'an encoding that is another',
      inFunction('%0 = arith.negf %x : tensor<4xf32>'),
      '4:26: expected tensor<4xf32, #b>, the type of %x, found tensor<4xf32>',
    ],
    [
      'a name twice',
      inFunction('%a = arith.addi %a, %a : i32'),
      "4:5: expected a new name, found '%a', which is there already",
    ],
    [
      'one result too many',
      inFunction('%0:2 = arith.addi %a, %a : i32'),
      '4:5: expected 1 results, found names of 2',
    ],
    [
      'a result where there is none',
      inFunction('%0 = gpu.barrier'),
      '4:5: expected 0 results, found names of 1',
    ],
    [
      'a result beyond the last',
      inFunction('%0 = arith.addi %a, %a : i32\n    %1 = arith.addi %0#1, %a : i32'),
      "5:21: expected one of 1 results, found '%0'#1",
    ],
    [
      'a predicate that is none',
      inFunction('%0 = arith.cmpi lt, %a, %a : i32'),
      "4:21: expected 'eq' or 'ne' or 'slt' or 'sle' or 'sgt' or 'sge' or 'ult' or 'ule' or 'ugt' or 'uge', found 'lt'",
    ],
    [
      'an attribute twice',
      inFunction('gpu.barrier {a, a}'),
      "4:21: expected each attribute once, found 'a' twice",
    ],
    [
      'no pointer',
      inFunction('%0 = tt.load %x : tensor<4xf32, #b>'),
      '4:10: expected a pointer, or a tensor of them, found tensor<4xf32, #b>',
    ],
    [
      'an extent of zero',
      inFunction('%0 = arith.constant dense<0> : tensor<4x0xi32>'),
      "4:44: expected an extent of 1 or more, found '0'",
    ],
    [
      'a type that is none',
      inFunction('%0 = tt.splat %a : i32 -> tensor<4xq7>'),
      "4:38: expected an element type, found 'q7'",
    ],
    [
      'an alias that is not there',
      inFunction('%0 = tt.splat %a : i32 -> tensor<4xi32, #c>'),
      "4:45: expected an alias that is there, found '#c'",
    ],
    [
      'an alias twice',
      '#a = #ttg.shared_memory\n#a = #ttg.shared_memory\nmodule {\n}',
      "2:1: expected a new alias, found '#a', which is there already",
    ],
    [
      'an alias of itself',
      '#a = loc("x"(#b))\n#b = loc("y"(#a))\nmodule {\n}',
      "1:1: expected an alias of something else, found '#a', which is an alias of itself",
    ],
    [
      'a function twice',
      'module {\n  tt.func @f() {\n  }\n  tt.func @f() {\n  }\n}',
      "4:11: expected a new name of a function, found '@f', which is there already",
    ],
    [
      'fewer types than values that are carried',
      inFunction('%0 = scf.for %i = %a to %a step %a iter_args(%j = %a) -> ()  : i32 {\n    }'),
      '4:59: expected 1 types of carried values, found 0',
    ],
  ]
  it.each(table)('%s', (_, text, message) => {
    const read = readModule(text)
    expect(E.isLeft(read) ? read.left.message : 'read').toBe(message)
  })
  it('brackets in one another, and no end to them', () => {
    for (const deep of ['[', '{a = ', 'dense<', 'array<', '(', 'loc("a"(']) {
      const read = readModule(`module attributes {a = ${deep.repeat(nightly ? 100_000 : 20_000)}`)
      expect(E.isLeft(read) ? read.left.code : 'read').toBe('ttgir.syntax')
    }
    const nested = [
      'module {',
      'tt.func @f(%c: i1) {',
      ...Array<string>(deepest + 1).fill('scf.if %c {'),
    ].join('\n')
    const read = readModule(nested)
    expect(E.isLeft(read) ? read.left.message : 'read').toContain(
      `expected at most ${String(deepest)} brackets in one another`,
    )
  })
})
