"""What every form of kernel writes alike: its operands, its mesh, and the document around its body."""

from __future__ import annotations

from typing import Any, Sequence

from .document import Export, Operand, Writer, compiler_params
from .operations import Body
from .scalars import dtype_of

__all__ = ["array_of", "distinct", "finish", "mesh_of", "operand_names"]


def distinct(names: Sequence[str]) -> list[str]:
    """Names, each made distinct from those before it."""
    found: list[str] = []
    for name in names:
        number, chosen = 2, name
        while chosen in found:
            number, chosen = number + 1, f"{name}_{number}"
        found.append(chosen)
    return found


def operand_names(named: Sequence[str], count: int) -> list[str]:
    """What the operands are called: as the parameters of the user's body, or by their numbers."""
    return distinct([named[k] if k < len(named) and named[k].isidentifier() else f"operand{k}" for k in range(count)])


def array_of(aval: Any) -> tuple[str, tuple[int, ...]]:
    """Type and shape of an operand, an array or a reference to one."""
    array = getattr(aval, "inner_aval", aval)
    return dtype_of(array.dtype), tuple(array.shape)


def finish(
    writer: Writer,
    name: str,
    form: str,
    mesh: dict[str, Any],
    params: Any,
    operands: Sequence[Operand],
    body: Body,
    enclosing: int | None = None,
) -> Export:
    """Writes the body, and the document around it; ``enclosing`` is the place that the body's callers end at."""
    number = writer.body(body, enclosing)
    kernel = {
        "name": name,
        "form": form,
        "mesh": mesh,
        "params": compiler_params(params),
        "operands": [operand.described() for operand in operands],
        "blocks": None,
        "scratch": [],
        "body": number,
    }
    return Export(writer.document(kernel), tuple(operands))


def mesh_of(mesh: Any, writer: Writer) -> dict[str, Any]:
    """Grid, cluster and threads of a kernel."""
    return {
        "grid": list(mesh.grid),
        "gridNames": writer.names.list_of(mesh.grid_names),
        "cluster": list(mesh.cluster),
        "clusterNames": writer.names.list_of(mesh.cluster_names),
        "numThreads": mesh.num_threads,
        "threadName": None if mesh.thread_name is None else writer.names.of(mesh.thread_name),
    }
