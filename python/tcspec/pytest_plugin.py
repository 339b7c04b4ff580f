"""The pytest plugin, which is active when the package is installed.

| here                       | what it does                                                                                                    |
|----------------------------|-----------------------------------------------------------------------------------------------------------------|
| ``@tcspec.verified(...)``  | what it decorates is a test, under its own name, whatever that is; several of them are numbered                 |
| fixture ``tcspec``         | the package, its process warm; one process a session, and one a worker of pytest-xdist                           |
| a test with ``accept=``    | passes with the findings that its baseline accepts; the end of the session lists them                           |
| a test that fails          | shows the verdicts on its kernels that are not ok: each finding with its statements at ``file:line``, no frame of this package |
| ``--tcspec-strict``        | broken contracts are errors for all that is ``verified``                                                        |

Marks such as ``xfail`` and ``skip`` go above ``verified``, as above any other test.
"""

from __future__ import annotations

import sys
from typing import Any, Generator, Iterator

import pytest

import tcspec as package

from . import verdict as verdicts
from .errors import TcspecError
from .verified import Request, requests_of

__all__: list[str] = []

_BAD: pytest.StashKey[list[verdicts.Verdict]] = pytest.StashKey()
#: those that pass with findings that a baseline accepts
_ACCEPTED: pytest.StashKey[list[verdicts.Verdict]] = pytest.StashKey()
#: a property of a report: workers of pytest-xdist send it with the report
_PROPERTY = "tcspec accepted"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("tcspec").addoption(
        "--tcspec-strict", action="store_true", help="report contract notes as errors, in tests made by tcspec.verified"
    )


@pytest.fixture(scope="session")
def tcspec() -> Iterator[Any]:
    """The package, with its process warm."""
    package.version()
    yield package
    package.close()


# ---------------------------------------------------------------- what is verified


class VerifiedKernel(pytest.Function):
    """A check of a kernel as a test."""

    request_of_kernel: Request

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *more: Any, **others: Any) -> Any:
        if isinstance(excinfo.value, verdicts.BadVerdict):
            return excinfo.value.verdict.report()
        if isinstance(excinfo.value, TcspecError):
            return f"{self.name}: {excinfo.value}"
        return super().repr_failure(excinfo, *more, **others)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> list[pytest.Item] | None:
    requests = requests_of(obj)
    if not requests:
        return None
    numbered = [name] if len(requests) == 1 else [f"{name}[{k}]" for k in range(len(requests))]
    return [_item(collector, title, request) for title, request in zip(numbered, requests)]


def _item(collector: Any, name: str, request: Request) -> pytest.Item:
    def callobj() -> None:
        strict = bool(collector.config.getoption("--tcspec-strict"))
        request.check(strict).raise_if_bad()

    callobj.__name__ = name
    callobj.__doc__ = getattr(request.kernel, "__doc__", None)
    marks = getattr(request.kernel, "pytestmark", None)
    if marks is not None:
        setattr(callobj, "pytestmark", marks)
    item: pytest.Item = VerifiedKernel.from_parent(collector, name=name, callobj=callobj)
    place = _place(request.kernel)
    if place is not None:
        path, line = place
        # as pytest has it for a function: a path that it can shorten, and a line from 0
        setattr(item, "reportinfo", lambda: (path, line, name))
    return item


def _place(kernel: Any) -> tuple[str, int] | None:
    import inspect

    seen = set()
    while hasattr(kernel, "fn") or hasattr(kernel, "__wrapped__") or hasattr(kernel, "func"):
        if id(kernel) in seen:
            return None
        seen.add(id(kernel))
        kernel = getattr(kernel, "fn", None) or getattr(kernel, "__wrapped__", None) or getattr(kernel, "func", None)
    code = getattr(kernel, "__code__", None)
    if code is None:
        return None
    return inspect.getsourcefile(kernel) or code.co_filename, code.co_firstlineno - 1


# ---------------------------------------------------------------- what a failure shows


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[_BAD], item.stash[_ACCEPTED] = [], []

    def hear(verdict: verdicts.Verdict) -> None:
        item.stash[_ACCEPTED if verdict.ok else _BAD].append(verdict)

    with verdicts.watched(hear):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    # a traceback ends where its reader's own code does
    for name in [name for name in sys.modules if name.split(".")[0] == __package__]:
        sys.modules[name].__dict__["__tracebackhide__"] = True
    report = yield
    shown = getattr(getattr(call.excinfo, "value", None), "verdict", None)
    if report.when == "call" and report.failed and not isinstance(item, VerifiedKernel):
        for bad in item.stash.get(_BAD, []):
            if bad is not shown:
                report.sections.append((f"tcspec: {bad.name}", bad.report()))
    if report.when == "call":
        rows = [row for one in item.stash.get(_ACCEPTED, []) for row in one.accepted_rows]
        report.user_properties.extend((_PROPERTY, row) for row in dict.fromkeys(rows))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows = [
        (report.nodeid, row)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, row in getattr(report, "user_properties", ())
        if name == _PROPERTY
    ]
    if rows:
        terminalreporter.section("tcspec: accepted findings")
        for node, row in rows:
            terminalreporter.write_line(f"{node}: {row}")
