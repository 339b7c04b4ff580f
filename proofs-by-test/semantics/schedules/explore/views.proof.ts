/**
 * Who sees the last write of which place: the table of views, a row at a time. Of every row one program shows the write and its neighbours, an
 * operation apart, do not. What is expected is worked by hand from the table; the search of skeletons has to say so, too.
 */
import { describe, expect, it } from 'vitest'
import { skeleton } from '../naive/skeletons.js'
import { kindsOf, launchedSkeleton, naiveKinds, naively, searched } from './programs.js'
import { sampled } from '../../../extent.js'

type Row = readonly [what: string, text: string, kinds: string]

const two = 'b0@0:1 b1@0:1 b2@0:1'

const generic: ReadonlyArray<Row> = [
  ['told and heard', `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; rd s0.x`, ''],
  ['not told', `${two} | t@0: wr s0.x; arr #0 ~ | u@0: wait #0 0; rd s0.x`, 'visibility'],
  ['told and not heard', `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0 ~; rd s0.x`, 'visibility'],
  ['its own', ` | t@0: wr s0.x; rd s0.x; wr s0.x; rd s0.x`, ''],
  [
    'told before it is written',
    `${two} | t@0: arr #0; wr s0.x; arr #1 ~ | u@0: wait #0 0; wait #1 0 ~; rd s0.x`,
    'visibility',
  ],
  ['told by a third', `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; arr #1 | v@0: wait #1 0; rd s0.x`, ''],
  [
    'a third that has not heard',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0 ~; arr #1 | v@0: wait #1 0; rd s0.x`,
    'visibility',
  ],
  [
    'two places, one of them told',
    `${two} | t@0: wr s0.x; arr #0; wr s0.y; arr #1 ~ | u@0: wait #0 0; wait #1 0 ~; rd s0.x`,
    '',
  ],
  [
    'two places, the other read',
    `${two} | t@0: wr s0.x; arr #0; wr s0.y; arr #1 ~ | u@0: wait #0 0; wait #1 0 ~; rd s0.y`,
    'visibility',
  ],
]

const async: ReadonlyArray<Row> = [
  ['fenced', ` | t@0: wr s0.x; fen cta; st s0.x > g.z; bc; bw 0 full`, ''],
  ['not fenced', ` | t@0: wr s0.x; st s0.x > g.z; bc; bw 0 full`, 'visibility'],
  ['fenced for global memory', ` | t@0: wr s0.x; fen global; st s0.x > g.z; bc; bw 0 full`, 'visibility'],
  ['fenced before it is written', ` | t@0: fen cta; wr s0.x; st s0.x > g.z; bc; bw 0 full`, 'visibility'],
  [
    'global memory, fenced',
    `${two} | t@0: wr g.z; fen global; arx #0 1; ld g.z > s0.x:#0:1; wait #0 0; rd s0.x`,
    '',
  ],
  [
    'global memory, fenced for shared',
    `${two} | t@0: wr g.z; fen cta; arx #0 1; ld g.z > s0.x:#0:1; wait #0 0; rd s0.x`,
    'visibility',
  ],
  [
    'fenced by who writes',
    `${two} | t@0: wr s0.x; fen cta; arr #0 | u@0: wait #0 0; st s0.x > g.z; bc; bw 0 full`,
    '',
  ],
  [
    'fenced by who reads',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; fen cta; st s0.x > g.z; bc; bw 0 full`,
    '',
  ],
  [
    'fenced by nobody',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
  [
    'fenced by who has not heard',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0 ~; fen cta; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
  [
    'fenced and not told',
    `${two} | t@0: wr s0.x; fen cta; arr #0 ~ | u@0: wait #0 0; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
]

const loads: ReadonlyArray<Row> = [
  ['told by its bytes', `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.x`, ''],
  [
    'told by its bytes to the async proxy',
    `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; st s0.x > g.z; bc; bw 0 full`,
    '',
  ],
  ['not heard', `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0 ~; rd s0.x`, 'visibility'],
  [
    'not heard by the async proxy',
    `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0 ~; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
  [
    'told by bytes, whatever the arrival tells',
    `${two} | t@0: arx #0 1 ~; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.x`,
    '',
  ],
  [
    'its bytes do not tell what its agent has written',
    `${two} | t@0: wr s0.y; arx #0 1 ~; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.y`,
    'visibility',
  ],
  [
    'two of one phase',
    `${two} | t@0: arx #0 2; ld > s0.x:#0:1; ld > s0.y:#0:1 | u@0: wait #0 0; rd s0.x; rd s0.y`,
    '',
  ],
  [
    'two barriers, the other is waited for',
    `${two} | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1; ld > s0.y:#1:1 | u@0: wait #0 0; wait #1 0 ~; rd s0.x`,
    '',
  ],
  [
    'two barriers, one of them heard',
    `${two} | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1; ld > s0.y:#1:1 | u@0: wait #0 0; wait #1 0 ~; rd s0.y`,
    'visibility',
  ],
  [
    'both CTAs, each heard where it is',
    `b@0:1 b@1:1 | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1 s1.x:#1:1; wait #0 0; rd s0.x; rdv c 0,1 ~ | u@1: wait #1 0; rd s1.x; rdv c 0,1 ~`,
    '',
  ],
  [
    'both CTAs, one not heard',
    `b@0:1 b@1:1 | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1 s1.x:#1:1; wait #0 0; rd s0.x; rdv c 0,1 ~ | u@1: wait #1 0 ~; rd s1.x; rdv c 0,1 ~`,
    'visibility',
  ],
]

const stores: ReadonlyArray<Row> = [
  ['waited for', ` | t@0: st s0.x > g.z; bc; bw 0 full; rd g.z`, ''],
  ['its reads waited for', ` | t@0: st s0.x > g.z; bc; bw 0 read; rd g.z; bw 0 full`, 'race visibility'],
  ['not committed', ` | t@0: st s0.x > g.z; bw 0 full; rd g.z; bc; bw 0 full`, 'race visibility'],
  [
    'waited for, by the async proxy',
    `${two} | t@0: st s0.x > g.z; bc; bw 0 full; arx #0 1; ld g.z > s0.y:#0:1; wait #0 0; rd s0.y`,
    '',
  ],
  [
    'the older of two groups',
    ` | t@0: st s0.x > g.z; bc; st s0.x > g.w; bc; bw 1 full; rd g.z; bw 0 full`,
    '',
  ],
  [
    'the newer of two groups',
    ` | t@0: st s0.x > g.z; bc; st s0.x > g.w; bc; bw 1 full; rd g.w; bw 0 full`,
    'race visibility',
  ],
  [
    'groups of another family do not count',
    ` | t@0: st s0.x > g.z; bc; cp > s0.y; cc; bw 1 full; rd g.z; bw 0 full; cw 0`,
    'race visibility',
  ],
  ['two of one group', ` | t@0: st s0.x > g.z; st s0.x > g.w; bc; bw 0 full; rd g.z; rd g.w`, ''],
  ['waited for and told', `${two} | t@0: st s0.x > g.z; bc; bw 0 full; arr #0 | u@0: wait #0 0; rd g.z`, ''],
  [
    'waited for and not told',
    `${two} | t@0: st s0.x > g.z; bc; bw 0 full; arr #0 ~ | u@0: wait #0 0; rd g.z`,
    'visibility',
  ],
  [
    'the group of another',
    `${two} | t@0: st s0.x > g.z; bc; arr #0 ~; bw 0 full | u@0: wait #0 0; bc; bw 0 full; rd g.z`,
    'race visibility',
  ],
  ['its source is free', ` | t@0: st s0.x > g.z; bc; bw 0 read; wr s0.x; bw 0 full`, ''],
  ['its source is not free', ` | t@0: st s0.x > g.z; bc; wr s0.x; bw 0 full`, 'race visibility'],
]

const copies: ReadonlyArray<Row> = [
  ['waited for', ` | t@0: cp > s0.x; cc; cw 0; rd s0.x`, ''],
  ['not waited for', ` | t@0: cp > s0.x; cc; rd s0.x; cw 0`, 'race visibility'],
  ['the older of two groups', ` | t@0: cp > s0.x; cc; cp > s0.y; cc; cw 1; rd s0.x; cw 0`, ''],
  ['the newer of two groups', ` | t@0: cp > s0.x; cc; cp > s0.y; cc; cw 1; rd s0.y; cw 0`, 'race visibility'],
  ['waited for and told', `${two} | t@0: cp > s0.x; cc; cw 0; arr #0 | u@0: wait #0 0; rd s0.x`, ''],
  [
    'told before it is waited for',
    `${two} | t@0: cp > s0.x; cc; arr #0; cw 0; arr #1 ~ | u@0: wait #0 0; wait #1 0 ~; rd s0.x`,
    'visibility',
  ],
  [
    'waited for, and the async proxy',
    ` | t@0: cp > s0.x; cc; cw 0; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
  [
    'waited for, fenced, and the async proxy',
    ` | t@0: cp > s0.x; cc; cw 0; fen cta; st s0.x > g.z; bc; bw 0 full`,
    '',
  ],
  ['its arrival tells it', `${two} | t@0: cp > s0.x; ca #0 | u@0: wait #0 0; rd s0.x`, ''],
  [
    'its arrival tells both',
    `${two} | t@0: cp > s0.x; cp > s0.y; ca #0 | u@0: wait #0 0; rd s0.x; rd s0.y`,
    '',
  ],
  ['its arrival tells its own agent', `${two} | t@0: cp > s0.x; ca #0; wait #0 0; rd s0.x`, ''],
  ['its arrival, not heard', `${two} | t@0: cp > s0.x; ca #0 | u@0: wait #0 0 ~; rd s0.x`, 'visibility'],
  [
    'its arrival tells nothing to the async proxy',
    `${two} | t@0: cp > s0.x; ca #0 | u@0: wait #0 0; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
  [
    'an arrival of copies does not tell what its agent has written',
    `${two} | t@0: wr s0.y; cp > s0.x; ca #0 | u@0: wait #0 0; rd s0.y`,
    'visibility',
  ],
  [
    'an arrival of copies tells those waited for before',
    `${two} | t@0: cp > s0.y; cc; cw 0; cp > s0.x; ca #0 | u@0: wait #0 0; rd s0.y; rd s0.x`,
    '',
  ],
  [
    'an arrival of copies tells those landed and not waited for',
    `${two} | t@0: cp > s0.y; ca #0; cc; wait #0 0 ~; ca #1; cw 0 | u@0: wait #1 0; rd s0.y`,
    '',
  ],
  [
    'an arrival of copies does not tell later ones',
    `${two} | t@0: cp > s0.x; ca #0; cp > s0.y; cc; cw 0; arr #1 ~ | u@0: wait #0 0; wait #1 0 ~; rd s0.y`,
    'visibility',
  ],
  [
    'an arrival of copies, waiting for its own, does not tell those of others',
    `${two} | t@0: cp > s0.x; cc; cw 0; arr #1 ~ | v@0: cp > s0.y; ca #0 | u@0: wait #0 0; wait #1 0 ~; rd s0.x`,
    'visibility',
  ],
  [
    'an arrival of copies does not tell those of others',
    `${two} | t@0: cp > s0.x; cc; cw 0; arr #1 ~ | v@0: wait #1 0 ~; ca #0 | u@0: wait #0 0; rd s0.x`,
    'visibility',
  ],
  [
    'overwritten before its group is waited for',
    `${two} | t@0: cp > s0.x; ca #0; cc; wait #1 0 ~; cw 0; rd s0.x | u@0: wait #0 0; wr s0.x; arr #1 ~`,
    'visibility',
  ],
  [
    'overwritten and told',
    `${two} | t@0: cp > s0.x; ca #0; cc; wait #1 0; cw 0; rd s0.x | u@0: wait #0 0; wr s0.x; arr #1`,
    '',
  ],
]

const products: ReadonlyArray<Row> = [
  ['waited for', ` | t@0: wg s0.x > r0.a; wc; ww 0; rd r0.a`, ''],
  ['not waited for', ` | t@0: wg s0.x > r0.a; wc; rd r0.a; ww 0`, 'race'],
  ['one after another into one accumulator', ` | t@0: wg s0.x > r0.a; wg s0.x > r0.a; wc; ww 0; rd r0.a`, ''],
  ['operands fenced', ` | t@0: wr s0.x; fen cta; wg s0.x > r0.a; wc; ww 0`, ''],
  ['operands not fenced', ` | t@0: wr s0.x; wg s0.x > r0.a; wc; ww 0`, 'visibility'],
  ['the older of two groups', ` | t@0: wg s0.x > r0.a; wc; wg s0.x > r0.b; wc; ww 1; rd r0.a; ww 0`, ''],
  ['the newer of two groups', ` | t@0: wg s0.x > r0.a; wc; wg s0.x > r0.b; wc; ww 1; rd r0.b; ww 0`, 'race'],
  [
    'operands of a load',
    `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; wg s0.x > r1.a; wc; ww 0; rd r1.a`,
    '',
  ],
  ['operands free once it is waited for', ` | t@0: wg s0.x > r0.a; wc; ww 0; wr s0.x`, ''],
  ['operands not free before', ` | t@0: wg s0.x > r0.a; wc; wr s0.x; ww 0`, 'race visibility'],
]

const end = 'dea t0.y'
const tensor: ReadonlyArray<Row> = [
  ['stored and waited for', ` | t@0: tst t0.y; wst; tld t0.y; wld; ${end}`, ''],
  ['stored and not waited for', ` | t@0: tst t0.y; tld t0.y; wst; wld; ${end}`, 'race visibility'],
  [
    'stored, published, told, heard, received',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: wait #0 0; aft; tld t0.y; wld; arr #1`,
    '',
  ],
  [
    'not published',
    `${two} | t@0: tst t0.y; wst; arr #0; wait #1 0; ${end} | u@0: wait #0 0; aft; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'not received',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: wait #0 0; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'published before it is waited for',
    `${two} | t@0: tst t0.y; bef; wst; arr #0; wait #1 0; ${end} | u@0: wait #0 0; aft; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'received before it is heard',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: aft; wait #0 0; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'not told',
    `${two} | t@0: tst t0.y; wst; bef; arr #0 ~; wait #1 0; ${end} | u@0: wait #0 0; aft; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'not heard',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: wait #0 0 ~; aft; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'by a barrier of the tensor core',
    `${two} | t@0: tst t0.y; wst; arr #0 ^; wait #1 0; ${end} | u@0: wait #0 0 ^; tld t0.y; wld; arr #1`,
    '',
  ],
  [
    'by a barrier of the tensor core, relaxed',
    `${two} | t@0: tst t0.y; wst; arr #0 ~ ^; wait #1 0; ${end} | u@0: wait #0 0 ^; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'published a second time, what was written since is told',
    `${two} | t@0: bef; tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: wait #0 0; aft; tld t0.y; wld; arr #1`,
    '',
  ],
  [
    'by a named barrier',
    `${two} | t@0: tst t0.y; wst; bef; rdv a 0,1; wait #1 0; ${end} | u@0: rdv a 0,1; aft; tld t0.y; wld; arr #1`,
    '',
  ],
  [
    'by a named barrier, not received',
    `${two} | t@0: tst t0.y; wst; bef; rdv a 0,1; wait #1 0; ${end} | u@0: rdv a 0,1; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'received and handed on',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #2 0; ${end} | u@0: wait #0 0; aft; bef; arr #1 | v@0: wait #1 0; aft; tld t0.y; wld; arr #2`,
    '',
  ],
  [
    'handed on without being received',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #2 0; ${end} | u@0: wait #0 0; bef; arr #1 | v@0: wait #1 0; aft; tld t0.y; wld; arr #2`,
    'visibility',
  ],
]

const queue: ReadonlyArray<Row> = [
  [
    'committed and waited for',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #0 0 ^; tld t0.y; wld; ${end}`,
    '',
  ],
  ['not heard', `${two} | t@0: mma s0.x > t0.y; com #0; wait #0 0 ~ ^; tld t0.y; wld; ${end}`, 'visibility'],
  [
    'heard by another',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #1 0; ${end} | u@0: wait #0 0 ^; tld t0.y; wld; arr #1`,
    '',
  ],
  [
    'not heard by another',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #1 0; ${end} | u@0: wait #0 0 ~ ^; aft; tld t0.y; wld; arr #1`,
    'visibility',
  ],
  [
    'one after another',
    `${two} | t@0: mma s0.x > t0.y; mma s0.x > t0.y; com #0; wait #0 0 ^; tld t0.y; wld; ${end}`,
    '',
  ],
  [
    'handed on',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #0 0 ^; bef; arr #1; wait #2 0; ${end} | u@0: wait #1 0; aft; tld t0.y; wld; arr #2`,
    '',
  ],
  [
    'handed on, not published',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #0 0 ^; arr #1; wait #2 0; ${end} | u@0: wait #1 0; aft; tld t0.y; wld; arr #2`,
    'visibility',
  ],
  [
    'handed on, not received',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #0 0 ^; bef; arr #1; wait #2 0; ${end} | u@0: wait #1 0; tld t0.y; wld; arr #2`,
    'visibility',
  ],
  [
    'its queue is no view of its agent',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #0 0 ~ ^; bef; arr #1; wait #2 0; ${end} | u@0: wait #1 0; aft; tld t0.y; wld; arr #2`,
    'visibility',
  ],
  [
    'after another queue, received',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #2 0; ${end} | u@0: wait #0 0 ^; mma s0.x > t0.y; com #1; wait #1 0 ^; arr #2`,
    '',
  ],
  [
    'after another queue, not heard',
    `${two} | t@0: mma s0.x > t0.y; com #0; wait #2 0; ${end} | u@0: wait #0 0 ~ ^; mma s0.x > t0.y; com #1; wait #1 0 ^; arr #2`,
    'visibility',
  ],
  [
    'a commit does not tell what its agent has written',
    `${two} | t@0: wr s0.z; mma s0.x > t0.y; com #0; wait #1 0; ${end} | u@0: wait #0 0 ^; rd s0.z; arr #1`,
    'visibility',
  ],
  ['operands fenced', `${two} | t@0: wr s0.x; fen cta; mma s0.x > t0.y; com #0; wait #0 0 ^; ${end}`, ''],
  [
    'operands not fenced',
    `${two} | t@0: wr s0.x; mma s0.x > t0.y; com #0; wait #0 0 ^; ${end}`,
    'visibility',
  ],
  [
    'stored first, and waited for',
    `${two} | t@0: tst t0.y; wst; mma s0.x > t0.y; com #0; wait #0 0 ^; ${end}`,
    '',
  ],
  [
    'stored by another',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: wait #0 0; aft; mma s0.x > t0.y; com #2; wait #2 0 ^; arr #1`,
    '',
  ],
  [
    'stored by another, not received',
    `${two} | t@0: tst t0.y; wst; bef; arr #0; wait #1 0; ${end} | u@0: wait #0 0; mma s0.x > t0.y; com #2; wait #2 0 ^; arr #1`,
    'visibility',
  ],
  [
    'a commit in both CTAs',
    `b@0:1 b@1:1 | t@0: mma s0.x > t0.y; com #0,#1; wait #0 0 ^; tld t0.y; wld; ${end}; rdv c 0,1 ~ | u@1: wait #1 0 ^; rdv c 0,1 ~`,
    '',
  ],
]

const overwrites: ReadonlyArray<Row> = [
  [
    'of what a reader has shown to have landed',
    `${two} | p@0: arx #0 1; ld > s0.x:#0:1; wait #1 0 ~; arx #0 1; ld > s0.x:#0:1 | c@0: wait #0 0; rd s0.x; arr #1 ~; wait #0 1; rd s0.x`,
    '',
  ],
  [
    'of what nobody has read',
    `${two} | p@0: arx #0 1; ld > s0.x:#0:1; wait #1 0 ~; arx #0 1; ld > s0.x:#0:1 | c@0: wait #0 0; arr #1 ~; wait #0 1; rd s0.x`,
    'visibility',
  ],
  [
    'of what a reader has told',
    `${two} | p@0: arx #0 1; ld > s0.x:#0:1; wait #1 0; arx #0 1; ld > s0.x:#0:1 | c@0: wait #0 0; arr #1; wait #0 1; rd s0.x`,
    '',
  ],
  [
    'generic on generic, read',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; rd s0.x; arr #1 ~ | v@0: wait #1 0 ~; wr s0.x`,
    '',
  ],
  [
    'generic on generic, not read',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; arr #1 ~ | v@0: wait #1 0 ~; wr s0.x`,
    'visibility',
  ],
  [
    'async on generic, read by the generic proxy',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; rd s0.x; arr #1 ~ | v@0: wait #1 0 ~; arx #2 1; ld > s0.x:#2:1; wait #2 0`,
    'visibility',
  ],
  [
    'async on generic, read by the async proxy',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; fen cta; st s0.x > g.z; bc; bw 0 read; arr #1 ~; bw 0 full | v@0: wait #1 0 ~; arx #2 1; ld > s0.x:#2:1; wait #2 0`,
    '',
  ],
  [
    'generic on generic, read by the async proxy',
    `${two} | t@0: wr s0.x; arr #0 | u@0: wait #0 0; fen cta; st s0.x > g.z; bc; bw 0 read; arr #1 ~; bw 0 full | v@0: wait #1 0 ~; wr s0.x`,
    'visibility',
  ],
  [
    'generic on async, read by the generic proxy',
    `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.x; arr #1 ~ | v@0: wait #1 0 ~; wr s0.x`,
    '',
  ],
  [
    'async on async, read by the generic proxy',
    `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; rd s0.x; arr #1 ~ | v@0: wait #1 0 ~; arx #2 1; ld > s0.x:#2:1; wait #2 0`,
    '',
  ],
  [
    'generic on async, read by the async proxy',
    `${two} | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0; st s0.x > g.z; bc; bw 0 read; arr #1 ~; bw 0 full | v@0: wait #1 0 ~; wr s0.x`,
    '',
  ],
  [
    'what had landed has not after another write',
    `${two} | t@0: wr s0.x; arr #0; wait #1 0; wr s0.x; arr #2 ~ | u@0: wait #0 0; rd s0.x; arr #1 | v@0: wait #2 0 ~; wr s0.x`,
    'visibility',
  ],
  [
    'a read of what is hidden shows nothing',
    `${two} | t@0: wr s0.x; arr #0 ~ | u@0: wait #0 0; rd s0.x; arr #1 ~ | v@0: wait #1 0 ~; wr s0.x`,
    'visibility',
  ],
]

const generations: ReadonlyArray<Row> = [
  [
    'a waiter of one generation does not hear the next',
    `${two} | t@0: arr #0; wr s0.x; arr #1 ~; wait #2 0; arr #0 | u@0: wait #1 0 ~; wait #0 0; rd s0.x; arr #2`,
    'visibility',
  ],
  [
    'the next generation tells it',
    `${two} | t@0: arr #0; wr s0.x; arr #1 ~; wait #2 0; arr #0 | u@0: wait #1 0 ~; arr #2; wait #0 1; rd s0.x`,
    '',
  ],
  [
    'the next generation does not tell what the one before has',
    `${two} | t@0: wr s0.x; arr #0 | v@0: wait #0 0 ~; arr #0; arr #1 ~ | u@0: wait #1 0 ~; wait #0 1; rd s0.x`,
    'visibility',
  ],
  [
    'the next generation tells what its arrivals have heard',
    `${two} | t@0: wr s0.x; arr #0 | v@0: wait #0 0; arr #0; arr #1 ~ | u@0: wait #1 0 ~; wait #0 1; rd s0.x`,
    '',
  ],
  [
    'of two arrivals each tells',
    `b@0:2 | t@0: wr s0.x; arr #0 | v@0: wr s0.y; arr #0 | u@0: wait #0 0; rd s0.x; rd s0.y`,
    '',
  ],
  [
    'of two arrivals one does not tell',
    `b@0:2 | t@0: wr s0.x; arr #0 | v@0: wr s0.y; arr #0 ~ | u@0: wait #0 0; rd s0.x; rd s0.y`,
    'visibility',
  ],
]

const counts: ReadonlyArray<Row> = [
  ['an arrival too many', `b@0:1 | t@0: arx #0 1; arr #0`, 'deadlock overrun'],
  ['bytes too few', `b@0:1 | t@0: arx #0 1; wait #0 0`, 'deadlock'],
  ['no byte too few', `b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1; wait #0 0`, ''],
]

const ends: ReadonlyArray<Row> = [
  ['a load that nobody waits for', `b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1`, 'exit'],
  ['a load that another waits for', `b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1 | u@0: wait #0 0`, ''],
  ['a store that nobody waits for', ` | t@0: st s0.x > g.z; bc`, 'exit'],
  ['a store whose reads are waited for', ` | t@0: st s0.x > g.z; bc; bw 0 read`, ''],
  ['a copy that nobody waits for', ` | t@0: cp > s0.x; cc`, 'exit'],
  ['a copy whose arrival nobody waits for', `b@0:1 | t@0: cp > s0.x; ca #0; cc; cw 0`, 'exit'],
  ['a product that nobody waits for', ` | t@0: wg s0.x > r0.a; wc`, 'exit'],
  [
    'a product of tensor memory that nobody waits for',
    `b@0:1 | t@0: mma s0.x > t0.y; com #0; dea t0.y`,
    'exit race',
  ],
  ['an arrival at a CTA that may have ended', `b@1:1 | t@0: arr #0 | u@1: rd s1.x`, 'exit'],
  ['an arrival at a CTA that waits for it', `b@1:1 | t@0: arr #0 | u@1: wait #0 0`, ''],
  [
    'bytes for a CTA that may have ended',
    `b@0:1 b@1:1 | t@0: arx #0 1; arx #1 1; ld > s0.x:#0:1 s1.x:#1:1; wait #0 0 | u@1: rd s1.y`,
    'exit',
  ],
]

const meetings: ReadonlyArray<Row> = [
  ['a named barrier', ` | t@0: wr s0.x; rdv a 0,1 | u@0: rdv a 0,1; rd s0.x`, ''],
  ['both ways', ` | t@0: wr s0.x; rdv a 0,1; rd s0.y | u@0: wr s0.y; rdv a 0,1; rd s0.x`, ''],
  [
    'written after the arrival',
    `${two} | t@0: rdv a 0,1; wr s0.x; arr #0 ~ | u@0: rdv a 0,1; wait #0 0; rd s0.x`,
    'visibility',
  ],
  ['a second time', `${two} | t@0: rdv a 0,1; wr s0.x; rdv a 0,1 | u@0: rdv a 0,1; rdv a 0,1; rd s0.x`, ''],
  [
    'another barrier',
    `${two} | t@0: wr s0.x; rdv a 0,1; arr #0 ~ | u@0: rdv a 0,1; rdv e 1,2 | v@0: rdv e 1,2; wait #0 0 ~; rd s0.x`,
    '',
  ],
  [
    'another barrier, beside',
    `${two} | t@0: wr s0.x; rdv a 0,3; arr #0 ~ | u@0: rdv e 1,2 | v@0: rdv e 1,2; wait #0 0 ~; rd s0.x | w@0: rdv a 0,3`,
    'visibility',
  ],
  [
    'the async view',
    ` | t@0: wr s0.x; fen cta; rdv a 0,1 | u@0: rdv a 0,1; st s0.x > g.z; bc; bw 0 full`,
    '',
  ],
  [
    'the async view, not fenced',
    ` | t@0: wr s0.x; rdv a 0,1 | u@0: rdv a 0,1; st s0.x > g.z; bc; bw 0 full`,
    'visibility',
  ],
  ['the barrier of a cluster', ` | t@0: wr g.z; rdv c 0,1 | u@1: rdv c 0,1; rd g.z`, ''],
  [
    'the barrier of a cluster, relaxed',
    ` | t@0: wr g.z; rdv c 0,1 ~ | u@1: rdv c 0,1 ~; rd g.z`,
    'visibility',
  ],
  [
    'the barrier of a cluster, one side relaxed',
    ` | t@0: wr g.z; rdv c 0,1 ~ | u@1: rdv c 0,1; rd g.z`,
    'visibility',
  ],
  [
    'the barrier of a cluster, the second time',
    ` | t@0: rdv c 0,1; wr g.z; rdv c 0,1 | u@1: rdv c 0,1; rdv c 0,1; rd g.z`,
    '',
  ],
  [
    'the barrier of a cluster, written after the first',
    `b@1:1 | t@0: rdv c 0,1; wr g.z; arr #0 ~; rdv c 0,1 ~ | u@1: rdv c 0,1; wait #0 0; rd g.z; rdv c 0,1 ~`,
    'visibility',
  ],
  [
    'the barrier of a cluster, three agents',
    ` | t@0: wr g.z; rdv c 0,1,2 | u@0: rdv c 0,1,2; rd g.z | v@1: rdv c 0,1,2; rd g.z`,
    '',
  ],
  ['a barrier of another CTA', `b@1:1 | t@0: wr g.z; arr #0 | u@1: wait #0 0; rd g.z`, ''],
  [
    'a barrier of another CTA, not told',
    `b@1:1 | t@0: wr g.z; arr #0 ~ | u@1: wait #0 0; rd g.z`,
    'visibility',
  ],
]

const tables: Readonly<Record<string, ReadonlyArray<Row>>> = {
  generic,
  async,
  loads,
  stores,
  copies,
  products,
  tensor,
  queue,
  overwrites,
  generations,
  counts,
  ends,
  meetings,
}

/** Places that nobody else touches, before all others: their bits fill the first words of every mask. */
const crowd = Array.from({ length: 33 }, (_, k) => `s0.p${String(k)}`).join(',')
const crowded = (text: string): string => text.replace(/(\| \S+@0:)/, `$1 rd ${crowd};`)

describe.each(Object.entries(tables))('views: %s', (_, rows) => {
  it.each(rows.map((row) => [...row] as const))('%s', (_what, text, kinds) => {
    const s = skeleton(text)
    const launched = launchedSkeleton(s)
    const found = searched(launched)
    expect(found.complete).toBe(true)
    expect(kindsOf(found)).toBe(kinds)
    const whole = searched(launched, { reduced: false, states: 400 })
    if (whole.complete) expect(kindsOf(whole)).toBe(kinds)
    const all = naively(s)
    if (all !== null) expect(naiveKinds(all)).toBe(kinds)
  })
  it.each(sampled(4, rows).map((row) => [...row] as const))('among many places: %s', (_what, text, kinds) => {
    if (/ wg | mma /.test(text)) return
    expect(kindsOf(searched(launchedSkeleton(skeleton(crowded(text)))))).toBe(kinds)
  })
})

it('tensor memory that is kept to the end: no skeleton knows of it', () => {
  const kept = searched(launchedSkeleton(skeleton(' | t@0: tst t0.y; wst')))
  expect(kept.found.map((f) => [f.kind, f.text])).toEqual([
    ['exit', 'T1: CTA 0 has not freed its tensor memory'],
  ])
})
