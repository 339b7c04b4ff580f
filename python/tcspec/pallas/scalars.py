"""Element types by our names, and constants as values of the document.

A scalar is a JSON number with its type, ``{"k": 3, "dtype": "i32"}``; truth values are 1 and 0 of type i1; infinities and nan are words. What a
JSON number does not hold (an integer beyond 2 to the 53) and arrays stand as bytes: ``{"array": {"dtype", "shape", "base64"}}``, little endian, row
major, narrower than a byte one element a byte.
"""

from __future__ import annotations

import base64
import functools
import math
from typing import Any

__all__ = ["constant", "dtype_of"]

_NAMES = {
    "bool": "i1",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "e8m0",
    "float4_e2m1fn": "e2m1",
    **{
        f"{word}{bits}": f"{letter}{bits}"
        for word, letter in (("int", "i"), ("uint", "u"))
        for bits in (2, 4, 8, 16, 32, 64)
    },
}


@functools.lru_cache(maxsize=256)
def dtype_of(dtype: Any) -> str:
    """Our name of a type of numpy's, ml_dtypes' or JAX's; its own name, if we have none."""
    name = getattr(dtype, "name", None)
    if not isinstance(name, str):
        import numpy

        name = numpy.dtype(dtype).name
    return _NAMES.get(name, name)


def constant(value: Any, dtype: Any) -> dict[str, Any]:
    """A number or an array, as a value of the document."""
    name = dtype_of(dtype)
    if getattr(value, "shape", ()) != ():
        return _bytes(value, name)
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool):
        number = int(number)
    elif not isinstance(number, (int, float)):
        number = float(value)
    if isinstance(number, float):
        if not math.isfinite(number):
            return {"k": "nan" if math.isnan(number) else "inf" if number > 0 else "-inf", "dtype": name}
    elif abs(number) > 2**53:
        return _bytes(value, name, dtype)
    return {"k": number, "dtype": name}


def _bytes(value: Any, name: str, dtype: Any = None) -> dict[str, Any]:
    import numpy

    array = numpy.ascontiguousarray(numpy.asarray(value, dtype))
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return {
        "array": {
            "dtype": name,
            "shape": list(numpy.shape(value)),
            "base64": base64.b64encode(array.tobytes()).decode(),
        }
    }
