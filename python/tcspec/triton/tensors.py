"""Tensors of all makes as Triton's specialiser and a launch have them: element type, extents, strides, where they begin, and the elements.

Taken are arrays of numpy and jax, tensors of torch (of the CPU, or of a chip, from which they are fetched), ``tcspec.Tensor``, and what has extents and
an element type and no data, such as ``tcspec.Array``. None of their packages is imported here: a tensor says itself what it is.
"""

from __future__ import annotations

import ctypes
import math
import sys
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, Sequence

from ..errors import Refused
from ..tensors import Pointers, Tensor

__all__ = ["Operand", "is_tensor", "operand", "row_major"]

#: of each element type: its name in Triton, bytes of an element, and what other packages call it
_TYPES: Mapping[str, tuple[str, int, tuple[str, ...]]] = {
    "f16": ("fp16", 2, ("float16", "half")),
    "bf16": ("bf16", 2, ("bfloat16",)),
    "f32": ("fp32", 4, ("float32", "float")),
    "f64": ("fp64", 8, ("float64", "double")),
    "e4m3": ("fp8e4nv", 1, ("float8_e4m3fn", "float8e4nv")),
    "e5m2": ("fp8e5", 1, ("float8_e5m2", "float8e5")),
    "i1": ("u1", 1, ("bool", "int1")),
    **{f"i{n}": (f"i{n}", n // 8, (f"int{n}",)) for n in (8, 16, 32, 64)},
    **{f"u{n}": (f"u{n}", n // 8, (f"uint{n}",)) for n in (8, 16, 32, 64)},
}
_NAMED: Mapping[str, str] = {
    name: ours for ours, (theirs, _, others) in _TYPES.items() for name in (ours, theirs, *others)
}


class ElementType(str):
    """An element type as Triton asks for it: by its name, with ``itemsize`` and ``is_floating_point``."""

    ours: str

    @property
    def itemsize(self) -> int:
        return _TYPES[self.ours][1]

    @property
    def is_floating_point(self) -> bool:
        return self.ours.lstrip("b")[0] in "fe"


def _element_type(ours: str) -> ElementType:
    made = ElementType(_TYPES[ours][0])
    made.ours = ours
    return made


_ELEMENTS: Mapping[str, ElementType] = {ours: _element_type(ours) for ours in _TYPES}


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))


@dataclass(frozen=True, eq=False)
class Operand:
    """A tensor of a launch. Triton takes it for one of its own, also as the base of a ``TensorDescriptor``."""

    dtype: ElementType
    shape: tuple[int, ...]
    #: in elements
    strides: tuple[int, ...]
    #: where it begins, as far as it matters: the bytes by which it misses an aligned address
    misses: int
    #: what is the same for two arguments that are one tensor
    identity: tuple[Any, ...]
    #: its elements, row-major, or None: a tensor of which only extents are known
    bytes: Callable[[], bytes] | None
    #: the same memory with other extents and strides; None if it does not reach so far
    seen_as: Callable[[Sequence[int], Sequence[int]], "Operand | None"]
    #: tensors whose addresses it holds
    pointers: tuple[Any, ...] = ()

    def data_ptr(self) -> int:
        return self.misses

    def stride(self, dim: int | None = None) -> Any:
        return self.strides if dim is None else self.strides[dim]

    @property
    def is_row_major(self) -> bool:
        return all(s == r for n, s, r in zip(self.shape, self.strides, row_major(self.shape)) if n != 1)

    def tensor(self) -> Tensor | None:
        """Its elements under the type that the text has for them: it knows no signs."""
        ours = self.dtype.ours
        return None if self.bytes is None else Tensor(signless(ours), self.shape or (1,), self.bytes())


def signless(ours: str) -> str:
    """The element type that a text has for it: no number has a sign, and a truth value is a byte."""
    return "i8" if ours == "i1" else "i" + ours[1:] if ours.startswith("u") else ours


def _dtype_name(dtype: Any) -> str:
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return str(name).split(".")[-1]


def _known(dtype: Any, what: str) -> ElementType:
    name = _dtype_name(dtype)
    ours = _NAMED.get(name)
    if ours is None:
        hint = ": scales are u8 for Triton" if name in ("e8m0", "float8_e8m0fnu") else ""
        hint = ": bf16 is numpy's with ml_dtypes, or tcspec.Tensor('bf16', ...)" if name.startswith("void") else hint
        raise Refused(f"{what}: expected elements of {', '.join(_TYPES)}, found {name}{hint}", "triton.dtype")
    return _ELEMENTS[ours]


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor: it has extents and an element type, and is no number of numpy's."""
    if isinstance(value, Operand) or hasattr(value, "data_ptr"):
        return True
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return False
    return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, type)


def operand(value: Any, what: str) -> Operand:
    """Of a tensor of any make; ``what`` is what it is called in a refusal."""
    if isinstance(value, Operand):
        return value
    if isinstance(value, Pointers):
        return replace(_of_extents(value, what), pointers=value.tensors)
    if isinstance(value, Tensor):
        return _of_tensor(value, what)
    if hasattr(value, "data_ptr") and hasattr(value, "element_size"):
        return _of_torch(value, what)
    if hasattr(value, "__array_interface__") or (hasattr(value, "__array__") and not hasattr(value, "data_ptr")):
        return _of_numpy(value, what)
    return _of_extents(value, what)


# ---------------------------------------------------------------- each make


def _of_extents(value: Any, what: str) -> Operand:
    shape = tuple(int(n) for n in value.shape)
    dtype = _known(value.dtype, what)
    pointer = value.data_ptr() if hasattr(value, "data_ptr") else 0
    said = value.stride() if callable(getattr(value, "stride", None)) else row_major(shape)

    def seen_as(extents: Sequence[int], strides: Sequence[int]) -> Operand:
        return Operand(dtype, tuple(extents), tuple(strides), pointer % 16, ("of", id(value)), None, seen_as)

    return seen_as(shape, tuple(said))


def _of_tensor(value: Tensor, what: str) -> Operand:
    dtype = _known(value.dtype, what)

    def seen_as(extents: Sequence[int], strides: Sequence[int]) -> Operand | None:
        dense = tuple(strides) == row_major(extents) and math.prod(extents) == math.prod(value.shape)
        made = Operand(dtype, tuple(extents), tuple(strides), 0, ("of", id(value)), lambda: value.data, seen_as)
        return made if dense else None

    made = seen_as(value.shape, row_major(value.shape))
    assert made is not None
    return made


def _of_torch(value: Any, what: str) -> Operand:
    dtype = _known(value.dtype, what)
    bare = value.detach() if hasattr(value, "detach") else value
    has_data = not (getattr(value, "is_meta", False) or type(value).__name__ in ("FakeTensor", "FunctionalTensor"))

    def elements(seen: Any) -> Callable[[], bytes]:
        def fetch() -> bytes:
            here = seen.cpu().contiguous()
            return ctypes.string_at(here.data_ptr(), here.numel() * here.element_size())

        return fetch

    def of(seen: Any) -> Operand:
        return Operand(
            dtype,
            tuple(int(n) for n in seen.shape),
            tuple(int(n) for n in seen.stride()),
            seen.data_ptr() % 16 if has_data else 0,
            ("at", str(value.device), value.data_ptr()) if has_data and value.numel() else ("of", id(value)),
            elements(seen) if has_data else None,
            seen_as,
        )

    def seen_as(extents: Sequence[int], strides: Sequence[int]) -> Operand | None:
        try:
            return of(bare.as_strided(tuple(extents), tuple(strides)))
        except RuntimeError:
            return None

    return of(bare)


def _of_numpy(value: Any, what: str) -> Operand:
    import numpy

    array = numpy.asarray(value)
    dtype = _known(array.dtype, what)
    size = array.dtype.itemsize
    if any(s % size for s in array.strides):
        raise Refused(
            f"{what}: expected strides of whole elements, found {array.strides} bytes for elements of {size}",
            "triton.strides",
        )
    address = array.__array_interface__["data"][0]
    whole = array
    while isinstance(whole.base, numpy.ndarray):
        whole = whole.base
    # on the chip the whole begins where it is aligned; a part of it begins as far behind as here
    misses = (address - whole.__array_interface__["data"][0]) % 16
    identity = ("at", "host", address) if array is value and array.size else ("of", id(value))

    def of(seen: Any) -> Operand:
        def elements() -> bytes:
            return Tensor.of_numpy(seen).data

        strides = tuple(s // size for s in seen.strides)
        return Operand(dtype, seen.shape, strides, misses, identity, elements, seen_as)

    def seen_as(extents: Sequence[int], strides: Sequence[int]) -> Operand | None:
        last = sum((n - 1) * s for n, s in zip(extents, strides))
        begin, end = numpy.lib.array_utils.byte_bounds(whole)
        if address < begin or address + (last + 1) * size > end:
            return None
        return of(
            numpy.lib.stride_tricks.as_strided(array, tuple(extents), tuple(s * size for s in strides), writeable=False)
        )

    return of(array)
