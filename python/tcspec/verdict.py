"""Verdicts on kernels, as objects.

    verdict = tcspec.check(kernel, a, b)
    print(verdict)                       # what `tcspec check` prints
    verdict.ok                           # True only if it is right in every schedule, or as far as `.verdict` says
    for finding in verdict.findings:
        for statement in finding.statements:
            print(statement.file, statement.line, statement.text)
    verdict.raise_if_bad()               # BadVerdict, an AssertionError whose text is the printed verdict

A function that launches several kernels has one verdict, which is ok only if the verdicts on all kernels are; ``.kernels`` lists them.
"""

from __future__ import annotations

import json
import linecache
import os
import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "AtLevel",
    "BadVerdict",
    "Between",
    "Finding",
    "Mutation",
    "Place",
    "ProgramVerdict",
    "Proof",
    "Run",
    "Statement",
    "Verdict",
    "Verdicts",
]


class BadVerdict(AssertionError):
    """A verdict that is not ``ok``. Its text is the printed verdict."""

    def __init__(self, verdict: "Verdict") -> None:
        super().__init__(str(verdict).rstrip())
        self.verdict = verdict


# as tracebacks and pytest have it
BadVerdict.__module__ = "tcspec"


# ---------------------------------------------------------------- who hears of them

_watching: ContextVar[Callable[["Verdict"], None] | None] = ContextVar("tcspec_watching", default=None)


@contextmanager
def watched(hear: Callable[["Verdict"], None]) -> Iterator[None]:
    """Inside this context, the callback gets every verdict that is not ok, and every one that is ok only because a baseline accepts its findings."""
    token = _watching.set(hear)
    try:
        yield
    finally:
        _watching.reset(token)


# ---------------------------------------------------------------- findings


@dataclass(frozen=True)
class Statement:
    """A statement of a kernel that a finding is about."""

    #: where the author wrote it; None where the kernel says nothing of that
    file: str | None
    line: int | None
    #: the line as it stands there, stripped; empty where it cannot be read
    text: str
    #: label of the statement in the program, and of those around it
    label: str
    path: tuple[str, ...]
    #: rounds of the loops around it
    iteration: tuple[int, ...]
    agent: str
    #: what it does to the bytes or the barrier, and through which unit
    does: str

    @property
    def where(self) -> str:
        """``file:line``, or the label if the kernel does not name its source."""
        return self.label if self.file is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.text else self.where


@dataclass(frozen=True)
class Place:
    """A range of bytes of a memory."""

    memory: str
    #: intervals [start, end)
    spans: tuple[tuple[int, int], ...]
    #: intervals that are not listed
    more: int

    def __str__(self) -> str:
        spans = ", ".join(f"{start:,} to {end:,}" for start, end in self.spans[:3])
        rest = len(self.spans) - 3 + self.more
        return f"{self.memory} {spans}" + (f" and {rest} more intervals" if rest > 0 else "")


@dataclass(frozen=True)
class Finding:
    """A hazard, a broken contract or a note."""

    #: of the list of hazards (docs/hazards.md), and what it is called there
    id: str
    title: str
    #: "E": wrong or undefined in some schedule; "C": a documented contract is broken; "L": a note
    severity: str
    message: str
    #: the earlier one in the run first; a rule that one statement breaks has one
    statements: tuple[Statement, ...]
    #: the bytes at stake
    place: Place | None
    #: why the two are not ordered: what the second agent has synchronised with; ``report()`` prints it as ``why``
    knew: str | None
    #: the smallest addition that makes the finding disappear
    missing: str | None
    #: the same in the words of the kernel's language, where it has some
    fix: str | None
    #: ``"compiler"`` or ``"library"`` where the author of the kernel did not write what is wrong; None for the author's own
    whose: str | None
    #: of a verdict on several levels: those that have it, ``"ttgir"``, ``"ptx"``; the first tells it
    levels: tuple[str, ...]
    #: why it is accepted, if a baseline accepts it (``accept=``)
    accepted: str | None
    document: Mapping[str, Any]

    def __str__(self) -> str:
        rows = [f"{self.id}  {self.title}".rstrip(), f"    {self.message}"]
        names = ("first", "second") if len(self.statements) > 1 else ("where",)
        # one statement twice: in which rounds of its loops
        alike = len({str(s) for s in self.statements}) < len(self.statements)
        for name, statement in zip(names, self.statements):
            rounds = f" {list(statement.iteration)}" if alike and statement.iteration else ""
            rows.append(f"    {name:<9} {statement}{rounds}")
            rows.append(f"    {'':<9} {statement.does}, by {statement.agent}")
        level = " and ".join(map(str.upper, self.levels)) or None
        for name, said in (
            ("bytes", self.place),
            ("level", level),
            ("why", self.knew),
            ("fix", self.fix),
            ("whose", None if self.whose is None else _WHOSE[self.whose]),
            ("accepted", self.accepted),
        ):
            if said is not None:
                rows.append(f"    {name:<9} {said}")
        return "\n".join(rows)


_WHOSE = {
    "compiler": "inserted by the compiler: the author of the kernel did not write this synchronisation and cannot add it; report it to the compiler, or accept it (accept=)",
    "library": "inserted by the library that initialises the barrier; its own examples do the same",
}


@dataclass(frozen=True)
class Proof:
    """What the kernel computes for all inputs of these shapes, decided from one run."""

    proved: bool
    #: every output adds its products in ascending order, so it is the naive chain bit for bit
    in_order: bool
    text: str

    def __bool__(self) -> bool:
        return self.proved

    def __str__(self) -> str:
        return self.text


#: lines of an author's file: the text of a line, or ""
Lines = Callable[[str, int], str]


def _line(file: str, line: int) -> str:
    return linecache.getline(file, line).strip() if os.path.isabs(file) or os.path.isfile(file) else ""


def _statement(found: Mapping[str, Any], lines: Lines) -> Statement:
    at = re.fullmatch(r"(.*?):(\d+)(?::\d+)?", found.get("loc", ""), re.S)
    file, line = (at.group(1), int(at.group(2))) if at is not None else (None, None)
    return Statement(
        file=file,
        line=line,
        text=lines(file, line) if file is not None and line is not None else "",
        label=found["site"],
        path=tuple(found["path"]),
        iteration=tuple(found["iteration"]),
        agent=found["agent"],
        does=found["does"],
    )


def _finding(found: Mapping[str, Any], lines: Lines) -> Finding:
    place = found.get("place")
    return Finding(
        id=found["id"],
        title=found.get("title", ""),
        severity=found["severity"],
        message=found["text"],
        statements=tuple(_statement(found[which], lines) for which in ("a", "b") if which in found),
        place=None
        if place is None
        else Place(place["plane"], tuple((start, end) for start, end in place["spans"]), place.get("more", 0)),
        knew=found.get("knew"),
        missing=found["missing"]["text"] if "missing" in found else None,
        fix=found.get("fix", found["missing"]["text"] if "missing" in found else None),
        whose=found.get("whose"),
        levels=tuple(found.get("levels", ())),
        accepted=found.get("accepted"),
        document=found,
    )


# ---------------------------------------------------------------- verdicts


@dataclass(frozen=True)
class AtLevel:
    """The result of a kernel in one of the forms in which it was judged."""

    #: ``"ttgir"`` or ``"ptx"``
    level: str
    #: a verdict; ``refused``: it was there and is not taken; ``not-judged``: it was not there, or not asked
    result: str
    reason: str

    def __str__(self) -> str:
        return f"{self.level.upper()}: {self.result}: {self.reason}"


def _accepted_row(row: Mapping[str, Any]) -> str:
    """The text of the command line."""
    places = ", ".join(": ".join(filter(None, (side.get("file"), side["statement"]))) for side in (row["a"], row["b"]) if side)
    count = row["findings"]
    if count == 0:
        return f"{row['id']} at {places} no longer occurs: delete its row"
    return f"{row['id']} ({count} {'finding' if count == 1 else 'findings'}) at {places}: {row['reason']}"


class Verdict:
    """The verdict on one kernel, or on one run of it."""

    def __init__(
        self,
        document: Mapping[str, Any],
        printed: str,
        *,
        name: str | None = None,
        lines: Lines = _line,
        draw: Callable[[], str] | None = None,
    ) -> None:
        #: the document that `--json` prints (schemas/verdict.schema.json)
        self.document = document
        #: what the command line prints
        self.text = printed
        #: the kernel, as its author named it
        self.name = name if name is not None else str(document["kernel"])
        self.findings: tuple[Finding, ...] = tuple(_finding(f, lines) for f in document["findings"])
        self.notes: tuple[Finding, ...] = tuple(_finding(f, lines) for f in document["notes"])
        self._draw = draw
        self._drawn: str | None = None
        hear = _watching.get()
        if hear is not None and (not self.ok or self.findings):
            hear(self)

    @property
    def verdict(self) -> str:
        """ok, invalid, hazard, deadlock, wrong-result, undecided or out-of-fuel"""
        return str(self.document["verdict"])

    @property
    def ok(self) -> bool:
        """Right in every schedule; with ``accept=``, with no finding but those that it accepts."""
        return self.verdict == "ok" or self.document.get("passes") is True

    @property
    def accepted(self) -> Sequence[Mapping[str, Any]]:
        """Rows of the baseline, with the number of findings that each accepts; 0: the finding no longer occurs."""
        return tuple(self.document.get("accepted", ()))

    @property
    def levels(self) -> tuple[AtLevel, ...]:
        """The result of each level of a Triton kernel; empty if one level was requested."""
        at = self.document.get("levels", {}).get("at", ())
        return tuple(AtLevel(one["level"], one["result"], one["reason"]) for one in at)

    @property
    def not_checked(self) -> tuple[str, ...]:
        """What the verdict does not cover."""
        return tuple(self.document["scope"])

    @property
    def accepted_rows(self) -> tuple[str, ...]:
        """The same as text, one line for each."""
        return tuple(map(_accepted_row, self.accepted))

    @property
    def reason(self) -> str:
        return str(self.document["reason"])

    @property
    def proof(self) -> Proof | None:
        """Whether the kernel computes what it claims; None if it claims nothing."""
        found = self.document["provenance"]
        return None if found is None else Proof(found["proved"], found["inOrder"], found["text"])

    provenance = proof

    @property
    def kernels(self) -> tuple["Verdict", ...]:
        """One verdict for each kernel."""
        return (self,)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        about = "; ".join(
            f"{f.id} at {' and '.join(s.where for s in f.statements)}" for f in self.findings[:2]
        )
        more = len(self.findings) - 2
        return f"<tcspec verdict on {self.name}: {self.verdict}{about and f', {about}'}{f' and {more} more' if more > 0 else ''}>"

    def raise_if_bad(self) -> "Verdict":
        """Raises ``BadVerdict`` unless the verdict is ok; else returns the verdict. With ``accept=``, findings that the baseline accepts pass: ``report()`` lists them."""
        if not self.ok:
            raise BadVerdict(self)
        return self

    def report(self) -> str:
        """The findings at the author's lines, those that a baseline accepts, and, for an ok verdict, what it does not cover."""
        proof = self.proof
        head = f"{self.name}: {self.verdict}: {self.reason}"
        difference = self.document.get("levels", {}).get("difference")
        apart = [*map(str, self.levels), f"they differ: {difference}"] if difference is not None else []
        said = [] if proof is None else [f"{'proved' if proof.proved else 'not proved'}: {proof.text}"]
        blocked = [f"blocked: {line}" for line in self.document.get("waitFor", ())]
        accepted = [f"accepted: {row}" for row in self.accepted_rows]
        outside = [f"not checked: {'; '.join(self.not_checked)}"] if self.ok and self.not_checked else []
        return "\n\n".join(
            ["\n".join([head, *apart, *blocked, *said, *accepted, *outside]), *(str(f) for f in self.findings)]
        )

    def timeline(self) -> str:
        """A picture of the run as SVG text, with the races marked."""
        if self._drawn is None:
            self._drawn = "" if self._draw is None else self._draw()
        return self._drawn

    def save(self, path: "str | os.PathLike[str]") -> Path:
        """Writes the verdict to a file: ``.svg`` has the picture, ``.html`` the page of a notebook, ``.json`` the document, and any other ending the text."""
        to = Path(path)
        made: Mapping[str, Callable[[], str]] = {
            ".svg": self.timeline,
            ".html": self._page,
            ".json": lambda: json.dumps(self.document, indent=2) + "\n",
        }
        to.write_text(made.get(to.suffix.lower(), lambda: self.text)(), encoding="utf-8")
        return to

    def _page(self) -> str:
        from .notebook import page

        return page(self)

    def _repr_html_(self) -> str:
        from .notebook import fragment

        return fragment(self)


class Verdicts(Verdict):
    """The verdicts on the kernels of one function, in the order in which they are launched: ok only if all of them are."""

    #: from the worst
    _ORDER = ("invalid", "deadlock", "hazard", "wrong-result", "undecided", "out-of-fuel", "ok")

    def __init__(self, name: str, kernels: Sequence[Verdict]) -> None:
        self.name = name
        self._kernels = tuple(kernels)
        self._worst = min(self._kernels, key=lambda v: self._ORDER.index(v.verdict))
        self.document = {"verdicts": [v.document for v in self._kernels]}
        self.text = "\n".join(v.text for v in self._kernels)
        self.findings = tuple(f for v in self._kernels for f in v.findings)
        self.notes = tuple(f for v in self._kernels for f in v.notes)

    @property
    def verdict(self) -> str:
        return self._worst.verdict

    @property
    def reason(self) -> str:
        return f"{self._worst.name}: {self._worst.reason}"

    @property
    def proof(self) -> Proof | None:
        """Whether every kernel's claim is proved; None unless each kernel claims something."""
        proofs = [v.proof for v in self._kernels]
        known = [p for p in proofs if p is not None]
        if len(known) < len(proofs):
            return None
        return Proof(all(known), all(p.in_order for p in known), "; ".join(p.text for p in known))

    provenance = proof

    @property
    def kernels(self) -> tuple[Verdict, ...]:
        return self._kernels

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    @property
    def ok(self) -> bool:
        return all(v.ok for v in self._kernels)

    @property
    def accepted(self) -> Sequence[Mapping[str, Any]]:
        return tuple(row for v in self._kernels for row in v.accepted)

    @property
    def levels(self) -> tuple[AtLevel, ...]:
        return tuple(at for v in self._kernels for at in v.levels)

    @property
    def not_checked(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row for v in self._kernels for row in v.not_checked))

    def report(self) -> str:
        wrong = [v for v in self._kernels if not v.ok]
        return "\n\n".join(v.report() for v in wrong or self._kernels)

    def timeline(self) -> str:
        """The picture of the first kernel that is not ok, or of the first; each kernel has its own."""
        return self._worst.timeline()


@dataclass(frozen=True)
class Between:
    """A hazard or a note about two operations of a program (docs/Programs.md)."""

    id: str
    title: str
    text: str
    #: the memory; empty where there is none
    memory: str
    why: str
    fix: str
    #: no hazard: what drivers wait for and no manual promises
    note: bool
    #: numbers of the operations
    operations: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.id} {self.title}\n  {self.text}\n  why: {self.why}\n  fix: {self.fix}"


class ProgramVerdict(Verdict):
    """The verdict on a program of many launches (``tcspec.host/1``): what is found between operations is in ``.findings``, and each launch that was judged has a verdict in ``.launches``."""

    #: what is found between operations, and notes
    findings: "tuple[Between, ...]"  # type: ignore[assignment]
    notes: "tuple[Between, ...]"  # type: ignore[assignment]
    #: by the words of ``operation=``: ``"8"``, or ``"9:n2"`` for a node of a graph
    launches: "Mapping[str, Verdict]"

    def __init__(self, document: Mapping[str, Any], printed: str) -> None:
        self.document = document
        self.text = printed
        self.name = str(document["program"])
        found = [
            Between(
                f["id"], f["title"], f["text"], f["memory"], f["why"], f["fix"], f["severity"] == "L",
                tuple(side["operation"] for side in (f["a"], f.get("b")) if side is not None),
            )
            for f in document["findings"]
        ]
        self.findings = tuple(f for f in found if not f.note)
        self.notes = tuple(f for f in found if f.note)
        self.launches = {
            f"{at['operation']}{'' if at['node'] is None else ':' + at['node']}": Verdict(at["verdict"], at["verdict"]["reason"], name=at["kernel"])
            for at in document["launches"]
            if at["verdict"] is not None
        }
        hear = _watching.get()
        if hear is not None and not self.ok:
            hear(self)

    @property
    def proof(self) -> Proof | None:
        return None

    provenance = proof

    @property
    def not_checked(self) -> tuple[str, ...]:
        return ()

    @property
    def kernels(self) -> tuple[Verdict, ...]:
        return tuple(self.launches.values())

    def __repr__(self) -> str:
        return f"<tcspec verdict on {self.name}: {self.verdict}{''.join(f', {f.id} between {f.operations}' for f in self.findings[:2])}>"

    def report(self) -> str:
        return self.text

    def timeline(self) -> str:
        raise ValueError("timeline: a program has none; check(..., operation=8) has that of one launch")

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


class Run(Verdicts):
    """A run: what was computed, and the verdicts on the kernels that computed it."""

    #: what the call returns: the pytree of a function of JAX, the tensors of another kernel by their names; None where it came to no end
    result: Any
    #: the outputs of the kernels, by their names
    outputs: "Mapping[str, NDArray[Any]]"

    def __init__(
        self, name: str, kernels: Sequence[Verdict], result: Any, outputs: "Mapping[str, NDArray[Any]]"
    ) -> None:
        super().__init__(name, kernels)
        self.result = result
        self.outputs = outputs
        if len(kernels) == 1:
            self.document = kernels[0].document

    @property
    def reason(self) -> str:
        return self._worst.reason if len(self._kernels) == 1 else super().reason

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "NDArray[Any]":
        """The array of a run with one output: ``numpy.testing.assert_array_equal(tcspec.run(f, a, b), expected)``."""
        import numpy

        arrays = list(self.result.values()) if isinstance(self.result, Mapping) else [self.result]
        if len(arrays) != 1 or not isinstance(arrays[0], numpy.ndarray):
            raise TypeError(f"expected a run with one output, found {len(self.outputs)}: .result or .outputs")
        return arrays[0] if dtype is None else arrays[0].astype(dtype)


# ---------------------------------------------------------------- mutants


class Mutation:
    """All single changes of a kernel, and which of them were found."""

    def __init__(self, document: Mapping[str, Any], printed: str) -> None:
        #: the document that `tcspec mutate --json` prints (schemas/mutation.schema.json)
        self.document = document
        self.text = printed

    @property
    def mutants(self) -> int:
        return int(self.document["mutants"])

    @property
    def killed(self) -> int:
        """Number of mutants with a finding."""
        return int(self.document["killed"])

    @property
    def equivalent(self) -> int:
        """Number of mutants that a certificate proves equivalent to the kernel."""
        return int(self.document["equivalent"])

    @property
    def kill_rate(self) -> float:
        """The share of the mutants that are not equivalent and have a finding; 1 if all are equivalent."""
        real = self.mutants - self.equivalent
        return self.killed / real if real else 1.0

    @property
    def survivors(self) -> tuple[Mapping[str, Any], ...]:
        """Mutants without a finding: ``site``, ``operator``, ``change``, ``verdict``."""
        return tuple(s for kernel in self.document["kernels"] for s in kernel["survivors"])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<tcspec mutation: {self.killed} of {self.mutants - self.equivalent} killed>"
