"""What JAX does around the kernels, evaluated on the CPU equation by equation; a kernel is evaluated by the caller, or not at all (``known_inputs``).

Only what holds a kernel is walked here (calls, branches, loops, references); every other equation is JAX's own affair.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, Mapping, Sequence

from .document import Export, constants_of
from .errors import Refused
from .kernels import bodies_of
from .locations import place
from .operations import CALLS, scan_counts
from .program import Arguments, Traced

__all__ = ["evaluate", "known_inputs"]

OnKernel = Callable[[Export, "list[Any]"], "Sequence[Any]"]


def evaluate(
    traced: Traced, arguments: Sequence[Any], on_kernel: OnKernel, keywords: Mapping[str, Any] | None = None
) -> Any:
    """What the function returns of these arguments, with numpy arrays for leaves.

    ``on_kernel(export, inputs)`` gets a numpy array for each of ``export.inputs`` and gives one for each of ``export.outputs``; it is called for every
    launch, in the order of the program. ``keywords`` are those of the trace, where they are not given.
    """
    import jax
    import numpy

    given = traced.structure.keywords if keywords is None else keywords
    split = Arguments(arguments, given)
    split.expect_shapes_of(traced.structure)
    values = _Evaluation(traced, on_kernel).jaxpr(traced.program, [jax.numpy.asarray(array) for array in split.arrays])
    return jax.tree.unflatten(traced.result, [numpy.asarray(value) for value in values])


def known_inputs(traced: Traced, arguments: Sequence[Any]) -> "list[Mapping[str, Any]]":
    """Of each of ``traced.exports`` the inputs that are known without running a kernel, by name, as numpy arrays.

    An argument may be a shape alone; what comes of it, or of a kernel, is not known, nor is anything in a loop. Of a kernel that is launched more than once they are
    those of the first launch.
    """
    import jax

    split = Arguments(arguments, traced.structure.keywords)
    split.expect_shapes_of(traced.structure)
    walked = _Known(traced)
    arrays = [_UNKNOWN if isinstance(array, jax.ShapeDtypeStruct) else jax.numpy.asarray(array) for array in split.arrays]
    walked.jaxpr(traced.program, arrays)
    return [walked.found.get(id(export), {}) for export in traced.exports]


def _discharge() -> Any:
    """What JAX reads and writes of a reference through a view."""
    return importlib.import_module("jax._src.state.discharge")


class _Cell:
    """A reference: what it holds now."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Evaluation:
    def __init__(self, traced: Traced, on_kernel: OnKernel) -> None:
        self.traced, self.on_kernel = traced, on_kernel
        self._holds: dict[int, bool] = {}

    def jaxpr(self, jaxpr: Any, values: Sequence[Any]) -> list[Any]:
        """The outputs of a closed jaxpr."""
        jaxpr, consts = constants_of(jaxpr)
        return self.body(jaxpr, consts, values)

    def body(self, jaxpr: Any, consts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        environment = dict(zip(jaxpr.constvars, consts))
        environment.update(zip(jaxpr.invars, values))

        def read(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else environment[atom]

        for eqn in jaxpr.eqns:
            environment.update(zip(eqn.outvars, self.equation(eqn, [read(atom) for atom in eqn.invars])))
        return [read(atom) for atom in jaxpr.outvars]

    def holds(self, eqn: Any) -> bool:
        """Whether a kernel is launched within an equation."""
        if id(eqn) in self.traced.launches:
            return True
        if id(eqn) not in self._holds:
            self._holds[id(eqn)] = any(
                self.holds(inner) for body in bodies_of(eqn) for inner in constants_of(body)[0].eqns
            )
        return self._holds[id(eqn)]

    def equation(self, eqn: Any, values: list[Any]) -> Sequence[Any]:
        export = self.traced.launches.get(id(eqn))
        if export is not None:
            return self.launch(export, values, [getattr(var.aval, "inner_aval", var.aval).dtype for var in eqn.invars])
        if (
            self.holds(eqn)
            or any(isinstance(value, _Cell) for value in values)
            or eqn.primitive.name in ("new_ref", "freeze")
        ):
            return self.walk(eqn, values)
        bound = eqn.primitive.get_bind_params(eqn.params)
        functions, params = bound if isinstance(bound, tuple) else ((), bound)
        found = eqn.primitive.bind(*functions, *values, **params)
        return found if eqn.primitive.multiple_results else [found]

    def launch(self, export: Export, values: list[Any], dtypes: Sequence[Any]) -> list[Any]:
        import jax
        import numpy

        # a number that the trace has as a literal is of the type of its operand
        inputs = [
            numpy.asarray(value.value if isinstance(value, _Cell) else value, dtype)
            for value, dtype in zip(values, dtypes)
        ]
        outputs = list(self.on_kernel(export, inputs))
        if len(outputs) != len(export.outputs):
            raise ValueError(f"{export.name}: expected {len(export.outputs)} outputs of a launch, found {len(outputs)}")
        given = []
        cells = iter([value for value in values if isinstance(value, _Cell)])
        for operand, output in zip(export.outputs, outputs):
            array = jax.numpy.asarray(output)
            if array.shape != operand.shape:
                raise ValueError(
                    f"{export.name}: expected {operand.name} of shape {operand.shape}, found {array.shape}"
                )
            if operand.role == "inout":
                next(cells).value = array
            else:
                given.append(array)
        return given

    def walk(self, eqn: Any, values: list[Any]) -> Sequence[Any]:
        name, params = eqn.primitive.name, eqn.params
        if name in CALLS:
            return self.jaxpr(params[CALLS[name]], values)
        match name:
            case "cond":
                return self.jaxpr(params["branches"][int(values[0])], values[1:])
            case "while":
                return self._while(params, values)
            case "scan":
                return self._scan(params, values)
            case "run_state":
                return self._run_state(params, values)
            case "new_ref":
                return [_Cell(values[0])]
            case "freeze":
                return [values[0].value]
            case "get":
                return [self._get(params, values)]
            case "swap" | "addupdate":
                return self._swap(name, params, values)
        raise Refused(
            "not-exported", f"{place(eqn.source_info)}: a kernel within {name} cannot be evaluated on the CPU"
        )

    def _while(self, params: dict[str, Any], values: list[Any]) -> Sequence[Any]:
        conditions, bodies = params["cond_nconsts"], params["body_nconsts"]
        of_condition, of_body, carried = (
            values[:conditions],
            values[conditions : conditions + bodies],
            values[conditions + bodies :],
        )
        while bool(self.jaxpr(params["cond_jaxpr"], [*of_condition, *carried])[0]):
            carried = self.jaxpr(params["body_jaxpr"], [*of_body, *carried])
        return carried

    def _scan(self, params: dict[str, Any], values: list[Any]) -> Sequence[Any]:
        import jax.numpy

        consts, carries = scan_counts(params, self.traced.version)
        fixed, carried, stacked = values[:consts], values[consts : consts + carries], values[consts + carries :]
        steps = range(params["length"])
        collected = []
        for step in reversed(steps) if params["reverse"] else steps:
            outputs = self.jaxpr(params["jaxpr"], [*fixed, *carried, *(array[step] for array in stacked)])
            carried = outputs[:carries]
            collected.append(outputs[carries:])
        if params["reverse"]:
            collected.reverse()
        return [*carried, *(jax.numpy.stack(column) for column in zip(*collected))]

    def _run_state(self, params: dict[str, Any], values: list[Any]) -> Sequence[Any]:
        import jax.numpy

        jaxpr, consts = constants_of(params["jaxpr"])
        given = iter(values)
        cells = []
        for var, initialised in zip(jaxpr.invars, params["is_initialized"]):
            array = var.aval.inner_aval
            cells.append(_Cell(next(given) if initialised else jax.numpy.zeros(array.shape, array.dtype)))
        self.body(jaxpr, consts, cells)
        return [cell.value for cell in cells]

    def _get(self, params: dict[str, Any], values: list[Any]) -> Any:
        discharge = _discharge()

        cell, *leaves = values
        return discharge.transform_array(cell.value, params["tree"].unflatten(leaves))

    def _swap(self, name: str, params: dict[str, Any], values: list[Any]) -> Sequence[Any]:
        discharge = _discharge()

        cell, value, *leaves = values
        transforms = params["tree"].unflatten(leaves)
        if name == "addupdate":
            value = value + discharge.transform_array(cell.value, transforms)
        before, cell.value = discharge.transform_swap_array(cell.value, transforms, value)
        return [] if name == "addupdate" else [before]


#: in the place of a value that is not known
_UNKNOWN: Any = object()


def _is_known(value: Any) -> bool:
    return (value.value if isinstance(value, _Cell) else value) is not _UNKNOWN


class _Known(_Evaluation):
    """As far as values are known: a kernel makes none, and nor does what takes one that is not known."""

    def __init__(self, traced: Traced) -> None:
        super().__init__(traced, lambda export, inputs: [_UNKNOWN] * len(export.outputs))
        #: by the export (its id), the inputs of its first launch
        self.found: dict[int, Mapping[str, Any]] = {}

    def equation(self, eqn: Any, values: list[Any]) -> Sequence[Any]:
        name = eqn.primitive.name
        passes = name in ("new_ref", "freeze") or (self.holds(eqn) and (name in CALLS or name == "run_state"))
        chosen = name == "cond" and self.holds(eqn) and _is_known(values[0])
        if id(eqn) in self.traced.launches or passes or chosen:
            return super().equation(eqn, values)
        if all(map(_is_known, values)) and not self.holds(eqn):
            return super().equation(eqn, values)
        for value in values:
            if isinstance(value, _Cell):
                value.value = _UNKNOWN
        return [_UNKNOWN] * len(eqn.outvars)

    def launch(self, export: Export, values: list[Any], dtypes: Sequence[Any]) -> list[Any]:
        import numpy

        held = [value.value if isinstance(value, _Cell) else value for value in values]
        known = {o.name: numpy.asarray(x, dtype) for o, x, dtype in zip(export.inputs, held, dtypes) if x is not _UNKNOWN}
        self.found.setdefault(id(export), known)
        for value in values:
            if isinstance(value, _Cell):
                value.value = _UNKNOWN
        return [_UNKNOWN for operand in export.outputs if operand.role != "inout"]
