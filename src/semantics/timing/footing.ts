/**
 * What a CTA takes of a multiprocessor: threads, registers, shared memory.
 *
 * Of PTX the launch says threads and shared memory, and the text most of the registers (`registers.ts`). A core program says its agents and where its storages lie; its
 * registers are a compiler's matter, and are taken as `usual`.
 */
import { bitsOf } from '../../numerics/dtype.js'
import * as Ref from '../../transforms/ref.js'
import type { PlacedStorage, World } from '../machine/world.js'
import type { Footing } from './time.js'

/** Registers of a thread, where nothing says how many. */
const usual = 128

const endOf = ({ contents, offset }: PlacedStorage): number =>
  contents._tag === 'barriers'
    ? offset + 8 * contents.shape.reduce((n, x) => n * x, 1)
    : offset + (bitsOf(contents.dtype) === 0 ? 0 : Ref.extentBytes(contents.layout))

/** Of a core program. */
export const footingOf = ({ header, storages, ctas, resident }: World): Footing => {
  const own = header.agents.slice(0, header.agents.length / (ctas * resident))
  const warps = own.reduce((n, a) => Math.max(n, (a.firstWarp ?? 0) + a.warps), 0)
  const shared = [...storages.values()].reduce((n, s) => (s.space === 'smem' ? Math.max(n, endOf(s)) : n), 0)
  return { threads: Math.max(32, warps * 32), registers: usual, shared }
}
