import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBindings, parseOperand } from '../../../src/oracle/cli/flags/binding.js'
import { oneOf, parseSeed, type FlagFailure } from '../../../src/oracle/cli/flags/choice.js'
import {
  parseArithmetic,
  parseOver,
  parseSchedule,
  parseTensorPipe,
  printOver,
  printSchedule,
} from '../../../src/oracle/cli/flags/machine.js'
import { parseSettings } from '../../../src/oracle/cli/flags/setting.js'

const says = (message: string): E.Either<FlagFailure, never> => E.left({ code: 'bad-flag', message })

describe('choice', () => {
  it('law 1: a word of the list and no other', () => {
    const known = ['a', 'bb'] as const
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...known), fc.string()), (text) => {
        expect(E.isRight(oneOf('--x', known)(text))).toBe(text === 'a' || text === 'bb')
      }),
    )
    expect(oneOf('--x', known)('c')).toEqual(says("--x: expected a|bb, found 'c'"))
    expect(oneOf('--x', known)('')).toEqual(says('--x: expected a|bb, found nothing'))
    expect(parseArithmetic('ieee32')).toEqual(E.right('ieee32'))
    expect(parseArithmetic('blackwell')).toEqual(E.right('blackwell'))
    expect(parseArithmetic('ampere')).toEqual(
      says("--arithmetic: expected hopper|blackwell|ieee32|ieee32-fused, found 'ampere'"),
    )
    expect(parseTensorPipe('documented')).toEqual(E.right('documented'))
    expect(parseTensorPipe('issueOrder')).toEqual(
      says("--tensor-pipe: expected issue-order|documented, found 'issueOrder'; did you mean issue-order?"),
    )
  })
  it('law 2: seeds are 32 bits', () => {
    expect(['0', '7', '4294967295', '0012'].map((s) => parseSeed('--s', s))).toEqual(
      [0, 7, 4294967295, 12].map(E.right),
    )
    const refused = ['4294967296', '-1', '1.5', '1e3', '', ' 1', 'x', '99999999999999999999']
    refused.forEach((s) => {
      expect(E.isLeft(parseSeed('--s', s))).toBe(true)
    })
  })
})

describe('over and schedule', () => {
  it('law 1: printed as written', () => {
    const overs = ['bits', 'real64', 'unit', 'tiles', 'field:0', 'field:77', 'field:4294967295']
    overs.forEach((text) => {
      expect(E.map(printOver)(parseOver(text))).toEqual(E.right(text))
    })
    expect(parseOver('field')).toEqual(E.right({ _tag: 'field', seed: 0 }))
    const schedules = [
      'eager',
      'lazy',
      'roundrobin',
      'seeded:9',
      'starving:3,seeded:1',
      'starving:3:17,seeded:1',
      'recorded:dir/a:b=c.json',
      'recorded:dir/a b 3=0:1',
      'eager 12=1:4/write.0',
      'starving:3:17,seeded:1 0=1:1 7=0:2',
    ]
    schedules.forEach((text) => {
      expect(E.map(printSchedule)(parseSchedule(text))).toEqual(E.right(text))
    })
    expect(parseSchedule('seeded:9')).toEqual(E.right({ _tag: 'seeded', seed: 9 }))
    expect(parseSchedule('recorded:r.json')).toEqual(E.right({ _tag: 'recorded', file: 'r.json' }))
  })
  it('law 2: everything else is refused with what is known', () => {
    expect(parseOver('fields')).toEqual(
      says("--over: expected bits|real64|field[:SEED]|unit|tiles, found 'fields'; did you mean field?"),
    )
    expect(parseOver('field:x')).toEqual(
      says("--over field: expected a seed from 0 to 4294967295, found 'x'"),
    )
    expect(parseOver('bits:1')).toEqual(
      says("--over: expected bits|real64|field[:SEED]|unit|tiles, found 'bits:1'; did you mean bits?"),
    )
    expect(parseSchedule('seeded')).toEqual(
      says(
        "--schedule: expected eager|lazy|roundrobin|seeded:N|starving:AGENT[:EVENT],seeded:N|recorded:FILE, found 'seeded'; did you mean seeded:N?",
      ),
    )
    expect(parseSchedule('seeded:')).toEqual(
      says('--schedule seeded: expected a seed from 0 to 4294967295, found nothing'),
    )
    for (const wrong of ['12', '12=', '12=x', '=1:4', '3=0:1 3=0:2'])
      expect(parseSchedule(`lazy ${wrong}`)).toEqual(
        says(
          `--schedule: expected detours STEP=EVENT in the order of their steps, such as 12=1:4/write.0, found '${wrong.split(' ').at(-1)!}'`,
        ),
      )
    expect(parseSchedule('lasy 3=0:1')).toEqual(
      says(
        "--schedule: expected eager|lazy|roundrobin|seeded:N|starving:AGENT[:EVENT],seeded:N|recorded:FILE, found 'lasy'; did you mean lazy?",
      ),
    )
    expect(parseSchedule('recorded:')).toEqual(
      says(
        "--schedule: expected eager|lazy|roundrobin|seeded:N|starving:AGENT[:EVENT],seeded:N|recorded:FILE, found 'recorded:'; did you mean recorded:FILE?",
      ),
    )
  })
})

describe('settings', () => {
  it('law 2: numbers, truth values, words', () => {
    expect(
      parseSettings([
        'm=256',
        'scale=0.125',
        'causal=true',
        'x=false',
        'gridMinorDim=n',
        'y=-1e-3',
        'z=+.5',
        'w=issue-order',
      ]),
    ).toEqual(
      E.right({
        m: 256,
        scale: 0.125,
        causal: true,
        x: false,
        gridMinorDim: 'n',
        y: -0.001,
        z: 0.5,
        w: 'issue-order',
      }),
    )
    expect(parseSettings([])).toEqual(E.right({}))
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        expect(parseSettings([`a=${String(x)}`])).toEqual(E.right({ a: Number(String(x)) }))
      }),
    )
  })
  it('law 1: once each', () => {
    expect(parseSettings(['m=1', 'n=2', 'm=1'])).toEqual(
      says("--set: expected each setting once, found 'm twice'"),
    )
  })
  it.each([
    ['m', "--set: expected name=value (the kernel comes before the flags), found 'm'"],
    ['=1', "--set: expected name=value (the kernel comes before the flags), found '=1'"],
    ['__proto__=1', "--set: expected name=value (the kernel comes before the flags), found '__proto__=1'"],
    ['m=', '--set: expected a number, true, false or a word, found nothing'],
    ['m=64x', "--set: expected a number, true, false or a word, found '64x'"],
    ['m=0x10', "--set: expected a number, true, false or a word, found '0x10'"],
    ['m=1e999', "--set: expected a finite number, found '1e999'"],
  ])('refuses %s', (text, message) => {
    expect(parseSettings([text])).toEqual(says(message))
  })
})

describe('bindings', () => {
  const parse = parseBindings('--in')
  it('law 1: the first equals sign ends the name', () => {
    expect(parse(['a=a.npy', 'b:bf16=dir/b.npy', 'c=x=y:z.npy', 'd:e4m3==odd'])).toEqual(
      E.right({
        named: [
          { name: 'a', dtype: undefined, file: 'a.npy' },
          { name: 'b', dtype: 'bf16', file: 'dir/b.npy' },
          { name: 'c', dtype: undefined, file: 'x=y:z.npy' },
          { name: 'd', dtype: 'e4m3', file: '=odd' },
        ],
        whole: [],
      }),
    )
  })
  it('a file of several tensors stands alone, or behind a name', () => {
    expect(parse(['all.npz', 'b=all.npz:w', 'd/x.safetensors'])).toEqual(
      E.right({
        named: [{ name: 'b', dtype: undefined, file: 'all.npz:w' }],
        whole: ['all.npz', 'd/x.safetensors'],
      }),
    )
  })
  it('law 2: once each', () => {
    expect(parse(['a=x', 'a:f16=y'])).toEqual(says("--in: expected each name once, found 'a twice'"))
  })
  it('law 3: dtypes that exist', () => {
    const answer = parse(['a:f17=x'])
    expect(answer).toMatchObject(
      E.left({ message: expect.stringMatching(/^--in a: expected a dtype of .*bf16 .*, found 'f17'$/) }),
    )
  })
  it.each(['a', 'a=', '=x', 'a.npy', ':bf16=x', '1a=x', 'all.npz:a'])('refuses %s', (text) => {
    expect(parse([text])).toEqual(
      says(`--in: expected name=file, name:dtype=file or one .npz or .safetensors file, found '${text}'`),
    )
  })
  it('an operand of compare', () => {
    expect(parseOperand('dir/got.npy')).toEqual(E.right({ dtype: undefined, file: 'dir/got.npy' }))
    expect(parseOperand('bf16=got.npy')).toEqual(E.right({ dtype: 'bf16', file: 'got.npy' }))
    expect(parseOperand('./word=got.npy')).toEqual(E.right({ dtype: undefined, file: './word=got.npy' }))
    expect(parseOperand('word=got.npy')).toMatchObject(E.left({ code: 'bad-flag' }))
    expect(parseOperand('bf16=')).toEqual(says("file: expected a file or dtype=file, found 'bf16='"))
    expect(parseOperand('')).toEqual(says('file: expected a file or dtype=file, found nothing'))
  })
})
