"""Exceptions with a stable ``code`` and a message of one line."""

from __future__ import annotations

from typing import Any, Mapping

__all__ = ["Busy", "Cancelled", "Refused", "ServerDied", "TcspecError", "TimedOut", "TooLarge"]


class TcspecError(Exception):
    """An error in place of a result; ``code`` is a stable word."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Refused(TcspecError):
    """The question was refused, as the command line refuses it with exit status 2; ``code`` says why."""


class TooLarge(TcspecError):
    """The request or its result is longer than the process allows."""


class Busy(TcspecError):
    """Too many requests are already waiting."""


class Cancelled(TcspecError):
    """The request was cancelled."""


class TimedOut(TcspecError, TimeoutError):
    """No answer came before the timeout; the request was cancelled."""


class ServerDied(TcspecError):
    """The process ended before it answered. The next call starts another."""


_KINDS: Mapping[str, type[TcspecError]] = {"too-large": TooLarge, "busy": Busy, "cancelled": Cancelled}


def error_of(error: Mapping[str, Any]) -> TcspecError:
    """The exception for the ``error`` of an answer."""
    data = error.get("data")
    code = str(data["code"]) if isinstance(data, dict) and "code" in data else str(error.get("code"))
    kind = _KINDS.get(code, Refused) if error.get("code") != 1 else Refused
    allowed = data.get("allowedBy") if isinstance(data, dict) else None
    or_say = f", or say {allowed['option']}={allowed['value']}" if isinstance(allowed, dict) else ""
    return kind(f"{error.get('message')}{or_say}", code)
