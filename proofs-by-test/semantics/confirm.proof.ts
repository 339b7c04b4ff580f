/** What stands although no schedule shows it: findings that a search does not look for, by hand. */
import { expect, test } from 'vitest'
import { unanswered } from '../../src/semantics/confirm.js'
import type { Finding, HazardId } from '../../src/semantics/finding.js'
import type { World } from '../../src/semantics/machine/world.js'
import { hazardIds } from '../../src/semantics/detector/index.js'

const finding = (id: HazardId): Finding => ({
  id,
  severity: 'E',
  text: id,
  a: { index: 0, agent: 'w@0', site: 'here', path: [], iteration: [], at: 1, does: 'reads' },
})
const left = (resident: number, clusterCount: number): ReadonlyArray<HazardId> =>
  unanswered({ resident, clusterCount } as World, hazardIds.map(finding)).map((f) => f.id)

test('contracts, results, notes and what the launch decides: everything else is a matter of schedules', () => {
  const always = [
    'A1',
    'A2',
    'A3',
    'A4',
    'B8',
    'K2',
    'L1',
    'L2',
    'M5',
    'M7',
    'N1',
    'O1',
    'P3',
    'T4',
    'T5',
    'U1',
  ]
  // clusters that run one after another are never searched together
  expect([...left(1, 4)].sort()).toEqual([...always, 'D3'].sort())
  expect([...left(3, 4)].sort()).toEqual([...always, 'D3'].sort())
  expect([...left(4, 4)].sort()).toEqual([...always].sort())
})
test('in their order', () => {
  const two = [finding('U1'), finding('R1'), finding('A1')]
  expect(unanswered({ resident: 1, clusterCount: 1 } as World, two)).toEqual([two[0], two[2]])
})
