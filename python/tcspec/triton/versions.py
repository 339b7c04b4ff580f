"""Triton's own parts that are used here, and the versions whose parts they are: one table.

What stands behind ``parts`` is what ``kernel[grid](...)`` itself goes through, up to the text that is judged: the binder and specialiser of arguments,
the sources of both languages, the passes. No part of it asks for a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Mapping

from ..errors import Refused

__all__ = ["Parts", "parts"]


@dataclass(frozen=True)
class Parts:
    """What is taken from a version of Triton."""

    version: str
    #: of ``@triton.jit`` and ``@gluon.jit`` functions, and of what wraps them
    jit_function: Any
    autotuner: Any
    heuristics: Any
    interpreted: Any
    #: ``(signature, parameters, backend)`` to a function that binds and specialises arguments
    binder: Callable[..., Callable[..., Any]]
    #: the specialiser of one argument
    specialise: Callable[..., Any]
    triton_source: Callable[..., Any]
    gluon_source: Callable[..., Any]
    #: of a text: ``(path, context, backend)``
    ir_source: Callable[..., Any]
    backend_of: Callable[[Any], Any]
    target: Callable[..., Any]
    context: Callable[[], Any]
    load_dialects: Callable[[Any], None]
    filter_traceback: Callable[[BaseException], None]
    #: what invalidates Triton's own cache
    environment: Callable[[], Mapping[str, Any]]
    #: classes of host tensor descriptors
    descriptors: Any
    driver: Any
    knobs: Any
    package: str


def _of_3_6(triton: Any) -> Parts:
    import triton.backends.compiler as backends
    import triton.compiler.compiler as compiler
    import triton.experimental.gluon._runtime as gluon
    import triton.experimental.gluon.nvidia.hopper as hopper
    import triton.runtime.autotuner as autotuner
    import triton.runtime.interpreter as interpreter
    import triton.runtime.jit as jit
    import triton.tools.tensor_descriptor as descriptor
    from triton._C.libtriton import get_cache_invalidating_env_vars, ir, native_specialize_impl

    return Parts(
        version=triton.__version__,
        jit_function=jit.JITFunction,
        autotuner=autotuner.Autotuner,
        heuristics=autotuner.Heuristics,
        interpreted=interpreter.InterpretedFunction,
        binder=jit.create_function_from_signature,
        specialise=native_specialize_impl,
        triton_source=compiler.ASTSource,
        gluon_source=gluon.GluonASTSource,
        ir_source=compiler.IRSource,
        backend_of=compiler.make_backend,
        target=backends.GPUTarget,
        context=ir.context,
        load_dialects=ir.load_dialects,
        filter_traceback=compiler.filter_traceback,
        environment=get_cache_invalidating_env_vars,
        descriptors=(descriptor.TensorDescriptor, hopper.TensorDescriptor),
        driver=triton.runtime.driver,
        knobs=triton.knobs,
        package=triton.__path__[0],
    )


#: versions that are known, and where their parts lie
_KNOWN: Mapping[str, Callable[[Any], Parts]] = {"3.6.0": _of_3_6}


@lru_cache(maxsize=1)
def parts() -> Parts:
    """Of the Triton that is installed; refused if there is none, or another."""
    try:
        import triton
    except ImportError as missing:
        raise Refused(f"expected Triton, found none ({missing}): pip install triton==3.6.0", "triton.missing") from None
    found = str(triton.__version__)
    made = _KNOWN.get(found.split("+")[0])
    if made is None:
        raise Refused(f"expected Triton {' or '.join(_KNOWN)}, found {found}", "triton.version")
    return made(triton)
