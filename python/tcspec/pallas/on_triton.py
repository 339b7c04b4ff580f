"""Kernels of ``pl.pallas_call`` for the Triton backend: JAX lowers them to Triton's IR on the CPU, and the Triton that is here compiles that further.

The lowering needs no GPU: it is asked for the chip that is meant, and its module is taken where XLA would be given it. JAX's own build compiles the module with
a Triton of XLA's; here it is the Triton that is installed, to TTGIR and to PTX. So what is judged is the kernel as that compiler makes it.

| JAX                                     | becomes                                                         |
|-----------------------------------------|-----------------------------------------------------------------|
| the grid, at most three axes            | programs along x, y, z                                          |
| an input, an output                     | a tensor of a launch; an output in an input's memory is that one |
| ``num_warps``, ``num_stages``           | options of the compiler; 4 and 3, if they are not said          |
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

from .document import Export, Operand
from .errors import Refused
from .locations import place
from .operands import array_of

__all__ = ["TritonCall", "export_of_triton", "is_on_triton"]

_lock = threading.RLock()
#: chips by what documents call them
_CAPABILITIES = {None: 90, "sm90a": 90, "sm100a": 100}


@dataclass(frozen=True)
class TritonCall(Export):
    """A launch of a module of Triton: the document is its TTGIR."""

    called: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.called


def is_on_triton(eqn: Any) -> bool:
    """Whether JAX lowers a ``pallas_call`` for a GPU to Triton."""
    from jax._src import config
    from jax._src.pallas.triton import core

    given = eqn.params["compiler_params"]
    if given is None:
        flag = getattr(config, "jax_pallas_use_mosaic_gpu", None)
        return flag is not None and not flag.value
    return isinstance(given, core.CompilerParams)


def export_of_triton(eqn: Any, names: Sequence[str], arch: str | None) -> TritonCall:
    """The module of an equation, compiled; ``names`` are what its operands are called."""
    from .. import triton
    from ..triton import compilation, sources, tensors

    grid = eqn.params["grid_mapping"]
    capability = _CAPABILITIES[arch]
    text, extents = _lowered(eqn, capability)
    given = eqn.params["compiler_params"]
    options = {"num_warps": getattr(given, "num_warps", None) or 4, "num_stages": getattr(given, "num_stages", None) or 3}
    try:
        made = compilation.of_text(text, capability, options)
    except Refused:
        raise
    except Exception as error:  # of a compiler that is not ours
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise Refused("triton.compile", f"{place(eqn.source_info)}: pallas_call: Triton {triton.parts().version} does not compile what JAX lowers: {said}") from None
    aliases = {out: number for number, out in eqn.params["input_output_aliases"]}
    operands = tuple(
        Operand(
            name,
            "in" if k < grid.num_inputs else "out",
            *array_of(mapping.array_aval),
            aliases.get(k - grid.num_inputs) if k >= grid.num_inputs else None,
        )
        for k, (name, mapping) in enumerate(zip(names, grid.block_mappings))
    )
    memory = [operand.name if operand.alias is None else operands[operand.alias].name for operand in operands]
    launch = {
        "schema": "tcspec.launch/1",
        "grid": list(extents),
        "args": [
            {"tensor": name, "dtype": tensors.signless(operand.dtype), "shape": list(operand.shape) or [1], "file": None}
            for name, operand in zip(memory, operands)
        ],
        "outputs": [operand.name for operand in operands if operand.role == "out" and operand.alias is None],
    }
    # the text, and what stands beside it in Triton's cache
    said = {key: made.metadata[key] for key in ("name", "num_warps", "num_ctas", "shared", "global_scratch_size") if key in made.metadata}
    beside = {} if made.ptx is None else {"kernel.ptx": made.ptx, "kernel.json": json.dumps(said)}
    params = {"launch": launch, "files": {**sources.files_of(made.ttgir), **beside}}
    called = eqn.params["name"] or getattr(eqn.params["jaxpr"].debug_info, "func_name", None) or "pallas_call"
    return TritonCall({"ttgir": made.ttgir}, operands, str(called), params)


def _placed(text: str, debug: Any) -> str:
    """The text with the place of the kernel's function for what JAX gives none: LLVM takes the file of every line from it."""
    file, line = getattr(debug, "func_filename", None), getattr(debug, "func_lineno", None)
    if not file or not line:
        return text
    where = json.dumps(str(file), ensure_ascii=False)
    return re.sub(r"loc\(unknown\)", lambda _: f"loc({where}:{int(line)}:1)", text)


def _lowered(eqn: Any, capability: int) -> tuple[str, Sequence[int]]:
    """The module as text, and the grid, as JAX has them where it would compile for a chip."""
    import jax
    from jax._src.pallas.triton import lowering

    found: list[tuple[str, Sequence[int]]] = []
    own = lowering.lower_jaxpr_to_triton_module

    def noted(jaxpr: Any, grid: Any, platform: str, _: Any, **keywords: Any) -> Any:
        made = own(jaxpr, grid, platform, capability, **keywords)
        found.append((_placed(made.module.operation.get_asm(enable_debug_info=True), jaxpr.debug_info), tuple(int(n) for n in made.grid)))
        return made

    arrays = [jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype) for var in eqn.invars]
    # `interpret` says how JAX runs a kernel where there is no chip: the kernel is the same
    params = {**eqn.params, "interpret": False}
    with _lock:
        lowering.lower_jaxpr_to_triton_module = noted
        try:
            jax.jit(lambda *xs: eqn.primitive.bind(*xs, **params)).trace(*arrays).lower(lowering_platforms=("cuda",))
        except Exception as error:  # JAX says what it does not lower
            said = (str(error) or type(error).__name__).splitlines()[0]
            raise Refused("not-exported", f"{place(eqn.source_info)}: pallas_call: JAX does not lower it to Triton here: {said}") from None
        finally:
            lowering.lower_jaxpr_to_triton_module = own
    ((text, extents),) = found
    return text, [*extents, 1, 1, 1][:3] if len(extents) < 3 else extents
