/**
 * What the elaboration of a jaxpr refuses by itself, by a stable code. What the Pallas surface refuses keeps its own code.
 *
 * | code              | refused is                                                                    |
 * |-------------------|-------------------------------------------------------------------------------|
 * | `jaxpr.operation` | an operation that is not known, or whose meaning is not known here              |
 * | `jaxpr.operand`   | an operand of another kind than the operation takes                            |
 * | `jaxpr.param`     | a parameter that is missing, or of another form                                |
 * | `jaxpr.view`      | something applied to a ref that does not go with it                            |
 * | `jaxpr.dtype`     | an element type that this library has not, or not in this place                |
 * | `jaxpr.layout`    | a layout that is none, or that arrays do not have in common                    |
 * | `jaxpr.form`      | a document that contradicts itself                                             |
 * | `jaxpr.launch`    | a launch that the surface has no words for                                     |
 *
 * Law 1. The message of a refusal begins with the author's line and the operation, `kernel.py:31: barrier_wait: `, where they are known.
 */
export type Code =
  | 'jaxpr.operation'
  | 'jaxpr.operand'
  | 'jaxpr.param'
  | 'jaxpr.view'
  | 'jaxpr.dtype'
  | 'jaxpr.layout'
  | 'jaxpr.form'
  | 'jaxpr.launch'
