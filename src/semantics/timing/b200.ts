/**
 * A B200.
 *
 * There was none to measure. What is documented is from documents; of all other numbers it is assumed that they are those of an H100. Two numbers are fitted, each to one
 * line of the table of JAX's tutorial on Blackwell matmuls (4096 x 8192 x 4096 of f16): `l2.bandwidth` to its second step, which waits for its operands, and
 * `clock.tensor` to its last one, which the chip's power holds back. The other five lines were looked at while the model of L2 was worked on, so they are no blind test (`docs/Time.md`).
 */
import { multiprocessors } from '../machine/multiprocessors.js'
import {
  allNames,
  assumed as a,
  documented as d,
  fitted as f,
  knownBy,
  type Chip,
  type Name,
  type Parameter,
} from './chip.js'
import { h100 } from './h100.js'

const brief = 'NVIDIA Blackwell architecture technical brief'
const guide = 'CUDA C++ Programming Guide, compute capabilities: 10.0'
const table =
  'JAX, Writing high-performance matrix multiplication kernels for Blackwell, the table of utilisations'

const own: Partial<Readonly<Record<Name, Parameter>>> = {
  sms: d(multiprocessors.sm100a, brief),
  clock: d(1965, 'the highest clock, according to the driver of a B200'),
  'clock.products': d(1965, 'the same'),
  'clock.tensor': f(801, `${table}: step 6`),
  'l2.bytes': d(126e6, brief),
  'l2.bandwidth': f(59, `${table}: step 2`),
  'l2.near': a(120, 'larger than l2.bandwidth by the same factor as on an H200'),
  'l2.step': a(632, 'larger than l2.bandwidth by the same factor as on an H200'),
  'dram.bandwidth': d(7200, `${brief}: 90 % of 8 TB/s`),
  'sm.shared': d(233472, guide),
  'tcgen05.rate': d(4096, `${brief}: 2.25 PFLOPS of dense f16`),
  'tcgen05.issue': a(20, 'as a copy is issued: an instruction of one thread'),
  'tcgen05.latency': a(45, 'as wgmma.latency of an H100'),
  'tmem.bandwidth': d(512, 'PTX ISA, tcgen05.ld: 16 bytes a cycle and lane group of each warp'),
  'tmem.latency': a(30, 'as a load from shared memory'),
  'tmem.allocate': a(100, 'as an access of shared memory by way of a lock'),
}

/** What a multiprocessor has kept since Hopper. */
const kept = Object.fromEntries(
  allNames.map((name) => {
    const parameter = h100.parameters[name]
    const [how, by] = knownBy(parameter)
    return [name, a(parameter.value, `an H100, ${how}: ${by}`)]
  }),
)

export const b200: Chip = {
  name: 'b200',
  says: 'NVIDIA B200',
  lacks: ['wgmma'],
  parameters: Object.assign({}, h100.parameters, kept, own),
}
