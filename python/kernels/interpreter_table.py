"""
What the interpreter that comes with JAX says of the pairs, and what `tcspec.check` says of them: measured, and written into docs/Python.md.

    python python/kernels/interpreter_table.py theirs [NAME ...]     what JAX's interpreter says, under each version of JAX: all pairs, or these
    python python/kernels/interpreter_table.py ours [NAME ...]       what tcspec.check says, the same
    python python/kernels/interpreter_table.py table | write         prints the table, or writes it into docs/Python.md; needs no JAX

Each kernel runs in a process of its own, since one that deadlocks hangs the interpreter, and with it the process. Then all of them run in one process,
one after the other, as the tests of a project would: `together` says what becomes of each. `PYTHON` names the Python of these processes, where it is not the one that runs this.

| word          | of a right kernel                    | of a twin                                                       |
|---------------|--------------------------------------|-----------------------------------------------------------------|
| clean         | runs, right result, nothing reported |                                                                 |
| false alarm   | a race or an error is reported       |                                                                 |
| found         |                                      | a race is reported, or an error that speaks of the kernel       |
| missed        |                                      | runs to its end and nothing is reported                         |
| wrong result  | another result than numpy's          | the same, and nothing is reported                               |
| hung          | not done in time                     | the same: there is no diagnosis                                 |
| crashed       | the process ends by a signal         | the same                                                        |
| refused       | an operation is not supported        | the same                                                        |

What was measured is kept in `interpreter_table.json`, by version of JAX.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "Python.md"
MEASURED = HERE / "interpreter_table.json"
SECONDS = 45
BEGIN, END = "<!-- interpreter-table: begin -->", "<!-- interpreter-table: end -->"

sys.path.insert(0, str(HERE.parent))

Said = dict[str, Any]  # {"word": ..., "detail": ...}


# ---------------------------------------------------------------- theirs, in a child


def interpreted(name: str, right: bool) -> Said:
    """One kernel under JAX's interpreter with its race detector, here."""
    import jax
    import jax.numpy as jnp
    import numpy
    from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call, params
    from kernels import pairs

    pair = pairs.named(name)
    inputs = pair.inputs()
    with params.force_gpu_interpret_mode(params.InterpretGPUParams(detect_races=True)):
        try:
            out = jax.block_until_ready(jax.jit(pair.make(right))(*map(jnp.asarray, inputs)))
        except Exception as error:  # whatever it raises is what it says
            interpret_pallas_call.reset_gpu_interpret_mode_state()
            return {"error": first_line(error)}
    expected = pair.expected(*inputs)
    expected = expected if isinstance(expected, list) else [expected]
    same = all(numpy.array_equal(numpy.asarray(o), e) for o, e in zip(jax.tree.leaves(out), expected, strict=True))
    return {"race": bool(interpret_pallas_call.get_races().races_found), "same": same}


def first_line(error: BaseException) -> str:
    """The type of an error, and the line of its text that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"^(\w+\.)*\w*(Error|Exception|Exit)\b", line)]
    text = told[-1] if told else (lines[0] if lines else "")
    return text if told else f"{type(error).__name__}: {text}".rstrip(": ")


def child(subjects: list[tuple[str, bool]]) -> dict[tuple[str, bool], Said]:
    """What becomes of these in one process; those behind one that hangs or crashes go on in another."""
    said: dict[tuple[str, bool], Said] = {}
    left = list(subjects)
    while left:
        lines, end, errors = lines_of([f"{name}:{'right' if right else 'twin'}" for name, right in left])
        if end is not None and end > 0:
            sys.exit(errors)
        said.update(zip(left, map(json.loads, lines)))
        if len(lines) < len(left):
            said[left[len(lines)]] = {"hung": True} if end is None else {"crashed": f"signal {-end}"}
        left = left[len(lines) + 1 :]
    return said


def by_itself(subject: tuple[str, bool]) -> Said:
    """What becomes of one in a process of its own. It hangs if it does so twice: a machine may be busy."""
    said = child([subject])[subject]
    return child([subject])[subject] if said.get("hung") else said


def lines_of(told: list[str]) -> tuple[list[str], int | None, str]:
    """What a child says of them line by line, how it ended (None: it had to be killed, since nothing more came), and its errors."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        python = os.environ.get("PYTHON", sys.executable)
        process = subprocess.Popen([python, __file__, "interpret", *told], stdout=out, stderr=err, text=True)
        lines: list[str] = []
        while True:
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                pass
            before = len(lines)
            out.seek(0)
            lines = [line for line in out.read().splitlines() if line.startswith("{")]
            end = process.poll()
            if end is not None or len(lines) == before:
                break
        if end is None:
            process.kill()
            process.wait()
        err.seek(0)
        return lines, end, err.read()


def word_of(said: Said, right: bool) -> Said:
    """One of the words above."""
    if said.get("hung"):
        return {"word": "hung"}
    if "crashed" in said:
        return {"word": "crashed", "detail": said["crashed"]}
    if "error" in said:
        if not diagnosis(said["error"]):
            return {"word": "refused", "detail": said["error"]}
        return {"word": "false alarm" if right else "found", "detail": said["error"]}
    if said["race"]:
        return {"word": "false alarm" if right else "found"}
    if not said["same"]:
        return {"word": "wrong result"}
    return {"word": "clean" if right else "missed"}


def diagnosis(error: str) -> bool:
    """An error that speaks of the kernel, and not of what the interpreter cannot do."""
    return (
        re.search(r"[Bb]arrier (completed|\d+ was)|observed|phase|before kernel finished|[Oo]ut.of.bounds", error)
        is not None
    )


# ---------------------------------------------------------------- ours


def checked(name: str, right: bool) -> Said:
    """What `tcspec.check` says, and of the right kernel what `tcspec.run` computes."""
    import numpy
    import tcspec
    from kernels import pairs

    pair = pairs.named(name)
    inputs = pair.inputs()
    try:
        verdict = tcspec.check(pair.make(right), *inputs, explore=pair.explore)
    except tcspec.Refused as error:
        return {"word": "refused", "detail": f"{error.code}: {str(error).replace(f'{HERE}{os.sep}', '')}"}
    if right:
        if not verdict.ok:
            return {"word": "false alarm" if verdict.findings else verdict.verdict}
        expected = pair.expected(*inputs)
        expected = expected if isinstance(expected, list) else [expected]
        import jax

        found = jax.tree.leaves(tcspec.run(pair.make(True), *inputs).result)
        same = all(numpy.array_equal(numpy.asarray(o), e) for o, e in zip(found, expected, strict=True))
        return {"word": "clean" if same else "wrong result"}
    if verdict.ok:
        return {"word": "missed"}

    def named(finding: Any) -> list[int]:
        own = (s.line for s in finding.statements if s.file and Path(s.file).name == Path(pair.file).name)
        return sorted({line for line in own if line is not None})

    told = [finding for finding in verdict.findings if finding.id == pair.finding and named(finding) == pair.named]
    if told:
        return {"word": "found", "id": pair.finding}
    return {"word": "found elsewhere", "id": " ".join(finding.id for finding in verdict.findings) or verdict.verdict}


# ---------------------------------------------------------------- measuring


def measure(whose: str, only: list[str]) -> None:
    """One column of the file, under the version of JAX that runs this."""
    import jax
    from kernels import pairs

    names = [name for name in pairs.names() if not only or name in only]
    sides = {"right": True, "twin": False}
    said: dict[tuple[str, str], Said] = {}
    if whose == "theirs":
        alone = {(n, r): by_itself((n, r)) for n in names for r in sides.values()}
        together = child(list(alone))
        for n in names:
            for side, right in sides.items():
                word = word_of(alone[n, right], right)
                among = word_of(together[n, right], right)["word"]
                said[n, side] = word if among == word["word"] else {**word, "together": among}
    else:
        said = {(n, side): checked(n, right) for n in names for side, right in sides.items()}
    kept = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    column = kept.setdefault(jax.__version__, {}).setdefault(whose, {})
    for (n, side), what in said.items():
        column.setdefault(n, {})[side] = what
    kept["twins"] = {n: pairs.named(n).changed for n in pairs.names()}
    known = {n: column[n] for n in pairs.names() if n in column}
    kept[jax.__version__] = {**kept[jax.__version__], whose: known}
    MEASURED.write_text(json.dumps(dict(sorted(kept.items())), indent=2, ensure_ascii=False) + "\n")


# ---------------------------------------------------------------- writing


def table() -> str:
    """The tables of the page, from what was measured."""
    kept = json.loads(MEASURED.read_text(encoding="utf-8"))
    twins: dict[str, str] = kept["twins"]
    versions = [version for version in kept if version != "twins"]

    def theirs(version: str, name: str) -> str:
        said = kept[version]["theirs"].get(name)
        return " / ".join(said[side]["word"] for side in ("right", "twin")) if said else "not known to it"

    def ours(name: str) -> str:
        said = [kept[version]["ours"][name] for version in versions if name in kept[version]["ours"]]
        told = dict.fromkeys(
            " / ".join([one["right"]["word"], " ".join(filter(None, [one["twin"]["word"], one["twin"].get("id")]))])
            for one in said
        )
        return "; ".join(told)

    rows = [["pair", "the mistake", *(f"JAX {version}" for version in versions), "tcspec"]]
    rows += [
        [f"`{name}`", changed, *(theirs(v, name) for v in versions), ours(name)] for name, changed in twins.items()
    ]
    return f"{lines(rows)}\n\n{summary(kept, versions)}"


def summary(kept: dict[str, Any], versions: list[str]) -> str:
    """How often each word was said, alone and in one process."""
    words = [
        "clean",
        "false alarm",
        "found",
        "found elsewhere",
        "missed",
        "wrong result",
        "hung",
        "crashed",
        "undecided",
        "refused",
    ]
    rows = [["", "", *words]]
    for who, column in [
        *((f"JAX {v}", kept[v]["theirs"]) for v in versions),
        *((f"tcspec, JAX {v}", kept[v]["ours"]) for v in versions),
    ]:
        for side, called in (("right", "right kernels"), ("twin", "broken kernels")):
            said = [row[side]["word"] for row in column.values()]
            unknown = sorted(set(said) - set(words))
            if unknown:
                sys.exit(f"{who}: unknown words {unknown}")
            rows.append([who, called, *(str(said.count(word) or "") for word in words)])
    said_by_none = [i for i in range(2, len(rows[0])) if not any(row[i] for row in rows[1:])]
    return lines([[cell for i, cell in enumerate(row) if i not in said_by_none] for row in rows])


def lines(rows: list[list[str]]) -> str:
    """A table as prettier writes it."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    written = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    return "\n".join([written[0], "| " + " | ".join("-" * max(width, 3) for width in widths) + " |", *written[1:]])


def page_with(text: str) -> str:
    """The page with the table between its marks."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def main(arguments: list[str]) -> None:
    match arguments:
        case ["interpret", *told]:
            for one in told:
                name, side = one.split(":")
                print(json.dumps(interpreted(name, side == "right")), flush=True)
        case ["theirs" | "ours" as whose, *only]:
            measure(whose, only)
        case ["table"]:
            print(table())
        case ["write"]:
            PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
