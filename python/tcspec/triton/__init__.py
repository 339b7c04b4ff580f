"""Kernels of Triton and Gluon: from a function and its arguments to TTGIR, a grid and a launch, without a GPU and without torch.

    export(kernel, a, b, c, 256, grid=(4, 4), BM=64, num_warps=4)
    export(kernel[grid], a, b, c, 256, BM=64, num_warps=4)

| module            | what it is                                                                                          |
|-------------------|-----------------------------------------------------------------------------------------------------|
| ``versions``      | Triton's own parts that are used, and the versions whose parts they are                             |
| ``kernels``       | which function is launched: behind autotuning, heuristics, ``kernel[grid]``; its parameters, its grid |
| ``tensors``       | tensors of numpy, torch, jax, of ``tcspec``, or of extents alone, as a launch has them               |
| ``compilation``   | specialised as a launch on the chip would, and compiled up to the text                              |
| ``sources``       | the Python files that findings quote                                                                |
| ``launch``        | all of it as a request                                                                              |

``tensor`` and ``descriptor`` make of an array without torch what ``TensorDescriptor`` takes.
"""

from __future__ import annotations

from typing import Any, Sequence

from .kernels import is_kernel, name_of, options, parameters, takes
from .launch import KEYWORDS, TritonExport, export
from .tensors import Operand, operand
from .versions import parts

__all__ = ["KEYWORDS", "TritonExport", "descriptor", "export", "is_kernel", "name_of", "options", "parameters", "takes", "tensor"]


def tensor(value: Any) -> Operand:
    """An array, or extents and an element type, as a base for ``TensorDescriptor``."""
    return operand(value, "tensor")


def descriptor(value: Any, block_shape: Sequence[int], layout: Any = None, padding: str = "zero") -> Any:
    """A host descriptor of an array: Triton's, or with a layout Gluon's."""
    base, (of_triton, of_gluon) = tensor(value), parts().descriptors
    if layout is None:
        return of_triton.from_tensor(base, list(block_shape), padding)
    return of_gluon.from_tensor(base, list(block_shape), layout, padding)
