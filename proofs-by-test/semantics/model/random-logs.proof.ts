/** Model = detector on random logs: what random programs have not (atomics, semaphores, forks, tensor maps, scopes), in any order that a log can have. */
import { describe, expect, it } from 'vitest'
import { nightly } from '../../extent.js'
import { defaults, judgeLog } from '../../../src/semantics/judging/detector/index.js'
import { differences } from './comparison.js'
import { read } from './litmus.js'
import { logOf, mapLogOf } from './random-log.js'

describe('random logs', () => {
  it('an atomic read hides no plain write: a plain read behind it that is not ordered races with that write', () => {
    const { header, log } = read([
      'T0: write s',
      'T0: arrive b',
      'T1: wait b 0',
      'T1: wait.semaphore s 0',
      'T2: read s',
    ])
    expect(differences(header, log)).toEqual([])
    const { findings } = judgeLog(header, log, defaults)
    expect(findings.map((f) => [f.a.site, f.b?.site])).toEqual([['T0: write s', 'T2: read s']])
  })
  it('a signal that reaches less far than one before it tells those that it reaches', () => {
    const says = (first: string, second: string, waiter: string): ReadonlyArray<unknown> => {
      const { header, log } = read([
        `T0: signal s 1${first}`,
        'T0: write g',
        `T0: signal s 1${second}`,
        `${waiter}: wait.semaphore s 2`,
        `${waiter}: read g`,
      ])
      expect(differences(header, log)).toEqual([])
      return judgeLog(header, log, defaults).findings.map((f) => f.id)
    }
    for (const first of ['', ' cluster', ' cta'])
      for (const second of ['', ' cluster', ' cta'])
        expect([first, second, says(first, second, 'T1')]).toEqual([first, second, []])
    expect(says('', '', 'U0')).toEqual([])
    // out of its scope the counter itself is a race
    expect(says('', ' cta', 'U0')).toContain('V1')
  })
  it('a semaphore wait reads before it knows what it waits for', () => {
    // the first signal is out of its scope, and what tells of it is the second: the counter itself is a hazard
    const { header, log } = read([
      'U0: signal s 1 cta',
      'U0: signal s 1',
      'T0, U0: meet relaxed',
      'T0: wait.semaphore s 1',
    ])
    expect(differences(header, log)).toEqual([])
    expect(judgeLog(header, log, defaults).findings.map((f) => f.id)).toEqual(['V1'])
  })
  it('a read that has not seen all that was there shows of nothing that it has landed', () => {
    const { header, log } = read([
      'T0: atomic x',
      'T1: atomic x',
      'T0: issue #1 mma',
      '#1: read x',
      '#1: write t',
      'T1: arrive c +16',
      'T1: issue #2 load',
      '#2: write x',
      '#2: bytes c 16',
    ])
    expect(differences(header, log)).toEqual([])
  })
  it('without a signal those behind it of its agent are lacking, too', () => {
    const fails = (...signals: ReadonlyArray<string>): boolean => {
      const { header, log } = read([...signals, 'T0: wait.semaphore s 2'])
      expect(differences(header, log)).toEqual([])
      return !judgeLog(header, log, defaults).conditions.C4.holds
    }
    expect(fails('T1: signal s 1', 'T1: signal s 2')).toBe(false)
    expect(fails('T1: signal s 2', 'T1: signal s 1')).toBe(true)
    expect(fails('T1: signal s 1', 'T2: signal s 2')).toBe(true)
  })
  it.each([
    ['', logOf, nightly ? 200_000 : 150],
    [', of tensor maps at two addresses', mapLogOf, nightly ? 50_000 : 150],
  ] as const)(
    'the detector and the model say the same%s',
    (_, drawn, count) => {
      const wrong: string[] = []
      for (let seed = 0; seed < count && wrong.length < 3; seed++) {
        const text = drawn(seed)
        const { header, log } = read(text)
        for (const options of [{}, { strict: true, strictProxies: true }]) {
          const all = differences(header, log, options)
          if (all.length > 0) wrong.push([String(seed), ...text, ...all].join('\n'))
        }
      }
      expect(wrong).toEqual([])
    },
    1_800_000,
  )
})
