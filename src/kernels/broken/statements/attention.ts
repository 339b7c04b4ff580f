/**
 * Attention, one statement short. More steps than slots, and a mask under which one warpgroup sees fewer keys than the other.
 *
 * | left out                          | verdict  | because                                                                             |
 * |-----------------------------------|----------|-------------------------------------------------------------------------------------|
 * | init schedule[0], block starts    | deadlock | a barrier is used before it is initialised                                           |
 * | wait q                            | hazard   | q is multiplied before it has arrived                                                |
 * | wait k, wait v                    | deadlock | a slot is multiplied before it has arrived, and the ring runs out of step            |
 * | arrive schedule                   | deadlock | the other never hears that it may go on                                              |
 * | wait schedule                     | deadlock | who does not wait for the other runs ahead of the barrier's phases                   |
 * | zero qk, zero qk.fence            | hazard   | products add to what nothing has written, or the tensor core may not see the zeros   |
 * | q @ k.T.group, qk[...].wait       | hazard   | scores are read while the tensor core writes them                                    |
 * | arrive k_consumed, arrive v_consumed | deadlock | no slot is ever free again                                                        |
 * | p @ v.a, p @ v.fence              | hazard   | weights are not in the registers, or the tensor core may not see them                |
 * | p @ v.group, await                | hazard   | the slot of v is given back, and out read, while the tensor core is at work          |
 * | lse_smem[...] = lse, commit_smem  | hazard   | the copy reads what nothing has written, or may not see it                           |
 * | copy out, copy lse                | hazard   | an output is never written                                                           |
 * | copy lse.group, wait out          | hazard   | the block may be gone while its shared memory is read                                |
 * | copy q, fetch k, copy k           | deadlock | bytes are expected that never come                                                   |
 * | any of them `.expect`             | deadlock | the barrier of the slot lacks an arrival                                             |
 * | wait k_consumed, wait v_consumed  | deadlock | a slot is overwritten before it was consumed (once explored)                         |
 * | memory registers                  | deadlock | the threads that multiply ask for registers that are not given                        |
 *
 * Not here: a product that is left out (`q @ k.T`, `p @ v`) is well synchronised and gives wrong numbers; `tcspec run` says so. `skip k_consumed` and
 * `skip v_consumed` matter where the steps that are skipped come first (a sliding window).
 */
import { broken, brokenElsewhere, manifest, type Broken } from './model.js'

export const brokenAttention: ReadonlyArray<Broken> = manifest('fa3-attention', [
  broken('init schedule[0]', 'deadlock', 'B7'),
  broken('block starts', 'hazard', 'B7'),
  broken('wait q', 'hazard', 'R1'),
  brokenElsewhere('wait k', 'deadlock', 'R1'),
  brokenElsewhere('wait v', 'deadlock', 'R1'),
  broken('arrive schedule', 'deadlock', 'B5'),
  brokenElsewhere('wait schedule', 'deadlock', 'W1'),
  broken('zero qk', 'hazard', 'I1'),
  broken('zero qk.fence', 'hazard', 'P1'),
  broken('q @ k.T.group', 'hazard', 'M1', 'W3'),
  broken('qk[...].wait', 'hazard', 'M1', 'W3'),
  broken('arrive k_consumed', 'deadlock', 'B5'),
  broken('arrive v_consumed', 'deadlock', 'B5'),
  broken('p @ v.a', 'hazard', 'I1'),
  broken('p @ v.fence', 'hazard', 'P1'),
  broken('p @ v.group', 'hazard', 'M1', 'W3'),
  broken('await', 'hazard', 'M1', 'W3'),
  broken('lse_smem[...] = lse', 'hazard', 'I1'),
  broken('commit_smem', 'hazard', 'P1'),
  broken('copy out', 'hazard', 'O1'),
  broken('copy lse', 'hazard', 'O1'),
  broken('copy lse.group', 'hazard', 'U2'),
  broken('wait out', 'hazard', 'U2'),
  broken('copy q', 'deadlock', 'B4'),
  broken('copy q.expect', 'deadlock', 'B5'),
  broken('fetch k', 'deadlock', 'B4'),
  broken('fetch v.expect', 'deadlock', 'B5'),
  broken('copy k', 'deadlock', 'B4'),
  broken('copy v.expect', 'deadlock', 'B5'),
  brokenElsewhere('wait k_consumed', 'deadlock', 'W1'),
  brokenElsewhere('wait v_consumed', 'deadlock', 'W1'),
  broken('memory registers', 'deadlock', 'B5'),
])
