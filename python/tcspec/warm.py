"""The one process of ``tcspec serve`` that is kept between calls.

It starts with the first question. It ends with the interpreter, with ``close()``, or when its input ends because the interpreter was killed. A fork
has its own process.
"""

from __future__ import annotations

import os
from typing import Any

from .client import Client
from .errors import TcspecError

__all__ = ["client", "close", "start", "version"]

# whole tensors go and come as text: as much as it takes
_MOST = str(2**28)
# files are named by their whole paths; it reads what this interpreter may read
_client = Client(options=["--files", os.path.abspath(os.sep), "--max-line", _MOST, "--max-result", _MOST])


def client() -> Client:
    """The client that every function of this package asks."""
    return _client


def start() -> None:
    """Starts the process while a compiler works. If it cannot be started, the question that needs it says why."""
    try:
        _client.start()
    except TcspecError:
        pass


def close() -> None:
    """Ends the process. Ends the process; the next question starts another."""
    _client.close()


def version() -> Any:
    """Versions of the library and of Node.js; starts the process."""
    return _client.version()
