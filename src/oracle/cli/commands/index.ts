/**
 * Every command of `tcspec`, in the order in which help lists them: what help says of it, and the module that it is loaded from when it is asked for.
 */
import type { Listed } from '../command.js'

const demo: Listed = {
  name: 'demo',
  description: 'a tour in ten seconds: a swizzle, a kernel proved right, a kernel that only looks right',
  load: async () => (await import('./demo.js')).demoCommand,
}

const kernels: Listed = {
  name: 'kernels',
  description:
    'list the kernels, the settings and tensors of one kernel, or the arguments of a module or PTX',
  load: async () => (await import('./kernels.js')).kernelsCommand,
}

const run: Listed = {
  name: 'run',
  description: 'run a kernel, judge its synchronisation, compare its output with naive matmul',
  load: async () => (await import('./run.js')).runCommand,
}

const check: Listed = {
  name: 'check',
  description:
    'judge a kernel, a program or a trace without data: the verdict, and a proof of what it computes',
  load: async () => (await import('./check.js')).checkCommand,
}

const cuda: Listed = {
  name: 'cuda',
  description: 'run a CUDA program without a GPU: every launch is executed bit for bit and judged',
  load: async () => (await import('./cuda.js')).cudaCommand,
}

const capture: Listed = {
  name: 'capture',
  description:
    'on a machine with a GPU: record what a program launches, before and after, for check to replay',
  load: async () => (await import('./capture.js')).captureCommand,
}

const trace: Listed = {
  name: 'trace',
  description: 'the events of a run: as a table, a timeline, or the trace itself',
  load: async () => (await import('./trace.js')).traceCommand,
}

const time: Listed = {
  name: 'time',
  description: 'predict how long a kernel takes on a chip: what is busy, what bounds it, its critical path',
  load: async () => (await import('./time.js')).timeCommand,
}

const view: Listed = {
  name: 'view',
  description: 'step through a run: the changes of every step, and the verdict, as a page in one file',
  load: async () => (await import('./view.js')).viewCommand,
}

const litmus: Listed = {
  name: 'litmus',
  description: 'run a litmus test of the memory model: its verdict, and the arrows that decide it',
  load: async () => (await import('./litmus.js')).litmusCommand,
}
const mutate: Listed = {
  name: 'mutate',
  description: 'make every change of one operation, judge each, and print the kill rate',
  load: async () => (await import('./mutate.js')).mutateCommand,
}

const sweep: Listed = {
  name: 'sweep',
  description: 'judge a grid of kernels, settings, schedules and mutants on all cores; merge the results',
  load: async () => (await import('./sweep.js')).sweepCommand,
}

const mma: Listed = {
  name: 'mma',
  description: 'd = c + a b of npy files by the matrix products of a chip, bit for bit',
  load: async () => (await import('./mma.js')).mmaCommand,
}

const compare: Listed = {
  name: 'compare',
  description: 'compare two npy files bit for bit: exit status 0 if equal, 1 if not',
  load: async () => (await import('./compare.js')).compareCommand,
}

const layout: Listed = {
  name: 'layout',
  description: 'find the lane and register of each element, or compare two layouts',
  load: async () => (await import('./layout.js')).layoutCommand,
}

const transform: Listed = {
  name: 'transform',
  description: 'an array in shared memory: physical shape, strides, the byte of every element',
  load: async () => (await import('./transform.js')).transformCommand,
}

const linear: Listed = {
  name: 'linear',
  description: 'layouts as bases over GF(2), and their algebra',
  load: async () => (await import('./linear.js')).linearCommand,
}

const cute: Listed = {
  name: 'cute',
  description: 'the CuTe algebra of shape:stride layouts',
  load: async () => (await import('./cute.js')).cuteCommand,
}

const tmem: Listed = {
  name: 'tmem',
  description: 'tensor memory: where a layout puts each element, and the columns that arrays take',
  load: async () => (await import('./tmem.js')).tmemCommand,
}

const banks: Listed = {
  name: 'banks',
  description: 'bank conflicts of a register layout on transformed shared memory, or of addresses',
  load: async () => (await import('./banks.js')).banksCommand,
}

const image: Listed = {
  name: 'image',
  description: 'the image of a TMA box in shared memory: origins, fill and byte count',
  load: async () => (await import('./image.js')).imageCommand,
}

const vectors: Listed = {
  name: 'vectors',
  description: 'test vectors for other back ends: questions of every suite with their answers, as files',
  load: async () => (await import('./vectors.js')).vectorsCommand,
}

const ptx: Listed = {
  name: 'ptx',
  description: 'the contents of a PTX module: entries, parameters, opcodes, barriers, waits',
  load: async () => (await import('./ptx.js')).ptxCommand,
}

const tiling: Listed = {
  name: 'tiling',
  description: 'the order of tiles: the operands that each wave of clusters reads, and what a cache saves',
  load: async () => (await import('./tiling.js')).tilingCommand,
}

const score: Listed = {
  name: 'score',
  description: 'test your own implementation against the specification; failing questions are minimised',
  load: async () => (await import('./score.js')).scoreCommand,
}

const completion: Listed = {
  name: 'completion',
  description: 'the script that makes a shell complete commands, options, kernels and layouts',
  load: async () => (await import('./completion.js')).completionCommand,
}

const serve: Listed = {
  name: 'serve',
  description: 'answer questions on standard input and output: JSON-RPC, one document a line',
  load: async () => (await import('./serve.js')).serveCommand,
}

const open: Listed = {
  name: 'open',
  description:
    'serve the page on a port of this machine: layouts, runs, races and the memory model in a browser',
  load: async () => (await import('./open.js')).openCommand,
}

/** All of them. */
export const commands: ReadonlyArray<Listed> = [
  demo,
  kernels,
  run,
  check,
  cuda,
  capture,
  trace,
  time,
  view,
  litmus,
  mutate,
  sweep,
  mma,
  compare,
  layout,
  transform,
  linear,
  cute,
  tmem,
  banks,
  image,
  ptx,
  vectors,
  tiling,
  score,
  completion,
  serve,
  open,
]

/** Those that `tcspec serve` and the page ask (`serve/methods.ts`): a bundle of these alone has none of the others. */
export const asked: ReadonlyArray<Listed> = [
  kernels,
  run,
  check,
  trace,
  view,
  litmus,
  mutate,
  mma,
  compare,
  layout,
  transform,
  linear,
  cute,
  tmem,
  banks,
  image,
  tiling,
]
