/**
 * The messages that the stand-ins send (`shim/common.h`).
 *
 * Both sides take the numbers of the messages from this list: the C files are built with it.
 */

/** In the order of their numbers. */
export const calls = [
  'ALLOC',
  'FREE',
  'ENROLL',
  'DISMISS',
  'WRITE',
  'READ',
  'COPY',
  'FILL',
  'HOST_WROTE',
  'SYMBOL',
  'STREAM',
  'EVENT',
  'RECORD',
  'WAIT',
  'RECORD_OUTSIDE',
  'WAIT_OUTSIDE',
  'SYNC',
  'QUERY',
  'IDLE',
  'HOST_FUNCTION',
  'IMAGE',
  'FUNCTION',
  'VARIABLE',
  'NAMED_FUNCTION',
  'NAMED_VARIABLE',
  'LAYOUT',
  'LAUNCH',
  'TENSOR_MAP',
  'CAPTURE',
  'CAPTURED',
  'CAPTURING',
  'GRAPH_NEW',
  'INTO',
  'NODE_MADE',
  'EMPTY',
  'CHILD',
  'EDGES',
  'EDGES_GONE',
  'NODES',
  'ROOTS',
  'CLONE',
  'INSTEAD',
  'INSTANTIATE',
  'UPDATE',
  'GRAPH',
  'MISSING',
] as const

export type Call = (typeof calls)[number]
