/** Which file of a tensor is there before a launch and which is expected behind it: by the role, written out by hand for every role with a file, without one and without a word. */
import { expect, test } from 'vitest'
import { filesInLaunch } from '../../../src/oracle/launch/ptx-tensors.js'
import type { PtxLaunch, PtxTensor } from '../../../src/oracle/launch/ptx-file.js'

const files = (
  role: PtxTensor['role'],
  file: string | null | undefined,
  isOutput: boolean,
): readonly unknown[] => {
  const t: PtxTensor = {
    tensor: 'x',
    dtype: 'f32',
    shape: [4],
    ...(role === undefined ? {} : { role }),
    ...(file === undefined ? {} : { file }),
  }
  const launch: PtxLaunch = { grid: [1], block: [1], args: [], outputs: isOutput ? ['x'] : [] }
  const { before, behind } = filesInLaunch('there/launch.json', launch, t)
  return [before, behind]
}
const [own, other] = ['there/x.npy', 'there/before.npy']

test.each([
  ['in', undefined, true, own, null],
  ['in', 'before.npy', true, other, null],
  ['in', null, true, null, null],
  ['in', undefined, false, own, null],
  ['out', undefined, true, null, own],
  ['out', undefined, false, null, null],
  ['inout', 'before.npy', true, other, own],
  ['inout', 'x.npy', true, own, null],
  ['inout', undefined, false, own, null],
  [undefined, undefined, true, null, own],
  [undefined, 'before.npy', true, other, own],
  [undefined, undefined, false, own, null],
] as const)('role %s, file %s, an output: %s', (role, file, isOutput, before, behind) => {
  expect(files(role, file, isOutput)).toEqual([before, behind])
})
