"""A kernel with its arguments as a request has it: the text of its module, its grid, and what stands behind every parameter.

A parameter of the text is an argument that is no constant, in their order; elements of tuples stand one behind the other. Two arguments with data that
begin at one address are one tensor. What is read and what is written is said by the text, not here.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any, Iterator, Mapping, Sequence

from .. import warm
from ..errors import Refused
from ..launches import Launch, Perform
from ..tensors import Tensor, numpy_dtype
from .compilation import Specialised, Texts, both, specialise, texts, tracing_for
from .kernels import Call, call
from .sources import files_of
from .targets import capability
from .tensors import Operand, is_tensor, operand, signless
from .versions import parts

__all__ = ["KEYWORDS", "TritonExport", "export"]


# ---------------------------------------------------------------- what stands behind the parameters


@dataclass(frozen=True)
class _Leaf:
    """A parameter of the text."""

    #: ``a``, or ``pair[1]`` of a tuple
    name: str
    type: str
    value: Any


@dataclass(frozen=True)
class _Placed:
    """A tensor of the launch."""

    #: what a request calls it
    name: str
    #: what its author calls it: the first of its parameters
    argument: str
    operand: Operand
    #: what the author gave, which a result is to look like
    given: Operand
    #: its extents are those of a descriptor, and cannot be others
    described: bool


def _leaves(name: str, type: Any, value: Any) -> Iterator[_Leaf]:
    if isinstance(type, tuple):
        for k, (of, one) in enumerate(zip(type, value)):
            yield from _leaves(f"{name}[{k}]", of, one)
    elif type != "constexpr":
        yield _Leaf(name, type, value)


def _adapted(value: Any, what: str) -> Any:
    """An argument as Triton's specialiser takes it: tensors of all makes as what has a pointer and an element type."""
    if isinstance(value, tuple):
        parts_of = [_adapted(one, f"{what}[{k}]") for k, one in enumerate(value)]
        return type(value)(*parts_of) if hasattr(value, "_fields") else tuple(parts_of)
    return operand(value, what) if is_tensor(value) else value


def _described(leaf: _Leaf) -> tuple[Operand, Operand]:
    """Of a tensor or a descriptor: the memory that it speaks of, and what its author gave for it."""
    if not isinstance(leaf.value, parts().descriptors):
        made = operand(leaf.value, leaf.name)
        return made, made
    base = operand(leaf.value.base, leaf.name)
    shape, strides = tuple(map(int, leaf.value.shape)), tuple(map(int, leaf.value.strides))
    seen = base if (shape, strides) == (base.shape, base.strides) else base.seen_as(shape, strides)
    if seen is None:
        raise Refused(
            f"{leaf.name}: expected a descriptor of what its tensor {base.shape} has, found extents {shape} and strides {strides}",
            "triton.descriptor",
        )
    return seen, base


def _together(kernel: str, there: _Placed, also: _Placed) -> _Placed:
    """Of two arguments that begin at one address: one tensor, with the extents of a descriptor if one of them has others."""
    a, b = there.operand, also.operand
    same = (a.shape, a.strides) == (b.shape, b.strides)
    dense = a.is_row_major and b.is_row_major and math.prod(a.shape) == math.prod(b.shape)
    if not same and not (dense and not (there.described and also.described)):
        raise Refused(
            f"{kernel}: {also.argument}: expected extents {a.shape} and strides {a.strides}, as {there.argument} has, which "
            f"begins at the same address, found {b.shape} and {b.strides}",
            "triton.alias",
        )
    kept = also if also.described else there
    return replace(there, operand=kept.operand, described=kept.described)


def _word(name: str, taken: Sequence[str]) -> str:
    """A name of letters for a request."""
    word = name.replace("[", "_").replace("]", "")
    while word in taken:
        word += "_"
    return word


def _number(leaf: _Leaf) -> Any:
    """As JSON has it: a text where JSON's numbers would not do."""
    value = leaf.value
    if leaf.type[0] not in "iu":
        number = float(value)
        return number if math.isfinite(number) and (number or math.copysign(1, number) > 0) else str(number)
    if isinstance(value, bool):
        return value
    # a text has no signs: the upper half of the unsigned numbers is the lower one of the others
    bits = int(leaf.type[1:])
    signed = value - (1 << bits) if leaf.type[0] == "u" and value >= 1 << (bits - 1) > 1 else value
    return signed if abs(signed) < 1 << 53 else str(signed)


class _Arguments:
    """The arguments of a launch, in the order of the parameters of the text."""

    def __init__(self, kernel: str, leaves: Sequence[_Leaf]) -> None:
        self.tensors: dict[tuple[Any, ...], _Placed] = {}
        #: what only addresses in other tensors reach
        self.memory: dict[tuple[Any, ...], _Placed] = {}
        #: the tensors whose addresses a tensor holds, by its name
        self.pointers: dict[str, Sequence[str]] = {}
        self.order: list[tuple[_Leaf, tuple[Any, ...] | None]] = []
        for leaf in leaves:
            if not leaf.type.startswith(("*", "tensordesc")):
                self.order.append((leaf, None))
                continue
            seen, given = _described(leaf)
            if 0 in seen.shape and not leaf.type.startswith("tensordesc"):
                # a tensor without elements is a pointer to nothing
                self.order.append((_Leaf(leaf.name, "i64", 0), None))
                continue
            if 0 in seen.shape or any(stride < 0 for stride in seen.strides):
                raise Refused(
                    f"{kernel}: {leaf.name}: expected positive extents and strides of 0 or more, "
                    f"found extents {seen.shape} and strides {seen.strides}",
                    "triton.strides",
                )
            # what has no memory is a tensor of its own, however often it stands there
            key = (leaf.name,) if seen.bytes is None else seen.identity
            there = self.tensors.get(key)
            names = [t.name for t in self.tensors.values()]
            found = _Placed(_word(leaf.name, names), leaf.name, seen, given, leaf.type.startswith("tensordesc"))
            self.tensors[key] = found if there is None else _together(kernel, there, found)
            self.order.append((leaf, key))
        for holder in list(self.tensors.values()):
            if holder.operand.pointers:
                self.pointers[holder.name] = [self._pointed(kernel, holder, k, value) for k, value in enumerate(holder.operand.pointers)]

    def _pointed(self, kernel: str, holder: _Placed, number: int, value: Any) -> str:
        """The name of a tensor whose address another one holds."""
        name = f"{holder.argument}[{number}]"
        if not is_tensor(value):
            raise Refused(f"{kernel}: {name}: expected a tensor whose address is held, found {type(value).__name__}", "triton.pointers")
        found = operand(value, name)
        there = self.tensors.get(found.identity) or self.memory.get(found.identity)
        if there is None:
            if not found.is_row_major:
                raise Refused(f"{kernel}: {name}: expected a tensor without gaps, found strides {found.strides} of extents {found.shape}", "triton.strides")
            there = self.memory[found.identity] = _Placed(_word(name, [t.name for t in self.every]), name, found, found, False)
        return there.name

    @property
    def every(self) -> Sequence[_Placed]:
        """All tensors of the launch."""
        return [*self.tensors.values(), *self.memory.values()]

    def memory_documents(self, files: Sequence[str]) -> Sequence[Any]:
        return [
            {
                "tensor": t.name,
                "dtype": "u8" if t.operand.dtype.ours == "i1" else t.operand.dtype.ours,
                "shape": list(t.operand.shape) or [1],
                "role": "inout",
                "file": f"{t.name}.npy" if f"{t.name}.npy" in files else None,
            }
            for t in self.memory.values()
        ]

    def documents(self, files: Mapping[str, str]) -> Sequence[Any]:
        return [
            _number(leaf) if key is None else self._document(leaf, self.tensors[key], files)
            for leaf, key in self.order
        ]


    def _document(self, leaf: _Leaf, t: _Placed, files: Mapping[str, str]) -> Mapping[str, Any]:
        said = _tensor_document(leaf, t, files)
        return {**said, "pointers": list(self.pointers[t.name])} if t.name in self.pointers else said


def _tensor_document(leaf: _Leaf, t: _Placed, files: Mapping[str, str]) -> Mapping[str, Any]:
    o = t.operand
    return {
        "tensor": t.name,
        "dtype": signless(o.dtype.ours),
        "shape": list(o.shape) or [1],
        **({} if o.is_row_major else {"strides": list(o.strides)}),
        **({"padding": "nan"} if getattr(leaf.value, "padding", "zero") == "nan" else {}),
        "file": files.get(t.name),
    }


# ---------------------------------------------------------------- the export


@dataclass(frozen=True)
class TritonExport:
    """A launch of one kernel."""

    launches: Sequence[Launch]
    _arguments: _Arguments = field(repr=False)
    _zeroed: Sequence[str] = field(repr=False)

    def evaluate(self, perform: Perform) -> Any:
        """The tensors that the kernel may write, by the names of its arguments, as numpy arrays; the arguments stay what they are.

        What the kernel reads has to have data: a run on others would be of no use.
        """
        (launch,) = self.launches
        placed = {t.name: t for t in self._arguments.every}
        try:
            made = perform(launch, [_held(placed[name], self._zeroed) for name in launch.inputs])
        except Refused as refused:
            missing = re.match(r"input (\w+):", str(refused))
            if refused.code != "input-missing" or missing is None:
                raise
            raise Refused(
                f"{launch.name}: {placed[missing[1]].argument}: expected data, since the kernel reads it, found extents alone",
                "triton.data",
            ) from None
        return {placed[name].argument: _like(placed[name].given, array) for name, array in made.items()}


def _like(given: Operand, array: Any) -> Any:
    """A result under the element type and the extents of what was given: the text has no unsigned numbers, and a descriptor may have other extents."""
    ours = given.dtype.ours
    typed = array.view("bool") if ours == "i1" else array.view(f"u{array.dtype.name}") if ours.startswith("u") else array
    if _is_memory(given, typed):
        from numpy.lib.stride_tricks import as_strided

        steps = [step * typed.itemsize for step in given.strides]
        return as_strided(typed, given.shape, steps).copy()
    return typed.reshape(given.shape) if math.prod(given.shape) == typed.size else typed


def _is_memory(given: Operand, array: Any) -> bool:
    """Did PTX alone compute it? Then it is the memory from the first element to the last, and strides say where each element lies."""
    span = 1 + sum((extent - 1) * step for extent, step in zip(given.shape, given.strides))
    return not given.is_row_major and array.shape == (span,) and array.shape != given.shape


def _outputs(kernel: str, arguments: _Arguments, said: Sequence[str] | str | None) -> Sequence[str] | None:
    """The tensors that are said to be outputs, by their names in a request."""
    if said is None:
        return None
    known = {t.argument: t.name for t in arguments.tensors.values()}
    names = [said] if isinstance(said, str) else list(said)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Refused(
            f"{kernel}: outputs: expected tensors among the arguments, {', '.join(known) or 'which has none'}, "
            f"found '{unknown[0]}'",
            "triton.outputs",
        )
    return [known[name] for name in names]


def _names(c: Call, special: Specialised) -> Iterator[_Leaf]:
    for parameter, value in c.bound.items():
        yield from _leaves(parameter, special.signature[parameter], value)


def export(
    kernel: Any,
    *arguments: Any,
    grid: Any = None,
    target: Any = None,
    config: Any = None,
    outputs: Sequence[str] | str | None = None,
    level: str = "auto",
    **keywords: Any,
) -> TritonExport:
    """A launch of a kernel, compiled for the target: ``export(kernel, a, b, c, grid=(4, 4), BM=64, num_warps=4)``.

    ``grid``: programs along each axis, a number, or a function of the arguments by name; not beside ``kernel[grid]``. ``target``: ``"sm_90"``, which
    it is if it is not said, or ``"sm_100"``. ``config``: of an autotuned kernel, which configuration. ``outputs``: the tensors that the kernel writes
    whole, if those are not all that it writes. ``level``: ``"ttgir"``, ``"ptx"``, what LLVM makes of it, or ``"auto"``, both. Other keywords are parameters of the kernel, and options of Triton's compiler.
    """
    if level not in LEVELS:
        raise Refused(f"level: expected {', '.join(map(repr, LEVELS))}, found {level!r}", "level")
    parts()
    chip = capability(target)
    with tracing_for(chip):
        c = call(kernel, arguments, keywords, grid, config)
    names = [p.name for p in c.kernel.params]
    special = specialise(
        c.kernel,
        chip,
        [_adapted(value, names[k]) for k, value in enumerate(c.arguments)],
        {name: _adapted(value, name) if name in names else value for name, value in c.keywords.items()},
    )
    name = c.kernel.__name__
    placed = _Arguments(name, list(_names(c, special)))
    written = _outputs(name, placed, outputs)
    if level == "ptx":
        return _of_ptx(name, c, placed, written, texts(special, level))
    made = both(special) if level == "auto" else texts(special, level)
    text = made.ttgir
    # addresses and control may come from integers: they are what they are also where a kernel is judged without data
    files = {
        f"{t.name}.npy": tensor.to_json()
        for t in placed.every
        if t.operand.dtype.ours[0] in "iu"
        and t.name not in (written or ())
        and t.argument not in c.zeroed
        and (tensor := t.operand.tensor()) is not None
    }
    document = {
        "schema": "tcspec.launch/1",
        "grid": list(c.grid),
        "args": placed.documents({name.removesuffix(".npy"): name for name in files}),
        **({"memory": placed.memory_documents(list(files))} if placed.memory else {}),
        **({} if written is None else {"outputs": list(written)}),
        # what a kernel leaves of a tensor that is given keeps what its caller gave
        "kept": [t.name for t in placed.tensors.values() if t.operand.bytes is not None and t.name not in (written or ())],
    }
    launch = Launch(
        name=" ".join([name, *(f"({note})" for note in c.notes)]),
        document={"ttgir": text},
        params={"launch": document, "files": {**files_of(text), **files, **_beside(made)}, "level": level},
        inputs=[t.name for t in placed.every if t.operand.bytes is not None],
        outputs=None,
        data=lambda: {t.name: _held(t, c.zeroed) for t in placed.every if t.operand.bytes is not None},
    )
    return TritonExport([launch], placed, c.zeroed)


def _held(t: _Placed, zeroed: Sequence[str]) -> Tensor:
    tensor = t.operand.tensor()
    assert tensor is not None
    return Tensor(tensor.dtype, tensor.shape, bytes(len(tensor.data))) if t.argument in zeroed else tensor


#: what is said of a launch besides what the kernel and the compiler take
KEYWORDS = ("grid", "target", "config", "outputs", "level")
#: what a kernel is judged as
LEVELS = ("auto", "ttgir", "ptx")

#: what a request calls the text that it brings (``src/oracle/serve/content.ts``); the others of a kernel have the same name, as in Triton's cache
_STEM = "kernel"


def _beside(made: Texts) -> Mapping[str, Any]:
    """What stands beside the text in Triton's cache: the PTX, and what the compiler says of a launch of it."""
    if made.ptx is None:
        return {}
    said = {name: made.metadata[name] for name in ("name", "num_warps", "num_ctas", "shared", "global_scratch_size") if name in made.metadata}
    return {f"{_STEM}.ptx": made.ptx, f"{_STEM}.json": json.dumps(said)}


# ---------------------------------------------------------------- PTX


def _of_ptx(name: str, c: Call, placed: _Arguments, written: Sequence[str] | None, made: Texts) -> TritonExport:
    """The launch of the PTX. What a tensor is for, the text before it says: there parameters are in the same order."""
    signature = warm.client().send("kernels", kernel={"ttgir": made.ttgir}).result()
    roles: dict[str, str] = {}
    for (leaf, key), parameter in zip(placed.order, signature["parameters"]):
        if key is None:
            continue
        t = placed.tensors[key]
        before, role = roles.get(t.name), parameter.get("role", "inout")
        roles[t.name] = role if before in (None, role) else "inout"
    for t in placed.tensors.values():
        if not t.operand.is_row_major:
            raise Refused(
                f"{name}: {t.argument}: expected a tensor without gaps, whose bytes PTX sees as they lie, "
                f"found strides {t.operand.strides} of extents {t.operand.shape}",
                "triton.strides",
            )
        if written is not None and roles[t.name] != "in":
            roles[t.name] = "out" if t.name in written else "inout"
    files = {}
    for t in placed.every:
        tensor = t.operand.tensor()
        if tensor is None:
            continue
        if t.argument in c.zeroed:
            tensor = Tensor(tensor.dtype, tensor.shape, bytes(len(tensor.data)))
        if roles.get(t.name) != "out" or written is None:
            # what a kernel leaves of a tensor that is given keeps what its caller gave
            files[f"{t.name}.npy"] = tensor.to_json()
    outputs = [t.name for t in placed.tensors.values() if roles[t.name] != "in"] + [t.name for t in placed.memory.values()]
    document = {
        "schema": "tcspec.ptx-launch/1",
        "kernel": made.metadata["name"],
        "grid": list(c.grid),
        "num_warps": made.metadata["num_warps"],
        "num_ctas": made.metadata["num_ctas"],
        "shared": made.metadata["shared"],
        "args": _ptx_arguments(placed, roles, files, made.metadata.get("tensordesc_meta") or ()),
        **({"memory": placed.memory_documents(list(files))} if placed.memory else {}),
        "outputs": outputs if written is None else list(written),
        "extra": {"global_scratch_size": made.metadata.get("global_scratch_size", 0)},
    }
    launch = Launch(
        name=" ".join([name, *(f"({note})" for note in c.notes)]),
        document={"ptx": made.ptx},
        params={"launch": document, "files": {**files_of(made.ttgir), **files}},
        inputs=[],
        outputs=None,
    )
    missing = [t.argument for t in placed.every if roles.get(t.name) != "out" and f"{t.name}.npy" not in files and t.name not in placed.pointers]
    return PtxExport([launch], placed, c.zeroed, missing)


def _ptx_arguments(
    placed: _Arguments, roles: Mapping[str, str], files: Mapping[str, Any], copying: Sequence[Mapping[str, Any]]
) -> Sequence[Any]:
    """``copying``: of each host descriptor, in their order, how the compiler has it copied."""
    said = iter(copying)
    return [
        _ptx_argument(
            leaf, key, placed, roles, files, next(said, None) if leaf.type.startswith("tensordesc") else None
        )
        for leaf, key in placed.order
    ]


def _ptx_argument(
    leaf: _Leaf,
    key: tuple[Any, ...] | None,
    placed: _Arguments,
    roles: Mapping[str, str],
    files: Mapping[str, Any],
    copying: Mapping[str, Any] | None,
) -> Any:
    if key is None:
        number = _number(leaf)
        return int(number) if isinstance(number, bool) else number
    t = placed.tensors[key]
    o = t.operand
    dtype = "u8" if o.dtype.ours == "i1" else o.dtype.ours
    said: dict[str, Any] = {
        "tensor": t.name,
        "dtype": dtype,
        "shape": list(o.shape) or [1],
        "role": roles[t.name],
    }
    if t.name in placed.pointers:
        return {"kind": "pointer", "tensor": t.name, "shape": said["shape"], "pointers": list(placed.pointers[t.name])}
    if f"{t.name}.npy" in files:
        said["file"] = f"{t.name}.npy"
    elif roles[t.name] != "out":
        said["file"] = None
    if not leaf.type.startswith("tensordesc"):
        return {"kind": "pointer", **said}
    swizzle = getattr(getattr(leaf.value, "layout", None), "swizzle_byte_width", None)
    return {
        "kind": "tensordesc",
        **said,
        "strides": list(o.strides),
        "block": list(leaf.value.block_shape),
        **({} if swizzle is None else {"swizzle": swizzle}),
        **({"fp4Padded": True} if copying is not None and copying.get("fp4_padded") else {}),
        **({"padding": "nan"} if getattr(leaf.value, "padding", "zero") == "nan" else {}),
    }


@dataclass(frozen=True)
class PtxExport(TritonExport):
    """A launch of the PTX of one kernel: what its tensors hold is brought with the launch."""

    #: what the kernel reads, and of which there is no data
    _missing: Sequence[str] = field(repr=False, default=())

    def evaluate(self, perform: Perform) -> Any:
        """As of a module, from bytes: elements are those of the arguments."""
        (launch,) = self.launches
        if self._missing:
            raise Refused(
                f"{launch.name}: {self._missing[0]}: expected data, since the kernel reads it, found extents alone",
                "triton.data",
            )
        placed = {t.name: t for t in self._arguments.every}
        made = perform(launch, [])
        return {placed[name].argument: _typed(placed[name].given, array) for name, array in made.items()}


def _typed(given: Operand, array: Any) -> Any:
    typed = array.view(numpy_dtype(given.dtype.ours))
    return typed.reshape(given.shape) if math.prod(given.shape) == typed.size else typed
