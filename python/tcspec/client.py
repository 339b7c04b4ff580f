"""A client of ``tcspec serve``: every method of the process as a function (docs/Serve.md).

The first call starts the process, and later calls use the same one. It ends with the ``with`` block, with ``close()``, or with the interpreter.

    from tcspec.client import Client

    with Client() as tcspec:
        tcspec.layout("WGMMA", shape=[64, 8])["elements"]
        tcspec.check("hopper-matmul", set={"k": 512}, without=["wgmma"])["verdict"]
        tcspec.check({"ttgir": text}, grid=[4, 4], arg={"a": array, "M": 128})
        tcspec.mma(a, b)                                    # numpy arrays, or Tensor
        tcspec.ask("swizzle", {"dtype": "f16", "shape": [8, 64], "tile": None, "swizzle": 128, "base": 0})

A call has the arguments of the command line: operands first, options by name (``strict_proxies=True``). A name that is a Python keyword ends in an
underscore: ``in_={"a": array}``. The call returns the document that the command prints with ``--json``. Requested files are under ``files``, and
tensors are ``Tensor`` objects. docs/Serve.md lists the methods.

Calls may be made from many threads at once. ``send`` returns without waiting:

    pending = tcspec.send("check", kernel="matmul6", explore=True, progress=print)
    pending.cancel()

If the process dies, its unanswered calls raise ``ServerDied``, and the next call starts another process. So does the first call in a fork.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from typing import Any, Mapping, Sequence

from .errors import Busy, Cancelled, Refused, ServerDied, TcspecError, TimedOut, TooLarge
from .node import command as command_of_tcspec
from .process import Pending, Process, Progress
from .tensors import Tensor, to_json

__all__ = [
    "Busy",
    "Cancelled",
    "Client",
    "Pending",
    "Refused",
    "ServerDied",
    "TcspecError",
    "Tensor",
    "TimedOut",
    "TooLarge",
]


def camel(name: str) -> str:
    """The name that requests and documents have for a Python name."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def _params(said: Mapping[str, Any]) -> dict[str, Any]:
    return {camel(name): to_json(value) for name, value in said.items() if value is not None}


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for client in list(_clients):
        client.close()


def _forget_all() -> None:
    for client in list(_clients):
        client._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)



class Client:
    """Asks ``tcspec serve``.

    ``command``: the command that starts ``tcspec``, as a list of words. ``options``: words after ``serve``, such as ``["--files", "."]``.
    ``timeout``: seconds for each call that has no timeout of its own.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        options: Sequence[str] = (),
        timeout: float | None = None,
    ) -> None:
        self._command = list(command) if command is not None else None
        self._options = list(options)
        self._timeout = timeout
        self._process: Process | None = None
        self._starting = threading.Lock()
        _clients.add(self)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process. A call after that starts another."""
        with self._starting:
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def _forget(self) -> None:
        """In a fork: the process and the locks of the parent are not ours."""
        self._starting = threading.Lock()
        process, self._process = self._process, None
        if process is not None:
            process.forget()

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if there is none."""
        process = self._process
        return process.pid if process is not None and process.is_alive() else None

    def start(self) -> None:
        """Starts the process if there is none, so that it loads while the caller prepares the first question."""
        self._live()

    def _live(self) -> Process:
        with self._starting:
            if self._process is None or not self._process.is_alive():
                if self._process is not None:
                    self._process.close()
                self._process = Process([*(self._command or command_of_tcspec()), "serve", *self._options])
            return self._process

    def send(self, method: str, /, *, progress: Progress | None = None, **params: Any) -> Pending:
        """Sends a request and does not wait. ``progress`` is called with ``{"what", "done", "of"}``, in a thread of the client."""
        return self._live().send(method, _params(params), progress)

    def request(
        self,
        method: str,
        /,
        *,
        timeout: float | None = None,
        progress: Progress | None = None,
        **params: Any,
    ) -> Any:
        """Sends a request and waits for its answer."""
        return self.send(method, progress=progress, **params).result(
            timeout if timeout is not None else self._timeout
        )

    # what can be asked: operands by their places, options by their names

    def layout(self, layout: Any, **options: Any) -> Any:
        """Which lane holds each element, and in which register. The layout is a name or a description."""
        return self.request("layout", layout=layout, **options)

    def transform(self, *transforms: str, **options: Any) -> Any:
        """The places of the elements of an array in shared memory: ``transform("tile=8x64", "swizzle=128", shape=[64, 64])``."""
        return self.request("transform", transforms=transforms, **options)

    def image(self, **options: Any) -> Any:
        """The bytes that a TMA box copies into shared memory: ``image(box=[64, 64], swizzle=128)``."""
        return self.request("image", **options)

    def linear(self, *words: Any, **options: Any) -> Any:
        """A layout as bases over GF(2), and its algebra."""
        return self.request("linear", words=words, **options)

    def cute(self, *words: Any, **options: Any) -> Any:
        """The CuTe algebra: ``cute("composition", "(6,2):(8,2)", "(4,3):(3,1)")``."""
        return self.request("cute", words=words, **options)

    def tmem(self, *layouts: str, **options: Any) -> Any:
        """Tensor memory: where a layout puts each element, or the columns of arrays."""
        return self.request("tmem", layouts=layouts, **options)

    def banks(self, *words: Any, **options: Any) -> Any:
        """Bank conflicts: ``banks("WGMMA", "tile=8x64", "swizzle=128", shape=[64, 64])``."""
        return self.request("banks", words=words, **options)

    def tiling(self, **options: Any) -> Any:
        """The order of tiles, and the memory traffic that a cache leaves."""
        return self.request("tiling", **options)

    def kernels(self, kernel: str | None = None, **options: Any) -> Any:
        """The kernels of the catalogue, or the settings, defaults and tensors of one of them."""
        return self.request("kernels", kernel=kernel, **options)

    def mma(self, a: Any, b: Any, c: Any = None, **options: Any) -> Tensor:
        """``c + a @ b`` as the tensor cores of a chip compute it: arrays or tensors; the result is a ``Tensor``."""
        given = {"a": a, "b": b} if c is None else {"a": a, "b": b, "c": c}
        made: Tensor = self.request("mma", in_=given, out=["d"], **options)["files"]["d.npy"]
        return made

    def compare(self, got: Any, expected: Any, **options: Any) -> Any:
        """Compares two tensors: whether their bits are equal, and if not, how far apart they are."""
        return self.request("compare", got=got, expected=expected, **options)

    def check(self, kernel: Any, **options: Any) -> Any:
        """The verdict on a kernel by name, a program, a module (``{"ttgir": text}``) or a trace (``{"jsonl": text}``)."""
        return self.request("check", kernel=kernel, **options)

    def run(self, kernel: Any, **options: Any) -> Any:
        """Runs a kernel: ``run("hopper-matmul", in_={"a": a, "b": b}, out=["out"])["files"]["out.npy"].numpy()``."""
        return self.request("run", kernel=kernel, **options)

    def trace(self, kernel: Any, **options: Any) -> Any:
        """The events of a run, in order."""
        return self.request("trace", kernel=kernel, **options)

    def time(self, kernel: Any, **options: Any) -> Any:
        """Predicts how long a kernel takes on a chip, and what it waits for: ``time("hopper-matmul", chip="h100")["microseconds"]``."""
        return self.request("time", kernel=kernel, **options)

    def mutate(self, kernel: Any = None, **options: Any) -> Any:
        """Every single change of a kernel, and its verdict."""
        return self.request("mutate", kernel=kernel, **options)

    def ask(self, suite: str, question: Mapping[str, Any], timeout: float | None = None) -> Any:
        """A question from a suite of the test vectors."""
        pending = self._live().send(f"ask/{suite}", {k: to_json(v) for k, v in question.items()}, None)
        return pending.result(timeout if timeout is not None else self._timeout)

    def methods(self) -> Any:
        """The methods, with the JSON Schema of each method's params."""
        return self.request("methods")

    def version(self) -> Any:
        """Versions of the package and of node."""
        return self.request("version")
