/**
 * Which waits take tensor memory over, by hand: one that orders the tensor core and acquires, or the fence after it. The log is that of the mended kernel of M8, with its
 * wait and fence changed; model and detector are asked apart.
 */
import { expect, test } from 'vitest'
import { instanceOf, kernelNamed } from '../../../src/kernels/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { defaults, detector, judgeLog } from '../../../src/semantics/judging/detector/index.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { observeAll, type LogEvent } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'
import { differences } from './comparison.js'
import { read } from './litmus.js'

const { world, machine } = right(
  launch(right(instanceOf(right(kernelNamed('zoo/M8-fixed')), {}, [])).program, unit, noArguments),
)
const log = run(world, machine, settings(eager), collect).result

const changed = (acquire: boolean, tensor: boolean, fenced: boolean): ReadonlyArray<LogEvent> =>
  log.flatMap((e): ReadonlyArray<LogEvent> =>
    e._tag === 'wait'
      ? [{ ...e, acquire, tensor }]
      : e._tag === 'fence' && e.kind === 'tensorAfter' && !fenced
        ? []
        : [e],
  )

test.each([
  [true, true, true, true],
  [true, true, false, true],
  [true, false, true, true],
  [true, false, false, false],
  [false, true, false, false],
  [false, false, false, false],
])('acquire %s, tensor core %s, fence %s: taken over %s', (acquire, tensor, fenced, taken) => {
  const events = changed(acquire, tensor, fenced)
  const fold = detector(defaults)
  const { findings } = fold.finish(observeAll(fold, fold.init(world.header), events))
  expect(findings.some(({ id }) => id === 'M8' || id === 'M4')).toBe(!taken)
  expect(differences(world.header, events, {}, [], true)).toEqual([])
})

/** The wait acquires and says nothing of the tensor core; then it is made again. */
const twice = (acquire: boolean): ReadonlyArray<LogEvent> => {
  const at = log.findIndex((e) => e._tag === 'wait')
  const wait = log[at]!
  if (wait._tag !== 'wait') throw new Error('no wait')
  const { agent } = wait.stamp
  const later = (e: LogEvent): LogEvent =>
    'stamp' in e && e.stamp.agent === agent ? { ...e, stamp: { ...e.stamp, at: e.stamp.at + 1 } } : e
  return [
    ...log.slice(0, at),
    { ...wait, acquire: true, tensor: false },
    later({ ...wait, acquire, tensor: true }),
    ...log
      .slice(at + 1)
      .filter((e) => e._tag !== 'fence' || e.kind !== 'tensorAfter')
      .map(later),
  ]
}
test.each([true, false])(
  'a second wait, for the tensor core, takes it over if it acquires: %s',
  (acquire) => {
    const events = twice(acquire)
    const fold = detector(defaults)
    const { findings } = fold.finish(observeAll(fold, fold.init(world.header), events))
    expect(findings.map(({ id }) => id).filter((id) => id === 'M8')).toEqual(acquire ? [] : ['M8'])
    expect(differences(world.header, events, {}, [], true)).toEqual([])
  },
)

test.each([true, false])('a barrier of agents takes it over if it orders the tensor core: %s', (tensor) => {
  const { header, log: made } = read([
    ...['T0: issue #1 st', '#1: write t', 'T0: wait.st', 'T0: fence before', 'T0, T1: bar'],
    ...['T1: issue #2 ld', '#2: read t', 'T1: wait.ld'],
  ])
  const events = made.map((e) => (e._tag === 'rendezvous' ? { ...e, tensor } : e))
  expect(judgeLog(header, events, defaults).findings.map(({ id }) => id)).toEqual(tensor ? [] : ['M8'])
  expect(differences(header, events)).toEqual([])
})
