/** Texts of the examples, as a script that sets `tcspecExamples`: kernels that this project wrote and compiled, with their launches and without their data. */
import clusterRing from '../../../../conformance/hopper/cuda/cluster_ring/broken1.ptx?raw'
import clusterRingAuthor from '../../../../conformance/hopper/cuda/cluster_ring/cluster_ring.cu?raw'
import clusterRingLaunch from '../../../../conformance/hopper/cuda/cluster_ring/launch.json?raw'
import clusterSum from '../../../../conformance/hopper/cuda/cluster_reduce/broken1.ptx?raw'
import clusterSumAuthor from '../../../../conformance/hopper/cuda/cluster_reduce/cluster_reduce.cu?raw'
import clusterSumLaunch from '../../../../conformance/hopper/cuda/cluster_reduce/launch.json?raw'
import blockSum from '../../../../conformance/hopper/cuda/block_reduce/broken1.ptx?raw'
import blockSumAuthor from '../../../../conformance/hopper/cuda/block_reduce/block_reduce.cu?raw'
import blockSumLaunch from '../../../../conformance/hopper/cuda/block_reduce/launch.json?raw'
import doubleBuffer from '../../../../conformance/hopper/cuda/cpasync_double/broken1.ptx?raw'
import doubleBufferAuthor from '../../../../conformance/hopper/cuda/cpasync_double/cpasync_double.cu?raw'
import doubleBufferLaunch from '../../../../conformance/hopper/cuda/cpasync_double/launch.json?raw'
import lastBlock from '../../../../conformance/hopper/cuda/last_block/broken1.ptx?raw'
import lastBlockAuthor from '../../../../conformance/hopper/cuda/last_block/last_block.cu?raw'
import lastBlockLaunch from '../../../../conformance/hopper/cuda/last_block/launch.json?raw'
import tiled from '../../../../conformance/hopper/cuda/matmul_f32/matmul_f32.ptx?raw'
import tiledAuthor from '../../../../conformance/hopper/cuda/matmul_f32/matmul_f32.cu?raw'
import tiledLaunch from '../../../../conformance/hopper/cuda/matmul_f32/launch.json?raw'
import pallas from '../../../../conformance/jaxpr/tutorial/matmul2.json?raw'
import pipelined from '../../../../conformance/triton/captures/mm_hosttma_nows_64x64x32_s4_w4_256x256x192/mm_hosttma_nows_64x64x32_s4_w4_256x256x192.ttgir?raw'
import { launchedPtx } from './launch.js'
import { empty, type State } from './subject.js'

const cuda = (name: string, text: string, author: string, launch: string): State => {
  const said = launchedPtx(JSON.parse(launch), new Set())
  return { ...empty, name: `${name}.ptx`, text, beside: { [`${name}.cu`]: author }, ...said }
}

globalThis.tcspecExamples = {
  'block sum': cuda('block_reduce', blockSum, blockSumAuthor, blockSumLaunch),
  'double buffer': cuda('cpasync_double', doubleBuffer, doubleBufferAuthor, doubleBufferLaunch),
  'tiled matmul': cuda('matmul_f32', tiled, tiledAuthor, tiledLaunch),
  'cluster sum': cuda('cluster_reduce', clusterSum, clusterSumAuthor, clusterSumLaunch),
  'cluster ring': cuda('cluster_ring', clusterRing, clusterRingAuthor, clusterRingLaunch),
  'last block': cuda('last_block', lastBlock, lastBlockAuthor, lastBlockLaunch),
  'pipelined matmul': {
    ...empty,
    name: 'matmul.ttgir',
    text: pipelined,
    grid: '4,4',
    arg: { da: 'f16[256,192]:in', db: 'f16[192,256]:in', dc: 'f16[256,256]:out', K: '192' },
    computes: 'matmul:da,db,dc',
  },
  'Blackwell matmul': { ...empty, name: 'matmul2.jaxpr.json', text: pallas },
}
