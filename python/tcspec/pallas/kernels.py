"""The kernels of a traced program: how an equation that launches one becomes an export."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Sequence

from .document import Export, Operand, Writer, constants_of
from .errors import Refused
from .locations import place
from .on_triton import export_of_triton, is_on_triton
from .operands import array_of, finish, mesh_of, operand_names
from .operations import Body, parameters_of
from .pipelined import export_of_pallas_call
from .versions import Version

__all__ = ["bodies_of", "export_of", "is_kernel"]


@dataclass(frozen=True)
class Written:
    """The user's body of a ``plgpu.kernel``, and how many operands each of its arguments is: None is none, a pair is two."""

    function: Callable[..., Any]
    counts: Sequence[int]

    def names(self, operands: int) -> list[str]:
        """What the body calls its operands; those of one argument are told apart by their numbers."""
        named = _parameters(self.function)
        if sum(self.counts) != operands:
            return named
        return [named[k] if k < len(named) else "" for k, count in enumerate(self.counts) for _ in range(count)]


def bodies_of(eqn: Any) -> Iterator[Any]:
    """The jaxprs that an equation holds."""
    for value in eqn.params.values():
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(each, "eqns") or hasattr(getattr(each, "jaxpr", None), "eqns"):
                yield each


def is_kernel(eqn: Any) -> bool:
    """Whether an equation launches a kernel of Mosaic GPU."""
    match eqn.primitive.name:
        case "mpmd_map":
            return any(_is_gpu(mesh) for mesh in eqn.params["meshes"])
        case "core_map":
            return _is_gpu(eqn.params["mesh"])
        case "pallas_call":
            return True
    return False


def _is_gpu(mesh: Any) -> bool:
    return type(mesh).__name__ == "Mesh" and type(mesh).__module__.endswith("mosaic_gpu.core")


def export_of(eqn: Any, version: Version, written: Written | None, arch: str | None = None) -> Export:
    """The export of an equation that launches a kernel; ``written`` is the user's body, if it is known, and ``arch`` the chip that is asked for."""
    if eqn.primitive.name == "pallas_call":
        if is_on_triton(eqn):
            count = len(eqn.params["grid_mapping"].block_mappings)
            return export_of_triton(eqn, operand_names(parameters_of(eqn.params["jaxpr"]), count), arch)
    made = _export_of(eqn, version, written)
    if arch is not None:
        made.document["kernel"]["params"]["arch"] = arch
    return made


def _export_of(eqn: Any, version: Version, written: Written | None) -> Export:
    match eqn.primitive.name:
        case "mpmd_map":
            return _mapped(eqn, version, written)
        case "core_map":
            return _core_mapped(eqn, version)
        case _:
            return export_of_pallas_call(eqn, version)


def _parameters(function: Callable[..., Any]) -> list[str]:
    """The names of a function's positional parameters, for what it calls its operands."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _mapped(eqn: Any, version: Version, written: Written | None) -> Export:
    function = None if written is None else written.function
    params = eqn.params
    if len(params["jaxprs"]) != 1:
        raise Refused(
            "not-exported", f"{place(eqn.source_info)}: mpmd_map of several meshes is not lowered to Mosaic GPU"
        )
    (mesh,), (jaxpr,) = params["meshes"], params["jaxprs"]
    inputs, outputs = len(eqn.invars), len(params["out_avals"])
    if len(jaxpr.invars) != inputs + outputs:
        raise Refused(
            "not-exported",
            f"{place(eqn.source_info)}: scratch operands of mpmd_map are not lowered to Mosaic GPU; allocate them with run_scoped",
        )
    aliases = {out: number for number, out in dict(params["input_output_aliases"]).items()}
    named = parameters_of(jaxpr) if written is None else written.names(inputs + outputs)
    names = operand_names(named, inputs + outputs)
    operands = []
    for k, operand in enumerate(names):
        aval = eqn.invars[k].aval if k < inputs else params["out_avals"][k - inputs]
        role = "out" if k >= inputs else "inout" if hasattr(aval, "inner_aval") else "in"
        operands.append(Operand(operand, role, *array_of(aval), aliases.get(k - inputs) if role == "out" else None))
    writer = Writer(version)
    name: Any = mesh.kernel_name or params["name"] or getattr(jaxpr.debug_info, "func_name", None) or "kernel"
    if function is not None and not mesh.kernel_name:
        name = getattr(inspect.unwrap(function), "__name__", None) or getattr(
            getattr(function, "func", None), "__name__", name
        )
    form = "kernel" if function is not None else "core_map"
    return finish(
        writer, str(name), form, mesh_of(mesh, writer), params["compiler_params"], operands, Body(jaxpr, names=names)
    )


def _core_mapped(eqn: Any, version: Version) -> Export:
    jaxpr, mesh = eqn.params["jaxpr"], eqn.params["mesh"]
    names = operand_names((), len(eqn.invars))
    operands = [
        Operand(name, "inout" if hasattr(var.aval, "inner_aval") else "in", *array_of(var.aval))
        for name, var in zip(names, eqn.invars)
    ]
    writer = Writer(version)
    name = mesh.kernel_name or eqn.params.get("name") or "kernel"
    return finish(
        writer, str(name), "core_map", mesh_of(mesh, writer), eqn.params["compiler_params"], operands, Body(jaxpr, True)
    )


def written_of(eqn: Any) -> Written | None:
    """The user's body of a ``plgpu.kernel``: the rule for vmap that JAX keeps beside the kernel closes over it, and a mapped body over its own."""
    rule = eqn.params.get("rule")
    body = _closed_over(inspect.unwrap(rule)) if callable(rule) else None
    while getattr(body, "__qualname__", "").endswith("_vmap_rule.<locals>.batched_body"):
        body = _closed_over(body)
    return None if body is None else Written(body, _counts(eqn.params.get("in_tree"), eqn.params.get("out_tree")))


def _counts(in_tree: Any, out_tree: Any) -> list[int]:
    """How many operands each argument of the body is: the arguments of the call, behind what it captures, and then what it returns."""
    if in_tree is None or out_tree is None:
        return []
    _, arguments = in_tree.children()
    (kind, _) = out_tree.node_data() or (None, None)
    several = isinstance(kind, type) and issubclass(kind, (tuple, list))
    returned = out_tree.children() if several else [out_tree]
    return [tree.num_leaves for tree in (*arguments.children(), *returned)]


def _closed_over(function: Any) -> Any:
    """What a function closes over by the name of body."""
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    cell = dict(zip(code.co_freevars, cells)).get("body") if code is not None and cells else None
    try:
        return cell.cell_contents if cell is not None and callable(cell.cell_contents) else None
    except ValueError:  # the cell is empty
        return None


def kernels_of(
    jaxpr: Any, written: Written | None = None, seen: set[int] | None = None
) -> Iterator[tuple[Any, Written | None]]:
    """Every equation that launches a kernel, once, in the order of the program, with the user's body if it is known."""
    seen = set() if seen is None else seen
    jaxpr, _ = constants_of(jaxpr)
    if id(jaxpr) in seen:
        return
    seen.add(id(jaxpr))
    for eqn in jaxpr.eqns:
        if is_kernel(eqn):
            yield eqn, written
            continue
        within = written_of(eqn) if eqn.primitive.name == "custom_vmap_call" else None
        for body in bodies_of(eqn):
            yield from kernels_of(body, within, seen)
