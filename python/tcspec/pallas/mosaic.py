"""What jaxlib's launch of a Mosaic GPU kernel gives to its PTX: a ``tcspec.launch/1`` from the module that JAX lowers a kernel to.

The module's host side says it: the grid, the block, the cluster and the bytes of dynamic shared memory of its ``gpu.launch``; the buffers that the kernel uses; and the
tensor maps, each a call of ``mosaic_gpu_init_tma_desc`` with its base, sizes, strides, swizzle and box. jaxlib's entry has a parameter for each
buffer in the order in which the body first uses them, and behind these, where there is one, an array of 128 bytes for each tensor map.

Only static shapes and strides occur there, so that text is enough: no MLIR is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Refused

__all__ = ["Buffer", "launch_of", "modules_of"]

#: the codes of mosaic_gpu_init_tma_desc for elements, in the names of a launch file
_ELEMENTS = {1: "u8", 2: "u16", 3: "u32", 5: "f16", 6: "f32", 7: "bf16", 9: "s32"}
_TYPES = {"i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64", "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}


@dataclass(frozen=True)
class Buffer:
    """A buffer of the call: its place, and what lies there."""

    index: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class _Map:
    buffer: int
    fields: Mapping[str, Any]


def launch_of(module: str, inputs: int, results: int, names: Mapping[int, str] | None = None) -> tuple[dict[str, Any], Sequence[Buffer]]:
    """The launch, and the buffers in the order of the call: ``inputs`` of them are given, the next ``results`` returned, others begin as zeros.

    ``names``: what tensors are called, by the place of the buffer; without it ``in0``, ``out0``, ``scratch0``.
    """
    at = module.find("gpu.launch async")
    if at < 0:
        raise Refused("mosaic.module", "mosaic: expected a module with a gpu.launch, found none")
    host, body = module[:at], module[at:]
    constants = {m[1]: int(m[2]) for m in re.finditer(r"(%\S+) = (?:arith|llvm)\.(?:mlir\.)?constant\(?\s*(-?\d+) : \w+", host)}
    views = {m[1]: m[2] for m in re.finditer(r"(%\S+?)(?::\d+)? = memref\.\w+ (%[\w#]+)", host)}
    buffers = {
        m[1]: Buffer(int(m[3]), *_type(m[2]))
        for m in re.finditer(r"(%\S+) = builtin\.unrealized_conversion_cast [^\n]* to memref<([^>]*)> \{mosaic_gpu\.from_kernel_arg_idx = (\d+)", host)
    }
    ordered = sorted(buffers.values(), key=lambda b: b.index)
    called = {b.index: (names or {}).get(b.index, _name(b.index, i, inputs, results, ordered)) for i, b in enumerate(ordered)}
    maps = [_map(m, host, constants, views, buffers) for m in re.finditer(r"call @mosaic_gpu_init_tma_desc\(([^)]*)\)", host)]
    used = {value: re.search(re.escape(value) + r"(?![\w#])", body) for value in buffers}
    first = sorted((found.start(), buffers[value]) for value, found in used.items() if found is not None and _read(value, body))
    returned = {b.index for b in [b for b in ordered if b.index >= inputs][:results]}

    def role(index: int) -> str:
        """Semaphores of the whole grid are neither given nor returned: they begin as zeros."""
        return "in" if index < inputs else "out" if index in returned else "inout"

    args: list[dict[str, Any]] = [
        {"kind": "pointer", "tensor": called[b.index], "dtype": b.dtype, "shape": list(b.shape), "role": role(b.index)} for _, b in first
    ]
    by_index = {b.index: b for b in ordered}
    if maps:
        fields = [
            {"offset": 128 * i, "kind": "tensormap", "tensor": called[m.buffer], **m.fields, "shape": list(by_index[m.buffer].shape), "role": role(m.buffer)}
            for i, m in enumerate(maps)
        ]
        args.append({"kind": "struct", "bytes": 128 * len(maps), "fields": fields})
    named = re.search(r"func\.func @(\w+)_mosaic_gpu\(", host)
    launch: dict[str, Any] = {
        "schema": "tcspec.launch/1",
        "name": named[1] if named else "kernel",
        "kernel": f"{named[1]}_mosaic_gpu_kernel" if named else "kernel",
        "arch": "sm_90a",
        **_extents(body, constants),
        "args": args,
        "outputs": [called[b.index] for b in ordered if b.index >= inputs][:results],
    }
    return launch, ordered


def modules_of(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Sequence[str]:
    """The modules to which JAX lowers the kernels of a function for CUDA: no GPU is needed for that much."""
    import jax
    from jax.experimental.mosaic.gpu import core

    kept: list[str] = []
    serialised = core._run_serde_pass

    def watched(module: Any, **how: Any) -> Any:
        kept.append(str(module))
        return serialised(module, **how)

    core._run_serde_pass = watched
    try:
        jax.jit(lambda *arrays: function(*arrays, **keywords)).trace(*arguments).lower(lowering_platforms=("cuda",))
    finally:
        core._run_serde_pass = serialised
    return kept


def _read(value: str, body: str) -> bool:
    """Whether the body itself reads or writes a buffer: what stands behind a tensor map alone is no parameter."""
    seen, ahead = {value}, [value]
    while ahead:
        at = ahead.pop()
        for m in re.finditer(r"^\s*(?:(%\S+?)(?::\d+)?(?:, %\S+)* = )?(\S+) [^\n]*" + re.escape(at) + r"(?![\w])[^\n]*", body, re.M):
            if not (m[2].startswith("memref.") and m[1]) or m[2] in ("memref.load", "memref.extract_aligned_pointer_as_index"):
                return True
            if m[2] == "memref.atomic_rmw":
                return True
            if m[1] not in seen:
                seen.add(m[1])
                ahead.append(m[1])
    return False


def _name(index: int, place: int, inputs: int, results: int, ordered: Sequence[Buffer]) -> str:
    if index < inputs:
        return f"in{index}"
    after = [b.index for b in ordered if b.index >= inputs].index(index)
    return f"out{after}" if after < results else f"scratch{after - results}"


def _type(text: str) -> tuple[tuple[int, ...], str]:
    *sizes, element = text.split(",")[0].split("x")
    if element not in _TYPES:
        raise Refused("mosaic.dtype", f"mosaic: expected an element type of a launch file ({', '.join(sorted(_TYPES))}), found {element}")
    return tuple(map(int, sizes)), _TYPES[element]


def _map(call: re.Match[str], host: str, constants: Mapping[str, int], views: Mapping[str, str], buffers: Mapping[str, Buffer]) -> _Map:
    _, base, element, rank, sizes, strides, swizzle, box = (w.strip() for w in call[1].split(","))
    above = host[: call.start()]
    view = re.findall(r"%\S+, %\S+, %\S+, %\S+ = memref\.extract_strided_metadata (%[\w#]+) : memref<([^\n]*?)> -> ", above)[-1]
    text, source = view[1], view[0]
    while source not in buffers:
        if source not in views:
            raise Refused("mosaic.map", f"mosaic: a tensor map of {source}, which is no buffer of the call")
        source = views[source]
    extents, _ = _type(text)
    strided = re.search(r"strided<\[([^\]]*)\](?:, offset: (\S+?))?$", text.rstrip(">"))
    steps = [int(n) for n in strided[1].split(",")] if strided else [_product(extents[i + 1 :]) for i in range(len(extents))]
    dtype = _ELEMENTS.get(constants[element])
    if dtype is None or (strided and strided[2] not in (None, "0")):
        raise Refused("mosaic.map", f"mosaic: a tensor map of elements {constants[element]}, {text}, is in no launch file")
    at = {p: v for v, p in re.findall(r"llvm\.store (%\S+), (%\S+) : i64", above)}
    cells = {int(i): p for p, i in re.findall(r"(%\S+) = llvm\.getelementptr " + re.escape(box) + r"\[(\d+)\]", above)}
    window = [constants[at[cells[i]]] for i in range(constants[rank])]
    width = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2}.get(dtype, 4)
    fields: dict[str, Any] = {
        "dtype": dtype,
        "dims": list(reversed(extents)),
        "strides": [n * width for n in reversed(steps[:-1])],
        "box": list(reversed(window)),
    }
    if constants[swizzle] > 16:
        fields["swizzle"] = constants[swizzle]
    return _Map(buffers[source].index, fields)


def _product(numbers: Sequence[int]) -> int:
    made = 1
    for n in numbers:
        made *= n
    return made


def _extents(body: str, constants: Mapping[str, int]) -> dict[str, Any]:
    head = body.split("\n", 1)[0]

    def three(word: str) -> list[int] | None:
        found = re.search(word + r"\([^)]*\) in \(([^)]*)\)", head)
        return None if found is None else [constants[w.split("=")[1].strip()] for w in found[1].split(",")]

    shared = re.search(r"dynamic_shared_memory_size (%\S+)", head)
    cluster = three("clusters")
    return {
        "grid": three("blocks"),
        "block": three("threads"),
        **({} if cluster is None else {"cluster": cluster}),
        "shared": constants[shared[1]] if shared else 0,
    }
