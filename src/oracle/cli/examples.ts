/**
 * Examples: for every command, lines that can be typed as they are, and what each is for.
 *
 * `tcspec help COMMAND` and the manual page end with them. Files that they read are named as a reader would name theirs: `a.npy`, `k/k.ttgir`.
 *
 * Law 1. Every command has an example, and every example is a line that its command takes: run on files of these names it refuses nothing.
 */
import { wrap } from '../../render/table.js'
import { own } from '../../own.js'

export interface Example {
  /** the words behind `tcspec` */
  readonly line: string
  readonly says: string
}

const of = (...pairs: ReadonlyArray<readonly [line: string, says: string]>): ReadonlyArray<Example> =>
  pairs.map(([line, says]) => ({ line, says }))

/** By the name of the command. */
export const examples: Readonly<Record<string, ReadonlyArray<Example>>> = {
  demo: of(['demo', 'the tour']),
  kernels: of(
    ['kernels', 'list the kernels'],
    ['kernels hopper-matmul', 'the settings, defaults and tensors of one kernel'],
    ['kernels kernel.ptx', 'the parameters of PTX with their offsets, and a first launch file'],
  ),
  run: of(
    ['run hopper-matmul --set m=128 n=128 k=256', 'on seeded inputs, compared with naive matmul'],
    ['run hopper-matmul --in a=a.npy b=b.npy --out out=out.npy', 'on your data, as an H100 would'],
    ['run hopper-matmul --in all.npz --out o.npz', 'the same, from one file of several tensors to another'],
    ['run k/k.ttgir --launch k/launch.json', 'a module that Triton wrote'],
    ['run kernel.ptx --launch launch.json', 'PTX, compared with the expected outputs in files'],
    ['run fa3-attention --over tiles', 'which inputs reach which output'],
  ),
  check: of(
    ['check hopper-matmul', 'a verdict that holds in every schedule, and a proof of what it computes'],
    ["check hopper-matmul --without 'commit_smem'", 'the same with a statement left out'],
    ['check zoo/R1', 'a hazard by its id, in the smallest kernel that has it'],
    ['check zoo/R1 --mend 1', 'the same kernel with the fix of its first finding, judged again'],
    ['check k.jaxpr.json --computes matmul:a_gmem,b_gmem,out_gmem', 'a Pallas kernel, as JAX traced it'],
    [
      'check k/k.ttgir --launch k/launch.json --computes matmul:a,b,c',
      'a module, and a proof that it is a matmul',
    ],
    ['check kernel.ptx --launch launch.json', 'PTX, with the lines of its .cu'],
    ['check run.jsonl --json', 'a trace of another tool, with the verdict as JSON'],
  ),
  cuda: of(
    ['cuda -- ./a.out', 'a CUDA program without a GPU: every launch executed and judged'],
    ['cuda --save run -- ./a.out 4096', 'the same, and its launches saved as data for check'],
  ),
  capture: of(
    ['capture -o run -- ./a.out', 'on a machine with a GPU: its launches, with all bits before and after'],
    [
      'capture -o run --only softmax --ptx ~/.triton/cache -- python train.py',
      'launches of a Triton kernel, with its PTX',
    ],
  ),
  trace: of(
    ['trace hopper-matmul --set k=128', 'the run, event by event'],
    ['trace hopper-matmul -o run.json', 'a timeline for ui.perfetto.dev'],
    ['trace hopper-matmul -o run.jsonl', 'the trace itself, as input for check'],
    [
      'trace kernel.ptx --launch launch.json -o run.svg',
      'PTX, drawn with a lane for each warp and each unit',
    ],
  ),
  time: of(
    ['time hopper-matmul --set m=512 n=512 k=512', 'the time that it takes, and what it waits for'],
    ['time kernel.ptx --launch launch.json --registers 40', 'PTX, with the number of registers from ptxas'],
    ['time kernel.ptx --launch launch.json --chip h100:l2.bandwidth=x1.2', 'the same with a faster L2'],
    ['time matmul2 -o time.json', 'a timeline to scale for ui.perfetto.dev'],
    ['time matmul2 --numbers', 'the numbers that a prediction rests on, with their sources'],
  ),
  view: of(
    ['view hopper-matmul', 'the contents of a recording of the run'],
    ['view hopper-matmul --set k=128 -o run.html', 'the run as a page that plays it, in one file'],
    ['view kernel.ptx --launch launch.json -o run.html', 'PTX, next to the lines of its text'],
    ["view hopper-matmul --schedule 'eager 0=1:1' --json", 'another first event, as JSON'],
  ),
  litmus: of(
    ['litmus release', 'the test of a clause, and the reasons for each pair of accesses'],
    ['litmus release --without release', 'the same in a model that has no such clause: exit status 1'],
    ['litmus mp.litmus.txt -o mp.svg', 'a test of your own, with one event on each line, as a picture'],
    ['litmus mp.litmus', 'a litmus test of PTX: whether its final state is allowed, and why'],
    ['litmus mp.litmus --without causality', 'the same without an axiom of the PTX ISA'],
  ),
  mutate: of(
    ['mutate queue', 'all wrong versions of its synchronisation, and which of them are found'],
    ['mutate kernel.ptx --launch launch.json', 'the same for PTX, for each line of the text'],
  ),
  sweep: of(
    ['sweep grid.json', 'a grid of kernels, settings and schedules, counted'],
    ['sweep grid.json -o results.jsonl', 'the same, with one line for each point'],
    ['sweep grid.json -o results.jsonl --resume', 'after an interruption: the points without an answer'],
    ['sweep grid.json -o part-1.jsonl --shard 1/2', 'the first half of the points'],
    ['sweep grid.json -o part-2.jsonl --shard 2/2', 'the second half, on another machine'],
    ['sweep merge part-1.jsonl part-2.jsonl -o merged.jsonl', 'both, in the order of the grid'],
  ),
  mma: of(
    ['mma --in a=a.npy b=b.npy --out d=d.npy', 'f16 into f32, as Hopper does it'],
    ['mma --in a:e4m3=a8.npy b:e5m2=b8.npy --acc f16', '8-bit floats, which npy files hold as u1'],
    ['mma --in all.safetensors --out d=d.npz', 'a and b by their names, with the types that the file gives'],
  ),
  compare: of(
    ['compare out.npy expected.npy', 'are the bits equal, and if not, how far apart?'],
    ['compare o.npz:out expected.npy', 'one tensor of several'],
  ),
  layout: of(
    ['layout WGMMA --shape 64x16', 'the lane and register of each element'],
    ['layout WGMMA --shape 64x16 -o wgmma.svg', 'the same as a picture'],
    [
      'layout check mine.json --against WGMMA --shape 64x64',
      'equal, or the first element that differs: exit status 1',
    ],
    ['layout names', 'the names of layouts'],
  ),
  transform: of(
    ['transform --shape 128x128 tile=8x64 swizzle=128', 'the byte of every element'],
    ['transform array.json', 'the same array as JSON (tcspec.array/1)'],
  ),
  linear: of(['linear WGMMA --shape 64x16 --invert', 'from lane and register to the element, as bases']),
  cute: of(
    ["cute '(4,(2,2)):(2,(1,8))'", 'a layout, its facts and its values'],
    ["cute logical_divide '(6,8):(8,1)' '[3:1;4:1]'", 'the algebra'],
  ),
  tmem: of(["tmem 'acc=DEFAULT(1):128x256:f32'", 'the columns of an accumulator']),
  banks: of(['banks WGMMA --shape 64x64 tile=8x64 swizzle=128', 'conflicts, counted as an H100 counts them']),
  image: of([
    'image --box 16x32 --swizzle 64 --tensor 20x40 --at 8,-8',
    'the elements that a TMA copy leaves, and fills',
  ]),
  tiling: of(['tiling --m-tiles 16 --n-tiles 32 --clusters 74', 'which operands a wave of clusters shares']),
  ptx: of(['ptx kernel.ptx', 'the contents, and the unsupported parts']),
  vectors: of(
    ['vectors --list', 'the suites and their rules'],
    ['vectors swizzle -o vectors', 'one suite as files; all of them if none is named'],
  ),
  score: of(
    ['score --suite swizzle -- python3 back-end.py', 'one suite, with a line for each rule'],
    ['score --junit score.xml -- ./my-backend --quiet', 'all suites, with a report for a CI server'],
  ),
  serve: of(
    ['serve', 'requests on standard input, a line each, until it ends'],
    ['serve --files kernels --threads 4', 'requests may name the files of one folder'],
  ),
  open: of(
    ['open', 'the page; its address is printed'],
    ['open matmul1', 'the page, with the run of a kernel'],
  ),
  completion: of(['completion bash', 'append it with `>> ~/.bashrc`; zsh and fish read it from a folder']),
}

// ---------------------------------------------------------------- text

/** A line that is too wide goes on behind a backslash, as a shell reads it. */
const continued = (line: string, width: number): string => {
  const lines: string[] = []
  for (const part of line.split(/ (?=--)/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + part.length + 3 <= width)
      lines[lines.length - 1] = `${last} ${part}`
    else lines.push(last === undefined ? part : `    ${part}`)
  }
  return lines.join(' \\\n')
}

/** What the help of a command ends with, in lines of at most this width where words allow it. */
export const exampleText = (command: string, width: number): string => {
  const known = own(examples, command) ?? []
  return known.length === 0
    ? ''
    : `\nExamples:\n${known
        .map(({ line, says }) =>
          [
            continued(`  tcspec ${line}`, width),
            ...wrap(says, width - 6).map((text) => `      ${text}`),
          ].join('\n'),
        )
        .join('\n')}`
}
