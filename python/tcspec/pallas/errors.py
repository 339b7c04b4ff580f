"""What the exporter refuses: one line, with a code that stays."""

from __future__ import annotations

from .. import errors


class Refused(errors.Refused):
    """A kernel that cannot be exported. ``code`` is stable; the message is one line that names the thing, what was expected and what was found."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, code)
