"""What is applied to a reference: transforms and indices, in their order, unflattened from JAX's trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable

from .errors import Refused
from .layouts import layout_of
from .scalars import dtype_of

__all__ = ["Atom", "Names", "allocation_transforms", "view_of"]


@dataclass(frozen=True)
class Atom:
    """An operand of an equation: its value in the document, and JAX's type of it."""

    value: dict[str, Any]
    aval: Any


class Names:
    """Names of axes. A name may be any object in JAX; one that is no text is called by its number."""

    def __init__(self) -> None:
        self._unnamed: dict[int, tuple[Any, str]] = {}

    def of(self, axis: Any) -> str:
        if isinstance(axis, str):
            return axis
        if id(axis) not in self._unnamed:
            self._unnamed[id(axis)] = (axis, f"axis{len(self._unnamed)}")
        return self._unnamed[id(axis)][1]

    def list_of(self, axes: Any) -> list[str]:
        # None is no axis, nor is one in a list: dynamic_scheduling_loop of one thread scopes over (None,)
        listed = axes if isinstance(axes, (tuple, list)) else (axes,)
        return [self.of(axis) for axis in listed if axis is not None]


def allocation_transforms(transforms: Iterable[Any]) -> list[dict[str, Any]]:
    """Of an allocation: they hold no values."""
    return view_of(transforms, Names())


def view_of(transforms: Iterable[Any], names: Names) -> list[dict[str, Any]]:
    """Transforms whose leaves are atoms, as the view of a use."""
    found = (_transform(transform, names) for transform in transforms)
    return [transform for transform in found if transform is not None]


def value_of(index: Any) -> dict[str, Any]:
    """An index that is an atom or a Python integer."""
    if isinstance(index, Atom):
        return index.value
    if isinstance(index, int) or (hasattr(index, "item") and getattr(index, "shape", None) == ()):
        return {"k": int(index), "dtype": "i32"}
    raise Refused("not-exported", f"expected an index that is a number or a variable, found {type(index).__name__}")


def _index(index: Any) -> dict[str, Any]:
    if hasattr(index, "start") and hasattr(index, "size") and not isinstance(index, Atom):
        if not isinstance(index.size, int):
            raise Refused(
                "not-exported",
                "a slice of a size that is not known when the kernel is traced has no place in the document",
            )
        return {
            "from": value_of(index.start),
            "size": index.size,
            "stride": 1 if index.stride is None else index.stride,
        }
    if isinstance(index, Atom):
        if hasattr(index.aval, "inner_aval"):
            raise Refused("not-exported", "an index that is a reference has no place in the document; load it first")
        if index.aval.shape:
            return {"gather": index.value}
    elif getattr(index, "shape", ()):
        raise Refused("not-exported", "an index that is a constant array has no place in the document")
    return {"at": value_of(index)}


def _transform(transform: Any, names: Names) -> dict[str, Any] | None:
    match type(transform).__name__:
        case "NDIndexer":
            return {"index": [_index(index) for index in transform.indices]}
        case "UnswizzleRef":
            return {"unswizzle": transform.swizzle}
        case "UntilingTransform":
            return {"untile": list(transform.tiling)}
        case "SwizzleTransform":
            return {"swizzle": transform.swizzle}
        case "TilingTransform":
            return {"tile": list(transform.tiling)}
        case "TransposeTransform":
            return {"transpose": list(transform.permutation)}
        case "ReshapeTransform":
            return {"reshape": list(transform.shape)}
        case "BitcastTransform":
            return {"bitcast": dtype_of(transform.dtype)}
        case "ClusterRefTransform":
            return {
                "clusterRef": [[names.of(axis), value_of(index)] for axis, index in zip(transform.dims, transform.idxs)]
            }
        case "PeerMemRef":
            return {"peer": peer_of(transform.device_id, names)}
        case "MulticastRef":
            return {"multicast": names.list_of(transform.collective_axes)}
        case "ExtractAliasedRef":
            extract: dict[str, Any] = {
                "dtype": dtype_of(transform.dtype),
                "shape": list(transform.shape),
                "offset": transform.offset,
                "group": transform.alias_group_idx,
            }
            if transform.layout is not None:
                extract["layout"] = layout_of(transform.layout)
            return {"extract": extract}
        case "ExpandLeadingBatchDimensionsTransform":
            return {"expandLeading": list(transform.batch_shape)}
        case "IdentityTransform":
            return None
        case other:
            raise Refused("not-exported", f"a reference's transform {other} is not known")


def peer_of(device: Any, names: Names) -> Any:
    """A device: one number, or a number for each axis of the mesh of devices."""
    if isinstance(device, dict):
        return {"axes": [names.list_of(axis) for axis in device], "ids": [value_of(index) for index in device.values()]}
    if isinstance(device, (tuple, list)):
        return {"ids": [value_of(index) for index in device]}
    return value_of(device)
