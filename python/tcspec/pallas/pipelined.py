"""``pl.pallas_call``, where it is lowered to Mosaic GPU: its pipeline is traced as lowering traces it.

The blocks become a pipeline of JAX's own (``plgpu.emit_pipeline``) over the sequential axes of the grid, whose body calls the user's; parallel axes
are the grid of the launch. What is exported is that program, so nothing of the pipeline is known here.
"""

from __future__ import annotations

import functools
from typing import Any

from .document import Export, Operand, Writer, compiler_params_of
from .errors import Refused
from .locations import place
from .operands import array_of, finish, mesh_of, operand_names
from .operations import Body, parameters_of
from .versions import Version

__all__ = ["export_of_pallas_call"]


def export_of_pallas_call(eqn: Any, version: Version) -> Export:
    """The export of an equation of pallas_call."""

    def refused(what: str) -> Refused:
        return Refused("not-exported", f"{place(eqn.source_info, eqn.params['jaxpr'])}: pallas_call {what}")

    params = eqn.params
    given, grid, jaxpr, mesh = params["compiler_params"], params["grid_mapping"], params["jaxpr"], params["mesh"]
    if not (_asks_for_mosaic(version) if given is None else "mosaic_gpu" in type(given).__module__):
        compiler = "no parameters" if given is None else f"{type(given).__module__}.{type(given).__qualname__}"
        raise refused(f"is for another compiler: expected compiler_params=plgpu.CompilerParams(), found {compiler}")
    if not version.pipelines_pallas_call:
        raise refused(
            f"is not lowered to Mosaic GPU by JAX {version.name}; write the kernel with plgpu.kernel and plgpu.emit_pipeline"
        )
    if grid.num_dynamic_grid_bounds:
        raise refused("has a grid that is not known when it is traced")
    if grid.num_index_operands:
        raise refused("prefetches scalars, which is not lowered to Mosaic GPU")
    if grid.vmapped_dims:
        raise refused("is mapped by vmap, which is not lowered to Mosaic GPU")
    if mesh is not None and type(mesh).__name__ != "Mesh":
        raise refused(f"has a mesh that is no GPU's, {type(mesh).__name__}")
    compiler = compiler_params_of(given)
    sizes = tuple(mesh.grid) if mesh is not None else tuple(grid.grid)
    semantics = compiler.dimension_semantics
    if semantics is not None and len(semantics) != len(sizes):
        raise refused(f"has {len(semantics)} dimension_semantics for a grid of {len(sizes)} axes")
    parallel = [semantics is None or axis == "parallel" for axis in semantics or sizes]
    try:
        traced = _trace(eqn, sizes, parallel, compiler.max_concurrent_steps)
    except NotImplementedError as error:
        raise refused(f"cannot be pipelined: {str(error).splitlines()[0]}") from error
    inputs = grid.num_inputs
    aliases = {out: number for number, out in params["input_output_aliases"]}
    names = operand_names(parameters_of(jaxpr), len(grid.block_mappings))
    operands = [
        Operand(
            name,
            "in" if k < inputs else "out",
            *array_of(mapping.array_aval),
            aliases.get(k - inputs) if k >= inputs else None,
        )
        for k, (name, mapping) in enumerate(zip(names, grid.block_mappings))
    ]
    writer = Writer(version)
    launched = [size for size, is_parallel in zip(sizes, parallel) if is_parallel]
    described: dict[str, Any] = {"cluster": [], "clusterNames": [], "numThreads": None, "threadName": None}
    if mesh is not None:
        described = mesh_of(mesh, writer)
    axes = writer.names.list_of(grid.grid_names) or [f"grid{axis}" for axis in range(len(sizes))]
    described["grid"] = launched
    described["gridNames"] = [axis for axis, is_parallel in zip(axes, parallel) if is_parallel]
    name = params["name"] or getattr(jaxpr.debug_info, "func_name", None) or "pallas_call"
    called = writer.locations.of(eqn.source_info, None)
    return finish(
        writer,
        str(name),
        "pallas_call",
        described,
        given,
        operands,
        Body(traced, names=names),
        called,
    )


def _asks_for_mosaic(version: Version) -> bool:
    """Whether JAX is configured to give Mosaic GPU what says nothing."""
    import jax

    return version.pipelines_pallas_call and bool(getattr(jax.config, "jax_pallas_use_mosaic_gpu", False))


def _launch_axis(axis: int, rank: int, parallel: int) -> int | None:
    """The axis of the launch's grid that the user's axis reads in this lowering, which counts from the innermost; None where it reads zero."""
    squashed = max(parallel - 2, 0) if parallel > 3 else 0
    if axis < squashed:
        return axis
    found = parallel - 1 - (rank - 1 - axis)
    return found if found >= 0 else None


def _trace(eqn: Any, sizes: tuple[int, ...], parallel: list[bool], max_concurrent_steps: int) -> Any:
    """The jaxpr of the pipeline around the user's body, of references to the operands."""
    from jax._src import core as jax_core
    from jax._src import linear_util as lu
    from jax._src.interpreters import partial_eval
    from jax._src.pallas import primitives as pallas_primitives
    from jax._src.pallas.mosaic_gpu import core as gpu_core
    from jax._src.pallas.mosaic_gpu import lowering, pipeline
    from jax._src.util import merge_lists

    jaxpr, grid, mesh = eqn.params["jaxpr"], eqn.params["grid_mapping"], eqn.params["mesh"]
    count = sum(parallel)

    class Scratch:
        """An allocation of the user's, as lowering allocates it: by the type of its reference."""

        def __init__(self, aval: Any) -> None:
            self.aval = aval

        def get_ref_aval(self) -> Any:
            return self.aval

    def ids(indices: Any) -> list[Any]:
        launched = []
        for axis, is_parallel in enumerate(parallel):
            if is_parallel:
                read = _launch_axis(axis, len(sizes), count)
                launched.append(0 if read is None else pallas_primitives.program_id(read))
        return list(merge_lists(parallel, list(indices), launched))

    def pipelined(*refs: Any) -> tuple[()]:
        pallas_primitives.run_scoped(
            functools.partial(scoped, *refs),
            scratch_refs=[Scratch(var.aval) for var in jaxpr.invars[grid.slice_scratch_ops]],
            collective_axes=mesh.thread_name if mesh is not None and mesh.thread_name is not None else (),
        )
        return ()

    def scoped(*refs: Any, scratch_refs: Any) -> Any:
        def body(indices: Any, *blocks: Any) -> Any:
            return pallas_primitives._jaxpr_call(jaxpr, *blocks, *scratch_refs, program_ids=ids(indices))

        specs = [lowering._block_spec_from_block_mapping(mapping, parallel) for mapping in grid.block_mappings]
        return pipeline.emit_pipeline(
            body,
            grid=tuple(size for size, is_parallel in zip(sizes, parallel) if not is_parallel),
            in_specs=specs[: grid.num_inputs],
            out_specs=specs[grid.num_inputs :],
            max_concurrent_steps=max_concurrent_steps,
        )(*refs)

    lowering._check_block_mappings(grid.block_mappings, jaxpr.debug_info)
    refs = [
        gpu_core.GMEM(mapping.array_aval.shape, mapping.array_aval.dtype).get_ref_aval()
        for mapping in grid.block_mappings
    ]
    with grid.trace_env(), jax_core.extend_axis_env_nd([] if mesh is None else mesh.shape.items()):
        traced, _, consts = partial_eval.trace_to_jaxpr_dynamic(
            lu.wrap_init(pipelined, debug_info=jaxpr.debug_info.with_unknown_names()), refs
        )
    assert not consts
    return traced
