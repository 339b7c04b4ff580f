"""The primitives: how each is normalised for the document.

JAX flattens what an operation takes (references and what is applied to them, barriers, optional operands) into one list of operands and keeps the
trees as parameters. Here every primitive gets its operands back: values stand in ``in``, references with their views in ``uses``, parameters in
camelCase in ``params``, bodies in ``jaxprs``. Where versions of JAX differ, ``versions.TABLE`` says so; the result does not.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Sequence

from .errors import Refused
from .inline import EFFECTS, PLACES, jaxpr_of_block
from .layouts import layout_of
from .scalars import dtype_of
from .transforms import Atom, Names, view_of
from .versions import Version

__all__ = ["CALLS", "Body", "Operation", "normalise", "parameters_of", "scan_counts"]


@dataclass
class Body:
    """A jaxpr that an operation holds. ``constvars`` are inputs ahead of the others (run_scoped); ``transforms`` and ``names`` are those of the last inputs."""

    jaxpr: Any
    with_constvars: bool = False
    transforms: Sequence[Any] = ()
    names: Sequence[str] = ()
    space: str | None = None
    shared: bool = False


@dataclass
class Operation:
    """An equation without its outputs and its place."""

    op: str
    values: list[Any] = field(default_factory=list)
    uses: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    bodies: dict[str, Body | list[Body]] = field(default_factory=dict)


class Operands:
    """The operands of an equation, taken from the left."""

    def __init__(self, atoms: Sequence[Atom], params: dict[str, Any], names: Names, version: Version) -> None:
        self.params, self.names, self.version = params, names, version
        self._atoms: Iterator[Atom] = iter(atoms)

    def take(self) -> Atom:
        return next(self._atoms)

    def rest(self) -> list[Atom]:
        return list(self._atoms)

    def transforms(self, tree: str) -> Any:
        """The transforms whose tree is a parameter; their leaves are the next operands."""
        treedef = self.params[tree]
        return () if treedef is None else treedef.unflatten([self.take() for _ in range(treedef.num_leaves)])

    def tree(self, tree: str) -> Any:
        """All operands, by the tree that is a parameter."""
        return self.params[tree].unflatten(self.rest())

    def use(self, ref: Atom, transforms: Any) -> dict[str, Any]:
        view = view_of(transforms or (), self.names)
        return {"ref": ref.value, "view": view} if view else {"ref": ref.value}

    def axes(self, name: str) -> list[str]:
        return self.names.list_of(self.params[name])


def _is_ref(atom: Atom) -> bool:
    return hasattr(atom.aval, "inner_aval")


def _named(value: Any) -> Any:
    """An enumeration's member by its name."""
    return value.name.lower() if isinstance(value, enum.Enum) else value


def _leader(partition: Any) -> Any:
    if partition is None:
        return None
    return {"partitioned": partition.axis} if hasattr(partition, "axis") else "replicated"


Normaliser = Callable[[Operands], Operation]
_TABLE: dict[str, Normaliser] = {}


def _primitive(*names: str) -> Callable[[Normaliser], Normaliser]:
    def register(normaliser: Normaliser) -> Normaliser:
        for name in names:
            _TABLE[name] = normaliser
        return normaliser

    return register


# ---------------------------------------------------------------- state


@_primitive("get")
def _get(x: Operands) -> Operation:
    ref = x.take()
    return Operation("get", uses={"ref": x.use(ref, x.transforms("tree"))})


@_primitive("load")
def _load(x: Operands) -> Operation:
    ref = x.take()
    return Operation("get", uses={"ref": x.use(ref, x.transforms("tree"))}, params={"optimized": x.params["optimized"]})


@_primitive("swap")
def _swap(x: Operands) -> Operation:
    ref, value = x.take(), x.take()
    return Operation("swap", [value], {"ref": x.use(ref, x.transforms("tree"))})


@_primitive("mgpu_atomic_store")
def _atomic_store(x: Operands) -> Operation:
    ref, transforms, value = x.tree("args_tree")
    return Operation(
        "atomic_store", [value], {"ref": x.use(ref, transforms)}, {"atomicType": x.params["atomic_type"].value}
    )


@_primitive("get_global")
def _get_global(x: Operands) -> Operation:
    return Operation("get_global")


# ---------------------------------------------------------------- copies


@_primitive("copy_gmem_to_smem")
def _copy_gmem_to_smem(x: Operands) -> Operation:
    src, dst = x.take(), x.take()
    barrier = x.take() if not x.version.barrier_is_optional or x.params["has_barrier"] else None
    uses = {
        "src": x.use(src, x.transforms("src_transforms_treedef")),
        "dst": x.use(dst, x.transforms("dst_transforms_treedef")),
    }
    barrier_transforms = x.transforms("barrier_transforms_treedef")
    if barrier is not None:
        uses["barrier"] = x.use(barrier, barrier_transforms)
    mode = x.params["oob_mode"]
    return Operation(
        "copy_gmem_to_smem",
        x.rest(),
        uses,
        {
            "collectiveAxes": x.axes("collective_axes") or None,
            "leaderTracked": _leader(x.params["leader_tracked"]),
            "oobMode": None if mode is None or mode.name == "ZEROS" else _named(mode),
            "predicate": bool(x.version.predicates and x.params["has_user_predicate"]),
        },
    )


@_primitive("copy_smem_to_gmem")
def _copy_smem_to_gmem(x: Operands) -> Operation:
    src, dst = x.take(), x.take()
    uses = {
        "src": x.use(src, x.transforms("src_transforms_treedef")),
        "dst": x.use(dst, x.transforms("dst_transforms_treedef")),
    }
    return Operation(
        "copy_smem_to_gmem",
        x.rest(),
        uses,
        {
            "commitGroup": x.params["commit_group"],
            "reductionOp": _named(x.params["reduction_op"]),
            "predicate": bool(x.params["has_user_predicate"]),
        },
    )


@_primitive("async_prefetch")
def _async_prefetch(x: Operands) -> Operation:
    ref = x.take()
    use = x.use(ref, x.transforms("ref_transforms_treedef"))
    return Operation(
        "async_prefetch",
        x.rest(),
        {"ref": use},
        {
            "collectiveAxes": x.axes("collective_axes") or None,
            "leaderTracked": _leader(x.params["leader_tracked"]),
            "predicate": bool(x.version.predicates and x.params["has_user_predicate"]),
        },
    )


@_primitive("async_store_smem")
def _async_store_smem(x: Operands) -> Operation:
    value, ref, barrier, cluster_idx = x.take(), x.take(), x.take(), x.take()
    uses = {
        "ref": x.use(ref, x.transforms("ref_transforms_treedef")),
        "barrier": x.use(barrier, x.transforms("barrier_transforms_treedef")),
    }
    dimension = x.params["cluster_dim"]
    return Operation(
        "async_store_smem",
        [value, cluster_idx],
        uses,
        {
            "clusterDim": dimension if isinstance(dimension, int) else x.names.of(dimension),
            "optimized": x.params["optimized"],
            "atomic": x.params["atomic"],
        },
    )


@_primitive("commit_group", "commit_smem", "commit_tmem", "wait_load_tmem")
def _without_operands(x: Operands) -> Operation:
    return Operation("")


@_primitive("griddepcontrol_wait", "griddepcontrol_launch_dependents")
def _griddepcontrol(x: Operands) -> Operation:
    return Operation("")


def _count(x: Operands) -> Any:
    """The number that a wait or a register request has: a value of the document in every version."""
    if x.version.counts_are_operands:
        return x.take().value
    return {"k": x.params["n"], "dtype": "i32"}


@_primitive("wait_smem_to_gmem")
def _wait_smem_to_gmem(x: Operands) -> Operation:
    return Operation("wait_smem_to_gmem", [_count(x)], params={"readOnly": bool(x.params["wait_read_only"])})


@_primitive("wait_gmem_to_smem")
def _wait_gmem_to_smem(x: Operands) -> Operation:
    return Operation("wait_gmem_to_smem", params={"n": x.params["n"]})


# ---------------------------------------------------------------- barriers


@_primitive("barrier_arrive", "barrier_wait", "barrier_test")
def _barrier(x: Operands) -> Operation:
    barrier = x.take()
    use = x.use(barrier, x.transforms("transforms_treedef"))
    predicate = x.rest()
    return Operation("", predicate, {"barrier": use}, {"predicate": True} if predicate else {})


# ---------------------------------------------------------------- wgmma


@_primitive("wgmma_ref")
def _wgmma(x: Operands) -> Operation:
    acc, a, b = x.take(), x.take(), x.take()
    uses = {"acc": x.use(acc, x.transforms("acc_transforms_tree"))}
    a_transforms = x.transforms("a_transforms_tree")
    if _is_ref(a):
        uses["a"] = x.use(a, a_transforms)
    uses["b"] = x.use(b, x.transforms("b_transforms_tree"))
    return Operation("wgmma", [] if _is_ref(a) else [a], uses)


@_primitive("wgmma_wait")
def _wgmma_wait(x: Operands) -> Operation:
    return Operation("wgmma_wait", [_count(x)])


@_primitive("wgmma_accumulator_deref_p")
def _wgmma_accumulator_load(x: Operands) -> Operation:
    return Operation("wgmma_accumulator_load", uses={"acc": x.use(x.take(), ())}, params={"waitN": x.params["wait_n"]})


@_primitive("wgmma_accumulator_store_p")
def _wgmma_accumulator_store(x: Operands) -> Operation:
    acc, value = x.take(), x.take()
    return Operation("wgmma_accumulator_store", [value], {"acc": x.use(acc, ())})


# ---------------------------------------------------------------- tcgen05 and tensor memory


@_primitive("tcgen05_mma")
def _tcgen05_mma(x: Operands) -> Operation:
    acc, a, b, accumulate = x.take(), x.take(), x.take(), x.take()
    barrier = x.take() if x.params["arrive"] else None
    a_scale, b_scale = (x.take(), x.take()) if x.params["scaled"] else (None, None)
    metadata = x.take() if x.params["sparse"] else None
    uses: dict[str, Any] = {}
    for name, ref in (
        ("acc", acc),
        ("a", a),
        ("b", b),
        ("barrier", barrier),
        ("a_scale", a_scale),
        ("b_scale", b_scale),
        ("a_sparse_metadata", metadata),
    ):
        transforms = x.transforms(f"{name}_transforms_tree")
        if ref is not None:
            uses[_camel(name)] = x.use(ref, transforms)
    axis = x.params["collective_axis"]
    return Operation(
        "tcgen05_mma",
        [accumulate],
        uses,
        {"collectiveAxis": None if axis is None else x.names.of(axis), "arrive": x.params["arrive"]},
    )


@_primitive("tcgen05_commit_arrive")
def _tcgen05_commit_arrive(x: Operands) -> Operation:
    barrier = x.take()
    axis = x.params["collective_axis"]
    return Operation(
        "tcgen05_commit_arrive",
        uses={"barrier": x.use(barrier, x.transforms("barrier_transforms_tree"))},
        params={"collectiveAxis": None if axis is None else x.names.of(axis)},
    )


@_primitive("async_load")
def _async_load_tmem(x: Operands) -> Operation:
    ref = x.take()
    reduce = x.params["reduce"] if x.version.load_reduces else None
    return Operation("async_load_tmem", uses={"ref": x.use(ref, x.transforms("tree"))}, params={"reduce": reduce})


@_primitive("async_store_tmem")
def _async_store_tmem(x: Operands) -> Operation:
    ref, value = x.take(), x.take()
    return Operation("async_store_tmem", [value], {"ref": x.use(ref, x.transforms("tree"))})


@_primitive("async_copy_smem_to_tmem", "async_copy_scales_to_tmem", "async_copy_sparse_metadata_to_tmem")
def _copy_to_tmem(x: Operands) -> Operation:
    smem, tmem = x.take(), x.take()
    axis = x.params["collective_axis"]
    return Operation(
        "",
        uses={"smem": x.use(smem, x.transforms("smem_tree")), "tmem": x.use(tmem, x.transforms("tmem_tree"))},
        params={"collectiveAxis": None if axis is None else x.names.of(axis)},
    )


# ---------------------------------------------------------------- semaphores and clusters


def _device(device: Any, names: Names) -> tuple[list[Any], Any]:
    """A device of a signal: the values of it, and the axes that they are for."""
    if device is None:
        return [], None
    if isinstance(device, dict):
        return list(device.values()), [names.list_of(axis) for axis in device]
    if isinstance(device, (tuple, list)):
        return list(device), len(device)
    return [device], 1


@_primitive("semaphore_signal")
def _semaphore_signal(x: Operands) -> Operation:
    ref, transforms, inc, device, core = x.tree("args_tree")
    if core is not None:
        raise Refused("not-exported", "semaphore_signal with core_index: a GPU has no cores of that kind")
    ids, axes = _device(device, x.names)
    params: dict[str, Any] = {
        "memoryScope": x.params.get("memory_scope", "sys"),
        "deviceIdType": _named(x.params["device_id_type"]),
    }
    if axes is not None:
        params["device"] = axes
    return Operation("semaphore_signal", [inc, *ids], {"semaphore": x.use(ref, transforms)}, params)


@_primitive("semaphore_signal_parallel")
def _semaphore_signal_parallel(x: Operands) -> Operation:
    refs, transforms, incs, devices = x.tree("args_tree")
    described = [_device(device, x.names) for device in devices]
    named = any(axes is not None for _, axes in described)
    return Operation(
        "semaphore_signal_parallel",
        [*incs, *(value for ids, _ in described for value in ids)],
        {"semaphores": [x.use(ref, applied) for ref, applied in zip(refs, transforms)]},
        {"deviceIds": named, **({"devices": [axes for _, axes in described]} if named else {})},
    )


@_primitive("semaphore_wait")
def _semaphore_wait(x: Operands) -> Operation:
    ref, transforms, value, decrement = x.tree("args_tree")
    decrements = decrement if isinstance(decrement, bool) else decrement.value.get("k")
    if decrements not in (0, 1):
        raise Refused("not-exported", "semaphore_wait: expected decrement to be known when the kernel is traced")
    return Operation(
        "semaphore_wait",
        [value],
        {"semaphore": x.use(ref, transforms)},
        {"decrement": bool(decrements), "memoryScope": x.params.get("memory_scope", "sys")},
    )


@_primitive("semaphore_read")
def _semaphore_read(x: Operands) -> Operation:
    ref, transforms = x.tree("args_tree")
    return Operation("semaphore_read", uses={"semaphore": x.use(ref, transforms)})


@_primitive("try_cluster_cancel")
def _try_cluster_cancel(x: Operands) -> Operation:
    result, barrier = x.take(), x.take()
    uses = {
        "result": x.use(result, x.transforms("result_transforms_tree")),
        "barrier": x.use(barrier, x.transforms("barrier_transforms_tree")),
    }
    params = {"collectiveAxes": x.axes("collective_axes")} if x.version.cancel_is_collective else {}
    return Operation("try_cluster_cancel", uses=uses, params=params)


@_primitive("query_cluster_cancel")
def _query_cluster_cancel(x: Operands) -> Operation:
    result = x.take()
    return Operation(
        "query_cluster_cancel",
        uses={"result": x.use(result, x.transforms("transforms_tree"))},
        params={"gridNames": x.axes("grid_names")},
    )


# ---------------------------------------------------------------- layouts, numbers, printing


@_primitive("layout_cast")
def _layout_cast(x: Operands) -> Operation:
    return Operation("layout_cast", x.rest(), params={"layout": layout_of(x.params["new_layout"])})


@_primitive("set_max_registers_p")
def _set_max_registers(x: Operands) -> Operation:
    return Operation("set_max_registers", params={"n": _count(x)["k"], "action": x.params["action"]})


@_primitive("axis_index")
def _axis_index(x: Operands) -> Operation:
    axis = x.params["axis_name"]
    return Operation(
        "axis_index", params={"axisName": x.names.list_of(axis) if isinstance(axis, tuple) else x.names.of(axis)}
    )


@_primitive("print_layout")
def _print_layout(x: Operands) -> Operation:
    printed = x.take()
    transforms = x.transforms("transforms_tree")
    params = {"fmt": x.params["fmt"]}
    if _is_ref(printed):
        return Operation("print_layout", uses={"ref": x.use(printed, transforms)}, params=params)
    return Operation("print_layout", [printed], params=params)


@_primitive("debug_print")
def _debug_print(x: Operands) -> Operation:
    return Operation("debug_print", x.rest(), params={"fmt": x.params["fmt"]})


@_primitive("check")
def _check(x: Operands) -> Operation:
    return Operation("check", x.rest())


@_primitive("reshard", "relayout")
def _same_value(x: Operands) -> Operation:
    """Where an array lies across devices: nothing within one kernel."""
    return Operation("optimization_barrier", x.rest())


# ---------------------------------------------------------------- control


def scan_counts(params: dict[str, Any], version: Version) -> tuple[int, int]:
    """How many of a scan's operands are constants, and how many are carried."""
    if version.scan_counts_are_trees:
        consts, carry, _ = params["ft_in"].unpack()
        return len(consts), len(carry)
    return params["num_consts"], params["num_carry"]


@_primitive("scan")
def _scan(x: Operands) -> Operation:
    consts, carry = scan_counts(x.params, x.version)
    params = {
        "length": x.params["length"],
        "numConsts": consts,
        "numCarry": carry,
        "reverse": bool(x.params["reverse"]),
        "unroll": int(x.params["unroll"]),
    }
    return Operation("scan", x.rest(), params=params, bodies={"body": Body(x.params["jaxpr"])})


@_primitive("while")
def _while(x: Operands) -> Operation:
    return Operation(
        "while",
        x.rest(),
        params={"condConsts": x.params["cond_nconsts"], "bodyConsts": x.params["body_nconsts"]},
        bodies={"cond": Body(x.params["cond_jaxpr"]), "body": Body(x.params["body_jaxpr"])},
    )


@_primitive("cond")
def _cond(x: Operands) -> Operation:
    return Operation("cond", x.rest(), bodies={"branches": [Body(branch) for branch in x.params["branches"]]})


CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "eval_jaxpr": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vmap_call": "call",
    "checkpoint": "jaxpr",
    "remat2": "jaxpr",
}
"""Primitives that call a jaxpr with their operands, and the parameter that holds it."""


def _call_of(name: str, x: Operands) -> Operation:
    called = x.params.get("name")
    jaxpr = x.params[CALLS[name]]
    if called is None:
        called = getattr(getattr(jaxpr, "debug_info", None), "func_name", name)
    return Operation("call", x.rest(), params={"name": str(called)}, bodies={"body": Body(jaxpr, shared=True)})


@_primitive("jaxpr_call")
def _jaxpr_call(x: Operands) -> Operation:
    """A body with references that have views: what pallas_call's pipeline calls for each step.

    The transforms of a block stand in the view that is handed to the body and in the body's own uses again; they are applied once.
    """
    refs = []
    for tree in x.params["ref_treedefs"]:
        ref = tree.unflatten([x.take() for _ in range(tree.num_leaves)])
        refs.append(x.use(*ref) if isinstance(ref, tuple) else x.use(ref, ()))
    ids = x.params["program_ids_treedef"].unflatten(x.rest())
    return Operation(
        "jaxpr_call",
        list(ids),
        {"refs": refs},
        bodies={"body": Body(x.params["jaxpr"], names=parameters_of(x.params["jaxpr"]))},
    )


def parameters_of(jaxpr: Any) -> list[str]:
    """What the traced function calls the inputs of its jaxpr; nothing, where JAX does not say."""
    names = getattr(jaxpr.debug_info, "arg_names", None)
    return [] if names is None or len(names) != len(jaxpr.invars) else [str(name or "") for name in names]


@_primitive("run_scoped")
def _run_scoped(x: Operands) -> Operation:
    jaxpr = x.params["jaxpr"]
    params = {"collectiveAxes": x.axes("collective_axes"), "allocations": len(jaxpr.invars)}
    body = Body(jaxpr, True, x.params["ref_transforms"], parameters_of(jaxpr))
    return Operation("run_scoped", x.rest(), params=params, bodies={"body": body})


@_primitive("run_state")
def _run_state(x: Operands) -> Operation:
    initialised = [bool(flag) for flag in x.params["is_initialized"]]
    return Operation(
        "run_state",
        x.rest(),
        params={} if all(initialised) else {"initialized": initialised},
        bodies={"body": Body(x.params["jaxpr"], space="regs")},
    )


@_primitive("core_map")
def _core_map(x: Operands) -> Operation:
    return _on_warps(x, x.params["mesh"], Body(x.params["jaxpr"], True))


@_primitive("mpmd_map")
def _mpmd_map(x: Operands) -> Operation:
    if len(x.params["jaxprs"]) != 1:
        raise Refused("not-exported", "mpmd_map of several meshes is not lowered to Mosaic GPU")
    return _on_warps(x, x.params["meshes"][0], Body(x.params["jaxprs"][0]))


def _on_warps(x: Operands, mesh: Any, body: Body) -> Operation:
    if type(mesh).__name__ != "WarpMesh":
        raise Refused(
            "not-exported", f"expected a map over warps inside of a kernel, found one over {type(mesh).__name__}"
        )
    ((axis, warps),) = mesh.shape.items()
    return Operation(
        "core_map", x.rest(), params={"axisName": x.names.of(axis), "numWarps": warps}, bodies={"body": body}
    )


# ---------------------------------------------------------------- lax, and what is refused

_LAX = frozenset(
    """abs add and atan2 bitcast_convert_type broadcast_in_dim clamp clz convert_element_type cos delay div eq erf exp exp2 ge gt
    integer_pow iota le log logistic lt max min mul multiple_of ne neg not optimization_barrier or program_id reduce_max reduce_min
    reduce_prod reduce_sum rem reshape round rsqrt select_n shift_left shift_right_arithmetic shift_right_logical sign sin slice square squeeze sub
    tanh xor""".split()
)
_RENAMED = {"new_dtype": "dtype"}
_SILENT = frozenset({"sharding", "out_sharding", "weak_type", "accuracy", "_split_transpose"})


_ACROSS_DEVICES = frozenset({"multimem_store", "multimem_load_reduce", "semaphore_signal_multicast"})


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _parameter(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if isinstance(value, (tuple, list)):
        return [_parameter(v) for v in value]
    if isinstance(value, (int, float)):
        return value
    if hasattr(value, "__index__") and getattr(value, "shape", None) == ():
        return int(value)
    return dtype_of(value)


def _lax(name: str, x: Operands) -> Operation:
    params = {
        _camel(_RENAMED.get(key, key)): _parameter(value)
        for key, value in x.params.items()
        if key not in _SILENT and value is not None
    }
    return Operation(name, x.rest(), params=params)


def _inline_text(function: Any) -> str | None:
    """The PTX of a block that JAX's own loops write (helpers.inline_ptx): its text is what the block closes over."""
    code = getattr(function, "__code__", None)
    if (
        code is None
        or not getattr(function, "__qualname__", "").startswith("inline_ptx.")
        or not function.__module__.startswith("jax._src.pallas.")
    ):
        return None
    text = dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()))).get("asm")
    return text if isinstance(text, str) else None


@_primitive("inline_mgpu_p")
def _inline_mgpu(x: Operands) -> Operation:
    text = _inline_text(x.params["mgpu_fn"])
    if text is None:
        atoms = x.rest()
        jaxpr = jaxpr_of_block(x.params, [atom.aval for atom in atoms])
        return Operation("inline_mgpu", atoms, bodies={"body": Body(jaxpr)})
    return Operation("inline_ptx", x.rest(), params={"text": text})


@_primitive(*EFFECTS)
def _effect_of_block(x: Operands) -> Operation:
    return Operation("", x.rest(), params={key: x.params[key] for key in ("text",) if key in x.params})


@_primitive(*PLACES)
def _place_in_launch(x: Operands) -> Operation:
    return Operation("", params={"dim": x.params["dim"]})


def normalise(name: str, x: Operands, place: Callable[[], str]) -> Operation:
    """The operation of a primitive; refused, if it is not known to lower to Mosaic GPU in this version."""
    if name in CALLS:
        return _call_of(name, x)
    if name in _ACROSS_DEVICES:
        raise Refused(
            "not-exported", f"{place()}: {name} works on the memories of several devices; a document is a kernel on one"
        )
    normaliser = _TABLE.get(name)
    if name in _LAX or (normaliser is None and name in x.version.primitives):
        return _lax(name, x)
    if normaliser is None:
        raise Refused(
            "primitive",
            f"{place()}: the primitive {name} of JAX {x.version.name} is not one that a kernel of Mosaic GPU can be exported with",
        )
    try:
        operation = normaliser(x)
    except Refused as refused:
        raise Refused(refused.code, f"{place()}: {name.removesuffix('_p')}: {refused}") from None
    if not operation.op:
        operation.op = name
    return operation
