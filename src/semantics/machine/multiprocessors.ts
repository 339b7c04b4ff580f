/**
 * Multiprocessors of the largest chip of an architecture. Each holds one CTA at least, so that many are on the chip at once, whatever they take.
 *
 * Source: NVIDIA H100 Tensor Core GPU Architecture (white paper); NVIDIA Blackwell architecture technical brief.
 */
import type { Header } from '../log/events.js'

export const multiprocessors: Readonly<Record<Header['arch'], number>> = { sm90a: 132, sm100a: 148 }
