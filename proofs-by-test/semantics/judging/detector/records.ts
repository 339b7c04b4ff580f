/** Accesses as the detector remembers them, written by hand: a plain read by agent 0 unless said otherwise. */
import type { AccessRecord } from '../../../../src/semantics/judging/detector/access-record.js'
import { doneBy } from '../../../../src/semantics/judging/detector/access-record.js'
import type { Footprint } from '../../../../src/semantics/log/events.js'
import { asSpans } from '../../../../src/semantics/log/events.js'

export const footprint = (dtype: Footprint['dtype'], id = 0): Footprint => ({
  id,
  plane: 0,
  spans: asSpans(Int32Array.of(0, 16)),
  dtype,
  map: { _tag: 'scatter', shape: [], offsets: new Int32Array(0), by: 0 },
})
export const record = (over: Partial<AccessRecord>): AccessRecord => ({
  rw: 'r',
  proxy: 'generic',
  stamp: { agent: 0, at: 1, site: 0, iteration: [] },
  unit: 'agent',
  operation: -1,
  completion: doneBy(0, 1),
  queue: undefined,
  fence: 'shared',
  home: 0,
  sound: true,
  footprint: footprint('f16'),
  lanes: 0,
  whole: false,
  met: 0,
  joins: false,
  reach: 0,
  words: 1,
  combine: undefined,
  rounds: false,
  decides: false,
  controls: false,
  map: false,
  cta: 0,
  place: 0,
  when: 0,
  lastWait: -1,
  lastObserved: -1,
  fencesBefore: 0,
  order: undefined,
  idle: false,
  stored: undefined,
  ...over,
})
