"""The tensors of requests: bit patterns with the element types of tcspec, converted to and from numpy.

Types of ml_dtypes keep their meaning: ``bfloat16`` is ``bf16``, ``float8_e4m3fn`` is ``e4m3``, and back.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from .errors import Refused

__all__ = ["Array", "Pointers", "Tensor", "dtype_name", "numpy_dtype", "of_json", "pointers", "to_json"]

#: bytes of an element; the 4-bit and 6-bit floats and ``i1`` take one each
_BYTES: Mapping[str, int] = {
    **dict.fromkeys(["e4m3", "e5m2", "ue4m3", "e8m0", "e2m3", "e3m2", "e2m1", "i1", "i4", "u4", "i8", "u8"], 1),
    **dict.fromkeys(["f16", "bf16", "i16", "u16"], 2),
    **dict.fromkeys(["f32", "tf32", "i32", "u32"], 4),
    **dict.fromkeys(["f64", "i64", "u64"], 8),
}

#: element types by the names that numpy and ml_dtypes have for them
_OF_NUMPY: Mapping[str, str] = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "e8m0",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "float4_e2m1fn": "e2m1",
    "bool": "i1",
    **{f"{u}int{n}": f"{u or 'i'}{n}" for u in ("", "u") for n in (4, 8, 16, 32, 64)},
}
_TO_NUMPY: Mapping[str, str] = {ours: theirs for theirs, ours in _OF_NUMPY.items()} | {"tf32": "float32"}


def numpy_dtype(ours: str) -> Any:
    """numpy's type for the elements; unsigned integers with the bits, if neither numpy nor ml_dtypes has such a type."""
    import numpy

    name = _TO_NUMPY.get(ours, "")
    try:
        return numpy.dtype(name or "none such")
    except TypeError:
        try:
            import ml_dtypes

            return numpy.dtype(getattr(ml_dtypes, name))
        except (ImportError, AttributeError):
            return numpy.dtype(f"uint{8 * _BYTES[ours]}")


@dataclass(frozen=True)
class Tensor:
    """Patterns of elements, row-major and little-endian, under the element types of tcspec (``f16``, ``bf16``, ``e4m3``, ...)."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @staticmethod
    def of_bits(dtype: str, shape: Sequence[int], bits: Sequence[int]) -> "Tensor":
        """Makes a tensor from the bit patterns of its elements, as integers."""
        size = _BYTES[dtype]
        return Tensor(dtype, tuple(shape), b"".join(b.to_bytes(size, "little") for b in bits))

    @staticmethod
    def of_numpy(array: Any) -> "Tensor":
        """Makes a tensor from a numpy array, or from anything that numpy converts to one. Types of ml_dtypes keep their meaning."""
        import numpy

        whole = numpy.ascontiguousarray(array)
        name = whole.dtype.name
        if name in ("int2", "uint2"):
            return _of_pairs(whole)
        if name not in _OF_NUMPY:
            raise TypeError(f"expected elements of {', '.join(_OF_NUMPY)}, found {name}")
        # a pattern of 4 bits is the lower half of its byte, whatever ml_dtypes has above it
        little = (
            whole.view("u1") & 15 if name in ("int4", "uint4") else whole.astype(whole.dtype.newbyteorder("<"), copy=False)
        )
        return Tensor(_OF_NUMPY[name], tuple(numpy.shape(array)), little.tobytes())

    @property
    def bits(self) -> list[int]:
        """The patterns as integers, row-major."""
        size = _BYTES[self.dtype]
        return [int.from_bytes(self.data[i : i + size], "little") for i in range(0, len(self.data), size)]

    def numpy(self) -> Any:
        """A numpy array. If neither numpy nor ml_dtypes has the type, the elements are unsigned integers with its bits."""
        try:
            import numpy
        except ImportError:
            raise Refused("a numpy array: expected numpy in this Python, found none (pip install numpy)", "numpy.missing") from None
        dtype = numpy_dtype(self.dtype)
        return numpy.frombuffer(self.data, dtype.newbyteorder("<")).reshape(self.shape).astype(dtype)

    def to_json(self) -> dict[str, Any]:
        return {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "base64": base64.b64encode(self.data).decode("ascii"),
        }


def _of_pairs(array: Any) -> Tensor:
    """Packs numbers of two bits, 16 to a word of 32 bits, the first lowest. Kernels take the metadata of a sparse operand in this form."""
    import numpy

    *rows, columns = array.shape
    if columns % 16:
        raise TypeError(f"expected a multiple of 16 numbers of two bits in a row, found {columns}")
    pairs = array.view(numpy.uint8).astype(numpy.uint32).reshape(*rows, columns // 16, 16) & 3
    words = (pairs << numpy.arange(0, 32, 2, dtype=numpy.uint32)).sum(-1, dtype=numpy.uint32)
    return Tensor("u32", (*rows, columns // 16), words.astype("<u4").tobytes())


def dtype_name(said: Any) -> str:
    """The tcspec name of an element type: ``"bf16"``, ``"float16"``, ``numpy.float32``, ``ml_dtypes.bfloat16``, ``numpy.dtype(...)``."""
    word = said if isinstance(said, str) else str(getattr(said, "name", None) or getattr(said, "__name__", said))
    name = _OF_NUMPY.get(word, word)
    if name not in _BYTES:
        raise TypeError(f"expected an element type, {', '.join(_BYTES)}, found {said!r}")
    return name


@dataclass(frozen=True)
class Array:
    """A tensor without elements, to check a kernel if no data are at hand. ``tcspec.Array("bf16", (64, 64))``"""

    dtype: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", dtype_name(self.dtype))
        object.__setattr__(self, "shape", tuple(int(n) for n in self.shape))


@dataclass(frozen=True, eq=False)
class Pointers:
    """A tensor of ``int64`` with the addresses of other tensors, as host code makes it from their ``data_ptr()``."""

    tensors: tuple[Any, ...]

    @property
    def dtype(self) -> str:
        return "i64"

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.tensors),)


def pointers(tensors: Sequence[Any]) -> Pointers:
    """The replacement for ``torch.tensor([t.data_ptr() for t in tensors])`` in the arguments of a Triton kernel: ``tcspec.pointers([a, b, c])``.

    A tensor may also be an argument itself, and may be in several such arrays. In ``run(...).outputs``, the name of such a tensor is the name of the
    argument and an index: ``group_c_ptrs[0]``. TTGIR has no addresses, so such a kernel is judged as PTX.
    """
    return Pointers(tuple(tensors))


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape") and len(value.shape) > 0


def to_json(value: Any) -> Any:
    """A value for a request: tensors and arrays as JSON, everything else unchanged."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Tensor):
        return value.to_json()
    if isinstance(value, Array):
        return {"dtype": value.dtype, "shape": list(value.shape)}
    if isinstance(value, Mapping):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    if _is_array(value):
        return Tensor.of_numpy(value).to_json()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"expected JSON, a Tensor or an array, found {type(value).__name__}")


def of_json(result: Any) -> Any:
    """A result, with the tensors among its files as ``Tensor`` objects."""
    files = result.get("files") if isinstance(result, dict) else None
    if isinstance(files, dict):
        for name, held in files.items():
            if isinstance(held, dict) and "base64" in held:
                files[name] = Tensor(held["dtype"], tuple(held["shape"]), base64.b64decode(held["base64"]))
    return result


