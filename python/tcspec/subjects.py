"""The subjects of questions: turns the ways to name a kernel in Python into launches for a request.

| kernel                                                        | recognised by                  | goes through                     |
|---------------------------------------------------------------|--------------------------------|----------------------------------|
| a name of the catalogue: ``"hopper-matmul"``                  | a word that is no file's name  | nothing                          |
| a file: ``"X.ttgir"``, ``Path("run.jsonl")``                  | the ending of its name         | its path                         |
| a document: ``{"ttgir": text}``, ``{"ptx": text}``, a program | a mapping                      | nothing                          |
| ``@triton.jit``, ``@gluon.jit``, ``kernel[grid]``             | the module of its class        | ``tcspec.triton``                |
| any other function                                            | it can be called               | ``tcspec.pallas``: traced by JAX |

Neither compiler is imported before a question needs it.
"""

from __future__ import annotations

import importlib.util
import inspect
import math
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Mapping, Sequence, cast

from . import triton
from .errors import Refused
from .launches import Export, Launch, Perform
from .tensors import Array, Tensor, numpy_dtype
from .triton.tensors import signless

__all__ = ["exported", "is_function"]


def is_function(kernel: object) -> bool:
    """Whether it is a kernel as its author wrote it, so that keywords are its arguments and not options of a request."""
    return not isinstance(kernel, (str, os.PathLike, Mapping))


def exported(
    kernel: Any,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    grid: Any = None,
    level: str | None = None,
    options: Sequence[str] = (),
) -> Export:
    """The launches of a kernel with its arguments. ``options``: the options of the question, which a misspelt keyword may mean."""
    if is_function(kernel):
        _refuse_misspelt(kernel, arguments, keywords, options)
    if not is_function(kernel):
        # which levels a file has is for the library to say
        launch = _said(kernel, keywords if level is None else {**keywords, "level": level}, grid)
        if arguments:
            raise Refused(
                f"{launch.name}: expected its arguments by their names (set=, arg=, in_=), since it is no function; found {len(arguments)} by their places",
                "arguments",
            )
        return _Named(launch)
    if triton.is_kernel(kernel):
        return triton.export(kernel, *arguments, grid=grid, **({} if level is None else {"level": level}), **keywords)
    if callable(kernel):
        if level not in (None, "auto", "jaxpr", "ttgir", "ptx"):
            raise Refused(f"level: expected 'auto', 'jaxpr', 'ttgir' or 'ptx' for a function of JAX, found {level!r}", "level")
        has_text = "ptx" in keywords and "ptx" not in _parameters(kernel)
        if has_text and level not in (None, "auto", "ptx"):
            raise Refused(f"{_name_of(kernel)}: ptx: expected level='auto' or 'ptx' with it, found {level!r}", "level")
        if has_text:
            lowered = _mosaic(kernel, arguments, keywords, grid)
            return lowered if level == "ptx" else lowered.with_jaxpr()
        traced = _of_jax(kernel, arguments, keywords, grid, level)
        return traced if level != "ptx" or traced.is_on_triton else _mosaic(kernel, arguments, keywords, grid)
    raise Refused(
        f"expected a kernel: a function of JAX, Triton or Gluon, a name of the catalogue, a path or a document; found {type(kernel).__name__}",
        "kernel",
    )


# ---------------------------------------------------------------- what a function does not take


def _refuse_misspelt(kernel: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], options: Sequence[str]) -> None:
    """Refuses an argument too many, or a keyword that neither the function nor the question has, and names the nearest one."""
    if triton.is_kernel(kernel):
        parameters = triton.parameters(kernel)
        unknown = [k for k in keywords if k not in triton.KEYWORDS and not triton.takes(kernel, k)]
        _refuse(_name_of(kernel), parameters, [*options, *triton.KEYWORDS, *triton.options()], len(arguments), unknown)
        return
    try:
        signature = inspect.signature(kernel)
    except (TypeError, ValueError):  # written in C, or no function: what it takes is not known
        return
    found = signature.parameters.values()
    takes = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p.name for p in found if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    any_more = any(p.kind is p.VAR_POSITIONAL for p in found)
    any_named = any(p.kind is p.VAR_KEYWORD for p in found)
    unknown = [] if any_named else [k for k in keywords if k not in named and k not in ("ptx", "target")]
    _refuse(_name_of(kernel), [p.name for p in found], options, 0 if any_more else len(arguments) - len(takes) + len(found), unknown)


def _parameters(function: Any) -> Sequence[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _refuse(name: str, parameters: Sequence[str], options: Sequence[str], given: int, unknown: Sequence[str]) -> None:
    if unknown:
        near = get_close_matches(unknown[0], [*parameters, *options], 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise Refused(
            f"{name}: expected a parameter of the kernel ({', '.join(parameters) or 'it has none'}) or an option, found '{unknown[0]}'{hint}",
            "arguments",
        )
    if given > len(parameters):
        raise Refused(
            f"{name}: expected at most {len(parameters)} arguments ({', '.join(parameters)}), found {given}: options are said by their names",
            "arguments",
        )


# ---------------------------------------------------------------- names, files, documents


@dataclass(frozen=True)
class _Named:
    """A kernel that needs no front end: one launch."""

    launch: Launch

    @property
    def launches(self) -> Sequence[Launch]:
        return (self.launch,)

    def evaluate(self, perform: Perform) -> Any:
        return perform(self.launch, ())


def _said(kernel: Any, keywords: Mapping[str, Any], grid: Any) -> Launch:
    """A name, a file or a document. Keywords are params of the request."""
    params = dict(keywords)
    if grid is not None:
        params["grid"] = _grid(grid)
    if isinstance(params.get("launch"), (str, os.PathLike)):
        params["launch"] = _file(params["launch"])
    if isinstance(kernel, Mapping):
        name = kernel.get("name")
        return Launch(name if isinstance(name, str) else "document", kernel, params)
    word = os.fspath(kernel)
    if isinstance(kernel, os.PathLike) or _is_file_name(word):
        return Launch(Path(word).stem, _file(word), params)
    return Launch(word, word, params)


def _is_file_name(word: str) -> bool:
    """Tells names from files as the command line does: ``zoo/R1`` is a kernel of the catalogue."""
    return not word.startswith("zoo/") and ("/" in word or "." in word or os.sep in word)


def _file(name: "str | os.PathLike[str]") -> str:
    """An existing file, by its absolute path, because the process runs in another directory."""
    path = os.path.abspath(name)
    if not os.path.isfile(path):
        raise Refused(f"{os.fspath(name)}: expected a file, found none", "file-missing")
    return path


# ---------------------------------------------------------------- functions


def _grid(grid: Any) -> list[int]:
    return [int(n) for n in grid] if isinstance(grid, Sequence) else [int(grid)]


def _need(package: str, what: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise Refused(f"{what}: expected {package} in this Python, found none", f"{package}.missing")


def _name_of(function: Any) -> str:
    if triton.is_kernel(function):
        return triton.name_of(function)
    inner = getattr(function, "func", function)  # of a partial
    return str(getattr(inner, "__name__", type(inner).__name__))


def _of_jax(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], grid: Any, level: str | None = None) -> _Traced:
    name = _name_of(function)
    _need("jax", name)
    if grid is not None:
        raise Refused(f"{name}: expected no grid, since a function of JAX says its own; found {grid!r}", "grid")
    from . import pallas
    from .pallas.versions import known

    # before anything of JAX is used: an unknown one may not have it
    known()
    shaped, named = _with_shapes((tuple(arguments), dict(keywords)))
    made = _Traced(pallas, name, pallas.trace(function, *shaped, **_chip(function, named), **named), shaped, level)
    there = {True: ("auto", "ttgir", "ptx"), False: ("auto", "jaxpr", "ptx")}[made.is_on_triton]
    if level is not None and level not in there:
        raise Refused(f"{name}: level: expected {', '.join(map(repr, there))} for its kernels, found {level!r}", "level")
    return made


#: chips by their compute capability: what a document calls them, and how many multiprocessors they have
_CHIPS: Mapping[int, Mapping[str, Any]] = {90: {"arch": "sm90a", "sms": 132}, 100: {"arch": "sm100a", "sms": 148}}


def _chip(function: Any, keywords: "dict[str, Any]") -> Mapping[str, Any]:
    """The value of ``target=``, removed from the keywords. A function that has a parameter of that name keeps it."""
    import inspect

    try:
        own = "target" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        own = False
    if own or "target" not in keywords:
        return {}
    from .triton.targets import capability

    return _CHIPS[capability(keywords.pop("target"))]


def _with_shapes(arguments: Any) -> Any:
    """Arguments as JAX has them: a tensor without elements becomes a ``ShapeDtypeStruct``."""
    import jax

    def shaped(leaf: Any) -> Any:
        return jax.ShapeDtypeStruct(leaf.shape, numpy_dtype(leaf.dtype)) if isinstance(leaf, Array) else leaf

    return jax.tree.map(shaped, arguments)


@dataclass(frozen=True)
class _Traced:
    """A function as JAX has traced it."""

    pallas: Any
    name: str
    traced: Any
    arguments: tuple[Any, ...]
    level: str | None = None
    #: files beside the document of its one kernel
    beside: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_on_triton(self) -> bool:
        """Whether its kernels are for the Triton backend, and so modules of Triton."""
        return all("ttgir" in export.document for export in self.traced.exports)

    @property
    def launches(self) -> Sequence[Launch]:
        if not self.is_on_triton:
            exports = enumerate(self.traced.exports)
            return [replace(self._launch(export), data=lambda number=number: self.known[number]) for number, export in exports]
        return [_brought_to(export, known, self.level) for export, known in zip(self.traced.exports, self.known)]

    def _launch(self, export: Any) -> Launch:
        launch = _launch(export, self.level)
        return replace(launch, params={**launch.params, "files": self.beside}) if self.beside else launch

    @cached_property
    def known(self) -> Sequence[Mapping[str, Any]]:
        """For each kernel, the inputs that its caller gave, or that JAX computes from them."""
        made: Sequence[Mapping[str, Any]] = self.pallas.known_inputs(self.traced, self.arguments)
        return made

    def evaluate(self, perform: Perform) -> Any:
        import jax

        for leaf in jax.tree.leaves(self.arguments):
            if isinstance(leaf, jax.ShapeDtypeStruct):
                raise Refused(f"{self.name}: expected data to run on, found a shape alone: {leaf}", "input-missing")

        def on_kernel(export: Any, inputs: Sequence[Any]) -> Sequence[Any]:
            launch = self._launch(export)
            if "ttgir" not in export.document:
                made = perform(launch, inputs)
                return [made[name] for name in launch.outputs or ()]
            # a module of Triton has integers without signs, and no tensor without dimensions
            given = [_as_signless(x, operand.dtype) for x, operand in zip(inputs, export.inputs)]
            made = perform(launch, given)
            return [made[name].view(numpy_dtype(operand.dtype)).reshape(operand.shape) for name, operand in zip(launch.outputs or (), export.outputs)]

        return self.pallas.evaluate(self.traced, self.arguments, on_kernel)


# ---------------------------------------------------------------- PTX of a function of JAX

#: what a request calls the document that it brings (``src/oracle/serve/content.ts``); files beside it have the same name
_STEM = "kernel"


def _mosaic(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], grid: Any) -> _Mosaic:
    """One kernel of Mosaic GPU as PTX: the caller gives the text, and the launch comes from the module to which JAX lowers the kernel."""
    name, named = _name_of(function), dict(keywords)
    given = named.pop("ptx", None)
    if given is None:
        raise Refused(
            f"{name}: level: expected ptx=, the PTX of this function, which jaxlib makes where a GPU is: run it there with MOSAIC_GPU_DUMP_TO=DIRECTORY, "
            "and give the DIRECTORY/*.ptx; found none",
            "level",
        )
    document = {"ptx": given["ptx"]} if isinstance(given, Mapping) else {"ptx": Path(_file(given)).read_text(encoding="utf-8")}
    traced = cast(_Traced, _of_jax(function, arguments, named, grid))
    exports = traced.traced.exports
    if len(exports) != 1:
        raise Refused(f"{name}: level: expected a function of one kernel as PTX, found {len(exports)}", "level")
    (export,) = exports
    for operand in export.operands:
        if operand.role not in ("in", "out"):
            raise Refused(f"{name}: level: expected operands that are read, or written, as PTX; {operand.name} is both", "level")
    from .pallas.mosaic import launch_of, modules_of

    shaped, keyed = _with_shapes((tuple(arguments), named))
    modules = modules_of(function, shaped, keyed)
    if len(modules) != 1:
        raise Refused(f"{name}: level: expected one module of Mosaic GPU, found {len(modules)}", "level")
    inputs, results = [o.name for o in export.inputs], [o.name for o in export.outputs]
    _, buffers = launch_of(modules[0], len(inputs), len(results))
    returned = [b.index for b in buffers if b.index >= len(inputs)]
    names = {**dict(enumerate(inputs)), **dict(zip(returned, results))}
    launch, _ = launch_of(modules[0], len(inputs), len(results), names)
    zeros: dict[str, Any] = {}
    for argument in [field for one in launch["args"] for field in one.get("fields", [one])]:
        if argument["role"] == "inout":  # semaphores of the whole grid
            shape = tuple(argument["shape"])
            zeros[f"{argument['tensor']}.npy"] = Tensor("i32", shape, bytes(4 * math.prod(shape))).to_json()
        if argument["role"] == "in":  # seeded, until there is data
            argument["file"] = None
    return _Mosaic(traced, Launch(export.name, document, {"launch": launch, "files": zeros}, [], results), inputs)


@dataclass(frozen=True)
class _Mosaic:
    """A launch of PTX for the only kernel of a function; it carries its inputs."""

    traced: _Traced
    launch: Launch
    inputs: Sequence[str]

    def with_jaxpr(self) -> _Traced:
        """The kernel at both levels: the document, and the PTX with its launch, on the same tensors."""
        document = self.launch.params["launch"]
        beside = {f"{_STEM}.ptx": self.launch.document["ptx"], f"{_STEM}.launch.json": document, **self.launch.params["files"]}
        return replace(self.traced, level="auto", beside=beside)

    @property
    def launches(self) -> Sequence[Launch]:
        """The launch with the data of the function's arguments, if they have any."""
        (known,) = self.traced.known
        return (self._with(known),)

    def _with(self, known: Mapping[str, Any]) -> Launch:
        held = {f"{name}.npy": Tensor.of_numpy(array).to_json() for name, array in known.items()}
        document = {**self.launch.params["launch"], "args": [_brought(one, known) for one in self.launch.params["launch"]["args"]]}
        params = {"launch": document, "files": {**self.launch.params["files"], **held}}
        return Launch(self.launch.name, self.launch.document, params, [], self.launch.outputs)

    def evaluate(self, perform: Perform) -> Any:
        import jax

        for leaf in jax.tree.leaves(self.traced.arguments):
            if isinstance(leaf, jax.ShapeDtypeStruct):
                raise Refused(f"{self.traced.name}: expected data to run on, found a shape alone: {leaf}", "input-missing")

        def on_kernel(export: Any, inputs: Sequence[Any]) -> Sequence[Any]:
            made = perform(self._with(dict(zip(self.inputs, inputs))), ())
            return [made[name] for name in self.launch.outputs or ()]

        return self.traced.pallas.evaluate(self.traced.traced, self.traced.arguments, on_kernel)


def _brought(argument: Mapping[str, Any], known: Mapping[str, Any]) -> Mapping[str, Any]:
    """An argument of a launch file with its data."""
    if "fields" in argument:
        return {**argument, "fields": [_brought(one, known) for one in argument["fields"]]}
    return {**argument, "file": f"{argument['tensor']}.npy"} if argument["role"] == "in" and argument["tensor"] in known else argument


def _as_signless(array: Any, dtype: str) -> Any:
    """An array as a Triton module takes it."""
    import numpy

    return numpy.atleast_1d(array).view(numpy_dtype(signless(dtype)))


def _brought_to(export: Any, known: Mapping[str, Any], level: str | None) -> Launch:
    """A launch for the Triton backend. It carries integers, as a Triton kernel's does, and other data if they are needed."""
    launch = _launch(export, level)
    held = {o.name: Tensor.of_numpy(_as_signless(known[o.name], o.dtype)) for o in export.inputs if o.name in known}
    files = {f"{name}.npy": tensor.to_json() for name, tensor in held.items() if tensor.dtype[0] == "i"}
    arguments = [{**one, "file": f"{one['tensor']}.npy" if f"{one['tensor']}.npy" in files else None} for one in launch.params["launch"]["args"]]
    params = {**launch.params, "launch": {**launch.params["launch"], "args": arguments}, "files": {**launch.params["files"], **files}}
    return replace(launch, params=params, data=lambda: held)


def _launch(export: Any, level: str | None) -> Launch:
    return Launch(
        export.name,
        export.document,
        {**export.params, "level": level or "auto"} if "ttgir" in export.document else {} if level is None else {"level": level},
        [operand.name for operand in export.inputs],
        [export.memory_of(operand) for operand in export.outputs],
    )
