/** docs/Traces.md: its Python writes its lines, its commands print what stands below them, and a simulator of somebody else's is judged by its traces. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { judgeTrace, linesOf } from '../../src/oracle/cli/traces.js'
import { defaults } from '../../src/semantics/judging/detector/index.js'
import type { Verdict } from '../../src/semantics/judging/verdict.js'
import { lineWire } from '../../src/semantics/files/trace/event.js'
import { decodeTrace, encodeTrace, headerWire } from '../../src/semantics/files/trace/index.js'
import { units } from '../../src/semantics/log/units.js'
import { read as readWire } from '../../src/wire.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'
import { inMemory } from './disk.js'
import { notPrinted, printed, quotations } from './quoted.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = fs.readFileSync(path.join(root, 'docs/Traces.md'), 'utf8')
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? ''

let directory = ''
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-traces-'))
})
afterAll(() => {
  fs.rmSync(directory, { recursive: true, force: true })
})

/** Plain Python in a directory of its own, with the writer within reach. */
const python = (program: string, ...words: ReadonlyArray<string>): string => {
  const ran = spawnSync('python3', ['-c', program, ...words], {
    cwd: directory,
    encoding: 'utf8',
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: `${root}python:${root}proofs-by-test/oracle/traces`,
    },
  })
  expect(ran.stderr).toBe('')
  return ran.stdout
}
const written = (file: string): Uint8Array => new Uint8Array(fs.readFileSync(path.join(directory, file)))
const judged = (file: string): Verdict => right(judgeTrace(file, written(file), defaults))
const text = (lines: ReadonlyArray<string>): Uint8Array => new TextEncoder().encode(`${lines.join('\n')}\n`)

describe('the run of the page', () => {
  const use = "    consumer.at('use', k).read(smem[0:256])\n"
  const release = "    if k < 1:\n        consumer.at('release', k).arrive(empty)\n"
  const lines = block('jsonl').trimEnd().split('\n')
  test('its Python writes its lines', () => {
    python(block('python'))
    expect(new TextDecoder().decode(written('run.jsonl'))).toBe(block('jsonl'))
    expect(lines.length).toBe(29)
  })
  test('they are what this library would write of them, footprints aside', () => {
    const trace = right(decodeTrace(lines))
    const again = encodeTrace(trace.header, trace.events)
    expect(right(decodeTrace(again)).header).toEqual(trace.header)
    const bare = (line: string): unknown => {
      const event: object = JSON.parse(line)
      return { ...event, footprint: undefined }
    }
    expect(again.slice(1).map(bare)).toEqual(lines.slice(1).map(bare))
  })
  test('every command prints what stands below it', async () => {
    expect(block('python')).toContain(use + release)
    python(
      block('python')
        .replace(use + release, release + use)
        .replace('run.jsonl', 'early.jsonl'),
    )
    const disk = new Map([
      ['run.jsonl', text(lines)],
      ['early.jsonl', written('early.jsonl')],
      ['cut.jsonl', text(lines.slice(0, 25))],
      ['back.jsonl', text(lines.map((line) => line.replace('"at":7', '"at":1')))],
    ])
    const quotes = quotations(page)
    expect(quotes.map(({ argv }) => argv)).toEqual([...disk.keys()].map((file) => `check ${file}`))
    const statuses = []
    for (const { argv, quoted } of quotes) {
      const ran = await printed(argv, inMemory(disk))
      expect([argv, notPrinted(quoted, `${ran.stdout}${ran.stderr}`)]).toEqual([argv, null])
      statuses.push(ran.status)
    }
    expect(statuses).toEqual([0, 1, 3, 2])
  })
})

describe('the tables of the page', () => {
  /** Words in backticks at the beginning of the rows of the table whose head begins with a word. */
  const firsts = (head: string): ReadonlyArray<string> => {
    const table = page.slice(page.indexOf(`| \`${head}\``)).split('\n\n')[0]!
    return table
      .split('\n')
      .slice(2)
      .map((row) => /^\| `(\w+)`/.exec(row)?.[1] ?? row)
  }
  const tags = JSON.stringify(lineWire.definitions(new Set()).get('TraceEvent')).matchAll(
    /"_tag":\{"description":"[^"]*","(?:const":"(\w+)"|enum":\["(\w+)","(\w+)"\])/g,
  )
  it('every kind of event is there, and no other', () => {
    const known = [...tags].flatMap((m) => m.slice(1).filter((word) => word !== undefined))
    const named = firsts('_tag')
    expect(new Set(named).size).toBe(named.length)
    expect(
      new Set(
        known.filter(
          (word) =>
            ![
              ...['view', 'scatter', 'spans', 'value', 'zero', 'other', 'bytes', 'TransformedRef'],
              ...['add', 'multiply', 'multiplyAdd', 'matrices'],
            ].includes(word),
        ),
      ),
    ).toEqual(new Set(named))
  })
  it('every unit is there, and no other', () => {
    expect(new Set(firsts('unit'))).toEqual(new Set(Object.keys(units)))
  })
})

// ---------------------------------------------------------------- the writer

/** Every method of the writer once, in no sensible order: what is asked here is the form of its lines. */
const everything = String.raw`
from tcspec.traces import Trace
t = Trace('all', arch='sm100a', ctas=2, resident=1, clusters=3, nondeterminism=['a test'])
x = t.tensor('x', [4, 8, 16], 'bf16')
o = t.tensor('o', [4, 8], 'f32', strides=[16, 1], output=True)
s, s1, tm = t.shared(4096), t.shared(4096, cta=1), t.tensor_memory()
b = t.barrier('b', s, 8, orders_tensor_core=True)
p, c, child = t.agent('p', warps=4, first_warp=0), t.agent('c', cta=1), t.agent('child', starts=False)
r = t.memory('regs', 'acc', 1024, agent=p.index)
p.init(b, 2).expect(b, 16).expect_arrive(b, 16).arrive(b, 1, tensor=True).arrive(b, release=False, scope='cluster')
p.at('w', 0, path=['loop']).wait(b, 0).wait(b, 1, 'tested', acquire=False).inval(b)
for kind in ['proxyAsync', 'tensormap', 'tensormapAcquire', 'mbarrierInit', 'wgmma', 'tensorBefore', 'tensorAfter']:
    p.fence(kind)
p.meet_arrive(1, 128).meet_leave(1, 128, relaxed=True).meet_blocked(1, 128)
p.semaphore('signal', x[0:4], 1, 0).semaphore('wait', x[0:4], 1, 1, decrement=True)
p.commit('bulk').wait_group('bulk', 1, read=True)
v = c.read(x.rows(0, 32, 4, 256))
c.write(s1[0:128].of('f16'), origin=v).write(s1[128:256], origin=0.0).write(s1[256:512])
for unit in ['cpAsync', 'wgmma', 'tcgen05', 'tcgen05Ld', 'tcgen05St', 'stAsync', 'clc']:
    p.issue(unit, 64, macs=8, accumulates=True).perform('all', reads=[(s[0:64], 'a'), tm[0:64]], writes=[(r[0:64], 'accumulator')])
p.store(64).perform('read', reads=[s[0:64]]).done('bulk', 'read').perform('write', writes=[x[0:64]]).done('bulk')
p.load(64).perform('write', part=1).signal(b, 64, part=1)
p.issue('tcgen05', signals=1, tensor='commit', ctaGroup=2).arrive(b)
p.alloc(tm[0:512], ctaGroup=2).dealloc(tm[0:512]).relinquish().registers(40, -100, 0).fork([child]).join([child])
p.exit()
t.cluster(1)
p.at('again').fence('wgmma')
p.issue('wgmma')
t.write('all.jsonl')
for wrong in [lambda: s[0:5000], lambda: s[8:8], lambda: x.rows(0, 32, 100, 256), lambda: s[0:8:2], lambda: s.rows(0, 32, 2, 16)]:
    try:
        wrong()
        print('taken')
    except ValueError as e:
        assert 'expected' in str(e) and 'found' in str(e)
`
test('the writer: every line is of its form, and a second wave counts anew', () => {
  expect(python(everything)).toBe('')
  const [header, ...lines] = [...linesOf(written('all.jsonl'))].map((line): unknown => JSON.parse(line))
  right(readWire(headerWire)(header))
  const events = lines.map((line) => right(readWire(lineWire)(line)))
  expect(events.map((e) => e.i)).toEqual(events.map((_, k) => k))
  const tags = new Set(events.map((e) => e._tag))
  expect(tags.size).toBe(18)
  expect(tags.has('ahead')).toBe(false)
  expect(events.slice(-2)).toMatchObject([{ stamp: { at: 1 } }, { operation: 0, stamp: { at: 2 } }])
  expect(header).toMatchObject({
    tensors: [{ strides: [128, 16, 1] }, { strides: [16, 1] }],
    planes: [{ bytes: 1024 }, { bytes: 4 * 56 }, {}, {}, {}, { agent: 0 }],
  })
})

// ---------------------------------------------------------------- a simulator of somebody else's

const kernels = {
  right: [
    'wait empty      wait full',
    'expect          read',
    'copy            store',
    '                release',
  ],
  early: [
    'wait empty      wait full',
    'expect          release',
    'copy            read',
    '                store',
  ],
  greedy: [
    'expect          wait full',
    'copy            read',
    '                store',
    '                release',
  ],
}
const driver = `
import json, sys
from ring_simulator import Ring
kernels = json.loads(sys.argv[1])
said = {}
for name, rows in kernels.items():
    for seed in range(int(sys.argv[2])):
        columns = {'producer': [], 'consumer': []}
        for number, row in enumerate(rows, 1):
            for who, statement in zip(columns, (row[:16].strip(), row[16:].strip())):
                if statement:
                    columns[who].append((number, statement))
        ring = Ring(columns, name)
        said['%s.%d' % (name, seed)] = ring.run(seed)
        ring.trace.write('%s.%d.jsonl' % (name, seed))
print(json.dumps(said))
`
describe('a simulator of somebody else’s, with a line wherever something happens', () => {
  const seeds = nightly ? 100 : 3
  const stored = 'stored: [10, 20, 30, 40, 50]'
  const each = (name: string): ReadonlyArray<string> =>
    Array.from({ length: seeds }, (_, k) => `${name}.${String(k)}`)
  let said: Readonly<Record<string, string>> = {}
  beforeAll(() => {
    said = JSON.parse(python(driver, JSON.stringify(kernels), String(seeds)))
  })
  /** Labels of the two statements that each finding of a race is about. */
  const pairs = (v: Verdict): ReadonlyArray<string> =>
    v.findings.flatMap((f) => (f.id === 'W1' ? [JSON.stringify(f)] : []))
  test('the right kernel is right in every run, and what it computes is proved', () => {
    for (const name of each('right')) {
      const v = judged(`${name}.jsonl`)
      expect([said[name], v.verdict, v.findings]).toEqual([stored, 'ok', []])
      expect(v.provenance?.text).toContain('out = x for all inputs')
    }
  })
  test('a slot that is released before it is read is found in every run, though most of them store what is right', () => {
    for (const name of each('early')) {
      const v = judged(`${name}.jsonl`)
      expect([name, v.verdict]).toEqual([name, 'hazard'])
      const about = pairs(v)[0] ?? ''
      expect(about).toContain('line 3: read')
      expect(about).toContain('line 3: copy')
    }
    expect(each('early').filter((name) => said[name] === stored).length).toBeGreaterThan(seeds / 2)
  })
  test('a producer that waits for no slot is never called right, and its copies are named', () => {
    for (const name of each('greedy')) {
      const v = judged(`${name}.jsonl`)
      expect(['hazard', 'undecided', 'deadlock', 'wrong-result']).toContain(v.verdict)
      expect(pairs(v).some((about) => about.includes('line 2: copy'))).toBe(true)
    }
  })
  test('a trace without its exits is undecided', () => {
    const lines = [...linesOf(written('right.0.jsonl'))].filter((line) => !line.includes('"exit"'))
    const v = judgeTrace(
      'x.jsonl',
      text(lines.map((l, k) => l.replace(/^\{"i":\d+/, `{"i":${String(k - 1)}`))),
      defaults,
    )
    expect(E.isRight(v) && v.right.verdict).toBe('undecided')
  })
})
