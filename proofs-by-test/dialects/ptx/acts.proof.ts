/** What instructions do to others: the column of the table against the operands of its rows, and against the names that findings have for groups and fences. */
import { describe, expect, it } from 'vitest'
import { forms } from '../../../src/dialects/ptx/index.js'
import { actsOf, computes, orders, steers } from '../../../src/dialects/ptx/opcodes/acts.js'

const has = (tag: string, form: (typeof forms)[number]): boolean =>
  form.operands.some(({ _tag }) => _tag === tag)
const advice = new Set(['prefetch', 'prefetchu', 'discard', 'applypriority', 'createpolicy.range'])

describe('acts', () => {
  it('law 1: a chapter whose acts and rows differ has none', () => {
    const names = new Set(['a', 'b'])
    expect(actsOf({ a: computes, b: steers }, names)?.('b')).toBe(steers)
    expect(actsOf({ a: computes }, names)).toBeNull()
    expect(actsOf({ a: computes, b: steers, c: steers }, names)).toBeNull()
    expect(actsOf({ a: computes, toString: steers }, names)).toBeNull()
    expect(actsOf(computes, names)?.('a')).toBe(computes)
  })
  it('law 2: what accesses has an address or a descriptor, what computes or steers has none', () => {
    for (const form of forms) {
      const { base, act, row } = form
      const isAdvice = advice.has(base) || base.startsWith('cp.async.bulk.prefetch')
      const reaches = (has('address', form) && !isAdvice) || base === 'wgmma.mma_async'
      if (act._tag === 'accesses') expect(reaches, row).toBe(true)
      if (act._tag === 'computes' || act._tag === 'steers') expect(reaches, row).toBe(false)
    }
  })
  it('what only reads writes no memory: stores have no register that is written, and loads have one', () => {
    for (const form of forms) {
      const { act, row, base } = form
      if (act._tag !== 'accesses' || base === 'wgmma.mma_async') continue
      const isWritten = form.operands.some(
        (o) =>
          (o._tag === 'register' && o.access === 'write') ||
          (o._tag === 'pair' && o.first.access === 'write'),
      )
      if (act.moves === 'reads') expect(isWritten, row).toBe(true)
      if (act.moves === 'writes') expect(isWritten, row).toBe(false)
      if (act.moves === 'copies' || act.moves === 'combines')
        expect(
          form.operands.filter(({ _tag }) => _tag === 'address').length + Number(base === 'tcgen05.cp'),
          row,
        ).toBeGreaterThan(1)
    }
  })
  it('every group has a commit and a wait, or a wait alone where loads and stores of tensor memory are their own', () => {
    const kinds = (family: string) =>
      [
        ...new Set(
          forms.flatMap(({ act }) => (act._tag === 'orders' && act.family === family ? [act.kind] : [])),
        ),
      ].sort()
    for (const family of ['bulk', 'cpAsync', 'wgmma'])
      expect(kinds(family), family).toEqual(['commit', 'group wait'])
    for (const family of ['tcgen05Ld', 'tcgen05St']) expect(kinds(family), family).toEqual(['group wait'])
  })
  it('a group is that of the copies and products whose name begins alike', () => {
    const families: Readonly<Record<string, string>> = {
      'cp.async.bulk.commit_group': 'bulk',
      'cp.async.bulk.wait_group': 'bulk',
      'cp.async.commit_group': 'cpAsync',
      'cp.async.wait_group': 'cpAsync',
      'cp.async.wait_all': 'cpAsync',
      'wgmma.commit_group': 'wgmma',
      'wgmma.wait_group': 'wgmma',
      'tcgen05.wait::ld': 'tcgen05Ld',
      'tcgen05.wait::st': 'tcgen05St',
    }
    for (const { act, base } of forms)
      expect(act._tag === 'orders' ? act.family : null, base).toBe(families[base] ?? null)
  })
  it('a kind alone has neither group nor fences', () => {
    expect(orders('bar')).toEqual({ _tag: 'orders', kind: 'bar', family: null, fences: [] })
  })
})
