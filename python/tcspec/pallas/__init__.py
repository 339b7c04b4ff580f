"""Pallas kernels of Mosaic GPU, traced on a CPU: from a JAX function to ``tcspec.jaxpr/1`` documents, one a kernel launch.

    from tcspec import pallas

    traced = pallas.trace(matmul, a, b, sms=132)         # arrays, numpy arrays or jax.ShapeDtypeStruct; what is no array is passed as it is
    for export in traced.exports:                        # every kernel of the traced program, in its order
        export.name, export.document, export.text()      # the document as a dictionary, and as JSON text
        export.inputs, export.outputs                    # Operand(name, role, dtype, shape), dtype in our names

    pallas.export(matmul, a, b)                          # the same list of exports, in one call

    def on_kernel(export, inputs):                       # inputs: numpy arrays, one for each of export.inputs
        return [...]                                     # numpy arrays, one for each of export.outputs
    pallas.evaluate(traced, (a, b), on_kernel)           # what the function returns (its pytree, numpy leaves): JAX's own code around
                                                         # the kernels is evaluated on the CPU, each kernel by ``on_kernel``

``trace`` takes the arguments of the function; keyword arguments but ``sms`` are passed on to it. During the trace, and only then, the default device
looks like a chip of ``sms`` multiprocessors. An exception that the function raises comes through unchanged.

What cannot be exported raises ``Refused`` with a stable ``code`` and one line: ``jax-version`` (not a version that is known), ``primitive`` (not known:
its name, JAX's version and the line), ``inline-mgpu`` (and what to do instead), ``no-kernel`` (the function launches none), ``not-exported``
(a known primitive in a form that has no place in the document; the line says which).

JAX is imported when something is traced, not before.
"""

from .document import Export, Operand
from .errors import Refused
from .evaluation import evaluate, known_inputs
from .program import Traced, export, trace

__all__ = ["Export", "Operand", "Refused", "Traced", "evaluate", "export", "known_inputs", "trace"]
