/**
 * What each line of a litmus test is as events, field by field: the table of `model/litmus.ts`, on logs that have every form of line. The rows below were read against
 * that table.
 *
 * Law 1. The words of a place are those of its bytes, and no two places of a plane share one.
 * Law 2. A test is refused at the first line that is none, by the number that it is called, or at the first operation that is issued twice or not yet.
 */
import { expect, test } from 'vitest'
import { addressesIn, spansOf, type Footprint, type LogEvent } from '../../../src/semantics/log/events.js'
import { litmusLines, litmusLog, mostLines } from '../../../src/semantics/model/litmus.js'
import { left, right } from '../../either.js'

/** An event in words: what is false, 0 or not said is left out. Planes and agents have numbers. */
const shown = (e: LogEvent, labels: ReadonlyArray<string>, line: string | undefined): string => {
  const one = (name: string, value: unknown): ReadonlyArray<string> => {
    if (name === '_tag' || value === false || value === 0 || value === undefined) return []
    if (name === 'footprint') {
      const f = value as Footprint
      return [`plane ${String(f.plane)} bytes ${[...spansOf(f)].join('-')} ${f.dtype}`]
    }
    if (name === 'stamp') {
      const s = value as { readonly agent: number; readonly at: number; readonly site: number }
      const label = labels[s.site]!
      return [`by ${String(s.agent)}.${String(s.at)}${label === line ? '' : ` at '${label}'`}`]
    }
    return value === true
      ? [name]
      : [`${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  }
  return [e._tag, ...Object.entries(e).flatMap(([name, value]) => one(name, value))].join(' ')
}

/** A log, a line of the test each, and indented below it what it is; what comes first is before the test. */
const table = `
  rendezvous by 0.1 at 'before the test' kind=arrive id=16 count=512 threads=128
  rendezvous by 1.1 at 'before the test' kind=arrive id=16 count=512 threads=128
  rendezvous by 2.1 at 'before the test' kind=arrive id=16 count=512 threads=128
  rendezvous by 3.1 at 'before the test' kind=arrive id=16 count=512 threads=128
  rendezvous by 0.2 at 'before the test' kind=leave id=16 count=512 threads=128
  rendezvous by 1.2 at 'before the test' kind=leave id=16 count=512 threads=128
  rendezvous by 2.2 at 'before the test' kind=leave id=16 count=512 threads=128
  rendezvous by 3.2 at 'before the test' kind=leave id=16 count=512 threads=128
T0: read x
  access by 0.3 rw=r proxy=generic plane 0 bytes 0-16 i32 role=source
U0: write y'
  access by 2.3 rw=w proxy=generic plane 2 bytes 16-32 i32 role=source
T1: read g
  access by 1.3 rw=r proxy=generic plane 8 bytes 0-16 i32 role=source
T0: write r
  access by 0.4 rw=w proxy=generic plane 11 bytes 0-16 i32 role=source
V0: read z
  access by 3.3 rw=r proxy=generic plane 0 bytes 32-48 i32 role=source

bare
T0: load g
  access by 0.1 rw=r proxy=generic plane 2 bytes 0-4 i32 role=source atomic scope=gpu
T0: load g volatile
  access by 0.2 rw=r proxy=generic plane 2 bytes 0-4 i32 role=source atomic scope=gpu
T0: load g acquire cta
  access by 0.3 rw=r proxy=generic plane 2 bytes 0-4 i32 role=source atomic scope=cta acquires
T0: load g relaxed cluster wide
  access by 0.4 rw=r proxy=generic plane 2 bytes 0-8 i32 role=source atomic scope=cluster words=2
T0: load g gpu kept
  access by 0.5 rw=r proxy=generic plane 2 bytes 0-4 i32 role=source atomic scope=gpu decides
T0: load g decides
  access by 0.6 rw=r proxy=generic plane 2 bytes 0-4 i32 role=source atomic scope=gpu decides controls=1048576
T0: store h
  access by 0.7 rw=w proxy=generic plane 3 bytes 0-4 i32 role=source atomic scope=gpu
T0: store h release cta wide
  access by 0.8 rw=w proxy=generic plane 3 bytes 0-8 i32 role=source atomic scope=cta words=2 releases
T0: store h volatile
  access by 0.9 rw=w proxy=generic plane 3 bytes 0-4 i32 role=source atomic scope=gpu
T0: atomic s
  access by 0.10 rw=r proxy=generic plane 4 bytes 0-4 i32 role=source atomic joins scope=gpu
  access by 0.10 rw=w proxy=generic plane 4 bytes 0-4 i32 role=source atomic combine=add scope=gpu
T0: atomic s or acquire
  access by 0.11 rw=r proxy=generic plane 4 bytes 0-4 i32 role=source atomic joins scope=gpu
  access by 0.11 rw=w proxy=generic plane 4 bytes 0-4 i32 role=source atomic combine=or acquires scope=gpu
T0: atomic s exchange release cluster wide kept
  access by 0.12 rw=r proxy=generic plane 4 bytes 0-8 i32 role=source atomic joins scope=cluster words=2 decides
  access by 0.12 rw=w proxy=generic plane 4 bytes 0-8 i32 role=source atomic combine=exchange scope=cluster words=2 releases
T0: atomic s acq_rel decides
  access by 0.13 rw=r proxy=generic plane 4 bytes 0-4 i32 role=source atomic joins scope=gpu decides controls=1048576
  access by 0.13 rw=w proxy=generic plane 4 bytes 0-4 i32 role=source atomic combine=add acquires scope=gpu releases
T0: wait.word s
  semaphore relaxed by 0.14 kind=wait plane 4 bytes 0-4 i32 value=1 scope=gpu before=1 outcome=passed until=eq
T0: wait.word s acquire cta
  semaphore by 0.15 kind=wait plane 4 bytes 0-4 i32 value=1 scope=cta before=1 outcome=passed until=eq

bare
T0: init b
  barrier by 0.1 kind=init count=1 scope=cta
T0: inval b'
  barrier by 0.2 kind=inval barrier=1 release scope=cta
T0: arrive c
  barrier by 0.3 kind=arrive barrier=2 count=1 release scope=cta
T0: arrive b +16 relaxed cluster
  barrier by 0.4 kind=arrive count=1 bytes=16 scope=cluster
T0: expect b 16 tensor
  barrier by 0.5 kind=expect bytes=16 release scope=cta tensor
T0: wait b 0
  wait by 0.6 acquire scope=cta outcome=passed
T0: wait b 1 relaxed cluster tensor
  wait by 0.7 parity=1 scope=cluster tensor outcome=passed
T0: peek b 0 true
  wait by 0.8 acquire scope=cta outcome=passed peek=8
T0: wait b 0 spared
  wait by 0.9 acquire scope=cta outcome=skipped peek=8
T0: peek b 1 false
  wait by 0.10 parity=1 acquire scope=cta outcome=tested peek=10
T0: wait b 1 peeked
  wait by 0.11 parity=1 acquire scope=cta outcome=passed peek=10
T0: wait b 0 cluster
  wait by 0.12 acquire scope=cluster outcome=passed

bare
T0: issue #1 load
  issue by 0.1 unit=tmaLoad
#1: read g
  perform stage=all
  access by 0.1 at 'T0: issue #1 load' rw=r proxy=async plane 4 bytes 0-16 i32 role=source
#1: write x
  perform stage=all
  access by 0.1 at 'T0: issue #1 load' rw=w proxy=async plane 0 bytes 0-16 i32 role=source
#1: bytes b 16
  signal to=barrier bytes=16
T0: issue #5 mma
  issue by 0.2 operation=1 unit=tcgen05 tensor=mma pipe=1
#5: write t'
  perform operation=1 stage=all
  access by 0.2 at 'T0: issue #5 mma' rw=w proxy=tensor plane 3 bytes 0-16 i32 role=source operation=1
#5: arrive b
  signal operation=1 to=arrive
T0: issue #2 copy
  issue by 0.3 operation=2 unit=cpAsync
#2: read g generic
  perform operation=2 stage=all
  access by 0.3 at 'T0: issue #2 copy' rw=r proxy=generic plane 4 bytes 0-16 i32 role=source operation=2
#2: read g tensormap
  perform operation=2 stage=all
  access by 0.3 at 'T0: issue #2 copy' rw=r proxy=tensormap plane 4 bytes 0-16 i32 role=map operation=2
T0: issue #10 store
  issue by 0.4 operation=3 unit=tmaStore
T0: issue #11 wgmma
  issue by 0.5 operation=4 unit=wgmma
T0: issue #12 cp
  issue by 0.6 operation=5 unit=tcgen05 tensor=cp pipe=5
T0: issue #13 shift
  issue by 0.7 operation=6 unit=tcgen05 tensor=shift pipe=6
T0: issue #14 commit
  issue by 0.8 operation=7 unit=tcgen05 tensor=commit pipe=7
T0: issue #15 ld
  issue by 0.9 operation=8 unit=tcgen05Ld
T0: issue #16 st
  issue by 0.10 operation=9 unit=tcgen05St
T0: issue #17 clc
  issue by 0.11 operation=10 unit=clc

bare
T0: commit bulk
  group by 0.1 kind=commit family=bulk
T0: commit wgmma
  group by 0.2 kind=commit family=wgmma
T0: commit copy
  group by 0.3 kind=commit family=cpAsync
T0: wait.group bulk 2 read
  group by 0.4 kind=wait family=bulk pending=2 read
T0: wait.group copy 0
  group by 0.5 kind=wait family=cpAsync
T0: wait.ld
  group by 0.6 kind=wait family=tcgen05Ld
T0: wait.st
  group by 0.7 kind=wait family=tcgen05St
T0: fence async
  fence by 0.8 kind=proxyAsync scope=cta
T0: fence global
  fence by 0.9 kind=proxyAsync scope=global
T0: fence map.release
  fence by 0.10 kind=tensormap scope=global
T0: fence map.acquire
  fence by 0.11 kind=tensormapAcquire scope=global
T0: fence map.acquire g
  fence plane 2 bytes 0-16 i32 by 0.12 kind=tensormapAcquire scope=global
T0: fence init
  fence by 0.13 kind=mbarrierInit scope=cluster
T0: fence wgmma
  fence by 0.14 kind=wgmma scope=cta
T0: fence before
  fence by 0.15 kind=tensorBefore scope=cta
T0: fence after
  fence by 0.16 kind=tensorAfter scope=cta
T0: fence acq_rel
  fence by 0.17 kind=memory scope=global
T0: fence sc cta
  fence sequential by 0.18 kind=memory scope=cta
T0: fence acquire cluster
  fence half=acquire by 0.19 kind=memory scope=cluster
T0: fence release gpu
  fence half=release by 0.20 kind=memory scope=global

bare
T0, T1: bar
  rendezvous by 0.1 kind=arrive id=1 count=256 threads=128
  rendezvous by 1.1 kind=arrive id=1 count=256 threads=128
  rendezvous by 0.2 kind=leave id=1 count=256 threads=128
  rendezvous by 1.2 kind=leave id=1 count=256 threads=128
T1, T0: bar
  rendezvous by 1.3 kind=arrive id=1 count=256 threads=128
  rendezvous by 0.3 kind=arrive id=1 count=256 threads=128
  rendezvous by 1.4 kind=leave id=1 count=256 threads=128
  rendezvous by 0.4 kind=leave id=1 count=256 threads=128
T0, T2: bar
  rendezvous by 0.5 kind=arrive id=2 count=256 threads=128
  rendezvous by 2.1 kind=arrive id=2 count=256 threads=128
  rendezvous by 0.6 kind=leave id=2 count=256 threads=128
  rendezvous by 2.2 kind=leave id=2 count=256 threads=128
T0, T1: meet
  rendezvous by 0.7 kind=arrive id=16 count=384 threads=128
  rendezvous by 1.5 kind=arrive id=16 count=384 threads=128
  rendezvous by 0.8 kind=leave id=16 count=384 threads=128
  rendezvous by 1.6 kind=leave id=16 count=384 threads=128
T0: come relaxed
  rendezvous by 0.9 kind=arrive id=16 count=384 threads=128 relaxed
T0: go
  rendezvous by 0.10 kind=leave id=16 count=384 threads=128
T0, T1: sync
  rendezvous by 0.11 kind=arrive id=1048576 count=2 threads=1
  rendezvous by 1.7 kind=arrive id=1048576 count=2 threads=1
  rendezvous by 0.12 kind=leave id=1048576 count=2 threads=1
  rendezvous by 1.8 kind=leave id=1048576 count=2 threads=1
T0, T1: meet relaxed
  rendezvous by 0.13 kind=arrive id=16 count=384 threads=128 relaxed
  rendezvous by 1.9 kind=arrive id=16 count=384 threads=128 relaxed
  rendezvous by 0.14 kind=leave id=16 count=384 threads=128
  rendezvous by 1.10 kind=leave id=16 count=384 threads=128

bare
T0: signal s 1
  semaphore by 0.1 kind=signal plane 6 bytes 0-16 i32 value=1 scope=gpu outcome=passed
T0: wait.semaphore s 1
  semaphore by 0.2 kind=wait plane 6 bytes 0-16 i32 value=1 scope=gpu before=1 outcome=passed
T0: signal s 2 cta
  semaphore by 0.3 kind=signal plane 6 bytes 0-16 i32 value=2 scope=cta before=1 outcome=passed
T0: wait.semaphore s 3 cluster
  semaphore by 0.4 kind=wait plane 6 bytes 0-16 i32 value=3 scope=cluster before=3 outcome=passed
T0: signal g 1
  semaphore by 0.5 kind=signal plane 4 bytes 0-16 i32 value=1 scope=gpu outcome=passed
T0: fork T1
  fork by 0.6 children=[1]
T0: join T1
  join by 0.7 children=[1]
T0: alloc t
  alloc by 0.8 plane 1 bytes 0-16 i32
T0: dealloc t'
  dealloc by 0.9 plane 3 bytes 0-16 i32
next cluster
  cluster id=1

  barrier by 0.1 at 'before the test' kind=init count=1 scope=cta
  barrier by 0.2 at 'before the test' kind=init barrier=1 count=1 scope=cta
  rendezvous by 0.3 at 'before the test' kind=arrive id=16 count=256 threads=128
  rendezvous by 1.1 at 'before the test' kind=arrive id=16 count=256 threads=128
  rendezvous by 0.4 at 'before the test' kind=leave id=16 count=256 threads=128
  rendezvous by 1.2 at 'before the test' kind=leave id=16 count=256 threads=128
T0: arrive b
  barrier by 0.5 kind=arrive count=1 release scope=cta
T1: arrive c'
  barrier by 1.3 kind=arrive barrier=1 count=1 release scope=cta
`

test('each line is the events of its row', () => {
  const logs = table.slice(1).split('\n\n')
  for (const log of logs) {
    const lines = log.split('\n').filter((row) => row !== '' && !row.startsWith('  '))
    const { header, log: events, lineOf } = right(litmusLog(lines))
    const labels = header.sites.map(({ label }) => label)
    const of = (line: number): ReadonlyArray<string> =>
      events.flatMap((e, i) => (lineOf[i] === line ? [`  ${shown(e, labels, lines[line])}`] : []))
    expect([...of(-1), ...lines.flatMap((line, k) => [line, ...of(k)])]).toEqual(
      log.split('\n').filter((row) => row !== ''),
    )
  }
  expect(logs.length).toBe(8)
})

const headerOf = (lines: ReadonlyArray<string>): string => {
  const { header: h } = right(litmusLog(lines))
  return [
    `${h.arch} ${String(h.ctas)} ${h.fences ?? '-'} ${String(h.resident ?? 1)}`,
    h.agents.map((a) => `${a.name} of ${String(a.cta)}, ${String(a.warps)}`).join('; '),
    h.planes
      .map(
        (p) =>
          `${p.name}${p.space === 'regs' ? String(p.agent) : p.space === 'gmem' ? '' : String(p.cta)}${p.initialised ? '' : ' empty'}${p.output === true ? ' out' : ''} ${String(p.bytes)}`,
      )
      .join('; '),
    h.barriers
      .map((b) => `${b.name} of ${String(b.cta)} ${b.contract} ${String(b.plane)}+${String(b.address)}`)
      .join('; '),
  ].join('\n')
}
test('agents, CTAs, planes and barriers are those that the lines name', () => {
  expect(headerOf(['T0: read x'])).toBe(
    `sm100a 1 - 1
T0 of 0, 4
smem0 65536; tmem0 65536; g 16; h 16; s 16; r0 16
`,
  )
  expect(
    headerOf([
      'on Hopper',
      'fenced by hand',
      "T1: read x'",
      "T0: arrive c'",
      'b is of Pallas',
      'T0: arrive b',
      'g is an output',
      's is an output',
    ]),
  ).toBe(
    `sm90a 2 author 1
T0 of 0, 4; T1 of 0, 4
smem0 65536; tmem0 65536; smem1 65536; tmem1 65536; g out 16; h 16; s out 16; r0 16; r1 16
b of 0 pallas 0+4096; c' of 1 ptx 2+4104`,
  )
  // CTA 2 is of a cluster that runs beside that of CTA 0 and CTA 1
  expect(headerOf(['nothing is written before', 'V1: read x', 'T0: arrive d'])).toBe(
    `sm100a 4 - 2
T0 of 0, 4; V1 of 2, 4
${[0, 1, 2, 3].map((cta) => `smem${String(cta)} empty 65536; tmem${String(cta)} empty 65536`).join('; ')}; g 16; h 16; s 16; r0 empty 16; r1 empty 16
d of 0 ptx 0+4096`,
  )
  // what nothing does is not begun
  expect(right(litmusLog(['b is of Pallas'])).log).toEqual([])
  expect(headerOf(['U0: read y']).split('\n').slice(0, 2)).toEqual(['sm100a 2 - 1', 'U0 of 1, 4'])
})

test('the words of a place are those of its bytes, and places are apart', () => {
  const places = ['x', 'y', 'z', "x'", "y'", "z'", 't', "t'", 'g', 'h', 's', 'r']
  const { log } = right(litmusLog(['bare', ...places.map((place) => `T0: read ${place}`)]))
  const strong = right(
    litmusLog(['bare', ...places.slice(0, 11).flatMap((p) => [`T0: load ${p}`, `T0: load ${p} wide`])]),
  )
  const wordsOf = (events: ReadonlyArray<LogEvent>): ReadonlyArray<ReadonlyArray<string>> =>
    events.flatMap((e) => {
      if (e._tag !== 'access') return []
      const [start, end] = spansOf(e.footprint)
      const { map } = e.footprint
      expect(map._tag === 'scatter' ? [...addressesIn(map)] : []).toEqual(
        Array.from({ length: (end! - start!) / 4 }, (_, k) => start! + 4 * k),
      )
      return [
        Array.from(
          { length: (end! - start!) / 4 },
          (_, k) => `${String(e.footprint.plane)}+${String(start! + 4 * k)}`,
        ),
      ]
    })
  const whole = wordsOf(log)
  expect(whole.map((words) => words.length)).toEqual(places.map(() => 4))
  expect(new Set(whole.flat()).size).toBe(4 * places.length)
  expect(wordsOf(strong.log)).toEqual(
    whole.slice(0, 11).flatMap((words) => [words.slice(0, 1), words.slice(0, 2)]),
  )
})

test('a test is refused at the first line that is none, or is out of place', () => {
  const refusal = (lines: ReadonlyArray<string>, numbers?: ReadonlyArray<number>): string =>
    left(litmusLog(lines, numbers)).message
  expect(refusal(['T0: read x', 'T0: red x', 'T0: read'])).toBe(
    "line 1: expected a line of a litmus test, such as 'T0: write x', found 'T0: red x'",
  )
  expect(refusal(['T0: read x', 'T0: wait e 0'], [7, 9])).toBe(
    "line 9: expected 'T0: wait BARRIER 0|1 [relaxed] [cluster] [tensor] [peeked|spared]', BARRIER one of b c d (b' c' d' of CTA 1), found 'T0: wait e 0'",
  )
  expect(refusal(['T0: issue #1 load', '#1: read q'])).toBe(
    "line 1: expected '#1: read PLACE [generic|tensormap]', PLACE one of x y z t (x' y' z' t' of CTA 1), g h s, r, found '#1: read q'",
  )
  expect(refusal(['T0: fork 1'])).toBe("line 0: expected 'T0: fork T1', found 'T0: fork 1'")
  const misplaced = 'an operation that is issued once, before what it does'
  expect(refusal(['T0: issue #1 load', '#2: read x'])).toBe(
    `line 1: expected ${misplaced}, found '#2: read x'`,
  )
  expect(refusal(['#1: read x', 'T0: issue #1 load'])).toBe(
    `line 0: expected ${misplaced}, found '#1: read x'`,
  )
  expect(refusal(['T0: issue #1 load', '#1: read x', 'T1: issue #1 st'])).toBe(
    `line 2: expected ${misplaced}, found 'T1: issue #1 st'`,
  )
  const long = Array.from({ length: mostLines }, () => 'T0: read x')
  expect(right(litmusLog(long)).log.length).toBe(mostLines + 2)
  expect(refusal([...long, 'T0: read x'])).toBe('a litmus test: expected at most 128 lines, found 129')
})

test('a text is its lines without remarks and spaces', () => {
  expect(litmusLines('// one\r\n  T0:   read x // two\n\n\tbare\n')).toEqual({
    lines: ['T0: read x', 'bare'],
    numbers: [2, 4],
  })
})

test('an event of a line that is several, or of none, says which it is, and who makes it', () => {
  const { does } = right(
    litmusLog([
      'T0: atomic g',
      'T0, T1: meet relaxed',
      'T0, T1: sync',
      'T0: issue #3 load',
      '#3: read x',
      'T0: arrive b',
      'T0: come',
      'T0, T1: bar',
      'next cluster',
    ]),
  )
  expect(does.map(({ by, what }) => `${by}: ${what}`)).toEqual([
    'T0: init',
    ...['meet', 'atomic', 'meet relaxed', 'sync'].flatMap((said) =>
      said === 'atomic'
        ? ['T0: atomic g: read', 'T0: atomic g: write']
        : ['come', 'leave'].flatMap((what) => ['T0', 'T1'].map((by) => `${by}: ${said}: ${what}`)),
    ),
    'T0: issue #3 load',
    '#3: read x',
    '#3: read x',
    'T0: arrive b',
    'T0: come',
    ...['T0', 'T1', 'T0', 'T1'].map((by) => `${by}: bar`),
    ': next cluster',
  ])
})
