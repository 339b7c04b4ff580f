"""From a kernel and its arguments to TTGIR, or to PTX: specialised as a launch on the chip would, compiled up to the text and no further.

What ``kernel[grid](...)`` does before it launches is done with Triton's own parts: the binder says of each argument its type and what the compiler may
know of it (a multiple of 16, equal to one, an aligned pointer), and the passes of the target make the module. Behind it LLVM and ptxas would follow;
they are not asked, so there is no GPU, no process and no file. While a kernel is traced, Triton's active driver is one that says the target and
nothing else: kernels may ask for it (``tl.target_info``), and so may rules of autotuning. PTX is what LLVM makes of the module: ptxas is asked which
PTX it reads, and no more.

A text is kept for the next launch that is specialised the same way.
"""

from __future__ import annotations

import tempfile
import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from ..errors import Refused
from .versions import Parts, parts

__all__ = ["Specialised", "Texts", "both", "of_text", "specialise", "texts", "tracing_for"]


@dataclass(frozen=True)
class Specialised:
    """A kernel with what the compiler knows of its arguments."""

    kernel: Any
    capability: int
    #: by parameter: a type, ``constexpr``, or a tuple of such
    signature: Mapping[str, Any]
    constants: Mapping[tuple[int, ...], Any]
    attributes: Mapping[tuple[int, ...], Any]
    options: Any


class _Target:
    """A driver that knows which chip is asked for."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def get_current_target(self) -> Any:
        return self._target


_tracing = threading.RLock()


@contextmanager
def tracing_for(capability: int) -> Iterator[None]:
    """Where Triton's active driver is one that says this chip."""
    triton = parts()
    with _tracing:
        before = triton.driver._active
        triton.driver.set_active(_Target(_target(triton, capability)))
        try:
            yield
        finally:
            triton.driver._active = before


def _target(triton: Parts, capability: int) -> Any:
    return triton.target("cuda", capability, 32)


def specialise(kernel: Any, capability: int, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Specialised:
    """``arguments`` and ``keywords`` as a launch has them, options of the compiler among them; tensors as what has ``data_ptr`` and ``dtype``."""
    triton = parts()
    said = dict(keywords)
    if said.get("ir_override") is not None:
        raise Refused(
            f"{kernel.__name__}: ir_override: expected a kernel that is compiled from its Python, found a text in its place",
            "triton.option",
        )
    said["debug"] = said.get("debug", kernel.debug) or triton.knobs.runtime.debug
    said["instrumentation_mode"] = triton.knobs.compilation.instrumentation_mode
    backend = triton.backend_of(_target(triton, capability))
    bind = triton.binder(kernel.signature, kernel.params, backend)
    try:
        bound, specialisation, rest = bind(*arguments, **said)
    except TypeError:
        _refuse_unknown(triton, backend, kernel, arguments, said)
        raise
    parsed, signature, constants, attributes = kernel._pack_args(backend, said, bound, specialisation, rest)
    return Specialised(kernel, capability, signature, constants, attributes, parsed)


def _refuse_unknown(
    triton: Parts, backend: Any, kernel: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> None:
    """Names the argument that no parameter can take, if there is one."""
    names = [parameter.name for parameter in kernel.params]
    bound = kernel.signature.bind(*arguments, **{k: v for k, v in keywords.items() if k in names})
    bound.apply_defaults()
    values = bound.arguments
    for parameter in kernel.params:
        if parameter.is_constexpr:
            continue
        value = values[parameter.name]
        try:
            triton.specialise(type(backend), value, parameter.is_const, True, True)
        except TypeError:
            found = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
            hint = f": say {parameter.name}.item()" if hasattr(value, "item") else ""
            raise Refused(
                f"{kernel.__name__}: {parameter.name}: expected a tensor, a descriptor, a number, a tuple of such or None, "
                f"found {found}{hint}",
                "triton.argument",
            ) from None


# ---------------------------------------------------------------- texts

@dataclass(frozen=True)
class Texts:
    """A kernel as TTGIR; compiled further, as PTX, with what the compiler says of its launch."""

    ttgir: str
    ptx: "str | None"
    metadata: Mapping[str, Any]


_MOST = 256
_texts: "OrderedDict[tuple[Any, ...], Texts]" = OrderedDict()


def both(s: Specialised) -> Texts:
    """The text of the module, and its PTX if LLVM makes it: what Triton does not compile so far is judged as far as it comes."""
    try:
        return texts(s, "ptx")
    except Exception:
        # what no module can be made of is raised here, as Triton raises it
        return texts(s, "ttgir")


def texts(s: Specialised, level: str) -> Texts:
    """The text of the module, and those up to a level. What Triton says of a kernel that it does not take comes as Triton raises it."""
    triton = parts()
    target = _target(triton, s.capability)
    with tracing_for(s.capability):
        make = triton.gluon_source if s.kernel.is_gluon() else triton.triton_source
        source = make(s.kernel, s.signature, s.constants, s.attributes)
        key = (
            source.hash(),
            s.kernel.fn.__code__.co_filename,
            str(s.options),
            s.capability,
            level,
            tuple(sorted(triton.environment().items())),
        )
        _refuse_changed(s.kernel)
        there = _texts.get(key)
        if there is None:
            there = _text(triton, target, source, s.options, level)
            _texts[key] = there
            if len(_texts) > _MOST:
                _texts.popitem(last=False)
        else:
            _texts.move_to_end(key)
        return there


def _refuse_changed(kernel: Any) -> None:
    """A global that the kernel reads is what it was when it was first compiled: so Triton has it, and says it so."""
    missing = object()
    for (name, _), (before, where) in kernel.used_global_vals.items():
        now = where.get(name, missing)
        if now != before:
            raise RuntimeError(
                f"Global variable {name} has changed since we compiled this kernel, from {before} to {now}"
            )


def of_text(text: str, capability: int, options: Mapping[str, Any]) -> Texts:
    """A module of Triton's IR that another front end has made, compiled as far as Triton compiles it: TTGIR, and PTX."""
    triton = parts()
    target = _target(triton, capability)
    with tracing_for(capability), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.ttir"
        path.write_text(text, encoding="utf-8")

        def made(level: str) -> Texts:
            backend = triton.backend_of(target)
            context = triton.context()
            triton.load_dialects(context)
            backend.load_dialects(context)
            source = triton.ir_source(str(path), context, backend)
            parsed = backend.parse_options({**options, **source.parse_options()})
            module = source.make_ir(target, parsed, backend.get_codegen_implementation(parsed), backend.get_module_map(), context)
            return _compiled(backend, target, source, parsed, module, level)

        try:
            return made("ptx")
        except Exception:
            # what no module can be made of is raised here, as Triton raises it
            return made("ttgir")


def _text(triton: Parts, target: Any, source: Any, options: Any, level: str) -> Texts:
    backend = triton.backend_of(target)
    context = triton.context()
    triton.load_dialects(context)
    backend.load_dialects(context)
    try:
        module = source.make_ir(
            target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
        )
    except Exception as raised:
        triton.filter_traceback(raised)
        raise
    return _compiled(backend, target, source, options, module, level)


def _compiled(backend: Any, target: Any, source: Any, options: Any, module: Any, level: str) -> Texts:
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    metadata = {"target": target, **options.__dict__}
    made: dict[str, str] = {}
    for name in _up_to(level, list(stages)):
        module = stages[name](module, metadata)
        if name in ("ttgir", "ptx"):
            # the module is changed in place behind it
            made[name] = str(module)
    return Texts(made["ttgir"], made.get("ptx"), metadata)


def _up_to(level: str, names: Sequence[str]) -> Sequence[str]:
    return names[: names.index(level) + 1]
