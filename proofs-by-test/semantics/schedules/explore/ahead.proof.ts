/** Lanes that part, where a search of states decides. Oracle: the same search of the same threads, each in a warp of its own. */
import { expect, test } from 'vitest'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { verdictOf } from '../outcomes/equals.js'
import { raise, type Lines } from '../outcomes/parted.js'

interface Kernel {
  readonly ctas: number
  /** what the threads of each CTA do, the first two of which are two lanes of a warp, or warps */
  readonly threads: ReadonlyArray<Lines>
  /** arrivals that a generation of a1 has; 1 if it is left out */
  readonly count?: number
}

const verdictAs = (how: 'lanes' | 'warps', { ctas, threads, count = 1 }: Kernel): Verdict => {
  const numberOf = (k: number): number => (how === 'warps' ? 32 * k : k < 2 ? k : 32 * (k - 1))
  const lines = [
    '.shared .align 8 .b64 a0;',
    '.shared .align 8 .b64 a1;',
    'mov.u32 %r30, %tid.x;',
    'setp.ne.u32 %p6, %r30, 0;',
    '@%p6 bra BEGUN;',
    'mbarrier.init.shared.b64 [a0], 1;',
    `mbarrier.init.shared.b64 [a1], ${String(count)};`,
    'BEGUN:',
    'bar.sync 0;',
    ...threads.flatMap((_, k) => [
      `setp.eq.u32 %p6, %r30, ${String(numberOf(k))};`,
      `@%p6 bra THREAD${String(k)};`,
    ]),
    'bra DONE;',
    ...threads.flatMap((own, k) => [`THREAD${String(k)}:`, ...own, 'bra DONE;']),
  ]
  const kernel = { ctas, threads: 32 * threads.length, fuel: 2_000, lines, blank: false }
  return verdictOf(kernel, how === 'warps', Infinity, how === 'warps')
}

const arrive = (b: string): string => `mbarrier.arrive.shared.b64 %rd12, [${b}];`
const asks = (b: string): string => `mbarrier.test_wait.parity.shared.b64 %p5, [${b}], 0;`
const waitFor = (b: string, name: string): Lines => [`${name}:`, asks(b), `@!%p5 bra ${name};`]
const early = '@!%p5 st.global.u32 [%rd2+64], 1;'
const other: Lines = ['st.global.u32 [%rd2+64], 2;']
const finds = (word: number, into: string): Lines => [
  `atom.relaxed.gpu.global.or.b32 %r9, [%rd1+${String(4 * word)}], 0;`,
  `setp.eq.u32 ${into}, %r9, 1;`,
]
// of three generations any may be over when it is asked, so that no run decides
const around = (b: string, name: string): Lines => [
  `${name}:`,
  'ld.param.u64 %rd20, [a];',
  asks(b),
  `@!%p5 bra ${name};`,
]
const late = [Array.from({ length: 3 }, () => arrive('a0')), waitFor('a0', 'LATE')]

test.each<readonly [string, Kernel, Verdict['verdict'], Verdict['verdict']]>([
  [
    'A2 a lane may ask before the other has arrived, and races then',
    { ctas: 1, threads: [[arrive('a0')], [asks('a0'), early], other] },
    'undecided',
    'hazard',
  ],
  [
    'A2 another warp may find what the second lane stores and not what the first does, where generations may mix',
    {
      ctas: 1,
      threads: [
        [raise(0)],
        [raise(1)],
        [...finds(1, '%p4'), '@!%p4 bra DONE;', ...finds(0, '%p5'), early],
        other,
        ...late,
      ],
    },
    'undecided',
    'hazard',
  ],
  [
    'A2 a lane that waits asks once more when the other has arrived',
    {
      ctas: 1,
      threads: [[arrive('a0')], [...waitFor('a0', 'W'), 'st.global.u32 [%rd2], 1;'], [asks('a1')]],
    },
    'ok',
    'ok',
  ],
  [
    'A2 what a lane asks for is of lanes and warps that do something else',
    { ctas: 1, threads: [[arrive('a0')], [asks('a1'), early], [asks('a0')]] },
    'ok',
    'ok',
  ],
  [
    'A2 two lanes arrive, and neither ends what a warp waits for by itself',
    {
      ctas: 1,
      count: 2,
      threads: [
        ['st.global.u32 [%rd2], 1;', arrive('a1')],
        ['st.global.u32 [%rd2+4], 1;', arrive('a1')],
        [...waitFor('a1', 'W'), 'ld.global.u32 %r9, [%rd2];', 'ld.global.u32 %r9, [%rd2+4];'],
        ...late,
      ],
    },
    'ok',
    'ok',
  ],
  [
    'A2 a generation of one arrival ends by either lane, and a warp that finds it over may come before the other',
    {
      ctas: 1,
      threads: [
        [...other, arrive('a1')],
        [arrive('a1')],
        [asks('a1'), '@%p5 ld.global.u32 %r9, [%rd2+64];'],
        ...late,
      ],
    },
    'undecided',
    'hazard',
  ],
  [
    'A2 a lane that asks early goes round another loop for ever',
    {
      ctas: 1,
      threads: [[arrive('a0')], [asks('a0'), '@%p5 bra DONE;', ...around('a1', 'W')], [asks('a0')]],
    },
    'undecided',
    'deadlock',
  ],
  [
    'A2 what a lane does is no matter to itself',
    { ctas: 1, threads: [['st.global.u32 [%rd2], 1;'], [arrive('a0'), arrive('a0')], [asks('a1')]] },
    'ok',
    'ok',
  ],
  [
    'A3 the lane that is overtaken does nothing that others see',
    { ctas: 1, threads: [['fence.proxy.async;'], [asks('a0'), early], [arrive('a0'), asks('a0')]] },
    'ok',
    'ok',
  ],
  [
    'A3 the lane that is overtaken does so later',
    { ctas: 1, threads: [['fence.proxy.async;', arrive('a0')], [asks('a0'), early], other] },
    'undecided',
    'hazard',
  ],
])('%s', (_, kernel, lanes, warps) => {
  expect(verdictAs('lanes', kernel).verdict).toBe(lanes)
  expect(verdictAs('warps', kernel).verdict).toBe(warps)
})
