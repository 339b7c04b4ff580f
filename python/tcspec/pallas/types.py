"""Types of variables: of arrays, references, accumulators, barriers, semaphores and unions of references."""

from __future__ import annotations

from typing import Any, Sequence

from .errors import Refused
from .layouts import layout_of, packing_of
from .scalars import dtype_of
from .transforms import Names, allocation_transforms

__all__ = ["space_of", "type_of"]

_SEMAPHORES = {"Semaphore": "regular", "BarrierSemaphore": "barrier"}


def space_of(memory_space: Any) -> str:
    """gmem, smem, tmem or regs; what has no memory space of a GPU lies in global memory, as in JAX's lowering."""
    value = getattr(memory_space, "value", None)
    return value if value in ("gmem", "smem", "tmem", "regs") else "gmem"


def type_of(aval: Any, names: Names, transforms: Sequence[Any] = (), space: str | None = None) -> dict[str, Any]:
    """The type of a variable of this aval; ``transforms`` are those of its allocation, ``space`` is for references that have none."""
    kind = type(aval).__name__
    inner = getattr(aval, "inner_aval", None)
    if inner is None:
        if not hasattr(aval, "dtype") or not hasattr(aval, "shape"):
            raise Refused("not-exported", f"expected arrays and references, found a variable of type {aval}")
        return {"dtype": dtype_of(aval.dtype), "shape": list(aval.shape)}
    shape = list(inner.shape)
    if kind == "WGMMAAbstractAccumulatorRef":
        return {"ref": "regs", "accumulator": True, "dtype": dtype_of(inner.dtype), "shape": shape}
    element = type(inner.dtype).__name__
    if element in ("BarrierType", "ClusterBarrierType"):
        return {"barrier": _barrier(inner.dtype, shape, names)}
    if element in _SEMAPHORES:
        return {"semaphore": {"kind": _SEMAPHORES[element], "shape": shape}}
    ref = space_of(aval.memory_space)
    if space is not None and getattr(aval.memory_space, "value", None) != ref:
        ref = space
    described: dict[str, Any] = {"ref": ref, "dtype": dtype_of(inner.dtype), "shape": shape}
    if kind == "AbstractRefUnion":
        described["union"] = [[_member(ref, names) for ref in _leaves(group)] for group in aval.refs]
    if transforms:
        described["transforms"] = allocation_transforms(transforms)
    if kind == "AbstractTMEMRef" or (kind == "AbstractRefUnion" and ref == "tmem"):
        described["layout"] = layout_of(aval.layout)
        described["packed"] = packing_of(aval.layout) > 1
        described["collective"] = bool(aval.collective)
    return described


def _leaves(group: Any) -> list[Any]:
    import jax

    leaves: list[Any] = jax.tree.leaves(group, is_leaf=lambda x: hasattr(x, "transforms") or hasattr(x, "inner_aval"))
    return leaves


def _member(member: Any, names: Names) -> dict[str, Any]:
    if hasattr(member, "transforms"):
        return type_of(member.ref, names, member.transforms)
    return type_of(member, names)


def _barrier(dtype: Any, shape: list[int], names: Names) -> dict[str, Any]:
    cluster = None
    if type(dtype).__name__ == "ClusterBarrierType":
        cluster = {
            "axes": [names.list_of(axes) for axes in dtype.collective_axes],
            "leaderTracked": bool(dtype.leader_tracked),
        }
    return {
        "shape": shape,
        "numArrivals": dtype.num_arrivals,
        "ordersTensorCore": bool(dtype.orders_tensor_core),
        "cluster": cluster,
    }
