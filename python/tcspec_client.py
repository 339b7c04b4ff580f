"""A client of ``tcspec serve``: the oracle of tensor-core kernels, asked from Python.

One file, no dependencies, Python 3.10 or later. It starts the process when it is first asked, keeps it for the next question, and ends it with the
``with`` block, with ``close()``, or with the interpreter.

    from tcspec_client import Client

    with Client() as tcspec:
        tcspec.layout("WGMMA", shape=[64, 8])["elements"]
        tcspec.check("hopper-matmul", set={"k": 512}, without=["wgmma"])["verdict"]
        tcspec.check({"ttgir": text}, grid=[4, 4], arg={"a": array, "M": 128})
        tcspec.mma(a, b)                                    # numpy arrays, or Tensor
        tcspec.ask("swizzle", {"dtype": "f16", "shape": [8, 64], "tile": None, "swizzle": 128, "base": 0})

A call says what the command line says: operands first, options by name (``strict_proxies=True``; a name that Python keeps for itself has an
underscore behind it: ``in_={"a": array}``). It returns the document that the command prints with ``--json``; files that were asked for stand in it
under ``files``, tensors as ``Tensor``. docs/Serve.md lists the methods.

Calls may be made from many threads at once. ``send`` returns without waiting:

    pending = tcspec.send("check", kernel="matmul6", explore=True, progress=print)
    pending.cancel()

If the process dies, what it was asked raises ``ServerDied``; the next call starts another.
"""

from __future__ import annotations

import atexit
import base64
import itertools
import json
import os
import shlex
import shutil
import subprocess
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

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


# ---------------------------------------------------------------- what goes wrong


class TcspecError(Exception):
    """What ``tcspec serve`` answers in the place of a result; ``code`` is its stable word."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Refused(TcspecError):
    """The question is refused, as the command line refuses it with exit status 2: ``code`` says why."""


class TooLarge(TcspecError):
    """The request or its result is longer than the limits of the process."""


class Busy(TcspecError):
    """Too many requests wait already."""


class Cancelled(TcspecError):
    """The request was cancelled."""


class TimedOut(TcspecError, TimeoutError):
    """No answer came in time; the request was cancelled."""


class ServerDied(TcspecError):
    """The process ended before it answered. The next call starts another."""


_KINDS: Mapping[str, type[TcspecError]] = {"too-large": TooLarge, "busy": Busy, "cancelled": Cancelled}


def _error_of(error: Mapping[str, Any]) -> TcspecError:
    data = error.get("data")
    code = str(data["code"]) if isinstance(data, dict) and "code" in data else str(error.get("code"))
    kind = _KINDS.get(code, Refused) if error.get("code") != 1 else Refused
    return kind(str(error.get("message")), code)


# ---------------------------------------------------------------- tensors

#: bytes of an element; the 4-bit and 6-bit floats and ``i1`` take one each
_BYTES: Mapping[str, int] = {
    **dict.fromkeys(["e4m3", "e5m2", "ue4m3", "e8m0", "e2m3", "e3m2", "e2m1", "i1", "i8", "u8"], 1),
    **dict.fromkeys(["f16", "bf16", "i16", "u16"], 2),
    **dict.fromkeys(["f32", "tf32", "i32", "u32"], 4),
    **dict.fromkeys(["f64", "i64", "u64"], 8),
}

#: element types by the names that numpy and ml_dtypes have for them
_OF_NUMPY: Mapping[str, str] = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "e8m0",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "float4_e2m1fn": "e2m1",
    "bool": "i1",
    **{f"{u}int{n}": f"{u or 'i'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
}
_TO_NUMPY: Mapping[str, str] = {ours: theirs for theirs, ours in _OF_NUMPY.items()} | {"tf32": "float32"}


@dataclass(frozen=True)
class Tensor:
    """Patterns of elements, row-major and little-endian, under the element types of tcspec (``f16``, ``bf16``, ``e4m3``, ...)."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @staticmethod
    def of_bits(dtype: str, shape: Sequence[int], bits: Sequence[int]) -> "Tensor":
        """From the patterns of the elements as integers."""
        size = _BYTES[dtype]
        return Tensor(dtype, tuple(shape), b"".join(b.to_bytes(size, "little") for b in bits))

    @staticmethod
    def of_numpy(array: Any) -> "Tensor":
        """From a numpy array, or what numpy makes an array of. Types of ml_dtypes keep their meaning."""
        import numpy

        whole = numpy.ascontiguousarray(array)
        name = whole.dtype.name
        if name not in _OF_NUMPY:
            raise TypeError(f"expected elements of {', '.join(_OF_NUMPY)}, found {name}")
        little = whole.astype(whole.dtype.newbyteorder("<"), copy=False)
        return Tensor(_OF_NUMPY[name], tuple(numpy.shape(array)), little.tobytes())

    @property
    def bits(self) -> list[int]:
        """The patterns as integers, row-major."""
        size = _BYTES[self.dtype]
        return [int.from_bytes(self.data[i : i + size], "little") for i in range(0, len(self.data), size)]

    def numpy(self) -> Any:
        """A numpy array. A type that neither numpy nor ml_dtypes (if it is there) has comes as unsigned integers: its bits."""
        import numpy

        name = _TO_NUMPY.get(self.dtype, "")
        try:
            dtype = numpy.dtype(name)
        except TypeError:
            try:
                import ml_dtypes

                dtype = numpy.dtype(getattr(ml_dtypes, name))
            except (ImportError, AttributeError):
                dtype = numpy.dtype(f"uint{8 * _BYTES[self.dtype]}")
        return numpy.frombuffer(self.data, dtype.newbyteorder("<")).reshape(self.shape).astype(dtype)

    def to_json(self) -> dict[str, Any]:
        return {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "base64": base64.b64encode(self.data).decode("ascii"),
        }


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape") and len(value.shape) > 0


def _to_json(value: Any) -> Any:
    """What goes into a request: tensors and arrays as JSON, everything else as it is."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Tensor):
        return value.to_json()
    if isinstance(value, Mapping):
        return {str(key): _to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(one) for one in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if _is_array(value):
        return Tensor.of_numpy(value).to_json()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"expected JSON, a Tensor or an array, found {type(value).__name__}")


def _of_json(result: Any) -> Any:
    """A result with the tensors among its files as ``Tensor``."""
    files = result.get("files") if isinstance(result, dict) else None
    if isinstance(files, dict):
        for name, held in files.items():
            if isinstance(held, dict) and "base64" in held:
                files[name] = Tensor(held["dtype"], tuple(held["shape"]), base64.b64decode(held["base64"]))
    return result


def _camel(name: str) -> str:
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def _params(said: Mapping[str, Any]) -> dict[str, Any]:
    return {_camel(name): _to_json(value) for name, value in said.items() if value is not None}


# ---------------------------------------------------------------- the process

Progress = Callable[[Mapping[str, Any]], None]


class Pending:
    """A request that was sent."""

    def __init__(self, process: "_Process", number: int, method: str, progress: Progress | None) -> None:
        self.method = method
        self._process = process
        self._number = number
        self._progress = progress
        self._ready = threading.Event()
        self._result: Any = None
        self._error: TcspecError | None = None

    def done(self) -> bool:
        return self._ready.is_set()

    def cancel(self) -> None:
        """Asks for no answer; ``result`` then raises ``Cancelled``, unless the answer was there before."""
        if not self.done():
            self._process.notify("$/cancelRequest", {"id": self._number})

    def result(self, timeout: float | None = None) -> Any:
        """Waits for the answer; cancels the request when it does not come in time, or when the wait is interrupted."""
        try:
            there = self._ready.wait(timeout)
        except BaseException:
            self.cancel()
            raise
        if not there:
            self.cancel()
            raise TimedOut(f"{self.method}: no answer in {timeout} seconds", "timeout")
        if self._error is not None:
            raise self._error
        return self._result

    def _settle(self, result: Any, error: TcspecError | None) -> None:
        self._result, self._error = result, error
        self._ready.set()


class _Process:
    """One life of ``tcspec serve``."""

    def __init__(self, command: Sequence[str]) -> None:
        # a session of its own: Ctrl-C is for this process, which ends that one
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.owner = os.getpid()
        self._pending: dict[int, Pending] = {}
        self._numbers = itertools.count(1)
        self._writing = threading.Lock()
        self._state = threading.Lock()
        self._ended: str | None = None
        self._complaints = b""
        self._threads = [
            threading.Thread(target=read, name=f"tcspec-{read.__name__}", daemon=True)
            for read in (self._read, self._read_complaints)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def is_alive(self) -> bool:
        return self._ended is None and self.owner == os.getpid() and self._popen.poll() is None

    def send(self, method: str, params: Mapping[str, Any], progress: Progress | None) -> Pending:
        number = next(self._numbers)
        pending = Pending(self, number, method, progress)
        said = dict(params) if progress is None else {**params, "progress": True}
        with self._state:
            if self._ended is None:
                self._pending[number] = pending
            else:
                pending._settle(None, self._died(method))
                return pending
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": said})
        return pending

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def _write(self, message: Mapping[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            with self._writing:
                assert self._popen.stdin is not None
                self._popen.stdin.write(line)
                self._popen.stdin.flush()
        except (OSError, ValueError):
            # it reads no more: its end is heard by the thread that reads
            pass

    def _read(self) -> None:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._hear(message)
        self._threads[1].join(1)
        status = self._popen.wait()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        said = self._complaints.decode(errors="replace").strip()
        self._end(f"{how}: {said}" if said else how)

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message.get("method") == "$/progress":
            params = message.get("params", {})
            pending = self._pending.get(params.get("token"))
            if pending is not None and pending._progress is not None:
                try:
                    pending._progress(params.get("value", {}))
                except Exception:  # a bar that cannot be drawn is no reason to hear no more
                    pending._progress = None
            return
        with self._state:
            pending = self._pending.pop(message.get("id"), None)  # type: ignore[arg-type]
        if pending is None:
            return
        if "error" in message:
            pending._settle(None, _error_of(message["error"]))
        else:
            pending._settle(_of_json(message.get("result")), None)

    def _read_complaints(self) -> None:
        assert self._popen.stderr is not None
        for line in self._popen.stderr:
            self._complaints = (self._complaints + line)[-4096:]

    def _died(self, method: str) -> ServerDied:
        return ServerDied(
            f"{method}: tcspec serve ended before it answered ({self._ended}); the next call starts another", "died"
        )

    def _end(self, how: str) -> None:
        with self._state:
            self._ended = how
            lost, self._pending = self._pending, {}
        for pending in lost.values():
            pending._settle(None, self._died(pending.method))

    def close(self) -> None:
        if self.owner != os.getpid():
            return
        for pending in list(self._pending.values()):
            pending.cancel()
        try:
            with self._writing:
                assert self._popen.stdin is not None
                self._popen.stdin.close()
        except OSError:
            pass
        for end in (lambda: None, self._popen.terminate, self._popen.kill):
            end()
            try:
                self._popen.wait(2)
                break
            except subprocess.TimeoutExpired:
                continue
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(2)
        for stream in (self._popen.stdout, self._popen.stderr):
            if stream is not None:
                stream.close()


def _command() -> list[str]:
    """How to start it: ``TCSPEC``, the package that this file lies in, or ``tcspec`` on the path."""
    said = os.environ.get("TCSPEC")
    if said:
        return shlex.split(said)
    package = Path(__file__).resolve().parent.parent
    node = shutil.which("node")
    for build in ("bundle", "dist"):
        main = package / build / "oracle" / "cli" / "main.js"
        if main.is_file() and node is not None:
            return [node, str(main)]
    tcspec = shutil.which("tcspec")
    if tcspec is not None:
        return [tcspec]
    raise FileNotFoundError(
        "tcspec: expected it on the path (npm install --global tensorcore-spec), or its command in TCSPEC; found none"
    )


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for client in list(_clients):
        client.close()


# ---------------------------------------------------------------- the client


class Client:
    """Asks ``tcspec serve``.

    ``command``: how ``tcspec`` is started, as a list of words; ``options``: what stands behind ``serve``, such as ``["--files", "."]``;
    ``timeout``: seconds for each call, if it does not say so itself.
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
        self._process: _Process | None = None
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

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        process = self._process
        return process.pid if process is not None and process.is_alive() else None

    def _live(self) -> _Process:
        with self._starting:
            if self._process is None or not self._process.is_alive():
                if self._process is not None:
                    self._process.close()
                self._process = _Process([*(self._command or _command()), "serve", *self._options])
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
        """Which lane holds each element in which register: a name, or a description."""
        return self.request("layout", layout=layout, **options)

    def transform(self, *transforms: str, **options: Any) -> Any:
        """Where the elements of an array lie in shared memory: ``transform("tile=8x64", "swizzle=128", shape=[64, 64])``."""
        return self.request("transform", transforms=transforms, **options)

    def image(self, **options: Any) -> Any:
        """What a TMA box puts into shared memory: ``image(box=[64, 64], swizzle=128)``."""
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
        """The order of tiles, and what a cache makes of it."""
        return self.request("tiling", **options)

    def kernels(self, kernel: str | None = None, **options: Any) -> Any:
        """The kernels of the catalogue; of one its settings, defaults and tensors."""
        return self.request("kernels", kernel=kernel, **options)

    def mma(self, a: Any, b: Any, c: Any = None, **options: Any) -> Tensor:
        """``c + a @ b`` as the tensor cores of a chip compute it: arrays or tensors; the result is a ``Tensor``."""
        given = {"a": a, "b": b} if c is None else {"a": a, "b": b, "c": c}
        return self.request("mma", in_=given, out=["d"], **options)["files"]["d.npy"]

    def compare(self, got: Any, expected: Any, **options: Any) -> Any:
        """Two tensors: are their bits equal, and if not, how far apart?"""
        return self.request("compare", got=got, expected=expected, **options)

    def check(self, kernel: Any, **options: Any) -> Any:
        """The verdict on a kernel by name, a program, a module (``{"ttgir": text}``) or a trace (``{"jsonl": text}``)."""
        return self.request("check", kernel=kernel, **options)

    def run(self, kernel: Any, **options: Any) -> Any:
        """Runs it: ``run("hopper-matmul", in_={"a": a, "b": b}, out=["out"])["files"]["out.npy"].numpy()``."""
        return self.request("run", kernel=kernel, **options)

    def trace(self, kernel: Any, **options: Any) -> Any:
        """What happened in a run, event by event."""
        return self.request("trace", kernel=kernel, **options)

    def mutate(self, kernel: Any = None, **options: Any) -> Any:
        """Every single change of a kernel, and its verdict."""
        return self.request("mutate", kernel=kernel, **options)

    def ask(self, suite: str, question: Mapping[str, Any], timeout: float | None = None) -> Any:
        """A question of a suite of the test vectors."""
        pending = self._live().send(f"ask/{suite}", {k: _to_json(v) for k, v in question.items()}, None)
        return pending.result(timeout if timeout is not None else self._timeout)

    def methods(self) -> Any:
        """What can be asked, with the JSON Schema of each method's params."""
        return self.request("methods")

    def version(self) -> Any:
        """Versions of the package and of node."""
        return self.request("version")
