"""One life of ``tcspec serve``: JSON-RPC lines on its standard input and output (docs/Serve.md).

It has three threads of its own, so that a signal in the main thread never tears a line: one writes, one reads, and one keeps the standard error of
the process. The process is the leader of a session of its own: Ctrl-C reaches only this interpreter, which then ends the process.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Any, Callable, Iterator, Mapping, Sequence

from .errors import ServerDied, TcspecError, TimedOut, error_of
from .tensors import of_json

__all__ = ["Pending", "Process", "Progress"]

Progress = Callable[[Mapping[str, Any]], None]

#: seconds in which the process may end by itself, and again behind each signal
_PATIENCE = 2.0


class Pending:
    """A request that has been sent."""

    def __init__(self, process: "Process", number: int, method: str, progress: Progress | None) -> None:
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
        """Cancels the request; ``result`` then raises ``Cancelled``, unless the answer has already arrived."""
        if not self.done():
            self._process.notify("$/cancelRequest", {"id": self._number})

    def result(self, timeout: float | None = None) -> Any:
        """Waits for the answer; cancels the request if the time runs out or the wait is interrupted."""
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

    def _tell(self, value: Mapping[str, Any]) -> None:
        if self._progress is not None:
            try:
                self._progress(value)
            except Exception:  # a bar that cannot be drawn is no reason to hear no more
                self._progress = None


def _lines(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Whole lines of a stream."""
    pieces: list[bytes] = []
    while piece := read():
        *whole, rest = piece.split(b"\n")
        for line in whole:
            yield b"".join([*pieces, line])
            pieces = []
        if rest:
            pieces.append(rest)


class Process:
    """``command`` starts at once, and runs until ``close`` or until it dies."""

    def __init__(self, command: Sequence[str]) -> None:
        # unbuffered: what a fork copies has no locks and holds nothing back
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._owner = os.getpid()
        self._pending: dict[int, Pending] = {}
        self._numbers = itertools.count(1)
        self._state = threading.Lock()
        self._ended: str | None = None
        self._complaints = b""
        self._to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=act, name=f"tcspec-{act.__name__.strip('_')}", daemon=True)
            # the one that reads waits for what was complained, so that stands before it
            for act in (self._read_complaints, self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def is_alive(self) -> bool:
        return self._ended is None and self._owner == os.getpid() and self._popen.poll() is None

    def send(self, method: str, params: Mapping[str, Any], progress: Progress | None) -> Pending:
        number = next(self._numbers)
        pending = Pending(self, number, method, progress)
        said = dict(params) if progress is None else {**params, "progress": True}
        line = _line({"jsonrpc": "2.0", "id": number, "method": method, "params": said})
        with self._state:
            if self._ended is not None:
                pending._settle(None, self._died(method))
                return pending
            self._pending[number] = pending
        self._to_write.put(line)
        return pending

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._to_write.put(_line({"jsonrpc": "2.0", "method": method, "params": params}))

    def close(self) -> None:
        """Ends the process; unanswered requests are cancelled."""
        if self._owner != os.getpid():
            return
        for pending in list(self._pending.values()):
            pending.cancel()
        self._to_write.put(None)
        for force in (None, False, True):
            if force is not None:
                self._end_group(force)
            try:
                self._popen.wait(_PATIENCE)
                break
            except subprocess.TimeoutExpired:
                continue
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(_PATIENCE)
        self._close_streams()

    def forget(self) -> None:
        """In a fork: the process and the threads belong to the parent. Only the copies of the pipes are closed, because they would keep the process from ending."""
        self._close_streams()
        self._popen.returncode = 0
        self._ended = "it belongs to another process"

    # ---------------------------------------------------------------- threads

    def _write(self) -> None:
        stdin = self._popen.stdin
        assert stdin is not None
        try:
            while (line := self._to_write.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[stdin.write(rest) :]
        except (OSError, ValueError):
            pass  # it reads no more: its end is heard by the thread that reads
        stdin.close()

    def _read(self) -> None:
        stdout = self._popen.stdout
        assert stdout is not None
        for line in _lines(lambda: stdout.read(1 << 20)):
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._hear(message)
        self._threads[0].join(1)
        status = self._popen.wait()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        said = self._complaints.decode(errors="replace").strip()
        self._end(f"{how}: {said}" if said else how)

    def _read_complaints(self) -> None:
        stderr = self._popen.stderr
        assert stderr is not None
        while piece := stderr.read(1 << 12):
            self._complaints = (self._complaints + piece)[-4096:]

    # ---------------------------------------------------------------- what is heard

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message.get("method") == "$/progress":
            params = message.get("params", {})
            asked = self._pending.get(params.get("token"))
            if asked is not None:
                asked._tell(params.get("value", {}))
            return
        number = message.get("id")
        with self._state:
            pending = self._pending.pop(number, None) if isinstance(number, int) else None
        if pending is None:
            return
        if "error" in message:
            pending._settle(None, error_of(message["error"]))
        else:
            pending._settle(of_json(message.get("result")), None)

    def _died(self, method: str) -> ServerDied:
        return ServerDied(
            f"{method}: tcspec serve ended before it answered ({self._ended}); the next call starts another", "died"
        )

    def _end(self, how: str) -> None:
        with self._state:
            self._ended = how
            lost, self._pending = self._pending, {}
        self._to_write.put(None)
        for pending in lost.values():
            pending._settle(None, self._died(pending.method))

    def _end_group(self, force: bool) -> None:
        """Signals the whole group, if the system has process groups, because the command may be a script."""
        if sys.platform == "win32":
            self._popen.kill() if force else self._popen.terminate()
            return
        try:
            os.killpg(self._popen.pid, signal.SIGKILL if force else signal.SIGTERM)
        except (ProcessLookupError, PermissionError):
            pass

    def _close_streams(self) -> None:
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
