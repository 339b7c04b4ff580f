"""A verdict in a notebook: the printed verdict, and the timeline of the run with the races marked. Self-contained; every text is escaped."""

from __future__ import annotations

import html
from typing import Protocol, Sequence

from .errors import TcspecError

__all__ = ["fragment", "page"]

_COLOURS = {"ok": "#15803d", "undecided": "#b45309", "out-of-fuel": "#b45309"}
_BAD = "#b91c1c"
_MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"


class Shown(Protocol):
    """The parts of a verdict that are shown."""

    @property
    def name(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def kernels(self) -> "Sequence[Shown]": ...
    def timeline(self) -> str: ...


def fragment(verdict: "Shown") -> str:
    """A piece of HTML."""
    return "".join(_of_kernel(one) for one in verdict.kernels)


def page(verdict: "Shown") -> str:
    """A page of HTML."""
    title = html.escape(f"{verdict.name}: {verdict.verdict}")
    return f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n<body style="margin:24px">{fragment(verdict)}</body></html>\n'


def _of_kernel(verdict: "Shown") -> str:
    colour = _COLOURS.get(verdict.verdict, _BAD)
    head = (
        f'<div style="font-weight:600;color:{colour}">{html.escape(verdict.name)}: {html.escape(verdict.verdict)}</div>'
    )
    text = f'<pre style="{_MONO};font-size:12px;line-height:1.35;margin:6px 0 12px;white-space:pre;overflow-x:auto">{html.escape(verdict.text)}</pre>'
    return (
        f'<div style="border-left:4px solid {colour};padding:4px 0 4px 12px;margin:8px 0;text-align:left">{head}{text}{_picture(verdict)}</div>'
    )


def _picture(verdict: "Shown") -> str:
    try:
        drawn = verdict.timeline()
    except TcspecError as refused:
        return f"<div>{html.escape(str(refused))}</div>"
    return f'<div style="overflow-x:auto;background:#fff">{drawn}</div>' if drawn else ""
