/** Kernels to begin with, all of them of this project. */
import rowScaleText from '../../../../conformance/triton/first/row_scale.ttgir?raw'
import rowScaleAuthor from '../../../../conformance/triton/first/row_scale.py?raw'
import { empty, type State } from './subject.js'

export const examples: ReadonlyArray<{
  readonly title: string
  readonly says: string
  readonly state: State
}> = [
  {
    title: 'row_scale.ttgir',
    says: 'Gluon: a tile is doubled in shared memory and stored by TMA, without a fence between',
    state: {
      ...empty,
      name: 'row_scale.ttgir',
      text: rowScaleText,
      beside: { 'row_scale.py': rowScaleAuthor },
    },
  },
  {
    title: 'matmul1 without a wait',
    says: 'a Blackwell matmul of the catalogue, without wait consumed',
    state: { ...empty, kernel: 'matmul1', without: ['wait consumed'] },
  },
  {
    title: 'zoo/W3',
    says: 'twelve lines: the operand of a wgmma is overwritten while it is read',
    state: { ...empty, kernel: 'zoo/W3' },
  },
]
