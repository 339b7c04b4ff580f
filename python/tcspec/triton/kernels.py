"""Which function is launched, and with which configuration: behind ``@triton.autotune``, ``@triton.heuristics`` and ``kernel[grid]``.

| given                 | stands for                                                                                      |
|-----------------------|-------------------------------------------------------------------------------------------------|
| ``kernel``            | the function; its grid is said beside it                                                        |
| ``kernel[grid]``      | the function, with its grid                                                                     |
| autotuned             | one configuration: the first that ``early_config_prune`` leaves, or the one that ``config`` asks |
| with heuristics       | what they make of the arguments, in their order                                                 |

``config`` is a number, a ``triton.Config``, or values such as ``{"BM": 128, "num_warps": 8}`` that the configuration is to have.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Mapping, Sequence

from ..errors import Refused
from .versions import parts

__all__ = ["Call", "call", "is_kernel", "name_of", "options", "parameters", "takes"]


@dataclass(frozen=True)
class Call:
    """A launch as its author wrote it, with what wrappers add to it."""

    #: what ``@triton.jit`` or ``@gluon.jit`` made
    kernel: Any
    arguments: tuple[Any, ...]
    #: parameters and options by name
    keywords: Mapping[str, Any]
    #: every parameter with its value
    bound: Mapping[str, Any]
    #: programs along x, y, z
    grid: tuple[int, ...]
    #: names of tensors that are set to zero before the launch
    zeroed: tuple[str, ...]
    #: which configuration was taken
    notes: tuple[str, ...]


# ---------------------------------------------------------------- what is a kernel


def _with_grid(thing: Any) -> tuple[Any, Any] | None:
    """The parts of ``kernel[grid]``, which Triton has as a function."""
    if not inspect.isfunction(thing) or not str(thing.__module__).startswith("triton."):
        return None
    names = thing.__code__.co_freevars
    held = dict(zip(names, (cell.cell_contents for cell in thing.__closure__ or ())))
    return (held["self"], held["grid"]) if {"self", "grid"} <= held.keys() else None


def is_kernel(thing: Any) -> bool:
    """Whether it is a kernel of Triton's, or ``kernel[grid]``."""
    # libraries derive wrappers of their own from Triton's
    made = any(of.__module__.startswith("triton.") for of in type(thing).__mro__)
    return (made and hasattr(thing, "fn") and not isinstance(thing, type)) or _with_grid(thing) is not None


def _function_of(kernel: Any) -> Any:
    while not inspect.isfunction(kernel):
        kernel = kernel.fn
    return kernel


def takes(kernel: Any, keyword: str) -> bool:
    """Whether it is a parameter of the kernel, or an option of Triton's compiler."""
    found = _with_grid(kernel)
    names = inspect.signature(_function_of(kernel if found is None else found[0])).parameters
    return keyword in names or keyword in options()


def parameters(kernel: Any) -> Sequence[str]:
    """The names of the parameters of the kernel."""
    found = _with_grid(kernel)
    return list(inspect.signature(_function_of(kernel if found is None else found[0])).parameters)


def name_of(kernel: Any) -> str:
    """The name of the function."""
    found = _with_grid(kernel)
    return str(getattr(_function_of(kernel if found is None else found[0]), "__name__", "kernel"))


@functools.lru_cache(maxsize=1)
def options() -> Sequence[str]:
    """The names of the options of Triton's compiler."""
    triton = parts()
    return list(triton.backend_of(triton.target("cuda", 90, 32)).parse_options({}).__dict__)


# ---------------------------------------------------------------- configurations


def _shown(config: Any) -> str:
    kept = {k: v for k, v in config.all_kwargs().items() if v is not None}
    return ", ".join(f"{k}={v}" for k, v in kept.items())


def _asked(name: str, configs: Sequence[Any], left: Sequence[Any], asked: Any) -> Any:
    if asked is None:
        return left[0]
    if isinstance(asked, int) and not isinstance(asked, bool):
        if not 0 <= asked < len(configs):
            raise Refused(
                f"{name}: config: expected 0 to {len(configs) - 1}, found {asked}", "triton.config"
            )
        return configs[asked]
    if isinstance(asked, Mapping):
        found = [c for c in configs if all(c.all_kwargs().get(k) == v for k, v in asked.items())]
        if found:
            return found[0]
    elif hasattr(asked, "all_kwargs"):
        return asked
    else:
        raise Refused(
            f"{name}: config: expected a number, a triton.Config or values by name, found {asked!r}", "triton.config"
        )
    known = "; ".join(_shown(c) for c in configs)
    raise Refused(f"{name}: config: expected values that a configuration has ({known}), found {asked}", "triton.config")


def _is_grid(value: Any) -> bool:
    """One to three numbers in a tuple or a list."""
    return isinstance(value, (tuple, list)) and 1 <= len(value) <= 3 and all(type(n) is int for n in value)


def call(
    thing: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], grid: Any = None, config: Any = None
) -> Call:
    """Follows the wrappers of a kernel as a launch does."""
    triton = parts()
    found = _with_grid(thing)
    if found is not None:
        thing, own = found
        if grid is not None:
            raise Refused("expected one grid, found grid= beside kernel[grid]", "triton.grid")
        grid = own
    name = getattr(_function_of(thing), "__name__", "kernel")
    first = arguments[0] if arguments else None
    if grid is None and _is_grid(first):
        raise Refused(
            f"{name}: expected a grid by its name, found one in the place of the first argument: say grid={first!r}",
            "triton.grid",
        )
    # a wrapper sees what Triton hands down with the arguments
    said: dict[str, Any] = {**keywords, "grid": grid, "warmup": False}
    zeroed: tuple[str, ...] = ()
    notes: list[str] = []
    tuned = False
    while not isinstance(thing, triton.jit_function):
        if isinstance(thing, triton.autotuner):
            tuned = True
            values = dict(zip(thing.arg_names, arguments))
            left = list(thing.configs)
            if thing.early_config_prune and config is None:
                left = list(thing.early_config_prune(thing.configs, values, **said))
                if not left:
                    raise Refused(
                        f"{name}: expected a configuration that early_config_prune leaves, found none", "triton.config"
                    )
            taken = _asked(name, thing.configs, left, config)
            twice = sorted(said.keys() & taken.kwargs.keys())
            if twice:
                raise Refused(
                    f"{name}: {', '.join(twice)}: expected to be said by the configuration alone, found as an argument "
                    f"too: config={{{twice[0]!r}: ...}} chooses",
                    "triton.config",
                )
            if len(thing.configs) > 1:
                zeroed = (*zeroed, *thing.reset_to_zero)
                place = next((k for k, c in enumerate(thing.configs) if c is taken), None)
                where = "configuration" if place is None else f"configuration {place} of {len(thing.configs)}"
                notes.append(f"{where}: {_shown(taken)}")
            said = {**said, **taken.all_kwargs()}
            if taken.pre_hook is not None:
                taken.pre_hook({**values, **said})
        elif isinstance(thing, triton.heuristics):
            for parameter, rule in thing.values.items():
                said[parameter] = rule({**dict(zip(thing.arg_names, arguments)), **said})
        elif isinstance(thing, triton.interpreted):
            raise Refused(
                f"{name}: expected a kernel that Triton compiles, found one for its interpreter: TRITON_INTERPRET is set",
                "triton.interpret",
            )
        else:
            raise Refused(
                f"expected a function of @triton.jit or @gluon.jit, found {type(thing).__name__}", "triton.kernel"
            )
        thing = thing.fn
    if config is not None and not tuned:
        raise Refused(f"{name}: config: expected an autotuned kernel, found one without configurations", "triton.config")
    said.pop("grid"), said.pop("warmup")
    for hook in thing.pre_run_hooks:
        hook(*arguments, **said)
    bound = _bound(thing, arguments, said)
    return Call(thing, tuple(arguments), said, bound, _extents(name, grid, bound), zeroed, tuple(notes))


# ---------------------------------------------------------------- arguments


def _kind(parameter: Any) -> str:
    if parameter.is_constexpr:
        return "a constexpr"
    annotation = parameter.annotation_type
    return f"of type {annotation}" if annotation else "a tensor, a descriptor or a number"


def _bound(kernel: Any, arguments: Sequence[Any], said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every parameter with its value; refused if one has none, or if there are too many."""
    name, parameters = kernel.__name__, kernel.params
    names = [p.name for p in parameters]
    if len(arguments) > len(names):
        raise Refused(
            f"{name}: expected at most {len(names)} arguments, for {', '.join(names)}, found {len(arguments)}",
            "triton.arguments",
        )
    placed = dict(zip(names, arguments))
    unknown = [k for k in said if k not in names and k not in options()]
    if unknown:
        near = get_close_matches(unknown[0], [*names, *options()], 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise Refused(
            f"{name}: expected a parameter ({', '.join(names)}) or an option of Triton's compiler, "
            f"found '{unknown[0]}'{hint}",
            "triton.arguments",
        )
    twice = [k for k in said if k in placed]
    if twice:
        raise Refused(
            f"{name}: {twice[0]}: expected one value, found one by its place and one by its name", "triton.arguments"
        )
    given = {**placed, **{k: v for k, v in said.items() if k in names}}
    missing = [p for p in parameters if p.name not in given and not p.has_default]
    if missing:
        kinds = ", ".join(f"{p.name} ({_kind(p)})" for p in missing)
        raise Refused(f"{name}: expected {len(names)} arguments, found none for {kinds}", "triton.arguments")
    return {p.name: given.get(p.name, p.default) for p in parameters}


def _extents(name: str, grid: Any, bound: Mapping[str, Any]) -> tuple[int, ...]:
    if grid is None:
        raise Refused(
            f"{name}: expected a grid, grid=(programs along x, y, z) or kernel[grid], found none", "triton.grid"
        )
    said = grid(dict(bound)) if callable(grid) else grid
    extents = said if isinstance(said, (tuple, list)) else (said,)
    try:
        found = tuple(n.__index__() for n in extents)
    except AttributeError:
        raise Refused(f"{name}: grid: expected whole numbers, found {said!r}", "triton.grid") from None
    if not 1 <= len(found) <= 3 or any(n < 1 for n in found):
        raise Refused(f"{name}: grid: expected one, two or three positive extents, found {said!r}", "triton.grid")
    return found
