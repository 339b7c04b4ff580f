/**
 * Warps: instructions a second by kind, of rows that are uniform and of rows that are not, beside a plain loop over 32 lanes.
 *
 *     node bench/warps.mjs, after a build
 *
 * A uniform instruction is done once for 32 lanes. The last column says how many times as long the same takes on rows that differ from lane to lane.
 */
import { elaborate } from '../dist/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../dist/dialects/ptx/index.js'
import { bits } from '../dist/numerics/bits.js'
import { launchWarps } from '../dist/semantics/execution/launch-warps.js'
import { eager } from '../dist/semantics/execution/policy.js'
import { ignore, run, settings } from '../dist/semantics/execution/run.js'

const rounds = 7
const turns = 400
const copies = 100

const right = (either) => {
  if (either._tag === 'Left') throw new Error(either.left.message)
  return either.right
}
const median = (xs) => [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)]

/** The instruction, many times in a loop; `%x` is uniform or not. */
const moduleOf = (line, from) => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() {
  .shared .align 16 .b8 buf[1024];
  .reg .pred %p, %q;
  .reg .b32 %x, %y, %z, %i, %a;
  .reg .b64 %w;
  mov.u32 %x, ${from};
  mov.u32 %y, ${from};
  mov.u32 %z, ${from};
  mov.b64 %w, {%x, %y};
  mov.u32 %i, 0;
  shl.b32 %a, %x, 2;
  and.b32 %a, %a, 127;
  mov.u32 %z, buf;
  add.u32 %a, %a, %z;
  setp.eq.s32 %q, %x, %y;
  st.shared.u32 [%a], %x;
  mov.u32 %z, ${from};
LOOP:
${Array.from({ length: copies }, () => `  ${line}`).join('\n')}
  add.s32 %i, %i, 1;
  setp.lt.s32 %p, %i, ${String(turns)};
  @%p bra LOOP;
  exit;
}
`

const kinds = [
  ['add.s32', 'add.s32 %z, %x, %y;', (x, y) => (x + y) | 0],
  ['mad.lo.s32', 'mad.lo.s32 %z, %x, %y, %z;', (x, y, z) => (Math.imul(x, y) + z) | 0],
  ['shl.b32', 'shl.b32 %z, %x, 3;', (x) => x << 3],
  ['add.s64', 'add.s64 %w, %w, %w;', null],
  ['fma.rn.f32', 'fma.rn.f32 %z, %x, %y, %z;', null],
  ['setp.lt.s32', 'setp.lt.s32 %q, %x, %z;', (x, _, z) => (x < z ? 1 : 0)],
  ['selp.b32', 'selp.b32 %z, %x, %y, %q;', (x, y, z) => ((z & 1) === 1 ? x : y)],
  ['shfl.sync.bfly', 'shfl.sync.bfly.b32 %z, %x, 1, 31, -1;', null],
  ['ld.shared.u32', 'ld.shared.u32 %z, [%a];', null],
]

const secondsOf = (text) => {
  const { program } = right(elaborate(right(parseModule(text)), null, 'bench.ptx'))
  const given = {
    grid: [1],
    block: [32],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(0),
    pointers: [],
    tensors: [],
    sharedBase: 1024,
  }
  const times = []
  for (let r = 0; r < rounds; r++) {
    const start = process.cpuUsage()
    // a launch runs every warp to its first effect
    const { world, machine } = right(launchWarps(program, given, bits('hopper')))
    const { outcome } = run(world, machine, settings(eager), ignore)
    if (outcome._tag !== 'completed') throw new Error(JSON.stringify(outcome))
    times.push(process.cpuUsage(start).user / 1e6)
  }
  return median(times)
}

/** The same on three plain arrays of 32 words. */
const plain = (f) => {
  const x = Int32Array.from({ length: 32 }, (_, l) => l)
  const y = Int32Array.from(x)
  const z = Int32Array.from(x)
  const times = []
  for (let r = 0; r < rounds; r++) {
    const start = process.cpuUsage()
    for (let n = 0; n < turns * copies; n++) for (let l = 0; l < 32; l++) z[l] = f(x[l], y[l], z[l])
    times.push(process.cpuUsage(start).user / 1e6)
  }
  return median(times)
}

const perInstruction = (seconds) => (seconds / (turns * copies)) * 1e9
console.log('kind              uniform ns   lanes ns   plain loop ns   lanes / uniform')
for (const [name, line, f] of kinds) {
  const uniform = perInstruction(secondsOf(moduleOf(line, '7')))
  const lanes = perInstruction(secondsOf(moduleOf(line, '%tid.x')))
  const loop = f === null ? null : perInstruction(plain(f))
  console.log(
    `${name.padEnd(18)}${uniform.toFixed(1).padStart(10)}${lanes.toFixed(1).padStart(11)}${(loop === null ? '-' : loop.toFixed(1)).padStart(16)}${(lanes / uniform).toFixed(1).padStart(18)}`,
  )
}
