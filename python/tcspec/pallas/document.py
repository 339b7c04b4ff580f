"""One kernel launch as a ``tcspec.jaxpr/1`` document.

Variables are numbered once a document. A jaxpr that several calls share (jax.jit) stands once; other bodies stand once for each place that holds
them, so that the callers of their locations are theirs.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Sequence

from .errors import Refused
from .locations import Locations, place
from .operations import Body, Operands, normalise
from .scalars import constant
from .transforms import Atom, Names
from .types import type_of
from .versions import Version

__all__ = ["Export", "Operand", "Writer", "compiler_params", "compiler_params_of", "constants_of"]

SCHEMA = "tcspec.jaxpr/1"


@dataclass(frozen=True)
class Operand:
    """An array of a kernel: ``role`` is in, out or inout; ``alias`` is the number of the operand whose memory it shares."""

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...]
    alias: int | None = None

    def described(self) -> dict[str, Any]:
        fields = {"name": self.name, "role": self.role, "dtype": self.dtype, "shape": list(self.shape)}
        return fields if self.alias is None else {**fields, "alias": self.alias}


@dataclass(frozen=True)
class Export:
    """A kernel that was found in a traced program."""

    document: dict[str, Any]
    operands: tuple[Operand, ...]

    @property
    def name(self) -> str:
        return str(self.document["kernel"]["name"])

    @property
    def inputs(self) -> list[Operand]:
        """What a launch reads, in the order of the operands."""
        return [operand for operand in self.operands if operand.role != "out"]

    @property
    def outputs(self) -> list[Operand]:
        """What a launch gives back, in the order of the operands."""
        return [operand for operand in self.operands if operand.role != "in"]

    def memory_of(self, operand: Operand) -> str:
        """The name under which a launch gives an operand back: that of the operand whose memory it is."""
        return operand.name if operand.alias is None else self.operands[operand.alias].name

    @cached_property
    def _text(self) -> str:
        return json.dumps(self.document, separators=(",", ":"), allow_nan=False)

    def text(self) -> str:
        """The document as JSON."""
        return self._text


def constants_of(jaxpr: Any) -> tuple[Any, Sequence[Any]]:
    """A jaxpr, and the constants of its constvars: some versions keep them in a wrapper, others in the jaxpr itself."""
    consts = getattr(jaxpr, "consts", ())
    return getattr(jaxpr, "jaxpr", jaxpr), () if callable(consts) else consts


class Writer:
    """Builds a document of the jaxprs of a kernel."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.names = Names()
        self.jaxprs: list[dict[str, Any] | None] = []
        self.locations = Locations()
        self._variables: dict[Any, dict[str, Any]] = {}
        self._count = 0
        # where the equation stands whose body is being written
        self._held: str | None = None
        self._shared: dict[int, tuple[Any, int]] = {}

    def body(self, body: Body, enclosing: int | None) -> int:
        """The number of a body; ``enclosing`` is the place of the equation that holds it."""
        jaxpr, consts = constants_of(body.jaxpr)
        if not body.shared:
            return self._write(body, jaxpr, consts, enclosing)
        found = self._shared.get(id(body.jaxpr))
        if found is None:
            found = self._shared[id(body.jaxpr)] = (body.jaxpr, self._write(body, jaxpr, consts, None))
        return found[1]

    def _write(self, body: Body, jaxpr: Any, consts: Sequence[Any], enclosing: int | None) -> int:
        number = len(self.jaxprs)
        self.jaxprs.append(None)
        outer, self._variables = self._variables, {}
        inputs = []
        if body.with_constvars:
            inputs = [self._variable(var) for var in jaxpr.constvars]
        else:
            for var, value in zip(jaxpr.constvars, consts):
                self._variables[var] = constant(value, var.aval.dtype)
        for k, var in enumerate(jaxpr.invars):
            variable = self._variable(var, body.transforms[k] if body.transforms else (), body.space)
            if k < len(body.names) and body.names[k]:
                variable["name"] = body.names[k]
            inputs.append(variable)
        written: dict[str, Any] = {"in": inputs}
        written["eqns"] = [self._equation(eqn, enclosing) for eqn in jaxpr.eqns]
        written["out"] = [self._value(atom) for atom in jaxpr.outvars]
        self.jaxprs[number] = written
        self._variables = outer
        return number

    def _variable(self, var: Any, transforms: Sequence[Any] = (), space: str | None = None) -> dict[str, Any]:
        number = self._count
        self._count += 1
        self._variables[var] = {"v": number}
        return {"v": number, "type": type_of(var.aval, self.names, transforms, space)}

    def _value(self, atom: Any) -> dict[str, Any]:
        if hasattr(atom, "val"):
            return constant(atom.val, atom.aval.dtype)
        return self._variables[atom]

    def _equation(self, eqn: Any, enclosing: int | None) -> dict[str, Any]:
        name = eqn.primitive.name
        atoms = [Atom(self._value(atom), atom.aval) for atom in eqn.invars]
        held = self._held

        def here() -> str:
            return place(eqn.source_info, enclosing=held)

        operation = normalise(name, Operands(atoms, eqn.params, self.names, self.version), here)
        at = self.locations.of(eqn.source_info, enclosing)
        written: dict[str, Any] = {"op": operation.op}
        if operation.values:
            written["in"] = [value.value if isinstance(value, Atom) else value for value in operation.values]
        if operation.uses:
            written["uses"] = operation.uses
        params = {key: value for key, value in operation.params.items() if value is not None}
        if params:
            written["params"] = params
        if operation.bodies:
            self._held = here()
            written["jaxprs"] = {
                key: [self.body(each, at) for each in body] if isinstance(body, list) else self.body(body, at)
                for key, body in operation.bodies.items()
            }
            self._held = held
        outputs = [None if type(var).__name__ == "DropVar" else self._variable(var) for var in eqn.outvars]
        if outputs:
            written["out"] = outputs
        if at is not None:
            written["at"] = at
        return written

    def document(self, kernel: dict[str, Any]) -> dict[str, Any]:
        """The document of a kernel whose body was written."""
        return {
            "schema": SCHEMA,
            "producer": {"jax": self.version.name, "python": platform.python_version()},
            "kernel": kernel,
            "jaxprs": self.jaxprs,
            "files": self.locations.files,
            "locations": self.locations.entries,
        }


def compiler_params_of(params: Any) -> Any:
    """The compiler's parameters, where they are given or not."""
    from jax.experimental.pallas import mosaic_gpu as plgpu

    if params is None:
        return plgpu.CompilerParams()
    if not isinstance(params, plgpu.CompilerParams):
        raise Refused(
            "not-exported", f"expected plgpu.CompilerParams for compiler_params, found {type(params).__name__}"
        )
    return params


def compiler_params(params: Any) -> dict[str, Any]:
    """Those parameters of the compiler that decide what a kernel does."""
    found = compiler_params_of(params)
    semantics = found.dimension_semantics
    return {
        "approxMath": bool(found.approx_math),
        "dimensionSemantics": None if semantics is None else [str(getattr(s, "value", s)) for s in semantics],
        "maxConcurrentSteps": found.max_concurrent_steps,
        "unsafeNoAutoBarriers": bool(found.unsafe_no_auto_barriers),
        "reductionScratchBytes": found.reduction_scratch_bytes,
        "lowering": found.lowering_semantics.name.lower(),
    }
