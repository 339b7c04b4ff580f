/** A timed run as a picture: its bars are within the run, do not overlap, and the critical path covers all of it. */
import { describe, expect, it } from 'vitest'
import { timeSvg } from '../../src/render/time-svg.js'
import { write, type SvgElement } from '../../src/render/svg.js'
import { valueOf } from '../../src/semantics/timing/index.js'
import { timedKernel } from '../semantics/timing/timed.js'

const t = timedKernel('hopper-matmul', { m: 128, n: 128, k: 256 })
const picture = timeSvg(t, () => null)
const rows = picture.children.flatMap((e) => (typeof e !== 'string' && e.name === 'g' ? [e] : []))
const barsOf = (row: SvgElement): ReadonlyArray<readonly [x: number, width: number]> =>
  row.children.flatMap((e) =>
    typeof e === 'string' ? [] : [[Number(e.attributes['x']), Number(e.attributes['width'])] as const],
  )

describe('a timed run as a picture', () => {
  it('has a row for the critical path, for each agent, and for each kind of operation', () => {
    const units = new Set(t.timed.moments.map(({ unit }) => unit))
    units.delete('agent')
    const agents = new Set(t.timed.moments.filter(({ unit }) => unit === 'agent').map(({ agent }) => agent))
    expect(rows).toHaveLength(1 + agents.size + units.size)
  })
  it('law 1: bars of a row do not overlap, and none is outside', () => {
    for (const row of rows) {
      let right = 180
      for (const [x, width] of barsOf(row)) {
        expect(x).toBeGreaterThanOrEqual(right)
        right = x + width
      }
      expect(right).toBeLessThanOrEqual(180 + 1200)
    }
  })
  it('law 2: the critical path is the whole run, but for what is on its way at its end', () => {
    const last = Math.max(...t.timed.moments.map(({ to }) => to))
    const covered = barsOf(rows[0]!).reduce((sum, [, width]) => sum + width, 0)
    // a pixel of several colours, each less than half of it, is left out
    expect(covered).toBeGreaterThan(0.97 * 1200 * (last / t.timed.end))
  })
  it('an operation lasts while its bytes pass: a store as long as the path of writes takes for them', () => {
    const units = [...new Set(t.timed.moments.map(({ unit }) => unit))].filter((unit) => unit !== 'agent')
    const row = rows[rows.length - units.length + units.indexOf('tmaStore')]!
    const covered = barsOf(row).reduce((sum, [, width]) => sum + width, 0)
    const passes = t.timed.bytes.stored / valueOf(t.chip, 'write.port')
    expect(covered).toBeGreaterThan(0.9 * 1200 * (passes / t.timed.end))
  })
  it('is a text of its own, the same each time', () => {
    expect(write(picture)).toBe(write(timeSvg(t, () => null)))
    expect(write(picture)).toContain('critical path')
  })
})
