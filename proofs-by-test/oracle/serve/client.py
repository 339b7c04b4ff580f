"""The client against a process that misbehaves (fake_serve.py): plain python3, no dependencies."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "python"))
from tcspec.client import (  # noqa: E402
    Busy,
    Cancelled,
    Client,
    Refused,
    ServerDied,
    TcspecError,
    Tensor,
    TimedOut,
    TooLarge,
)

command = [sys.executable, str(here / "fake_serve.py")]


def is_there(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tcspec = Client(command, options=["--files", "x"], timeout=20)

    @classmethod
    def tearDownClass(cls):
        cls.tcspec.close()

    def test_params_are_those_of_the_command_line(self):
        said = self.tcspec.layout("WGMMA", shape=(64, 8), strict_proxies=True, in_={"a": 1}, window=None)
        self.assertEqual(said, {"layout": "WGMMA", "shape": [64, 8], "strictProxies": True, "in": {"a": 1}})
        self.assertEqual(self.tcspec.version()["words"], ["serve", "--files", "x"])

    def test_tensors_go_and_come(self):
        tensor = Tensor.of_bits("bf16", [2], [0x3F80, 0])
        self.assertEqual(tensor.data, b"\x80\x3f\x00\x00")
        said = self.tcspec.layout(tensor, more=[tensor])
        self.assertEqual(said["layout"], {"dtype": "bf16", "shape": [2], "base64": "gD8AAA=="})
        self.assertEqual(said["more"], [said["layout"]])
        files = self.tcspec.run("k")["files"]
        self.assertEqual(files, {"c.npy": tensor, "t.svg": "<svg/>"})
        self.assertEqual(files["c.npy"].bits, [0x3F80, 0])
        with self.assertRaises(TypeError):
            self.tcspec.layout(object())

    def test_arrays_where_numpy_is_there(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        for dtype in ("float16", "float32", "float64", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"):
            array = numpy.arange(6).reshape(2, 3).astype(dtype)
            tensor = Tensor.of_numpy(array.T)
            self.assertEqual(tensor.shape, (3, 2))
            back = tensor.numpy()
            self.assertEqual(back.dtype, array.dtype)
            self.assertTrue((back == array.T).all())
            self.assertEqual(Tensor.of_numpy(array.astype(array.dtype.newbyteorder(">"))), Tensor.of_numpy(array))
        said = self.tcspec.layout(numpy.float32(0.5), n=numpy.int64(3), a=numpy.zeros((1, 2), "float16"))
        self.assertEqual(said, {"layout": 0.5, "n": 3, "a": {"dtype": "f16", "shape": [1, 2], "base64": "AAAAAA=="}})
        self.assertEqual(Tensor.of_bits("e2m1", [1], [5]).numpy().tobytes(), b"\x05")

    def test_refusals_are_exceptions(self):
        for call, kind, code in (
            (lambda: self.tcspec.cute("x"), Refused, "cute.exact"),
            (lambda: self.tcspec.banks(), Busy, "busy"),
            (lambda: self.tcspec.tmem(), TooLarge, "too-large"),
            (lambda: self.tcspec.request("nope"), Refused, "method"),
        ):
            with self.assertRaises(kind) as raised:
                call()
            self.assertEqual(raised.exception.code, code)
            self.assertIsInstance(raised.exception, TcspecError)

    def test_many_threads_each_get_their_own(self):
        found = {}

        def ask(n):
            found[n] = self.tcspec.layout(n, wait=0.05 * (n % 3))["layout"]

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(60)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {n: n for n in range(60)})

    def test_progress_and_a_callback_that_fails(self):
        told = []
        self.assertTrue(self.tcspec.request("layout", layout=1, progress=told.append)["progress"])
        self.assertEqual(told, [{"done": 1, "of": 2}])

        def fails(_):
            raise ValueError

        self.assertEqual(self.tcspec.request("layout", layout=1, progress=fails)["layout"], 1)
        self.assertEqual(self.tcspec.layout(2)["layout"], 2)

    def test_cancelling_and_waiting_in_vain(self):
        pending = self.tcspec.send("check", kernel="k")
        self.assertFalse(pending.done())
        pending.cancel()
        with self.assertRaises(Cancelled):
            pending.result(20)
        late = self.tcspec.send("check", kernel="k")
        with self.assertRaises(TimedOut) as raised:
            late.result(0.05)
        self.assertIsInstance(raised.exception, TimeoutError)
        with self.assertRaises(Cancelled):  # it was cancelled then
            late.result(20)


class Lives(unittest.TestCase):
    def test_a_process_that_dies_is_said_and_another_started(self):
        with Client(command, timeout=20) as tcspec:
            first = tcspec.version()["pid"]
            self.assertEqual(tcspec.version()["pid"], first)
            others = [tcspec.send("check", kernel="k") for _ in range(3)]
            with self.assertRaises(ServerDied) as raised:
                tcspec.trace("k")
            self.assertIn("trace: tcspec serve ended before it answered (exit status 3: it is over)", str(raised.exception))
            for other in others:
                with self.assertRaises(ServerDied):
                    other.result(20)
            self.assertIsNone(tcspec.pid)
            second = tcspec.version()["pid"]
            self.assertNotEqual(first, second)
            pending = tcspec.send("check", kernel="k")
            os.kill(second, signal.SIGKILL)
            with self.assertRaises(ServerDied) as raised:
                pending.result(20)
            self.assertIn("signal 9", str(raised.exception))
            third = tcspec.version()["pid"]
        self.assertFalse(is_there(third))
        tcspec.close()

    def test_it_starts_again_behind_its_end(self):
        tcspec = Client(command, timeout=20)
        first = tcspec.version()["pid"]
        tcspec.close()
        self.assertFalse(is_there(first))
        self.assertNotEqual(tcspec.version()["pid"], first)
        tcspec.close()

    def test_no_process_is_left_by_an_interpreter_that_ends(self):
        program = f"""
import sys; sys.path.insert(0, {str(here.parents[2] / "python")!r})
from tcspec.client import Client
tcspec = Client({command!r})
print(tcspec.version()["pid"])
tcspec.send("check", kernel="k")
"""
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(ran.stderr, "")
        pid = int(ran.stdout)
        for _ in range(100):
            if not is_there(pid):
                break
            time.sleep(0.05)
        self.assertFalse(is_there(pid))

    def test_a_fork_starts_its_own(self):
        with Client(command, timeout=20) as tcspec:
            mine = tcspec.version()["pid"]
            child = os.fork()
            if child == 0:
                try:
                    os._exit(0 if tcspec.version()["pid"] != mine else 1)
                except BaseException:
                    os._exit(2)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(tcspec.version()["pid"], mine)

    def test_what_cannot_be_started_is_said(self):
        with self.assertRaises(OSError):
            Client(["/no/such/tcspec"]).version()


if __name__ == "__main__":
    unittest.main()
