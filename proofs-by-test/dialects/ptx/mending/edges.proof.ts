/** Missing edges in PTX. Oracle: for each kind of edge the texts that may have it, written by hand: what is added, and the line that it stands after. */
import { describe, expect, test } from 'vitest'
import { parseModule, printModule, type Module } from '../../../../src/dialects/ptx/index.js'
import { edgesIn, type Anchor } from '../../../../src/dialects/ptx/mending/edges.js'
import type { MissingEdge } from '../../../../src/semantics/judging/finding.js'
import { right } from '../../../either.js'

// ---------------------------------------------------------------- texts

const head = '.version 8.7\n.target sm_90a\n.address_size 64\n'
const words = (text: string): ReadonlyArray<string> =>
  text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/gu, ' '))
    .filter((line) => line !== '')
const moduleOf = (text: string): Module => right(parseModule(`${head}${text}`))

/** An instruction of a text by the words that it begins with; `n`: which of them. */
const anchor = (m: Module, start: string, n = 0): Anchor => {
  const found: Anchor[] = []
  const visit = (body: ReadonlyArray<unknown>): void => {
    for (const s of body as ReadonlyArray<{ _tag: string; body?: ReadonlyArray<unknown> }>) {
      if (s._tag === 'scope') visit(s.body!)
      const i = s as unknown as { opcode: string; at: { line: number; column: number } }
      if (s._tag === 'instruction' && i.opcode.startsWith(start))
        found.push({ line: i.at.line, column: i.at.column, opcode: i.opcode, label: start })
    }
  }
  for (const item of m.items) if (item._tag === 'function') visit(item.body ?? [])
  return found[n]!
}

/** What a text has that another one has not, each after the line that it follows: `line => new / new`. Lines of the old text stay, in their order. */
const addedTo = (before: string, after: string): string => {
  const [old, now] = [words(before), words(after)]
  const out: string[] = []
  let k = 0
  let run: string[] = []
  const close = (): void => {
    if (run.length > 0) out.push(`${old[k - 1]!} => ${run.join(' / ')}`)
    run = []
  }
  for (const line of now)
    if (line === old[k]) {
      close()
      k++
    } else run.push(line)
  close()
  expect(k).toBe(old.length)
  return out.join(' & ')
}

const missing = (kind: MissingEdge['kind'], more: Partial<MissingEdge> = {}): MissingEdge => ({
  kind,
  text: '',
  ...more,
})

interface Made {
  readonly text: string
  readonly said: string
}
const made = (m: Module, edge: MissingEdge, a: Anchor, b: Anchor | null): ReadonlyArray<Made> =>
  [...edgesIn(m, edge, a, b)].map(({ module, added }) => ({
    text: addedTo(printModule(m), printModule(module)),
    said: added.map(({ statement, where }) => `${statement}; ${where}`).join(' & '),
  }))

const text = `.entry k() {
.reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
.shared .align 8 .b64 full[2];
.shared .align 8 .b64 done;
.shared .align 4 .b32 buf[8];
$A:
@%p1 bra $B;
$E:
st.shared.b32 [buf], %r1;
mbarrier.arrive.shared::cta.b64 _, [%r7];
$B:
$C:
$D:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r8+8], %r3;
ld.shared.b32 %r2, [buf];
$Z:
ret;
}
`
const m = moduleOf(text)
const st = anchor(m, 'st.')
const ld = anchor(m, 'ld.')

const at = {
  st: 'st.shared.b32 [buf], %r1;',
  wait: 'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r8+8], %r3;',
}
const afterIt = (statement: string): Made => ({
  text: `${at.st} => ${statement};`,
  said: `${statement}; after \`st.\``,
})
const aheadOfIt = (statement: string): Made => ({
  text: `${at.wait} => ${statement};`,
  said: `${statement}; before \`ld.\``,
})
const atLabel = (statement: string, label: string, side: 'after `st.`' | 'before `ld.`'): Made => ({
  text: `${label}: => ${statement};`,
  said: `${statement}; ${side}, at the label ${label}`,
})
const onBoth = (statement: string): Made => ({
  text: `${at.st} => ${statement}; & ${at.wait} => ${statement};`,
  said: `${statement}; after \`st.\` & ${statement}; before \`ld.\``,
})
const ahead = (statement: string): ReadonlyArray<Made> => [
  aheadOfIt(statement),
  atLabel(statement, '$D', 'before `ld.`'),
  atLabel(statement, '$C', 'before `ld.`'),
]
const after = (statement: string): ReadonlyArray<Made> => [
  afterIt(statement),
  atLabel(statement, '$B', 'after `st.`'),
  atLabel(statement, '$C', 'after `st.`'),
]

// ---------------------------------------------------------------- statements and places

describe('fences', () => {
  // most are wanted where the second access is; a fence of a proxy where the first one is
  test.each([
    ['global', 'fence.proxy.async.global'],
    ['wgmma', 'wgmma.fence.sync.aligned'],
    ['tensorBefore', 'tcgen05.fence::before_thread_sync'],
    ['tensorAfter', 'tcgen05.fence::after_thread_sync'],
    ['mapRelease', 'fence.proxy.tensormap::generic.release.gpu'],
    ['mbarrierInit', 'fence.mbarrier_init.release.cluster'],
  ] as const)('%s: %s, before the second, after the first, at both', (fence, statement) => {
    expect(made(m, missing('fence', { fence }), st, ld)).toEqual([
      ...ahead(statement),
      ...after(statement),
      onBoth(statement),
    ])
  })
  test('of shared memory: where the first access is, first', () => {
    const statement = 'fence.proxy.async.shared::cta'
    expect(made(m, missing('fence', { fence: 'shared' }), st, ld)).toEqual([
      ...after(statement),
      ...ahead(statement),
      onBoth(statement),
    ])
  })
  test('of threads: both sides first, and not again at the end', () => {
    const statement = 'fence.acq_rel.gpu'
    expect(made(m, missing('fence', { fence: 'threads' }), st, ld)).toEqual([
      onBoth(statement),
      ...ahead(statement),
      ...after(statement),
    ])
  })
  test('one without a name is none', () => {
    expect(made(m, missing('fence'), st, ld)).toEqual([])
  })
  const tensors = `.entry k(.param .align 64 .b8 map[128]) {
.reg .b32 %r<9>; .reg .b64 %rd<9>;
st.shared.b32 [%r1], %r2;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];
ld.shared.b32 %r4, [%r1];
ret;
}
`
  test('the acquire of a tensor map names the map of the second instruction', () => {
    const t = moduleOf(tensors)
    const [first, copy, load] = [anchor(t, 'st.'), anchor(t, 'cp.'), anchor(t, 'ld.')]
    const fence = missing('fence', { fence: 'mapAcquire' })
    const statement = 'fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128'
    expect(made(t, fence, first, copy).map(({ said }) => said)).toEqual([
      `${statement}; before \`cp.\``,
      `${statement}; after \`st.\``,
      `${statement}; after \`st.\` & ${statement}; before \`cp.\``,
    ])
    // none where the second one has no map, is not in the text, or is not there
    expect(made(t, fence, first, load)).toEqual([])
    expect(made(t, fence, first, { ...copy, column: copy.column + 1 })).toEqual([])
    expect(made(t, fence, first, null)).toEqual([])
  })
})

describe('threads', () => {
  test('of one warp: a meeting of the warp, then one of the CTA', () => {
    const all = made(m, missing('warp-sync'), st, ld).map(({ said }) => said)
    expect(all).toHaveLength(14)
    expect(all.slice(0, 7).every((s) => s.startsWith('bar.warp.sync 4294967295; '))).toBe(true)
    expect(all.slice(7).every((s) => s.startsWith('bar.sync 0; '))).toBe(true)
  })
  test('of a CTA: a barrier', () => {
    expect(made(m, missing('arrive-wait'), st, ld)).toEqual([
      ...ahead('bar.sync 0'),
      ...after('bar.sync 0'),
      onBoth('bar.sync 0'),
    ])
  })
  test.each(['bytes', 'none-found'] as const)('%s is no statement', (kind) => {
    expect(made(m, missing(kind), st, ld)).toEqual([])
    expect(made(m, missing(kind), st, null)).toEqual([])
  })
})

describe('groups', () => {
  const first = (more: Partial<MissingEdge>): ReadonlyArray<string> => [
    ...new Set(made(m, missing('group-wait', more), st, null).map(({ text: t }) => t.split(' => ')[1]!)),
  ]
  test.each([
    [
      'bulk',
      [
        'cp.async.bulk.wait_group.read 0;',
        'cp.async.bulk.wait_group 0;',
        'cp.async.bulk.commit_group; / cp.async.bulk.wait_group.read 0;',
        'cp.async.bulk.commit_group; / cp.async.bulk.wait_group 0;',
      ],
    ],
    [
      'wgmma',
      [
        'wgmma.wait_group.sync.aligned 0;',
        'wgmma.commit_group.sync.aligned; / wgmma.wait_group.sync.aligned 0;',
      ],
    ],
    ['cpAsync', ['cp.async.wait_all;', 'cp.async.commit_group; / cp.async.wait_all;']],
    ['tcgen05Ld', ['tcgen05.wait::ld.sync.aligned;']],
    ['tcgen05St', ['tcgen05.wait::st.sync.aligned;']],
  ] as const)('%s', (family, statements) => {
    expect(first({ family })).toEqual(statements)
    expect(first({ family, lacks: 'both' })).toEqual(statements)
  })
  test('the commit alone, where a family has one', () => {
    const commits = ['bulk', 'wgmma', 'cpAsync', 'tcgen05Ld', 'tcgen05St'] as const
    expect(commits.map((family) => first({ family, lacks: 'commit' }))).toEqual([
      ['cp.async.bulk.commit_group;'],
      ['wgmma.commit_group.sync.aligned;'],
      ['cp.async.commit_group;'],
      [],
      [],
    ])
    expect(first({})).toEqual([])
  })
})

describe('mbarriers', () => {
  const loop = (address: string, parity: string): string =>
    [
      '{',
      '.reg .pred %mended;',
      '$mended:',
      `mbarrier.try_wait.parity.shared::cta.b64 %mended, [${address}], ${parity};`,
      '@!%mended bra $mended;',
      '}',
    ].join(' / ')
  // named words of 64 bits first, then registers, those of a wait first
  const addresses = ['full', 'full+8', 'done', '%r8+8', '%r7']
  test('a wait: a loop right before the second, for each mbarrier with each parity', () => {
    expect(made(m, missing('wait'), st, ld)).toEqual(
      addresses.flatMap((address) =>
        ['0', '1', '%r3'].map((parity): Made => ({
          text: `${at.wait} => ${loop(address, parity)}`,
          said: `mbarrier.try_wait.parity.shared::cta.b64 p, [${address}], ${parity} until p; before \`ld.\``,
        })),
      ),
    )
  })
  test('an arrival, on each of them; none where it is there and would have to move', () => {
    const all = made(m, missing('arrive'), st, ld)
    expect(all.filter((_, k) => k % 7 === 0)).toEqual(
      addresses.map((address) => aheadOfIt(`mbarrier.arrive.shared::cta.b64 _, [${address}]`)),
    )
    expect(all).toHaveLength(7 * addresses.length)
    expect(made(m, missing('arrive', { moves: { site: 'x' } }), st, ld)).toEqual([])
  })
  const barriersOf = (declarations: string, uses: string): ReadonlyArray<string> => {
    const t = moduleOf(
      `${declarations}\n.entry k() {\n.reg .pred %p<2>; .reg .b32 %r<20>;\nst.shared.b32 [%r1], %r1;\n${uses}\nld.shared.b32 %r2, [%r1];\nret;\n}\n`,
    )
    return [
      ...new Set(
        made(t, missing('wait'), anchor(t, 'st.'), anchor(t, 'ld.')).map(
          ({ said }) => /\[(.*?)\]/u.exec(said)![1]!,
        ),
      ),
    ]
  }
  const use = (address: string): string => `mbarrier.arrive.shared::cta.b64 _, [${address}];`
  test('words of shared memory that may be one', () => {
    expect(barriersOf('.shared .b64 a;', use('%r4'))).toEqual(['a', '%r4'])
    expect(barriersOf('.shared .u64 a[2][2];', use('a'))).toEqual(['a', 'a+8', 'a+16', 'a+24'])
    expect(barriersOf('.shared .b32 a;', use('%r4'))).toEqual(['%r4'])
    expect(barriersOf('.shared .s64 a;', use('%r4'))).toEqual(['%r4'])
    expect(barriersOf('.global .b64 a;', use('%r4'))).toEqual(['%r4'])
    expect(barriersOf('.shared .b64 a<2>;', use('%r4'))).toEqual(['%r4'])
    expect(barriersOf('.extern .shared .b64 a[];', use('%r4'))).toEqual(['a', '%r4'])
    // six at most, of all
    expect(barriersOf('.shared .b64 a[9];', use('%r4'))).toEqual([
      'a',
      ...[8, 16, 24, 32, 40].map((k) => `a+${String(k)}`),
    ])
    expect(barriersOf('', [3, 4, 5, 6, 7, 8, 9].map((k) => use(`%r${String(k)}`)).join('\n'))).toHaveLength(6)
    // a text without mbarriers has no place for one
    expect(barriersOf('.shared .b64 a;', '')).toEqual([])
  })
  test('registers with a parity: two at most, each once', () => {
    const wait = (p: string): string => `mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r9], ${p};`
    const paritiesOf = (uses: string): ReadonlyArray<string> => {
      const t = moduleOf(
        `.entry k() {\n.reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %rd<2>;\nst.shared.b32 [%r1], %r1;\n${uses}\nld.shared.b32 %r2, [%r1];\nret;\n}\n`,
      )
      return made(t, missing('wait'), anchor(t, 'st.'), anchor(t, 'ld.')).map(
        ({ said }) => /\], (.*?) until/u.exec(said)![1]!,
      )
    }
    expect(paritiesOf([wait('%r4'), wait('%r4'), wait('1'), wait('%r5'), wait('%r6')].join('\n'))).toEqual([
      '0',
      '1',
      '%r4',
      '%r5',
    ])
    // the state of a phase is no parity
    expect(paritiesOf('mbarrier.test_wait.shared::cta.b64 %p1, [%r9], %rd1;')).toEqual(['0', '1'])
  })
})

describe('places', () => {
  test('between an instruction and the end: right after it, and before every return', () => {
    const t = moduleOf(`.func f() {
.reg .b32 %r<2>;
ret;
}
.entry k() {
.reg .pred %p<2>; .reg .b32 %r<9>;
st.shared.b32 [%r1], %r1;
$L:
{
@%p1 ret;
}
exit;
}
`)
    expect(
      made(t, missing('group-wait', { family: 'tcgen05St' }), anchor(t, 'st.'), null).map(({ said }) => said),
    ).toEqual([
      'tcgen05.wait::st.sync.aligned; after `st.`',
      'tcgen05.wait::st.sync.aligned; before `ret` (line 13) & tcgen05.wait::st.sync.aligned; before `exit` (line 15)',
    ])
  })
  test('law 2: an anchor is its line, its column and its opcode; without one there is no edge', () => {
    for (const wrong of [
      { ...st, line: st.line + 1 },
      { ...st, column: st.column + 1 },
      { ...st, opcode: 'st.shared.b64' },
    ])
      expect(made(m, missing('arrive-wait'), wrong, ld)).toEqual([])
    expect(made(m, missing('arrive-wait'), st, { ...ld, line: 1 })).toEqual([])
  })
  test('law 2: an edge is found again in a text that has one', () => {
    const [one] = [...edgesIn(m, missing('arrive-wait'), st, ld)]
    expect(made(one!.module, missing('arrive-wait'), st, ld)[0]).toEqual({
      text: 'bar.sync 0; => bar.sync 0;',
      said: 'bar.sync 0; before `ld.`',
    })
  })
  test('one place for both sides: what follows the first stands before the second', () => {
    const t = moduleOf('.entry k() {\n.reg .b32 %r<9>;\nst.shared.b32 [%r1], %r1;\nret;\n}\n')
    const both = made(t, missing('arrive-wait'), anchor(t, 'st.'), anchor(t, 'st.')).at(-1)!
    expect(both.said).toBe('bar.sync 0; after `st.` & bar.sync 0; before `st.`')
    expect(both.text).toBe('.reg .b32 %r<9>; => bar.sync 0; & st.shared.b32 [%r1], %r1; => bar.sync 0;')
  })
})
