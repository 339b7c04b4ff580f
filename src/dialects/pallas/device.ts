/**
 * Other devices: outside.
 *
 * A kernel here runs on one device. What names a peer (a ref of another device, a multicast ref of all of them, a signal to all) is refused where it
 * stands, in place of a verdict about half of a program.
 *
 * Names: `plgpu.remote_ref`, `plgpu.multicast_ref`, `multimem_store`, `multimem_load_reduce`, `semaphore_signal_multicast`.
 *
 * Source: JAX docs, Pallas:MGPU reference (remote refs).
 */
import { block, typeHere, type Build } from '../../semantics/writing/builder.js'
import type { Expr } from '../../semantics/language/expression.js'
import { showType } from '../../semantics/language/typecheck.js'
import { refused, type Code } from './codes.js'
import type { Semaphore } from './semaphore.js'

const one = 'kernels over several devices are not judged yet'

const ofRef = (code: Code, label: string, what: string, ref: Expr, whither: string): Build<never> =>
  block(function* () {
    const type = yield* typeHere(ref)
    return yield* refused(code, `${label}: ${what} of ${showType(type)} ${whither}: ${one}`)
  })

/** `remote_ref(ref, device_id)`. */
export const remoteRef = (label: string, ref: Expr, deviceId: number | string): Build<never> =>
  ofRef('pallas.device.remote', label, 'remote_ref', ref, `on device ${String(deviceId)}`)

/** `multicast_ref(ref, ...)`. */
export const multicastRef = (label: string, ref: Expr): Build<never> =>
  ofRef('pallas.device.multicast', label, 'multicast_ref', ref, 'on all devices')

/** `multimem_store(value, ref)`. */
export const multimemStore = (label: string, value: Expr): Build<never> =>
  ofRef('pallas.device.multicast', label, 'multimem_store', value, 'to all devices')

/** `multimem_load_reduce(ref, ...)`. */
export const multimemLoadReduce = (label: string, ref: Expr): Build<never> =>
  ofRef('pallas.device.multicast', label, 'multimem_load_reduce', ref, 'over all devices')

/** `semaphore_signal_multicast(sem, ...)`. */
export const semaphoreSignalMulticast = (label: string, semaphore: Semaphore): Build<never> =>
  refused(
    'pallas.device.signal',
    `${label}: semaphore_signal_multicast of ${semaphore.name} to all devices: ${one}`,
  )
