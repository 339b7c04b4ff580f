"""docs/Python.md: its files are the files, its programs run, and what stands below them is what they print.

    <!-- file: python/examples/X.py -->     the Python below is that file
    <!-- run: jax -->                        the Python below is run in python/examples; what it needs stands behind `run:`, nothing for the library alone
    <!-- shell: jax triton -->              the block below begins with `$ ` and a command, the rest is what it prints

The text below a program, and the rest of a shell block, is compared line by line; a line `...` stands for any lines, three dots within a line for any text.
TCSPEC_REGENERATE=1 writes what was printed into the page.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Python.md"
EXAMPLES = ROOT / "python" / "examples"
BLOCK = re.compile(r"<!-- (file|run|shell):([^>]*)-->\n\n```(\w*)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)

text = PAGE.read_text(encoding="utf-8")
blocks = [(m.group(1), m.group(2).split(), m.group(4), m.group(5), m.start()) for m in BLOCK.finditer(text)]


def said(words: list[str], program: str | None = None, ends: tuple[int, ...] = (0,)) -> str:
    """What a program prints, in the folder of the examples."""
    plugin = "tcspec.pytest_plugin"  # it is there by itself where the package is installed
    environment = {
        **os.environ,
        "PYTEST_PLUGINS": plugin,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(EXAMPLES)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    ran = subprocess.run(
        words, input=program, capture_output=True, text=True, cwd=EXAMPLES, env=environment, timeout=300
    )
    assert ran.returncode in ends, ran.stderr
    return settled(ran.stdout)


def settled(printed: str) -> str:
    """Without what is another each time: paths, seconds, and the lines that say where pytest runs."""
    printed = printed.replace(f"{EXAMPLES}{os.sep}", "").replace(f"{ROOT}{os.sep}", "")
    printed = re.sub(r"\bin \d+\.\d+s( \([\d:]+\))?", "in ... s", printed)
    printed = re.sub(r"\b\d+\.\d+ s\b", "... s", printed)
    printed = re.sub(r"^(platform|rootdir|plugins|cachedir|configfile|collecting) ?.*\n", "", printed, flags=re.M)
    return re.sub(r"[ \t]+$", "", printed, flags=re.M)


def agrees(expected: str, found: str) -> bool:
    """Line by line, with `...` for any lines and for any text within one."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, found if found.endswith("\n") else f"{found}\n") is not None


def regenerate(at: int, old: str, new: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(old, page.index(text[at : at + 40]) if old else 0)
    PAGE.write_text(page[:start] + new + page[start + len(old) :], encoding="utf-8")


def need(modules: list[str]) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")


def test_there_are_blocks() -> None:
    assert {kind for kind, *_ in blocks} == {"file", "run", "shell"}
    assert text.count("\n<!-- ") == len(blocks) + 2  # and the marks of the table


@pytest.mark.parametrize("words, body", [(words, body) for kind, words, body, _, _ in blocks if kind == "file"])
def test_a_file_stands_as_it_is(words: list[str], body: str) -> None:
    assert (ROOT / words[0]).read_text(encoding="utf-8") == body


@pytest.mark.parametrize(
    "block", [block for block in blocks if block[0] != "file"], ids=lambda block: block[2].strip().splitlines()[0]
)
def test_it_prints_what_stands_below(block: tuple[str, list[str], str, str | None, int]) -> None:
    kind, modules, body, below, at = block
    need(modules)
    if kind == "run":
        expected = below or ""
        found = said([sys.executable, "-"], body)
    else:
        command, _, expected = body.partition("\n")
        words = shlex.split(command.removeprefix("$ "))
        words = [sys.executable, "-m", *words] if words[0] == "pytest" else [sys.executable, *words[1:]]
        found = said(words, ends=(0, 1))
    if os.environ.get("TCSPEC_REGENERATE") and not agrees(expected, found):
        regenerate(
            at,
            f"```text\n{expected}```" if kind == "run" else body,
            f"```text\n{found}```" if kind == "run" else f"{command}\n{found}",
        )
    else:
        assert agrees(expected, found), found
