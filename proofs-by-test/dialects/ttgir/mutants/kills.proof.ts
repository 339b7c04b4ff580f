/** Single mutants, and what is said of them. Oracle: what the changed text means, by hand. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { judgedAt } from '../../../../src/dialects/ttgir/index.js'
import { judging } from '../../../../src/semantics/mutation/index.js'
import { check } from '../../../../src/semantics/verdict/check.js'
import { right } from '../../../either.js'
import { judgeOf, subjectAt, type Subject } from './subjects.js'

const few = { rows: 1, columns: 1, steps: 5 }
const keyed = ({ mutants }: Subject, ...words: ReadonlyArray<string>) =>
  mutants.find(({ key }) => words.every((w) => key.includes(w)))!

const findingsOf = (subject: Subject, ...words: ReadonlyArray<string>) => {
  const made = right(keyed(subject, ...words).at(subject.ground))
  return right(check(made.program, subject.options)).verdict.findings
}

describe('products that are read before they are there', () => {
  const subject = subjectAt('mm_hosttma_nows_64x64x32_s4_w4_sm90', few)
  test('without the last wait they are read where the text takes them', () => {
    const last = subject.mutants.filter(({ key }) => key.includes('warp_group_dot_wait')).slice(-1)[0]!
    const line = / line (\d+)/.exec(last.key)![1]!
    const [first] = findingsOf(subject, 'left out', `warp_group_dot_wait, line ${line}`)
    expect(first).toMatchObject({ id: 'M1' })
    // the conversion to f16, and not the wait inside the loop
    expect(first!.b?.path ?? []).toEqual([])
    expect(first!.missing?.kind).toBe('group-wait')
  })
  test('a product that is not asynchronous waits by itself: nothing changes', () => {
    const m = keyed(subject, 'not asynchronous')
    const judge = judgedAt(subject.ground, judgeOf('mm_hosttma_nows_64x64x32_s4_w4_sm90', subject))
    expect(judge(m)).toMatchObject({ fate: 'survived', certificate: 'all schedules' })
  })
})

describe('copies by threads', () => {
  test('a commit that is left out is asked for as a group wait, in front of the fence', () => {
    const subject = subjectAt('mm_ptr_64x64x32_s4_w4_sm90', few)
    const drops = subject.mutants.filter(({ key }) => /DROP.*async_commit_group/.test(key))
    expect(drops.length).toBeGreaterThan(4)
    const judge = judgedAt(subject.ground, judging(subject.ground.program, subject.options))
    // the first is closed with the next copies, in time
    expect(findingsOf(subject, drops[0]!.key)).toEqual([])
    for (const m of drops.slice(1, 3)) {
      const [first] = findingsOf(subject, m.key)
      expect(first).toMatchObject({ id: 'R1', missing: { kind: 'group-wait' } })
      expect(first!.missing!.text).toMatch(
        /^add a cpAsync group wait that covers .*, before `fence_async_shared/,
      )
      expect(judge(m)).toMatchObject({ fate: 'killed', named: true, naming: 'edge' })
    }
  })
})

describe('what does not elaborate', () => {
  test('a tensor map that is not acquired is refused at its line, and named by its pointer', () => {
    const subject = subjectAt('mm_tma_ws_128x256x64_s3_w8_sm90', few)
    const judge = judgedAt(subject.ground, judging(subject.ground.program, subject.options))
    const dropped = keyed(subject, 'DROP', 'tensormap_fenceproxy_acquire')
    expect(E.isLeft(dropped.at(subject.ground))).toBe(true)
    const judged = judge(dropped)
    expect(judged).toMatchObject({ verdict: 'invalid', fate: 'killed', named: true })
    // the line of what is refused alone, and not of the operations around it
    expect(judged.reason).toMatch(
      /^\d+:\d+: ttng\.reinterpret_tensor_descriptor: expected a tensor map that has been acquired, found %\w+$/,
    )
  })
  test('buffers that do not fit any more are those that were made larger', () => {
    const subject = subjectAt('mm_persistent_ws_128x256x64_s3_w8_sm90', { rows: 1, columns: 1, steps: 2 })
    const judge = judgedAt(subject.ground, judging(subject.ground.program, subject.options))
    const larger = subject.mutants.filter(({ key }) => /ALLOC.*a slot more/.test(key)).map(judge)
    expect(larger.map((j) => [j.fate, j.named, j.certificate])).toContainEqual(['killed', true, null])
    expect(larger.map((j) => [j.fate, j.named, j.certificate])).toContainEqual([
      'survived',
      false,
      'larger buffer',
    ])
  })
})
