/**
 * The Hopper matmul, broken in every way that leaving one statement out can break it.
 *
 * Nine k steps on four slots, so every slot is refilled and every wait matters. `shows` are ids that the verdict must name; a neighbour
 * that is right is the kernel itself.
 *
 * | left out            | verdict      | because                                                             |
 * |---------------------|--------------|---------------------------------------------------------------------|
 * | init loaded[0]      | deadlock     | the barrier counts nothing, so its wait never passes                |
 * | block starts        | hazard       | the consumer may use a barrier before it is initialised              |
 * | zero acc            | hazard       | the first wgmma adds to what nothing has written                    |
 * | zero acc.fence      | hazard       | the zeros are not visible to the tensor core                        |
 * | wait loaded         | deadlock     | read before arrival; and the ring runs out of step                  |
 * | wgmma               | wrong-result | the output is zero                                                  |
 * | wgmma.group         | hazard       | a group wait covers nothing: operands are overwritten in flight     |
 * | wgmma_wait 1        | hazard       | a slot is given back while the tensor core reads it                 |
 * | arrive consumed     | deadlock     | no slot is ever free again                                          |
 * | acc[...].wait       | hazard       | the accumulator is read while it is written                         |
 * | out_smem[...] = acc | hazard       | the store reads what nothing has written                            |
 * | commit_smem         | hazard       | the copy may not see what was stored                                |
 * | copy out            | hazard       | the output is never written                                         |
 * | copy out.group      | hazard       | the copy may still run at exit                                      |
 * | wait out            | hazard       | the copy may still run at exit                                      |
 * | copy a              | deadlock     | bytes are expected that never come                                  |
 * | copy a.expect       | deadlock     | an arrival is missing                                               |
 * | wait consumed       | deadlock     | a slot is overwritten before it was consumed (once explored)        |
 */
import { breaking, type Broken } from './model.js'

const { broken, brokenElsewhere } = breaking('hopper-matmul')

export const brokenHopperMatmuls: ReadonlyArray<Broken> = [
  broken('init loaded[0]', 'deadlock', 'B7'),
  broken('block starts', 'hazard', 'B7'),
  broken('zero acc', 'hazard', 'I1'),
  broken('zero acc.fence', 'hazard', 'P1'),
  brokenElsewhere('wait loaded', 'deadlock', 'R1'),
  broken('wgmma', 'wrong-result'),
  broken('wgmma.group', 'hazard', 'W3', 'M1', 'U2'),
  broken('wgmma_wait 1', 'hazard', 'W3'),
  broken('arrive consumed', 'deadlock', 'B5'),
  broken('acc[...].wait', 'hazard', 'M1'),
  broken('out_smem[...] = acc', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('copy out.group', 'hazard', 'U2'),
  broken('wait out', 'hazard', 'U2'),
  broken('copy a', 'deadlock', 'B4'),
  broken('copy a.expect', 'deadlock', 'B5'),
  brokenElsewhere('wait consumed', 'deadlock', 'W1'),
]
