"""A traced program: the kernels in it, and what JAX does around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

from .document import Export
from .errors import Refused
from .kernels import export_of, kernels_of
from .tracing import tracing_for
from .versions import Version, known

__all__ = ["Arguments", "Traced", "export", "trace"]


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")


class Arguments:
    """Positional and keyword arguments, split into arrays and what is passed as it is."""

    def __init__(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        import jax

        leaves: list[Any]
        self._tree: Any
        leaves, self._tree = jax.tree.flatten((tuple(arguments), dict(keywords)))
        self.keywords = dict(keywords)
        self._fixed = [None if _is_array(leaf) else (leaf,) for leaf in leaves]
        self.arrays = [leaf for leaf in leaves if _is_array(leaf)]

    def expect_shapes_of(self, traced: Arguments) -> None:
        """Refuses arguments of other shapes and types than those that were traced."""
        found, expected = ([f"{array.dtype}{list(array.shape)}" for array in split.arrays] for split in (self, traced))
        if self._tree != traced._tree or found != expected:
            raise ValueError(f"expected the arguments of the trace, {', '.join(expected)}; found {', '.join(found)}")

    def filled(self, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with these arrays."""
        import jax

        rest = iter(arrays)
        leaves = [next(rest) if fixed is None else fixed[0] for fixed in self._fixed]
        positional, named = jax.tree.unflatten(self._tree, leaves)
        return positional, named


@dataclass(frozen=True)
class Traced:
    """A function that was traced with arguments of some shapes."""

    exports: list[Export]
    version: Version
    program: Any
    """the jaxpr of the function of its arrays, closed"""
    structure: Arguments
    """the arguments' arrays, as they lie among what is no array"""
    result: Any
    """the tree of what the function returns"""
    launches: dict[int, Export] = field(default_factory=dict)
    """exports by the equation (its id) that launches them"""


def trace(
    function: Callable[..., Any], *arguments: Any, sms: int = 132, arch: str | None = None, **keywords: Any
) -> Traced:
    """Traces a function on the CPU, for a chip of ``sms`` multiprocessors, and exports every kernel that it launches.

    ``arch``: ``"sm90a"`` or ``"sm100a"``; where it is not said, a kernel is for the chip that has what it uses.
    """
    version = known()
    import jax

    split = Arguments(arguments, keywords)

    def of_arrays(*arrays: Any) -> Any:
        positional, named = split.filled(arrays)
        return function(*positional, **named)

    struct: Any = jax.ShapeDtypeStruct
    split.arrays = shapes = [struct(array.shape, array.dtype) for array in split.arrays]  # the trace keeps no data
    with tracing_for(sms):
        program, result = jax.make_jaxpr(of_arrays, return_shape=True)(*shapes)
        launches: dict[int, Export] = {}
        for eqn, body in kernels_of(program):
            launches[id(eqn)] = made = export_of(eqn, version, body, arch)
            if _takes_over(made.document):
                made.document["kernel"]["params"]["multiprocessors"] = sms
    if not launches:
        name = getattr(function, "__name__", type(function).__name__)
        raise Refused(
            "no-kernel", f"{name}: expected a function that launches a kernel of Pallas, found none in what was traced"
        )
    return Traced(list(launches.values()), version, program, split, jax.tree.structure(result), launches)


def _takes_over(document: Mapping[str, Any]) -> bool:
    """Whether blocks of a kernel do the work of others that have not begun: then how many have begun decides what it computes."""
    return any(eqn["op"] == "try_cluster_cancel" for jaxpr in document.get("jaxprs", ()) for eqn in jaxpr["eqns"])


def export(function: Callable[..., Any], *arguments: Any, sms: int = 132, **keywords: Any) -> list[Export]:
    """The kernels that a function launches, in the order of its program."""
    return trace(function, *arguments, sms=sms, **keywords).exports
