"""What is otherwise in JAX while a kernel is traced: it is traced for a chip, and every equation keeps the lines of its own function.

Shipped kernels size their grids by ``device.core_count`` and look at the version of CUDA. A CPU has neither; both are set while a trace is under way
in this thread. What is traced in the backward pass of a derivative, JAX lets stand at the line of the forward call, with no frame of the function that
wrote it; while a trace is under way in this thread it stands where it was written. All of it is taken away behind the last trace, also when it raises.
No file and no configuration of JAX is touched.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Iterator

__all__ = ["tracing_for"]

CUDA_RUNTIME = 13000

_asked = threading.local()
_lock = threading.RLock()
_traces = 0
_own_core_count: Any = None
_name_stack_context: Any = None

_cuda = SimpleNamespace(
    cuda_runtime_get_version=lambda: CUDA_RUNTIME,
    cuda_runtime_build_version=lambda: CUDA_RUNTIME,
    cuda_driver_get_version=lambda: CUDA_RUNTIME,
)


def _core_count(device: Any) -> int:
    sms: int | None = getattr(_asked, "sms", None)
    if sms is not None:
        return sms
    if _own_core_count is not None:  # of this device
        return int(_own_core_count.__get__(device, type(device)))
    raise AttributeError("core_count")  # so that it is looked up further


def _modules_of_jax() -> list[Any]:
    return [
        module for name, module in list(sys.modules.items()) if name.startswith("jax") and hasattr(module, "__dict__")
    ]


def _backward_context(source_info: Any) -> Any:
    """The context of an equation in the backward pass: its names, and in a trace of ours not the line of the forward call."""
    if getattr(_asked, "sms", None) is None:
        return _name_stack_context(source_info)
    return _name_stack_context(type(source_info)(None, source_info.name_stack))


def _install() -> None:
    global _own_core_count, _name_stack_context
    import jax
    from jax._src.interpreters import ad

    devices: Any = jax.Device
    _own_core_count = devices.__dict__.get("core_count")
    devices.core_count = property(_core_count)
    _name_stack_context, ad._name_stack_ctx = ad._name_stack_ctx, _backward_context
    for module in _modules_of_jax():
        if module.__dict__.get("cuda_versions", _cuda) is None:
            module.cuda_versions = _cuda


def _remove() -> None:
    import jax

    devices: Any = jax.Device
    if _own_core_count is not None:
        devices.core_count = _own_core_count
    else:
        del devices.core_count
    from jax._src.interpreters import ad

    ad._name_stack_ctx = _name_stack_context
    for module in _modules_of_jax():  # and those that were imported meanwhile
        if module.__dict__.get("cuda_versions") is _cuda:
            module.cuda_versions = None


@contextmanager
def tracing_for(sms: int) -> Iterator[None]:
    """Devices look like a chip of ``sms`` multiprocessors within this block, in this thread."""
    global _traces
    before = getattr(_asked, "sms", None)
    with _lock:
        if _traces == 0:
            _install()
        _traces += 1
    _asked.sms = sms
    try:
        yield
    finally:
        _asked.sms = before
        with _lock:
            _traces -= 1
            if _traces == 0:
                _remove()
