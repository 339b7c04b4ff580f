"""The questions about kernels: ``check``, ``run``, ``time`` and ``mutate``.

Each turns a kernel and its arguments into launches (``subjects``), asks the warm process (``warm``), and returns a verdict (``verdict``).
"""

from __future__ import annotations

import inspect
import json
import linecache
import os
from dataclasses import replace
from typing import Any, Mapping, Sequence

from . import triton, warm
from .client import Pending
from .errors import Refused
from .launches import Launch
from .subjects import exported, is_function
from .tensors import Tensor
from .verdict import Mutation, ProgramVerdict, Run, Verdict, Verdicts

__all__ = ["check", "mutate", "run", "time"]

def check(
    kernel: Any,
    *arguments: Any,
    grid: Any = None,
    computes: str | None = None,
    without: "str | Sequence[str] | None" = None,
    explore: bool | None = None,
    budget: int | None = None,
    strict: bool = False,
    strict_proxies: bool = False,
    tensor_pipe: str | None = None,
    schedule: str | None = None,
    fuel: int | None = None,
    accept: "str | os.PathLike[str] | Mapping[str, Any] | None" = None,
    level: str | None = None,
    timeout: float | None = None,
    **keywords: Any,
) -> Verdict:
    """Judges a kernel without data: races, deadlocks, and a proof of what it computes.

    ``kernel``: a function of JAX with Mosaic GPU kernels in it, a ``@triton.jit`` or ``@gluon.jit`` function, a name of the catalogue, a path
    (``X.ttgir``, ``X.ptx``, a program, a ``tcspec.jaxpr/1`` document, a trace), or what such a file holds. A program of many launches (``program.json``, tcspec.host/1) has a
    ``ProgramVerdict``; ``operation=8`` judges one launch of it. ``arguments`` and other keywords are those of the function; any object with a dtype
    and a shape may replace an array. If control or addresses depend on data, the data of the arrays are used, and the verdict says so. Give integers
    as arrays if an error asks for their data. If ``kernel`` is not a function, keywords are options: ``set=``, ``arg=``, ``launch=``, ``in_=``.

    ``level``: for a Triton kernel, ``"auto"`` (the default) judges both the TTGIR and the PTX that the compiler makes from it, and gives one verdict
    (``verdict.levels`` has the result of each); ``"ttgir"`` and ``"ptx"`` judge one of them. A function of JAX has the levels ``"jaxpr"`` and
    ``"ptx"``; its PTX is ``ptx=``, the text that jaxlib dumped for its only kernel, as a path or ``{"ptx": text}``. PTX is judged on data: an array
    without data is seeded. ``grid``: programs along each axis of a Triton launch. ``computes``: the claim to prove, such as ``"matmul:a,b,c"`` for c
    = a @ b. ``without``: labels or lines of statements to leave out. If one schedule does not decide, others are tried. ``explore``: ``True`` tries
    all of them, however long it takes; ``False`` tries none. ``budget``: the cost that they may have, in events; the default is worth a few seconds.
    ``strict``: broken contracts are errors. ``accept``: a baseline of accepted findings, a path or the contents of such a file (``tcspec.accept/1``):
    the verdict is ok with these findings and no others, and says which it accepted (``verdict.accepted``). ``timeout``: seconds.
    """
    options = {
        "computes": computes,
        "without": _list(without),
        "explore": explore,
        "budget": budget,
        "strict": strict or None,
        "strict_proxies": strict_proxies or None,
        "tensor_pipe": tensor_pipe,
        "schedule": schedule,
        "fuel": fuel,
        "accept": _baseline(accept),
    }
    if triton.is_kernel(kernel):
        warm.start()
    export = exported(kernel, arguments, keywords, grid, level, _names(check))
    launches = export.launches
    pending = [(launch, _send("check", launch, _without_data(launch, options))) for launch in launches]
    verdicts = [_verdict("check", launch, said, answer) for launch, (said, answer) in zip(launches, _answers(pending, options, timeout))]
    return verdicts[0] if len(verdicts) == 1 else Verdicts(_name_of(kernel), verdicts)


def time(
    kernel: Any,
    *arguments: Any,
    grid: Any = None,
    chip: str | None = None,
    registers: int | None = None,
    without: "str | Sequence[str] | None" = None,
    level: str | None = None,
    timeout: float | None = None,
    **keywords: Any,
) -> Any:
    """Predicts how long a kernel takes on a chip, and what it waits for. Returns a document ``tcspec.time/1``, or a list of them for several kernels.

    ``chip``: ``"h100"``, ``"h200"`` or ``"b200"``, perhaps with changed numbers: ``"h100:l2.bandwidth=x1.2"``; by default, the chip of the
    architecture. ``registers``: registers per thread, as the assembler reports them. The other options are those of ``check``.

    ``time("hopper-matmul", set={"m": 4096, "n": 8192, "k": 4096})["microseconds"]``
    """
    options = {"chip": chip, "registers": registers, "without": _list(without)}
    export = exported(kernel, arguments, keywords, grid, level or _text_alone(kernel, keywords), _names(time))
    pending = [_send("time", _of_one_form(launch), options) for launch in export.launches]
    documents = [one.result(timeout) for one in pending]
    return documents[0] if len(documents) == 1 else documents


def run(
    kernel: Any,
    *arguments: Any,
    grid: Any = None,
    computes: str | None = None,
    without: "str | Sequence[str] | None" = None,
    arithmetic: str | None = None,
    hazards: bool = True,
    strict: bool = False,
    strict_proxies: bool = False,
    tensor_pipe: str | None = None,
    schedule: str | None = None,
    fuel: int | None = None,
    level: str | None = None,
    timeout: float | None = None,
    **keywords: Any,
) -> Run:
    """Runs a kernel on data, with the bits of the chip, and judges the run.

    JAX evaluates on the CPU the operations around the kernels of a JAX function. ``.result`` is the value that the call returns, ``.outputs`` has the
    arrays that the kernels wrote, by name; both are numpy. ``arithmetic``: matrix products of ``hopper``, ``blackwell`` or ``ieee32``; by default, of
    the kernel's own chip. ``hazards=False``: compute only. The other options are those of ``check``.
    """
    options = {
        "computes": computes,
        "without": _list(without),
        "arithmetic": arithmetic,
        "hazards": None if hazards else False,
        "strict": strict or None,
        "strict_proxies": strict_proxies or None,
        "tensor_pipe": tensor_pipe,
        "schedule": schedule,
        "fuel": fuel,
    }
    export = exported(kernel, arguments, keywords, grid, level, _names(run))
    verdicts: list[Verdict] = []
    outputs: dict[str, Any] = {}

    several = len(export.launches) > 1

    def perform(launch: Launch, inputs: Sequence[Any]) -> Mapping[str, Any]:
        wanted = ["*"] if launch.outputs is None else list(launch.outputs)
        said: dict[str, Any] = dict(options)
        if is_function(kernel):
            said["seeded"] = False
        if inputs:
            # an array without dimensions is no number: it has its type
            said["in_"] = {name: x if isinstance(x, Tensor) else Tensor.of_numpy(x) for name, x in zip(launch.inputs, inputs)}
        answer = _send("run", launch, {**said, "out": wanted or None}).result(timeout)
        verdicts.append(_verdict("run", launch, said, answer))
        written = {name.removesuffix(".npy"): held.numpy() for name, held in answer.get("files", {}).items()}
        if len(written) < len(wanted):
            # it was stopped before its end: there is nothing to go on with
            raise _Stopped
        outputs.update({f"{launch.name}.{name}" if several else name: held for name, held in written.items()})
        return written

    try:
        result = export.evaluate(perform)
        if isinstance(result, Mapping) and all(launch.outputs is None for launch in export.launches):
            # under the names and the element types of the arguments
            outputs = dict(result)
    except _Stopped:
        result = None
    return Run(_name_of(kernel), verdicts, result, outputs)


class _Stopped(Exception):
    """A kernel did not end, so nothing after it can be evaluated."""


def mutate(
    kernel: Any,
    *arguments: Any,
    grid: Any = None,
    computes: str | None = None,
    operator: "str | Sequence[str] | None" = None,
    class_: "str | Sequence[str] | None" = None,
    fuel: int | None = None,
    level: str | None = None,
    timeout: float | None = None,
    progress: Any = None,
    **keywords: Any,
) -> Mutation:
    """Makes every single change of a kernel, and judges each. ``progress`` is called with ``{"what", "done", "of"}``."""
    options = {"computes": computes, "operator": _list(operator), "class_": _list(class_), "fuel": fuel}
    # changes are those of one text
    export = exported(kernel, arguments, keywords, grid, level or ("ttgir" if triton.is_kernel(kernel) else _text_alone(kernel, keywords)), _names(mutate))
    if len(export.launches) != 1:
        names = ", ".join(launch.name for launch in export.launches)
        raise Refused(f"{_name_of(kernel)}: expected one kernel to change, found {len(export.launches)}: {names}", "kernel")
    (launch,) = export.launches
    if launch.params.get("level") == "auto":
        raise Refused(f"{_name_of(kernel)}: level: expected one form, whose statements are changed, such as 'ptx', found 'auto'", "level")
    document = _send("mutate", _of_one_form(launch), options, progress).result(timeout)
    return Mutation(document, document.pop("printed"))


# ---------------------------------------------------------------- asking


def _names(question: Any) -> list[str]:
    """The options of a question, by their names."""
    return [p.name for p in inspect.signature(question).parameters.values() if p.kind is p.KEYWORD_ONLY]


def _text_alone(kernel: Any, keywords: Mapping[str, Any]) -> str | None:
    """The level of a JAX function whose PTX is given, for questions about one form."""
    return "ptx" if is_function(kernel) and "ptx" in keywords else None


def _of_one_form(launch: Launch) -> Launch:
    """The launch with one document, for questions about one form of a kernel."""
    return replace(launch, params={name: value for name, value in launch.params.items() if name != "level"})


def _list(said: "str | Sequence[str] | None") -> list[str] | None:
    return None if said is None else [said] if isinstance(said, str) else list(said)


def _name_of(kernel: Any) -> str:
    if not is_function(kernel):
        return str(kernel) if isinstance(kernel, str) else "document"
    inner = getattr(kernel, "func", kernel)
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


def _baseline(accept: "str | os.PathLike[str] | Mapping[str, Any] | None") -> Mapping[str, Any] | None:
    if accept is None or isinstance(accept, Mapping):
        return accept
    with open(accept, encoding="utf-8") as file:
        try:
            return dict(json.load(file))
        except ValueError as wrong:
            raise Refused(f"{os.fspath(accept)}: not JSON: {wrong}", "json.syntax") from wrong


def _send(method: str, launch: Launch, options: Mapping[str, Any], progress: Any = None) -> Pending:
    said = {name: value for name, value in options.items() if value is not None}
    return warm.client().send(method, kernel=launch.document, printed=True, progress=progress, **{**launch.params, **said})


def _without_data(launch: Launch, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """A check without data, which reports if it needs them. Most checks need none, and data are large."""
    return options if launch.data is None else {**options, "seeded": False}


def _with_data(launch: Launch, options: Mapping[str, Any]) -> Mapping[str, Any]:
    held = {} if launch.data is None else {name: x if isinstance(x, Tensor) else Tensor.of_numpy(x) for name, x in launch.data().items()}
    return {**options, "in_": held} if held else options


def _answers(
    pending: Sequence[tuple[Launch, Pending]], options: Mapping[str, Any], timeout: float | None
) -> list[tuple[Mapping[str, Any], Any]]:
    """The answers to checks that were sent together, with their options. If one is refused, the others are not awaited. One that needs data is sent again with them."""

    def answer(launch: Launch, one: Pending) -> tuple[Mapping[str, Any], Any]:
        try:
            return _without_data(launch, options), one.result(timeout)
        except Refused as refused:
            if launch.data is None or refused.code != "input-missing":
                raise
        said = _with_data(launch, options)
        return said, _send("check", launch, said).result(timeout)

    try:
        return [answer(launch, one) for launch, one in pending]
    except BaseException:
        for _, one in pending:
            one.cancel()
        raise


def _verdict(method: str, launch: Launch, options: Mapping[str, Any], answer: dict[str, Any]) -> Verdict:
    printed = answer.pop("printed")
    if answer.get("schema") == "tcspec.host-verdict/1":
        return ProgramVerdict(answer, printed)

    def draw() -> str:
        again = _send(method, launch, {**options, "timeline": "timeline.svg"}).result()
        return str(again["files"]["timeline.svg"])

    if is_named(launch) and launch.name.startswith(f"{answer['kernel']} "):
        # what was chosen for its author, such as a configuration
        printed = printed.replace(str(answer["kernel"]), launch.name, 1)
    return Verdict(answer, printed, name=launch.name if is_named(launch) else None, lines=_lines_of(launch), draw=draw)


def is_named(launch: Launch) -> bool:
    """Whether its author named it. A verdict on a document has the document's own name."""
    return launch.name != "document"


def _lines_of(launch: Launch) -> Any:
    """The author's lines, from the launch or from the disk."""
    brought = launch.params.get("files", {})
    texts = {name: held.splitlines() for name, held in brought.items() if isinstance(held, str)}
    document = launch.document
    # a module speaks of the files beside it
    folder = os.path.dirname(document) if isinstance(document, str) else ""
    located: dict[tuple[str, int], str] = {}
    if isinstance(document, Mapping) and isinstance(document.get("locations"), list):
        files = document.get("files", [])
        for place in document["locations"]:
            if place.get("text"):
                # a verdict speaks of a file by its base name
                located[os.path.basename(files[place["file"]]), place["line"]] = place["text"]

    def line(file: str, number: int) -> str:
        known = located.get((os.path.basename(file), number))
        if known is not None:
            return known.strip()
        text = texts.get(file)
        if text is not None:
            return text[number - 1].strip() if 0 < number <= len(text) else ""
        return linecache.getline(os.path.join(folder, file), number).strip()

    return line
