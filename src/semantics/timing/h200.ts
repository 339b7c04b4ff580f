/** An H200 SXM (141 GB HBM3e): the multiprocessors of an H100, more of L2, faster DRAM. What the captures of `conformance/hopper/timing` are from. */
import { documented, fitted, measured, type Chip } from './chip.js'
import { h100 } from './h100.js'

export const h200: Chip = {
  name: 'h200',
  says: 'NVIDIA H200 SXM 141 GB',
  lacks: h100.lacks,
  parameters: Object.assign({}, h100.parameters, {
    'l2.bandwidth': measured(37, 'ring: all multiprocessors, each with its own data'),
    'l2.near': fitted(70, 'warm times of products for calibration'),
    'l2.bytes': documented(60 * 2 ** 20, 'according to the driver'),
    'dram.bandwidth': measured(4250, 'launches: add; ring of 1 GB: 4600 of reads alone'),
  }),
}
