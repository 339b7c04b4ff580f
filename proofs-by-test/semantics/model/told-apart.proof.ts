/**
 * Logs at which one changed place of the model or of the detector made the two differ. A search over random logs has found them, and left out every line that was not needed.
 *
 * Oracle: the other of the two.
 */
import { expect, test } from 'vitest'
import type { Options } from '../../../src/semantics/judging/detector/index.js'
import { readChanged } from './changed-log.js'
import { differences } from './comparison.js'
import { toldApart } from './told-apart.js'

const options: Readonly<Record<string, Partial<Options>>> = {
  strict: { strict: true },
  proxies: { strictProxies: true },
  pipe: { tensorPipe: 'documented' },
  wgmma: { wgmmaOrder: 'documented' },
}

test('the detector and the model say the same', () => {
  const rows = toldApart.split('\n').filter((row) => row !== '')
  const wrong = rows.flatMap((row) => {
    const [how = '', ...lines] = row.split('|').map((part) => part.trim())
    const words = how.split(' ').filter((word) => word !== '')
    const { header, log } = readChanged(lines)
    const asked = Object.assign({}, ...words.map((word) => options[word] ?? {})) as Partial<Options>
    const all = differences(header, log, asked, [], !words.includes('stopped'))
    return all.length === 0 ? [] : [[row, ...all]]
  })
  expect(wrong).toEqual([])
  expect(rows.length).toBeGreaterThan(100)
})
