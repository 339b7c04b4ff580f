/**
 * Places by what they are. Oracle: by hand, what becomes of the operands of a small kernel; and the logs of runs, which are the same with and without names.
 */
import { describe, expect, test } from 'vitest'
import { groundOf } from '../../../src/dialects/ttgir/index.js'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { barriersIn, inlined } from '../../../src/semantics/mutation/inline.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import { otherThan } from '../../../src/semantics/mutation/operands.js'
import { ruleFor } from '../../../src/semantics/mutation/certificate.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { effectsOf, type Program } from '../../../src/semantics/language/program.js'
import { operandsOf } from '../../../src/semantics/language/signature.js'
import { add, i32, slot } from '../../../src/semantics/language/expression.js'
import { barriers, forRange, kernel, letIn, run, warpgroup } from '../../../src/semantics/writing/builder.js'
import { right } from '../../either.js'
import { launched } from '../../dialects/ttgir/launches.js'

/** Two rings; a slot by a name, a slot that a loop carries, and a slot of the other ring by its number. */
const program: Program = right(
  kernel({ name: 'k', arch: 'sm90a', agents: [warpgroup('wg', 0)] }, function* () {
    const full = yield* barriers('full', [2], {})
    const empty = yield* barriers('empty', [2], {})
    const zero = yield* letIn('zero', i32(0))
    const first = yield* letIn('first', slot(full, zero))
    yield* run('init', { _tag: 'mbarrier.init', barrier: first, count: 1 })
    yield* forRange(
      { label: 'k', from: i32(0), to: i32(2), carried: { held: first } },
      function* (k, { held }) {
        const next = yield* letIn('next', slot(full, add(k, i32(0))))
        yield* run('a', { _tag: 'mbarrier.arrive', barrier: held, count: 1, release: true, scope: 'cta' })
        yield* run('b', { _tag: 'mbarrier.arrive', barrier: next, count: 1, release: true, scope: 'cta' })
        yield* run('c', {
          _tag: 'mbarrier.arrive',
          barrier: slot(empty, i32(0)),
          count: 1,
          release: true,
          scope: 'cta',
        })
        return { held: next }
      },
    )
  }),
)
const named = inlined(program)
const at = (label: string) => effectsOf(named.entry.body).find((s) => s.site.label === label)!
const barrierOf = (label: string) => operandsOf(at(label).instruction).find((o) => o.role === 'barrier')!.expr

describe('by hand', () => {
  test('names of slots, and numbers in them, are replaced; what a loop carries is not', () => {
    expect(barrierOf('init')).toEqual(slot({ _tag: 'storage', storage: 'full' } as never, i32(0)))
    expect(barrierOf('b')).toMatchObject({ _tag: 'slot', of: { storage: 'full' }, index: { _tag: 'binary' } })
    expect(barrierOf('a')._tag).toBe('name')
  })
  test('the storages of what a loop carries are those that go into it', () => {
    expect(barriersIn(program)(at('a'))).toEqual(['full'])
    expect(barriersIn(named)(at('a'))).toEqual(['full'])
    expect(barriersIn(named)(at('c'))).toEqual(['empty'])
  })
  test('what a name stands for may be any barrier: no two statements commute by it', () => {
    expect(otherThan(barrierOf('b'), barrierOf('c'))).toBe(true)
    expect(otherThan(barrierOf('a'), barrierOf('b'))).toBe(false)
    const exchanged = mutantsOf(named).filter((m) => m.operator === 'ORDER' && m.class === 'synchronisation')
    const verdict = { verdict: 'ok', notes: [] } as never
    expect(exchanged.map((m) => [m.label, ruleFor(named, m, verdict)])).toEqual([
      ['a', null],
      ['b', 'commuting neighbours'],
    ])
  })
})

describe('law 1: the program runs as before', () => {
  test.each(['mm_persistent_nows_128x128x64_s3_w4_sm100', 'mm_hosttma_ws_64x64x32_s4_w4_sm90'])(
    '%s',
    (file) => {
      const {
        module,
        launch,
        arguments: given,
      } = launched(`${file}.ttgir`, { rows: 1, columns: 1, steps: 4 })
      const options = { ...standardOptions, arguments: given }
      const [before, after] = [right(elaborate(module, launch)), right(groundOf(module, launch)).program]
      expect(after).toEqual(inlined(before))
      expect(after).not.toEqual(before)
      const [x, y] = [right(check(before, options)), right(check(after, options))]
      expect(y.schedule).toEqual(x.schedule)
      expect(y.verdict.findings).toEqual(x.verdict.findings)
      expect(y.verdict.verdict).toBe(x.verdict.verdict)
    },
  )
})
