/**
 * Kernels to begin with, all of them of this project, in the shapes in which kernels are published. Their texts are a script of its own, which is loaded
 * when one is chosen; `examples-texts.ts` is what it holds.
 */
import { loadScript } from '../../machine/script.js'
import { openingOf } from './opening.js'
import { empty, type State } from './subject.js'

/** The opening kernel, and what the library says of it: the method, the params and the document of each answer. */
declare const tcspecOpening: {
  readonly ttgir: string
  readonly author: string
  readonly answers: ReadonlyArray<{
    readonly method: string
    readonly params: unknown
    readonly document: unknown
  }>
}

export const opening: State = openingOf(tcspecOpening.ttgir, tcspecOpening.author)
export const openingAnswers = tcspecOpening.answers

export interface Example {
  readonly title: string
  readonly of: 'CUDA' | 'Triton, Gluon' | 'Pallas' | 'By name'
  readonly says: string
  readonly state: () => Promise<State>
}

declare global {
  var tcspecExamples: Readonly<Record<string, State>> | undefined
}

const stateOf = async (title: string): Promise<State> => {
  await loadScript('examples.js')
  const state = globalThis.tcspecExamples?.[title]
  return state ?? Promise.reject(new Error(`examples.js: holds no '${title}'`))
}

const named = (title: string, says: string, state: State): Example => ({
  title,
  of: 'By name',
  says,
  state: () => Promise.resolve(state),
})
const held = (of: Example['of'], title: string, says: string): Example => ({
  title,
  of,
  says,
  state: () => stateOf(title),
})

export const examples: ReadonlyArray<Example> = [
  {
    title: 'row scale',
    of: 'Triton, Gluon',
    says: 'Gluon: doubles a tile in shared memory and stores it by TMA, without a fence in between',
    state: () => Promise.resolve(opening),
  },
  held('Triton, Gluon', 'pipelined matmul', 'a matmul as Triton pipelines it, with its PTX'),
  held('CUDA', 'block sum', 'a tree of additions in shared memory that lacks a __syncthreads()'),
  held('CUDA', 'double buffer', 'cp.async into two stages, with one group too many in flight'),
  held('CUDA', 'tiled matmul', 'the textbook matmul in shared memory: no hazard'),
  held('CUDA', 'cluster sum', 'partial sums of a cluster, read before the peer CTAs have started'),
  held('CUDA', 'cluster ring', 'st.async around a cluster; data are read before the wait for them'),
  held('CUDA', 'last block', 'the last block adds up partial sums; a __threadfence() is missing'),
  held('Pallas', 'Blackwell matmul', 'a Pallas kernel as JAX traced it'),
  named('matmul1 without a wait', 'a Blackwell matmul of the catalogue without `wait consumed`', {
    ...empty,
    kernel: 'matmul1',
    without: ['wait consumed'],
  }),
  named('zoo/W3', 'twelve lines: an operand of wgmma is overwritten while it is read', {
    ...empty,
    kernel: 'zoo/W3',
  }),
]

/** Whether a text is that of an example, unchanged. */
export const isExample = (text: string): boolean =>
  text === opening.text || Object.values(globalThis.tcspecExamples ?? {}).some((state) => state.text === text)
