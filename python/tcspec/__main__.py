"""``python -m tcspec``, and the program ``tcspec`` of the wheel: the command line, run by Node.js."""

from __future__ import annotations

import os
import subprocess
import sys

from .errors import TcspecError
from .node import library_command

__all__ = ["main"]


def main() -> None:
    try:
        words = [*library_command(), *sys.argv[1:]]
    except TcspecError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if os.name == "posix":
        os.execv(words[0], words)
    sys.exit(subprocess.run(words).returncode)


if __name__ == "__main__":
    main()
