/**
 * Names of planes, read: a published finding has the name alone (`detector/report.ts` makes it).
 *
 *     smem@0       smem    shared memory of CTA 0
 *     gmem out     gmem    the tensor `out`
 *     acc@wg0@1    acc     registers of an agent
 */

/** `smem@0` is `smem`, of whatever CTA; `gmem out` is itself. */
export const memoryInName = (plane: string): string => plane.replace(/@.*$/su, '')

export const isSharedByName = (plane: string): boolean => plane.startsWith('smem@')
export const isGlobalByName = (plane: string): boolean => plane.startsWith('gmem ')
